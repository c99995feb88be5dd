//! Decisions and waiting matters, in and out of a file: decisions, memories that may contradict
//! each other, entities that were parted, memories that lost a source, tasks in the queue.

use annals_graph::Merge;
use annals_storage::Reads;
use annals_types::{MemoryId, NamespaceId, Rewrite, Timestamp};
use serde::{Deserialize, Serialize};

use crate::import_log;
use annals_engine::Error;
use annals_engine::compiled::CompiledProfile;
use annals_engine::decisions::{self, Decided};
use annals_engine::extension::Extensions;
pub(super) use annals_engine::jobs::tasks::{Carried, TaskKind};
use annals_engine::suspicions::{self, Suspected};
use annals_engine::{Kept, WriteCx, lessons, parted, stale};

/// A line of an export that tells of a decision or of a waiting matter. Each names memories and
/// entities that lines before it brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum JudgedLine {
    /// A decision of a judge or a person about memories, and what it changed.
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
    Parted {
        merge: Merge,
        names: [String; 2],
        undone_at: Timestamp,
    },
    /// A memory that lost a source, and since when.
    Stale { id: MemoryId, since: Timestamp },
    /// A task that waits for a memory.
    Work(Carried),
    /// A row of an extension.
    Extension {
        name: String,
        row: serde_json::Value,
    },
    /// A turn that an import brought and that was deleted.
    #[serde(rename = "brought")]
    ImportLog(import_log::Carried),
}

/// Tells all of a namespace, in the order of their numbers.
pub(super) fn each(
    reads: &dyn Reads,
    ns: NamespaceId,
    profile: &CompiledProfile,
    extensions: &Extensions,
    sink: &mut dyn FnMut(&JudgedLine) -> Result<(), Error>,
) -> Result<(), Error> {
    for (merge, undone_at) in parted::list(reads, ns)? {
        if let Some(names) = parted::names(reads, ns, &merge)? {
            sink(&JudgedLine::Parted {
                merge,
                names,
                undone_at,
            })?;
        }
    }
    for (
        (newer, older),
        Suspected {
            similarity,
            at,
            unclear,
        },
    ) in suspicions::list(reads, ns)?
    {
        sink(&JudgedLine::Suspicion {
            newer,
            older,
            similarity,
            at,
            unclear,
        })?;
    }
    for (number, decided) in decisions::list(reads, ns, None, usize::MAX)?
        .into_iter()
        .rev()
    {
        // Changes by callers are in the history; taking them back is a matter of this file.
        if decided.is_change() {
            continue;
        }
        let decided = Decided {
            before: 0,
            ..decided
        };
        sink(&JudgedLine::Decision {
            number,
            decided: Box::new(decided),
        })?;
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
    for extension in extensions.all() {
        let name = extension.name();
        extension.export(reads, ns, &mut |row| {
            sink(&JudgedLine::Extension {
                name: name.to_owned(),
                row,
            })
        })?;
    }
    Ok(())
}

impl JudgedLine {
    /// The field by which its kind is told.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Decision { .. } => "decision",
            Self::Suspicion { .. } => "suspicion",
            Self::Parted { .. } => "parted",
            Self::Stale { .. } => "stale",
            Self::Work(_) => "work",
            Self::Extension { .. } => "extension",
            Self::ImportLog(_) => "brought",
        }
    }

    /// Goes through all texts that it holds.
    pub(super) fn rewrite(&mut self, extensions: &Extensions, rewrite: Rewrite<'_>) {
        match self {
            Self::Decision { decided, .. } => decided.rewrite(extensions, rewrite),
            Self::Parted { merge, .. } => {
                if let Some(reason) = rewrite(&merge.reason) {
                    merge.reason = reason;
                }
            }
            Self::Extension { name, row } => extensions.rewrite(name, row, rewrite),
            Self::Suspicion { .. } | Self::Stale { .. } | Self::Work(_) | Self::ImportLog(_) => {}
        }
    }

    /// Stores it where all that it names is there.
    pub(super) fn store(&self, cx: &mut WriteCx<'_, '_>) -> Result<Kept, Error> {
        match self {
            Self::Decision { number, decided } => {
                decisions::restore(cx, *number, Decided::clone(decided))
            }
            Self::Suspicion {
                newer,
                older,
                similarity,
                at: since,
                unclear,
            } => {
                let suspected = Suspected {
                    similarity: *similarity,
                    at: *since,
                    unclear: *unclear,
                };
                suspicions::restore(cx.txn, cx.ns, (*newer, *older), suspected)
            }
            Self::Stale { id, since } => stale::restore(cx.txn, cx.ns, *id, *since),
            Self::Work(carried) => TaskKind::restore(cx, carried),
            Self::ImportLog(turn) => turn.restore(cx.txn, cx.ns),
            Self::Extension { name, row } => cx.extensions.import(cx, name, row),
            Self::Parted {
                merge,
                names,
                undone_at,
            } => {
                let kept = parted::restore(cx.txn, cx.ns, (merge, names), *undone_at)?;
                if let Kept::New(id) = kept {
                    lessons::note(
                        cx.txn,
                        cx.ns,
                        &Merge {
                            id,
                            ..merge.clone()
                        },
                        *undone_at,
                    )?;
                }
                Ok(kept.done())
            }
        }
    }
}
