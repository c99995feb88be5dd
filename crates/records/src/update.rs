use annals_storage::Transaction;
use annals_types::{Commit, MemoryId, NamespaceId, NewMemory, Row, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::append::{Place, record_of};
use crate::history::Death;
use crate::ids::IdEntry;
use crate::read::{self, StoredRow};
use crate::record::NamedTimes;
use crate::tables::TURNS;
use crate::work::{Birth, EventDraft, Work};
use crate::{LabelClass, Operation, RecordError, Written};

/// The result of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// The id under which the new text is found.
    pub id: MemoryId,
    /// The new row.
    pub row: Row,
    /// The row that it replaced, now history.
    pub replaced: Row,
    /// The number of the revision, from 1 for the first text of the id.
    pub revision: u32,
    /// Its place in its session, for a turn.
    pub position: Option<u32>,
    /// The status that the replaced row had.
    pub old_status: Status,
}

/// Stores a new text for a memory. The old row stays as history and is found by as-of queries only.
///
/// The new row keeps the id, or gets `new_id` and supersedes the memory. A turn that stays in its
/// session keeps its place, and what says the same as before means the same times.
///
/// # Errors
/// [`RecordError::NotFound`]; [`RecordError::Superseded`] when it has been replaced under another
/// id before; [`RecordError::IdTaken`] for a `new_id` in use; [`RecordError::NoOrigin`];
/// [`RecordError::OwnOrigin`].
pub fn update(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    id: MemoryId,
    memory: &NewMemory,
    new_id: Option<MemoryId>,
    named_times: &NamedTimes<'_>,
) -> Result<Written<Updated>, RecordError> {
    let new_id = new_id.filter(|new| *new != id);
    let body = memory.body();
    let mut ids = vec![id];
    ids.extend(new_id);
    ids.extend(&body.provenance);
    let (mut work, entries) = Work::begin(txn, ns, now, std::iter::once(body), &ids)?;
    let mut entries = ids.iter().zip(entries);
    let entry = entries
        .next()
        .and_then(|(_, entry)| entry)
        .ok_or(RecordError::NotFound { id })?;
    if let Some(new) = new_id
        && entries.next().is_some_and(|(_, entry)| entry.is_some())
    {
        return Err(RecordError::IdTaken { id: new });
    }
    if let Some((origin, _)) = entries.find(|(_, entry)| entry.is_none()) {
        return Err(RecordError::NoOrigin {
            id: new_id.unwrap_or(id),
            origin: *origin,
        });
    }
    let old = current(&work, id, entry.current)?;
    let own = |sources: &[MemoryId]| new_id.is_none() && sources.contains(&id);
    if own(&body.provenance) && !own(&old.record.provenance) {
        return Err(RecordError::OwnOrigin { id });
    }
    let target = Target { id, new_id, entry };
    let updated = replace(&mut work, &target, &old, memory, named_times)?;
    let operation = if new_id.is_some() {
        Operation::Superseded
    } else {
        Operation::Updated
    };
    let number = updated.revision;
    let happened = EventDraft {
        operation,
        row: updated.row,
        rows: 1,
        id: Some(updated.id),
        number,
    };
    work.finish(updated, Some(happened))
}

/// The current row of a memory that may still be changed: one that another memory superseded may be
/// when that one is gone.
pub(crate) fn current(
    work: &Work<'_, '_>,
    id: MemoryId,
    row: Row,
) -> Result<StoredRow, RecordError> {
    let found = read::rows(&*work.txn, work.ns, &[row])?
        .pop()
        .flatten()
        .ok_or(RecordError::NotFound { id })?;
    match found.history.as_ref().and_then(|life| life.death) {
        Some(death) if death.successor.is_some() => Err(RecordError::Superseded {
            id,
            by: death.successor_id,
        }),
        _ => Ok(found),
    }
}

struct Target {
    id: MemoryId,
    new_id: Option<MemoryId>,
    entry: IdEntry,
}

fn replace(
    work: &mut Work<'_, '_>,
    target: &Target,
    old: &StoredRow,
    memory: &NewMemory,
    named_times: &NamedTimes<'_>,
) -> Result<Updated, RecordError> {
    let place = place(work, old, memory)?;
    let id = target.new_id.unwrap_or(target.id);
    let mut record = record_of(work, id, memory.body(), place)?;
    record.status = memory.status();
    record.name_times(Some(&old.record), named_times);
    record.replaces = Some(old.row);
    record.supersedes = target.new_id.map(|_| target.id);
    record.revision = if target.new_id.is_some() {
        1
    } else {
        old.record.revision.saturating_add(1)
    };
    let row = work.next_row()?;
    let stays = matches!(place, Place::At(_));
    if let (Some(turn), false) = (&old.record.turn, stays) {
        // The place stays used up: positions never come back.
        TURNS.put(work.txn, (work.ns, turn.session, turn.position), &None)?;
    }
    let first = if target.new_id.is_some() {
        row
    } else {
        target.entry.first
    };
    work.bear(
        row,
        &record,
        Birth {
            first,
            instead_of: stays.then_some(old.row),
            current: true,
        },
    )?;
    die(work, old, Some((row, target.new_id)), work.now)?;
    let position = record.turn.as_ref().map(|turn| turn.position);
    let (replaced, old_status) = (old.row, old.status());
    Ok(Updated {
        id,
        row,
        replaced,
        revision: record.revision,
        position,
        old_status,
    })
}

/// Makes a current row history.
pub(crate) fn die(
    work: &mut Work<'_, '_>,
    old: &StoredRow,
    successor: Option<(Row, Option<MemoryId>)>,
    time: Timestamp,
) -> Result<(), RecordError> {
    let commit: Commit = work.commit;
    let (row, id) = (
        successor.map(|(row, _)| row),
        successor.and_then(|(_, id)| id),
    );
    let mut life = old.life();
    match &mut life.death {
        // Its successor is gone: it was no current row since.
        Some(death) => (death.successor, death.successor_id) = (row, id),
        None => {
            life.death = Some(Death {
                commit,
                time,
                successor: row,
                successor_id: id,
            });
            work.count(old.status(), -1);
            work.head.replaced += 1;
        }
    }
    work.lived(old.row, life)
}

fn place(
    work: &mut Work<'_, '_>,
    old: &StoredRow,
    memory: &NewMemory,
) -> Result<Place, RecordError> {
    let Some(turn) = &memory.body().turn else {
        return Ok(Place::Next);
    };
    let session = work.known(LabelClass::Session, turn.session.as_str());
    let before = old
        .record
        .turn
        .as_ref()
        .filter(|before| Some(before.session) == session);
    if let Some(before) = before {
        return Ok(Place::At(before.position));
    }
    work.find_ends(session.into_iter())?;
    Ok(Place::Next)
}
