//! Where memories are kept: what an engine of one's own offers, for [`Options::open_on`](crate::Options::open_on).
//!
//! Without one, memories are in one file ([`Options::open`](crate::Options::open)) or in memory alone
//! ([`Options::in_memory`](crate::Options::in_memory)). Engines see bytes; checksums, group commit and the numbers of commits are above them.

pub use annals_storage::{
    Batch, Changes, Depth, Engine, EngineReads, EngineSnapshot, EngineStats, Expected, KeyRange, Keyspace,
    KeyspaceStats, MemoryEngine, RequestId, StorageError, Visit, beside, carry_out,
};
