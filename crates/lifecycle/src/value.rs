//! Values with a version: how each stored structure becomes bytes and back.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Stored, Transaction};

use crate::LifecycleError;
use crate::wire::Broken;

/// A structure of this layer's file format.
pub(crate) trait Value: Sized {
    /// The version written today; older ones are still read by `decode`.
    const VERSION: u8;

    fn encode(&self) -> Vec<u8>;

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken>;
}

pub(crate) fn decode<V: Value>(keyspace: Keyspace, key: &[u8], version: u8, body: &[u8]) -> Result<V, LifecycleError> {
    if version > V::VERSION {
        return Err(LifecycleError::too_new(keyspace, key, version, V::VERSION));
    }
    V::decode(version, body).map_err(|broken| LifecycleError::damaged(keyspace, key, broken))
}

pub(crate) fn opened<V: Value>(
    keyspace: Keyspace,
    key: &[u8],
    stored: Option<&Stored>,
) -> Result<Option<V>, LifecycleError> {
    stored.map(|stored| decode(keyspace, key, stored.version, &stored.body)).transpose()
}

pub(crate) fn get<V: Value>(reads: &dyn Reads, keyspace: Keyspace, key: &[u8]) -> Result<Option<V>, LifecycleError> {
    opened(keyspace, key, reads.get(keyspace, key)?.as_ref())
}

pub(crate) fn put<V: Value>(
    txn: &mut Transaction<'_>,
    keyspace: Keyspace,
    key: &[u8],
    value: &V,
) -> Result<(), LifecycleError> {
    Ok(txn.put(keyspace, key, V::VERSION, &value.encode())?)
}

/// What a walk calls with the number of the range, a key, a version and a body.
pub(crate) type Step<'a> = dyn FnMut(usize, &[u8], u8, &[u8]) -> Result<ControlFlow<()>, LifecycleError> + 'a;

/// Walks ranges with a visitor that may fail in this layer's own way; its first error ends the walk.
pub(crate) fn scan(reads: &dyn Reads, ranges: &[KeyRange], step: &mut Step<'_>) -> Result<(), LifecycleError> {
    let mut failed = None;
    let walked = reads.scan(ranges, &mut |range, key, version, body| {
        if failed.is_some() {
            return Ok(ControlFlow::Break(()));
        }
        match step(range, key, version, body) {
            Ok(flow) => Ok(flow),
            Err(LifecycleError::Storage(error)) => Err(error),
            Err(error) => {
                failed = Some(error);
                Ok(ControlFlow::Break(()))
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => walked.map_err(|error: StorageError| error.into()),
    }
}
