//! Many calls of tools: how many of them are done.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::{ManualClock, Options};
use serde_json::{Value, json};

use crate::support::life::day;

fn graph() -> (Memory, Namespace) {
    let memory = Options::new()
        .clock(Arc::new(ManualClock::new(day(0.0))))
        .id_seed(1)
        .in_memory()
        .unwrap();
    let space = memory.create_namespace("u", "graph").unwrap();
    (memory, space)
}

const TYPES: [&str; 4] = ["事件", "事实", "关系", "观点"];
const SUBJECTS: [&str; 5] = ["我", "小明", "妈妈", "The cat", "张三（同事）"];
const TIMES: [&str; 6] = [
    "今天",
    "昨天",
    "2025-11-05",
    "上周五",
    "明天下午三点",
    "去年夏天",
];

/// A call as the design's schema wants it, another one for each number.
fn valid(n: usize) -> Value {
    let mut call = json!({
        "subject": SUBJECTS[n % SUBJECTS.len()],
        "memory_type": TYPES[n % TYPES.len()],
        "topic": format!("题目 {} \u{1F408}", n / 3),
    });
    if n.is_multiple_of(2) {
        call["object"] = json!(format!("对象 {n}, \"quoted\" | # \\ <b>"));
    }
    if n.is_multiple_of(3) {
        call["attributes"] =
            json!({"时间": TIMES[n % TIMES.len()], "地点": "家里", "原因": "因为下雨"});
    }
    if n.is_multiple_of(5) {
        call["importance"] = json!([0.0, 0.3, 0.5, 0.8, 1.0][n / 5 % 5]);
    }
    if n.is_multiple_of(7) {
        call["relation"] = json!("喜欢");
    }
    call
}

#[test]
fn valid_calls_are_stored() {
    // spec: G-133
    let (memory, space) = graph();
    let call = |n: &usize| {
        space
            .tools()
            .call("create_memory", &valid(*n).to_string())
            .unwrap()
    };
    let done = (0..200).filter(|n| call(n).is_success()).count();
    let stored = space.admin().stats().unwrap().memories;
    assert!(done >= 190 && stored >= 190, "{done} done, {stored} stored");
    memory.wait_idle().unwrap();
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn calls_that_are_written_otherwise_are_done_and_counted() {
    // spec: G-140
    let (memory, space) = graph();
    let malformed = |n: usize| -> String {
        let mut call = valid(n);
        match n / 10 % 5 {
            0 => call["memory_type"] = json!(["event", "fact", "relation", "opinion"][n % 4]),
            1 => call["importance"] = json!("0.8"),
            2 => call["importance"] = json!(7),
            3 => return format!("```json\n{call}\n```"),
            _ => return format!("好的，我来保存：{call}。"),
        }
        call.to_string()
    };
    for n in 0..200 {
        let arguments = if n % 10 == 9 {
            malformed(n)
        } else {
            valid(n).to_string()
        };
        let reply = space.tools().call("create_memory", &arguments).unwrap();
        assert!(reply.is_success() || n % 10 != 9, "{arguments}: {reply}");
    }
    let usage = memory.usage().unwrap();
    assert_eq!((usage.tool_calls, usage.tool_calls_done), (200, 200));
    assert!(usage.tool_share() > 0.9);
    // Calls that cannot be carried out are counted, too.
    for bad in [
        r#"{"subject":"我"}"#,
        r#"{"subject":"我","memory_type":"情绪","topic":"x"}"#,
        "nothing",
    ] {
        assert!(
            !space
                .tools()
                .call("create_memory", bad)
                .unwrap()
                .is_success()
        );
    }
    assert!(
        !space
            .tools()
            .call("no_such_tool", "{}")
            .unwrap()
            .is_success()
    );
    let short = json!({"source": "题目 1", "target": "题目 2", "relation_type": "关于"});
    let linked = space
        .tools()
        .call("link_memories", &short.to_string())
        .unwrap()
        .is_success();
    let usage = memory.usage().unwrap();
    assert_eq!(
        (usage.tool_calls, usage.tool_calls_done),
        (205, 200 + u64::from(linked))
    );
    memory.wait_idle().unwrap();
}
