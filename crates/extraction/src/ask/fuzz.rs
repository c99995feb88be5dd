//! Whatever a model answers, none of its readers panics, and none of them reads into it what it does not say.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_types::profile::{Profile, ReviewKind};
use annals_types::{
    Causality, Interpreter, Judge, Judgement, Memory, MemoryId, NewTurn, ReviewCase, Role, Shown, Status, Summarizer,
    Timestamp,
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
        "é",
        "\u{202e}",
        "\0",
    ]);
    prop_oneof![
        3 => prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat()),
        1 => ".{0,120}",
    ]
}

fn shown(text: &str) -> Shown {
    let id = MemoryId::from_bytes([7; 16]);
    Shown { id, text: text.to_owned(), time: Timestamp::from_millis(0), retention: 1.0 }
}

fn turn() -> Memory {
    Memory {
        id: MemoryId::from_bytes([1; 16]),
        body: annals_types::NewMemory::from(NewTurn::builder("s", "hello").role(Role::User).build().unwrap())
            .into_body(),
        revision: 1,
        stored_at: Timestamp::from_millis(0),
        status: Status::Active,
        superseded_by: None,
        supersedes: None,
    }
}

/// One that gets this answer whatever it asks.
fn told(answer: &str) -> Analyst {
    let purposes =
        ["review", "same", "contradicts", "causality", "plan", "summarize", "episode", "triples", "condense"];
    let replay = purposes.iter().fold(Replay::default(), |replay, purpose| replay.reply(purpose, answer));
    let mut profile = Profile::default();
    profile.graph.discovery.ask_direction = true;
    profile.review.promoted_class = Some("core".to_owned());
    Analyst::new(Arc::new(replay) as Arc<dyn Provider>, &profile)
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: proptest::test_runner::RngSeed::Fixed(2026), ..ProptestConfig::with_cases(500) })]

    #[test]
    fn fuzz_any_judgement_is_read_or_refused(answer in answers()) {
        let analyst = told(&answer);
        let (one, other) = (shown("one"), shown("other"));
        let case = ReviewCase { kind: ReviewKind::Decay, memory: &one, related: &[], round: 1, last: true };
        if let Ok(judged) = analyst.review(&case) {
            let deletes = matches!(judged.answer, Judgement::Delete);
            prop_assert!(!deletes || answer.contains("[DELETE]"), "{answer:?}");
            let promotes = matches!(judged.answer, Judgement::Promote);
            prop_assert!(!promotes || answer.contains("[PROMOTE]"), "{answer:?}");
        }
        let spoken = crate::reply::spoken(&answer).to_lowercase();
        let bare = spoken.trim_start_matches(|c: char| !c.is_alphanumeric());
        let first = bare.split(|c: char| c.is_ascii_punctuation() || "，。；！？：（\n".contains(c)).next().unwrap_or_default();
        let says_no = ["不", "没", "否", "无", " not "].iter().any(|no| first.contains(no));
        let yes = ["是", "yes", "相同", "矛盾"].iter().any(|word| first.starts_with(word)) && !says_no;
        if let Ok(same) = analyst.same(&one, &other) {
            prop_assert!(!same.answer || yes, "{answer:?}");
        }
        if let Ok(contradicts) = analyst.contradicts(&one, &other) {
            prop_assert!(!contradicts.answer || yes, "{answer:?}");
        }
        match analyst.causality(&one, &other).map(|cause| cause.answer) {
            Ok(Causality::FirstCauses) => prop_assert!(first.starts_with('a') && !says_no, "{answer:?}"),
            Ok(Causality::SecondCauses) => prop_assert!(first.starts_with('b') && !says_no, "{answer:?}"),
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
        let found = [told(&answer).statements(&shown("x")).ok(), crate::candidates::parse_statements(&answer)];
        for said in found.into_iter().flatten().flatten() {
            prop_assert!(![&said.subject, &said.predicate, &said.object].iter().any(|part| part.trim().is_empty()), "{said:?}");
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
