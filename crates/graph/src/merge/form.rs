//! Names without what only says how they are written.

use annals_types::profile::MergeSettings;
use annals_types::same_spelling;

use crate::name::normalise;

/// Signs that are part of names: C++, C#, R&D, -5, A-.
const SIGNS: [char; 7] = ['+', '#', '&', '%', '@', '$', '-'];

/// The form of a name: lower case, half width, without spaces, hyphens, articles, plural endings and 的, each word in the place of its
/// [synonyms](MergeSettings::synonyms) the first of them. Names of one form are one name written differently, but for proper names of which one ends
/// as a plural does.
pub fn of(name: &str, settings: &MergeSettings) -> String {
    let form = form(name, settings, Plurals::Dropped);
    // What has no words, such as a sign of its own, is itself.
    if form.is_empty() { normalise(name) } else { form }
}

/// Whether two names are more than one name written differently.
pub(super) fn differ(one: &str, other: &str, settings: &MergeSettings) -> bool {
    of(one, settings) != of(other, settings)
}

/// Whether two names of one form are so only because an ending was taken for a plural, although one of the words is a proper name: Windows is no
/// window, and Williams not William.
pub(super) fn by_plural(one: &str, other: &str, settings: &MergeSettings) -> bool {
    form(one, settings, Plurals::OfCommonWords) != form(other, settings, Plurals::OfCommonWords)
        || capitals_apart(one, other)
}

/// Whether a word stands with a capital in one name, and with another ending without one in the other: Apple and apples.
fn capitals_apart(one: &str, other: &str) -> bool {
    let (one, other) = (split(one), split(other));
    one.len() == other.len()
        && one.iter().zip(&other).any(|(a, b)| {
            let same = a.to_lowercase() == b.to_lowercase();
            !same && singular(&a.to_lowercase()) == singular(&b.to_lowercase()) && (is_proper(a) || is_proper(b))
        })
}

/// Whether one of two names says no where the other does not: sugar and no sugar, 糖 and 无糖.
pub(super) fn contrary(one: &str, other: &str) -> bool {
    noes(one) != noes(other)
}

fn noes(name: &str) -> usize {
    const WORDS: [&str; 7] = ["no", "not", "non", "anti", "never", "without", "un"];
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
    free + told + bare.chars().filter(|c| SIGNS.contains(c)).count()
}

/// Whether two names have all but one of their words in common, in the same places, and that one is no other spelling. Chinese names begin with what
/// sets them apart: 红茶 and 绿茶, 数学考试 and 英语考试.
pub(super) fn one_word_apart(one: &str, other: &str) -> bool {
    let (one, other) = (words(one, Plurals::Dropped), words(other, Plurals::Dropped));
    if let ([one], [other]) = (one.as_slice(), other.as_slice()) {
        return first_sign_apart(one, other);
    }
    if one.len() != other.len() {
        return false;
    }
    let mut apart = one.iter().zip(&other).filter(|(a, b)| a != b);
    let first = apart.next();
    apart.next().is_none() && first.is_some_and(|(a, b)| !same_spelling(a, b))
}

/// Whether two Chinese names of one length differ in nothing but the sign or the word of two signs that they begin with.
fn first_sign_apart(one: &str, other: &str) -> bool {
    let (mut one, mut other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let han = |name: &[char]| name.iter().all(|c| matches!(c, '\u{3400}'..='\u{9FFF}'));
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

/// What is made of endings of plurals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plurals {
    Dropped,
    /// Those of words with a capital stay.
    OfCommonWords,
}

fn form(name: &str, settings: &MergeSettings, plurals: Plurals) -> String {
    let words = words(name, plurals);
    let known = Synonyms::of(settings);
    let mut form = String::new();
    let mut rest = words.as_slice();
    while let Some((word, behind)) = rest.split_first() {
        if let Some((first, taken)) = known.english(rest) {
            form.push_str(first);
            rest = rest.get(taken..).unwrap_or_default();
        } else {
            form.push_str(&known.chinese(word));
            rest = behind;
        }
    }
    without_of(&form)
}

/// A text without 的 between two parts that can stand by themselves: not 目的.
fn without_of(form: &str) -> String {
    let signs: Vec<char> = form.chars().collect();
    let stands = |before: &[char]| {
        before.len() >= 2 || before.first().is_some_and(|c| ['我', '你', '他', '她', '它', '咱'].contains(c))
    };
    let between = |at: usize| {
        let (before, behind) = (signs.get(..at).unwrap_or_default(), signs.get(at + 1..).unwrap_or_default());
        stands(before) && (behind.len() >= 2 || before.len() >= 2 && !behind.is_empty())
    };
    signs.iter().enumerate().filter(|(at, c)| **c != '的' || !between(*at)).map(|(_, c)| *c).collect()
}

/// The words of the settings that mean the same, the longest first, each with the first of its group; these are among them, so that none is taken
/// for a part of another.
struct Synonyms(Vec<(Vec<String>, String)>);

impl Synonyms {
    fn of(settings: &MergeSettings) -> Self {
        let mut known: Vec<(Vec<String>, String)> = Vec::new();
        for group in &settings.synonyms {
            let Some(first) = group.first().map(|first| words(first, Plurals::Dropped).concat()) else { continue };
            known.extend(group.iter().map(|word| (words(word, Plurals::Dropped), first.clone())));
        }
        known.retain(|(word, first)| !word.is_empty() && !first.is_empty());
        known.sort_by_key(|(word, _)| std::cmp::Reverse(word.iter().map(String::len).sum::<usize>()));
        Self(known)
    }

    /// What stands for the words at the beginning of a list, and how many they are.
    fn english(&self, words: &[String]) -> Option<(&str, usize)> {
        let (word, first) = self.0.iter().find(|(word, _)| words.starts_with(word))?;
        Some((first, word.len()))
    }

    /// A Chinese word with a synonym at its beginning replaced, or at its end where the rest can stand by itself: 心情日记, 我的情绪, and not 老太太.
    fn chinese(&self, word: &str) -> String {
        let stands = |rest: &str| {
            let signs = rest.chars().count();
            signs >= 2 || ["我", "你", "他", "她", "它", "咱"].contains(&rest)
        };
        let replaced =
            self.0.iter().filter(|(known, _)| known.iter().all(|part| !part.is_ascii())).find_map(|(known, first)| {
                let known = known.concat();
                let begins = word.strip_prefix(&known).map(|rest| format!("{first}{rest}"));
                begins.or_else(|| {
                    word.strip_suffix(&known).filter(|rest| stands(rest)).map(|rest| format!("{rest}{first}"))
                })
            });
        replaced.unwrap_or_else(|| word.to_owned())
    }
}

/// The words of a name, in lower case, without articles before them and without plural endings.
fn words(name: &str, plurals: Plurals) -> Vec<String> {
    let mut parts = split(name);
    while parts.len() > 1 && parts.first().is_some_and(|word| is_article(word)) {
        parts.remove(0);
    }
    let word = |part: &String| {
        let lower = part.to_lowercase();
        if plurals == Plurals::OfCommonWords && is_proper(part) { lower } else { singular(&lower) }
    };
    parts.iter().map(word).collect()
}

/// Whether a word before a name does not belong to it. "My Little Pony" is a name with its first word.
fn is_article(word: &str) -> bool {
    ["the", "a", "an", "my", "The"].contains(&word)
}

/// The words of a name as they are written, narrow and without accents. What is neither a letter nor a mark between words belongs to one: ❤, °, vowel
/// signs.
fn split(name: &str) -> Vec<String> {
    let signs: Vec<char> = name.chars().map(narrow).map(plain).collect();
    let mut words = vec![String::new()];
    for (at, c) in signs.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| signs.get(at)).copied();
        let behind = signs.get(at + 1).copied();
        if c == '-' {
            // A sign before a number, or a mark behind a letter; inside a word a hyphen joins it: e-mail is email.
            let minus = before.is_none_or(is_gap) && behind.is_some_and(|c| c.is_ascii_digit());
            let mark = behind.is_none_or(is_gap) && before.is_some_and(char::is_alphanumeric);
            if let Some(word) = words.last_mut().filter(|_| minus || mark) {
                word.push(c);
            }
        } else if is_gap(c) {
            words.push(String::new());
        } else if !matches!(c, '.' | '\'' | '’' | '_' | '·' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
            && let Some(word) = words.last_mut()
        {
            // A dot inside a word joins it: node.js is nodejs.
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a character stands between words.
fn is_gap(c: char) -> bool {
    let joins = matches!(c, '.' | '\'' | '’' | '_' | '-' | '·' | '\u{200D}');
    let mark = matches!(c, '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{FE30}'..='\u{FE4F}' | '¡' | '¿' | '«' | '»');
    !joins && !SIGNS.contains(&c) && (c.is_whitespace() || c.is_ascii_punctuation() || mark)
}

const fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => match char::from_u32(c as u32 - 0xFEE0) {
            Some(narrow) => narrow,
            None => c,
        },
        '−' | '–' => '-',
        other => other,
    }
}

/// Whether a word is written as a name is.
fn is_proper(word: &str) -> bool {
    word.chars().any(char::is_uppercase)
}

/// A Latin letter without its accent.
const fn plain(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ś' | 'š' => 's',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'À'..='Å' | 'Ā' | 'Ă' | 'Ą' => 'A',
        'Ç' | 'Ć' | 'Č' => 'C',
        'È'..='Ë' | 'Ē' | 'Ę' | 'Ě' => 'E',
        'Ì'..='Ï' | 'Ī' => 'I',
        'Ñ' | 'Ń' | 'Ň' => 'N',
        'Ò'..='Ö' | 'Ø' | 'Ō' | 'Ő' => 'O',
        'Ś' | 'Š' => 'S',
        'Ù'..='Ü' | 'Ū' | 'Ů' | 'Ű' => 'U',
        'Ý' | 'Ÿ' => 'Y',
        'Ź' | 'Ż' | 'Ž' => 'Z',
        other => other,
    }
}

fn singular(word: &str) -> String {
    if let Some(stem) =
        word.strip_suffix("es").filter(|stem| ["ss", "x", "ch", "sh"].iter().any(|end| stem.ends_with(end)))
    {
        return stem.to_owned();
    }
    let plural =
        word.is_ascii() && word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("js");
    if plural { word.trim_end_matches('s').to_owned() } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_form_are_one_name() {
        let group = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let synonyms = vec![
            group(&["film", "movie"]),
            group(&["心情", "情绪"]),
            group(&["公交车", "公共汽车", "公交"]),
            group(&["妻子", "老婆", "太太"]),
            group(&["自行车", "单车"]),
            group(&["remote work", "home office"]),
        ];
        let settings = MergeSettings { synonyms, ..MergeSettings::default() };
        for (one, other) in [
            ("Node.js", "NodeJS"),
            ("e-mail", "Email"),
            ("the road trips", "roadtrip"),
            ("gluten-free bread", "gluten free bread"),
            ("学习的计划", "学习计划"),
            ("Ｄｏｃｋｅｒ", "docker"),
            ("Café Luna", "cafe luna"),
            ("horror movies", "horror film"),
            ("我的情绪", "我的心情"),
            ("公交", "公交车"),
            ("公共汽车", "公交"),
            ("心情日记", "情绪日记"),
            ("单车道", "自行车道"),
            ("yoga class", "yoga classes"),
            ("home office", "remote work"),
            ("❤\u{FE0F}", "❤"),
            ("The Beatles", "Beatles"),
        ] {
            assert!(!differ(one, other, &settings), "{one} | {other}");
        }
        for (one, other) in [
            ("C", "C++"),
            ("C#", "C"),
            ("bus", "bu"),
            ("glass", "glas"),
            ("的", ""),
            ("moviegoer", "filmgoer"),
            ("❤", "👍"),
            ("A-", "A"),
            ("AB-", "AB+"),
            ("-5°C", "5°C"),
            ("ข้าว", "ขาว"),
            ("目的", "目"),
            ("目的地", "目地"),
            ("My Little Pony", "little pony"),
            ("老太太", "老妻子"),
            ("简单车型", "简自行车型"),
        ] {
            assert!(differ(one, other, &settings), "{one} | {other}");
        }
    }

    #[test]
    fn the_ending_of_a_proper_name_is_no_plural() {
        let settings = MergeSettings::default();
        for (one, other) in [
            ("Windows", "window"),
            ("William", "Williams"),
            ("Apple", "apples"),
            ("Mr. Adams", "Mr. Adam"),
            ("Jobs", "job"),
        ] {
            assert!(!differ(one, other, &settings) && by_plural(one, other, &settings), "{one} | {other}");
        }
        for (one, other) in
            [("apple", "Apple"), ("horror movies", "horror movie"), ("Docker containers", "docker container")]
        {
            assert!(!differ(one, other, &settings) && !by_plural(one, other, &settings), "{one} | {other}");
        }
    }

    #[test]
    fn a_no_makes_the_contrary() {
        for (one, other) in
            [("sugar", "no sugar"), ("sugar-free", "sugar"), ("糖", "无糖"), ("anti-war", "war"), ("吃肉", "不吃肉")]
        {
            assert!(contrary(one, other), "{one} | {other}");
        }
        for (one, other) in [("无线网络", "网络"), ("非洲", "Africa"), ("not now", "no"), ("free time", "time")]
        {
            assert!(!contrary(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn one_other_word_makes_another_name() {
        for (one, other) in [
            ("black tea", "green tea"),
            ("older sister", "younger sister"),
            ("South Korea", "North Korea"),
            ("Jane Smith", "Jake Smith"),
            ("John Lee", "Joan Lee"),
            ("Paris trip", "Parma trip"),
            ("morning run", "moving run"),
            ("红茶", "绿茶"),
            ("左手", "右手"),
            ("姐姐", "妹妹"),
            ("上海大学", "海南大学"),
        ] {
            assert!(one_word_apart(one, other), "{one} | {other}");
        }
        for (one, other) in [
            ("colour scheme", "color scheme"),
            ("organised trip", "organized trip"),
            ("shopping centre", "shopping center"),
            ("travelled far", "traveled far"),
            ("tea", "coffee"),
            ("my tea", "tea"),
            ("a b c", "a x y"),
            ("头疼", "头痛"),
            ("身体状况", "身体状态"),
            ("日记", "心情日记"),
        ] {
            assert!(!one_word_apart(one, other), "{one} | {other}");
        }
    }
}
