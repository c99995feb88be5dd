//! Memories hold text from anywhere. A character that moves the cursor, changes colours or reorders
//! a line is written as `\u{1b}` instead of being sent.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character acts on a terminal or hides in it rather than being read.
pub(crate) fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{2060}'..='\u{2064}' // invisible marks
            | '\u{2028}' | '\u{2029}'                       // line breaks that no terminal shows as such
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}' // bidirectional overrides and isolates
            | '\u{fff9}'..='\u{fffb}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}') // tags: text that no one sees
}

/// The text on one line: line breaks become spaces, whatever acts is shown.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\n' | '\t' | '\r') {
            out.push(' ')
        } else {
            push(&mut out, c)
        }
    }
    Cow::Owned(out)
}

/// The text with its line breaks; tabs become four spaces, whatever else acts is shown.
pub(crate) fn block(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| acts(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            '\r' if rest.peek() == Some(&'\n') => {}
            _ => push(&mut out, c),
        }
    }
    Cow::Owned(out)
}

/// Lines of columns, with their line breaks and the tabs between the columns; whatever else acts is
/// shown.
fn columns(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t');
    if !text.chars().any(|c| acts(c) && !stays(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if stays(c) {
            out.push(c)
        } else {
            push(&mut out, c)
        }
    }
    Cow::Owned(out)
}

fn push(out: &mut String, c: char) {
    if acts(c) {
        out.extend(c.escape_unicode())
    } else {
        out.push(c)
    }
}

/// JSON with nothing left in it that acts: such characters stand only inside its texts, where
/// `\u202e` means the same.
pub(crate) fn json(text: &str) -> Cow<'_, str> {
    let passes = |c: char| c == '\n' || !acts(c);
    if text.chars().all(passes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut units = [0_u16; 2];
    for c in text.chars() {
        if passes(c) {
            out.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    Cow::Owned(out)
}

/// Passes lines on so that nothing in them acts on a terminal, now or when a file is shown later.
pub(crate) struct Lines<'o> {
    inner: &'o mut dyn Write,
    line: Vec<u8>,
    shown: fn(&str) -> Cow<'_, str>,
}

impl<'o> Lines<'o> {
    /// Of JSON, in the form of [`json`].
    pub(crate) fn of_json(inner: &'o mut dyn Write) -> Self {
        Self {
            inner,
            line: Vec::new(),
            shown: json,
        }
    }

    /// Of text, in the form of [`block`].
    pub(crate) fn of_text(inner: &'o mut dyn Write) -> Self {
        Self {
            inner,
            line: Vec::new(),
            shown: block,
        }
    }

    /// Of columns with tabs between them, for files and other programs.
    pub(crate) fn of_columns(inner: &'o mut dyn Write) -> Self {
        Self {
            inner,
            line: Vec::new(),
            shown: columns,
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let line = String::from_utf8_lossy(&self.line);
        self.inner.write_all((self.shown)(&line).as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

impl Write for Lines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            self.line.push(byte);
            if byte == b'\n' {
                self.pass_on()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shows_what_acts_and_keeps_what_is_read() {
        assert_eq!(
            line("red \u{1b}[31m\ntext\u{7}"),
            "red \\u{1b}[31m text\\u{7}"
        );
        assert_eq!(block("a\r\nb\rc\t\u{202e}d"), "a\nb\\u{d}c    \\u{202e}d");
        for kept in ["שלום", "👩‍👩‍👧 ", "小满", "e\u{301}", "می‌خواهم"] {
            assert_eq!(line(kept), kept);
        }
    }

    #[test]
    fn json_lines_say_the_same_without_acting() {
        let text = serde_json::to_string("\u{7f}\u{9b}31m\u{202e}\u{e0041}小").unwrap();
        let mut out = Vec::new();
        writeln!(Lines::of_json(&mut out), "{text}").unwrap();
        let shown = String::from_utf8(out).unwrap();
        assert!(!shown.trim_end().chars().any(acts), "{shown:?}");
        assert_eq!(
            serde_json::from_str::<String>(&shown).unwrap(),
            "\u{7f}\u{9b}31m\u{202e}\u{e0041}小"
        );
    }

    proptest! {
        #[test]
        fn fuzz_nothing_shown_acts(text in any::<String>()) {
            prop_assert!(!line(&text).chars().any(acts));
            prop_assert!(!block(&text).chars().any(|c| acts(c) && c != '\n'));
            prop_assert!(!columns(&text).chars().any(|c| acts(c) && !matches!(c, '\n' | '\t')));
            let encoded = serde_json::to_string(&text).unwrap();
            let shown = json(&encoded);
            prop_assert!(!shown.chars().any(acts));
            prop_assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
        }
    }
}
