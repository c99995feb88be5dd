use std::ops::Range;

use super::cursor::Cursor;
use super::tokens::{Kind, Token, split};
use super::{Bound, Grain, Interval, Lean, Phrase, Said, phrases};

/// The most times of one text.
const MOST: usize = 4;
/// What is read of a text: a longer one is about more than a few times.
const READ_BYTES: usize = 4096;

/// The times that a text names which is told at a moment, in its order: at most four, of its first 4096 bytes.
///
/// What names no date names none: a time of day by itself ("I eat at noon"), what comes again ("every Friday"), what is vague ("recently"). Nor does
/// a bound that leaves the time itself out ("after 2019"), or a time that goes on around the moment, which stands for it. A weekday or a month
/// without a year lies ahead where its sentence speaks of what is to come, else behind.
#[must_use]
pub fn named(text: &str, said: &Said) -> Vec<Interval> {
    let text = text.get(..text.floor_char_boundary(READ_BYTES)).unwrap_or(text);
    let behind = phrases(text, &Said { lean: Lean::Past, ..said.clone() });
    if behind.is_empty() {
        return Vec::new();
    }
    let (ahead, tokens) = (phrases(text, &said.clone().looking_ahead()), split(text));
    let mut times: Vec<Interval> = Vec::new();
    for phrase in behind.iter().filter(|phrase| phrase.names_itself()) {
        let other = ahead.iter().find(|other| other.range == phrase.range).map_or(phrase.interval, |o| o.interval);
        let way = if other == phrase.interval { Way::Behind } else { Way::of(&tokens, &phrase.range) };
        let time = match way {
            Way::Behind => phrase.interval,
            Way::Ahead => other,
            Way::Again => continue,
        };
        if !time.contains(said.at) && !times.contains(&time) && times.len() < MOST {
            times.push(time);
        }
    }
    times
}

impl Phrase {
    /// Whether it is about the very time that its words name, and that time has a date.
    fn names_itself(&self) -> bool {
        let itself = matches!(self.bound, Bound::Within | Bound::Since | Bound::Until);
        itself && !self.undated && self.grain != Grain::Vague
    }
}

/// Where what a sentence tells lies.
enum Way {
    Behind,
    Ahead,
    /// It comes again and again.
    Again,
}

impl Way {
    fn of(tokens: &[Token], phrase: &Range<usize>) -> Self {
        const AGAIN: [&str; 11] =
            ["every", "each", "usually", "always", "often", "每", "通常", "总是", "平时", "经常", "一般"];
        const AHEAD: [&str; 26] = [
            "will",
            "going to",
            "gonna",
            "plan",
            "plans",
            "planning",
            "want to",
            "wants to",
            "would like",
            "hope",
            "need to",
            "needs to",
            "have to",
            "has to",
            "must",
            "should",
            "due",
            "deadline",
            "appointment",
            "upcoming",
            "打算",
            "计划",
            "准备",
            "会去",
            "预约",
            "约了",
        ];
        let ends = |token: &Token| matches!(token.kind, Kind::Mark('.' | '!' | '?' | ';' | '。'));
        let first = tokens.iter().rposition(|token| token.range.end <= phrase.start && ends(token));
        let after = tokens.iter().position(|token| token.range.start >= phrase.end && ends(token));
        let places = first.map_or(0, |end| end + 1)..after.unwrap_or(tokens.len());
        let says = |words: &[&str]| places.clone().any(|at| Cursor::new(tokens, at).any(words).is_some());
        // 重要 and 主要 say nothing of what is to come.
        let must = |at: Cursor<'_>| at.eat("要").is_some() && !at.follows(&["重", "主"]);
        if says(&AGAIN) {
            Self::Again
        } else if says(&AHEAD) || places.clone().any(|at| must(Cursor::new(tokens, at))) {
            Self::Ahead
        } else {
            Self::Behind
        }
    }
}
