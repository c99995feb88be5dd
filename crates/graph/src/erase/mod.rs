//! Hard deletion of memories, and what goes with them.

mod closure;

use std::collections::BTreeSet;

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row};
use serde::{Deserialize, Serialize};

use self::closure::Closure;
use crate::ledger::{Changes, Ledger};
use crate::roster::{LinkEnd, Member};
use crate::tables::{DERIVED, EVIDENCE, LINKS, ROWS, SOURCES};
use crate::{Effects, GraphError, Link, TripleId};

/// Facts about derived memories that the graph cannot know.
pub trait Provenance {
    /// Whether derived memories, each told of by one of its rows, stay without any source, because
    /// a person verified or edited them.
    ///
    /// # Errors
    /// When it cannot be found out; [`GraphError::Caller`] carries errors of other layers.
    fn stand_alone(&self, reads: &dyn Reads, rows: &[Row]) -> Result<Vec<bool>, GraphError>;

    /// The memories that rows belong to, one for each row: the rows of a memory go together.
    ///
    /// # Errors
    /// As above.
    fn families(&self, reads: &dyn Reads, rows: &[Row]) -> Result<Vec<Family>, GraphError>;
}

/// The rows of one memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Family {
    /// All of them, the oldest first.
    pub rows: Vec<Row>,
    /// Those that say what the memory says now: it was derived from the sources of all of these.
    /// Its earlier text had sources of its own.
    pub saying: Vec<Row>,
    /// Rows with those that they name as their sources, whether they are tied to them or, as edits
    /// of persons, are not.
    pub named: Vec<(Row, Vec<Row>)>,
}

/// Each row is a memory of its own, and none stands without its sources.
impl Provenance for () {
    fn stand_alone(&self, _reads: &dyn Reads, rows: &[Row]) -> Result<Vec<bool>, GraphError> {
        Ok(vec![false; rows.len()])
    }

    fn families(&self, _reads: &dyn Reads, rows: &[Row]) -> Result<Vec<Family>, GraphError> {
        Ok(rows
            .iter()
            .map(|row| Family {
                rows: vec![*row],
                saying: vec![*row],
                named: Vec::new(),
            })
            .collect())
    }
}

/// The rows and triples that a deletion removes, or would remove. Numbers only; each list rises.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Erasure {
    /// All rows that go: those asked for, and `derived`.
    pub rows: Vec<Row>,
    /// Rows of memories that go because their last source does.
    pub derived: Vec<Row>,
    /// Rows that lose a source, of memories that keep another one: to be derived again.
    pub stale: Vec<Row>,
    /// Rows that lose a source, of memories that lose their last one and stand on their own.
    pub detached: Vec<Row>,
    /// Rows that lose a source, be it one that they only name, and are what a memory said before:
    /// it stays, and they are of no worth to it.
    pub outlived: Vec<Row>,
    /// The evidence of the rows, which goes.
    pub evidence: Vec<(TripleId, Row)>,
    /// Triples that lose a supporter and stay as visible as they were.
    pub weakened: Vec<TripleId>,
    /// Links that go.
    pub links: Vec<Link>,
    /// Triples that go or fall asleep, and entities that go.
    pub effects: Effects,
}

/// A deletion that was planned over a state of the storage, with the changes that carry it out.
#[derive(Debug)]
pub struct ErasePlan {
    /// The removed rows and triples.
    pub erasure: Erasure,
    changes: Changes,
}

impl ErasePlan {
    /// Carries the plan out in the transaction that it was made over; answers what went. No write
    /// to the graph may stand between the two.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn write(self, txn: &mut Transaction<'_>) -> Result<Erasure, GraphError> {
        self.changes.write(txn)?;
        Ok(self.erasure)
    }
}

/// Plans the deletion of memories: their evidence, the triples and entities that only they spoke
/// of, their links, and the memories that were derived from them alone, and so on. Rows that the
/// graph does not know have nothing to delete.
///
/// # Errors
/// When the storage fails or `provenance` does.
pub fn plan_erase(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
    provenance: &dyn Provenance,
) -> Result<ErasePlan, GraphError> {
    let mut ledger = Ledger::open(reads, ns)?;
    let erasure = ledger.erase(rows, provenance)?;
    Ok(ErasePlan {
        erasure,
        changes: ledger.finish()?,
    })
}

/// Plans and carries out a deletion at once.
///
/// # Errors
/// As [`plan_erase`].
pub fn erase(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
    provenance: &dyn Provenance,
) -> Result<Erasure, GraphError> {
    plan_erase(&*txn, ns, rows, provenance)?.write(txn)
}

impl Ledger<'_> {
    fn erase(&mut self, rows: &[Row], provenance: &dyn Provenance) -> Result<Erasure, GraphError> {
        let closure = Closure::find(self, rows, provenance)?;
        let mut erasure = Erasure::default();
        self.load_triples(
            closure
                .going
                .values()
                .flat_map(|member| member.supports.iter().copied()),
        )?;
        let mut links = BTreeSet::new();
        for (row, member) in &closure.going {
            let supports = member
                .record
                .as_ref()
                .is_some_and(|record| record.supports());
            for triple in &member.supports {
                self.withdraw(*triple, *row, supports)?;
                erasure.evidence.push((*triple, *row));
            }
            for (end, _) in &member.links {
                self.delete(&LINKS, end.turned().key(self.ns));
                links.insert(Link::of(*end));
            }
            self.delete_ties(*row, member);
            for key in &member.keys {
                self.change((ROWS.keyspace(), key.clone()), None);
            }
        }
        self.head.links = self.head.links.saturating_sub(links.len() as u64);
        self.settle()?;
        erasure.evidence.sort_unstable();
        erasure.effects = Effects::of(self);
        let changed: BTreeSet<TripleId> = erasure
            .effects
            .gone
            .iter()
            .chain(&erasure.effects.slept)
            .copied()
            .collect();
        erasure.weakened = self
            .triples
            .keys()
            .filter(|id| !changed.contains(id))
            .copied()
            .collect();
        erasure.links = links.into_iter().collect();
        [erasure.stale, erasure.detached, erasure.outlived] = closure.left().map(Vec::from_iter);
        erasure.derived = closure.derived.into_iter().collect();
        erasure.rows = closure.going.into_keys().collect();
        Ok(erasure)
    }

    /// Takes away what ties other rows to one that goes.
    fn delete_ties(&mut self, row: Row, member: &Member) {
        for source in &member.sources {
            self.delete(&DERIVED, (self.ns, *source, (), row));
        }
        for derived in &member.derived {
            self.delete(&SOURCES, (self.ns, *derived, (), row));
        }
    }

    /// Takes away what a row says about a triple at hand.
    pub(crate) fn withdraw(
        &mut self,
        triple: TripleId,
        row: Row,
        supports: bool,
    ) -> Result<(), GraphError> {
        let place = (self.ns, triple, row);
        let wrong = EVIDENCE.damaged(place, "the counts of evidence are wrong");
        let record = self.triple(triple)?;
        let (Some(evidence), Some(supported)) = (
            record.evidence.checked_sub(1),
            record.supported.checked_sub(u32::from(supports)),
        ) else {
            return Err(wrong.into());
        };
        (record.evidence, record.supported) = (evidence, supported);
        if evidence == 0
            && let Some(slot) = self.triples.get_mut(&triple)
        {
            slot.after = None;
        }
        self.head.evidence = self.head.evidence.saturating_sub(1);
        self.delete(&EVIDENCE, place);
        Ok(())
    }
}

impl Link {
    pub(crate) fn of(end: LinkEnd) -> Self {
        let (from, to) = if end.leaves {
            (end.row, end.other)
        } else {
            (end.other, end.row)
        };
        Self {
            from,
            relation: end.relation,
            to,
        }
    }
}
