//! Deleting for good: every trace in every layer, and what only the deleted memories supported, in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{Erasure, LabelClass, LabelId, Link};
use annals_records::{Erased, Moment, RecordError, Written};
use annals_storage::{Reads, Transaction};
use annals_types::{Filter, MemoryId, NamespaceId, Row, Status, Timestamp};

use super::jobs::apart;
use super::jobs::chores::Chore;
use super::life::Origins;
use super::revise::Place;
use super::rulebooks::Rulebook;
use super::write::Done;
use super::{
    Change, Engine, changed, claims, decisions, late, parted, proposals, remarks, revise, stale, suspicions, talks,
};
use crate::Error;
use crate::transfer::brought;

/// What a deletion took, or would take.
pub(crate) struct Removal {
    /// The memories asked for, then those that go because their last source does.
    pub(crate) ids: Vec<MemoryId>,
    /// How many of them were asked for.
    pub(crate) asked: usize,
    pub(crate) erased: Vec<Erased>,
    pub(crate) erasure: Erasure,
    /// Memories that lose one of their sources.
    pub(crate) stale: Vec<MemoryId>,
    /// Memories of which earlier texts go.
    pub(crate) shortened: Vec<MemoryId>,
    /// Memories that are in force again, because what superseded them goes.
    pub(crate) revived: Vec<MemoryId>,
    /// Memories that were made one with what goes, and stay with the same words.
    pub(crate) twins: Vec<MemoryId>,
    /// Links that go, by the memories at their ends.
    pub(crate) links: Vec<(MemoryId, String, MemoryId)>,
}

/// What a deletion of memories concerns.
pub(crate) fn plan(reads: &dyn Reads, ns: NamespaceId, ids: &[MemoryId]) -> Result<Removal, Error> {
    let asked = annals_records::rows_of(reads, ns, ids)?;
    if let Some((id, _)) = ids.iter().zip(&asked).find(|(_, rows)| rows.is_empty()) {
        return Err(RecordError::NotFound { id: *id }.into());
    }
    let rows: Vec<Row> = asked.into_iter().flatten().collect();
    let erasure = annals_graph::plan_erase(reads, ns, &rows, &Origins { namespace: ns })?;
    let (derived, stale) = (owners(reads, ns, &erasure.derived)?, owners(reads, ns, &erasure.stale)?);
    let mut all = ids.to_vec();
    all.extend(derived.into_iter().filter(|id| !ids.contains(id)));
    let stale = stale.into_iter().filter(|id| !all.contains(id)).collect();
    let shortened = outlived(reads, ns, &erasure.outlived)?.into_iter().map(|(id, _)| id).collect();
    let links = named_links(reads, ns, &erasure.links)?;
    let revived = superseded(reads, ns, &all)?.into_iter().map(|(id, _)| id).collect();
    let twins = twins(reads, ns, &all)?;
    Ok(Removal { asked: ids.len(), ids: all, erased: Vec::new(), erasure, stale, shortened, revived, twins, links })
}

/// The memories that a job or a judge made one with some that go, and that stay.
fn twins(reads: &dyn Reads, ns: NamespaceId, going: &[MemoryId]) -> Result<Vec<MemoryId>, Error> {
    let mut ends = BTreeSet::new();
    for row in annals_records::find_rows(reads, ns, going)?.into_iter().flatten() {
        let united = annals_graph::links(reads, ns, row)?.into_iter().filter(apart::is_union);
        ends.extend(united.flat_map(|view| [view.link.from, view.link.to]));
    }
    let ends: Vec<Row> = ends.into_iter().collect();
    Ok(owners(reads, ns, &ends)?.into_iter().filter(|id| !going.contains(id)).collect())
}

/// The memories that nothing supersedes any more where some go, each with the current row of the last one that did.
fn superseded(reads: &dyn Reads, ns: NamespaceId, going: &[MemoryId]) -> Result<Vec<(MemoryId, Row)>, Error> {
    let rows = annals_records::rows_of(reads, ns, going)?;
    let ends = rows.iter().filter_map(|rows| Some((*rows.first()?, *rows.last()?)));
    let (firsts, lasts): (Vec<Row>, Vec<Row>) = ends.unzip();
    let (first, last) =
        (annals_records::memories(reads, ns, &firsts, None)?, annals_records::memories(reads, ns, &lasts, None)?);
    let before: BTreeMap<MemoryId, Option<MemoryId>> =
        first.into_iter().flatten().map(|memory| (memory.id, memory.supersedes)).collect();
    let mut found = Vec::new();
    for (row, memory) in lasts.into_iter().zip(last) {
        let Some(memory) = memory.filter(|memory| memory.superseded_by.is_none()) else { continue };
        let mut earlier = before.get(&memory.id).copied().flatten();
        while let Some(before) = earlier.and_then(|id| before.get(&id)) {
            earlier = *before;
        }
        found.extend(earlier.map(|id| (id, row)));
    }
    Ok(found)
}

/// Links by the memories at their ends and the words of their relations.
fn named_links(reads: &dyn Reads, ns: NamespaceId, links: &[Link]) -> Result<Vec<(MemoryId, String, MemoryId)>, Error> {
    let rows: Vec<Row> = links.iter().flat_map(|link| [link.from, link.to]).collect();
    let ids = annals_records::ids_of(reads, ns, &rows)?;
    let relations: Vec<LabelId> = links.iter().map(|link| link.relation).collect();
    let words = annals_graph::label_texts(reads, ns, LabelClass::Relation, &relations)?;
    let (ends, _) = ids.as_chunks::<2>();
    let named = |([from, to], word): (&[Option<MemoryId>; 2], Option<String>)| Some(((*from)?, word?, (*to)?));
    Ok(ends.iter().zip(words).filter_map(named).collect())
}

fn owners(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<BTreeSet<MemoryId>, Error> {
    Ok(annals_records::ids_of(reads, ns, rows)?.into_iter().flatten().collect())
}

impl Engine {
    /// Erases memories with their history and all traces in the indexes. Damage of derived text data is mended on the way.
    pub(crate) fn erase(&self, ns: NamespaceId, ids: &[MemoryId]) -> Result<Removal, Error> {
        match self.erase_once(ns, ids) {
            Err(error) if error.is_derived_damage() => {
                self.heal(ns)?;
                self.erase_once(ns, ids)
            }
            erased => erased,
        }
    }

    /// The memories that a deletion means, each with its current row: what passes the filter, of any status where it names none, whether it has
    /// expired or was replaced by another memory. With a moment and a row, what passed then, too, and is below that row. What was stored under a clock that
    /// was ahead has no earlier state.
    pub(crate) fn meant(
        &self,
        ns: NamespaceId,
        filter: &Filter,
        ordered: Option<(Timestamp, Row)>,
    ) -> Result<Vec<(Row, MemoryId)>, Error> {
        let mut filter = filter.clone();
        if filter.statuses.is_empty() {
            filter.statuses = Status::ALL.to_vec();
        }
        let view = self.view(ns)?;
        let now = self.now();
        let matcher = view.columns.matcher(&filter, Moment::now(now)).with_past();
        let then =
            ordered.map(|(at, below)| (at, view.columns.matcher(&filter, Moment::as_of(now, at)).with_past(), below));
        let ahead = |row: Row, at: Timestamp| view.columns.get(row).is_some_and(|facts| facts.stored_at > at);
        let meant = |row: &Row| {
            then.as_ref().is_none_or(|(at, then, below)| row < below && (then.matches(*row) || ahead(*row, *at)))
        };
        let rows: Vec<Row> = matcher.rows().filter(meant).collect();
        let snapshot = self.snapshot()?;
        let ids = annals_records::ids_of(&snapshot, ns, &rows)?;
        let found: Vec<(Row, MemoryId)> = rows.into_iter().zip(ids).filter_map(|(row, id)| Some((row, id?))).collect();
        let ids: Vec<MemoryId> = found.iter().map(|(_, id)| *id).collect();
        // An earlier text of a memory says nothing of what it is now.
        let current = annals_records::find_rows(&snapshot, ns, &ids)?;
        Ok(found
            .into_iter()
            .zip(current)
            .filter(|((row, _), now)| *now == Some(*row))
            .map(|(found, _)| found)
            .collect())
    }

    fn erase_once(&self, ns: NamespaceId, ids: &[MemoryId]) -> Result<Removal, Error> {
        self.write(ns, |txn, at| {
            let erased = self.unmake_in(txn, at, ids)?;
            changed::note_deletion(txn, at)?;
            Ok(erased)
        })
    }

    /// Erases memories as if they had never been: what one of them superseded is in force again, as that one was.
    pub(crate) fn unmake_in(&self, txn: &mut Transaction<'_>, at: Place<'_>, ids: &[MemoryId]) -> Done<Removal> {
        self.erase_and_revive(txn, at, ids, None)
    }

    /// Erases memories by a rule or a job. A memory that one of them superseded is there again, but hidden: that a
    /// memory faded makes an earlier one no truer.
    pub(crate) fn erase_in(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        rulebook: &Rulebook,
        now: Timestamp,
        ids: &[MemoryId],
    ) -> Done<Removal> {
        self.erase_and_revive(txn, Place { ns, now, rulebook }, ids, Some(Status::Forgotten))
    }

    fn erase_and_revive(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        ids: &[MemoryId],
        status: Option<Status>,
    ) -> Done<Removal> {
        let planned = plan(&*txn, at.ns, ids)?;
        let mut heirs = Vec::new();
        for (id, row) in superseded(&*txn, at.ns, &planned.ids)? {
            let last = annals_records::memories(&*txn, at.ns, &[row], None)?.pop().flatten();
            let status = status.or(last.map(|last| last.status)).unwrap_or(Status::Active);
            let state = annals_lifecycle::states(&*txn, at.ns, &[row])?.pop().flatten();
            heirs.push((id, status, state));
        }
        let (removal, change) = self.erase_planned(txn, at, planned)?;
        let mut changes = vec![change];
        for (id, status, state) in heirs {
            changes.push(self.revive_in(txn, at, id, (status, state))?);
        }
        Ok((removal, Change::all(changes)))
    }

    fn erase_planned(&self, txn: &mut Transaction<'_>, at: Place<'_>, mut removal: Removal) -> Done<Removal> {
        let Place { ns, now, rulebook } = at;
        let going: Vec<Row> = annals_records::rows_of(&*txn, ns, &removal.ids)?.into_iter().flatten().collect();
        let sessions = talks::sessions_of(&*txn, ns, &going)?;
        let (erasure, mut change) = clear(txn, (ns, rulebook), going)?;
        removal.erasure = erasure;
        proposals::forget_sources(txn, ns, &removal.ids)?;
        remarks::forget(txn, ns, &removal.ids)?;
        crate::mirror::retracted::forget(txn, ns, &removal.ids)?;
        decisions::forget(txn, ns, &removal.ids)?;
        suspicions::forget(txn, ns, &removal.ids)?;
        stale::clear(txn, ns, &removal.ids)?;
        brought::going(txn, ns, &removal.ids)?;
        for chore in [Chore::Delete, Chore::Interpret] {
            chore.withdraw(txn, (ns, rulebook), &removal.ids)?;
        }
        let Written { outcome, delta } = annals_records::erase(txn, ns, now, &removal.ids)?;
        change.records = Some(delta);
        talks::forget(txn, (ns, rulebook), &sessions)?;
        for id in &removal.stale {
            stale::note(txn, ns, *id, now)?;
            Chore::Derive.queue(txn, (ns, rulebook), *id, now)?;
        }
        for (id, oldest) in outlived(&*txn, ns, &removal.erasure.outlived)? {
            change.more.push(self.erase_history_in(txn, Place { ns, now, rulebook }, (id, oldest))?);
        }
        removal.erased = outcome;
        Ok((removal, change))
    }

    /// Erases what a memory said before one of its rows, because something that it was derived from is gone, with what was decided about it: the
    /// reasons may repeat that. What came of the earlier texts is to be derived again.
    pub(crate) fn erase_history_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        (id, oldest): (MemoryId, Row),
    ) -> Result<Change, Error> {
        let Place { ns, now, rulebook } = at;
        let rows = annals_records::rows_of(&*txn, ns, &[id])?.into_iter().flatten().collect::<Vec<Row>>();
        let Some((current, earlier)) = rows.split_last() else { return Ok(Change::default()) };
        let going: Vec<Row> = earlier.iter().filter(|row| **row < oldest).copied().collect();
        if going.is_empty() {
            return Ok(Change::default());
        }
        let derivations = annals_graph::derivations(&*txn, ns, &going)?;
        let derived: BTreeSet<Row> = derivations.into_iter().flat_map(|found| found.derived).collect();
        let derived: Vec<Row> = derived.into_iter().filter(|row| !rows.contains(row)).collect();
        for row in &derived {
            annals_graph::derive(txn, ns, *row, &[*current])?;
        }
        for id in owners(&*txn, ns, &derived)? {
            stale::note(txn, ns, id, now)?;
            Chore::Derive.queue(txn, (ns, rulebook), id, now)?;
        }
        decisions::forget(txn, ns, &[id])?;
        let (_, mut change) = clear(txn, (ns, rulebook), going)?;
        change.records = Some(annals_records::erase_history(txn, ns, now, (id, oldest))?.delta);
        Ok(change)
    }
}

/// Takes rows that are about to go out of every layer but the records.
fn clear(txn: &mut Transaction<'_>, (ns, rulebook): (NamespaceId, &Rulebook), gone: Vec<Row>) -> Done<Erasure> {
    claims::drop_all(txn, ns, &gone)?;
    revise::unmake(txn, ns, &gone)?;
    talks::unnote(txn, ns, &gone)?;
    late::unnote(txn, ns, &gone)?;
    let terms = rulebook.terms(txn)?;
    let lived = annals_lifecycle::erase(txn, ns, terms.lane, &gone)?;
    let erasure = annals_graph::erase(txn, ns, &gone, &Origins { namespace: ns })?;
    if !erasure.effects.gone_entities.is_empty() {
        parted::sweep(txn, ns)?;
    }
    let removed = annals_text::store::remove(txn, ns, &gone)?;
    for space in annals_vector::store::held(txn, ns)? {
        for row in &gone {
            space.delete(txn, *row)?;
        }
    }
    Ok((erasure, Change { life: vec![lived], removed: Some(removed), gone, ..Change::default() }))
}

/// The memories that some outlived rows belong to, each with the first of its rows that came after them.
fn outlived(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<(MemoryId, Row)>, Error> {
    let ids: Vec<MemoryId> = owners(reads, ns, rows)?.into_iter().collect();
    let all = annals_records::rows_of(reads, ns, &ids)?;
    let first = |own: Vec<Row>| own.into_iter().rev().take_while(|row| !rows.contains(row)).last();
    Ok(ids.into_iter().zip(all).filter_map(|(id, own)| Some((id, first(own)?))).collect())
}
