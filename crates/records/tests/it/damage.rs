//! Derived blocks may be damaged, stale or missing; erased text must be nowhere.

use crate::world;

use std::ops::ControlFlow;

use annals_records::{
    Columns, Difference, RecordError, TABLES, drop_columns, fold_columns, prune_labels, validate,
};
use annals_storage::table::{Scope, keyspaces};
use annals_storage::{KeyRange, Keyspace, Reads, StorageError};
use annals_types::{NewMemory, NewTurn};

use world::{World, at};

const ROWS: Keyspace = Keyspace::new("records.rows");
const HEADS: Keyspace = Keyspace::new("records.heads");
const COLUMNS: Keyspace = Keyspace::new("records.columns");

fn folded() -> World {
    let mut world = World::new();
    for number in 0..10 {
        world.turn("s", &format!("turn {number}"));
    }
    let ns = world.ns;
    let done = world
        .store
        .write(|txn| fold_columns(txn, ns, 4, 10))
        .unwrap()
        .0;
    assert_eq!((done.blocks, done.covered.0, done.left), (2, 8, 2));
    world
}

fn keys(world: &World, keyspace: Keyspace) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let all = KeyRange::prefix(keyspace, &world.ns.prefix());
    let mut collect = |_: usize, key: &[u8], _: u8, _: &[u8]| {
        keys.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    };
    world.snapshot().scan(&[all], &mut collect).unwrap();
    keys
}

#[test]
fn a_damaged_block_is_left_aside_and_folded_again() {
    let world = folded();
    let key = keys(&world, COLUMNS).swap_remove(0);
    world
        .store
        .write(|txn| txn.put(COLUMNS, &key, 1, b"nonsense"))
        .unwrap();
    let loaded = Columns::load(&world.snapshot(), world.ns).unwrap();
    assert!(loaded.blocks_damaged());
    for row in world.columns.rows() {
        assert_eq!(loaded.get(row), world.columns.get(row));
    }
    let report = validate(&world.snapshot(), world.ns, None).unwrap();
    assert!(
        matches!(report.differences[0], Difference::Unreadable { keyspace, .. } if keyspace == COLUMNS),
        "{report:?}"
    );
    let ns = world.ns;
    world
        .store
        .write(|txn| drop_columns(txn, ns, usize::MAX))
        .unwrap();
    world
        .store
        .write(|txn| fold_columns(txn, ns, 4, 10))
        .unwrap();
    world.check();
}

#[test]
fn a_missing_block_is_read_from_rows() {
    let world = folded();
    let key = keys(&world, COLUMNS).swap_remove(0);
    world.store.write(|txn| txn.delete(COLUMNS, &key)).unwrap();
    let loaded = Columns::load(&world.snapshot(), world.ns).unwrap();
    assert!(!loaded.blocks_damaged());
    assert!(loaded.rows().eq(world.columns.rows()));
    world.check();
}

#[test]
fn a_block_that_lies_is_found() {
    let world = folded();
    let all = keys(&world, COLUMNS);
    let second = world.snapshot().get(COLUMNS, &all[1]).unwrap().unwrap();
    world
        .store
        .write(|txn| txn.put(COLUMNS, &all[0], second.version, &second.body))
        .unwrap();
    let report = validate(&world.snapshot(), world.ns, None).unwrap();
    assert_eq!(report.count, 4, "{report:?}");
    assert!(
        report
            .differences
            .iter()
            .all(|found| matches!(found, Difference::Block { .. })),
        "{report:?}"
    );
}

#[test]
fn erasing_in_a_damaged_block_drops_all_blocks() {
    let mut world = folded();
    let key = keys(&world, COLUMNS).swap_remove(0);
    world
        .store
        .write(|txn| txn.put(COLUMNS, &key, 1, b"nonsense"))
        .unwrap();
    let (id, _) = world.turn("s", "to be erased");
    let first =
        annals_records::memories(&world.snapshot(), world.ns, &[annals_types::Row(1)], None)
            .unwrap();
    world.erase(&[id, first[0].as_ref().unwrap().id]).unwrap();
    assert!(keys(&world, COLUMNS).is_empty());
    world.check();
}

#[test]
fn damage_of_what_is_not_derived_is_an_error() {
    let world = folded();
    let key = keys(&world, ROWS).swap_remove(9);
    world
        .store
        .write(|txn| txn.put(ROWS, &key, 1, b"\xFF"))
        .unwrap();
    let error = Columns::load(&world.snapshot(), world.ns).unwrap_err();
    let damaged = |error: &RecordError| match error {
        RecordError::Storage(StorageError::Damaged { keyspace, .. }) => *keyspace == ROWS,
        _ => false,
    };
    assert!(damaged(&error), "{error}");
    world
        .store
        .write(|txn| txn.put(HEADS, &world.ns.prefix(), 9, b""))
        .unwrap();
    let error = Columns::load(&world.snapshot(), world.ns).unwrap_err();
    let newer = |error: &RecordError| {
        matches!(
            error,
            RecordError::Storage(StorageError::TooNew {
                found: 9,
                supported: 1,
                ..
            })
        )
    };
    assert!(
        newer(&error) && error.to_string().contains("records.heads"),
        "{error}"
    );
}

/// How many stored keys and values hold some bytes.
fn traces(world: &World, needle: &[u8]) -> usize {
    let mut found = 0;
    let ranges: Vec<KeyRange> = keyspaces(TABLES, Scope::Namespace)
        .into_iter()
        .map(|of| KeyRange::prefix(of, &world.ns.prefix()))
        .collect();
    let holds = |bytes: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    let mut look = |_: usize, key: &[u8], _: u8, body: &[u8]| {
        found += usize::from(holds(key)) + usize::from(holds(body));
        Ok(ControlFlow::Continue(()))
    };
    world.snapshot().scan(&ranges, &mut look).unwrap();
    found
}

#[test]
fn nothing_that_was_said_outlives_its_erasure() {
    let mut world = World::new();
    let secret = || {
        NewTurn::builder("secret session", "secret text")
            .speaker("secret speaker")
            .tag("secret tag")
    };
    let (id, _) = world.add(secret().time(at(0x1234_5678)).build().unwrap());
    world.text("harmless");
    world.update(id, "secret update", None).unwrap();
    let other = NewMemory::builder("secret offspring")
        .source("secret source")
        .build()
        .unwrap();
    let (child, _) = world.add(other);
    let ns = world.ns;
    world
        .store
        .write(|txn| fold_columns(txn, ns, 1, 10))
        .unwrap();
    let time = at(0x1234_5678).as_millis().to_le_bytes();
    assert!(traces(&world, b"secret") > 6);
    assert_eq!(
        traces(&world, &time),
        1,
        "the event time is in a column block"
    );
    let erased = world.erase(&[id, child]).unwrap();
    assert_eq!(erased.iter().map(|each| each.rows.len()).sum::<usize>(), 3);
    assert_eq!(
        (traces(&world, b"secret"), traces(&world, &time)),
        (0, 0),
        "names go with what carried them"
    );
    assert_eq!(traces(&world, b"harmless"), 1);
    let columns = world.columns.clone();
    assert_eq!(
        world
            .write(|txn, ns, now| prune_labels(txn, ns, now, &columns))
            .unwrap(),
        0
    );
    world.check();
}

#[test]
fn a_name_stays_as_long_as_anything_carries_it() {
    let mut world = World::new();
    let turn = |text: &str| {
        NewTurn::builder("evening talk", text)
            .speaker("Mira")
            .tag("garden")
            .build()
            .unwrap()
    };
    let (first, _) = world.add(turn("one"));
    let (second, _) = world.add(turn("two"));
    let fact = NewMemory::builder("three")
        .tag("garden")
        .source("phone")
        .build()
        .unwrap();
    let (third, _) = world.add(fact);
    let left = |world: &World| {
        ["evening talk", "Mira", "garden", "phone"].map(|name| traces(world, name.as_bytes()) > 0)
    };
    for (id, names) in [
        (first, [true, true, true, true]),
        (second, [false, false, true, true]),
        (third, [false, false, false, false]),
    ] {
        world.erase(&[id]).unwrap();
        assert_eq!(left(&world), names);
        world.check();
    }
    // A session that is talked in again begins anew.
    let (again, _) = world.add(turn("four"));
    assert_eq!(left(&world), [true, true, true, false]);
    world.erase(&[again]).unwrap();
    world.check();
}
