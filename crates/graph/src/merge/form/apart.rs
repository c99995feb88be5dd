//! What makes two of names that are alike.

use super::office::offices_apart;
use super::parts::{Hyphens, parts, without_signs};
use super::plural::{is_odd_of, singular};
use super::{Forms, Plurals, is_proper, without_articles, words};
use crate::name::normalise;

/// What says nothing of what a name means.
const FILLERS: [&str; 14] = ["the", "a", "an", "of", "my", "我的", "我", "对", "的", "们", "市", "省", "区", "县"];

impl Forms {
    /// Whether two names are more than one name written differently.
    pub(in crate::merge) fn differ(&self, one: &str, other: &str) -> bool {
        self.of(one) != self.of(other)
    }

    /// Whether two names are two for what they say or how they are written, however alike they are: one denies the other, or a sign, an ending, a
    /// capital or a sort of place tells them apart.
    pub(in crate::merge) fn contrary(&self, one: &str, other: &str) -> bool {
        if offices_apart(one, other) {
            return true;
        }
        if !self.differ(one, other) {
            return self.capitals_apart(one, other);
        }
        let added = |forms: &Self| {
            let between = forms.between(one, other, Hyphens::Join);
            matches!(between, Some(Between::Added(more)) if more.iter().all(|unit| is_chinese(unit)))
        };
        // As they stand, too: with 妻子 in the place of 太太 nothing is seen of what 老太太 has more.
        let signs = letters_apart(one, other) || marks_apart(one, other);
        noes(one) != noes(other) || signs || added(self) || added(&Self::default())
    }

    /// Whether two names of one form are so only because capitals were passed over: Windows is no window, Williams not William, The Who not who.
    fn capitals_apart(&self, one: &str, other: &str) -> bool {
        if normalise(one) == normalise(other) {
            return false;
        }
        let (one_parts, other_parts) = (parts(one, Hyphens::Join), parts(other, Hyphens::Join));
        let (one_bare, other_bare) = (without_articles(&one_parts), without_articles(&other_parts));
        if is_title(&one_parts, &other_parts) || is_title(&other_parts, &one_parts) {
            return true;
        }
        if one_bare.len() != other_bare.len() {
            let form = |name: &str| self.joined(words(name, Hyphens::Join, Plurals::OfCommonWords));
            return form(one) != form(other) || run_together(one_bare, other_bare);
        }
        one_bare.iter().zip(other_bare).any(|(a, b)| {
            let (proper, a, b) = (is_proper(a) || is_proper(b), a.to_lowercase(), b.to_lowercase());
            proper && a != b && singular(&a) == singular(&b)
        })
    }

    /// Whether one of two names has all that the other one has and more, or something else in one place, which is no other word for it: black tea and
    /// green tea, shoes and running shoes, 红茶 and 绿茶, 公司 and 新公司. Of Chinese names it is the signs that are compared, of others the words.
    pub(in crate::merge) fn words_apart(&self, one: &str, other: &str) -> bool {
        let apart = |hyphens| self.between(one, other, hyphens).is_some();
        self.differ(one, other) && (apart(Hyphens::Join) || apart(Hyphens::Part))
    }

    /// What tells two names of different forms apart that have the rest in common.
    fn between(&self, one: &str, other: &str, hyphens: Hyphens) -> Option<Between> {
        let [one, other] = [one, other].map(|name| self.units(name, hyphens));
        let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
        if let Some(more) = added(short, long) {
            return (!more.is_empty() && !is_filler(&more.concat())).then_some(Between::Added(more));
        }
        // 哥哥 and 弟弟 are one sign twice.
        if let ([a, b], [c, d]) = (short.as_slice(), long.as_slice())
            && (a, c) == (b, d)
        {
            return is_chinese(a).then_some(Between::Replaced);
        }
        let alike = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
        let [short, long] = [short, long].map(|units| units.get(..units.len() - alike).unwrap_or_default());
        let before = short.iter().zip(long).take_while(|(a, b)| a == b).count();
        let [a, b] = [short, long].map(|units| units.get(before..).unwrap_or_default());
        let replaced = alike + before > 0 && is_word(a) && is_word(b) && !self.same_word(&a.concat(), &b.concat());
        replaced.then_some(Between::Replaced)
    }

    /// The words of a name, the Chinese ones as their signs, without those that say nothing.
    fn units(&self, name: &str, hyphens: Hyphens) -> Vec<String> {
        let mut words = self.synonyms.replaced(words(name, hyphens, Plurals::Dropped));
        words.retain(|word| !is_filler(word));
        words.iter().flat_map(|word| signs(word)).collect()
    }

    fn same_word(&self, one: &str, other: &str) -> bool {
        let replaced = |word: &str| self.synonyms.replaced(vec![word.to_owned()]);
        one == other || replaced(one) == replaced(other)
    }
}

/// What stands between two names that have the rest in common.
enum Between {
    /// More, in one of them.
    Added(Vec<String>),
    /// Other words in one place.
    Replaced,
}

fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word)
}

/// A word, or the signs of a Chinese one and what stands between them.
fn signs(word: &str) -> Vec<String> {
    let mut signs: Vec<String> = Vec::new();
    let mut joins = false;
    for c in word.chars() {
        match signs.last_mut().filter(|_| joins && !is_han(c)) {
            Some(sign) => sign.push(c),
            None => signs.push(c.into()),
        }
        joins = !is_han(c);
    }
    signs
}

/// What a list has besides all of a shorter one in its order.
fn added(short: &[String], long: &[String]) -> Option<Vec<String>> {
    let mut rest = short;
    let mut more = Vec::new();
    for unit in long {
        match rest.split_first().filter(|(first, _)| *first == unit) {
            Some((_, behind)) => rest = behind,
            None => more.push(unit.clone()),
        }
    }
    (!short.is_empty() && rest.is_empty()).then_some(more)
}

/// Whether units are one word: any number of Chinese signs, or one of others.
fn is_word(units: &[String]) -> bool {
    units.len() == 1 || !units.is_empty() && units.iter().all(|unit| is_chinese(unit))
}

fn is_chinese(unit: &str) -> bool {
    unit.chars().all(is_han)
}

/// Whether two names of capitals are one another's letters and not their words: Li Na and Lina, but not New York and NewYork.
fn run_together(one: &[String], other: &[String]) -> bool {
    let proper = |words: &[String]| words.iter().all(|word| is_proper(word) && word.chars().all(char::is_alphabetic));
    let (ours, theirs) = (one.concat(), other.concat());
    proper(one) && proper(other) && ours != theirs && ours.to_lowercase() == theirs.to_lowercase()
}

/// Whether a name is a title, The Office, of which another one is the plain word, without an article of its own.
fn is_title(title: &[String], plain: &[String]) -> bool {
    let capital = matches!(title, [article, word, ..] if article == "The" && is_proper(word));
    let without_article = without_articles(plain).len() == plain.len();
    capital && without_article && plain.first().is_some_and(|word| !is_proper(word))
}

/// Whether two names end with different letters that stand alone: blood type A and B, vitamin C and vitamins.
fn letters_apart(one: &str, other: &str) -> bool {
    let letter = |name: &str| {
        let name = normalise(name);
        let last = name.split_whitespace().next_back().unwrap_or_default();
        let mut signs = last.chars();
        signs.next().filter(|sign| signs.next().is_none() && !is_han(*sign) && last.len() < name.len())
    };
    letter(one) != letter(other)
}

/// Whether a word of one name stands in the other one with another sign, or is no plural of it although it ends so: C++ and C, A* and A, glasses and
/// glass.
fn marks_apart(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|name| words(name, Hyphens::Join, Plurals::Dropped));
    let [ours, theirs] = [one.concat(), other.concat()];
    if without_signs(&ours) == without_signs(&theirs) {
        return true;
    }
    let apart = |a: &str, b: &str| without_signs(a) == without_signs(b) || is_odd_of(a, b) || is_odd_of(b, a);
    let (ours, theirs) =
        (one.iter().filter(|word| !other.contains(word)), other.iter().filter(|word| !one.contains(word)));
    ours.into_iter().any(|a| theirs.clone().any(|b| apart(a, b)))
}

pub(super) const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}')
}

/// How often a name says no, or what comes to it: sugar and no sugar, a wife and an ex-wife, 糖 and 无糖.
fn noes(name: &str) -> usize {
    const WORDS: [&str; 7] = ["no", "not", "non", "anti", "never", "without", "un"];
    /// What makes something else of the words behind it.
    const BEFORE: [&str; 6] = ["ex", "former", "vice", "fake", "pseudo", "half"];
    const SIGNS: [char; 4] = ['不', '没', '无', '非'];
    const OTHERWISE: [&str; 14] = [
        "无线", "无锡", "无人机", "无花果", "无论", "非洲", "非常", "非凡", "不锈", "不丹", "不列颠", "不动产", "不错",
        "不过",
    ];
    let lower = normalise(name);
    let bare = OTHERWISE.iter().fold(lower.clone(), |text, word| text.replace(word, ""));
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let free = usize::from(words.len() > 1 && words.last() == Some(&"free"));
    let told = words.iter().filter(|word| WORDS.contains(word)).count();
    let before = words.iter().rev().skip(1).filter(|word| BEFORE.contains(word)).count();
    free + told + before + bare.chars().filter(|c| SIGNS.contains(c)).count()
}
