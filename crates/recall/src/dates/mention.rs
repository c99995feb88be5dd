use super::tokens::{Token, split};

/// Words that follow a "when" which asks; after any other it introduces a clause.
const ASKING: [&str; 14] =
    ["am", "are", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "will", "would"];

/// Whether a question asks when, or how long.
#[must_use]
pub fn asks_for_time(question: &str) -> bool {
    const CHINESE: [&str; 9] = ["什么时候", "哪天", "哪一天", "几月", "几号", "日期", "何时", "多久", "几点"];
    if CHINESE.iter().any(|phrase| question.contains(phrase)) {
        return true;
    }
    let tokens = split(question);
    let word = |at: usize| tokens.get(at).and_then(Token::word).unwrap_or_default();
    (0..tokens.len()).any(|at| match (word(at), word(at + 1), word(at + 2)) {
        ("when", next, _) => at == 0 || ASKING.contains(&next),
        ("how", "long", _) => true,
        ("what" | "which", "date" | "day" | "month" | "year" | "time", _) => true,
        ("how", "many", "days" | "weeks" | "months" | "years") => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_ask_for_time() {
        for text in
            ["When did I move?", "which year was it", "How many days until then", "我什么时候搬家", "站会几点开"]
        {
            assert!(asks_for_time(text), "{text}");
        }
        for text in ["Where do I live?", "whenever", "What did she eat when she moved?", "What do I eat?", "我住哪里"]
        {
            assert!(!asks_for_time(text), "{text}");
        }
    }
}
