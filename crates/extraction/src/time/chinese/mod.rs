//! Chinese phrases.

mod counted;
mod day;
mod hour;
mod month;
mod number;

use super::calendar::Calendar;
use super::clock::Part;
use super::cursor::Cursor;
use super::span::{Grain, Span};
use super::{Found, bound};

/// The characters that a phrase may begin with.
const BEGINNINGS: &str = "零〇一二两三四五六七八九十百千自从直截到现此眼目当刚方适几好数半前过改这最近去未接今往大后本明上下昨次隔周星礼年月\
    元情妇愚劳青儿教国双平圣凌清早晨中正午傍黄晚夜深";

/// Whether a phrase may begin with a character. Most begin none, and to try all phrases at each would cost far more than to read them.
pub(super) fn begins(character: char) -> bool {
    BEGINNINGS.contains(character)
}

/// Behind a date at this place that does not exist.
pub(super) fn missing<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<Cursor<'a>> {
    let end = month::missing(start, calendar)?;
    Some(hour::of_day(end, calendar.day(0)?).map_or(end, |(end, _)| end))
}

/// The phrase at this place.
pub(super) fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Found)> {
    if start.follows(&["每"]) {
        return None;
    }
    let lead = bound::chinese_lead(start);
    let first = lead.map_or(start, |(first, _)| first);
    let (end, found) = dated(first, calendar).or_else(|| hour::alone(first, calendar).map(relative))?;
    let (end, bound) = bound::chinese(lead, start.eat("到").is_some(), end)?;
    Some((end, Found { bound, ..found }))
}

fn relative((end, (span, part)): (Cursor<'_>, (Span, Option<Part>))) -> (Cursor<'_>, Found) {
    (end, Found { part, clock: true, undated: true, ..Found::default_of(span) })
}

/// A date, and where it is a day, the part of it and the hour.
fn dated<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Found)> {
    if let Some((end, span)) = now(start, calendar).or_else(|| counted::phrase(start, calendar)) {
        return Some((end, Found::default_of(span)));
    }
    let (end, span, absolute) = month::absolute(start, calendar)
        .map(|(end, span)| (end, span, true))
        .or_else(|| month::relative(start, calendar).map(|(end, span)| (end, span, false)))
        .or_else(|| day::phrase(start, calendar).map(|(end, span)| (end, span, false)))?;
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

/// `现在`, `刚才`.
fn now<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(end) = start.any(&["现在", "此刻", "眼下", "目前", "当前"]) {
        let minute = calendar.now.time().minute();
        let start_of_minute = calendar.now.date().at(calendar.now.hour(), minute, 0, 0);
        return Some((end, Span::new(start_of_minute, super::span::plus_minutes(start_of_minute, 1)?, Grain::Minute)?));
    }
    let end = start.any(&["刚才", "刚刚", "方才", "适才"])?;
    Some((end, just_now(calendar)?))
}

/// What was "just now": the hour that ends now.
pub(super) fn just_now(calendar: &Calendar) -> Option<Span> {
    let end = super::span::plus_minutes(calendar.now, 1)?;
    Span::new(super::span::plus_minutes(end, -60)?, end, Grain::Minute)
}
