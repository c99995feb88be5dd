use annals_types::{Causality, Judgement};

use crate::reply::spoken;

/// The longest search that an answer can ask for, in characters.
const MAX_SEARCH: usize = 200;

/// Yes or no, on the first line. Yes is only what begins with 是 or yes and says neither 不是 nor 否, nor takes it back on a line of its own;
/// `None` is neither.
pub(super) fn yes(answer: &str) -> Option<bool> {
    let text = bare(answer).to_lowercase();
    let (first, rest) = text.split_once('\n').unwrap_or((text.as_str(), ""));
    let no = |line: &str| ["否", "不", "没有", "no"].iter().any(|word| line.starts_with(word));
    let alone = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        matches!(line, "否" | "不是" | "不" | "没有" | "no")
    };
    if no(first) || first.contains("不是") || first.contains('否') || rest.lines().any(alone) {
        return Some(false);
    }
    ["是", "yes", "矛盾", "相同"].iter().any(|word| first.starts_with(word)).then_some(true)
}

/// Which of two is the cause: `A`, `B`, or neither; `None` when the answer says nothing of the kind.
pub(super) fn direction(answer: &str) -> Option<Causality> {
    let text = bare(answer).to_uppercase();
    let text = text.lines().next().unwrap_or_default();
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

/// A decision that an answer names, and what stands around it.
struct Mention<'a> {
    decided: Judgement,
    /// What stands before it on its line, from the decision before on.
    before: &'a str,
    /// What stands behind it on its line, up to the next decision.
    after: &'a str,
    /// The lines that follow.
    later: &'a str,
    /// Whether it stands in a list of decisions, with no more between it and the next than an "or".
    listed: bool,
    shape: Shape,
}

/// How a decision is brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Nothing else stands on its line.
    Alone,
    /// A colon stands before it.
    Named,
    /// A word before it says that it is the decision.
    Chosen,
    /// None of these.
    Loose,
}

/// What a reviewer decided: the last decision of the answer, wherever it stands. One that a word before it takes back is none, and a list of
/// what could be decided is none either. What is deleted is gone for good, so that a deletion has to be beyond doubt: nothing around it may take
/// it back, and beside other decisions it has to be brought in as the one that is meant.
pub(super) fn judgement(answer: &str) -> Judgement {
    let text = spoken(answer).replace('’', "'");
    let mentions = mentions(&text);
    let mut last = None;
    for mention in &mentions {
        if mention.listed {
            last = None;
        } else if !denied(mention.before, &mention.decided) {
            last = Some(mention);
        }
    }
    let meant = last.filter(|last| last.decided != Judgement::Delete || is_meant(last, &mentions));
    meant.map_or(Judgement::Undecided, |mention| mention.decided.clone())
}

fn mentions(text: &str) -> Vec<Mention<'_>> {
    let mut found = Vec::new();
    let mut later = text;
    while !later.is_empty() {
        let (line, rest) = later.split_once('\n').unwrap_or((later, ""));
        later = rest;
        let first = found.len();
        let mut rest = line;
        while let Some((before, inside, after)) = bracket(rest) {
            rest = after;
            let Some(decided) = decision(inside) else { continue };
            let end = bracket(after).map_or(after, |(between, _, _)| between);
            let mut listed = false;
            if let Some(last) = found.get_mut(first..).and_then(<[Mention<'_>]>::last_mut)
                && is_joint(before)
            {
                (last.listed, listed) = (true, true);
            }
            found.push(Mention { decided, before, after: end, later, listed, shape: shape(before, end) });
        }
        if let Some(line) = found.get_mut(first..).filter(|line| line.len() > 1) {
            line.iter_mut().filter(|one| one.shape == Shape::Alone).for_each(|one| one.shape = Shape::Loose);
        }
    }
    found
}

/// Whether what stands between two decisions only joins them.
fn is_joint(between: &str) -> bool {
    const JOINTS: [&str; 13] =
        ["", "或", "或者", "和", "与", "及", "以及", "or", "and", "and/or", "还是", "or else", "要么"];
    let marks = |c: char| c.is_whitespace() || "`*\"'“”「」_".contains(c);
    let bare = between.trim_matches(marks).to_lowercase();
    let word = bare.trim_matches(|c: char| marks(c) || "/|,，、;；&".contains(c));
    // "[KEEP]，还是 [PROMOTE] 吧": behind a comma it is a second thought.
    JOINTS.contains(&word) && !(word == "还是" && bare != word)
}

fn shape(before: &str, after: &str) -> Shape {
    const CHOICES: [&str; 14] = [
        "选",
        "决定",
        "结论",
        "判断",
        "判定",
        "答案",
        "最终",
        "而是",
        "choose",
        "decision",
        "decide",
        "verdict",
        "answer",
        "conclusion",
    ];
    let said = |text: &str| text.chars().any(char::is_alphabetic);
    let end = before.trim_end_matches(is_mark).to_lowercase();
    let clause = end.rsplit(STOPS).next().unwrap_or(&end);
    if !said(before) && !said(after) {
        Shape::Alone
    } else if CHOICES.iter().any(|word| clause.contains(word)) {
        Shape::Chosen
    } else if end.ends_with([':', '：']) {
        Shape::Named
    } else {
        Shape::Loose
    }
}

/// What ends a clause, colons aside.
const STOPS: [char; 15] = ['，', '。', ',', '.', ';', '；', '!', '！', '?', '？', '(', '（', ')', '）', '\n'];
/// What says no, as a part of a word or of a Chinese clause.
const NOES: [&str; 17] = [
    "不",
    "没",
    "无",
    "未",
    "勿",
    "非",
    "避免",
    "拒绝",
    "反对",
    "暂缓",
    "n't",
    "cannot",
    "avoid",
    "refuse",
    "against",
    "instead of",
    "rather than",
];
/// Words that say no, or that leave it open.
const DOUBTS: [&str; 24] = [
    "not",
    "never",
    "without",
    "no",
    "nor",
    "neither",
    "too",
    "if",
    "unless",
    "whether",
    "either",
    "maybe",
    "perhaps",
    "possibly",
    "might",
    "may",
    "could",
    "would",
    "should i",
    "consider",
    "considered",
    "considering",
    "almost",
    "hardly",
];
const CHINESE_DOUBTS: [&str; 11] =
    ["考虑", "可以", "可能", "也许", "或许", "是否", "如果", "除非", "要么", "本来", "原本"];

const fn is_mark(c: char) -> bool {
    matches!(c, ' ' | '\t' | '`' | '*' | '"' | '“' | '「' | '\'')
}

/// Whether a clause says no, or leaves open what it says.
fn doubts(clause: &str) -> bool {
    let words: Vec<&str> = clause.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let spaced = format!(" {} ", words.join(" "));
    // 非常 says no no.
    let chinese = clause.replace("非常", "");
    NOES.iter().chain(&CHINESE_DOUBTS).any(|word| chinese.contains(word))
        || DOUBTS.iter().any(|word| spaced.contains(&format!(" {word} ")))
}

/// Whether what stands before a decision says that it is not meant: 不 [DELETE], "not [DELETE]". For a deletion a no or a doubt anywhere in its
/// clause is enough: what is kept can be judged again.
fn denied(before: &str, decided: &Judgement) -> bool {
    const DENIALS: [&str; 12] =
        ["不", "不要", "不能", "不应", "不应该", "不是", "不必", "而非", "而不是", "not", "never", "instead of"];
    let end = before.trim_end_matches(is_mark).to_lowercase();
    let whole = |word: &str| {
        let rest = end.strip_suffix(word);
        rest.is_some_and(|rest| !word.is_ascii() || !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let close = DENIALS.iter().any(|word| whole(word))
        || ["than", "nor", "neither", "cannot", "against"].iter().any(|w| whole(w));
    if *decided != Judgement::Delete {
        return close;
    }
    let clause = end.rsplit(|c| STOPS.contains(&c) || matches!(c, ':' | '：')).next().unwrap_or(&end);
    let stop = clause.strip_suffix('别').is_some_and(|rest| !rest.ends_with(['类', '特', '分', '级', '区', '个']));
    close || stop || doubts(clause)
}

/// Whether a deletion is beyond doubt: nothing behind it takes it back, and where the answer names other decisions, it alone is brought in as it is.
fn is_meant(deletion: &Mention<'_>, mentions: &[Mention<'_>]) -> bool {
    let others = || mentions.iter().filter(|m| m.decided != Judgement::Delete && !denied(m.before, &m.decided));
    let apart = deletion.shape != Shape::Loose && others().all(|other| other.listed || other.shape != deletion.shape);
    !taken_back(deletion) && (others().next().is_none() || apart)
}

/// Whether what follows a deletion takes it back: "[DELETE]? No, keep it", "[DELETE] 不合适". A reason for it may hold a no: "[DELETE] because it
/// is no longer true".
fn taken_back(deletion: &Mention<'_>) -> bool {
    const REASONS: [&str; 7] = ["because", " since ", "因为", "由于", "—", "–", " - "];
    const KEPT: [&str; 9] = ["keep", "kept", "retain", "保留", "留下", "留着", "其实", "actually", "wait"];
    let after = deletion.after.trim_start_matches(|c| is_mark(c) || matches!(c, '”' | '」')).to_lowercase();
    let clause = format!(" {}", after.split(STOPS).next().unwrap_or_default());
    let asked = after.get(clause.len() - 1..).is_some_and(|rest| rest.starts_with(['?', '？']));
    let until = REASONS.iter().filter_map(|reason| clause.find(reason)).min().unwrap_or(clause.len());
    let kept = |text: &str| {
        let lower = text.to_lowercase();
        lower.split(STOPS).any(|clause| KEPT.iter().any(|word| clause.contains(word)) && !doubts(clause))
    };
    asked || doubts(clause.get(..until).unwrap_or(&clause)) || kept(&after) || kept(deletion.later)
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
            ("As far as I know", None),
            ("也许", None),
            ("B\n没睡好，所以心情不好。", Some(SecondCauses)),
            ("A\nB 没有说原因。", Some(FirstCauses)),
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
            ("I must choose between [PROMOTE], [KEEP], or [DELETE].", Undecided),
            ("从 [PROMOTE]、[KEEP] 和 [DELETE] 中选择，我认为应当保留", Undecided),
            ("**[KEEP]** / **[DELETE]**", Undecided),
            ("`[KEEP]`/`[DELETE]`", Undecided),
            ("- [PROMOTE]\n- [KEEP]\n- [DELETE]\n我选保留", Undecided),
            ("- [PROMOTE]\n- [KEEP]\n- [DELETE]\n我选 [KEEP]", Keep),
            ("保留：[KEEP]\n删除：[DELETE]\n我还没想好", Undecided),
            ("I don’t recommend [DELETE]", Undecided),
            ("I cannot [DELETE] this", Undecided),
            ("Neither [PROMOTE] nor [DELETE]", Undecided),
            ("[KEEP]，未达到 [DELETE] 的标准", Keep),
            ("避免 [DELETE]", Undecided),
            ("拒绝 [DELETE]", Undecided),
            ("I am against [DELETE]", Undecided),
            ("It is too early for [DELETE]", Undecided),
            ("也许可以 [DELETE]", Undecided),
            ("[DELETE]？不，应该保留", Undecided),
            ("[DELETE]. Actually, keep it.", Undecided),
            ("[DELETE] is not warranted", Undecided),
            ("[DELETE] 不合适", Undecided),
            ("[DELETE] because it is no longer true", Delete),
            ("[DELETE]，没有保留价值", Delete),
            ("[DELETE]. There is no reason to keep it.", Delete),
            ("[KEEP] was my first thought.\n**[DELETE]**", Delete),
            ("I considered [KEEP]. Final decision: [DELETE]", Delete),
            ("选项有 [PROMOTE]/[KEEP]/[DELETE]。我选 [DELETE]。", Delete),
            ("不是 [KEEP]，而是 [DELETE]", Delete),
            ("<think>[DELETE]</think>", Undecided),
            ("delete it", Undecided),
            ("", Undecided),
        ] {
            assert_eq!(judgement(answer), wanted, "{answer}");
        }
    }
}
