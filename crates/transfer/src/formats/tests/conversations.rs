//! Formats of conversations.

use super::*;

pub(super) const CHATGPT: &str = r#"[{
"title":null,"create_time":1767254400.5,"conversation_id":"c1","current_node":"n6",
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
    assert_eq!(
        (calls[0].name.as_str(), calls[0].arguments.as_str()),
        ("web", "search chain")
    );
    let sent: Vec<&str> = brought.turns[0]
        .attachments
        .iter()
        .map(|sent| sent.uri.as_str())
        .collect();
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
    assert_eq!(
        read(&format!("{{\"conversations\":[{inner}]}}")).told(),
        brought.told()
    );
    assert_eq!(
        read(&inner.replace(",\n{\"title\"", "\n{\"title\"")).told(),
        brought.told()
    );
}

#[test]
fn chatgpt_with_a_circle_of_parents_ends() {
    let brought = read(
        r#"[{"id":"c","current_node":"a","mapping":{"a":{"parent":"b","message":{"id":"a","author":{"role":"user"},
"content":{"content_type":"text","parts":["x"]}}},"b":{"parent":"a","message":null}}}]"#,
    );
    assert_eq!(brought.told(), ["[c]", "U -  x"]);
}

pub(super) const CLAUDE: &str = r#"[{
"uuid":"c1","name":"Roof","created_at":"2026-02-01T09:00:00.000000Z","chat_messages":[
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
    assert_eq!(
        brought.turns[1].tool_calls[0].result.as_deref(),
        Some("rain")
    );
    assert_eq!(
        brought.left(),
        [("thoughts", 1), ("turns of branches that were not kept", 1)]
    );
    let projects = read(
        r#"[{"uuid":"p","name":"House","description":"Repairs","prompt_template":"",
"created_at":"2026-02-01T09:00:00Z","docs":[{"uuid":"d","filename":"plan.md","content":"Tiles first.",
"created_at":"2026-02-01T09:00:00Z"}]}]"#,
    );
    assert_eq!(
        (projects.format, projects.words()),
        ("claude-projects", vec!["House: Repairs", "Tiles first."])
    );
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
        format!(
            "{{\"id\":\"{id}\",\"conversations\":[{{\"from\":\"human\",\"value\":\"{words}\"}}]}}\n"
        )
    };
    let long = "word ".repeat(1 << 20);
    let mut text: String = (0..7).map(|at| list(&format!("l{at}"), &long)).collect();
    text.push_str("{\"conversations\":[{\"from\":\"nobody\",\"value\":\"x\"}]}\n");
    text.push_str(&list("last", "hi"));
    let options = ReadOptions {
        skip_bad: true,
        ..options()
    };
    let brought = read_as("sets.jsonl", text.as_bytes(), &options).unwrap();
    assert_eq!(
        (
            brought.format,
            brought.turns.len(),
            brought.summary.bad.len()
        ),
        ("messages", 8, 1)
    );
    assert_eq!(
        (
            brought.turns[7].session.as_str(),
            brought.summary.bad[0].line
        ),
        ("last", 8)
    );
}

#[test]
fn a_bad_message_takes_no_other_one_along() {
    let lines = "{\"role\":\"user\",\"content\":\"one\"}\n{\"role\":3,\"content\":\"x\"}\n{\"role\":\"user\",\
        \"content\":\"two\"}\n";
    assert_eq!(
        read_as("f", lines.as_bytes(), &options())
            .err()
            .unwrap()
            .import_line(),
        Some(2)
    );
    let brought = read_as(
        "f",
        lines.as_bytes(),
        &ReadOptions {
            skip_bad: true,
            ..options()
        },
    )
    .unwrap();
    assert_eq!(brought.told(), ["[f]", "U -  one", "U -  two"]);
    assert_eq!(brought.summary.bad[0].line, 2);
    let chats = "{\"id\":\"a\",\"messages\":[{\"role\":\"user\",\"content\":\"one\"}]}\n{\"id\":\"b\",\
        \"messages\":[{\"role\":\"nobody\",\"content\":\"x\"}]}\n";
    let brought = read_as(
        "f",
        chats.as_bytes(),
        &ReadOptions {
            skip_bad: true,
            ..options()
        },
    )
    .unwrap();
    assert_eq!(
        (brought.told(), brought.summary.bad.len()),
        (vec!["[a]".to_owned(), "U -  one".to_owned()], 1)
    );
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
        assert_eq!(
            brought.told(),
            ["[file]", "U -  Rain?", "A -  Yes."],
            "{text}"
        );
        let call = &brought.turns[1].tool_calls[0];
        assert_eq!(
            (call.name.as_str(), call.arguments.as_str()),
            ("weather", "{\"city\":\"Bergen\"}")
        );
        assert_eq!(call.result.as_deref(), Some("rain"));
    }
}

#[test]
fn whatsapp_chats_of_several_countries_are_read() {
    let berlin = ReadOptions {
        zone: Some("Europe/Berlin".to_owned()),
        ..ReadOptions::default()
    };
    let ios = "[13.01.26, 18:05:09] Ines: \u{200e}Messages and calls are end-to-end encrypted.\r\n\
               [13.01.26, 18:05:09] ~\u{a0}Ines: Ich bringe Brot mit.\nUnd Käse.\r\n\
               \u{200e}[13.01.26, 18:06:00] Ines: \u{200e}<attached: 00000001-PHOTO.jpg>\r\n\
               [14.01.26, 07:00:00] Omar: Gut \u{200e}<Diese Nachricht wurde bearbeitet.>\r\n";
    let brought = read_as("_chat.txt", ios.as_bytes(), &berlin).unwrap();
    assert_eq!(brought.format, "whatsapp");
    assert_eq!(
        brought.told(),
        [
            "[_chat]",
            "U Ines 2026-01-13T17:05:09Z Ich bringe Brot mit.\nUnd Käse.",
            "U Omar 2026-01-14T06:00:00Z Gut"
        ]
    );
    assert_eq!(
        brought.left(),
        [
            ("entries of the program", 1),
            ("messages without a text", 1)
        ]
    );
    let american = "1/13/26, 6:07\u{202f}PM - Messages are encrypted. Tap to learn more\n\
                    1/13/26, 6:07\u{202f}PM - Omar: Good: 10:30.\n1/13/26, 6:08\u{202f}PM - Ines: <Media omitted>\n\
                    1/14/26, 12:01\u{202f}AM - Ines: IMG-1.jpg (file attached)\nThe gate\n\
                    1/14/26, 12:02 AM - Ines: This message was deleted";
    let brought = read_as(
        "WhatsApp Chat with Ines.txt",
        american.as_bytes(),
        &options(),
    )
    .unwrap();
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
    assert_eq!(
        brought.told(),
        [
            "[file]",
            "U 李雷 2026-01-13T18:05:00Z 明天见",
            "U 韩梅梅 2026-01-14T00:30:00Z 好"
        ]
    );
    let open = read_as("f", b"3/4/26, 10:00 - A: x\n", &options())
        .err()
        .unwrap();
    assert!(open.to_string().contains("--date-order"), "{open}");
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

/// A card of the page of Takeout.
pub(super) fn card(product: &str, body: &str, details: &str) -> String {
    format!(
        "<div class=\"outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp\"><div class=\"mdl-grid\">\
         <div class=\"header-cell mdl-cell mdl-cell--12-col\">\
         <p class=\"mdl-typography--title\">{product}<br></p></div>\
         <div class=\"content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1\">{body}</div>\
         <div class=\"content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right\"></div>\
         <div class=\"content-cell mdl-cell mdl-cell--12-col mdl-typography--caption\">\
         <b>Products:</b><br>&emsp;{product}<br>{details}</div></div></div>"
    )
}

/// A page of cards behind its styles.
pub(super) fn page(cards: &[String]) -> String {
    let styles = ".mdl-grid{display:flex}\n".repeat(9000);
    format!(
        "<html><head><title>My Activity History</title><style type=\"text/css\">{styles}</style></head><body>\
         <div class=\"mdl-grid\">{}</div></body></html>",
        cards.concat()
    )
}

#[test]
fn the_page_of_gemini_takeout_is_parted_by_chats_and_pauses() {
    let cards = [
        card(
            "Gemini Apps",
            "Prompted Thanks&nbsp;&amp; bye<br>Apr 1, 2026, 2:00:00\u{202f}PM CEST<br><p>Sure.</p>",
            "",
        ),
        card(
            "Gemini Apps",
            "Prompted&nbsp;Where is the log?<br>And the pid?<br>Attached 1 file.<br>-&nbsp;\
             <a href=\"a.png\">a.png</a><br>\
             Apr 1, 2026, 8:00:00\u{202f}AM UTC<br><p>In <b>/var/log</b>.</p><ul><li>pid</li></ul>",
            "<a href=\"https://gemini.google.com/app/c0ffee\">x</a>",
        ),
        card(
            "Gemini-appar",
            "Gav instruktionen&nbsp;Hej<br>4 april 2026 09:15:00 CEST<p>Hej!</p>",
            "",
        ),
        card(
            "Gemini Apps",
            "Created Gemini Canvas titled&nbsp;A thing<br>Apr 1, 2026, 7:00:00 AM UTC<br>",
            "",
        ),
        card(
            "Search",
            "Searched for&nbsp;gemini<br>Apr 1, 2026, 7:00:00 AM UTC<br>",
            "",
        ),
    ];
    let brought = read(&page(&cards));
    assert_eq!(brought.format, "gemini-takeout");
    assert_eq!(
        brought.told(),
        [
            "[Gemini 2026-04-01T12:00:00Z]",
            "U - 2026-04-01T12:00:00Z Thanks & bye",
            "A - 2026-04-01T12:00:00Z Sure.",
            "[Gemini 2026-04-04T07:15:00Z]",
            "U - 2026-04-04T07:15:00Z Hej",
            "A - 2026-04-04T07:15:00Z Hej!",
            "[Gemini c0ffee]",
            "U - 2026-04-01T08:00:00Z Where is the log?\nAnd the pid?",
            "A - 2026-04-01T08:00:00Z In /var/log.\npid",
        ]
    );
    assert_eq!(brought.turns[4].attachments[0].uri, "a.png");
    assert_eq!(brought.left(), [("entries of the program", 2)]);
    // In the same order in every country.
    let numbers = [
        card(
            "Gemini",
            "Prompted&nbsp;one<br>13/04/2026, 10:00:00 UTC<br><p>1</p>",
            "",
        ),
        card(
            "Gemini",
            "Prompted&nbsp;two<br>02/04/2026, 10:00:00 UTC<br><p>2</p>",
            "",
        ),
    ];
    assert_eq!(
        read(&page(&numbers)).turns[0].time.unwrap().to_string(),
        "2026-04-02T10:00:00Z"
    );
    let unknown = [
        card(
            "Gemini Apps",
            "Prompted&nbsp;x<br>1 кві. 2026 р., 10:00:00<br><p>y</p>",
            "",
        ),
        cards[0].clone(),
    ];
    let error = read_as("f", page(&unknown).as_bytes(), &options())
        .err()
        .unwrap();
    assert!(
        error.is_invalid() && error.to_string().contains("JSON"),
        "{error}"
    );
    let brought = read_as(
        "f",
        page(&unknown).as_bytes(),
        &ReadOptions {
            skip_bad: true,
            ..options()
        },
    )
    .unwrap();
    assert_eq!((brought.turns.len(), brought.summary.bad.len()), (2, 1));
    assert!(
        read_as("f", page(&cards[4..]).as_bytes(), &options())
            .err()
            .unwrap()
            .to_string()
            .contains("HTML")
    );
}

#[test]
fn open_webui_tells_the_branch_that_was_kept() {
    let inner = r#"{"title":"Log","history":{"messages":{"a":{"id":"a","parentId":null,"role":"user",
"content":"Where?","timestamp":1767254400},"b":{"id":"b","parentId":"a","role":"assistant","content":"There.",
"timestamp":1767254401},"c":{"id":"c","parentId":"a","role":"assistant",
"content":"<details type=\"reasoning\">x</details>\nHere.","timestamp":1767254402}},"currentId":"c"},
"timestamp":1767254400000}"#;
    let brought = read(&format!(
        "[{{\"id\":\"x\",\"title\":\"Log\",\"chat\":{inner},\"created_at\":1767254400}}]"
    ));
    assert_eq!(brought.format, "open-webui");
    assert_eq!(
        brought.told(),
        [
            "[x]",
            "U - 2026-01-01T08:00:00Z Where?",
            "A - 2026-01-01T08:00:02Z Here."
        ]
    );
    assert_eq!(
        brought.left(),
        [("turns of branches that were not kept", 1)]
    );
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
    let one = format!(
        "{{\"name\":\"Ada\",\"type\":\"personal_chat\",\"id\":77,\"messages\":{messages}}}"
    );
    let expected = [
        "[Ada]",
        "U Ada 2026-02-03T20:00:00Z see this (https://example.org)",
        "U - 2026-02-03T20:01:00Z page\u{b}break",
    ];
    let brought = read(&one);
    assert_eq!(
        (brought.format, brought.told()),
        ("telegram", expected.map(str::to_owned).to_vec())
    );
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
    assert_eq!(
        brought.told()[3..],
        ["[saved messages 5]", "U Me 2026-02-03T21:00:00Z milk"]
    );
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
        (
            "discord",
            vec![
                "[Yard / general]".to_owned(),
                "U Bo 2026-01-01T10:00:00Z hi".to_owned()
            ]
        )
    );
    assert_eq!(brought.left(), [("entries of the program", 1)]);
    let own =
        read(r#"[{"ID":7,"Timestamp":"2026-01-01 10:00:00","Contents":"mine","Attachments":""}]"#);
    assert_eq!(
        (own.format, own.told()),
        (
            "discord",
            vec![
                "[some]".to_owned(),
                "U - 2026-01-01T10:00:00Z mine".to_owned()
            ]
        )
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
    std::fs::write(
        path("channels.json"),
        r#"[{"id":"C1","name":"general","members":[]}]"#,
    )
    .unwrap();
    let day = r#"[{"type":"message","user":"U1","text":"Ask <@U2> &amp; close <https://x.org|it>",
"ts":"1767254400.000100"},{"type":"message","subtype":"channel_join","user":"U2","text":"joined",
"ts":"1767254401.000100"},{"type":"message","subtype":"bot_message","username":"ci","bot_id":"B1","text":"green",
"ts":"1767254402.000100"}]"#;
    std::fs::write(path("general/2026-01-01.json"), day).unwrap();
    let files = ImportFile::all_of(folder.path()).unwrap();
    let names: Vec<_> = files
        .iter()
        .map(|file| file.path().strip_prefix(folder.path()).unwrap().to_owned())
        .collect();
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
    assert!(
        read_file(&files[0], &options()).is_err(),
        "a list of channels is no conversation"
    );
}

#[test]
fn letters_of_a_mailbox_are_threads() {
    let mailbox = "From ada@example.org Thu Jan  1 10:00:00 2026\nFrom: =?UTF-8?Q?Ad=C3=A4?= <ada@example.org>\n\
        Date: Thu, 01 Jan 2026 10:00:00 +0100\nMessage-ID: <1@x>\nX-Gmail-Labels: Inbox,House\n\
        Subject: =?UTF-8?Q?Schl=C3=BCssel?=\n\
        Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\n\
        Unter dem T=F6pf.\n>From there.\n\n\
        From bo@example.org Thu Jan  1 11:00:00 2026\nFrom: bo@example.org\n\
        Date: Thu, 01 Jan 2026 11:00:00 +0100\nMessage-ID: <2@x>\n\
        In-Reply-To: <1@x>\nReferences: <1@x>\nSubject: Re: x\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\
        Content-Type: text/html\n\n<p>html</p>\n--b\nContent-Type: text/plain\n\n\
        Danke.\n\n> Unter dem\n-- \nBo\n--b--\n";
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
    assert_eq!(brought.turns[0].tags, ["House", "Inbox"]);
}

#[test]
fn databases_are_read_with_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.vscdb");
    std::fs::write(&path, include_bytes!("../fixtures/cursor.vscdb")).unwrap();
    let chats = |path: &std::path::Path| {
        read_file(&ImportFile::all_of(path).unwrap()[0], &options()).unwrap()
    };
    let before = chats(&path);
    assert_eq!(before.format, "cursor-chats");
    let dark = "U - 2026-01-05T10:00:00Z Make it dark.";
    assert_eq!(
        before.told(),
        [
            "[c1]",
            dark,
            "A - 2026-01-05T10:00:09Z Done, as you wished."
        ]
    );
    assert_eq!(before.turns[1].tool_calls[0].name.as_str(), "edit_file");
    assert_eq!(before.turns[0].metadata["title"], "Dark".into());
    assert_eq!(before.left(), [("thoughts", 1)]);
    std::fs::write(
        folder.path().join("state.vscdb-wal"),
        include_bytes!("../fixtures/cursor.vscdb-wal"),
    )
    .unwrap();
    let after = chats(&path);
    assert_eq!(after.turns.len(), 3);
    // More than a page holds.
    assert_eq!(
        after.turns[2].text,
        format!("{}end", "And the menu too. ".repeat(60))
    );
    let brought = read_as(
        "m.db",
        include_bytes!("../fixtures/claude-mem.db"),
        &options(),
    )
    .unwrap();
    assert_eq!(brought.format, "claude-mem");
    assert_eq!(brought.memories.len(), 42);
    assert_eq!(
        brought.words()[0],
        "Prices in cents 0\nPrices are stored as integers.\n- prices are integers"
    );
    assert_eq!(brought.memories[41].id.as_deref(), Some("summary/1"));
    assert_eq!(
        brought.told(),
        ["[s]", "U - 2026-05-31T10:00:00Z Fix the prices"]
    );
}

#[test]
fn a_hostile_database_ends_in_an_error_or_in_nothing() {
    let whole = include_bytes!("../fixtures/claude-mem.db");
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
        let told =
            FileFormat::named("claude-mem")
                .unwrap()
                .read(&files[0], &options(), &mut |_| Ok(()));
        if let Ok(summary) = told {
            assert!(summary.memories < 1000);
        }
    }
}
