//! Whether a text speaks of when something was.
//!
//! An index of words stores the answer with each text: a change of these lists makes stored lists
//! of words outdated.

use crate::figures::{MONTHS, WEEKDAYS};

/// Words with which a text speaks of when something was, beside months and days of the week.
const WORDS: [&str; 27] = [
    "ago",
    "autumn",
    "days",
    "evening",
    "fall",
    "last",
    "month",
    "months",
    "morning",
    "next",
    "recently",
    "since",
    "spring",
    "summer",
    "today",
    "tomorrow",
    "tonight",
    "week",
    "weekend",
    "weeks",
    "winter",
    "year",
    "years",
    "yesterday",
    "noon",
    "night",
    "fortnight",
];
/// The same in Chinese; a single 月 covers every month.
const PHRASES: [&str; 24] = [
    "昨天",
    "今天",
    "明天",
    "前天",
    "后天",
    "上周",
    "下周",
    "周末",
    "上个月",
    "下个月",
    "月",
    "年前",
    "天前",
    "最近",
    "去年",
    "今年",
    "明年",
    "小时",
    "分钟",
    "星期",
    "昨晚",
    "今晚",
    "早上",
    "号",
];

/// Whether a text holds an expression of time, in English or Chinese.
#[must_use]
pub fn mentions_time(text: &str) -> bool {
    if PHRASES.iter().any(|phrase| text.contains(phrase)) {
        return true;
    }
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| is_year(word) || is_time_word(word))
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.bytes().all(|b| b.is_ascii_digit())
}

fn is_time_word(word: &str) -> bool {
    const LONGEST: usize = 9;
    let mut folded = [0_u8; LONGEST];
    let Some(slot) = folded.get_mut(..word.len()) else {
        return false;
    };
    slot.copy_from_slice(word.as_bytes());
    slot.make_ascii_lowercase();
    // "May" is a verb as often.
    let mut names = MONTHS
        .iter()
        .chain(&WEEKDAYS)
        .filter(|name| **name != "may");
    WORDS.iter().any(|known| known.as_bytes() == slot) || names.any(|name| name.as_bytes() == slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_speak_of_time() {
        for text in [
            "We met last Friday.",
            "in 2019",
            "上周我去了",
            "Two YEARS later",
            "5月2号",
            "in March",
            "on SUNDAY",
        ] {
            assert!(mentions_time(text), "{text}");
        }
        for text in [
            "I like cats",
            "I may go",
            "lasting",
            "order 20191",
            "我喜欢猫",
            "",
        ] {
            assert!(!mentions_time(text), "{text}");
        }
    }
}
