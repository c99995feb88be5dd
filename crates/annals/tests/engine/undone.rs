//! Decisions that are taken back give each memory what it said, and leave what was said since.

use std::sync::Arc;

use super::decisions::{compared, only};
use crate::support::life::World;
use crate::support::script::Script;
use annals::graph::Assertion;
use annals::{MemoryId, Mode, NewMemory, Status};

const BY_JUDGE: (&str, &str) = ("maybe_check = \"triple_key\"", "maybe_check = \"judge\"");
const IN_PLACE: [(&str, &str); 2] = [
    (
        "strategy = \"close_interval\"",
        "strategy = \"update_in_place\"",
    ),
    ("ask_judge = false", "ask_judge = true"),
];
/// Profiles remember what earlier texts said, or do not.
const REMEMBERS: [(&str, &str); 2] = [
    ("[conflict]", "[conflict]"),
    (
        "[conflict]",
        "[graph]\nupdate_keeps_history = false\n\n[conflict]",
    ),
];

fn triple(predicate: &str, object: &str) -> Assertion {
    Assertion::new("我", predicate, object)
}

/// The predicates of what a memory says, in order.
fn says(world: &World, id: MemoryId) -> Vec<String> {
    let mut said: Vec<String> = world
        .space()
        .graph()
        .subgraph(id)
        .unwrap()
        .edges
        .iter()
        .map(|edge| edge.relation.clone())
        .collect();
    said.sort();
    said
}

fn arrives(world: &World, text: &str, status: Status, said: &[Assertion]) -> MemoryId {
    let memory = NewMemory::builder(text)
        .kind("preference")
        .status(status)
        .build()
        .unwrap();
    world.space().graph().remember(memory, said).unwrap().0
}

#[test]
fn what_was_said_of_an_arrival_goes_with_it_and_the_rest_stays() {
    for history in REMEMBERS {
        let judge = Script::answers([true]);
        let (world, table) = compared("studio", &[BY_JUDGE, history], &judge);
        table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
        let known = arrives(
            &world,
            "我喜欢函数式编程",
            Status::Active,
            &[triple("likes", "编程")],
        );
        let said = [triple("reads", "书"), triple("likes", "编程")];
        assert_eq!(
            arrives(&world, "我读函数式的书", Status::Staged, &said),
            known
        );
        world
            .space()
            .graph()
            .add_triples(known, &[triple("owns", "一本 Haskell 书")])
            .unwrap();
        assert_eq!(says(&world, known), ["likes", "owns", "reads"]);
        let same = only(&world);
        let fresh = same.memories[0];
        assert!(
            same.changes
                .contains(&format!("{known} says 1 triples of {fresh}")),
            "{:?}",
            same.changes
        );
        world.space().decisions().undo(same.number).unwrap();
        assert_eq!(
            says(&world, known),
            ["likes", "owns"],
            "a person said that since"
        );
        assert_eq!(says(&world, fresh), ["likes", "reads"]);
        assert_eq!(world.status(fresh), Some(Status::Staged), "as it arrived");
        world.validate();
    }
}

#[test]
fn what_two_arrivals_brought_stays_until_both_are_memories_of_their_own() {
    let judge = Script::answers([true, true]);
    let (world, table) = compared("studio", &[BY_JUDGE], &judge);
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    table.near("我看函数式的书", "我喜欢函数式编程", 0.85);
    let known = arrives(
        &world,
        "我喜欢函数式编程",
        Status::Active,
        &[triple("likes", "编程")],
    );
    for text in ["我读函数式的书", "我看函数式的书"] {
        assert_eq!(
            arrives(&world, text, Status::Active, &[triple("reads", "书")]),
            known
        );
    }
    let mut decisions = world.space().decisions().list(None, 10).unwrap();
    decisions.reverse();
    let [first, second] = decisions.as_slice() else {
        panic!("{decisions:?}")
    };
    world.space().decisions().undo(first.number).unwrap();
    assert_eq!(
        (says(&world, known), says(&world, first.memories[0])),
        (
            vec!["likes".to_owned(), "reads".to_owned()],
            vec!["reads".to_owned()]
        )
    );
    world.space().decisions().undo(second.number).unwrap();
    assert_eq!(says(&world, known), ["likes"]);
    assert_eq!(says(&world, second.memories[0]), ["reads"]);
    world.validate();
}

#[test]
fn what_a_night_united_says_what_it_said_and_what_was_added() {
    for history in REMEMBERS {
        let judge = Arc::new(Script::default());
        let (world, table) = compared("studio", &[BY_JUDGE, history], &judge);
        table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
        let old = arrives(
            &world,
            "我喜欢函数式编程",
            Status::Active,
            &[triple("likes", "编程")],
        );
        *judge.asleep.lock().unwrap() = true;
        world.at(1.0);
        let said = [triple("reads", "书"), triple("likes", "编程")];
        let new = arrives(&world, "我读函数式的书", Status::Active, &said);
        assert_ne!(new, old);
        *judge.asleep.lock().unwrap() = false;
        judge.answers.lock().unwrap().push_back(true);
        assert_eq!(
            world.space().queue().work_off().unwrap().get("merged"),
            Some(&1)
        );
        world
            .space()
            .graph()
            .add_triples(old, &[triple("owns", "一本 Haskell 书")])
            .unwrap();
        let united = world
            .space()
            .decisions()
            .list(Some(new), 10)
            .unwrap()
            .remove(0);
        world.space().decisions().undo(united.number).unwrap();
        assert_eq!(says(&world, old), ["likes", "owns"]);
        let back = says(&world, new);
        assert!(back.contains(&"reads".to_owned()), "{back:?}");
        world.validate();
    }
}

#[test]
fn a_text_that_comes_back_says_what_it_said() {
    let judge = Script::answers([true]);
    let (world, table) = compared("studio", &IN_PLACE, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    let old = arrives(
        &world,
        "我住在汉堡",
        Status::Active,
        &[triple("lives in", "汉堡")],
    );
    world.at(1.0);
    assert_eq!(
        arrives(
            &world,
            "我搬到了柏林",
            Status::Active,
            &[triple("moved to", "柏林")]
        ),
        old
    );
    assert_eq!(says(&world, old), ["moved to"]);
    world
        .space()
        .graph()
        .add_triples(old, &[triple("pays", "房租")])
        .unwrap();
    let replaced = only(&world);
    world.space().decisions().undo(replaced.number).unwrap();
    assert_eq!(says(&world, old), ["lives in", "pays"]);
    assert_eq!(says(&world, replaced.memories[0]), ["moved to"]);
    world.validate();

    let judge = Script::answers([true]);
    let renewed = [
        IN_PLACE[0],
        IN_PLACE[1],
        (
            "[conflict]",
            "[records]\nupdate_keeps_id = false\n\n[conflict]",
        ),
    ];
    let (world, table) = compared("studio", &renewed, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    let old = arrives(
        &world,
        "我住在汉堡",
        Status::Active,
        &[triple("lives in", "汉堡")],
    );
    world.at(1.0);
    let new = arrives(
        &world,
        "我搬到了柏林",
        Status::Active,
        &[triple("moved to", "柏林")],
    );
    world.space().decisions().undo(only(&world).number).unwrap();
    let listed = world
        .space()
        .list(&annals::ListQuery::default())
        .unwrap()
        .memories;
    let back = listed
        .iter()
        .find(|memory| memory.body.text == "我住在汉堡")
        .unwrap()
        .id;
    assert!(back != old && back != new);
    assert_eq!(
        (says(&world, back), says(&world, new)),
        (vec!["lives in".to_owned()], vec!["moved to".to_owned()])
    );
    world.validate();
}

#[test]
fn a_text_that_was_not_stored_goes_with_what_it_was_derived_from() {
    for undone in [false, true] {
        let judge = Script::answers([true]);
        let (world, table) = compared("studio", &[BY_JUDGE], &judge);
        table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
        let (first, second) = (
            world.said("我喜欢函数式编程！"),
            world.said("我读函数式的书！"),
        );
        let fact = |text: &str, source: MemoryId| {
            world.remember(
                NewMemory::builder(text)
                    .kind("preference")
                    .derived_from(source)
                    .build()
                    .unwrap(),
            )
        };
        let known = fact("我喜欢函数式编程", first);
        assert_eq!(fact("我读函数式的书", second), known);
        if undone {
            world.space().decisions().undo(1).unwrap();
        }
        world.space().delete(second, Mode::Commit).unwrap();
        let left = world.space().decisions().list(None, 10).unwrap();
        let (reasons, undoable): (Vec<_>, Vec<_>) = left
            .iter()
            .map(|one| (one.reason.as_str(), one.can_be_undone))
            .unzip();
        assert!(
            reasons.iter().all(|reason| reason.is_empty()) && !undoable.contains(&true),
            "{left:?}"
        );
        let mut out = Vec::new();
        world
            .space()
            .transfer()
            .export(&mut out, &mut |_| {})
            .unwrap();
        assert!(!String::from_utf8(out).unwrap().contains("我读函数式的书"));
        assert!(world.space().get(known).unwrap().is_some());
        world.validate();
    }
}
