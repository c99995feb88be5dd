//! Changing the embedder of a file, and embedders that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use annals::blocking::Memory;
use annals::{Calibration, EmbedError, Embedder, Fingerprint, Purpose};

/// Embeds by counting letters; can be told to fail.
#[derive(Default)]
struct Letters {
    broken: AtomicBool,
}

impl Embedder for Letters {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("letters/1".to_owned())
    }

    fn dims(&self) -> usize {
        26
    }

    fn calibration(&self) -> Calibration {
        Calibration { low: 0.5, high: 1.0 }
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if self.broken.load(Ordering::Relaxed) {
            return Err(EmbedError::Unavailable {
                what: "letters".to_owned(),
                reason: "told to fail".to_owned(),
                advice: "try again".to_owned(),
            });
        }
        let count = |text: &&str| {
            let mut vector = [0.01_f32; 26];
            text.bytes().filter(u8::is_ascii_lowercase).for_each(|b| vector[usize::from(b - b'a')] += 1.0);
            let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter().map(|x| x / norm).collect()
        };
        Ok(texts.iter().map(count).collect())
    }
}

#[test]
fn reembedding_switches_at_once_and_recall_never_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.annals");
    let memory = Memory::open(&path).unwrap();
    let user = memory.namespace("u").unwrap();
    for n in 0..600 {
        user.remember(format!("note {n} about lighthouses")).unwrap();
    }
    drop((user, memory));
    let letters = Arc::new(Letters::default());
    let memory = Memory::options().embedder(Arc::clone(&letters) as _).open(&path).unwrap();
    let user = memory.namespace("u").unwrap();
    user.remember("written in between").unwrap();
    assert!(!user.recall("lighthouses").unwrap().is_empty(), "the old vectors are searched meanwhile");
    let mut seen = Vec::new();
    let report = user.reembed(&mut |progress| seen.push((progress.done, progress.total))).unwrap();
    assert_eq!((report.embedded, report.already, report.cleared_spaces), (600, 1, 1));
    assert_eq!(seen.last(), Some(&(601, 601)));
    let stats = user.stats().unwrap().open.unwrap();
    assert_eq!(stats.vectors, 601);
    assert!(!user.recall("lighthouses").unwrap().is_empty());
    assert_eq!(user.reembed(&mut |_| {}).unwrap().embedded, 0);
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

#[test]
fn an_embedder_that_fails_stops_writes_but_not_recall() {
    let letters = Arc::new(Letters::default());
    let memory = Memory::options().embedder(Arc::clone(&letters) as _).in_memory().unwrap();
    let user = memory.namespace("u").unwrap();
    user.remember("the harbour is closed").unwrap();
    letters.broken.store(true, Ordering::Relaxed);
    assert!(user.remember("another").unwrap_err().is_embedder());
    let answer = user.answer("harbour").unwrap();
    assert_eq!(answer.hits.len(), 1);
    assert!(answer.without_vectors.unwrap().contains("told to fail"));
}
