use std::cell::Cell;
use std::ops::ControlFlow;

use annals_types::{Commit, Timestamp};

use crate::format::{META, old_requests, parse_request, request_record};
use crate::layers::Layers;
use crate::reads::{Visitor, opened, unsealed};
use crate::{KeyRange, Keyspace, Reads, StorageError, Stored, seal};

/// The largest key, in bytes.
pub const MAX_KEY_BYTES: usize = 1 << 16;

/// The largest body of a value, in bytes.
pub const MAX_BODY_BYTES: usize = 1 << 30;

/// A key that was changed, and what the group had done to it before: nothing, removed it, or set
/// it.
type Undo = (Keyspace, Vec<u8>, Option<Option<Vec<u8>>>);

/// The view of a job of [`Store::write`](crate::Store::write): the state after all earlier jobs,
/// and its own changes.
///
/// The changes live in memory until they are committed; split very large work into several writes.
pub struct Transaction<'a> {
    layers: &'a mut Layers,
    before: Commit,
    undo: Vec<Undo>,
    aborted: Cell<bool>,
    /// The answer that an earlier attempt at this write of a request left.
    answered: Option<Vec<u8>>,
    /// The answer that goes into the mark of the request.
    answer: Vec<u8>,
}

impl std::fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Transaction")
            .field("commit", &self.commit())
            .field("changes", &self.undo.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(layers: &'a mut Layers, before: Commit) -> Self {
        Self {
            layers,
            before,
            undo: Vec::new(),
            aborted: Cell::new(false),
            answered: None,
            answer: Vec::new(),
        }
    }

    /// The answer that this write of a [request](crate::carry_out) left when it was carried out
    /// before. A job that finds one gives it and changes nothing.
    #[must_use]
    pub fn answered(&self) -> Option<&[u8]> {
        self.answered.as_deref().filter(|answer| !answer.is_empty())
    }

    /// Whether this write of a request was carried out before.
    pub(crate) const fn was_carried_out(&self) -> bool {
        self.answered.is_some()
    }

    /// Keeps the answer of this write with the mark of its request; without a request it is
    /// dropped.
    pub fn answer(&mut self, answer: Vec<u8>) {
        self.answer = answer;
    }

    /// Looks for the mark that an earlier attempt at a write of a request left.
    pub(crate) fn look_for_mark(&mut self, key: &[u8]) -> Result<(), StorageError> {
        let found = self
            .noticed(self.layers.multi_get(&[(META, key)]))?
            .pop()
            .flatten();
        self.answered = found
            .map(|sealed| Ok::<_, StorageError>(parse_request(key, &sealed)?.1.to_vec()))
            .transpose()?;
        Ok(())
    }

    /// Leaves the mark of a write of a request, unless it changed nothing.
    ///
    /// # Errors
    /// [`StorageError::Repeated`] when the write was carried out before.
    pub(crate) fn leave_mark(&mut self, key: &[u8], now: Timestamp) -> Result<(), StorageError> {
        if !self.has_changes() {
            return Ok(());
        }
        if self.answered.is_some() {
            return Err(StorageError::Repeated);
        }
        for old in self.noticed(old_requests(self.layers, now))? {
            self.set(META, &old, None);
        }
        let record = request_record(key, now, &self.answer);
        self.put_meta(key, record);
        Ok(())
    }

    /// Sets a key. `version` says which structure `body` has.
    ///
    /// # Errors
    /// [`StorageError::Misuse`] for a key above [`MAX_KEY_BYTES`], a body above
    /// [`MAX_BODY_BYTES`], or a keyspace that this crate keeps for itself.
    pub fn put(
        &mut self,
        keyspace: Keyspace,
        key: &[u8],
        version: u8,
        body: &[u8],
    ) -> Result<(), StorageError> {
        fits(keyspace, key, body.len())?;
        self.set(
            keyspace,
            key,
            Some(seal::seal(keyspace, key, version, body)),
        );
        Ok(())
    }

    /// Sets a key to a version and a body, which come as one: the version is the first byte.
    ///
    /// # Errors
    /// As [`put`](Self::put); [`StorageError::Misuse`] for no bytes at all.
    pub fn put_versioned(
        &mut self,
        keyspace: Keyspace,
        key: &[u8],
        versioned: Vec<u8>,
    ) -> Result<(), StorageError> {
        let body = versioned.len().checked_sub(1);
        fits(
            keyspace,
            key,
            body.ok_or_else(|| StorageError::misuse(format!("write {keyspace}: no version")))?,
        )?;
        self.set(keyspace, key, Some(seal::close(keyspace, key, versioned)));
        Ok(())
    }

    /// Removes a key; answers whether it was there.
    ///
    /// # Errors
    /// When the engine cannot read, or the keyspace is one that this crate keeps for itself.
    pub fn delete(&mut self, keyspace: Keyspace, key: &[u8]) -> Result<bool, StorageError> {
        writable(keyspace)?;
        let there = self
            .noticed(self.layers.multi_get(&[(keyspace, key)]))?
            .pop()
            .flatten()
            .is_some();
        if there {
            self.set(keyspace, key, None);
        }
        Ok(there)
    }

    /// Removes at most `limit` keys of a range, from the side where a scan of it would begin;
    /// answers how many.
    ///
    /// # Errors
    /// When the engine cannot read, or the keyspace is one that this crate keeps for itself.
    pub fn delete_range(&mut self, range: &KeyRange, limit: usize) -> Result<usize, StorageError> {
        writable(range.keyspace)?;
        let mut keys: Vec<Vec<u8>> = Vec::new();
        if limit > 0 {
            let walked = self
                .layers
                .scan(std::slice::from_ref(range), &mut |_, key, _| {
                    keys.push(key.to_vec());
                    Ok(if keys.len() < limit {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    })
                });
            self.noticed(walked)?;
        }
        for key in &keys {
            self.set(range.keyspace, key, None);
        }
        Ok(keys.len())
    }

    /// Whether this transaction set or removed a key of a keyspace so far.
    #[must_use]
    pub fn changed(&self, keyspace: Keyspace) -> bool {
        self.undo.iter().any(|(of, ..)| *of == keyspace)
    }

    /// Whether this transaction set a key of a keyspace so far that it did not remove again.
    #[must_use]
    pub fn added(&self, keyspace: Keyspace) -> bool {
        let set = |key: &[u8]| matches!(self.layers.batch.get(keyspace, key), Some(Some(_)));
        self.undo
            .iter()
            .any(|(of, key, _)| *of == keyspace && set(key))
    }

    /// The keys of a keyspace that this transaction removed so far and did not set again.
    #[must_use]
    pub fn removed(&self, keyspace: Keyspace) -> Vec<&[u8]> {
        let gone = |key: &[u8]| matches!(self.layers.batch.get(keyspace, key), Some(None));
        let mut keys: Vec<&[u8]> = self
            .undo
            .iter()
            .filter(|(of, ..)| *of == keyspace)
            .map(|(_, key, _)| key.as_slice())
            .collect();
        keys.retain(|key| gone(key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Sets a record of the store itself, already sealed.
    pub(crate) fn put_meta(&mut self, key: &[u8], sealed: Vec<u8>) {
        self.set(META, key, Some(sealed));
    }

    fn set(&mut self, keyspace: Keyspace, key: &[u8], value: Option<Vec<u8>>) {
        let before = self.layers.batch.set(keyspace, key.to_vec(), value);
        self.undo.push((keyspace, key.to_vec(), before));
    }

    /// Takes back what this transaction did.
    pub(crate) fn roll_back(self) {
        for (keyspace, key, before) in self.undo.into_iter().rev() {
            match before {
                Some(value) => {
                    self.layers.batch.set(keyspace, key, value);
                }
                None => self.layers.batch.unset(keyspace, &key),
            }
        }
    }

    pub(crate) fn has_changes(&self) -> bool {
        !self.undo.is_empty()
    }

    /// Whether the engine gave up a read because of another transaction: the job must run again.
    pub(crate) fn was_aborted(&self) -> bool {
        self.aborted.get()
    }

    fn noticed<T>(&self, result: Result<T, StorageError>) -> Result<T, StorageError> {
        if let Err(StorageError::Aborted { .. }) = &result {
            self.aborted.set(true);
        }
        result
    }
}

/// Fails for a key or a body that cannot be stored.
fn fits(keyspace: Keyspace, key: &[u8], body: usize) -> Result<(), StorageError> {
    writable(keyspace)?;
    if key.len() > MAX_KEY_BYTES || body > MAX_BODY_BYTES {
        return Err(StorageError::misuse(format!(
            "write {keyspace}: a key of {} and a body of {body} bytes; at most {MAX_KEY_BYTES} and \
             {MAX_BODY_BYTES} can be stored, split the value",
            key.len(),
        )));
    }
    Ok(())
}

fn writable(keyspace: Keyspace) -> Result<(), StorageError> {
    if keyspace == crate::format::META {
        return Err(StorageError::misuse(format!(
            "write {keyspace}: this keyspace belongs to the store; use one of your own"
        )));
    }
    Ok(())
}

impl Reads for Transaction<'_> {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Stored>, StorageError> {
        Ok(self.multi_get(&[(keyspace, key)])?.pop().flatten())
    }

    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Stored>>, StorageError> {
        let values = self.noticed(self.layers.multi_get(keys))?;
        keys.iter()
            .zip(values)
            .map(|(&(ks, key), v)| v.map(|v| unsealed(ks, key, &v)).transpose())
            .collect()
    }

    fn scan(&self, ranges: &[KeyRange], visit: &mut Visitor<'_>) -> Result<(), StorageError> {
        self.noticed(self.layers.scan(ranges, &mut |index, key, sealed| {
            let Some(range) = ranges.get(index) else {
                return Ok(ControlFlow::Break(()));
            };
            let (version, body) = opened(range.keyspace, key, sealed)?;
            visit(index, key, version, body)
        }))
    }

    fn commit(&self) -> Commit {
        self.before.next()
    }
}
