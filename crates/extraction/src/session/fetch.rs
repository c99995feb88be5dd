//! What is asked for now: something that is fetched, told or made once. All else that is asked for behind a wish may be a rule, which is to be
//! remembered with it: "please call me Bob", 请帮我避开所有海鲜. All texts in lower case.

use super::second::HABITS;

/// What stands before the verb of a request.
const LEADS: [&str; 36] = [
    "please ",
    "can you ",
    "could you ",
    "would you ",
    "will you ",
    "kindly ",
    "also ",
    "then ",
    "now ",
    "just ",
    "quickly ",
    "麻烦",
    "请",
    "您",
    "你",
    "能不能",
    "能否",
    "可以",
    "可不可以",
    "能",
    "顺便",
    "现在",
    "马上",
    "赶紧",
    "再",
    "也",
    "先",
    "帮忙",
    "帮我",
    "给我",
    "替我",
    "帮",
    "给",
    "，",
    ", ",
    " ",
];
/// Verbs that ask for something now whatever follows.
const TELLING: [&str; 13] = [
    "remind me ",
    "help me ",
    "let me know ",
    "look up ",
    "look for ",
    "search for ",
    "translate ",
    "summarize ",
    "summarise ",
    "calculate ",
    "告诉我",
    "提醒我",
    "看看",
];
/// Verbs that ask for something now where one thing follows.
const GETTING: [&str; 23] = [
    "suggest ",
    "recommend ",
    "explain ",
    "draft ",
    "book ",
    "find ",
    "search ",
    "write ",
    "schedule ",
    "play ",
    "list ",
    "compare ",
    "order ",
    "create ",
    "set ",
    "check ",
    "plan ",
    "describe ",
    "look ",
    "read ",
    "pick ",
    "buy ",
    "make ",
];
/// Verbs that do so where it is for the one who speaks, or one thing follows.
const GIVING: [&str; 4] = ["show ", "give ", "send ", "get "];
/// What one thing begins with.
const ONE: [&str; 24] = [
    "a",
    "an",
    "the",
    "this",
    "that",
    "these",
    "some",
    "something",
    "one",
    "two",
    "another",
    "it",
    "for",
    "up",
    "her",
    "him",
    "them",
    "all",
    "what",
    "how",
    "where",
    "which",
    "who",
    "why",
];
/// Things of which more than one are fetched at once.
const THINGS: [&str; 9] =
    ["directions", "tips", "ideas", "advice", "options", "news", "weather", "more", "information"];
/// Chinese verbs that ask for something now where a part of what follows says that it is one, or a question.
const CHINESE: [&str; 26] = [
    "推荐", "查", "订", "定", "找", "写", "讲", "说", "翻译", "总结", "解释", "算", "计算", "买", "点", "看", "搜",
    "发", "画", "放", "播", "列", "安排", "设", "做", "介绍",
];
const MEASURES: [&str; 14] = ["一", "个", "下", "些", "几", "份", "首", "家", "道", "张", "束", "杯", "点", "两"];
const ASKING: [&str; 6] = ["什么", "哪", "怎么", "吗", "天气", "多少"];

/// Whether a request is for something now, and for no more than that.
pub(super) fn is_for_now(rest: &str) -> bool {
    !is_rule(rest) && fetches(rest)
}

/// Whether a request is meant for good: "please never suggest it", "call me Bob", 请你以后不要推荐.
pub(super) fn is_rule(rest: &str) -> bool {
    const STANDING: [&str; 27] = [
        " always ",
        " never ",
        " whenever ",
        " don't ",
        " do not ",
        " that way ",
        " this way ",
        " like that ",
        " like this ",
        "from now on",
        "next time",
        "in future",
        "in the future",
        " call me ",
        "make sure",
        "remember",
        "以后",
        "今后",
        "从现在起",
        "下次",
        "不要",
        "请别",
        "别再",
        "永远",
        "记住",
        "叫我",
        "称呼",
    ];
    /// What makes a rule of what is told, but not of a question: 你能告诉我都有什么吗.
    const LIMITS: [&str; 11] =
        [" only ", " if ", " unless ", " when i", " when you", " when we", "都", "只", "的时候", "如果", "避"];
    // 要不要 asks.
    let told = format!(" {} ", rest.trim_end_matches(['.', '!', '?', '。', '！', '？', ' ']).replace("要不要", ""));
    let asks = rest.trim_end().ends_with(['?', '？', '吗']);
    STANDING.iter().any(|word| told.contains(word))
        || !asks && LIMITS.iter().chain(&HABITS).any(|word| told.contains(word))
}

/// Whether a request asks to fetch, tell or make one thing.
fn fetches(rest: &str) -> bool {
    let mut verb = rest;
    while let Some(tail) = LEADS.iter().find_map(|lead| verb.strip_prefix(lead)) {
        verb = tail;
    }
    let behind = |verbs: &[&str]| verbs.iter().find_map(|word| verb.strip_prefix(word));
    if TELLING.iter().any(|word| verb.starts_with(word)) {
        return true;
    }
    if let Some(what) = verb.strip_prefix("tell me ") {
        return begins_with_one(what) || what.starts_with("about ") || what.starts_with("more");
    }
    if let Some(what) = behind(&GETTING).or_else(|| behind(&GIVING)) {
        // "Write it down" asks to remember, and "set the heating to 20" may be meant for good.
        return begins_with_one(what.strip_prefix("me ").or_else(|| what.strip_prefix("us ")).unwrap_or(what))
            && !what.contains(" down")
            && !verb.starts_with("set the ");
    }
    behind(&CHINESE).is_some_and(|what| {
        MEASURES.iter().any(|one| what.starts_with(one)) || ASKING.iter().any(|word| what.contains(word))
    })
}

/// Whether one thing is asked for, or some of a kind.
fn begins_with_one(what: &str) -> bool {
    let word = what.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    ONE.contains(&word) || THINGS.contains(&word)
}
