use super::cursor::Cursor;
use super::tokens::split;
use super::{Grain, Meant, Phrase, Said, phrases};

/// What a question says of time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The times that it names; where it names absolute ones, only those.
    pub times: Vec<Meant>,
    /// Whether it asks when, or how long.
    pub when: bool,
    /// Whether it asks for nothing but what was talked of then: "昨天聊了什么", "what did we talk about last time?".
    pub bare: bool,
}

/// What a question says of time. Vague words such as "recently" name none.
#[must_use]
pub fn asked(question: &str, said: &Said) -> Asked {
    let found = phrases(question, said);
    let absolute = found.iter().any(|phrase| phrase.absolute);
    let named = |phrase: &&Phrase| (phrase.absolute || !absolute) && phrase.grain != Grain::Vague;
    Asked {
        times: found.iter().filter(named).map(|phrase| phrase.reach(said.at)).collect(),
        when: asks_when(question),
        bare: is_bare(question, &found),
    }
}

/// Whether nothing is left of a question without its times and the words of talking itself, and it has either.
fn is_bare(question: &str, found: &[Phrase]) -> bool {
    const TALK: [&str; 8] = ["聊", "说", "谈", "讲", "talk", "chat", "discuss", "speak"];
    const CHINESE: [&str; 32] = [
        "上一次", "最近一次", "上次", "上回", "什么", "哪些", "话题", "内容", "事情", "我们", "咱们", "聊天", "聊",
        "说", "谈", "讲", "啥", "了", "过", "些", "你", "我", "咱", "和", "跟", "都", "的", "吗", "呢", "是", "在",
        "事",
    ];
    const ENGLISH: [&str; 38] = [
        "since", "after", "before", "until", "till", "by", "last", "time", "what", "which", "did", "do", "does",
        "have", "had", "has", "was", "were", "we", "you", "i", "us", "me", "talk", "talked", "talking", "chat",
        "chatted", "chatting", "discuss", "discussed", "speak", "spoke", "about", "of", "with", "topic", "the",
    ];
    let lower = question.to_lowercase();
    if !TALK.iter().any(|word| lower.contains(word)) || found.is_empty() && !asks_for_latest(question) {
        return false;
    }
    let mut rest = question.to_owned();
    for phrase in found.iter().rev() {
        if rest.get(phrase.range.clone()).is_some() {
            rest.replace_range(phrase.range.clone(), " ");
        }
    }
    let rest = CHINESE.iter().fold(rest.to_lowercase(), |rest, word| rest.replace(word, " "));
    rest.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(|word| ENGLISH.contains(&word))
}

/// Words that follow a "when" which asks; after any other it introduces a clause.
const ASKING: [&str; 14] =
    ["am", "are", "did", "do", "does", "had", "has", "have", "is", "should", "was", "were", "will", "would"];

fn asks_when(question: &str) -> bool {
    const CHINESE: [&str; 9] = ["什么时候", "哪天", "哪一天", "几月", "几号", "日期", "何时", "多久", "几点"];
    if CHINESE.iter().any(|phrase| question.contains(phrase)) {
        return true;
    }
    let tokens = split(question);
    (0..tokens.len()).map(|at| Cursor::new(&tokens, at)).any(|at| {
        let asks = at.eat("when").is_some_and(|end| at.at() == 0 || end.any(&ASKING).is_some());
        let which = at.any(&["what", "which"]).and_then(|end| end.any(&["date", "day", "month", "year", "time"]));
        let many = at.eat("how many").and_then(|end| end.any(&["days", "weeks", "months", "years"]));
        asks || which.or(many).or_else(|| at.eat("how long")).is_some()
    })
}

fn asks_for_latest(question: &str) -> bool {
    const CHINESE: [&str; 4] = ["上次", "上回", "上一次", "最近一次"];
    if CHINESE.iter().any(|phrase| question.contains(phrase)) {
        return true;
    }
    let tokens = split(question);
    let last = ["last time", "most recently", "most recent", "latest"];
    (0..tokens.len()).any(|at| Cursor::new(&tokens, at).any(&last).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_ask_for_time() {
        for text in
            ["When did I move?", "which year was it", "How many days until then", "我什么时候搬家", "站会几点开"]
        {
            assert!(asks_when(text), "{text}");
        }
        for text in ["Where do I live?", "whenever", "What did she eat when she moved?", "What do I eat?", "我住哪里"]
        {
            assert!(!asks_when(text), "{text}");
        }
    }

    #[test]
    fn questions_about_nothing_but_a_time() {
        let said = Said::at("2026-02-20T10:00:00Z".parse().unwrap(), crate::Zone::utc());
        for text in [
            "刚才聊了什么",
            "昨天我们聊了些什么？",
            "上次聊了什么",
            "我们上次都谈了啥",
            "What did we talk about yesterday?",
            "what did we discuss last time",
        ] {
            assert!(asked(text, &said).bare, "{text}");
        }
        for text in [
            "上次聊游戏是什么时候",
            "昨天吃了什么",
            "聊了什么",
            "what did we say about tea yesterday",
            "你知道我生日吗",
        ] {
            assert!(!asked(text, &said).bare, "{text}");
        }
    }

    #[test]
    fn questions_about_the_latest() {
        for text in ["上次聊了什么", "上次聊游戏是什么时候", "What did we do last time?", "my most recent trip"]
        {
            assert!(asks_for_latest(text), "{text}");
        }
        for text in ["what did I do last week", "昨天聊了什么", "last thing"] {
            assert!(!asks_for_latest(text), "{text}");
        }
    }
}
