//! A writer does not wait for readers for ever.
//!
//! Readers of a file share its lock, and keep writers out. While this process shares that lock as
//! well, nobody writes: so the file is copied, and the copy takes its place, as in a compaction.
//! Readers go on with the file that they have open.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Seek as _};
use std::path::Path;

use annals_private::OpenOwn;

use super::{compact, lock};
use crate::Options;

/// A copy of a file in its place, locked for writing, where others only read the file. None where
/// somebody writes it, or this process is to read it.
pub(super) fn pass(file: &File, path: &Path, options: &Options) -> io::Result<Option<File>> {
    if options.read_only {
        return Ok(None);
    }
    match file.try_lock_shared() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let copied = replace(file, path);
    file.unlock()?;
    if matches!(copied, Ok(Some(_))) {
        tracing::warn!(path = %path.display(), "others only read the file: it is written on in a copy");
    }
    copied
}

fn replace(file: &File, path: &Path) -> io::Result<Option<File>> {
    let path = path.canonicalize()?;
    // Another name of the file would go on with what it is now.
    if compact::other_names(file)?.is_some() {
        return Ok(None);
    }
    let beside = compact::draft_of(&path)?;
    let draft = match lock::new_file(&beside) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            OpenOwn::new().write().in_place().open(&beside)?
        }
        opened => opened?,
    };
    match draft.try_lock() {
        Ok(()) => {}
        // Another writer makes a copy as well.
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    if !lock::leads_to(&beside, &draft)? {
        // The copy of another writer, which is in its place by now.
        return Ok(None);
    }
    let copied = match lock::leads_to(&path, file) {
        Ok(true) => copy(file, &draft)
            .and_then(|()| std::fs::rename(&beside, &path))
            .map(|()| true),
        unmoved => unmoved,
    };
    if !matches!(copied, Ok(true)) {
        lock::remove_if_there(&beside)?;
    }
    if !copied? {
        return Ok(None);
    }
    lock::sync_folder(&path);
    Ok(Some(draft))
}

fn copy(from: &File, into: &File) -> io::Result<()> {
    let (mut from, mut to) = (from, into);
    into.set_len(0)?;
    compact::keep_rights(from, into)?;
    from.rewind()?;
    to.rewind()?;
    io::copy(&mut from, &mut to)?;
    into.sync_all()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use crate::{Keyspace, Options, Reads as _, StorageError, Store};

    const NOTES: Keyspace = Keyspace::new("test.readers");

    fn put(store: &Store, key: &[u8]) {
        store.write(|txn| txn.put(NOTES, key, 1, key)).unwrap();
    }

    fn has(store: &Store, key: &[u8]) -> bool {
        store.snapshot().unwrap().get(NOTES, key).unwrap().is_some()
    }

    fn waiting(path: &Path) -> Result<Store, StorageError> {
        Options::default()
            .wait(Duration::from_millis(50))
            .open(path)
    }

    #[test]
    fn a_writer_goes_on_where_others_only_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.annals");
        put(&Store::open(&path).unwrap(), b"before");
        let reader = Options::default().read_only(true).open(&path).unwrap();
        // Who waits for nobody is told.
        assert!(matches!(
            Store::open(&path).unwrap_err(),
            StorageError::Locked { .. }
        ));
        let writer = waiting(&path).unwrap();
        put(&writer, b"after");
        assert!(has(&reader, b"before") && !has(&reader, b"after"));
        assert!(!reader.is_in_place().unwrap() && writer.is_in_place().unwrap());
        // A writer is waited for, and a second copy is not made.
        assert!(matches!(
            waiting(&path).unwrap_err(),
            StorageError::Locked { .. }
        ));
        drop((reader, writer));
        let store = Store::open(&path).unwrap();
        assert!(has(&store, b"before") && has(&store, b"after"));
        assert!(store.validate().unwrap().damaged.is_empty());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn writers_that_come_at_once_do_not_lose_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.annals");
        put(&Store::open(&path).unwrap(), b"before");
        let _reader = Options::default().read_only(true).open(&path).unwrap();
        std::thread::scope(|threads| {
            for number in 0..8_u8 {
                let path = &path;
                threads.spawn(move || {
                    loop {
                        match waiting(path) {
                            Ok(store) => return put(&store, &[number]),
                            Err(StorageError::Locked { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
        });
        let store = Store::open(&path).unwrap();
        assert!(has(&store, b"before"));
        for number in 0..8_u8 {
            assert!(has(&store, &[number]), "{number}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_hard_links_is_not_copied_and_not_compacted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.annals");
        put(&Store::open(&path).unwrap(), b"before");
        std::fs::hard_link(&path, folder.path().join("b.annals")).unwrap();
        let reader = Options::default().read_only(true).open(&path).unwrap();
        assert!(matches!(
            waiting(&path).unwrap_err(),
            StorageError::Locked { .. }
        ));
        drop(reader);
        let error = Store::open(&path).unwrap().compact().unwrap_err();
        assert!(error.to_string().contains("1 other names"), "{error}");
        std::fs::remove_file(folder.path().join("b.annals")).unwrap();
        Store::open(&path).unwrap().compact().unwrap();
    }
}
