//! How good a ranking is, and how fast it came.

use std::collections::HashSet;

use serde_json::{Value, json};

/// The measures of one question, each 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Quality {
    pub(crate) recall_5: f64,
    pub(crate) recall_10: f64,
    pub(crate) recall_20: f64,
    pub(crate) hit_10: f64,
    pub(crate) mrr_20: f64,
    pub(crate) ndcg_10: f64,
}

impl Quality {
    /// Measures a ranking (best first) against what it should have found. A name that comes twice
    /// counts once.
    pub(crate) fn of(ranked: &[String], evidence: &[String]) -> Self {
        let wanted: HashSet<&str> = evidence.iter().map(String::as_str).collect();
        let mut seen = HashSet::new();
        let unique = ranked
            .iter()
            .map(String::as_str)
            .filter(|id| seen.insert(*id));
        let places: Vec<usize> = unique
            .enumerate()
            .filter(|(_, id)| wanted.contains(id))
            .map(|(at, _)| at)
            .collect();
        let found = |depth: usize| count(places.iter().filter(|place| **place < depth).count());
        let all = count(wanted.len()).max(1.0);
        let gain = |place: usize| 1.0 / (count(place) + 2.0).log2();
        let ideal: f64 = (0..wanted.len().min(10)).map(gain).sum();
        let gained: f64 = places
            .iter()
            .filter(|place| **place < 10)
            .map(|place| gain(*place))
            .sum();
        Self {
            recall_5: found(5) / all,
            recall_10: found(10) / all,
            recall_20: found(20) / all,
            hit_10: found(10).min(1.0),
            mrr_20: places
                .first()
                .filter(|first| **first < 20)
                .map_or(0.0, |first| 1.0 / (count(*first) + 1.0)),
            ndcg_10: if ideal > 0.0 { gained / ideal } else { 0.0 },
        }
    }

    /// The mean of each measure.
    pub(crate) fn mean(all: &[Self]) -> Self {
        let n = count(all.len()).max(1.0);
        let mean = |of: fn(&Self) -> f64| all.iter().map(of).sum::<f64>() / n;
        Self {
            recall_5: mean(|q| q.recall_5),
            recall_10: mean(|q| q.recall_10),
            recall_20: mean(|q| q.recall_20),
            hit_10: mean(|q| q.hit_10),
            mrr_20: mean(|q| q.mrr_20),
            ndcg_10: mean(|q| q.ndcg_10),
        }
    }

    /// Name and value of each measure.
    pub(crate) const fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("recall@5", self.recall_5),
            ("recall@10", self.recall_10),
            ("recall@20", self.recall_20),
            ("hit@10", self.hit_10),
            ("mrr@20", self.mrr_20),
            ("ndcg@10", self.ndcg_10),
        ]
    }
}

/// How well the best score of a question tells those that something answers from those that nothing
/// does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answerability {
    answered: Vec<f32>,
    unanswered: Vec<f32>,
}

impl Answerability {
    pub(crate) fn push(&mut self, best: f32, answerable: bool) {
        if answerable {
            self.answered.push(best)
        } else {
            self.unanswered.push(best)
        }
    }

    /// The number of questions that nothing answers.
    pub(crate) const fn unanswerable(&self) -> usize {
        self.unanswered.len()
    }

    /// The area under the curve: how often a question that something answers scores above one that
    /// nothing answers, of all pairs; a draw counts one half. Nothing where one kind is missing.
    pub(crate) fn auc(&self) -> Option<f64> {
        if self.answered.is_empty() || self.unanswered.is_empty() {
            return None;
        }
        let mut unanswered = self.unanswered.clone();
        unanswered.sort_by(f32::total_cmp);
        let wins = |best: &f32| {
            let below = unanswered.partition_point(|other| other < best);
            let level = unanswered.partition_point(|other| other <= best) - below;
            count(below) + 0.5 * count(level)
        };
        let all: f64 = self.answered.iter().map(wins).sum();
        Some(all / (count(self.answered.len()) * count(self.unanswered.len())))
    }
}

/// Latencies in milliseconds.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Vec<f64>);

impl Latencies {
    pub(crate) fn push(&mut self, millis: f64) {
        self.0.push(millis);
    }

    /// The value below which the share `share` of all lies; 0 without any.
    pub(crate) fn percentile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let place = (0..=last)
            .find(|place| count(*place) + 1.0 > count(sorted.len()) * share)
            .unwrap_or(last);
        sorted.get(place).copied().unwrap_or(0.0)
    }

    pub(crate) fn json(&self) -> Value {
        let [p50, p95, p99] = [0.5, 0.95, 0.99].map(|part| self.percentile(part));
        json!({ "p50": p50, "p95": p95, "p99": p99 })
    }
}

/// A count as a number to calculate with; exact below 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of questions and places are far below 2^53"
)]
pub(crate) fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn measures_a_ranking_by_hand() {
        let quality = Quality::of(&ids("x a x y z b"), &ids("a b c"));
        assert_eq!(
            quality.recall_5,
            2.0 / 3.0,
            "the second x counts once, so b stands in place 5"
        );
        assert_eq!((quality.hit_10, quality.mrr_20), (1.0, 0.5));
        let ideal = 1.0 + 1.0 / 3.0_f64.log2() + 0.5;
        let gained = 1.0 / 3.0_f64.log2() + 1.0 / 6.0_f64.log2();
        assert!((quality.ndcg_10 - gained / ideal).abs() < 1e-12);
        assert_eq!(Quality::of(&[], &ids("a")), Quality::default());
        assert_eq!(Quality::mean(&[quality, Quality::default()]).mrr_20, 0.25);
    }

    #[test]
    fn the_area_under_the_curve_counts_pairs() {
        let mut scores = Answerability::default();
        assert_eq!(scores.auc(), None);
        for (best, answerable) in [(0.9, true), (0.5, true), (0.5, false), (0.1, false)] {
            scores.push(best, answerable);
        }
        assert_eq!((scores.auc(), scores.unanswerable()), (Some(3.5 / 4.0), 2));
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let mut latencies = Latencies::default();
        assert_eq!(latencies.percentile(0.99), 0.0);
        for n in (0_u8..100).rev() {
            latencies.push(f64::from(n));
        }
        // As in a list of 100: the element number int(100 * share).
        assert_eq!(
            (latencies.percentile(0.5), latencies.percentile(0.99)),
            (50.0, 99.0)
        );
    }
}
