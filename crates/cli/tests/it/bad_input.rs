//! Every wrong argument, file, line, id, date and setting gets one clear error and leaves nothing
//! half done.

use crate::stage;

use stage::{Said, Stage};

/// Checks the exit code and that the error is one and names each of `words`.
#[track_caller]
fn refused(said: &Said, code: u8, words: &[&str]) {
    assert_eq!(said.code, code, "{}", said.all());
    assert_eq!(
        said.err.matches("error:").count(),
        1,
        "one error: {}",
        said.err
    );
    for word in words {
        assert!(said.err.contains(word), "{word:?} in {}", said.err);
    }
    assert!(said.out.is_empty(), "{}", said.out);
}

const MISSING: &str = "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e";

#[test]
fn wrong_arguments_are_usage_errors() {
    let stage = Stage::new();
    refused(&stage.run(&["frobnicate"]), 2, &["frobnicate"]);
    refused(&stage.run(&["list", "--limit", "0"]), 2, &["0", "--limit"]);
    refused(
        &stage.run(&["list", "--since", "yesterday"]),
        2,
        &["yesterday", "--since", "2026-01-03"],
    );
    refused(
        &stage.run(&["list", "--layer", "deep"]),
        2,
        &["deep", "episodic"],
    );
    refused(&stage.run(&["show", "17"]), 2, &["17", "memory id"]);
    refused(
        &stage.run(&["remember", "x", "--speaker", "Ada"]),
        2,
        &["--session"],
    );
    refused(
        &stage.run(&["remember", "x", "--meta", "novalue"]),
        2,
        &["novalue", "KEY=VALUE"],
    );
    refused(&stage.run(&["delete"]), 2, &["nothing is selected"]);
    refused(
        &stage.run(&["list", "-n", "a", "-n", "b"]),
        2,
        &["--namespace once"],
    );
    assert!(!stage.path("agent.annals").exists(), "nothing was made");
}

#[test]
fn an_unknown_command_names_those_that_may_be_meant() {
    let stage = Stage::new();
    for (args, words) in [
        (
            &["stats"][..],
            &[
                "there is no command `annals stats`",
                "`annals namespace stats`, `annals graph stats` or `annals db stats`",
            ][..],
        ),
        (&["maintain"], &["try: `annals jobs run`"]),
        (&["add-triple", "x"], &["try: `annals graph add`"]),
        (&["explain", MISSING], &["`annals show --explain`"]),
        (
            &["graph", "compact"],
            &[
                "there is no command `annals graph compact`",
                "try: `annals db compact`",
            ],
        ),
        (&["rememebr", "x"], &["`annals remember`"]),
        (&["graph", "entites"], &["try: `annals graph entities`"]),
        (
            &["graph", "frobnicate"],
            &["`annals graph --help` lists the commands"],
        ),
    ] {
        refused(&stage.run(args), 2, words);
    }
    let error = stage.run(&["compact", "--json"]).error();
    assert_eq!(
        (&error["kind"], &error["advice"]),
        (&"usage".into(), &"`annals db compact`".into())
    );
}

#[test]
fn verify_tells_that_a_database_is_damaged() {
    let stage = Stage::new();
    refused(
        &stage.run(&["db", "verify"]),
        3,
        &["no database", "agent.annals"],
    );
    stage.with_memories();
    stage.ok(&["db", "compact"]);
    assert!(
        stage
            .ok(&["db", "verify"])
            .contains("4 memories in 1 namespace, ")
    );
    assert_eq!(
        stage.run(&["db", "verify", "--json"]).json()["problems"],
        serde_json::json!([])
    );
    let mut bytes = std::fs::read(stage.path("agent.annals")).unwrap();
    for text in ["Never deploy on Friday", "The demo is at ten"] {
        let at = bytes
            .windows(text.len())
            .position(|window| window == text.as_bytes())
            .unwrap();
        bytes[at] ^= 1;
    }
    stage.file("agent.annals", &bytes);
    let said = stage.run(&["db", "verify"]);
    assert_eq!((said.code, said.out.as_str()), (6, ""), "{}", said.all());
    assert!(
        said.err.contains("checksum") && said.err.contains("annals db repair"),
        "{}",
        said.err
    );
    assert_eq!(
        stage.run(&["db", "verify", "--json"]).error()["kind"],
        "damaged"
    );
    assert_eq!(stage.run(&["doctor"]).code, 6);
}

#[test]
fn values_out_of_range_are_named() {
    let stage = Stage::new();
    refused(
        &stage.run(&["remember", "x", "--confidence", "1.5"]),
        4,
        &["confidence", "1.5", "0 to 1"],
    );
    refused(
        &stage.run(&["remember", "x", "--importance", "-1"]),
        4,
        &["importance", "-1"],
    );
    refused(
        &stage.run(&[
            "remember",
            "x",
            "--valid-from",
            "2026-02-01",
            "--valid-until",
            "2026-01-01",
        ]),
        4,
        &["2026-01-01", "before"],
    );
    refused(
        &stage.run(&["remember", "x", "-n", " a"]),
        4,
        &["namespace", "\" a\""],
    );
    refused(
        &stage.run(&["recall", "x", "--min-score", "2"]),
        4,
        &["min-score", "2"],
    );
    refused(&stage.run(&["recall", " "]), 4, &["query", "empty"]);
    refused(
        &stage.run(&["recall", "x", "-k", "0"]),
        2,
        &["--top-k", "0", "from 1 to 10000"],
    );
    refused(
        &stage.run(&["list", "--since", "2026-02-01", "--until", "2026-01-01"]),
        4,
        &["time range"],
    );
    refused(
        &stage.run(&["list", "--tag", "a\u{1b}[31m"]),
        4,
        &["tag", "\\u{1b}"],
    );
}

/// Words of the language in which the program is written.
const OF_RUST: [&str; 8] = [
    "i64",
    "invalid type",
    "invalid value:",
    "missing field",
    "invalid digit",
    "u32",
    "struct",
    "map, expected",
];

#[test]
fn wrong_values_are_told_in_words_of_the_reader() {
    for (chinese, number, time, missing, kind, field) in [
        (
            false,
            "whole number",
            "must be a time like",
            "`session` is missing",
            "must be a text",
            "no field `colour`",
        ),
        (
            true,
            "必须是整数",
            "这样的时间",
            "缺少字段 `session`",
            "必须是一段文字",
            "没有字段 `colour`",
        ),
    ] {
        let stage = Stage::new();
        if chinese {
            stage.set("ANNALS_LANG", "zh");
        }
        let turn = |line: &str| stage.file("turns.ndjson", format!("{line}\n").as_bytes());
        let import = |line: &str| stage.run(&["import", &turn(line), "--format", "turns"]);
        let messages = |text: &str| {
            let file = stage.file("talk.json", text.as_bytes());
            stage.run(&["import", &file, "--format", "messages"])
        };
        let at_line = if chinese { "第 1 行：" } else { "line 1: " };
        for (said, words) in [
            (
                stage.run(&["list", "--limit", "x"]),
                &["--limit", number][..],
            ),
            (
                import(r#"{"session": "s", "text": "a", "time": "noon"}"#),
                &[at_line, "`time`", "noon", time],
            ),
            (import(r#"{"text": "a"}"#), &[at_line, missing]),
            (
                import(r#"{"session": "s", "text": 7}"#),
                &[at_line, "`text`", "7", kind],
            ),
            (
                import(r#"{"session": "s", "text": "a", "colour": 1}"#),
                &[at_line, field, "speaker"],
            ),
            (
                import(r#"{"session": "s", "text": "a", "role": "boss"}"#),
                &["`role`", "boss", "assistant"],
            ),
            (
                import(r#"{"session": "s", "text": "a", "tags": ["x", 2]}"#),
                &["`tags[1]`", "2", kind],
            ),
            (import(r#"{"session": "s""#), &["JSON"]),
            (
                messages(r#"[{"role": "user", "content": "a", "time": "noon"}]"#),
                &["`time`", "noon", time],
            ),
            (
                messages(r#"[{"role": 7, "content": "a"}]"#),
                &["`role`", "7", kind],
            ),
            (
                messages(r#"[{"role": "boss", "content": "a"}]"#),
                &["`role`", "boss", "assistant"],
            ),
        ] {
            assert!(said.code != 0, "{}", said.all());
            for word in words {
                assert!(said.err.contains(word), "{word:?} in {}", said.err);
            }
            let rust = OF_RUST.iter().find(|word| said.err.contains(**word));
            assert_eq!(rust, None, "{}", said.err);
        }
    }
}

#[test]
fn a_wrong_relation_lists_those_of_the_language_of_the_namespace() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "graph"]);
    let id = |text: &str| {
        stage
            .ok(&["-n", "me", "remember", text, "--kind", "事实"])
            .trim()
            .to_owned()
    };
    let (first, second) = (id("I live in Lyon"), id("I work at a bakery"));
    for (language, first_word, other) in [
        ("en", "one of causes", Some("导致")),
        ("zh", "one of 因为", None),
    ] {
        stage.ok(&["language", "use", "me", language]);
        for command in ["link", "unlink"] {
            let said = stage.run(&["-n", "me", "graph", command, &first, "knows", &second]);
            assert!(
                said.code == 4 && said.err.contains("\"knows\""),
                "{}",
                said.all()
            );
            assert!(
                said.err.contains(first_word) && said.err.contains("caused_by"),
                "{language}: {}",
                said.err
            );
            assert!(
                !other.is_some_and(|other| said.err.contains(other)),
                "{language}: {}",
                said.err
            );
        }
    }
}

#[test]
fn a_profile_of_the_config_file_that_reaches_no_namespace_is_said() {
    let stage = Stage::new();
    let config = stage.file("c.toml", "[profile.recall]\ntop_k = 3\n");
    stage.ok(&["namespace", "create", "me", "--profile", "companion"]);
    let told = "[profile] in ";
    let list = |name: &str| stage.run(&["--config", &config, "-n", name, "list"]).err;
    assert!(
        list("me").contains(told) && list("me").contains("c.toml"),
        "{}",
        list("me")
    );
    assert!(
        !stage.run(&["-n", "me", "list"]).err.contains(told),
        "without such a table nothing is said"
    );
    let doctor = stage.run(&["--config", &config, "doctor"]);
    assert!(doctor.out.contains(told), "{}", doctor.out);
    stage.ok(&["namespace", "create", "other"]);
    assert!(!list("me").contains(told), "it reaches another one");
}

#[test]
fn a_namespace_is_refused_where_a_command_is_about_none() {
    let stage = Stage::new();
    stage.with_memories();
    for command in [
        &["jobs", "run"][..],
        &["jobs", "list"],
        &["namespace", "list"],
        &["profile", "list"],
    ] {
        let args: Vec<&str> = command.iter().copied().chain(["-n", "me"]).collect();
        refused(&stage.run(&args), 2, &[command[0], "--namespace"]);
        stage.ok(command);
    }
}

#[test]
fn what_does_not_exist_is_named() {
    let stage = Stage::new();
    refused(
        &stage.run(&["recall", "x"]),
        3,
        &["no database", "agent.annals", "try:"],
    );
    stage.with_memories();
    for command in ["show", "forget", "restore", "archive", "delete"] {
        refused(&stage.run(&[command, MISSING]), 3, &[MISSING]);
    }
    refused(&stage.run(&["edit", MISSING, "--text", "y"]), 3, &[MISSING]);
    refused(
        &stage.run(&["namespace", "rename", "nobody", "x"]),
        3,
        &["nobody"],
    );
    refused(
        &stage.run(&["namespace", "delete", "nobody", "--yes"]),
        3,
        &["nobody"],
    );
    refused(
        &stage.run(&["import", "nowhere.ndjson"]),
        3,
        &["nowhere.ndjson"],
    );
    refused(
        &stage.run(&["remember", "--file", "nowhere.txt"]),
        3,
        &["nowhere.txt"],
    );
    refused(
        &stage.run(&["--config", "nowhere.toml", "list"]),
        3,
        &["nowhere.toml"],
    );
    refused(
        &stage.run(&["--embedder", "nowhere", "recall", "x"]),
        9,
        &["nowhere", "builtin"],
    );
    refused(
        &stage.run(&["remember", "x", "--derived-from", MISSING]),
        3,
        &[MISSING],
    );
}

#[test]
fn advice_is_about_what_is_missing() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&["graph", "add", &ids[0], "Ada", "likes", "tea"]);
    for args in [
        &["graph", "add", &ids[0], "#999", "likes", "tea"][..],
        &["graph", "triples", "--subject", "#999"],
        &["graph", "entities", "#999"],
        &["graph", "merge", "#0", "#999"],
    ] {
        let said = stage.run(args);
        refused(
            &said,
            3,
            &["there is no entity 999", "`annals graph entities`"],
        );
        assert!(!said.err.contains("nothing was changed"), "{}", said.err);
    }
    for args in [
        &["graph", "triples", "--subject", "Nobody"][..],
        &["graph", "triples", "--object", "Nobody"],
        &["graph", "neighbours", "Nobody"],
        &["graph", "paths", "Ada", "Nobody"],
        &["graph", "edit-entity", "Nobody", "--kind", "person"],
        &["graph", "delete-entity", "Nobody"],
        &["graph", "merges", "Nobody"],
    ] {
        refused(
            &stage.run(args),
            3,
            &["no entity is called \"Nobody\"", "`annals graph entities`"],
        );
    }
    refused(
        &stage.run(&["graph", "explain", "999"]),
        3,
        &["there is no triple 999", "`annals graph triples`"],
    );
    refused(
        &stage.run(&["graph", "delete", "999"]),
        3,
        &["there is no triple 999", "`annals graph triples`"],
    );
    refused(
        &stage.run(&["graph", "unmerge", "9"]),
        3,
        &["merge 9", "`annals graph merges`"],
    );
    refused(
        &stage.run(&["jobs", "stop", "companion", "nosuch"]),
        3,
        &["nosuch", "`annals jobs list`"],
    );
    refused(
        &stage.run(&["queue", "drop", "7"]),
        3,
        &["7", "`annals queue list`"],
    );
    refused(
        &stage.run(&["remember", "x", "--derived-from", MISSING]),
        3,
        &[MISSING, "`annals list`"],
    );
    for args in [
        &["profile", "show", "nobody"][..],
        &["namespace", "create", "me", "--profile", "nobody"],
    ] {
        refused(
            &stage.run(args),
            3,
            &["there is no profile \"nobody\"", "`annals profile list`"],
        );
    }
}

#[test]
fn every_reader_refuses_a_namespace_that_is_not_there() {
    let stage = Stage::new();
    stage.with_memories();
    let readers: [&[&str]; 21] = [
        &["list"],
        &["show", MISSING],
        &["recall", "x"],
        &["context", "x"],
        &["db", "stats"],
        &["export"],
        &["db", "reembed"],
        &["queue", "list"],
        &["review", "list"],
        &["review", "decisions"],
        &["session", "scratchpad"],
        &["graph", "triples"],
        &["graph", "explain", "0"],
        &["graph", "entities"],
        &["graph", "neighbours", "Ada"],
        &["graph", "paths", "Ada", "Bob"],
        &["graph", "duplicates"],
        &["graph", "stats"],
        &["graph", "export", "--format", "dot"],
        &["graph", "links", MISSING],
        &["model", "call", "search_memories", r#"{"query":"x"}"#],
    ];
    for reader in readers {
        let said = stage.run(&[reader, &["-n", "nosuch"][..]].concat());
        refused(
            &said,
            3,
            &[
                "there is no namespace \"nosuch\"",
                "`annals namespace list`",
            ],
        );
    }
    let stats = stage.run(&["namespace", "stats", "nosuch"]);
    refused(
        &stats,
        3,
        &[
            "there is no namespace \"nosuch\"",
            "`annals namespace list`",
        ],
    );
    refused(
        &stage.run(&["recall", "x", "-n", "user", "-n", "nosuch"]),
        3,
        &["\"nosuch\""],
    );
    // The default namespace, which need not be named, is there before its first memory.
    stage.ok(&["namespace", "rename", "user", "team"]);
    for reader in [
        &["list"][..],
        &["recall", "x"],
        &["context", "x"],
        &["queue", "list"],
        &["graph", "triples"],
    ] {
        stage.ok(reader);
    }
    assert_eq!(
        (stage.ok(&["export"]), stage.ok(&["export", "--text"])),
        (String::new(), String::new())
    );
    for counts in [&["db", "stats"][..], &["namespace", "stats", "user"]] {
        assert!(stage.ok(counts).contains("memories        0"), "{counts:?}");
    }
    assert_eq!(
        stage.run(&["db", "stats", "--json"]).json()["namespace"]["memories"],
        0
    );
    let nothing = stage.run(&["model", "call", "search_memories", r#"{"query":"x"}"#]);
    assert_eq!(
        (nothing.code, &nothing.json()["count"]),
        (0, &0.into()),
        "{}",
        nothing.all()
    );
    refused(
        &stage.run(&["queue", "retry", "1"]),
        3,
        &["number 1", "`annals queue list`"],
    );
    let made = stage.run(&["namespace", "list", "--json"]).json();
    assert_eq!(
        made["namespaces"].as_array().map(Vec::len),
        Some(1),
        "reading makes nothing: {made}"
    );
}

#[test]
fn kinds_that_a_profile_does_not_know_are_counted() {
    let stage = Stage::new();
    stage.with_memories();
    let said = stage.run(&["namespace", "use-profile", "user", "graph"]);
    refused(
        &said,
        4,
        &["\"user\"", "\"fact\" (1), \"rule\" (1)", "事实"],
    );
    assert!(
        stage
            .ok(&["namespace", "stats", "user"])
            .contains("profile         default")
    );
    stage.ok(&["namespace", "create", "me", "--profile", "graph"]);
    let rumour = ["-n", "me", "remember", "I like tea", "--kind", "rumour"];
    refused(
        &stage.run(&rumour),
        4,
        &["事件, 事实, 关系, 观点", "--kind"],
    );
    stage.ok(&["-n", "me", "remember", "I like tea", "--kind", "观点"]);
}

#[test]
fn a_memory_is_no_source_of_its_own() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    let args = [
        "edit",
        &ids[0],
        "--text",
        "I moved to Rome.",
        "--derived-from",
        &ids[0],
    ];
    refused(
        &stage.run(&args),
        4,
        &[&ids[0], "cannot derive from itself"],
    );
    let newer = stage.ok(&[&args[..], &["--supersede"][..]].concat());
    assert!(
        stage
            .ok(&["show", &newer])
            .contains(&format!("derived from  {}", ids[0]))
    );
}

#[test]
fn one_wrong_id_among_several_changes_nothing() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    refused(&stage.run(&["forget", &ids[0], MISSING]), 3, &[MISSING]);
    refused(
        &stage.run(&["delete", &ids[0], MISSING, "--yes"]),
        3,
        &[MISSING],
    );
    assert!(stage.ok(&["show", &ids[0]]).contains("active"));
    assert_eq!(stage.run(&["list", "--json"]).json()["total"], 4);
}

#[test]
fn several_ids_have_one_receipt() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&["forget", &ids[0], &ids[1]]);
    let plan = stage
        .run(&["delete", &ids[1], &ids[2], &ids[1], "--json"])
        .json();
    assert_eq!(
        (&plan["dry_run"], plan["memories"].as_array().map(Vec::len)),
        (&true.into(), Some(2)),
        "{plan}"
    );
    let receipt = stage
        .run(&["delete", &ids[1], &ids[2], "--yes", "--json"])
        .json();
    assert_eq!(
        (&receipt["rows"], &receipt["memories"][0]["status"]),
        (&2.into(), &"forgotten".into()),
        "{receipt}"
    );
    stage.ok(&["restore", &ids[0]]);
    assert_eq!(stage.run(&["list", "--json"]).json()["total"], 2);
}

#[test]
fn texts_of_every_kind() {
    let stage = Stage::new();
    refused(&stage.run(&["remember", ""]), 4, &["text is empty"]);
    refused(
        &stage.run_with(&["remember", "-"], b""),
        4,
        &["text is empty"],
    );
    refused(
        &stage.run_with(&["remember", "-"], b"ok\nbad \xff\xfe"),
        4,
        &["standard input", "byte 7", "line 2", "0xff"],
    );
    let bad = stage.file("latin1.txt", b"caf\xe9");
    refused(
        &stage.run(&["remember", "--file", &bad]),
        4,
        &["latin1.txt", "byte 3", "iconv"],
    );
    let long = stage.file("long.txt", "x".repeat((1 << 20) + 1));
    refused(
        &stage.run(&["remember", "--file", &long]),
        4,
        &["1048577", "1048576"],
    );
    let far = stage.file("far.txt", "x".repeat(3 << 20));
    refused(
        &stage.run(&["remember", "--file", &far]),
        4,
        &["far.txt", "1048576"],
    );
    assert!(!stage.run(&["list", "--json"]).out.contains("caf"));

    let longest = "word ".repeat((1 << 20) / 5);
    let id = stage.run_with(&["remember", "-"], longest.trim_end().as_bytes());
    assert_eq!(id.code, 0, "{}", id.err);
    for text in [
        "a\u{0}b\u{7}\u{1b}[2J\u{1b}]0;title\u{7}",
        "שלום \u{202e}gnp.exe\u{202c} عليكم",
        "👩‍👩‍👧‍👦 🏳️‍🌈 e\u{301}",
        "\u{9b}31m\u{2028}\u{feff}",
    ] {
        let id = stage.run_with(&["remember", "-"], text.as_bytes());
        assert_eq!(id.code, 0, "{text:?}: {}", id.err);
        let id = id.out.trim();
        let shown = stage.run(&["show", id, "--json"]);
        assert_eq!(
            shown.json()["memory"]["text"],
            text.trim_start_matches('\u{feff}'),
            "stored as it came"
        );
        let acts =
            |c: char| c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
        for args in [
            &["show", id][..],
            &["show", id, "--json"],
            &["list"],
            &["recall", text],
            &["delete", id],
            &["export"],
        ] {
            let said = stage.run(args);
            assert_eq!(said.code, 0, "{}", said.err);
            if args != ["export"] {
                assert!(!said.out.contains(acts), "{args:?} {:?}", said.out);
            }
        }
        // Tabs stand between the columns of a text.
        let acts = |c: char| c != '\t' && acts(c);
        let path = stage.path("export.txt").display().to_string();
        stage.ok(&["export", "--text", "--force", &path]);
        for out in [
            stage.ok(&["export", "--text"]),
            std::fs::read_to_string(path).unwrap(),
        ] {
            assert!(
                out.contains(&format!("{id}\tfact\t")) && !out.contains(acts),
                "{out:?}"
            );
        }
    }
}

#[test]
fn config_errors_name_file_line_and_key() {
    let stage = Stage::new();
    for (text, words) in [
        (
            "db = \"x\"\nnamspace = \"y\"\n",
            &["c.toml, line 2", "namspace"][..],
        ),
        ("[profile.recall]\ntop_q = 3\n", &["line 2", "top_q"]),
        (
            "[profile.recall.weights]\ndense = \"high\"\n",
            &["line 2", "dense"],
        ),
        ("embedder = 7\n", &["line 1", "embedder"]),
        ("db = \n", &["line 1"]),
        ("namespace = \"\\u001b[2J\"\n", &["\\u{1b}"]),
    ] {
        let path = stage.file("c.toml", text);
        refused(&stage.run(&["--config", &path, "list"]), 4, words);
    }
    let path = stage.file("c.toml", b"db = \"\xff\"");
    refused(
        &stage.run(&["--config", &path, "list"]),
        4,
        &["c.toml", "UTF-8"],
    );
    let path = stage.file("c.toml", "[profile.recall.weights]\ndense = -1.0\n");
    refused(
        &stage.run(&["--config", &path, "list"]),
        4,
        &["c.toml, line 2", "recall.weights.dense"],
    );
}

#[test]
fn a_flag_beats_a_variable_beats_the_file() {
    let stage = Stage::new();
    let path = stage.file("c.toml", "db = \"own.annals\"\nnamespace = \"from-file\"\n");
    let named = |args: &[&str]| {
        let said = stage.run(args);
        assert_eq!(said.code, 0, "{}", said.err);
        said.json()["namespace"].as_str().unwrap().to_owned()
    };
    stage.env.borrow_mut().remove("ANNALS_DB");
    stage.set("ANNALS_CONFIG", &path);
    assert_eq!(named(&["remember", "x", "--json"]), "from-file");
    assert!(
        stage.path("own.annals").exists(),
        "a path in the file counts from the file"
    );
    stage.set("ANNALS_NAMESPACE", "from-variable");
    assert_eq!(named(&["remember", "x", "--json"]), "from-variable");
    assert_eq!(
        named(&["remember", "x", "--json", "-n", "from-flag"]),
        "from-flag"
    );
    stage.env.borrow_mut().retain(|name, _| name == "HOME");
    assert_eq!(named(&["remember", "x", "--json"]), "user");
    assert!(
        stage.path("home").exists(),
        "the default is below the home folder"
    );
}

#[test]
fn errors_are_json_when_asked() {
    let stage = Stage::new();
    let error = stage.run(&["--json", "show", MISSING]).error();
    assert_eq!(
        (error["kind"].as_str(), error["exit_code"].as_u64()),
        (Some("not_found"), Some(3))
    );
    let error = stage.run(&["show", "17", "--json"]).error();
    assert_eq!(
        (error["kind"].as_str(), error["exit_code"].as_u64()),
        (Some("usage"), Some(2))
    );
    let path = stage.file("c.toml", "\nkey = 1\n");
    let error = stage.run(&["--json", "--config", &path, "list"]).error();
    assert_eq!(
        (error["line"].as_u64(), error["kind"].as_str()),
        (Some(2), Some("invalid"))
    );
}

#[test]
fn a_broken_data_set_says_where() {
    let stage = Stage::new();
    let path = stage.file(
        "d.json",
        "{\"conversations\": [\n{\"id\": \"c\", \"turns\": [{\"id\": 7}]}]}",
    );
    refused(
        &stage.run(&["eval", "recall", &path]),
        4,
        &["d.json", "line 2"],
    );
    let path = stage.file(
        "d.json",
        r#"{"conversations": [{"id": "c", "turns": [
        {"id": "t1", "session": "s", "text": "x", "speaker": "a\u0007"}],
        "questions": [{"id": "q", "q": "x", "evidence": ["t1"]}]}]}"#,
    );
    refused(
        &stage.run(&["eval", "recall", &path]),
        4,
        &["\"c\"", "\"t1\"", "speaker"],
    );
    let path = stage.file("d.json", r#"{"conversations": []}"#);
    refused(&stage.run(&["eval", "recall", &path]), 4, &["no questions"]);
    refused(
        &stage.run(&["eval", "recall", &path, "--without", "luck"]),
        2,
        &["luck", "speaker"],
    );
}
