use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Marks that begin no line, and marks that end none.
const CLOSING: [char; 17] = [
    ']', ')', '，', '。', '；', '：', '、', '！', '？', '）', '》', '」', '』', '】', '”', '’', '…',
];
const OPENING: [char; 9] = ['[', '(', '（', '《', '「', '『', '【', '“', '‘'];

/// The text, cut to `width` columns with an ellipsis when it is longer.
pub(crate) fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if text.width() <= width {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let mut out = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used >= width {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    Cow::Owned(out)
}

/// The text, filled up with spaces to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The lines of a text at most `width` columns wide, broken at spaces or between wide characters,
/// or inside a word that is longer than a line. Without a width only its own line breaks count.
pub(crate) fn lines(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width.map(|width| width.max(8)) else {
        return text.lines().map(str::to_owned).collect();
    };
    let mut out = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        let mut used = 0;
        for piece in pieces(paragraph) {
            let wide = piece.width();
            if used + piece.trim_end().width() > width && !line.is_empty() {
                out.push(std::mem::take(&mut line).trim_end().to_owned());
                used = 0;
            }
            if wide > width {
                break_word(piece, width, &mut out, &mut line);
                used = line.width();
            } else {
                line.push_str(piece);
                used += wide;
            }
        }
        out.push(line.trim_end().to_owned());
    }
    out
}

/// Words with the spaces after them; a wide character stands alone with what joins it.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut before = rest.chars().next()?;
        let wide = |c: char| c.width() == Some(2);
        let mut end = rest.len();
        for (at, c) in rest.char_indices().skip(1) {
            let after_space = before == ' ' && c != ' ';
            let after_wide = wide(before) && c != ' ' && c.width() != Some(0);
            let joined = CLOSING.contains(&c) || OPENING.contains(&before);
            if after_space || ((after_wide || wide(c)) && !joined) {
                end = at;
                break;
            }
            before = c;
        }
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        Some(piece)
    })
}

fn break_word(word: &str, width: usize, out: &mut Vec<String>, line: &mut String) {
    let mut used = line.width();
    for c in word.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide > width {
            out.push(std::mem::take(line));
            used = 0;
        }
        line.push(c);
        used += wide;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn breaks_at_spaces_between_wide_characters_and_inside_endless_words() {
        assert_eq!(
            lines("one two three four", Some(9)),
            ["one two", "three", "four"]
        );
        assert_eq!(lines("今天改说中文吧", Some(8)), ["今天改说", "中文吧"]);
        assert_eq!(
            lines("今天改说（中文），吧", Some(8)),
            ["今天改说", "（中", "文），吧"]
        );
        assert_eq!(lines("格式 [可选：dot]", Some(8)), ["格式 [可", "选：dot]"]);
        assert_eq!(lines("abcdefghijkl", Some(8)), ["abcdefgh", "ijkl"]);
        assert_eq!(lines("a\n\nb", Some(8)), ["a", "", "b"]);
        assert_eq!(cut("今天改说", 5), "今天…");
        assert_eq!(
            (pad("状态", 6), pad("ab", 6)),
            ("状态  ".to_owned(), "ab    ".to_owned())
        );
    }

    proptest! {
        #[test]
        fn fuzz_no_line_is_too_wide_and_no_letter_is_lost(text in "[a-z小满，（ 🎉é]{0,80}", width in 8_usize..40) {
            let broken = lines(&text, Some(width));
            prop_assert!(broken.iter().all(|line| line.width() <= width));
            let letters = |s: &str| s.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&broken.concat()), letters(&text));
            prop_assert!(cut(&text, width).width() <= width);
        }
    }
}
