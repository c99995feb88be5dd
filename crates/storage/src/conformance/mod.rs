//! The duties of every engine, as checks that any crate's tests can run over an engine of its own.
//!
//! ```
//! use annals_storage::{MemoryEngine, conformance};
//!
//! conformance::run(|| Box::new(MemoryEngine::new()));
//! ```
//!
//! [`Remote`] wraps an engine so that it behaves like one across a network: it counts round trips,
//! can delay each, and gives up one commit in so many. [`Tape`] is a disk that fails, for
//! [`RedbEngine::on_tape`](crate::RedbEngine::on_tape). [`Samples`] checks the frozen bytes of
//! tables.

mod engine;
mod remote;
mod samples;
mod store;
mod writers;

pub use remote::{Remote, RoundTrips};
pub use samples::Samples;

pub use crate::redb::tape::{Survivors, Tape};

use crate::Engine;

/// Runs all checks, each over a fresh, empty engine. Panics with the first rule that is broken.
pub fn run(make: impl Fn() -> Box<dyn Engine>) {
    for check in engine::CHECKS {
        check(&*make());
    }
    for check in store::CHECKS {
        check(make());
    }
    for check in writers::CHECKS {
        check(make());
    }
}
