#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a program that measures"
)]
//! What a durable commit costs, beside a bare commit of redb in the same file.
//!
//! `cargo run --release -p annals-storage --example commit_cost -- [FOLDER] [ROWS]`
//!
//! ROWS (default 10,000) rows of six values each are written first. Prints the median of each kind and the ratio to the bare
//! commit, then the rate of 1, 4 and 16 writers. On a busy machine the figures are those of its scheduler: stop other work.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use annals_storage::{Keyspace, Options, StorageError, Store, Transaction};
use redb::{Builder, Database, TableDefinition};

/// The values that remembering one turn writes: bytes each, and whether the key is the same each time.
const REMEMBER: [(Keyspace, usize, bool); 6] = [
    (Keyspace::new("cost.row"), 600, false),
    (Keyspace::new("cost.id"), 24, false),
    (Keyspace::new("cost.forward"), 200, false),
    (Keyspace::new("cost.vector"), 260, false),
    (Keyspace::new("cost.event"), 60, false),
    (Keyspace::new("cost.head"), 60, true),
];
const ONE: Keyspace = Keyspace::new("cost.one");
const BARE: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("cost.bare");
const ROUNDS: u32 = 5;
const COMMITS: u32 = 200;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    let rows: u32 = arguments.next().map_or(10_000, |n| n.parse().unwrap());
    let folder = tempfile::tempdir_in(folder).unwrap();
    let path = folder.path().join("cost.annals");
    fill(&Store::open(&path).unwrap(), rows);
    println!("{rows} rows, file of {} MB", std::fs::metadata(&path).unwrap().len() >> 20);

    {
        let store = Store::open(&path).unwrap();
        let opened = resident();
        let values = store.validate().unwrap().values;
        println!("resident: {opened} KB after opening, {} KB after reading all {values} values", resident());
    }

    let (mut bare, mut one, mut six) = (Vec::new(), Vec::new(), Vec::new());
    let mut next = rows;
    for _ in 0..ROUNDS {
        {
            let database = Builder::new().set_cache_size(16 << 20).open(&path).unwrap();
            bare.extend((0..COMMITS).map(|i| timed(|| bare_commit(&database, next + i))));
        }
        let store = Store::open(&path).unwrap();
        one.extend(
            (0..COMMITS).map(|i| timed(|| write(&store, |tx| tx.put(ONE, &key(next + i), 1, &body(next, 1500))))),
        );
        six.extend((0..COMMITS).map(|i| timed(|| write(&store, |tx| remember(tx, next + i)))));
        next += COMMITS;
    }
    let base = median(&mut bare);
    for (name, times) in
        [("bare redb, one put of 1.5 KB", &mut bare), ("one put of 1.5 KB", &mut one), ("six puts", &mut six)]
    {
        let p50 = median(times);
        println!("{name:<30} p50 {:>7.3} ms  {:>5.2}x", p50 * 1e3, p50 / base);
    }
    rates(&path, next);
}

fn rates(path: &Path, mut next: u32) {
    let store = Options::default().open(path).unwrap();
    let mut single = 0.0;
    for writers in [1, 4, 16, 1, 4, 16] {
        let each = 4000 / if writers == 1 { 2 } else { writers };
        let before = store.stats().unwrap();
        let took = timed(|| {
            // Rows of one namespace are numbered in the order of their commits.
            let row = AtomicU32::new(next);
            std::thread::scope(|scope| {
                for _ in 0..writers {
                    scope.spawn(|| {
                        for _ in 0..each {
                            write(&store, |tx| remember(tx, row.fetch_add(1, Ordering::Relaxed)));
                        }
                    });
                }
            });
        });
        next += writers * each;
        let rate = f64::from(writers * each) / took;
        if writers == 1 {
            single = rate;
        }
        let groups = store.stats().unwrap().groups - before.groups;
        println!(
            "{writers:>2} writers: {rate:>7.0} commits/s  {:>5.2}x  ({} jobs in {groups} groups)",
            rate / single,
            writers * each
        );
    }
}

fn write(store: &Store, job: impl FnMut(&mut Transaction<'_>) -> Result<(), StorageError> + Send) {
    store.write(job, |(), _| {}).unwrap();
}

fn remember(tx: &mut Transaction<'_>, i: u32) -> Result<(), StorageError> {
    for (keyspace, bytes, same) in REMEMBER {
        tx.put(keyspace, &key(if same { 0 } else { i }), 1, &body(i, bytes))?;
    }
    Ok(())
}

fn fill(store: &Store, rows: u32) {
    for start in (0..rows).step_by(1000) {
        write(store, |tx| (start..rows.min(start + 1000)).try_for_each(|i| remember(tx, i)));
    }
}

fn bare_commit(database: &Database, i: u32) {
    let transaction = database.begin_write().unwrap();
    transaction.open_table(BARE).unwrap().insert(key(i).as_slice(), body(i, 1500).as_slice()).unwrap();
    transaction.commit().unwrap();
}

fn key(i: u32) -> [u8; 8] {
    let mut key = [0, 0, 0, 1, 0, 0, 0, 0];
    key[4..].copy_from_slice(&i.to_be_bytes());
    key
}

/// Bytes that do not compress.
fn body(seed: u32, bytes: usize) -> Vec<u8> {
    let mut state = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    std::iter::repeat_with(next).take(bytes).collect()
}

fn timed(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    Duration::as_secs_f64(&start.elapsed())
}

/// The memory of this process that is in use, in KB; 0 where the system does not say.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
