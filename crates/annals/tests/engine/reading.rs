//! A handle that only reads: not a byte of the file changes, whatever there is to repair.

use std::path::{Path, PathBuf};

use annals::blocking::Memory;
use annals::profile::Profile;
use annals::{ErrorKind, Filter, Layer, ListQuery, Mode, Options};
use annals_storage::{KeyRange, Keyspace, StorageError, Store};
use tempfile::TempDir;

/// Sizes so small that indexes are folded and built.
fn small() -> Profile {
    let mut small = Profile::default();
    small.text.fold_above_rows = 0;
    (small.vector.exact_up_to_rows, small.vector.tail_up_to_rows) = (0, 16);
    small
}

fn options() -> Options {
    Options::new().profile(small())
}

/// A copy of the fixture with all that derived indexes can be made of.
fn fixture() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v1.annals");
    std::fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1.annals"),
        &path,
    )
    .unwrap();
    (folder, path)
}

/// How many memories of a file are listed and found.
fn read(memory: &Memory) -> (u64, usize) {
    let user = memory.namespace("user:42").unwrap();
    let listed = user
        .list(&ListQuery {
            limit: 1000,
            ..ListQuery::default()
        })
        .unwrap();
    memory.wait_idle().unwrap();
    (listed.total, user.recall("where do I live?").unwrap().len())
}

#[test]
fn lost_indexes_are_made_again_in_memory() {
    let (folder, path) = fixture();
    let whole = read(&options().read_only(true).open(&path).unwrap());
    assert!(whole.0 > 20 && whole.1 > 3, "{whole:?}");
    let store = Store::open(&path).unwrap();
    for name in ["text.segment", "records.columns", "vector.graph.links"] {
        let all = KeyRange::prefix(Keyspace::new(name), b"");
        let (removed, _) = store
            .write::<_, StorageError>(|tx| tx.delete_range(&all, usize::MAX))
            .unwrap();
        assert!(removed > 0, "{name}");
    }
    drop(store);
    let bytes = std::fs::read(&path).unwrap();
    let (one, two) = (
        options().read_only(true).open(&path).unwrap(),
        options().read_only(true).open(&path).unwrap(),
    );
    assert_eq!((read(&one), read(&two)), (whole, whole));
    drop((one, two));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(read(&options().open(&path).unwrap()), whole);
}

/// A copy of a file that is in use is what a process leaves behind that is killed.
#[test]
fn what_a_killed_process_left_behind_is_read_as_it_was_acknowledged() {
    let (folder, path) = fixture();
    let memory = options().open(&path).unwrap();
    let user = memory.namespace("user:42").unwrap();
    let before = user.list(&ListQuery::default()).unwrap().total;
    let core = Filter {
        layers: vec![Layer::Core],
        ..Filter::default()
    };
    let doomed = user
        .list(&ListQuery {
            filter: core.clone(),
            ..ListQuery::default()
        })
        .unwrap()
        .total;
    for n in 0..40 {
        user.remember(format!("The cellar has {n} bottles."))
            .unwrap();
    }
    user.queue().delete(&core).unwrap();
    let left = folder.path().join("left.annals");
    std::fs::copy(&path, &left).unwrap();
    let bytes = std::fs::read(&left).unwrap();
    let reader = options().read_only(true).open(&left).unwrap();
    // The deletion in the background had begun or not.
    let found = read(&reader).0;
    assert!(
        (before + 40 - doomed..=before + 40).contains(&found),
        "{found} of {before} and 40"
    );
    assert_eq!(reader.validate().unwrap().problems, Vec::<String>::new());
    let hits = reader
        .namespace("user:42")
        .unwrap()
        .recall("How many bottles are in the cellar?")
        .unwrap();
    assert!(hits.iter().any(|hit| hit.text.contains("bottles")));
    drop(reader);
    assert_eq!(std::fs::read(&left).unwrap(), bytes);
}

#[test]
fn every_change_is_refused() {
    let (_folder, path) = fixture();
    let bytes = std::fs::read(&path).unwrap();
    let memory = options()
        .read_only(true)
        .scheduler(true)
        .open(&path)
        .unwrap();
    let user = memory.namespace("user:42").unwrap();
    let id = user.list(&ListQuery::default()).unwrap().memories[0].id;
    let refused = [
        user.remember("x").map(drop),
        memory.namespace("new").unwrap().remember("x").map(drop),
        user.update(id, "x").map(drop),
        user.forget(id).map(drop),
        user.delete(id, Mode::Commit).map(drop),
        memory.create_namespace("other", "agent").map(drop),
        memory.delete_namespace("user:42", Mode::Commit).map(drop),
        memory.rename_namespace("user:42", "user:43").map(drop),
        memory.compact().map(drop),
        user.transfer().reembed(&mut |_| {}).map(drop),
    ];
    for (number, outcome) in refused.into_iter().enumerate() {
        assert_eq!(
            outcome.unwrap_err().kind(),
            ErrorKind::ReadOnly,
            "call {number}"
        );
    }
    assert_eq!(user.delete(id, Mode::DryRun).unwrap().memories.len(), 1);
    drop((memory, user));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let missing = options()
        .read_only(true)
        .open(path.with_extension("no"))
        .unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}
