/// Sizes at which the full-text layer changes its ways. None of them changes what a search
/// answers; zero and one are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// New rows that are searched through their forward lists before they become a segment in
    /// memory. Default 64.
    pub tail_rows: usize,
    /// Rows in memory from which on a fold is due. Default 4,096.
    pub fold_after: usize,
    /// Segments of one size class that are merged into one of the next class; at least 2. Default
    /// 8.
    pub merge_factor: usize,
    /// The most rows that a merge puts into one segment. Default 524,288.
    pub max_segment_rows: u32,
    /// The size of a stored chunk. Default 7,900 bytes: with key and checksum it fits a page of 8
    /// KiB.
    pub chunk_bytes: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tail_rows: 64,
            fold_after: 4096,
            merge_factor: 8,
            max_segment_rows: 1 << 19,
            chunk_bytes: 7_900,
        }
    }
}

/// The parameters of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// How soon repetition of a term stops to count. Default 0.6: memories are short.
    pub k1: f32,
    /// How much the length of a memory counts, 0 to 1. Default 0.3.
    pub b: f32,
}

impl Default for Bm25 {
    fn default() -> Self {
        Self { k1: 0.6, b: 0.3 }
    }
}

impl Bm25 {
    /// The inverse document frequency of a term that `frequency` of `documents` memories have:
    /// ln(1 + (N - df + 0.5) / (df + 0.5)) (Robertson and Zaragoza, The Probabilistic Relevance
    /// Framework, 2009, as in Lucene).
    #[must_use]
    pub fn idf(documents: u64, frequency: u64) -> f32 {
        let rest = precise(documents.saturating_sub(frequency));
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an idf is below 50; its last bits do not matter"
        )]
        let idf = (1.0 + (rest + 0.5) / (precise(frequency) + 0.5)).ln() as f32;
        idf
    }

    /// How much of a term's weight its `count` earns in a text of `length` where texts have
    /// `average`: count / (count + k1 (1 - b + b length / average)), in 0..1.
    #[must_use]
    pub fn saturation(self, count: f32, length: f32, average: f32) -> f32 {
        if count <= 0.0 {
            return 0.0;
        }
        count
            / (count + self.k1 * (1.0 - self.b + self.b * length / average.max(f32::MIN_POSITIVE)))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts below 2^53 are exact")]
const fn precise(n: u64) -> f64 {
    n as f64
}
