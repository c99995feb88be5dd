/// A text as one line: line breaks and other control characters become spaces, white space at the
/// ends goes.
#[must_use]
pub fn one_line(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}');
    let mut line = String::with_capacity(text.len());
    let mut broken = false;
    for c in text.trim().chars() {
        if breaks(c) {
            // A run of breaks, such as a carriage return and a line feed, is one space.
            if !broken && !line.ends_with(' ') {
                line.push(' ');
            }
            broken = true;
        } else {
            broken = false;
            line.push(c);
        }
    }
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_become_spaces() {
        for (text, line) in [
            ("plain", "plain"),
            (" a\r\n### b | c\n", "a ### b | c"),
            ("a\u{2028}b", "a b"),
        ] {
            assert_eq!(one_line(text), line);
        }
    }
}
