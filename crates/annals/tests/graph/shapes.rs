//! Graphs of awkward shapes, moments out of order, and names of missing things: survived, with the
//! results that are documented.

use crate::support::life::World;
use annals::graph::{
    Assertion, Cut, Direction, EntityId, EntityRef, MergeId, NewEntity, NewLink, TripleId,
    TripleQuery, Walk,
};
use annals::profile::{RecallMode, Signal};
use annals::{JobReport, MemoryId, Mode, NewMemory, Query, Status};

/// A star of so many edges, a thousand of one memory.
fn star(world: &World, edges: usize) -> (EntityId, Vec<MemoryId>) {
    let space = world.space();
    let hub = space
        .graph()
        .add_entity(&NewEntity::new("the hub"))
        .unwrap();
    let mut ids = Vec::new();
    for first in (0..edges).step_by(1000) {
        let said: Vec<Assertion> = (first..first + 1000)
            .map(|n| Assertion::new(hub, "has", format!("leaf {n}")))
            .collect();
        ids.push(
            space
                .graph()
                .remember(format!("part {first}"), &said)
                .unwrap()
                .0,
        );
    }
    (hub, ids)
}

#[test]
fn a_star_costs_what_is_touched_of_it() {
    let world = World::new("companion");
    let (hub, ids) = star(&world, 4000);
    let space = world.space();
    // Beside a leaf there is the hub alone, and ten neighbours of the hub are ten.
    let beside = space
        .graph()
        .neighbours("leaf 3999", &Walk::default(), 10)
        .unwrap();
    assert_eq!(
        (beside.len(), beside[0].entity.id, beside[0].entity.degree),
        (1, hub, 4000)
    );
    assert_eq!(
        space
            .graph()
            .neighbours(hub, &Walk::default(), 10)
            .unwrap()
            .len(),
        10
    );
    let page = space
        .graph()
        .triples(&TripleQuery::default().subject(hub))
        .unwrap();
    assert_eq!((page.triples.len(), page.next.is_some()), (100, true));
    // Walks end at their limits, and say at which.
    let found = space
        .graph()
        .expand(&[EntityRef::Id(hub)], &Walk::default())
        .unwrap();
    assert_eq!((found.reached.len(), found.cut), (1000, Some(Cut::Nodes)));
    let few = Walk {
        edges: 50,
        ..Walk::default()
    };
    assert_eq!(
        space
            .graph()
            .expand(&[EntityRef::Id(hub)], &few)
            .unwrap()
            .cut,
        Some(Cut::Edges)
    );
    // A limit of the degree keeps a hub from being a bridge: it is reached, and not left.
    let narrow = Walk {
        max_degree: Some(100),
        ..Walk::default()
    };
    let found = space
        .graph()
        .expand(&[EntityRef::from("leaf 0")], &narrow)
        .unwrap();
    assert_eq!((found.reached.len(), found.cut), (1, None));
    let way = space
        .graph()
        .paths(
            "leaf 0",
            "leaf 3999",
            &Walk {
                edges: 20_000,
                nodes: 10_000,
                ..Walk::default()
            },
            5,
        )
        .unwrap();
    assert_eq!(way.paths.iter().map(Vec::len).collect::<Vec<_>>(), [2]);
    assert_eq!(
        space
            .recall(Query::new("the hub").mode(RecallMode::Deep))
            .unwrap()
            .len(),
        3
    );
    // The statements of one memory go with it, and the rest of the star stays.
    let gone = space.delete(ids[0], Mode::Commit).unwrap();
    assert_eq!((gone.triples, gone.entities), (1000, 1000));
    let other = space
        .graph()
        .add_entity(&NewEntity::new("another hub"))
        .unwrap();
    let merge = space
        .graph()
        .merges()
        .merge(hub, other, "the same")
        .unwrap();
    assert_eq!(
        space
            .graph()
            .neighbours(other, &Walk::default(), 5000)
            .unwrap()
            .len(),
        3000
    );
    space.graph().merges().undo(merge.id).unwrap();
    assert_eq!(
        space
            .graph()
            .neighbours(other, &Walk::default(), 5000)
            .unwrap()
            .len(),
        0
    );
    assert_eq!(space.graph().delete_entity(hub).unwrap().gone.len(), 3000);
    assert_eq!(space.graph().stats().unwrap().triples, 0);
    world.validate();
}

#[test]
fn circles_and_loops_come_to_an_end() {
    let world = World::new("companion");
    let space = world.space();
    let circle: Vec<Assertion> = (0..6)
        .map(|n| Assertion::new(format!("node {n}"), "next", format!("node {}", (n + 1) % 6)))
        .collect();
    let (id, _) = space.graph().remember("a circle", &circle).unwrap();
    let (own, made) = space
        .graph()
        .remember("a loop", &[Assertion::new("node 0", "likes", "node 0")])
        .unwrap();
    let zero = made.ends[0].0;
    let far = Walk {
        depth: 50,
        ..Walk::default()
    };
    let found = space.graph().expand(&[EntityRef::Id(zero)], &far).unwrap();
    let distances: Vec<u32> = found.reached.iter().map(|node| node.distance).collect();
    assert_eq!(
        (distances, found.cut),
        (vec![1, 1, 2, 2, 3], None),
        "each once, and never itself"
    );
    let out = Walk {
        direction: Direction::Out,
        ..far.clone()
    };
    assert_eq!(
        space
            .graph()
            .paths("node 0", "node 5", &out, 5)
            .unwrap()
            .paths[0]
            .len(),
        5
    );
    assert_eq!(
        space
            .graph()
            .paths("node 0", "node 3", &far, 5)
            .unwrap()
            .paths
            .len(),
        2,
        "both ways round"
    );
    // A triple from an entity to itself is one triple; it counts twice in the degree.
    assert_eq!(space.graph().entities("node 0").unwrap()[0].degree, 4);
    assert_eq!(
        space
            .graph()
            .triples(&TripleQuery::default().subject("node 0").object("node 0"))
            .unwrap()
            .triples
            .len(),
        1
    );
    // Links may form a circle, but none joins a memory with itself.
    space.graph().link(id, "causes", own).unwrap();
    space.graph().link(own, "causes", id).unwrap();
    assert!(
        space
            .graph()
            .link(id, "causes", id)
            .unwrap_err()
            .is_invalid()
    );
    let asked = Query::new("why a circle")
        .mode(RecallMode::Deep)
        .expand_depth(2);
    assert_eq!(space.recall(asked).unwrap().len(), 2);
    // Merges cannot form one: what was merged stands for what it became.
    let one = space.graph().entities("node 1").unwrap()[0].id;
    space.graph().merges().merge(one, zero, "").unwrap();
    assert!(
        space
            .graph()
            .merges()
            .merge(zero, one, "")
            .unwrap_err()
            .is_invalid()
    );
    assert!(
        space
            .graph()
            .merges()
            .merge(zero, zero, "")
            .unwrap_err()
            .is_invalid()
    );
    space.delete(id, Mode::Commit).unwrap();
    assert_eq!(space.graph().stats().unwrap().triples, 1);
    world.validate();
}

#[test]
fn what_names_something_missing_or_foreign_is_refused_whole() {
    let world = World::new("companion");
    let space = world.space();
    let other = world
        .memory()
        .create_namespace("other", "companion")
        .unwrap();
    let (foreign, said) = other
        .graph()
        .remember(
            "theirs",
            &[Assertion::new("a", "p", "b"), Assertion::new("c", "p", "d")],
        )
        .unwrap();
    let id = space.remember("mine").unwrap();
    let second = space.remember("mine too").unwrap();
    let kept = || {
        let mut out = Vec::new();
        space.transfer().export(&mut out, &mut |_| {}).unwrap();
        String::from_utf8(out).unwrap()
    };
    let before = kept();
    let refused = |what: &str, result: Result<(), annals::Error>| {
        let error = result.unwrap_err();
        assert!(error.is_not_found(), "{what}: {error}");
        assert_eq!(kept(), before, "{what}");
    };
    let (theirs, missing) = (said.triples[0], EntityId(40));
    let good = Assertion::new("x", "p", "y");
    refused(
        "triples of a foreign memory",
        space
            .graph()
            .add_triples(foreign, std::slice::from_ref(&good))
            .map(drop),
    );
    refused(
        "one of two triples",
        space
            .graph()
            .add_triples(id, &[good.clone(), Assertion::new(missing, "p", "y")])
            .map(drop),
    );
    refused(
        "a memory with them",
        space
            .graph()
            .remember("new", &[good, Assertion::new("x", "p", missing)])
            .map(drop),
    );
    refused(
        "a link to a foreign memory",
        space.graph().link(id, "causes", foreign),
    );
    let links = [
        NewLink::new(id, "causes", second),
        NewLink::new(second, "causes", foreign),
    ];
    refused("one of two links", space.graph().add_links(&links));
    refused(
        "foreign triples",
        space.graph().delete_triples(&[theirs]).map(drop),
    );
    refused(
        "a foreign entity",
        space.graph().delete_entity(said.ends[0].0).map(drop),
    );
    refused(
        "a merge",
        space
            .graph()
            .merges()
            .merge(said.ends[0].0, said.ends[0].1, "")
            .map(drop),
    );
    refused(
        "a merge with a missing one",
        space
            .graph()
            .merges()
            .merge(missing, EntityId(0), "")
            .map(drop),
    );
    refused(
        "its undoing",
        space.graph().merges().undo(MergeId(0)).map(drop),
    );
    refused(
        "one of two deletions",
        space.bulk().delete(&[id, foreign], Mode::Commit).map(drop),
    );
    refused(
        "one of two to be forgotten",
        space.bulk().forget(&[id, foreign]),
    );
    refused(
        "one of two uses",
        space
            .lifecycle()
            .signal(&[id, foreign], Signal::Used)
            .map(drop),
    );
    let derived = NewMemory::builder("derived")
        .kind("fact")
        .derived_from(id)
        .derived_from(foreign)
        .build()
        .unwrap();
    refused("one of two sources", space.remember(derived).map(drop));
    assert_eq!(
        other
            .graph()
            .explain_triple(TripleId(theirs.0))
            .unwrap()
            .triple
            .subject,
        "a"
    );
    world.validate();
}

#[test]
fn a_clock_that_jumps_counts_no_time_twice() {
    for profile in ["companion", "studio", "agent", "graph", "markdown"] {
        let kind = match profile {
            "graph" => "事实",
            "agent" => "SKILL",
            _ => "fact",
        };
        let world = World::new(profile);
        let space = world.space();
        world.at(100.0);
        let new = |text: &str| {
            NewMemory::builder(text)
                .kind(kind)
                .importance(0.9)
                .build()
                .unwrap()
        };
        let (id, _) = space
            .graph()
            .remember(new("a tea"), &[Assertion::new("主人", "喜欢", "茶")])
            .unwrap();
        world.force();
        let worth = world.standing(id).retention;
        // Back by a year: no time has passed, and everything goes on.
        world.at(100.0 - 365.0);
        world.force();
        assert_eq!(
            world.standing(id).retention,
            worth,
            "{profile}: a clock that goes back counts zero"
        );
        let (early, _) = space
            .graph()
            .remember(new("a coffee"), &[Assertion::new("主人", "喜欢", "咖啡")])
            .unwrap();
        space.graph().link(early, "related", id).unwrap();
        assert_eq!(space.recall(Query::new("coffee")).unwrap()[0].id, early);
        space.forget(early).unwrap();
        space.restore(early).unwrap();
        assert_eq!(
            space
                .graph()
                .triples(&TripleQuery::default())
                .unwrap()
                .triples
                .len(),
            2
        );
        world.validate();
        // Back where it was, the same as if it had never gone.
        world.at(100.0);
        assert_eq!(world.standing(id).retention, worth, "{profile}");
        // Years ahead: what is due is done once, however long it was.
        world.at(100.0 + 3650.0);
        let reports = world.memory().maintain(false, Mode::Commit).unwrap();
        assert!(
            reports.iter().all(JobReport::succeeded),
            "{profile}: {reports:?}"
        );
        assert_eq!(
            world.memory().maintain(false, Mode::Commit).unwrap(),
            [],
            "{profile}: made up for once"
        );
        world.validate();
        // And back again: nothing that went returns by itself, and memories are stored as before.
        let statuses = || [id, early].map(|id| world.status(id));
        let then = statuses();
        world.at(101.0);
        assert!(
            world
                .memory()
                .maintain(false, Mode::Commit)
                .unwrap()
                .iter()
                .all(JobReport::succeeded)
        );
        assert_eq!(statuses(), then, "{profile}");
        let late = world.remember(new("a cake"));
        assert_eq!(
            (world.status(late), space.recall("a cake").unwrap()[0].id),
            (Some(Status::Active), late)
        );
        world.validate();
    }
}
