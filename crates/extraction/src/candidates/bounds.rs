//! How much an answer may hold. A schema says it, so that a server that keeps to schemas ends what
//! a small model would not: it writes triples, or one text, until no room is left. Each bound is
//! several times what a window of conversation holds; what is longer all the same, from servers
//! that do not count, is read as far as the readers' own limits go.

/// The most memories of an answer.
pub const MEMORIES: usize = 32;
/// The most triples of one of them.
pub const TRIPLES: usize = 8;
/// The most triples of a memory that is taken apart by itself.
pub const STATEMENTS: usize = 16;
/// The most memories that one contradicts.
pub const NAMES: usize = 8;
/// The most characters of the text of a memory. Servers that keep to schemas refuse 2,000 and more.
pub const TEXT: usize = 1200;
/// The most characters of a part of a triple.
pub const PART: usize = 120;
/// The most characters of a word, a name or a time.
pub const WORD: usize = 64;

/// Whether a text was ended by the schema and not by who wrote it: it is exactly as long as the
/// schema lets it be, so that half of a word may be missing.
pub(super) fn is_ended(text: &str, bound: usize) -> bool {
    text.chars().count() == bound
}
