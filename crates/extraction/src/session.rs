//! When a conversation is looked through, and what people say outright about their memory.

use annals_types::profile::{ExtractSettings, ExtractTrigger};

/// A moment of a session at which an extraction may begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// What happened.
    pub trigger: ExtractTrigger,
    /// The rounds of the session so far, the current one included.
    pub rounds: u32,
    /// The characters of the user's message, or of all of the user's messages that would be looked through.
    pub chars: u32,
    /// The messages of the user that would be looked through.
    pub user_messages: u32,
    /// Extractions of the session that began by themselves so far.
    pub begun: u32,
}

/// Whether an extraction begins by itself. One that a person asks for begins always, and is not counted.
///
/// Short talk begins none: a single message of the user with fewer than `min_chars` characters, or none at all.
#[must_use]
pub fn begins(settings: &ExtractSettings, moment: &Moment) -> bool {
    if !settings.begins_at(moment.trigger) || moment.user_messages == 0 {
        return false;
    }
    if settings.max_per_session > 0
        && moment.begun >= settings.max_per_session
        && moment.trigger != ExtractTrigger::Night
    {
        return false;
    }
    if moment.user_messages < 2 && moment.chars < settings.min_chars {
        return false;
    }
    moment.trigger != ExtractTrigger::Round
        || (moment.rounds > 0 && moment.rounds.is_multiple_of(settings.every_rounds))
}

/// What a person says outright about their memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// This is to be remembered; empty means what was said before.
    Remember(String),
    /// This is to be forgotten; empty means what was said before.
    Forget(String),
}

const REMEMBER: [&str; 12] = [
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
    "don't forget that ",
];
const FORGET: [&str; 10] = [
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
const BEFORE: [&str; 11] = ["这个", "这件事", "这一点", "那个", "那件事", "这些", "this", "that", "it", "吧", "了"];

/// The wish that a message begins with: "记住：我对花生过敏", "forget that I live in Berlin". A message that only mentions remembering is none.
#[must_use]
pub fn wish(message: &str) -> Option<Wish> {
    let text = message.trim();
    let lower = text.to_ascii_lowercase();
    let find = |words: &[&str]| {
        let word = words.iter().find(|word| lower.starts_with(word.trim_end()) && ends_well(&lower, word))?;
        text.get(word.trim_end().len()..).map(what)
    };
    // A question is none: "记住了吗？"
    if lower.ends_with(['?', '？']) || lower.ends_with("吗") || lower.ends_with("吗。") {
        return None;
    }
    // "忘记带伞了" tells of something that was forgotten.
    let named =
        || text.strip_prefix("忘记").filter(|rest| rest.starts_with(['这', '那', '我', '关', ':', '：'])).map(what);
    find(&REMEMBER).map(Wish::Remember).or_else(|| find(&FORGET).or_else(named).map(Wish::Forget))
}

/// Whether an English word ends where it was found: "remember thistle" is no wish.
fn ends_well(text: &str, word: &str) -> bool {
    let word = word.trim_end();
    !word.is_ascii() || text.get(word.len()..).is_none_or(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

fn what(rest: &str) -> String {
    let mut text = rest.trim_start_matches([':', '：', ',', '，', ' ', '-']).trim();
    for word in BEFORE {
        let after = text.strip_prefix(word).map(|after| after.trim_start_matches([':', '：', ',', '，', ' ']));
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
    text.trim_end_matches(['。', '!', '！']).to_owned()
}

#[cfg(test)]
mod tests {
    use annals_types::profile::AnswerForm;

    use super::*;

    fn settings(change: impl FnOnce(&mut ExtractSettings)) -> ExtractSettings {
        let mut settings = ExtractSettings { answer: AnswerForm::Json, ..ExtractSettings::default() };
        change(&mut settings);
        settings
    }

    fn moment(trigger: ExtractTrigger) -> Moment {
        Moment { trigger, rounds: 1, chars: 100, user_messages: 1, begun: 0 }
    }

    #[test]
    fn every_fifth_round_begins_an_extraction() {
        // spec: S-23, S-24
        let rounds = |every: u32| {
            let settings = settings(|s| (s.triggers, s.every_rounds) = (vec![ExtractTrigger::Round], every));
            let at = |rounds: &u32| begins(&settings, &Moment { rounds: *rounds, ..moment(ExtractTrigger::Round) });
            (1..=12).filter(at).collect::<Vec<u32>>()
        };
        assert_eq!(rounds(5), [5, 10]);
        assert_eq!(rounds(1).len(), 12);
    }

    #[test]
    fn messages_that_are_short_or_too_many_begin_none() {
        // spec
        let agent = settings(|s| {
            (s.triggers, s.min_chars, s.max_per_session) =
                (vec![ExtractTrigger::Message, ExtractTrigger::Night], 30, 5);
        });
        let of = |chars, begun| begins(&agent, &Moment { chars, begun, ..moment(ExtractTrigger::Message) });
        assert!(!of(29, 0) && of(30, 0));
        assert_eq!((0..9).filter(|begun| of(40, *begun)).count(), 5);
        assert!(begins(&agent, &Moment { begun: 9, ..moment(ExtractTrigger::Night) }), "the night does the rest");
    }

    #[test]
    fn five_triggers_begin_one_each_and_rounds_none() {
        // spec: M-41, M-42, M-49
        use ExtractTrigger::{Compress, Heartbeat, Idle, Message, Round, SessionEnd};
        let markdown = settings(|s| {
            (s.triggers, s.min_chars) = (vec![SessionEnd, Compress, Heartbeat, Idle], 40);
        });
        assert!([SessionEnd, Compress, Heartbeat, Idle].into_iter().all(|trigger| begins(&markdown, &moment(trigger))));
        assert!(![Round, Message].into_iter().any(|trigger| begins(&markdown, &moment(trigger))));
        let end = |user_messages, chars| begins(&markdown, &Moment { user_messages, chars, ..moment(SessionEnd) });
        assert!(!end(0, 0) && !end(1, 39) && end(1, 40) && end(2, 10));
    }

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
}
