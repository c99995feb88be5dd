//! What a question asks, found out before any memory is looked at.

use annals_records::{Columns, Feature as Facts};
use annals_text::{Analyzer, QueryTerm, Term};
use annals_types::profile::{RecallSettings, Weights};
use annals_types::{Calibration, Row, Timestamp};

use crate::dates::{self, Interval};
use crate::fusion::Fusion;
use crate::speakers::{Named, Speakers};
use crate::{Feature, Query};

/// The question as a vector, and how its cosines become scores.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// The vector prepared for comparisons.
    pub query: annals_vector::Query,
    /// The calibration of the embedder that made it.
    pub calibration: Calibration,
}

/// One vector out of those of a question and of the messages before it: the question counts 1, all messages together
/// `context_weight`, later ones more. `vectors` are in the order of [`Query::context`], then the question.
#[must_use]
pub fn query_vector(vectors: &[Vec<f32>], context_weight: f32) -> Vec<f32> {
    let Some((question, context)) = vectors.split_last() else { return Vec::new() };
    let mut sum = question.clone();
    let mut weight = context_weight / 2.0;
    for vector in context.iter().rev() {
        sum.iter_mut().zip(vector).for_each(|(s, x)| *s += weight * x);
        weight /= 2.0;
    }
    sum
}

pub(crate) struct Plan {
    /// What is searched by words.
    pub(crate) terms: annals_text::Query,
    pub(crate) speakers: Named,
    pub(crate) intervals: Vec<Interval>,
    pub(crate) asked_at: Timestamp,
    pub(crate) fusion: Fusion,
}

impl Plan {
    pub(crate) fn new(
        query: &Query,
        speakers: &Speakers,
        embedded: bool,
        settings: &RecallSettings,
        asked_at: Timestamp,
    ) -> Self {
        let named = if settings.weights.speaker > 0.0 { speakers.named(&query.text) } else { Named::default() };
        let terms = first(terms(query, &named, settings.context_weight), settings.query_terms);
        let searchable = !terms.is_empty();
        let intervals = dates::intervals(&query.text, asked_at);
        let asks_time = dates::asks_for_time(&query.text);
        let applies = |feature| match feature {
            Feature::Dense => embedded,
            Feature::Text | Feature::Window | Feature::Context => searchable,
            Feature::Speaker => !named.numbers.is_empty(),
            Feature::Time => !intervals.is_empty(),
            Feature::AsksTime => asks_time,
            _ => true,
        };
        let fusion = Fusion::new(&settings.weights, applies);
        let terms = if asks_time { with_time_mark(&terms) } else { terms };
        Self { terms, speakers: named, intervals, asked_at, fusion }
    }

    /// Whether the question names a speaker or a time, so that rows which fit deserve a search of their own.
    pub(crate) fn narrows(&self) -> bool {
        !self.speakers.numbers.is_empty() || !self.intervals.is_empty()
    }

    /// Whether a row fits every kind of thing that the question names.
    pub(crate) fn points_at(&self, facts: &Facts) -> bool {
        (self.speakers.numbers.is_empty() || self.speaks(facts))
            && (self.intervals.is_empty() || self.time_fit(facts) > 0.0)
    }

    /// What speaker and time are worth for a row.
    pub(crate) fn pointer(&self, columns: &Columns, row: Row, weights: &Weights) -> f32 {
        if !self.narrows() {
            return 0.0;
        }
        columns.get(row).map_or(0.0, |facts| {
            let speaker = if self.speaks(&facts) { weights.speaker } else { 0.0 };
            speaker + weights.time * self.time_fit(&facts)
        })
    }

    /// Whether a named speaker said it.
    pub(crate) fn speaks(&self, facts: &Facts) -> bool {
        facts.speaker.is_some_and(|speaker| self.speakers.numbers.contains(&speaker.0))
    }

    /// How well its time fits a named one, 0 to 1.
    pub(crate) fn time_fit(&self, facts: &Facts) -> f32 {
        self.intervals.iter().map(|interval| interval.fit(facts.time())).fold(0.0, f32::max)
    }

    pub(crate) fn wants(&self, feature: Feature, weights: &Weights) -> bool {
        feature.weight(weights) > 0.0 && self.fusion.applies(feature)
    }
}

/// The same terms, and without weight the mark of texts that speak of time, so that its occurrences are looked up too.
fn with_time_mark(terms: &annals_text::Query) -> annals_text::Query {
    let mark = QueryTerm { term: Term::TIME, surface: String::new(), weight: 0.0 };
    annals_text::Query::new(terms.terms().iter().cloned().chain([mark]))
}

/// At most `limit` terms, those that come first.
fn first(terms: annals_text::Query, limit: u32) -> annals_text::Query {
    let limit = usize::try_from(limit.max(1)).unwrap_or(usize::MAX);
    if terms.terms().len() <= limit {
        terms
    } else {
        annals_text::Query::new(terms.terms().iter().take(limit).cloned())
    }
}

/// The question's terms without the names of speakers (unless nothing else is left), then those of earlier messages.
fn terms(query: &Query, named: &Named, context_weight: f32) -> annals_text::Query {
    let analyzer = Analyzer::new();
    let asked = analyzer.query(&query.text);
    let bare = asked.clone().without(|term| named.is_name(&term.surface));
    let asked = if bare.is_empty() { asked } else { bare };
    if query.context.is_empty() || context_weight <= 0.0 {
        return asked;
    }
    let earlier = query.context.iter().rev().flat_map(|message| analyzer.query(message).terms().to_vec());
    let earlier = earlier.map(|mut term| {
        term.weight = context_weight;
        term
    });
    annals_text::Query::new(asked.terms().iter().cloned().chain(earlier))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_messages_count_less_and_fade() {
        let vectors = [vec![1.0, 0.0], vec![0.0, 1.0], vec![0.0, 0.0]];
        assert_eq!(query_vector(&vectors, 0.4), [0.1, 0.2]);
        assert_eq!(query_vector(&vectors[..1], 0.4), [1.0, 0.0]);
    }

    #[test]
    fn names_are_no_search_words_unless_nothing_else_is_asked() {
        let speakers = Speakers::new([(1, "Caroline")]);
        let settings = RecallSettings::default();
        let at = Timestamp::from_millis(0);
        let surfaces = |q: &str| -> Vec<String> {
            let plan = Plan::new(&Query::new(q), &speakers, false, &settings, at);
            plan.terms.terms().iter().map(|t| t.surface.clone()).collect()
        };
        assert_eq!(surfaces("Caroline paints?"), ["paints"]);
        assert_eq!(surfaces("Caroline?"), ["caroline"]);
    }

    #[test]
    fn earlier_messages_add_weaker_terms() {
        let query = Query::new("where is it?").context("my red bicycle");
        let plan =
            Plan::new(&query, &Speakers::default(), false, &RecallSettings::default(), Timestamp::from_millis(0));
        let weights: Vec<f32> = plan.terms.terms().iter().map(|t| t.weight).collect();
        assert_eq!(weights, [0.3, 0.3]);
    }
}
