//! A file with one namespace under a profile, on a clock that stands where a test puts it.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::{
    JobReport, Judge, ManualClock, MemoryId, Mode, NewMemory, NewTurn, Options, Query, Standing,
    Status, Timestamp,
};

pub struct World {
    folder: tempfile::TempDir,
    pub clock: ManualClock,
    setting: Setting,
    memory: Option<Memory>,
}

/// The options that a test sets.
pub type Setting = Box<dyn Fn(Options) -> Options>;

pub const DAY: f64 = 86_400_000.0;

#[track_caller]
pub fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6, "{value} is not {expected}");
}

/// 2026-01-01 and so many days.
pub fn day(days: f64) -> Timestamp {
    let start: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    start.plus_millis((days * DAY).round() as i64)
}

impl World {
    /// The namespace `u` under a profile, made on day 0.
    pub fn new(profile: &str) -> Self {
        Self::judged(profile, None)
    }

    pub fn judged(profile: &str, judge: Option<Arc<dyn Judge>>) -> Self {
        Self::with(profile, move |options| match &judge {
            Some(judge) => options.judge(Arc::clone(judge)),
            None => options,
        })
    }

    pub fn with(profile: &str, setting: impl Fn(Options) -> Options + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let setting = Box::new(setting);
        let mut world = Self {
            folder,
            clock: ManualClock::new(day(0.0)),
            setting,
            memory: None,
        };
        world.reopen();
        world.memory().create_namespace("u", profile).unwrap();
        world
    }

    pub fn reopen(&mut self) {
        self.memory = None;
        let options = Options::new()
            .clock(Arc::new(self.clock.clone()))
            .id_seed(1);
        self.memory = Some(
            (self.setting)(options)
                .open(self.folder.path().join("u.annals"))
                .unwrap(),
        );
    }

    /// Closes the file and opens it with other options.
    pub fn set(&mut self, setting: impl Fn(Options) -> Options + 'static) {
        self.memory = None;
        self.setting = Box::new(setting);
        self.reopen();
    }

    /// From the next opening on nothing is set otherwise, and nothing runs by itself.
    pub fn calm(&mut self) {
        self.memory = None;
        self.setting = Box::new(|options| options);
    }

    pub fn memory(&self) -> &Memory {
        self.memory.as_ref().unwrap()
    }

    pub fn space(&self) -> Namespace {
        self.memory().namespace("u").unwrap()
    }

    /// The clock shows another day, and a person says that it is right.
    pub fn at(&self, days: f64) {
        self.clock.set(day(days));
        if let Some(memory) = &self.memory {
            memory.jobs().trust_clock().unwrap();
        }
    }

    pub fn remember(&self, memory: NewMemory) -> MemoryId {
        self.space().remember(memory).unwrap()
    }

    pub fn kind(&self, kind: &str, text: &str) -> MemoryId {
        self.remember(NewMemory::builder(text).kind(kind).build().unwrap())
    }

    pub fn scored(&self, kind: &str, score: f64, text: &str) -> MemoryId {
        self.remember(
            NewMemory::builder(text)
                .kind(kind)
                .importance(score as f32)
                .build()
                .unwrap(),
        )
    }

    /// A turn of a conversation.
    pub fn said(&self, text: &str) -> MemoryId {
        self.space()
            .sessions()
            .append(vec![NewTurn::builder("s", text).build().unwrap()])
            .unwrap()[0]
    }

    /// Runs the due jobs, which may fail.
    pub fn attempt(&self) -> Vec<JobReport> {
        self.memory().maintain(false, Mode::Commit).unwrap()
    }

    /// Runs the due jobs.
    pub fn maintain(&self) -> Vec<JobReport> {
        let reports = self.attempt();
        assert!(reports.iter().all(JobReport::succeeded), "{reports:?}");
        reports
    }

    /// All jobs.
    pub fn force(&self) -> Vec<JobReport> {
        let reports = self.memory().maintain(true, Mode::Commit).unwrap();
        assert!(reports.iter().all(JobReport::succeeded), "{reports:?}");
        reports
    }

    pub fn standing(&self, id: MemoryId) -> Standing {
        self.space()
            .lifecycle()
            .standings(&[id])
            .unwrap()
            .pop()
            .flatten()
            .unwrap()
    }

    pub fn score(&self, id: MemoryId) -> f64 {
        self.standing(id).score
    }

    pub fn status(&self, id: MemoryId) -> Option<Status> {
        self.space().get(id).unwrap().map(|memory| memory.status)
    }

    pub fn recall(&self, question: impl Into<Query>) -> Vec<String> {
        self.space()
            .recall(question)
            .unwrap()
            .into_iter()
            .map(|hit| hit.text)
            .collect()
    }

    #[track_caller]
    pub fn validate(&self) {
        assert_eq!(self.memory().validate().unwrap().problems, [""; 0]);
    }
}
