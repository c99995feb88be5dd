use std::ops::ControlFlow;

use annals_types::{NamespaceId, Row, Timestamp};

use super::{
    AnyTable, ClosedText, Coded, Mark, MultiGet, Opaque, Raw, Scope, Table, Text, purge, scan_rows,
};
use crate::{Keyspace, Reads, StorageError, Store, Transaction};

const MOMENTS: Table<(NamespaceId, Row), Timestamp> = Table::new("test.moments");
const NAMES: Table<(NamespaceId, ClosedText, Row), Mark> = Table::new("test.names");
const DUE: Table<(u32, Timestamp, NamespaceId), Mark> = Table::new("test.due");
const CODES: Table<Text, Raw> = Table::new("test.codes");
// Two tables that share a keyspace.
const NODES: Table<(NamespaceId, u32), Coded<(String, u64), 2>> = Table::new("test.nodes");
const EDGES: Table<(NamespaceId, u32, u32), u32> = Table::new("test.nodes");
const TABLES: &[&dyn AnyTable] = &[&MOMENTS, &NAMES, &DUE, &CODES, &NODES, &EDGES];

const ONE: NamespaceId = NamespaceId(1);
const TWO: NamespaceId = NamespaceId(2);

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn fill(txn: &mut Transaction<'_>) -> Result<(), StorageError> {
    for row in [1, 2, 300] {
        MOMENTS.put(txn, (ONE, Row(row)), &at(-i64::from(row)))?;
        NAMES.put(txn, (ONE, if row == 2 { "b" } else { "a" }, Row(row)), &())?;
        DUE.put(txn, (7, at(i64::from(row) - 2), ONE), &())?;
    }
    MOMENTS.put(txn, (TWO, Row(1)), &at(9))?;
    CODES.put(txn, "", &b"empty".as_slice())?;
    CODES.put(txn, &"long".repeat(20), &b"\0\xff".as_slice())?;
    NODES.put(txn, (ONE, 1), &("one".to_owned(), 300))?;
    EDGES.put(txn, (ONE, 1, 2), &5)
}

fn filled() -> Store {
    let store = Store::in_memory();
    store.write(fill).unwrap();
    store
}

#[test]
fn rows_come_back_in_the_order_of_their_values() {
    let reads = filled().snapshot().unwrap();
    assert_eq!(MOMENTS.get(&reads, (ONE, Row(2))).unwrap(), Some(at(-2)));
    assert_eq!(MOMENTS.get(&reads, (ONE, Row(3))).unwrap(), None);
    let keys = [(TWO, Row(1)), (ONE, Row(9)), (ONE, Row(300))];
    assert_eq!(
        MOMENTS.get_many(&reads, keys).unwrap(),
        [Some(at(9)), None, Some(at(-300))]
    );
    let all = MOMENTS.rows(&reads, MOMENTS.within(ONE), 2).unwrap();
    assert_eq!(all, [((ONE, Row(1)), at(-1)), ((ONE, Row(2)), at(-2))]);
    let late = MOMENTS.within(ONE).after((ONE, Row(1))).reversed();
    assert_eq!(MOMENTS.first(&reads, late).unwrap(), Some((ONE, Row(300))));
    assert_eq!(MOMENTS.count(&reads, MOMENTS.all()).unwrap(), 4);
    let due = DUE
        .rows(&reads, DUE.within((7,)).until((7, at(1))), usize::MAX)
        .unwrap();
    assert_eq!(
        due.iter()
            .map(|((_, at, _), ())| at.as_millis())
            .collect::<Vec<_>>(),
        [-1, 0]
    );
    assert!(
        DUE.is_empty(&reads, DUE.within((8,))).unwrap()
            && !DUE.is_empty(&reads, DUE.all()).unwrap()
    );
    let mut named = Vec::new();
    let visit = |(_, name, row): (NamespaceId, &str, Row), ()| -> Result<_, StorageError> {
        named.push((name.to_owned(), row.0));
        Ok(ControlFlow::Continue(()))
    };
    NAMES.scan(&reads, NAMES.within((ONE, "a")), visit).unwrap();
    assert_eq!(named, [("a".to_owned(), 1), ("a".to_owned(), 300)]);
    assert_eq!(
        CODES
            .get_with(&reads, &"long".repeat(20), <[u8]>::len)
            .unwrap(),
        Some(2)
    );
    assert!(CODES.contains(&reads, "").unwrap() && !CODES.contains(&reads, "no").unwrap());
}

#[test]
fn tables_of_one_keyspace_are_read_together() {
    let reads = filled().snapshot().unwrap();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let visit = |_: usize, row: super::RawRow<'_>| -> Result<_, StorageError> {
        if let Some((key, node)) = NODES.read(&row)? {
            nodes.push((key.1, node.1));
        } else if let Some((key, edge)) = EDGES.read(&row)? {
            edges.push((key.2, edge));
        } else {
            return Err(row.unknown());
        }
        Ok(ControlFlow::Continue(()))
    };
    scan_rows(&reads, &[NODES.within(ONE).into()], visit).unwrap();
    assert_eq!((nodes, edges), (vec![(1, 300)], vec![(2, 5)]));
    let mut asked = MultiGet::default();
    let node = asked.add(&NODES, (ONE, 1));
    let none = asked.add(&EDGES, (ONE, 1, 3));
    let moment = asked.add(&MOMENTS, (TWO, Row(1)));
    let found = asked.read(&reads).unwrap();
    assert_eq!(found.get(&node).unwrap(), Some(("one".to_owned(), 300)));
    assert_eq!(
        (found.get(&none).unwrap(), found.get(&moment).unwrap()),
        (None, Some(at(9)))
    );
    let other = MultiGet::default().read(&reads).unwrap();
    assert!(matches!(
        other.get(&moment),
        Err(StorageError::Misuse { .. })
    ));
}

#[test]
fn a_visitor_that_fails_ends_the_walk() {
    let reads = filled().snapshot().unwrap();
    let mut seen = 0;
    let ranges = [MOMENTS.within(ONE).into(), MOMENTS.within(TWO).into()];
    let walked = MOMENTS.scan_many(&reads, &ranges, |_, _, _| {
        seen += 1;
        Err(StorageError::misuse("enough"))
    });
    assert!(matches!(walked, Err(StorageError::Misuse { .. })));
    assert_eq!(seen, 1);
}

#[test]
fn damage_and_newer_versions_are_told_with_the_key() {
    let store = filled();
    let key = MOMENTS.key((ONE, Row(1)));
    let set = |version: u8, body: &[u8]| {
        store
            .write(|txn| txn.put(MOMENTS.keyspace(), &key, version, body))
            .unwrap();
        let reads = store.snapshot().unwrap();
        let sound = store.validate_tables(TABLES).unwrap().is_sound();
        (MOMENTS.get(&reads, (ONE, Row(1))).unwrap_err(), sound)
    };
    let (error, sound) = set(1, &[0; 9]);
    assert!(error.is_corruption() && !sound, "{error}");
    assert!(
        error
            .to_string()
            .starts_with("test.moments: the value of key 0000000100000001 is damaged"),
        "{error}"
    );
    let (error, sound) = set(2, &[0]);
    assert!(
        matches!(
            error,
            StorageError::TooNew {
                found: 2,
                supported: 1,
                ..
            }
        ) && !sound,
        "{error}"
    );
}

#[test]
fn validation_reads_every_row_with_its_table() {
    let store = filled();
    assert!(store.validate_tables(TABLES).unwrap().is_sound());
    assert!(
        !store.validate_tables(&[&NODES]).unwrap().is_sound(),
        "the keys of edges are of no table then"
    );
    assert!(
        store
            .validate_tables(&[&Opaque(NODES.keyspace())])
            .unwrap()
            .is_sound()
    );
    assert!(
        !store
            .validate_tables(&[&Opaque(Keyspace::new("test.nodes").up_to(1))])
            .unwrap()
            .is_sound()
    );
}

#[test]
fn a_purge_takes_what_belongs_to_the_namespace() {
    assert_eq!(
        (MOMENTS.scope(), DUE.scope(), CODES.scope()),
        (Scope::Namespace, Scope::Spread, Scope::Global)
    );
    let store = filled();
    let mut removed = Vec::new();
    for _ in 0..5 {
        removed.push(store.write(|txn| purge(txn, TABLES, ONE, 3)).unwrap().0);
    }
    assert_eq!(removed, [3, 3, 2, 0, 0]);
    let reads = store.snapshot().unwrap();
    assert_eq!(MOMENTS.count(&reads, MOMENTS.all()).unwrap(), 1);
    assert_eq!(DUE.count(&reads, DUE.all()).unwrap(), 3);
    assert_eq!(
        reads.get(CODES.keyspace(), b"").unwrap().unwrap().body,
        b"empty"
    );
}

#[cfg(feature = "conformance")]
#[test]
fn every_table_has_a_frozen_row() {
    let mut samples = crate::conformance::Samples::of(TABLES);
    samples.row(
        &MOMENTS,
        (ONE, Row(258)),
        &at(-2),
        ("0000000100000102", "fffffffffffffffe"),
    );
    samples.row(
        &NAMES,
        (ONE, "ab", Row(2)),
        &(),
        ("0000000161620000000002", ""),
    );
    samples.row(
        &DUE,
        (7, at(-1), ONE),
        &(),
        ("000000077fffffffffffffff00000001", ""),
    );
    samples.row(&CODES, "k", &b"ab".as_slice(), ("6b", "6162"));
    samples.row(
        &NODES,
        (ONE, 2),
        &("a".to_owned(), 300),
        ("0000000100000002", "0161fb2c01"),
    );
    samples.row(
        &EDGES,
        (ONE, 2, 3),
        &300,
        ("000000010000000200000003", "ac02"),
    );
    samples.end();
}
