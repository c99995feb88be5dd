//! Values of several tables in one round of reads.

use super::{Key, KeyBytes, Table, Value};
use crate::{Keyspace, Reads, StorageError, Stored};

/// Keys of several tables that are read in one round.
#[derive(Debug, Default)]
pub struct MultiGet {
    keys: Vec<(Keyspace, KeyBytes)>,
}

/// Where the value of a key of a [`MultiGet`] will be found.
#[derive(Debug)]
#[must_use = "it leads to the value"]
pub struct Asked<K, V> {
    table: Table<K, V>,
    at: usize,
}

impl MultiGet {
    /// Asks for a value.
    pub fn add<K: Key, V: Value>(&mut self, table: &Table<K, V>, of: K::Of<'_>) -> Asked<K, V> {
        self.keys.push((table.keyspace(), table.key(of)));
        Asked {
            table: *table,
            at: self.keys.len() - 1,
        }
    }

    /// Reads all values in one round.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn read(self, reads: &(impl Reads + ?Sized)) -> Result<Found, StorageError> {
        let asked: Vec<(Keyspace, &[u8])> = self
            .keys
            .iter()
            .map(|(keyspace, key)| (*keyspace, &**key))
            .collect();
        let stored = if asked.is_empty() {
            Vec::new()
        } else {
            reads.multi_get(&asked)?
        };
        Ok(Found {
            keys: self.keys,
            stored,
        })
    }
}

/// The result of a [`MultiGet`].
#[derive(Debug)]
pub struct Found {
    keys: Vec<(Keyspace, KeyBytes)>,
    stored: Vec<Option<Stored>>,
}

impl Found {
    /// The value that was asked for; `None` when there is none.
    ///
    /// # Errors
    /// When it is damaged or too new; [`StorageError::Misuse`] when another [`MultiGet`] asked for
    /// it.
    pub fn get<K: Key, V: Value>(
        &self,
        asked: &Asked<K, V>,
    ) -> Result<Option<V::View<'_>>, StorageError> {
        let place = self
            .keys
            .get(asked.at)
            .filter(|(keyspace, _)| *keyspace == asked.table.keyspace());
        let Some(((_, key), stored)) = place.zip(self.stored.get(asked.at)) else {
            return Err(StorageError::misuse(format!(
                "read {}: another round of reads asked for it",
                asked.table
            )));
        };
        stored
            .as_ref()
            .map(|stored| asked.table.decode(key, stored.version, &stored.body))
            .transpose()
    }
}
