//! Whether two texts that are alike say different things.

mod spelling;
mod words;

use std::collections::HashMap;

pub use self::spelling::same_spelling;
use self::words::{Word, words};
use crate::Figures;

/// Words that turn what is said into its contrary.
const NOES: [&str; 27] = [
    "not", "no", "never", "without", "neither", "nor", "none", "hardly", "hate", "hates", "hated", "dislike",
    "dislikes", "disliked", "stop", "stopped", "quit", "non", "anti", "不", "没", "別", "别", "无", "無", "未", "非",
];

/// Whether two texts that are alike say different things all the same.
///
/// They do when they name different [`Figures`]. When they share more than half of their words, or all but one, they say the same only where they have the same words in the
/// same order, apart from those that say nothing ("really", 很, articles), from plurals, spellings and a few words that are alike ("like" and
/// "love", 喜欢 and 爱): any other word that is added, left out, moved or has another in its place makes two of them. "Blood type A+" and "A-",
/// "from Berlin to Paris" and "from Paris to Berlin", 我住在北京 and 我以前住在北京. When they share less, one that says no and one that does not
/// are two; otherwise they are left to whoever compares their meanings.
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
    let (one, other) = (words(one), words(other));
    let (shared, longest) = (shared(&one, &other), one.len().max(other.len()));
    if shared.saturating_mul(2) > longest || longest - shared <= 1 {
        one.len() != other.len() || one.iter().zip(&other).any(|(one, other)| !same(one, other))
    } else {
        denies(&one) != denies(&other)
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

/// Whether two words are one: in another number, or another spelling; names as they are.
fn same(one: &Word, other: &Word) -> bool {
    one.text == other.text
        || !(one.name || other.name)
            && (is_plural(&one.text, &other.text)
                || is_plural(&other.text, &one.text)
                || same_spelling(&one.text, &other.text))
}

/// Whether a word is the plural of another, or what a third person does: cats, boxes, ladies, runs.
fn is_plural(plural: &str, word: &str) -> bool {
    let hisses = |stem: &str| ["x", "z", "ch", "sh", "o"].iter().any(|ending| stem.ends_with(ending));
    word.len() >= 3
        && word.is_ascii()
        && word.contains(['a', 'e', 'i', 'o', 'u', 'y'])
        && (plural.strip_suffix('s') == Some(word)
            || plural.strip_suffix("es") == Some(word) && hisses(word)
            || plural.strip_suffix("ies").is_some_and(|stem| word.strip_suffix('y') == Some(stem)))
}

/// Whether there is a no in it.
fn denies(words: &[Word]) -> bool {
    words.iter().any(|word| NOES.contains(&word.text.as_str()))
}

#[cfg(test)]
mod tests;
