//! Conversations that no model looks through.

use crate::support::life::World;
use annals::llm::provider::{Provider, Replay};
use annals::{Filter, Layer, ListQuery, NewTurn, Options, Query, Role, UnitScore};
use std::sync::Arc;

const SAID: &str =
    "我喜欢喝龙井茶，不喜欢喝咖啡。我住在西湖区，每天骑车上班，周末常常去西湖边走走，晚上读小说。";

fn round(world: &World, session: &str, text: &str) {
    let said = NewTurn::builder(session, text)
        .role(Role::User)
        .build()
        .unwrap();
    let answered = NewTurn::builder(session, "好的。")
        .role(Role::Assistant)
        .build()
        .unwrap();
    world
        .space()
        .sessions()
        .append(vec![said, answered])
        .unwrap();
}

fn found(world: &World) -> Vec<String> {
    let filter = Filter {
        layers: vec![Layer::Semantic],
        ..Filter::default()
    };
    let page = world
        .space()
        .list(&ListQuery {
            filter,
            ..ListQuery::default()
        })
        .unwrap();
    page.memories
        .into_iter()
        .map(|memory| memory.body.text)
        .collect()
}

#[test]
fn turns_are_kept_and_found_and_what_needs_a_model_waits_without_an_error() {
    for (profile, windows, answer) in [
        ("companion", 1, "[ADD] 用户喜欢龙井茶"),
        (
            "studio",
            1,
            r#"[{"content":"用户喜欢龙井茶","type":"preference"}]"#,
        ),
        // The first message is long enough for a window of its own.
        (
            "agent",
            2,
            r#"[{"content":"用户喜欢龙井茶","type":"PREFERENCE","importance":8,"duration":"permanent"}]"#,
        ),
        (
            "markdown",
            1,
            r#"[{"content":"用户喜欢龙井茶","category":"preference","importance":"high"}]"#,
        ),
    ] {
        let mut world = World::new(profile);
        round(&world, "s", SAID);
        let looked = world.space().session("s").extract().unwrap();
        let waits = |world: &World| {
            let tasks = world.space().queue().list(100).unwrap();
            assert!(
                tasks.iter().all(|task| task.last_error.is_empty()),
                "{profile}: {tasks:?}"
            );
            tasks.iter().filter(|task| task.kind == "extract").count()
        };
        for days in [1.0, 2.0, 40.0] {
            world.at(days);
            world.force();
            let counts = world.space().queue().work_off().unwrap();
            assert!(
                counts.keys().all(|word| !word.contains("failed")),
                "{profile}: {counts:?}"
            );
            assert_eq!(
                waits(&world),
                windows,
                "{profile}: a window is queued once, however often the jobs run"
            );
        }
        world.memory().wait_idle().unwrap();
        assert_eq!((looked, found(&world)), (true, Vec::new()), "{profile}");
        let turns = Filter {
            layers: vec![Layer::Turn],
            ..Filter::default()
        };
        let min_score = Some(UnitScore::new("min_score", 0.0).unwrap());
        let query = Query {
            filter: turns,
            min_score,
            ..Query::new("龙井茶")
        };
        assert_eq!(
            world.recall(query).first().map(String::as_str),
            Some(SAID),
            "{profile}"
        );
        // A model that is named later finds what was said before.
        let model = Arc::new(
            Replay::default()
                .reply("extract", answer)
                .reply("extract", "[]"),
        );
        world.set(move |options: Options| {
            options.extraction_model(Arc::clone(&model) as Arc<dyn Provider>)
        });
        world.space().queue().work_off().unwrap();
        assert_eq!(
            (waits(&world), found(&world)),
            (0, vec!["用户喜欢龙井茶".to_owned()]),
            "{profile}"
        );
        world.validate();
    }
}

#[test]
fn what_studio_keeps_comes_back_under_the_built_in_embedder() {
    // The minimum of 0.7 is that of embedders whose likenesses fill the scale.
    let world = World::new("studio");
    world.kind(
        "preference",
        "The user prefers dark roast coffee in the morning",
    );
    world.kind("fact", "The backend runs on PostgreSQL 16");
    world.kind("fact", "用户住在上海");
    for (question, answer) in [
        (
            "what coffee does the user like?",
            "The user prefers dark roast coffee in the morning",
        ),
        ("用户住在哪里", "用户住在上海"),
    ] {
        let context = world.space().context(question).unwrap();
        assert!(
            context.text.contains(answer),
            "{question}: {}",
            context.text
        );
    }
    assert!(world.recall(Query::new("the weather on Mars")).is_empty());
}
