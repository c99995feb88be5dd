/// About how many tokens a text has, rather too many than too few.
///
/// Common tokenizers (cl100k, o200k, Llama, Qwen, DeepSeek) make 0.6 to 1.3 tokens of a Chinese character, one of a common English word, of
/// four letters of a rare one, and one of each mark. So: one for each character of Chinese, Japanese and Korean, one for each four further
/// letters or digits of a word, one for each mark.
#[must_use]
pub fn estimate(text: &str) -> usize {
    let (mut tokens, mut run) = (0_usize, 0_usize);
    for c in text.chars() {
        if c.is_alphanumeric() && !is_wide(c) {
            // A character outside Latin takes about twice the tokens of a Latin letter.
            run += if c.is_ascii() { 1 } else { 2 };
            continue;
        }
        tokens += run.div_ceil(4);
        run = 0;
        tokens += usize::from(!c.is_whitespace());
    }
    tokens + run.div_ceil(4)
}

const fn is_wide(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn words_marks_and_chinese_are_counted() {
        for (text, tokens) in [
            ("", 0),
            ("the cat sat", 3),
            ("internationalisation", 5),
            ("I'm 42.", 5),
            ("我住在上海", 5),
            ("用户喜欢 Python。", 7),
        ] {
            assert_eq!(estimate(text), tokens, "{text}");
        }
    }
}
