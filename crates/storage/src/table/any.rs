//! Operations on tables of any key and value: a list of tables is validated, purged and counted in
//! a loop.

use std::collections::BTreeSet;

use annals_types::NamespaceId;

use super::{Key, Table, Value, key};
use crate::{KeyRange, Keyspace, StorageError, Transaction};

/// To whom the rows of a table belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// To the namespace that each key begins with: a purge of the namespace removes them.
    Namespace,
    /// To the namespace that each key names behind other parts, such as a moment: who keeps the
    /// table takes them out.
    Spread,
    /// To the file.
    Global,
}

/// A table in a list.
pub trait AnyTable: Sync {
    /// The keyspace.
    fn keyspace(&self) -> Keyspace;

    /// To whom its rows belong.
    fn scope(&self) -> Scope;

    /// Whether keys and values are typed; a crate that reads them itself freezes their bytes
    /// itself.
    fn is_typed(&self) -> bool {
        true
    }

    /// Whether the value under a key can be read; `None` when the key is of another table.
    fn check(&self, key: &[u8], version: u8, body: &[u8]) -> Option<Result<(), StorageError>>;
}

impl<K: Key, V: Value> AnyTable for Table<K, V> {
    fn keyspace(&self) -> Keyspace {
        self.keyspace
    }

    fn scope(&self) -> Scope {
        K::SCOPE
    }

    fn check(&self, key: &[u8], version: u8, body: &[u8]) -> Option<Result<(), StorageError>> {
        key::whole::<K>(key).map(|_| self.decode(key, version, body).map(drop))
    }
}

/// A table whose crate reads its keys and values itself: only [how new](Keyspace::up_to) its
/// values may be is known. Keys begin with the namespace.
#[derive(Debug, Clone, Copy)]
pub struct Opaque(pub Keyspace);

impl AnyTable for Opaque {
    fn keyspace(&self) -> Keyspace {
        self.0
    }

    fn scope(&self) -> Scope {
        Scope::Namespace
    }

    fn is_typed(&self) -> bool {
        false
    }

    fn check(&self, _key: &[u8], version: u8, _body: &[u8]) -> Option<Result<(), StorageError>> {
        Some(self.0.check(version))
    }
}

/// The keyspaces of the tables that belong to a scope, each once.
#[must_use]
pub fn keyspaces(tables: &[&dyn AnyTable], scope: Scope) -> BTreeSet<Keyspace> {
    tables
        .iter()
        .filter(|table| table.scope() == scope)
        .map(|table| table.keyspace())
        .collect()
}

/// Removes at most `limit` keys of a namespace from the tables that belong to namespaces; answers
/// how many. Fewer than `limit` says that none is left.
///
/// # Errors
/// When the engine cannot read.
pub fn purge(
    txn: &mut Transaction<'_>,
    tables: &[&dyn AnyTable],
    namespace: NamespaceId,
    limit: usize,
) -> Result<usize, StorageError> {
    let mut removed = 0;
    for keyspace in keyspaces(tables, Scope::Namespace) {
        if removed < limit {
            removed += txn.delete_range(
                &KeyRange::prefix(keyspace, &namespace.prefix()),
                limit - removed,
            )?;
        }
    }
    Ok(removed)
}
