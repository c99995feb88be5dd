//! Wishes that people say outright about their memory.
//!
//! A wish begins with an opening of a short table; the text behind it is kept as it was said. Any
//! other way to ask, and a message with a question in it, is for the model of the conversation.

mod going_on;
mod openings;
#[cfg(test)]
mod tests;

pub use going_on::goes_on;
use openings::{BEFORE, Language, OPENINGS, POLITE, Verb};

/// A wish that a person says outright about their memory.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wish {
    /// This is to be remembered; empty means what was said before.
    Remember(String),
    /// This is to be forgotten; empty means what was said before.
    Forget(String),
    /// All that is known is to be forgotten.
    ForgetAll,
}

/// Characters between an opening and its text, and around a text.
const MARKS: [char; 11] = [':', '：', ',', '，', '!', '！', '。', '.', '、', '\n', ' '];
/// Marks and words between clauses and sentences.
const PARTS: [&str; 10] = [",", "，", ";", "；", "\n", "。", "！", "! ", ". ", " and "];

/// The wish that a message begins with: "记住：我对花生过敏", "Remember that I'm vegan", "forget that I live
/// in Berlin". A message that asks something is none, and neither is one that tells more than what
/// is to be forgotten.
#[must_use]
pub fn wish(message: &str) -> Option<Wish> {
    let (verb, told) = heard(message)?;
    match verb {
        Verb::Nothing => None,
        Verb::ForgetAll => Some(Wish::ForgetAll),
        Verb::Remember => meant(told).map(|text| Wish::Remember(text.to_owned())),
        Verb::Forget if has_parts(told) => None,
        Verb::Forget => meant(told).map(|text| Wish::Forget(text.to_owned())),
    }
}

/// The part of a message that is to be answered besides its wish: the whole of one that tells more
/// than a clause to remember ("remember that I'm vegan, and tell me a joke"). `None` where nothing
/// is, or the message is no wish.
#[must_use]
pub fn besides(message: &str) -> Option<&str> {
    let (_, told) = heard(message)?;
    matches!(wish(message)?, Wish::Remember(_) if has_parts(told)).then_some(message.trim())
}

/// The verb that a message begins with, and the text behind it.
fn heard(message: &str) -> Option<(Verb, &str)> {
    let text = message.trim();
    let (verb, told) = if asks(text) {
        None
    } else {
        opening(polite(text))
    }?;
    Some((verb, ended(told)))
}

/// A message without polite words before its wish.
fn polite(text: &str) -> &str {
    let behind = |(language, word): &(Language, &str)| behind(text, *language, word);
    POLITE
        .iter()
        .find_map(behind)
        .map_or(text, |rest| polite(rest.trim_start_matches(MARKS)))
}

/// The verb of the longest opening of a text, and the text behind it.
fn opening(text: &str) -> Option<(Verb, &str)> {
    let found = OPENINGS.iter().filter_map(|(language, opening, verb)| {
        let (opening, whole) = opening
            .strip_suffix('$')
            .map_or((*opening, false), |opening| (opening, true));
        let (begin, anchor) = opening.split_once('|').unwrap_or((opening, ""));
        let rest = behind(text, *language, &[begin, anchor].concat())?;
        // A word that only begins a text says nothing by itself: "remember my".
        let says = rest.contains(char::is_alphanumeric);
        let stands = if whole {
            !says
        } else {
            anchor.is_empty() || says || is_before(anchor)
        };
        let told = text.get(
            text.len()
                .checked_sub(rest.len())?
                .checked_sub(anchor.len())?..,
        )?;
        stands.then_some((opening.len(), (*verb, told.trim_start_matches(MARKS))))
    });
    found
        .max_by_key(|(length, _)| *length)
        .map(|(_, found)| found)
}

/// The text behind some words in lower case that it begins with. English words end where
/// they were found: "remember thistle" is no wish.
fn behind<'a>(text: &'a str, language: Language, words: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    for wanted in words.chars() {
        let next = rest.next().map(|next| {
            if next == '’' {
                '\''
            } else {
                next.to_ascii_lowercase()
            }
        });
        if next != Some(wanted) {
            return None;
        }
    }
    let inside = language == Language::English && words.ends_with(char::is_alphanumeric);
    (!inside || !rest.as_str().starts_with(char::is_alphanumeric)).then_some(rest.as_str())
}

/// Whether a text stands for what was said before.
fn is_before(text: &str) -> bool {
    BEFORE
        .iter()
        .any(|(language, word)| behind(text, *language, word) == Some(""))
}

/// The meaning of a text; empty where that is what was said before. A text behind a colon is what
/// is meant: 记住这个：下周三开会. `None` where it is not clear: "remember this, and tell me a joke".
fn meant(told: &str) -> Option<&str> {
    if is_before(told) {
        return Some("");
    }
    let word = told.split(MARKS).next().filter(|word| is_before(word));
    let Some(rest) = word.and_then(|word| told.get(word.len()..)) else {
        return Some(told);
    };
    match rest.strip_prefix([':', '：']) {
        Some(text) => Some(text.trim()),
        // "Remember this city" begins with a word like that, and goes on.
        None => rest.starts_with(' ').then_some(told),
    }
}

/// A text without the mark at its end. The point of "5 p.m." stays.
fn ended(text: &str) -> &str {
    let text = text.trim().trim_end_matches(['。', '!', '！']);
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    text.strip_suffix('.')
        .filter(|_| last.matches('.').count() == 1)
        .unwrap_or(text)
}

/// Whether a text holds more than one clause.
fn has_parts(text: &str) -> bool {
    PARTS.iter().any(|part| text.contains(part))
}

/// Whether a message asks something. The question mark of an address asks nothing.
fn asks(text: &str) -> bool {
    let ends = |(at, _)| {
        text.get(at + 1..)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    text.contains('？')
        || text.match_indices('?').any(ends)
        || text.trim_end_matches(MARKS).ends_with('吗')
}
