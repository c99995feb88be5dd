//! Memories as the graph knows them: rows with their states, and what hangs on them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{NamespaceId, Row};

use crate::key::{DERIVED, LINK_IN, LINK_OUT, Parts, SOURCE, SUPPORTS};
use crate::keyspaces::ROWS;
use crate::ledger::{Ledger, Slot};
use crate::record::{LinkRecord, RowRecord, Supports};
use crate::{GraphError, LabelId, StateChange, Support, TripleId, key, value};

/// The rows that a write is about, with the triples that each supports.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    rows: BTreeMap<Row, Slot<RowRecord>>,
    supports: BTreeMap<Row, Slot<Supports>>,
}

impl Roster {
    /// One round of reads.
    pub(crate) fn load(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Self, GraphError> {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows.dedup();
        let places: Vec<[Vec<u8>; 2]> =
            rows.iter().map(|row| [key::row(ns, *row).bytes(), key::row(ns, *row).byte(SUPPORTS).bytes()]).collect();
        let keys: Vec<_> = places.iter().flatten().map(|key| (ROWS, key.as_slice())).collect();
        let mut stored = if keys.is_empty() { Vec::new() } else { reads.multi_get(&keys)? }.into_iter();
        let mut roster = Self::default();
        for (row, [place, supports]) in rows.into_iter().zip(&places) {
            let record: Option<RowRecord> = value::opened(ROWS, place, stored.next().flatten().as_ref())?;
            let list: Option<Supports> = value::opened(ROWS, supports, stored.next().flatten().as_ref())?;
            roster.rows.insert(row, Slot { before: record.clone(), after: record });
            roster.supports.insert(row, Slot { before: list.clone(), after: list });
        }
        Ok(roster)
    }

    /// Makes a row known, unless it is.
    pub(crate) fn introduce(&mut self, row: Row, states: Vec<StateChange>) -> bool {
        let slot = self.rows.entry(row).or_insert(Slot { before: None, after: None });
        if slot.after.is_some() || states.is_empty() {
            return false;
        }
        slot.after = Some(RowRecord { states });
        true
    }

    pub(crate) fn record(&self, row: Row) -> Option<&RowRecord> {
        self.rows.get(&row)?.after.as_ref()
    }

    /// Gives a known row another state; answers the one before when it is another.
    pub(crate) fn change(&mut self, row: Row, change: StateChange) -> Option<Support> {
        let record = self.rows.get_mut(&row)?.after.as_mut()?;
        let before = record.state();
        if before == change.state {
            return None;
        }
        record.states.push(change);
        Some(before)
    }

    /// The triples of a row, in the order they were said.
    pub(crate) fn supported_by(&self, row: Row) -> &[TripleId] {
        let list = self.supports.get(&row).and_then(|slot| slot.after.as_ref());
        list.map(|list| list.0.as_slice()).unwrap_or_default()
    }

    pub(crate) fn supports_mut(&mut self, row: Row) -> &mut Vec<TripleId> {
        let slot = self.supports.entry(row).or_insert(Slot { before: None, after: None });
        &mut slot.after.get_or_insert_default().0
    }

    /// Hands over what changed.
    pub(crate) fn finish(self, ledger: &mut Ledger<'_>) -> Result<(), GraphError> {
        for (row, slot) in self.rows {
            ledger.keep(ROWS, key::row(ledger.ns, row).bytes(), &slot)?;
        }
        for (row, mut slot) in self.supports {
            slot.after = slot.after.filter(|list| !list.0.is_empty());
            ledger.keep(ROWS, key::row(ledger.ns, row).byte(SUPPORTS).bytes(), &slot)?;
        }
        Ok(())
    }
}

/// Makes a memory known with every state it had, the first one from its birth. One that is known is left as it is; answers whether it was
/// not. Needed before linking or deriving a memory of which no triple was stored.
///
/// # Errors
/// When the storage fails.
pub fn introduce(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    states: &[StateChange],
) -> Result<bool, GraphError> {
    let mut roster = Roster::load(txn, ns, &[row])?;
    let new = roster.introduce(row, states.to_vec());
    let mut ledger = Ledger::open(txn, ns)?;
    roster.finish(&mut ledger)?;
    ledger.finish()?.write(txn)?;
    Ok(new)
}

/// The states of some memories, in the order asked; `None` for those that the graph does not know. One round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn states(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Option<Vec<StateChange>>>, GraphError> {
    Ok(records(reads, ns, rows)?.into_iter().map(|record| record.map(|record| record.states)).collect())
}

pub(crate) fn records(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Option<RowRecord>>, GraphError> {
    let keys: Vec<Vec<u8>> = rows.iter().map(|row| key::row(ns, *row).bytes()).collect();
    value::all(reads, ROWS, &keys)
}

/// The place of a link at one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkEnd {
    pub(crate) row: Row,
    pub(crate) leaves: bool,
    pub(crate) relation: LabelId,
    pub(crate) other: Row,
}

impl LinkEnd {
    pub(crate) fn key(self, ns: NamespaceId) -> Vec<u8> {
        let tag = if self.leaves { LINK_OUT } else { LINK_IN };
        key::row(ns, self.row).byte(tag).number(self.relation.0).number(self.other.0).bytes()
    }

    /// The same link seen from the other end.
    pub(crate) fn turned(self) -> Self {
        Self { row: self.other, other: self.row, leaves: !self.leaves, relation: self.relation }
    }

    pub(crate) fn parse(key: &[u8]) -> Option<Self> {
        let mut parts = Parts::behind_namespace(key);
        let row = Row(parts.number()?);
        let leaves = match parts.byte()? {
            LINK_OUT => true,
            LINK_IN => false,
            _ => return None,
        };
        let end = Self { row, leaves, relation: LabelId(parts.number()?), other: Row(parts.number()?) };
        parts.ended().then_some(end)
    }
}

/// Everything that hangs on a row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Member {
    pub(crate) record: Option<RowRecord>,
    pub(crate) supports: Vec<TripleId>,
    pub(crate) links: Vec<(LinkEnd, LinkRecord)>,
    pub(crate) sources: Vec<Row>,
    pub(crate) derived: Vec<Row>,
    /// Every key that a row has.
    pub(crate) keys: Vec<Vec<u8>>,
}

/// Reads everything that hangs on some rows; one round.
pub(crate) fn members(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Member>, GraphError> {
    let mut members = vec![Member::default(); rows.len()];
    let ranges: Vec<KeyRange> = rows.iter().map(|row| key::row(ns, *row).range(ROWS)).collect();
    value::scan(reads, &ranges, &mut |range, key, version, body| {
        let Some(member) = members.get_mut(range) else { return Ok(ControlFlow::Break(())) };
        member.keys.push(key.to_vec());
        member.read(key, version, body)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(members)
}

impl Member {
    fn read(&mut self, key: &[u8], version: u8, body: &[u8]) -> Result<(), GraphError> {
        let unknown = || GraphError::damaged(ROWS, key, "the key has an unknown form");
        let mut parts = Parts::behind_namespace(key);
        parts.number().ok_or_else(unknown)?;
        if parts.ended() {
            self.record = Some(value::decode(ROWS, key, version, body)?);
            return Ok(());
        }
        match parts.byte() {
            Some(SUPPORTS) => self.supports = value::decode::<Supports>(ROWS, key, version, body)?.0,
            Some(LINK_OUT | LINK_IN) => {
                let end = LinkEnd::parse(key).ok_or_else(unknown)?;
                self.links.push((end, value::decode(ROWS, key, version, body)?));
            }
            Some(SOURCE) => self.sources.push(Row(parts.number().ok_or_else(unknown)?)),
            Some(DERIVED) => self.derived.push(Row(parts.number().ok_or_else(unknown)?)),
            _ => return Err(unknown()),
        }
        Ok(())
    }
}
