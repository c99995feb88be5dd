use std::collections::BTreeMap;

use annals::{Answer, Answered, Channel, Conversation, Question};
use serde::Serialize;

use crate::conversation::turn_id;

/// Everything the fit of weights needs to know about a question: one line of the file of
/// candidates.
#[derive(Serialize)]
pub(super) struct Candidates<'a> {
    conversation: &'a str,
    question: &'a str,
    /// How many turns hold the answer, candidates or not.
    evidence: usize,
    answered: Answered,
    candidates: Vec<Candidate<'a>>,
}

#[derive(Serialize)]
struct Candidate<'a> {
    id: String,
    evidence: bool,
    score: f32,
    features: BTreeMap<&'static str, Option<f32>>,
    found_by: &'a [Channel],
}

impl<'a> Candidates<'a> {
    pub(super) fn new(
        conversation: &'a Conversation,
        question: &'a Question,
        answer: &'a Answer,
    ) -> Self {
        let candidates = answer.hits.iter().map(|hit| {
            let id = turn_id(hit.id, &hit.memory);
            let features = hit
                .explanation
                .parts
                .iter()
                .map(|part| (part.feature.as_str(), part.value));
            Candidate {
                evidence: question.evidence.contains(&id),
                id,
                score: hit.score,
                features: features.collect(),
                found_by: &hit.explanation.found_by,
            }
        });
        Self {
            conversation: &conversation.id,
            question: &question.id,
            evidence: question.evidence.len(),
            answered: answer.answered,
            candidates: candidates.collect(),
        }
    }
}
