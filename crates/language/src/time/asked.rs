use super::cursor::Cursor;
use super::grammar::{List, grammar};
use super::named::interval_of;
use super::tokens::{Kind, Token, split};
use super::way::Way;
use super::{Grain, Meant, Phrase, Said, phrases};

/// The times of a question, and whether it asks for one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The times that it names; where it names absolute ones, only those.
    pub times: Vec<Meant>,
    /// Whether it asks when, or how long.
    pub when: bool,
    /// Whether it asks for nothing but what was talked of then: "昨天聊了什么", "what did we talk
    /// about last time?".
    pub bare: bool,
    /// Whether it asks how something was before it changed: "where did I live before?".
    pub earlier: bool,
    /// Whether it asks how something is now: "which editor do I use these days?".
    pub current: bool,
    /// Whether it tells of what was: "what did I say?".
    pub past: bool,
    /// Whether it speaks of who asks.
    pub first_person: bool,
}

/// The times of a question, and whether it asks for one. Vague words such as "recently" name none,
/// nor do times that come again ("on which Fridays do I usually swim?"). A weekday or a month
/// without a year lies ahead where the question asks of what is to come ("may I deploy on
/// Friday?").
#[must_use]
pub fn asked(question: &str, said: &Said) -> Asked {
    let (found, tokens) = (phrases(question, said), split(question));
    let absolute = found.iter().any(|phrase| phrase.absolute);
    let named = |phrase: &&Phrase| (phrase.absolute || !absolute) && phrase.grain != Grain::Vague;
    let ahead = if found.is_empty() {
        Vec::new()
    } else {
        phrases(question, &said.clone().looking_ahead())
    };
    let meant = |phrase: &Phrase| {
        let other = interval_of(phrase, &ahead);
        let interval = match Way::asked(&tokens, phrase) {
            Way::Ahead => other,
            Way::Again if other != phrase.interval => return None,
            Way::Behind | Way::Again => phrase.interval,
        };
        Some(
            Phrase {
                interval,
                ..phrase.clone()
            }
            .reach(said.at),
        )
    };
    Asked {
        times: found.iter().filter(named).filter_map(meant).collect(),
        when: says(&tokens, List::When),
        bare: is_bare(&tokens, &found),
        earlier: says(&tokens, List::Earlier),
        current: says(&tokens, List::Current),
        past: says(&tokens, List::Past),
        first_person: says(&tokens, List::FirstPerson),
    }
}

fn says(tokens: &[Token], list: List) -> bool {
    (0..tokens.len()).any(|place| Cursor::new(tokens, place).matches(grammar().list(list)))
}

/// Whether a question is of nothing but a time, or the last one, and of the words of talking
/// itself.
fn is_bare(tokens: &[Token], found: &[Phrase]) -> bool {
    if !says(tokens, List::Talk) || found.is_empty() && !says(tokens, List::Latest) {
        return false;
    }
    let mut at = Cursor::new(tokens, 0);
    while let Some(token) = tokens.get(at.at()) {
        let named = found
            .iter()
            .any(|phrase| phrase.range.contains(&token.range.start));
        let filler = || {
            at.longest(grammar().list(List::Fillers))
                .map(|(end, _)| end)
        };
        let Some(next) = (if named || matches!(token.kind, Kind::Mark(_)) {
            Some(at.step())
        } else {
            filler()
        }) else {
            return false;
        };
        at = next;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_that_ask_for_time() {
        for text in [
            "When did I move?",
            "which year was it",
            "How many days until then",
            "我什么时候搬家",
            "站会几点开",
        ] {
            assert!(asked(text, &said()).when, "{text}");
        }
        for text in [
            "Where do I live?",
            "whenever",
            "What did she eat when she moved?",
            "What do I eat?",
            "我住哪里",
        ] {
            assert!(!asked(text, &said()).when, "{text}");
        }
    }

    #[test]
    fn questions_for_now_for_before_and_of_oneself() {
        let signs = |text: &str| {
            let asked = asked(text, &said());
            (asked.current, asked.earlier, asked.past, asked.first_person)
        };
        assert_eq!(
            signs("which editor do I use these days?"),
            (true, false, false, true)
        );
        assert_eq!(
            signs("where did we live before?"),
            (false, true, true, true)
        );
        assert_eq!(asked("where did we live before?", &said()).times, []);
        assert!(signs("which editor did I used to use?").1);
        assert!(!signs("where did I move the repos that used to be on the old disk?").1);
        assert_eq!(signs("我现在住在哪里"), (true, false, false, true));
        assert_eq!(signs("他原来的公司是哪家"), (false, true, false, false));
        assert!(signs("今天我吃了什么").2 && signs("今天去过哪里").2 && !signs("今天帮我写首诗").2);
        assert_eq!(
            signs("what is the capital of Peru"),
            (false, false, false, false)
        );
    }

    #[test]
    fn questions_about_nothing_but_a_time() {
        let said = said();
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
    fn a_weekday_lies_where_the_question_asks() {
        // Said on a Friday.
        let day = |text: &str| {
            asked(text, &said())
                .times
                .first()
                .map(|time| time.start.to_string()[..10].to_owned())
        };
        for text in [
            "may I deploy on Monday?",
            "can we meet on Monday",
            "am I free on Monday?",
            "周一能部署吗",
            "周一我可以休息吗",
        ] {
            assert_eq!(day(text).as_deref(), Some("2026-02-23"), "{text}");
        }
        for text in [
            "what did I deploy on Monday?",
            "which tests failed on Monday",
            "can you tell me what I did on Monday?",
            "notes from Monday",
            "周一我吃了什么",
            "周一可以算是我加了班吗",
            "can I see the notes from Monday?",
            "可以给我看周一的记录吗",
        ] {
            assert_eq!(day(text).as_deref(), Some("2026-02-16"), "{text}");
        }
        assert_eq!(day("do I usually swim on Monday?"), None);
        assert_eq!(
            day("how often did I run last week?").as_deref(),
            Some("2026-02-09")
        );
    }

    fn said() -> Said {
        Said::at("2026-02-20T10:00:00Z".parse().unwrap(), crate::Zone::utc())
    }

    #[test]
    fn questions_about_the_latest() {
        for text in [
            "上次聊了什么",
            "上次聊游戏是什么时候",
            "What did we do last time?",
            "my most recent trip",
        ] {
            assert!(says(&split(text), List::Latest), "{text}");
        }
        for text in ["what did I do last week", "昨天聊了什么", "last thing"] {
            assert!(!says(&split(text), List::Latest), "{text}");
        }
    }
}
