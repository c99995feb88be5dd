//! The files that people bring: exports of chat services, of memory programs and of messengers,
//! notes, tables, transcripts.
//!
//! A format is a row of [`ROWS`] and a file with its reader. It is told by what stands in a file,
//! never by the name of that.

mod agents;
mod attachments;
mod chatgpt;
mod claude;
mod claude_mem;
mod clock;
mod columns;
mod cursor_chats;
mod dates;
mod discord;
mod drafts;
mod fields;
mod file;
mod front_matter;
mod gemini_page;
mod gemini_takeout;
mod hindsight;
mod html;
mod items;
pub(crate) mod knowledge_graph;
mod letta;
pub(crate) mod markdown_export;
mod mbox;
mod mem0;
mod notes;
mod open_webui;
mod outline;
mod own;
mod reading;
mod record;
mod repair;
mod scan;
mod sketch;
mod slack;
mod spoken_date;
mod sqlite;
mod sqlite_row;
mod strings;
mod table;
mod telegram;
#[cfg(test)]
mod tests;
mod text;
mod unpack;
mod values;
mod whatsapp;
mod zep;

use annals_engine::Error;
use annals_types::Wording;
use serde_json::Value;

use self::outline::{Kind, Outline};
use self::reading::Reading;
use crate::transcripts::TranscriptFormat;

pub use self::agents::AgentTranscript;
pub use self::attachments::without_attachments;
pub use self::file::ImportFile;
pub use self::record::{
    DateOrder, ImportRecord, ImportedEntity, ImportedMemory, ReadOptions, ReadSummary,
};

/// A format of files that are imported.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat(&'static Row);

/// What a format is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileKind {
    /// The lines that an export of annals writes: they come back with
    /// [`import`](crate::Transfers::import) alone.
    Export,
    /// Lines of turns in the normal form.
    Turns,
    /// A document of conversations in the normal form.
    Conversations,
    /// Messages as chat services exchange them.
    Messages,
    /// The transcript of a coding agent.
    Transcript(TranscriptFormat),
    /// Conversations or memories of another program.
    Records,
    /// Words without any form.
    Words,
}

/// The facts about a format.
#[derive(Debug)]
struct Row {
    name: &'static str,
    about: &'static str,
    kind: FileKind,
    /// Whether a file of this outline is of this format.
    tells: fn(&Outline) -> bool,
    read: fn(&mut Reading<'_>) -> Result<(), Error>,
}

/// A row of records.
const fn records(
    name: &'static str,
    about: &'static str,
    tells: fn(&Outline) -> bool,
    read: fn(&mut Reading<'_>) -> Result<(), Error>,
) -> Row {
    Row {
        name,
        about,
        kind: FileKind::Records,
        tells,
        read,
    }
}

/// A row of transcripts, which have a table of their own.
const fn transcript(format: TranscriptFormat, name: &'static str, about: &'static str) -> Row {
    let kind = FileKind::Transcript(format);
    Row {
        name,
        about,
        kind,
        tells: |outline| own::is_some_transcript(outline),
        read: own::read_transcript,
    }
}

/// All formats, in the order in which they are tried.
static ROWS: [Row; 30] = [
    Row {
        name: "export",
        about: "JSON lines as `annals export` writes them",
        kind: FileKind::Export,
        tells: own::tells_export,
        read: own::read_export,
    },
    Row {
        name: "turns",
        about: "JSON lines with a turn each: session, text, and speaker, role, time, reply, tool_calls, attachments, \
                tags, metadata where known",
        kind: FileKind::Turns,
        tells: own::tells_turns,
        read: own::read_turns,
    },
    Row {
        name: "conversation",
        about: "Conversations with their turns, one JSON document",
        kind: FileKind::Conversations,
        tells: own::tells_conversations,
        read: own::read_conversations,
    },
    transcript(
        TranscriptFormat::ClaudeCode,
        "claude-code",
        "A transcript of Claude Code: ~/.claude/projects/*/*.jsonl",
    ),
    transcript(
        TranscriptFormat::Codex,
        "codex",
        "A transcript of Codex: ~/.codex/sessions/**/rollout-*.jsonl",
    ),
    transcript(
        TranscriptFormat::Gemini,
        "gemini-cli",
        "A transcript of Gemini CLI: ~/.gemini/tmp/*/chats/session-*",
    ),
    transcript(
        TranscriptFormat::Cursor,
        "cursor",
        "A transcript of Cursor: ~/.cursor/projects/*/agent-transcripts/**/*.jsonl",
    ),
    transcript(
        TranscriptFormat::CopilotCli,
        "copilot-cli",
        "A transcript of Copilot CLI: ~/.copilot/session-state/*/events.jsonl",
    ),
    records(
        "chatgpt",
        "The conversations of a ChatGPT export",
        chatgpt::tells,
        chatgpt::read,
    ),
    records(
        "claude",
        "The conversations of a Claude export",
        claude::tells,
        claude::read,
    ),
    records(
        "claude-projects",
        "The projects of a Claude export",
        claude::tells_projects,
        claude::read_projects,
    ),
    records(
        "gemini-takeout",
        "The activity of Gemini in Google Takeout, as JSON or as a page",
        gemini_takeout::tells,
        gemini_takeout::read,
    ),
    records(
        "mem0",
        "Memories of mem0: answers, pages, exports",
        mem0::tells,
        mem0::read,
    ),
    records(
        "hindsight",
        "Memories of Hindsight: its list, answers, and the archive of its documents",
        hindsight::tells,
        hindsight::read,
    ),
    records(
        "knowledge-graph",
        "The file of the reference memory server: entities and relations",
        knowledge_graph::tells,
        knowledge_graph::read,
    ),
    records(
        "letta",
        "An agent file of Letta, with its memory blocks",
        letta::tells,
        letta::read,
    ),
    records(
        "zep",
        "A graph of Zep or Graphiti: nodes, edges, episodes",
        zep::tells,
        zep::read,
    ),
    records(
        "claude-mem",
        "An export or the database of claude-mem",
        claude_mem::tells,
        claude_mem::read,
    ),
    records(
        "cursor-chats",
        "The database of the chats of Cursor: state.vscdb",
        cursor_chats::tells,
        cursor_chats::read,
    ),
    records(
        "open-webui",
        "An export of chats of Open WebUI",
        open_webui::tells,
        open_webui::read,
    ),
    records(
        "telegram",
        "An export of Telegram Desktop, as JSON",
        telegram::tells,
        telegram::read,
    ),
    records(
        "slack",
        "Messages of a Slack export",
        slack::tells,
        slack::read,
    ),
    records(
        "discord",
        "An export of DiscordChatExporter, or a data package of Discord",
        discord::tells,
        discord::read,
    ),
    Row {
        name: "messages",
        about: "Messages as chat services and their libraries exchange them (OpenAI, Anthropic, LangChain, \
                LlamaIndex, ShareGPT): a list, {\"messages\": [...]}, or lines of either; each list becomes a session",
        kind: FileKind::Messages,
        tells: own::tells_messages,
        read: own::read_messages,
    },
    records(
        "whatsapp",
        "A chat of WhatsApp, as text",
        whatsapp::tells,
        whatsapp::read,
    ),
    records("mbox", "A mailbox", mbox::tells, mbox::read),
    records(
        "fields",
        "JSON objects with a `text`; --column names other fields",
        fields::tells,
        fields::read,
    ),
    records(
        "strings",
        "A list of texts, as JSON",
        strings::tells,
        strings::read,
    ),
    records(
        "table",
        "A table with a header: CSV or TSV; --column names its columns",
        table::tells,
        table::read,
    ),
    Row {
        name: "notes",
        about: "Notes: Markdown with front matter, observations and links, or plain text",
        kind: FileKind::Words,
        tells: notes::tells,
        read: notes::read,
    },
];

impl FileFormat {
    /// All of them.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        ROWS.iter().map(Self)
    }

    /// The format of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == name).map(Self)
    }

    /// The format of a file, by what stands in it. An empty file is an empty export.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) where no format is known that the
    /// file could be of: it says what the file is instead.
    pub fn of(file: &ImportFile, options: &ReadOptions) -> Result<Self, Error> {
        let outline = Outline::of_file(file)?;
        Self::of_outline(&outline, options).ok_or_else(|| unknown(&outline))
    }

    fn of_outline(outline: &Outline, options: &ReadOptions) -> Option<Self> {
        if *outline == Outline::Empty {
            return Self::named("export");
        }
        if let Some(format) = own::transcript_of(outline) {
            return Self::named(format.name());
        }
        let is_mapped = options.columns.contains_key("text");
        match outline {
            Outline::Json(_) if is_mapped => return Self::named("fields"),
            Outline::Text(_) if is_mapped => return Self::named("table"),
            _ => {}
        }
        ROWS.iter()
            .find(|row| !matches!(row.kind, FileKind::Transcript(_)) && (row.tells)(outline))
            .map(Self)
    }

    /// Its name, such as `chatgpt`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0.name
    }

    /// A line about it.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.0.about
    }

    /// What it is for.
    #[must_use]
    pub const fn kind(self) -> FileKind {
        self.0.kind
    }

    /// Reads a file, and gives what it brings to `sink`, part by part.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) where the file is of another
    /// format, or at a record that cannot be read: what stood before it was given on; or those of
    /// `sink`.
    pub fn read(
        self,
        file: &ImportFile,
        options: &ReadOptions,
        sink: &mut dyn FnMut(ImportRecord) -> Result<(), Error>,
    ) -> Result<ReadSummary, Error> {
        let outline = Outline::of_file(file)?;
        let mut give = |record| sink(record);
        let mut reading = Reading::new(self.0.name, (file, &outline), options, &mut give)?;
        if let Err(error) = (self.0.read)(&mut reading) {
            if error.import_line().is_some() {
                reading.flush()?;
            }
            return Err(error);
        }
        reading.flush()?;
        Ok(reading.summary)
    }
}

impl PartialEq for FileFormat {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for FileFormat {}

/// What a file is that no reader knows, and what can be done.
fn unknown(outline: &Outline) -> Error {
    match outline {
        Outline::Json(values) => {
            let (fields, names) = values.first().map(fields_of).unwrap_or_default();
            let reason = format!(
                "it is JSON, but of no form that is known: {fields}. Name its fields with `--column text=FIELD`, \
                 or its form with `--format`"
            );
            Error::bad_input_worded(
                reason,
                Some(Wording::new("import-unknown-json", &[("names", &names)])),
            )
        }
        Outline::Text(text) if outline::is_meant_as_json(text) => {
            let reason = "it begins as JSON does and is none (names and texts stand in double quotes), or is encoded \
                          in UTF-16; save it as JSON in UTF-8, or say `--format notes` where it is words";
            Error::bad_input_worded(reason, Some(Wording::new("import-no-json", &[])))
        }
        Outline::Text(_) | Outline::Empty => Error::bad_input("it holds no words"),
        Outline::Page(_) => other_kind(Kind::Html),
        Outline::Tables(_) => other_kind(Kind::Database),
        Outline::Other(kind) => other_kind(*kind),
    }
}

fn other_kind(kind: Kind) -> Error {
    let reason = format!("it is {}: nothing of it can be imported", kind.about());
    let name = format!("import-kind-{}", kind.word());
    Error::bad_input_worded(reason, Some(Wording::new(&name, &[])))
}

/// The form of a value in words, such as a list of objects with these fields, and their names.
fn fields_of(value: &Value) -> (String, String) {
    let names = |value: &Value| {
        let fields = value.as_object().into_iter().flatten().take(8);
        fields
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match value {
        Value::Object(_) => (
            format!("objects with the fields {}", names(value)),
            names(value),
        ),
        Value::Array(entries) => match entries.first() {
            Some(first @ Value::Object(_)) => (
                format!("a list of objects with the fields {}", names(first)),
                names(first),
            ),
            Some(_) => ("a list".to_owned(), "[]".to_owned()),
            None => ("an empty list".to_owned(), "[]".to_owned()),
        },
        _ => ("a single value".to_owned(), "-".to_owned()),
    }
}

/// The first record of a file of JSON: the value itself, or the first of its list, or of the list
/// in one of these fields.
fn record<'o>(outline: &'o Outline, lists: &[&str]) -> Option<&'o Value> {
    let Outline::Json(values) = outline else {
        return None;
    };
    let first = values.first()?;
    let below = lists
        .iter()
        .find_map(|field| first.get(field)?.as_array()?.first());
    match first {
        Value::Array(entries) => entries.first(),
        _ => below.or(Some(first)),
    }
}

/// The paths of the records of a file: in its list, or in the list of one of these fields; none
/// where each value is one.
fn paths<'p>(first: Option<&Value>, lists: &[&'p str]) -> Vec<&'p str> {
    match first {
        Some(Value::Array(_)) => vec!["[]"],
        Some(Value::Object(fields)) => {
            let holds = |path: &&&str| {
                fields
                    .get(path.trim_end_matches("[]"))
                    .is_some_and(Value::is_array)
            };
            lists.iter().filter(holds).copied().collect()
        }
        _ => Vec::new(),
    }
}
