mod beginnings;
mod manner;
mod relatives;

use super::clause::{Clause, timed};
use super::{Claim, Topic};
use crate::denial::denies;
use crate::time::{Grain, Phrase, Said, phrases};
use beginnings::{BEGINNINGS, DOING, PLANS, WISHES, fits, points_elsewhere};

/// What only holds for the moment, at the end of what is said.
const NOW: [&str; 9] =
    ["right now", "at the moment", "today", "tonight", "this morning", "this evening", "yet", "tomorrow", "just now"];

/// Words behind a subject that change nothing of what kind of statement it is.
const ADVERBS: [&str; 19] = [
    "really", "absolutely", "also", "just", "still", "totally", "particularly", "especially", "definitely",
    "currently", "recently", "truly", "honestly", "simply", "now", "generally", "mostly", "both", "already",
];

/// What a clause says of who said it.
pub(super) fn claim(clause: &Clause, said: &Said) -> Option<Claim> {
    let straight = clause.text.replace('’', "'");
    // Places in one are places in the other.
    if straight.to_lowercase().len() != straight.len() {
        return None;
    }
    let plain = without_adverbs(&time_last(straight, said));
    let topic = stated(&plain, said)
        .or_else(|| relatives::topic(&plain, said))
        .or_else(|| manner::topic(&plain))
        .or_else(|| introduced(&plain, clause.greeted));
    topic.map(|topic| Claim { topic, text: clause.text.clone(), correction: clause.correction })
}

/// "In March 2025 I moved to Munich" as "I moved to Munich in March 2025".
fn time_last(text: String, said: &Said) -> String {
    let Some((time, rest)) = timed(&text, said) else { return text };
    let mine = ["I ", "I'", "i ", "i'", "we ", "my "].iter().any(|me| rest.starts_with(me));
    let mut letters = time.chars();
    let first = letters.next().filter(|_| mine).map(|first| first.to_ascii_lowercase());
    first.map_or_else(|| text.clone(), |first| format!("{rest} {first}{}", letters.as_str()))
}

/// "I also really like tea" as "I like tea": the first words but for adverbs, all others as they stand.
fn without_adverbs(text: &str) -> String {
    let words = text.split(' ').enumerate();
    let plain = words.filter(|(at, word)| !(1..4).contains(at) || !ADVERBS.contains(word));
    plain.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

/// What begins like one of the statements that are known.
fn stated(plain: &str, said: &Said) -> Option<Topic> {
    let lower = plain.to_lowercase();
    // The longest beginning says most.
    let begins = |beginning: &str| {
        lower.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ',']))
    };
    let hits = BEGINNINGS.iter().filter(|(beginning, ..)| begins(beginning));
    if let Some((beginning, then, topic)) = hits.max_by_key(|(beginning, ..)| beginning.len()) {
        let rest = plain.get(beginning.len()..).unwrap_or_default().trim();
        let lower = rest.to_lowercase();
        let alone = match topic {
            Topic::Preference => !points_elsewhere(&lower),
            Topic::Health => !(denies(beginning) && ends_now(&lower)),
            _ => true,
        };
        return (alone && fits(*then, rest, said)).then_some(*topic);
    }
    let ahead = |phrase: &Phrase| {
        phrase.interval.start > said.at || (phrase.interval.end > said.at && phrase.grain > Grain::Minute)
    };
    let wished = WISHES.iter().filter(|wish| begins(wish)).filter_map(|wish| lower.get(wish.len()..));
    let wished =
        wished.into_iter().any(|rest| rest.split_whitespace().next().is_some_and(|verb| DOING.contains(&verb)));
    let plan = wished || PLANS.iter().any(|beginning| begins(beginning));
    (plan && !points_elsewhere(&lower) && phrases(plain, said).iter().any(ahead)).then_some(Topic::Plan)
}

/// Whether what is not eaten or drunk is left out for the moment: "I can't eat right now" says nothing of any other day.
fn ends_now(rest: &str) -> bool {
    const JOINTS: [&str; 6] = [",", " because ", " since ", " as ", " so ", " - "];
    let end = JOINTS.iter().filter_map(|joint| rest.find(joint)).min().unwrap_or(rest.len());
    let said = rest.get(..end).unwrap_or(rest).trim_end_matches(|c: char| !c.is_alphanumeric());
    NOW.iter().any(|now| said.strip_suffix(now).is_some_and(|before| before.is_empty() || before.ends_with(' ')))
}

/// "Hi! I'm Caroline": a name and nothing else, behind a greeting.
fn introduced(plain: &str, greeted: bool) -> Option<Topic> {
    /// What somebody is for the moment, with a capital letter by mistake.
    const STATES: [&str; 28] = [
        "Late", "Back", "Here", "Ready", "Fine", "Good", "Great", "Happy", "Sad", "Sorry", "Sick", "Tired", "Busy",
        "Home", "Done", "New", "Bored", "Lost", "Sure", "Glad", "Hungry", "Okay", "Awake", "Alone", "Free", "Early",
        "Vegan", "Not",
    ];
    const NO_NAMES: [&str; 34] = [
        "American", "Australian", "Austrian", "British", "Canadian", "Catholic", "Chinese", "Christian", "Czech",
        "Danish", "Dutch", "English", "Finnish", "French", "German", "Greek", "Hindu", "Indian", "Irish", "Italian",
        "Japanese", "Jewish", "Korean", "Mexican", "Muslim", "Norwegian", "Polish", "Portuguese", "Russian", "Spanish",
        "Swedish", "Swiss", "Turkish", "OK",
    ];
    let name = ["I'm ", "I am ", "i'm ", "i am "].iter().find_map(|me| plain.strip_prefix(me))?;
    let words: Vec<&str> = name.split(' ').collect();
    let is_name =
        |word: &&str| word.starts_with(char::is_uppercase) && word.chars().all(|c| c.is_alphabetic() || c == '-');
    let fits = greeted
        && words.len() <= 2
        && words.iter().all(is_name)
        && !words.iter().any(|word| NO_NAMES.contains(word) || STATES.contains(word));
    fits.then_some(Topic::Name)
}
