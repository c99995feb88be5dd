//! The commands that ask a language model, which here is a transcript.

use crate::stage;

use stage::Stage;

const TURNS: &str = r#"{"session":"s","role":"user","text":"我喜欢函数式编程，项目用 Nuxt 4。"}
{"session":"s","role":"assistant","text":"好的。"}
"#;

/// A model that finds nothing in the first window of a run.
fn idle(stage: &Stage) -> String {
    format!(
        "replay:{}",
        stage.file(
            "idle.ndjson",
            r#"{"purpose":"extract","reply":{"text":"[]"}}"#
        )
    )
}

#[test]
fn the_tools_are_printed_as_an_api_takes_them() {
    let stage = Stage::new();
    let printed: serde_json::Value =
        serde_json::from_str(&stage.ok(&["model", "tools", "graph"])).unwrap();
    let names: Vec<&str> = printed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
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
    assert!(
        stage
            .ok(&["model", "tools", "agent"])
            .contains("search_conversation_traces")
    );
    let call = r#"{"query":"x"}"#;
    assert!(
        stage
            .ok(&["model", "tools", "agent", "--check", "search_memory", call])
            .contains("limit: 10")
    );
    let search = [
        "model",
        "tools",
        "graph",
        "--check",
        "search_memories",
        r#"{"query":"x","top_k":3}"#,
    ];
    let read = stage.run(&search);
    assert_eq!(
        read.out,
        "search_memories\n  max_results: 10\n  memory_types: []\n  query: \"x\"\n"
    );
    assert!(read.err.contains("top_k"), "{}", read.all());
    let read = stage.run(&[&search[..], &["--json"]].concat()).json();
    assert_eq!(
        (
            &read["arguments"]["max_results"],
            &read["arguments"]["query"]
        ),
        (&10.into(), &"x".into()),
        "{read}"
    );
    let bad = stage.run(&[
        "model",
        "tools",
        "graph",
        "--check",
        "create_memory",
        r#"{"subject":"我"}"#,
    ]);
    assert!(
        bad.code == 4 && bad.err.contains("memory_type"),
        "{}",
        bad.all()
    );
    let foreign = stage.run(&[
        "model",
        "tools",
        "agent",
        "--check",
        "create_memory",
        r#"{"subject":"我","memory_type":"事件","topic":"吃饭"}"#,
    ]);
    assert!(
        foreign.code == 4 && foreign.err.contains("search_memory"),
        "{}",
        foreign.all()
    );
}

#[test]
fn a_conversation_goes_in_and_memories_come_out() {
    // spec: S-29
    let stage = Stage::new();
    let answer = concat!(
        r#"{"purpose":"extract","reply":{"text":"[{\"content\":\"用户喜欢函数式编程\",\"type\":\"preference\","#,
        r#"\"importance\":0.9},{\"content\":\"项目使用 Nuxt 4\",\"type\":\"fact\",\"importance\":0.8}]"}}"#,
    );
    let (model, turns) = (
        stage.file("answers.ndjson", answer),
        stage.file("chat.ndjson", TURNS),
    );
    let said = stage.run(&["ingest", &turns, "--llm", &format!("replay:{model}")]);
    assert_eq!(
        said.out,
        "stored 2 memories\nfound 2 memories in 1 window\n  preference: 用户喜欢函数式编程\n  fact: 项目使用 Nuxt 4\n",
        "{}",
        said.all()
    );
    assert!(
        stage
            .ok(&["recall", "编程", "--min-score", "0"])
            .contains("用户喜欢函数式编程")
    );
}

#[test]
fn a_conversation_that_comes_twice_is_taken_once() {
    let stage = Stage::new();
    let idle = idle(&stage);
    let talk = "{\"conversations\": [{\"id\": \"c\", \"turns\": [{\"session\": \"d\", \"text\": \"我养了一只猫。\"}]}]}";
    for (file, new, again) in [
        (
            stage.file("chat.ndjson", TURNS),
            "stored 2 memories\n",
            "stored 0 memories, 2 were there already\n",
        ),
        (
            stage.file("talk.json", talk),
            "stored 1 turn of 1 conversation\n",
            "stored 0 turns of 1 conversation, 1 was there already\n",
        ),
    ] {
        let said = stage.run(&["ingest", &file, "--llm", &idle]);
        assert!(
            said.out.starts_with(new) && said.out.contains("in 1 window"),
            "{}",
            said.all()
        );
        let said = stage.run(&["ingest", &file, "--llm", &idle]);
        assert_eq!(
            (said.out, said.err),
            (
                format!("{again}found 0 memories in 0 windows\n"),
                String::new()
            )
        );
    }
    let grown = format!(
        "{TURNS}{}",
        r#"{"session":"s","role":"user","text":"好的。"}"#
    );
    let said = stage.run(&["ingest", &stage.file("chat.ndjson", grown), "--llm", &idle]);
    assert!(
        said.out
            .starts_with("stored 1 memory, 2 were there already\n"),
        "{}",
        said.all()
    );
    let misspelt = stage.file(
        "odd.ndjson",
        format!("{TURNS}{}", r#"{"session":"s","text":"x","spaeker":"Ann"}"#),
    );
    let said = stage.run(&["ingest", &misspelt, "--llm", &idle, "--json"]);
    let error = said.error();
    assert_eq!(
        (said.code, error["line"].as_u64()),
        (4, Some(3)),
        "{}",
        said.err
    );
    assert!(
        error["message"].as_str().unwrap().contains("spaeker"),
        "{error}"
    );
}

#[test]
fn without_a_model_nothing_is_extracted_and_that_is_told() {
    let stage = Stage::new();
    let turns = stage.file("chat.ndjson", TURNS);
    let unnamed = stage.run(&["ingest", &turns]);
    assert!(
        unnamed.code == 2 && unnamed.err.contains("without one nothing is extracted"),
        "{}",
        unnamed.all()
    );
    assert!(unnamed.err.contains("`annals import`"), "{}", unnamed.all());
    assert!(
        stage.ok(&["doctor"]).contains("nothing is extracted"),
        "{}",
        stage.ok(&["doctor"])
    );
    assert_eq!(stage.ok(&["import", &turns]), "stored 2 memories");
    assert!(
        stage
            .ok(&["recall", "编程", "--min-score", "0"])
            .contains("我喜欢函数式编程")
    );
    let other = stage.run(&[
        "ingest",
        &turns,
        "--llm",
        &idle(&stage),
        "--profile",
        "agent",
    ]);
    assert!(
        other.code == 4 && other.err.contains("use-profile"),
        "{}",
        other.all()
    );
}

#[test]
fn what_came_of_a_conversation_is_one_document() {
    let stage = Stage::new();
    let answer = r#"{"purpose":"extract","reply":{"text":"[{\"content\":\"项目使用 Nuxt 4\",\"type\":\"fact\"}]"}}"#;
    let (model, turns) = (
        stage.file("answers.ndjson", answer),
        stage.file("chat.ndjson", TURNS),
    );
    let model = format!("replay:{model}");
    let told = stage
        .run(&["ingest", &turns, "--llm", &model, "--json"])
        .json();
    assert_eq!(
        (&told["imported"]["stored"], &told["windows"]),
        (&2.into(), &1.into()),
        "{told}"
    );
    assert_eq!(told["found"][0]["text"], "项目使用 Nuxt 4", "{told}");
    let idle = stage.run(&[
        "ingest",
        &turns,
        "--llm",
        &model,
        "-n",
        "nodes",
        "--profile",
        "graph",
    ]);
    assert!(
        idle.code == 0
            && idle
                .err
                .contains("with tools while it talks: use `annals chat`"),
        "{}",
        idle.all()
    );
}

#[test]
fn without_an_answer_the_conversation_waits_in_the_queue() {
    let stage = Stage::new();
    let (model, turns) = (
        stage.file("answers.ndjson", ""),
        stage.file("chat.ndjson", TURNS),
    );
    let said = stage.run(&["ingest", &turns, "--llm", &format!("replay:{model}")]);
    assert!(
        said.code == 1 && said.out.contains("found 0 memories in 0 windows"),
        "{}",
        said.all()
    );
    assert!(stage.ok(&["queue", "list"]).contains("extract"));
    let nobody = stage.run(&["ingest", &turns]);
    assert!(
        nobody.code == 2 && nobody.err.contains("--llm"),
        "{}",
        nobody.all()
    );
}

#[test]
fn the_profiles_that_come_along_are_listed_without_a_database() {
    let stage = Stage::new();
    assert!(stage.ok(&["profile", "list"]).contains("companion"));
    assert!(!stage.path("agent.annals").exists());
}

#[test]
fn what_cannot_be_looked_through_leaves_nothing_behind() {
    let stage = Stage::new();
    let model = format!("replay:{}", stage.file("answers.ndjson", ""));
    let missing = stage.run(&["ingest", "nosuch.json", "--llm", &model]);
    assert!(
        missing.code == 3 && missing.err.contains("nosuch.json"),
        "{}",
        missing.all()
    );
    let several = stage.run(&[
        "ingest",
        &stage.file("chat.ndjson", TURNS),
        "--all",
        "--llm",
        &model,
    ]);
    assert!(
        several.code == 2 && several.err.contains("--conversation"),
        "{}",
        several.all()
    );
    assert!(!stage.path("agent.annals").exists());
    let prose = stage.run(&[
        "ingest",
        &stage.file("prose.txt", "some prose\n"),
        "-n",
        "typo",
        "--llm",
        &model,
    ]);
    assert!(
        prose.code == 4 && prose.err.contains("prose.txt"),
        "{}",
        prose.all()
    );
    assert!(!stage.ok(&["namespace", "list"]).contains("typo"));
}

#[test]
fn the_model_on_the_command_line_looks_through_what_is_ingested() {
    let stage = Stage::new();
    let answer = |text: &str| {
        let found = format!(r#"[{{"content":"{text}","type":"fact"}}]"#);
        serde_json::json!({"purpose": "extract", "reply": {"text": found}}).to_string()
    };
    let turns = stage.file("chat.ndjson", TURNS);
    let named = format!(
        "replay:{}",
        stage.file("named.ndjson", answer("项目使用 Nuxt 4"))
    );
    stage.set(
        "ANNALS_LLM_EXTRACT",
        &format!(
            "replay:{}",
            stage.file("small.ndjson", answer("项目使用 Vue"))
        ),
    );
    let said = stage.run(&["ingest", &turns, "-n", "a", "--llm", &named]);
    assert!(said.out.contains("Nuxt 4"), "{}", said.all());
    // Without it the one that is named for this is enough.
    let said = stage.run(&["ingest", &turns, "-n", "b"]);
    assert!(said.code == 0 && said.out.contains("Vue"), "{}", said.all());
    let nobody = stage.run(&["chat", "-n", "b"]);
    assert!(
        nobody.code == 2 && nobody.err.contains("--llm"),
        "{}",
        nobody.all()
    );
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
    let first = stage.run_with(
        &["chat", "--llm", &model],
        "我最喜欢的食物是拉面\n".as_bytes(),
    );
    assert_eq!(
        first.out,
        "知道了，拉面。\n  fact: 主人最喜欢的食物是拉面\n",
        "{}",
        first.all()
    );
    std::fs::remove_file(&record).unwrap();
    let second = stage.run_with(
        &["chat", "--llm", &model],
        "我最喜欢的食物是什么\n".as_bytes(),
    );
    assert!(second.code == 0, "{}", second.all());
    let asked = std::fs::read_to_string(&record).unwrap();
    let first_line = asked.lines().next().unwrap();
    assert!(
        first_line.contains("- 主人最喜欢的食物是拉面"),
        "{first_line}"
    );
}

#[test]
fn no_transcript_is_written_into_a_file_that_is_in_use() {
    let stage = Stage::new();
    stage.ok(&["remember", "Tea is ready."]);
    let answers = r#"{"purpose":"extract","reply":{"text":"[]"}}
"#;
    let transcript = stage.file("answers.ndjson", answers);
    let turns = "{\"session\": \"s\", \"role\": \"user\", \"text\": \"I like tea.\"}\n";
    let chat = stage.file("chat.ndjson", turns);
    let model = format!("replay:{transcript}");
    let before = stage.ok(&["export"]);
    let db = stage.path("agent.annals").to_str().unwrap().to_owned();
    for (record, what) in [
        (&db, "the database"),
        (&transcript, "is read"),
        (&chat, "is read"),
    ] {
        stage.set("ANNALS_LLM_RECORD", record);
        let said = stage.run(&["ingest", &chat, "-n", "talk", "--llm", &model]);
        assert!(
            said.code == 4 && said.err.contains(what),
            "{record}: {}",
            said.all()
        );
    }
    let new = stage.path("new.annals").to_str().unwrap().to_owned();
    stage.set("ANNALS_LLM_RECORD", &new);
    let said = stage.run(&["--db", &new, "ingest", &chat, "--llm", &model]);
    assert!(
        said.code == 4 && !stage.path("new.annals").exists(),
        "{}",
        said.all()
    );
    stage.set("ANNALS_LLM_RECORD", "");
    assert_eq!(stage.ok(&["export"]), before);
    assert_eq!(std::fs::read_to_string(&transcript).unwrap(), answers);
    assert_eq!(std::fs::read_to_string(&chat).unwrap(), turns);
}

#[test]
fn what_another_telling_of_a_memory_does_not_change_is_said() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "talk", "--profile", "companion"]);
    let tell =
        |more: &[&str]| stage.run(&[&["-n", "talk", "remember", "I live in Rome"], more].concat());
    let id = tell(&["--meta", "floor=3"]).out;
    let said = tell(&[
        "--meta",
        "floor=4",
        "--valid-from",
        "2020-01-01",
        "--verified",
    ]);
    assert_eq!(said.out, id, "{}", said.all());
    assert!(
        said.err.contains("known already and keeps its floor;"),
        "{}",
        said.err
    );
    let said = tell(&["--valid-from", "2021-01-01", "--json"]);
    assert_eq!(
        said.json()["kept"],
        serde_json::json!(["valid_from"]),
        "{}",
        said.all()
    );
    let shown = stage
        .run(&["-n", "talk", "show", id.trim(), "--json"])
        .json();
    assert_eq!(shown["memory"]["verified"], true, "{shown}");
    assert_eq!(
        shown["memory"]["valid_from"], "2020-01-01T00:00:00Z",
        "{shown}"
    );
    let said = stage.run(&["-n", "talk", "undo"]);
    assert!(
        said.out.contains("the telling") && said.out.contains("was known before and stays"),
        "{}",
        said.all()
    );
}

#[test]
fn a_model_that_is_named_wrongly_is_said_so() {
    let stage = Stage::new();
    for word in [
        "qwen",
        "http://localhost:1/v1#",
        "ftp://x#m",
        "replay:/nowhere/at/all",
    ] {
        let said = stage.run(&["chat", "--llm", word]);
        assert!(
            said.code != 0 && !said.err.is_empty(),
            "{word}: {}",
            said.all()
        );
    }
}

#[test]
fn a_call_of_a_tool_is_done_from_the_command_line() {
    let stage = Stage::new();
    // A call that cannot be done makes nothing.
    for (tool, arguments) in [
        ("nosuch", "{}"),
        ("search_memory", r#"{"query":"x"}"#),
        ("create_memory", "{}"),
    ] {
        let said = stage.run(&["model", "call", "-n", "typo", tool, arguments]);
        assert!(
            said.code == 4 && said.out.is_empty() && !said.err.is_empty(),
            "{}",
            said.all()
        );
    }
    assert!(!stage.path("agent.annals").exists());
    let call = |tool: &str, arguments: &str| {
        stage
            .run(&["model", "call", "-n", "me", tool, arguments])
            .json()
    };
    let made = call(
        "create_memory",
        r#"{"subject":"我","memory_type":"事件","topic":"吃饭","attributes":{"时间":"昨天"}}"#,
    );
    assert_eq!(
        (&made["success"], &made["status"]),
        (&true.into(), &"staged".into())
    );
    let id = made["memory_id"].as_str().unwrap();
    assert!(stage.ok(&["show", "-n", "me", id]).contains("2026-02-28"));
    let found = call("search_memories", r#"{"query":"吃饭"}"#);
    assert_eq!(
        (&found["count"], &found["results"][0]["memory_id"]),
        (&1.into(), &id.into())
    );
    let wrong = call("create_memory", r#"{"subject":"我"}"#);
    assert_eq!(
        (&wrong["success"], &wrong["error"]["field"]),
        (&false.into(), &"memory_type".into())
    );
    let unknown = stage.run(&[
        "model",
        "call",
        "-n",
        "me",
        "recall_memory",
        r#"{"query":"x"}"#,
    ]);
    assert!(
        unknown.code == 4 && unknown.out.contains("create_memory"),
        "{}",
        unknown.all()
    );
    stage.run(&["model", "call", "-n", "typo", "nosuch", "{}"]);
    let secret =
        r#"{"subject":"我","memory_type":"事实","topic":"路由器密码是","object":"abc12345"}"#;
    let refused = stage.run(&["model", "call", "-n", "typo", "create_memory", secret]);
    assert!(
        refused.code == 4 && refused.json()["success"] == false,
        "{}",
        refused.all()
    );
    let nothing = stage.run(&[
        "model",
        "call",
        "-n",
        "typo",
        "search_memories",
        r#"{"query":"吃饭"}"#,
    ]);
    assert!(
        nothing.code == 3 && nothing.err.contains("typo"),
        "{}",
        nothing.all()
    );
    let misspelt = stage.run(&[
        "model",
        "call",
        "-n",
        "typo",
        "--profile",
        "compannion",
        "create_memory",
        secret,
    ]);
    assert!(
        misspelt.code == 3 && misspelt.err.contains("compannion"),
        "{}",
        misspelt.all()
    );
    assert!(!stage.ok(&["namespace", "list"]).contains("typo"));
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
    let sleep =
        r#"{"subject":"我","memory_type":"事件","topic":"失眠","attributes":{"时间":"昨晚"}}"#;
    let tired = r#"{"subject":"我","memory_type":"事实","topic":"身体状态","object":"很困"}"#;
    let link = r#"{"source_memory_description":"我失眠","target_memory_description":"我很困","relation_type":"导致"}"#;
    let transcript = [
        calling(&[("create_memory", sleep), ("create_memory", tired)]),
        calling(&[("link_memories", link)]),
        r#"{"purpose":"chat","reply":{"text":"记下了，早点休息。"}}"#.to_owned(),
        calling(&[("search_memories", r#"{"query":"我为什么很困？"}"#)]),
        r#"{"purpose":"chat","reply":{"text":"因为你失眠了。"}}"#.to_owned(),
    ];
    let model = format!(
        "replay:{}",
        stage.file("answers.ndjson", transcript.join("\n"))
    );
    let record = stage.path("record.ndjson");
    stage.set("ANNALS_LLM_RECORD", record.to_str().unwrap());
    let said = stage.run_with(
        &["chat", "-n", "me", "--profile", "graph", "--llm", &model],
        "昨晚我失眠了，所以很困\n我为什么很困？\n".as_bytes(),
    );
    assert_eq!(
        said.out,
        "记下了，早点休息。\n因为你失眠了。\n",
        "{}",
        said.all()
    );
    let asked = std::fs::read_to_string(&record).unwrap();
    let requests: Vec<serde_json::Value> = asked
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let chats: Vec<&serde_json::Value> = requests
        .iter()
        .filter(|line| line["purpose"] == "chat")
        .collect();
    assert_eq!(chats.len(), 5);
    assert_eq!(chats[0]["request"]["tools"].as_array().unwrap().len(), 4);
    let told = chats[4]["request"]["messages"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()["text"]
        .as_str()
        .unwrap()
        .to_owned();
    let found: serde_json::Value = serde_json::from_str(&told).unwrap();
    let texts: Vec<&str> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["text"].as_str().unwrap())
        .collect();
    assert!(
        texts.contains(&"我 失眠，时间 2026-02-28 夜间") && texts.contains(&"我 身体状态 很困"),
        "{found}"
    );
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
    assert!(
        chat["request"]["tools"]
            .as_array()
            .is_none_or(Vec::is_empty),
        "{chat}"
    );
    assert!(
        stage
            .ok(&["profile", "show", "studio"])
            .contains("mode = \"passive\"")
    );
}

#[test]
fn another_model_looks_through_conversations() {
    // part: S-39
    let stage = Stage::new();
    let chat = r#"{"purpose":"chat","reply":{"text":"好的。"}}"#;
    let extract = r#"{"purpose":"extract","reply":{"text":"[ADD] 主人养了猫"}}"#;
    let model = format!("replay:{}", stage.file("large.ndjson", chat));
    stage.set(
        "ANNALS_LLM_EXTRACT",
        &format!("replay:{}", stage.file("small.ndjson", extract)),
    );
    let record = stage.path("record.ndjson");
    stage.set("ANNALS_LLM_RECORD", record.to_str().unwrap());
    let said = stage.run_with(&["chat", "--llm", &model], "我养了猫\n".as_bytes());
    assert!(said.out.contains("主人养了猫"), "{}", said.all());
    let recorded = std::fs::read_to_string(&record).unwrap();
    let asked: Vec<(String, String)> = recorded
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| {
            (
                line["purpose"].as_str().unwrap().to_owned(),
                line["model"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let of = |purpose: &str| {
        asked
            .iter()
            .find(|(for_what, _)| for_what == purpose)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(
        (of("chat").as_str(), of("extract").as_str()),
        ("replay:large.ndjson", "replay:small.ndjson")
    );
}

#[test]
fn what_a_model_did_to_known_memories_is_told() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "user", "--profile", "companion"]);
    let answer = |name: &str, text: &str| {
        let line = serde_json::json!({"purpose": "extract", "reply": {"text": text}});
        format!("replay:{}", stage.file(name, line.to_string()))
    };
    let turns = stage.file("chat.ndjson", TURNS);
    let later = |n: usize| {
        stage.file(
            &format!("{n}.ndjson"),
            TURNS.replace("\"session\":\"", &format!("\"session\":\"{n}-")),
        )
    };
    stage.ok(&[
        "ingest",
        &turns,
        "--llm",
        &answer("found.ndjson", "[ADD] 我喜欢函数式编程"),
    ]);
    let gone = answer("gone.ndjson", "[DELETE:mem_1]");
    let said = stage.run(&["ingest", &later(1), "--llm", &gone]);
    assert!(
        said.err.contains(
            "known memories: 1 let go, 0 changed, 0 ended; see `annals review decisions`"
        ),
        "{}",
        said.all()
    );
    let told = stage.ok(&["review", "decisions"]);
    assert!(told.contains("still true? delete, by replay:"), "{told}");
    stage.ok(&["review", "undo", "1"]);
    assert!(stage.ok(&["list"]).contains("我喜欢函数式编程"));
    // What a person stored waits for a person.
    stage.ok(&["delete", "--all", "--yes"]);
    stage.ok(&["remember", "我喜欢函数式编程", "--kind", "fact"]);
    let said = stage.run(&["ingest", &later(2), "--llm", &gone]);
    assert!(
        said.err.contains("`annals review proposals`") && !said.err.contains("let go"),
        "{}",
        said.all()
    );
    assert!(stage.ok(&["list"]).contains("我喜欢函数式编程"));
}

#[test]
fn what_is_so_no_longer_is_told_as_ended() {
    let stage = Stage::new();
    let turn = |session: &str, text: &str| {
        format!(r#"{{"session":"{session}","role":"user","text":"{text}"}}"#)
    };
    let first = stage.file("first.ndjson", turn("a", "I work at Bosch."));
    let model = |name: &str, answer: &serde_json::Value| {
        let line =
            serde_json::json!({ "purpose": "extract", "reply": { "text": answer.to_string() } });
        format!("replay:{}", stage.file(name, line.to_string()))
    };
    let found = model(
        "found.ndjson",
        &serde_json::json!([{ "content": "I work at Bosch", "type": "fact" }]),
    );
    assert!(
        stage
            .ok(&["ingest", &first, "--llm", &found])
            .contains("found 1 memory in 1 window")
    );
    let listed = stage.run(&["list", "--json"]).json();
    let known = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .find(|memory| memory["text"] == "I work at Bosch");
    let digits = known.unwrap()["id"].as_str().unwrap().replace('-', "");
    let ended = model(
        "ended.ndjson",
        &serde_json::json!([{ "contradicts": digits[digits.len() - 6..] }]),
    );
    let then = stage.file("then.ndjson", turn("b", "I no longer work at Bosch."));
    let said = stage.run(&["ingest", &then, "--llm", &ended]);
    assert_eq!(
        said.out,
        "stored 1 memory\nfound 0 memories in 1 window\nended 1 memory\n  fact: I work at Bosch\n",
        "{}",
        said.all()
    );
    assert!(
        said.err.contains(
            "0 changed, 1 ended; see `annals review decisions`, and `annals review undo`"
        ),
        "{}",
        said.all()
    );
    stage.ok(&["review", "undo", "1"]);
    let again = stage.file("again.ndjson", turn("c", "I don't work at Bosch anymore."));
    let told = stage
        .run(&["ingest", &again, "--llm", &ended, "--json"])
        .json();
    let counts = (
        &told["ended"][0]["text"],
        &told["changed"],
        &told["found"].as_array().unwrap().len(),
    );
    assert_eq!(counts, (&"I work at Bosch".into(), &0.into(), &0), "{told}");
}

#[test]
fn what_failed_is_told_and_tried_again_when_somebody_asks() {
    let stage = Stage::new();
    let turns = stage.file("chat.ndjson", TURNS);
    let silent = stage.run(&[
        "ingest",
        &turns,
        "--llm",
        &format!("replay:{}", stage.file("silent.ndjson", "")),
    ]);
    assert!(
        silent.err.contains("1 window not processed yet"),
        "{}",
        silent.all()
    );
    let waits = "0 given up, 1 wait after a failure, since ";
    assert!(
        stage.ok(&["doctor"]).contains(waits),
        "{}",
        stage.ok(&["doctor"])
    );
    let maintained = stage.run(&["jobs", "run"]);
    assert!(
        maintained.code == 0 && maintained.err.contains(waits),
        "{}",
        maintained.all()
    );
    assert_eq!(
        stage.ok(&["queue", "retry", "--all"]),
        "queued again: 1 piece of work"
    );
    let answer = r#"{"purpose":"extract","reply":{"text":"[{\"content\":\"项目使用 Nuxt 4\",\"type\":\"fact\"}]"}}"#;
    let answers = stage.file("answers.ndjson", answer);
    let again = stage.run(&["ingest", &turns, "--llm", &format!("replay:{answers}")]);
    assert!(
        again.out.contains("found 1 memory in 1 window"),
        "{}",
        again.all()
    );
    assert!(!stage.ok(&["doctor"]).contains("given up"));
}

#[test]
fn a_person_works_through_what_was_found() {
    let stage = Stage::new();
    let own = stage
        .ok(&["profile", "show", "studio"])
        .replace("auto = true ", "auto = false");
    stage.ok(&["profile", "store", "asks", &stage.file("asks.toml", own)]);
    stage.ok(&["namespace", "create", "user", "--profile", "asks"]);
    let answer = concat!(
        r#"{"purpose":"extract","reply":{"text":"[{\"content\":\"用户喜欢函数式编程\","#,
        r#"\"type\":\"preference\"},{\"content\":\"项目使用 Nuxt 4\",\"type\":\"fact\"}]"}}"#,
    );
    let (model, turns) = (
        stage.file("answers.ndjson", answer),
        stage.file("chat.ndjson", TURNS),
    );
    let said = stage.run(&["ingest", &turns, "--llm", &format!("replay:{model}")]);
    assert!(
        said.code == 0 && said.out.contains("found 0 memories in 1 window"),
        "{}",
        said.all()
    );
    assert!(
        stage
            .run(&["review", "list"])
            .err
            .contains("2 proposals wait")
    );
    let waiting: serde_json::Value =
        serde_json::from_str(&stage.ok(&["review", "proposals", "--json"])).unwrap();
    let id = |at: usize| waiting["proposals"][at]["id"].as_str().unwrap().to_owned();
    assert!(
        stage
            .ok(&["review", "proposals"])
            .contains("用户喜欢函数式编程")
    );
    assert_eq!(
        stage.ok(&["review", "accept", &id(0)]),
        format!("remembered {}", id(0))
    );
    assert_eq!(
        stage.ok(&["review", "reject", &id(1)]),
        format!("rejected {}", id(1))
    );
    assert_eq!(stage.ok(&["review", "proposals"]), "no proposal waits");
    assert_eq!(stage.run(&["review", "accept", &id(1)]).code, 3);
    let listed = stage.ok(&["list", "--kind", "preference"]);
    assert!(
        listed.contains("用户喜欢函数式编程") && !stage.ok(&["list"]).contains("Nuxt 4\n"),
        "{listed}"
    );
    // A new memory can be taken back for ten minutes.
    let undone = stage.ok(&["undo", &id(0)]);
    assert!(
        undone.starts_with("took back ") && undone.contains(&format!("{} is gone: ", id(0))),
        "{undone}"
    );
    let late = stage.ok(&["remember", "I live in Berlin."]);
    stage.clock.advance_millis(600_000);
    let refused = stage.run(&["undo", &late]);
    assert!(
        refused.code == 4 && refused.err.contains("10 minutes"),
        "{}",
        refused.all()
    );
}

#[test]
fn every_memory_can_be_seen_and_deleted() {
    // spec: S-119
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "user", "--profile", "studio"]);
    let ids: Vec<String> = ["one apple", "two pears", "three plums"]
        .map(|text| stage.ok(&["remember", text]))
        .to_vec();
    stage.ok(&["forget", &ids[1]]);
    stage.ok(&["archive", &ids[2]]);
    let pages = |args: &[&str]| -> Vec<String> {
        let (mut listed, mut after) = (Vec::new(), None::<String>);
        loop {
            let go_on: Vec<&str> = after.iter().flat_map(|after| ["--after", after]).collect();
            let page: serde_json::Value =
                serde_json::from_str(&stage.ok(&[args, &["--json"], &go_on].concat())).unwrap();
            let memories = page["memories"].as_array().unwrap();
            assert!(
                memories.len() <= 20,
                "a page has 20 unless it is told otherwise"
            );
            listed.extend(
                memories
                    .iter()
                    .map(|memory| memory["id"].as_str().unwrap().to_owned()),
            );
            match page["next"].as_str() {
                Some(next) => after = Some(next.to_owned()),
                None => return listed,
            }
        }
    };
    for (status, id) in ["active", "forgotten", "archived"].iter().zip(&ids) {
        assert_eq!(
            pages(&["list", "--status", status]),
            std::slice::from_ref(id),
            "{status}"
        );
    }
    // One that has expired, one that another took the place of, that other one; one that waits, and
    // a hundred of another program.
    let expired = stage.ok(&[
        "remember",
        "four cherries",
        "--expires-at",
        "2026-03-01T09:30:00Z",
    ]);
    let replaced = stage.ok(&["remember", "five lemons"]);
    stage.ok(&["edit", &replaced, "--text", "five limes", "--supersede"]);
    let own = stage.ok(&["export"]);
    let line = own
        .lines()
        .find(|line| line.contains("one apple"))
        .unwrap()
        .replace(&ids[0], "<id>");
    let waits = line
        .replace("<id>", "019ca8a3-0000-7000-8000-000000000fff")
        .replace(r#""status":"active""#, r#""status":"staged""#);
    let hundred =
        (0..100).map(|n| line.replace("<id>", &format!("019ca8a3-0000-7000-8000-{n:012}")));
    let file: Vec<String> = hundred.chain([waits]).collect();
    stage.ok(&[
        "import",
        "--format",
        "export",
        &stage.file("more.ndjson", file.join("\n")),
    ]);
    stage.clock.set("2026-04-01T00:00:00Z".parse().unwrap());
    let all = pages(&["list", "--all"]);
    assert_eq!(all.len(), 107);
    for id in [&ids[0], &ids[1], &ids[2], &expired, &replaced] {
        assert!(all.contains(id), "{id}");
    }
    let shown = stage.ok(&["list", "--all", "--limit", "200"]);
    for (text, status) in [
        ("five lemons", "superseded"),
        ("four cherries", "expired"),
        ("two pears", "forgotten"),
    ] {
        assert!(
            shown
                .lines()
                .any(|line| line.contains(text) && line.contains(status)),
            "{text}: {shown}"
        );
    }
    let listed = stage
        .run(&["list", "--all", "--limit", "200", "--json"])
        .json();
    let listed = listed["memories"].as_array().unwrap().iter();
    for (id, status, state) in [
        (&replaced, "active", "superseded"),
        (&expired, "active", "expired"),
    ] {
        let one = listed.clone().find(|memory| memory["id"] == **id).unwrap();
        assert_eq!(
            (&one["status"], &one["state"]),
            (&status.into(), &state.into()),
            "{one}"
        );
        assert_eq!(
            stage.run(&["show", id, "--json"]).json()["memory"]["state"],
            state
        );
    }
    assert!(!pages(&["list"]).contains(&expired) && !pages(&["list"]).contains(&replaced));
    // Each by itself, whatever it is.
    for id in &all {
        let gone = stage.run(&["delete", id, "--yes"]);
        assert!(
            gone.code == 0 && gone.out.contains("deleted 1 memory"),
            "{}",
            gone.all()
        );
        assert_eq!(stage.run(&["show", id]).code, 3);
    }
    assert_eq!(pages(&["list", "--all"]), [""; 0]);
}

#[test]
fn a_test_of_quality_is_kept_with_its_date() {
    // part: S-122
    let stage = Stage::new();
    let set = r#"{"conversations":[{"id":"c","turns":[
        {"id":"1","session":"s","text":"I moved to Berlin in March."},
        {"id":"2","session":"s","text":"My cat is called Momo."}],
        "questions":[{"id":"q","q":"what is my cat called","evidence":["2"]}]}]}"#;
    let (set, log) = (stage.file("set.json", set), stage.path("quality.ndjson"));
    for _ in 0..2 {
        let said = stage.run(&["eval", "recall", &set, "--log", log.to_str().unwrap()]);
        assert_eq!(said.code, 0, "{}", said.all());
    }
    let kept = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<serde_json::Value> = kept
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines
            .iter()
            .all(|line| line["recall@5"].as_f64() == Some(1.0)),
        "{kept}"
    );
    assert!(lines[0]["date"].as_str().unwrap() < lines[1]["date"].as_str().unwrap());
}

/// A tokenizer whose tokens are the single characters that are no blanks.
const CHARACTERS: &str = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,
    "pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},
        {"type":"Split","pattern":{"Regex":"."},"behavior":"Isolated","invert":false}]},
    "post_processor":null,"decoder":null,"model":{"type":"WordLevel","vocab":{"?":0},"unk_token":"?"}}"#;

#[test]
fn tokens_are_counted_by_the_tokenizer_that_is_named() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "dev", "--profile", "agent"]);
    for n in 0..60 {
        let text = format!("用户的第{n}条偏好 is written down here as one long line of words");
        stage.ok(&[
            "remember",
            &text,
            "-n",
            "dev",
            "--kind",
            "PREFERENCE",
            "--meta",
            "duration=permanent",
        ]);
    }
    let context = || stage.run(&["context", "-n", "dev", "--json"]).json();
    let estimated = context();
    assert!(stage.ok(&["doctor"]).contains("tokens       estimated"));
    // By the environment, and by the config file.
    let path = stage.file("tokenizer.json", CHARACTERS);
    stage.set("ANNALS_TOKENIZER", &path);
    let counted = context();
    let characters = |said: &serde_json::Value| {
        said["text"]
            .as_str()
            .unwrap()
            .split_whitespace()
            .collect::<String>()
            .chars()
            .count()
    };
    assert_eq!(counted["tokens"], characters(&counted));
    assert!(counted["tokens"].as_u64().unwrap() <= 1500, "{counted}");
    assert!(
        characters(&counted) < characters(&estimated),
        "so there is room for less"
    );
    assert!(
        stage
            .ok(&["doctor"])
            .contains("tokenizer.json, which knows 1"),
        "{}",
        stage.ok(&["doctor"])
    );
    stage.set("ANNALS_TOKENIZER", "");
    let config = stage.file("c.toml", "tokenizer = \"tokenizer.json\"\n");
    assert_eq!(
        stage
            .run(&["context", "-n", "dev", "--json", "--config", &config])
            .json(),
        counted
    );
}

#[test]
fn a_tokenizer_that_cannot_be_used_is_named() {
    let stage = Stage::new();
    stage.ok(&["remember", "I live in Berlin."]);
    let nowhere = stage.path("nowhere.json").display().to_string();
    for (path, code, says) in [
        (nowhere, 3, "nowhere.json"),
        (
            stage.file("half.json", &CHARACTERS[..200]),
            4,
            "half.json is no tokenizer",
        ),
        (
            stage.file("config.json", "{\"model_type\": \"bert\"}"),
            4,
            "config.json is no tokenizer",
        ),
        (
            stage.file("picture.json", [0x89, 0x50, 0xFF]),
            4,
            "picture.json is no tokenizer",
        ),
    ] {
        stage.set("ANNALS_TOKENIZER", &path);
        let said = stage.run(&["context", "where do I live?"]);
        assert!(
            said.code == code && said.err.contains(says) && said.err.contains("ANNALS_TOKENIZER"),
            "{}",
            said.all()
        );
        let file = stage.run(&["context", "x", "--json"]).error()["file"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(file.rsplit('/').next(), path.rsplit('/').next());
        let doctor = stage.run(&["doctor"]);
        assert!(
            doctor.code == 4 && doctor.out.contains(says),
            "{}",
            doctor.all()
        );
        assert!(
            stage.ok(&["recall", "Berlin"]).contains("Berlin"),
            "what counts nothing needs none"
        );
    }
}
