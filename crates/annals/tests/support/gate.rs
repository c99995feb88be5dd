//! A gate that threads wait at until it is opened.

use std::sync::{Condvar, Mutex};

#[derive(Default)]
pub struct Gate {
    open: Mutex<bool>,
    moved: Condvar,
}

impl Gate {
    /// Opens it for good.
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.moved.notify_all();
    }

    /// Waits until it is open.
    pub fn pass(&self) {
        let mut open = self.open.lock().unwrap();
        while !*open {
            open = self.moved.wait(open).unwrap();
        }
    }
}
