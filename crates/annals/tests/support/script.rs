//! An embedder and a judge that do what a test says.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use annals::{
    Calibration, Causality, EmbedError, Embedder, Fingerprint, Judge, JudgeError, Judgement,
    Purpose, Reasoned, ReviewCase, Shown,
};

/// Dimensions of the vectors.
const DIMS: usize = 2048;

/// Texts that were given a direction have it; every other text is unlike all others. Counts what it
/// is asked.
#[derive(Default)]
pub struct Table {
    near: Mutex<BTreeMap<String, (String, f32)>>,
    known: Mutex<BTreeMap<String, usize>>,
    pub asked: Mutex<Vec<usize>>,
}

impl Table {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Lets a text have a cosine with another one.
    pub fn near(&self, text: &str, to: &str, cosine: f32) {
        self.near
            .lock()
            .unwrap()
            .insert(text.to_owned(), (to.to_owned(), cosine));
    }

    fn axis(&self, text: &str) -> usize {
        let mut known = self.known.lock().unwrap();
        let next = known.len();
        *known.entry(text.to_owned()).or_insert(next) % DIMS
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let near = self.near.lock().unwrap().get(text).cloned();
        let mut vector = vec![0.0; DIMS];
        match near {
            Some((to, cosine)) => {
                vector = self.vector(&to);
                vector.iter_mut().for_each(|number| *number *= cosine);
                vector[self.axis(text)] += (1.0 - cosine * cosine).sqrt();
            }
            None => vector[self.axis(text)] = 1.0,
        }
        vector
    }
}

impl Embedder for Table {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("table of a test".to_owned())
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.2, 0.9))
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.asked.lock().unwrap().push(texts.len());
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

type Pair = (String, String);

/// A judge that answers about pairs of texts in the order in which it is told to, and keeps what it
/// was asked.
#[derive(Default)]
pub struct Script {
    pub causes: Mutex<VecDeque<Causality>>,
    pub answers: Mutex<VecDeque<bool>>,
    pub pairs: Mutex<Vec<Pair>>,
    pub asleep: Mutex<bool>,
}

impl Script {
    pub fn causes(causes: impl IntoIterator<Item = Causality>) -> Arc<Self> {
        Arc::new(Self {
            causes: Mutex::new(causes.into_iter().collect()),
            ..Self::default()
        })
    }

    pub fn answers(answers: impl IntoIterator<Item = bool>) -> Arc<Self> {
        Arc::new(Self {
            answers: Mutex::new(answers.into_iter().collect()),
            ..Self::default()
        })
    }

    pub fn asked(&self) -> usize {
        self.pairs.lock().unwrap().len()
    }

    fn note(&self, first: &Shown, second: &Shown) -> Result<(), JudgeError> {
        if *self.asleep.lock().unwrap() {
            return Err(JudgeError::Unavailable {
                what: "the model".to_owned(),
                reason: "it sleeps".to_owned(),
                wait: None,
            });
        }
        self.pairs
            .lock()
            .unwrap()
            .push((first.text.clone(), second.text.clone()));
        Ok(())
    }

    fn answer(&self, first: &Shown, second: &Shown) -> Result<bool, JudgeError> {
        self.note(first, second)?;
        Ok(self.answers.lock().unwrap().pop_front().unwrap_or(false))
    }
}

impl Judge for Script {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Judgement::Keep.into())
    }

    fn same(&self, first: &Shown, second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.answer(first, second).map(Reasoned::from)
    }

    fn contradicts(&self, newer: &Shown, older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        self.answer(newer, older).map(Reasoned::from)
    }

    fn causality(&self, first: &Shown, second: &Shown) -> Result<Reasoned<Causality>, JudgeError> {
        self.note(first, second)?;
        Ok(self
            .causes
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or(Causality::Neither)
            .into())
    }
}
