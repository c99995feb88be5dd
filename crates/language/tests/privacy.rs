#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

//! Secrets and personal data, against a list written by hand.

use annals_language::privacy::{Filter, Redacted, Sensitive, find};
use annals_types::profile::{PrivacyAction, PrivacySettings};
use proptest::prelude::*;

const LIST: &str = include_str!("data/privacy.tsv");

/// Secrets of the list that only the prose around them tells: passphrases behind "is", a lock named
/// behind its combination.
const MISSED: usize = 7;

fn all(action: PrivacyAction) -> PrivacySettings {
    PrivacySettings {
        api_key: action,
        token: action,
        private_key: action,
        password: action,
        card: action,
        iban: action,
        national_id: action,
        phone: action,
        email: action,
        rules: Vec::new(),
    }
}

/// Kind, text without marks, and what is marked.
fn rows() -> Vec<(String, String, Option<String>)> {
    let row = |line: &str| {
        let (kind, text) = line.split_once('\t').unwrap();
        let text = text.replace("\\n", "\n");
        let marked = text
            .split_once('«')
            .and_then(|(_, rest)| rest.split_once('»'))
            .map(|(inside, _)| inside.to_owned());
        (kind.to_owned(), text.replace(['«', '»'], ""), marked)
    };
    LIST.lines()
        .filter(|line| !line.starts_with('#'))
        .map(row)
        .collect()
}

/// Each of these took the square of its length.
#[test]
fn long_texts_of_beginnings_are_survived() {
    for part in [
        "@",
        "a@",
        "pin=",
        "password:x1",
        "sk-",
        "sk-1",
        "eyJ-",
        "eyJ.",
        "bearer ",
        "https://",
        "密码是",
        "(",
        "1(",
        "pin for a",
        "pin for a:",
        "pin of (a",
        "pin of (a) ",
        "passphrase for a:",
        "passphrase: a ",
        "passphrase is abc ",
        "lock combination 1 ",
        "密码a世1",
    ] {
        let text = part.repeat(200_000 / part.len());
        let _ = find(&text);
    }
    let key = format!("sk-1{}", "a".repeat(5000));
    assert_eq!(find(&key)[0].range, 0..key.len());
    let password = format!("password=x1{}", "a".repeat(5000));
    assert_eq!(find(&password)[0].range, 9..password.len());
}

#[test]
fn the_list() {
    let (mut missed, mut alarms) = (Vec::new(), Vec::new());
    let (mut secrets, mut harmless) = (0, 0);
    for (kind, text, marked) in rows() {
        let findings = find(&text);
        let found: Vec<(&str, &str)> = findings
            .iter()
            .map(|f| (f.kind.as_str(), &text[f.range.clone()]))
            .collect();
        if kind == "-" {
            harmless += 1;
            if !found.is_empty() {
                alarms.push(format!("{text}: {found:?}"));
            }
        } else {
            secrets += 1;
            let hit = found
                .iter()
                .any(|(k, words)| *k == kind && marked.as_ref().is_none_or(|m| m == words));
            if !hit || found.len() != 1 {
                missed.push(format!("{kind} {text}: {found:?}"));
            }
        }
    }
    assert!(secrets >= 100 && harmless >= 100);
    assert!(
        missed.len() == MISSED && alarms.is_empty(),
        "{} of {secrets} missed:\n{}\n{} of {harmless} false alarms:\n{}",
        missed.len(),
        missed.join("\n"),
        alarms.len(),
        alarms.join("\n"),
    );
}

#[test]
fn a_secret_is_found_beside_the_address_that_it_is_for() {
    for (text, wanted) in [
        (
            "password of tom@x.org is hunter2xyz",
            "password of [email] is [password]",
        ),
        // A word behind a sign may be the secret as well as a port.
        (
            "password for db:8080 is hunter2xyz",
            "password for db:[password] is [password]",
        ),
    ] {
        let Redacted::Masked { text: masked, .. } =
            Filter::new(all(PrivacyAction::Mask)).unwrap().redact(text)
        else {
            panic!()
        };
        assert_eq!(masked, wanted);
    }
}

#[test]
fn each_kind_may_pass_be_masked_or_be_refused() {
    // part: S-38
    let text = "我的密码是 abc123，卡号 6222021234567890123，key sk-1234567890abcdef1234，身份证 11010519491231002X";
    let Redacted::Masked {
        text: masked,
        findings,
    } = Filter::new(all(PrivacyAction::Mask)).unwrap().redact(text)
    else {
        panic!()
    };
    assert_eq!(
        masked,
        "我的密码是 [password]，卡号 [card]，key [api_key]，身份证 [national_id]"
    );
    assert_eq!(findings.len(), 4);
    let settings = PrivacySettings {
        card: PrivacyAction::Reject,
        ..all(PrivacyAction::Mask)
    };
    assert_eq!(
        Filter::new(settings).unwrap().redact(text),
        Redacted::Rejected {
            kind: Sensitive::Card
        }
    );
    let settings = PrivacySettings {
        password: PrivacyAction::Allow,
        ..all(PrivacyAction::Mask)
    };
    let Redacted::Masked { text: masked, .. } = Filter::new(settings).unwrap().redact(text) else {
        panic!()
    };
    assert!(masked.starts_with("我的密码是 abc123"));
    assert_eq!(
        Filter::new(PrivacySettings::OPEN).unwrap().redact(text),
        Redacted::Clean
    );
    // Secrets of a known form are masked by default.
    let Redacted::Masked { text: masked, .. } = Filter::default().redact(text) else {
        panic!()
    };
    assert_eq!(
        masked,
        "我的密码是 [password]，卡号 [card]，key [api_key]，身份证 11010519491231002X"
    );
}

const PIECES: [&str; 40] = [
    "password",
    "密码",
    "是",
    " ",
    ":",
    "=",
    "sk-",
    "AKIA",
    "1234567890",
    "abcdef",
    "ghp_",
    "@",
    "example.com",
    ".",
    "-",
    "+",
    "(",
    ")",
    "4111",
    "13812345678",
    "110105",
    "19491231",
    "002X",
    "DE89",
    "3704",
    "eyJ",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END ",
    "token",
    "Bearer ",
    "://",
    "user",
    "\"",
    "“",
    "身份证",
    "卡号",
    "电话",
    "\n",
    "４",
    "X",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn fuzz_nothing_is_left_behind_a_mask(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..20),
        noise in ".{0,20}",
    ) {
        let text = format!("{}{noise}", pieces.concat());
        for text in [text.as_str(), noise.as_str()] {
            let found = find(text);
            for finding in &found {
                prop_assert!(text.get(finding.range.clone()).is_some_and(|t| !t.is_empty()));
            }
            prop_assert!(found.windows(2).all(|w| w[0].range.end <= w[1].range.start));
            let filter = Filter::new(all(PrivacyAction::Mask)).unwrap();
            match filter.redact(text) {
                Redacted::Masked { text: masked, findings } => {
                    prop_assert_eq!(findings.len(), found.len());
                    prop_assert!(masked.contains('['));
                }
                other => prop_assert!(found.is_empty() && other == Redacted::Clean),
            }
        }
    }
}
