//! A namespace under a profile, whose memories are as like every question as a test says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use annals::blocking::{Memory, Namespace};
use annals::{
    Answer, Calibration, EmbedError, Embedder, Feature, Fingerprint, Hit, ManualClock, MemoryId,
    NewMemory, Purpose, Query, Timestamp,
};

const DIMS: usize = 256;
pub const DAY: i64 = 86_400_000;

pub fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

/// Cosines of texts with every question; other texts have none with it. Writes down what it is
/// asked.
#[derive(Default)]
pub struct Scripted {
    cosines: Mutex<HashMap<String, f32>>,
    pub questions: Mutex<Vec<String>>,
    pub stored: Mutex<usize>,
    pub broken: Mutex<bool>,
}

/// A vector of length 1 that a text begins.
fn noise(text: &str) -> Vec<f32> {
    let mut state = text.bytes().fold(0x9E37_79B9_7F4A_7C15_u64, |state, byte| {
        (state ^ u64::from(byte))
            .wrapping_mul(0x0000_0100_0000_01B3)
            .rotate_left(17)
    });
    let mut number = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    scaled((0..DIMS).map(|_| number()).collect())
}

fn scaled(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.into_iter().map(|x| x / length).collect()
}

impl Scripted {
    /// A vector of this cosine with that of every question.
    fn beside(text: &str, cosine: f32) -> Vec<f32> {
        let (base, other) = (noise("the question"), noise(text));
        let along: f32 = base.iter().zip(&other).map(|(a, b)| a * b).sum();
        let across = scaled(
            base.iter()
                .zip(&other)
                .map(|(a, b)| b - along * a)
                .collect(),
        );
        let rest = (1.0 - cosine * cosine).max(0.0).sqrt();
        base.iter()
            .zip(&across)
            .map(|(a, b)| cosine * a + rest * b)
            .collect()
    }
}

impl Embedder for Scripted {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("scripted".to_owned())
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.0, 1.0))
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if purpose == Purpose::Query {
            if *self.broken.lock().unwrap() {
                let what = "scripted".to_owned();
                return Err(EmbedError::BadAnswer {
                    what,
                    got: "nothing".into(),
                    expected: "a vector".into(),
                });
            }
            self.questions
                .lock()
                .unwrap()
                .extend(texts.iter().map(|text| (*text).to_owned()));
            return Ok(texts.iter().map(|_| noise("the question")).collect());
        }
        *self.stored.lock().unwrap() += texts.len();
        let cosines = self.cosines.lock().unwrap();
        Ok(texts
            .iter()
            .map(|text| Self::beside(text, cosines.get(*text).copied().unwrap_or(0.0)))
            .collect())
    }
}

pub struct World {
    pub memory: Memory,
    pub space: Namespace,
    pub clock: ManualClock,
    pub embedder: Arc<Scripted>,
}

impl World {
    /// The namespace `u` under a profile.
    pub fn new(profile: &str) -> Self {
        Self::with(profile, None)
    }

    /// The same under a changed copy of a profile.
    pub fn changed(profile: &str, change: impl Fn(String) -> String) -> Self {
        let text = Memory::options()
            .in_memory()
            .unwrap()
            .profiles()
            .text(profile)
            .unwrap();
        let changed = change(text.clone());
        assert_ne!(changed, text, "nothing was changed");
        Self::with("changed", Some(&changed))
    }

    fn with(profile: &str, own: Option<&str>) -> Self {
        let (clock, embedder) = (ManualClock::new(now()), Arc::<Scripted>::default());
        let options = Memory::options().clock(Arc::new(clock.clone())).id_seed(1);
        let memory = options
            .embedder(Arc::clone(&embedder) as Arc<dyn Embedder>)
            .in_memory()
            .unwrap();
        if let Some(text) = own {
            memory.profiles().store(profile, text).unwrap();
        }
        let space = memory.create_namespace("u", profile).unwrap();
        Self {
            memory,
            space,
            clock,
            embedder,
        }
    }

    /// Says how like a text is to every question.
    pub fn like(&self, text: &str, cosine: f32) {
        self.embedder
            .cosines
            .lock()
            .unwrap()
            .insert(text.to_owned(), cosine);
    }

    /// Stores a memory of that likeness.
    pub fn store(&self, cosine: f32, memory: NewMemory) -> MemoryId {
        self.like(memory.text(), cosine);
        self.space.remember(memory).unwrap()
    }

    /// The same of a kind and a text alone.
    pub fn put(&self, kind: &str, cosine: f32, text: &str) -> MemoryId {
        self.store(cosine, NewMemory::builder(text).kind(kind).build().unwrap())
    }

    /// Old memories that do not matter, but are so like every question.
    pub fn noise(&self, count: usize, kind: &str, cosine: f32) {
        for n in 0..count {
            let old = now().plus_millis(-1000 * DAY);
            let memory = NewMemory::builder(format!("noise {n}"))
                .kind(kind)
                .event_time(old)
                .importance(0.0);
            self.store(cosine, memory.build().unwrap());
        }
    }

    pub fn answer(&self, query: impl Into<Query>) -> Answer {
        self.space.answer(query).unwrap()
    }

    /// The texts of the hits that are no noise.
    pub fn texts(&self, query: impl Into<Query>) -> Vec<String> {
        self.answer(query)
            .hits
            .into_iter()
            .map(|hit| hit.text)
            .filter(|text| !text.starts_with("noise"))
            .collect()
    }
}

/// The value of a feature of a hit.
pub fn value(hit: &Hit, feature: Feature) -> f32 {
    hit.explanation
        .parts
        .iter()
        .find(|part| part.feature == feature)
        .unwrap()
        .value
        .unwrap()
}

/// The hit with a text.
pub fn hit<'a>(answer: &'a Answer, text: &str) -> &'a Hit {
    answer
        .hits
        .iter()
        .find(|hit| hit.text == text)
        .unwrap_or_else(|| panic!("{text} is no hit"))
}

/// Vectors are kept in bytes: a cosine is off by less than this.
pub const COARSE: f32 = 2e-3;

#[track_caller]
pub fn near(value: f32, expected: f32, within: f32) {
    assert!(
        (value - expected).abs() < within,
        "{value} is not {expected}"
    );
}
