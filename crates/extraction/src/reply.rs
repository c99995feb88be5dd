//! Limits that all readers of answers share.

/// The longest part of an answer that is read, in bytes. Text beyond it is no answer to the
/// question.
pub(crate) const MAX_REPLY: usize = 256 << 10;
/// The most operations that one answer can ask for.
pub(crate) const MAX_OPERATIONS: usize = 256;

/// The part of an answer that is read, without thoughts.
pub(crate) fn spoken(answer: &str) -> String {
    without_thoughts(
        answer
            .get(..answer.floor_char_boundary(MAX_REPLY))
            .unwrap_or_default(),
    )
}

/// An answer without what reasoning models think aloud; a thought that does not end hides
/// everything after it, and one whose opening mark a server cut off everything before its end. A
/// mark behind a backtick is spoken of.
pub(crate) fn without_thoughts(answer: &str) -> String {
    const MARKS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
    let (mut spoken, mut from) = (String::new(), 0);
    for (at, _) in answer.match_indices('<') {
        let (before, here) = answer.split_at(at);
        if at < from || before.ends_with('`') {
            continue;
        }
        if let Some((open, close)) = MARKS.iter().find(|(open, _)| here.starts_with(open)) {
            spoken.push_str(before.get(from..).unwrap_or_default());
            let Some(end) = here
                .get(open.len()..)
                .and_then(|thought| thought.find(close))
            else {
                return spoken;
            };
            from = at + open.len() + end + close.len();
        } else if let Some((_, close)) = MARKS.iter().find(|(_, close)| here.starts_with(close)) {
            spoken.clear();
            from = at + close.len();
        }
    }
    spoken.push_str(answer.get(from..).unwrap_or_default());
    spoken
}

/// Whether a text says something: signs without a letter and without a digit do not, where a model
/// was asked for words.
pub(crate) fn says(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

/// Whether a field or an answer holds no more than a word by which models leave it out.
pub(crate) fn is_left_out(text: &str) -> bool {
    const NOTHING: [&str; 8] = ["空", "无", "没有", "none", "null", "nothing", "n/a", "nil"];
    let bare = text
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    bare.is_empty() || NOTHING.contains(&bare.as_str())
}

/// The first characters of something untrusted, for a warning.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut short: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
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
        assert_eq!(spoken("<thinking>a<think>b</think>c</thinking>d"), "d");
        assert_eq!(
            spoken("write `<think>` and `</think>`"),
            "write `<think>` and `</think>`"
        );
        assert_eq!(spoken(&"<think></think>".repeat(10_000)), "");
    }

    #[test]
    fn an_endless_answer_is_cut_between_characters() {
        assert!(spoken(&"好".repeat(MAX_REPLY)).len() <= MAX_REPLY);
        assert_eq!(excerpt(&"好".repeat(100)).chars().count(), 61);
    }
}
