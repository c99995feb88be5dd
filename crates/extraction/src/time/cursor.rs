use super::tokens::{Kind, POSSESSIVE, Token, is_han};
use super::{chinese, english};

/// A place in a list of tokens. Each step gives a new place, so that trying costs nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(tokens: &'a [Token], at: usize) -> Self {
        Self { tokens, at }
    }

    pub(super) const fn at(self) -> usize {
        self.at
    }

    /// Whether the word here has an apostrophe inside: `we're`, whose letters are those of `were`.
    pub(super) fn is_shortened(self) -> bool {
        let token = self.tokens.get(self.at);
        token.is_some_and(|token| matches!(&token.kind, Kind::Word(word) if word.len() < token.range.len()))
    }

    /// Whether nothing follows.
    pub(super) const fn is_end(self) -> bool {
        self.at >= self.tokens.len()
    }

    fn kind(self) -> Option<&'a Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    /// Whether an English phrase, and whether a Chinese one, may begin here: some words, some Han characters and digits of either.
    pub(super) fn begins(self) -> (bool, bool) {
        match self.kind() {
            Some(Kind::Word(word)) => (english::begins(word), false),
            Some(Kind::Han(here)) => (false, chinese::begins(*here)),
            Some(Kind::Number(..)) => (true, true),
            Some(Kind::Mark(_)) | None => (false, false),
        }
    }

    const fn step(self) -> Self {
        Self { tokens: self.tokens, at: self.at + 1 }
    }

    /// The word here.
    pub(super) fn word(self) -> Option<(Self, &'a str)> {
        if let Kind::Word(word) = self.kind()? { Some((self.step(), word)) } else { None }
    }

    /// The Han character here.
    pub(super) fn han(self) -> Option<(Self, char)> {
        if let Kind::Han(c) = self.kind()? { Some((self.step(), *c)) } else { None }
    }

    /// The digits here: value and how many.
    pub(super) fn digits(self) -> Option<(Self, i64, usize)> {
        if let Kind::Number(value, len) = self.kind()? { Some((self.step(), *value, *len)) } else { None }
    }

    /// The four digits of a year that people speak of.
    pub(super) fn year(self) -> Option<(Self, i64)> {
        let (end, number @ 1900..=2099, 4) = self.digits()? else { return None };
        Some((end, number))
    }

    /// Whether an `'s` stands here.
    pub(super) fn owns(self) -> bool {
        self.mark(POSSESSIVE).is_some()
    }

    /// A mark.
    pub(super) fn mark(self, wanted: char) -> Option<Self> {
        (self.kind()? == &Kind::Mark(wanted)).then(|| self.step())
    }

    /// Words and Han characters one after the other: `day before yesterday`, `new year's eve`, `大前天`.
    pub(super) fn eat(self, pattern: &str) -> Option<Self> {
        // Hundreds of patterns are tried at each place, and nearly all of them fail here.
        let first = pattern.chars().next()?;
        let begins = match self.kind()? {
            Kind::Word(word) => word.starts_with(first),
            Kind::Han(here) => *here == first,
            Kind::Mark(here) => *here == first,
            Kind::Number(..) => false,
        };
        if !begins {
            return None;
        }
        let mut cursor = self;
        let mut rest = pattern;
        while let Some(c) = rest.chars().next() {
            if c == ' ' {
                rest = rest.get(1..)?;
            } else if c == POSSESSIVE {
                cursor = cursor.mark(c)?;
                rest = rest.get("'s".len()..)?;
            } else if is_han(c) {
                let (next, here) = cursor.han()?;
                if here != c {
                    return None;
                }
                cursor = next;
                rest = rest.get(c.len_utf8()..)?;
            } else {
                let (next, here) = cursor.word()?;
                let end = rest.find([' ', POSSESSIVE]).unwrap_or(rest.len());
                if here != rest.get(..end)? {
                    return None;
                }
                cursor = next;
                rest = rest.get(end..)?;
            }
        }
        Some(cursor)
    }

    /// The same when it is here, else this place.
    pub(super) fn maybe(self, pattern: &str) -> Self {
        self.eat(pattern).unwrap_or(self)
    }

    /// The first of several patterns that is here, and what it stands for.
    pub(super) fn one_of<T: Copy>(self, patterns: &[(&str, T)]) -> Option<(Self, T)> {
        patterns.iter().find_map(|(pattern, value)| Some((self.eat(pattern)?, *value)))
    }

    /// Whether one of several patterns is here.
    pub(super) fn any(self, patterns: &[&str]) -> Option<Self> {
        patterns.iter().find_map(|pattern| self.eat(pattern))
    }

    /// The place before this one.
    pub(super) fn back(self) -> Option<Self> {
        Some(Self { tokens: self.tokens, at: self.at.checked_sub(1)? })
    }

    /// Whether the token before this place is one of these words or characters.
    pub(super) fn follows(self, words: &[&str]) -> bool {
        let Some(before) = self.back() else { return false };
        words.iter().any(|word| before.eat(word).is_some())
    }

    /// Whether the token before this place is this mark, without white space between.
    pub(super) fn touches(self, marks: &[char]) -> bool {
        let Some(at) = self.at.checked_sub(1) else { return false };
        let (Some(before), Some(here)) = (self.tokens.get(at), self.tokens.get(self.at)) else { return false };
        before.range.end == here.range.start && marks.iter().any(|mark| before.kind == Kind::Mark(*mark))
    }

    /// Whether the token here stands right behind the one before it, without white space.
    pub(super) fn glued(self) -> bool {
        let Some(at) = self.at.checked_sub(1) else { return false };
        let (Some(before), Some(here)) = (self.tokens.get(at), self.tokens.get(self.at)) else { return false };
        before.range.end == here.range.start
    }
}
