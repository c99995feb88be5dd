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

/// What a reviewer decided: the last decision of the answer, wherever it stands. One that a word before it takes back is none, and a list of
/// what could be decided is none either.
pub(super) fn judgement(answer: &str) -> Judgement {
    const JOINTS: [&str; 9] = ["/", "|", ",", "，", "、", "或", "或者", "or", "还是"];
    let text = spoken(answer);
    let mut last = None;
    for line in text.lines() {
        let (mut rest, mut first) = (line, true);
        while let Some((before, inside, after)) = bracket(rest) {
            if !first && JOINTS.contains(&before.trim()) {
                last = None;
            } else {
                last = decision(inside).filter(|decided| !denied(before, decided)).or(last);
            }
            (rest, first) = (after, false);
        }
    }
    last.unwrap_or(Judgement::Undecided)
}

/// Whether what stands before a decision says that it is not meant: 不 [DELETE], "not [DELETE]". For a deletion a no anywhere in its clause
/// is enough: what is kept can be judged again.
fn denied(before: &str, decided: &Judgement) -> bool {
    const DENIALS: [&str; 12] =
        ["不", "不要", "不能", "不应", "不应该", "不是", "不必", "而非", "而不是", "not", "never", "instead of"];
    const NOES: [&str; 10] = ["不", "没", "无需", "无须", "勿", "而非", "n't", "avoid", "instead of", "rather than"];
    let end = before.trim_end_matches([' ', '\t', '`', '*', '"', '“', '「']).to_lowercase();
    let whole = |word: &str| {
        let rest = end.strip_suffix(word);
        rest.is_some_and(|rest| !word.is_ascii() || !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let close = DENIALS.iter().any(|word| whole(word)) || whole("than");
    if *decided != Judgement::Delete {
        return close;
    }
    let clause = end.rsplit(['，', '。', ',', '.', ';', '；', '!', '！', '(', '（', ':', '：']).next().unwrap_or(&end);
    let said = |word: &str| clause.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == word);
    let stop = clause.strip_suffix('别').is_some_and(|rest| !rest.ends_with(['类', '特', '分', '级', '区', '个']));
    close
        || stop
        || NOES.iter().any(|word| clause.contains(word))
        || ["not", "never", "without", "no"].iter().any(|w| said(w))
}

/// What stands before, in and behind the first brackets of a text.
fn bracket(text: &str) -> Option<(&str, &str, &str)> {
    let (before, inner) = text.split_once(['[', '【', '［'])?;
    let (inside, after) = inner.split_once([']', '】', '］'])?;
    Some((before, inside, after))
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

/// What was said aloud, as the reason that is kept with a decision.
pub(super) fn words(answer: &str) -> String {
    spoken(answer).trim().to_owned()
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
    fn the_last_decision_counts() {
        // spec: C-75
        use Judgement::{Delete, Keep, Promote, Search, Undecided};
        for (answer, wanted) in [
            ("[PROMOTE]", Promote),
            ("[KEEP]", Keep),
            ("[DELETE]", Delete),
            ("生日是长期事实。\n[PROMOTE]", Promote),
            ("[SEARCH:拉面]", Search("拉面".into())),
            ("【SEARCH：拉面】", Search("拉面".into())),
            ("我先考虑 [DELETE]，但是它有用。\n[KEEP]", Keep),
            ("我想 [KEEP]，还是 [PROMOTE] 吧。", Promote),
            ("先 [KEEP]。\n已经过时了：[DELETE]，就这样。", Delete),
            ("不应该 [DELETE]，所以 [KEEP]。", Keep),
            ("[KEEP]，不要 [DELETE]。", Keep),
            ("[KEEP] rather than [DELETE]", Keep),
            ("I would not **[DELETE]** it.", Undecided),
            ("我的决定是 [DELETE]。", Delete),
            ("[KEEP]，没有必要 [DELETE]。", Keep),
            ("[KEEP]，不需要 [DELETE]", Keep),
            ("[KEEP]. Do not choose [DELETE]", Keep),
            ("[KEEP]（无需 [DELETE]）", Keep),
            ("可选 [PROMOTE]/[KEEP]/[DELETE]，我选 KEEP", Undecided),
            ("类别 [DELETE]", Delete),
            ("特别 [KEEP]", Keep),
            ("别 [DELETE]", Undecided),
            ("[SEARCH:关键词]", Undecided),
            ("<think>[DELETE]</think>", Undecided),
            ("delete it", Undecided),
            ("", Undecided),
        ] {
            assert_eq!(judgement(answer), wanted, "{answer}");
        }
    }
}
