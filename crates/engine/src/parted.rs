//! Entities that somebody took apart: no job makes them one again.

use std::collections::BTreeSet;

use annals_graph::{Entity, EntityId, Merge, MergeId};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::Kept;
use crate::json::Json;

/// Merges that were taken back. Entities by their numbers: their names go with them.
pub(crate) const PARTED: Table<(NamespaceId, MergeId), Json<Parted>> = Table::new("annals.parted");

/// A merge that was taken back, as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parted {
    pub(crate) source: EntityId,
    pub(crate) target: EntityId,
    pub(crate) at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) similarity: Option<f64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    pub(crate) undone_at: Timestamp,
}

/// Takes note of a merge that was taken back.
pub fn note(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    merge: &Merge,
    now: Timestamp,
) -> Result<(), Error> {
    let Merge {
        id,
        source,
        target,
        time,
        similarity,
        reason,
    } = merge.clone();
    let parted = Parted {
        source,
        target,
        at: time,
        similarity,
        reason,
        undone_at: now,
    };
    Ok(PARTED.put(txn, (ns, id), &parted)?)
}

/// The merges that were taken back, each with the moment of that, the oldest first.
pub fn list(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(Merge, Timestamp)>, Error> {
    let read = |((_, id), parted): ((_, MergeId), Parted)| {
        let Parted {
            source,
            target,
            at,
            similarity,
            reason,
            undone_at,
        } = parted;
        (
            Merge {
                id,
                source,
                target,
                time: at,
                similarity,
                reason,
            },
            undone_at,
        )
    };
    Ok(PARTED
        .rows(reads, PARTED.within(ns), usize::MAX)?
        .into_iter()
        .map(read)
        .collect())
}

/// Drops what was noted of merges whose entities are gone: their reasons may name these.
pub fn sweep(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
    for (merge, _) in list(&*txn, ns)? {
        if names(&*txn, ns, &merge)?.is_none() {
            PARTED.delete(txn, (ns, merge.id))?;
        }
    }
    Ok(())
}

/// The names of the entities of a merge that was taken back; `None` where one of them is gone.
pub fn names(
    reads: &dyn Reads,
    ns: NamespaceId,
    merge: &Merge,
) -> Result<Option<[String; 2]>, Error> {
    let found = annals_graph::entities(reads, ns, &[merge.source, merge.target])?;
    let [Some(source), Some(target)] = found.as_slice() else {
        return Ok(None);
    };
    Ok(Some([source.name.clone(), target.name.clone()]))
}

/// Takes note of a merge that was taken back in another file, where both entities came along. It
/// keeps its number, or gets one that no merge here has.
pub fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    (merge, named): (&Merge, &[String; 2]),
    undone_at: Timestamp,
) -> Result<Kept<MergeId>, Error> {
    if names(&*txn, ns, merge)?.as_ref() != Some(named) {
        return Ok(Kept::LeftOut);
    }
    let there = list(&*txn, ns)?;
    let same = |(known, at): &(Merge, Timestamp)| {
        *at == undone_at
            && Merge {
                id: merge.id,
                ..known.clone()
            } == *merge
    };
    if there.iter().any(same) {
        return Ok(Kept::There);
    }
    let taken = there.iter().any(|(known, _)| known.id == merge.id)
        || annals_graph::merges(&*txn, ns)?
            .iter()
            .any(|known| known.id == merge.id);
    let id = annals_graph::reserve_merge(txn, ns, Some(merge.id).filter(|_| !taken))?;
    note(
        txn,
        ns,
        &Merge {
            id,
            ..merge.clone()
        },
        undone_at,
    )?;
    Ok(Kept::New(id))
}

/// Entities that stay two: those whose names are one by their numbers, all others by their names,
/// as these are compared.
#[derive(Debug, Clone, Default)]
pub struct Apart {
    namesakes: BTreeSet<(EntityId, EntityId)>,
    names: BTreeSet<(String, String)>,
}

impl Apart {
    /// The entities of a namespace that were taken apart and not merged again since.
    pub fn read(reads: &dyn Reads, ns: NamespaceId) -> Result<Self, Error> {
        let parted = list(reads, ns)?;
        let ends: Vec<EntityId> = parted
            .iter()
            .flat_map(|(merge, _)| [merge.source, merge.target])
            .collect();
        let found = annals_graph::entities(reads, ns, &ends)?;
        let roots = annals_graph::survivors(reads, ns, &ends)?;
        let (found, _) = found.as_chunks::<2>();
        let (roots, _) = roots.as_chunks::<2>();
        let mut apart = Self::default();
        for (named, roots) in found.iter().zip(roots) {
            let ([Some(one), Some(other)], [Some(a), Some(b)]) = (named, roots) else {
                continue;
            };
            if a == b {
                continue;
            }
            let names = pair(
                annals_language::names::normalise(&one.name),
                annals_language::names::normalise(&other.name),
            );
            if names.0 == names.1 {
                apart.namesakes.insert(pair(*a, *b));
            } else {
                apart.names.insert(names);
            }
        }
        Ok(apart)
    }

    /// Whether somebody took these entities, or others of their names, apart.
    pub fn are(&self, one: &Entity, other: &Entity) -> bool {
        if self.namesakes.contains(&pair(one.id, other.id)) {
            return true;
        }
        !self.names.is_empty()
            && self.names.contains(&pair(
                annals_language::names::normalise(&one.name),
                annals_language::names::normalise(&other.name),
            ))
    }
}

fn pair<T: Ord>(one: T, other: T) -> (T, T) {
    if one <= other {
        (one, other)
    } else {
        (other, one)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_order() {
        assert_eq!(pair(2, 1), pair(1, 2));
    }
}
