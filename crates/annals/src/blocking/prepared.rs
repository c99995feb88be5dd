//! What tools brought in a turn of a conversation, made ready for the next one beside the conversation.

use std::sync::Arc;
use std::time::Duration;

use annals_extraction::Analyst;
use annals_types::{Clock, Memory, Watcher};
use parking_lot::{Condvar, Mutex};

use crate::Error;

/// What is made ready for the turn that follows. In memory only, and for that turn alone.
#[derive(Default)]
pub(super) struct Prepared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Turns that are over.
    turns: u64,
    slot: Slot,
}

#[derive(Default)]
enum Slot {
    #[default]
    Nothing,
    InWork,
    Ready(String),
}

impl Prepared {
    /// A turn is over: what was made ready for it goes, and `turns` is condensed, if somebody is there who does.
    pub(super) fn turn_over(self: &Arc<Self>, job: Option<(Analyst, Vec<Memory>)>) -> Result<(), Error> {
        let turn = {
            let mut state = self.state.lock();
            state.turns += 1;
            state.slot = if job.is_some() { Slot::InWork } else { Slot::Nothing };
            state.turns
        };
        self.changed.notify_all();
        let Some((analyst, turns)) = job else { return Ok(()) };
        let shared = Arc::clone(self);
        let work = move || {
            let condense = std::panic::AssertUnwindSafe(|| analyst.condense(&turns));
            let made = std::panic::catch_unwind(condense).unwrap_or_else(|_| {
                tracing::error!("whoever condenses results of tools has panicked");
                Ok(None)
            });
            let text = made.unwrap_or_else(|error| {
                tracing::warn!(%error, "the results of tools are not condensed");
                None
            });
            shared.put(turn, text);
        };
        let spawned = std::thread::Builder::new().name("annals-condense".to_owned()).spawn(work);
        match spawned {
            Ok(_) => Ok(()),
            Err(error) => {
                self.put(turn, None);
                Err(Error::io("starting the thread that condenses results of tools", error))
            }
        }
    }

    /// What came of a turn; it comes too late when another one is over by now.
    fn put(&self, turn: u64, text: Option<String>) {
        let mut state = self.state.lock();
        if state.turns == turn {
            state.slot = text.map_or(Slot::Nothing, Slot::Ready);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// What is ready, after a wait of at most so many milliseconds for what is in work.
    pub(super) fn get(self: &Arc<Self>, clock: &dyn Clock, wait_ms: u32) -> Option<String> {
        let until = clock.now().plus_millis(i64::from(wait_ms));
        let mut state = self.state.lock();
        if matches!(state.slot, Slot::InWork) {
            drop(state);
            let shared = Arc::clone(self);
            // The lock, so that no move of the clock falls between a look at it and the wait.
            let watcher: Arc<Watcher> = Arc::new(move || {
                drop(shared.state.lock());
                shared.changed.notify_all();
            });
            clock.watch(Arc::downgrade(&watcher));
            state = self.state.lock();
            while matches!(state.slot, Slot::InWork) {
                let left = until.millis_since(clock.now());
                let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) else { break };
                self.changed.wait_for(&mut state, Duration::from_millis(left));
            }
        }
        match &state.slot {
            Slot::Ready(text) => Some(text.clone()),
            Slot::Nothing | Slot::InWork => None,
        }
    }
}
