//! Which entities a text names, looked up by name without a walk over entities.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::table::scan_rows;
use annals_storage::{KeyRange, Reads};
use annals_types::NamespaceId;

use crate::label::LabelClass;
use crate::name::{MAX_NAME_BYTES, normalise};
use crate::tables::{LABELS, NAMES};
use crate::{EntityId, GraphError, LabelId};

/// The most words of a name that is recognised, where words are separated by spaces.
const WORDS: usize = 5;
/// The most characters of a name that is recognised, in scripts without spaces.
const CHARACTERS: usize = 8;

/// What is looked up.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Recognise<'a> {
    /// A text that may name entities.
    pub text: &'a str,
    /// The most different names that are looked up, those that come first.
    pub names: usize,
    /// The most entities of one name; a name that more of them have names none.
    pub holders: usize,
    /// Kinds of entities, as texts.
    pub kinds: &'a [String],
    /// Relations of links, as texts.
    pub relations: &'a [String],
}

/// A name in a text, and the entities that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The name as it is compared, see [`normalise`].
    pub name: String,
    /// Entities of that name or alias, as they were born.
    pub entities: Vec<EntityId>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recognised {
    /// The longest names in the text that are names of entities, none within another, in the order of the text.
    pub mentions: Vec<Mention>,
    /// The numbers of the kinds that are in use.
    pub kinds: BTreeSet<LabelId>,
    /// The relations that are in use, by number.
    pub relations: BTreeMap<LabelId, String>,
}

/// A name that a text may hold, and where it does.
type Candidate = (String, Vec<Span>);

/// A part of a text that may be a name: where it begins and ends, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    first: usize,
    end: usize,
}

/// Finds entities, kinds and relations by what they are called. One round of reads, none where nothing is looked up.
///
/// # Errors
/// When they cannot be read.
pub fn recognise(reads: &dyn Reads, ns: NamespaceId, wanted: Recognise<'_>) -> Result<Recognised, GraphError> {
    let names = names(wanted.text, wanted.names);
    let labels: Vec<(LabelClass, &String)> = wanted
        .kinds
        .iter()
        .map(|kind| (LabelClass::Kind, kind))
        .chain(wanted.relations.iter().map(|relation| (LabelClass::Relation, relation)))
        .collect();
    let mut ranges: Vec<KeyRange> = names.iter().map(|(name, _)| NAMES.within((ns, name.as_str())).into()).collect();
    ranges.extend(labels.iter().map(|(class, text)| KeyRange::from(LABELS.within((ns, *class, text.as_str())))));
    let mut holders: Vec<Vec<EntityId>> = vec![Vec::new(); names.len()];
    let mut found = Recognised::default();
    scan_rows(reads, &ranges, |range, row| {
        if let Some(holders) = holders.get_mut(range) {
            let Some(((.., holder), ())) = NAMES.read(&row)? else { return Err(row.unknown().into()) };
            holders.push(holder);
            return Ok(if holders.len() > wanted.holders { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        }
        // The label itself comes before all that it begins.
        if let Some((_, text)) = range.checked_sub(names.len()).and_then(|label| labels.get(label))
            && let Some(((_, class, label), number)) = LABELS.read(&row)?
            && label == text.as_str()
        {
            match class {
                LabelClass::Kind => drop(found.kinds.insert(number)),
                _ => drop(found.relations.insert(number, (*text).clone())),
            }
        }
        Ok::<_, GraphError>(ControlFlow::Break(()))
    })?;
    let known = names.into_iter().zip(holders).filter(|(_, holders)| !holders.is_empty());
    found.mentions = longest(known.filter(|(_, holders)| holders.len() <= wanted.holders).collect());
    Ok(found)
}

/// Of names that overlap the longest, then the first.
fn longest(mut known: Vec<(Candidate, Vec<EntityId>)>) -> Vec<Mention> {
    known.sort_by_key(|((name, _), _)| std::cmp::Reverse(name.len()));
    let mut taken: Vec<Span> = Vec::new();
    let mut mentions: Vec<(usize, Mention)> = Vec::new();
    for ((name, spans), entities) in known {
        let free = |span: &&Span| !taken.iter().any(|t| span.first < t.end && t.first < span.end);
        let Some(span) = spans.iter().find(free).copied() else { continue };
        taken.extend(spans);
        mentions.push((span.first, Mention { name, entities }));
    }
    mentions.sort_by_key(|(first, _)| *first);
    mentions.into_iter().map(|(_, mention)| mention).collect()
}

/// A word, or one character of a script without spaces.
#[derive(Debug, Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    unspaced: bool,
}

/// The different names that a text may hold, normalised, with the places where it does; at most `limit`.
fn names(text: &str, limit: usize) -> Vec<Candidate> {
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
            if words > WORDS || characters > CHARACTERS || token.end - begin.start > MAX_NAME_BYTES {
                break;
            }
            let Some(whole) = text.get(begin.start..token.end) else { break };
            let bare = ["'s", "’s"]
                .iter()
                .find_map(|ending| whole.strip_suffix(ending))
                .filter(|bare| bare.ends_with(|last: char| !last.is_whitespace()));
            for name in std::iter::once(whole).chain(bare) {
                let span = Span { first, end: last + 1 };
                match known.get(name) {
                    Some(place) => names.get_mut(*place).into_iter().for_each(|(_, spans)| spans.push(span)),
                    None if names.len() < limit => {
                        known.insert(name, names.len());
                        names.push((name.to_owned(), vec![span]));
                    }
                    None => {}
                }
            }
        }
    }
    names
}

/// The tokens of a normalised text: characters of scripts without spaces one by one, and runs of letters, digits and the signs that
/// names are written with.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Option<usize> = None;
    let end_of = |tokens: &mut Vec<Token>, open: &mut Option<usize>, end: usize| {
        if let Some(start) = open.take() {
            let word = text.get(start..end).unwrap_or_default();
            let kept = word.trim_end_matches(['.', '-', '_', '\'', '’', '&', '@']);
            let from = start + (word.len() - word.trim_start_matches(['-', '_', '\'', '’', '&']).len());
            if from < start + kept.len() {
                tokens.push(Token { start: from, end: start + kept.len(), unspaced: false });
            }
        }
    };
    for (at, c) in text.char_indices() {
        if is_unspaced(c) {
            end_of(&mut tokens, &mut open, at);
            tokens.push(Token { start: at, end: at + c.len_utf8(), unspaced: true });
        } else if c.is_alphanumeric() || matches!(c, '+' | '#' | '_' | '-' | '.' | '\'' | '’' | '&' | '@') {
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
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(text: &str) -> Vec<String> {
        names(text, usize::MAX).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn names_are_runs_of_words_and_of_characters() {
        assert_eq!(
            called("Ada's C++ code."),
            ["ada's", "ada", "ada's c++", "ada's c++ code", "c++", "c++ code", "code"]
        );
        assert_eq!(called("猫叫？"), ["猫", "猫叫", "叫"]);
        assert_eq!(called("用Docker吗"), ["用", "用docker", "用docker吗", "docker", "docker吗", "吗"]);
        assert_eq!(called("a b c d e f").len(), 20);
        assert_eq!(called(&"一二三四五六七八九十".repeat(30)).len(), 80, "each name once");
        assert!(called("... -- ' ?!").is_empty());
        assert_eq!(called("a\t's:"), ["a", "a 's", "s"], "an ending by itself ends no name");
        assert_eq!(names("a b c d e f", 3).len(), 3);
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_is_survived(text in ".*") {
            for (name, spans) in names(&text, 200) {
                proptest::prop_assert_eq!(&normalise(&name), &name);
                proptest::prop_assert!(spans.iter().all(|span| span.first < span.end));
            }
        }
    }
}
