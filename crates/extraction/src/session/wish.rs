//! What people say outright about their memory.

use super::second;

/// What a person says outright about their memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// This is to be remembered; empty means what was said before.
    Remember(String),
    /// This is to be forgotten; empty means what was said before.
    Forget(String),
}

const REMEMBER: [&str; 13] = [
    "请记住",
    "帮我记住",
    "帮我记一下",
    "你要记住",
    "记住",
    "记一下",
    "别忘了",
    "please remember that ",
    "please remember ",
    "remember that ",
    "remember this",
    "remember:",
    "don't forget that ",
];
const FORGET: [&str; 14] = [
    "forget what i just said",
    "forget what i said",
    "forget what i told you",
    "forget my last message",
    "请忘记",
    "请忘掉",
    "忘掉",
    "不要再记得",
    "别再记着",
    "please forget that ",
    "please forget ",
    "forget that ",
    "forget about ",
    "forget this",
];
/// Words that stand for what was said before.
const BEFORE: [&str; 36] = [
    "这个",
    "这件事",
    "这一点",
    "那个",
    "那件事",
    "这些",
    "我刚才说的话",
    "我刚才说的",
    "我刚刚说的话",
    "我刚刚说的",
    "我刚说的话",
    "我刚说的",
    "我说的话",
    "我说的",
    "刚才说的话",
    "刚才说的",
    "刚才的话",
    "刚才那句话",
    "刚才那句",
    "上一条消息",
    "上一条",
    "上一句话",
    "上一句",
    "what i just said",
    "what i said",
    "what i just told you",
    "what i told you",
    "what i just wrote",
    "my last message",
    "my last sentence",
    "the last message",
    "this",
    "that",
    "it",
    "吧",
    "了",
];

/// What is said behind a wish to be polite.
const POLITE: [&str; 15] = [
    "will you",
    "would you",
    "okay",
    "ok",
    "all right",
    "alright",
    "please",
    "thanks",
    "thank you",
    "好吗",
    "好不好",
    "行吗",
    "可以吗",
    "谢谢",
    "谢谢你",
];

/// The wish that a message begins with: "记住：我对花生过敏", "forget that I live in Berlin". A message that only mentions remembering is none.
/// What it asks [besides](besides) is no part of the wish.
#[must_use]
pub fn wish(message: &str) -> Option<Wish> {
    let text = plain(message.trim());
    of(second(text).map_or(text, |(first, _)| first))
}

/// What a message that begins with a wish asks besides: "what's for dinner?" of "remember that I'm vegan, and what's for dinner?". `None`
/// where it asks nothing else, or is no wish.
#[must_use]
pub fn besides(message: &str) -> Option<&str> {
    second(plain(message.trim())).map(|(_, rest)| rest)
}

/// A wish with its words, and the request behind it, where there is one.
fn second(text: &str) -> Option<(&str, &str)> {
    let (word, said) = said_of(text)?;
    // What is meant was said before: nothing need stand before what comes next.
    let this = ["this", "said", "told you", "message"].iter().any(|end| word.ends_with(end));
    let forgets = word == NAMED || FORGET.iter().any(|forget| forget.trim_end() == word);
    let own = forgets.then(|| statement(said, this)).flatten();
    let (end, begin) = own.or_else(|| second::request(said, this))?;
    let at = text.len() - said.len();
    let (first, rest) = (text.get(..at + end)?, text.get(at + begin..)?);
    // "Remember this?" is a question, whatever comes behind it.
    of(first).map(|_| (first, rest))
}

/// Where in what is to be forgotten the one who speaks goes on to say something of himself: "that I live in Berlin, I live in Munich now".
fn statement(said: &str, this: bool) -> Option<(usize, usize)> {
    let marks = said.char_indices().filter(|(_, c)| matches!(c, ',' | '，' | '.' | '。' | ';' | '；'));
    let begun = |at: usize| this || said.get(..at).is_some_and(|text| text.chars().any(char::is_alphanumeric));
    marks.filter(|(at, _)| begun(*at)).find_map(|(at, mark)| {
        let rest = said.get(at + mark.len_utf8()..)?.trim_start();
        is_of_oneself(&rest.to_ascii_lowercase().replace('’', "'")).then(|| (at, said.len() - rest.len()))
    })
}

/// Whether a sentence tells something of the one who speaks, and is not one more thing that he has: "I live in Munich now", "my old number".
fn is_of_oneself(rest: &str) -> bool {
    const JOINTS: [&str; 10] = ["and ", "but ", "because ", "now ", "actually ", "但是", "但", "因为", "现在", "其实"];
    const VERBS: [&str; 6] = [" is ", " are ", "'s ", " has ", " was ", " lives "];
    const CHINESE: [&str; 6] = ["是", "在", "住", "叫", "有", "搬"];
    let rest = JOINTS.iter().find_map(|joint| rest.strip_prefix(joint)).unwrap_or(rest);
    if let Some(mine) = rest.strip_prefix("我的") {
        return CHINESE.iter().any(|verb| mine.contains(verb));
    }
    let speaks =
        ["i ", "i'm ", "i've ", "i'd ", "i'll ", "we ", "we've ", "我"].iter().any(|word| rest.starts_with(word));
    speaks || rest.starts_with("my ") && VERBS.iter().any(|verb| rest.contains(verb))
}

/// The words of a wish that a text begins with, and what stands behind them.
fn said_of(text: &str) -> Option<(&'static str, &str)> {
    let lower = text.to_ascii_lowercase();
    let words = REMEMBER.iter().chain(&FORGET);
    let word = words.map(|word| word.trim_end()).find(|word| lower.starts_with(word) && ends_well(&lower, word));
    let word = word.or_else(|| named(text).map(|_| NAMED))?;
    Some((word, text.get(word.len()..)?))
}

/// A text without what is said at its end to be polite.
fn plain(text: &str) -> &str {
    let end = text.trim_end_matches(['?', '？', '!', '！', '。', '.', ' ', '～', '~']);
    let lower = end.to_ascii_lowercase();
    let polite = POLITE.iter().find_map(|word| {
        let before = lower.strip_suffix(word)?.trim_end();
        before.ends_with([',', '，', '。', '.', '!', '！']).then_some(before.len())
    });
    match polite.and_then(|at| text.get(..at)) {
        Some(before) => before.trim_end_matches([',', '，', ' ']),
        None => text,
    }
}

fn of(text: &str) -> Option<Wish> {
    let lower = text.to_ascii_lowercase();
    let find = |words: &[&str]| {
        let word = words.iter().find(|word| lower.starts_with(word.trim_end()) && ends_well(&lower, word))?;
        text.get(word.trim_end().len()..).map(what)
    };
    // A question is none: "记住了吗？"
    let asks = lower.ends_with(['?', '？']) || lower.ends_with("吗") || lower.ends_with("吗。");
    let told = || find(&REMEMBER).is_some() && !lower.starts_with("记住了") && second::ends_in_a_rule(&lower);
    if asks && !told() {
        return None;
    }
    find(&REMEMBER).map(Wish::Remember).or_else(|| find(&FORGET).or_else(|| named(text).map(what)).map(Wish::Forget))
}

const NAMED: &str = "忘记";

/// What is named to be forgotten: 忘记带伞了 tells of something that was forgotten.
fn named(text: &str) -> Option<&str> {
    text.strip_prefix(NAMED).filter(|rest| rest.starts_with(['这', '那', '我', '关', ':', '：']))
}

/// Whether an English word ends where it was found: "remember thistle" is no wish.
fn ends_well(text: &str, word: &str) -> bool {
    let word = word.trim_end();
    !word.is_ascii() || text.get(word.len()..).is_none_or(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

fn what(rest: &str) -> String {
    let mut text = rest.trim_start_matches([':', '：', ',', '，', ' ', '-']).trim();
    for word in BEFORE {
        let begins = text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word));
        let after = text
            .get(word.len()..)
            .filter(|_| begins)
            .map(|after| after.trim_start_matches([':', '：', ',', '，', ' ']));
        match after {
            Some(after) if after.trim_matches(['。', '.', '!', '！', ' ', '吧', '了']).is_empty() => {
                return String::new();
            }
            // What follows a mark is what is meant: "记住这个：…".
            Some(after) if text.get(word.len()..).is_some_and(|t| t.starts_with([':', '：', ',', '，'])) => {
                text = after
            }
            _ => {}
        }
    }
    if text.chars().any(char::is_alphanumeric) {
        text.trim_end_matches(['。', '!', '！']).to_owned()
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_heard_when_they_are_meant() {
        let remember = |text: &str| Some(Wish::Remember(text.to_owned()));
        let forget = |text: &str| Some(Wish::Forget(text.to_owned()));
        for (message, wanted) in [
            ("记住：我对花生过敏", remember("我对花生过敏")),
            ("请记住我住在上海。", remember("我住在上海")),
            ("记住这个", remember("")),
            ("记住这个：下周三开会", remember("下周三开会")),
            ("Remember that I'm vegetarian", remember("I'm vegetarian")),
            ("remember this!", remember("")),
            ("忘掉那个", forget("")),
            ("忘记我的旧地址", forget("我的旧地址")),
            ("Forget that I live in Berlin", forget("I live in Berlin")),
            ("你还记住了吗？", None),
            ("记住了吗", None),
            ("I remember that day", None),
            ("remember thistles", None),
            ("我忘记带伞了", None),
            ("忘记带伞了", None),
        ] {
            assert_eq!(wish(message), wanted, "{message}");
        }
    }

    /// A message, what is to be remembered of it, and what it asks besides; "-" for a message that is no wish.
    const SECOND: [(&str, &str, &str); 77] = [
        // One wish, however long.
        ("remember that I like tea and that I hate coffee", "I like tea and that I hate coffee", ""),
        ("Remember that I like tea and hate coffee", "I like tea and hate coffee", ""),
        ("remember that I cook and write", "I cook and write", ""),
        ("remember that I like to travel, and book hotels late", "I like to travel, and book hotels late", ""),
        ("remember that my friends visit me and tell me jokes", "my friends visit me and tell me jokes", ""),
        ("remember that my wife calls me and I call her", "my wife calls me and I call her", ""),
        ("remember that I say please and thank you", "I say please and thank you", ""),
        ("Remember that I live in Berlin. I moved there in March.", "I live in Berlin. I moved there in March.", ""),
        ("please remember to buy milk and call mom", "to buy milk and call mom", ""),
        ("remember: always answer in German, and please be brief", "always answer in German, and please be brief", ""),
        ("remember that when I ask for food, suggest vegan dishes", "when I ask for food, suggest vegan dishes", ""),
        ("remember that if I am late, please call my wife", "if I am late, please call my wife", ""),
        ("remember that Dr. Smith is my dentist", "Dr. Smith is my dentist", ""),
        ("remember that my boss can tell me and my team what to do", "my boss can tell me and my team what to do", ""),
        ("remember that he asked me, can you swim", "he asked me, can you swim", ""),
        ("remember that my daughter likes to show me drawings", "my daughter likes to show me drawings", ""),
        ("记住我喜欢喝茶，也喜欢咖啡", "我喜欢喝茶，也喜欢咖啡", ""),
        ("记住我妈妈住在上海，她每周给我打电话", "我妈妈住在上海，她每周给我打电话", ""),
        ("记住我妈妈每天做饭，然后给我讲故事", "我妈妈每天做饭，然后给我讲故事", ""),
        ("记住他每天帮我做饭，给我讲故事", "他每天帮我做饭，给我讲故事", ""),
        ("记住老板让我加班，给我发了红包", "老板让我加班，给我发了红包", ""),
        ("记住：每次先查日历，再告诉我", "每次先查日历，再告诉我", ""),
        ("记住以后回答要简短，请用中文", "以后回答要简短，请用中文", ""),
        ("记住我不喜欢别人请我喝酒，请我我也不去", "我不喜欢别人请我喝酒，请我我也不去", ""),
        ("记住我下周三要请假，然后去北京", "我下周三要请假，然后去北京", ""),
        ("记住我住在柏林。我三月搬来的", "我住在柏林。我三月搬来的", ""),
        ("别忘了我要请客，帮我的人都来", "我要请客，帮我的人都来", ""),
        ("remember that my name is Lin, set in my passport as Lín", "my name is Lin, set in my passport as Lín", ""),
        ("remember that my package is late. Order 5512 was paid", "my package is late. Order 5512 was paid", ""),
        ("remember that my mother reads. Book club is on Monday", "my mother reads. Book club is on Monday", ""),
        ("remember that I take pills. Check my pressure every day", "I take pills. Check my pressure every day", ""),
        ("remember that I like jokes and tell me one every morning", "I like jokes and tell me one every morning", ""),
        ("记住我喜欢笑话，每天早上给我讲一个", "我喜欢笑话，每天早上给我讲一个", ""),
        // A wish and something else.
        ("remember that I like tea, and tell me a joke", "I like tea", "tell me a joke"),
        ("Remember that I like tea and tell me a joke.", "I like tea", "tell me a joke."),
        ("remember that I'm vegan and please suggest a dinner", "I'm vegan", "please suggest a dinner"),
        ("remember that I'm vegan, please suggest a dinner", "I'm vegan", "please suggest a dinner"),
        ("Remember that I'm vegan, and can you suggest a recipe?", "I'm vegan", "can you suggest a recipe?"),
        ("remember that I'm vegan and could you find a place?", "I'm vegan", "could you find a place?"),
        (
            "Remember that I moved to Berlin, and what's the weather there?",
            "I moved to Berlin",
            "what's the weather there?",
        ),
        (
            "remember that I moved to Berlin. What is the weather there?",
            "I moved to Berlin",
            "What is the weather there?",
        ),
        ("remember that I like tea. Book a table for two.", "I like tea", "Book a table for two."),
        ("remember that I like tea; show me the menu", "I like tea", "show me the menu"),
        ("remember that I like tea, then give me a summary", "I like tea", "give me a summary"),
        ("remember that I like tea and then remind me at five", "I like tea", "remind me at five"),
        ("remember that my sister likes tea, and book a table for her", "my sister likes tea", "book a table for her"),
        ("remember that my name is Lin and help me with a letter", "my name is Lin", "help me with a letter"),
        ("remember that my cat's name is Tom and also send me the list", "my cat's name is Tom", "send me the list"),
        (
            "remember that I like tea and I hate milk, and please order some",
            "I like tea and I hate milk",
            "please order some",
        ),
        ("don't forget that I fly on Monday and let me know the gate", "I fly on Monday", "let me know the gate"),
        ("remember this, and tell me a joke", "", "tell me a joke"),
        ("记住我对花生过敏，然后帮我订个餐厅", "我对花生过敏", "帮我订个餐厅"),
        ("记住我对花生过敏，帮我订个餐厅", "我对花生过敏", "帮我订个餐厅"),
        ("记住：我对花生过敏。帮我推荐一个菜。", "我对花生过敏", "帮我推荐一个菜。"),
        ("记住我住在上海，今天天气怎么样？", "我住在上海", "今天天气怎么样？"),
        ("记住我住在上海，你能查一下天气吗？", "我住在上海", "你能查一下天气吗？"),
        ("请记住我叫小林，请给我写一封信", "我叫小林", "请给我写一封信"),
        ("记住我妈妈喜欢花，请你推荐一束", "我妈妈喜欢花", "请你推荐一束"),
        ("记住我喜欢茶并帮我订一杯", "我喜欢茶", "帮我订一杯"),
        ("记住我下周三开会，顺便提醒我带电脑", "我下周三开会", "提醒我带电脑"),
        ("记住我女朋友生日是五月三号，麻烦帮我订个蛋糕", "我女朋友生日是五月三号", "麻烦帮我订个蛋糕"),
        ("记住这个，然后告诉我明天的安排", "", "告诉我明天的安排"),
        ("Remember that my sister is here, and check the weather", "my sister is here", "check the weather"),
        // A rule for good is remembered with what it follows from.
        (
            "remember that I'm allergic to nuts, please never suggest recipes with them",
            "I'm allergic to nuts, please never suggest recipes with them",
            "",
        ),
        (
            "remember that I'm vegan, please always suggest vegan dishes",
            "I'm vegan, please always suggest vegan dishes",
            "",
        ),
        (
            "remember that the plumber comes every Tuesday, please let him in",
            "the plumber comes every Tuesday, please let him in",
            "",
        ),
        ("remember that I'm deaf, please don't call me", "I'm deaf, please don't call me", ""),
        ("记住我对花生过敏，请你以后不要推荐花生酱", "我对花生过敏，请你以后不要推荐花生酱", ""),
        ("记住孩子六点睡觉，请帮我以后每天提醒", "孩子六点睡觉，请帮我以后每天提醒", ""),
        ("记住我住在上海，你能告诉我要不要带伞吗？", "我住在上海", "你能告诉我要不要带伞吗？"),
        (
            "remember that I swim every Tuesday, please book a table for two",
            "I swim every Tuesday",
            "please book a table for two",
        ),
        // Said to be polite.
        ("remember that I like tea, please", "I like tea", ""),
        ("remember that I like tea, okay?", "I like tea", ""),
        ("记住我对花生过敏，好吗？", "我对花生过敏", ""),
        // Questions.
        ("remember what I said and where I live?", "-", ""),
        ("记住了，明天开会吗？", "-", ""),
        ("do you remember that I like tea, and what tea?", "-", ""),
    ];

    #[test]
    fn what_is_asked_besides_is_no_part_of_a_wish() {
        let mut wrong = Vec::new();
        for (message, wanted, rest) in SECOND {
            let heard = match wish(message) {
                Some(Wish::Remember(text)) => text,
                _ => "-".to_owned(),
            };
            let asked = besides(message).unwrap_or_default();
            if (heard.as_str(), asked) != (wanted, rest) {
                wrong.push(format!("{message}: {heard} | {asked}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(
            wish("forget that I live in Berlin and tell me a joke"),
            Some(Wish::Forget("I live in Berlin".to_owned()))
        );
        assert_eq!(wish("忘掉我的旧地址，然后告诉我天气"), Some(Wish::Forget("我的旧地址".to_owned())));
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_message_is_survived(message in "(remember that |记住|forget that )?.{0,40}(, and |，然后|. |。)?(tell me|帮我|what)?.{0,20}") {
            let _ = (wish(&message), besides(&message));
        }
    }
}
