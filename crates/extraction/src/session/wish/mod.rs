//! What people say outright about their memory.
//!
//! What is to be remembered is all that is told, up to a question: which part of it is meant for good and which for now is nothing that its words
//! tell for certain. A message that says more than one thing is answered besides, as a whole, so that whatever is said is kept or answered.

mod opening;
mod sentence;
#[cfg(test)]
mod tests;

use opening::{Opening, opening, taken};
use sentence::{COMMAS, asks, bare, is_clause, sentence, unasked, words};

/// What a person says outright about their memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// This is to be remembered; empty means what was said before.
    Remember(String),
    /// This is to be forgotten; empty means what was said before.
    Forget(String),
}

/// Words that stand for what was said before.
const BEFORE: [&str; 35] = [
    "这个", "这件事", "这一点", "那个", "那件事", "这些", "我刚才说的话", "我刚才说的", "我刚刚说的话", "我刚刚说的",
    "我刚说的话", "我刚说的", "我说的话", "我说的", "刚才说的话", "刚才说的", "刚才的话", "刚才那句话", "刚才那句",
    "上一条消息", "上一条", "上一句话", "上一句", "what i just said", "what i said", "what i just told you",
    "what i told you", "what i just wrote", "my last message", "my last sentence", "the last message", "this", "that",
    "it", "它",
];

/// What is said behind a wish to be polite.
const POLITE: [&str; 15] = [
    "will you", "would you", "okay", "ok", "all right", "alright", "please", "thanks", "thank you", "好吗", "好不好",
    "行吗", "可以吗", "谢谢", "谢谢你",
];

/// The wish that a message begins with: "记住：我对花生过敏", "Can you remember that I'm vegan?", "forget that I live in Berlin". A message that
/// only mentions remembering is none. What is to be remembered ends where a question begins, what is to be forgotten with its first clause.
#[must_use]
pub fn wish(message: &str) -> Option<Wish> {
    heard(message).map(|(wish, _)| wish)
}

/// What is to be answered of a message that begins with a wish: the whole of one that tells more than a clause to remember ("remember that I'm vegan,
/// and tell me a joke"), and what stands behind what is to be forgotten. `None` where nothing is, or the message is no wish.
#[must_use]
pub fn besides(message: &str) -> Option<&str> {
    heard(message).and_then(|(_, rest)| rest)
}

/// A wish, and what is to be answered besides.
fn heard(message: &str) -> Option<(Wish, Option<&str>)> {
    let text = plain(message.trim());
    let forgets = |own: &str, rest| {
        let rest = words(rest);
        Some((Wish::Forget(meant(own)), (!rest.is_empty()).then_some(rest)))
    };
    if let Some((own, rest)) = taken(text) {
        return forgets(own, rest);
    }
    let opening = opening(text)?;
    if opening.forgets {
        let (own, rest) = clause(opening.told);
        let own = if opening.asks { unasked(own) } else { own };
        return if asks(own) { None } else { forgets(own.strip_suffix('吧').unwrap_or(own), rest) };
    }
    let kept = kept(opening)?;
    let single = unasked(bare(opening.told)) == kept
        && !kept.contains(COMMAS)
        && !kept.contains(" and ")
        && sentence(kept).1.is_empty();
    let what = meant(kept);
    Some((Wish::Remember(what), (!single).then_some(text)))
}

/// What is to be remembered of what is told: all of it up to the clause that asks something. `None` where that is the first one.
fn kept(opening: Opening<'_>) -> Option<&str> {
    let told = opening.told;
    let mut rest = told;
    while !rest.is_empty() {
        let (own, behind) = sentence(rest);
        // The question of "Can you remember that …?" is whether it will.
        if opening.asks {
            return Some(unasked(own));
        }
        if asks(own) {
            let cut = own.rfind(COMMAS).and_then(|at| own.get(..at));
            let first = cut.filter(|cut| is_clause(cut) || before(cut).is_some()).unwrap_or_default();
            let end = told.len() - rest.len() + first.len();
            return told.get(..end).map(bare).filter(|kept| !kept.is_empty());
        }
        rest = behind;
    }
    Some(bare(told))
}

/// The first clause of what is told, and what stands behind it.
fn clause(told: &str) -> (&str, &str) {
    let (own, rest) = sentence(told);
    let cut = own.find(COMMAS).and_then(|at| own.get(..at)).map(str::trim_end);
    match cut.filter(|cut| is_clause(cut) || before(cut).is_some()) {
        Some(cut) => (cut, told.get(cut.len()..).unwrap_or_default()),
        None => (bare(own), rest),
    }
}

/// What stands behind words that stand for what was said before, where a text begins with them as a clause of their own.
fn before(text: &str) -> Option<&str> {
    BEFORE.iter().filter(|word| starts_with(text, word)).find_map(|word| {
        let behind = text.get(word.len()..)?.trim_start_matches(['吧', '了', ' ']);
        (!behind.starts_with(char::is_alphanumeric)).then_some(behind)
    })
}

/// What a text means; nothing where that is what was said before. What follows a mark within the sentence is what is meant: 记住这个：下周三开会, but
/// not "remember this, and tell me a joke".
fn meant(text: &str) -> String {
    const GOES_ON: [&str; 6] = ["and", "then", "so", "然后", "再", "顺便"];
    let Some(behind) = before(text) else { return bare(text).to_owned() };
    let told = words(behind);
    let goes_on = GOES_ON.iter().any(|word| starts_with(told, word));
    match behind.starts_with([':', '：', ',', '，']) && !goes_on {
        true => bare(told).to_owned(),
        false => String::new(),
    }
}

/// Whether a text begins with some words in lower case, of which English ones end where they were found: "remember thistle" is no wish.
fn starts_with(text: &str, words: &str) -> bool {
    let mut chars = text.chars();
    let begins = words.chars().all(|c| {
        let next = chars.next().map(|next| if next == '’' { '\'' } else { next.to_ascii_lowercase() });
        next == Some(c)
    });
    begins && (!words.is_ascii() || !chars.next().is_some_and(|c| c.is_alphanumeric() || c == '\''))
}

/// A text without what is said at its end to be polite.
fn plain(text: &str) -> &str {
    let end = text.trim_end_matches(['?', '？', '!', '！', '。', '.', ' ', '～', '~']);
    let lower = end.to_ascii_lowercase();
    let polite = POLITE.iter().find_map(|word| {
        let before = lower.strip_suffix(word)?.trim_end();
        before.ends_with([',', '，', '。', '.', '!', '！']).then_some(before.len())
    });
    match polite.and_then(|at| text.get(..at)) {
        Some(before) => before.trim_end_matches([',', '，', ' ']),
        None => text,
    }
}
