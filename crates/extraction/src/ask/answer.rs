use annals_types::Causality;

use crate::denial::{begins_with_no, denies, is_among, names};
use crate::reply::spoken;

/// What is asked of two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Whether they say the same.
    Same,
    /// Whether one makes the other untrue.
    Contradicts,
    /// Whether one is the cause of the other.
    Cause,
}

/// Yes or no, on the first line. Yes is only a clause that says nothing else, or that the two are what was asked, with a reason behind it that neither
/// takes it back nor doubts it nor says the other; `None` is neither, so that the question stays open.
pub(super) fn yes(answer: &str, asked: Asked) -> Option<bool> {
    let text = bare(answer).to_lowercase().replace('’', "'");
    let text = behind_the_question(&text, asked);
    let (line, later) = text.split_once('\n').unwrap_or((text, ""));
    let (first, rest) = first_clause(line);
    let plain = line.replace("是不是", "").replace("否则", "").replace("能否", "").replace("是否", "");
    let only_no = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        matches!(line, "否" | "不是" | "不" | "没有" | "no")
    };
    if begins_with_no(first) && first != "没错"
        || plain.contains("不是")
        || plain.contains('否')
        || later.lines().any(only_no)
    {
        return Some(false);
    }
    let open = line.contains(['?', '？'])
        || clauses(rest).any(|clause| !is_of_wording(clause) && (wavers(clause) || says_other(clause, asked)));
    let meant = is_yes(first) || confirms(first, rest, asked);
    (meant && !open && !clauses(later).any(|clause| contradicts_a_yes(clause, asked))).then_some(true)
}

/// An answer behind the question that it repeats, or behind a word that announces it: 是否矛盾：是, "Answer: yes".
fn behind_the_question(text: &str, asked: Asked) -> &str {
    const ANNOUNCED: &str = "答|回答|答案|结论|判断|判断结果|结果|第一行|answer|verdict|result|conclusion";
    let Some((before, behind)) = text.split_once([':', '：', '?', '？']) else { return text };
    let label = before.trim_matches(|c: char| !c.is_alphanumeric());
    // 是否两件事：是 is another question.
    let question = label.strip_prefix("是否").or_else(|| label.strip_prefix("是不是"));
    let repeats = question.is_some_and(|it| !denies(it) && !wavers(it) && !says_other(it, asked));
    let one_line = !before.contains('\n') && behind.chars().any(char::is_alphanumeric);
    if one_line && (repeats || is_among(label, ANNOUNCED)) {
        behind.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '\n')
    } else {
        text
    }
}

/// Whether a clause says yes and nothing else.
fn is_yes(clause: &str) -> bool {
    ["是", "是的", "是啊", "对", "对的", "没错", "yes", "yes indeed"].contains(&clause)
}

/// Whether a clause says that two memories are what was asked; without a yes before it, it must be all that the line says.
fn confirms(clause: &str, rest: &str, asked: Asked) -> bool {
    const PAIRS: &str = "they are |they're |it is |it's |both are |these are |they |both |there is ";
    let same = "同一件事|同一件事情|同一回事|一件事|一回事|同样的事|同一个意思|同一个事实|一样|相同|the same|\
         the same thing|the same event|the same fact|same|same thing|same event|same fact|identical|say the same|\
         say the same thing|describe the same event|describe the same thing";
    let contrary = "矛盾|互相矛盾|相互矛盾|有矛盾|存在矛盾|冲突|contradict|contradict each other|contradictory|\
         a contradiction|contradiction|conflict";
    let cause = "原因|有因果关系|存在因果关系|因果关系|a causal relationship|a causal relation|cause and effect";
    let said =
        clause.strip_prefix("是的").or_else(|| clause.strip_prefix('是')).or_else(|| clause.strip_prefix("yes "));
    let said = match said {
        Some(said) => said,
        None if rest.is_empty() => clause,
        None => return false,
    };
    let said = said.strip_suffix('的').unwrap_or(said);
    let said = PAIRS.split('|').find_map(|pair| said.strip_prefix(pair)).unwrap_or(said);
    match asked {
        Asked::Same => is_among(said, same),
        Asked::Contradicts => is_among(said, contrary),
        Asked::Cause => is_among(said, cause),
    }
}

/// Whether a clause speaks of how the two are put: 只是措辞不同.
fn is_of_wording(clause: &str) -> bool {
    names(clause, "措辞|用词|说法不同|表达方式|wording|phrasing|worded|phrased")
}

/// Whether a clause behind a yes takes it back, or leaves it open.
fn wavers(clause: &str) -> bool {
    const TURNS: &str = "但|只是|不过|然而|可是|虽然|尽管|否则|but|however|although|though|except|only";
    const DOUBTS: &str = "可能|也许|或许|大概|恐怕|似乎|好像|部分|有点|类似|相似|接近|差不多|几乎|不完全|不确定|如果|除非|取决|\
         maybe|perhaps|possibly|probably|might|may|could|almost|partly|partially|similar|somewhat|unsure|depends|\
         unless|if|seem|seems|not sure";
    begins_with_no(clause) || clause.ends_with(['?', '？', '吗', '吧']) || names(clause, TURNS) || names(clause, DOUBTS)
}

/// Whether a clause behind a yes says the other of what was asked: "they are different", 是两件事.
fn says_other(clause: &str, asked: Asked) -> bool {
    let same = "矛盾|contradict|contradictory|conflict|两件|两回|两个|两次|两种|两码|不同|不一样|区别|差异|差别|独立|分开|各自|分别|变化|变了|更新|另一|另外|\
         无关|过时|different|differ|differs|differently|distinct|separate|separately|unrelated|independent|\
         another|changed|update|updated|outdated|related|two events|two things|two facts|two times|two days";
    let contrary = "变化|变了|无关|相关|兼容|并存|同时成立|都成立|一致|不矛盾|补充|两件|两回|独立|更新|相同|同一|unrelated|\
         related|compatible|consistent|both true|both hold|both be true|over time|changed|independent|the same|\
         no contradiction|separate|two events|they are different|they're different";
    let cause = "无关|巧合|独立|相关|同时|unrelated|coincidence|independent|correlated|related|different|separate";
    match asked {
        Asked::Same => names(clause, same),
        Asked::Contradicts => names(clause, contrary),
        Asked::Cause => names(clause, cause),
    }
}

/// Whether a clause of the reason says outright that the yes above it is none; the reason for a yes may hold a no: 不是两件事.
fn contradicts_a_yes(clause: &str, asked: Asked) -> bool {
    let outright = match asked {
        Asked::Same => {
            "两件事|两回事|两码事|不同的事|不同的两|两个不同|两件不同|并非同一|不是同一|different events|different things|\
             different facts|separate events|two separate|two different|unrelated|not the same"
        }
        Asked::Contradicts => {
            "不矛盾|没有矛盾|无矛盾|不冲突|没有冲突|只是时间变化|不相关|no contradiction|not contradict|don't contradict|\
             both true|both be true|unrelated"
        }
        Asked::Cause => "没有因果|无因果|不存在因果|不是原因|no causal|not the cause|unrelated",
    };
    outright.split('|').any(|word| clause.find(word).is_some_and(|at| !clause.get(..at).is_some_and(denies)))
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(ENDS).map(|clause| {
        let end = clause.trim_end_matches(|c| ENDS.contains(&c) && !matches!(c, '?' | '？'));
        end.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？'))
    })
}

/// Which of two is the cause: `A`, `B`, or neither; `None` when the answer says nothing of the kind.
pub(super) fn direction(answer: &str) -> Option<Causality> {
    let text = bare(answer).to_lowercase().replace('’', "'");
    let line = behind_the_question(&text, Asked::Cause).lines().next().unwrap_or_default();
    let (first, rest) = first_clause(line);
    let (first_causes, second_causes) = (is_cause(first, 'a', 'b'), is_cause(first, 'b', 'a'));
    // "A不是B的原因" begins with A and says no.
    if denies(first) || yes(answer, Asked::Cause) == Some(false) && !first_causes && !second_causes {
        return Some(Causality::Neither);
    }
    if line.contains(['?', '？']) || clauses(rest).any(wavers) {
        return None;
    }
    match (first_causes, second_causes) {
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

const ENDS: [char; 17] = ['，', '。', ',', '.', ';', '；', '!', '！', '?', '？', ':', '：', '(', '（', '—', '–', '\n'];

/// The first clause, and what stands behind it. A 是 that stands alone ends one.
fn first_clause(text: &str) -> (&str, &str) {
    let end = text.find(ENDS).unwrap_or(text.len());
    let end = text.find(" - ").map_or(end, |dash| dash.min(end));
    let alone = |at: &usize| text.get(..*at).is_some_and(|word| !word.is_ascii() && is_yes(word));
    let end = text.find([' ', '\t']).filter(|at| *at < end).filter(alone).unwrap_or(end);
    let (first, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    let first = first.trim_matches(|c: char| !c.is_alphanumeric() && !is_arrow(c));
    (first, rest.trim_start_matches(|c: char| !c.is_alphanumeric()))
}

const fn is_arrow(c: char) -> bool {
    matches!(c, '→' | '-' | '=' | '>')
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
            let asked = if answer.starts_with("矛盾") { Asked::Contradicts } else { Asked::Same };
            assert_eq!(yes(answer, asked), wanted, "{answer}");
        }
    }

    #[test]
    fn a_yes_says_what_was_asked_and_nothing_else() {
        use Asked::{Cause, Contradicts, Same};
        for (asked, answer, wanted) in [
            (Same, "是的。", Some(true)),
            (Same, "对", Some(true)),
            (Same, "没错，说的是同一次旅行", Some(true)),
            (Same, "是同一件事。", Some(true)),
            (Same, "是一样的", Some(true)),
            (Same, "是 两条都说她养了猫", Some(true)),
            (Same, "是——都说的是搬家", Some(true)),
            (Same, "**是**\n都说她住在里昂。", Some(true)),
            (Same, "Yes - both tell of the same dinner.", Some(true)),
            (Same, "Yes, they are the same.", Some(true)),
            (Same, "Yes they are the same.", Some(true)),
            (Same, "是否同一件事：是", Some(true)),
            (Same, "是否同一件事？是。", Some(true)),
            (Same, "是否两件事：是", None),
            (Same, "是否矛盾：是", None),
            (Contradicts, "是否不同：是", None),
            (Same, "Answer: yes", Some(true)),
            (Same, "答案：否", Some(false)),
            (Same, "是否同一件事：不是", Some(false)),
            (Same, "是不是同一件事：否", Some(false)),
            (Same, "是。两者说的都是同一件事，只是措辞不同。", Some(true)),
            (Same, "是两件事。", None),
            (Same, "是两回事", None),
            (Same, "是相关但独立的两件事", None),
            (Same, "是更新，原来的已经过时", None),
            (Same, "是不同的两次聚会", None),
            (Same, "是，时间不同", None),
            (Same, "是，各说各的，分别是两次旅行", None),
            (Same, "Yes, they are different.", None),
            (Same, "Yes. They describe two separate events.", None),
            (Same, "Yes, similar", None),
            (Same, "Yes, probably", None),
            (Same, "Yes, related.", None),
            (Same, "Yes?", None),
            (Same, "是吗", None),
            (Same, "是，大概", None),
            (Same, "是，部分相同", None),
            (Same, "是，两条都说咖啡，但日期换了", None),
            (Same, "是，如果说的是同一个人", None),
            (Same, "是矛盾的", None),
            (Same, "是\n这是两件事。", None),
            (Same, "Yes\nThese are different events.", None),
            (Same, "是否同一件事，难说", None),
            (Same, "是一件好事", None),
            (Contradicts, "是，两条说的城市不同", Some(true)),
            (Contradicts, "是矛盾的", Some(true)),
            (Contradicts, "Yes, they contradict each other.", Some(true)),
            (Contradicts, "是否矛盾：是", Some(true)),
            (Contradicts, "是\n她不再住在里昂。", Some(true)),
            (Contradicts, "Yes, they are different.", None),
            (Contradicts, "是时间变化", None),
            (Contradicts, "是，时间变了", None),
            (Contradicts, "是，只是时间变化", None),
            (Contradicts, "是相同的", None),
            (Contradicts, "相同", None),
            (Contradicts, "Yes, both can be right, they are compatible", None),
            (Contradicts, "是\n两条并不相关，没有矛盾。", None),
            (Cause, "是，下雨使她迟到", Some(true)),
            (Cause, "是有因果关系的", Some(true)),
            (Cause, "Yes, a coincidence", None),
            (Cause, "是巧合", None),
        ] {
            assert_eq!(yes(answer, asked), wanted, "{asked:?} {answer}");
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
            ("A?", None),
            ("A，也许", None),
            ("B, but I am unsure", None),
        ] {
            assert_eq!(direction(answer), wanted, "{answer}");
        }
    }
}
