//! The profile `graph` through the facade: its records, its runs, and what they do to nodes.

use std::sync::{Arc, Mutex};

use crate::support::life::{World, day, near};
use crate::support::script::{Script, Table};
use annals::blocking::{Memory, Namespace};
use annals::graph::{
    Assertion, EdgeEnd, EdgeRecord, EdgeType, GraphRecord, NewEntity, NewSubgraph, OriginStep,
    RecordStatus, TripleQuery, Walk,
};
use annals::profile::{JobStep, Signal};
use annals::{
    Causality, ErrorKind, JobReport, Judge, JudgeError, Judgement, MemoryId, Mode, NewMemory,
    Options, Query, Reasoned, ReviewCase, Shown, Status, ToolSetting, Value,
};
use serde_json::json;

fn world(table: &Arc<Table>, judge: &Arc<Script>) -> World {
    let (table, judge) = (Arc::clone(table), Arc::clone(judge));
    World::with("graph", move |options: Options| {
        options.embedder(table.clone()).judge(judge.clone())
    })
}

fn staged(kind: &str, text: &str) -> NewMemory {
    NewMemory::builder(text)
        .kind(kind)
        .importance(0.6)
        .status(Status::Staged)
        .build()
        .unwrap()
}

/// A staged memory of its nodes.
fn create(space: &Namespace, kind: &str, (topic, object): (&str, &str)) -> MemoryId {
    let nodes = NewSubgraph::new("我", kind, topic)
        .object(object)
        .attribute("时间", "2025-11-05");
    space
        .graph()
        .remember_subgraph(staged(kind, &format!("我{topic}{object}")), &nodes)
        .unwrap()
        .0
}

/// Written as JSON and read again.
fn again(record: &GraphRecord) -> (serde_json::Value, GraphRecord) {
    let text = serde_json::to_string(record).unwrap();
    (
        serde_json::from_str(&text).unwrap(),
        serde_json::from_str(&text).unwrap(),
    )
}

#[test]
fn a_memory_is_a_record_of_ten_fields() {
    // part: G-12, G-14, G-15
    let table = Table::new();
    let world = world(&table, &Arc::default());
    table.near("用餐", "吃饭", 0.97);
    world.at(0.1);
    let first = create(&world.space(), "事件", ("吃饭", "白米饭"));
    let attribute = NewEntity::new("味道").kind("属性");
    let rice = world.space().graph().entities("白米饭").unwrap()[0].id;
    world
        .space()
        .graph()
        .add_triples(first, &[Assertion::new(rice, "有", attribute)])
        .unwrap();
    let born = world.space().designs().graph().record(first).unwrap();
    let (json, read) = again(&born);
    assert_eq!(read, born);
    let mut keys: Vec<&str> = json["memory"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    let fields = "access_count created_at decay_factor edges id importance last_accessed memory_type nodes subject_id";
    assert_eq!(keys.join(" "), fields);
    let memory = &born.memory;
    assert_eq!(
        (memory.id, memory.memory_type.as_str(), memory.created_at),
        (first, "事件", day(0.1))
    );
    assert_eq!(
        (memory.access_count, memory.last_accessed),
        (0, memory.created_at)
    );
    assert_eq!(
        memory.subject_id,
        Some(world.space().graph().entities("我").unwrap()[0].id)
    );
    near((memory.importance * 1e6).round() / 1e6, 0.6);
    near(memory.decay_factor, memory.importance);
    assert_eq!(
        (born.status, born.consolidated_at),
        (RecordStatus::Staged, None)
    );

    world.at(0.2);
    let second = create(&world.space(), "事件", ("用餐", "面条"));
    let merged = world.space().graph().entities("用餐").unwrap()[0].id;
    world.at(0.3);
    world.force();
    world
        .space()
        .lifecycle()
        .signal(&[second], Signal::Returned)
        .unwrap();
    let done = world.space().designs().graph().record(second).unwrap();
    assert_eq!(again(&done).1, done);
    assert_eq!(
        (done.status, done.consolidated_at, done.memory.access_count),
        (RecordStatus::Consolidated, Some(day(0.3)), 1)
    );
    assert!(
        done.merge_history.contains(&merged),
        "{:?}",
        done.merge_history
    );
    for record in [
        &done,
        &world.space().designs().graph().record(first).unwrap(),
    ] {
        for node in &record.memory.nodes {
            let kind = node.node_type.as_deref().unwrap();
            let compared = ["主题", "客体"].contains(&kind);
            assert_eq!(
                node.embedding.is_some(),
                compared,
                "{} is {kind}",
                node.content
            );
        }
    }
    let kinds: Vec<&str> = world
        .space()
        .designs()
        .graph()
        .record(first)
        .unwrap()
        .memory
        .nodes
        .iter()
        .map(|node| {
            ["主体", "主题", "客体", "属性", "值"]
                .into_iter()
                .find(|kind| node.node_type.as_deref() == Some(kind))
                .unwrap()
        })
        .collect();
    assert_eq!(kinds, ["主体", "主题", "客体", "值", "属性"]);
    assert_eq!(
        world
            .space()
            .designs()
            .graph()
            .record("0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e".parse().unwrap())
            .unwrap_err()
            .kind(),
        ErrorKind::NotFound
    );
}

#[test]
fn edges_have_their_types_and_ends() {
    // spec: G-11, G-13
    let world = World::new("graph");
    let (one, two) = (
        create(&world.space(), "事件", ("吃饭", "白米饭")),
        create(&world.space(), "事实", ("心情", "好")),
    );
    world.space().graph().link(one, "导致", two).unwrap();
    world.space().graph().link(two, "引用", one).unwrap();
    let record = world.space().designs().graph().record(one).unwrap();
    let types: Vec<&str> = record
        .memory
        .edges
        .iter()
        .map(|edge| edge.edge_type.as_str())
        .collect();
    assert_eq!(
        types,
        ["记忆类型", "核心关系", "属性关系", "因果关系", "引用关系"]
    );
    for (edge, kind) in record.memory.edges.iter().zip(EdgeType::ALL) {
        assert_eq!((edge.edge_type, kind.as_str().parse()), (*kind, Ok(*kind)));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        let text = serde_json::to_string(edge).unwrap();
        assert_eq!(serde_json::from_str::<EdgeRecord>(&text).unwrap(), *edge);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut keys: Vec<&str> = value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.sort_unstable();
        assert_eq!(
            keys.join(" "),
            "created_at edge_type id importance metadata relation source_id target_id"
        );
        // Weights are from 0 to 1.
        let heavy = text.replacen(
            &format!("\"importance\":{}", value["importance"]),
            "\"importance\":1.2",
            1,
        );
        assert_ne!(heavy, text);
        assert!(
            serde_json::from_str::<EdgeRecord>(&heavy)
                .unwrap_err()
                .to_string()
                .contains("1.2")
        );
    }
    assert!(
        "情感关系"
            .parse::<EdgeType>()
            .unwrap_err()
            .to_string()
            .contains("因果关系")
    );
    let (inner, cause) = (&record.memory.edges[1], &record.memory.edges[3]);
    assert_eq!(
        (cause.source_id, cause.target_id),
        (EdgeEnd::Memory(one), EdgeEnd::Memory(two))
    );
    let between_nodes = serde_json::to_string(inner)
        .unwrap()
        .replace("核心关系", "因果关系");
    let refused = serde_json::from_str::<EdgeRecord>(&between_nodes)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("memories"), "{refused}");
    let between_memories = serde_json::to_string(cause)
        .unwrap()
        .replace("因果关系", "核心关系");
    assert!(serde_json::from_str::<EdgeRecord>(&between_memories).is_err());
    // The engine itself has no place for such a link either: entities have no id of a memory.
    assert!(
        world
            .space()
            .graph()
            .link(one, "是", two)
            .unwrap_err()
            .is_invalid()
    );
}

#[test]
fn an_edge_that_says_no_or_when_is_no_plain_one() {
    let world = World::new("graph");
    let id = create(&world.space(), "事件", ("吃饭", "白米饭"));
    let said = [
        Assertion::new("Ada", "drinks", "coffee")
            .negated()
            .condition("it rains"),
        Assertion::new("Ada", "likes", "tea").condition("it rains"),
    ];
    world.space().graph().add_triples(id, &said).unwrap();
    let (json, read) = again(&world.space().designs().graph().record(id).unwrap());
    let edges = &read.memory.edges[3..];
    assert_eq!(
        edges.iter().map(|edge| edge.negated).collect::<Vec<_>>(),
        [true, false]
    );
    assert!(
        edges
            .iter()
            .all(|edge| edge.condition.as_deref() == Some("it rains"))
    );
    let plain = json["memory"]["edges"][0].as_object().unwrap();
    assert!(!plain.contains_key("negated") && !plain.contains_key("condition"));
    let drawn = world.space().graph().subgraph(id).unwrap().to_graph_text();
    assert!(drawn.ends_with(
        "[Ada]--not drinks (when: it rains)--[coffee]; [Ada]--likes (when: it rains)--[tea]"
    ));
}

#[test]
fn a_way_leads_from_any_entity_of_a_name_to_any() {
    let world = World::new("graph");
    let space = world.space();
    for (who, whom) in [("Tom", "tea"), ("Tom", "beer"), ("Sue", "Tom")] {
        let id = create(&space, "事件", ("说起", whom));
        space
            .graph()
            .add_triples(id, &[Assertion::new(who, "likes", whom)])
            .unwrap();
    }
    assert!(
        space.graph().entities("Tom").unwrap().len() > 1,
        "each memory has its own until consolidation"
    );
    for (from, to) in [
        ("Tom", "beer"),
        ("beer", "Tom"),
        ("Sue", "Tom"),
        ("Tom", "tea"),
    ] {
        let found = space.graph().paths(from, to, &Walk::default(), 5).unwrap();
        assert_eq!(
            found.paths.iter().map(Vec::len).collect::<Vec<_>>(),
            [1],
            "{from} {to}"
        );
    }
    assert_eq!(
        space
            .graph()
            .paths("Tom", "Tom", &Walk::default(), 5)
            .unwrap()
            .paths
            .first()
            .map(Vec::len),
        Some(0)
    );
    assert!(
        space
            .graph()
            .paths("nobody", "Tom", &Walk::default(), 5)
            .unwrap()
            .paths
            .is_empty()
    );
}

#[test]
fn a_memory_goes_from_staged_to_consolidated_to_archived_and_never_back() {
    // spec: G-16
    let world = World::new("graph");
    let id = create(&world.space(), "事件", ("吃饭", "白米饭"));
    let status = || world.space().designs().graph().record(id).unwrap().status;
    let words: Vec<String> = [
        RecordStatus::Staged,
        RecordStatus::Consolidated,
        RecordStatus::Archived,
    ]
    .map(|status| {
        serde_json::to_value(status)
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    })
    .into();
    assert_eq!(words, ["staged", "consolidated", "archived"]);
    assert_eq!(status(), RecordStatus::Staged);
    world.at(0.3);
    world.force();
    assert_eq!(status(), RecordStatus::Consolidated);
    let refused = world
        .space()
        .update(id, staged("事件", "我吃了面"))
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    world.space().archive(id).unwrap();
    assert_eq!(status(), RecordStatus::Archived);
    let refused = world
        .space()
        .update(id, staged("事件", "我吃了面"))
        .unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Conflict);
    assert_eq!(
        (status(), world.space().history(id).unwrap().len()),
        (RecordStatus::Archived, 1)
    );
    world.validate();
}

#[test]
fn a_memory_of_a_tool_tells_how_it_came_to_be() {
    // spec: G-130
    let world = World::new("graph");
    let mood = create(&world.space(), "事实", ("心情", "不好"));
    let sleep = create(&world.space(), "事实", ("睡眠", "很差"));
    world.space().graph().link(sleep, "导致", mood).unwrap();
    world.at(0.3);
    world.force();
    let steps: Vec<OriginStep> = world
        .space()
        .graph()
        .explain(mood)
        .unwrap()
        .into_iter()
        .map(|origin| origin.step)
        .collect();
    let all = [
        OriginStep::Stored,
        OriginStep::Said,
        OriginStep::Linked,
        OriginStep::Consolidated,
    ];
    assert!(all.iter().all(|step| steps.contains(step)), "{steps:?}");
}

#[test]
fn a_record_has_ten_fields_and_topics_and_objects_have_embeddings() {
    // spec: G-12, G-14
    let world = World::new("graph");
    world.at(0.1);
    let id = create(&world.space(), "事件", ("吃饭", "白米饭"));
    let born = world.space().designs().graph().record(id).unwrap();
    let (json, read) = again(&born);
    assert_eq!(
        (read, json["memory"].as_object().unwrap().len()),
        (born.clone(), 10)
    );
    assert_eq!(
        (born.memory.access_count, born.memory.last_accessed),
        (0, born.memory.created_at)
    );
    near(born.memory.decay_factor, born.memory.importance);
    world.at(0.3);
    world.force();
    let nodes = world
        .space()
        .designs()
        .graph()
        .record(id)
        .unwrap()
        .memory
        .nodes;
    assert_eq!(nodes.len(), 4);
    for node in nodes {
        let kind = node.node_type.as_deref().unwrap();
        assert_eq!(
            node.embedding.is_some(),
            ["主题", "客体"].contains(&kind),
            "{} is {kind}",
            node.content
        );
    }
}

#[test]
fn a_memory_tells_how_it_came_to_be() {
    // part: G-130
    let table = Table::new();
    let world = world(&table, &Arc::default());
    table.near("情绪", "心情", 0.97);
    let mood = create(&world.space(), "事实", ("心情", "不好"));
    let sleep = create(&world.space(), "事实", ("情绪", "低落"));
    world.space().graph().link(sleep, "导致", mood).unwrap();
    world.at(0.3);
    world.force();
    world
        .space()
        .lifecycle()
        .signal(&[mood], Signal::Returned)
        .unwrap();
    let steps = world.space().graph().explain(mood).unwrap();
    assert!(
        steps.len() >= 4 && steps.windows(2).all(|pair| pair[0].at <= pair[1].at),
        "{steps:?}"
    );
    let of = |step: OriginStep| -> Vec<&str> {
        steps
            .iter()
            .filter(|origin| origin.step == step)
            .map(|origin| origin.what.as_str())
            .collect()
    };
    assert_eq!(
        of(OriginStep::Said),
        [
            "[我]--事实--[心情]",
            "[心情]--是--[不好]",
            "[不好]--时间--[2025-11-05]"
        ]
    );
    assert!(
        of(OriginStep::Merged)[0].starts_with("[情绪] became [心情]"),
        "{steps:?}"
    );
    assert_eq!(of(OriginStep::Linked), [format!("导致 from {sleep}")]);
    assert_eq!(of(OriginStep::Consolidated), ["staged to active"]);
    assert_eq!(
        (of(OriginStep::Stored).len(), of(OriginStep::Used).len()),
        (1, 1)
    );
    assert!(
        world
            .space()
            .graph()
            .explain("0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e".parse().unwrap())
            .unwrap_err()
            .is_not_found()
    );
}

#[test]
fn a_pair_that_a_run_parts_is_looked_at_by_the_next() {
    // spec: G-154
    let judge = Script::causes([Causality::FirstCauses]);
    let world = World::judged("graph", Some(Arc::clone(&judge) as Arc<dyn Judge>));
    let minute = |hour: f64, minute: f64| hour / 24.0 + minute / 1440.0;
    world.at(minute(10.0, 0.0));
    world.force();
    world.at(minute(15.0, 59.0));
    let sleep = create(&world.space(), "事件", ("睡眠", "很少"));
    world.at(minute(16.0, 0.0));
    world.maintain();
    assert_eq!(
        (world.status(sleep), judge.asked()),
        (Some(Status::Active), 0)
    );
    world.at(minute(16.0, 1.0));
    let mood = create(&world.space(), "事件", ("睡眠", "不安"));
    world.at(minute(22.0, 0.0));
    world.maintain();
    assert_eq!(
        *judge.pairs.lock().unwrap(),
        [("我睡眠很少".to_owned(), "我睡眠不安".to_owned())]
    );
    let links = world.space().graph().links(mood).unwrap();
    let link = links
        .iter()
        .find(|link| link.relation == "推测因果")
        .unwrap();
    assert_eq!(
        (link.from, link.relation.as_str(), link.to),
        (sleep, "推测因果", mood)
    );
}

/// A judge that asks for a run while one is on: on its own thread, and on another one.
#[derive(Default)]
struct Eager {
    memory: Mutex<Option<Memory>>,
    refused: Mutex<Vec<ErrorKind>>,
    others: Mutex<Vec<std::thread::JoinHandle<Vec<JobReport>>>>,
}

impl Judge for Eager {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Judgement::Keep.into())
    }

    fn causality(
        &self,
        _first: &Shown,
        _second: &Shown,
    ) -> Result<Reasoned<Causality>, JudgeError> {
        let memory = self.memory.lock().unwrap().clone().unwrap();
        self.refused
            .lock()
            .unwrap()
            .push(memory.maintain(true, Mode::Commit).unwrap_err().kind());
        if self.others.lock().unwrap().is_empty() {
            let other = std::thread::spawn(move || memory.maintain(false, Mode::Commit).unwrap());
            self.others.lock().unwrap().push(other);
        }
        Ok(Causality::Neither.into())
    }
}

#[test]
fn a_run_drains_what_waits_and_no_other_runs_beside_it() {
    // spec: G-155
    let judge = Arc::<Eager>::default();
    let shared = Arc::clone(&judge);
    let world = World::with("graph", move |options: Options| {
        options.judge(Arc::clone(&shared) as Arc<dyn Judge>)
    });
    *judge.memory.lock().unwrap() = Some(world.memory().clone());
    world.maintain();
    world.at(0.01);
    let ids = world
        .space()
        .bulk()
        .remember(
            (0..250)
                .map(|n| staged("事件", &format!("event {n}")))
                .collect(),
        )
        .unwrap();
    world.at(0.3);
    let reports = world.maintain();
    let made = reports[0]
        .steps
        .iter()
        .find(|made| made.step == JobStep::Consolidate)
        .unwrap();
    assert_eq!(made.counts["consolidated"], 250);
    assert!(
        ids.iter()
            .all(|id| world.status(*id) == Some(Status::Active))
    );
    let refused = judge.refused.lock().unwrap();
    assert!(
        !refused.is_empty() && refused.iter().all(|kind| *kind == ErrorKind::Conflict),
        "{refused:?}"
    );
    for other in judge.others.lock().unwrap().drain(..) {
        let waited = other.join().unwrap();
        assert!(
            waited.iter().all(|report| report.job != "consolidation"),
            "it waited, and found nothing due: {waited:?}"
        );
    }
    *judge.memory.lock().unwrap() = None;
    world.validate();
}

#[test]
fn a_node_goes_with_its_last_memory() {
    // spec: G-156
    let world = World::new("graph");
    let (one, two) = (
        create(&world.space(), "事件", ("吃饭", "白米饭")),
        create(&world.space(), "事件", ("吃饭", "面条")),
    );
    world.at(0.3);
    world.force();
    let names = |name: &str| world.space().graph().entities(name).unwrap().len();
    assert_eq!((names("吃饭"), names("白米饭"), names("面条")), (1, 1, 1));
    // A statement of both is one edge, with two supporters.
    let eats = || {
        world
            .space()
            .graph()
            .triples(&TripleQuery::default().subject("我").object("吃饭"))
            .unwrap()
            .triples
            .len()
    };
    assert_eq!(
        (eats(), world.space().graph().stats().unwrap().triples),
        (1, 6)
    );
    world.space().delete(one, Mode::Commit).unwrap();
    world.at(0.6);
    world.force();
    assert_eq!((names("吃饭"), names("白米饭"), names("面条")), (1, 0, 1));
    assert_eq!(
        (eats(), world.space().graph().stats().unwrap().triples),
        (1, 3)
    );
    world.space().delete(two, Mode::Commit).unwrap();
    world.at(0.9);
    world.force();
    assert_eq!(world.space().graph().stats().unwrap(), Default::default());
    world.validate();
}

#[test]
fn nodes_that_are_embedded_are_compared_with_those_that_are_not_yet() {
    let table = Table::new();
    let world = world(&table, &Arc::default());
    table.near("伙食", "米饭", 0.97);
    create(&world.space(), "事实", ("主食", "米饭"));
    world.at(0.3);
    world.force();
    create(&world.space(), "事实", ("午餐", "伙食"));
    let candidates = world
        .space()
        .graph()
        .merges()
        .candidates(None, 100)
        .unwrap()
        .candidates;
    let found = candidates
        .iter()
        .find(|found| (&*found.source.name, &*found.target.name) == ("伙食", "米饭"));
    let found = found.unwrap_or_else(|| panic!("{candidates:?}"));
    assert!(
        (found.similarity - 0.97).abs() < 0.01,
        "{}",
        found.similarity
    );
}

#[test]
fn a_run_merges_similar_nodes_by_their_context_only() {
    // spec: G-157
    for (required, merged) in [(true, 0), (false, 1)] {
        let table = Table::new();
        let world = world(&table, &Arc::default());
        table.near("情绪", "心情", 0.90);
        if !required {
            let text = annals::profiles::builtin("graph").unwrap().replacen(
                "context_required = true",
                "context_required = false",
                1,
            );
            world.memory().profiles().store("loose", &text).unwrap();
            world.space().admin().set_profile("loose").unwrap();
        }
        create(&world.space(), "事实", ("心情", "不好"));
        let other = NewSubgraph::new("我", "事实", "情绪")
            .object("高涨")
            .attribute("地点", "家里");
        world
            .space()
            .graph()
            .remember_subgraph(staged("事实", "我情绪高涨"), &other)
            .unwrap();
        world.at(0.3);
        world.force();
        assert_eq!(
            world.space().graph().merges().list().unwrap().len(),
            merged,
            "context required: {required}"
        );
        world.validate();
    }
}

#[test]
fn the_scheduler_begins_with_the_engine_and_ends_with_it() {
    // spec: G-163
    let mut world = World::with("graph", |options: Options| options.scheduler(true));
    world.memory().wait_idle().unwrap();
    let last = |world: &World| {
        let jobs = world.memory().jobs().list().unwrap();
        jobs.into_iter()
            .find(|job| job.job == "consolidation")
            .unwrap()
            .last
            .map(|last| last.at)
    };
    assert_eq!(last(&world), Some(day(0.0)), "it ran by itself");
    let id = create(&world.space(), "事件", ("吃饭", "白米饭"));
    world.at(0.25);
    world.memory().wait_idle().unwrap();
    assert_eq!(
        (last(&world), world.status(id)),
        (Some(day(0.25)), Some(Status::Active))
    );
    world.calm();
    // The file is free: the thread that ran jobs is gone with the handle. Nothing has run since.
    world.at(9.0);
    world.reopen();
    assert_eq!(last(&world), Some(day(0.25)));
    world.validate();
}

#[test]
fn what_one_conversation_told_is_known_in_another() {
    // spec: G-129
    let world = World::new("graph");
    let call =
        |conversation: &str, tool: &str, arguments: serde_json::Value| -> serde_json::Value {
            let setting = ToolSetting {
                conversation: Some(conversation.to_owned()),
                ..ToolSetting::default()
            };
            let reply = world
                .space()
                .tools()
                .call_in(tool, &arguments.to_string(), &setting)
                .unwrap();
            assert!(reply.is_success(), "{}", reply.as_json());
            serde_json::from_str(reply.as_json()).unwrap()
        };
    let create = |conversation: &str, kind: &str, topic: &str, object: &str| -> MemoryId {
        let arguments = json!({"subject":"我","memory_type":kind,"topic":topic,"object":object});
        call(conversation, "create_memory", arguments)["memory_id"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let cat = create("1", "事实", "我的猫", "名字叫咪咪");
    let others = ["吃饭", "跑步", "上班", "看电影", "买菜"];
    for (n, topic) in others.iter().cycle().take(20).enumerate() {
        create("1", "事件", topic, &format!("第{n}次"));
    }
    let next = create("2", "事件", "回家", "晚上八点");
    world.memory().wait_idle().unwrap();
    let found = call(
        "2",
        "search_memories",
        json!({"query":"我的猫叫什么名字？"}),
    );
    assert_eq!(found["results"][0]["memory_id"], cat.to_string(), "{found}");
    // Which conversation each is from stands with it, and 我 is the same in both.
    let from =
        |id| world.space().get(id).unwrap().unwrap().body.metadata["conversation_id"].clone();
    assert_eq!(
        (from(cat), from(next)),
        (Value::from("1"), Value::from("2"))
    );
    let user = world.space().graph().entities("我").unwrap();
    assert_eq!(user.len(), 1);
    for id in [cat, next] {
        assert!(
            world
                .space()
                .graph()
                .subgraph(id)
                .unwrap()
                .nodes
                .iter()
                .any(|node| node.id == user[0].id)
        );
    }
    world.validate();
}

/// A question, the memory that answers it well, the cause of that, and the cause of the cause; the
/// last two have no word in common with the question.
const CHAINS: [(&str, &str, &str, &str); 12] = [
    (
        "为什么我今天心情不好",
        "我今天心情不好",
        "隔壁装修到凌晨三点",
        "开发商催着交房",
    ),
    (
        "为什么小明迟到了",
        "小明上班迟到了",
        "地铁二号线停运",
        "隧道里渗进了水",
    ),
    (
        "为什么项目延期",
        "项目延期两周",
        "供应商漏发了一批芯片",
        "仓库换了新系统",
    ),
    (
        "为什么妈妈住院",
        "妈妈住院观察",
        "楼梯上洒了水",
        "热水瓶的塞子松了",
    ),
    (
        "为什么我买了自行车",
        "我买了一辆自行车",
        "汽油涨到九块",
        "海峡被封锁",
    ),
    (
        "为什么我们搬家",
        "我们决定搬家",
        "孩子要上小学",
        "九月一日满六岁",
    ),
    (
        "为什么取消旅行",
        "取消了去云南的旅行",
        "台风登陆",
        "洋面温度高了两度",
    ),
    (
        "为什么我学日语",
        "我开始学日语",
        "公司并入东京总部",
        "老板签了一份协议",
    ),
    (
        "为什么小狗不吃饭",
        "小狗不吃饭",
        "换了新牌子的罐头",
        "超市断货",
    ),
    (
        "为什么电脑坏了",
        "电脑突然坏了",
        "咖啡打翻在桌上",
        "猫跳上了书架",
    ),
    (
        "为什么邻居道歉",
        "邻居上门道歉",
        "阳台的花盆掉了下来",
        "半夜刮起大风",
    ),
    (
        "为什么我戒酒",
        "我下决心戒酒",
        "体检报告上有三个箭头",
        "单位安排了免费检查",
    ),
];

/// The profile without its graph and without what else counts beside likeness.
fn vectors_alone() -> String {
    let mut text = annals::profiles::builtin("graph").unwrap().to_owned();
    for (from, to) in [
        ("dense = 0.4", "dense = 1.0"),
        ("mode = \"auto\"", "mode = \"fast\""),
        ("graph = 0.2", "graph = 0.0"),
        ("importance = 0.2", "importance = 0.0"),
        ("recency = 0.2", "recency = 0.0"),
    ] {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}

#[test]
fn the_graph_finds_what_no_likeness_does_also_among_noise() {
    // spec: G-141, G-151
    let world = World::new("graph");
    world
        .memory()
        .profiles()
        .store("vectors alone", &vectors_alone())
        .unwrap();
    let spaces = [("hybrid", "graph"), ("vectors", "vectors alone")].map(|(name, profile)| {
        let space = world.memory().create_namespace(name, profile).unwrap();
        // Nine in ten memories are chatter of two months ago that asks why.
        let words = [
            "今天", "昨天", "天气", "公司", "小明", "心情", "吃饭", "电影", "妈妈", "音乐", "跑步",
            "小狗",
        ];
        let chatter = |n: usize| {
            let text = format!("为什么，第{n}次问起{}{}", words[n % 12], words[n / 12 % 12]);
            NewMemory::builder(text)
                .kind("观点")
                .importance(0.2)
                .build()
                .unwrap()
        };
        world.at(0.0);
        space
            .bulk()
            .remember((0..9 * 3 * CHAINS.len()).map(chatter).collect())
            .unwrap();
        world.at(60.0);
        for (_, effect, cause, root) in CHAINS {
            let new = |text: &str| {
                NewMemory::builder(text)
                    .kind("事件")
                    .importance(0.6)
                    .build()
                    .unwrap()
            };
            let [root, cause, effect] =
                [root, cause, effect].map(|text| space.remember(new(text)).unwrap());
            space.graph().link(cause, "导致", effect).unwrap();
            space.graph().link(root, "导致", cause).unwrap();
        }
        assert_eq!(
            space.admin().stats().unwrap().memories,
            30 * CHAINS.len() as u64
        );
        space
    });
    // How many of what answers, of what led to it, and of what led to that are among the best ten.
    let [hybrid, vectors] = spaces.map(|space| {
        CHAINS
            .iter()
            .fold([0; 3], |found, (question, effect, cause, root)| {
                let hits = space.recall(Query::new(*question).expand_depth(2)).unwrap();
                assert_eq!(hits.len(), 10);
                let at = |n: usize, gold: &str| {
                    found[n] + usize::from(hits.iter().any(|hit| hit.text == gold))
                };
                [at(0, effect), at(1, cause), at(2, root)]
            })
    });
    let recall = |found: [usize; 3]| found.iter().sum::<usize>() as f64 / (3 * CHAINS.len()) as f64;
    assert!(
        recall(hybrid) > recall(vectors),
        "recall@10 of the two: {hybrid:?}, of vectors alone: {vectors:?}"
    );
    assert!(recall(hybrid) > 0.5, "{hybrid:?}");
    // The second step is what likeness finds least of all.
    assert!(
        hybrid[2] > vectors[2] && hybrid[1] > vectors[1] && hybrid[0] >= vectors[0],
        "{hybrid:?} {vectors:?}"
    );
}

#[test]
fn merges_that_are_taken_back_raise_the_threshold_of_their_kind() {
    // spec: G-123
    let table = Table::new();
    let world = world(&table, &Arc::default());
    let text = annals::profiles::builtin("graph").unwrap();
    let loose = text.replacen("context_required = true", "context_required = false", 1);
    let adaptive = loose.replacen("adaptive = false", "adaptive = true", 1);
    world
        .memory()
        .profiles()
        .store("adaptive", &adaptive)
        .unwrap();
    world.space().admin().set_profile("adaptive").unwrap();
    assert_eq!(
        world.space().graph().merges().thresholds().unwrap(),
        Default::default()
    );
    for (n, letter) in ('a'..='t').enumerate() {
        let (old, new) = (format!("{letter}主题"), format!("题目{letter}"));
        table.near(&new, &old, 0.86 + n as f32 / 1000.0);
        for (name, object) in [(&old, format!("甲 {n}")), (&new, format!("乙 {n}"))] {
            let nodes = NewSubgraph::new("我", "事实", name).object(object);
            world
                .space()
                .graph()
                .remember_subgraph(staged("事实", name), &nodes)
                .unwrap();
        }
    }
    world.at(0.3);
    world.force();
    let merges = world.space().graph().merges().list().unwrap();
    let likeness: Vec<f64> = merges
        .iter()
        .map(|merge| merge.similarity.unwrap())
        .collect();
    assert_eq!(merges.len(), 20, "{likeness:?}");
    assert!(
        likeness
            .iter()
            .all(|likeness| (0.855..=0.885).contains(likeness)),
        "{likeness:?}"
    );
    for merge in &merges {
        world.space().graph().merges().undo(merge.id).unwrap();
    }
    // It is found anew once a week.
    world.at(7.5);
    let raised = world.space().graph().merges().thresholds().unwrap();
    assert_eq!(raised.keys().collect::<Vec<_>>(), ["主题"]);
    assert!(
        raised["主题"] > 0.88 && raised["主题"] <= 0.97,
        "{raised:?}"
    );
    // Runs go by it: what would have been merged before is not.
    table.near("后来的题目a", "a主题", 0.87);
    let nodes = NewSubgraph::new("我", "事实", "后来的题目a").object("丙");
    world
        .space()
        .graph()
        .remember_subgraph(staged("事实", "后来的题目a"), &nodes)
        .unwrap();
    world.force();
    assert_eq!(world.space().graph().merges().list().unwrap(), []);
    world.memory().profiles().store("loose", &loose).unwrap();
    world.space().admin().set_profile("loose").unwrap();
    assert_eq!(
        world.space().graph().merges().thresholds().unwrap(),
        Default::default(),
        "off unless the profile says so"
    );
    world.validate();
}

/// Resident memory of this process in MB.
#[cfg(target_os = "linux")]
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        / 1024
}

#[cfg(target_os = "linux")]
#[test]
fn ten_thousand_memories_stay_on_disk() {
    // spec: G-125, G-138
    let world = World::with("graph", |options: Options| {
        options.cache_bytes(16 << 20).memory_bytes(64 << 20)
    });
    let space = world.space();
    for batch in 0..10 {
        let texts = (0..1000).map(|n| {
            let text = format!(
                "第{batch}天第{n}件事：我和小明去了{}号公园，看见了{}只鸟",
                n * 7 % 97,
                n * 13 % 89
            );
            NewMemory::builder(text).kind("事件").build().unwrap()
        });
        let ids = space.bulk().remember(texts.collect()).unwrap();
        let seen = |n: usize| Assertion::new("小明", "看见", format!("鸟 {batch} {n}"));
        space
            .graph()
            .add_triples(ids[0], &(0..1000).map(seen).collect::<Vec<_>>())
            .unwrap();
        space.graph().link(ids[0], "导致", ids[1]).unwrap();
    }
    assert_eq!(
        (
            space.admin().stats().unwrap().memories,
            space.graph().stats().unwrap().triples
        ),
        (10_000, 10_000)
    );
    assert!(
        !space
            .recall(Query::new("为什么小明看见了鸟").expand_depth(2))
            .unwrap()
            .is_empty()
    );
    let used = resident();
    assert!(
        (1..150).contains(&used),
        "{used} MB, the built-in model included"
    );
}
