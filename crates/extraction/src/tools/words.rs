//! Words that a model chooses from and that are stored as they are in the graph's design.

use annals_messages::Messages;

/// The words as they are stored, with the messages that show them in other languages.
const WORDS: [(&str, &str); 10] = [
    ("事件", "type-event"),
    ("事实", "type-fact"),
    ("关系", "type-relation"),
    ("观点", "type-opinion"),
    ("因为", "relation-because"),
    ("所以", "relation-so"),
    ("导致", "relation-leads-to"),
    ("引用", "relation-cites"),
    ("基于", "relation-based-on"),
    ("相关", "relation-related"),
];

/// A word as messages show it; the word itself when it is none of these.
#[must_use]
pub fn shown_word(stored: &str, messages: &Messages) -> String {
    message(stored)
        .and_then(|id| messages.try_text(id, &[]))
        .unwrap_or_else(|| stored.to_owned())
}

/// The message that shows a stored word.
pub(super) fn message(stored: &str) -> Option<&'static str> {
    WORDS
        .iter()
        .find(|(word, _)| *word == stored)
        .map(|(_, message)| *message)
}
