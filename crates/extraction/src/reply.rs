//! What all readers of answers share.

/// The longest part of an answer that is read, in bytes. What a model writes beyond it is no answer to what it was asked.
pub(crate) const MAX_REPLY: usize = 256 << 10;
/// The most operations that one answer can ask for.
pub(crate) const MAX_OPERATIONS: usize = 256;

/// An answer without what reasoning models think aloud; a thought that does not end hides everything after it.
pub(crate) fn spoken(answer: &str) -> String {
    const MARKS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
    let mut text = answer.get(..answer.floor_char_boundary(MAX_REPLY)).unwrap_or_default().to_owned();
    for (open, close) in MARKS {
        // Some servers cut the opening mark off.
        if let Some(end) = text.find(close)
            && text.find(open).is_none_or(|start| start > end)
        {
            text = text.get(end + close.len()..).unwrap_or_default().to_owned();
        }
        while let Some(start) = text.find(open) {
            let end = text.get(start..).and_then(|rest| rest.find(close)).map(|at| start + at + close.len());
            let rest = end.and_then(|end| text.get(end..)).unwrap_or_default().to_owned();
            text.truncate(start);
            text.push_str(&rest);
        }
    }
    text
}

/// Whether a field or an answer holds no more than a word by which models leave it out.
pub(crate) fn is_left_out(text: &str) -> bool {
    const NOTHING: [&str; 8] = ["空", "无", "没有", "none", "null", "nothing", "n/a", "nil"];
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    bare.is_empty() || NOTHING.contains(&bare.as_str())
}

/// The first characters of something untrusted, for a warning.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut short: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_not_spoken() {
        assert_eq!(spoken("<think>[DELETE:mem_1]?</think>[SKIP]"), "[SKIP]");
        assert_eq!(spoken("maybe [DELETE:mem_1]</think>\n[SKIP]"), "\n[SKIP]");
        assert_eq!(spoken("[SKIP]<think>[DELETE:mem_1]"), "[SKIP]");
        assert_eq!(spoken("a<think>b</think>c<think>d</think>e"), "ace");
    }

    #[test]
    fn an_endless_answer_is_cut_between_characters() {
        assert!(spoken(&"好".repeat(MAX_REPLY)).len() <= MAX_REPLY);
        assert_eq!(excerpt(&"好".repeat(100)).chars().count(), 61);
    }
}
