//! Dates named in a question, as intervals, and whether it asks for one. English and Chinese, mixed.
//!
//! Relative phrases count from the moment of the question, in UTC. This finds what helps ranking; a phrase that it
//! does not know costs nothing, because its words are still searched as words.

mod calendar;
mod chinese;
mod english;
mod mention;
mod tokens;

pub use mention::asks_for_time;

use annals_types::Timestamp;
use calendar::Calendar;
use tokens::Token;

/// A stretch of time that a question names: from `start` (included) to `end` (excluded).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The first moment inside.
    pub start: Timestamp,
    /// The first moment after.
    pub end: Timestamp,
}

const DAY_MILLIS: i64 = 86_400_000;

impl Interval {
    /// How well a moment fits: 1 inside, then falling to 0 over half the interval's length, at least one day.
    #[must_use]
    pub fn fit(&self, moment: Timestamp) -> f32 {
        let before = self.start.millis_since(moment);
        let after = moment.millis_since(self.end);
        let distance = before.max(after);
        if distance == 0 {
            return 1.0;
        }
        let slack = (self.end.millis_since(self.start) / 2).max(DAY_MILLIS);
        if distance >= slack { 0.0 } else { 1.0 - ratio(distance, slack) }
    }
}

/// The share of two positive numbers of milliseconds; both fit an f64 exactly.
fn ratio(part: i64, whole: i64) -> f32 {
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a share needs no more digits")]
    let share = (part as f64 / whole as f64) as f32;
    share
}

/// What a phrase matched: how many tokens it took and what it means.
struct Match {
    tokens: usize,
    interval: Interval,
    /// A date that stands by itself, as against one counted from today.
    absolute: bool,
}

/// The intervals that `question` names. Where it names absolute dates, relative phrases are not counted.
#[must_use]
pub fn intervals(question: &str, asked_at: Timestamp) -> Vec<Interval> {
    let tokens = tokens::split(question);
    let Some(calendar) = Calendar::at(asked_at) else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest: &[Token] = &tokens;
    while !rest.is_empty() {
        let hit = english::phrase(rest, &calendar).or_else(|| chinese::phrase(rest, &calendar));
        let step = hit.as_ref().map_or(1, |hit| hit.tokens.max(1));
        found.extend(hit);
        rest = rest.get(step..).unwrap_or_default();
    }
    let absolute = found.iter().any(|hit| hit.absolute);
    found.iter().filter(|hit| hit.absolute || !absolute).map(|hit| hit.interval).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(question: &str) -> Vec<(String, String)> {
        // A Wednesday.
        let asked: Timestamp = "2026-03-18T10:00:00Z".parse().unwrap();
        let show = |t: Timestamp| t.date();
        intervals(question, asked).iter().map(|i| (show(i.start), show(i.end))).collect()
    }

    fn day(start: &str, end: &str) -> Vec<(String, String)> {
        vec![(start.to_owned(), end.to_owned())]
    }

    #[test]
    fn english_phrases() {
        for (phrase, start, end) in [
            ("what happened on 2026-02-03?", "2026-02-03", "2026-02-04"),
            ("What did I do on March 3, 2025?", "2025-03-03", "2025-03-04"),
            ("on March 3rd", "2026-03-03", "2026-03-04"),
            ("on December 24", "2025-12-24", "2025-12-25"),
            ("the 3rd of March 2025", "2025-03-03", "2025-03-04"),
            ("in March 2023", "2023-03-01", "2023-04-01"),
            ("during December", "2025-12-01", "2026-01-01"),
            ("in 2024", "2024-01-01", "2025-01-01"),
            ("yesterday", "2026-03-17", "2026-03-18"),
            ("the day before yesterday", "2026-03-16", "2026-03-17"),
            ("what did I eat last night", "2026-03-17", "2026-03-18"),
            ("three days ago", "2026-03-15", "2026-03-16"),
            ("2 weeks ago", "2026-03-01", "2026-03-08"),
            ("last week", "2026-03-09", "2026-03-16"),
            ("last month", "2026-02-01", "2026-03-01"),
            ("last year", "2025-01-01", "2026-01-01"),
            ("last Friday", "2026-03-13", "2026-03-14"),
        ] {
            assert_eq!(named(phrase), day(start, end), "{phrase}");
        }
    }

    #[test]
    fn chinese_phrases() {
        for (phrase, start, end) in [
            ("2023年5月2日我们聊了什么", "2023-05-02", "2023-05-03"),
            ("5月2号", "2025-05-02", "2025-05-03"),
            ("三月三日", "2026-03-03", "2026-03-04"),
            ("2023年5月", "2023-05-01", "2023-06-01"),
            ("2023年", "2023-01-01", "2024-01-01"),
            ("大前天", "2026-03-15", "2026-03-16"),
            ("前天晚上", "2026-03-16", "2026-03-17"),
            ("昨晚", "2026-03-17", "2026-03-18"),
            ("我今天说了什么", "2026-03-18", "2026-03-19"),
            ("三天前", "2026-03-15", "2026-03-16"),
            ("两周前", "2026-03-01", "2026-03-08"),
            ("上周", "2026-03-09", "2026-03-16"),
            ("上个月", "2026-02-01", "2026-03-01"),
            ("上周三", "2026-03-11", "2026-03-12"),
            ("去年", "2025-01-01", "2026-01-01"),
        ] {
            assert_eq!(named(phrase), day(start, end), "{phrase}");
        }
    }

    #[test]
    fn absolute_dates_win_and_nonsense_names_nothing() {
        assert_eq!(named("was it yesterday or on 2026-02-03?"), day("2026-02-03", "2026-02-04"));
        for nothing in ["", "may I ask?", "2026-13-45", "February 30, 2026", "версия 4", "99999999999999999999月"]
        {
            assert!(named(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn the_fit_falls_with_distance() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = Interval { start: at("2026-03-03"), end: at("2026-03-04") };
        assert_eq!(day.fit(at("2026-03-03T12:00:00Z")), 1.0);
        assert!((day.fit(at("2026-03-02T12:00:00Z")) - 0.5).abs() < 1e-6);
        assert_eq!(day.fit(at("2026-03-05T01:00:00Z")), 0.0);
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_question_is_survived(question in ".*", millis in proptest::num::i64::ANY) {
            for interval in intervals(&question, Timestamp::from_millis(millis)) {
                proptest::prop_assert!(interval.start < interval.end);
            }
        }

        #[test]
        fn fuzz_questions_out_of_date_words_are_survived(
            words in proptest::collection::vec(proptest::sample::select(vec![
                "in", "march", "3", "2026", "-", "年", "月", "日", "三", "十", "前", "天", "周", "上", "ago", "last", "week", "of", ",", "个",
                "0", "99", "friday", "two", "days", "31", "february",
            ]), 0..12),
        ) {
            let asked = Timestamp::from_millis(1_773_828_000_000);
            for interval in intervals(&words.join(" "), asked) {
                proptest::prop_assert!(interval.start < interval.end);
            }
        }
    }
}
