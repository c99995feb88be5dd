//! Patterns of the tables.
//!
//! | written | what it matches |
//! |---|---|
//! | `last week`, `上周`, `'s` | these tokens |
//! | `(a\|b)`, `[a]` | one of several; the same or nothing |
//! | `{n:day}` | a number below 1900 in digits or numerals, kept in a slot |
//! | `{d:day}`; `dd`, `mm`, `yy`, `yyyy`, `y19`, `nn` | narrower numbers, kept in a slot |
//! | `{month}`, `{month:month_end}` | a class of words or a rule of the table; the same kept in another slot |
//! | `{word}`, `{*ing}`, `{han}` | any word, one with an ending, a Han character |
//! | `{begin}`, `{end}` | nothing, at the ends of the text |
//! | `@sign=1` | nothing, and fills a slot |
//! | `<a`, `<!a`, `>a`, `>!a` | nothing, where `a` stands before, does not, stands behind, does not |
//! | `_`, `^` | nothing, where no white space is before; where no mark such as `-` or `/` ties it to what is before |

use std::collections::HashSet;

use super::cursor::Cursor;
use super::slots::{Slot, Slots, name, value};
use super::tokens::{Kind, split};

pub(super) type Pattern = Vec<Piece>;

/// A list of patterns.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    pub(super) all: Vec<Pattern>,
    /// The tokens with which they begin, digits for all numbers; `None` where they may begin with
    /// any.
    pub(super) first: Option<HashSet<Kind>>,
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Literal(Kind),
    Ending(String),
    Number(Digits, Option<Slot>),
    Word,
    Han,
    Begin,
    End,
    /// No white space before.
    Glued,
    /// Not tied to what is before by a mark.
    Free,
    Set(Slot, i16),
    Any(Vec<Pattern>),
    Look {
        ahead: bool,
        wanted: bool,
        patterns: Vec<Pattern>,
    },
}

/// How a number is written, and how large it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digits {
    /// Below 1900, in digits or numerals.
    Any,
    /// From 10 to 59, in digits or numerals.
    Sixty,
    /// Four digits or numerals.
    Four,
    /// So many digits at the least and at the most.
    Between(usize, usize),
    /// A month in digits.
    Month,
    /// A year from 1900 to 2099 in digits.
    Century,
}

/// How far before a place a pattern is looked for, in tokens.
const BEHIND: usize = 8;

impl<'a> Cursor<'a> {
    /// Calls `then` for each way in which a pattern matches here, until it answers true.
    pub(super) fn run(
        self,
        pattern: &[Piece],
        slots: Slots,
        then: &mut dyn FnMut(Self, Slots) -> bool,
    ) -> bool {
        let Some((piece, rest)) = pattern.split_first() else {
            return then(self, slots);
        };
        match piece {
            Piece::Any(patterns) => patterns
                .iter()
                .any(|one| self.run(one, slots, &mut |at, slots| at.run(rest, slots, then))),
            Piece::Look {
                ahead,
                wanted,
                patterns,
            } => {
                let found = if *ahead {
                    self.is_one(patterns)
                } else {
                    self.behind_of(patterns).is_some()
                };
                found == *wanted && self.run(rest, slots, then)
            }
            Piece::Set(slot, value) => self.run(rest, slots.with(*slot, *value), then),
            Piece::Number(digits, slot) => self.number(*digits).is_some_and(|(at, value)| {
                let slots = slot.map_or(slots, |slot| slots.with(slot, value));
                at.run(rest, slots, then)
            }),
            piece => self
                .step_over(piece)
                .is_some_and(|at| at.run(rest, slots, then)),
        }
    }

    fn step_over(self, piece: &Piece) -> Option<Self> {
        let fits = match piece {
            Piece::Literal(kind) => self.kind()? == kind,
            Piece::Ending(ending) => {
                matches!(self.kind()?, Kind::Word(word) if word.ends_with(ending) && word.len() > ending.len() + 1)
            }
            Piece::Word => matches!(self.kind()?, Kind::Word(_)),
            Piece::Han => matches!(self.kind()?, Kind::Han(_)),
            Piece::Begin => return (self.at() == 0).then_some(self),
            Piece::End => return self.kind().is_none().then_some(self),
            Piece::Glued => return self.glued().then_some(self),
            Piece::Free => return (!self.is_tied()).then_some(self),
            _ => false,
        };
        fits.then(|| self.step())
    }

    fn number(self, digits: Digits) -> Option<(Self, i16)> {
        let in_digits = matches!(self.kind(), Some(Kind::Number(..)));
        let (end, value, length) = super::number::read(self)?;
        let fits = match digits {
            Digits::Any => value < 1900,
            Digits::Sixty => (10..60).contains(&value),
            Digits::Four => length == 4,
            Digits::Between(least, most) => in_digits && (least..=most).contains(&length),
            Digits::Month => in_digits && length <= 2 && (1..=12).contains(&value),
            Digits::Century => in_digits && length == 4 && (1900..2100).contains(&value),
        };
        Some((end, i16::try_from(value).ok().filter(|_| fits)?))
    }

    /// Whether one of the patterns begins here.
    pub(super) fn matches(self, list: &Patterns) -> bool {
        self.may_begin(list) && self.is_one(&list.all)
    }

    /// The longest match of the patterns here.
    pub(super) fn longest(self, list: &Patterns) -> Option<(Self, Slots)> {
        if self.may_begin(list) {
            self.longest_of(&list.all)
        } else {
            None
        }
    }

    fn may_begin(self, list: &Patterns) -> bool {
        list.first
            .as_ref()
            .is_none_or(|first| self.key().is_some_and(|kind| first.contains(kind)))
    }

    /// The token here as an index has it: all numbers are one.
    pub(super) fn key(self) -> Option<&'a Kind> {
        const NUMBER: &Kind = &Kind::Number(0, 0);
        Some(match self.kind()? {
            Kind::Number(..) => NUMBER,
            kind => kind,
        })
    }

    fn is_one(self, patterns: &[Pattern]) -> bool {
        patterns
            .iter()
            .any(|one| self.run(one, Slots::default(), &mut |_, _| true))
    }

    pub(super) fn longest_of(self, patterns: &[Pattern]) -> Option<(Self, Slots)> {
        let mut best: Option<(Self, Slots)> = None;
        for one in patterns {
            self.run(one, Slots::default(), &mut |at, slots| {
                if best.is_none_or(|(end, _)| end.at() < at.at()) {
                    best = Some((at, slots));
                }
                false
            });
        }
        best
    }

    /// The longest match that ends here.
    pub(super) fn behind(self, list: &Patterns) -> Option<Slots> {
        self.behind_of(&list.all)
    }

    fn behind_of(self, patterns: &[Pattern]) -> Option<Slots> {
        let first = self.at().saturating_sub(BEHIND);
        (first..=self.at()).find_map(|start| {
            let mut found = None;
            patterns.iter().any(|one| {
                self.to(start).run(one, Slots::default(), &mut |at, slots| {
                    let ends = at.at() == self.at();
                    found = ends.then_some(slots);
                    ends
                })
            });
            found
        })
    }
}

/// The patterns of a name in braces: a class of words or a rule.
pub(super) type Names<'t> = dyn Fn(&str) -> Result<Vec<Pattern>, String> + 't;

/// Reads the alternatives that a table writes.
pub(super) fn parse(text: &str, names: &Names<'_>) -> Result<Vec<Pattern>, String> {
    let mut parser = Parser { rest: text, names };
    let patterns = parser
        .alternatives()
        .map_err(|what| format!("{what} in {text}"))?;
    if parser.rest.is_empty() {
        Ok(patterns)
    } else {
        Err(format!("an unexpected {} in {text}", parser.rest))
    }
}

struct Parser<'t, 'n> {
    rest: &'t str,
    names: &'n Names<'n>,
}

const SPECIAL: &[char] = &['(', ')', '[', ']', '{', '}', '|', '<', '>', '_', '^', '@'];

impl Parser<'_, '_> {
    fn alternatives(&mut self) -> Result<Vec<Pattern>, String> {
        let mut all = vec![self.sequence()?];
        while self.eat("|") {
            all.push(self.sequence()?);
        }
        Ok(all)
    }

    fn sequence(&mut self) -> Result<Pattern, String> {
        let mut pattern = Pattern::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with(['|', ')', ']']) {
                return Ok(pattern);
            }
            pattern.extend(self.atom()?);
        }
    }

    fn atom(&mut self) -> Result<Pattern, String> {
        if self.eat("(") {
            let all = self.alternatives()?;
            return self.close(")").map(|()| vec![Piece::Any(all)]);
        }
        if self.eat("[") {
            let mut all = self.alternatives()?;
            all.push(Pattern::new());
            return self.close("]").map(|()| vec![Piece::Any(all)]);
        }
        if self.rest.starts_with(['<', '>']) {
            let ahead = self.eat(">") || !self.eat("<");
            let wanted = !self.eat("!");
            return Ok(vec![Piece::Look {
                ahead,
                wanted,
                patterns: vec![self.atom()?],
            }]);
        }
        if self.eat("{") {
            let (name, rest) = self.rest.split_once('}').ok_or("an open brace")?;
            self.rest = rest;
            return named(name, self.names);
        }
        if self.eat("_") {
            return Ok(vec![Piece::Glued]);
        }
        if self.eat("^") {
            return Ok(vec![Piece::Free]);
        }
        let set = self.eat("@");
        let end = self
            .rest
            .find(|c: char| SPECIAL.contains(&c) && !(set && c == '_') || c.is_whitespace());
        let (run, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if !set {
            return Ok(split(run)
                .into_iter()
                .map(|token| Piece::Literal(token.kind))
                .collect());
        }
        let (slot, text) = run.split_once('=').ok_or("a slot without a value")?;
        let slot = name::<Slot>(slot).ok_or_else(|| format!("the unknown slot {slot}"))?;
        let value = value(slot, text).ok_or_else(|| format!("the unknown value {text}"))?;
        Ok(vec![Piece::Set(slot, value)])
    }

    fn eat(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn close(&mut self, bracket: &str) -> Result<(), String> {
        if self.eat(bracket) {
            Ok(())
        } else {
            Err(format!("no {bracket}"))
        }
    }
}

/// The pattern of braces: `{n:day}`, `{month}`, `{word}`.
fn named(text: &str, names: &Names<'_>) -> Result<Pattern, String> {
    let (text, slot) = match text.split_once(':') {
        Some((text, slot)) => (
            text,
            Some(name::<Slot>(slot).ok_or_else(|| format!("the unknown slot {slot}"))?),
        ),
        None => (text, None),
    };
    let number = |digits| Ok(vec![Piece::Number(digits, slot)]);
    match text {
        "n" => number(Digits::Any),
        "nn" => number(Digits::Sixty),
        "d" => number(Digits::Between(1, 1)),
        "dd" => number(Digits::Between(1, 2)),
        "yy" => number(Digits::Between(2, 2)),
        "mm" => number(Digits::Month),
        "yyyy" => number(Digits::Four),
        "y19" => number(Digits::Century),
        "word" => Ok(vec![Piece::Word]),
        "han" => Ok(vec![Piece::Han]),
        "begin" => Ok(vec![Piece::Begin]),
        "end" => Ok(vec![Piece::End]),
        _ => {
            if let Some(ending) = text.strip_prefix('*') {
                return Ok(vec![Piece::Ending(ending.to_owned())]);
            }
            let mut patterns = names(text)?;
            if let Some(slot) = slot {
                patterns
                    .iter_mut()
                    .for_each(|pattern| keep_in(pattern, slot));
            }
            Ok(vec![Piece::Any(patterns)])
        }
    }
}

/// Makes a pattern keep what it reads in one slot.
fn keep_in(pattern: &mut Pattern, kept: Slot) {
    for piece in pattern {
        match piece {
            Piece::Set(slot, _) | Piece::Number(_, Some(slot)) => *slot = kept,
            Piece::Any(patterns) => patterns
                .iter_mut()
                .for_each(|pattern| keep_in(pattern, kept)),
            _ => {}
        }
    }
}
