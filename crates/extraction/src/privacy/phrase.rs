//! Values of several parts: passphrases, combinations of locks, words of two scripts.

use std::ops::Range;

use super::key::LOOK;
use super::lead::spaces;
use super::scan::{OTHER, Scan};
use crate::words::names;

/// What has a combination, in the words before it or between it and its value.
const LOCKS: &str = "lock|locker|padlock|safe|vault|suitcase|briefcase|gym|bike|door|gate|garage";
/// How far before a combination what has it may be named.
const NEAR: usize = 32;
/// What a sentence about a passphrase goes on with, and what ends one that is told.
const STOPS: &str = "a|an|the|my|your|our|his|her|their|this|that|it|i|you|we|they|to|of|in|on|at|by|for|from|with|without|via|upon|per|through|before|after|until|under|over|into|about|as|than|up|down|out|off|away|somewhere|here|there|too|very|\
     so|not|no|never|still|now|also|just|only|again|already|always|quite|really|pretty|more|less|is|was|are|be|been|has|have|had|can|\
     will|must|what|which|who|when|where|how|if|unless|word|words|character|characters|letter|letters|digits|long|short|random|wrong|\
     weak|strong|easy|hard|secret|safe|secure|simple|unknown|available|sent|given|written|sensitive|required|optional|missing|incorrect|invalid|empty";
/// What begins another clause behind a passphrase.
const JOINTS: &str = "and|but|so|because";
/// What a line about a passphrase begins with, where it does not say it.
const ELSEWHERE: &str = "see|ask|in|on|at|as|same|use|not|no|none|please|enter|what|required|optional|missing|unknown|wrong|incorrect|\
     invalid|stored|saved|kept|hidden|reset|changed|forgotten|expired";
const ELSEWHERE_HAN: [&str; 9] = ["请", "见", "参见", "详见", "忘", "必填", "可选", "未知", "错误"];

/// A passphrase of several words, to the end of its clause. Behind a sign it may hold any words of any script, behind "is" three or more that a
/// sentence about a passphrase does not go on with.
pub(super) fn several(scan: &Scan<'_>, at: usize, sign: bool) -> Option<Range<usize>> {
    let (mut from, mut end, mut words) = (at, at, 0_usize);
    while end - at < LOOK {
        let to = part(scan, from, sign);
        let word = scan.words(from..to).to_lowercase();
        if word.is_empty() {
            break;
        }
        let describes = words == 0 && word.len() > 4 && (word.ends_with("ed") || word.ends_with("ly"));
        match sign {
            true if words == 0 && is_elsewhere(&word) => return None,
            false if words > 0 && names(&word, JOINTS) => break,
            false if names(&word, STOPS) || describes => return None,
            _ => {}
        }
        (end, from, words) = (to, spaces(scan, to), words.saturating_add(1));
    }
    (words >= if sign { 2 } else { 3 }).then_some(at..end)
}

/// The end of a word of a passphrase. Other letters are words of a sentence about it where no sign stands before them.
fn part(scan: &Scan<'_>, from: usize, sign: bool) -> usize {
    let other = |c: char| c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36F}' | '’');
    let fits = |(c, at): &(char, usize)| match scan.byte(*at) {
        OTHER => sign && other(*c),
        b => b.is_ascii_alphanumeric() || matches!(b, b'-' | b'\''),
    };
    from + scan.words(from..from + LOOK).chars().zip(from..).take_while(fits).count()
}

/// Whether the first word behind a sign begins a line about a passphrase.
fn is_elsewhere(word: &str) -> bool {
    if word.is_ascii() { names(word, ELSEWHERE) } else { ELSEWHERE_HAN.iter().any(|begin| word.starts_with(begin)) }
}

/// The numbers of a combination, `12-34-56`, where a lock is named with it.
pub(super) fn numbers(scan: &Scan<'_>, word: &Range<usize>, at: usize, told: bool) -> Option<Range<usize>> {
    let near = format!("{} {}", scan.ahead(word.start, NEAR), scan.words(word.end..at)).to_lowercase();
    if !names(&near, LOCKS) {
        return None;
    }
    let first = scan.run_within(at, LOOK, |b| b.is_ascii_digit());
    let (mut end, mut groups) = (first, usize::from(first > at));
    while matches!(scan.byte(end), b'-' | b' ' | b'/' | b'.') || scan.words(end..end + 1) == "–" {
        let next = scan.run_within(end + 1, 3, |b| b.is_ascii_digit());
        if next == end + 1 || next - at > LOOK {
            break;
        }
        (end, groups) = (next, groups.saturating_add(1));
    }
    let whole = groups == 1 && told && (4..=8).contains(&(end - at));
    let short = first - at <= 2 && groups >= 3;
    ((whole || short) && !scan.byte(end).is_ascii_alphanumeric()).then_some(at..end)
}

/// The end of a value that goes on in another script and comes back: `hello世界123`.
pub(super) fn mixed(scan: &Scan<'_>, at: usize, end: usize, stops: impl Fn(u8) -> bool) -> usize {
    if end == at || scan.byte(end) != OTHER {
        return end;
    }
    let most = scan.run_within(end, LOOK, |b| b == OTHER || !stops(b));
    let letters = scan.words(end..most).chars().take_while(|c| c.is_ascii() || c.is_alphanumeric()).count();
    let marks = |b: &&u8| matches!(b, b'.' | b')' | b']' | b'}' | b':');
    let last = end + letters - scan.slice(end..end + letters).iter().rev().take_while(marks).count();
    if scan.before(last).is_ascii_alphanumeric() { last } else { end }
}

/// `Blue-Heron-Lake`, `correct-horse-battery-staple`: words joined as nobody joins those of a sentence.
pub(super) fn is_hyphened(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|b| matches!(b, b'-' | b'_')).collect();
    let letters = parts.iter().all(|part| part.len() > 2 && part.iter().all(u8::is_ascii_alphabetic));
    let names = parts.len() >= 3 && parts.iter().all(|part| part.first().is_some_and(u8::is_ascii_uppercase));
    letters && (names || parts.len() >= 4 && parts.iter().all(|part| part.len() > 3))
}
