//! Deleting for good: every trace in every layer, and what only the deleted memories supported, in
//! one transaction.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{ErasePlan, Erasure, LabelClass, LabelId, Link};
use annals_records::{Moment, RecordError};
use annals_storage::Reads;
use annals_types::{Body, Filter, Label, Memory, MemoryId, NamespaceId, Row, Status, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::apart;
use crate::jobs::tasks::TaskKind;
use crate::life::Origins;
use crate::{Change, Engine, WriteCx, changed, decisions, late, noted, revise, stale, suspicions};

/// A deletion, planned once: a dry run plans it over a snapshot, a deletion within the transaction
/// that carries it out.
#[non_exhaustive]
pub struct Deletion {
    /// The memories asked for, then those that go because their last source does.
    pub memories: Vec<Leaving>,
    /// How many of them were asked for.
    pub asked: usize,
    /// The part of the graph that goes.
    pub erasure: Erasure,
    /// Memories that lose one of their sources.
    pub stale: Vec<MemoryId>,
    /// Memories of which earlier texts go, each with the oldest row that stays.
    pub shortened: Vec<(MemoryId, Row)>,
    /// Memories that are in force again, because the one that superseded them goes.
    pub revived: Vec<Heir>,
    /// Memories that were made one with what goes, and stay with the same words.
    pub twins: Vec<MemoryId>,
    /// Links that go, by the memories at their ends.
    pub links: Vec<(MemoryId, String, MemoryId)>,
}

/// A memory that goes.
#[non_exhaustive]
pub struct Leaving {
    /// Its current text.
    pub memory: Memory,
    /// Its rows, the oldest first.
    pub rows: Vec<Row>,
    /// The sessions that its texts, earlier ones included, were turns of.
    pub sessions: BTreeSet<Label>,
    /// Bytes of text and replies of all rows.
    pub text_bytes: u64,
}

/// A memory that is in force again.
pub struct Heir {
    pub id: MemoryId,
    /// The current row of the memory that superseded it last.
    row: Row,
}

impl Deletion {
    /// All rows that go.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        self.memories
            .iter()
            .flat_map(|leaving| leaving.rows.iter().copied())
            .collect()
    }

    /// The memories that go.
    #[must_use]
    pub fn ids(&self) -> Vec<MemoryId> {
        self.memories
            .iter()
            .map(|leaving| leaving.memory.id)
            .collect()
    }
}

/// The plan of a deletion of memories.
pub fn plan(reads: &dyn Reads, ns: NamespaceId, ids: &[MemoryId]) -> Result<Deletion, Error> {
    Ok(planned(reads, ns, ids)?.0)
}

/// The same with the changes of the graph that carry it out.
fn planned(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<(Deletion, ErasePlan), Error> {
    let asked = annals_records::rows_of(reads, ns, ids)?;
    if let Some((id, _)) = ids.iter().zip(&asked).find(|(_, rows)| rows.is_empty()) {
        return Err(RecordError::NotFound { id: *id }.into());
    }
    let rows: Vec<Row> = asked.into_iter().flatten().collect();
    let plan = annals_graph::plan_erase(reads, ns, &rows, &Origins { namespace: ns })?;
    let erasure = plan.erasure.clone();
    let (derived, stale) = (
        owners(reads, ns, &erasure.derived)?,
        owners(reads, ns, &erasure.stale)?,
    );
    let mut all = ids.to_vec();
    all.extend(derived.into_iter().filter(|id| !ids.contains(id)));
    let stale = stale.into_iter().filter(|id| !all.contains(id)).collect();
    let shortened = outlived(reads, ns, &erasure.outlived)?;
    let links = named_links(reads, ns, &erasure.links)?;
    let revived = superseded(reads, ns, &all)?;
    let twins = twins(reads, ns, &all)?;
    let memories = leaving(reads, ns, &all)?;
    Ok((
        Deletion {
            memories,
            asked: ids.len(),
            erasure,
            stale,
            shortened,
            revived,
            twins,
            links,
        },
        plan,
    ))
}

/// Memories as they are, with all their rows.
pub fn leaving(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<Vec<Leaving>, Error> {
    let rows_of = annals_records::rows_of(reads, ns, ids)?;
    let all: Vec<Row> = rows_of.iter().flatten().copied().collect();
    let mut texts = annals_records::memories(reads, ns, &all, None)?.into_iter();
    let mut found = Vec::with_capacity(ids.len());
    for (id, rows) in ids.iter().zip(rows_of) {
        let own: Vec<Memory> = texts.by_ref().take(rows.len()).flatten().collect();
        let turns = own.iter().filter_map(|memory| memory.body.turn.as_ref());
        let sessions = turns.map(|turn| turn.session.clone()).collect();
        let text_bytes = own.iter().map(|memory| said_bytes(&memory.body)).sum();
        let memory = own
            .into_iter()
            .next_back()
            .ok_or(RecordError::NotFound { id: *id })?;
        found.push(Leaving {
            memory,
            rows,
            sessions,
            text_bytes,
        });
    }
    Ok(found)
}

/// Bytes of text and reply.
fn said_bytes(body: &Body) -> u64 {
    let reply = body
        .turn
        .as_ref()
        .and_then(|turn| turn.reply.as_ref())
        .map_or(0, |reply| reply.len());
    u64::try_from(body.text.len().saturating_add(reply)).unwrap_or(u64::MAX)
}

/// The memories that a job or a judge made one with some that go, and that stay.
fn twins(reads: &dyn Reads, ns: NamespaceId, going: &[MemoryId]) -> Result<Vec<MemoryId>, Error> {
    let mut ends = BTreeSet::new();
    for row in annals_records::find_rows(reads, ns, going)?
        .into_iter()
        .flatten()
    {
        let united = annals_graph::links(reads, ns, row)?
            .into_iter()
            .filter(apart::is_union);
        ends.extend(united.flat_map(|view| [view.link.from, view.link.to]));
    }
    let ends: Vec<Row> = ends.into_iter().collect();
    Ok(owners(reads, ns, &ends)?
        .into_iter()
        .filter(|id| !going.contains(id))
        .collect())
}

/// The memories that nothing supersedes any more where some go, each with the current row of the
/// last one that did.
fn superseded(reads: &dyn Reads, ns: NamespaceId, going: &[MemoryId]) -> Result<Vec<Heir>, Error> {
    let rows = annals_records::rows_of(reads, ns, going)?;
    let ends = rows
        .iter()
        .filter_map(|rows| Some((*rows.first()?, *rows.last()?)));
    let (firsts, lasts): (Vec<Row>, Vec<Row>) = ends.unzip();
    let (first, last) = (
        annals_records::memories(reads, ns, &firsts, None)?,
        annals_records::memories(reads, ns, &lasts, None)?,
    );
    let before: BTreeMap<MemoryId, Option<MemoryId>> = first
        .into_iter()
        .flatten()
        .map(|memory| (memory.id, memory.supersedes))
        .collect();
    let mut found = Vec::new();
    for (row, memory) in lasts.into_iter().zip(last) {
        let Some(memory) = memory.filter(|memory| memory.superseded_by.is_none()) else {
            continue;
        };
        let mut earlier = before.get(&memory.id).copied().flatten();
        while let Some(before) = earlier.and_then(|id| before.get(&id)) {
            earlier = *before;
        }
        found.extend(earlier.map(|id| Heir { id, row }));
    }
    Ok(found)
}

/// Links by the memories at their ends and the words of their relations.
fn named_links(
    reads: &dyn Reads,
    ns: NamespaceId,
    links: &[Link],
) -> Result<Vec<(MemoryId, String, MemoryId)>, Error> {
    let rows: Vec<Row> = links.iter().flat_map(|link| [link.from, link.to]).collect();
    let ids = annals_records::ids_of(reads, ns, &rows)?;
    let relations: Vec<LabelId> = links.iter().map(|link| link.relation).collect();
    let words = annals_graph::label_texts(reads, ns, LabelClass::Relation, &relations)?;
    let (ends, _) = ids.as_chunks::<2>();
    let named = |([from, to], word): (&[Option<MemoryId>; 2], Option<String>)| {
        Some(((*from)?, word?, (*to)?))
    };
    Ok(ends.iter().zip(words).filter_map(named).collect())
}

fn owners(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<BTreeSet<MemoryId>, Error> {
    Ok(annals_records::ids_of(reads, ns, rows)?
        .into_iter()
        .flatten()
        .collect())
}

impl Engine {
    /// Erases memories with their history and all traces in the indexes. Damage of derived text
    /// data is mended on the way. The receipt is kept with the mark of a request: it holds no text
    /// of what is gone.
    pub fn erase<T: Send + Serialize + DeserializeOwned>(
        &self,
        ns: NamespaceId,
        ids: &[MemoryId],
        receipt: impl Fn(Deletion) -> T + Send + Sync,
    ) -> Result<T, Error> {
        match self.erase_once(ns, ids, &receipt) {
            Err(error) if error.is_derived_damage() => {
                self.heal(ns)?;
                self.erase_once(ns, ids, &receipt)
            }
            erased => erased,
        }
    }

    /// The memories that a deletion means, each with its current row: those that pass the filter,
    /// of any status where it names none, whether they have expired or were replaced by another
    /// memory. With a moment and a row, memories below that row that passed then are meant, too. A
    /// memory that was stored under a clock that was ahead has no earlier state.
    pub fn meant(
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
        let then = ordered.map(|(at, below)| {
            (
                at,
                view.columns
                    .matcher(&filter, Moment::as_of(now, at))
                    .with_past(),
                below,
            )
        });
        let ahead = |row: Row, at: Timestamp| {
            view.columns
                .get(row)
                .is_some_and(|facts| facts.stored_at > at)
        };
        let meant = |row: &Row| {
            then.as_ref().is_none_or(|(at, then, below)| {
                row < below && (then.matches(*row) || ahead(*row, *at))
            })
        };
        let rows: Vec<Row> = matcher.rows().filter(meant).collect();
        let snapshot = self.snapshot()?;
        let ids = annals_records::ids_of(&snapshot, ns, &rows)?;
        let found: Vec<(Row, MemoryId)> = rows
            .into_iter()
            .zip(ids)
            .filter_map(|(row, id)| Some((row, id?)))
            .collect();
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

    fn erase_once<T: Send + Serialize + DeserializeOwned>(
        &self,
        ns: NamespaceId,
        ids: &[MemoryId],
        receipt: &(impl Fn(Deletion) -> T + Send + Sync),
    ) -> Result<T, Error> {
        self.write_kept(ns, |cx| {
            let erased = self.unmake_in(cx, ids)?;
            changed::note_deletion(cx)?;
            Ok(receipt(erased))
        })
    }

    /// Erases memories as if they had never been: what one of them superseded is in force again, as
    /// that one was.
    pub(crate) fn unmake_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        ids: &[MemoryId],
    ) -> Result<Deletion, Error> {
        self.erase_and_revive(cx, ids, None)
    }

    /// Erases memories by a rule or a job. A memory that one of them superseded is there again, but
    /// hidden: that a memory faded makes an earlier one no truer.
    pub fn erase_in(&self, cx: &mut WriteCx<'_, '_>, ids: &[MemoryId]) -> Result<Deletion, Error> {
        self.erase_and_revive(cx, ids, Some(Status::Forgotten))
    }

    fn erase_and_revive(
        &self,
        cx: &mut WriteCx<'_, '_>,
        ids: &[MemoryId],
        status: Option<Status>,
    ) -> Result<Deletion, Error> {
        let (deletion, graph) = planned(&*cx.txn, cx.ns, ids)?;
        let mut heirs = Vec::new();
        for Heir { id, row } in &deletion.revived {
            let last = deletion
                .memories
                .iter()
                .find(|leaving| leaving.rows.last() == Some(row));
            let status = status
                .or(last.map(|last| last.memory.status))
                .unwrap_or(Status::Active);
            let state = annals_lifecycle::states(&*cx.txn, cx.ns, &[*row])?
                .pop()
                .flatten();
            heirs.push((*id, status, state));
        }
        self.erase_planned(cx, &deletion, graph)?;
        for (id, status, state) in heirs {
            self.revive_in(cx, id, (status, state))?;
        }
        Ok(deletion)
    }

    /// Carries a deletion out in every layer.
    fn erase_planned(
        &self,
        cx: &mut WriteCx<'_, '_>,
        deletion: &Deletion,
        graph: ErasePlan,
    ) -> Result<(), Error> {
        let (ns, now) = (cx.ns, cx.now);
        let ids = deletion.ids();
        cx.extensions.erasing(cx, deletion)?;
        clear(cx, deletion.rows(), graph)?;
        decisions::forget(cx.txn, ns, &ids)?;
        suspicions::forget(cx.txn, ns, &ids)?;
        stale::clear(cx.txn, ns, &ids)?;
        for kind in [TaskKind::Delete, TaskKind::Interpret] {
            kind.withdraw(cx, &ids)?;
        }
        let erased = annals_records::erase(cx.txn, ns, now, &ids)?;
        cx.add_records(erased.delta);
        cx.extensions.erased(cx, deletion)?;
        for id in &deletion.stale {
            stale::note(cx.txn, ns, *id, now)?;
            TaskKind::Derive.queue(cx, *id)?;
        }
        deletion
            .shortened
            .iter()
            .try_for_each(|(id, oldest)| self.erase_history_in(cx, (*id, *oldest)))
    }

    /// Erases the texts of a memory before one of its rows, because one of its sources is gone,
    /// with the decisions about it: their reasons may repeat those texts. Memories that were
    /// derived from the earlier texts are to be derived again.
    pub fn erase_history_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (id, oldest): (MemoryId, Row),
    ) -> Result<(), Error> {
        let (ns, now) = (cx.ns, cx.now);
        let rows = annals_records::rows_of(&*cx.txn, ns, &[id])?
            .into_iter()
            .flatten()
            .collect::<Vec<Row>>();
        let Some((current, earlier)) = rows.split_last() else {
            return Ok(());
        };
        let going: Vec<Row> = earlier
            .iter()
            .filter(|row| **row < oldest)
            .copied()
            .collect();
        if going.is_empty() {
            return Ok(());
        }
        let derivations = annals_graph::derivations(&*cx.txn, ns, &going)?;
        let derived: BTreeSet<Row> = derivations
            .into_iter()
            .flat_map(|found| found.derived)
            .collect();
        let derived: Vec<Row> = derived
            .into_iter()
            .filter(|row| !rows.contains(row))
            .collect();
        for row in &derived {
            annals_graph::derive(cx.txn, ns, *row, &[*current])?;
        }
        for id in owners(&*cx.txn, ns, &derived)? {
            stale::note(cx.txn, ns, id, now)?;
            TaskKind::Derive.queue(cx, id)?;
        }
        decisions::forget(cx.txn, ns, &[id])?;
        let graph = annals_graph::plan_erase(&*cx.txn, ns, &going, &Origins { namespace: ns })?;
        cx.extensions.history_erased(cx, &going)?;
        clear(cx, going, graph)?;
        let erased = annals_records::erase_history(cx.txn, ns, now, (id, oldest))?;
        cx.add_records(erased.delta);
        Ok(())
    }
}

/// Takes rows that are about to go out of every layer but the records.
fn clear(cx: &mut WriteCx<'_, '_>, gone: Vec<Row>, graph: ErasePlan) -> Result<(), Error> {
    let ns = cx.ns;
    noted::remove_all(cx.txn, ns, &gone)?;
    revise::unmake(cx.txn, ns, &gone)?;
    late::unnote(cx.txn, ns, &gone)?;
    let terms = cx.terms()?;
    let lived = annals_lifecycle::erase(cx.txn, ns, terms.lane, &gone)?;
    graph.write(cx.txn)?;
    let removed = annals_text::store::remove(cx.txn, ns, &gone)?;
    for space in annals_vector::store::held(cx.txn, ns)? {
        for row in &gone {
            space.delete(cx.txn, *row)?;
        }
    }
    cx.add(Change {
        life: vec![lived],
        removed: Some(removed),
        gone,
        ..Change::default()
    });
    Ok(())
}

/// The memories that some outlived rows belong to, each with the first of its rows that came after
/// them.
fn outlived(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<(MemoryId, Row)>, Error> {
    let ids: Vec<MemoryId> = owners(reads, ns, rows)?.into_iter().collect();
    let all = annals_records::rows_of(reads, ns, &ids)?;
    let first = |own: Vec<Row>| {
        own.into_iter()
            .rev()
            .take_while(|row| !rows.contains(row))
            .last()
    };
    Ok(ids
        .into_iter()
        .zip(all)
        .filter_map(|(id, own)| Some((id, first(own)?)))
        .collect())
}
