//! Memories that contradict each other and were stored without a look at that.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::Yield;
use annals_language::same_words;
use annals_lifecycle::conflict::{self, Rival, Settlement};
use annals_storage::Reads;
use annals_types::profile::{ConflictStrategy, JobStep, RelationClass};
use annals_types::{Memory, MemoryId, NewMemory, Row, Status};

use crate::Curator;
use crate::jobs::twins::{hide, take_over_said};
use crate::jobs::understood;
use annals_engine::WriteCx;
use annals_engine::apart::Apart;
use annals_engine::effect::Effect;
use annals_engine::embed::Prepared;
use annals_engine::jobs::batch::Batch;
use annals_engine::jobs::{Counts, Run, StepResult, number, progress};
use annals_engine::pair_answer::{self, PairAnswer};
use annals_engine::resolve::{self, Settling, claim, in_use};
use annals_engine::suspicions::{self, Pair, Suspected};
use annals_engine::{DecisionQuestion, Error};

/// A memory with those that it may contradict.
pub(crate) struct Case {
    pub(crate) row: Row,
    pub(crate) rivals: Vec<Rival>,
    /// The answers of judges and persons about it and others.
    pub(crate) heard: Vec<PairAnswer>,
    /// A copy of its content, ready to be stored under another id, where the profile wants that.
    pub(crate) prepared: Option<Prepared>,
    /// The suspected contradictions that nobody has decided.
    pub(crate) suspected: Vec<(Pair, Suspected)>,
}

impl Curator<'_> {
    /// Settles contradictions between memories, as the profile says. Mere suspicions are counted,
    /// and wait for a judge or a person.
    pub(crate) fn settle_conflicts(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        let before = self.judge_suspicions(run)?;
        let made = self.in_batches(run, JobStep::Conflicts, |run, batch| {
            self.settle_batch(run, batch)
        })?;
        Ok(StepResult::Done(before).then(made))
    }

    fn settle_batch(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<Counts, Error> {
        let strategy = run.profile.settings.conflict.strategy;
        let off = matches!(
            strategy,
            ConflictStrategy::None | ConflictStrategy::Commands
        );
        let snapshot = self.snapshot()?;
        let mut cases = Vec::new();
        for row in batch.rows.iter().filter(|_| !off) {
            cases.extend(self.case(run, batch, &snapshot, *row)?);
        }
        let suspected = number(cases.iter().map(|case| case.suspected.len()).sum());
        let (closed, marked) = self.write_under(batch.ns, run.profile, run.at, |cx| {
            let mut settling = Settling::default();
            for case in &cases {
                self.settle_case(cx, &mut settling, case)?;
            }
            progress::note(cx.txn, cx.ns, JobStep::Conflicts, batch.last())?;
            Ok((settling.closed, settling.marked))
        })?;
        let counts = [
            ("checked", number(batch.rows.len())),
            ("contradictions", marked),
            ("closed", closed),
            ("suspected", suspected),
        ];
        Ok(counts
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count))
            .collect())
    }

    /// The memories stored before a row that it contradicts.
    pub(crate) fn case(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &annals_storage::Snapshot,
        row: Row,
    ) -> Result<Option<Case>, Error> {
        let settings = &run.profile.settings.conflict;
        let found = annals_records::memories(reads, batch.ns, &[row], Some(&batch.view.columns))?
            .pop()
            .flatten();
        let Some(memory) = found else { return Ok(None) };
        let mut rivals = resolve::rivals(reads, batch.ns, Some(row), &memory.body)?;
        let clashing = clashing(run, batch, reads, row)?;
        rivals.extend(
            clashing
                .into_iter()
                .filter(|clash| {
                    rivals
                        .iter()
                        .all(|rival| rival.claim.row != clash.claim.row)
                })
                .collect::<Vec<_>>(),
        );
        let (mut heard, mut suspected) = (Vec::new(), Vec::new());
        for (other, mut rival) in
            self.alike(batch, reads, (row, &memory), settings.min_similarity)?
        {
            if rivals
                .iter()
                .any(|known| known.claim.row == rival.claim.row)
            {
                continue;
            }
            let asks = conflict::needs_judge(settings, &rival) && self.advisers.has_judge();
            if asks {
                let said = self.judged(run, batch, reads, (row, rival.claim.row))?;
                rival.judged = said.as_ref().map(PairAnswer::says_so);
                heard.extend(said);
            }
            match rival.judged {
                Some(true) => rivals.push(rival),
                Some(false) => {}
                None => {
                    let found = Suspected {
                        similarity: rival.similarity,
                        at: run.at,
                        unclear: asks,
                    };
                    suspected.push(((memory.id, other), found));
                }
            }
        }
        rivals.retain(|rival| {
            rival.claim.row < row && (rival.same_kind || rival.judged == Some(true))
        });
        if rivals.is_empty() && heard.is_empty() && suspected.is_empty() {
            return Ok(None);
        }
        let prepared = if rivals.is_empty() {
            None
        } else {
            self.prepared_to_take_over(run, memory)?
        };
        Ok(Some(Case {
            row,
            rivals,
            heard,
            prepared,
            suspected,
        }))
    }

    /// A copy of a memory, to be stored in the place of those that it contradicts, where the
    /// profile wants that.
    pub(crate) fn prepared_to_take_over(
        &self,
        run: &Run<'_>,
        memory: Memory,
    ) -> Result<Option<Prepared>, Error> {
        if run.profile.settings.conflict.strategy != ConflictStrategy::UpdateInPlace {
            return Ok(None);
        }
        Ok(self
            .prepare(vec![
                NewMemory::from_body(memory.body)?.with_status(memory.status),
            ])?
            .pop())
    }

    /// Older memories of the same kind that may contradict one: they are very much like it, do not
    /// say the same, and are not tied to it otherwise.
    fn alike(
        &self,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        (row, memory): (Row, &Memory),
        at_least: f64,
    ) -> Result<Vec<(MemoryId, Rival)>, Error> {
        let view = &batch.view;
        let Some(query) = view.vectors.query_of(row) else {
            return Ok(Vec::new());
        };
        let older = |other: Row| {
            let used = matches!(
                view.columns.current_status(other),
                Some(Status::Active | Status::Staged)
            );
            other < row
                && used
                && view
                    .columns
                    .get(other)
                    .is_some_and(|facts| view.profile.ages(facts.layer))
        };
        let nearest = view.profile.nearest();
        let hits = view.vectors.search(&query, nearest, None, older);
        let tied = tied(batch, reads, row)?;
        let close = |hit: &annals_vector::Hit| {
            f64::from(hit.cosine) >= at_least && !tied.contains(&hit.row)
        };
        let hits: Vec<_> = hits.into_iter().filter(close).collect();
        let rows: Vec<Row> = hits.iter().map(|hit| hit.row).collect();
        let memories = annals_records::memories(reads, batch.ns, &rows, Some(&view.columns))?;
        let others = hits
            .iter()
            .zip(memories)
            .filter_map(|(hit, other)| Some((hit, other?)));
        // Validities that were settled before overlap no more.
        let over =
            |other: &Memory| other.body.valid_until.is_some() || memory.body.valid_until.is_some();
        let apart = Apart::of(
            reads,
            batch.ns,
            (row, memory),
            DecisionQuestion::Contradicts,
        )?;
        let alike = |other: &Memory| {
            other.body.kind == memory.body.kind && !over(other) && !apart.holds(other)
        };
        let others = others
            .filter(|(_, other)| alike(other) && !same_words(&other.body.text, &memory.body.text));
        let rival = |(hit, other): (&annals_vector::Hit, Memory)| {
            let rival = Rival {
                claim: claim(reads, batch.ns, hit.row, &other)?,
                same_kind: true,
                same_triple_key: false,
                similarity: f64::from(hit.cosine),
                judged: None,
            };
            Ok((other.id, rival))
        };
        others.map(rival).collect()
    }

    pub(crate) fn judged(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        (newer, older): (Row, Row),
    ) -> Result<Option<PairAnswer>, Error> {
        let Some(judge) = self.advisers.judge(run.profile, run.cancel) else {
            return Ok(None);
        };
        let shown = self.show(batch, reads, &[newer, older])?;
        let [newer, shown] = shown.as_slice() else {
            return Ok(None);
        };
        let Some(said) = understood(judge.contradicts(newer, shown))? else {
            return Ok(None);
        };
        Ok(Some(PairAnswer::of(
            DecisionQuestion::Contradicts,
            &*judge,
            (newer, shown, older),
            said,
        )))
    }

    pub(crate) fn settle_case(
        &self,
        cx: &mut WriteCx<'_, '_>,
        settling: &mut Settling,
        case: &Case,
    ) -> Result<(), Error> {
        let mut rows: Vec<Row> = case
            .rivals
            .iter()
            .map(|rival| settling.now(rival.claim.row))
            .collect();
        rows.push(settling.now(case.row));
        let mut found = annals_records::memories(&*cx.txn, cx.ns, &rows, None)?;
        let Some(own) = found.pop().flatten().filter(in_use) else {
            return Ok(());
        };
        let own = claim(&*cx.txn, cx.ns, settling.now(case.row), &own)?;
        let heard: Vec<(Row, &PairAnswer)> = case
            .heard
            .iter()
            .map(|heard| (settling.now(heard.other), heard))
            .collect();
        settling.effects.clear();
        let mut rivals = Vec::with_capacity(found.len());
        for ((rival, row), memory) in case.rivals.iter().zip(&rows).zip(found) {
            let Some(memory) = memory.filter(in_use) else {
                continue;
            };
            rivals.push(Rival {
                claim: claim(&*cx.txn, cx.ns, *row, &memory)?,
                same_kind: true,
                ..*rival
            });
        }
        let rivals = self.unsettled(cx, own.row, rivals)?;
        for settlement in conflict::resolve(&cx.profile.settings.conflict, &own, &rivals) {
            match settlement {
                Settlement::Replace { row, by } => {
                    let Some(prepared) = &case.prepared else {
                        continue;
                    };
                    let known = annals_records::memories(&*cx.txn, cx.ns, &[row], None)?
                        .pop()
                        .flatten();
                    let stays = known.map(|known| {
                        resolve::stays(&*cx.txn, cx.ns, &known, prepared.memory.body())
                    });
                    if stays.transpose()?.unwrap_or(false) {
                        continue;
                    }
                    self.take_over(cx, settling, (row, by), prepared)?;
                }
                settlement => self.settle(cx, settling, &settlement)?,
            }
        }
        pair_answer::note_all(
            cx,
            &heard,
            (own.row, std::mem::take(&mut settling.effects)),
            None,
        )?;
        for (pair, suspected) in &case.suspected {
            if annals_records::find_rows(&*cx.txn, cx.ns, &[pair.0, pair.1])?
                .iter()
                .all(Option::is_some)
            {
                suspicions::put(cx.txn, cx.ns, *pair, *suspected)?;
            }
        }
        Ok(())
    }

    /// Those of some rivals whose contradiction was not settled by a lower score before.
    fn unsettled(
        &self,
        cx: &WriteCx<'_, '_>,
        own: Row,
        rivals: Vec<Rival>,
    ) -> Result<Vec<Rival>, Error> {
        if cx.profile.settings.conflict.strategy != ConflictStrategy::Penalty {
            return Ok(rivals);
        }
        let pairs: Vec<(Row, Row)> = rivals.iter().map(|rival| (own, rival.claim.row)).collect();
        let open: BTreeSet<(Row, Row)> = annals_graph::unlinked(cx.txn, cx.ns, &pairs)?
            .into_iter()
            .collect();
        Ok(rivals
            .into_iter()
            .filter(|rival| open.contains(&(own, rival.claim.row)))
            .collect())
    }

    /// The older of two memories becomes what the newer says, which is hidden.
    fn take_over(
        &self,
        cx: &mut WriteCx<'_, '_>,
        settling: &mut Settling,
        (row, by): (Row, Row),
        prepared: &Prepared,
    ) -> Result<(), Error> {
        let ids = annals_records::ids_of(&*cx.txn, cx.ns, &[row, by])?;
        let [Some(id), Some(gone)] = ids.as_slice() else {
            return Ok(());
        };
        let before = annals_records::get(&*cx.txn, cx.ns, *id, None)?
            .map_or(0, |(_, memory)| memory.revision);
        let updated = self.remake_in(cx, *id, prepared, Yield::These(&[]))?;
        let after = annals_records::get(&*cx.txn, cx.ns, *id, None)?
            .map_or(0, |(_, memory)| memory.revision);
        settling.effects.push((
            row,
            Effect::Revised {
                id: *id,
                from: before,
                to: after,
            },
        ));
        let said = take_over_said(cx, (*id, updated.row), (*gone, by))?;
        settling.effects.push((row, said));
        let effect = hide(cx, *gone, by)?;
        settling.effects.extend(effect.map(|effect| (row, effect)));
        settling.marked += 1;
        Ok(())
    }
}

/// Memories that are linked with a row by a relation that explains how they belong together: a
/// cause is no contradiction.
fn tied(batch: &Batch<'_>, reads: &dyn Reads, row: Row) -> Result<BTreeSet<Row>, Error> {
    let relations = &batch.view.profile.settings.graph.relations;
    let says = |name: &str| {
        relations
            .iter()
            .any(|rule| rule.name == name && rule.class != RelationClass::Reference)
    };
    let links = annals_graph::links(reads, batch.ns, row)?;
    Ok(links
        .into_iter()
        .filter(|link| says(&link.relation))
        .flat_map(|link| [link.link.from, link.link.to])
        .collect())
}

/// Memories whose triples cannot hold with those of a row.
fn clashing(
    run: &Run<'_>,
    batch: &Batch<'_>,
    reads: &dyn Reads,
    row: Row,
) -> Result<Vec<Rival>, Error> {
    let clashes = annals_graph::clashes(reads, batch.ns, &run.profile.settings.graph, row)?;
    let rows: BTreeSet<Row> = clashes.into_iter().flat_map(|clash| clash.rows).collect();
    let rows: Vec<Row> = rows.into_iter().collect();
    let memories = annals_records::memories(reads, batch.ns, &rows, Some(&batch.view.columns))?;
    let found: BTreeMap<Row, Memory> = rows
        .into_iter()
        .zip(memories)
        .filter_map(|(row, memory)| Some((row, memory?)))
        .collect();
    let rival = |(row, memory): (Row, Memory)| {
        Ok(Rival {
            claim: claim(reads, batch.ns, row, &memory)?,
            same_kind: true,
            same_triple_key: true,
            similarity: 0.0,
            judged: None,
        })
    };
    found
        .into_iter()
        .filter(|(_, memory)| in_use(memory))
        .map(rival)
        .collect()
}
