//! Whether words speak of what was, of what is, or of what is to come.

use super::cursor::Cursor;
use super::tokens::Token;

/// What a verb says of when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Past,
    Present,
    /// `we are meeting`, `let's`, `I'll`.
    Future,
}

/// Words that may stand between a form of "to be" and what it is joined to; so may those that end in "ly".
const ADVERBS: [&str; 9] = ["not", "all", "both", "also", "still", "now", "then", "just", "already"];

/// The tense of the first verb at places of tokens. A verb of the present may be one of what is to come, as in "let's have dinner".
pub(super) fn nearest(tokens: &[Token], places: impl Iterator<Item = usize>) -> Option<Tense> {
    let mut tenses = places.filter_map(|place| tense(Cursor::new(tokens, place)));
    let first = tenses.next()?;
    let then = if first == Tense::Present { tenses.find(|tense| *tense != first) } else { None };
    Some(then.filter(|tense| *tense == Tense::Future).unwrap_or(first))
}

fn tense(at: Cursor<'_>) -> Option<Tense> {
    const PRESENT: [&str; 15] = [
        "have", "has", "ive", "youve", "weve", "theyve", "do", "does", "dont", "doesnt", "can", "cant", "cannot",
        "please", "keep",
    ];
    if invites(at) || promises(at) || be(at).is_some_and(is_doing) {
        Some(Tense::Future)
    } else if be(at).is_some() || at.any(&PRESENT).is_some() {
        Some(Tense::Present)
    } else {
        is_past(at).then_some(Tense::Past)
    }
}

/// `let's`, `let us`, `shall we`. "He let us go" tells of something that was.
fn invites(at: Cursor<'_>) -> bool {
    const JOINTS: [&str; 6] = ["and", "but", "so", "then", "ok", "okay"];
    let begins = || at.back().is_none_or(|before| before.word().is_none() || before.any(&JOINTS).is_some());
    at.any(&["let's", "shall"]).is_some() || at.any(&["let us", "lets"]).is_some() && begins()
}

/// `I'll`, `won't`.
fn promises(at: Cursor<'_>) -> bool {
    let promise = |word: &str| word.ends_with("ll") && word != "yall" || word == "wont";
    at.is_shortened() && at.word().is_some_and(|(_, word)| promise(word))
}

/// Behind a present form of "to be".
fn be(at: Cursor<'_>) -> Option<Cursor<'_>> {
    const FORMS: [&str; 15] = [
        "am", "is", "are", "im", "youre", "theyre", "isnt", "arent", "it's", "he's", "she's", "that's", "there's",
        "who's", "what's",
    ];
    at.any(&FORMS).or_else(|| at.eat("were").filter(|_| at.is_shortened()))
}

/// Whether something is being done behind a form of "to be": `are not meeting`, and `are we meeting`.
fn is_doing(behind: Cursor<'_>) -> bool {
    const THINGS: [&str; 7] = ["nothing", "something", "anything", "everything", "morning", "evening", "spring"];
    // Whoever talks or thinks of a day says nothing of when.
    const MINDS: [&str; 8] =
        ["thinking", "talking", "feeling", "wondering", "dreaming", "remembering", "missing", "being"];
    let behind = behind.any(&["i", "you", "we", "he", "she", "it", "they"]).unwrap_or(behind);
    let verb = behind.any(&ADVERBS).unwrap_or(behind).word();
    verb.is_some_and(|(_, verb)| verb.ends_with("ing") && !THINGS.contains(&verb) && !MINDS.contains(&verb))
}

fn is_past(at: Cursor<'_>) -> bool {
    const FINITE: [&str; 13] = [
        "was", "were", "wasnt", "werent", "did", "didnt", "had", "hadnt", "havent", "hasnt", "couldnt", "wouldnt",
        "hurt",
    ];
    let Some((end, word)) = at.word() else { return false };
    match word {
        // What has been put off is not over.
        "been" => !end.word().is_some_and(|(_, word)| is_regular(word)),
        "got" if at.follows(&["have", "has", "ive", "youve", "weve", "theyve"]) => false,
        // "We're" is no "were".
        _ if FINITE.contains(&word) => be(at).is_none(),
        _ => {
            // The signed form, a lost dog.
            let is_adjective = at.follows(&["the", "a", "an", "my", "our", "your", "their", "any", "no"]);
            (IRREGULAR.contains(&word) || is_regular(word)) && !is_adjective && !is_participle(at)
        }
    }
}

/// Whether a word has the ending of what was done.
fn is_regular(word: &str) -> bool {
    const OTHERS: [&str; 7] = ["hundred", "embed", "shed", "naked", "sacred", "bed", "red"];
    word.len() > 3 && word.ends_with("ed") && !word.ends_with("eed") && !OTHERS.contains(&word)
}

/// Whether what was done is how something is, `is still closed`, or what is made of it, `get it signed`.
fn is_participle(at: Cursor<'_>) -> bool {
    const STATES: [&str; 7] = ["be", "being", "been", "remain", "remains", "stay", "stays"];
    const MAKING: [&str; 4] = ["get", "gets", "getting", "keep"];
    const OTHERS: [&str; 10] = ["i", "you", "we", "he", "she", "they", "and", "but", "that", "what"];
    const WORDS: usize = 3;
    let is_state = |first: Cursor<'_>| be(first).is_some() || first.any(&STATES).is_some();
    let (mut before, mut adverbs) = (at, true);
    for _ in 0..WORDS {
        let Some(first) = before.back() else { return false };
        // The 's of "it's" is a token of its own.
        let first = first.back().filter(|_| first.owns()).unwrap_or(first);
        if adverbs && is_state(first) || first.any(&MAKING).is_some() {
            return true;
        }
        let Some((_, word)) = first.word().filter(|_| first.any(&OTHERS).is_none()) else { return false };
        adverbs &= word.ends_with("ly") || ADVERBS.contains(&word);
        before = first;
    }
    false
}

/// What was, of verbs that make it in their own way. Those that are the same in the present are left out: put, cut, read.
const IRREGULAR: [&str; 82] = [
    "ate", "became", "began", "bent", "bit", "bled", "blew", "bought", "broke", "brought", "built", "came", "caught",
    "chose", "crept", "dealt", "drank", "dreamt", "drew", "drove", "dug", "fed", "fell", "felt", "fled", "flew",
    "forgave", "forgot", "fought", "found", "froze", "gave", "got", "grew", "heard", "held", "hid", "hung", "kept",
    "knew", "laid", "learnt", "led", "left", "lent", "lost", "made", "meant", "met", "paid", "ran", "rang", "rode",
    "rose", "said", "sang", "sank", "sat", "saw", "sent", "shook", "shot", "slept", "sold", "spent", "spoke", "stole",
    "stood", "stuck", "swam", "swept", "swore", "taught", "thought", "threw", "told", "took", "went", "woke", "won",
    "wore", "wrote",
];
