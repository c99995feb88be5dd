//! The memory as plain blocking calls: the core that the asynchronous handles wrap.

mod desk;
mod graph;
mod lists;
mod memory;
mod mirrors;
mod namespace;
mod removal;
mod reviews;
mod snapshot;
mod upkeep;
mod working;

pub use memory::Memory;
pub use namespace::Namespace;
pub use snapshot::Snapshot;
pub use working::WorkingMemory;
