//! Whether a text speaks of when something was: a mark that questions for a time look for.

/// Words with which a text speaks of when something was.
const WORDS: [&str; 45] = [
    "ago",
    "april",
    "august",
    "autumn",
    "days",
    "december",
    "evening",
    "fall",
    "february",
    "friday",
    "january",
    "july",
    "june",
    "last",
    "march",
    "monday",
    "month",
    "months",
    "morning",
    "next",
    "november",
    "october",
    "recently",
    "saturday",
    "september",
    "since",
    "spring",
    "summer",
    "sunday",
    "thursday",
    "today",
    "tomorrow",
    "tonight",
    "tuesday",
    "wednesday",
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
pub(super) fn mentions_time(text: &str) -> bool {
    if PHRASES.iter().any(|phrase| text.contains(phrase)) {
        return true;
    }
    text.split(|c: char| !c.is_alphanumeric()).any(|word| is_year(word) || is_time_word(word))
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && word.bytes().all(|b| b.is_ascii_digit())
}

fn is_time_word(word: &str) -> bool {
    const LONGEST: usize = 9;
    let mut folded = [0_u8; LONGEST];
    let Some(slot) = folded.get_mut(..word.len()) else { return false };
    slot.copy_from_slice(word.as_bytes());
    slot.make_ascii_lowercase();
    WORDS.iter().any(|known| known.as_bytes() == slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_speak_of_time() {
        for text in ["We met last Friday.", "in 2019", "上周我去了", "Two YEARS later", "5月2号"] {
            assert!(mentions_time(text), "{text}");
        }
        for text in ["I like cats", "lasting", "order 20191", "我喜欢猫", ""] {
            assert!(!mentions_time(text), "{text}");
        }
    }
}
