use super::grammar::grammar;
use super::tokens::split;
use super::{Bound, Grain, Interval, Phrase, Said, phrases};
use crate::Zone;
use annals_types::profile::DayPrecision;

/// Words for the moment itself, which are written to the minute.
const NOW: [&str; 10] = [
    "现在", "此刻", "眼下", "目前", "当前", "刚才", "刚刚", "方才", "now", "just now",
];

/// A time in words, made absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normal {
    /// The time as it is to be kept: a date, a date with its hour or its part of the day, two
    /// dates with `…` between them, or the words as they were when they name no time that is
    /// known.
    pub text: String,
    /// The time, when it is known.
    pub interval: Option<Interval>,
}

/// Makes a time in words absolute: `昨晚` becomes `2025-11-04 夜间`. Absolute times stay as they are,
/// and so do words that are not understood.
#[must_use]
pub fn normalise(words: &str, said: &Said, today: DayPrecision) -> Normal {
    let found = phrases(words, said);
    let [phrase] = found.as_slice() else {
        return Normal {
            text: words.to_owned(),
            interval: None,
        };
    };
    if !covers(phrase, words) || phrase.bound != Bound::Within {
        return Normal {
            text: words.to_owned(),
            interval: None,
        };
    }
    let interval = Some(phrase.interval);
    if phrase.absolute && is_written_out(words) {
        return Normal {
            text: words.to_owned(),
            interval,
        };
    }
    let named = words.get(phrase.range.clone()).unwrap_or_default();
    Normal {
        text: written(named, phrase, said, today),
        interval,
    }
}

/// Whether a date is written in digits, with its year.
fn is_written_out(words: &str) -> bool {
    split(words)
        .iter()
        .any(|token| matches!(token.kind, super::tokens::Kind::Number(_, 4)))
}

/// Whether nothing but words of no weight stands beside the phrase.
fn covers(phrase: &Phrase, words: &str) -> bool {
    const LIGHT: [&str; 14] = [
        "在", "于", "的", "约", "大约", "大概", "左右", "on", "at", "in", "the", "about", "around",
        "时候",
    ];
    let before = words.get(..phrase.range.start).unwrap_or_default();
    let after = words.get(phrase.range.end..).unwrap_or_default();
    [before, after].iter().all(|rest| {
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
        rest.is_empty()
            || rest
                .split_whitespace()
                .all(|word| LIGHT.contains(&word.to_lowercase().as_str()))
    })
}

fn written(named: &str, phrase: &Phrase, said: &Said, today: DayPrecision) -> String {
    let zone = &said.zone;
    let Interval { start, end } = phrase.interval;
    if NOW.contains(&named.to_lowercase().as_str()) {
        return zone.minutes(said.at);
    }
    if phrase.grain == Grain::Day
        && today == DayPrecision::Minute
        && zone.date(start) == zone.date(said.at)
    {
        return zone.minutes(said.at);
    }
    match (phrase.grain, phrase.part) {
        (Grain::Minute, _) => zone.minutes(start),
        (Grain::Part, Some((part, language))) => {
            format!(
                "{} {}",
                zone.date(start),
                grammar().label(part, language).unwrap_or_default()
            )
        }
        (Grain::Part, None) | (Grain::Day, _) => zone.date(start),
        (Grain::Hour, _) => format!("{}…{}", zone.minutes(start), zone.minutes(end)),
        _ => stretch(zone, phrase.interval),
    }
}

/// A whole month or year by its number, anything else by its first and last day.
fn stretch(zone: &Zone, Interval { start, end }: Interval) -> String {
    let first = zone.date(start);
    let last = zone.date(end.plus_millis(-1));
    let (from, to) = (
        zone.civil(start).date(),
        zone.civil(end.plus_millis(-1)).date(),
    );
    let begins = zone.civil(start).time() == jiff::civil::Time::midnight();
    if begins && from.day() == 1 && to == to.last_of_month() {
        if from.month() == to.month() && from.year() == to.year() {
            return format!("{:04}-{:02}", from.year(), from.month());
        }
        if from.month() == 1 && to.month() == 12 && from.year() == to.year() {
            return format!("{:04}", from.year());
        }
    }
    if first == last {
        first
    } else {
        format!("{first}…{last}")
    }
}
