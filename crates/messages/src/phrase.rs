//! What libraries say about models, servers and hubs, in the languages of programs.
//!
//! Such a text is put together from several: who failed, why, and what to do. Some are kept in the
//! file with the work that failed. So they are known again by their words, and each part by its
//! own.

use std::sync::LazyLock;

/// English and Chinese, a tab between them, with places in braces.
const CHINESE: &str = include_str!("../data/zh/phrase.tsv");

static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let mut phrases: Vec<Phrase> = CHINESE.lines().filter_map(Phrase::read).collect();
    // Of two that fit, the one that says more.
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.literal_bytes()));
    phrases
});

/// How deep a text is taken apart: who, why, and the cause of that.
const DEEPEST: usize = 4;

/// A text of a library in a language; `None` in English, and where nobody has put it into the
/// language.
#[must_use]
pub fn phrase(language: &str, text: &str) -> Option<String> {
    if language == "zh" {
        translate(text, DEEPEST)
    } else {
        None
    }
}

/// The English of every text that is put into other languages.
#[doc(hidden)]
pub fn phrases() -> impl Iterator<Item = &'static str> {
    PHRASES.iter().map(|phrase| phrase.english)
}

fn translate(text: &str, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    let (phrase, values) = PHRASES
        .iter()
        .find_map(|phrase| Some((phrase, phrase.values(text)?)))?;
    let mut said = phrase.other.to_owned();
    for (place, value) in phrase.places.iter().zip(values) {
        let value = translate(value, depth).unwrap_or_else(|| value.to_owned());
        // What stands in a place is not looked through for places.
        said = said.replacen(&format!("{{{place}}}"), &value.replace('{', "\u{E000}"), 1);
    }
    Some(said.replace('\u{E000}', "{"))
}

/// Places that hold one word: a sentence behind it belongs to another text.
const OF_ONE_WORD: [&str; 8] = [
    "address", "count", "index", "number", "seconds", "size", "status", "url",
];

/// A text with places, in two languages.
struct Phrase {
    english: &'static str,
    other: &'static str,
    /// What stands before, between and behind the places.
    literals: Vec<&'static str>,
    places: Vec<&'static str>,
}

impl Phrase {
    fn read(line: &'static str) -> Option<Self> {
        let (english, other) = line.split_once('\t')?;
        let (mut literals, mut places, mut rest) = (Vec::new(), Vec::new(), english);
        while let Some((before, behind)) = rest.split_once('{') {
            let (place, after) = behind.split_once('}')?;
            literals.push(before);
            places.push(place);
            rest = after;
        }
        literals.push(rest);
        Some(Self {
            english,
            other,
            literals,
            places,
        })
    }

    fn literal_bytes(&self) -> usize {
        self.literals.iter().map(|literal| literal.len()).sum()
    }

    /// What stands in its places in a text; `None` if the text is another one.
    fn values<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let (first, rest) = self.literals.split_first()?;
        let Some((last, between)) = rest.split_last() else {
            return (text == *first).then(Vec::new);
        };
        let mut text = text.strip_prefix(first)?.strip_suffix(last)?;
        let mut values = Vec::with_capacity(self.places.len());
        for (number, literal) in between.iter().enumerate() {
            // Advice stands behind the last mark: what a server answered may have such marks, too.
            let is_last = number + 1 == between.len() && number > 0;
            let at = if is_last {
                text.rfind(literal)?
            } else {
                text.find(literal)?
            };
            values.push(text.get(..at)?);
            text = text.get(at + literal.len()..)?;
        }
        values.push(text);
        let fits = |(place, value): (&&str, &&str)| {
            let is_of_one_word = OF_ONE_WORD.contains(place);
            !value.is_empty() && (!is_of_one_word || !value.contains(char::is_whitespace))
        };
        self.places.iter().zip(&values).all(fits).then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_text_is_taken_apart_into_what_is_known() {
        let said = phrase(
            "zh",
            "the language model at http://h:1/v1 refused: it answered 401: {\"a\": \"x; y\"}; \
             check the key and where it is read from",
        );
        let expected = "语言模型（http://h:1/v1）拒绝了请求：它返回 401：{\"a\": \"x; y\"}；请检查密钥及其读取位置";
        assert_eq!(said.as_deref(), Some(expected));
        let away = "the language model at http://h:1/v1 is not available: io: Connection refused (os error 111); \
                    look at the server's log";
        assert_eq!(
            phrase("zh", away).as_deref(),
            Some("语言模型（http://h:1/v1）不可用：连接被拒绝；请查看服务器的日志")
        );
        assert_eq!(phrase("en", "the language model"), None);
        assert_eq!(phrase("zh", "I keep the key beside the door."), None);
    }

    #[test]
    fn any_text_is_taken_apart_or_left() {
        for text in [
            "",
            "{",
            "}",
            " is not available: ; ",
            "a is missing; b",
            "{what} is missing; {advice}",
            "语言模型",
        ] {
            let _ = phrase("zh", text);
        }
        assert_eq!(
            phrase("zh", "{advice} is missing; b").as_deref(),
            Some("缺少 {advice}；b")
        );
    }

    #[test]
    fn both_languages_have_the_same_places() {
        let mut lines = 0;
        for line in CHINESE.lines() {
            let phrase = Phrase::read(line).unwrap_or_else(|| panic!("{line:?}"));
            for place in &phrase.places {
                let of_system = line.contains("(os error {number})") || line.starts_with("io: ");
                assert!(
                    of_system || phrase.other.contains(&format!("{{{place}}}")),
                    "{line:?} lacks {place}"
                );
            }
            lines += 1;
        }
        assert_eq!(PHRASES.len(), lines);
    }

    /// Words that are said elsewhere than in this workspace.
    const OF_OTHERS: [&str; 10] = [
        "missing field `",
        "expected value at ",
        "EOF while parsing ",
        "key must be a string at ",
        "trailing characters at ",
        "io: ",
        "environment variable not found",
        "Address already in use",
        "Permission denied",
        "No such file",
    ];

    #[test]
    fn every_phrase_is_still_said_by_some_crate() {
        let mut sources = String::new();
        for name in [
            "net",
            "extraction",
            "vector",
            "types",
            "transfer",
            "mcp",
            "server",
            "hooks",
            "cli",
        ] {
            read_into(
                &mut sources,
                &Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("..")
                    .join(name)
                    .join("src"),
            );
        }
        let sources = sources
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace("\\ ", "");
        for phrase in PHRASES.iter().filter(|phrase| {
            !OF_OTHERS
                .iter()
                .any(|start| phrase.english.starts_with(start))
        }) {
            for literal in phrase
                .literals
                .iter()
                .map(|literal| literal.trim())
                .filter(|literal| literal.len() > 6)
            {
                assert!(
                    sources.contains(literal),
                    "nobody says {literal:?} of {:?}",
                    phrase.english
                );
            }
        }
    }

    fn read_into(sources: &mut String, folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                read_into(sources, &path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                sources.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
}
