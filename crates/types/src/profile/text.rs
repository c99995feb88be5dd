//! Full text.

use serde::{Deserialize, Serialize};

use super::BadProfile;
use super::check::{finite_above, share};

/// The full-text layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextSettings {
    /// BM25 term-frequency saturation (Robertson and Zaragoza, The Probabilistic Relevance
    /// Framework, 2009).
    pub k1: f32,
    /// BM25 length normalisation, 0 to 1.
    pub b: f32,
    /// New rows above which they are folded into a stored segment.
    pub fold_above_rows: u32,
    /// Stored segments of one size that are merged into the next size.
    pub merge_factor: u32,
    /// Size of a stored chunk in bytes.
    pub chunk_bytes: u32,
    /// Memory for loaded postings in bytes.
    pub cache_bytes: u64,
}

impl Default for TextSettings {
    fn default() -> Self {
        Self {
            k1: 0.6,
            b: 0.3,
            fold_above_rows: 8192,
            merge_factor: 8,
            chunk_bytes: 8192,
            cache_bytes: 256 << 20,
        }
    }
}

impl TextSettings {
    pub(super) fn check(&self) -> Result<(), BadProfile> {
        share("text.b", self.b)?;
        finite_above("text.k1", self.k1)
    }
}
