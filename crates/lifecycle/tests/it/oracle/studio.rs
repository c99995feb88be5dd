use annals_types::Timestamp;

use super::history::Event;
use super::{Eager, days};

/// Retention is importance × exp(−λ · days) × (1 + ln(1 + accesses)); the nightly job forgets and
/// weakens.
pub(super) struct Studio {
    tier: String,
    importance: f64,
    /// The share of the importance that nights have left: a life lasts as long as the whole says.
    left: f32,
    accesses: u32,
    last_access: Timestamp,
    forgotten: bool,
    weakened: Option<Timestamp>,
}

impl Studio {
    pub(super) fn new(tier: &str, importance: f64, born: Timestamp) -> Self {
        Self {
            tier: tier.to_owned(),
            importance,
            left: 1.0,
            accesses: 0,
            last_access: born,
            forgotten: false,
            weakened: None,
        }
    }
}

impl Eager for Studio {
    fn event(&mut self, event: &Event, now: Timestamp) {
        match event {
            Event::Use(_) => {
                self.accesses += 1;
                self.last_access = now;
            }
            Event::Penalty => self.importance *= 0.5,
            Event::Set(value) => (self.importance, self.left) = (*value, 1.0),
            Event::Restore => self.forgotten = false,
            _ => {}
        }
    }

    fn job(&mut self, now: Timestamp) -> Vec<&'static str> {
        let mut fired = Vec::new();
        if self.tier == "core" || self.forgotten {
            return fired;
        }
        if self.worth(now) < 0.1 - 1e-9 {
            self.forgotten = true;
            return vec!["forget"];
        }
        let lowered = (self.importance * 0.9).max(0.05);
        let rested = self.weakened.is_none_or(|last| days(last, now) >= 1.0);
        if self.worth(now) < 0.3 - 1e-9 && rested && lowered < self.importance - 1e-9 {
            self.left = (f64::from(self.left) * lowered / self.importance) as f32;
            self.importance = lowered;
            self.weakened = Some(now);
            fired.push("weaken");
        }
        fired
    }

    fn worth(&self, now: Timestamp) -> f64 {
        let rate: f64 = match self.tier.as_str() {
            "working" => 0.01,
            "temporary" => 0.198042,
            _ => 0.0,
        };
        let bonus = 1.0 + f64::from(1 + self.accesses).ln();
        self.importance / f64::from(self.left) * (-rate * days(self.last_access, now)).exp() * bonus
    }

    fn gone(&self) -> bool {
        false
    }
}
