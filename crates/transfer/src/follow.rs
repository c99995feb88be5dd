//! The log and the positions of imports follow the memories.

use annals_storage::{AnyTable, Reads};
use annals_types::NamespaceId;

use crate::{import_log, import_runs, position};
use annals_engine::Error;
use annals_engine::WriteCx;
use annals_engine::deletion::Deletion;
use annals_engine::extension::{Extension, Service};

/// Positions of unfinished imports, and the log of turns that imports brought into sessions.
pub struct Imports;

impl Service for Imports {
    fn extension(&self) -> Option<&dyn Extension> {
        Some(self)
    }
}

impl Extension for Imports {
    fn name(&self) -> &'static str {
        "imports"
    }

    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[
            &position::IMPORTS,
            &import_log::PLACES,
            &import_log::UNNAMED,
            &import_log::NAMED,
            &import_runs::RUNS,
        ]
    }

    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        import_log::going(cx.txn, cx.ns, &deletion.ids())?;
        import_runs::going(cx.txn, cx.ns, deletion)
    }

    fn is_importing(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
        Ok(!position::positions(reads, ns)?.is_empty())
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        position::positions(reads, ns)?;
        import_log::validate(reads, ns)
    }
}

#[cfg(test)]
mod tests {
    use annals_storage::conformance::Samples;
    use annals_types::{MemoryId, Timestamp};

    use super::*;
    use crate::import_log::KnownTurn;
    use crate::position::StoredPosition;

    const NS: NamespaceId = NamespaceId(1);
    const ONE: MemoryId = MemoryId::from_bytes([1; 16]);
    const ID: &str = "01010101010101010101010101010101";

    #[test]
    fn every_table_has_a_frozen_row() {
        let mut samples = Samples::of(Imports.tables());
        let reached = StoredPosition {
            lines_done: 258,
            at: Timestamp::from_millis(-2),
        };
        let bytes = "0000000000000102fffffffffffffffe";
        samples.row(
            &position::IMPORTS,
            (NS, "a/b"),
            &reached,
            ("00000001612f62", bytes),
        );
        let session = "000000010000000000000002";
        samples.row(
            &import_log::PLACES,
            (NS, 2, ()),
            &258,
            (&format!("{session}00"), "00000102"),
        );
        let turn = KnownTurn {
            id: Some(ONE),
            mark: 1,
            words: vec![2, 3],
            more: 0,
        };
        let bytes = format!("{ID}000000000000000100000000000000020000000000000003");
        samples.row(
            &import_log::UNNAMED,
            (NS, 2, (), 9),
            &turn,
            (&format!("{session}0100000009"), &bytes),
        );
        samples.row(
            &import_log::UNNAMED,
            (NS, 2, (), 9),
            &KnownTurn::default(),
            (&format!("{session}0100000009"), ""),
        );
        let gone = KnownTurn {
            more: 258,
            ..KnownTurn::default()
        };
        samples.row(
            &import_log::UNNAMED,
            (NS, 2, (), 9),
            &gone,
            (&format!("{session}0100000009"), "00000102"),
        );
        let key = format!("{session}02000000000000000300000102");
        samples.row(
            &import_log::NAMED,
            (NS, 2, (), 3, 258),
            &turn,
            (&key, &bytes),
        );
        let key = format!("000000010000000000000102{ID}");
        samples.row(
            &import_runs::RUNS,
            (NS, 258, ONE),
            &import_runs::Brought,
            (&key, ""),
        );
        samples.end();
    }
}
