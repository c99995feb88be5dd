//! Lines of an export, and lines as memories.

use annals_graph::DumpLine;
use annals_lifecycle::SavedState;
use annals_records::{Chronicle, Version};
use annals_types::{Label, MemoryId, NewMemory, Timestamp};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::ImportFormat;
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
        let Chronicle { id, supersedes, revisions } = chronicle;
        Self { id, supersedes, revisions, life }
    }

    /// How many texts it had.
    pub(super) fn texts(&self) -> u64 {
        u64::try_from(self.revisions.len()).unwrap_or(u64::MAX)
    }

    fn exported(self) -> ExportedMemory {
        let Self { id, supersedes, revisions, life } = self;
        ExportedMemory { chronicle: Chronicle { id, supersedes, revisions }, life }
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

/// Reads one line.
pub(super) fn read(bytes: &[u8], format: ImportFormat) -> Result<Item, String> {
    let bytes = mended(bytes);
    let text =
        std::str::from_utf8(&bytes).map_err(|e| format!("not UTF-8: byte {} is no text", e.valid_up_to() + 1))?;
    match format {
        ImportFormat::Export => exported(text),
        ImportFormat::Turns => {
            let line: ConversationTurn = serde_json::from_str(text).map_err(|e| format!("no turn: {e}"))?;
            // A line is all there is of a turn: what is not stored would be lost.
            if let Some(field) = line.unknown_fields().next() {
                return Err(format!(
                    "no turn: unknown field {field:?}; known are id, session, text, speaker, role, time, \
                     reply, tool_calls, tags, metadata"
                ));
            }
            line.build().map(|turn| Item::Turn(Box::new(turn)))
        }
    }
}

fn exported(text: &str) -> Result<Item, String> {
    if let Ok(outline) = serde_json::from_str::<Outline>(text) {
        if outline.profile.is_some() {
            return serde_json::from_str(text).map(Item::Head).map_err(|e| format!("no head of an export: {e}"));
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
        if decision.or(suspicion).or(parted).or(stale).or(work).or(brought).or(extension).is_some() {
            let line =
                serde_json::from_str(text).map_err(|e| format!("no exported decision, and nothing that waits: {e}"))?;
            return Ok(Item::Judged(Box::new(line)));
        }
        if entity.or(merge).or(memory).or(link).or(derivation).is_some() {
            let line = serde_json::from_str(text).map_err(|e| format!("no part of an exported graph: {e}"))?;
            return Ok(Item::Graph(Box::new(line)));
        }
    }
    let line: MemoryLine = serde_json::from_str(text).map_err(|e| format!("no exported memory: {e}"))?;
    Ok(Item::Memory(Box::new(line.exported())))
}
