//! Sessions of browsers, which cookies keep.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{Digest, Secret};
use crate::ServeError;

/// How long a browser stays in.
const LIFE: Duration = Duration::from_secs(12 * 60 * 60);

/// Sessions at once; the oldest make room.
const MOST: usize = 64;

/// The sessions of a server, in memory alone: they end with it.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<Vec<(Digest, Instant)>>);

impl Sessions {
    /// A new session.
    pub(crate) fn open(&self) -> Result<Secret, ServeError> {
        let session = Secret::random()?;
        let now = Instant::now();
        let mut kept = self.0.lock();
        kept.retain(|(_, until)| *until > now);
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push((session.digest(), now + LIFE));
        Ok(session)
    }

    /// Whether a session is open.
    pub(crate) fn is_open(&self, session: &str) -> bool {
        let given = Digest::of(session);
        let now = Instant::now();
        self.0
            .lock()
            .iter()
            .any(|(known, until)| known.matches(&given) && *until > now)
    }

    /// Ends a session.
    pub(crate) fn close(&self, session: &str) {
        let given = Digest::of(session);
        self.0.lock().retain(|(known, _)| !known.matches(&given));
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Sessions};

    #[test]
    fn a_session_is_open_until_it_is_ended_or_makes_room() {
        let sessions = Sessions::default();
        let one = sessions.open().unwrap();
        assert!(sessions.is_open(one.reveal()) && !sessions.is_open("guessed"));
        sessions.close(one.reveal());
        assert!(!sessions.is_open(one.reveal()));
        let first = sessions.open().unwrap();
        for _ in 0..MOST {
            sessions.open().unwrap();
        }
        assert!(!sessions.is_open(first.reveal()));
    }
}
