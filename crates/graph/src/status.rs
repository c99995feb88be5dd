//! Memories that fall asleep and wake.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::ledger::Ledger;
use crate::roster::{self, Roster};
use crate::{Effects, GraphError, Link, StateChange, Support, TripleId};

/// The effect of a change of state. Numbers only; each list rises.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StatusChanged {
    /// Rows whose state changed.
    pub rows: Vec<Row>,
    /// Triples that fell asleep or woke.
    pub effects: Effects,
    /// Links that fell asleep.
    pub links_slept: Vec<Link>,
    /// Links that woke.
    pub links_woken: Vec<Link>,
}

/// The effect that [`status_changed`] would have, without changing anything.
///
/// # Errors
/// When the storage fails.
pub fn plan_status(
    reads: &dyn Reads,
    ns: NamespaceId,
    now: Timestamp,
    rows: &[Row],
    state: Support,
) -> Result<StatusChanged, GraphError> {
    Ledger::open(reads, ns)?.change_states(rows, StateChange { time: now, state })
}

/// Gives memories another state. Rows that the graph does not know say nothing and are passed over.
///
/// # Errors
/// When the storage fails.
pub fn status_changed(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    rows: &[Row],
    state: Support,
) -> Result<StatusChanged, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let changed = ledger.change_states(rows, StateChange { time: now, state })?;
    ledger.finish()?.write(txn)?;
    Ok(changed)
}

impl Ledger<'_> {
    fn change_states(
        &mut self,
        rows: &[Row],
        change: StateChange,
    ) -> Result<StatusChanged, GraphError> {
        let mut roster = Roster::load(self.reads, self.ns, rows)?;
        let changed = self.change_rows(&mut roster, rows, change)?;
        let (links_slept, links_woken) = self.link_changes(&roster, &changed)?;
        roster.finish(self)?;
        self.settle()?;
        let effects = Effects::of(self);
        Ok(StatusChanged {
            rows: changed.into_iter().map(|(row, _)| row).collect(),
            effects,
            links_slept,
            links_woken,
        })
    }

    /// Changes states and counts of support; answers which rows changed, and whether they
    /// supported before. Not settled yet.
    pub(crate) fn change_rows(
        &mut self,
        roster: &mut Roster,
        rows: &[Row],
        change: StateChange,
    ) -> Result<Vec<(Row, bool)>, GraphError> {
        let rows: BTreeSet<Row> = rows.iter().copied().collect();
        let mut changed = Vec::new();
        for row in rows {
            if let Some(before) = roster.change(row, change) {
                changed.push((row, before.supports()));
            }
        }
        let flips = |changed: &(Row, bool)| changed.1 != change.state.supports();
        let flipped: Vec<Row> = changed
            .iter()
            .filter(|c| flips(c))
            .map(|(row, _)| *row)
            .collect();
        let triples: Vec<TripleId> = flipped
            .iter()
            .flat_map(|row| roster.supported_by(*row))
            .copied()
            .collect();
        self.load_triples(triples.iter().copied())?;
        for id in triples {
            let wrong = self.no_support(id);
            let record = self.triple(id)?;
            let supports = change.state.supports();
            record.supported = match supports {
                true => record.supported + 1,
                false => record.supported.checked_sub(1).ok_or(wrong)?,
            };
        }
        Ok(changed)
    }

    fn no_support(&self, id: TripleId) -> GraphError {
        crate::tables::TRIPLES
            .damaged((self.ns, id), "the counts of evidence are wrong")
            .into()
    }

    /// The links that fell asleep and woke: both ends were awake before, or are now.
    fn link_changes(
        &self,
        roster: &Roster,
        changed: &[(Row, bool)],
    ) -> Result<(Vec<Link>, Vec<Link>), GraphError> {
        let rows: Vec<Row> = changed.iter().map(|(row, _)| *row).collect();
        let members = roster::members(self.reads, self.ns, &rows)?;
        let ends: Vec<_> = members
            .iter()
            .flat_map(|member| member.links.iter().map(|(end, _)| *end))
            .collect();
        let others: Vec<Row> = ends.iter().map(|end| end.other).collect();
        let records = roster::records(self.reads, self.ns, &others)?;
        let now = |row: Row| roster.record(row).map(|record| record.supports());
        let earlier: BTreeMap<Row, bool> = changed.iter().copied().collect();
        let before = |row: Row| earlier.get(&row).copied();
        let (mut slept, mut woken) = (BTreeSet::new(), BTreeSet::new());
        for (end, other) in ends.into_iter().zip(records) {
            let other = other.is_some_and(|record| record.supports());
            let was = before(end.row).unwrap_or(false) && before(end.other).unwrap_or(other);
            let is = now(end.row).unwrap_or(false) && now(end.other).unwrap_or(other);
            match (was, is) {
                (true, false) => slept.insert(Link::of(end)),
                (false, true) => woken.insert(Link::of(end)),
                _ => continue,
            };
        }
        Ok((slept.into_iter().collect(), woken.into_iter().collect()))
    }
}
