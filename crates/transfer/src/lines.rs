//! Lines of an export, and lines as memories.

use annals_graph::DumpLine;
use annals_lifecycle::SavedState;
use annals_records::{Chronicle, Version};
use annals_types::{InvalidValue, Label, MemoryId, NewMemory, Timestamp, Wording};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::ImportFormat;
use crate::json::{self, JsonFault};
use crate::judged::JudgedLine;
use crate::surrogates::mended;
use crate::turn::ConversationTurn;
pub(super) use annals_engine::travel::ExportedMemory;

/// The profile of a namespace: the first line, where that is not the default profile.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// The name of its profile.
    pub(super) profile: Label,
    /// The last pass of the job that decays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) last_pass: Option<Timestamp>,
}

/// A memory with its history and its life.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryLine {
    id: MemoryId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    supersedes: Option<MemoryId>,
    revisions: Vec<Version>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    life: Option<SavedState>,
}

impl MemoryLine {
    pub(super) fn new(chronicle: Chronicle, life: Option<SavedState>) -> Self {
        let Chronicle {
            id,
            supersedes,
            revisions,
        } = chronicle;
        Self {
            id,
            supersedes,
            revisions,
            life,
        }
    }

    /// How many texts it had.
    pub(super) fn texts(&self) -> u64 {
        u64::try_from(self.revisions.len()).unwrap_or(u64::MAX)
    }

    fn exported(self) -> ExportedMemory {
        let Self {
            id,
            supersedes,
            revisions,
            life,
        } = self;
        ExportedMemory {
            chronicle: Chronicle {
                id,
                supersedes,
                revisions,
            },
            life,
        }
    }
}

/// A line that was understood.
pub(super) enum Item {
    Head(Head),
    Memory(Box<ExportedMemory>),
    Graph(Box<DumpLine>),
    Judged(Box<JudgedLine>),
    Turn(Box<NewMemory>),
}

impl Item {
    /// The kind of a line that does more than bring a memory, a turn or a part of the graph.
    pub(super) fn more_than_memories(&self) -> Option<&'static str> {
        match self {
            Self::Head(_) => Some("profile"),
            Self::Judged(line) => Some(line.kind()),
            Self::Memory(_) | Self::Graph(_) | Self::Turn(_) => None,
        }
    }
}

/// The fields that tell the lines of an export apart.
#[derive(Deserialize)]
struct Outline {
    profile: Option<IgnoredAny>,
    entity: Option<IgnoredAny>,
    merge: Option<IgnoredAny>,
    memory: Option<IgnoredAny>,
    link: Option<IgnoredAny>,
    derivation: Option<IgnoredAny>,
    decision: Option<IgnoredAny>,
    suspicion: Option<IgnoredAny>,
    parted: Option<IgnoredAny>,
    stale: Option<IgnoredAny>,
    work: Option<IgnoredAny>,
    brought: Option<IgnoredAny>,
    extension: Option<IgnoredAny>,
}

/// Why a line is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) reason: String,
    /// The same, apart from its words.
    pub(super) wording: Option<Wording>,
}

impl From<JsonFault> for Refused {
    fn from(fault: JsonFault) -> Self {
        Self {
            reason: fault.to_string(),
            wording: Some(fault.wording()),
        }
    }
}

impl Refused {
    /// The same of a message of several, by its number.
    pub(super) fn of_message(mut self, number: usize) -> Self {
        if let Some(wording) = &mut self.wording {
            wording
                .places
                .insert("message".to_owned(), number.to_string());
        }
        Self {
            reason: format!("message {number}: {}", self.reason),
            ..self
        }
    }
}

impl From<InvalidValue> for Refused {
    fn from(error: InvalidValue) -> Self {
        Self {
            reason: error.to_string(),
            wording: Some(error.wording()),
        }
    }
}

/// A line is not what it should be.
fn no(what: &'static str) -> impl Fn(JsonFault) -> Refused {
    move |fault| Refused {
        reason: format!("{what}: {fault}"),
        wording: Some(fault.wording()),
    }
}

/// Reads one line.
pub(super) fn read(bytes: &[u8], format: ImportFormat) -> Result<Item, Refused> {
    let bytes = mended(bytes);
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let byte = error.valid_up_to() + 1;
        Refused {
            reason: format!("not UTF-8: byte {byte} is no text"),
            wording: Some(Wording::new("line-not-text", &[("byte", &byte)])),
        }
    })?;
    match format {
        ImportFormat::Export => exported(text),
        ImportFormat::Turns => {
            let line: ConversationTurn = json::read(text).map_err(no("no turn"))?;
            // A line is all there is of a turn: what is not stored would be lost.
            if let Some(field) = line.unknown_fields().next() {
                let (field, known) = (field.to_owned(), TURN_FIELDS.to_owned());
                return Err(no("no turn")(JsonFault::Unknown { field, known }));
            }
            Ok(line.build().map(|turn| Item::Turn(Box::new(turn)))?)
        }
    }
}

/// The fields of a turn.
const TURN_FIELDS: &str =
    "id, session, text, speaker, role, time, reply, tool_calls, attachments, tags, metadata";

fn exported(text: &str) -> Result<Item, Refused> {
    if let Ok(outline) = serde_json::from_str::<Outline>(text) {
        if outline.profile.is_some() {
            return json::read(text)
                .map(Item::Head)
                .map_err(no("no head of an export"));
        }
        let Outline {
            entity,
            merge,
            memory,
            link,
            derivation,
            decision,
            suspicion,
            parted,
            stale,
            work,
            brought,
            extension,
            ..
        } = outline;
        if decision
            .or(suspicion)
            .or(parted)
            .or(stale)
            .or(work)
            .or(brought)
            .or(extension)
            .is_some()
        {
            let line =
                json::read(text).map_err(no("no exported decision, and nothing that waits"))?;
            return Ok(Item::Judged(Box::new(line)));
        }
        if entity
            .or(merge)
            .or(memory)
            .or(link)
            .or(derivation)
            .is_some()
        {
            let line = json::read(text).map_err(no("no part of an exported graph"))?;
            return Ok(Item::Graph(Box::new(line)));
        }
    }
    let line: MemoryLine = json::read(text).map_err(no("no exported memory"))?;
    Ok(Item::Memory(Box::new(line.exported())))
}
