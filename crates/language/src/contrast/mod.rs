//! Whether two texts that are alike say different things.

mod words;

use std::collections::HashMap;

use self::words::{Case, Word, words};
use crate::Figures;

/// Words that turn what is said into its contrary.
const NOES: [&str; 27] = [
    "not", "no", "never", "without", "neither", "nor", "none", "hardly", "hate", "hates", "hated",
    "dislike", "dislikes", "disliked", "stop", "stopped", "quit", "non", "anti", "不", "没", "別",
    "别", "无", "無", "未", "非",
];
/// In so many words texts are compared word by word, however few they share.
const FEW: usize = 2;

/// Whether two texts that are alike say different things all the same.
///
/// They do when they name different [`Figures`]. When they share more than two thirds of their
/// words, or all but two, they say the same only where they have the [same words](same_words()) in
/// the same order: any word or sign that is added, left out, moved or replaced makes two of them:
/// "blood type A+" and "A-", "from Berlin to Paris" and "from Paris to Berlin", "No, pets are
/// allowed" and "No pets are allowed", 我住在北京 and 我以前住在北京. When they share less, one that
/// says no and one that does not are two; otherwise only their meanings can tell.
///
/// Embedders see next to nothing of a single word. Callers that take texts for one by their
/// likeness ask here first, and err by keeping two where one would do.
///
/// ```
/// use annals_language::contrast;
///
/// assert!(contrast("My blood type is A", "My blood type is B"));
/// assert!(contrast("她喜欢香菜", "她不喜欢香菜"));
/// assert!(!contrast("I hike in the hills most weekends", "My free days go to long walks"));
/// ```
#[must_use]
pub fn contrast(one: &str, other: &str) -> bool {
    if Figures::of(one) != Figures::of(other) {
        return true;
    }
    let (one, other) = (Wording::of(one), Wording::of(other));
    let (shared, longest) = (
        shared(&one.words, &other.words),
        one.words.len().max(other.words.len()),
    );
    if shared.saturating_mul(3) > longest.saturating_mul(2) || longest - shared <= FEW {
        !one.is(&other)
    } else {
        denies(&one.words) != denies(&other.words)
    }
}

/// Whether two texts are one but for how they are typed: width, blanks, the form of an apostrophe,
/// full stops and exclamation marks at the end, how a number is written, and case at the beginning
/// of a sentence and where one of them uses none.
///
/// ```
/// use annals_language::same_words;
///
/// assert!(same_words("I'm vegan", "i’m vegan!!"));
/// assert!(!same_words("No, pets are allowed", "No pets are allowed"));
/// assert!(!same_words("I like turkey and Greece", "I like Turkey and Greece"));
/// ```
#[must_use]
pub fn same_words(one: &str, other: &str) -> bool {
    let told = || {
        let (one, other) = (Wording::of(one), Wording::of(other));
        !one.words.is_empty() && one.is(&other)
    };
    one == other || Figures::of(one) == Figures::of(other) && told()
}

/// A number that texts have in common where they have the [same words](same_words()), and hardly
/// any others: for finding those that are to be compared.
///
/// ```
/// use annals_language::words_hash;
///
/// assert_eq!(words_hash("I'm vegan"), words_hash("i’m  vegan!!"));
/// assert_ne!(words_hash("I'm vegan"), words_hash("I'm not vegan"));
/// ```
#[must_use]
pub fn words_hash(text: &str) -> u64 {
    let words = words(text);
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    // Signs alone are compared as they are.
    if words.is_empty() {
        hash.update(text.as_bytes());
    }
    for word in &words {
        hash.update(word.text.as_bytes());
        hash.update(b"\0");
    }
    hash.digest()
}

/// How many of the words of the longer text both have, 0 to 1; Chinese ones are counted by
/// character.
///
/// ```
/// use annals_language::likeness;
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

/// A text as it is compared.
struct Wording {
    words: Vec<Word>,
    /// Whether capitals tell anything: in a text of small letters alone, or of capitals alone, they
    /// do not.
    capitals: bool,
}

impl Wording {
    fn of(text: &str) -> Self {
        let words = words(text);
        let capitals =
            words.iter().any(|word| word.case == Case::Name) && text.contains(char::is_lowercase);
        Self { words, capitals }
    }

    /// Whether the other has the same words in the same order.
    fn is(&self, other: &Self) -> bool {
        let capitals = self.capitals && other.capitals;
        let mut pairs = self.words.iter().zip(&other.words);
        self.words.len() == other.words.len()
            && pairs.all(|(one, other)| same(one, other, capitals))
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

/// Whether two words in one place are one; `capitals` says whether capitals tell anything in both
/// texts. The first word of a sentence has one whatever it is.
fn same(one: &Word, other: &Word, capitals: bool) -> bool {
    let case = one.case == other.case || one.case == Case::First || other.case == Case::First;
    one.text == other.text && (case || !capitals)
}

/// Whether there is a no in it.
fn denies(words: &[Word]) -> bool {
    words.iter().any(|word| NOES.contains(&word.text.as_str()))
}

#[cfg(test)]
mod pairs;
#[cfg(test)]
mod tests;
