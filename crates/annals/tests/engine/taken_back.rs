//! Undo takes back the last change, whatever it was, and says which.

use crate::support::life::World;
use crate::support::script::Table;
use annals::{
    Adjustment, Body, Filter, MemoryId, Mode, NewMemory, NewTurn, Status, Undone, UndoneChange,
};

/// Days for so many minutes.
fn minutes(minutes: f64) -> f64 {
    minutes / 1440.0
}

fn fact(world: &World, text: &str) -> MemoryId {
    world.remember(NewMemory::builder(text).build().unwrap())
}

fn edit(world: &World, id: MemoryId, text: &str) -> MemoryId {
    let body = world.space().get(id).unwrap().unwrap().body;
    let edited = NewMemory::from_body(Body {
        text: text.to_owned(),
        ..body
    })
    .unwrap();
    world.space().update(id, edited).unwrap()
}

fn says(world: &World, id: MemoryId) -> Option<String> {
    world
        .space()
        .get(id)
        .unwrap()
        .map(|memory| memory.body.text)
}

/// The change that was taken back, and the texts of its memories.
fn told(undone: &Undone) -> (UndoneChange, Vec<&str>) {
    (
        undone.change,
        undone
            .memories
            .iter()
            .map(|memory| memory.text.as_str())
            .collect(),
    )
}

#[test]
fn an_edit_taken_back_brings_the_former_text_and_the_next_undo_the_one_before() {
    for profile in ["default", "studio", "companion", "markdown"] {
        let world = World::new(profile);
        let id = fact(&world, "I live in Rome.");
        world.at(minutes(1.0));
        edit(&world, id, "I live in Oslo.");
        world.at(minutes(2.0));
        edit(&world, id, "I live in Bern.");
        world.at(minutes(3.0));
        let undone = world.space().decisions().undo_last().unwrap();
        assert_eq!(
            told(&undone),
            (UndoneChange::Edited, vec!["I live in Oslo."]),
            "{profile}"
        );
        assert_eq!(
            (undone.memories[0].id, undone.memories[0].status),
            (id, Some(Status::Active))
        );
        assert_eq!(says(&world, id).unwrap(), "I live in Oslo.");
        assert_eq!(
            told(&world.space().undo(id).unwrap()),
            (UndoneChange::Edited, vec!["I live in Rome."])
        );
        assert_eq!(world.recall("Where do I live?"), ["I live in Rome."]);
        assert_eq!(
            world.space().history(id).unwrap().len(),
            5,
            "nothing of what it said is lost"
        );
        let stored = world.space().decisions().undo_last().unwrap();
        assert_eq!(
            told(&stored),
            (UndoneChange::Stored, vec!["I live in Rome."])
        );
        assert_eq!((stored.memories[0].status, says(&world, id)), (None, None));
        assert!(
            world
                .space()
                .decisions()
                .undo_last()
                .unwrap_err()
                .is_invalid()
        );
        world.validate();
    }
}

#[test]
fn a_status_taken_back_is_the_former_one_however_often() {
    let world = World::new("studio");
    let id = fact(&world, "I live in Rome.");
    let steps = [
        (UndoneChange::Forgotten, Status::Forgotten),
        (UndoneChange::Restored, Status::Active),
        (UndoneChange::Archived, Status::Archived),
        (UndoneChange::Restored, Status::Active),
        (UndoneChange::Forgotten, Status::Forgotten),
    ];
    for (at, (_, status)) in steps.into_iter().enumerate() {
        world.at(minutes(1.0 + at as f64));
        let change = match status {
            Status::Forgotten => world.space().forget(id),
            Status::Archived => world.space().archive(id),
            _ => world.space().restore(id),
        };
        change.unwrap();
    }
    for (back, (change, _)) in steps.into_iter().enumerate().rev() {
        world.at(minutes(8.0) + minutes(0.1) * (5 - back) as f64);
        let undone = world.space().decisions().undo_last().unwrap();
        assert_eq!(told(&undone), (change, vec!["I live in Rome."]));
        let before = back
            .checked_sub(1)
            .map_or(Status::Active, |before| steps[before].1);
        assert_eq!(
            (world.status(id), undone.memories[0].status),
            (Some(before), Some(before))
        );
    }
    assert_eq!(
        world.space().decisions().undo_last().unwrap().change,
        UndoneChange::Stored
    );
    assert_eq!(world.status(id), None);
    world.validate();
}

#[test]
fn what_was_done_to_several_memories_at_once_is_taken_back_for_all() {
    let world = World::new("default");
    let ids = ["one", "two", "three"].map(|text| fact(&world, text));
    world.at(minutes(1.0));
    world
        .space()
        .bulk()
        .forget_where(&Filter::default(), Mode::Commit)
        .unwrap();
    world.at(minutes(2.0));
    world.space().restore(ids[0]).unwrap();
    let undone = world.space().undo(ids[1]).unwrap();
    assert_eq!(
        (undone.change, undone.memories.len()),
        (UndoneChange::Forgotten, 3)
    );
    assert_eq!(ids.map(|id| world.status(id)), [Some(Status::Active); 3]);
    let many = (0..3)
        .map(|at| NewMemory::builder(format!("note {at}")).build().unwrap())
        .collect();
    let more = world.space().bulk().remember(many).unwrap();
    let stored = world.space().decisions().undo_last().unwrap();
    assert_eq!(
        told(&stored),
        (UndoneChange::Stored, vec!["note 0", "note 1", "note 2"])
    );
    assert!(
        more.iter().all(|id| world.status(*id).is_none())
            && ids.iter().all(|id| world.status(*id).is_some())
    );
    world.validate();
}

#[test]
fn changes_of_several_memories_go_back_in_the_order_in_which_they_came() {
    let world = World::new("default");
    let rome = fact(&world, "I live in Rome.");
    edit(&world, rome, "I live in Oslo.");
    let tea = fact(&world, "I like tea.");
    world.space().graph().link(rome, "causes", tea).unwrap();
    world.space().forget(rome).unwrap();
    let last = || world.space().decisions().undo_last().unwrap().change;
    assert_eq!(
        (last(), world.status(rome)),
        (UndoneChange::Forgotten, Some(Status::Active))
    );
    assert_eq!(
        (last(), world.space().graph().links(rome).unwrap().len()),
        (UndoneChange::Linked, 0)
    );
    assert_eq!((last(), world.status(tea)), (UndoneChange::Stored, None));
    assert_eq!(
        (last(), says(&world, rome).unwrap()),
        (UndoneChange::Edited, "I live in Rome.".to_owned())
    );
    assert_eq!((last(), world.status(rome)), (UndoneChange::Stored, None));
    world.validate();
}

#[test]
fn an_edit_under_a_new_id_goes_and_the_memory_that_it_replaced_is_in_force_again() {
    use annals::graph::Assertion;
    for profile in ["default", "studio", "companion"] {
        let world = World::new(profile);
        let first = fact(&world, "I live in Rome.");
        world
            .space()
            .graph()
            .add_triples(first, &[Assertion::new("I", "lives in", "Rome")])
            .unwrap();
        let tea = fact(&world, "I like tea.");
        let say = |id: MemoryId, text: &str| {
            world
                .space()
                .lifecycle()
                .supersede(id, NewMemory::builder(text).build().unwrap())
                .unwrap()
        };
        world.at(minutes(1.0));
        let second = say(first, "I live in Oslo.");
        world.at(minutes(2.0));
        let third = say(second, "I live in Bern.");
        world.validate();
        world.at(minutes(3.0));
        let undone = world.space().decisions().undo_last().unwrap();
        assert_eq!(
            told(&undone),
            (UndoneChange::Edited, vec!["I live in Oslo."]),
            "{profile}"
        );
        assert_eq!((undone.memories[0].id, world.status(third)), (second, None));
        world.validate();
        assert_eq!(world.space().undo(second).unwrap().memories[0].id, first);
        assert_eq!(
            (says(&world, first).unwrap().as_str(), world.status(second)),
            ("I live in Rome.", None)
        );
        assert_eq!(world.recall("Where do I live?")[0], "I live in Rome.");
        assert_eq!(
            world.space().graph().subgraph(first).unwrap().edges.len(),
            1,
            "{profile}"
        );
        world.space().forget(first).unwrap();
        world.space().restore(first).unwrap();
        edit(&world, first, "I live in Pisa.");
        world.validate();
        let last = || world.space().decisions().undo_last().unwrap().change;
        assert_eq!(
            (last(), last(), last()),
            (
                UndoneChange::Edited,
                UndoneChange::Restored,
                UndoneChange::Forgotten
            )
        );
        assert_eq!((last(), world.status(tea)), (UndoneChange::Stored, None));
        world.validate();
    }
}

#[test]
fn a_memory_is_in_force_again_when_what_superseded_it_is_deleted() {
    for profile in [
        "default",
        "studio",
        "companion",
        "agent",
        "graph",
        "markdown",
    ] {
        let world = World::new(profile);
        let say = |id: MemoryId, text: &str| {
            world
                .space()
                .lifecycle()
                .supersede(id, NewMemory::builder(text).build().unwrap())
                .unwrap()
        };
        let first = fact(&world, "I live in Rome.");
        let second = say(first, "I live in Oslo.");
        let third = say(second, "I live in Bern.");
        world.validate();
        // One in the middle goes, and nothing else changes.
        let receipt = world.space().delete(second, Mode::Commit).unwrap();
        assert_eq!(
            (
                receipt.revived.as_slice(),
                world.recall("Where do I live?").len()
            ),
            ([].as_slice(), 1)
        );
        let memory = |id| world.space().get(id).unwrap().unwrap();
        assert_eq!(
            (memory(first).superseded_by, memory(third).supersedes),
            (Some(third), Some(first)),
            "{profile}"
        );
        world.validate();
        let planned = world.space().delete(third, Mode::DryRun).unwrap();
        let receipt = world.space().delete(third, Mode::Commit).unwrap();
        assert_eq!(
            (planned.revived, receipt.revived),
            (vec![first], vec![first]),
            "{profile}"
        );
        assert_eq!(
            world.recall("Where do I live?"),
            ["I live in Rome."],
            "{profile}"
        );
        assert_eq!(
            (memory(first).superseded_by, memory(first).supersedes),
            (None, None)
        );
        assert_eq!(world.space().admin().stats().unwrap().memories, 1);
        world.validate();
        let pisa = say(first, "I live in Pisa.");
        world.space().forget(pisa).unwrap();
        world.space().delete(pisa, Mode::Commit).unwrap();
        assert_eq!(
            world.status(first),
            Some(Status::Forgotten),
            "as what superseded it was"
        );
        let pisa = say(first, "I live in Pisa.");
        world.space().delete(pisa, Mode::Commit).unwrap();
        assert_eq!(world.status(first), Some(Status::Forgotten), "as it was");
        world.validate();
        // All of them together go, and nothing is left.
        let last = say(first, "I live in Bari.");
        assert_eq!(
            world
                .space()
                .bulk()
                .delete_where(&Filter::default(), Mode::Commit)
                .unwrap()
                .revived,
            []
        );
        assert_eq!((world.status(first), world.status(last)), (None, None));
        world.validate();
    }
}

#[test]
fn a_weight_taken_back_is_the_former_one() {
    let world = World::new("studio");
    let id = world.scored("fact", 0.6, "I live in Rome.");
    let before = world.score(id);
    world
        .space()
        .lifecycle()
        .adjust(id, Adjustment::to(0.9))
        .unwrap();
    assert!(world.score(id) > before);
    let body = world.space().get(id).unwrap().unwrap().body;
    let heavier = Body {
        importance: annals::Importance::new("importance", 0.2).unwrap(),
        ..body
    };
    world
        .space()
        .update(id, NewMemory::from_body(heavier).unwrap())
        .unwrap();
    assert!(world.score(id) < before);
    assert_eq!(world.space().undo(id).unwrap().change, UndoneChange::Edited);
    assert!(world.score(id) > before);
    assert_eq!(
        world.space().undo(id).unwrap().change,
        UndoneChange::Adjusted
    );
    crate::support::life::near(world.score(id), before);
    world.validate();
}

#[test]
fn what_cannot_be_taken_back_is_said_and_nothing_is_erased() {
    let world = World::new("default");
    let (rome, tea) = (fact(&world, "I live in Rome."), fact(&world, "I like tea."));
    world.space().delete(tea, Mode::Commit).unwrap();
    let refused = world.space().decisions().undo_last().unwrap_err();
    assert!(
        refused.is_invalid() && refused.to_string().contains("deleted memories for good"),
        "{refused}"
    );
    assert!(world.space().undo(tea).unwrap_err().is_not_found());
    assert_eq!(world.status(rome), Some(Status::Active));
    world
        .space()
        .sessions()
        .append(vec![NewTurn::builder("s", "hello").build().unwrap()])
        .unwrap();
    assert!(
        world
            .space()
            .decisions()
            .undo_last()
            .unwrap_err()
            .to_string()
            .contains("turns of a conversation")
    );
    edit(&world, rome, "I live in Oslo.");
    world.at(1.0);
    assert_eq!(
        world.space().decisions().undo_last().unwrap().change,
        UndoneChange::Edited,
        "a day is not too late for an edit"
    );
    let late = world.space().undo(rome).unwrap_err();
    assert!(
        late.is_invalid() && late.to_string().contains("10 minutes"),
        "{late}"
    );
    assert_eq!(says(&world, rome).unwrap(), "I live in Rome.");
    world.validate();
}

#[test]
fn a_change_that_is_not_kept_lets_nothing_be_erased() {
    let mut world = World::new("studio");
    let studio = annals::profiles::builtin("studio").unwrap();
    let own = match studio.contains("[review]") {
        true => studio.replacen("[review]", "[review]\ndecisions = 0", 1),
        false => format!("{studio}\n[review]\ndecisions = 0\n"),
    };
    world.memory().profiles().store("own", &own).unwrap();
    world.space().admin().set_profile("own").unwrap();
    let (edited, hidden) = (fact(&world, "I live in Rome."), fact(&world, "I like tea."));
    edit(&world, edited, "I live in Oslo.");
    world.space().forget(hidden).unwrap();
    for id in [edited, hidden] {
        let refused = world.space().undo(id).unwrap_err();
        assert!(
            refused.is_conflict() && refused.to_string().contains("is not kept"),
            "{refused}"
        );
    }
    world.reopen();
    assert_eq!(says(&world, edited).unwrap(), "I live in Oslo.");
    assert_eq!(world.status(hidden), Some(Status::Forgotten));
    world.validate();
}

#[test]
fn changes_are_no_decisions_of_judges_and_stay_in_their_file() {
    let (world, other) = (World::new("default"), World::new("default"));
    let id = fact(&world, "I live in Rome.");
    edit(&world, id, "I live in Oslo.");
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
    assert!(
        world
            .space()
            .graph()
            .explain(id)
            .unwrap()
            .iter()
            .all(|step| !step.what.contains("changed?"))
    );
    let mut bytes = Vec::new();
    world
        .space()
        .transfer()
        .export(&mut bytes, &mut |_| {})
        .unwrap();
    other
        .space()
        .transfer()
        .import(
            &mut &bytes[..],
            &annals::ImportOptions::default(),
            &mut |_| {},
        )
        .unwrap();
    assert!(
        other
            .space()
            .decisions()
            .undo_last()
            .unwrap_err()
            .to_string()
            .contains("from elsewhere")
    );
    let refused = other.space().undo(id).unwrap_err();
    assert!(
        refused.is_conflict() && refused.to_string().contains("is not kept"),
        "{refused}"
    );
    assert_eq!(says(&other, id).unwrap(), "I live in Oslo.");
    assert_eq!(world.space().undo(id).unwrap().change, UndoneChange::Edited);
    other.validate();
}

#[test]
fn what_goes_for_good_takes_along_what_is_kept_of_its_changes() {
    let world = World::new("default");
    let [gone, stays] = ["I live in Rome.", "I like tea."].map(|text| fact(&world, text));
    world.space().bulk().forget(&[gone, stays]).unwrap();
    world.space().delete(gone, Mode::Commit).unwrap();
    world.validate();
    let undone = world.space().undo(stays).unwrap();
    assert_eq!(
        told(&undone),
        (UndoneChange::Forgotten, vec!["I like tea."])
    );
    world.space().forget(stays).unwrap();
    world.space().delete(stays, Mode::Commit).unwrap();
    world.validate();
}

#[test]
fn a_telling_of_what_is_known_is_taken_back_and_not_the_first_one() {
    for profile in ["studio", "companion", "markdown"] {
        let world = World::new(profile);
        let id = world.space().remember("I live in Rome.").unwrap();
        let before = world.space().get(id).unwrap().unwrap().body;
        world.at(minutes(1.0));
        assert_eq!(
            world.space().remember("I live in Rome.").unwrap(),
            id,
            "{profile}"
        );
        world.at(minutes(2.0));
        let more = NewMemory::builder("I live in Rome.")
            .tag("home")
            .metadata("floor", 3_i64)
            .verified(true);
        assert_eq!(world.remember(more.build().unwrap()), id);
        let joined = world.space().get(id).unwrap().unwrap().body;
        assert!(
            joined.verified && joined.tags.len() == 1 && joined.metadata.contains_key("floor"),
            "{joined:?}"
        );
        world.at(minutes(30.0));
        for only in [None, Some(id)] {
            let undone = only
                .map_or_else(
                    || world.space().decisions().undo_last(),
                    |id| world.space().undo(id),
                )
                .unwrap();
            assert_eq!(
                told(&undone),
                (UndoneChange::Told, vec!["I live in Rome."]),
                "{profile}"
            );
            assert_eq!(undone.memories[0].status, Some(Status::Active));
            assert_eq!(
                world.space().get(id).unwrap().unwrap().body,
                before,
                "{profile}"
            );
        }
        assert!(
            world
                .space()
                .decisions()
                .undo_last()
                .unwrap_err()
                .to_string()
                .contains("10 minutes")
        );
        assert_eq!(says(&world, id).unwrap(), "I live in Rome.");
        world.validate();
    }
}

#[test]
fn triples_of_a_telling_go_with_it() {
    use annals::graph::Assertion;
    let world = World::new("studio");
    let say = |said: &[Assertion]| {
        let memory = NewMemory::builder("I live in Rome.").build().unwrap();
        world.space().graph().remember(memory, said).unwrap().0
    };
    let id = say(&[Assertion::new("I", "lives in", "Rome")]);
    let edges = || world.space().graph().subgraph(id).unwrap().edges.len();
    assert_eq!(
        (say(&[Assertion::new("I", "likes", "Rome")]), edges()),
        (id, 2)
    );
    assert_eq!(
        (
            world.space().decisions().undo_last().unwrap().change,
            edges()
        ),
        (UndoneChange::Told, 1)
    );
    world.validate();
}

/// A memory of the user's tools, told by hand or found in a turn.
fn tool(text: &str, found_in: Option<MemoryId>) -> annals::NewMemoryBuilder {
    let memory = NewMemory::builder(text)
        .kind("FACT")
        .metadata("subject", "user")
        .metadata("predicate", "uses");
    found_in.map_or(memory.clone(), |turn| memory.derived_from(turn))
}

fn turn(world: &World, text: &str) -> MemoryId {
    world
        .space()
        .sessions()
        .append(vec![NewTurn::builder("s", text).build().unwrap()])
        .unwrap()[0]
}

#[test]
fn what_is_found_in_a_conversation_takes_no_place_of_what_a_person_told() {
    for verified in [true, false] {
        let world = World::new("agent");
        let python = tool("The user uses Python at work.", None)
            .verified(verified)
            .metadata("duration", "permanent");
        let known = world.remember(python.build().unwrap());
        let before = world.space().get(known).unwrap().unwrap().body;
        let talk = turn(&world, "I work with Rust at night.");
        let found = world.remember(
            tool("The user works with Rust at night.", Some(talk))
                .build()
                .unwrap(),
        );
        assert_ne!(found, known);
        assert_eq!(world.space().get(known).unwrap().unwrap().body, before);
        // Of the two it is the found one that the next one takes the place of.
        let next = world.remember(
            tool("The user tries Zig on weekends.", Some(talk))
                .build()
                .unwrap(),
        );
        assert_eq!(
            (next, says(&world, known).unwrap().as_str()),
            (found, "The user uses Python at work.")
        );
        world.validate();
        if !verified {
            continue;
        }
        let hand = world.remember(tool("The user gave up programming.", None).build().unwrap());
        assert_ne!(hand, known, "not confirmed, either");
        let sure = tool("The user uses Go at work.", None)
            .verified(true)
            .build()
            .unwrap();
        assert_eq!(world.remember(sure), known);
        assert_eq!(
            told(&world.space().decisions().undo_last().unwrap()).1,
            ["The user uses Python at work."]
        );
        assert_eq!(world.space().get(known).unwrap().unwrap().body, before);
        world.validate();
    }
}

#[test]
fn a_text_that_another_one_took_the_place_of_comes_back() {
    let world = World::new("agent");
    let [one, other] = ["I use Python.", "I use Rust."].map(|text| turn(&world, text));
    let id = world.remember(tool("The user uses Python.", Some(one)).build().unwrap());
    world.at(minutes(1.0));
    assert_eq!(
        world.remember(tool("The user uses Rust.", Some(other)).build().unwrap()),
        id
    );
    let decision = world
        .space()
        .decisions()
        .list(Some(id), 10)
        .unwrap()
        .remove(0);
    assert_eq!(
        (decision.answer.as_str(), decision.by.as_str()),
        ("update", "the profile")
    );
    assert_eq!(
        (decision.memories.as_slice(), decision.can_be_undone),
        ([id, other].as_slice(), true)
    );
    let undone = world.space().undo(id).unwrap();
    assert_eq!(
        told(&undone),
        (UndoneChange::Decided, vec!["The user uses Python."])
    );
    let mut texts: Vec<String> = world.recall("Which language does the user use?");
    texts.retain(|text| text.starts_with("The user"));
    texts.sort();
    assert_eq!(
        texts,
        ["The user uses Python.", "The user uses Rust."],
        "each by itself"
    );
    world.validate();

    let world = World::new("agent");
    let id = world.remember(tool("The user uses Python.", None).build().unwrap());
    world.at(minutes(1.0));
    assert_eq!(
        world.remember(tool("The user uses Rust.", None).build().unwrap()),
        id
    );
    let last = || world.space().decisions().undo_last().unwrap();
    assert_eq!(
        told(&last()),
        (UndoneChange::Edited, vec!["The user uses Python."])
    );
    assert_eq!(says(&world, id).unwrap(), "The user uses Python.");
    assert_eq!(
        told(&last()),
        (UndoneChange::Stored, vec!["The user uses Python."])
    );
    world.validate();
}

#[test]
fn a_telling_says_since_when_what_is_known_is_true() {
    let world = World::new("companion");
    let id = fact(&world, "I live in Rome.");
    let since = crate::support::life::day(-100.0);
    let telling = |from| {
        world.remember(
            NewMemory::builder("I live in Rome.")
                .valid_from(from)
                .build()
                .unwrap(),
        )
    };
    assert_eq!(telling(since), id);
    assert_eq!(
        world.space().get(id).unwrap().unwrap().body.valid_from,
        Some(since)
    );
    assert_eq!(telling(crate::support::life::day(-50.0)), id);
    assert_eq!(
        world.space().get(id).unwrap().unwrap().body.valid_from,
        Some(since),
        "the first stays"
    );
    world.validate();
}

#[test]
fn what_a_job_deletes_leaves_no_memory_that_nobody_can_reach() {
    let world = World::new("studio");
    let first = fact(&world, "I live in Rome.");
    let oslo = NewMemory::builder("I live in Oslo.")
        .tag("north")
        .build()
        .unwrap();
    let second = world.space().lifecycle().supersede(first, oslo).unwrap();
    let north = Filter {
        tags: vec![annals::Label::new("tag", "north").unwrap()],
        ..Filter::default()
    };
    world.space().queue().delete(&north).unwrap();
    world.memory().wait_idle().unwrap();
    world.memory().maintain(true, Mode::Commit).unwrap();
    assert_eq!(
        (world.status(second), world.status(first)),
        (None, Some(Status::Forgotten))
    );
    assert!(world.recall("Where do I live?").is_empty());
    world.validate();
    world.space().restore(first).unwrap();
    assert_eq!(world.recall("Where do I live?"), ["I live in Rome."]);
    let third = world
        .space()
        .lifecycle()
        .supersede(
            first,
            NewMemory::builder("I live in Bern.").build().unwrap(),
        )
        .unwrap();
    world.space().queue().delete(&Filter::default()).unwrap();
    world.memory().maintain(true, Mode::Commit).unwrap();
    assert_eq!(
        (world.status(first), world.status(third)),
        (None, None),
        "all that was meant"
    );
    world.validate();
}

#[test]
fn a_turn_is_in_force_again_when_what_superseded_it_is_deleted() {
    let world = World::new("default");
    let ids = world.space().sessions().append(
        ["one", "two"]
            .map(|text| NewTurn::builder("s", text).build().unwrap())
            .into(),
    );
    let [_, last] = ids.unwrap()[..] else {
        panic!()
    };
    let turn = NewTurn::builder("s", "three").build().unwrap();
    let other = world
        .space()
        .lifecycle()
        .supersede(last, NewMemory::from(turn))
        .unwrap();
    world.validate();
    assert_eq!(
        world.space().delete(other, Mode::Commit).unwrap().revived,
        [last]
    );
    world.validate();
    let session = world.space().session("s").memories(0, 9).unwrap();
    let said: Vec<&str> = session.iter().map(|turn| turn.body.text.as_str()).collect();
    assert_eq!(said, ["one", "two"]);
}

#[test]
fn who_deletes_one_of_two_that_were_made_one_is_told_of_the_other() {
    let table = Table::new();
    table.near(
        "There are beehives above Ada's flat",
        "Ada keeps bees on the roof",
        0.99,
    );
    let world = World::with("agent", move |options| options.embedder(table.clone()));
    let [one, other] = [
        "Ada keeps bees on the roof",
        "There are beehives above Ada's flat",
    ]
    .map(|text| fact(&world, text));
    assert_ne!(one, other);
    world.at(1.5);
    world.force();
    assert_eq!(world.status(other), Some(Status::Forgotten));
    for (id, twin) in [(one, other), (other, one)] {
        let planned = world.space().delete(id, Mode::DryRun).unwrap();
        assert_eq!(planned.twins, [twin]);
    }
    assert_eq!(
        world
            .space()
            .bulk()
            .delete(&[one, other], Mode::DryRun)
            .unwrap()
            .twins,
        []
    );
    assert_eq!(
        world.space().delete(one, Mode::Commit).unwrap().twins,
        [other]
    );
    assert_eq!(world.space().delete(other, Mode::Commit).unwrap().twins, []);
    world.validate();
}

#[test]
fn a_verdict_names_the_memory_of_a_pair_that_is_missing() {
    let world = World::new("studio");
    let [here, gone] = ["I live in Rome.", "I like tea."].map(|text| fact(&world, text));
    world.space().delete(gone, Mode::Commit).unwrap();
    for (newer, older) in [(here, gone), (gone, here)] {
        let refused = world
            .space()
            .reviews()
            .settle(newer, older, true)
            .unwrap_err();
        assert!(
            refused.is_not_found() && refused.to_string().contains(&gone.to_string()),
            "{refused}"
        );
    }
}
