use serde::{Deserialize, Serialize};

use crate::{InvalidValue, Kind, Label, Layer, Status, Timestamp};

/// From `start` (included) to `end` (excluded); either side may be open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeRange {
    /// The first moment inside.
    #[serde(default)]
    pub start: Option<Timestamp>,
    /// The first moment after.
    #[serde(default)]
    pub end: Option<Timestamp>,
}

impl TimeRange {
    /// Checks that the range does not end before it begins.
    ///
    /// # Errors
    /// [`InvalidValue::Backwards`].
    pub fn new(start: Option<Timestamp>, end: Option<Timestamp>) -> Result<Self, InvalidValue> {
        if let (Some(start), Some(end)) = (start, end)
            && end < start
        {
            return Err(InvalidValue::Backwards {
                field: "time range",
                start,
                end,
            });
        }
        Ok(Self { start, end })
    }

    /// Whether `moment` lies inside.
    #[must_use]
    pub fn contains(&self, moment: Timestamp) -> bool {
        self.start.is_none_or(|start| start <= moment) && self.end.is_none_or(|end| moment < end)
    }
}

/// Which memories are meant. An empty list or `None` does not restrict; everything given must hold
/// at once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filter {
    /// One of these layers.
    pub layers: Vec<Layer>,
    /// One of these kinds.
    pub kinds: Vec<Kind>,
    /// One of these statuses. Recall and lists use active and staged when it is empty.
    pub statuses: Vec<Status>,
    /// One of these sessions.
    pub sessions: Vec<Label>,
    /// One of these speakers.
    pub speakers: Vec<Label>,
    /// All of these tags.
    pub tags: Vec<Label>,
    /// Event time (storing time where there is none) inside.
    pub time: TimeRange,
    /// True at this moment.
    pub valid_at: Option<Timestamp>,
}

impl Filter {
    /// Only memories of a group.
    ///
    /// # Errors
    /// As [`group_tag`](crate::group_tag).
    pub fn group(mut self, name: &str) -> Result<Self, InvalidValue> {
        self.tags.push(crate::group_tag(name)?);
        Ok(self)
    }

    /// Whether nothing is restricted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
