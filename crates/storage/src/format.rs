//! The records that the store keeps about itself, in the keyspace `storage.meta`.
//!
//! ```text
//! key "format", version 1    u32 format, then in format 1: i64 created (milliseconds since 1970, UTC),
//!                            u32 number of migrations, each u32 format reached, i64 when
//! key "commit", version 1    u64 number of the last commit; absent before the first
//! key "writer" and 16 random bytes of a writer, version 1
//!                            u64 number of its last batch, i64 when (milliseconds since 1970, UTC)
//! key "request", 16 bytes of the name of a request and u16 number of its write, version 1
//!                            i64 when (milliseconds since 1970, UTC), the answer of the write
//! key "private", version 1   i64 when other users lost their rights to the file (milliseconds since 1970, UTC);
//!                            absent where they never had any
//! ```
//!
//! A batch says who wrote it. So a writer whose commit was not answered finds out whether it was
//! kept, whatever others have committed since. The record of an earlier writer goes with the first
//! batch of a later one, a day after its last batch, or at once where the engine admits one writer
//! at a time.
//!
//! All numbers are big-endian. Whatever a later format changes, its record begins with the u32, so
//! that an older program can say what it found.

use std::ops::ControlFlow;

use annals_types::{Clock as _, Commit, SystemClock, Timestamp};

use crate::layers::Layers;
use crate::{
    Batch, Depth, Engine, EngineSnapshot, Expected, KeyRange, Keyspace, StorageError, seal,
};

/// The keyspace of the store itself.
pub(crate) const META: Keyspace = Keyspace::new("storage.meta");

/// The key of the number of the last commit.
pub(crate) const COMMIT: &[u8] = b"commit";

/// Begins the key of what a writer says of itself.
const WRITER: &[u8] = b"writer";

/// Begins the key of the mark of a request.
const REQUEST: &[u8] = b"request";

/// The key of the mark that the rights of other users were taken from the file.
pub(crate) const PRIVATE: &[u8] = b"private";

/// The most marks that a write removes because they are too old.
const REQUESTS_REMOVED: usize = 8;

/// For how long the last batch of another writer and the marks of requests are kept, in
/// milliseconds.
const REMEMBERED: i64 = 24 * 60 * 60 * 1000;

/// The key of the format record.
pub(crate) const FORMAT_KEY: &[u8] = b"format";

/// The format of the file that this program writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// The oldest format that can be migrated.
pub const OLDEST_FORMAT: u32 = 1;

const RECORD_VERSION: u8 = 1;

/// The content of the format record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormatRecord {
    pub(crate) format: u32,
    pub(crate) created: Timestamp,
    /// The format reached by each migration, and when.
    pub(crate) migrations: Vec<(u32, Timestamp)>,
}

impl FormatRecord {
    pub(crate) fn seal(&self) -> Vec<u8> {
        let mut body = self.format.to_be_bytes().to_vec();
        body.extend(self.created.as_millis().to_be_bytes());
        body.extend(
            u32::try_from(self.migrations.len())
                .unwrap_or(u32::MAX)
                .to_be_bytes(),
        );
        for (format, when) in &self.migrations {
            body.extend(format.to_be_bytes());
            body.extend(when.as_millis().to_be_bytes());
        }
        seal::seal(META, FORMAT_KEY, RECORD_VERSION, &body)
    }

    fn parse(mut body: &[u8]) -> Option<Self> {
        let format = u32::from_be_bytes(take(&mut body)?);
        let created = Timestamp::from_millis(i64::from_be_bytes(take(&mut body)?));
        let count = u32::from_be_bytes(take(&mut body)?);
        let mut migrations = Vec::new();
        for _ in 0..count {
            let format = u32::from_be_bytes(take(&mut body)?);
            migrations.push((
                format,
                Timestamp::from_millis(i64::from_be_bytes(take(&mut body)?)),
            ));
        }
        body.is_empty().then_some(Self {
            format,
            created,
            migrations,
        })
    }

    /// Reads the record; `None` in an engine that was never used.
    pub(crate) fn read(
        snapshot: &dyn EngineSnapshot,
        place: &str,
        newest: u32,
    ) -> Result<Option<Self>, StorageError> {
        let Some(sealed) = snapshot.multi_get(&[(META, FORMAT_KEY)])?.pop().flatten() else {
            return Ok(None);
        };
        let (version, body) = seal::open(META, FORMAT_KEY, &sealed)?;
        let damaged = || {
            StorageError::corruption(
                format!("read the format record of {place}"),
                format!("{body:02x?}"),
            )
        };
        let found = u32::from_be_bytes(take(&mut &*body).ok_or_else(damaged)?);
        if found > newest || version != RECORD_VERSION {
            return Err(StorageError::TooNew {
                what: place.to_owned(),
                found,
                supported: newest,
            });
        }
        if found < OLDEST_FORMAT {
            return Err(StorageError::TooOld {
                what: place.to_owned(),
                found,
                supported: OLDEST_FORMAT,
            });
        }
        Self::parse(body).ok_or_else(damaged).map(Some)
    }
}

fn take<const N: usize>(body: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = body.split_first_chunk::<N>()?;
    *body = rest;
    Some(*head)
}

/// Reads the format record, or writes the first one into an engine that holds nothing.
pub(crate) fn prepare(engine: &dyn Engine, newest: u32) -> Result<FormatRecord, StorageError> {
    let place = engine.place();
    if let Some(record) = FormatRecord::read(&*engine.snapshot()?, &place, newest)? {
        return Ok(record);
    }
    if let Some(alien) = engine
        .stats(Depth::Counts)?
        .keyspaces
        .iter()
        .find(|keyspace| keyspace.name != META.name())
    {
        let detail = format!("it holds {:?} and no record of this program", alien.name);
        return Err(StorageError::NotADatabase {
            path: place.into(),
            detail,
        });
    }
    let record = FormatRecord {
        format: newest,
        created: SystemClock.now(),
        migrations: Vec::new(),
    };
    let mut first = Batch::default();
    first.put(META, FORMAT_KEY.to_vec(), record.seal());
    first.expect(Expected {
        keyspace: META,
        key: FORMAT_KEY.to_vec(),
        value: None,
    });
    match engine.apply(&first) {
        Ok(()) => Ok(record),
        // Given up, or another process was faster: then its record is there.
        Err(StorageError::Aborted { .. }) => {
            match FormatRecord::read(&*engine.snapshot()?, &place, newest)? {
                Some(record) => Ok(record),
                None => engine.apply(&first).map(|()| record),
            }
        }
        Err(error) => Err(error),
    }
}

/// The sealed mark that the rights of other users were taken from the file.
pub(crate) fn private_record(when: Timestamp) -> Vec<u8> {
    seal::seal(
        META,
        PRIVATE,
        RECORD_VERSION,
        &when.as_millis().to_be_bytes(),
    )
}

/// The sealed record of a commit number; there is none before the first commit.
pub(crate) fn commit_record(commit: Commit) -> Option<Vec<u8>> {
    (commit != Commit::ZERO)
        .then(|| seal::seal(META, COMMIT, RECORD_VERSION, &commit.0.to_be_bytes()))
}

/// The commit that an engine's snapshot reflects.
pub(crate) fn read_commit(snapshot: &dyn EngineSnapshot) -> Result<Commit, StorageError> {
    parse_commit(
        snapshot
            .multi_get(&[(META, COMMIT)])?
            .pop()
            .flatten()
            .as_deref(),
    )
}

/// The commit that an engine's snapshot reflects, and the number of the last batch of a writer.
pub(crate) fn read_state(
    snapshot: &dyn EngineSnapshot,
    writer: &[u8],
) -> Result<(Commit, Option<u64>), StorageError> {
    let mut found = snapshot
        .multi_get(&[(META, COMMIT), (META, writer)])?
        .into_iter();
    let commit = parse_commit(found.next().flatten().as_deref())?;
    let batch = found
        .next()
        .flatten()
        .map(|sealed| parse_writer(writer, &sealed))
        .transpose()?;
    Ok((commit, batch.map(|(number, _)| number)))
}

/// The key of what a writer says of itself.
pub(crate) fn writer_key(id: [u8; 16]) -> Vec<u8> {
    [WRITER, &id].concat()
}

/// The sealed record of a writer's batch.
pub(crate) fn writer_record(key: &[u8], number: u64, now: Timestamp) -> Vec<u8> {
    let body = [number.to_be_bytes(), now.as_millis().to_be_bytes()].concat();
    seal::seal(META, key, RECORD_VERSION, &body)
}

/// The key of the mark of a request's write.
pub(crate) fn request_key(id: [u8; 16], number: u16) -> Vec<u8> {
    [REQUEST, &id, &number.to_be_bytes()].concat()
}

/// The sealed mark of a request's write, with the answer of the write.
pub(crate) fn request_record(key: &[u8], now: Timestamp, answer: &[u8]) -> Vec<u8> {
    seal::seal(
        META,
        key,
        RECORD_VERSION,
        &[&now.as_millis().to_be_bytes(), answer].concat(),
    )
}

/// When a mark of a request was left, and the answer in it.
pub(crate) fn parse_request<'a>(
    key: &[u8],
    sealed: &'a [u8],
) -> Result<(Timestamp, &'a [u8]), StorageError> {
    let (version, mut body) = seal::open(META, key, sealed)?;
    known(version, "the mark of a request")?;
    let when = take(&mut body).ok_or_else(|| {
        StorageError::corruption(
            "read the mark of a request",
            format!("{} bytes", body.len()),
        )
    })?;
    Ok((Timestamp::from_millis(i64::from_be_bytes(when)), body))
}

/// The keys of the oldest marks of requests that are kept no longer, some of them.
pub(crate) fn old_requests(layers: &Layers, now: Timestamp) -> Result<Vec<Vec<u8>>, StorageError> {
    let mut old = Vec::new();
    layers.scan(&[KeyRange::prefix(META, REQUEST)], &mut |_, key, sealed| {
        let expired = now.millis_since(parse_request(key, sealed)?.0) > REMEMBERED;
        if expired {
            old.push(key.to_vec());
        }
        let go_on = expired && old.len() < REQUESTS_REMOVED;
        Ok(if go_on {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    Ok(old)
}

/// The keys of writers that are gone, for all that can be known.
pub(crate) fn old_writers(
    snapshot: &dyn EngineSnapshot,
    exclusive: bool,
    now: Timestamp,
) -> Result<Vec<Vec<u8>>, StorageError> {
    let mut old = Vec::new();
    snapshot.multi_range(&[KeyRange::prefix(META, WRITER)], &mut |_, key, sealed| {
        if exclusive || now.millis_since(parse_writer(key, sealed)?.1) > REMEMBERED {
            old.push(key.to_vec());
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(old)
}

fn parse_writer(key: &[u8], sealed: &[u8]) -> Result<(u64, Timestamp), StorageError> {
    let (version, mut body) = seal::open(META, key, sealed)?;
    known(version, "the record of a writer")?;
    let length = body.len();
    let record = take(&mut body)
        .zip(take(&mut body))
        .filter(|_| body.is_empty());
    let (number, when) = record.ok_or_else(|| {
        StorageError::corruption(
            "read the record of a writer",
            format!("{length} bytes instead of 16"),
        )
    })?;
    Ok((
        u64::from_be_bytes(number),
        Timestamp::from_millis(i64::from_be_bytes(when)),
    ))
}

fn parse_commit(sealed: Option<&[u8]>) -> Result<Commit, StorageError> {
    let Some(sealed) = sealed else {
        return Ok(Commit::ZERO);
    };
    let (version, body) = seal::open(META, COMMIT, sealed)?;
    known(version, "the commit record")?;
    let bytes = <[u8; 8]>::try_from(body).map_err(|_| {
        StorageError::corruption(
            "read the commit number",
            format!("{} bytes instead of 8", body.len()),
        )
    })?;
    Ok(Commit(u64::from_be_bytes(bytes)))
}

fn known(version: u8, what: &str) -> Result<(), StorageError> {
    if version == RECORD_VERSION {
        return Ok(());
    }
    Err(StorageError::TooNew {
        what: what.into(),
        found: version.into(),
        supported: RECORD_VERSION.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that format 1 writes; they must never change.
    #[test]
    fn golden_bytes_of_the_meta_records() {
        let record = FormatRecord {
            format: 1,
            created: Timestamp::from_millis(1_767_463_200_123),
            migrations: vec![(7, Timestamp::from_millis(-1))],
        };
        let golden = include_bytes!("../tests/fixtures/format-record-1.bin");
        assert_eq!(record.seal(), golden, "{:02x?}", record.seal());
        let (_, body) = seal::open(META, FORMAT_KEY, golden).unwrap();
        assert_eq!(FormatRecord::parse(body).as_ref(), Some(&record));
        assert_eq!(FormatRecord::parse(&body[..body.len() - 1]), None);
        let commit = commit_record(Commit(0x0102_0304_0506_0708)).unwrap();
        assert_eq!(
            commit,
            include_bytes!("../tests/fixtures/commit-record-1.bin"),
            "{commit:02x?}"
        );
        let key = writer_key(*b"0123456789abcdef");
        let writer = writer_record(
            &key,
            0x0102_0304_0506_0708,
            Timestamp::from_millis(1_767_463_200_123),
        );
        let body = b"\x01\x02\x03\x04\x05\x06\x07\x08\0\0\x01\x9B\x85\x04\x25\x7B";
        assert_eq!(
            seal::open(META, &key, &writer).unwrap(),
            (1, body.as_slice())
        );
        assert_eq!(
            parse_writer(&key, &writer).unwrap(),
            (0x0102_0304_0506_0708, record.created)
        );
    }
}
