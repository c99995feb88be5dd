use annals_types::Causality;

use crate::reply::spoken;

/// What says no, as a part of a Chinese clause or an English word.
const NOES: [&str; 8] = ["不", "没", "无", "未", "非", "否", "n't", "cannot"];
const NO_WORDS: [&str; 7] = ["no", "not", "nope", "never", "neither", "nor", "false"];

/// Yes or no, on the first line. Yes is only a line whose first clause begins with 是 or yes and says no no, which neither says 不是 or 否 nor takes it
/// back in the clause behind, and below which no line says no and nothing else; `None` is neither.
pub(super) fn yes(answer: &str) -> Option<bool> {
    const TURNS: [&str; 6] = ["但", "不过", "然而", "可是", "but ", "however"];
    let text = bare(answer).to_lowercase();
    let (line, later) = text.split_once('\n').unwrap_or((text.as_str(), ""));
    let (first, rest) = first_clause(line);
    let begins_with_no = |clause: &str| {
        NOES.iter().any(|no| clause.starts_with(no))
            || english(clause).next().is_some_and(|word| NO_WORDS.contains(&word))
    };
    let only_no = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        matches!(line, "否" | "不是" | "不" | "没有" | "no")
    };
    if begins_with_no(first) || line.contains("不是") || line.contains('否') || later.lines().any(only_no) {
        return Some(false);
    }
    let whole = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    let says_yes = english(first).next() == Some("yes") && first.starts_with("yes");
    let affirmed = first.starts_with('是') || says_yes;
    let (second, _) = first_clause(rest);
    let turned = begins_with_no(second) || TURNS.iter().any(|turn| second.starts_with(turn));
    (affirmed && !denies(first) && !turned || ["相同", "矛盾"].contains(&whole)).then_some(true)
}

/// Which of two is the cause: `A`, `B`, or neither; `None` when the answer says nothing of the kind.
pub(super) fn direction(answer: &str) -> Option<Causality> {
    let text = bare(answer).to_lowercase();
    let (first, _) = first_clause(&text);
    // "A不是B的原因" begins with A and says no.
    if denies(first) || yes(answer) == Some(false) && !is_cause(first, 'a', 'b') && !is_cause(first, 'b', 'a') {
        return Some(Causality::Neither);
    }
    match (is_cause(first, 'a', 'b'), is_cause(first, 'b', 'a')) {
        (true, _) => Some(Causality::FirstCauses),
        (_, true) => Some(Causality::SecondCauses),
        _ => None,
    }
}

/// Whether a clause names one of two as the cause of the other: its letter alone, "A causes B", A是B的原因, "A→B".
fn is_cause(clause: &str, letter: char, other: char) -> bool {
    const ARROWS: [&str; 3] = ["→", "->", "=>"];
    const SAID: [&str; 9] = ["是原因", "是因", "导致", "引起", "造成", "causes", "caused", "is the cause", "leads to"];
    let Some(rest) = clause.strip_prefix(letter) else { return false };
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || "\"'*`”」".contains(c));
    let points = ARROWS.iter().find_map(|arrow| rest.strip_prefix(arrow)).is_some_and(|to| {
        // "A→Bnot" is no answer.
        let behind = to.trim_start().strip_prefix(other);
        behind.is_some_and(|behind| !behind.starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    rest.is_empty() || points || SAID.iter().any(|said| rest.starts_with(said)) || rest == format!("是{other}的原因")
}

/// Whether a clause says no.
fn denies(clause: &str) -> bool {
    NOES.iter().any(|no| clause.contains(no)) || english(clause).any(|word| NO_WORDS.contains(&word))
}

fn english(clause: &str) -> impl Iterator<Item = &str> {
    clause.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// The first clause, and what stands behind it.
fn first_clause(text: &str) -> (&str, &str) {
    let end = text
        .find(['，', '。', ',', '.', ';', '；', '!', '！', '?', '？', ':', '：', '(', '（', '\n'])
        .unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    (first.trim(), rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
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
            ("Yes, both say so.", Some(true)),
            ("是，两条都说不喜欢咖啡。", Some(true)),
            ("相同", Some(true)),
            ("矛盾。", Some(true)),
            ("相同点很少，所以是两件事", None),
            ("矛盾并不存在", None),
            ("Yes, but not the same day", None),
            ("是，没有区别", None),
            ("yes not", None),
            ("用户yes{", None),
            ("Nothing of it", None),
            ("是\n两句都说不吃香菜，不是两件事。", Some(true)),
            ("否\n是不同的两天。", Some(false)),
            ("是\n不是", Some(false)),
        ] {
            assert_eq!(yes(answer), wanted, "{answer}");
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
            ("没有因果关系", Some(Neither)),
            ("A不是B的原因", Some(Neither)),
            ("A和B没有因果关系", Some(Neither)),
            ("A and B are not related", Some(Neither)),
            ("A and B are related", None),
            ("A是由B引起的", None),
            ("A，因为没睡好", Some(FirstCauses)),
            ("B是A的原因", Some(SecondCauses)),
            ("A→B", Some(FirstCauses)),
            ("A -> B.", Some(FirstCauses)),
            ("A→Bnot {", None),
            ("A→", None),
            ("As far as I know", None),
            ("也许", None),
            ("B\n没睡好，所以心情不好。", Some(SecondCauses)),
            ("A\nB 没有说原因。", Some(FirstCauses)),
        ] {
            assert_eq!(direction(answer), wanted, "{answer}");
        }
    }
}
