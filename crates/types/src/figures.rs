use std::collections::BTreeSet;

/// The numbers, versions, dates and times of day that a text names.
///
/// Two texts that differ in these say different things, however alike they are in all other words: "Nuxt 3" and "Nuxt 4", 我每天跑3公里 and
/// 我每天跑5公里. Embedders see next to no difference there, so whoever compares meanings asks here, too.
///
/// Digits count as they are, without leading zeros, separators of thousands and a final ".0"; the parts of dates and times of day count one by one,
/// so that 2025-11-05 is 2025年11月5日. Number words count where they count something: "three", "third", 三公里, 第三; `one` and 一 are mostly
/// articles and count nothing. Months count by their number; days of the week, "tomorrow", 下午 and the like by themselves.
///
/// ```
/// use annals_types::Figures;
///
/// assert_ne!(Figures::of("项目用 Nuxt 3"), Figures::of("项目用 Nuxt 4"));
/// assert_eq!(Figures::of("on 2025-11-05"), Figures::of("2025年11月5日"));
/// assert!(Figures::of("我喜欢拉面").is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures(BTreeSet<String>);

/// English words that are numbers, or name a day, a time of day or a month.
const WORDS: [(&str, &str); 77] = [
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("seventy", "70"),
    ("eighty", "80"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
    ("twice", "2"),
    ("first", "1"),
    ("second", "2"),
    ("third", "3"),
    ("fourth", "4"),
    ("fifth", "5"),
    ("sixth", "6"),
    ("seventh", "7"),
    ("eighth", "8"),
    ("ninth", "9"),
    ("tenth", "10"),
    ("january", "1"),
    ("february", "2"),
    ("april", "4"),
    ("june", "6"),
    ("july", "7"),
    ("august", "8"),
    ("september", "9"),
    ("october", "10"),
    ("november", "11"),
    ("december", "12"),
    ("monday", "w1"),
    ("tuesday", "w2"),
    ("wednesday", "w3"),
    ("thursday", "w4"),
    ("friday", "w5"),
    ("saturday", "w6"),
    ("sunday", "w7"),
    ("mondays", "w1"),
    ("tuesdays", "w2"),
    ("wednesdays", "w3"),
    ("thursdays", "w4"),
    ("fridays", "w5"),
    ("saturdays", "w6"),
    ("sundays", "w7"),
    ("today", "today"),
    ("tomorrow", "tomorrow"),
    ("yesterday", "yesterday"),
    ("am", "am"),
    ("pm", "pm"),
    ("morning", "am"),
    ("afternoon", "pm"),
    ("evening", "evening"),
    ("tonight", "evening"),
    ("night", "night"),
    ("noon", "noon"),
    ("midnight", "night"),
];

/// Months in short, which are words of other meanings where no number stands beside them.
const MONTHS: [(&str, &str); 12] = [
    ("jan", "1"),
    ("feb", "2"),
    ("mar", "3"),
    ("apr", "4"),
    ("jun", "6"),
    ("jul", "7"),
    ("aug", "8"),
    ("sep", "9"),
    ("sept", "9"),
    ("oct", "10"),
    ("nov", "11"),
    ("dec", "12"),
];

/// Chinese words that name a day, a time of day or a stretch of time.
const CHINESE: [(&str, &str); 40] = [
    ("大前天", "d-3"),
    ("大后天", "d+3"),
    ("昨晚", "d-1 evening"),
    ("明晚", "d+1 evening"),
    ("明早", "d+1 am"),
    ("今早", "am"),
    ("上星期", "k-1"),
    ("下星期", "k+1"),
    ("这星期", "k"),
    ("上礼拜", "k-1"),
    ("下礼拜", "k+1"),
    ("这礼拜", "k"),
    ("今天", "today"),
    ("明天", "tomorrow"),
    ("昨天", "yesterday"),
    ("前天", "d-2"),
    ("后天", "d+2"),
    ("早上", "am"),
    ("上午", "am"),
    ("凌晨", "night"),
    ("中午", "noon"),
    ("下午", "pm"),
    ("晚上", "evening"),
    ("今晚", "evening"),
    ("去年", "y-1"),
    ("今年", "y"),
    ("明年", "y+1"),
    ("前年", "y-2"),
    ("后年", "y+2"),
    ("上周", "k-1"),
    ("这周", "k"),
    ("本周", "k"),
    ("下周", "k+1"),
    ("上个月", "m-1"),
    ("这个月", "m"),
    ("下个月", "m+1"),
    ("上月", "m-1"),
    ("本月", "m"),
    ("下月", "m+1"),
    ("半", "half"),
];

/// What stands before a Chinese number that orders something.
const ORDINALS: [char; 3] = ['第', '初', '版'];
/// What stands behind a Chinese number that counts something.
const MEASURES: &str = "年月日号点时分秒天周个只条次岁楼层元块斤克米公千里线版级季届名位本台辆张件份间栋杯瓶倍度折期章集遍套项组轮口颗双顿万亿百成人家门碗部页种场步段吨升毫厘平节支根盒包篇首钟角小隻個點兩%％";

impl Figures {
    /// Those of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text: Vec<char> = text.chars().map(half_width).collect();
        let mut found = BTreeSet::new();
        let mut at = 0;
        while at < text.len() {
            let (taken, figures) = figures_at(&text, at);
            found.extend(figures);
            at += taken.max(1);
        }
        Self(found)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The figures that begin at one place of a text in half width, in the order in which they are written, and how many characters were looked at: those
/// of a number, a word or a Chinese numeral; 0 for anything else.
pub(crate) fn figures_at(text: &[char], at: usize) -> (usize, Vec<String>) {
    let (before, rest) = (text.get(..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
    let mut found = Vec::new();
    let taken = match rest.first() {
        None => 0,
        Some(c) if c.is_ascii_digit() => digits(rest, is_negative(before), &mut found),
        Some(c) if c.is_ascii_alphabetic() => {
            let last = before.iter().rev().find(|c| !c.is_whitespace());
            word(rest, last.is_some_and(char::is_ascii_digit), &mut found)
        }
        Some(_) => han(rest, before.last().copied(), &mut found),
    };
    (taken, found)
}

/// A full-width digit, letter or sign as its ASCII form; any other character as it is.
pub(crate) fn half_width(c: char) -> char {
    let code = u32::from(c);
    if (0xFF01..=0xFF5E).contains(&code) { char::from_u32(code - 0xFEE0).unwrap_or(c) } else { c }
}

/// Whether a number behind this has a minus: one that joins nothing.
pub(crate) fn is_negative(before: &[char]) -> bool {
    match before {
        [.., last, '-' | '−'] => !last.is_alphanumeric() || !last.is_ascii(),
        ['-' | '−'] => true,
        _ => false,
    }
}

/// A run of digits with what joins them; answers how long it is.
fn digits(rest: &[char], negative: bool, found: &mut Vec<String>) -> usize {
    let joins = |at: usize, c: char| {
        let behind = |n: usize| rest.get(at + n).is_some_and(char::is_ascii_digit);
        matches!(c, '.' | ',' | ':' | '/' | '-') && behind(1) && (c != ',' || behind(2) && behind(3) && !behind(4))
    };
    let length =
        rest.iter().enumerate().position(|(at, c)| !c.is_ascii_digit() && !joins(at, *c)).unwrap_or(rest.len());
    let run: String = rest.iter().take(length).filter(|c| **c != ',').collect();
    // 9:00 is nine o'clock.
    let run = run.strip_suffix(":00").unwrap_or(&run);
    for (place, part) in run.split([':', '/', '-']).enumerate() {
        let whole = part.strip_suffix(".0").unwrap_or(part);
        let bare = whole.trim_start_matches('0');
        let sign = if negative && place == 0 { "-" } else { "" };
        let zero = if bare.is_empty() || bare.starts_with('.') { "0" } else { "" };
        found.push(format!("{sign}{zero}{bare}"));
    }
    length
}

/// A word of Latin letters; answers how long it is.
fn word(rest: &[char], counted: bool, found: &mut Vec<String>) -> usize {
    let letters = |from: &[char]| from.iter().position(|c| !c.is_ascii_alphabetic()).unwrap_or(from.len());
    let lower_of = |from: &[char]| from.iter().collect::<String>().to_lowercase();
    let length = letters(rest);
    if let ([half, '.', 'm' | 'M', ..], true) = (rest, counted)
        && let Some(half) = match half.to_ascii_lowercase() {
            'a' => Some("am"),
            'p' => Some("pm"),
            _ => None,
        }
    {
        found.push(half.to_owned());
        return 3;
    }
    let written: String = rest.iter().take(length).collect();
    let lower = written.to_lowercase();
    let behind = rest.get(length..).unwrap_or_default();
    let tens = WORDS.iter().find(|(word, figure)| *word == lower && figure.len() == 2 && lower.ends_with("ty"));
    if let (Some((_, tens)), ['-' | ' ', tail @ ..]) = (tens, behind) {
        let unit = lower_of(tail.get(..letters(tail)).unwrap_or_default());
        let unit = WORDS.iter().find(|(word, figure)| *word == unit && figure.len() == 1 && *figure != "0");
        let unit = unit
            .map(|(word, figure)| (word.len(), *figure))
            .or_else(|| tail.starts_with(&['o', 'n', 'e']).then_some((3, "1")));
        if let Some((long, unit)) = unit.filter(|(long, _)| letters(tail) == *long) {
            found.push(format!("{}{unit}", tens.trim_end_matches('0')));
            return length + 1 + long;
        }
    }
    // "am" is a verb unless it stands behind a number, "mar" no month but beside one; "May" and "March" are months where they are written so.
    let clock = matches!(lower.as_str(), "am" | "pm");
    let beside = counted || behind.iter().find(|c| !matches!(c, ' ' | '.')).is_some_and(char::is_ascii_digit);
    let figure = match written.as_str() {
        "May" => Some("5"),
        "March" => Some("3"),
        _ => WORDS.iter().find(|(word, _)| *word == lower).map(|(_, figure)| *figure),
    };
    let month = MONTHS.iter().find(|(word, _)| *word == lower).filter(|_| beside).map(|(_, figure)| *figure);
    found.extend(figure.filter(|_| !clock || counted).or(month).map(str::to_owned));
    length
}

/// A Chinese number or word of time; answers how long it is, 0 when it is neither.
fn han(rest: &[char], before: Option<char>, found: &mut Vec<String>) -> usize {
    for (word, figure) in CHINESE {
        let length = word.chars().count();
        if rest.len() >= length && rest.iter().zip(word.chars()).all(|(c, wanted)| *c == wanted) {
            // 一半, 三点半, but not 半导体: a half stands behind something that is counted.
            let timed = rest.get(1..3).is_some_and(|next| next == ['小', '时'] || next.first() == Some(&'天'));
            if figure != "half" || timed || before.is_some_and(|c| "点年天个月小斤一".contains(c)) {
                found.push(figure.to_owned());
            }
            return length;
        }
    }
    let length = rest.iter().position(|c| numeral(*c).is_none()).unwrap_or(rest.len());
    if length == 0 {
        return 0;
    }
    let number = value(rest.get(..length).unwrap_or_default());
    let weekday = before.is_some_and(|c| matches!(c, '周' | '期' | '拜')) && (1..=6).contains(&number);
    let orders = before.is_some_and(|c| ORDINALS.contains(&c));
    // 十分 is "very" where no minutes are meant.
    let very = number == 10 && rest.get(length) == Some(&'分') && rest.get(length + 1) != Some(&'钟');
    let counts = !very && rest.get(length).is_some_and(|c| MEASURES.contains(*c));
    if weekday {
        found.push(format!("w{number}"));
    } else if orders || (counts && number != 1) {
        found.push(number.to_string());
    }
    length
}

/// What a Chinese numeral is worth; those from ten on multiply.
fn numeral(c: char) -> Option<u64> {
    Some(match c {
        '零' | '〇' => 0,
        '一' => 1,
        '二' | '两' | '兩' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '十' => 10,
        '百' => 100,
        '千' => 1000,
        '万' | '萬' => 10_000,
        _ => return None,
    })
}

/// The number that numerals write: 二十五 by places, 二〇二五 by digits.
fn value(numerals: &[char]) -> u64 {
    let worth: Vec<u64> = numerals.iter().filter_map(|c| numeral(*c)).collect();
    if worth.iter().all(|each| *each < 10) {
        return worth.iter().fold(0, |sum: u64, digit| sum.saturating_mul(10).saturating_add(*digit));
    }
    let (mut sum, mut digit) = (0_u64, None);
    for each in worth {
        if each < 10 {
            digit = Some(each);
        } else if each == 10_000 {
            sum = sum.saturating_add(digit.take().unwrap_or_default()).max(1).saturating_mul(each);
        } else {
            sum = sum.saturating_add(digit.take().unwrap_or(1).saturating_mul(each));
        }
    }
    sum.saturating_add(digit.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(text: &str) -> Vec<String> {
        Figures::of(text).0.into_iter().collect()
    }

    #[test]
    fn numbers_versions_dates_and_times_are_found() {
        for (text, expected) in [
            ("Nuxt 4 + SQLite 3.45.1", &["3.45.1", "4"][..]),
            ("version 2.0", &["2"]),
            ("1,250 people", &["1250"]),
            ("2025-11-05 09:30", &["11", "2025", "30", "5", "9"]),
            ("２０２５年", &["2025"]),
            ("March 3rd at 5pm", &["3", "5", "pm"]),
            ("I am at home", &[]),
            ("three cats and a third dog", &["3"]),
            ("every Friday morning", &["am", "w5"]),
            ("每周三下午", &["pm", "w3"]),
            ("我养了两只猫", &["2"]),
            ("我养了一只猫，一起玩", &[]),
            ("二十五岁，第一名", &["1", "25"]),
            ("二〇二五年", &["2025"]),
            ("三万两千元", &["32000"]),
            ("四川的五金店，十分好", &[]),
            ("半导体", &[]),
            ("I sat on a dec chair, mar it not", &[]),
            ("三点半", &["3", "half"]),
            ("", &[]),
        ] {
            assert_eq!(figures(text), expected, "{text}");
        }
    }

    #[test]
    fn one_figure_makes_the_difference() {
        for (one, other) in [
            ("我每天跑3公里", "我每天跑5公里"),
            ("我下周一去北京", "我下周二去北京"),
            ("Python 3.11", "Python 3.12"),
            ("the meeting is on Monday", "the meeting is on Tuesday"),
            ("I have two cats", "I have three cats"),
            ("会议在上午10点", "会议在下午10点"),
            ("starts at 9 a.m.", "starts at 9 p.m."),
            ("on Nov 24", "on Dec 24"),
            ("每天睡六小时", "每天睡八小时"),
            ("it is -5 degrees", "it is 5 degrees"),
            ("昨晚见面", "明晚见面"),
            ("半小时", "小时"),
        ] {
            assert_ne!(Figures::of(one), Figures::of(other), "{one} | {other}");
        }
        for (one, other) in [
            ("我今年三十岁", "今年我30岁了"),
            ("We meet at 09:05", "we met at 9:05"),
            ("I have a cat", "one cat is mine"),
            ("December 24", "12月24日"),
            ("Dec 24", "12月24日"),
            ("I am twenty-five years old", "I am 25 years old"),
            ("thirty one days", "31 days"),
            ("at 9:00", "at 9"),
        ] {
            assert_eq!(Figures::of(one), Figures::of(other), "{one} | {other}");
        }
    }
}
