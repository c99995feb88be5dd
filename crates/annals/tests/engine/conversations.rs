//! Documents of conversations.

use annals::blocking::Memory;
use annals::{Conversations, ImportFormat, ImportOptions, Role, TURN_ID, Value};
use proptest::test_runner::RngSeed;

const DOCUMENT: &str = r#"{"name": "two", "licence": "none", "conversations": [
 {"id": "a", "turns": [
   {"id": "a1", "session": "s1", "speaker": " Ada ", "role": "assistant", "time": "2026-01-01T10:00:00", "text": "One.",
    "reply": "Good.", "tags": ["x"], "metadata": {"n": 3, "turn_id": "other"}, "colour": "red", "mood": [1, {}]},
   {"session": "s1", "speaker": " ", "time": "2026-01-03T10:00:00", "text": "Two.", "colour": "blue"}],
  "questions": [{"id": "q1", "q": "One?", "evidence": ["a1"], "category": "odd", "asked_at": "2026-01-05T00:00:00"},
                {"id": "q2", "q": "Two?"}]},
 {"id": "b", "turns": [{"id": "b0", "session": "s", "text": " "}, {"session": "s", "text": ""},
   {"session": "s", "text": "Three."}]}]}"#;

#[test]
fn every_field_of_a_turn_arrives_and_others_are_named() {
    let read = Conversations::parse(DOCUMENT.as_bytes()).unwrap();
    assert_eq!((read.name.as_str(), read.conversations.len()), ("two", 2));
    assert_eq!(read.unknown_fields(), ["colour", "mood"]);
    let a = &read.conversations[0];
    let memories = a.memories().unwrap();
    let (body, second) = (memories[0].body(), memories[1].body());
    let turn = body.turn.as_ref().unwrap();
    assert_eq!(
        (body.text.as_str(), turn.reply.as_deref(), turn.role),
        ("One.", Some("Good."), Role::Assistant)
    );
    assert_eq!(turn.speaker.as_ref().map(|name| name.as_str()), Some("Ada"));
    assert_eq!(body.event_time.unwrap().to_string(), "2026-01-01T10:00:00Z");
    assert_eq!(
        body.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(),
        ["x"]
    );
    assert_eq!(
        (&body.metadata["n"], &body.metadata[TURN_ID]),
        (&Value::Int(3), &Value::from("a1"))
    );
    assert_eq!(
        (
            second.metadata.len(),
            second.turn.as_ref().unwrap().speaker.is_none()
        ),
        (0, true)
    );
    assert_eq!(
        (a.start().date(), a.end().date()),
        ("2026-01-01".to_owned(), "2026-01-03".to_owned())
    );
    assert_eq!(a.asked_at(&a.questions[0]).date(), "2026-01-05");
    assert_eq!(a.asked_at(&a.questions[1]), a.end());
    assert_eq!(
        (
            a.questions[0].evidence.as_slice(),
            a.questions[1].evidence.len()
        ),
        (&["a1".to_owned()][..], 0)
    );
}

#[test]
fn silent_turns_are_refused_or_dropped() {
    let mut b = Conversations::parse(DOCUMENT.as_bytes())
        .unwrap()
        .conversations
        .remove(1);
    let error = b.memories().unwrap_err();
    assert!(
        error.is_invalid()
            && error
                .to_string()
                .contains("conversation \"b\", turn \"b0\": text is empty"),
        "{error}"
    );
    assert_eq!(b.drop_silent(), ["b0", "2"]);
    assert_eq!(b.memories().unwrap().len(), 1);
}

#[test]
fn one_conversation_is_a_document_too() {
    let read =
        Conversations::parse(br#"{"id": "c", "turns": [{"session": "s", "text": "x"}]}"#).unwrap();
    assert_eq!(
        (
            read.conversations[0].id.as_str(),
            read.conversations[0].turns.len()
        ),
        ("c", 1)
    );
    let error =
        Conversations::parse(b"{\"id\": \"c\",\n\"turns\": [{\"session\": 7}]}").unwrap_err();
    assert!(
        error.is_invalid() && error.to_string().contains("`turns[0].session` is 7"),
        "{error}"
    );
    assert_eq!(error.import_line(), Some(2));
    for bad in [
        &b""[..],
        b"[]",
        b"{}",
        b"\xff",
        b"{\"conversations\": {}}",
        b"{\"conversations\": [{\"id\": \"c\"}]}",
    ] {
        assert!(
            Conversations::parse(bad).unwrap_err().is_invalid(),
            "{bad:?}"
        );
    }
}

/// A line and a document make the same memory of a turn.
#[test]
fn lines_and_documents_are_read_alike() {
    let turn = concat!(
        r#"{"id": "t", "session": "s", "speaker": " Ada ", "role": "tool", "text": "x", "time": "2026-01-01", "#,
        r#""reply": " ", "tags": ["a"], "metadata": {"k": [1]}}"#
    );
    let document = format!("{{\"conversations\": [{{\"id\": \"c\", \"turns\": [{turn}]}}]}}");
    let memory = Memory::options().in_memory().unwrap();
    let (lines, whole) = (
        memory.namespace("lines").unwrap(),
        memory.namespace("whole").unwrap(),
    );
    let options = ImportOptions {
        format: ImportFormat::Turns,
        ..ImportOptions::default()
    };
    lines
        .transfer()
        .import(&mut turn.as_bytes(), &options, &mut |_| {})
        .unwrap();
    let read = Conversations::parse(document.as_bytes()).unwrap();
    whole
        .bulk()
        .remember(read.conversations[0].memories().unwrap())
        .unwrap();
    let first = |namespace: &annals::blocking::Namespace| {
        namespace
            .session("s")
            .memories(0, 1)
            .unwrap()
            .remove(0)
            .body
    };
    assert_eq!(first(&lines), first(&whole));
}

#[test]
fn turns_that_come_again_are_known() {
    let line =
        |rest: &str, text: &str| format!("{{\"session\": \"s\", {rest} \"text\": \"{text}\"}}\n");
    let named = [
        line("\"id\": \"1\",", "ok"),
        line("\"id\": \"2\",", "ok"),
        line("\"id\": \"3\",", "yes"),
    ];
    let timed = [
        line("\"time\": \"2026-01-01T09:59:00\",", "ok"),
        line("\"time\": \"2026-01-01T10:00:00\",", "ok"),
        line("\"time\": \"2026-01-01T10:00:00\",", "ok"),
    ];
    let bare = [line("", "hello"), line("", "ok"), line("", "ok")];
    for lines in [named, timed, bare] {
        for batch in [1, 2, 500] {
            let memory = Memory::options().in_memory().unwrap();
            let space = memory.namespace("u").unwrap();
            let import = |text: &str, skip_lines: u64| {
                let options = ImportOptions {
                    format: ImportFormat::Turns,
                    batch,
                    skip_lines,
                    ..ImportOptions::default()
                };
                let report = space
                    .transfer()
                    .import(&mut text.as_bytes(), &options, &mut |_| {})
                    .unwrap();
                (report.stored, report.already_there)
            };
            let file = lines.concat();
            assert_eq!(import(&file, 0), (3, 0), "{file}");
            assert_eq!(import(&file, 0), (0, 3), "{file}");
            // A turn said meanwhile stands between, and a file that grows is taken from there on.
            space
                .sessions()
                .append(vec![
                    annals::NewTurn::builder("s", "and now?").build().unwrap(),
                ])
                .unwrap();
            let grown = file.clone() + &line("\"id\": \"9\",", "bye");
            assert_eq!(import(&grown, 0), (1, 3), "{file}");
            assert_eq!(
                (import(&grown, 2), import(&grown, 3)),
                ((0, 2), (0, 1)),
                "{file}"
            );
            let elsewhere = file.replace("\"s\"", "\"t\"");
            assert_eq!(
                (import(&elsewhere, 1), import(&elsewhere, 1)),
                ((2, 0), (0, 2)),
                "{file}"
            );
            assert_eq!(space.session("s").memories(0, 100).unwrap().len(), 5);
        }
    }
}

#[test]
fn a_file_of_the_same_words_is_not_the_same_file() {
    let memory = Memory::options().in_memory().unwrap();
    let space = memory.namespace("u").unwrap();
    let import = |texts: &[&str]| {
        let lines: Vec<String> = texts
            .iter()
            .map(|text| format!("{{\"session\": \"s\", \"text\": \"{text}\"}}\n"))
            .collect();
        let options = ImportOptions {
            format: ImportFormat::Turns,
            ..ImportOptions::default()
        };
        let report = space
            .transfer()
            .import(&mut lines.concat().as_bytes(), &options, &mut |_| {})
            .unwrap();
        (report.stored, report.already_there)
    };
    assert_eq!(import(&["one", "ok", "two"]), (3, 0));
    assert_eq!(
        import(&["three", "ok", "two"]),
        (3, 0),
        "another talk with two of its words"
    );
    let turns = space.session("s").memories(0, 100).unwrap();
    space.delete(turns[1].id, annals::Mode::Commit).unwrap();
    assert_eq!(
        import(&["one", "ok", "two"]),
        (0, 2),
        "what was deleted stays away"
    );
}

#[test]
fn two_that_bring_the_same_file_bring_it_once() {
    let memory = Memory::options().in_memory().unwrap();
    let (space, together) = (memory.namespace("u").unwrap(), std::sync::Barrier::new(4));
    let read = Conversations::parse(DOCUMENT.as_bytes()).unwrap();
    let bring = || {
        together.wait();
        space
            .transfer()
            .import_conversation(
                &read.conversations[0],
                &ImportOptions::default(),
                &mut |_| {},
            )
            .unwrap()
            .stored
    };
    let stored: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(bring)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!((stored, space.admin().stats().unwrap().memories), (2, 2));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        rng_seed: RngSeed::Fixed(7), ..proptest::prelude::ProptestConfig::default()
    })]

    #[test]
    fn fuzz_broken_documents_are_survived(
        cut in 0..DOCUMENT.len(),
        at in 0..DOCUMENT.len(),
        byte in proptest::num::u8::ANY,
    ) {
        let mut bytes = DOCUMENT.as_bytes().to_vec();
        bytes[at] = byte;
        let whole = Conversations::parse(&bytes);
        if let Ok(read) = whole {
            // Each document that is read becomes memories or is clearly refused.
            for conversation in &read.conversations {
                let _built = conversation.memories().map_err(|error| assert!(error.is_invalid()));
            }
        }
        bytes.truncate(cut);
        proptest::prop_assert!(Conversations::parse(&bytes).is_err());
    }
}

#[test]
fn messages_of_chat_services_are_conversations() {
    let list = r#"[
 {"role": "system", "content": "You are kind."},
 {"role": "user", "content": [{"type": "text", "text": "What is"},
  {"type": "image_url", "image_url": {"url": "x"}}, {"text": "this?"}],
  "name": "Ada", "id": "m1", "timestamp": 1767261600},
 {"role": "assistant", "content": null, "tool_calls": [
  {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
  {"id": "c2", "function": {"name": "read", "arguments": {"page": 2}}}]},
 {"role": "tool", "tool_call_id": "c2", "content": "a cat"},
 {"role": "assistant", "content": "A cat.", "created_at": "2026-01-01T10:00:05Z"}]"#;
    let read = Conversations::of_messages(list.as_bytes(), "monday").unwrap();
    let [conversation] = read.conversations.as_slice() else {
        panic!("{read:?}")
    };
    let memories = conversation.memories().unwrap();
    let [asked, answered] = memories.as_slice() else {
        panic!("{memories:?}")
    };
    let turn = |memory: &annals::NewMemory| memory.body().turn.clone().unwrap();
    assert_eq!(
        (asked.text(), answered.text()),
        ("What is\nthis?", "A cat.")
    );
    assert_eq!(
        (turn(asked).role, turn(answered).role),
        (Role::User, Role::Assistant)
    );
    assert_eq!(turn(asked).speaker.unwrap().as_str(), "Ada");
    assert_eq!(asked.body().metadata[TURN_ID], Value::from("m1"));
    assert_eq!(
        asked.body().event_time.unwrap().to_string(),
        "2026-01-01T10:00:00Z"
    );
    assert_eq!(
        answered.body().event_time.unwrap().to_string(),
        "2026-01-01T10:00:05Z"
    );
    let calls = turn(answered).tool_calls;
    let told: Vec<_> = calls
        .iter()
        .map(|call| {
            (
                call.name.as_str(),
                call.arguments.as_str(),
                call.result.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("look", "{}", None),
            ("read", r#"{"page":2}"#, Some("a cat"))
        ]
    );

    for (bad, line, said) in [
        (
            "{\"role\": \"user\", \"content\": \"x\"}\n\n{\"text\": \"y\"}",
            Some(3),
            "role",
        ),
        ("[{\"role\": \"user\"", Some(1), "ends in the middle"),
        (
            "[{\"role\": \"narrator\", \"content\": \"x\"}]",
            Some(1),
            "narrator",
        ),
        (
            "[{\"role\": \"user\", \"content\": \"x\", \"time\": \"noon\"}]",
            Some(1),
            "`time` is \"noon\"; it must be a time",
        ),
        (
            "[{\"role\": \"user\", \"content\": \"x\", \"id\": true}]",
            Some(1),
            "`id` is true; it must be a text or a number",
        ),
    ] {
        let error = Conversations::of_messages(bad.as_bytes(), "s").unwrap_err();
        assert!(
            error.is_invalid() && error.to_string().contains(said),
            "{bad}: {error}"
        );
        assert_eq!(error.import_line(), line, "{bad}: {error}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        rng_seed: RngSeed::Fixed(8), ..proptest::prelude::ProptestConfig::default()
    })]

    #[test]
    fn fuzz_of_messages_never_panics(pieces in proptest::collection::vec(piece(), 0..12)) {
        let text = pieces.concat();
        if let Ok(read) = Conversations::of_messages(text.as_bytes(), "s") {
            for conversation in &read.conversations {
                let _ = conversation.memories();
            }
        }
    }
}

/// Pieces of messages, and others.
fn piece() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::strategy::Strategy;
    let known = [
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "\"messages\": ",
        "\"role\": ",
        "\"user\"",
        "\"tool\"",
        "\"content\": ",
        "\"x\"",
        "null",
        "\"time\": ",
        "1e300",
        "-5",
        "\"tool_calls\": ",
        "{\"function\": {\"name\": \"f\"}}",
        "{\"role\": \"user\", \"content\": \"x\", \"created\": 1e999}",
        "{\"role\": \"assistant\", \"content\": [{\"text\": \"y\"}]}",
    ];
    proptest::prop_oneof![4 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,5}"]
}

/// The sessions of a document, with what is said in each.
fn sessions(json: &str) -> Vec<(String, Vec<String>)> {
    let read = Conversations::of_messages(json.as_bytes(), "s").unwrap();
    let said = |talk: &annals::Conversation| {
        assert!(talk.turns.iter().all(|turn| turn.session == talk.id));
        (
            talk.id.clone(),
            talk.turns.iter().map(|turn| turn.text.clone()).collect(),
        )
    };
    read.conversations.iter().map(said).collect()
}

#[test]
fn a_list_keeps_its_session_wherever_it_stands() {
    let list = |words: &[&str]| {
        let messages: Vec<_> = words
            .iter()
            .map(|text| serde_json::json!({"role": "user", "content": text}))
            .collect();
        serde_json::json!({"messages": messages}).to_string()
    };
    let (a, b, new) = (list(&["a", "aa"]), list(&["b", "bb"]), list(&["new"]));
    let before = sessions(&format!("[{a}, {b}]"));
    let after = sessions(&format!("[{new}, {}, {b}]", list(&["a", "aa", "aaa"])));
    assert_eq!((before.len(), after.len()), (2, 3));
    assert_eq!((&before[0].0, &before[1].0), (&after[1].0, &after[2].0));
    assert!(
        after[0].0 != before[0].0 && before.iter().all(|(name, _)| name.starts_with("s ")),
        "{after:?}"
    );
    // Lines grow at their end: the first list is called as it was alone.
    let lines = sessions(&format!("{a}\n{b}\n{new}"));
    assert_eq!(
        (lines[0].0.as_str(), &lines[1].0, &lines[2].0),
        ("s", &before[1].0, &after[0].0)
    );
    assert_eq!(sessions(&a)[0].0, "s");
    // A list of one is still a list, and an answer that is given anew is another turn of the same
    // talk.
    assert_eq!(sessions(&format!("[{a}]"))[0].0, before[0].0);
    assert_eq!(
        sessions(&format!("[{}, {b}]", list(&["a", "anew"])))[0].0,
        before[0].0
    );
    assert_eq!(sessions(&format!("[{}]", list(&["a"])))[0].0, before[0].0);
    // Of those that begin alike the second one is another; no other list changes that.
    let twice: Vec<String> = sessions(&format!("[{a}, {b}, {a}]"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        twice,
        [
            before[0].0.clone(),
            before[1].0.clone(),
            format!("{} 2", before[0].0)
        ]
    );

    let named = r#"{"id": 7, "messages": [{"role": "user", "content": "x"}]}
{"title": "On cats", "messages": [{"role": "user", "content": "y"}]}
{"role": "user", "content": "one", "session": "mine"}
{"role": "user", "content": "two", "session": "yours"}
{"role": "assistant", "content": "three", "session": "mine"}
{"role": "assistant", "content": "four"}"#;
    let told: Vec<(String, usize)> = sessions(named)
        .into_iter()
        .map(|(name, said)| (name, said.len()))
        .collect();
    let cats = &told[4].0;
    assert!(cats.starts_with("On cats ") && cats.len() == 16, "{cats}");
    let expected = [("mine", 2), ("yours", 1), ("s", 1), ("7", 1), (cats, 1)];
    assert_eq!(told, expected.map(|(name, count)| (name.to_owned(), count)));
    let titled = |words: &str| {
        format!(
            r#"{{"title": "New chat", "messages": [{{"role": "user", "content": "{words}"}}]}}"#
        )
    };
    let (one, other) = (
        sessions(&titled("x")),
        sessions(&format!("[{}, {}]", titled("y"), titled("x"))),
    );
    assert!(
        one[0] == other[1] && one[0].0 != other[0].0,
        "a title is no name: {other:?}"
    );
    let two = r#"[{"role": "user", "content": "x", "session": "a"}, {"role": "user", "content": "x", "session": "b"}]"#;
    let error = Conversations::of_messages(two.as_bytes(), "s").unwrap_err();
    assert!(error.to_string().contains("different sessions"), "{error}");
}

#[test]
fn what_becomes_no_turn_is_told() {
    let list = r#"{"model": "x", "messages": [
 {"role": "system", "content": "You are kind."},
 {"role": "user", "content": ["Look", {"type": "image_url"}], "id": 5, "timestamp": 1767261600,
  "created_at": "never", "mood": "good", "refusal": null},
 {"role": "assistant", "content": "Booked?", "created_at": "2026-01-01 10:00:05"},
 {"role": "user", "content": " "},
 {"role": "assistant", "content": "", "tool_calls": [{"id": 1, "function": {"name": "book"}}]},
 {"role": "tool", "tool_call_id": 1, "content": "booked LH 123"},
 {"role": "tool", "tool_call_id": 9, "content": "?"}]}"#;
    let read = Conversations::of_messages(list.as_bytes(), "s").unwrap();
    let told: Vec<(&str, u64)> = read.left_out().collect();
    let expected = [
        ("instructions", 1),
        ("messages without a text", 1),
        ("parts that are no text", 1),
        ("results without a call", 1),
    ];
    assert_eq!(
        (told, read.unknown_fields()),
        (expected.to_vec(), vec!["model", "mood"])
    );
    let [asked, answered] = read.conversations[0].turns.as_slice() else {
        panic!("{read:?}")
    };
    assert_eq!(
        (asked.id.as_deref(), asked.text.as_str()),
        (Some("5"), "Look")
    );
    assert_eq!(asked.time.unwrap().to_string(), "2026-01-01T10:00:00Z");
    assert_eq!(answered.time.unwrap().to_string(), "2026-01-01T10:00:05Z");
    let call = &answered.tool_calls[0];
    assert_eq!(
        (call.name.as_str(), call.result.as_deref()),
        ("book", Some("booked LH 123"))
    );
}

#[test]
fn an_odd_message_is_left_out_and_told_and_a_broken_one_named() {
    let list = concat!(
        "\u{feff}",
        r#"[{"role": "user", "content": [{"type": "text", "text": {"value": "hi", "annotations": []}}, 7]},
 {"type": "function_call", "name": "look", "arguments": "{}"},
 {"type": "message", "role": "assistant", "content": "Yes?",
  "tool_calls": [{"type": "custom", "custom": {"name": "run", "input": "ls"}}, {"id": 4}]}]"#
    );
    let read = Conversations::of_messages(list.as_bytes(), "s").unwrap();
    let told: Vec<(&str, u64)> = read.left_out().collect();
    let expected = [
        ("calls of tools without a name", 1),
        ("parts that are no text", 1),
    ];
    assert_eq!((told, read.unknown_fields().len()), (expected.to_vec(), 0));
    let [hi, yes] = read.conversations[0].turns.as_slice() else {
        panic!("{read:?}")
    };
    assert_eq!((hi.text.as_str(), yes.text.as_str()), ("hi", "Yes?"));
    let calls: Vec<_> = yes
        .tool_calls
        .iter()
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(calls, [("look", "{}"), ("run", "ls")]);
    for bad in ["{\"text\": 1}", "7", "{\"role\": 5}"] {
        let list = format!("[{{\"role\": \"user\", \"content\": \"x\"}}, {bad}]");
        let error = Conversations::of_messages(list.as_bytes(), "s").unwrap_err();
        assert!(
            error.is_invalid() && error.to_string().contains("message 2: "),
            "{bad}: {error}"
        );
    }
}

#[test]
fn files_may_begin_with_a_byte_order_mark() {
    let memory = Memory::options().in_memory().unwrap();
    let space = memory.namespace("u").unwrap();
    let line = "\u{feff}{\"session\": \"s\", \"text\": \"x\"}\n";
    let options = ImportOptions {
        format: ImportFormat::Turns,
        ..ImportOptions::default()
    };
    assert_eq!(
        space
            .transfer()
            .import(&mut line.as_bytes(), &options, &mut |_| {})
            .unwrap()
            .stored,
        1
    );
    let document = format!("\u{feff}{DOCUMENT}");
    assert_eq!(
        Conversations::parse(document.as_bytes())
            .unwrap()
            .conversations
            .len(),
        2
    );
}

#[test]
fn blocks_and_items_of_chat_services_are_words_calls_or_are_left_out() {
    for (list, left_out, result) in [
        // Messages of Anthropic: content blocks.
        (
            r#"[{"role":"user","content":[{"type":"text","text":"Port?"},{"type":"image","source":{}}]},
                {"role":"assistant","content":[{"type":"thinking","thinking":"hmm","signature":"s"},
                    {"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"t","name":"read","input":{}}]},
                {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"secret"}]},
                {"role":"assistant","content":[{"type":"text","text":"4711."}]}]"#,
            &[("parts that are no text", 3)][..],
            Some("secret"),
        ),
        // Items of the Responses API of OpenAI.
        (
            r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"Port?"}]},
                {"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"hmm"}]},
                {"type":"function_call","call_id":"c","name":"read","arguments":"{}"},
                {"type":"function_call_output","call_id":"c","output":"secret"},
                {"type":"message","role":"assistant","content":[{"type":"reasoning_text","text":"hmm"},
                    {"type":"output_text","text":"4711.","annotations":[]}]}]"#,
            &[
                ("items that are no messages", 1),
                ("parts that are no text", 1),
            ],
            Some("secret"),
        ),
        // Chat completions.
        (
            r#"[{"role":"developer","content":"obey"},{"role":"user","content":[{"type":"text","text":"Port?"}]},
                {"role":"assistant","content":null,"refusal":null,"tool_calls":[]},
                {"role":"assistant","content":[{"type":"refusal","refusal":"4711."}]}]"#,
            &[("instructions", 1), ("messages without a text", 1)],
            None,
        ),
    ] {
        let read = Conversations::of_messages(list.as_bytes(), "s").unwrap();
        let texts: Vec<&str> = read.conversations[0]
            .turns
            .iter()
            .map(|turn| turn.text.as_str())
            .collect();
        assert_eq!(texts, ["Port?", "4711."], "{list}");
        assert_eq!(read.left_out().collect::<Vec<_>>(), left_out, "{list}");
        let calls = &read.conversations[0].turns[1].tool_calls;
        assert_eq!(
            calls.first().and_then(|call| call.result.as_deref()),
            result,
            "{list}"
        );
    }
}
