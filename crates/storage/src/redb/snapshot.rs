use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use parking_lot::RwLock;
use redb::{ReadOnlyTable, ReadTransaction, TableError};

use super::failure::Context;
use super::file::OpenFile;
use super::{Shared, table};
use crate::format::{COMMIT, META};
use crate::{EngineReads, EngineSnapshot, KeyRange, Keyspace, StorageError, Visit};

/// How often a read goes on after the file was opened again.
const REPAIRS: u32 = 3;

/// A table of a snapshot; `None` when the keyspace holds nothing yet.
type Opened = Option<Arc<ReadOnlyTable<&'static [u8], &'static [u8]>>>;

/// The state of a file after one commit. When a read fails the file is opened again, and the
/// snapshot goes on there as long as nothing was committed since.
pub(super) struct RedbSnapshot {
    shared: Arc<Shared>,
    taken: RwLock<Arc<ReadView>>,
    /// The record of the commit that it reflects.
    commit: Option<Vec<u8>>,
}

/// A read transaction of one opening of the file, and the tables opened in it so far.
struct ReadView {
    transaction: ReadTransaction,
    tables: RwLock<HashMap<Keyspace, Opened>>,
    // Dropped last: the file is closed with the last transaction that reads it.
    file: Arc<OpenFile>,
}

impl ReadView {
    fn new(file: Arc<OpenFile>, context: Context<'_>) -> Result<Self, StorageError> {
        Ok(Self {
            transaction: file.begin_read(context)?,
            tables: RwLock::new(HashMap::new()),
            file,
        })
    }

    fn table(&self, keyspace: Keyspace, context: Context<'_>) -> Result<Opened, StorageError> {
        if let Some(opened) = self.tables.read().get(&keyspace) {
            return Ok(opened.clone());
        }
        let opened = match self.transaction.open_table(table(keyspace.name())) {
            Ok(table) => Some(Arc::new(table)),
            Err(TableError::TableDoesNotExist(_)) => None,
            Err(error) => return Err(context.any(error)),
        };
        self.tables.write().insert(keyspace, opened.clone());
        Ok(opened)
    }

    fn get(
        &self,
        keyspace: Keyspace,
        key: &[u8],
        context: Context<'_>,
    ) -> Result<Option<Vec<u8>>, StorageError> {
        let Some(table) = self.table(keyspace, context)? else {
            return Ok(None);
        };
        let found = table.get(key).map_err(|e| context.any(e))?;
        Ok(found.map(|value| value.value().to_vec()))
    }
}

impl RedbSnapshot {
    /// The state after the last commit.
    pub(super) fn take(shared: &Arc<Shared>) -> Result<Self, StorageError> {
        let mut file = shared.file()?;
        let mut repairs = 0;
        loop {
            match read_commit(shared, Arc::clone(&file)) {
                Ok((taken, commit)) => {
                    let taken = RwLock::new(Arc::new(taken));
                    return Ok(Self {
                        shared: Arc::clone(shared),
                        taken,
                        commit,
                    });
                }
                Err(error) if repairs < REPAIRS && can_be_repaired(&error) => {
                    file = shared.instead_of(&file)?
                }
                Err(error) => return Err(error),
            }
            repairs += 1;
        }
    }

    fn context(&self) -> Context<'_> {
        self.shared.source.context("read")
    }

    /// The same state in a file that can be read, in the place of one that could not.
    fn again(
        &self,
        failed: &Arc<ReadView>,
        error: StorageError,
    ) -> Result<Arc<ReadView>, StorageError> {
        let mut taken = self.taken.write();
        if Arc::ptr_eq(&taken, failed) {
            tracing::warn!(%error, "a read failed; the file is opened again");
            let file = self.shared.instead_of(&failed.file)?;
            let (fresh, commit) = read_commit(&self.shared, file)?;
            if commit != self.commit {
                return Err(self.context().closed());
            }
            *taken = Arc::new(fresh);
        }
        Ok(Arc::clone(&taken))
    }

    /// An error that stays. redb reads nothing more once it met a damaged page, whatever is asked
    /// next: the file is opened again for that.
    fn given_up(&self, failed: &ReadView, error: StorageError) -> StorageError {
        if error.is_corruption() {
            self.shared.distrust(&failed.file);
        }
        error
    }

    /// Runs a read, and once more where the file had to be opened again.
    fn read<T>(
        &self,
        call: impl Fn(&ReadView, Context<'_>) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let mut taken = Arc::clone(&self.taken.read());
        let mut repairs = 0;
        loop {
            match self
                .shared
                .guard(self.context(), || call(&taken, self.context()))
            {
                Err(error) if repairs < REPAIRS && can_be_repaired(&error) => {
                    taken = self.again(&taken, error)?
                }
                Err(error) => return Err(self.given_up(&taken, error)),
                answer => return answer,
            }
            repairs += 1;
        }
    }

    fn walk(
        &self,
        index: usize,
        range: &KeyRange,
        visit: &mut Visit<'_>,
    ) -> Result<(), StorageError> {
        if range.end.as_ref().is_some_and(|end| *end <= range.start) {
            return Ok(());
        }
        let mut taken = Arc::clone(&self.taken.read());
        let (mut seen, mut repairs) = (None, 0);
        loop {
            match self.steps(&taken, (index, range), &mut seen, visit) {
                Ok(()) => return Ok(()),
                Err(Stop::Visitor(error)) => return Err(error),
                Err(Stop::Read(error)) if repairs < REPAIRS && can_be_repaired(&error) => {
                    taken = self.again(&taken, error)?;
                }
                Err(Stop::Read(error)) => return Err(self.given_up(&taken, error)),
            }
            repairs += 1;
        }
    }

    /// Walks a range from behind the last key that was seen.
    fn steps(
        &self,
        taken: &ReadView,
        (index, range): (usize, &KeyRange),
        seen: &mut Option<Vec<u8>>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Stop> {
        let context = self.context();
        let Some(table) = self
            .shared
            .guard(context, || taken.table(range.keyspace, context))?
        else {
            return Ok(());
        };
        let (from, to) = (
            Bound::Included(range.start.as_slice()),
            range.end.as_deref(),
        );
        let to = to.map_or(Bound::Unbounded, Bound::Excluded);
        let bounds = match seen.as_deref() {
            None => (from, to),
            Some(last) if range.reverse => (from, Bound::Excluded(last)),
            Some(last) => (Bound::Excluded(last), to),
        };
        let open = || table.range::<&[u8]>(bounds).map_err(|e| context.any(e));
        let mut inside = self.shared.guard(context, open)?;
        loop {
            // Only redb's step is guarded: a panic of the visitor is the visitor's.
            let step = self.shared.guard(context, || {
                let entry = if range.reverse {
                    inside.next_back()
                } else {
                    inside.next()
                };
                entry.transpose().map_err(|e| context.any(e))
            })?;
            let Some((key, value)) = step else {
                return Ok(());
            };
            // Where a value lies inside its page is read here, and may be nonsense.
            let (key, value) = self
                .shared
                .guard(context, || Ok((key.value(), value.value())))?;
            if let ControlFlow::Break(()) = visit(index, key, value).map_err(Stop::Visitor)? {
                return Ok(());
            }
            let last = seen.get_or_insert_default();
            last.clear();
            last.extend_from_slice(key);
        }
    }
}

/// Why a walk ended before its end.
enum Stop {
    Read(StorageError),
    Visitor(StorageError),
}

impl From<StorageError> for Stop {
    fn from(error: StorageError) -> Self {
        Self::Read(error)
    }
}

/// Whether opening the file again may help.
fn can_be_repaired(error: &StorageError) -> bool {
    matches!(error, StorageError::Io { .. } | StorageError::Closed { .. })
}

fn read_commit(
    shared: &Shared,
    file: Arc<OpenFile>,
) -> Result<(ReadView, Option<Vec<u8>>), StorageError> {
    let context = shared.source.context("read");
    shared.guard(context, || {
        let taken = ReadView::new(file, context)?;
        let commit = taken.get(META, COMMIT, context)?;
        Ok((taken, commit))
    })
}

impl EngineReads for RedbSnapshot {
    fn multi_get(&self, keys: &[(Keyspace, &[u8])]) -> Result<Vec<Option<Vec<u8>>>, StorageError> {
        self.read(|taken, context| {
            keys.iter()
                .map(|&(keyspace, key)| taken.get(keyspace, key, context))
                .collect()
        })
    }

    fn multi_range(&self, ranges: &[KeyRange], visit: &mut Visit<'_>) -> Result<(), StorageError> {
        ranges
            .iter()
            .enumerate()
            .try_for_each(|(index, range)| self.walk(index, range, visit))
    }
}

impl EngineSnapshot for RedbSnapshot {}
