//! The memory as plain blocking calls: the core that the asynchronous handles wrap.

mod agents;
mod bulk;
mod context;
mod decisions;
mod extraction;
mod graph;
mod incognito;
mod jobs;
mod lasting;
mod lists;
mod memory;
mod merges;
mod mirrors;
mod namespace;
mod prepared;
mod prompt;
mod proposals;
mod queue;
mod removal;
mod reviews;
mod session_state;
mod snapshot;
mod suspicions;
mod tools;
mod undo;
mod upkeep;
mod usage;
mod users;
mod wishes;
mod working;

pub use incognito::Incognito;
pub use memory::Memory;
pub use namespace::Namespace;
pub use snapshot::Snapshot;
pub use working::WorkingMemory;
