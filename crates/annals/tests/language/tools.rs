//! Tools that models call, carried out on a namespace under the profile whose tools they are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, Claim, EdgeRole, NewEntity, NewSubgraph, NodeKind, TripleQuery};
use annals::llm::provider::{Provider, Replay};
use annals::llm::tools::Call;
use annals::profile::{Profile, RecallMode};
use annals::{
    ContextRequest, EpisodeDraft, JudgeError, Layer, ListQuery, ManualClock, MemoryId, Mode,
    NewMemory, NewTurn, Options, QueryPlan, Role, Status, StoredMemory, Summarizer, Timestamp,
    ToolCall, ToolSetting,
};
use serde_json::{Value, json};

/// The day of the design's examples.
pub(crate) fn start() -> Timestamp {
    "2025-11-05T10:00:00Z".parse().unwrap()
}

pub(crate) fn under(profile: &str, options: Options) -> (Memory, Namespace, ManualClock) {
    let clock = ManualClock::new(start());
    let memory = options
        .clock(Arc::new(clock.clone()))
        .id_seed(1)
        .in_memory()
        .unwrap();
    let space = memory.create_namespace("u", profile).unwrap();
    (memory, space, clock)
}

fn graph() -> (Memory, Namespace, ManualClock) {
    under("graph", Options::new())
}

pub(crate) fn call(space: &Namespace, tool: &str, arguments: &Value) -> Value {
    let reply = space.tools().call(tool, &arguments.to_string()).unwrap();
    let value: Value = serde_json::from_str(reply.as_json()).unwrap();
    assert_eq!(value["success"], reply.is_success());
    value
}

/// A call that is done.
#[track_caller]
pub(crate) fn done(space: &Namespace, tool: &str, arguments: Value) -> Value {
    let value = call(space, tool, &arguments);
    assert_eq!(value["success"], true, "{tool} {arguments}: {value}");
    value
}

pub(crate) fn id_of(value: &Value) -> MemoryId {
    value.as_str().unwrap().parse().unwrap()
}

pub(crate) fn create(space: &Namespace, arguments: Value) -> MemoryId {
    id_of(&done(space, "create_memory", arguments)["memory_id"])
}

pub(crate) fn attributes(space: &Namespace, id: MemoryId) -> Vec<(String, String)> {
    let graph = space.graph().subgraph(id).unwrap();
    let name = |id| {
        graph
            .nodes
            .iter()
            .find(|node| node.id == id)
            .unwrap()
            .name
            .clone()
    };
    let of_role = graph
        .edges
        .iter()
        .filter(|edge| edge.claim.role == EdgeRole::Attribute);
    of_role
        .map(|edge| (edge.relation.clone(), name(edge.target)))
        .collect()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// The calls in a text, one a line: `→ name({...})`.
fn calls_in(text: &str) -> Vec<(String, Value)> {
    let call = |line: &str| {
        let (name, rest) = line.strip_prefix("→ ")?.split_once('(')?;
        Some((
            name.to_owned(),
            serde_json::from_str(rest.strip_suffix(')')?).unwrap(),
        ))
    };
    text.lines().filter_map(call).collect()
}

#[test]
fn calls_alone_build_the_graph_of_a_conversation() {
    // spec: G-04, G-40, G-44
    let model = Arc::new(Replay::default());
    let (memory, space, _) = under(
        "graph",
        Options::new().model(Arc::clone(&model) as Arc<dyn Provider>),
    );
    let said = NewTurn::builder("s", "我今天不开心，所以摔了东西")
        .build()
        .unwrap();
    space.sessions().append(vec![said]).unwrap();
    let mood = create(
        &space,
        json!({"subject":"我","memory_type":"事实","topic":"情绪","object":"不开心","attributes":{"时间":"今天"}}),
    );
    let smash = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"摔东西","attributes":{"时间":"今天"}}),
    );
    let reply = done(
        &space,
        "link_memories",
        json!({"source_memory_description":"我今天不开心","target_memory_description":"我摔东西","relation_type":"导致"}),
    );
    assert_eq!(
        (id_of(&reply["source_id"]), id_of(&reply["target_id"])),
        (mood, smash)
    );
    assert_eq!(
        (&reply["edge_type"], &reply["importance"]),
        (&json!("因果关系"), &json!(0.6))
    );
    let short = json!({"source":"我今天不开心","target":"我摔东西","relation_type":"导致"});
    let again = done(&space, "link_memories", short);
    assert_eq!(
        (&again["source_id"], &again["target_id"]),
        (&reply["source_id"], &reply["target_id"])
    );
    let links = space.graph().links(mood).unwrap();
    assert_eq!(
        (
            links.len(),
            links[0].relation.as_str(),
            links[0].from,
            links[0].to
        ),
        (1, "导致", mood, smash)
    );
    let texts = [mood, smash].map(|id| space.graph().subgraph(id).unwrap().to_graph_text());
    assert_eq!(
        texts[0],
        "[我]--事实--[情绪]--是--[不开心]--时间--[2025-11-05]"
    );
    assert_eq!(texts[1], "[我]--事件--[摔东西]--时间--[2025-11-05]");
    assert!(
        !space.session("s").extract().unwrap(),
        "nothing is looked through for memories"
    );
    space.queue().work_off().unwrap();
    memory.maintain(true, Mode::Commit).unwrap();
    assert!(
        model
            .asked()
            .iter()
            .all(|request| request.purpose != "extract")
    );
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn a_call_becomes_nodes_and_edges_with_absolute_times() {
    // spec: G-26, G-27, G-28, G-30
    let (_memory, space, _) = graph();
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    let reply = done(
        &space,
        "create_memory",
        json!({"subject":"我","memory_type":"事件","topic":"吃饭","object":"白米饭","attributes":{"时间":"今天"},"importance":0.3}),
    );
    assert_eq!(keys(&reply), ["memory_id", "message", "status", "success"]);
    assert_eq!(
        (&reply["status"], &reply["message"]),
        (&json!("staged"), &json!("记忆已保存，将在后台整理"))
    );
    let meal = id_of(&reply["memory_id"]);
    let stored = space.get(meal).unwrap().unwrap();
    assert_eq!(
        (stored.body.importance.get(), stored.status),
        (0.3, Status::Staged)
    );
    assert_eq!(
        attributes(&space, meal),
        [("时间".to_owned(), "2025-11-05".to_owned())]
    );
    assert_eq!(
        stored.body.event_time,
        Some("2025-11-05T00:00:00Z".parse().unwrap())
    );

    let likes = create(
        &space,
        json!({"subject":"小明","memory_type":"事实","topic":"喜好","object":"打篮球","importance":0.5}),
    );
    let nodes: Vec<(String, String)> = space
        .graph()
        .subgraph(likes)
        .unwrap()
        .nodes
        .into_iter()
        .map(|node| (node.name, node.kind.unwrap()))
        .collect();
    let kinds = [NodeKind::Subject, NodeKind::Topic, NodeKind::Object].map(NodeKind::as_str);
    let expected = ["小明", "喜好", "打篮球"]
        .into_iter()
        .zip(kinds)
        .map(|(name, kind)| (name.to_owned(), kind.to_owned()));
    assert_eq!(nodes, expected.collect::<Vec<_>>());
    assert_eq!(attributes(&space, likes), []);

    let lie = create(
        &space,
        json!({"subject":"我","memory_type":"观点","topic":"认为撒谎","object":"小明的陈述",
               "attributes":{"时间":"昨天","基于":"他的话前后矛盾"},"importance":0.7}),
    );
    let expected = [("时间", "2025-11-04"), ("基于", "他的话前后矛盾")]
        .map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert_eq!(attributes(&space, lie), expected);
    // An unknown time stays as it was written, and says so.
    let child = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"学游泳","attributes":{"时间":"小时候"}}),
    );
    let stored = space.get(child).unwrap().unwrap();
    assert_eq!(
        stored.body.metadata["time_unparsed"],
        annals::Value::Bool(true)
    );
    assert_eq!(
        (
            attributes(&space, child)[0].1.as_str(),
            stored.body.event_time
        ),
        ("小时候", None)
    );
}

#[test]
fn each_part_of_the_graph_works_by_itself() {
    // spec: G-07
    // The elements of a call, without a memory.
    let arguments = r#"{"subject":"我","memory_type":"事件","topic":"吃饭","object":"白米饭","attributes":{"地点":"家"}}"#;
    let Call::CreateMemory(call) = Call::read(
        "create_memory",
        arguments,
        &annals::messages::Catalogue::shared().messages("graph", "zh"),
    )
    .unwrap()
    .call
    else {
        panic!()
    };
    assert_eq!(
        (
            call.subject.as_str(),
            call.topic.as_str(),
            call.attributes["地点"].as_str()
        ),
        ("我", "吃饭", "家")
    );
    // Nodes and edges of the elements, without a file.
    let built = NewSubgraph::new(&call.subject, &call.memory_type, &call.topic)
        .object("白米饭")
        .attribute("地点", "家");
    let node = |kind: NodeKind, name: &str| NewEntity::new(name).kind(kind.as_str());
    let edge = |role: EdgeRole, from: &NewEntity, relation: &str, to: &NewEntity| {
        Assertion::new(from.clone(), relation, to.clone()).claim(Claim {
            role,
            ..Claim::default()
        })
    };
    let (subject, topic) = (node(NodeKind::Subject, "我"), node(NodeKind::Topic, "吃饭"));
    let (object, value) = (
        node(NodeKind::Object, "白米饭"),
        node(NodeKind::Value, "家"),
    );
    let edges = [
        edge(EdgeRole::MemoryType, &subject, "事件", &topic),
        edge(EdgeRole::Core, &topic, "是", &object),
        edge(EdgeRole::Attribute, &object, "地点", &value),
    ];
    assert_eq!(built.assertions(&Profile::default().graph), edges);
    // A memory that is stored without any tool is found, at the entity that is asked for.
    let (memory, space, _) = graph();
    let [rice, noodles] = ["白米饭", "面条"].map(|object| {
        let memory = NewMemory::builder(format!("我 吃饭 {object}"))
            .kind("事件")
            .build()
            .unwrap();
        let nodes = NewSubgraph::new("我", "事件", "吃饭").object(object);
        space.graph().remember_subgraph(memory, &nodes).unwrap().0
    });
    let meals = (0..60).map(|n| {
        NewMemory::builder(format!("吃了米饭，第{n}碗"))
            .kind("事件")
            .importance(0.1)
            .build()
            .unwrap()
    });
    space.bulk().remember(meals.collect()).unwrap();
    let found = space
        .designs()
        .graph()
        .retrieve("白米饭", &BTreeMap::new(), "fast")
        .unwrap()
        .hits;
    assert_eq!(
        (found[0].id, found[0].text.as_str()),
        (rice, "我 吃饭 白米饭")
    );
    let found = space
        .designs()
        .graph()
        .retrieve("白米饭", &BTreeMap::new(), "deep")
        .unwrap()
        .hits;
    let distance = |id: MemoryId| {
        let near = found
            .iter()
            .find(|hit| hit.id == id)
            .and_then(|hit| hit.explanation.graph.clone());
        near.map(|near| near.distance)
    };
    assert_eq!((found[0].id, distance(rice)), (rice, Some(0)));
    // Two nodes of one name are a pair to be merged; once merged they are one node with what both
    // said.
    let candidates = space
        .graph()
        .merges()
        .candidates(None, 100)
        .unwrap()
        .candidates;
    let names: Vec<(&str, &str)> = candidates
        .iter()
        .map(|pair| (pair.source.name.as_str(), pair.target.name.as_str()))
        .collect();
    assert_eq!(names, [("吃饭", "吃饭")]);
    let merged = space
        .graph()
        .merges()
        .merge(
            candidates[0].source.id,
            candidates[0].target.id,
            "the same word",
        )
        .unwrap();
    let nodes = space.graph().entities("吃饭").unwrap();
    assert_eq!(
        nodes.iter().map(|node| node.id).collect::<Vec<_>>(),
        [merged.target]
    );
    let said = space
        .graph()
        .triples(&TripleQuery::default().subject("吃饭"))
        .unwrap()
        .triples;
    let mut objects: Vec<(&str, &str)> = said
        .iter()
        .map(|t| (t.predicate.as_str(), t.object.as_str()))
        .collect();
    objects.sort_unstable();
    assert_eq!(objects, [("是", "白米饭"), ("是", "面条")]);
    for id in [rice, noodles] {
        assert!(
            space
                .graph()
                .subgraph(id)
                .unwrap()
                .nodes
                .iter()
                .any(|node| node.id == merged.target)
        );
    }
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn importance_is_set_and_nothing_else() {
    // spec: G-58
    let (_memory, space, clock) = graph();
    let id = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"换工作","attributes":{"时间":"昨天"},"importance":0.5}),
    );
    let before = space.get(id).unwrap().unwrap();
    let access = |space: &Namespace| {
        let standing = space
            .lifecycle()
            .standings(&[id])
            .unwrap()
            .pop()
            .flatten()
            .unwrap();
        (standing.last_access, standing.returned, standing.used)
    };
    let (was, retained) = (
        access(&space),
        space.lifecycle().standings(&[id]).unwrap()[0]
            .clone()
            .unwrap()
            .retention,
    );
    clock.advance_millis(60_000);
    let reply = done(
        &space,
        "update_memory_importance",
        json!({"memory_description":"我换工作","importance":0.8}),
    );
    assert_eq!(
        (id_of(&reply["memory_id"]), &reply["old"], &reply["new"]),
        (id, &json!(0.5), &json!(0.8))
    );
    let after = space.get(id).unwrap().unwrap();
    assert_eq!(
        (after.body.event_time, after.body.text, after.status),
        (before.body.event_time, before.body.text, before.status)
    );
    assert_eq!(access(&space), was);
    let now = space.lifecycle().standings(&[id]).unwrap()[0]
        .clone()
        .unwrap()
        .retention;
    assert!(
        now > retained,
        "what decays is computed from it: {retained} {now}"
    );
    let by_id = done(
        &space,
        "update_memory_importance",
        json!({"memory_id":id.to_string(),"importance":0.2}),
    );
    assert_eq!((&by_id["old"], &by_id["new"]), (&json!(0.8), &json!(0.2)));
    for field in ["memory_id", "memory_description"] {
        let refused = call(
            &space,
            "update_memory_importance",
            &json!({field: "nonsense", "importance": 0.2}),
        );
        assert_eq!(
            (&refused["success"], &refused["error"]["field"]),
            (&json!(false), &json!(field)),
            "{refused}"
        );
    }
}

#[test]
fn a_search_says_how_each_memory_was_reached_and_counts_it() {
    let (memory, space, clock) = graph();
    let sleep = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"睡眠不好","attributes":{"时间":"昨晚"}}),
    );
    clock.advance_millis(1000);
    let mood = create(
        &space,
        json!({"subject":"我","memory_type":"事实","topic":"心情","object":"不开心","attributes":{"时间":"今天"}}),
    );
    memory.wait_idle().unwrap();
    done(
        &space,
        "link_memories",
        json!({"source":"我睡眠不好","target":"我心情不开心","relation_type":"导致"}),
    );
    let found = done(
        &space,
        "search_memories",
        json!({"query":"我为什么今天不开心？"}),
    );
    let results = found["results"].as_array().unwrap();
    assert_eq!(
        (id_of(&results[0]["memory_id"]), &results[0]["distance"]),
        (mood, &json!(0)),
        "{found}"
    );
    let one = |id: MemoryId| {
        results
            .iter()
            .find(|result| id_of(&result["memory_id"]) == id)
            .unwrap()
    };
    assert!(one(sleep)["relevance"].as_f64().unwrap() > 0.0);
    let counted = |id: MemoryId| {
        space.lifecycle().standings(&[id]).unwrap()[0]
            .clone()
            .unwrap()
            .returned
    };
    assert_eq!((counted(mood), counted(sleep)), (1, 1));
    let yesterday = json!({"query":"我","time_range":{"start":"昨天","end":"昨天"}});
    let texts: Vec<Value> = done(&space, "search_memories", yesterday)["results"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(texts.len(), 1);
    assert_eq!(id_of(&texts[0]["memory_id"]), sleep);
    let kinds = done(
        &space,
        "search_memories",
        json!({"query":"我","memory_types":["事实"]}),
    );
    assert_eq!(
        (&kinds["count"], &kinds["results"][0]["memory_type"]),
        (&json!(1), &json!("事实"))
    );
    let deep = done(
        &space,
        "search_memories",
        json!({"query":"不开心","expand_depth":5}),
    );
    assert_eq!(deep["warnings"].as_array().unwrap().len(), 1);
    for range in [
        json!({"start":"不知何时"}),
        json!({"start":"2025-11-05","end":"2025-11-01"}),
    ] {
        let bad = call(
            &space,
            "search_memories",
            &json!({"query":"我","time_range":range}),
        );
        assert!(
            bad["error"]["field"]
                .as_str()
                .unwrap()
                .starts_with("time_range"),
            "{bad}"
        );
    }
}

#[test]
fn the_model_is_told_when_to_use_which_tool() {
    // spec: G-59, G-60
    let (_memory, space, _) = graph();
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    let told = space.tools().instruction().unwrap().unwrap();
    for clause in [
        "create_memory",
        "当用户告诉你事实、发生的事情、他的观点时使用",
        "主体（谁）、类型（什么类型的记忆）、主题（做什么）",
        "日常琐事0.3，一般事件0.5，重要事件0.8，关键记忆1.0",
        "link_memories",
        "当用户表达因果关系时使用（因为、所以、导致）",
        "当用户引用之前的事情时使用",
        "search_memories",
        "当用户询问过去的事情时使用",
        "当需要回忆相关信息来回答问题时使用",
    ] {
        assert!(told.contains(clause), "{clause}");
    }
    for principle in [
        "时间必须尽可能具体（将\"今天\"转为实际日期 2025-11-05）",
        "主体要明确（区分\"我\"=\"用户\"和\"你\"=\"AI助手\"）",
        "复杂句子拆分成多条记忆+关联关系",
        "转述的内容要明确来源（使用引用关系）",
        "重要性根据内容判断，不是所有事情都重要",
    ] {
        assert!(told.contains(principle), "{principle}");
    }
    let names: Vec<String> = space
        .tools()
        .list()
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(
        names,
        [
            "create_memory",
            "link_memories",
            "search_memories",
            "update_memory_importance"
        ]
    );
}

#[test]
fn the_examples_of_the_prompt_can_be_carried_out_and_have_dates_of_today() {
    // spec: G-61, G-62, G-63
    let (memory, space, clock) = graph();
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    let told = space.tools().instruction().unwrap().unwrap();
    let (prompt, shots) = told.split_once("## 工具调用训练示例").unwrap();
    let by_example = |text: &str, mark: &str| -> Vec<Vec<String>> {
        let parts = text.split(mark).skip(1);
        parts
            .map(|part| calls_in(part).into_iter().map(|(name, _)| name).collect())
            .collect()
    };
    let (made, linked) = ("create_memory", "link_memories");
    assert_eq!(
        by_example(prompt, "用户：\""),
        [vec![made], vec![made], vec![made, made, linked]]
    );
    let run = |text: &str| {
        for (tool, arguments) in calls_in(text) {
            clock.advance_millis(1000);
            done(&space, &tool, arguments);
            memory.wait_idle().unwrap();
        }
    };
    run(prompt);
    assert_eq!(
        (
            space.admin().stats().unwrap().memories,
            space.graph().stats().unwrap().links
        ),
        (4, 1)
    );
    let (_memory, space, _) = graph();
    for (tool, arguments) in calls_in(shots) {
        clock.advance_millis(1000);
        done(&space, &tool, arguments);
    }
    let mut all = space
        .list(&ListQuery {
            newest_first: false,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    all.sort_by_key(|memory| memory.id);
    let importances: Vec<f32> = all
        .iter()
        .map(|memory| memory.body.importance.get())
        .collect();
    assert_eq!(
        (importances.len(), space.graph().stats().unwrap().links),
        (6, 3)
    );
    assert_eq!(importances, [0.3, 0.6, 0.5, 0.5, 0.4, 0.5]);

    clock.set("2026-02-01T08:00:00Z".parse().unwrap());
    let (_memory, space, clock) = graph();
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    clock.set("2026-02-01T08:00:00Z".parse().unwrap());
    let told = space.tools().instruction().unwrap().unwrap();
    let (shopping, _) = told.split_once("\"地点\":\"超市\"").unwrap();
    assert!(
        shopping.contains("我昨天去超市") && shopping.ends_with("{\"时间\":\"2026-01-31\","),
        "{shopping}"
    );
    assert!(!told.contains("2025"));
}

#[test]
fn a_plan_that_names_subjects_finds_memories_of_those_alone() {
    // spec: G-92
    let plan = r#"{"semantic_query":"喜欢吃什么","subject_includes":["小明"]}"#;
    let model = Arc::new(Replay::default().reply("plan", plan).reply("plan", plan));
    let (_memory, space, _) = under(
        "graph",
        Options::new().model(Arc::clone(&model) as Arc<dyn Provider>),
    );
    let told = |subject: &str, object: &str| {
        let arguments = json!({ "subject": subject, "memory_type": "观点", "topic": "喜欢吃", "object": object });
        create(&space, arguments)
    };
    let mine = [told("小明", "米饭"), told("小明", "面条")];
    for object in ["饺子", "包子", "馒头", "烧饼", "油条"] {
        told("小明明", object);
    }
    let context = BTreeMap::new();
    let found = space
        .designs()
        .graph()
        .retrieve("小明喜欢吃什么", &context, "fast")
        .unwrap();
    let ids: BTreeSet<MemoryId> = found.hits.iter().map(|hit| hit.id).collect();
    assert_eq!(ids, mine.into());
    let by_tool = done(
        &space,
        "search_memories",
        json!({ "query": "小明喜欢吃什么", "max_results": 1 }),
    );
    assert_eq!(by_tool["count"], 1);
    assert!(
        mine.contains(&id_of(&by_tool["results"][0]["memory_id"])),
        "{by_tool}"
    );
}

#[test]
fn a_model_plans_with_the_context_and_rules_do_without_it() {
    // spec: G-160, G-164
    let old = r#"{"semantic_query":"散步","memory_types":["事件"]}"#;
    let model = Arc::new(Replay::default().reply("plan", old));
    let (_memory, space, _) = under(
        "graph",
        Options::new().model(Arc::clone(&model) as Arc<dyn Provider>),
    );
    let context: BTreeMap<String, String> =
        [("recent".to_owned(), "昨天和小明在公园".to_owned())].into();
    let plan = space
        .designs()
        .graph()
        .plan_query("我们做了什么？", &context)
        .unwrap();
    let expected = QueryPlan {
        semantic_query: "散步".into(),
        memory_types: vec!["事件".into()],
        ..QueryPlan::default()
    };
    assert_eq!(plan, expected);
    assert_eq!(
        (
            plan.expand_depth,
            plan.relation_filters.clone(),
            plan.search_mode
        ),
        (0, None, RecallMode::Auto)
    );
    let asked = model.asked();
    let prompt = &asked[0].messages[1].text;
    assert!(
        prompt.contains("昨天和小明在公园") && prompt.contains("我们做了什么？"),
        "{prompt}"
    );
    // The transcript is at its end: the words decide.
    let rules = space
        .designs()
        .graph()
        .plan_query("我为什么今天不开心？", &context)
        .unwrap();
    assert_eq!(
        (rules.expand_depth, rules.relation_filters),
        (1, Some(vec!["因为".into(), "导致".into()]))
    );
    model.push("plan", Ok(annals::llm::provider::Reply::text("我想想……")));
    model.push(
        "plan",
        Ok(annals::llm::provider::Reply::text(
            r#"{"semantic_query":"x","search_mode":"slow"}"#,
        )),
    );
    for _ in 0..2 {
        assert_eq!(
            space
                .designs()
                .graph()
                .plan_query("和小明有关的记忆", &context)
                .unwrap()
                .expand_depth,
            1
        );
    }
    space
        .remember(NewMemory::builder("散步").kind("事件").build().unwrap())
        .unwrap();
    assert_eq!(
        space
            .designs()
            .graph()
            .retrieve("散步", &context, "auto")
            .unwrap()
            .hits
            .len(),
        1
    );
    let deep = space
        .designs()
        .graph()
        .retrieve("散步", &context, "deep")
        .unwrap();
    assert_eq!(deep.hits.len(), 1);
    assert!(
        space
            .designs()
            .graph()
            .retrieve("散步", &context, "slow")
            .unwrap_err()
            .is_invalid()
    );
    // A tool's search is planned as well, with what the caller knows of the conversation.
    let before = model.asked().len();
    let setting = ToolSetting {
        context,
        ..ToolSetting::default()
    };
    space
        .tools()
        .call_in("search_memories", r#"{"query":"散步"}"#, &setting)
        .unwrap();
    let planned = &model.asked()[before];
    assert!(planned.purpose == "plan" && planned.messages[1].text.contains("昨天和小明在公园"));
}

/// Makes episodes about one thing.
struct About(&'static str);

impl Summarizer for About {
    fn summarize(&self, _: &[StoredMemory]) -> Result<String, JudgeError> {
        unreachable!("an episode is asked for")
    }

    fn episode(&self, _: &[StoredMemory]) -> Result<EpisodeDraft, JudgeError> {
        let entities = vec![self.0.to_owned()];
        let text = |text: &str| text.to_owned();
        Ok(EpisodeDraft {
            summary: text("修好了测试"),
            goal: text("跑通测试"),
            outcome: text("通过"),
            entities,
        })
    }
}

fn kinds(reply: &Value) -> Vec<&str> {
    let mut kinds: Vec<&str> = reply["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["kind"].as_str().unwrap())
        .collect();
    kinds.sort_unstable();
    kinds
}

#[test]
fn the_first_level_finds_memories_and_episodes_of_what_is_named() {
    // spec: A-81, A-88
    let (memory, space, _) = under(
        "agent",
        Options::new().summarizer(Arc::new(About("pytest"))),
    );
    let skill = NewMemory::builder("用 pytest -x 先跑失败的用例")
        .kind("SKILL")
        .build()
        .unwrap();
    let skill = space.remember(skill).unwrap();
    space
        .designs()
        .agent()
        .on_turn_end(NewTurn::builder("s1", "帮我跑一下 pytest").build().unwrap())
        .unwrap();
    let episode = space.session("s1").end().unwrap().episode.unwrap();
    let found = done(&space, "search_memory", json!({"query":"pytest"}));
    assert_eq!(
        (kinds(&found), &found["fallback"]),
        (vec!["SKILL", "episode"], &json!(false)),
        "{found}"
    );
    let mut ids: Vec<MemoryId> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| id_of(&result["id"]))
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [skill, episode]);
    assert_eq!(
        kinds(&done(
            &space,
            "search_memory",
            json!({"query":"pytest","types":["SKILL"]})
        )),
        ["SKILL"]
    );
    for n in 0..12 {
        let more = NewMemory::builder(format!("pytest 的第 {n} 条经验"))
            .kind("SKILL")
            .build()
            .unwrap();
        space.remember(more).unwrap();
    }
    assert_eq!(
        done(&space, "search_memory", json!({"query":"经验"}))["count"],
        10
    );
    assert_eq!(
        done(&space, "search_memory", json!({"query":"经验","limit":3}))["count"],
        3
    );
    for (tool, arguments, field) in [
        ("search_memory", json!({}), "query"),
        (
            "search_memory",
            json!({"query":"x","types":["GOSSIP"]}),
            "types",
        ),
        (
            "search_memory",
            json!({"query":"x","limit":"many"}),
            "limit",
        ),
        (
            "search_conversation_traces",
            json!({"session_id":"s1"}),
            "keyword",
        ),
        (
            "search_conversation_traces",
            json!({"keyword":"x","max_chars":{}}),
            "max_chars",
        ),
    ] {
        assert_eq!(
            call(&space, tool, &arguments)["error"]["field"],
            field,
            "{tool}"
        );
    }
    let long = "y".repeat(6000);
    let step = ToolCall {
        name: annals::Label::new("tool", "run").unwrap(),
        arguments: "cat log".into(),
        result: Some(long),
    };
    let turn = NewTurn::builder("s2", "看日志")
        .role(Role::Assistant)
        .tool_call(step);
    for _ in 0..7 {
        space
            .sessions()
            .append(vec![turn.clone().build().unwrap()])
            .unwrap();
    }
    let traces = done(
        &space,
        "search_conversation_traces",
        json!({"keyword":"cat log"}),
    );
    assert_eq!(traces["count"], 5);
    let shown = traces["traces"][0]["tool_calls"][0]["result"]
        .as_str()
        .unwrap();
    assert!(shown.ends_with("…[truncated]"), "{}", shown.len());
    let chars = |trace: &Value| {
        let step = &trace["tool_calls"][0];
        [&trace["content"], &step["arguments"], &step["result"]]
            .iter()
            .map(|text| text.as_str().unwrap().chars().count())
            .sum::<usize>()
    };
    assert_eq!(
        chars(&traces["traces"][0]),
        4000 + "…[truncated]".chars().count()
    );
    let few = done(
        &space,
        "search_conversation_traces",
        json!({"keyword":"cat log","limit":2,"session_id":"s2"}),
    );
    assert_eq!(few["count"], 2);
    let elsewhere = done(
        &space,
        "search_conversation_traces",
        json!({"keyword":"cat log","session_id":"s1"}),
    );
    assert_eq!(
        (&elsewhere["count"], &elsewhere["source"]),
        (&json!(0), &Value::Null)
    );
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn without_an_embedder_words_answer() {
    // spec: A-82
    let world = crate::support::likeness::World::new("agent");
    let fact = world.put("FACT", 0.1, "用户的代码目录在 D:\\code");
    world.put("FACT", 0.1, "用户喜欢喝茶");
    let with = done(&world.space, "search_memory", json!({"query":"代码目录"}));
    assert_eq!(with["fallback"], false);
    *world.embedder.broken.lock().unwrap() = true;
    let without = done(&world.space, "search_memory", json!({"query":"代码目录"}));
    assert_eq!(
        (&without["fallback"], &without["count"]),
        (&json!(true), &json!(1)),
        "{without}"
    );
    assert_eq!(id_of(&without["results"][0]["id"]), fact);
    *world.embedder.broken.lock().unwrap() = false;
    // An episode answers only to what it is about; where nothing else is found its words count.
    let (_memory, space, _) = under("agent", Options::new());
    let episode = NewMemory::builder("部署到东京机房")
        .layer(Layer::Episodic)
        .kind("episode")
        .build()
        .unwrap();
    space.remember(episode).unwrap();
    let found = done(&space, "search_memory", json!({"query":"东京机房"}));
    assert_eq!(
        (kinds(&found), &found["fallback"]),
        (vec!["episode"], &json!(true))
    );
}

#[test]
fn the_second_level_brings_arguments_and_results_word_for_word() {
    // spec: A-85, A-04
    let (_memory, space, clock) = under("agent", Options::new());
    let listing = "code  notes.txt\nannals  <b>&\"  C:\\";
    let ls = ToolCall {
        name: annals::Label::new("tool", "run").unwrap(),
        arguments: r#"{"command":"ls D:\\code"}"#.to_owned(),
        result: Some(listing.to_owned()),
    };
    let user = NewTurn::builder("s1", "看看代码目录里有什么")
        .build()
        .unwrap();
    space.sessions().append(vec![user]).unwrap();
    clock.advance_millis(5000);
    let answer = NewTurn::builder("s1", "有两个条目。")
        .role(Role::Assistant)
        .tool_call(ls.clone())
        .build()
        .unwrap();
    space.sessions().append(vec![answer]).unwrap();
    let turns = space.session("s1").turns(0, 10).unwrap();
    let told: Vec<(&str, u32, Role, &str)> = turns
        .iter()
        .map(|turn| {
            (
                turn.session_id.as_str(),
                turn.turn_index,
                turn.role,
                turn.content.as_str(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("s1", 0, Role::User, "看看代码目录里有什么"),
            ("s1", 1, Role::Assistant, "有两个条目。")
        ]
    );
    assert_eq!(
        (turns[0].tool_calls.len(), turns[1].tool_calls.as_slice()),
        (0, [ls].as_slice())
    );
    assert_eq!(turns[1].timestamp, start().plus_millis(5000));
    assert!(turns.iter().all(|turn| !turn.extracted));
    let found = done(
        &space,
        "search_conversation_traces",
        json!({"keyword":"ls D:"}),
    );
    assert_eq!(
        (&found["source"], &found["count"]),
        (&json!("turns"), &json!(1))
    );
    let trace = &found["traces"][0];
    assert_eq!(
        trace["tool_calls"][0]["arguments"],
        r#"{"command":"ls D:\\code"}"#
    );
    assert_eq!(
        (
            &trace["tool_calls"][0]["result"],
            &trace["tool_calls"][0]["name"]
        ),
        (&json!(listing), &json!("run"))
    );
    assert_eq!(
        (&trace["session_id"], &trace["turn_index"], &trace["role"]),
        (&json!("s1"), &json!(1), &json!("assistant"))
    );
    let by_result = done(
        &space,
        "search_conversation_traces",
        json!({"keyword":"NOTES.TXT"}),
    );
    assert_eq!(by_result["traces"][0]["turn_index"], 1);
}

/// Counts the files of traces that were left out, as the log tells.
#[derive(Clone, Default)]
struct LeftOut(Arc<AtomicUsize>);

impl tracing::Subscriber for LeftOut {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        self.0.fetch_add(
            usize::from(event.metadata().target().ends_with("trace_files")),
            Ordering::Relaxed,
        );
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn traces_are_looked_for_in_turns_then_in_steps_then_in_files() {
    // spec: A-86
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().to_str().unwrap();
    let (_memory, space, _) = under("agent", Options::new().mirrors(home));
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    space
        .sessions()
        .append(vec![
            NewTurn::builder("s1", "alpha 在对话里").build().unwrap(),
        ])
        .unwrap();
    let steps = r#"{"conversation_id":"s2","iterations":[{"iteration":1,"thinking":"先列目录",
        "tool_calls":[{"name":"run","input":{"command":"beta --all"}}],"tool_results":[{"content":"beta: 3 个文件"}]}]}"#;
    write("data/react_traces/2025-11-05/s2.json", steps);
    let lines = "{\"session_id\":\"s3\",\"turn_index\":4,\"role\":\"user\",\"content\":\"gamma 在文件里\",\
                 \"tool_calls\":[]}\nnot json\n";
    write("data/memory/conversation_history/s3.jsonl", lines);
    let find = |keyword: &str| {
        done(
            &space,
            "search_conversation_traces",
            json!({ "keyword": keyword }),
        )
    };
    for (keyword, source, session) in [
        ("alpha", "turns", "s1"),
        ("beta", "react_traces", "s2"),
        ("gamma", "jsonl", "s3"),
    ] {
        let found = find(keyword);
        assert_eq!(
            (&found["source"], &found["count"]),
            (&json!(source), &json!(1)),
            "{found}"
        );
        assert_eq!(found["traces"][0]["session_id"], session);
    }
    let step = &find("beta")["traces"][0]["tool_calls"][0];
    assert_eq!(
        (&step["arguments"], &step["result"]),
        (
            &json!("{\"command\":\"beta --all\"}"),
            &json!("beta: 3 个文件")
        )
    );
    // A hit in one source: those behind it are not even looked at. In each of them lies a file
    // that is too large, which its reader would note.
    write(
        "data/react_traces/2025-11-05/s9.json",
        r#"{"conversation_id":"s9","iterations":[{"content":"alpha"}]}"#,
    );
    write(
        "data/memory/conversation_history/s9.jsonl",
        "{\"session_id\":\"s9\",\"content\":\"alpha beta\"}\n",
    );
    for large in [
        "data/react_traces/large.json",
        "data/memory/conversation_history/large.jsonl",
    ] {
        std::fs::File::create(folder.path().join(large))
            .unwrap()
            .set_len((64 << 20) + 1)
            .unwrap();
    }
    for (keyword, source, read) in [
        ("alpha", "turns", 0),
        ("beta", "react_traces", 1),
        ("gamma", "jsonl", 2),
    ] {
        let noted = LeftOut::default();
        let found = tracing::subscriber::with_default(noted.clone(), || find(keyword));
        assert_eq!(
            (&found["source"], &found["count"]),
            (&json!(source), &json!(1)),
            "{found}"
        );
        assert_eq!(noted.0.load(Ordering::Relaxed), read, "{keyword}");
    }
    assert_eq!(find("delta")["count"], 0);
    let of = |session: &str| {
        done(
            &space,
            "search_conversation_traces",
            json!({"keyword":"文件里","session_id":session}),
        )["count"]
            .clone()
    };
    assert_eq!((of("s3"), of("s4")), (json!(1), json!(0)));
}

#[test]
fn what_a_profile_keeps_back_since_reaches_no_model() {
    let (memory, space, _) = under("agent", Options::new());
    let text = annals::profiles::builtin("agent").unwrap();
    memory
        .profiles()
        .store("open", &format!("{text}\n[privacy]\ncard = \"allow\"\n"))
        .unwrap();
    space.admin().set_profile("open").unwrap();
    let card = "card 4111 1111 1111 1111";
    space
        .sessions()
        .append(vec![NewTurn::builder("s1", card).build().unwrap()])
        .unwrap();
    let rule = NewMemory::builder(card)
        .kind("RULE")
        .metadata("duration", "permanent")
        .build()
        .unwrap();
    space.remember(rule).unwrap();
    assert!(
        space
            .designs()
            .markdown()
            .prompt_memories(20)
            .unwrap()
            .contains("4111")
    );
    memory
        .profiles()
        .store("own", &format!("{text}\n[privacy]\ncard = \"mask\"\n"))
        .unwrap();
    space.admin().set_profile("own").unwrap();
    // The whole of it, and cut off in the middle.
    for most in [200, 14] {
        let found = done(
            &space,
            "search_conversation_traces",
            json!({ "keyword": "card", "max_chars": most }),
        );
        assert_eq!(found["count"], 1, "{found}");
        assert!(!found.to_string().contains("4111"), "{found}");
    }
    assert!(
        !done(&space, "search_memory", json!({ "query": "card" }))
            .to_string()
            .contains("4111")
    );
    let shown = space.designs().markdown().prompt_memories(20).unwrap();
    assert!(shown.contains("card") && !shown.contains("4111"), "{shown}");
    memory
        .profiles()
        .store("off", &format!("{text}\n[surface]\nenabled = false\n"))
        .unwrap();
    space.admin().set_profile("off").unwrap();
    assert_eq!(space.designs().markdown().prompt_memories(20).unwrap(), "");
}

#[test]
fn a_file_of_traces_that_cannot_be_read_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (_memory, space, _) = under(
        "agent",
        Options::new().mirrors(folder.path().to_str().unwrap()),
    );
    let traces = folder.path().join("data/react_traces");
    std::fs::create_dir_all(&traces).unwrap();
    // Larger than any file that is read; nothing of it is on the disk.
    std::fs::File::create(traces.join("b.json"))
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    std::fs::write(
        traces.join("c.json"),
        "{ \"iterations\": [{\"content\": \"beta, cut",
    )
    .unwrap();
    std::fs::write(
        traces.join("a.json"),
        r#"{"iterations":[{"content":"\u0062eta 在文件里"}]}"#,
    )
    .unwrap();
    let found = done(
        &space,
        "search_conversation_traces",
        json!({ "keyword": "beta" }),
    );
    assert_eq!(
        (&found["count"], &found["traces"][0]["session_id"]),
        (&json!(1), &json!("a")),
        "{found}"
    );
    // Nor do many of them, looked at first, use up what may be read.
    for n in 0..6 {
        std::fs::File::create(traces.join(format!("z{n}.json")))
            .unwrap()
            .set_len((64 << 20) + 1)
            .unwrap();
    }
    let found = done(
        &space,
        "search_conversation_traces",
        json!({ "keyword": "beta" }),
    );
    assert_eq!(found["count"], 1, "{found}");
    assert!(
        found["warnings"][0].as_str().unwrap().contains("7 files"),
        "{found}"
    );
}

#[test]
fn what_has_expired_is_on_no_level() {
    // spec: A-90
    let (_memory, space, clock) = under("agent", Options::new());
    let note = |text: &str, millis: Option<i64>| {
        let memory = NewMemory::builder(text).kind("FACT");
        let memory = millis.map_or(memory.clone(), |millis| {
            memory.expires_at(start().plus_millis(millis))
        });
        space.remember(memory.build().unwrap()).unwrap();
    };
    let said = |text: &str, millis: Option<i64>| {
        let turn = NewTurn::builder("s", text);
        let turn = millis.map_or(turn.clone(), |millis| {
            turn.expires_at(start().plus_millis(millis))
        });
        space
            .sessions()
            .append(vec![turn.build().unwrap()])
            .unwrap();
    };
    for (word, millis) in [
        ("旧暗号", Some(9000)),
        ("今暗号", Some(10_000)),
        ("久暗号", None),
    ] {
        note(&format!("记住{word}"), millis);
        said(&format!("说过{word}"), millis);
    }
    clock.advance_millis(10_000);
    let texts = |reply: &Value, list: &str| {
        let mut texts: Vec<String> = reply[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| found["content"].as_str().unwrap().to_owned())
            .collect();
        texts.sort();
        texts
    };
    let first = done(&space, "search_memory", json!({"query":"暗号"}));
    assert_eq!(texts(&first, "results"), ["记住久暗号", "记住今暗号"]);
    let second = done(
        &space,
        "search_conversation_traces",
        json!({"keyword":"暗号"}),
    );
    assert_eq!(texts(&second, "traces"), ["说过久暗号", "说过今暗号"]);
    // Nor in the parts of a prompt: the core holds what lasts long, for ever, and until this very
    // moment.
    let lasting = NewMemory::builder("记住永远的暗号")
        .kind("FACT")
        .metadata("duration", "permanent")
        .build()
        .unwrap();
    let lasting = space.remember(lasting).unwrap();
    assert_eq!(
        space.lifecycle().standings(&[lasting]).unwrap()[0]
            .as_ref()
            .unwrap()
            .expires_at,
        None
    );
    let context = space.context(ContextRequest::new("暗号是什么")).unwrap();
    let core = &context.part("core").unwrap().text;
    for (word, there) in [
        ("旧暗号", false),
        ("今暗号", true),
        ("久暗号", true),
        ("永远的暗号", true),
    ] {
        assert_eq!(
            (core.contains(word), context.text.contains(word)),
            (there, there),
            "{word} in {core}"
        );
    }
}

#[test]
fn recall_memory_answers_lines_also_of_what_was_archived() {
    // spec: M-88
    let (memory, space, _) = under("markdown", Options::new());
    let names: Vec<String> = space
        .tools()
        .list()
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["recall_memory"]);
    let put = |text: &str, importance: f32| {
        let entry = NewMemory::builder(text)
            .kind("preference")
            .importance(importance)
            .build()
            .unwrap();
        space.remember(entry).unwrap()
    };
    let (old, new) = (put("用户喜欢喝龙井茶", 0.15), put("用户喜欢喝普洱茶", 0.6));
    memory.maintain(true, Mode::Commit).unwrap();
    assert_eq!(space.get(old).unwrap().unwrap().status, Status::Archived);
    let found = done(&space, "recall_memory", json!({"query":"喝什么茶"}));
    let line = |id: MemoryId| {
        let found = found["results"]
            .as_array()
            .unwrap()
            .iter()
            .find(|line| id_of(&line["id"]) == id)
            .unwrap();
        (
            found["category"].clone(),
            found["score"].clone(),
            found["date"].clone(),
        )
    };
    assert_eq!(
        line(old),
        (json!("preference"), json!(0.15), json!("2025-11-05"))
    );
    assert_eq!(
        line(new),
        (json!("preference"), json!(0.6), json!("2025-11-05"))
    );
    let archived = done(
        &space,
        "recall_memory",
        json!({"query":"喝什么茶","include_active":false}),
    );
    assert_eq!(
        (&archived["count"], id_of(&archived["results"][0]["id"])),
        (&json!(1), old)
    );
    for n in 0..8 {
        put(&format!("第 {n} 种茶"), 0.6);
    }
    assert_eq!(
        done(&space, "recall_memory", json!({"query":"茶"}))["count"],
        5
    );
    assert_eq!(
        done(&space, "recall_memory", json!({"query":"茶","limit":7}))["count"],
        7
    );
}

#[test]
fn a_profile_whose_memories_stand_in_the_prompt_offers_no_tool() {
    for profile in ["studio", "companion"] {
        let (_memory, space, _) = under(profile, Options::new());
        assert!(
            space.tools().list().unwrap().is_empty()
                && space.tools().instruction().unwrap().is_none(),
            "{profile}"
        );
        let refused = call(&space, "search_memories", &json!({"query":"x"}));
        assert_eq!(refused["success"], false);
    }
    let (_memory, space, _) = under("agent", Options::new());
    assert_eq!(
        call(&space, "create_memory", &json!({}))["error"]["field"],
        "create_memory"
    );
}

#[test]
fn what_must_not_be_kept_is_in_no_node() {
    let text = Memory::options()
        .in_memory()
        .unwrap()
        .profiles()
        .text("graph")
        .unwrap();
    let masked = text.replace("api_key = \"reject\"", "api_key = \"mask\"");
    assert_ne!(masked, text);
    let (memory, space, _) = graph();
    let key = format!("sk-{}", "a1B2c3D4e5F6g7H8i9J0k1L2");
    let secret = json!({"subject":"我","memory_type":"事实","topic":"密钥","object":key,"attributes":{"来源":key}});
    let refused = call(&space, "create_memory", &secret);
    assert!(
        refused["success"] == false && !refused.to_string().contains(&key),
        "{refused}"
    );
    assert_eq!(space.graph().stats().unwrap().entities, 0);
    memory.profiles().store("masking", &masked).unwrap();
    let space = memory.create_namespace("m", "masking").unwrap();
    let id = create(&space, secret);
    assert!(
        !space
            .graph()
            .subgraph(id)
            .unwrap()
            .to_graph_text()
            .contains(&key)
    );
    assert!(!space.get(id).unwrap().unwrap().body.text.contains(&key));
}

#[test]
fn odd_calls_are_answered_and_change_nothing() {
    let tools = [
        "create_memory",
        "link_memories",
        "search_memories",
        "update_memory_importance",
        "search_memory",
        "search_conversation_traces",
        "recall_memory",
        "",
        "💥",
        "drop table",
    ];
    let odd = [
        "",
        "null",
        "[]",
        "\"x\"",
        "{",
        "{}",
        "{\"query\":\"\"}",
        "{\"query\":null}",
        "{\"query\":[[[[]]]]}",
        "{\"query\":\"\\u0000\",\"limit\":-1}",
        "{\"query\":\"x\",\"limit\":1e308,\"max_results\":1e308}",
        "{\"subject\":\" \",\"memory_type\":\"事件\",\"topic\":\"\\n\"}",
        "{\"subject\":\"x\",\"memory_type\":\"事件\",\"topic\":\"y\",\"importance\":\"NaN\"}",
        "{\"subject\":\"x\",\"memory_type\":\"事件\",\"topic\":\"y\",\"attributes\":[1]}",
        "{\"source\":\"\",\"target\":\"\",\"relation_type\":\"导致\"}",
        "{\"source\":\"x\",\"target\":\"y\",\"relation_type\":\"DROP\"}",
        "{\"memory_description\":\"x\",\"importance\":\"inf\"}",
        "{\"keyword\":\"\\ud800\"}",
        "{\"keyword\":\"\",\"session_id\":\"../../etc/passwd\"}",
        "{\"query\":\"x\",\"time_range\":{\"start\":\"9999999-99-99\",\"end\":{}}}",
    ];
    for profile in ["graph", "agent", "markdown"] {
        let (memory, space, _) = under(profile, Options::new());
        for tool in tools {
            for arguments in odd {
                let reply = space.tools().call(tool, arguments).unwrap();
                assert!(
                    serde_json::from_str::<Value>(reply.as_json())
                        .unwrap()
                        .is_object(),
                    "{tool} {arguments}"
                );
            }
            let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
            assert!(!space.tools().call(tool, &deep).unwrap().is_success());
        }
        assert_eq!(
            space.list(&ListQuery::default()).unwrap().total,
            0,
            "{profile}"
        );
        assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    }
}

/// The schemas of the design, without what explains them.
const DESIGNED: &str = r#"[
 {"name":"create_memory","parameters":{"type":"object","properties":{
   "subject":{"type":"string"},"memory_type":{"type":"string","enum":["事件","事实","关系","观点"]},
   "topic":{"type":"string"},"object":{"type":"string"},
   "attributes":{"type":"object","additionalProperties":{"type":"string"}},
   "importance":{"type":"number","minimum":0,"maximum":1,"default":0.5}},
   "required":["subject","memory_type","topic"]}},
 {"name":"link_memories","parameters":{"type":"object","properties":{
   "source_memory_description":{"type":"string"},"target_memory_description":{"type":"string"},
   "relation_type":{"type":"string","enum":["因为","所以","导致","引用","基于","相关"]},
   "importance":{"type":"number","default":0.6}},
   "required":["source_memory_description","target_memory_description","relation_type"]}},
 {"name":"search_memories","parameters":{"type":"object","properties":{
   "query":{"type":"string"},"memory_types":{"type":"array","items":{"enum":["事件","事实","关系","观点"]}},
   "time_range":{"type":"object","properties":{"start":{"type":"string"},"end":{"type":"string"}}},
   "max_results":{"type":"integer","default":10},"expand_depth":{"type":"integer","default":1}},
   "required":["query"]}}
]"#;

fn bare(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "description")
            .map(|(name, v)| (name.clone(), bare(v)))
            .collect(),
        Value::Array(items) => items.iter().map(bare).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_graph_publishes_the_tools_of_its_design() {
    // spec: G-20, G-39, G-48, G-57
    let (_memory, space, _) = graph();
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    let published = space.tools().list().unwrap();
    let designed: Vec<Value> = serde_json::from_str(DESIGNED).unwrap();
    for (tool, wanted) in published.iter().zip(&designed) {
        let parameters: Value = serde_json::from_str(&tool.parameters).unwrap();
        assert_eq!(
            json!({ "name": tool.name, "parameters": bare(&parameters) }),
            *wanted
        );
    }
    assert_eq!(
        (published.len(), &*published[3].name),
        (4, "update_memory_importance")
    );
    let apart = |topic: &str| {
        create(
            &space,
            json!({ "subject": "我", "memory_type": "事件", "topic": topic }),
        )
    };
    let (rain, late) = (apart("淋雨"), apart("迟到"));
    let linked =
        json!({ "source": rain.to_string(), "target": late.to_string(), "relation_type": "导致" });
    done(&space, "link_memories", linked);
    assert_eq!(space.graph().links(rain).unwrap()[0].weight, 0.6);
}

#[test]
fn every_argument_of_a_graph_is_explained_in_chinese() {
    // spec: G-23, G-24
    let (_memory, space, _) = graph();
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    for tool in space.tools().list().unwrap() {
        let schema: Value = serde_json::from_str(&tool.parameters).unwrap();
        for (name, argument) in schema["properties"].as_object().unwrap() {
            let text = argument["description"].as_str().unwrap_or_default();
            assert!(
                text.chars().any(|c| c > '\u{2E80}'),
                "{}.{name}: {text:?}",
                tool.name
            );
        }
    }
    let tools = space.tools().list().unwrap();
    let schema: Value = serde_json::from_str(&tools[0].parameters).unwrap();
    let anchors = schema["properties"]["importance"]["description"]
        .as_str()
        .unwrap();
    for anchor in [
        "0.3=日常琐事",
        "0.5=一般事件",
        "0.8=重要事件",
        "1.0=关键记忆",
    ] {
        assert!(anchors.contains(anchor), "{anchor}");
    }
}

#[test]
fn calls_are_converted_and_refused_by_field() {
    // spec: G-06, G-10, G-22, G-25
    let (_memory, space, _) = graph();
    let keys = [
        "时间", "地点", "原因", "方式", "基于", "物品", "程度", "餐次", "来源", "评价",
    ];
    let said: serde_json::Map<String, Value> = keys
        .iter()
        .map(|key| ((*key).to_owned(), "苹果,香蕉".into()))
        .collect();
    let whole = create(
        &space,
        json!({
            "subject": "我", "memory_type": "事件", "topic": "购物", "object": "水果",
            "attributes": said, "importance": "0.8"
        }),
    );
    let stored = space.get(whole).unwrap().unwrap();
    assert!((stored.body.importance.get() - 0.8).abs() < 1e-6);
    let mut named: Vec<String> = attributes(&space, whole)
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    named.sort();
    let mut wanted = keys.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(named, wanted);
    for kind in ["事件", "事实", "关系", "观点"] {
        create(
            &space,
            json!({ "subject": "我", "memory_type": kind, "topic": format!("一件{kind}") }),
        );
    }
    let missing = call(
        &space,
        "create_memory",
        &json!({ "subject": "我", "memory_type": "事件" }),
    );
    assert_eq!(
        (&missing["success"], &missing["error"]["field"]),
        (&false.into(), &"topic".into())
    );
    let wrong = call(
        &space,
        "create_memory",
        &json!({ "subject": "我", "memory_type": "情绪", "topic": "x" }),
    );
    assert_eq!(wrong["error"]["field"], "memory_type");
    let message = wrong["error"]["message"].as_str().unwrap();
    assert!(
        ["事件", "事实", "关系", "观点"]
            .iter()
            .all(|kind| message.contains(kind)),
        "{message}"
    );
}

#[test]
fn an_agent_is_told_what_each_search_is_for() {
    // spec: A-84, A-87
    let (_memory, space, _) = under("agent", Options::new());
    space.admin().set_language(Some("zh".to_owned())).unwrap();
    let tools = space.tools().list().unwrap();
    let tool = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap();
    let first = &tool("search_memory").description;
    assert!(
        ["偏好", "规则", "经验", "操作"]
            .iter()
            .all(|word| first.contains(word)),
        "{first}"
    );
    let second = tool("search_conversation_traces");
    assert!(
        second.description.contains("参数") && second.description.contains("返回值"),
        "{}",
        second.description
    );
    let schema: Value = serde_json::from_str(&second.parameters).unwrap();
    assert_eq!(schema["required"], json!(["keyword"]));
}
