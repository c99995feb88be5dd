//! Whether the small embedder would find the texts of this database better than the built-in table.
//!
//! Nobody says which answer belongs to which question, but conversations do: what follows a
//! question is its answer more often than what follows another one. Both embedders rank the
//! answers of a sample for each question; the small one is recommended where it puts the own
//! answer nearer to the top, by more than chance.

use annals::blocking::Memory;
use annals::embed::{BuiltinEmbedder, SmallEmbedder};
use annals::{Embedder, Filter, Layer, ListQuery, Purpose};
use serde_json::json;

use super::{Finding, State};
use crate::app::{Access, App};
use crate::failure::Failure;
use crate::settings::EmbedderSetting;
use crate::texts::text;

/// Turns of each namespace that are looked through, the newest first.
const TURNS: usize = 1_000;

/// Questions of the sample: at most, and at least for a recommendation.
const MOST_QUESTIONS: usize = 120;
const LEAST_QUESTIONS: usize = 30;

/// Characters of a text that are embedded.
const CHARACTERS: usize = 300;

/// The gain in mean reciprocal rank that is worth the milliseconds, and the standard errors that it
/// has to be.
const LEAST_GAIN: f64 = 0.03;
const STANDARD_ERRORS: f64 = 2.0;

/// A finding where the built-in table is chosen and the small embedder would serve better.
pub(super) fn better_embedder(app: &App<'_, '_>) -> Option<Finding> {
    if app.settings.embedder != EmbedderSetting::Builtin || !app.settings.db.exists() {
        return None;
    }
    let memory = app.open_plain(Access::Existing).ok()?;
    let comparison = Comparison::of_pairs(&pairs(&memory).ok()?)?;
    if !comparison.is_better() {
        return None;
    }
    let (before, after) = (
        format!("{:.2}", comparison.builtin),
        format!("{:.2}", comparison.small),
    );
    Some(Finding {
        name: "embedder",
        state: State::Open,
        says: text!(
            "doctor-small-better",
            questions = comparison.questions,
            before,
            after
        ),
        advice: Some(text!("doctor-small-advice")),
        facts: json!({
            "questions": comparison.questions, "builtin": comparison.builtin,
            "small": comparison.small,
        }),
    })
}

/// Questions with what followed them, out of all namespaces alike.
fn pairs(memory: &Memory) -> Result<Vec<(String, String)>, Failure> {
    let namespaces = memory.namespaces()?;
    let share = MOST_QUESTIONS.div_ceil(namespaces.len().max(1));
    let mut pairs = Vec::new();
    for known in namespaces {
        let filter = Filter {
            layers: vec![Layer::Turn],
            ..Filter::default()
        };
        let query = ListQuery {
            filter,
            limit: TURNS,
            ..ListQuery::default()
        };
        let turns = memory
            .namespace(known.name.as_str())?
            .list(&query)?
            .memories;
        let mut found = 0;
        for (at, asked) in turns.iter().enumerate() {
            let Some(turn) = &asked.body.turn else {
                continue;
            };
            if found == share || !asked.body.text.trim_end().ends_with(['?', '？']) {
                continue;
            }
            // The newest come first: the next turn of a session stands before.
            let next = at.checked_sub(1).and_then(|at| turns.get(at));
            let next = next.filter(|next| {
                next.body
                    .turn
                    .as_ref()
                    .is_some_and(|t| t.session == turn.session)
            });
            if let Some(answer) = turn.reply.as_ref().or(next.map(|next| &next.body.text)) {
                pairs.push((beginning(&asked.body.text), beginning(answer)));
                found += 1;
            }
        }
    }
    Ok(pairs)
}

fn beginning(text: &str) -> String {
    text.chars().take(CHARACTERS).collect()
}

/// Mean reciprocal ranks of the own answers under both embedders.
#[derive(Debug)]
struct Comparison {
    questions: usize,
    builtin: f64,
    small: f64,
    /// The standard error of the difference of both.
    error: f64,
}

impl Comparison {
    /// `None` for too few pairs.
    fn of_pairs(pairs: &[(String, String)]) -> Option<Self> {
        if pairs.len() < LEAST_QUESTIONS {
            return None;
        }
        let builtin = reciprocal_ranks(&BuiltinEmbedder::new(), pairs)?;
        let small = reciprocal_ranks(&SmallEmbedder::new(), pairs)?;
        let gains: Vec<f64> = small
            .iter()
            .zip(&builtin)
            .map(|(small, builtin)| small - builtin)
            .collect();
        let count = gains.iter().map(|_| 1.0).sum::<f64>();
        let mean = gains.iter().sum::<f64>() / count;
        let variance = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Some(Self {
            questions: pairs.len(),
            builtin: builtin.iter().sum::<f64>() / count,
            small: small.iter().sum::<f64>() / count,
            error: (variance / count).sqrt(),
        })
    }

    fn is_better(&self) -> bool {
        let gain = self.small - self.builtin;
        gain >= LEAST_GAIN && gain >= STANDARD_ERRORS * self.error
    }
}

/// For each question 1 over the rank of its own answer among all answers; equal ones count before
/// it.
fn reciprocal_ranks(embedder: &dyn Embedder, pairs: &[(String, String)]) -> Option<Vec<f64>> {
    let questions: Vec<&str> = pairs
        .iter()
        .map(|(question, _)| question.as_str())
        .collect();
    let answers: Vec<&str> = pairs.iter().map(|(_, answer)| answer.as_str()).collect();
    let questions = embedder.embed(&questions, Purpose::Query).ok()?;
    let answers = embedder.embed(&answers, Purpose::Passage).ok()?;
    let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let rank = |(question, own): (&Vec<f32>, &Vec<f32>)| {
        let least = cosine(question, own);
        let before = answers
            .iter()
            .filter(|answer| cosine(question, answer) >= least)
            .map(|_| 1.0)
            .sum::<f64>();
        1.0 / before.max(1.0)
    };
    Some(questions.iter().zip(&answers).map(rank).collect())
}

#[cfg(test)]
mod tests {
    use super::Comparison;

    fn pairs(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts
            .iter()
            .map(|(question, answer)| ((*question).to_owned(), (*answer).to_owned()))
            .collect()
    }

    #[test]
    fn few_questions_are_not_compared() {
        assert!(Comparison::of_pairs(&pairs(&[("Where do I live?", "In Lisbon.")])).is_none());
    }

    #[test]
    fn questions_that_both_answer_need_no_other_embedder() {
        let numbered = |i: u32| {
            (
                format!("What is in box {i}{i}{i}?"),
                format!("Box {i}{i}{i} holds tea."),
            )
        };
        let compared = Comparison::of_pairs(&(100..140).map(numbered).collect::<Vec<_>>()).unwrap();
        assert!(!compared.is_better(), "{compared:?}");
    }

    #[test]
    fn a_gain_has_to_be_larger_than_chance() {
        let compared = |small, error| Comparison {
            questions: 40,
            builtin: 0.5,
            small,
            error,
        };
        assert!(compared(0.6, 0.02).is_better());
        assert!(!compared(0.6, 0.06).is_better() && !compared(0.52, 0.001).is_better());
    }
}
