//! What is not so any more: "I no longer work at Bosch", 我不住在北京了.

use annals_types::same_words;

use crate::denial::affirmed;

/// What says that something was so for now, or always, and not what was so.
const ADVERBS: [&str; 6] = ["now", "currently", "still", "also", "really", "just"];
const ADVERBS_HAN: [&str; 8] = ["现在", "一直", "目前", "已经", "早就", "每天", "平时", "都"];

/// What was so before, where a clause says that it no longer is: "I work at Bosch".
pub(super) fn ended(clause: &str) -> Option<String> {
    english(clause).or_else(|| chinese(clause))
}

/// Whether a text says no more and no less than that it was so.
pub(super) fn says(text: &str, before: &str) -> bool {
    same_words(&plain(text), &plain(before))
}

fn english(clause: &str) -> Option<String> {
    const ENDS: [&str; 3] = [" any more", " anymore", " any longer"];
    let straight = clause.replace('’', "'");
    let cut = ENDS.iter().find_map(|end| straight.strip_suffix(end));
    let told = cut.unwrap_or(&straight);
    let mine = ["I ", "I'm "].iter().any(|begin| told.starts_with(begin));
    let no_longer = told.split_once(" no longer ").is_some_and(|(me, _)| {
        ["I", "I'm", "I am"].contains(&me) || me.starts_with("My ") && [" is", " are"].iter().any(|be| me.ends_with(be))
    });
    let (before, _) = affirmed(told).filter(|_| mine && cut.is_some() || no_longer)?;
    (before != told).then_some(before)
}

fn chinese(clause: &str) -> Option<String> {
    let mut told = clause.strip_prefix('我')?;
    while let Some(rest) = ADVERBS_HAN.iter().find_map(|word| told.strip_prefix(word)) {
        told = rest;
    }
    let cut = told.strip_suffix('了').or_else(|| told.starts_with("不再").then_some(told))?;
    let (before, _) = affirmed(cut).filter(|_| cut.starts_with(['不', '没']))?;
    (before != cut).then(|| format!("我{before}"))
}

/// A text without adverbs.
fn plain(text: &str) -> String {
    if !text.is_ascii() {
        return ADVERBS_HAN.iter().fold(text.to_owned(), |text, word| text.replace(word, ""));
    }
    let words = text.split(' ').filter(|word| !ADVERBS.contains(&word.trim_end_matches(['.', '!'])));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_is_what_was_said_before() {
        for (clause, before) in [
            ("I do not live in Munich any more", Some("I live in Munich now")),
            ("I don’t work at Bosch anymore", Some("I work at Bosch")),
            ("I no longer work at Bosch", Some("I work at Bosch")),
            ("I'm no longer a vegetarian", Some("I'm a vegetarian")),
            ("My favourite colour is no longer red", Some("My favourite colour is red")),
            ("My keys are no longer there", Some("My keys are there")),
            ("Her favourite colour is no longer red", None),
            ("我不住在北京了", Some("我现在住在北京")),
            ("我已经不喝咖啡了", Some("我每天喝咖啡")),
            ("我不再住在北京", Some("我住在北京")),
            ("I do not live in Munich", None),
            ("She no longer works at Bosch", None),
            ("I will stay no longer than a week", None),
            ("我不吃辣", None),
            ("我住在北京了", None),
        ] {
            let found = ended(clause);
            assert_eq!(found.is_some(), before.is_some(), "{clause}: {found:?}");
            assert!(before.is_none_or(|before| says(before, &found.unwrap_or_default())), "{clause}");
        }
        assert!(!says("I live in Munich", "I lived in Munich") && !says("我喜欢喝咖啡", "我喝咖啡"));
    }
}
