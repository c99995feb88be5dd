//! Phrases that name a time, Chinese and English, as intervals.
//!
//! Relative phrases count from the moment at which the text was said, in the zone in which it was said. A phrase that is not
//! known is no phrase: nothing is guessed. Weeks begin on Monday; seasons are those of the northern half of the earth, by
//! whole months; counted weeks and months are meant loosely and name what lies around them.
//!
//! ```
//! use annals_extraction::Zone;
//! use annals_extraction::time::{Said, phrases};
//!
//! let said = Said::at("2026-02-20T10:00:00+08:00".parse()?, Zone::named("Asia/Shanghai")?);
//! let text = "下周三有产品评审";
//! let found = phrases(text, &said);
//! assert_eq!(&text[found[0].range.clone()], "下周三");
//! assert_eq!(found[0].interval.start, "2026-02-25T00:00:00+08:00".parse()?);
//! # Ok::<(), annals_types::InvalidValue>(())
//! ```

mod asked;
mod bound;
mod calendar;
mod chinese;
mod clock;
mod cursor;
mod cycle;
mod english;
mod holiday;
mod named;
mod normal;
mod range;
mod span;
mod tense;
mod tokens;
mod way;

use std::ops::Range;

use annals_types::Timestamp;

pub use annals_types::Interval;
pub use annals_types::profile::DayPrecision;
pub use asked::{Asked, asked};
pub use bound::{Bound, Meant};
pub use calendar::Lean;
pub use named::named;
pub use normal::{Normal, normalise};
pub use span::Grain;

use crate::Zone;
use calendar::Calendar;
use clock::Part;
use cursor::Cursor;
use cycle::Cycle;
use span::Span;

/// When and where a text was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The moment.
    pub at: Timestamp,
    /// The zone whose calendar and clock it means.
    pub zone: Zone,
    /// Which way phrases point that do not say so themselves.
    pub lean: Lean,
}

impl Said {
    /// A text said at a moment, speaking of the past where it does not say.
    #[must_use]
    pub const fn at(at: Timestamp, zone: Zone) -> Self {
        Self { at, zone, lean: Lean::Past }
    }

    /// The same, speaking of the future where it does not say.
    #[must_use]
    pub fn looking_ahead(self) -> Self {
        Self { lean: Lean::Future, ..self }
    }
}

/// A phrase of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What it means.
    pub interval: Interval,
    /// How exactly it says so.
    pub grain: Grain,
    /// Whether the interval itself is meant.
    pub bound: Bound,
    /// Whether it stands by itself, as against counted from the moment.
    pub absolute: bool,
    part: Option<Part>,
    /// The day whose clock it names.
    day: Option<Interval>,
    /// What its words leave open.
    cycle: Option<Cycle>,
    /// Whether a word excludes what is outside.
    exact: bool,
    /// Whether it is a time of day without a date.
    undated: bool,
}

/// The beginning (or the `end`) of the one time that words name, or the moment that they are: "after 2024" begins with 2025, "before 2024" ends with
/// 2023. A date or a clock time without a zone is meant where it was said. `None` for what is vague, and for the end that words leave open: the
/// beginning of "before 2024".
#[must_use]
pub fn moment(words: &str, said: &Said, end: bool) -> Option<Timestamp> {
    if let Some(exact) = zoned(words) {
        return Some(exact);
    }
    match phrases(words, said).as_slice() {
        [phrase] if phrase.grain == Grain::Vague => None,
        [phrase] => match (end, phrase.bound) {
            (false, Bound::Within | Bound::Since) | (true, Bound::Before) => Some(phrase.interval.start),
            (true, Bound::Within | Bound::Until) | (false, Bound::After) => Some(phrase.interval.end),
            (false, Bound::Before | Bound::Until) | (true, Bound::Since | Bound::After) => None,
        },
        _ => words.parse().ok(),
    }
}

/// When something ends of which words say so: at the end of the one time that they name, or at its beginning for what ends before it. `None` for
/// what is vague, over, or only a beginning.
#[must_use]
pub fn expiry(words: &str, said: &Said) -> Option<Timestamp> {
    let end = match (zoned(words), phrases(words, said).as_slice()) {
        (Some(exact), _) => exact,
        (None, [phrase]) if phrase.grain == Grain::Vague || matches!(phrase.bound, Bound::Since | Bound::After) => {
            return None;
        }
        (None, [phrase]) if phrase.grain == Grain::Minute || phrase.bound == Bound::Before => phrase.interval.start,
        (None, [phrase]) => phrase.interval.end,
        _ => words.parse().ok()?,
    };
    (end > said.at).then_some(end)
}

/// A moment that is written with its zone.
fn zoned(words: &str) -> Option<Timestamp> {
    let (_, clock) = words.trim().split_once(['T', 't', ' '])?;
    let told = clock.ends_with(['Z', 'z']) || clock.contains(['+', '-']);
    words.trim().parse().ok().filter(|_| told)
}

/// What a grammar found.
#[derive(Debug, Clone, Copy)]
struct Found {
    span: Span,
    part: Option<Part>,
    bound: Bound,
    absolute: bool,
    /// Whether it names a time of day, by which the day is meant that it is on.
    clock: bool,
    /// Whether it lies between two bounds, one of which excludes.
    exact: bool,
    /// Whether it is a time of day without a date.
    undated: bool,
}

impl Found {
    /// The same at a time of its day.
    const fn at(self, span: Span) -> Self {
        Self { span: Span { cycle: self.span.cycle, ..span }, ..self }
    }

    const fn default_of(span: Span) -> Self {
        Self { span, part: None, bound: Bound::Within, absolute: false, clock: false, exact: false, undated: false }
    }
}

/// The phrases of a text, in its order; they do not overlap.
#[must_use]
pub fn phrases(text: &str, said: &Said) -> Vec<Phrase> {
    let tokens = tokens::split(text);
    let calendar = Calendar::new(said.zone.civil(said.at), said.lean);
    let mut found: Vec<range::Placed> = Vec::new();
    let asks = text.trim_end().ends_with(['?', '？']);
    let mut at = 0;
    while at < tokens.len() {
        let cursor = Cursor::new(&tokens, at);
        let (english, chinese) = cursor.begins();
        let missing = if english { english::missing(cursor, &calendar) } else { None };
        let missing = missing.or_else(|| if chinese { chinese::missing(cursor, &calendar) } else { None });
        if let Some(end) = missing {
            at = end.at();
            continue;
        }
        let hit = if english { english::phrase(cursor, &calendar) } else { None };
        let hit = hit.or_else(|| if chinese { chinese::phrase(cursor, &calendar) } else { None });
        match hit.filter(|(end, _)| end.at() > at) {
            Some((end, hit)) => {
                if !bound::is_left_out(cursor, end, asks) {
                    range::push(&mut found, range::Placed::new(at..end.at(), hit, &tokens), &tokens);
                }
                at = end.at();
            }
            None => at += 1,
        }
    }
    found.into_iter().filter_map(|placed| placed.phrase(&tokens, &said.zone)).collect()
}
