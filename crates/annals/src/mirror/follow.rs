//! What is known of files follows the memories and the namespace.

use annals_storage::{AnyTable, Reads, Transaction};
use annals_types::NamespaceId;

use super::{record, retracted};
use crate::Error;
use crate::engine::WriteCx;
use crate::engine::deletion::Deletion;
use crate::engine::extension::Extension;

/// Mirrored files with their owners, and what was taken out of them.
pub(crate) struct Files;

impl Extension for Files {
    fn tables(&self) -> &'static [&'static dyn AnyTable] {
        &[&record::FILES, &record::OWNERS, &retracted::RETRACTED]
    }

    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        retracted::forget(cx.txn, cx.ns, &deletion.ids())
    }

    fn purge(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
        record::release(txn, ns)
    }

    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let mut found = record::validate(reads, ns)?;
        found.extend(retracted::validate(reads, ns)?);
        Ok(found)
    }
}
