//! Formats of memories.

use super::*;

#[test]
fn mem0_tells_memories_in_all_its_forms() {
    let one = r#"{"id":"7d1e","memory":"Is allergic to walnuts","hash":"ab","metadata":{"topic":"food",
"n":{"m":[1]}},"categories":["health"],"created_at":"2026-01-02T03:04:05.000000-08:00","updated_at":null,
"user_id":"u1","expiration_date":"2027-01-01"}"#;
    let two = r#"{"id":"8","memory":"Lives in Oslo","created_at":"2026-01-01T00:00:00Z",
"updated_at":"2026-03-01T00:00:00Z","replaced_by":"9"}"#;
    let forms = [
        format!(
            "{{\"results\":[{one},{two}],\"relations\":[{{\"source\":\"ada\",\"relationship\":\"lives_in\",\
                \"target\":\"oslo\"}}]}}"
        ),
        format!("{{\"count\":2,\"next\":null,\"previous\":null,\"results\":[{one},{two}]}}"),
        format!("[{one},{two}]"),
        format!("{one}\n{two}"),
    ];
    for (at, form) in forms.iter().enumerate() {
        let brought = read(form);
        assert_eq!(brought.format, "mem0", "{form}");
        assert_eq!(
            brought.words()[..2],
            ["Is allergic to walnuts", "Lives in Oslo"]
        );
        let first = &brought.memories[0];
        let body = first.memory.body();
        assert_eq!(first.id.as_deref(), Some("7d1e"));
        assert_eq!(body.event_time.unwrap().to_string(), "2026-01-02T11:04:05Z");
        assert_eq!(body.expires_at.unwrap().to_string(), "2027-01-01T00:00:00Z");
        assert_eq!(body.tags[0].as_str(), "health");
        assert_eq!(
            (&body.metadata["topic"], &body.metadata["user_id"]),
            (&"food".into(), &"u1".into())
        );
        assert_eq!(
            brought.memories[1]
                .memory
                .body()
                .valid_until
                .unwrap()
                .to_string(),
            "2026-03-01T00:00:00Z"
        );
        assert_eq!(brought.memories.len(), if at == 0 { 3 } else { 2 });
        if at == 0 {
            assert_eq!(brought.words()[2], "ada lives in oslo");
            assert_eq!(brought.memories[2].said[0].predicate, "lives_in");
        }
    }
}

pub(super) const HINDSIGHT: &str = r#"{"id":"talk-1","original_text":"Ada: hi","retain_params":null,"tags":[],
"created_at":"2026-01-01T00:00:00Z","chunks":[{"chunk_index":0,"chunk_text":"Ada: hi"}],"facts":[
{"text":"Ada works in Bergen","source_id":null,"fact_type":"world","context":"career","occurred_start":null,
"mentioned_at":"2026-01-02T10:00:00+01:00","metadata":{"room":"hall"},"tags":["work"],"entities":["Ada","Bergen"],
"causal_relations":[]},
{"text":"Ada sold her boat","source_id":"u2","fact_type":"experience","occurred_start":"2025-06-01T00:00:00Z",
"mentioned_at":"2026-01-02T09:00:00Z","metadata":{},"tags":[],"entities":["Ada"]}]}"#;

#[test]
fn hindsight_tells_facts_of_lists_and_archives() {
    let brought = read(HINDSIGHT);
    assert_eq!(
        (brought.format, brought.words()),
        (
            "hindsight",
            vec!["Ada works in Bergen", "Ada sold her boat"]
        )
    );
    let ids: Vec<_> = brought
        .memories
        .iter()
        .map(|one| one.id.as_deref().unwrap())
        .collect();
    assert_eq!(ids, ["talk-1/1", "u2"]);
    let body = brought.memories[0].memory.body();
    assert_eq!(body.event_time.unwrap().to_string(), "2026-01-02T09:00:00Z");
    assert_eq!(
        (&body.metadata["fact_type"], &body.metadata["room"]),
        (&"world".into(), &"hall".into())
    );
    assert_eq!(
        (body.tags[0].as_str(), &body.metadata["document_id"]),
        ("work", &"talk-1".into())
    );
    assert_eq!(
        brought.memories[1]
            .memory
            .body()
            .event_time
            .unwrap()
            .to_string(),
        "2025-06-01T00:00:00Z"
    );
    assert_eq!(brought.entities.len(), 3);
    assert_eq!(brought.left(), [("texts of documents", 1)]);
    let list = r#"{"items":[{"id":"a","text":"Ada works in Bergen","context":"career","date":"2026-01-02T09:00:00Z",
"fact_type":"world","entities":"Ada (PERSON), Bergen (LOCATION)"},{"id":"b","text":"gone","fact_type":"world",
"date":"2026-01-02T09:00:00Z","state":"invalidated"}],"total":2,"limit":100,"offset":0}"#;
    let brought = read(list);
    assert_eq!(
        (brought.format, brought.words()),
        ("hindsight", vec!["Ada works in Bergen"])
    );
    let entities: Vec<_> = brought
        .entities
        .iter()
        .map(|one| (one.name.as_str(), one.kind.as_deref()))
        .collect();
    assert_eq!(
        entities,
        [("Ada", Some("person")), ("Bergen", Some("location"))]
    );
    assert_eq!(brought.left(), [("memories that were deleted", 1)]);
    let answer = r#"{"results":[{"id":"a","text":"Ada sails","type":"observation","mentioned_at":"2026-01-02T09:00:00Z",
"entities":["Ada"]}]}"#;
    assert_eq!(
        (read(answer).format, read(answer).words()),
        ("hindsight", vec!["Ada sails"])
    );
    let observed =
        r#"[{"source_id":"o","text":"Ada likes boats","tags":[],"proof_count":2,"sources":[]}]"#;
    assert_eq!(
        (read(observed).format, read(observed).words()),
        ("hindsight", vec!["Ada likes boats"])
    );
    let broken = list.replace("\"text\":\"gone\",", "");
    assert_eq!(
        read_as("f", broken.as_bytes(), &options())
            .err()
            .unwrap()
            .import_line(),
        Some(2)
    );
}

#[test]
fn times_without_a_zone_are_of_the_zone_that_was_named() {
    let tokyo = ReadOptions {
        zone: Some("Asia/Tokyo".to_owned()),
        ..ReadOptions::default()
    };
    let mem0 = br#"[{"id":"1","memory":"x","user_id":"u","created_at":"2026-01-02T09:00:00"}]"#;
    let claude =
        br#"[{"uuid":"c","name":"n","chat_messages":[{"uuid":"m","sender":"human","text":"x",
"created_at":"2026-01-02 09:00:00"}]}]"#;
    let brought = read_as("f", mem0, &tokyo).unwrap();
    assert_eq!(
        brought.memories[0]
            .memory
            .body()
            .event_time
            .unwrap()
            .to_string(),
        "2026-01-02T00:00:00Z"
    );
    assert_eq!(
        read_as("f", claude, &tokyo).unwrap().turns[0]
            .time
            .unwrap()
            .to_string(),
        "2026-01-02T00:00:00Z"
    );
}

#[test]
fn a_knowledge_graph_of_two_writers_tells_all_but_the_broken_line() {
    let lines = "{\"type\":\"entity\",\"name\":\"Kiosk\",\"entityType\":\"device\",\
        \"observations\":[\"runs Debian\"]}\n\
                 {\"type\":\"entity\",\"name\":\"Lob\n\
                 {\"type\":\"relation\",\"from\":\"Kiosk\",\"to\":\"Lobby\",\
                     \"relationType\":\"stands_in\"}{\"type\":\"entity\",\"entityName\":\"Rosa\",\
                     \"entityType\":\"person\",\"observations\":[]}";
    let error = read_as("f", lines.as_bytes(), &options()).err().unwrap();
    assert_eq!(error.import_line(), Some(2));
    let brought = read_as(
        "f",
        lines.as_bytes(),
        &ReadOptions {
            skip_bad: true,
            ..options()
        },
    )
    .unwrap();
    assert_eq!(brought.format, "knowledge-graph");
    assert_eq!(
        brought.words(),
        ["Kiosk: runs Debian", "Kiosk stands in Lobby"]
    );
    assert_eq!(brought.memories[1].said[0].predicate, "stands_in");
    let entities: Vec<_> = brought
        .entities
        .iter()
        .map(|one| (one.name.as_str(), one.kind.as_deref()))
        .collect();
    assert_eq!(
        entities,
        [("Kiosk", Some("device")), ("Rosa", Some("person"))]
    );
    assert_eq!(brought.summary.bad[0].line, 2);
    let graph = r#"{"entities":[{"name":"A","entityType":"t","observations":["is here"]}],"relations":[{"from":"A",
"to":"B","relationType":"knows"}]}"#;
    assert_eq!(read(graph).words(), ["A: is here", "A knows B"]);
}

#[test]
fn objects_with_a_text_and_lists_of_texts_are_memories() {
    let brought = read(
        "{\"text\":\"The key is under the pot.\",\"date\":\"2026-01-02\",\"tags\":[\"house\"],\
            \"room\":\"hall\"}\n{\"text\":\"Bins on Monday.\",\"date\":null}",
    );
    assert_eq!(
        (brought.format, brought.words()),
        (
            "fields",
            vec!["The key is under the pot.", "Bins on Monday."]
        )
    );
    let body = brought.memories[0].memory.body();
    assert_eq!(body.event_time.unwrap().to_string(), "2026-01-02T00:00:00Z");
    assert_eq!(
        (body.tags[0].as_str(), &body.metadata["room"]),
        ("house", &"hall".into())
    );
    assert_eq!(read("[\"one\",\"two\"]").words(), ["one", "two"]);
    let mapped = ReadOptions {
        columns: [("text".to_owned(), "what".to_owned())].into(),
        ..options()
    };
    let brought = read_as(
        "f",
        b"[{\"what\":\"It rains.\",\"author\":\"Ada\"}]",
        &mapped,
    )
    .unwrap();
    assert_eq!(brought.told(), ["[f]", "U Ada  It rains."]);
}

#[test]
fn tables_of_several_countries_are_read() {
    let brought = read(
        "sep=;\r\n时间;发送者;内容\r\n\"3.1.2026 18:05\";Ada;\"Zwei; Zeilen\nund \"\"mehr\"\"\"\r\n13.1.2026 9:00;Bo;Gut.\r\n",
    );
    assert_eq!(brought.format, "table");
    assert_eq!(
        brought.told(),
        [
            "[file]",
            "U Ada 2026-01-03T18:05:00Z Zwei; Zeilen\nund \"mehr\"",
            "U Bo 2026-01-13T09:00:00Z Gut."
        ]
    );
    let utf_16: Vec<u8> = "\u{feff}text\ttags\nThe key.\thouse\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let brought = read_as("f.csv", &utf_16, &options()).unwrap();
    assert_eq!(
        (brought.format, brought.words()),
        ("table", vec!["The key."])
    );
    let bad = read_as("f", b"text,time\nx,noon\ny,2026-01-01\n", &options())
        .err()
        .unwrap();
    assert_eq!(bad.import_line(), Some(2));
    let skipped = read_as(
        "f",
        b"text,time\nx,noon\ny,2026-01-01\n",
        &ReadOptions {
            skip_bad: true,
            ..options()
        },
    );
    assert_eq!(skipped.unwrap().words(), ["y"]);
    let open = read_as("f", b"text,time\nx,3/4/2026\n", &options())
        .err()
        .unwrap();
    assert!(open.to_string().contains("--date-order"), "{open}");
    let told = ReadOptions {
        date_order: Some(DateOrder::MonthDayYear),
        ..options()
    };
    let brought = read_as("f", b"text,time\nx,3/4/2026\n", &told).unwrap();
    assert_eq!(
        brought.memories[0]
            .memory
            .body()
            .event_time
            .unwrap()
            .to_string(),
        "2026-03-04T00:00:00Z"
    );
}

pub(super) const NOTE: &str = "---\ntitle: Heat pump\ntype: note\npermalink: house/heat-pump\n\
                    tags: [house]\ncreated: 2026-01-31\n---\n\
                    - [fact] Runs at night only #energy (tariff)\n\
                    - [ ] call the plumber\n- depends_on [[Buffer tank]]\n\n\
                    ## Costs\nSee [[Bills|the bills]] of ==last== year. %% draft %%\n\n```\nx [[not a link]]\n```\n";

#[test]
fn notes_tell_observations_relations_and_sections() {
    let brought = read(NOTE);
    assert_eq!(brought.format, "notes");
    assert_eq!(
        brought.words(),
        [
            "Heat pump: Runs at night only",
            "Heat pump depends on Buffer tank",
            "Heat pump: - [ ] call the plumber",
            "Heat pump: Costs: See the bills of last year. \n\n```\nx not a link\n```",
        ]
    );
    let observed = brought.memories[0].memory.body();
    let tags: Vec<&str> = observed
        .tags
        .iter()
        .map(annals_types::Label::as_str)
        .collect();
    assert_eq!(tags, ["energy", "house"]);
    assert_eq!(observed.metadata["category"], "fact".into());
    assert_eq!(observed.metadata["context"], "tariff".into());
    assert_eq!(
        observed.event_time.unwrap().to_string(),
        "2026-01-31T00:00:00Z"
    );
    assert_eq!(brought.memories[1].said[0].predicate, "depends_on");
    assert_eq!(
        brought.memories[3].id.as_deref(),
        Some("house/heat-pump#Costs")
    );
    assert!(
        brought.memories[3]
            .said
            .iter()
            .any(|said| said.predicate == "links_to" && said.object == "Bills")
    );
    let plain = read("First thing.\nStill first.\n\nSecond thing.\n");
    assert_eq!(
        (plain.format, plain.words()),
        ("notes", vec!["First thing.\nStill first.", "Second thing."])
    );
    let broken = read("---\ntitle: x\nNo end of it.\n");
    assert_eq!(broken.words(), ["---\ntitle: x\nNo end of it."]);
}

#[test]
fn letta_tells_core_memory_and_what_was_typed() {
    let file = r#"{"agents":[{"id":"agent-0","name":"Tess","block_ids":["block-0"],"messages":[
{"type":"message","id":"message-0","role":"system","content":[{"type":"text","text":"You are"}]},
{"type":"message","id":"message-1","role":"user","content":[{"type":"text",
"text":"{\"type\":\"user_message\",\"message\":\"I moved to Bergen.\",\"time\":\"x\"}"}],
"created_at":"2026-01-01T10:00:00+00:00"},
{"type":"message","id":"message-2","role":"user","content":[{"type":"text",
"text":"{\"type\":\"heartbeat\",\"reason\":\"x\"}"}],"created_at":"2026-01-01T10:00:01+00:00"},
{"type":"message","id":"message-3","role":"assistant","content":[{"type":"reasoning","text":"hm"}],
"tool_calls":[{"id":"t","type":"function","function":{"name":"send_message",
"arguments":"{\"message\":\"Noted.\"}"}}],"created_at":"2026-01-01T10:00:02+00:00"},
{"type":"message","id":"message-4","role":"tool","content":[{"type":"text","text":"ok"}]}]}],
"blocks":[{"id":"block-0","label":"human","value":"Lives in Oslo.","limit":5000}]}"#;
    for text in [
        file.to_owned(),
        serde_json::to_string(
            r#"{"agent_type":"memgpt_agent","name":"Tess",
"core_memory":[{"label":"human","value":"Lives in Oslo."}],"messages":[{"role":"user",
"text":"{\"type\":\"user_message\",\"message\":\"I moved to Bergen.\"}","created_at":"2026-01-01T10:00:00+00:00"},
{"role":"assistant","text":"Noted.","created_at":"2026-01-01T10:00:02+00:00"}]}"#,
        )
        .unwrap(),
    ] {
        let brought = read(&text);
        assert_eq!(brought.format, "letta", "{text}");
        let (asked, answered) = ("U - 2026-01-01T10:00:00Z I moved to Bergen.", "A - 2026-01-01T10:00:02Z Noted.");
        assert_eq!(brought.told(), ["[Tess]", asked, answered]);
        assert_eq!(brought.words(), ["Lives in Oslo."]);
        assert_eq!(brought.memories[0].memory.body().layer, annals_types::Layer::Core);
        assert_eq!(brought.memories[0].id.as_deref(), Some("Tess/human"));
    }
}

#[test]
fn graphs_of_zep_tell_how_long_facts_hold() {
    let graph = r#"{"edges":[{"uuid":"e1","source_node_uuid":"n1","target_node_uuid":"n2","name":"LIVES_IN",
"fact":"Ada lives in Bergen","created_at":"2026-01-01T00:00:00Z","valid_at":"2025-06-01T00:00:00Z",
"invalid_at":"2026-02-01T00:00:00Z","expired_at":null}],
"nodes":[{"uuid":"n1","name":"Ada","labels":["Entity","Person"],"summary":"Sails a lot.",
"created_at":"2026-01-01T00:00:00Z"},{"uuid":"n2","name":"Bergen","labels":["City"],"summary":"",
"created_at":"2026-01-01T00:00:00Z"}],
"episodes":[{"uuid":"p1","content":"I moved.","source":"message","role":"user","role_name":"Ada","thread_uuid":"t1",
"created_at":"2026-01-01T00:00:00Z"}]}"#;
    let brought = read(graph);
    assert_eq!(brought.format, "zep");
    assert_eq!(
        brought.words(),
        ["Ada lives in Bergen", "Ada: Sails a lot."]
    );
    let body = brought.memories[0].memory.body();
    assert_eq!(body.valid_from.unwrap().to_string(), "2025-06-01T00:00:00Z");
    assert_eq!(
        body.valid_until.unwrap().to_string(),
        "2026-02-01T00:00:00Z"
    );
    let said = &brought.memories[0].said[0];
    assert_eq!(
        (
            said.subject.as_str(),
            said.predicate.as_str(),
            said.object.as_str()
        ),
        ("Ada", "LIVES_IN", "Bergen")
    );
    assert_eq!(
        brought.told(),
        ["[t1]", "U Ada 2026-01-01T00:00:00Z I moved."]
    );
    assert_eq!(brought.entities[0].kind.as_deref(), Some("Person"));
}

#[test]
fn claude_mem_tells_observations_and_prompts() {
    let brought = read(
        r#"{"exportedAt":"2026-06-01T00:00:00.000Z","totalObservations":1,"observations":[{"id":1,
"memory_session_id":"m","project":"shop","type":"decision","title":"Prices in cents",
"narrative":"Prices are stored as integers.","facts":"[\"prices are integers\"]","created_at_epoch":1780221600000}],
"sessions":[],"summaries":[{"id":2,"request":"Fix prices","learned":"Use cents","created_at_epoch":1780221600000}],
"prompts":[{"id":3,"content_session_id":"s","prompt_text":"Fix the prices","created_at_epoch":1780221600000}]}"#,
    );
    assert_eq!(brought.format, "claude-mem");
    assert_eq!(
        brought.words(),
        [
            "Prices in cents\nPrices are stored as integers.\n- prices are integers",
            "request: Fix prices\nlearned: Use cents"
        ]
    );
    assert_eq!(
        brought.told(),
        ["[s]", "U - 2026-05-31T10:00:00Z Fix the prices"]
    );
}
