use std::fmt::Write as _;

use annals_types::Timestamp;

use super::{Entry, Format, Section, comment, escape, header};

/// The text before the moment of writing.
const STAMP: &str = "<!-- Last updated: ";

/// Whether two files are equal but for the moments at which they were written.
#[must_use]
pub fn same(one: &str, other: &str) -> bool {
    // The title stands before the moment, everything else after it.
    fn around(text: &str) -> Option<(&str, &str)> {
        let (title, rest) = text.split_once(STAMP)?;
        Some((title, rest.split_once('\n')?.1))
    }
    one == other || around(one).is_some_and(|one| around(other) == Some(one))
}

/// The whole file: title, when it was written, how many entries, and both sections, best entries
/// first.
///
/// Ends with a line feed; lines end with line feeds alone.
#[must_use]
pub fn render(entries: &[Entry], now: Timestamp, format: &Format) -> String {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| {
        let score = b.score.total_cmp(&a.score);
        score
            .then(b.last_activated.cmp(&a.last_activated))
            .then_with(|| a.id.cmp(&b.id))
    });
    let mut text = format!("# {}\n\n", format.headings.title);
    // Writing into a String cannot fail.
    let _ = writeln!(text, "{STAMP}{} -->", format.zone.seconds(now));
    let _ = writeln!(text, "<!-- Total entries: {} -->", entries.len());
    for section in [Section::Active, Section::Archived] {
        let _ = writeln!(text, "\n## {}", format.headings.of(section));
        for entry in sorted
            .iter()
            .filter(|entry| format.section(entry.score) == section)
        {
            let _ = writeln!(text, "\n{}", header::render(entry, format));
            let _ = writeln!(text, "{}", escape::escape(&entry.content));
            if let Some(comment) = comment::render(entry, format) {
                let _ = writeln!(text, "{comment}");
            }
        }
    }
    text
}
