use super::scan::{Scan, is_word};
use super::{Finding, Sensitive};

/// By how many characters it is judged whether something is a key; all of one is found however long it is. To look at each to its end would
/// take the square of a text's length.
pub(super) const LOOK: usize = 512;

/// How keys of a service begin, the least length of what follows, and what they are.
const BEGINNINGS: [(&str, usize, Sensitive); 34] = [
    ("sk-", 16, Sensitive::ApiKey),
    ("sk_live_", 10, Sensitive::ApiKey),
    ("sk_test_", 10, Sensitive::ApiKey),
    ("rk_live_", 10, Sensitive::ApiKey),
    ("pk_live_", 10, Sensitive::ApiKey),
    ("AKIA", 16, Sensitive::ApiKey),
    ("ASIA", 16, Sensitive::ApiKey),
    ("AIza", 30, Sensitive::ApiKey),
    ("LTAI", 12, Sensitive::ApiKey),
    ("AKID", 20, Sensitive::ApiKey),
    ("gsk_", 20, Sensitive::ApiKey),
    ("xai-", 20, Sensitive::ApiKey),
    ("tvly-", 16, Sensitive::ApiKey),
    ("r8_", 20, Sensitive::ApiKey),
    ("hf_", 20, Sensitive::Token),
    ("ghp_", 20, Sensitive::Token),
    ("gho_", 20, Sensitive::Token),
    ("ghu_", 20, Sensitive::Token),
    ("ghs_", 20, Sensitive::Token),
    ("ghr_", 20, Sensitive::Token),
    ("github_pat_", 20, Sensitive::Token),
    ("glpat-", 16, Sensitive::Token),
    ("xoxb-", 12, Sensitive::Token),
    ("xoxp-", 12, Sensitive::Token),
    ("xoxa-", 12, Sensitive::Token),
    ("xapp-", 12, Sensitive::Token),
    ("npm_", 20, Sensitive::Token),
    ("pypi-", 20, Sensitive::Token),
    ("dop_v1_", 20, Sensitive::Token),
    ("shpat_", 20, Sensitive::Token),
    ("ya29.", 20, Sensitive::Token),
    ("SG.", 20, Sensitive::Token),
    ("ATATT3", 20, Sensitive::Token),
    ("sbp_", 20, Sensitive::Token),
];

pub(super) fn find(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    for (beginning, least, kind) in BEGINNINGS {
        let lower = beginning.to_ascii_lowercase();
        let mut covered = 0;
        for start in scan.places(lower.as_bytes()) {
            if start < covered {
                continue;
            }
            // The case of a beginning is part of it.
            let here = start..start + beginning.len();
            if scan.slice(here.clone()) != beginning.as_bytes() || is_word(scan.before(start)) {
                continue;
            }
            let part = |b| is_word(b) || matches!(b, b'-' | b'.');
            let near = trimmed(scan, here.end, scan.run_within(here.end, LOOK, part));
            // A key has digits; sk-learn-contrib-something has none.
            if near >= here.end + least && scan.slice(here.end..near).iter().any(u8::is_ascii_digit) {
                let end = trimmed(scan, here.end, scan.run(near, part));
                found.push(scan.finding(kind, start..end));
                covered = end;
            }
        }
    }
    web_tokens(scan, found);
    bearers(scan, found);
    private_keys(scan, found);
}

/// The end without dots and dashes that belong to the sentence.
fn trimmed(scan: &Scan<'_>, start: usize, end: usize) -> usize {
    let tail = scan.slice(start..end).iter().rev().take_while(|b| matches!(b, b'.' | b'-')).count();
    end - tail
}

/// JSON web tokens: three parts in base64, the first of which begins with `{"`.
fn web_tokens(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let mut run = 0..0;
    let mut covered = 0;
    for start in scan.places(b"eyj") {
        if start < covered || scan.slice(start..start + 3) != b"eyJ" || is_word(scan.before(start)) {
            continue;
        }
        if !run.contains(&start) {
            run = start..scan.run(start, |b| is_word(b) || matches!(b, b'-' | b'.'));
        }
        let end = trimmed(scan, start, run.end);
        let mut parts = scan.slice(start..end).split(|b| *b == b'.').take(2).map(<[u8]>::len);
        match (parts.next(), parts.next()) {
            (Some(8..), Some(8..)) => found.push(scan.finding(Sensitive::Token, start..end)),
            // In the rest of it there is no dot either.
            (_, None) => {}
            _ => continue,
        }
        covered = end;
    }
}

/// `Bearer ...`
fn bearers(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    // A space ends each of them, so that none is looked at twice.
    for at in scan.places(b"bearer ") {
        let start = at + b"bearer ".len();
        let end =
            trimmed(scan, start, scan.run(start, |b| is_word(b) || matches!(b, b'-' | b'.' | b'=' | b'/' | b'+')));
        if end >= start + 16 && scan.slice(start..end).iter().any(u8::is_ascii_digit) {
            found.push(scan.finding(Sensitive::Token, start..end));
        }
    }
}

/// From `-----BEGIN ... PRIVATE KEY-----` to its end, or to the end of the text when it was cut off.
fn private_keys(scan: &Scan<'_>, found: &mut Vec<Finding>) {
    let mut from = 0;
    while let Some(begin) = scan.text.get(from..).and_then(|rest| rest.find("-----BEGIN ")).map(|at| from + at) {
        let rest = scan.text.get(begin..).unwrap_or_default();
        let head = rest.split('\n').next().unwrap_or_default();
        if !head.contains("PRIVATE KEY") {
            from = begin + 11;
            continue;
        }
        let end = rest.find("-----END ").map_or(rest.len(), |at| {
            let tail = rest.get(at + 9..).unwrap_or_default();
            tail.find("-----").map_or(rest.len(), |close| at + 9 + close + 5)
        });
        found.push(scan.finding(Sensitive::PrivateKey, scan.place_of(begin)..scan.place_of(begin + end)));
        from = begin + end.max(1);
    }
}
