//! What a reviewer decided.
//!
//! An answer is read by its form. What is kept can be judged again, and a search changes nothing, so that these count as the only decision of an answer as
//! well. What is deleted is gone for good, and what is promoted stands in every prompt: such a decision counts only alone on the last line, as it was
//! asked for, behind a whole sentence, where no other is named and the thought above goes with it.
//! Whatever else there is cannot be read, and is asked for again.

use annals_types::Judgement;

use super::answer::{content, is_label, lines};
use super::thought::agrees;
use crate::reply::spoken;

/// The longest search that an answer can ask for, in characters.
const MAX_SEARCH: usize = 200;
const OPEN: [char; 3] = ['[', '【', '［'];
const CLOSE: [char; 3] = [']', '】', '］'];

/// The decision of an answer; `None` where it cannot be read.
pub(super) fn judgement(answer: &str) -> Option<Judgement> {
    let text = spoken(answer);
    let lines: Vec<&str> = lines(&text).collect();
    let (last, above) = lines.split_last()?;
    let named: Vec<Judgement> = lines.iter().flat_map(|line| decisions(line)).collect();
    let decided = named.last()?;
    let only = named.iter().all(|one| one == decided);
    let alone = stands_alone(last);
    let counts = match decided {
        Judgement::Undecided => false,
        Judgement::Delete | Judgement::Promote => {
            only && alone && above.last().is_none_or(|line| is_ended(line)) && agrees(above, decided)
        }
        Judgement::Keep | Judgement::Search(_) => only || alone,
    };
    counts.then(|| decided.clone())
}

/// Whether a line holds one decision and nothing else but marks and a label.
fn stands_alone(line: &str) -> bool {
    let inside = content(line).strip_prefix(OPEN).and_then(|rest| rest.strip_suffix(CLOSE));
    inside.and_then(decision).is_some()
}

/// Whether a line ends what it says, so that nothing of it is said of the line below: "If she agrees," does not.
fn is_ended(line: &str) -> bool {
    let end = line.trim_end_matches(|c: char| c.is_whitespace() || "\"'”」』)）*_`".contains(c));
    let stops = end.ends_with(['。', '.', '！', '!', '；', ';']) && !end.ends_with("..");
    stops || is_label(content(line).trim_end_matches([':', '：']))
}

/// The decisions that a line names in brackets.
fn decisions(line: &str) -> impl Iterator<Item = Judgement> {
    let inside = |(end, _)| line.get(..end).and_then(|head| head.rsplit_once(OPEN)).map(|(_, inside)| inside);
    line.match_indices(CLOSE).filter_map(inside).filter_map(decision)
}

/// What stands in brackets, as a decision. One that says more than it may is undecided: "[DELETE: if she agrees]".
fn decision(inside: &str) -> Option<Judgement> {
    let (word, argument) = inside.split_once([':', '：']).unwrap_or((inside, ""));
    if argument.contains(OPEN) {
        return None;
    }
    let argument: String = argument.trim().chars().take(MAX_SEARCH).collect();
    Some(match (word.trim().to_ascii_uppercase().as_str(), argument.as_str()) {
        ("KEEP", _) => Judgement::Keep,
        ("PROMOTE", "") => Judgement::Promote,
        ("DELETE", "") => Judgement::Delete,
        ("SEARCH", words) if !matches!(words, "" | "关键词") => Judgement::Search(argument),
        ("PROMOTE" | "DELETE" | "SEARCH", _) => Judgement::Undecided,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use annals_types::Judgement::{Delete, Keep, Promote, Search};

    use super::*;

    #[test]
    fn the_last_decision_counts() {
        // part: C-75
        for (answer, wanted) in [
            ("[PROMOTE]", Promote),
            ("[KEEP]", Keep),
            ("[DELETE]", Delete),
            ("生日是长期事实。\n[PROMOTE]", Promote),
            ("The user no longer lives there. It is of no use.\n\n[DELETE]\n", Delete),
            ("我先考虑 [DELETE]，但是它有用。\n[KEEP]", Keep),
            ("- [PROMOTE]\n- [KEEP]\n- [DELETE]\n[KEEP]", Keep),
            ("我认为应当保留，[KEEP]，就这样。", Keep),
            ("[SEARCH:拉面]", Search("拉面".into())),
            ("【SEARCH：拉面】", Search("拉面".into())),
            ("I would rather see more: [SEARCH:her birthday] first.", Search("her birthday".into())),
        ] {
            assert_eq!(judgement(answer), Some(wanted), "{answer}");
        }
    }

    /// Answers in which `_` stands for a decision that cannot be judged again.
    #[test]
    fn what_cannot_be_judged_again_acts_alone_on_the_last_line() {
        for answer in [
            "_",
            "- **_**",
            "1. `_`",
            "_。",
            "结论：_",
            "**Decision:** _",
            "Final answer: _.",
            "{\"decision\": \"_\"}",
            "```\n_\n```",
            "<think>[KEEP]?</think>它说了三次。\n_",
            "It was said \"three times.\"\n\n_",
            "**Decision**\n_",
            "最终决定：\n_",
        ] {
            for (decision, wanted) in [("[DELETE]", Delete), ("【promote】", Promote)] {
                let answer = answer.replace('_', decision);
                assert_eq!(judgement(&answer), Some(wanted), "{answer}");
            }
        }
    }

    #[test]
    fn what_cannot_be_judged_again_is_not_read_anywhere_else() {
        for answer in [
            "不 _",
            "Neither [KEEP] nor _",
            "_？",
            "_，对吗",
            "_ because it is outdated",
            "_\nReason: the trip was last spring.",
            "_。等等，我再看看",
            "_\n不对，这条不行",
            "保留：_",
            "> _",
            "~~_~~",
            "Options:\n_",
            "If she no longer lives there,\n_",
            "I would not choose\n\n_",
            "I would not choose...\n_",
            "Is it still of use?\n_",
            "- [KEEP]\n- _",
            "[KEEP] was my first thought.\n_",
            "[DELETE: if she agrees] is what I would say.\n_",
            "[KEEP] / _",
        ] {
            for decision in ["[DELETE]", "[PROMOTE]"] {
                let answer = answer.replace('_', decision);
                assert_eq!(judgement(&answer), None, "{answer}");
            }
        }
    }

    #[test]
    fn what_the_thought_above_does_not_go_with_is_not_done() {
        for (answer, wanted) in [
            ("I would keep it.\n[DELETE]", None),
            ("不能删除。\n它很重要。\n\n[DELETE]", None),
            ("不建议升级。\n[PROMOTE]", None),
            ("它不重要，可以删除。\n[DELETE]", Some(Delete)),
            ("不能删除，它很重要。\n[KEEP]", Some(Keep)),
        ] {
            assert_eq!(judgement(answer), wanted, "{answer}");
        }
    }

    #[test]
    fn what_decides_nothing_is_not_read() {
        for answer in [
            "",
            "delete it",
            "<think>[DELETE]</think>",
            "[DELETE: if she agrees]",
            "[SEARCH:关键词]",
            "[SEARCH:]",
            "[SEARCH:[DELETE]",
            "可选 [PROMOTE]/[KEEP]/[DELETE]，我选 KEEP",
            "[KEEP]，不要 [DELETE]。",
        ] {
            assert_eq!(judgement(answer), None, "{answer}");
        }
    }
}
