//! The decision of a reviewer.
//!
//! Under the schema it is one word of an enum. Without a schema it is a word in brackets. A memory
//! that is kept is judged again later, and a search changes nothing: these count wherever they
//! stand last. A deletion and a promotion count alone on the last line, where no other decision is
//! named. Sentences around a decision are not read.

use annals_types::Judgement;

use super::answer::lines;
use super::verdict;
use crate::reply::spoken;

/// The longest search that an answer can ask for, in characters.
const MAX_SEARCH: usize = 200;
const OPEN: [char; 3] = ['[', '【', '［'];
const CLOSE: [char; 3] = [']', '】', '］'];

/// The decision of an answer; `None` where it cannot be read.
pub(super) fn judgement(answer: &str) -> Option<Judgement> {
    if let Some(object) = verdict::object(answer) {
        let word = verdict::word(&object)?
            .trim_start_matches(OPEN)
            .trim_end_matches(CLOSE);
        return decision(word, &verdict::search(&object).unwrap_or_default());
    }
    let text = spoken(answer);
    let last = lines(&text).last()?;
    let named: Vec<Judgement> = lines(&text).flat_map(bracketed).collect();
    let decided = named.last()?;
    let only = named.iter().all(|one| one == decided);
    let counts = match decided {
        Judgement::Undecided => false,
        Judgement::Delete | Judgement::Promote => only && stands_alone(last),
        Judgement::Keep | Judgement::Search(_) => only || stands_alone(last),
    };
    counts.then(|| decided.clone())
}

/// Whether a line holds one decision in brackets and nothing else but marks.
fn stands_alone(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "*`\"。.".contains(c));
    let inside = line
        .strip_prefix(OPEN)
        .and_then(|rest| rest.strip_suffix(CLOSE));
    inside.and_then(split).is_some()
}

/// The decisions that a line names in brackets.
fn bracketed(line: &str) -> impl Iterator<Item = Judgement> {
    let inside = |(end, _)| {
        line.get(..end)
            .and_then(|head| head.rsplit_once(OPEN))
            .map(|(_, inside)| inside)
    };
    line.match_indices(CLOSE)
        .filter_map(inside)
        .filter_map(split)
}

/// The decision that stands in brackets: `KEEP`, `SEARCH:words`.
fn split(inside: &str) -> Option<Judgement> {
    let (word, argument) = inside.split_once([':', '：']).unwrap_or((inside, ""));
    decision(word, argument)
}

/// A decision and its argument. One that says more than it may is undecided: "[DELETE: if she
/// agrees]".
fn decision(word: &str, argument: &str) -> Option<Judgement> {
    if argument.contains(OPEN) {
        return None;
    }
    let argument: String = argument.trim().chars().take(MAX_SEARCH).collect();
    Some(
        match (word.trim().to_ascii_uppercase().as_str(), argument.as_str()) {
            ("KEEP", _) => Judgement::Keep,
            ("PROMOTE", "") => Judgement::Promote,
            ("DELETE", "") => Judgement::Delete,
            ("SEARCH", words) if !words.is_empty() => Judgement::Search(argument),
            ("PROMOTE" | "DELETE" | "SEARCH", _) => Judgement::Undecided,
            _ => return None,
        },
    )
}

#[cfg(test)]
mod tests {
    use annals_types::Judgement::{Delete, Keep, Promote, Search, Undecided};

    use super::*;

    #[test]
    fn the_last_decision_counts() {
        // part: C-75
        for (answer, wanted) in [
            ("[PROMOTE]", Promote),
            ("[KEEP]", Keep),
            ("[DELETE]", Delete),
            ("生日是长期事实。\n[PROMOTE]", Promote),
            (
                "The user no longer lives there. It is of no use.\n\n[DELETE]\n",
                Delete,
            ),
            ("我先考虑 [DELETE]，但是它有用。\n[KEEP]", Keep),
            ("- [PROMOTE]\n- [KEEP]\n- [DELETE]\n[KEEP]", Keep),
            ("我认为应当保留，[KEEP]，就这样。", Keep),
            ("[SEARCH:拉面]", Search("拉面".into())),
            ("【SEARCH：拉面】", Search("拉面".into())),
            (
                "I would rather see more: [SEARCH:her birthday] first.",
                Search("her birthday".into()),
            ),
        ] {
            assert_eq!(judgement(answer), Some(wanted), "{answer}");
        }
    }

    #[test]
    fn a_verdict_under_the_schema_is_its_word() {
        for (answer, wanted) in [
            (
                r#"{"reason": "It was said three times.", "verdict": "DELETE"}"#,
                Some(Delete),
            ),
            (
                r#"{"reason": "[KEEP] was my first thought.", "verdict": "[DELETE]"}"#,
                Some(Delete),
            ),
            (
                "```json\n{\"reason\": \"\", \"verdict\": \"promote\"}\n```",
                Some(Promote),
            ),
            (
                r#"{"reason": "It says {\"verdict\": \"KEEP\"}.", "verdict": "DELETE"}"#,
                Some(Delete),
            ),
            (r#"Here it is: {"verdict": "DELETE"}"#, None),
            (
                "It says {\"verdict\": \"DELETE\"}, which is no reason.\n[KEEP]",
                Some(Keep),
            ),
            (
                r#"{"search": "拉面", "verdict": "SEARCH"}"#,
                Some(Search("拉面".into())),
            ),
            (r#"{"reason": "x", "verdict": "SEARCH"}"#, Some(Undecided)),
            (r#"{"reason": "x", "verdict": "UNSURE"}"#, None),
            (r#"{"reason": "x", "verdict": "DELETE or KEEP"}"#, None),
            (r#"{"verdict": "DELETE"} {"verdict": "KEEP"}"#, None),
            (r#"{"reason": "delete it"}"#, None),
        ] {
            assert_eq!(judgement(answer), wanted, "{answer}");
        }
    }

    /// Answers in which `_` stands for a decision that cannot be judged again.
    #[test]
    fn a_decision_that_cannot_be_judged_again_acts_alone_on_the_last_line() {
        for answer in [
            "_",
            "**_**",
            "`_`",
            "_。",
            "```\n_\n```",
            "<think>[KEEP]?</think>它说了三次。\n_",
        ] {
            for (decision, wanted) in [("[DELETE]", Delete), ("【promote】", Promote)] {
                let answer = answer.replace('_', decision);
                assert_eq!(judgement(&answer), Some(wanted), "{answer}");
            }
        }
    }

    #[test]
    fn a_decision_that_cannot_be_judged_again_is_not_read_anywhere_else() {
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
            "Decision: _",
            "> _",
            "~~_~~",
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
    fn an_answer_without_a_decision_is_not_read() {
        for answer in [
            "",
            "delete it",
            "<think>[DELETE]</think>",
            "[DELETE: if she agrees]",
            "[SEARCH:]",
            "[SEARCH:[DELETE]",
            "可选 [PROMOTE]/[KEEP]/[DELETE]，我选 KEEP",
            "[KEEP]，不要 [DELETE]。",
        ] {
            assert_eq!(judgement(answer), None, "{answer}");
        }
    }
}
