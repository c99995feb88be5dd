//! The times that the designs behind the profiles ask for, each beside its limit.

use std::path::Path;
use std::time::{Duration, Instant};

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, NewEntity, Walk};
use annals::profile::RecallMode;
use annals::{ContextRequest, Mode, NewMemory, NewTurn, Query, Role, Status, Timestamp};
use annals_extraction::markdown::{self, Format};

use super::Outcome;
use crate::figures::{percentiles, share_at, timed};
use crate::{Random, Zipf, chinese};

/// Memories of an agent and of a graph.
const MEMORIES: usize = 10_000;
/// Turns of an agent.
const TURNS: usize = 100_000;
/// Entries of a notebook.
const ENTRIES: usize = 1000;
/// Edges of a star.
const EDGES: usize = 10_000;

/// Measures all of them and prints a line each: what, the 95th percentile, the limit, whether it is kept.
///
/// # Errors
/// When a file cannot be written, or a limit is not kept.
pub fn times(folder: &Path) -> Outcome {
    let mut table = Limits::default();
    agent(&folder.join("agent.annals"), &mut table)?;
    notebook(folder, &mut table)?;
    star(&folder.join("star.annals"), &mut table)?;
    graph(&folder.join("graph.annals"), &mut table)?;
    if table.missed == 0 { Ok(()) } else { Err(format!("{} limits are not kept", table.missed).into()) }
}

/// For [`times`]: opens what it made in a process of its own and asks once.
///
/// # Errors
/// When the file cannot be read.
pub fn times_opened(path: &Path) -> Outcome {
    let (answer, took) = timed(|| Memory::open(path)?.namespace("bench")?.recall("为什么下雨"));
    answer?;
    println!("{}", took.as_secs_f64() * 1e3);
    Ok(())
}

#[derive(Default)]
struct Limits {
    missed: usize,
}

impl Limits {
    fn line(&mut self, what: &str, took: &[Duration], limit_ms: f64) {
        let (p50, p95) = (share_at(took, 0.5), share_at(took, 0.95));
        let kept = p95 < limit_ms;
        self.missed += usize::from(!kept);
        let verdict = if kept { "kept" } else { "NOT KEPT" };
        println!("{what}: p50 {p50:.3} ms, p95 {p95:.3} ms, limit {limit_ms} ms: {verdict}");
    }
}

/// The times of some work, the first `warm` of them left out.
fn measured<E>(warm: usize, times: usize, mut work: impl FnMut(usize) -> Result<(), E>) -> Result<Vec<Duration>, E> {
    let mut measured = Vec::with_capacity(times);
    for n in 0..warm + times {
        let (done, took) = timed(|| work(n));
        done?;
        measured.extend((n >= warm).then_some(took));
    }
    Ok(measured)
}

/// Calls a tool, which must do what it is asked.
fn called(namespace: &Namespace, tool: &str, arguments: &str) -> Outcome {
    let reply = namespace.call_tool(tool, arguments)?;
    if reply.is_success() { Ok(()) } else { Err(format!("{tool}: {}", reply.as_json()).into()) }
}

/// an agent with 10,000 memories and 100,000 turns.
fn agent(path: &Path, table: &mut Limits) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.create_namespace("bench", "agent")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let fact = |random: &mut Random| NewMemory::builder(zipf.text(12, random)).kind("FACT").importance(0.6).build();
    for _ in 0..MEMORIES / 500 {
        namespace.remember_many((0..500).map(|_| fact(&mut random)).collect::<Result<_, _>>()?)?;
    }
    for start in (0..TURNS).step_by(1000) {
        let turn = |n: usize, random: &mut Random| {
            let role = if n.is_multiple_of(2) { Role::User } else { Role::Assistant };
            NewTurn::builder(format!("s{}", n / 50), zipf.text(20, random)).role(role).build()
        };
        namespace.append_turns((start..start + 1000).map(|n| turn(n, &mut random)).collect::<Result<_, _>>()?)?;
    }
    memory.wait_idle()?;
    let found = measured(20, 300, |_| {
        let call = format!("{{\"query\":\"{}\"}}", zipf.text(3, &mut random));
        called(&namespace, "search_memory", &call)
    })?;
    let added = measured(20, 300, |_| namespace.remember(fact(&mut random)?).map(drop))?;
    table.line("A-98 add a memory, durable (embedding included: some microseconds)", &added, 20.0);
    table.line(&format!("A-98 search_memory, {MEMORIES} memories"), &found, 200.0);
    for (what, words) in [("a word of some turns", 1), ("two words that stand in none together", 2)] {
        let found = measured(3, 60, |_| {
            let call = format!("{{\"keyword\":\"{}\"}}", zipf.text(words, &mut random));
            called(&namespace, "search_conversation_traces", &call)
        })?;
        table.line(&format!("A-98 search_conversation_traces, {TURNS} turns, {what}"), &found, 300.0);
    }
    let nowhere = measured(3, 60, |n| {
        called(&namespace, "search_conversation_traces", &format!("{{\"keyword\":\"nowhere{n}\"}}"))
    })?;
    table.line(&format!("A-98 search_conversation_traces, {TURNS} turns, a word of none"), &nowhere, 300.0);
    let built = measured(20, 300, |_| namespace.build_prompt_parts().map(drop))?;
    table.line("A-98 prompt build", &built, 20.0);
    Ok(())
}

/// M-110: MEMORY.md with 1,000 entries.
fn notebook(folder: &Path, table: &mut Limits) -> Outcome {
    let memory = Memory::open(folder.join("notebook.annals"))?;
    let namespace = memory.create_namespace("bench", "markdown")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    let entry =
        |random: &mut Random| NewMemory::builder(zipf.text(12, random)).kind("preference").importance(0.9).build();
    namespace.remember_many((0..ENTRIES).map(|_| entry(&mut random)).collect::<Result<_, _>>()?)?;
    memory.wait_idle()?;
    let home = folder.join("notebook");
    namespace.sync(&home)?;
    let (file, format, now) = (home.join("MEMORY.md"), Format::default(), Timestamp::default());
    let mut entries = Vec::new();
    let loaded = measured(5, 100, |_| {
        let text = std::fs::read_to_string(&file)?;
        entries = markdown::read(&text, now, &format, &mut || u128::from(random.number())).entries();
        Ok::<_, std::io::Error>(())
    })?;
    table.line(&format!("M-110 load MEMORY.md, {} entries", entries.len()), &loaded, 20.0);
    let copy = folder.join("copy.md");
    let saved = measured(5, 100, |_| {
        std::fs::write(&copy, markdown::render(&entries, now, &format))?;
        std::fs::File::open(&copy)?.sync_all()
    })?;
    table.line("M-110 save it, durable", &saved, 20.0);
    let mut synced = Vec::new();
    for _ in 0..60 {
        namespace.remember(entry(&mut random)?)?;
        let (done, took) = timed(|| namespace.sync(&home));
        done?;
        synced.push(took);
    }
    println!("(load, compare, back up and save through the engine, one entry new: {})", percentiles(synced));
    let ask = || ContextRequest { peek: true, ..ContextRequest::new("what do I like") };
    let built = measured(5, 300, |_| namespace.context(ask()).map(drop))?;
    table.line("M-110 prompt build", &built, 5.0);
    Ok(())
}

/// G-08: a leaf of a star.
fn star(path: &Path, table: &mut Limits) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.namespace("bench")?;
    let hub = namespace.add_entity(&NewEntity::new("the hub"))?;
    for first in (0..EDGES).step_by(1000) {
        let id = namespace.remember(format!("part {first} of the star").as_str())?;
        let said: Vec<_> = (first..first + 1000).map(|n| Assertion::new(hub, "has", format!("leaf {n}"))).collect();
        namespace.add_triples(id, &said)?;
    }
    memory.wait_idle()?;
    let looked = measured(20, 500, |n| {
        let leaf = format!("leaf {}", n * 7919 % EDGES);
        namespace.neighbours(leaf, &Walk::default(), 10).map(drop)
    })?;
    table.line(&format!("G-08 neighbours of a leaf, star of {EDGES} edges"), &looked, 1.0);
    Ok(())
}

/// G-135, G-136, G-139: 10,000 memories as small graphs, each made by a call of the tool.
fn graph(path: &Path, table: &mut Limits) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.create_namespace("bench", "graph")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(3));
    let (mut answered, mut complete) = (Vec::new(), Vec::new());
    for n in 0..MEMORIES {
        let (topic, object) = (chinese(&zipf, 2, &mut random), chinese(&zipf, 3, &mut random));
        let call = format!(
            "{{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"{topic}\",\"object\":\"{object}\",\"attributes\":{{\"地点\":\"第{n}层\"}},\"importance\":0.5}}"
        );
        let began = Instant::now();
        called(&namespace, "create_memory", &call)?;
        answered.push(began.elapsed());
        // Every so often until it is embedded and found by its meaning, too.
        if n % 100 == 99 {
            memory.wait_idle()?;
            complete.push(began.elapsed());
        }
    }
    table.line("G-135 create_memory, until the tool answers", &answered, 100.0);
    table.line("G-135 create_memory, embedded and indexed", &complete, 500.0);
    while namespace.stats()?.by_status.get(Status::Staged.as_str()).is_some_and(|staged| *staged > 0) {
        drop(memory.maintain(true, Mode::Commit)?);
    }
    memory.wait_idle()?;
    for (depth, limit) in [(1, 2000.0), (2, 5000.0)] {
        let found = measured(50, 500, |_| {
            let question = format!("为什么{}{}", chinese(&zipf, 2, &mut random), chinese(&zipf, 3, &mut random));
            namespace.recall(Query::new(question).mode(RecallMode::Deep).expand_depth(depth)).map(drop)
        })?;
        table.line(&format!("G-136 search, {MEMORIES} memories, depth {depth}"), &found, limit);
    }
    drop((namespace, memory));
    let mut opened = Vec::new();
    for _ in 0..5 {
        let child =
            std::process::Command::new(std::env::current_exe()?).args(["times-opened", "0"]).arg(path).output()?;
        let millis: f64 = String::from_utf8_lossy(&child.stdout).trim().parse()?;
        opened.push(Duration::from_secs_f64(millis / 1e3));
    }
    table.line(&format!("G-139 open and first search, {MEMORIES} memories, a process each"), &opened, 5000.0);
    Ok(())
}
