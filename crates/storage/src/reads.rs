use std::ops::ControlFlow;
use std::sync::Arc;

use annals_types::Commit;

use crate::{EngineSnapshot, KeyRange, Keyspace, StorageError, seal};

/// A stored value after its checksum was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The version of the body, chosen by its writer.
    pub version: u8,
    /// The stored body.
    pub body: Vec<u8>,
}

/// Receives the index of the range, a key, the version and the body of its value; answers whether
/// to go on with that range.
pub type Visitor<'a> =
    dyn FnMut(usize, &[u8], u8, &[u8]) -> Result<ControlFlow<()>, StorageError> + 'a;

/// Reading values, each checked against its checksum. Each call is at most one round trip to the
/// engine.
pub trait Reads {
    /// The value of a key; `None` when there is none.
    ///
    /// # Errors
    /// When the engine cannot read, or the value is damaged.
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Stored>, StorageError>;

    /// The values of some keys, in the order asked.
    ///
    /// # Errors
    /// When the engine cannot read, or a value is damaged.
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Stored>>, StorageError>;

    /// Walks some ranges one after the other, each in key order. [`ControlFlow::Break`] ends the
    /// range at hand, not the walk.
    ///
    /// # Errors
    /// When the engine cannot read, a value is damaged, or `visit` fails.
    fn scan(&self, ranges: &[KeyRange], visit: &mut Visitor<'_>) -> Result<(), StorageError>;

    /// The commit that this state reflects; for a transaction the commit it will become.
    fn commit(&self) -> Commit;
}

/// A consistent state of all keyspaces, as it was when taken. Cheap to take, to clone and to send
/// to another thread.
#[derive(Clone)]
pub struct Snapshot {
    engine: Arc<dyn EngineSnapshot>,
    commit: Commit,
}

impl Snapshot {
    pub(crate) fn new(engine: Arc<dyn EngineSnapshot>, commit: Commit) -> Self {
        Self { engine, commit }
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Snapshot")
            .field("commit", &self.commit)
            .finish_non_exhaustive()
    }
}

/// Checks a sealed value read under a key, and that its version is known.
pub(crate) fn opened<'a>(
    keyspace: Keyspace,
    key: &[u8],
    sealed: &'a [u8],
) -> Result<(u8, &'a [u8]), StorageError> {
    let (version, body) = seal::open(keyspace, key, sealed)?;
    keyspace.check(version)?;
    Ok((version, body))
}

/// The same as a value of its own.
pub(crate) fn unsealed(
    keyspace: Keyspace,
    key: &[u8],
    sealed: &[u8],
) -> Result<Stored, StorageError> {
    let (version, body) = opened(keyspace, key, sealed)?;
    Ok(Stored {
        version,
        body: body.to_vec(),
    })
}

impl Reads for Snapshot {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Stored>, StorageError> {
        Ok(self.multi_get(&[(keyspace, key)])?.pop().flatten())
    }

    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Stored>>, StorageError> {
        let values = self.engine.multi_get(keys)?;
        keys.iter()
            .zip(values)
            .map(|(&(ks, key), v)| v.map(|v| unsealed(ks, key, &v)).transpose())
            .collect()
    }

    fn scan(&self, ranges: &[KeyRange], visit: &mut Visitor<'_>) -> Result<(), StorageError> {
        self.engine.multi_range(ranges, &mut |index, key, sealed| {
            let Some(range) = ranges.get(index) else {
                return Ok(ControlFlow::Break(()));
            };
            let (version, body) = opened(range.keyspace, key, sealed)?;
            visit(index, key, version, body)
        })
    }

    fn commit(&self) -> Commit {
        self.commit
    }
}
