//! Sentences and clauses of what is told.

/// What ends a clause.
pub(super) const COMMAS: [char; 5] = [',', '，', ';', '；', '\n'];

/// The first sentence of a text with the mark at its end, and what stands behind it. The point of 3.5, of "5 p.m." and of "Dr. Smith" ends none.
pub(super) fn sentence(text: &str) -> (&str, &str) {
    let end = |(at, c): &(usize, char)| {
        let behind = text.get(at + c.len_utf8()..).unwrap_or_default();
        match c {
            '.' => is_end(text.get(..*at).unwrap_or_default(), behind),
            '!' | '?' => !behind.starts_with(|c: char| c.is_alphanumeric()),
            c => "。！？\n".contains(*c),
        }
    };
    let end = text.char_indices().find(end).map_or(text.len(), |(at, c)| at + c.len_utf8());
    text.split_at(end)
}

/// Whether a point ends a sentence: not within a word or a number, not before a small letter, and not behind "Dr" or "p.m".
fn is_end(before: &str, behind: &str) -> bool {
    let next = behind.trim_start();
    if next.len() == behind.len() && !behind.is_empty() || next.starts_with(char::is_lowercase) {
        return false;
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let mut letters = word.chars();
    let title = letters.next().is_some_and(char::is_uppercase)
        && letters.clone().count() > 0
        && letters.all(|c| c.is_ascii_lowercase() && !"aeiouy".contains(c));
    !word.contains('.') && !title
}

/// Whether a sentence asks something.
pub(super) fn asks(sentence: &str) -> bool {
    sentence.trim_end_matches([' ', '。', '.', '!', '！', '\n']).ends_with(['?', '？', '吗'])
}

/// A sentence without the mark at its end.
pub(super) fn bare(text: &str) -> &str {
    let text = text.trim().trim_end_matches(['。', '!', '！']);
    match text.strip_suffix('.') {
        Some(before) if is_end(before, "") => before,
        _ => text,
    }
}

/// A sentence without what makes a question of it at its end.
pub(super) fn unasked(text: &str) -> &str {
    let text = text.trim_end().trim_end_matches(['?', '？']);
    bare(text.strip_suffix('吗').unwrap_or(text))
}

/// Whether a text can be a clause: one English word is none, as the beginning of "Tom, Ana and Leo".
pub(super) fn is_clause(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && (!text.is_ascii() || text.trim().contains(' '))
}

/// A text from its first word on.
pub(super) fn words(text: &str) -> &str {
    text.find(char::is_alphanumeric).and_then(|at| text.get(at..)).unwrap_or_default()
}
