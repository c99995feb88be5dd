//! `validate` finds damage, and damage is an error of its own.

use crate::world;

use std::ops::ControlFlow;

use annals_graph::{
    Assertion, Embedding, GraphError, NewEntity, NewLink, Pattern, TABLES, View, add_entity,
    derive, link, merge, pattern, set_embedding, validate,
};
use annals_storage::table::{Scope, keyspaces};
use annals_storage::{KeyRange, Keyspace, Reads, StorageError};
use annals_types::Row;

use world::{NS, World};

const VECTORS: Keyspace = Keyspace::new("graph.vectors");
const NODES: Keyspace = Keyspace::new("graph.nodes");

type Entry = (Keyspace, Vec<u8>, u8, Vec<u8>);

fn entries(world: &World) -> Vec<Entry> {
    let reads = world.snapshot();
    let spaces: Vec<Keyspace> = keyspaces(TABLES, Scope::Namespace).into_iter().collect();
    let ranges: Vec<KeyRange> = spaces
        .iter()
        .map(|space| KeyRange::prefix(*space, &NS.prefix()))
        .collect();
    let mut all = Vec::new();
    let walked = reads.scan(&ranges, &mut |range, key, version, body| {
        all.push((spaces[range], key.to_vec(), version, body.to_vec()));
        Ok(ControlFlow::Continue(()))
    });
    walked.unwrap();
    all
}

/// A graph that has every sort of key.
fn full() -> World {
    let world = World::new();
    let node = |name: &str| {
        NewEntity::new(name)
            .kind("person")
            .alias(format!("{name}'s alias"))
    };
    world.says(
        1,
        &[
            Assertion::new(node("a"), "p", node("b")).condition("when it rains"),
            Assertion::new(node("b"), "q", node("c")).negated(),
        ],
    );
    world.say(2, "d", "p", "e");
    world
        .write(|txn, _| set_embedding(txn, NS, world.entity("a"), Some(&Embedding::I8(vec![1, 2]))))
        .unwrap();
    world
        .write(|txn, scope| link(txn, scope, &NewLink::new(Row(1), "causes", Row(2))))
        .unwrap();
    world
        .write(|txn, _| derive(txn, NS, Row(2), &[Row(1)]))
        .unwrap();
    world
        .write(|txn, scope| {
            merge(
                txn,
                scope,
                world.entity("b"),
                world.entity("a"),
                None,
                "test",
            )
        })
        .unwrap();
    world
        .write(|txn, scope| add_entity(txn, scope, &NewEntity::new("kept")))
        .unwrap();
    world
}

#[test]
fn every_missing_key_is_noticed() {
    let world = full();
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    let all = entries(&world);
    let mut unnoticed = Vec::new();
    for (space, key, version, body) in &all {
        world
            .store
            .write::<_, StorageError>(|txn| txn.delete(*space, key).map(drop))
            .unwrap();
        if validate(&world.snapshot(), NS).unwrap().is_clean() {
            unnoticed.push(*space);
        }
        world
            .store
            .write::<_, StorageError>(|txn| txn.put(*space, key, *version, body))
            .unwrap();
    }
    // An embedding follows from nothing else.
    assert_eq!(unnoticed, [VECTORS]);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    assert_eq!(entries(&world), all);
}

#[test]
fn every_value_that_cannot_be_read_is_noticed() {
    let world = full();
    for (space, key, version, body) in entries(&world) {
        for (wrong_version, wrong) in [
            (version, [body.as_slice(), &[9]].concat()),
            (version + 1, body.clone()),
        ] {
            world
                .store
                .write::<_, StorageError>(|txn| txn.put(space, &key, wrong_version, &wrong))
                .unwrap();
            let clean = match validate(&world.snapshot(), NS) {
                Ok(report) => report.is_clean(),
                Err(GraphError::Storage(StorageError::TooNew { .. })) => false,
                Err(error) => panic!("{space} {key:?}: {error}"),
            };
            // One number more is another embedding.
            let longer = space == VECTORS && wrong_version == version;
            assert_eq!(clean, longer, "{space} {key:?}");
        }
        world
            .store
            .write::<_, StorageError>(|txn| txn.put(space, &key, version, &body))
            .unwrap();
    }
}

#[test]
fn a_reader_says_that_the_data_are_damaged() {
    let world = full();
    let (space, key, version, _) = entries(&world)
        .into_iter()
        .find(|(space, key, ..)| *space == NODES && key.len() == 25)
        .unwrap();
    world
        .store
        .write::<_, StorageError>(|txn| txn.put(space, &key, version, &[77]))
        .unwrap();
    let asked = Pattern::ALL.subject(world.entity("a"));
    let error = pattern(&world.snapshot(), NS, asked, View::NOW, None, 9).unwrap_err();
    assert!(error.is_corruption(), "{error}");
    world
        .store
        .write::<_, StorageError>(|txn| txn.put(space, &key, 9, &[1]))
        .unwrap();
    let error = pattern(&world.snapshot(), NS, asked, View::NOW, None, 9).unwrap_err();
    assert!(
        matches!(
            error,
            GraphError::Storage(StorageError::TooNew {
                found: 9,
                supported: 1,
                ..
            })
        ),
        "{error}"
    );
}
