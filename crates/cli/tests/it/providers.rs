//! Language models behind addresses: how they are named, what they are asked, and what it costs.
//! The server here misbehaves on demand.

use crate::stage;

use annals_net::server::{Reply, Server};
use serde_json::{Value, json};
use stage::Stage;

const KEY: &str = "sk-very-secret";

/// An answer of OpenAI's protocol.
fn said(text: &str) -> Reply {
    let choice =
        json!({"message": {"role": "assistant", "content": text}, "finish_reason": "stop"});
    let body =
        json!({"choices": [choice], "usage": {"prompt_tokens": 1000, "completion_tokens": 50}});
    Reply::new(200, body.to_string())
}

/// One of Anthropic's.
fn told(text: &str) -> Reply {
    let block = json!({"type": "text", "text": text});
    let body = json!({"content": [block], "stop_reason": "end_turn", "usage": {"input_tokens": 2000, "output_tokens": 100}});
    Reply::new(200, body.to_string())
}

/// A server that answers the n-th call with the n-th answer, the last one for good.
fn server(answers: Vec<Reply>) -> Server {
    let mut at = 0;
    Server::start(move |_| {
        let answer = answers[at.min(answers.len() - 1)].clone();
        at += 1;
        Some(answer)
    })
}

/// A stage whose config file says this.
fn stage(config: &str) -> Stage {
    let stage = Stage::new();
    let config = stage.file("config.toml", config);
    stage.set("ANNALS_CONFIG", &config);
    stage
}

#[test]
fn a_model_of_the_config_file_is_asked_in_its_protocol_and_accounted_for() {
    let busy = Reply::new(529, format!("overloaded, {KEY}")).with("retry-after", "0");
    let server = server(vec![
        busy,
        told("Noted."),
        told("[ADD] 主人喜欢拉面"),
        told("[]"),
    ]);
    let stage = stage(&format!(
        "[llm]\nbase_url = \"{}/v1\"\nmodel = \"claude\"\nprotocol = \"anthropic\"\nkey_file = \"key.txt\"\n\
         timeout_seconds = 5\nattempts = 2\ncalls_per_minute = 60\nprice_input = 3.0\nprice_output = 15.0\n",
        server.base
    ));
    stage.file("key.txt", format!("{KEY}\n"));
    let talk = stage.run_with(&["chat"], "I like ramen\n".as_bytes());
    assert_eq!(talk.out, "Noted.\n  fact: 主人喜欢拉面\n", "{}", talk.all());
    let asked = server.requests();
    assert!(
        asked
            .iter()
            .all(|call| call.path == "/v1/messages" && call.header("x-api-key") == Some(KEY))
    );
    let body: Value = serde_json::from_slice(&asked[0].body).unwrap();
    assert_eq!(
        (&body["model"], asked[0].body == asked[1].body),
        (&json!("claude"), true)
    );
    let usage = stage.run(&["db", "usage", "--json"]).json();
    let of = |purpose: &str| {
        usage["usage"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["purpose"] == purpose)
            .cloned()
    };
    let chat = of("chat").unwrap();
    assert_eq!(
        (&chat["calls"], &chat["failed"], &chat["input_tokens"]),
        (&json!(1), &json!(0), &json!(2000))
    );
    assert!(
        (chat["cost"].as_f64().unwrap() - 0.0075).abs() < 1e-12,
        "{chat}"
    );
    assert!(of("extract").is_some(), "{usage}");
    let (shown, doctor) = (stage.ok(&["db", "usage", "--days"]), stage.ok(&["doctor"]));
    assert!(
        shown.contains("2026-03-01") && shown.contains("0.0075") && shown.contains("together"),
        "{shown}"
    );
    assert!(
        doctor.contains("key from <folder>/key.txt") && doctor.contains("60 calls a minute"),
        "{doctor}"
    );
    for text in [
        talk.all(),
        shown,
        doctor,
        usage.to_string(),
        stage.ok(&["doctor", "--json"]),
    ] {
        assert!(!text.contains(KEY), "{text}");
    }
}

#[test]
fn what_is_nearer_to_the_command_counts_more() {
    let server = server(vec![said("[ADD] x"), said("[SKIP]")]);
    let at = |who: &str| format!("{}/{who}/v1#m", server.base);
    let stage = stage(&format!(
        "[llm]\nbase_url = \"{0}/config/v1\"\nmodel = \"m\"\nkey_env = \"OWN\"\n[llm_extract]\nbase_url = \
         \"{0}/small/v1\"\nmodel = \"m\"\n",
        server.base
    ));
    stage.set("OWN", KEY);
    let paths = |args: &[&str]| -> Vec<String> {
        let before = server.requests().len();
        let talk = stage.run_with(args, "I like ramen\n".as_bytes());
        assert_eq!(talk.code, 0, "{}", talk.all());
        server.requests()[before..]
            .iter()
            .take(2)
            .map(|call| call.path.split('/').nth(1).unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths(&["chat"]), ["config", "small"]);
    assert_eq!(
        server.requests()[0].header("authorization"),
        Some(format!("Bearer {KEY}").as_str())
    );
    // Each model has a key of its own.
    assert_eq!(server.requests()[1].header("authorization"), None);
    stage.set("ANNALS_LLM", &at("variable"));
    assert_eq!(paths(&["chat"]), ["variable", "small"]);
    let flag = at("flag");
    assert_eq!(paths(&["chat", "--llm", &flag]), ["flag", "small"]);
    stage.set("ANNALS_LLM_EXTRACT", &at("extract"));
    assert_eq!(paths(&["chat", "--llm", &flag]), ["flag", "extract"]);
    let doctor = stage.run(&["doctor", "--json"]).json();
    let model = doctor["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["name"] == "model")
        .unwrap();
    let by = |who: &str| model["facts"][who]["by"].as_str().unwrap().to_owned();
    assert_eq!(
        (by("model").as_str(), by("reader").as_str()),
        ("$ANNALS_LLM", "$ANNALS_LLM_EXTRACT")
    );
}

#[test]
fn a_server_that_fails_is_told_and_counted() {
    for (answer, word) in [
        (Reply::new(401, format!("wrong key {KEY}")), "check the key"),
        (Reply::new(503, "down"), "503"),
        (Reply::new(200, "<html>busy</html>"), "/v1"),
        (said("cut off").cut(20), "broke off"),
        (Reply::new(200, "{\"choices\":[]}"), "no reply"),
    ] {
        let server = server(vec![answer]);
        let stage = stage(&format!(
            "[llm]\nbase_url = \"{}/v1\"\nmodel = \"m\"\nattempts = 1\n",
            server.base
        ));
        stage.set("ANNALS_LLM_KEY", KEY);
        let talk = stage.run_with(&["chat"], "hello\n".as_bytes());
        assert!(talk.code == 1 && talk.err.contains(word), "{}", talk.all());
        assert!(
            !talk.all().contains(KEY) && server.requests().len() == 1,
            "{}",
            talk.all()
        );
        let usage = stage.run(&["db", "usage", "--json"]).json();
        assert_eq!(
            (&usage["usage"][0]["calls"], &usage["usage"][0]["failed"]),
            (&json!(0), &json!(1)),
            "{usage}"
        );
    }
}

#[test]
fn an_ingest_that_no_model_looked_through_fails_and_says_why() {
    for (answer, words) in [
        (Reply::new(401, "wrong key"), ["401", "wrong key"]),
        (Reply::new(404, "no model m"), ["404", "no model m"]),
        (Reply::new(503, "down"), ["503", "down"]),
    ] {
        let server = server(vec![answer]);
        let stage = stage(&format!(
            "[llm]\nbase_url = \"{}/v1\"\nmodel = \"m\"\nattempts = 1\n",
            server.base
        ));
        let talk = stage.file(
            "talk.ndjson",
            r#"{"session": "t", "role": "user", "text": "I have a cat called Tom."}"#,
        );
        let said = stage.run(&["ingest", &talk]);
        assert!(
            said.code == 1 && said.out.contains("stored 1 memory"),
            "{}",
            said.all()
        );
        assert!(
            words.iter().all(|word| said.err.contains(word)) && said.err.contains("annals queue"),
            "{}",
            said.all()
        );
        let said = stage.run(&["ingest", &talk, "--json"]);
        assert_eq!(
            (said.code, &said.json()["waiting"]),
            (1, &json!(1)),
            "{}",
            said.all()
        );
        assert!(said.err.contains(words[0]), "{}", said.all());
        // Once a server answers, waiting conversations are looked through.
        let there = self::server(vec![self::said(
            r#"[{"content":"The user has a cat called Tom.","type":"fact"}]"#,
        )]);
        let found = stage.run(&["ingest", &talk, "--llm", &format!("{}/v1#m", there.base)]);
        assert!(
            found.code == 0 && found.out.contains("found 1 memory"),
            "{}",
            found.all()
        );
    }
}

#[test]
fn doctor_asks_the_address_of_the_model() {
    let config = |base: &str| format!("[llm]\nbase_url = \"{base}/v1\"\nmodel = \"m\"\n");
    for (answer, code, says) in [
        (
            Reply::new(200, r#"{"data": [{"id": "l"}, {"id": "m"}]}"#),
            0,
            "ok       model",
        ),
        (
            Reply::new(200, r#"{"data": [{"id": "l"}]}"#),
            0,
            "the server does not list m; it lists l",
        ),
        (Reply::new(404, "nothing here"), 0, "usually ends in /v1"),
        (Reply::new(401, "wrong key"), 9, "check the key"),
        (Reply::new(503, "down"), 9, "503"),
    ] {
        let server = server(vec![answer]);
        let doctor = stage(&config(&server.base)).run(&["doctor"]);
        assert!(
            doctor.code == code && doctor.out.contains(says),
            "{}",
            doctor.all()
        );
        let paths: Vec<String> = server
            .requests()
            .into_iter()
            .map(|call| call.path)
            .collect();
        assert_eq!(
            paths,
            ["/v1/models"],
            "once, and no model is asked anything"
        );
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let doctor = stage(&config(&format!("http://127.0.0.1:{port}"))).run(&["doctor", "--json"]);
    assert_eq!(doctor.code, 9, "{}", doctor.all());
    let model = doctor.json()["findings"][3].clone();
    assert_eq!(
        (&model["name"], &model["state"]),
        (&json!("model"), &json!("problem")),
        "{model}"
    );
    assert!(
        model["says"].as_str().unwrap().contains("refused"),
        "{model}"
    );
}

#[test]
fn a_judge_that_cannot_be_reached_is_told_with_its_next_attempt() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let stage = stage(&format!(
        "[llm]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"m\"\nattempts = 1\n"
    ));
    stage.ok(&["namespace", "create", "me", "--profile", "companion"]);
    for text in ["The flat has a green door.", "The cellar is damp."] {
        stage.ok(&[
            "-n",
            "me",
            "remember",
            text,
            "--kind",
            "fact",
            "--importance",
            "0.15",
        ]);
    }
    let told = stage.run(&["jobs", "run"]);
    let line = told
        .out
        .lines()
        .find(|line| line.contains("reviews"))
        .unwrap()
        .to_owned();
    assert!(
        told.code == 1
            && line.contains("1 failed, 1 waiting: ")
            && line.contains("next attempt 20"),
        "{}",
        told.all()
    );
    for asked in [&["-n", "me", "review", "list"][..], &["jobs", "list"]] {
        let shown = stage.run(asked);
        assert!(
            shown.all().contains("refused") && shown.all().contains("next attempt"),
            "{}",
            shown.all()
        );
    }
    let review = stage.run(&["-n", "me", "review", "list", "--json"]).json();
    assert!(
        review["reviews"][0]["retry_at"].is_string() && review["reviews"][1]["retry_at"].is_null(),
        "{review}"
    );
}

/// An answer of OpenAI's protocol that was cut off.
fn cut_off(text: &str) -> Reply {
    let choice =
        json!({"message": {"role": "assistant", "content": text}, "finish_reason": "length"});
    let body =
        json!({"choices": [choice], "usage": {"prompt_tokens": 1000, "completion_tokens": 300}});
    Reply::new(200, body.to_string())
}

#[test]
fn an_answer_that_was_cut_off_is_asked_for_again_and_what_is_missing_is_told() {
    let half = r#"{"memories":[{"content":"lives in Lyon","type":"fact"},{"content":"works at"#;
    let server = server(vec![cut_off("{"), cut_off(half)]);
    let stage = stage(&format!(
        "[llm]\nbase_url = \"{}/v1\"\nmodel = \"m\"\nattempts = 1\nanswer_tokens = 300\nanswer_tokens_again = 500\n",
        server.base
    ));
    let said = stage.file(
        "talk.ndjson",
        r#"{"session": "s", "role": "user", "content": "I moved to Lyon and work at a bakery"}"#,
    );
    let said = stage.run(&["ingest", &said, "--profile", "studio"]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        stage.ok(&["list"]).contains("lives in Lyon"),
        "{}",
        said.all()
    );
    let limits: Vec<Value> = server
        .requests()
        .iter()
        .map(|call| serde_json::from_slice::<Value>(&call.body).unwrap()["max_tokens"].clone())
        .collect();
    assert_eq!(limits, [json!(300), json!(500)]);
    let queue = stage.ok(&["queue", "list"]);
    assert!(
        queue.contains("no background work waits") && queue.contains("cut off at 500 tokens"),
        "{queue}"
    );
    let usage = stage.run(&["db", "usage", "--json"]).json();
    let row = &usage["usage"][0];
    assert_eq!(
        (&row["calls"], &row["output_tokens"]),
        (&json!(2), &json!(600)),
        "both answers were paid for: {usage}"
    );
}

#[test]
fn an_answer_of_which_nothing_came_whole_is_no_answer() {
    let server = server(vec![cut_off(r#"{"memories":[{"content":"lives in"#)]);
    let stage = stage(&format!(
        "[llm]\nbase_url = \"{}/v1\"\nmodel = \"m\"\nattempts = 1\n",
        server.base
    ));
    let said = stage.file(
        "talk.ndjson",
        r#"{"session": "s", "role": "user", "content": "I moved to Lyon and work at a bakery"}"#,
    );
    let said = stage.run(&["ingest", &said, "--profile", "studio"]);
    let asked = server.requests().len();
    let queue = stage.run(&["queue", "list", "--json"]).json();
    let tasks = queue["queue"].as_array().unwrap();
    let told = |task: &Value| {
        task["last_error"]
            .as_str()
            .is_some_and(|error| error.contains("cut off at 2048 tokens"))
    };
    assert!(
        tasks.iter().any(told),
        "the turn still waits: {queue} {}",
        said.all()
    );
    assert!(
        (2..=20).contains(&asked) && asked.is_multiple_of(2),
        "each attempt asks twice: {asked}"
    );
}

#[test]
fn a_model_that_is_set_without_sense_is_told_before_anything_is_asked() {
    let stage = stage(
        "[llm]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nkey_env = \"NOT_SET\"\n",
    );
    let doctor = stage.run(&["doctor"]);
    assert!(
        doctor.code == 9 && doctor.out.contains("NOT_SET"),
        "{}",
        doctor.all()
    );
    let chat = stage.run_with(&["chat"], b"hello\n");
    assert!(
        chat.code == 9 && !stage.path("agent.annals").exists(),
        "{}",
        chat.all()
    );
    // Commands that ask no model go on.
    stage.ok(&["list", "--help"]);
    let none = Stage::new();
    let doctor = none.ok(&["doctor"]);
    assert!(doctor.contains("no language model is named"), "{doctor}");
    none.ok(&["remember", "tea"]);
    assert_eq!(none.ok(&["db", "usage"]), "no language model was asked");
}

#[test]
fn a_model_whose_key_is_not_set_stops_only_what_needs_it() {
    let table = |name: &str| {
        format!(
            "[{name}]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nkey_env = \"NOT_SET\"\n"
        )
    };
    let stage = stage(&table("llm"));
    stage.ok(&["namespace", "create", "user", "--profile", "companion"]);
    let talk = stage.file(
        "talk.ndjson",
        r#"{"session": "t", "role": "user", "text": "I have a cat called Tom."}"#,
    );
    let others: [&[&str]; 8] = [
        &[
            "remember",
            "--session",
            "s",
            "--speaker",
            "Ada",
            "I moved to Lyon.",
        ],
        &["remember", "--session", "s", "--role", "assistant", "Nice."],
        &["recall", "Lyon"],
        &["context", "Lyon"],
        &["import", &talk],
        &["jobs", "run"],
        &["session", "end", "s"],
        &["remember", "-n", "other", "tea"],
    ];
    for other in others {
        let said = stage.run(other);
        assert!(
            said.code == 0 && said.err.matches("NOT_SET").count() == 1,
            "{other:?}: {}",
            said.all()
        );
        assert!(
            said.err.contains("annals queue"),
            "{other:?}: {}",
            said.all()
        );
    }
    for quiet in [
        &["recall", "Lyon", "--quiet"][..],
        &["jobs", "run", "--json", "--quiet"],
    ] {
        assert_eq!(stage.run(quiet).err, "", "{quiet:?}");
    }
    // With --json each line on standard error is JSON for itself, that of an error the last.
    let said = stage.run(&["jobs", "run", "--json"]);
    let noted: Value = serde_json::from_str(&said.err).unwrap();
    assert!(
        said.code == 0 && said.json()["jobs"].is_array(),
        "{}",
        said.all()
    );
    assert!(
        noted["note"]
            .as_str()
            .is_some_and(|note| note.contains("NOT_SET")),
        "{}",
        said.all()
    );
    let failed = stage.run(&["recall", "Lyon", "-n", "nosuch", "--json"]);
    let lines: Vec<Value> = failed
        .err
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(failed.code == 3 && lines.len() == 2, "{}", failed.all());
    assert!(
        lines[0]["note"].is_string() && lines[1]["error"]["exit_code"] == 3,
        "{}",
        failed.all()
    );
    assert!(
        stage.ok(&["queue", "list"]).contains("extract"),
        "{}",
        stage.ok(&["queue", "list"])
    );
    for nothing in [&["chat"][..], &["ingest", &talk], &["eval", "extraction"]] {
        let said = stage.run_with(nothing, b"hello\n");
        assert!(
            said.code == 9 && said.err.contains("NOT_SET"),
            "{nothing:?}: {}",
            said.all()
        );
    }
    // A transcript needs no key.
    let answers = "{\"purpose\":\"extract\",\"reply\":{\"text\":\"[SKIP]\"}}\n".repeat(2);
    let said = stage.run(&[
        "ingest",
        &talk,
        "--llm",
        &format!("replay:{}", stage.file("idle.ndjson", answers)),
    ]);
    assert!(
        said.code == 0 && said.out.contains("found 0 memories"),
        "{}",
        said.all()
    );
}
