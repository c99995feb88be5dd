//! A large namespace on disk: writing, building and publishing the graph, loading it again,
//! searching, deleting.
//!
//! `cargo run --release -p annals-vector --example disk -- FILE DIMS ROWS DATABASE [BUILD_WIDTH]`
//!
//! FILE holds raw little-endian f32, row after row; 200 vectors after the first ROWS are the
//! queries. A DATABASE that is there is only searched.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement for the command line"
)]

use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use annals_storage::{Keyspace, Options, Store};
use annals_types::profile::VectorSettings;
use annals_types::{Fingerprint, NamespaceId, Row};
use annals_vector::store::{Space, Spaces};
use annals_vector::{Code, Index, Query, Recipe, Shape, VectorError};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|a| a.parse::<usize>().ok());
    let (Some(file), Some(dims), Some(rows), Some(database)) =
        (args.first(), number(1), number(2), args.get(3))
    else {
        return Err("disk FILE DIMS ROWS DATABASE [BUILD_WIDTH]".into());
    };
    let shape = Shape::new(dims)?;
    let space = Space::new(NamespaceId(1), 0);
    if std::fs::exists(database)? {
        let mut reader = BufReader::new(File::open(file)?);
        reader.seek_relative((rows * dims * 4).try_into()?)?;
        let mut vectors = Vectors { reader, dims };
        let queries: Vec<Query> = (0..200)
            .map(|_| Ok(shape.query(&vectors.next()?)?))
            .collect::<Result<_, Failure>>()?;
        return reopen(database, space, shape, &queries);
    }
    let mut vectors = Vectors {
        reader: BufReader::new(File::open(file)?),
        dims,
    };
    let store = Options::default().open(database)?;
    store.write::<_, VectorError>(|tx| {
        let mut spaces = Spaces::default();
        spaces.ensure(&Fingerprint("random".to_owned()), shape);
        spaces.write(tx, NamespaceId(1))
    })?;
    let index = import(&store, space, shape, &mut vectors, rows)?;
    println!("in memory {} MB, peak {} MB", index.bytes() >> 20, peak());
    let queries: Vec<Query> = (0..200)
        .map(|_| Ok(shape.query(&vectors.next()?)?))
        .collect::<Result<_, Failure>>()?;
    let start = Instant::now();
    let loaded = space.load(&store.snapshot()?, shape, VectorSettings::default())?;
    println!(
        "load without a graph {:?} for {} rows",
        start.elapsed(),
        loaded.index.len()
    );
    drop(loaded);

    let build = space.begin_build(&store, Arc::new(|_| Ok(true)))?;
    let (start, before) = (Instant::now(), processor());
    let recipe = Recipe {
        width: number(4).unwrap_or(Recipe::default().width),
        ..Recipe::default()
    };
    let mut told = 0;
    let graph = index.build_with(build.commit(), recipe, &mut |done, total| {
        if done >= told + total / 10 {
            told = done;
            println!("  {done} of {total} after {:?}", start.elapsed());
        }
        ControlFlow::Continue(())
    })?;
    println!(
        "build {:?}, {:?} of processor time, peak {} MB",
        start.elapsed(),
        processor() - before,
        peak()
    );
    println!(
        "{} bytes a row for search, {:.1} neighbours",
        graph.bytes() / rows,
        graph.mean_degree()
    );
    let start = Instant::now();
    Space::publish(build, &store, &graph, |_| ())?;
    println!("publish {:?}, peak {} MB", start.elapsed(), peak());
    drop((index, graph, store));
    println!("file {} MB", std::fs::metadata(database)?.len() >> 20);
    reopen(database, space, shape, &queries)
}

fn reopen(database: &str, space: Space, shape: Shape, queries: &[Query]) -> Result<(), Failure> {
    let store = Options::default().open(database)?;
    for _ in 0..3 {
        let start = Instant::now();
        let loaded = space.load(&store.snapshot()?, shape, VectorSettings::default())?;
        let took = start.elapsed();
        let first = Instant::now();
        let hits = loaded.index.search(&queries[0], 10, None, |_| true);
        println!(
            "load {took:?}, first search {:?}, {} hits, rebuild {:?}",
            first.elapsed(),
            hits.len(),
            loaded.rebuild
        );
    }
    let index = space
        .load(&store.snapshot()?, shape, VectorSettings::default())?
        .index;
    let exact: Vec<_> = queries
        .iter()
        .map(|q| index.search_exact(q, 10, |_| true))
        .collect();
    for width in [64, 96, 128, 192, 256, 384, 512, 1024] {
        let (mut times, mut same) = (Vec::new(), 0);
        for (query, exact) in queries.iter().zip(&exact) {
            let start = Instant::now();
            let hits = index.search(query, 10, Some(width), |_| true);
            times.push(start.elapsed());
            same += hits.iter().filter(|h| exact.contains(h)).count();
        }
        times.sort_unstable();
        let recall = same as f64 / (exact.len() * 10) as f64;
        println!(
            "width {width}: p50 {:?} p99 {:?}, recall@10 against int8 {recall:.4}",
            times[100], times[198]
        );
    }
    let mut plain = Vec::new();
    let mut delete = Vec::new();
    for row in 0..50 {
        let start = Instant::now();
        store.write::<(), VectorError>(|tx| {
            Ok(tx.put(Keyspace::new("measure"), &[row], 1, &[0; 1500])?)
        })?;
        plain.push(start.elapsed());
        let start = Instant::now();
        store.write(|tx| space.delete(tx, Row(u32::from(row) * 17)))?;
        delete.push(start.elapsed());
    }
    plain.sort_unstable();
    delete.sort_unstable();
    println!(
        "a commit of 1.5 KB p50 {:?}, a deletion p50 {:?}",
        plain[25], delete[25]
    );
    Ok(())
}

struct Vectors {
    reader: BufReader<File>,
    dims: usize,
}

impl Vectors {
    fn next(&mut self) -> Result<Vec<f32>, Failure> {
        let mut bytes = vec![0; self.dims * 4];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes
            .as_chunks::<4>()
            .0
            .iter()
            .map(|b| f32::from_le_bytes(*b))
            .collect())
    }
}

fn import(
    store: &Store,
    space: Space,
    shape: Shape,
    vectors: &mut Vectors,
    rows: usize,
) -> Result<Index, Failure> {
    let mut index = Index::new(shape, VectorSettings::default());
    let start = Instant::now();
    let mut next = 0_u32;
    while (next as usize) < rows {
        let count = (rows - next as usize).min(10_000);
        let codes: Vec<Code> = (0..count)
            .map(|_| Ok(shape.encode(&vectors.next()?)?))
            .collect::<Result<_, Failure>>()?;
        let put = |tx: &mut annals_storage::Transaction<'_>| {
            (next..)
                .zip(&codes)
                .try_for_each(|(row, code)| space.put(tx, Row(row), code))
        };
        store.write::<(), VectorError>(put)?;
        for code in &codes {
            index.append(Row(next), code)?;
            next += 1;
        }
    }
    println!("import {:?} for {rows} rows", start.elapsed());
    Ok(index)
}

fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|l| l.starts_with("VmHWM"))
        .unwrap_or("");
    line.split_whitespace()
        .nth(1)
        .and_then(|n| n.parse::<usize>().ok())
        .unwrap_or(0)
        >> 10
}

/// Processor time of this process so far, where the system tells it.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .skip(11)
        .take(2);
    Duration::from_millis(ticks.filter_map(|t| t.parse::<u64>().ok()).sum::<u64>() * 10)
}
