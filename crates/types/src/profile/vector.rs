//! The vector index.

use serde::{Deserialize, Serialize};

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
            exact_up_to_rows: 50_000,
            tail_up_to_rows: 20_000,
            degree: 56,
            build_candidates: 224,
            search_candidates: 256,
            build_threads: 2,
        }
    }
}
