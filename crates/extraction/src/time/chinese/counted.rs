use super::number::{digit, number};
use crate::time::calendar::{Calendar, Unit};
use crate::time::cursor::Cursor;
use crate::time::span::{Grain, Span, plus_days};

const UNITS: [(&str, Unit); 12] = [
    ("分钟", Unit::Minute),
    ("小时", Unit::Hour),
    ("钟头", Unit::Hour),
    ("天", Unit::Day),
    ("日", Unit::Day),
    ("周", Unit::Week),
    ("星期", Unit::Week),
    ("礼拜", Unit::Week),
    ("月", Unit::Month),
    ("年", Unit::Year),
    ("分", Unit::Minute),
    ("晚", Unit::Day),
];

/// Phrases that count: `三天前`, `两周以后`, `一年半前`, `几天前`, `最近三天`, `最近`.
pub(super) fn phrase<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    stretch(start, calendar)
        .or_else(|| few(start, calendar))
        .or_else(|| ago(start, calendar))
        .or_else(|| vague(start, calendar))
}

/// `三天前`, `半年后`, `一年半以前`, `两个半小时前`.
fn ago<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(half) = start.eat("半") {
        let (end, (unit, count)) = half.maybe("个").one_of(&[
            ("小时", (Unit::Minute, 30)),
            ("钟头", (Unit::Minute, 30)),
            ("天", (Unit::Hour, 12)),
            ("月", (Unit::Day, 15)),
            ("年", (Unit::Month, 6)),
        ])?;
        let (end, sign) = direction(end)?;
        return Some((end, calendar.counted(sign * count, unit, false)?));
    }
    let (end, count, _) = number(start)?;
    let many = end.eat("个").or_else(|| end.eat("半"));
    // 10月之前 is before October; 两 only counts.
    (many.is_some() || end.eat("月").is_none() || start.eat("两").is_some()).then_some(())?;
    let end = end.maybe("个");
    let (end, half_before) = end.eat("半").map_or((end, false), |end| (end.maybe("个"), true));
    let (end, unit) = end.one_of(&UNITS)?;
    // 2019年以前 is a date and no count.
    (unit != Unit::Year || count < 1000).then_some(())?;
    let (end, half_behind) = end.eat("半").map_or((end, false), |end| (end, true));
    let (end, sign) = direction(end)?;
    Some((end, calendar.counted(sign * count, unit, half_before || half_behind)?))
}

/// `前` or `后` and their longer forms.
fn direction(start: Cursor<'_>) -> Option<(Cursor<'_>, i64)> {
    start.one_of(&[("以前", -1), ("之前", -1), ("前", -1), ("以后", 1), ("之后", 1), ("过后", 1), ("后", 1)])
}

/// `几天前`, `前几天`, `过两天`, `这几天`.
fn few<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(end) = start.any(&["前几天", "前些天", "前两天", "前些日子", "前阵子", "前一阵", "前段时间"])
    {
        let far = start.any(&["前些日子", "前阵子", "前一阵", "前段时间"]).is_some();
        return Some((end, if far { calendar.few_days(-60, -7)? } else { calendar.few_days(-6, -2)? }));
    }
    if let Some(end) = start.any(&["过几天", "过两天", "过些天", "改天"]) {
        return Some((end, calendar.few_days(2, 6)?));
    }
    if let Some(end) = start.any(&["这几天", "这两天"]) {
        return Some((end, calendar.few_days(-3, 0)?));
    }
    let some = start.any(&["几", "好几", "数"]).map(|end| (end, (2, 6)));
    let (end, (least, most)) = some.or_else(|| two_or_three(start))?;
    let (end, unit) = end.maybe("个").one_of(&UNITS)?;
    let (end, sign) = direction(end)?;
    let few = |days: i64, grain| {
        let (near, far) = (sign * least * days, sign * most * days);
        let first = plus_days(calendar.today, near.min(far))?;
        Span::between(first, plus_days(calendar.today, near.max(far) + 1)?, grain)
    };
    let span = match unit {
        Unit::Minute => calendar.stretch(sign * 10, Unit::Minute),
        Unit::Hour => calendar.stretch(sign * 8, Unit::Hour),
        Unit::Day => few(1, Grain::Week),
        Unit::Week | Unit::Fortnight => few(7, Grain::Month),
        Unit::Month => few(30, Grain::Season),
        Unit::Year => few(365, Grain::Years),
    }?;
    Some((end, span))
}

/// `两三`: one number and the next.
fn two_or_three(start: Cursor<'_>) -> Option<(Cursor<'_>, (i64, i64))> {
    let (next, least) = start.han()?;
    let (end, most) = next.han()?;
    let (least, most) = (digit(least)?, digit(most)?);
    (least > 0 && most == least + 1).then_some((end, (least, most)))
}

/// `最近三天`, `过去的两个月`, `近一周`, `未来三天`, `接下来一周`, `三天内`.
fn stretch<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    const WAYS: [(&str, i64); 12] = [
        ("最近的", -1),
        ("最近", -1),
        ("过去的", -1),
        ("过去", -1),
        ("近", -1),
        ("这", -1),
        ("未来的", 1),
        ("未来", 1),
        ("接下来的", 1),
        ("接下来", 1),
        ("今后", 1),
        ("往后", 1),
    ];
    if let Some((after, sign)) = start.one_of(&WAYS) {
        if let Some((end, count)) = after.one_of(&[("半年", 6), ("半个月", 0)]) {
            let span = if count == 0 {
                calendar.stretch(sign * 15, Unit::Day)
            } else {
                calendar.stretch(sign * 6, Unit::Month)
            };
            return Some((end, span?));
        }
        if let Some(end) = after.any(&["几天", "几日"]) {
            return Some((end, calendar.stretch(sign * 5, Unit::Day)?));
        }
        if let Some((end, count, _)) = number(after) {
            // 这三月 and 近年 are something else; with a unit it is a stretch.
            let (end, unit) = end.maybe("个").one_of(&UNITS)?;
            direction(end).is_none().then_some(())?;
            return Some((end.maybe("内").maybe("里"), calendar.stretch(sign * count, unit)?));
        }
        return None;
    }
    let (end, count, _) = number(start)?;
    let (end, unit) = end.maybe("个").one_of(&UNITS)?;
    let end = end.any(&["之内", "以内", "内"])?;
    let sign = if calendar.leans_to_the_future() { 1 } else { -1 };
    Some((end, calendar.stretch(sign * count, unit)?))
}

/// `最近`, `近来`: the two weeks that end now.
fn vague<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let end = start.any(&["最近", "近来", "近期", "近日", "这段时间", "这阵子", "这些天"])?;
    let span = calendar.stretch(-14, Unit::Day)?;
    Some((end, Span { grain: Grain::Vague, ..span }))
}
