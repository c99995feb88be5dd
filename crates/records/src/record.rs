//! The stored form of a row, independent of the types that callers use.

mod turn;

use std::borrow::Cow;

use annals_storage::table::Value;
use annals_types::{
    Body, Commit, Importance, Interval, Layer, MemoryId, Metadata, Row, Status, Timestamp,
    UnitScore,
};

pub use turn::TurnRecord;

use crate::LabelId;
use crate::wire::{Broken, Put, Take};

const VERIFIED: u64 = 1;
const IMPORTANCE: u64 = 1 << 1;
const CONFIDENCE: u64 = 1 << 2;
const SOURCE: u64 = 1 << 3;
const PROVENANCE: u64 = 1 << 4;
const TAGS: u64 = 1 << 5;
const METADATA: u64 = 1 << 6;
const EVENT_TIME: u64 = 1 << 7;
const VALID_FROM: u64 = 1 << 8;
const VALID_UNTIL: u64 = 1 << 9;
const EXPIRES_AT: u64 = 1 << 10;
const TURN: u64 = 1 << 11;
const REPLACES: u64 = 1 << 12;
const SUPERSEDES: u64 = 1 << 13;
const REVISION: u64 = 1 << 14;
const SPEAKER: u64 = 1 << 15;
const REPLY: u64 = 1 << 16;
const TOOL_CALLS: u64 = 1 << 17;
const ATTACHMENTS: u64 = 1 << 18;
const NAMED_TIMES: u64 = 1 << 19;
const KNOWN: u64 = (1 << 20) - 1;

/// The most times of one text that are kept.
const MOST_NAMED: usize = 4;

/// Finds the times named in a text that is told at a moment. A caller that knows its language
/// finds them; records only keep them, at most four of a text.
pub type NamedTimes<'a> = dyn Fn(&str, Timestamp) -> Vec<Interval> + 'a;

/// A row as it is stored: labels are numbers, everything else is as in a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct RowRecord<'a> {
    /// The public id.
    pub id: MemoryId,
    /// When it was stored.
    pub stored_at: Timestamp,
    /// The commit that stored it.
    pub born: Commit,
    /// The status it was stored with.
    pub status: Status,
    /// Its role in storage.
    pub layer: Layer,
    /// Its kind.
    pub kind: LabelId,
    /// The text.
    pub text: Cow<'a, str>,
    /// How much it matters.
    pub importance: f32,
    /// How sure it is.
    pub confidence: f32,
    /// Whether a person confirmed it.
    pub verified: bool,
    /// The source that stored it.
    pub source: Option<LabelId>,
    /// The memories it was derived from.
    pub provenance: Cow<'a, [MemoryId]>,
    /// Its tags, in the order of their names.
    pub tags: Vec<LabelId>,
    /// Free fields as a JSON object; `None` for none.
    pub metadata: Option<Cow<'a, str>>,
    /// When what it tells happened.
    pub event_time: Option<Timestamp>,
    /// From when on it is true.
    pub valid_from: Option<Timestamp>,
    /// Until when it is true.
    pub valid_until: Option<Timestamp>,
    /// When it stops being shown.
    pub expires_at: Option<Timestamp>,
    /// The times that its text names.
    pub named_times: Vec<Interval>,
    /// Present for a turn.
    pub turn: Option<TurnRecord<'a>>,
    /// The row it replaced, unless that one was erased.
    pub replaces: Option<Row>,
    /// The id of what it replaced, when that is another one.
    pub supersedes: Option<MemoryId>,
    /// The number of this revision, from 1.
    pub revision: u32,
}

impl RowRecord<'_> {
    /// Bytes of text and reply.
    #[must_use]
    pub fn text_bytes(&self) -> u64 {
        let reply = self
            .turn
            .as_ref()
            .and_then(|turn| turn.reply.as_ref())
            .map_or(0, |reply| reply.len());
        (self.text.len() + reply) as u64
    }

    fn flags(&self) -> u64 {
        let turn = self.turn.as_ref();
        let bits = [
            (VERIFIED, self.verified),
            (
                IMPORTANCE,
                self.importance.to_bits() != Importance::DEFAULT.get().to_bits(),
            ),
            (
                CONFIDENCE,
                self.confidence.to_bits() != UnitScore::ONE.get().to_bits(),
            ),
            (SOURCE, self.source.is_some()),
            (PROVENANCE, !self.provenance.is_empty()),
            (TAGS, !self.tags.is_empty()),
            (METADATA, self.metadata.is_some()),
            (EVENT_TIME, self.event_time.is_some()),
            (VALID_FROM, self.valid_from.is_some()),
            (VALID_UNTIL, self.valid_until.is_some()),
            (EXPIRES_AT, self.expires_at.is_some()),
            (TURN, turn.is_some()),
            (REPLACES, self.replaces.is_some()),
            (SUPERSEDES, self.supersedes.is_some()),
            (REVISION, self.revision != 1),
            (SPEAKER, turn.is_some_and(|turn| turn.speaker.is_some())),
            (REPLY, turn.is_some_and(|turn| turn.reply.is_some())),
            (
                TOOL_CALLS,
                turn.is_some_and(|turn| !turn.tool_calls.is_empty()),
            ),
            (
                ATTACHMENTS,
                turn.is_some_and(|turn| !turn.attachments.is_empty()),
            ),
            (NAMED_TIMES, !self.named_times.is_empty()),
        ];
        bits.iter()
            .filter(|(_, set)| *set)
            .map(|(bit, _)| bit)
            .sum()
    }

    fn write(&self, put: &mut Put) {
        put.reserve(self.text.len() + 64);
        put.varint(self.flags());
        put.raw(self.id.as_bytes());
        // Ids carry their moment, so this is nearly always a zero.
        put.zigzag(
            self.stored_at
                .as_millis()
                .wrapping_sub(self.id.timestamp().as_millis()),
        );
        put.varint(self.born.0);
        put.byte(self.status.to_byte());
        put.byte(self.layer.to_byte());
        put.varint(u64::from(self.kind.0));
        put.text(&self.text);
        if self.importance.to_bits() != Importance::DEFAULT.get().to_bits() {
            put.raw(&self.importance.to_le_bytes());
        }
        if self.confidence.to_bits() != UnitScore::ONE.get().to_bits() {
            put.raw(&self.confidence.to_le_bytes());
        }
        self.encode_lists(put);
        for moment in [
            self.event_time,
            self.valid_from,
            self.valid_until,
            self.expires_at,
        ]
        .into_iter()
        .flatten()
        {
            put.zigzag(moment.as_millis().wrapping_sub(self.stored_at.as_millis()));
        }
        if !self.named_times.is_empty() {
            put.length(self.named_times.len());
            for moment in self
                .named_times
                .iter()
                .flat_map(|time| [time.start, time.end])
            {
                put.zigzag(moment.as_millis().wrapping_sub(self.stored_at.as_millis()));
            }
        }
        if let Some(turn) = &self.turn {
            turn.encode(put);
        }
        if let Some(row) = self.replaces {
            put.varint(u64::from(row.0));
        }
        if let Some(id) = self.supersedes {
            put.raw(id.as_bytes());
        }
        if self.revision != 1 {
            put.varint(u64::from(self.revision));
        }
    }

    fn encode_lists(&self, put: &mut Put) {
        if let Some(source) = self.source {
            put.varint(u64::from(source.0));
        }
        if !self.provenance.is_empty() {
            put.length(self.provenance.len());
            self.provenance.iter().for_each(|id| put.raw(id.as_bytes()));
        }
        if !self.tags.is_empty() {
            put.length(self.tags.len());
            self.tags
                .iter()
                .for_each(|tag| put.varint(u64::from(tag.0)));
        }
        if let Some(metadata) = &self.metadata {
            put.text(metadata);
        }
    }
}

impl<'a> RowRecord<'a> {
    /// Gives it the times that its text names, told when it happened or else was stored. A row
    /// with the text of the row before it means the same times.
    pub(crate) fn name_times(&mut self, before: Option<&RowRecord<'_>>, find: &NamedTimes<'_>) {
        let same = |before: &&RowRecord<'_>| {
            before.text == self.text && before.event_time == self.event_time
        };
        self.named_times = match before.filter(same) {
            Some(before) => before.named_times.clone(),
            None => find(&self.text, self.event_time.unwrap_or(self.stored_at)),
        };
        self.named_times.retain(|time| time.start < time.end);
        self.named_times.truncate(MOST_NAMED);
    }

    /// A copy that borrows nothing.
    #[must_use]
    pub fn into_owned(self) -> RowRecord<'static> {
        fn own<T: ToOwned + ?Sized>(value: Cow<'_, T>) -> Cow<'static, T> {
            Cow::Owned(value.into_owned())
        }
        RowRecord {
            text: own(self.text),
            provenance: own(self.provenance),
            metadata: self.metadata.map(own),
            turn: self.turn.map(|turn| TurnRecord {
                reply: turn.reply.map(own),
                tool_calls: own(turn.tool_calls),
                attachments: own(turn.attachments),
                ..turn
            }),
            ..self
        }
    }

    fn read(body: &'a [u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let flags = take.varint()?;
        if flags & !KNOWN != 0 {
            return Err(Broken("a row has parts that are unknown"));
        }
        let has = |bit: u64| flags & bit != 0;
        let id = MemoryId::from_bytes(take.array()?);
        let stored_at =
            Timestamp::from_millis(id.timestamp().as_millis().wrapping_add(take.zigzag()?));
        let mut row = Self {
            id,
            stored_at,
            born: Commit(take.varint()?),
            status: Status::from_byte(take.byte()?).ok_or(Broken("a status is unknown"))?,
            layer: Layer::from_byte(take.byte()?).ok_or(Broken("a layer is unknown"))?,
            kind: LabelId(take.varint32()?),
            text: Cow::Borrowed(take.text()?),
            importance: if has(IMPORTANCE) {
                f32::from_le_bytes(take.array()?)
            } else {
                Importance::DEFAULT.get()
            },
            confidence: if has(CONFIDENCE) {
                f32::from_le_bytes(take.array()?)
            } else {
                UnitScore::ONE.get()
            },
            verified: has(VERIFIED),
            source: if has(SOURCE) {
                Some(LabelId(take.varint32()?))
            } else {
                None
            },
            provenance: if has(PROVENANCE) {
                Cow::Owned(ids(&mut take)?)
            } else {
                Cow::default()
            },
            tags: if has(TAGS) {
                numbers(&mut take)?
            } else {
                Vec::new()
            },
            metadata: if has(METADATA) {
                Some(Cow::Borrowed(take.text()?))
            } else {
                None
            },
            event_time: None,
            valid_from: None,
            valid_until: None,
            expires_at: None,
            named_times: Vec::new(),
            turn: None,
            replaces: None,
            supersedes: None,
            revision: 1,
        };
        let moments = [
            (EVENT_TIME, &mut row.event_time),
            (VALID_FROM, &mut row.valid_from),
            (VALID_UNTIL, &mut row.valid_until),
            (EXPIRES_AT, &mut row.expires_at),
        ];
        for (bit, place) in moments {
            if has(bit) {
                *place = Some(Timestamp::from_millis(
                    stored_at.as_millis().wrapping_add(take.zigzag()?),
                ));
            }
        }
        if has(NAMED_TIMES) {
            row.named_times = intervals(stored_at, &mut take)?;
        }
        if has(TURN) {
            row.turn = Some(TurnRecord::decode(flags, &mut take)?);
        }
        if has(REPLACES) {
            row.replaces = Some(Row(take.varint32()?));
        }
        if has(SUPERSEDES) {
            row.supersedes = Some(MemoryId::from_bytes(take.array()?));
        }
        if has(REVISION) {
            row.revision = take.varint32()?;
        }
        take.end()?;
        Ok(row)
    }
}

fn intervals(stored_at: Timestamp, take: &mut Take<'_>) -> Result<Vec<Interval>, Broken> {
    let count = take.count(2)?;
    let mut moment = || {
        Ok(Timestamp::from_millis(
            stored_at.as_millis().wrapping_add(take.zigzag()?),
        ))
    };
    let found: Vec<Interval> = (0..count)
        .map(|_| {
            Ok(Interval {
                start: moment()?,
                end: moment()?,
            })
        })
        .collect::<Result<_, Broken>>()?;
    let right = (1..=MOST_NAMED).contains(&count) && found.iter().all(|time| time.start < time.end);
    if right {
        Ok(found)
    } else {
        Err(Broken("the times that a text names are none"))
    }
}

fn ids(take: &mut Take<'_>) -> Result<Vec<MemoryId>, Broken> {
    (0..take.count(16)?)
        .map(|_| take.array().map(MemoryId::from_bytes))
        .collect()
}

fn numbers(take: &mut Take<'_>) -> Result<Vec<LabelId>, Broken> {
    (0..take.count(1)?)
        .map(|_| take.varint32().map(LabelId))
        .collect()
}

impl Value for RowRecord<'static> {
    type View<'a> = RowRecord<'a>;

    fn encode(view: &RowRecord<'_>, put: &mut Put) {
        view.write(put);
    }

    fn decode(_version: u8, body: &[u8]) -> Result<RowRecord<'_>, Broken> {
        RowRecord::read(body)
    }
}

/// The metadata of a body as JSON; `None` when there are none.
pub(crate) fn metadata_json(body: &Body) -> Option<String> {
    // Metadata have text keys and finite numbers, which JSON can always say.
    (!body.metadata.is_empty()).then(|| serde_json::to_string(&body.metadata).unwrap_or_default())
}

pub(crate) fn metadata_from(json: Option<&str>) -> Result<Metadata, Broken> {
    json.map_or(Ok(Metadata::new()), |json| {
        serde_json::from_str(json).map_err(|_| Broken("the metadata are no JSON"))
    })
}
