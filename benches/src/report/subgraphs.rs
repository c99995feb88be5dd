//! Memories as small graphs under the profile `graph`: the figures that its design asks for at
//! 10,000 memories.

use std::path::Path;

use annals::blocking::Memory;
use annals::graph::NewSubgraph;
use annals::profile::RecallMode;
use annals::{Mode, NewMemory, Query, Status};

use super::Outcome;
use crate::figures::{percentiles, resident, timed};
use crate::{Random, Zipf, chinese};

/// Creates the memories one by one, consolidates them, links some, and looks for them; then opens
/// the file in a process of its own.
///
/// # Errors
/// When the file cannot be written.
pub fn subgraphs(path: &Path, memories: usize) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.create_namespace("bench", "graph")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let (mut ids, mut times) = (Vec::new(), Vec::new());
    for n in 0..memories {
        let (topic, object) = (
            chinese(&zipf, 2, &mut random),
            chinese(&zipf, 3, &mut random),
        );
        let new = NewSubgraph::new("我", "事件", topic.as_str())
            .object(object.as_str())
            .attribute("时间", format!("第{n}天"));
        let text = format!("我{topic}{object}，{}", chinese(&zipf, 20, &mut random));
        let (stored, took) = timed(|| {
            let new_memory = NewMemory::builder(text)
                .kind("事件")
                .status(Status::Staged)
                .importance(0.5)
                .build()?;
            namespace.graph().remember_subgraph(new_memory, &new)
        });
        ids.push(stored?.0);
        times.push(took);
    }
    println!(
        "create one of {memories}, embedded and durable: {}",
        percentiles(times)
    );
    for pair in ids.chunks(2) {
        if let [from, to] = pair {
            namespace.graph().link(*from, "导致", *to)?;
        }
    }
    let mut runs = 0;
    let (consolidated, took) = timed(|| -> Result<(), annals::Error> {
        while namespace
            .admin()
            .stats()?
            .by_status
            .get(Status::Staged.as_str())
            .is_some_and(|staged| *staged > 0)
        {
            drop(memory.maintain(true, Mode::Commit)?);
            runs += 1;
        }
        Ok(())
    });
    consolidated?;
    println!("consolidated in {runs} runs: {took:.1?}");
    memory.wait_idle()?;
    for depth in [1, 2] {
        let mut times = Vec::new();
        for n in 0..1100 {
            let question = format!(
                "为什么{}{}",
                chinese(&zipf, 2, &mut random),
                chinese(&zipf, 3, &mut random)
            );
            let query = Query::new(question)
                .mode(RecallMode::Deep)
                .expand_depth(depth);
            let (hits, took) = timed(|| namespace.recall(query));
            hits?;
            times.extend((n >= 100).then_some(took));
        }
        println!("search, depth {depth}: {}", percentiles(times));
    }
    println!("resident {} MB", resident() >> 20);
    drop((namespace, memory));
    let child = std::process::Command::new(std::env::current_exe()?)
        .args(["subgraphs-opened", "0"])
        .arg(path)
        .output()?;
    print!("{}", String::from_utf8_lossy(&child.stdout));
    Ok(())
}

/// Opens what [`subgraphs`] made, asks once, then more often.
///
/// # Errors
/// When the file cannot be read.
pub fn subgraphs_opened(path: &Path) -> Outcome {
    let (answer, took) = timed(|| {
        let memory = Memory::open(path)?;
        let hits = memory.namespace("bench")?.recall("为什么下雨")?.len();
        Ok::<_, annals::Error>((memory, hits))
    });
    let (memory, hits) = answer?;
    println!(
        "open and first search: {:.1} ms ({hits} hits), resident {} MB",
        took.as_secs_f64() * 1e3,
        resident() >> 20
    );
    let (zipf, mut random) = (Zipf::default(), Random::new(3));
    for _ in 0..500 {
        memory
            .namespace("bench")?
            .recall(chinese(&zipf, 5, &mut random))?;
    }
    println!("warm: resident {} MB", resident() >> 20);
    Ok(())
}
