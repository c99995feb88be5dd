//! Memories that say the same become one.

use std::collections::BTreeMap;

use annals_graph::{NewLink, Yield};
use annals_lifecycle::State;
use annals_lifecycle::dedup::{Candidate, Dedup, dedup};
use annals_storage::Reads;
use annals_types::profile::{DedupMoment, DedupUnit, JobStep, RelationClass};
use annals_types::{Body, Memory, MemoryId, Row, Status};

use crate::Curator;
use crate::jobs::understood;
use annals_engine::apart::Apart;
use annals_engine::effect::{Effect, Worth};
use annals_engine::graph::known_rows;
use annals_engine::jobs::batch::Batch;
use annals_engine::jobs::{Counts, Run, StepResult, number, progress};
use annals_engine::pair_answer::PairAnswer;
use annals_engine::resolve::{self, linked, relation_of};
use annals_engine::{DecisionQuestion, Error};
use annals_engine::{WriteCx, claims, evidence, life, retold};

/// Two memories found to be one.
pub(crate) struct Twins {
    /// The one that stays.
    pub(crate) older: Row,
    /// The one whose traits and ties the older one takes over.
    pub(crate) newer: Row,
    /// Whether they are one; otherwise a judge said that they are two.
    pub(crate) same: bool,
    /// The answer of a judge about them, where one was asked.
    pub(crate) heard: Option<PairAnswer>,
}

impl Curator<'_> {
    /// Unites memories that say the same, or the nodes of their graphs, as the profile compares.
    pub(crate) fn remove_duplicates(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        match (
            run.profile.settings.dedup.unit,
            run.profile.settings.dedup.when,
        ) {
            (_, DedupMoment::Never) => Ok(StepResult::Done(Counts::new())),
            (DedupUnit::Node, _) => self.merge_nodes(run),
            (DedupUnit::Record, _) => self.in_batches(run, JobStep::Dedup, |run, batch| {
                self.unite_batch(run, batch)
            }),
        }
    }

    pub(crate) fn unite_batch(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<Counts, Error> {
        let snapshot = self.snapshot()?;
        let mut twins = Vec::new();
        for row in batch.rows {
            twins.extend(self.twin_of(run, batch, &snapshot, *row)?);
        }
        let merged = self.write_under(batch.ns, run.profile, run.at, |cx| {
            let mut became = BTreeMap::new();
            let mut merged = 0;
            for twins in &twins {
                let older = became.get(&twins.older).copied().unwrap_or(twins.older);
                if let Some(row) = self.unite(cx, older, twins)? {
                    became.insert(twins.older, row);
                    merged += 1;
                }
            }
            progress::note(cx.txn, cx.ns, JobStep::Dedup, batch.last())?;
            Ok(merged)
        })?;
        Ok([
            ("checked".to_owned(), number(batch.rows.len())),
            ("merged".to_owned(), merged),
        ]
        .into())
    }

    /// The older memory that one is, or that a judge was asked about.
    pub(crate) fn twin_of(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        row: Row,
    ) -> Result<Option<Twins>, Error> {
        match self.compared(run, batch, reads, row)? {
            Dedup::New => Ok(None),
            Dedup::Same(older) => Ok(Some(Twins {
                older,
                newer: row,
                same: true,
                heard: None,
            })),
            Dedup::Ask(older) => {
                let Some(judge) = self.advisers.judge(run.profile, run.cancel) else {
                    return Ok(None);
                };
                let shown = self.show(batch, reads, &[row, older])?;
                let [newer_shown, older_shown] = shown.as_slice() else {
                    return Ok(None);
                };
                let Some(said) = understood(judge.same(newer_shown, older_shown))? else {
                    return Ok(None);
                };
                let same = said.answer;
                let heard = PairAnswer::of(
                    DecisionQuestion::Same,
                    &*judge,
                    (newer_shown, older_shown, older),
                    said,
                );
                Ok(Some(Twins {
                    older,
                    newer: row,
                    same,
                    heard: Some(heard),
                }))
            }
        }
    }

    /// Whether a memory surely says what an older one says.
    pub(crate) fn is_double(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        row: Row,
    ) -> Result<bool, Error> {
        Ok(matches!(
            self.compared(run, batch, reads, row)?,
            Dedup::Same(_)
        ))
    }

    /// A memory against those stored before it.
    fn compared(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        row: Row,
    ) -> Result<Dedup, Error> {
        let settings = &run.profile.settings.dedup;
        let view = &batch.view;
        let older = |other: Row| {
            other < row
                && view.columns.current_status(other) == Some(Status::Active)
                && view
                    .columns
                    .get(other)
                    .is_some_and(|facts| view.profile.ages(facts.layer))
        };
        let Some(query) = view.vectors.query_of(row) else {
            return Ok(Dedup::New);
        };
        let hits = view
            .vectors
            .search(&query, run.profile.nearest_twins(), None, older);
        let mut rows: Vec<Row> = hits.iter().map(|hit| hit.row).collect();
        rows.push(row);
        let mut memories = annals_records::memories(reads, batch.ns, &rows, Some(&view.columns))?;
        let Some(own) = memories.pop().flatten() else {
            return Ok(Dedup::New);
        };
        let key = claims::key_of(&own.body);
        let apart = Apart::of(reads, batch.ns, (row, &own), DecisionQuestion::Same)?;
        let told = resolve::told_at(reads, batch.ns, &own)?;
        let candidate = |(hit, memory): (&annals_vector::Hit, &Option<Memory>)| {
            let over = |memory: &&Memory| resolve::is_over(&memory.body, &own.body, told);
            let memory = memory
                .as_ref()
                .filter(|memory| !apart.holds(memory) && !over(memory))?;
            Some(Candidate {
                row: hit.row,
                similarity: f64::from(hit.cosine.max(0.0)),
                same_text: resolve::says_the_same(&memory.body, &own.body),
                same_kind: memory.body.kind == own.body.kind,
                same_triple_key: key.is_some() && key == claims::key_of(&memory.body),
                contrast: resolve::says_another(&memory.body, &own.body),
            })
        };
        let candidates: Vec<Candidate> = hits.iter().zip(&memories).filter_map(candidate).collect();
        Ok(dedup(settings, &candidates))
    }

    /// The older of two memories, given by its current row, takes over from the newer one, which
    /// is hidden; restoring the newer one makes them two again.
    /// Answers the row that the older one has by now, or nothing when they are two, or one of them
    /// no longer exists.
    pub(crate) fn unite(
        &self,
        cx: &mut WriteCx<'_, '_>,
        older: Row,
        twins: &Twins,
    ) -> Result<Option<Row>, Error> {
        let newer = twins.newer;
        if !twins.same {
            return twins
                .heard
                .iter()
                .try_for_each(|heard| heard.note(cx, Vec::new(), None))
                .map(|()| None);
        }
        let both = annals_records::memories(&*cx.txn, cx.ns, &[older, newer], None)?;
        let [Some(known), Some(twin)] = both.as_slice() else {
            return Ok(None);
        };
        let current = annals_records::find_rows(&*cx.txn, cx.ns, &[known.id, twin.id])?;
        let active = known.status == Status::Active && twin.status == Status::Active;
        if current != [Some(older), Some(newer)] || !active {
            return Ok(None);
        }
        let score = score_of(cx, newer)?;
        let worth = Worth::now(&*cx.txn, cx.ns, older)?;
        let since = resolve::claim(&*cx.txn, cx.ns, older, known)?.valid_from;
        let joined = retold::joined(known.id, since, &known.body, &twin.body);
        let alter = |body: &mut Body| *body = joined;
        let with = |state: &mut State| {
            state.set_value(score.map_or(state.value, |score| state.value.max(score)));
            state.expires_at = state
                .expires_at
                .zip(twin.body.expires_at)
                .map(|(one, other)| one.max(other));
        };
        let updated = self.revise_in(cx, older, alter, with)?;
        let mut effects = vec![Effect::Revised {
            id: known.id,
            from: known.revision,
            to: known.revision.saturating_add(1),
        }];
        effects.extend(Worth::changed(
            &*cx.txn,
            cx.ns,
            (known.id, updated.row),
            worth,
        )?);
        life::derive(cx, (updated.row, known.status), &twin.body)?;
        effects.push(take_over_said(
            cx,
            (known.id, updated.row),
            (twin.id, newer),
        )?);
        effects.extend(hide(cx, twin.id, newer)?);
        if let Some(relation) = relation_of(cx.profile, RelationClass::Succession) {
            let link = NewLink::new(updated.row, relation, newer).field("duplicate", true);
            if !annals_graph::link(cx.txn, cx.scope(), &link)?.existed {
                effects.extend(linked(&*cx.txn, cx.ns, &link)?);
            }
        }
        if let Some(heard) = &twins.heard {
            heard.note(cx, effects, None)?;
        }
        Ok(Some(updated.row))
    }
}

/// Lets a row say what a newer memory says; answers what that brought.
pub(crate) fn take_over_said(
    cx: &mut WriteCx<'_, '_>,
    (id, row): (MemoryId, Row),
    (of, newer): (MemoryId, Row),
) -> Result<Effect, Error> {
    known_rows(cx.txn, cx.ns, cx.now, &[newer])?;
    let (before, said) = (
        evidence::said_by(&*cx.txn, cx.ns, row)?,
        evidence::said_by(&*cx.txn, cx.ns, newer)?,
    );
    annals_graph::carry(cx.txn, cx.scope(), newer, row, Yield::Same)?;
    Ok(evidence::taken_over((id, &before), (of, said)))
}

/// Hides a memory that another one stands for by now; its life goes on as that of a hidden one.
pub(crate) fn hide(
    cx: &mut WriteCx<'_, '_>,
    id: MemoryId,
    row: Row,
) -> Result<Option<Effect>, Error> {
    let written = annals_records::set_status(cx.txn, cx.ns, cx.now, &[id], Status::Forgotten)?;
    let effect = written.outcome.first().map(|set| Effect::Status {
        id,
        from: set.from,
        to: set.to,
    });
    cx.extensions.status_changed(cx, &written.outcome)?;
    cx.add_records(written.delta);
    if annals_lifecycle::states(&*cx.txn, cx.ns, &[row])?
        .into_iter()
        .flatten()
        .next()
        .is_some()
    {
        let terms = cx.terms()?;
        let hidden = annals_lifecycle::set_status(
            cx.txn,
            cx.ns,
            &terms.regime(),
            cx.now,
            &[row],
            Status::Forgotten,
        )?;
        cx.add_life([hidden]);
    }
    Ok(effect)
}

/// The score of a row at the moment of a job.
fn score_of(cx: &WriteCx<'_, '_>, row: Row) -> Result<Option<f64>, Error> {
    let state = annals_lifecycle::states(cx.txn, cx.ns, &[row])?
        .pop()
        .flatten();
    let terms = cx.terms()?;
    let regime = terms.regime();
    Ok(state.map(|state| {
        regime
            .policy
            .score(&state.anchor(regime.policy), regime.passes, cx.now)
    }))
}
