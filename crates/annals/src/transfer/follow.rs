//! What is known of imports follows the memories.

use annals_storage::{AnyTable, Reads};
use annals_types::NamespaceId;

use super::{import_log, position};
use crate::Error;
use crate::engine::WriteCx;
use crate::engine::deletion::Deletion;
use crate::engine::extension::Extension;

/// Positions of unfinished imports, and the log of what imports brought into sessions.
pub(crate) struct Imports;

impl Extension for Imports {
    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&position::IMPORTS, &import_log::PLACES, &import_log::UNNAMED, &import_log::NAMED]
    }

    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        import_log::going(cx.txn, cx.ns, &deletion.ids())
    }

    fn is_importing(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
        Ok(!position::positions(reads, ns)?.is_empty())
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        position::positions(reads, ns)?;
        import_log::validate(reads, ns)
    }
}
