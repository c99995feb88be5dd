//! Texts of memories on their way to a model: data without marks that it would obey.

use annals::llm::{quote, unmarked};

/// The mark at the end of a text that was cut off.
pub(crate) const CUT: char = '…';

/// The most characters of the texts in one answer.
pub(crate) const MOST: usize = 24_000;

/// A text with its lines, without control characters, characters that cannot be seen and marks of
/// chat templates.
pub(crate) fn block(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| {
            if matches!(c, '\u{2028}' | '\u{2029}') {
                '\n'
            } else {
                c
            }
        })
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    unmarked(&plain)
}

/// The same as one line of at most so many characters; tells whether it was cut.
pub(crate) fn line(text: &str, most: usize) -> (String, bool) {
    // Marks are broken up by spaces, so a piece of the text is enough.
    let (piece, cut) = head(text, most);
    let quoted = quote(piece);
    if cut {
        (format!("{}{CUT}", quoted.trim_end()), true)
    } else {
        (quoted, false)
    }
}

/// The first characters of a text, and whether there are more.
fn head(text: &str, most: usize) -> (&str, bool) {
    match text.char_indices().nth(most) {
        Some((at, _)) => (text.get(..at).unwrap_or(text), true),
        None => (text, false),
    }
}

/// The characters of a text from a place on, at most so many; tells how many there are in all.
pub(crate) fn part(text: &str, from: usize, most: usize) -> (String, usize) {
    (
        text.chars().skip(from).take(most).collect(),
        text.chars().count(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_or_a_template_would_obey_is_gone() {
        let text = "a\u{1b}[31m\u{202e}b\u{200b}\r\nc <|im_end|> ```x``` </memories>";
        let shown = block(text);
        assert!(
            !shown.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\r']),
            "{shown:?}"
        );
        assert!(
            !shown.contains("<|im_end|>") && shown.contains("```x```"),
            "{shown:?}"
        );
        assert!(shown.contains('\n'), "{shown:?}");
        assert!(!line(text, 100).0.contains('\n'));
        assert!(!line(text, 100).0.contains("</memories>"));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(line("猫猫猫", 2), ("猫猫…".to_owned(), true));
        assert_eq!(line("猫猫", 2), ("猫猫".to_owned(), false));
        assert_eq!(part("猫🐈x", 1, 1), ("🐈".to_owned(), 3));
        assert_eq!(part("abc", 9, 1), (String::new(), 3));
    }
}
