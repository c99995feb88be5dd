//! Conversations looked through without a model, by the settings of a profile.

use crate::support::life::World;
use annals::{Filter, Layer, ListQuery, NewTurn, Query, Role};

fn round(world: &World, session: &str, text: &str) {
    let said = NewTurn::builder(session, text).role(Role::User).build().unwrap();
    let answered = NewTurn::builder(session, "好的。").role(Role::Assistant).build().unwrap();
    world.space().append_turns(vec![said, answered]).unwrap();
}

fn found(world: &World) -> Vec<(String, String)> {
    let filter = Filter { layers: vec![Layer::Semantic], ..Filter::default() };
    let page = world.space().list(&ListQuery { filter, ..ListQuery::default() }).unwrap();
    page.memories.into_iter().map(|memory| (memory.body.kind.to_string(), memory.body.text)).collect()
}

#[test]
fn rules_find_what_is_said_plainly_under_every_profile() {
    for (profile, preference, plan, place) in [
        ("companion", "fact", "fact", "fact"),
        ("studio", "preference", "goal", "fact"),
        ("agent", "PREFERENCE", "FACT", "FACT"),
        ("markdown", "preference", "todo", "fact"),
    ] {
        let world = World::with(profile, |options| options.offline(true));
        round(&world, "s", "我喜欢喝龙井茶，不喜欢喝咖啡。我住在西湖区。今年我打算考 PMP 证书。什么是零知识证明？");
        world.space().extract("s").unwrap();
        world.space().work_off().unwrap();
        let mut found = found(&world);
        found.sort();
        let mut expected = [
            (preference, "我喜欢喝龙井茶"),
            (preference, "我不喜欢喝咖啡"),
            (place, "我住在西湖区"),
            (plan, "今年我打算考 PMP 证书"),
        ]
        .map(|(kind, text)| (kind.to_owned(), text.to_owned()));
        expected.sort();
        assert_eq!(found, expected, "{profile}");
        world.validate();
    }
}

#[test]
fn what_studio_keeps_comes_back_under_the_built_in_embedder() {
    // The minimum of 0.7 is that of embedders whose likenesses fill the scale.
    let world = World::new("studio");
    world.kind("preference", "The user prefers dark roast coffee in the morning");
    world.kind("fact", "The backend runs on PostgreSQL 16");
    world.kind("fact", "用户住在上海");
    for (question, answer) in [
        ("what coffee does the user like?", "The user prefers dark roast coffee in the morning"),
        ("用户住在哪里", "用户住在上海"),
    ] {
        let context = world.space().context(question).unwrap();
        assert!(context.text.contains(answer), "{question}: {}", context.text);
    }
    assert!(world.recall(Query::new("the weather on Mars")).is_empty());
}
