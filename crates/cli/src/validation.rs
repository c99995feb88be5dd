//! The check of every index of a database against every other.

use annals::{ErrorKind, FileStats};

use crate::app::{Access, App};
use crate::card;
use crate::failure::{Exit, Failure};
use crate::texts::text;

/// Advice for a database with problems.
pub(crate) fn advice() -> String {
    text!("common-validation-advice")
}

/// The result of a check.
pub(crate) struct Validation {
    pub(crate) stats: FileStats,
    /// How many values were read.
    pub(crate) values: u64,
    /// The problems, one a line; empty for a sound database.
    pub(crate) problems: Vec<String>,
}

impl Validation {
    /// Checks the database of this run; an error where it cannot be opened or read.
    pub(crate) fn of(app: &App<'_, '_>) -> Result<Self, Failure> {
        let memory = app.open_plain(Access::Existing)?;
        let report = memory.validate().map_err(broken)?;
        Ok(Self {
            stats: memory.stats()?,
            values: report.values,
            problems: report.problems,
        })
    }

    /// The figures of a sound database.
    pub(crate) fn summary(&self) -> String {
        text!(
            "common-validation",
            file_bytes = card::bytes(self.stats.file_bytes),
            memories = text!("common-memories", count = self.stats.memories),
            namespaces = text!("common-namespaces", count = self.stats.namespaces),
            values = text!("common-values", count = self.values)
        )
    }
}

/// A panic of the storage engine during a check means damage that no check foresees.
fn broken(error: annals::Error) -> Failure {
    let poisoned = error.kind() == ErrorKind::Poisoned;
    let mut failure = Failure::from(error);
    if !poisoned {
        return failure;
    }
    failure.exit = Exit::Damaged;
    failure.advice(text!("common-validation-broken"))
}
