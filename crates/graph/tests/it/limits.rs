//! Large, circular, hostile and failing.

use crate::world;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use annals_graph::{
    Assertion, Budget, Cut, Direction, EntityId, Family, GraphError, NewLink, NewSubgraph, Pattern,
    Provenance, Scope, Support, TABLES, View, Walk, Yield, assert_evidence, carry, derive, erase,
    expand, find_entities, introduce, link, merge, neighbours, paths, pattern, plan_erase, states,
    stats, subgraph, validate,
};
use annals_storage::conformance::Remote;
use annals_storage::table::{self, keyspaces, purge};
use annals_storage::{
    Batch, Depth, Engine, EngineSnapshot, EngineStats, KeyRange, MemoryEngine, Reads, StorageError,
    Store,
};
use annals_types::{Clock, NamespaceId, Row, Timestamp};

use world::{NS, World, at};

/// A star of 100,000 edges: nothing that touches one leaf looks at the others.
#[test]
fn a_star_is_survived() {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
    let trips = remote.round_trips();
    let world = World::over(Store::with_engine(Box::new(remote)).unwrap());
    let leaves: Vec<Assertion> = (0..100_000)
        .map(|n| Assertion::new("hub", "holds", format!("leaf {n}")))
        .collect();
    world.says(1, &leaves);
    world.say(2, "leaf 77", "is", "green");
    let reads = world.snapshot();
    let (hub, leaf, green) = (
        world.entity("hub"),
        world.entity("leaf 77"),
        world.entity("green"),
    );
    assert_eq!(stats(&reads, NS).unwrap().triples, 100_001);
    let ask = |asked: Pattern<'_>| {
        trips.during(|| pattern(&reads, NS, asked, View::NOW, None, 10).unwrap())
    };
    for asked in [
        Pattern::ALL.object(leaf),
        Pattern::ALL.subject(hub).object(leaf),
        Pattern::ALL.subject(leaf),
    ] {
        let (page, rounds) = ask(asked);
        assert_eq!((page.triples.len(), page.next), (1, None));
        assert!(rounds <= 5, "{rounds}");
    }
    let (page, _) = ask(Pattern::ALL.subject(hub));
    assert_eq!((page.triples.len(), page.next.is_some()), (10, true));
    // Walks end at their budget, or at the hub.
    let walk = Walk {
        budget: Budget::new(100_000, 500),
        ..Walk::depth(3)
    };
    let found = expand(&reads, NS, &[green], walk).unwrap();
    assert_eq!(found.cut, Some(Cut::Edges));
    assert!(found.reached.len() <= 500);
    let walk = Walk {
        max_degree: Some(100),
        ..Walk::depth(3)
    };
    let found = expand(&reads, NS, &[green], walk).unwrap();
    assert_eq!(
        (
            found.cut,
            found.reached.iter().map(|r| r.entity).collect::<Vec<_>>()
        ),
        (None, vec![leaf, hub])
    );
    let ways = paths(&reads, NS, &[green], &[hub], Walk::depth(4), 10).unwrap();
    assert_eq!((ways.paths.len(), ways.paths[0].steps.len()), (1, 2));
    assert_eq!(
        neighbours(&reads, NS, hub, Direction::Out, None, View::NOW, 3)
            .unwrap()
            .len(),
        3
    );
    drop(reads);
    let gone = world.erase(&[1]).effects;
    assert_eq!(
        (gone.gone.len(), gone.gone_entities.len()),
        (100_000, 100_000)
    );
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn paths_end_at_their_limit() {
    let world = World::new();
    for middle in ["m1", "m2", "m3"] {
        for predicate in ["knows", "likes"] {
            world.say(1, "a", predicate, middle);
            world.say(1, middle, predicate, "b");
        }
    }
    let (a, b) = (world.entity("a"), world.entity("b"));
    let reads = world.snapshot();
    let all = paths(&reads, NS, &[a], &[b], Walk::depth(4), 100)
        .unwrap()
        .paths;
    assert_eq!(all.len(), 12);
    for limit in 0..=13 {
        let some = paths(&reads, NS, &[a], &[b], Walk::depth(4), limit)
            .unwrap()
            .paths;
        assert_eq!(some.len(), limit.min(12), "{limit}");
        assert!(some.iter().all(|path| path.steps.len() == 2));
    }
}

#[test]
fn circles_and_loops_end() {
    let world = World::new();
    world.say(1, "a", "to", "b");
    world.say(1, "b", "to", "c");
    world.say(1, "c", "to", "a");
    world.say(1, "a", "to", "a");
    let (a, b, c) = (world.entity("a"), world.entity("b"), world.entity("c"));
    let reads = world.snapshot();
    let forth = Walk {
        direction: Direction::Out,
        ..Walk::depth(100)
    };
    let found = expand(&reads, NS, &[a], forth).unwrap().reached;
    assert_eq!(
        found
            .iter()
            .map(|r| (r.entity, r.distance))
            .collect::<Vec<_>>(),
        [(b, 1), (c, 2)]
    );
    assert_eq!(
        paths(&reads, NS, &[a], &[c], forth, 5).unwrap().paths[0]
            .steps
            .len(),
        2
    );
    let back = Walk {
        direction: Direction::In,
        ..Walk::depth(100)
    };
    assert_eq!(
        paths(&reads, NS, &[a], &[c], back, 5).unwrap().paths[0]
            .steps
            .len(),
        1
    );
    assert_eq!(
        paths(&reads, NS, &[a, b], &[c], forth, 5).unwrap().paths[0]
            .steps
            .len(),
        1,
        "from the nearer one"
    );
    assert!(
        paths(&reads, NS, &[], &[c], forth, 5)
            .unwrap()
            .paths
            .is_empty()
    );
    for same in [&[a][..], &[a, b, c]] {
        assert_eq!(
            paths(&reads, NS, same, same, forth, 5).unwrap().paths,
            [annals_graph::Path::default()]
        );
    }
    assert!(
        paths(&reads, NS, &[a], &[c], Walk { depth: 1, ..forth }, 5)
            .unwrap()
            .paths
            .is_empty()
    );
    assert_eq!(
        world
            .ask(Pattern::ALL.subject(a).object(a), View::NOW)
            .len(),
        1
    );
    assert_eq!(find_entities(&reads, NS, "a").unwrap()[0].degree, 4);
    drop(reads);
    // A circle of derivations holds itself up until one member is deleted.
    world.say(2, "x", "is", "y");
    world
        .write(|txn, _| derive(txn, NS, Row(1), &[Row(2)]))
        .unwrap();
    world
        .write(|txn, _| derive(txn, NS, Row(2), &[Row(1)]))
        .unwrap();
    let done = world.erase(&[1]);
    assert_eq!(
        (done.rows, done.derived),
        (vec![Row(1), Row(2)], vec![Row(2)])
    );
    assert_eq!(
        stats(&world.snapshot(), NS).unwrap(),
        annals_graph::GraphStats::default()
    );
}

/// A clock that moves by itself each time it is read.
struct Hurried(AtomicI64);

impl Clock for Hurried {
    fn now(&self) -> Timestamp {
        at(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

#[test]
fn a_walk_keeps_to_its_budget_and_repeats_itself() {
    let world = World::new();
    let said: Vec<Assertion> = (0..200)
        .map(|n| Assertion::new(format!("n{n}"), "to", format!("n{}", n + 1)))
        .collect();
    world.says(1, &said);
    let reads = world.snapshot();
    let seed = world.entity("n0");
    let walk = |budget| {
        expand(
            &reads,
            NS,
            &[seed],
            Walk {
                budget,
                ..Walk::depth(1000)
            },
        )
        .unwrap()
    };
    assert_eq!(
        (
            walk(Budget::default()).reached.len(),
            walk(Budget::default()).cut
        ),
        (200, None)
    );
    let some = walk(Budget::new(50, 10_000));
    assert_eq!((some.reached.len(), some.cut), (50, Some(Cut::Nodes)));
    assert_eq!(some, walk(Budget::new(50, 10_000)));
    assert_eq!(walk(Budget::new(1000, 99)).cut, Some(Cut::Edges));
    let clock = Hurried(AtomicI64::new(0));
    let timed = walk(Budget {
        time: Some((Duration::from_millis(10), &clock)),
        ..Budget::default()
    });
    assert_eq!(timed.cut, Some(Cut::Time));
    assert_eq!(timed.reached.len(), 10);
    let settings = annals_types::profile::GraphExpandSettings {
        node_budget: 7,
        time_budget_ms: 1000,
        ..Default::default()
    };
    let some = walk(Budget::of(&settings, &clock));
    assert_eq!((some.reached.len(), some.cut), (7, Some(Cut::Nodes)));
    let only = |predicates| {
        expand(
            &reads,
            NS,
            &[seed],
            Walk {
                predicates: Some(predicates),
                ..Walk::depth(9)
            },
        )
    };
    assert_eq!(only(&["to"]).unwrap().reached.len(), 9);
    assert!(only(&["fro"]).unwrap().reached.is_empty());
}

#[test]
fn what_does_not_exist_is_refused_by_its_name_and_nothing_is_changed() {
    let world = World::new();
    world.say(1, "a", "p", "b");
    let before = world.store.commit();
    let refuse = |said: Assertion| {
        let said = [Assertion::new("new", "p", "thing"), said];
        world
            .write(|txn, scope| assert_evidence(txn, scope, &[Row(2).into()], &said))
            .unwrap_err()
            .to_string()
    };
    assert!(refuse(Assertion::new(EntityId(41), "p", "b")).contains("entity 41"));
    assert!(refuse(Assertion::new("a", "p", EntityId(42))).contains("entity 42"));
    assert!(refuse(Assertion::new("", "p", "b")).contains("empty"));
    assert!(refuse(Assertion::new("a", "p\u{1b}[31m", "b")).contains("control"));
    assert!(refuse(Assertion::new("a", "x".repeat(257), "b")).contains("256"));
    assert!(refuse(Assertion::new("y".repeat(1025), "p", "b")).contains("1024"));
    let error = world
        .write(|txn, _| derive(txn, NS, Row(1), &[Row(43)]))
        .unwrap_err();
    assert!(error.to_string().contains("row 43") && error.is_not_found());
    let same = world.write(|txn, scope| carry(txn, scope, Row(1), Row(1), Yield::Same));
    assert!(matches!(same, Err(GraphError::SelfTie { row: Row(1) })));
    let asked = Pattern::ALL.subject(EntityId(44));
    let error = pattern(&world.snapshot(), NS, asked, View::NOW, None, 1).unwrap_err();
    assert!(error.to_string().contains("entity 44"));
    assert_eq!(world.store.commit(), before);
    // A cursor of another question.
    let a = world.entity("a");
    world.say(1, "a", "p", "c");
    let page = pattern(
        &world.snapshot(),
        NS,
        Pattern::ALL.subject(a),
        View::NOW,
        None,
        1,
    )
    .unwrap();
    let other = Pattern::ALL.object(a);
    let error = pattern(
        &world.snapshot(),
        NS,
        other,
        View::NOW,
        page.next.as_ref(),
        1,
    )
    .unwrap_err();
    assert!(matches!(error, GraphError::BadCursor));
    assert!("zz".parse::<annals_graph::Cursor>().is_err());
}

#[test]
fn namespaces_do_not_see_each_other_and_can_be_emptied() {
    let world = World::new();
    world.say(1, "a", "p", "b");
    let other = NamespaceId(NS.0 + 1);
    let scope = Scope {
        ns: other,
        now: at(0),
        settings: &world.settings,
    };
    let said = [Assertion::new("a", "p", "b"), Assertion::new("a", "q", "c")];
    world
        .store
        .write(|txn| assert_evidence(txn, scope, &[Row(1).into()], &said))
        .unwrap();
    assert_eq!(world.told(View::NOW), ["a p b"]);
    assert_eq!(stats(&world.snapshot(), other).unwrap().triples, 2);
    // Numbers of the other namespace are none here.
    let foreign = pattern(
        &world.snapshot(),
        NS,
        Pattern::ALL.subject(EntityId(2)),
        View::NOW,
        None,
        1,
    );
    assert!(matches!(
        foreign,
        Err(GraphError::NoEntity {
            entity: EntityId(2)
        })
    ));
    let empty =
        |txn: &mut annals_storage::Transaction<'_>| purge(txn, TABLES, other, usize::MAX).map(drop);
    world.store.write::<_, StorageError>(empty).unwrap();
    assert_eq!(
        stats(&world.snapshot(), other).unwrap(),
        annals_graph::GraphStats::default()
    );
    let left = world.store.measure(Depth::Counts).unwrap().engine.keyspaces;
    let own: u64 = left
        .iter()
        .filter(|space| space.name.starts_with("graph."))
        .map(|space| space.entries)
        .sum();
    assert_eq!(own, validate(&world.snapshot(), NS).unwrap().keys);
    assert_eq!(world.told(View::NOW), ["a p b"]);
}

#[test]
fn many_write_while_many_read_and_nobody_sees_half_a_memory() {
    // part: G-126
    let world = World::new();
    let done = AtomicU64::new(0);
    std::thread::scope(|threads| {
        for thread in 0..8 {
            let (world, done) = (&world, &done);
            threads.spawn(move || {
                for n in 0..500 {
                    let row = thread * 500 + n;
                    let memory = NewSubgraph::new("我", "事件", format!("主题 {row}"))
                        .object("饭")
                        .attribute("时间", "今天");
                    let said = memory.assertions(&world.settings);
                    world
                        .write(|txn, scope| assert_evidence(txn, scope, &[Row(row).into()], &said))
                        .unwrap();
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for reader in 0..2 {
            let (world, done) = (&world, &done);
            threads.spawn(move || {
                let mut row = reader;
                while done.load(Ordering::SeqCst) < 4000 {
                    row = (row + 613) % 4000;
                    let found = subgraph(&world.snapshot(), NS, Row(row))
                        .unwrap()
                        .edges
                        .len();
                    assert!(found == 0 || found == 3, "{found}");
                }
            });
        }
    });
    let reads = world.snapshot();
    assert!((0..4000).all(|row| subgraph(&reads, NS, Row(row)).unwrap().edges.len() == 3));
    // Subject, object and value are shared, and so is the triple between object and value.
    assert_eq!(stats(&reads, NS).unwrap().triples, 8001);
    assert_eq!(stats(&reads, NS).unwrap().evidence, 12_000);
}

/// Memories that a person verified, and memories of several rows, as a facade would know them.
struct Known;

impl Provenance for Known {
    fn stand_alone(&self, _reads: &dyn Reads, rows: &[Row]) -> Result<Vec<bool>, GraphError> {
        Ok(rows.iter().map(|row| *row == Row(30)).collect())
    }

    /// 20 and 21 say the same, 50 said something else than 51 and 52 do; 60 and 61 are edits that
    /// name 1, and 62 is what is said now.
    fn families(&self, _reads: &dyn Reads, rows: &[Row]) -> Result<Vec<Family>, GraphError> {
        let all = |rows: &[u32]| rows.iter().copied().map(Row).collect::<Vec<_>>();
        let family = |row: &Row| {
            let (rows, saying, named) = match row.0 {
                20 | 21 => (vec![20, 21], vec![20, 21], vec![]),
                50..=52 => (vec![50, 51, 52], vec![51, 52], vec![]),
                60..=62 => (vec![60, 61, 62], vec![62], vec![60, 61, 62]),
                one => (vec![one], vec![one], vec![]),
            };
            let named = named
                .into_iter()
                .map(|row| (Row(row), vec![Row(1)]))
                .collect();
            Family {
                rows: all(&rows),
                saying: all(&saying),
                named,
            }
        };
        Ok(rows.iter().map(family).collect())
    }
}

#[test]
fn an_earlier_text_goes_with_a_source_that_it_only_names() {
    let world = World::new();
    for row in [1, 2, 60, 61, 62] {
        world.say(row, &format!("thing {row}"), "is", "here");
    }
    for (derived, source) in [(60, 1), (62, 2)] {
        world
            .write(|txn, _| derive(txn, NS, Row(derived), &[Row(source)]))
            .unwrap();
    }
    let plan = |row: u32| {
        plan_erase(&world.snapshot(), NS, &[Row(row)], &Known)
            .unwrap()
            .erasure
    };
    // The triples of the new text stay, though they name it too.
    assert_eq!(
        (plan(1).outlived, plan(1).stale, plan(1).derived),
        (vec![Row(60), Row(61)], vec![], vec![])
    );
    assert_eq!(
        (plan(2).outlived, plan(2).derived),
        (vec![], vec![Row(60), Row(61), Row(62)])
    );
}

/// Counts how often it is asked.
#[derive(Default)]
struct Counted(std::cell::Cell<[usize; 2]>);

impl Provenance for Counted {
    fn stand_alone(&self, reads: &dyn Reads, rows: &[Row]) -> Result<Vec<bool>, GraphError> {
        let [families, alone] = self.0.get();
        self.0.set([families, alone + 1]);
        ().stand_alone(reads, rows)
    }

    fn families(&self, reads: &dyn Reads, rows: &[Row]) -> Result<Vec<Family>, GraphError> {
        let [families, alone] = self.0.get();
        self.0.set([families + 1, alone]);
        ().families(reads, rows)
    }
}

#[test]
fn what_was_derived_is_looked_up_at_once() {
    let world = World::new();
    let tie = |row: u32, sources: &[u32]| {
        let sources: Vec<Row> = sources.iter().copied().map(Row).collect();
        world
            .write(|txn, _| derive(txn, NS, Row(row), &sources))
            .unwrap();
    };
    for row in [1, 2].into_iter().chain(100..200) {
        world.say(row, &format!("thing {row}"), "is", "here");
    }
    // Fifty facts of one turn, fifty of two.
    for row in 100..200 {
        tie(row, if row < 150 { &[1] } else { &[1, 2] });
    }
    let counted = Counted::default();
    let plan = plan_erase(&world.snapshot(), NS, &[Row(1)], &counted)
        .unwrap()
        .erasure;
    assert_eq!(
        (plan.derived.len(), plan.stale.len(), counted.0.get()),
        (50, 50, [1, 1])
    );
    // Whether one stands by itself is asked of those without a source alone.
    let counted = Counted::default();
    let plan = plan_erase(&world.snapshot(), NS, &[Row(2)], &counted)
        .unwrap()
        .erasure;
    assert_eq!(
        (plan.derived.len(), plan.stale.len(), counted.0.get()),
        (0, 50, [1, 0])
    );
}

#[test]
fn a_memory_of_several_rows_goes_with_the_last_source_of_what_it_says_now() {
    let world = World::new();
    for row in [1, 2, 3, 20, 21, 50, 51, 52] {
        world.say(row, &format!("thing {row}"), "is", "here");
    }
    for (derived, source) in [(20, 1), (21, 2), (50, 1), (51, 2), (52, 3)] {
        world
            .write(|txn, _| derive(txn, NS, Row(derived), &[Row(source)]))
            .unwrap();
    }
    let plan = |rows: &[u32]| {
        let rows: Vec<Row> = rows.iter().copied().map(Row).collect();
        let plan = plan_erase(&world.snapshot(), NS, &rows, &Known)
            .unwrap()
            .erasure;
        [plan.derived, plan.stale, plan.outlived]
            .map(|rows| rows.iter().map(|row| row.0).collect::<Vec<u32>>())
    };
    assert_eq!(plan(&[1]), [vec![], vec![20], vec![50]]);
    assert_eq!(plan(&[2]), [vec![], vec![21, 51], vec![]]);
    assert_eq!(plan(&[3]), [vec![], vec![52], vec![]]);
    assert_eq!(plan(&[1, 2]), [vec![20, 21], vec![51], vec![50]]);
    assert_eq!(plan(&[1, 3]), [vec![], vec![20, 52], vec![50]]);
    assert_eq!(plan(&[2, 3]), [vec![50, 51, 52], vec![21], vec![]]);
}

#[test]
fn what_was_derived_goes_with_its_last_source() {
    let world = World::new();
    for row in [1, 2, 20, 21, 30, 40] {
        world.say(row, &format!("thing {row}"), "is", "here");
    }
    let ties: [(u32, &[u32]); 4] = [(20, &[1, 2]), (30, &[1]), (40, &[20]), (21, &[2])];
    for (derived, sources) in ties {
        let sources: Vec<Row> = sources.iter().copied().map(Row).collect();
        world
            .write(|txn, _| derive(txn, NS, Row(derived), &sources))
            .unwrap();
    }
    let plan = |rows: &[Row]| {
        plan_erase(&world.snapshot(), NS, rows, &Known)
            .unwrap()
            .erasure
    };
    let first = plan(&[Row(1)]);
    assert_eq!(
        (first.rows.as_slice(), first.stale.as_slice()),
        (&[Row(1)][..], &[Row(20)][..])
    );
    assert_eq!(first.detached, [Row(30)]);
    let both = plan(&[Row(1), Row(2)]);
    assert_eq!(both.derived, [Row(20), Row(21), Row(40)]);
    assert_eq!(both.detached, [Row(30)]);
    let done = world
        .write(|txn, _| erase(txn, NS, &[Row(1), Row(2)], &Known))
        .unwrap();
    assert_eq!(done, both);
    assert_eq!(world.told(View::NOW), ["thing 30 is here"]);
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    // The old text of an update is a source too: what came of it is to be derived again.
    world
        .write(|txn, _| derive(txn, NS, Row(30), &[Row(30 + 1)]))
        .unwrap_err();
    world
        .write(|txn, scope| {
            introduce(
                txn,
                NS,
                Row(5),
                &[annals_graph::StateChange {
                    time: scope.now,
                    state: Support::Active,
                }],
            )
        })
        .unwrap();
    world
        .write(|txn, _| derive(txn, NS, Row(30), &[Row(5)]))
        .unwrap();
    let carried = world
        .write(|txn, scope| carry(txn, scope, Row(5), Row(6), Yield::Same))
        .unwrap();
    assert_eq!(carried.stale, [Row(30)]);
    let states = states(&world.snapshot(), NS, &[Row(5), Row(6), Row(7)]).unwrap();
    let last = states
        .iter()
        .map(|states| states.as_ref().map(|states| states.last().unwrap().state));
    assert_eq!(
        last.collect::<Vec<_>>(),
        [Some(Support::Superseded), Some(Support::Active), None]
    );
}

/// An engine whose disk fails at the n-th commit.
struct Failing {
    inner: Arc<MemoryEngine>,
    left: Arc<AtomicU64>,
}

impl Engine for Failing {
    fn snapshot(&self) -> Result<Box<dyn EngineSnapshot>, StorageError> {
        self.inner.snapshot()
    }

    fn apply(&self, batch: &Batch) -> Result<(), StorageError> {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 0 {
            let source = std::io::Error::other("the disk is gone");
            return Err(StorageError::Io {
                doing: "write".to_owned(),
                source,
            });
        }
        self.inner.apply(batch)
    }

    fn stats(&self, depth: Depth) -> Result<EngineStats, StorageError> {
        self.inner.stats(depth)
    }

    fn compact(&self) -> Result<bool, StorageError> {
        self.inner.compact()
    }
}

/// The whole of a cascade, or nothing of it: at whichever commit the disk fails, what is found
/// afterwards is what was acknowledged.
#[test]
fn a_failure_in_the_middle_leaves_all_or_nothing() {
    type Step = fn(&World) -> Result<(), GraphError>;
    let steps: [Step; 6] = [
        |w| {
            let said = [Assertion::new("a", "p", "b"), Assertion::new("b", "p", "c")];
            w.write(|txn, scope| {
                assert_evidence(txn, scope, &[Row(1).into(), Row(2).into()], &said).map(drop)
            })
        },
        |w| {
            let said = [Assertion::new("c", "p", "d")];
            w.write(|txn, scope| assert_evidence(txn, scope, &[Row(2).into()], &said).map(drop))
        },
        |w| {
            w.write(|txn, scope| {
                link(txn, scope, &NewLink::new(Row(1), "causes", Row(2))).map(drop)
            })
        },
        |w| w.write(|txn, _| derive(txn, NS, Row(2), &[Row(1)])),
        |w| w.write(|txn, scope| merge(txn, scope, EntityId(2), EntityId(0), None, "").map(drop)),
        |w| w.write(|txn, _| erase(txn, NS, &[Row(1)], &()).map(drop)),
    ];
    let mut seen = BTreeSet::new();
    for failing in 0..8 {
        let inner = Arc::new(MemoryEngine::new());
        // Making a store takes a commit of its own.
        let left = Arc::new(AtomicU64::new(u64::MAX));
        let open = || {
            let engine = Failing {
                inner: Arc::clone(&inner),
                left: Arc::clone(&left),
            };
            World::over(Store::with_engine(Box::new(engine)).unwrap())
        };
        let mut world = open();
        left.store(failing, Ordering::SeqCst);
        for step in steps {
            let before = fingerprint(&world);
            match step(&world) {
                Ok(()) => assert_ne!(fingerprint(&world), before),
                Err(GraphError::Storage(StorageError::Io { .. })) => {
                    left.store(u64::MAX, Ordering::SeqCst);
                    world = open();
                    assert_eq!(fingerprint(&world), before);
                    // Tried again, it is done.
                    step(&world).unwrap();
                }
                Err(error) => panic!("{error}"),
            }
            assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
        }
        seen.insert(fingerprint(&world));
        assert!(world.all(View::NOW.with_dormant()).is_empty());
    }
    // Failures change nothing of the outcome.
    assert_eq!(seen.len(), 1);
}

/// All keys and values of the graph.
fn fingerprint(world: &World) -> Vec<(String, Vec<u8>, Vec<u8>)> {
    let reads = world.snapshot();
    let mut all = Vec::new();
    let ranges: Vec<KeyRange> = keyspaces(TABLES, table::Scope::Namespace)
        .into_iter()
        .map(|space| KeyRange::prefix(space, &NS.prefix()))
        .collect();
    let walked = reads.scan(&ranges, &mut |range, key, _, body| {
        all.push((
            ranges[range].keyspace.name().to_owned(),
            key.to_vec(),
            body.to_vec(),
        ));
        Ok(std::ops::ControlFlow::Continue(()))
    });
    walked.unwrap();
    all
}

#[test]
fn questions_and_writes_take_few_rounds() {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
    let trips = remote.round_trips();
    let world = World::over(Store::with_engine(Box::new(remote)).unwrap());
    let said: Vec<Assertion> = (0..50)
        .map(|n| Assertion::new("Ada", format!("p{}", n % 5), format!("o{n}")))
        .collect();
    let during = |said: &[Assertion], row: u32| {
        let mut rounds = 0;
        let scope = Scope {
            ns: NS,
            now: world.now,
            settings: &world.settings,
        };
        let job = |txn: &mut annals_storage::Transaction<'_>| {
            let (done, took) =
                trips.during(|| assert_evidence(txn, scope, &[Row(row).into()], said));
            rounds = took;
            done
        };
        world.store.write(job).unwrap();
        rounds
    };
    // Memory, head, labels, names; for known things also entities, triples that say the same,
    // their records and evidence.
    assert_eq!(during(&said, 1), 4);
    assert_eq!(during(&said, 2), 8);
    let reads = world.snapshot();
    let ada = world.entity("Ada");
    let asked = Pattern::ALL.subject(ada).predicate("p3");
    let (page, rounds) = trips.during(|| pattern(&reads, NS, asked, View::NOW, None, 100).unwrap());
    assert_eq!((page.triples.len(), rounds), (10, 3));
    let (found, rounds) = trips.during(|| expand(&reads, NS, &[ada], Walk::depth(1)).unwrap());
    assert_eq!((found.reached.len(), rounds), (50, 2));
    let (plan, rounds) = trips.during(|| plan_erase(&reads, NS, &[Row(2)], &()).unwrap().erasure);
    assert_eq!((plan.weakened.len(), rounds), (50, 4));
}
