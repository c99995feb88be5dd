//! The lines of a file that a prompt quotes.

/// The content of a line, however a person writes the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileLine {
    /// A line of a list: a memory.
    Memory,
    /// A text of a person's own.
    Text,
    /// A heading, or nothing.
    Empty,
}

impl FileLine {
    pub(super) fn of(line: &str) -> Self {
        let line = line.trim().trim_start_matches('\u{FEFF}');
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match item {
            _ if line.starts_with('#') || matches!(line, "" | "-" | "*") => Self::Empty,
            Some(content) if content.trim().is_empty() => Self::Empty,
            Some(_) => Self::Memory,
            None => Self::Text,
        }
    }
}
