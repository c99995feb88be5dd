//! What reaches a prompt: whether anything answers, which lines, and the newest of one thing first.

use annals::blocking::{Memory, Namespace};
use annals::{ContextRequest, NewTurn, Options, Query, Role};

/// A user who told some lasting things, one of them twice with another value.
fn told() -> (Memory, Namespace) {
    let memory = Options::new().in_memory().unwrap();
    let user = memory.namespace("user:1").unwrap();
    for (text, at) in [
        ("I live in a flat in Leeds with my sister.", "2024-02-01"),
        (
            "My cat is called Turing and is afraid of thunder.",
            "2024-03-01",
        ),
        ("I'm allergic to peanuts.", "2024-04-01"),
        ("I moved, I live in a flat in Bergen now.", "2025-05-01"),
        ("我儿子在实验小学上三年级。", "2025-06-01"),
    ] {
        user.remember(
            annals::NewMemory::builder(text)
                .event_time(at.parse().unwrap())
                .build()
                .unwrap(),
        )
        .unwrap();
    }
    (memory, user)
}

fn lines(user: &Namespace, prompt: &str) -> Vec<String> {
    let request = ContextRequest::new(prompt)
        .at("2025-09-01T10:00:00Z".parse().unwrap())
        .peek();
    let ids = user.context(request).unwrap().ids;
    ids.into_iter()
        .map(|id| user.get(id).unwrap().unwrap().body.text)
        .collect()
}

#[test]
fn nothing_is_put_into_a_prompt_that_nothing_answers() {
    let (_memory, user) = told();
    for prompt in [
        "hello",
        "thanks, looks good!",
        "ok",
        "你好",
        "好的，继续",
        "what is the capital of Peru?",
        "写一个冒泡排序",
    ] {
        assert_eq!(lines(&user, prompt), [""; 0], "{prompt}");
        assert!(
            !user.answer(prompt).unwrap().answered.is_likely(),
            "{prompt}"
        );
    }
    for (prompt, part) in [
        ("what is my cat called?", "Turing"),
        ("我对什么过敏", "peanuts"),
        ("我儿子上几年级", "三年级"),
    ] {
        let lines = lines(&user, prompt);
        assert!(
            lines.len() <= 3 && lines.first().is_some_and(|line| line.contains(part)),
            "{prompt}: {lines:?}"
        );
    }
}

#[test]
fn now_and_today_lift_nothing_by_themselves() {
    let (_memory, user) = told();
    user.remember(
        annals::NewMemory::builder("Jonas likes plums.")
            .event_time("2025-09-01T08:00:00Z".parse().unwrap())
            .build()
            .unwrap(),
    )
    .unwrap();
    for prompt in [
        "is the server down right now?",
        "我现在想知道量子力学",
        "今天帮我写首诗",
        "现在几点",
    ] {
        assert_eq!(lines(&user, prompt), [""; 0], "{prompt}");
    }
    let asked = |question: &str| {
        let query = Query {
            asked_at: Some("2025-09-01T10:00:00Z".parse().unwrap()),
            ..Query::new(question)
        };
        user.recall(query).unwrap()[0].text.clone()
    };
    assert_eq!(
        asked("what did I tell you today?"),
        "Jonas likes plums.",
        "what was told is asked for"
    );
    assert!(asked("我现在住在哪里").contains("Bergen"));
}

#[test]
fn the_newest_of_one_thing_comes_first_and_the_older_one_where_that_is_asked_for() {
    let (_memory, user) = told();
    for question in ["where do I live now?", "where do I live?", "我现在住在哪里"] {
        assert!(
            user.recall(question).unwrap()[0].text.contains("Bergen"),
            "{question}"
        );
    }
    assert!(
        user.recall("where did I live before?").unwrap()[0]
            .text
            .contains("Leeds")
    );
    let hits = user.recall("where do I live?").unwrap();
    let old = hits.iter().find(|hit| hit.text.contains("Leeds")).unwrap();
    assert!(old.newer.is_none_or(|newer| newer == hits[0].id) && old.score < hits[0].score);
}

#[test]
fn an_answer_stands_before_its_question_and_a_nod_is_no_line() {
    let memory = Options::new().in_memory().unwrap();
    let talk = memory.namespace("user:2").unwrap();
    let turn = |role, text: &str| NewTurn::builder("s", text).role(role).build().unwrap();
    let said = [
        turn(Role::Assistant, "Which editor do you use for Rust?"),
        turn(Role::User, "Helix, since last spring."),
        turn(Role::Assistant, "Great!"),
        turn(Role::User, "ok"),
    ];
    talk.sessions().append(said.to_vec()).unwrap();
    let hits = talk
        .recall(Query::new("which editor do I use for Rust?"))
        .unwrap();
    assert_eq!(hits[0].text, "Helix, since last spring.");
    let lines = lines(&talk, "which editor do I use for Rust?");
    assert_eq!(lines, ["Helix, since last spring."]);
}

#[test]
fn a_digest_has_what_holds_from_now_on_and_what_was_said_last() {
    let memory = Options::new().in_memory().unwrap();
    let project = memory.namespace("project:1").unwrap();
    let say = |session: &str, text: &str| {
        project
            .sessions()
            .append(vec![
                NewTurn::builder(session, text)
                    .role(Role::User)
                    .build()
                    .unwrap(),
            ])
            .unwrap();
    };
    say("first", "never use unwrap outside of tests");
    say("first", "以后提交信息一律用英文写");
    say("first", "ok");
    say("last", "the importer reads CSV files with semicolons now");
    say("last", "does that work?");
    say("last", "thanks, perfect");
    say("now", "let us begin");
    let digest = project.digest("now").unwrap();
    let texts = |memories: &[annals::StoredMemory]| {
        memories
            .iter()
            .map(|m| m.body.text.clone())
            .collect::<Vec<_>>()
    };
    let mut instructions = texts(&digest.instructions);
    instructions.sort();
    assert_eq!(
        instructions,
        [
            "never use unwrap outside of tests",
            "以后提交信息一律用英文写"
        ]
    );
    assert_eq!(
        texts(&digest.last_session),
        ["the importer reads CSV files with semicolons now"]
    );
}

#[test]
fn what_holds_for_a_day_is_gone_from_the_digest_the_day_after() {
    let clock = annals::ManualClock::new("2026-02-18T09:00:00Z".parse().unwrap());
    let memory = Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let project = memory.namespace("project:1").unwrap();
    let texts = [
        "Never push to main without a review today.",
        "never use unwrap outside of tests",
        "这周回复我的时候一律不要用英文",
    ];
    for text in texts {
        project
            .sessions()
            .append(vec![
                NewTurn::builder("first", text)
                    .role(Role::User)
                    .build()
                    .unwrap(),
            ])
            .unwrap();
    }
    let instructions = || {
        let digest = project.digest("now").unwrap();
        let mut told: Vec<String> = digest
            .instructions
            .into_iter()
            .map(|memory| memory.body.text)
            .collect();
        told.sort();
        assert!(
            !digest
                .last_session
                .iter()
                .any(|memory| texts.contains(&memory.body.text.as_str()))
        );
        told
    };
    assert_eq!(
        instructions(),
        [
            "Never push to main without a review today.",
            "never use unwrap outside of tests",
            "这周回复我的时候一律不要用英文"
        ]
    );
    clock.advance_millis(86_400_000);
    assert_eq!(
        instructions(),
        [
            "never use unwrap outside of tests",
            "这周回复我的时候一律不要用英文"
        ]
    );
    clock.advance_millis(7 * 86_400_000);
    assert_eq!(instructions(), ["never use unwrap outside of tests"]);
}

#[test]
fn rules_that_have_no_room_stand_among_what_was_said_last() {
    let memory = Options::new().in_memory().unwrap();
    let project = memory.namespace("project:1").unwrap();
    let rules = [
        "never use unwrap outside of tests",
        "always write commit messages in English",
        "never push to main without a review",
        "always run the linter before you commit",
        "never delete a migration that was released",
        "always answer in short sentences",
        "never add a dependency without asking me",
        "always use pnpm instead of npm",
        "never edit generated files by hand",
        "always put dates into UTC",
        "never log passwords or tokens",
        "always indent with four spaces",
        "never leave TODO comments behind",
        "always open a draft pull request first",
        "never use abbreviations in names",
        "never commit binaries to the repository",
        "always name tests after what they show",
        "never change the public API without a note",
        "from now on write comments in German",
        "never use global variables",
        "never mock the database",
        "always reply in Chinese",
    ];
    for text in rules {
        project
            .sessions()
            .append(vec![
                NewTurn::builder("last", text)
                    .role(Role::User)
                    .build()
                    .unwrap(),
            ])
            .unwrap();
    }
    let digest = project.digest("now").unwrap();
    let texts = |memories: &[annals::StoredMemory]| {
        memories
            .iter()
            .map(|m| m.body.text.clone())
            .collect::<Vec<_>>()
    };
    let (told, said) = (texts(&digest.instructions), texts(&digest.last_session));
    assert_eq!(told.len(), 12, "{told:?}");
    assert!(
        !said.is_empty() && said.iter().all(|text| !told.contains(text)),
        "{said:?}"
    );
}

#[test]
fn a_rule_that_holds_from_now_on_stays() {
    let clock = annals::ManualClock::new("2026-02-18T09:00:00Z".parse().unwrap());
    let memory = Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let project = memory.namespace("project:1").unwrap();
    for text in [
        "Now always use pnpm, never npm.",
        "Never answer a customer within 24 hours by phone.",
    ] {
        project
            .sessions()
            .append(vec![
                NewTurn::builder("first", text)
                    .role(Role::User)
                    .build()
                    .unwrap(),
            ])
            .unwrap();
    }
    let before = project.digest("now").unwrap().instructions.len();
    clock.advance_millis(30 * 86_400_000);
    assert_eq!(
        (before, project.digest("now").unwrap().instructions.len()),
        (2, 2)
    );
}

#[test]
fn a_prompt_with_a_score_that_is_no_number_is_read_again() {
    let memory = Options::new().in_memory().unwrap();
    let user = memory.namespace("user:1").unwrap();
    let id = user.remember("My cat is called Momo.").unwrap();
    let injection = |score: f64| annals::Injection {
        at: "2026-02-18T09:00:00Z".parse().unwrap(),
        agent: None,
        session: None,
        tokens: None,
        left_out: 0,
        memories: vec![annals::InjectedMemory {
            id,
            part: "recall".to_owned(),
            score,
            reasons: Vec::new(),
        }],
    };
    for score in [f64::NAN, 0.5, f64::INFINITY] {
        user.lifecycle().note_injection(injection(score)).unwrap();
    }
    let scores = |limit| -> Vec<f64> {
        let found = user.lifecycle().injections(Some(id), limit).unwrap();
        found
            .iter()
            .map(|injection| injection.memories[0].score)
            .collect()
    };
    assert_eq!(
        (scores(9), scores(2), scores(0)),
        (vec![0.0, 0.5, 0.0], vec![0.0, 0.5], vec![])
    );
}

#[test]
fn a_rule_is_not_over_with_a_like_one_that_was_told_for_a_week() {
    let clock = annals::ManualClock::new("2026-02-18T09:00:00Z".parse().unwrap());
    let memory = Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let project = memory.namespace("project:1").unwrap();
    for text in [
        "Never push to main without a review, please.",
        "Never push to main without a review this week, please.",
    ] {
        let turn = NewTurn::builder("first", text)
            .role(Role::User)
            .build()
            .unwrap();
        project.sessions().append(vec![turn]).unwrap();
        clock.advance_millis(60_000);
    }
    clock.advance_millis(8 * 86_400_000);
    let told = project.digest("now").unwrap().instructions;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        told[0].body.text,
        "Never push to main without a review, please."
    );
}

#[test]
fn a_fact_with_a_date_stays_in_prompts_after_that_date() {
    let clock = annals::ManualClock::new("2026-02-18T09:00:00Z".parse().unwrap());
    let memory = Options::new()
        .clock(std::sync::Arc::new(clock.clone()))
        .in_memory()
        .unwrap();
    let user = memory.namespace("user:1").unwrap();
    user.remember("Today is my birthday.").unwrap();
    clock.advance_millis(40 * 86_400_000);
    let context = user
        .context(annals::ContextRequest::new("When is my birthday?"))
        .unwrap();
    assert!(context.text.contains("birthday"), "{}", context.text);
}
