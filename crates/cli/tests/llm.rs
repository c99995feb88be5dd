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
