//! What a user calls: handles whose calls compose the engine. [`table`] says how a call is added.

#[macro_use]
mod table;

mod admin;
mod bulk;
mod context;
mod decisions;
mod designs;
mod doors;
mod files;
mod graph;
mod incognito;
mod jobs;
mod lasting;
mod lifecycle;
mod memory;
mod namespace;
mod prepared;
mod profiles;
mod prompt;
mod proposals;
mod queue;
mod removal;
mod reviews;
mod sessions;
mod snapshot;
mod suspicions;
mod tables;
mod target;
mod temporary;
mod tools;
mod transfer;
mod upkeep;
mod usage;
mod wire;
mod wishes;
mod working;

pub(crate) use admin::Admin;
pub(crate) use bulk::Bulk;
pub(crate) use decisions::Decisions;
pub(crate) use designs::{AgentDesign, Designs, GraphDesign, MarkdownDesign, StudioDesign};
pub(crate) use files::Files;
pub(crate) use graph::{Graph, Merges, SnapshotGraph, SnapshotMerges};
pub use incognito::Incognito;
pub(crate) use jobs::Jobs;
pub(crate) use lifecycle::Lifecycle;
pub(crate) use memory::Memory;
pub(crate) use namespace::Namespace;
pub(crate) use profiles::Profiles;
pub(crate) use queue::Queue;
pub(crate) use reviews::Reviews;
pub(crate) use sessions::{Session, Sessions};
pub(crate) use snapshot::Snapshot;
pub(crate) use tables::Tables;
pub(crate) use target::{Far, Holds, Proxy, SharedFile, Target};
pub(crate) use tools::Tools;
pub(crate) use transfer::Transfer;
pub(crate) use wire::Dispatch;
pub(crate) use working::WorkingMemory;

/// The handles whose calls block.
pub(crate) mod blocking {
    pub use super::admin::blocking::Admin;
    pub use super::bulk::blocking::Bulk;
    pub use super::decisions::blocking::Decisions;
    pub use super::designs::blocking::{
        AgentDesign, Designs, GraphDesign, MarkdownDesign, StudioDesign,
    };
    pub use super::files::blocking::Files;
    pub use super::graph::blocking::{Graph, Merges, SnapshotGraph, SnapshotMerges};
    pub use super::jobs::blocking::Jobs;
    pub use super::lifecycle::blocking::Lifecycle;
    pub use super::memory::blocking::Memory;
    pub use super::namespace::blocking::Namespace;
    pub use super::profiles::blocking::Profiles;
    pub use super::queue::blocking::Queue;
    pub use super::reviews::blocking::Reviews;
    pub use super::sessions::blocking::{Session, Sessions};
    pub use super::snapshot::blocking::Snapshot;
    pub use super::tables::blocking::Tables;
    pub use super::tools::blocking::Tools;
    pub use super::transfer::blocking::Transfer;
    pub use super::working::blocking::WorkingMemory;
}

/// The handles whose calls are futures.
pub(crate) mod asynchronous {
    pub use super::admin::asynchronous::Admin;
    pub use super::bulk::asynchronous::Bulk;
    pub use super::decisions::asynchronous::Decisions;
    pub use super::designs::asynchronous::{
        AgentDesign, Designs, GraphDesign, MarkdownDesign, StudioDesign,
    };
    pub use super::files::asynchronous::Files;
    pub use super::graph::asynchronous::{Graph, Merges, SnapshotGraph, SnapshotMerges};
    pub use super::jobs::asynchronous::Jobs;
    pub use super::lifecycle::asynchronous::Lifecycle;
    pub use super::memory::asynchronous::Memory;
    pub use super::namespace::asynchronous::Namespace;
    pub use super::profiles::asynchronous::Profiles;
    pub use super::queue::asynchronous::Queue;
    pub use super::reviews::asynchronous::Reviews;
    pub use super::sessions::asynchronous::{Session, Sessions};
    pub use super::snapshot::asynchronous::Snapshot;
    pub use super::tables::asynchronous::Tables;
    pub use super::tools::asynchronous::Tools;
    pub use super::transfer::asynchronous::Transfer;
    pub use super::working::asynchronous::WorkingMemory;
}
