//! Calls of tools as no model should make them: nothing panics, every answer is JSON, and no other
//! namespace is touched.

use std::cell::Cell;

use annals::blocking::{Memory, Namespace};
use annals::{ListQuery, ManualClock, NewMemory, Options, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

/// All tools of all profiles, and one that nobody has.
const TOOLS: [&str; 8] = [
    "create_memory",
    "link_memories",
    "search_memories",
    "search_memory",
    "search_conversation_traces",
    "recall_memory",
    "visualize",
    "../drop",
];
/// The names of their arguments, and some that none has.
const NAMES: [&str; 24] = [
    "query",
    "keyword",
    "subject",
    "memory_type",
    "memory_types",
    "topic",
    "object",
    "attributes",
    "importance",
    "source_memory_description",
    "target_memory_description",
    "relation_type",
    "time_range",
    "start",
    "end",
    "max_results",
    "expand_depth",
    "limit",
    "include_active",
    "role",
    "date",
    "session",
    "namespace",
    "id",
];
const WORDS: [&str; 22] = [
    "事件",
    "事实",
    "因为",
    "导致",
    "我",
    "茶",
    "other",
    "b",
    "../b",
    "2025-11-04",
    "9999-12-31",
    "昨天",
    "the secret of b",
    "",
    "\u{0}",
    "\u{202e}",
    "ﷺ",
    "'; DROP TABLE memories; --",
    "</memory>",
    "{\"query\":1}",
    "%s%n",
    "一一一一一一一一一一一一一一一一一一一一",
];

fn value() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned),
        ".{0,20}"
    ];
    let plain = prop_oneof![
        6 => word.clone().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        2 => any::<i64>().prop_map(Value::from),
        1 => (-3_i64..20).prop_map(Value::from),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => word.prop_map(|word| Value::from(word.repeat(400))),
    ];
    plain.prop_recursive(3, 24, 5, |inner| {
        let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Arguments: mostly an object with known names, now and then no JSON at all.
fn arguments() -> impl Strategy<Value = String> {
    let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
    let object = prop::collection::btree_map(name, value(), 0..7)
        .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>()).to_string())
        .boxed();
    let cut =
        (object.clone(), 0_usize..60).prop_map(|(text, end)| text.chars().take(end).collect());
    prop_oneof![8 => object, 1 => value().prop_map(|value| value.to_string()), 1 => cut, 1 => ".{0,40}"]
}

/// Calls as they should be.
const PROPER: [(&str, &str); 6] = [
    (
        "create_memory",
        r#"{"subject":"我","memory_type":"事件","topic":"喝茶","object":"茶"}"#,
    ),
    (
        "link_memories",
        r#"{"source_memory_description":"喝茶","target_memory_description":"喝茶","relation_type":"因为"}"#,
    ),
    ("search_memories", r#"{"query":"茶","max_results":3}"#),
    ("search_memory", r#"{"query":"茶"}"#),
    ("search_conversation_traces", r#"{"keyword":"茶"}"#),
    ("recall_memory", r#"{"query":"茶","limit":3}"#),
];

/// Calls: proper ones of which some arguments were changed, and any.
fn calls() -> impl Strategy<Value = (&'static str, String)> {
    let name = prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned);
    let changed = prop::collection::btree_map(name, value(), 0..3);
    let changed =
        (prop::sample::select(PROPER.to_vec()), changed).prop_map(|((tool, proper), changes)| {
            let mut arguments: Map<String, Value> = serde_json::from_str(proper).unwrap();
            arguments.extend(changes);
            (tool, Value::Object(arguments).to_string())
        });
    prop_oneof![changed, (prop::sample::select(TOOLS.to_vec()), arguments())]
}

fn texts(space: &Namespace) -> Vec<String> {
    let page = space
        .list(&ListQuery {
            limit: 100,
            ..ListQuery::default()
        })
        .unwrap();
    page.memories
        .into_iter()
        .map(|memory| memory.body.text)
        .collect()
}

#[test]
fn hostile_calls_are_answered_and_stay_in_their_namespace() {
    for profile in ["graph", "agent", "markdown", "studio"] {
        let now: Timestamp = "2026-01-10T10:00:00Z".parse().unwrap();
        let clock = std::sync::Arc::new(ManualClock::new(now));
        let memory: Memory = Options::new().clock(clock).id_seed(1).in_memory().unwrap();
        let (a, b) = (
            memory.create_namespace("a", profile).unwrap(),
            memory.create_namespace("b", "default").unwrap(),
        );
        b.remember(
            NewMemory::builder("the secret of b is heliotrope")
                .build()
                .unwrap(),
        )
        .unwrap();
        let before = (texts(&b), b.admin().stats().unwrap());
        let done = Cell::new(0);
        let mut runner = TestRunner::new(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(1000)
        });
        let ran = runner.run(&calls(), |(tool, arguments)| {
            let reply = a.tools().call(tool, &arguments).unwrap();
            let told: Value = serde_json::from_str(reply.as_json()).unwrap();
            prop_assert!(told.is_object(), "{told}");
            prop_assert!(!reply.as_json().contains("heliotrope"), "{told}");
            done.set(done.get() + usize::from(reply.is_success()));
            Ok(())
        });
        ran.unwrap();
        assert_eq!((texts(&b), b.admin().stats().unwrap()), before, "{profile}");
        assert_eq!(memory.namespaces().unwrap().len(), 2, "{profile}");
        assert_eq!(memory.validate().unwrap().problems, [""; 0], "{profile}");
        // Studio has no tools, and no namespace is made for them.
        assert_eq!(
            done.get() > 0,
            profile != "studio",
            "{profile}: {} calls were done",
            done.get()
        );
    }
}
