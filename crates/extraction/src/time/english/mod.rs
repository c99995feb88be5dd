//! English phrases, and dates in digits.

mod counted;
mod date;
mod day;
mod hour;
mod words;

pub(super) use hour::digital;

use super::calendar::Calendar;
use super::clock::Part;
use super::cursor::Cursor;
use super::span::{Grain, Span};
use super::{Found, bound};

/// Whether a phrase may begin with a word. Most words begin none, and to try all phrases at each would cost far more than to read them.
pub(super) fn begins(word: &str) -> bool {
    words::weekday_name(word).is_some()
        || words::month_name(word).is_some()
        || words::is_number(word)
        || matches!(
            word,
            "about"
                | "around"
                | "at"
                | "autumn"
                | "beginning"
                | "boxing"
                | "christmas"
                | "coming"
                | "day"
                | "early"
                | "earlier"
                | "end"
                | "fall"
                | "half"
                | "halloween"
                | "in"
                | "independence"
                | "just"
                | "last"
                | "late"
                | "lately"
                | "later"
                | "mid"
                | "midday"
                | "middle"
                | "midnight"
                | "month"
                | "new"
                | "next"
                | "noon"
                | "now"
                | "nowadays"
                | "over"
                | "past"
                | "q"
                | "quarter"
                | "recently"
                | "right"
                | "several"
                | "some"
                | "spring"
                | "start"
                | "summer"
                | "thanksgiving"
                | "the"
                | "these"
                | "this"
                | "tmr"
                | "today"
                | "tomorrow"
                | "tonight"
                | "valentine"
                | "valentines"
                | "week"
                | "weekend"
                | "winter"
                | "within"
                | "year"
                | "yesterday"
        )
}

/// Behind a date at this place that does not exist.
pub(super) fn missing<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<Cursor<'a>> {
    date::missing(start, calendar)
}

/// The phrase at this place.
pub(super) fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Found)> {
    if start.follows(&["every", "each"]) {
        return None;
    }
    let (end, found) = dated(start, calendar).or_else(|| hour::alone(start, calendar).map(timed))?;
    let (end, bound) = bound::english(start, end);
    Some((end, Found { bound, ..found }))
}

fn timed((end, (span, part)): (Cursor<'_>, (Span, Option<Part>))) -> (Cursor<'_>, Found) {
    (end, Found { part, clock: true, undated: true, ..Found::default_of(span) })
}

fn dated<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Found)> {
    if let Some((end, span)) = now(start, calendar).or_else(|| counted::phrase(start, calendar)) {
        return Some((end, Found::default_of(span)));
    }
    // 3pm tomorrow, half past six this morning
    if let Some((after, clock)) = hour::clock(start) {
        let found = date(after.maybe("on"), calendar).filter(|(_, day, _)| day.day().is_some());
        let day = found.map(|(end, day, absolute)| (end, day, None, absolute));
        let part = || day::part_of_today(after, calendar).map(|(end, day, part)| (end, day, Some(part), false));
        if let Some((end, day, part, absolute)) = day.or_else(part) {
            let span = clock.on(day, part)?;
            return Some((end, Found { absolute, part, clock: true, ..Found::default_of(day) }.at(span)));
        }
    }
    if let Some((end, day, part)) = day::part_of_today(start, calendar) {
        // tonight at 9
        let timed = hour::behind(end).and_then(|(end, clock)| Some((end, clock.on(day, Some(part))?)));
        let clock = timed.is_some();
        let (end, span) = timed.or_else(|| Some((end, part.of(day)?)))?;
        return Some((end, Found { part: Some(part), clock, ..Found::default_of(span) }));
    }
    let (end, span, absolute) = date(start, calendar)?;
    let found = Found { absolute, ..Found::default_of(span) };
    if span.grain != Grain::Day {
        return Some((end, found));
    }
    Some(match hour::of_day(end, span) {
        Some((end, (span, part))) => {
            // Noon is a time of day as well.
            let clock = span.grain == Grain::Minute || part == Some(Part::Midday);
            (end, Found { part, clock, ..found }.at(span))
        }
        None => (end, found),
    })
}

fn date<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span, bool)> {
    date::absolute(start, calendar)
        .map(|(end, span)| (end, span, true))
        .or_else(|| date::relative(start, calendar).map(|(end, span)| (end, span, false)))
        .or_else(|| day::phrase(start, calendar).map(|(end, span)| (end, span, false)))
}

/// `just now`, `right now`, `now`.
fn now<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(end) = start.any(&["just now", "a moment ago", "a minute ago"]) {
        return Some((end, super::chinese::just_now(calendar)?));
    }
    let end = start.any(&["right now", "at the moment", "now"])?;
    let minute = calendar.now.date().at(calendar.now.hour(), calendar.now.minute(), 0, 0);
    Some((end, Span::new(minute, super::span::plus_minutes(minute, 1)?, Grain::Minute)?))
}
