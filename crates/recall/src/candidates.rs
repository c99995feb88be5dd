//! Which rows are looked at closely.

use std::collections::BTreeMap;

use annals_records::Matcher;
use annals_text::Matches;
use annals_types::profile::{RecallSettings, Weights};
use annals_types::{Layer, Row, SearchPart, Timestamp};

use crate::features::likeness;
use crate::meaning::Meaning;
use crate::plan::{Embedded, Plan};
use crate::rank::Sources;
use crate::{Channel, Meant, RecallError};

/// Rows with the channels that brought them up, in the order of rows.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    rows: BTreeMap<Row, u8>,
}

/// The rows that words and meaning brought up, best first.
#[derive(Debug, Default)]
pub(crate) struct Seeds {
    pub(crate) rows: Vec<Row>,
    /// The greatest likeness in meaning, 0 to 1.
    pub(crate) best: Option<f32>,
}

/// The search for rows by words and by meaning: enough to choose whose neighbours are looked at.
struct Gathering<'a> {
    sources: &'a Sources<'a>,
    plan: &'a Plan,
    matches: &'a Matches,
    meaning: Meaning<'a>,
    settings: &'a RecallSettings,
    found: Candidates,
    seeds: BTreeMap<Row, f32>,
    /// The rows that the search by meaning found, with their likeness; kept where there is
    /// something to compare it with.
    alike: BTreeMap<Row, f32>,
    /// The greatest likeness in meaning.
    best: Option<f32>,
}

/// The share of the words' weights that a row's own words stand for while seeds are chosen.
fn words_weight(weights: &Weights) -> f32 {
    words_share(weights).max(LEAST)
}

/// The share of meaning.
pub(crate) fn meaning_share(weights: &Weights) -> f32 {
    weights.own + weights.dense
}

pub(crate) fn words_share(weights: &Weights) -> f32 {
    weights.text + weights.window + weights.context
}

/// The weight of words where a profile ranks by meaning alone: they order memories without a
/// vector.
const LEAST: f32 = 0.01;

impl Gathering<'_> {
    fn search(&mut self, keep: &impl Fn(Row) -> bool) -> Result<(), RecallError> {
        self.search_words(keep)?;
        self.search_meaning(keep);
        // A memory that speaks of a near entity is as near as that entity. Being near by itself
        // too makes it no more of a seed.
        let meaning = self.meaning;
        for (row, likeness) in meaning.akin.iter().filter(|(row, _)| keep(**row)) {
            let own = self.alike.get(row).copied().unwrap_or_default();
            self.close(*likeness);
            self.bring(
                *row,
                Channel::Node,
                meaning_share(&self.settings.weights) * (likeness - own).max(0.0),
            );
        }
        Ok(())
    }

    fn search_words(&mut self, keep: &impl Fn(Row) -> bool) -> Result<(), RecallError> {
        let weight = words_weight(&self.settings.weights);
        let bare = |row: Row| keep(row) && self.unseen(row);
        let hits: Vec<(Row, f32)> = match self.sources.found(SearchPart::Words) {
            Some(found) => found.hits().filter(|(row, _)| bare(*row)).collect(),
            None if self.plan.terms.is_empty() => Vec::new(),
            None => {
                let hits = self
                    .matches
                    .top(self.settings.text_candidates as usize, bare)?;
                hits.into_iter().map(|hit| (hit.row, hit.score)).collect()
            }
        };
        hits.into_iter()
            .for_each(|(row, score)| self.bring(row, Channel::Text, weight * score));
        Ok(())
    }

    fn search_meaning(&mut self, keep: &impl Fn(Row) -> bool) {
        let hits: Vec<(Row, f32)> = match (
            self.sources.found(SearchPart::Meaning),
            self.meaning.embedded,
        ) {
            (Some(found), _) => found.hits().filter(|(row, _)| keep(*row)).collect(),
            (None, Some(embedded)) => {
                let most = self.settings.vector_candidates as usize;
                let hits = self
                    .sources
                    .vectors
                    .search(&embedded.query, most, None, keep);
                let script = |row| {
                    self.sources
                        .columns
                        .get(row)
                        .map_or(embedded.script, |facts| facts.script)
                };
                let value = |row, cosine| likeness(cosine, script(row), embedded, self.settings);
                hits.into_iter()
                    .map(|hit| (hit.row, value(hit.row, hit.cosine)))
                    .collect()
            }
            (None, None) => Vec::new(),
        };
        for (row, likeness) in hits {
            self.close(likeness);
            if !self.meaning.akin.is_empty() {
                self.alike.insert(row, likeness);
            }
            self.bring(
                row,
                Channel::Vector,
                meaning_share(&self.settings.weights) * likeness,
            );
        }
    }

    fn close(&mut self, likeness: f32) {
        self.best = Some(self.best.map_or(likeness, |best| best.max(likeness)));
    }

    /// Whether words may bring a row up: where a profile ranks by meaning alone, only what has no
    /// vector.
    fn unseen(&self, row: Row) -> bool {
        let seen = |embedded: &Embedded| {
            self.sources
                .vectors
                .similarity(row, &embedded.query)
                .is_some()
        };
        words_share(&self.settings.weights) > 0.0 || !self.meaning.embedded.is_some_and(seen)
    }

    /// Adds a row; a channel that brings it up a second time adds nothing to its worth.
    fn bring(&mut self, row: Row, channel: Channel, worth: f32) {
        if self
            .found
            .rows
            .get(&row)
            .is_some_and(|bits| bits & bit(channel) != 0)
        {
            return;
        }
        self.found.add(row, channel);
        let (sources, plan, weights) = (self.sources, self.plan, &self.settings.weights);
        *self
            .seeds
            .entry(row)
            .or_insert_with(|| plan.pointer(sources.columns, row, weights)) += worth;
    }
}

const fn bit(channel: Channel) -> u8 {
    match channel {
        Channel::Text => 1,
        Channel::Vector => 2,
        Channel::Neighbour => 4,
        Channel::Time => 8,
        Channel::Graph => 16,
        Channel::Node => 32,
    }
}

impl Candidates {
    pub(crate) fn gather(
        sources: &Sources<'_>,
        plan: &Plan,
        matches: &Matches,
        meaning: Meaning<'_>,
        matcher: &Matcher<'_>,
        settings: &RecallSettings,
    ) -> Result<(Self, Seeds), RecallError> {
        let (found, seeds) = (Self::default(), BTreeMap::new());
        let mut gathering = Gathering {
            sources,
            plan,
            matches,
            meaning,
            settings,
            found,
            seeds,
            alike: BTreeMap::new(),
            best: None,
        };
        gathering.search(&|row| matcher.matches(row))?;
        if plan.narrows() {
            gathering.search(&|row| {
                matcher.matches(row)
                    && sources
                        .columns
                        .get(row)
                        .is_some_and(|f| plan.points_at(sources.columns, &f))
            })?;
        }
        let Gathering {
            mut found,
            seeds,
            best,
            ..
        } = gathering;
        let mut seeds: Vec<(Row, f32)> = seeds.into_iter().collect();
        seeds.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
        let seeds = Seeds {
            rows: seeds.into_iter().map(|(row, _)| row).collect(),
            best,
        };
        found.add_times(sources, plan, matcher, settings);
        if plan.bare {
            found.add_episodes(sources, plan, matcher, settings);
        }
        found.add_neighbours(sources, &seeds.rows, matcher, settings);
        Ok((found, seeds))
    }

    /// Whether words, meaning, time or the session brought a row up.
    pub(crate) fn is_direct(&self, row: Row) -> bool {
        self.rows
            .get(&row)
            .is_some_and(|bits| bits & !bit(Channel::Graph) != 0)
    }

    pub(crate) fn add(&mut self, row: Row, channel: Channel) {
        *self.rows.entry(row).or_default() |= bit(channel);
    }

    /// A row that no channel brought up but whose score is asked for; answers whether a channel did
    /// bring it up.
    pub(crate) fn force(&mut self, row: Row) -> bool {
        let known = self.rows.contains_key(&row);
        self.rows.entry(row).or_default();
        known
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(Row) -> bool) {
        self.rows.retain(|row, _| keep(*row));
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.rows.keys().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The channels that brought a row up.
    pub(crate) fn channels(&self, row: Row) -> Vec<Channel> {
        let bits = self.rows.get(&row).copied().unwrap_or_default();
        [
            Channel::Text,
            Channel::Vector,
            Channel::Neighbour,
            Channel::Time,
            Channel::Graph,
            Channel::Node,
        ]
        .into_iter()
        .filter(|channel| bits & bit(*channel) != 0)
        .collect()
    }

    /// Rows within the times that the question names, the latest first, as many as the text channel
    /// may bring.
    fn add_times(
        &mut self,
        sources: &Sources<'_>,
        plan: &Plan,
        matcher: &Matcher<'_>,
        settings: &RecallSettings,
    ) {
        for interval in &plan.intervals {
            let (within, most) = (
                (interval.start, interval.end),
                settings.text_candidates as usize,
            );
            for row in sources
                .columns
                .latest_within(within.0, within.1, most, |row| matcher.matches(row))
            {
                self.add(row, Channel::Time);
            }
        }
    }

    /// The episodes within the times that the question names, or of all times, the latest first.
    fn add_episodes(
        &mut self,
        sources: &Sources<'_>,
        plan: &Plan,
        matcher: &Matcher<'_>,
        settings: &RecallSettings,
    ) {
        let columns = sources.columns;
        let left = |row: Row| {
            columns
                .get(row)
                .is_some_and(|facts| facts.layer == Layer::Episodic)
                && matcher.matches(row)
        };
        let ever = Meant::between(
            Timestamp::from_millis(i64::MIN),
            Timestamp::from_millis(i64::MAX),
        );
        let times = if plan.intervals.is_empty() {
            std::slice::from_ref(&ever)
        } else {
            &plan.intervals
        };
        for time in times {
            for row in columns.latest_within(
                time.start,
                time.end,
                settings.text_candidates as usize,
                left,
            ) {
                self.add(row, Channel::Time);
            }
        }
    }

    /// The turns around the best seeds.
    fn add_neighbours(
        &mut self,
        sources: &Sources<'_>,
        seeds: &[Row],
        matcher: &Matcher<'_>,
        settings: &RecallSettings,
    ) {
        for seed in seeds.iter().take(settings.neighbour_seeds as usize) {
            let (mut before, mut after) = (Some(*seed), Some(*seed));
            for _ in 0..settings.neighbour_reach_turns {
                before = before.and_then(|row| sources.columns.neighbours(row).0);
                after = after.and_then(|row| sources.columns.neighbours(row).1);
                for row in [before, after]
                    .into_iter()
                    .flatten()
                    .filter(|row| matcher.matches(*row))
                {
                    self.add(row, Channel::Neighbour);
                }
            }
        }
    }
}
