//! Vectors on disk: what is stored is what is loaded, deletions leave no trace, damage costs a
//! rebuild and no answer.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use annals_storage::{KeyRange, Keyspace, Reads, Store, Transaction};
use annals_types::profile::VectorSettings;
use annals_types::{Commit, Fingerprint, NamespaceId, Row};
use annals_vector::store::{
    Finding, Loaded, Rebuild, Space, Spaces, There, clearing, delete_namespace, doomed, held,
    strays,
};
use annals_vector::{Code, Index, Shape, VectorError};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const DIMS: usize = 24;
const SPACE: Space = Space::new(NamespaceId(7), 3);
const CODES: Keyspace = Keyspace::new("vector.graph.codes");
const LINKS: Keyspace = Keyspace::new("vector.graph.links");
const GRAPH: Keyspace = Keyspace::new("vector.graph");

fn shape() -> Shape {
    Shape::new(DIMS).unwrap()
}

fn settings() -> VectorSettings {
    VectorSettings {
        exact_up_to_rows: 0,
        tail_up_to_rows: 0,
        degree: 8,
        ..VectorSettings::default()
    }
}

/// A vector that depends on its number alone.
fn vector(number: u32) -> Vec<f32> {
    let mut state = u64::from(number) + 1;
    (0..DIMS)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / 8_388_608.0 - 1.0
        })
        .collect()
}

/// A guard for spaces that stay as long as the test runs.
fn there() -> There {
    Arc::new(|_| Ok(true))
}

fn code(number: u32) -> Code {
    shape().encode(&vector(number)).unwrap()
}

/// A store that knows the space of these tests.
fn listed() -> Store {
    let store = Store::in_memory();
    list(&store);
    store
}

fn list(store: &Store) {
    write(store, |tx| {
        let mut spaces = Spaces::default();
        for number in 0..4 {
            spaces.ensure(&Fingerprint(format!("embedder {number}")), shape());
        }
        spaces.write(tx, NamespaceId(7))
    });
}

fn write<T: Send>(
    store: &Store,
    job: impl Fn(&mut Transaction<'_>) -> Result<T, VectorError> + Send,
) -> T {
    store.write(job).unwrap().0
}

fn put(store: &Store, rows: std::ops::Range<u32>) {
    write(store, |tx| {
        rows.clone()
            .try_for_each(|row| SPACE.put(tx, Row(row), &code(row)))
    });
}

fn load(store: &Store) -> Loaded {
    SPACE
        .load(&store.snapshot().unwrap(), shape(), settings())
        .unwrap()
}

/// Builds and publishes a graph over what is stored.
fn publish(store: &Store) -> Commit {
    let build = SPACE.begin_build(store, there()).unwrap();
    let graph = load(store)
        .index
        .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
        .unwrap();
    Space::publish(build, store, &graph, |_| ()).unwrap()
}

/// How many values there are of a space beside its vectors.
fn derived(store: &Store) -> usize {
    let mut count = 0;
    for keyspace in [GRAPH, CODES, LINKS, Keyspace::new("vector.graph.twins")] {
        let scanned = store.snapshot().unwrap().scan(
            &[KeyRange::prefix(keyspace, b"")],
            &mut |_, _, _, _| {
                count += 1;
                Ok(ControlFlow::Continue(()))
            },
        );
        scanned.unwrap();
    }
    count
}

#[test]
fn nothing_is_written_for_a_space_that_goes_while_its_graph_is_stored() {
    // It is asked by the announcement, the description, the slice, the twins and the switch, and
    // goes before each of them.
    for left in 0..5 {
        let store = listed();
        put(&store, 0..100);
        let asked = Arc::new(AtomicU32::new(0));
        let there: There = Arc::new(move |_| Ok(asked.fetch_add(1, Ordering::SeqCst) < left));
        let Ok(build) = SPACE.begin_build(&store, there) else {
            assert_eq!((left, derived(&store)), (0, 0));
            continue;
        };
        let graph = load(&store)
            .index
            .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
            .unwrap();
        let before = derived(&store);
        let error = Space::publish(build, &store, &graph, |_| panic!("it is in use")).unwrap_err();
        assert!(matches!(error, VectorError::BuildReplaced), "{error}");
        assert_eq!(derived(&store) == before, left <= 2, "{left}");
    }
}

fn findings(store: &Store) -> Vec<Finding> {
    SPACE.validate(&store.snapshot().unwrap(), shape()).unwrap()
}

fn check(index: &Index, numbers: &BTreeMap<u32, u32>) {
    assert_eq!(index.len(), numbers.len());
    for (row, number) in numbers {
        let query = shape().query(&vector(*number)).unwrap();
        assert!(
            index.similarity(Row(*row), &query).unwrap() > 0.99,
            "row {row}"
        );
        let hits = index.search(&query, 3, None, |_| true);
        assert!(
            hits.iter().any(|hit| numbers[&hit.row.0] == *number),
            "row {row}: {hits:?}"
        );
    }
}

fn same(rows: impl IntoIterator<Item = u32>) -> BTreeMap<u32, u32> {
    rows.into_iter().map(|row| (row, row)).collect()
}

fn values(store: &Store, keyspace: Keyspace) -> Vec<(Vec<u8>, u8, Vec<u8>)> {
    let mut all = Vec::new();
    let prefix = KeyRange::prefix(keyspace, &[]);
    let visit = &mut |_: usize, key: &[u8], version: u8, body: &[u8]| {
        all.push((key.to_vec(), version, body.to_vec()));
        Ok(ControlFlow::Continue(()))
    };
    store.snapshot().unwrap().scan(&[prefix], visit).unwrap();
    all
}

fn contains(store: &Store, code: &Code) -> bool {
    let bytes = code.bytes();
    let keyspaces = annals_vector::store::KEYSPACES;
    keyspaces
        .iter()
        .flat_map(|k| values(store, *k))
        .any(|(_, _, body)| body.windows(DIMS).any(|w| w == bytes))
}

#[test]
fn what_is_stored_is_loaded_with_and_without_a_graph() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.annals");
    {
        let store = Store::open(&path).unwrap();
        list(&store);
        put(&store, 0..3000);
        let loaded = load(&store);
        assert!(loaded.index.graph().is_none() && loaded.rebuild.is_none() && !loaded.leftovers);
        check(&loaded.index, &same(0..3000));
        publish(&store);
        put(&store, 3000..3010);
    }
    let store = Store::open(&path).unwrap();
    let loaded = load(&store);
    assert_eq!(loaded.index.graph().unwrap().len(), 3000);
    assert_eq!(loaded.index.outside(), 10);
    assert!(loaded.rebuild.is_none() && !loaded.leftovers);
    check(&loaded.index, &same(0..3010));
    assert_eq!(findings(&store), vec![]);
}

#[test]
fn a_loaded_graph_answers_like_the_one_that_was_built() {
    let store = listed();
    write(&store, |tx| {
        (0..2000).try_for_each(|row| SPACE.put(tx, Row(row), &code(row % 1500)))
    });
    let mut built = load(&store).index;
    built.fold(Commit(9)).unwrap();
    publish(&store);
    let loaded = load(&store).index;
    for number in 0..50 {
        let query = shape().query(&vector(10_000 + number)).unwrap();
        assert_eq!(
            loaded.search(&query, 20, Some(20), |_| true),
            built.search(&query, 20, Some(20), |_| true)
        );
    }
}

#[test]
fn a_deleted_row_leaves_no_trace() {
    let store = listed();
    put(&store, 0..1000);
    publish(&store);
    put(&store, 1000..1003);
    for row in [0, 500, 999, 1001] {
        assert!(contains(&store, &code(row)));
        assert!(write(&store, |tx| SPACE.delete(tx, Row(row))));
        assert!(!write(&store, |tx| SPACE.delete(tx, Row(row))));
        assert!(!contains(&store, &code(row)));
    }
    let gone = [0, 500, 999, 1001];
    check(
        &load(&store).index,
        &same((0..1003).filter(|r| !gone.contains(r))),
    );
    assert_eq!(findings(&store), vec![]);
}

#[test]
fn rows_deleted_while_a_graph_is_built_do_not_come_back() {
    let store = listed();
    put(&store, 0..900);
    let build = SPACE.begin_build(&store, there()).unwrap();
    let mut index = load(&store).index;
    let graph = index
        .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
        .unwrap();
    for row in [3, 400] {
        assert!(write(&store, |tx| SPACE.delete(tx, Row(row))));
        assert!(index.remove(Row(row)));
    }
    put(&store, 900..905);
    for row in 900..905 {
        index.append(Row(row), &code(row)).unwrap();
    }
    let copy = graph.clone();
    Space::publish(build, &store, &graph, |_| {}).unwrap();
    index.adopt(copy);
    assert!(!contains(&store, &code(3)) && !contains(&store, &code(400)));
    let left = same((0..905).filter(|r| *r != 3 && *r != 400));
    check(&index, &left);
    check(&load(&store).index, &left);
    assert_eq!(findings(&store), vec![]);
}

#[test]
fn late_rows_are_loaded_although_the_graph_lacks_them() {
    let store = listed();
    write(&store, |tx| {
        (0..400)
            .map(|i| i * 2)
            .try_for_each(|row| SPACE.put_late(tx, Row(row), &code(row)))
    });
    publish(&store);
    write(&store, |tx| SPACE.put_late(tx, Row(101), &code(101)));
    write(&store, |tx| SPACE.put_late(tx, Row(103), &code(103)));
    write(&store, |tx| SPACE.delete(tx, Row(103)));
    let rows = || (0..400).map(|i| i * 2).chain([101]);
    let loaded = load(&store).index;
    assert_eq!(loaded.outside(), 1);
    check(&loaded, &same(rows()));
    assert_eq!(findings(&store), vec![]);
    publish(&store);
    assert_eq!(load(&store).index.outside(), 0);
    check(&load(&store).index, &same(rows()));
    assert_eq!(findings(&store), vec![]);
}

#[test]
fn a_new_graph_replaces_the_old_one_and_an_interrupted_build_is_swept() {
    let store = listed();
    put(&store, 0..800);
    publish(&store);
    put(&store, 800..900);
    publish(&store);
    let blocks = values(&store, CODES).len();
    assert_eq!(load(&store).index.outside(), 0);
    // The program ends between the announcement and the publication.
    let _interrupted = SPACE.begin_build(&store, there()).unwrap();
    let loaded = load(&store);
    assert!(loaded.leftovers && loaded.rebuild.is_none());
    check(&loaded.index, &same(0..900));
    SPACE.clean(&store).unwrap();
    assert!(!load(&store).leftovers);
    assert_eq!(values(&store, CODES).len(), blocks);
    assert_eq!(values(&store, GRAPH).len(), 1);
}

#[test]
fn a_build_that_was_swept_cannot_be_published() {
    let store = listed();
    put(&store, 0..100);
    let build = SPACE.begin_build(&store, there()).unwrap();
    let graph = load(&store)
        .index
        .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
        .unwrap();
    SPACE.clean(&store).unwrap();
    assert!(matches!(
        Space::publish(build, &store, &graph, |_| panic!()),
        Err(VectorError::BuildReplaced)
    ));
    assert!(load(&store).index.graph().is_none());
    assert_eq!(values(&store, CODES), vec![]);
}

type Damage = fn(&mut Transaction<'_>);

#[test]
fn unusable_graphs_are_named_and_cost_no_answer() {
    let damage: [(&str, Damage); 5] = [
        ("block of links missing", |tx| {
            tx.delete_range(&KeyRange::prefix(LINKS, &[]), 1).unwrap();
        }),
        ("block of codes missing", |tx| {
            tx.delete_range(&KeyRange::prefix(CODES, &[]), 1).unwrap();
        }),
        ("block of codes too short", |tx| {
            let key = [0_u8, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0];
            tx.put(CODES, &key, 1, &[1, 0, 0, 0, 0, 0, 0, 0, 5])
                .unwrap();
        }),
        ("block of an unknown version", |tx| {
            let key = [0_u8, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0];
            let stored = tx.get(CODES, &key).unwrap().unwrap();
            tx.put(CODES, &key, 9, &stored.body).unwrap();
        }),
        ("state of an unknown version", |tx| {
            let stored = tx.get(GRAPH, &[0, 0, 0, 7, 0, 0, 0, 3]).unwrap().unwrap();
            tx.put(GRAPH, &[0, 0, 0, 7, 0, 0, 0, 3], 9, &stored.body)
                .unwrap();
        }),
    ];
    for (what, damage) in damage {
        let store = listed();
        put(&store, 0..600);
        publish(&store);
        write(&store, |tx| {
            damage(tx);
            Ok(())
        });
        let loaded = load(&store);
        let expected_version = what.contains("state");
        match loaded.rebuild {
            Some(Rebuild::UnknownVersion { version: 9 }) if expected_version => {}
            Some(Rebuild::Damaged { .. }) if !expected_version => {}
            other => panic!("{what}: {other:?}"),
        }
        assert!(loaded.index.graph().is_none());
        check(&loaded.index, &same(0..600));
    }
}

#[test]
fn a_graph_for_other_vectors_is_stale() {
    let store = listed();
    put(&store, 0..100);
    publish(&store);
    let build = SPACE.begin_build(&store, there()).unwrap();
    let graph = load(&store)
        .index
        .build(Commit(1_000_000), &mut |_, _| ControlFlow::Continue(()))
        .unwrap();
    Space::publish(build, &store, &graph, |_| ()).unwrap();
    let loaded = load(&store);
    assert!(
        matches!(loaded.rebuild, Some(Rebuild::Stale { .. })),
        "{:?}",
        loaded.rebuild
    );
    check(&loaded.index, &same(0..100));
}

#[test]
fn spaces_and_namespaces_do_not_touch_each_other() {
    let store = Store::in_memory();
    let namespaces = [NamespaceId(6), NamespaceId(7), NamespaceId(8)];
    let (old, new) = (Fingerprint("old".to_owned()), Fingerprint("new".to_owned()));
    for namespace in namespaces {
        write(&store, |tx| {
            let mut spaces = Spaces::read(tx, namespace)?;
            assert_eq!(spaces, Spaces::default());
            let first = spaces.ensure(&old, shape());
            assert_eq!(spaces.ensure(&old, shape()), first);
            let second = spaces.ensure(&new, Shape::new(5)?);
            assert_eq!(spaces.active(), Some(&first));
            spaces.write(tx, namespace)?;
            first.space(namespace).put(tx, Row(1), &code(namespace.0))?;
            second
                .space(namespace)
                .put(tx, Row(1), &Shape::new(5)?.encode(&[1.0; 5])?)
        });
    }
    write(&store, |tx| {
        assert_eq!(
            Spaces::keep(tx, NamespaceId(6), 77)?,
            0,
            "there is none of this number"
        );
        assert_eq!(Spaces::keep(tx, NamespaceId(6), 1)?, 1);
        let spaces = Spaces::read(tx, NamespaceId(6))?;
        assert_eq!((spaces.active(), spaces.all().len()), (spaces.of(&new), 1));
        let old = Space::new(NamespaceId(6), 0);
        assert_eq!(
            (clearing(tx)?, doomed(tx, NamespaceId(6))?),
            ([NamespaceId(6)].into(), vec![old])
        );
        assert_eq!(
            held(tx, NamespaceId(6))?,
            [Space::new(NamespaceId(6), 1), old]
        );
        assert!(!old.clear(tx, 100)? && old.clear(tx, 100)?);
        assert_eq!(
            (clearing(tx)?.len(), held(tx, NamespaceId(6))?.len()),
            (0, 1)
        );
        Ok(())
    });
    assert_eq!(
        write(&store, |tx| delete_namespace(tx, NamespaceId(7), 2)),
        2
    );
    assert_eq!(
        write(&store, |tx| delete_namespace(tx, NamespaceId(7), 2)),
        1
    );
    let snapshot = store.snapshot().unwrap();
    let get = |n, space| Space::new(NamespaceId(n), space).get(&snapshot, shape(), Row(1));
    assert_eq!(get(6, 0).unwrap(), None);
    assert!(matches!(get(6, 1), Err(VectorError::Damaged { .. })));
    assert_eq!(get(7, 0).unwrap(), None);
    assert_eq!(get(8, 0).unwrap(), Some(code(8)));
    assert_eq!(
        Spaces::read(&snapshot, NamespaceId(7)).unwrap(),
        Spaces::default()
    );
    assert_eq!(
        Spaces::read(&snapshot, NamespaceId(8)).unwrap().all().len(),
        2
    );
}

#[test]
fn a_space_that_was_taken_out_is_cleared_whatever_a_build_still_writes() {
    let store = listed();
    put(&store, 0..100);
    let build = SPACE.begin_build(&store, there()).unwrap();
    let graph = load(&store)
        .index
        .build(build.commit(), &mut |_, _| ControlFlow::Continue(()))
        .unwrap();
    Space::publish(build, &store, &graph, |_| ()).unwrap();
    let late = SPACE.begin_build(&store, there()).unwrap();
    assert_eq!(write(&store, |tx| Spaces::keep(tx, NamespaceId(7), 0)), 3);
    // A deletion that comes before it is cleared finds what is left of it.
    assert!(
        held(&store.snapshot().unwrap(), NamespaceId(7))
            .unwrap()
            .contains(&SPACE)
    );
    assert!(
        !write(&store, |tx| SPACE.clear(tx, 100)),
        "the codes are gone, the blocks are not"
    );
    let block = || {
        store
            .snapshot()
            .unwrap()
            .get(CODES, &[0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0])
            .unwrap()
            .unwrap()
    };
    let before = block();
    write(&store, |tx| SPACE.delete(tx, Row(5)));
    assert_ne!(block(), before);
    let mut steps = 0;
    while !write(&store, |tx| SPACE.clear(tx, 1)) {
        steps += 1;
    }
    assert!(steps > 1, "{steps}");
    // Neither what was announced before nor what is announced now puts anything there again.
    assert!(matches!(
        Space::publish(late, &store, &graph, |_| ()),
        Err(VectorError::BuildReplaced)
    ));
    assert!(matches!(
        SPACE.begin_build(&store, there()),
        Err(VectorError::BuildReplaced)
    ));
    assert_eq!(
        strays(&store.snapshot().unwrap(), NamespaceId(7)).unwrap(),
        []
    );
    put(&store, 0..2);
    assert_eq!(
        strays(&store.snapshot().unwrap(), NamespaceId(7)).unwrap(),
        [SPACE]
    );
}

#[derive(Debug, Clone)]
enum Step {
    Put(u8),
    Delete(u16),
    Publish,
    /// Announces a build, deletes a row, then publishes.
    DeleteWhileBuilding(u16),
    Interrupt,
    Reload,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1_u8..40).prop_map(Step::Put),
        3 => any::<u16>().prop_map(Step::Delete),
        1 => Just(Step::Publish),
        1 => any::<u16>().prop_map(Step::DeleteWhileBuilding),
        1 => Just(Step::Interrupt),
        2 => Just(Step::Reload),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 32,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]
    #[test]
    fn any_sequence_of_writes_is_loaded_and_valid(steps in prop::collection::vec(step(), 1..24)) {
        let store = listed();
        let (mut rows, mut next) = (BTreeMap::new(), 0_u32);
        let delete = |rows: &mut BTreeMap<u32, u32>, next: u32, n: u16| {
            let row = u32::from(n) % next.max(1);
            assert_eq!(write(&store, |tx| SPACE.delete(tx, Row(row))), rows.remove(&row).is_some());
        };
        for step in steps {
            match step {
                Step::Put(n) => {
                    put(&store, next..next + u32::from(n));
                    rows.extend(same(next..next + u32::from(n)));
                    next += u32::from(n);
                }
                Step::Delete(n) => delete(&mut rows, next, n),
                Step::Publish => { publish(&store); }
                Step::DeleteWhileBuilding(n) => {
                    let build = SPACE.begin_build(&store, there()).unwrap();
                    let on = &mut |_, _| ControlFlow::Continue(());
                    let graph = load(&store).index.build(build.commit(), on).unwrap();
                    delete(&mut rows, next, n);
                    Space::publish(build, &store, &graph, |_| ()).unwrap();
                }
                Step::Interrupt => drop(SPACE.begin_build(&store, there()).unwrap()),
                Step::Reload => check(&load(&store).index, &rows),
            }
            prop_assert_eq!(findings(&store), vec![]);
        }
        check(&load(&store).index, &rows);
    }
}
