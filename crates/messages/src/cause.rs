//! What the crates of annals say, in the languages of programs. In English they have the words
//! themselves.

use std::collections::{BTreeMap, BTreeSet};

use annals_types::Wording;

use crate::{Arg, BadMessages, TextFile};

/// What is said in a language other than English.
struct Translation {
    language: &'static str,
    /// What errors say.
    causes: TextFile,
    /// Single words, by their group.
    terms: TextFile,
}

static TRANSLATIONS: [Translation; 1] = [Translation {
    language: "zh",
    causes: TextFile::new("zh", include_str!("../data/zh/cause.ftl")),
    terms: TextFile::new("zh", include_str!("../data/zh/terms.ftl")),
}];

fn translation(language: &str) -> Option<&'static Translation> {
    TRANSLATIONS.iter().find(|known| known.language == language)
}

/// Places that stand around what an error says, from the inside out.
const AROUND: [&str; 3] = ["turn", "message", "line"];

/// Places whose values are words of annals, with the group of each.
const GROUPS: [(&str, &str); 3] = [
    ("field", "field"),
    ("status", "status"),
    ("kind_of_secret", "secret"),
];

/// What an error says, in a language; `None` where the words of the error itself are in that
/// language, or nobody has put them into it.
#[must_use]
pub fn cause(language: &str, wording: &Wording) -> Option<String> {
    let file = &translation(language)?.causes;
    // Elsewhere a field is one of JSON, whose name stays as it is written.
    let about_value = wording.name.starts_with("value-");
    let worded = |place: &str, value: &str| {
        let known = GROUPS
            .iter()
            .find(|(known, _)| *known == place && (*known != "field" || about_value));
        let group = known.map(|(_, group)| *group);
        group
            .and_then(|group| term(language, group, value))
            .unwrap_or_else(|| value.to_owned())
    };
    let places: Vec<(&str, String)> = wording
        .places
        .iter()
        .map(|(place, value)| (place.as_str(), worded(place, value)))
        .collect();
    let places: Vec<(&str, Arg<'_>)> = places
        .iter()
        .map(|(name, value)| (*name, value.into()))
        .collect();
    let cause = file.text(&format!("cause-{}", wording.name), &places)?;
    let around = |cause: String, place: &str| {
        let Some(number) = wording.places.get(place) else {
            return cause;
        };
        let places = [(place, number.into()), ("cause", (&cause).into())];
        file.text(&format!("cause-at-{place}"), &places)
            .unwrap_or(cause)
    };
    Some(AROUND.into_iter().fold(cause, around))
}

/// A word of annals in a language, such as the status `forgotten`; `None` in English, and where
/// nobody has put it into the language.
#[must_use]
pub fn term(language: &str, group: &str, word: &str) -> Option<String> {
    let word = word.replace([' ', '_'], "-");
    translation(language)?
        .terms
        .text(&format!("term-{group}-{word}"), &[])
}

/// The names of all that errors say in a language, with the places of each.
///
/// # Errors
/// [`BadMessages`], naming the line that cannot be read.
#[doc(hidden)]
pub fn causes(language: &str) -> Result<BTreeMap<String, BTreeSet<String>>, BadMessages> {
    translation(language).map_or_else(|| Ok(BTreeMap::new()), |found| found.causes.places())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_said_in_chinese_with_the_name_of_its_field_and_its_place() {
        let empty = Wording::new("value-empty", &[("field", &"text"), ("line", &3)]);
        assert_eq!(
            cause("zh", &empty).unwrap(),
            "第 3 行：文本为空；请至少给出一个可见字符"
        );
        let other = Wording::new("value-empty", &[("field", &"my_own")]);
        assert_eq!(
            cause("zh", &other).unwrap(),
            "my_own为空；请至少给出一个可见字符"
        );
        assert_eq!(cause("en", &empty), None);
        assert_eq!(cause("zh", &Wording::new("nothing", &[])), None);
    }

    #[test]
    fn every_term_can_be_read() {
        let terms = TRANSLATIONS[0].terms.places().unwrap();
        assert!(terms.len() > 80);
        assert_eq!(term("zh", "secret", "api_key").as_deref(), Some("API 密钥"));
        assert_eq!(
            (term("en", "secret", "api_key"), term("zh", "secret", "own")),
            (None, None)
        );
    }
}
