//! Reads everything once and checks it.

use std::ops::ControlFlow;

use crate::format::{self, FormatRecord};
use crate::reads::opened;
use crate::table::{AnyTable, RawRow};
use crate::{Depth, Engine, EngineSnapshot, KeyRange, Keyspace, StorageError, ValidateReport};

/// How many findings a report lists.
const LISTED: usize = 100;

/// How many keys are looked up at once.
const LOOKUPS: usize = 256;

impl ValidateReport {
    fn add(&mut self, finding: StorageError) {
        self.damaged_count += 1;
        if self.damaged.len() < LISTED {
            self.damaged.push(finding);
        }
    }
}

pub(crate) fn validate(
    engine: &dyn Engine,
    tables: &[&dyn AnyTable],
) -> Result<ValidateReport, StorageError> {
    let mut report = ValidateReport::default();
    let snapshot = engine.snapshot()?;
    let place = engine.place();
    match FormatRecord::read(&*snapshot, &place, format::FORMAT) {
        Ok(Some(_)) => {}
        Ok(None) => report.add(StorageError::corruption(
            format!("validate {place}"),
            "the format record is missing",
        )),
        Err(error) => report.add(error),
    }
    let before = format::read_commit(&*snapshot);
    let counted = engine.stats(Depth::Counts)?.keyspaces;
    let same = |commit| matches!((&before, &commit), (Ok(a), Ok(b)) if a == b);
    // The counts belong to the snapshot only when nothing was committed in between.
    let comparable = same(engine.snapshot().and_then(|now| format::read_commit(&*now)));
    if let Err(error) = before {
        report.add(error);
    }
    if let Some(damage) = engine.damage() {
        report.add(StorageError::corruption(
            format!("validate {place}"),
            damage,
        ));
    }
    let damaged = engine.inspect()?;
    let is_told = !damaged.is_empty();
    for lost in damaged {
        report.add(StorageError::corruption(
            format!("validate {place}"),
            lost.to_string(),
        ));
    }
    for keyspace in counted {
        let name = Keyspace::interned(&keyspace.name);
        let tables: Vec<&dyn AnyTable> = tables
            .iter()
            .filter(|table| table.keyspace() == name)
            .copied()
            .collect();
        match walk(&*snapshot, name, &tables, &mut report) {
            Err(error @ StorageError::Poisoned { .. }) => return Err(error),
            // The walk ends at a damaged page; the inspection has named it, and those behind it.
            Err(error) if is_told && error.is_corruption() => {}
            Err(error) => report.add(error),
            Ok(values) if comparable && values != keyspace.entries => {
                report.add(StorageError::corruption(
                    format!("validate {name} of {place}"),
                    format!("{values} values where {} are counted", keyspace.entries),
                ))
            }
            Ok(_) => {}
        }
    }
    Ok(report)
}

/// Whether a value is what was written, and what one of the tables of its keyspace reads, where
/// there are any.
fn check(
    name: Keyspace,
    tables: &[&dyn AnyTable],
    key: &[u8],
    sealed: &[u8],
) -> Result<(), StorageError> {
    let (version, body) = opened(name, key, sealed)?;
    if tables.is_empty() {
        return Ok(());
    }
    let unknown = RawRow {
        keyspace: name,
        key,
        version,
        body,
    };
    tables
        .iter()
        .find_map(|table| table.check(key, version, body))
        .unwrap_or_else(|| Err(unknown.unknown()))
}

/// Checks every value of a keyspace, in order and by its key: the two take different ways through
/// the engine's pages.
fn walk(
    snapshot: &dyn EngineSnapshot,
    name: Keyspace,
    tables: &[&dyn AnyTable],
    report: &mut ValidateReport,
) -> Result<u64, StorageError> {
    let mut values = 0;
    let mut keys: Vec<Vec<u8>> = Vec::new();
    snapshot.multi_range(&[KeyRange::prefix(name, &[])], &mut |_, key, sealed| {
        values += 1;
        report.values += 1;
        report.bytes += u64::try_from(key.len() + sealed.len()).unwrap_or(0);
        if let Err(error) = check(name, tables, key, sealed) {
            report.add(error);
        }
        keys.push(key.to_vec());
        if keys.len() == LOOKUPS {
            look_up(snapshot, name, &keys, report)?;
            keys.clear();
        }
        Ok(ControlFlow::Continue(()))
    })?;
    look_up(snapshot, name, &keys, report)?;
    Ok(values)
}

fn look_up(
    snapshot: &dyn EngineSnapshot,
    name: Keyspace,
    keys: &[Vec<u8>],
    report: &mut ValidateReport,
) -> Result<(), StorageError> {
    let asked: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (name, key.as_slice())).collect();
    let found = snapshot.multi_get(&asked)?;
    let lost = found.iter().filter(|value| value.is_none()).count();
    if lost > 0 {
        report.add(StorageError::corruption(
            format!("validate {name}"),
            format!(
                "{lost} of {} neighbouring keys are not found when looked up",
                keys.len()
            ),
        ));
    }
    Ok(())
}
