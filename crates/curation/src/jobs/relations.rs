//! Relations between memories: causes that a judge finds among those near in time, and entities of
//! which several speak.

use std::collections::BTreeSet;

use annals_graph::{MemoryWalk, NewLink, near_in_time};
use annals_storage::Reads;
use annals_types::profile::{DiscoverySettings, JobStep};
use annals_types::{Causality, Judge, Reasoned, Row, Shown, Timestamp};

use crate::Curator;
use crate::jobs::{NOT_UNDERSTOOD, understood};
use annals_engine::WriteCx;
use annals_engine::graph::known_rows;
use annals_engine::jobs::batch::Batch;
use annals_engine::jobs::{Counts, Run, StepResult, number, progress};
use annals_engine::pair_answer::PairAnswer;
use annals_engine::resolve::linked;
use annals_engine::{DecisionQuestion, Error};

impl Curator<'_> {
    /// Looks for relations of the memories that a run treats.
    pub(crate) fn discover_relations(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        for (ns, _) in run.spaces {
            self.embed_late(*ns)?;
        }
        self.in_batches(run, JobStep::Relations, |run, batch| {
            self.relate_batch(run, batch)
        })
    }

    fn relate_batch(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<Counts, Error> {
        let settings = &run.profile.settings.graph.discovery;
        let mut counts = Counts::new();
        let mut links = Vec::new();
        if settings.enabled {
            let snapshot = self.snapshot()?;
            links = self.causes(run, batch, &snapshot, &mut counts)?;
            links.extend(shared(run, batch, &snapshot)?);
        }
        let made = self.write_under(batch.ns, run.profile, run.at, |cx| {
            let made = link_all(cx, &links)?;
            progress::note(cx.txn, cx.ns, JobStep::Relations, batch.last())?;
            Ok(made)
        })?;
        counts.insert("linked".to_owned(), made);
        Ok(counts)
    }

    /// The causal links that the judge finds between memories near in time.
    fn causes(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        counts: &mut Counts,
    ) -> Result<Vec<FoundLink>, Error> {
        let settings = &run.profile.settings.graph.discovery;
        let pairs = near_in_time(&moments(batch), settings.within_seconds);
        let mut links = Vec::new();
        for (first, second) in annals_graph::unlinked(reads, batch.ns, &pairs)? {
            if !self.may_be_related(run, batch, reads, (first, second))? {
                continue;
            }
            let Some(judge) = self.advisers.judge(run.profile, run.cancel) else {
                *counts.entry("not judged".to_owned()).or_insert(0) += 1;
                continue;
            };
            let shown = self.show(batch, reads, &[first, second])?;
            let [earlier, later] = shown.as_slice() else {
                continue;
            };
            let found = cause(settings, &*judge, (first, earlier), (second, later))?;
            let word = if found.is_some() {
                "judged"
            } else {
                NOT_UNDERSTOOD
            };
            *counts.entry(word.to_owned()).or_insert(0) += 1;
            links.extend(found);
        }
        Ok(links)
    }

    /// Whether two memories have enough to do with each other for the judge to be asked.
    fn may_be_related(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        (first, second): (Row, Row),
    ) -> Result<bool, Error> {
        let settings = &run.profile.settings.graph;
        if settings.discovery.min_similarity <= 0.0 {
            return Ok(true);
        }
        let cosine = batch
            .view
            .vectors
            .between(first, second)
            .map_or(0.0, f64::from);
        if cosine >= settings.discovery.min_similarity {
            return Ok(true);
        }
        Ok(!annals_graph::shared_entities(reads, batch.ns, settings, &[first, second])?.is_empty())
    }

    /// Memories as a judge is shown them.
    pub(crate) fn show(
        &self,
        batch: &Batch<'_>,
        reads: &dyn Reads,
        rows: &[Row],
    ) -> Result<Vec<Shown>, Error> {
        let memories = annals_records::memories(reads, batch.ns, rows, Some(&batch.view.columns))?;
        let now = self.now();
        let shown = |(row, memory): (&Row, Option<annals_types::Memory>)| {
            let memory = memory?;
            Some(Shown {
                id: memory.id,
                time: memory.body.event_time.unwrap_or(memory.stored_at),
                retention: batch
                    .view
                    .worth
                    .retention(*row, now)
                    .unwrap_or_else(|| f64::from(memory.body.importance.get())),
                text: memory.body.text,
            })
        };
        Ok(rows.iter().zip(memories).filter_map(shown).collect())
    }
}

/// The memories of a batch and the one before them, each with the moment of its storing: a pair
/// may span two batches.
fn moments(batch: &Batch<'_>) -> Vec<(Row, Timestamp)> {
    let columns = &batch.view.columns;
    let first = batch.rows.first().copied().unwrap_or_default();
    let shows = |row: &Row| {
        let facts = columns
            .get(*row)
            .filter(|facts| !facts.replaced && batch.view.profile.ages(facts.layer));
        facts.is_some_and(|facts| facts.status != annals_types::Status::Forgotten)
    };
    let before = columns
        .rows()
        .rev()
        .skip_while(|row| *row >= first)
        .find(shows);
    let rows = before.into_iter().chain(batch.rows.iter().copied());
    rows.filter_map(|row| Some((row, columns.get(row)?.stored_at)))
        .collect()
}

/// The link that a judge's answer about an earlier and a later memory amounts to; `None` for an
/// answer that cannot be understood.
fn cause(
    settings: &DiscoverySettings,
    judge: &dyn Judge,
    (first, earlier): (Row, &Shown),
    (second, later): (Row, &Shown),
) -> Result<Option<FoundLink>, Error> {
    let Some(said) = understood(judge.causality(earlier, later))? else {
        return Ok(None);
    };
    let (ends, answer) = match said.answer {
        Causality::FirstCauses => (Some((first, second)), "the first causes the second"),
        Causality::SecondCauses if settings.ask_direction => {
            (Some((second, first)), "the second causes the first")
        }
        _ => (None, "neither"),
    };
    let said = Reasoned::new(ends.is_some(), said.reason);
    let heard = PairAnswer::of(
        DecisionQuestion::Cause,
        judge,
        (earlier, later, second),
        said,
    )
    .answering(answer);
    let link = |(from, to): (Row, Row)| -> Result<NewLink, Error> {
        let link = NewLink::new(from, settings.cause.as_str(), to).weight(settings.cause_weight)?;
        Ok(link
            .field("discovered", true)
            .field("confidence", exact(settings.cause_confidence)))
    };
    Ok(Some(FoundLink {
        link: ends.map(link).transpose()?,
        heard: Some(heard),
    }))
}

/// Links of memories that speak of the same entities: those of a batch with each other and with
/// older ones.
fn shared(run: &Run<'_>, batch: &Batch<'_>, reads: &dyn Reads) -> Result<Vec<FoundLink>, Error> {
    let settings = &run.profile.settings.graph;
    let own: BTreeSet<Row> = batch.rows.iter().copied().collect();
    let near =
        annals_graph::expand_memories(reads, batch.ns, batch.rows, MemoryWalk::new(1, settings))?;
    let mut rows = own.clone();
    rows.extend(near.reached.iter().map(|node| node.row));
    let rows: Vec<Row> = rows.into_iter().collect();
    let pairs = annals_graph::related_pairs(reads, batch.ns, settings, &rows)?;
    let fresh = pairs
        .into_iter()
        .filter(|(one, other)| own.contains(one) || own.contains(other));
    let link = |(one, other)| {
        let link = NewLink::new(one, settings.discovery.shared.as_str(), other);
        let link = link
            .weight(settings.discovery.shared_weight)?
            .field("discovered", true);
        Ok(FoundLink {
            link: Some(link),
            heard: None,
        })
    };
    fresh.map(link).collect()
}

/// Makes those of some links whose memories nothing connects yet.
fn link_all(cx: &mut WriteCx<'_, '_>, found: &[FoundLink]) -> Result<u64, Error> {
    let mut made = 0;
    for FoundLink { link, heard } in found {
        let mut effects = Vec::new();
        if let Some(link) = link {
            let ends = known_rows(cx.txn, cx.ns, cx.now, &[link.from, link.to])?;
            if ends.len() == 2
                && !annals_graph::unlinked(&*cx.txn, cx.ns, &[(link.from, link.to)])?.is_empty()
            {
                annals_graph::link(cx.txn, cx.scope(), link)?;
                effects.extend(linked(&*cx.txn, cx.ns, link)?);
                made += 1;
            }
        }
        if let Some(heard) = heard {
            heard.note(cx, effects, None)?;
        }
    }
    Ok(number(made))
}

/// A link that may be made, and what a judge said where one found it.
struct FoundLink {
    link: Option<NewLink>,
    heard: Option<PairAnswer>,
}

/// The number that was meant: 0.7 in single precision is a little less.
fn exact(single: f32) -> f64 {
    single
        .to_string()
        .parse()
        .unwrap_or_else(|_| f64::from(single))
}
