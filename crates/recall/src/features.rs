//! The feature values of candidates. They depend on the question and the memory alone, not on the
//! path or on other candidates.

use std::cell::Cell;

use annals_records::Feature as Facts;
use annals_text::{Matches, Occurrences, QueryTerm, Term};
use annals_types::profile::{ImportanceSource, Profile, RecallSettings, RecencySource, Similarity};
use annals_types::{Importance, Role, Row, Script, SearchPart};

use crate::fusion::Values;
use crate::meaning::Meaning;
use crate::nearby::Nearby;
use crate::plan::{Embedded, Plan};
use crate::rank::Sources;
use crate::{Feature, RecallError};

/// The terms of a question that says half as much as what is no question.
const SHORT_QUESTION: f32 = 5.0;

/// The same in Chinese, whose terms are characters and pairs of them.
const SHORT_QUESTION_HAN: f32 = 15.0;

/// The mean terms of the turns around a memory with which the words of these count half: a long
/// message stands for itself, a short one lives by what was said around it.
const LONG_TURN: f32 = 33.0;

/// The same in Chinese.
const LONG_TURN_HAN: f32 = 150.0;

/// Computes values for a set of rows; knows the frequencies of the question's terms in all rows
/// around them.
pub(crate) struct Valuer<'a> {
    sources: &'a Sources<'a>,
    plan: &'a Plan,
    matches: &'a Matches,
    meaning: Meaning<'a>,
    nearby: Option<&'a Nearby>,
    profile: &'a Profile,
    settings: &'a RecallSettings,
    /// By row, rising.
    around: Vec<Around>,
    /// The surroundings of all candidates one behind the other, as places in `rows`.
    turns: Vec<u32>,
    /// Every row of any surroundings, rising.
    rows: Vec<Row>,
    occurrences: Occurrences,
    average_length: f32,
    /// The share of each term of the question in its inverse document frequencies.
    shares: Vec<f32>,
    /// Cosines of rows with the question and of rows with the turn behind them, by place; NaN
    /// until asked for. Neighbours of one candidate are mostly candidates themselves.
    similar: Vec<Cell<f32>>,
    linked: Vec<Cell<f32>>,
}

/// The surroundings of a candidate: a part of [`Valuer::turns`], and where the candidate itself
/// stands in it.
#[derive(Debug, Clone, Copy)]
struct Around {
    row: Row,
    start: usize,
    end: usize,
    own: usize,
}

impl<'a> Valuer<'a> {
    pub(crate) fn new(
        sources: &'a Sources<'a>,
        plan: &'a Plan,
        matches: &'a Matches,
        meaning: Meaning<'a>,
        nearby: Option<&'a Nearby>,
        profile: &'a Profile,
        candidates: impl Iterator<Item = Row>,
    ) -> Result<Self, RecallError> {
        let settings = &profile.recall;
        let (mut around, mut told) = (Vec::new(), Vec::new());
        for row in candidates {
            let start = told.len();
            let own = start + surroundings(sources, row, settings.context_reach_turns, &mut told);
            around.push(Around {
                row,
                start,
                end: told.len(),
                own,
            });
        }
        let mut rows = told.clone();
        rows.sort_unstable();
        rows.dedup();
        let turns = places(&rows, &told);
        let occurrences = matches.occurrences(&rows)?;
        let average_length = matches.statistics().average_length();
        let shares = matches.weights();
        let unknown = || vec![Cell::new(f32::NAN); rows.len()];
        let (similar, linked) = (unknown(), unknown());
        Ok(Self {
            sources,
            plan,
            matches,
            meaning,
            nearby,
            profile,
            settings,
            around,
            turns,
            rows,
            occurrences,
            average_length,
            shares,
            similar,
            linked,
        })
    }

    /// The turns around a candidate as places, and which of them it is itself.
    fn around(&self, row: Row) -> Option<(&[u32], usize)> {
        let at = self
            .around
            .binary_search_by_key(&row, |around| around.row)
            .ok()?;
        let around = self.around.get(at)?;
        Some((
            self.turns.get(around.start..around.end)?,
            around.own - around.start,
        ))
    }

    /// The values of one of the candidates; `direct` for one that words or meaning brought up.
    pub(crate) fn values(&self, row: Row, direct: bool) -> Option<Values> {
        let facts = self.sources.columns.get(row)?;
        let (turns, own) = self.around(row)?;
        let words = self.words(turns, own, facts.script);
        let mut values = Values::default();
        for (slot, feature) in values.iter_mut().zip(Feature::ALL) {
            let outdates = feature == Feature::Validity && self.plan.fusion.outdates();
            if outdates
                || feature == Feature::Tells
                || self.plan.wants(feature, &self.settings.weights)
            {
                *slot = match feature {
                    Feature::Graph => self.nearby.map_or(0.0, |nearby| nearby.value(row, direct)),
                    Feature::Own => self.own_likeness(&facts, turns, own),
                    Feature::Dense => self.likeness(&facts, turns, own),
                    Feature::Text => {
                        let found = self.sources.found(SearchPart::Words);
                        found.map_or_else(|| self.best_part(row, words), |found| found.score(row))
                    }
                    Feature::Window | Feature::Context => words_of(words, feature),
                    Feature::Answers => self.answers(&facts, turns, own),
                    _ => self.of_itself(feature, &facts),
                }
                .clamp(0.0, 1.0);
            }
        }
        Some(values)
    }

    /// Features that a memory has without its neighbours.
    fn of_itself(&self, feature: Feature, facts: &Facts) -> f32 {
        match feature {
            Feature::Speaker => flag(self.plan.speaks(facts)),
            Feature::Time => self.plan.time_fit(self.sources.columns, facts).0,
            Feature::AsksTime => flag(self.mentions_time(facts.row)),
            Feature::Importance => self.importance(facts),
            Feature::Recency => self.recency(facts),
            Feature::Usage => {
                let (used, returned) = self.sources.worth.uses(facts.row);
                let uses = small(used.saturating_add(returned));
                match self.settings.use_full_count {
                    Some(full) => uses.ln_1p() / full.ln_1p(),
                    None => uses / (uses + self.settings.use_half_count.max(f32::EPSILON)),
                }
            }
            Feature::Validity => flag(self.plan.is_true(facts)),
            Feature::Confidence => facts.confidence,
            Feature::Role => flag(facts.role != Some(Role::Assistant)),
            Feature::Tells => self.tells(facts),
            _ => 0.0,
        }
    }

    fn importance(&self, facts: &Facts) -> f32 {
        let score = match self.settings.importance_from {
            ImportanceSource::Stored => None,
            _ => self.sources.worth.score(facts.row, self.plan.asked_at),
        };
        let importance = score.map_or(facts.importance, single);
        match self.settings.importance_full {
            Some(full) => importance / full,
            None => importance / (importance + Importance::DEFAULT.get()),
        }
    }

    fn recency(&self, facts: &Facts) -> f32 {
        let days = days(self.plan.asked_at.millis_since(facts.time()));
        let class = match self.settings.recency_from {
            RecencySource::Class => self.sources.worth.class(facts.row),
            _ => None,
        };
        match class.and_then(|class| self.profile.decay.classes.get(class)) {
            Some(decay) => (single(decay.ln_rate()) * days).exp(),
            None => (-days / self.settings.recency_half_life_days.max(f32::EPSILON)
                * std::f32::consts::LN_2)
                .exp(),
        }
    }

    /// How alike in meaning: by its own vector, or by an entity that it speaks of where that is
    /// nearer; as a backend says where one is asked.
    fn likeness(&self, facts: &Facts, turns: &[u32], own: usize) -> f32 {
        match self.sources.found(SearchPart::Meaning) {
            Some(found) => found.score(facts.row),
            None => {
                let akin = self
                    .meaning
                    .akin
                    .get(&facts.row)
                    .copied()
                    .unwrap_or_default();
                self.dense(facts.script, turns, own).max(akin)
            }
        }
    }

    /// How alike in meaning the memory is by itself.
    fn own_likeness(&self, facts: &Facts, turns: &[u32], own: usize) -> f32 {
        if let Some(found) = self.sources.found(SearchPart::Meaning) {
            return found.score(facts.row);
        }
        let Some((embedded, place)) = self.meaning.embedded.zip(turns.get(own)) else {
            return 0.0;
        };
        let Some(whole) = self.similar(*place, embedded) else {
            return 0.0;
        };
        let parts = embedded
            .parts
            .iter()
            .filter_map(|part| self.sources.vectors.similarity(facts.row, part));
        likeness(
            parts.fold(whole, f32::max),
            facts.script,
            embedded,
            self.settings,
        )
    }

    /// How well the question before the memory fits, where somebody else asked it and the memory
    /// asks nothing.
    fn answers(&self, facts: &Facts, turns: &[u32], own: usize) -> f32 {
        let before = own
            .checked_sub(1)
            .and_then(|before| Some((before, *turns.get(before)?)));
        let Some((before, place)) = before.filter(|_| !facts.question) else {
            return 0.0;
        };
        let Some(row) = self.rows.get(place as usize) else {
            return 0.0;
        };
        let Some(asked) = self.sources.columns.get(*row) else {
            return 0.0;
        };
        let by_another = (asked.speaker, asked.role) != (facts.speaker, facts.role);
        if !(asked.question && by_another) {
            return 0.0;
        }
        f32::midpoint(
            self.own_likeness(&asked, turns, before),
            self.coverage(*row),
        )
    }

    /// 1 for what is no question, or has its answer with it; else less the shorter it is. A long
    /// message that ends with a question says something besides.
    fn tells(&self, facts: &Facts) -> f32 {
        if !facts.question || facts.has_reply {
            return 1.0;
        }
        let short = match facts.script {
            Script::Han => SHORT_QUESTION_HAN,
            _ => SHORT_QUESTION,
        };
        let lengths = (f32::from(self.length(facts.row)) / short).powi(4);
        lengths / (1.0 + lengths)
    }

    /// The cosine with the vector of the window: own vector + `window_weight` x (the one before +
    /// the one after), as if that sum had been embedded and normalised.
    fn dense(&self, script: Script, turns: &[u32], own: usize) -> f32 {
        let Some(embedded) = self.meaning.embedded else {
            return 0.0;
        };
        let place = |at: Option<usize>| at.and_then(|at| turns.get(at)).copied();
        let Some(middle) = place(Some(own)) else {
            return 0.0;
        };
        let Some(own_cosine) = self.similar(middle, embedded) else {
            return 0.0;
        };
        let weight = self.settings.window_weight;
        let with_vector = |place: &u32| self.similar(*place, embedded).is_some();
        let before = place(own.checked_sub(1)).filter(with_vector);
        let after = place(Some(own + 1)).filter(with_vector);
        let mut dot = own_cosine;
        let mut square = 1.0;
        for (other, link) in [
            (before, before.map(|b| (b, middle))),
            (after, after.map(|a| (middle, a))),
        ] {
            if let (Some(other), Some((first, second))) = (other, link) {
                dot += weight * self.similar(other, embedded).unwrap_or(0.0);
                square += weight * weight + 2.0 * weight * self.linked(first, second);
            }
        }
        if let (Some(before), Some(after)) = (before, after) {
            square += 2.0 * weight * weight * self.between(before, after);
        }
        likeness(
            dot / square.max(f32::EPSILON).sqrt(),
            script,
            embedded,
            self.settings,
        )
    }

    /// The cosine of a row with the question; `None` for a row without a vector, which is kept as
    /// infinity.
    fn similar(&self, place: u32, embedded: &Embedded) -> Option<f32> {
        let cell = self.similar.get(place as usize)?;
        if cell.get().is_nan() {
            let row = self.rows.get(place as usize)?;
            cell.set(
                self.sources
                    .vectors
                    .similarity(*row, &embedded.query)
                    .unwrap_or(f32::INFINITY),
            );
        }
        Some(cell.get()).filter(|cosine| cosine.is_finite())
    }

    /// The cosine of a turn with the one behind it.
    fn linked(&self, first: u32, second: u32) -> f32 {
        let Some(cell) = self.linked.get(first as usize) else {
            return 0.0;
        };
        if cell.get().is_nan() {
            cell.set(self.between(first, second));
        }
        cell.get()
    }

    fn between(&self, a: u32, b: u32) -> f32 {
        let row = |place: u32| self.rows.get(place as usize).copied();
        row(a)
            .zip(row(b))
            .and_then(|(a, b)| self.sources.vectors.between(a, b))
            .unwrap_or(0.0)
    }

    /// BM25 of the memory itself, of its window (the turns beside it with their weight) and of its
    /// surroundings (all alike, less the longer they are). Each document's length is compared with
    /// that of as many mean turns.
    fn words(&self, turns: &[u32], own: usize, script: Script) -> [f32; 3] {
        let terms = self.matches.query().terms().len();
        let mut counts = vec![0.0; terms * 3];
        let mut sizes = [(0.0, 0.0); 3];
        for (at, place) in turns.iter().enumerate() {
            let beside = match at.abs_diff(own) {
                0 => 1.0,
                1 => self.settings.window_weight,
                _ => 0.0,
            };
            let shares = [flag(at == own), beside, 1.0];
            let length = f32::from(self.occurrences.length(*place as usize));
            let found = self.occurrences.counts(*place as usize);
            for ((share, (sum, turns)), counts) in shares
                .iter()
                .zip(&mut sizes)
                .zip(counts.chunks_exact_mut(terms.max(1)))
            {
                if *share > 0.0 {
                    *sum += share * length;
                    *turns += share;
                    counts
                        .iter_mut()
                        .zip(found)
                        .for_each(|(count, more)| *count += share * small(*more));
                }
            }
        }
        let mut scores = [0.0; 3];
        for ((score, (length, turns)), counts) in scores
            .iter_mut()
            .zip(sizes)
            .zip(counts.chunks_exact(terms.max(1)))
        {
            *score = self
                .matches
                .score(counts, length, self.average_length * turns);
        }
        let [.., (length, turns)] = sizes;
        let long = if script == Script::Han {
            LONG_TURN_HAN
        } else {
            LONG_TURN
        };
        let [text, window, context] = scores;
        [
            text,
            window,
            context / (1.0 + (length / turns.max(1.0) / long).powi(2)),
        ]
    }

    /// How often a memory holds each term of the question.
    fn counts(&self, row: Row) -> &[u32] {
        let place = self.rows.binary_search(&row).ok();
        place.map_or(&[][..], |place| self.occurrences.counts(place))
    }

    /// Of what the question asks and a memory holds, the share that another memory holds as well, by
    /// inverse document frequencies; all of it where the memory holds nothing.
    pub(crate) fn kept(&self, row: Row, other: Row) -> f32 {
        let (mut whole, mut kept) = (0.0, 0.0);
        let counts = self.counts(row).iter().zip(self.counts(other));
        for (share, (own, others)) in self.shares.iter().zip(counts) {
            if *own > 0 {
                whole += share;
                if *others > 0 {
                    kept += share;
                }
            }
        }
        if whole > 0.0 { kept / whole } else { 1.0 }
    }

    /// Whether the question has a term.
    pub(crate) fn asks_for(&self, term: Term) -> bool {
        let mut terms = self.matches.query().terms().iter();
        terms.any(|asked| asked.term == term)
    }

    /// The share of the question's inverse document frequencies whose terms a memory holds.
    pub(crate) fn coverage(&self, row: Row) -> f32 {
        let held = self
            .shares
            .iter()
            .zip(self.counts(row))
            .filter(|(_, count)| **count > 0);
        held.map(|(share, _)| share)
            .fold(0.0, |sum, share| sum + share)
    }

    /// BM25 of a memory for the sentence of the question that it fits best; as for the whole
    /// question where that is one sentence.
    fn best_part(&self, row: Row, [whole, ..]: [f32; 3]) -> f32 {
        let Ok(place) = self.rows.binary_search(&row) else {
            return 0.0;
        };
        let (counts, length) = (self.counts(row), f32::from(self.occurrences.length(place)));
        let mut best = whole;
        for part in &self.plan.parts {
            let terms = || {
                self.matches
                    .query()
                    .terms()
                    .iter()
                    .zip(&self.shares)
                    .zip(counts)
            };
            let inside = |term: &QueryTerm| part.contains(&term.term);
            let bound: f32 = terms()
                .filter(|((term, _), _)| inside(term))
                .map(|((_, share), _)| share)
                .sum();
            if bound > 0.0 {
                let counts: Vec<f32> = terms()
                    .map(|((term, _), count)| if inside(term) { small(*count) } else { 0.0 })
                    .collect();
                best = best.max(self.matches.score(&counts, length, self.average_length) / bound);
            }
        }
        best
    }

    /// Where the cosine of a row with the question, or with a sentence of it, lies in the
    /// embedder's range; `None` without a vector.
    pub(crate) fn place(&self, row: Row, embedded: &Embedded) -> Option<f32> {
        let cosines = std::iter::once(&embedded.query).chain(&embedded.parts);
        let cosines = cosines.filter_map(|query| self.sources.vectors.similarity(row, query));
        let script = self.sources.columns.get(row)?.script;
        let cosine = cosines.reduce(f32::max)?;
        Some(
            embedded
                .calibration
                .range(embedded.script, script)
                .place(cosine),
        )
    }

    /// The terms of a row, text and reply together.
    pub(crate) fn length(&self, row: Row) -> u16 {
        self.rows
            .binary_search(&row)
            .map_or(0, |place| self.occurrences.length(place))
    }

    /// Whether a row has no neighbours in a conversation.
    pub(crate) fn stands_alone(&self, row: Row) -> bool {
        self.around(row).is_none_or(|(turns, _)| turns.len() == 1)
    }

    /// Question terms that a memory itself holds.
    fn held(&self, row: Row) -> impl Iterator<Item = &QueryTerm> + '_ {
        self.matches
            .query()
            .terms()
            .iter()
            .zip(self.counts(row))
            .filter(|(_, count)| **count > 0)
            .map(|(term, _)| term)
    }

    fn mentions_time(&self, row: Row) -> bool {
        self.held(row).any(|held| held.term == Term::TIME)
    }

    /// The words of the question that a memory itself holds, each once.
    pub(crate) fn matched(&self, row: Row) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        for held in self.held(row).filter(|held| held.term != Term::TIME) {
            // A word may be found by itself and by its stem.
            if !words.contains(&held.surface) {
                words.push(held.surface.clone());
            }
        }
        words
    }
}

/// Appends the visible turns around a row, the row itself among them, in order; answers its place
/// among those appended.
fn surroundings(sources: &Sources<'_>, row: Row, reach: u32, turns: &mut Vec<Row>) -> usize {
    let start = turns.len();
    let mut at = row;
    for _ in 0..reach {
        let Some(before) = sources.columns.neighbours(at).0 else {
            break;
        };
        turns.push(before);
        at = before;
    }
    if let Some(before) = turns.get_mut(start..) {
        before.reverse();
    }
    let mut kept = start;
    for at in start..turns.len() {
        if turns.get(at).is_some_and(|row| sources.shown(*row)) {
            turns.swap(kept, at);
            kept += 1;
        }
    }
    turns.truncate(kept);
    turns.push(row);
    let mut at = row;
    for _ in 0..reach {
        let Some(after) = sources.columns.neighbours(at).1 else {
            break;
        };
        if sources.shown(after) {
            turns.push(after);
        }
        at = after;
    }
    kept - start
}

/// Where each of `wanted` stands in `rows`, which rise and hold them all. Turns that follow each
/// other mostly stand together.
fn places(rows: &[Row], wanted: &[Row]) -> Vec<u32> {
    let mut next = 0;
    let place = |row: &Row| {
        let at = match rows.get(next) {
            Some(there) if there == row => next,
            _ => rows.partition_point(|there| there < row),
        };
        next = at + 1;
        u32::try_from(at).unwrap_or(u32::MAX)
    };
    wanted.iter().map(place).collect()
}

/// The value of the cosine of a question with a text in a script, 0 to 1.
pub(crate) fn likeness(
    cosine: f32,
    script: Script,
    embedded: &Embedded,
    settings: &RecallSettings,
) -> f32 {
    match settings.similarity {
        Similarity::Cosine => cosine.clamp(0.0, 1.0),
        _ => embedded.calibration.score(cosine, embedded.script, script),
    }
}

/// The one of three values of words that a feature is.
const fn words_of([text, window, context]: [f32; 3], feature: Feature) -> f32 {
    match feature {
        Feature::Window => window,
        Feature::Context => context,
        _ => text,
    }
}

const fn flag(set: bool) -> f32 {
    if set { 1.0 } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "small counts are exact")]
const fn small(count: u32) -> f32 {
    count as f32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a score needs no more digits"
)]
const fn single(score: f64) -> f32 {
    score as f32
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a share of days needs no more digits"
)]
fn days(millis: i64) -> f32 {
    (millis as f64 / 86_400_000.0) as f32
}
