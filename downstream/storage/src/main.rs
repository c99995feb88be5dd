//! Uses the storage layer alone.

use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Store};

const NOTES: Keyspace = Keyspace::new("app.notes");

fn main() -> Result<(), StorageError> {
    let store = Store::in_memory();
    let (_, commit) = store.write(|txn| {
        txn.put(NOTES, b"a", 1, b"first")?;
        txn.put(NOTES, b"b", 1, b"second")
    })?;
    println!("commit {}", commit.0);
    let mut seen = Vec::new();
    store.snapshot()?.scan(&[KeyRange::prefix(NOTES, b"")], &mut |_, key, _, body| {
        seen.push((key.to_vec(), body.to_vec()));
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    assert_eq!(seen, [(b"a".to_vec(), b"first".to_vec()), (b"b".to_vec(), b"second".to_vec())]);
    Ok(())
}
