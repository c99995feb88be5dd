//! Reads everything once and checks it.

use std::ops::ControlFlow;

use crate::format::{self, FormatRecord};
use crate::{Depth, Engine, KeyRange, Keyspace, StorageError, ValidateReport, seal};

/// How many findings a report lists.
const LISTED: usize = 100;

impl ValidateReport {
    fn add(&mut self, finding: StorageError) {
        self.damaged_count += 1;
        if self.damaged.len() < LISTED {
            self.damaged.push(finding);
        }
    }
}

pub(crate) fn validate(engine: &dyn Engine) -> Result<ValidateReport, StorageError> {
    let mut report = ValidateReport::default();
    let snapshot = engine.snapshot()?;
    let place = engine.place();
    match FormatRecord::read(&*snapshot, &place, format::FORMAT) {
        Ok(Some(_)) => {}
        Ok(None) => report.add(StorageError::corruption(format!("validate {place}"), "the format record is missing")),
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
    for keyspace in counted {
        let name = Keyspace::interned(&keyspace.name);
        let mut values = 0;
        let walked = snapshot.multi_range(&[KeyRange::prefix(name, &[])], &mut |_, key, sealed| {
            values += 1;
            report.bytes += u64::try_from(key.len() + sealed.len()).unwrap_or(0);
            if let Err(error) = seal::open(name, key, sealed) {
                report.add(error);
            }
            Ok(ControlFlow::Continue(()))
        });
        report.values += values;
        match walked {
            Err(error @ StorageError::Poisoned { .. }) => return Err(error),
            Err(error) => report.add(error),
            Ok(()) if comparable && values != keyspace.entries => report.add(StorageError::corruption(
                format!("validate {name} of {place}"),
                format!("{values} values where {} are counted", keyspace.entries),
            )),
            Ok(()) => {}
        }
    }
    Ok(report)
}
