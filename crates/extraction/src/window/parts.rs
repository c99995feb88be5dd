/// The most characters that a part of a message has for each token.
const CHARS: usize = 16;

/// A text in parts of at most so many tokens, each as long as it may be: to the end of a sentence,
/// else of a word, else as far as it goes.
pub(super) fn parts<'a>(
    text: &'a str,
    tokens: usize,
    count: &dyn Fn(&str) -> usize,
) -> Vec<&'a str> {
    let mut rest = text;
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let of = |chars: usize| {
            rest.char_indices()
                .nth(chars)
                .map_or(rest, |(end, _)| rest.get(..end).unwrap_or(rest))
        };
        let high = tokens.saturating_mul(CHARS).min(rest.len());
        let fits = of(most(1, high, |chars| count(of(chars)) <= tokens));
        let word = || {
            fits.char_indices()
                .rfind(|(_, c)| c.is_whitespace())
                .map_or(0, |(at, c)| at + c.len_utf8())
        };
        let ends = match end_of_sentences(fits) {
            _ if fits.len() == rest.len() => 0,
            0 => word(),
            end => end,
        };
        let (part, behind) = rest.split_at(if ends == 0 { fits.len() } else { ends });
        parts.push(part);
        rest = behind;
    }
    parts
}

/// The most from `low` to `high` that fits, by halving; `low` where nothing does.
pub(super) fn most(mut low: usize, mut high: usize, fits: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = (low + high).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Where the last sentence of a text that ends in it does; 0 where none does.
pub(crate) fn end_of_sentences(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    let mut end = 0;
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '。' | '！' | '？' | '\n' => true,
            '.' | '!' | '?' => chars.peek().is_some_and(|(_, next)| next.is_whitespace()),
            _ => false,
        };
        if ends {
            end = at + c.len_utf8();
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::estimate;

    #[test]
    fn a_text_is_cut_between_sentences() {
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        for (text, wanted) in [
            (
                "One two. Three four. Five.",
                &["One two.", " Three four.", " Five."][..],
            ),
            ("今天下雨。明天晴。很好", &["今天下雨。明天晴。", "很好"]),
            ("one two three four", &["one two ", "three four"]),
            ("abcdefghijklmnop", &["abcdefghij", "klmnop"]),
            ("", &[]),
        ] {
            assert_eq!(parts(text, 10, &letters), wanted, "{text}");
        }
        assert_eq!(
            parts("abc", 0, &letters),
            ["a", "b", "c"],
            "it goes on whatever the limit is"
        );
    }

    proptest::proptest! {
        #[test]
        fn fuzz_nothing_of_a_text_is_lost(text in "(\\PC{0,12}[.。\n ]?){0,20}", tokens in 1_usize..40) {
            let parts = parts(&text, tokens, &estimate);
            proptest::prop_assert_eq!(parts.concat(), text.as_str());
            let fits = |part: &&str| estimate(part) <= tokens || part.chars().count() == 1;
            proptest::prop_assert!(parts.iter().all(fits), "{:?}", parts);
        }
    }
}
