//! The records of companion and studio: kinds, sources, first values, counts.

use crate::support::life::{World, day, near};
use annals::profile::Signal;
use annals::{Filter, ListQuery, NewMemory, NewMemoryBuilder, Status, StoredMemory, UserMemory};

fn fact(text: &str) -> NewMemoryBuilder {
    NewMemory::builder(text).kind("fact")
}

fn all(world: &World) -> Vec<StoredMemory> {
    let filter = Filter {
        statuses: Status::ALL.to_vec(),
        ..Filter::default()
    };
    let query = ListQuery {
        filter,
        limit: 1000,
        newest_first: false,
        ..ListQuery::default()
    };
    world.space().list(&query).unwrap().memories
}

fn refused(world: &World, memory: NewMemoryBuilder) -> String {
    let before = all(world);
    let error = world.space().remember(memory.build().unwrap()).unwrap_err();
    assert!(error.is_invalid(), "{error}");
    assert_eq!(all(world), before);
    error.to_string()
}

#[test]
fn a_companion_tells_everything_of_a_record() {
    // spec: C-40
    let world = World::new("companion");
    world.at(1.0);
    let ids = [
        world.remember(
            fact("主人喜欢寿司")
                .source("user")
                .importance(1.5)
                .build()
                .unwrap(),
        ),
        world.remember(
            NewMemory::builder("[2026-01-01 18:00] 聊了游戏")
                .kind("episode")
                .source("background_ai")
                .build()
                .unwrap(),
        ),
        world.remember(
            NewMemory::builder("主人生日是5月3日")
                .kind("core")
                .build()
                .unwrap(),
        ),
    ];
    world.at(2.0);
    world.space().touch(&ids[..1]).unwrap();
    let stored = all(&world);
    let standings = world.space().lifecycle().standings(&ids).unwrap();
    let told: Vec<_> = stored
        .iter()
        .zip(&standings)
        .map(|(memory, standing)| {
            let (body, standing) = (&memory.body, standing.as_ref().unwrap());
            let source = body.source.as_ref().unwrap().as_str();
            let times = (memory.stored_at, standing.last_access);
            (
                memory.id,
                body.text.as_str(),
                standing.score,
                times,
                body.kind.as_str(),
                source,
                body.verified,
            )
        })
        .collect();
    let once = (day(1.0), day(1.0));
    assert_eq!(
        told,
        [
            (
                ids[0],
                "主人喜欢寿司",
                1.8,
                (day(1.0), day(2.0)),
                "fact",
                "user",
                true
            ),
            (
                ids[1],
                "[2026-01-01 18:00] 聊了游戏",
                1.0,
                once,
                "episode",
                "background_ai",
                false
            ),
            (
                ids[2],
                "主人生日是5月3日",
                3.0,
                once,
                "core",
                "system",
                false
            ),
        ]
    );
    let json = serde_json::to_string(&stored).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<StoredMemory>>(&json).unwrap(),
        stored
    );
}

#[test]
fn a_companion_knows_four_kinds_and_three_sources() {
    // spec: C-41, C-42, C-43
    let world = World::new("companion");
    for kind in ["system", "core", "fact", "episode"] {
        world.kind(kind, &format!("of {kind}"));
    }
    let verified: Vec<bool> = ["user", "background_ai", "system"]
        .map(|source| {
            world.remember(
                fact(&format!("by {source}"))
                    .source(source)
                    .build()
                    .unwrap(),
            )
        })
        .map(|id| world.space().get(id).unwrap().unwrap().body.verified)
        .to_vec();
    assert_eq!(verified, [true, false, false]);
    let confirmed = world.remember(
        fact("confirmed")
            .source("background_ai")
            .verified(true)
            .build()
            .unwrap(),
    );
    assert!(world.space().get(confirmed).unwrap().unwrap().body.verified);
    assert!(refused(&world, NewMemory::builder("x").kind("misc")).contains("episode"));
    assert!(refused(&world, fact("x").source("web")).contains("background_ai"));
    let id = world.kind("fact", "主人喜欢茶");
    for bad in [
        NewMemory::builder("x").kind("misc"),
        fact("x").source("web"),
    ] {
        assert!(
            world
                .space()
                .update(id, bad.build().unwrap())
                .unwrap_err()
                .is_invalid()
        );
    }
    assert_eq!(
        world.space().get(id).unwrap().unwrap().body.text,
        "主人喜欢茶"
    );
}

#[test]
fn searching_does_not_count_as_access() {
    // spec: C-46
    let world = World::new("companion");
    let id = world.remember(fact("主人喜欢拉面").build().unwrap());
    let accessed = |world: &World| world.standing(id).last_access;
    for n in 1..=100 {
        world.at(f64::from(n) / 100.0);
        assert!(!world.recall("拉面").is_empty());
        world.space().get(id).unwrap();
    }
    assert_eq!(accessed(&world), day(0.0));
    world.at(2.0);
    world.space().touch(&[id]).unwrap();
    assert_eq!(accessed(&world), day(2.0));
    world.at(2.01);
    world.space().touch(&[id]).unwrap();
    assert_eq!(accessed(&world), day(2.0), "within the cooldown");
}

#[test]
fn what_an_edit_does_not_say_stays() {
    let world = World::new("companion");
    let id = world.remember(
        NewMemory::builder("主人住在北京")
            .kind("core")
            .importance(2.0)
            .build()
            .unwrap(),
    );
    world.space().touch(&[id]).unwrap();
    world.space().update(id, "主人住在上海").unwrap();
    let body = world.space().get(id).unwrap().unwrap().body;
    assert_eq!(
        (body.text.as_str(), body.kind.as_str()),
        ("主人住在上海", "core")
    );
    near(world.score(id), 2.3);
    let said = NewMemory::builder("主人住在上海")
        .importance(0.7)
        .build()
        .unwrap();
    world.space().update(id, said).unwrap();
    near(world.score(id), 0.7);
    world.validate();
}

#[test]
fn a_studio_knows_five_kinds() {
    // spec: S-07, S-08
    let world = World::new("studio");
    let kinds = ["preference", "fact", "lesson", "goal", "context"];
    let scores = kinds.map(|kind| world.score(world.kind(kind, &format!("of {kind}"))));
    assert_eq!(scores, [0.9, 0.8, 0.85, 0.7, 0.4]);
    assert!(refused(&world, NewMemory::builder("x").kind("opinion")).contains("preference"));
}

#[test]
fn every_memory_has_a_tier_and_lists_go_by_it() {
    // spec: S-10, S-15
    let mut world = World::new("studio");
    let id = |kind: &str| world.kind(kind, &format!("of {kind}"));
    let (preference, context) = (id("preference"), id("context"));
    let pinned = world.remember(
        NewMemory::builder("pinned")
            .kind("goal")
            .metadata("pinned", true)
            .build()
            .unwrap(),
    );
    let sure = world.scored("fact", 0.95, "sure");
    world.reopen();
    let of = |classes: &[&str]| {
        let classes = classes.iter().map(|class| (*class).to_owned()).collect();
        let query = ListQuery {
            classes,
            newest_first: false,
            ..ListQuery::default()
        };
        let page = world.space().list(&query).unwrap();
        assert_eq!(page.total, page.memories.len() as u64);
        page.memories
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&["core"]), [pinned, sure]);
    assert_eq!(of(&["working"]), [preference]);
    assert_eq!(of(&["temporary", "working"]), [preference, context]);
    assert_eq!(of(&[]).len(), 4);
    assert!(of(&["other"]).is_empty());
    let first = ListQuery {
        classes: vec!["core".into()],
        limit: 1,
        newest_first: false,
        ..ListQuery::default()
    };
    let page = world.space().list(&first).unwrap();
    let next = world
        .space()
        .list(&ListQuery {
            after: page.next,
            ..first
        })
        .unwrap();
    assert_eq!(
        (page.total, next.memories[0].id, next.next),
        (2, sure, None)
    );
}

#[test]
fn a_studio_trusts_a_person_more_than_an_extraction() {
    // spec: S-16
    let world = World::new("studio");
    let confidence = |memory: NewMemoryBuilder| {
        let id = world.remember(memory.build().unwrap());
        world
            .space()
            .get(id)
            .unwrap()
            .unwrap()
            .body
            .confidence
            .get()
    };
    assert_eq!(confidence(fact("a").source("extraction")), 0.8);
    assert_eq!(
        confidence(fact("b").source("extraction").confidence(0.35)),
        0.35
    );
    assert_eq!(confidence(fact("c")), 1.0);
    assert_eq!(confidence(fact("d").source("user")), 1.0);
}

#[test]
fn counts_are_by_kind_and_tier() {
    // spec: S-100, S-135
    let world = World::new("studio");
    let first = world.kind("preference", "one");
    world.kind("preference", "two");
    world.kind("lesson", "three");
    let stats = world.space().admin().stats().unwrap();
    let open = stats.open.clone().unwrap();
    let counted = |pairs: &[(&str, u64)]| {
        pairs
            .iter()
            .map(|(word, n)| ((*word).to_owned(), *n))
            .collect()
    };
    assert_eq!(stats.memories, 3);
    assert_eq!(
        open.by_kind,
        counted(&[
            ("preference", 2),
            ("lesson", 1),
            ("fact", 0),
            ("goal", 0),
            ("context", 0)
        ])
    );
    assert_eq!(
        open.by_class,
        counted(&[("core", 0), ("working", 3), ("temporary", 0)])
    );
    near(stats.forgotten_share(), 0.0);
    world.space().forget(first).unwrap();
    near(
        world.space().admin().stats().unwrap().forgotten_share(),
        1.0 / 3.0,
    );
}

#[test]
fn a_users_memory_has_sixteen_fields() {
    // spec: S-18
    let world = World::new("studio");
    let user = world.memory().create_namespace("user:7", "studio").unwrap();
    world.at(1.0);
    let id = user
        .remember(fact("项目使用 Drizzle ORM").build().unwrap())
        .unwrap();
    let one = |id| {
        user.designs()
            .studio()
            .memories(&[id])
            .unwrap()
            .pop()
            .unwrap()
            .unwrap()
    };
    let manual = UserMemory {
        id: id.number(),
        zep_memory_id: id.to_string(),
        user_id: Some(7),
        kind: "fact".to_owned(),
        importance: 0.8,
        confidence: 1.0,
        access_count: 0,
        last_accessed_at: None,
        is_forgotten: false,
        valid_from: day(1.0),
        valid_until: None,
        supersedes: vec![],
        source_conversation_id: None,
        source_message_id: None,
        created_at: day(1.0),
        updated_at: day(1.0),
    };
    assert_eq!(one(id), manual);
    let json = serde_json::to_value(&manual).unwrap();
    let keys = [
        "id",
        "zepMemoryId",
        "userId",
        "type",
        "importance",
        "confidence",
        "accessCount",
        "lastAccessedAt",
        "isForgotten",
        "validFrom",
        "validUntil",
        "supersedes",
        "sourceConversationId",
        "sourceMessageId",
        "createdAt",
        "updatedAt",
    ];
    assert_eq!(json.as_object().unwrap().len(), 16);
    assert!(keys.iter().all(|key| json.get(key).is_some()), "{json}");
    assert_eq!(serde_json::from_value::<UserMemory>(json).unwrap(), manual);

    world.at(2.0);
    user.lifecycle().signal(&[id], Signal::Injected).unwrap();
    assert_eq!(
        (one(id).access_count, one(id).last_accessed_at),
        (1, Some(day(2.0)))
    );
    let said = fact("项目使用 Prisma")
        .source("extraction")
        .event_time(day(1.5))
        .metadata("source_conversation", 12_i64);
    let new = user
        .lifecycle()
        .supersede(
            id,
            said.metadata("source_message", 345_i64).build().unwrap(),
        )
        .unwrap();
    world.at(3.0);
    user.forget(new).unwrap();
    let later = one(new);
    assert_eq!(
        (
            later.supersedes.as_slice(),
            later.valid_from,
            later.confidence
        ),
        (&[id.number()][..], day(1.5), 0.8)
    );
    assert_eq!(
        (later.source_conversation_id, later.source_message_id),
        (Some(12), Some(345))
    );
    assert_eq!(
        (later.is_forgotten, later.created_at, later.updated_at),
        (true, day(2.0), day(3.0))
    );
}
