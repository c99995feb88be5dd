//! Jobs that run by themselves: on a clock moved by hand, which the thread that runs them watches.

use std::sync::Arc;

use crate::support::gate::Gate;
use crate::support::life::{World, day, near};
use crate::support::script::Script;
use annals::{
    Judge, JudgeError, Judgement, NewMemory, NewTurn, Options, Reasoned, ReviewCase, Status,
};

/// Runs by itself, unless the switch says otherwise.
fn world(profile: &str) -> World {
    World::with(profile, |options: Options| options.scheduler(true))
}

/// The moments of all runs of a job until a number of days, looked for every so many hours.
fn runs(world: &World, job: &str, hours: std::ops::RangeInclusive<u32>) -> Vec<f64> {
    let mut runs: Vec<f64> = Vec::new();
    for hour in hours {
        world.at(f64::from(hour) / 24.0);
        world.memory().wait_idle().unwrap();
        let jobs = world.memory().jobs().list().unwrap();
        let last = jobs
            .iter()
            .find(|known| known.job == job)
            .and_then(|known| known.last.as_ref());
        let at = last.map(|last| last.at.millis_since(day(0.0)) as f64 / 3_600_000.0);
        runs.extend(at.filter(|at| runs.last() != Some(at)));
    }
    runs
}

#[test]
fn a_day_of_a_process_has_its_passes() {
    // spec: C-60, C-61
    let mut world = world("companion");
    world.memory().wait_idle().unwrap();
    let fact = world.kind("fact", "主人喜欢拉面");
    // The first pass is at once; exactly 24 hours later is too early, and an hour is as often as it
    // is looked.
    assert_eq!(runs(&world, "decay", 0..=75), [0.0, 25.0, 50.0, 75.0]);
    assert_eq!(world.maintain(), [], "nothing is left to be done by hand");
    world.reopen();
    world.at(75.0 / 24.0 + 23.0 / 24.0);
    world.memory().wait_idle().unwrap();
    let last = |world: &World| {
        world.memory().jobs().list().unwrap()[0]
            .last
            .as_ref()
            .unwrap()
            .at
    };
    assert_eq!(
        last(&world),
        day(75.0 / 24.0),
        "a start 23 hours after the last pass makes none"
    );
    world.at(75.0 / 24.0 + 1.0);
    world.reopen();
    world.memory().wait_idle().unwrap();
    assert_eq!(last(&world), day(75.0 / 24.0), "exactly 24 hours neither");
    world.at(75.0 / 24.0 + 25.0 / 24.0);
    world.reopen();
    world.memory().wait_idle().unwrap();
    assert_eq!(last(&world), day(100.0 / 24.0));
    near(world.score(fact), 1.0);
    world.validate();
}

#[test]
fn consolidation_runs_at_the_start_and_every_six_hours() {
    // spec: G-113, G-114
    let world = world("graph");
    world.memory().wait_idle().unwrap();
    assert_eq!(
        runs(&world, "consolidation", 0..=24),
        [0.0, 6.0, 12.0, 18.0, 24.0]
    );
    let staged = world.remember(
        NewMemory::builder("我吃了白米饭")
            .kind("事件")
            .status(Status::Staged)
            .build()
            .unwrap(),
    );
    world.at(1.25);
    world.memory().wait_idle().unwrap();
    assert_eq!(world.status(staged), Some(Status::Active));
    world.validate();
}

#[test]
fn the_night_has_its_hour_and_a_missed_one_is_made_up_for_once() {
    let mut world = world("agent");
    world.memory().wait_idle().unwrap();
    assert_eq!(runs(&world, "nightly", 0..=30), [3.0, 27.0]);
    world.at(9.5);
    world.reopen();
    world.memory().wait_idle().unwrap();
    let job = world.memory().jobs().list().unwrap().remove(0);
    assert_eq!(
        (job.last.as_ref().unwrap().at, job.next),
        (day(9.5), Some(day(10.125)))
    );
    world.at(9.9);
    world.memory().wait_idle().unwrap();
    assert_eq!(
        world.memory().jobs().list().unwrap()[0]
            .last
            .as_ref()
            .unwrap()
            .at,
        day(9.5),
        "once a day"
    );
    world.validate();
}

#[test]
fn a_job_that_fails_is_tried_again_after_its_pause_and_a_stopped_one_rests() {
    // spec: G-115
    let judge = Arc::new(Script::default());
    *judge.asleep.lock().unwrap() = true;
    let shared = Arc::clone(&judge);
    let world = World::with("graph", move |options: Options| {
        options
            .scheduler(true)
            .judge(Arc::clone(&shared) as Arc<dyn Judge>)
    });
    world.memory().wait_idle().unwrap();
    for text in ["我心情不好", "我昨晚没睡好"] {
        world.remember(
            NewMemory::builder(text)
                .kind("事件")
                .status(Status::Staged)
                .build()
                .unwrap(),
        );
    }
    world.memory().jobs().stop("graph", "daily").unwrap();
    world.at(0.25);
    world.memory().wait_idle().unwrap();
    let job = |name: &str| {
        world
            .memory()
            .jobs()
            .list()
            .unwrap()
            .into_iter()
            .find(|known| known.job == name)
            .unwrap()
    };
    let failed = job("consolidation");
    assert_eq!(
        (failed.failures, failed.next),
        (1, Some(day(0.25).plus_millis(600_000)))
    );
    assert!(failed.running.unwrap().error.unwrap().contains("sleeps"));
    *judge.asleep.lock().unwrap() = false;
    world.clock.set(day(0.25).plus_millis(599_999));
    world.memory().wait_idle().unwrap();
    assert_eq!((job("consolidation").failures, judge.asked()), (1, 0));
    world.clock.set(day(0.25).plus_millis(600_000));
    world.memory().wait_idle().unwrap();
    let done = job("consolidation");
    assert_eq!(
        (done.failures, done.running, done.last.unwrap().at),
        (0, None, day(0.25))
    );
    assert_eq!(
        judge.asked(),
        1,
        "for a cause; what says the same contradicts nothing"
    );

    world
        .memory()
        .jobs()
        .stop("graph", "consolidation")
        .unwrap();
    world.at(3.0);
    world.memory().wait_idle().unwrap();
    assert_eq!(
        job("consolidation").last.unwrap().at,
        day(0.25),
        "what is stopped does not run"
    );
    let daily = job("daily").last.map(|run| run.at);
    world.memory().jobs().resume("graph", "daily").unwrap();
    world.memory().wait_idle().unwrap();
    assert_eq!(
        (
            daily.is_none_or(|at| at < day(3.0)),
            job("daily").last.unwrap().at
        ),
        (true, day(3.0))
    );
    assert!(
        world
            .memory()
            .jobs()
            .stop("graph", "nightly")
            .unwrap_err()
            .is_not_found()
    );
    assert!(
        world
            .memory()
            .jobs()
            .stop("studio", "nightly")
            .unwrap_err()
            .is_not_found()
    );
    world.validate();
}

/// A judge that cannot take it.
struct Panic;

impl Judge for Panic {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        panic!("it is too much")
    }
}

#[test]
fn a_panic_closes_the_handle_and_says_why() {
    let world = World::with("companion", |options: Options| {
        options.scheduler(true).judge(Arc::new(Panic))
    });
    world.scored("fact", 0.23, "主人喜欢拉面");
    world.at(6.0);
    let poisoned = world.memory().wait_idle().unwrap_err().to_string();
    assert!(poisoned.contains("it is too much"), "{poisoned}");
    assert!(
        world
            .space()
            .remember("x")
            .unwrap_err()
            .to_string()
            .contains("it is too much")
    );
}

/// A judge that answers once it is let through.
struct Slow(Arc<Gate>);

impl Judge for Slow {
    fn review(&self, _case: &ReviewCase<'_>) -> Result<Reasoned<Judgement>, JudgeError> {
        self.0.pass();
        Ok(Judgement::Keep.into())
    }
}

#[test]
fn no_session_waits_for_the_model_of_another_profile() {
    let gate = Arc::new(Gate::default());
    let judge = Arc::new(Slow(Arc::clone(&gate)));
    let world = World::with("companion", move |options: Options| {
        options
            .scheduler(true)
            .judge(Arc::clone(&judge) as Arc<dyn Judge>)
    });
    world.scored("fact", 0.23, "主人喜欢拉面");
    let other = world.memory().create_namespace("m", "markdown").unwrap();
    world.memory().wait_idle().unwrap();
    world.at(6.0);
    gate.reached();
    let turn = NewTurn::builder("s", "我今天吃了拉面").build().unwrap();
    other
        .designs()
        .markdown()
        .process_session_end(vec![turn], "s")
        .unwrap();
    assert_eq!(
        other
            .list(&annals::ListQuery::default())
            .unwrap()
            .memories
            .len(),
        1
    );
    let again = NewTurn::builder("s", "明天也吃").build().unwrap();
    assert_eq!(
        other
            .designs()
            .agent()
            .on_context_compressed("s", vec![again])
            .unwrap(),
        1
    );
    gate.open();
    world.memory().wait_idle().unwrap();
    world.validate();
}

#[test]
fn nothing_runs_by_itself_unless_it_is_asked_for() {
    let world = World::new("companion");
    world.kind("episode", "主人今天吃了拉面");
    world.at(30.0);
    world.memory().wait_idle().unwrap();
    assert_eq!(world.space().admin().stats().unwrap().memories, 1);
    let job = world.memory().jobs().list().unwrap().remove(0);
    assert_eq!((job.due, job.last), (true, None));
}
