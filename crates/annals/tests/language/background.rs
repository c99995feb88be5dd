//! Background work, what ends with a session, and memories at their end.

use std::sync::{Arc, Mutex};

use crate::support::life::{World, day};
use annals::graph::{Assertion, OriginStep, TripleQuery, View};
use annals::{
    ExtractWindow, Extracted, Extractor, JudgeError, Layer, ListQuery, MemoryId, Mode, NewMemory,
    NewTurn, Options, QueueState, Status, StoredMemory, Summarizer,
};

/// Makes a summary of the texts that it is given, when it is awake.
#[derive(Default)]
struct Joiner {
    asleep: Mutex<bool>,
}

impl Summarizer for Joiner {
    fn summarize(&self, turns: &[StoredMemory]) -> Result<String, JudgeError> {
        if *self.asleep.lock().unwrap() {
            return Err(JudgeError::Unavailable {
                what: "the model".to_owned(),
                reason: "it sleeps".to_owned(),
                wait: None,
            });
        }
        Ok(turns
            .iter()
            .map(|turn| turn.body.text.as_str())
            .collect::<Vec<_>>()
            .join(" + "))
    }
}

/// Finds a fact again when one of its sources still speaks of it.
struct Finder;

impl Extractor for Finder {
    fn extract(&self, window: &ExtractWindow<'_>) -> Result<Vec<Extracted>, JudgeError> {
        let known = &window.known[0];
        let told = window
            .turns
            .iter()
            .any(|turn| turn.body.text.contains("柏林"));
        Ok(match told {
            true => vec![Extracted::Update(
                known.id,
                NewMemory::try_from("主人在柏林").unwrap(),
            )],
            false => vec![Extracted::Delete(known.id)],
        })
    }
}

fn turns(world: &World, texts: &[&str]) -> Vec<MemoryId> {
    let turn = |text: &&str| NewTurn::builder("s", *text).build().unwrap();
    world
        .space()
        .sessions()
        .append(texts.iter().map(turn).collect())
        .unwrap()
}

fn derived(world: &World, text: &str, layer: Layer, sources: &[MemoryId]) -> MemoryId {
    let built = NewMemory::builder(text).layer(layer);
    world.remember(
        sources
            .iter()
            .fold(built.kind("FACT"), |built, id| built.derived_from(*id))
            .build()
            .unwrap(),
    )
}

#[test]
fn what_lost_a_source_waits_until_somebody_can_make_it_again() {
    let mut world = World::new("agent");
    let said = turns(&world, &["今天去了柏林", "吃了面条", "看了电影"]);
    let episode = derived(&world, "一天的总结", Layer::Episodic, &said);
    let receipt = world.space().delete(said[2], Mode::Commit).unwrap();
    assert_eq!(receipt.stale, [episode]);
    assert_eq!(
        world.space().lifecycle().stale_since(episode).unwrap(),
        Some(day(0.0))
    );
    let waiting = world.space().queue().list(10).unwrap();
    assert_eq!(
        (waiting.len(), waiting[0].kind.as_str(), waiting[0].memory),
        (1, "derive", Some(episode))
    );
    world.at(0.2);
    assert_eq!(
        world.force()[0].steps[0].counts,
        [("waiting".to_owned(), 1)].into()
    );
    world.space().delete(said[1], Mode::Commit).unwrap();
    assert_eq!(
        world.space().queue().list(10).unwrap().len(),
        1,
        "once, however often"
    );
    world.reopen();
    assert_eq!(
        world.space().queue().list(10).unwrap()[0].state,
        QueueState::Waiting
    );
    let number = waiting[0].number;
    world.space().queue().drop(number).unwrap();
    assert!(
        world
            .space()
            .queue()
            .drop(number)
            .unwrap_err()
            .is_not_found()
    );
    assert_eq!(world.space().queue().list(10).unwrap(), []);
    // No adviser will make it again, and it still says so.
    let stale = |world: &World| {
        let query = ListQuery {
            stale: true,
            ..ListQuery::default()
        };
        world
            .space()
            .list(&query)
            .unwrap()
            .memories
            .iter()
            .map(|memory| memory.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (
            stale(&world),
            world.space().lifecycle().stale_since(episode).unwrap()
        ),
        (vec![episode], Some(day(0.0)))
    );
    let told: Vec<_> = world
        .space()
        .graph()
        .explain(episode)
        .unwrap()
        .into_iter()
        .map(|step| (step.step, step.what))
        .collect();
    let sources = format!(
        "from {}, {} (deleted), {} (deleted)",
        said[0], said[1], said[2]
    );
    assert!(told.contains(&(OriginStep::Derived, sources)), "{told:?}");
    assert!(
        told.iter().any(|(step, _)| *step == OriginStep::Stale),
        "{told:?}"
    );
    world.validate();
    world
        .space()
        .update(episode, NewMemory::try_from("又一天").unwrap())
        .unwrap();
    assert_eq!(
        (
            stale(&world),
            world.space().lifecycle().stale_since(episode).unwrap()
        ),
        (vec![], None),
        "it stands on its own"
    );
    world.validate();
}

#[test]
fn a_summary_is_made_again_from_what_is_left() {
    let joiner = Arc::new(Joiner::default());
    *joiner.asleep.lock().unwrap() = true;
    let shared = Arc::clone(&joiner);
    let mut world = World::with("agent", move |options: Options| {
        options.summarizer(Arc::clone(&shared) as Arc<dyn Summarizer>)
    });
    let said = turns(&world, &["去了柏林", "吃了面条", "看了电影"]);
    let episode = derived(&world, "一天的总结", Layer::Episodic, &said);
    world.space().delete(said[1], Mode::Commit).unwrap();
    world.at(0.2);
    let step = world
        .memory()
        .maintain(true, Mode::Commit)
        .unwrap()
        .remove(0)
        .steps
        .remove(0);
    assert_eq!(step.counts, [("derive failed".to_owned(), 1)].into());
    assert_eq!(step.retry_at, Some(day(0.2).plus_millis(60_000)));
    let failed = world.space().queue().list(10).unwrap().remove(0);
    assert_eq!(
        (failed.attempts, failed.next),
        (1, Some(day(0.2).plus_millis(60_000)))
    );
    assert!(
        failed.last_error.contains("sleeps"),
        "{}",
        failed.last_error
    );
    *joiner.asleep.lock().unwrap() = false;
    assert_eq!(
        world.force()[0].steps[0].counts,
        [].into(),
        "not before its pause is over"
    );
    world.space().queue().retry(failed.number).unwrap();
    world.reopen();
    assert_eq!(
        world.force()[0].steps[0].counts,
        [("derived again".to_owned(), 1)].into()
    );
    let made = world.space().get(episode).unwrap().unwrap();
    assert_eq!(
        (made.body.text.as_str(), made.body.provenance),
        ("去了柏林 + 看了电影", vec![said[0], said[2]])
    );
    assert_eq!(world.space().queue().list(10).unwrap(), []);
    assert_eq!(
        world.space().lifecycle().stale_since(episode).unwrap(),
        None
    );
    // Made again is not edited: it still goes with its last source.
    world
        .space()
        .bulk()
        .delete(&[said[0], said[2]], Mode::Commit)
        .unwrap();
    assert_eq!(world.space().get(episode).unwrap(), None);
    world.validate();
}

#[test]
fn a_fact_is_found_again_or_goes_and_a_job_is_not_needed_for_it() {
    let world = World::with("companion", |options: Options| {
        options.extractor(Arc::new(Finder))
    });
    let said = turns(&world, &["我搬到柏林了", "柏林很冷", "我怕冷"]);
    let fact = |text: &str, sources: &[MemoryId]| {
        let built = NewMemory::builder(text).kind("fact");
        world.remember(
            sources
                .iter()
                .fold(built, |built, id| built.derived_from(*id))
                .build()
                .unwrap(),
        )
    };
    let (kept, lost) = (
        fact("主人住在柏林", &said[..2]),
        fact("柏林让主人冷", &said[1..]),
    );
    world.space().delete(said[1], Mode::Commit).unwrap();
    let queued = |kind: &str| {
        world
            .space()
            .queue()
            .list(10)
            .unwrap()
            .iter()
            .filter(|task| task.kind == kind)
            .count()
    };
    assert_eq!((queued("derive"), queued("interpret")), (2, 2));
    let reports = world.maintain();
    let report = reports.iter().find(|report| report.job == "queue").unwrap();
    let counts = [("deleted", 1), ("derived again", 1), ("waiting", 1)]
        .map(|(word, count)| (word.to_owned(), count));
    assert_eq!(report.steps[0].counts, counts.into());
    assert_eq!(
        world.space().get(kept).unwrap().unwrap().body.text,
        "主人在柏林"
    );
    assert_eq!(world.space().get(lost).unwrap(), None);
    assert_eq!(
        (queued("derive"), queued("interpret")),
        (0, 1),
        "what nobody here can say waits"
    );
    world.validate();
}

#[test]
fn what_waits_goes_on_under_another_profile() {
    let world = World::new("agent");
    let said = turns(&world, &["一", "二"]);
    derived(&world, "一和二", Layer::Episodic, &said);
    world.space().delete(said[0], Mode::Commit).unwrap();
    world.space().admin().set_profile("markdown").unwrap();
    assert_eq!(world.space().queue().list(10).unwrap().len(), 1);
    world.validate();
}

#[test]
fn what_lives_as_long_as_its_session_goes_with_it() {
    // spec
    let mut world = World::new("agent");
    let note = |text: &str, duration: &str, session: Option<&str>| {
        let built = NewMemory::builder(text)
            .kind("RULE")
            .metadata("duration", duration);
        let built = session.map_or(built.clone(), |session| built.metadata("session", session));
        world.remember(built.build().unwrap())
    };
    let bound = note("answer in French", "session", Some("s"));
    let other = note("answer in verse", "session", Some("t"));
    let task = note("use the test server", "24h", Some("s"));
    let week = note("the build is slow", "7d", None);
    let said = world.said("please be short");
    let built = NewMemory::builder("be short")
        .kind("RULE")
        .metadata("duration", "session")
        .derived_from(said);
    let derived = world.remember(built.build().unwrap());
    let expires = |id: MemoryId| world.standing(id).expires_at;
    assert_eq!(
        [bound, task, week].map(expires),
        [1.0, 1.0, 7.0].map(|days| Some(day(days)))
    );
    world.at(1.0 / 24.0);
    let mut end = world.space().session("s").end().unwrap();
    end.deleted.sort();
    let mut gone = vec![bound, derived];
    gone.sort();
    assert_eq!(end.deleted, gone);
    assert!(
        world.space().get(other).unwrap().is_some() && world.space().get(task).unwrap().is_some()
    );
    world.clock.set(day(1.0).plus_millis(1000));
    assert!(
        !world
            .recall("which server?")
            .iter()
            .any(|text| text.contains("test server")),
        "hidden after 24 hours and 1 s"
    );
    world.at(1.2);
    world.reopen();
    world.force();
    assert_eq!(world.space().get(task).unwrap(), None);
    assert_eq!(world.status(week), Some(Status::Active));
    world.validate();
}

#[test]
fn the_end_of_a_session_runs_its_jobs() {
    let world = World::new("markdown");
    world.kind("fact", "用户喜欢茶");
    world.at(40.0);
    let end = world.space().session("s").end().unwrap();
    assert_eq!(
        (end.jobs.len(), end.jobs[0].job.as_str(), &*end.jobs[0].why),
        (1, "merge", "event")
    );
    assert_eq!(end.deleted, []);
    assert_eq!(
        World::new("companion")
            .space()
            .session("s")
            .end()
            .unwrap()
            .jobs,
        []
    );
}

#[test]
fn what_came_to_its_end_counts_in_questions_as_of_then_only() {
    let mut world = World::new("studio");
    let fact = |text: &str, built: fn(annals::NewMemoryBuilder) -> annals::NewMemoryBuilder| {
        let id = world.remember(
            built(NewMemory::builder(text).kind("fact"))
                .build()
                .unwrap(),
        );
        world
            .space()
            .graph()
            .add_triples(id, &[Assertion::new("我", "有", text)])
            .unwrap();
        id
    };
    let pass = fact("月票", |built| built.expires_at(day(3.0)));
    fact("驾照", |built| built.valid_until(day(5.0)));
    fact("房子", |built| built);
    let late = fact("旧票", |built| built.expires_at(day(-1.0)));
    let said = |world: &World, view: View| -> Vec<String> {
        let page = world
            .space()
            .graph()
            .triples(&TripleQuery::default().view(view))
            .unwrap();
        let mut objects: Vec<String> = page
            .triples
            .into_iter()
            .map(|triple| triple.object)
            .collect();
        objects.sort();
        objects
    };
    assert_eq!(
        said(&world, View::NOW),
        ["房子", "月票", "驾照"],
        "what is over when it is told says nothing aloud"
    );
    world.at(3.0);
    world.reopen();
    let reports = world.maintain();
    let ended = reports.iter().find(|report| report.job == "ends").unwrap();
    assert_eq!(ended.steps[0].counts, [("ended".to_owned(), 1)].into());
    assert_eq!(said(&world, View::NOW), ["房子", "驾照"]);
    assert_eq!(
        said(&world, View::as_of(day(2.9))),
        ["房子", "月票", "驾照"]
    );
    world.space().forget(pass).unwrap();
    world.space().restore(pass).unwrap();
    assert_eq!(
        said(&world, View::NOW),
        ["房子", "驾照"],
        "restored is not valid again"
    );
    world.at(9.0);
    world.maintain();
    assert_eq!(said(&world, View::NOW), ["房子"]);
    assert_eq!(
        said(&world, View::as_of(day(4.0))),
        ["房子", "驾照"],
        "it ended when it ended, not when a job ran"
    );
    world.space().update(late, "新票").unwrap();
    assert_eq!(
        said(&world, View::NOW).len(),
        2,
        "a new text has its own end"
    );
    world.validate();
}
