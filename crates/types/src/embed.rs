use std::fmt;

use serde::{Deserialize, Serialize};

/// The purpose of an embedding; models trained with query and passage prefixes treat the two
/// differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A question to be answered.
    Query,
    /// A memory to be stored.
    Passage,
}

/// Names a vector space: two embedders with equal fingerprints give comparable vectors.
///
/// Holds everything that changes vectors: model, its version or content hash, dimensions, pooling, prefixes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(pub String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Turns a cosine of one embedder into a score from 0 to 1, rising everywhere between a cosine of 0 and `high`.
///
/// From `low` to `high` it rises from [`KNEE`](Self::KNEE) to 1; below `low`, where texts count as
/// unrelated, it falls to 0 at a cosine of 0, so that the least unlike one still comes first. The
/// constants belong to the embedder, so that a score does not depend on the other candidates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The cosine at and below which two texts count as unrelated.
    pub low: f32,
    /// The cosine at and above which two texts count as saying the same.
    pub high: f32,
}

impl Calibration {
    /// The score of a cosine at `low`.
    pub const KNEE: f32 = 0.05;

    /// The score from 0 to 1 of a cosine.
    #[must_use]
    pub fn score(self, cosine: f32) -> f32 {
        if cosine < self.low {
            return (cosine / self.low.max(f32::EPSILON)).clamp(0.0, 1.0) * Self::KNEE;
        }
        let span = (self.high - self.low).max(f32::EPSILON);
        Self::KNEE + ((cosine - self.low) / span).clamp(0.0, 1.0) * (1.0 - Self::KNEE)
    }
}

/// Why a text has no vector.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The embedder cannot work here: a model, library or server is missing.
    #[error("{what} is not available: {reason}; {advice}")]
    Unavailable {
        /// The missing part.
        what: String,
        /// Why it could not be had.
        reason: String,
        /// Advice for the user.
        advice: String,
    },
    /// The embedder cannot be opened; the error of its own says why.
    #[error(transparent)]
    Unopened(Box<dyn std::error::Error + Send + Sync>),
    /// The embedder refused or failed on this input.
    #[error("{what} could not embed {texts} texts")]
    Failed {
        /// The embedder.
        what: String,
        /// How many texts were given.
        texts: usize,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The embedder answered something that is no list of vectors of its dimension.
    #[error("{what} answered {got} where {expected} was expected")]
    BadAnswer {
        /// The embedder.
        what: String,
        /// The expected form.
        expected: String,
        /// The form that came.
        got: String,
    },
}

/// Turns texts into vectors. Implementations are shared between threads and block until done.
pub trait Embedder: Send + Sync {
    /// The vector space that the embedder writes into.
    fn fingerprint(&self) -> Fingerprint;

    /// The length of every vector.
    fn dims(&self) -> usize;

    /// How its cosines become scores.
    fn calibration(&self) -> Calibration;

    /// One vector of [`dims`](Self::dims) numbers per text, in the same order, of Euclidean length 1.
    ///
    /// # Errors
    /// [`EmbedError`] when no vector can be made; then none is returned.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_rises_with_the_cosine_and_stays_between_0_and_1() {
        let calibration = Calibration { low: 0.4, high: 0.8 };
        let scores: Vec<f32> = [-0.5, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|c| calibration.score(c)).to_vec();
        let expected = [0.0, 0.0, 0.025, 0.05, 0.525, 1.0, 1.0];
        assert!(scores.iter().zip(expected).all(|(s, e)| (s - e).abs() < 1e-6), "{scores:?}");
        assert!(Calibration { low: 0.0, high: 0.6 }.score(0.3) > 0.5);
    }
}
