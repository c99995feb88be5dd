//! A caller who is looked at again while a request or an answer goes on: what was allowed at its
//! beginning may be over before its end.

use std::sync::Arc;
use std::time::Instant;

use super::Caller;
use crate::app::App;

pub(crate) struct Watched {
    app: Arc<App>,
    caller: Arc<Caller>,
    /// When the caller was looked at last.
    at: Instant,
}

impl Watched {
    /// A caller who was let in just now.
    pub(crate) fn new(app: Arc<App>, caller: Arc<Caller>) -> Self {
        Self {
            app,
            caller,
            at: Instant::now(),
        }
    }

    /// Whether the caller may go on. The token or the session is looked at once in the time that
    /// the limits say.
    pub(crate) fn may_go_on(&mut self) -> bool {
        if self.at.elapsed() < self.app.limits.recheck {
            return true;
        }
        self.at = Instant::now();
        self.app.still_admits(&self.caller)
    }
}
