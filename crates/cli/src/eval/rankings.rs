use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::measure::count;
use crate::source;
use crate::texts::text;
use crate::world::World;

/// The ranking of one question, as one line of a file of results.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Ranking {
    pub(crate) conversation: String,
    pub(crate) question: String,
    /// The turns, best first.
    pub(crate) ranked: Vec<String>,
    /// Scores of the hits, in the same order.
    #[serde(default)]
    pub(crate) scores: Vec<f32>,
    /// The probability that anything answers, 0 to 1.
    #[serde(default)]
    pub(crate) answered: f32,
    /// How long it took.
    #[serde(default)]
    pub(crate) ms: f64,
}

/// The rankings of all questions.
#[derive(Debug, Default)]
pub(crate) struct Rankings(HashMap<(String, String), Vec<String>>);

const DEPTH: usize = 10;

impl Rankings {
    pub(crate) fn read(path: &Path, world: &mut World<'_>) -> Result<Self, Failure> {
        let mut all = Self::default();
        for (number, line) in (1_u64..).zip(source::lines(path, world)?.lines()) {
            let line = line.map_err(|cause| Failure::file(&text!("common-read"), path, &cause))?;
            if line.trim().is_empty() {
                continue;
            }
            let ranking: Ranking = serde_json::from_str(&line).map_err(|error| {
                Failure::invalid(text!("eval-no-line", path = path.display(), number, error))
                    .at(path, Some(number))
            })?;
            all.push(&ranking);
        }
        Ok(all)
    }

    pub(crate) fn push(&mut self, ranking: &Ranking) {
        let first = ranking.ranked.iter().take(DEPTH).cloned().collect();
        self.0.insert(
            (ranking.conversation.clone(), ranking.question.clone()),
            first,
        );
    }

    /// The mean share of the first ten of a question that the other ranking has among its first ten
    /// too.
    pub(crate) fn agreement(&self, other: &Self) -> f64 {
        let shares: f64 = self
            .0
            .iter()
            .map(|(question, ranked)| {
                let theirs: HashSet<_> = other.0.get(question).into_iter().flatten().collect();
                let longest = ranked.len().max(theirs.len());
                let same = ranked.iter().filter(|id| theirs.contains(id)).count();
                if longest == 0 {
                    1.0
                } else {
                    count(same) / count(longest)
                }
            })
            .sum();
        shares / count(self.0.len()).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_the_share_in_common() {
        let rankings = |lists: &[&str]| {
            let mut all = Rankings::default();
            for (number, list) in lists.iter().enumerate() {
                all.push(&Ranking {
                    conversation: "c".to_owned(),
                    question: number.to_string(),
                    ranked: list.split_whitespace().map(str::to_owned).collect(),
                    scores: Vec::new(),
                    answered: 0.0,
                    ms: 0.0,
                });
            }
            all
        };
        assert_eq!(
            rankings(&["a b", "c d"]).agreement(&rankings(&["b a", "c x"])),
            0.75
        );
        assert_eq!(rankings(&["a b"]).agreement(&rankings(&[])), 0.0);
        assert_eq!(rankings(&[""]).agreement(&rankings(&[""])), 1.0);
    }
}
