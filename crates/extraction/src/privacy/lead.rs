//! What leads from a word that announces a value to the value: `for the 2 GHz router is now`, 已经改成了.

use std::ops::Range;

use super::scan::{OTHER, Scan, is_word};

/// What says for what a value is: `password for my bank`.
const PREPOSITIONS: [&str; 6] = ["for", "to", "of", "on", "at", "in"];
/// How many characters may stand behind one, before a verb or a sign. Whatever they are they only name a thing.
const TAIL: usize = 80;
/// What begins another clause, whose verb tells of something else.
const JOINTS: [&str; 11] =
    ["but", "because", "since", "although", "though", "while", "when", "if", "so", "where", "which"];
/// Verbs between a word and its value.
const VERBS: [&str; 8] = ["is", "was", "are", "'s", "’s", "changed to", "set to", "reset to"];
/// What becomes one of them with "been" behind it: `has just been`.
const HAVING: [&str; 3] = ["has", "have", "had"];
/// Words beside them.
const ADVERBS: [&str; 6] = ["also", "now", "still", "just", "already", "recently"];
/// The same in Chinese, character by character: 我已经改成了, 六位数是, 现在是这个.
const VERBS_HAN: &str = "是为為成叫";
const ADVERBS_HAN: &str = "已经应该现在一直还我就都也改设置换用了的这个前后位数字二两三四五六七八九十";
/// The most of them in a row.
const CHAIN: usize = 12;
/// How far before a word it may be said that it was changed.
const BEFORE: usize = 32;

/// Where a value or a sign before it may begin, and whether a verb leads there.
pub(super) struct Lead {
    pub(super) at: usize,
    pub(super) joined: bool,
    /// How many words with white space between them say for what the value is.
    pub(super) tail: usize,
}

/// All that may lead from a word to a value of it. What stands in brackets behind the word names a thing, too.
pub(super) fn behind(scan: &Scan<'_>, word: &Range<usize>) -> Vec<Lead> {
    // 's is no closing quote.
    if let Some(end) = ["'s", "’s"].iter().find_map(|is| skip(scan, word.end, is)) {
        return vec![chain(scan, spaces(scan, end), true)];
    }
    let start = start(scan, word);
    let at = brackets(scan, start).map_or(start, |end| spaces(scan, end));
    let mut leads = vec![chain(scan, at, false)];
    tails(scan, at, is_changed(scan, word), &mut leads);
    leads
}

/// What leads to a value right behind a word, in brackets or without.
pub(super) fn direct(scan: &Scan<'_>, word: &Range<usize>) -> Lead {
    chain(scan, start(scan, word), false)
}

/// Behind a word and the quote or bracket that closes a name, as in `"password": "..."`.
fn start(scan: &Scan<'_>, word: &Range<usize>) -> usize {
    let end = scan.run(word.end, |b| matches!(b, b'"' | b'\'' | b'`' | b'*' | b')'));
    spaces(scan, end)
}

/// Whether a word is told to be changed, "I changed the password to": without that, "to" is a preposition.
fn is_changed(scan: &Scan<'_>, word: &Range<usize>) -> bool {
    let before = scan.ahead(word.start, BEFORE).to_lowercase();
    ["chang", "set", "updat"].iter().any(|verb| before.contains(verb))
}

/// Behind verbs and the words beside them.
fn chain(scan: &Scan<'_>, mut at: usize, mut joined: bool) -> Lead {
    for _ in 0..CHAIN {
        let verb = verb(scan, at).or_else(|| han(scan, at, VERBS_HAN));
        joined |= verb.is_some();
        let Some(end) = verb.or_else(|| adverb(scan, at)).or_else(|| han(scan, at, ADVERBS_HAN)) else { break };
        at = spaces(scan, end);
    }
    Lead { at, joined, tail: 0 }
}

/// What follows `for my bank`, or `to` where the word is changed: up to the first verb or sign of the clause, whatever words stand before it. A sign
/// may belong to a name (`localhost:8080`), and so does not end the search where no white space follows it.
fn tails(scan: &Scan<'_>, at: usize, changed: bool, leads: &mut Vec<Lead>) {
    if !PREPOSITIONS.iter().any(|word| skip(scan, at, word).is_some()) {
        return;
    }
    let (mut at, most, mut tail) = (at, at + TAIL, 0_usize);
    while at < most && !JOINTS.iter().any(|word| skip(scan, at, word).is_some()) {
        if let Some(end) = skip(scan, at, "to").filter(|_| changed) {
            leads.push(chain(scan, spaces(scan, end), true));
        }
        if han(scan, at, VERBS_HAN).is_some() {
            leads.push(chain(scan, at, false));
        }
        if verb(scan, at).is_some() {
            return leads.push(chain(scan, at, false));
        }
        let end = scan
            .run_within(at, most - at, |b| b > b' ' && !matches!(b, b',' | b';' | b'!' | b'?' | b':' | b'=' | b'('));
        if scan.words(at..end).contains(['。', '、']) {
            return;
        }
        match scan.byte(end) {
            b' ' | b'\t' if scan.before(end) != b'.' => (at, tail) = (spaces(scan, end), tail.saturating_add(1)),
            b'(' => match brackets(scan, end) {
                Some(behind) => at = spaces(scan, behind),
                None => return,
            },
            b':' | b'=' => {
                if !is_inside(scan, end) {
                    leads.push(Lead { at: end, joined: false, tail });
                }
                if matches!(scan.byte(end + 1), b' ' | b'\t' | OTHER) {
                    return;
                }
                at = end + 1;
            }
            _ => return,
        }
    }
}

/// Whether a sign stands inside an address or a time of day.
fn is_inside(scan: &Scan<'_>, sign: usize) -> bool {
    let digits = scan.before(sign).is_ascii_digit() && scan.byte(sign + 1).is_ascii_digit();
    digits || scan.slice(sign..sign + 3) == b"://"
}

/// The place behind what stands in brackets here.
fn brackets(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let inside = (scan.byte(at) == b'(').then_some(at + 1)?;
    let end = scan.run_within(inside, TAIL, |b| !matches!(b, b'(' | b')' | b'\n'));
    (scan.byte(end) == b')').then_some(end + 1)
}

fn verb(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let been = || {
        let mut at = spaces(scan, HAVING.iter().find_map(|word| skip(scan, at, word))?);
        if let Some(end) = adverb(scan, at) {
            at = spaces(scan, end);
        }
        skip(scan, at, "been")
    };
    VERBS.iter().find_map(|word| skip(scan, at, word)).or_else(been)
}

fn adverb(scan: &Scan<'_>, at: usize) -> Option<usize> {
    ADVERBS.iter().find_map(|word| skip(scan, at, word))
}

/// The place behind one of some Chinese characters.
fn han(scan: &Scan<'_>, at: usize, signs: &str) -> Option<usize> {
    (scan.byte(at) == OTHER && signs.contains(scan.words(at..at + 1))).then_some(at + 1)
}

pub(super) fn spaces(scan: &Scan<'_>, at: usize) -> usize {
    scan.run(at, |b| matches!(b, b' ' | b'\t'))
}

/// The place behind a word, if it stands here on its own.
fn skip(scan: &Scan<'_>, at: usize, word: &str) -> Option<usize> {
    let end = at + word.chars().count();
    let here = scan.words(at..end);
    let fits = here.eq_ignore_ascii_case(word) && (!word.is_ascii() || !is_word(scan.byte(end)));
    fits.then_some(end)
}
