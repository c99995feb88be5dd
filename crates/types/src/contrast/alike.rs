//! What may differ between two texts that say the same: words written as one, particles, words that only stress, and a few that are alike.

use super::words::{Case, Word};

/// Words written as one, as they are apart.
const JOINED: [(&str, &[&str]); 14] = [
    ("can't", &["can", "not"]),
    ("cannot", &["can", "not"]),
    ("won't", &["will", "not"]),
    ("shan't", &["shall", "not"]),
    ("i'm", &["i", "am"]),
    ("it's", &["it", "is"]),
    ("he's", &["he", "is"]),
    ("she's", &["she", "is"]),
    ("that's", &["that", "is"]),
    ("there's", &["there", "is"]),
    ("what's", &["what", "is"]),
    ("who's", &["who", "is"]),
    ("gonna", &["going", "to"]),
    ("let's", &["let", "us"]),
];
/// Endings that are words, behind an apostrophe.
const ENDINGS: [(&str, &str); 4] = [("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will")];

/// Words that are written without their apostrophe, by what stands behind it. Its, were, well and lets are words of their own.
const BARE: [(&str, &[&str]); 6] = [
    (
        "n't",
        &[
            "do", "does", "did", "is", "are", "was", "were", "has", "have", "had", "ca", "could", "wo", "would",
            "should", "must", "need",
        ],
    ),
    ("'m", &["i"]),
    ("'re", &["you", "they"]),
    ("'ve", &["i", "you", "we", "they"]),
    ("'ll", &["you", "they"]),
    ("'s", &["he", "she", "that", "there", "what", "who"]),
];

/// Particles that say nothing at the end of a clause. 吧 doubts.
const PARTICLES: [&str; 5] = ["啊", "呀", "哦", "嘛", "呢"];
/// Words that end as particles do.
const NO_PARTICLES: [(&str, &str); 3] = [("干", "嘛"), ("毛", "呢"), ("喇", "嘛")];
/// In how many words before a 了 at the end of a clause a 不 is looked for.
const CLAUSE: usize = 16;

/// Words that only stress; behind a no they say how much.
const STRESS: [&str; 3] = ["really", "very", "很"];
/// How many words a no may stand before them: 不是很.
const BEHIND: usize = 3;
/// Words that only stress a liking.
const STRESSED_LIKING: [&[&str]; 5] = [&["非", "常"], &["特", "别"], &["真", "的"], &["平", "时"], &["挺"]];
/// Words for liking something.
const LIKINGS: [&[&str]; 3] = [&["喜", "欢"], &["喜", "爱"], &["偏", "好"]];
/// The same before a tool with a Latin name; a child that is 偏爱 is not merely liked.
const LIKINGS_OF_TOOLS: [&[&str]; 5] =
    [&["喜", "欢", "用"], &["偏", "好", "用"], &["偏", "爱", "用"], &["偏", "爱"], &["爱", "用"]];
/// Other words that may stand in each other's place.
const ALIKE: [(&[&str], &[&str]); 3] =
    [(&["使", "用"], &["用"]), (&["居", "住", "在"], &["住", "在"]), (&["编", "程", "风", "格"], &["编", "程"])];
/// Words for persons: whom one loves and whom one likes are two.
const PERSONS: [&str; 11] = ["me", "you", "him", "her", "us", "them", "my", "your", "his", "our", "their"];

/// The words of a text in one form.
pub(super) fn told(words: Vec<Word>) -> Vec<Word> {
    let mut apart = Vec::with_capacity(words.len());
    for word in words {
        take_apart(word, &mut apart);
    }
    let words = without_particles(&apart);
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut rest = words.as_slice();
    while let Some((word, behind)) = rest.split_first() {
        let taken = if let Some(taken) = stressing(&kept, rest) {
            taken
        } else if let Some((form, taken)) = alike(rest) {
            kept.extend(form.iter().map(|text| Word::plain(*text)));
            taken
        } else {
            let like = likes(word, behind.first());
            kept.push(like.unwrap_or_else(|| word.clone()));
            1
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    kept
}

/// A word with the apostrophe that it was written without: dont, im, youre.
fn with_apostrophe(text: &str) -> Option<String> {
    BARE.iter().find_map(|(ending, stems)| {
        let stem = text.strip_suffix(ending.replace('\'', "").as_str())?;
        stems.contains(&stem).then(|| format!("{stem}{ending}"))
    })
}

fn take_apart(word: Word, apart: &mut Vec<Word>) {
    let word = Word { text: with_apostrophe(&word.text).unwrap_or(word.text), ..word };
    let joined = JOINED.iter().find(|(joined, _)| *joined == word.text).map(|(_, parts)| *parts);
    let ending = || ENDINGS.iter().find_map(|(ending, part)| Some((word.text.strip_suffix(ending)?, *part)));
    if let Some(parts) = joined {
        apart.extend(parts.iter().map(|part| Word::plain(*part)));
    } else if let Some((stem, part)) = ending() {
        let stem = stem.to_owned();
        apart.extend([Word { text: stem, ends: false, ..word }, Word::plain(part)]);
    } else {
        apart.push(word);
        return;
    }
    if let Some(last) = apart.last_mut() {
        last.ends = word.ends;
    }
}

fn without_particles(words: &[Word]) -> Vec<Word> {
    let mut kept = Vec::with_capacity(words.len());
    let mut ends = true;
    for (at, word) in words.iter().enumerate().rev() {
        ends = ends || word.ends;
        ends = ends && is_particle(words.get(..at).unwrap_or_default(), &word.text);
        if !ends {
            kept.push(word.clone());
        }
    }
    kept.reverse();
    kept
}

/// Whether a word at the end of a clause is a particle there. 了 says that something has happened, but for an age and for what is no more.
fn is_particle(before: &[Word], text: &str) -> bool {
    let last = before.last().map(|word| word.text.as_str());
    if text == "了" {
        let clause = before.iter().rev().take(CLAUSE).take_while(|word| !word.ends);
        return last == Some("岁") || clause.into_iter().any(|word| word.text == "不");
    }
    PARTICLES.contains(&text) && !NO_PARTICLES.iter().any(|(first, second)| last == Some(first) && text == *second)
}

/// How many of the next words only stress what follows.
fn stressing(before: &[Word], rest: &[Word]) -> Option<usize> {
    let is_no = |word: &Word| ["not", "no", "never", "不", "没"].contains(&word.text.as_str());
    if before.iter().rev().take(BEHIND).any(is_no) {
        return None;
    }
    let follows = |taken: usize| rest.get(taken - 1).is_some_and(|word| !word.ends) && rest.len() > taken;
    if rest.first().is_some_and(|word| STRESS.contains(&word.text.as_str())) {
        return follows(1).then_some(1);
    }
    let phrase = STRESSED_LIKING.iter().find(|phrase| begins_with(rest, phrase))?;
    liking(rest.get(phrase.len()..).unwrap_or_default()).map(|_| phrase.len())
}

/// What stands for the next words, and how many they are.
fn alike(rest: &[Word]) -> Option<(&'static [&'static str], usize)> {
    let other = ALIKE.iter().find(|(phrase, _)| begins_with(rest, phrase));
    let other = other.map(|(phrase, form)| (*form, phrase.len()));
    other.or_else(|| Some((&["喜欢"] as &[&str], liking(rest)?)))
}

fn liking(rest: &[Word]) -> Option<usize> {
    let tool =
        |taken: usize| rest.get(taken).is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_alphabetic()));
    let of_tools = LIKINGS_OF_TOOLS.iter().find(|phrase| begins_with(rest, phrase) && tool(phrase.len()));
    of_tools.or_else(|| LIKINGS.iter().find(|phrase| begins_with(rest, phrase))).map(|phrase| phrase.len())
}

/// "Like" for the love of a thing.
fn likes(word: &Word, next: Option<&Word>) -> Option<Word> {
    let text = match word.text.as_str() {
        "love" => "like",
        "loves" => "likes",
        _ => return None,
    };
    let thing = next.is_some_and(|next| next.case == Case::Common && !PERSONS.contains(&next.text.as_str()));
    (thing && !word.ends).then(|| Word { text: text.to_owned(), ..word.clone() })
}

fn begins_with(words: &[Word], phrase: &[&str]) -> bool {
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, wanted)| word.text == *wanted)
}
