//! The words before a decision; all texts in lower case.

use crate::denial::{self, is_among, names};

/// What ends a sentence.
pub(super) const ENDS: [char; 9] = ['。', '.', ';', '；', '!', '！', '?', '？', '\n'];
/// What ends a clause, colons aside.
pub(super) const STOPS: [char; 14] = ['，', '。', ',', '.', ';', '；', '!', '！', '?', '？', '(', '（', ')', '）'];

/// What says no beside the words that [say so](crate::denial::denies).
const REFUSALS: &str = "避免|拒绝|反对|暂缓|avoid|refuse|against|instead of|rather than";
/// Words that leave it open.
const DOUBTS: &str = "too|if|unless|whether|either|maybe|perhaps|possibly|might|may|could|would|should i|consider|considered|\
     considering|almost|hardly";
const CHINESE_DOUBTS: &str = "考虑|可以|可能|也许|或许|是否|如果|除非|要么|本来|原本";

/// Marks that say nothing: white space, quotes, Markdown and JSON.
pub(super) const fn is_mark(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '`' | '*' | '"' | '“' | '「' | '\'' | '_' | '#' | '{')
}

pub(super) fn is_stop(c: char) -> bool {
    STOPS.contains(&c) || matches!(c, '\n' | ':' | '：' | '—' | '–')
}

pub(super) fn says_something(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

/// Whether a clause says no.
pub(super) fn denies(clause: &str) -> bool {
    denial::denies(clause) || REFUSALS.split('|').any(|word| clause.contains(word))
}

/// Whether a clause ends in a choice that it denies: "I would not choose".
pub(super) fn refuses(clause: &str) -> bool {
    const CHOICES: &str = "choose|pick|select|recommend|say|answer|be|选|选择|决定|推荐|建议";
    let clause = clause.trim_end_matches(|c: char| !c.is_alphanumeric());
    doubts(clause) && CHOICES.split('|').any(|word| clause.ends_with(word)) || denies_at_the_end(clause)
}

/// Whether a clause says no, or leaves open what it says.
pub(super) fn doubts(clause: &str) -> bool {
    let spared = clause.strip_suffix('别').is_some_and(|rest| !rest.ends_with(['类', '特', '分', '级', '区', '个']));
    spared || denies(clause) || names(clause, DOUBTS) || names(clause, CHINESE_DOUBTS)
}

/// Whether the last word of a clause says no to what follows.
pub(super) fn denies_at_the_end(clause: &str) -> bool {
    const DENIALS: &str =
        "不|不要|不能|不应|不应该|不是|不必|而非|而不是|not|never|instead of|than|nor|neither|cannot|against";
    let clause = clause.trim_end_matches(is_mark);
    DENIALS.split('|').any(|word| {
        let rest = clause.strip_suffix(word);
        rest.is_some_and(|rest| !word.is_ascii() || !rest.ends_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

/// Whether a sentence says when a decision would be right.
pub(super) fn is_conditional(sentence: &str) -> bool {
    const CONDITIONS: &str = "if|unless|when|whenever|once the|once he|once she|once it|once they|once you|once we|once confirmed|once approved|until|\
         till|in case|suppose|supposing|provided|providing|assuming|pending|subject to|as long as|as soon as|only after|\
         如果|除非|要是|假如|假设|假定|倘若|若|前提|一旦|只要|只有在|只有当|只有主人|只有用户|万一|等到|直到";
    names(sentence, CONDITIONS)
}

/// Whether what stands between two decisions only joins them.
pub(super) fn is_joint(between: &str) -> bool {
    const JOINTS: [&str; 13] =
        ["", "或", "或者", "和", "与", "及", "以及", "or", "and", "and/or", "还是", "or else", "要么"];
    let marks = |c: char| c.is_whitespace() || "`*\"'“”「」_".contains(c);
    let bare = between.trim_matches(marks).to_lowercase();
    let word = bare.trim_matches(|c: char| marks(c) || "/|,，、;；&".contains(c));
    // "[KEEP]，还是 [PROMOTE] 吧": behind a comma it is a second thought.
    JOINTS.contains(&word) && !(word == "还是" && bare != word)
}

/// Whether a clause does nothing but bring a decision in: 我的决定是, "final decision", "so I choose"; `called` are the names of the decision itself.
pub(super) fn chooses(clause: &str, called: &[&str]) -> bool {
    const CHINESE: &str = "综上所述|这条记忆|该条记忆|此条记忆|综合来看|总的来说|审核|评审|该记忆|此记忆|记忆|对于|最终|最后|所以|\
         因此|于是|那么|综上|决定|结论|判断|判定|裁决|决策|答案|回答|回复|选择|建议|推荐|认为|应该|应当|必须|\
         还是|而是|就是|结果|意见|操作|动作|执行|输出|直接|如下|我|的|选|是|为|对|应";
    const ENGLISH: &str = "i|i'll|i've|we|my|the|a|final|decision|decisions|verdict|answer|conclusion|judgement|judgment|choice|\
         recommendation|recommended|action|output|response|result|is|be|to|choose|chose|chosen|decide|decided|\
         select|selected|pick|recommend|therefore|thus|so|hence|it|this|memory|should|must|for|with|go|here|\
         rather|instead|now|then|ok|okay|as|follows|have|has|will|in|and|mark|on|it's";
    let mut rest = clause.trim_matches(is_mark);
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_alphabetic() {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '\'').unwrap_or(rest.len());
            let (word, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
            if !is_among(word, ENGLISH) && !called.contains(&word) {
                return false;
            }
            rest = tail;
        } else if first.is_alphabetic() {
            let Some(tail) = CHINESE.split('|').chain(called.iter().copied()).find_map(|word| rest.strip_prefix(word))
            else {
                return false;
            };
            rest = tail;
        } else {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    true
}

/// Whether a clause is a ground to delete something.
pub(super) fn is_ground(clause: &str) -> bool {
    const GROUNDS: &str = "过时|失效|无效|无用|重复|冗余|outdated|obsolete|redundant|duplicate|expired|irrelevant";
    names(clause, GROUNDS)
}
