#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

mod batch;
pub mod codec;
mod commit_queue;
#[cfg(feature = "conformance")]
#[allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "checks fail by panicking; they are compiled for tests only"
)]
pub mod conformance;
mod copy;
mod engine;
mod error;
mod format;
mod group;
mod hex;
mod keyspace;
mod layers;
mod memory;
mod migration;
mod options;
mod path;
mod private;
mod reads;
mod redb;
mod request;
mod salvage;
mod seal;
mod stats;
mod store;
pub mod table;
mod transaction;
mod validate;
pub mod wire;

pub use self::redb::{RedbEngine, Restored, publish, restore, salvage};
pub use self::salvage::{Lost, Salvage};
pub use batch::{Batch, Changes, Expected};
pub use copy::{Copied, copy, expect_database};
pub use engine::{Engine, EngineReads, EngineSnapshot, KeyRange, Visit};
pub use error::{Holder, StorageError};
pub use format::{FORMAT, OLDEST_FORMAT};
pub use hex::hex;
pub use keyspace::{Keyspace, prefix_end};
pub use memory::MemoryEngine;
pub use options::Options;
pub use path::beside;
pub use reads::{Reads, Snapshot, Stored, Visitor};
pub use request::{RequestId, aside, carry_out, is_request, next_call};
pub use stats::{Depth, EngineStats, KeyspaceStats, StoreStats, ValidateReport};
pub use store::Store;
pub use table::{AnyTable, Table};
pub use transaction::{MAX_BODY_BYTES, MAX_KEY_BYTES, Transaction};
