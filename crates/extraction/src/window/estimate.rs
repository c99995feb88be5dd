/// Quarters of a token that a character of Chinese, Japanese or Korean counts.
const WIDE: usize = 5;
/// Letters of a word, from its beginning, that are one token.
const FIRST: usize = 6;
/// Further letters that are one each.
const MORE: usize = 4;
/// Digits that are one.
const DIGITS: usize = 3;

/// About how many tokens a text has, rather too many than too few.
///
/// One for the first six letters of a word and for each four more, where a letter beyond ASCII
/// counts as two and a capital after a small letter begins another word; one for each three
/// digits; five for four characters of Chinese, Japanese and Korean; one for each mark, and two
/// for what stands beyond the basic plane. These numbers were fitted to OpenAI's o200k and cl100k
/// (`docs/measurements.md`); where the tokenizer of a model is at hand, its count is exact.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let mut run = Run::default();
    let mut quarters = 0_usize;
    for c in text.chars() {
        let kind = Kind::of(c);
        if kind != run.kind || (c.is_uppercase() && run.small) {
            quarters += 4 * run.tokens();
            run = Run {
                kind,
                ..Run::default()
            };
        }
        run.small = c.is_lowercase();
        match kind {
            Kind::Letter => run.length += if c.is_ascii() { 1 } else { 2 },
            Kind::Digit => run.length += 1,
            Kind::Wide => quarters += WIDE,
            Kind::Mark => quarters += if u32::from(c) > 0xFFFF { 8 } else { 4 },
            Kind::Space => {}
        }
    }
    (quarters + 4 * run.tokens()).div_ceil(4)
}

/// Letters or digits that follow each other.
#[derive(Default)]
struct Run {
    kind: Kind,
    length: usize,
    /// The last one is a small letter.
    small: bool,
}

impl Run {
    const fn tokens(&self) -> usize {
        match self.kind {
            Kind::Letter => 1 + self.length.saturating_sub(FIRST).div_ceil(MORE),
            Kind::Digit => self.length.div_ceil(DIGITS),
            Kind::Wide | Kind::Mark | Kind::Space => 0,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    Letter,
    Digit,
    Wide,
    Mark,
    #[default]
    Space,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '0'..='9' => Self::Digit,
            _ if !c.is_alphanumeric() => {
                if c.is_whitespace() {
                    Self::Space
                } else {
                    Self::Mark
                }
            }
            '\u{2E80}'..='\u{9FFF}'
            | '\u{AC00}'..='\u{D7AF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}' => Self::Wide,
            _ => Self::Letter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn words_numbers_marks_and_chinese_are_counted() {
        for (text, tokens) in [
            ("", 0),
            ("  \n", 0),
            ("the cat sat", 3),
            ("internationalisation", 5),
            ("readFile", 2),
            ("I'm 42.", 5),
            ("2026-03-15", 6),
            ("f47ac10b", 5),
            ("我住在上海", 7),
            ("用户喜欢 Python。", 7),
            ("Привет", 3),
            ("👍", 2),
        ] {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }
}
