//! The handles as plain blocking calls.

pub use crate::handles::blocking::{
    Admin, Bulk, Decisions, Files, Graph, Jobs, Lifecycle, Memory, Merges, Namespace, Profiles,
    Queue, Reviews, Session, Sessions, Snapshot, SnapshotGraph, SnapshotMerges, Tables, Tools,
    Transfer, WorkingMemory,
};
