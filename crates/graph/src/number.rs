//! Which numbers are given and which are in use. A file that is imported brings numbers of its own,
//! and may name any: they never stand for a size.

use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_storage::table::scan_rows;
use annals_types::NamespaceId;

use crate::ledger::Ledger;
use crate::record::EntityRecord;
use crate::tables::{ENTITIES, MERGES, TRIPLES};
use crate::{EntityId, GraphError, MergeId, TripleId};

/// A number that an import brings from here on is kept, but the next one of the namespace does not
/// follow it: otherwise one line with the last number would leave none for anything new.
pub(crate) const FAR: u32 = 1 << 31;

/// The most numbers that are asked for in one round.
const MOST: u32 = 512;

/// The next number of a namespace that is brought one.
pub(crate) fn next_after(next: u32, brought: u32) -> u32 {
    if brought < FAR {
        next.max(brought.saturating_add(1))
    } else {
        next
    }
}

impl Ledger<'_> {
    /// The number of an entity that is made here.
    pub(crate) fn give_entity(&mut self) -> Result<EntityId, GraphError> {
        loop {
            let id = EntityId(self.head.next_entity);
            self.head.next_entity = id.0.checked_add(1).ok_or_else(|| self.full("entities"))?;
            // Below, no import was ahead of the next number.
            let new = id.0 < FAR
                || !(self
                    .entities
                    .get(&id)
                    .is_some_and(|slot| slot.after.is_some())
                    || ENTITIES.contains(self.reads, (self.ns, id))?);
            if new {
                return Ok(id);
            }
        }
    }

    /// The number of a triple that is made here.
    pub(crate) fn give_triple(&mut self) -> Result<TripleId, GraphError> {
        loop {
            let id = TripleId(self.head.next_triple);
            self.head.next_triple = id.0.checked_add(1).ok_or_else(|| self.full("triples"))?;
            let new = id.0 < FAR
                || !(self
                    .triples
                    .get(&id)
                    .is_some_and(|slot| slot.after.is_some())
                    || TRIPLES.contains(self.reads, (self.ns, id))?);
            if new {
                return Ok(id);
            }
        }
    }

    /// The number of a merge that is made here.
    pub(crate) fn give_merge(&mut self) -> Result<MergeId, GraphError> {
        loop {
            let id = MergeId(self.head.next_merge);
            self.head.next_merge = id.0.checked_add(1).ok_or_else(|| self.full("merges"))?;
            if id.0 < FAR || !MERGES.contains(self.reads, (self.ns, id))? {
                return Ok(id);
            }
        }
    }
}

/// At most `limit` entities behind `after`, by their numbers. Takes as many reads as there are
/// entities, however far their numbers are apart.
pub(crate) fn entity_records(
    reads: &dyn Reads,
    ns: NamespaceId,
    after: Option<EntityId>,
    limit: usize,
) -> Result<Vec<(EntityId, EntityRecord)>, GraphError> {
    let mut found = Vec::new();
    let mut next = after.map_or(Some(0), |id| id.0.checked_add(1));
    let mut step = MOST;
    while let Some(first) = next
        && found.len() < limit
    {
        let last = first.saturating_add(step - 1);
        let records = ENTITIES.get_many(reads, (first..=last).map(|id| (ns, EntityId(id))))?;
        let before = found.len();
        let numbered = (first..=last).zip(records);
        found.extend(numbered.filter_map(|(id, record)| Some((EntityId(id), record?))));
        let there = u32::try_from(found.len() - before).unwrap_or(step);
        next = last.checked_add(1);
        if there < step / 2 || there == 0 {
            // Numbers are far apart here.
            next = first_from(reads, ns, next)?;
            step = (2 * there).clamp(1, MOST);
        } else {
            step = (2 * step).min(MOST);
        }
    }
    found.truncate(limit);
    Ok(found)
}

/// The first number in use from one on.
fn first_from(
    reads: &dyn Reads,
    ns: NamespaceId,
    from: Option<u32>,
) -> Result<Option<u32>, GraphError> {
    let Some(from) = from else { return Ok(None) };
    let mut first = None;
    scan_rows(
        reads,
        &[ENTITIES.within(ns).from((ns, EntityId(from))).into()],
        |_, row| {
            // Edges stand behind their entity: its key is the beginning of theirs.
            let entity = row.key.get(..8).and_then(|key| ENTITIES.parse(key));
            first = entity.map(|(_, id)| id.0);
            if first.is_none() {
                Err(row.unknown().into())
            } else {
                Ok::<_, GraphError>(ControlFlow::Break(()))
            }
        },
    )?;
    Ok(first)
}
