//! What makes two of names that are alike.

use annals_types::same_spelling;

use super::parts::{Hyphens, parts, without_signs};
use super::plural::{is_odd_of, singular};
use super::{Forms, Plurals, is_proper, without_articles, words};
use crate::name::normalise;

/// Words that say nothing of what a name means.
const FILLERS: [&str; 7] = ["the", "a", "an", "of", "my", "我的", "我"];

impl Forms {
    /// Whether two names are more than one name written differently.
    pub(in crate::merge) fn differ(&self, one: &str, other: &str) -> bool {
        self.of(one) != self.of(other)
    }

    /// Whether two names are two for what they say or how they are written, however alike they are: one denies the other, or a sign, an ending or a
    /// capital tells them apart.
    pub(in crate::merge) fn contrary(&self, one: &str, other: &str) -> bool {
        if !self.differ(one, other) {
            return self.capitals_apart(one, other);
        }
        noes(one) != noes(other) || prefixed(one, other) || prefixed(other, one) || marks_apart(one, other)
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
            return form(one) != form(other);
        }
        one_bare.iter().zip(other_bare).any(|(a, b)| {
            let (proper, a, b) = (is_proper(a) || is_proper(b), a.to_lowercase(), b.to_lowercase());
            proper && a != b && singular(&a) == singular(&b)
        })
    }

    /// Whether two names have all but one of their words in common, in the same places, and that one is no other spelling; or one has all words of the
    /// other and more: black tea and green tea, shoes and running shoes. Chinese names begin with what sets them apart: 红茶 and 绿茶, 数学考试 and
    /// 英语考试.
    pub(in crate::merge) fn words_apart(&self, one: &str, other: &str) -> bool {
        self.differ(one, other)
            && [Hyphens::Join, Hyphens::Part].into_iter().any(|hyphens| {
                let words = |name| {
                    let mut words = self.synonyms.replaced(words(name, hyphens, Plurals::Dropped));
                    words.retain(|word| !FILLERS.contains(&word.as_str()));
                    words
                };
                let (one, other) = (words(one), words(other));
                match (one.as_slice(), other.as_slice()) {
                    ([one], [other]) => first_sign_apart(one, other),
                    (one, other) if one.len() == other.len() => one_replaced(one, other),
                    (one, other) if one.len() < other.len() => one_narrower(one, other),
                    (one, other) => one_narrower(other, one),
                }
            })
    }
}

/// Whether a name is a title, The Office, of which another one is the plain word, without an article of its own.
fn is_title(title: &[String], plain: &[String]) -> bool {
    let capital = matches!(title, [article, word, ..] if article == "The" && is_proper(word));
    let without_article = without_articles(plain).len() == plain.len();
    capital && without_article && plain.first().is_some_and(|word| !is_proper(word))
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

/// Whether one list has another word in one place, which is no other spelling.
fn one_replaced(one: &[String], other: &[String]) -> bool {
    let mut apart = one.iter().zip(other).filter(|(a, b)| a != b);
    let first = apart.next();
    apart.next().is_none() && first.is_some_and(|(a, b)| !same_spelling(a, b))
}

/// Whether a list has all words of a shorter one in their order, and all that it has besides are not Chinese.
fn one_narrower(short: &[String], long: &[String]) -> bool {
    let mut rest = short;
    let mut more = Vec::new();
    for word in long {
        match rest.split_first().filter(|(first, _)| *first == word) {
            Some((_, behind)) => rest = behind,
            None => more.push(word),
        }
    }
    !short.is_empty() && rest.is_empty() && more.iter().all(|word| !word.chars().any(is_han))
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}')
}

/// Whether two Chinese names of one length differ in nothing but the sign or the word of two signs that they begin with.
fn first_sign_apart(one: &str, other: &str) -> bool {
    let (mut one, mut other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let han = |name: &[char]| name.iter().all(|c| is_han(*c));
    if one.len() != other.len() || one.len() < 2 || !han(&one) || !han(&other) {
        return false;
    }
    // 哥哥 and 弟弟 are one sign twice.
    if let ([a, b], [c, d]) = (one.as_slice(), other.as_slice())
        && (a, c) == (b, d)
    {
        return a != c;
    }
    let alike = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    one.truncate(one.len() - alike);
    other.truncate(other.len() - alike);
    match one.len() {
        1 => alike >= 1,
        2 => alike >= 2 && one.first() != other.first(),
        _ => false,
    }
}

/// Whether a Chinese name is another one behind a sign that makes something else of it: 前女友, 好胆固醇, 副经理.
fn prefixed(one: &str, other: &str) -> bool {
    const SIGNS: [char; 14] = ['前', '副', '好', '坏', '男', '女', '假', '伪', '反', '准', '继', '代', '素', '亚'];
    let (one, other) = (normalise(one), normalise(other));
    other.chars().count() >= 2
        && one.strip_suffix(&other).is_some_and(|before| {
            let mut signs = before.chars();
            signs.next().is_some_and(|sign| SIGNS.contains(&sign)) && signs.next().is_none()
        })
}

/// How often a name says no, or what comes to it: sugar and no sugar, a wife and an ex-wife, 糖 and 无糖.
fn noes(name: &str) -> usize {
    const WORDS: [&str; 7] = ["no", "not", "non", "anti", "never", "without", "un"];
    /// What makes something else of the words behind it.
    const BEFORE: [&str; 6] = ["ex", "former", "vice", "fake", "pseudo", "half"];
    const SIGNS: [char; 4] = ['不', '没', '无', '非'];
    const OTHERWISE: [&str; 14] = [
        "无线",
        "无锡",
        "无人机",
        "无花果",
        "无论",
        "非洲",
        "非常",
        "非凡",
        "不锈",
        "不丹",
        "不列颠",
        "不动产",
        "不错",
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
