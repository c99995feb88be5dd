//! What problems say, in English and Chinese.

use annals::Wording;
use annals_messages::{Arg, TextFile};

static ENGLISH: TextFile = TextFile::new("en", include_str!("../data/en/problem.ftl"));
static CHINESE: TextFile = TextFile::new("zh", include_str!("../data/zh/problem.ftl"));

/// A language of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
}

impl Language {
    /// The one that a client prefers, as its `Accept-Language` says; English without one.
    pub(crate) fn preferred(header: Option<&str>) -> Self {
        let mut best = (0.0_f32, Self::English);
        for part in header.unwrap_or_default().split(',') {
            let (tag, quality) = part.split_once(';').unwrap_or((part, ""));
            let quality = quality
                .trim()
                .strip_prefix("q=")
                .and_then(|number| number.parse().ok())
                .unwrap_or(1.0);
            let primary = tag.trim().split('-').next().unwrap_or_default();
            let language = match primary.to_ascii_lowercase().as_str() {
                "zh" => Self::Chinese,
                "en" => Self::English,
                _ => continue,
            };
            if quality > best.0 {
                best = (quality, language);
            }
        }
        best.1
    }

    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// The title of a problem, and what to do about it.
    pub(crate) fn problem(self, name: &str) -> (String, String) {
        let file = match self {
            Self::English => &ENGLISH,
            Self::Chinese => &CHINESE,
        };
        let title = file.text(name, &[]).unwrap_or_else(|| name.to_owned());
        (title, file.part(name, "action", &[]).unwrap_or_default())
    }

    /// What was wrong with a request, where it is said in other words than those that it has
    /// already, which are English.
    pub(crate) fn detail(self, wording: &Wording) -> Option<String> {
        if self == Self::English {
            return None;
        }
        annals_messages::cause(self.tag(), wording).or_else(|| {
            let places = wording.places.iter();
            let places: Vec<(&str, Arg<'_>)> = places
                .map(|(name, value)| (name.as_str(), value.into()))
                .collect();
            CHINESE.text(&format!("detail-{}", wording.name), &places)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Language;
    use crate::problem::Kind;

    #[test]
    fn a_client_is_answered_in_the_language_that_it_prefers() {
        let preferred = |header| Language::preferred(Some(header));
        assert_eq!(preferred("zh-CN,zh;q=0.9,en;q=0.8"), Language::Chinese);
        assert_eq!(preferred("de,en;q=0.8,zh;q=0.2"), Language::English);
        assert_eq!(preferred("en;q=0.5, zh;q=0.7"), Language::Chinese);
        assert_eq!(Language::preferred(None), Language::English);
    }

    #[test]
    fn every_problem_has_a_title_and_an_advice_in_both_languages() {
        for kind in Kind::ALL {
            for language in [Language::English, Language::Chinese] {
                let (title, action) = language.problem(kind.name());
                assert!(
                    title != kind.name() && !action.is_empty(),
                    "{} in {language:?}",
                    kind.name()
                );
            }
        }
    }
}
