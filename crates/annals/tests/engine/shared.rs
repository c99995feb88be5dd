//! Rules that hold under every profile.

use std::collections::BTreeSet;

use crate::support::life::World;
use annals::graph::{Assertion, TripleQuery};
use annals::profile::{ReviewKind, Signal};
use annals::{Filter, ListQuery, MemoryId, Mode, NewMemory, Query, UnitScore, Verdict};

const PROFILES: [&str; 5] = ["companion", "studio", "agent", "graph", "markdown"];

/// A kind that every profile has a word for.
fn kind(profile: &str) -> &'static str {
    match profile {
        "agent" => "FACT",
        "graph" => "事实",
        _ => "fact",
    }
}

/// A question that every answer is good enough for.
fn question() -> Query {
    Query::new("violet accordion").min_score(UnitScore::new("score", 0.0).unwrap())
}

/// A world with a memory that says something aloud.
fn world(profile: &str) -> (World, MemoryId) {
    let world = World::new(profile);
    let id = world.scored(
        kind(profile),
        0.5,
        "Mira keeps a violet accordion in the attic",
    );
    world
        .space()
        .graph()
        .add_triples(id, &[Assertion::new("Mira", "keeps", "accordion")])
        .unwrap();
    (world, id)
}

/// Everything by which a memory can be found is gone.
#[track_caller]
fn gone(world: &World, id: MemoryId) {
    assert_eq!(world.space().get(id).unwrap(), None);
    assert_eq!(
        world
            .space()
            .graph()
            .triples(&TripleQuery::default())
            .unwrap()
            .triples,
        []
    );
    assert_eq!(world.space().graph().entities("accordion").unwrap(), []);
    assert!(
        !world
            .recall("violet accordion")
            .iter()
            .any(|text| text.contains("accordion"))
    );
    assert_eq!(world.space().list(&ListQuery::default()).unwrap().total, 0);
    world.validate();
}

#[test]
fn every_way_to_delete_takes_what_only_that_memory_said() {
    // spec: X-05
    for profile in PROFILES {
        let ways: [fn(&World, MemoryId); 3] = [
            |world, id| drop(world.space().delete(id, Mode::Commit).unwrap()),
            |world, id| drop(world.space().bulk().delete(&[id], Mode::Commit).unwrap()),
            |world, _| {
                drop(
                    world
                        .space()
                        .bulk()
                        .delete_where(&Filter::default(), Mode::Commit)
                        .unwrap(),
                )
            },
        ];
        for way in ways {
            let (world, id) = world(profile);
            assert_eq!(
                world
                    .space()
                    .graph()
                    .triples(&TripleQuery::default())
                    .unwrap()
                    .triples
                    .len(),
                1,
                "{profile}"
            );
            way(&world, id);
            gone(&world, id);
        }
    }
    // By a rule of the job, by a verdict, with its session.
    let (aged, id) = world("markdown");
    aged.at(400.0);
    aged.force();
    gone(&aged, id);
    let reviewed = World::new("companion");
    let id = reviewed.scored("fact", 0.21, "Mira keeps a violet accordion in the attic");
    reviewed
        .space()
        .graph()
        .add_triples(id, &[Assertion::new("Mira", "keeps", "accordion")])
        .unwrap();
    reviewed.at(6.0);
    reviewed.force();
    assert_eq!(
        reviewed
            .space()
            .reviews()
            .decide(id, ReviewKind::Decay, Verdict::Delete)
            .unwrap(),
        Verdict::Delete
    );
    gone(&reviewed, id);
    let bound = World::new("agent");
    let built = NewMemory::builder("Mira keeps a violet accordion in the attic").kind("FACT");
    let id = bound.remember(built.metadata("duration", "session").build().unwrap());
    bound
        .space()
        .graph()
        .add_triples(id, &[Assertion::new("Mira", "keeps", "accordion")])
        .unwrap();
    assert_eq!(bound.space().session("s").end().unwrap().deleted, [id]);
    gone(&bound, id);
}

#[test]
fn reading_changes_nothing_and_counters_follow_their_signal() {
    // spec: X-04
    for profile in PROFILES {
        let (mut world, id) = world(profile);
        world.at(0.5);
        let before = world.standing(id);
        for _ in 0..20 {
            assert!(!world.recall(question()).is_empty(), "{profile}");
            world.space().get(id).unwrap();
            world.space().history(id).unwrap();
            world.space().list(&ListQuery::default()).unwrap();
            world
                .space()
                .snapshot()
                .unwrap()
                .recall("accordion")
                .unwrap();
        }
        world.reopen();
        assert_eq!(world.standing(id), before, "{profile}");
        let counting = match profile {
            "studio" => Signal::Injected,
            "agent" | "graph" => Signal::Returned,
            _ => Signal::Used,
        };
        for signal in [Signal::Returned, Signal::Injected] {
            if signal != counting {
                world.space().lifecycle().signal(&[id], signal).unwrap();
                assert_eq!(world.standing(id), before, "{profile} {signal:?}");
            }
        }
        world.space().lifecycle().signal(&[id], counting).unwrap();
        let after = world.standing(id);
        assert_eq!(
            after.used + after.returned,
            before.used + before.returned + 1,
            "{profile}"
        );
    }
}

/// The keys of a JSON value, however deep.
fn keys(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                found.insert(key.clone());
                keys(value, found);
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

#[test]
fn what_a_memory_is_worth_and_how_well_it_answers_are_two_words() {
    // spec: X-03
    let (world, id) = world("studio");
    let mut of_hit = BTreeSet::new();
    let hits = world.space().recall(question()).unwrap();
    keys(&serde_json::to_value(&hits).unwrap(), &mut of_hit);
    let mut of_worth = BTreeSet::new();
    keys(
        &serde_json::to_value(world.standing(id)).unwrap(),
        &mut of_worth,
    );
    assert!(
        of_hit.contains("score") && !of_hit.contains("retention"),
        "{of_hit:?}"
    );
    assert!(
        of_worth.contains("retention") && of_worth.contains("score"),
        "{of_worth:?}"
    );
    assert!(!of_hit.contains("relevance") && !of_worth.contains("relevance"));
}

#[test]
fn the_same_clock_and_seed_give_the_same_file_content() {
    // spec: X-01
    let told = || {
        let (world, id) = world("companion");
        world.at(1.0);
        world.force();
        world.space().touch(&[id]).unwrap();
        let mut out = Vec::new();
        world
            .space()
            .transfer()
            .export(&mut out, &mut |_| {})
            .unwrap();
        (id, String::from_utf8(out).unwrap(), world.standing(id))
    };
    assert_eq!(told(), told());
    // Nothing in the tests waits for time to pass.
    let sources = crate::support::sources::all();
    let tests: Vec<_> = sources.iter().filter(|source| source.is_test()).collect();
    for source in &tests {
        let sleeps = ["thread::sl", "time::sl"].map(|start| format!("{start}eep("));
        assert!(
            !sleeps
                .iter()
                .any(|call| source.text.contains(call.as_str())),
            "{}",
            source.path.display()
        );
    }
    assert!(tests.len() > 30, "{}", tests.len());
}
