//! Recall and times on vectors of your own: raw little-endian f32, row after row; or on the lines
//! of a text (`*.txt`), which the built-in table embeds (256 dimensions).
//!
//! `cargo run --release -p annals-vector --example measure -- FILE DIMS ROWS QUERIES [BUILD_WIDTH]
//! [SLACK_PERCENT] [DEGREE]`
//!
//! The first ROWS vectors are indexed, the following QUERIES are searched. Recall is against exact
//! f32 cosines.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a measurement for the command line"
)]

use std::io::Read;
use std::ops::ControlFlow;
use std::time::Instant;

use annals_types::profile::VectorSettings;
use annals_types::{Commit, Embedder as _, Purpose, Row};
use annals_vector::embed::BuiltinEmbedder;
use annals_vector::{Hit, Index, Query, Recipe, Shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|a| a.parse::<usize>().ok());
    let (Some(file), Some(dims), Some(rows), Some(queries)) =
        (args.first(), number(1), number(2), number(3))
    else {
        return Err("measure FILE DIMS ROWS QUERIES [BUILD_WIDTH] [SLACK_PERCENT] [DEGREE]".into());
    };
    let shape = Shape::new(dims)?;
    let vectors = read(file, dims, rows + queries)?;
    let (base, asked) = vectors.split_at(rows * dims);
    let mut index = Index::new(shape, VectorSettings::default());
    let start = Instant::now();
    for (row, vector) in (0_u32..).zip(base.chunks_exact(dims)) {
        index.append(Row(row), &shape.encode(vector)?)?;
    }
    println!(
        "append {:?} for {rows} rows of {dims}, {} MB",
        start.elapsed(),
        index.bytes() >> 20
    );
    let prepared: Vec<Query> = asked
        .chunks_exact(dims)
        .map(|v| shape.query(v))
        .collect::<Result<_, _>>()?;
    let truth: Vec<Vec<f32>> = if rows <= 200_000 {
        asked
            .chunks_exact(dims)
            .map(|q| exact(base, dims, q))
            .collect()
    } else {
        Vec::new()
    };
    let scan: Vec<Vec<Hit>> = timed("exact scan", &prepared, |q| {
        index.search_exact(q, 10, |_| true)
    });
    report(&truth, &scan, &scan, base, dims, asked);

    let settings = VectorSettings::default();
    let recipe = Recipe {
        width: number(4).unwrap_or(settings.build_candidates as usize),
        slack: number(5).map_or(Recipe::default().slack, |percent| percent as f32 / 100.0),
        degree: number(6).unwrap_or(settings.degree as usize),
        ..Recipe::default()
    };
    let start = Instant::now();
    let graph = index.build_with(Commit::ZERO, recipe, &mut |_, _| ControlFlow::Continue(()))?;
    println!("build {:?} {recipe:?}, peak {} MB", start.elapsed(), peak());
    println!(
        "graph {} bytes a row, mean degree {:.1}",
        graph.bytes() / rows,
        graph.mean_degree()
    );
    index.adopt(graph);
    for width in [64, 128, 192, 256, 320, 384, 512] {
        let hits = timed(&format!("width {width}"), &prepared, |q| {
            index.search(q, 10, Some(width), |_| true)
        });
        report(&truth, &hits, &scan, base, dims, asked);
    }
    for percent in [50, 20, 10, 2] {
        let keep = |row: Row| row.0.wrapping_mul(0x9E37_79B9) >> 8 < (1 << 24) / 100 * percent;
        let all = timed("exact, filtered", &prepared, |q| {
            index.search_exact(q, 10, keep)
        });
        let hits = timed(&format!("filter {percent}%"), &prepared, |q| {
            index.search(q, 10, None, keep)
        });
        println!("    agreement {:.4}", agreement(&hits, &all));
    }
    Ok(())
}

fn read(file: &str, dims: usize, rows: usize) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    if file.ends_with(".txt") {
        let text = std::fs::read_to_string(file)?;
        let lines: Vec<&str> = text.lines().take(rows).collect();
        return Ok(BuiltinEmbedder::new()
            .embed(&lines, Purpose::Passage)?
            .concat());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(file)?
        .take((rows * dims * 4) as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect())
}

/// The cosines of the ten best rows, by f32.
fn exact(base: &[f32], dims: usize, query: &[f32]) -> Vec<f32> {
    let mut scores: Vec<f32> = base.chunks_exact(dims).map(|v| dot(v, query)).collect();
    scores.sort_unstable_by(|a, b| b.total_cmp(a));
    scores.truncate(10);
    scores
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    for (x, y) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for ((s, x), y) in sums.iter_mut().zip(x).zip(y) {
            *s += x * y;
        }
    }
    sums.iter().sum()
}

fn timed(what: &str, queries: &[Query], search: impl Fn(&Query) -> Vec<Hit>) -> Vec<Vec<Hit>> {
    let mut times = Vec::new();
    let mut hits = Vec::new();
    for query in queries {
        let start = Instant::now();
        hits.push(search(query));
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!(
        "{what}: p50 {:?} p99 {:?}",
        times[times.len() / 2],
        times[times.len() * 99 / 100]
    );
    hits
}

fn report(
    truth: &[Vec<f32>],
    hits: &[Vec<Hit>],
    scan: &[Vec<Hit>],
    base: &[f32],
    dims: usize,
    asked: &[f32],
) {
    let mut good = 0;
    for ((best, hits), query) in truth.iter().zip(hits).zip(asked.chunks_exact(dims)) {
        let worst = best.last().copied().unwrap_or(0.0) - 1e-6;
        good += hits
            .iter()
            .filter(|h| dot(&base[h.row.index() * dims..][..dims], query) >= worst)
            .count();
    }
    let recall = good as f64 / (truth.len().max(1) * 10) as f64;
    println!(
        "    recall@10 against f32 {recall:.4}, against int8 {:.4}",
        agreement(hits, scan)
    );
}

fn agreement(hits: &[Vec<Hit>], exact: &[Vec<Hit>]) -> f64 {
    let same = |(a, b): (&Vec<Hit>, &Vec<Hit>)| {
        a.iter()
            .filter(|h| b.iter().any(|o| o.row == h.row))
            .count()
    };
    let all: usize = exact.iter().map(Vec::len).sum();
    hits.iter().zip(exact).map(same).sum::<usize>() as f64 / all.max(1) as f64
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
