//! The records that the store keeps about itself, in the keyspace `storage.meta`.

use annals_types::Commit;

use crate::{EngineSnapshot, Keyspace, StorageError, seal};

/// The keyspace of the store itself.
pub(crate) const META: Keyspace = Keyspace::new("storage.meta");

/// The key of the number of the last commit: body u64 big-endian, version 1.
pub(crate) const COMMIT: &[u8] = b"commit";

/// The newest format of the file that this program knows.
pub const FORMAT: u32 = 1;

/// The sealed record of a commit number.
pub(crate) fn commit_record(commit: Commit) -> Vec<u8> {
    seal::seal(META, COMMIT, 1, &commit.0.to_be_bytes())
}

/// The commit that an engine's snapshot reflects.
pub(crate) fn read_commit(snapshot: &dyn EngineSnapshot) -> Result<Commit, StorageError> {
    let Some(sealed) = snapshot.multi_get(&[(META, COMMIT)])?.pop().flatten() else {
        return Ok(Commit::ZERO);
    };
    let (version, body) = seal::open(META, COMMIT, &sealed)?;
    match (version, <[u8; 8]>::try_from(body)) {
        (1, Ok(bytes)) => Ok(Commit(u64::from_be_bytes(bytes))),
        (1, Err(_)) => {
            Err(StorageError::corruption("read the commit number", format!("{} bytes instead of 8", body.len())))
        }
        _ => Err(StorageError::TooNew { what: "the commit record".into(), found: version.into(), supported: 1 }),
    }
}
