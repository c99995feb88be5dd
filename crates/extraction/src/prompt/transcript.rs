use annals_types::{Memory, Role};

use super::Voice;
use crate::context::{quote, unmarked};

/// A message of a conversation as it stands in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// In what role it was said.
    pub role: Role,
    /// The speaker, as the prompt names them.
    pub speaker: String,
    /// The words.
    pub text: String,
}

/// The messages of turns, oldest first: a turn that holds its answer is two. Users and assistants
/// have the names of the voice, others their own. Results of tools are left out.
#[must_use]
pub fn lines(turns: &[Memory], voice: &Voice) -> Vec<Line> {
    let mut out = Vec::new();
    for turn in turns {
        let said = turn.body.turn.as_ref();
        let role = said.map_or(Role::User, |said| said.role);
        let speaker = match role {
            Role::User => voice.user().to_owned(),
            Role::Assistant => voice.assistant().to_owned(),
            Role::System => "system".to_owned(),
            _ => continue,
        };
        out.push(Line {
            role,
            speaker,
            text: turn.body.text.clone(),
        });
        if let Some(reply) = said.and_then(|said| said.reply.clone()) {
            out.push(Line {
                role: Role::Assistant,
                speaker: voice.assistant().to_owned(),
                text: reply,
            });
        }
    }
    out
}

/// The messages, one a line as `name: text`. Further lines of a message are indented, so that none
/// looks like another message, and what a chat template would read as a mark is broken up.
#[must_use]
pub fn render(lines: &[Line]) -> String {
    let said: Vec<String> = lines
        .iter()
        .map(|line| format!("{}: {}", line.speaker, indented(&line.text)))
        .collect();
    said.join("\n")
}

/// Memories, one a line as `[name] text`, or a word for none.
pub(crate) fn listed<'a>(
    voice: &Voice,
    memories: impl Iterator<Item = (&'a str, &'a str)>,
) -> String {
    let lines: Vec<String> = memories
        .map(|(name, text)| format!("[{name}] {}", quote(text)))
        .collect();
    if lines.is_empty() {
        voice.say("empty-list", &[])
    } else {
        lines.join("\n")
    }
}

fn indented(text: &str) -> String {
    let text = unmarked(text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("\n  ")
}
