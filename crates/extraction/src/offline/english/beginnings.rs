use crate::time::{Said, phrases};

use super::super::Topic;

/// How a clause begins, and what must follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// A word with a capital letter.
    Name,
    /// Anything that is no pronoun and no clause.
    Thing,
    /// A time.
    Time,
    /// An occupation.
    Occupation,
    /// A place in words: "on the 4th floor", "in Graz".
    Address,
    /// Whatever it is.
    Anything,
}

pub(super) const BEGINNINGS: [(&str, Then, Topic); 85] = [
    ("my name is", Then::Name, Topic::Name),
    ("my name's", Then::Name, Topic::Name),
    ("call me", Then::Name, Topic::Name),
    ("people call me", Then::Name, Topic::Name),
    ("my birthday is", Then::Time, Topic::Birthday),
    ("my birthday's", Then::Time, Topic::Birthday),
    ("i was born on", Then::Time, Topic::Birthday),
    ("i was born in", Then::Anything, Topic::Birthday),
    ("i live in", Then::Name, Topic::Place),
    ("we live in", Then::Name, Topic::Place),
    ("i've lived in", Then::Name, Topic::Place),
    ("i'm based in", Then::Name, Topic::Place),
    ("i'm living in", Then::Name, Topic::Place),
    ("i moved to", Then::Name, Topic::Place),
    ("i've moved to", Then::Name, Topic::Place),
    ("we moved to", Then::Name, Topic::Place),
    ("i'm originally from", Then::Name, Topic::Place),
    ("i was raised in", Then::Name, Topic::Place),
    ("my flat is", Then::Address, Topic::Place),
    ("my apartment is", Then::Address, Topic::Place),
    ("my house is", Then::Address, Topic::Place),
    ("i'm from", Then::Name, Topic::Place),
    ("i am from", Then::Name, Topic::Place),
    ("i come from", Then::Name, Topic::Place),
    ("i grew up in", Then::Name, Topic::Place),
    ("my hometown is", Then::Name, Topic::Place),
    ("my home country is", Then::Name, Topic::Place),
    ("i work at", Then::Thing, Topic::Work),
    ("i work for", Then::Thing, Topic::Work),
    ("i work as", Then::Occupation, Topic::Work),
    ("i work in", Then::Thing, Topic::Work),
    ("i'm working as", Then::Occupation, Topic::Work),
    ("i'm working at", Then::Thing, Topic::Work),
    ("i'm working for", Then::Thing, Topic::Work),
    ("i started working at", Then::Thing, Topic::Work),
    ("i started working for", Then::Thing, Topic::Work),
    ("i teach", Then::Thing, Topic::Work),
    ("my job is", Then::Thing, Topic::Work),
    ("i'm a", Then::Occupation, Topic::Work),
    ("i'm an", Then::Occupation, Topic::Work),
    ("i am a", Then::Occupation, Topic::Work),
    ("i am an", Then::Occupation, Topic::Work),
    ("i study", Then::Thing, Topic::Work),
    ("i'm studying", Then::Thing, Topic::Work),
    ("i love", Then::Thing, Topic::Preference),
    ("i like", Then::Thing, Topic::Preference),
    ("i enjoy", Then::Thing, Topic::Preference),
    ("i prefer", Then::Thing, Topic::Preference),
    ("i hate", Then::Thing, Topic::Preference),
    ("i dislike", Then::Thing, Topic::Preference),
    ("i don't like", Then::Thing, Topic::Preference),
    ("i can't stand", Then::Thing, Topic::Preference),
    ("i cannot stand", Then::Thing, Topic::Preference),
    ("i don't enjoy", Then::Thing, Topic::Preference),
    ("i adore", Then::Thing, Topic::Preference),
    ("i'm a fan of", Then::Thing, Topic::Preference),
    ("i'm not a fan of", Then::Thing, Topic::Preference),
    ("i'm not a big fan of", Then::Thing, Topic::Preference),
    ("i'm a big fan of", Then::Thing, Topic::Preference),
    ("i'm a huge fan of", Then::Thing, Topic::Preference),
    ("i'm into", Then::Thing, Topic::Preference),
    ("my favorite", Then::Anything, Topic::Preference),
    ("my favourite", Then::Anything, Topic::Preference),
    ("i'm married to", Then::Thing, Topic::Family),
    ("i'm allergic to", Then::Thing, Topic::Health),
    ("i am allergic to", Then::Thing, Topic::Health),
    ("i'm a vegetarian", Then::Anything, Topic::Health),
    ("i'm vegetarian", Then::Anything, Topic::Health),
    ("i'm vegan", Then::Anything, Topic::Health),
    ("i'm a vegan", Then::Anything, Topic::Health),
    ("i don't eat", Then::Thing, Topic::Health),
    ("i can't eat", Then::Thing, Topic::Health),
    ("i cannot eat", Then::Thing, Topic::Health),
    ("i can't drink", Then::Thing, Topic::Health),
    ("i cannot drink", Then::Thing, Topic::Health),
    ("i don't drink", Then::Thing, Topic::Health),
    ("i'm lactose intolerant", Then::Anything, Topic::Health),
    ("i'm diabetic", Then::Anything, Topic::Health),
    ("i have asthma", Then::Anything, Topic::Health),
    ("i have diabetes", Then::Anything, Topic::Health),
    ("i have celiac disease", Then::Anything, Topic::Health),
    ("i have high blood pressure", Then::Anything, Topic::Health),
    ("i have migraines", Then::Anything, Topic::Health),
    ("i have hay fever", Then::Anything, Topic::Health),
    ("my goal is to", Then::Anything, Topic::Plan),
];

/// Beginnings of plans; a time ahead must be named.
pub(super) const PLANS: [&str; 15] = [
    "i'm going to", "i am going to", "i'm planning to", "i plan to", "i'm planning on", "i'll", "i will", "i'm gonna",
    "i have a meeting", "i have an appointment", "i have an interview", "i'm flying to", "i intend to",
    "i'm training for", "i'm preparing for",
];

/// Beginnings of wishes, which are plans where something is to be done: not "I want to sleep tomorrow".
pub(super) const WISHES: [&str; 2] = ["i want to", "i hope to"];
pub(super) const DOING: [&str; 32] = [
    "learn", "visit", "go", "travel", "fly", "move", "buy", "start", "finish", "build", "write", "run", "study",
    "apply", "open", "sell", "launch", "publish", "join", "quit", "climb", "marry", "renovate", "train", "pass",
    "read", "save", "graduate", "hike", "cycle", "paint", "record",
];

pub(super) fn fits(then: Then, rest: &str, said: &Said) -> bool {
    let mut words = rest.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''));
    let Some(first) = words.next().filter(|word| !word.is_empty()) else { return matches!(then, Then::Anything) };
    let second = words.next().unwrap_or_default();
    match then {
        Then::Name => {
            let named =
                if first.eq_ignore_ascii_case("the") || first.eq_ignore_ascii_case("a") { second } else { first };
            named.starts_with(char::is_uppercase) && !named.starts_with("I'") && named != "I"
        }
        Then::Thing => !is_empty_word(&first.to_lowercase()),
        Then::Time => phrases(rest, said).iter().any(|phrase| phrase.grain <= crate::time::Grain::Month),
        Then::Occupation => is_occupation(rest),
        Then::Address => {
            let place = if ["the", "a", "an"].contains(&second) { words.next().unwrap_or_default() } else { second };
            ["in", "on", "at", "near"].contains(&first)
                && place.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        }
        Then::Anything => true,
    }
}

/// Whether a text needs what was said before to be understood: "it", "them", "my favorite is".
pub(super) fn points_elsewhere(rest: &str) -> bool {
    const WORDS: [&str; 9] = ["it", "them", "that", "those", "these", "he", "she", "him", "her"];
    let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let category_is_missing = rest.starts_with("is ") || rest.starts_with("was ");
    category_is_missing || words.any(|word| WORDS.contains(&word))
}

/// Words that point at something said elsewhere, or begin a clause.
fn is_empty_word(word: &str) -> bool {
    const WORDS: [&str; 40] = [
        "it", "that", "this", "these", "those", "you", "your", "yours", "him", "her", "them", "how", "when", "what",
        "the", "to", "being", "seeing", "hearing", "knowing", "having", "both", "all", "its", "his", "their", "our",
        "us", "where", "who", "why", "which", "so", "too", "as", "and", "or", "but", "one", "everything",
    ];
    WORDS.contains(&word)
}

/// Whether a word among the first few names a trade.
pub(super) fn is_occupation(rest: &str) -> bool {
    const TRADES: [&str; 44] = [
        "engineer", "developer", "programmer", "teacher", "nurse", "doctor", "lawyer", "student", "designer", "writer",
        "artist", "musician", "manager", "chef", "cook", "driver", "pilot", "scientist", "researcher", "professor",
        "accountant", "architect", "counselor", "therapist", "photographer", "journalist", "electrician", "plumber",
        "carpenter", "farmer", "waiter", "waitress", "barista", "consultant", "analyst", "entrepreneur", "salesperson",
        "librarian", "pharmacist", "dentist", "veterinarian", "firefighter", "soldier", "dancer",
    ];
    let rest = rest.trim_start_matches("a ").trim_start_matches("an ");
    let mut words = rest.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let vague = ["good", "bad", "great", "better", "terrible", "huge", "big", "bit", "fan"];
    let head: Vec<String> = words.by_ref().take(3).collect();
    !head.iter().any(|word| vague.contains(&word.as_str())) && head.iter().any(|word| TRADES.contains(&word.as_str()))
}
