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

    /// The memory that a row belongs to: its rows go together.
    ///
    /// # Errors
    /// As above.
    fn family(&self, reads: &dyn Reads, row: Row) -> Result<Family, GraphError>;
}

/// The rows of one memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Family {
    /// All of them, the oldest first.
    pub rows: Vec<Row>,
    /// Those that say what the memory says now: it was derived from the sources of all of these. What it said before had sources of its own.
    pub saying: Vec<Row>,
}

/// Each row is a memory of its own, and none stands without its sources.
impl Provenance for () {
    fn stands_alone(&self, _reads: &dyn Reads, _row: Row) -> Result<bool, GraphError> {
        Ok(false)
    }

    fn family(&self, _reads: &dyn Reads, row: Row) -> Result<Family, GraphError> {
        Ok(Family { rows: vec![row], saying: vec![row] })
    }
}

/// What goes, or would go, when memories are deleted. Numbers only; each list rises.
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
    /// Rows that lose a source and are what a memory said before: it stays, and they are of no worth to it.
    pub outlived: Vec<Row>,
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

/// Rows that go, and the memories that were derived from any of them.
#[derive(Default)]
struct Closure {
    going: BTreeMap<Row, Member>,
    /// Each by the first row that was met.
    kin: BTreeMap<Row, Kin>,
    /// The rows of `kin`.
    met: BTreeSet<Row>,
    derived: BTreeSet<Row>,
}

/// A memory that loses a source.
struct Kin {
    rows: BTreeMap<Row, Member>,
    saying: BTreeSet<Row>,
    /// Whether it stays without any source.
    alone: bool,
}

impl Kin {
    fn find(ledger: &Ledger<'_>, row: Row, provenance: &dyn Provenance) -> Result<Self, GraphError> {
        let family = provenance.family(ledger.reads, row)?;
        let members = members(ledger.reads, ledger.ns, &family.rows)?;
        let rows = family.rows.into_iter().zip(members).collect();
        let alone = provenance.stands_alone(ledger.reads, row)?;
        Ok(Self { rows, saying: family.saying.into_iter().collect(), alone })
    }

    /// What it was derived from. Its own rows are no sources of it.
    fn sources(&self) -> impl Iterator<Item = &Row> {
        let saying = self.rows.iter().filter(|(row, _)| self.saying.contains(row));
        saying.flat_map(|(_, member)| &member.sources).filter(|source| !self.rows.contains_key(source))
    }

    fn keeps_a_source(&self, going: &BTreeMap<Row, Member>) -> bool {
        self.sources().any(|source| !going.contains_key(source))
    }

    fn is_orphan(&self, going: &BTreeMap<Row, Member>) -> bool {
        !self.alone && self.sources().next().is_some() && !self.keeps_a_source(going)
    }

    /// Its rows that lose a source.
    fn touched<'a>(&'a self, going: &'a BTreeMap<Row, Member>) -> impl Iterator<Item = Row> + 'a {
        let loses = |member: &Member| member.sources.iter().any(|source| going.contains_key(source));
        self.rows.iter().filter(move |(_, member)| loses(member)).map(|(row, _)| *row)
    }
}

impl Closure {
    fn find(ledger: &Ledger<'_>, rows: &[Row], provenance: &dyn Provenance) -> Result<Self, GraphError> {
        let mut closure = Self::default();
        let mut next: BTreeSet<Row> = rows.iter().copied().collect();
        while !next.is_empty() {
            let rows: Vec<Row> = next.iter().copied().collect();
            closure.going.extend(rows.iter().copied().zip(members(ledger.reads, ledger.ns, &rows)?));
            closure.meet(ledger, provenance)?;
            next = closure.orphans();
            closure.derived.extend(&next);
        }
        let going = &closure.going;
        closure.kin.retain(|row, _| !going.contains_key(row));
        Ok(closure)
    }

    /// Looks up the memories that were derived from rows that go.
    fn meet(&mut self, ledger: &Ledger<'_>, provenance: &dyn Provenance) -> Result<(), GraphError> {
        let derived: BTreeSet<Row> = self.going.values().flat_map(|member| member.derived.iter().copied()).collect();
        for row in derived {
            if !self.met.contains(&row) && !self.going.contains_key(&row) {
                let kin = Kin::find(ledger, row, provenance)?;
                self.met.extend(kin.rows.keys());
                self.kin.insert(row, kin);
            }
        }
        Ok(())
    }

    /// The rows of memories that have no source left and do not stand on their own.
    fn orphans(&self) -> BTreeSet<Row> {
        let orphans = self.kin.values().filter(|kin| kin.is_orphan(&self.going));
        orphans.flat_map(|kin| kin.rows.keys()).filter(|row| !self.going.contains_key(row)).copied().collect()
    }

    /// The rows that lose a source and stay: those of memories that are to be derived again, that stand on their own, and that said something
    /// else.
    fn left(&self) -> [BTreeSet<Row>; 3] {
        let [mut stale, mut detached, mut outlived] = [(); 3].map(|()| BTreeSet::new());
        for kin in self.kin.values() {
            let keeps = kin.keeps_a_source(&self.going);
            for row in kin.touched(&self.going) {
                let kind = match kin.saying.contains(&row) {
                    true if keeps => &mut stale,
                    true => &mut detached,
                    // Whoever changed the text did not make the old one their own.
                    false => &mut outlived,
                };
                kind.insert(row);
            }
        }
        [stale, detached, outlived]
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
        [erasure.stale, erasure.detached, erasure.outlived] = closure.left().map(Vec::from_iter);
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
