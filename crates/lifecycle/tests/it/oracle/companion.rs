use annals_types::Timestamp;

use super::history::Event;
use super::{Eager, days};

/// Facts lose 15 % at each pass after 5 idle days, episodes 40 % after 3; passes are 24 hours
/// apart.
pub(super) struct Companion {
    category: String,
    importance: f64,
    timestamp: Timestamp,
    last_access: Timestamp,
    last_pass: Option<Timestamp>,
    counted: Option<Timestamp>,
    today: (i64, f64),
    low: bool,
    waits: bool,
    promoted: Option<(Timestamp, f64)>,
    gone: bool,
}

impl Companion {
    pub(super) fn new(category: &str, importance: f64, born: Timestamp) -> Self {
        Self {
            category: category.to_owned(),
            importance,
            timestamp: born,
            last_access: born,
            last_pass: None,
            counted: None,
            today: (i64::MIN, 0.0),
            low: false,
            waits: false,
            promoted: None,
            gone: false,
        }
    }

    fn protected(&self) -> bool {
        self.category == "core" || self.importance >= 3.0 - 1e-9
    }

    fn boost(&mut self, now: Timestamp) {
        if self
            .counted
            .is_some_and(|last| days(last, now) < 2.0 / 24.0)
        {
            return;
        }
        let date = now.as_millis().div_euclid(86_400_000);
        if self.today.0 != date {
            self.today = (date, 0.0);
        }
        let gain = 0.3_f64.min(1.0 - self.today.1);
        if gain <= 1e-9 {
            return;
        }
        self.today.1 += gain;
        self.importance += gain;
        self.counted = Some(now);
        self.last_access = now;
    }
}

impl Eager for Companion {
    fn event(&mut self, event: &Event, now: Timestamp) {
        match event {
            Event::Use(_) => self.boost(now),
            Event::Penalty => self.importance *= 0.5,
            Event::Set(value) => self.importance = *value,
            Event::Keep if self.waits => {
                self.importance = 0.5;
                self.waits = false;
            }
            _ => {}
        }
        self.low &= self.importance < 0.2 - 1e-9;
    }

    fn job(&mut self, now: Timestamp) -> Vec<&'static str> {
        if self.last_pass.is_none_or(|last| days(last, now) >= 1.0) {
            self.last_pass = Some(now);
            let idle = days(self.last_access, now);
            if !self.protected() {
                match self.category.as_str() {
                    "fact" if idle >= 5.0 => self.importance *= 0.85,
                    "episode" if idle >= 3.0 => self.importance *= 0.6,
                    _ => {}
                }
            }
        }
        let mut fired = Vec::new();
        if self.protected() {
            return fired;
        }
        if self.category == "episode" && days(self.timestamp, now) >= 7.0 {
            self.gone = true;
            return vec!["episode-too-old"];
        }
        if self.category == "fact" {
            if self.importance < 0.2 - 1e-9 && !self.low {
                (self.low, self.waits) = (true, true);
                fired.push("decay-review");
            }
            let again = self.promoted.is_none_or(|(at, value)| {
                self.importance - value >= 0.3 - 1e-9 || days(at, now) >= 7.0
            });
            if self.importance >= 2.5 - 1e-9 && again {
                self.promoted = Some((now, self.importance));
                fired.push("promotion-review");
            }
        }
        fired
    }

    fn worth(&self, _now: Timestamp) -> f64 {
        self.importance
    }

    fn gone(&self) -> bool {
        self.gone
    }
}
