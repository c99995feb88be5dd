//! The times that the designs behind the profiles ask for, each beside its limit.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use annals::blocking::{Memory, Namespace};
use annals::graph::{Assertion, NewEntity, Walk};
use annals::profile::RecallMode;
use annals::{ContextRequest, Mode, NewMemory, NewTurn, Options, Query, Role, Status, Timestamp};
use annals_files::markdown::{self, Format};

use super::Outcome;
use crate::figures::{percentiles, share_at, timed};
use crate::{Random, Zipf, chinese};

/// How much is there when something is measured, and how often it is.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Memories of an agent and of a graph.
    pub memories: usize,
    /// Turns of an agent.
    pub turns: usize,
    /// Entries of a notebook.
    pub entries: usize,
    /// Edges of a star.
    pub edges: usize,
    /// How often the fast things are done; slow ones a fifth of that.
    pub calls: usize,
}

impl Sizes {
    /// What the designs name.
    pub const FULL: Self = Self {
        memories: 10_000,
        turns: 100_000,
        entries: 1000,
        edges: 10_000,
        calls: 300,
    };
}

/// Measures all of them and prints a line each: what, the 95th percentile, the limit, whether it is
/// kept.
///
/// # Errors
/// When a file cannot be written, or a limit is not kept.
pub fn times(folder: &Path) -> Outcome {
    let mut out = std::io::stdout();
    let mut table = Limits::new(&mut out);
    let sizes = &Sizes::FULL;
    agent(&folder.join("agent.annals"), sizes, &mut table)?;
    studio(&folder.join("studio.annals"), sizes, &mut table)?;
    notebook(folder, sizes, &mut table)?;
    star(&folder.join("star.annals"), sizes, &mut table)?;
    let path = folder.join("graph.annals");
    graph(&path, sizes, &mut table)?;
    opened(&path, sizes, &mut table)?;
    service(&folder.join("service.annals"), sizes, &mut table)?;
    if table.missed == 0 {
        Ok(())
    } else {
        Err(format!("{} limits are not kept", table.missed).into())
    }
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

/// Times beside their limits, as they are printed.
pub struct Limits<'a> {
    out: &'a mut dyn Write,
    missed: usize,
}

impl<'a> Limits<'a> {
    /// Prints there.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self { out, missed: 0 }
    }

    fn line(&mut self, what: &str, took: &[Duration], limit_ms: f64) -> Outcome {
        let (p50, p95) = (share_at(took, 0.5), share_at(took, 0.95));
        let kept = p95 < limit_ms;
        self.missed += usize::from(!kept);
        let verdict = if kept { "kept" } else { "NOT KEPT" };
        Ok(writeln!(
            self.out,
            "{what}: p50 {p50:.3} ms, p95 {p95:.3} ms, limit {limit_ms} ms: {verdict}"
        )?)
    }
}

/// The times of some work, the first `warm` of them left out.
fn measured<E>(
    warm: usize,
    times: usize,
    mut work: impl FnMut(usize) -> Result<(), E>,
) -> Result<Vec<Duration>, E> {
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
    let reply = namespace.tools().call(tool, arguments)?;
    if reply.is_success() {
        Ok(())
    } else {
        Err(format!("{tool}: {}", reply.as_json()).into())
    }
}

/// an agent with memories and turns.
///
/// # Errors
/// When the file cannot be written.
pub fn agent(path: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let Sizes {
        memories,
        turns,
        calls,
        ..
    } = *sizes;
    let memory = Memory::open(path)?;
    let namespace = memory.create_namespace("bench", "agent")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let fact = |random: &mut Random| {
        NewMemory::builder(zipf.text(12, random))
            .kind("FACT")
            .importance(0.6)
            .build()
    };
    for start in (0..memories).step_by(500) {
        let batch = start..memories.min(start + 500);
        namespace
            .bulk()
            .remember(batch.map(|_| fact(&mut random)).collect::<Result<_, _>>()?)?;
    }
    for start in (0..turns).step_by(1000) {
        let turn = |n: usize, random: &mut Random| {
            let role = if n.is_multiple_of(2) {
                Role::User
            } else {
                Role::Assistant
            };
            NewTurn::builder(format!("s{}", n / 50), zipf.text(20, random))
                .role(role)
                .build()
        };
        let batch = start..turns.min(start + 1000);
        namespace.sessions().append(
            batch
                .map(|n| turn(n, &mut random))
                .collect::<Result<_, _>>()?,
        )?;
    }
    memory.wait_idle()?;
    let built = measured(20, calls, |_| {
        namespace.designs().agent().build_prompt_parts().map(drop)
    })?;
    table.line(
        &format!("A-98 prompt build, all {memories} memories in its core and no file of it"),
        &built,
        20.0,
    )?;
    let found = measured(20, calls, |_| {
        let call = format!("{{\"query\":\"{}\"}}", zipf.text(3, &mut random));
        called(&namespace, "search_memory", &call)
    })?;
    table.line(
        &format!("A-98 search_memory, {memories} memories"),
        &found,
        200.0,
    )?;
    let added = measured(20, calls, |_| {
        namespace.remember(fact(&mut random)?).map(drop)
    })?;
    table.line(
        "A-98 add a memory, durable (embedding included: some microseconds)",
        &added,
        20.0,
    )?;
    for (what, words) in [
        ("a word of some turns", 1),
        ("two words that stand in none together", 2),
    ] {
        let found = measured(3, calls / 5, |_| {
            let call = format!("{{\"keyword\":\"{}\"}}", zipf.text(words, &mut random));
            called(&namespace, "search_conversation_traces", &call)
        })?;
        table.line(
            &format!("A-98 search_conversation_traces, {turns} turns, {what}"),
            &found,
            300.0,
        )?;
    }
    let nowhere = measured(3, calls / 5, |n| {
        called(
            &namespace,
            "search_conversation_traces",
            &format!("{{\"keyword\":\"nowhere{n}\"}}"),
        )
    })?;
    table.line(
        &format!("A-98 search_conversation_traces, {turns} turns, a word of none"),
        &nowhere,
        300.0,
    )
}

/// S-124: what a studio retrieves.
///
/// # Errors
/// When the file cannot be written.
pub fn studio(path: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let Sizes {
        memories, calls, ..
    } = *sizes;
    let memory = Memory::open(path)?;
    let namespace = memory.create_namespace("bench", "studio")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(4));
    let preference = |random: &mut Random| {
        NewMemory::builder(zipf.text(12, random))
            .kind("preference")
            .build()
    };
    for start in (0..memories).step_by(500) {
        let batch = start..memories.min(start + 500);
        namespace.bulk().remember(
            batch
                .map(|_| preference(&mut random))
                .collect::<Result<_, _>>()?,
        )?;
    }
    memory.wait_idle()?;
    // A store that is so fast, its embedder included, leaves the rest of the 200 ms to an embedder
    // of one's own.
    let found = measured(20, calls, |_| {
        namespace
            .recall(zipf.text(3, &mut random).as_str())
            .map(drop)
    })?;
    table.line(
        &format!("S-124 retrieval, {memories} memories, the built-in embedder"),
        &found,
        20.0,
    )
}

/// M-110: MEMORY.md with its entries.
///
/// # Errors
/// When a file cannot be written.
pub fn notebook(folder: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let calls = sizes.calls;
    let memory = Memory::open(folder.join("notebook.annals"))?;
    let namespace = memory.create_namespace("bench", "markdown")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    let entry = |random: &mut Random| {
        NewMemory::builder(zipf.text(12, random))
            .kind("preference")
            .importance(0.9)
            .build()
    };
    namespace.bulk().remember(
        (0..sizes.entries)
            .map(|_| entry(&mut random))
            .collect::<Result<_, _>>()?,
    )?;
    memory.wait_idle()?;
    let home = folder.join("notebook");
    namespace.files().sync(&home)?;
    let (file, format, now) = (
        home.join("MEMORY.md"),
        Format::default(),
        Timestamp::default(),
    );
    let mut entries = Vec::new();
    let loaded = measured(5, calls / 3, |_| {
        let text = std::fs::read_to_string(&file)?;
        entries =
            markdown::read(&text, now, &format, &mut || u128::from(random.number())).entries();
        Ok::<_, std::io::Error>(())
    })?;
    table.line(
        &format!("M-110 load MEMORY.md, {} entries", entries.len()),
        &loaded,
        20.0,
    )?;
    let copy = folder.join("copy.md");
    let saved = measured(5, calls / 3, |_| {
        std::fs::write(&copy, markdown::render(&entries, now, &format))?;
        std::fs::File::open(&copy)?.sync_all()
    })?;
    table.line("M-110 save it, durable", &saved, 20.0)?;
    let mut synced = Vec::new();
    for _ in 0..calls / 5 {
        namespace.remember(entry(&mut random)?)?;
        let (done, took) = timed(|| namespace.files().sync(&home));
        done?;
        synced.push(took);
    }
    let whole = percentiles(synced);
    writeln!(
        table.out,
        "(load, compare, back up and save through the engine, one entry new: {whole})"
    )?;
    let ask = || ContextRequest {
        peek: true,
        ..ContextRequest::new("what do I like")
    };
    let built = measured(5, calls, |_| namespace.context(ask()).map(drop))?;
    table.line("M-110 prompt build", &built, 5.0)
}

/// G-08: a leaf of a star.
fn star(path: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let edges = sizes.edges;
    let memory = Memory::open(path)?;
    let namespace = memory.namespace("bench")?;
    let hub = namespace.graph().add_entity(&NewEntity::new("the hub"))?;
    for first in (0..edges).step_by(1000) {
        let id = namespace.remember(format!("part {first} of the star").as_str())?;
        let said: Vec<_> = (first..first + 1000)
            .map(|n| Assertion::new(hub, "has", format!("leaf {n}")))
            .collect();
        namespace.graph().add_triples(id, &said)?;
    }
    memory.wait_idle()?;
    let looked = measured(20, sizes.calls, |n| {
        let leaf = format!("leaf {}", n * 7919 % edges);
        namespace
            .graph()
            .neighbours(leaf, &Walk::default(), 10)
            .map(drop)
    })?;
    table.line(
        &format!("G-08 neighbours of a leaf, star of {edges} edges"),
        &looked,
        1.0,
    )
}

/// G-135, G-136: memories as small graphs, each made by a call of the tool.
///
/// # Errors
/// When the file cannot be written.
pub fn graph(path: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let Sizes {
        memories, calls, ..
    } = *sizes;
    let memory = Memory::open(path)?;
    let namespace = memory.create_namespace("bench", "graph")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(3));
    let (mut answered, mut complete) = (Vec::new(), Vec::new());
    let every = (memories / 100).max(1);
    for n in 0..memories {
        let (topic, object) = (
            chinese(&zipf, 2, &mut random),
            chinese(&zipf, 3, &mut random),
        );
        let call = format!(
            "{{\"subject\":\"我\",\"memory_type\":\"事件\",\"topic\":\"{topic}\",\"object\":\"{object}\",\"attributes\":{{\"地点\":\"第{n}层\"}},\"importance\":0.5}}"
        );
        let began = Instant::now();
        called(&namespace, "create_memory", &call)?;
        answered.push(began.elapsed());
        // Every so often until it is embedded and found by its meaning, too.
        if n % every == every - 1 {
            memory.wait_idle()?;
            complete.push(began.elapsed());
        }
    }
    table.line(
        "G-135 create_memory, until the tool answers",
        &answered,
        100.0,
    )?;
    table.line(
        "G-135 create_memory, embedded and indexed",
        &complete,
        500.0,
    )?;
    while namespace
        .admin()
        .stats()?
        .by_status
        .get(Status::Staged.as_str())
        .is_some_and(|staged| *staged > 0)
    {
        drop(memory.maintain(true, Mode::Commit)?);
    }
    memory.wait_idle()?;
    for (depth, limit) in [(1, 2000.0), (2, 5000.0)] {
        let found = measured(calls / 5, calls, |_| {
            let question = format!(
                "为什么{}{}",
                chinese(&zipf, 2, &mut random),
                chinese(&zipf, 3, &mut random)
            );
            namespace
                .recall(
                    Query::new(question)
                        .mode(RecallMode::Deep)
                        .expand_depth(depth),
                )
                .map(drop)
        })?;
        table.line(
            &format!("G-136 search, {memories} memories, depth {depth}"),
            &found,
            limit,
        )?;
    }
    Ok(())
}

/// G-139: that graph, opened and asked by a process of its own.
fn opened(path: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let mut opened = Vec::new();
    for _ in 0..5 {
        let child = std::process::Command::new(std::env::current_exe()?)
            .args(["times-opened", "0"])
            .arg(path)
            .output()?;
        let millis: f64 = String::from_utf8_lossy(&child.stdout).trim().parse()?;
        opened.push(Duration::from_secs_f64(millis / 1e3));
    }
    table.line(
        &format!(
            "G-139 open and first search, {} memories, a process each",
            sizes.memories
        ),
        &opened,
        5000.0,
    )
}

/// C-126: a companion's store that a process owns for others, and a client that comes to it.
///
/// # Errors
/// When the file cannot be written.
pub fn service(path: &Path, sizes: &Sizes, table: &mut Limits<'_>) -> Outcome {
    let Sizes {
        memories, calls, ..
    } = *sizes;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let filled = Memory::open(path)?;
    let namespace = filled.create_namespace("bench", "companion")?;
    let texts = (0..memories).map(|_| NewMemory::builder(zipf.text(12, &mut random)).build());
    namespace
        .bulk()
        .remember(texts.collect::<Result<_, _>>()?)?;
    filled.wait_idle()?;
    drop((namespace, filled));
    let asked = |options: Options| -> Result<Memory, Box<dyn std::error::Error>> {
        let memory = options.share(true).open(path)?;
        memory.namespace("bench")?.recall("为什么下雨")?;
        Ok(memory)
    };
    let started = measured(0, calls.div_ceil(15), |_| {
        asked(Options::new().keep(true)).map(drop)
    })?;
    table.line(
        &format!("C-126 start of a service and first search, {memories} memories"),
        &started,
        5000.0,
    )?;
    let owner = asked(Options::new().keep(true))?;
    let connected = measured(5, calls, |_| asked(Options::new()).map(drop))?;
    drop(owner);
    table.line(
        "C-126 a client connects to a warm service and searches",
        &connected,
        50.0,
    )
}
