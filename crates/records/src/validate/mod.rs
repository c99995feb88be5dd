//! Checks every structure of a namespace against every other.

mod columns;
mod labels;
mod rows;

use std::fmt;

use annals_storage::table::{Key, Value};
use annals_storage::{Keyspace, Reads, Table};
use annals_types::{MemoryId, NamespaceId, Row};

use crate::{Columns, LabelClass, RecordError};

pub(crate) use labels::used_labels;

/// How many differences are reported; more are only counted.
const SHOWN: usize = 1000;

/// Two structures that do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A value cannot be read.
    Unreadable {
        /// Where.
        keyspace: Keyspace,
        /// Why.
        error: String,
    },
    /// A counter of the head is not what was counted.
    Counter {
        /// Which one.
        counter: &'static str,
        /// The number in the head.
        head: u64,
        /// The true number.
        counted: u64,
    },
    /// A row does not agree with something.
    Row {
        /// The row.
        row: Row,
        /// The fault.
        what: &'static str,
    },
    /// An id does not lead to its rows.
    Id {
        /// The id.
        id: MemoryId,
        /// The fault.
        what: &'static str,
    },
    /// A place of a session does not lead to its turn.
    Turn {
        /// The number of the session.
        session: u32,
        /// The position.
        position: u32,
        /// The fault.
        what: &'static str,
    },
    /// A label does not agree with something.
    Label {
        /// Its class.
        class: LabelClass,
        /// Its number.
        number: u32,
        /// The fault.
        what: &'static str,
    },
    /// The event log has a gap.
    Event {
        /// The number that was expected.
        expected: u64,
        /// The number that was found.
        found: u64,
    },
    /// A block of columns does not agree with the rows.
    Block {
        /// The row.
        row: Row,
        /// The fault.
        what: &'static str,
    },
    /// Columns in memory do not agree with the file.
    Column {
        /// The row.
        row: Row,
        /// The fault.
        what: &'static str,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { keyspace, error } => write!(f, "{keyspace}: {error}"),
            Self::Counter {
                counter,
                head,
                counted,
            } => {
                write!(f, "records.heads: {counter} says {head}, counted {counted}")
            }
            Self::Row { row, what } => write!(f, "records.rows: row {}: {what}", row.0),
            Self::Id { id, what } => write!(f, "records.ids: {id}: {what}"),
            Self::Turn {
                session,
                position,
                what,
            } => {
                write!(
                    f,
                    "records.turns: session {session}, position {position}: {what}"
                )
            }
            Self::Label {
                class,
                number,
                what,
            } => write!(f, "records.labels: {class:?} {number}: {what}"),
            Self::Event { expected, found } => {
                write!(
                    f,
                    "records.events: number {found} comes where {expected} belongs"
                )
            }
            Self::Block { row, what } => write!(f, "records.columns: row {}: {what}", row.0),
            Self::Column { row, what } => write!(f, "columns in memory: row {}: {what}", row.0),
        }
    }
}

/// The result of [`validate`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// Rows that were checked.
    pub rows: u64,
    /// The differences, at most 1000 of them.
    pub differences: Vec<Difference>,
    /// How many differences there are.
    pub count: u64,
}

impl Validation {
    /// Whether everything agrees.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn add(&mut self, difference: Difference) {
        self.count += 1;
        if self.differences.len() < SHOWN {
            self.differences.push(difference);
        }
    }

    fn counter(&mut self, counter: &'static str, head: impl Into<u64>, counted: impl Into<u64>) {
        let (head, counted) = (head.into(), counted.into());
        if head != counted {
            self.add(Difference::Counter {
                counter,
                head,
                counted,
            });
        }
    }

    /// Turns damage into a difference; other errors end the check.
    fn note<K: Key, V: Value>(
        &mut self,
        table: &Table<K, V>,
        result: Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        match result {
            Err(error) if error.is_corruption() => {
                let keyspace = table.keyspace();
                self.add(Difference::Unreadable {
                    keyspace,
                    error: error.to_string(),
                });
                Ok(())
            }
            other => other,
        }
    }
}

/// Checks rows, ids, turns, lives, labels, events, counters and column blocks of a namespace
/// against each other, and `columns` against all of them when given. Columns must reflect the same
/// commit as `reads`.
///
/// Takes about 100 bytes of memory a row while it runs.
///
/// # Errors
/// When the storage cannot be read for reasons other than damage; damage is a [`Difference`].
pub fn validate(
    reads: &dyn Reads,
    ns: NamespaceId,
    columns: Option<&Columns>,
) -> Result<Validation, RecordError> {
    let mut report = Validation::default();
    rows::check(reads, ns, &mut report)?;
    labels::check(reads, ns, &mut report)?;
    columns::check(reads, ns, columns, &mut report)?;
    Ok(report)
}
