//! Names without what only says how they are written.

use annals_types::profile::MergeSettings;

/// Signs that are part of names: C++, C#, R&D.
const SIGNS: [char; 6] = ['+', '#', '&', '%', '@', '$'];
/// Words before a name that do not belong to it.
const ARTICLES: [&str; 4] = ["the", "a", "an", "my"];

/// The form of a name: lower case, half width, without spaces, hyphens, articles, plural endings and 的, each word in the place of its
/// [synonyms](MergeSettings::synonyms) the first of them. Names of one form are one name written differently.
pub fn of(name: &str, settings: &MergeSettings) -> String {
    let mut text = words(name).join(" ");
    // The longest first, so that a word is not taken for a part of another.
    let mut known: Vec<(&str, &str)> = settings
        .synonyms
        .iter()
        .filter_map(|group| Some((group.first()?, group.get(1..)?)))
        .flat_map(|(first, others)| others.iter().map(move |other| (other.as_str(), first.as_str())))
        .collect();
    known.sort_by_key(|(other, _)| std::cmp::Reverse(other.len()));
    for (other, first) in known {
        let (other, first) = (words(other).join(" "), words(first).join(" "));
        text = match other.is_ascii() {
            true => format!(" {text} ").replace(&format!(" {other} "), &format!(" {first} ")).trim().to_owned(),
            false => text.replace(&other, &first),
        };
    }
    let form: String = text.chars().filter(|c| *c != ' ').collect();
    let bare: String = form.chars().filter(|c| *c != '的').collect();
    if bare.is_empty() { form } else { bare }
}

/// Whether two names are more than one name written differently.
pub(super) fn differ(one: &str, other: &str, settings: &MergeSettings) -> bool {
    of(one, settings) != of(other, settings)
}

/// Whether two names of several words have all but one of them in common, in the same places, and that one is no other spelling.
pub(super) fn one_word_apart(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    if one.len() != other.len() || one.len() < 2 {
        return false;
    }
    let mut apart = one.iter().zip(&other).filter(|(a, b)| a != b);
    let first = apart.next();
    apart.next().is_none() && first.is_some_and(|(a, b)| !same_spelling(a, b))
}

/// Words that begin alike and differ in at most two letters: colour and color, organise and organize.
fn same_spelling(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let before = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let behind = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let shorter = a.len().min(b.len());
    let middle = |all: usize| all.saturating_sub(before + behind.min(shorter.saturating_sub(before)));
    before >= 2 && middle(a.len()).max(middle(b.len())) <= 2 && shorter >= 4
}

/// The words of a name, in lower case, without articles before them and without plural endings.
fn words(name: &str) -> Vec<String> {
    let narrow = |c: char| match u32::from(c) {
        code @ 0xFF01..=0xFF5E => char::from_u32(code - 0xFEE0).unwrap_or(c),
        _ => c,
    };
    let lower: String = name.chars().map(narrow).flat_map(char::to_lowercase).map(plain).collect();
    // A dot or hyphen inside a word joins it: node.js is nodejs, e-mail is email.
    let joined: String = lower.chars().filter(|c| !matches!(c, '.' | '\'' | '’' | '-' | '_' | '·')).collect();
    let split = joined.split(|c: char| !c.is_alphanumeric() && !SIGNS.contains(&c)).filter(|word| !word.is_empty());
    let mut words: Vec<String> = split.map(singular).collect();
    while words.len() > 1 && words.first().is_some_and(|word| ARTICLES.contains(&word.as_str())) {
        words.remove(0);
    }
    words
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
        other => other,
    }
}

fn singular(word: &str) -> String {
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
        let synonyms = vec![group(&["film", "movie"]), group(&["心情", "情绪"])];
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
        ] {
            assert!(!differ(one, other, &settings), "{one} | {other}");
        }
        for (one, other) in
            [("C", "C++"), ("C#", "C"), ("bus", "bu"), ("glass", "glas"), ("的", ""), ("moviegoer", "filmgoer")]
        {
            assert!(differ(one, other, &settings), "{one} | {other}");
        }
    }

    #[test]
    fn one_other_word_makes_another_name() {
        for (one, other) in
            [("black tea", "green tea"), ("older sister", "younger sister"), ("South Korea", "North Korea")]
        {
            assert!(one_word_apart(one, other), "{one} | {other}");
        }
        for (one, other) in
            [("colour scheme", "color scheme"), ("tea", "coffee"), ("my tea", "tea"), ("a b c", "a x y")]
        {
            assert!(!one_word_apart(one, other), "{one} | {other}");
        }
    }
}
