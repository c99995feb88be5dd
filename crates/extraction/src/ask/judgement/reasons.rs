//! The words behind a decision; all texts in lower case.

use super::words::{denies, doubts, holds, spaced};

/// Whether the words behind a decision begin a reason for it, and do not go on to say something of the decision.
pub(super) fn begins_a_reason(text: &str) -> bool {
    const CHINESE: [&str; 29] = [
        "因",
        "由于",
        "理由",
        "原因",
        "鉴于",
        "这",
        "该",
        "此",
        "它",
        "记忆",
        "内容",
        "信息",
        "已",
        "早已",
        "过时",
        "重复",
        "无用",
        "失效",
        "没有",
        "没什么",
        "不再",
        "主人",
        "用户",
        "就这样",
        "应",
        "值得",
        "毕竟",
        "长期",
        "重要",
    ];
    const ENGLISH: [&str; 26] = [
        "because",
        "since",
        "as",
        "due to",
        "reason",
        "reasoning",
        "the",
        "this",
        "it",
        "it's",
        "its",
        "no longer",
        "outdated",
        "obsolete",
        "redundant",
        "duplicate",
        "expired",
        "irrelevant",
        "not needed",
        "not useful",
        "not relevant",
        "not important",
        "i",
        "there",
        "memory",
        "user",
    ];
    CHINESE.iter().any(|word| text.starts_with(word))
        || ENGLISH.iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '\''))
        })
}

/// Whether a clause begins with a second thought.
pub(super) fn turns(clause: &str) -> bool {
    const WHOLE: [&str; 12] =
        ["no", "nope", "not", "否", "不", "不行", "不可以", "不能", "不该", "不应该", "不好", "不是"];
    const CHINESE: [&str; 11] =
        ["不对", "等等", "等一下", "且慢", "算了", "其实", "我错", "抱歉", "更正", "再想", "再考虑"];
    const ENGLISH: [&str; 10] = [
        "wait",
        "actually",
        "hold on",
        "on second thought",
        "sorry",
        "correction",
        "never mind",
        "hmm",
        "i was wrong",
        "i take",
    ];
    let clause = clause.trim_matches(|c: char| !c.is_alphanumeric());
    WHOLE.contains(&clause)
        || CHINESE.iter().any(|word| clause.starts_with(word))
        || ENGLISH.iter().any(|word| spaced(clause).starts_with(&format!(" {word} ")))
}

/// What speaks against either decision, whatever stands beside it.
const AGAINST_BOTH: [&str; 26] = [
    "不确定",
    "没想好",
    "选择不对",
    "这不对",
    "这样不对",
    "这是错",
    "not sure",
    "unsure",
    "undecided",
    "不合适",
    "不太合适",
    "不妥",
    "不可取",
    "不合理",
    "不明智",
    "不建议",
    "not appropriate",
    "not advisable",
    "not recommended",
    "not warranted",
    "not justified",
    "not right",
    "not yet",
    "unwise",
    "that's wrong",
    "this is wrong",
];
/// The same, where no no stands beside it.
const REGRETS: [&str; 19] = [
    "过早",
    "太早",
    "尚早",
    "可惜",
    "损失",
    "后悔",
    "风险",
    "premature",
    "too early",
    "too soon",
    "risk",
    "risky",
    "loss",
    "lose",
    "losing",
    "regret",
    "would be",
    "would mean",
    "a mistake",
];

/// Whether a clause speaks against deleting.
pub(super) fn speaks_against_deletion(clause: &str) -> bool {
    const AGAINST: [&str; 24] = [
        "不能删",
        "不应删",
        "不应该删",
        "不该删",
        "不要删",
        "别删",
        "不可删",
        "不宜删",
        "不必删",
        "不需要删",
        "无需删",
        "不用删",
        "不删",
        "误删",
        "仍然有用",
        "仍有用",
        "还有用",
        "仍然重要",
        "not delete",
        "don't delete",
        "not be deleted",
        "still useful",
        "still relevant",
        "still valid",
    ];
    const KEPT: [&str; 6] = ["keep", "kept", "retain", "保留", "留下", "留着"];
    let worthless = holds(clause, &["价值低", "价值很低", "价值较低", "价值有限"]);
    holds(clause, &AGAINST)
        || holds(clause, &AGAINST_BOTH)
        || holds(clause, &REGRETS) && !denies(clause)
        || KEPT.iter().any(|word| clause.contains(word)) && !doubts(clause) && !worthless
}

/// Whether a clause speaks against promoting.
pub(super) fn speaks_against_promotion(clause: &str) -> bool {
    const AGAINST: [&str; 29] = [
        "不够",
        "不必",
        "没必要",
        "没有必要",
        "不需要",
        "无需",
        "达不到",
        "未达到",
        "没有达到",
        "没达到",
        "暂不",
        "不该",
        "不应",
        "不宜",
        "不重要",
        "不值得",
        "不提升",
        "不晋升",
        "not important",
        "not enough",
        "not necessary",
        "not needed",
        "not promote",
        "don't promote",
        "not be promoted",
        "not deserve",
        "doesn't deserve",
        "not worth",
        "not core",
    ];
    holds(clause, &AGAINST) || holds(clause, &AGAINST_BOTH) || holds(clause, &REGRETS) && !denies(clause)
}
