use annals_types::{Causality, Judgement};

use crate::reply::spoken;

/// The longest search that an answer can ask for, in characters.
const MAX_SEARCH: usize = 200;

/// Yes or no. Yes is only what begins with 是 or yes and says neither 不是 nor 否; `None` is neither.
pub(super) fn yes(answer: &str) -> Option<bool> {
    let text = bare(answer);
    let lower = text.to_lowercase();
    let no = ["否", "不", "没有", "no"].iter().any(|word| lower.starts_with(word))
        || lower.contains("不是")
        || lower.contains('否');
    if no {
        return Some(false);
    }
    (lower.starts_with('是') || lower.starts_with("yes") || lower.starts_with("矛盾") || lower.starts_with("相同"))
        .then_some(true)
}

/// Which of two is the cause: `A`, `B`, or neither; `None` when the answer says nothing of the kind.
pub(super) fn direction(answer: &str) -> Option<Causality> {
    let text = bare(answer).to_uppercase();
    let alone = |letter: char| {
        text.strip_prefix(letter).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    // "A不是B的原因" begins with A and says no.
    if yes(answer) == Some(false) {
        return Some(Causality::Neither);
    }
    match (alone('A'), alone('B')) {
        (true, _) => Some(Causality::FirstCauses),
        (_, true) => Some(Causality::SecondCauses),
        _ => None,
    }
}

/// What a reviewer decided: the last line that is a decision; else the only decision that the answer names at all.
pub(super) fn judgement(answer: &str) -> Judgement {
    let text = spoken(answer);
    let mut found: Vec<Judgement> = Vec::new();
    let mut last = None;
    for line in text.lines() {
        let mut rest = line.trim_start_matches(['-', '*', '#', '>', '`', ' ', '\t']);
        let leads = rest.starts_with(['[', '【', '［']);
        let mut first = true;
        while let Some((inside, after)) = bracket(rest) {
            if let Some(judgement) = decision(inside) {
                if leads && first {
                    last = Some(judgement.clone());
                }
                found.push(judgement);
            }
            (rest, first) = (after, false);
        }
    }
    let only = |found: &[Judgement]| {
        let first = found.first()?;
        found.iter().all(|other| other == first).then(|| first.clone())
    };
    last.or_else(|| only(&found)).unwrap_or(Judgement::Undecided)
}

/// What stands in the first brackets of a text, and what follows them.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let (_, inner) = text.split_once(['[', '【', '［'])?;
    inner.split_once([']', '】', '］'])
}

fn decision(inside: &str) -> Option<Judgement> {
    let (word, argument) = inside.split_once([':', '：']).unwrap_or((inside, ""));
    match word.trim().to_ascii_uppercase().as_str() {
        "PROMOTE" => Some(Judgement::Promote),
        "KEEP" => Some(Judgement::Keep),
        "DELETE" => Some(Judgement::Delete),
        "SEARCH" => {
            let words: String = argument.trim().chars().take(MAX_SEARCH).collect();
            (!words.is_empty() && words != "关键词").then_some(Judgement::Search(words))
        }
        _ => None,
    }
}

/// An answer without thoughts, quotes and marks around it.
fn bare(answer: &str) -> String {
    let text = spoken(answer);
    text.trim().trim_start_matches(['"', '“', '「', '*', '`', '\'', ' ']).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_is_only_what_says_yes() {
        // spec: G-101
        for (answer, wanted) in [
            ("是", Some(true)),
            ("是。", Some(true)),
            ("不是", Some(false)),
            ("否", Some(false)),
            ("不是，没有因果", Some(false)),
            ("是的，但也可以说不是", Some(false)),
            ("\"是\"", Some(true)),
            ("<think>是？不是？</think>是", Some(true)),
            ("也许", None),
            ("", None),
        ] {
            assert_eq!(yes(answer), wanted, "{answer}");
        }
    }

    #[test]
    fn the_cause_is_named_by_its_letter() {
        use Causality::{FirstCauses, Neither, SecondCauses};
        for (answer, wanted) in [
            ("A", Some(FirstCauses)),
            ("b。", Some(SecondCauses)),
            ("否", Some(Neither)),
            ("没有因果关系", Some(Neither)),
            ("A不是B的原因", Some(Neither)),
            ("As far as I know", None),
            ("也许", None),
        ] {
            assert_eq!(direction(answer), wanted, "{answer}");
        }
    }

    #[test]
    fn a_decision_is_the_last_line_that_is_one() {
        use Judgement::{Delete, Keep, Promote, Search, Undecided};
        for (answer, wanted) in [
            ("[PROMOTE]", Promote),
            ("生日是长期事实。\n[PROMOTE]", Promote),
            ("[SEARCH:拉面]", Search("拉面".into())),
            ("【SEARCH：拉面】", Search("拉面".into())),
            ("我先考虑 [DELETE]，但是它有用。\n[KEEP]", Keep),
            ("不应该 [DELETE]，所以 [KEEP]。", Undecided),
            ("我的决定是 [DELETE]。", Delete),
            ("[SEARCH:关键词]", Undecided),
            ("<think>[DELETE]</think>", Undecided),
            ("delete it", Undecided),
            ("", Undecided),
        ] {
            assert_eq!(judgement(answer), wanted, "{answer}");
        }
    }
}
