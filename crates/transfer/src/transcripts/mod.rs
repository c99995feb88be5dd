//! Transcripts: the files in which coding agents keep their conversations.
//!
//! A format is a row of [`FORMATS`] and a file that reads one entry. Texts of the user and of the
//! assistant become turns. Calls of tools, their results, thoughts, summaries that a program made,
//! and everything said by or to subagents become none.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini;
mod own_words;
mod reading;
#[cfg(test)]
mod tests;

use std::io::BufRead;

use serde_json::Value;

use self::reading::Reading;
use crate::conversation::{Conversation, Conversations};
use crate::surrogates::mended;
use crate::turn::ConversationTurn;
use crate::{BYTE_ORDER_MARK, messages::LeftOut};
use annals_engine::{Error, Refusal};

pub use self::own_words::own_words;

/// The agent that wrote a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TranscriptFormat {
    /// Claude Code: `~/.claude/projects/*/*.jsonl`.
    ClaudeCode,
    /// Codex: `~/.codex/sessions/**/rollout-*.jsonl`.
    Codex,
    /// Gemini CLI: `~/.gemini/tmp/*/chats/session-*.json` and `.jsonl`.
    Gemini,
    /// Cursor: `~/.cursor/projects/*/agent-transcripts/**/*.jsonl`.
    Cursor,
    /// Copilot CLI: `~/.copilot/session-state/*/events.jsonl`.
    CopilotCli,
}

/// The facts about a format.
struct Row {
    format: TranscriptFormat,
    name: &'static str,
    about: &'static str,
    /// Whether an entry can be of no other format.
    tells: fn(&Value) -> bool,
    read: fn(&Value, &mut Reading),
}

/// All formats, in the order in which they are tried.
const FORMATS: [Row; 5] = [
    Row {
        format: TranscriptFormat::ClaudeCode,
        name: "claude-code",
        about: "A transcript of Claude Code: ~/.claude/projects/*/*.jsonl",
        tells: claude_code::tells,
        read: claude_code::read,
    },
    Row {
        format: TranscriptFormat::Codex,
        name: "codex",
        about: "A transcript of Codex: ~/.codex/sessions/**/rollout-*.jsonl",
        tells: codex::tells,
        read: codex::read,
    },
    Row {
        format: TranscriptFormat::Gemini,
        name: "gemini-cli",
        about: "A transcript of Gemini CLI: ~/.gemini/tmp/*/chats/session-*",
        tells: gemini::tells,
        read: gemini::read,
    },
    Row {
        format: TranscriptFormat::Cursor,
        name: "cursor",
        about: "A transcript of Cursor: ~/.cursor/projects/*/agent-transcripts/**/*.jsonl",
        tells: cursor::tells,
        read: cursor::read,
    },
    Row {
        format: TranscriptFormat::CopilotCli,
        name: "copilot-cli",
        about: "A transcript of Copilot CLI: ~/.copilot/session-state/*/events.jsonl",
        tells: copilot::tells,
        read: copilot::read,
    },
];

impl TranscriptFormat {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::CopilotCli,
    ];

    /// Its name, such as `claude-code`: turns keep it as their `origin`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// A line about it, with the place of its files.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.row().map_or("", |row| row.about)
    }

    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        FORMATS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.format)
    }

    /// The format of a file, by its beginning; `None` where it is none of these.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Self> {
        let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head);
        let lines = head
            .split(|byte| *byte == b'\n')
            .map(<[u8]>::trim_ascii)
            .filter(|line| line.starts_with(b"{"));
        let whole = lines
            .take(LOOKED_AT)
            .filter_map(|line| serde_json::from_slice::<Value>(&mended(line)).ok());
        let told = |entry: Value| {
            FORMATS
                .iter()
                .find(|row| (row.tells)(&entry))
                .map(|row| row.format)
        };
        let holds = |key: &str| {
            head.windows(key.len())
                .any(|window| window == key.as_bytes())
        };
        // A document over several lines, of which no single one tells anything.
        let document = || head.trim_ascii_start().starts_with(b"{") && holds("\"projectHash\"");
        whole.filter_map(told).next().or_else(|| {
            (document() && holds("\"sessionId\"") && holds("\"messages\"")).then_some(Self::Gemini)
        })
    }

    /// The format of an entry that can be of no other one.
    pub(crate) fn told_by(entry: &Value) -> Option<Self> {
        FORMATS
            .iter()
            .find(|row| (row.tells)(entry))
            .map(|row| row.format)
    }

    fn row(self) -> Option<&'static Row> {
        FORMATS.iter().find(|row| row.format == self)
    }
}

/// Lines that are looked at to tell a format.
const LOOKED_AT: usize = 20;

/// How far a transcript was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TranscriptPosition {
    /// Bytes from its beginning.
    pub bytes: u64,
    /// Lines from its beginning: where entries have no ids, turns are known by their lines.
    pub lines: u64,
}

/// A transcript, or the part of it behind a position.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Transcript {
    /// The name of its session.
    pub session: String,
    /// The words of user and assistant, in order, with the ids of their messages.
    pub turns: Vec<ConversationTurn>,
    /// Where the next reading begins. The beginning, where the file is one document that is written
    /// anew each time.
    pub position: TranscriptPosition,
    left_out: LeftOut,
}

impl Transcript {
    /// Reads a transcript from a position on; `bytes` is what stands behind it. A last line without
    /// a line break is read again by the next reading, under the same id. A transcript that does
    /// not name its session is called `session`.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) where the beginning of a file is
    /// read and nothing in it is of this format.
    pub fn read(
        format: TranscriptFormat,
        bytes: &[u8],
        from: TranscriptPosition,
        session: &str,
    ) -> Result<Self, Error> {
        Self::read_from(format, &mut &*bytes, from, session)
    }

    /// The same of a reader, which is read line by line: a line may hold pictures of megabytes.
    ///
    /// # Errors
    /// As [`read`](Self::read); [`ErrorKind::Io`](annals_engine::ErrorKind::Io) where it cannot be
    /// read.
    pub fn read_from(
        format: TranscriptFormat,
        input: &mut dyn BufRead,
        from: TranscriptPosition,
        session: &str,
    ) -> Result<Self, Error> {
        let Some(row) = format.row() else {
            return Ok(Self::default());
        };
        let mut reading = Reading::new(format, from.lines);
        let position = if format == TranscriptFormat::Gemini {
            let mut bytes = Vec::new();
            input.read_to_end(&mut bytes).map_err(unreadable)?;
            match document(&bytes) {
                Some(entry) => {
                    reading.recognised = (row.tells)(&entry);
                    (row.read)(&entry, &mut reading);
                    TranscriptPosition::default()
                }
                None => lines(row, &mut &*bytes, from, &mut reading)?,
            }
        } else {
            lines(row, input, from, &mut reading)?
        };
        if from.bytes == 0 && !reading.recognised && reading.said_something {
            return Err(Refusal::NoTranscript {
                format: row.name.to_string(),
            }
            .into());
        }
        let (session, turns, left_out) = reading.end(session);
        Ok(Self {
            session,
            turns,
            position,
            left_out,
        })
    }

    /// Its turns as a conversation, to be stored.
    #[must_use]
    pub fn into_conversation(self) -> Conversation {
        Conversation {
            id: self.session,
            turns: self.turns,
            questions: Vec::new(),
        }
    }

    /// The same by names that last.
    pub(crate) fn sorts(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        self.left_out.clone().into_iter()
    }

    /// The entries that became no turn: each sort by its name, with how many there were.
    pub fn left_out(&self) -> impl Iterator<Item = (&str, u64)> {
        self.left_out.iter().map(|(what, count)| (*what, *count))
    }
}

impl Conversations {
    /// Reads a transcript of a coding agent as one conversation, as [`Transcript::read`] does.
    ///
    /// ```
    /// use annals_transfer::{Conversations, TranscriptFormat};
    ///
    /// let line = br#"{"type":"user","uuid":"u1","sessionId":"s1","message":{"role":"user","content":"Hi."}}"#;
    /// let read = Conversations::of_transcript(TranscriptFormat::ClaudeCode, &mut &line[..], "file")?;
    /// assert_eq!(read.conversations[0].id, "s1");
    /// assert_eq!(read.conversations[0].turns[0].text, "Hi.");
    /// # Ok::<(), annals_engine::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Transcript::read`].
    pub fn of_transcript(
        format: TranscriptFormat,
        input: &mut dyn BufRead,
        session: &str,
    ) -> Result<Self, Error> {
        let read = Transcript::read_from(format, input, TranscriptPosition::default(), session)?;
        let left_out = read.left_out.clone();
        Ok(Self {
            conversations: vec![read.into_conversation()],
            left_out,
            ..Self::default()
        })
    }
}

/// The one document that a file of Gemini CLI may be.
fn document(bytes: &[u8]) -> Option<Value> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let entry: Value = serde_json::from_slice(&mended(bytes)).ok()?;
    entry.get("messages").is_some().then_some(entry)
}

fn unreadable(error: std::io::Error) -> Error {
    Error::io("reading a transcript".to_owned(), error)
}

/// Reads entries line by line; answers where to go on.
fn lines(
    row: &Row,
    input: &mut dyn BufRead,
    from: TranscriptPosition,
    reading: &mut Reading,
) -> Result<TranscriptPosition, Error> {
    let (mut position, mut line) = (from, Vec::new());
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).map_err(unreadable)? == 0 {
            break;
        }
        let whole = line.ends_with(b"\n");
        let text = line
            .strip_prefix(BYTE_ORDER_MARK)
            .filter(|_| position.bytes == 0)
            .unwrap_or(&line);
        reading.said_something |= !text.trim_ascii().is_empty();
        let entry = serde_json::from_slice::<Value>(&mended(text))
            .ok()
            .filter(Value::is_object);
        if !whole && entry.is_none() {
            if !line.trim_ascii().is_empty() {
                reading.leave("last lines that are cut off");
            }
            break;
        }
        reading.line = position.lines.saturating_add(1);
        // A line is over with its line break: until then it is read again.
        if whole {
            position.bytes = position
                .bytes
                .saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
            position.lines = reading.line;
        }
        match entry {
            Some(entry) => {
                reading.recognised |= (row.tells)(&entry);
                (row.read)(&entry, reading);
            }
            None if line.trim_ascii().is_empty() => {}
            None => reading.leave("lines that are no JSON objects"),
        }
    }
    Ok(position)
}
