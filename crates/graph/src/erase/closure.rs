//! The closure of a deletion: rows that go along, and rows that lose a source.

use std::collections::{BTreeMap, BTreeSet};

use annals_types::Row;

use super::{Family, Provenance};
use crate::GraphError;
use crate::ledger::Ledger;
use crate::roster::{Member, members};

/// Rows that go, and the memories that were derived from any of them.
#[derive(Default)]
pub(super) struct Closure {
    pub(super) going: BTreeMap<Row, Member>,
    pub(super) derived: BTreeSet<Row>,
    /// Memories that lose a source, each by the first row that was met.
    kin: BTreeMap<Row, Kin>,
    /// The rows of `kin`, each with the one that it is found by.
    met: BTreeMap<Row, Row>,
}

/// A memory that loses a source.
struct Kin {
    rows: BTreeMap<Row, Member>,
    saying: BTreeSet<Row>,
    named: BTreeMap<Row, Vec<Row>>,
}

impl Kin {
    /// Its sources. Its own rows are none of them.
    fn sources(&self) -> impl Iterator<Item = &Row> {
        let saying = self
            .rows
            .iter()
            .filter(|(row, _)| self.saying.contains(row));
        saying
            .flat_map(|(_, member)| &member.sources)
            .filter(|source| !self.rows.contains_key(source))
    }

    fn keeps_a_source(&self, going: &BTreeMap<Row, Member>) -> bool {
        self.sources().any(|source| !going.contains_key(source))
    }

    fn is_orphan(&self, going: &BTreeMap<Row, Member>) -> bool {
        self.sources().next().is_some() && !self.keeps_a_source(going)
    }

    /// Its rows that lose a source.
    fn touched<'a>(&'a self, going: &'a BTreeMap<Row, Member>) -> impl Iterator<Item = Row> + 'a {
        let goes = move |source: &Row| going.contains_key(source);
        let loses = move |row: &Row, member: &Member| {
            let names = || {
                !self.saying.contains(row)
                    && self
                        .named
                        .get(row)
                        .is_some_and(|named| named.iter().any(goes))
            };
            member.sources.iter().any(goes) || names()
        };
        self.rows
            .iter()
            .filter(move |(row, member)| loses(row, member))
            .map(|(row, _)| *row)
    }
}

impl Closure {
    /// Some rounds of reads for each step from a source to what was derived from it.
    pub(super) fn find(
        ledger: &Ledger<'_>,
        rows: &[Row],
        provenance: &dyn Provenance,
    ) -> Result<Self, GraphError> {
        let mut closure = Self::default();
        let mut next: BTreeSet<Row> = rows.iter().copied().collect();
        while !next.is_empty() {
            let rows: Vec<Row> = next.iter().copied().collect();
            let added = members(ledger.reads, ledger.ns, &rows)?;
            let derived: BTreeSet<Row> = added
                .iter()
                .flat_map(|member| member.derived.iter().copied())
                .collect();
            closure.going.extend(rows.into_iter().zip(added));
            let derived: Vec<Row> = derived
                .into_iter()
                .filter(|row| !closure.going.contains_key(row))
                .collect();
            closure.meet(ledger, &derived, provenance)?;
            next = closure.orphans(ledger, &derived, provenance)?;
            closure.derived.extend(&next);
        }
        let going = &closure.going;
        closure.kin.retain(|row, _| !going.contains_key(row));
        Ok(closure)
    }

    /// Looks up the memories of rows that were derived from rows that go.
    fn meet(
        &mut self,
        ledger: &Ledger<'_>,
        derived: &[Row],
        provenance: &dyn Provenance,
    ) -> Result<(), GraphError> {
        let fresh: Vec<Row> = derived
            .iter()
            .filter(|row| !self.met.contains_key(row))
            .copied()
            .collect();
        if fresh.is_empty() {
            return Ok(());
        }
        let mut families: Vec<(Row, Family)> = Vec::new();
        for (row, family) in fresh.iter().zip(provenance.families(ledger.reads, &fresh)?) {
            if !self.met.contains_key(row) {
                self.met.extend(family.rows.iter().map(|of| (*of, *row)));
                families.push((*row, family));
            }
        }
        let rows: Vec<Row> = families
            .iter()
            .flat_map(|(_, family)| family.rows.iter().copied())
            .collect();
        let mut found = members(ledger.reads, ledger.ns, &rows)?.into_iter();
        for (
            row,
            Family {
                rows,
                saying,
                named,
            },
        ) in families
        {
            let rows = rows.into_iter().zip(found.by_ref()).collect();
            let (saying, named) = (saying.into_iter().collect(), named.into_iter().collect());
            self.kin.insert(
                row,
                Kin {
                    rows,
                    saying,
                    named,
                },
            );
        }
        Ok(())
    }

    /// The rows of those of some memories that have no source left and do not stand on their own.
    fn orphans(
        &self,
        ledger: &Ledger<'_>,
        touched: &[Row],
        provenance: &dyn Provenance,
    ) -> Result<BTreeSet<Row>, GraphError> {
        let kin: BTreeSet<Row> = touched
            .iter()
            .filter_map(|row| self.met.get(row).copied())
            .collect();
        let is_orphan = |row: &Row| {
            self.kin
                .get(row)
                .is_some_and(|kin| kin.is_orphan(&self.going))
        };
        let orphans: Vec<Row> = kin.into_iter().filter(is_orphan).collect();
        if orphans.is_empty() {
            return Ok(BTreeSet::new());
        }
        let alone = provenance.stand_alone(ledger.reads, &orphans)?;
        let going = orphans
            .iter()
            .zip(alone)
            .filter(|(_, alone)| !alone)
            .filter_map(|(row, _)| self.kin.get(row));
        let rows = going.flat_map(|kin| kin.rows.keys().copied());
        Ok(rows.filter(|row| !self.going.contains_key(row)).collect())
    }

    /// The rows that lose a source and stay: those of memories that are to be derived again, that
    /// stand on their own, and that said something else.
    pub(super) fn left(&self) -> [BTreeSet<Row>; 3] {
        let [mut stale, mut detached, mut outlived] = [(); 3].map(|()| BTreeSet::new());
        for kin in self.kin.values() {
            let keeps = kin.keeps_a_source(&self.going);
            for row in kin.touched(&self.going) {
                let kind = match kin.saying.contains(&row) {
                    true if keeps => &mut stale,
                    true => &mut detached,
                    // A changed text does not make the old one derived from the same sources.
                    false => &mut outlived,
                };
                kind.insert(row);
            }
        }
        [stale, detached, outlived]
    }
}
