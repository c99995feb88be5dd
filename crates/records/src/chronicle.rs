//! Everything stored about a memory, to be carried to another file and back without loss.

use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_storage::{Reads, Transaction};
use annals_types::{Body, MemoryId, NamespaceId, NewMemory, Row, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::append::{FAR_POSITION, Place, look_for_places, record_of, stand_as_told};
use crate::history::{Death, StatusChange};
use crate::ids::IdEntry;
use crate::read::{self, Names, StoredRow};
use crate::record::{NamedTimes, RowRecord};
use crate::tables::ROWS;
use crate::work::{Birth, EventDraft, Work};
use crate::{History, Operation, RecordError, Written};

/// A status and the moment since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Since {
    /// The status.
    pub status: Status,
    /// From when on.
    pub time: Timestamp,
}

/// One revision of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// Its content at that time.
    pub memory: Body,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Every status it had, the one it was stored with first.
    pub statuses: Vec<Since>,
    /// When a newer revision or memory replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_at: Option<Timestamp>,
}

/// Everything stored about a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chronicle {
    /// Its id.
    pub id: MemoryId,
    /// The memory that it superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<MemoryId>,
    /// Its revisions, the oldest first.
    pub revisions: Vec<Version>,
}

/// The chronicles of memories whose first row is `from` or above, at most `limit`, in the order of
/// first rows.
///
/// Answers also with the row to go on from; `None` at the end. A superseded memory comes before
/// its successor.
///
/// # Errors
/// When they cannot be read.
pub fn export(
    reads: &dyn Reads,
    ns: NamespaceId,
    from: Row,
    limit: usize,
) -> Result<(Vec<Chronicle>, Option<Row>), RecordError> {
    let mut firsts: Vec<MemoryId> = Vec::new();
    let mut next = None;
    ROWS.scan(
        reads,
        ROWS.within(ns).from((ns, from)),
        |(_, row), record| {
            if record.revision != 1 {
                return Ok(ControlFlow::Continue(()));
            }
            if firsts.len() >= limit {
                next = Some(row);
                return Ok(ControlFlow::Break(()));
            }
            firsts.push(record.id);
            Ok::<_, RecordError>(ControlFlow::Continue(()))
        },
    )?;
    let found = chronicles(reads, ns, &firsts)?;
    Ok((found.into_iter().flatten().collect(), next))
}

/// The chronicles of some memories, in the order asked; `None` for ids that do not exist.
///
/// # Errors
/// When they cannot be read.
pub fn chronicles(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<Vec<Option<Chronicle>>, RecordError> {
    let entries = read::entries(reads, ns, ids)?;
    let chains = read::chains(reads, ns, &entries)?;
    let names = Names::resolve(
        reads,
        ns,
        None,
        chains.iter().flatten().map(|found| &found.record),
    )?;
    chains
        .iter()
        .map(|chain| chronicle(ns, chain, &names))
        .collect()
}

pub(crate) fn chronicle(
    ns: NamespaceId,
    chain: &[StoredRow],
    names: &Names,
) -> Result<Option<Chronicle>, RecordError> {
    let Some(first) = chain.first() else {
        return Ok(None);
    };
    let revisions = chain.iter().map(|found| {
        let life = found.life();
        Ok(Version {
            memory: read::memory(ns, found, names)?.body,
            stored_at: found.record.stored_at,
            statuses: life
                .changes
                .iter()
                .map(|change| Since {
                    status: change.status,
                    time: change.time,
                })
                .collect(),
            replaced_at: life.death.map(|death| death.time),
        })
    });
    let revisions = revisions.collect::<Result<_, RecordError>>()?;
    Ok(Some(Chronicle {
        id: first.record.id,
        supersedes: first.record.supersedes,
        revisions,
    }))
}

/// The result of importing a chronicle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The memory.
    pub id: MemoryId,
    /// Its rows, the oldest first; only the last one may be current.
    pub rows: Vec<Row>,
    /// Whether the very same was there before, so that nothing was written.
    pub already: bool,
}

/// Stores memories as another file had them, with ids, times, positions, statuses and history.
///
/// Turns whose position is far beyond all that sessions reach follow the last one of their session
/// instead. The times that texts name are found anew. Importing the same again changes nothing.
/// Sources are taken as they are, for they may have been erased.
///
/// # Errors
/// [`RecordError::IdTaken`], [`RecordError::PositionTaken`], [`RecordError::Invalid`],
/// [`RecordError::BadChronicle`], [`RecordError::NamespaceGone`], [`RecordError::Full`].
pub fn import(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    chronicles: &[Chronicle],
    named_times: &NamedTimes<'_>,
) -> Result<Written<Vec<Imported>>, RecordError> {
    let checked: Vec<Vec<NewMemory>> = chronicles.iter().map(check).collect::<Result<_, _>>()?;
    let ids = chronicles
        .iter()
        .flat_map(|each| [Some(each.id), each.supersedes])
        .flatten();
    let ids: Vec<MemoryId> = ids.collect();
    let bodies = checked.iter().flatten().map(NewMemory::body);
    let (mut work, found) = Work::begin(txn, ns, now, bodies, &ids)?;
    let known = ids
        .into_iter()
        .zip(found)
        .filter_map(|(id, entry)| Some((id, entry?)));
    let mut known: HashMap<MemoryId, IdEntry> = known.collect();
    let turns = checked
        .iter()
        .flatten()
        .filter_map(|memory| Some((memory.body().turn.as_ref()?, true)));
    look_for_places(&mut work, turns)?;
    let first = work.head.next_row;
    let mut imported = Vec::with_capacity(chronicles.len());
    for (chronicle, memories) in chronicles.iter().zip(&checked) {
        if known.contains_key(&chronicle.id) {
            imported.push(same(&work, chronicle)?);
            continue;
        }
        let before = chronicle.supersedes.and_then(|id| known.get(&id).copied());
        let rows = store(&mut work, (chronicle, memories), before, named_times)?;
        if let (Some(first), Some(current)) = (rows.first(), rows.last()) {
            known.insert(
                chronicle.id,
                IdEntry {
                    first: *first,
                    current: *current,
                },
            );
        }
        imported.push(Imported {
            id: chronicle.id,
            rows,
            already: false,
        });
    }
    let rows = work.head.next_row - first;
    let id = match chronicles {
        [one] => Some(one.id),
        _ => None,
    };
    let happened = EventDraft {
        operation: Operation::Imported,
        row: Row(first),
        rows,
        id,
        number: rows,
    };
    work.finish(imported, (rows > 0).then_some(happened))
}

fn check(chronicle: &Chronicle) -> Result<Vec<NewMemory>, RecordError> {
    let bad = |reason| {
        Err(RecordError::BadChronicle {
            id: chronicle.id,
            reason,
        })
    };
    let Some((_, older)) = chronicle.revisions.split_last() else {
        return bad("it has no revision");
    };
    if older.iter().any(|version| version.replaced_at.is_none()) {
        return bad("a revision that is not the last one does not say when it was replaced");
    }
    if chronicle
        .revisions
        .iter()
        .any(|version| version.statuses.is_empty())
    {
        return bad("a revision has no status");
    }
    let invalid = |source| RecordError::Invalid {
        id: chronicle.id,
        source,
    };
    let bodies = chronicle
        .revisions
        .iter()
        .map(|version| version.memory.clone());
    bodies
        .map(|body| NewMemory::from_body(body).map_err(invalid))
        .collect()
}

fn same(work: &Work<'_, '_>, chronicle: &Chronicle) -> Result<Imported, RecordError> {
    let id = chronicle.id;
    let there = self::chronicles(&*work.txn, work.ns, &[id])?
        .pop()
        .flatten();
    let mut there = there.ok_or(RecordError::NotFound { id })?;
    for (known, told) in there.revisions.iter_mut().zip(&chronicle.revisions) {
        stand_as_told(&mut known.memory, &told.memory);
    }
    if there != *chronicle {
        return Err(RecordError::IdTaken { id });
    }
    let entry = read::entries(&*work.txn, work.ns, &[id])?.pop().flatten();
    let current = entry.ok_or(RecordError::NotFound { id })?.current;
    let mut rows: Vec<Row> = read::chain(&*work.txn, work.ns, current, true)?
        .iter()
        .map(|found| found.row)
        .collect();
    rows.reverse();
    Ok(Imported {
        id,
        rows,
        already: true,
    })
}

fn store(
    work: &mut Work<'_, '_>,
    (chronicle, memories): (&Chronicle, &[NewMemory]),
    superseded: Option<IdEntry>,
    named_times: &NamedTimes<'_>,
) -> Result<Vec<Row>, RecordError> {
    let mut rows: Vec<Row> = Vec::with_capacity(memories.len());
    // A far position, and the one that its turn has here.
    let mut moved: Option<(u32, u32)> = None;
    let mut before: Option<(Row, RowRecord<'_>)> = match superseded {
        Some(entry) => supersede(work, chronicle, entry)?,
        None => None,
    };
    for (memory, version) in memories.iter().zip(&chronicle.revisions) {
        let current = version.replaced_at.is_none();
        let position = memory.body().turn.as_ref().map_or(0, |turn| turn.position);
        let place = match moved {
            Some((far, here)) if far == position => Place::At(here),
            _ if position >= FAR_POSITION => Place::Next,
            _ if current => Place::Named,
            _ => Place::At(position),
        };
        let mut record = record_of(work, chronicle.id, memory.body(), place)?;
        if let Some(turn) = record.turn.as_ref().filter(|_| position >= FAR_POSITION) {
            moved = Some((position, turn.position));
        }
        record.stored_at = version.stored_at;
        record.status = version
            .statuses
            .first()
            .map_or(Status::Active, |since| since.status);
        record.replaces = before.as_ref().map(|(row, _)| *row);
        record.supersedes = chronicle.supersedes.filter(|_| rows.is_empty());
        record.revision = u32::try_from(rows.len() + 1).map_err(|_| work.full("revisions"))?;
        record.name_times(before.as_ref().map(|(_, record)| record), named_times);
        let row = work.next_row()?;
        let first = *rows.first().unwrap_or(&row);
        work.bear(
            row,
            &record,
            Birth {
                first,
                instead_of: None,
                current,
            },
        )?;
        rows.push(row);
        before = Some((row, record));
    }
    for (at, version) in chronicle.revisions.iter().enumerate() {
        live(
            work,
            version,
            rows.get(at).copied(),
            rows.get(at + 1).copied(),
        )?;
    }
    Ok(rows)
}

/// Writes the life of an imported row, unless it is still as it was born.
fn live(
    work: &mut Work<'_, '_>,
    version: &Version,
    row: Option<Row>,
    successor: Option<Row>,
) -> Result<(), RecordError> {
    let Some(row) = row else { return Ok(()) };
    let birth = Since {
        status: version
            .statuses
            .first()
            .map_or(Status::Active, |s| s.status),
        time: version.stored_at,
    };
    if version.statuses == [birth] && version.replaced_at.is_none() {
        return Ok(());
    }
    let commit = work.commit;
    let changes = version.statuses.iter().map(|since| StatusChange {
        commit,
        time: since.time,
        status: since.status,
    });
    let death = version.replaced_at.map(|time| Death {
        commit,
        time,
        successor,
        successor_id: None,
    });
    let life = History {
        changes: changes.collect(),
        death,
    };
    work.count(birth.status, -1);
    if life.death.is_some() {
        work.head.replaced += 1;
    } else {
        work.count(life.status(), 1);
    }
    work.lived(row, life)
}

/// Ties a memory to the one that it superseded, which was imported before. Answers with that one.
fn supersede(
    work: &mut Work<'_, '_>,
    chronicle: &Chronicle,
    entry: IdEntry,
) -> Result<Option<(Row, RowRecord<'static>)>, RecordError> {
    let Some(found) = read::rows(&*work.txn, work.ns, &[entry.current])?
        .pop()
        .flatten()
    else {
        return Ok(None);
    };
    let mut life = found.life();
    let untied = |death: &&mut Death| death.successor.is_none();
    let Some(death) = life.death.as_mut().filter(untied) else {
        return Err(RecordError::BadChronicle {
            id: chronicle.id,
            reason: "it supersedes a memory that is current or was replaced by another one",
        });
    };
    death.successor = Some(Row(work.head.next_row));
    death.successor_id = Some(chronicle.id);
    work.lived(found.row, life)?;
    Ok(Some((found.row, found.record)))
}
