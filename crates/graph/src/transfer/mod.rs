//! A graph as lines, and back.

mod dump;
mod restore;
mod sweep;
mod triples;

pub use dump::{DumpLine, DumpedTriple, Naming, Sink, dump};
pub use restore::restore;
pub use sweep::sweep;
pub use triples::{TripleLine, TripleMetadata, import_triple};
