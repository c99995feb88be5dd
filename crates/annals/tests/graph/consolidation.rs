//! Staged memories become part of the graph: nodes that are one, relations, contradictions, in
//! batches that may be cut off.

use std::sync::Arc;

use crate::support::life::{World, day, near};
use crate::support::script::{Script, Table};
use crate::support::shipped::Noted;
use annals::graph::{Assertion, NewEntity, TripleQuery, View};
use annals::profile::JobStep;
use annals::{Causality, Embedder, JobReport, Judge, MemoryId, NewMemory, Options, Status, Value};

/// Minutes of day 0, in days.
fn minute(minutes: u32) -> f64 {
    f64::from(minutes) / 1440.0
}

fn world(table: &Arc<Table>, judge: &Arc<Script>) -> World {
    let (table, judge) = (Arc::clone(table), Arc::clone(judge));
    World::with("graph", move |options: Options| {
        options.embedder(table.clone()).judge(judge.clone())
    })
}

/// A staged memory of a subject, a topic and perhaps an object.
fn stage(world: &World, text: &str, (topic, object): (&str, Option<&str>)) -> MemoryId {
    let built = NewMemory::builder(text)
        .kind("事件")
        .status(Status::Staged)
        .build()
        .unwrap();
    let id = world.remember(built);
    let topic = NewEntity::new(topic).kind("主题");
    let mut says = vec![Assertion::new(
        NewEntity::new("我").kind("主体"),
        "事件",
        topic.clone(),
    )];
    says.extend(
        object.map(|object| Assertion::new(topic, "是", NewEntity::new(object).kind("客体"))),
    );
    world.space().graph().add_triples(id, &says).unwrap();
    id
}

/// The counts of a step of the consolidation.
pub(crate) fn counts(reports: &[JobReport], step: JobStep) -> Vec<(String, u64)> {
    let report = reports
        .iter()
        .find(|report| report.job == "consolidation")
        .unwrap();
    let made = report.steps.iter().find(|made| made.step == step).unwrap();
    made.counts
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| (name.clone(), *count))
        .collect()
}

fn links(world: &World, id: MemoryId) -> Vec<(MemoryId, String, MemoryId)> {
    world
        .space()
        .graph()
        .links(id)
        .unwrap()
        .into_iter()
        .map(|link| (link.from, link.relation, link.to))
        .collect()
}

#[test]
fn a_run_takes_a_batch_and_leaves_the_rest_staged() {
    // part: G-96; no step updates decay
    let world = World::new("graph");
    let text = annals::profiles::builtin("graph").unwrap().replacen(
        "max_batches = 10",
        "max_batches = 1",
        1,
    );
    world.memory().profiles().store("slow", &text).unwrap();
    world.space().admin().set_profile("slow").unwrap();
    let staged = |n: usize| {
        NewMemory::builder(format!("event {n}"))
            .kind("事件")
            .status(Status::Staged)
            .build()
            .unwrap()
    };
    let ids = world
        .space()
        .bulk()
        .remember((0..250).map(staged).collect())
        .unwrap();
    assert!(
        world.recall("event 249").contains(&"event 249".to_owned()),
        "found before it is consolidated"
    );
    for (run, size) in [100_u64, 100, 50].into_iter().enumerate() {
        world.at(1.0 + run as f64);
        let reports = world.force();
        let steps: Vec<JobStep> = reports[0].steps.iter().map(|made| made.step).collect();
        assert_eq!(
            steps,
            [
                JobStep::Dedup,
                JobStep::Relations,
                JobStep::Conflicts,
                JobStep::Consolidate
            ]
        );
        assert_eq!(
            counts(&reports, JobStep::Consolidate),
            [("consolidated".to_owned(), size)]
        );
        let done = ids
            .iter()
            .filter(|id| world.status(**id) == Some(Status::Active))
            .count();
        assert_eq!(done, [100, 200, 250][run]);
    }
    assert_eq!(world.standing(ids[0]).consolidated_at, Some(day(1.0)));
    assert_eq!(world.standing(ids[249]).consolidated_at, Some(day(3.0)));
    world.at(4.0);
    let reports = world.force();
    assert!(
        reports[0].steps.iter().all(|made| made.counts.is_empty()),
        "{reports:?}"
    );
    world.validate();
}

#[test]
fn what_is_staged_is_found_and_then_consolidated() {
    // spec: G-112, G-119
    let world = World::new("graph");
    let id = stage(&world, "昨天在北京吃了拉面", ("吃饭", Some("拉面")));
    assert!(
        world
            .recall("拉面")
            .contains(&"昨天在北京吃了拉面".to_owned())
    );
    assert_eq!(
        (world.status(id), world.standing(id).consolidated_at),
        (Some(Status::Staged), None)
    );
    world.at(1.0);
    world.force();
    assert_eq!(
        (world.status(id), world.standing(id).consolidated_at),
        (Some(Status::Active), Some(day(1.0)))
    );
}

#[test]
fn causes_are_asked_about_and_linked_with_their_direction() {
    // spec: G-99
    // part: G-97, G-98, G-102
    let (table, judge) = (
        Table::new(),
        Script::causes([Causality::SecondCauses, Causality::FirstCauses]),
    );
    let world = world(&table, &judge);
    table.near("没睡好", "心情不好", 0.5);
    table.near("很困", "没睡好", 0.6);
    let at = |minutes: u32, text: &str| {
        world.at(minute(minutes));
        stage(&world, text, (text, None))
    };
    let mood = at(600, "心情不好");
    let sleep = at(605, "没睡好");
    let tired = at(665, "很困");
    let unlike = at(670, "买了面包");
    at(731, "下雨了");
    world.at(1.0);
    let reports = world.force();
    assert_eq!(
        judge.pairs.lock().unwrap().as_slice(),
        [
            ("心情不好".to_owned(), "没睡好".to_owned()),
            ("没睡好".to_owned(), "很困".to_owned())
        ],
        "the earlier one first; what is unlike is not asked about, nor what is 61 minutes apart"
    );
    assert_eq!(links(&world, mood), [(sleep, "推测因果".to_owned(), mood)]);
    let link = &world.space().graph().links(tired).unwrap()[0];
    assert_eq!((link.from, link.to, link.weight), (sleep, tired, 0.5));
    let fields = [
        ("confidence".to_owned(), Value::Float(0.7)),
        ("discovered".to_owned(), Value::Bool(true)),
    ];
    assert_eq!(link.metadata, fields.into_iter().collect());
    assert_eq!(links(&world, unlike), []);
    assert_eq!(
        counts(&reports, JobStep::Relations),
        [("judged".to_owned(), 2), ("linked".to_owned(), 2)]
    );
    world.validate();
}

#[test]
fn a_cause_has_the_values_of_the_design_and_the_direction_of_the_answer() {
    // spec: G-97, G-98, G-102
    let answers = [
        Causality::SecondCauses,
        Causality::FirstCauses,
        Causality::Neither,
    ];
    let judge = Script::causes(answers);
    let world = World::judged("graph", Some(Arc::clone(&judge) as Arc<dyn Judge>));
    let at = |days: f64, text: &str, topic: &str| {
        world.at(days);
        stage(&world, text, (topic, None))
    };
    let seconds = |seconds: u32| f64::from(seconds) / 86_400.0;
    // Ten o'clock, an hour later, a second and an hour after that.
    let mood = at(seconds(36_000), "我心情不好", "睡眠");
    let sleep = at(seconds(39_600), "我昨晚没睡好", "睡眠");
    let late = at(seconds(43_201), "火车晚点了", "旅行");
    let missed = at(seconds(43_202), "没赶上会议", "旅行");
    let rain = at(seconds(50_000), "外面下雨", "天气");
    let cake = at(seconds(50_100), "天气预报说有风", "天气");
    world.at(1.0);
    world.force();
    let pairs = judge.pairs.lock().unwrap().clone();
    let pair = |first: &str, second: &str| (first.to_owned(), second.to_owned());
    let asked = [
        pair("我心情不好", "我昨晚没睡好"),
        pair("火车晚点了", "没赶上会议"),
        pair("外面下雨", "天气预报说有风"),
    ];
    assert_eq!(pairs, asked, "3600 seconds are near, 3601 are not");
    let caused = |id: MemoryId| {
        let all = world.space().graph().links(id).unwrap();
        all.into_iter()
            .filter(|link| link.relation == "推测因果")
            .collect::<Vec<_>>()
    };
    let fields = [
        ("confidence".to_owned(), Value::Float(0.7)),
        ("discovered".to_owned(), Value::Bool(true)),
    ];
    for (id, cause, effect) in [(mood, sleep, mood), (missed, late, missed)] {
        let links = caused(id);
        assert_eq!(links.len(), 1);
        assert_eq!(
            (links[0].from, links[0].to, links[0].weight),
            (cause, effect, 0.5)
        );
        assert_eq!(links[0].metadata, fields.clone().into_iter().collect());
    }
    assert!(caused(rain).is_empty() && caused(cake).is_empty());
}

#[test]
fn what_shares_a_node_is_chained_once_also_with_what_was_there() {
    // spec: G-103, G-104
    let world = World::new("graph");
    let run = |days: f64, texts: &[(&str, &str)]| -> Vec<MemoryId> {
        world.at(days);
        let ids = texts
            .iter()
            .map(|(text, topic)| stage(&world, text, (topic, None)))
            .collect();
        world.at(days + 0.5);
        world.force();
        ids
    };
    let first = run(
        1.0,
        &[
            ("a", "猫"),
            ("b", "猫"),
            ("c", "猫"),
            ("d", "猫"),
            ("e", "狗"),
            ("f", "鸟"),
        ],
    );
    let edges = |world: &World| world.space().graph().stats().unwrap().links;
    assert_eq!(
        edges(&world),
        3,
        "four of one topic, and the subject that all share does not count"
    );
    let link = &world.space().graph().links(first[0]).unwrap()[0];
    assert_eq!(
        (link.relation.as_str(), link.weight, link.to),
        ("相关", 0.4, first[1])
    );
    world.at(2.0);
    world.force();
    assert_eq!(edges(&world), 3);
    let later = run(3.0, &[("g", "狗")]);
    assert_eq!(
        links(&world, later[0]),
        [(first[4], "相关".to_owned(), later[0])]
    );
    world.validate();
}

#[test]
fn what_is_linked_already_is_not_looked_at_again() {
    // spec: G-105
    let judge = Script::causes([Causality::FirstCauses; 4]);
    let world = World::judged("graph", Some(Arc::clone(&judge) as Arc<dyn Judge>));
    let (sleep, mood) = (
        stage(&world, "没睡好", ("睡眠", None)),
        stage(&world, "心情不好", ("睡眠", None)),
    );
    world.space().graph().link(sleep, "导致", mood).unwrap();
    world.at(0.2);
    world.force();
    assert_eq!((judge.asked(), links(&world, mood).len()), (0, 1));
    world.validate();
}

#[test]
fn steps_that_are_switched_off_are_left_out() {
    // spec: G-116
    let judge = Script::causes([Causality::FirstCauses; 4]);
    let world = World::judged("graph", Some(Arc::clone(&judge) as Arc<dyn Judge>));
    let text = annals::profiles::builtin("graph").unwrap();
    let text = text
        .replacen("enabled = true ", "enabled = false", 1)
        .replacen("strategy = \"mark\"", "strategy = \"none\"", 1);
    world.memory().profiles().store("off", &text).unwrap();
    world.space().admin().set_profile("off").unwrap();
    let (day1, day2) = (
        stage(&world, "我喜欢下雨", ("下雨", None)),
        stage(&world, "我讨厌下雨", ("下雨", None)),
    );
    world
        .space()
        .graph()
        .add_triples(day1, &[Assertion::new("我", "喜欢", "下雨")])
        .unwrap();
    world
        .space()
        .graph()
        .add_triples(day2, &[Assertion::new("我", "讨厌", "下雨")])
        .unwrap();
    world.at(0.6);
    world.force();
    assert_eq!(
        (judge.asked(), links(&world, day1), links(&world, day2)),
        (0, vec![], vec![])
    );
    assert_eq!(
        world.status(day2),
        Some(Status::Active),
        "the other steps run"
    );
    world.validate();
}

#[test]
fn nodes_that_mean_the_same_become_one_and_can_be_parted() {
    // spec: G-107
    // part: G-110, G-118, G-71
    let (table, judge) = (Table::new(), Arc::default());
    let world = world(&table, &judge);
    table.near("心情", "情绪", 0.97);
    table.near("本人", "我", 0.99);
    let old = stage(&world, "我情绪低落", ("情绪", Some("低落")));
    world.at(0.3);
    world.force();
    let new: Vec<MemoryId> = (0..3)
        .map(|n| {
            stage(
                &world,
                &format!("心情 {n}"),
                (["心情", "工作", "天气"][n], Some(["不好", "很多", "晴"][n])),
            )
        })
        .collect();
    let me = NewEntity::new("本人").kind("主体");
    world
        .space()
        .graph()
        .add_triples(
            new[2],
            &[Assertion::new(
                me,
                "事件",
                NewEntity::new("天气").kind("主题"),
            )],
        )
        .unwrap();
    world.at(0.6);
    let reports = world.force();
    let merges = world.space().graph().merges().list().unwrap();
    assert_eq!(
        merges.len(),
        2,
        "the mood, and the topic that was named twice: {merges:?}"
    );
    assert_eq!(
        counts(&reports, JobStep::Dedup),
        [("checked".to_owned(), 7), ("merged".to_owned(), 2)]
    );
    let mood = world.space().graph().entities("情绪").unwrap();
    assert_eq!(world.space().graph().entities("心情").unwrap(), mood);
    let about = world
        .space()
        .graph()
        .triples(&TripleQuery::default().subject(mood[0].id))
        .unwrap()
        .triples;
    let objects: Vec<&str> = about.iter().map(|triple| triple.object.as_str()).collect();
    assert_eq!(
        (
            objects.len(),
            objects.contains(&"不好"),
            objects.contains(&"低落")
        ),
        (2, true, true)
    );
    assert_ne!(
        world.space().graph().entities("本人").unwrap(),
        world.space().graph().entities("我").unwrap()
    );
    assert_eq!(world.space().admin().stats().unwrap().memories, 4);
    assert_eq!(world.status(old), Some(Status::Active));
    let mood_merge = merges
        .iter()
        .find(|merge| merge.similarity.is_some_and(|s| s < 0.999))
        .unwrap();
    near(
        (mood_merge.similarity.unwrap() * 100.0).round() / 100.0,
        0.97,
    );
    world.space().graph().merges().undo(mood_merge.id).unwrap();
    assert_ne!(
        world.space().graph().entities("心情").unwrap(),
        world.space().graph().entities("情绪").unwrap()
    );
    world.validate();
}

#[test]
fn what_a_person_parted_stays_parted() {
    let world = World::new("graph");
    let tell = |topic: &str, object: &str| told(&world, topic, object);
    let one = |name: &str| {
        let found = world.space().graph().entities(name).unwrap();
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        found[0].id
    };
    world.at(1.0);
    tell("手机", "好用");
    tell("移动电话", "很贵");
    world.at(1.5);
    world.force();
    assert_eq!(one("手机"), one("移动电话"));
    let merge = world
        .space()
        .graph()
        .merges()
        .list()
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(merge.reason, "their names are synonyms of the profile");
    world.space().graph().merges().undo(merge.id).unwrap();
    world.at(2.0);
    tell("手机", "轻");
    tell("移动电话", "重");
    assert!(
        world
            .space()
            .graph()
            .merges()
            .candidates(None, 100)
            .unwrap()
            .candidates
            .iter()
            .all(|found| { found.source.name == found.target.name })
    );
    world.at(2.5);
    world.force();
    assert_ne!(
        one("手机"),
        one("移动电话"),
        "those of one name met, those that were parted did not"
    );
    let undone = world.space().graph().merges().undone().unwrap();
    assert_eq!(
        (undone.len(), &undone[0].merge, undone[0].undone_at),
        (1, &merge, day(1.5))
    );
    world.validate();

    // A person may think otherwise later.
    world
        .space()
        .graph()
        .merges()
        .merge(one("移动电话"), one("手机"), "one thing after all")
        .unwrap();
    world.at(3.0);
    tell("移动电话", "新");
    world.at(3.5);
    world.force();
    assert_eq!(one("手机"), one("移动电话"));
    world.validate();
}

#[test]
fn the_reason_of_a_merge_that_was_taken_back_goes_with_its_entities() {
    let world = World::new("graph");
    let both = [
        told(&world, "手机", "好用"),
        told(&world, "移动电话", "很贵"),
    ];
    let one = |name: &str| world.space().graph().entities(name).unwrap()[0].id;
    let merge = world
        .space()
        .graph()
        .merges()
        .merge(one("手机"), one("移动电话"), "both belong to the patient")
        .unwrap();
    world.space().graph().merges().undo(merge.id).unwrap();
    assert_eq!(world.space().graph().merges().undone().unwrap().len(), 1);
    world.space().delete(both[0], annals::Mode::Commit).unwrap();
    assert_eq!(world.space().graph().merges().undone().unwrap(), []);
    world.validate();
}

#[test]
fn namesakes_that_were_parted_stay_two() {
    let world = World::new("graph");
    let friend = |day: f64| {
        world.at(day);
        told(&world, "小明", "爱笑");
        world.at(day + 0.5);
        world.force();
    };
    friend(1.0);
    friend(2.0);
    let merge = world
        .space()
        .graph()
        .merges()
        .list()
        .unwrap()
        .into_iter()
        .find(|merge| merge.time == day(2.5))
        .unwrap();
    world.space().graph().merges().undo(merge.id).unwrap();
    let of_name = || world.space().graph().entities("小明").unwrap().len();
    assert_eq!(of_name(), 2);
    friend(3.0);
    assert_eq!(of_name(), 2, "the third is one of them");
    world.validate();
}

#[test]
fn a_dry_run_says_what_the_steps_of_due_jobs_would_look_at() {
    let world = World::new("graph");
    world.at(1.0);
    told(&world, "手机", "好用");
    told(&world, "移动电话", "很贵");
    let foreseen = |world: &World| {
        let reports = world
            .memory()
            .maintain(false, annals::Mode::DryRun)
            .unwrap();
        let steps = reports[0]
            .steps
            .iter()
            .flat_map(|made| made.counts.values().map(|count| (made.step, *count)));
        steps
            .filter(|(step, count)| *step != JobStep::Rules && *count > 0)
            .collect::<Vec<_>>()
    };
    let looking = [
        JobStep::Dedup,
        JobStep::Relations,
        JobStep::Conflicts,
        JobStep::Consolidate,
    ]
    .map(|step| (step, 2));
    assert_eq!(foreseen(&world), looking);
    assert!(
        world.space().graph().merges().list().unwrap().is_empty(),
        "nothing was done"
    );
    world.force();
    assert_eq!(foreseen(&world), []);
}

#[test]
fn what_is_found_is_merged_for_what_it_was_found_for() {
    let world = World::new("graph");
    told(&world, "手机", "好用");
    told(&world, "移动电话", "很贵");
    let found = world
        .space()
        .graph()
        .merges()
        .candidates(None, 100)
        .unwrap()
        .candidates;
    let pair = found
        .iter()
        .find(|found| found.source.name == "移动电话")
        .unwrap();
    let merge = world.space().graph().merges().accept(pair).unwrap();
    assert_eq!(
        (merge.similarity, merge.reason.as_str()),
        (Some(1.0), "their names are synonyms of the profile")
    );
    world.validate();
}

#[test]
fn names_are_embedded_fifty_at_a_time() {
    // spec: G-108
    let embedder = Noted::new();
    let shown = Arc::clone(&embedder);
    let world = World::with("graph", move |options: Options| {
        options.embedder(Arc::clone(&shown) as Arc<dyn Embedder>)
    });
    let asked = || std::mem::take(&mut *embedder.batches.lock().unwrap());
    let built = NewMemory::builder("many things")
        .kind("事实")
        .status(Status::Staged)
        .build()
        .unwrap();
    let id = world.remember(built);
    let says: Vec<Assertion> = (0..120)
        .map(|n| {
            Assertion::new(
                NewEntity::new("我").kind("主体"),
                "有",
                NewEntity::new(format!("{n}")).kind("客体"),
            )
        })
        .collect();
    world.space().graph().add_triples(id, &says).unwrap();
    world.memory().wait_idle().unwrap();
    asked();
    world.at(0.3);
    world.force();
    assert_eq!(asked(), [50, 50, 20]);
    stage(&world, "one more", ("茶", None));
    world.memory().wait_idle().unwrap();
    asked();
    world.at(0.6);
    world.force();
    assert_eq!(asked(), [1], "what has an embedding keeps it");
}

/// Stores an opinion of the user by a tool call of a model; answers the memory.
fn told(world: &World, topic: &str, object: &str) -> MemoryId {
    let call = serde_json::json!({
        "subject": "我", "memory_type": "观点", "topic": topic, "object": object, "importance": 0.6
    });
    let reply = world
        .space()
        .tools()
        .call("create_memory", &call.to_string())
        .unwrap();
    let reply: serde_json::Value = serde_json::from_str(reply.as_json()).unwrap();
    reply["memory_id"].as_str().unwrap().parse().unwrap()
}

#[test]
fn contradictions_told_through_tools_are_marked_and_the_newer_counts() {
    // spec: G-106, G-122
    let world = World::new("graph");
    world.at(1.0);
    let likes = told(&world, "喜欢", "下雨");
    world.at(2.0);
    let hates = told(&world, "讨厌", "下雨");
    world.at(2.5);
    let reports = world.force();
    let step = counts(&reports, JobStep::Conflicts);
    assert!(
        step.contains(&("closed".to_owned(), 1))
            && step.contains(&("contradictions".to_owned(), 1)),
        "{step:?}"
    );
    let link = world
        .space()
        .graph()
        .links(hates)
        .unwrap()
        .into_iter()
        .find(|link| link.relation == "冲突")
        .unwrap();
    assert_eq!((link.from, link.to), (hates, likes));
    assert_eq!(
        link.metadata,
        [("conflict".to_owned(), Value::Bool(true))]
            .into_iter()
            .collect()
    );
    let older = world.space().get(likes).unwrap().unwrap();
    assert_eq!(
        (older.body.valid_until, older.status),
        (Some(day(2.0)), Status::Active)
    );
    let newer = world.space().get(hates).unwrap().unwrap();
    assert_eq!(newer.body.valid_until, None);

    let reply = world
        .space()
        .tools()
        .call("search_memories", r#"{"query":"下雨"}"#)
        .unwrap();
    let reply: serde_json::Value = serde_json::from_str(reply.as_json()).unwrap();
    let results = reply["results"].as_array().unwrap();
    let found: Vec<(&str, bool)> = results
        .iter()
        .map(|result| {
            (
                result["memory_id"].as_str().unwrap(),
                result["outdated"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (hates.to_string().as_str(), false),
            (likes.to_string().as_str(), true)
        ],
        "{results:#?}"
    );

    let hits = world.space().recall("下雨").unwrap();
    let older = hits.iter().find(|hit| hit.id == likes).unwrap();
    let parts = older
        .explanation
        .parts
        .iter()
        .map(|part| part.contribution)
        .filter(|part| *part > 0.0);
    near(f64::from(older.score / parts.sum::<f32>()), 0.5);
    world.at(3.0);
    world.force();
    assert_eq!(
        world.space().history(likes).unwrap().len(),
        2,
        "a second run changes nothing"
    );
    world.validate();
}

#[test]
fn an_opinion_may_stand_on_either_side_and_be_said_in_other_degrees() {
    let marked = |first: (&str, &str), second: (&str, &str)| {
        let world = World::new("graph");
        world.at(1.0);
        let older = told(&world, first.0, first.1);
        world.at(2.0);
        let newer = told(&world, second.0, second.1);
        let clashes = world.space().graph().clashes(newer).unwrap();
        world.at(2.5);
        world.force();
        let marked = links(&world, newer).contains(&(newer, "冲突".to_owned(), older));
        assert_eq!(
            clashes.is_empty(),
            !marked,
            "{first:?} {second:?} {clashes:?}"
        );
        world.validate();
        marked
    };
    for (first, second) in [
        (("下雨", "喜欢"), ("下雨", "讨厌")),
        (("咖啡", "很好喝"), ("咖啡", "不好喝")),
        (("喜欢", "下雨"), ("下雨", "不太喜欢")),
        (("rain", "likes"), ("rain", "hates")),
    ] {
        assert!(marked(first, second), "{first:?} {second:?}");
    }
    for (first, second) in [
        (("喜欢", "下雨"), ("讨厌", "下雪")),
        (("咖啡", "好喝"), ("茶", "不好喝")),
        (("喜欢", "下雨"), ("很喜欢", "下雨")),
        (("不喜欢", "下雨"), ("讨厌", "下雨")),
    ] {
        assert!(!marked(first, second), "{first:?} {second:?}");
    }
}

#[test]
fn what_others_hold_and_what_was_so_elsewhere_is_no_contradiction() {
    let world = World::new("graph");
    let tell = |call: &str| {
        let reply = world
            .space()
            .tools()
            .call("create_memory", call)
            .unwrap()
            .as_json()
            .to_owned();
        assert!(reply.contains("memory_id"), "{reply}");
    };
    world.at(1.0);
    tell(
        r#"{"subject":"小明","memory_type":"观点","topic":"喜欢","object":"下雨","importance":0.6}"#,
    );
    tell(
        r#"{"subject":"我","memory_type":"事实","topic":"天气","object":"好","attributes":{"地点":"北京"},"importance":0.6}"#,
    );
    tell(
        r#"{"subject":"我","memory_type":"事实","topic":"心情","object":"好",
            "attributes":{"时间":"2026-01-01"},"importance":0.6}"#,
    );
    world.at(2.0);
    tell(
        r#"{"subject":"我","memory_type":"观点","topic":"讨厌","object":"下雨","importance":0.6}"#,
    );
    tell(
        r#"{"subject":"我","memory_type":"事实","topic":"天气","object":"不好","attributes":{"地点":"上海"},"importance":0.6}"#,
    );
    tell(
        r#"{"subject":"我","memory_type":"事实","topic":"心情","object":"不好",
            "attributes":{"时间":"2026-01-02"},"importance":0.6}"#,
    );
    world.at(2.5);
    let reports = world.force();
    let step = counts(&reports, JobStep::Conflicts);
    assert!(
        step.iter()
            .all(|(name, _)| name != "contradictions" && name != "closed"),
        "{step:?}"
    );
    world.validate();
}

/// Two opinions that are alike and whose words do not say that one contradicts the other.
fn suspects(world: &World, table: &Table) -> (MemoryId, MemoryId) {
    table.near("我 早起 让人清醒", "我 早起 让人疲惫", 0.9);
    world.at(1.0);
    let older = told(world, "早起", "让人疲惫");
    world.at(2.0);
    (told(world, "早起", "让人清醒"), older)
}

#[test]
fn what_is_only_suspected_waits_for_a_person() {
    let table = Table::new();
    let embedder = Arc::clone(&table);
    let world = World::with("graph", move |options: Options| {
        options.embedder(embedder.clone())
    });
    let (newer, older) = suspects(&world, &table);
    world.at(2.5);
    let step = counts(&world.force(), JobStep::Conflicts);
    assert!(step.contains(&("suspected".to_owned(), 1)), "{step:?}");
    let waiting = world.space().reviews().suspicions(10).unwrap();
    let [pair] = waiting.as_slice() else {
        panic!("{waiting:?}")
    };
    assert_eq!(
        (pair.newer, pair.older, pair.newer_text.as_str()),
        (newer, older, "我 早起 让人清醒")
    );
    near((pair.similarity * 100.0).round() / 100.0, 0.9);
    assert!(
        world
            .space()
            .reviews()
            .settle(older, newer, true)
            .unwrap_err()
            .is_not_found()
    );
    world.validate();

    world.space().reviews().settle(newer, older, true).unwrap();
    assert!(links(&world, newer).contains(&(newer, "冲突".to_owned(), older)));
    assert_eq!(
        world.space().get(older).unwrap().unwrap().body.valid_until,
        Some(day(2.0))
    );
    assert!(world.space().reviews().suspicions(10).unwrap().is_empty());
    assert!(
        world
            .space()
            .reviews()
            .settle(newer, older, false)
            .unwrap_err()
            .is_not_found()
    );
    let decided = world
        .space()
        .decisions()
        .list(Some(newer), 1)
        .unwrap()
        .remove(0);
    assert_eq!(
        (decided.answer.as_str(), decided.by.as_str()),
        ("yes", "a person")
    );
    world.space().decisions().undo(decided.number).unwrap();
    assert!(!links(&world, newer).contains(&(newer, "冲突".to_owned(), older)));
    assert_eq!(
        world.space().get(older).unwrap().unwrap().body.valid_until,
        None
    );
    assert_eq!(
        world.space().reviews().suspicions(10).unwrap(),
        waiting,
        "somebody is to decide again"
    );
    world.validate();
    world.space().reviews().settle(newer, older, false).unwrap();
    let decided = world
        .space()
        .decisions()
        .list(Some(newer), 1)
        .unwrap()
        .remove(0);
    assert_eq!(
        (decided.answer.as_str(), decided.can_be_undone),
        ("no", true)
    );
    world.space().decisions().undo(decided.number).unwrap();
    assert_eq!(world.space().reviews().suspicions(10).unwrap(), waiting);
    // A memory with another text is under no suspicion.
    world.space().update(newer, "我每天游泳").unwrap();
    assert_eq!(world.space().reviews().suspicions(10).unwrap(), []);
    world.validate();
}

#[test]
fn the_newer_of_a_pair_is_what_happened_later() {
    let table = Table::new();
    let embedder = Arc::clone(&table);
    let world = World::with("graph", move |options: Options| {
        options.embedder(embedder.clone())
    });
    table.near("早起让人清醒", "早起让人疲惫", 0.9);
    let opinion = |text: &str| {
        NewMemory::builder(text)
            .kind("观点")
            .status(Status::Staged)
            .importance(0.6)
    };
    world.at(1.0);
    let early = world.remember(opinion("早起让人疲惫").build().unwrap());
    world.at(2.0);
    // Told last of what was so before.
    let late = world.remember(
        opinion("早起让人清醒")
            .event_time(day(0.5))
            .build()
            .unwrap(),
    );
    world.at(2.5);
    world.force();
    let waiting = world.space().reviews().suspicions(10).unwrap();
    let [pair] = waiting.as_slice() else {
        panic!("{waiting:?}")
    };
    assert_eq!(
        (pair.newer, pair.older, pair.newer_text.as_str()),
        (early, late, "早起让人疲惫")
    );
    assert!(
        world
            .space()
            .reviews()
            .settle(late, early, true)
            .unwrap_err()
            .is_not_found()
    );
    world.space().reviews().settle(early, late, true).unwrap();
    let until = |id: MemoryId| world.space().get(id).unwrap().unwrap().body.valid_until;
    assert_eq!((until(early), until(late)), (None, Some(day(1.0))));
    let decided = world
        .space()
        .decisions()
        .list(Some(early), 1)
        .unwrap()
        .remove(0);
    assert_eq!(decided.memories, [early, late]);
    world.space().decisions().undo(decided.number).unwrap();
    assert_eq!(world.space().reviews().suspicions(10).unwrap(), waiting);
    world.validate();
}

#[test]
fn a_suspicion_goes_with_either_memory() {
    let table = Table::new();
    let embedder = Arc::clone(&table);
    let world = World::with("graph", move |options: Options| {
        options.embedder(embedder.clone())
    });
    let (_, older) = suspects(&world, &table);
    world.at(2.5);
    world.force();
    assert_eq!(world.space().reviews().suspicions(10).unwrap().len(), 1);
    world.space().delete(older, annals::Mode::Commit).unwrap();
    assert!(world.space().reviews().suspicions(10).unwrap().is_empty());
    world.validate();
}

#[test]
fn a_judge_who_comes_later_is_asked_what_is_suspected() {
    let (table, judge) = (Table::new(), Script::answers([true]));
    let embedder = Arc::clone(&table);
    let mut world = World::with("graph", move |options: Options| {
        options.embedder(embedder.clone())
    });
    let (newer, older) = suspects(&world, &table);
    world.at(2.5);
    world.force();
    assert_eq!(world.space().reviews().suspicions(10).unwrap().len(), 1);
    let (embedder, asked) = (Arc::clone(&table), Arc::clone(&judge));
    world.set(move |options: Options| options.embedder(embedder.clone()).judge(asked.clone()));
    world.at(3.0);
    world.force();
    let texts = ("我 早起 让人清醒".to_owned(), "我 早起 让人疲惫".to_owned());
    assert_eq!(judge.pairs.lock().unwrap().as_slice(), [texts]);
    assert!(links(&world, newer).contains(&(newer, "冲突".to_owned(), older)));
    assert!(world.space().reviews().suspicions(10).unwrap().is_empty());
    world.validate();
}

#[test]
fn statements_that_contradict_each_other_are_marked() {
    let world = World::new("graph");
    let rain = |days: f64, text: &str, verb: &str| {
        world.at(days);
        let id = world.remember(
            NewMemory::builder(text)
                .kind("观点")
                .status(Status::Staged)
                .build()
                .unwrap(),
        );
        world
            .space()
            .graph()
            .add_triples(id, &[Assertion::new("我", verb, "下雨")])
            .unwrap();
        id
    };
    let likes = rain(1.0, "我喜欢下雨", "喜欢");
    let hates = rain(2.0, "我讨厌下雨", "讨厌");
    world.at(2.5);
    let reports = world.force();
    let step = counts(&reports, JobStep::Conflicts);
    assert!(
        step.contains(&("closed".to_owned(), 1))
            && step.contains(&("contradictions".to_owned(), 1)),
        "{step:?}"
    );
    let link = &world.space().graph().links(hates).unwrap()[0];
    assert_eq!(
        (link.from, link.relation.as_str(), link.to),
        (hates, "冲突", likes)
    );
    assert_eq!(
        link.metadata,
        [("conflict".to_owned(), Value::Bool(true))]
            .into_iter()
            .collect()
    );
    let older = world.space().get(likes).unwrap().unwrap();
    assert_eq!(
        (older.body.valid_until, older.status),
        (Some(day(2.0)), Status::Active)
    );
    let said = |view: View| -> Vec<String> {
        let page = world
            .space()
            .graph()
            .triples(&TripleQuery::default().view(view))
            .unwrap();
        page.triples
            .into_iter()
            .map(|triple| triple.predicate)
            .collect()
    };
    assert_eq!(
        said(View::NOW),
        ["讨厌"],
        "what is true no more counts in questions as of then only"
    );
    assert_eq!(said(View::as_of(day(1.5))), ["喜欢"]);
    let found = world.space().recall("下雨").unwrap();
    let score = |id: MemoryId| found.iter().find(|hit| hit.id == id).unwrap().score;
    let relevance = |id: MemoryId| -> f32 {
        let hit = found.iter().find(|hit| hit.id == id).unwrap();
        hit.explanation
            .parts
            .iter()
            .filter(|part| part.contribution > 0.0)
            .map(|part| part.contribution)
            .sum()
    };
    assert_eq!(found[0].id, hates, "{found:#?}");
    near(f64::from(score(likes) / relevance(likes)), 0.5);
    world.at(3.0);
    world.force();
    assert_eq!(
        world.space().history(likes).unwrap().len(),
        2,
        "a second run changes nothing"
    );
    world.validate();
}

#[test]
fn a_run_that_was_cut_off_comes_to_the_same() {
    // part: G-117, G-115, X-10
    let finish = |disturbed: bool| {
        let (table, judge) = (Table::new(), Script::causes([Causality::FirstCauses]));
        let mut world = world(&table, &judge);
        table.near("心情", "情绪", 0.97);
        table.near("我心情不好", "我情绪低落", 0.8);
        stage(&world, "我情绪低落", ("情绪", Some("低落")));
        stage(&world, "我心情不好", ("心情", Some("不好")));
        *judge.asleep.lock().unwrap() = disturbed;
        world.at(0.3);
        let reports = world.memory().maintain(true, annals::Mode::Commit).unwrap();
        if disturbed {
            let failed = reports[0].steps.last().unwrap();
            assert_eq!(
                (failed.step, failed.retry_at),
                (JobStep::Relations, Some(day(0.3).plus_millis(600_000)))
            );
            assert_eq!(
                world.space().graph().merges().list().unwrap().len(),
                1,
                "the step before is done"
            );
            world.reopen();
            *judge.asleep.lock().unwrap() = false;
            world.clock.set(day(0.3).plus_millis(599_999));
            assert!(
                world
                    .maintain()
                    .iter()
                    .all(|report| report.job != "consolidation")
            );
            world.clock.set(day(0.3).plus_millis(600_000));
            let again = world.maintain();
            assert_eq!((&*again[0].why, again[0].at), ("resume", day(0.3)));
        }
        world.validate();
        let mut out = Vec::new();
        world
            .space()
            .graph()
            .export(
                &annals::graph::GraphExport::new(annals::graph::Format::Json),
                &mut out,
            )
            .unwrap();
        (
            String::from_utf8(out).unwrap(),
            world.space().graph().merges().list().unwrap(),
        )
    };
    assert_eq!(finish(true), finish(false));
}

#[test]
fn what_is_consolidated_goes_on_fading() {
    // spec: G-111
    let world = World::new("graph");
    let built = NewMemory::builder("我吃了白米饭")
        .kind("事件")
        .importance(0.5)
        .status(Status::Staged)
        .build()
        .unwrap();
    let id = world.remember(built);
    world.at(0.3);
    world.force();
    world
        .space()
        .lifecycle()
        .signal(&[id], annals::profile::Signal::Returned)
        .unwrap();
    world.at(10.3);
    world.force();
    near(
        world.standing(id).retention,
        0.5 * (-0.5_f64).exp() * (1.0 + 2.0_f64.ln()),
    );
}
