//! The bytes of version 1: a file written by one release must be read by the next.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_storage::{KeyRange, Reads, Store};
use annals_types::profile::VectorSettings;
use annals_types::{Fingerprint, NamespaceId, Row};
use annals_vector::store::{KEYSPACES, Space, Spaces};
use annals_vector::{Shape, VectorError};

const GOLDEN: &str = "\
vector.spaces 00000002 1 010001010006676f6c64656e04
vector.codes 000000020000000000000001 1 81818181
vector.codes 000000020000000000000004 1 00abd67f
vector.codes 000000020000000000000005 1 00abd67f
vector.codes 000000020000000000000007 1 7f2a2a7f
vector.codes 000000020000000000000009 1 128136a5
vector.late 000000020000000000000007 1
vector.graph 0000000200000000 1 0101000102040404fb00040101010a
vector.graph.codes 00000002000000000000000000000000 1 0400000001000000\
    0400000005000000090000008181818100abd67f00abd67f128136a5
vector.graph.links 00000002000000000000000000000000 1 0100000003000000ffffffffffffffff\
    0000000003000000ffffffffffffffffffffffffffffffffffffffffffffffff0000000001000000ffffffffffffffff
vector.graph.twins 00000002000000000000000000000000 1 0100000002000000
";

/// Every value as `keyspace key version body`, in hexadecimal.
fn dump(store: &Store) -> String {
    let mut text = String::new();
    for keyspace in KEYSPACES {
        let visit = &mut |_: usize, key: &[u8], version: u8, body: &[u8]| {
            let hex = |bytes: &[u8]| {
                bytes
                    .iter()
                    .fold(String::new(), |text, b| text + &format!("{b:02x}"))
            };
            let line = format!("{keyspace} {} {version} {}", hex(key), hex(body));
            writeln!(text, "{}", line.trim_end()).unwrap();
            Ok(ControlFlow::Continue(()))
        };
        store
            .snapshot()
            .unwrap()
            .scan(&[KeyRange::prefix(keyspace, &[])], visit)
            .unwrap();
    }
    text
}

fn written() -> Store {
    let store = Store::in_memory();
    let shape = Shape::new(4).unwrap();
    let space = Space::new(NamespaceId(2), 0);
    let rows = [
        (1, [1.0, 0.0, 0.0, 0.0]),
        (4, [0.0, 1.0, 2.0, 3.0]),
        (5, [0.0, 1.0, 2.0, 3.0]),
        (9, [0.5, -1.0, 0.25, 0.0]),
    ];
    let put = |tx: &mut annals_storage::Transaction<'_>| {
        let mut spaces = Spaces::default();
        spaces.ensure(&Fingerprint("golden".to_owned()), shape);
        spaces.write(tx, NamespaceId(2))?;
        rows.iter()
            .try_for_each(|(row, vector)| space.put(tx, Row(*row), &shape.encode(vector)?))
    };
    store.write::<(), VectorError>(put).unwrap();
    let build = space.begin_build(&store, Arc::new(|_| Ok(true))).unwrap();
    let settings = VectorSettings {
        degree: 4,
        ..VectorSettings::default()
    };
    let index = space
        .load(&store.snapshot().unwrap(), shape, settings)
        .unwrap()
        .index;
    let graph = index
        .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
        .unwrap();
    Space::publish(build, &store, &graph, |_| ()).unwrap();
    let late = shape.encode(&[-1.0, 0.0, 0.0, 0.5]).unwrap();
    store
        .write::<(), VectorError>(|tx| space.put_late(tx, Row(7), &late))
        .unwrap();
    store
}

/// A store with the golden bytes.
fn golden() -> Store {
    let store = Store::in_memory();
    let bytes = |hex: &str| -> Vec<u8> {
        hex.as_bytes()
            .chunks(2)
            .map(|c| u8::from_str_radix(std::str::from_utf8(c).unwrap(), 16).unwrap())
            .collect()
    };
    let put = |tx: &mut annals_storage::Transaction<'_>| {
        GOLDEN.lines().try_for_each(|line| {
            let parts: Vec<&str> = line.split(' ').collect();
            let keyspace = KEYSPACES
                .into_iter()
                .find(|k| k.name() == parts[0])
                .unwrap();
            let body = parts.get(3).map_or(Vec::new(), |hex| bytes(hex));
            Ok(tx.put(keyspace, &bytes(parts[1]), parts[2].parse().unwrap(), &body)?)
        })
    };
    store.write::<(), VectorError>(put).unwrap();
    // The graph says that it reflects the first commit after the announcement.
    for _ in 0..4 {
        store
            .write::<(), VectorError>(|tx| Ok(tx.put(KEYSPACES[7], &[0], 1, &[])?))
            .unwrap();
    }
    store
}

#[test]
fn the_bytes_of_version_1_are_written() {
    // Which neighbours a row gets may change without the format: lists are compared by their length
    // only.
    let form = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| match line.split_once("links") {
            Some((_, list)) => format!("links of {} digits", list.len()),
            None => line.to_owned(),
        });
        lines.collect()
    };
    let written = dump(&written());
    assert_eq!(form(&written), form(GOLDEN), "\n{written}");
}

#[test]
fn the_bytes_of_version_1_are_read() {
    let store = golden();
    let snapshot = store.snapshot().unwrap();
    let spaces = Spaces::read(&snapshot, NamespaceId(2)).unwrap();
    let info = spaces.active().unwrap();
    assert_eq!((info.fingerprint.0.as_str(), info.dims), ("golden", 4));
    let shape = Shape::new(4).unwrap();
    let loaded = info
        .space(NamespaceId(2))
        .load(&snapshot, shape, VectorSettings::default())
        .unwrap();
    assert_eq!(loaded.rebuild, None);
    assert_eq!((loaded.index.len(), loaded.index.outside()), (5, 1));
    assert_eq!(
        info.space(NamespaceId(2))
            .validate(&snapshot, shape)
            .unwrap(),
        vec![]
    );
    let hits = loaded.index.search(
        &shape.query(&[0.0, 1.0, 2.0, 3.0]).unwrap(),
        2,
        None,
        |_| true,
    );
    assert_eq!(
        hits.iter().map(|h| h.row).collect::<Vec<_>>(),
        vec![Row(4), Row(5)]
    );
    let late = loaded.index.search(
        &shape.query(&[-1.0, 0.0, 0.0, 0.5]).unwrap(),
        1,
        None,
        |_| true,
    );
    assert_eq!(late[0].row, Row(7));
}
