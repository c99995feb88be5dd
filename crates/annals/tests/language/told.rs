//! Sources of derived memories: a memory told twice stays with either source, and forgotten or
//! deleted ones are shown to no adviser.

use std::sync::{Arc, Mutex};

use annals::graph::{Assertion, NewEntity};
use annals::{
    EpisodeDraft, ExtractWindow, Extracted, Extractor, JudgeError, MemoryId, Mode, NewMemory,
    NewTurn, Options, Role, Status, StoredMemory, Summarizer,
};

use crate::support::life::World;
use crate::support::script::Table;

fn from(world: &World, source: MemoryId, (kind, text): (&str, &str)) -> MemoryId {
    world.remember(
        NewMemory::builder(text)
            .kind(kind)
            .derived_from(source)
            .build()
            .unwrap(),
    )
}

#[test]
fn what_was_told_twice_goes_with_its_last_source() {
    for first in [0, 1] {
        let world = World::new("studio");
        let turns = [
            world.said("I like functional programming"),
            world.said("I do like functional programming"),
        ];
        let fact = from(&world, turns[0], ("preference", "用户喜欢函数式编程"));
        assert_eq!(
            from(&world, turns[1], ("preference", "用户喜欢函数式编程")),
            fact
        );
        let receipt = world.space().delete(turns[first], Mode::Commit).unwrap();
        assert_eq!(
            (receipt.memories.len(), receipt.stale),
            (1, vec![fact]),
            "{first}"
        );
        assert_eq!(world.status(fact), Some(Status::Active));
        world.validate();
        world
            .space()
            .delete(turns[1 - first], Mode::Commit)
            .unwrap();
        assert_eq!(world.status(fact), None);
        world.validate();
    }
}

#[test]
fn what_the_night_made_one_goes_with_its_last_source() {
    for first in [0, 1] {
        let table = Table::new();
        table.near("写脚本时用户首选 Python", "用户喜欢用 Python 写脚本", 0.99);
        let world = World::with("agent", move |options| options.embedder(table.clone()));
        let turns = [
            world.said("I write scripts in Python"),
            world.said("Python is what I write scripts in"),
        ];
        let fact = from(&world, turns[0], ("PREFERENCE", "用户喜欢用 Python 写脚本"));
        world.at(0.1);
        let again = from(&world, turns[1], ("PREFERENCE", "写脚本时用户首选 Python"));
        world.at(1.0);
        world.force();
        assert_eq!(
            (world.status(fact), world.status(again)),
            (Some(Status::Active), Some(Status::Forgotten))
        );
        world.space().delete(turns[first], Mode::Commit).unwrap();
        assert_eq!(
            world.status(fact),
            Some(Status::Active),
            "the other turn says it still: {first}"
        );
        world
            .space()
            .delete(turns[1 - first], Mode::Commit)
            .unwrap();
        assert_eq!((world.status(fact), world.status(again)), (None, None));
        world.validate();
    }
}

/// Tells what it was shown, and what it is about.
#[derive(Default)]
struct Witness(Mutex<Vec<String>>);

impl Witness {
    fn hear(&self, turns: &[StoredMemory]) -> String {
        let said = turns
            .iter()
            .map(|turn| turn.body.text.clone())
            .collect::<Vec<_>>()
            .join(" / ");
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
        let entities = if summary.contains("Zorba") {
            vec!["Dr. Zorba".to_owned()]
        } else {
            Vec::new()
        };
        Ok(EpisodeDraft {
            goal: format!("goal of {summary}"),
            outcome: "done".to_owned(),
            summary,
            entities,
        })
    }
}

fn world(witness: &Arc<Witness>) -> World {
    let witness = Arc::clone(witness);
    World::with("agent", move |options: Options| {
        options.summarizer(Arc::clone(&witness) as Arc<dyn Summarizer>)
    })
}

fn say(world: &World, text: &str) -> MemoryId {
    let turn = NewTurn::builder("s", text)
        .role(Role::User)
        .build()
        .unwrap();
    world.space().sessions().append(vec![turn]).unwrap()[0]
}

#[test]
fn an_episode_that_lost_a_turn_says_nothing_of_it_any_more() {
    let witness = Arc::new(Witness::default());
    let world = world(&witness);
    say(&world, "I am writing a parser");
    let test = say(&world, "My test at Dr. Zorba came back positive");
    world.space().session("s").end().unwrap();
    let before = world.space().sessions().episodes(9).unwrap().remove(0);
    assert!(format!("{before:?}").contains("Zorba"));
    world.space().delete(test, Mode::Commit).unwrap();
    assert_eq!(
        world
            .space()
            .queue()
            .work_off()
            .unwrap()
            .get("derived again"),
        Some(&1)
    );
    let after = world.space().get(before.id).unwrap().unwrap();
    assert_eq!(after.body.text, "I am writing a parser");
    assert!(!format!("{after:?}").contains("orba"), "{after:?}");
    assert!(after.body.tags.is_empty(), "{:?}", after.body.tags);
    let history = world.space().history(before.id).unwrap();
    assert_eq!(
        (history.len(), format!("{history:?}").contains("orba")),
        (1, false),
        "{history:?}"
    );
    world.validate();
}

/// Says anew what a memory is: what the turns that are left say.
struct Teller;

impl Extractor for Teller {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let said: Vec<&str> = window
            .turns
            .iter()
            .map(|turn| turn.body.text.as_str())
            .collect();
        let memory = NewMemory::try_from(said.join(" / ")).unwrap();
        Ok(window
            .known
            .iter()
            .map(|known| Extracted::Update(known.id, memory.clone()))
            .collect())
    }
}

#[test]
fn what_a_memory_said_before_goes_with_its_own_source() {
    let replaced = |source: MemoryId, text: &str| {
        let memory = NewMemory::builder(text).kind("FACT").derived_from(source);
        memory
            .metadata("subject", "user")
            .metadata("predicate", "lives in")
            .build()
            .unwrap()
    };
    for (deleted, texts) in [(0, Some(vec!["lives in Rome"])), (1, None)] {
        let world = World::new("agent");
        let turns = ["I live in Oslo", "I live in Rome"].map(|text| world.said(text));
        let fact = world.remember(replaced(turns[0], "lives in Oslo"));
        let anew = replaced(turns[1], "lives in Rome");
        assert_eq!(world.remember(anew), fact, "it has another text now");
        let later = from(&world, fact, ("FACT", "one who lives there"));
        let receipt = world.space().delete(turns[deleted], Mode::Commit).unwrap();
        let history = world
            .space()
            .get(fact)
            .unwrap()
            .map(|_| world.space().history(fact).unwrap());
        let left = history.map(|all| {
            all.into_iter()
                .map(|one| one.memory.body.text)
                .collect::<Vec<_>>()
        });
        assert_eq!(
            left,
            texts.map(|texts| texts.into_iter().map(str::to_owned).collect())
        );
        assert_eq!(receipt.memories.len(), if deleted == 0 { 1 } else { 3 });
        assert_eq!(world.status(later).is_some(), deleted == 0);
        world.validate();
        let mut exported = Vec::new();
        world
            .space()
            .transfer()
            .export(&mut exported, &mut |_| {})
            .unwrap();
        // The turn that stays says what it says.
        assert!(
            !String::from_utf8(exported)
                .unwrap()
                .contains("lives in Oslo")
        );
    }
}

#[test]
fn what_a_person_made_of_a_deleted_turn_and_changed_again_is_nowhere_left() {
    let world = World::new("studio");
    let turn = world.said("I work at Siemens in Munich");
    let fact = from(&world, turn, ("fact", "Ada works at Siemens"));
    for text in ["Ada works at Siemens, secret", "Ada works at Bosch"] {
        let edit = NewMemory::builder(text)
            .kind("fact")
            .derived_from(turn)
            .build()
            .unwrap();
        world.space().update(fact, edit).unwrap();
    }
    assert_eq!(world.space().history(fact).unwrap().len(), 3);
    let foreseen = world.space().delete(turn, Mode::DryRun).unwrap();
    let going: Vec<_> = foreseen.memories.iter().map(|entry| entry.id).collect();
    assert_eq!(going, [turn], "what a person says now is theirs");
    world.space().delete(turn, Mode::Commit).unwrap();
    let history = world.space().history(fact).unwrap();
    assert_eq!(
        history
            .iter()
            .map(|one| one.memory.body.text.as_str())
            .collect::<Vec<_>>(),
        ["Ada works at Bosch"]
    );
    let mut exported = Vec::new();
    world
        .space()
        .transfer()
        .export(&mut exported, &mut |_| {})
        .unwrap();
    assert!(!String::from_utf8(exported).unwrap().contains("Siemens"));
    world.validate();
}

#[test]
fn nothing_of_a_deleted_turn_is_left_in_a_fact_that_others_say_too() {
    let world = World::with("companion", |options: Options| {
        options.extractor(Arc::new(Teller))
    });
    let turns = ["a quetzal", "a stork"].map(|text| world.said(text));
    let built = NewMemory::builder("a quetzal and a stork")
        .kind("fact")
        .importance(1.0);
    let built = built
        .metadata("subject", "quetzal")
        .metadata("place", "marsh");
    let fact = world.remember(
        built
            .derived_from(turns[0])
            .derived_from(turns[1])
            .build()
            .unwrap(),
    );
    let said = Assertion::new(NewEntity::new("quetzal"), "lives beside", "stork");
    world.space().graph().add_triples(fact, &[said]).unwrap();
    let later = from(&world, fact, ("fact", "two birds"));
    world.space().delete(turns[0], Mode::Commit).unwrap();
    for _ in 0..2 {
        assert_eq!(
            world
                .space()
                .queue()
                .work_off()
                .unwrap()
                .get("derived again"),
            Some(&1),
            "then what was made of it"
        );
    }
    let history = world.space().history(fact).unwrap();
    assert_eq!(
        history
            .iter()
            .map(|one| one.memory.body.text.as_str())
            .collect::<Vec<_>>(),
        ["a stork"]
    );
    let fields = &history[0].memory.body.metadata;
    assert_eq!(
        fields.keys().collect::<Vec<_>>(),
        ["place"],
        "a subject comes from what was extracted"
    );
    assert_eq!(world.space().graph().entities("quetzal").unwrap(), []);
    assert_eq!(
        world.space().get(later).unwrap().unwrap().body.text,
        "a stork",
        "made of what is told now"
    );
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
    world.space().session("s").end().unwrap();
    world.space().delete(gone, Mode::Commit).unwrap();
    world.space().queue().work_off().unwrap();
    let heard = witness.0.lock().unwrap().clone();
    assert_eq!(
        heard,
        [
            "I am writing a parser / It is written in Rust",
            "I am writing a parser"
        ]
    );
    world.validate();
}

#[test]
fn without_a_model_what_lost_a_source_waits() {
    let world = World::new("agent");
    let turns = ["I had a test", "it came back positive"].map(|text| say(&world, text));
    let fact = NewMemory::builder("用户的检查结果为阳性")
        .kind("FACT")
        .derived_from(turns[0])
        .derived_from(turns[1]);
    let fact = world.remember(fact.build().unwrap());
    world.space().delete(turns[1], Mode::Commit).unwrap();
    let waits = || {
        world
            .space()
            .queue()
            .list(10)
            .unwrap()
            .iter()
            .filter(|task| task.kind == "derive")
            .count()
    };
    assert_eq!(waits(), 1);
    world.space().queue().work_off().unwrap();
    assert_eq!(
        (waits(), world.status(fact)),
        (1, Some(Status::Active)),
        "it waits for somebody who can tell"
    );
}
