use super::words::{ordinal, weekday};
use crate::time::calendar::{Calendar, Third, third};
use crate::time::clock::Part;
use crate::time::cursor::Cursor;
use crate::time::cycle::Cycle;
use crate::time::span::{Grain, Span};

pub(super) const THIRDS: [(&str, Third); 12] = [
    ("early", Third::Early),
    ("beginning of", Third::Early),
    ("start of", Third::Early),
    ("earlier", Third::Early),
    ("mid", Third::Middle),
    ("middle of", Third::Middle),
    ("late", Third::Late),
    ("later", Third::Late),
    ("end of", Third::Late),
    ("the beginning of", Third::Early),
    ("the middle of", Third::Middle),
    ("the end of", Third::Late),
];

/// Days by name, weekdays and weeks.
pub(super) fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    named(start, calendar)
        .or_else(|| by_weekday(start, calendar))
        .or_else(|| week(start, calendar))
        .or_else(|| numbered(start, calendar))
}

fn named<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const NAMES: [(&str, i64); 6] = [
        ("day before yesterday", -2),
        ("day after tomorrow", 2),
        ("yesterday", -1),
        ("today", 0),
        ("tomorrow", 1),
        ("tmr", 1),
    ];
    if let Some(end) = start.eat("the other day") {
        return Some((end, calendar.few_days(-6, -2)?));
    }
    let (end, offset) = start.one_of(&NAMES)?;
    Some((end, calendar.day(offset)?))
}

/// `last night`, `tonight`, `this morning`: the day and the part of it.
pub(super) fn part_of_today<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span, Part)> {
    const NAMES: [(&str, (i64, Part)); 7] = [
        ("last night", (-1, Part::Night)),
        ("last evening", (-1, Part::Evening)),
        ("tonight", (0, Part::Night)),
        ("this morning", (0, Part::Morning)),
        ("this afternoon", (0, Part::Afternoon)),
        ("this evening", (0, Part::Evening)),
        ("this noon", (0, Part::Midday)),
    ];
    let (end, (offset, part)) = start.one_of(&NAMES)?;
    Some((end, calendar.day(offset)?, part))
}

/// `last Friday`, `next Monday`, `on Friday`, `Wednesday of next week`, `Friday before last`.
fn by_weekday<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const TURNS: [(&str, i64); 6] =
        [("last", -1), ("this past", -1), ("past", -1), ("this", 0), ("this coming", 2), ("coming", 2)];
    if let Some((after, turn)) = start.one_of(&TURNS)
        && let Some((end, day)) = weekday(after)
    {
        let span = match turn {
            -1 => calendar.last_weekday(day),
            0 => calendar.weekday(0, day),
            _ => calendar.coming_weekday(day),
        };
        return Some((end, span?));
    }
    if let Some((end, day)) = start.eat("next").and_then(weekday) {
        return Some((end, calendar.weekday(1, day)?));
    }
    let (end, day) = weekday(start)?;
    if let Some((end, turn)) = end.maybe("of").one_of(&[("last week", -1), ("next week", 1), ("this week", 0)]) {
        return Some((end, calendar.weekday(turn, day)?));
    }
    if let Some(end) = end.eat("before last") {
        let last = calendar.last_weekday(day)?.start.date();
        return Some((end, Span::days(crate::time::span::plus_days(last, -7)?, 1, Grain::Day)?));
    }
    Some((end, calendar.leaning(Cycle::Week, |turn| calendar.weekday(turn, day))?))
}

/// `last week`, `the week before last`, `last weekend`, `early next week`.
fn week<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const WEEKS: [(&str, i64); 5] =
        [("last week", -1), ("this week", 0), ("next week", 1), ("week before last", -2), ("week after next", 2)];
    let within = start.one_of(&THIRDS);
    let after = within.map_or(start, |(end, _)| end.mark('-').unwrap_or(end).maybe("the"));
    if let Some((end, turn)) = after.one_of(&WEEKS) {
        let span = calendar.week(turn)?;
        return Some((end, within.map_or(Some(span), |(_, part)| third(span, part))?));
    }
    if within.is_some() {
        return None;
    }
    const WEEKENDS: [(&str, i64); 6] = [
        ("last weekend", -1),
        ("this weekend", 0),
        ("next weekend", 1),
        ("this past weekend", -1),
        ("weekend before last", -2),
        ("weekend after next", 2),
    ];
    if let Some((end, turn)) = start.one_of(&WEEKENDS) {
        return Some((end, calendar.weekend(turn)?));
    }
    let end = start.any(&["over the weekend", "the weekend"])?;
    end.any(&["before last", "after next"]).is_none().then_some(())?;
    Some((end, calendar.leaning(Cycle::Week, |turn| calendar.weekend(turn))?))
}

/// `the 15th`, `the 3rd of last month`.
fn numbered<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if !start.follows(&["the"]) {
        return None;
    }
    start.digits()?;
    let (end, day) = ordinal(start)?;
    if let Some((end, turn)) = end.maybe("of").one_of(&[("last month", -1), ("this month", 0), ("next month", 1)]) {
        return Some((end, calendar.day_of_month(turn, day)?));
    }
    // The 15th what? A word behind it makes it a place in a row.
    let ends =
        end.word().is_none_or(|(_, word)| matches!(word, "and" | "at" | "for" | "in" | "we" | "i" | "to" | "is"));
    (ends && end.mark('-').is_none()).then_some(())?;
    let behind = |words: &[&str]| start.back().is_some_and(|the| the.follows(words));
    // "The 30th" and nothing else answers when.
    let alone = || start.back().is_some_and(|the| the.at() == 0) && end.is_end();
    (behind(&["on", "by", "until", "before", "since", "for"]) || alone()).then_some(())?;
    Some((end, calendar.leaning(Cycle::Month, |turn| calendar.day_of_month(turn, day))?))
}
