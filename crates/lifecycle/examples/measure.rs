//! Prints what lives cost: random histories beside the designs played day by day, and a job over a
//! million memories in a file.
//!
//! `cargo run --release -p annals-lifecycle --example measure [MEMORIES] [HISTORIES]`
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    unreachable_pub,
    dead_code,
    reason = "a program that prints figures, and shares code with tests"
)]

#[path = "../tests/it/oracle/mod.rs"]
mod oracle;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_lifecycle::{
    LifecycleError, Passes, Policy, Regime, State, Worth, confirm, open_lane, plan, register,
    reinforce,
};
use annals_storage::Store;
use annals_types::profile::{Profile, RuleAction, RuleSettings, Signal};
use annals_types::{Label, NamespaceId, Row, Timestamp};

type Failure = Box<dyn std::error::Error>;

const NAMESPACES: u32 = 1000;
const NAMES: [&str; 5] = ["companion", "studio", "agent", "graph", "markdown"];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let memories: u32 = arguments
        .next()
        .map_or(Ok(1_000_000), |text| text.parse())?;
    let histories: u64 = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    for name in NAMES {
        let profile: Profile = toml::from_str(&std::fs::read_to_string(path_of(name))?)?;
        let start = Instant::now();
        let compared: usize = (0..histories)
            .map(|seed| oracle::compare(name, &profile, seed))
            .sum();
        println!(
            "{name}: {histories} histories, {compared} moments, equal within 1e-9 ({:.1} s)",
            start.elapsed().as_secs_f64()
        );
    }
    let folder = tempfile::tempdir()?;
    million(&folder.path().join("measure.annals"), memories / NAMESPACES)
}

fn path_of(name: &str) -> String {
    format!(
        "{}/../engine/profiles/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    )
}

fn report(what: &str, time: Duration) {
    println!("{what:<60}{:>12.3} ms", time.as_secs_f64() * 1e3);
}

fn day(days: f64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + (days * 86_400_000.0) as i64)
}

/// The studio's settings, with a rule that deletes besides the one that forgets.
fn policy() -> Result<Policy, Failure> {
    let mut profile: Profile = toml::from_str(&std::fs::read_to_string(path_of("studio"))?)?;
    profile.rules.retain(|rule| rule.name == "forget");
    profile.rules[0].classes = vec!["working".to_owned()];
    profile.rules.push(RuleSettings {
        name: "delete".to_owned(),
        value: 0.1,
        classes: vec!["temporary".to_owned()],
        action: RuleAction::Delete,
        ..RuleSettings::default()
    });
    Ok(Policy::new(&profile)?)
}

fn million(path: &Path, each: u32) -> Result<(), Failure> {
    let (policy, passes) = (policy()?, Passes::default());
    let store = Store::open(path)?;
    let name = Label::new("lane", "studio")?;
    let (lane, _) = store.write(|txn| open_lane(txn, &name))?;
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane,
    };
    let start = Instant::now();
    for first in (0..NAMESPACES).step_by(10) {
        store.write(|txn| -> Result<(), LifecycleError> {
            for ns in first..first + 10 {
                drop(register(
                    txn,
                    NamespaceId(ns),
                    &regime,
                    day(0.0),
                    births(each),
                )?);
            }
            Ok(())
        })?;
    }
    let rows = NAMESPACES * each;
    println!("{rows} memories in {NAMESPACES} namespaces");
    report("register, per memory", start.elapsed() / rows);
    println!(
        "{:<60}{:>12.1} bytes",
        "file, per memory",
        path.metadata()?.len() as f64 / f64::from(rows)
    );
    job(&store, &regime)?;
    column(&store, &regime, &policy)?;
    drop(store);
    Ok(())
}

/// Memories that last for 200 days, and three each that are to be deleted and forgotten, a day
/// apart.
fn births(each: u32) -> Vec<(Row, State)> {
    let state = |row: u32| match row {
        0..3 => State::new(
            "temporary",
            0.4 * (0.198_042 * f64::from(row)).exp(),
            day(0.0),
        ),
        3..6 => State::new(
            "working",
            0.1 * (0.01 * f64::from(row + 17)).exp(),
            day(0.0),
        ),
        _ => State::new("working", 0.8, day(0.0)),
    };
    (0..each).map(|row| (Row(row), state(row))).collect()
}

fn job(store: &Store, regime: &Regime<'_>) -> Result<(), Failure> {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..101 {
        let start = Instant::now();
        let plan = plan(&store.snapshot()?, regime, day(6.5), 10_000)?;
        times.push(start.elapsed());
        assert_eq!(plan.items.len(), 0, "nothing is due");
    }
    times.sort_unstable();
    report("job, none due, median of 101", times[50]);
    for (what, days) in [
        ("1,000 deletions", [7.2, 8.2, 9.2]),
        ("1,000 changes of status", [20.5, 21.5, 22.5]),
    ] {
        let (mut planned, mut done) = (Vec::new(), Vec::new());
        for at in days {
            let start = Instant::now();
            let ((items, planning), _) = store.write(|txn| -> Result<_, LifecycleError> {
                let start = Instant::now();
                let plan = plan(&*txn, regime, day(at), 10_000)?;
                let planning = start.elapsed();
                drop(confirm(txn, regime, &plan)?);
                Ok((plan.acting().count(), planning))
            })?;
            done.push(start.elapsed());
            planned.push(planning);
            assert_eq!(items, 1000, "one of each namespace");
        }
        planned.sort_unstable();
        done.sort_unstable();
        report(&format!("job, {what}, planning, median of 3"), planned[1]);
        report(
            &format!("job, {what}, planned, confirmed, durable, median of 3"),
            done[1],
        );
    }
    Ok(())
}

fn column(store: &Store, regime: &Regime<'_>, policy: &Policy) -> Result<(), Failure> {
    let (policy, passes) = (Arc::new(policy.clone()), Arc::new(regime.passes.clone()));
    let start = Instant::now();
    let snapshot = store.snapshot()?;
    let load = |ns| {
        Worth::load(
            &snapshot,
            NamespaceId(ns),
            Arc::clone(&policy),
            Arc::clone(&passes),
        )
    };
    let all: Vec<Worth> = (0..NAMESPACES).map(load).collect::<Result<_, _>>()?;
    let rows: usize = all.iter().map(|worth| worth.rows().count()).sum();
    report(
        "load all columns, per 1,000 memories",
        start.elapsed() / (rows as u32 / 1000).max(1),
    );
    let bytes: usize = all.iter().map(Worth::memory_bytes).sum();
    println!(
        "{:<60}{:>12.1} bytes",
        "column, per memory",
        bytes as f64 / rows as f64
    );
    let (start, mut sum) = (Instant::now(), 0.0);
    for worth in &all {
        sum += worth
            .rows()
            .filter_map(|row| worth.retention(row, day(50.0)))
            .sum::<f64>();
    }
    report(
        "retention of all, per 1,000 memories",
        start.elapsed() / (rows as u32 / 1000).max(1),
    );
    assert!(sum > 0.0, "memories are worth something");
    let mut times: Vec<Duration> = Vec::new();
    for at in 0..100 {
        let uses: Vec<(Row, Option<u32>)> = (10..20).map(|row| (Row(row), None)).collect();
        let start = Instant::now();
        let now = day(30.0 + f64::from(at) * 0.01);
        drop(store.write(|txn| {
            reinforce(
                txn,
                NamespaceId(at * 7),
                regime,
                now,
                Signal::Injected,
                &uses,
            )
        })?);
        times.push(start.elapsed());
    }
    times.sort_unstable();
    report("reinforce 10 memories, durable, median of 100", times[50]);
    Ok(())
}
