use serde::{Deserialize, Serialize};
use std::collections::HashSet;

use annals_storage::Transaction;
use annals_types::{MemoryId, NamespaceId, Row, Status, Timestamp};

use crate::event::BY_RULE;
use crate::history::StatusChange;
use crate::read;
use crate::work::{EventDraft, Work};
use crate::{Operation, RecordError, Written};

/// The result of a change of status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StatusSet {
    /// The memory.
    pub id: MemoryId,
    /// Its current row.
    pub row: Row,
    /// The status before.
    pub from: Status,
    /// The status now.
    pub to: Status,
}

/// Gives memories another status: archive, forget, restore. Those that have it already are left
/// alone.
///
/// # Errors
/// [`RecordError::NotFound`], naming the first id that does not exist; [`RecordError::Superseded`]
/// for one that has been replaced under another id.
pub fn set_status(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    ids: &[MemoryId],
    status: Status,
) -> Result<Written<Vec<StatusSet>>, RecordError> {
    set(txn, ns, now, (ids, status), 0)
}

/// The same because a rule of the profile wants it, which the events tell.
///
/// # Errors
/// As [`set_status`].
pub fn set_status_by_rule(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    ids: &[MemoryId],
    status: Status,
) -> Result<Written<Vec<StatusSet>>, RecordError> {
    set(txn, ns, now, (ids, status), BY_RULE)
}

/// Notes that how much memories matter was changed by hand, which the lifecycle stores.
///
/// # Errors
/// [`RecordError::NotFound`], naming the first id that does not exist.
pub fn adjusted(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    ids: &[MemoryId],
) -> Result<Written<()>, RecordError> {
    let (mut work, found) = Work::begin(txn, ns, now, std::iter::empty(), ids)?;
    for (id, entry) in ids.iter().zip(found) {
        let row = entry.ok_or(RecordError::NotFound { id: *id })?.current;
        work.note(EventDraft {
            operation: Operation::Adjusted,
            row,
            rows: 1,
            id: Some(*id),
            number: 0,
        })?;
    }
    work.finish((), None)
}

fn set(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    (ids, status): (&[MemoryId], Status),
    cause: u32,
) -> Result<Written<Vec<StatusSet>>, RecordError> {
    let mut seen = HashSet::new();
    let ids: Vec<MemoryId> = ids.iter().copied().filter(|id| seen.insert(*id)).collect();
    let (mut work, found) = Work::begin(txn, ns, now, std::iter::empty(), &ids)?;
    let mut rows = Vec::with_capacity(ids.len());
    for (id, entry) in ids.iter().zip(found) {
        rows.push(entry.ok_or(RecordError::NotFound { id: *id })?.current);
    }
    let rows_found = read::rows(&*work.txn, ns, &rows)?;
    let mut changed: Vec<StatusSet> = Vec::with_capacity(ids.len());
    for (id, found) in ids.iter().zip(rows_found) {
        let found = found.ok_or(RecordError::NotFound { id: *id })?;
        let mut life = found.life();
        if let Some(death) = life.death {
            return Err(RecordError::Superseded {
                id: *id,
                by: death.successor_id,
            });
        }
        let from = found.status();
        changed.push(StatusSet {
            id: *id,
            row: found.row,
            from,
            to: status,
        });
        if from == status {
            continue;
        }
        work.count(from, -1);
        work.count(status, 1);
        life.changes.push(StatusChange {
            commit: work.commit,
            time: now,
            status,
        });
        work.lived(found.row, life)?;
        let number = cause + u32::from(status.to_byte());
        work.note(EventDraft {
            operation: Operation::StatusChanged,
            row: found.row,
            rows: 1,
            id: Some(*id),
            number,
        })?;
    }
    work.finish(changed, None)
}
