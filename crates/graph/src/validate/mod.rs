//! Checks every structure of a namespace's graph against every other.

mod entities;
mod expected;
mod rows;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use annals_storage::table::{Entry, Key, RawRow, Scope, Value, keyspaces};
use annals_storage::{KeyRange, Keyspace, Reads, Table, hex};
use annals_types::NamespaceId;

use crate::GraphError;
use crate::ledger::{Place, place};
use crate::tables::TABLES;

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
    /// A key that follows from other data is not there, or says something else.
    Missing {
        /// Where.
        keyspace: Keyspace,
        /// The key in hexadecimal.
        key: String,
        /// The data that it follows from.
        what: &'static str,
    },
    /// A key is there that nothing accounts for.
    Stray {
        /// Where.
        keyspace: Keyspace,
        /// The key in hexadecimal.
        key: String,
    },
    /// A counter is not what was counted.
    Counter {
        /// Which one.
        counter: &'static str,
        /// Of what, where there are several.
        of: Option<u32>,
        /// The stored count.
        said: u64,
        /// The true count.
        counted: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { keyspace, error } => write!(f, "{keyspace}: {error}"),
            Self::Missing {
                keyspace,
                key,
                what,
            } => write!(f, "{keyspace}: key {key} is not as {what} asks for"),
            Self::Stray { keyspace, key } => {
                write!(f, "{keyspace}: nothing accounts for key {key}")
            }
            Self::Counter {
                counter,
                of,
                said,
                counted,
            } => match of {
                Some(of) => write!(f, "{counter} of {of} says {said}, counted {counted}"),
                None => write!(f, "{counter} says {said}, counted {counted}"),
            },
        }
    }
}

/// The result of [`validate`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// Keys that were checked.
    pub keys: u64,
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

    fn add(&mut self, difference: Difference) {
        self.count += 1;
        if self.differences.len() < SHOWN {
            self.differences.push(difference);
        }
    }

    fn counter(
        &mut self,
        counter: &'static str,
        of: Option<u32>,
        said: impl Into<u64>,
        counted: impl Into<u64>,
    ) {
        let (said, counted) = (said.into(), counted.into());
        if said != counted {
            self.add(Difference::Counter {
                counter,
                of,
                said,
                counted,
            });
        }
    }

    fn missing<K: Key, V: Value>(
        &mut self,
        table: &Table<K, V>,
        of: K::Of<'_>,
        what: &'static str,
    ) {
        self.missing_at(&place(table, of), what);
    }

    fn missing_at(&mut self, (keyspace, key): &Place, what: &'static str) {
        self.add(Difference::Missing {
            keyspace: *keyspace,
            key: hex(key),
            what,
        });
    }

    fn stray<K: Key, V: Value>(&mut self, table: &Table<K, V>, of: K::Of<'_>) {
        self.stray_at(table.keyspace(), &table.key(of));
    }

    fn stray_at(&mut self, keyspace: Keyspace, key: &[u8]) {
        self.add(Difference::Stray {
            keyspace,
            key: hex(key),
        });
    }

    fn unreadable(&mut self, keyspace: Keyspace, error: &dyn fmt::Display) {
        self.add(Difference::Unreadable {
            keyspace,
            error: error.to_string(),
        });
    }
}

/// Everything in a keyspace of a namespace: each version with its body.
type Shelf = BTreeMap<Vec<u8>, Vec<u8>>;

/// A namespace's graph in memory, keyspace by keyspace.
struct Shelves(BTreeMap<Keyspace, Shelf>);

impl Shelves {
    fn load(
        reads: &dyn Reads,
        ns: NamespaceId,
        report: &mut Validation,
    ) -> Result<Self, GraphError> {
        let mut shelves = BTreeMap::new();
        for keyspace in keyspaces(TABLES, Scope::Namespace) {
            let mut shelf = Shelf::new();
            let range = KeyRange::prefix(keyspace, &ns.prefix());
            let walked = reads.scan(&[range], &mut |_, key, version, body| {
                shelf.insert(key.to_vec(), [&[version], body].concat());
                Ok(ControlFlow::Continue(()))
            });
            match walked {
                Err(error) if error.is_corruption() => report.unreadable(keyspace, &error),
                other => other?,
            }
            report.keys += shelf.len() as u64;
            shelves.insert(keyspace, shelf);
        }
        Ok(Self(shelves))
    }

    /// The keys of a keyspace that are of a table, each with its value; those whose value cannot be
    /// read are reported.
    fn rows<'s, K: Key, V: Value>(
        &'s self,
        table: &Table<K, V>,
        report: &mut Validation,
    ) -> Vec<Entry<'s, K, V>> {
        let mut rows = Vec::new();
        for row in self.raw(table.keyspace()) {
            match table.read(&row) {
                Ok(found) => rows.extend(found),
                Err(error) => report.unreadable(row.keyspace, &error),
            }
        }
        rows
    }

    /// Every row of a keyspace.
    fn raw(&self, keyspace: Keyspace) -> impl Iterator<Item = RawRow<'_>> {
        let shelf = self.0.get(&keyspace).into_iter().flatten();
        shelf.filter_map(move |(key, value)| {
            let (version, body) = value.split_first()?;
            Some(RawRow {
                keyspace,
                key,
                version: *version,
                body,
            })
        })
    }

    fn get<K: Key, V: Value>(&self, table: &Table<K, V>, of: K::Of<'_>) -> Option<&Vec<u8>> {
        self.0.get(&table.keyspace())?.get(&*table.key(of))
    }
}

/// Checks a namespace's graph: entities, names, merges, triples, evidence, index rows, links,
/// derivations, labels and counters against each other. Takes memory for all of the namespace's
/// graph while it runs.
///
/// # Errors
/// When the storage cannot be read for reasons other than damage; damage is a [`Difference`].
pub fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Validation, GraphError> {
    let mut report = Validation::default();
    let shelves = Shelves::load(reads, ns, &mut report)?;
    let graph = expected::Graph::read(&shelves, &mut report);
    entities::check(&shelves, ns, &graph, &mut report);
    rows::check(&shelves, ns, &graph, &mut report);
    Ok(report)
}
