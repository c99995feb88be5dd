//! Holidays of the sun's calendar. Those of the moon would need tables of new moons and are left out.

use jiff::civil::Weekday;

use super::calendar::day_of;
use super::cursor::Cursor;
use super::span::{Grain, Span, date, plus_days};

/// A day, or days, that come every year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holiday {
    /// Month, day, how many days.
    Fixed(i64, i64, i64),
    /// The fourth Thursday of November.
    Thanksgiving,
}

impl Holiday {
    pub(super) fn of(self, year: i64) -> Option<Span> {
        match self {
            Self::Fixed(month, day, 1) => day_of(year, month, day),
            Self::Fixed(month, day, days) => Span::days(date(year, month, day)?, days, Grain::Week),
            Self::Thanksgiving => {
                let first = date(year, 11, 1)?;
                let gap = i64::from(first.weekday().until(Weekday::Thursday));
                Span::days(plus_days(first, gap + 21)?, 1, Grain::Day)
            }
        }
    }
}

pub(super) fn chinese(start: Cursor<'_>) -> Option<(Cursor<'_>, Holiday)> {
    const NAMES: [(&str, Holiday); 19] = [
        ("元旦节", Holiday::Fixed(1, 1, 1)),
        ("元旦", Holiday::Fixed(1, 1, 1)),
        ("情人节", Holiday::Fixed(2, 14, 1)),
        ("妇女节", Holiday::Fixed(3, 8, 1)),
        ("愚人节", Holiday::Fixed(4, 1, 1)),
        ("劳动节", Holiday::Fixed(5, 1, 1)),
        ("五一假期", Holiday::Fixed(5, 1, 5)),
        ("五一", Holiday::Fixed(5, 1, 1)),
        ("青年节", Holiday::Fixed(5, 4, 1)),
        ("儿童节", Holiday::Fixed(6, 1, 1)),
        ("六一儿童节", Holiday::Fixed(6, 1, 1)),
        ("教师节", Holiday::Fixed(9, 10, 1)),
        ("国庆假期", Holiday::Fixed(10, 1, 7)),
        ("国庆节", Holiday::Fixed(10, 1, 7)),
        ("国庆", Holiday::Fixed(10, 1, 7)),
        ("双十一", Holiday::Fixed(11, 11, 1)),
        ("平安夜", Holiday::Fixed(12, 24, 1)),
        ("圣诞节", Holiday::Fixed(12, 25, 1)),
        ("圣诞", Holiday::Fixed(12, 25, 1)),
    ];
    start.one_of(&NAMES)
}

pub(super) fn english(start: Cursor<'_>) -> Option<(Cursor<'_>, Holiday)> {
    const NAMES: [(&str, Holiday); 16] = [
        ("christmas eve", Holiday::Fixed(12, 24, 1)),
        ("christmas day", Holiday::Fixed(12, 25, 1)),
        ("christmas", Holiday::Fixed(12, 25, 1)),
        ("new year's eve", Holiday::Fixed(12, 31, 1)),
        ("new years eve", Holiday::Fixed(12, 31, 1)),
        ("new year eve", Holiday::Fixed(12, 31, 1)),
        ("new year's day", Holiday::Fixed(1, 1, 1)),
        ("new year's", Holiday::Fixed(1, 1, 1)),
        ("new years day", Holiday::Fixed(1, 1, 1)),
        ("new years", Holiday::Fixed(1, 1, 1)),
        ("valentine's day", Holiday::Fixed(2, 14, 1)),
        ("valentines day", Holiday::Fixed(2, 14, 1)),
        ("halloween", Holiday::Fixed(10, 31, 1)),
        ("independence day", Holiday::Fixed(7, 4, 1)),
        ("boxing day", Holiday::Fixed(12, 26, 1)),
        ("thanksgiving", Holiday::Thanksgiving),
    ];
    start.one_of(&NAMES)
}
