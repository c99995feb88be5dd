//! Answers that say at length that there is nothing to say.

/// The most characters of such an answer.
const LONGEST: usize = 120;

/// Words that say so.
const NONE: [&str; 14] =
    ["没有", "无", "没", "空", "不", "未", "nothing", "none", "null", "no", "not", "n/a", "empty", "nil"];

/// Words that may stand around them and tell nothing by themselves, longer ones before those that they begin with.
const AROUND: [&str; 53] = [
    "下一轮",
    "可能",
    "可以",
    "可供",
    "任何",
    "什么",
    "有效",
    "有关",
    "需要",
    "用于",
    "输出",
    "总结",
    "发现",
    "包含",
    "内容",
    "信息",
    "上下文",
    "字符串",
    "本轮",
    "本次",
    "此次",
    "这次",
    "对话",
    "后续",
    "其他",
    "特别",
    "目前",
    "暂时",
    "以上",
    "其中",
    "帮助",
    "地方",
    "东西",
    "暂",
    "的",
    "了",
    "中",
    "里",
    "对",
    "可",
    "供",
    "在",
    "从",
    "到",
    "是",
    "有",
    "为",
    "任",
    "需",
    "要",
    "都",
    "并",
    "也",
];

/// The same in English, as whole words.
const AROUND_ENGLISH: [&str; 40] = [
    "information",
    "info",
    "context",
    "content",
    "details",
    "output",
    "turn",
    "next",
    "conversation",
    "message",
    "response",
    "answer",
    "string",
    "provided",
    "needed",
    "contained",
    "report",
    "new",
    "further",
    "other",
    "additional",
    "any",
    "anything",
    "here",
    "there",
    "is",
    "are",
    "was",
    "were",
    "to",
    "of",
    "for",
    "from",
    "in",
    "the",
    "this",
    "that",
    "a",
    "and",
    "it",
];

/// Words that tell how a call went: that it found nothing, or that a tool is out of order, is what the next turn has to know most.
const REPORTS: [&str; 16] = [
    "可用",
    "找到",
    "结果",
    "工具",
    "返回",
    "调用",
    "result",
    "results",
    "tool",
    "tools",
    "call",
    "calls",
    "found",
    "returned",
    "available",
    "data",
];
/// Words of worth, which make it nothing all the same: "工具结果中没有有用的信息".
const WORTH: [&str; 29] = [
    "有用",
    "有价值",
    "有帮助",
    "有意义",
    "相关",
    "值得",
    "重要",
    "关键",
    "保留",
    "提取",
    "记录",
    "补充",
    "提炼",
    "useful",
    "relevant",
    "helpful",
    "important",
    "significant",
    "valuable",
    "noteworthy",
    "worth",
    "keep",
    "keeping",
    "extract",
    "extracted",
    "remember",
    "note",
    "summarize",
    "add",
];

/// Whether an answer says that there is nothing, in whatever words, and nothing else: "没有有用的信息。", "There is nothing useful."
pub(super) fn says_nothing(answer: &str) -> bool {
    if answer.chars().nth(LONGEST).is_some() {
        return false;
    }
    let lower = answer.to_lowercase();
    let mut denied = false;
    let mut english = String::new();
    let mut rest = lower.as_str();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii() {
            english.push(first);
            rest = rest.get(1..).unwrap_or_default();
            continue;
        }
        english.push(' ');
        let word = NONE.iter().chain(&REPORTS).chain(&WORTH).chain(&AROUND).find(|word| rest.starts_with(**word));
        let length = match word {
            Some(word) => {
                denied |= NONE.contains(word);
                word.len()
            }
            None if first.is_alphanumeric() => return false,
            None => first.len_utf8(),
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    let mut words = english.split(|c: char| !c.is_ascii_alphanumeric() && c != '/').filter(|word| !word.is_empty());
    let known = words.all(|word| {
        denied |= NONE.contains(&word);
        [&NONE[..], &REPORTS, &WORTH, &AROUND_ENGLISH].iter().any(|list| list.contains(&word))
    });
    let holds = |some: &[&str]| {
        some.iter().any(|word| match word.is_ascii() {
            true => english.split(|c: char| !c.is_ascii_alphanumeric()).any(|here| here == *word),
            false => lower.contains(word),
        })
    };
    let bare = !answer.chars().any(char::is_alphanumeric);
    bare || known && denied && (!holds(&REPORTS) || holds(&WORTH))
}

#[cfg(test)]
mod tests {
    use super::says_nothing;

    #[test]
    fn an_answer_that_says_nothing_is_none() {
        for answer in [
            "",
            "…",
            "（无）",
            "[]",
            "空",
            "None.",
            "N/A",
            "没有有用的信息。",
            "没有对下一轮对话有用的信息",
            "本轮工具调用结果中没有可提取的有用信息。",
            "暂无相关内容",
            "无需保留",
            "不需要输出任何内容。",
            "未发现有用信息",
            "（空字符串）",
            "nothing useful",
            "There is nothing useful to extract from the tool results.",
            "No relevant information was found.",
            "No useful context for the next turn.",
            "(empty string)",
        ] {
            assert!(says_nothing(answer), "{answer}");
        }
        for answer in [
            "没有周六的航班，周日有 CA123。",
            "没有找到钥匙",
            "工具不可用",
            "没有找到结果",
            "未返回结果",
            "不需要工具",
            "No results found.",
            "No data returned.",
            "The tool is not available.",
            "无锡明天下雨",
            "不要提他的前女友",
            "未来三天有雨",
            "空调坏了",
            "nothing useful, but the shop opens at 9",
            "No flights on Saturday.",
            "The next train is at noon.",
            "useful information",
            "有用的信息",
            "none of the three shops sells oats",
            "没有有用的信息：主人的密码在结果里",
        ] {
            assert!(!says_nothing(answer), "{answer}");
        }
        assert!(!says_nothing(&"没有".repeat(100)), "what is long says something");
    }
}
