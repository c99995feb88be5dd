use super::day::THIRDS;
use super::number::number;
use crate::time::calendar::{Calendar, day_of, decade, half, month_of, quarter, season, third, week_in, year};
use crate::time::cursor::Cursor;
use crate::time::cycle::Cycle;
use crate::time::holiday;
use crate::time::span::{Grain, Span};

/// The day of the year, month or week that is as far as today is.
pub(super) const TODAY: [&str; 4] = ["今天", "今日", "同一天", "同日"];
const CONNECTORS: [&str; 2] = ["到", "至"];
const YEARS: [(&str, i64); 10] = [
    ("大前年", -3),
    ("大后年", 3),
    ("前年", -2),
    ("去年", -1),
    ("今年", 0),
    ("本年", 0),
    ("明年", 1),
    ("后年", 2),
    ("上一年", -1),
    ("下一年", 1),
];
const TURNS: [(&str, i64); 5] = [("上上", -2), ("下下", 2), ("上", -1), ("下", 1), ("这", 0)];

/// Dates that stand by themselves: `2023年5月2日`, `2023年5月`, `2023年`, `2023年夏天`, `5月2号`, `九十年代`.
pub(super) fn absolute<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(found) = decades(start) {
        return Some(found);
    }
    if let Some((end, number, digits)) = number(start)
        && let Some(end) = end.eat("年")
    {
        if digits == 4 {
            return Some(of_year(end, number).unwrap_or((end, year(number)?)));
        }
        // 23年5月: the month says that a year is meant and not a duration.
        if digits == 2 && end.digits().is_some() {
            return of_year(end, 2000 + number);
        }
        return None;
    }
    if let Some(found) = first_year(start) {
        return Some(found);
    }
    let (end, month, day) = month_and_day(start)?;
    let (end, last) = until_day(end, day);
    Some((end, calendar.of_year(|year| days_of(year, month, day, last))?))
}

/// Behind a date that does not exist: 2025年2月30日, 去年4月31日, 2025年13月.
pub(super) fn missing<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<Cursor<'a>> {
    const LEAP_YEAR: i64 = 2024;
    let written =
        number(start).filter(|(_, _, digits)| *digits == 4).and_then(|(end, year, _)| Some((end.eat("年")?, year)));
    let counted = || start.one_of(&YEARS).map(|(end, turn)| (end, calendar.year_number() + turn));
    let (after, year) = written.or_else(counted).map_or((start, None), |(end, year)| (end.maybe("的"), Some(year)));
    let (month_end, first, _) = number(after)?;
    let behind = month_end.eat("月")?;
    if year.is_some() && !(1..=12).contains(&first) {
        return Some(number(behind).and_then(|(end, ..)| end.any(&["日", "号"])).unwrap_or(behind));
    }
    let (end, month, day) = month_and_day(after)?;
    let (end, last) = until_day(end, day);
    // 2月30人 counts them.
    let counts = end.han().is_some() && !end.follows(&["日", "号"]);
    (!counts && days_of(year.unwrap_or(LEAP_YEAR), month, day, last).is_none()).then_some(end)
}

/// The first of two years, where only the second says that it is one: 2010到2015年.
fn first_year(start: Cursor<'_>) -> Option<(Cursor<'_>, Span)> {
    let (end, first) = start.year().filter(|_| !start.touches(&['-', '~', '/', '.']))?;
    let (last, number) = connector(end)?.year()?;
    (number > first && last.eat("年").is_some()).then_some((end, year(first)?))
}

/// What follows a year: a month, a day, a season, a half, a quarter, a holiday, its beginning or end.
fn of_year(start: Cursor<'_>, year_number: i64) -> Option<(Cursor<'_>, Span)> {
    let start = start.maybe("的");
    if let Some((end, month, day)) = month_and_day(start) {
        let (end, last) = until_day(end, day);
        return Some((end, days_of(year_number, month, day, last)?));
    }
    if let Some((end, first, last)) = months(start) {
        return Some((end, months_of(year_number, first, last)?));
    }
    if let Some((end, month)) = month(start) {
        let span = month_of(year_number, month)?;
        return Some(part_of_month(end, span).unwrap_or((end, span)));
    }
    part_of_year(start, year_number)
}

/// `夏天`, `上半年`, `第三季度`, `底`, `年底`, `国庆` behind a year.
fn part_of_year(start: Cursor<'_>, year_number: i64) -> Option<(Cursor<'_>, Span)> {
    if let Some((end, number)) = season_name(start) {
        return Some((end, season(year_number, number)?));
    }
    if let Some((end, number)) = start.one_of(&[("上半年", 0), ("下半年", 1)]) {
        return Some((end, half(year_number, number)?));
    }
    if let Some((end, number, _)) = number(start.maybe("第"))
        && let Some(end) = end.eat("季度")
    {
        return Some((end, quarter(year_number, number)?));
    }
    if let Some((end, part)) = start.maybe("年").one_of(&THIRDS) {
        return Some((end, third(year(year_number)?, part)?));
    }
    let (end, holiday) = holiday::chinese(start)?;
    Some((end, holiday.of(year_number)?))
}

/// Dates counted from today: `去年夏天`, `上个月15号`, `下个月初`, `年底`, `三月`, `国庆`.
pub(super) fn relative<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some((end, offset)) = start.one_of(&YEARS) {
        let number = calendar.year_number() + offset;
        // 去年的今天
        if let Some(end) = end.maybe("的").any(&TODAY) {
            return Some((end, day_of(number, calendar.today.month().into(), calendar.today.day().into())?));
        }
        return Some(of_year(end, number).unwrap_or((end, year(number)?)));
    }
    month_by_turn(start, calendar).or_else(|| season_by_turn(start, calendar)).or_else(|| bare(start, calendar))
}

/// `上个月`, `下个月初`, `本月5号`.
fn month_by_turn<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let (end, offset) =
        start.one_of(&TURNS).or_else(|| start.one_of(&[("本", 0), ("当", 0)])).map(|(c, o)| (c.maybe("个"), o))?;
    let end = end.eat("月")?.maybe("份").maybe("的");
    if let Some((end, day, _)) = number(end)
        && let Some(end) = end.any(&["号", "日"])
    {
        return Some((end, calendar.day_of_month(offset, day)?));
    }
    if let Some(end) = end.any(&TODAY) {
        return Some((end, calendar.day_of_month(offset, calendar.today.day().into())?));
    }
    let span = calendar.month(offset)?;
    Some(part_of_month(end, span).unwrap_or((end, span)))
}

/// `初`, `下旬`, `第一周`, `的最后一周` behind a month.
fn part_of_month(start: Cursor<'_>, month: Span) -> Option<(Cursor<'_>, Span)> {
    if let Some((end, part)) = start.one_of(&THIRDS) {
        return Some((end, third(month, part)?));
    }
    let start = start.maybe("的");
    if let Some(end) = start.any(&["最后一周", "最后一个星期", "最后一个礼拜"]) {
        return Some((end, week_in(month, None)?));
    }
    let (end, turn, _) = number(start.eat("第")?)?;
    Some((end.maybe("个").any(&["周", "星期", "礼拜"])?, week_in(month, Some(turn))?))
}

/// `上个夏天`, `这个冬天`, `上个季度`.
fn season_by_turn<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let (end, offset) = start.one_of(&TURNS).or_else(|| start.one_of(&[("本", 0)]))?;
    let end = end.maybe("个").maybe("一个");
    if let Some(end) = end.eat("季度") {
        let this = i64::from(calendar.today.month() - 1) / 3 + offset;
        let (years, number) = (this.div_euclid(4), this.rem_euclid(4) + 1);
        return Some((end, quarter(calendar.year_number() + years, number)?));
    }
    let (end, number) = season_name(end)?;
    let turn = |turn: i64| season(calendar.year_number() + turn, number);
    let span = match offset {
        0 => turn(0),
        -1 => calendar.last(turn),
        1 => calendar.next(turn),
        _ => None,
    }?;
    Some((end, span))
}

/// `年底`, `月初`, `上半年`, `三月`, `三月份`, `国庆节`: of this year or month, or of the one before or after.
fn bare<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some((end, part)) = start.eat("年").and_then(|at| at.one_of(&[THIRDS[0], THIRDS[5], THIRDS[6]])) {
        return Some((end, calendar.of_year(|number| third(year(number)?, part))?));
    }
    if let Some((end, part)) = start.eat("月").and_then(|at| at.one_of(&[THIRDS[0], THIRDS[5], THIRDS[6]])) {
        return Some((end, calendar.leaning(Cycle::Month, |turn| third(calendar.month(turn)?, part))?));
    }
    if let Some((end, number)) = start.one_of(&[("上半年", 0), ("下半年", 1)]) {
        return Some((end, calendar.of_year(|year| half(year, number))?));
    }
    if let Some((end, first, last)) = months(start) {
        return Some((end, calendar.of_year(|year| months_of(year, first, last))?));
    }
    if let Some((end, month)) = month(start) {
        let of = |year: i64| month_of(year, month);
        if let Some((behind, _)) = part_of_month(end, of(calendar.year_number())?) {
            return Some((behind, calendar.of_year(|year| part_of_month(end, of(year)?).map(|(_, span)| span))?));
        }
        return Some((end, calendar.of_year(of)?));
    }
    let (end, holiday) = holiday::chinese(start)?;
    Some((end, calendar.of_year(|year| holiday.of(year))?))
}

fn season_name(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    let (end, number) = start.one_of(&[("春", 0), ("夏", 1), ("秋", 2), ("冬", 3)])?;
    Some((end.any(&["天", "季"])?, number))
}

/// A month and a day: `5月2日`, `三月三号`, `12月24`.
fn month_and_day(start: Cursor<'_>) -> Option<(Cursor<'_>, i64, i64)> {
    let (end, month, _) = number(start)?;
    let (end, day, _) = number(end.eat("月")?)?;
    // 三月五个人: a bare numeral behind a month is no day.
    let marked = end.any(&["日", "号"]);
    let digits = start.digits().is_some();
    match marked {
        Some(end) => Some((end, month, day)),
        None if digits => Some((end, month, day)),
        None => None,
    }
}

/// A month alone, `5月` or `五月份`.
fn month(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    if start.follows(&["个"]) {
        return None;
    }
    let (end, month, _) = number(start)?;
    (1..=12).contains(&month).then_some(())?;
    Some((end.eat("月")?.maybe("份"), month))
}

/// `5到7月`, `3-5月份`: some months, and the last of them.
fn months(start: Cursor<'_>) -> Option<(Cursor<'_>, i64, i64)> {
    if start.touches(&['-', '~', '/', '.']) {
        return None;
    }
    let (end, first, _) = number(start)?;
    let (end, last) = month(connector(end)?)?;
    (1..last).contains(&first).then_some((end, first, last))
}

fn months_of(year: i64, first: i64, last: i64) -> Option<Span> {
    Span::new(month_of(year, first)?.start, month_of(year, last)?.end, Grain::Month)
}

/// `到5日` behind a day: where it ends, and the last day.
fn until_day(start: Cursor<'_>, day: i64) -> (Cursor<'_>, i64) {
    let both = || start.any(&["和", "与", "跟"]);
    let until = connector(start).or_else(both).and_then(number);
    let until = until.and_then(|(end, last, _)| Some((end.any(&["日", "号"])?, last)));
    // 3日和5日 are two days, and 3日和5日之间 all from one to the other.
    let joined = |end: &Cursor<'_>| both().is_none() || end.eat("之间").is_some();
    until.filter(|(end, last)| *last > day && joined(end)).unwrap_or((start, day))
}

/// The days from `first` to `last` of a month.
fn days_of(year: i64, month: i64, first: i64, last: i64) -> Option<Span> {
    let (from, to) = (day_of(year, month, first)?, day_of(year, month, last)?);
    if first == last { Some(from) } else { Span::new(from.start, to.end, Grain::Week) }
}

pub(super) fn connector(start: Cursor<'_>) -> Option<Cursor<'_>> {
    start.any(&CONNECTORS).or_else(|| start.mark('-')).or_else(|| start.mark('~'))
}

/// `90年代`, `上世纪九十年代`, `2010年代`.
fn decades(start: Cursor<'_>) -> Option<(Cursor<'_>, Span)> {
    let century = start.any(&["上世纪", "二十世纪"]);
    let (end, number, digits) = number(century.unwrap_or(start))?;
    let end = end.eat("年代")?;
    let first = match (digits, number) {
        (4, _) => number,
        (_, 0..=90) if number % 10 == 0 => {
            if century.is_some() || number >= 40 {
                1900 + number
            } else {
                2000 + number
            }
        }
        _ => return None,
    };
    Some((end, decade(first)?))
}
