#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a program that measures"
)]
//! How long opening a large file takes after the process died, and what a commit costs to keep that
//! short.
//!
//! `cargo run --release -p annals-storage --example open_after_kill -- FOLDER [ROWS]`
//!
//! ROWS (default 1,000,000) rows of six values each, about 1.8 KB on disk, are written first. Then
//! child processes write and die without closing the file: right after one small commit, after a
//! pause, after a large commit, and in a long run of small commits.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use annals_storage::{Keyspace, Reads as _, StorageError, Store, Transaction};

const KEYSPACES: [(Keyspace, usize); 6] = [
    (Keyspace::new("kill.row"), 600),
    (Keyspace::new("kill.id"), 24),
    (Keyspace::new("kill.forward"), 200),
    (Keyspace::new("kill.vector"), 260),
    (Keyspace::new("kill.event"), 60),
    (Keyspace::new("kill.head"), 60),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, kind, path] = &arguments[..]
        && let Some(kind) = kind.strip_prefix("--die-")
    {
        die(kind, Path::new(path));
    }
    let folder = arguments.get(1).map_or(".", String::as_str);
    let rows: u32 = arguments.get(2).map_or(1_000_000, |n| n.parse().unwrap());
    let folder = tempfile::tempdir_in(folder).unwrap();
    let path = folder.path().join("kill.annals");
    let filling = Instant::now();
    let store = Store::open(&path).unwrap();
    for start in (0..rows).step_by(1000) {
        write(&store, |tx| {
            (start..rows.min(start + 1000)).try_for_each(|row| put(tx, row))
        });
    }
    println!("{rows} rows in {:.1} s", filling.elapsed().as_secs_f64());
    let closing = Instant::now();
    drop(store);
    println!(
        "closed in {:.1} ms, {} MB",
        millis(closing),
        std::fs::metadata(&path).unwrap().len() >> 20
    );
    open("after a clean close", &path);
    for (kind, label) in [
        ("small", "died right after a small commit"),
        ("pause", "died 100 ms after a small commit"),
        ("large", "died right after a commit of 1,000 rows"),
        ("long", "died in a run of small commits"),
    ] {
        let output = Command::new(std::env::current_exe().unwrap())
            .arg(format!("--die-{kind}"))
            .arg(&path)
            .output()
            .unwrap();
        print!("{}", String::from_utf8_lossy(&output.stdout));
        open(label, &path);
    }
}

fn open(label: &str, path: &Path) {
    let opening = Instant::now();
    let store = Store::open(path).unwrap();
    let opened = millis(opening);
    assert!(
        store
            .snapshot()
            .unwrap()
            .get(KEYSPACES[0].0, &key(77))
            .unwrap()
            .is_some()
    );
    println!(
        "{label:<46} open {opened:>8.1} ms, with a first read {:>8.1} ms",
        millis(opening)
    );
}

fn die(kind: &str, path: &Path) -> ! {
    let store = Store::open(path).unwrap();
    let next = u32::try_from(store.commit().0).unwrap() * 1000 + 2_000_000_000;
    match kind {
        "pause" => {
            write(&store, |tx| put(tx, next));
            std::thread::sleep(Duration::from_millis(100));
        }
        "large" => write(&store, |tx| {
            (next..next + 1000).try_for_each(|row| put(tx, row))
        }),
        "long" => long(&store, next),
        _ => write(&store, |tx| put(tx, next)),
    }
    std::process::abort();
}

fn long(store: &Store, next: u32) {
    let mut times: Vec<f64> = (next..next + 2000)
        .map(|row| {
            let began = Instant::now();
            write(store, |tx| put(tx, row));
            millis(began)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "six puts: p50 {:.3} ms, p99 {:.3} ms, slowest {:.1} ms",
        times[1000], times[1980], times[1999]
    );
}

fn write(store: &Store, job: impl FnMut(&mut Transaction<'_>) -> Result<(), StorageError> + Send) {
    store.write(job).unwrap();
}

fn put(tx: &mut Transaction<'_>, row: u32) -> Result<(), StorageError> {
    KEYSPACES.iter().try_for_each(|&(keyspace, bytes)| {
        let row = if keyspace.name() == "kill.head" {
            0
        } else {
            row
        };
        tx.put(keyspace, &key(row), 1, &vec![row.to_le_bytes()[0]; bytes])
    })
}

fn key(row: u32) -> [u8; 8] {
    let mut key = [0, 0, 0, 1, 0, 0, 0, 0];
    key[4..].copy_from_slice(&row.to_be_bytes());
    key
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
