use std::collections::BTreeMap;

use crate::Keyspace;

/// The changes of one commit: for each keyspace the keys in order, each with its new value or
/// `None` to remove it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    changes: BTreeMap<Keyspace, BTreeMap<Vec<u8>, Option<Vec<u8>>>>,
    expected: Option<Expected>,
}

/// A value that must still be stored under a key for a batch to be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The keyspace.
    pub keyspace: Keyspace,
    /// The key.
    pub key: Vec<u8>,
    /// Its value; `None` when the key must be absent.
    pub value: Option<Vec<u8>>,
}

/// The changes of one keyspace, in key order.
pub type Changes = BTreeMap<Vec<u8>, Option<Vec<u8>>>;

impl Batch {
    /// Sets a key.
    pub fn put(&mut self, keyspace: Keyspace, key: Vec<u8>, value: Vec<u8>) {
        self.set(keyspace, key, Some(value));
    }

    /// Removes a key.
    pub fn delete(&mut self, keyspace: Keyspace, key: Vec<u8>) {
        self.set(keyspace, key, None);
    }

    /// Sets or removes a key; gives what this batch did to it before, if anything.
    pub(crate) fn set(
        &mut self,
        keyspace: Keyspace,
        key: Vec<u8>,
        value: Option<Vec<u8>>,
    ) -> Option<Option<Vec<u8>>> {
        self.changes.entry(keyspace).or_default().insert(key, value)
    }

    /// Forgets what this batch does to a key.
    pub(crate) fn unset(&mut self, keyspace: Keyspace, key: &[u8]) {
        if let Some(changes) = self.changes.get_mut(&keyspace) {
            changes.remove(key);
            if changes.is_empty() {
                self.changes.remove(&keyspace);
            }
        }
    }

    /// The change of this batch to a key.
    pub(crate) fn get(&self, keyspace: Keyspace, key: &[u8]) -> Option<Option<&[u8]>> {
        self.changes
            .get(&keyspace)?
            .get(key)
            .map(|value| value.as_deref())
    }

    /// Sets what must hold for the batch to be applied.
    pub fn expect(&mut self, expected: Expected) {
        self.expected = Some(expected);
    }

    /// The condition under which the batch is applied; otherwise nothing is changed and the engine
    /// answers [`Aborted`](crate::StorageError::Aborted).
    #[must_use]
    pub fn expected(&self) -> Option<&Expected> {
        self.expected.as_ref()
    }

    /// The changes, keyspace by keyspace.
    pub fn keyspaces(&self) -> impl Iterator<Item = (Keyspace, &Changes)> {
        self.changes
            .iter()
            .map(|(&keyspace, changes)| (keyspace, changes))
    }

    /// The changes of one keyspace.
    #[must_use]
    pub fn changes(&self, keyspace: Keyspace) -> Option<&Changes> {
        self.changes.get(&keyspace)
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}
