//! Memories of users under the names of the studio design.

use crate::support::life::{World, day};
use annals::blocking::Memory;
use annals::profile::Signal;
use annals::{ImportOptions, MemoryId, Mode, NewMemory, Timestamp, UserMemory};

/// Whether a field of the record may have this value as JSON.
fn fits(name: &str, value: &serde_json::Value) -> bool {
    let time = || {
        value
            .as_str()
            .is_some_and(|text| text.parse::<Timestamp>().is_ok())
    };
    let whole = |value: &serde_json::Value| {
        value
            .as_u64()
            .is_some_and(|number| (1..1 << 53).contains(&number))
    };
    match name {
        "id" => whole(value),
        "zepMemoryId" => value
            .as_str()
            .is_some_and(|text| text.parse::<MemoryId>().is_ok()),
        "userId" | "accessCount" => value.is_u64(),
        "type" => ["preference", "fact", "lesson", "goal", "context"]
            .contains(&value.as_str().unwrap_or_default()),
        "importance" | "confidence" => {
            value.is_f64() && value.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n))
        }
        "isForgotten" => value.is_boolean(),
        "validFrom" | "createdAt" | "updatedAt" => time(),
        "lastAccessedAt" | "validUntil" => value.is_null() || time(),
        "supersedes" => value.as_array().is_some_and(|list| list.iter().all(whole)),
        "sourceConversationId" | "sourceMessageId" => value.is_null() || value.is_i64(),
        _ => false,
    }
}

#[test]
fn a_record_has_sixteen_fields_that_travel() {
    // spec: S-17
    let world = World::new("studio");
    let user = world.memory().create_namespace("user:7", "studio").unwrap();
    let put = |memory: NewMemory| user.remember(memory).unwrap();
    let plain = |kind: &str, text: &str| NewMemory::builder(text).kind(kind).build().unwrap();
    let framework = |text: &str| {
        let memory = NewMemory::builder(text)
            .kind("preference")
            .importance(0.85)
            .confidence(0.5);
        let memory = memory
            .metadata("source_conversation", 11_i64)
            .metadata("source_message", 12_i64);
        memory
            .metadata("subject", "用户")
            .metadata("predicate", "主力框架")
            .build()
            .unwrap()
    };
    // The rows before them are gone in the other file.
    let gaps = ["一", "二", "三"].map(|text| put(plain("context", text)));
    let vue = put(framework("我喜欢用 Vue 3"));
    let old = put(plain("fact", "项目使用 Prisma"));
    let edited = put(plain("lesson", "Docker 需要代理"));
    user.delete(gaps[0], Mode::Commit).unwrap();
    user.delete(gaps[2], Mode::Commit).unwrap();
    world.at(10.5);
    let new = user
        .lifecycle()
        .supersede(old, plain("fact", "项目使用 Drizzle ORM"))
        .unwrap();
    user.update(edited, "Docker 需要使用 proxy-env").unwrap();
    world.at(20.25);
    user.update(new, "项目使用 Drizzle").unwrap();
    user.update(edited, "Docker 需要使用 proxy-env 环境变量")
        .unwrap();
    world.at(30.0);
    let react = put(framework("我现在更喜欢用 React"));
    user.lifecycle().signal(&[react], Signal::Injected).unwrap();
    world.at(31.0);
    user.lifecycle()
        .signal(&[react, new], Signal::Injected)
        .unwrap();
    user.forget(vue).unwrap();
    let back = put(plain("goal", "学会弹琴"));
    user.forget(back).unwrap();
    user.restore(back).unwrap();
    // Importance and counts after a pass of the jobs.
    world.at(40.0);
    world.force();
    let ids = [vue, old, edited, new, react, back, gaps[1]];
    let told = |memory: &Memory| -> Vec<UserMemory> {
        let told = memory
            .namespace("user:7")
            .unwrap()
            .designs()
            .studio()
            .memories(&ids)
            .unwrap();
        told.into_iter().map(Option::unwrap).collect()
    };
    let before = told(world.memory());
    for record in &before {
        let json = serde_json::to_value(record).unwrap();
        let fields = json.as_object().unwrap();
        assert_eq!(fields.len(), 16, "{json}");
        assert!(
            fields.iter().all(|(name, value)| fits(name, value)),
            "{json}"
        );
    }
    let of = |id: MemoryId| {
        before
            .iter()
            .find(|record| record.zep_memory_id == id.to_string())
            .unwrap()
    };
    assert!(
        before
            .iter()
            .zip(ids)
            .all(|(record, id)| record.id == id.number() && record.user_id == Some(7))
    );
    assert_eq!(
        (
            of(react).supersedes.as_slice(),
            of(new).supersedes.as_slice()
        ),
        (&[vue.number()][..], &[old.number()][..])
    );
    assert_eq!(
        (of(vue).valid_from, of(vue).valid_until),
        (day(0.0), Some(day(30.0)))
    );
    assert_eq!(
        (of(vue).is_forgotten, of(vue).source_message_id),
        (true, Some(12))
    );
    assert_eq!(
        (of(react).access_count, of(react).last_accessed_at),
        (2, Some(day(31.0)))
    );
    assert_eq!(
        (of(edited).created_at, of(edited).updated_at),
        (day(0.0), day(20.25))
    );
    assert_eq!(
        (of(new).created_at, of(new).updated_at),
        (day(10.5), day(20.25))
    );
    assert_eq!(
        (of(back).is_forgotten, of(back).updated_at),
        (false, day(31.0))
    );

    let mut file = Vec::new();
    user.transfer().export(&mut file, &mut |_| {}).unwrap();
    let other = Memory::options().in_memory().unwrap();
    let space = other.create_namespace("user:7", "studio").unwrap();
    space.remember("what was there before").unwrap();
    space
        .transfer()
        .import(&mut file.as_slice(), &ImportOptions::default(), &mut |_| {})
        .unwrap();
    assert_eq!(told(&other), before);
    // And back again, into a third.
    let mut again = Vec::new();
    space.transfer().export(&mut again, &mut |_| {}).unwrap();
    let third = Memory::options().in_memory().unwrap();
    let space = third.create_namespace("user:7", "studio").unwrap();
    space
        .transfer()
        .import(
            &mut again.as_slice(),
            &ImportOptions::default(),
            &mut |_| {},
        )
        .unwrap();
    assert_eq!(told(&third), before);
}
