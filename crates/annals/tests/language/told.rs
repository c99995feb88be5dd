//! What memories were derived from: told twice they stay with either source, and what was forgotten or deleted is told to nobody.

use std::sync::{Arc, Mutex};

use annals::{
    EpisodeDraft, JudgeError, MemoryId, Mode, NewMemory, NewTurn, Options, Role, Status, StoredMemory, Summarizer,
};

use crate::support::life::World;

fn from(world: &World, source: MemoryId, (kind, text): (&str, &str)) -> MemoryId {
    world.remember(NewMemory::builder(text).kind(kind).derived_from(source).build().unwrap())
}

#[test]
fn what_was_told_twice_goes_with_its_last_source() {
    for first in [0, 1] {
        let world = World::new("studio");
        let turns = [world.said("I like functional programming"), world.said("I do like functional programming")];
        let fact = from(&world, turns[0], ("preference", "用户喜欢函数式编程"));
        assert_eq!(from(&world, turns[1], ("preference", "用户喜欢函数式编程")), fact);
        let receipt = world.space().delete(turns[first], Mode::Commit).unwrap();
        assert_eq!((receipt.memories.len(), receipt.stale), (1, vec![fact]), "{first}");
        assert_eq!(world.status(fact), Some(Status::Active));
        world.validate();
        world.space().delete(turns[1 - first], Mode::Commit).unwrap();
        assert_eq!(world.status(fact), None);
        world.validate();
    }
}

#[test]
fn what_the_night_made_one_goes_with_its_last_source() {
    for first in [0, 1] {
        let world = World::new("agent");
        let turns = [world.said("I write scripts in Python"), world.said("Python is what I write scripts in")];
        let fact = from(&world, turns[0], ("PREFERENCE", "用户喜欢用 Python 写脚本"));
        world.at(0.1);
        let again = from(&world, turns[1], ("PREFERENCE", "用户喜欢用 Python 写脚本。"));
        world.at(1.0);
        world.force();
        assert_eq!((world.status(fact), world.status(again)), (Some(Status::Active), Some(Status::Forgotten)));
        world.space().delete(turns[first], Mode::Commit).unwrap();
        assert_eq!(world.status(fact), Some(Status::Active), "the other turn says it still: {first}");
        world.space().delete(turns[1 - first], Mode::Commit).unwrap();
        assert_eq!((world.status(fact), world.status(again)), (None, None));
        world.validate();
    }
}

/// Tells what it was shown, and what it is about.
#[derive(Default)]
struct Witness(Mutex<Vec<String>>);

impl Witness {
    fn hear(&self, turns: &[StoredMemory]) -> String {
        let said = turns.iter().map(|turn| turn.body.text.clone()).collect::<Vec<_>>().join(" / ");
        self.0.lock().unwrap().push(said.clone());
        said
    }
}

impl Summarizer for Witness {
    fn summarize(&self, turns: &[StoredMemory]) -> Result<String, JudgeError> {
        Ok(self.hear(turns))
    }

    fn episode(&self, turns: &[StoredMemory]) -> Result<EpisodeDraft, JudgeError> {
        let summary = self.hear(turns);
        let entities = if summary.contains("Zorba") { vec!["Dr. Zorba".to_owned()] } else { Vec::new() };
        Ok(EpisodeDraft { goal: format!("goal of {summary}"), outcome: "done".to_owned(), summary, entities })
    }
}

fn world(witness: &Arc<Witness>) -> World {
    let witness = Arc::clone(witness);
    World::with("agent", move |options: Options| options.summarizer(Arc::clone(&witness) as Arc<dyn Summarizer>))
}

fn say(world: &World, text: &str) -> MemoryId {
    let turn = NewTurn::builder("s", text).role(Role::User).build().unwrap();
    world.space().append_turns(vec![turn]).unwrap()[0]
}

#[test]
fn an_episode_that_lost_a_turn_says_nothing_of_it_any_more() {
    let witness = Arc::new(Witness::default());
    let world = world(&witness);
    say(&world, "I am writing a parser");
    let test = say(&world, "My test at Dr. Zorba came back positive");
    world.space().end_session("s").unwrap();
    let before = world.space().episodes(9).unwrap().remove(0);
    assert!(format!("{before:?}").contains("Zorba"));
    world.space().delete(test, Mode::Commit).unwrap();
    assert_eq!(world.space().work_off().unwrap().get("derived again"), Some(&1));
    let after = world.space().get(before.id).unwrap().unwrap();
    assert_eq!(after.body.text, "I am writing a parser");
    assert!(!format!("{after:?}").contains("orba"), "{after:?}");
    assert!(after.body.tags.is_empty(), "{:?}", after.body.tags);
    world.validate();
}

#[test]
fn what_was_forgotten_is_in_no_episode_and_no_summary() {
    let witness = Arc::new(Witness::default());
    let world = world(&witness);
    let secret = say(&world, "My secret love is Zorba the Greek");
    say(&world, "I am writing a parser");
    let gone = say(&world, "It is written in Rust");
    world.space().forget(secret).unwrap();
    world.space().end_session("s").unwrap();
    world.space().delete(gone, Mode::Commit).unwrap();
    world.space().work_off().unwrap();
    let heard = witness.0.lock().unwrap().clone();
    assert_eq!(heard, ["I am writing a parser / It is written in Rust", "I am writing a parser"]);
    world.validate();
}

#[test]
fn rules_without_a_model_say_nothing_of_what_lost_a_source() {
    let world = World::with("agent", |options: Options| options.offline(true));
    let turns = ["I had a test", "it came back positive"].map(|text| say(&world, text));
    let fact = NewMemory::builder("用户的检查结果为阳性").kind("FACT").derived_from(turns[0]).derived_from(turns[1]);
    let fact = world.remember(fact.build().unwrap());
    world.space().delete(turns[1], Mode::Commit).unwrap();
    let waits = || world.space().queue(10).unwrap().iter().filter(|task| task.kind == "derive").count();
    assert_eq!(waits(), 1);
    world.space().work_off().unwrap();
    assert_eq!((waits(), world.status(fact)), (1, Some(Status::Active)), "it waits for somebody who can tell");
}
