//! The calls of the facade, as an application makes them.

use std::sync::Arc;

use annals::blocking::{Memory, Namespace};
use annals::{
    Filter, Label, Layer, ListQuery, ManualClock, Mode, NewMemory, NewTurn, Query, Role, Status,
    Timestamp, UnitScore, WhyNot,
};

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn memory() -> (Memory, ManualClock) {
    let clock = ManualClock::new(at("2026-03-01T12:00:00Z"));
    let memory = Memory::options()
        .clock(Arc::new(clock.clone()))
        .id_seed(1)
        .in_memory()
        .unwrap();
    (memory, clock)
}

fn texts(namespace: &Namespace, question: &str) -> Vec<String> {
    namespace
        .recall(question)
        .unwrap()
        .into_iter()
        .map(|hit| hit.text)
        .collect()
}

#[test]
fn what_is_remembered_is_found_in_both_languages_with_reasons() {
    let (memory, _) = memory();
    let user = memory.namespace("user:42").unwrap();
    user.remember("I moved to Berlin in March 2023 for a job at a robotics startup.")
        .unwrap();
    user.remember("我养了一只叫小白的猫。").unwrap();
    user.remember("The proxy-env tool listens on port 7890.")
        .unwrap();
    let hits = user
        .recall("which city did I move to for the job?")
        .unwrap();
    assert!(hits[0].text.contains("Berlin"));
    assert!(hits[0].score > 0.0 && hits[0].score <= 1.0);
    let sum: f32 = hits[0]
        .explanation
        .parts
        .iter()
        .map(|part| part.contribution)
        .sum();
    assert!((sum - hits[0].score).abs() < 1e-5);
    assert!(!hits[0].explanation.matched.is_empty());
    assert!(texts(&user, "我的猫叫什么名字")[0].contains("小白"));
    assert!(texts(&user, "proxy-env")[0].contains("7890"));
    user.admin()
        .validate()
        .map(|problems| assert_eq!(problems, Vec::<String>::new()))
        .unwrap();
}

#[test]
fn namespaces_do_not_see_each_other() {
    let (memory, _) = memory();
    let (a, b) = (
        memory.namespace("a").unwrap(),
        memory.namespace("b").unwrap(),
    );
    let id = a.remember("The secret word is heliotrope.").unwrap();
    b.remember("Nothing of note.").unwrap();
    assert!(
        texts(&b, "heliotrope secret word")
            .iter()
            .all(|text| !text.contains("heliotrope"))
    );
    assert_eq!(b.get(id).unwrap(), None);
    assert!(b.forget(id).unwrap_err().is_not_found());
    assert!(b.delete(id, Mode::Commit).unwrap_err().is_not_found());
    let hits = memory
        .recall_across(&["a", "b", "missing"], "heliotrope")
        .unwrap();
    assert_eq!((hits[0].namespace.as_str(), hits[0].id), ("a", id));
}

#[test]
fn an_update_keeps_the_id_and_the_history() {
    let (memory, clock) = memory();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("My editor is Vim.").unwrap();
    clock.advance_millis(86_400_000);
    assert_eq!(user.update(id, "My editor is Zed.").unwrap(), id);
    assert_eq!(
        user.get(id).unwrap().unwrap().body.text,
        "My editor is Zed."
    );
    let history: Vec<String> = user
        .history(id)
        .unwrap()
        .into_iter()
        .map(|r| r.memory.body.text)
        .collect();
    assert_eq!(history, ["My editor is Vim.", "My editor is Zed."]);
    assert_eq!(texts(&user, "which editor?"), ["My editor is Zed."]);
    let before = Query::new("which editor?").as_of(at("2026-03-01T13:00:00Z"));
    assert_eq!(user.recall(before).unwrap()[0].text, "My editor is Vim.");
    let other = user
        .lifecycle()
        .supersede(id, "My editor is Helix.")
        .unwrap();
    assert_ne!(other, id);
    assert_eq!(user.get(other).unwrap().unwrap().supersedes, Some(id));
    assert_eq!(texts(&user, "which editor?"), ["My editor is Helix."]);
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
}

#[test]
fn a_question_as_of_then_tells_the_status_of_then() {
    let (memory, clock) = memory();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("My editor is Vim.").unwrap();
    clock.advance_millis(86_400_000);
    user.forget(id).unwrap();
    let before = Query::new("which editor?").as_of(at("2026-03-01T13:00:00Z"));
    assert_eq!(
        user.recall(before).unwrap()[0].memory.status,
        Status::Active
    );
    assert_eq!(user.get(id).unwrap().unwrap().status, Status::Forgotten);
}

#[test]
fn forgetting_hides_and_restoring_brings_back() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("I am allergic to peanuts.").unwrap();
    user.forget(id).unwrap();
    assert!(texts(&user, "allergic to peanuts").is_empty());
    assert_eq!(user.get(id).unwrap().unwrap().status, Status::Forgotten);
    let answer = user.answer(Query::new("peanuts").why_not(id)).unwrap();
    assert!(
        matches!(answer.why_not, Some(WhyNot::Filtered { .. })),
        "{:?}",
        answer.why_not
    );
    user.restore(id).unwrap();
    assert_eq!(texts(&user, "allergic to peanuts").len(), 1);
}

#[test]
fn deletion_is_announced_first_and_leaves_nothing() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let id = user.remember("My phone number ends with 4711.").unwrap();
    user.update(id, "My phone number ends with 4712.").unwrap();
    let keep = user.remember("I have a bicycle.").unwrap();
    let plan = user.delete(id, Mode::DryRun).unwrap();
    assert!(plan.dry_run && plan.memories[0].text_start.contains("4712"));
    assert_eq!((plan.memories.len(), plan.rows), (1, 2));
    assert!(user.get(id).unwrap().is_some());
    let receipt = user.delete(id, Mode::Commit).unwrap();
    assert_eq!((receipt.rows, receipt.dry_run), (2, false));
    assert!(receipt.text_bytes > 0 && receipt.memories[0].text_start.is_empty());
    assert_eq!(user.get(id).unwrap(), None);
    assert_eq!(
        texts(&user, "phone number 4711 4712"),
        ["I have a bicycle."]
    );
    assert!(user.history(id).unwrap().is_empty());
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
    let kept = user
        .bulk()
        .delete_where(
            &Filter {
                layers: vec![Layer::Semantic],
                ..Filter::default()
            },
            Mode::DryRun,
        )
        .unwrap();
    assert_eq!(
        kept.memories.iter().map(|m| m.id).collect::<Vec<_>>(),
        [keep]
    );
}

#[test]
fn several_memories_are_changed_in_one_transaction_or_not_at_all() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let ids: Vec<_> = ["one", "two", "three"]
        .map(|text| user.remember(text).unwrap())
        .to_vec();
    let missing = memory
        .namespace("other")
        .unwrap()
        .remember("elsewhere")
        .unwrap();
    let wrong = [ids[0], missing, ids[1]];
    let before = (
        user.list(&ListQuery::default()).unwrap(),
        user.admin().events(0, 100).unwrap(),
    );
    for refused in [
        user.bulk().forget(&wrong),
        user.bulk().archive(&wrong),
        user.bulk().restore(&wrong),
        user.touch(&wrong).map(drop),
        user.bulk().delete(&wrong, Mode::DryRun).map(drop),
        user.bulk().delete(&wrong, Mode::Commit).map(drop),
        memory
            .namespace("nobody")
            .unwrap()
            .bulk()
            .delete(&wrong[1..], Mode::Commit)
            .map(drop),
    ] {
        let error = refused.unwrap_err();
        assert!(
            error.is_not_found() && error.to_string().contains(&missing.to_string()),
            "{error}"
        );
    }
    assert_eq!(
        (
            user.list(&ListQuery::default()).unwrap(),
            user.admin().events(0, 100).unwrap()
        ),
        before
    );

    let commits = |user: &Namespace, from: usize| {
        let events = user.admin().events(from as u64, 100).unwrap();
        (
            events.len(),
            events
                .iter()
                .map(|event| event.commit)
                .collect::<std::collections::BTreeSet<_>>()
                .len(),
        )
    };
    user.bulk().forget(&ids).unwrap();
    assert_eq!(commits(&user, 3), (3, 1), "three events of one commit");
    user.bulk().restore(&ids[..2]).unwrap();
    let receipt = user
        .bulk()
        .delete(&[ids[2], ids[0], ids[2]], Mode::Commit)
        .unwrap();
    assert_eq!(
        receipt
            .memories
            .iter()
            .map(|entry| entry.id)
            .collect::<Vec<_>>(),
        [ids[2], ids[0]]
    );
    assert_eq!(
        (receipt.memories[0].status, receipt.rows, receipt.text_bytes),
        (Status::Forgotten, 2, 8)
    );
    assert_eq!(commits(&user, 8), (2, 1));
    assert_eq!(texts(&user, "one two three"), ["two"]);
    assert_eq!(user.bulk().delete(&[], Mode::Commit).unwrap().memories, []);
    let all = user
        .bulk()
        .delete_where(
            &Filter {
                layers: vec![Layer::Semantic],
                ..Filter::default()
            },
            Mode::Commit,
        )
        .unwrap();
    assert_eq!(
        (all.memories.len(), user.admin().stats().unwrap().memories),
        (1, 0)
    );
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
}

#[test]
fn turns_keep_their_order_and_lend_context() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let turn = |text: &str, speaker: &str, time: &str| {
        NewTurn::builder("s1", text)
            .speaker(speaker)
            .time(at(time))
            .role(Role::User)
            .build()
            .unwrap()
    };
    user.sessions()
        .append(vec![
            turn(
                "What should we call the new puppy?",
                "Ann",
                "2026-02-01T10:00:00Z",
            ),
            turn("Biscuit!", "Ben", "2026-02-01T10:01:00Z"),
            turn("The weather is dull today.", "Ann", "2026-02-02T10:00:00Z"),
        ])
        .unwrap();
    user.sessions()
        .append(vec![turn(
            "Totally unrelated remark about taxes.",
            "Ben",
            "2026-02-03T10:00:00Z",
        )])
        .unwrap();
    let session: Vec<(u32, String)> = user
        .session("s1")
        .memories(1, 2)
        .unwrap()
        .into_iter()
        .map(|m| (m.body.turn.unwrap().position, m.body.text))
        .collect();
    assert_eq!(
        session,
        [
            (1, "Biscuit!".to_owned()),
            (2, "The weather is dull today.".to_owned())
        ]
    );
    let hits = user.recall("what is the name of the puppy?").unwrap();
    assert!(
        hits.iter().take(2).any(|hit| hit.text == "Biscuit!"),
        "{hits:?}"
    );
    let on_second = user
        .recall(Query::new("what did we say on 2026-02-02?"))
        .unwrap();
    assert_eq!(on_second[0].text, "The weather is dull today.");
    let by_ben = Filter {
        speakers: vec![Label::new("speaker", "Ben").unwrap()],
        ..Filter::default()
    };
    assert!(
        user.recall(Query::new("puppy").filter(by_ben))
            .unwrap()
            .iter()
            .all(|h| h.text != "What should we call the new puppy?")
    );
    assert_eq!(user.sessions().list().unwrap()[0].turns, 4);
}

#[test]
fn lists_go_page_by_page() {
    let (memory, clock) = memory();
    let user = memory.namespace("u").unwrap();
    for number in 0..7 {
        clock.advance_millis(1000);
        user.remember(format!("note {number}")).unwrap();
    }
    let mut query = ListQuery {
        limit: 3,
        ..ListQuery::default()
    };
    let mut seen = Vec::new();
    loop {
        let page = user.list(&query).unwrap();
        assert_eq!(page.total, 7);
        seen.extend(page.memories.into_iter().map(|m| m.body.text));
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    assert_eq!(
        seen,
        [
            "note 6", "note 5", "note 4", "note 3", "note 2", "note 1", "note 0"
        ]
    );
    assert!(
        user.list(&ListQuery {
            after: Some("nonsense".into()),
            ..ListQuery::default()
        })
        .unwrap_err()
        .is_invalid()
    );
}

#[test]
fn a_snapshot_stays_as_it_was() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    user.remember("Old fact about lighthouses.").unwrap();
    let snapshot = user.snapshot().unwrap();
    user.remember("New fact about lighthouses.").unwrap();
    assert_eq!(snapshot.recall("lighthouses").unwrap().len(), 1);
    assert_eq!(snapshot.list(&ListQuery::default()).unwrap().total, 1);
    assert_eq!(user.recall("lighthouses").unwrap().len(), 2);
}

#[test]
fn validity_is_asked_for_or_weighed() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let old = NewMemory::builder("I live in Shanghai.")
        .valid_until(at("2026-01-01"))
        .build()
        .unwrap();
    let new = NewMemory::builder("I live in Berlin.")
        .valid_from(at("2026-01-01"))
        .build()
        .unwrap();
    user.bulk().remember(vec![old, new]).unwrap();
    assert_eq!(texts(&user, "where do I live")[0], "I live in Berlin.");
    let then = Filter {
        valid_at: Some(at("2025-06-01")),
        ..Filter::default()
    };
    let hits = user
        .recall(Query::new("where do I live").filter(then))
        .unwrap();
    assert_eq!(
        hits.iter().map(|h| h.text.as_str()).collect::<Vec<_>>(),
        ["I live in Shanghai."]
    );
}

#[test]
fn bad_input_is_refused_whole() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    assert!(user.remember("").unwrap_err().is_invalid());
    assert!(user.recall("   ").unwrap_err().is_invalid());
    assert!(memory.namespace("bad\nname").unwrap_err().is_invalid());
    let ghost = user.remember("a real one").unwrap();
    user.delete(ghost, Mode::Commit).unwrap();
    let orphan = NewMemory::builder("derived")
        .derived_from(ghost)
        .build()
        .unwrap();
    let fine = NewMemory::builder("fine").build().unwrap();
    assert!(
        user.bulk()
            .remember(vec![fine, orphan])
            .unwrap_err()
            .is_not_found()
    );
    assert_eq!(user.list(&ListQuery::default()).unwrap().total, 0);
    assert!(
        user.recall(Query::new("x").top_k(0))
            .unwrap_err()
            .is_invalid()
    );
    assert!(
        user.recall(Query::new("x").min_score(UnitScore::ONE))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn strange_texts_are_kept_as_they_are() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let million = "word ".repeat(209_715);
    for text in [
        "\u{0}\u{1}\u{7f}x",
        "\u{202e}right to left\u{202c}",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "é\u{301}\u{301}\u{301}",
        million.as_str(),
        "\u{1b}[31mred",
    ] {
        let id = user.remember(text).unwrap();
        assert_eq!(user.get(id).unwrap().unwrap().body.text, text);
        user.recall(&text[..text.char_indices().nth(5).map_or(text.len(), |(i, _)| i)])
            .unwrap();
    }
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
}

#[test]
fn namespaces_are_renamed_and_deleted_with_all_bytes() {
    let (memory, _) = memory();
    let user = memory.namespace("old").unwrap();
    let id = user.remember("something").unwrap();
    memory.rename_namespace("old", "new").unwrap();
    assert_eq!(user.get(id).unwrap(), None);
    let renamed = memory.namespace("new").unwrap();
    assert!(renamed.get(id).unwrap().is_some());
    assert!(
        memory
            .rename_namespace("old", "x")
            .unwrap_err()
            .is_not_found()
    );
    let plan = memory.delete_namespace("new", Mode::DryRun).unwrap();
    assert_eq!((plan.memories, plan.keys), (1, 0));
    assert!(memory.delete_namespace("new", Mode::Commit).unwrap().keys > 0);
    assert!(memory.namespaces().unwrap().is_empty());
    assert!(texts(&renamed, "something").is_empty());
    renamed.remember("begun anew").unwrap();
    assert_eq!(memory.namespaces().unwrap().len(), 1);
    assert!(memory.validate().unwrap().problems.is_empty());
}

#[test]
fn reported_use_lifts_a_memory_and_survives_an_update() {
    let (memory, _) = memory();
    let user = memory.namespace("u").unwrap();
    let ids = user.bulk().remember(vec![
        NewMemory::builder("Tea is in the red tin.")
            .build()
            .unwrap(),
        NewMemory::builder("Tea is in the blue tin.")
            .build()
            .unwrap(),
    ]);
    let ids = ids.unwrap();
    let first = |user: &Namespace| user.recall("where is the tea, in which tin?").unwrap()[0].id;
    let usual = first(&user);
    let other = if usual == ids[0] { ids[1] } else { ids[0] };
    for _ in 0..20 {
        user.touch(&[other]).unwrap();
    }
    assert_eq!(first(&user), other);
    user.update(other, user.get(other).unwrap().unwrap().body.text)
        .unwrap();
    assert_eq!(first(&user), other);
    assert!(
        user.touch(&[
            ids[0],
            "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e".parse().unwrap()
        ])
        .unwrap_err()
        .is_not_found()
    );
    assert_eq!(user.admin().validate().unwrap(), Vec::<String>::new());
}
