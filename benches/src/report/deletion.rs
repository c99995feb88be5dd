//! Deleting a memory on which a hundred triples of a large graph rest.

use std::path::Path;

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, EntityId};
use annals::{MemoryId, Mode, NewMemory};

use super::Outcome;
use crate::figures::{busy, percentiles, timed};
use crate::{Random, Zipf};

/// Triples of a memory.
const SAID: usize = 100;
/// Triples for each entity.
const SHARED: usize = 10;
/// Entities that one memory makes known.
const NAMED: usize = 1000;
/// Deletions of each sort.
const RUNS: usize = 101;

/// Fills a graph with so many triples, then deletes memories: stored long ago, of ten subjects
/// each, and just now, of a hundred.
///
/// # Errors
/// When the file cannot be written.
pub fn deletion(path: &Path, triples: usize) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.namespace("bench")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let entities = (triples / SHARED).max(SAID);
    let (filled, took) = timed(|| fill(&namespace, (triples, entities), &zipf, &mut random));
    let mut ids = filled?;
    memory.wait_idle()?;
    println!(
        "{} triples in {took:.1?}",
        namespace.graph().stats()?.triples
    );
    let old = busy(
        RUNS.min(ids.len()),
        || -> Result<_, Box<dyn std::error::Error>> {
            let id = ids.swap_remove(usize::try_from(random.number())? % ids.len());
            let (receipt, took) = timed(|| namespace.delete(id, Mode::Commit));
            if receipt?.triples == 0 {
                return Err("nothing rested on a memory".into());
            }
            Ok(took)
        },
    )?;
    println!("delete an old memory of {SAID} triples: {old}");
    let (mut stored, mut times) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let said = said(SAID, entities, &mut random);
        let text = zipf.text(30, &mut random);
        let (written, took) = timed(|| namespace.graph().remember(text, &said));
        stored.push(took);
        let (receipt, took) = timed(|| namespace.delete(written?.0, Mode::Commit));
        receipt?;
        times.push(took);
    }
    println!(
        "remember one of {SAID} triples, no two of one subject: {}",
        percentiles(stored)
    );
    println!("delete it: {}", percentiles(times));
    Ok(())
}

/// Memories of `SAID` triples each, between entities that exist by then.
fn fill(
    namespace: &Namespace,
    (triples, entities): (usize, usize),
    zipf: &Zipf,
    random: &mut Random,
) -> Result<Vec<MemoryId>, annals::Error> {
    for first in (0..entities).step_by(NAMED) {
        let name = |n: usize| format!("entity number {}", n % entities);
        let chain: Vec<Assertion> = (first..entities.min(first + NAMED))
            .map(|n| Assertion::new(name(n), "next", name(n + 1)))
            .collect();
        namespace.graph().remember(zipf.text(30, random), &chain)?;
    }
    let mut ids = Vec::new();
    let memories = triples.saturating_sub(entities) / SAID;
    let texts = |count: usize, random: &mut Random| -> Result<Vec<NewMemory>, annals::Error> {
        (0..count)
            .map(|_| Ok(NewMemory::builder(zipf.text(30, random)).build()?))
            .collect()
    };
    for first in (0..memories).step_by(1000) {
        ids.extend(
            namespace
                .bulk()
                .remember(texts(memories.min(first + 1000) - first, random)?)?,
        );
    }
    let all: Vec<(MemoryId, Vec<Assertion>)> = ids
        .iter()
        .map(|id| (*id, said(10, entities, random)))
        .collect();
    // Writers at the same time share commits.
    std::thread::scope(|scope| {
        let write = |part: &[(MemoryId, Vec<Assertion>)]| {
            part.iter()
                .try_for_each(|(id, said)| namespace.graph().add_triples(*id, said).map(drop))
        };
        let writers: Vec<_> = all
            .chunks(all.len().div_ceil(8).max(1))
            .map(|part| scope.spawn(move || write(part)))
            .collect();
        writers
            .into_iter()
            .try_for_each(|writer| writer.join().unwrap_or(Ok(())))
    })?;
    Ok(ids)
}

/// What a memory says: some subjects in turn, to any objects. All are named by number.
fn said(subjects: usize, entities: usize, random: &mut Random) -> Vec<Assertion> {
    let any = |random: &mut Random| {
        let number = random.number() % u64::try_from(entities).unwrap_or(u64::MAX);
        EntityId(u32::try_from(number).unwrap_or(u32::MAX))
    };
    let subjects: Vec<EntityId> = (0..subjects).map(|_| any(random)).collect();
    let said = subjects.iter().cycle().take(SAID);
    said.map(|subject| Assertion::new(*subject, format!("p{}", random.number() % 200), any(random)))
        .collect()
}
