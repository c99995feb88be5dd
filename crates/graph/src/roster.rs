//! Memories as the graph knows them: rows with their states, and what hangs on them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::table::{MultiGet, RawRow, scan_rows};
use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{NamespaceId, Row};

use crate::ledger::{Ledger, Slot};
use crate::record::{LinkRecord, RowRecord, Supports};
use crate::tables::{DERIVED, LINKS, ROWS, SOURCES, SUPPORTS, Side};
use crate::{GraphError, LabelId, StateChange, Support, TripleId};

/// The rows that a write is about, with the triples that each supports.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    rows: BTreeMap<Row, Slot<RowRecord>>,
    supports: BTreeMap<Row, Slot<Supports>>,
}

impl Roster {
    /// One round of reads.
    pub(crate) fn load(
        reads: &dyn Reads,
        ns: NamespaceId,
        rows: &[Row],
    ) -> Result<Self, GraphError> {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows.dedup();
        let mut round = MultiGet::default();
        let asked: Vec<_> = rows
            .iter()
            .map(|row| {
                (
                    round.add(&ROWS, (ns, *row)),
                    round.add(&SUPPORTS, (ns, *row, ())),
                )
            })
            .collect();
        let found = round.read(reads)?;
        let mut roster = Self::default();
        for (row, (record, list)) in rows.into_iter().zip(&asked) {
            let (record, list) = (found.get(record)?, found.get(list)?);
            roster.rows.insert(
                row,
                Slot {
                    before: record.clone(),
                    after: record,
                },
            );
            roster.supports.insert(
                row,
                Slot {
                    before: list.clone(),
                    after: list,
                },
            );
        }
        Ok(roster)
    }

    /// Makes a row known, unless it is.
    pub(crate) fn introduce(&mut self, row: Row, states: Vec<StateChange>) -> bool {
        let slot = self.rows.entry(row).or_insert(Slot {
            before: None,
            after: None,
        });
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
        let slot = self.supports.entry(row).or_insert(Slot {
            before: None,
            after: None,
        });
        &mut slot.after.get_or_insert_default().0
    }

    /// Hands over what changed.
    pub(crate) fn finish(self, ledger: &mut Ledger<'_>) -> Result<(), GraphError> {
        for (row, slot) in self.rows {
            ledger.keep(&ROWS, (ledger.ns, row), &slot)?;
        }
        for (row, mut slot) in self.supports {
            slot.after = slot.after.filter(|list| !list.0.is_empty());
            ledger.keep(&SUPPORTS, (ledger.ns, row, ()), &slot)?;
        }
        Ok(())
    }
}

/// Makes a memory known with every state it had, the first one from its birth. One that is known
/// is left as it is; answers whether it was not. Needed before linking or deriving a memory of
/// which no triple was stored.
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

/// The states of some memories, in the order asked; `None` for those that the graph does not know.
/// One round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn states(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Option<Vec<StateChange>>>, GraphError> {
    Ok(records(reads, ns, rows)?
        .into_iter()
        .map(|record| record.map(|record| record.states))
        .collect())
}

pub(crate) fn records(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Option<RowRecord>>, GraphError> {
    Ok(ROWS.get_many(reads, rows.iter().map(|row| (ns, *row)))?)
}

/// The place of a link at one of its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LinkEnd {
    pub(crate) row: Row,
    pub(crate) leaves: bool,
    pub(crate) relation: LabelId,
    pub(crate) other: Row,
}

/// A key of [`LINKS`].
type LinkKey = (NamespaceId, Row, Side, LabelId, Row);

impl LinkEnd {
    pub(crate) const fn key(self, ns: NamespaceId) -> (NamespaceId, Row, Side, LabelId, Row) {
        let side = if self.leaves { Side::Out } else { Side::In };
        (ns, self.row, side, self.relation, self.other)
    }

    /// The same link seen from the other end.
    pub(crate) fn turned(self) -> Self {
        Self {
            row: self.other,
            other: self.row,
            leaves: !self.leaves,
            relation: self.relation,
        }
    }

    /// Of a key of [`LINKS`].
    pub(crate) fn of(key: LinkKey) -> Self {
        let (_, row, side, relation, other) = key;
        Self {
            row,
            leaves: side == Side::Out,
            relation,
            other,
        }
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
pub(crate) fn members(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Member>, GraphError> {
    let mut members = vec![Member::default(); rows.len()];
    let ranges: Vec<KeyRange> = rows
        .iter()
        .map(|row| ROWS.within((ns, *row)).into())
        .collect();
    scan_rows(reads, &ranges, |range, row| {
        let Some(member) = members.get_mut(range) else {
            return Ok(ControlFlow::Break(()));
        };
        member.keys.push(row.key.to_vec());
        member.read(&row)?;
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    Ok(members)
}

impl Member {
    fn read(&mut self, row: &RawRow<'_>) -> Result<(), GraphError> {
        if let Some((_, record)) = ROWS.read(row)? {
            self.record = Some(record);
        } else if let Some((_, list)) = SUPPORTS.read(row)? {
            self.supports = list.0;
        } else if let Some((key, record)) = LINKS.read(row)? {
            self.links.push((LinkEnd::of(key), record));
        } else if let Some(((.., source), ())) = SOURCES.read(row)? {
            self.sources.push(source);
        } else if let Some(((.., derived), ())) = DERIVED.read(row)? {
            self.derived.push(derived);
        } else {
            return Err(row.unknown().into());
        }
        Ok(())
    }
}
