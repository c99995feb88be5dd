//! Differences that make two of names that are alike.

use super::parts::{Hyphens, without_signs, words};
use super::synonyms::Synonyms;
use super::{Forms, lower};
use crate::names::normalise;

impl Forms {
    /// Whether two names are more than one name written differently.
    #[must_use]
    pub fn differ(&self, one: &str, other: &str) -> bool {
        self.of(one) != self.of(other)
    }

    /// Whether two names are two by how they are written, however alike they are: a sign, a letter,
    /// a no or a capital tells them apart.
    #[must_use]
    pub fn contrary(&self, one: &str, other: &str) -> bool {
        if !self.differ(one, other) {
            return normalise(one) != normalise(other) && run_together(one, other);
        }
        let added = |synonyms: &Synonyms| {
            let between = self.between((one, other), Hyphens::Join, synonyms);
            matches!(between, Some(Between::Added(more)) if more.iter().all(|unit| is_chinese(unit)))
        };
        // As they stand, too: with 妻子 in the place of 太太 nothing is seen of what 老太太 has more.
        let signs = letters_apart(one, other) || marks_apart(one, other);
        signs || noes(one) != noes(other) || added(&self.synonyms) || added(&Synonyms::default())
    }

    /// Whether one of two names has all that the other one has and more, or something else in one
    /// place, which is no other word for it: black tea and green tea, shoes and running shoes, 红茶
    /// and 绿茶, 公司 and 新公司. Of Chinese names it is the signs that are compared, of others the words.
    #[must_use]
    pub fn words_apart(&self, one: &str, other: &str) -> bool {
        let apart = |hyphens| {
            self.between((one, other), hyphens, &self.synonyms)
                .is_some()
        };
        self.differ(one, other) && (apart(Hyphens::Join) || apart(Hyphens::Part))
    }

    /// The difference between two names of different forms that have the rest in common.
    fn between(
        &self,
        (one, other): (&str, &str),
        hyphens: Hyphens,
        synonyms: &Synonyms,
    ) -> Option<Between> {
        let [one, other] = [one, other].map(|name| self.units(name, hyphens, synonyms));
        let (short, long) = if one.len() <= other.len() {
            (&one, &other)
        } else {
            (&other, &one)
        };
        if let Some(more) = added(short, long) {
            let filler =
                more.iter().all(|unit| is_chinese(unit)) && self.fillers.holds(&more.concat());
            return (!more.is_empty() && !filler).then_some(Between::Added(more));
        }
        // 哥哥 and 弟弟 are one sign twice.
        if let ([a, b], [c, d]) = (short.as_slice(), long.as_slice())
            && (a, c) == (b, d)
        {
            return is_chinese(a).then_some(Between::Replaced);
        }
        let alike = short
            .iter()
            .rev()
            .zip(long.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let [short, long] =
            [short, long].map(|units| units.get(..units.len() - alike).unwrap_or_default());
        let before = short.iter().zip(long).take_while(|(a, b)| a == b).count();
        let [a, b] = [short, long].map(|units| units.get(before..).unwrap_or_default());
        let replaced = alike + before > 0
            && is_word(a)
            && is_word(b)
            && !synonyms.is_one(&a.concat(), &b.concat());
        replaced.then_some(Between::Replaced)
    }

    /// The words of a name, the Chinese ones as their signs, without fillers.
    fn units(&self, name: &str, hyphens: Hyphens, synonyms: &Synonyms) -> Vec<String> {
        let mut words = words(name, hyphens);
        words.retain(|word| !self.fillers.holds(word));
        synonyms
            .replaced(lower(&words))
            .iter()
            .flat_map(|word| signs(word))
            .collect()
    }
}

/// A difference between two names that have the rest in common.
enum Between {
    /// More, in one of them.
    Added(Vec<String>),
    /// Other words in one place.
    Replaced,
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

/// The units that a list has besides all of a shorter one in its order.
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

/// Whether two names of capitals are one another's letters and not their words: Li Na and Lina, but
/// not New York and NewYork.
fn run_together(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|name| words(name, Hyphens::Join));
    let is_proper = |word: &String| {
        word.chars().any(char::is_uppercase) && word.chars().all(char::is_alphabetic)
    };
    one.iter().chain(&other).all(is_proper) && one.concat() != other.concat()
}

/// Whether two names end with different letters that stand alone: blood type A and B, vitamin C and
/// vitamins.
fn letters_apart(one: &str, other: &str) -> bool {
    let letter = |name: &str| {
        let name = normalise(name);
        let last = name.split_whitespace().next_back().unwrap_or_default();
        let mut signs = last.chars();
        signs
            .next()
            .filter(|sign| signs.next().is_none() && !is_han(*sign) && last.len() < name.len())
    };
    letter(one) != letter(other)
}

/// Whether a word of one name stands in the other one with another sign: C++ and C, A* and A.
fn marks_apart(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|name| lower(&words(name, Hyphens::Join)));
    let [ours, theirs] = [one.concat(), other.concat()];
    if without_signs(&ours) == without_signs(&theirs) {
        return true;
    }
    let apart = |a: &str, b: &str| without_signs(a) == without_signs(b);
    let (ours, theirs) = (
        one.iter().filter(|word| !other.contains(word)),
        other.iter().filter(|word| !one.contains(word)),
    );
    ours.into_iter()
        .any(|a| theirs.clone().any(|b| apart(a, b)))
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9FFF}')
}

/// How often a name says no. Two names that differ in it are never one; a no that is only a part of
/// a word, as in 无线, keeps two where one would do.
fn noes(name: &str) -> usize {
    let words = words(name, Hyphens::Part);
    let told = words.iter().filter(|word| {
        ["no", "not", "non", "anti", "never", "without"].contains(&word.to_lowercase().as_str())
    });
    told.count()
        + name
            .chars()
            .filter(|sign| ['不', '没', '无', '非'].contains(sign))
            .count()
}
