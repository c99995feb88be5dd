//! Retention, rules and the due index of the lifecycle layer alone, over the in-memory engine.

use std::hint::black_box;
use std::sync::Arc;

use annals_lifecycle::{
    Anchor, Lane, Passes, Policy, Regime, State, Worth, confirm, plan, register, reinforce,
};
use annals_storage::Store;
use annals_types::profile::{
    ClassDecay, DecayPersist, DecayUnit, Profile, RuleAction, RuleSettings, Signal,
};
use annals_types::{NamespaceId, Row, Timestamp};
use criterion::{Criterion, criterion_group, criterion_main};

const ROWS: u32 = 100_000;
const NS: NamespaceId = NamespaceId(1);

fn day(day: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + day * 86_400_000)
}

fn profile() -> Profile {
    let mut profile = Profile::default();
    let rate = ClassDecay {
        factor: Some(0.99),
        ..ClassDecay::default()
    };
    profile.decay.classes.insert("fact".to_owned(), rate);
    profile.decay.access_bonus = 1.0;
    let rule = RuleSettings {
        name: "fade".to_owned(),
        value: 0.1,
        action: RuleAction::Forget,
        ..RuleSettings::default()
    };
    profile.rules.push(rule);
    profile
}

fn functions(c: &mut Criterion) {
    let mut group = c.benchmark_group("lifecycle");
    let policy = Policy::new(&profile()).expect("a policy");
    let anchor = Anchor {
        accesses: 3,
        ..Anchor::new(0.8, policy.class_id("fact"), day(0))
    };
    let none = Passes::default();
    group.bench_function("retention by days", |b| {
        b.iter(|| policy.retention(&anchor, &none, black_box(day(37))))
    });
    group.bench_function("when it crosses a threshold", |b| {
        b.iter(|| policy.retention_below(black_box(&anchor), &none, 0.1, day(1)));
    });
    let mut passing = profile();
    (passing.decay.unit, passing.decay.persist) = (DecayUnit::Pass, DecayPersist::InPlace);
    let passing = Policy::new(&passing).expect("a policy");
    let mut passes = Passes::default();
    for at in 0..1000 {
        // No two distances are equal: the longest ledger that so many passes can have.
        passes.record(day(at).plus_millis(at * at));
    }
    group.bench_function("retention by 1,000 passes", |b| {
        b.iter(|| passing.retention(&anchor, &passes, black_box(day(900))))
    });
    group.finish();
}

fn stored(c: &mut Criterion) {
    let mut group = c.benchmark_group("lifecycle");
    let (policy, passes) = (
        Arc::new(Policy::new(&profile()).expect("a policy")),
        Arc::new(Passes::default()),
    );
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane: Lane(1),
    };
    let store = Store::in_memory();
    for first in (0..ROWS).step_by(10_000) {
        let births = |row| (Row(row), State::new("fact", 0.8, day(0)));
        let rows = first..first + 10_000;
        let write = store
            .write(|txn| register(txn, NS, &regime, day(0), rows.clone().map(births).collect()));
        drop(write.expect("registered"));
    }
    let snapshot = store.snapshot().expect("a snapshot");
    let load =
        || Worth::load(&snapshot, NS, Arc::clone(&policy), Arc::clone(&passes)).expect("loaded");
    let worth = load();
    group.bench_function("load 100,000 memories", |b| b.iter(load));
    group.bench_function("retention of 1,000 memories", |b| {
        b.iter(|| {
            (0..1000)
                .filter_map(|row| worth.retention(Row(row * 97), black_box(day(20))))
                .sum::<f64>()
        });
    });
    group.bench_function("job, none due", |b| {
        b.iter(|| plan(&snapshot, &regime, day(100), 1000).expect("planned"))
    });
    group.bench_function("job, plan 1,000 of 100,000 due", |b| {
        b.iter(|| plan(&snapshot, &regime, day(300), 1000).expect("planned"));
    });
    group.bench_function("reinforce 10 memories", |b| {
        let uses: Vec<(Row, Option<u32>)> = (0..10).map(|row| (Row(row), None)).collect();
        b.iter(|| {
            store
                .write(|txn| reinforce(txn, NS, &regime, day(1), Signal::Used, &uses))
                .expect("counted")
        });
    });
    let all = plan(&snapshot, &regime, day(100), 1000).expect("planned");
    group.bench_function("confirm a plan of nothing", |b| {
        b.iter(|| {
            store
                .write(|txn| confirm(txn, &regime, &all))
                .expect("confirmed")
        });
    });
    group.finish();
}

criterion_group!(benches, functions, stored);
criterion_main!(benches);
