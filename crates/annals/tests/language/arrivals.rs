//! Memories that arrive: what is known is not stored twice, and what they contradict is settled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::support::life::{World, day, near};
use crate::support::notebook::{Notebook, TALK, said};
use crate::support::script::{Script, Table};
use annals::blocking::Namespace;
use annals::graph::Assertion;
use annals::profile::JobStep;
use annals::{
    Causality, ExtractWindow, Extracted, Extractor, Filter, Judge, JudgeError, Judgement,
    ListQuery, MemoryId, NewMemory, NewMemoryBuilder, Options, Reasoned, ReviewCase, Role, Shown,
    Status,
};

fn world(profile: &str, table: &Arc<Table>, judge: Option<Arc<Script>>) -> World {
    let table = Arc::clone(table);
    World::with(profile, move |options: Options| {
        let options = options.embedder(table.clone());
        match &judge {
            Some(judge) => options.judge(Arc::clone(judge) as Arc<dyn Judge>),
            None => options,
        }
    })
}

fn of(text: &str, kind: &str, (subject, predicate): (&str, &str)) -> NewMemoryBuilder {
    NewMemory::builder(text)
        .kind(kind)
        .metadata("subject", subject)
        .metadata("predicate", predicate)
}

fn count(world: &World) -> u64 {
    world.space().admin().stats().unwrap().memories
}

#[test]
fn the_first_memories_of_a_namespace_are_compared_with_each_other() {
    let profile = annals::profiles::parse(annals::profiles::builtin("studio").unwrap()).unwrap();
    let memory = Options::new().profile(profile).in_memory().unwrap();
    let space = memory.namespace("new").unwrap();
    let likes = || {
        NewMemory::builder("用户喜欢函数式编程")
            .kind("preference")
            .build()
            .unwrap()
    };
    let ids = space.bulk().remember(vec![likes(), likes()]).unwrap();
    assert_eq!(
        (ids[0], space.admin().stats().unwrap().memories),
        (ids[1], 1)
    );
}

#[test]
fn the_same_words_are_one_memory() {
    // spec: C-37
    let world = World::new("companion");
    let first = world.kind("fact", "主人喜欢拉面");
    assert_eq!(world.kind("fact", " 主人喜欢拉面"), first);
    assert_eq!(world.kind("fact", "主人喜欢拉面"), first);
    let both =
        ["猫叫小满", "猫叫小满"].map(|text| NewMemory::builder(text).kind("fact").build().unwrap());
    let ids = world.space().bulk().remember(both.to_vec()).unwrap();
    assert_eq!(ids[0], ids[1]);
    assert_eq!(count(&world), 2);
    assert_eq!(
        world.space().history(first).unwrap().len(),
        1,
        "nothing was written for it"
    );
    assert_ne!(world.kind("episode", "别的"), first);
    world.validate();
}

#[test]
fn what_a_retelling_brings_is_taken() {
    let world = World::new("studio");
    let fact = || NewMemory::builder("我养了一只狗").kind("fact");
    let first = world.remember(
        fact()
            .tag("pets")
            .metadata("name", "小满")
            .importance(0.5)
            .build()
            .unwrap(),
    );
    world.at(1.0);
    let more = fact()
        .tag("home")
        .metadata("name", "别的")
        .metadata("session", "s")
        .metadata("age", 3_i64);
    let more = more
        .importance(0.9)
        .valid_until(day(300.0))
        .build()
        .unwrap();
    assert_eq!(world.remember(more.clone()), first);
    let known = world.space().get(first).unwrap().unwrap();
    let expected = fact()
        .tag("pets")
        .tag("home")
        .metadata("name", "小满")
        .metadata("age", 3_i64);
    let expected = expected
        .valid_until(day(300.0))
        .build()
        .unwrap()
        .into_body();
    assert_eq!(
        (&known.body.tags, &known.body.metadata),
        (&expected.tags, &expected.metadata)
    );
    assert_eq!(
        (known.body.valid_until, known.body.valid_from),
        (expected.valid_until, None)
    );
    assert!(
        (known.body.importance.get() - 0.9).abs() < 1e-6,
        "{:?}",
        known.body.importance
    );
    near(world.standing(first).importance, 0.9);
    // The same once more, and a lower importance, bring nothing.
    assert_eq!(
        (
            world.remember(more),
            world.remember(fact().importance(0.2).build().unwrap())
        ),
        (first, first)
    );
    assert_eq!(
        (world.space().history(first).unwrap().len(), count(&world)),
        (2, 1)
    );
    near(world.standing(first).importance, 0.9);
    world.validate();
}

#[test]
fn what_had_ended_and_is_told_again_is_so_again() {
    let world = World::new("studio");
    let fact = || NewMemory::builder("我住在柏林").kind("fact");
    let ended = fact()
        .event_time(day(0.0))
        .valid_until(day(5.0))
        .build()
        .unwrap();
    let first = world.remember(ended.clone());
    world.at(9.0);
    assert_eq!(
        world.remember(ended),
        first,
        "the same end is the same telling"
    );
    let again = world.remember(fact().build().unwrap());
    assert_ne!(again, first);
    let until = |id| world.space().get(id).unwrap().unwrap().body.valid_until;
    assert_eq!((until(first), until(again)), (Some(day(5.0)), None));
    // One that is true does not end with what is told of a time before it.
    let earlier = fact()
        .event_time(day(-900.0))
        .valid_until(day(-800.0))
        .build()
        .unwrap();
    world.remember(earlier);
    assert_eq!(until(again), None);
    world.validate();
}

/// Finds in every conversation what is known, in other words.
struct OtherWords;

impl Extractor for OtherWords {
    fn extract(&self, _window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let memory = NewMemory::builder("测试一律用 pytest")
            .kind("preference")
            .metadata("level", "high");
        Ok(vec![Extracted::Add(memory.build().unwrap())])
    }
}

#[test]
fn other_words_that_bring_nothing_are_a_hit_and_no_revision() {
    let table = Table::new();
    let own = Arc::clone(&table);
    let book = Notebook::with("markdown", move |options| {
        options.embedder(own).extractor(Arc::new(OtherWords))
    });
    table.near("测试一律用 pytest", "用户偏好用 pytest", 0.93);
    let known = book.level("medium", "用户偏好用 pytest");
    let done = book
        .space()
        .designs()
        .markdown()
        .process_session_end(vec![said(Role::User, TALK)], "s")
        .unwrap();
    assert_eq!(
        (
            done.new,
            done.updated,
            book.space().history(known).unwrap().len()
        ),
        (0, 1, 1)
    );
    near(book.score(known), 0.68);
    book.validate();
}

#[test]
fn how_a_fact_is_typed_makes_no_second_one() {
    for profile in ["companion", "studio"] {
        let world = World::new(profile);
        for typed in [
            &[
                "I live in Berlin",
                "I live in Berlin.",
                "i live in berlin",
                "I LIVE IN BERLIN!!",
            ][..],
            &["I'm vegan", "i’m vegan", "I'm vegan!"],
            &["我对花生过敏", "我对花生过敏。", "我对花生过敏！！"],
            &["我今年30岁", "我今年三十岁"],
        ] {
            let ids: Vec<MemoryId> = typed.iter().map(|text| world.kind("fact", text)).collect();
            assert!(ids.iter().all(|id| *id == ids[0]), "{profile}: {typed:?}");
        }
        // Where both use capitals, they tell something.
        let [country, bird] = ["I like Turkey and Greece", "I like turkey and Greece"]
            .map(|text| world.kind("fact", text));
        assert_ne!(country, bird);
        assert_eq!(count(&world), 6);
        world.validate();
    }
}

#[test]
fn what_is_alike_enough_is_one_memory() {
    // spec: S-36
    // part: S-35
    let (table, judge) = (Table::new(), Script::answers([true; 9]));
    let world = world("studio", &table, Some(Arc::clone(&judge)));
    table.near("我偏好函数式编程风格", "我喜欢函数式编程", 0.95);
    table.near("我常写函数式代码", "我喜欢函数式编程", 0.85);
    table.near("我读函数式的书", "我喜欢函数式编程", 0.85);
    table.near("我在学 Haskell", "我喜欢函数式编程", 0.5);
    let like = |text: &str, confidence: f32, predicate: &str| {
        world.remember(
            of(text, "preference", ("我", predicate))
                .confidence(confidence)
                .build()
                .unwrap(),
        )
    };
    let first = like("我喜欢函数式编程", 0.6, "编程风格");
    world.at(1.0);
    assert_eq!(like("我偏好函数式编程风格", 0.9, "风格"), first, "0.95");
    let merged = world.space().get(first).unwrap().unwrap();
    assert_eq!(
        (merged.body.text.as_str(), merged.body.confidence.get()),
        ("我喜欢函数式编程", 0.9)
    );
    assert_eq!(
        (merged.stored_at, world.standing(first).used),
        (day(1.0), 0)
    );
    assert_eq!(
        like("我常写函数式代码", 0.5, "编程风格"),
        first,
        "0.85 and the same subject and relation"
    );
    assert_ne!(
        like("我读函数式的书", 0.5, "读书"),
        first,
        "0.85 and another relation"
    );
    assert_ne!(like("我在学 Haskell", 0.5, "学习"), first, "0.5");
    assert_eq!((count(&world), judge.asked()), (3, 0));
    world.validate();
}

#[test]
fn a_mention_of_what_is_archived_is_a_hit() {
    // spec: M-54
    let world = World::new("markdown");
    let old = world.remember(
        NewMemory::builder("用户偏好用 pytest")
            .importance(0.15)
            .status(Status::Archived)
            .build()
            .unwrap(),
    );
    near(world.score(old), 0.15);
    assert_eq!(
        world.remember(NewMemory::builder("用户偏好用 pytest").build().unwrap()),
        old
    );
    near(world.score(old), 0.32);
    world.force();
    assert_eq!(
        (world.status(old), count(&world)),
        (Some(Status::Active), 1)
    );
    world.validate();
}

#[test]
fn a_newer_statement_closes_the_older() {
    // spec: S-58, S-59, S-60, S-61
    let world = World::judged("studio", Some(Arc::<Script>::default() as Arc<dyn Judge>));
    world.at(1.0);
    let tidy = world.remember(
        of("喜欢简洁代码", "preference", ("我", "代码风格"))
            .build()
            .unwrap(),
    );
    let vue = world.remember(
        of("我喜欢用 Vue 3", "preference", ("我", "框架"))
            .build()
            .unwrap(),
    );
    world.at(30.0);
    let react = world.remember(
        of("我现在更喜欢用 React", "preference", ("我", "框架"))
            .build()
            .unwrap(),
    );
    let get = |id: MemoryId| world.space().get(id).unwrap().unwrap();
    assert_eq!(
        (get(vue).body.valid_until, get(react).body.valid_from),
        (Some(day(30.0)), Some(day(30.0)))
    );
    let links = world.space().graph().links(react).unwrap();
    assert_eq!(
        links
            .iter()
            .map(|l| (l.from, l.relation.as_str(), l.to))
            .collect::<Vec<_>>(),
        [(react, "supersedes", vue)]
    );
    assert_eq!(
        (get(vue).status, get(vue).body.text.as_str(), count(&world)),
        (Status::Active, "我喜欢用 Vue 3", 3)
    );
    assert_eq!(
        (
            get(tidy).body.valid_until,
            world.space().graph().links(tidy).unwrap()
        ),
        (None, vec![])
    );
    assert_eq!(world.space().history(vue).unwrap().len(), 2);
    world.validate();
}

#[test]
fn several_are_superseded_at_once_also_by_a_judge() {
    // part: S-62
    let (table, judge) = (Table::new(), Script::answers([true, true, false]));
    let text = annals::profiles::builtin("studio").unwrap().replacen(
        "ask_judge = false",
        "ask_judge = true",
        1,
    );
    let world = world("studio", &table, Some(Arc::clone(&judge)));
    world.memory().profiles().store("asking", &text).unwrap();
    world.space().admin().set_profile("asking").unwrap();
    for (text, cosine) in [
        ("我住在汉堡", 0.79),
        ("我在慕尼黑租房", 0.76),
        ("我出生在科隆", 0.77),
        ("我喜欢柏林", 0.7),
    ] {
        table.near(text, "我搬到了柏林", cosine);
    }
    let kept = ["我住在汉堡", "我出生在科隆", "我在慕尼黑租房", "我喜欢柏林"]
        .map(|text| world.kind("fact", text));
    judge.pairs.lock().unwrap().clear();
    judge.answers.lock().unwrap().clear();
    judge.answers.lock().unwrap().extend([true, false, true]);
    world.at(2.0);
    let berlin = world.kind("fact", "我搬到了柏林");
    let asked: Vec<String> = judge
        .pairs
        .lock()
        .unwrap()
        .iter()
        .map(|(_, older)| older.clone())
        .collect();
    assert_eq!(
        asked,
        ["我住在汉堡", "我出生在科隆", "我在慕尼黑租房"],
        "the most similar first, none below 0.75"
    );
    let superseded: Vec<MemoryId> = world
        .space()
        .graph()
        .links(berlin)
        .unwrap()
        .iter()
        .map(|link| link.to)
        .collect();
    assert_eq!(
        (
            superseded.len(),
            superseded.contains(&kept[0]),
            superseded.contains(&kept[2])
        ),
        (2, true, true)
    );
    let until = |id: MemoryId| world.space().get(id).unwrap().unwrap().body.valid_until;
    assert_eq!(
        kept.map(until),
        [Some(day(2.0)), None, Some(day(2.0)), None]
    );
    world.validate();
}

#[test]
fn what_comes_late_is_stored_as_ended() {
    // spec: S-63
    let world = World::new("studio");
    world.at(40.0);
    let say = |days: f64, text: &str| {
        world.remember(
            of(text, "preference", ("我", "框架"))
                .event_time(day(days))
                .build()
                .unwrap(),
        )
    };
    let react = say(30.0, "我现在更喜欢用 React");
    let vue = say(1.0, "我喜欢用 Vue 3");
    let get = |id: MemoryId| world.space().get(id).unwrap().unwrap();
    assert_eq!(
        (get(vue).body.valid_from, get(vue).body.valid_until),
        (Some(day(1.0)), Some(day(30.0)))
    );
    assert_eq!(get(react).body.valid_until, None);
    let links = world.space().graph().links(react).unwrap();
    assert_eq!((links[0].from, links[0].to), (react, vue));
    world.validate();
}

#[test]
fn the_nightly_job_settles_what_slipped_in() {
    // spec: S-64
    let mut world = World::new("companion");
    let slip = |days: f64, text: &str, predicate: &str| {
        world.at(days);
        world.remember(of(text, "fact", ("我", predicate)).build().unwrap())
    };
    let (vue, react) = (
        slip(1.0, "我喜欢用 Vue 3", "框架"),
        slip(2.0, "我现在更喜欢用 React", "框架"),
    );
    let other = slip(2.1, "我现在更喜欢用 React 写界面", "界面");
    world.space().admin().set_profile("studio").unwrap();
    world.at(2.5);
    world.reopen();
    let reports = world.force();
    let step = reports[0]
        .steps
        .iter()
        .find(|made| made.step == JobStep::Conflicts)
        .unwrap();
    assert_eq!(
        (step.counts["closed"], step.counts["contradictions"]),
        (1, 1)
    );
    assert_eq!(
        step.counts["suspected"], 1,
        "what is only alike is told, not settled: {step:?}"
    );
    let until = |id: MemoryId| world.space().get(id).unwrap().unwrap().body.valid_until;
    assert_eq!([vue, react, other].map(until), [Some(day(2.0)), None, None]);
    world.at(3.5);
    assert_eq!(
        world.force()[0].steps[1]
            .counts
            .get("closed")
            .copied()
            .unwrap_or(0),
        0
    );
    world.validate();
}

#[test]
fn what_a_job_hides_is_hidden_for_the_rules_too() {
    let world = World::new("companion");
    let slip = |days: f64, text: &str| {
        world.at(days);
        world.remember(of(text, "fact", ("我", "框架")).build().unwrap())
    };
    let (vue, react) = (
        slip(1.0, "我喜欢用 Vue 3"),
        slip(2.0, "我现在更喜欢用 React"),
    );
    let text = annals::profiles::builtin("studio").unwrap();
    let own = text.replacen(
        "strategy = \"close_interval\"",
        "strategy = \"update_in_place\"",
        1,
    );
    assert_ne!(own, text);
    world.memory().profiles().store("own", &own).unwrap();
    world.space().admin().set_profile("own").unwrap();
    world.at(2.5);
    world.force();
    assert_eq!(
        (world.status(vue), world.status(react)),
        (Some(Status::Active), Some(Status::Forgotten))
    );
    assert_eq!(
        world.space().get(vue).unwrap().unwrap().body.text,
        "我现在更喜欢用 React"
    );
    // A hidden memory has come to rest for the rules as well: nothing is due for it any more.
    world.at(400.0);
    world.force();
    assert_eq!(world.status(react), Some(Status::Forgotten));
    world.validate();
}

#[test]
fn a_statement_about_the_same_takes_the_place_of_the_old() {
    // spec: A-61
    let mut world = World::new("agent");
    let note = |world: &World, text: &str| {
        world.remember(
            of(text, "FACT", ("用户", "代码目录"))
                .importance(0.5)
                .build()
                .unwrap(),
        )
    };
    let first = note(&world, "D:\\code");
    world.at(1.0);
    let second = note(&world, "E:\\src");
    assert_eq!((first, count(&world)), (second, 1));
    let now = world.space().get(first).unwrap().unwrap();
    assert_eq!(
        (now.body.text.as_str(), now.stored_at, now.revision),
        ("E:\\src", day(1.0), 2)
    );
    let told: Vec<String> = world
        .space()
        .history(first)
        .unwrap()
        .into_iter()
        .map(|r| r.memory.body.text)
        .collect();
    assert_eq!(told, ["D:\\code", "E:\\src"]);
    assert_eq!(note(&world, "E:\\src"), first);
    assert_eq!(world.space().history(first).unwrap().len(), 2);
    world.reopen();
    assert_eq!(world.standing(first).expires_at, Some(day(31.0)));
    world.validate();
}

#[test]
fn what_is_learned_again_expires_with_the_later() {
    // spec: A-32
    let mut world = World::new("agent");
    let learn = |world: &World, rule: NewMemoryBuilder| {
        world.remember(rule.metadata("duration", "24h").build().unwrap())
    };
    let keyed = || of("先跑测试", "RULE", ("用户", "习惯"));
    let plain = || NewMemory::builder("今天只读，不要写").kind("RULE");
    let (first, other) = (learn(&world, keyed()), learn(&world, plain()));
    assert_eq!(world.standing(first).expires_at, Some(day(1.0)));
    world.at(0.5);
    assert_eq!(
        learn(&world, keyed()),
        first,
        "of one subject and relation at once"
    );
    assert_eq!(world.standing(first).expires_at, Some(day(1.5)));
    learn(&world, plain());
    world.at(0.7);
    world.force();
    assert_eq!(
        world.standing(other).expires_at,
        Some(day(1.5)),
        "any other by the nightly job"
    );
    world.reopen();
    for id in [first, other] {
        let memory = world.space().get(id).unwrap().unwrap();
        assert_eq!(
            (
                memory.status,
                memory.body.expires_at,
                memory.stored_at > day(0.0)
            ),
            (Status::Active, Some(day(1.5)), true)
        );
    }
    let in_use = Filter {
        statuses: vec![Status::Active],
        ..Filter::default()
    };
    assert_eq!(
        world
            .space()
            .list(&ListQuery {
                filter: in_use,
                ..ListQuery::default()
            })
            .unwrap()
            .total,
        2
    );
    world.validate();
}

#[test]
fn the_nightly_job_unites_what_says_the_same() {
    // spec: A-68
    let table = Table::new();
    let world = world("agent", &table, None);
    table.near("用户偏爱 Python 这门语言", "用户喜欢用 Python", 0.97);
    table.near("用户会用 Python", "用户喜欢用 Python", 0.91);
    table.near("用户用 Python 出错", "用户喜欢用 Python", 0.97);
    let turn = world.said("我喜欢 Python");
    let say = |text: &str, kind: &str, days: f64, (importance, confidence): (f32, f32)| {
        let memory = NewMemory::builder(text)
            .kind(kind)
            .importance(importance)
            .confidence(confidence);
        world.remember(
            memory
                .expires_at(day(days))
                .derived_from(turn)
                .build()
                .unwrap(),
        )
    };
    let first = say("用户喜欢用 Python", "FACT", 10.0, (0.5, 0.9));
    world.at(0.01);
    let twin = say("用户偏爱 Python 这门语言", "FACT", 20.0, (0.7, 0.6));
    let unlike = say("用户会用 Python", "FACT", 10.0, (0.5, 0.5));
    let error = say("用户用 Python 出错", "ERROR", 10.0, (0.5, 0.5));
    world
        .space()
        .graph()
        .add_triples(
            twin,
            &[annals::graph::Assertion::new("用户", "喜欢", "Python")],
        )
        .unwrap();
    world.at(0.2);
    let reports = world.force();
    assert_eq!(reports[0].steps[1].counts["merged"], 1);
    assert_eq!([first, twin, unlike, error].map(|id| world.status(id)), {
        let active = Some(Status::Active);
        [active, Some(Status::Forgotten), active, active]
    });
    let kept = world.space().get(first).unwrap().unwrap();
    assert_eq!(
        (kept.body.text.as_str(), kept.body.confidence.get()),
        ("用户喜欢用 Python", 0.9)
    );
    assert_eq!(world.standing(first).expires_at, Some(day(20.0)));
    assert!(
        world.score(first) > 0.69,
        "the greater importance, less a night"
    );
    assert_eq!(
        world.space().history(first).unwrap()[0].memory.stored_at,
        day(0.0),
        "the earlier storing"
    );
    let said = world
        .space()
        .graph()
        .triples(&annals::graph::TripleQuery::default())
        .unwrap()
        .triples;
    assert_eq!(
        said.len(),
        1,
        "what the twin said is said by the one that stays"
    );
    world.at(1.2);
    assert_eq!(
        world.force()[0].steps[1]
            .counts
            .get("merged")
            .copied()
            .unwrap_or(0),
        0
    );
    world.space().restore(twin).unwrap();
    assert_eq!(
        world
            .recall("用户偏爱 Python 这门语言")
            .first()
            .map(String::as_str),
        Some("用户偏爱 Python 这门语言")
    );
    world.validate();
}

/// A judge that takes a note of its own while it judges, in the namespace that it judges for.
#[derive(Default)]
struct Writer {
    space: OnceLock<Namespace>,
    wrote: AtomicBool,
}

impl Judge for Writer {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        Ok(Judgement::Keep.into())
    }

    fn same(&self, _first: &Shown, _second: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        Ok(false.into())
    }

    fn contradicts(&self, _newer: &Shown, _older: &Shown) -> Result<Reasoned<bool>, JudgeError> {
        if !self.wrote.swap(true, Ordering::SeqCst) {
            self.space.get().unwrap().remember("我在判断").unwrap();
        }
        Ok(false.into())
    }

    fn causality(
        &self,
        _first: &Shown,
        _second: &Shown,
    ) -> Result<Reasoned<Causality>, JudgeError> {
        Ok(Causality::Neither.into())
    }
}

#[test]
fn a_judge_may_store_something_while_it_is_asked() {
    let (table, judge) = (Table::new(), Arc::new(Writer::default()));
    let (shown, asked) = (Arc::clone(&table), Arc::clone(&judge));
    let world = World::with("studio", move |options| {
        options
            .embedder(shown.clone())
            .judge(Arc::clone(&asked) as Arc<dyn Judge>)
    });
    let text = annals::profiles::builtin("studio").unwrap().replacen(
        "ask_judge = false",
        "ask_judge = true",
        1,
    );
    world.memory().profiles().store("asking", &text).unwrap();
    world.space().admin().set_profile("asking").unwrap();
    assert!(judge.space.set(world.space()).is_ok());
    table.near("我住在汉堡", "我搬到了柏林", 0.79);
    world.kind("fact", "我住在汉堡");
    world.at(1.0);
    world.kind("fact", "我搬到了柏林");
    assert!(judge.wrote.load(Ordering::SeqCst));
    assert_eq!(count(&world), 3);
    world.validate();
}

#[test]
fn a_memory_that_comes_with_what_it_says_is_compared_like_any_other() {
    let table = Table::new();
    let world = world("studio", &table, None);
    table.near("我偏好函数式编程风格", "我喜欢函数式编程", 0.95);
    let first = world.kind("preference", "我喜欢函数式编程");
    let memory = NewMemory::builder("我偏好函数式编程风格")
        .kind("preference")
        .build()
        .unwrap();
    let said = [Assertion::new("我", "喜欢", "函数式编程")];
    let (id, asserted) = world.space().graph().remember(memory, &said).unwrap();
    assert_eq!((id, asserted.triples.len(), count(&world)), (first, 1, 1));
    world.validate();
}

#[test]
fn the_same_words_of_other_days_are_two() {
    for profile in ["studio", "companion", "markdown"] {
        let world = World::new(profile);
        let visit = |on: f64| {
            let told = NewMemory::builder("I went to the dentist")
                .kind("fact")
                .event_time(day(on));
            world.remember(told.build().unwrap().by_hand())
        };
        let first = visit(-40.0);
        assert_ne!(visit(-3.0), first, "{profile}");
        assert_eq!((visit(-40.0), count(&world)), (first, 2), "{profile}");
        world.validate();
    }
}

#[test]
fn facts_that_share_no_word_are_two_in_every_language() {
    for texts in [
        [
            "У меня аллергия на орехи",
            "Мой сын учится в школе",
            "У меня нет аллергии на молоко",
        ],
        [
            "저는 서울에 살아요",
            "그는 부산에서 일해요",
            "우리 엄마는 의사예요",
        ],
        ["أمي تعيش في القاهرة", "أبي يعمل في المستشفى", "أحب القهوة"],
        [
            "Η μητέρα μου ζει στην Αθήνα",
            "Ο σκύλος τρέχει στον κήπο",
            "Μου αρέσει ο καφές",
        ],
        ["אני גר בתל אביב", "הכלב שלי אוהב מים", "אמא שלי רופאה"],
    ] {
        let world = World::new("studio");
        let ids = texts.map(|text| world.kind("fact", text));
        assert_eq!(
            world.space().admin().stats().unwrap().memories,
            3,
            "{texts:?}"
        );
        assert_eq!(world.kind("fact", &format!("{}.", texts[0])), ids[0]);
    }
}

#[test]
fn what_a_person_archives_stays_so_until_it_is_told_again_or_of_use() {
    let world = World::new("markdown");
    let told = || {
        NewMemory::builder("用户住在汉堡")
            .kind("fact")
            .importance(0.9)
            .build()
            .unwrap()
            .by_hand()
    };
    let id = world.remember(told());
    world.at(1.0);
    world.space().archive(id).unwrap();
    world.at(2.0);
    world.force();
    assert_eq!(world.status(id), Some(Status::Archived));
    world.at(3.0);
    assert_eq!(
        (world.remember(told()), world.status(id)),
        (id, Some(Status::Active))
    );
    world.space().archive(id).unwrap();
    world.at(4.0);
    world
        .space()
        .lifecycle()
        .signal(&[id], annals::profile::Signal::Used)
        .unwrap();
    world.force();
    assert_eq!(world.status(id), Some(Status::Active));
    world.validate();
}
