//! Round trips to an engine that is far away.

use crate::world;

use annals_lifecycle::{Lane, Passes, Regime, State, Worth, plan, register, reinforce, states};
use annals_storage::conformance::{Remote, RoundTrips};
use annals_storage::{MemoryEngine, Store};
use annals_types::profile::Signal;
use annals_types::{NamespaceId, Row};
use world::{day, policy};

const NS: NamespaceId = NamespaceId(7);

fn far() -> (Store, RoundTrips) {
    let remote = Remote::new(Box::new(MemoryEngine::new()), 0);
    let trips = remote.round_trips();
    (Store::with_engine(Box::new(remote)).unwrap(), trips)
}

#[test]
fn writes_and_plans_take_few_rounds_however_many_memories_they_touch() {
    let (store, trips) = far();
    let (policy, none) = (policy("companion"), Passes::default());
    let regime = Regime {
        policy: &policy,
        passes: &none,
        lane: Lane(1),
    };
    let births = |count: u32| {
        (0..count)
            .map(|row| (Row(row), State::new("fact", 1.0, day(0.0))))
            .collect::<Vec<_>>()
    };
    let rounds = |count: u32| {
        let (done, rounds) =
            trips.during(|| store.write(|txn| register(txn, NS, &regime, day(0.0), births(count))));
        drop(done.unwrap());
        rounds
    };
    assert_eq!(rounds(1), rounds(500));
    let uses: Vec<(Row, Option<u32>)> = (0..500).map(|row| (Row(row), None)).collect();
    let use_some = |count: usize| {
        let some = &uses[..count];
        let job = |txn: &mut annals_storage::Transaction<'_>| {
            reinforce(txn, NS, &regime, day(count as f64), Signal::Used, some)
        };
        let (done, rounds) = trips.during(|| store.write(job));
        assert!(
            done.unwrap()
                .0
                .outcome
                .iter()
                .all(|one| one.after > one.before)
        );
        rounds
    };
    assert_eq!(use_some(1), use_some(500));
    assert!(use_some(2) <= 4);
    let snapshot = store.snapshot().unwrap();
    let (planned, rounds) = trips.during(|| plan(&snapshot, &regime, day(900.0), 1000).unwrap());
    assert_eq!((planned.items.len(), rounds), (500, 2));
    let (found, rounds) =
        trips.during(|| states(&snapshot, NS, &[Row(1), Row(2), Row(900)]).unwrap());
    assert_eq!((found.iter().flatten().count(), rounds), (2, 1));
    let load = || Worth::load(&snapshot, NS, policy.clone().into(), none.clone().into()).unwrap();
    let (worth, rounds) = trips.during(load);
    assert_eq!((worth.rows().count(), rounds), (500, 1));
}
