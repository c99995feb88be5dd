use super::number::number;
use crate::time::calendar::Calendar;
use crate::time::clock::{Clock, Part};
use crate::time::cursor::Cursor;
use crate::time::english::digital;
use crate::time::span::Span;

const PARTS: [(&str, Part); 29] = [
    ("凌晨", Part::SmallHours),
    ("清晨", Part::EarlyMorning),
    ("清早", Part::EarlyMorning),
    ("大清早", Part::EarlyMorning),
    ("一大早", Part::EarlyMorning),
    ("一早", Part::EarlyMorning),
    ("早上", Part::EarlyMorning),
    ("早晨", Part::EarlyMorning),
    ("早间", Part::EarlyMorning),
    ("早", Part::EarlyMorning),
    ("晨", Part::EarlyMorning),
    ("上午", Part::Morning),
    ("中午", Part::Midday),
    ("正午", Part::Midday),
    ("下午", Part::Afternoon),
    ("午后", Part::Afternoon),
    ("傍晚", Part::Dusk),
    ("黄昏", Part::Dusk),
    ("晚上", Part::Evening),
    ("晚间", Part::Evening),
    ("夜里", Part::Night),
    ("夜间", Part::Night),
    ("夜晚", Part::Night),
    ("深夜", Part::Night),
    ("半夜", Part::Midnight),
    ("午夜", Part::Midnight),
    ("晚", Part::Evening),
    ("夜", Part::Night),
    ("早起", Part::EarlyMorning),
];

/// What follows a day: `晚上`, `下午三点`, `8点半`.
pub(super) fn of_day(start: Cursor<'_>, day: Span) -> Option<(Cursor<'_>, (Span, Option<Part>))> {
    let start = start.maybe("的");
    let part = start.one_of(&PARTS);
    let after = part.map_or(start, |(end, _)| end.maybe("的"));
    let named = part.map(|(_, part)| part);
    if let Some((end, clock, sure)) = clock(after)
        && (sure || named.is_some() || clock.hour != 1)
    {
        return Some((end, (clock.on(day, named)?, named)));
    }
    let (end, part) = part?;
    Some((end, (part.of(day)?, Some(part))))
}

/// A time of day without a day: `下午三点`, `8点半`, `15:30`. A bare 三点 may be three points.
pub(super) fn alone<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, (Span, Option<Part>))> {
    let part = start.one_of(&PARTS);
    let (end, clock, sure) = clock(part.map_or(start, |(end, _)| end))?;
    let named = part.map(|(_, part)| part);
    if !sure && named.is_none() {
        return None;
    }
    Some((end, (clock.on(calendar.day(0)?, named)?, named)))
}

/// `三点`, `8点半`, `九点一刻`, `7点20分`, `15:30`; and whether it cannot be anything else.
fn clock(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock, bool)> {
    if let Some((end, clock)) = digital(start) {
        return Some((end, clock, true));
    }
    if start.follows(&["第"]) || start.touches(&['.', '-', '/']) {
        return None;
    }
    let (after, hour, digits) = number(start)?;
    let numerals = start.digits().is_none();
    let end = after.any(&["点", "时"])?;
    if after.eat("时").is_some() && end.any(&["间", "候", "代", "期", "段"]).is_some() {
        return None;
    }
    // 13 and more can only be an hour of the whole day.
    let whole = hour > 12;
    let clock = |minute| Clock::new(hour, minute, whole);
    if let Some(end) = end.any(&["钟", "整"]) {
        return Some((end, clock(0)?, true));
    }
    if let Some((end, minute)) = end.one_of(&[("半", 30), ("一刻", 15), ("三刻", 45)]) {
        return Some((end, clock(minute)?, true));
    }
    if let Some((end, minute, _)) = number(end.maybe("过")) {
        if let Some(end) = end.eat("分") {
            return Some((end, clock(minute)?, true));
        }
        if (10..60).contains(&minute) {
            return Some((end, clock(minute)?, true));
        }
    }
    let counts = end.any(&["建", "要", "意", "内", "理", "原", "体", "感", "心", "赞", "击"]).is_some();
    // 3点 in digits is an hour; 三点 may be points; 3.5点 is neither.
    Some((end, clock(0)?, !numerals && !counts && digits <= 2))
}
