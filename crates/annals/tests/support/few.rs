//! An embedder for tests in which vectors do not count.

use annals::{Calibration, EmbedError, Embedder, Fingerprint, Purpose};

/// An embedder that takes no time.
pub struct Few;

impl Embedder for Few {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("few".to_owned())
    }

    fn dims(&self) -> usize {
        8
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.0, 1.0))
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts
            .iter()
            .map(|text| {
                (0..8)
                    .map(|n| 1.0 + ((text.len() + n) % 3) as f32)
                    .collect()
            })
            .collect())
    }
}
