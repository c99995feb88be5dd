//! Which way a sentence points with a weekday, or with a month without a year.

use std::ops::Range;

use super::cursor::Cursor;
use super::tense::{Tense, nearest};
use super::tokens::{Kind, Token};
use super::{Bound, Phrase};

/// Where what a sentence tells lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Behind,
    Ahead,
    /// It comes again and again.
    Again,
}

impl Way {
    pub(super) fn of(tokens: &[Token], phrase: &Phrase) -> Self {
        const AGAIN: [&str; 11] =
            ["every", "each", "usually", "always", "often", "每", "通常", "总是", "平时", "经常", "一般"];
        const AHEAD: [&str; 26] = [
            "will", "going to", "gonna", "plan", "plans", "planning", "want to", "wants to", "would like", "hope",
            "need to", "needs to", "have to", "has to", "must", "should", "due", "deadline", "appointment", "upcoming",
            "打算", "计划", "准备", "会去", "预约", "约了",
        ];
        let places = Places::of(tokens, &phrase.range);
        let says = |words: &[&str]| places.any(tokens, |at| at.any(words).is_some());
        // 重要 and 主要 say nothing of what is to come.
        let must = |at: Cursor<'_>| at.eat("要").is_some() && !at.follows(&["重", "主"]);
        if says(&AGAIN) {
            Self::Again
        } else if says(&AHEAD) || places.any(tokens, must) || places.reach_ahead(tokens, phrase) {
            Self::Ahead
        } else {
            Self::Behind
        }
    }
}

/// Whether a phrase goes from one time to another.
pub(super) fn is_joined(tokens: &[Token], phrase: &Phrase) -> bool {
    Places::of(tokens, &phrase.range).is_joined(tokens)
}

/// The tokens of a sentence, and those of a phrase in it.
struct Places {
    sentence: Range<usize>,
    phrase: Range<usize>,
}

impl Places {
    fn of(tokens: &[Token], phrase: &Range<usize>) -> Self {
        let ends = |token: &Token| matches!(token.kind, Kind::Mark('.' | '!' | '?' | ';' | '。'));
        let first = tokens.iter().rposition(|token| token.range.end <= phrase.start && ends(token));
        let after = tokens.iter().position(|token| token.range.start >= phrase.end && ends(token));
        let start = tokens.iter().position(|token| token.range.start >= phrase.start);
        let end = tokens.iter().position(|token| token.range.start >= phrase.end);
        let sentence = first.map_or(0, |end| end + 1)..after.unwrap_or(tokens.len());
        let phrase = start.unwrap_or(sentence.start)..end.unwrap_or(tokens.len());
        Self { sentence, phrase }
    }

    /// Whether the phrase goes from one time to another.
    fn is_joined(&self, tokens: &[Token]) -> bool {
        const JOINTS: [&str; 7] = ["to", "until", "till", "through", "and", "到", "至"];
        self.phrase.clone().any(|at| Cursor::new(tokens, at).any(&JOINTS).is_some())
    }

    fn any(&self, tokens: &[Token], found: impl Fn(Cursor<'_>) -> bool) -> bool {
        self.sentence.clone().any(|at| found(Cursor::new(tokens, at)))
    }

    /// Whether what is said goes on up to a time, and is not told of what was; or is to be at that time, as its verb says.
    fn reach_ahead(&self, tokens: &[Token], phrase: &Phrase) -> bool {
        let start = Cursor::new(tokens, self.phrase.start);
        let tense = self.tense(tokens, phrase.bound);
        let goes_on = || tense != Some(Tense::Past) && !self.any(tokens, is_over);
        match phrase.bound {
            // What is counted as of a day has been counted.
            Bound::Until => goes_on() && start.eat("截").is_none(),
            // How something is before a day may be how it was: 周五之前我在北京.
            Bound::Before => {
                let mut behind = (self.phrase.end..self.sentence.end).map(|at| Cursor::new(tokens, at));
                goes_on() && !behind.any(|at| at.any(&["在", "是", "住"]).is_some())
            }
            Bound::Within => {
                // The notes from Monday are there already, but not what is from Monday to Wednesday.
                let from = || start.follows(&["from", "of", "about", "like"]) && !self.is_joined(tokens);
                tense == Some(Tense::Future) && !from()
            }
            Bound::Since => tense == Some(Tense::Future),
            Bound::After => false,
        }
    }

    /// The tense of the verb next before the phrase; where none is, of the one behind a phrase that begins the sentence or goes up to its time.
    fn tense(&self, tokens: &[Token], bound: Bound) -> Option<Tense> {
        const LIGHT: [&str; 4] = ["on", "in", "at", "the"];
        let before = self.sentence.start..self.phrase.start;
        let begins = bound != Bound::Within || before.clone().all(|at| Cursor::new(tokens, at).any(&LIGHT).is_some());
        let behind = || nearest(tokens, self.phrase.end..self.sentence.end);
        nearest(tokens, before.rev()).or_else(|| if begins { behind() } else { None })
    }
}

/// Whether a Chinese word here tells of what was: 了, 过, 才, 没.
fn is_over(at: Cursor<'_>) -> bool {
    const FREE: [&str; 8] = ["空", "课", "事", "时间", "有空", "有课", "有事", "有时间"];
    if let Some(end) = at.eat("了") {
        return !at.follows(&["为", "除"]) && end.eat("解").is_none();
    }
    if at.eat("过").is_some() {
        return !at.follows(&["不", "通", "超"]);
    }
    if let Some(end) = at.eat("才") {
        return !at.follows(&["刚", "人", "天"]) && end.any(&["能", "会", "可", "有"]).is_none();
    }
    if let Some(end) = at.eat("没") {
        return end.any(&FREE).is_none();
    }
    at.any(&["已经", "曾", "当时", "刚才", "刚刚"]).is_some()
}
