//! Decisions about memories are kept with their reasons, and can be taken back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::support::life::{World, day, near};
use crate::support::script::{Script, Table};
use annals::graph::Assertion;
use annals::llm::provider::{Provider, Replay, Reply};
use annals::profile::ReviewKind;
use annals::{
    Causality, Decision, DecisionQuestion, ErrorKind, Judge, JudgeError, Judgement, MemoryId, Mode,
    NewMemory, Options, Reasoned, ReviewCase, Status, Verdict,
};

/// A judge of reviews that says what it is told to, and why.
#[derive(Default)]
struct Reader(Mutex<VecDeque<(Judgement, &'static str)>>);

impl Judge for Reader {
    fn name(&self) -> String {
        "reader-1".to_owned()
    }

    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        let (judgement, reason) = self
            .0
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or((Judgement::Undecided, "who knows"));
        Ok(Reasoned::new(judgement, reason))
    }
}

/// A fact of 0.23 under a profile, which the next pass sends to review before a judge that says so.
fn reviewed(changed: &[(&str, &str)], says: &[(Judgement, &'static str)]) -> (World, MemoryId) {
    let reader = Arc::new(Reader(Mutex::new(says.iter().cloned().collect())));
    let world = World::judged("companion", Some(reader as Arc<dyn Judge>));
    own(&world, "companion", changed);
    let fact = world.scored("fact", 0.23, "小满的生日蛋糕是草莓味的");
    world.at(6.0);
    world.maintain();
    (world, fact)
}

/// Puts the namespace under a profile of annals with some lines changed.
pub(super) fn own(world: &World, profile: &str, changed: &[(&str, &str)]) {
    let mut text = annals::profiles::builtin(profile).unwrap().to_owned();
    for (old, new) in changed {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    world.memory().profiles().store("own", &text).unwrap();
    world.space().admin().set_profile("own").unwrap();
}

pub(super) fn only(world: &World) -> Decision {
    let decisions = world.space().decisions().list(None, 10).unwrap();
    assert_eq!(decisions.len(), 1, "{decisions:?}");
    decisions.into_iter().next().unwrap()
}

fn told(world: &World, id: MemoryId) -> String {
    let steps = world.space().graph().explain(id).unwrap();
    steps
        .iter()
        .filter(|step| step.step.as_str() == "decided")
        .map(|step| format!("{}\n", step.what))
        .collect()
}

#[test]
fn a_verdict_is_kept_with_its_reason_and_taken_back() {
    let (mut world, fact) = reviewed(&[], &[(Judgement::Keep, "生日是长期事实。\n[KEEP]")]);
    near(world.score(fact), 0.5);
    let kept = only(&world);
    assert_eq!(
        (kept.number, kept.at, kept.question),
        (1, day(6.0), DecisionQuestion::MayGo)
    );
    assert_eq!(
        (
            kept.memories.as_slice(),
            kept.answer.as_str(),
            kept.by.as_str()
        ),
        ([fact].as_slice(), "keep", "reader-1")
    );
    assert_eq!(kept.reason, "生日是长期事实。\n[KEEP]");
    assert_eq!(
        (kept.changes.as_slice(), kept.can_be_undone),
        (["score 0.196 to 0.500".to_owned()].as_slice(), true)
    );
    assert_eq!(
        world.space().decisions().list(Some(fact), 10).unwrap(),
        [kept]
    );
    assert!(
        told(&world, fact).contains("may go? keep, by reader-1: 生日是长期事实"),
        "{}",
        told(&world, fact)
    );
    world.reopen();
    world.at(6.1);
    let undone = world.space().decisions().undo(1).unwrap();
    assert_eq!(
        (undone.undone_at, undone.can_be_undone),
        (Some(day(6.1)), false)
    );
    near(world.score(fact), 0.1955);
    let waiting = world.space().reviews().pending(10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].id, waiting[0].kind),
        (1, fact, ReviewKind::Decay)
    );
    assert!(told(&world, fact).contains("decision 1 was taken back"));
    assert_eq!(
        world.space().decisions().undo(1).unwrap_err().kind(),
        ErrorKind::Conflict
    );
    assert_eq!(
        world.space().decisions().undo(2).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    world.validate();
    // A judge is asked again a day later, a person may decide at once, and that is a decision, too.
    world
        .space()
        .reviews()
        .decide(fact, ReviewKind::Decay, Verdict::Keep)
        .unwrap();
    let second = &world.space().decisions().list(Some(fact), 10).unwrap()[0];
    assert_eq!(
        (second.number, second.by.as_str(), second.reason.as_str()),
        (2, "a person", "")
    );
    world.space().delete(fact, Mode::Commit).unwrap();
    assert_eq!(
        world.space().decisions().list(None, 10).unwrap(),
        [],
        "they go with the memory"
    );
    world.validate();
}

#[test]
fn a_person_who_is_asked_whether_a_memory_may_go_can_promote_it() {
    let world = World::new("companion");
    let fact = world.scored("fact", 0.23, "主人的生日是五月二日");
    world.at(6.0);
    world.maintain();
    assert_eq!(
        world.space().reviews().pending(10).unwrap()[0].kind,
        ReviewKind::Decay
    );
    assert_eq!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Decay, Verdict::Promote)
            .unwrap(),
        Verdict::Promote
    );
    assert_eq!(world.standing(fact).class, "core");
    let promoted = only(&world);
    assert_eq!(
        (promoted.question, promoted.answer.as_str()),
        (DecisionQuestion::MayGo, "promote")
    );
    assert!(
        promoted.changes.contains(&"class fact to core".to_owned()),
        "{:?}",
        promoted.changes
    );
    world.space().decisions().undo(promoted.number).unwrap();
    assert_eq!(world.standing(fact).class, "fact");
    let again = world.space().reviews().pending(10).unwrap();
    assert_eq!((again.len(), again[0].kind), (1, ReviewKind::Decay));
    world.validate();
    // A profile without such a class promotes nothing, and says so.
    let (world, fact) = reviewed(&[("promoted_class = \"core\"", "")], &[]);
    let refused = world
        .space()
        .reviews()
        .decide(fact, ReviewKind::Decay, Verdict::Promote)
        .unwrap_err();
    assert!(
        refused.kind() == ErrorKind::Invalid
            && refused.to_string().contains("review.promoted_class"),
        "{refused}"
    );
    assert_eq!(world.space().reviews().pending(10).unwrap().len(), 1);
    // A missing memory is reported first.
    let nothing = world
        .space()
        .reviews()
        .decide(
            MemoryId::from_bytes([9; 16]),
            ReviewKind::Decay,
            Verdict::Promote,
        )
        .unwrap_err();
    assert_eq!(nothing.kind(), ErrorKind::NotFound, "{nothing}");
}

/// A judge that is called as a person is, and promotes whatever it is asked.
struct Namesake;

impl Judge for Namesake {
    fn name(&self) -> String {
        "a person".to_owned()
    }

    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Reasoned::new(Judgement::Promote, "it is asked often"))
    }
}

#[test]
fn a_judge_that_is_called_as_a_person_is_has_no_more_power_for_it() {
    let world = World::judged("companion", Some(Arc::new(Namesake)));
    let fact = world.scored("fact", 0.23, "主人的生日是五月二日");
    world.at(6.0);
    world.maintain();
    assert_eq!(
        (only(&world).question, only(&world).by.as_str()),
        (DecisionQuestion::MayGo, "a person")
    );
    assert_eq!(world.standing(fact).class, "fact");
    near(world.score(fact), 0.5);
    world.validate();
}

#[test]
fn a_promotion_is_taken_back() {
    let world = World::new("companion");
    let fact = world.scored("fact", 2.4, "主人的生日是五月二日");
    world
        .space()
        .lifecycle()
        .adjust(
            fact,
            annals::Adjustment {
                add: 0.3,
                ..annals::Adjustment::default()
            },
        )
        .unwrap();
    world.force();
    assert_eq!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Promote, Verdict::Promote)
            .unwrap(),
        Verdict::Promote
    );
    assert_eq!(world.standing(fact).class, "core");
    let promoted = only(&world);
    assert_eq!(
        (promoted.question, promoted.answer.as_str()),
        (DecisionQuestion::KeepForGood, "promote")
    );
    assert_eq!(
        promoted.changes,
        [
            "class fact to core".to_owned(),
            format!("{fact}: revision 1 to 2")
        ]
    );
    let kind = || {
        world
            .space()
            .get(fact)
            .unwrap()
            .unwrap()
            .body
            .kind
            .as_str()
            .to_owned()
    };
    assert_eq!(kind(), "core");
    world.space().decisions().undo(promoted.number).unwrap();
    assert_eq!(
        (world.standing(fact).class.as_str(), kind().as_str()),
        ("fact", "fact")
    );
    assert_eq!(
        world.space().reviews().pending(10).unwrap()[0].kind,
        ReviewKind::Promote
    );
    world.validate();
}

#[test]
fn what_is_deleted_at_once_leaves_no_word_and_an_open_verdict_is_kept() {
    let (world, fact) = reviewed(&[], &[(Judgement::Delete, "草莓味的蛋糕已经过时")]);
    assert_eq!(world.space().get(fact).unwrap(), None);
    let gone = only(&world);
    assert_eq!(
        (gone.answer.as_str(), gone.reason.as_str(), gone.memories),
        ("delete", "", vec![fact])
    );
    let refused = world.space().decisions().undo(gone.number).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(
        refused.to_string().contains("review.delete_after_days"),
        "{refused}"
    );
    world.validate();

    let (world, fact) = reviewed(&[], &[(Judgement::Undecided, "嗯，我不确定。")]);
    let open = only(&world);
    assert_eq!(
        (open.answer.as_str(), open.reason.as_str(), open.memories),
        ("undecided", "嗯，我不确定。", vec![fact])
    );
    assert_eq!(
        world
            .space()
            .decisions()
            .undo(open.number)
            .unwrap_err()
            .kind(),
        ErrorKind::Invalid
    );
    assert_eq!(world.space().reviews().pending(10).unwrap().len(), 1);
    world.validate();
}

const LATER: (&str, &str) = ("delete_after_days = 0.0", "delete_after_days = 3.0");

#[test]
fn a_deletion_can_be_taken_back_as_long_as_the_profile_says() {
    let delete = [
        (Judgement::Delete, "没有价值"),
        (Judgement::Delete, "没有价值"),
    ];
    let (mut world, fact) = reviewed(&[LATER], &delete);
    assert_eq!(world.status(fact), Some(Status::Forgotten));
    assert!(world.recall("草莓味的蛋糕").is_empty());
    world.space().decisions().undo(1).unwrap();
    assert_eq!(world.status(fact), Some(Status::Active));
    near(world.score(fact), 0.1955);
    world.validate();
    world.at(7.5);
    world.force();
    assert_eq!(
        world.status(fact),
        Some(Status::Forgotten),
        "the judge was asked again"
    );
    world.reopen();
    world.at(10.4);
    world.maintain();
    assert_eq!(world.status(fact), Some(Status::Forgotten));
    world.at(10.6);
    world.maintain();
    assert_eq!(world.status(fact), None, "three days have passed");
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
    assert_eq!(world.space().queue().list(10).unwrap(), []);
    world.validate();

    let (world, fact) = reviewed(&[LATER], &delete);
    world.space().restore(fact).unwrap();
    world.at(20.0);
    world.maintain();
    assert_ne!(
        world.status(fact),
        None,
        "what a person brought back is not deleted"
    );
    world.validate();

    let (world, fact) = reviewed(&[LATER], &delete);
    world.at(6.5);
    world.space().restore(fact).unwrap();
    world.at(7.0);
    world.space().forget(fact).unwrap();
    world.at(7.1);
    let number = world
        .space()
        .decisions()
        .list(Some(fact), 10)
        .unwrap()
        .last()
        .unwrap()
        .number;
    world.space().decisions().undo(number).unwrap();
    assert_eq!(
        world.status(fact),
        Some(Status::Forgotten),
        "a person forgot it later"
    );
    world.validate();
}

#[test]
fn what_waits_to_be_deleted_waits_under_another_profile_too() {
    let (world, fact) = reviewed(&[LATER], &[(Judgement::Delete, "没有价值")]);
    let text = world.memory().profiles().text("own").unwrap();
    let again = text.replacen("decisions = 10000", "decisions = 9999", 1);
    assert_ne!(again, text);
    world.memory().profiles().store("own", &again).unwrap();
    world.memory().profiles().store("other", &again).unwrap();
    world.space().admin().set_profile("other").unwrap();
    world.at(8.9);
    world.maintain();
    assert_eq!(
        world.status(fact),
        Some(Status::Forgotten),
        "three days from the verdict on"
    );
    world.at(9.1);
    world.maintain();
    assert_eq!(world.status(fact), None);
    world.validate();
}

#[test]
fn only_the_newest_decisions_are_kept_and_reasons_are_screened_and_cut() {
    let few = [
        ("decisions = 10000", "decisions = 2"),
        ("reason_chars = 500", "reason_chars = 12"),
    ];
    let (world, fact) = reviewed(&few, &[]);
    assert_eq!(only(&world).reason, "who knows");
    for n in 0..3 {
        world.at(8.0 + f64::from(n));
        world.force();
    }
    let again = only(&world);
    assert!(
        again.number > 2,
        "one that decides nothing takes the place of the one before: {again:?}"
    );
    for text in ["小满在学游泳", "客厅的灯坏了", "邻居养了一只鹦鹉"] {
        world.scored("fact", 0.23, text);
    }
    world.at(16.0);
    world.force();
    let decisions = world.space().decisions().list(None, 10).unwrap();
    let numbers: Vec<u64> = decisions.iter().map(|one| one.number).collect();
    assert_eq!(numbers.len(), 2, "{decisions:?}");
    assert!(
        numbers.iter().all(|number| *number > again.number),
        "{numbers:?}"
    );
    assert!(
        world
            .space()
            .decisions()
            .list(Some(fact), 10)
            .unwrap()
            .len()
            <= 1
    );
    world.validate();

    let screened = [
        few[1],
        ("[window]", "[privacy]\npassword = \"mask\"\n\n[window]"),
    ];
    let says = [(Judgement::Keep, "password: hunter2-XYZ and more")];
    let (world, _) = reviewed(&screened, &says);
    let reason = only(&world).reason;
    assert!(
        !reason.contains("hunter2") && reason.chars().count() <= 12 && !reason.is_empty(),
        "{reason}"
    );

    let (world, _) = reviewed(&[("decisions = 10000", "decisions = 0")], &says);
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
}

/// A world whose judge answers about pairs, and whose texts are as like as a table says.
pub(super) fn compared(
    profile: &str,
    changed: &[(&str, &str)],
    judge: &Arc<Script>,
) -> (World, Arc<Table>) {
    let (table, judge) = (Table::new(), Arc::clone(judge));
    let shown = Arc::clone(&table);
    let world = World::with(profile, move |options: Options| {
        options
            .embedder(shown.clone())
            .judge(Arc::clone(&judge) as Arc<dyn Judge>)
    });
    own(&world, profile, changed);
    (world, table)
}

fn until(world: &World, id: MemoryId) -> Option<annals::Timestamp> {
    world.space().get(id).unwrap().unwrap().body.valid_until
}

#[test]
fn what_a_contradiction_ended_is_true_again() {
    let judge = Script::answers([false, true]);
    let (world, table) = compared(
        "studio",
        &[("ask_judge = false", "ask_judge = true")],
        &judge,
    );
    table.near("我出生在科隆", "我搬到了柏林", 0.79);
    table.near("我住在汉堡", "我搬到了柏林", 0.77);
    let born = world.kind("fact", "我出生在科隆");
    let old = world.kind("fact", "我住在汉堡");
    judge.pairs.lock().unwrap().clear();
    *judge.answers.lock().unwrap() = [false, true].into();
    world.at(1.0);
    let new = world.kind("fact", "我搬到了柏林");
    assert_eq!(
        [born, old, new].map(|id| until(&world, id)),
        [None, Some(day(1.0)), None]
    );
    let about = world.space().decisions().list(Some(new), 10).unwrap();
    let answers: Vec<_> = about
        .iter()
        .map(|one| (one.answer.as_str(), one.memories.as_slice()))
        .collect();
    assert_eq!(
        answers,
        [
            ("yes", [new, old].as_slice()),
            ("no", [new, born].as_slice())
        ]
    );
    assert_eq!(
        (about[0].question, about[0].changes.len()),
        (DecisionQuestion::Contradicts, 2),
        "{:?}",
        about[0].changes
    );
    assert!(about[1].changes.is_empty() && !about[1].can_be_undone);
    world.space().decisions().undo(about[0].number).unwrap();
    assert_eq!(
        [born, old, new].map(|id| until(&world, id)),
        [None, None, None]
    );
    assert_eq!(world.space().graph().links(new).unwrap(), []);
    world.validate();
}

#[test]
fn what_was_taken_for_a_known_memory_becomes_one_of_its_own() {
    let judge = Script::answers([true]);
    let by_judge = [("maybe_check = \"triple_key\"", "maybe_check = \"judge\"")];
    let (world, table) = compared("studio", &by_judge, &judge);
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    let known = world.kind("preference", "我喜欢函数式编程");
    let again = NewMemory::builder("我读函数式的书")
        .kind("preference")
        .derived_from(known)
        .build()
        .unwrap();
    assert_eq!(world.remember(again), known);
    let same = only(&world);
    assert_eq!(
        (same.question, same.answer.as_str(), same.memories[1]),
        (DecisionQuestion::Same, "yes", known)
    );
    let fresh = same.memories[0];
    assert_eq!(world.space().get(fresh).unwrap(), None);
    world.validate();
    world.space().decisions().undo(same.number).unwrap();
    assert_eq!(
        world.space().get(fresh).unwrap().unwrap().body.text,
        "我读函数式的书"
    );
    assert_eq!(
        world.space().get(known).unwrap().unwrap().body.provenance,
        []
    );
    world.validate();
    world.space().delete(fresh, Mode::Commit).unwrap();
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
    world.validate();
}

#[test]
fn what_a_job_made_one_is_two_again() {
    let judge = Arc::new(Script::default());
    let by_judge = [("maybe_check = \"triple_key\"", "maybe_check = \"judge\"")];
    let (world, table) = compared("studio", &by_judge, &judge);
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    let store = |text: &str, sure: f32| {
        world.remember(
            NewMemory::builder(text)
                .kind("preference")
                .confidence(sure)
                .build()
                .unwrap(),
        )
    };
    let old = store("我喜欢函数式编程", 0.5);
    world
        .space()
        .graph()
        .add_triples(old, &[Assertion::new("我", "喜欢", "编程")])
        .unwrap();
    *judge.asleep.lock().unwrap() = true;
    world.at(1.0);
    let new = store("我读函数式的书", 0.9);
    world
        .space()
        .graph()
        .add_triples(new, &[Assertion::new("我", "读", "书")])
        .unwrap();
    *judge.asleep.lock().unwrap() = false;
    judge.answers.lock().unwrap().push_back(true);
    assert_eq!(
        world.space().queue().work_off().unwrap().get("merged"),
        Some(&1)
    );
    assert_eq!(
        [old, new].map(|id| world.status(id)),
        [Some(Status::Active), Some(Status::Forgotten)]
    );
    let one = world.space().decisions().list(Some(new), 10).unwrap();
    assert_eq!(
        (one.len(), one[0].memories.as_slice()),
        (1, [new, old].as_slice())
    );
    world.space().decisions().undo(one[0].number).unwrap();
    assert_eq!(
        [old, new].map(|id| world.status(id)),
        [Some(Status::Active); 2]
    );
    near(
        f64::from(
            world
                .space()
                .get(old)
                .unwrap()
                .unwrap()
                .body
                .confidence
                .get(),
        ),
        0.5,
    );
    let says = |id: MemoryId| -> Vec<String> {
        world
            .space()
            .graph()
            .subgraph(id)
            .unwrap()
            .edges
            .iter()
            .map(|edge| edge.relation.clone())
            .collect()
    };
    assert_eq!(
        (says(old), says(new)),
        (vec!["喜欢".to_owned()], vec!["读".to_owned()])
    );
    world.validate();
}

#[test]
fn a_memory_that_took_over_what_a_new_one_said_gets_its_text_back() {
    let judge = Script::answers([true]);
    let changed = [
        (
            "strategy = \"close_interval\"",
            "strategy = \"update_in_place\"",
        ),
        ("ask_judge = false", "ask_judge = true"),
    ];
    let (world, table) = compared("studio", &changed, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    let old = world.kind("fact", "我住在汉堡");
    world.at(1.0);
    assert_eq!(world.kind("fact", "我搬到了柏林"), old);
    let replaced = only(&world);
    assert_eq!(
        (replaced.question, replaced.answer.as_str()),
        (DecisionQuestion::Contradicts, "yes")
    );
    let fresh = replaced.memories[0];
    world.validate();
    world.space().decisions().undo(replaced.number).unwrap();
    let text = |id: MemoryId| world.space().get(id).unwrap().unwrap().body.text;
    assert_eq!(
        (text(old), text(fresh)),
        ("我住在汉堡".to_owned(), "我搬到了柏林".to_owned())
    );
    world.validate();
    // A memory with another text by now is left to the caller who changed it.
    judge.answers.lock().unwrap().push_back(true);
    table.near("我租房在慕尼黑", "我住在汉堡", 0.79);
    let third = world.kind("fact", "我租房在慕尼黑");
    let later = world
        .space()
        .decisions()
        .list(Some(third), 1)
        .unwrap()
        .remove(0);
    world.space().update(third, "我住在不来梅").unwrap();
    assert_eq!(
        world
            .space()
            .decisions()
            .undo(later.number)
            .unwrap_err()
            .kind(),
        ErrorKind::Conflict
    );
}

#[test]
fn all_that_was_said_of_an_arrival_is_kept_with_what_stands_for_it() {
    let judge = Script::answers([false, true]);
    let changed = [
        (
            "strategy = \"close_interval\"",
            "strategy = \"update_in_place\"",
        ),
        ("ask_judge = false", "ask_judge = true"),
        ("maybe_check = \"triple_key\"", "maybe_check = \"judge\""),
    ];
    let (world, table) = compared("studio", &changed, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.86);
    let old = world.kind("fact", "我住在汉堡");
    world.at(1.0);
    assert_eq!(world.kind("fact", "我搬到了柏林"), old);
    let said = world.space().decisions().list(None, 10).unwrap();
    let said: Vec<_> = said
        .iter()
        .map(|one| (one.question, one.answer.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (DecisionQuestion::Contradicts, "yes"),
            (DecisionQuestion::Same, "no")
        ]
    );
    world.validate();
    world.space().delete(old, Mode::Commit).unwrap();
    assert_eq!(world.space().decisions().list(None, 10).unwrap(), []);
    world.validate();
}

#[test]
fn a_memory_whose_place_was_taken_comes_back_under_another_id() {
    let judge = Script::answers([true]);
    let changed = [
        (
            "strategy = \"close_interval\"",
            "strategy = \"update_in_place\"",
        ),
        ("ask_judge = false", "ask_judge = true"),
        (
            "[conflict]",
            "[records]\nupdate_keeps_id = false\n\n[conflict]",
        ),
    ];
    let (world, table) = compared("studio", &changed, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    let old = world.kind("fact", "我住在汉堡");
    world.at(1.0);
    let new = world.kind("fact", "我搬到了柏林");
    assert_ne!(new, old);
    let replaced = only(&world);
    assert_eq!(
        (replaced.memories.as_slice(), replaced.can_be_undone),
        ([new, old].as_slice(), true)
    );
    assert_eq!(replaced.changes, [format!("{old} was replaced by {new}")]);
    world.validate();
    world.space().decisions().undo(replaced.number).unwrap();
    let mut said: Vec<String> = world
        .space()
        .list(&annals::ListQuery::default())
        .unwrap()
        .memories
        .into_iter()
        .map(|it| it.body.text)
        .collect();
    said.sort();
    assert_eq!(said, ["我住在汉堡", "我搬到了柏林"]);
    assert_eq!(
        world
            .space()
            .decisions()
            .undo(replaced.number)
            .unwrap_err()
            .kind(),
        ErrorKind::Conflict
    );
    world.validate();
}

#[test]
fn a_model_says_why_two_memories_are_one() {
    let replay = Arc::new(Replay::default());
    let answers = ["是\n两句说的都是函数式编程。", "是"];
    answers
        .iter()
        .for_each(|answer| replay.push("same", Ok(Reply::text(*answer))));
    let (table, model) = (Table::new(), Arc::clone(&replay));
    let embedder = Arc::clone(&table);
    let world = World::with("studio", move |options: Options| {
        options
            .embedder(embedder.clone())
            .model(Arc::clone(&model) as Arc<dyn Provider>)
    });
    own(
        &world,
        "studio",
        &[("maybe_check = \"triple_key\"", "maybe_check = \"judge\"")],
    );
    let known = world.kind("preference", "我喜欢函数式编程");
    for (text, reason) in [
        ("我读函数式的书", "两句说的都是函数式编程。"),
        ("我写函数式的代码", "是"),
    ] {
        table.near(text, "我喜欢函数式编程", 0.85);
        assert_eq!(world.kind("preference", text), known);
        let last = world.space().decisions().list(None, 1).unwrap().remove(0);
        assert_eq!(
            (last.answer.as_str(), last.reason.as_str()),
            ("yes", reason)
        );
    }
    assert!(
        replay
            .asked()
            .iter()
            .all(|asked| asked.purpose != "same"
                || asked.messages[0].text.contains("一句话说明原因"))
    );
}

#[test]
fn a_cause_that_a_judge_found_is_taken_back() {
    let judge = Script::causes([Causality::SecondCauses]);
    let (world, table) = compared("graph", &[], &judge);
    table.near("没睡好", "心情不好", 0.5);
    let staged = |text: &str| {
        let memory = NewMemory::builder(text)
            .kind("事件")
            .importance(0.6)
            .status(Status::Staged)
            .build()
            .unwrap();
        world.remember(memory)
    };
    let mood = staged("心情不好");
    world.at(0.003);
    let sleep = staged("没睡好");
    world.at(1.0);
    world.force();
    let cause = only(&world);
    assert_eq!(
        (cause.question, cause.answer.as_str()),
        (DecisionQuestion::Cause, "the second causes the first")
    );
    assert_eq!(
        (cause.memories, cause.changes),
        (
            vec![mood, sleep],
            vec![format!("link {sleep} 推测因果 {mood}")]
        )
    );
    assert_eq!(world.space().graph().links(mood).unwrap().len(), 1);
    world.space().decisions().undo(cause.number).unwrap();
    assert_eq!(world.space().graph().links(mood).unwrap(), []);
    world.validate();
}

#[test]
fn a_model_gives_its_words_as_the_reason_and_its_name() {
    let replay = Arc::new(Replay::default().reply("triples", "[]"));
    replay.push(
        "review",
        Ok(Reply::text(
            "<think>嗯</think>生日是长期事实，应该保留。\n[KEEP]",
        )),
    );
    let model = Arc::clone(&replay);
    let world = World::with("companion", move |options: Options| {
        options.model(Arc::clone(&model) as Arc<dyn Provider>)
    });
    world.scored("fact", 0.23, "小满的生日蛋糕是草莓味的");
    world.at(6.0);
    world.maintain();
    let kept = only(&world);
    assert_eq!(
        (kept.reason.as_str(), kept.by),
        ("生日是长期事实，应该保留。\n[KEEP]", replay.name())
    );
}

#[test]
fn what_was_parted_is_not_made_one_again() {
    let judge = Arc::new(Script::default());
    let (world, table) = compared("agent", &[], &judge);
    table.near("写脚本时用户首选 Python", "用户喜欢用 Python 写脚本", 0.99);
    let old = world.kind("PREFERENCE", "用户喜欢用 Python 写脚本");
    world.at(0.1);
    let new = world.kind("PREFERENCE", "写脚本时用户首选 Python");
    world.at(1.0);
    world.force();
    assert_eq!(
        [old, new].map(|id| world.status(id)),
        [Some(Status::Active), Some(Status::Forgotten)]
    );
    world.space().restore(new).unwrap();
    for night in 2..4 {
        world.at(f64::from(night));
        world.force();
        assert_eq!(
            [old, new].map(|id| world.status(id)),
            [Some(Status::Active); 2],
            "night {night}"
        );
    }
    world.validate();
}
