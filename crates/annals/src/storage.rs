//! Where memories are kept: what an engine of one's own offers, for
//! [`Options::open_on`](crate::Options::open_on).
//!
//! Without one, memories are in one file ([`Options::open`](crate::Options::open)) or in memory
//! alone ([`Options::in_memory`](crate::Options::in_memory)). Engines see bytes; checksums, group
//! commit and the numbers of commits are above them. [`copy`] brings what one engine holds into
//! another, such as a file ([`RedbEngine`]) into PostgreSQL.

#[cfg(feature = "postgres")]
pub use annals_postgres::{ConnectOptions, PostgresEngine};
pub use annals_storage::{
    Batch, Changes, Copied, Depth, Engine, EngineReads, EngineSnapshot, EngineStats, Expected,
    KeyRange, Keyspace, KeyspaceStats, MemoryEngine, Options as FileOptions, RedbEngine, RequestId,
    StorageError, Visit, beside, carry_out, copy, expect_database,
};
