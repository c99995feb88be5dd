//! The names that a text may hold: runs of words and of characters.

use std::collections::BTreeMap;

use super::normalise;

/// The most words of a name that is recognised, where words are separated by spaces.
const WORDS: usize = 5;
/// The most characters of a name that is recognised, in scripts without spaces.
const CHARACTERS: usize = 8;

/// How many names are taken out of a text, and how long they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most different names, those that come first.
    pub names: usize,
    /// The longest name in bytes.
    pub bytes: usize,
}

/// A name that a text may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The name as it is compared, see [`normalise`].
    pub name: String,
    /// The places where the text holds it.
    pub spans: Vec<Span>,
}

/// The place of a name in a text, in tokens. A token is a word, or one character of a script
/// without spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first token.
    pub first: usize,
    /// The token behind the last one.
    pub end: usize,
}

impl Span {
    /// Whether two names share a token.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.first < other.end && other.first < self.end
    }
}

/// A word, or one character of a script without spaces.
#[derive(Debug, Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    unspaced: bool,
}

/// The different names that a text may hold, each once, in the order of the text.
#[must_use]
pub fn candidates(text: &str, limits: Limits) -> Vec<Candidate> {
    let text = normalise(text);
    let tokens = tokens(&text);
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names: Vec<Candidate> = Vec::new();
    for (first, begin) in tokens.iter().enumerate() {
        let (mut words, mut characters) = (0, 0);
        for (last, token) in tokens.iter().enumerate().skip(first) {
            if token.unspaced {
                characters += 1
            } else {
                words += 1
            }
            if words > WORDS || characters > CHARACTERS || token.end - begin.start > limits.bytes {
                break;
            }
            let Some(whole) = text.get(begin.start..token.end) else {
                break;
            };
            let bare = ["'s", "’s"]
                .iter()
                .find_map(|ending| whole.strip_suffix(ending))
                .filter(|bare| bare.ends_with(|last: char| !last.is_whitespace()));
            for name in std::iter::once(whole).chain(bare) {
                let span = Span {
                    first,
                    end: last + 1,
                };
                match known.get(name) {
                    Some(place) => names
                        .get_mut(*place)
                        .into_iter()
                        .for_each(|known| known.spans.push(span)),
                    None if names.len() < limits.names => {
                        known.insert(name, names.len());
                        names.push(Candidate {
                            name: name.to_owned(),
                            spans: vec![span],
                        });
                    }
                    None => {}
                }
            }
        }
    }
    names
}

/// The tokens of a normalised text: characters of scripts without spaces one by one, and runs of
/// letters, digits and the signs that names are written with.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Option<usize> = None;
    let end_of = |tokens: &mut Vec<Token>, open: &mut Option<usize>, end: usize| {
        if let Some(start) = open.take() {
            let word = text.get(start..end).unwrap_or_default();
            let kept = word.trim_end_matches(['.', '-', '_', '\'', '’', '&', '@']);
            let from =
                start + (word.len() - word.trim_start_matches(['-', '_', '\'', '’', '&']).len());
            if from < start + kept.len() {
                tokens.push(Token {
                    start: from,
                    end: start + kept.len(),
                    unspaced: false,
                });
            }
        }
    };
    for (at, c) in text.char_indices() {
        if is_unspaced(c) {
            end_of(&mut tokens, &mut open, at);
            tokens.push(Token {
                start: at,
                end: at + c.len_utf8(),
                unspaced: true,
            });
        } else if c.is_alphanumeric()
            || matches!(c, '+' | '#' | '_' | '-' | '.' | '\'' | '’' | '&' | '@')
        {
            open.get_or_insert(at);
        } else {
            end_of(&mut tokens, &mut open, at);
        }
    }
    end_of(&mut tokens, &mut open, text.len());
    tokens
}

/// Whether words of a character's script follow each other without spaces.
const fn is_unspaced(c: char) -> bool {
    let kana = matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}');
    kana || matches!(c, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Limits = Limits {
        names: usize::MAX,
        bytes: 1024,
    };

    fn called(text: &str) -> Vec<String> {
        candidates(text, ALL)
            .into_iter()
            .map(|candidate| candidate.name)
            .collect()
    }

    #[test]
    fn names_are_runs_of_words_and_of_characters() {
        assert_eq!(
            called("Ada's C++ code."),
            [
                "ada's",
                "ada",
                "ada's c++",
                "ada's c++ code",
                "c++",
                "c++ code",
                "code"
            ]
        );
        assert_eq!(called("猫叫？"), ["猫", "猫叫", "叫"]);
        assert_eq!(
            called("用Docker吗"),
            ["用", "用docker", "用docker吗", "docker", "docker吗", "吗"]
        );
        assert_eq!(called("a b c d e f").len(), 20);
        assert_eq!(
            called(&"一二三四五六七八九十".repeat(30)).len(),
            80,
            "each name once"
        );
        assert!(called("... -- ' ?!").is_empty());
        assert_eq!(
            called("a\t's:"),
            ["a", "a 's", "s"],
            "an ending by itself ends no name"
        );
        assert_eq!(
            candidates("a b c d e f", Limits { names: 3, ..ALL }).len(),
            3
        );
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_is_survived(text in ".*") {
            for Candidate { name, spans } in candidates(&text, Limits { names: 200, ..ALL }) {
                proptest::prop_assert_eq!(&normalise(&name), &name);
                proptest::prop_assert!(spans.iter().all(|span| span.first < span.end));
            }
        }
    }
}
