//! The output of the program, word for word.

use crate::stage;

use insta::assert_snapshot;
use stage::{Said, Stage, shape};

fn shape_of(said: &Said) -> String {
    shape(&said.all())
}

#[test]
fn help_of_the_program() {
    assert_snapshot!(Stage::new().ok(&["--help"]));
}

/// The commands in the help of a group.
fn listed(help: &str) -> Vec<&str> {
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = commands
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with("   "));
    lines
        .filter_map(|line| line.split_whitespace().next())
        .collect()
}

const GROUPS: [&str; 13] = [
    "namespace",
    "profile",
    "language",
    "session",
    "graph",
    "review",
    "queue",
    "jobs",
    "model",
    "db",
    "hook",
    "token",
    "eval",
];

#[test]
fn every_command_has_help() {
    let stage = Stage::new();
    let program = stage.ok(&["--help"]);
    let lines = program.lines().filter_map(|line| line.strip_prefix("  "));
    let names = lines
        .filter_map(|line| line.split("  ").next())
        .flat_map(|names| names.split(", "));
    let names: Vec<&str> = names
        .filter_map(|name| name.split_whitespace().next())
        .collect();
    assert_eq!(names.len(), 36, "{names:?}");
    let table = include_str!("../../README.md");
    for name in names {
        assert!(
            table.contains(&format!("`{name}`")),
            "{name} is not in the table of README.md"
        );
        let help = stage.ok(&[name, "--help"]);
        assert!(
            help.contains("Usage: annals") && help.contains("\nExamples:\n"),
            "{name}: {help}"
        );
        // `mcp` serves by itself, and has a command besides.
        assert_eq!(
            listed(&help).is_empty(),
            !GROUPS.contains(&name) && name != "mcp",
            "{name}: {help}"
        );
    }
}

#[test]
fn a_group_alone_prints_its_help_and_lists_its_commands() {
    let stage = Stage::new();
    let table = include_str!("../../README.md");
    for group in GROUPS {
        let help = stage.ok(&[group]);
        assert_eq!(help, stage.ok(&[group, "--help"]));
        for name in listed(&help) {
            assert!(
                stage
                    .ok(&[group, name, "--help"])
                    .contains(&format!("Usage: annals {group} {name}"))
            );
            assert!(
                table.contains(&format!("`{name}`")),
                "{group} {name} is not in the table of README.md"
            );
        }
        let error = stage.run(&[group, "--json"]).error();
        let advice = format!("`annals {group} --help` lists the commands");
        assert_eq!(
            (&error["exit_code"], &error["advice"]),
            (&2.into(), &advice.as_str().into())
        );
    }
    assert_eq!(stage.ok(&[]), stage.ok(&["--help"]));
    assert_eq!(stage.ok(&["help"]), stage.ok(&["--help"]));
    assert_eq!(
        stage.ok(&["help", "graph", "add"]),
        stage.ok(&["graph", "add", "--help"])
    );
}

#[test]
fn help_of_recall() {
    assert_snapshot!(Stage::new().ok(&["recall", "--help"]));
}

#[test]
fn recall_explains_itself() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    assert_snapshot!(
        "recall",
        shape_of(&stage.run(&["recall", "where do I live?", "-k", "2"]))
    );
    assert_snapshot!(
        "recall_explained",
        shape_of(&stage.run(&[
            "recall",
            "when is the birthday? 生日",
            "-k",
            "1",
            "--explain"
        ]))
    );
    assert_snapshot!(
        "why_not",
        shape_of(&stage.run(&["recall", "demo", "-k", "1", "--why-not", &ids[0]]))
    );
    assert_snapshot!(
        "why_not_filtered",
        shape_of(&stage.run(&["recall", "demo", "--tag", "work", "--why-not", &ids[0]]))
    );
}

#[test]
fn list_and_show() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    assert_snapshot!("list", stage.run(&["list"]).all());
    assert_snapshot!(
        "list_page",
        stage.run(&["list", "--limit", "2", "--oldest-first"]).all()
    );
    assert_snapshot!("show_turn", stage.run(&["show", &ids[2]]).all());
    assert_eq!(
        stage.ok(&[
            "edit",
            &ids[0],
            "--text",
            "I moved to Hamburg.",
            "--valid-from",
            "2026-03-01"
        ]),
        ids[0]
    );
    assert_snapshot!(
        "show_history",
        stage.run(&["show", &ids[0], "--history"]).all()
    );
}

#[test]
fn a_terminal_gets_colours_and_lines_that_fit() {
    let mut stage = Stage::new();
    stage.with_memories();
    stage.terminal.output = true;
    stage.terminal.width = Some(60);
    let recalled = stage.ok(&["recall", "robotics job in Berlin", "-k", "1", "--explain"]);
    assert_snapshot!("terminal_recall", shape(&recalled.replace('#', "")));
    assert_snapshot!("terminal_list", stage.ok(&["list", "--limit", "2"]));
    stage.set("NO_COLOR", "1");
    assert!(!stage.ok(&["list"]).contains('\u{1b}'));
}

#[test]
fn forget_delete_and_their_dry_runs() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    assert_snapshot!(
        "delete_dry",
        stage.run(&["delete", "--session", "monday"]).all()
    );
    assert_snapshot!(
        "delete_done",
        stage.run(&["delete", &ids[2], "--yes"]).all()
    );
    assert_eq!(stage.run(&["show", &ids[2]]).code, 3);
    assert_snapshot!("forget_dry", stage.run(&["forget", "--tag", "work"]).all());
    stage.ok(&["forget", &ids[1]]);
    assert!(!stage.ok(&["list"]).contains("Friday"));
    assert!(
        stage
            .ok(&["list", "--status", "forgotten"])
            .contains("Friday")
    );
    stage.ok(&["restore", &ids[1]]);
    assert!(stage.ok(&["list"]).contains("Friday"));
    stage.ok(&["archive", &ids[1]]);
    assert!(
        stage
            .ok(&["list", "--status", "archived"])
            .contains("Friday")
    );
}

#[test]
fn namespaces() {
    let stage = Stage::new();
    stage.with_memories();
    stage.ok(&["remember", "-n", "team", "The retro is on Thursday."]);
    assert_snapshot!("namespaces", stage.run(&["namespace", "list"]).all());
    assert_snapshot!(
        "recall_across",
        shape_of(&stage.run(&[
            "recall",
            "thursday or friday?",
            "-n",
            "team",
            "-n",
            "user",
            "-k",
            "2"
        ]))
    );
    assert_eq!(
        stage.ok(&["namespace", "rename", "team", "crew"]),
        "renamed \"team\" to \"crew\""
    );
    assert_snapshot!(
        "namespace_delete",
        stage.run(&["namespace", "delete", "crew"]).all()
    );
    stage.ok(&["namespace", "delete", "crew", "--yes"]);
    assert_eq!(stage.run(&["namespace", "stats", "crew"]).code, 3);
}

#[test]
fn the_demo_answers_in_both_languages() {
    let stage = Stage::new();
    let said = stage.run(&["demo", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let questions = said.json()["questions"].as_array().unwrap().clone();
    assert_eq!(questions.len(), 8);
    for question in &questions {
        let first = &question["hits"][0]["turn"];
        assert!(
            question["evidence"].as_array().unwrap().contains(first),
            "the answer stands first: {question:#}"
        );
    }
    let text = stage.ok(&["demo", "-k", "1"]);
    assert!(
        text.contains("小满的生日到底是哪一天？") && text.contains("238 turns"),
        "{text}"
    );
    assert!(
        !stage.path("agent.annals").exists(),
        "the demo keeps nothing"
    );
}

#[test]
fn profiles_and_what_they_want_done() {
    let stage = Stage::new();
    assert_eq!(
        stage.ok(&["namespace", "create", "me", "--profile", "companion"]),
        "made \"me\" with profile \"companion\""
    );
    let id = stage.ok(&[
        "remember",
        "-n",
        "me",
        "--importance",
        "0.23",
        "The flat has a green door.",
    ]);
    stage.ok(&["remember", "The retro is on Thursday."]);
    assert_snapshot!("profiles", stage.run(&["profile", "list"]).all());
    assert_snapshot!(
        "profile_namespaces",
        stage.run(&["namespace", "list"]).all()
    );
    assert!(
        stage
            .ok(&["namespace", "stats", "me"])
            .contains("profile         companion")
    );
    stage.clock.advance_millis(6 * 86_400_000);
    assert_snapshot!("maintain", stage.run(&["jobs", "run"]).all());
    assert_eq!(stage.ok(&["jobs", "run"]), "nothing is due");
    assert_snapshot!("maintain_all", stage.run(&["jobs", "run", "--all"]).all());
    assert_snapshot!("reviews", stage.run(&["review", "list", "-n", "me"]).all());
    let waiting = stage.run(&["review", "list", "-n", "me", "--json"]).json();
    assert_eq!(
        (&waiting["reviews"][0]["id"], &waiting["reviews"][0]["kind"]),
        (&id.as_str().into(), &"decay".into())
    );
    assert_eq!(
        stage.ok(&["review", "keep", &id, "-n", "me"]),
        format!("kept {id}")
    );
    assert_eq!(
        stage.ok(&["review", "list", "-n", "me"]),
        "no memory waits for a verdict"
    );
    assert_eq!(stage.run(&["review", "delete", &id, "-n", "me"]).code, 3);
    stage.ok(&["namespace", "use-profile", "me", "markdown"]);
    stage.clock.advance_millis(200 * 86_400_000);
    let early = stage.run(&["jobs", "run", "--dry-run"]).all();
    assert!(
        early.contains("me: nothing used it from 2026-03-07") && !early.contains("1 archived"),
        "{early}"
    );
    let doctor = stage.ok(&["doctor"]);
    assert!(
        doctor.contains("me: nothing used it from 2026-03-07"),
        "{doctor}"
    );
    stage.ok(&["jobs", "trust-clock"]);
    assert!(!stage.ok(&["doctor"]).contains("nothing used it"));
    assert_snapshot!(
        "maintain_dry",
        stage.run(&["jobs", "run", "--dry-run"]).all()
    );
    let done = stage.run(&["jobs", "run", "--json"]).json();
    assert_eq!(
        done["jobs"][0]["steps"][1]["counts"]["archived"], 1,
        "{done}"
    );
    assert!(
        stage
            .ok(&["list", "-n", "me", "--status", "archived"])
            .contains("green door")
    );
}

#[test]
fn profiles_of_ones_own() {
    let stage = Stage::new();
    let text = stage.ok(&["profile", "show", "companion"]);
    let path = stage.file("mine.toml", &text);
    assert_eq!(
        stage.ok(&["profile", "store", "mine", &path]),
        "stored profile \"mine\""
    );
    stage.ok(&["namespace", "create", "me", "--profile", "mine"]);
    assert_eq!(
        stage.ok(&["profile", "store", "mine", &path]),
        "stored profile \"mine\"; 1 namespace goes on under it now"
    );
    assert_eq!(stage.ok(&["profile", "show", "mine"]), text);
    let bad = stage.file("bad.toml", text.replacen("keep_reset", "keep_resett", 1));
    // Profiles grow: which line it is depends on where the key stands today.
    let line = |part: &str| 1 + text[..text.find(part).unwrap()].matches('\n').count();
    let anywhere =
        |said: String, part: &str| said.replace(&format!("line {}:", line(part)), "line <n>:");
    let said = stage.run(&["profile", "store", "mine", &bad]);
    assert_snapshot!("profile_bad_key", anywhere(said.all(), "keep_reset"));
    assert_eq!(said.code, 4);
    assert!(
        stage
            .run(&["profile", "store", "mine", &bad, "--json"])
            .error()["line"]
            .as_u64()
            > Some(10)
    );
    let bad = stage.file(
        "worse.toml",
        text.replacen("value = 0.2", "value = -0.2", 1),
    );
    let refused = stage.run(&["profile", "store", "mine", &bad]).all();
    assert_snapshot!("profile_bad_value", anywhere(refused, "value = 0.2"));
    assert_eq!(stage.run(&["profile", "store", "companion", &path]).code, 4);
    assert_eq!(
        stage
            .run(&["profile", "store", "mine", "nowhere.toml"])
            .code,
        3
    );
    assert_eq!(stage.run(&["namespace", "create", "me"]).code, 4);
    assert_eq!(
        stage
            .run(&["namespace", "use-profile", "nobody", "mine"])
            .code,
        3
    );
}

#[test]
fn a_deletion_lists_what_it_would_take_along() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&["graph", "add", &ids[0], "Ada", "likes", "tea"]);
    stage.ok(&["graph", "add", &ids[1], "Ada", "likes", "tea"]);
    stage.ok(&[
        "graph", "add", &ids[1], "Ada", "likes", "coffee", "--not", "--when", "it rains",
    ]);
    stage.ok(&["graph", "link", &ids[2], "causes", &ids[1]]);
    stage.ok(&["forget", &ids[0]]);
    let dry = stage.ok(&["delete", &ids[1]]);
    let link = format!("  link {} causes {}", ids[2], ids[1]);
    for line in [
        "with it: 1 triple, 1 entity, 1 link",
        "  triple 1 Ada not likes coffee (when: it rains)",
        "  entity #2 coffee",
        &link,
        "asleep, because only forgotten memories say it: 1 triple",
        "  triple 0 Ada likes tea",
    ] {
        assert!(dry.lines().any(|shown| shown == line), "{line}: {dry}");
    }
    let words = &stage.run(&["delete", &ids[1], "--json"]).json()["words"];
    assert_eq!(words["gone_triples"][0]["condition"], "it rains");
    assert_eq!(words["asleep_triples"][0]["object"], "tea");
    assert_eq!(words["gone_entities"], serde_json::json!([[2, "coffee"]]));
    for n in 0..30 {
        stage.ok(&["graph", "add", &ids[1], "Ada", "saw", &format!("place {n}")]);
    }
    let many = stage.ok(&["delete", &ids[1]]);
    assert!(
        many.contains("with it: 31 triples, 31 entities, 1 link")
            && many.contains("  and 43 more; --json"),
        "{many}"
    );
    let done = stage.run(&["delete", &ids[1], "--yes", "--json"]);
    assert!(
        !done.out.contains("coffee") && !done.out.contains("Ada"),
        "{}",
        done.out
    );
    assert_eq!(done.json()["gone_entities"].as_array().unwrap().len(), 31);
}

#[test]
fn triples_entities_and_links() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    assert_eq!(
        stage.ok(&["graph", "add", &ids[0], "I", "live in", "Berlin"]),
        "0"
    );
    assert_eq!(
        stage.ok(&[
            "graph",
            "add",
            &ids[1],
            "I",
            "deploy on",
            "Friday",
            "--not",
            "--when",
            "at work"
        ]),
        "1"
    );
    assert_eq!(
        stage.ok(&[
            "graph", "add", &ids[2], "#1", "live in", "Berlin", "--degree", "still"
        ]),
        "0"
    );
    assert_snapshot!("triples", stage.run(&["graph", "triples"]).all());
    assert_snapshot!(
        "explain_triple",
        stage.run(&["graph", "explain", "0"]).all()
    );
    assert_snapshot!("entities", stage.run(&["graph", "entities"]).all());
    assert_eq!(
        stage
            .run(&["graph", "triples", "--object", "friday", "--json"])
            .json()["triples"][0]["negated"],
        true
    );
    stage.ok(&["forget", &ids[1]]);
    assert!(!stage.ok(&["graph", "triples"]).contains("Friday"));
    assert!(stage.ok(&["graph", "triples", "--all"]).contains("asleep"));
    stage.ok(&["graph", "link", &ids[1], "causes", &ids[0]]);
    assert_snapshot!("links", stage.run(&["graph", "links", &ids[0]]).all());
    assert_eq!(
        stage
            .run(&["graph", "link", &ids[0], "adores", &ids[1]])
            .code,
        4
    );
    assert_eq!(stage.run(&["graph", "explain", "9"]).code, 3);
    assert_eq!(stage.run(&["graph", "triples", "--subject", "#9"]).code, 3);
    stage.ok(&["graph", "unlink", &ids[1], "causes", &ids[0]]);
    assert!(
        stage
            .run(&["graph", "links", &ids[0]])
            .err
            .contains("no links")
    );
    assert!(
        stage
            .ok(&["graph", "unlink", &ids[1], "causes", &ids[0]])
            .starts_with("there was no such link: ")
    );
    let shown = stage.ok(&["graph", "delete", "0"]);
    assert_eq!(
        shown,
        "0  I live in Berlin (still); 2 memories say it\n1 triple would be deleted; add --yes to do it"
    );
    assert_eq!(stage.run(&["graph", "delete", "0", "9", "--yes"]).code, 3);
    assert!(
        stage.ok(&["graph", "triples"]).contains("Berlin"),
        "one that there is not keeps the others"
    );
    assert_eq!(
        stage.ok(&["graph", "delete", "0", "--yes"]),
        "deleted 1 triple"
    );
    assert!(stage.run(&["graph", "triples"]).err.contains("no triples"));
    assert!(
        stage.ok(&["show", &ids[0]]).contains(&ids[0]),
        "the memory stays"
    );
}

#[test]
fn what_a_memory_says_of_a_triple_can_be_given() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    let args = [
        "graph",
        "add",
        &ids[0],
        "Ada",
        "works at",
        "Acme",
        "--importance",
        "0.9",
        "--confidence",
        "0.7",
    ];
    let more = [
        "--valid-from",
        "2025-01-01",
        "--valid-until",
        "2027-02-01",
        "--meta",
        "team=red",
        "--degree",
        "mostly",
    ];
    stage.ok(&[&args[..], &more[..]].concat());
    assert_snapshot!(
        "explain_triple_claim",
        stage.run(&["graph", "explain", "0"]).all()
    );
    let told = stage.run(&["graph", "explain", "0", "--json"]).json();
    assert_eq!(
        told["evidence"][0]["claim"]["metadata"]["team"], "red",
        "{told}"
    );
    // Said again, what is not given stays.
    stage.ok(&[
        "graph",
        "add",
        &ids[0],
        "Ada",
        "works at",
        "Acme",
        "--confidence",
        "0.8",
        "--meta",
        "desk=4",
    ]);
    let again = stage.run(&["graph", "explain", "0", "--json"]).json();
    let mut claim = told["evidence"][0]["claim"].clone();
    (claim["confidence"], claim["metadata"]["desk"]) = (again["confidence"].clone(), 4.into());
    assert_eq!(again["evidence"][0]["claim"], claim);
    assert_eq!(
        (&again["importance"], &again["degree"]),
        (&told["importance"], &told["degree"])
    );
    let bad = stage.run(&[
        "graph",
        "add",
        &ids[0],
        "Ada",
        "works at",
        "Acme",
        "--confidence",
        "1.5",
    ]);
    assert!(
        bad.code == 4 && bad.err.contains("confidence"),
        "{}",
        bad.all()
    );
}

#[test]
fn entities_are_made_named_and_deleted_by_hand() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&["graph", "add", &ids[0], "Ada", "likes", "tea"]);
    let edited = stage.run(&[
        "graph",
        "edit-entity",
        "Ada",
        "--kind",
        "person",
        "--alias",
        "Ada L.",
        "--alias",
        "Adda",
    ]);
    assert_snapshot!("entities_edited", edited.all());
    assert!(
        stage
            .ok(&["graph", "triples", "--subject", "ada l."])
            .contains("likes"),
        "another name means it as well"
    );
    stage.ok(&[
        "graph",
        "edit-entity",
        "#0",
        "--unalias",
        "Adda",
        "--no-kind",
        "--name",
        "Ada Lovelace",
        "--meta",
        "a=1",
    ]);
    let found = stage.run(&["graph", "entities", "#0", "--json"]).json()["entities"][0].clone();
    assert_eq!(
        (&found["name"], &found["aliases"]),
        (&"Ada Lovelace".into(), &serde_json::json!(["Ada L."])),
        "{found}"
    );
    assert_eq!(
        (&found["kind"], &found["metadata"]["a"]),
        (&serde_json::Value::Null, &1.into()),
        "{found}"
    );
    assert_eq!(
        stage.run(&["graph", "triples", "--subject", "Adda"]).code,
        3
    );
    let other = stage.run(&["graph", "edit-entity", "#0", "--unalias", "Adda"]);
    assert!(
        other.code == 4 && other.err.contains("it has Ada L."),
        "{}",
        other.all()
    );
    assert_eq!(stage.run(&["graph", "edit-entity", "#0"]).code, 2);

    let spoken_of = stage.run(&["graph", "delete-entity", "#0", "--yes"]);
    assert!(
        spoken_of.code == 4 && spoken_of.err.contains("`annals graph delete`"),
        "{}",
        spoken_of.all()
    );
    assert!(stage.ok(&["graph", "triples"]).contains("Ada Lovelace"));
    assert!(
        stage
            .ok(&[
                "graph",
                "add-entity",
                "Bob",
                "--kind",
                "person",
                "--alias",
                "Robert"
            ])
            .contains("#2  Bob")
    );
    assert_eq!(
        stage.ok(&["graph", "delete-entity", "Robert"]),
        "#2 Bob would be deleted; add --yes to do it"
    );
    assert!(stage.ok(&["graph", "entities", "Bob"]).contains("#2"));
    assert_eq!(
        stage.ok(&["graph", "delete-entity", "Robert", "--yes"]),
        "deleted #2 Bob"
    );
    let nobody = stage.run(&["graph", "entities", "Bob"]);
    assert!(
        nobody.code == 3 && nobody.err.contains("no entity is called \"Bob\""),
        "{}",
        nobody.all()
    );
}

#[test]
fn one_use_is_told_as_one() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&["used", &ids[0]]);
    assert!(
        stage
            .ok(&["show", "--explain", &ids[0]])
            .contains("used 1 time, returned 0 times")
    );
}

#[test]
fn names_of_an_entity_are_told_once_and_are_no_numbers() {
    let stage = Stage::new();
    stage.with_memories();
    let same = [
        "graph",
        "add-entity",
        "Tom",
        "--alias",
        "Thomas",
        "--alias",
        "thomas",
        "--alias",
        "TOM",
        "--json",
    ];
    assert_eq!(
        stage.run(&same).json()["entities"][0]["aliases"],
        serde_json::json!(["Thomas"])
    );
    let edited = stage
        .run(&[
            "graph",
            "edit-entity",
            "Tom",
            "--name",
            "Thomas",
            "--alias",
            "Tom",
            "--json",
        ])
        .json();
    assert_eq!(
        edited["entities"][0]["aliases"],
        serde_json::json!(["Tom"]),
        "{edited}"
    );
    for numbered in [
        &["add-entity", "#5"][..],
        &["add-entity", "Ada", "--alias", "#5"],
        &["edit-entity", "Tom", "--name", "#5"],
    ] {
        let said = stage.run(&[&["graph"], numbered].concat());
        assert!(
            said.code == 4 && said.err.contains("\"#5\" is a number"),
            "{}",
            said.all()
        );
    }
}

#[test]
fn what_sleeps_is_said_and_what_is_so_already_too() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    assert_eq!(
        stage.ok(&["restore", &ids[1]]),
        format!("{} was active already", ids[1])
    );
    assert_eq!(
        stage.ok(&["forget", &ids[1]]),
        format!("forgotten {}", ids[1])
    );
    assert_eq!(
        stage.ok(&["forget", &ids[1]]),
        format!("{} was forgotten already", ids[1])
    );
    let until = format!("sleeps until `annals restore {}`", ids[1]);
    for args in [
        &["graph", "add", &ids[1], "I", "rest on", "Friday"][..],
        &["graph", "link", &ids[0], "causes", &ids[1]],
    ] {
        let said = stage.run(args);
        assert!(
            said.code == 0 && said.err.contains(&until),
            "{}",
            said.all()
        );
    }
    assert_eq!(
        stage.ok(&["restore", &ids[1]]),
        format!("restored {}", ids[1])
    );
    let awake = stage.run(&["graph", "add", &ids[0], "I", "live in", "Berlin"]);
    assert!(awake.code == 0 && awake.err.is_empty(), "{}", awake.all());
    let edited = stage.run(&["edit", &ids[0], "--text", "I moved to Rome."]);
    assert!(
        edited.code == 0 && edited.err.is_empty(),
        "what nobody reads out of texts stays: {}",
        edited.all()
    );
    stage.ok(&["namespace", "create", "me", "--profile", "companion"]);
    let id = stage.ok(&["-n", "me", "remember", "The flat has a green door."]);
    stage.ok(&["-n", "me", "used", &id]);
    assert!(
        stage
            .ok(&["-n", "me", "show", &id])
            .contains("1 time, returned 0 times")
    );
    stage.ok(&[
        "-n",
        "me",
        "graph",
        "add",
        &id,
        "the flat",
        "has",
        "a green door",
    ]);
    let edited = stage.run(&[
        "-n",
        "me",
        "edit",
        &id,
        "--text",
        "The flat has a red door.",
    ]);
    assert!(
        edited
            .err
            .contains("1 triple of the earlier text fell asleep: 0;"),
        "{}",
        edited.all()
    );
}

#[test]
fn ways_merges_and_the_graph_as_a_whole() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.ok(&["graph", "add", &ids[0], "Ada", "knows", "Bob"]);
    stage.ok(&["graph", "add", &ids[1], "Bob", "lives in", "Berlin"]);
    stage.ok(&[
        "graph",
        "add",
        &ids[1],
        "Bob",
        "likes",
        "rain",
        "--not",
        "--when",
        "on mondays",
    ]);
    stage.ok(&["graph", "add", &ids[2], "Robert", "works in", "Berlin"]);
    stage.ok(&[
        "graph",
        "add",
        &ids[3],
        "Bob",
        "likes",
        "rain",
        "--when",
        "on mondays",
    ]);
    stage.ok(&["graph", "link", &ids[0], "causes", &ids[1]]);
    assert_snapshot!(
        "neighbours",
        stage
            .run(&["graph", "neighbours", "Ada", "--depth", "2"])
            .all()
    );
    assert_snapshot!(
        "paths",
        stage.run(&["graph", "paths", "Ada", "Robert"]).all()
    );
    let no_way = |depth: &str| {
        stage
            .run(&["graph", "paths", "Ada", "Robert", "--depth", depth])
            .err
    };
    assert!(
        no_way("2").contains("at most 2 steps") && no_way("1").contains("at most 1 step leads")
    );
    let cut = stage
        .run(&["graph", "paths", "Ada", "Robert", "--edges", "1"])
        .err;
    assert!(
        cut.contains("before the limit of --edges was reached") && !cut.contains("no way of"),
        "{cut}"
    );
    assert!(
        stage
            .run(&["graph", "paths", "Ada", "ada"])
            .err
            .contains("are one entity")
    );
    assert!(
        stage
            .run(&["graph", "neighbours", "Ada", "--depth", "9", "--nodes", "1"])
            .err
            .contains("--nodes")
    );
    assert_snapshot!("graph_show", stage.run(&["graph", "show", &ids[1]]).all());
    let told = stage.run(&["show", "--explain", &ids[1], "--json"]).json();
    let edge = &told["record"]["memory"]["edges"][1];
    assert_eq!(
        (&edge["negated"], &edge["condition"]),
        (&true.into(), &"on mondays".into())
    );
    let told = stage.ok(&["show", "--explain", &ids[1]]);
    let said = told
        .lines()
        .find(|line| line.contains("said") && line.contains("rain"))
        .unwrap();
    assert!(
        said.contains("[Bob]--not likes (when: on mondays)--[rain]"),
        "{told}"
    );
    assert_snapshot!(
        "graph_clashes",
        stage.run(&["graph", "clashes", &ids[1]]).all()
    );
    assert_eq!(stage.run(&["graph", "merge", "Robert", "nobody"]).code, 3);
    assert_snapshot!(
        "merge",
        stage
            .run(&[
                "graph",
                "merge",
                "Robert",
                "Bob",
                "--reason",
                "his full name"
            ])
            .all()
    );
    assert_snapshot!("merges", stage.run(&["graph", "merges"]).all());
    stage.ok(&["graph", "add", &ids[3], "Bob", "lives in", "Rome"]);
    assert_snapshot!("graph_stats", stage.run(&["graph", "stats"]).all());
    assert_snapshot!("unmerge", stage.run(&["graph", "unmerge", "0"]).all());
    assert_eq!(stage.run(&["graph", "unmerge", "0"]).code, 3);
    assert!(
        stage
            .run(&["graph", "merges"])
            .err
            .contains("no entities were merged")
    );
    assert_snapshot!("merges_found", stage.run(&["graph", "duplicates"]).all());
    let thresholds = stage.run(&["graph", "thresholds"]);
    assert_eq!(
        thresholds.out,
        "above 0.950 whatever their context\nabove 0.850 if their context fits\n"
    );
    assert!(
        thresholds.err.contains("of the profile"),
        "{}",
        thresholds.err
    );
    for format in ["dot", "graphml", "json", "ntriples", "triples"] {
        let said = stage.run(&["graph", "export", "--format", format]);
        assert_eq!(said.code, 0, "{}", said.all());
        assert_snapshot!(format!("graph_{format}"), said.out);
        let path = stage.path(format);
        stage.ok(&[
            "graph",
            "export",
            "--format",
            format,
            path.to_str().unwrap(),
        ]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), said.out);
    }
    assert_eq!(stage.run(&["graph", "export", "--format", "svg"]).code, 2);
    let earlier = stage.run(&[
        "graph",
        "export",
        "--format",
        "triples",
        "--as-of",
        "2020-01-01",
    ]);
    assert_eq!(
        (earlier.code, earlier.out.as_str()),
        (0, ""),
        "{}",
        earlier.all()
    );
}

#[test]
fn a_name_that_several_entities_have_is_not_taken_for_one() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "graph"]);
    for (kind, tom, thing) in [("person", "#0", "tea"), ("cat", "#2", "beer")] {
        let id = stage.ok(&[
            "-n",
            "me",
            "remember",
            "--kind",
            "事实",
            &format!("Tom likes {thing}."),
        ]);
        stage.ok(&["-n", "me", "graph", "add-entity", "Tom", "--kind", kind]);
        stage.ok(&["-n", "me", "graph", "add", &id, tom, "likes", thing]);
    }
    let told = stage.run(&["-n", "me", "graph", "paths", "Tom", "Tom"]).err;
    assert!(
        told.contains("2 entities are called \"Tom\": #0, #2") && !told.contains("are one entity"),
        "{told}"
    );
    let id = stage.ok(&["-n", "me", "remember", "--kind", "事实", "Tom likes milk."]);
    stage.ok(&[
        "-n",
        "me",
        "graph",
        "add-entity",
        "Thomas",
        "--kind",
        "person",
        "--alias",
        "beer",
    ]);
    for ends in [["Tom", "milk"], ["#0", "beer"]] {
        let said = stage.run(&["-n", "me", "graph", "add", &id, ends[0], "likes", ends[1]]);
        assert!(
            said.code == 4 && said.err.contains("name one of #"),
            "{}",
            said.all()
        );
    }
    assert!(!stage.ok(&["-n", "me", "graph", "triples"]).contains("milk"));
    stage.ok(&["-n", "me", "graph", "add", &id, "#2", "likes", "milk"]);
    assert!(
        stage
            .run(&["-n", "me", "graph", "paths", "#0", "#0"])
            .err
            .contains("are one entity")
    );
    let same = stage
        .run(&["-n", "me", "graph", "paths", "Tom", "Tom", "--json"])
        .json();
    assert_eq!(same["paths"], serde_json::json!([[]]), "{same}");
    assert_eq!(
        stage
            .run(&["-n", "me", "graph", "neighbours", "Tom", "--time", "0"])
            .code,
        2
    );
    for asked in [
        &["graph", "triples"][..],
        &["graph", "neighbours", "Tom"],
        &["graph", "paths", "Tom", "tea"],
        &["recall", "tea"],
    ] {
        let asked = [&["-n", "me"], asked, &["--as-of", "2099-01-01"]].concat();
        let answer = stage.run(&asked);
        assert!(
            answer.code == 0 && answer.err.contains("is yet to come"),
            "{}",
            answer.all()
        );
    }
}

#[test]
fn jobs_and_background_work() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "agent"]);
    assert_snapshot!("jobs_before", stage.run(&["jobs", "list"]).all());
    let turns = "{\"session\":\"s\",\"text\":\"We went to Berlin.\"}\n{\"session\":\"s\",\"text\":\"It rained.\"}\n";
    let file = stage.folder.path().join("turns.ndjson");
    std::fs::write(&file, turns).unwrap();
    stage.ok(&["-n", "me", "import", file.to_str().unwrap()]);
    let listed = stage.run(&["-n", "me", "--json", "list"]).json();
    let ids: Vec<&str> = listed["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["id"].as_str().unwrap())
        .collect();
    let from = ["--derived-from", ids[0], "--derived-from", ids[1]];
    let fact = [
        &[
            "-n",
            "me",
            "remember",
            "A trip to Berlin in the rain.",
            "--kind",
            "FACT",
        ],
        &from[..],
    ]
    .concat();
    stage.ok(&fact);
    stage.ok(&["-n", "me", "delete", ids[0], "--yes"]);
    assert_snapshot!("queue", stage.run(&["-n", "me", "queue", "list"]).all());
    assert_snapshot!(
        "queue_drop",
        stage.run(&["-n", "me", "queue", "drop", "1"]).all()
    );
    assert_snapshot!(
        "queue_missing",
        stage.run(&["-n", "me", "queue", "retry", "7"]).all()
    );
    stage.clock.advance_millis(86_400_000);
    stage.ok(&["jobs", "run"]);
    stage.ok(&["jobs", "stop", "agent", "nightly"]);
    assert_snapshot!("jobs_stopped", stage.run(&["jobs", "list"]).all());
    stage.ok(&["jobs", "resume", "agent", "nightly"]);
    assert_snapshot!("jobs_after", stage.run(&["jobs", "list"]).all());
    assert_snapshot!(
        "end_session",
        stage.run(&["-n", "me", "session", "end", "s"]).all()
    );
}

#[test]
fn how_a_memory_came_to_be_and_how_its_namespace_stands() {
    // spec: G-132
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "graph"]);
    let cause = stage.ok(&["-n", "me", "remember", "我没睡好", "--kind", "事件"]);
    let mood = stage.ok(&["-n", "me", "remember", "我心情不好", "--kind", "观点"]);
    let third = stage.ok(&[
        "-n",
        "me",
        "remember",
        "我的心情很差",
        "--kind",
        "观点",
        "--derived-from",
        &mood,
    ]);
    stage.ok(&["-n", "me", "graph", "add", &mood, "我", "心情", "不好"]);
    stage.ok(&["-n", "me", "graph", "link", &cause, "导致", &mood]);
    assert_snapshot!(
        "show_explain",
        stage.run(&["-n", "me", "show", "--explain", &mood]).all()
    );
    let told = stage
        .run(&["-n", "me", "--json", "show", "--explain", &mood])
        .json();
    assert_eq!(
        (
            told["steps"].as_array().unwrap().len(),
            &told["record"]["status"]
        ),
        (3, &"consolidated".into())
    );
    assert_eq!(
        told["record"]["memory"]["edges"][1]["edge_type"],
        "因果关系"
    );
    assert_eq!(
        stage
            .run(&[
                "-n",
                "me",
                "show",
                "--explain",
                "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e"
            ])
            .code,
        3
    );

    stage.ok(&["jobs", "run", "--all"]);
    stage.ok(&["-n", "me", "archive", &third]);
    let stats = stage.run(&["-n", "me", "--json", "db", "stats"]).json();
    let own = &stats["namespace"];
    assert_eq!(
        (&own["by_status"]["active"], &own["by_status"]["archived"]),
        (&2.into(), &1.into())
    );
    let kinds = &own["open"]["by_kind"];
    assert_eq!(
        (&kinds["事件"], &kinds["观点"], &kinds["事实"]),
        (&1.into(), &2.into(), &0.into())
    );
    let job = &own["open"]["jobs"][0];
    assert_eq!(
        (&job["job"], &own["queued"]),
        (&"consolidation".into(), &0.into())
    );
    assert!(
        job["last"]["at"].is_string() && job["last"]["ended_at"].is_string(),
        "{job}"
    );
    let text = stage.ok(&["-n", "me", "db", "stats"]);
    let line = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{name}: {text}"))
    };
    assert!(
        line("job consolidation").contains("ran 2026-03-01 09:10, took 0 ms; next "),
        "{text}"
    );
    assert!(
        line("work waiting").ends_with(" 0") && line("kinds").contains("观点 2"),
        "{text}"
    );
    assert!(
        line("  active").ends_with('2') && line("  archived").ends_with('1'),
        "{text}"
    );
    // A memory that lost its source waits.
    let first = stage.ok(&["-n", "me", "remember", "我换了工作", "--kind", "事实"]);
    stage.ok(&[
        "-n",
        "me",
        "remember",
        "我在新公司",
        "--kind",
        "事实",
        "--derived-from",
        &first,
        "--derived-from",
        &cause,
    ]);
    stage.ok(&["-n", "me", "delete", &first, "--yes"]);
    let stats = stage.run(&["-n", "me", "--json", "db", "stats"]).json();
    assert_eq!(stats["namespace"]["queued"], 1);
}

#[test]
fn jobs_write_files_where_a_folder_is_set() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "markdown"]);
    stage.ok(&["-n", "me", "remember", "I like tea."]);
    let passed = stage.run(&["jobs", "run", "--all"]);
    assert!(
        passed
            .out
            .contains("passed over: no folder for its files is set"),
        "{}",
        passed.all()
    );
    let folder = stage.path("files");
    let template = format!("{}/{{name}}", folder.display());
    let told = stage.run(&["jobs", "run", "--all", "--files", &template]);
    assert!(!told.out.contains("passed over"), "{}", told.all());
    let file = folder.join("me/MEMORY.md");
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("I like tea.")
    );
    std::fs::remove_file(&file).unwrap();
    stage.set("ANNALS_MIRRORS", &template);
    stage.ok(&["-n", "me", "sync"]);
    assert!(file.exists(), "the same folder");
    stage.set("ANNALS_MIRRORS", "");
    let config = stage.file("config.toml", format!("mirrors = {:?}", "notes/{name}"));
    stage.ok(&["--config", &config, "jobs", "run", "--all"]);
    let file = stage.path("notes/me/MEMORY.md");
    assert!(
        file.exists(),
        "it counts from the folder of the config file"
    );
    std::fs::remove_file(&file).unwrap();
    let deleted = stage.run(&["namespace", "delete", "me", "--yes"]);
    assert!(
        deleted.all().contains("1 mirrored file was not found in "),
        "{}",
        deleted.all()
    );
}

#[test]
fn an_edit_of_the_text_is_not_from_where_the_text_was() {
    let stage = Stage::new();
    let id = stage.ok(&["remember", "I like tea.", "--source", "MEMORY.md"]);
    stage.ok(&["edit", &id, "--tag", "drinks"]);
    assert!(stage.ok(&["show", &id]).contains("MEMORY.md"));
    stage.ok(&["edit", &id, "--text", "I like coffee."]);
    assert!(!stage.ok(&["show", &id]).contains("MEMORY.md"));
}

#[test]
fn what_both_sides_changed_is_told_although_the_file_stays_as_it_is() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "me", "--profile", "agent"]);
    let id = stage.ok(&[
        "-n",
        "me",
        "remember",
        "prefers tabs",
        "--kind",
        "PREFERENCE",
        "--importance",
        "0.9",
    ]);
    let notes = stage.path("notes").display().to_string();
    let refused = stage.run(&["-n", "me", "sync", &notes]);
    assert!(
        refused.code == 3 && refused.err.contains("--create") && !stage.path("notes").exists(),
        "{}",
        refused.all()
    );
    stage.ok(&["-n", "me", "sync", &notes, "--create"]);
    stage.ok(&["-n", "me", "edit", &id, "--text", "prefers two spaces"]);
    let file = stage.path("notes/identity/MEMORY.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("prefers tabs", "prefers spaces")).unwrap();
    let told = stage.ok(&["-n", "me", "sync", &notes]);
    assert!(
        told.contains("both sides had changed something, the older text is in the history"),
        "{told}"
    );
    assert!(
        stage
            .ok(&["-n", "me", "sync", &notes])
            .lines()
            .all(|line| !line.contains("both sides"))
    );
}

#[test]
fn what_was_true_then_answers_what_is_asked_of_then() {
    let stage = Stage::new();
    stage.ok(&[
        "remember",
        "The office is in Bonn",
        "--valid-from",
        "2020-01-01",
        "--valid-until",
        "2024-01-01",
    ]);
    stage.ok(&[
        "remember",
        "The office is in Ulm",
        "--valid-from",
        "2024-01-01",
    ]);
    for (question, answer) in [
        ("where is the office?", "Ulm"),
        ("where was the office in 2021?", "Bonn"),
    ] {
        let told = stage.run(&["recall", question, "--json"]).json();
        assert!(
            told["hits"][0]["text"].as_str().unwrap().contains(answer),
            "{question}: {told}"
        );
    }
    let told = stage.ok(&["recall", "where is the office?"]);
    assert!(told.contains("true until 2024-01-01 00:00"), "{told}");
}

#[test]
fn undo_takes_back_the_last_change_and_says_which() {
    let stage = Stage::new();
    let id = stage.ok(&["remember", "I live in Rome."]);
    stage.ok(&["edit", &id, "--text", "I live in Oslo."]);
    let told = stage.ok(&["undo"]);
    assert!(
        told.starts_with("took back the edit of 2026-03-01 09:02\n"),
        "{told}"
    );
    assert!(
        told.ends_with(&format!("{id} says again: I live in Rome.")),
        "{told}"
    );
    stage.ok(&["forget", &id]);
    let undone: serde_json::Value =
        serde_json::from_str(&stage.ok(&["undo", &id, "--json"])).unwrap();
    assert_eq!(
        (&undone["change"], &undone["memories"][0]["status"]),
        (
            &serde_json::json!("forgotten"),
            &serde_json::json!("active")
        )
    );
    stage.ok(&["forget", &id]);
    stage.ok(&["restore", &id]);
    assert!(
        stage
            .ok(&["undo"])
            .ends_with(&format!("{id} is forgotten again: I live in Rome."))
    );
    let other = stage.ok(&["remember", "I like tea."]);
    stage.ok(&["delete", &other, "--yes"]);
    let refused = stage.run(&["undo"]);
    assert!(
        refused.code == 4 && refused.err.contains("for good"),
        "{}",
        refused.all()
    );
    assert!(stage.ok(&["show", &id]).contains("I live in Rome."));
}
