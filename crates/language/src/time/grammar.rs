//! The tables of the languages, read once.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use super::clock::Part;
use super::cursor::Cursor;
use super::meaning::Meaning;
use super::pattern::{Digits, Pattern, Patterns, Piece, parse};
use super::slots::{Slot, Slots, name, value};
use super::tokens::{Kind, split};

/// One table a language, the digits first: their rules are known to all.
const TABLES: [&str; 3] = [
    include_str!("tables/digits.toml"),
    include_str!("tables/english.toml"),
    include_str!("tables/chinese.toml"),
];

/// Rules name each other no deeper than this.
const DEEPEST: usize = 12;

/// All tables together.
#[derive(Debug, Default)]
pub(super) struct Grammar {
    rows: Vec<(Meaning, Pattern)>,
    /// The rows that may begin with a token; digits stand for all numbers.
    beginning: HashMap<Kind, Vec<usize>>,
    lists: BTreeMap<List, Patterns>,
    pub(super) numerals: HashMap<Kind, Numeral>,
    /// The parts of a day as each language writes them beside a date.
    labels: Vec<BTreeMap<String, String>>,
}

/// The value of a numeral.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numeral {
    Value(i64),
    /// It multiplies the one before: 十, 百.
    Times(i64),
}

/// Patterns that are no phrases by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum List {
    /// A time of day that cannot be anything else.
    Clocks,
    /// The time of day behind a date.
    Times,
    /// Between a time of day and its date.
    Joins,
    /// Before a phrase: it comes again and again.
    Never,
    /// Before a phrase: it is a bound.
    Leads,
    /// Behind a phrase: it is a bound.
    Trails,
    /// Before and behind a phrase that something goes on from.
    From,
    Onwards,
    /// Before a phrase: it is left out.
    LeftOut,
    /// Before a phrase: it is left out, unless the text asks.
    Denied,
    /// Behind a phrase: it is left out.
    LeftOutBehind,
    /// Between the ends of a stretch.
    Stretches,
    /// The same where `Between` or `BetweenBehind` stands beside them.
    Pairs,
    Between,
    BetweenBehind,
    /// Between two phrases in a row, with how they are joined.
    Joints,
    /// Words that join two bounds.
    Links,
    /// A sentence with it tells of what comes again and again.
    Again,
    /// A sentence with it tells of what is to come.
    Ahead,
    /// A question with it asks of what is to come, where it does not tell of what was.
    AsksAhead,
    /// A sentence with it tells of what was.
    Over,
    /// Verbs.
    Past,
    Present,
    Future,
    /// Before a phrase: something is told about that time, or is of it.
    ToldOf,
    /// Behind a phrase: something that is of that time.
    OfThatTime,
    /// Words that may stand before a phrase that begins a sentence.
    Light,
    /// Behind a bound: how something was before it.
    WasThere,
    /// Before a bound: what was counted up to it.
    CountedUpTo,
    /// Questions for a time.
    When,
    /// Questions for the last time.
    Latest,
    /// Words of talking.
    Talk,
    /// Words of a question for nothing but a time.
    Fillers,
    /// A question with it asks how something was before it changed.
    Earlier,
    /// A question with it asks how something is now.
    Current,
    /// Words with which people speak of themselves.
    FirstPerson,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    numerals: BTreeMap<String, String>,
    #[serde(default)]
    multipliers: BTreeMap<String, String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    words: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(default)]
    rules: BTreeMap<String, String>,
    #[serde(default)]
    rows: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    lists: BTreeMap<String, Vec<String>>,
}

pub(super) fn grammar() -> &'static Grammar {
    // The tables are part of the program, and a test reads them: this fails nowhere else.
    static GRAMMAR: LazyLock<Grammar> =
        LazyLock::new(|| Grammar::read(&TABLES).unwrap_or_default());
    &GRAMMAR
}

impl Grammar {
    fn read(texts: &[&str]) -> Result<Self, String> {
        let tables = texts
            .iter()
            .map(|text| toml::from_str::<Table>(text).map_err(|error| error.to_string()));
        let tables: Vec<Table> = tables.collect::<Result<_, _>>()?;
        let mut grammar = Self::default();
        for (language, table) in tables.iter().enumerate() {
            let known = |name: &str| {
                Scope {
                    tables: &tables,
                    language,
                }
                .named(name, 0)
            };
            let number = i16::try_from(language).map_err(|_| "too many tables")?;
            let read = |row: &str| -> Result<Vec<Pattern>, String> {
                let mut patterns = parse(row, &known)?;
                patterns
                    .iter_mut()
                    .for_each(|pattern| pattern.push(Piece::Set(Slot::Language, number)));
                Ok(patterns)
            };
            for (meaning, rows) in &table.rows {
                let meaning = name::<Meaning>(meaning)
                    .ok_or_else(|| format!("the unknown meaning {meaning}"))?;
                for row in rows {
                    grammar
                        .rows
                        .extend(read(row)?.into_iter().map(|pattern| (meaning, pattern)));
                }
            }
            for (list, rows) in &table.lists {
                let list = name::<List>(list).ok_or_else(|| format!("the unknown list {list}"))?;
                for row in rows {
                    grammar
                        .lists
                        .entry(list)
                        .or_default()
                        .all
                        .extend(read(row)?);
                }
            }
            if table.words.contains_key("joint") {
                grammar
                    .lists
                    .entry(List::Joints)
                    .or_default()
                    .all
                    .extend(known("joint")?);
            }
            grammar.add_numerals(&table.numerals, Numeral::Value)?;
            grammar.add_numerals(&table.multipliers, Numeral::Times)?;
            grammar.labels.push(table.labels.clone());
        }
        grammar.rows.sort_by_key(|(meaning, _)| *meaning);
        grammar.index()?;
        Ok(grammar)
    }

    fn add_numerals(
        &mut self,
        list: &BTreeMap<String, String>,
        of: fn(i64) -> Numeral,
    ) -> Result<(), String> {
        for (value, words) in list {
            let value = value.parse().map_err(|_| format!("{value} is no number"))?;
            let tokens = words.split('|').flat_map(split);
            self.numerals
                .extend(tokens.map(|token| (token.kind, of(value))));
        }
        Ok(())
    }

    fn index(&mut self) -> Result<(), String> {
        for (row, (meaning, pattern)) in self.rows.iter().enumerate() {
            let mut first = Vec::new();
            if firsts(pattern, &self.numerals, &mut first) {
                return Err(format!("a row of {meaning:?} may begin with anything"));
            }
            for kind in first {
                let rows = self.beginning.entry(kind).or_default();
                if rows.last() != Some(&row) {
                    rows.push(row);
                }
            }
        }
        for list in self.lists.values_mut() {
            let mut first = Vec::new();
            let open = list
                .all
                .iter()
                .filter(|one| firsts(one, &self.numerals, &mut first))
                .count();
            list.first = (open == 0).then(|| first.into_iter().collect());
        }
        Ok(())
    }

    /// The longest row at a place. Of equal ones the first in the order of the meanings counts.
    pub(super) fn row<'a>(&self, at: Cursor<'a>) -> Option<(Cursor<'a>, Meaning, Slots)> {
        let mut best: Option<(Cursor<'a>, Meaning, Slots)> = None;
        for (meaning, pattern) in self
            .beginning
            .get(at.key()?)?
            .iter()
            .filter_map(|row| self.rows.get(*row))
        {
            if let Some((end, slots)) = at.longest_of(std::slice::from_ref(pattern))
                && best.as_ref().is_none_or(|(best, ..)| best.at() < end.at())
            {
                best = Some((end, *meaning, slots));
            }
        }
        best
    }

    pub(super) fn list(&self, list: List) -> &Patterns {
        const NONE: &Patterns = &Patterns {
            all: Vec::new(),
            first: None,
        };
        self.lists.get(&list).unwrap_or(NONE)
    }

    /// How the language of a word writes a part of a day.
    pub(super) fn label(&self, part: Part, language: i64) -> Option<&str> {
        let labels = self.labels.get(usize::try_from(language).ok()?)?;
        labels
            .iter()
            .find(|(key, _)| name::<Part>(key) == Some(part))
            .map(|(_, label)| label.as_str())
    }
}

/// The names that a table may use: its own classes and rules, and those of the first table.
struct Scope<'t> {
    tables: &'t [Table],
    language: usize,
}

impl Scope<'_> {
    fn named(&self, wanted: &str, depth: usize) -> Result<Vec<Pattern>, String> {
        let unknown = || format!("the unknown name {wanted}");
        if depth > DEEPEST {
            return Err(format!("a rule that names itself: {wanted}"));
        }
        let own = self.tables.get(self.language).into_iter();
        let mut tables = own.chain(self.tables.first());
        if let Some(text) = tables.clone().find_map(|table| table.rules.get(wanted)) {
            return parse(text, &|name| self.named(name, depth + 1));
        }
        let words = tables
            .find_map(|table| table.words.get(wanted))
            .ok_or_else(unknown)?;
        let slot = wanted
            .split('.')
            .next()
            .and_then(name::<Slot>)
            .ok_or_else(unknown)?;
        let mut patterns = Vec::new();
        for (text, words) in words {
            let value =
                value(slot, text).ok_or_else(|| format!("the unknown value {text} of {wanted}"))?;
            for word in words.split('|') {
                let mut pattern: Pattern = split(word)
                    .into_iter()
                    .map(|token| Piece::Literal(token.kind))
                    .collect();
                pattern.push(Piece::Set(slot, value));
                patterns.push(pattern);
            }
        }
        Ok(patterns)
    }
}

/// The tokens that a pattern may begin with, and whether it may begin with anything or with
/// nothing.
fn firsts(pattern: &[Piece], numerals: &HashMap<Kind, Numeral>, first: &mut Vec<Kind>) -> bool {
    for piece in pattern {
        match piece {
            Piece::Literal(Kind::Number(..)) => first.push(Kind::Number(0, 0)),
            Piece::Literal(kind) => first.push(kind.clone()),
            Piece::Number(digits, _) => {
                first.push(Kind::Number(0, 0));
                if matches!(digits, Digits::Any | Digits::Sixty | Digits::Four) {
                    first.extend(numerals.keys().cloned());
                }
            }
            Piece::Any(patterns) => {
                let open = patterns
                    .iter()
                    .filter(|one| firsts(one, numerals, first))
                    .count();
                if open > 0 {
                    continue;
                }
            }
            Piece::Ending(_) | Piece::Word | Piece::Han => return true,
            Piece::Begin
            | Piece::End
            | Piece::Glued
            | Piece::Free
            | Piece::Set(..)
            | Piece::Look { .. } => continue,
        }
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_read() {
        let grammar = Grammar::read(&TABLES).unwrap();
        assert!(grammar.rows.len() > 100);
        for table in [
            "[rows]\nday = ['{nothing}']",
            "[rows]\nday = ['(a']",
            "[rows]\nday = ['@sign=x']",
            "[rows]\nday = ['{word}']",
        ] {
            assert!(Grammar::read(&[table]).is_err(), "{table}");
        }
    }
}
