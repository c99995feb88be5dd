//! A workload over all layers on a disk of which the n-th write, sync or read fails, or tears: what
//! was acknowledged is there afterwards, in every layer, and nothing else but the call under way.
//!
//! Every so many operations here; `cargo xtask faults` tries each (`ANNALS_FAULT_EVERY=1`).

use std::sync::Arc;

use crate::support::life::day;
use crate::support::script::{Script, Table};
use annals::Options;
use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, EntityId};
use annals::{
    Causality, Error, ImportFormat, ImportOptions, ListQuery, ManualClock, MemoryId, Mode,
    NewMemory, NewTurn,
};
use annals_storage::conformance::{Survivors, Tape};
use annals_storage::{Options as StorageOptions, RedbEngine};

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// It and all later ones: the power is gone.
    Cut,
    /// The same, and half of a write arrives.
    Tear,
    /// It alone.
    Once,
}

fn open(tape: &Tape, clock: &ManualClock) -> Result<Memory, Error> {
    open_with(tape, clock, 1 << 20)
}

/// With so many bytes of pages in memory: without any, whatever is read is read from the disk.
fn open_with(tape: &Tape, clock: &ManualClock, cache_bytes: usize) -> Result<Memory, Error> {
    let engine = RedbEngine::on_tape(tape, &StorageOptions::default().cache_bytes(cache_bytes))
        .map_err(Error::from)?;
    let (table, judge) = (Table::new(), Script::causes([Causality::FirstCauses; 100]));
    let options = Options::new()
        .clock(Arc::new(clock.clone()))
        .id_seed(1)
        .embedder(table)
        .judge(judge);
    options.scheduler(false).open_on(Box::new(engine))
}

type Step = fn(&Memory) -> Result<(), Error>;

fn space(memory: &Memory) -> Result<Namespace, Error> {
    memory.namespace("u")
}

fn ids(memory: &Memory) -> Result<Vec<MemoryId>, Error> {
    let query = ListQuery {
        newest_first: false,
        limit: 100,
        ..ListQuery::default()
    };
    Ok(space(memory)?
        .list(&query)?
        .memories
        .iter()
        .map(|memory| memory.id)
        .collect())
}

fn turns(first: usize) -> String {
    let line = |n| format!("{{\"id\":\"t{n}\",\"session\":\"s\",\"text\":\"turn {n}\"}}\n");
    (first..first + 20).map(line).collect()
}

fn import(memory: &Memory, first: usize) -> Result<(), Error> {
    let options = ImportOptions {
        format: ImportFormat::Turns,
        ..ImportOptions::default()
    };
    memory
        .namespace("talk")?
        .transfer()
        .import(&mut turns(first).as_bytes(), &options, &mut |_| {})
        .map(drop)
}

/// Each is one write over several layers.
const STEPS: &[(&str, Step)] = &[
    ("make a namespace", |memory| {
        memory.create_namespace("u", "companion").map(drop)
    }),
    ("remember", |memory| {
        space(memory)?
            .remember(
                NewMemory::builder("the harbour is small")
                    .kind("fact")
                    .build()?,
            )
            .map(drop)
    }),
    ("remember with a graph", |memory| {
        let said = [
            Assertion::new("Ada", "likes", "tea"),
            Assertion::new("Ada", "lives in", "Bern"),
        ];
        space(memory)?
            .graph()
            .remember(
                NewMemory::builder("Ada of Bern").kind("fact").build()?,
                &said,
            )
            .map(drop)
    }),
    ("store turns", |memory| {
        let turn = |n: usize| {
            NewTurn::builder("s", format!("turn {n}"))
                .speaker("Ada")
                .tag("t")
                .reply("Noted.")
                .build()
        };
        let turns = (0..5).map(turn).collect::<Result<Vec<_>, _>>()?;
        space(memory)?.sessions().append(turns).map(drop)
    }),
    ("remember much", |memory| {
        let new = NewMemory::builder("long ".repeat(40_000))
            .kind("fact")
            .build()?;
        space(memory)?.remember(new).map(drop)
    }),
    ("update", |memory| {
        space(memory)?
            .update(ids(memory)?[0], "the harbour is large")
            .map(drop)
    }),
    ("supersede", |memory| {
        space(memory)?
            .lifecycle()
            .supersede(ids(memory)?[1], "Ada moved to Rome")
            .map(drop)
    }),
    ("forget", |memory| space(memory)?.forget(ids(memory)?[2])),
    // An import that makes its namespace is two writes.
    ("make another namespace", |memory| {
        memory.create_namespace("talk", "agent").map(drop)
    }),
    ("import", |memory| import(memory, 0)),
    ("merge", |memory| {
        space(memory)?
            .graph()
            .merges()
            .merge(EntityId(0), EntityId(1), "one")
            .map(drop)
    }),
    ("delete", |memory| {
        space(memory)?
            .delete(ids(memory)?[3], Mode::Commit)
            .map(drop)
    }),
    ("import more", |memory| import(memory, 10)),
    ("use", |memory| {
        space(memory)?.touch(&ids(memory)?[..2]).map(drop)
    }),
];

/// Everything that callers see.
fn contents(memory: &Memory) -> String {
    let mut out = Vec::new();
    for stats in memory.namespaces().unwrap() {
        out.extend(format!("{} {}\n", stats.name, stats.profile).into_bytes());
        memory
            .namespace(&stats.name)
            .unwrap()
            .transfer()
            .export(&mut out, &mut |_| {})
            .unwrap();
    }
    String::from_utf8(out).unwrap()
}

/// Runs the steps until one fails; answers how many were acknowledged.
fn run(memory: &Memory, clock: &ManualClock) -> usize {
    for (n, (_, step)) in STEPS.iter().enumerate() {
        clock.set(day(1.0 + n as f64 / 100.0));
        if step(memory).is_err() {
            return n;
        }
        // Work in the background writes at moments of its own: it is made a part of the step.
        if memory.wait_idle().is_err() {
            return n + 1;
        }
    }
    STEPS.len()
}

/// What there is after each step.
fn states() -> Vec<String> {
    let (tape, clock) = (Tape::default(), ManualClock::new(day(1.0)));
    let memory = open(&tape, &clock).unwrap();
    let mut states = vec![contents(&memory)];
    for (n, (name, step)) in STEPS.iter().enumerate() {
        clock.set(day(1.0 + n as f64 / 100.0));
        step(&memory).unwrap_or_else(|error| panic!("{name}: {error}"));
        memory.wait_idle().unwrap();
        states.push(contents(&memory));
    }
    states
}

fn check(memory: &Memory, acknowledged: usize, states: &[String], what: &str) {
    assert_eq!(memory.validate().unwrap().problems, [""; 0], "{what}");
    let found = contents(memory);
    let kept = states
        .iter()
        .skip(acknowledged)
        .take(2)
        .any(|state| *state == found);
    let at = states.iter().position(|state| *state == found);
    assert!(
        kept,
        "{what}: {acknowledged} acknowledged, and the state is that after {at:?}"
    );
}

fn every(usual: u64) -> u64 {
    std::env::var("ANNALS_FAULT_EVERY").map_or(usual, |text| text.parse().unwrap())
}

#[test]
fn whichever_write_or_sync_fails_what_was_acknowledged_is_there() {
    let states = states();
    let whole = Tape::default();
    let clock = ManualClock::new(day(1.0));
    let memory = open(&whole, &clock).unwrap();
    let begin = whole.operations();
    assert_eq!(run(&memory, &clock), STEPS.len());
    let end = whole.operations();
    drop(memory);
    assert!(end - begin > 50, "{}", end - begin);
    let (mut runs, mut lost) = (0, 0);
    for at in (begin..end).step_by(every(9) as usize) {
        for fault in [Fault::Cut, Fault::Tear, Fault::Once] {
            let (tape, clock) = (Tape::default(), ManualClock::new(day(1.0)));
            let memory = open(&tape, &clock).unwrap();
            match fault {
                Fault::Cut => tape.cut_at(at),
                Fault::Tear => tape.tear_at(at),
                Fault::Once => tape.fail_once(at, std::io::ErrorKind::Other),
            }
            let acknowledged = run(&memory, &clock);
            lost += u32::from(acknowledged < STEPS.len());
            let what = format!("operation {at}, {fault:?}");
            if fault == Fault::Once {
                check(&memory, acknowledged, &states, &what);
            }
            for survivors in [Survivors::None, Survivors::All, Survivors::Some(at * 7 + 1)] {
                let crashed = open(&tape.after_crash(survivors), &clock).unwrap();
                check(
                    &crashed,
                    acknowledged,
                    &states,
                    &format!("{what}, {survivors:?}"),
                );
                runs += 1;
            }
        }
    }
    assert!(lost > 10, "{lost}");
    println!(
        "{runs} disks after {} operations, {lost} runs cut off",
        end - begin
    );
}

#[test]
fn whichever_read_fails_the_workload_comes_to_its_end() {
    let states = states();
    let clock = ManualClock::new(day(1.0));
    let run_on = |failing: Option<u64>| {
        let tape = Tape::default();
        let memory = open_with(&tape, &clock, 0).unwrap();
        failing.into_iter().for_each(|at| tape.fail_read(at));
        let acknowledged = run(&memory, &clock);
        (tape.reads(), acknowledged, memory)
    };
    let (reads, acknowledged, _) = run_on(None);
    assert_eq!(acknowledged, STEPS.len());
    assert!(reads > 500, "{reads}");
    let mut runs = 0;
    for at in (0..reads).step_by(every(97) as usize) {
        let (_, acknowledged, memory) = run_on(Some(at));
        check(&memory, acknowledged, &states, &format!("read {at}"));
        runs += 1;
    }
    println!("{runs} of {reads} reads");
}
