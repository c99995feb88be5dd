//! Values behind words that say what they are: `password: ...`, `密码是 ...`, `API key = ...`, `https://user:...@host`.

use std::ops::Range;

use super::key::LOOK;
use super::scan::{OTHER, Scan, is_word};
use super::{Finding, Sensitive};

/// Words that announce a value, in lower case, and of what kind it is.
const WORDS: [(&str, Sensitive); 39] = [
    ("password", Sensitive::Password),
    ("passwd", Sensitive::Password),
    ("passphrase", Sensitive::Password),
    ("passcode", Sensitive::Password),
    ("pwd", Sensitive::Password),
    ("pin code", Sensitive::Password),
    ("pin", Sensitive::Password),
    ("密码", Sensitive::Password),
    ("密碼", Sensitive::Password),
    ("口令", Sensitive::Password),
    ("驗證碼", Sensitive::Password),
    ("密鑰", Sensitive::ApiKey),
    ("验证码", Sensitive::Password),
    ("pin码", Sensitive::Password),
    ("密钥", Sensitive::ApiKey),
    ("秘钥", Sensitive::ApiKey),
    ("api key", Sensitive::ApiKey),
    ("api-key", Sensitive::ApiKey),
    ("apikey", Sensitive::ApiKey),
    ("api_key", Sensitive::ApiKey),
    ("secret key", Sensitive::ApiKey),
    ("secret_key", Sensitive::ApiKey),
    ("secretkey", Sensitive::ApiKey),
    ("access key", Sensitive::ApiKey),
    ("access_key", Sensitive::ApiKey),
    ("accesskey", Sensitive::ApiKey),
    ("client_secret", Sensitive::ApiKey),
    ("client secret", Sensitive::ApiKey),
    ("app_secret", Sensitive::ApiKey),
    ("appsecret", Sensitive::ApiKey),
    ("access_token", Sensitive::Token),
    ("access token", Sensitive::Token),
    ("auth_token", Sensitive::Token),
    ("auth token", Sensitive::Token),
    ("session token", Sensitive::Token),
    ("refresh_token", Sensitive::Token),
    ("token", Sensitive::Token),
    ("令牌", Sensitive::Token),
    ("secret", Sensitive::ApiKey),
];

/// What may stand between a word and its value, in this order, each once at most.
const BRIDGES: [&[&str]; 4] = [
    &["for the wifi", "for wifi", "of the router", "for the router", "for my laptop", "for my email", "for netflix"],
    &["已经", "应该", "现在", "一直", "还", "我", "就", "都", "also", "now", "still"],
    &[
        "is",
        "was",
        "are",
        "to",
        "是",
        "为",
        "為",
        "改成了",
        "改成",
        "改为",
        "设成了",
        "设成",
        "设置为",
        "设为",
        "叫",
        "换成了",
        "换成",
    ],
    &["still", "now", "just", "这个", "个"],
];

pub(super) fn find(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for (word, kind) in WORDS {
        let mut covered = 0;
        for start in places(scan, word) {
            let end = start + word.chars().count();
            if let Some(range) = Some(end).filter(|end| *end >= covered).and_then(|end| value(scan, end, kind)) {
                covered = range.end;
                found.push(scan.finding(kind, range));
            }
        }
    }
    in_addresses(scan, found);
}

/// Where a word stands on its own; Chinese has no ends of words.
fn places(scan: &Scan<'_>, word: &str) -> Vec<usize> {
    if word.is_ascii() {
        let alone = |at: &usize| !scan.before(*at).is_ascii_alphanumeric();
        let ends = |at: &usize| !scan.byte(at + word.len()).is_ascii_alphanumeric();
        return scan.places(word.as_bytes()).filter(|at| alone(at) && ends(at)).collect();
    }
    let lower = scan.text.to_lowercase();
    // Lower case may move bytes; only texts in which it does not are searched by it.
    let text = if lower.len() == scan.text.len() { lower.as_str() } else { scan.text };
    text.match_indices(word).map(|(at, _)| scan.place_of(at)).collect()
}

/// The value behind a word: something must join them, or the value must speak for itself.
fn value(scan: &Scan<'_>, after: usize, kind: Sensitive) -> Option<Range<usize>> {
    let mut at = quotes(scan, spaces(scan, after));
    let mut joined = false;
    for (step, bridge) in BRIDGES.iter().enumerate() {
        if let Some(end) = bridge.iter().find_map(|word| skip(scan, at, word)) {
            joined |= step == 2;
            at = spaces(scan, end);
        }
    }
    let mut sign = false;
    while matches!(scan.byte(at), b':' | b'=' | b'>' | b'(') {
        sign = true;
        at = spaces(scan, at + 1);
    }
    let quote = scan.byte(at);
    let quoted = matches!(quote, b'"' | b'\'' | b'`') || is_quote(scan, at);
    let start = at + usize::from(quoted);
    let stops =
        |b: u8| b <= b' ' || b >= 0x7F || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>') || (b == b',' || b == b';');
    let mut end = scan.run_within(start, LOOK, |b| !stops(b));
    while end > start && matches!(scan.before(end), b'.' | b')' | b']' | b'}' | b':') && !quoted {
        end -= 1;
    }
    let text = scan.slice(start..end);
    // 密码 admin@2023: a space says enough in front of what is no word and no number.
    let bare = at > after && kind == Sensitive::Password && is_cryptic(text);
    let all = || start..if end - start == LOOK { scan.run(end, |b| !stops(b)) } else { end };
    accepted(text, kind, joined || bare, sign, quoted).then(all)
}

/// Whether a value may be one: what a sentence goes on with is none.
fn accepted(value: &[u8], kind: Sensitive, joined: bool, sign: bool, quoted: bool) -> bool {
    let least = match kind {
        Sensitive::Password => 4,
        _ => 10,
    };
    if value.len() < least || !(joined || sign || quoted) || is_mark(value) {
        return false;
    }
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let letters = value.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let signs = value.len() - digits - letters;
    match kind {
        // A word of letters alone is a password only where a sign or quotes say so.
        Sensitive::Password if digits + signs == 0 => (sign || quoted) && !is_plain_word(value),
        // Hyphens and apostrophes are part of words, too.
        Sensitive::Password if digits == 0 => {
            sign || quoted
                || value.iter().any(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'\'' | b'/' | b'_'))
        }
        Sensitive::Password => !is_date_or_size(value) || quoted,
        _ => digits > 0 && letters > 0,
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
fn is_plain_word(value: &[u8]) -> bool {
    const WORDS: [&str; 24] = [
        "required",
        "optional",
        "string",
        "null",
        "none",
        "empty",
        "wrong",
        "incorrect",
        "invalid",
        "reset",
        "hidden",
        "missing",
        "changed",
        "unknown",
        "forgotten",
        "expired",
        "protected",
        "your",
        "this",
        "that",
        "please",
        "enter",
        "true",
        "false",
    ];
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

/// `2024-05-03`, `8-16`: digits and dashes with nothing else, too few for a password of digits.
fn is_date_or_size(value: &[u8]) -> bool {
    value.contains(&b'-') && value.iter().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'/'))
}

fn spaces(scan: &Scan<'_>, at: usize) -> usize {
    scan.run(at, |b| matches!(b, b' ' | b'\t'))
}

/// Behind a closing quote or bracket of a name, as in `"password": "..."`.
fn quotes(scan: &Scan<'_>, at: usize) -> usize {
    let end = scan.run(at, |b| matches!(b, b'"' | b'\'' | b'`' | b'*' | b')'));
    spaces(scan, end)
}

fn is_quote(scan: &Scan<'_>, at: usize) -> bool {
    scan.byte(at) == OTHER && matches!(scan.words(at..at + 1), "“" | "「" | "‘" | "『" | "【")
}

/// The place behind a word, if it stands here on its own.
fn skip(scan: &Scan<'_>, at: usize, word: &str) -> Option<usize> {
    let end = at + word.chars().count();
    let here = scan.words(at..end);
    let fits = here.eq_ignore_ascii_case(word) && (!word.is_ascii() || !is_word(scan.byte(end)));
    fits.then_some(end)
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
