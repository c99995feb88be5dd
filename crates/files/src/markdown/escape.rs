//! Content that would be read as something else is escaped.

use annals_language::one_line;

/// Starts of a line that would be read as something else than content.
const MARKS: [&str; 2] = ["#", "<!--"];

/// One line that is read back as content whatever it begins with.
pub(super) fn escape(content: &str) -> String {
    let line = one_line(content);
    let marked = MARKS.iter().any(|mark| line.starts_with(mark)) || is_escaped(&line);
    if marked { format!("\\{line}") } else { line }
}

/// The content that [`escape`] wrote.
pub(super) fn unescape(line: &str) -> &str {
    if is_escaped(line) {
        line.get(1..).unwrap_or_default()
    } else {
        line
    }
}

/// Whether a line begins with one or more backslashes before a mark: each writing adds one, each
/// reading takes one.
fn is_escaped(line: &str) -> bool {
    let bare = line.trim_start_matches('\\');
    bare.len() < line.len() && MARKS.iter().any(|mark| bare.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_escaped_and_everything_else_stays() {
        for (content, line) in [
            ("plain", "plain"),
            ("# heading", "\\# heading"),
            ("\\# escaped by hand", "\\\\# escaped by hand"),
            ("<!-- note -->", "\\<!-- note -->"),
            ("C:\\dir", "C:\\dir"),
            ("\\n is a line feed", "\\n is a line feed"),
            (" a\r\n### b | c\n", "a ### b | c"),
        ] {
            assert_eq!(escape(content), line);
            assert_eq!(unescape(line), one_line(content));
        }
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_text_survives_as_one_line(text in "[\\\\#<!\\- a\n\r]{0,12}|\\PC{0,40}|.{0,40}") {
            let line = escape(&text);
            proptest::prop_assert!(!line.starts_with('#') && !line.starts_with("<!--") && !line.contains('\n'));
            proptest::prop_assert_eq!(unescape(&line), one_line(&text));
        }
    }
}
