//! Deletions that nobody waits for.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::{Filter, Kind, ListQuery, ManualClock, Mode, NewMemory, Options, QueueState, Status};

use crate::support::few::Few;
use crate::support::life::day;
use crate::support::reads::Counted;

fn open(store: &Counted) -> (Memory, Namespace) {
    let options = Options::new()
        .clock(Arc::new(ManualClock::new(day(0.0))))
        .embedder(Arc::new(Few));
    let memory = options.open_on(Box::new(store.clone())).unwrap();
    let space = memory.namespace("u").unwrap();
    (memory, space)
}

fn fill(space: &Namespace, count: usize) {
    let memory = |n| {
        NewMemory::builder(format!("memory {n}"))
            .kind(["fact", "event"][n % 2])
            .build()
            .unwrap()
    };
    for first in (0..count).step_by(1000) {
        space
            .bulk()
            .remember((first..count.min(first + 1000)).map(memory).collect())
            .unwrap();
    }
}

fn left(space: &Namespace) -> u64 {
    space.admin().stats().unwrap().memories
}

#[test]
fn clearing_ten_thousand_returns_before_anything_went() {
    // part: S-126
    let store = Counted::default();
    let (memory, space) = open(&store);
    memory
        .create_namespace("v", "studio")
        .unwrap()
        .remember("stays")
        .unwrap();
    fill(&space, 10_000);
    memory.wait_idle().unwrap();
    store.one_more();
    let number = space.queue().delete(&Filter::default()).unwrap();
    assert_eq!(
        left(&space),
        10_000,
        "no write after the order has come through"
    );
    store.gate.reached();
    let queue = space.queue().list(10).unwrap();
    assert_eq!(
        (queue[0].number, queue[0].kind.as_str(), queue[0].state),
        (number, "delete", QueueState::Running)
    );
    assert_eq!(
        space.recall("memory 77").unwrap().len(),
        10,
        "it is read meanwhile"
    );
    store.gate.open();
    memory.wait_idle().unwrap();
    assert_eq!((left(&space), space.queue().list(10).unwrap()), (0, vec![]));
    assert_eq!(left(&memory.namespace("v").unwrap()), 1);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn what_a_filter_names_goes_and_what_comes_later_stays() {
    let store = Counted::default();
    let (memory, space) = open(&store);
    fill(&space, 1200);
    let facts = Filter {
        kinds: vec![Kind::new("fact").unwrap()],
        ..Filter::default()
    };
    let query = ListQuery {
        filter: facts.clone(),
        limit: 1,
        ..ListQuery::default()
    };
    let hidden = space.list(&query).unwrap().memories[0].id;
    space.forget(hidden).unwrap();
    memory.wait_idle().unwrap();
    store.one_more();
    space.queue().delete(&facts).unwrap();
    store.gate.open();
    let later = space
        .remember(NewMemory::builder("later").kind("fact").build().unwrap())
        .unwrap();
    memory.wait_idle().unwrap();
    assert_eq!(
        (left(&space), space.get(hidden).unwrap()),
        (601, None),
        "forgotten ones go, too"
    );
    assert_eq!(space.get(later).unwrap().unwrap().status, Status::Active);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn an_order_survives_the_end_of_its_process() {
    let store = Counted::default();
    let (memory, space) = open(&store);
    fill(&space, 1200);
    memory.wait_idle().unwrap();
    store.one_more();
    space.queue().delete(&Filter::default()).unwrap();
    // The durable state when the process was killed: the order, and none of its batches.
    store.kill();
    drop((memory, space));
    let (memory, space) = open(&store.revived());
    memory.wait_idle().unwrap();
    assert_eq!((left(&space), space.queue().list(10).unwrap()), (0, vec![]));
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    assert!(
        memory
            .namespace("nobody")
            .unwrap()
            .queue()
            .delete(&Filter::default())
            .unwrap_err()
            .is_not_found()
    );
    space.remember("something").unwrap();
    let nothing = Filter {
        kinds: vec![Kind::new("event").unwrap()],
        ..Filter::default()
    };
    space.queue().delete(&nothing).unwrap();
    memory.wait_idle().unwrap();
    assert_eq!((left(&space), space.queue().list(10).unwrap()), (1, vec![]));
}

#[test]
fn who_deletes_everything_leaves_nothing() {
    for background in [false, true] {
        let clock = ManualClock::new(day(0.0));
        let memory = Options::new()
            .clock(Arc::new(clock.clone()))
            .embedder(Arc::new(Few))
            .in_memory()
            .unwrap();
        let space = memory.namespace("u").unwrap();
        let expiring = NewMemory::builder("expired secret")
            .expires_at(day(1.0))
            .build()
            .unwrap();
        space.remember(expiring).unwrap();
        let staged = NewMemory::builder("staged")
            .build()
            .unwrap()
            .with_status(Status::Staged);
        space.remember(staged).unwrap();
        let forgotten = space.remember("forgotten").unwrap();
        space.forget(forgotten).unwrap();
        let paris = space.remember("lives in Paris").unwrap();
        space
            .lifecycle()
            .supersede(paris, "lives in Berlin")
            .unwrap();
        let rome = space.remember("was in Rome").unwrap();
        space.update(rome, "was in Athens").unwrap();
        clock.set(day(2.0));
        match background {
            false => assert_eq!(
                space
                    .bulk()
                    .delete_where(&Filter::default(), Mode::Commit)
                    .unwrap()
                    .memories
                    .len(),
                6
            ),
            true => {
                space.queue().delete(&Filter::default()).unwrap();
                memory.wait_idle().unwrap();
            }
        }
        let stats = space.admin().stats().unwrap();
        assert_eq!(
            (stats.memories, stats.replaced, stats.text_bytes),
            (0, 0, 0)
        );
        assert_eq!(space.queue().list(10).unwrap(), vec![]);
        assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    }
}

#[test]
fn a_filter_asks_what_a_memory_is_and_not_what_it_was() {
    let memory = Options::new().embedder(Arc::new(Few)).in_memory().unwrap();
    let space = memory.namespace("u").unwrap();
    let of = |kind: &str, text: &str| NewMemory::builder(text).kind(kind).build().unwrap();
    let id = space.remember(of("event", "the trip")).unwrap();
    space.update(id, of("fact", "the trip was long")).unwrap();
    let events = Filter {
        kinds: vec![Kind::new("event").unwrap()],
        ..Filter::default()
    };
    assert_eq!(
        space
            .bulk()
            .delete_where(&events, Mode::Commit)
            .unwrap()
            .memories
            .len(),
        0
    );
    assert_eq!(left(&space), 1);
}

#[test]
fn a_deletion_that_fails_is_told_and_tried_again() {
    let store = Counted::default();
    let (memory, space) = open(&store);
    fill(&space, 20);
    memory.wait_idle().unwrap();
    store.one_more();
    space.queue().delete(&Filter::default()).unwrap();
    store.gate.reached();
    store.refuses(true);
    store.gate.open();
    memory.wait_idle().unwrap();
    let reports = memory.maintain(false, Mode::Commit).unwrap();
    let failed: Vec<_> = reports
        .iter()
        .filter(|report| !report.succeeded())
        .collect();
    assert_eq!(
        (failed.len(), failed[0].job.as_str()),
        (1, "queue"),
        "{reports:?}"
    );
    assert_eq!(left(&space), 20);
    store.refuses(false);
    let reports = memory.maintain(false, Mode::Commit).unwrap();
    assert!(
        reports.iter().all(annals::JobReport::succeeded),
        "{reports:?}"
    );
    assert_eq!((left(&space), space.queue().list(10).unwrap()), (0, vec![]));
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn what_was_stored_under_a_clock_that_was_ahead_goes_with_the_rest() {
    let clock = ManualClock::new(day(10.0));
    let options = Options::new()
        .clock(Arc::new(clock.clone()))
        .embedder(Arc::new(Few));
    let memory = options.in_memory().unwrap();
    let space = memory.namespace("u").unwrap();
    space.remember("from a clock that was ahead").unwrap();
    clock.set(day(0.0));
    space.remember("from a clock that is right").unwrap();
    space.queue().delete(&Filter::default()).unwrap();
    memory.wait_idle().unwrap();
    assert_eq!((left(&space), space.queue().list(10).unwrap()), (0, vec![]));
}
