//! Values with a version: how each stored structure becomes bytes and back.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Stored, codec};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::GraphError;

/// A structure of this layer's file format.
pub(crate) trait Value: Sized {
    /// The version written today; older ones are still read by `decode`.
    const VERSION: u8;

    fn encode(&self) -> Result<Vec<u8>, StorageError>;

    fn decode(version: u8, body: &[u8]) -> Result<Self, String>;
}

/// Gives a structure the storage's own serialisation, as version 1.
macro_rules! coded {
    ($($name:ty),+ $(,)?) => {
        $(impl $crate::value::Value for $name {
            const VERSION: u8 = 1;

            fn encode(&self) -> Result<Vec<u8>, annals_storage::StorageError> {
                $crate::value::to_bytes(self)
            }

            fn decode(_version: u8, body: &[u8]) -> Result<Self, String> {
                $crate::value::from_bytes(body)
            }
        })+
    };
}
pub(crate) use coded;

pub(crate) fn to_bytes<T: Serialize>(value: &T) -> Result<Vec<u8>, StorageError> {
    Ok(codec::encode(value)?)
}

pub(crate) fn from_bytes<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    codec::decode(body).map_err(|error| error.to_string())
}

pub(crate) fn decode<V: Value>(keyspace: Keyspace, key: &[u8], version: u8, body: &[u8]) -> Result<V, GraphError> {
    if version > V::VERSION {
        return Err(GraphError::too_new(keyspace, key, version, V::VERSION));
    }
    V::decode(version, body).map_err(|reason| GraphError::damaged(keyspace, key, reason))
}

pub(crate) fn opened<V: Value>(
    keyspace: Keyspace,
    key: &[u8],
    stored: Option<&Stored>,
) -> Result<Option<V>, GraphError> {
    stored.map(|stored| decode(keyspace, key, stored.version, &stored.body)).transpose()
}

pub(crate) fn get<V: Value>(reads: &dyn Reads, keyspace: Keyspace, key: &[u8]) -> Result<Option<V>, GraphError> {
    opened(keyspace, key, reads.get(keyspace, key)?.as_ref())
}

/// The values of some keys of one keyspace, in the order asked; one round of reads, none for no keys.
pub(crate) fn all<V: Value>(
    reads: &dyn Reads,
    keyspace: Keyspace,
    keys: &[Vec<u8>],
) -> Result<Vec<Option<V>>, GraphError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let asked: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (keyspace, key.as_slice())).collect();
    let stored = reads.multi_get(&asked)?;
    keys.iter().zip(&stored).map(|(key, stored)| opened(keyspace, key, stored.as_ref())).collect()
}

/// What a walk calls with the number of the range, a key, a version and a body.
pub(crate) type Step<'a> = dyn FnMut(usize, &[u8], u8, &[u8]) -> Result<ControlFlow<()>, GraphError> + 'a;

/// Walks ranges with a visitor that may fail in this layer's own way; its first error ends the walk.
pub(crate) fn scan(reads: &dyn Reads, ranges: &[KeyRange], step: &mut Step<'_>) -> Result<(), GraphError> {
    if ranges.is_empty() {
        return Ok(());
    }
    let mut failed = None;
    let walked = reads.scan(ranges, &mut |range, key, version, body| {
        if failed.is_some() {
            return Ok(ControlFlow::Break(()));
        }
        match step(range, key, version, body) {
            Ok(flow) => Ok(flow),
            Err(GraphError::Storage(error)) => Err(error),
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

/// A value that says nothing beyond being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark;

impl Value for Mark {
    const VERSION: u8 = 1;

    fn encode(&self) -> Result<Vec<u8>, StorageError> {
        Ok(Vec::new())
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, String> {
        if body.is_empty() { Ok(Self) } else { Err("bytes where there should be none".to_owned()) }
    }
}
