use annals_static_table::{DIMS, SHARED, TABLE, VERSION};
use annals_types::{Calibration, EmbedError, Embedder, Fingerprint, Purpose};

use super::hashed::{Feature, Hashed};
use super::wordpiece::{Sink, UNKNOWN, split};

/// The rules around the table (tokenizer, hashed features, weights); vectors of different versions are not comparable.
const RULES: u32 = 2;

/// Rows are summed in 16 bits; 256 of them cannot overflow, since a code is at least -127.
const ROWS_PER_FLUSH: u32 = 256;

/// The embedder that needs nothing: no download, no native library, no start-up work.
///
/// A text's vector is the sum of one row per word piece of a static table (annals-static-table,
/// distilled from all-MiniLM-L6-v2, weights included), brought to length 1: 256 numbers,
/// microseconds per text, in English about what the model itself finds. Text that the table cannot
/// represent gets hashed features in the same space: ideographs their characters and pairs of
/// characters, words outside the vocabulary the word and its character triples. A word that the
/// vocabulary can only spell, fewer than four letters in three pieces, has these alone.
///
/// - The order of words does not count, nor does how often all of them are repeated. Texts of any length are read to
///   their end: a long one becomes the average of what it says.
/// - Case, accents, control characters and white space make no difference; queries and passages are treated alike.
/// - A text without any signal (empty, white space, control characters only) gets one fixed vector
///   of length 1, opposite to what all texts share, so that its cosine to any text with a signal
///   is below [`Calibration::low`].
/// - The same text gives the same bits on every platform.
///
/// ```
/// use annals_types::{Embedder, Purpose};
/// use annals_vector::embed::BuiltinEmbedder;
///
/// let embedder = BuiltinEmbedder::new();
/// let texts = ["I moved to Berlin for work", "my job is in Germany", "cats purr"];
/// let vectors = embedder.embed(&texts, Purpose::Passage)?;
/// let cosine = |a: usize, b: usize| vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum::<f32>();
/// assert!(cosine(0, 1) > cosine(0, 2));
/// # Ok::<(), annals_types::EmbedError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltinEmbedder {
    _private: (),
}

impl BuiltinEmbedder {
    /// Costs nothing: the table is part of the program and is read in place.
    #[must_use]
    pub const fn new() -> Self {
        Self { _private: () }
    }

    /// The vector of one text: 256 numbers, Euclidean length 1.
    #[must_use]
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = Sum::new();
        split(text, &mut sum);
        sum.finish()
    }
}

impl Embedder for BuiltinEmbedder {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint(format!("builtin/{DIMS}/table {VERSION} {:08x}/rules {RULES}", TABLE.checksum()))
    }

    fn dims(&self) -> usize {
        DIMS
    }

    fn calibration(&self) -> Calibration {
        let (low, high) = TABLE.calibration();
        Calibration { low, high }
    }

    fn embed(&self, texts: &[&str], _purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}

/// The weights of hashed features; the row of an ordinary rare word weighs about 1.
mod weight {
    pub(super) const CHARACTER: f32 = 0.8;
    pub(super) const PAIR: f32 = 0.6;
    pub(super) const WORD: f32 = 0.5;
    /// All triples of a word of up to [`FEW_TRIPLES`] characters together; each of a longer one
    /// weighs the same as there.
    pub(super) const TRIPLES: f32 = 0.25;
    pub(super) const FEW_TRIPLES: u8 = 8;
    /// How much of the direction that all rows share goes with a hashed feature. It makes hashed texts as similar to
    /// each other as texts from the table are, so that one calibration serves both, and keeps very short texts from
    /// being similar to everything.
    pub(super) const SHARED: f32 = 0.12;
}

/// The sum of rows and features of one text.
struct Sum {
    rows: [i16; DIMS],
    unflushed: u32,
    flushed: [i32; DIMS],
    hashed: Hashed,
    /// The ideograph just before, if the next one follows it directly, and its weight.
    before: Option<(char, f32)>,
}

impl Sum {
    fn new() -> Self {
        Self { rows: [0; DIMS], unflushed: 0, flushed: [0; DIMS], hashed: Hashed::new(), before: None }
    }

    #[inline]
    fn row(&mut self, piece: u16) {
        let Some(row) = TABLE.row(piece) else { return };
        for (sum, &code) in self.rows.iter_mut().zip(row) {
            *sum = sum.wrapping_add(i16::from(code.cast_signed()));
        }
        self.unflushed += 1;
        if self.unflushed == ROWS_PER_FLUSH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        for (total, sum) in self.flushed.iter_mut().zip(&mut self.rows) {
            *total = total.saturating_add(i32::from(*sum));
            *sum = 0;
        }
        self.unflushed = 0;
    }

    /// A word that is not one piece of the vocabulary.
    fn strange(&mut self, word: &[u8]) {
        self.hashed.add(Feature::Word(word), weight::WORD);
        let Ok(word) = std::str::from_utf8(word) else { return };
        let count = word.chars().take(usize::from(weight::FEW_TRIPLES)).count();
        let each = weight::TRIPLES / u8::try_from(count).map_or(1.0, f32::from).sqrt();
        let mut triple = [None, None, None];
        for character in word.chars().map(Some).chain([None]) {
            let [_, second, third] = triple;
            triple = [second, third, character];
            // The first one with a middle is the beginning of the word.
            if third.is_some() {
                self.hashed.add(Feature::Triple(triple), each);
            }
        }
    }

    fn finish(mut self) -> Vec<f32> {
        self.flush();
        let hashed = self.hashed.sums();
        let shared = weight::SHARED * self.hashed.total();
        let mut vector: Vec<f32> = self
            .flushed
            .iter()
            .zip(hashed)
            .zip(shared_direction())
            .map(|((&rows, hashed), direction)| real(rows) * TABLE.unit() + hashed + shared * direction)
            .collect();
        if !to_unit_length(&mut vector) {
            vector = shared_direction().map(|x| -x).collect();
            to_unit_length(&mut vector);
        }
        vector
    }
}

impl Sink for Sum {
    fn ideograph(&mut self, character: char, piece: u16) {
        if piece != UNKNOWN {
            self.row(piece);
        }
        let weight = f32::from(TABLE.ideograph_weight(character)) / 255.0;
        self.hashed.add(Feature::Character(character), weight::CHARACTER * weight);
        if let Some((before, other)) = self.before {
            self.hashed.add(Feature::Pair(before, character), weight::PAIR * (weight * other).sqrt());
        }
        self.before = Some((character, weight));
    }

    #[inline]
    fn word(&mut self, word: &[u8], pieces: &[u16]) {
        self.before = None;
        match pieces {
            [UNKNOWN] => self.strange(word),
            [piece] => self.row(*piece),
            _ => {
                // Letters mean nothing: texts of a script that the vocabulary only spells would all be alike.
                if !is_spelled(word, pieces) {
                    pieces.iter().for_each(|&piece| self.row(piece));
                }
                self.strange(word);
            }
        }
    }

    #[inline]
    fn punctuation(&mut self, piece: u16) {
        self.before = None;
        self.row(piece);
    }

    fn gap(&mut self) {
        self.before = None;
    }
}

/// The vocabulary spells abbreviations of so many Latin letters, which its model has read.
const ABBREVIATION: usize = 2;

/// Whether the pieces of a word are single letters for the most part.
fn is_spelled(word: &[u8], pieces: &[u16]) -> bool {
    let letters = word.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
    let abbreviation = word.is_ascii() && letters <= ABBREVIATION;
    !abbreviation && pieces.len().saturating_mul(4) > letters.saturating_mul(3)
}

fn shared_direction() -> impl Iterator<Item = f32> {
    TABLE.row(SHARED).into_iter().flatten().map(|&code| f32::from(code.cast_signed()) * TABLE.unit())
}

#[expect(clippy::cast_precision_loss, reason = "sums of codes stay far below 2^24 unless a text has 100,000 words")]
fn real(sum: i32) -> f32 {
    sum as f32
}

/// Brings a vector to length 1, or returns false when it has none.
///
/// The squares are added in eight lanes of a fixed order: fast, and the same bits everywhere.
fn to_unit_length(vector: &mut [f32]) -> bool {
    let mut lanes = [0.0_f32; 8];
    for chunk in vector.as_chunks::<8>().0 {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += x * x;
        }
    }
    let length = lanes.iter().sum::<f32>().sqrt();
    if length < 1e-4 {
        return false;
    }
    for x in vector {
        *x /= length;
    }
    true
}

#[cfg(test)]
mod tests;
