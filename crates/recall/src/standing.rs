//! What tells a standing instruction from anything else.

use std::sync::LazyLock;

use annals_types::{EmbedError, Embedder, Purpose};
use annals_vector::embed::BuiltinEmbedder;

/// The constant and the weights of a logistic regression over the built-in embedder's vectors, as
/// `tools/embedder/fit_standing.py` fits them.
const FITTED: &str = include_str!("../data/standing.txt");

/// The sentences of a text that are looked at.
const MOST_SENTENCES: usize = 12;
/// A text of more bytes is looked at by its sentences alone.
const SHORT: usize = 300;
/// A sentence of fewer characters tells nothing.
const SHORTEST: usize = 4;

/// The least logit: about two of three.
const LEAST: f32 = 0.7;

struct Fitted {
    constant: f32,
    weights: Vec<f32>,
}

static STANDING: LazyLock<Fitted> = LazyLock::new(|| {
    // The numbers are part of the program, and a test reads them: none is left out elsewhere.
    let mut numbers = FITTED
        .split_whitespace()
        .filter_map(|number| number.parse().ok());
    let constant = numbers.next().unwrap_or(f32::MIN);
    Fitted {
        constant,
        weights: numbers.collect(),
    }
});

/// The direction in which standing instructions lie in the space of the built-in embedder.
#[must_use]
pub fn standing_direction() -> &'static [f32] {
    &STANDING.weights
}

/// Whether a text tells what holds from now on: how something is always to be done, or what never
/// is. One sentence of the first twelve that does is enough; questions and code do not.
///
/// # Errors
/// [`EmbedError`] of the built-in embedder.
pub fn is_standing_instruction(text: &str) -> Result<bool, EmbedError> {
    let told = statements(text);
    let texts: Vec<&str> = told.iter().map(String::as_str).collect();
    let vectors = BuiltinEmbedder::new().embed(&texts, Purpose::Passage)?;
    let score = |vector: &Vec<f32>| {
        let products = vector
            .iter()
            .zip(&STANDING.weights)
            .map(|(x, weight)| x * weight);
        products.sum::<f32>() + STANDING.constant
    };
    Ok(vectors.iter().any(|vector| score(vector) > LEAST))
}

/// The sentences of a text without code, those that ask left out; a short text is one by itself,
/// too.
fn statements(text: &str) -> Vec<String> {
    let prose = without_code(text);
    let mut found = Vec::new();
    let mut sentence = String::new();
    let mut characters = prose.chars().peekable();
    while let Some(character) = characters.next() {
        let is_end = match character {
            '\n' | '。' | '！' | '？' | '；' => true,
            // Not within a number, a name of a file or an address.
            '.' | '!' | '?' | ';' => characters.peek().is_none_or(|next| next.is_whitespace()),
            _ => false,
        };
        sentence.push(character);
        if is_end || characters.peek().is_none() {
            take(&mut sentence, &mut found);
        }
    }
    found.truncate(MOST_SENTENCES);
    let whole = prose.trim();
    if found.len() > 1 && whole.len() <= SHORT {
        take(&mut whole.to_owned(), &mut found);
    }
    found
}

/// Moves a sentence to those that were found, unless it asks or is too short.
fn take(sentence: &mut String, found: &mut Vec<String>) {
    let told = sentence.trim();
    if !told.ends_with(['?', '？']) && told.chars().count() >= SHORTEST {
        found.push(told.to_owned());
    }
    sentence.clear();
}

/// A text without the parts between three backticks.
fn without_code(text: &str) -> String {
    text.split("```").step_by(2).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_has_a_weight_for_each_number() {
        assert_eq!(standing_direction().len(), BuiltinEmbedder::new().dims());
        assert!(STANDING.constant < 0.0);
    }

    #[test]
    fn instructions_are_told_from_anything_else() {
        for text in [
            "Always run the linter before committing.",
            "Commit messages must be in English.",
            "Unit tests use vitest, never jest.",
            "Never push to main without a review.",
            "We always squash-merge.",
            "from now on reply in Spanish only",
            "Good morning. The build is green. Use pnpm from now on. What is next?",
            "以后提交信息一律用英文写",
            "你好，今天先记一条：以后提交信息一律用英文写。",
            "回复我的时候一律不要用英文",
            "请记住：测试用 vitest。",
        ] {
            assert!(is_standing_instruction(text).unwrap(), "{text}");
        }
        for text in [
            "run the tests",
            "run the migration on orders_prod",
            "查一下测试为什么挂了",
            "这次不用写测试",
            "ok",
            "thanks, perfect",
            "My cat is called Turing.",
            "我在上海工作",
            "we met at the station on Tuesday",
            "What should I never do on main?",
            "why does this throw \"never used\"?\n```ts\nalways(never)\n```",
            "explain what idempotency keys are",
        ] {
            assert!(!is_standing_instruction(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn statements_are_sentences_that_tell() {
        assert_eq!(
            statements("Use v1.2 of it. Why? See a.rs;\n```\ncode.\n```\n好的，以后用中文。"),
            [
                "Use v1.2 of it.",
                "See a.rs;",
                "好的，以后用中文。",
                "Use v1.2 of it. Why? See a.rs;\n\n\n好的，以后用中文。"
            ]
        );
    }
}
