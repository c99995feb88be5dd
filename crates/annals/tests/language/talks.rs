//! Conversations are looked through in the background by a model, which here is a transcript.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::support::life::{World, day, near};
use annals::llm::provider::{Provider, Replay};
use annals::profile::ExtractTrigger;
use annals::{
    DecisionQuestion, Layer, ListQuery, NewMemory, NewTurn, ProposalAction, QueueState, Role,
    Status, StoredMemory,
};

fn world(profile: &str, model: &Arc<Replay>) -> World {
    let model: Arc<dyn Provider> = Arc::clone(model) as Arc<dyn Provider>;
    World::with(profile, move |options| options.model(Arc::clone(&model)))
}

/// A round: what the user says, and the answer.
fn round(world: &World, session: &str, said: &str, answer: &str) {
    let user = NewTurn::builder(session, said).build().unwrap();
    let reply = NewTurn::builder(session, answer)
        .role(Role::Assistant)
        .build()
        .unwrap();
    world.space().sessions().append(vec![user]).unwrap();
    world.space().sessions().append(vec![reply]).unwrap();
}

/// The memories found so far: everything but the turns, oldest first.
fn found(world: &World) -> Vec<StoredMemory> {
    let mut all = world
        .space()
        .list(&ListQuery {
            limit: 500,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    all.retain(|memory| memory.body.layer != Layer::Turn);
    all.sort_by_key(|memory| (memory.stored_at, memory.id));
    all
}

fn texts(world: &World) -> Vec<String> {
    found(world)
        .into_iter()
        .map(|memory| memory.body.text)
        .collect()
}

pub(crate) fn counts(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs
        .iter()
        .map(|(word, count)| ((*word).to_owned(), *count))
        .collect()
}

#[test]
fn each_round_of_a_companion_is_one_call_in_the_background() {
    // spec: C-22, C-26, C-30
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[ADD] 主人喜欢拉面")
            .reply("triples", "[]"),
    );
    for _ in 0..4 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[SKIP]")));
    }
    let world = world("companion", &model);
    round(&world, "s", "我喜欢拉面", "知道了");
    assert_eq!(model.asked().len(), 0, "storing a turn waits for no model");
    assert_eq!(world.space().queue().list(10).unwrap().len(), 1);
    world.at(1.0);
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1), ("interpreted", 1)])
    );
    let memory = found(&world).remove(0);
    let body = &memory.body;
    assert_eq!(
        (body.text.as_str(), body.kind.as_str(), body.verified),
        ("主人喜欢拉面", "fact", false)
    );
    assert_eq!(
        body.source.as_ref().map(annals::Label::as_str),
        Some("background_ai")
    );
    assert_eq!(memory.stored_at, day(1.0));
    near(world.score(memory.id), 1.0);
    for number in 0..4 {
        round(&world, "s", &format!("第{number}轮"), "嗯");
        world.space().queue().work_off().unwrap();
    }
    let extractions = model
        .asked()
        .iter()
        .filter(|request| request.purpose == "extract")
        .count();
    assert_eq!((extractions, texts(&world).len()), (5, 1));
    world.validate();
}

#[test]
fn a_correction_takes_the_place_of_what_was_wrong() {
    // spec: C-05, C-27, C-29
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let wrong = world.kind("fact", "主人住在北京");
    let other = world.kind("fact", "主人养了一只猫");
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text(
            "[DELETE:mem_1]\n[ADD] 主人住在上海",
        )),
    );
    round(&world, "s", "不对，我住上海，不住北京", "好的");
    world.space().queue().work_off().unwrap();
    let prompt = model.asked()[0].messages[1].text.clone();
    assert!(prompt.contains("[mem_1] 主人住在北京"), "{prompt}");
    // It is found no more at once, and gone once nobody brought it back for a week.
    assert_eq!(world.status(wrong), Some(Status::Forgotten));
    assert_eq!(texts(&world), ["主人养了一只猫", "主人住在上海"]);
    assert!(
        world
            .recall("主人住在北京")
            .iter()
            .all(|text| text != "主人住在北京")
    );
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text(
            "[UPDATE:mem_1] 主人养了两只猫",
        )),
    );
    round(&world, "s", "我又养了一只猫", "真好");
    world.space().queue().work_off().unwrap();
    let current: Vec<String> = texts(&world);
    assert!(
        current.contains(&"主人养了两只猫".to_owned())
            && !current.contains(&"主人养了一只猫".to_owned()),
        "{current:?}"
    );
    let _ = other;
    world.validate();
}

#[test]
fn a_boost_counts_as_use() {
    // spec: C-28, C-04
    let model = Arc::new(Replay::default().reply("extract", "[BOOST:mem_1]"));
    let world = world("companion", &model);
    let nervous = world.kind("fact", "主人很紧张");
    round(&world, "s", "我很紧张", "别这么绷着");
    world.space().queue().work_off().unwrap();
    near(world.score(nervous), 1.3);
}

#[test]
fn what_was_recalled_and_not_used_is_worth_what_it_was() {
    // spec: C-03
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[SKIP]")
            .reply("triples", "[]"),
    );
    let world = world("companion", &model);
    let cat = world.kind("fact", "主人喜欢猫");
    let user = NewTurn::builder("s", "我喜欢的猫今天会不会淋雨？")
        .build()
        .unwrap();
    world.space().sessions().append(vec![user]).unwrap();
    assert!(
        world
            .space()
            .recall("我喜欢的猫")
            .unwrap()
            .iter()
            .any(|hit| hit.id == cat)
    );
    let reply = NewTurn::builder("s", "明天有雨，气温十二度。")
        .role(Role::Assistant)
        .build()
        .unwrap();
    world.space().sessions().append(vec![reply]).unwrap();
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1), ("interpreted", 1)])
    );
    let asked = model.asked();
    let monitor = asked
        .iter()
        .find(|request| request.purpose == "extract")
        .unwrap();
    assert!(
        monitor.messages[1].text.contains("[mem_1] 主人喜欢猫"),
        "the monitor was shown it"
    );
    near(world.score(cat), 1.0);
    assert_eq!(world.standing(cat).used, 0);
}

#[test]
fn what_is_core_waits_for_a_person_unless_something_takes_its_place() {
    // spec: C-36
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[DELETE:mem_1]")
            .reply("extract", "[DELETE:mem_1]\n[ADD] 主人生日是5月3日"),
    );
    let world = world("companion", &model);
    let birthday = world.kind("core", "主人生日是5月2日");
    round(&world, "s", "我的生日不是5月2日", "哦");
    world.space().queue().work_off().unwrap();
    assert!(world.status(birthday).is_some());
    let waiting = world.space().reviews().proposals(10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].action, waiting[0].about),
        (1, ProposalAction::Delete, Some(birthday))
    );
    round(&world, "s", "我的生日是5月3日", "记住了");
    world.space().queue().work_off().unwrap();
    assert_eq!(world.status(birthday), Some(Status::Forgotten));
    assert_eq!(
        (
            texts(&world),
            world.space().reviews().proposal_count().unwrap()
        ),
        (vec!["主人生日是5月3日".to_owned()], 0)
    );
}

#[test]
fn what_a_person_told_waits_for_a_person_before_a_model_deletes_it() {
    let model = Arc::new(Replay::default().reply("extract", "[DELETE:mem_1]"));
    let world = world("companion", &model);
    let told = NewMemory::builder("my blood type is AB negative")
        .kind("fact")
        .source("user")
        .build()
        .unwrap();
    let told = world.remember(told);
    round(&world, "s", "the blood type is nonsense", "ok");
    world.space().queue().work_off().unwrap();
    assert!(world.status(told).is_some());
    let waiting = world.space().reviews().proposals(10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].action, waiting[0].about),
        (1, ProposalAction::Delete, Some(told))
    );
    // A rejected proposal can be made again.
    world.space().reviews().reject(waiting[0].id).unwrap();
    assert_eq!(world.space().reviews().proposals(10).unwrap(), []);
    let rejected = world
        .space()
        .decisions()
        .list(Some(told), 10)
        .unwrap()
        .remove(0);
    assert_eq!(
        (rejected.question, rejected.answer.as_str()),
        (DecisionQuestion::Worthwhile, "no")
    );
    assert_eq!(
        (rejected.by.as_str(), rejected.can_be_undone),
        ("a person", true)
    );
    world.space().decisions().undo(rejected.number).unwrap();
    assert_eq!(world.space().reviews().proposals(10).unwrap(), waiting);
    world.validate();
    world.space().reviews().accept(waiting[0].id).unwrap();
    assert_eq!(world.status(told), None);
    let gone = world.space().decisions().list(None, 10).unwrap().remove(0);
    assert_eq!(
        (gone.question, gone.answer.as_str()),
        (DecisionQuestion::StillTrue, "delete")
    );
    assert_eq!(
        (gone.by.as_str(), gone.changes),
        ("a person", vec![format!("{told}: deleted")])
    );
    world.validate();
}

#[test]
fn what_a_person_told_goes_only_for_what_says_it_anew() {
    for (told, answer, goes) in [
        (
            "I am allergic to peanuts",
            "[DELETE:mem_1]\n[ADD] The cat of the user is called Tom",
            false,
        ),
        (
            "I am allergic to peanuts",
            "[DELETE:mem_1]\n[ADD] I am allergic to peanuts",
            false,
        ),
        (
            "主人对花生过敏",
            "[DELETE:mem_1]\n[ADD] 主人的猫叫汤姆",
            false,
        ),
        (
            "The user lives in Munich",
            "[DELETE:mem_1]\n[ADD] The user is fond of the mountains",
            false,
        ),
        (
            "The user lives in Munich",
            "[DELETE:mem_1]\n[ADD] The user lives in Berlin",
            true,
        ),
        ("主人住在北京", "[ADD] 主人住在上海\n[DELETE:mem_1]", true),
    ] {
        let world = world(
            "companion",
            &Arc::new(Replay::default().reply("extract", answer)),
        );
        let id = world.remember(
            NewMemory::builder(told)
                .kind("fact")
                .source("user")
                .verified(true)
                .build()
                .unwrap(),
        );
        round(&world, "s", "what I told you is wrong", "ok");
        world.space().queue().work_off().unwrap();
        let waiting = world.space().reviews().proposals(10).unwrap();
        let forgotten = world.status(id) == Some(Status::Forgotten);
        assert_eq!(
            (forgotten, waiting.len()),
            (goes, usize::from(!goes)),
            "{told}: {answer}"
        );
        world.validate();
    }
}

#[test]
fn a_new_text_of_another_memory_takes_nothing_along() {
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let told = world.kind("core", "主人对花生过敏");
    world.kind("fact", "主人养了一只猫");
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text(
            "[DELETE:mem_2]\n[UPDATE:mem_1] 主人养了两只猫",
        )),
    );
    round(&world, "s", "我又养了一只猫", "真好");
    world.space().queue().work_off().unwrap();
    let prompt = model.asked()[0].messages[1].text.clone();
    assert!(prompt.contains("[mem_2] 主人对花生过敏"), "{prompt}");
    assert!(world.status(told).is_some());
    assert_eq!(world.space().reviews().proposal_count().unwrap(), 1);
}

#[test]
fn what_a_model_does_to_known_memories_is_told_with_who_after_what_and_taken_back() {
    // Found no more at once: what went is told, and what was left out of the answer as well.
    let answer = "[DELETE:mem_1]\n[BOOST:mem_9]\n[ADD]";
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let wrong = brought(&world, &model, "主人住在北京");
    model.push("extract", Ok(annals::llm::provider::Reply::text(answer)));
    round(&world, "s", "我不住北京", "好的");
    world.space().queue().work_off().unwrap();
    assert_eq!(world.status(wrong), Some(Status::Forgotten));
    let turns: Vec<_> = world
        .space()
        .session("s")
        .turns(0, 10)
        .unwrap()
        .iter()
        .map(|turn| turn.id)
        .collect();
    let gone = world.space().decisions().list(None, 10).unwrap().remove(0);
    assert_eq!(
        (gone.question, gone.answer.as_str(), gone.can_be_undone),
        (DecisionQuestion::StillTrue, "delete", true)
    );
    assert_eq!(gone.memories, [vec![wrong], turns].concat());
    assert_eq!(gone.by, Provider::name(&*model));
    assert_eq!(
        world.space().queue().remarks(10).unwrap()[0].left_out.len(),
        2
    );
    world.space().decisions().undo(gone.number).unwrap();
    assert_eq!(world.status(wrong), Some(Status::Active));
    world.validate();
}

/// A memory that a model found in what was said.
fn brought(world: &World, model: &Arc<Replay>, text: &str) -> annals::MemoryId {
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text(format!("[ADD] {text}"))),
    );
    round(world, "before", "我住在北京", "好的");
    world.space().queue().work_off().unwrap();
    let found = found(world)
        .into_iter()
        .find(|memory| memory.body.text == text);
    found.unwrap().id
}

/// Whatever way in a person took, a model's reply does not delete what they told.
#[test]
fn what_a_person_told_by_any_way_in_outlives_a_reply_that_deletes_it() {
    let text = "主人对花生过敏";
    let plain = || NewMemory::builder(text).kind("fact");
    type Way<'a> = (&'a str, Box<dyn Fn(&World) + 'a>);
    let ways: [Way<'_>; 6] = [
        (
            "by hand",
            Box::new(|world| {
                world.remember(plain().build().unwrap().by_hand());
            }),
        ),
        (
            "by a program",
            Box::new(|world| {
                world.remember(plain().build().unwrap());
            }),
        ),
        (
            "verified",
            Box::new(|world| {
                world.remember(plain().verified(true).build().unwrap());
            }),
        ),
        (
            "another source",
            Box::new(|world| {
                world.remember(plain().source("system").build().unwrap());
            }),
        ),
        (
            "edited",
            Box::new(|world| {
                let turn = NewTurn::builder("other", "花生").build().unwrap();
                let turn = world.space().sessions().append(vec![turn]).unwrap()[0];
                let id = world.remember(
                    NewMemory::builder("主人怕花生")
                        .kind("fact")
                        .derived_from(turn)
                        .build()
                        .unwrap(),
                );
                world.space().update(id, text).unwrap();
            }),
        ),
        (
            "imported",
            Box::new(|world| {
                let clock = Arc::new(annals::ManualClock::new(day(0.0)));
                let other = annals::Options::new().clock(clock).in_memory().unwrap();
                let space = other.create_namespace("u", "companion").unwrap();
                space.remember(plain().build().unwrap().by_hand()).unwrap();
                let mut export = Vec::new();
                space.transfer().export(&mut export, &mut |_| {}).unwrap();
                let options = annals::ImportOptions::default();
                assert_eq!(
                    world
                        .space()
                        .transfer()
                        .import(&mut &*export, &options, &mut |_| {})
                        .unwrap()
                        .stored,
                    1
                );
            }),
        ),
    ];
    for (way, tell) in ways {
        let model = Arc::new(Replay::default());
        let world = world("companion", &model);
        tell(&world);
        let told = found(&world)
            .into_iter()
            .find(|memory| memory.body.text == text)
            .unwrap()
            .id;
        let reply = annals::llm::provider::Reply::text("[DELETE:mem_1]");
        model.push("extract", Ok(reply));
        round(&world, "s", "主人对花生过敏，忘了吧", "好的");
        world.space().queue().work_off().unwrap();
        assert_eq!(world.status(told), Some(Status::Active), "{way}");
        let waiting = world.space().reviews().proposals(10).unwrap();
        assert_eq!(
            waiting.iter().map(|waits| waits.about).collect::<Vec<_>>(),
            [Some(told)],
            "{way}"
        );
        world.validate();
    }
}

/// What a model lets go is gone for good only after the days of the profile.
#[test]
fn what_a_reply_lets_go_is_deleted_after_some_days() {
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let wrong = brought(&world, &model, "主人住在北京");
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text("[DELETE:mem_1]")),
    );
    round(&world, "s", "我不住北京", "好的");
    world.space().queue().work_off().unwrap();
    for (day, status) in [
        (3.0, Some(Status::Forgotten)),
        (6.9, Some(Status::Forgotten)),
        (7.1, None),
    ] {
        world.at(day);
        world.force();
        assert_eq!(world.status(wrong), status, "day {day}");
    }
    world.validate();
}

#[test]
fn what_a_model_changed_or_let_go_for_some_days_is_taken_back() {
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let own = world.memory().profiles().text("companion").unwrap();
    let later = own.replacen("delete_after_days = 0.0", "delete_after_days = 3.0", 1);
    world.memory().profiles().store("own", &later).unwrap();
    world.space().admin().set_profile("own").unwrap();
    let tea = brought(&world, &model, "主人喜欢茶");
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text("[DELETE:mem_1]")),
    );
    round(&world, "s", "我不喜欢茶了", "好的");
    world.space().queue().work_off().unwrap();
    assert_eq!(world.status(tea), Some(Status::Forgotten));
    let gone = world
        .space()
        .decisions()
        .list(Some(tea), 10)
        .unwrap()
        .remove(0);
    world.space().decisions().undo(gone.number).unwrap();
    assert_eq!(world.status(tea), Some(Status::Active));
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text(
            "[UPDATE:mem_1] 主人喜欢咖啡",
        )),
    );
    round(&world, "s", "我喜欢咖啡", "好的");
    world.space().queue().work_off().unwrap();
    assert_eq!(texts(&world), ["主人喜欢咖啡"]);
    let changed = world.space().decisions().list(None, 1).unwrap().remove(0);
    assert_eq!(
        (changed.question, changed.answer.as_str()),
        (DecisionQuestion::StillTrue, "update")
    );
    world.space().decisions().undo(changed.number).unwrap();
    assert_eq!(texts(&world), ["主人喜欢茶"], "one of both is true");
    world.validate();
}

#[test]
fn a_correction_settles_whether_the_old_text_may_go() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[DELETE:mem_1]")
            .reply("extract", "[UPDATE:mem_1] 主人生日是5月4日"),
    );
    let world = world("companion", &model);
    world.kind("core", "主人生日是5月2日");
    round(&world, "s", "我的生日不是5月2日", "哦");
    world.space().queue().work_off().unwrap();
    assert_eq!(world.space().reviews().proposal_count().unwrap(), 1);
    round(&world, "s", "是5月4日", "记住了");
    world.space().queue().work_off().unwrap();
    // No person is asked whether the correction may go.
    assert_eq!(
        (
            world.space().reviews().proposal_count().unwrap(),
            texts(&world)
        ),
        (0, vec!["主人生日是5月4日".to_owned()])
    );
    world.validate();
}

#[test]
fn an_answer_in_form_is_understood_and_what_it_names_wrongly_is_told() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[DELETE:mem_9]\n[ADD]")
            .reply("extract", "[SKIP]"),
    );
    model.push("triples", Ok(annals::llm::provider::Reply::text("[]")));
    let world = world("companion", &model);
    let tea = world.kind("fact", "主人喜欢茶");
    round(&world, "s", "我不喜欢咖啡", "好");
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1), ("interpreted", 1)])
    );
    assert!(world.status(tea).is_some());
    let queued = world.space().queue().list(10).unwrap();
    assert!(
        queued.iter().all(|task| task.kind != "extract"),
        "{queued:?}"
    );
    let remarks = world.space().queue().remarks(10).unwrap();
    assert_eq!(remarks.len(), 1);
    assert_eq!(
        remarks[0].left_out,
        [
            "\"mem_9\" was not shown; left out",
            "[ADD] says nothing; left out"
        ]
    );
    // It goes with the conversation that it is about.
    round(&world, "t", "晚安", "晚安");
    world.space().queue().work_off().unwrap();
    assert_eq!(world.space().queue().remarks(10).unwrap(), remarks);
    world
        .space()
        .delete(remarks[0].turn, annals::Mode::Commit)
        .unwrap();
    assert_eq!(world.space().queue().remarks(10).unwrap(), []);
    world.validate();
}

#[test]
fn what_a_model_said_goes_with_any_turn_that_it_was_shown() {
    let model =
        Arc::new(Replay::default().reply("extract", "[ADD] 主人喜欢茶\n主人从2019年起有糖尿病"));
    let world = world("companion", &model);
    round(&world, "s", "我2019年得了糖尿病", "好");
    world.space().queue().work_off().unwrap();
    assert_eq!(
        world.space().queue().remarks(10).unwrap()[0].left_out.len(),
        1
    );
    let turns = world.space().session("s").turns(0, 10).unwrap();
    assert_ne!(
        turns[0].id,
        world.space().queue().remarks(10).unwrap()[0].turn
    );
    world
        .space()
        .delete(turns[0].id, annals::Mode::Commit)
        .unwrap();
    assert_eq!(world.space().queue().remarks(10).unwrap(), []);
    world.validate();
}

#[test]
fn what_is_answered_badly_again_and_again_is_given_up_under_every_profile() {
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    round(&world, "s", "我喜欢茶", "好");
    // A server that is away is waited for without end.
    for days in 0..7 {
        world.at(f64::from(days));
        model.push("extract", Err("HTTP 503".to_owned()));
        assert_eq!(
            world.space().queue().work_off().unwrap(),
            counts(&[("failed", 1)])
        );
    }
    assert_eq!(
        world.space().queue().list(1).unwrap()[0].state,
        QueueState::Waiting
    );
    let number = world.space().queue().list(1).unwrap()[0].number;
    world.space().queue().retry(number).unwrap();
    for attempt in 1..=5 {
        world.at(10.0 + f64::from(attempt));
        model.push(
            "extract",
            Ok(annals::llm::provider::Reply::text("我觉得他喜欢茶。")),
        );
        assert_eq!(
            world.space().queue().work_off().unwrap(),
            counts(&[("failed", 1)]),
            "attempt {attempt}"
        );
        let state = world.space().queue().list(1).unwrap()[0].state;
        assert_eq!(state == QueueState::Dead, attempt == 5, "attempt {attempt}");
    }
    // A person can have it tried again.
    world.space().queue().retry(number).unwrap();
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text("[ADD] 主人喜欢茶")),
    );
    model.push("triples", Ok(annals::llm::provider::Reply::text("[]")));
    world.space().queue().work_off().unwrap();
    assert_eq!(texts(&world), ["主人喜欢茶"]);
}

#[test]
fn a_companion_shows_its_model_the_round_and_what_it_found() {
    // spec: C-23, C-32, C-38
    let model = Arc::new(
        Replay::default()
            .failure("extract", "HTTP 500")
            .reply("extract", "[BOOST:mem_1]\n[ADD] 主人住在上海\n[SKIP]")
            .reply("triples", "[]"),
    );
    let world = world("companion", &model);
    let sushi = world.kind("fact", "主人喜欢寿司");
    round(&world, "s", "我今天又吃了寿司", "好吃吗");
    let prompt = |at: usize| model.asked()[at].messages.last().unwrap().text.clone();
    assert_eq!(
        world.space().queue().work_off().unwrap().get("failed"),
        Some(&1)
    );
    assert_eq!(
        (texts(&world), world.score(sushi)),
        (vec!["主人喜欢寿司".to_owned()], 1.0)
    );
    for line in [
        "主人: 我今天又吃了寿司",
        "小祥: 好吃吗",
        "[mem_1] 主人喜欢寿司",
    ] {
        assert!(
            prompt(0).lines().any(|known| known == line),
            "{line}: {}",
            prompt(0)
        );
    }
    world.at(1.0);
    world.space().queue().work_off().unwrap();
    near(world.score(sushi), 1.3);
    assert_eq!(texts(&world), ["主人喜欢寿司", "主人住在上海"]);
}

#[test]
fn the_labels_of_speakers_are_settings() {
    // spec: C-24
    let model = Arc::new(Replay::default().reply("extract", "[SKIP]"));
    let world = world("companion", &model);
    let text = annals::profiles::builtin("companion").unwrap();
    let own = text.replace(
        "[extract]",
        "[extract]\nuser_label = \"用户\"\nassistant_label = \"助手\"",
    );
    world.memory().profiles().store("own", &own).unwrap();
    world.space().admin().set_profile("own").unwrap();
    round(&world, "s", "不对，我住上海", "记住了");
    world.space().queue().work_off().unwrap();
    let said: String = model.asked()[0]
        .messages
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    assert!(
        said.contains("用户: 不对，我住上海") && said.contains("助手: 记住了"),
        "{said}"
    );
    assert!(!said.contains("小祥") && !said.contains("主人"), "{said}");
}

#[test]
fn what_is_to_be_remembered_at_once_leaves_the_rhythm_as_it_is() {
    // spec: S-34
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[]")
            .reply("extract", "[]"),
    );
    let world = world("studio", &model);
    round(&world, "s", "问1。", "答1。");
    assert!(world.space().session("s").extract().unwrap());
    world.space().queue().work_off().unwrap();
    assert_eq!(model.asked().len(), 1);
    for number in 2..=5 {
        round(
            &world,
            "s",
            &format!("问{number}。"),
            &format!("答{number}。"),
        );
        world.space().queue().work_off().unwrap();
        assert_eq!(
            model.asked().len(),
            if number == 5 { 2 } else { 1 },
            "round {number}"
        );
    }
}

#[test]
fn a_model_that_fails_changes_nothing_and_is_asked_again_later() {
    let model = Arc::new(
        Replay::default()
            .failure("extract", "HTTP 500")
            .reply("extract", "我不知道")
            .reply("extract", "[]"),
    );
    let world = world("agent", &model);
    let long = "请记住，我的代码目录在 D:\\code 下面，所有项目都放在那里，不要动别的目录。";
    round(&world, "s", long, "好");
    for (minutes, attempt) in [(0.0, 1), (1.0, 2)] {
        world.at(minutes / 1440.0 + f64::from(attempt - 1) * 1e-6);
        assert_eq!(
            world.space().queue().work_off().unwrap(),
            counts(&[("failed", 1)]),
            "attempt {attempt}"
        );
        let task = world.space().queue().list(1).unwrap().remove(0);
        assert_eq!((task.attempts, task.state), (attempt, QueueState::Waiting));
    }
    assert!(texts(&world).is_empty());
    world.at(1.0);
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1)])
    );
    assert!(world.space().queue().list(1).unwrap().is_empty() && texts(&world).is_empty());
}

#[test]
fn an_agent_is_asked_at_most_five_times_a_session_and_only_about_what_is_long_enough() {
    // spec: A-52, A-53, A-58
    let model = Arc::new(Replay::default());
    let world = world("agent", &model);
    let text = |number: u32, length: usize| format!("{number}{}", "字".repeat(length - 1));
    for number in 0..9 {
        round(&world, "s", &text(number, 30), "好");
        round(&world, "s", &text(number, 29), "好");
    }
    assert_eq!(world.space().queue().list(100).unwrap().len(), 5);
    assert!(
        found(&world).is_empty(),
        "without a model nothing is guessed"
    );
}

#[test]
fn what_an_agent_says_about_durations_holds() {
    // spec: A-18, A-22, A-24, A-31
    let answer = r#"[
      {"type":"FACT","content":"一","duration":"7d"},
      {"type":"RULE","content":"二","rule_scope":"task"},
      {"type":"RULE","content":"三","rule_scope":"behavior"},
      {"type":"RULE","content":"四"},
      {"type":"ERROR","content":"五","duration":"2w"},
      {"type":"FACT","content":"六","duration":"permanent"},
      {"type":"FACT","content":"七","duration":"24h"}]"#;
    let model = Arc::new(Replay::default().reply("extract", answer));
    let world = world("agent", &model);
    round(&world, "s", &"字".repeat(30), "好");
    world.space().queue().work_off().unwrap();
    let expiry: Vec<_> = found(&world)
        .into_iter()
        .map(|memory| (memory.body.text, memory.body.expires_at))
        .collect();
    let days = [
        Some(7.0),
        Some(1.0),
        None,
        Some(1.0),
        Some(7.0),
        None,
        Some(1.0),
    ];
    let wanted: Vec<_> = ["一", "二", "三", "四", "五", "六", "七"]
        .into_iter()
        .map(str::to_owned)
        .zip(days.map(|d| d.map(day)))
        .collect();
    assert_eq!(expiry, wanted);
}

#[test]
fn a_studio_is_asked_after_the_fifth_round_and_never_twice_about_a_message() {
    // spec: S-24, S-40
    // part: S-34; asked for in the twelfth round, not in the first
    let model = Arc::new(Replay::default());
    let mut world = world("studio", &model);
    for _ in 0..4 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    }
    let prompts = |model: &Replay| -> Vec<String> {
        model
            .asked()
            .iter()
            .map(|request| request.messages[1].text.clone())
            .collect()
    };
    for number in 1..=5 {
        round(
            &world,
            "s",
            &format!("问{number}。"),
            &format!("答{number}。"),
        );
        world.space().queue().work_off().unwrap();
    }
    assert_eq!(prompts(&model).len(), 1);
    world.at(1.0);
    world.reopen();
    for number in 6..=12 {
        round(
            &world,
            "s",
            &format!("问{number}。"),
            &format!("答{number}。"),
        );
        world.space().queue().work_off().unwrap();
    }
    let asked = prompts(&model);
    assert_eq!(asked.len(), 2);
    assert!(
        !asked[1].contains("问5。") && asked[1].contains("问6。") && asked[1].contains("答10。"),
        "{}",
        asked[1]
    );
    // On demand at once, without a change of the rhythm.
    assert!(world.space().session("s").extract().unwrap());
    world.space().queue().work_off().unwrap();
    assert!(prompts(&model)[2].contains("问11。"));
    for number in 13..=15 {
        round(
            &world,
            "s",
            &format!("问{number}。"),
            &format!("答{number}。"),
        );
        world.space().queue().work_off().unwrap();
    }
    assert_eq!(prompts(&model).len(), 4);
    assert!(
        !world.space().session("s").extract().unwrap(),
        "everything was looked through"
    );
}

/// A studio whose model finds one thing in each window, and two rounds of a conversation.
fn short_chat() -> (Arc<Replay>, World) {
    let answer = r#"[{"content":"用户住在柏林","type":"fact","importance":0.8}]"#;
    let model = Arc::new(
        Replay::default()
            .reply("extract", answer)
            .reply("extract", "[]"),
    );
    let world = world("studio", &model);
    round(&world, "s", "我刚搬到柏林", "恭喜！");
    round(&world, "s", "天气还不错", "那就好");
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[]),
        "no fifth round"
    );
    (model, world)
}

#[test]
fn a_studio_looks_through_a_short_chat_when_its_session_ends() {
    let (model, world) = short_chat();
    world.space().session("s").end().unwrap();
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1)])
    );
    assert_eq!(texts(&world), ["用户住在柏林"]);
    assert_eq!(
        (open(&world, "s"), asked_about(&model, "天气还不错")),
        (Vec::new(), 1)
    );
    // Turns that were looked through are not looked through again.
    world.space().session("s").end().unwrap();
    assert_eq!(
        (
            world.space().queue().work_off().unwrap(),
            model.asked().len()
        ),
        (counts(&[]), 1)
    );
    world.validate();
}

#[test]
fn a_studio_looks_through_a_short_chat_when_it_is_idle() {
    let (model, world) = short_chat();
    world.clock.advance_millis(29 * 60_000);
    assert_eq!(world.space().queue().work_off().unwrap(), counts(&[]));
    world.clock.advance_millis(2 * 60_000);
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1), ("idle", 1)])
    );
    assert_eq!(
        (texts(&world), model.asked().len()),
        (vec!["用户住在柏林".to_owned()], 1)
    );
    world.validate();
}

#[test]
fn a_studio_looks_through_a_short_chat_when_its_working_memory_is_closed() {
    let (model, world) = short_chat();
    let talk = world.space().session("s").working().unwrap();
    talk.close().unwrap();
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1)])
    );
    assert_eq!(
        (texts(&world), model.asked().len()),
        (vec!["用户住在柏林".to_owned()], 1)
    );
    world.validate();
}

#[test]
fn the_end_of_a_session_leaves_nothing_open_however_long_its_window_is() {
    let model = Arc::new(Replay::default());
    for _ in 0..9 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    }
    let world = world("studio", &model);
    let user = |n: u32| NewTurn::builder("s", format!("第{n}句话")).build().unwrap();
    // The assistant never answers: no round is ever over.
    world
        .space()
        .sessions()
        .append((0..24).map(user).collect())
        .unwrap();
    world.space().session("s").end().unwrap();
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 3)])
    );
    assert_eq!(open(&world, "s"), Vec::<String>::new());
    assert!((0..24).all(|n| asked_about(&model, &format!("第{n}句话")) == 1));
}

#[test]
fn a_session_of_markdown_is_looked_through_at_its_end_from_where_it_was_left() {
    // spec: M-42, M-84, M-83
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[]")
            .reply("extract", "[]"),
    );
    let world = world("markdown", &model);
    for number in 1..=20 {
        round(
            &world,
            "s",
            &format!("问{number}。"),
            &format!("答{number}。"),
        );
    }
    world.space().queue().work_off().unwrap();
    assert_eq!(model.asked().len(), 0, "rounds begin none");
    assert!(
        world
            .space()
            .session("s")
            .extract_at(ExtractTrigger::Compress)
            .unwrap()
    );
    world.space().queue().work_off().unwrap();
    for number in 21..=30 {
        round(
            &world,
            "s",
            &format!("问{number}。"),
            &format!("答{number}。"),
        );
    }
    assert!(
        world
            .space()
            .session("s")
            .extract_at(ExtractTrigger::SessionEnd)
            .unwrap()
    );
    world.space().queue().work_off().unwrap();
    let second = model.asked()[1].messages[1].text.clone();
    assert!(
        !second.contains("问20。") && second.contains("问21。") && second.contains("答30。"),
        "{second}"
    );
    assert!(
        !world
            .space()
            .session("s")
            .extract_at(ExtractTrigger::SessionEnd)
            .unwrap()
    );
    assert!(
        !world
            .space()
            .session("s")
            .extract_at(ExtractTrigger::Round)
            .unwrap()
    );
    assert_eq!(model.asked().len(), 2);
}

/// A model that asks to be left alone for so many seconds.
struct Busy(std::sync::atomic::AtomicUsize, u64);

impl Provider for Busy {
    fn name(&self) -> String {
        "busy".to_owned()
    }

    fn chat(
        &self,
        _: &annals::llm::provider::Request,
        _: &annals::Cancel,
    ) -> Result<annals::llm::provider::Reply, annals::llm::provider::ProviderError> {
        self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Err(annals::llm::provider::ProviderError::Unavailable {
            what: "it".to_owned(),
            reason: "429".to_owned(),
            advice: "wait".to_owned(),
            wait: Some(std::time::Duration::from_secs(self.1)),
        })
    }
}

#[test]
fn who_cannot_be_reached_is_asked_once_and_not_before_the_time_asked_for() {
    // A model that asks for a pause of a year is left alone for a day.
    for (asked, handled) in [(3600, 3600), (400_000_000, 86_400)] {
        let busy = Arc::new(Busy(Default::default(), asked));
        let model: Arc<dyn Provider> = Arc::clone(&busy) as Arc<dyn Provider>;
        let world = World::with("companion", move |options| {
            options.model(Arc::clone(&model))
        });
        for number in 0..4 {
            round(&world, "s", &format!("问{number}。"), "嗯");
        }
        assert_eq!(
            world.space().queue().work_off().unwrap(),
            counts(&[("failed", 1), ("waiting", 3)])
        );
        assert_eq!(busy.0.load(std::sync::atomic::Ordering::SeqCst), 1);
        let queued = world.space().queue().list(10).unwrap();
        let attempts: Vec<u32> = queued.iter().map(|task| task.attempts).collect();
        assert_eq!(
            attempts,
            [1, 0, 0, 0],
            "what nobody was asked about was not tried"
        );
        assert_eq!(queued[0].next, Some(day(0.0).plus_millis(handled * 1000)));
        // A task that a caller asks for waits no longer.
        assert_eq!(world.space().queue().retry_all().unwrap(), 1);
        assert_eq!(
            world.space().queue().list(1).unwrap()[0].next,
            Some(day(0.0))
        );
    }
}

#[test]
fn what_was_given_up_is_tried_again_only_with_all() {
    let model = Arc::new(Replay::default());
    let world = world("agent", &model);
    let user = NewTurn::builder("s", "字".repeat(30)).build().unwrap();
    world.space().sessions().append(vec![user]).unwrap();
    for days in 0..5 {
        world.at(f64::from(days));
        model.push("extract", Err("down".to_owned()));
        world.space().queue().work_off().unwrap();
    }
    assert_eq!(
        world.space().queue().list(1).unwrap()[0].state,
        QueueState::Dead
    );
    assert_eq!(world.space().queue().retry_waiting().unwrap(), 0);
    assert_eq!(world.space().queue().retry_all().unwrap(), 1);
    model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1)])
    );
}

#[test]
fn of_a_long_session_no_turn_is_left_at_its_end() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[]")
            .reply("extract", "[]"),
    );
    let world = world("markdown", &model);
    let said = |number: u32| {
        NewTurn::builder("s", format!("问{number}。"))
            .reply(format!("答{number}。"))
            .build()
            .unwrap()
    };
    world
        .space()
        .sessions()
        .append((0..620).map(said).collect())
        .unwrap();
    assert!(
        world
            .space()
            .session("s")
            .extract_at(ExtractTrigger::SessionEnd)
            .unwrap()
    );
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 2)])
    );
    assert_eq!(open(&world, "s"), [""; 0]);
    assert!(!world.space().session("s").extract().unwrap());
}

#[test]
fn what_markdown_hears_again_is_strengthened_and_what_it_hears_against_is_weakened() {
    // spec: M-52, M-55, M-58, M-80
    let model = Arc::new(Replay::default());
    let world = world("markdown", &model);
    let answer =
        r#"[{"content":"用户偏好用 pytest","category":"preference","importance":"medium"}]"#;
    model.push("extract", Ok(annals::llm::provider::Reply::text(answer)));
    round(
        &world,
        "a",
        "我们项目里的测试全部都用 pytest 来写，不要再用别的测试框架了，这一点请一直保持下去。",
        "好",
    );
    assert!(
        world
            .space()
            .session("a")
            .extract_at(ExtractTrigger::SessionEnd)
            .unwrap()
    );
    world.space().queue().work_off().unwrap();
    let id = found(&world)[0].id;
    near(world.score(id), 0.6);
    let name: String = id
        .to_string()
        .chars()
        .rev()
        .take(6)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let thrice =
        format!(r#"[{{"reinforces":"{name}"}},{{"reinforces":"{name}"}},{{"reinforces":"zzz"}}]"#);
    model.push("extract", Ok(annals::llm::provider::Reply::text(thrice)));
    round(&world, "b", "再说一遍：测试用 pytest。", "好");
    assert!(world.space().session("b").extract().unwrap());
    world.space().queue().work_off().unwrap();
    near(world.score(id), 0.68);
    let against = format!(
        r#"[{{"content":"用户改用 unittest","category":"preference","importance":"medium","contradicts":["{name}"]}}]"#
    );
    model.push("extract", Ok(annals::llm::provider::Reply::text(against)));
    round(&world, "c", "我们改用 unittest 了。", "好");
    assert!(world.space().session("c").extract().unwrap());
    world.space().queue().work_off().unwrap();
    near(world.score(id), 0.34);
    assert_eq!(texts(&world).len(), 2);
    let weakened = world
        .space()
        .decisions()
        .list(Some(id), 1)
        .unwrap()
        .remove(0);
    assert_eq!(
        (weakened.question, weakened.answer.as_str()),
        (DecisionQuestion::StillTrue, "contradict")
    );
    world.space().decisions().undo(weakened.number).unwrap();
    near(world.score(id), 0.68);
    world.validate();
}

#[test]
fn an_extraction_that_was_cut_off_is_made_once() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[ADD] 主人喜欢拉面")
            .reply("triples", "[]"),
    );
    let mut world = world("companion", &model);
    round(&world, "s", "我喜欢拉面", "知道了");
    // Reopened before and after: what is queued stays, what was done is not done again.
    world.at(1.0);
    world.reopen();
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1), ("interpreted", 1)])
    );
    world.at(2.0);
    world.reopen();
    assert_eq!(world.space().queue().work_off().unwrap(), counts(&[]));
    assert_eq!((texts(&world).len(), model.asked().len()), (1, 2));
    world.validate();
}

/// The messages of a session that have not been looked through, by what they say.
fn open(world: &World, session: &str) -> Vec<String> {
    let turns = world.space().session(session).turns(0, 1000).unwrap();
    turns
        .into_iter()
        .filter(|turn| !turn.extracted)
        .map(|turn| turn.content)
        .collect()
}

/// In how many questions to the model a text stands.
fn asked_about(model: &Replay, text: &str) -> usize {
    let asked = model.asked();
    asked
        .iter()
        .filter(|request| request.purpose == "extract" && request.messages[1].text.contains(text))
        .count()
}

/// A model that finds nothing, and answers when it is let go.
struct Held {
    entered: std::sync::mpsc::Sender<()>,
    gate: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
}

impl Provider for Held {
    fn name(&self) -> String {
        "held".to_owned()
    }

    fn chat(
        &self,
        _: &annals::llm::provider::Request,
        _: &annals::Cancel,
    ) -> Result<annals::llm::provider::Reply, annals::llm::provider::ProviderError> {
        self.entered.send(()).unwrap();
        let _ = self.gate.lock().unwrap().recv();
        Ok(annals::llm::provider::Reply::text("[]"))
    }
}

#[test]
fn the_answer_is_given_while_the_model_is_still_asked() {
    // spec: A-51
    let (entered, on_entry) = std::sync::mpsc::channel();
    let (release, gate) = std::sync::mpsc::channel();
    let model: Arc<dyn Provider> = Arc::new(Held {
        entered,
        gate: std::sync::Mutex::new(gate),
    });
    let world = World::with("agent", move |options| options.model(Arc::clone(&model)));
    let said = format!("我的代码目录在这里{}", "字".repeat(30));
    let user = NewTurn::builder("s", said.as_str()).build().unwrap();
    world.space().sessions().append(vec![user]).unwrap();
    let space = world.space();
    let working = std::thread::spawn(move || space.queue().work_off().unwrap());
    on_entry.recv().unwrap();
    // The model was asked and has not answered; the conversation goes on.
    let answer = NewTurn::builder("s", "记下了")
        .role(Role::Assistant)
        .build()
        .unwrap();
    world.space().sessions().append(vec![answer]).unwrap();
    assert_eq!(open(&world, "s"), [said.as_str(), "记下了"]);
    drop(release);
    assert_eq!(working.join().unwrap(), counts(&[("extracted", 1)]));
    assert_eq!(open(&world, "s"), ["记下了"]);
}

#[test]
fn what_the_limit_of_a_session_leaves_stays_open_until_the_night() {
    // spec: A-54
    let model = Arc::new(Replay::default());
    for _ in 0..20 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    }
    let world = world("agent", &model);
    let text = |number: u32| format!("{number}{}", "字".repeat(30));
    for number in 0..9 {
        let user = NewTurn::builder("s", text(number)).build().unwrap();
        world.space().sessions().append(vec![user]).unwrap();
        world.space().queue().work_off().unwrap();
    }
    assert_eq!(model.asked().len(), 5);
    assert_eq!(open(&world, "s"), [text(5), text(6), text(7), text(8)]);
    world.at(1.0);
    world.force();
    assert!(open(&world, "s").is_empty());
    assert_eq!(
        (0..9)
            .map(|number| asked_about(&model, &text(number)))
            .collect::<Vec<_>>(),
        [1; 9]
    );
}

#[test]
fn the_night_looks_through_what_is_left_in_pieces_of_ten() {
    // spec: A-56
    let model = Arc::new(Replay::default());
    for _ in 0..10 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    }
    let world = world("agent", &model);
    let turns = (0..25)
        .map(|number| {
            NewTurn::builder("s", format!("第{number}句"))
                .build()
                .unwrap()
        })
        .collect();
    world.space().sessions().append(turns).unwrap();
    assert_eq!(
        (
            open(&world, "s").len(),
            world.space().queue().list(100).unwrap().len()
        ),
        (25, 0)
    );
    world.at(1.0);
    world.force();
    assert_eq!(model.asked().len(), 3);
    assert!((0..25).all(|number| asked_about(&model, &format!("第{number}句")) == 1));
    assert!(open(&world, "s").is_empty() && world.space().queue().list(1).unwrap().is_empty());
}

#[test]
fn the_night_takes_the_queue_first_and_no_turn_twice() {
    // spec: A-57
    let model = Arc::new(Replay::default());
    for _ in 0..20 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    }
    let world = world("agent", &model);
    let text = |number: usize| match number % 2 {
        0 => format!("长{number}{}", "字".repeat(30)),
        _ => format!("短{number}。"),
    };
    for number in 0..7 {
        let user = NewTurn::builder("s", text(number)).build().unwrap();
        world.space().sessions().append(vec![user]).unwrap();
    }
    assert_eq!(
        world.space().queue().list(100).unwrap().len(),
        4,
        "the long ones wait in the queue, and all are open"
    );
    assert_eq!(open(&world, "s").len(), 7);
    world.at(1.0);
    world.force();
    assert!(open(&world, "s").is_empty() && world.space().queue().list(1).unwrap().is_empty());
    assert_eq!(
        (0..7)
            .map(|number| asked_about(&model, &text(number)))
            .collect::<Vec<_>>(),
        [1; 7]
    );
    let first = &model.asked()[0].messages[1].text;
    assert!(
        first.contains(&text(0)) && !first.contains(&text(2)),
        "the queue comes first: {first}"
    );
}

#[test]
fn turns_that_are_left_out_of_a_shortened_conversation_are_queued_once() {
    // spec: A-50
    let model = Arc::new(Replay::default());
    for _ in 0..40 {
        model.push("extract", Ok(annals::llm::provider::Reply::text("[]")));
    }
    let world = world("agent", &model);
    let turns = (0..30)
        .map(|number| {
            NewTurn::builder("s", format!("第{number}句"))
                .build()
                .unwrap()
        })
        .collect();
    world.space().sessions().append(turns).unwrap();
    assert_eq!(world.space().session("s").extract_before(20).unwrap(), 20);
    assert_eq!(world.space().queue().list(100).unwrap().len(), 20);
    assert_eq!(world.space().session("s").extract_before(20).unwrap(), 0);
    assert_eq!(world.space().queue().list(100).unwrap().len(), 20);
    world.space().queue().work_off().unwrap();
    assert_eq!(open(&world, "s").len(), 10);
    assert_eq!(
        model.asked().len(),
        2,
        "twenty turns are two pieces, and not twenty questions"
    );
    let shown = |asked: usize| {
        (0..30)
            .filter(|n| {
                model.asked()[asked].messages[1]
                    .text
                    .contains(&format!("第{n}句"))
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (shown(0), shown(1)),
        ((0..10).collect(), (10..20).collect())
    );
    // Those that were looked through are not queued again.
    assert_eq!(world.space().session("s").extract_before(25).unwrap(), 5);
    assert_eq!(
        world.space().session("nobody").extract_before(25).unwrap(),
        0
    );
}

#[test]
fn the_work_of_one_namespace_is_not_done_for_another() {
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let bob = world.memory().create_namespace("bob", "companion").unwrap();
    let said = |text: &str| NewTurn::builder("b", text).build().unwrap();
    bob.sessions()
        .append(vec![said("I am Bob and my secret is Zorba")])
        .unwrap();
    bob.sessions()
        .append(vec![
            NewTurn::builder("b", "noted")
                .role(Role::Assistant)
                .build()
                .unwrap(),
        ])
        .unwrap();
    round(&world, "s", "我喜欢拉面", "知道了");
    model.push("extract", Ok(annals::llm::provider::Reply::text("[SKIP]")));
    assert_eq!(
        world.space().queue().work_off().unwrap(),
        counts(&[("extracted", 1)])
    );
    let asked = model.asked();
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0]
            .messages
            .iter()
            .all(|message| !message.text.contains("Zorba"))
    );
    // Bob's task goes on waiting.
    assert_eq!(bob.queue().list(10).unwrap().len(), 1);
    model.push("extract", Ok(annals::llm::provider::Reply::text("[SKIP]")));
    assert_eq!(bob.queue().work_off().unwrap(), counts(&[("extracted", 1)]));
}

#[test]
fn a_summary_goes_with_what_it_sums_up() {
    let model = Arc::new(Replay::default());
    let world = world("companion", &model);
    let working = world.space().session("s").working().unwrap();
    for number in 0..16 {
        let (said, answered) = (format!("第{number}件事"), format!("好的{number}"));
        let user = NewTurn::builder("s", said.as_str()).build().unwrap();
        let reply = NewTurn::builder("s", answered.as_str())
            .role(Role::Assistant)
            .build()
            .unwrap();
        world.space().sessions().append(vec![user, reply]).unwrap();
        model.push(
            "summarize",
            Ok(annals::llm::provider::Reply::text("说了许多事")),
        );
        working.round(&said, &answered).unwrap();
    }
    let episode = found(&world)
        .into_iter()
        .find(|memory| memory.body.layer == Layer::Episodic)
        .unwrap();
    assert_eq!(episode.body.provenance.len(), 20);
    let turns = episode.body.provenance.clone();
    for turn in &turns[1..] {
        world.space().delete(*turn, annals::Mode::Commit).unwrap();
    }
    assert!(world.space().get(episode.id).unwrap().is_some());
    let receipt = world
        .space()
        .delete(turns[0], annals::Mode::Commit)
        .unwrap();
    assert!(
        receipt.memories.iter().any(|gone| gone.id == episode.id),
        "{receipt:?}"
    );
    assert!(world.space().get(episode.id).unwrap().is_none());
    world.validate();
}

/// Looks through a conversation of day 5 on day 300, when a newer memory is known.
fn looked_through_late(
    profile: &str,
    answer: impl Fn(&StoredMemory) -> String,
) -> (World, StoredMemory) {
    let model = Arc::new(
        Replay::default()
            .reply("triples", "[]")
            .reply("contradicts", "no"),
    );
    let world = world(profile, &model);
    world.at(299.0);
    let newer = world.remember(
        NewMemory::builder("用户住在柏林")
            .kind("fact")
            .event_time(day(299.0))
            .build()
            .unwrap(),
    );
    let newer = world.space().get(newer).unwrap().unwrap();
    model.push(
        "extract",
        Ok(annals::llm::provider::Reply::text(answer(&newer))),
    );
    world.at(300.0);
    let said = NewTurn::builder("old", "我住在汉堡，不住在柏林")
        .time(day(5.0))
        .build()
        .unwrap();
    let reply = NewTurn::builder("old", "好的")
        .role(Role::Assistant)
        .time(day(5.0))
        .build()
        .unwrap();
    world.space().sessions().append(vec![said, reply]).unwrap();
    world.space().session("old").extract().unwrap();
    world.space().queue().work_off().unwrap();
    (world, newer)
}

#[test]
fn an_older_conversation_that_is_looked_through_later_changes_nothing_that_was_told_since() {
    for command in ["[UPDATE:mem_1] 用户住在汉堡", "[DELETE:mem_1]"] {
        let (world, newer) = looked_through_late("companion", |_| command.to_owned());
        assert_eq!(
            texts(&world),
            std::slice::from_ref(&newer.body.text),
            "{command}"
        );
        assert_eq!(found(&world)[0].id, newer.id);
        let remarks = world.space().queue().remarks(10).unwrap();
        assert!(
            remarks[0].left_out[0].contains("was told later"),
            "{remarks:?}"
        );
        world.validate();
    }
    let candidate = |newer: &StoredMemory| {
        let id = newer.id.to_string();
        let known = &id[id.len() - 6..];
        format!(
            r#"[{{"content":"用户养了一只狗","type":"fact","importance":0.6}},
                {{"content":"用户住在汉堡","type":"fact","importance":0.6,"contradicts":["{known}"]}},
                {{"contradicts":["{known}"]}}]"#
        )
    };
    let (world, newer) = looked_through_late("studio", candidate);
    let all = found(&world);
    let until = |text: &str| {
        all.iter()
            .find(|memory| memory.body.text == text)
            .unwrap()
            .body
            .valid_until
    };
    assert_eq!(
        (until("用户住在柏林"), until("用户住在汉堡")),
        (None, Some(day(299.0))),
        "{:?}",
        newer.id
    );
    assert_eq!(until("用户养了一只狗"), None);
    // By itself it contradicts nothing that is found beside it.
    let lone = |newer: &StoredMemory| {
        let id = newer.id.to_string();
        let known = &id[id.len() - 6..];
        format!(
            r#"[{{"content":"用户养了一只狗","type":"fact","importance":0.6}},{{"contradicts":["{known}"]}}]"#
        )
    };
    let (beside, _) = looked_through_late("studio", lone);
    assert!(
        found(&beside)
            .iter()
            .all(|memory| memory.body.valid_until.is_none()),
        "{:?}",
        found(&beside)
    );
    world.validate();
}
