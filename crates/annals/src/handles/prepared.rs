//! What tools brought in a turn of a conversation, made ready for the next one beside the
//! conversation.

use std::sync::Arc;
use std::time::Duration;

use annals_extraction::Analyst;
use annals_types::{Cancel, Clock, Memory, Watcher};
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
    /// Whether a thread is at work; there is one at most.
    at_work: bool,
    /// What it does next.
    next: Option<Job>,
    /// Gives up what a model is being asked.
    cancel: Cancel,
}

#[derive(Default)]
enum Slot {
    #[default]
    Nothing,
    InWork,
    Ready(String),
}

/// A turn that is to be condensed.
struct Job {
    turn: u64,
    analyst: Analyst,
    messages: Vec<Memory>,
}

impl Prepared {
    /// A turn is over: what was made ready for it goes, what is still being condensed is given up,
    /// and `messages` are condensed, if somebody is there who does. A model that cannot be
    /// interrupted is waited for beside the conversation.
    pub(super) fn turn_over(
        self: &Arc<Self>,
        messages: Option<(Analyst, Vec<Memory>)>,
    ) -> Result<(), Error> {
        let begins = {
            let mut state = self.state.lock();
            state.turns += 1;
            std::mem::take(&mut state.cancel).cancel();
            let (turn, cancel) = (state.turns, state.cancel.clone());
            state.next = messages.map(|(analyst, messages)| Job {
                turn,
                analyst: analyst.cancelled_by(cancel),
                messages,
            });
            state.slot = if state.next.is_some() {
                Slot::InWork
            } else {
                Slot::Nothing
            };
            let begins = state.next.is_some() && !state.at_work;
            state.at_work |= begins;
            begins
        };
        self.changed.notify_all();
        if !begins {
            return Ok(());
        }
        let shared = Arc::clone(self);
        let spawned = std::thread::Builder::new()
            .name("annals-condense".to_owned())
            .spawn(move || shared.work());
        spawned.map(drop).map_err(|error| {
            let mut state = self.state.lock();
            (state.at_work, state.next, state.slot) = (false, None, Slot::Nothing);
            Error::io("starting the thread that condenses results of tools", error)
        })
    }

    /// Condenses one turn after another, as long as there are any.
    fn work(&self) {
        loop {
            let job = {
                let mut state = self.state.lock();
                let job = state.next.take();
                state.at_work = job.is_some();
                job
            };
            let Some(Job {
                turn,
                analyst,
                messages,
            }) = job
            else {
                return;
            };
            let condense = std::panic::AssertUnwindSafe(|| analyst.condense(&messages));
            let made = std::panic::catch_unwind(condense).unwrap_or_else(|_| {
                tracing::error!("whoever condenses results of tools has panicked");
                Ok(None)
            });
            let text = made.unwrap_or_else(|error| {
                tracing::warn!(
                    error = error.without_answer(),
                    "the results of tools are not condensed"
                );
                None
            });
            self.put(turn, text);
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
                let Some(left) = u64::try_from(left).ok().filter(|left| *left > 0) else {
                    break;
                };
                self.changed
                    .wait_for(&mut state, Duration::from_millis(left));
            }
        }
        match &state.slot {
            Slot::Ready(text) => Some(text.clone()),
            Slot::Nothing | Slot::InWork => None,
        }
    }
}
