use annals_types::Timestamp;

use super::history::Event;
use super::{Eager, days};

/// Every night importance is multiplied for the time since the last of: change, access, last night.
pub(super) struct Agent {
    priority: String,
    importance: f64,
    /// Updated, accessed or charged last.
    clock: Timestamp,
    expires_at: Option<Timestamp>,
    gone: bool,
}

impl Agent {
    pub(super) fn new(priority: &str, importance: f64, born: Timestamp) -> Self {
        Self {
            priority: priority.to_owned(),
            importance,
            clock: born,
            expires_at: None,
            gone: false,
        }
    }

    fn rate(&self) -> f64 {
        match self.priority.as_str() {
            "TRANSIENT" => 0.2,
            "SHORT_TERM" => 0.1,
            "LONG_TERM" => 0.02,
            _ => 0.0,
        }
    }
}

impl Eager for Agent {
    fn event(&mut self, event: &Event, now: Timestamp) {
        match event {
            Event::Use(_) => self.clock = now,
            Event::Penalty => self.importance *= 0.5,
            Event::Set(value) => (self.importance, self.clock) = (*value, now),
            _ => {}
        }
    }

    fn job(&mut self, now: Timestamp) -> Vec<&'static str> {
        self.importance = self.worth(now);
        self.clock = now;
        if self.priority == "PERMANENT" {
            return Vec::new();
        }
        let mut fired = Vec::new();
        if self.importance < 0.1 - 1e-9 {
            fired.push("delete");
        } else if self.importance < 0.3 - 1e-9 && self.priority == "SHORT_TERM" {
            fired.push("delete-short-term");
        } else {
            if self.importance < 0.3 - 1e-9 && self.priority == "LONG_TERM" {
                "TRANSIENT".clone_into(&mut self.priority);
                let tomorrow = now.plus_millis(86_400_000);
                self.expires_at = Some(self.expires_at.map_or(tomorrow, |old| old.min(tomorrow)));
                fired.push("demote");
            }
            if self.expires_at.is_some_and(|expires| expires < now) {
                fired.push("expired");
            }
        }
        self.gone = fired.iter().any(|rule| *rule != "demote");
        fired
    }

    fn worth(&self, now: Timestamp) -> f64 {
        self.importance * (-self.rate() * days(self.clock, now)).exp()
    }

    fn gone(&self) -> bool {
        self.gone
    }
}
