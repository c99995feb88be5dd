//! Changes by hand and what is told of them: importance, soft deletion, lists of ids.

use crate::support::life::{World, day, near};
use annals::profile::{ReviewKind, Signal};
use annals::{Adjustment, Filter, ListQuery, MemoryId, Mode, NewMemory, Status};

/// The names of what happened after event `seen`, and to whom.
fn told(world: &World, seen: u64) -> Vec<(&'static str, Option<MemoryId>)> {
    world
        .space()
        .admin()
        .events(seen, 1000)
        .unwrap()
        .iter()
        .map(|event| (event.name(), event.id))
        .collect()
}

#[test]
fn importance_is_changed_without_limits() {
    // spec: C-68, C-45
    let mut world = World::new("companion");
    let fact = world.scored("fact", 1.9, "主人喜欢拉面");
    for _ in 0..2 {
        world
            .space()
            .lifecycle()
            .adjust(fact, Adjustment::by(0.3))
            .unwrap();
    }
    near(world.score(fact), 2.5);
    world.maintain();
    world.at(1.01);
    world.maintain();
    assert_eq!(
        world.space().reviews().pending(10).unwrap()[0].kind,
        ReviewKind::Promote
    );
    let (one, other) = (
        world.scored("fact", 1.0, "主人喜欢茶"),
        world.scored("fact", 1.0, "主人喜欢咖啡"),
    );
    assert_eq!(
        world
            .space()
            .lifecycle()
            .adjust(one, Adjustment::by(-5.0))
            .unwrap(),
        (1.0, 0.0)
    );
    assert_eq!(
        world
            .space()
            .lifecycle()
            .adjust(other, Adjustment::by(4.0))
            .unwrap(),
        (1.0, 5.0)
    );
    world.reopen();
    near(world.score(one), 0.0);
    near(world.score(other), 5.0);
    let gone = world.kind("fact", "x");
    world.space().delete(gone, Mode::Commit).unwrap();
    assert!(
        world
            .space()
            .lifecycle()
            .adjust(gone, Adjustment::by(1.0))
            .unwrap_err()
            .is_not_found()
    );
    assert!(
        world
            .space()
            .lifecycle()
            .adjust(one, Adjustment::to(f64::NAN))
            .unwrap_err()
            .is_invalid()
    );
    world.validate();
}

#[test]
fn an_importance_that_was_set_stays_and_is_told() {
    // spec: S-94
    let mut world = World::new("studio");
    let id = world.kind("fact", "项目使用 Nuxt 4");
    let seen = world.space().admin().events(0, 100).unwrap().len() as u64;
    world.at(3.0);
    assert_eq!(
        world
            .space()
            .lifecycle()
            .adjust(id, Adjustment::to(0.5))
            .unwrap(),
        (0.8, 0.5)
    );
    world
        .space()
        .lifecycle()
        .signal(&[id], Signal::Injected)
        .unwrap();
    world.reopen();
    let standing = world.standing(id);
    assert_eq!((standing.importance, standing.returned), (0.5, 1));
    assert_eq!(told(&world, seen), [("memory.updated", Some(id))]);
    assert_eq!(
        world.space().admin().events(seen, 1).unwrap()[0].time,
        day(3.0)
    );
    world.validate();
}

#[test]
fn a_pinned_memory_is_core() {
    // spec: S-11, S-15
    let mut world = World::new("studio");
    let (goal, core) = (
        world.kind("goal", "学会 Rust"),
        world.scored("preference", 0.96, "喜欢深色主题"),
    );
    world
        .space()
        .lifecycle()
        .adjust(goal, Adjustment::pin())
        .unwrap();
    assert_eq!(
        [goal, core].map(|id| world.standing(id).class),
        ["core", "core"]
    );
    world.at(2000.0);
    world.reopen();
    world.force();
    assert_eq!(
        [goal, core].map(|id| world.status(id)),
        [Some(Status::Active); 2]
    );
    near(world.score(goal), 0.7);
    world.validate();
}

#[test]
fn every_operation_is_told_once() {
    // spec: S-32, S-78, S-93, S-101
    let mut world = World::new("studio");
    let fact = world.kind("fact", "用户住在柏林");
    let weak = world.scored("context", 0.2, "用户今天很忙");
    world.at(4.0);
    world.force();
    world.space().restore(weak).unwrap();
    world.space().update(fact, "用户住在汉堡").unwrap();
    world.space().forget(fact).unwrap();
    world.space().forget(fact).unwrap();
    world.reopen();
    assert_eq!(
        told(&world, 0),
        [
            ("memory.created", Some(fact)),
            ("memory.created", Some(weak)),
            ("memory.forgotten", Some(weak)),
            ("memory.restored", Some(weak)),
            ("memory.updated", Some(fact)),
            ("memory.deleted", Some(fact)),
        ]
    );
    for event in world.space().admin().events(0, 100).unwrap() {
        assert!(
            world.space().get(event.id.unwrap()).unwrap().is_some(),
            "what is told can be read"
        );
        assert_eq!(event.by_rule, event.name() == "memory.forgotten");
    }
}

#[test]
fn what_a_user_deletes_is_hidden_and_kept() {
    // spec: S-21, S-96
    let world = World::new("studio");
    let id = world.kind("lesson", "Docker 需要使用 proxy-env");
    let found = |world: &World| {
        let query = annals::Query::new("Docker proxy-env")
            .min_score(annals::UnitScore::new("least", 0.0).unwrap());
        world.space().recall(query).unwrap().len()
    };
    world.space().forget(id).unwrap();
    assert_eq!(
        (found(&world), world.status(id)),
        (0, Some(Status::Forgotten))
    );
    let mut exported = Vec::new();
    world
        .space()
        .transfer()
        .export(&mut exported, &mut |_| {})
        .unwrap();
    let exported = String::from_utf8(exported).unwrap();
    assert!(
        exported.contains("proxy-env") && exported.contains("\"status\":\"forgotten\""),
        "{exported}"
    );
    world.space().restore(id).unwrap();
    world.space().restore(id).unwrap();
    assert_eq!((found(&world), world.status(id)), (1, Some(Status::Active)));
}

#[test]
fn a_list_of_ids_is_deleted_but_for_what_is_kept() {
    // part: C-132; there is no page
    // part: C-131; there is no page
    let world = World::new("companion");
    let [one, two, four] = ["a", "b", "d"].map(|text| world.kind("fact", text));
    let (three, system) = (world.kind("core", "c"), world.kind("system", "s"));
    let promoted = world.scored("fact", 2.6, "e");
    let list = format!("{one}, {two} {three}\n{four}");
    let planned = world
        .space()
        .bulk()
        .delete_listed(&list, Mode::DryRun)
        .unwrap();
    assert_eq!(
        (planned.receipt.memories.len(), planned.skipped.as_slice()),
        (3, &[three][..])
    );
    assert_eq!(world.space().admin().stats().unwrap().memories, 6);
    let done = world
        .space()
        .bulk()
        .delete_listed(&list, Mode::Commit)
        .unwrap();
    assert_eq!(
        (
            done.receipt.memories.len(),
            done.skipped.as_slice(),
            done.unknown.len()
        ),
        (3, &[three][..], 0)
    );
    assert!(
        [one, two, four]
            .iter()
            .all(|id| world.status(*id).is_none())
    );

    let five = world.kind("fact", "f");
    let again = world
        .space()
        .bulk()
        .delete_listed(
            &format!("{five}，{five} mem_x {one} {system}"),
            Mode::Commit,
        )
        .unwrap();
    assert_eq!(
        (again.receipt.memories.len(), again.skipped.as_slice()),
        (1, &[system][..])
    );
    assert_eq!(again.unknown, ["mem_x".to_owned(), one.to_string()]);
    assert!(world.status(promoted).is_some() && world.status(three).is_some());
    world.validate();
}

#[test]
fn a_companion_is_counted_and_written_as_text() {
    // part: C-130; there is no page
    let world = World::new("companion");
    for (kind, text) in [
        ("core", "生日是5月3日"),
        ("fact", "喜欢\n拉面"),
        ("core", "住在上海"),
        ("fact", "有猫"),
        ("fact", "怕冷"),
        ("episode", "聊了游戏"),
    ] {
        world.kind(kind, text);
    }
    let by_kind = world.space().admin().stats().unwrap().open.unwrap().by_kind;
    assert_eq!(
        ["core", "fact", "episode", "system"].map(|kind| by_kind[kind]),
        [2, 3, 1, 0]
    );
    let mut out = Vec::new();
    let report = world.space().transfer().export_text(&mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let query = ListQuery {
        newest_first: false,
        filter: Filter::default(),
        ..ListQuery::default()
    };
    let ids: Vec<MemoryId> = world
        .space()
        .list(&query)
        .unwrap()
        .memories
        .iter()
        .map(|memory| memory.id)
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((report.memories, lines.len()), (6, 6));
    assert_eq!(lines[0], format!("{}\tcore\t3.00\t生日是5月3日", ids[0]));
    assert_eq!(lines[1], format!("{}\tfact\t1.00\t喜欢 拉面", ids[1]));
}

#[test]
fn retention_is_told_by_the_formula() {
    // spec: S-65, S-98
    let world = World::new("studio");
    let ids = [(0.9, 0), (0.9, 5), (0.85, 3), (0.5, 1)].map(|(score, uses)| {
        let id = world.remember(
            NewMemory::builder(format!("{score} {uses}"))
                .kind("fact")
                .importance(score)
                .build()
                .unwrap(),
        );
        for _ in 0..uses {
            world
                .space()
                .lifecycle()
                .signal(&[id], Signal::Injected)
                .unwrap();
        }
        id
    });
    near(world.standing(ids[0]).retention, 0.9);
    world.at(30.0);
    near(world.standing(ids[1]).retention, 1.861_368);
    near(world.standing(ids[2]).retention, 1.502_639);
    world.at(100.0);
    near(world.standing(ids[3]).retention, 0.311_437);
}
