//! The counters since a file was opened.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::compiled::CompiledProfile;
use crate::write::Arrival;

/// Counts that live as long as the handle.
#[derive(Default)]
pub struct Counts {
    contexts: AtomicU64,
    with_memory: AtomicU64,
    settled: AtomicU64,
    tool_calls: AtomicU64,
    tool_calls_done: AtomicU64,
}

impl Counts {
    /// A context was made for a prompt.
    pub fn context(&self, with_memory: bool) {
        self.contexts.fetch_add(1, Ordering::Relaxed);
        self.with_memory
            .fetch_add(u64::from(with_memory), Ordering::Relaxed);
    }

    /// Memories are stored, each compared with what it may contradict where the profile wants that.
    pub(crate) fn settled(&self, profile: &CompiledProfile, arrivals: &[Arrival]) {
        if profile.settles_arrivals() {
            let governed = arrivals
                .iter()
                .filter(|arrival| profile.governs(arrival.prepared.memory.body().layer));
            self.settled.fetch_add(
                u64::try_from(governed.count()).unwrap_or(u64::MAX),
                Ordering::Relaxed,
            );
        }
    }

    /// A model called a tool.
    pub fn tool_call(&self, done: bool) {
        self.tool_calls.fetch_add(1, Ordering::Relaxed);
        self.tool_calls_done
            .fetch_add(u64::from(done), Ordering::Relaxed);
    }

    /// Calls of tools, and how many of them were carried out.
    pub fn tool_calls(&self) -> (u64, u64) {
        (
            self.tool_calls.load(Ordering::Relaxed),
            self.tool_calls_done.load(Ordering::Relaxed),
        )
    }

    /// Contexts, those of them with memories, and memories that were compared with what they may
    /// contradict.
    pub fn read(&self) -> (u64, u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (
            read(&self.contexts),
            read(&self.with_memory),
            read(&self.settled),
        )
    }
}
