use super::words::{count, unit};
use crate::time::calendar::{Calendar, Unit};
use crate::time::cursor::Cursor;
use crate::time::span::{Grain, Span, plus_days};

/// Phrases that count: `three days ago`, `in two weeks`, `a year and a half ago`, `the past three days`, `recently`.
pub(super) fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    stretch(start, calendar)
        .or_else(|| few(start, calendar))
        .or_else(|| half(start, calendar))
        .or_else(|| plain(start, calendar))
        .or_else(|| vague(start, calendar))
}

/// A leading `in`, which points to the future: `in three days`; or an ending: `ago`, `from now`.
fn plain<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let ahead = start.eat("in");
    let (end, number) = count(ahead.unwrap_or(start).any(&["about", "around"]).unwrap_or(ahead.unwrap_or(start)))?;
    let (end, unit) = unit(end)?;
    let (end, halves) = end.eat("and a half").map_or((end, false), |end| (end, true));
    let (end, sign) = match (direction(end), ahead) {
        (Some(found), _) => found,
        // In three days' time; not: three days in a row.
        (None, Some(_)) => (end.any(&["'s time", "time"]).unwrap_or(end), 1),
        (None, None) => return None,
    };
    Some((end, calendar.counted(sign * number, unit, halves)?))
}

fn direction(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    start.one_of(&[("ago", -1), ("back", -1), ("from now", 1), ("from today", 1)])
}

/// `half an hour ago`, `in half a year`, `three quarters of an hour ago`.
fn half<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let ahead = start.eat("in");
    let (end, quarters) = ahead.unwrap_or(start).one_of(&[
        ("half an", 2),
        ("half a", 2),
        ("three quarters of an", 3),
        ("a quarter of an", 1),
    ])?;
    let (end, unit) = unit(end)?;
    let (unit, number) = match unit {
        Unit::Hour => (Unit::Minute, 15 * quarters),
        Unit::Day if quarters == 2 => (Unit::Hour, 12),
        Unit::Month if quarters == 2 => (Unit::Day, 15),
        Unit::Year if quarters == 2 => (Unit::Month, 6),
        _ => return None,
    };
    let (end, sign) = match ahead {
        Some(_) => (end, 1),
        None => direction(end)?,
    };
    Some((end, calendar.counted(sign * number, unit, false)?))
}

/// `a few days ago`, `a couple of weeks ago`, `in a few days`.
fn few<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let ahead = start.eat("in");
    let at = ahead.unwrap_or(start).maybe("just");
    let (end, (from, to)) = at.one_of(&[
        ("a few", (2, 6)),
        ("several", (3, 7)),
        ("a couple of", (2, 3)),
        ("a couple", (2, 3)),
        ("some", (2, 6)),
    ])?;
    let (end, unit) = unit(end)?;
    let (end, sign) = match ahead {
        Some(_) => (end, 1),
        None => direction(end)?,
    };
    let days = |width: i64, grain| {
        let (near, far) = (sign * from * width, sign * to * width);
        let first = plus_days(calendar.today, near.min(far))?;
        Span::between(first, plus_days(calendar.today, near.max(far) + 1)?, grain)
    };
    let span = match unit {
        Unit::Minute => calendar.stretch(sign * 10, Unit::Minute),
        Unit::Hour => calendar.stretch(sign * 8, Unit::Hour),
        Unit::Day => days(1, Grain::Week),
        Unit::Week => days(7, Grain::Month),
        Unit::Fortnight => days(14, Grain::Season),
        Unit::Month => days(30, Grain::Season),
        Unit::Year => days(365, Grain::Years),
    }?;
    Some((end, span))
}

/// `the past three days`, `last 2 weeks`, `the next few days`, `the past week`, `within three days`.
fn stretch<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(after) = start.eat("within") {
        let (end, number) = count(after.maybe("the next"))?;
        let (end, unit) = unit(end)?;
        return Some((end, calendar.stretch(number, unit)?));
    }
    let (after, sign) = start.one_of(&[("past", -1), ("last", -1), ("next", 1), ("coming", 1)])?;
    if let Some((end, unit)) = after.any(&["few", "several", "couple of", "couple"]).and_then(unit) {
        return Some((end, calendar.stretch(sign * 5, unit)?));
    }
    if let Some(end) = after.eat("half year") {
        return Some((end, calendar.stretch(sign * 6, Unit::Month)?));
    }
    match count(after) {
        Some((after, number)) => {
            let (end, unit) = unit(after)?;
            Some((end, calendar.stretch(sign * number, unit)?))
        }
        // "the past week" ends now; "last week" is the one before this.
        None => {
            let end = start.any(&["past", "coming"])?;
            let (end, unit) = unit(end)?;
            Some((end, calendar.stretch(sign, unit)?))
        }
    }
}

/// `recently`: the two weeks that end now.
fn vague<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let end = start.any(&["recently", "lately", "these days", "nowadays"])?;
    let span = calendar.stretch(-14, Unit::Day)?;
    Some((end, Span { grain: Grain::Vague, ..span }))
}
