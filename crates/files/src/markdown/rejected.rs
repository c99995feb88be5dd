use std::fmt::Write as _;

use annals_language::Zone;
use annals_types::Timestamp;

use super::Rejected;

/// The text of the file beside `MEMORY.md` that keeps what could not be read: `earlier`, its text so far, and the new
/// blocks, verbatim, below a comment that says when and where they were found. A block that is there already is not
/// added again.
#[must_use]
pub fn render_rejected(earlier: &str, rejected: &[Rejected], now: Timestamp, zone: &Zone) -> String {
    let mut text = earlier.to_owned();
    for block in rejected {
        if holds(&text, &block.text) {
            continue;
        }
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let _ = writeln!(text, "<!-- {}, line {} -->\n{}\n", zone.seconds(now), block.line, block.text);
    }
    text
}

/// Whether the block stands there as whole lines.
fn holds(text: &str, block: &str) -> bool {
    text.match_indices(block).any(|(at, _)| {
        let before = text.get(..at).is_none_or(|t| t.is_empty() || t.ends_with('\n'));
        let after = text.get(at + block.len()..).is_none_or(|t| t.is_empty() || t.starts_with('\n'));
        before && after
    })
}
