//! The feature values of candidates. They depend on the question and the memory alone, not on the path or on other candidates.

use std::collections::HashMap;

use annals_records::Feature as Facts;
use annals_text::{Matches, Occurrences, QueryTerm, Term};
use annals_types::profile::RecallSettings;
use annals_types::{Importance, Row};

use crate::fusion::Values;
use crate::plan::{Embedded, Plan};
use crate::rank::Sources;
use crate::{Feature, RecallError};

/// Computes values for a set of rows; knows the frequencies of the question's terms in all rows around them.
pub(crate) struct Valuer<'a> {
    sources: &'a Sources<'a>,
    plan: &'a Plan,
    matches: &'a Matches,
    embedded: Option<&'a Embedded>,
    settings: &'a RecallSettings,
    around: HashMap<Row, Around>,
    rows: Vec<Row>,
    occurrences: Occurrences,
    average_length: f32,
}

/// The turns of a row's surroundings, in order, and where the row itself stands among them.
#[derive(Debug, Clone, Default)]
struct Around {
    turns: Vec<Row>,
    own: usize,
}

impl<'a> Valuer<'a> {
    pub(crate) fn new(
        sources: &'a Sources<'a>,
        plan: &'a Plan,
        matches: &'a Matches,
        embedded: Option<&'a Embedded>,
        settings: &'a RecallSettings,
        candidates: impl Iterator<Item = Row>,
    ) -> Result<Self, RecallError> {
        let around: HashMap<Row, Around> =
            candidates.map(|row| (row, surroundings(sources, row, settings.context_reach_turns))).collect();
        let mut rows: Vec<Row> = around.values().flat_map(|a| a.turns.iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let occurrences = matches.occurrences(&rows)?;
        let average_length = matches.statistics().average_length();
        Ok(Self { sources, plan, matches, embedded, settings, around, rows, occurrences, average_length })
    }

    /// The values of one of the candidates.
    pub(crate) fn values(&self, row: Row) -> Option<Values> {
        let facts = self.sources.columns.get(row)?;
        let around = self.around.get(&row)?;
        let mut values = Values::default();
        for (slot, feature) in values.iter_mut().zip(Feature::ALL) {
            if self.plan.wants(feature, &self.settings.weights) {
                *slot = self.value(feature, &facts, around).clamp(0.0, 1.0);
            }
        }
        Some(values)
    }

    fn value(&self, feature: Feature, facts: &Facts, around: &Around) -> f32 {
        match feature {
            Feature::Dense => self.dense(facts.row, around),
            Feature::Text => self.words(around, |at| flag(at == around.own)),
            Feature::Window => self.window(around),
            Feature::Context => self.context(around),
            Feature::Speaker => flag(self.plan.speaks(facts)),
            Feature::Time => self.plan.time_fit(facts),
            Feature::AsksTime => flag(self.mentions_time(facts.row)),
            Feature::Importance => facts.importance / (facts.importance + Importance::DEFAULT.get()),
            Feature::Recency => {
                let days = days(self.plan.asked_at.millis_since(facts.time()));
                (-days / self.settings.recency_half_life_days.max(f32::EPSILON) * std::f32::consts::LN_2).exp()
            }
            Feature::Usage => {
                let uses = small(self.sources.columns.uses(facts.row));
                uses / (uses + self.settings.use_half_count.max(f32::EPSILON))
            }
            Feature::Validity => flag(facts.valid_at(self.plan.asked_at)),
        }
    }

    /// The cosine with the vector of the window: own vector + `window_weight` x (the one before + the one after), as if that
    /// sum had been embedded and normalised.
    fn dense(&self, row: Row, around: &Around) -> f32 {
        let Some(embedded) = self.embedded else { return 0.0 };
        let index = self.sources.vectors;
        let Some(own) = index.similarity(row, &embedded.query) else { return 0.0 };
        let weight = self.settings.window_weight;
        let beside = |at: Option<usize>| at.and_then(|at| around.turns.get(at)).copied().filter(|r| index.contains(*r));
        let (before, after) = (beside(around.own.checked_sub(1)), beside(Some(around.own + 1)));
        let mut dot = own;
        let mut square = 1.0;
        for other in [before, after].into_iter().flatten() {
            dot += weight * index.similarity(other, &embedded.query).unwrap_or(0.0);
            square += weight * weight + 2.0 * weight * index.between(row, other).unwrap_or(0.0);
        }
        if let (Some(before), Some(after)) = (before, after) {
            square += 2.0 * weight * weight * index.between(before, after).unwrap_or(0.0);
        }
        embedded.calibration.score(dot / square.max(f32::EPSILON).sqrt())
    }

    fn window(&self, around: &Around) -> f32 {
        let weight = self.settings.window_weight;
        let share = |at: usize| match at.abs_diff(around.own) {
            0 => 1.0,
            1 => weight,
            _ => 0.0,
        };
        self.words(around, share)
    }

    fn context(&self, around: &Around) -> f32 {
        self.words(around, |_| 1.0)
    }

    /// BM25 of a document made of the turns around a row, each counted with its share. Its length is compared with that of as
    /// many mean turns.
    fn words(&self, around: &Around, share: impl Fn(usize) -> f32) -> f32 {
        let mut counts = vec![0.0; self.matches.query().terms().len()];
        let (mut length, mut turns) = (0.0, 0.0);
        for (at, row) in around.turns.iter().enumerate() {
            let share = share(at);
            if share <= 0.0 {
                continue;
            }
            let Ok(place) = self.rows.binary_search(row) else { continue };
            turns += share;
            length += share * f32::from(self.occurrences.length(place));
            let found = self.occurrences.counts(place);
            counts.iter_mut().zip(found).for_each(|(sum, count)| *sum += share * small(*count));
        }
        self.matches.score(&counts, length, self.average_length * turns)
    }

    /// Question terms that a memory itself holds.
    fn held(&self, row: Row) -> impl Iterator<Item = &QueryTerm> + '_ {
        let place = self.rows.binary_search(&row).ok();
        let counts = place.map_or(&[][..], |place| self.occurrences.counts(place));
        self.matches.query().terms().iter().zip(counts).filter(|(_, count)| **count > 0).map(|(term, _)| term)
    }

    fn mentions_time(&self, row: Row) -> bool {
        self.held(row).any(|held| held.term == Term::TIME)
    }

    /// The words of the question that a memory itself holds.
    pub(crate) fn matched(&self, row: Row) -> Vec<String> {
        self.held(row).filter(|held| held.term != Term::TIME).map(|held| held.surface.clone()).collect()
    }
}

fn surroundings(sources: &Sources<'_>, row: Row, reach: u32) -> Around {
    let visible = |row: &Row| sources.columns.get(*row).is_some_and(|f| sources.shown(&f));
    let mut before = Vec::new();
    let mut at = row;
    while before.len() < reach as usize
        && let Some(next) = sources.columns.neighbours(at).0
    {
        before.push(next);
        at = next;
    }
    before.reverse();
    before.retain(visible);
    let own = before.len();
    let mut turns = before;
    turns.push(row);
    let mut at = row;
    let mut taken = 0;
    while taken < reach
        && let Some(next) = sources.columns.neighbours(at).1
    {
        if visible(&next) {
            turns.push(next);
        }
        at = next;
        taken += 1;
    }
    Around { turns, own }
}

const fn flag(set: bool) -> f32 {
    if set { 1.0 } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "small counts are exact")]
const fn small(count: u32) -> f32 {
    count as f32
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a share of days needs no more digits"
)]
fn days(millis: i64) -> f32 {
    (millis as f64 / 86_400_000.0) as f32
}
