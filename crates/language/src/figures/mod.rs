mod chinese;
mod digits;
mod english;

use std::collections::BTreeSet;

pub(crate) use english::{MONTHS, WEEKDAYS};

/// The numbers, versions, dates and times of day that a text names.
///
/// Two texts that differ in these say different things, however alike they are in all other words:
/// "Nuxt 3" and "Nuxt 4", 我每天跑3公里 and 我每天跑5公里. Embedders see next to no difference there,
/// so callers that compare meanings ask here, too.
///
/// Digits count as they are written, but for separators of thousands and a final ".0": `1/2`, `1-2`
/// and `0042` are one figure each. The parts of a whole date and of a time of day count one by one,
/// without leading zeros, so that 2025-11-05 is 2025年11月5日. Number words count where they count
/// something: "three", 三公里; `one` and 一 are mostly articles and count nothing. A number that
/// orders is another figure than one that counts: "third", "3rd" and 第三 are not 3, but for the day
/// of a month. Months count by their number; days of the week, "tomorrow", 下午 and the like by
/// themselves.
///
/// ```
/// use annals_language::Figures;
///
/// assert_ne!(Figures::of("项目用 Nuxt 3"), Figures::of("项目用 Nuxt 4"));
/// assert_eq!(Figures::of("on 2025-11-05"), Figures::of("2025年11月5日"));
/// assert!(Figures::of("我喜欢拉面").is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures(BTreeSet<String>);

/// Characters before a number that orders something.
const ORDERS: [char; 2] = ['第', '初'];

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

/// The figures that begin at one place of a text in half width, in the order in which they are
/// written, and the number of characters that were read: those of a number, a word or a Chinese
/// numeral; 0 for anything else.
pub(crate) fn figures_at(text: &[char], at: usize) -> (usize, Vec<String>) {
    let (before, rest) = (
        text.get(..at).unwrap_or_default(),
        text.get(at..).unwrap_or_default(),
    );
    match rest.first() {
        None => (0, Vec::new()),
        Some(c) if c.is_ascii_digit() => digits::at(before, rest),
        Some(c) if c.is_ascii_alphabetic() => {
            let last = before.iter().rev().find(|c| !c.is_whitespace());
            english::at(rest, last.is_some_and(char::is_ascii_digit))
        }
        Some(_) => chinese::at(rest, before.last().copied()),
    }
}

/// A full-width digit, letter, sign or space as its ASCII form; any other character as it is.
///
/// ```
/// assert_eq!("Ａ１：　好".chars().map(annals_language::half_width).collect::<String>(), "A1: 好");
/// ```
#[must_use]
pub fn half_width(c: char) -> char {
    let code = u32::from(c);
    if c == '\u{3000}' {
        return ' ';
    }
    if (0xFF01..=0xFF5E).contains(&code) {
        char::from_u32(code - 0xFEE0).unwrap_or(c)
    } else {
        c
    }
}

/// Whether a number behind this has a minus: one that joins nothing.
pub(crate) fn is_negative(before: &[char]) -> bool {
    match before {
        [.., last, '-' | '−'] => !last.is_alphanumeric() || !last.is_ascii(),
        ['-' | '−'] => true,
        _ => false,
    }
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
            ("three cats and a third dog", &["#3", "3"]),
            ("every Friday morning", &["am", "w5"]),
            ("每周三下午", &["pm", "w3"]),
            ("我养了两只猫", &["2"]),
            ("我养了一只猫，一起玩", &[]),
            ("二十五岁，第一名", &["#1", "25"]),
            ("二〇二五年", &["2025"]),
            ("三万两千元", &["32000"]),
            ("四川的五金店，十分好", &[]),
            ("半导体", &[]),
            ("I sat on a dec chair, mar it not", &[]),
            ("三点半", &["3", "half"]),
            ("10:00:00 or 09:00", &["10", "9"]),
            (
                "the 3rd of May, on May the 3rd, the 3rd floor",
                &["#3", "3", "5"],
            ),
            ("第2次, 第二次, 2次", &["#2", "2"]),
            ("两三个", &["2-3"]),
            ("二十三四岁", &["二十三四"]),
            ("一百零五元", &["105"]),
            (
                "05-10, 1/2, 1–2, 3:5, 0042, 1.10.0",
                &["0042", "05-10", "1-2", "1.10", "1/2", "3:5"],
            ),
            ("2025年05月11日，05月", &["11", "2025", "5"]),
            ("今晚, tonight", &["evening", "today"]),
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
            ("at night", "at midnight"),
            ("今早跑步", "早上跑步"),
            ("on Monday", "on Mondays"),
            ("we rent the second floor", "we rent two floors"),
            ("我们租二楼", "我们租两楼"),
            ("half past 3:05", "half past 3-05"),
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
