//! Conversations looked through without a model, by the settings of a profile.

use crate::support::life::{World, day};
use annals::{Filter, Layer, ListQuery, NewTurn, Query, Role, StoredMemory};

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

/// What a user said on some days, looked through in one.
fn look_through(world: &World, session: &str, said: &[(f64, &str)]) {
    for (days, text) in said {
        world.at(*days);
        world.space().append_turns(vec![NewTurn::builder(session, *text).build().unwrap()]).unwrap();
    }
    world.space().extract(session).unwrap();
    world.space().work_off().unwrap();
}

#[test]
fn what_is_no_longer_so_ends_when_it_was_said_whatever_else_the_conversation_is_about() {
    let world = World::with("studio", |options| options.offline(true));
    look_through(&world, "a", &[(1.0, "I live in Berlin. I like coffee. My favourite colour is red.")]);
    let known = |text: &str| -> StoredMemory {
        let page = world.space().list(&ListQuery::default()).unwrap();
        page.memories.into_iter().find(|memory| memory.body.text == text).unwrap()
    };
    assert_eq!(known("I live in Berlin").body.valid_until, None);
    let later = [
        (40.0, "I no longer live in Berlin."),
        (41.0, "We went to the theatre with my brother and his wife yesterday evening."),
        (42.0, "I no longer like coffee."),
        (43.0, "Hello again."),
    ];
    look_through(&world, "b", &later);
    assert_eq!(known("I live in Berlin").body.valid_until, Some(day(40.0)));
    assert_eq!(known("I like coffee").body.valid_until, Some(day(42.0)));
    assert_eq!(known("My favourite colour is red").body.valid_until, None);
    world.validate();
}
