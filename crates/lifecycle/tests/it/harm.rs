//! States after a crash, damage of each kind, and other profiles for the same memories.

use crate::world;

use std::ops::ControlFlow;

use annals_lifecycle::job::{StepReport, begin, finish, records, schedule_jobs, step_done};
use annals_lifecycle::review::reviews;
use annals_lifecycle::task::enqueue;
use annals_lifecycle::{
    Lane, LifecycleError, Passes, Policy, Regime, State, adopt, confirm, make_pass, passes, plan,
    register, states, validate, walk_states,
};
use annals_storage::{KeyRange, Keyspace, Reads, StorageError, Store};
use annals_types::profile::{JobStep, Profile};
use annals_types::{NamespaceId, Row, Timestamp};
use world::town::Town;
use world::{day, near, policy, profile};

const STATES: Keyspace = Keyspace::new("lifecycle.states");
const DUE: Keyspace = Keyspace::new("lifecycle.due");
const READY: Keyspace = Keyspace::new("lifecycle.ready");
const TASK_KEYS: Keyspace = Keyspace::new("lifecycle.task_keys");

const NS: NamespaceId = NamespaceId(7);
const LANE: Lane = Lane(1);

/// Twenty memories, some of which go, some of which are to be reviewed.
fn village() -> Store {
    let (store, policy) = (Store::in_memory(), policy("companion"));
    let none = Passes::default();
    let regime = Regime {
        policy: &policy,
        passes: &none,
        lane: LANE,
    };
    let state = |row: u32| match row % 3 {
        0 => State::new("episode", 1.0, day(0.0)),
        1 => State::new("fact", 0.23, day(0.0)),
        _ => State::new("fact", 2.9, day(0.0)),
    };
    let births = (0..20)
        .map(|row| (Row(row), state(row)))
        .collect::<Vec<_>>();
    drop(
        store
            .write(|txn| register(txn, NS, &regime, day(0.0), births.clone()))
            .unwrap(),
    );
    store
        .write(|txn| schedule_jobs(txn, LANE, &profile("companion").jobs, day(0.0)))
        .unwrap();
    store
}

/// Runs the job as a facade does, each step in transactions of its own, and dies after so many of
/// them.
fn run(store: &Store, now: Timestamp, mut lives: usize) -> Option<()> {
    let (policy, name) = (policy("companion"), "decay");
    let mut alive = || {
        lives = lives.checked_sub(1)?;
        Some(())
    };
    alive()?;
    let run = store.write(|txn| begin(txn, LANE, name, now)).unwrap().0;
    let done = |step| StepReport {
        step,
        counts: Default::default(),
        error: String::new(),
    };
    if !run.is_done(JobStep::Decay) {
        alive()?;
        let pass = |txn: &mut annals_storage::Transaction<'_>| -> Result<(), LifecycleError> {
            make_pass(txn, LANE, &policy, run.at)?;
            step_done(txn, LANE, name, done(JobStep::Decay))
        };
        store.write(pass).unwrap();
    }
    while !run.is_done(JobStep::Rules) {
        alive()?;
        let some = |txn: &mut annals_storage::Transaction<'_>| -> Result<bool, LifecycleError> {
            let passes = passes(&*txn, LANE)?;
            let regime = Regime {
                policy: &policy,
                passes: &passes,
                lane: LANE,
            };
            let plan = plan(&*txn, &regime, run.at, 4)?;
            drop(confirm(txn, &regime, &plan)?);
            if !plan.more {
                step_done(txn, LANE, name, done(JobStep::Rules))?;
            }
            Ok(plan.more)
        };
        if !store.write(some).unwrap().0 {
            break;
        }
    }
    alive()?;
    store.write(|txn| finish(txn, LANE, name, run.at)).unwrap();
    Some(())
}

/// Everything that the job leaves.
fn outcome(store: &Store) -> (Vec<(Row, State)>, Vec<Row>, Option<Timestamp>) {
    let snapshot = store.snapshot().unwrap();
    let mut rows = Vec::new();
    let all = &mut |row, state| {
        rows.push((row, state));
        Ok(ControlFlow::Continue(()))
    };
    walk_states(&snapshot, NS, Row(0), all).unwrap();
    let asked = reviews(&snapshot, NS, LANE, None, 100)
        .unwrap()
        .into_iter()
        .map(|review| review.row)
        .collect();
    let last = records(&snapshot, LANE).unwrap()["decay"]
        .last
        .as_ref()
        .map(|run| run.at);
    (rows, asked, last)
}

#[test]
fn a_job_killed_anywhere_and_run_again_comes_to_the_same() {
    // part: X-10
    let whole = village();
    assert_eq!(run(&whole, day(8.0), 100), Some(()));
    let expected = outcome(&whole);
    assert_eq!(
        (expected.0.len(), expected.1.len(), expected.2),
        (13, 7, Some(day(8.0)))
    );
    let mut cuts = 0;
    for lives in 0.. {
        let store = village();
        if run(&store, day(8.0), lives).is_some() {
            break;
        }
        cuts += 1;
        // It is gone on with an hour later, at the moment at which it began.
        let resumed = records(&store.snapshot().unwrap(), LANE).unwrap()["decay"]
            .running
            .is_some();
        let later = if resumed {
            day(8.0 + 1.0 / 24.0)
        } else {
            day(8.0)
        };
        assert_eq!(run(&store, later, 100), Some(()), "cut after {lives}");
        assert_eq!(outcome(&store), expected, "cut after {lives}");
        let (policy, passes) = (
            policy("companion"),
            passes(&store.snapshot().unwrap(), LANE).unwrap(),
        );
        let regime = Regime {
            policy: &policy,
            passes: &passes,
            lane: LANE,
        };
        let report = validate(&store.snapshot().unwrap(), NS, &regime, None, day(8.0)).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
    }
    assert!(cuts > 5, "{cuts}");
}

#[test]
fn a_plan_that_does_not_fit_any_more_is_refused_whole() {
    let mut town = Town::new(&profile("companion"));
    let rows = [0.23, 0.23].map(|score| town.fact("fact", score, day(0.0)));
    town.pass(day(6.0));
    let (policy, passes) = (town.policy.clone(), town.passes.clone());
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane: town.lane,
    };
    let old = plan(&town.store.snapshot().unwrap(), &regime, day(6.0), 10).unwrap();
    assert_eq!(old.acting().count(), 2);
    town.used(rows[1], None, day(6.0));
    let before = rows.map(|row| town.state(row));
    let refused = town.store.write(|txn| confirm(txn, &regime, &old));
    assert!(matches!(refused, Err(LifecycleError::Stale { row, .. }) if row == rows[1]));
    assert_eq!(rows.map(|row| town.state(row)), before);
}

fn keys(store: &Store, keyspace: Keyspace) -> Vec<Vec<u8>> {
    let mut keys = Vec::new();
    let all = &mut |_: usize, key: &[u8], _: u8, _: &[u8]| {
        keys.push(key.to_vec());
        Ok(ControlFlow::Continue(()))
    };
    store
        .snapshot()
        .unwrap()
        .scan(&[KeyRange::prefix(keyspace, b"")], all)
        .unwrap();
    keys
}

#[test]
fn damage_is_found() {
    let found = |spoil: &dyn Fn(&Store, &mut annals_storage::Transaction<'_>)| {
        let store = village();
        store
            .write(|txn| enqueue(txn, NS, LANE, b"key", b"", day(0.0), day(1.0)))
            .unwrap();
        store
            .write(|txn| -> Result<(), LifecycleError> {
                spoil(&store, txn);
                Ok(())
            })
            .unwrap();
        let (policy, none) = (policy("companion"), Passes::default());
        let regime = Regime {
            policy: &policy,
            passes: &none,
            lane: LANE,
        };
        let report = validate(&store.snapshot().unwrap(), NS, &regime, None, day(0.0)).unwrap();
        report
            .differences
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("; ")
    };
    assert_eq!(found(&|_, _| {}), "");
    let lost = found(&|store, txn| assert!(txn.delete(DUE, &keys(store, DUE)[0]).unwrap()));
    assert!(
        lost.contains("its place in the due index is empty"),
        "{lost}"
    );
    let gone = found(&|store, txn| assert!(txn.delete(STATES, &keys(store, STATES)[0]).unwrap()));
    assert!(
        gone.contains("lifecycle.due: row 0: it has a place that its state does not know"),
        "{gone}"
    );
    let broken = found(&|store, txn| {
        txn.put(STATES, &keys(store, STATES)[0], 1, &[0xFF; 9])
            .unwrap()
    });
    assert!(broken.contains("lifecycle.states: a value: "), "{broken}");
    let keyless =
        found(&|store, txn| assert!(txn.delete(TASK_KEYS, &keys(store, TASK_KEYS)[0]).unwrap()));
    assert!(
        keyless.contains("task 1: its key does not lead to it"),
        "{keyless}"
    );
    let idle = found(&|store, txn| assert!(txn.delete(READY, &keys(store, READY)[0]).unwrap()));
    assert!(
        idle.contains("lifecycle.ready: task 1: its place is empty"),
        "{idle}"
    );
}

#[test]
fn a_value_of_a_newer_version_is_named_as_such() {
    let store = village();
    let first = keys(&store, STATES)[0].clone();
    store.write(|txn| txn.put(STATES, &first, 9, b"")).unwrap();
    let error = states(&store.snapshot().unwrap(), NS, &[Row(0)]).unwrap_err();
    assert!(matches!(
        error,
        LifecycleError::Storage(StorageError::TooNew {
            found: 9,
            supported: 1,
            ..
        })
    ));
    assert!(!error.is_corruption());
    assert!(
        size_of::<LifecycleError>() <= 128,
        "{}",
        size_of::<LifecycleError>()
    );
}

#[test]
fn memories_go_on_under_another_profile() {
    let mut town = Town::new(&profile("companion"));
    let rows: Vec<Row> = (0..7).map(|_| town.fact("fact", 1.0, day(0.0))).collect();
    town.job(day(6.0));
    town.job(day(7.0));
    let markdown = policy("markdown");
    let (old, passes, none) = (town.policy.clone(), town.passes.clone(), Passes::default());
    let regimes = (
        &Regime {
            policy: &old,
            passes: &passes,
            lane: town.lane,
        },
        &Regime {
            policy: &markdown,
            passes: &none,
            lane: Lane(9),
        },
    );
    let mut from = Some(Row(0));
    while let Some(start) = from {
        let class = &mut |_: Row, state: &State| state.class.clone();
        let adopted = town
            .store
            .write(|txn| adopt(txn, NS, regimes.0, regimes.1, day(7.5), (start, 3), class));
        from = adopted.unwrap().0.outcome;
    }
    let snapshot = town.store.snapshot().unwrap();
    let report = validate(&snapshot, NS, regimes.1, None, day(7.5)).unwrap();
    assert!(
        report.is_clean() && report.rows == 7,
        "{:#?}",
        report.differences
    );
    let state = states(&snapshot, NS, &rows[..1]).unwrap()[0]
        .clone()
        .unwrap();
    near(state.value, 0.85 * 0.85);
    near(
        markdown.score(&state.anchor(&markdown), &none, day(9.0)),
        0.7225 * 0.99_f64.powi(2),
    );
}

#[test]
fn a_clock_that_was_years_ahead_stops_nothing() {
    let mut town = Town::new(&profile("companion"));
    let (before, changed) = (
        town.fact("fact", 1.0, day(0.0)),
        town.fact("fact", 1.0, day(0.0)),
    );
    town.job(day(6.0));
    near(town.score(before, day(6.0)), 0.85);
    let years = day(3650.0);
    town.job(years);
    town.used(changed, None, years);
    near(town.score(changed, years), 0.7225 + 0.3);
    // Back again: the pass of that year is forgotten, the one of today takes place.
    town.job(day(7.0));
    near(town.score(before, day(7.0)), 0.7225);
    town.job(day(8.0));
    near(town.score(before, day(8.0)), 0.614125);
    near(town.score(changed, day(8.0)), 1.0225);
    near(town.used(changed, None, day(8.1)).after, 1.3225);
    town.check(day(8.1));
}
