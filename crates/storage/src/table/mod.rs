//! Typed tables over keyspaces: a key type, a value type and a name. Keys and values are built and
//! read here and nowhere else.

mod any;
mod key;
mod many;
#[cfg(test)]
mod tests;
mod value;

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

pub use any::{AnyTable, Opaque, Scope, keyspaces, purge};
pub use key::{Bytes, ClosedText, Key, KeyBytes, KeyReader, PrefixOf, Text};
pub use many::{Asked, Found, MultiGet};
pub use value::{Coded, Mark, Raw, Value};

use crate::wire::Put;
use crate::{KeyRange, Keyspace, Reads, StorageError, Stored, Transaction};

/// A keyspace whose keys have the form `K` and whose values have the form `V`.
///
/// Two tables may share a keyspace where no key of one is a key of the other: rows that are read
/// together stand together.
pub struct Table<K, V> {
    keyspace: Keyspace,
    forms: PhantomData<fn() -> (K, V)>,
}

impl<K, V> Clone for Table<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Table<K, V> {}

impl<K, V> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Table").field(&self.keyspace.name()).finish()
    }
}

impl<K, V> fmt::Display for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.keyspace.fmt(f)
    }
}

/// Some keys of a table, in their order or from the last to the first.
#[derive(Debug, Clone)]
pub struct Range<K> {
    range: KeyRange,
    keys: PhantomData<fn() -> K>,
}

impl<K: Key> Range<K> {
    /// Only keys from these parts on.
    #[must_use]
    pub fn from(mut self, first: impl PrefixOf<K>) -> Self {
        self.range.start = KeyBytes::of(|key| first.put(key)).to_vec();
        self
    }

    /// Only keys that come after this one.
    #[must_use]
    pub fn after(mut self, last: K::Of<'_>) -> Self {
        let mut key = KeyBytes::of(|key| K::put(last, key));
        key.extend(&[0]);
        self.range.start = key.to_vec();
        self
    }

    /// Only keys before these parts.
    #[must_use]
    pub fn until(mut self, end: impl PrefixOf<K>) -> Self {
        self.range.end = Some(KeyBytes::of(|key| end.put(key)).to_vec());
        self
    }

    /// From the last key to the first.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.range.reverse = true;
        self
    }
}

impl<K> From<Range<K>> for KeyRange {
    fn from(range: Range<K>) -> Self {
        range.range
    }
}

/// A row of one of several tables that are walked together, as it is stored.
#[derive(Debug, Clone, Copy)]
pub struct RawRow<'a> {
    /// The keyspace.
    pub keyspace: Keyspace,
    /// The key.
    pub key: &'a [u8],
    /// The version of the body.
    pub version: u8,
    /// The body.
    pub body: &'a [u8],
}

impl RawRow<'_> {
    /// The error for a row whose key is none of the tables that share the keyspace.
    #[must_use]
    pub fn unknown(&self) -> StorageError {
        StorageError::damaged(self.keyspace, self.key, "no table has such a key")
    }
}

/// Key and value of a row.
pub type Entry<'a, K, V> = (<K as Key>::Of<'a>, <V as Value>::View<'a>);

impl<K: Key, V: Value> Table<K, V> {
    /// Declares a table. The name is part of the file format.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            keyspace: Keyspace::new(name),
            forms: PhantomData,
        }
    }

    /// The keyspace.
    #[must_use]
    pub const fn keyspace(&self) -> Keyspace {
        self.keyspace
    }

    /// The bytes of a key.
    #[must_use]
    #[inline]
    pub fn key(&self, of: K::Of<'_>) -> KeyBytes {
        KeyBytes::of(|key| K::put(of, key))
    }

    /// A key of its bytes; `None` for bytes that are no key of this table.
    #[must_use]
    pub fn parse<'a>(&self, key: &'a [u8]) -> Option<K::Of<'a>> {
        key::whole::<K>(key)
    }

    /// Every key.
    #[must_use]
    pub fn all(&self) -> Range<K> {
        Range {
            range: KeyRange::prefix(self.keyspace, b""),
            keys: PhantomData,
        }
    }

    /// The keys that begin with some parts.
    #[must_use]
    pub fn within(&self, prefix: impl PrefixOf<K>) -> Range<K> {
        let prefix = KeyBytes::of(|key| prefix.put(key));
        Range {
            range: KeyRange::prefix(self.keyspace, &prefix),
            keys: PhantomData,
        }
    }

    /// The error for a value of this table that is not what it must be.
    #[must_use]
    pub fn damaged(&self, of: K::Of<'_>, reason: impl Into<String>) -> StorageError {
        StorageError::damaged(self.keyspace, &self.key(of), reason)
    }

    /// A value; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or too new.
    pub fn get<T>(
        &self,
        reads: &(impl Reads + ?Sized),
        of: K::Of<'_>,
    ) -> Result<Option<T>, StorageError>
    where
        V: for<'a> Value<View<'a> = T>,
    {
        self.get_with(reads, of, |view| view)
    }

    /// The result of a function over a value, for values that borrow; `None` when there is none.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_with<T>(
        &self,
        reads: &(impl Reads + ?Sized),
        of: K::Of<'_>,
        with: impl FnOnce(V::View<'_>) -> T,
    ) -> Result<Option<T>, StorageError> {
        let key = self.key(of);
        let stored = reads.get(self.keyspace, &key)?;
        stored
            .map(|stored| self.decode(&key, stored.version, &stored.body).map(with))
            .transpose()
    }

    /// The values of some keys in one round of reads, in the order asked. No keys take no round.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn get_many<'k, T>(
        &self,
        reads: &(impl Reads + ?Sized),
        keys: impl IntoIterator<Item = K::Of<'k>>,
    ) -> Result<Vec<Option<T>>, StorageError>
    where
        V: for<'a> Value<View<'a> = T>,
    {
        let keys: Vec<KeyBytes> = keys.into_iter().map(|of| self.key(of)).collect();
        let mut found = Vec::with_capacity(keys.len());
        for (key, stored) in keys.iter().zip(self.stored(reads, &keys)?) {
            found.push(
                stored
                    .map(|stored| self.decode(key, stored.version, &stored.body))
                    .transpose()?,
            );
        }
        Ok(found)
    }

    fn stored(
        &self,
        reads: &(impl Reads + ?Sized),
        keys: &[KeyBytes],
    ) -> Result<Vec<Option<Stored>>, StorageError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Vec<(Keyspace, &[u8])> =
            keys.iter().map(|key| (self.keyspace, &**key)).collect();
        reads.multi_get(&asked)
    }

    /// Whether there is such a key.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub fn contains(
        &self,
        reads: &(impl Reads + ?Sized),
        of: K::Of<'_>,
    ) -> Result<bool, StorageError> {
        Ok(self.get_with(reads, of, |_| ())?.is_some())
    }

    /// Sets a value.
    ///
    /// # Errors
    /// As [`Transaction::put`]; when the value cannot be encoded.
    pub fn put(
        &self,
        txn: &mut Transaction<'_>,
        of: K::Of<'_>,
        view: &V::View<'_>,
    ) -> Result<(), StorageError> {
        txn.put_versioned(self.keyspace, &self.key(of), self.encode(view)?)
    }

    /// The version and the body of a value, as [`Transaction::put_versioned`] takes them.
    ///
    /// # Errors
    /// When the value cannot be encoded.
    pub fn encode(&self, view: &V::View<'_>) -> Result<Vec<u8>, StorageError> {
        let mut put = Put::with_capacity(64);
        put.byte(V::VERSION);
        V::encode(view, &mut put);
        Ok(put.checked()?)
    }

    /// Removes a key; answers whether it was there.
    ///
    /// # Errors
    /// As [`Transaction::delete`].
    pub fn delete(&self, txn: &mut Transaction<'_>, of: K::Of<'_>) -> Result<bool, StorageError> {
        txn.delete(self.keyspace, &self.key(of))
    }

    /// Removes at most `limit` keys of a range; answers how many.
    ///
    /// # Errors
    /// As [`Transaction::delete_range`].
    pub fn clear(
        &self,
        txn: &mut Transaction<'_>,
        range: Range<K>,
        limit: usize,
    ) -> Result<usize, StorageError> {
        txn.delete_range(&range.into(), limit)
    }

    /// Walks a range until `visit` breaks or fails.
    ///
    /// # Errors
    /// When a row cannot be read, is damaged or too new, or `visit` fails.
    pub fn scan<E: From<StorageError>>(
        &self,
        reads: &(impl Reads + ?Sized),
        range: Range<K>,
        mut visit: impl FnMut(K::Of<'_>, V::View<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        self.scan_many(reads, &[range.into()], |_, key, view| visit(key, view))
    }

    /// Walks some ranges in one round, one after the other; `visit` gets the index of the range. A
    /// break ends the range at hand.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn scan_many<E: From<StorageError>>(
        &self,
        reads: &(impl Reads + ?Sized),
        ranges: &[KeyRange],
        mut visit: impl FnMut(usize, K::Of<'_>, V::View<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        scan_rows(reads, ranges, |index, row| match self.read(&row)? {
            Some((key, view)) => visit(index, key, view),
            None => Err(row.unknown().into()),
        })
    }

    /// The rows of a range, at most `limit`.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn rows<O, T>(
        &self,
        reads: &(impl Reads + ?Sized),
        range: Range<K>,
        limit: usize,
    ) -> Result<Vec<(O, T)>, StorageError>
    where
        K: for<'a> Key<Of<'a> = O>,
        V: for<'a> Value<View<'a> = T>,
    {
        let mut found = Vec::new();
        if limit > 0 {
            self.scan(reads, range, |key, view| -> Result<_, StorageError> {
                found.push((key, view));
                Ok(if found.len() < limit {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                })
            })?;
        }
        Ok(found)
    }

    /// The first key of a range.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn first<O>(
        &self,
        reads: &(impl Reads + ?Sized),
        range: Range<K>,
    ) -> Result<Option<O>, StorageError>
    where
        K: for<'a> Key<Of<'a> = O>,
    {
        let mut first = None;
        self.scan(reads, range, |key, _| -> Result<_, StorageError> {
            first = Some(key);
            Ok(ControlFlow::Break(()))
        })?;
        Ok(first)
    }

    /// Whether a range has no key.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn is_empty(
        &self,
        reads: &(impl Reads + ?Sized),
        range: Range<K>,
    ) -> Result<bool, StorageError> {
        let mut empty = true;
        self.scan(reads, range, |_, _| -> Result<_, StorageError> {
            empty = false;
            Ok(ControlFlow::Break(()))
        })?;
        Ok(empty)
    }

    /// How many keys a range has. Reads all of them.
    ///
    /// # Errors
    /// As [`scan`](Self::scan).
    pub fn count(
        &self,
        reads: &(impl Reads + ?Sized),
        range: Range<K>,
    ) -> Result<usize, StorageError> {
        let mut count = 0;
        self.scan(reads, range, |_, _| -> Result<_, StorageError> {
            count += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(count)
    }

    /// Key and value of a row; `None` when it is of another keyspace or its key is of another
    /// table.
    ///
    /// # Errors
    /// When the value is damaged or too new.
    #[inline]
    pub fn read<'a>(&self, row: &RawRow<'a>) -> Result<Option<Entry<'a, K, V>>, StorageError> {
        if row.keyspace != self.keyspace {
            return Ok(None);
        }
        let Some(key) = key::whole::<K>(row.key) else {
            return Ok(None);
        };
        Ok(Some((key, self.decode(row.key, row.version, row.body)?)))
    }

    #[inline]
    fn decode<'a>(
        &self,
        key: &[u8],
        version: u8,
        body: &'a [u8],
    ) -> Result<V::View<'a>, StorageError> {
        if version > V::VERSION {
            return Err(StorageError::newer(self.keyspace, key, version, V::VERSION));
        }
        V::decode(version, body)
            .map_err(|broken| StorageError::damaged(self.keyspace, key, broken.0))
    }
}

/// Walks ranges of several tables in one round, one after the other; `visit` gets the index of the
/// range and reads the row with the tables. A break ends the range at hand. No ranges take no
/// round.
///
/// # Errors
/// When a row cannot be read, or `visit` fails.
pub fn scan_rows<E: From<StorageError>>(
    reads: &(impl Reads + ?Sized),
    ranges: &[KeyRange],
    mut visit: impl FnMut(usize, RawRow<'_>) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    if ranges.is_empty() {
        return Ok(());
    }
    let mut failed = None;
    let walked = reads.scan(ranges, &mut |index, key, version, body| {
        let Some(range) = ranges.get(index).filter(|_| failed.is_none()) else {
            return Ok(ControlFlow::Break(()));
        };
        visit(
            index,
            RawRow {
                keyspace: range.keyspace,
                key,
                version,
                body,
            },
        )
        .or_else(|error| {
            failed = Some(error);
            Ok(ControlFlow::Break(()))
        })
    });
    match failed {
        Some(error) => Err(error),
        None => walked.map_err(E::from),
    }
}
