//! Histories of conversations that come more than once: what is stored of them is recognised,
//! whatever became of it.

use std::sync::{Arc, Barrier};

use crate::support::gate::Gate;
use crate::support::life::World;
use annals::llm::provider::{Provider, ProviderError, Replay, Reply, Request};
use annals::{Cancel, MemoryId, Mode, NewMemory, NewTurn, Role};

fn history(texts: &[&str]) -> Vec<NewTurn> {
    let role = |at: usize| {
        if at.is_multiple_of(2) {
            Role::User
        } else {
            Role::Assistant
        }
    };
    let turn = |(at, text): (usize, &&str)| {
        NewTurn::builder("any", *text)
            .role(role(at))
            .build()
            .unwrap()
    };
    texts.iter().enumerate().map(turn).collect()
}

fn stored(world: &World) -> Vec<(MemoryId, String)> {
    let turns = world.space().session("s").memories(0, 100).unwrap();
    turns
        .into_iter()
        .map(|turn| (turn.id, turn.body.text))
        .collect()
}

fn texts(world: &World) -> Vec<String> {
    stored(world).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn what_the_filter_masked_is_recognised() {
    let world = World::new("studio");
    let said = ["my card is 4111 1111 1111 1111", "that is noted", "good"];
    for _ in 0..2 {
        world
            .space()
            .designs()
            .markdown()
            .process_session_end(history(&said[..2]), "s")
            .unwrap();
        assert_eq!(texts(&world).len(), 2, "{:?}", texts(&world));
    }
    assert!(!texts(&world)[0].contains("4111"));
    assert_eq!(
        world
            .space()
            .designs()
            .agent()
            .on_context_compressed("s", history(&said))
            .unwrap(),
        1
    );
    assert_eq!(
        world
            .space()
            .designs()
            .agent()
            .on_context_compressed("s", history(&said))
            .unwrap(),
        0
    );
    assert_eq!(texts(&world)[1..], ["that is noted", "good"]);
}

#[test]
fn what_was_deleted_does_not_come_back() {
    for gone in [0, 2, 3, 4] {
        let world = World::new("companion");
        let said = ["one", "two", "three", "four", "five", "six"];
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&said[..5]))
                .unwrap(),
            5
        );
        let id = stored(&world)[gone].0;
        world.space().delete(id, Mode::Commit).unwrap();
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&said[..5]))
                .unwrap(),
            0,
            "{gone}"
        );
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&said))
                .unwrap(),
            1,
            "{gone}"
        );
        let mut left = said.to_vec();
        left.remove(gone);
        assert_eq!(texts(&world), left, "{gone}");
        // The last part alone, and what is only new. One turn alone does not tell what stood before
        // it.
        let part = if gone == 4 { 3 } else { 4 };
        let roles = history(&said).split_off(part);
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", roles)
                .unwrap(),
            0,
            "{gone}"
        );
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&["seven"]))
                .unwrap(),
            1,
            "{gone}"
        );
    }
}

#[test]
fn what_a_person_changed_is_known_by_its_place() {
    let world = World::new("companion");
    world
        .space()
        .designs()
        .agent()
        .on_context_compressed("s", history(&["one", "two", "three"]))
        .unwrap();
    let id = stored(&world)[1].0;
    let other = NewTurn::builder("s", "two and a half")
        .role(Role::Assistant)
        .build()
        .unwrap();
    world.space().update(id, NewMemory::from(other)).unwrap();
    assert_eq!(
        world
            .space()
            .designs()
            .agent()
            .on_context_compressed("s", history(&["one", "two", "three"]))
            .unwrap(),
        0
    );
    assert_eq!(texts(&world), ["one", "two and a half", "three"]);
}

#[test]
fn what_is_new_is_not_taken_for_what_is_stored() {
    let turn = |role, text: &str| NewTurn::builder("s", text).role(role).build().unwrap();
    let answered = |reply: &str| {
        NewTurn::builder("any", "continue")
            .reply(reply)
            .build()
            .unwrap()
    };
    let store = |world: &World, turns| {
        world
            .space()
            .designs()
            .agent()
            .on_context_compressed("s", turns)
            .unwrap()
    };
    // The last turn was edited.
    let world = World::new("companion");
    store(
        &world,
        vec![turn(Role::User, "one"), turn(Role::User, "two")],
    );
    let id = stored(&world)[1].0;
    world
        .space()
        .update(id, NewMemory::from(turn(Role::User, "two and a half")))
        .unwrap();
    assert_eq!(store(&world, vec![turn(Role::User, "a new message")]), 1);
    assert_eq!(
        store(
            &world,
            vec![turn(Role::User, "two"), turn(Role::User, "a new message")]
        ),
        0,
        "as it was said"
    );
    // Only the answers differ.
    let world = World::new("companion");
    assert_eq!(store(&world, vec![answered("part 1")]), 1);
    assert_eq!(
        (
            store(&world, vec![answered("part 2")]),
            store(&world, vec![answered("part 2")])
        ),
        (1, 0)
    );
    // A turn was deleted where something else is said now.
    let world = World::new("companion");
    let talk = |said: &str| vec![turn(Role::Assistant, said), turn(Role::User, "ok")];
    store(&world, vec![turn(Role::User, "hello")]);
    store(&world, talk("shall I look for a hotel?"));
    world
        .space()
        .delete(stored(&world)[1].0, Mode::Commit)
        .unwrap();
    assert_eq!(store(&world, talk("the hotel is booked")), 2);
    assert_eq!(texts(&world), ["hello", "ok", "the hotel is booked", "ok"]);
}

#[test]
fn an_edited_turn_is_known_under_any_profile() {
    for profile in ["companion", "graph", "studio", "agent"] {
        let world = World::new(profile);
        let said = ["one", "two", "three"];
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&said))
                .unwrap(),
            3,
            "{profile}"
        );
        let other = NewTurn::builder("s", "two and a half")
            .role(Role::Assistant)
            .build()
            .unwrap();
        world
            .space()
            .update(stored(&world)[1].0, NewMemory::from(other))
            .unwrap();
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&said))
                .unwrap(),
            0,
            "{profile}"
        );
    }
}

/// A model that thinks until the gate is opened.
#[derive(Default)]
struct Thinking(Gate);

impl Provider for Thinking {
    fn name(&self) -> String {
        "a thinking one".to_owned()
    }

    fn chat(&self, _: &Request, _: &Cancel) -> Result<Reply, ProviderError> {
        self.0.pass();
        Ok(Reply::text("[]"))
    }
}

#[test]
fn a_history_is_stored_while_a_model_thinks() {
    let model = Arc::new(Thinking::default());
    let given: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
    let world = World::with("markdown", move |options| options.model(Arc::clone(&given)));
    let other = world
        .memory()
        .create_namespace("other", "markdown")
        .unwrap();
    let space = world.space();
    let long = "我在北京工作，是一名工程师。".repeat(5);
    let said = [long.as_str(), "好的", "我还养了两只猫"];
    std::thread::scope(|scope| {
        let ends = scope.spawn(|| {
            space
                .designs()
                .markdown()
                .process_session_end(history(&said[..2]), "s")
                .unwrap()
        });
        model.0.reached();
        assert_eq!(
            other
                .designs()
                .agent()
                .on_context_compressed("s", history(&said))
                .unwrap(),
            3
        );
        assert_eq!(
            world
                .space()
                .designs()
                .agent()
                .on_context_compressed("s", history(&said))
                .unwrap(),
            1
        );
        assert_eq!(texts(&world), said);
        model.0.open();
        ends.join().unwrap();
    });
}

#[test]
fn one_history_from_many_sides_is_stored_once() {
    let world = World::new("companion");
    let (all_there, space) = (Barrier::new(8), world.space());
    let new: usize = std::thread::scope(|scope| {
        let begin = || {
            all_there.wait();
            space
                .designs()
                .agent()
                .on_context_compressed("s", history(&["one", "two", "three"]))
                .unwrap()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(begin)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!((new, texts(&world).len()), (3, 3));
}

/// The studio with a change in its text, and a model that answers nothing.
fn studio(from: &str, to: &str) -> World {
    let model: Arc<dyn Provider> = Arc::new(Replay::default());
    let world = World::with("studio", move |options| options.model(Arc::clone(&model)));
    let text = annals::profiles::builtin("studio").unwrap();
    let changed = text.replacen(from, to, 1);
    assert_ne!(text, changed);
    world
        .memory()
        .profiles()
        .store("changed", &changed)
        .unwrap();
    world
}

#[test]
fn work_that_nobody_does_is_not_begun_again_and_again() {
    let world = studio("enabled = true", "enabled = false");
    world
        .space()
        .sessions()
        .append(history(&["我在北京工作，是一名工程师", "好的"]))
        .unwrap();
    world.space().session("any").extract().unwrap();
    world.space().admin().set_profile("changed").unwrap();
    assert!(!world.space().queue().list(10).unwrap().is_empty());
    let before = world.memory().stats().unwrap().commit;
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        [("waiting".to_owned(), 1)].into()
    );
    assert_eq!(
        world.memory().stats().unwrap().commit,
        before,
        "nothing was begun, and nothing written"
    );
}

#[test]
fn a_model_derives_again_what_lost_a_source() {
    let model = Arc::new(Replay::default());
    let given: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
    let world = World::with("studio", move |options| options.model(Arc::clone(&given)));
    let turns = world
        .space()
        .sessions()
        .append(history(&["我在北京工作", "好的", "也在上海工作"]))
        .unwrap();
    let both = NewMemory::builder("用户在北京和上海工作")
        .kind("fact")
        .derived_from(turns[0])
        .derived_from(turns[2]);
    let id = world.remember(both.build().unwrap());
    world.space().delete(turns[2], Mode::Commit).unwrap();
    model.push("extract", Ok(Reply::text("[]")));
    let done = world.space().queue().work_off().unwrap();
    assert_eq!(done, [("unchanged".to_owned(), 1)].into());
    assert_eq!(model.left(), 0, "the model was asked");
    assert!(world.space().get(id).unwrap().is_some());
    assert!(world.space().queue().list(10).unwrap().is_empty());
}
