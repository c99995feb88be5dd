//! How a wish begins: `[to be polite] verb [that, a mark] what is told`.

use super::{before, sentence, starts_with, unasked};
use crate::words::names;

/// Said before a wish to be polite.
const POLITE: [&str; 8] = ["please", "ok", "okay", "hey", "also", "and", "i want you to", "i'd like you to"];
/// The same as a question, which is answered by doing it.
const ASKING: [&str; 4] = ["can you", "could you", "will you", "would you"];
const POLITE_HAN: [&str; 14] =
    ["请问", "请", "麻烦", "拜托", "你", "您", "帮我", "帮忙", "给我", "替我", "千万", "一定", "要", "那"];

/// The same as a question: 你能记住我住在上海吗. The first of them ask by themselves.
const WHETHER_HAN: [&str; 4] = ["能不能", "可不可以", "能否", "可否"];
const ASKING_HAN: [&str; 2] = ["可以", "能"];
/// Whoever asks for help wants it done, and not to know whether it could be.
const HELP_HAN: [&str; 4] = ["帮我", "帮忙", "给我", "替我"];

const REMEMBER: [&str; 9] = [
    "remember", "don't forget", "do not forget", "never forget", "keep in mind", "bear in mind", "make a note",
    "take a note", "note",
];
const REMEMBER_HAN: [&str; 9] =
    ["记住", "记一下", "记下来", "记下", "记着", "别忘了", "别忘记", "不要忘了", "不要忘记"];
const FORGET: [&str; 1] = ["forget"];
const FORGET_HAN: [&str; 4] = ["忘掉", "不要再记得", "别再记得", "别再记着"];

/// What joins a verb to what is told.
const JOINTS: [&str; 3] = ["that", "about", "of"];
const MARKS: [char; 14] = [':', '：', ',', '，', '-', '–', '—', '!', '！', '。', '.', '、', '\n', ' '];
/// Who tells of himself, or of somebody else: a sentence begins, and not the name of something as in "remember the milk".
const TELLERS: [&str; 11] = ["i", "im", "ive", "my", "we", "our", "he", "she", "they", "his", "their"];
/// What sounds behind a Chinese verb and says nothing.
const SOUNDS: [char; 10] = ['哦', '噢', '喔', '啊', '呀', '哈', '呢', '吧', '啦', '了'];

/// A wish, and what is told behind its verb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening<'a> {
    pub(super) forgets: bool,
    /// Whether it is put as a question: "Can you remember that …?"
    pub(super) asks: bool,
    /// What is told; nothing where the verb stands alone.
    pub(super) told: &'a str,
}

/// How a message begins as a wish; `None` where it begins with something else.
pub(super) fn opening(text: &str) -> Option<Opening<'_>> {
    english(text).or_else(|| chinese(text))
}

fn english(text: &str) -> Option<Opening<'_>> {
    let (mut rest, mut polite, mut asks) = (text, false, false);
    loop {
        let asked = behind_one(rest, &ASKING);
        asks |= asked.is_some();
        let Some(behind) = asked.or_else(|| behind_one(rest, &POLITE)) else { break };
        polite |= starts_with(rest, "please");
        rest = behind.trim_start_matches(MARKS);
    }
    let remembers = behind_one(rest, &REMEMBER);
    let forgets = remembers.is_none();
    let behind = remembers.or_else(|| behind_one(rest, &FORGET))?;
    let plain = behind.trim_start();
    let marked = plain.trim_start_matches(MARKS);
    // What is to be done is a plan: "remember to buy milk". A note to somebody is none.
    let plan = behind_one(marked, &["to"])
        .filter(|told| remembers.is_some() && !starts_with(rest, "note") && told.contains(char::is_alphanumeric));
    // "Forget that" and "remember this" name what was said before.
    let told = plan.or_else(|| behind_one(marked, &JOINTS)).map_or(marked, |told| told.trim_start_matches(MARKS));
    let joined = told.len() < plain.len();
    let teller = told.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_ascii_lowercase();
    let tells = TELLERS.contains(&teller.as_str()) && told.trim_end().contains([' ', '\'', '’']);
    let named = match before(told) {
        Some(_) => true,
        None => !told.contains(char::is_alphanumeric) && (joined || rest.len() == text.len()),
    };
    let fits = if asks {
        named || tells && (joined || forgets || states(&teller, told))
    } else {
        named || polite || joined || tells || forgets && starts_with(told, "what i")
    };
    // "Forget it" and "forget about it" say never mind.
    let never_mind = forgets && before(told).is_some() && starts_with(told, "it");
    ((fits || plan.is_some()) && !never_mind).then_some(Opening { forgets, asks, told })
}

/// Whether what "Can you remember" is followed by says something: "my name" asks, and "my name is Bo" does not.
fn states(teller: &str, told: &str) -> bool {
    let (own, _) = sentence(told);
    let own = own.to_ascii_lowercase();
    ["i", "im", "we", "he", "she", "they"].contains(&teller)
        || names(&own, "is|are|was|were|has|have|had|will|can") && !names(&own, "what|who|where|when|why|how|which")
}

fn chinese(text: &str) -> Option<Opening<'_>> {
    let (mut rest, mut asks, mut helps) = (text, false, false);
    let whether = super::asks(sentence(text).0);
    loop {
        let find = |list: &[&str]| list.iter().find_map(|word| rest.strip_prefix(word));
        let asked = find(&WHETHER_HAN).or_else(|| find(&ASKING_HAN).filter(|_| whether));
        let Some(behind) = asked.or_else(|| find(&POLITE_HAN)) else { break };
        asks |= asked.is_some();
        helps |= find(&HELP_HAN).is_some();
        rest = behind.trim_start_matches(MARKS);
    }
    let find = |list: &[&str]| list.iter().find_map(|word| rest.strip_prefix(word));
    let remembers = find(&REMEMBER_HAN).or_else(|| {
        // 记得 alone reports, and 你记得 asks.
        let told = rest.strip_prefix("记得").filter(|_| !names_you(text))?;
        told.trim_start_matches(MARKS).starts_with('我').then_some(told)
    });
    let forgets = remembers.is_none();
    if asks && forgets {
        return None;
    }
    let behind = remembers.or_else(|| find(&FORGET_HAN)).or_else(|| {
        // 忘记带伞了 tells of something that was forgotten, and so does 忘了我要说什么.
        let named = rest.strip_prefix("忘记").filter(|told| told.starts_with(['这', '那', '我', '关', ':', '：']));
        let asked = || {
            rest.strip_prefix("忘了").filter(|told| !names_you(text) && told.trim_end_matches(MARKS).ends_with('吧'))
        };
        named.or_else(asked)
    })?;
    let sounds = behind.trim_start_matches(SOUNDS);
    let told = if sounds.is_empty() || sounds.starts_with(MARKS) { sounds } else { behind };
    if asks {
        let told = told.trim_start_matches(MARKS);
        return states_han(told, helps).then_some(Opening { forgets, asks, told });
    }
    // 记住了 says that it was done, and 别忘了我 is no fact.
    let fits = match told.chars().filter(|c| c.is_alphanumeric()).count() {
        0 => !behind.starts_with(['了', '呢']),
        1 => before(told.trim_start_matches(MARKS)).is_some(),
        _ => true,
    };
    fits.then_some(Opening { forgets, asks: false, told: told.trim_start_matches(MARKS) })
}

/// Whether what 你能记住 is followed by says something, or stands for what was said: 我的生日 asks, and 我的生日是5月3日 does not.
fn states_han(told: &str, helps: bool) -> bool {
    const ASKS: [&str; 9] = ["什么", "谁", "哪", "几", "多少", "怎么", "为何", "何时", "多大"];
    const VERBS: [&str; 26] = [
        "是", "叫", "姓", "属", "住", "在", "有", "爱", "喜欢", "讨厌", "不", "没", "会", "要", "想", "做", "吃", "喝",
        "来自", "去", "养", "用", "买", "搬", "换", "过敏",
    ];
    let own = unasked(sentence(told).0);
    if before(own).is_some() {
        return true;
    }
    if own.is_empty() || ASKS.iter().any(|word| own.contains(word)) {
        return false;
    }
    if !own.starts_with(['我', '他', '她', '咱']) {
        return helps;
    }
    // What stands behind the last 的 says whether it is a sentence or the name of something: 我喜欢的颜色.
    let end = own.rsplit('的').next().unwrap_or_default();
    own.contains([':', '：']) || VERBS.iter().any(|verb| end.contains(verb))
}

/// What is to be forgotten of 把我的旧地址忘了吧, and what stands behind it.
pub(super) fn taken(text: &str) -> Option<(&str, &str)> {
    let start = POLITE_HAN.iter().fold(text, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
    let said = start.strip_prefix('把')?;
    let (clause, rest) = said.split_at(said.find([',', '，', '。', '！', '!', '；', '\n']).unwrap_or(said.len()));
    let asked = clause.strip_suffix('吧').filter(|_| !names_you(text));
    let verbs = if asked.is_some() { &["忘掉", "忘记", "忘了"][..] } else { &["忘掉"] };
    let own = verbs.iter().find_map(|verb| asked.unwrap_or(clause).strip_suffix(verb))?;
    (!own.is_empty()).then_some((own, rest))
}

/// Whether a text says of the one who is talked to what he does: 你把我的生日忘了吧.
fn names_you(text: &str) -> bool {
    text.starts_with(['你', '您'])
}

/// What stands behind the first of some words that a text begins with.
fn behind_one<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    words.iter().find(|word| starts_with(text, word)).and_then(|word| {
        let end = text.char_indices().nth(word.chars().count()).map_or(text.len(), |(at, _)| at);
        text.get(end..)
    })
}
