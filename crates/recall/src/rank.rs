//! From a question to ranked rows.

use std::cmp::Ordering;

use annals_lifecycle::Worth;
use annals_records::{Columns, Mismatch, Moment};
use annals_storage::Snapshot;
use annals_text::{Bm25, QueryTerm, Term};
use annals_types::profile::{Profile, RecallMode, RecallSettings, TextScale, TieKey, Weights};
use annals_types::{Layer, Row, SearchPart, Status, Timestamp, UnitScore};

use crate::candidates::{Candidates, meaning_share, words_share};
use crate::features::Valuer;
use crate::fusion::{Fusion, Values};
use crate::meaning::{Meaning, akin};
use crate::nearby::Nearby;
use crate::newer::{put_newest_first, worth_telling};
use crate::plan::{Embedded, Plan};
use crate::{
    Answered, Channel, Explanation, Feature, Found, GraphTrace, NamedSpeakers, Nodes, Prototypes,
    Query, RecallError, Signals, WhyNot,
};

/// One state of a namespace, as its layers hold it.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// Where cold postings are read from.
    pub reads: &'a Snapshot,
    /// Feature columns.
    pub columns: &'a Columns,
    /// Full-text index.
    pub text: &'a annals_text::Index,
    /// Vector index.
    pub vectors: &'a annals_vector::Index,
    /// The speakers that the question names.
    pub speakers: &'a NamedSpeakers,
    /// The worth of memories, and how often they were used.
    pub worth: &'a Worth,
    /// Whether the namespace has triples or links; without them the graph is not read.
    pub graph: bool,
    /// The meanings of the names of its entities, for a profile that looks for them.
    pub nodes: Option<&'a Nodes>,
    /// Examples of what people say, in the space of the embedder; without them nothing is known to
    /// say little.
    pub prototypes: Option<&'a Prototypes>,
    /// The hits of a search backend in place of one of the searches.
    pub found: Option<&'a Found>,
}

impl Sources<'_> {
    /// The hits of a backend in place of a search.
    pub(crate) fn found(&self, part: SearchPart) -> Option<&Found> {
        self.found.filter(|found| found.part() == part)
    }

    /// Whether a row may lend its words to its neighbours: what was forgotten or replaced may not.
    pub(crate) fn shown(&self, row: Row) -> bool {
        self.columns
            .current_status(row)
            .is_some_and(|status| status != Status::Forgotten)
    }
}

/// A row among the hits.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The row.
    pub row: Row,
    /// A newer memory of the same thing.
    pub newer: Option<Row>,
    /// Its score and where it comes from.
    pub explanation: Explanation,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Best first.
    pub hits: Vec<Ranked>,
    /// How many rows were looked at closely.
    pub candidates: usize,
    /// Why the row asked about is not among the hits, if one was asked about.
    pub why_not: Option<WhyNot>,
    /// The part of the graph; `None` in a namespace without one.
    pub graph: Option<GraphTrace>,
    /// Whether what conversations left comes first and the latest before, because the question
    /// asks for nothing but what was talked of.
    pub by_time: bool,
    /// Whether anything answers.
    pub answered: Answered,
}

/// A candidate with its score.
#[derive(Clone, Copy)]
pub(crate) struct Scored {
    pub(crate) row: Row,
    pub(crate) score: f32,
    pub(crate) values: Values,
    /// Whether it stands in no conversation.
    alone: bool,
    /// A newer memory of the same thing.
    pub(crate) newer: Option<Row>,
    /// What it gained by being put before another memory of the same thing.
    pub(crate) ahead_of: Option<f32>,
}

impl Scored {
    pub(crate) fn value(&self, feature: Feature) -> f32 {
        let found = Feature::ALL
            .into_iter()
            .zip(self.values)
            .find(|(each, _)| *each == feature);
        found.map_or(0.0, |(_, value)| value)
    }

    /// Whether it says more than a question or a nod.
    pub(crate) fn tells(&self) -> bool {
        self.value(Feature::Tells) >= 0.5
    }

    fn set(&mut self, feature: Feature, value: f32) {
        let found = Feature::ALL
            .into_iter()
            .zip(&mut self.values)
            .find(|(each, _)| *each == feature);
        found.into_iter().for_each(|(_, slot)| *slot = value);
    }
}

/// Answers a question from one state of a namespace. Reads only what is cold; writes nothing.
///
/// `why_not` is the row of [`Query::why_not`], or `None` where that is missing. `now` is the
/// clock's time.
///
/// # Errors
/// [`RecallError::Invalid`] for a question that is not allowed; otherwise when a layer fails.
pub fn rank(
    sources: &Sources<'_>,
    query: &Query,
    embedded: Option<&Embedded>,
    why_not: Option<Row>,
    profile: &Profile,
    now: Timestamp,
) -> Result<Ranking, RecallError> {
    query.check()?;
    let tried = query.weights.map(|weights| tried(profile, weights));
    let profile = tried.as_ref().unwrap_or(profile);
    let words = by_words(sources, embedded, profile);
    let profile = words.as_ref().unwrap_or(profile);
    let ranking = rank_at(sources, query, embedded, why_not, (profile, 0), now)?;
    if ranking.found_enough(query, profile) {
        return Ok(ranking);
    }
    rank_at(sources, query, embedded, why_not, (profile, 1), now)
}

/// The profile with other weights, scaled as its fusion wants them.
fn tried(profile: &Profile, weights: Weights) -> Profile {
    let mut tried = profile.clone();
    tried.recall.weights = weights.scaled(profile.recall.fusion);
    tried
}

/// The profile for a question of which no meaning is known, where it ranks by meaning and not by
/// words: words stand in for it.
fn by_words(
    sources: &Sources<'_>,
    embedded: Option<&Embedded>,
    profile: &Profile,
) -> Option<Profile> {
    let meaning = embedded.is_some() || sources.found.map(Found::part) == Some(SearchPart::Meaning);
    if meaning || words_share(&profile.recall.weights) > 0.0 {
        return None;
    }
    let mut words = profile.clone();
    words.recall.weights.text = meaning_share(&words.recall.weights);
    Some(words)
}

impl Ranking {
    /// Whether another step over the graph is not wanted: the graph was not followed by itself, or
    /// as far as it may be, or it led to enough.
    fn found_enough(&self, query: &Query, profile: &Profile) -> bool {
        let expand = &profile.recall.expand;
        let Some(graph) = self.graph.as_ref().filter(|_| expand.enough > 0) else {
            return true;
        };
        let by_itself = graph.mode == RecallMode::Auto && query.expand_depth.is_none();
        let further = graph.depth > 0 && graph.depth < profile.graph.expand.max_depth;
        let good = self
            .hits
            .iter()
            .filter(|hit| hit.explanation.score >= expand.enough_score)
            .count();
        !by_itself || !further || u32::try_from(good).unwrap_or(u32::MAX) >= expand.enough
    }
}

/// The same, with so many steps over the graph more than the question asks for.
fn rank_at(
    sources: &Sources<'_>,
    query: &Query,
    embedded: Option<&Embedded>,
    why_not: Option<Row>,
    (profile, further): (&Profile, u32),
    now: Timestamp,
) -> Result<Ranking, RecallError> {
    let settings = &profile.recall;
    let asked_at = query.asked_at.unwrap_or(now);
    let found = sources.found.map(Found::part);
    let mut plan = Plan::new(
        query,
        sources.speakers,
        (embedded.is_some(), found),
        settings,
        asked_at,
    );
    let moment = Moment {
        now: asked_at,
        as_of: query.as_of,
    };
    let matcher = sources.columns.matcher(&query.filter, moment);
    let bm25 = Bm25 {
        k1: profile.text.k1,
        b: profile.text.b,
    };
    let matches = matches(sources, &plan, bm25)?;
    let akin = akin(sources, query, embedded, &matcher, profile)?;
    let meaning = Meaning {
        embedded,
        akin: &akin,
    };
    let (mut candidates, seeds) =
        Candidates::gather(sources, &plan, &matches, meaning, &matcher, settings)?;
    let nearby = sources
        .graph
        .then(|| {
            Nearby::of(
                sources,
                (query, &plan.speakers),
                (profile, further),
                &seeds,
                moment,
            )
        })
        .transpose()?;
    if let Some(nearby) = &nearby {
        plan.fuse(settings, nearby.speaks());
        nearby
            .rows()
            .filter(|row| matcher.matches(*row))
            .for_each(|row| candidates.add(row, Channel::Graph));
    }
    if profile.conflict.strategy == annals_types::profile::ConflictStrategy::Mark {
        plan.fusion
            .outdate(1.0 - narrow(profile.conflict.rank_penalty));
    }
    // A rule may have let it expire before the date that it was stored with.
    let moment = query.as_of.unwrap_or(asked_at);
    candidates.retain(|row| !sources.worth.is_expired(row, moment));
    if settings.restrict_to_times && !plan.intervals.is_empty() {
        let within = |row: Row| {
            sources
                .columns
                .get(row)
                .is_some_and(|facts| plan.is_within(sources.columns, &facts))
        };
        if candidates.rows().any(within) {
            candidates.retain(within);
        }
    }
    let count = candidates.len();
    let expired = |row: Row| {
        let at = sources
            .worth
            .expires_at(row)
            .filter(|_| sources.worth.is_expired(row, moment))?;
        Some(Mismatch::Expired { at })
    };
    let asked_about = why_not.map(|row| (row, matcher.why_not(row).or_else(|| expired(row))));
    let forced = match asked_about {
        Some((row, None)) => !candidates.force(row),
        _ => false,
    };
    let valuer = Valuer::new(
        sources,
        &plan,
        &matches,
        meaning,
        nearby.as_ref(),
        profile,
        candidates.rows(),
    )?;
    let values = |row| {
        let values = valuer.values(row, candidates.is_direct(row))?;
        Some(Scored {
            row,
            score: 0.0,
            values,
            alone: valuer.stands_alone(row),
            newer: None,
            ahead_of: None,
        })
    };
    let mut scored: Vec<Scored> = candidates.rows().filter_map(values).collect();
    if settings.text_scale == TextScale::Best {
        scale_words(&mut scored);
    }
    let faint = embedded.is_some() && scored.iter().all(|s| s.value(Feature::Own) < FAINT);
    let fusion = match plan.names_time() && faint {
        true => plan.fused(settings, nearby.as_ref().is_some_and(Nearby::speaks), true),
        false => plan.fusion.clone(),
    };
    rate(&mut scored, sources.columns, settings, (&plan, &fusion));
    if plan.wants(Feature::Tells, &settings.weights) && mark_little(&mut scored, sources, &valuer) {
        rate(&mut scored, sources.columns, settings, (&plan, &fusion));
    }
    let signals = signals(&scored, sources, &plan, &valuer, embedded);
    let answered = Answered::by(signals, profile.inject.min_answered);
    let one_thing = embedded.filter(|_| settings.prefer_newer && plan.may_ask_state());
    // Of a question of several sentences two memories may answer one each.
    let one_thing = one_thing.filter(|embedded| embedded.parts.is_empty() || plan.asks_state());
    if let Some(embedded) = one_thing {
        put_newest_first(&mut scored, sources, &plan, &valuer, embedded)?;
    }
    if query.for_prompt && profile.inject.selects() {
        scored = if answered.is_likely() {
            worth_telling(&scored, sources, embedded, profile.inject.near_best)
        } else {
            Vec::new()
        };
    }
    if plan.bare {
        by_time(&mut scored, sources.columns);
    }
    let explain = |s: &Scored| Explanation {
        score: s.score,
        parts: fusion.parts(&s.values, s.alone),
        ahead_of: s.ahead_of,
        matched: valuer.matched(s.row),
        found_by: candidates.channels(s.row),
        named_time: sources
            .columns
            .get(s.row)
            .and_then(|facts| plan.time_fit(sources.columns, &facts).1),
        graph: nearby
            .as_ref()
            .and_then(|nearby| nearby.nearness(s.row, candidates.is_direct(s.row))),
    };
    let limits = Limits::new(query, settings);
    let hits = limits.choose(
        sources,
        &scored,
        asked_about.filter(|_| forced).map(|(row, _)| row),
    );
    let explained: Vec<Ranked> = hits
        .iter()
        .map(|s| Ranked {
            row: s.row,
            newer: s.newer,
            explanation: explain(s),
        })
        .collect();
    let why_not = query.why_not.map(|_| match asked_about {
        None => WhyNot::Missing,
        Some((_, Some(mismatch))) => WhyNot::Filtered { mismatch },
        Some((row, None)) => reason(row, forced, &scored, &explained, &limits, explain),
    });
    Ok(Ranking {
        hits: explained,
        candidates: count,
        why_not,
        graph: nearby.map(|nearby| nearby.trace),
        by_time: plan.bare,
        answered,
    })
}

/// The likeness in meaning below which nothing that was found is what a question asks for.
const FAINT: f32 = 0.7;

/// The best candidates of which it is looked at whether they say anything by themselves.
const LOOKED_AT: usize = 24;

/// The most terms of a text that may say little; longer ones are not looked at.
const SHORT: u16 = 8;

/// Marks those of the best candidates that say little by themselves, such as "ok", as saying
/// nothing.
fn mark_little(scored: &mut [Scored], sources: &Sources<'_>, valuer: &Valuer<'_>) -> bool {
    let Some(prototypes) = sources.prototypes else {
        return false;
    };
    let mut marked = false;
    for s in scored.iter_mut().take(LOOKED_AT) {
        let Some(facts) = sources.columns.get(s.row) else {
            continue;
        };
        let alone = facts.layer == Layer::Turn && !facts.has_reply && valuer.length(s.row) <= SHORT;
        if alone && prototypes.says_little(sources.vectors, s.row, facts.script) {
            s.set(Feature::Tells, 0.0);
            marked = true;
        }
    }
    marked
}

/// By what it is judged whether anything answers. `scored` is sorted, best first.
fn signals(
    scored: &[Scored],
    sources: &Sources<'_>,
    plan: &Plan,
    valuer: &Valuer<'_>,
    embedded: Option<&Embedded>,
) -> Signals {
    let telling = || scored.iter().filter(|s| s.tells());
    let nearest = telling().max_by(|a, b| a.value(Feature::Own).total_cmp(&b.value(Feature::Own)));
    let place = |embedded: &Embedded| {
        nearest
            .and_then(|s| valuer.place(s.row, embedded))
            .unwrap_or(0.0)
    };
    let timely = |s: &Scored| {
        sources
            .columns
            .get(s.row)
            .is_some_and(|facts| plan.is_timely(sources.columns, &facts))
    };
    Signals {
        nearest: embedded.map(place),
        everyday: embedded.and_then(|embedded| embedded.everyday),
        best: telling().map(|s| s.score).fold(0.0, f32::max),
        first_person: plan.first_person,
        bare: plan.talk,
        timely: !plan.intervals.is_empty() && scored.iter().any(timely),
    }
}

/// Measures words against the best candidate, each of the features of words by itself.
fn scale_words(scored: &mut [Scored]) {
    let words = |(_, feature): &(usize, Feature)| {
        matches!(feature, Feature::Text | Feature::Window | Feature::Context)
    };
    for (at, _) in Feature::ALL.into_iter().enumerate().filter(words) {
        let value = |s: &Scored| s.values.get(at).copied().unwrap_or_default();
        let best = scored.iter().map(value).fold(0.0, f32::max);
        if best > 0.0 {
            scored
                .iter_mut()
                .filter_map(|s| s.values.get_mut(at))
                .for_each(|value| *value /= best);
        }
    }
}

/// Scores the candidates and sorts them, best first.
fn rate(
    scored: &mut [Scored],
    columns: &Columns,
    settings: &RecallSettings,
    (plan, fusion): (&Plan, &Fusion),
) {
    scored
        .iter_mut()
        .for_each(|s| s.score = fusion.score(&s.values, s.alone));
    sort(scored, columns, settings, plan);
}

/// How exact scores are compared where something decides between equal ones.
const SCORE_STEPS: f32 = 1e6;

/// Best first; equal ones as the profile says, then the newer row.
fn sort(scored: &mut [Scored], columns: &Columns, settings: &RecallSettings, plan: &Plan) {
    if settings.order.is_empty() {
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.row.cmp(&a.row)));
        return;
    }
    let key = |s: &Scored, key: &TieKey| {
        columns.get(s.row).map_or((0, 0.0), |facts| match key {
            TieKey::Validity => (i64::from(plan.is_true(&facts)), 0.0),
            TieKey::Recency => (facts.time().as_millis(), 0.0),
            TieKey::Confidence => (0, facts.confidence),
            _ => (0, 0.0),
        })
    };
    let compared = |a: &Scored, b: &Scored| {
        let keys = settings.order.iter().map(|each| {
            let (a, b) = (key(a, each), key(b, each));
            b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        keys.fold(Ordering::Equal, Ordering::then)
    };
    let step = |s: &Scored| (s.score * SCORE_STEPS).round();
    scored.sort_by(|a, b| {
        step(b)
            .total_cmp(&step(a))
            .then_with(|| compared(a, b))
            .then(b.row.cmp(&a.row))
    });
}

/// Sorts episodes first, then everything else, each from the latest on.
fn by_time(scored: &mut [Scored], columns: &Columns) {
    let key = |s: &Scored| {
        columns
            .get(s.row)
            .map(|facts| (facts.layer == Layer::Episodic, facts.time()))
    };
    scored.sort_by(|a, b| key(b).cmp(&key(a)).then(b.row.cmp(&a.row)));
}

/// The postings of the question's terms. A pair of characters that occurs nowhere is left out, and
/// so is a stem: its characters, or its word, are searched by themselves, so it would only lower
/// every score.
fn matches(
    sources: &Sources<'_>,
    plan: &Plan,
    bm25: Bm25,
) -> Result<annals_text::Matches, RecallError> {
    let matches = sources
        .text
        .matches(sources.reads, plan.terms.clone(), bm25)?;
    let is_beside =
        |term: &QueryTerm| term.is_stem || matches!(term.term.characters(), Some((_, Some(_))));
    let terms = matches.query().terms().iter().zip(matches.frequencies());
    let unknown: Vec<Term> = terms
        .filter(|(t, n)| *n == 0 && is_beside(t))
        .map(|(t, _)| t.term)
        .collect();
    if unknown.is_empty() || unknown.len() == plan.terms.terms().len() {
        return Ok(matches);
    }
    let known = plan.terms.clone().without(|t| unknown.contains(&t.term));
    Ok(sources.text.matches(sources.reads, known, bm25)?)
}

/// Why a row that passes the filter is, or is not, among the hits.
fn reason(
    row: Row,
    forced: bool,
    scored: &[Scored],
    hits: &[Ranked],
    limits: &Limits,
    explain: impl Fn(&Scored) -> Explanation,
) -> WhyNot {
    if let Some(at) = hits.iter().position(|hit| hit.row == row) {
        return WhyNot::Returned { rank: at + 1 };
    }
    let Some(at) = scored.iter().position(|s| s.row == row) else {
        return WhyNot::Missing;
    };
    let Some(own) = scored.get(at) else {
        return WhyNot::Missing;
    };
    let explanation = explain(own);
    if forced {
        return WhyNot::NoCandidate {
            explanation,
            last_hit: hits.last().map(|hit| hit.explanation.score),
        };
    }
    if own.score < limits.min_score {
        return WhyNot::BelowMinimum {
            explanation,
            min_score: limits.min_score,
        };
    }
    if at < limits.top_k {
        WhyNot::TooAlike {
            explanation,
            rank: at + 1,
        }
    } else {
        WhyNot::Outranked {
            explanation,
            rank: at + 1,
        }
    }
}

/// How many hits, how good, how different.
struct Limits {
    top_k: usize,
    min_score: f32,
    diversity: f32,
}

/// Diversity chooses among this many times the hits wanted.
const POOL: usize = 4;

impl Limits {
    fn new(query: &Query, settings: &RecallSettings) -> Self {
        Self {
            top_k: query.top_k.unwrap_or(settings.top_k).max(1) as usize,
            min_score: query.min_score.map_or(settings.min_score, UnitScore::get),
            diversity: query.diversity.map_or(settings.diversity, UnitScore::get),
        }
    }

    /// The hits out of all scored rows, best first, without the row that is only there to be
    /// explained.
    fn choose(
        &self,
        sources: &Sources<'_>,
        scored: &[Scored],
        without: Option<Row>,
    ) -> Vec<Scored> {
        let good = scored
            .iter()
            .filter(|s| s.score >= self.min_score && Some(s.row) != without)
            .copied();
        if self.diversity <= 0.0 {
            return good.take(self.top_k).collect();
        }
        let mut pool: Vec<(Scored, f32)> = good
            .take(self.top_k.saturating_mul(POOL))
            .map(|s| (s, 0.0))
            .collect();
        let mut hits: Vec<Scored> = Vec::new();
        // Maximal marginal relevance (Carbonell and Goldstein, 1998); a hit keeps its own score.
        while hits.len() < self.top_k {
            let worth = |(s, likeness): &(Scored, f32)| {
                (1.0 - self.diversity) * s.score - self.diversity * likeness * s.score
            };
            let best = (0..pool.len()).max_by(|a, b| {
                let of = |at: &usize| pool.get(*at).map_or(f32::MIN, worth);
                of(a).total_cmp(&of(b)).then(b.cmp(a))
            });
            let Some(best) = best else { break };
            let (chosen, _) = pool.remove(best);
            for (other, likeness) in &mut pool {
                *likeness = likeness.max(
                    sources
                        .vectors
                        .between(chosen.row, other.row)
                        .unwrap_or(0.0),
                );
            }
            hits.push(chosen);
        }
        hits
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a share is a single-precision number"
)]
const fn narrow(share: f64) -> f32 {
    share as f32
}
