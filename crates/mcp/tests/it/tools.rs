//! The seven tools, by a client of rmcp.

use crate::support;

use annals::ListQuery;
use annals_mcp::{Reach, Server};
use rmcp::model::Tool;
use serde_json::{Value, json};
use support::{Client, call, data, ids, memory, one, refusal, remember, served, text};

fn tokens(tools: &[Tool]) -> usize {
    serde_json::to_string(&json!({ "tools": tools }))
        .unwrap()
        .len()
        / 4
}

async fn tool(client: &Client, name: &str) -> Tool {
    client
        .list_all_tools()
        .await
        .unwrap()
        .into_iter()
        .find(|tool| tool.name == name)
        .unwrap()
}

#[tokio::test]
async fn the_list_of_tools_takes_less_than_1500_tokens() {
    for language in ["en", "zh"] {
        for profile in ["default", "companion", "studio"] {
            let memory = memory();
            for name in ["project:x", "user"] {
                let space = match profile {
                    "default" => memory.namespace(name).unwrap(),
                    _ => memory.create_namespace(name, profile).unwrap(),
                };
                space
                    .admin()
                    .set_language(Some(language.to_owned()))
                    .unwrap();
            }
            let client = served(Server::new(
                memory,
                Reach::project("project:x", "user").unwrap(),
            ))
            .await;
            let tools = client.list_all_tools().await.unwrap();
            let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
            assert_eq!(
                names,
                [
                    "recall", "get", "remember", "update", "forget", "link", "context"
                ]
            );
            assert!(
                tokens(&tools) < 1500,
                "{language} {profile}: {}",
                tokens(&tools)
            );
            for tool in &tools {
                let described = tool.input_schema["properties"].as_object().unwrap();
                assert!(
                    described
                        .values()
                        .all(|property| property["description"].is_string()),
                    "{tool:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn recall_get_and_remember_are_enough_to_go_on_with_a_conversation() {
    let memory = memory();
    let client = one(&memory, "user:42").await;
    let id = remember(&client, "My cat is called Momo.").await;
    remember(&client, "I work at a bakery in Lisbon.").await;
    let found = call(
        &client,
        "recall",
        json!({ "query": "What is my cat called?" }),
    )
    .await;
    assert_eq!(ids(&found)[0], id);
    let hit = &data(&found)["hits"][0];
    assert!(
        hit["score"].as_f64().unwrap() > 0.0 && hit["kind"] == "fact",
        "{hit}"
    );
    assert_eq!(hit["date"].as_str().unwrap().len(), "2026-01-01".len());
    assert!(
        text(&found).contains(&id) && text(&found).contains("Momo"),
        "{}",
        text(&found)
    );
    let whole = call(&client, "get", json!({ "ids": [id] })).await;
    assert_eq!(
        data(&whole)["memories"][0]["text"],
        "My cat is called Momo."
    );
    assert_eq!(data(&whole)["memories"][0]["source"], "mcp");
    assert_eq!(
        memory.namespace("user:42").unwrap().recall("cat").unwrap()[0]
            .id
            .to_string(),
        id
    );
}

#[tokio::test]
async fn what_is_known_is_not_stored_twice() {
    let client = one(&memory(), "user:42").await;
    let first = remember(&client, "My cat is called Momo.").await;
    assert_eq!(remember(&client, "My cat is called Momo.").await, first);
}

#[tokio::test]
async fn changes_are_made_and_taken_back() {
    let client = one(&memory(), "user:42").await;
    let id = remember(&client, "I live in Berlin.").await;
    let updated = call(
        &client,
        "update",
        json!({ "id": id, "text": "I live in Lisbon.", "tags": ["home"] }),
    )
    .await;
    let id = data(&updated)["id"].as_str().unwrap().to_owned();
    let whole = call(&client, "get", json!({ "ids": id })).await;
    assert_eq!(data(&whole)["memories"][0]["text"], "I live in Lisbon.");
    assert_eq!(data(&whole)["memories"][0]["tags"], json!(["home"]));

    assert_eq!(
        data(&call(&client, "forget", json!({ "ids": [id] })).await)["forgotten"],
        json!([id])
    );
    let found = call(&client, "recall", json!({ "query": "Where do I live?" })).await;
    assert!(ids(&found).is_empty(), "{}", text(&found));
    call(&client, "forget", json!({ "ids": [id], "restore": true })).await;
    assert_eq!(
        ids(&call(&client, "recall", json!({ "query": "Where do I live?" })).await),
        std::slice::from_ref(&id)
    );

    let other = remember(&client, "I bought a flat near the river.").await;
    let link = json!({ "from": id, "relation": "causes", "to": other });
    assert_eq!(
        data(&call(&client, "link", link.clone()).await)["relation"],
        "causes"
    );
    let removed = json!({ "from": id, "relation": "causes", "to": other, "remove": true });
    assert_eq!(
        data(&call(&client, "link", removed.clone()).await)["removed"],
        true
    );
    assert_eq!(
        data(&call(&client, "link", removed).await)["removed"],
        false
    );
}

#[tokio::test]
async fn a_link_stands_in_the_graph() {
    let memory = memory();
    let client = one(&memory, "user:42").await;
    let (from, to) = (
        remember(&client, "It rained all night.").await,
        remember(&client, "The cellar is wet.").await,
    );
    call(
        &client,
        "link",
        json!({ "from": from, "relation": "causes", "to": to }),
    )
    .await;
    let links = memory
        .namespace("user:42")
        .unwrap()
        .graph()
        .links(from.parse().unwrap())
        .unwrap();
    assert_eq!(
        (links[0].relation.as_str(), links[0].to.to_string()),
        ("causes", to)
    );
}

#[tokio::test]
async fn get_is_word_for_word_and_shows_links_and_earlier_texts() {
    let client = one(&memory(), "user:42").await;
    let code = "fn f(v: Vec<Message>) { rows[USER] }\n```rust\n<System>[INST]\u{200b}\n```";
    let (id, other) = (
        remember(&client, "The old text.").await,
        remember(&client, "The cellar is wet.").await,
    );
    call(&client, "update", json!({ "id": id, "text": code })).await;
    call(
        &client,
        "link",
        json!({ "from": id, "relation": "causes", "to": other }),
    )
    .await;
    let got = call(&client, "get", json!({ "ids": [id, other] })).await;
    let memories = &data(&got)["memories"];
    assert_eq!(memories[0]["text"], code);
    assert!(text(&got).contains(code), "{}", text(&got));
    assert_eq!(memories[0]["history"][0]["text"], "The old text.");
    assert_eq!(
        memories[0]["links"],
        json!([{ "relation": "causes", "to": other }])
    );
    assert_eq!(
        memories[1]["links"],
        json!([{ "relation": "causes", "from": id }])
    );
    call(&client, "forget", json!({ "ids": [id] })).await;
    let hidden = call(
        &client,
        "update",
        json!({ "id": id, "text": "A new text." }),
    )
    .await;
    assert!(
        refusal(&hidden).contains("restore=true"),
        "{}",
        text(&hidden)
    );
}

#[tokio::test]
async fn recall_finds_tags_and_keeps_to_its_filters() {
    let memory = memory();
    let client = served(Server::new(
        memory.clone(),
        Reach::project("project:x", "user").unwrap(),
    ))
    .await;
    let new = |text: &str, more: Value| {
        let mut new = json!({ "text": text });
        new.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        new
    };
    let tagged = new(
        "The ferry leaves at noon.",
        json!({ "tags": ["zanzibar"], "date": "2026-01-10" }),
    );
    let tagged = data(&call(&client, "remember", tagged).await)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let plain = new(
        "The ferry leaves at six.",
        json!({ "scope": "user", "kind": "rule", "date": "2026-02-10" }),
    );
    let plain = data(&call(&client, "remember", plain).await)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = async |more: Value| {
        let mut asked = json!({ "query": "When does the ferry leave?" });
        asked
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        ids(&call(&client, "recall", asked).await)
    };
    assert_eq!(
        ids(&call(&client, "recall", json!({ "query": "zanzibar" })).await)[0],
        tagged
    );
    assert_eq!(found(json!({})).await.len(), 2);
    for (filter, only) in [
        (json!({ "tags": ["zanzibar"] }), &tagged),
        (json!({ "kind": "rule" }), &plain),
        (json!({ "since": "2026-02-01" }), &plain),
        (json!({ "until": "2026-02-01" }), &tagged),
        (json!({ "scope": "user" }), &plain),
    ] {
        assert_eq!(
            found(filter.clone()).await,
            std::slice::from_ref(only),
            "{filter}"
        );
    }
    let wrong = call(
        &client,
        "recall",
        json!({ "query": "x", "scope": "nobody" }),
    )
    .await;
    assert!(
        refusal(&wrong).contains("project, user"),
        "{}",
        text(&wrong)
    );
    let again = call(
        &client,
        "remember",
        json!({ "text": "the ferry leaves at  noon" }),
    )
    .await;
    assert!(
        text(&again).contains("Known already") && data(&again)["id"] == tagged,
        "{}",
        text(&again)
    );
}

#[tokio::test]
async fn context_is_what_a_prompt_gets() {
    let memory = memory();
    let client = one(&memory, "user:42").await;
    let empty = call(&client, "context", json!({ "message": "hello" })).await;
    assert_eq!(data(&empty)["text"], "");
    remember(&client, "My cat is called Momo.").await;
    let context = call(
        &client,
        "context",
        json!({ "message": "What is my cat called?" }),
    )
    .await;
    assert!(text(&context).contains("Momo"), "{}", text(&context));
}

#[tokio::test]
async fn a_project_and_its_user_are_recalled_together() {
    let memory = memory();
    let client = served(Server::new(
        memory.clone(),
        Reach::project("project:x", "user").unwrap(),
    ))
    .await;
    let here = remember(&client, "The parser is written by hand.").await;
    let about = json!({ "text": "I prefer parsers written by hand.", "scope": "user" });
    let user = data(&call(&client, "remember", about).await)["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = call(
        &client,
        "recall",
        json!({ "query": "How is the parser written?" }),
    )
    .await;
    let scopes: Vec<&str> = data(&found)["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["scope"].as_str().unwrap())
        .collect();
    assert!(
        scopes.contains(&"project") && scopes.contains(&"user"),
        "{scopes:?}"
    );
    for (space, id) in [("project:x", &here), ("user", &user)] {
        assert!(
            memory
                .namespace(space)
                .unwrap()
                .get(id.parse().unwrap())
                .unwrap()
                .is_some()
        );
    }
    let both = call(&client, "get", json!({ "ids": [here, user] })).await;
    assert_eq!(data(&both)["memories"].as_array().unwrap().len(), 2);
    let link = call(
        &client,
        "link",
        json!({ "from": here, "relation": "related", "to": user }),
    )
    .await;
    assert!(refusal(&link).contains("scope"), "{}", text(&link));
    let forgotten = call(&client, "forget", json!({ "ids": [here, user] })).await;
    assert_eq!(data(&forgotten)["forgotten"].as_array().unwrap().len(), 2);
    let found = call(
        &client,
        "recall",
        json!({ "query": "How is the parser written?" }),
    )
    .await;
    assert!(ids(&found).is_empty());
}

#[tokio::test]
async fn recall_keeps_to_its_budget_and_says_what_had_no_room() {
    let client = one(&memory(), "user:42").await;
    for n in 0..12 {
        remember(
            &client,
            &format!(
                "Note {n} about the harbour: {}",
                "the ferry leaves at noon, ".repeat(30)
            ),
        )
        .await;
    }
    let query =
        json!({ "query": "When does the ferry leave the harbour?", "budget": 200, "limit": 10 });
    let found = call(&client, "recall", query).await;
    let shown = ids(&found).len();
    assert!((1..4).contains(&shown), "{shown}");
    assert!(data(&found)["left_out"].as_u64().unwrap() > 0);
    assert!(
        annals::llm::window::estimate(text(&found)) < 320,
        "{}",
        text(&found)
    );
    assert!(
        data(&found)["hits"][0]["text"]
            .as_str()
            .unwrap()
            .ends_with('…')
    );
}

#[tokio::test]
async fn annotations_say_what_changes() {
    let memory = memory();
    let client = one(&memory, "user:42").await;
    for (name, reads) in [
        ("recall", true),
        ("get", true),
        ("context", true),
        ("remember", false),
        ("update", false),
        ("forget", false),
    ] {
        let hints = tool(&client, name).await.annotations.unwrap();
        assert_eq!(hints.read_only_hint, Some(reads), "{name}");
        assert_eq!(
            (hints.destructive_hint, hints.open_world_hint),
            (Some(false), Some(false)),
            "{name}"
        );
    }
    memory.create_namespace("companion", "companion").unwrap();
    let signal = memory
        .namespace("companion")
        .unwrap()
        .admin()
        .settings()
        .unwrap()
        .reinforce
        .signal;
    let context = tool(&one(&memory, "companion").await, "context")
        .await
        .annotations
        .unwrap();
    assert_eq!(
        context.read_only_hint,
        Some(signal != annals::profile::Signal::Injected)
    );
}

#[tokio::test]
async fn a_server_speaks_the_language_of_its_namespace() {
    let memory = memory();
    memory
        .namespace("zh")
        .unwrap()
        .remember("我的猫叫墨墨。")
        .unwrap();
    let chinese = one(&memory, "zh").await;
    let has_chinese = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    assert!(has_chinese(
        chinese
            .peer_info()
            .unwrap()
            .instructions
            .as_deref()
            .unwrap()
    ));
    assert!(has_chinese(
        tool(&chinese, "recall")
            .await
            .description
            .as_deref()
            .unwrap()
    ));
    let found = call(&chinese, "recall", json!({ "query": "我的猫叫什么名字？" })).await;
    assert!(
        text(&found).contains("墨墨") && text(&found).starts_with("记忆"),
        "{}",
        text(&found)
    );
    let english = one(&memory, "en").await;
    assert!(!has_chinese(
        english
            .peer_info()
            .unwrap()
            .instructions
            .as_deref()
            .unwrap()
    ));
    let found = call(&english, "recall", json!({ "query": "我的猫叫什么名字？" })).await;
    assert!(
        has_chinese(text(&found)),
        "an answer is in the language of the question: {}",
        text(&found)
    );
    let empty =
        served(Server::new(memory.clone(), Reach::one("new").unwrap()).in_language("zh")).await;
    assert!(has_chinese(
        empty.peer_info().unwrap().instructions.as_deref().unwrap()
    ));
    assert!(has_chinese(
        tool(&empty, "recall").await.description.as_deref().unwrap()
    ));
    memory
        .profiles()
        .store_messages("de/mcp", "mcp-recall = Sucht Erinnerungen.")
        .unwrap();
    memory
        .profiles()
        .store_messages("de", "detected-as = deu")
        .unwrap();
    memory
        .namespace("de")
        .unwrap()
        .admin()
        .set_language(Some("de".to_owned()))
        .unwrap();
    assert_eq!(
        tool(&one(&memory, "de").await, "recall")
            .await
            .description
            .as_deref(),
        Some("Sucht Erinnerungen.")
    );
}

#[tokio::test]
async fn a_temporary_session_neither_recalls_nor_stores() {
    let memory = memory();
    let space = memory.namespace("user:42").unwrap();
    let id = space
        .remember("My cat is called Momo.")
        .unwrap()
        .to_string();
    let reach = Reach::one("user:42").unwrap();
    let client = served(Server::new(memory.clone(), reach).temporary_when(|_| Ok(true))).await;
    for (tool, arguments) in [
        ("recall", json!({ "query": "cat" })),
        ("get", json!({ "ids": [id] })),
        ("remember", json!({ "text": "My dog is called Bello." })),
        ("update", json!({ "id": id, "text": "x" })),
        ("forget", json!({ "ids": [id] })),
        ("context", json!({ "message": "cat" })),
    ] {
        let done = call(&client, tool, arguments).await;
        assert!(
            refusal(&done).contains("temporary"),
            "{tool}: {}",
            text(&done)
        );
    }
    let core = rmcp::model::ReadResourceRequestParams::new("annals://user%3A42/core");
    assert!(client.read_resource(core).await.is_err());
    assert_eq!(
        space
            .list(&ListQuery {
                limit: 9,
                ..ListQuery::default()
            })
            .unwrap()
            .total,
        1
    );
}

#[tokio::test]
async fn the_lasting_memories_come_without_a_message_as_the_attachment_holds_them() {
    let memory = memory();
    let client = one(&memory, "user:42").await;
    remember(&client, "My cat is called Momo.").await;
    let context = call(&client, "context", json!({})).await;
    assert!(text(&context).contains("Momo"), "{}", text(&context));
    let other = call(
        &client,
        "context",
        json!({ "message": "How do tides work?" }),
    )
    .await;
    assert!(!text(&other).contains("Momo"), "{}", text(&other));
}

#[tokio::test]
async fn the_heading_of_get_shows_links_and_earlier_texts() {
    let client = one(&memory(), "user:42").await;
    let (id, other) = (
        remember(&client, "The old text.").await,
        remember(&client, "The cellar is wet.").await,
    );
    call(
        &client,
        "update",
        json!({ "id": id, "text": "The new text." }),
    )
    .await;
    call(
        &client,
        "link",
        json!({ "from": id, "relation": "causes", "to": other }),
    )
    .await;
    let got = call(&client, "get", json!({ "ids": [id] })).await;
    let heading = text(&got).lines().next().unwrap();
    assert!(
        heading.contains("The old text.") && heading.contains("relation causes"),
        "{heading}"
    );
}

#[tokio::test]
async fn refusals_are_said_in_the_language_of_the_server() {
    let memory = memory();
    let reach = Reach::project("project:x", "user").unwrap();
    let client = served(Server::new(memory.clone(), reach).in_language("zh")).await;
    let id = remember(&client, "小猫叫毛毛。").await;
    for (tool, arguments) in [
        ("remember", json!({ "text": "" })),
        ("remember", json!({ "text": "我喝茶。", "date": "昨天" })),
        (
            "recall",
            json!({ "query": "茶", "since": "2026-02-01", "until": "2026-01-01" }),
        ),
        (
            "link",
            json!({ "from": id, "relation": "causes", "to": id }),
        ),
    ] {
        let said = call(&client, tool, arguments.clone()).await;
        // Digits of an id may look like words.
        let refused = refusal(&said).replace(id.as_str(), "");
        let words = refused
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| word.len() > 2)
            .count();
        assert!(words < 3, "{tool} {arguments}: {}", text(&said));
    }
    let masked = call(
        &client,
        "remember",
        json!({ "text": "我的密钥是 sk-abcdefghijklmnopqrstuvwx1234567890ABCD" }),
    )
    .await;
    let told: String = masked
        .content
        .iter()
        .filter_map(|part| Some(part.as_text()?.text.clone()))
        .collect();
    assert!(
        told.contains("API 密钥") && !told.contains("api_key"),
        "{told}"
    );
    let unknown = client
        .call_tool(rmcp::model::CallToolRequestParams::new("foo"))
        .await
        .unwrap_err()
        .to_string();
    assert!(unknown.contains("没有工具 foo"), "{unknown}");
}

#[tokio::test]
async fn a_kind_that_the_profile_lacks_is_refused_by_recall() {
    let memory = memory();
    memory.create_namespace("user:42", "studio").unwrap();
    let client = one(&memory, "user:42").await;
    let said = call(
        &client,
        "recall",
        json!({ "query": "tea", "kind": "nonsense" }),
    )
    .await;
    assert!(refusal(&said).contains("preference"), "{}", text(&said));
    assert!(
        data(
            &call(
                &client,
                "recall",
                json!({ "query": "tea", "kind": "preference" })
            )
            .await
        )["hits"]
            .is_array()
    );
}

#[tokio::test]
async fn what_is_remembered_has_a_place_under_every_profile() {
    for profile in ["default", "coding", "companion", "studio"] {
        let memory = memory();
        memory.create_namespace("user:42", profile).unwrap();
        let client = served(Server::new(memory.clone(), Reach::one("user:42").unwrap())).await;
        let kept = call(
            &client,
            "remember",
            json!({ "text": "The tests run with nextest." }),
        )
        .await;
        let id = data(&kept)["id"].clone();
        assert!(id.is_string(), "{profile}: {kept:?}");
        let changed = call(
            &client,
            "update",
            json!({ "id": id, "text": "The tests run with cargo nextest." }),
        )
        .await;
        assert!(data(&changed)["id"].is_string(), "{profile}: {changed:?}");
        let stored = memory
            .namespace("user:42")
            .unwrap()
            .list(&ListQuery::default())
            .unwrap()
            .memories;
        let source = stored[0]
            .body
            .source
            .as_ref()
            .map(|source| source.as_str().to_owned());
        assert_eq!(
            source == Some("mcp".to_owned()),
            profile == "default",
            "{profile}: {source:?}"
        );
    }
}
