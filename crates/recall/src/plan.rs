//! The plan of a question, made before any memory is looked at.

use std::borrow::Cow;
use std::collections::HashSet;

use annals_records::{Columns, Feature as Facts};
use annals_text::{Analyzer, QueryTerm, Term};
use annals_types::profile::{RecallSettings, Weights};
use annals_types::{Calibration, Interval, Row, Script, SearchPart, Timestamp};

use crate::fusion::Fusion;
use crate::speakers::NamedSpeakers;
use crate::{Feature, Meant, Query, Times};

/// The question as a vector, and how its cosines become scores.
#[derive(Debug, Clone)]
pub struct Embedded {
    /// The vector prepared for comparisons.
    pub query: annals_vector::Query,
    /// The calibration of the embedder that made it.
    pub calibration: Calibration,
    /// The script of the question.
    pub script: Script,
    /// The sentences of a question of several, each prepared likewise.
    pub parts: Vec<annals_vector::Query>,
    /// How near the question is to everyday talk
    /// ([`Prototypes::everyday`](crate::Prototypes::everyday)); `None` where that is not known.
    pub everyday: Option<f32>,
}

/// The texts to be embedded for a question: the messages before it, then `asked`, the words of the
/// question that are embedded; or all of them in the form that the profile gives them, where there
/// are any messages.
#[must_use]
pub fn query_texts<'q>(
    query: &'q Query,
    asked: &'q str,
    settings: &RecallSettings,
) -> Vec<Cow<'q, str>> {
    let recent = query.recent(settings);
    match &settings.query_form {
        Some(form) if !recent.is_empty() => {
            let context = recent.join("\n");
            // Messages may hold a brace of their own: the form is taken apart, not the texts put
            // into it.
            let parts = form
                .split("{context}")
                .map(|part| part.replace("{message}", asked));
            vec![Cow::Owned(parts.collect::<Vec<_>>().join(&context))]
        }
        _ => recent
            .iter()
            .map(|message| Cow::Borrowed(message.as_str()))
            .chain([Cow::Borrowed(asked)])
            .collect(),
    }
}

/// One vector out of those of a question and of the messages before it: the question counts 1, all
/// messages together `context_weight`, later ones more. `vectors` are in the order of
/// [`query_texts`].
#[must_use]
pub fn query_vector(vectors: &[Vec<f32>], context_weight: f32) -> Vec<f32> {
    let Some((question, context)) = vectors.split_last() else {
        return Vec::new();
    };
    let mut sum = question.clone();
    let mut weight = context_weight / 2.0;
    for vector in context.iter().rev() {
        sum.iter_mut()
            .zip(vector)
            .for_each(|(s, x)| *s += weight * x);
        weight /= 2.0;
    }
    sum
}

pub(crate) struct Plan {
    /// The terms to search for.
    pub(crate) terms: annals_text::Query,
    /// The terms of each sentence of a question of several.
    pub(crate) parts: Vec<HashSet<Term>>,
    pub(crate) speakers: NamedSpeakers,
    pub(crate) intervals: Vec<Meant>,
    /// Whether nothing but a time is asked for.
    pub(crate) bare: bool,
    /// Whether it asks how something was before it changed.
    pub(crate) earlier: bool,
    pub(crate) first_person: bool,
    /// Whether it asks how something is now.
    current: bool,
    /// Whether it tells of what was.
    past: bool,
    pub(crate) for_prompt: bool,
    /// Whether it is what was said then that is asked for, and not what was said of it.
    pub(crate) talk: bool,
    pub(crate) asked_at: Timestamp,
    pub(crate) fusion: Fusion,
    /// The channels that the question can use.
    embedded: bool,
    searchable: bool,
    /// The search that a backend stands for.
    found: Option<SearchPart>,
    asks_time: bool,
}

impl Plan {
    pub(crate) fn new(
        query: &Query,
        speakers: &NamedSpeakers,
        (embedded, found): (bool, Option<SearchPart>),
        settings: &RecallSettings,
        asked_at: Timestamp,
    ) -> Self {
        let terms = first(terms(query, speakers, settings), settings.query_terms);
        let searchable = !terms.is_empty();
        let times = query.times.clone().unwrap_or_default();
        let wanted = settings.weights.time > 0.0 || settings.restrict_to_times;
        let intervals = if wanted {
            times.named.clone()
        } else {
            Vec::new()
        };
        let (talk, bare) = (times.bare, settings.restrict_to_times && times.bare);
        let asks_time = times.asked;
        let Times {
            earlier,
            first_person,
            current,
            past,
            ..
        } = times;
        let for_prompt = query.for_prompt;
        let terms = if asks_time {
            with_time_mark(&terms)
        } else {
            terms
        };
        let fusion = Fusion::none();
        let speakers = speakers.clone();
        let parts = parts(&query.text);
        let mut plan = Self {
            bare,
            earlier,
            first_person,
            current,
            past,
            for_prompt,
            talk,
            terms,
            parts,
            speakers,
            intervals,
            asked_at,
            fusion,
            embedded,
            searchable,
            found,
            asks_time,
        };
        plan.fuse(settings, false);
        plan
    }

    /// Decides how features are fused, once it is known whether the graph has anything to say.
    pub(crate) fn fuse(&mut self, settings: &RecallSettings, graph: bool) {
        self.fusion = self.fused(settings, graph, false);
    }

    /// The weights as the question applies them. `faint` says that no memory is like it in meaning,
    /// so that a time that it names says the most.
    pub(crate) fn fused(&self, settings: &RecallSettings, graph: bool, faint: bool) -> Fusion {
        let applies = |feature| match feature {
            Feature::Own | Feature::Dense => {
                self.embedded || self.found == Some(SearchPart::Meaning)
            }
            Feature::Text if self.found == Some(SearchPart::Words) => true,
            Feature::Text | Feature::Window | Feature::Context => self.searchable,
            Feature::Speaker => !self.speakers.numbers.is_empty(),
            Feature::Time => !self.intervals.is_empty(),
            Feature::AsksTime => self.asks_time,
            // A sum counts the graph whether or not it knows anything.
            Feature::Graph => graph || settings.fusion == annals_types::profile::Fusion::Sum,
            // What has ended is what a question asks for that asks how it was before.
            Feature::Validity => !self.earlier,
            _ => true,
        };
        let mut weights = settings.weights;
        if (self.talk || faint) && settings.fusion == annals_types::profile::Fusion::Relevance {
            weights.time *= BARE_TIME;
        }
        Fusion::new(settings, &weights, applies)
    }

    /// Whether the question may be for how something is, or was before it changed.
    pub(crate) fn may_ask_state(&self) -> bool {
        !self.bare && self.intervals.is_empty() && (self.asks_state() || !self.past)
    }

    /// Whether it says that it is, or its answer stands in a prompt.
    pub(crate) fn asks_state(&self) -> bool {
        self.current || self.earlier || self.for_prompt
    }

    /// Whether the question names a speaker or a time, so that rows which fit deserve a search of
    /// their own.
    pub(crate) fn narrows(&self) -> bool {
        !self.speakers.numbers.is_empty() || !self.intervals.is_empty()
    }

    /// Whether a row happened, or its text names a time, within a time that the question names.
    pub(crate) fn is_within(&self, columns: &Columns, facts: &Facts) -> bool {
        self.fits_within(columns, facts, &|_| true)
    }

    /// Like [`is_within`](Self::is_within), where what happened in the present counts for nothing.
    pub(crate) fn is_timely(&self, columns: &Columns, facts: &Facts) -> bool {
        self.fits_within(columns, facts, &|meant| !self.is_present(meant))
    }

    /// Whether a row happened within one of those times of the question that `counts`, or its text
    /// names a time within any.
    fn fits_within(
        &self,
        columns: &Columns,
        facts: &Facts,
        counts: &dyn Fn(&Meant) -> bool,
    ) -> bool {
        let moment = facts.time();
        self.intervals.iter().any(|meant| {
            counts(meant) && meant.start <= moment && moment < meant.end
                || self
                    .named_times(columns, facts)
                    .any(|named| meant.start < named.end && named.start < meant.end)
        })
    }

    /// Whether a row is true at a time that the question names, or, where it names none or asks
    /// what was said then, when it is asked.
    pub(crate) fn is_true(&self, facts: &Facts) -> bool {
        let during = |meant: &Meant| {
            facts.valid_from.is_none_or(|from| from < meant.end)
                && facts.valid_until.is_none_or(|until| meant.start < until)
        };
        match self.talk || self.intervals.is_empty() {
            true => facts.valid_at(self.asked_at),
            false => self.intervals.iter().any(during),
        }
    }

    /// Whether a row fits every kind of thing that the question names.
    pub(crate) fn points_at(&self, columns: &Columns, facts: &Facts) -> bool {
        (self.speakers.numbers.is_empty() || self.speaks(facts))
            && (self.intervals.is_empty() || self.time_fit(columns, facts).0 > 0.0)
    }

    /// The value of speaker and time for a row.
    pub(crate) fn pointer(&self, columns: &Columns, row: Row, weights: &Weights) -> f32 {
        if !self.narrows() {
            return 0.0;
        }
        columns.get(row).map_or(0.0, |facts| {
            let speaker = if self.speaks(&facts) {
                weights.speaker
            } else {
                0.0
            };
            speaker + weights.time * self.time_fit(columns, &facts).0
        })
    }

    /// Whether a named speaker said it.
    pub(crate) fn speaks(&self, facts: &Facts) -> bool {
        facts
            .speaker
            .is_some_and(|speaker| self.speakers.numbers.contains(&speaker.0))
    }

    /// How well when it happened, or a time that its text names, fits a time of the question, 0 to
    /// 1; and the latter where it is what fits.
    pub(crate) fn time_fit(&self, columns: &Columns, facts: &Facts) -> (f32, Option<Interval>) {
        let best = |fit: &dyn Fn(&Meant) -> f32| self.intervals.iter().map(fit).fold(0.0, f32::max);
        let told = |meant: &Meant| {
            if self.is_present(meant) {
                0.0
            } else {
                meant.fit(facts.time())
            }
        };
        let happened = (best(&told), None);
        self.named_times(columns, facts)
            .fold(happened, |found, named| {
                let fit = best(&|meant| meant.fit_of(&named));
                if fit > found.0 {
                    (fit, Some(named))
                } else {
                    found
                }
            })
    }

    /// Whether a stretch holds the moment of the question, and nothing is asked of what was: "now"
    /// and "today" lift what names such a time, and not what was told then by chance.
    fn is_present(&self, meant: &Meant) -> bool {
        !self.past && !self.talk && meant.start <= self.asked_at && self.asked_at <= meant.end
    }

    /// Whether the question names a time other than the present.
    pub(crate) fn names_time(&self) -> bool {
        self.intervals.iter().any(|meant| !self.is_present(meant))
    }

    /// The times that the text of a row names, unless what was said then is asked for.
    fn named_times<'c>(
        &self,
        columns: &'c Columns,
        facts: &Facts,
    ) -> impl Iterator<Item = Interval> + use<'c> {
        let counts = facts.names_times && !self.talk;
        let times = counts.then(|| columns.named_times(facts.row));
        times.into_iter().flatten()
    }

    pub(crate) fn wants(&self, feature: Feature, weights: &Weights) -> bool {
        feature.weight(weights) > 0.0 && self.fusion.applies(feature)
    }
}

/// How much more a time counts where nothing else is asked for, or nothing else is found.
const BARE_TIME: f32 = 5.0;

/// The sentences of a long message by which it is asked.
const MOST_SENTENCES: usize = 8;

/// The terms of each sentence of a question; none of a single sentence.
fn parts(question: &str) -> Vec<HashSet<Term>> {
    let analyzer = Analyzer::new();
    let terms = |part: &str| {
        analyzer
            .query(part)
            .terms()
            .iter()
            .map(|term| term.term)
            .collect()
    };
    sentences(question).into_iter().map(terms).collect()
}

/// The sentences of a question that have anything to search by; none of a single one.
#[must_use]
pub fn sentences(question: &str) -> Vec<&str> {
    const ENDS: [char; 8] = ['?', '？', '!', '！', ';', '；', '。', '\n'];
    let analyzer = Analyzer::new();
    let mut sentences: Vec<&str> = question
        .split(ENDS)
        .filter(|part| !analyzer.query(part).is_empty())
        .collect();
    if sentences.len() < 2 {
        sentences.clear();
    }
    sentences.truncate(MOST_SENTENCES);
    sentences
}

/// The same terms, and without weight the mark of texts that speak of time, so that its occurrences
/// are looked up too.
fn with_time_mark(terms: &annals_text::Query) -> annals_text::Query {
    let mark = QueryTerm {
        term: Term::TIME,
        surface: String::new(),
        weight: 0.0,
        is_stem: false,
    };
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

/// The question's terms without the names of speakers (unless nothing else is left), then those of
/// earlier messages.
fn terms(query: &Query, named: &NamedSpeakers, settings: &RecallSettings) -> annals_text::Query {
    let (recent, context_weight) = (query.recent(settings), settings.context_weight);
    let analyzer = Analyzer::new();
    let asked = analyzer.query(&query.text);
    let bare = asked.clone().without(|term| named.is_name(&term.surface));
    let asked = if bare.is_empty() { asked } else { bare };
    if recent.is_empty() || context_weight <= 0.0 {
        return asked;
    }
    let earlier = recent
        .iter()
        .rev()
        .flat_map(|message| analyzer.query(message).terms().to_vec());
    let earlier = earlier.map(|mut term| {
        term.weight = context_weight;
        term
    });
    annals_text::Query::new(asked.terms().iter().cloned().chain(earlier))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Speakers;

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
            let plan = Plan::new(
                &Query::new(q),
                &speakers.named(q),
                (false, None),
                &settings,
                at,
            );
            plan.terms
                .terms()
                .iter()
                .map(|t| t.surface.clone())
                .collect()
        };
        assert_eq!(surfaces("Caroline paints?"), ["paints"]);
        assert_eq!(surfaces("Caroline?"), ["caroline"]);
    }

    #[test]
    fn earlier_messages_add_weaker_terms() {
        let query = Query::new("where is it?").context("my red bicycle");
        let plan = Plan::new(
            &query,
            &NamedSpeakers::default(),
            (false, None),
            &RecallSettings::default(),
            Timestamp::from_millis(0),
        );
        let weights: Vec<f32> = plan.terms.terms().iter().map(|t| t.weight).collect();
        assert_eq!(weights, [0.3, 0.3]);
    }
}
