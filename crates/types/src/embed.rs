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
/// Holds everything that changes vectors: model, its version or content hash, dimensions, pooling,
/// prefixes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Fingerprint(pub String);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The script of most of a text, as far as embedders treat texts of different scripts differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    /// Latin letters, and texts without letters.
    Latin,
    /// Ideographs without kana, as in Chinese.
    Han,
    /// Any other, Japanese among them.
    Other,
}

impl Script {
    /// All scripts, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Latin, Self::Han, Self::Other];

    /// The script of most of a text. An ideograph counts as much as three
    /// letters; a tenth of kana make a text of ideographs Japanese.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let (mut latin, mut han, mut other, mut kana) = (0_usize, 0_usize, 0_usize, 0_usize);
        for character in text.chars() {
            match character {
                'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                    latin += 1
                }
                '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3134f}' => {
                    han += 1
                }
                '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' => kana += 1,
                _ if character.is_ascii() => {}
                _ if character.is_alphabetic() => other += 1,
                _ => {}
            }
        }
        let ideographs = (han + kana) * Self::LETTERS;
        if other > latin && other > ideographs {
            Self::Other
        } else if ideographs > latin {
            if kana * 10 > han {
                Self::Other
            } else {
                Self::Han
            }
        } else {
            Self::Latin
        }
    }

    /// Letters that say about as much as an ideograph.
    const LETTERS: usize = 3;

    /// Its number in stored form.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        match self {
            Self::Latin => 0,
            Self::Han => 1,
            Self::Other => 2,
        }
    }

    /// The script of a number.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Latin),
            1 => Some(Self::Han),
            2 => Some(Self::Other),
            _ => None,
        }
    }
}

/// The cosines of one embedder between which texts of two scripts come to be related.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CosineRange {
    /// The cosine at and below which two texts count as unrelated.
    pub low: f32,
    /// The cosine that a question and its answer have in the mean.
    pub high: f32,
}

impl CosineRange {
    /// The score of a cosine at `low`.
    pub const KNEE: f32 = 0.05;

    /// How much flatter scores rise above `high` than below it.
    const FLATTER: f32 = 0.1;

    /// The score from 0 to 1 of a cosine. It rises everywhere: from 0 at a cosine of -1 to
    /// [`KNEE`](Self::KNEE) at `low`, then steeply to `high`, then flatly to 1 at a cosine of 1.
    #[must_use]
    pub fn score(self, cosine: f32) -> f32 {
        let (low, high) = (self.low, self.high.min(1.0));
        let cosine = cosine.clamp(-1.0, 1.0);
        if cosine < low {
            return Self::KNEE * (cosine + 1.0) / (low + 1.0);
        }
        let slope =
            (1.0 - Self::KNEE) / (high - low + Self::FLATTER * (1.0 - high)).max(f32::EPSILON);
        let steep = (cosine - low).min(high - low);
        let flat = (cosine - high).max(0.0) * Self::FLATTER;
        (Self::KNEE + slope * (steep + flat)).min(1.0)
    }

    /// Where a cosine lies in the range: 0 at `low`, 1 at `high`, and beyond them outside.
    #[must_use]
    pub fn place(self, cosine: f32) -> f32 {
        (cosine - self.low) / (self.high - self.low).max(f32::EPSILON)
    }

    /// How much of the way from unrelated (0) to equal (1) a cosine lies: what tells whether two
    /// texts say the same, and not whether one answers the other.
    #[must_use]
    pub fn sameness(self, cosine: f32) -> f32 {
        ((cosine - self.low) / (1.0 - self.low).max(f32::EPSILON)).clamp(0.0, 1.0)
    }
}

/// Turns the cosines of one embedder into scores from 0 to 1 that mean the same whichever made
/// them.
///
/// The ranges belong to the embedder, so that a score does not depend on the other candidates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The range of two texts of one script, in the order of [`Script::ALL`].
    pub within: [CosineRange; 3],
    /// The range of two texts of different scripts.
    pub across: CosineRange,
}

impl Calibration {
    /// One range for all scripts.
    #[must_use]
    pub const fn uniform(low: f32, high: f32) -> Self {
        let range = CosineRange { low, high };
        Self {
            within: [range; 3],
            across: range,
        }
    }

    /// The range of two texts.
    #[must_use]
    pub fn range(&self, a: Script, b: Script) -> CosineRange {
        let [latin, han, other] = self.within;
        match (a, b) {
            (Script::Latin, Script::Latin) => latin,
            (Script::Han, Script::Han) => han,
            (Script::Other, Script::Other) => other,
            _ => self.across,
        }
    }

    /// The score from 0 to 1 of the cosine of two texts.
    #[must_use]
    pub fn score(&self, cosine: f32, a: Script, b: Script) -> f32 {
        self.range(a, b).score(cosine)
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

    /// How its cosines become scores; `None` where that is to be measured when the embedder is
    /// first used.
    fn calibration(&self) -> Option<Calibration> {
        None
    }

    /// One vector of [`dims`](Self::dims) numbers per text, in the same order, of Euclidean length
    /// 1.
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
        for (low, high) in [(0.4, 0.8), (0.2, 0.6), (0.0, 1.0), (0.75, 0.9), (-0.1, 0.3)] {
            let range = CosineRange { low, high };
            let scores: Vec<f32> = (-20_i8..=20)
                .map(|step| range.score(f32::from(step) / 20.0))
                .collect();
            assert!(
                scores.is_sorted_by(|a, b| a < b),
                "{low} {high}: {scores:?}"
            );
            assert!(
                (range.score(low) - 0.05).abs() < 1e-6 && range.score(-1.0) == 0.0,
                "{low} {high}"
            );
            assert!((range.score(1.0) - 1.0).abs() < 1e-6, "{low} {high}");
        }
        assert_eq!(
            (CosineRange {
                low: 0.0,
                high: 1.0
            })
            .score(0.5),
            0.525
        );
        let range = CosineRange {
            low: 0.2,
            high: 0.6,
        };
        assert_eq!(
            [-1.0, 0.2, 1.0].map(|cosine| range.sameness(cosine)),
            [0.0, 0.0, 1.0]
        );
        assert!((range.sameness(0.6) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn texts_have_the_script_of_most_of_them() {
        for (text, script) in [
            ("", Script::Latin),
            ("7:30 🙂", Script::Latin),
            ("Zoë's café", Script::Latin),
            ("我下周去杭州", Script::Han),
            ("deploy the 生产 cluster", Script::Latin),
            ("用 Docker 构建的时候记得先 export", Script::Han),
            ("私は川のそばに住んでいます", Script::Other),
            ("Где я живу?", Script::Other),
            ("אני גר בתל אביב", Script::Other),
        ] {
            assert_eq!(Script::of_text(text), script, "{text}");
            assert_eq!(Script::from_byte(script.to_byte()), Some(script));
        }
    }

    #[test]
    fn each_pair_of_scripts_has_its_range() {
        let range = |low| CosineRange { low, high: 0.9 };
        let calibration = Calibration {
            within: [range(0.1), range(0.2), range(0.3)],
            across: range(0.4),
        };
        let low = |a, b| calibration.range(a, b).low;
        assert_eq!(
            Script::ALL.map(|script| low(script, script)),
            [0.1, 0.2, 0.3]
        );
        assert_eq!(
            (
                low(Script::Latin, Script::Han),
                low(Script::Other, Script::Latin)
            ),
            (0.4, 0.4)
        );
    }
}
