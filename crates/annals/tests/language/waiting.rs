//! Tasks that wait for a model, until when, and texts that are no longer sent to one.

use std::sync::Arc;

use crate::support::life::{World, day};
use crate::support::script::Table;
use annals::graph::Assertion;
use annals::llm::provider::{Provider, Replay};
use annals::profile::JobStep;
use annals::{
    Layer, ListQuery, MemoryId, Mode, NewMemory, NewTurn, Options, Role, Status, Timestamp,
};

fn world(profile: &str, model: &Arc<Replay>) -> World {
    let model = Arc::clone(model);
    World::with(profile, move |options: Options| {
        options.model(Arc::clone(&model) as Arc<dyn Provider>)
    })
}

fn minute(minutes: f64) -> Timestamp {
    day(minutes / 1440.0)
}

fn minutes(world: &World, minutes: f64) {
    world.at(minutes / 1440.0);
}

fn say(world: &World, role: Role, text: &str) -> MemoryId {
    let turn = NewTurn::builder("s", text).role(role).build().unwrap();
    world.space().sessions().append(vec![turn]).unwrap()[0]
}

fn found(world: &World) -> Vec<String> {
    let all = world
        .space()
        .list(&ListQuery {
            limit: 100,
            ..ListQuery::default()
        })
        .unwrap()
        .memories;
    all.into_iter()
        .filter(|memory| memory.body.layer != Layer::Turn)
        .map(|memory| memory.body.text)
        .collect()
}

fn asked(model: &Replay, purpose: &str) -> Vec<String> {
    let requests = model.asked();
    let told = requests.iter().filter(|request| request.purpose == purpose);
    told.map(|request| {
        request
            .messages
            .iter()
            .map(|message| message.text.as_str())
            .collect()
    })
    .collect()
}

#[test]
fn a_run_tries_again_what_failed_although_the_job_for_it_comes_at_night() {
    let answer = r#"[{"type":"FACT","content":"代码在 D:\\code"}]"#;
    let model = Arc::new(
        Replay::default()
            .failure("extract", "HTTP 500")
            .reply("extract", answer),
    );
    let world = world("agent", &model);
    minutes(&world, 600.0);
    world.maintain();
    say(
        &world,
        Role::User,
        "请记住，我的代码目录在 D:\\code 下面，所有项目都放在那里，不要动别的目录。",
    );
    say(&world, Role::Assistant, "好");
    let queued = |reports: Vec<annals::JobReport>| -> Vec<(String, u64)> {
        let steps = reports.into_iter().flat_map(|report| report.steps);
        steps
            .filter(|step| step.step == JobStep::Queue)
            .flat_map(|step| step.counts)
            .collect()
    };
    let failed = world.attempt();
    let step = failed
        .iter()
        .flat_map(|report| &report.steps)
        .find(|step| step.error.is_some())
        .unwrap();
    assert!(
        step.error.as_ref().unwrap().contains("HTTP 500"),
        "{step:?}"
    );
    assert_eq!(
        (step.step, step.retry_at),
        (JobStep::Queue, Some(minute(601.0)))
    );
    assert_eq!(queued(failed), [("failed".to_owned(), 1)]);
    minutes(&world, 600.5);
    assert_eq!(
        queued(world.maintain()),
        [],
        "not before a minute has passed"
    );
    minutes(&world, 601.1);
    assert_eq!(queued(world.maintain()), [("extracted".to_owned(), 1)]);
    assert_eq!(found(&world), ["代码在 D:\\code"]);
    world.validate();
}

#[test]
fn what_was_forgotten_is_not_sent_to_a_model() {
    let model = Arc::new(
        Replay::default()
            .reply("extract", "[SKIP]")
            .reply("triples", "[]"),
    );
    let world = world("companion", &model);
    let secret = world.kind("fact", "主人喜欢佐巴");
    world.space().forget(secret).unwrap();
    let turn = say(&world, Role::User, "我爱上了佐巴");
    say(&world, Role::Assistant, "真好");
    world.space().forget(turn).unwrap();
    say(&world, Role::User, "今天天气不错");
    say(&world, Role::Assistant, "是啊");
    world.at(1.0);
    world.space().queue().work_off().unwrap();
    assert_eq!(asked(&model, "triples"), [""; 0]);
    let extractions = asked(&model, "extract");
    assert!(
        !extractions.is_empty() && extractions.iter().all(|asked| !asked.contains("佐巴")),
        "{extractions:?}"
    );
    assert_eq!(world.space().queue().list(10).unwrap(), []);
    // Brought back, it is looked at.
    world.space().restore(secret).unwrap();
    assert_eq!(world.space().queue().list(10).unwrap()[0].kind, "interpret");
    world.space().queue().work_off().unwrap();
    assert!(asked(&model, "triples")[0].contains("佐巴"));
    world.validate();
}

#[test]
fn what_is_stored_without_a_model_waits_for_one() {
    let answer = r#"{"triples":[{"subject":"安娜","predicate":"嫁给","object":"鲍勃"}]}"#;
    let mut world = World::new("companion");
    let married = world.kind("fact", "安娜在巴黎嫁给了鲍勃");
    let city = world.kind("fact", "主人住在柏林");
    world
        .space()
        .graph()
        .add_triples(city, &[Assertion::new("主人", "住在", "柏林")])
        .unwrap();
    assert_eq!(
        world
            .space()
            .admin()
            .stats()
            .unwrap()
            .open
            .unwrap()
            .uninterpreted,
        2
    );
    world
        .space()
        .update(
            city,
            NewMemory::builder("主人住在汉堡")
                .kind("fact")
                .build()
                .unwrap(),
        )
        .unwrap();
    assert_eq!(
        world.space().graph().subgraph(city).unwrap().edges.len(),
        0,
        "the old text said so"
    );
    assert!(
        world
            .space()
            .queue()
            .work_off()
            .unwrap()
            .get("waiting")
            .is_some_and(|waiting| *waiting == 2)
    );
    let model = Arc::new(
        Replay::default()
            .reply("triples", answer)
            .reply("triples", r#"{"triples":[]}"#),
    );
    let shown = Arc::clone(&model);
    world.set(move |options: Options| options.model(Arc::clone(&shown) as Arc<dyn Provider>));
    world.space().queue().work_off().unwrap();
    assert_eq!(asked(&model, "triples").len(), 2);
    assert_eq!(
        world.space().graph().subgraph(married).unwrap().edges[0].relation,
        "嫁给"
    );
    world.validate();
}

/// Long enough for the markdown profile to look at.
const LONG: &str = "我住在柏林，已经住了很多年，平时喜欢骑车去上班，周末常去湖边走走，还养了一只叫小满的猫，它很喜欢晒太阳。";

#[test]
fn a_session_that_is_idle_is_looked_through() {
    let answer = r#"[{"category":"fact","content":"用户住在柏林","importance":"high"}]"#;
    let model = Arc::new(Replay::default().reply("extract", answer));
    let mut world = world("markdown", &model);
    say(&world, Role::User, LONG);
    minutes(&world, 20.0);
    say(&world, Role::Assistant, "知道了");
    minutes(&world, 40.0);
    world.maintain();
    assert_eq!(
        (model.asked().len(), world.space().queue().list(10).unwrap()),
        (0, vec![]),
        "it goes on"
    );
    world.reopen();
    minutes(&world, 50.1);
    world.maintain();
    assert_eq!(
        (model.asked().len(), found(&world)),
        (1, vec!["用户住在柏林".to_owned()])
    );
    minutes(&world, 200.0);
    world.maintain();
    assert_eq!(model.asked().len(), 1, "nothing was said since");
    world.validate();
}

#[test]
fn a_scheduler_looks_when_a_session_has_been_idle() {
    let model = Arc::new(Replay::default().reply("extract", "[]"));
    let shown = Arc::clone(&model);
    let world = World::with("markdown", move |options: Options| {
        options
            .scheduler(true)
            .model(Arc::clone(&shown) as Arc<dyn Provider>)
    });
    world.memory().wait_idle().unwrap();
    say(&world, Role::User, LONG);
    minutes(&world, 29.0);
    world.memory().wait_idle().unwrap();
    assert_eq!(model.asked().len(), 0);
    minutes(&world, 31.0);
    world.memory().wait_idle().unwrap();
    assert_eq!(model.asked().len(), 1);
}

#[test]
fn an_answer_that_nobody_understands_holds_up_no_other_pair() {
    let model = Arc::new(
        Replay::default()
            .reply("causality", "A")
            .reply("causality", "嗯……也许")
            .reply("causality", "不确定"),
    );
    let (table, shown) = (Table::new(), Arc::clone(&model));
    table.near("没睡好", "心情不好", 0.5);
    table.near("很困", "没睡好", 0.6);
    let world = World::with("graph", move |options: Options| {
        options
            .embedder(table.clone())
            .model(Arc::clone(&shown) as Arc<dyn Provider>)
    });
    let stage = |at: f64, text: &str| {
        minutes(&world, at);
        let memory = NewMemory::builder(text)
            .kind("事件")
            .importance(0.6)
            .status(Status::Staged);
        world.remember(memory.build().unwrap())
    };
    let ids = [
        stage(0.0, "心情不好"),
        stage(5.0, "没睡好"),
        stage(65.0, "很困"),
    ];
    world.at(1.0);
    let reports = world.force();
    let made = reports
        .iter()
        .flat_map(|report| &report.steps)
        .find(|step| step.step == JobStep::Relations)
        .unwrap();
    assert_eq!(
        (
            made.counts["judged"],
            made.counts["not understood"],
            made.counts["linked"]
        ),
        (1, 1, 1)
    );
    assert!(
        ids.iter()
            .all(|id| world.status(*id) == Some(Status::Active)),
        "they are consolidated"
    );
    assert_eq!(world.space().graph().links(ids[0]).unwrap().len(), 1);
}

#[test]
fn a_dry_run_counts_the_pass_that_the_run_makes() {
    let world = World::new("companion");
    let fact = world.scored("fact", 0.23, "主人喜欢拉面");
    world.at(6.0);
    let told = world
        .memory()
        .maintain(false, Mode::DryRun)
        .unwrap()
        .remove(0);
    assert_eq!(told.due.len(), 1);
    assert_eq!(told.steps[0].counts, [("passes".to_owned(), 1)].into());
    let planned: Vec<_> = told
        .planned
        .iter()
        .map(|one| (one.id, one.action.as_str()))
        .collect();
    assert_eq!(planned, [(fact, "sent to review")]);
    assert_eq!(
        world.space().reviews().pending(9).unwrap(),
        [],
        "nothing was done"
    );
    world.maintain();
    assert_eq!(world.space().reviews().pending(9).unwrap()[0].id, fact);
    let after = world
        .memory()
        .maintain(false, Mode::DryRun)
        .unwrap()
        .remove(0);
    assert!(
        after.due.is_empty() && after.steps.iter().all(|step| step.step != JobStep::Decay),
        "{after:?}"
    );
}

#[test]
fn a_dry_run_of_a_deletion_tells_all_that_goes() {
    let world = World::new("companion");
    let (one, other) = (
        world.kind("fact", "主人喜欢拉面"),
        world.kind("fact", "主人住在柏林"),
    );
    let said = world
        .space()
        .graph()
        .add_triples(one, &[Assertion::new("主人", "喜欢", "拉面")])
        .unwrap();
    world.space().graph().link(one, "related", other).unwrap();
    let planned = world.space().delete(one, Mode::DryRun).unwrap();
    assert_eq!(planned.text_bytes, "主人喜欢拉面".len() as u64);
    assert_eq!(
        (planned.gone_triples.len(), planned.gone_links.len()),
        (1, 1)
    );
    assert_eq!(planned.gone_triples, said.triples);
    assert_eq!(
        (planned.gone_links[0].0, planned.gone_links[0].2),
        (one, other)
    );
    let done = world.space().delete(one, Mode::Commit).unwrap();
    assert_eq!(
        (done.text_bytes, done.gone_triples, done.gone_links),
        (planned.text_bytes, planned.gone_triples, planned.gone_links)
    );
    assert!(world.standing(other).due_at.is_some());
    assert_eq!(world.standing(other).last_access, day(0.0));
}
