//! The part of a file that annals keeps. Where a person began the file, that is a section between
//! two marks, and everything else is theirs.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use annals_engine::Error;

/// The line above the section, and how it is known.
const BEGIN: &str =
    "<!-- annals:begin: memories; annals keeps these lines, the rest of the file is yours -->";
const BEGINS: &str = "<!-- annals:begin";
/// The line below it.
const END: &str = "<!-- annals:end -->";
const ENDS: &str = "<!-- annals:end";
/// The byte order mark with which a file in UTF-8 may begin.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// The marks of a section in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Marks {
    /// There are none.
    None,
    /// There is one of each: where both and what stands between them is, and where that alone is.
    Pair {
        outer: Range<usize>,
        inner: Range<usize>,
    },
    /// There is something else, in words.
    Damaged(String),
}

impl Marks {
    /// Looks for them: a mark is a line of its own.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (mut begins, mut ends) = (Vec::new(), Vec::new());
        let mut at = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let lines = bytes
            .get(at..)
            .unwrap_or_default()
            .split_inclusive(|byte| *byte == b'\n');
        for (number, line) in (1_usize..).zip(lines) {
            let (from, to) = (at, at.saturating_add(line.len()));
            at = to;
            let text = line.trim_ascii();
            if !text.ends_with(b"-->") {
                continue;
            }
            if text.starts_with(BEGINS.as_bytes()) {
                begins.push((number, from..to));
            } else if text.starts_with(ENDS.as_bytes()) {
                ends.push((number, from..to));
            }
        }
        match (begins.as_slice(), ends.as_slice()) {
            ([], []) => Self::None,
            ([(_, begin)], [(_, end)]) if begin.end <= end.start => Self::Pair {
                outer: begin.start..end.end,
                inner: begin.end..end.start,
            },
            _ => Self::Damaged(format!(
                "lines that begin annals' section: {}, that end it: {}; one of each is needed, in this order",
                numbers(&begins),
                numbers(&ends)
            )),
        }
    }
}

fn numbers(marks: &[(usize, Range<usize>)]) -> String {
    let all: Vec<String> = marks.iter().map(|(number, _)| number.to_string()).collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}

/// Which part of a file annals keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// All of it.
    Whole,
    /// The text between the marks.
    Section,
    /// A section that is not there yet.
    New,
}

/// The part of a file that annals keeps, and the text around it.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) kind: Kind,
    pub(super) before: &'a [u8],
    /// The text of that part; `None` where there is no file, or no section yet.
    pub(super) inside: Option<&'a [u8]>,
    after: &'a [u8],
}

impl<'a> Part<'a> {
    pub(super) const fn whole(bytes: Option<&'a [u8]>) -> Self {
        Self {
            kind: Kind::Whole,
            before: &[],
            inside: bytes,
            after: &[],
        }
    }

    /// A section at the end of what a person wrote.
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            kind: Kind::New,
            before: bytes,
            inside: None,
            after: &[],
        }
    }

    pub(super) fn section(bytes: &'a [u8], outer: &Range<usize>, inner: &Range<usize>) -> Self {
        let part = |range: Range<usize>| bytes.get(range).unwrap_or_default();
        let (before, after) = (part(0..outer.start), part(outer.end..bytes.len()));
        Self {
            kind: Kind::Section,
            before,
            inside: Some(part(inner.clone())),
            after,
        }
    }

    /// How many lines stand above what the file says there.
    pub(super) fn lines_above(&self) -> usize {
        let lines = self.before.iter().filter(|byte| **byte == b'\n').count();
        if self.kind == Kind::Section {
            lines.saturating_add(1)
        } else {
            0
        }
    }

    /// How the lines of the file end.
    fn line_end(&self) -> &'static str {
        let first = self
            .before
            .iter()
            .chain(self.after)
            .position(|byte| *byte == b'\n');
        let before = first.and_then(|at| at.checked_sub(1));
        let is_return =
            before.and_then(|at| self.before.iter().chain(self.after).nth(at)) == Some(&b'\r');
        if is_return { "\r\n" } else { "\n" }
    }

    /// The line breaks between a person's text and a section that is new.
    pub(super) fn lead(&self) -> String {
        let (end, text) = (self.line_end(), self.before);
        match self.kind {
            Kind::New if text.ends_with(b"\n\n") || text.ends_with(b"\r\n\r\n") => String::new(),
            Kind::New if text.ends_with(b"\n") => end.to_owned(),
            Kind::New => end.repeat(2),
            Kind::Whole | Kind::Section => String::new(),
        }
    }

    /// The file with another text there. Everything else stays byte for byte.
    pub(super) fn with(&self, text: &str) -> Vec<u8> {
        if self.kind == Kind::Whole {
            return text.as_bytes().to_vec();
        }
        let end = self.line_end();
        let text: Cow<'_, str> = if end == "\n" {
            text.into()
        } else {
            text.replace('\n', end).into()
        };
        let last = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            end
        };
        let section = [&self.lead(), BEGIN, end, &text, last, END, end].concat();
        [self.before, section.as_bytes(), self.after].concat()
    }

    /// The file without the section, and without the line breaks before it where it was begun at
    /// the end and they still stand there.
    pub(super) fn without(&self, lead: usize) -> Vec<u8> {
        let kept = self
            .before
            .len()
            .checked_sub(lead)
            .filter(|_| self.after.is_empty());
        let is_lead = |from: &usize| {
            self.before
                .iter()
                .skip(*from)
                .all(|byte| matches!(byte, b'\r' | b'\n'))
        };
        let before = kept
            .filter(is_lead)
            .and_then(|to| self.before.get(..to))
            .unwrap_or(self.before);
        [before, self.after].concat()
    }
}

/// Why a file is let alone in which nobody can tell what annals keeps.
pub(super) fn damaged(path: &Path, told: &str) -> Error {
    Error::bad_input(format!("{} is let alone: {told}", path.display()))
}

/// The text that annals keeps of a file, with the text around it where that is a section; nothing
/// of a person's file without one.
pub(super) fn kept(bytes: &[u8], is_section: bool) -> (&[u8], Option<Part<'_>>) {
    match Marks::of(bytes) {
        Marks::Pair { outer, inner } => {
            let part = Part::section(bytes, &outer, &inner);
            (part.inside.unwrap_or_default(), Some(part))
        }
        _ if is_section => (&[], Some(Part::new(bytes))),
        _ => (bytes, None),
    }
}

/// A file in which the text that annals keeps is replaced. Bytes there that are no UTF-8 become
/// the replacement character if the text changes.
pub(super) fn inside(bytes: &[u8], is_section: bool, other: impl Fn(&str) -> String) -> Vec<u8> {
    let (inside, part) = kept(bytes, is_section);
    let text = String::from_utf8_lossy(inside);
    let new = other(&text);
    match part {
        _ if new == text => bytes.to_vec(),
        Some(part) => part.with(&new),
        None => new.into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(bytes: &[u8]) -> Part<'_> {
        match Marks::of(bytes) {
            Marks::Pair { outer, inner } => Part::section(bytes, &outer, &inner),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_section_comes_and_goes_and_leaves_every_byte() {
        for theirs in [
            &b"mine"[..],
            b"mine\n",
            b"mine\n\n",
            b"# a\r\n\r\n- b\r\n",
            b"\xef\xbb\xbfmine\n",
            b"caf\xe9\n\xff\n",
            b"\n",
            b"a\r\nb",
        ] {
            let part = Part::new(theirs);
            let (file, lead) = (part.with("one\ntwo\n"), part.lead().len());
            assert!(file.starts_with(theirs));
            let there = pair(&file);
            let inside = String::from_utf8(there.inside.unwrap().to_vec()).unwrap();
            assert_eq!(inside.replace("\r\n", "\n"), "one\ntwo\n");
            assert_eq!(inside.contains('\r'), theirs.contains(&b'\r'), "{theirs:?}");
            assert_eq!(there.with("one\ntwo\n"), file);
            assert_eq!(there.without(lead), theirs);
            let moved = [&file[theirs.len()..], theirs].concat();
            assert_eq!(
                pair(&moved).without(lead),
                [&file[theirs.len()..][..lead], theirs].concat()
            );
        }
    }

    #[test]
    fn marks_are_lines_of_their_own_and_come_once() {
        let (begin, end) = ("<!-- annals:begin -->\n", "  <!-- annals:end: mine -->");
        let text = format!("\u{feff}{begin}a\n{end}");
        let part = pair(text.as_bytes());
        assert_eq!(
            (part.inside, part.lines_above(), part.before),
            (Some(&b"a\n"[..]), 1, BOM)
        );
        for none in [
            "",
            "a\n",
            "in `<!-- annals:begin -->` there\n",
            "<!-- annals:begins\n",
        ] {
            assert_eq!(Marks::of(none.as_bytes()), Marks::None, "{none}");
        }
        let end = "<!-- annals:end -->\n";
        for (damaged, told) in [
            (
                begin.to_owned(),
                "begin annals' section: 1, that end it: none",
            ),
            (end.to_owned(), "none, that end it: 1"),
            (format!("{end}{begin}"), "2, that end it: 1"),
            (
                format!("{begin}{end}x\n{begin}{end}"),
                "1, 4, that end it: 2, 5",
            ),
            (format!("{begin}{begin}{end}"), "1, 2, that end it: 3"),
        ] {
            match Marks::of(damaged.as_bytes()) {
                Marks::Damaged(found) => assert!(found.contains(told), "{found}"),
                other => panic!("{damaged}: {other:?}"),
            }
        }
    }
}
