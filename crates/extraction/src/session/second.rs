//! Where in what is to be remembered something else is asked for, which is [for now](super::fetch) and for somebody else to do. Nothing is cut off that may be part of it: "I cook and write", "my friends visit me
//! and tell me jokes", "always answer in German, and please be brief".

use super::fetch;

/// What may stand between two requests, the longer ones first.
const JOINTS: [&str; 27] = [
    ", and then ",
    " and then ",
    ", and also ",
    " and also ",
    ", and ",
    " and ",
    ", then ",
    ", also ",
    "; ",
    ". ",
    "! ",
    ", ",
    "，然后",
    "，再",
    "，顺便",
    "，另外",
    "，并且",
    "，并",
    "，",
    "。",
    "；",
    "！",
    "然后",
    "顺便",
    "并且",
    "并",
    "再",
];
/// Those that end a sentence.
const ENDS: [&str; 6] = ["; ", ". ", "! ", "。", "；", "！"];
/// Those that are letters of other words as well: only what leaves no doubt may follow them.
const LETTERS: [&str; 5] = ["然后", "顺便", "并且", "并", "再"];

/// How a request to somebody begins that is no part of a sentence about oneself.
const CLEAR: [&str; 17] = [
    "please ",
    "can you ",
    "could you ",
    "would you ",
    "will you ",
    "请你",
    "请帮",
    "请给",
    "请告",
    "请推",
    "请查",
    "麻烦你",
    "麻烦帮",
    "能不能",
    "能否",
    "你能",
    "你可以",
];
/// How a request begins that could be what somebody else does: "they ... tell me".
const FOR_ME: [&str; 20] = [
    "tell me ",
    "show me ",
    "give me ",
    "send me ",
    "find me ",
    "help me ",
    "remind me ",
    "make me ",
    "get me ",
    "book me ",
    "write me ",
    "read me ",
    "let me know ",
    "帮我",
    "给我",
    "告诉我",
    "替我",
    "提醒我",
    "顺便帮我",
    "顺便告诉我",
];
/// What is asked for at the beginning of a sentence, or behind a comma where it cannot be what the one spoken of does.
const VERBS: [&str; 10] = [
    "translate ",
    "summarize ",
    "summarise ",
    "explain ",
    "suggest ",
    "recommend ",
    "calculate ",
    "draft ",
    "推荐",
    "查一下",
];
/// The same for verbs that may be names of things, as in "order 5512 is late".
const NOUNS: [&str; 14] = [
    "book ",
    "find ",
    "search ",
    "look ",
    "write ",
    "schedule ",
    "play ",
    "list ",
    "compare ",
    "order ",
    "create ",
    "set ",
    "send ",
    "check ",
];
/// What tells of a habit or a rule, which is to be remembered as a whole.
pub(super) const HABITS: [&str; 7] = [" every ", " daily", " always ", " each ", " whenever ", "每", "以后"];
/// How questions begin.
const QUESTIONS: [&str; 19] = [
    "what", "how ", "when ", "where ", "who", "which ", "why ", "is ", "are ", "do ", "does ", "did ", "can ",
    "should ", "was ", "were ", "will ", "could ", "would ",
];
/// Those that begin one only before whom or what is asked of.
const ASKING_VERBS: [&str; 12] =
    ["is", "are", "do", "does", "did", "can", "should", "was", "were", "will", "could", "would"];
const ASKED_OF: [&str; 20] = [
    "it", "there", "the", "this", "that", "these", "those", "my", "your", "our", "i", "you", "we", "he", "she", "they",
    "a", "an", "any", "some",
];
/// What questions hold in Chinese.
const ASKING: [&str; 10] = ["吗", "呢", "什么", "怎么", "哪", "谁", "几", "多少", "为何", "是不是"];
/// How rules for the future begin: what follows is part of them.
const RULES: [&str; 22] = [
    "always ",
    "never ",
    "to ",
    "don't ",
    "do not ",
    "when ",
    "whenever ",
    "if ",
    "before ",
    "after ",
    "each ",
    "every ",
    "next time",
    "from now",
    "每次",
    "每当",
    "以后",
    "如果",
    "当",
    "不要",
    "别",
    "下次",
];
/// Whom Chinese sentences speak of that begin with "my".
const OTHERS: [&str; 28] = [
    "妈",
    "爸",
    "姐",
    "妹",
    "哥",
    "弟",
    "老婆",
    "老公",
    "妻",
    "丈夫",
    "女朋友",
    "男朋友",
    "女友",
    "男友",
    "朋友",
    "同事",
    "老板",
    "孩子",
    "儿子",
    "女儿",
    "室友",
    "邻居",
    "老师",
    "奶奶",
    "爷爷",
    "家人",
    "上司",
    "父",
];

/// The longest text, in bytes, of which anything is cut off: more is a document.
const MAX_BYTES: usize = 4096;

/// Where what is to be remembered ends, and where the request behind it begins. `this` says that nothing may stand before that: what is meant was
/// said before.
pub(super) fn request(said: &str, this: bool) -> Option<(usize, usize)> {
    if said.len() > MAX_BYTES {
        return None;
    }
    // Lower case of ASCII letters moves no bytes.
    let lower = said.to_ascii_lowercase();
    let begin = if this { 0 } else { lower.len() - lower.trim_start_matches([':', '：', ' ', ',', '，']).len() };
    let kept = lower.get(begin..)?;
    if RULES.iter().chain(&VERBS).chain(&NOUNS).any(|word| kept.starts_with(word)) {
        return None;
    }
    for (at, _) in lower.char_indices().filter(|(at, _)| *at >= begin) {
        let here = lower.get(at..)?;
        let Some(joint) = JOINTS.iter().find(|joint| here.starts_with(**joint)) else { continue };
        let before = match lower.get(begin..at)?.trim_end() {
            "" if this => "this",
            before => before,
        };
        let rest = here.get(joint.len()..)?;
        let spaces = rest.len() - rest.trim_start().len();
        if !before.is_empty() && asks(before, joint, rest.trim_start()) {
            return Some((at, at + joint.len() + spaces));
        }
    }
    None
}

/// Whether what stands behind a joint asks for something.
fn asks(before: &str, joint: &str, rest: &str) -> bool {
    // 记住了 is none that anything is asked behind.
    if before.starts_with('了') {
        return false;
    }
    let begins = |words: &[&str]| words.iter().any(|word| rest.starts_with(word));
    // The part of the sentence that the joint would go on with.
    let clause = before.rsplit([',', '.', ';', '，', '。', '；']).next().unwrap_or(before);
    let clause = clause.rsplit(" and ").next().unwrap_or(clause).trim();
    let (ends, comma) = (ENDS.contains(&joint), joint.starts_with([',', '，']));
    // "She asked me, can you swim": what was said.
    let quoted =
        ["asked", "asks", "said", "says", "told", "wonder", "问", "说"].iter().any(|word| clause.contains(word));
    if begins(&CLEAR) {
        return !quoted && fetch::is_for_now(rest) && !speaks_of_the_same(before, rest);
    }
    if quoted {
        return false;
    }
    if is_question(rest) && (ends || comma) {
        return !QUESTIONS.iter().any(|word| before.starts_with(word)) && !fetch::is_rule(rest);
    }
    if HABITS.iter().any(|word| rest.contains(word)) || !fetch::is_for_now(rest) {
        return false;
    }
    if begins(&FOR_ME) {
        let noun = ["帮我的", "给我的", "告诉我的"].iter().any(|word| rest.starts_with(word));
        return !noun && (ends || speaks_of_me(clause) && !rest.contains('了'));
    }
    let verb = begins(&VERBS) || begins(&NOUNS);
    let joined = comma && joint != ", " && !LETTERS.contains(&joint);
    verb && (ends || joined && speaks_of_one_other(clause))
}

/// Whether the last clause of a wish asks in the form of a question for what is a part of it: "..., 你能记住她的生日吗？".
pub(super) fn ends_in_a_rule(said: &str) -> bool {
    let lower = said.trim_end_matches(['?', '？', '。', '.', ' ']).to_ascii_lowercase();
    let Some((_, last)) = lower.rsplit_once(['，', ',', '。', '.', '；', ';', '!', '！']) else { return false };
    let last = last.trim_start();
    CLEAR.iter().any(|word| last.starts_with(word)) || fetch::is_rule(last)
}

/// Whether a request behind something that happens again and again speaks of it: "the plumber comes every Tuesday, please let him in".
fn speaks_of_the_same(before: &str, rest: &str) -> bool {
    let pointing = |word: &str| ["him", "her", "it", "them"].contains(&word);
    HABITS.iter().any(|word| before.contains(word))
        && (rest.split(|c: char| !c.is_ascii_alphanumeric()).any(pointing) || rest.contains(['他', '她', '它']))
}

/// Whether a sentence is a question to somebody.
fn is_question(rest: &str) -> bool {
    let Some(bare) = rest.trim_end().strip_suffix(['?', '？']) else { return false };
    let mut words = bare.split(' ');
    // "Is 5 years old" goes on with the sentence before it.
    let verb_first = words.next().is_some_and(|verb| ASKING_VERBS.contains(&verb));
    let asked =
        !verb_first || words.next().is_some_and(|who| ASKED_OF.contains(&who.split('\'').next().unwrap_or(who)));
    QUESTIONS.iter().any(|word| bare.starts_with(word)) && asked || ASKING.iter().any(|word| bare.contains(word))
}

/// Whether the one who speaks is spoken of, or a thing: neither tells the one who speaks something.
fn speaks_of_me(clause: &str) -> bool {
    if let Some(rest) = clause.strip_prefix('我') {
        let rest = rest.strip_prefix('的').unwrap_or(rest);
        return !OTHERS.iter().any(|word| rest.starts_with(word));
    }
    let word = clause.split(' ').next().unwrap_or_default();
    let pointing = ["this", "that", "it", "这个", "这件事", "那个"].contains(&clause);
    pointing || matches!(word, "i" | "i'm" | "i've" | "i'd" | "i'll") || clause.contains(" is ")
}

/// Whether somebody or something else is spoken of, of whom a bare verb would say "books", not "book".
fn speaks_of_one_other(clause: &str) -> bool {
    let mut words = clause.split(' ');
    let first = words.next().unwrap_or_default();
    let mine = matches!(first, "i" | "i'm" | "i've" | "i'd" | "i'll" | "we" | "they" | "you" | "to");
    !mine
        && words
            .any(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") || word == "is" || word == "has")
}
