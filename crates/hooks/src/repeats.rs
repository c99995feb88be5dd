//! Answers that repeat memories which they were shown: a use, and no evidence.

/// The fewest letters of a memory that tell it from what anybody would say. A letter of a script
/// without spaces counts as three.
const LEAST: usize = 16;

/// A memory in the form in which it is looked for.
pub(crate) struct Shown {
    words: String,
}

impl Shown {
    pub(crate) fn of(text: &str) -> Option<Self> {
        let words = words(text);
        (weight(&words) >= LEAST).then_some(Self { words })
    }
}

/// An answer without the sentences that repeat memories, and the places of these memories.
pub(crate) fn without_repeats(answer: &str, shown: &[Option<Shown>]) -> (String, Vec<usize>) {
    let whole = words(answer);
    let is_in = |one: &Option<Shown>| one.as_ref().is_some_and(|one| whole.contains(&one.words));
    let used: Vec<usize> = shown
        .iter()
        .enumerate()
        .filter(|(_, one)| is_in(one))
        .map(|(at, _)| at)
        .collect();
    if used.is_empty() {
        return (answer.to_owned(), used);
    }
    let repeated: Vec<&str> = used
        .iter()
        .filter_map(|at| shown.get(*at)?.as_ref())
        .map(|one| one.words.as_str())
        .collect();
    let repeats = |sentence: &str| {
        let said = words(sentence);
        let part = |memory: &&str| {
            said.contains(*memory) || (weight(&said) >= LEAST && memory.contains(&said))
        };
        repeated.iter().any(part)
    };
    let kept: String = sentences(answer)
        .into_iter()
        .filter(|sentence| !repeats(sentence))
        .collect();
    let says_something = kept.chars().any(char::is_alphanumeric);
    (
        if says_something {
            kept.trim().to_owned()
        } else {
            String::new()
        },
        used,
    )
}

/// Small letters and figures, one space between words.
fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        if letter.is_alphanumeric() {
            words.push(letter);
        } else if !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
    }
    words.truncate(words.trim_end().len());
    words
}

fn weight(words: &str) -> usize {
    words
        .chars()
        .map(|letter| if letter >= '\u{2e80}' { 3 } else { 1 })
        .sum()
}

/// Sentences and lines with what ends them.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let ends = match letter {
            '\n' | '。' | '！' | '？' => true,
            // Not within numbers and names of files.
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            let until = at + letter.len_utf8();
            found.extend(text.get(from..until));
            from = until;
        }
    }
    found.extend(text.get(from..).filter(|rest| !rest.is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(answer: &str, memories: &[&str]) -> (String, Vec<usize>) {
        let shown: Vec<Option<Shown>> = memories.iter().map(|text| Shown::of(text)).collect();
        without_repeats(answer, &shown)
    }

    #[test]
    fn a_repeated_memory_is_used_and_cut_out() {
        let memory = "The relay listens on port 4711.";
        for (answer, kept, used) in [
            (
                "As I remember, the relay listens on port 4711. I will open it.",
                "I will open it.",
                vec![0],
            ),
            ("the RELAY listens on `port 4711`", "", vec![0]),
            (
                "The relay listens on port 4712.",
                "The relay listens on port 4712.",
                vec![],
            ),
            (
                "Version 1.2 is out.\n- The relay listens on port 4711\nDone.",
                "Version 1.2 is out.\nDone.",
                vec![0],
            ),
        ] {
            assert_eq!(
                without(answer, &[memory]),
                (kept.to_owned(), used),
                "{answer}"
            );
        }
        let (kept, used) = without(
            "好的。用户住在柏林的东边。我去看看。",
            &["另一条", "用户住在柏林的东边"],
        );
        assert_eq!((kept.as_str(), used), ("好的。我去看看。", vec![1]));
    }

    #[test]
    fn a_memory_that_anybody_would_say_is_no_repetition() {
        assert_eq!(
            without("Yes, it works.", &["it works"]),
            ("Yes, it works.".to_owned(), vec![])
        );
        assert_eq!(without("", &[""]), (String::new(), vec![]));
    }

    #[test]
    fn a_memory_of_several_sentences_is_cut_out_in_whole() {
        let memory = "The relay has two ports. One of them is for the tests.";
        let (kept, used) = without(
            "Right. The relay has two ports. One of them is for the tests. Bye.",
            &[memory],
        );
        assert_eq!((kept.as_str(), used), ("Right. Bye.", vec![0]));
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_added(answer in ".{0,80}", memory in ".{0,40}") {
            let (kept, _) = without(&answer, &[&memory]);
            proptest::prop_assert!(kept.len() <= answer.len());
        }
    }
}
