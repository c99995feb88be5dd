//! What reaches from a time or up to it: `since 2019`, `after Friday`, `2024年之前`, `截至上周`.

use annals_types::{Timestamp, WEEKDAYS};

use super::cursor::Cursor;
use super::{Grain, Interval, Phrase};

/// 1 January of the year 1, in milliseconds since 1970.
const FIRST: i64 = -62_135_596_800_000;
/// The end of the year 9999, nearly.
const LAST: i64 = 253_402_127_999_999;
const DAY: i64 = 86_400_000;
/// The most by which one may have missed the end of a stretch that reaches from or up to a time: 31 days.
const MOST_SLACK: i64 = 31 * DAY;

/// Whether a phrase means its interval or what reaches from it or up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// The interval itself.
    #[default]
    Within,
    /// From its start on: "since 2019", "2019年以来".
    Since,
    /// From its end on: "after 2019", "2019年以后".
    After,
    /// Up to its start: "before Friday", "2019年以前".
    Before,
    /// Up to its end: "until Friday", "by Friday", "截至2019年".
    Until,
}

/// A stretch of time that a question means, from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meant {
    /// The first moment inside.
    pub start: Timestamp,
    /// The first moment after.
    pub end: Timestamp,
    /// By how many milliseconds what is outside may still be meant: half of the time that was named, a day at the least, and none where a word
    /// excludes it or a clock was named.
    pub slack_millis: i64,
}

impl Meant {
    /// Whether a moment lies within.
    #[must_use]
    pub fn contains(&self, moment: Timestamp) -> bool {
        self.start <= moment && moment < self.end
    }
}

impl Phrase {
    /// The stretch that the phrase means when it is said at a moment: "since 2025" goes on until then, "before 2025" begins with the first year,
    /// "after 3 pm on Monday" ends with that day, as against "after 2025-03-01 15:00".
    #[must_use]
    pub fn reach(&self, now: Timestamp) -> Meant {
        let Interval { start, end } = self.interval;
        let half = (end.millis_since(start) / 2).max(DAY);
        let near = half.min(MOST_SLACK);
        let (first, last, near_end) = match self.day {
            Some(day) => (day.start, day.end, 0),
            None => {
                let near_end = if self.grain == Grain::Minute { 0 } else { near };
                (Timestamp::from_millis(FIRST), Timestamp::from_millis(LAST), near_end)
            }
        };
        let (start, end, slack_millis) = match self.bound {
            Bound::Within => (start, end, if self.exact { 0 } else { half }),
            Bound::Since if start <= now => (start, end.max(now.plus_millis(1)), near),
            Bound::Since => (start, Timestamp::from_millis(LAST), near),
            Bound::After => (end, last, 0),
            Bound::Before => (first, start, 0),
            Bound::Until => (first, end, near_end),
        };
        Meant { start, end, slack_millis }
    }
}

/// What English words before a phrase say, and `on` behind it.
pub(super) fn english<'a>(start: Cursor<'a>, end: Cursor<'a>) -> (Cursor<'a>, Bound) {
    const UNITS: [&str; 19] = [
        "minute", "minutes", "hour", "hours", "day", "days", "night", "nights", "evening", "morning", "afternoon",
        "week", "weeks", "weekend", "month", "months", "summer", "year", "years",
    ];
    // the 15th
    let start = start.back().filter(|_| start.follows(&["the"])).unwrap_or(start);
    let Some(lead) = start.back() else { return (end, Bound::Within) };
    let two = |words: &[&str]| lead.back().is_some_and(|first| words.iter().any(|pair| first.eat(pair).is_some()));
    if lead.eat("from").is_some() {
        if let Some(on) = end.any(&["on", "onward", "onwards", "forward"]).filter(|on| on.digits().is_none()) {
            return (on, Bound::Since);
        }
        return (end, Bound::Within);
    }
    // Two days before Christmas, or the Sunday before it, is a day and not all that was before.
    let counted = || lead.follows(&UNITS) || lead.follows(&WEEKDAYS);
    let bound = if two(&["no later than", "not later than", "up to", "up until"]) || third(lead, "later than") {
        Bound::Until
    } else if third(lead, "earlier than") {
        Bound::Since
    } else if two(&["prior to", "earlier than"]) {
        Bound::Before
    } else if two(&["later than"]) {
        Bound::After
    } else if lead.eat("since").is_some() {
        Bound::Since
    } else if lead.any(&["until", "till", "by"]).is_some() {
        Bound::Until
    } else if lead.eat("before").is_some() && !counted() {
        Bound::Before
    } else if lead.eat("after").is_some() && !counted() {
        Bound::After
    } else if lead.any(&["in", "on"]).is_some() {
        clause(lead)
    } else {
        Bound::Within
    };
    let bound = match bound {
        Bound::Before | Bound::Until if says_no(lead) => Bound::Since,
        Bound::After if says_no(lead) => Bound::Until,
        bound => bound,
    };
    (end, bound)
}

/// Whether a no stands before a word that bounds: "not before Friday".
fn says_no(lead: Cursor<'_>) -> bool {
    lead.any(&["before", "after", "until", "till"]).is_some() && lead.follows(&["not", "never"])
}

/// `no later than`, `not earlier than`: the two words behind a no.
fn third(lead: Cursor<'_>, words: &str) -> bool {
    lead.back().filter(|first| first.eat(words).is_some()).is_some_and(|first| first.follows(&["no", "not"]))
}

/// `since I moved in 2023`: a word that opens the clause whose time this is. A thing alone behind the word is a part of that time: `after work on
/// Monday`, `before the party on Friday`.
fn clause(lead: Cursor<'_>) -> Bound {
    const WORDS: usize = 6;
    const PERSONS: [&str; 7] = ["i", "we", "he", "she", "they", "you", "it"];
    const OWNERS: [&str; 6] = ["my", "our", "his", "her", "their", "your"];
    let mut first = lead;
    for between in 0..WORDS {
        let Some(before) = first.back().filter(|before| before.word().is_some()) else { break };
        let told = first.any(&PERSONS).is_some() && between >= 2 || first.any(&OWNERS).is_some() && between >= 3;
        if before.eat("since").is_some() {
            return Bound::Since;
        }
        if before.eat("after").is_some() {
            return if told { Bound::Since } else { Bound::Within };
        }
        if before.any(&["until", "till", "before"]).is_some() {
            return if told { Bound::Until } else { Bound::Within };
        }
        first = before;
    }
    Bound::Within
}

/// Whether nothing but words that join two bounds stands between here and a place: `2019 and before 2024`.
pub(super) fn only_bounds(from: Cursor<'_>, to: usize) -> bool {
    const WORDS: [&str; 23] = [
        "and", "but", "before", "after", "since", "until", "till", "by", "not", "no", "later", "earlier", "than",
        "prior", "to", "up", "the", "在", "但是", "但", "并且", "而且", "且",
    ];
    let mut at = from;
    while at.at() < to {
        let Some(next) = at.any(&WORDS).or_else(|| at.mark(',')).or_else(|| at.mark('、')) else { return false };
        at = next;
    }
    true
}

/// Whether a word before a phrase or behind it leaves it out: `except yesterday`, `other than on Monday`, `除了昨天`, `周三除外`. A mere no in what
/// `asks` does not, unless it stands against something: `was it not on Friday?`.
pub(super) fn is_left_out(start: Cursor<'_>, end: Cursor<'_>, asks: bool) -> bool {
    const AGAINST: [&str; 5] = ["but", "and", "而", "但", "并"];
    let start = start.back().filter(|_| start.follows(&["the"])).unwrap_or(start);
    let start = start.back().filter(|_| start.follows(&["in", "on", "at", "during", "在"])).unwrap_or(start);
    let two = start.back().and_then(Cursor::back);
    let pair = |words: &[&str]| two.is_some_and(|first| first.any(words).is_some());
    let against = |no: Option<Cursor<'_>>| {
        !asks || no.is_some_and(|no| no.follows(&AGAINST) || no.back().and_then(|mark| mark.mark(',')).is_some())
    };
    // 是不是周三 asks.
    let is_not = pair(&["不是", "不在"]) && !two.is_some_and(|first| first.follows(&["是", "在"]));
    is_not && against(two)
        || start.follows(&["not"]) && against(start.back())
        || end.any(&["除外", "以外", "之外"]).is_some()
        || start.follows(&["except", "excluding", "除"])
        || pair(&[
            "除了", "除开", "除去", "other than", "apart from", "except for", "anything but", "everything but",
            "all but", "day but",
        ])
}

/// The words before a Chinese phrase that begin it.
pub(super) fn chinese_lead(start: Cursor<'_>) -> Option<(Cursor<'_>, Bound)> {
    start.one_of(&[
        ("自从", Bound::Since),
        ("自", Bound::Since),
        ("从", Bound::Since),
        ("直到", Bound::Until),
        ("截止到", Bound::Until),
        ("截止", Bound::Until),
        ("截至", Bound::Until),
        ("到", Bound::Until),
    ])
}

/// What Chinese words before a phrase and behind it say, and the end of both. A mere 到 before it has to be closed by 为止.
pub(super) fn chinese<'a>(lead: Option<(Cursor<'a>, Bound)>, to: bool, end: Cursor<'a>) -> Option<(Cursor<'a>, Bound)> {
    if let Some(end) = end.eat("为止") {
        return Some((end, Bound::Until));
    }
    if to {
        return None;
    }
    let lead = lead.map(|(_, bound)| bound);
    if let Some(end) = end.any(&["以来", "至今"]).filter(|end| end.any(&["年", "天", "日", "晚", "早"]).is_none())
    {
        return Some((end, Bound::Since));
    }
    if end.any(&["起", "开始"]).is_some() {
        return Some((end, Bound::Since));
    }
    let long = end.one_of(&[
        ("以后", Bound::After),
        ("之后", Bound::After),
        ("过后", Bound::After),
        ("以前", Bound::Before),
        ("之前", Bound::Before),
    ]);
    let short = || end.one_of(&[("后", Bound::After), ("前", Bound::Before)]).filter(|(end, _)| stands_alone(*end));
    match long.filter(|(end, _)| !is_counted(*end)).or_else(short) {
        Some((end, _)) if lead == Some(Bound::Since) => Some((end, Bound::Since)),
        Some(found) => Some(found),
        None => Some((end, lead.unwrap_or_default())),
    }
}

/// Whether a bare 前 or 后 ends the phrase, and is no part of a word or of a number: 周五前台值班, 2024年前三季度.
fn stands_alone(end: Cursor<'_>) -> bool {
    end.han().is_none_or(|(_, next)| "我你他她咱的要必须完交提".contains(next))
}

/// Whether a number of days or such follows, and no year: 国庆之前一周, 春节之后的第二天.
fn is_counted(end: Cursor<'_>) -> bool {
    const YEAR: usize = 4;
    let end = end.maybe("的");
    let counts = end.digits().is_some_and(|(_, _, length)| length < YEAR);
    counts || end.han().is_some_and(|(_, next)| "第一二两三四五六七八九十几半那".contains(next))
}
