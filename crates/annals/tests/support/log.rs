//! Everything that is logged while something is done, in words.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A subscriber that notes log entries of any level, with the fields of spans, where they hold one
/// of some words.
#[derive(Clone)]
pub struct Log {
    words: &'static [&'static str],
    lines: Arc<Mutex<String>>,
}

impl Log {
    pub fn keeping(words: &'static [&'static str]) -> Self {
        Self {
            words,
            lines: Arc::default(),
        }
    }

    pub fn text(&self) -> String {
        self.lines.lock().unwrap().clone()
    }

    fn keep(&self, visit: impl FnOnce(&mut Words)) {
        let mut line = Words(String::new());
        visit(&mut line);
        if self.words.iter().any(|word| line.0.contains(word)) {
            self.lines.lock().unwrap().push_str(&(line.0 + "\n"));
        }
    }
}

struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, "{}={value:?} ", field.name());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = write!(self.0, "{}={value} ", field.name());
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.keep(|line| span.record(line));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        self.keep(|line| values.record(line));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.keep(|line| event.record(line));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
