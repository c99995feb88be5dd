//! Graphs and triples as lines, and back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod world;

use annals_graph::{
    Assertion, DumpLine, Embedding, EntityId, GraphError, NewEntity, NewLink, Support, Supporter, TripleLine, View,
    add_entity, derive, dump, import_triple, link, merge, merges, restore, set_embedding, stats, triple_lines,
    undo_merge, validate,
};
use annals_types::Row;

use world::{NS, World};

fn named(row: Row) -> String {
    format!("mem_{:03}", row.0)
}

fn row(name: &str) -> Option<Row> {
    name.strip_prefix("mem_")?.parse().ok().map(Row)
}

#[test]
fn triples_are_one_object_a_line_and_come_back() {
    // spec: C-95
    let world = World::new();
    world.says(
        1,
        &[Assertion::new("主人", "喜欢", "拉面").degree("很"), Assertion::new("主人", "喜欢", "香菜").negated()],
    );
    world
        .says(2, &[Assertion::new("主人", "喜欢", "拉面"), Assertion::new("主人", "喜欢", "咖啡").condition("下雨天")]);
    let lines = triple_lines(&world.snapshot(), NS, &named).unwrap();
    let text: Vec<String> = lines.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
    assert_eq!(
        text[0],
        r#"{"id":"0","subject":"主人","predicate":"喜欢","object":"拉面","source_memory_ids":["mem_001","mem_002"],"metadata":{"negation":false,"frequency":"很","condition":null}}"#
    );
    assert!(text.iter().all(|line| !line.contains('\n')));
    let other = World::new();
    for line in &text {
        let line: TripleLine = serde_json::from_str(line).unwrap();
        let find = |name: &str| row(name).map(Supporter::from);
        other.write(|txn, scope| import_triple(txn, scope, &line, &find)).unwrap();
    }
    assert_eq!(triple_lines(&other.snapshot(), NS, &named).unwrap(), lines);
    assert!(validate(&other.snapshot(), NS).unwrap().is_clean());
}

#[test]
fn a_line_without_its_memories_is_refused() {
    // spec: C-89
    let world = World::new();
    let line = |sources: &[&str]| TripleLine {
        id: "x".to_owned(),
        subject: "主人".to_owned(),
        predicate: "喜欢".to_owned(),
        object: "拉面".to_owned(),
        source_memory_ids: sources.iter().map(|&name| name.to_owned()).collect(),
        metadata: annals_graph::TripleMetadata::default(),
    };
    let import = |line: TripleLine| {
        world.write(|txn, scope| import_triple(txn, scope, &line, &|name| row(name).map(Supporter::from)))
    };
    assert!(matches!(import(line(&[])), Err(GraphError::NoSupporter)));
    assert!(import(line(&["mem_001", "someone"])).unwrap_err().to_string().contains("\"someone\""));
    assert_eq!(stats(&world.snapshot(), NS).unwrap().triples, 0);
    import(line(&["mem_001"])).unwrap();
    assert_eq!(world.told(View::NOW), ["主人 喜欢 拉面"]);
}

fn rich() -> World {
    let mut world = World::new();
    let node = |name: &str| NewEntity::new(name).kind("person").alias(format!("{name}'s alias")).field("n", 1);
    world.says(
        1,
        &[
            Assertion::new(node("Ada"), "knows", node("Bob")).degree("well"),
            Assertion::new(node("Bob"), "likes", "rain").negated().condition("on mondays"),
        ],
    );
    world.tick();
    world.says(2, &[Assertion::new(node("Ada"), "knows", node("Bob")), Assertion::new("Robert", "is", "tall")]);
    world.say(3, "gone", "is", "here");
    world.write(|txn, _| set_embedding(txn, NS, world.entity("Ada"), Some(&Embedding::F32(vec![0.25, -1.5])))).unwrap();
    world.write(|txn, scope| link(txn, scope, &NewLink::new(Row(1), "导致", Row(2)).field("why", "so"))).unwrap();
    world.write(|txn, _| derive(txn, NS, Row(2), &[Row(1)])).unwrap();
    world.write(|txn, scope| merge(txn, scope, world.entity("Robert"), world.entity("Bob"), Some(0.9), "x")).unwrap();
    world.write(|txn, scope| merge(txn, scope, world.entity("tall"), world.entity("gone"), None, "y")).unwrap();
    world.write(|txn, scope| add_entity(txn, scope, &NewEntity::new("kept"))).unwrap();
    world.tick();
    world.state(1, Support::Forgotten);
    world.update(2, 4, &[Assertion::new("Robert", "is", "small")]);
    world.erase(&[3]);
    world
}

#[test]
fn a_whole_graph_comes_back_from_json() {
    // spec: G-150, G-143
    let world = rich();
    let lines = dump(&world.snapshot(), NS, &named).unwrap();
    let text: Vec<String> = lines.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
    let read: Vec<DumpLine> = text.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, lines);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.annals");
    let other = World::over(annals_storage::Store::open(&path).unwrap());
    other.write(|txn, _| restore(txn, NS, &read, &row)).unwrap();
    drop(other);
    let other = World::over(annals_storage::Store::open(&path).unwrap());
    let report = validate(&other.snapshot(), NS).unwrap();
    assert!(report.is_clean(), "{:?}", report.differences);
    assert_eq!(dump(&other.snapshot(), NS, &named).unwrap(), lines);
    assert_eq!(stats(&other.snapshot(), NS).unwrap(), stats(&world.snapshot(), NS).unwrap());
    for view in [View::NOW, View::NOW.with_dormant(), View::as_of(world::at(5)), View::as_of(world::at(15))] {
        assert_eq!(other.all(view).len(), world.all(view).len());
        assert_eq!(other.told(view), world.told(view));
    }
    // What can be undone can be undone there.
    for id in merges(&world.snapshot(), NS).unwrap().into_iter().map(|merge| merge.id) {
        for world in [&world, &other] {
            world.write(|txn, _| undo_merge(txn, NS, id)).unwrap();
            assert!(validate(&world.snapshot(), NS).unwrap().is_clean());
        }
    }
    assert_eq!(other.told(View::NOW), world.told(View::NOW));
    let refused = other.write(|txn, _| restore(txn, NS, &read, &row));
    assert!(matches!(refused, Err(GraphError::NotEmpty { namespace: NS })));
}

#[test]
fn lines_that_do_not_fit_together_are_refused() {
    let lines = dump(&rich().snapshot(), NS, &named).unwrap();
    let refuse = |lines: Vec<DumpLine>| {
        let world = World::new();
        let error = world.write(|txn, _| restore(txn, NS, &lines, &row)).unwrap_err();
        assert_eq!(stats(&world.snapshot(), NS).unwrap(), annals_graph::GraphStats::default());
        error
    };
    for missing in 0..lines.len() {
        let mut some = lines.clone();
        let gone = some.remove(missing);
        // Merges, links, derivations and what is kept stand for themselves; all else is spoken of.
        let spoken_of = match &gone {
            DumpLine::Entity { kept, .. } => !kept,
            DumpLine::Memory { said, .. } => !said.is_empty(),
            DumpLine::Triple { .. } => true,
            _ => false,
        };
        if spoken_of {
            refuse(some);
        }
        if !matches!(gone, DumpLine::Link { .. } | DumpLine::Derivation { .. } | DumpLine::Memory { .. }) {
            let mut twice = lines.clone();
            twice.insert(missing, gone);
            refuse(twice);
        }
    }
    let circle = lines.iter().map(|line| match line {
        DumpLine::Merge { merge, next_triple } => {
            let mut merge = merge.clone();
            (merge.source, merge.target) = (EntityId(0), EntityId(0));
            DumpLine::Merge { merge, next_triple: *next_triple }
        }
        line => line.clone(),
    });
    refuse(circle.collect());
}
