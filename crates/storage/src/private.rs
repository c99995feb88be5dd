//! Files of memories are for their user alone.
//!
//! A new file is made so. A file that others may read, such as one of an earlier version, loses
//! those rights once; a mark in it says so. Rights that its owner gives again stay.

use std::path::Path;

use annals_types::{Clock as _, SystemClock};

use crate::format::{META, PRIVATE, private_record};
use crate::{Batch, Engine, StorageError};

/// Takes the rights of other users from a file, unless that was done before.
///
/// # Errors
/// When the engine cannot read. A file whose rights cannot be changed is used as it is.
pub(crate) fn make_private(engine: &dyn Engine, path: &Path) -> Result<(), StorageError> {
    let Some(private) = rights_of_owner(path) else {
        return Ok(());
    };
    let marked = engine
        .snapshot()?
        .multi_get(&[(META, PRIVATE)])?
        .pop()
        .flatten()
        .is_some();
    if marked {
        return Ok(());
    }
    if let Err(error) = std::fs::set_permissions(path, private) {
        tracing::warn!(path = %path.display(), %error, "other users can read the file; this cannot be changed");
        return Ok(());
    }
    tracing::warn!(path = %path.display(), "other users could read the file; now its user alone can");
    let mut batch = Batch::default();
    batch.put(META, PRIVATE.to_vec(), private_record(SystemClock.now()));
    if let Err(error) = engine.apply(&batch) {
        tracing::warn!(%error, "the file may lose rights that its user gives it when it is opened again");
    }
    Ok(())
}

/// The rights without those of other users; none where others have none.
#[cfg(unix)]
fn rights_of_owner(path: &Path) -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    (mode & 0o077 != 0).then(|| std::fs::Permissions::from_mode(mode & 0o700))
}

/// Files of Windows have the access list of their folder.
#[cfg(not(unix))]
fn rights_of_owner(_: &Path) -> Option<std::fs::Permissions> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use crate::{Keyspace, Store};

    const NOTES: Keyspace = Keyspace::new("test.private");

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn give(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_new_file_is_for_its_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.annals");
        drop(Store::open(&path).unwrap());
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn a_file_that_others_may_read_is_made_private_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.annals");
        let store = Store::open(&path).unwrap();
        store.write(|txn| txn.put(NOTES, b"a", 1, b"x")).unwrap();
        drop(store);
        give(&path, 0o644);
        drop(
            crate::Options::default()
                .read_only(true)
                .open(&path)
                .unwrap(),
        );
        assert_eq!(mode(&path), 0o644, "whoever only reads changes nothing");
        let store = Store::open(&path).unwrap();
        assert_eq!(mode(&path), 0o600);
        store.compact().unwrap();
        drop(store);
        give(&path, 0o640);
        let store = Store::open(&path).unwrap();
        assert_eq!(mode(&path), 0o640, "what its user has given stays");
        assert!(store.validate().unwrap().damaged.is_empty());
    }
}
