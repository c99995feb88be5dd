#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
//! The rules of an engine over a real server, which runs for these tests alone.

mod server;

use annals_postgres::{ConnectOptions, PostgresEngine};
use annals_storage::{
    Batch, Engine as _, Keyspace, Options, RedbEngine, StorageError, Store, conformance, copy,
};
use server::{Server, run_sql};

const A: Keyspace = Keyspace::new("test.a");

fn options() -> ConnectOptions {
    ConnectOptions::default()
}

#[test]
fn the_rules_of_an_engine_hold() {
    let Some(server) = Server::start() else {
        return;
    };
    conformance::run(|| {
        Box::new(PostgresEngine::connect(&server.database(), &options()).expect("a connection"))
    });
}

#[test]
fn there_is_one_owner_and_nothing_is_written_by_one_whose_time_is_over() {
    let Some(server) = Server::start() else {
        return;
    };
    let address = server.database();
    let first = PostgresEngine::connect(&address, &options()).expect("the first");
    let refused = PostgresEngine::connect(&address, &options())
        .err()
        .expect("a refusal");
    let StorageError::Leased { owner, seconds, .. } = &refused else {
        panic!("{refused}")
    };
    assert!(
        owner.contains(&format!("process {}", std::process::id())) && (1..=15).contains(seconds),
        "{refused}"
    );
    drop(first);
    let second = PostgresEngine::connect(&address, &options()).expect("the second");
    run_sql(
        &address,
        "update annals_lease set token = token + 1, until = now() - interval '1 second'",
    );
    let third = PostgresEngine::connect(&address, &options())
        .expect("the third, after the time of the second");
    let mut batch = Batch::default();
    batch.put(A, b"key".to_vec(), b"value".to_vec());
    let late = second.apply(&batch).expect_err("an owner of before");
    assert!(matches!(late, StorageError::Fenced { .. }), "{late}");
    assert!(second.snapshot().is_err());
    third.apply(&batch).expect("the owner of now");
}

#[test]
fn long_keys_and_many_rows_come_back_in_their_order() {
    let Some(server) = Server::start() else {
        return;
    };
    let engine = PostgresEngine::connect(&server.database(), &options()).expect("a connection");
    let key = |number: u32| [vec![7_u8; 1024], number.to_be_bytes().to_vec()].concat();
    let mut batch = Batch::default();
    for number in 0..2000 {
        batch.put(A, key(number), number.to_be_bytes().to_vec());
    }
    engine.apply(&batch).expect("a commit");
    let snapshot = engine.snapshot().expect("a snapshot");
    for reverse in [false, true] {
        let mut range = annals_storage::KeyRange::between(A, &key(10), &key(1990));
        range.reverse = reverse;
        let mut found = Vec::new();
        let mut visit = |_: usize, key: &[u8], _: &[u8]| {
            found.push(key.to_vec());
            Ok(std::ops::ControlFlow::Continue(()))
        };
        snapshot
            .multi_range(&[range.clone()], &mut visit)
            .expect("a walk");
        let mut expected: Vec<Vec<u8>> = (10..1990).map(key).collect();
        if reverse {
            expected.reverse();
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn a_file_is_copied_there_and_back() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let store = Store::open(file("first.annals")).expect("a new file");
    let write = |tx: &mut annals_storage::Transaction<'_>| {
        (0..3000_u32)
            .try_for_each(|number| tx.put(A, &number.to_be_bytes(), 1, &number.to_le_bytes()))
    };
    store.write::<_, StorageError>(write).expect("a commit");
    let commit = store.commit();
    drop(store);
    let open = |name: &str| RedbEngine::open(&file(name), &Options::default()).expect("a file");
    let address = server.database();
    let there = PostgresEngine::connect(&address, &options()).expect("a connection");
    let copied = copy(&open("first.annals"), &there, &mut |_| {}).expect("a copy");
    assert!(copied.values > 3000, "{copied:?}");
    // While its owner goes on, it can be read.
    let reading = PostgresEngine::read(&address).expect("a connection");
    assert_eq!(
        copy(&reading, &open("back.annals"), &mut |_| {}).expect("a copy"),
        copied
    );
    let refused = reading
        .apply(&Batch::default())
        .expect_err("it is only read");
    assert!(
        matches!(refused, StorageError::OpenedReadOnly { .. }),
        "{refused}"
    );
    drop(Store::open(file("other.annals")).expect("a new file"));
    let refused =
        copy(&open("other.annals"), &there, &mut |_| {}).expect_err("it is not empty any more");
    assert!(
        matches!(refused, StorageError::NotEmpty { .. }),
        "{refused}"
    );
    let back = Store::open(file("back.annals")).expect("a database");
    assert_eq!(
        (back.commit(), back.validate().expect("a report").is_sound()),
        (commit, true)
    );
    let over_server = Store::with_engine(Box::new(there)).expect("a database");
    assert!(over_server.validate().expect("a report").is_sound());
}

/// A batch whose answer is lost is there or is not, and is never applied later.
#[test]
fn a_lost_connection_is_followed_by_a_new_one() {
    let Some(server) = Server::start() else {
        return;
    };
    let address = server.database();
    let engine = PostgresEngine::connect(&address, &options()).expect("a connection");
    let mut batch = Batch::default();
    batch.put(A, b"key".to_vec(), b"value".to_vec());
    engine.apply(&batch).expect("a commit");
    let end_all =
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()
        and datname = current_database()";
    run_sql(&address, end_all);
    let snapshot = engine.snapshot().expect("a snapshot over a new connection");
    assert_eq!(
        snapshot.multi_get(&[(A, b"key")]).expect("a read"),
        [Some(b"value".to_vec())]
    );
    run_sql(&address, end_all);
    assert!(
        snapshot.multi_get(&[(A, b"key")]).is_err(),
        "its state went with its connection"
    );
    // The first commit may find that its connection is lost; then the lease has another number, and
    // the next one goes on.
    let first = engine.apply(&batch);
    assert!(engine.is_settled(), "{first:?}");
    engine
        .apply(&batch)
        .expect("a commit over a new connection");
}
