//! Profiles: every number that shapes behaviour, as data with a name and a unit.

use serde::{Deserialize, Serialize};

/// All settings of one namespace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Identity and limits of memories.
    pub records: RecordSettings,
    /// Full text.
    pub text: TextSettings,
    /// Vector index.
    pub vector: VectorSettings,
}

/// How memories are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSettings {
    /// Whether an update keeps the public id (true) or gives the new text a new id that supersedes the old.
    pub update_keeps_id: bool,
    /// Rows that feature columns are folded into one stored block at a time.
    pub column_block_rows: u32,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self { update_keeps_id: true, column_block_rows: 1024 }
    }
}

/// The full-text layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextSettings {
    /// BM25 term-frequency saturation (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
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
        Self { k1: 1.2, b: 0.4, fold_above_rows: 8192, merge_factor: 8, chunk_bytes: 8192, cache_bytes: 256 << 20 }
    }
}

/// The vector index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VectorSettings {
    /// Rows up to which every vector is compared; above, a graph is built.
    pub exact_up_to_rows: u32,
    /// Rows outside the graph above which it is rebuilt.
    pub tail_up_to_rows: u32,
    /// Neighbours of a row in the graph.
    pub degree: u32,
    /// Candidates kept while a row is inserted into the graph.
    pub build_candidates: u32,
    /// Candidates kept while the graph is searched.
    pub search_candidates: u32,
    /// Threads that build the graph.
    pub build_threads: u32,
}

impl Default for VectorSettings {
    fn default() -> Self {
        Self {
            exact_up_to_rows: 20_000,
            tail_up_to_rows: 20_000,
            degree: 32,
            build_candidates: 100,
            search_candidates: 96,
            build_threads: 2,
        }
    }
}
