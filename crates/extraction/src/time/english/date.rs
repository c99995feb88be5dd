use super::day::THIRDS;
use super::hour::of_day;
use super::words::{month, ordinal, season as season_name, suffix, weekday};
use crate::time::calendar::{Calendar, day_of, decade, month_of, quarter, season, third, week_around, week_in, year};
use crate::time::cursor::Cursor;
use crate::time::holiday;
use crate::time::span::{Grain, Span};

/// Words after which a bare month or year is meant as one.
const LEADS: [&str; 16] = [
    "in", "of", "since", "during", "by", "until", "till", "this", "last", "early", "late", "mid", "from", "before",
    "after", "between",
];

/// Dates that stand by themselves.
pub(super) fn absolute<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    // Thu, March 3: the date says it.
    let behind = weekday(start).map(|(end, _)| end.mark(',').unwrap_or(end).maybe("the"));
    let start = behind.filter(|end| written(*end, calendar).is_some()).unwrap_or(start);
    week_of(start, calendar)
        .or_else(|| day_written(start, calendar))
        .or_else(|| month_with_year(start, calendar))
        .or_else(|| part_of_year(start, calendar))
        .or_else(|| led(start, calendar))
}

/// A date that is written out, and nothing for one that does not exist: `31 April 2026`.
fn written<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Option<Span>)> {
    digits(start).or_else(|| month_first(start, calendar)).or_else(|| day_first(start, calendar))
}

fn day_written<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let (end, span) = written(start, calendar)?;
    Some((end, span?))
}

/// Behind a date that does not exist, with its time of day: it names no time, and neither do its month and its year.
pub(super) fn missing<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<Cursor<'a>> {
    let behind = weekday(start).map(|(end, _)| end.mark(',').unwrap_or(end)).or_else(|| start.eat("week of"));
    let first = behind.map_or(start, |end| end.maybe("the"));
    // In February 30 people came.
    let counts = first.follows(&["in"]) && month(first).is_some_and(|(end, _)| ordinal(end).is_none());
    let (end, None) = written(first, calendar).filter(|_| !counts)? else { return None };
    Some(of_day(end, calendar.day(0)?).map_or(end, |(end, _)| end))
}

/// `the week of November 2`, `the first week of November`, `the last week of March 2025`.
fn week_of<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some(day) = start.eat("week of") {
        let day = day.maybe("the");
        let (end, span) = day_written(day, calendar)?;
        return Some((end, week_around(span.day()?)?));
    }
    let (after, turn) = match ordinal(start) {
        Some((after, turn)) => (after, Some(turn)),
        None => (start.eat("last")?, None),
    };
    let month_at = after.any(&["week of", "week in"])?;
    if let Some((end, span)) = month_with_year(month_at, calendar) {
        return Some((end, week_in(span, turn)?));
    }
    let (end, number) = month(month_at)?;
    end.digits().is_none().then_some(())?;
    Some((end, calendar.of_year(|year| week_in(month_of(year, number)?, turn))?))
}

/// `2026-02-03`, `2026/2/3`, `2026.2.3`, `3/14/2026`, `14/3/2026`, `10/2025`; `2025.10` behind a word that leads to a time, for it may be a version.
fn digits(start: Cursor<'_>) -> Option<(Cursor<'_>, Option<Span>)> {
    if start.touches(&['-', '/', '.']) {
        return None;
    }
    let (end, first, len) = start.digits()?;
    let mark = ['-', '/', '.'].into_iter().find(|mark| end.mark(*mark).is_some())?;
    let (end, second, second_len) = end.mark(mark)?.digits()?;
    if len == 4 && second_len <= 2 {
        return match end.mark(mark).and_then(Cursor::digits) {
            Some((end, day, 1..=2)) => Some((time_mark(end), day_of(first, second, day))),
            _ if second_len == 2 && (mark != '.' || start.follows(&LEADS)) => {
                Some((end, Some(month_of(first, second)?)))
            }
            _ => None,
        };
    }
    if len <= 2 && second_len == 4 && mark == '/' && end.mark(mark).is_none() {
        return Some((end, Some(month_of(second, first)?)));
    }
    if len <= 2 && second_len <= 2 {
        let (end, year, 4) = end.mark(mark)?.digits()? else { return None };
        // The month comes first unless it cannot; with dots the day does.
        let (month, day) = if mark == '.' || first > 12 { (second, first) } else { (first, second) };
        return Some((end, day_of(year, month, day)));
    }
    None
}

/// The `T` between date and time.
fn time_mark(end: Cursor<'_>) -> Cursor<'_> {
    end.eat("t").filter(|at| at.digits().is_some()).unwrap_or(end)
}

/// `March 3`, `March 3rd, 2023`, `March 2023`, `May 3-5`.
fn month_first<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Option<Span>)> {
    let (after, number) = month(start)?;
    let after = after.maybe("the");
    if let Some((end, day, 1..=2)) = after.digits() {
        let end = suffix(end).unwrap_or(end);
        let (end, last) = until_day(start, end, day);
        return Some(days(end, number, day, last, calendar));
    }
    let (end, day) = ordinal(after)?;
    Some(days(end, number, day, day, calendar))
}

/// `March 2023`, `March of last year`.
fn month_with_year<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let (after, number) = month(start)?;
    let (end, year) = named_year(of(after), calendar)?;
    Some((end, month_of(year, number)?))
}

fn of(start: Cursor<'_>) -> Cursor<'_> {
    start.eat("of").or_else(|| start.mark(',')).unwrap_or(start)
}

/// `2023`, `last year`.
fn named_year<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, i64)> {
    if let Some((end, year, 4)) = start.digits() {
        return Some((end, year));
    }
    let (end, turn) = start.one_of(&[("last year", -1), ("this year", 0), ("next year", 1)])?;
    Some((end, calendar.year_number() + turn))
}

/// The days from `first` to `last` of a month, of the year that follows or of the one that the calendar leans to.
fn days<'a>(start: Cursor<'a>, month: i64, first: i64, last: i64, calendar: &Calendar) -> (Cursor<'a>, Option<Span>) {
    let of_year = |year: i64| {
        let (from, to) = (day_of(year, month, first)?, day_of(year, month, last)?);
        if first == last { Some(from) } else { Span::new(from.start, to.end, Grain::Week) }
    };
    match named_year(of(start), calendar) {
        Some((end, year)) => (end, of_year(year)),
        None => (start, calendar.of_year(of_year)),
    }
}

/// `3 March`, `3rd of March 2023`, `3-5 May`.
fn day_first<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Option<Span>)> {
    if start.touches(&['-', '/', '.', ':']) {
        return None;
    }
    let (end, first, 1..=2) = start.digits()? else { return None };
    let end = suffix(end).unwrap_or(end);
    let (end, last) = until_day(start, end, first);
    let (end, month) = month(end.maybe("of"))?;
    Some(days(end, month, first, last, calendar))
}

/// `to 5`, `-5`, and `and 5` where `between` stands before the first: the last of some days, and where it ends.
fn until_day<'a>(start: Cursor<'a>, end: Cursor<'a>, first: i64) -> (Cursor<'a>, i64) {
    let the = start.back().filter(|_| start.follows(&["the"])).unwrap_or(start);
    let both = || if the.follows(&["between"]) { end.eat("and") } else { None };
    let until = connector(end).or_else(both).and_then(|at| at.maybe("the").digits());
    let until = until.filter(|(_, last, length)| *length <= 2 && *last > first);
    until.map_or((end, first), |(end, last, _)| (suffix(end).unwrap_or(end), last))
}

fn connector(start: Cursor<'_>) -> Option<Cursor<'_>> {
    start.mark('-').or_else(|| start.mark('~')).or_else(|| start.any(&["to", "until", "through"]))
}

/// `early March`, `summer 2023`, `Q3 2024`, `the third quarter of 2024`, `Christmas 2022`, `the 1990s`, `late 2023`.
fn part_of_year<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    if let Some((after, part)) = start.one_of(&THIRDS) {
        let after = after.mark('-').unwrap_or(after).maybe("the");
        // the early 2020s
        if let Some((end, span)) = decade_in_digits(after, true) {
            return Some((end, third(span, part)?));
        }
        if let Some((end, year_number, 4)) = after.digits() {
            return Some((end, third(year(year_number)?, part)?));
        }
        if let Some((end, span)) = month_with_year(after, calendar) {
            return Some((end, third(span, part)?));
        }
        let (end, number) = month(after)?;
        end.digits().is_none().then_some(())?;
        return Some((end, calendar.of_year(|year| third(month_of(year, number)?, part))?));
    }
    if let Some((end, number)) = season_name(start)
        && let Some((end, year)) = named_year(end.maybe("of"), calendar)
    {
        return Some((end, season(year, number)?));
    }
    if let Some((end, span)) = quarters(start, calendar) {
        return Some((end, span));
    }
    if let Some((end, holiday)) = holiday::english(start)
        && let Some((end, year)) = named_year(of(end), calendar)
    {
        return Some((end, holiday.of(year)?));
    }
    decades(start)
}

fn quarters<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let (end, number) = match start.eat("q") {
        Some(end) if end.glued() => {
            let (end, number, 1) = end.digits()? else { return None };
            (end, number)
        }
        _ => {
            let (end, number) = ordinal(start)?;
            (end.eat("quarter")?, number)
        }
    };
    match named_year(of(end), calendar) {
        Some((end, year)) => Some((end, quarter(year, number)?)),
        None => Some((end, calendar.of_year(|year| quarter(year, number))?)),
    }
}

/// `the 1990s`, `the 90s`.
fn decades(start: Cursor<'_>) -> Option<(Cursor<'_>, Span)> {
    decade_in_digits(start, start.follows(&["the"]))
}

fn decade_in_digits(start: Cursor<'_>, short: bool) -> Option<(Cursor<'_>, Span)> {
    let (end, number, digits) = start.digits()?;
    // the 90's; 2020's is of a year.
    let plural = || if short { end.eat("'s") } else { None };
    let end = end.glued().then(|| end.eat("s").or_else(plural))??;
    (number % 10 == 0).then_some(())?;
    match digits {
        4 => Some((end, decade(number)?)),
        2 if short => Some((end, decade(if number >= 40 { 1900 } else { 2000 } + number)?)),
        _ => None,
    }
}

/// `in March`, `since 2023`: the word before decides that a date is meant.
fn led<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let up_to = ["up to", "prior to", "later than", "earlier than"];
    let behind = start.back().and_then(Cursor::back).is_some_and(|two| two.any(&up_to).is_some());
    let leads = behind || start.follows(&LEADS);
    let joined = start.follows(&["and", "to", "through"]) || start.touches(&['-', '~']);
    if let Some((end, number)) = start.year() {
        // 2010年, and the second year of 2010-2015年, are Chinese.
        let named = leads || joined || end.owns() || is_first_year(start, end, number);
        return (named && end.eat("年").is_none()).then_some((end, year(number)?));
    }
    if start.follows(&["after", "before", "of"]) && start.eat("may").is_some() {
        return None;
    }
    let (end, number) = month(start)?;
    // April's room may be that of a person.
    ((leads || in_row(start, end)) && !end.owns()).then_some(())?;
    Some((end, calendar.of_year(|year| month_of(year, number))?))
}

/// Whether the first of two years stands here, and no number of a telephone: `2010-2015`, `2010 to 2015`.
fn is_first_year(start: Cursor<'_>, end: Cursor<'_>, first: i64) -> bool {
    const NUMBERS: [&str; 9] = ["call", "tel", "phone", "telephone", "fax", "number", "no", "pages", "pp"];
    let before = start.back().filter(|mark| mark.mark('.').is_some() || mark.mark(':').is_some()).unwrap_or(start);
    let last = connector(end).and_then(Cursor::year).filter(|(_, last)| *last > first);
    let alone = |(end, _): (Cursor<'_>, i64)| {
        !end.glued() || end.word().is_none() && !['-', '/', '%'].iter().any(|mark| end.mark(*mark).is_some())
    };
    !start.touches(&['-', '/', '+', '$', '#']) && !before.follows(&NUMBERS) && last.is_some_and(alone)
}

/// Whether a month stands before another, or behind a date: `March and April`, `March 2025 to May`.
fn in_row(start: Cursor<'_>, end: Cursor<'_>) -> bool {
    if joint(end).is_some_and(|next| month(next).is_some()) {
        return true;
    }
    let joined = |before: &Cursor<'_>| joint(*before).is_some_and(|next| next.at() == start.at());
    let Some(first) = start.back().filter(joined) else { return false };
    let first = first.back().filter(joined).unwrap_or(first);
    let Some(before) = first.back() else { return false };
    // "In 2025 and may be later" names no May.
    let verb = || start.any(&["may", "march"]).is_some() && connector(first).is_none();
    month(before).is_some() || before.digits().is_some() && !verb()
}

/// Behind what stands between two dates: a comma, `and`, `to`.
fn joint(start: Cursor<'_>) -> Option<Cursor<'_>> {
    let comma = start.mark(',');
    comma.unwrap_or(start).any(&["and", "or"]).or_else(|| connector(start)).or(comma)
}

/// Dates counted from today: `last month`, `next March`, `last summer`, `the year before last`, `Christmas`.
pub(super) fn relative<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let within = start.one_of(&THIRDS);
    let after = within.map_or(start, |(end, _)| end.mark('-').unwrap_or(end).maybe("the"));
    if let Some((end, span)) = by_turn(after, calendar) {
        return Some((end, within.map_or(Some(span), |(_, part)| third(span, part))?));
    }
    if let Some((_, part)) = within {
        // the end of the month
        let (end, span) = after
            .eat("month")
            .map(|end| (end, calendar.month(0)))
            .or_else(|| after.eat("year").map(|end| (end, year(calendar.year_number()))))?;
        return Some((end, third(span?, part)?));
    }
    let turn = start.one_of(&[("last", -1), ("this", 0), ("next", 1)]);
    let named = turn.map_or(start, |(end, _)| end);
    let turn = turn.map(|(_, turn)| turn);
    let this = calendar.year_number();
    let of_turn = |span: &dyn Fn(i64) -> Option<Span>| match turn {
        Some(-1) => calendar.last(|turn| span(this + turn)),
        Some(0) => span(this),
        Some(_) => calendar.next(|turn| span(this + turn)),
        None => calendar.of_year(span),
    };
    if let Some((end, holiday)) = holiday::english(named) {
        return Some((end, of_turn(&|year| holiday.of(year))?));
    }
    turn?;
    if let Some((end, number)) = season_name(named) {
        return Some((end, of_turn(&|year| season(year, number))?));
    }
    let (end, number) = month(named)?;
    Some((end, of_turn(&|year| month_of(year, number))?))
}

/// `last month`, `next year`, `the month after next`, `this quarter`.
fn by_turn<'a>(start: Cursor<'a>, calendar: &Calendar) -> Option<(Cursor<'a>, Span)> {
    let months =
        [("last month", -1), ("this month", 0), ("next month", 1), ("month before last", -2), ("month after next", 2)];
    if let Some((end, turn)) = start.one_of(&months) {
        return Some((end, calendar.month(turn)?));
    }
    let years =
        [("last year", -1), ("this year", 0), ("next year", 1), ("year before last", -2), ("year after next", 2)];
    if let Some((end, turn)) = start.one_of(&years) {
        return Some((end, year(calendar.year_number() + turn)?));
    }
    let (end, turn) = start.one_of(&[("last quarter", -1), ("this quarter", 0), ("next quarter", 1)])?;
    let this = i64::from(calendar.today.month() - 1) / 3 + turn;
    Some((end, quarter(calendar.year_number() + this.div_euclid(4), this.rem_euclid(4) + 1)?))
}
