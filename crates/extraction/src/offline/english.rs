use super::clause::Clause;
use super::{Claim, Topic};
use crate::time::{Said, phrases};

/// How a clause begins, and what must follow.
#[derive(Clone, Copy)]
enum Then {
    /// A word with a capital letter.
    Name,
    /// Anything that is no pronoun and no clause.
    Thing,
    /// A time.
    Time,
    /// An occupation.
    Occupation,
    /// Whatever it is.
    Anything,
}

const BEGINNINGS: [(&str, Then, Topic); 66] = [
    ("my name is", Then::Name, Topic::Name),
    ("my name's", Then::Name, Topic::Name),
    ("call me", Then::Name, Topic::Name),
    ("people call me", Then::Name, Topic::Name),
    ("my birthday is", Then::Time, Topic::Birthday),
    ("my birthday's", Then::Time, Topic::Birthday),
    ("i was born on", Then::Time, Topic::Birthday),
    ("i was born in", Then::Anything, Topic::Birthday),
    ("i live in", Then::Name, Topic::Place),
    ("i'm living in", Then::Name, Topic::Place),
    ("i now live in", Then::Name, Topic::Place),
    ("i moved to", Then::Name, Topic::Place),
    ("i just moved to", Then::Name, Topic::Place),
    ("i've moved to", Then::Name, Topic::Place),
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
    ("my job is", Then::Thing, Topic::Work),
    ("i'm a", Then::Occupation, Topic::Work),
    ("i'm an", Then::Occupation, Topic::Work),
    ("i am a", Then::Occupation, Topic::Work),
    ("i am an", Then::Occupation, Topic::Work),
    ("i study", Then::Thing, Topic::Work),
    ("i'm studying", Then::Thing, Topic::Work),
    ("i love", Then::Thing, Topic::Preference),
    ("i really love", Then::Thing, Topic::Preference),
    ("i like", Then::Thing, Topic::Preference),
    ("i really like", Then::Thing, Topic::Preference),
    ("i enjoy", Then::Thing, Topic::Preference),
    ("i prefer", Then::Thing, Topic::Preference),
    ("i hate", Then::Thing, Topic::Preference),
    ("i dislike", Then::Thing, Topic::Preference),
    ("i don't like", Then::Thing, Topic::Preference),
    ("i can't stand", Then::Thing, Topic::Preference),
    ("i'm a big fan of", Then::Thing, Topic::Preference),
    ("i'm a huge fan of", Then::Thing, Topic::Preference),
    ("i'm into", Then::Thing, Topic::Preference),
    ("my favorite", Then::Anything, Topic::Preference),
    ("my favourite", Then::Anything, Topic::Preference),
    ("my wife is", Then::Name, Topic::Family),
    ("my wife's name is", Then::Name, Topic::Family),
    ("my husband is", Then::Name, Topic::Family),
    ("my husband's name is", Then::Name, Topic::Family),
    ("my son's name is", Then::Name, Topic::Family),
    ("my daughter's name is", Then::Name, Topic::Family),
    ("my dog's name is", Then::Name, Topic::Family),
    ("my cat's name is", Then::Name, Topic::Family),
    ("i have a dog named", Then::Name, Topic::Family),
    ("i have a cat named", Then::Name, Topic::Family),
    ("i have a son", Then::Anything, Topic::Family),
    ("i have a daughter", Then::Anything, Topic::Family),
    ("i'm married to", Then::Thing, Topic::Family),
    ("i'm allergic to", Then::Thing, Topic::Health),
    ("i am allergic to", Then::Thing, Topic::Health),
    ("i'm a vegetarian", Then::Anything, Topic::Health),
    ("i'm vegetarian", Then::Anything, Topic::Health),
    ("i'm vegan", Then::Anything, Topic::Health),
    ("i'm a vegan", Then::Anything, Topic::Health),
    ("i don't eat", Then::Thing, Topic::Health),
];

/// Beginnings of plans; a time ahead must be named.
const PLANS: [&str; 12] = [
    "i'm going to",
    "i am going to",
    "i'm planning to",
    "i plan to",
    "i'm planning on",
    "i'll",
    "i will",
    "i'm gonna",
    "i have a meeting",
    "i have an appointment",
    "i have an interview",
    "i'm flying to",
];

/// What a clause says of who said it.
pub(super) fn claim(clause: &Clause, said: &Said) -> Option<Claim> {
    let straight = clause.text.replace('’', "'");
    let lower = straight.to_lowercase();
    if lower.len() != straight.len() {
        return None;
    }
    let claim = |topic| Some(Claim { topic, text: clause.text.clone(), correction: clause.correction });
    // The longest beginning says most.
    let begins = |beginning: &str| {
        lower.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
    };
    let hits = BEGINNINGS.iter().filter(|(beginning, ..)| begins(beginning));
    if let Some((beginning, then, topic)) = hits.max_by_key(|(beginning, ..)| beginning.len()) {
        let rest = straight.get(beginning.len()..).unwrap_or_default().trim();
        let alone = *topic != Topic::Preference || !points_elsewhere(&rest.to_lowercase());
        return if alone && fits(*then, rest, said) { claim(*topic) } else { None };
    }
    let plan = PLANS.iter().any(|beginning| begins(beginning));
    let ahead = |phrase: &crate::time::Phrase| {
        phrase.interval.start > said.at || (phrase.interval.end > said.at && phrase.grain > crate::time::Grain::Minute)
    };
    if plan && !points_elsewhere(&lower) && phrases(&straight, said).iter().any(ahead) {
        return claim(Topic::Plan);
    }
    None
}

fn fits(then: Then, rest: &str, said: &Said) -> bool {
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
        Then::Anything => true,
    }
}

/// Whether a text needs what was said before to be understood: "it", "them", "my favorite is".
fn points_elsewhere(rest: &str) -> bool {
    const WORDS: [&str; 9] = ["it", "them", "that", "those", "these", "he", "she", "him", "her"];
    let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let category_is_missing = rest.starts_with("is ") || rest.starts_with("was ");
    category_is_missing || words.any(|word| WORDS.contains(&word))
}

/// Words that point at something said elsewhere, or begin a clause.
fn is_empty_word(word: &str) -> bool {
    const WORDS: [&str; 40] = [
        "it",
        "that",
        "this",
        "these",
        "those",
        "you",
        "your",
        "yours",
        "him",
        "her",
        "them",
        "how",
        "when",
        "what",
        "the",
        "to",
        "being",
        "seeing",
        "hearing",
        "knowing",
        "having",
        "both",
        "all",
        "its",
        "his",
        "their",
        "our",
        "us",
        "where",
        "who",
        "why",
        "which",
        "so",
        "too",
        "as",
        "and",
        "or",
        "but",
        "one",
        "everything",
    ];
    WORDS.contains(&word)
}

/// Whether a word among the first few names a trade.
fn is_occupation(rest: &str) -> bool {
    const TRADES: [&str; 44] = [
        "engineer",
        "developer",
        "programmer",
        "teacher",
        "nurse",
        "doctor",
        "lawyer",
        "student",
        "designer",
        "writer",
        "artist",
        "musician",
        "manager",
        "chef",
        "cook",
        "driver",
        "pilot",
        "scientist",
        "researcher",
        "professor",
        "accountant",
        "architect",
        "counselor",
        "therapist",
        "photographer",
        "journalist",
        "electrician",
        "plumber",
        "carpenter",
        "farmer",
        "waiter",
        "waitress",
        "barista",
        "consultant",
        "analyst",
        "entrepreneur",
        "salesperson",
        "librarian",
        "pharmacist",
        "dentist",
        "veterinarian",
        "firefighter",
        "soldier",
        "dancer",
    ];
    let rest = rest.trim_start_matches("a ").trim_start_matches("an ");
    let mut words = rest.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let vague = ["good", "bad", "great", "better", "terrible", "huge", "big", "bit", "fan"];
    let head: Vec<String> = words.by_ref().take(3).collect();
    !head.iter().any(|word| vague.contains(&word.as_str())) && head.iter().any(|word| TRADES.contains(&word.as_str()))
}
