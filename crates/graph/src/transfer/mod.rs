//! A graph as lines, and back.

mod dump;
mod restore;
mod triples;

pub use dump::{DumpLine, DumpedEvidence, dump};
pub use restore::restore;
pub use triples::{TripleLine, TripleMetadata, import_triple, triple_lines};
