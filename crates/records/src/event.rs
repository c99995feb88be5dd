use annals_storage::Reads;
use annals_storage::table::Value;
use annals_types::{Commit, MemoryId, NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::tables::EVENTS;
use crate::wire::{Broken, Put, Take};
use crate::{Head, RecordError};

/// The kind of change in an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Operation {
    /// New memories; [`Event::rows`] of them.
    Remembered,
    /// A memory got a new row under its old id.
    Updated,
    /// A memory was replaced by one with a new id, which is [`Event::id`].
    Superseded,
    /// A memory got another status; [`Event::number`] is its byte, and [`BY_RULE`] more when a
    /// rule of the profile did it.
    StatusChanged,
    /// A memory and its history were erased; [`Event::number`] counts the rows.
    Erased,
    /// A memory came in with its history; [`Event::number`] counts its rows.
    Imported,
    /// How much a memory matters was changed by hand.
    Adjusted,
}

/// The offset of the number of an event whose change of status a rule of the profile made.
pub const BY_RULE: u32 = 256;

impl Operation {
    const ALL: [Self; 7] = [
        Self::Remembered,
        Self::Updated,
        Self::Superseded,
        Self::StatusChanged,
        Self::Erased,
        Self::Imported,
        Self::Adjusted,
    ];

    fn to_byte(self) -> u8 {
        Self::ALL
            .iter()
            .position(|each| *each == self)
            .and_then(|at| u8::try_from(at).ok())
            .unwrap_or(u8::MAX)
    }

    fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// One entry of the event log: ids and numbers, never text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Its number: counted from 0 without gaps.
    pub seq: u64,
    /// The commit it belongs to.
    pub commit: Commit,
    /// When.
    pub time: Timestamp,
    /// The kind of change.
    pub operation: Operation,
    /// The first row concerned.
    pub row: Row,
    /// How many consecutive rows, from `row` on, are concerned.
    pub rows: u32,
    /// The memory, when exactly one is concerned.
    pub id: Option<MemoryId>,
    /// A number whose meaning depends on the operation.
    pub number: u32,
}

impl Value for Event {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.varint(view.commit.0);
        put.zigzag(view.time.as_millis());
        put.byte(view.operation.to_byte());
        put.varint(u64::from(view.row.0));
        put.varint(u64::from(view.rows));
        put.varint(u64::from(view.number));
        if let Some(id) = view.id {
            put.raw(id.as_bytes());
        }
    }

    /// The number of an event is in its key; the caller fills it in.
    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let mut event = Self {
            seq: 0,
            commit: Commit(take.varint()?),
            time: Timestamp::from_millis(take.zigzag()?),
            operation: Operation::from_byte(take.byte()?)
                .ok_or(Broken("an operation is unknown"))?,
            row: Row(take.varint32()?),
            rows: take.varint32()?,
            number: take.varint32()?,
            id: None,
        };
        if take.end().is_err() {
            event.id = Some(MemoryId::from_bytes(take.array()?));
        }
        take.end()?;
        Ok(event)
    }
}

/// The events numbered `from` and above, oldest first, at most `limit`.
///
/// A reader that follows a namespace asks again with the number after the last one seen.
///
/// # Errors
/// When they cannot be read.
pub fn events(
    reads: &dyn Reads,
    ns: NamespaceId,
    from: u64,
    limit: usize,
) -> Result<Vec<Event>, RecordError> {
    let found = EVENTS.rows(reads, EVENTS.within(ns).from((ns, from)), limit)?;
    Ok(found
        .into_iter()
        .map(|((_, seq), event)| Event { seq, ..event })
        .collect())
}

/// When each of some namespaces last had an event, in the order asked, in one round of reads.
///
/// # Errors
/// When they cannot be read.
pub fn last_events<'a>(
    reads: &dyn Reads,
    namespaces: impl IntoIterator<Item = (NamespaceId, &'a Head)>,
) -> Result<Vec<Option<Timestamp>>, RecordError> {
    // The number before the first is that of no event.
    let last = namespaces
        .into_iter()
        .map(|(ns, head)| (ns, head.next_event.wrapping_sub(1)));
    let found = EVENTS.get_many(reads, last)?;
    Ok(found
        .into_iter()
        .map(|event| event.map(|event| event.time))
        .collect())
}

/// The number that the next event of a namespace will get.
///
/// # Errors
/// When it cannot be read.
pub fn next_event(reads: &dyn Reads, ns: NamespaceId) -> Result<u64, RecordError> {
    Ok(Head::read(reads, ns)?.next_event)
}
