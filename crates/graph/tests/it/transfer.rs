//! Graphs and triples as lines, and back.

use crate::world;

use annals_graph::{
    Assertion, Difference, DumpLine, Embedding, EntityId, Export, Format, GraphError, Merge,
    MergeId, Naming, NewEntity, NewLink, Support, Supporter, TripleLine, View, add_entity, derive,
    dump, export, import_triple, link, merge, merges, restore, set_embedding, stats, sweep,
    triple_lines, undo_merge, validate,
};
use annals_storage::conformance::Remote;
use annals_storage::{MemoryEngine, Store};
use annals_types::Row;

use world::{NS, World};

fn named(row: Row) -> String {
    format!("mem_{:03}", row.0)
}

fn row(name: &str) -> Option<Row> {
    name.strip_prefix("mem_")?.parse().ok().map(Row)
}

#[test]
fn an_export_of_an_earlier_moment_holds_what_was_known_then() {
    let mut world = World::new();
    world.say(1, "Ada", "lives in", "Berlin");
    world.say(3, "Ada", "likes", "tea");
    let then = world.tick();
    world.tick();
    world.say(2, "Ada", "lives in", "Rome");
    world.say(2, "Ada", "likes", "tea");
    world.state(1, Support::Forgotten);
    let told = |what: &Export<'_>| -> Vec<(String, usize)> {
        let lines = triple_lines(&world.snapshot(), NS, what).unwrap();
        lines
            .into_iter()
            .map(|line| (line.object, line.source_memory_ids.len()))
            .collect()
    };
    let pairs = |some: &[(&str, usize)]| {
        some.iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect::<Vec<_>>()
    };
    let now = Export::new(Format::Triples);
    let earlier = Export {
        as_of: Some(then),
        ..now
    };
    let sorted = |mut told: Vec<(String, usize)>| {
        told.sort();
        told
    };
    assert_eq!(sorted(told(&now)), pairs(&[("Rome", 1), ("tea", 2)]));
    assert_eq!(sorted(told(&earlier)), pairs(&[("Berlin", 1), ("tea", 1)]));
    assert_eq!(
        told(&Export {
            rows: Some(&[Row(1)]),
            ..earlier
        }),
        pairs(&[("Berlin", 1)])
    );
    assert_eq!(
        told(&Export {
            rows: Some(&[Row(2)]),
            ..earlier
        }),
        []
    );
}

#[test]
fn triples_are_one_object_a_line_and_come_back() {
    // part: C-95
    let world = World::new();
    world.says(
        1,
        &[
            Assertion::new("主人", "喜欢", "拉面").degree("很"),
            Assertion::new("主人", "喜欢", "香菜").negated(),
        ],
    );
    world.says(
        2,
        &[
            Assertion::new("主人", "喜欢", "拉面"),
            Assertion::new("主人", "喜欢", "咖啡").condition("下雨天"),
        ],
    );
    let all = Export {
        dormant: true,
        name: &named,
        ..Export::new(Format::Triples)
    };
    let lines = triple_lines(&world.snapshot(), NS, &all).unwrap();
    let text: Vec<String> = lines
        .iter()
        .map(|line| serde_json::to_string(line).unwrap())
        .collect();
    assert_eq!(
        text[0],
        concat!(
            r#"{"id":"0","subject":"主人","predicate":"喜欢","object":"拉面","source_memory_ids":["mem_001","#,
            r#""mem_002"],"metadata":{"negation":false,"frequency":"很","condition":null}}"#,
        )
    );
    assert!(text.iter().all(|line| !line.contains('\n')));
    let other = World::new();
    for line in &text {
        let line: TripleLine = serde_json::from_str(line).unwrap();
        let find = |name: &str| row(name).map(Supporter::from);
        other
            .write(|txn, scope| import_triple(txn, scope, &line, &find))
            .unwrap();
    }
    assert_eq!(triple_lines(&other.snapshot(), NS, &all).unwrap(), lines);
    let mut written = Vec::new();
    export(&other.snapshot(), NS, &all, &mut written).unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), text.join("\n") + "\n");
    // Dormant triples come only when asked for, and of one memory only its own.
    other.state(1, Support::Forgotten);
    let awake = Export {
        dormant: false,
        ..all
    };
    let told = |what: &Export<'_>| -> Vec<(String, usize)> {
        let lines = triple_lines(&other.snapshot(), NS, what).unwrap();
        lines
            .into_iter()
            .map(|line| (line.object, line.source_memory_ids.len()))
            .collect()
    };
    let pairs = |pairs: &[(&str, usize)]| {
        pairs
            .iter()
            .map(|(o, n)| ((*o).to_owned(), *n))
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&awake), pairs(&[("拉面", 1), ("咖啡", 1)]));
    assert_eq!(
        told(&Export {
            rows: Some(&[Row(1)]),
            ..all
        }),
        pairs(&[("拉面", 1), ("香菜", 1)])
    );
    assert_eq!(
        told(&Export {
            rows: Some(&[Row(1)]),
            ..awake
        }),
        []
    );
    assert_eq!(told(&all).len(), 3);
    // Dormant triples are marked, and the mark does not prevent an import: its memories decide
    // whether it sleeps there.
    let lines = triple_lines(&other.snapshot(), NS, &all).unwrap();
    let asleep =
        serde_json::to_string(lines.iter().find(|line| line.object == "香菜").unwrap()).unwrap();
    assert!(
        asleep.ends_with(r#""condition":null},"visible":false}"#),
        "{asleep}"
    );
    assert_eq!(lines.iter().filter(|line| !line.visible).count(), 1);
    let line: TripleLine = serde_json::from_str(&asleep).unwrap();
    let third = World::new();
    third
        .write(|txn, scope| {
            import_triple(txn, scope, &line, &|name| row(name).map(Supporter::from))
        })
        .unwrap();
    assert!(triple_lines(&third.snapshot(), NS, &all).unwrap()[0].visible);
    assert!(validate(&other.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn a_line_without_its_memories_is_refused() {
    // part: C-89
    let world = World::new();
    let line = |sources: &[&str]| TripleLine {
        id: "x".to_owned(),
        subject: "主人".to_owned(),
        predicate: "喜欢".to_owned(),
        object: "拉面".to_owned(),
        source_memory_ids: sources.iter().map(|&name| name.to_owned()).collect(),
        metadata: annals_graph::TripleMetadata::default(),
        visible: true,
    };
    let import = |line: TripleLine| {
        world.write(|txn, scope| {
            import_triple(txn, scope, &line, &|name| row(name).map(Supporter::from))
        })
    };
    assert!(matches!(import(line(&[])), Err(GraphError::NoSupporter)));
    assert!(
        import(line(&["mem_001", "someone"]))
            .unwrap_err()
            .to_string()
            .contains("\"someone\"")
    );
    assert_eq!(stats(&world.snapshot(), NS).unwrap().triples, 0);
    import(line(&["mem_001"])).unwrap();
    assert_eq!(world.told(View::NOW), ["主人 喜欢 拉面"]);
}

fn rich() -> World {
    let mut world = World::new();
    let node = |name: &str| {
        NewEntity::new(name)
            .kind("person")
            .alias(format!("{name}'s alias"))
            .field("n", 1)
    };
    world.says(
        1,
        &[
            Assertion::new(node("Ada"), "knows", node("Bob")).degree("well"),
            Assertion::new(node("Bob"), "likes", "rain")
                .negated()
                .condition("on mondays"),
        ],
    );
    world.tick();
    world.says(
        2,
        &[
            Assertion::new(node("Ada"), "knows", node("Bob")),
            Assertion::new("Robert", "is", "tall"),
        ],
    );
    world.say(3, "gone", "is", "here");
    world
        .write(|txn, _| {
            set_embedding(
                txn,
                NS,
                world.entity("Ada"),
                Some(&Embedding::F32(vec![0.25, -1.5])),
            )
        })
        .unwrap();
    world
        .write(|txn, scope| {
            link(
                txn,
                scope,
                &NewLink::new(Row(1), "导致", Row(2)).field("why", "so"),
            )
        })
        .unwrap();
    world
        .write(|txn, _| derive(txn, NS, Row(2), &[Row(1)]))
        .unwrap();
    world
        .write(|txn, scope| {
            merge(
                txn,
                scope,
                world.entity("Robert"),
                world.entity("Bob"),
                Some(0.9),
                "x",
            )
        })
        .unwrap();
    world
        .write(|txn, scope| {
            merge(
                txn,
                scope,
                world.entity("tall"),
                world.entity("gone"),
                None,
                "y",
            )
        })
        .unwrap();
    world
        .write(|txn, scope| add_entity(txn, scope, &NewEntity::new("kept")))
        .unwrap();
    world.tick();
    world.state(1, Support::Forgotten);
    world.update(2, 4, &[Assertion::new("Robert", "is", "small")]);
    world.erase(&[3]);
    world
}

fn told(world: &World) -> Vec<DumpLine> {
    let mut lines = Vec::new();
    let mut sink = |line| {
        lines.push(line);
        Ok(())
    };
    let naming = Naming {
        name: &named,
        order: &|row| (row.0, 0),
    };
    dump(&world.snapshot(), NS, naming, &mut sink).unwrap();
    lines
}

#[test]
fn a_whole_graph_comes_back_from_json() {
    // part: G-150, G-143
    let world = rich();
    let lines = told(&world);
    let text: Vec<String> = lines
        .iter()
        .map(|line| serde_json::to_string(line).unwrap())
        .collect();
    let read: Vec<DumpLine> = text
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(read, lines);
    for batch in [1, 3, 1000] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.annals");
        let other = World::over(annals_storage::Store::open(&path).unwrap());
        for part in read.chunks(batch) {
            let already = other.write(|txn, _| restore(txn, NS, part, &row)).unwrap();
            assert_eq!(already, vec![false; part.len()]);
            // The memories of entities may come with a later part.
            let found = validate(&other.snapshot(), NS).unwrap().differences;
            let early = |found: &Difference| {
                matches!(
                    found,
                    Difference::Counter {
                        counter: "reasons to be",
                        ..
                    }
                )
            };
            assert!(found.iter().all(early), "{found:?} after {part:?}");
        }
        drop(other);
        let other = World::over(annals_storage::Store::open(&path).unwrap());
        // The same again changes nothing, and nothing is left over.
        for part in read.chunks(batch) {
            assert_eq!(
                other.write(|txn, _| restore(txn, NS, part, &row)).unwrap(),
                vec![true; part.len()]
            );
        }
        assert_eq!(
            other.write(|txn, _| sweep(txn, NS, None, 1000)).unwrap(),
            None
        );
        let report = validate(&other.snapshot(), NS).unwrap();
        assert!(report.is_clean(), "{:?}", report.differences);
        assert_eq!(told(&other), lines);
        assert_eq!(
            stats(&other.snapshot(), NS).unwrap(),
            stats(&world.snapshot(), NS).unwrap()
        );
        for view in [
            View::NOW,
            View::NOW.with_dormant(),
            View::as_of(world::at(5)),
            View::as_of(world::at(15)),
        ] {
            assert_eq!(other.all(view).len(), world.all(view).len());
            assert_eq!(other.told(view), world.told(view));
        }
        // Merges that can be undone here can be undone there.
        for merge in merges(&other.snapshot(), NS).unwrap() {
            other.write(|txn, _| undo_merge(txn, NS, merge.id)).unwrap();
            assert!(validate(&other.snapshot(), NS).unwrap().is_clean());
        }
        assert_eq!(merges(&other.snapshot(), NS).unwrap(), []);
        assert_eq!(other.told(View::NOW).len(), world.told(View::NOW).len());
    }
}

#[test]
fn lines_that_do_not_fit_together_are_refused() {
    let lines = told(&rich());
    let refuse = |lines: &[DumpLine]| {
        let world = World::new();
        let error = world
            .write(|txn, _| restore(txn, NS, lines, &row))
            .unwrap_err();
        assert_eq!(
            stats(&world.snapshot(), NS).unwrap(),
            annals_graph::GraphStats::default()
        );
        error
    };
    for missing in 0..lines.len() {
        let mut some = lines.clone();
        let gone = some.remove(missing);
        match &gone {
            DumpLine::Entity {
                kept: false,
                hollow: false,
                ..
            } => {
                assert!(
                    matches!(refuse(&some), GraphError::NoEntity { .. }),
                    "{gone:?}"
                );
            }
            DumpLine::Memory { .. } => {
                // Only links and derivations speak of memories.
                let world = World::new();
                let _answer = world.write(|txn, _| restore(txn, NS, &some, &row));
                world.write(|txn, _| sweep(txn, NS, None, 2)).unwrap();
                assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
            }
            _ => {}
        }
        let mut twice = lines.clone();
        twice.insert(missing + 1, gone);
        let world = World::new();
        let already = world
            .write(|txn, _| restore(txn, NS, &twice, &row))
            .unwrap();
        assert!(already[missing + 1]);
        assert_eq!(told(&world), lines);
        assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    }
    let circle = |line: &DumpLine| match line {
        DumpLine::Merge { merge, next_triple } => {
            let mut merge = merge.clone();
            (merge.source, merge.target) = (EntityId(0), EntityId(0));
            DumpLine::Merge {
                merge,
                next_triple: *next_triple,
            }
        }
        line => line.clone(),
    };
    assert!(matches!(
        refuse(&lines.iter().map(circle).collect::<Vec<_>>()),
        GraphError::SameEntity { .. }
    ));
    let nobody = DumpLine::Derivation {
        derived: "mem_001".to_owned(),
        source: "nobody".to_owned(),
    };
    assert!(refuse(&[nobody]).to_string().contains("nobody"));
}

/// A graph that has numbers of its own is not mixed with another one.
#[test]
fn numbers_that_are_taken_are_refused() {
    let lines = told(&rich());
    let own = World::new();
    own.say(9, "Eve", "sings", "well");
    let refused = own
        .write(|txn, _| restore(txn, NS, &lines, &row))
        .unwrap_err();
    assert!(
        matches!(
            refused,
            GraphError::Taken {
                what: "entity",
                number: 0
            }
        ),
        "{refused}"
    );
    assert_eq!(own.told(View::NOW), ["Eve sings well"]);
    // An entity that nothing came to speak of is swept away; what is spoken of stays.
    let lonely = DumpLine::Entity {
        id: EntityId(7),
        name: "nobody".to_owned(),
        kind: None,
        aliases: Vec::new(),
        metadata: annals_types::Metadata::new(),
        born: world::at(1),
        kept: false,
        hollow: false,
        embedding: None,
    };
    own.write(|txn, _| restore(txn, NS, std::slice::from_ref(&lonely), &row))
        .unwrap();
    assert_eq!(stats(&own.snapshot(), NS).unwrap().entities, 3);
    assert_eq!(
        own.write(|txn, _| sweep(txn, NS, None, 2)).unwrap(),
        Some(EntityId(1))
    );
    assert_eq!(stats(&own.snapshot(), NS).unwrap().entities, 3);
    assert_eq!(
        own.write(|txn, _| sweep(txn, NS, Some(EntityId(1)), 2))
            .unwrap(),
        None
    );
    assert_eq!(stats(&own.snapshot(), NS).unwrap().entities, 2);
    assert!(validate(&own.snapshot(), NS).unwrap().is_clean());
}

/// A chain of merges, each of which makes what stands for all before it another one, with a memory
/// that speaks of the first; the rounds of reads and commits in which its lines come in, so many at
/// a time.
fn rounds_of_a_chain(length: u32, lines_at_a_time: usize) -> u64 {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
    let trips = remote.round_trips();
    let world = World::over(Store::with_engine(Box::new(remote)).unwrap());
    let said = told(&rich()).into_iter().find_map(|line| match line {
        DumpLine::Memory {
            memory,
            states,
            mut said,
        } if !said.is_empty() => {
            let mut first = said.swap_remove(0);
            (first.subject, first.object) = (EntityId(0), EntityId(0));
            Some(DumpLine::Memory {
                memory,
                states,
                said: vec![first],
            })
        }
        _ => None,
    });
    let mut lines: Vec<DumpLine> = (0..=length).map(kept).collect();
    lines.extend((0..length).map(|step| {
        let (source, target) = (EntityId(step), EntityId(step + 1));
        let (id, time, reason) = (MergeId(step), world::at(2), "one".to_owned());
        let merge = Merge {
            id,
            source,
            target,
            time,
            similarity: None,
            reason,
        };
        DumpLine::Merge {
            merge,
            next_triple: 0,
        }
    }));
    lines.extend(said);
    let ((), rounds) = trips.during(|| {
        for some in lines.chunks(lines_at_a_time) {
            world.write(|txn, _| restore(txn, NS, some, &row)).unwrap();
        }
    });
    assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
    assert_eq!(
        merges(&world.snapshot(), NS).unwrap().len(),
        length as usize
    );
    let again = world
        .write(|txn, _| restore(txn, NS, &lines, &row))
        .unwrap();
    assert_eq!(again, vec![true; lines.len()]);
    rounds
}

#[test]
fn a_chain_of_merges_comes_in_with_work_in_proportion_to_its_length() {
    let (one, eight) = (rounds_of_a_chain(64, 32), rounds_of_a_chain(512, 32));
    assert!(
        eight <= 10 * one,
        "{one} rounds for 64 merges, {eight} for 512"
    );
}

/// Merges that do not fit are refused as a whole, whether they come one by one or together.
#[test]
fn merges_that_contradict_each_other_are_refused_together() {
    let merge = |id: u32, source: u32, target: u32| {
        let (id, time, reason) = (MergeId(id), world::at(2), "one".to_owned());
        let (source, target) = (EntityId(source), EntityId(target));
        let merge = Merge {
            id,
            source,
            target,
            time,
            similarity: None,
            reason,
        };
        DumpLine::Merge {
            merge,
            next_triple: 0,
        }
    };
    let refused = |merges: Vec<DumpLine>| {
        let world = World::new();
        let lines: Vec<DumpLine> = (0..3).map(kept).chain(merges).collect();
        let refused = world
            .write(|txn, _| restore(txn, NS, &lines, &row))
            .unwrap_err();
        assert_eq!(stats(&world.snapshot(), NS).unwrap().entities, 0);
        refused
    };
    let taken = refused(vec![merge(0, 0, 1), merge(0, 0, 2)]);
    assert!(
        matches!(
            taken,
            GraphError::Taken {
                what: "merge",
                number: 0
            }
        ),
        "{taken}"
    );
    for bad in [
        vec![merge(0, 0, 1), merge(1, 0, 2)],
        vec![merge(0, 0, 1), merge(1, 1, 0)],
        vec![merge(0, 1, 1)],
    ] {
        let same = refused(bad);
        assert!(matches!(same, GraphError::SameEntity { .. }), "{same}");
    }
    let missing = refused(vec![merge(0, 0, 7)]);
    assert!(
        matches!(
            missing,
            GraphError::NoEntity {
                entity: EntityId(7)
            }
        ),
        "{missing}"
    );
}

fn kept(id: u32) -> DumpLine {
    DumpLine::Entity {
        id: EntityId(id),
        name: format!("number {id}"),
        kind: None,
        aliases: Vec::new(),
        metadata: annals_types::Metadata::new(),
        born: world::at(1),
        kept: true,
        hollow: false,
        embedding: None,
    }
}

/// Whatever numbers a file brings, they are no sizes: nothing is counted through up to them, and
/// enough are left for what comes later.
#[test]
fn far_numbers_cost_nothing_and_leave_enough_for_others() {
    let far = [
        0,
        1,
        700,
        1 << 20,
        (1 << 31) - 1,
        1 << 31,
        u32::MAX - 1,
        u32::MAX,
    ];
    let lines = told(&rich());
    let says = |id: u32, (subject, object): (u32, u32)| {
        let said = lines.iter().find_map(|line| match line {
            DumpLine::Memory {
                memory,
                states,
                said,
            } if !said.is_empty() => Some((memory, states, said[0].clone())),
            _ => None,
        });
        let (memory, states, mut said) = said.unwrap();
        (said.id, said.subject, said.object) = (
            annals_graph::TripleId(id),
            EntityId(subject),
            EntityId(object),
        );
        (said.condition, said.predicate) = (None, format!("is beside {id}"));
        DumpLine::Memory {
            memory: memory.clone(),
            states: states.clone(),
            said: vec![said],
        }
    };
    let mut some: Vec<DumpLine> = far.iter().map(|id| kept(*id)).collect();
    some.extend(far.windows(2).map(|pair| says(pair[1], (pair[0], pair[1]))));
    let world = World::new();
    assert_eq!(
        world.write(|txn, _| restore(txn, NS, &some, &row)).unwrap(),
        vec![false; some.len()]
    );
    // The first line of a memory makes it known; the others say more.
    assert_eq!(
        world.write(|txn, _| restore(txn, NS, &some, &row)).unwrap(),
        vec![true; some.len()]
    );
    assert_eq!(
        world.write(|txn, _| sweep(txn, NS, None, 3)).unwrap(),
        Some(EntityId(700))
    );
    assert_eq!(
        world
            .write(|txn, _| sweep(txn, NS, Some(EntityId(700)), 30))
            .unwrap(),
        None
    );
    let listed = |after: Option<EntityId>, limit| -> Vec<u32> {
        let found = annals_graph::list_entities(&world.snapshot(), NS, after, limit).unwrap();
        found.into_iter().map(|entity| entity.id.0).collect()
    };
    assert_eq!(listed(None, usize::MAX), far);
    assert_eq!(listed(Some(EntityId(1)), 2), [700, 1 << 20]);
    assert_eq!(listed(Some(EntityId(u32::MAX)), 2), [0_u32; 0]);
    let numbers = |lines: &[DumpLine]| -> Vec<u32> {
        lines
            .iter()
            .filter_map(|line| {
                if let DumpLine::Entity { id, .. } = line {
                    Some(id.0)
                } else {
                    None
                }
            })
            .collect()
    };
    assert_eq!(numbers(&told(&world)), far);
    // What is new gets numbers that nothing has, and the whole comes back elsewhere.
    for name in 0..3 {
        world.say(9, &format!("new {name}"), "sings", &format!("song {name}"));
    }
    assert_eq!(world.entity("new 0"), EntityId((1 << 31) + 1));
    assert_eq!(world.all(View::NOW.with_dormant()).len(), far.len() - 1 + 3);
    let (ada, bob) = (world.entity("new 0"), world.entity("new 1"));
    let merged = DumpLine::Merge {
        merge: annals_graph::Merge {
            id: annals_graph::MergeId(u32::MAX),
            source: EntityId(u32::MAX),
            target: EntityId(700),
            time: world::at(2),
            similarity: None,
            reason: String::new(),
        },
        next_triple: u32::MAX,
    };
    world
        .write(|txn, _| restore(txn, NS, std::slice::from_ref(&merged), &row))
        .unwrap();
    let own = world
        .write(|txn, scope| merge(txn, scope, ada, bob, None, ""))
        .unwrap();
    assert_eq!(own.id, annals_graph::MergeId(0));
    let report = validate(&world.snapshot(), NS).unwrap();
    assert!(report.is_clean(), "{:?}", report.differences);
    let whole = told(&world);
    let other = World::new();
    other
        .write(|txn, _| restore(txn, NS, &whole, &row))
        .unwrap();
    assert_eq!(told(&other), whole);
    other.say(8, "another", "is", "here");
    assert!(validate(&other.snapshot(), NS).unwrap().is_clean());
}
