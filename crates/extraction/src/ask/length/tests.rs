use std::sync::Arc;

use annals_types::profile::{AnswerForm, Profile, ReviewKind, TripleSource};
use annals_types::{
    Cancel, ExtractWindow, Extracted, Extractor, Interpreter, Judge, JudgeError, Judgement, Memory,
    ReviewCase, Role, Shown, Summarizer,
};

use super::Analyst;
use crate::ask::tests::{shown, turn};
use crate::provider::{AnswerTokens, Provider, ProviderError, Replay, Reply, Request, Stop};

fn cut(text: &str) -> Result<Reply, String> {
    Ok(Reply {
        stop: Stop::Length,
        ..Reply::text(text)
    })
}

/// A model that answers so, each answer cut off.
fn cut_off(purpose: &str, answers: &[&str]) -> Arc<Replay> {
    let replay = Replay::default();
    answers
        .iter()
        .for_each(|answer| replay.push(purpose, cut(answer)));
    Arc::new(replay)
}

fn profile(answer: AnswerForm) -> Profile {
    let mut profile = Profile::default();
    profile.extract.answer = answer;
    profile.extract.triples = TripleSource::Answer;
    profile
}

fn analyst(replay: &Arc<Replay>, answer: AnswerForm) -> Analyst {
    Analyst::new(Arc::clone(replay) as Arc<dyn Provider>, &profile(answer))
}

fn moved() -> Memory {
    turn(1, Role::User, "I moved to Lyon")
}

fn in_rome(number: u8) -> Shown {
    shown(number, "lives in Rome", 1.0)
}

fn extract(analyst: &Analyst) -> Result<Vec<Extracted>, JudgeError> {
    analyst.extract(&ExtractWindow {
        turns: &[moved()],
        known: &[in_rome(7)],
    })
}

fn texts(found: &[Extracted]) -> Vec<String> {
    let text = |one: &Extracted| match one {
        Extracted::Add(new)
        | Extracted::AddSaying(new, _)
        | Extracted::Update(_, new)
        | Extracted::UpdateSaying(_, new, _) => Some(new.text().to_owned()),
        Extracted::LeftOut(_) => None,
        other => panic!("{other:?}"),
    };
    found.iter().filter_map(text).collect()
}

fn asked(replay: &Replay) -> Vec<u32> {
    replay
        .asked()
        .iter()
        .map(|request| request.max_tokens)
        .collect()
}

const HALF: &str = r#"{"memories":[{"content":"lives in Lyon","type":"fact"},{"content":"works at"#;

#[test]
fn an_answer_that_was_cut_off_is_asked_for_once_more_and_longer() {
    let replay = cut_off("extract", &[HALF]);
    replay.push(
        "extract",
        Ok(Reply::text(
            r#"[{"content":"lives in Lyon"},{"content":"works at a bakery"}]"#,
        )),
    );
    let found = extract(&analyst(&replay, AnswerForm::Json)).unwrap();
    assert_eq!(
        (texts(&found), found.len()),
        (
            vec!["lives in Lyon".to_owned(), "works at a bakery".to_owned()],
            2
        ),
        "{found:?}"
    );
    assert_eq!(asked(&replay), [1024, 2048]);
}

#[test]
fn json_that_ends_in_the_middle_is_cut_off_whatever_the_server_says() {
    let whole = r#"[{"content":"lives in Lyon"},{"content":"works at a bakery"}]"#;
    let replay = Arc::new(
        Replay::default()
            .reply("extract", HALF)
            .reply("extract", whole),
    );
    let found = extract(&analyst(&replay, AnswerForm::Json)).unwrap();
    assert_eq!(texts(&found), ["lives in Lyon", "works at a bakery"]);
    assert_eq!(asked(&replay), [1024, 2048]);
    let replay = Arc::new(
        Replay::default()
            .reply("extract", HALF)
            .reply("extract", HALF),
    );
    let found = extract(&analyst(&replay, AnswerForm::Json)).unwrap();
    assert_eq!(texts(&found), ["lives in Lyon"]);
    let told = found.iter().find_map(|one| {
        if let Extracted::LeftOut(why) = one {
            Some(why.as_str())
        } else {
            None
        }
    });
    assert_eq!(
        told,
        Some("the answer ends before it is complete; the rest is missing")
    );
}

#[test]
fn of_an_answer_that_is_cut_off_again_what_is_whole_counts_and_the_rest_is_told() {
    let replay = cut_off("extract", &["[", HALF, "never asked for"]);
    let found = extract(&analyst(&replay, AnswerForm::Json)).unwrap();
    assert_eq!(texts(&found), ["lives in Lyon"]);
    let told = found.iter().find_map(|one| {
        if let Extracted::LeftOut(why) = one {
            Some(why.as_str())
        } else {
            None
        }
    });
    assert_eq!(
        told,
        Some("the answer was cut off at 2048 tokens; the rest is missing")
    );
    assert_eq!(asked(&replay), [1024, 2048]);
}

#[test]
fn an_answer_of_which_nothing_is_whole_did_not_say_that_there_is_nothing() {
    for (form, half) in [
        (AnswerForm::Json, r#"{"memories":[{"content":"lives in"#),
        (AnswerForm::Json, "<think>What may"),
        (AnswerForm::Commands, "[ADD] lives in"),
        (AnswerForm::Commands, "<think>\n[SKIP]\nor"),
    ] {
        let replay = cut_off("extract", &[half, half, half]);
        let error = extract(&analyst(&replay, form)).unwrap_err();
        assert!(
            matches!(&error, JudgeError::BadAnswer { answer, .. } if answer.contains("2048")),
            "{half}: {error}"
        );
        assert_eq!(asked(&replay), [1024, 2048], "{half}");
    }
}

#[test]
fn commands_count_by_whole_lines() {
    let said = "[ADD] works at a bakery\n[UPDATE:mem_1] lives in Lyon, no";
    let replay = cut_off("extract", &[said, said]);
    let found = extract(&analyst(&replay, AnswerForm::Commands)).unwrap();
    assert_eq!(
        (texts(&found), found.len()),
        (vec!["works at a bakery".to_owned()], 2),
        "{found:?}"
    );
}

#[test]
fn what_stands_behind_whole_json_may_be_cut_off() {
    let replay = cut_off(
        "extract",
        &["```json\n[{\"content\":\"lives in Lyon\"}]\n```\nI chose this because"],
    );
    let found = extract(&analyst(&replay, AnswerForm::Json)).unwrap();
    assert_eq!(
        (texts(&found), found.len(), asked(&replay)),
        (vec!["lives in Lyon".to_owned()], 1, vec![1024])
    );
}

/// A transcript of a model with a limit of its own.
struct Limited(Arc<Replay>, AnswerTokens);

impl Provider for Limited {
    fn name(&self) -> String {
        "limited".to_owned()
    }

    fn answer_tokens(&self) -> AnswerTokens {
        self.1
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        self.0.chat(request, cancel)
    }
}

#[test]
fn how_long_answers_may_be_is_a_setting_of_the_model() {
    for (first, again, wanted) in [
        (300, 0, vec![300]),
        (300, 300, vec![300]),
        (4000, 9000, vec![4000, 9000]),
    ] {
        let replay = cut_off("extract", &[HALF, HALF, HALF]);
        let limited = Limited(Arc::clone(&replay), AnswerTokens { first, again });
        let found = extract(&Analyst::new(Arc::new(limited), &profile(AnswerForm::Json))).unwrap();
        assert_eq!(
            (texts(&found), asked(&replay)),
            (vec!["lives in Lyon".to_owned()], wanted)
        );
    }
}

#[test]
fn a_model_that_fails_when_it_is_asked_again_is_asked_again_later() {
    let replay = Arc::new(Replay::default());
    replay.push("extract", cut(HALF));
    replay.push("extract", Err("busy".to_owned()));
    let analyst = analyst(&replay, AnswerForm::Json);
    assert!(matches!(
        extract(&analyst),
        Err(JudgeError::Unavailable { .. })
    ));
    // A transcript that ends there has given all that it has.
    replay.push("extract", cut(HALF));
    assert_eq!(texts(&extract(&analyst).unwrap()), ["lives in Lyon"]);
}

#[test]
fn a_verdict_stands_on_a_whole_line() {
    for (said, wanted) in [
        ("yes, because", None),
        ("yes\nBoth say that she lives in Lyon. And", Some(true)),
        ("no\nOne", Some(false)),
        ("yes\nno\nor", None),
    ] {
        let replay = cut_off("same", &[said, said]);
        let answer = analyst(&replay, AnswerForm::Json).same(&in_rome(1), &in_rome(2));
        assert_eq!(answer.ok().map(|answer| answer.answer), wanted, "{said}");
    }
    for (said, wanted) in [
        ("[KEEP]\nIt is", Judgement::Keep),
        ("[DELETE]\nIt is of no", Judgement::Undecided),
        ("[DELETE]", Judgement::Undecided),
    ] {
        // It is asked for once more where it cannot be read.
        let replay = cut_off("review", &[said; 4]);
        let memory = in_rome(1);
        let case = ReviewCase {
            kind: ReviewKind::Decay,
            memory: &memory,
            related: &[],
            round: 1,
            last: true,
        };
        assert_eq!(
            analyst(&replay, AnswerForm::Json)
                .review(&case)
                .unwrap()
                .answer,
            wanted,
            "{said}"
        );
    }
}

#[test]
fn a_text_ends_with_its_last_whole_sentence() {
    for (said, wanted) in [
        (
            "She moved to Lyon. She paid 3.5",
            Some("She moved to Lyon."),
        ),
        ("她搬到里昂了。她在面", Some("她搬到里昂了。")),
        ("- moved to Lyon\n- works", Some("- moved to Lyon")),
        ("She moved", None),
        ("<think>She moved. She", None),
    ] {
        let replay = cut_off("summarize", &[said, said]);
        let summary = analyst(&replay, AnswerForm::Json).summarize(&[moved()]);
        assert_eq!(summary.ok().as_deref(), wanted, "{said}");
        let replay = cut_off("condense", &[said, said]);
        let condensed = analyst(&replay, AnswerForm::Json).condense(&[moved()]);
        assert_eq!(
            condensed
                .ok()
                .map(|text| text.unwrap_or_default())
                .as_deref(),
            wanted,
            "{said}"
        );
    }
}

#[test]
fn triples_that_came_whole_count() {
    let half =
        r#"{"triples":[{"subject":"she","predicate":"lives in","object":"Lyon"},{"subject":"she","#;
    let replay = cut_off("triples", &[half, half]);
    let told = analyst(&replay, AnswerForm::Json)
        .interpret(&in_rome(1))
        .unwrap();
    assert_eq!(
        (told.statements.len(), told.left_out.len()),
        (1, 1),
        "{told:?}"
    );
    let none = r#"{"triples":[{"subject":"#;
    let replay = cut_off("triples", &[none, none]);
    assert!(matches!(
        analyst(&replay, AnswerForm::Json).interpret(&in_rome(1)),
        Err(JudgeError::BadAnswer { .. })
    ));
}
