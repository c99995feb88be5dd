//! Notes that an export of annals wrote: a memory each, or the turns of a session, word for word.

use annals_engine::Error;
use annals_types::{Role, Statement};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::front_matter::{EXPORTED, FrontMatter};
use super::reading::{Fact, Reading, Said};
use super::text::TextLines;
use crate::json::JsonFault;

/// What the front matter says of a note.
pub(crate) const MEMORY: &str = "memory";
pub(crate) const SESSION: &str = "session";
/// The line before each turn begins and ends so.
pub(crate) const TURN: (&str, &str) = ("<!-- turn ", " -->");

/// A turn as it stands in that line, without its words.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct TurnLine {
    pub(crate) role: Option<Role>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) speaker: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<annals_types::Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
}

pub(super) fn read(
    reading: &mut Reading<'_>,
    matter: &FrontMatter,
    lines: &mut TextLines<'_>,
) -> Result<(), Error> {
    if matter.text(EXPORTED) == Some(SESSION) {
        return session(reading, matter, lines);
    }
    let mut words = Vec::new();
    while let Some(line) = lines.next()? {
        words.push(line);
    }
    // A blank line parts the front matter from the words.
    let begin = usize::from(words.first().is_some_and(|line| line.trim().is_empty()));
    let mut fact = Fact::new(words.get(begin..).unwrap_or_default().join("\n"));
    let time = |name: &str| matter.text(name).and_then(|text| text.parse().ok());
    fact.id = matter.text("id").map(str::to_owned);
    fact.kind = matter.text("kind").map(str::to_owned);
    fact.is_core = matter.text("layer") == Some("core");
    fact.tags = matter.list("tags");
    (fact.time, fact.expires_at) = (time("time"), time("expires_at"));
    (fact.valid_from, fact.valid_until) = (time("valid_from"), time("valid_until"));
    if let Some(Ok(fields)) = matter.text("metadata").map(serde_json::from_str) {
        fact.metadata = fields;
    }
    if let Some(Ok(said)) = matter
        .text("said")
        .map(serde_json::from_str::<Vec<Statement>>)
    {
        fact.said = said;
    }
    reading.memory(fact)
}

fn session(
    reading: &mut Reading<'_>,
    matter: &FrontMatter,
    lines: &mut TextLines<'_>,
) -> Result<(), Error> {
    let name = matter
        .text("session")
        .map_or_else(|| reading.session_name(), str::to_owned);
    let mut open: Option<(TurnLine, Vec<String>)> = None;
    while let Some(line) = lines.next()? {
        let head = line
            .strip_prefix(TURN.0)
            .and_then(|inner| inner.strip_suffix(TURN.1));
        match (head, &mut open) {
            (Some(head), _) => {
                let parsed = serde_json::from_str::<Value>(head)
                    .and_then(serde_json::from_value::<TurnLine>);
                let turn = match parsed {
                    Ok(turn) => turn,
                    Err(error) => {
                        let fault = JsonFault::Other {
                            field: String::new(),
                            reason: error.to_string(),
                        };
                        reading.refuse(lines.line, &fault, line.into_bytes())?;
                        continue;
                    }
                };
                let before = open.replace((turn, Vec::new()));
                before
                    .into_iter()
                    .for_each(|(turn, words)| said(reading, &name, turn, &words));
                reading.pause()?;
            }
            (None, Some((_, words))) => words.push(line),
            (None, None) => {}
        }
    }
    open.into_iter()
        .for_each(|(turn, words)| said(reading, &name, turn, &words));
    Ok(())
}

fn said(reading: &mut Reading<'_>, session: &str, turn: TurnLine, lines: &[String]) {
    // What looks like such a line was written behind a mark.
    let words = lines.iter().map(|line| {
        let inner = line
            .strip_prefix('\\')
            .filter(|inner| inner.trim_start_matches('\\').starts_with(TURN.0));
        inner.unwrap_or(line)
    });
    let words = words.collect::<Vec<_>>().join("\n");
    let mut said = Said::by(
        session,
        turn.role.unwrap_or(Role::User),
        words.trim_matches('\n'),
    );
    (said.speaker, said.time, said.id, said.tags) = (turn.speaker, turn.time, turn.id, turn.tags);
    reading.turn(said);
}
