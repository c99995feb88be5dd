//! What people say outright about their memory.
//!
//! What is to be remembered is one sentence, whole: which half of it is meant for good and which for now is nothing that its words tell for certain. What
//! else may be meant is heard besides, so that whatever is said is either kept or answered.

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

/// How something is asked for, in lower case.
const OPENERS: [&str; 16] = [
    "please ",
    "can you ",
    "could you ",
    "would you ",
    "tell me ",
    "show me ",
    "give me ",
    "help me ",
    "，请",
    "请你",
    "请帮",
    "帮我",
    "给我",
    "告诉我",
    "你能",
    "能不能",
];

/// The wish that a message begins with: "记住：我对花生过敏", "forget that I live in Berlin". A message that only mentions remembering is none.
/// What is to be remembered is its first sentence, what is to be forgotten the first clause.
#[must_use]
pub fn wish(message: &str) -> Option<Wish> {
    heard(message).map(|(wish, _)| wish)
}

/// What is to be answered of a message that begins with a wish: what stands behind it, and the whole message where what is to be remembered seems to
/// ask for something: "remember that I'm vegan, and tell me a joke". `None` where it does not, or is no wish.
#[must_use]
pub fn besides(message: &str) -> Option<&str> {
    heard(message).and_then(|(_, rest)| rest)
}

/// A wish, and what is to be answered besides.
fn heard(message: &str) -> Option<(Wish, Option<&str>)> {
    let text = plain(message.trim());
    let (forgets, said) = said_of(text)?;
    let (own, rest) = if forgets { clause(said) } else { sentence(said) };
    let lower = own.to_ascii_lowercase();
    let asks = lower.ends_with(['?', '？', '吗']);
    let opens = OPENERS.iter().any(|word| lower.contains(word));
    let (first, behind) = clause(own);
    // A question is none: "remember this?", "记住了，明天开会吗？" But "remember that I moved, and what's the weather there?" says something first.
    if asks && (forgets || first.starts_with('了') || !opens && behind.is_empty()) {
        return None;
    }
    // "Remember this, and tell me a joke" means what was said before.
    let what = if (asks || opens) && what(first).is_empty() { String::new() } else { what(own) };
    let rest = if asks || opens { text } else { rest };
    Some((if forgets { Wish::Forget(what) } else { Wish::Remember(what) }, (!rest.is_empty()).then_some(rest)))
}

/// The first sentence of what is said, and what stands behind it. The point of 3.5, of "5 p.m." and of "Dr. Smith" ends none.
fn sentence(said: &str) -> (&str, &str) {
    let begin = said.find(|c: char| !c.is_whitespace() && !":：,，-".contains(c)).unwrap_or_default();
    let end = |(at, c): &(usize, char)| match c {
        '.' => is_end(said.get(..*at).unwrap_or_default(), said.get(at + 1..).unwrap_or_default()),
        c => *at >= begin && "!?。！？\n".contains(*c),
    };
    let Some((at, c)) = said.char_indices().find(end) else { return (said.trim(), "") };
    let behind = at + c.len_utf8();
    let own = said.get(..if matches!(c, '?' | '？') { behind } else { at }).unwrap_or(said);
    (own.trim(), said.get(behind..).map(words).unwrap_or_default())
}

/// A text from its first word on.
fn words(text: &str) -> &str {
    text.find(char::is_alphanumeric).and_then(|at| text.get(at..)).unwrap_or_default()
}

/// Whether a point ends a sentence: not within a word or a number, not before a small letter, and not behind "Dr" or "p.m".
fn is_end(before: &str, behind: &str) -> bool {
    let next = behind.trim_start();
    if next.len() == behind.len() && !behind.is_empty() || next.starts_with(char::is_lowercase) {
        return false;
    }
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let title =
        word.starts_with(char::is_uppercase) && !word.to_ascii_lowercase().contains(['a', 'e', 'i', 'o', 'u', 'y']);
    !word.contains('.') && !title
}

/// The first clause of what is said, and what stands behind it. One English word is none: "Tom, Ana and Leo".
fn clause(said: &str) -> (&str, &str) {
    let said = said.trim_start();
    let (own, rest) = sentence(said);
    let marks = [',', '，', ';', '；'];
    let cut = own.split_once(marks).map(|(before, _)| before.trim_end()).filter(|before| {
        let one = before.is_ascii() && before.contains(char::is_alphanumeric) && !before.contains(' ');
        !one || what(before).is_empty()
    });
    match cut {
        Some(before) => (before, said.get(before.len()..).map(words).unwrap_or_default()),
        None => (own, rest),
    }
}

/// Whether a text begins with the words of a wish to forget or to remember, and what stands behind them.
fn said_of(text: &str) -> Option<(bool, &str)> {
    let lower = text.to_ascii_lowercase();
    let find = |words: &[&str]| {
        words
            .iter()
            .map(|word| word.trim_end())
            .find(|word| lower.starts_with(word) && ends_well(&lower, word))
            .map(str::len)
    };
    let word = find(&REMEMBER)
        .map(|end| (false, end))
        .or_else(|| find(&FORGET).or_else(|| named(text)).map(|end| (true, end)));
    let (forgets, end) = word?;
    let (word, said) = text.split_at_checked(end)?;
    // 记住！我对花生过敏 goes on; "remember this!" is all that is said of it.
    Some((forgets, if word.is_ascii() { said } else { said.trim_start_matches(['!', '！', '。', '\n', ' ']) }))
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

/// Where the word ends with which something named is to be forgotten: 忘记带伞了 tells of something that was forgotten.
fn named(text: &str) -> Option<usize> {
    const NAMED: &str = "忘记";
    let rest = text.strip_prefix(NAMED)?;
    rest.starts_with(['这', '那', '我', '关', ':', '：']).then_some(NAMED.len())
}

/// Whether an English word ends where it was found: "remember thistle" is no wish.
fn ends_well(text: &str, word: &str) -> bool {
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

    /// Messages, what is to be remembered or forgotten of each ("-" where it is no wish), and what is to be answered besides ("*" for all of it).
    fn wrong(rows: &[(&str, &str, &str)]) -> Vec<String> {
        let mut wrong = Vec::new();
        for (message, wanted, rest) in rows {
            let heard = match wish(message) {
                Some(Wish::Remember(text) | Wish::Forget(text)) => text,
                None => "-".to_owned(),
            };
            let asked = besides(message).unwrap_or_default();
            if heard != *wanted || asked != if *rest == "*" { message } else { *rest } {
                wrong.push(format!("{message}: {heard} | {asked}"));
            }
        }
        wrong
    }

    #[test]
    fn a_sentence_is_remembered_whole_and_the_rest_is_answered() {
        let rows = [
            ("remember that I like tea and that I hate coffee", "I like tea and that I hate coffee", ""),
            ("remember that my friends visit me, and then we cook", "my friends visit me, and then we cook", ""),
            ("Remember that I live in Berlin. I moved there in March.", "I live in Berlin", "I moved there in March."),
            ("remember that Dr. Smith is my dentist", "Dr. Smith is my dentist", ""),
            ("remember that we meet at 5 p.m. on Friday.", "we meet at 5 p.m. on Friday", ""),
            ("remember that it costs 3.5 euros", "it costs 3.5 euros", ""),
            ("记住我喜欢喝茶，也喜欢咖啡", "我喜欢喝茶，也喜欢咖啡", ""),
            ("记住：我对花生过敏。帮我推荐一个菜。", "我对花生过敏", "帮我推荐一个菜。"),
            ("记住\n我对花生过敏\n订个餐厅", "我对花生过敏", "订个餐厅"),
            ("remember that I live in Lyon. Is it raining?", "I live in Lyon", "Is it raining?"),
            ("remember this. Tell me a joke.", "", "Tell me a joke."),
            // What may ask for something is kept and answered as a whole.
            ("remember that I like tea, and tell me a joke", "I like tea, and tell me a joke", "*"),
            ("remember that my name is Bo, please call me so", "my name is Bo, please call me so", "*"),
            ("remember that I moved, and is it raining there?", "I moved, and is it raining there?", "*"),
            ("remember that I'm vegan and can you find a place?", "I'm vegan and can you find a place?", "*"),
            ("记住我对花生过敏，帮我订个餐厅", "我对花生过敏，帮我订个餐厅", "*"),
            ("记住我住在上海，今天天气怎么样？", "我住在上海，今天天气怎么样？", "*"),
            ("remember this, and tell me a joke", "", "*"),
            ("记住这个，然后告诉我明天的安排", "", "*"),
            ("记住这个，下周三开会", "下周三开会", ""),
            // Said to be polite.
            ("remember that I like tea, okay?", "I like tea", ""),
            ("记住我对花生过敏，好吗？", "我对花生过敏", ""),
            // Questions.
            ("remember this?", "-", ""),
            ("remember that day in Rome?", "-", ""),
            ("记住了，明天开会吗？", "-", ""),
            ("do you remember that I like tea, and what tea?", "-", ""),
        ];
        assert_eq!(wrong(&rows), [""; 0]);
    }

    #[test]
    fn what_is_to_be_forgotten_ends_with_its_clause() {
        let rows = [
            ("forget that I live in Berlin, I live in Munich now", "I live in Berlin", "I live in Munich now"),
            ("Forget that I drink milk. I'm vegan now.", "I drink milk", "I'm vegan now."),
            ("forget that I like tea, and what is the weather?", "I like tea", "and what is the weather?"),
            ("forget that I ski, I fell. I swim now.", "I ski", "I fell. I swim now."),
            ("forget that Tom, Ana and Leo are coming", "Tom, Ana and Leo are coming", ""),
            ("忘掉我住在柏林，我现在住慕尼黑", "我住在柏林", "我现在住慕尼黑"),
            ("忘记我的旧地址，我的新地址是解放路3号", "我的旧地址", "我的新地址是解放路3号"),
            ("please forget what I just said", "", ""),
            ("forget what I said, I was joking", "", "I was joking"),
            ("Forget my last message.", "", ""),
            ("忘掉上一条消息", "", ""),
            ("请忘掉我刚才说的，我是开玩笑", "", "我是开玩笑"),
            ("请忘记我刚才说的话吧", "", ""),
            ("please forget my address?", "-", ""),
        ];
        assert_eq!(wrong(&rows), [""; 0]);
    }

    proptest::proptest! {
        #[test]
        fn fuzz_any_message_is_survived(message in "(remember that |记住|forget that )?.{0,40}(, and |，然后|. |。)?(tell me|帮我|what)?.{0,20}") {
            let (wish, rest) = (wish(&message), besides(&message));
            proptest::prop_assert!(rest.is_none() || wish.is_some());
            proptest::prop_assert!(rest.is_none_or(|rest| message.contains(rest) && rest.contains(char::is_alphanumeric)), "{rest:?}");
        }
    }
}
