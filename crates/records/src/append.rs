use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use annals_storage::Transaction;
use annals_types::{Body, MemoryId, NamespaceId, NewMemory, Row, Status, Timestamp, Turn};

use crate::ids::IdEntry;
use crate::record::{self, NamedTimes, RowRecord, TurnRecord};
use crate::work::{Birth, EventDraft, Work};
use crate::{LabelClass, LabelId, Operation, RecordError, Written, read};

/// A memory to be stored.
#[derive(Debug, Clone, Copy)]
pub struct Incoming<'a> {
    /// The id it gets.
    pub id: MemoryId,
    /// The memory.
    pub memory: &'a NewMemory,
    /// When it counts as stored; now, unless it comes from elsewhere.
    pub stored_at: Option<Timestamp>,
    /// Whether a turn keeps the position it names instead of getting the next one of its session.
    pub keep_position: bool,
    /// Whether sources that do not exist are taken as they are, as for memories whose sources were
    /// erased.
    pub keep_provenance: bool,
}

impl<'a> Incoming<'a> {
    /// A new memory: stored now, a turn at the end of its session, its sources checked.
    #[must_use]
    pub fn new(id: MemoryId, memory: &'a NewMemory) -> Self {
        Self {
            id,
            memory,
            stored_at: None,
            keep_position: false,
            keep_provenance: false,
        }
    }
}

/// Where a memory was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// Its id.
    pub id: MemoryId,
    /// Its row.
    pub row: Row,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// Its place in its session, for a turn.
    pub position: Option<u32>,
    /// Whether the same memory was there before, so that nothing was written.
    pub already: bool,
}

/// Stores one memory whose text is not read for times. See [`append_many`].
///
/// # Errors
/// As for [`append_many`].
pub fn append(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    id: MemoryId,
    memory: &NewMemory,
) -> Result<Written<Appended>, RecordError> {
    let Written { mut outcome, delta } =
        append_many(txn, ns, now, &[Incoming::new(id, memory)], &|_, _| {
            Vec::new()
        })?;
    let outcome = outcome.pop().ok_or(RecordError::NotFound { id })?;
    Ok(Written { outcome, delta })
}

/// Stores memories in the order given, each with the times that its text names, with two rounds of
/// reads for all of them.
///
/// An id that is there already is left alone when its memory says the same, which makes imports
/// repeatable.
///
/// # Errors
/// [`RecordError::IdTaken`] when an id belongs to another memory, [`RecordError::NoOrigin`] when a
/// source is neither stored nor earlier in the list, [`RecordError::PositionTaken`],
/// [`RecordError::NamespaceGone`], [`RecordError::Full`].
pub fn append_many(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    incoming: &[Incoming<'_>],
    named_times: &NamedTimes<'_>,
) -> Result<Written<Vec<Appended>>, RecordError> {
    let asked = wanted_ids(incoming);
    let bodies = incoming.iter().map(|each| each.memory.body());
    let (mut work, found) = Work::begin(txn, ns, now, bodies, &asked)?;
    let known = asked
        .into_iter()
        .zip(found)
        .filter_map(|(id, entry)| Some((id, entry?)));
    let mut known: HashMap<MemoryId, IdEntry> = known.collect();
    check_provenance(incoming, &known)?;
    find_places(&mut work, incoming)?;
    let first = work.head.next_row;
    let mut stored = Vec::with_capacity(incoming.len());
    for each in incoming {
        let appended = match known.get(&each.id) {
            Some(entry) => same_memory(&work, entry.current, each)?,
            None => store(&mut work, each, named_times)?,
        };
        if !appended.already {
            known.insert(
                each.id,
                IdEntry {
                    current: appended.row,
                    first: appended.row,
                },
            );
        }
        stored.push(appended);
    }
    let rows = work.head.next_row - first;
    let id = (rows == 1)
        .then(|| stored.iter().find(|each| !each.already).map(|each| each.id))
        .flatten();
    let happened = EventDraft {
        operation: Operation::Remembered,
        row: Row(first),
        rows,
        id,
        number: 0,
    };
    work.finish(stored, (rows > 0).then_some(happened))
}

fn wanted_ids(incoming: &[Incoming<'_>]) -> Vec<MemoryId> {
    let mut ids: Vec<MemoryId> = incoming.iter().map(|each| each.id).collect();
    let checked = incoming.iter().filter(|each| !each.keep_provenance);
    ids.extend(checked.flat_map(|each| &each.memory.body().provenance));
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn check_provenance(
    incoming: &[Incoming<'_>],
    known: &HashMap<MemoryId, IdEntry>,
) -> Result<(), RecordError> {
    let mut earlier: HashSet<MemoryId> = HashSet::new();
    for each in incoming {
        let mut origins = each
            .memory
            .body()
            .provenance
            .iter()
            .filter(|_| !each.keep_provenance);
        let missing =
            origins.find(|origin| !known.contains_key(origin) && !earlier.contains(origin));
        if let Some(origin) = missing {
            return Err(RecordError::NoOrigin {
                id: each.id,
                origin: *origin,
            });
        }
        earlier.insert(each.id);
    }
    Ok(())
}

/// The second round of reads: the ends of the sessions that exist already.
fn find_places(work: &mut Work<'_, '_>, incoming: &[Incoming<'_>]) -> Result<(), RecordError> {
    let turns = incoming
        .iter()
        .filter_map(|each| Some((each.memory.body().turn.as_ref()?, each.keep_position)));
    look_for_places(work, turns)
}

/// Finds the ends of the sessions that exist, and which of the places that turns insist on are
/// taken.
pub(crate) fn look_for_places<'b>(
    work: &mut Work<'_, '_>,
    turns: impl Iterator<Item = (&'b Turn, bool)>,
) -> Result<(), RecordError> {
    let known = turns.filter_map(|(turn, keeps)| {
        let session = work.known(LabelClass::Session, turn.session.as_str())?;
        Some((session, turn.position, keeps))
    });
    let known: Vec<(LabelId, u32, bool)> = known.collect();
    work.find_ends(known.iter().map(|(session, ..)| *session))?;
    let named: Vec<(LabelId, u32)> = known
        .iter()
        .filter(|(.., keeps)| *keeps)
        .map(|(session, position, _)| (*session, *position))
        .collect();
    work.find_taken(&named)
}

fn store(
    work: &mut Work<'_, '_>,
    incoming: &Incoming<'_>,
    named_times: &NamedTimes<'_>,
) -> Result<Appended, RecordError> {
    let body = incoming.memory.body();
    let far = body
        .turn
        .as_ref()
        .is_some_and(|turn| turn.position >= FAR_POSITION);
    let place = if incoming.keep_position && !far {
        Place::Named
    } else {
        Place::Next
    };
    let stored_at = incoming.stored_at.unwrap_or(work.now);
    let mut record = record_of(work, incoming.id, body, place)?;
    record.stored_at = stored_at;
    record.status = incoming.memory.status();
    record.name_times(None, named_times);
    let position = record.turn.as_ref().map(|turn| turn.position);
    let row = work.next_row()?;
    work.bear(
        row,
        &record,
        Birth {
            first: row,
            instead_of: None,
            current: true,
        },
    )?;
    Ok(Appended {
        id: incoming.id,
        row,
        stored_at,
        position,
        already: false,
    })
}

/// Another file may name any position. From here on a turn gets the next one of its session instead
/// of the one that it names: behind the last of all positions nothing could be said any more.
pub(crate) const FAR_POSITION: u32 = 1 << 30;

/// Gives a turn that is here the position that another file tells, where a far one was not kept.
pub(crate) fn stand_as_told(here: &mut Body, told: &Body) {
    if let (Some(here), Some(told)) = (&mut here.turn, &told.turn)
        && told.position >= FAR_POSITION
    {
        here.position = told.position;
    }
}

/// Where a turn goes in its session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// After the last turn.
    Next,
    /// Where the turn says, which must be free.
    Named,
    /// At this position, whatever is there.
    At(u32),
}

/// A record for a body, with numbers for its labels. Stored now, active, the first of its id, its
/// text not read for times.
pub(crate) fn record_of<'b>(
    work: &mut Work<'_, '_>,
    id: MemoryId,
    body: &'b Body,
    place: Place,
) -> Result<RowRecord<'b>, RecordError> {
    let turn = match &body.turn {
        None => None,
        Some(turn) => {
            let session = work.number(LabelClass::Session, turn.session.as_str())?;
            let position = match place {
                Place::Next => work.next_position(session)?,
                Place::At(position) => position,
                Place::Named => named(work, session, turn)?,
            };
            let speaker = turn.speaker.as_ref();
            Some(TurnRecord {
                session,
                position,
                speaker: speaker
                    .map(|label| work.number(LabelClass::Speaker, label.as_str()))
                    .transpose()?,
                role: turn.role,
                reply: turn.reply.as_deref().map(Cow::Borrowed),
                tool_calls: Cow::Borrowed(&turn.tool_calls),
                attachments: Cow::Borrowed(&turn.attachments),
            })
        }
    };
    let tags = body
        .tags
        .iter()
        .map(|tag| work.number(LabelClass::Tag, tag.as_str()));
    let tags = tags.collect::<Result<_, _>>()?;
    let source = body.source.as_ref();
    Ok(RowRecord {
        id,
        stored_at: work.now,
        born: work.commit,
        status: Status::Active,
        layer: body.layer,
        kind: work.number(LabelClass::Kind, body.kind.as_str())?,
        text: Cow::Borrowed(&body.text),
        importance: body.importance.get(),
        confidence: body.confidence.get(),
        verified: body.verified,
        source: source
            .map(|label| work.number(LabelClass::Source, label.as_str()))
            .transpose()?,
        provenance: Cow::Borrowed(&body.provenance),
        tags,
        metadata: record::metadata_json(body).map(Cow::Owned),
        event_time: body.event_time,
        valid_from: body.valid_from,
        valid_until: body.valid_until,
        expires_at: body.expires_at,
        named_times: Vec::new(),
        turn,
        replaces: None,
        supersedes: None,
        revision: 1,
    })
}

fn named(work: &Work<'_, '_>, session: LabelId, turn: &Turn) -> Result<u32, RecordError> {
    if work.is_free(session, turn.position) {
        Ok(turn.position)
    } else {
        Err(RecordError::PositionTaken {
            session: turn.session.clone(),
            position: turn.position,
        })
    }
}

/// Answers with the memory that is there when it says the same.
fn same_memory(
    work: &Work<'_, '_>,
    row: Row,
    incoming: &Incoming<'_>,
) -> Result<Appended, RecordError> {
    let taken = RecordError::IdTaken { id: incoming.id };
    let Some(there) = read::memories(&*work.txn, work.ns, &[row], None)?
        .pop()
        .flatten()
    else {
        return Err(taken);
    };
    let mut body = there.body;
    let position = body.turn.as_ref().map(|turn| turn.position);
    if let (Some(turn), false) = (&mut body.turn, incoming.keep_position) {
        turn.position = incoming
            .memory
            .body()
            .turn
            .as_ref()
            .map_or(0, |turn| turn.position);
    }
    stand_as_told(&mut body, incoming.memory.body());
    let same_time = incoming
        .stored_at
        .is_none_or(|stored_at| stored_at == there.stored_at);
    if body != *incoming.memory.body() || !same_time {
        return Err(taken);
    }
    Ok(Appended {
        id: incoming.id,
        row,
        stored_at: there.stored_at,
        position,
        already: true,
    })
}
