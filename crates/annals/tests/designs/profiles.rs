//! The five profiles as a program sees them: memories are stored, used, maintained and asked for
//! through the facade alone.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::support::life::{World, day, near};
use annals::profile::{ReviewKind, Signal};
use annals::{
    Filter, Judge, JudgeError, Judgement, ListQuery, MemoryId, Mode, NewMemory, Reasoned,
    ReviewCase, Status, Verdict,
};

#[test]
fn companion_decays_by_passes_until_a_review() {
    // spec: C-59, C-54, C-78
    let mut world = World::new("companion");
    let fact = world.kind("fact", "主人喜欢拉面");
    let mut values = Vec::new();
    for day in 0..=14 {
        world.at(f64::from(day) + f64::from(day) / 1440.0);
        world.maintain();
        values.push(world.score(fact));
        assert_eq!(
            world.space().reviews().pending(10).unwrap().len(),
            usize::from(day == 14),
            "day {day}"
        );
        if day == 10 {
            world.reopen();
        }
    }
    values[..5].iter().for_each(|value| near(*value, 1.0));
    near(values[5], 0.85);
    near(values[12], 0.272_491);
    near(values[14], 0.196_874);
    let waiting = world.space().reviews().pending(10).unwrap();
    assert_eq!(
        (waiting[0].id, waiting[0].kind, waiting[0].text.as_str()),
        (fact, ReviewKind::Decay, "主人喜欢拉面")
    );
    near(waiting[0].score, 0.196_874);
    assert!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Promote, Verdict::Keep)
            .unwrap_err()
            .is_not_found()
    );
    world.reopen();
    assert_eq!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Decay, Verdict::Keep)
            .unwrap(),
        Verdict::Keep
    );
    near(world.score(fact), 0.5);
    assert_eq!(world.space().reviews().pending(10).unwrap(), []);
    assert!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Decay, Verdict::Keep)
            .unwrap_err()
            .is_not_found()
    );
    world.validate();
}

#[test]
fn companion_lets_an_episode_go_without_a_review() {
    // spec: C-53
    let world = World::new("companion");
    let episode = world.kind("episode", "主人今天吃了拉面");
    for day in 1..=6 {
        world.at(f64::from(day) + 23.0 / 24.0);
        world.force();
        assert!(world.space().get(episode).unwrap().is_some(), "day {day}");
    }
    world.at(8.0);
    let reports = world.maintain();
    assert_eq!(reports[0].steps[1].counts["deleted"], 1);
    assert_eq!(world.space().get(episode).unwrap(), None);
    assert_eq!(world.space().reviews().pending(10).unwrap(), []);
    assert_eq!(world.recall("拉面"), [""; 0]);
    world.validate();
}

#[test]
fn companion_decays_once_a_day_at_most() {
    // spec: C-51, C-58, C-62
    let mut world = World::new("companion");
    world.maintain();
    let fact = world.kind("fact", "主人住在柏林");
    let fresh = |world: &World, idle: f64, now: f64| {
        world.at(now - idle);
        world.kind("fact", &format!("主人喜欢茶 {idle}"))
    };
    let idle = [4.0 + 23.0 / 24.0, 5.0].map(|idle| fresh(&world, idle, 12.0));
    world.reopen();
    world.at(12.0);
    world.maintain();
    near(world.score(fact), 0.85);
    near(world.score(idle[0]), 1.0);
    near(world.score(idle[1]), 0.85);
    world.at(12.0 + 1.0 / 24.0);
    world.force();
    near(world.score(fact), 0.85);
    world.at(13.0 + 1.0 / 1440.0);
    world.force();
    near(world.score(fact), 0.7225);
    // A clock that goes back neither makes a pass nor gives anything back.
    world.at(12.9);
    assert_eq!(world.maintain(), []);
    world.force();
    world.at(13.0 + 2.0 / 1440.0);
    near(world.score(fact), 0.7225);
    world.validate();
}

#[test]
fn companion_is_strengthened_by_what_was_of_use() {
    // spec: C-28, C-63, C-69, C-76
    let mut world = World::new("companion");
    let fact = world.scored("fact", 1.9, "主人叫小满");
    let (core, turn) = (
        world.kind("core", "主人生日是5月3日"),
        world.said("我叫小满"),
    );
    world.at(0.5);
    assert!(!world.recall("小满").is_empty());
    near(world.score(fact), 1.9);
    let counted = world.space().touch(&[fact, turn]).unwrap();
    assert_eq!(
        (counted.len(), counted[0].counted),
        (2, annals::Counted::Yes)
    );
    near(counted[0].after, 2.2);
    assert_eq!(
        world.space().touch(&[fact]).unwrap()[0].counted,
        annals::Counted::Cooldown
    );
    near(world.score(fact), 2.2);
    world.at(1.5);
    world.space().touch(&[fact]).unwrap();
    near(world.score(fact), 2.5);
    assert_eq!(world.standing(fact).used, 2);
    world.maintain();
    let waiting = world.space().reviews().pending(10).unwrap();
    assert_eq!(
        waiting
            .iter()
            .map(|review| (review.id, review.kind))
            .collect::<Vec<_>>(),
        [(fact, ReviewKind::Promote)]
    );
    world.reopen();
    assert_eq!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Promote, Verdict::Promote)
            .unwrap(),
        Verdict::Promote
    );
    assert_eq!(world.standing(fact).class, "core");
    assert_eq!(
        world.space().get(fact).unwrap().unwrap().body.kind.as_str(),
        "core"
    );
    let context = world
        .space()
        .context(annals::ContextRequest::new("主人叫什么？"))
        .unwrap()
        .text;
    assert_eq!(context.matches("主人叫小满").count(), 1, "{context}");
    for day in 2..20 {
        world.at(f64::from(day) * 1.01);
        world.maintain();
    }
    near(world.score(fact), 2.5);
    near(world.score(core), 3.0);
    assert_eq!(world.status(turn), Some(Status::Active));
    let refused = world
        .space()
        .remember(NewMemory::builder("x").kind("rumour").build().unwrap())
        .unwrap_err();
    assert!(
        refused.is_invalid() && refused.to_string().contains("episode"),
        "{refused}"
    );
    world.validate();
}

/// A judge that says what it is told to, and keeps what it was shown.
#[derive(Default)]
struct Script {
    says: Mutex<VecDeque<Judgement>>,
    shown: Mutex<Vec<Vec<MemoryId>>>,
}

impl Script {
    fn of(says: impl IntoIterator<Item = Judgement>) -> Arc<Self> {
        Arc::new(Self {
            says: Mutex::new(says.into_iter().collect()),
            shown: Mutex::default(),
        })
    }
}

impl Judge for Script {
    fn review(&self, case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        self.shown
            .lock()
            .unwrap()
            .push(case.related.iter().map(|shown| shown.id).collect());
        let next = self.says.lock().unwrap().pop_front();
        next.map(Reasoned::from).ok_or(JudgeError::Unavailable {
            what: "the model".to_owned(),
            reason: "it sleeps".to_owned(),
            wait: None,
        })
    }
}

/// A world with a fact of 0.23 that the next pass sends to review, and nine others like it.
fn up_for_review(judge: &Arc<Script>) -> (World, MemoryId, Vec<MemoryId>) {
    let world = World::judged("companion", Some(Arc::clone(judge) as Arc<dyn Judge>));
    let fact = world.scored("fact", 0.23, "小满的生日蛋糕是草莓味的");
    let others = (0..9)
        .map(|n| world.kind("fact", &format!("小满的生日礼物第{n}件")))
        .collect();
    world.at(6.0);
    (world, fact, others)
}

#[test]
fn a_judge_keeps_and_searches() {
    // spec: C-70, C-72, C-74
    let judge = Script::of([Judgement::Search("车站的面馆".to_owned()), Judgement::Keep]);
    let (world, fact, others) = up_for_review(&judge);
    let noodles = world.kind("fact", "车站旁边有一家面馆");
    let reports = world.maintain();
    assert_eq!(reports[0].steps[2].counts, [("kept".to_owned(), 1)].into());
    near(world.score(fact), 0.5);
    let shown = judge.shown.lock().unwrap().clone();
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0].len(), 5);
    assert!(shown[0].iter().all(|id| others.contains(id)) && shown[1].starts_with(&shown[0]));
    assert!(shown[1].contains(&noodles) && !shown[1].contains(&fact));
    assert_eq!(world.space().reviews().pending(10).unwrap(), []);
    world.validate();
}

#[test]
fn a_judge_deletes_with_what_hangs_on_it() {
    // spec: C-79
    let judge = Script::of([Judgement::Delete]);
    let (world, fact, _) = up_for_review(&judge);
    let reports = world.maintain();
    assert_eq!(
        reports[0].steps[2].counts,
        [("deleted".to_owned(), 1)].into()
    );
    assert_eq!(world.space().get(fact).unwrap(), None);
    assert!(
        !world
            .recall("草莓味的蛋糕")
            .iter()
            .any(|text| text.contains("草莓"))
    );
    assert_eq!(world.space().reviews().pending(10).unwrap(), []);
    world.validate();
}

#[test]
fn without_a_verdict_a_memory_stays_and_is_asked_about_again() {
    // spec: C-80, C-81
    let judge = Script::of([]);
    let (mut world, fact, _) = up_for_review(&judge);
    assert_eq!(
        world.attempt()[0].steps[2].counts,
        [("failed".to_owned(), 1)].into()
    );
    let waiting = world.space().reviews().pending(10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].id, waiting[0].attempts),
        (1, fact, 1)
    );
    assert!(
        waiting[0].last_error.contains("sleeps"),
        "{}",
        waiting[0].last_error
    );
    world.at(6.5);
    world.force();
    assert_eq!(
        judge.shown.lock().unwrap().len(),
        1,
        "not before a day has passed"
    );
    world.reopen();
    judge.says.lock().unwrap().push_back(Judgement::Promote);
    world.at(7.01);
    assert_eq!(
        world.force()[0].steps[2].counts,
        [("kept".to_owned(), 1)].into()
    );
    near(world.score(fact), 0.5);
    assert_eq!(world.standing(fact).class, "fact");
    world.validate();
}

#[test]
fn a_judge_that_is_away_is_asked_once_and_the_reason_is_told() {
    let judge = Script::of([]);
    let world = World::judged("companion", Some(Arc::clone(&judge) as Arc<dyn Judge>));
    for text in ["主人喜欢拉面", "主人养了一只猫", "主人住在柏林"] {
        world.scored("fact", 0.23, text);
    }
    world.at(6.0);
    let report = world.attempt().remove(0);
    let step = &report.steps[2];
    assert_eq!(
        step.counts,
        [("failed".to_owned(), 1), ("waiting".to_owned(), 2)].into()
    );
    assert_eq!(
        judge.shown.lock().unwrap().len(),
        1,
        "nobody is there for the others either"
    );
    assert!(
        !report.succeeded() && step.error.as_ref().unwrap().contains("sleeps"),
        "{step:?}"
    );
    assert_eq!(step.retry_at, Some(day(7.0)));
    let waiting = world.space().reviews().pending(10).unwrap();
    let next: Vec<_> = waiting.iter().map(|review| review.retry_at).collect();
    assert_eq!(next, [Some(day(7.0)), None, None]);
    let jobs = world.memory().jobs().list().unwrap();
    let last = jobs.iter().find_map(|job| job.last.as_ref()).unwrap();
    let told = last
        .steps
        .iter()
        .find_map(|step| step.error.as_deref())
        .unwrap();
    assert!(
        told.contains("sleeps") && told.contains("next attempt 2026-01-08 00:00"),
        "{told}"
    );
}

#[test]
fn an_edited_memory_still_waits() {
    let world = World::new("companion");
    let fact = world.scored("fact", 0.23, "主人喜欢拉面");
    world.at(6.0);
    assert_eq!(
        world.maintain()[0].steps[2].counts,
        [("waiting".to_owned(), 1)].into()
    );
    world.space().update(fact, "主人很喜欢拉面").unwrap();
    let waiting = world.space().reviews().pending(10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].text.as_str()),
        (1, "主人很喜欢拉面")
    );
    assert_eq!(
        world
            .space()
            .reviews()
            .decide(fact, ReviewKind::Decay, Verdict::Delete)
            .unwrap(),
        Verdict::Delete
    );
    assert_eq!(world.space().get(fact).unwrap(), None);
    world.validate();
}

/// The profile with a part of its text replaced.
fn altered(name: &str, from: &str, to: &str) -> String {
    let text = annals::profiles::builtin(name).unwrap();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn studio_lowers_once_a_day() {
    // spec: S-68, S-69
    let mut world = World::new("studio");
    let fact = world.kind("fact", "用户用 Vue 写前端");
    near(world.score(fact), 0.8);
    world.at(98.0);
    world.force();
    near(world.standing(fact).retention, 0.300_249);
    world.at(99.0);
    near(world.standing(fact).retention, 0.297_261);
    world.reopen();
    world.force();
    near(world.standing(fact).importance, 0.72);
    // What nights lower shortens no life.
    near(world.standing(fact).retention, 0.297_261);
    world.at(99.1);
    world.force();
    near(world.standing(fact).importance, 0.72);
    near(world.standing(fact).retention, 0.8 * (-0.991_f64).exp());
    world.validate();
}

#[test]
fn studio_forgets_and_brings_back() {
    // part: S-67, S-73, S-74, S-75
    let mut world = World::new("studio");
    world
        .memory()
        .profiles()
        .store("plain", &altered("studio", "value = 0.3", "value = 0.1"))
        .unwrap();
    world.space().admin().set_profile("plain").unwrap();
    let preference = world.kind("preference", "用户喜欢深色主题");
    let weak = world.scored("fact", 0.05, "用户有一只猫");
    world.at(1.0);
    world.force();
    assert_eq!(world.status(weak), Some(Status::Forgotten));
    assert_eq!(
        world
            .recall("猫")
            .iter()
            .filter(|text| text.contains('猫'))
            .count(),
        0
    );
    let forgotten = Filter {
        statuses: vec![Status::Forgotten],
        ..Filter::default()
    };
    let page = world
        .space()
        .list(&ListQuery {
            filter: forgotten,
            ..ListQuery::default()
        })
        .unwrap();
    assert_eq!(
        page.memories
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>(),
        [weak]
    );
    assert_eq!(world.space().admin().stats().unwrap().memories, 2);
    world.at(100.0);
    world.space().restore(weak).unwrap();
    near(world.score(weak), 0.4);
    world.at(101.0);
    world.reopen();
    world.force();
    assert_eq!(world.status(weak), Some(Status::Active));
    world.at(219.0);
    world.force();
    assert_eq!(world.status(preference), Some(Status::Active));
    near(world.standing(preference).retention, 0.100_725);
    world.at(220.0);
    world.force();
    assert_eq!(world.status(preference), Some(Status::Forgotten));
    near(world.standing(preference).retention, 0.099_723);
    world.validate();
}

#[test]
fn agent_keeps_each_as_long_as_it_is_needed() {
    // spec
    let mut world = World::new("agent");
    let with = |kind: &str, key: &str, value: &str| {
        world.remember(
            NewMemory::builder(format!("{kind} {value}"))
                .kind(kind)
                .metadata(key, value)
                .build()
                .unwrap(),
        )
    };
    let classes = ["TRANSIENT", "SHORT_TERM", "LONG_TERM", "PERMANENT"]
        .map(|class| with("FACT", "class", class));
    let error = world.kind("ERROR", "never call it twice");
    let week = with("FACT", "duration", "7d");
    let expires = |world: &World, id| world.standing(id).expires_at;
    let days = [Some(1.0), Some(3.0), Some(30.0), None].map(|days| days.map(day));
    assert_eq!(classes.map(|id| expires(&world, id)), days);
    assert_eq!(
        (expires(&world, error), expires(&world, week)),
        (Some(day(7.0)), Some(day(7.0)))
    );
    assert_eq!(world.standing(week).class, "SHORT_TERM");
    world.at(10.0 * 365.0);
    world.reopen();
    world.maintain();
    assert_eq!(world.space().admin().stats().unwrap().memories, 1);
    assert_eq!(world.status(classes[3]), Some(Status::Active));
    world.validate();
}

#[test]
fn agent_tidies_at_night() {
    // spec
    let mut world = World::new("agent");
    world.at(0.125);
    let long = |score: f64, text: &str| {
        let memory = NewMemory::builder(text)
            .kind("FACT")
            .importance(score as f32);
        world.remember(memory.metadata("class", "LONG_TERM").build().unwrap())
    };
    let (low, edge, demoted, stays) = (
        long(0.0999, "the cellar key hangs left"),
        long(0.1, "the attic key hangs right"),
        long(0.29, "the garage opens at noon"),
        long(0.30, "the stove needs a match"),
    );
    let short = NewMemory::builder("the train leaves at nine")
        .kind("FACT")
        .importance(0.5)
        .metadata("class", "SHORT_TERM");
    let short = world.remember(short.build().unwrap());
    let reports = world.force();
    assert_eq!(world.space().get(low).unwrap(), None);
    assert_eq!(world.status(edge), Some(Status::Active));
    assert_eq!(
        [edge, demoted, stays].map(|id| world.standing(id).class),
        ["TRANSIENT", "TRANSIENT", "LONG_TERM"]
    );
    assert_eq!(world.standing(demoted).expires_at, Some(day(1.125)));
    let finds = |world: &World| {
        world
            .recall("when does the garage open?")
            .iter()
            .any(|text| text.contains("garage"))
    };
    assert!(finds(&world));
    let passed: Vec<&str> = reports[0]
        .steps
        .iter()
        .filter(|step| step.passed_over)
        .map(|_| "x")
        .collect();
    assert_eq!(passed.len(), 3, "{reports:?}");
    world.at(3.125);
    near(world.score(short), 0.370_409);
    assert!(!finds(&world), "expired, though no job has run");
    world.reopen();
    world.maintain();
    assert_eq!(world.space().get(demoted).unwrap(), None);
    near(world.score(stays), 0.3 * (-0.06_f64).exp());
    world.validate();
}

#[test]
fn agent_decays_alike_however_often_it_looks() {
    // spec: A-63
    let worlds = [World::new("agent"), World::new("agent")];
    let ids = worlds.each_ref().map(|world| {
        let memory = NewMemory::builder("x")
            .kind("FACT")
            .importance(0.5)
            .metadata("class", "SHORT_TERM");
        world.remember(memory.build().unwrap())
    });
    for day in 1..=3 {
        worlds[0].at(f64::from(day) - 0.001);
        worlds[0].force();
    }
    worlds.iter().for_each(|world| world.at(3.0));
    for (world, id) in worlds.iter().zip(ids) {
        near(world.score(id), 0.370_409);
        world.validate();
    }
}

#[test]
fn graph_fades_by_kind_and_archives() {
    // spec: G-56, G-120, G-127
    let mut world = World::new("graph");
    let event = world.scored("事件", 0.5, "小满去了柏林");
    let other = world.scored("事件", 0.5, "小满去了汉堡");
    let weak = world.scored("事件", 0.3, "小满喝了茶");
    world.at(10.0);
    for _ in 0..3 {
        world
            .space()
            .lifecycle()
            .signal(&[event], Signal::Returned)
            .unwrap();
    }
    near(world.standing(event).retention, 0.723_680);
    near(world.standing(other).retention, 0.303_265);
    assert_eq!(world.standing(event).returned, 3);
    for day in [11.0, 22.0, 51.0, 52.0] {
        world.at(day);
        world.force();
        let status = if day < 52.0 {
            Status::Active
        } else {
            Status::Archived
        };
        assert_eq!(world.status(weak), Some(status), "day {day}");
        if day == 22.0 {
            near(world.standing(weak).retention, 0.099_861);
            world.reopen();
        }
    }
    assert!(
        !world
            .recall("小满喝了茶")
            .contains(&"小满喝了茶".to_owned())
    );
    world.validate();
}

#[test]
fn markdown_fades_after_a_week() {
    // spec: M-59, M-60, M-65, M-66
    let mut world = World::new("markdown");
    let level = |level: &str| {
        world.remember(
            NewMemory::builder(format!("{level} one"))
                .metadata("level", level)
                .build()
                .unwrap(),
        )
    };
    let (high, medium, low) = (level("high"), level("medium"), level("low"));
    near(world.score(medium), 0.6);
    for (at, score) in [
        (7.0, 0.8),
        (7.0 + 23.0 / 24.0, 0.8),
        (8.0, 0.792),
        (37.0, 0.591_760),
    ] {
        world.at(at);
        near(world.score(high), score);
    }
    let status = |world: &World, at: f64, id| {
        world.at(at);
        world.force();
        world.status(id)
    };
    assert_eq!(status(&world, 75.0, low), Some(Status::Active));
    near(world.score(low), 0.201_954);
    assert_eq!(status(&world, 76.0, low), Some(Status::Archived));
    near(world.score(low), 0.199_935);
    world.reopen();
    assert_eq!(status(&world, 116.0, medium), Some(Status::Active));
    assert_eq!(status(&world, 117.0, medium), Some(Status::Archived));
    near(world.score(medium), 0.198_620);
    assert_eq!(status(&world, 213.0, low), Some(Status::Archived));
    assert_eq!(status(&world, 214.0, low), None);
    assert_eq!(status(&world, 282.0, high), Some(Status::Archived));
    assert_eq!(status(&world, 283.0, high), None);
    world.validate();
}

#[test]
fn markdown_is_strengthened_by_a_mention_and_comes_back() {
    // spec: M-56, M-72
    let world = World::new("markdown");
    let id = world.remember(
        NewMemory::builder("uses vim")
            .metadata("level", "medium")
            .build()
            .unwrap(),
    );
    for score in [0.68, 0.744, 0.7952] {
        world.space().touch(&[id]).unwrap();
        near(world.score(id), score);
    }
    world.at(200.0);
    world.force();
    assert_eq!(world.status(id), Some(Status::Archived));
    world.space().touch(&[id]).unwrap();
    assert!(world.score(id) > 0.2);
    world.force();
    assert_eq!(world.status(id), Some(Status::Active));
    world.validate();
}

#[test]
fn jobs_that_run_twice_do_nothing_the_second_time() {
    let profiles = [
        ("companion", "fact"),
        ("studio", "fact"),
        ("agent", "FACT"),
        ("graph", "事件"),
        ("markdown", "fact"),
    ];
    for (profile, kind) in profiles {
        let mut world = World::new(profile);
        for n in 0..20 {
            world.scored(kind, f64::from(n) / 20.0, &format!("note {n}"));
        }
        world.at(20.0);
        world.maintain();
        world.force();
        let (before, events) = (
            state(&world),
            world.space().admin().events(0, 1000).unwrap(),
        );
        world.force();
        world.reopen();
        world.force();
        assert_eq!(state(&world), before, "{profile}");
        assert_eq!(
            world.space().admin().events(0, 1000).unwrap(),
            events,
            "{profile}"
        );
        world.at(19.0);
        world.force();
        world.at(20.0);
        assert_eq!(state(&world), before, "{profile}: a clock that went back");
        world.validate();
    }
}

/// Every memory with its status and what it is worth.
fn state(world: &World) -> Vec<(MemoryId, Status, Option<annals::Standing>)> {
    let filter = Filter {
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    };
    let page = world
        .space()
        .list(&ListQuery {
            filter,
            limit: 1000,
            ..ListQuery::default()
        })
        .unwrap();
    let ids: Vec<MemoryId> = page.memories.iter().map(|memory| memory.id).collect();
    let standings = world.space().lifecycle().standings(&ids).unwrap();
    page.memories
        .iter()
        .zip(standings)
        .map(|(memory, standing)| (memory.id, memory.status, standing))
        .collect()
}

#[test]
fn a_namespace_goes_on_under_another_profile() {
    let mut world = World::new("default");
    let fact = world.kind("fact", "I live in Berlin");
    let used = world.kind("fact", "I work with robots");
    world.space().touch(&[used]).unwrap();
    assert_eq!(
        world.space().lifecycle().standings(&[fact]).unwrap(),
        [None]
    );
    world.at(10.0);
    world.space().admin().set_profile("companion").unwrap();
    assert_eq!(world.space().admin().profile().unwrap(), "companion");
    assert_eq!(world.standing(used).class, "fact");
    near(world.score(used), 0.5);
    world.at(10.1);
    world.maintain();
    near(world.score(fact), 0.425);
    world.reopen();
    near(world.score(used), 0.425);
    let rumour = world.memory().namespace("v").unwrap();
    rumour
        .remember(
            NewMemory::builder("they say")
                .kind("rumour")
                .build()
                .unwrap(),
        )
        .unwrap();
    let refused = rumour.admin().set_profile("companion").unwrap_err();
    assert!(
        refused.is_invalid() && refused.to_string().contains("rumour"),
        "{refused}"
    );
    assert_eq!(rumour.admin().profile().unwrap(), "default");
    assert!(
        rumour
            .admin()
            .set_profile("nonsense")
            .unwrap_err()
            .is_not_found()
    );
    world.space().admin().set_profile("default").unwrap();
    world.at(100.0);
    near(world.score(fact), 0.425);
    world.validate();
}

#[test]
fn a_profile_is_replaced_while_in_use() {
    let mut world = World::new("default");
    world
        .memory()
        .profiles()
        .store("mine", annals::profiles::builtin("companion").unwrap())
        .unwrap();
    world.space().admin().set_profile("mine").unwrap();
    world.maintain();
    let fact = world.kind("fact", "I live in Berlin");
    let low = world.scored("fact", 0.23, "I had noodles");
    world.at(6.0);
    world.maintain();
    near(world.score(fact), 0.85);
    assert_eq!(world.space().reviews().pending(10).unwrap().len(), 1);
    let text = altered("companion", "factor = 0.85", "factor = 0.5");
    assert!(
        world
            .memory()
            .profiles()
            .store("mine", &text)
            .unwrap()
            .is_empty()
    );
    assert_eq!(world.space().reviews().pending(10).unwrap(), []);
    near(world.score(fact), 0.85);
    world.reopen();
    world.at(7.1);
    world.maintain();
    near(world.score(fact), 0.425);
    assert_eq!(world.space().reviews().pending(10).unwrap()[0].id, low);
    let refused = world
        .memory()
        .profiles()
        .store("mine", "[review]\nkeep_resett = 1\n")
        .unwrap_err();
    assert!(
        refused.is_invalid() && refused.to_string().starts_with("line 2: "),
        "{refused}"
    );
    assert!(
        world
            .memory()
            .profiles()
            .store("studio", "")
            .unwrap_err()
            .is_conflict()
    );
    let info = world.memory().profiles().list().unwrap();
    assert!(
        info.iter()
            .any(|info| info.name == "mine" && !info.builtin && info.namespaces == 1),
        "{info:?}"
    );
    assert_eq!(world.memory().profiles().text("mine").unwrap(), text);
    world.validate();
}

#[test]
fn a_dry_run_tells_what_the_job_then_does() {
    let world = World::new("markdown");
    let ids = [0.03, 0.1, 0.9].map(|score| {
        let id = world.kind("fact", &format!("a note of {score}"));
        world.space().touch(&[id]).unwrap();
        id
    });
    world.at(150.0);
    let before = state(&world);
    let planned = world.memory().maintain(false, Mode::DryRun).unwrap();
    assert_eq!(state(&world), before);
    let told: Vec<_> = planned[0]
        .planned
        .iter()
        .map(|p| (p.namespace.as_str(), p.id, p.action.as_str()))
        .collect();
    assert_eq!(told, ids.map(|id| ("u", id, "archived")));
    let done = world.force();
    assert_eq!(done[0].steps[2].counts["archived"], 3);
    assert!(
        ids.iter()
            .all(|id| world.status(*id) == Some(Status::Archived))
    );
    world.validate();
}
