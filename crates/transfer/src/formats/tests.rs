//! A small file of each format, written for this purpose, and what it brings.

use std::io::Write;

use annals_types::{Role, Value};

use super::*;
use crate::turn::ConversationTurn;

/// What a file brings.
#[derive(Default)]
struct Brought {
    format: &'static str,
    turns: Vec<ConversationTurn>,
    memories: Vec<ImportedMemory>,
    entities: Vec<ImportedEntity>,
    summary: ReadSummary,
}

impl Brought {
    /// Role, speaker, time and words of each turn, behind its session where that changes.
    fn told(&self) -> Vec<String> {
        let mut session = "";
        let mut told = Vec::new();
        for turn in &self.turns {
            if turn.session != session {
                session = &turn.session;
                told.push(format!("[{session}]"));
            }
            let role = match turn.role {
                Some(Role::Assistant) => "A",
                Some(Role::User) => "U",
                _ => "?",
            };
            let speaker = turn.speaker.as_deref().unwrap_or("-");
            let time = turn.time.map(|time| time.to_string()).unwrap_or_default();
            told.push(format!("{role} {speaker} {time} {}", turn.text));
        }
        told
    }

    fn words(&self) -> Vec<&str> {
        self.memories.iter().map(|one| one.memory.text()).collect()
    }

    fn left(&self) -> Vec<(&str, u64)> {
        self.summary.left_out.iter().map(|(what, count)| (*what, *count)).collect()
    }
}

fn options() -> ReadOptions {
    ReadOptions { zone: Some("UTC".to_owned()), ..ReadOptions::default() }
}

fn read_file(file: &ImportFile, options: &ReadOptions) -> Result<Brought, Error> {
    let format = FileFormat::of(file, options)?;
    let mut brought = Brought { format: format.name(), ..Brought::default() };
    let (mut turns, mut memories, mut entities) = (Vec::new(), Vec::new(), Vec::new());
    brought.summary = format.read(file, options, &mut |record| {
        match record {
            ImportRecord::Turns(some) => turns.extend(some),
            ImportRecord::Memories(some) => memories.extend(some),
            ImportRecord::Entities(some) => entities.extend(some),
        }
        Ok(())
    })?;
    (brought.turns, brought.memories, brought.entities) = (turns, memories, entities);
    assert_eq!(brought.summary.turns, brought.turns.len() as u64);
    assert_eq!(brought.summary.memories, brought.memories.len() as u64);
    Ok(brought)
}

fn read_as(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Brought, Error> {
    let files = ImportFile::of_bytes(name, bytes.to_vec())?;
    read_file(&files[0], options)
}

fn read(text: &str) -> Brought {
    read_as("some/file.bin", text.as_bytes(), &options()).unwrap()
}

const CHATGPT: &str = r#"[{"title":null,"create_time":1767254400.5,"conversation_id":"c1","current_node":"n6",
"mapping":{
"n0":{"id":"n0","message":null,"parent":null},
"n1":{"id":"n1","parent":"n0","message":{"id":"m1","author":{"role":"system"},"content":{"content_type":"text",
"parts":[""]},"metadata":{"is_visually_hidden_from_conversation":true}}},
"n2":{"id":"n2","parent":"n1","message":{"id":"m2","author":{"role":"user"},"create_time":1767254400.5,
"content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer",
"asset_pointer":"file-service://f1"},"The chain slips. \ud83d"]},"metadata":{"attachments":[{"name":"chain.jpg",
"mime_type":"image/jpeg"}]}}},
"n3x":{"id":"n3x","parent":"n2","message":{"id":"m3x","author":{"role":"assistant"},"create_time":1767254405,
"content":{"content_type":"text","parts":["Buy a new bike."]}}},
"n3":{"id":"n3","parent":"n2","message":{"id":"m3","author":{"role":"assistant"},"create_time":1767254406,
"content":{"content_type":"thoughts","thoughts":[]},"recipient":"all"}},
"n4":{"id":"n4","parent":"n3","message":{"id":"m4","author":{"role":"assistant"},"create_time":1767254407,
"content":{"content_type":"code","text":"search chain"},"recipient":"web"}},
"n5":{"id":"n5","parent":"n4","message":{"id":"m5","author":{"role":"tool","name":"web"},
"content":{"content_type":"text","parts":["results"]}}},
"n6":{"id":"n6","parent":"n5","message":{"id":"m6","author":{"role":"assistant"},"create_time":1767254410,
"content":{"content_type":"text","parts":["Measure its wear. \ue200cite\ue202turn0search1\ue201"]},
"recipient":"all","weight":1.0}}}},
{"title":"Me","id":"c2","mapping":{"a":{"parent":null,"message":{"author":{"role":"user"},
"content":{"content_type":"user_editable_context","user_profile":"I ride to work.","user_instructions":""},
"metadata":{"is_user_system_message":true}}},
"b":{"parent":"a","message":{"id":"b","author":{"role":"user"},"create_time":1767254500,
"content":{"content_type":"text","parts":["Hi"]}}},
"c":{"parent":"a","message":{"id":"c","author":{"role":"user"},"create_time":1767254400,
"content":{"content_type":"text","parts":["Old"]}}}}},
{"title":"Not this","id":"c3","is_do_not_remember":true,"mapping":{}}]"#;

#[test]
fn chatgpt_tells_the_branch_that_was_kept() {
    let brought = read(CHATGPT);
    assert_eq!(brought.format, "chatgpt");
    assert_eq!(
        brought.told(),
        [
            "[c1]",
            "U - 2026-01-01T08:00:00.500Z The chain slips. \u{fffd}",
            "A - 2026-01-01T08:00:10Z Measure its wear. ",
            "[c2]",
            "U - 2026-01-01T08:01:40Z Hi",
        ]
    );
    let calls = &brought.turns[1].tool_calls;
    assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("web", "search chain"));
    let sent: Vec<&str> = brought.turns[0].attachments.iter().map(|sent| sent.uri.as_str()).collect();
    assert_eq!(sent, ["file-service://f1", "chain.jpg"]);
    assert_eq!(brought.words(), ["I ride to work."]);
    assert_eq!(
        brought.left(),
        [
            ("calls of tools and their results", 1),
            ("conversations that are not to be remembered", 1),
            ("entries of the program", 1),
            ("thoughts", 1),
            ("turns of branches that were not kept", 2),
        ]
    );
    // The same in an object, and line by line.
    let inner = &CHATGPT[1..CHATGPT.len() - 1];
    assert_eq!(read(&format!("{{\"conversations\":[{inner}]}}")).told(), brought.told());
    assert_eq!(read(&inner.replace(",\n{\"title\"", "\n{\"title\"")).told(), brought.told());
}

#[test]
fn chatgpt_with_a_circle_of_parents_ends() {
    let brought = read(
        r#"[{"id":"c","current_node":"a","mapping":{"a":{"parent":"b","message":{"id":"a","author":{"role":"user"},
"content":{"content_type":"text","parts":["x"]}}},"b":{"parent":"a","message":null}}}]"#,
    );
    assert_eq!(brought.told(), ["[c]", "U -  x"]);
}

const CLAUDE: &str = r#"[{"uuid":"c1","name":"Roof","created_at":"2026-02-01T09:00:00.000000Z","chat_messages":[
{"uuid":"m1","sender":"human","text":"","content":[],"created_at":"2026-02-01T09:00:00.000000Z",
"attachments":[{"file_name":"paste.txt","file_type":"txt","extracted_content":"Two tiles are broken."}],
"files":[{"file_name":"roof.png"}]},
{"uuid":"m2","sender":"assistant","text":"all","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use",
"id":"t1","name":"weather","input":{"city":"Bergen"}},{"type":"tool_result","tool_use_id":"t1",
"content":[{"type":"text","text":"rain"}]},{"type":"text","text":"Cover them."}],
"created_at":"2026-02-01T09:00:05.000000Z"}]},
{"uuid":"c2","name":"","chat_messages":[
{"uuid":"a","sender":"human","text":"one","created_at":"2026-02-02T09:00:00Z",
"parent_message_uuid":"00000000-0000-4000-8000-000000000000"},
{"uuid":"b","sender":"assistant","text":"first answer","created_at":"2026-02-02T09:00:01Z","parent_message_uuid":"a"},
{"uuid":"c","sender":"assistant","text":"second answer","created_at":"2026-02-02T09:00:02Z",
"parent_message_uuid":"a"}]}]"#;

#[test]
fn claude_tells_blocks_pasted_words_and_the_last_branch() {
    let brought = read(CLAUDE);
    assert_eq!(brought.format, "claude");
    assert_eq!(
        brought.told(),
        [
            "[c1]",
            "U - 2026-02-01T09:00:00Z Two tiles are broken.",
            "A - 2026-02-01T09:00:05Z Cover them.",
            "[c2]",
            "U - 2026-02-02T09:00:00Z one",
            "A - 2026-02-02T09:00:02Z second answer",
        ]
    );
    assert_eq!(brought.turns[0].metadata["title"], "Roof".into());
    assert_eq!(brought.turns[1].tool_calls[0].result.as_deref(), Some("rain"));
    assert_eq!(brought.left(), [("thoughts", 1), ("turns of branches that were not kept", 1)]);
    let projects = read(
        r#"[{"uuid":"p","name":"House","description":"Repairs","prompt_template":"",
"created_at":"2026-02-01T09:00:00Z","docs":[{"uuid":"d","filename":"plan.md","content":"Tiles first.",
"created_at":"2026-02-01T09:00:00Z"}]}]"#,
    );
    assert_eq!((projects.format, projects.words()), ("claude-projects", vec!["House: Repairs", "Tiles first."]));
}

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
        assert_eq!(brought.words()[..2], ["Is allergic to walnuts", "Lives in Oslo"]);
        let first = &brought.memories[0];
        let body = first.memory.body();
        assert_eq!(first.id.as_deref(), Some("7d1e"));
        assert_eq!(body.event_time.unwrap().to_string(), "2026-01-02T11:04:05Z");
        assert_eq!(body.expires_at.unwrap().to_string(), "2027-01-01T00:00:00Z");
        assert_eq!(body.tags[0].as_str(), "health");
        assert_eq!((&body.metadata["topic"], &body.metadata["user_id"]), (&"food".into(), &"u1".into()));
        assert_eq!(brought.memories[1].memory.body().valid_until.unwrap().to_string(), "2026-03-01T00:00:00Z");
        assert_eq!(brought.memories.len(), if at == 0 { 3 } else { 2 });
        if at == 0 {
            assert_eq!(brought.words()[2], "ada lives in oslo");
            assert_eq!(brought.memories[2].said[0].predicate, "lives_in");
        }
    }
}

#[test]
fn a_knowledge_graph_of_two_writers_tells_all_but_the_broken_line() {
    let lines = "{\"type\":\"entity\",\"name\":\"Kiosk\",\"entityType\":\"device\",\
        \"observations\":[\"runs Debian\"]}\n\
                 {\"type\":\"entity\",\"name\":\"Lob\n\
                 {\"type\":\"relation\",\"from\":\"Kiosk\",\"to\":\"Lobby\",\
                     \"relationType\":\"stands_in\"}{\"type\":\"entity\",\"entityName\":\"Rosa\",\
                     \"entityType\":\"person\",\"observations\":[]}";
    let told = Err::<(), _>(read_as("f", lines.as_bytes(), &options()).err().unwrap());
    assert_eq!(told.unwrap_err().import_line(), Some(2));
    let brought = read_as("f", lines.as_bytes(), &ReadOptions { skip_bad: true, ..options() }).unwrap();
    assert_eq!(brought.format, "knowledge-graph");
    assert_eq!(brought.words(), ["Kiosk: runs Debian", "Kiosk stands in Lobby"]);
    assert_eq!(brought.memories[1].said[0].predicate, "stands_in");
    let entities: Vec<_> = brought.entities.iter().map(|one| (one.name.as_str(), one.kind.as_deref())).collect();
    assert_eq!(entities, [("Kiosk", Some("device")), ("Rosa", Some("person"))]);
    assert_eq!(brought.summary.bad[0].line, 2);
    let graph = r#"{"entities":[{"name":"A","entityType":"t","observations":["is here"]}],"relations":[{"from":"A",
"to":"B","relationType":"knows"}]}"#;
    assert_eq!(read(graph).words(), ["A: is here", "A knows B"]);
}

#[test]
fn messages_of_libraries_become_turns() {
    let expected = ["[file]", "U -  hi", "A -  hello"];
    for text in [
        r#"[{"type":"human","data":{"content":"hi","type":"human","id":null}},{"type":"ai",
"data":{"content":"hello","tool_calls":[]}}]"#,
        r#"[{"type":"human","content":"hi"},{"type":"ai","content":[{"type":"text","text":"hello"}]}]"#,
        r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],
"kwargs":{"content":"hi"}},{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],
"kwargs":{"content":"hello"}}]"#,
        r#"[{"role":"user","blocks":[{"block_type":"text","text":"hi"}],"additional_kwargs":{}},{"role":"assistant",
"blocks":[{"block_type":"text","text":"hello"}]}]"#,
        r#"{"conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"hello"}],"system":"be kind"}"#,
        r#"{"body":{"model":"m","messages":[{"role":"developer","content":"x"},{"role":"user","content":"hi"},
{"role":"assistant","content":[{"type":"text","text":"hello"}]}]}}"#,
        r#"[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]},{"type":"reasoning",
"summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}]"#,
        r#"{"instruction":"hi","input":"","output":"hello"}"#,
    ] {
        let brought = read(text);
        assert_eq!(brought.format, "messages", "{text}");
        assert_eq!(brought.told(), expected, "{text}");
    }
    let store = r#"{"store":{"ada":[{"role":"user","content":"hi","additional_kwargs":{}}],"bo":[{"role":"user",
"content":"ho","additional_kwargs":{}}]},"class_name":"SimpleChatStore"}"#;
    assert_eq!(read(store).told(), ["[ada]", "U -  hi", "[bo]", "U -  ho"]);
}

#[test]
fn a_long_file_of_lists_is_read_list_by_list() {
    let list = |id: &str, words: &str| {
        format!("{{\"id\":\"{id}\",\"conversations\":[{{\"from\":\"human\",\"value\":\"{words}\"}}]}}\n")
    };
    let long = "word ".repeat(1 << 20);
    let mut text: String = (0..7).map(|at| list(&format!("l{at}"), &long)).collect();
    text.push_str("{\"conversations\":[{\"from\":\"nobody\",\"value\":\"x\"}]}\n");
    text.push_str(&list("last", "hi"));
    let options = ReadOptions { skip_bad: true, ..options() };
    let brought = read_as("sets.jsonl", text.as_bytes(), &options).unwrap();
    assert_eq!((brought.format, brought.turns.len(), brought.summary.bad.len()), ("messages", 8, 1));
    assert_eq!((brought.turns[7].session.as_str(), brought.summary.bad[0].line), ("last", 8));
}

#[test]
fn a_bad_message_takes_no_other_one_along() {
    let lines = "{\"role\":\"user\",\"content\":\"one\"}\n{\"role\":3,\"content\":\"x\"}\n{\"role\":\"user\",\
        \"content\":\"two\"}\n";
    assert_eq!(read_as("f", lines.as_bytes(), &options()).err().unwrap().import_line(), Some(2));
    let brought = read_as("f", lines.as_bytes(), &ReadOptions { skip_bad: true, ..options() }).unwrap();
    assert_eq!(brought.told(), ["[f]", "U -  one", "U -  two"]);
    assert_eq!(brought.summary.bad[0].line, 2);
    let chats = "{\"id\":\"a\",\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]}\n{\"id\":\"b\",\
        \"messages\":[{\"role\":\"nobody\",\"content\":\"x\"}]}\n";
    let brought = read_as("f", chats.as_bytes(), &ReadOptions { skip_bad: true, ..options() }).unwrap();
    assert_eq!((brought.told(), brought.summary.bad.len()), (vec!["[a]".to_owned(), "U -  one".to_owned()], 1));
}

#[test]
fn calls_of_tools_in_messages_are_calls() {
    let anthropic = r#"[{"role":"user","content":"Rain?"},{"role":"assistant","content":[{"type":"thinking",
"thinking":"x"},{"type":"tool_use","id":"t","name":"weather","input":{"city":"Bergen"}}]},{"role":"user",
"content":[{"type":"tool_result","tool_use_id":"t","content":"rain"}]},{"role":"assistant",
"content":[{"type":"text","text":"Yes."}]}]"#;
    let responses = r#"[{"role":"user","content":"Rain?"},{"type":"function_call","call_id":"t","name":"weather",
"arguments":"{\"city\":\"Bergen\"}"},{"type":"function_call_output","call_id":"t","output":"rain"},
{"role":"assistant","content":"Yes."}]"#;
    for text in [anthropic, responses] {
        let brought = read(text);
        assert_eq!(brought.told(), ["[file]", "U -  Rain?", "A -  Yes."], "{text}");
        let call = &brought.turns[1].tool_calls[0];
        assert_eq!((call.name.as_str(), call.arguments.as_str()), ("weather", "{\"city\":\"Bergen\"}"));
        assert_eq!(call.result.as_deref(), Some("rain"));
    }
}

#[test]
fn objects_with_a_text_and_lists_of_texts_are_memories() {
    let brought = read(
        "{\"text\":\"The key is under the pot.\",\"date\":\"2026-01-02\",\"tags\":[\"house\"],\
            \"room\":\"hall\"}\n{\"text\":\"Bins on Monday.\",\"date\":null}",
    );
    assert_eq!((brought.format, brought.words()), ("fields", vec!["The key is under the pot.", "Bins on Monday."]));
    let body = brought.memories[0].memory.body();
    assert_eq!(body.event_time.unwrap().to_string(), "2026-01-02T00:00:00Z");
    assert_eq!((body.tags[0].as_str(), &body.metadata["room"]), ("house", &"hall".into()));
    assert_eq!(read("[\"one\",\"two\"]").words(), ["one", "two"]);
    let mapped = ReadOptions { columns: [("text".to_owned(), "what".to_owned())].into(), ..options() };
    let brought = read_as("f", b"[{\"what\":\"It rains.\",\"author\":\"Ada\"}]", &mapped).unwrap();
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
        ["[file]", "U Ada 2026-01-03T18:05:00Z Zwei; Zeilen\nund \"mehr\"", "U Bo 2026-01-13T09:00:00Z Gut."]
    );
    let utf_16: Vec<u8> = "\u{feff}text\ttags\nThe key.\thouse\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let brought = read_as("f.csv", &utf_16, &options()).unwrap();
    assert_eq!((brought.format, brought.words()), ("table", vec!["The key."]));
    let bad = read_as("f", b"text,time\nx,noon\ny,2026-01-01\n", &options()).err().unwrap();
    assert_eq!(bad.import_line(), Some(2));
    let skipped = read_as("f", b"text,time\nx,noon\ny,2026-01-01\n", &ReadOptions { skip_bad: true, ..options() });
    assert_eq!(skipped.unwrap().words(), ["y"]);
    let open = read_as("f", b"text,time\nx,3/4/2026\n", &options()).err().unwrap();
    assert!(open.to_string().contains("--date-order"), "{open}");
    let told = ReadOptions { date_order: Some(DateOrder::MonthDayYear), ..options() };
    let brought = read_as("f", b"text,time\nx,3/4/2026\n", &told).unwrap();
    assert_eq!(brought.memories[0].memory.body().event_time.unwrap().to_string(), "2026-03-04T00:00:00Z");
}

#[test]
fn whatsapp_chats_of_several_countries_are_read() {
    let berlin = ReadOptions { zone: Some("Europe/Berlin".to_owned()), ..ReadOptions::default() };
    let ios = "[13.01.26, 18:05:09] Ines: \u{200e}Messages and calls are end-to-end encrypted.\r\n\
               [13.01.26, 18:05:09] ~\u{a0}Ines: Ich bringe Brot mit.\nUnd Käse.\r\n\
               \u{200e}[13.01.26, 18:06:00] Ines: \u{200e}<attached: 00000001-PHOTO.jpg>\r\n\
               [14.01.26, 07:00:00] Omar: Gut \u{200e}<Diese Nachricht wurde bearbeitet.>\r\n";
    let brought = read_as("_chat.txt", ios.as_bytes(), &berlin).unwrap();
    assert_eq!(brought.format, "whatsapp");
    assert_eq!(
        brought.told(),
        ["[_chat]", "U Ines 2026-01-13T17:05:09Z Ich bringe Brot mit.\nUnd Käse.", "U Omar 2026-01-14T06:00:00Z Gut"]
    );
    assert_eq!(brought.left(), [("entries of the program", 1), ("messages without a text", 1)]);
    let american = "1/13/26, 6:07\u{202f}PM - Messages are encrypted. Tap to learn more\n\
                    1/13/26, 6:07\u{202f}PM - Omar: Good: 10:30.\n1/13/26, 6:08\u{202f}PM - Ines: <Media omitted>\n\
                    1/14/26, 12:01\u{202f}AM - Ines: IMG-1.jpg (file attached)\nThe gate\n1/14/26, 12:02 AM - Ines: This message was deleted";
    let brought = read_as("WhatsApp Chat with Ines.txt", american.as_bytes(), &options()).unwrap();
    assert_eq!(
        brought.told(),
        [
            "[WhatsApp Chat with Ines]",
            "U Omar 2026-01-13T18:07:00Z Good: 10:30.",
            "U Ines 2026-01-14T00:01:00Z The gate"
        ]
    );
    assert_eq!(brought.turns[1].attachments[0].uri, "IMG-1.jpg");
    let chinese = "2026/1/13 下午6:05 - 李雷: 明天见\n2026/1/14 凌晨12:30 - 韩梅梅: 好";
    let brought = read(chinese);
    assert_eq!(brought.told(), ["[file]", "U 李雷 2026-01-13T18:05:00Z 明天见", "U 韩梅梅 2026-01-14T00:30:00Z 好"]);
    let open = read_as("f", b"3/4/26, 10:00 - A: x\n", &options()).err().unwrap();
    assert!(open.to_string().contains("--date-order"), "{open}");
}

const NOTE: &str = "---\ntitle: Heat pump\ntype: note\npermalink: house/heat-pump\ntags: [house]\ncreated: 2026-01-31\n---\n\
                    - [fact] Runs at night only #energy (tariff)\n- [ ] call the plumber\n- depends_on [[Buffer tank]]\n\n\
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
    let tags: Vec<&str> = observed.tags.iter().map(annals_types::Label::as_str).collect();
    assert_eq!(tags, ["energy", "house"]);
    assert_eq!(observed.metadata["category"], "fact".into());
    assert_eq!(observed.metadata["context"], "tariff".into());
    assert_eq!(observed.event_time.unwrap().to_string(), "2026-01-31T00:00:00Z");
    assert_eq!(brought.memories[1].said[0].predicate, "depends_on");
    assert_eq!(brought.memories[3].id.as_deref(), Some("house/heat-pump#Costs"));
    assert!(brought.memories[3].said.iter().any(|said| said.predicate == "links_to" && said.object == "Bills"));
    let plain = read("First thing.\nStill first.\n\nSecond thing.\n");
    assert_eq!((plain.format, plain.words()), ("notes", vec!["First thing.\nStill first.", "Second thing."]));
    let broken = read("---\ntitle: x\nNo end of it.\n");
    assert_eq!(broken.words(), ["---\ntitle: x\nNo end of it."]);
}

#[test]
fn gemini_takeout_is_parted_by_pauses() {
    let activity = r#"[{"header":"Gemini Apps","title":"Prompted Thanks","time":"2026-04-01T12:00:00.000Z",
"products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>Sure &amp; bye</p>"}]},
{"header":"Gemini Apps","title":"Prompted Where is the log?","time":"2026-04-01T08:00:00.000Z",
"products":["Gemini Apps"],"safeHtmlItem":[{"html":"<p>In <b>/var/log</b>.</p>"}]},
{"header":"Gemini Apps","title":"Used an Assistant feature","time":"2026-04-01T07:00:00.000Z",
"products":["Gemini Apps"]}]"#;
    let brought = read(activity);
    assert_eq!(brought.format, "gemini-takeout");
    assert_eq!(
        brought.told(),
        [
            "[Gemini 2026-04-01T08:00:00Z]",
            "U - 2026-04-01T08:00:00Z Where is the log?",
            "A - 2026-04-01T08:00:00Z In /var/log.",
            "[Gemini 2026-04-01T12:00:00Z]",
            "U - 2026-04-01T12:00:00Z Thanks",
            "A - 2026-04-01T12:00:00Z Sure & bye",
        ]
    );
    assert_eq!(brought.left(), [("entries of the program", 1)]);
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
    for text in [file.to_owned(), serde_json::to_string(r#"{"agent_type":"memgpt_agent","name":"Tess",
"core_memory":[{"label":"human","value":"Lives in Oslo."}],"messages":[{"role":"user",
"text":"{\"type\":\"user_message\",\"message\":\"I moved to Bergen.\"}","created_at":"2026-01-01T10:00:00+00:00"},
{"role":"assistant","text":"Noted.","created_at":"2026-01-01T10:00:02+00:00"}]}"#).unwrap()] {
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
    assert_eq!(brought.words(), ["Ada lives in Bergen", "Ada: Sails a lot."]);
    let body = brought.memories[0].memory.body();
    assert_eq!(body.valid_from.unwrap().to_string(), "2025-06-01T00:00:00Z");
    assert_eq!(body.valid_until.unwrap().to_string(), "2026-02-01T00:00:00Z");
    let said = &brought.memories[0].said[0];
    assert_eq!((said.subject.as_str(), said.predicate.as_str(), said.object.as_str()), ("Ada", "LIVES_IN", "Bergen"));
    assert_eq!(brought.told(), ["[t1]", "U Ada 2026-01-01T00:00:00Z I moved."]);
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
    assert_eq!(brought.told(), ["[s]", "U - 2026-05-31T10:00:00Z Fix the prices"]);
}

#[test]
fn open_webui_tells_the_branch_that_was_kept() {
    let inner = r#"{"title":"Log","history":{"messages":{"a":{"id":"a","parentId":null,"role":"user",
"content":"Where?","timestamp":1767254400},"b":{"id":"b","parentId":"a","role":"assistant","content":"There.",
"timestamp":1767254401},"c":{"id":"c","parentId":"a","role":"assistant",
"content":"<details type=\"reasoning\">x</details>\nHere.","timestamp":1767254402}},"currentId":"c"},
"timestamp":1767254400000}"#;
    let brought = read(&format!("[{{\"id\":\"x\",\"title\":\"Log\",\"chat\":{inner},\"created_at\":1767254400}}]"));
    assert_eq!(brought.format, "open-webui");
    assert_eq!(brought.told(), ["[x]", "U - 2026-01-01T08:00:00Z Where?", "A - 2026-01-01T08:00:02Z Here."]);
    assert_eq!(brought.left(), [("turns of branches that were not kept", 1)]);
    assert_eq!(read(inner).told()[1..], brought.told()[1..]);
}

#[test]
fn telegram_tells_one_chat_or_all() {
    let messages = r#"[{"id":1,"type":"service","date":"2026-02-03T20:59:00","date_unixtime":"1770148740",
"actor":"Ada","actor_id":"user77","action":"pin"},{"id":2,"type":"message","date":"2026-02-03T21:00:00",
"date_unixtime":"1770148800","from":"Ada","from_id":"user77","text":["see ",{"type":"text_link","text":"this",
"href":"https://example.org"}],"text_entities":[]},{"id":3,"type":"message","date":"2026-02-03T21:01:00",
"date_unixtime":"1770148860","from":null,"from_id":"user1","text":"page\x0Bbreak","text_entities":[{"type":"plain",
"text":"page\x0Bbreak"}],"photo":"photos/1.jpg"}]"#;
    let one = format!("{{\"name\":\"Ada\",\"type\":\"personal_chat\",\"id\":77,\"messages\":{messages}}}");
    let expected = [
        "[Ada]",
        "U Ada 2026-02-03T20:00:00Z see this (https://example.org)",
        "U - 2026-02-03T20:01:00Z page\u{b}break",
    ];
    let brought = read(&one);
    assert_eq!((brought.format, brought.told()), ("telegram", expected.map(str::to_owned).to_vec()));
    assert_eq!(brought.turns[1].attachments[0].uri, "photos/1.jpg");
    assert_eq!(brought.turns[0].id.as_deref(), Some("77/2"));
    let saved = r#"{"type":"saved_messages","id":5,"messages":[{"id":1,"type":"message",
"date":"2026-02-03T21:00:00","from":"Me","from_id":"user5","text":"milk","text_entities":[{"type":"plain",
"text":"milk"}]}]}"#;
    let all = format!(
        "{{\"about\":\"x\",\"personal_information\":{{\"user_id\":5}},\"chats\":{{\"about\":\"y\",\"list\":[{one},\
            {saved}]}}}}"
    );
    let brought = read(&all);
    assert_eq!(brought.told()[..3], expected);
    assert_eq!(brought.told()[3..], ["[saved messages 5]", "U Me 2026-02-03T21:00:00Z milk"]);
}

#[test]
fn discord_tells_channels_and_ones_own_messages() {
    let brought = read(
        r#"{"guild":{"id":"1","name":"Yard"},"channel":{"id":"2","type":"GuildTextChat","name":"general"},
"messages":[{"id":"3","type":"Default","timestamp":"2026-01-01T10:00:00+00:00","timestampEdited":null,
"content":"hi","author":{"id":"9","name":"bo","nickname":"Bo","isBot":false},"attachments":[{"id":"a",
"url":"https://cdn/x.png","fileName":"x.png"}]},{"id":"4","type":"GuildMemberJoin",
"timestamp":"2026-01-01T10:00:00+00:00","content":"joined","author":{"name":"x"}}],"messageCount":2}"#,
    );
    assert_eq!(
        (brought.format, brought.told()),
        ("discord", vec!["[Yard / general]".to_owned(), "U Bo 2026-01-01T10:00:00Z hi".to_owned()])
    );
    assert_eq!(brought.left(), [("entries of the program", 1)]);
    let own = read(r#"[{"ID":7,"Timestamp":"2026-01-01 10:00:00","Contents":"mine","Attachments":""}]"#);
    assert_eq!(
        (own.format, own.told()),
        ("discord", vec!["[some]".to_owned(), "U - 2026-01-01T10:00:00Z mine".to_owned()])
    );
}

#[test]
fn slack_tells_names_out_of_the_files_beside() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("general")).unwrap();
    std::fs::write(
        path("users.json"),
        r#"[{"id":"U1","profile":{"display_name":"nia"}},{"id":"U2","name":"omar","profile":{"real_name":"Omar"}}]"#,
    )
    .unwrap();
    std::fs::write(path("channels.json"), r#"[{"id":"C1","name":"general","members":[]}]"#).unwrap();
    let day = r#"[{"type":"message","user":"U1","text":"Ask <@U2> &amp; close <https://x.org|it>",
"ts":"1767254400.000100"},{"type":"message","subtype":"channel_join","user":"U2","text":"joined",
"ts":"1767254401.000100"},{"type":"message","subtype":"bot_message","username":"ci","bot_id":"B1","text":"green",
"ts":"1767254402.000100"}]"#;
    std::fs::write(path("general/2026-01-01.json"), day).unwrap();
    let files = ImportFile::all_of(folder.path()).unwrap();
    let names: Vec<_> = files.iter().map(|file| file.path().strip_prefix(folder.path()).unwrap().to_owned()).collect();
    assert_eq!(names.len(), 3);
    let brought = read_file(&files[1], &options()).unwrap();
    assert_eq!(brought.format, "slack");
    assert_eq!(
        brought.told(),
        [
            "[general]",
            "U nia 2026-01-01T08:00:00Z Ask @Omar & close it (https://x.org)",
            "A ci 2026-01-01T08:00:02Z green"
        ]
    );
    assert!(read_file(&files[0], &options()).is_err(), "a list of channels is no conversation");
}

#[test]
fn letters_of_a_mailbox_are_threads() {
    let mailbox = "From ada@example.org Thu Jan  1 10:00:00 2026\nFrom: =?UTF-8?Q?Ad=C3=A4?= <ada@example.org>\n\
        Date: Thu, 01 Jan 2026 10:00:00 +0100\nMessage-ID: <1@x>\nSubject: =?UTF-8?Q?Schl=C3=BCssel?=\n\
        Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nUnter dem T=F6pf.\n>From there.\n\n\
        From bo@example.org Thu Jan  1 11:00:00 2026\nFrom: bo@example.org\nDate: Thu, 01 Jan 2026 11:00:00 +0100\nMessage-ID: <2@x>\n\
        In-Reply-To: <1@x>\nReferences: <1@x>\nSubject: Re: x\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\
        Content-Type: text/html\n\n<p>html</p>\n--b\nContent-Type: text/plain\n\nDanke.\n\n> Unter dem\n-- \nBo\n--b--\n";
    let brought = read(mailbox);
    assert_eq!(brought.format, "mbox");
    assert_eq!(
        brought.told(),
        [
            "[1@x]",
            "U Adä 2026-01-01T09:00:00Z Unter dem Töpf.\nFrom there.",
            "U bo@example.org 2026-01-01T10:00:00Z Danke."
        ]
    );
    assert_eq!(brought.turns[0].metadata["title"], "Schlüssel".into());
}

#[test]
fn archives_and_compressed_files_are_unpacked() {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default();
    for (name, bytes) in
        [("conversations-000.json", CHATGPT), ("chat.html", "<!DOCTYPE html><html>"), ("__MACOSX/x", "x")]
    {
        zip.start_file(name, stored).unwrap();
        zip.write_all(bytes.as_bytes()).unwrap();
    }
    let bytes = zip.finish().unwrap().into_inner();
    let files = ImportFile::of_bytes("export.zip", bytes.clone()).unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!(files[1].path().to_string_lossy().replace('\\', "/"), "export.zip/conversations-000.json");
    assert_eq!(read_file(&files[1], &options()).unwrap().format, "chatgpt");
    assert!(read_file(&files[0], &options()).err().unwrap().to_string().contains("HTML"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.zip");
    std::fs::write(&path, bytes).unwrap();
    let files = ImportFile::all_of(&path).unwrap();
    assert_eq!(read_file(&files[1], &options()).unwrap().turns.len(), 3);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(CHATGPT.as_bytes()).unwrap();
    let brought = read_as("c.json.gz", &gzip.finish().unwrap(), &options()).unwrap();
    assert_eq!(brought.format, "chatgpt");
    let zstd = ruzstd::encoding::compress_to_vec(CHATGPT.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    assert_eq!(read_as("c.zst", &zstd, &options()).unwrap().format, "chatgpt");
}

#[test]
fn a_bomb_ends_in_an_error() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"[\"").unwrap();
    let zeros = vec![b'0'; 1 << 20];
    for _ in 0..300 {
        gzip.write_all(&zeros).unwrap();
    }
    let bytes = gzip.finish().unwrap();
    assert!(bytes.len() < 2 << 20);
    let error = read_as("bomb.gz", &bytes, &options()).err().unwrap();
    assert!(error.to_string().contains("times as long"), "{error}");
}

#[test]
fn what_cannot_be_read_is_named() {
    for (bytes, told) in [
        (&br#"[{"colour":"red","size":3}]"#[..], "a list of objects with the fields colour, size"),
        (b"{\"a\":{\"b\":1}}", "objects with the fields a"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"%PDF-1.7", "a PDF document"),
        (b"\x00\x01\x02\xff\xfe\x80", "no text"),
    ] {
        let error = read_as("f.txt", bytes, &options()).err().unwrap();
        assert!(error.is_invalid() && error.to_string().contains(told), "{error}");
    }
}

#[test]
fn a_broken_record_is_named_with_its_line() {
    let broken = CHATGPT.replace("\"title\":\"Me\"", "\"title\":Me");
    let error = read_as("f", broken.as_bytes(), &options()).err().unwrap();
    assert_eq!(error.import_line(), Some(10), "{error}");
    let brought = read_as("f", broken.as_bytes(), &ReadOptions { skip_bad: true, ..options() }).unwrap();
    assert_eq!((brought.turns.len(), brought.summary.bad.len()), (2, 1));
}

#[test]
fn a_first_record_of_megabytes_tells_its_format() {
    let picture = "A".repeat(2 << 20);
    let line = format!(
        "{{\"parentUuid\":null,\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"image\",\
            \"data\":\"{picture}\"}},{{\"type\":\"text\",\"text\":\"The gate.\"}}]}},\"type\":\"user\",\
            \"uuid\":\"u\",\"sessionId\":\"s\",\"timestamp\":\"2026-03-01T10:00:00Z\"}}"
    );
    let brought = read(&line);
    assert_eq!(
        (brought.format, brought.told()),
        ("claude-code", vec!["[s]".to_owned(), "U - 2026-03-01T10:00:00Z The gate.".to_owned()])
    );
}

#[test]
fn names_of_formats_are_their_own() {
    let mut names: Vec<&str> = FileFormat::all().map(FileFormat::name).collect();
    for name in &names {
        assert_eq!(FileFormat::named(name).unwrap().name(), *name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), ROWS.len());
    assert_eq!(free_fields(), Value::Map([("m".to_owned(), Value::List(vec![Value::Int(1)]))].into()));
}

fn free_fields() -> Value {
    reading::free(&serde_json::json!({"m": [1]}))
}

#[test]
fn databases_are_read_with_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    std::fs::write(&path, include_bytes!("fixtures/cursor.vscdb")).unwrap();
    let chats = |path: &std::path::Path| read_file(&ImportFile::all_of(path).unwrap()[0], &options()).unwrap();
    let before = chats(&path);
    assert_eq!(before.format, "cursor-chats");
    let dark = "U - 2026-01-05T10:00:00Z Make it dark.";
    assert_eq!(before.told(), ["[c1]", dark, "A - 2026-01-05T10:00:09Z Done, as you wished."]);
    assert_eq!(before.turns[1].tool_calls[0].name.as_str(), "edit_file");
    assert_eq!(before.turns[0].metadata["title"], "Dark".into());
    assert_eq!(before.left(), [("thoughts", 1)]);
    std::fs::write(folder.path().join("state.vscdb-wal"), include_bytes!("fixtures/cursor.vscdb-wal")).unwrap();
    let after = chats(&path);
    assert_eq!(after.turns.len(), 3);
    // More than a page holds.
    assert_eq!(after.turns[2].text, format!("{}end", "And the menu too. ".repeat(60)));
    let brought = read_as("m.db", include_bytes!("fixtures/claude-mem.db"), &options()).unwrap();
    assert_eq!(brought.format, "claude-mem");
    assert_eq!(brought.memories.len(), 42);
    assert_eq!(brought.words()[0], "Prices in cents 0\nPrices are stored as integers.\n- prices are integers");
    assert_eq!(brought.memories[41].id.as_deref(), Some("summary/1"));
    assert_eq!(brought.told(), ["[s]", "U - 2026-05-31T10:00:00Z Fix the prices"]);
}

#[test]
fn a_hostile_database_ends_in_an_error_or_in_nothing() {
    let whole = include_bytes!("fixtures/claude-mem.db");
    let mut seed = 7_u64;
    for _ in 0..400 {
        let mut bytes = whole.to_vec();
        for _ in 0..6 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (seed >> 33) as usize % bytes.len();
            bytes[at] = (seed >> 25) as u8;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        bytes.truncate(100 + (seed >> 33) as usize % whole.len());
        let files = ImportFile::of_bytes("m.db", bytes).unwrap();
        let told = FileFormat::named("claude-mem").unwrap().read(&files[0], &options(), &mut |_| Ok(()));
        if let Ok(summary) = told {
            assert!(summary.memories < 1000);
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn fuzz_any_file_is_read_or_refused(
        at in 0_usize..8,
        cut in 0_usize..1500,
        junk in "[\\[\\]{}\",:0-9a \n]{0,12}",
        place in 0_usize..1500,
    ) {
        let graph = r#"{"type":"entity","name":"K","observations":["x"]}"#;
        let letters = "From a@b Thu Jan  1 10:00:00 2026\nFrom: a@b\nSubject: x\n\nhello\n";
        let chat = "[13.01.26, 18:05:09] Ines: Brot\n[14.01.26, 18:05:09] Omar: Gut\n";
        let texts = [CHATGPT, CLAUDE, NOTE, graph, letters, chat, "text,time\na,2026-01-01\n", "[{\"role\":\"user\",\
            \"content\":\"x\"}]"];
        let mut text = texts[at].to_owned();
        text.truncate(text.floor_char_boundary(cut));
        let place = text.floor_char_boundary(place);
        text.insert_str(place, &junk);
        for skip_bad in [false, true] {
            let options = ReadOptions { skip_bad, ..options() };
            if let Ok(brought) = read_as("f", text.as_bytes(), &options) {
                proptest::prop_assert!(brought.turns.iter().all(|turn| !turn.text.trim().is_empty()));
            }
            // Each reader reads any file, or refuses it.
            let files = ImportFile::of_bytes("f", text.clone().into_bytes()).unwrap();
            for format in FileFormat::all() {
                let _told = format.read(&files[0], &options, &mut |_| Ok(()));
            }
        }
    }
}
