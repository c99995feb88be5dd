//! A job over a million memories in a thousand namespaces.

use std::path::Path;
use std::sync::Arc;

use annals::blocking::Memory;
use annals::{JobReport, ManualClock, Mode, NewMemory, Timestamp};

use super::Outcome;
use crate::figures::{busy, processor_time, timed};
use crate::{Random, Zipf};

const NAMESPACES: usize = 1000;

/// Memories that fade are forgotten, what passes is deleted, both below 0.1.
const PROFILE: &str = r#"
[taxonomy]
default_kind = "fading"
kinds = [{ id = "fading" }, { id = "passing" }]

[score]
initial = "given"

[decay]
unit = "fraction"
persist = "derived"
classes.fading = { lambda = 0.01 }
classes.passing = { lambda = 0.198042 }

[[rules]]
name = "forget"
metric = "retention"
op = "below"
value = 0.1
classes = ["fading"]
action = "forget"

[[rules]]
name = "delete"
metric = "retention"
op = "below"
value = 0.1
classes = ["passing"]
action = "delete"

[[jobs]]
name = "daily"
interval_hours = 24.0
steps = ["rules"]
"#;

fn day(days: f64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + (days * 86_400_000.0) as i64)
}

/// Fills the namespaces, then runs the job on days on which nothing, or one memory of each
/// namespace, is due.
///
/// # Errors
/// When the file cannot be written, or the job does not do what it should.
pub fn jobs(path: &Path, memories: usize) -> Outcome {
    let clock = ManualClock::new(day(0.0));
    let memory = Memory::options()
        .clock(Arc::new(clock.clone()))
        .open(path)?;
    memory.profiles().store("measured", PROFILE)?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let (filled, took) = timed(|| fill(&memory, memories / NAMESPACES, &zipf, &mut random));
    filled?;
    memory.wait_idle()?;
    println!("{memories} memories in {NAMESPACES} namespaces in {took:.1?}");
    clock.set(day(6.5));
    drop(maintain(&memory, false)?);
    for (what, force) in [("no job due", false), ("job run, no memory due", true)] {
        let ran = || -> Result<_, Box<dyn std::error::Error>> {
            let (reports, took) = timed(|| maintain(&memory, force));
            reports.map(|_| took)
        };
        println!("{what}: {}", busy(101, ran)?);
    }
    for (what, counted, days) in [
        ("hard deletions", "deleted", [7.5, 8.5, 9.5]),
        ("changes of status", "forgotten", [20.5, 21.5, 22.5]),
    ] {
        for at in days {
            clock.set(day(at));
            let before = processor_time();
            let (reports, took) = timed(|| maintain(&memory, false));
            let busy = (processor_time() - before).as_millis();
            let steps: Vec<_> = reports?
                .into_iter()
                .flat_map(|report| report.steps)
                .collect();
            let done: u64 = steps
                .iter()
                .filter_map(|step| step.counts.get(counted))
                .sum();
            if done != NAMESPACES as u64 {
                return Err(format!("{done} {what} on day {at}").into());
            }
            println!(
                "job run, {done} {what}: {:.1} ms ({busy} of processor)",
                took.as_secs_f64() * 1e3
            );
        }
    }
    Ok(())
}

fn maintain(memory: &Memory, force: bool) -> Result<Vec<JobReport>, Box<dyn std::error::Error>> {
    let reports = memory.maintain(force, Mode::Commit)?;
    match reports.iter().find(|report| !report.succeeded()) {
        Some(failed) => Err(format!("{failed:?}").into()),
        None => Ok(reports),
    }
}

/// In each namespace three memories that are to be deleted and three that are to be forgotten, a
/// day apart, and others that last.
fn fill(memory: &Memory, each: usize, zipf: &Zipf, random: &mut Random) -> Outcome {
    for space in 0..NAMESPACES {
        let namespace = memory.create_namespace(&format!("user {space}"), "measured")?;
        let mut batch = Vec::with_capacity(each);
        for n in 0..each {
            let (kind, score) = match n {
                0..3 => ("passing", 0.4 * (0.198_042 * n as f64).exp()),
                3..6 => ("fading", 0.1 * (0.01 * (n as f64 + 17.0)).exp()),
                _ => ("fading", 0.8),
            };
            let text = zipf.text(10, random);
            batch.push(
                NewMemory::builder(text)
                    .kind(kind)
                    .importance(score as f32)
                    .build()?,
            );
        }
        namespace.bulk().remember(batch)?;
    }
    Ok(())
}
