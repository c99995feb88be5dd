use super::super::Topic;

/// How the assistant is to answer, what somebody does again and again, and what hurts when it is done.
pub(super) fn topic(plain: &str) -> Option<Topic> {
    let lower = plain.to_lowercase();
    if is_instruction(&lower) {
        Some(Topic::Preference)
    } else if is_habit(&lower) {
        Some(Topic::Habit)
    } else if hurts(&lower) {
        Some(Topic::Health)
    } else if went_wrong(&lower) {
        Some(Topic::Lesson)
    } else {
        None
    }
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_alphanumeric() && c != '\'')
}

fn has_any(lower: &str, some: &[&str]) -> bool {
    words(lower).any(|word| some.contains(&word))
}

/// "Please keep answers short", "never use emojis when you talk to me"; not what is asked for once.
fn is_instruction(lower: &str) -> bool {
    const TALK: [&str; 14] = [
        "answer", "answers", "reply", "replies", "respond", "responses", "response", "explain", "explanations",
        "emoji", "emojis", "examples", "bullet", "jargon",
    ];
    const ONCE: [&str; 8] = ["this", "that", "question", "questions", "now", "today", "it", "email"];
    let asked = lower.strip_prefix("please ").unwrap_or(lower);
    let begins = |some: &[&str]| some.iter().any(|word| asked.starts_with(word));
    let always = begins(&["always ", "never ", "from now on", "in the future", "in future"]);
    let keep = begins(&["keep your ", "keep the ", "keep answers", "keep replies", "keep explanations"]);
    let to_me = ["talk to me", "talking to me", "write to me", "speak to me"].iter().any(|words| asked.contains(words));
    let idiom = asked.starts_with("never mind");
    (always || keep) && !idiom && (has_any(asked, &TALK) || to_me) && !has_any(asked, &ONCE)
}

/// "I run 3 km every morning", "I swim twice a week".
fn is_habit(lower: &str) -> bool {
    const TIMES: [&str; 16] = [
        "every day", "every morning", "every evening", "every night", "every week", "every weekend", "every month",
        "every monday", "every tuesday", "every wednesday", "every thursday", "every friday", "every saturday",
        "every sunday", "once a week", "twice a week",
    ];
    /// What is no doing, or needs what was said before.
    const OTHERS: [&str; 30] = [
        "it", "them", "that", "this", "you", "your", "he", "she", "him", "her", "think", "feel", "felt", "miss",
        "wonder", "remember", "worry", "want", "wanted", "hope", "see", "saw", "used", "did", "was", "were", "had",
        "should", "try", "tried",
    ];
    let behind = |time: &str| lower.strip_prefix(time).map(|rest| rest.trim_start_matches(',').trim_start());
    let before = TIMES.iter().find_map(|time| behind(time)).unwrap_or(lower);
    before.strip_prefix("i ").is_some_and(|doing| !has_any(doing, &OTHERS) && !doing.ends_with("ed"))
        && (TIMES.iter().any(|time| lower.contains(time)) || lower.contains(" times a week"))
}

/// "My knees hurt when I run".
fn hurts(lower: &str) -> bool {
    let mine = lower.strip_prefix("my ").is_some_and(|rest| {
        let mut words = words(rest);
        words.next().is_some_and(|part| {
            [
                "knee", "knees", "back", "neck", "shoulder", "shoulders", "wrist", "wrists", "hip", "hips", "ankle",
                "ankles", "stomach", "feet", "head",
            ]
            .contains(&part)
        }) && words.take(2).any(|word| word == "hurt" || word == "hurts")
    });
    mine && ["when i ", "whenever i ", "every time i "].iter().any(|when| lower.contains(when))
}

/// "Deploying on Friday broke the shop last time", "never run KEYS in production".
fn went_wrong(lower: &str) -> bool {
    let last = lower.contains("last time")
        && ["cost us", "failed", "broke", "crashed", "went wrong"].iter().any(|end| lower.contains(end));
    let never =
        ["never ", "don't ", "do not "].iter().any(|word| lower.starts_with(word)) && lower.contains(" in production");
    (last || never) && !has_any(lower, &["it", "that", "this", "you", "your", "he", "she", "they"])
}
