//! A gate that threads wait at until it is opened.

use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    open: bool,
    waiting: usize,
}

impl Gate {
    /// Opens it for good.
    pub fn open(&self) {
        self.state.lock().unwrap().open = true;
        self.moved.notify_all();
    }

    /// Waits until it is open.
    pub fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        self.moved.notify_all();
        while !state.open {
            state = self.moved.wait(state).unwrap();
        }
        state.waiting -= 1;
    }

    /// Waits until somebody waits at it.
    pub fn reached(&self) {
        let mut state = self.state.lock().unwrap();
        while state.waiting == 0 {
            state = self.moved.wait(state).unwrap();
        }
    }
}
