//! Prints what records cost: appending in memory, loading columns from a file, bytes per row in
//! memory and on disk.
//!
//! `cargo run --release -p annals-records --example measure_records [ROWS]`
#![allow(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a program that prints figures"
)]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use annals_records::TABLES;
use annals_records::{
    Columns, Incoming, Moment, Order, append, append_many, fold_columns, list, memories, namespace,
};
use annals_storage::table::{Scope, keyspaces};
use annals_storage::{KeyRange, Reads, Store};
use annals_types::{
    Filter, IdGenerator, MemoryId, NamespaceId, NamespaceName, NewMemory, NewTurn, Row, Timestamp,
};

type Failure = Box<dyn std::error::Error>;

const BATCH: u32 = 1000;
const TURNS_OF_A_SESSION: u32 = 20;

fn main() -> Result<(), Failure> {
    let rows: u32 = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |text| text.parse())?;
    appends()?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("measure.annals");
    let store = Store::open(&path)?;
    let ns = open(&store)?;
    let mut columns = Columns::empty(ns);
    let start = Instant::now();
    import(&store, ns, rows, &mut columns)?;
    report("import into a file, per row", start.elapsed() / rows);
    let memory = columns.memory_bytes() as f64 / f64::from(rows);
    println!("{:<44}{memory:>10.1} bytes", "columns in memory, per row");
    println!("on disk, per row (the text has 180 bytes):");
    sizes(&store, &path, ns, rows)?;

    let start = Instant::now();
    store.write(|txn| fold_columns(txn, ns, 1024, usize::MAX))?;
    report("fold columns, per row", start.elapsed() / rows);
    sizes(&store, &path, ns, rows)?;
    drop(store);

    let start = Instant::now();
    let store = Store::open(&path)?;
    report("open the file", start.elapsed());
    for name in ["load columns, cold", "load columns, warm"] {
        let start = Instant::now();
        let loaded = Columns::load(&store.snapshot()?, ns)?;
        report(name, start.elapsed());
        assert_eq!(loaded.len(), rows, "all rows are loaded");
    }
    use_columns(&store, ns, columns)
}

fn report(what: &str, time: Duration) {
    println!("{what:<44}{:>10.1} us", time.as_secs_f64() * 1e6);
}

fn open(store: &Store) -> Result<NamespaceId, Failure> {
    let name = NamespaceName::new("measure")?;
    let (space, _) =
        store.write(|txn| namespace::create(txn, &name, "default", Timestamp::default()))?;
    Ok(space.id)
}

/// Turns of about 30 words in sessions of 20, by two speakers.
fn turn(number: u32) -> Result<NewMemory, Failure> {
    let words = (0..30_u32).map(|word| {
        format!(
            "w{:04} ",
            number.wrapping_mul(31).wrapping_add(word * 7919) % 9973
        )
    });
    let text: String = words.collect();
    let speaker = if number.is_multiple_of(2) {
        "Ada"
    } else {
        "Grace"
    };
    let time = Timestamp::from_millis(1_700_000_000_000 + i64::from(number) * 60_000);
    let turn = NewTurn::builder(format!("session {:06}", number / TURNS_OF_A_SESSION), text);
    Ok(turn.speaker(speaker).time(time).build()?.into())
}

fn appends() -> Result<(), Failure> {
    const COUNT: u32 = 20_000;
    let store = Store::in_memory();
    let ns = open(&store)?;
    let (ids, now) = (
        IdGenerator::seeded(1),
        Timestamp::from_millis(1_800_000_000_000),
    );
    let turns: Vec<NewMemory> = (0..COUNT).map(turn).collect::<Result<_, _>>()?;
    let mut columns = Columns::empty(ns);
    let start = Instant::now();
    for memory in &turns {
        let id = ids.next(now);
        store
            .write(|txn| append(txn, ns, now, id, memory))
            .inspect(|(done, _)| columns.apply(&done.delta))?;
    }
    report("append one turn, memory engine", start.elapsed() / COUNT);
    let mut kept = columns.clone();
    let start = Instant::now();
    for memory in &turns {
        let id = ids.next(now);
        let write = store
            .write(|txn| append(txn, ns, now, id, memory))
            .inspect(|(done, _)| columns.apply(&done.delta));
        write?;
        kept = columns.clone();
    }
    report(
        "the same with a snapshot kept of each",
        start.elapsed() / COUNT,
    );
    assert_eq!(kept.len(), columns.len(), "the last snapshot is complete");
    Ok(())
}

fn import(store: &Store, ns: NamespaceId, rows: u32, columns: &mut Columns) -> Result<(), Failure> {
    let (ids, now) = (
        IdGenerator::seeded(2),
        Timestamp::from_millis(1_800_000_000_000),
    );
    for first in (0..rows).step_by(BATCH as usize) {
        let turns: Vec<(MemoryId, NewMemory)> = (first..(first + BATCH).min(rows))
            .map(|number| Ok((ids.next(now.plus_millis(i64::from(number))), turn(number)?)))
            .collect::<Result<_, Failure>>()?;
        let incoming: Vec<Incoming<'_>> = turns
            .iter()
            .map(|(id, memory)| Incoming::new(*id, memory))
            .collect();
        let moment = now.plus_millis(i64::from(first));
        store
            .write(|txn| append_many(txn, ns, moment, &incoming, &|_, _| Vec::new()))
            .inspect(|(done, _)| columns.apply(&done.delta))?;
    }
    Ok(())
}

fn sizes(store: &Store, path: &Path, ns: NamespaceId, rows: u32) -> Result<(), Failure> {
    let per_row = |bytes: u64| bytes as f64 / f64::from(rows);
    let snapshot = store.snapshot()?;
    let mut total = 0;
    for keyspace in keyspaces(TABLES, Scope::Namespace) {
        let mut bytes = 0_u64;
        snapshot.scan(
            &[KeyRange::prefix(keyspace, &ns.prefix())],
            &mut |_, key, _, body| {
                // Every value carries a version byte and a checksum of four bytes.
                bytes += (key.len() + body.len() + 5) as u64;
                Ok(ControlFlow::Continue(()))
            },
        )?;
        total += bytes;
        println!("  {:<42}{:>10.1} bytes", keyspace.name(), per_row(bytes));
    }
    println!("  {:<42}{:>10.1} bytes", "all of these", per_row(total));
    println!(
        "  {:<42}{:>10.1} bytes",
        "the file",
        per_row(path.metadata()?.len())
    );
    Ok(())
}

fn use_columns(store: &Store, ns: NamespaceId, mut columns: Columns) -> Result<(), Failure> {
    let now = Timestamp::from_millis(1_900_000_000_000);
    let filter = Filter::default();
    let start = Instant::now();
    let count = columns.matcher(&filter, Moment::now(now)).rows().count();
    report("match every row", start.elapsed());
    let start = Instant::now();
    let page = list(
        &columns.matcher(&filter, Moment::now(now)),
        Order::Newest,
        None,
        20,
    );
    report("list the newest 20", start.elapsed());
    let snapshot = store.snapshot()?;
    let wanted: Vec<Row> = (0..10).map(|at| Row(at * columns.len() / 10)).collect();
    let start = Instant::now();
    let found = memories(&snapshot, ns, &wanted, Some(&columns))?;
    report("read 10 memories", start.elapsed());
    assert!(
        count > 0 && page.rows.len() == 20 && found.iter().all(Option::is_some),
        "everything is there"
    );

    let start = Instant::now();
    let clones: Vec<Columns> = (0..100).map(|_| columns.clone()).collect();
    report("take a snapshot of columns", start.elapsed() / 100);
    drop(clones);
    durable(store, ns, &mut columns)
}

fn durable(store: &Store, ns: NamespaceId, columns: &mut Columns) -> Result<(), Failure> {
    const COUNT: u32 = 200;
    let (ids, now) = (
        IdGenerator::seeded(9),
        Timestamp::from_millis(1_900_000_000_000),
    );
    let mut times: Vec<(Duration, Duration)> = Vec::new();
    for number in 0..COUNT {
        let memory = turn(10_000_000 + number)?;
        let id = ids.next(now);
        let kept = columns.clone();
        let mut applying = Duration::ZERO;
        let start = Instant::now();
        store
            .write(|txn| append(txn, ns, now, id, &memory))
            .inspect(|(done, _)| {
                let start = Instant::now();
                columns.apply(&done.delta);
                applying = start.elapsed();
            })?;
        times.push((start.elapsed(), applying));
        assert!(kept.len() < columns.len(), "a snapshot does not change");
    }
    times.sort_unstable();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    report("append one turn, durable, median", middle.0);
    report("  of which columns, with a snapshot kept", middle.1);
    Ok(())
}
