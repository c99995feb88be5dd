//! Whether two texts that are alike say different things.

mod alike;
mod spelling;
mod words;

use std::collections::HashMap;

use self::alike::told;
pub use self::spelling::same_spelling;
use self::words::{Case, Word, words};
use crate::Figures;

/// Words that turn what is said into its contrary.
const NOES: [&str; 27] = [
    "not", "no", "never", "without", "neither", "nor", "none", "hardly", "hate", "hates", "hated", "dislike",
    "dislikes", "disliked", "stop", "stopped", "quit", "non", "anti", "不", "没", "別", "别", "无", "無", "未", "非",
];
/// In so many words texts are compared word by word, however few they share.
const FEW: usize = 2;
/// Verbs that are the same in the past, so that an ending tells a habit from what happened once.
const UNCHANGED: [&str; 16] = [
    "beat", "bet", "burst", "cast", "cost", "cut", "hit", "hurt", "let", "put", "quit", "read", "set", "shut", "split",
    "spread",
];

/// Whether two texts that are alike say different things all the same.
///
/// They do when they name different [`Figures`]. When they share more than half of their words, or all but two, they say the same only where they have
/// the [same words](same_words()) in the same order. What may differ is a short list: width, blanks, punctuation, case at the beginning of a sentence and
/// where one of them uses none, "don't", "dont" and "do not", British and American [spelling](same_spelling()), "really", "very" and 很, particles at the end of a clause, and "like" and "love" or 喜欢 and
/// 爱用 for things. Any other word that is added, left out, moved or has another in its place makes two of them: "blood type A+" and "A-", "from Berlin
/// to Paris" and "from Paris to Berlin", "my brother" and "my brothers", 我住在北京 and 我以前住在北京. When they share less, one that says no and one
/// that does not are two; otherwise they are left to whoever compares their meanings.
///
/// Embedders see next to nothing of a single word; whoever takes texts for one by their likeness asks here first, and errs by keeping two where
/// one would do.
///
/// ```
/// use annals_types::contrast;
///
/// assert!(contrast("My blood type is A", "My blood type is B"));
/// assert!(contrast("她喜欢香菜", "她不喜欢香菜"));
/// assert!(!contrast("Caroline loves hiking", "Caroline really loves hiking"));
/// ```
#[must_use]
pub fn contrast(one: &str, other: &str) -> bool {
    if Figures::of(one) != Figures::of(other) {
        return true;
    }
    let (one, other) = (Told::of(one), Told::of(other));
    let (shared, longest) = (shared(&one.words, &other.words), one.words.len().max(other.words.len()));
    if shared.saturating_mul(2) > longest || longest - shared <= FEW {
        !one.is(&other)
    } else {
        denies(&one.words) != denies(&other.words)
    }
}

/// Whether two texts are one but for what [`contrast`] says may differ: a full stop, small letters, a missing apostrophe make no second memory.
///
/// ```
/// use annals_types::same_words;
///
/// assert!(same_words("I'm vegan", "im vegan!!"));
/// assert!(!same_words("I like turkey and Greece", "I like Turkey and Greece"));
/// ```
#[must_use]
pub fn same_words(one: &str, other: &str) -> bool {
    let told = || {
        let (one, other) = (Told::of(one), Told::of(other));
        !one.words.is_empty() && one.is(&other)
    };
    one == other || Figures::of(one) == Figures::of(other) && told()
}

/// How many of the words of the longer text both have, 0 to 1; Chinese ones are counted by character.
///
/// ```
/// use annals_types::likeness;
///
/// assert_eq!(likeness("Ada lives in Bonn", "Ada moved to Rome"), 0.25);
/// assert_eq!(likeness("用户喜欢茶", "用户喜欢红茶"), 5.0 / 6.0);
/// ```
#[must_use]
pub fn likeness(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    number(shared(&one, &other)) / number(one.len().max(other.len()).max(1))
}

/// What a text tells.
struct Told {
    words: Vec<Word>,
    /// Whether it tells by capitals: who types in small letters alone, or in capitals alone, tells nothing by them.
    capitals: bool,
}

impl Told {
    fn of(text: &str) -> Self {
        let words = words(text);
        let capitals = words.iter().any(|word| word.case == Case::Name) && text.contains(char::is_lowercase);
        Self { words: told(words), capitals }
    }

    /// Whether the other has the same words in the same order.
    fn is(&self, other: &Self) -> bool {
        let capitals = self.capitals && other.capitals;
        let before = std::iter::once(None).chain(self.words.iter().map(Some));
        let mut pairs = before.zip(self.words.iter().zip(&other.words));
        self.words.len() == other.words.len() && pairs.all(|(before, (a, b))| same(before, a, b, capitals))
    }
}

/// How many words stand in both.
fn shared(one: &[Word], other: &[Word]) -> usize {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in one {
        *left.entry(&word.text).or_default() += 1;
    }
    let taken = |word: &&Word| {
        left.get_mut(word.text.as_str())
            .filter(|count| **count > 0)
            .map(|count| *count = count.saturating_sub(1))
            .is_some()
    };
    other.iter().filter(taken).count()
}

/// Whether two words in one place are one, the word before them given, and whether `capitals` tell something. The first word of a sentence has one
/// whatever it is.
fn same(before: Option<&Word>, one: &Word, other: &Word, capitals: bool) -> bool {
    if one.text == other.text {
        return !capitals || one.case == other.case || one.case == Case::First || other.case == Case::First;
    }
    let common = one.case == Case::Common && other.case == Case::Common;
    let person = before.is_some_and(|word| ["he", "she", "it"].contains(&word.text.as_str()));
    let verb = || is_third_person(&one.text, &other.text) || is_third_person(&other.text, &one.text);
    common && (person && verb() || same_spelling(&one.text, &other.text))
}

/// Whether a verb is what he or she does of another: runs, watches, studies.
fn is_third_person(one: &str, verb: &str) -> bool {
    let hisses = |stem: &str| ["x", "z", "ch", "sh", "ss", "o"].iter().any(|ending| stem.ends_with(ending));
    verb.len() >= 2
        && verb.is_ascii()
        && !UNCHANGED.contains(&verb)
        && (one.strip_suffix('s') == Some(verb)
            || one.strip_suffix("es") == Some(verb) && hisses(verb)
            || one.strip_suffix("ies").is_some_and(|stem| verb.strip_suffix('y') == Some(stem)))
}

/// Whether there is a no in it.
fn denies(words: &[Word]) -> bool {
    words.iter().any(|word| NOES.contains(&word.text.as_str()))
}

#[cfg(test)]
mod pairs;
#[cfg(test)]
mod tests;
