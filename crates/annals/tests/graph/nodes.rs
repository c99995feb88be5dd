//! Questions that are answered by what the nodes of memories mean.

use std::sync::Arc;

use annals::graph::NewSubgraph;
use annals::profile::RecallMode;
use annals::{
    Calibration, Channel, EmbedError, Embedder, Feature, Fingerprint, Hit, MemoryId, NewMemory,
    Options, Purpose, Query, Status,
};
use serde_json::json;

use crate::support::gate::Gate;
use crate::support::life::World;
use crate::support::script::Table;

const QUESTION: &str = "睡得好吗";

/// The embedder of a table, which does not come to an end with one text until a gate is open.
struct Slow {
    table: Arc<Table>,
    gate: Arc<Gate>,
}

impl Embedder for Slow {
    fn fingerprint(&self) -> Fingerprint {
        self.table.fingerprint()
    }

    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn calibration(&self) -> Option<Calibration> {
        self.table.calibration()
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if purpose == Purpose::Passage && texts.iter().any(|text| text.contains("午睡")) {
            self.gate.pass();
        }
        self.table.embed(texts, purpose)
    }
}

fn stage(world: &World, text: &str, (topic, object): (&str, &str)) -> MemoryId {
    let memory = NewMemory::builder(text)
        .kind("事件")
        .status(Status::Staged)
        .build()
        .unwrap();
    let nodes = NewSubgraph::new("我", "事件", topic).object(object);
    world
        .space()
        .graph()
        .stage_subgraph(memory, &nodes)
        .unwrap()
        .0
}

fn dense(hit: &Hit) -> f32 {
    hit.explanation
        .parts
        .iter()
        .find(|part| part.feature == Feature::Dense)
        .unwrap()
        .value
        .unwrap()
}

#[track_caller]
fn near(value: f32, expected: f32) {
    assert!((value - expected).abs() < 0.02, "{value} is not {expected}");
}

#[test]
fn a_memory_is_as_near_as_its_nearest_node() {
    // part: G-78
    let (table, gate) = (Table::new(), Arc::new(Gate::default()));
    for (text, cosine) in [
        ("睡眠", 0.8),
        ("咖啡", 0.6),
        ("跑步", 0.3),
        ("昨晚的事", 0.1),
        ("晨跑的事", 0.45),
    ] {
        table.near(text, QUESTION, cosine);
    }
    let slow: Arc<dyn Embedder> = Arc::new(Slow {
        table,
        gate: Arc::clone(&gate),
    });
    let world = World::with("graph", move |options: Options| {
        options.embedder(Arc::clone(&slow))
    });
    let both = stage(&world, "昨晚的事", ("睡眠", "咖啡"));
    let other = stage(&world, "晨跑的事", ("跑步", "公园"));
    let answer = |query: Query| world.space().answer(query).unwrap().hits;
    let found = |hits: &[Hit], id: MemoryId| hits.iter().filter(|hit| hit.id == id).count();
    world.memory().wait_idle().unwrap();
    near(dense(&answer(Query::new(QUESTION))[0]), 0.45);
    world.force();
    let hits = answer(Query::new(QUESTION));
    assert_eq!(
        (hits[0].id, found(&hits, both), found(&hits, other)),
        (both, 1, 1)
    );
    near(dense(&hits[0]), 0.8);
    assert!(hits[0].explanation.found_by.contains(&Channel::Node));
    let second = hits.iter().find(|hit| hit.id == other).unwrap();
    near(dense(second), 0.45);
    // By vectors of memories alone, and without a look at the graph.
    let fast = answer(Query::new(QUESTION).mode(RecallMode::Fast));
    assert_eq!((fast[0].id, found(&fast, both)), (other, 1));
    assert!(
        fast.iter()
            .all(|hit| !hit.explanation.found_by.contains(&Channel::Node))
    );
    // A memory that was stored a moment ago has no vector, and its nodes have none: its words
    // bring it up.
    let call = json!({ "subject": "我", "memory_type": "事件", "topic": "午睡" });
    assert!(
        world
            .space()
            .tools()
            .call("create_memory", &call.to_string())
            .unwrap()
            .is_success()
    );
    let hits = answer(Query::new("午睡了吗"));
    // No assertion stands here while the worker waits: it would wait for ever.
    gate.open();
    let staged = hits.iter().find(|hit| hit.text.contains("午睡")).unwrap();
    let by = &staged.explanation.found_by;
    assert!(
        by.contains(&Channel::Text)
            && !by.contains(&Channel::Vector)
            && !by.contains(&Channel::Node),
        "{by:?}"
    );
    near(dense(staged), 0.0);
    world.memory().wait_idle().unwrap();
    world.validate();
}

#[test]
fn nodes_follow_what_becomes_of_them() {
    let table = Table::new();
    for (text, cosine) in [("睡眠", 0.8), ("安眠", 0.79), ("咖啡", 0.6)] {
        table.near(text, QUESTION, cosine);
    }
    let shared = Arc::clone(&table);
    let world = World::with("graph", move |options: Options| {
        options.embedder(Arc::clone(&shared) as _)
    });
    let first = stage(&world, "一", ("睡眠", "甲"));
    world.force();
    let best = || {
        let hits = world.space().answer(QUESTION).unwrap().hits;
        hits.first()
            .map(|hit| (hit.id, hit.explanation.found_by.contains(&Channel::Node)))
    };
    assert_eq!(best(), Some((first, true)));
    world.space().delete(first, annals::Mode::Commit).unwrap();
    assert_eq!(best(), None, "its node went with it");
    // A node that got its vector after the others were read is found, too.
    let second = stage(&world, "二", ("咖啡", "乙"));
    world.at(1.0);
    world.force();
    assert_eq!(best(), Some((second, true)));
    let third = stage(&world, "三", ("安眠", "丙"));
    world.at(2.0);
    world.force();
    assert_eq!(best(), Some((third, true)));
    let space = world.space();
    let named = |name: &str| space.graph().entities(name).unwrap()[0].id;
    space
        .graph()
        .merges()
        .merge(named("安眠"), named("咖啡"), "a test")
        .unwrap();
    let hits = space.answer(QUESTION).unwrap().hits;
    for id in [second, third] {
        near(dense(hits.iter().find(|hit| hit.id == id).unwrap()), 0.79);
    }
    world.validate();
}
