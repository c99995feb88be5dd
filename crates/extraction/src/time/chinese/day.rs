use jiff::civil::Weekday;

use super::month::{TODAY, connector};
use super::number::{digit, number};
use crate::time::calendar::Calendar;
use crate::time::cursor::Cursor;
use crate::time::cycle::Cycle;
use crate::time::span::{Grain, Span};

/// Days by name, weeks and weekdays, bare days of the month.
pub(super) fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    named(start, calendar).or_else(|| week(start, calendar)).or_else(|| numbered(start, calendar))
}

fn named<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const NAMES: [(&str, i64); 17] = [
        ("大前天", -3),
        ("大后天", 3),
        ("前天", -2),
        ("后天", 2),
        ("昨天", -1),
        ("昨日", -1),
        ("今天", 0),
        ("今日", 0),
        ("今儿", 0),
        ("昨儿", -1),
        ("明儿", 1),
        ("明天", 1),
        ("明日", 1),
        ("前日", -2),
        ("当天", 0),
        ("次日", 1),
        ("隔天", 1),
    ];
    if let Some((end, offset)) = start.one_of(&NAMES) {
        return Some((end, calendar.day(offset)?));
    }
    // 昨晚: the part of the day follows at once.
    let (end, offset) = start.one_of(&[("昨", -1), ("今", 0), ("明", 1), ("前", -2)])?;
    let parts: &[&str] = if offset == -2 { &["晚", "夜"] } else { &["晚", "夜", "早", "晨"] };
    end.any(parts)?;
    Some((end, calendar.day(offset)?))
}

/// `上周`, `这个星期`, `上上周三`, `下礼拜天`, `本周末`, `周五`.
fn week<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const TURNS: [(&str, i64); 7] = [("上上", -2), ("下下", 2), ("上", -1), ("下", 1), ("这", 0), ("本", 0), ("今", 0)];
    let turn = start.one_of(&TURNS);
    let after = turn.map_or(start, |(end, _)| end.maybe("个").maybe("一"));
    let end = after.any(&["周", "星期", "礼拜"])?;
    let offset = turn.map(|(_, offset)| offset);
    if let Some(end) = end.eat("末") {
        return Some((end, turned(offset, calendar, |turn| calendar.weekend(turn))?));
    }
    if let Some((end, first)) = weekday(end) {
        // 周一至五; 周一到五 may be 周一到五棵松.
        let until =
            if connector(end).is_some() && end.eat("到").is_none() { connector(end).and_then(weekday) } else { None };
        let (end, last) = until.unwrap_or((end, first));
        let days = |turn| {
            let (from, to) = (calendar.weekday(turn, first)?, calendar.weekday(turn, last)?);
            if first == last { Some(from) } else { Span::new(from.start, to.end, Grain::Week) }
        };
        return Some((end, turned(offset, calendar, days)?));
    }
    if let Some(end) = end.maybe("的").any(&TODAY) {
        return Some((end, calendar.day(offset?.checked_mul(7)?)?));
    }
    let span = calendar.week(offset?)?;
    Some(match end.one_of(&THIRDS) {
        Some((end, third)) => (end, crate::time::calendar::third(span, third)?),
        None => (end, span),
    })
}

pub(super) use crate::time::calendar::Third;
/// 初, 中, 底
pub(super) const THIRDS: [(&str, Third); 8] = [
    ("初", Third::Early),
    ("上旬", Third::Early),
    ("中旬", Third::Middle),
    ("下旬", Third::Late),
    ("中", Third::Middle),
    ("底", Third::Late),
    ("末", Third::Late),
    ("尾", Third::Late),
];

fn turned(turn: Option<i64>, calendar: &Calendar, span: impl Fn(i64) -> Option<Span>) -> Option<Span> {
    match turn {
        Some(turn) => span(turn),
        None => calendar.leaning(Cycle::Week, span),
    }
}

fn weekday(cursor: Cursor<'_>) -> Option<(Cursor<'_>, Weekday)> {
    // 周1 is written, too.
    if let Some((end, value @ 1..=7, 1)) = cursor.digits() {
        return Some((end, Weekday::from_monday_one_offset(i8::try_from(value).ok()?).ok()?));
    }
    let (end, c) = cursor.han()?;
    let at = match c {
        '日' | '天' => 6,
        other => digit(other)?.checked_sub(1)?,
    };
    if !(0..=6).contains(&at) || (c != '日' && c != '天' && at == 6) {
        return None;
    }
    Some((end, Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()?))
}

/// `23号`: a day of this month, or of the one before or after. Not the number of a line or a house.
fn numbered<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const OTHERWISE: [&str; 22] = [
        "线", "楼", "院", "门", "房", "店", "机", "车", "球", "位", "选", "桌", "馆", "厅", "航", "电", "码", "文",
        "字", "床", "公", "作",
    ];
    if start.follows(&["第", "月"]) || start.touches(&['.', '-', '/']) {
        return None;
    }
    let (end, day, _) = number(start)?;
    // 3到5号
    let until = connector(end).and_then(number).filter(|(end, last, _)| *last > day && end.eat("号").is_some());
    let (end, last) = until.map_or((end, day), |(end, last, _)| (end, last));
    let end = end.eat("号")?;
    if end.any(&OTHERWISE).is_some() || end.word().is_some_and(|_| end.glued()) {
        return None;
    }
    let days = |turn| {
        let (from, to) = (calendar.day_of_month(turn, day)?, calendar.day_of_month(turn, last)?);
        if day == last { Some(from) } else { Span::new(from.start, to.end, Grain::Week) }
    };
    Some((end, calendar.leaning(Cycle::Month, days)?))
}
