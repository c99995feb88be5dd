//! The scenarios of the designs in English: what models and people are told, from a first message
//! to a later session.

use std::sync::Arc;

use crate::support::life::World;
use annals::blocking::Namespace;
use annals::llm::provider::{Provider, Replay};
use annals::{ContextRequest, Layer, ListQuery, NewTurn, Role};
use serde_json::{Value, json};

fn world(profile: &str, model: &Arc<Replay>) -> World {
    let model: Arc<dyn Provider> = Arc::clone(model) as Arc<dyn Provider>;
    World::with(profile, move |options| options.model(Arc::clone(&model)))
}

fn round(space: &Namespace, session: &str, said: &str, answered: &str) {
    let user = NewTurn::builder(session, said).build().unwrap();
    let reply = NewTurn::builder(session, answered)
        .role(Role::Assistant)
        .build()
        .unwrap();
    space.sessions().append(vec![user]).unwrap();
    space.sessions().append(vec![reply]).unwrap();
}

fn has_chinese(text: &str) -> bool {
    text.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c))
}

/// Everything that the model was told, and that no word of it is Chinese.
fn told(model: &Replay) -> String {
    let asked = model.asked();
    let texts: Vec<String> = asked
        .iter()
        .flat_map(|request| request.messages.iter().map(|message| message.text.clone()))
        .collect();
    let told = texts.join("\n");
    assert!(!has_chinese(&told), "{told}");
    told
}

#[test]
fn a_companion_is_spoken_to_in_english() {
    let answer = "[ADD] The user moved to Berlin\n\
        {\"subject\": \"user\", \"predicate\": \"moved to\", \"object\": \"Berlin\"}";
    let model = Arc::new(Replay::default().reply("extract", answer));
    let mut world = world("companion", &model);
    round(
        &world.space(),
        "a",
        "I moved to Berlin last week",
        "Congratulations!",
    );
    world.space().queue().work_off().unwrap();
    let told = told(&model);
    assert!(
        told.contains("User: I moved to Berlin last week\nAssistant: Congratulations!"),
        "{told}"
    );
    assert!(
        told.contains("Write in the language of the conversation"),
        "{told}"
    );
    assert_eq!(world.space().graph().entities("Berlin").unwrap().len(), 1);
    world.at(2.0);
    world.reopen();
    let context = world
        .space()
        .context(ContextRequest::new("Where do I live now, in Berlin?"))
        .unwrap()
        .text;
    assert!(
        context.starts_with("[Time]\n2026-01-03 ") && context.contains(" Saturday"),
        "{context}"
    );
    assert!(
        context.contains("[What you remember]\n- The user moved to Berlin"),
        "{context}"
    );
    world.validate();
}

#[test]
fn an_agent_keeps_a_rule_and_its_files_in_english() {
    let home = tempfile::tempdir().unwrap();
    let rule = r#"{"memories": [{"content":"Always answer in English","type":"RULE","duration":"permanent"}]}"#;
    let episode = r#"{"summary":"Fixed the login","goal":"fix the 502","outcome":"fixed","entities":["login"]}"#;
    let model = Arc::new(
        Replay::default()
            .reply("extract", rule)
            .reply("episode", episode),
    );
    let (folder, asked) = (home.path().to_str().unwrap().to_owned(), Arc::clone(&model));
    let world = World::with("agent", move |options| {
        let model: Arc<dyn Provider> = Arc::<Replay>::clone(&asked);
        options.model(model).mirrors(&folder)
    });
    let space = world.space();
    space
        .designs()
        .agent()
        .on_turn_start("a", "Fix the 502 of the login")
        .unwrap();
    round(
        &space,
        "a",
        "From now on always answer in English, and look at the login please.",
        "I will.",
    );
    space.queue().work_off().unwrap();
    space.session("a").end().unwrap();
    world.force();
    let told = told(&model);
    assert!(
        told.contains("- type: FACT / PREFERENCE / SKILL / ERROR / RULE"),
        "{told}"
    );
    let prompt = space
        .context(ContextRequest::new("Write a guide"))
        .unwrap()
        .text;
    assert!(
        prompt.contains("# Memory\n") && prompt.contains("## Current task\n\nFix the 502"),
        "{prompt}"
    );
    let file = std::fs::read_to_string(home.path().join("u/identity/MEMORY.md"));
    let file = file
        .or_else(|_| std::fs::read_to_string(home.path().join("identity/MEMORY.md")))
        .unwrap();
    assert!(
        file.contains("# Core memories\n\n## Rules\n- Always answer in English"),
        "{file}"
    );
    let episodes = space.sessions().episodes_markdown(5).unwrap();
    assert!(
        episodes.contains("Record of past work") && episodes.contains("- Goal: fix the 502"),
        "{episodes}"
    );
    world.validate();
}

fn done(space: &Namespace, tool: &str, arguments: &Value) -> Value {
    let reply = space.tools().call(tool, &arguments.to_string()).unwrap();
    let reply: Value = serde_json::from_str(reply.as_json()).unwrap();
    assert_eq!(reply["success"], json!(true), "{reply}");
    reply
}

#[test]
fn a_graph_told_in_english_answers_why() {
    let world = world("graph", &Arc::new(Replay::default()));
    let space = world.space();
    let create = |topic: &str, kind: &str, object: &str, time: &str| {
        let mut call =
            json!({ "subject": "I", "memory_type": kind, "topic": topic, "object": object });
        if !time.is_empty() {
            call["attributes"] = json!({ "time": time });
        }
        done(&space, "create_memory", &call)
    };
    let reply = create("could not", "event", "sleep", "last night");
    assert_eq!(
        reply["message"],
        json!("The memory is saved and will be put in order in the background")
    );
    create("am", "fact", "very tired", "");
    world.memory().wait_idle().unwrap();
    let tied = done(
        &space,
        "link_memories",
        &json!({ "source": "I could not sleep", "target": "I am very tired", "relation_type": "leads to" }),
    );
    assert_eq!(
        (&tied["relation_type"], &tied["edge_type"]),
        (&json!("leads to"), &json!("causality"))
    );
    let found = done(
        &space,
        "search_memories",
        &json!({ "query": "why am I tired?", "memory_types": ["fact"] }),
    );
    assert_eq!(found["results"][0]["memory_type"], json!("fact"), "{found}");
    let all = done(
        &space,
        "search_memories",
        &json!({ "query": "why am I so tired?", "expand_depth": 1 }),
    );
    let texts = all["results"].to_string();
    assert!(
        texts.contains("could not sleep") && texts.contains("very tired"),
        "{all}"
    );
    assert!(!has_chinese(&space.tools().instruction().unwrap().unwrap()));
    let wrong = space
        .tools()
        .call(
            "create_memory",
            r#"{"subject":"I","memory_type":"dream","topic":"x"}"#,
        )
        .unwrap();
    assert!(
        wrong
            .as_json()
            .contains("must be one of: event, fact, relation, opinion"),
        "{}",
        wrong.as_json()
    );
    world.validate();
}

#[test]
fn markdown_and_studio_are_asked_and_shown_in_english() {
    for (profile, kind, heading) in [
        (
            "markdown",
            "\"category\":\"preference\"",
            "# Memories\n\nKey information about the user:",
        ),
        (
            "studio",
            "\"type\":\"preference\"",
            "You are an AI assistant.\n\nBackground information about the user:",
        ),
    ] {
        let importance = if profile == "markdown" {
            "\"high\""
        } else {
            "0.9"
        };
        let answer = format!(
            "{{\"memories\": [{{\"content\":\"The user likes tabs\",{kind},\"importance\":{importance}}}]}}"
        );
        let model = Arc::new(Replay::default().reply("extract", &answer));
        let world = world(profile, &model);
        for n in 0..5 {
            round(
                &world.space(),
                "a",
                &format!("I really like tabs, and this is line {n} of my talk."),
                "Noted.",
            );
        }
        world.space().session("a").end().unwrap();
        world.space().queue().work_off().unwrap();
        told(&model);
        let kept = world
            .space()
            .list(&ListQuery {
                limit: 50,
                ..ListQuery::default()
            })
            .unwrap()
            .memories;
        assert!(
            kept.iter().any(|memory| memory.body.layer != Layer::Turn),
            "{profile}: {kept:?}"
        );
        let context = world
            .space()
            .context(ContextRequest::new("Does the user like tabs?"))
            .unwrap()
            .text;
        assert!(context.starts_with(heading), "{profile}: {context}");
        world.validate();
    }
}
