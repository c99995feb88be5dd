//! The measurements of docs/measurements.md: `report <what> [rows] [file]`. A file that is named is
//! kept; one that `fill` has filled can be asked again and again with `recall 0 FILE`.
//!
//! recall ROWS | graph ROWS | remember ROWS | writers MEMORIES | import ROWS | open ROWS | disk
//! ROWS | memory ROWS | deletion TRIPLES | jobs MEMORIES | star EDGES | subgraphs MEMORIES | times
//! | calls | share

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use annals::blocking::{Memory, Namespace};
use annals::graph::Assertion;
use annals::profile::RecallMode;
use annals::{NewMemory, NewTurn, Query};
use annals_benches::figures::{percentiles, processor_time, resident};
use annals_benches::{Pages, Random, Zipf, chinese, report};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SESSION: usize = 25;

fn main() -> Outcome {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let what = args.first().map_or("", String::as_str);
    let rows = args.get(1).map_or(Ok(10_000), |n| n.parse::<usize>())?;
    let folder = tempfile::tempdir()?;
    let path = args
        .get(2)
        .map_or_else(|| folder.path().join("m.annals"), PathBuf::from);
    match what {
        "recall" => recall(&path, rows),
        "graph" => graph(&path, rows),
        "remember" => remember(&path, rows),
        "writers" => writers(&path, rows),
        "import" => import(&path, rows),
        "open" => open(&path, rows),
        "disk" => disk(&path, rows),
        "memory" => memory(&path, rows),
        "deletion" => report::deletion(&path, rows),
        "jobs" => report::jobs(&path, rows),
        "star" => report::star(&path, rows),
        "subgraphs" => report::subgraphs(&path, rows),
        "calls" => report::calls(),
        "share" => report::share(),
        "times" => report::times(folder.path()),
        // For `times`: opens a file and asks.
        "times-opened" => report::times_opened(&path),
        // For `subgraphs`: opens a file and asks.
        "subgraphs-opened" => report::subgraphs_opened(&path),
        // For `open`: opens a file and asks one question.
        "first" => first(&path),
        // For `open`: fills a file and waits to be killed.
        "fill" => fill_and_wait(&path, rows),
        _ => Err(
            "report recall|graph|remember|writers|import|open|disk|memory|deletion|jobs|star|subgraphs|times|calls|share [ROWS] [FILE]"
                .into(),
        ),
    }
}

fn turns(rows: std::ops::Range<usize>, zipf: &Zipf, random: &mut Random) -> Vec<NewTurn> {
    rows.filter_map(|n| {
        NewTurn::builder(format!("s{}", n / SESSION), zipf.text(30, random))
            .build()
            .ok()
    })
    .collect()
}

/// Imports rows in batches of 1,000; answers the time of the import alone and of the background
/// work after it.
fn fill(memory: &Memory, rows: usize) -> Result<(Namespace, Duration, Duration), annals::Error> {
    let namespace = memory.namespace("bench")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let mut busy = Duration::ZERO;
    for start in (0..rows).step_by(1000) {
        let batch = turns(start..rows.min(start + 1000), &zipf, &mut random);
        let began = Instant::now();
        namespace.sessions().append(batch)?;
        busy += began.elapsed();
    }
    let began = Instant::now();
    memory.wait_idle()?;
    Ok((namespace, busy, began.elapsed()))
}

fn recall(path: &Path, rows: usize) -> Outcome {
    let memory = Memory::open(path)?;
    let (namespace, busy, after) = fill(&memory, rows)?;
    println!("{rows} rows imported in {busy:.1?}, background work {after:.1?} more");
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    for _ in 0..200 {
        namespace.recall(zipf.text(6, &mut random))?;
    }
    let mut times = Vec::new();
    for _ in 0..1000 {
        let question = zipf.text(6, &mut random);
        let began = Instant::now();
        namespace.recall(question)?;
        times.push(began.elapsed());
    }
    println!("recall {rows}: {}", percentiles(times));
    println!(
        "resident {} MB, open namespaces {} MB",
        resident() >> 20,
        memory.stats()?.memory_bytes >> 20
    );
    Ok(())
}

/// Recall with ten triples a memory, of as many entities as memories: a question that names one of
/// them, with and without the graph.
fn graph(path: &Path, rows: usize) -> Outcome {
    let memory = Memory::open(path)?;
    let namespace = memory.namespace("bench")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(1));
    let entity = |random: &mut Random| format!("Entity{}", random.number() % rows as u64);
    let mut told = Vec::new();
    for start in (0..rows).step_by(1000) {
        for id in
            namespace
                .sessions()
                .append(turns(start..rows.min(start + 1000), &zipf, &mut random))?
        {
            let subject = entity(&mut random);
            let triple = |n| Assertion::new(subject.as_str(), format!("p{n}"), entity(&mut random));
            told.push((id, (0..TRIPLES).map(triple).collect::<Vec<_>>()));
        }
    }
    let began = Instant::now();
    let share = told.len().div_ceil(WRITERS).max(1);
    std::thread::scope(|scope| {
        let write = |part: &[(annals::MemoryId, Vec<Assertion>)]| {
            part.iter()
                .try_for_each(|(id, said)| namespace.graph().add_triples(*id, said).map(drop))
        };
        let writers: Vec<_> = told
            .chunks(share)
            .map(|part| scope.spawn(move || write(part)))
            .collect();
        writers
            .into_iter()
            .try_for_each(|writer| writer.join().unwrap_or(Ok(())))
    })?;
    memory.wait_idle()?;
    println!(
        "{} triples in {:.1?}",
        namespace.graph().stats()?.triples,
        began.elapsed()
    );
    for (name, mode, depth) in [
        ("fast", RecallMode::Fast, 0),
        ("auto", RecallMode::Auto, 0),
        ("deep, 1 step", RecallMode::Deep, 1),
        ("deep, 2 steps", RecallMode::Deep, 2),
    ] {
        let mut random = Random::new(2);
        let mut times = Vec::new();
        for n in 0..1200 {
            let question = format!("{} {}", zipf.text(5, &mut random), entity(&mut random));
            let began = Instant::now();
            namespace.recall(Query::new(question).mode(mode).expand_depth(depth))?;
            if n >= 200 {
                times.push(began.elapsed());
            }
        }
        println!("recall {rows}, {name}: {}", percentiles(times));
    }
    Ok(())
}

/// Triples of a memory, and threads that store them.
const TRIPLES: usize = 10;
const WRITERS: usize = 16;

/// Durable remembers against bare redb commits of one 1.5 KB put into the same file, in turns.
fn remember(path: &Path, rows: usize) -> Outcome {
    let memory = Memory::open(path)?;
    fill(&memory, rows)?;
    memory.namespace("bench")?.recall("open it")?;
    let (zipf, mut random) = (Zipf::english(), Random::new(3));
    let mut times = [Vec::new(), Vec::new()];
    for n in 0..400 {
        let texts = [zipf.text(40, &mut random), chinese(&zipf, 100, &mut random)];
        for (text, times) in texts.into_iter().zip(&mut times) {
            let turn = NewTurn::builder(format!("now{}", n / SESSION), text).build()?;
            let namespace = memory.namespace("bench")?;
            let began = Instant::now();
            namespace.remember(turn)?;
            times.push(began.elapsed());
        }
    }
    drop(memory);
    let table: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("bench.puts");
    let db = redb::Builder::new()
        .set_cache_size(32 << 20)
        .create_with_backend(Pages::open(path)?)?;
    let mut bare = Vec::new();
    for n in 0..400_u64 {
        let value = vec![n as u8; 1500];
        let began = Instant::now();
        let txn = db.begin_write()?;
        txn.open_table(table)?
            .insert(n.to_be_bytes().as_slice(), value.as_slice())?;
        txn.commit()?;
        bare.push(began.elapsed());
    }
    let median = |times: &[Duration]| {
        let mut sorted = times.to_vec();
        sorted.sort_unstable();
        sorted
            .get(sorted.len() / 2)
            .map_or(f64::NAN, Duration::as_secs_f64)
    };
    let base = median(&bare);
    println!(
        "bare redb commit of 1.5 KB at {rows}: p50 {:.3} ms",
        base * 1e3
    );
    for (name, times) in ["40 English words", "100 Chinese characters"]
        .iter()
        .zip(times)
    {
        println!(
            "remember {name} at {rows}: {}  ratio {:.2}",
            percentiles(times.clone()),
            median(&times) / base
        );
    }
    Ok(())
}

/// One writer and sixteen in turns, `memories` each time; medians over the turns, so that a moment
/// of a busy disk does not count. The threads stay, as those of a server do: what each keeps (stems
/// of words) is warm after the first turns.
fn writers(path: &Path, memories: usize) -> Outcome {
    const TURNS: usize = 7;
    const WRITERS: usize = 16;
    let memory = Memory::open(path)?;
    let namespace = memory.namespace("bench")?;
    namespace.remember("begin")?;
    namespace.recall("open it")?;
    let (zipf, mut random) = (Zipf::english(), Random::new(4));
    let phases: Vec<usize> = [1, WRITERS].repeat(TURNS);
    let mut texts: Vec<Vec<Vec<String>>> = vec![Vec::new(); WRITERS];
    for threads in &phases {
        for (writer, texts) in texts.iter_mut().enumerate() {
            let count = if writer < *threads {
                (memories / threads).max(1)
            } else {
                0
            };
            texts.push((0..count).map(|_| zipf.text(40, &mut random)).collect());
        }
    }
    let gate = std::sync::Barrier::new(WRITERS + 1);
    // Seconds on the clock and of the processors, for one memory.
    let mut turns = [Vec::new(), Vec::new()];
    std::thread::scope(|scope| {
        let write = |texts: Vec<Vec<String>>| {
            let (namespace, gate) = (namespace.clone(), &gate);
            move || {
                let mut outcome = Ok(());
                for texts in texts {
                    gate.wait();
                    let written = texts
                        .into_iter()
                        .try_for_each(|text| namespace.remember(text).map(drop));
                    outcome = outcome.and(written);
                    gate.wait();
                }
                outcome
            }
        };
        let handles: Vec<_> = texts
            .into_iter()
            .map(|texts| scope.spawn(write(texts)))
            .collect();
        for (phase, threads) in phases.iter().enumerate() {
            gate.wait();
            let (began, busy) = (Instant::now(), processor_time());
            gate.wait();
            let memories = ((memories / threads).max(1) * threads) as f64;
            let figures = (
                began.elapsed().as_secs_f64() / memories,
                (processor_time() - busy).as_secs_f64() / memories,
            );
            if let Some(turns) = turns.get_mut(phase % 2) {
                turns.push(figures);
            }
        }
        handles
            .into_iter()
            .try_for_each(|handle| handle.join().unwrap_or(Ok(())))
    })?;
    let median = |mut figures: Vec<f64>| {
        figures.sort_unstable_by(f64::total_cmp);
        figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let [one, sixteen] = turns.map(|figures| {
        let (wall, busy) = figures.into_iter().unzip();
        (1.0 / median(wall), median(busy) * 1e6)
    });
    let line = |(rate, busy): (f64, f64)| format!("{rate:.0}/s ({busy:.0} us of processor each)");
    println!(
        "one writer {}, {WRITERS} writers {}, ratio {:.2}",
        line(one),
        line(sixteen),
        sixteen.0 / one.0
    );
    Ok(())
}

fn import(path: &Path, rows: usize) -> Outcome {
    let memory = Memory::open(path)?;
    let (_, busy, after) = fill(&memory, rows)?;
    println!(
        "import {rows}: {:.0} turns/s, background work {after:.1?} more",
        rows as f64 / busy.as_secs_f64()
    );
    Ok(())
}

fn disk(path: &Path, rows: usize) -> Outcome {
    let memory = Memory::open(path)?;
    fill(&memory, rows)?;
    let report = memory.compact()?;
    let each = |bytes: u64| bytes as f64 / rows as f64 / 1000.0;
    println!(
        "disk {rows}: {:.2} KB a memory after import, {:.2} KB after compact",
        each(report.before_bytes),
        each(report.after_bytes)
    );
    Ok(())
}

fn memory(path: &Path, rows: usize) -> Outcome {
    drop(fill(&Memory::open(path)?, rows)?);
    let child = std::process::Command::new(std::env::current_exe()?)
        .args(["fill", "0"])
        .arg(path)
        .stdout(std::process::Stdio::piped())
        .output()?;
    print!("{}", String::from_utf8_lossy(&child.stdout));
    Ok(())
}

/// With 0 rows: opens, asks warm questions, prints resident memory. Otherwise fills and waits to be
/// killed.
fn fill_and_wait(path: &Path, rows: usize) -> Outcome {
    let memory = Memory::open(path)?;
    if rows > 0 {
        fill(&memory, rows)?;
        let namespace = memory.namespace("bench")?;
        namespace.remember(NewMemory::builder("the last one before the end").build()?)?;
        println!("ready");
        loop {
            std::thread::park();
        }
    }
    let namespace = memory.namespace("bench")?;
    let (zipf, mut random) = (Zipf::default(), Random::new(2));
    for _ in 0..500 {
        namespace.recall(Query::new(zipf.text(6, &mut random)))?;
    }
    println!(
        "open and warm: resident {} MB, of it namespaces {} MB",
        resident() >> 20,
        memory.stats()?.memory_bytes >> 20
    );
    Ok(())
}

/// Opening after a clean end and after a kill, and the first answer.
fn open(path: &Path, rows: usize) -> Outcome {
    use std::io::BufRead;
    let mut child = std::process::Command::new(std::env::current_exe()?)
        .args(["fill", &rows.to_string()])
        .arg(path)
        .stdout(std::process::Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    std::io::BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    child.kill()?;
    child.wait()?;
    // Each in a process of its own: memory that an earlier opening left to this one would make it
    // faster.
    for kind in ["after kill -9", "after a clean end", "after a clean end"] {
        let child = std::process::Command::new(std::env::current_exe()?)
            .args(["first", "1"])
            .arg(path)
            .output()?;
        print!("{kind}: {}", String::from_utf8_lossy(&child.stdout));
    }
    Ok(())
}

fn first(path: &Path) -> Outcome {
    let began = Instant::now();
    let memory = Memory::open(path)?;
    let opened = began.elapsed();
    let began = Instant::now();
    let hits = memory
        .namespace("bench")?
        .recall("the last one before the end")?;
    println!(
        "open {opened:.1?}, first answer {:.1?} ({} hits)",
        began.elapsed(),
        hits.len()
    );
    Ok(())
}
