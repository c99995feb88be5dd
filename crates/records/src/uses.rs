use std::collections::BTreeMap;

use annals_storage::{Keyspace, Reads, Transaction};
use annals_types::{MemoryId, NamespaceId, Row, Timestamp};

use crate::delta::Change;
use crate::ids::IdEntry;
use crate::keyspaces::{IDS, USES};
use crate::value::{self, Value};
use crate::wire::{Broken, Put, Take};
use crate::work::{Wanted, Work};
use crate::{RecordError, Written, key};

/// How often a memory was of use, as far as that was reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uses {
    /// Reports so far.
    pub count: u32,
    /// When the last one came.
    pub last: Timestamp,
}

impl Value for Uses {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(12);
        put.varint(u64::from(self.count));
        put.zigzag(self.last.as_millis());
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let uses = Self { count: take.varint32()?, last: Timestamp::from_millis(take.zigzag()?) };
        take.end()?;
        Ok(uses)
    }
}

/// The uses of a row; `None` when none was reported.
///
/// # Errors
/// When they cannot be read.
pub fn uses(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Option<Uses>, RecordError> {
    value::get(reads, USES, &key::row(ns, row))
}

/// Counts one use of each of some memories; an id that is named twice counts twice. Text and history stay as they are, and
/// nothing is written to the event log.
///
/// # Errors
/// [`RecordError::NotFound`], naming the first id that does not exist.
pub fn touch(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    ids: &[MemoryId],
) -> Result<Written<Vec<(MemoryId, Uses)>>, RecordError> {
    let mut counts: BTreeMap<MemoryId, u32> = BTreeMap::new();
    ids.iter().for_each(|id| *counts.entry(*id).or_default() += 1);
    let wanted: Vec<Wanted> = counts.keys().map(|id| (IDS, key::id(ns, *id).to_vec())).collect();
    let (mut work, found) = Work::begin(txn, (ns, now), std::iter::empty(), &wanted)?;
    let mut rows = Vec::with_capacity(counts.len());
    for ((id, (_, key)), stored) in counts.keys().zip(&wanted).zip(&found) {
        let entry: Option<IdEntry> = value::opened(IDS, key, stored.as_ref())?;
        rows.push(entry.ok_or(RecordError::NotFound { id: *id })?.current);
    }
    let keys: Vec<[u8; 8]> = rows.iter().map(|row| key::row(ns, *row)).collect();
    let asked: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (USES, key.as_slice())).collect();
    let stored = work.txn.multi_get(&asked)?;
    let mut touched = Vec::with_capacity(rows.len());
    for (((id, count), row), (key, stored)) in counts.iter().zip(&rows).zip(keys.iter().zip(&stored)) {
        let before: Option<Uses> = value::opened(USES, key, stored.as_ref())?;
        let uses = Uses { count: before.map_or(0, |uses| uses.count).saturating_add(*count), last: now };
        work.used(*row, uses)?;
        touched.push((*id, uses));
    }
    work.finish(touched, None)
}

impl Work<'_, '_> {
    /// Writes the uses of a row.
    pub(crate) fn used(&mut self, row: Row, uses: Uses) -> Result<(), RecordError> {
        value::put(self.txn, USES, &key::row(self.ns, row), &uses)?;
        self.change(Change::Used { row, count: uses.count });
        Ok(())
    }

    /// Lets the row that takes another one's place go on with its uses.
    pub(crate) fn pass_uses(&mut self, from: Row, to: Row) -> Result<(), RecordError> {
        match uses(&*self.txn, self.ns, from)? {
            Some(uses) => self.used(to, uses),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let uses = Uses { count: 300, last: Timestamp::from_millis(-3) };
        assert_eq!(uses.encode(), [0xAC, 2, 5]);
        assert_eq!(Uses::decode(1, &uses.encode()).ok(), Some(uses));
        assert!(Uses::decode(1, &[1]).is_err());
    }
}
