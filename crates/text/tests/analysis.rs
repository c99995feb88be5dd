//! Properties of the analysis that hold for every text.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use annals_text::{Analyzer, Forward};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Texts of the kinds that meet: words, identifiers, many scripts, control and direction
/// characters, pictographs.
fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-zA-Z']{1,12}",
        "[a-zA-Z0-9_./:@#+&=~-]{1,20}",
        "[0-9,.]{1,8}",
        "[一-龥]{1,6}",
        "[ぁ-んァ-ヶ가-힣]{1,6}",
        "[а-яА-ЯΑ-ωא-תء-ي]{1,8}",
        "\\PC{0,6}",
        any::<String>(),
        Just("👩‍👧 ﬁ ½ \u{202E}x\u{202C} \u{FEFF}".to_owned()),
    ];
    prop::collection::vec(
        (
            part,
            prop_oneof![Just(" "), Just(""), Just("，"), Just("\n")],
        ),
        0..12,
    )
    .prop_map(|parts| parts.into_iter().map(|(part, gap)| part + gap).collect())
}

/// At least 512 cases; more where the environment asks for more.
fn config() -> ProptestConfig {
    let usual = ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    };
    ProptestConfig {
        cases: usual.cases.max(512),
        ..usual
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_text_is_found_by_itself(text in texts()) {
        let (query, forward) = (Analyzer.query(&text), Analyzer.forward(&text, None));
        for term in query.terms() {
            prop_assert!(!forward.counts(term.term).is_zero(), "{:?}", term.surface);
        }
        let counted: u32 = forward.entries().iter().map(|(_, counts)| counts.total()).sum();
        prop_assert!(u32::from(forward.lengths().total()) <= counted);
    }

    #[test]
    fn case_and_surrounding_spaces_do_not_matter(text in "[a-z0-9 ]{0,40}", reply in prop::option::of(texts())) {
        let loud = format!("  {}\n", text.to_uppercase());
        prop_assert_eq!(Analyzer.forward(&text, reply.as_deref()), Analyzer.forward(&loud, reply.as_deref()));
    }

    #[test]
    fn forward_lists_survive_storage(text in texts(), reply in prop::option::of(texts())) {
        let forward = Analyzer.forward(&text, reply.as_deref());
        prop_assert_eq!(Forward::decode(&forward.encode()).unwrap(), forward);
    }

    #[test]
    fn any_bytes_are_a_list_or_an_error(
        mut bytes in prop::collection::vec(any::<u8>(), 0..80),
        version in any::<bool>(),
    ) {
        if let (true, Some(first)) = (version, bytes.first_mut()) {
            *first = annals_text::ANALYZER_VERSION;
        }
        if let Ok(forward) = Forward::decode(&bytes) {
            prop_assert_eq!(Forward::decode(&forward.encode()).unwrap(), forward);
        }
    }
}
