//! Answers of one word: yes, no, or a letter.
//!
//! Under the schema the word is the verdict. Without one it stands alone on the first line; the
//! lines below are the reason and are not read, unless one of them is another such word. A no holds
//! whatever follows it behind a mark. Any other answer is asked for again.

use annals_types::Causality;

use super::verdict;
use crate::reply::spoken;

/// Marks that end a word which others follow.
const MARKS: [char; 6] = ['，', '。', ',', '.', ';', '；'];

/// The words of yes and no in which was asked; those of English and Chinese are understood anyway.
#[derive(Debug, Clone, Copy)]
pub(super) struct YesOrNo<'a> {
    pub(super) yes: &'a str,
    pub(super) no: &'a str,
}

/// Whether an answer says yes or no.
pub(super) fn yes(answer: &str, asked: YesOrNo<'_>) -> Option<bool> {
    word(
        answer,
        &[
            ("是", true),
            ("yes", true),
            (asked.yes, true),
            (asked.no, false),
        ],
        false,
    )
}

/// Which of two is the cause: `A`, `B`, or neither.
pub(super) fn direction(answer: &str, no: &str) -> Option<Causality> {
    use Causality::{FirstCauses, Neither, SecondCauses};
    word(
        answer,
        &[("a", FirstCauses), ("b", SecondCauses), (no, Neither)],
        Neither,
    )
}

/// The meaning of the word of an answer: one of `words`, or a no.
fn word<T: Copy + PartialEq>(answer: &str, words: &[(&str, T)], no: T) -> Option<T> {
    let meant = |said: &str| {
        let said = said.trim_matches(is_mark).to_lowercase();
        let mut known = words
            .iter()
            .copied()
            .chain(["否", "不是", "no"].map(|word| (word, no)));
        known
            .find(|(word, _)| word.to_lowercase() == said)
            .map(|(_, meant)| meant)
    };
    if let Some(object) = verdict::object(answer) {
        return meant(verdict::word(&object)?);
    }
    let text = spoken(answer);
    let mut lines = lines(&text);
    let first = lines.next()?;
    let head = first.split(MARKS).next().unwrap_or_default();
    let found = meant(first).or_else(|| meant(head).filter(|found| *found == no))?;
    lines
        .filter_map(meant)
        .all(|other| other == found)
        .then_some(found)
}

/// The lines of an answer that say something; the fence of a block of code is none.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let is_fence = |line: &str| {
        let language = line.trim().strip_prefix("```");
        language.is_some_and(|language| language.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    text.lines()
        .filter(move |line| line.contains(char::is_alphanumeric) && !is_fence(line))
}

/// Whether a character says nothing where it stands around an answer; a question mark does.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || "\"'“”‘’「」*`。.!！".contains(c)
}

/// The reason that follows the line with the answer; where none does, all that was said.
pub(super) fn behind_word(said: &str) -> &str {
    said.split_once('\n')
        .map(|(_, rest)| rest.trim())
        .filter(|rest| !rest.is_empty())
        .unwrap_or(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: YesOrNo<'static> = YesOrNo {
        yes: "是",
        no: "否",
    };

    #[test]
    fn yes_is_only_what_says_yes() {
        // part: G-101
        for (answer, wanted) in [
            ("是", Some(true)),
            ("是。", Some(true)),
            ("不是", Some(false)),
            ("否", Some(false)),
            ("不是，没有因果", Some(false)),
            ("否，但也可以说是", Some(false)),
            ("\"是\"", Some(true)),
            ("<think>是？不是？</think>是", Some(true)),
            ("```\n是\n```", Some(true)),
            ("**Yes.**", Some(true)),
            (
                "{\"reason\": \"不是两件事\", \"verdict\": \"是\"}",
                Some(true),
            ),
            ("{\"reason\": \"\", \"verdict\": \"否\"}", Some(false)),
            ("是\n都说不吃香菜，不是两件事。", Some(true)),
            ("否\n是不同的两天。", Some(false)),
        ] {
            assert_eq!(yes(answer, ASKED), wanted, "{answer}");
        }
    }

    #[test]
    fn an_answer_that_is_no_plain_yes_is_not_read() {
        for answer in [
            "",
            "也许",
            "是吗",
            "是？",
            "Yes?",
            "是的，但也可以说不是",
            "是，没有区别",
            "是，分别是两次旅行",
            "Yes, but not the same day",
            "Yes. They describe two separate events.",
            "是两件事。",
            "Yes and no",
            "Nothing of it",
            "矛盾并不存在",
            "是否矛盾：是",
            "答案：是",
            "~~是~~",
            "是\n不是",
            "Yes\n**No**",
            "是，否",
            "{\"verdict\": \"UNSURE\"}",
            "{\"answer\": \"是\"}",
        ] {
            assert_eq!(yes(answer, ASKED), None, "{answer}");
        }
    }

    #[test]
    fn the_reason_stands_behind_the_answer() {
        for (answer, wanted) in [
            ("是\n两句都说住在柏林。", "两句都说住在柏林。"),
            (
                "<think>嗯</think>否\n\n一个在北京。\n另一个在上海。",
                "一个在北京。\n另一个在上海。",
            ),
            ("是", "是"),
            (
                "{\"reason\": \"两句都说\\n住在柏林。\", \"verdict\": \"是\"}",
                "两句都说 住在柏林。",
            ),
        ] {
            assert_eq!(behind_word(&verdict::reason(answer)), wanted, "{answer}");
        }
    }

    #[test]
    fn the_cause_is_named_by_its_letter() {
        use Causality::{FirstCauses, Neither, SecondCauses};
        for (answer, wanted) in [
            ("A", Some(FirstCauses)),
            ("b。", Some(SecondCauses)),
            ("否", Some(Neither)),
            ("B\n没睡好，所以心情不好。", Some(SecondCauses)),
            ("A\nB 没有说原因。", Some(FirstCauses)),
            (
                "{\"reason\": \"It rained.\", \"verdict\": \"B\"}",
                Some(SecondCauses),
            ),
            ("A，因为睡得太晚", None),
            ("A是B的原因", None),
            ("A→B", None),
            ("As far as I know", None),
            ("A?", None),
            ("A, B", None),
            ("A\nB", None),
            ("B, but I am unsure", None),
        ] {
            assert_eq!(direction(answer, "否"), wanted, "{answer}");
        }
    }
}
