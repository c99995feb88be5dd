use annals_types::Timestamp;

use super::Eager;
use super::history::Event;

const HOUR: i64 = 3_600_000;

/// importance × exp(−λ · whole days since creation) × (1 + ln(1 + accesses)), watched hour by
/// hour: archived after 30 days below 0.1.
pub(super) struct Graph {
    rate: f64,
    importance: f64,
    created: Timestamp,
    accesses: u32,
    watched: Timestamp,
    low_since: Option<Timestamp>,
    archived: bool,
    fired: bool,
}

impl Graph {
    pub(super) fn new(kind: &str, importance: f64, born: Timestamp) -> Self {
        let rate = match kind {
            "事件" => 0.05,
            "事实" => 0.01,
            "关系" => 0.005,
            _ => 0.03,
        };
        let mut graph = Self {
            rate,
            importance,
            created: born,
            accesses: 0,
            watched: born,
            low_since: None,
            archived: false,
            fired: false,
        };
        graph.look(born);
        graph
    }

    fn look(&mut self, now: Timestamp) {
        if self.worth(now) < 0.1 - 1e-9 {
            self.low_since.get_or_insert(now);
        } else {
            (self.low_since, self.fired) = (None, false);
        }
    }

    /// Every hour that has gone by.
    fn watch(&mut self, now: Timestamp) {
        while self.watched < now {
            self.watched = self.watched.plus_millis(HOUR);
            self.look(self.watched);
        }
    }
}

impl Eager for Graph {
    fn event(&mut self, event: &Event, now: Timestamp) {
        self.watch(now);
        match event {
            Event::Use(_) => self.accesses += 1,
            Event::Penalty => self.importance *= 0.5,
            Event::Set(value) => self.importance = *value,
            Event::Restore => self.archived = false,
            _ => {}
        }
        self.look(now);
    }

    fn job(&mut self, now: Timestamp) -> Vec<&'static str> {
        self.watch(now);
        let long = self
            .low_since
            .is_some_and(|since| now.millis_since(since) >= 30 * 24 * HOUR);
        if long && self.importance < 0.8 - 1e-9 && !self.archived && !self.fired {
            (self.archived, self.fired) = (true, true);
            return vec!["archive"];
        }
        Vec::new()
    }

    fn worth(&self, now: Timestamp) -> f64 {
        let whole = now.millis_since(self.created) / (24 * HOUR);
        self.importance
            * (-self.rate * whole as f64).exp()
            * (1.0 + f64::from(1 + self.accesses).ln())
    }

    fn gone(&self) -> bool {
        false
    }
}
