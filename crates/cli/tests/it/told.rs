//! Notes beside answers: expiry, floors, masks.

use crate::stage;

use serde_json::json;
use stage::Stage;

fn under(profile: &str) -> Stage {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "user", "--profile", profile]);
    stage
}

#[test]
fn what_will_expire_is_told_when_it_is_stored() {
    let stage = under("agent");
    let said = stage.run(&["remember", "--kind", "RULE", "Never deploy on Friday."]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.err.contains("expires at 2026-03-02") && said.err.contains("--for permanent"),
        "{}",
        said.all()
    );
    let said = stage.run(&[
        "remember",
        "--kind",
        "ERROR",
        "The port was taken.",
        "--json",
    ]);
    assert!(
        said.json()["expires_at"]
            .as_str()
            .unwrap()
            .starts_with("2026-03-08"),
        "{}",
        said.all()
    );
    // An expiry that a flag gave is no news.
    let said = stage.run(&[
        "remember",
        "--kind",
        "RULE",
        "Test first.",
        "--expires-at",
        "2026-05-01",
    ]);
    assert!(
        said.code == 0 && !said.err.contains("expires"),
        "{}",
        said.all()
    );
}

#[test]
fn what_is_over_already_is_told_when_it_is_stored() {
    let stage = Stage::new();
    let said = stage.run(&[
        "remember",
        "The demo is on Monday.",
        "--expires-at",
        "2020-01-01",
    ]);
    assert!(
        said.code == 0 && said.err.contains("expired at 2020-01-01"),
        "{}",
        said.all()
    );
    assert!(
        stage
            .ok(&["list", "--all"])
            .contains("The demo is on Monday.")
    );
    let said = stage.run(&[
        "remember",
        "The lift is broken.",
        "--expires-at",
        "2020-01-01",
        "--json",
    ]);
    assert_eq!(said.json()["expired"], true, "{}", said.all());
    let id = stage.ok(&["remember", "The door sticks."]);
    let said = stage.run(&["edit", &id, "--expires-at", "2020-01-01"]);
    assert!(
        said.code == 0 && said.err.contains("expired at 2020-01-01"),
        "{}",
        said.all()
    );
    let said = stage.run(&[
        "remember",
        "The window is new.",
        "--expires-at",
        "2099-01-01",
        "--json",
    ]);
    assert!(
        said.code == 0 && said.json()["expired"].is_null(),
        "{}",
        said.all()
    );
}

#[test]
fn what_a_person_stores_by_hand_stays_unless_it_is_said() {
    let stage = under("agent");
    let expiry = |args: &[&str]| {
        let stored = stage.run(&[&["remember", "--json"][..], args].concat());
        assert_eq!(stored.code, 0, "{}", stored.all());
        let id = stored.json()["id"].as_str().unwrap().to_owned();
        let shown = stage.run(&["show", &id, "--json"]).json();
        (
            stored.json()["expires_at"].clone(),
            shown["memory"]["expires_at"].clone(),
        )
    };
    let never = (json!(null), json!(null));
    assert_eq!(expiry(&["My sister Anna is a doctor."]), never);
    assert_eq!(expiry(&["--kind", "PREFERENCE", "Tea, not coffee."]), never);
    assert_eq!(
        expiry(&[
            "--kind",
            "RULE",
            "--for",
            "permanent",
            "Never deploy on Friday."
        ]),
        never
    );
    let week = expiry(&["--for", "7d", "The demo is in the large room."]);
    assert!(
        week.0.as_str().unwrap().starts_with("2026-03-08"),
        "{week:?}"
    );
    let hours = expiry(&["--for", "36h", "The lift is broken."]);
    assert!(
        hours.0.as_str().unwrap().starts_with("2026-03-02T21"),
        "{hours:?}"
    );
    assert_eq!(hours.0, hours.1);
    let wrong = stage.run(&["remember", "--for", "ages", "x"]);
    assert!(
        wrong.code == 2 && wrong.err.contains("permanent") && wrong.err.contains("36h"),
        "{}",
        wrong.all()
    );
    let studio = under("studio");
    let said = studio.run(&["remember", "--for", "2w", "I am in Lyon.", "--json"]);
    assert!(
        said.json()["expires_at"]
            .as_str()
            .unwrap()
            .starts_with("2026-03-15"),
        "{}",
        said.all()
    );
}

#[test]
fn a_graph_takes_a_plain_memory() {
    let stage = under("graph");
    let id = stage.ok(&["remember", "I moved to Berlin in March 2023."]);
    assert_eq!(
        stage.run(&["show", &id, "--json"]).json()["memory"]["kind"],
        "事实"
    );
}

/// Short facts of one person.
const FACTS: [&str; 12] = [
    "I moved to Berlin in March 2023.",
    "My sister Anna is a doctor in Hamburg.",
    "I am allergic to peanuts.",
    "The demo is at ten on Monday.",
    "I prefer tea to coffee.",
    "My car is a blue Volvo.",
    "We deploy every Thursday afternoon.",
    "My favourite editor is Helix.",
    "I play the cello in an orchestra.",
    "The wifi in the office is slow.",
    "I was born in 1987.",
    "My dog is called Rex.",
];

#[test]
fn what_has_nothing_to_do_with_a_message_is_in_no_prompt() {
    let stage = Stage::new();
    FACTS
        .iter()
        .for_each(|fact| drop(stage.ok(&["remember", fact])));
    for question in ["sort the list in place", "the photosynthesis of algae"] {
        let said = stage.run(&["context", question]);
        assert!(
            said.code == 0 && said.out.is_empty(),
            "{question}: {}",
            said.all()
        );
        // A search shows what is nearest, and says that prompts get none of it.
        let said = stage.run(&["recall", question]);
        assert!(
            said.err.contains("probably nothing here answers that"),
            "{question}: {}",
            said.all()
        );
        assert!(
            stage.run(&["recall", question, "--json"]).json()["answered"]
                .as_f64()
                .unwrap()
                < 0.11
        );
    }
    let pets = stage.ok(&["context", "what pet do I have?"]);
    assert!(
        pets.lines().nth(1).is_some_and(|line| line.contains("Rex")),
        "{pets}"
    );
    assert!(
        stage
            .run(&["recall", "what pet do I have?", "--json"])
            .json()["answered"]
            .as_f64()
            .unwrap()
            > 0.11
    );
}

#[test]
fn a_studio_shows_what_is_below_its_floor_and_names_the_floor() {
    let stage = under("studio");
    FACTS
        .iter()
        .for_each(|fact| drop(stage.ok(&["remember", fact])));
    let said = stage.run(&["recall", "what is the capital of Mongolia?"]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.out.contains("too weak for a prompt") && said.err.contains("0.300"),
        "{}",
        said.all()
    );
    let strict = stage.run(&[
        "recall",
        "what is the capital of Mongolia?",
        "--min-score",
        "0.3",
    ]);
    assert!(
        strict.out.is_empty() && strict.err.contains("0.300"),
        "{}",
        strict.all()
    );
    let near = stage.run(&["recall", "My dog is called Rex.", "-k", "1"]);
    assert!(
        near.out.contains("Rex") && !near.all().contains("too weak"),
        "{}",
        near.all()
    );
}

#[test]
fn secrets_of_a_known_form_are_masked_under_every_profile_and_that_is_told_once() {
    let secrets = [
        (
            "the key is sk-proj-4f9aB2kQ7zX1mN8vC3tR6wE5",
            "sk-proj",
            "api_key",
        ),
        ("my card is 4111 1111 1111 1111", "4111", "card"),
        ("my password is hunter2abc", "hunter2abc", "password"),
        ("my PIN is 4711", "4711", "password"),
    ];
    for profile in ["", "studio", "companion", "agent", "markdown"] {
        let stage = if profile.is_empty() {
            Stage::new()
        } else {
            under(profile)
        };
        for (text, secret, kind) in secrets {
            let said = stage.run(&["remember", text]);
            assert_eq!(
                (said.code, said.err.matches("masked").count()),
                (0, 1),
                "{profile}: {}",
                said.all()
            );
            assert!(
                said.err.contains(kind) && !said.all().contains(secret),
                "{profile}: {}",
                said.all()
            );
        }
        let all = stage.ok(&["export"]);
        assert!(
            secrets.iter().all(|(_, secret, _)| !all.contains(secret)),
            "{profile}: {all}"
        );
        let said = stage.run(&["remember", "I have a cat called Tom."]);
        assert!(!said.err.contains("masked"), "{profile}: {}", said.all());
        let said = stage.run(&["remember", "my password is hunter2abc", "--json"]);
        assert_eq!(
            said.json()["masked"],
            json!(["password"]),
            "{profile}: {}",
            said.all()
        );
    }
    let refused = under("graph").run(&["remember", secrets[2].0]);
    assert!(
        refused.code == 4 && !refused.all().contains("hunter2abc"),
        "{}",
        refused.all()
    );
}

#[test]
fn what_is_masked_on_other_ways_in_is_told_once() {
    let stage = under("studio");
    let turns = stage.file(
        "talk.ndjson",
        "{\"session\":\"t\",\"text\":\"my password is hunter2abc\"}\n{\"session\":\"t\",\"text\":\"my PIN is 4711\"}\n",
    );
    let answers = "{\"purpose\":\"extract\",\"reply\":{\"text\":\"[]\"}}\n".repeat(2);
    let model = format!("replay:{}", stage.file("idle.ndjson", answers));
    let others = stage.file(
        "others.ndjson",
        "{\"session\":\"u\",\"text\":\"my password is hunter2abc\"}\n",
    );
    for args in [
        &["import", &turns][..],
        &["ingest", &others, "--llm", &model],
    ] {
        let said = stage.run(args);
        assert_eq!(
            (said.code, said.err.matches("masked").count()),
            (0, 1),
            "{}",
            said.all()
        );
        assert!(!said.all().contains("hunter2abc"), "{}", said.all());
    }
    let id = stage.ok(&["remember", "I have a cat."]);
    let said = stage.run(&["edit", &id, "--text", "my PIN is 4711"]);
    assert_eq!(
        (said.code, said.err.matches("masked").count()),
        (0, 1),
        "{}",
        said.all()
    );
}
