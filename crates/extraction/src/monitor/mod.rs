//! The monitor's five commands: `[ADD] text`, `[UPDATE:id] text`, `[BOOST:id]`, `[DELETE:id]`,
//! `[SKIP]`.

mod line;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use annals_types::MemoryId;

use crate::candidates::bounds::STATEMENTS;
use crate::candidates::parse_statements;
use crate::reply::{MAX_OPERATIONS, excerpt, says, spoken};
use crate::{Aliases, Draft, Heard, Hold, Operation, Warning};
use line::{Command, Verb};

/// Reads a monitor's answer: one command a line, done in their order.
///
/// List marks, code fences, full-width brackets and colons are accepted; lines that are no commands
/// are warned about. Commands that name a memory that was not shown are refused. Of several
/// decisions about one memory the first stands. `[SKIP]` beside other commands counts for nothing.
/// A text without a letter and without a digit says nothing. A memory that
/// [`Hold::NeedsReplacement`] is deleted only by an answer that also adds or updates; otherwise its
/// deletion is [`Heard::pending`]. A line that is a JSON object tells in triples what the addition
/// or update above it says.
#[must_use]
pub fn parse(answer: &str, shown: &Aliases) -> Heard {
    let mut reading = Reading {
        shown,
        saying: false,
        heard: Heard::default(),
        decided: BTreeSet::new(),
        boosted: BTreeSet::new(),
    };
    for text in spoken(answer).lines() {
        if reading.statement(text) {
            continue;
        }
        if reading.heard.operations.len() >= MAX_OPERATIONS {
            reading
                .heard
                .warnings
                .push(Warning::TooMuch(MAX_OPERATIONS));
            break;
        }
        reading.line(text);
    }
    reading.finish()
}

struct Reading<'a> {
    shown: &'a Aliases,
    /// Whether the command above was an addition or an update that is carried out.
    saying: bool,
    heard: Heard,
    decided: BTreeSet<MemoryId>,
    boosted: BTreeSet<MemoryId>,
}

impl Reading<'_> {
    /// Reads a line with triples, which belong to the addition or update above it; answers whether
    /// it is one.
    fn statement(&mut self, text: &str) -> bool {
        if !line::bare(text).starts_with('{') {
            return false;
        }
        let said = parse_statements(text).filter(|said| !said.is_empty());
        match (self.heard.operations.last_mut(), said) {
            (Some(Operation::Add(draft) | Operation::Update { draft, .. }), Some(said))
                if self.saying =>
            {
                let room = STATEMENTS.saturating_sub(draft.triples.len());
                draft.triples.extend(said.into_iter().take(room));
            }
            _ => self.warn(Warning::NotUnderstood(excerpt(text))),
        }
        true
    }

    fn line(&mut self, text: &str) {
        let mut rest = line::bare(text);
        if rest.is_empty() {
            return;
        }
        let mut first = true;
        while let Some((command, after)) = line::command(&rest) {
            first = false;
            let takes_all = self.command(&command, after.trim());
            if takes_all {
                return;
            }
            rest = after.trim_start().to_owned();
        }
        if first {
            self.warn(Warning::NotUnderstood(excerpt(text)));
        }
    }

    /// Does a command; answers whether the rest of the line belonged to it.
    fn command(&mut self, command: &Command, after: &str) -> bool {
        // An answer that names a memory that was not shown still has the form: asked again, the
        // model would say the same.
        self.heard.understood |= command.verb.is_some();
        self.saying = false;
        match command.verb {
            Some(Verb::Add) => self.add(command, after),
            Some(Verb::Update) => self.update(command, after),
            Some(Verb::Boost) => {
                if let Some(id) = self.named(command) {
                    if self.boosted.insert(id) {
                        self.done(Operation::Boost(id));
                    } else {
                        self.warn(Warning::Twice(excerpt(&command.argument)));
                    }
                }
                false
            }
            Some(Verb::Delete) => {
                if let Some(id) = self.decide(command) {
                    self.done(Operation::Delete(id));
                }
                false
            }
            Some(Verb::Skip) => {
                self.done(Operation::Skip);
                false
            }
            None => {
                self.warn(Warning::UnknownCommand(excerpt(&command.written)));
                true
            }
        }
    }

    fn add(&mut self, command: &Command, text: &str) -> bool {
        if !command.argument.is_empty() {
            self.warn(Warning::UnknownCommand(excerpt(&command.written)));
        } else if !says(text) {
            self.warn(Warning::Empty(command.written.clone()));
        } else {
            self.done(Operation::Add(Draft::text(text)));
            self.saying = true;
        }
        true
    }

    fn update(&mut self, command: &Command, text: &str) -> bool {
        if !says(text) {
            self.warn(Warning::Empty(excerpt(&command.written)));
        } else if let Some(id) = self.decide(command) {
            self.done(Operation::Update {
                id,
                draft: Draft::text(text),
            });
            self.saying = true;
        }
        true
    }

    /// The memory that a command names, if it was shown.
    fn named(&mut self, command: &Command) -> Option<MemoryId> {
        let id = self.shown.find(&command.argument);
        if id.is_none() {
            self.warn(Warning::NotShown(excerpt(&command.argument)));
        }
        id
    }

    /// The memory that a command names, if nothing has been decided about it.
    fn decide(&mut self, command: &Command) -> Option<MemoryId> {
        let id = self.named(command)?;
        if self.shown.hold(id) == Hold::Never {
            self.warn(Warning::Kept(excerpt(&command.argument)));
            return None;
        }
        if !self.decided.insert(id) {
            self.warn(Warning::Twice(excerpt(&command.argument)));
            return None;
        }
        Some(id)
    }

    fn done(&mut self, operation: Operation) {
        self.heard.operations.push(operation);
    }

    fn warn(&mut self, warning: Warning) {
        self.heard.warnings.push(warning);
    }

    fn finish(self) -> Heard {
        let Self {
            shown, mut heard, ..
        } = self;
        let replaces = |operation: &Operation| {
            matches!(operation, Operation::Add(_) | Operation::Update { .. })
        };
        let replaced = heard.operations.iter().any(replaces);
        let held = |operation: &Operation| match operation {
            Operation::Delete(id) => !replaced && shown.hold(*id) == Hold::NeedsReplacement,
            _ => false,
        };
        (heard.pending, heard.operations) = heard.operations.into_iter().partition(held);
        if heard
            .operations
            .iter()
            .any(|operation| *operation != Operation::Skip)
            || !heard.pending.is_empty()
        {
            heard
                .operations
                .retain(|operation| *operation != Operation::Skip);
        }
        heard
            .operations
            .dedup_by(|a, b| *a == Operation::Skip && *b == Operation::Skip);
        heard
    }
}
