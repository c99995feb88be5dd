use annals_types::Timestamp;

use super::history::Event;
use super::{Eager, days};

/// At every merge: 0.99 for each whole day beyond a week since the last activation that was not
/// charged yet.
pub(super) struct Markdown {
    category: String,
    score: f64,
    last_activated: Timestamp,
    charged_until: Timestamp,
    session: Option<u32>,
    expires_at: Option<Timestamp>,
    lowered: bool,
    archived: bool,
    gone: bool,
}

impl Markdown {
    pub(super) fn new(category: &str, score: f64, born: Timestamp) -> Self {
        Self {
            category: category.to_owned(),
            score,
            last_activated: born,
            charged_until: born,
            session: None,
            expires_at: (category == "todo").then(|| born.plus_millis(20 * 86_400_000)),
            lowered: false,
            archived: false,
            gone: false,
        }
    }

    fn effective(&self, now: Timestamp) -> f64 {
        (days(self.last_activated, now).floor() - 7.0).max(0.0)
    }
}

impl Eager for Markdown {
    fn event(&mut self, event: &Event, now: Timestamp) {
        match event {
            Event::Use(session) if self.session != Some(*session) => {
                self.session = Some(*session);
                self.score += (1.0 - self.score) * 0.2;
                (self.last_activated, self.charged_until) = (now, now);
            }
            Event::Penalty => self.score *= 0.5,
            Event::Set(score) => (self.score, self.charged_until) = (*score, now),
            Event::Restore => self.archived = false,
            _ => {}
        }
    }

    fn job(&mut self, now: Timestamp) -> Vec<&'static str> {
        self.score = self.worth(now);
        self.charged_until = now;
        let mut fired = Vec::new();
        let expired =
            self.category == "todo" && self.expires_at.is_some_and(|expires| expires < now);
        if expired && !self.lowered && !self.archived && self.score > 0.19 + 1e-9 {
            self.score = 0.19;
            self.lowered = true;
            fired.push("todo-expired");
        }
        if self.score < 0.05 - 1e-9 {
            self.gone = true;
            fired.push("delete");
            return fired;
        }
        if self.score < 0.2 - 1e-9 && !self.archived {
            self.archived = true;
            fired.push("archive");
        }
        if self.score >= 0.2 - 1e-9 && self.archived {
            self.archived = false;
            fired.push("revive");
        }
        fired
    }

    fn worth(&self, now: Timestamp) -> f64 {
        let charged = self.effective(now) - self.effective(self.charged_until);
        self.score * 0.99_f64.powf(charged)
    }

    fn gone(&self) -> bool {
        self.gone
    }
}
