use super::words::count;
use crate::time::calendar::Calendar;
use crate::time::clock::{Clock, Part};
use crate::time::cursor::Cursor;
use crate::time::span::Span;

const PARTS: [(&str, Part); 7] = [
    ("early morning", Part::EarlyMorning),
    ("morning", Part::Morning),
    ("lunchtime", Part::Midday),
    ("noon", Part::Midday),
    ("afternoon", Part::Afternoon),
    ("evening", Part::Evening),
    ("night", Part::Night),
];

/// What follows a day: `morning`, `at 3pm`, `in the evening`, `afternoon at 4`.
pub(super) fn of_day(start: Cursor<'_>, day: Span) -> Option<(Cursor<'_>, (Span, Option<Part>))> {
    let comma = start.mark(',').unwrap_or(start);
    let part = part(start);
    let after = part.map_or(comma, |(end, _)| end);
    let named = part.map(|(_, part)| part);
    if let Some((end, clock)) = behind(after) {
        return Some((end, (clock.on(day, named)?, named)));
    }
    let (end, part) = part?;
    Some((end, (part.of(day)?, Some(part))))
}

/// A time of day behind a day or a part of it: `at 3`, `3pm`.
pub(super) fn behind(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    match start.any(&["at about", "at around", "around", "at"]) {
        Some(at) => clock(at).or_else(|| bare(at)),
        None => clock(start),
    }
}

fn part(start: Cursor<'_>) -> Option<(Cursor<'_>, Part)> {
    let start = start.any(&["in the", "at", "during the"]).unwrap_or(start);
    start.one_of(&PARTS)
}

/// `this morning`, `tonight`, `3:30 pm`, `at 8 o'clock`: of today.
pub(super) fn alone<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, (Span, Option<Part>))> {
    let (end, clock) = clock(start)?;
    Some((end, (clock.on(calendar.day(0)?, None)?, None)))
}

/// `15:30`.
pub(in crate::time) fn digital(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    if start.touches(&[':', '.', '-', '/']) {
        return None;
    }
    let (end, hour, 1..=2) = start.digits()? else { return None };
    let colon = end.mark(':')?;
    let (end, minute, 2) = colon.digits()? else { return None };
    // Seconds are read and left out.
    let end = end.mark(':').and_then(|at| at.digits()).map_or(end, |(end, _, _)| end);
    Some((end, Clock::new(hour, minute, true)?))
}

/// A time of day that cannot be anything else.
pub(super) fn clock(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    if let Some((end, clock)) = digital(start) {
        return Some(match half(end) {
            Some((end, noon)) => (end, twelve(clock.hour, clock.minute, noon)?),
            None => (end, clock),
        });
    }
    if let Some((end, hour)) = start.one_of(&[("noon", 12), ("midday", 12), ("midnight", 0)]) {
        return Some((end, Clock::new(hour, 0, true)?));
    }
    if let Some((after, minutes)) = start.one_of(&[("half past", 30), ("quarter past", 15), ("quarter to", -15)]) {
        let (end, hour) = count(after)?;
        (1..=12).contains(&hour).then_some(())?;
        let (hour, minute) = if minutes < 0 { ((hour + 10) % 12 + 1, 60 + minutes) } else { (hour, minutes) };
        return Some((end, Clock::new(hour, minute, false)?));
    }
    let (end, hour) = count(start)?;
    if let Some((end, noon)) = half(end) {
        return Some((end, twelve(hour, 0, noon)?));
    }
    Some((end.eat("oclock")?, Clock::new(hour, 0, false)?))
}

/// `at 8`: only behind the word that says so.
fn bare(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    let (end, hour, 1..=2) = start.digits()? else { return None };
    Some((end, Clock::new(hour, 0, hour > 12)?))
}

/// `am`, `p.m.`; whether it is after noon.
fn half(start: Cursor<'_>) -> Option<(Cursor<'_>, bool)> {
    if let Some((end, noon)) = start.one_of(&[("am", false), ("pm", true)]) {
        return Some((end, noon));
    }
    let (end, noon) = start.one_of(&[("a", false), ("p", true)])?;
    let end = end.mark('.')?.eat("m")?;
    Some((end.mark('.').unwrap_or(end), noon))
}

fn twelve(hour: i64, minute: i64, noon: bool) -> Option<Clock> {
    (1..=12).contains(&hour).then_some(())?;
    Clock::new(hour % 12 + if noon { 12 } else { 0 }, minute, true)
}
