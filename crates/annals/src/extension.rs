//! Tables of your own in the file of a memory, which follow what happens to memories in the same
//! transactions.
//!
//! An [`Extension`] names its [`Table`]s and is told of memories that are stored, revised, hidden
//! or deleted; register it with [`Options::extension`](crate::Options::extension). Rows whose keys
//! begin with a [`NamespaceId`](crate::NamespaceId) are validated with the file and go with their
//! namespace. [`Admin::tables`](crate::blocking::Admin::tables) reads and writes them from outside
//! of a hook. A hook fails with [`Error::other`](crate::Error::other).
//!
//! A file does not know its extensions: open it with the same ones each time. Changes that are made
//! without one are not told to it, and rows of an extension that is not registered stay when their
//! memories or their namespace go.

pub use annals_records::StatusSet;
pub use annals_storage::table::{
    Bytes, ClosedText, Coded, Key, KeyBytes, KeyReader, Mark, MultiGet, Raw, Scope, Text, Value,
    scan_rows,
};
pub use annals_storage::wire::{Broken, Put, Take};
pub use annals_storage::{AnyTable, Reads, Table, Transaction};

pub use annals_engine::WriteCx;
pub use annals_engine::compiled::CompiledProfile;
pub use annals_engine::deletion::{Deletion, Leaving};
pub use annals_engine::extension::{Extension, Revised, Stored};
