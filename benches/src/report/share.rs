//! The cost of going through the owner of a shared file.

use std::time::{Duration, Instant};

use annals::blocking::Namespace;
use annals::{NewMemory, Options, Query};

use super::Outcome;

/// Memories in the file.
const MEMORIES: usize = 10_000;

/// Calls of each kind.
const CALLS: usize = 400;

/// A recall and a write, by the owner itself and through it, in turns, and the first call of a
/// client.
///
/// # Errors
/// When a file cannot be written.
pub fn share() -> Outcome {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("shared.annals");
    let owner = Options::new().share(true).keep(true).open(&path)?;
    let user = owner.namespace("user")?;
    let texts = (0..MEMORIES).map(|n| {
        NewMemory::builder(format!(
            "Note {n} says that drawer {} holds spoons.",
            n % 97
        ))
        .build()
    });
    for chunk in texts.collect::<Result<Vec<_>, _>>()?.chunks(500) {
        user.bulk().remember(chunk.to_vec())?;
    }
    owner.wait_idle()?;
    let client = Options::new().share(true).open(&path)?;
    let through = client.namespace("user")?;
    println!(
        "{MEMORIES} memories, {CALLS} calls of each, milliseconds at the median (and at 95 of 100)"
    );
    for (name, work) in [
        ("recall of ten", recall as fn(&Namespace, usize) -> _),
        ("get", get),
        ("remember", remember),
    ] {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for number in 0..CALLS {
            here.push(timed(|| work(&user, number))?);
            there.push(timed(|| work(&through, number))?);
        }
        let ((here, here_95), (there, there_95)) = (middle(&mut here), middle(&mut there));
        println!(
            "{name:14} owner {here:.3} ({here_95:.3})  client {there:.3} ({there_95:.3})  more {:.3}",
            there - here
        );
    }
    let mut first = Vec::new();
    for _ in 0..50 {
        first.push(timed(|| {
            let client = Options::new().share(true).open(&path)?;
            recall(&client.namespace("user")?, 1)
        })?);
    }
    let (first, first_95) = middle(&mut first);
    println!("connecting and the first recall {first:.3} ({first_95:.3})");
    Ok(())
}

fn recall(user: &Namespace, number: usize) -> Outcome {
    let question = format!("which drawer holds the spoons of note {number}?");
    user.recall(Query::new(question).top_k(10))?;
    Ok(())
}

fn get(user: &Namespace, number: usize) -> Outcome {
    user.get(annals::MemoryId::from_bytes(
        [u8::try_from(number % 251)?; 16],
    ))?;
    Ok(())
}

fn remember(user: &Namespace, number: usize) -> Outcome {
    user.remember(format!("Spoon {number} was polished."))?;
    Ok(())
}

fn timed(work: impl FnOnce() -> Outcome) -> Result<Duration, Box<dyn std::error::Error>> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}

/// Milliseconds at the median and at 95 of 100.
fn middle(times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get(times.len() * share / 100)
            .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    (at(50), at(95))
}
