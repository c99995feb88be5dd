//! The embedder that comes along, which notes what it is asked.

use std::sync::{Arc, Mutex};

use annals::{Calibration, EmbedError, Embedder, Fingerprint, Purpose};
use annals_vector::embed::BuiltinEmbedder;

pub struct Noted {
    inner: BuiltinEmbedder,
    pub questions: Mutex<Vec<String>>,
    pub stored: Mutex<usize>,
    /// How many texts each call brought.
    pub batches: Mutex<Vec<usize>>,
}

impl Noted {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: BuiltinEmbedder::new(),
            questions: Mutex::default(),
            stored: Mutex::default(),
            batches: Mutex::default(),
        })
    }
}

impl Embedder for Noted {
    fn fingerprint(&self) -> Fingerprint {
        self.inner.fingerprint()
    }

    fn dims(&self) -> usize {
        self.inner.dims()
    }

    fn calibration(&self) -> Option<Calibration> {
        self.inner.calibration()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.batches.lock().unwrap().push(texts.len());
        match purpose {
            Purpose::Query => self
                .questions
                .lock()
                .unwrap()
                .extend(texts.iter().map(|text| (*text).to_owned())),
            _ => *self.stored.lock().unwrap() += texts.len(),
        }
        self.inner.embed(texts, purpose)
    }
}
