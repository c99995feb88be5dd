//! Decisions travel with an export: memories that stay two stay two in another file.

use std::sync::Arc;

use super::decisions::{compared, own};
use crate::support::life::World;
use crate::support::script::{Script, Table};
use annals::blocking::Namespace;
use annals::graph::{Assertion, NewEntity};
use annals::{ImportOptions, ImportReport, MemoryId, Mode, NewMemory, Status};

const BY_JUDGE: (&str, &str) = ("maybe_check = \"triple_key\"", "maybe_check = \"judge\"");

fn exported(space: &Namespace) -> String {
    let mut out = Vec::new();
    let report = space.transfer().export(&mut out, &mut |_| {}).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(report.judged_lines, judged_lines(&text));
    text
}

fn judged_lines(text: &str) -> u64 {
    let judged = [
        "{\"decision\"",
        "{\"suspicion\"",
        "{\"parted\"",
        "{\"stale\"",
        "{\"work\"",
        "{\"brought\"",
    ];
    text.lines()
        .filter(|line| judged.iter().any(|start| line.starts_with(start)))
        .count() as u64
}

fn imported(space: &Namespace, text: &str) -> ImportReport {
    space
        .transfer()
        .import(&mut text.as_bytes(), &ImportOptions::default(), &mut |_| {})
        .unwrap()
}

/// Another file with a profile of the same settings, and what the export holds.
fn moved(text: &str, changed: &[(&str, &str)], judge: &Arc<Script>, table: &Arc<Table>) -> World {
    let (table, judge) = (Arc::clone(table), Arc::clone(judge));
    let world = World::with("studio", move |options| {
        options.embedder(table.clone()).judge(judge.clone())
    });
    own(&world, "studio", changed);
    let report = imported(&world.space(), text);
    assert_eq!(
        (report.judged_stored, report.left_out),
        (judged_lines(text), 0)
    );
    let again = imported(&world.space(), text);
    assert_eq!(
        (
            again.stored,
            again.graph_stored,
            again.judged_stored,
            again.left_out
        ),
        (0, 0, 0, 0)
    );
    assert_eq!(exported(&world.space()), text);
    world
}

/// Two memories of which a judge said in the night whether they are one.
fn judged(same: bool) -> (World, Arc<Script>, Arc<Table>, [MemoryId; 2]) {
    let judge = Arc::new(Script::default());
    let (world, table) = compared("studio", &[BY_JUDGE], &judge);
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    let old = world.kind("preference", "我喜欢函数式编程");
    *judge.asleep.lock().unwrap() = true;
    world.at(1.0);
    let new = world.kind("preference", "我读函数式的书");
    world
        .space()
        .graph()
        .add_triples(new, &[Assertion::new("我", "读", "书")])
        .unwrap();
    *judge.asleep.lock().unwrap() = false;
    judge.answers.lock().unwrap().push_back(same);
    world.space().queue().work_off().unwrap();
    assert_eq!(
        world.space().decisions().list(Some(new), 10).unwrap().len(),
        1
    );
    (world, judge, table, [old, new])
}

fn unites(world: &World, judge: &Script, days: f64) {
    judge.answers.lock().unwrap().push_back(true);
    world.at(days);
    world.force();
}

#[test]
fn memories_that_are_two_stay_two_in_another_file() {
    for undone in [true, false] {
        let (world, judge, table, both) = judged(undone);
        if undone {
            world.space().decisions().undo(1).unwrap();
        }
        let asked = judge.asked();
        let other = moved(&exported(&world.space()), &[BY_JUDGE], &judge, &table);
        unites(&other, &judge, 2.0);
        assert_eq!(both.map(|id| other.status(id)), [Some(Status::Active); 2]);
        assert_eq!(judge.asked(), asked, "it said so before");
        other.validate();
    }
}

#[test]
fn a_decision_is_taken_back_in_another_file() {
    let (world, judge, table, [old, new]) = judged(true);
    let other = moved(&exported(&world.space()), &[BY_JUDGE], &judge, &table);
    assert_eq!(
        [old, new].map(|id| other.status(id)),
        [Some(Status::Active), Some(Status::Forgotten)]
    );
    let there = other.space().decisions().list(Some(new), 10).unwrap();
    assert_eq!(
        there,
        world.space().decisions().list(Some(new), 10).unwrap()
    );
    other.space().decisions().undo(there[0].number).unwrap();
    assert_eq!(
        [old, new].map(|id| other.status(id)),
        [Some(Status::Active); 2]
    );
    assert_eq!(other.space().graph().subgraph(new).unwrap().edges.len(), 1);
    assert!(
        other
            .space()
            .graph()
            .subgraph(old)
            .unwrap()
            .edges
            .is_empty()
    );
    other.validate();
}

#[test]
fn what_names_nothing_that_is_here_is_left_out_and_numbers_that_are_taken_are_others() {
    let (world, judge, table, both) = judged(false);
    let text = exported(&world.space());
    let decision = text
        .lines()
        .find(|line| line.starts_with("{\"decision\""))
        .unwrap();
    let (lonely, _, _, own) = judged(false);
    assert_eq!(
        own, both,
        "the same ids, so that another file has to hold none of them"
    );
    lonely.space().delete(own[1], Mode::Commit).unwrap();
    let report = imported(&lonely.space(), decision);
    assert_eq!(
        (report.judged_stored, report.left_out, report.bad.len()),
        (0, 1, 0)
    );
    lonely.validate();

    let other = moved(&text, &[BY_JUDGE], &judge, &table);
    let later = decision.replacen(
        "\"answer\":\"no\"",
        "\"answer\":\"no\",\"reason\":\"not these\"",
        1,
    );
    assert_eq!(imported(&other.space(), &later).judged_stored, 1);
    let numbers: Vec<u64> = other
        .space()
        .decisions()
        .list(None, 10)
        .unwrap()
        .iter()
        .map(|one| one.number)
        .collect();
    assert_eq!(numbers, [2, 1]);
    // A number that is far away makes no decision go, and leaves numbers for others.
    assert!(
        decision.starts_with("{\"decision\":{\"number\":1,"),
        "{decision}"
    );
    for number in [u64::MAX, u64::MAX / 2, 1_000_000] {
        let far = later.replacen("not these", &format!("nor {number}"), 1);
        let far = far.replacen("\"number\":1,", &format!("\"number\":{number},"), 1);
        assert_eq!(imported(&other.space(), &far).judged_stored, 1);
    }
    let numbers: Vec<u64> = other
        .space()
        .decisions()
        .list(None, 10)
        .unwrap()
        .iter()
        .map(|one| one.number)
        .collect();
    assert_eq!(numbers, [5, 4, 3, 2, 1]);
    other.validate();
}

/// A staged memory about a topic and what it is, which the next consolidation treats.
fn tells(world: &World, topic: &str, object: &str) {
    let memory = NewMemory::builder(format!("{topic}{object}"))
        .kind("事件")
        .status(Status::Staged)
        .build()
        .unwrap();
    let id = world.remember(memory);
    let topic = NewEntity::new(topic).kind("主题");
    let said = [
        Assertion::new(NewEntity::new("我").kind("主体"), "事件", topic.clone()),
        Assertion::new(topic, "是", NewEntity::new(object).kind("客体")),
    ];
    world.space().graph().add_triples(id, &said).unwrap();
}

#[test]
fn entities_that_were_parted_stay_two_in_another_file() {
    let world = World::new("graph");
    let one = |world: &World, name: &str| world.space().graph().entities(name).unwrap()[0].id;
    world.at(1.0);
    tells(&world, "手机", "好用");
    tells(&world, "移动电话", "很贵");
    world.at(1.5);
    world.force();
    let merge = world
        .space()
        .graph()
        .merges()
        .list()
        .unwrap()
        .into_iter()
        .find(|merge| merge.reason.contains("synonyms"))
        .unwrap();
    world.space().graph().merges().undo(merge.id).unwrap();
    let text = exported(&world.space());
    let night = |text: &str| {
        let other = World::new("graph");
        let report = imported(&other.space(), text);
        assert_eq!(imported(&other.space(), text).judged_stored, 0);
        other.at(2.0);
        tells(&other, "手机", "轻");
        tells(&other, "移动电话", "重");
        other.at(2.5);
        other.force();
        other.validate();
        (
            report.judged_stored,
            report.left_out,
            one(&other, "手机") == one(&other, "移动电话"),
            other,
        )
    };
    let (stored, left_out, united, other) = night(&text);
    assert_eq!((stored, left_out, united), (1, 0, false));
    assert_eq!(
        other.space().graph().merges().undone().unwrap(),
        world.space().graph().merges().undone().unwrap()
    );
    let renamed = text.replace("\"names\":[\"", "\"names\":[\"旧");
    let (stored, left_out, united, other) = night(&renamed);
    assert_eq!(
        (stored, left_out, united),
        (0, 1, true),
        "nobody knows that they are two"
    );
    assert!(other.space().graph().merges().undone().unwrap().is_empty());
}

#[test]
fn what_may_contradict_each_other_waits_in_another_file() {
    let table = Table::new();
    let world = || {
        let embedder = Arc::clone(&table);
        World::with("graph", move |options| options.embedder(embedder.clone()))
    };
    let first = world();
    table.near("我 早起 让人清醒", "我 早起 让人疲惫", 0.9);
    for (at, object) in [(1.0, "让人疲惫"), (2.0, "让人清醒")] {
        first.at(at);
        let call = serde_json::json!({ "subject": "我", "memory_type": "观点", "topic": "早起", "object": object });
        first
            .space()
            .tools()
            .call("create_memory", &call.to_string())
            .unwrap();
    }
    first.at(2.5);
    first.force();
    let waiting = first.space().reviews().suspicions(10).unwrap();
    assert_eq!(waiting.len(), 1);
    let text = exported(&first.space());
    let other = world();
    assert_eq!(imported(&other.space(), &text).judged_stored, 1);
    assert_eq!(other.space().reviews().suspicions(10).unwrap(), waiting);
    assert_eq!(imported(&other.space(), &text).judged_stored, 0);
    assert_eq!(exported(&other.space()), text);
    other
        .space()
        .reviews()
        .settle(waiting[0].newer, waiting[0].older, false)
        .unwrap();
    other.validate();
}

#[test]
fn what_lost_a_source_and_what_waits_goes_on_in_another_file() {
    let world = World::new("companion");
    let said = ["我搬到柏林了", "柏林很冷"].map(|text| world.said(text));
    let fact = NewMemory::builder("主人住在柏林")
        .kind("fact")
        .derived_from(said[0])
        .derived_from(said[1]);
    let fact = world.remember(fact.build().unwrap());
    world.space().delete(said[1], Mode::Commit).unwrap();
    let since = world.space().lifecycle().stale_since(fact).unwrap();
    assert!(since.is_some());
    let kinds = |world: &World| -> Vec<String> {
        let mut kinds: Vec<String> = world
            .space()
            .queue()
            .list(10)
            .unwrap()
            .into_iter()
            .map(|task| task.kind)
            .collect();
        kinds.retain(|kind| kind != "extract");
        kinds.sort();
        kinds
    };
    assert_eq!(kinds(&world), ["derive", "interpret"]);
    let text = exported(&world.space());
    let other = World::new("companion");
    assert_eq!(imported(&other.space(), &text).judged_stored, 3);
    assert_eq!(
        (
            other.space().lifecycle().stale_since(fact).unwrap(),
            kinds(&other)
        ),
        (since, kinds(&world))
    );
    assert_eq!(imported(&other.space(), &text).judged_stored, 0);
    other.validate();
}

#[test]
fn turns_that_were_deleted_stay_away_from_another_file() {
    let line =
        |n: usize, more: &str| format!("{{\"session\": \"s\", {more} \"text\": \"turn {n}\"}}\n");
    let named = |n: usize| line(n, &format!("\"id\": \"m{n}\","));
    let timed = |n: usize| line(n, &format!("\"time\": \"2026-01-01T10:00:0{n}\","));
    let files: [String; 3] = [
        (0..5).map(named).collect(),
        (0..5).map(timed).collect(),
        (0..5).map(|n| line(n, "")).collect(),
    ];
    for (file, deleted) in files
        .iter()
        .flat_map(|file| [2, 4].map(|deleted| (file, deleted)))
    {
        let memory = annals::blocking::Memory::options().in_memory().unwrap();
        let [first, second] = ["first", "second"].map(|name| memory.namespace(name).unwrap());
        let bring = |space: &Namespace, bring_back: bool| {
            let options = ImportOptions {
                format: annals::ImportFormat::Turns,
                bring_back,
                ..ImportOptions::default()
            };
            let report = space
                .transfer()
                .import(&mut file.as_bytes(), &options, &mut |_| {})
                .unwrap();
            assert_eq!(space.admin().validate().unwrap(), Vec::<String>::new());
            (report.stored, report.already_there, report.deleted)
        };
        assert_eq!(bring(&first, false), (5, 0, 0));
        first
            .delete(
                first.session("s").memories(0, 9).unwrap()[deleted].id,
                Mode::Commit,
            )
            .unwrap();
        let text = exported(&first);
        assert!(
            judged_lines(&text) > 0 && !text.contains(&format!("turn {deleted}")),
            "{text}"
        );
        assert_eq!(imported(&second, &text).judged_stored, judged_lines(&text));
        assert_eq!(imported(&second, &text).judged_stored, 0);
        // Only turns that stay away are known of the session so far.
        let other = second.remember("Something else.").unwrap();
        second.delete(other, Mode::Commit).unwrap();
        assert_eq!(bring(&second, false), (0, 4, 1), "{file}");
        second
            .sessions()
            .append(vec![
                annals::NewTurn::builder("s", "and now?").build().unwrap(),
            ])
            .unwrap();
        assert_eq!(bring(&second, false), (0, 4, 1), "{file}");
        assert_eq!(bring(&second, true), (1, 4, 0), "{file}");
        assert_eq!(bring(&second, false), (0, 5, 0), "{file}");
    }
}
