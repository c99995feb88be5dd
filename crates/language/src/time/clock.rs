//! Parts of days and times of day.

use serde::Deserialize;

use super::slots::{Slot, Slots};
use super::span::{Grain, Span};

/// A part of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    /// 凌晨
    SmallHours,
    /// 早上
    EarlyMorning,
    /// 上午, morning
    Morning,
    /// 中午
    Midday,
    /// 下午, afternoon
    Afternoon,
    /// 傍晚
    Dusk,
    /// 晚上, evening
    Evening,
    /// 夜里, night
    Night,
    /// 半夜
    Midnight,
}

/// A time of day: minutes from midnight, and whether minutes were said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    hour: i64,
    minute: i64,
    /// Whether it says by itself which half of the day is meant.
    whole_day: bool,
}

impl Part {
    /// Minutes from midnight; beyond 24 hours it is the next day.
    const fn minutes(self) -> (i64, i64) {
        match self {
            Self::SmallHours => (0, 6 * 60),
            Self::EarlyMorning => (6 * 60, 10 * 60),
            Self::Morning => (6 * 60, 12 * 60),
            Self::Midday => (11 * 60, 14 * 60),
            Self::Afternoon => (12 * 60, 18 * 60),
            Self::Dusk => (17 * 60, 20 * 60),
            Self::Evening => (18 * 60, 24 * 60),
            Self::Night => (18 * 60, 28 * 60),
            Self::Midnight => (23 * 60, 27 * 60),
        }
    }

    pub(super) const ALL: [Self; 9] = [
        Self::SmallHours,
        Self::EarlyMorning,
        Self::Morning,
        Self::Midday,
        Self::Afternoon,
        Self::Dusk,
        Self::Evening,
        Self::Night,
        Self::Midnight,
    ];

    /// This part of a day.
    pub(super) fn of(self, day: Span) -> Option<Span> {
        let (from, to) = self.minutes();
        Span::minutes(day.day()?, from, to, Grain::Part)
    }

    /// Hours from the day's midnight of what a clock shows in this part of it: 3 in the afternoon
    /// is 15.
    const fn hour(self, shown: i64) -> i64 {
        match self {
            Self::Midday if shown < 6 => shown + 12,
            Self::Afternoon | Self::Dusk if shown < 12 => shown + 12,
            Self::Evening if shown <= 12 => shown + 12,
            // At night small numbers belong to the next day.
            Self::Night | Self::Midnight if shown == 12 || shown < 6 => shown % 12 + 24,
            Self::Night | Self::Midnight if shown < 12 => shown + 12,
            Self::SmallHours | Self::EarlyMorning | Self::Morning if shown == 12 => {
                if matches!(self, Self::SmallHours) {
                    0
                } else {
                    12
                }
            }
            _ => shown,
        }
    }
}

impl Clock {
    /// The time of day that a pattern read, where it read one that exists.
    pub(super) fn read(slots: &Slots) -> Option<Self> {
        let (hour, minute) = (slots.get(Slot::Hour)?, slots.get(Slot::Minute).unwrap_or(0));
        let (hour, minute, whole_day) = match slots.get(Slot::Noon) {
            Some(noon) if (1..=12).contains(&hour) => (hour % 12 + 12 * noon, minute, true),
            Some(_) => return None,
            // Quarter to one.
            None if minute < 0 => ((hour + 10) % 12 + 1, 60 + minute, false),
            None => (hour, minute, slots.has(Slot::Whole) || hour > 12),
        };
        let exists =
            (0..24).contains(&hour) && (0..60).contains(&minute) || (hour, minute) == (24, 0);
        exists.then_some(Self {
            hour,
            minute,
            whole_day,
        })
    }

    /// This time on a day. Without a part of the day, 1 to 6 is the afternoon: people say so when
    /// they mean the small hours.
    pub(super) fn on(self, day: Span, part: Option<Part>) -> Option<Span> {
        let hour = match part {
            Some(part) if !self.whole_day => part.hour(self.hour),
            None if !self.whole_day && (1..=6).contains(&self.hour) => self.hour + 12,
            _ => self.hour,
        };
        let from = hour * 60 + self.minute;
        Span::minutes(day.day()?, from, from + 1, Grain::Minute)
    }
}
