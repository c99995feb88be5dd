use annals_types::Timestamp;

use super::cycle::Cycle;
use super::tokens::split;
use super::way::{Way, each_sentence_has, goes_on_once};
use super::{Bound, Grain, Interval, Lean, Phrase, Said, phrases};

/// The most times of one text.
const MOST: usize = 4;
/// The most days of a stretch that is named although it is going on: a longer one is hardly about
/// any of them.
const MOST_DAYS: i64 = 14;
/// The bytes of a text that are read: a longer one is about more than a few times.
const READ_BYTES: usize = 4096;

/// The times that a text names which is told at a moment, in its order: at most four, of its first
/// 4096 bytes.
///
/// A phrase without a date names none: a time of day by itself ("I eat at noon"), a time that comes
/// again ("every Friday"), a vague one ("recently"). Nor does a time that is going on, unless it is
/// from one day to another, or a bound that leaves the time itself out ("after 2019"), unless it
/// is a day to come ("before Friday"). A weekday or a month without a year lies ahead where its
/// sentence speaks of what is to come or goes on up to it ("open until Friday"), else behind.
#[must_use]
pub fn named(text: &str, said: &Said) -> Vec<Interval> {
    let text = beginning(text);
    let behind = phrases(
        text,
        &Said {
            lean: Lean::Past,
            ..said.clone()
        },
    );
    if behind.is_empty() {
        return Vec::new();
    }
    let (ahead, tokens) = (phrases(text, &said.clone().looking_ahead()), split(text));
    let mut times: Vec<Interval> = Vec::new();
    for phrase in behind.iter().filter(|phrase| phrase.has_date()) {
        let other = interval_of(phrase, &ahead);
        let other = if phrase.is_weekday_up_to(other.start, said.at) {
            weekday_after(phrase, text, said)
        } else {
            other
        };
        let way = if other == phrase.interval {
            Way::Behind
        } else {
            Way::of(&tokens, phrase)
        };
        let time = match way {
            Way::Behind => phrase.interval,
            Way::Ahead => other,
            Way::Again => continue,
        };
        let named = phrase.names(&time, said.at)
            && (!time.contains(said.at) || phrase.is_of_days(&time) && phrase.joined);
        if named && !times.contains(&time) && times.len() < MOST {
            times.push(time);
        }
    }
    times
}

/// The moment up to which a text holds whose own words bound it in time: "no pushes today", "this
/// week we use the old server", "until Friday". Its first 4096 bytes are read.
///
/// `None` where a sentence of it does not, or leaves open which of many times it means ("never on a
/// Friday"), or tells of what was, of what comes again ("always") or of how things are ("now we use
/// tabs"). A time in which something has to be done ("within two days") is no bound either.
#[must_use]
pub fn holds_until(text: &str, said: &Said) -> Option<Timestamp> {
    // A list has a sentence on each line, with or without a mark at its end.
    let lines = beginning(text)
        .lines()
        .filter(|line| !line.trim().is_empty());
    let ends: Option<Vec<Timestamp>> = lines.map(|line| line_holds_until(line, said)).collect();
    ends?.into_iter().max()
}

fn line_holds_until(text: &str, said: &Said) -> Option<Timestamp> {
    let tokens = split(text);
    let found = phrases(text, &said.clone().looking_ahead());
    let dated: Vec<&Phrase> = found
        .iter()
        .filter(|phrase| phrase.grain != Grain::Vague)
        .collect();
    let end = |phrase: &&Phrase| match phrase.bound {
        Bound::Before => phrase.interval.start,
        _ => phrase.interval.end,
    };
    let last = dated.iter().map(end).max()?;
    let bounded = dated
        .iter()
        .all(|phrase| phrase.bounds(said.at) && goes_on_once(&tokens, phrase));
    (bounded && last > said.at && each_sentence_has(&tokens, &dated)).then_some(last)
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(READ_BYTES))
        .unwrap_or(text)
}

/// The interval of a phrase as another reading has it.
pub(super) fn interval_of(phrase: &Phrase, others: &[Phrase]) -> Interval {
    others
        .iter()
        .find(|other| other.range == phrase.range)
        .map_or(phrase.interval, |other| other.interval)
}

/// The next one of a weekday that is today.
fn weekday_after(phrase: &Phrase, text: &str, said: &Said) -> Interval {
    const TWO_DAYS: i64 = 2 * 86_400_000;
    let later = Said {
        at: said.at.plus_millis(TWO_DAYS),
        ..said.clone()
    }
    .looking_ahead();
    interval_of(phrase, &phrases(text, &later))
}

impl Phrase {
    /// Whether it is about a time of its words that has a date.
    fn has_date(&self) -> bool {
        self.bound != Bound::After && !self.undated && self.grain != Grain::Vague
    }

    /// Whether it is about some days, of which one may be the day on which it is said.
    fn is_of_days(&self, time: &Interval) -> bool {
        const DAY: i64 = 86_400_000;
        let days = time.end.millis_since(time.start) / DAY;
        self.bound == Bound::Within && self.grain == Grain::Week && days <= MOST_DAYS
    }

    /// Whether what is said at a moment holds no longer than it.
    fn bounds(&self, at: Timestamp) -> bool {
        let is_length = self.grain > Grain::Minute && !self.deadline;
        match self.bound {
            Bound::Within => is_length && self.cycle.is_none() && !self.undated,
            Bound::Until | Bound::Before => is_length || self.interval.start > at,
            Bound::Since | Bound::After => false,
        }
    }

    /// Whether it is about the very time that its words name, or about a day to come up to which
    /// it goes.
    fn names(&self, time: &Interval, at: Timestamp) -> bool {
        self.bound != Bound::Before || self.grain <= Grain::Day && time.start > at
    }

    /// Whether it goes up to a weekday that has begun when it is said: who says "until Monday" on
    /// a Monday means the next one.
    fn is_weekday_up_to(&self, start: Timestamp, at: Timestamp) -> bool {
        matches!(self.bound, Bound::Until | Bound::Before)
            && self.cycle == Some(Cycle::Week)
            && start <= at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_texts_say_how_long_they_hold() {
        // A Friday.
        let said = Said::at("2026-02-20T10:00:00Z".parse().unwrap(), crate::Zone::utc());
        let until =
            |text: &str| holds_until(text, &said).map(|end| end.to_string()[..10].to_owned());
        for (text, end) in [
            ("no pushes to main today", "2026-02-21"),
            ("use the staging database until Monday", "2026-02-24"),
            ("keep the old names this week", "2026-02-23"),
            ("今天不要推送代码", "2026-02-21"),
            ("这周先用旧的服务器", "2026-02-23"),
            ("use staging for the next three days", "2026-02-23"),
            ("no deploys until 5pm tomorrow", "2026-02-21"),
            ("No pushes today. Use staging this week.", "2026-02-23"),
        ] {
            assert_eq!(until(text).as_deref(), Some(end), "{text}");
        }
        for text in [
            "never push to main",
            "never deploy on Friday",
            "we released today, keep the tag",
            "as of today we use tabs",
            "reply in English from tomorrow on",
            "refunds belong to Hanne from today",
            "keep the notes of this week",
            "I told you yesterday: no unwrap",
            "从今天起提交信息用英文写",
            "周五不要部署",
            "Now always use pnpm",
            "we now deploy with helm",
            "answer every mail within 24 hours",
            "reply to reviews within two days",
            "until now we used npm",
            "always pull before you push today",
            "Never use npm. Today I fix the login.",
            "No deploys today\nCommit messages must be in English",
            "现在统一用 pnpm",
            "目前我们用 Kubernetes",
            "当前分支叫 main",
            "三天内要回复邮件",
            "24小时以内回复客户",
            "今天总是先拉代码",
        ] {
            assert_eq!(until(text), None, "{text}");
        }
    }
}
