//! Spreading from the entities of a text to the memories around: the same as the step-by-step
//! walk, in few rounds.

use crate::world;

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{
    Assertion, Budget, Contact, Cut, EntityId, LabelId, MemoryWalk, NewEntity, NewLink, Recognise,
    Recognised, Spread, StateChange, Support, Surroundings, Tie, expand_memories, introduce, link,
    merge, recognise, spread,
};
use annals_storage::conformance::Remote;
use annals_storage::{MemoryEngine, Reads, Store};
use annals_types::Row;
use annals_types::profile::GraphSettings;

use world::{NS, World, at};

fn all(_: Row) -> bool {
    true
}

fn from<'a>(rows: &'a [Row], entities: &'a [EntityId], depth: u32) -> Spread<'a> {
    Spread {
        rows,
        entities,
        depth,
        relations: None,
        shared: true,
        common: &[],
        max_degree: 100,
        as_of: None,
        awake: &all,
        rounds: 100,
        budget: Budget::new(100_000, 1_000_000),
    }
}

fn ask(reads: &dyn Reads, text: &str) -> Recognised {
    let settings = GraphSettings::default();
    let relations: Vec<String> = settings
        .relations
        .iter()
        .map(|rule| rule.name.clone())
        .collect();
    let wanted = Recognise {
        text,
        names: 500,
        holders: 100,
        kinds: &settings.common_kinds,
        relations: &relations,
    };
    recognise(reads, NS, wanted).unwrap()
}

fn mentioned(reads: &dyn Reads, text: &str) -> Vec<String> {
    ask(reads, text)
        .mentions
        .into_iter()
        .map(|mention| mention.name)
        .collect()
}

fn distances(found: &Surroundings) -> Vec<(u32, u32)> {
    found
        .rows
        .iter()
        .map(|(row, contact)| (row.0, contact.distance))
        .collect()
}

fn known(world: &World, row: u32) {
    let born = [StateChange {
        time: world.now,
        state: Support::Active,
    }];
    world
        .write(|txn, _| introduce(txn, NS, Row(row), &born))
        .unwrap();
}

fn tie(world: &World, from: u32, relation: &str, to: u32) {
    world
        .write(|txn, scope| link(txn, scope, &NewLink::new(Row(from), relation, Row(to))))
        .unwrap();
}

#[test]
fn the_longest_names_are_recognised_in_any_script() {
    let world = World::new();
    world.say(1, "Ada", "works at", "Acme Robotics");
    world.say(2, "Acme", "sells", "C++");
    world.says(
        3,
        &[Assertion::new(
            NewEntity::new("豆豆").alias("小黑猫"),
            "是",
            "猫",
        )],
    );
    let reads = world.snapshot();
    assert_eq!(
        mentioned(&reads, "What does ADA do at Acme  Robotics?"),
        ["ada", "acme robotics"]
    );
    assert_eq!(mentioned(&reads, "Is Acme's C++ any good"), ["acme", "c++"]);
    assert_eq!(
        mentioned(&reads, "主人的小黑猫叫什么，豆豆？"),
        ["小黑猫", "豆豆"]
    );
    assert_eq!(mentioned(&reads, "这只猫好可爱"), ["猫"]);
    assert_eq!(mentioned(&reads, "adam met acm"), [""; 0]);
    let (cat, dou) = (ask(&reads, "小黑猫"), ask(&reads, "豆豆"));
    assert_eq!(cat.mentions[0].entities, dou.mentions[0].entities);
    // A name that too many have names none.
    let wanted = Recognise {
        text: "Ada",
        names: 500,
        holders: 0,
        kinds: &[],
        relations: &[],
    };
    assert_eq!(recognise(&reads, NS, wanted).unwrap().mentions, []);
    // A name with the same beginning is another name.
    tie(&world, 1, "相关", 2);
    assert_eq!(
        ask(&world.snapshot(), "x")
            .relations
            .into_values()
            .collect::<Vec<_>>(),
        ["相关"]
    );
}

#[test]
fn memories_of_a_named_entity_are_near_and_those_of_its_neighbours_next() {
    let mut world = World::new();
    world.say(1, "主人", "养", "豆豆");
    world.say(2, "豆豆", "是", "猫");
    world.say(3, "猫", "喜欢", "鱼");
    world.say(4, "鱼", "住在", "海");
    let start = [world.entity("豆豆")];
    let near = |world: &World, depth| {
        distances(&spread(&world.snapshot(), NS, from(&[], &start, depth)).unwrap())
    };
    assert_eq!(near(&world, 0), [(1, 0), (2, 0)]);
    assert_eq!(near(&world, 1), [(1, 0), (2, 0), (3, 1)]);
    assert_eq!(near(&world, 2), [(1, 0), (2, 0), (3, 1), (4, 2)]);
    // Dormant triples lead nowhere; as of a time before they do.
    let before = world.tick();
    world.tick();
    world.state(2, Support::Forgotten);
    assert_eq!(near(&world, 2), [(1, 0)]);
    let awake = |row: Row| row != Row(2);
    let now = Spread {
        awake: &awake,
        ..from(&[], &start, 2)
    };
    assert_eq!(
        distances(&spread(&world.snapshot(), NS, now).unwrap()),
        [(1, 0)]
    );
    let then = Spread {
        as_of: Some(before),
        ..from(&[], &start, 2)
    };
    assert_eq!(
        distances(&spread(&world.snapshot(), NS, then).unwrap()),
        [(1, 0), (2, 0), (3, 1), (4, 2)]
    );
    let long_ago = Spread {
        as_of: Some(at(-1)),
        ..then
    };
    assert_eq!(
        distances(&spread(&world.snapshot(), NS, long_ago).unwrap()),
        []
    );
}

#[test]
fn a_merged_entity_is_followed_as_what_it_became() {
    let mut world = World::new();
    world.say(1, "JS", "runs in", "browsers");
    world.say(2, "JavaScript", "is", "a language");
    let (js, javascript) = (world.entity("JS"), world.entity("JavaScript"));
    world.tick();
    world
        .write(|txn, scope| merge(txn, scope, js, javascript, None, "the same"))
        .unwrap();
    let named = ask(&world.snapshot(), "why js?").mentions[0]
        .entities
        .clone();
    assert_eq!(named, [js]);
    assert_eq!(
        distances(&spread(&world.snapshot(), NS, from(&[], &named, 0)).unwrap()),
        [(1, 0), (2, 0)]
    );
}

#[test]
fn links_are_followed_both_ways_and_by_relation() {
    let world = World::new();
    (1..=5).for_each(|row| known(&world, row));
    tie(&world, 1, "导致", 2);
    tie(&world, 2, "导致", 3);
    tie(&world, 4, "相关", 3);
    tie(&world, 3, "导致", 5);
    let reads = world.snapshot();
    let seeds = [Row(3)];
    let found = spread(&reads, NS, from(&seeds, &[], 2)).unwrap();
    assert_eq!(distances(&found), [(1, 2), (2, 1), (4, 1), (5, 1)]);
    let relations = ask(&reads, "x").relations;
    let cause: Vec<LabelId> = relations
        .iter()
        .filter(|(_, name)| *name == "导致")
        .map(|(id, _)| *id)
        .collect();
    let by = Tie::Link {
        from: Row(3),
        relation: cause[0],
        outgoing: false,
    };
    assert_eq!(found.rows[&Row(2)], Contact { distance: 1, by });
    let causes = Spread {
        relations: Some(&cause),
        ..from(&seeds, &[], 2)
    };
    assert_eq!(
        distances(&spread(&reads, NS, causes).unwrap()),
        [(1, 2), (2, 1), (5, 1)]
    );
    // A memory at the beginning is reached from another one, never from itself.
    let seeds = [Row(2), Row(3)];
    assert_eq!(
        distances(&spread(&reads, NS, from(&seeds, &[], 2)).unwrap()),
        [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]
    );
}

#[test]
fn hubs_and_common_kinds_are_no_bridges_and_budgets_hold() {
    let world = World::new();
    let me = || NewEntity::new("我").kind("主体");
    for row in 0..1000 {
        world.says(row, &[Assertion::new(me(), "做", format!("thing {row}"))]);
    }
    world.say(2000, "thing 1", "is", "fun");
    let reads = world.snapshot();
    let kinds: Vec<LabelId> = ask(&reads, "x").kinds.into_iter().collect();
    let seeds = [Row(1)];
    let bounded = Spread {
        common: &kinds,
        ..from(&seeds, &[], 1)
    };
    assert_eq!(
        distances(&spread(&reads, NS, bounded).unwrap()),
        [(2000, 1)]
    );
    assert_eq!(
        distances(&spread(&reads, NS, from(&seeds, &[], 1)).unwrap()),
        [(2000, 1)],
        "1000 edges are too many"
    );
    // One that was named is told of.
    let hub = [world.entity("我")];
    let found = spread(&reads, NS, from(&[], &hub, 1)).unwrap();
    assert_eq!(
        (found.passed, found.rows.len(), found.names.len()),
        (vec!["我".to_owned()], 0, 0)
    );
    let open = Spread {
        max_degree: 10_000,
        ..from(&seeds, &[], 1)
    };
    assert_eq!(spread(&reads, NS, open).unwrap().rows.len(), 1000);
    let few = Spread {
        budget: Budget::new(10, 1_000_000),
        ..open
    };
    let found = spread(&reads, NS, few).unwrap();
    assert_eq!((found.rows.len(), found.cut), (10, Some(Cut::Nodes)));
    let little = Spread {
        budget: Budget::new(100_000, 50),
        ..open
    };
    assert_eq!(spread(&reads, NS, little).unwrap().cut, Some(Cut::Edges));
}

/// One step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % u64::from(bound)) as u32
    }
}

fn random_world(random: &mut Random) -> (World, BTreeSet<Row>) {
    let world = World::new();
    let rows = 30;
    (0..rows).for_each(|row| known(&world, row));
    for _ in 0..40 {
        let (s, o) = (random.below(25), random.below(25));
        world.say(
            random.below(rows),
            &format!("e{s}"),
            &format!("p{}", random.below(3)),
            &format!("e{o}"),
        );
    }
    for _ in 0..10 {
        let (one, other) = (random.below(rows), random.below(rows));
        if one != other {
            tie(
                &world,
                one,
                if random.below(2) == 0 {
                    "causes"
                } else {
                    "related"
                },
                other,
            );
        }
    }
    let asleep: BTreeSet<Row> = (0..5).map(|_| Row(random.below(rows))).collect();
    asleep
        .iter()
        .for_each(|row| drop(world.state(row.0, Support::Forgotten)));
    (world, asleep)
}

#[test]
fn it_finds_what_the_slow_walk_finds_at_the_same_distance() {
    let mut random = Random(3);
    for _ in 0..60 {
        let (world, asleep) = random_world(&mut random);
        let seeds: BTreeSet<Row> = (0..3)
            .map(|_| Row(random.below(30)))
            .filter(|row| !asleep.contains(row))
            .collect();
        let seeds: Vec<Row> = seeds.into_iter().collect();
        let awake = |row: Row| !asleep.contains(&row);
        for depth in 1..=3 {
            let reads = world.snapshot();
            let slow = expand_memories(&reads, NS, &seeds, MemoryWalk::new(depth, &world.settings))
                .unwrap();
            let slow: BTreeMap<Row, u32> = slow
                .reached
                .iter()
                .map(|node| (node.row, node.distance))
                .collect();
            let fast = spread(
                &reads,
                NS,
                Spread {
                    awake: &awake,
                    ..from(&seeds, &[], depth)
                },
            )
            .unwrap();
            let others = fast.rows.iter().filter(|(row, _)| !seeds.contains(row));
            assert_eq!(
                others
                    .map(|(row, c)| (*row, c.distance))
                    .collect::<BTreeMap<_, _>>(),
                slow
            );
        }
    }
}

#[test]
fn two_steps_take_five_rounds() {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
    let trips = remote.round_trips();
    let world = World::over(Store::with_engine(Box::new(remote)).unwrap());
    world.say(1, "豆豆", "是", "猫");
    world.say(2, "猫", "喜欢", "鱼");
    world.say(3, "鱼", "住在", "海");
    tie(&world, 3, "导致", 1);
    let reads = world.snapshot();
    let (found, rounds) = trips.during(|| ask(&reads, "豆豆喜欢什么？"));
    assert_eq!(rounds, 1);
    let named = &found.mentions[0].entities;
    let (near, rounds) = trips.during(|| {
        spread(
            &reads,
            NS,
            Spread {
                rounds: 2,
                ..from(&[], named, 0)
            },
        )
        .unwrap()
    });
    assert_eq!((distances(&near), rounds), (vec![(1, 0)], 2));
    let both = Spread {
        rounds: 5,
        ..from(&[Row(1)], named, 2)
    };
    let (near, rounds) = trips.during(|| spread(&reads, NS, both).unwrap());
    assert_eq!(
        (distances(&near), rounds),
        (vec![(1, 0), (2, 1), (3, 1)], 5)
    );
    assert_eq!(
        near.names.values().map(String::as_str).collect::<Vec<_>>(),
        ["猫", "豆豆", "鱼", "海"]
    );
}
