//! The commands that ask a language model, which here is a transcript.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod stage;

use stage::Stage;

const TURNS: &str = r#"{"session":"s","role":"user","text":"我喜欢函数式编程，项目用 Nuxt 4。"}
{"session":"s","role":"assistant","text":"好的。"}
"#;

#[test]
fn the_tools_are_printed_as_an_api_takes_them() {
    let stage = Stage::new();
    let printed: serde_json::Value = serde_json::from_str(&stage.ok(&["tools", "graph"])).unwrap();
    let names: Vec<&str> =
        printed["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["create_memory", "link_memories", "search_memories", "update_memory_importance"]);
    assert!(stage.ok(&["tools", "agent"]).contains("search_conversation_traces"));
    let call = r#"{"query":"x"}"#;
    assert!(stage.ok(&["tools", "agent", "--check", "search_memory", call]).contains("limit: 10"));
    let bad = stage.run(&["tools", "graph", "--check", "create_memory", r#"{"subject":"我"}"#]);
    assert!(bad.code == 4 && bad.err.contains("memory_type"), "{}", bad.all());
}

#[test]
fn a_conversation_goes_in_and_memories_come_out() {
    // spec: S-29
    let stage = Stage::new();
    let answer = r#"{"purpose":"extract","reply":{"text":"[{\"content\":\"用户喜欢函数式编程\",\"type\":\"preference\",\"importance\":0.9},{\"content\":\"项目使用 Nuxt 4\",\"type\":\"fact\",\"importance\":0.8}]"}}"#;
    let (model, turns) = (stage.file("answers.ndjson", answer), stage.file("chat.ndjson", TURNS));
    let said = stage.run(&["ingest", &turns, "--llm", &format!("replay:{model}")]);
    assert_eq!(
        said.out,
        "stored 2 memories\nfound 2 memories in 1 window\n  preference: 用户喜欢函数式编程\n  fact: 项目使用 Nuxt 4\n",
        "{}",
        said.all()
    );
    assert!(stage.ok(&["recall", "编程", "--min-score", "0"]).contains("用户喜欢函数式编程"));
}

#[test]
fn without_an_answer_the_conversation_waits_in_the_queue() {
    let stage = Stage::new();
    let (model, turns) = (stage.file("answers.ndjson", ""), stage.file("chat.ndjson", TURNS));
    let said = stage.run(&["ingest", &turns, "--llm", &format!("replay:{model}")]);
    assert!(said.code == 0 && said.out.contains("found 0 memories in 0 windows"), "{}", said.all());
    assert!(stage.ok(&["queue"]).contains("extract"));
    let nobody = stage.run(&["ingest", &turns]);
    assert!(nobody.code == 2 && nobody.err.contains("--llm"), "{}", nobody.all());
}

#[test]
fn what_was_said_in_one_chat_is_known_in_the_next() {
    let stage = Stage::new();
    let answers = r#"{"purpose":"chat","reply":{"text":"知道了，拉面。"}}
{"purpose":"extract","reply":{"text":"[ADD] 主人最喜欢的食物是拉面"}}
{"purpose":"chat","reply":{"text":"拉面！"}}
{"purpose":"extract","reply":{"text":"[SKIP]"}}
"#;
    let model = format!("replay:{}", stage.file("answers.ndjson", answers));
    let record = stage.path("record.ndjson");
    stage.set("ANNALS_LLM_RECORD", record.to_str().unwrap());
    let first = stage.run_with(&["chat", "--llm", &model], "我最喜欢的食物是拉面\n".as_bytes());
    assert_eq!(first.out, "知道了，拉面。\n  fact: 主人最喜欢的食物是拉面\n", "{}", first.all());
    std::fs::remove_file(&record).unwrap();
    let second = stage.run_with(&["chat", "--llm", &model], "我最喜欢的食物是什么\n".as_bytes());
    assert!(second.code == 0, "{}", second.all());
    let asked = std::fs::read_to_string(&record).unwrap();
    let first_line = asked.lines().next().unwrap();
    assert!(first_line.contains("- 主人最喜欢的食物是拉面"), "{first_line}");
}

#[test]
fn a_model_that_is_named_wrongly_is_said_so() {
    let stage = Stage::new();
    for word in ["qwen", "http://localhost:1/v1#", "ftp://x#m", "replay:/nowhere/at/all"] {
        let said = stage.run(&["chat", "--llm", word]);
        assert!(said.code != 0 && !said.err.is_empty(), "{word}: {}", said.all());
    }
}

#[test]
fn a_call_of_a_tool_is_done_from_the_command_line() {
    let stage = Stage::new();
    let call = |tool: &str, arguments: &str| -> serde_json::Value {
        serde_json::from_str(&stage.ok(&["tools", "call", "-n", "me", tool, arguments])).unwrap()
    };
    let made =
        call("create_memory", r#"{"subject":"我","memory_type":"事件","topic":"吃饭","attributes":{"时间":"昨天"}}"#);
    assert_eq!((&made["success"], &made["status"]), (&true.into(), &"staged".into()));
    let id = made["memory_id"].as_str().unwrap();
    assert!(stage.ok(&["show", "-n", "me", id]).contains("2026-02-28"));
    let found = call("search_memories", r#"{"query":"吃饭"}"#);
    assert_eq!((&found["count"], &found["results"][0]["memory_id"]), (&1.into(), &id.into()));
    let wrong = call("create_memory", r#"{"subject":"我"}"#);
    assert_eq!((&wrong["success"], &wrong["error"]["field"]), (&false.into(), &"memory_type".into()));
    let unknown = stage.ok(&["tools", "call", "-n", "me", "recall_memory", r#"{"query":"x"}"#]);
    assert!(unknown.contains("create_memory"), "{unknown}");
}

/// A line of a transcript in which the model calls tools.
fn calling(calls: &[(&str, &str)]) -> String {
    let calls: Vec<serde_json::Value> = calls
        .iter()
        .enumerate()
        .map(|(n, (name, arguments))| serde_json::json!({"id": format!("c{n}"), "name": name, "arguments": arguments}))
        .collect();
    serde_json::json!({"purpose": "chat", "reply": {"text": "", "calls": calls}}).to_string()
}

#[test]
fn a_model_builds_a_memory_graph_while_it_talks_and_searches_it_later() {
    // spec: G-144
    let stage = Stage::new();
    let sleep = r#"{"subject":"我","memory_type":"事件","topic":"失眠","attributes":{"时间":"昨晚"}}"#;
    let tired = r#"{"subject":"我","memory_type":"事实","topic":"身体状态","object":"很困"}"#;
    let link = r#"{"source_memory_description":"我失眠","target_memory_description":"我很困","relation_type":"导致"}"#;
    let transcript = [
        calling(&[("create_memory", sleep), ("create_memory", tired)]),
        calling(&[("link_memories", link)]),
        r#"{"purpose":"chat","reply":{"text":"记下了，早点休息。"}}"#.to_owned(),
        calling(&[("search_memories", r#"{"query":"我为什么很困？"}"#)]),
        r#"{"purpose":"chat","reply":{"text":"因为你失眠了。"}}"#.to_owned(),
    ];
    let model = format!("replay:{}", stage.file("answers.ndjson", transcript.join("\n")));
    let record = stage.path("record.ndjson");
    stage.set("ANNALS_LLM_RECORD", record.to_str().unwrap());
    let said = stage.run_with(
        &["chat", "-n", "me", "--profile", "graph", "--llm", &model],
        "昨晚我失眠了，所以很困\n我为什么很困？\n".as_bytes(),
    );
    assert_eq!(said.out, "记下了，早点休息。\n因为你失眠了。\n", "{}", said.all());
    let asked = std::fs::read_to_string(&record).unwrap();
    let requests: Vec<serde_json::Value> = asked.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let chats: Vec<&serde_json::Value> = requests.iter().filter(|line| line["purpose"] == "chat").collect();
    assert_eq!(chats.len(), 5);
    assert_eq!(chats[0]["request"]["tools"].as_array().unwrap().len(), 4);
    let told = chats[4]["request"]["messages"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap().to_owned();
    let found: serde_json::Value = serde_json::from_str(&told).unwrap();
    let texts: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|result| result["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"我 失眠，时间 2026-02-28 夜间") && texts.contains(&"我 身体状态 很困"), "{found}");
    assert!(requests.iter().all(|line| line["purpose"] != "extract"));
    let links = stage.ok(&["export", "-n", "me"]);
    assert!(links.contains("导致"), "{links}");
}

#[test]
fn a_model_of_the_studio_gets_no_tools_but_the_memories_themselves() {
    // spec: S-54
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "studio"]);
    let answers = r#"{"purpose":"chat","reply":{"text":"好"}}"#;
    let model = format!("replay:{}", stage.file("answers.ndjson", answers));
    let record = stage.path("record.ndjson");
    stage.set("ANNALS_LLM_RECORD", record.to_str().unwrap());
    stage.run_with(&["chat", "-n", "me", "--llm", &model], "你好\n".as_bytes());
    let asked = std::fs::read_to_string(&record).unwrap();
    let chat: serde_json::Value = serde_json::from_str(asked.lines().next().unwrap()).unwrap();
    assert_eq!(chat["purpose"], "chat");
    assert!(chat["request"]["tools"].as_array().is_none_or(Vec::is_empty), "{chat}");
    assert!(stage.ok(&["profile", "show", "studio"]).contains("mode = \"passive\""));
}
