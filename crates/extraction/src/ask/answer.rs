//! Answers of one word: yes, no, or a letter.
//!
//! The word stands on the first line, as it was asked for, with a mark behind it where more follows; what the second line says is the reason, and is
//! not read. An answer in any other form is none, and is asked for again.

use annals_types::Causality;

use crate::denial::{denies, names};
use crate::reply::spoken;

/// What stands before an answer and says nothing.
const LABELS: &str =
    "答|回答|答案|结论|判断|结果|决定|最终决定|answer|final answer|verdict|result|conclusion|decision|final decision";
const YES: &str = "是|是的|对|对的|没错|yes";
const NO: &str = "否|不|不是|没有|无|不矛盾|没有矛盾|没有因果关系|无因果关系|no|none|neither";
/// One letter is said to bring about the other: `A -> B`. White space counts for nothing.
const FIRST: &str = "a|a->b|a→b|a导致b|a引起b|acausesb|acausedb|aleadstob";
const SECOND: &str = "b|b->a|b→a|b导致a|b引起a|bcausesa|bcauseda|bleadstoa";
/// What takes a yes back, limits it or leaves it open, behind it on its line; and so does every no.
const AGAINST: &str = "但|只|如果|除非|可能|也许|大概|两|各|另|吗|吧|？|but|only|if|unless|maybe|perhaps|probably|might|could|two|different|\
     separate|similar|related";
/// What ends the word.
const MARKS: [char; 16] = ['，', '。', ',', '.', ';', '；', '!', '！', '?', '？', ':', '：', '(', '（', '—', '–'];

/// Whether an answer says yes or no.
pub(super) fn yes(answer: &str) -> Option<bool> {
    word(answer, &[(YES, true)], false)
}

/// Which of two is the cause: `A`, `B`, or neither.
pub(super) fn direction(answer: &str) -> Option<Causality> {
    word(answer, &[(FIRST, Causality::FirstCauses), (SECOND, Causality::SecondCauses)], Causality::Neither)
}

/// What the word on the first line stands for: one of `words`, or a no, which holds whatever follows it.
fn word<T: Copy + PartialEq>(answer: &str, words: &[(&str, T)], no: T) -> Option<T> {
    let text = spoken(answer).to_lowercase().replace('’', "'").replace(" - ", "，");
    let mut lines = lines(&text).map(content);
    let first = lines.next()?;
    let (word, behind) = first.split_at_checked(first.find(MARKS).unwrap_or(first.len()))?;
    let meant = |said: &str| {
        let said: String = said.trim_matches(is_mark).split_whitespace().collect();
        let mut all = words.iter().copied().chain([(NO, no)]);
        all.find(|(list, _)| list.split('|').any(|one| one == said)).map(|(_, meant)| meant)
    };
    let found = meant(word)?;
    // "A, B", or 是 with 不是 below it.
    let two = behind.split(MARKS).chain(lines).filter_map(meant).any(|other| other != found);
    let open = two || behind.contains('?') || denies(behind) || names(behind, AGAINST);
    (found == no || !open).then_some(found)
}

/// The lines of an answer that say something; the fence of a block of code is none.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let is_fence = |line: &str| {
        let language = line.trim().strip_prefix("```");
        language.is_some_and(|language| language.chars().all(|c| c.is_ascii_alphanumeric()))
    };
    text.lines().filter(move |line| line.contains(char::is_alphanumeric) && !is_fence(line))
}

/// A line without the number, the marks and the label around what it says.
pub(super) fn content(line: &str) -> &str {
    let line = line.trim_start_matches(|c: char| is_mark(c) || c.is_ascii_digit()).trim_end_matches(is_mark);
    let behind = line.split_once([':', '：']).filter(|(label, behind)| is_label(label) && !behind.trim().is_empty());
    behind.map_or(line, |(_, behind)| behind.trim_matches(is_mark))
}

/// Whether a text only says that an answer follows.
pub(super) fn is_label(text: &str) -> bool {
    let text = text.trim_matches(is_mark).to_lowercase();
    LABELS.split('|').any(|label| label == text)
}

/// Whether a character says nothing where it stands around an answer; a question mark and a comma do.
fn is_mark(c: char) -> bool {
    c.is_whitespace() || "\"'“”‘’「」『』`*_#{}()（）。.!！-•".contains(c)
}

/// What was said aloud, as the reason that is kept with a decision.
pub(super) fn words(answer: &str) -> String {
    spoken(answer).trim().to_owned()
}

/// The reason that follows the line with the answer; where none does, all that was said.
pub(super) fn reason(answer: &str) -> String {
    let said = words(answer);
    let after = said.split_once('\n').map(|(_, rest)| rest.trim()).filter(|rest| !rest.is_empty());
    let reason = after.unwrap_or(&said);
    ["原因：", "原因:", "理由：", "理由:"]
        .iter()
        .find_map(|word| reason.strip_prefix(word))
        .unwrap_or(reason)
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("答案：否", Some(false)),
            ("**Answer:** Yes.", Some(true)),
            ("{\"answer\": \"是\"}", Some(true)),
            ("没错，说的是同一次旅行", Some(true)),
            ("Yes - both tell of the same dinner.", Some(true)),
            ("是——都说的是搬家", Some(true)),
            ("是\n都说不吃香菜，不是两件事。", Some(true)),
            ("否\n是不同的两天。", Some(false)),
            ("不矛盾", Some(false)),
            ("无", Some(false)),
        ] {
            assert_eq!(yes(answer), wanted, "{answer}");
        }
    }

    #[test]
    fn what_is_no_plain_yes_is_not_read() {
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
            "Yes, related.",
            "是两件事。",
            "是一件好事",
            "Yes and no",
            "yes not",
            "Nothing of it",
            "矛盾并不存在",
            "是否矛盾：是",
            "~~是~~",
            "是\n不是",
            "Yes\n**No**",
            "是，否",
        ] {
            assert_eq!(yes(answer), None, "{answer}");
        }
    }

    #[test]
    fn the_reason_stands_behind_the_answer() {
        for (answer, wanted) in [
            ("是\n原因：两句都说住在柏林。", "两句都说住在柏林。"),
            ("<think>嗯</think>否\n\n一个在北京。\n另一个在上海。", "一个在北京。\n另一个在上海。"),
            ("是", "是"),
            ("是，都是同一只猫", "是，都是同一只猫"),
        ] {
            assert_eq!(reason(answer), wanted, "{answer}");
        }
    }

    #[test]
    fn the_cause_is_named_by_its_letter() {
        use Causality::{FirstCauses, Neither, SecondCauses};
        for (answer, wanted) in [
            ("A", Some(FirstCauses)),
            ("b。", Some(SecondCauses)),
            ("否", Some(Neither)),
            ("没有。", Some(Neither)),
            ("A，因为睡得太晚", Some(FirstCauses)),
            ("B\n没睡好，所以心情不好。", Some(SecondCauses)),
            ("A\nB 没有说原因。", Some(FirstCauses)),
            ("A不是B的原因", None),
            ("A是B的原因", None),
            ("A and B are not related", None),
            ("A→B", Some(FirstCauses)),
            ("B -> A", Some(SecondCauses)),
            ("A导致B。", Some(FirstCauses)),
            ("答案：B 引起 A", Some(SecondCauses)),
            ("A causes B\nIt rained, so they were late.", Some(FirstCauses)),
            ("none", Some(Neither)),
            ("没有因果关系", Some(Neither)),
            ("A caused by B", None),
            ("A 因为 B", None),
            ("A -> B\nB -> A", None),
            ("As far as I know", None),
            ("也许", None),
            ("A?", None),
            ("A，也许", None),
            ("A, B", None),
            ("A\nB", None),
            ("B, but I am unsure", None),
        ] {
            assert_eq!(direction(answer), wanted, "{answer}");
        }
    }
}
