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
        "如果",
        "但",
        "或者",
        "前提是",
        "主人同意",
        "不能",
        "不该",
        "移除",
        "丢",
        "过时",
        "这条",
        "是否",
        "是两件事",
        "不同",
        "同一件事",
        "可能",
        "：",
        "？",
        " if ",
        " but ",
        " maybe ",
        " or ",
        "it is ",
        " the same ",
        " different ",
        " outdated ",
        "must ",
        "remove",
        " because ",
        "Reason: ",
        ". ",
        "é",
        "\u{202e}",
        "\0",
    ]);
    // An answer, and what stands behind it.
    let answer = prop::sample::select(vec!["[DELETE]", "[PROMOTE]", "是", "是否", "yes", "A"]);
    prop_oneof![
        3 => (answer, prop::collection::vec(pieces.clone(), 0..5)).prop_map(|(answer, behind)| answer.to_owned() + &behind.concat()),
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

/// Whether anything stands behind the last of a decision that ties it to something or takes it back.
fn is_tied(answer: &str, decision: &str) -> bool {
    const TIES: [&str; 14] = [
        "如果",
        "但",
        "或者",
        "前提",
        "可能",
        "同意",
        "？",
        "不能移除",
        "不该移除",
        "不能丢",
        " if ",
        " but ",
        " maybe ",
        "must not remove",
    ];
    let spoken = crate::reply::spoken(answer);
    let behind = spoken.rsplit_once(decision).map(|(_, behind)| behind).unwrap_or_default();
    TIES.iter().any(|tie| behind.contains(tie))
}

/// Whether the first line with an answer says yes in so many words, and neither doubts it nor says anything of what is given.
fn says_yes(spoken: &str, other: &[&str]) -> bool {
    let bare = spoken.trim_start_matches(|c: char| !c.is_alphanumeric());
    let line = bare.lines().next().unwrap_or_default().replace("是否", "").replace("是不是", "");
    let said = ["是", "yes", "相同", "矛盾", "the same", "同一件事"].iter().any(|word| line.contains(word));
    let open = ["否", "不是", "可能", "但", "如果", " but ", " maybe ", " if "];
    said && !open.iter().chain(other).any(|word| line.contains(word))
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
            prop_assert!(!deletes || !is_tied(&answer, "[DELETE]"), "{answer:?}");
            prop_assert!(!promotes || !is_tied(&answer, "[PROMOTE]"), "{answer:?}");
        }
        let spoken = crate::reply::spoken(&answer).to_lowercase();
        let bare = spoken.trim_start_matches(|c: char| !c.is_alphanumeric());
        // Behind the question that it repeats.
        let repeated = bare.split_once([':', '：', '?', '？']).filter(|(asked, _)| asked.starts_with("是否") || asked.starts_with("是不是"));
        let bare = repeated.map_or(bare, |(_, behind)| behind.trim_start_matches(|c: char| !c.is_alphanumeric()));
        let first = bare.split(|c: char| c.is_ascii_punctuation() || "，。；！？：（\n".contains(c)).next().unwrap_or_default();
        let says_no = ["不", "没", "否", "无", " not "].iter().any(|no| first.contains(no));
        if let Ok(same) = analyst.same(&one, &other) {
            prop_assert!(!same.answer || says_yes(&spoken, &["是两", "两件", "不同", " different ", "矛盾"]), "{answer:?}");
        }
        if let Ok(contradicts) = analyst.contradicts(&one, &other) {
            prop_assert!(!contradicts.answer || says_yes(&spoken, &["是两", "相同", "同一", " the same "]), "{answer:?}");
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
        let found = [told(&answer).interpret(&shown("x")).ok().map(|told| told.statements), crate::candidates::parse_statements(&answer)];
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
