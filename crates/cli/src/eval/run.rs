use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use annals::blocking::{Memory, Namespace};
use annals::{
    Conversation, Kind, Layer, MAX_TOP_K, ManualClock, Mode, NewMemory, Query, Question, Timestamp,
    UnitScore, profiles,
};
use tempfile::TempDir;

use super::candidates::Candidates;
use super::rankings::Ranking;
use super::triples::mentions;
use super::{Lines, Rankings};
use crate::app::App;
use crate::conversation::{self, turn_id};
use crate::failure::{Exit, Failure};
use crate::measure::{Answerability, Latencies, Quality, count};
use crate::noise::Noise;
use crate::progress::Progress;
use crate::texts::text;

/// Turns of one transaction.
const BATCH: usize = 500;
const TOP_K: u32 = 20;
/// More than there are ways to become a candidate.
const ALL_CANDIDATES: u32 = MAX_TOP_K;

/// How conversations are kept.
pub(crate) struct Setting {
    /// Turns about nothing that are added to each, and their seed.
    pub(crate) distractors: usize,
    pub(crate) seed: u64,
    /// Whether turns say which names they mention.
    pub(crate) triples: bool,
    /// A profile other than the default one, as TOML.
    pub(crate) profile: Option<String>,
    /// Whether a memory that ages is kept of each turn, in its place.
    pub(crate) facts: bool,
    /// Whether jobs run as the days pass.
    pub(crate) jobs: bool,
}

/// The profile of a measurement, as the database has it.
const PROFILE: &str = "measured";

/// A measurement under way.
pub(crate) struct Run {
    memory: Memory,
    clock: ManualClock,
    sample: Vec<Conversation>,
    setting: Setting,
    /// The kind of memories that are kept of turns.
    kind: Option<String>,
    qualities: Vec<Quality>,
    answerability: Answerability,
    rankings: Rankings,
    latencies: Latencies,
    turns: usize,
    importing: Duration,
    indexing: Duration,
    // Dropped last: the database lives in it.
    _folder: TempDir,
}

/// The figures of a measurement.
pub(crate) struct Report {
    pub(crate) quality: Quality,
    pub(crate) latencies: Latencies,
    pub(crate) rankings: Rankings,
    pub(crate) questions: usize,
    pub(crate) answerability: Answerability,
    pub(crate) turns: usize,
    pub(crate) embedder: String,
    pub(crate) index_seconds: f64,
    import_seconds: f64,
}

impl Report {
    /// Turns stored per second, embedding included, building of graphs excluded.
    pub(crate) fn import_per_second(&self) -> f64 {
        count(self.turns) / self.import_seconds.max(1e-9)
    }
}

impl Run {
    pub(crate) fn begin(setting: Setting, app: &mut App<'_, '_>) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new()
            .prefix("annals-eval-")
            .tempdir()
            .map_err(|cause| Failure::new(Exit::Unwritable, text!("eval-no-folder", cause)))?;
        let clock = ManualClock::new(Timestamp::default());
        let memory = app
            .options_without_model()?
            .clock(Arc::new(clock.clone()))
            .open(folder.path().join("eval.annals"))?;
        let mut kind = None;
        if let Some(text) = &setting.profile {
            memory.profiles().store(PROFILE, text)?;
            let taxonomy = profiles::parse(text)?.taxonomy;
            kind = taxonomy
                .default_kind
                .or_else(|| taxonomy.kinds.into_iter().next().map(|kind| kind.id));
        }
        let sample = if setting.distractors > 0 {
            conversation::sample()?.conversations
        } else {
            Vec::new()
        };
        Ok(Self {
            memory,
            clock,
            sample,
            setting,
            kind,
            qualities: Vec::new(),
            answerability: Answerability::default(),
            rankings: Rankings::default(),
            latencies: Latencies::default(),
            turns: 0,
            importing: Duration::ZERO,
            indexing: Duration::ZERO,
            _folder: folder,
        })
    }

    /// Imports a conversation and asks its questions.
    pub(crate) fn conversation(
        &mut self,
        conversation: &Conversation,
        results: &mut Lines,
        candidates: &mut Lines,
        app: &mut App<'_, '_>,
    ) -> Result<(), Failure> {
        let namespace = match self.setting.profile {
            Some(_) => self.memory.create_namespace(&conversation.id, PROFILE)?,
            None => self.memory.namespace(&conversation.id)?,
        };
        self.import(conversation, &namespace, app)?;
        let progress = Progress::new(
            app,
            text!("common-asking"),
            u64::try_from(conversation.questions.len()).unwrap_or(0),
        );
        self.warm_up(conversation, &namespace)?;
        for question in &conversation.questions {
            self.clock.set(conversation.asked_at(question));
            let before = (app.world.stopwatch)();
            let answer = namespace.answer(self.query(question).top_k(TOP_K))?;
            let (hits, answered) = (answer.hits, answer.answered.probability);
            let millis = (app.world.stopwatch)().saturating_sub(before).as_secs_f64() * 1000.0;
            let ranked: Vec<String> = hits
                .iter()
                .map(|hit| turn_id(hit.id, &hit.memory))
                .collect();
            self.answerability
                .push(answered, !question.evidence.is_empty());
            if !question.evidence.is_empty() {
                self.qualities
                    .push(Quality::of(&ranked, &question.evidence));
            }
            self.latencies.push(millis);
            let ranking = Ranking {
                conversation: conversation.id.clone(),
                question: question.id.clone(),
                ranked,
                scores: hits.iter().map(|hit| hit.score).collect(),
                answered,
                ms: millis,
            };
            results.push(&ranking)?;
            self.rankings.push(&ranking);
            if candidates.wanted() {
                let all = namespace.answer(self.query(question).top_k(ALL_CANDIDATES))?;
                candidates.push(&Candidates::new(conversation, question, &all))?;
            }
            progress.add(1);
        }
        Ok(())
    }

    fn import(
        &mut self,
        conversation: &Conversation,
        namespace: &Namespace,
        app: &App<'_, '_>,
    ) -> Result<(), Failure> {
        let mut memories = conversation.memories()?;
        let total = memories.len() + self.setting.distractors;
        let progress = Progress::new(
            app,
            text!("common-importing"),
            u64::try_from(total).unwrap_or(0),
        );
        if self.setting.facts {
            self.live(std::mem::take(&mut memories), namespace, &progress, app)?;
        }
        self.clock.set(conversation.end());
        let mut noise = Noise::new(self.setting.seed, &self.sample, conversation);
        let mut left = self.setting.distractors;
        while left > 0 || !memories.is_empty() {
            let batch: Vec<NewMemory> = if memories.is_empty() {
                let size = left.min(BATCH);
                left -= size;
                (0..size).map(|_| noise.turn()).collect::<Result<_, _>>()?
            } else {
                let rest = memories.split_off(memories.len().min(BATCH));
                std::mem::replace(&mut memories, rest)
            };
            self.keep(batch, namespace, &progress, app)?;
        }
        let before = (app.world.stopwatch)();
        self.memory.wait_idle()?;
        self.indexing += (app.world.stopwatch)().saturating_sub(before);
        Ok(())
    }

    fn keep(
        &mut self,
        batch: Vec<NewMemory>,
        namespace: &Namespace,
        progress: &Progress,
        app: &App<'_, '_>,
    ) -> Result<(), Failure> {
        let size = batch.len();
        let said: Vec<_> = if self.setting.triples {
            batch.iter().map(mentions).collect()
        } else {
            Vec::new()
        };
        let before = (app.world.stopwatch)();
        let ids = namespace.bulk().remember(batch)?;
        for (id, said) in ids
            .into_iter()
            .zip(said)
            .filter(|(_, said)| !said.is_empty())
        {
            namespace.graph().add_triples(id, &said)?;
        }
        self.importing += (app.world.stopwatch)().saturating_sub(before);
        self.turns += size;
        progress.add(u64::try_from(size).unwrap_or(0));
        Ok(())
    }

    /// Keeps what turns say, each day's at its time, and lets the jobs run between the days.
    fn live(
        &mut self,
        turns: Vec<NewMemory>,
        namespace: &Namespace,
        progress: &Progress,
        app: &App<'_, '_>,
    ) -> Result<(), Failure> {
        const DAY_MILLIS: i64 = 86_400_000;
        let mut days: BTreeMap<i64, Vec<NewMemory>> = BTreeMap::new();
        for turn in turns {
            let day = turn
                .body()
                .event_time
                .unwrap_or_default()
                .as_millis()
                .div_euclid(DAY_MILLIS);
            days.entry(day).or_default().push(self.fact(turn)?);
        }
        for facts in days.into_values() {
            let last = facts.iter().filter_map(|fact| fact.body().event_time).max();
            self.clock.set(last.unwrap_or_default());
            if self.setting.jobs {
                self.memory.maintain(false, Mode::Commit)?;
            }
            self.keep(facts, namespace, progress, app)?;
        }
        if self.setting.jobs {
            self.memory.maintain(false, Mode::Commit)?;
        }
        Ok(())
    }

    /// The text of a turn as a memory that ages.
    fn fact(&self, turn: NewMemory) -> Result<NewMemory, Failure> {
        let mut body = turn.into_body();
        let speaker = body.turn.take().and_then(|turn| turn.speaker);
        body.text = speaker.map_or(body.text.clone(), |speaker| {
            format!("{}: {}", speaker.as_str(), body.text)
        });
        body.layer = Layer::Semantic;
        if let Some(kind) = &self.kind {
            body.kind = Kind::new(kind.as_str()).map_err(annals::Error::from)?;
        }
        Ok(NewMemory::from_body(body).map_err(annals::Error::from)?)
    }

    /// The first question of a namespace loads it; that is not what is measured.
    fn warm_up(&self, conversation: &Conversation, namespace: &Namespace) -> Result<(), Failure> {
        self.clock.set(conversation.end());
        Ok(namespace.recall("warm up").map(drop)?)
    }

    fn query(&self, question: &Question) -> Query {
        let query = Query::new(question.q.as_str());
        // Where a profile shows nothing below a score, what it ranks is measured all the same.
        match UnitScore::new("minimum", 0.0) {
            Ok(none) if self.setting.profile.is_some() => query.min_score(none),
            _ => query,
        }
    }

    pub(crate) fn finish(self) -> Report {
        Report {
            quality: Quality::mean(&self.qualities),
            questions: self.qualities.len() + self.answerability.unanswerable(),
            answerability: self.answerability,
            latencies: self.latencies,
            rankings: self.rankings,
            turns: self.turns,
            embedder: self.memory.embedder().to_string(),
            index_seconds: self.indexing.as_secs_f64(),
            import_seconds: self.importing.as_secs_f64(),
        }
    }
}
