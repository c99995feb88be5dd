//! The directory, and that nothing crosses a namespace.

use crate::world;

use std::ops::ControlFlow;

use annals_records::{
    Columns, Head, RecordError, TABLES, append, erase, export, fold_columns, namespace, set_status,
    update, validate,
};
use annals_storage::table::{Scope, keyspaces};
use annals_storage::{KeyRange, Reads, Store};
use annals_types::{
    IdGenerator, MemoryId, NamespaceId, NamespaceName, NewMemory, NewTurn, Row, Status,
};
use proptest::prelude::*;

use world::{World, at, space};

fn name(text: &str) -> NamespaceName {
    NamespaceName::new(text).unwrap()
}

#[test]
fn the_directory_creates_renames_and_lists() {
    let store = Store::in_memory();
    let (b, a) = (space(&store, "b"), space(&store, "a"));
    assert_ne!(a, b);
    let twice = store
        .write(|txn| namespace::create(txn, &name("a"), "x", at(0)))
        .unwrap_err();
    assert!(
        matches!(twice, RecordError::NamespaceExists { .. }),
        "{twice}"
    );
    store
        .write(|txn| namespace::rename(txn, &name("b"), &name("c")))
        .unwrap();
    let taken = store
        .write(|txn| namespace::rename(txn, &name("a"), &name("c")))
        .unwrap_err();
    assert!(
        matches!(taken, RecordError::NamespaceExists { .. }),
        "{taken}"
    );
    let none = store
        .write(|txn| namespace::rename(txn, &name("b"), &name("d")))
        .unwrap_err();
    assert!(matches!(none, RecordError::NoNamespace { .. }), "{none}");
    store
        .write(|txn| namespace::set_profile(txn, b, "chat"))
        .unwrap();
    let snapshot = store.snapshot().unwrap();
    assert_eq!(
        namespace::find(&snapshot, &name("c")).unwrap().unwrap().id,
        b
    );
    let listed: Vec<(String, String)> = namespace::list(&snapshot)
        .unwrap()
        .into_iter()
        .map(|(space, head)| {
            assert_eq!(head, Head::default());
            (space.name.to_string(), space.profile)
        })
        .collect();
    assert_eq!(
        listed,
        [
            ("a".to_owned(), "default".to_owned()),
            ("c".to_owned(), "chat".to_owned())
        ]
    );
    assert_eq!(
        namespace::names(&snapshot, Some(&name("a")), 5).unwrap(),
        [name("c")]
    );
    assert_eq!(namespace::names(&snapshot, None, 1).unwrap(), [name("a")]);
}

#[test]
fn a_deleted_namespace_is_gone_at_once_and_its_bytes_step_by_step() {
    let mut world = World::new();
    for number in 0..20 {
        world.turn("s", &format!("turn {number}"));
    }
    let keeper = space(&world.store, "keeper");
    let (ns, ids) = (world.ns, IdGenerator::seeded(8));
    let kept = NewMemory::try_from("kept").unwrap();
    world
        .store
        .write(|txn| append(txn, keeper, at(0), ids.next(at(0)), &kept))
        .unwrap();
    world.store.write(|txn| namespace::delete(txn, ns)).unwrap();
    assert_eq!(
        namespace::find(&world.snapshot(), &name("user:42")).unwrap(),
        None
    );
    assert_eq!(namespace::doomed(&world.snapshot()).unwrap(), [ns]);
    assert_eq!(namespace::list(&world.snapshot()).unwrap().len(), 1);
    let late = NewMemory::try_from("late").unwrap();
    let id = world.ids.next(at(1));
    let error = world
        .write(|txn, ns, now| append(txn, ns, now, id, &late))
        .unwrap_err();
    assert!(
        matches!(error, RecordError::NamespaceGone { namespace } if namespace == ns),
        "{error}"
    );

    let again = space(&world.store, "user:42");
    assert_ne!(again, ns, "numbers are never reused");
    let mut steps = 0;
    let step =
        |txn: &mut annals_storage::Transaction<'_>| namespace::purge_step(txn, ns, TABLES, 7);
    while !world.store.write(step).unwrap().0.done {
        steps += 1;
        assert!(steps < 100);
    }
    assert!(steps > 3);
    assert_eq!(values(&world.store, ns), Vec::<Vec<u8>>::new());
    assert!(namespace::doomed(&world.snapshot()).unwrap().is_empty());
    assert_eq!(namespace::by_number(&world.snapshot(), ns).unwrap(), None);
    assert!(world.store.write(step).unwrap().0.done);
    assert_eq!(Head::read(&world.snapshot(), keeper).unwrap().total(), 1);
    let living =
        |txn: &mut annals_storage::Transaction<'_>| namespace::purge_step(txn, keeper, TABLES, 7);
    assert_eq!(
        world.store.write(living).unwrap().0.removed,
        0,
        "what lives is not purged"
    );
}

/// Every key and value of a namespace.
fn values(store: &Store, ns: NamespaceId) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let all: Vec<KeyRange> = keyspaces(TABLES, Scope::Namespace)
        .into_iter()
        .map(|keyspace| KeyRange::prefix(keyspace, &ns.prefix()))
        .collect();
    let mut collect = |_: usize, key: &[u8], version: u8, body: &[u8]| {
        found.push([&key[4..], &[version], body].concat());
        Ok(ControlFlow::Continue(()))
    };
    store.snapshot().unwrap().scan(&all, &mut collect).unwrap();
    found
}

/// One step of a little script that any namespace can run.
fn step(store: &Store, ns: NamespaceId, columns: &mut Columns, ids: &[MemoryId], number: usize) {
    let now = at(i64::try_from(number).unwrap());
    let id = ids[number];
    let earlier = ids[number / 2];
    let fact = NewMemory::builder(format!("fact {number}"))
        .tag(format!("tag {}", number % 3))
        .build()
        .unwrap();
    let turn = NewTurn::builder(format!("session {}", number % 2), format!("turn {number}"))
        .build()
        .unwrap()
        .into();
    let memory = if number.is_multiple_of(2) { fact } else { turn };
    let mut apply = |delta: &annals_records::Delta| columns.apply(delta);
    // Errors are part of the script: both namespaces must meet the same ones.
    let _met = match number % 7 {
        3 => store
            .write(|txn| update(txn, ns, now, earlier, &memory, None, &|_, _| Vec::new()))
            .inspect(|(done, _)| apply(&done.delta))
            .is_ok(),
        5 => store
            .write(|txn| erase(txn, ns, now, &[earlier]))
            .inspect(|(done, _)| apply(&done.delta))
            .is_ok(),
        6 => store
            .write(|txn| set_status(txn, ns, now, &[earlier], Status::Forgotten))
            .inspect(|(done, _)| apply(&done.delta))
            .is_ok(),
        _ => store
            .write(|txn| append(txn, ns, now, id, &memory))
            .inspect(|(done, _)| apply(&done.delta))
            .is_ok(),
    };
    if number.is_multiple_of(10) {
        store.write(|txn| fold_columns(txn, ns, 2, 1)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 16,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    /// A namespace is the same whether it has neighbours or not, however their writes interleave
    /// with its own.
    #[test]
    fn nothing_crosses(order in proptest::collection::vec(0..3_usize, 20..80)) {
        let generator = IdGenerator::seeded(11);
        let ids: Vec<MemoryId> = (0..80).map(|_| generator.next(at(0))).collect();
        let shared = Store::in_memory();
        let spaces: Vec<NamespaceId> = ["a", "b", "c"].iter().map(|text| space(&shared, text)).collect();
        let mut columns: Vec<Columns> = spaces.iter().map(|ns| Columns::empty(*ns)).collect();
        let mut done = [0_usize; 3];
        for which in order {
            step(&shared, spaces[which], &mut columns[which], &ids, done[which]);
            done[which] += 1;
        }
        for which in 0..3 {
            let alone = Store::in_memory();
            let ns = space(&alone, "alone");
            let mut own = Columns::empty(ns);
            for number in 0..done[which] {
                step(&alone, ns, &mut own, &ids, number);
            }
            let exported = |store: &Store, ns| export(&store.snapshot().unwrap(), ns, Row(0), usize::MAX).unwrap();
            prop_assert_eq!(exported(&shared, spaces[which]), exported(&alone, ns));
            prop_assert_eq!(values(&shared, spaces[which]).len(), values(&alone, ns).len());
            let snapshot = shared.snapshot().unwrap();
            let report = validate(&snapshot, spaces[which], Some(&columns[which])).unwrap();
            prop_assert!(report.is_clean(), "{:#?}", report.differences);
        }
    }
}
