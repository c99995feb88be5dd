//! Values that a pattern reads from its words.

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

use super::calendar::{Third, Unit, holiday_number};
use super::clock::Part;
use super::{Bound, range};

/// A value that a pattern reads from its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Slot {
    Year,
    YearEnd,
    /// The year so many years from this one.
    YearTurn,
    /// Whether the year is named last in the phrase.
    Trailing,
    /// The last one that is over (-1), that of this year (0), the first one to come (1).
    Pick,
    Month,
    MonthEnd,
    Day,
    DayEnd,
    Season,
    Half,
    Quarter,
    Holiday,
    Decade,
    Century,
    Third,
    /// A week of a month; 0 is the last.
    Nth,
    /// The day that is as far as today is.
    Today,
    /// The week around the day.
    Around,
    /// The week, month or quarter so many from this one.
    Turn,
    /// The nearest weekday before (-1), the one before that (-2), or the next one (1).
    Near,
    Weekday,
    WeekdayEnd,
    Offset,
    Count,
    Least,
    Most,
    /// One number and the next.
    Few,
    Unit,
    Sign,
    Halves,
    /// Whether it is the time in which something has to be done.
    Deadline,
    Part,
    Hour,
    Minute,
    Second,
    Noon,
    Whole,
    Bound,
    Joint,
    /// The table that the pattern is of.
    Language,
}

const SLOTS: usize = Slot::Language as usize + 1;
const EMPTY: i16 = i16::MIN;

/// The slots of one match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slots([i16; SLOTS]);

impl Default for Slots {
    fn default() -> Self {
        Self([EMPTY; SLOTS])
    }
}

impl Slots {
    pub(super) fn with(mut self, slot: Slot, value: i16) -> Self {
        if let Some(place) = self.0.get_mut(slot as usize) {
            *place = value;
        }
        self
    }

    pub(super) fn get(&self, slot: Slot) -> Option<i64> {
        self.0
            .get(slot as usize)
            .filter(|value| **value != EMPTY)
            .map(|value| i64::from(*value))
    }

    /// The same with the part of the day that others have.
    pub(super) fn with_part_of(mut self, other: &Self) -> Self {
        for slot in [Slot::Part, Slot::Language] {
            if let (Some(place), Some(value)) =
                (self.0.get_mut(slot as usize), other.0.get(slot as usize))
            {
                *place = *value;
            }
        }
        self
    }

    pub(super) fn has(&self, slot: Slot) -> bool {
        self.get(slot).is_some()
    }

    /// One of the values that a slot may have by name.
    pub(super) fn one<T: Copy>(&self, slot: Slot, all: &[T]) -> Option<T> {
        all.get(usize::try_from(self.get(slot)?).ok()?).copied()
    }
}

/// A name of an enum as its `Deserialize` reads it.
pub(super) fn name<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    let text: serde::de::value::StrDeserializer<'a, Error> = text.into_deserializer();
    T::deserialize(text).ok()
}

/// The value that a table writes for a slot: a number, a name, or `05-01x5` for the days of a
/// holiday.
pub(super) fn value(slot: Slot, text: &str) -> Option<i16> {
    fn place<'a, T: Deserialize<'a> + PartialEq>(text: &'a str, all: &[T]) -> Option<i16> {
        let wanted = name::<T>(text)?;
        i16::try_from(all.iter().position(|one| *one == wanted)?).ok()
    }
    match slot {
        Slot::Unit => place(text, &Unit::ALL),
        Slot::Third => place(text, &Third::ALL),
        Slot::Part => place(text, &Part::ALL),
        Slot::Bound => place(text, &Bound::ALL),
        Slot::Joint => place(text, &range::Joint::ALL),
        Slot::Holiday => holiday_number(text),
        _ => text.parse().ok(),
    }
}
