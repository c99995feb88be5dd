//! What people say of what they build, and of what it taught them. The things are named in Latin letters or with a capital, in Chinese too.

use super::Topic;
use super::clause::Clause;

/// How a Chinese clause begins that says what something is made with; a name follows.
const MADE: [&str; 21] = [
    "我在开发", "我正在开发", "我在做", "我们在开发", "项目用", "项目使用", "项目用的是", "我们用", "我们的项目用",
    "我们项目用", "后端用", "前端用", "数据库用", "服务部署在", "我们部署在", "技术栈是", "我们改用", "我们后来改用",
    "我们后来改成", "我们换成了", "我们改成",
];
/// Those of them that are said of anything.
const LOOSE: [&str; 3] = ["我在做", "我们用", "我们改成"];
/// How one begins that says what somebody works with by habit.
const HABITS: [&str; 6] = ["我常用", "我一般用", "我平时用", "我习惯用", "我主要用", "我更常用"];
/// What stands between a name and what it cannot do or asks for.
const LIMITS: [&str; 6] = ["不支持", "需要使用", "需要配置", "必须使用", "必须配置", "不兼容"];

/// Programs, languages and services whose names look like those of people and things.
const KNOWN: [&str; 40] = [
    "Docker", "Kubernetes", "Rust", "Python", "Java", "Kotlin", "Swift", "Ruby", "Go", "Redis", "Kafka", "Postgres",
    "Nginx", "Linux", "Terraform", "Ansible", "Jenkins", "React", "Vue", "Angular", "Svelte", "Nuxt", "Next", "Django",
    "Flask", "Rails", "Spring", "Laravel", "Elixir", "Scala", "Haskell", "Vim", "Emacs", "Hetzner", "Azure", "Safari",
    "Firefox", "Chrome", "Figma", "Slack",
];

/// English: the same beginnings, in lower case.
const ENGLISH_MADE: [&str; 21] = [
    "i'm building ", "i am building ", "i'm developing ", "i am developing ", "we're building ", "we use ",
    "we're using ", "our backend runs on ", "our frontend runs on ", "our project uses ", "the project uses ",
    "our backend uses ", "we deploy with ", "we deploy to ", "we switched to ", "our stack is ", "we will switch to ",
    "we're switching to ", "we're migrating to ", "we migrated to ", "our services are written in ",
];
/// Those of them that speak of nothing but software.
const SURE: [&str; 11] = [
    "our backend", "our frontend", "our project", "the project", "our services", "our stack", "we deploy",
    "we're migrating", "we migrated", "i'm developing", "i am developing",
];
const ENGLISH_HABITS: [&str; 4] = ["i usually use ", "i mostly use ", "i always use ", "i normally use "];
const ENGLISH_LIMITS: [&str; 4] =
    [" does not support ", " doesn't support ", " is not compatible with ", " isn't compatible with "];

/// Words with which a clause says the contrary, or asks somebody to join in.
const OVER: [&str; 6] = ["no longer", "anymore", "any more", "不再", "不用了", "吧"];
/// The first words of what only people support or are asked for.
const PERSONAL: [&str; 11] = ["my", "his", "her", "their", "our", "your", "me", "him", "us", "them", "you"];
const PERSONAL_CHINESE: [char; 4] = ['我', '他', '她', '你'];

/// What a clause says of that.
pub(super) fn topic(clause: &Clause) -> Option<Topic> {
    if OVER.iter().any(|word| clause.text.contains(word)) {
        return None;
    }
    chinese(&clause.text).or_else(|| english(&clause.text.replace('’', "'")))
}

fn chinese(text: &str) -> Option<Topic> {
    let named_behind = |beginnings: &[&str]| {
        let rests = beginnings.iter().filter_map(|beginning| text.strip_prefix(beginning));
        rests.min_by_key(|rest| rest.len()).is_some_and(|rest| is_name(rest.trim_start()) || ends_in_cloud(rest))
    };
    // 我们用 and 我在做 say of all kinds of things that they are used or done.
    let loose = LOOSE.iter().any(|beginning| text.strip_prefix(beginning).is_some_and(|rest| !is_technical(rest)));
    if named_behind(&MADE) && !loose {
        return Some(Topic::Project);
    }
    if named_behind(&HABITS) {
        return Some(Topic::Preference);
    }
    let limited = |limit: &&str| {
        text.split_once(limit).is_some_and(|(name, rest)| {
            let thing = is_name(name) && !name.contains(['了', '坏']) && !is_first_name(name);
            thing && rest.chars().count() >= 2 && !rest.starts_with(PERSONAL_CHINESE)
        })
    };
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
        let rest = beginnings.iter().find_map(|beginning| lower.strip_prefix(beginning))?;
        text.get(text.len() - rest.len()..).filter(|rest| capital(rest))
    };
    let of_people = |rest: &str| {
        let first = rest.split(|c: char| !c.is_alphanumeric()).next();
        first.is_some_and(|word| PERSONAL.contains(&word))
    };
    if let Some(rest) = named_behind(&ENGLISH_MADE) {
        return (is_technical(rest) || SURE.iter().any(|sure| lower.starts_with(sure))).then_some(Topic::Project);
    }
    if let Some(rest) = named_behind(&ENGLISH_HABITS) {
        return (!rest.contains(" to ")).then_some(Topic::Preference);
    }
    let limited = ENGLISH_LIMITS.iter().any(|limit| {
        lower.find(limit).is_some_and(|at| {
            let (name, rest) = (text.get(..at).unwrap_or_default(), lower.get(at + limit.len()..).unwrap_or_default());
            capital(name) && !is_person(name) && !is_first_name(name) && !of_people(rest)
        })
    });
    const WORK: [&str; 8] = ["migration", "build", "deploy", "deployment", "release", "rollout", "upgrade", "backup"];
    let failed = lower.strip_prefix("the last ").and_then(|rest| rest.split_once(" failed because "));
    let failed = failed.is_some_and(|(what, _)| what.split(' ').any(|word| WORK.contains(&word)));
    (limited || failed).then_some(Topic::Lesson)
}

/// Whether a text begins with a name in Latin letters.
fn is_name(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric()) && text.contains(|c: char| c.is_ascii_alphabetic())
}

/// Whether a name looks like that of a program or a format: with a digit, a sign, a capital inside, or several such words.
fn is_technical(rest: &str) -> bool {
    rest.split_whitespace().take(6).any(|word| {
        let word = word.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | '，' | '。'));
        // MySQL and TypeScript, but not IKEA.
        let inner =
            word.chars().skip(1).any(|c| c.is_ascii_uppercase()) && word.contains(|c: char| c.is_ascii_lowercase());
        let latin = word.starts_with(|c: char| c.is_ascii_alphanumeric());
        latin && (word.contains(['+', '#', '.', '_']) || word.contains(|c: char| c.is_ascii_digit()) || inner)
    }) || KNOWN.iter().any(|known| rest.starts_with(known))
}

/// One capital and nothing but small letters behind it, as in a person's name; programs that are written so are known.
fn is_first_name(name: &str) -> bool {
    let name = name.trim();
    let plain = name.chars().skip(1).all(|c| c.is_ascii_lowercase()) && !name.contains(' ');
    plain && name.starts_with(|c: char| c.is_ascii_uppercase()) && !KNOWN.contains(&name)
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
