use super::super::Topic;
use super::beginnings::{Then, fits, is_occupation};
use crate::time::Said;

const RELATIVES: [&str; 44] = [
    "mother", "mom", "mum", "father", "dad", "brother", "sister", "son", "daughter", "wife", "husband", "girlfriend",
    "boyfriend", "partner", "fiance", "fiancé", "fiancee", "fiancée", "grandmother", "grandma", "grandfather",
    "grandpa", "aunt", "uncle", "cousin", "niece", "nephew", "roommate", "flatmate", "dog", "cat", "puppy", "kitten",
    "parrot", "hamster", "rabbit", "horse", "kids", "children", "sons", "daughters", "dogs", "cats", "parents",
];
/// What may stand before one of them.
const WHICH: [&str; 14] = [
    "older", "younger", "little", "big", "elder", "youngest", "oldest", "eldest", "baby", "twin", "old", "new", "late",
    "teenage",
];
const COUNTS: [&str; 10] = ["a", "an", "one", "two", "three", "four", "five", "2", "3", "4"];

/// What a clause says of the family and the animals of who said it.
pub(super) fn topic(plain: &str, said: &Said) -> Option<Topic> {
    has(plain).or_else(|| is(plain, said))
}

/// "I have two kids", "I have a cat named Tom".
fn has(plain: &str) -> Option<Topic> {
    let lower = plain.to_lowercase();
    let rest = ["i have ", "we have ", "i've got ", "i adopted "].iter().find_map(|have| lower.strip_prefix(have))?;
    let mut words = rest.split([' ', ',']).peekable();
    words.next().filter(|count| COUNTS.contains(count))?;
    while words.peek().is_some_and(|word| WHICH.contains(word)) {
        words.next();
    }
    let plural = |word: &str| RELATIVES.iter().any(|one| word.strip_suffix('s') == Some(one));
    let relative = words.next().is_some_and(|word| RELATIVES.contains(&word) || plural(word) || word == "siblings");
    // "I have a cat allergy" goes on with another noun.
    let ends = words.next().is_none_or(|next| {
        ["named", "called", "and", "who", "in", "with", "from", "at", "now", "too", "aged", ""].contains(&next)
    });
    (relative && ends).then_some(Topic::Family)
}

/// "My brother Tom has a bike", "my mother's birthday is on May 3rd".
fn is(plain: &str, said: &Said) -> Option<Topic> {
    let rest = ["my ", "My ", "our ", "Our "].iter().find_map(|mine| plain.strip_prefix(mine))?;
    let mut rest = rest;
    while let Some((_, tail)) = rest.split_once(' ').filter(|(word, _)| WHICH.contains(word)) {
        rest = tail;
    }
    let (who, behind) = rest.split_once(' ')?;
    if who.strip_suffix("'s").is_some_and(|who| RELATIVES.contains(&who)) {
        let named = ["name is ", "called "].iter().find_map(|word| behind.strip_prefix(word));
        let born = ["birthday is ", "birthday's "].iter().find_map(|word| behind.strip_prefix(word));
        let fits = named.is_some_and(|name| fits(Then::Name, name, said))
            || born.is_some_and(|day| fits(Then::Time, day, said));
        return fits.then_some(Topic::Family);
    }
    if !RELATIVES.contains(&who) {
        return None;
    }
    let begins = |words: &[&str]| words.iter().find_map(|word| behind.strip_prefix(word));
    let named = begins(&[
        "is named ", "is called ", "are called ", "are named ", "lives in ", "live in ", "is from ", "are from ",
    ])
    .is_some_and(|name| fits(Then::Name, name, said) && !name.starts_with("I "));
    let does = fits(Then::Name, behind, said) && does(behind);
    let works = begins(&["works at ", "works for ", "works in ", "works as "])
        .is_some_and(|what| fits(Then::Thing, what, said));
    let trade = begins(&["is a ", "is an "]).is_some_and(is_occupation);
    let likes =
        begins(&["loves ", "likes ", "hates ", "is allergic to "]).is_some_and(|what| fits(Then::Thing, what, said));
    (named || does || works || trade || likes).then_some(Topic::Family)
}

/// Whether a name goes on with what is done: "Tom has a bike", not "Trump supporter".
fn does(name: &str) -> bool {
    const DONE: [&str; 34] = [
        "has", "is", "was", "lives", "lived", "works", "worked", "likes", "loves", "hates", "plays", "studies",
        "teaches", "moved", "married", "got", "bought", "drives", "runs", "wants", "owns", "speaks", "goes", "went",
        "turns", "turned", "and", "just", "still", "will", "started", "plans", "collects", "can't",
    ];
    let first = name.split(' ').find(|word| !word.starts_with(char::is_uppercase));
    first.is_some_and(|verb| DONE.contains(&verb))
}
