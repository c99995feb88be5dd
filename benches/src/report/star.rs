//! One entity that everything speaks of.

use std::path::Path;

use annals::blocking::Memory;
use annals::graph::{Assertion, EntityRef, NewEntity, TripleQuery, Walk};
use annals::profile::RecallMode;
use annals::{Mode, NewMemory, Query};

use super::Outcome;
use crate::figures::{percentiles, timed};

/// Edges of a memory.
const SAID: usize = 1000;

/// A star of so many edges: what is asked of its middle, of its leaves, and of both.
///
/// # Errors
/// When the file cannot be written.
pub fn star(path: &Path, edges: usize) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.namespace("bench")?;
    let hub = namespace.graph().add_entity(&NewEntity::new("the hub"))?;
    let (mut ids, mut stored) = (Vec::new(), Vec::new());
    for first in (0..edges).step_by(SAID) {
        let id =
            namespace.remember(NewMemory::builder(format!("part {first} of the star")).build()?)?;
        let said: Vec<Assertion> = (first..edges.min(first + SAID))
            .map(|n| Assertion::new(hub, "has", format!("leaf {n}")))
            .collect();
        let (written, took) = timed(|| namespace.graph().add_triples(id, &said));
        written?;
        ids.push(id);
        stored.push(took);
    }
    memory.wait_idle()?;
    println!(
        "{} triples, {SAID} of one memory: {}",
        namespace.graph().stats()?.triples,
        percentiles(stored)
    );
    let leaf = |n: usize| format!("leaf {}", n * 7919 % edges);
    let measure = |what: &str, ask: &dyn Fn(usize) -> Result<String, annals::Error>| -> Outcome {
        let mut times = Vec::new();
        let mut last = String::new();
        for n in 0..101 {
            let (answer, took) = timed(|| ask(n));
            last = answer?;
            times.push(took);
        }
        println!("{what} ({last}): {}", percentiles(times));
        Ok(())
    };
    let walk = |depth| Walk {
        depth,
        ..Walk::default()
    };
    measure("neighbours of a leaf", &|n| {
        Ok(format!(
            "{}",
            namespace
                .graph()
                .neighbours(leaf(n), &Walk::default(), 10)?
                .len()
        ))
    })?;
    measure("ten neighbours of the hub", &|_| {
        Ok(format!(
            "{}",
            namespace
                .graph()
                .neighbours(hub, &Walk::default(), 10)?
                .len()
        ))
    })?;
    measure("a page of 100 triples of the hub", &|_| {
        Ok(format!(
            "{}",
            namespace
                .graph()
                .triples(&TripleQuery::default().subject(hub))?
                .triples
                .len()
        ))
    })?;
    for (what, from, depth) in [
        ("one step from the hub", EntityRef::Id(hub), 1),
        ("two steps from a leaf", leaf(1).into(), 2),
    ] {
        measure(what, &|_| {
            let found = namespace
                .graph()
                .expand(std::slice::from_ref(&from), &walk(depth))?;
            Ok(format!(
                "{} reached, cut by {:?}",
                found.reached.len(),
                found.cut
            ))
        })?;
    }
    measure("a path from leaf to leaf", &|n| {
        let found = namespace
            .graph()
            .paths(leaf(n + 1), leaf(n + 2), &walk(3), 1)?;
        Ok(format!(
            "{} steps, cut by {:?}",
            found.paths.first().map_or(0, Vec::len),
            found.cut
        ))
    })?;
    for mode in [RecallMode::Fast, RecallMode::Deep] {
        measure(&format!("recall that names hub and leaf, {mode:?}"), &|n| {
            let query = Query::new(format!("what has the hub to do with {}", leaf(n))).mode(mode);
            Ok(format!("{} hits", namespace.recall(query)?.len()))
        })?;
    }
    let other = namespace
        .graph()
        .add_entity(&NewEntity::new("another hub"))?;
    let (merge, took) = timed(|| namespace.graph().merges().merge(hub, other, "the same"));
    println!(
        "merge the hub into another entity: {:.1} ms",
        took.as_secs_f64() * 1e3
    );
    let (undone, took) =
        timed(|| merge.and_then(|merge| namespace.graph().merges().undo(merge.id)));
    undone?;
    println!("undo: {:.1} ms", took.as_secs_f64() * 1e3);
    let mut times = Vec::new();
    for id in ids.iter().take(20) {
        let (gone, took) = timed(|| namespace.delete(*id, Mode::Commit));
        gone?;
        times.push(took);
    }
    println!(
        "delete a memory of {SAID} of its edges: {}",
        percentiles(times)
    );
    let (gone, took) = timed(|| namespace.graph().delete_entity(hub));
    println!(
        "delete the hub with its edges ({} triples): {:.1} ms",
        gone?.gone.len(),
        took.as_secs_f64() * 1e3
    );
    Ok(())
}
