//! What was decided about memories and what waits, in and out of a file: decisions, memories that may contradict each other, entities that were
//! parted, memories that lost a source, work in the queue.

use annals_graph::Merge;
use annals_storage::Reads;
use annals_types::{MemoryId, NamespaceId, Rewrite, Timestamp};
use serde::{Deserialize, Serialize};

use super::import_log;
use crate::Error;
use crate::engine::WriteCx;
use crate::engine::compiled::CompiledProfile;
use crate::engine::decisions::{self, Decided};
use crate::engine::suspicions::{self, Suspected};
use crate::engine::tasks::{Carried, TaskKind};
use crate::engine::{Kept, lessons, parted, stale};

/// A line of an export that tells of a decision or of what waits. Each names memories and entities that lines before it brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum JudgedLine {
    /// What a judge or a person decided about memories, and what it changed.
    Decision { number: u64, decided: Box<Decided> },
    /// Two memories that may contradict each other.
    Suspicion {
        newer: MemoryId,
        older: MemoryId,
        similarity: f64,
        at: Timestamp,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unclear: bool,
    },
    /// A merge that was taken back, with the names of both entities.
    Parted { merge: Merge, names: [String; 2], undone_at: Timestamp },
    /// A memory that lost a source, and since when.
    Stale { id: MemoryId, since: Timestamp },
    /// What waits to be done about a memory.
    Work(Carried),
    /// A turn that an import brought and that was deleted.
    #[serde(rename = "brought")]
    ImportLog(import_log::Carried),
}

/// Tells all of a namespace, in the order of their numbers.
pub(super) fn each(
    reads: &dyn Reads,
    ns: NamespaceId,
    profile: &CompiledProfile,
    sink: &mut dyn FnMut(&JudgedLine) -> Result<(), Error>,
) -> Result<(), Error> {
    for (merge, undone_at) in parted::list(reads, ns)? {
        if let Some(names) = parted::names(reads, ns, &merge)? {
            sink(&JudgedLine::Parted { merge, names, undone_at })?;
        }
    }
    for ((newer, older), Suspected { similarity, at, unclear }) in suspicions::list(reads, ns)? {
        sink(&JudgedLine::Suspicion { newer, older, similarity, at, unclear })?;
    }
    for (number, decided) in decisions::list(reads, ns, None, usize::MAX)?.into_iter().rev() {
        // What callers changed is in the history; taking it back is a matter of this file.
        if decided.is_change() {
            continue;
        }
        let decided = Decided { before: 0, ..decided };
        sink(&JudgedLine::Decision { number, decided: Box::new(decided) })?;
    }
    for id in stale::list(reads, ns)? {
        if let Some(since) = stale::since(reads, ns, id)? {
            sink(&JudgedLine::Stale { id, since })?;
        }
    }
    for carried in TaskKind::carried(reads, ns, profile)? {
        sink(&JudgedLine::Work(carried))?;
    }
    for turn in import_log::Carried::all(reads, ns)? {
        sink(&JudgedLine::ImportLog(turn))?;
    }
    Ok(())
}

impl JudgedLine {
    /// Goes through all texts that it holds.
    pub(super) fn rewrite(&mut self, rewrite: Rewrite<'_>) {
        match self {
            Self::Decision { decided, .. } => decided.rewrite(rewrite),
            Self::Parted { merge, .. } => {
                if let Some(reason) = rewrite(&merge.reason) {
                    merge.reason = reason;
                }
            }
            Self::Suspicion { .. } | Self::Stale { .. } | Self::Work(_) | Self::ImportLog(_) => {}
        }
    }

    /// Stores it where all that it names is there.
    pub(super) fn store(&self, cx: &mut WriteCx<'_, '_>) -> Result<Kept, Error> {
        match self {
            Self::Decision { number, decided } => decisions::restore(cx, *number, Decided::clone(decided)),
            Self::Suspicion { newer, older, similarity, at: since, unclear } => {
                let suspected = Suspected { similarity: *similarity, at: *since, unclear: *unclear };
                suspicions::restore(cx.txn, cx.ns, (*newer, *older), suspected)
            }
            Self::Stale { id, since } => stale::restore(cx.txn, cx.ns, *id, *since),
            Self::Work(carried) => TaskKind::restore(cx, carried),
            Self::ImportLog(turn) => turn.restore(cx.txn, cx.ns),
            Self::Parted { merge, names, undone_at } => {
                let kept = parted::restore(cx.txn, cx.ns, (merge, names), *undone_at)?;
                if let Kept::New(id) = kept {
                    lessons::note(cx.txn, cx.ns, &Merge { id, ..merge.clone() }, *undone_at)?;
                }
                Ok(kept.done())
            }
        }
    }
}
