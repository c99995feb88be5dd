//! Turns that are too long to be found and quoted, in parts.

use crate::turn::ConversationTurn;

/// The most bytes of a turn of a document or a transcript. A vector is of the beginning of a text,
/// and a prompt has no room for a whole paste: in parts each is found by its own words, and nothing
/// is left out.
const MOST_BYTES: usize = 32 << 10;

/// A turn, in as many turns as its text needs. The texts of the parts, one after the other, are
/// that of the turn; the reply and what tools were called belong to the last one. Parts behind the
/// first are known by the id of the turn with their number.
pub(super) fn parts(mut turn: ConversationTurn) -> Vec<ConversationTurn> {
    if turn.text.len() <= MOST_BYTES {
        return vec![turn];
    }
    // What is copied for each part must not be as long as the turn.
    let whole = std::mem::take(&mut turn.text);
    let reply = turn.reply.take();
    let tool_calls = std::mem::take(&mut turn.tool_calls);
    let attachments = std::mem::take(&mut turn.attachments);
    let part = |(at, text): (usize, &str)| {
        let mut part = turn.clone();
        if at > 0 {
            part.id = turn.id.as_ref().map(|id| format!("{id}#{}", at + 1));
        }
        part.text = text.to_owned();
        part
    };
    let texts = cut(&whole, MOST_BYTES).into_iter().enumerate();
    let mut parts: Vec<ConversationTurn> = texts.map(part).collect();
    if let Some(last) = parts.last_mut() {
        (last.reply, last.tool_calls, last.attachments) = (reply, tool_calls, attachments);
    }
    parts
}

/// A text in pieces of at most so many bytes, each cut behind a paragraph, a line or a word where
/// one ends in its second half. No piece is blank.
pub(crate) fn cut(text: &str, most: usize) -> Vec<&str> {
    let mut pieces: Vec<&str> = Vec::new();
    let mut from = 0;
    while let Some(rest) = text.get(from..).filter(|rest| !rest.is_empty()) {
        let mut end = rest.floor_char_boundary(most);
        if end < rest.len() {
            let window = rest.get(..end).unwrap_or(rest);
            let behind = |mark: &str| {
                window
                    .rfind(mark)
                    .map(|at| at + mark.len())
                    .filter(|at| *at > most / 2)
            };
            end = ["\n\n", "\n", "。", ". ", " "]
                .into_iter()
                .find_map(behind)
                .unwrap_or(end);
        }
        let piece = rest.get(..end).unwrap_or(rest);
        match pieces.last_mut() {
            // What is blank stays with the piece before it.
            Some(before) if piece.trim().is_empty() => {
                let begin = from - before.len();
                *before = text.get(begin..from + end).unwrap_or(before);
            }
            _ => pieces.push(piece),
        }
        from += end;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_turn_is_cut_where_something_ends_and_loses_nothing() {
        assert_eq!(
            cut("one two\n\nthree four\n\nfive", 14),
            ["one two\n\n", "three four\n\n", "five"]
        );
        assert_eq!(cut("一二三四五六七八", 7), ["一二", "三四", "五六", "七八"]);
        let (word, blanks) = ("word", " ".repeat(20));
        assert_eq!(
            cut(&format!("{word}{blanks}end"), 8),
            [format!("{word}{blanks}").as_str(), "end"]
        );
        let mut turn = ConversationTurn::said("s", "A line of a log.\n".repeat(200_000));
        (turn.id, turn.reply) = (Some("u1".to_owned()), Some("Seen.".to_owned()));
        let whole = turn.text.clone();
        let parts = parts(turn);
        assert!(parts.len() > 90 && parts.iter().all(|part| part.text.len() <= MOST_BYTES));
        assert_eq!(
            parts
                .iter()
                .map(|part| part.text.as_str())
                .collect::<String>(),
            whole
        );
        let ids: Vec<&str> = parts
            .iter()
            .filter_map(|part| part.id.as_deref())
            .take(2)
            .collect();
        assert_eq!(ids, ["u1", "u1#2"]);
        assert_eq!(parts.iter().filter(|part| part.reply.is_some()).count(), 1);
        assert_eq!(parts.last().unwrap().reply.as_deref(), Some("Seen."));
        let held: usize = parts.iter().map(|part| part.text.capacity()).sum();
        assert!(held < 2 * whole.len(), "{held} bytes are held");
    }

    proptest::proptest! {
        #[test]
        fn the_pieces_of_any_text_are_the_text(text in "[a-z 一。\n]{0,200}", most in 4_usize..40) {
            let pieces = cut(&text, most);
            proptest::prop_assert_eq!(pieces.concat(), text.clone());
            let blank = pieces.iter().skip(1).any(|piece| piece.trim().is_empty());
            proptest::prop_assert!(!blank);
        }
    }
}
