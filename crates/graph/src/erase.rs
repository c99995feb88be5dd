//! Hard deletion of memories, and what goes with them.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row};
use serde::{Deserialize, Serialize};

use crate::keyspaces::{ROWS, TRIPLES};
use crate::ledger::Ledger;
use crate::roster::{LinkEnd, Member, members};
use crate::{Effects, GraphError, Link, TripleId, key};

/// What the graph cannot know about memories that were derived from others.
pub trait Provenance {
    /// Whether a derived memory stays without any source, because a person verified or edited it.
    ///
    /// # Errors
    /// When it cannot be found out; [`GraphError::Caller`] carries errors of other layers.
    fn stands_alone(&self, reads: &dyn Reads, row: Row) -> Result<bool, GraphError>;

    /// All rows of the memory that a row belongs to: they go together.
    ///
    /// # Errors
    /// As above.
    fn revisions(&self, reads: &dyn Reads, row: Row) -> Result<Vec<Row>, GraphError>;

    /// Those of them that say what the memory says now: it stays as long as one of their sources does. Where none of them has any, those of all
    /// rows count.
    ///
    /// # Errors
    /// As above.
    fn saying(&self, reads: &dyn Reads, row: Row) -> Result<Vec<Row>, GraphError> {
        self.revisions(reads, row)
    }
}

/// Each row is a memory of its own, and none stands without its sources.
impl Provenance for () {
    fn stands_alone(&self, _reads: &dyn Reads, _row: Row) -> Result<bool, GraphError> {
        Ok(false)
    }

    fn revisions(&self, _reads: &dyn Reads, row: Row) -> Result<Vec<Row>, GraphError> {
        Ok(vec![row])
    }
}

/// What goes, or would go, when memories are deleted. Numbers only; each list rises.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Erasure {
    /// All rows that go: those asked for, and `derived`.
    pub rows: Vec<Row>,
    /// Rows that go because their last source does.
    pub derived: Vec<Row>,
    /// Rows that lose a source and keep another one: to be derived again.
    pub stale: Vec<Row>,
    /// Rows that lose their last source and stand on their own.
    pub detached: Vec<Row>,
    /// What the rows said: it goes.
    pub evidence: Vec<(TripleId, Row)>,
    /// Triples that lose a supporter and stay as visible as they were.
    pub weakened: Vec<TripleId>,
    /// Links that go.
    pub links: Vec<Link>,
    /// Triples that go or fall asleep, and entities that go.
    pub effects: Effects,
}

/// What [`erase`] would do, without doing it.
///
/// # Errors
/// When the storage fails or `provenance` does.
pub fn plan_erase(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
    provenance: &dyn Provenance,
) -> Result<Erasure, GraphError> {
    let mut ledger = Ledger::open(reads, ns)?;
    ledger.erase(rows, provenance)
}

/// Deletes memories: their evidence, the triples and entities that only they spoke of, their links, and what was derived from them alone,
/// and so on. Rows that the graph does not know have nothing to delete.
///
/// # Errors
/// When the storage fails or `provenance` does.
pub fn erase(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
    provenance: &dyn Provenance,
) -> Result<Erasure, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let erasure = ledger.erase(rows, provenance)?;
    ledger.finish()?.write(txn)?;
    Ok(erasure)
}

/// Rows that go, as far as they are known, and those that lose a source.
#[derive(Default)]
struct Closure {
    going: BTreeMap<Row, Member>,
    touched: BTreeMap<Row, Member>,
    derived: BTreeSet<Row>,
    detached: BTreeSet<Row>,
}

impl Closure {
    fn find(ledger: &Ledger<'_>, rows: &[Row], provenance: &dyn Provenance) -> Result<Self, GraphError> {
        let (reads, ns) = (ledger.reads, ledger.ns);
        let mut closure = Self::default();
        let mut next: BTreeSet<Row> = rows.iter().copied().collect();
        while !next.is_empty() {
            let rows: Vec<Row> = next.iter().copied().collect();
            for (row, member) in rows.iter().zip(members(reads, ns, &rows)?) {
                closure.touched.remove(row);
                closure.detached.remove(row);
                closure.going.insert(*row, member);
            }
            next = closure.orphans(reads, ns, provenance)?;
            closure.derived.extend(&next);
        }
        Ok(closure)
    }

    /// Derived rows that have no source left, with the other rows of their memories.
    fn orphans(
        &mut self,
        reads: &dyn Reads,
        ns: NamespaceId,
        provenance: &dyn Provenance,
    ) -> Result<BTreeSet<Row>, GraphError> {
        let derived = self.going.values().flat_map(|member| member.derived.iter().copied());
        let unseen: BTreeSet<Row> =
            derived.filter(|row| !self.going.contains_key(row) && !self.touched.contains_key(row)).collect();
        let unseen: Vec<Row> = unseen.into_iter().collect();
        self.touched.extend(unseen.iter().copied().zip(members(reads, ns, &unseen)?));
        let mut orphans = BTreeSet::new();
        for (row, member) in &self.touched {
            if self.detached.contains(row) || self.has_source(reads, (ns, *row), member, provenance)? {
                continue;
            }
            if provenance.stands_alone(reads, *row)? {
                self.detached.insert(*row);
            } else {
                orphans.insert(*row);
                orphans.extend(provenance.revisions(reads, *row)?);
            }
        }
        orphans.retain(|row| !self.going.contains_key(row));
        Ok(orphans)
    }

    /// Whether something stays that the memory of a row was derived from: told twice, it goes with the last of both.
    fn has_source(
        &self,
        reads: &dyn Reads,
        (ns, row): (NamespaceId, Row),
        member: &Member,
        provenance: &dyn Provenance,
    ) -> Result<bool, GraphError> {
        let sources = |rows: &[Row]| -> Result<Vec<Row>, GraphError> {
            if rows == [row] {
                return Ok(member.sources.clone());
            }
            Ok(members(reads, ns, rows)?.into_iter().flat_map(|member| member.sources).collect())
        };
        let mut known = sources(&provenance.saying(reads, row)?)?;
        if known.is_empty() {
            known = sources(&provenance.revisions(reads, row)?)?;
        }
        Ok(known.iter().any(|source| !self.going.contains_key(source)))
    }
}

impl Ledger<'_> {
    fn erase(&mut self, rows: &[Row], provenance: &dyn Provenance) -> Result<Erasure, GraphError> {
        let closure = Closure::find(self, rows, provenance)?;
        let mut erasure = Erasure::default();
        self.load_triples(closure.going.values().flat_map(|member| member.supports.iter().copied()))?;
        let mut links = BTreeSet::new();
        for (row, member) in &closure.going {
            let supports = member.record.as_ref().is_some_and(|record| record.supports());
            for triple in &member.supports {
                self.withdraw(*triple, *row, supports)?;
                erasure.evidence.push((*triple, *row));
            }
            for (end, _) in &member.links {
                self.delete(ROWS, end.turned().key(self.ns));
                links.insert(Link::of(*end));
            }
            self.delete_ties(*row, member);
            for key in &member.keys {
                self.delete(ROWS, key.clone());
            }
        }
        self.head.links = self.head.links.saturating_sub(links.len() as u64);
        self.settle()?;
        erasure.evidence.sort_unstable();
        erasure.effects = Effects::of(self);
        let changed: BTreeSet<TripleId> = erasure.effects.gone.iter().chain(&erasure.effects.slept).copied().collect();
        erasure.weakened = self.triples.keys().filter(|id| !changed.contains(id)).copied().collect();
        erasure.links = links.into_iter().collect();
        let left = closure.touched.into_keys().filter(|row| !closure.going.contains_key(row));
        (erasure.detached, erasure.stale) = left.partition(|row| closure.detached.contains(row));
        erasure.derived = closure.derived.into_iter().collect();
        erasure.rows = closure.going.into_keys().collect();
        Ok(erasure)
    }

    /// Takes away what ties other rows to one that goes.
    fn delete_ties(&mut self, row: Row, member: &Member) {
        for source in &member.sources {
            self.delete(ROWS, key::row(self.ns, *source).byte(key::DERIVED).number(row.0).bytes());
        }
        for derived in &member.derived {
            self.delete(ROWS, key::row(self.ns, *derived).byte(key::SOURCE).number(row.0).bytes());
        }
    }

    /// Takes away what a row says about a triple at hand.
    pub(crate) fn withdraw(&mut self, triple: TripleId, row: Row, supports: bool) -> Result<(), GraphError> {
        let place = key::evidence(self.ns, triple, row).bytes();
        let wrong = GraphError::damaged(TRIPLES, &place, "the counts of evidence are wrong");
        let record = self.triple(triple)?;
        let (Some(evidence), Some(supported)) =
            (record.evidence.checked_sub(1), record.supported.checked_sub(u32::from(supports)))
        else {
            return Err(wrong);
        };
        (record.evidence, record.supported) = (evidence, supported);
        if evidence == 0
            && let Some(slot) = self.triples.get_mut(&triple)
        {
            slot.after = None;
        }
        self.head.evidence = self.head.evidence.saturating_sub(1);
        self.delete(TRIPLES, place);
        Ok(())
    }
}

impl Link {
    pub(crate) fn of(end: LinkEnd) -> Self {
        let (from, to) = if end.leaves { (end.row, end.other) } else { (end.other, end.row) };
        Self { from, relation: end.relation, to }
    }
}
