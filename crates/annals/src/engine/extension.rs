//! Tables beside the layers that follow what happens to memories.

use annals_storage::{AnyTable, Reads, Transaction};
use annals_types::{Body, MemoryId, NamespaceId, Row};

use super::WriteCx;
use super::deletion::Deletion;
use crate::Error;

/// A memory that was stored.
pub(crate) struct Stored<'a> {
    pub(crate) id: MemoryId,
    pub(crate) row: Row,
    pub(crate) body: &'a Body,
    /// Whether it comes from an export, with the time at which it was stored first.
    pub(crate) imported: bool,
}

/// Something that keeps tables beside the layers and must follow what happens to memories, in the same transaction.
///
/// Hooks run in the order of registration. A write may run again, so a hook changes nothing but the transaction; its
/// error ends the write. No hook changes what a deletion takes.
pub(crate) trait Extension: Send + Sync {
    /// Its tables: each is validated, and purged with its namespace as far as its keys begin with one.
    fn tables(&self) -> &'static [&'static dyn AnyTable];

    /// Memories were stored.
    ///
    /// # Errors
    /// When its tables cannot be read or written; so for every hook.
    fn appended(&self, cx: &mut WriteCx<'_, '_>, stored: &[Stored<'_>]) -> Result<(), Error> {
        let _ = (cx, stored);
        Ok(())
    }

    /// Memories are about to be deleted; they can still be read.
    fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        let _ = (cx, deletion);
        Ok(())
    }

    /// Memories were deleted.
    fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        let _ = (cx, deletion);
        Ok(())
    }

    /// Earlier texts of a memory are about to be deleted; the memory stays.
    fn history_erased(&self, cx: &mut WriteCx<'_, '_>, rows: &[Row]) -> Result<(), Error> {
        let _ = (cx, rows);
        Ok(())
    }

    /// A namespace is purged: rows that do not begin with its number go here, all others by themselves.
    fn purge(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
        let _ = (txn, ns);
        Ok(())
    }

    /// Whether an import is unfinished: the graph may speak of what has not arrived yet.
    fn is_importing(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
        let _ = (reads, ns);
        Ok(false)
    }

    /// What does not fit together in a namespace, one line each.
    fn validate(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
        let _ = (reads, ns);
        Ok(Vec::new())
    }
}

/// The extensions of an engine, in the order of registration.
pub(crate) struct Extensions(Vec<&'static dyn Extension>);

impl Extensions {
    pub(crate) const fn new(registered: Vec<&'static dyn Extension>) -> Self {
        Self(registered)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &'static dyn Extension> {
        self.0.iter().copied()
    }

    /// All their tables.
    pub(super) fn tables(&self) -> Vec<&'static dyn AnyTable> {
        self.all().flat_map(|extension| extension.tables()).copied().collect()
    }

    pub(super) fn appended(&self, cx: &mut WriteCx<'_, '_>, stored: &[Stored<'_>]) -> Result<(), Error> {
        self.all().try_for_each(|extension| extension.appended(cx, stored))
    }

    pub(super) fn erasing(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        self.all().try_for_each(|extension| extension.erasing(cx, deletion))
    }

    pub(super) fn erased(&self, cx: &mut WriteCx<'_, '_>, deletion: &Deletion) -> Result<(), Error> {
        self.all().try_for_each(|extension| extension.erased(cx, deletion))
    }

    pub(super) fn history_erased(&self, cx: &mut WriteCx<'_, '_>, rows: &[Row]) -> Result<(), Error> {
        self.all().try_for_each(|extension| extension.history_erased(cx, rows))
    }

    pub(super) fn purge(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
        self.all().try_for_each(|extension| extension.purge(txn, ns))
    }

    pub(super) fn is_importing(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<bool, Error> {
        for extension in self.all() {
            if extension.is_importing(reads, ns)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
