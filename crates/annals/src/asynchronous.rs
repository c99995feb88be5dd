//! The same calls as futures: each runs the blocking call on a pool of threads, inside any runtime or none.

use crate::blocking;

/// A file of memories. Clones share one handle.
///
/// Every call that touches the file runs on a pool of threads of its own, so it works inside any runtime and without one. A
/// future that is dropped early may still take effect: what has begun is finished.
#[derive(Debug, Clone)]
pub struct Memory(blocking::Memory);

/// A namespace of a [`Memory`]. The calls are those of [`blocking::Namespace`], as futures; a test compares them.
#[derive(Debug, Clone)]
pub struct Namespace(blocking::Namespace);

/// A namespace as it was at one moment. The calls are those of [`blocking::Snapshot`], as futures.
#[derive(Debug, Clone)]
pub struct Snapshot(blocking::Snapshot);

/// The messages of a conversation that is going on. The calls are those of [`blocking::WorkingMemory`], as futures.
#[derive(Debug, Clone)]
pub struct WorkingMemory(blocking::WorkingMemory);

/// Defines calls that run the blocking call of the same name on the pool.
macro_rules! calls {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $owned:ty),*) -> $out:ty;)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn $name(&self, $($arg: $owned),*) -> Result<$out, Error> {
                let handle = self.0.clone();
                ::blocking::unblock(move || handle.$name($($arg),*)).await
            }
        )+
    };
}

/// The same for calls that borrow what they are given.
macro_rules! lending {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $owned:ty),*) -> $out:ty;)+) => {
        $(
            $(#[$doc])*
            ///
            /// # Errors
            /// Those of the blocking call of this name.
            pub async fn $name(&self, $($arg: impl Into<$owned>),*) -> Result<$out, Error> {
                let handle = self.0.clone();
                $(let $arg: $owned = $arg.into();)*
                ::blocking::unblock(move || handle.$name($(&$arg),*)).await
            }
        )+
    };
}

mod extraction;
mod graph;
mod listening;
mod memory;
mod namespace;
mod session_state;
mod snapshot;
mod working;

impl From<blocking::Memory> for Memory {
    fn from(memory: blocking::Memory) -> Self {
        Self(memory)
    }
}

impl From<blocking::Namespace> for Namespace {
    fn from(namespace: blocking::Namespace) -> Self {
        Self(namespace)
    }
}
