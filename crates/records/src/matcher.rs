use std::fmt;

use annals_types::{Filter, Label, Layer, Row, Status, Timestamp, Wording};
use serde::{Deserialize, Serialize};

use crate::columns::{LIVED, REPLACED, TIMED};
use crate::{Columns, LabelClass, LabelId};

/// When a question is asked, and about which past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Now.
    pub now: Timestamp,
    /// Asks for what was stored at this moment, with the status it had then.
    pub as_of: Option<Timestamp>,
}

impl Moment {
    /// The present.
    #[must_use]
    pub const fn now(now: Timestamp) -> Self {
        Self { now, as_of: None }
    }

    /// The moment of a question about the memories stored at `moment`.
    #[must_use]
    pub const fn as_of(now: Timestamp, moment: Timestamp) -> Self {
        Self {
            now,
            as_of: Some(moment),
        }
    }
}

/// Why a row is not meant by a filter: the first test that it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mismatch {
    /// It was deleted, or never existed.
    Missing,
    /// It was stored after the moment asked for.
    NotYetStored {
        /// When it was stored.
        stored_at: Timestamp,
    },
    /// A newer revision or memory has replaced it.
    Replaced {
        /// When.
        at: Timestamp,
    },
    /// Its status is none of those asked for.
    Status {
        /// Its status.
        status: Status,
    },
    /// Its layer is none of those asked for.
    Layer {
        /// Its layer.
        layer: Layer,
    },
    /// Its kind is none of those asked for.
    Kind,
    /// It belongs to no session asked for.
    Session,
    /// None of the speakers asked for said it.
    Speaker,
    /// It lacks a tag asked for.
    Tag,
    /// Its time lies outside the range asked for.
    Time {
        /// Its event time, or storing time where there is none.
        time: Timestamp,
    },
    /// It is not true at the moment asked for.
    NotValid,
    /// It had expired.
    Expired {
        /// When.
        at: Timestamp,
    },
}

impl Mismatch {
    /// What it says, apart from its words.
    #[must_use]
    pub fn wording(&self) -> Wording {
        match self {
            Self::Missing => Wording::new("mismatch-missing", &[]),
            Self::NotYetStored { stored_at } => {
                Wording::new("mismatch-not-yet-stored", &[("at", stored_at)])
            }
            Self::Replaced { at } => Wording::new("mismatch-replaced", &[("at", at)]),
            Self::Status { status } => Wording::new("mismatch-status", &[("status", status)]),
            Self::Layer { layer } => Wording::new("mismatch-layer", &[("layer", layer)]),
            Self::Kind => Wording::new("mismatch-kind", &[]),
            Self::Session => Wording::new("mismatch-session", &[]),
            Self::Speaker => Wording::new("mismatch-speaker", &[]),
            Self::Tag => Wording::new("mismatch-tag", &[]),
            Self::Time { time } => Wording::new("mismatch-time", &[("at", time)]),
            Self::NotValid => Wording::new("mismatch-not-valid", &[]),
            Self::Expired { at } => Wording::new("mismatch-expired", &[("at", at)]),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("it does not exist"),
            Self::NotYetStored { stored_at } => write!(f, "it was stored only at {stored_at}"),
            Self::Replaced { at } => write!(f, "it was replaced at {at}"),
            Self::Status { status } => write!(f, "it is {status}"),
            Self::Layer { layer } => write!(f, "it belongs to layer {layer}"),
            Self::Kind => f.write_str("it is of another kind"),
            Self::Session => f.write_str("it belongs to another session or to none"),
            Self::Speaker => f.write_str("it was said by another speaker or by none"),
            Self::Tag => f.write_str("it lacks a tag"),
            Self::Time { time } => write!(f, "its time, {time}, lies outside the range"),
            Self::NotValid => f.write_str("it is not true at that moment"),
            Self::Expired { at } => write!(f, "it expired at {at}"),
        }
    }
}

/// Label numbers of which one must fit; `None` when any will do.
type OneOf = Option<Vec<u32>>;

/// A filter made ready for fast tests of many rows.
#[derive(Debug, Clone)]
pub struct Matcher<'c> {
    columns: &'c Columns,
    moment: Moment,
    past: bool,
    statuses: u8,
    layers: u8,
    kinds: OneOf,
    sessions: OneOf,
    speakers: OneOf,
    /// `None` stands for a tag that no memory has.
    tags: Vec<Option<LabelId>>,
    /// First moment inside, first moment after.
    time: Option<(i64, i64)>,
    valid_at: Option<i64>,
}

fn bits(bytes: impl Iterator<Item = u8>) -> u8 {
    bytes.fold(0, |all, byte| {
        all | 1_u8.checked_shl(u32::from(byte)).unwrap_or(0)
    })
}

fn holds(bits: u8, byte: u8) -> bool {
    bits & 1_u8.checked_shl(u32::from(byte)).unwrap_or(0) != 0
}

impl Columns {
    /// Makes a filter ready. Without statuses in the filter, active and staged memories are meant.
    ///
    /// Replaced rows are not meant, unless [`Moment::as_of`] asks for a time before; expired rows
    /// are not meant, unless they are archived and such are asked for.
    #[must_use]
    pub fn matcher(&self, filter: &Filter, moment: Moment) -> Matcher<'_> {
        let one_of = |class, labels: &mut dyn Iterator<Item = &str>| {
            let mut labels = labels.peekable();
            labels.peek()?;
            let mut numbers: Vec<u32> = labels
                .filter_map(|text| self.label_id(class, text))
                .map(|id| id.0)
                .collect();
            numbers.sort_unstable();
            Some(numbers)
        };
        let statuses: &[Status] = if filter.statuses.is_empty() {
            &[Status::Active, Status::Staged]
        } else {
            &filter.statuses
        };
        let layers = if filter.layers.is_empty() {
            Layer::ALL
        } else {
            &filter.layers
        };
        let range = filter.time;
        let time = (range.start.is_some() || range.end.is_some()).then(|| {
            let bound = |moment: Option<Timestamp>, open| moment.map_or(open, Timestamp::as_millis);
            (bound(range.start, i64::MIN), bound(range.end, i64::MAX))
        });
        Matcher {
            columns: self,
            moment,
            past: false,
            statuses: bits(statuses.iter().map(|status| status.to_byte())),
            layers: bits(layers.iter().map(|layer| layer.to_byte())),
            kinds: one_of(
                LabelClass::Kind,
                &mut filter.kinds.iter().map(annals_types::Kind::as_str),
            ),
            sessions: one_of(
                LabelClass::Session,
                &mut filter.sessions.iter().map(Label::as_str),
            ),
            speakers: one_of(
                LabelClass::Speaker,
                &mut filter.speakers.iter().map(Label::as_str),
            ),
            tags: filter
                .tags
                .iter()
                .map(|tag| self.label_id(LabelClass::Tag, tag.as_str()))
                .collect(),
            time,
            valid_at: filter.valid_at.map(Timestamp::as_millis),
        }
    }
}

fn fits(wanted: &OneOf, number: u32) -> bool {
    match wanted.as_deref() {
        None => true,
        Some([one]) => *one == number,
        Some(many) => many.binary_search(&number).is_ok(),
    }
}

impl<'c> Matcher<'c> {
    /// The same, meaning also what has expired and the last text of memories that another one took
    /// the place of; earlier texts of a memory are not meant. Of a past moment it means what had
    /// come to its end by then as well.
    #[must_use]
    pub const fn with_past(mut self) -> Self {
        self.past = true;
        self
    }

    /// Whether a row is meant.
    #[must_use]
    pub fn matches(&self, row: Row) -> bool {
        self.test(row).is_ok()
    }

    /// The first test that a row fails; `None` when it is meant.
    #[must_use]
    pub fn why_not(&self, row: Row) -> Option<Mismatch> {
        self.test(row).err()
    }

    /// The columns it looks at.
    #[must_use]
    pub fn columns(&self) -> &'c Columns {
        self.columns
    }

    /// Every row that is meant, in rising order.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = Row> + '_ {
        (0..self.columns.len())
            .map(Row)
            .filter(|row| self.matches(*row))
    }

    fn test(&self, row: Row) -> Result<(), Mismatch> {
        let slot = self.columns.slot(row).ok_or(Mismatch::Missing)?;
        let status = self.status(row, slot.flags, slot.status, slot.stored_at)?;
        let known = |byte| Status::from_byte(byte).unwrap_or(Status::Forgotten);
        require(holds(self.statuses, status), || Mismatch::Status {
            status: known(status),
        })?;
        require(holds(self.layers, slot.layer), || Mismatch::Layer {
            layer: Layer::from_byte(slot.layer).unwrap_or(Layer::System),
        })?;
        require(fits(&self.kinds, slot.kind), || Mismatch::Kind)?;
        require(fits(&self.sessions, slot.session), || Mismatch::Session)?;
        require(fits(&self.speakers, slot.speaker), || Mismatch::Speaker)?;
        if let Some((start, end)) = self.time {
            let time = slot.time();
            require(start <= time && time < end, || Mismatch::Time {
                time: Timestamp::from_millis(time),
            })?;
        }
        if slot.has(TIMED) {
            self.test_validity(row, status == Status::Archived.to_byte())?;
        }
        if !self.tags.is_empty() {
            let tags = self.columns.tag_set(slot.tag_set);
            let all = self
                .tags
                .iter()
                .all(|tag| tag.is_some_and(|tag| tags.contains(&tag)));
            require(all, || Mismatch::Tag)?;
        }
        Ok(())
    }

    /// The status that counts, for a row that exists and is not replaced at the moment asked about.
    fn status(&self, row: Row, flags: u8, status: u8, stored_at: i64) -> Result<u8, Mismatch> {
        let Some(moment) = self.moment.as_of else {
            let meant = flags & REPLACED == 0 || (self.past && self.is_last(row));
            return if meant {
                Ok(status)
            } else {
                Err(self.replaced(row))
            };
        };
        require(stored_at <= moment.as_millis(), || Mismatch::NotYetStored {
            stored_at: Timestamp::from_millis(stored_at),
        })?;
        match self.columns.history(row).filter(|_| flags & LIVED != 0) {
            None => Ok(status),
            Some(life) if life.dead_at(moment) && !(self.past && self.is_last(row)) => {
                Err(self.replaced(row))
            }
            Some(life) => Ok(life.status_at(moment).to_byte()),
        }
    }

    /// Whether a row that was replaced holds the last text of its memory: the next row, if there
    /// still is one, is another memory.
    fn is_last(&self, row: Row) -> bool {
        let death = self.columns.history(row).and_then(|life| life.death);
        death.is_some_and(|death| death.successor_id.is_some() || death.successor.is_none())
    }

    fn replaced(&self, row: Row) -> Mismatch {
        let death = self.columns.history(row).and_then(|life| life.death);
        Mismatch::Replaced {
            at: death.map_or(Timestamp::MIN, |death| death.time),
        }
    }

    /// `put_away` says that the row is in the archive, which holds what is over.
    fn test_validity(&self, row: Row, put_away: bool) -> Result<(), Mismatch> {
        let Some(validity) = self.columns.validity(row) else {
            return Ok(());
        };
        let moment = self.moment.as_of.unwrap_or(self.moment.now).as_millis();
        let shown = validity.expires >= moment || self.past || put_away;
        require(shown, || Mismatch::Expired {
            at: Timestamp::from_millis(validity.expires),
        })?;
        match self.valid_at {
            None => Ok(()),
            Some(at) => require(validity.from <= at && at < validity.until, || {
                Mismatch::NotValid
            }),
        }
    }
}

fn require(held: bool, mismatch: impl FnOnce() -> Mismatch) -> Result<(), Mismatch> {
    if held { Ok(()) } else { Err(mismatch()) }
}
