//! The times that texts name: found when they are stored, looked for when a question names a time.

use std::sync::Arc;

use annals::{
    Feature, ImportOptions, Interval, ManualClock, MemoryId, NewMemory, NewTurn, Options, Query,
    Timestamp, UnitScore,
};

use crate::support::life::{World, day};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn span(start: &str, end: &str) -> Interval {
    Interval {
        start: at(start),
        end: at(end),
    }
}

fn names(world: &World, id: MemoryId) -> Vec<Interval> {
    world.space().get(id).unwrap().unwrap().named_times
}

/// The first hit, and the time that its text names where that is the time that fits.
fn first(world: &World, question: &str) -> (String, Option<Interval>) {
    let hit = world.space().recall(question).unwrap().remove(0);
    (hit.text, hit.explanation.named_time)
}

#[test]
fn what_is_told_is_found_at_the_time_that_it_names() {
    for (zone, start, end) in [
        ("UTC", "2026-05-04", "2026-05-05"),
        (
            "Asia/Shanghai",
            "2026-05-03T16:00:00Z",
            "2026-05-04T16:00:00Z",
        ),
    ] {
        let world = World::with("default", move |options| options.zone(zone));
        let said = |when: &str, text: &str| {
            world.clock.set(at(when));
            world.said(text)
        };
        said(
            "2026-05-04T09:00:00Z",
            "The weather is fine and the birds sing",
        );
        let dentist = said("2026-05-05T10:00:00Z", "I went to the dentist yesterday");
        let film = said("2026-05-05T10:01:00Z", "我昨天去看了电影");
        said("2026-05-06T10:00:00Z", "I bought a red bicycle");
        said("2026-05-06T10:01:00Z", "I go to bed at midnight");
        world.clock.set(at("2026-05-20T10:00:00Z"));
        let yesterday = span(start, end);
        assert_eq!(
            [names(&world, dentist), names(&world, film)],
            [[yesterday], [yesterday]]
        );
        assert_eq!(
            first(&world, "when did I see the dentist, on 4 May 2026?"),
            (
                "I went to the dentist yesterday".to_owned(),
                Some(yesterday)
            )
        );
        assert_eq!(
            first(&world, "2026年5月4日我去看了什么？"),
            ("我昨天去看了电影".to_owned(), Some(yesterday))
        );
        // The day on which it was told fits as well as ever.
        let query = Query::new("what did I tell of the dentist on 5 May 2026?");
        let hit = world.space().recall(query).unwrap().remove(0);
        assert_eq!((hit.id, hit.explanation.named_time), (dentist, None));
        assert!(
            hit.explanation
                .parts
                .iter()
                .any(|part| part.feature == Feature::Time && part.value == Some(1.0))
        );
        world.validate();
    }
}

#[test]
fn a_time_brings_up_what_no_word_does() {
    let world = World::new("default");
    world.clock.set(at("2026-05-05T10:00:00Z"));
    let dentist = world.said("I went to the dentist yesterday");
    for number in 0..300 {
        world
            .clock
            .set(at("2026-05-10T10:00:00Z").plus_millis(number * 60_000));
        world.said(&format!("bicycle number {number} stands in the yard"));
    }
    world.clock.set(at("2026-05-20T10:00:00Z"));
    assert_eq!(
        world
            .space()
            .recall("what happened on 4 May 2026?")
            .unwrap()[0]
            .id,
        dentist
    );
    world.validate();
}

#[test]
fn what_was_talked_of_then_is_not_what_speaks_of_it() {
    let world = World::with("companion", |options| options.zone("UTC"));
    for (when, text) in [
        ("2026-05-04T10:00:00Z", "我喜欢下雨的天气"),
        ("2026-05-05T10:00:00Z", "我昨天去看了牙医"),
    ] {
        world.clock.set(at(when));
        world.said(text);
    }
    world.clock.set(at("2026-05-05T12:00:00Z"));
    let asked = |question: &str| {
        world.recall(Query::new(question).min_score(UnitScore::new("min_score", 0.0).unwrap()))
    };
    assert_eq!(asked("昨天聊了什么"), ["我喜欢下雨的天气"]);
    assert!(asked("昨天我看了谁？").contains(&"我昨天去看了牙医".to_owned()));
}

#[test]
fn an_edit_names_its_own_times_and_what_stays_keeps_them() {
    let mut world = World::with("default", |options| options.zone("UTC"));
    world.clock.set(at("2026-05-05T10:00:00Z"));
    let fact = |text: &str| NewMemory::try_from(text).unwrap();
    let id = world.remember(fact("Ada saw the dentist yesterday"));
    let yesterday = [span("2026-05-04", "2026-05-05")];
    // Neither another zone nor a later revision with the same words changes what was meant.
    world.set(|options| options.zone("Asia/Shanghai"));
    world.clock.set(at("2026-05-09T10:00:00Z"));
    let same = NewMemory::builder("Ada saw the dentist yesterday")
        .tag("teeth")
        .build()
        .unwrap();
    world.space().update(id, same).unwrap();
    assert_eq!(names(&world, id), yesterday);
    world
        .space()
        .update(id, fact("Ada saw the dentist in March 2025"))
        .unwrap();
    assert_eq!(
        names(&world, id),
        [span("2025-02-28T16:00:00Z", "2025-03-31T16:00:00Z")]
    );
    let next = world
        .space()
        .lifecycle()
        .supersede(id, fact("Ada never saw the dentist"))
        .unwrap();
    assert_eq!(names(&world, next), []);
    // A memory of another time counts from that time.
    let told = NewMemory::builder("Bob left yesterday")
        .event_time(at("2026-01-03T12:00:00+08:00"))
        .build()
        .unwrap();
    assert_eq!(
        names(&world, world.remember(told)),
        [span("2026-01-01T16:00:00Z", "2026-01-02T16:00:00Z")]
    );
    world.validate();
    world.reopen();
    assert_eq!(names(&world, next), []);
    world.validate();
}

#[test]
fn an_export_says_nothing_of_them_and_an_import_finds_them_again() {
    let world = World::with("default", |options| options.zone("Europe/Berlin"));
    world.clock.set(at("2026-05-05T10:00:00Z"));
    world
        .space()
        .sessions()
        .append(vec![
            NewTurn::builder("s", "I went to the dentist yesterday")
                .build()
                .unwrap(),
        ])
        .unwrap();
    let id = world.remember(NewMemory::try_from("昨天小林搬到了柏林").unwrap());
    let export = |space: &annals::blocking::Namespace| {
        let mut out = Vec::new();
        space.transfer().export(&mut out, &mut |_| {}).unwrap();
        String::from_utf8(out).unwrap()
    };
    let exported = export(&world.space());
    assert!(!exported.contains("named_times"));
    let clock = ManualClock::new(at("2026-08-01T00:00:00Z"));
    let other = Options::new()
        .clock(Arc::new(clock))
        .zone("Europe/Berlin")
        .in_memory()
        .unwrap();
    let copy = other.namespace("u").unwrap();
    for _ in 0..2 {
        copy.transfer()
            .import(
                &mut exported.as_bytes(),
                &ImportOptions::default(),
                &mut |_| {},
            )
            .unwrap();
        assert_eq!(export(&copy), exported);
        let there = copy.get(id).unwrap().unwrap();
        assert_eq!(
            there.named_times,
            [span("2026-05-03T22:00:00Z", "2026-05-04T22:00:00Z")]
        );
        assert_eq!(there, world.space().get(id).unwrap().unwrap());
    }
    assert_eq!(other.validate().unwrap().problems, [""; 0]);
}

#[test]
fn a_past_year_makes_no_fact_older() {
    let world = World::new("studio");
    let told = |days: f64, text: &str| {
        world.at(days);
        let about = NewMemory::builder(text)
            .kind("fact")
            .metadata("subject", "user")
            .metadata("predicate", "employer");
        world.remember(about.build().unwrap())
    };
    let earlier = told(1.0, "I work at Siemens in Berlin");
    let later = told(2.0, "I started to work at Bosch in Berlin in 2025");
    let get = |id: MemoryId| world.space().get(id).unwrap().unwrap();
    assert_eq!(get(later).named_times, [span("2025-01-01", "2026-01-01")]);
    assert_eq!(
        (get(earlier).body.valid_until, get(later).body.valid_until),
        (Some(day(2.0)), None)
    );
    // A memory about long ago is as new as its telling.
    let world = World::new("agent");
    world.at(10.0);
    let old = world.remember(NewMemory::try_from("Ada climbed the Matterhorn in 2015").unwrap());
    let plain = world.remember(NewMemory::try_from("Ada climbed the Eiger once").unwrap());
    let recency = |id: MemoryId| {
        let hits = world
            .space()
            .recall(
                Query::new("what did Ada climb?")
                    .min_score(UnitScore::new("min_score", 0.0).unwrap()),
            )
            .unwrap();
        let hit = hits.into_iter().find(|hit| hit.id == id).unwrap();
        hit.explanation
            .parts
            .into_iter()
            .find(|part| part.feature == Feature::Recency)
            .unwrap()
            .value
    };
    assert!(recency(old).is_some());
    assert_eq!(recency(old), recency(plain));
    world.validate();
}
