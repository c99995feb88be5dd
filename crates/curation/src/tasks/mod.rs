//! Background work about conversations and about single memories.

mod compare;
mod derive;
pub(crate) mod extract;
mod findings;
mod idle;
mod interpret;
mod timely;

use annals_lifecycle::task::{self, Task};
use annals_types::Memory;

use annals_engine::Error;
use annals_engine::WriteCx;

/// A memory to derive again, and its sources.
pub(crate) struct Derivation {
    pub(crate) memory: Memory,
    pub(crate) sources: Vec<Memory>,
}

/// Ends a task in the transaction that writes its result.
pub(crate) fn ended(cx: &mut WriteCx<'_, '_>, task: &Task) -> Result<bool, Error> {
    match task::finish(cx.txn, task) {
        Ok(()) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
