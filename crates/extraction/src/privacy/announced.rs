//! Values behind words that say what they are: `password: ...`, `密码是 ...`, `API key = ...`, `https://user:...@host`.

use std::ops::Range;

use super::key::LOOK;
use super::lead::{self, Lead, spaces};
use super::phrase::{self, is_hyphened, mixed};
use super::scan::{OTHER, Scan};
use super::{Finding, Sensitive};

/// Words that announce a value, in lower case, by what kind it is. A space stands for any sign that joins two words, or none.
const WORDS: [(&str, Sensitive); 4] = [
    (
        "password|passwort|passwd|passphrase|密码短语|passcode|combination|combo|pass|pwd|pw|pin code|pin|密码|密碼|口令|验证码|驗證碼|\
         pin码",
        Sensitive::Password,
    ),
    ("密钥|密鑰|秘钥|api key|secret key|access key|client secret|app secret|secret", Sensitive::ApiKey),
    ("access token|auth token|session token|refresh token|token|令牌", Sensitive::Token),
    ("passport number|passport no|passport|护照号码|护照号|护照", Sensitive::NationalId),
];
/// How many words may say for what a value is, `for` and four, before a sign behind them is that of a heading or an instruction and says no more
/// than a verb does: `The password to my account in three steps: open the page`. Behind fewer it is where the clause goes on.
const FEW: usize = 4;
/// Words before the name of a thing.
const OWNERS: [&str; 7] = ["my", "our", "your", "his", "her", "their", "the"];
/// How far before a word its owner may stand.
const BEFORE: usize = 32;

pub(super) fn find(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let lower = scan.text.to_lowercase();
    // Lower case may move bytes; only texts in which it does not are searched by it.
    let text = if lower.len() == scan.text.len() { lower.as_str() } else { scan.text };
    for (word, kind) in WORDS.iter().flat_map(|(words, kind)| words.split('|').map(|word| (word, *kind))) {
        let mut covered = 0;
        for place in places(scan, text, word) {
            if place.end < covered {
                continue;
            }
            for range in values(scan, word, &place, kind) {
                covered = covered.max(range.end);
                found.push(scan.finding(kind, range));
            }
        }
    }
    in_addresses(scan, found);
}

/// Where a word stands on its own; Chinese has no ends of words.
fn places(scan: &Scan<'_>, text: &str, word: &str) -> Vec<Range<usize>> {
    if !word.is_ascii() {
        let long = word.chars().count();
        return text.match_indices(word).map(|(at, _)| scan.place_of(at)).map(|at| at..at + long).collect();
    }
    let (first, second) = word.split_once(' ').map_or((word, None), |(first, second)| (first, Some(second)));
    let whole = |start: usize| {
        let mut end = start + first.len();
        if let Some(second) = second {
            let joint = usize::from(matches!(scan.byte(end), b' ' | b'-' | b'_'));
            let long = end + joint + second.len();
            let here = scan.lower.get(end + joint..long)?;
            end = (here == second.as_bytes()).then_some(long)?;
        }
        let alone = ![scan.before(start), scan.byte(end)].iter().any(u8::is_ascii_alphanumeric);
        alone.then_some(start..end)
    };
    scan.places(first.as_bytes()).filter_map(whole).collect()
}

/// What must join a word to a value that does not speak for itself: a pass is mostly another one, and to pin is a verb unless it is `PIN` or `my pin`.
fn needed(scan: &Scan<'_>, word: &str, place: &Range<usize>) -> Joint {
    let before = || scan.ahead(place.start, BEFORE).to_lowercase();
    let owned = || before().split_whitespace().next_back().is_some_and(|last| OWNERS.contains(&last));
    match word {
        "pass" | "pw" => Joint::Sign,
        "pin" if !scan.slice(place.clone()).iter().all(u8::is_ascii_uppercase) && !owned() => Joint::Verb,
        _ => Joint::None,
    }
}

/// The values behind a word. What stands in brackets is one where none follows them: `password (hunter22)`, `password (2 GHz): hunter22`.
fn values(scan: &Scan<'_>, announced: &str, word: &Range<usize>, kind: Sensitive) -> Vec<Range<usize>> {
    let of = |lead: Lead| value(scan, announced, word, kind, &lead);
    let found: Vec<Range<usize>> = lead::behind(scan, word).into_iter().filter_map(of).collect();
    if found.is_empty() { of(lead::direct(scan, word)).into_iter().collect() } else { found }
}

/// The value at a place: a verb, a sign or quotes must join it to the word, or it must speak for itself.
fn value(scan: &Scan<'_>, announced: &str, word: &Range<usize>, kind: Sensitive, lead: &Lead) -> Option<Range<usize>> {
    let Lead { mut at, joined, tail } = *lead;
    let mut sign = false;
    while matches!(scan.byte(at), b':' | b'=' | b'>' | b'(') {
        sign = true;
        at = spaces(scan, at + 1);
    }
    let told = joined || sign;
    if matches!(announced, "combination" | "combo") {
        return phrase::numbers(scan, word, at, told);
    }
    if let Some(range) = quoted(scan, at) {
        let text = scan.slice(range.clone());
        let whole = told || !text.contains(&b' ');
        return (whole && accepted(text, kind, Joint::Quotes)).then_some(range);
    }
    if matches!(announced, "passphrase" | "密码短语")
        && let Some(range) = told.then(|| phrase::several(scan, at, sign && tail <= FEW)).flatten()
    {
        return Some(range);
    }
    let stops = |b: u8| b <= b' ' || b >= 0x7F || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b',' | b';');
    let mut end = scan.run_within(at, LOOK, |b| !stops(b));
    while end > at && matches!(scan.before(end), b'.' | b')' | b']' | b'}' | b':') {
        end -= 1;
    }
    end = mixed(scan, at, end, stops);
    let text = scan.slice(at..end);
    if is_measure(scan, at..end) || !sign && is_described(text) || !told && glued(scan, word, at) {
        return None;
    }
    let joint = match (sign, joined) {
        (true, _) => Joint::Sign,
        (false, true) => Joint::Verb,
        (false, false) => Joint::None,
    };
    if joint < needed(scan, announced, word) && !is_cryptic(text) {
        return None;
    }
    let next = spaces(scan, end);
    let goes_on = next > end && scan.byte(next).is_ascii_alphanumeric();
    let heads = sign && (tail > FEW || tail > 0 && goes_on);
    let joint = if heads { Joint::Verb } else { joint };
    let all = || at..if end - at == LOOK { scan.run(end, |b| !stops(b)) } else { end };
    accepted(text, kind, joint).then(all)
}

/// Whether a value is no more than the rest of a Latin word: `password_hash`.
fn glued(scan: &Scan<'_>, word: &Range<usize>, value: usize) -> bool {
    value == word.end && scan.before(word.end).is_ascii()
}

/// What joins a value to the word that announces it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Joint {
    /// No more than white space.
    None,
    /// "is" and the like.
    Verb,
    /// A colon and the like.
    Sign,
    /// It stands in quotes.
    Quotes,
}

/// What stands between two quotes of a kind on one line.
fn quoted(scan: &Scan<'_>, at: usize) -> Option<Range<usize>> {
    const PAIRS: [(&str, &str); 8] =
        [("\"", "\""), ("'", "'"), ("`", "`"), ("“", "”"), ("「", "」"), ("‘", "’"), ("『", "』"), ("【", "】")];
    let (_, close) = PAIRS.iter().find(|(open, _)| scan.words(at..at + 1) == *open)?;
    let (start, mut end) = (at + 1, at + 1);
    while end - start < LOOK && end < scan.bytes.len() && scan.byte(end) != b'\n' {
        if scan.words(end..end + 1) == *close {
            return Some(start..end);
        }
        end += 1;
    }
    None
}

/// Whether a value may be one: what a sentence goes on with is none.
fn accepted(value: &[u8], kind: Sensitive, joint: Joint) -> bool {
    let least = if kind == Sensitive::Password { 4 } else { 8 };
    if value.len() < least || is_mark(value) || is_one(value, PLAIN) || value.windows(3).any(|part| part == b"://") {
        return false;
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let signs = value.len() - digits - letters;
    match kind {
        // A word of letters alone is a password only where a sign or quotes say so.
        Sensitive::Password if digits + signs == 0 => joint > Joint::Verb,
        // Hyphens and apostrophes are part of words, too.
        Sensitive::Password if digits == 0 => {
            let strange = |b: &u8| !b.is_ascii_alphanumeric() && !matches!(*b, b'-' | b'\'' | b'/' | b'_' | OTHER);
            joint > Joint::Verb || joint == Joint::Verb && (value.iter().any(strange) || is_hyphened(value))
        }
        Sensitive::Password => !is_date_or_size(value) || joint == Joint::Quotes,
        // Eight digits alone are a date.
        Sensitive::NationalId => {
            let written = value.iter().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase());
            written && value.len() <= 9 && digits >= 5 && (letters > 0 || digits == 9)
        }
        _ => value.len() >= 10 && joint > Joint::None && digits > 0 && letters > 0,
    }
}

/// Letters and digits together, long or with signs between them.
fn is_cryptic(value: &[u8]) -> bool {
    let has = |wanted: fn(&u8) -> bool| value.iter().any(wanted);
    let mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    mixed && value.len() >= if has(u8::is_ascii_punctuation) { 6 } else { 8 }
}

/// A mark of this filter, or a place holder.
fn is_mark(value: &[u8]) -> bool {
    let first = value.first().copied().unwrap_or(0);
    matches!(first, b'[' | b'{' | b'$' | b'%')
        || value.iter().all(|b| matches!(b, b'*' | b'x' | b'X' | b'.' | b'-' | b'_' | b'?'))
}

/// Words that stand behind "password:" in forms and messages.
const PLAIN: &str = "1password|required|optional|string|null|none|empty|wrong|incorrect|invalid|reset|hidden|missing|\
     changed|unknown|forgotten|expired|protected|your|this|that|please|enter|true|false";

/// Whether a value is one of a list of words with `|` between them.
fn is_one(value: &[u8], list: &str) -> bool {
    list.split('|').any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// `2024-05-03`, `8-16`: digits and dashes with nothing else, too few for a password of digits. `12-34-56` is no date.
fn is_date_or_size(value: &[u8]) -> bool {
    let number = |part: &[u8]| {
        part.iter().try_fold(0_u32, |n, b| {
            let digit = char::from(*b).to_digit(10)?;
            Some(n.saturating_mul(10).saturating_add(digit))
        })
    };
    let parts: Option<Vec<u32>> = value.split(|b| matches!(b, b'-' | b'/')).map(number).collect();
    let dates = |month: u32, day: u32| (1..=12).contains(&month) && (1..=31).contains(&day);
    match parts.as_deref() {
        Some([a, b, c]) => dates(*b, *c) || dates(*b, *a) || dates(*a, *b),
        Some(parts) => value.contains(&b'-') && parts.len() == 2,
        None => false,
    }
}

/// `4-digit`, `16mm`, `72h-fermentation`, `100%`, `2020年`, `3.11.4`, `v2.1`: a number that counts something, or a version.
fn is_measure(scan: &Scan<'_>, range: Range<usize>) -> bool {
    const UNITS: &str = "digit|character|char|letter|word|symbol|bit|minute|min|hour|hr|h|day|week|month|year|mm|cm|m|km|\
         mg|g|kg|ml|l|hz|khz|mhz|ghz|kb|mb|gb|tb|px|pt";
    const UNITS_HAN: &str = "年月日号位个次天岁元块版周分秒";
    const LONGEST: usize = 4;
    let number = scan.run(range.start, |b| b.is_ascii_digit());
    let value = scan.slice(range.clone());
    let version = value.strip_prefix(b"v").unwrap_or(value);
    let dots = version.iter().filter(|b| **b == b'.').count();
    if dots > usize::from(version.len() == value.len()) && version.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return true;
    }
    if !(1..=LONGEST).contains(&(number - range.start)) {
        return false;
    }
    let dash = scan.byte(number) == b'-';
    let unit = if dash { number + 1 } else { spaces(scan, number) };
    let word = scan.run_within(unit, LOOK, |b| b.is_ascii_alphabetic());
    let letters = scan.slice(unit..word);
    let counted = is_one(letters.strip_suffix(b"s").unwrap_or(letters), UNITS)
        || UNITS_HAN.contains(scan.words(unit..unit + 1)) && scan.byte(unit) == OTHER;
    // What goes on in small letters is a compound, as in `72h-fermentation`; `5kg-Sugar#1` is none.
    let behind = scan.slice(word..range.end);
    let compound =
        behind.first().is_none_or(|b| *b == b'-') && behind.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    scan.slice(number..range.end) == b"%" || counted && (number == range.end || compound)
}

/// `ERC20-compatible`, `1Password-managed`: a word that says how something is, with what it is so by before it.
fn is_described(value: &[u8]) -> bool {
    const ENDS: [&[u8]; 5] = [b"ed", b"ble", b"ing", b"like", b"free"];
    let end = value.rsplit(|b| *b == b'-').next().unwrap_or_default();
    end.len() < value.len() && end.iter().all(u8::is_ascii_lowercase) && ENDS.iter().any(|word| end.ends_with(word))
}

/// `scheme://user:password@host`.
fn in_addresses(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for at in scan.places(b"://") {
        let start = at + 3;
        let end = scan.run(start, |b| b > b' ' && b < 0x7F && !matches!(b, b'/' | b'?' | b'#' | b'"' | b'<' | b'>'));
        let host = scan.slice(start..end);
        let Some(sign) = host.iter().rposition(|b| *b == b'@') else { continue };
        let Some(colon) = host.get(..sign).and_then(|user| user.iter().position(|b| *b == b':')) else { continue };
        if colon + 1 < sign && !is_mark(host.get(colon + 1..sign).unwrap_or_default()) {
            found.push(scan.finding(Sensitive::Password, start + colon + 1..start + sign));
        }
    }
}
