//! Advisers that are asked about memories: the fate of memories that wait for one, and the texts
//! that are kept back from all of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::support::life::{World, day};
use crate::support::script::{Script, Table};
use annals::graph::{Assertion, TripleQuery};
use annals::llm::provider::{Provider, Replay, Reply};
use annals::{ImportOptions, Judge, MemoryId, NewMemory, NewTurn, OnBad, QueueState, Role, Status};

/// A studio whose profile was changed, with an embedder and a judge that do what a test says.
fn world(changes: &[(&str, &str)], table: &Arc<Table>, judge: &Arc<Script>) -> World {
    let (table, judge) = (Arc::clone(table), Arc::clone(judge));
    let world = World::with("studio", move |options| {
        options
            .embedder(table.clone())
            .judge(Arc::clone(&judge) as Arc<dyn Judge>)
    });
    let mut text = annals::profiles::builtin("studio").unwrap().to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    world.memory().profiles().store("own", &text).unwrap();
    world.space().admin().set_profile("own").unwrap();
    world
}

fn sleep(judge: &Script, asleep: bool) {
    *judge.asleep.lock().unwrap() = asleep;
}

fn waiting(world: &World) -> (u64, Vec<(String, QueueState, u32)>) {
    let open = world.space().admin().stats().unwrap().open.unwrap();
    let queue = world.space().queue().list(10).unwrap();
    (
        open.uncompared,
        queue
            .into_iter()
            .map(|task| (task.kind, task.state, task.attempts))
            .collect(),
    )
}

fn until(world: &World, id: MemoryId) -> Option<annals::Timestamp> {
    world.space().get(id).unwrap().unwrap().body.valid_until
}

#[test]
fn a_judge_that_fails_when_a_memory_arrives_is_asked_later() {
    let (table, judge) = (Table::new(), Arc::new(Script::default()));
    let mut world = world(&[("ask_judge = false", "ask_judge = true")], &table, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    let old = world.kind("fact", "我住在汉堡");
    sleep(&judge, true);
    world.at(1.0);
    let new = world.kind("fact", "我搬到了柏林");
    assert_eq!(
        [old, new].map(|id| (world.status(id), until(&world, id))),
        [(Some(Status::Active), None); 2]
    );
    assert_eq!(
        waiting(&world),
        (1, vec![("compare".to_owned(), QueueState::Waiting, 0)])
    );
    assert_eq!(
        world
            .space()
            .queue()
            .work_off()
            .unwrap()
            .get("compare failed"),
        Some(&1)
    );
    assert_eq!(
        waiting(&world),
        (1, vec![("compare".to_owned(), QueueState::Waiting, 1)])
    );
    world.reopen();
    sleep(&judge, false);
    judge.answers.lock().unwrap().push_back(true);
    world.at(2.0);
    assert_eq!(
        world.space().queue().work_off().unwrap().get("compared"),
        Some(&1)
    );
    assert_eq!(
        [old, new].map(|id| until(&world, id)),
        [Some(day(1.0)), None],
        "as if it had been asked at once"
    );
    assert_eq!(
        world.space().get(new).unwrap().unwrap().body.valid_from,
        Some(day(1.0))
    );
    let links = world.space().graph().links(new).unwrap();
    assert_eq!(
        links
            .iter()
            .map(|link| (link.from, link.to))
            .collect::<Vec<_>>(),
        [(new, old)]
    );
    assert_eq!((waiting(&world), judge.asked()), ((0, vec![]), 1));
    assert!(world.space().queue().work_off().unwrap().is_empty());
    world.validate();
}

#[test]
fn what_turns_out_to_say_the_same_becomes_one_later() {
    let (table, judge) = (Table::new(), Arc::new(Script::default()));
    let world = world(
        &[("maybe_check = \"triple_key\"", "maybe_check = \"judge\"")],
        &table,
        &judge,
    );
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    let old = world.kind("preference", "我喜欢函数式编程");
    sleep(&judge, true);
    world.at(1.0);
    let new = world.kind("preference", "我读函数式的书");
    assert_ne!(old, new);
    sleep(&judge, false);
    judge.answers.lock().unwrap().push_back(true);
    assert_eq!(
        world.space().queue().work_off().unwrap().get("merged"),
        Some(&1)
    );
    assert_eq!(
        [old, new].map(|id| world.status(id)),
        [Some(Status::Active), Some(Status::Forgotten)]
    );
    // One that was deleted meanwhile is nobody's business.
    sleep(&judge, true);
    table.near("我写函数式的代码", "我喜欢函数式编程", 0.85);
    let gone = world.kind("preference", "我写函数式的代码");
    world.space().delete(gone, annals::Mode::Commit).unwrap();
    assert_eq!(
        world.space().queue().work_off().unwrap().get("gone"),
        Some(&1)
    );
    assert_eq!(waiting(&world), (0, vec![]));
    world.validate();
}

#[test]
fn a_session_is_looked_through_although_nobody_can_compare_what_was_found() {
    let (table, judge) = (Table::new(), Arc::new(Script::default()));
    let world = world(&[("ask_judge = false", "ask_judge = true")], &table, &judge);
    table.near("我搬到了柏林", "我住在汉堡", 0.79);
    world.kind("fact", "我住在汉堡");
    sleep(&judge, true);
    let both = ["我搬到了柏林", "我养了一只猫"]
        .map(|text| NewMemory::builder(text).kind("fact").build().unwrap());
    let ids = world.space().bulk().remember(both.to_vec()).unwrap();
    assert!(
        ids.iter()
            .all(|id| world.status(*id) == Some(Status::Active))
    );
    assert_eq!(waiting(&world).0, 1, "only one of them is like anything");
    world.validate();
}

/// A profile of annals with settings behind it, in the namespace of a world.
fn under(world: &World, profile: &str, more: &str) {
    let text = format!("{}\n{more}\n", annals::profiles::builtin(profile).unwrap());
    world.memory().profiles().store("strict", &text).unwrap();
    world.space().admin().set_profile("strict").unwrap();
}

const SECRET: &str = "hunter2-XYZ";

/// A model that answers what each purpose expects, and keeps what it was asked.
fn clerk() -> Arc<Replay> {
    let replay = Replay::default();
    for _ in 0..9 {
        for (purpose, answer) in [
            ("extract", "[SKIP]"),
            ("review", "[KEEP]"),
            ("summarize", "聊了上网"),
            ("condense", "网络有密码"),
            ("triples", "[]"),
            ("same", "否"),
            ("contradicts", "否"),
            ("episode", "{\"summary\":\"聊了上网\"}"),
        ] {
            replay.push(purpose, Ok(Reply::text(answer)));
        }
    }
    Arc::new(replay)
}

#[test]
fn what_a_profile_keeps_back_reaches_no_model() {
    for action in ["mask", "reject"] {
        let model = clerk();
        let shown: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
        let table = Table::new();
        let told = format!("主人家的 wifi 密码是 {SECRET}");
        table.near(&format!("路由器的密码是 {SECRET}"), &told, 0.9);
        let world = World::with("companion", move |options| {
            options.model(Arc::clone(&shown)).embedder(table.clone())
        });
        // Stored while nothing was kept back.
        under(&world, "companion", "[privacy]\npassword = \"allow\"");
        let known = world.scored("fact", 0.23, &told);
        world.said(&format!("我的密码是 {SECRET}，记一下"));
        let strict = format!("[privacy]\npassword = \"{action}\"");
        under(&world, "companion", &strict);
        let working = world.space().session("w").working().unwrap();
        working
            .say(
                NewTurn::builder("w", format!("邮箱密码是 {SECRET}"))
                    .build()
                    .unwrap(),
            )
            .unwrap();
        let result = NewTurn::builder("w", format!("router: password: {SECRET}"))
            .role(Role::Tool)
            .build()
            .unwrap();
        working.say(result).unwrap();
        let answer = NewTurn::builder("w", "好的")
            .role(Role::Assistant)
            .build()
            .unwrap();
        working.say(answer.clone()).unwrap();
        working.end_turn().unwrap();
        let prompt = working
            .prompt("你是助手", &format!("密码是 {SECRET} 对吗？"))
            .unwrap();
        let prompted: Vec<&str> = prompt
            .messages
            .iter()
            .map(|message| message.text.as_str())
            .collect();
        assert!(
            !prompted.concat().contains(SECRET) && prompted.concat().contains("[password]"),
            "{prompted:?}"
        );
        assert!(
            prompt
                .context
                .text
                .contains("主人家的 wifi 密码是 [password]"),
            "{}",
            prompt.context.text
        );
        let more = NewTurn::builder("w", "还有吗").build().unwrap();
        working.say(more).unwrap();
        working.say(answer).unwrap();
        assert!(working.close().unwrap().episode.is_some());
        world.space().session("s").extract().unwrap();
        world.at(6.0);
        world.force();
        world.space().queue().work_off().unwrap();
        let purposes: BTreeSet<String> = model
            .asked()
            .iter()
            .map(|asked| asked.purpose.clone())
            .collect();
        let wanted = ["condense", "extract", "review", "summarize", "triples"];
        assert_eq!(purposes, wanted.map(str::to_owned).into(), "{action}");
        for asked in model.asked() {
            assert!(
                asked
                    .messages
                    .iter()
                    .all(|message| !message.text.contains(SECRET)),
                "{asked:?}"
            );
        }
        assert!(
            world
                .space()
                .get(known)
                .unwrap()
                .unwrap()
                .body
                .text
                .contains(SECRET),
            "what is stored stays"
        );
        world.validate();
    }
}

#[test]
fn a_judge_and_an_extractor_of_ones_own_see_no_secret_either() {
    let (table, judge) = (Table::new(), Arc::new(Script::default()));
    let world = world(
        &[("maybe_check = \"triple_key\"", "maybe_check = \"judge\"")],
        &table,
        &judge,
    );
    let text = annals::profiles::builtin("studio").unwrap();
    let open = text.replacen("password = \"mask\"", "password = \"allow\"", 1);
    world.memory().profiles().store("open", &open).unwrap();
    world.space().admin().set_profile("open").unwrap();
    world.kind("fact", &format!("wifi 密码是 {SECRET}"));
    world.space().admin().set_profile("own").unwrap();
    table.near(
        "wifi 密码是 [password] 吧",
        &format!("wifi 密码是 {SECRET}"),
        0.85,
    );
    world.kind("fact", &format!("wifi 密码是 {SECRET} 吧"));
    let pairs = judge.pairs.lock().unwrap().clone();
    assert_eq!(
        pairs,
        [(
            "wifi 密码是 [password] 吧".to_owned(),
            "wifi 密码是 [password]".to_owned()
        )]
    );
}

#[test]
fn an_import_and_what_memories_say_are_screened() {
    let source = World::new("companion");
    under(&source, "companion", "[privacy]\npassword = \"allow\"");
    let known = source.kind("fact", &format!("wifi 密码是 {SECRET}"));
    let said = [
        Assertion::new("wifi", "密码是", format!("密码是 {SECRET}"))
            .condition(format!("password: {SECRET}")),
        // Neither of the parts says what it is.
        Assertion::new("路由器", "密码是", SECRET),
    ];
    source
        .space()
        .graph()
        .add_triples(known, &said[..1])
        .unwrap();
    let mut exported = Vec::new();
    source
        .space()
        .transfer()
        .export(&mut exported, &mut |_| {})
        .unwrap();
    assert!(String::from_utf8_lossy(&exported).contains(SECRET));
    let import = |world: &World| {
        let options = ImportOptions {
            on_bad: OnBad::Collect,
            ..ImportOptions::default()
        };
        world
            .space()
            .transfer()
            .import(&mut exported.as_slice(), &options, &mut |_| {})
            .unwrap()
    };
    let all = |world: &World| {
        let mut out = Vec::new();
        world
            .space()
            .transfer()
            .export(&mut out, &mut |_| {})
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    let masks = World::new("companion");
    under(&masks, "companion", "[privacy]\npassword = \"mask\"");
    assert_eq!(import(&masks).bad.len(), 0);
    assert!(
        !all(&masks).contains(SECRET) && all(&masks).contains("wifi 密码是 [password]"),
        "{}",
        all(&masks)
    );
    assert_eq!(masks.recall("wifi"), ["wifi 密码是 [password]"]);
    assert_eq!(import(&masks).stored, 0, "the same export again");
    // Worlds begin with the same ids.
    masks.at(1.0);
    masks.space().graph().add_triples(known, &said).unwrap();
    masks
        .space()
        .graph()
        .remember("他换了 wifi", &said)
        .unwrap();
    assert!(!all(&masks).contains(SECRET), "{}", all(&masks));
    masks.validate();
    let refuses = World::new("companion");
    under(&refuses, "companion", "[privacy]\npassword = \"reject\"");
    let report = import(&refuses);
    assert!(report.stored == 0 && !report.bad.is_empty(), "{report:?}");
    assert!(report.bad.iter().all(|bad| !bad.reason.contains(SECRET)));
    refuses.at(1.0);
    let id = refuses.kind("fact", "wifi 换了");
    assert!(
        refuses
            .space()
            .graph()
            .add_triples(id, &said)
            .unwrap_err()
            .is_invalid()
    );
    assert!(!all(&refuses).contains(SECRET));
    refuses.validate();
}

fn triples(world: &World) -> Vec<String> {
    let found = world
        .space()
        .graph()
        .triples(&TripleQuery::default())
        .unwrap()
        .triples;
    let words = |one: &annals::graph::Triple| {
        let no = if one.negated { "不" } else { "" };
        format!("{} {no}{} {}", one.subject, one.predicate, one.object)
    };
    found.iter().map(words).collect()
}

#[test]
fn triples_are_found_by_a_component_of_their_own_as_soon_as_it_answers() {
    // spec: C-96
    let model = Arc::new(Replay::default());
    let shown: Arc<dyn Provider> = Arc::clone(&model) as Arc<dyn Provider>;
    let mut world = World::with("companion", move |options| {
        options.model(Arc::clone(&shown))
    });
    let id = world.kind("fact", "主人很喜欢拉面，不喜欢香菜");
    let backlog = |world: &World| {
        world
            .space()
            .admin()
            .stats()
            .unwrap()
            .open
            .unwrap()
            .uninterpreted
    };
    model.push("triples", Err("HTTP 500".to_owned()));
    assert_eq!(
        world
            .space()
            .queue()
            .work_off()
            .unwrap()
            .get("interpret failed"),
        Some(&1)
    );
    assert!(world.space().get(id).unwrap().is_some());
    assert_eq!((triples(&world).len(), backlog(&world)), (0, 1));
    world.reopen();
    world.at(2.0);
    let answer = r#"{"triples":[
        {"subject":"主人","predicate":"喜欢","object":"拉面","negation":false,"frequency":"很","condition":null},
        {"subject":"主人","predicate":"喜欢","object":"香菜","negation":true}]}"#;
    model.push("triples", Ok(Reply::text(answer)));
    assert_eq!(
        world.space().queue().work_off().unwrap().get("interpreted"),
        Some(&1)
    );
    assert_eq!(
        (triples(&world), backlog(&world)),
        (
            vec!["主人 喜欢 拉面".to_owned(), "主人 不喜欢 香菜".to_owned()],
            0
        )
    );
    assert!(world.space().queue().work_off().unwrap().is_empty(), "once");
    // Another text says something else; what was said before is seen no more.
    model.push(
        "triples",
        Ok(Reply::text(
            r#"[{"subject":"主人","predicate":"喜欢","object":"寿司"}]"#,
        )),
    );
    world.space().update(id, "主人喜欢寿司").unwrap();
    assert_eq!(backlog(&world), 1);
    world.space().queue().work_off().unwrap();
    assert_eq!(triples(&world), ["主人 喜欢 寿司"]);
    // A memory stored with triples is not sent to a model.
    world
        .space()
        .graph()
        .remember("主人养猫", &[Assertion::new("主人", "养", "猫")])
        .unwrap();
    assert_eq!(backlog(&world), 0);
    assert_eq!(model.asked().len(), 3);
    world.validate();
}
