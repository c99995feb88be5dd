//! What people say of what they build, and of what it taught them. The things are named in Latin letters or with a capital, in Chinese too.

use super::Topic;
use super::clause::Clause;

/// How a Chinese clause begins that says what something is made with; a name follows.
const MADE: [&str; 17] = [
    "我在开发",
    "我正在开发",
    "我在做",
    "我们在开发",
    "项目用",
    "项目使用",
    "项目用的是",
    "我们用",
    "我们的项目用",
    "我们项目用",
    "后端用",
    "前端用",
    "数据库用",
    "服务部署在",
    "我们部署在",
    "技术栈是",
    "我们改用",
];
/// How one begins that says what somebody works with by habit.
const HABITS: [&str; 6] = ["我常用", "我一般用", "我平时用", "我习惯用", "我主要用", "我更常用"];
/// What stands between a name and what it cannot do or asks for.
const LIMITS: [&str; 6] = ["不支持", "需要使用", "需要配置", "必须使用", "必须配置", "不兼容"];

/// English: the same beginnings, in lower case.
const ENGLISH_MADE: [&str; 16] = [
    "i'm building ",
    "i am building ",
    "i'm developing ",
    "i am developing ",
    "we're building ",
    "we use ",
    "we're using ",
    "our backend runs on ",
    "our frontend runs on ",
    "our project uses ",
    "the project uses ",
    "our backend uses ",
    "we deploy with ",
    "we deploy to ",
    "we switched to ",
    "our stack is ",
];
const ENGLISH_HABITS: [&str; 4] = ["i usually use ", "i mostly use ", "i always use ", "i normally use "];
const ENGLISH_LIMITS: [&str; 4] =
    [" does not support ", " doesn't support ", " is not compatible with ", " isn't compatible with "];

/// What a clause says of that.
pub(super) fn topic(clause: &Clause) -> Option<Topic> {
    chinese(&clause.text).or_else(|| english(&clause.text.replace('’', "'")))
}

fn chinese(text: &str) -> Option<Topic> {
    let named_behind = |beginnings: &[&str]| {
        let rests = beginnings.iter().filter_map(|beginning| text.strip_prefix(beginning));
        rests.min_by_key(|rest| rest.len()).is_some_and(|rest| is_name(rest.trim_start()) || ends_in_cloud(rest))
    };
    if named_behind(&MADE) {
        return Some(Topic::Project);
    }
    if named_behind(&HABITS) {
        return Some(Topic::Preference);
    }
    let limited =
        |limit: &&str| text.split_once(limit).is_some_and(|(name, rest)| is_name(name) && rest.chars().count() >= 2);
    let met = ["遇到了", "遇到过", "碰到了"].iter().any(|met| {
        text.strip_prefix(met)
            .is_some_and(|rest| rest.contains(|c: char| c.is_ascii_alphabetic()) && rest.ends_with("问题"))
    });
    let failed = text.starts_with("上次") && ["失败了", "出错了", "崩了", "挂了"].iter().any(|end| text.ends_with(end));
    (LIMITS.iter().any(limited) || met || failed).then_some(Topic::Lesson)
}

fn english(text: &str) -> Option<Topic> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let named_behind = |beginnings: &[&str]| {
        let rest = beginnings.iter().find_map(|beginning| lower.strip_prefix(beginning));
        rest.and_then(|rest| text.get(text.len() - rest.len()..)).is_some_and(capital)
    };
    if named_behind(&ENGLISH_MADE) {
        return Some(Topic::Project);
    }
    if named_behind(&ENGLISH_HABITS) {
        return Some(Topic::Preference);
    }
    let limited = ENGLISH_LIMITS.iter().any(|limit| {
        let at = lower.find(limit);
        at.and_then(|at| text.get(..at)).is_some_and(|name| capital(name) && !is_person(name))
    });
    let failed = lower.starts_with("the last ") && lower.contains(" failed because ");
    (limited || failed).then_some(Topic::Lesson)
}

/// Whether a text begins with a name in Latin letters.
fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric()) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// 阿里云, 腾讯云 ...
fn ends_in_cloud(text: &str) -> bool {
    ["云", "云上", "云服务器"].iter().any(|end| text.ends_with(end)) && text.chars().count() <= 8
}

fn capital(text: &str) -> bool {
    text.trim_start_matches("the ").starts_with(char::is_uppercase)
}

/// Whether a subject is somebody, or points at something said elsewhere.
fn is_person(name: &str) -> bool {
    const WORDS: [&str; 16] = [
        "I", "You", "He", "She", "It", "We", "They", "This", "That", "My", "Your", "His", "Her", "Our", "Their", "Who",
    ];
    name.split_whitespace().next().is_some_and(|first| WORDS.contains(&first)) || name.split_whitespace().count() > 4
}
