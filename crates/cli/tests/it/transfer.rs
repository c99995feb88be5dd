//! Exports come back in whole.

use crate::stage;

use stage::Stage;

/// A namespace with every status, a history, a turn, odd texts and free fields.
fn rich() -> Stage {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&[
        "edit",
        &ids[0],
        "--text",
        "I moved to Hamburg.",
        "--meta",
        "n=3",
        "--meta",
        "x={\"a\":[1.5,null]}",
    ]);
    stage.ok(&[
        "edit",
        &ids[1],
        "--text",
        "Never deploy on Friday, nor before a holiday.",
        "--supersede",
    ]);
    stage.ok(&["forget", &ids[2]]);
    stage.ok(&["archive", &ids[3]]);
    stage.run_with(
        &["remember", "-", "--verified", "--source", "me"],
        "\u{1b}[31m שלום\u{202e} 👩‍👩‍👧\r\n\u{0}x".as_bytes(),
    );
    stage.ok(&[
        "remember",
        "derived",
        "--derived-from",
        &ids[0],
        "--expires-at",
        "2030-01-01",
        "--confidence",
        "0.1",
    ]);
    stage
}

#[test]
fn export_import_export_is_lossless() {
    // part: S-120, S-141
    let from = rich();
    let first = from.path("a.ndjson");
    let said = from.run(&["export", first.to_str().unwrap()]);
    assert_eq!(said.code, 0, "{}", said.err);
    let to = Stage::new();
    let said = to.run(&["import", first.to_str().unwrap(), "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let second = to.run(&["export"]).out;
    assert_eq!(std::fs::read_to_string(&first).unwrap(), second);
    assert!(
        to.run(&["doctor"]).out.contains("database"),
        "and the file is sound"
    );

    let again = to
        .run(&["import", first.to_str().unwrap(), "--json"])
        .json();
    assert_eq!(again["stored"], 0, "{again}");
    assert!(again["already_there"].as_u64().unwrap() > 0);
    assert_eq!(
        to.run(&["export"]).out,
        second,
        "a second import changes nothing"
    );
}

#[test]
fn a_line_that_names_what_is_not_there_tells_what_is_stored() {
    let from = Stage::new();
    let [cause, effect] = ["one", "two"].map(|text| from.ok(&["remember", text]));
    from.ok(&["graph", "link", &cause, "causes", &effect]);
    let whole = from.ok(&["export"]);
    let lines: Vec<&str> = whole
        .lines()
        .filter(|line| !line.starts_with(&format!("{{\"id\":\"{effect}")))
        .collect();
    assert_eq!(lines.len() + 1, whole.lines().count());
    let to = Stage::new();
    let said = to.run(&["import", &to.file("in.ndjson", lines.join("\n"))]);
    assert_eq!(said.code, 4, "{}", said.all());
    assert!(
        said.err.contains(&effect) && said.err.contains("stored; correct line"),
        "{}",
        said.err
    );
    assert!(!said.err.contains("nothing was changed"), "{}", said.err);
}

#[test]
fn a_paste_of_megabytes_is_kept_in_parts_that_are_found() {
    let stage = Stage::new();
    let log: String = (0..60_000)
        .map(|n| format!("Line {n} of the log of the server says all is well.\n"))
        .collect();
    let needle = "The migration of the billing tables failed because the disk was full.\n";
    let (head, tail) = log.split_at(log.match_indices('\n').nth(30_000).unwrap().0 + 1);
    let paste = format!("{head}{needle}{tail}");
    assert!(paste.len() > 3 << 20);
    let message = |uuid: &str, role: &str, text: &str| {
        let content = serde_json::json!({ "role": role, "content": text });
        serde_json::json!({ "type": role, "uuid": uuid, "sessionId": "s1", "message": content })
            .to_string()
            + "\n"
    };
    let file = stage.file(
        "t.jsonl",
        message("u1", "user", &paste) + &message("a1", "assistant", "I see."),
    );
    stage.ok(&["import", &file]);
    let turns = || {
        let lines = stage.ok(&["export"]);
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let of = |line: &serde_json::Value| {
            let (id, memory) = (line["id"].as_str()?, &line["revisions"][0]["memory"]);
            Some((id.to_owned(), memory["text"].as_str()?.to_owned()))
        };
        let mut turns: Vec<(String, String)> = lines.filter_map(|line| of(&line)).collect();
        turns.sort();
        turns
    };
    let kept = turns();
    assert!(kept.len() > 90, "{}", kept.len());
    let texts = kept
        .iter()
        .take(kept.len() - 1)
        .map(|(_, text)| text.as_str());
    assert_eq!(
        texts.collect::<String>(),
        paste.trim_end(),
        "nothing is lost"
    );
    let hit = stage
        .run(&[
            "recall",
            "why did the migration of the billing tables fail?",
            "-k",
            "1",
            "--json",
        ])
        .json();
    let text = hit["hits"][0]["text"].as_str().unwrap();
    assert!(
        text.contains(needle) && text.len() <= 32 << 10,
        "{}",
        text.len()
    );
    stage.ok(&["import", &file]);
    assert_eq!(turns(), kept, "brought twice it is there once");
}

#[test]
fn a_bad_line_stops_the_import_and_says_how_to_go_on() {
    let from = rich();
    let good = from.run(&["export"]).out;
    let mut lines: Vec<&str> = good.lines().collect();
    let count = lines.len();
    lines.insert(2, "{\"id\": oops}");
    let to = Stage::new();
    let file = to.file("in.ndjson", lines.join("\n"));
    let said = to.run(&["import", &file, "--json"]);
    let error = said.error();
    assert_eq!(
        (said.code, error["line"].as_u64()),
        (4, Some(3)),
        "{}",
        said.err
    );
    assert!(
        error["message"].as_str().unwrap().contains("in.ndjson"),
        "{error}"
    );
    assert!(
        error["advice"]
            .as_str()
            .unwrap()
            .contains("lines 1 to 2 are stored"),
        "{error}"
    );
    assert_eq!(to.run(&["export"]).out.lines().count(), 2);

    let skipped = to.path("bad.ndjson");
    let said = to.run(&[
        "import",
        &file,
        "--resume",
        "--skip-bad",
        skipped.to_str().unwrap(),
        "--json",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.json()["bad"][0]["line"], 3);
    assert_eq!(
        std::fs::read_to_string(&skipped).unwrap(),
        "{\"id\": oops}\n"
    );
    assert_eq!(to.run(&["export"]).out.lines().count(), count);
    assert_eq!(
        to.run(&["import", &file, "--resume"]).code,
        3,
        "nothing is left to go on with"
    );

    let file = to.file("worse.ndjson", "oops\n");
    // By itself it is told for a note of one word.
    let import = |file: &str| to.run(&["import", file, "--format", "export", "--json"]);
    let advice = import(&file).error()["advice"].clone();
    assert!(
        advice
            .as_str()
            .unwrap()
            .contains("nothing is stored; correct line 1 and import again"),
        "{advice}"
    );
    let advice = import(&to.file("worst.ndjson", "\noops\n")).error()["advice"].clone();
    assert!(
        advice.as_str().unwrap().contains("--from-line 2"),
        "{advice}"
    );
}

#[test]
fn refused_lines_are_written_byte_by_byte() {
    let stage = Stage::new();
    let good = "{\"session\": \"s\", \"text\": \"ok\"}";
    let bad: [&[u8]; 3] = [
        b"{\"session\": \"s\", \"text\": \"caf\xe9\"}",
        b"\xff\xfe\x00\r",
        b"{\"text\": \"\xc3\xa9\"}",
    ];
    let file = stage.file(
        "in.ndjson",
        [good.as_bytes(), bad[0], bad[1], good.as_bytes(), bad[2]].join(&b'\n'),
    );
    let skipped = stage.path("bad.ndjson");
    let said = stage.run(&[
        "import",
        &file,
        "--format",
        "turns",
        "--skip-bad",
        skipped.to_str().unwrap(),
    ]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "stored 2 memories, 3 lines left out\n"),
        "{}",
        said.all()
    );
    assert_eq!(
        std::fs::read(&skipped).unwrap(),
        [bad[0], bad[1], bad[2], b""].join(&b'\n')
    );
}

#[test]
fn turns_are_imported_by_line_and_not_twice_after_a_stop() {
    let stage = Stage::new();
    let line = |n: usize| {
        format!(
            "{{\"session\": \"s\", \"speaker\": \"Ada\", \"text\": \"turn {n}\", \"id\": \"t{n}\"}}\n"
        )
    };
    let mut text: String = (1..=1200).map(line).collect();
    let file = stage.file(
        "turns.ndjson",
        format!("{text}{{\"session\": \"\", \"text\": \"x\"}}\n"),
    );
    let said = stage.run(&["import", &file]);
    assert_eq!(said.code, 4, "{}", said.all());
    assert!(
        said.err.contains("line 1201") && said.err.contains("session"),
        "{}",
        said.err
    );
    text.push_str(&line(1201));
    stage.file("turns.ndjson", text);
    assert_eq!(
        stage.run(&["import", &file, "--resume", "--json"]).json()["stored"],
        1
    );
    let page = stage.run(&["list", "--json", "--limit", "1"]).json();
    assert_eq!(
        (
            page["total"].as_u64(),
            page["memories"][0]["turn"]["position"].as_u64()
        ),
        (Some(1201), Some(1200))
    );
}

#[test]
fn files_that_are_no_export_are_refused() {
    let stage = Stage::new();
    for (bytes, word) in [
        (&b"{\"a\": 1}\n"[..], "with the fields a"),
        (b"[1]", "a list"),
        (b"{\"revisions\": 1}\n", "line 1"),
        (b"one\0two\xff\xfe\x01", "no text"),
    ] {
        let file = stage.file("x.ndjson", bytes);
        let said = stage.run(&["import", &file]);
        assert_eq!(said.code, 4, "{}", said.all());
        assert!(
            said.err.contains("x.ndjson") && said.err.contains(word),
            "{}",
            said.err
        );
    }
    let file = stage.file("empty.ndjson", "");
    assert_eq!(stage.run(&["import", &file, "--json"]).json()["stored"], 0);
}

#[test]
fn an_export_appears_whole_or_not_at_all() {
    let stage = rich();
    let file = stage.file("there.ndjson", "precious");
    let said = stage.run(&["export", &file]);
    assert_eq!(said.code, 4, "{}", said.all());
    assert!(said.err.contains("--force"), "{}", said.err);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
    stage.ok(&["export", &file, "--force"]);
    assert_ne!(std::fs::read_to_string(&file).unwrap(), "precious");
    let said = stage.run(&[
        "export",
        stage.path("no/such/folder.ndjson").to_str().unwrap(),
    ]);
    assert_eq!(said.code, 3, "{}", said.all());
    let said = stage.run(&["export", stage.folder.path().to_str().unwrap(), "--force"]);
    assert_eq!(said.code, 4, "{}", said.all());
}

#[test]
fn nothing_is_written_over_the_database() {
    let stage = rich();
    let db = stage.path("agent.annals");
    let before = stage.ok(&["export"]);
    let lines = stage.file("in.ndjson", "{\"id\": oops}\n");
    let data = stage.file("two.json", DATASET);
    let spelled = stage.path("home/../agent.annals");
    std::fs::create_dir_all(stage.path("home")).unwrap();
    let mut names = vec![db.clone(), spelled];
    std::fs::hard_link(&db, stage.path("second.annals")).unwrap();
    names.push(stage.path("second.annals"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&db, stage.path("link.annals")).unwrap();
        names.push(stage.path("link.annals"));
    }
    for name in names.iter().map(|name| name.to_str().unwrap()) {
        let export = ["export", name, "--force"];
        let text = ["export", name, "--text", "--force"];
        let graph = ["graph", "export", "--format", "dot", name, "--force"];
        let import = ["import", &lines, "--skip-bad", name, "--force"];
        let results = ["eval", "recall", &data, "--results", name, "--force"];
        let candidates = ["eval", "recall", &data, "--candidates", name, "--force"];
        let log = ["eval", "recall", &data, "--log", name];
        for args in [
            &export[..],
            &text,
            &graph,
            &import,
            &results,
            &candidates,
            &log,
        ] {
            let said = stage.run(args);
            assert_eq!(said.code, 4, "{args:?}: {}", said.all());
            assert!(
                said.err.contains("is the database"),
                "{args:?}: {}",
                said.err
            );
        }
    }
    assert_eq!(stage.ok(&["export"]), before);
    assert!(
        stage.ok(&["doctor"]).contains("database"),
        "and the file is sound"
    );
    // A database that the run itself makes.
    let new = stage.path("new.annals").to_str().unwrap().to_owned();
    let said = stage.run(&[
        "--db",
        &new,
        "import",
        &lines,
        "--skip-bad",
        &new,
        "--force",
    ]);
    assert!(
        said.code == 4 && said.err.contains("is the database"),
        "{}",
        said.all()
    );
    // Nor is the file that is read.
    let said = stage.run(&["import", &lines, "--skip-bad", &lines, "--force"]);
    assert!(
        said.code == 4 && said.err.contains("is the file that is read"),
        "{}",
        said.all()
    );
    assert_eq!(std::fs::read_to_string(&lines).unwrap(), "{\"id\": oops}\n");
}

const DATASET: &str = r#"{"name": "two", "conversations": [
 {"id": "a", "turns": [
   {"id": "a1", "session": "s1", "speaker": "Ada", "time": "2026-01-01T10:00:00",
    "text": "My cat is called Turing.", "reply": "A good name."},
   {"id": "a2", "session": "s1", "speaker": "Bob", "time": "2026-01-01T10:01:00",
    "text": "I prefer dogs, mine is Knuth."}],
  "questions": [{"id": "q1", "q": "What is Ada's cat called?", "evidence": ["a1"], "asked_at": "2026-01-05T00:00:00"},
                {"id": "q2", "q": "How is Bob's dog named?", "evidence": ["a2"], "asked_at": "2026-01-05T00:00:00"}]},
 {"id": "b", "turns": [{"id": "b0", "session": "s", "speaker": "", "text": " "},
  {"id": "b1", "session": "s", "text": "小满的生日是五月。"}],
  "questions": [{"id": "q1", "q": "生日是什么时候？", "evidence": ["b1"]}]}]}"#;

#[test]
fn conversations_are_imported_one_or_all() {
    let stage = Stage::new();
    let file = stage.file("two.json", DATASET);
    let said = stage.run(&["import", &file]);
    assert_eq!(said.code, 4, "{}", said.all());
    assert!(
        said.err.contains("a, b") && said.err.contains("--conversation"),
        "{}",
        said.err
    );
    stage.ok(&["import", &file, "--conversation", "a"]);
    let page = stage.run(&["list", "--json", "--oldest-first"]).json();
    assert_eq!(page["memories"][0]["metadata"]["turn_id"], "a1");
    assert_eq!(page["memories"][1]["turn"]["position"], 1);
    let said = stage.run(&["import", &file, "--all"]);
    assert!(
        said.code == 4 && said.err.contains("\"b0\": text is empty"),
        "{}",
        said.all()
    );
    assert_eq!(
        stage.run(&["list", "--json"]).json()["total"],
        2,
        "nothing of it is stored"
    );
    let file = stage.file("two.json", DATASET.replace("\" \"", "\"。\""));
    stage.ok(&["import", &file, "--all"]);
    assert!(stage.ok(&["recall", "-n", "b", "生日"]).contains("五月"));
    let text = concat!(
        r#"{"id": "c", "turns": [{"session": "s", "text": "x", "tags": ["t"], "metadata": {"n": 1},"#,
        r#" "colour": 1, "a\u001b": 2}]}"#,
    );
    let said = stage.run(&["import", &stage.file("one.json", text), "-n", "c"]);
    assert!(
        said.code == 0 && said.err.contains(r#"passed over: "a\u{1b}", "colour""#),
        "{}",
        said.all()
    );
    let stored = stage.run(&["list", "--json", "-n", "c"]).json()["memories"][0].clone();
    assert_eq!(
        (&stored["tags"][0], &stored["metadata"]["n"]),
        (&"t".into(), &1.into())
    );
}

#[test]
fn eval_measures_and_writes_results() {
    let stage = Stage::new();
    let file = stage.file("two.json", DATASET);
    let (results, candidates) = (stage.path("r.ndjson"), stage.path("c.ndjson"));
    let (results, candidates) = (results.to_str().unwrap(), candidates.to_str().unwrap());
    let run = |more: &[&str]| {
        let said = stage.run(&[&["--json", "eval", "recall", &file][..], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        said.json()
    };
    let report = run(&["--results", results, "--candidates", candidates]);
    assert_eq!(
        (report["questions"].as_u64(), report["turns"].as_u64()),
        (Some(3), Some(3))
    );
    assert_eq!(report["recall@5"], 1.0);
    let lines = std::fs::read_to_string(results).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (first["conversation"].as_str(), first["question"].as_str()),
        (Some("a"), Some("q1"))
    );
    assert_eq!(first["ranked"][0], "a1");
    let lines = std::fs::read_to_string(candidates).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert!(
        first["candidates"]
            .as_array()
            .unwrap()
            .iter()
            .any(|c| c["evidence"] == true && c["features"]["text"].is_number())
    );

    let said = stage.run(&["eval", "recall", &file]);
    assert!(
        said.err.contains("\"b0\" has no text and is left out"),
        "{}",
        said.all()
    );
    let zero = run(&["--thresholds-zero", "--agree-with", results]);
    assert_eq!(
        (zero["agreement@10"].as_f64(), zero["recall@5"].as_f64()),
        (Some(1.0), Some(1.0))
    );
    let noisy = run(&["--distractors", "60", "--without", "speaker"]);
    assert_eq!(noisy["turns"], 123);
    assert!(noisy["recall@10"].as_f64().unwrap() > 0.6, "{noisy}");
    assert_eq!(
        stage
            .run(&["eval", "recall", &file, "--results", results])
            .code,
        4,
        "no file is replaced unasked"
    );
}

#[test]
fn each_message_of_a_hook_is_kept_and_what_was_deleted_stays_away() {
    let stage = Stage::new();
    let line = |text: &str| format!("{{\"session\": \"s\", \"text\": \"{text}\"}}\n");
    for text in ["shall I book it?", "yes", "done. anything else?", "yes"] {
        let said = stage.run_with(&["import", "-", "--format", "turns"], line(text).as_bytes());
        assert_eq!(said.out, "stored 1 memory\n", "{text}: {}", said.err);
    }
    let file = stage.file(
        "talk.ndjson",
        ["hello", "my test is positive", "I see"]
            .map(|text| line(text).replace("\"s\"", "\"t\""))
            .concat(),
    );
    assert_eq!(stage.ok(&["import", &file]), "stored 3 memories");
    let listed = stage.run(&["list", "--json"]).json();
    let turn = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .find(|turn| turn["text"] == "my test is positive")
        .unwrap();
    stage.ok(&["delete", turn["id"].as_str().unwrap(), "--yes"]);
    let away = "stored 0 memories, 2 were there already, 1 was deleted since and stays away (see --bring-back)";
    assert_eq!(stage.ok(&["import", &file]), away);
    assert_eq!(
        stage.ok(&["import", &file, "--bring-back"]),
        "stored 1 memory, 2 were there already"
    );
}

#[test]
fn what_an_import_leaves_out_is_told() {
    let stage = Stage::new();
    let messages = concat!(
        r#"[{"role": "system", "content": "Be kind."},"#,
        r#" {"role": "user", "content": "My cat is called Turing.", "mood": 1}]"#,
    );
    let said = stage.run(&[
        "import",
        &stage.file("talk.json", messages),
        "--session",
        "monday",
    ]);
    assert_eq!(
        said.out, "stored 1 turn of 1 conversation\n",
        "{}",
        said.err
    );
    assert!(
        said.err.contains("\"mood\"") && said.err.contains("not stored: instructions: 1"),
        "{}",
        said.err
    );
    let turns = stage.file("turns.ndjson", "{\"session\": \"s\", \"text\": \"x\"}\n");
    let model = format!("--llm=replay:{}", stage.file("silent.ndjson", ""));
    for args in [
        ["import", &turns, "--session", "monday"],
        ["ingest", &turns, &model, "--session=monday"],
    ] {
        let said = stage.run(&args);
        assert!(
            said.code == 2 && said.err.contains("--session is for files of messages"),
            "{}",
            said.all()
        );
    }
    let odd = stage.file(
        "odd.json",
        r#"[{"role": "user", "content": "x", "time": "noon"}]"#,
    );
    let said = stage.run(&["import", &odd]);
    assert!(
        said.code != 0 && said.err.contains("`time` is \"noon\"; it must be a time"),
        "{}",
        said.all()
    );
}

#[test]
fn talks_of_one_file_keep_their_sessions_when_it_grows() {
    let stage = Stage::new();
    let talk = |title: &str, words: &[&str]| {
        let messages: Vec<_> = words
            .iter()
            .map(|text| serde_json::json!({"role": "user", "content": text}))
            .collect();
        serde_json::json!({"title": title, "messages": messages})
    };
    let ann = talk(
        "New chat",
        &["my name is Ann", "hello Ann", "I live in Rome", "nice"],
    );
    let first = serde_json::json!([ann]).to_string();
    stage.ok(&["import", &stage.file("chats.json", first)]);
    let listed = stage.run(&["list", "--json"]).json();
    let rome = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .find(|turn| turn["text"] == "I live in Rome")
        .unwrap();
    stage.ok(&["delete", rome["id"].as_str().unwrap(), "--yes"]);
    let grown = serde_json::json!([talk("New chat", &["what is 2+2", "4"]), ann]).to_string();
    let said = stage.ok(&["import", &stage.file("chats.json", grown)]);
    let away = "3 were there already, 1 was deleted since and stays away (see --bring-back)";
    assert_eq!(said, format!("stored 2 turns of 2 conversations, {away}"));
}

#[test]
fn turns_are_told_by_a_long_first_line_and_behind_a_byte_order_mark() {
    let stage = Stage::new();
    let line = format!(
        "{{\"session\": \"s\", \"text\": \"the \\\"turns\\\" {}\"}}\n",
        "word ".repeat(20_000)
    );
    for bytes in [
        line.clone(),
        "\u{feff}{\"session\": \"t\", \"text\": \"x\"}\n".to_owned(),
    ] {
        let said = stage.run(&["import", &stage.file("turns.ndjson", bytes)]);
        assert_eq!(
            (said.code, said.out.as_str()),
            (0, "stored 1 memory\n"),
            "{}",
            said.all()
        );
    }
}

#[test]
fn a_transcript_of_a_coding_agent_is_imported_once() {
    let stage = Stage::new();
    let lines = concat!(
        r#"{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-02-01T09:00:00Z","message":{"content":"Port?"}}"#,
        "\n",
        r#"{"type":"user","uuid":"u2","sessionId":"s1","toolUseResult":{},"message":{"content":[{"type":"tool_result"}]}}"#,
        "\n",
        r#"{"type":"assistant","uuid":"a1","sessionId":"s1","timestamp":"2026-02-01T09:00:01Z","message":{"content":[{"type":"text","text":"4711."}]}}"#,
        "\n",
    );
    let file = stage.file("0197.jsonl", lines);
    let said = stage.run(&["import", &file]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "stored 2 turns of 1 conversation\n"),
        "{}",
        said.all()
    );
    assert!(
        said.err.contains("calls of tools and their results"),
        "{}",
        said.err
    );
    let again = stage
        .run(&["import", &file, "--format", "claude-code", "--json"])
        .json();
    assert_eq!(again["conversations"][0]["already_there"], 2, "{again}");
    let listed = stage.run(&["list", "--json"]).json();
    assert_eq!(listed["memories"][0]["turn"]["session"], "s1", "{listed}");
    assert_eq!(
        listed["memories"][0]["event_time"], "2026-02-01T09:00:01Z",
        "{listed}"
    );

    let wrong = stage.run(&["import", &file, "--format", "codex", "--json"]);
    assert_eq!(wrong.code, 4);
    assert!(
        wrong.error()["message"]
            .as_str()
            .unwrap()
            .contains("no transcript of codex"),
        "{}",
        wrong.err
    );
    let help = stage.ok(&["import", "--help"]);
    for name in [
        "claude-code",
        "codex",
        "gemini-cli",
        "cursor",
        "copilot-cli",
        "last-chat",
    ] {
        assert!(help.contains(&format!("- {name}:")), "{name}: {help}");
    }
}

#[cfg(unix)]
#[test]
fn notes_are_for_their_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let stage = Stage::new();
    stage.with_memories();
    let folder = stage.path("notes");
    stage.ok(&["export", folder.to_str().unwrap(), "--form", "notes"]);
    let mut left = vec![folder];
    let mut files = 0;
    while let Some(path) = left.pop() {
        let found = std::fs::metadata(&path).unwrap();
        let mode = found.permissions().mode() & 0o777;
        if found.is_dir() {
            assert_eq!(mode, 0o700, "{}", path.display());
            let entries = std::fs::read_dir(&path).unwrap();
            left.extend(entries.map(|entry| entry.unwrap().path()));
        } else {
            assert_eq!(mode, 0o600, "{}", path.display());
            files += 1;
        }
    }
    assert!(files > 0);
}

#[cfg(unix)]
#[test]
fn a_name_of_a_file_begins_no_line_of_its_own() {
    let stage = Stage::new();
    stage.with_memories();
    let odd = stage.path("a\nerror: b");
    let odd = odd.to_str().unwrap();
    for command in [&["export", odd][..], &["db", "backup", odd]] {
        let _made = stage.run(command);
        let said = stage.run(command);
        assert_eq!(said.code, 4, "{}", said.all());
        assert!(said.err.contains("a error: b exists"), "{}", said.err);
    }
}

#[test]
fn a_file_does_not_choose_the_memory_of_a_user_or_a_project() {
    let stage = Stage::new();
    stage.ok(&["remember", "I like tea."]);
    for id in ["user", "project:engine-0123456789abcdef01234567"] {
        let talk = format!(
            r#"{{"conversations":[{{"id":"{id}","turns":[{{"session":"x","text":"I approve."}}]}}]}}"#
        );
        let file = stage.file("talk.json", talk);
        let said = stage.run(&["import", "--all", &file]);
        assert!(
            said.code == 4 && said.err.contains(id) && said.err.contains("--conversation"),
            "{}",
            said.all()
        );
        stage.ok(&["import", &file, "--conversation", id, "-n", "chat"]);
    }
    assert!(!stage.ok(&["list"]).contains("approve"));
}
