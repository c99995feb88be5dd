//! The table of the built-in redactor, and the rules of a profile.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use annals_types::profile::PrivacyRule;
use annals_types::{Finding, InvalidValue, Redactor, Sensitive};

use crate::half_width;
use regex::{Captures, Regex, RegexBuilder};
use serde::Deserialize;

use super::checks::Check;

const TABLE: &str = include_str!("rules.toml");

/// The most that a compiled pattern of a profile may take, in bytes.
const MAX_PATTERN: usize = 1 << 20;
/// How far before a match a rule looks, in bytes.
const BEFORE: usize = 256;
/// The most characters of a secret in quotes.
const MOST_QUOTED: usize = 128;
/// Parts of the table name each other no deeper than this.
const DEEPEST: usize = 4;

/// The redactor that the table makes: known beginnings, check digits and labels.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltInRedactor;

impl Redactor for BuiltInRedactor {
    fn find(&self, text: &str) -> Vec<Finding> {
        // The table is a part of the program, and a test reads it: this fails nowhere else.
        static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| read(TABLE).unwrap_or_default());
        let text = Narrow::new(text);
        let lower = text.words.to_lowercase();
        let mut found = Vec::new();
        for rule in RULES.iter().filter(|rule| rule.may_be_in(&lower)) {
            if let Ok(patterns) = rule.patterns.get_or_init(|| rule.compile()) {
                rule.find(patterns, &text, &mut found);
            }
        }
        found
    }
}

/// The rules of a profile.
#[derive(Debug, Default)]
pub(super) struct OwnRules(Vec<(Sensitive, Regex)>);

impl OwnRules {
    pub(super) fn new(rules: &[PrivacyRule]) -> Result<Self, InvalidValue> {
        let compiled = |rule: &PrivacyRule| {
            let pattern = RegexBuilder::new(&rule.pattern)
                .size_limit(MAX_PATTERN)
                .build();
            let pattern = pattern.map_err(|_| InvalidValue::Unknown {
                field: "pattern of a privacy rule",
                value: rule.pattern.chars().take(60).collect(),
                allowed: "regular expressions of the regex crate, of at most 1 MiB when compiled",
            })?;
            let kind = Sensitive::ALL
                .into_iter()
                .find(|kind| kind.as_str() == rule.name.as_str());
            Ok((
                kind.unwrap_or_else(|| Sensitive::Custom(rule.name.clone())),
                pattern,
            ))
        };
        rules
            .iter()
            .map(compiled)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    pub(super) fn find(&self, text: &str) -> Vec<Finding> {
        let of = |(kind, pattern): &(Sensitive, Regex)| -> Vec<Finding> {
            let range = |found: Captures<'_>| Finding {
                kind: kind.clone(),
                range: value(&found),
            };
            pattern.captures_iter(text).map(range).collect()
        };
        self.0.iter().flat_map(of).collect()
    }
}

/// The groups of values in quotes.
const QUOTED: [&str; 5] = ["a", "c", "d", "e", "f"];

/// The bytes of the first named group that matched, else of all.
fn value(found: &Captures<'_>) -> Range<usize> {
    let group = found
        .name("v")
        .or_else(|| QUOTED.iter().find_map(|name| found.name(name)));
    group
        .or_else(|| found.get(0))
        .map_or(0..0, |part| part.range())
}

/// Whether a value in quotes is a passage and no secret.
fn is_passage(found: &Captures<'_>) -> bool {
    let quoted = QUOTED.iter().find_map(|name| found.name(name));
    quoted.is_some_and(|part| part.as_str().chars().nth(MOST_QUOTED).is_some())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    parts: BTreeMap<String, String>,
    rules: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    kind: String,
    hint: Option<String>,
    pattern: String,
    #[serde(default)]
    least: usize,
    #[serde(default)]
    check: Check,
    deny: Option<String>,
    before: Option<String>,
    unless: Option<String>,
    behind: Option<String>,
}

/// A row of the table. Its patterns are compiled when a text may hold what it finds.
#[derive(Debug)]
struct Rule {
    kind: Sensitive,
    row: Row,
    patterns: OnceLock<Result<Patterns, String>>,
}

#[derive(Debug)]
struct Patterns {
    pattern: Regex,
    deny: Option<Regex>,
    before: Option<Regex>,
    unless: Option<Regex>,
    behind: Option<Regex>,
}

/// The rows of the table, each part in the place of its name.
fn read(text: &str) -> Result<Vec<Rule>, String> {
    let Table { parts, rules } = toml::from_str(text).map_err(|error| error.to_string())?;
    let whole = |pattern: &mut String| {
        for _ in 0..DEEPEST {
            for (name, part) in &parts {
                *pattern = pattern.replace(&format!("<{name}>"), part);
            }
        }
        // A line of the table goes on behind a backslash.
        *pattern = pattern.replace("\\\n", "");
    };
    let rule = |mut row: Row| {
        let kind = Sensitive::ALL
            .into_iter()
            .find(|kind| kind.as_str() == row.kind);
        let kind = kind.ok_or_else(|| format!("the unknown kind {}", row.kind))?;
        let others = [
            &mut row.deny,
            &mut row.before,
            &mut row.unless,
            &mut row.behind,
        ];
        others
            .into_iter()
            .flatten()
            .chain([&mut row.pattern])
            .for_each(whole);
        Ok(Rule {
            kind,
            row,
            patterns: OnceLock::new(),
        })
    };
    rules.into_iter().map(rule).collect()
}

impl Rule {
    /// Whether a text in lower case holds one of the hints, or a digit where the rule has none.
    fn may_be_in(&self, lower: &str) -> bool {
        match &self.row.hint {
            Some(hints) => hints.split('|').any(|hint| lower.contains(hint)),
            None => lower.bytes().any(|b| b.is_ascii_digit()),
        }
    }

    fn compile(&self) -> Result<Patterns, String> {
        let compile = |pattern: &str| Regex::new(pattern).map_err(|error| error.to_string());
        let option = |pattern: &Option<String>| pattern.as_deref().map(compile).transpose();
        Ok(Patterns {
            pattern: compile(&self.row.pattern)?,
            deny: option(&self.row.deny)?,
            before: option(&self.row.before)?,
            unless: option(&self.row.unless)?,
            behind: option(&self.row.behind)?,
        })
    }

    fn find(&self, patterns: &Patterns, text: &Narrow<'_>, found: &mut Vec<Finding>) {
        let words = text.words.as_ref();
        let mut at = 0;
        while let Some(hit) = patterns.pattern.captures_at(words, at) {
            let Some(whole) = hit.get(0) else { return };
            let accepted = self.accepts(
                patterns,
                words,
                &whole.range(),
                &value(&hit),
                hit.name("v").is_none(),
            );
            let accepted = accepted.filter(|_| !is_passage(&hit));
            if let Some(range) = accepted.map(|range| grown(words, range)) {
                found.push(Finding {
                    kind: self.kind.clone(),
                    range: text.place(range.start)..text.place(range.end),
                });
                at = range.end.max(whole.start() + 1);
            } else {
                // Another match may begin inside of this one.
                at = words.ceil_char_boundary(whole.start() + 1);
            }
        }
    }

    /// The bytes of the value, where the rest of the rule fits.
    fn accepts(
        &self,
        patterns: &Patterns,
        words: &str,
        whole: &Range<usize>,
        value: &Range<usize>,
        quoted: bool,
    ) -> Option<Range<usize>> {
        let end = |end: usize| {
            words
                .get(value.start..end)
                .map(|text| text.trim_end_matches(['.', ')', ']', '}', ':', '-']))
        };
        let trims = !quoted
            && matches!(
                self.row.check,
                Check::Value | Check::Mixed | Check::Digits | Check::LettersAndDigits
            );
        let text = if trims {
            end(value.end)?
        } else {
            words.get(value.clone())?
        };
        let range = value.start..value.start + text.len();
        let before =
            words.get(words.ceil_char_boundary(whole.start.saturating_sub(BEFORE))..whole.start)?;
        let behind = words.get(range.end..)?;
        let fits = |pattern: &Option<Regex>, text: &str| {
            pattern
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(text))
        };
        if text.len() < self.row.least
            || fits(&patterns.deny, text)
            || fits(&patterns.before, before)
        {
            return None;
        }
        let between = words.get(whole.start..value.start)?;
        let near = words.get(range.end..words.floor_char_boundary(range.end + BEFORE))?;
        if fits(&patterns.behind, near) || fits(&patterns.unless, between) {
            return None;
        }
        let shorter = self
            .row
            .check
            .accepts(text, words.get(..value.start)?, behind, quoted)?;
        Some(range.start..range.start + shorter)
    }
}

/// All of a long value: patterns bound how much of it they read, for a text that is all one would
/// cost the square of its length otherwise.
fn grown(words: &str, range: Range<usize>) -> Range<usize> {
    const LONG: usize = 64;
    if range.len() < LONG {
        return range;
    }
    let rest = words.get(range.end..).unwrap_or_default();
    let more = rest
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        .count();
    range.start..range.end + more
}

/// A text in half-width forms, and where each byte of it stands in the text as it was.
struct Narrow<'a> {
    words: std::borrow::Cow<'a, str>,
    /// Behind each character whose length changed: its end in `words`, and its end in the text.
    shifts: Vec<(usize, usize)>,
}

impl<'a> Narrow<'a> {
    fn new(text: &'a str) -> Self {
        let narrow = |c: char| if c == '\u{A0}' { ' ' } else { half_width(c) };
        if text.is_ascii() || text.chars().all(|c| narrow(c) == c) {
            return Self {
                words: text.into(),
                shifts: Vec::new(),
            };
        }
        let (mut words, mut shifts) = (String::with_capacity(text.len()), Vec::new());
        for (at, c) in text.char_indices() {
            let other = narrow(c);
            words.push(other);
            if other.len_utf8() != c.len_utf8() {
                shifts.push((words.len(), at + c.len_utf8()));
            }
        }
        Self {
            words: words.into(),
            shifts,
        }
    }

    fn place(&self, at: usize) -> usize {
        let before = self.shifts.partition_point(|(end, _)| *end <= at);
        let last = before.checked_sub(1).and_then(|last| self.shifts.get(last));
        last.map_or(at, |(end, place)| place + (at - end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let rules = read(TABLE).unwrap();
        assert!(rules.len() > 20);
        for rule in rules {
            assert!(rule.compile().is_ok(), "{rule:?}");
        }
        assert!(read("[parts]\n[[rules]]\nkind = 'secret'\npattern = 'a'").is_err());
        let broken = read("[parts]\n[[rules]]\nkind = 'card'\npattern = '('").unwrap();
        assert!(broken[0].compile().is_err());
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "é１２\u{A0}x";
        let narrow = Narrow::new(text);
        assert_eq!(narrow.words, "é12 x");
        for (at, place) in [(0, 0), (2, 2), (3, 5), (4, 8), (5, 10), (6, 11)] {
            assert_eq!(narrow.place(at), place, "{at}");
        }
    }
}
