//! The way that a sentence points with a weekday, or with a month without a year.

use std::ops::Range;

use super::cursor::Cursor;
use super::grammar::{List, grammar};
use super::tokens::{Kind, Token};
use super::{Bound, Phrase};

/// The side of now that a sentence tells of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Behind,
    Ahead,
    /// It comes again and again.
    Again,
}

/// The tense of a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tense {
    Past,
    Present,
    /// `we are meeting`, `let's`, `I'll`.
    Future,
}

impl Way {
    pub(super) fn of(tokens: &[Token], phrase: &Phrase) -> Self {
        let sentence = Sentence::around(tokens, &phrase.range);
        if sentence.says(List::Again) {
            Self::Again
        } else if sentence.says(List::Ahead) || sentence.reaches_ahead(phrase) {
            Self::Ahead
        } else {
            Self::Behind
        }
    }

    /// The way in a question, which lies behind unless its verb asks of what is to come.
    pub(super) fn asked(tokens: &[Token], phrase: &Phrase) -> Self {
        let sentence = Sentence::around(tokens, &phrase.range);
        let is_past = || sentence.says(List::Past) || sentence.says(List::Over);
        let is_ahead = || {
            [List::AsksAhead, List::Ahead]
                .into_iter()
                .any(|list| sentence.says(list))
                || sentence.tense(phrase.bound) == Some(Tense::Future)
        };
        if sentence.says(List::Again) {
            Self::Again
        } else if is_ahead() && !is_past() && !sentence.tells_of(phrase) {
            Self::Ahead
        } else {
            Self::Behind
        }
    }
}

/// Whether the sentence of a phrase tells neither of what was nor of what comes again, nor of what is
/// of that time or begins with it ("from today").
pub(super) fn goes_on_once(tokens: &[Token], phrase: &Phrase) -> bool {
    let sentence = Sentence::around(tokens, &phrase.range);
    let is_over = sentence.tense(phrase.bound) == Some(Tense::Past) || sentence.says(List::Over);
    !is_over && !sentence.says(List::Again) && !sentence.tells_of(phrase)
}

/// Whether each sentence has one of some phrases.
pub(super) fn each_sentence_has(tokens: &[Token], phrases: &[&Phrase]) -> bool {
    let with_one: Vec<_> = phrases
        .iter()
        .map(|phrase| Sentence::around(tokens, &phrase.range).whole)
        .collect();
    let is_mark = |token: &Token| matches!(token.kind, Kind::Mark(_));
    tokens
        .iter()
        .enumerate()
        .all(|(at, token)| is_mark(token) || with_one.iter().any(|whole| whole.contains(&at)))
}

/// The tokens of a sentence, and those of a phrase in it.
struct Sentence<'a> {
    tokens: &'a [Token],
    whole: Range<usize>,
    phrase: Range<usize>,
}

impl<'a> Sentence<'a> {
    fn around(tokens: &'a [Token], phrase: &Range<usize>) -> Self {
        let ends = |token: &Token| matches!(token.kind, Kind::Mark('.' | '!' | '?' | ';' | '。'));
        let first = tokens
            .iter()
            .rposition(|token| token.range.end <= phrase.start && ends(token));
        let after = tokens
            .iter()
            .position(|token| token.range.start >= phrase.end && ends(token));
        let start = tokens
            .iter()
            .position(|token| token.range.start >= phrase.start);
        let end = tokens
            .iter()
            .position(|token| token.range.start >= phrase.end);
        let whole = first.map_or(0, |end| end + 1)..after.unwrap_or(tokens.len());
        let phrase = start.unwrap_or(whole.start)..end.unwrap_or(tokens.len());
        Self {
            tokens,
            whole,
            phrase,
        }
    }

    fn at(&self, place: usize) -> Cursor<'a> {
        Cursor::new(self.tokens, place)
    }

    fn says(&self, list: List) -> bool {
        self.whole
            .clone()
            .any(|place| self.at(place).matches(grammar().list(list)))
    }

    /// Whether something is told about the time of a phrase, or is of it: "the notes from Monday".
    fn tells_of(&self, phrase: &Phrase) -> bool {
        !phrase.joined
            && self
                .at(self.phrase.start)
                .behind(grammar().list(List::ToldOf))
                .is_some()
            || self
                .at(self.phrase.end)
                .matches(grammar().list(List::OfThatTime))
    }

    /// Whether what is said goes on up to a time, and is not told of what was; or is to be at that
    /// time, as its verb says.
    fn reaches_ahead(&self, phrase: &Phrase) -> bool {
        let tense = self.tense(phrase.bound);
        let follows = |list| {
            self.at(self.phrase.start)
                .behind(grammar().list(list))
                .is_some()
        };
        let goes_on = || tense != Some(Tense::Past) && !self.says(List::Over);
        match phrase.bound {
            Bound::Until => goes_on() && !follows(List::CountedUpTo),
            // How something is before a day may be how it was: 周五之前我在北京.
            Bound::Before => {
                let mut behind = self.phrase.end..self.whole.end;
                goes_on()
                    && !behind.any(|place| self.at(place).matches(grammar().list(List::WasThere)))
            }
            // The notes from Monday are there already, but not what is from Monday to Wednesday.
            Bound::Within => tense == Some(Tense::Future) && !self.tells_of(phrase),
            Bound::Since => tense == Some(Tense::Future),
            Bound::After => false,
        }
    }

    /// The tense of the verb next before the phrase; where none is, of the one behind a phrase
    /// that begins the sentence or goes up to its time.
    fn tense(&self, bound: Bound) -> Option<Tense> {
        let before = self.whole.start..self.phrase.start;
        let begins = bound != Bound::Within
            || before
                .clone()
                .all(|place| self.at(place).matches(grammar().list(List::Light)));
        let behind = || self.nearest(self.phrase.end..self.whole.end);
        self.nearest(before.rev())
            .or_else(|| if begins { behind() } else { None })
    }

    /// The tense of the first verb at some places. A verb of the present may be one of what is to
    /// come, as in "let's have dinner".
    fn nearest(&self, places: impl Iterator<Item = usize>) -> Option<Tense> {
        let tense = |place| {
            let is = |list| self.at(place).matches(grammar().list(list));
            let tenses = [
                (List::Future, Tense::Future),
                (List::Present, Tense::Present),
                (List::Past, Tense::Past),
            ];
            tenses
                .into_iter()
                .find_map(|(list, tense)| is(list).then_some(tense))
        };
        let mut tenses = places.filter_map(tense);
        let first = tenses.next()?;
        let then = if first == Tense::Present {
            tenses.find(|tense| *tense != first)
        } else {
            None
        };
        Some(
            then.filter(|tense| *tense == Tense::Future)
                .unwrap_or(first),
        )
    }
}
