//! Whatever a model answers, none of its readers panics, and none of them reads into it what it
//! does not say.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_types::profile::{Profile, ReviewKind};
use annals_types::{
    Causality, Interpreter, Judge, Judgement, Memory, MemoryId, NewTurn, ReviewCase, Role, Shown,
    Status, Summarizer, Timestamp,
};
use proptest::prelude::*;

use super::Analyst;
use crate::provider::{Provider, Replay};
use crate::quality::Labelled;

/// Pieces of every grammar that models are asked for, and texts of any kind.
fn answers() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "[PROMOTE]",
        "[KEEP]",
        "[DELETE]",
        "[SEARCH:",
        "]",
        "是",
        "否",
        "不",
        "yes",
        "no",
        " not ",
        "因为",
        "A→B",
        "B→A",
        "A",
        "和B",
        "矛盾",
        "相同",
        "没有",
        "，",
        "。",
        "1",
        "2",
        "无",
        "{",
        "}",
        "[",
        ",",
        ":",
        "\"",
        "\\",
        "null",
        "true",
        "\"subject\":",
        "\"predicate\":",
        "\"object\":",
        "\"negation\":",
        "\"triples\":",
        "\"summary\":",
        "\"goal\":",
        "\"entities\":",
        "\"semantic_query\":",
        "\"expand_depth\":",
        "99999999999999999999",
        "-1",
        "```json\n",
        "```",
        "\n",
        "<",
        "</query>",
        "用户",
        "我",
        "但",
        "过时",
        "是否",
        "是两件事",
        "同一件事",
        "：",
        "？",
        "\"verdict\":",
        "\"DELETE\"",
        "\"是\"",
        "{\"verdict\":\"B\"}",
        "Answer: ",
        " but ",
        " the same ",
        " outdated ",
        ". ",
        "é",
        "\u{202e}",
        "\0",
    ]);
    // An answer with something before it or behind it.
    let answer = prop::sample::select(vec!["[DELETE]", "[PROMOTE]", "是", "yes", "A"]);
    let few = || prop::collection::vec(pieces.clone(), 0..4).prop_map(|pieces| pieces.concat());
    prop_oneof![
        3 => (answer.clone(), few()).prop_map(|(answer, behind)| answer.to_owned() + &behind),
        2 => (few(), answer).prop_map(|(before, answer)| before + "\n" + answer),
        3 => prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat()),
        1 => ".{0,120}",
    ]
}

fn shown(text: &str) -> Shown {
    let id = MemoryId::from_bytes([7; 16]);
    Shown {
        id,
        text: text.to_owned(),
        time: Timestamp::from_millis(0),
        retention: 1.0,
    }
}

fn turn() -> Memory {
    Memory {
        id: MemoryId::from_bytes([1; 16]),
        body: annals_types::NewMemory::from(
            NewTurn::builder("s", "hello")
                .role(Role::User)
                .build()
                .unwrap(),
        )
        .into_body(),
        revision: 1,
        stored_at: Timestamp::from_millis(0),
        named_times: Vec::new(),
        status: Status::Active,
        superseded_by: None,
        supersedes: None,
    }
}

/// One that gets this answer whatever it asks, once more where it asks again.
fn told(answer: &str) -> Analyst {
    let purposes = [
        "review",
        "same",
        "contradicts",
        "causality",
        "plan",
        "summarize",
        "episode",
        "triples",
        "condense",
    ];
    let replay = purposes.iter().fold(Replay::default(), |replay, purpose| {
        replay.reply(purpose, answer).reply(purpose, answer)
    });
    let mut profile = Profile::default();
    profile.graph.discovery.ask_direction = true;
    profile.review.promoted_class = Some("core".to_owned());
    Analyst::new(Arc::new(replay) as Arc<dyn Provider>, &profile)
}

/// The lines of what was said aloud, without those that only begin a block of code.
fn said_lines(spoken: &str) -> impl DoubleEndedIterator<Item = &str> {
    let code = |line: &str| {
        line.trim()
            .strip_prefix("```")
            .is_some_and(|it| it.chars().all(char::is_alphanumeric) && it.is_ascii())
    };
    spoken.lines().filter(move |line| !code(line))
}

/// Whether the last line of what was said aloud holds no word but `decision`, and no other decision
/// is named.
fn ends_in(answer: &str, decision: &str) -> bool {
    let spoken = crate::reply::spoken(answer).to_lowercase();
    let last = said_lines(&spoken)
        .rfind(|line| line.contains(char::is_alphabetic))
        .unwrap_or_default();
    let rest = last.replacen(decision, "", 1);
    let others = ["[keep]", "[delete]", "[promote]"];
    last.contains(decision)
        && !rest.contains(char::is_alphabetic)
        && !others
            .iter()
            .any(|other| *other != decision && spoken.contains(other))
}

/// Whether the first line with a word is one of some words, and nothing else but marks.
fn is_first_line(answer: &str, words: &[&str]) -> bool {
    let spoken = crate::reply::spoken(answer).to_lowercase();
    let line = said_lines(&spoken)
        .find(|line| line.contains(char::is_alphanumeric))
        .unwrap_or_default();
    words.contains(&line.trim_matches(|c: char| !c.is_alphanumeric()))
        && !line.contains(['?', '？'])
}

/// Whether an answer may hold an object with a verdict.
fn has_object(answer: &str) -> bool {
    answer.contains("\"verdict\":")
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(2026),
        ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn fuzz_any_judgement_is_read_or_refused(answer in answers()) {
        let analyst = told(&answer);
        let (one, other) = (shown("one"), shown("other"));
        let case = ReviewCase { kind: ReviewKind::Decay, memory: &one, related: &[], round: 1, last: true };
        match analyst.review(&case).unwrap().answer {
            Judgement::Delete => prop_assert!(has_object(&answer) || ends_in(&answer, "[delete]"), "{answer:?}"),
            Judgement::Promote => prop_assert!(has_object(&answer) || ends_in(&answer, "[promote]"), "{answer:?}"),
            _ => {}
        }
        for yes in [analyst.same(&one, &other), analyst.contradicts(&one, &other)] {
            let yes = yes.is_ok_and(|yes| yes.answer);
            prop_assert!(!yes || has_object(&answer) || is_first_line(&answer, &["是", "yes"]), "{answer:?}");
        }
        match analyst.causality(&one, &other).map(|cause| cause.answer) {
            Ok(Causality::FirstCauses) => {
                prop_assert!(has_object(&answer) || is_first_line(&answer, &["a"]), "{answer:?}");
            }
            Ok(Causality::SecondCauses) => {
                prop_assert!(has_object(&answer) || is_first_line(&answer, &["b"]), "{answer:?}");
            }
            _ => {}
        }
    }

    #[test]
    fn fuzz_any_plan_is_an_object_or_refused(answer in answers()) {
        let plan = told(&answer).plan(&answer, &BTreeMap::from([(answer.clone(), answer.clone())]), ("2026-01-03", 3));
        if let Ok(plan) = plan {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&plan).unwrap().is_object());
        }
    }

    #[test]
    fn fuzz_any_summary_and_episode_are_texts_or_refused(answer in answers()) {
        let analyst = told(&answer);
        let turns = [turn()];
        drop(analyst.summarize(&turns));
        if let Ok(episode) = analyst.episode(&turns) {
            prop_assert!(!episode.summary.trim().is_empty(), "{answer:?}");
        }
        drop(analyst.condense(&turns));
    }

    #[test]
    fn fuzz_any_statements_have_three_parts_or_are_left_out(answer in answers()) {
        let interpreted = told(&answer).interpret(&shown("x")).ok().map(|told| told.statements);
        let found = [interpreted, crate::candidates::parse_statements(&answer)];
        for said in found.into_iter().flatten().flatten() {
            prop_assert!(
                ![&said.subject, &said.predicate, &said.object].iter().any(|part| part.trim().is_empty()),
                "{said:?}",
            );
        }
    }

    #[test]
    fn fuzz_any_transcript_and_labelled_set_are_read_or_refused(text in answers()) {
        if let Err(error) = Replay::read(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
        if let Err(error) = Labelled::parse(text.as_bytes()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}
