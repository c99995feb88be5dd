use jiff::civil::Weekday;

use super::calendar::Calendar;
use super::tokens::Token;
use super::{Interval, Match};

/// The Chinese date phrase at the start of `tokens`.
pub(super) fn phrase(tokens: &[Token], calendar: &Calendar) -> Option<Match> {
    absolute(tokens, calendar)
        .map(|(tokens, interval)| Match { tokens, interval, absolute: true })
        .or_else(|| relative(tokens, calendar).map(|(tokens, interval)| Match { tokens, interval, absolute: false }))
}

/// `2023年5月2日`, `2023年5月`, `2023年`, `5月2号`.
fn absolute(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    if let [Token::Number(year, 4), Token::Han('年'), rest @ ..] = tokens {
        let Some((used, month, day)) = month_and_day(rest) else { return Some((2, calendar.year(*year)?)) };
        let interval = match day {
            Some(day) => calendar.date(*year, month, day)?,
            None => calendar.month(*year, month)?,
        };
        return Some((2 + used, interval));
    }
    let (used, month, day) = month_and_day(tokens)?;
    Some((used, calendar.past_date(month, day?)?))
}

/// A month and, where one follows, a day: tokens used, month, day.
fn month_and_day(tokens: &[Token]) -> Option<(usize, i64, Option<i64>)> {
    let (month_tokens, month) = number(tokens)?;
    if !tokens.get(month_tokens)?.is_han('月') {
        return None;
    }
    let rest = tokens.get(month_tokens + 1..)?;
    let Some((day_tokens, day)) = number(rest) else { return Some((month_tokens + 1, month, None)) };
    let mark = usize::from(rest.get(day_tokens).is_some_and(|t| t.is_han('日') || t.is_han('号')));
    Some((month_tokens + 1 + day_tokens + mark, month, Some(day)))
}

fn relative(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let han = |at: usize| if let Some(Token::Han(c)) = tokens.get(at) { *c } else { ' ' };
    match (han(0), han(1), han(2)) {
        ('大', '前', '天') => return Some((3, calendar.days_back(3)?)),
        ('前', '天', _) => return Some((2, calendar.days_back(2)?)),
        ('昨', '天' | '晚' | '日' | '夜', _) => return Some((2, calendar.days_back(1)?)),
        ('今', '天' | '日' | '早' | '晚', _) => return Some((2, calendar.days_back(0)?)),
        ('去', '年', _) => return Some((2, calendar.years_back(1)?)),
        ('前', '年', _) => return Some((2, calendar.years_back(2)?)),
        ('今', '年', _) => return Some((2, calendar.years_back(0)?)),
        ('上', '月', _) => return Some((2, calendar.months_back(1)?)),
        ('上', '个', '月') => return Some((3, calendar.months_back(1)?)),
        ('这', '个', '月') => return Some((3, calendar.months_back(0)?)),
        _ => {}
    }
    week(tokens, calendar).or_else(|| counted(tokens, calendar))
}

/// `上周`, `这个星期`, `上周三`, `上礼拜天`.
fn week(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let back = match tokens.first()? {
        Token::Han('上') => 1,
        Token::Han('这') => 0,
        _ => return None,
    };
    let at = 1 + usize::from(tokens.get(1).is_some_and(|t| t.is_han('个')));
    let at = at + week_word(tokens.get(at..)?)?;
    let Some(Token::Han(day)) = tokens.get(at) else { return Some((at, calendar.week_back(back)?)) };
    match weekday(*day) {
        Some(weekday) => Some((at + 1, calendar.weekday_of_week(back, weekday)?)),
        None => Some((at, calendar.week_back(back)?)),
    }
}

/// `三天前`, `两周以前`, `3个月前`, `五年前`.
fn counted(tokens: &[Token], calendar: &Calendar) -> Option<(usize, Interval)> {
    let (used, count) = number(tokens)?;
    let at = used + usize::from(tokens.get(used).is_some_and(|t| t.is_han('个')));
    let rest = tokens.get(at..)?;
    let (unit, interval) = match rest.first()? {
        Token::Han('天') => (1, calendar.days_back(count)),
        Token::Han('月') => (1, calendar.about_months_back(count)),
        Token::Han('年') => (1, calendar.years_back(count)),
        _ => (week_word(rest)?, calendar.about_weeks_back(count)),
    };
    let at = at + unit;
    let at = at + usize::from(tokens.get(at).is_some_and(|t| t.is_han('以') || t.is_han('之')));
    tokens.get(at).filter(|t| t.is_han('前'))?;
    Some((at + 1, interval?))
}

/// The tokens of a word for week at the start.
fn week_word(tokens: &[Token]) -> Option<usize> {
    match tokens {
        [Token::Han('周'), ..] => Some(1),
        [Token::Han('星'), Token::Han('期'), ..] | [Token::Han('礼'), Token::Han('拜'), ..] => Some(2),
        _ => None,
    }
}

fn weekday(day: char) -> Option<Weekday> {
    let at = match day {
        '日' | '天' => 6,
        other => i8::try_from(digit(other)?).ok()? - 1,
    };
    if (0..=6).contains(&at) { Weekday::from_monday_zero_offset(at).ok() } else { None }
}

/// A number in digits or in Chinese numerals up to 99: tokens used and value.
fn number(tokens: &[Token]) -> Option<(usize, i64)> {
    if let Token::Number(value, _) = tokens.first()? {
        return Some((1, *value));
    }
    let numerals: Vec<char> = tokens
        .iter()
        .map_while(|t| if let Token::Han(c) = t { Some(*c) } else { None })
        .take_while(|c| *c == '十' || digit(*c).is_some())
        .collect();
    let value = match numerals.as_slice() {
        ['十'] => 10,
        ['十', ones] => 10 + digit(*ones)?,
        [tens, '十'] => digit(*tens)? * 10,
        [tens, '十', ones] => digit(*tens)? * 10 + digit(*ones)?,
        [ones] => digit(*ones)?,
        _ => return None,
    };
    Some((numerals.len(), value))
}

fn digit(c: char) -> Option<i64> {
    const DIGITS: [char; 10] = ['零', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
    match c {
        '两' => Some(2),
        '〇' => Some(0),
        _ => (0..).zip(DIGITS).find(|(_, d)| *d == c).map(|(value, _)| value),
    }
}
