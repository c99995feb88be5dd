use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Transaction};
use annals_types::{MemoryId, NamespaceId, Row, Timestamp};

use crate::columns;
use crate::ids::IdEntry;
use crate::prune::prune;
use crate::read::{self, StoredRow, label_numbers};
use crate::tables::{IDS, ROWS, STATES, TURNS};
use crate::work::{EventDraft, Work};
use crate::{History, LabelId, Operation, RecordError, Written};

/// The result of an erasure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erased {
    /// The memory.
    pub id: MemoryId,
    /// Its rows, history included, the oldest first: what other layers must remove too.
    pub rows: Vec<Row>,
    /// Bytes of text and replies that are gone.
    pub text_bytes: u64,
}

/// Erases memories with their history: rows, ids, places in sessions, lives, their traces in blocks
/// of columns, and the labels that no other row has.
///
/// A memory that one of them had superseded stays history, superseded by what came after, if
/// anything did; else it may be changed again. The event log keeps the ids.
///
/// # Errors
/// [`RecordError::NotFound`], naming the first id that does not exist.
pub fn erase(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    ids: &[MemoryId],
) -> Result<Written<Vec<Erased>>, RecordError> {
    let unique: BTreeSet<MemoryId> = ids.iter().copied().collect();
    let unique: Vec<MemoryId> = unique.into_iter().collect();
    let (mut work, found) = Work::begin(txn, ns, now, std::iter::empty(), &unique)?;
    let mut erased = Vec::with_capacity(unique.len());
    let mut gone: BTreeMap<Row, StoredRow> = BTreeMap::new();
    let mut entries: Vec<Option<IdEntry>> = Vec::with_capacity(unique.len());
    for (id, entry) in unique.iter().zip(found) {
        entries.push(Some(entry.ok_or(RecordError::NotFound { id: *id })?));
    }
    let chains = read::chains(&*work.txn, ns, &entries)?;
    for (id, chain) in unique.iter().zip(chains) {
        IDS.delete(work.txn, (ns, *id))?;
        let rows: Vec<Row> = chain.iter().map(|found| found.row).collect();
        let text_bytes = chain.iter().map(|found| found.record.text_bytes()).sum();
        let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let operation = Operation::Erased;
        let current = rows.last().copied().unwrap_or_default();
        work.note(EventDraft {
            operation,
            row: current,
            rows: 1,
            id: Some(*id),
            number: count,
        })?;
        gone.extend(chain.into_iter().map(|found| (found.row, found)));
        erased.push(Erased {
            id: *id,
            rows,
            text_bytes,
        });
    }
    detach(&mut work, &gone)?;
    vacate(&mut work, &gone)?;
    for (row, found) in &gone {
        ROWS.delete(work.txn, (ns, *row))?;
        STATES.delete(work.txn, (ns, *row))?;
        work.head.text_bytes = work
            .head
            .text_bytes
            .saturating_sub(found.record.text_bytes());
        if found
            .history
            .as_ref()
            .is_some_and(|life| life.death.is_some())
        {
            work.head.replaced = work.head.replaced.saturating_sub(1);
        } else {
            work.count(found.status(), -1);
        }
        work.erased(*row);
    }
    let labels = gone
        .values()
        .flat_map(|found| label_numbers(&found.record))
        .collect();
    let rows: Vec<Row> = gone.into_keys().collect();
    columns::erase_from_blocks(work.txn, ns, &rows)?;
    prune(&mut work, labels)?;
    work.finish(erased, None)
}

/// Erases the revisions of a memory that are older than one of its rows, and answers their rows,
/// the oldest first. Those that stay are numbered anew from 1, and the oldest of them takes the
/// place of what the memory had superseded. The current one always stays. No event is written: the
/// memory is what it was.
///
/// # Errors
/// [`RecordError::NotFound`] when the id does not exist.
pub fn erase_history(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    (id, oldest): (MemoryId, Row),
) -> Result<Written<Vec<Row>>, RecordError> {
    let (mut work, found) = Work::begin(txn, ns, now, std::iter::empty(), &[id])?;
    let entry = found
        .first()
        .copied()
        .flatten()
        .ok_or(RecordError::NotFound { id })?;
    let chain = read::chains(&*work.txn, ns, &[Some(entry)])?
        .pop()
        .unwrap_or_default();
    let (gone, mut kept): (Vec<StoredRow>, Vec<StoredRow>) = chain
        .into_iter()
        .partition(|found| found.row < oldest && found.row != entry.current);
    let (Some(eldest), Some(heir)) = (gone.first(), kept.first_mut()) else {
        return work.finish(Vec::new(), None);
    };
    (heir.record.replaces, heir.record.supersedes) =
        (eldest.record.replaces, eldest.record.supersedes);
    let first = heir.row;
    if let Some(before) = eldest.record.replaces {
        bequeath(&mut work, before, (eldest.row, first))?;
    }
    for (number, found) in (1..).zip(&mut kept) {
        found.record.revision = number;
        ROWS.put(work.txn, (ns, found.row), &found.record)?;
    }
    IDS.put(
        work.txn,
        (ns, id),
        &IdEntry {
            current: entry.current,
            first,
        },
    )?;
    for found in &gone {
        ROWS.delete(work.txn, (ns, found.row))?;
        STATES.delete(work.txn, (ns, found.row))?;
        work.head.text_bytes = work
            .head
            .text_bytes
            .saturating_sub(found.record.text_bytes());
        work.head.replaced = work.head.replaced.saturating_sub(1);
        work.erased(found.row);
    }
    let rows: Vec<Row> = gone.iter().map(|found| found.row).collect();
    let labels = gone
        .iter()
        .flat_map(|found| label_numbers(&found.record))
        .collect();
    columns::erase_from_blocks(work.txn, ns, &rows)?;
    prune(&mut work, labels)?;
    work.finish(rows, None)
}

/// Lets another row be the successor of one whose successor goes.
fn bequeath(work: &mut Work<'_, '_>, row: Row, (old, new): (Row, Row)) -> Result<(), RecordError> {
    let found = read::rows(&*work.txn, work.ns, &[row])?.pop().flatten();
    let Some(History {
        death: Some(mut death),
        changes,
    }) = found.and_then(|found| found.history)
    else {
        return Ok(());
    };
    if death.successor == Some(old) {
        death.successor = Some(new);
        work.lived(
            row,
            History {
                changes,
                death: Some(death),
            },
        )?;
    }
    Ok(())
}

/// Removes what surviving rows say about erased ones.
fn detach(work: &mut Work<'_, '_>, gone: &BTreeMap<Row, StoredRow>) -> Result<(), RecordError> {
    let before = gone.values().filter_map(|found| found.record.replaces);
    let after = gone
        .values()
        .filter_map(|found| found.history.as_ref()?.death?.successor);
    let ends: BTreeSet<Row> = before
        .chain(after)
        .filter(|row| !gone.contains_key(row))
        .collect();
    let ends: Vec<Row> = ends.into_iter().collect();
    let found: Vec<StoredRow> = read::rows(&*work.txn, work.ns, &ends)?
        .into_iter()
        .flatten()
        .collect();
    let owner = |row: Row| {
        found
            .iter()
            .find(|found| found.row == row)
            .map(|found| found.record.id)
    };
    let owners: BTreeMap<Row, MemoryId> = ends
        .iter()
        .filter_map(|row| Some((*row, owner(*row)?)))
        .collect();
    for mut found in found {
        if found
            .record
            .replaces
            .is_some_and(|row| gone.contains_key(&row))
        {
            let before = past(found.record.replaces, gone, |gone| gone.record.replaces);
            found.record.replaces = before;
            found.record.supersedes = before.and_then(|row| owners.get(&row).copied());
            ROWS.put(work.txn, (work.ns, found.row), &found.record)?;
        }
        let Some(History {
            death: Some(mut death),
            changes,
        }) = found.history
        else {
            continue;
        };
        if death.successor.is_some_and(|row| gone.contains_key(&row)) {
            let heir = past(death.successor, gone, |gone| {
                gone.history.as_ref()?.death?.successor
            });
            death.successor = heir;
            death.successor_id = heir.and_then(|row| owners.get(&row).copied());
            work.lived(
                found.row,
                History {
                    changes,
                    death: Some(death),
                },
            )?;
        }
    }
    Ok(())
}

/// The first row of a chain that stays.
fn past(
    first: Option<Row>,
    gone: &BTreeMap<Row, StoredRow>,
    next: impl Fn(&StoredRow) -> Option<Row>,
) -> Option<Row> {
    let mut row = first;
    while let Some(found) = row.and_then(|row| gone.get(&row)) {
        row = next(found);
    }
    row
}

/// Frees the places of erased turns. The last place of a session leaves a mark, so that it never
/// comes back.
fn vacate(work: &mut Work<'_, '_>, gone: &BTreeMap<Row, StoredRow>) -> Result<(), RecordError> {
    let mut places: BTreeMap<LabelId, Vec<(u32, Row)>> = BTreeMap::new();
    for (row, found) in gone {
        let replaced = found
            .history
            .as_ref()
            .is_some_and(|life| life.death.is_some());
        if let Some(turn) = found.record.turn.as_ref().filter(|_| !replaced) {
            places
                .entry(turn.session)
                .or_default()
                .push((turn.position, *row));
        }
    }
    let ns = work.ns;
    let ends: Vec<KeyRange> = places
        .keys()
        .map(|session| TURNS.within((ns, *session)).reversed().into())
        .collect();
    let mut last: BTreeMap<LabelId, u32> = BTreeMap::new();
    TURNS.scan_many(work.txn, &ends, |_, (_, session, position), _| {
        last.insert(session, position);
        Ok::<_, RecordError>(ControlFlow::Break(()))
    })?;
    for (session, turns) in places {
        for (position, _) in turns {
            if last.get(&session) == Some(&position) {
                TURNS.put(work.txn, (ns, session, position), &None)?;
            } else {
                TURNS.delete(work.txn, (ns, session, position))?;
            }
        }
    }
    Ok(())
}
