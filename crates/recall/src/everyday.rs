use annals_types::{Calibration, Script};

/// Prompts that people give to any assistant.
const PROMPTS: &str = include_str!("../data/everyday.txt");

/// The nearest prompts that are compared with a question.
const NEAREST: usize = 3;

/// What people say to any assistant, as an embedder sees it: greetings, agreement, requests without
/// an object and questions about the world.
///
/// A question that is nearer to these than to any memory is not for the memory, whatever its best
/// cosine is. The difference needs no threshold by language or embedder.
#[derive(Debug, Clone)]
pub struct Everyday {
    vectors: Vec<Vec<f32>>,
}

impl Everyday {
    /// The prompts, to be embedded as memories are.
    pub fn prompts() -> impl Iterator<Item = &'static str> {
        PROMPTS.lines()
    }

    /// The vectors of [`prompts`](Self::prompts), of length 1, in their order.
    #[must_use]
    pub const fn new(vectors: Vec<Vec<f32>>) -> Self {
        Self { vectors }
    }

    /// The mean likeness of a question to its nearest prompts, 0 to 1. `question` is its vector, of any length.
    #[must_use]
    pub fn likeness(&self, question: &[f32], script: Script, calibration: &Calibration) -> f32 {
        let length = dot(question, question).sqrt().max(f32::EPSILON);
        let scores = Self::prompts().zip(&self.vectors).map(|(prompt, vector)| {
            calibration.score(dot(question, vector) / length, script, Script::of_text(prompt))
        });
        let mut scores: Vec<f32> = scores.collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.truncate(NEAREST);
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let count = scores.len().max(1) as f32;
        scores.iter().sum::<f32>() / count
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_compared_with_the_nearest_prompts() {
        let mut vectors = vec![vec![0.0, 1.0]; Everyday::prompts().count()];
        vectors[..3].fill(vec![1.0, 0.0]);
        let everyday = Everyday::new(vectors);
        let likeness = |x, y| everyday.likeness(&[x, y], Script::Latin, &Calibration::uniform(0.0, 1.0));
        assert!((likeness(5.0, 0.0) - 1.0).abs() < 1e-6, "the length of the question does not count");
        assert!(likeness(-1.0, 0.0) < 0.1);
    }

    #[test]
    fn the_prompts_are_in_both_languages_and_each_stands_once() {
        let mut prompts: Vec<&str> = Everyday::prompts().collect();
        let han = prompts.iter().filter(|prompt| Script::of_text(prompt) == Script::Han).count();
        assert!(han * 3 > prompts.len() && han * 3 < prompts.len() * 2, "{han} of {}", prompts.len());
        let all = prompts.len();
        prompts.sort_unstable();
        prompts.dedup();
        assert_eq!((prompts.len(), prompts.iter().any(|prompt| prompt.trim().is_empty())), (all, false));
    }
}
