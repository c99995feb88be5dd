//! What was not done is said, and what is said can be used.

use std::path::PathBuf;

use crate::stage::{Said, Stage};

/// A folder of a repository.
fn repository(stage: &Stage) -> PathBuf {
    let folder = stage.path("relay");
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    folder
}

fn text_of(stage: &Stage, id: &str) -> String {
    stage.run(&["show", id, "--json"]).json()["memory"]["text"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The refusal of a command with an exit code.
fn refused(stage: &Stage, args: &[&str], code: u8) -> String {
    let said = stage.run(args);
    assert_eq!(said.code, code, "{args:?}: {}", said.all());
    said.err
}

#[test]
fn undo_in_a_repository_takes_back_the_later_change_of_project_and_user() {
    let mut stage = Stage::new();
    stage.working_folder = Some(repository(&stage));
    let project = stage.ok(&["remember", "We use pnpm.", "--quiet"]);
    let user = stage.ok(&["remember", "--global", "I live in Hamburg."]);
    stage.ok(&["edit", &user, "--text", "I live in Munich."]);
    stage.ok(&["undo"]);
    assert_eq!(
        (text_of(&stage, &user), text_of(&stage, &project)),
        ("I live in Hamburg.".into(), "We use pnpm.".into())
    );
    stage.ok(&["edit", &project, "--text", "We use npm."]);
    stage.ok(&["undo"]);
    assert_eq!(text_of(&stage, &project), "We use pnpm.");
}

#[test]
fn review_undo_takes_back_no_change_of_a_caller() {
    let stage = Stage::new();
    let [hidden, edited] =
        ["I drink tea.", "I live in Hamburg."].map(|text| stage.ok(&["remember", text]));
    stage.ok(&["forget", &hidden]);
    stage.ok(&["edit", &edited, "--text", "I live in Munich."]);
    for number in ["0", "1", "2"] {
        assert!(refused(&stage, &["review", "undo", number], 3).contains("no decision"));
    }
    assert_eq!(text_of(&stage, &edited), "I live in Munich.");
    assert_eq!(
        stage.run(&["show", &hidden, "--json"]).json()["memory"]["status"],
        "forgotten"
    );
}

#[test]
fn a_turn_of_a_temporary_session_is_refused() {
    let stage = Stage::new();
    stage.ok(&["session", "temporary", "morning", "on"]);
    let said = refused(
        &stage,
        &["remember", "A secret plan.", "--session", "morning"],
        4,
    );
    assert!(
        said.contains("temporary") && said.contains("annals session temporary morning off"),
        "{said}"
    );
    assert_eq!(stage.run(&["list", "--all", "--json"]).json()["total"], 0);
    stage.ok(&["session", "temporary", "morning", "off"]);
    stage.ok(&["remember", "No secret.", "--session", "morning"]);
}

#[test]
fn a_session_that_nobody_knows_does_not_end() {
    let stage = Stage::new();
    stage.ok(&["remember", "Good morning.", "--session", "morning"]);
    assert!(refused(&stage, &["session", "end", "nope"], 3).contains("nope"));
    stage.ok(&["session", "end", "morning"]);
}

#[test]
fn a_task_that_no_context_shows_is_set_with_a_word() {
    let stage = Stage::new();
    let said = stage.run(&["session", "focus", "Write the report"]);
    assert!(
        said.code == 0 && said.err.contains("profile default"),
        "{}",
        said.all()
    );
    stage.ok(&["namespace", "create", "work", "--profile", "agent"]);
    let said = stage.run(&["session", "focus", "Write the report", "-n", "work"]);
    assert!(said.code == 0 && said.err.is_empty(), "{}", said.all());
}

#[test]
fn a_selection_that_nothing_fits_asks_for_no_yes() {
    let stage = Stage::new();
    stage.with_memories();
    for command in ["forget", "delete"] {
        let said = stage.ok(&[command, "--tag", "nothing"]);
        assert_eq!(said, "no memory fits; nothing was done", "{command}");
    }
}

#[test]
fn an_unknown_relation_is_refused_with_all_that_work() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    assert!(refused(&stage, &["recall", "Berlin", "--relation", "foo"], 2).contains("causes"));
    stage.ok(&["recall", "Berlin", "--relation", "causes"]);
    stage.ok(&["language", "use", "user", "zh"]);
    let said = refused(&stage, &["graph", "link", &ids[0], "foo", &ids[1]], 4);
    assert!(said.contains("因为") && said.contains("causes"), "{said}");
}

#[test]
fn an_edited_memory_shows_when_it_was_stored_and_when_it_was_edited() {
    let stage = Stage::new();
    let id = stage.ok(&["remember", "I live in Hamburg."]);
    let line = |name: &str| -> Option<String> {
        let shown = stage.ok(&["show", &id]);
        shown
            .lines()
            .find_map(|line| Some(line.trim().strip_prefix(name)?.trim().to_owned()))
    };
    let stored = line("stored").unwrap();
    assert_eq!(line("edited"), None);
    stage.clock.advance_millis(3 * 86_400_000);
    stage.ok(&["edit", &id, "--text", "I live in Munich."]);
    assert_eq!(line("stored").unwrap(), stored);
    assert_ne!(line("edited").unwrap(), stored);
}

#[test]
fn an_edit_of_a_trait_that_is_taken_back_says_so() {
    let stage = Stage::new();
    let id = stage.ok(&["remember", "I live in Hamburg."]);
    stage.ok(&["edit", &id, "--importance", "0.9"]);
    let said = stage.ok(&["undo"]);
    assert!(
        said.contains("has its other traits again") && !said.contains("says again"),
        "{said}"
    );
    stage.ok(&["edit", &id, "--text", "I live in Munich."]);
    assert!(stage.ok(&["undo"]).contains("says again"));
}

#[test]
fn complaints_about_arguments_say_what_is_allowed() {
    let stage = Stage::new();
    for number in ["-1", "0", "10001"] {
        assert!(
            refused(&stage, &["recall", "a", "-k", number], 2).contains("from 1 to 10000"),
            "{number}"
        );
    }
    let said = refused(&stage, &["remember", "I", "like", "tea", "--tag", "x"], 2);
    assert!(said.contains("\"I like tea\""), "{said}");
    assert!(!refused(&stage, &["list", "foo"], 2).contains("quotes"));
    let said = refused(&stage, &["foo"], 2);
    assert!(!said.contains("annals hook"), "{said}");
    assert!(refused(&stage, &["recal"], 2).contains("annals recall"));
    assert!(!refused(&stage, &["profile", "delete"], 2).contains("annals delete"));
    assert!(refused(&stage, &["recall", "a", "--expand-depth", "-1"], 2).contains("0 or more"));
    let said = refused(&stage, &["remember", "x", "--for", "never"], 2);
    assert!(
        said.contains("36h, 7d or 2w") && !said.contains("of the profile"),
        "{said}"
    );
    stage.ok(&["namespace", "create", "work", "--profile", "agent"]);
    let said = refused(
        &stage,
        &["remember", "x", "--for", "never", "-n", "work"],
        2,
    );
    assert!(
        said.contains("permanent") && said.matches("7d").count() == 1,
        "{said}"
    );
}

#[test]
fn a_context_in_a_repository_holds_what_is_true_of_its_user() {
    let mut stage = Stage::new();
    stage.ok(&["remember", "My cat is called Momo."]);
    stage.working_folder = Some(repository(&stage));
    stage.ok(&["remember", "The parser lives in parse.rs.", "--quiet"]);
    assert!(
        stage
            .ok(&["context", "What is my cat called?"])
            .contains("Momo")
    );
    assert!(
        stage
            .ok(&["context", "Where does the parser live?"])
            .contains("parse.rs")
    );
    let context = stage
        .run(&["context", "What is my cat called?", "--json"])
        .json();
    assert_eq!(
        context["ids"].as_array().map(Vec::len),
        Some(1),
        "{context}"
    );
}

#[test]
fn a_backup_that_is_not_there_is_named() {
    let stage = Stage::new();
    let said = refused(&stage, &["db", "restore", "/nowhere/backup.annals"], 3);
    assert!(said.contains("/nowhere/backup.annals"), "{said}");
}

#[test]
fn a_memory_that_another_one_took_the_place_of_shows_so() {
    let stage = Stage::new();
    let id = stage.ok(&["remember", "I live in Hamburg."]);
    stage.ok(&["edit", &id, "--text", "I live in Munich.", "--supersede"]);
    assert!(stage.ok(&["show", &id]).contains("superseded"));
}

#[test]
fn hooks_outside_of_a_repository_are_enabled_with_a_warning() {
    let stage = Stage::new();
    let plain = stage.path("plain");
    std::fs::create_dir_all(&plain).unwrap();
    let said = stage.run(&["hook", "enable", plain.to_str().unwrap()]);
    assert!(
        said.code == 0 && said.err.contains("in no repository"),
        "{}",
        said.all()
    );
    let said = stage.run(&["hook", "enable", repository(&stage).to_str().unwrap()]);
    assert!(
        said.code == 0 && !said.err.contains("repository"),
        "{}",
        said.all()
    );
}

#[test]
fn text_that_a_sync_does_not_take_is_said_to_be_somewhere() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "notes", "--profile", "markdown"]);
    let folder = stage.path("files").to_str().unwrap().to_owned();
    stage.ok(&["sync", &folder, "-n", "notes", "--create"]);
    stage.file(
        "files/MEMORY.md",
        "# Agent Memory\n\n## Active Memories\n\n### [bad fact | x\nmine\n\n## Archived Memories\n",
    );
    let said = stage.run(&["sync", &folder, "-n", "notes"]);
    assert!(said.err.contains("MEMORY.md.rejected"), "{}", said.all());

    stage.ok(&["namespace", "create", "helper", "--profile", "agent"]);
    let folder = stage.path("own").to_str().unwrap().to_owned();
    std::fs::create_dir_all(&folder).unwrap();
    stage.file("own/MEMORY.md", "- I like tea.\n");
    let said = stage.run(&["sync", &folder, "-n", "helper"]);
    assert!(
        said.err.contains("own/MEMORY.md is not read"),
        "{}",
        said.all()
    );
}

#[test]
fn memory_md_has_the_headings_of_the_language_of_its_namespace_and_is_read_back() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "notes", "--profile", "markdown"]);
    stage.ok(&["remember", "用户偏好用 pytest", "-n", "notes"]);
    let folder = stage.path("files").to_str().unwrap().to_owned();
    let file = stage.path("files/MEMORY.md");
    let synced = || {
        stage
            .run(&["sync", &folder, "-n", "notes", "--create", "--json"])
            .json()["files"][0]
            .clone()
    };
    synced();
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .starts_with("# Agent Memory\n")
    );
    for (language, title, active) in [
        ("zh", "# 智能体记忆\n", "## 有效的记忆\n"),
        ("en", "# Agent Memory\n", "## Active Memories\n"),
    ] {
        stage.ok(&["language", "use", "notes", language]);
        let done = synced();
        assert_eq!(
            (&done["written"], &done["retracted"]),
            (&true.into(), &0.into()),
            "{language}: {done}"
        );
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(title) && text.contains(active), "{text}");
        let by_hand = format!("{active}\n### fact\nwritten under {language}\n");
        std::fs::write(&file, text.replacen(active, &by_hand, 1)).unwrap();
        let done = synced();
        assert_eq!(
            (&done["added"], &done["retracted"]),
            (&1.into(), &0.into()),
            "{language}: {done}"
        );
        assert_eq!(done.get("kept_in"), None, "{language}: {done}");
    }
}

/// English words of a text, three in a row, outside of what can be pasted.
fn english(said: &Said) -> Vec<String> {
    let is_word = |word: &&str| {
        word.len() > 1
            && word
                .chars()
                .all(|c| c.is_ascii_lowercase() || "'.".contains(c))
    };
    let mut found = Vec::new();
    for line in said.all().lines() {
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("。");
        for part in prose.split(|c: char| !c.is_ascii()) {
            let words: Vec<&str> = part.split_whitespace().collect();
            let runs = words.windows(3).filter(|run| run.iter().all(is_word));
            found.extend(runs.map(|run| format!("{}: {line}", run.join(" "))));
        }
    }
    found
}

#[test]
fn the_causes_of_refusals_are_said_in_chinese() {
    let stage = Stage::new();
    let ids = stage.with_memories();
    stage.set("ANNALS_LANG", "zh");
    stage.ok(&["namespace", "create", "work", "--profile", "markdown"]);
    let bad = stage.file("bad.ftl", "nothing-of-annals = x\n");
    let missing = "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e";
    let unknown = stage.file("unknown.toml", "[recall]\ntop_kk = 3\n");
    let wrong = stage.file("wrong.toml", "[recall]\nmin_score = 7.0\n");
    stage.ok(&["delete", &ids[3], "--yes"]);
    let refusals: &[&[&str]] = &[
        &["undo"],
        &["undo", missing],
        &["profile", "show", "nope"],
        &[
            "profile",
            "store",
            "agent",
            &stage.file("agent.toml", annals::profiles::builtin("agent").unwrap()),
        ],
        &["profile", "store", "mine", &unknown],
        &["profile", "store", "mine", &wrong],
        &["list", "--config", &unknown],
        &["namespace", "use-profile", "user", "nope"],
        &["namespace", "use-profile", "user", "agent"],
        &["sync", ".", "-n", "user"],
        &["language", "show", "xx"],
        &["language", "store", "de", &bad],
        &["language", "delete", "xx"],
        &["language", "use", "user", "xx"],
        &["queue", "drop", "3"],
        &["jobs", "stop", "agent", "nothing"],
        &["review", "accept", missing],
        &["review", "contradicts", &ids[0], &ids[1]],
        &["review", "undo", "0"],
        &["list", "--after", "foo"],
        &["list", "--limit", "0"],
        &["recall", "a", "-k", "0"],
        &["recall", "Berlin", "--kind", "rule", "--why-not", &ids[0]],
        &["graph", "link", &ids[0], "causes", &ids[0]],
        &["list", "--since", "2026-02-01", "--until", "2026-01-01"],
        &[
            "remember",
            "x",
            "--valid-from",
            "2026-02-01",
            "--valid-until",
            "2026-01-01",
        ],
        &["remember", ""],
        &["remember", "x", "--file", "/nowhere/at/all"],
        &["recall", ""],
    ];
    for args in refusals {
        let said = stage.run(args);
        assert_eq!(english(&said), [""; 0], "{args:?}: {}", said.all());
        assert!(!said.all().is_ascii(), "{args:?}: {}", said.all());
    }
    let told = |args: &[&str]| stage.run(args).all();
    assert!(told(&["undo"]).contains("最近一次改动是彻底删除"));
    assert!(told(&["remember", ""]).contains("文本为空"));
    assert!(
        told(&["forget", &ids[0]]).contains("已忘掉")
            && told(&["forget", &ids[0]]).contains("已经是“已忘掉”")
    );
    assert!(
        told(&[
            "remember",
            "my key sk-abcdefghijklmnopqrstuvwx1234567890ABCD"
        ])
        .contains("API 密钥")
    );
}

#[test]
fn a_time_zone_that_nobody_knows_is_said() {
    let stage = Stage::new();
    stage.set("TZ", "Europ/Berlin");
    let said = stage.run(&["remember", "I live in Hamburg."]);
    assert!(
        said.code == 0 && said.err.contains("\"Europ/Berlin\"") && said.err.contains("UTC"),
        "{}",
        said.all()
    );
    let doctor = stage.run(&["doctor"]);
    assert!(doctor.out.contains("\"Europ/Berlin\""), "{}", doctor.all());
    stage.file("config.toml", "zone = \"Europe/Berlin\"\n");
    let config = stage.path("config.toml");
    let said = stage.run(&["--config", config.to_str().unwrap(), "recall", "Hamburg"]);
    assert!(!said.err.contains("Europ/Berlin"), "{}", said.all());
}

#[test]
fn a_kind_that_is_a_slip_is_said() {
    let stage = Stage::new();
    stage.ok(&["remember", "--kind", "fact", "I live in Hamburg."]);
    for args in [
        &["list", "--kind", "factt"][..],
        &["recall", "--kind", "factt", "Hamburg"],
    ] {
        let said = stage.run(args);
        assert!(
            said.err.contains("\"factt\"") && said.err.contains("the kinds here are fact"),
            "{}",
            said.all()
        );
    }
    let said = stage.run(&["remember", "--kind", "factt", "I drink tea."]);
    assert!(
        said.code == 0 && said.err.contains("annals edit --kind fact"),
        "{}",
        said.all()
    );
    let said = stage.run(&["remember", "--kind", "decision", "We ship on Monday."]);
    assert!(
        !said.err.contains("--kind"),
        "a kind of one's own is no slip: {}",
        said.all()
    );
    stage.ok(&["namespace", "create", "desk", "--profile", "studio"]);
    let said = stage.run(&["remember", "--kind", "fact", "I type fast.", "-n", "desk"]);
    assert!(!said.err.contains("--kind"), "{}", said.all());
}

#[test]
fn a_list_says_in_what_role_something_was_said() {
    let stage = Stage::new();
    stage.ok(&[
        "remember",
        "--session",
        "monday",
        "--speaker",
        "Ada",
        "When is the demo?",
    ]);
    stage.ok(&[
        "remember",
        "--session",
        "monday",
        "--role",
        "assistant",
        "At ten.",
    ]);
    stage.ok(&[
        "remember",
        "--session",
        "monday",
        "--role",
        "tool",
        "--speaker",
        "calendar",
        "10:00 demo",
    ]);
    let listed = stage.ok(&["list"]);
    for who in ["Ada ", "assistant", "calendar (tool)"] {
        assert!(listed.contains(who), "{who:?}: {listed}");
    }
    assert!(!listed.contains("Ada (user)"), "{listed}");
}

#[test]
fn a_file_with_a_warning_for_each_line_does_not_flood_the_terminal() {
    let stage = Stage::new();
    stage.ok(&["namespace", "create", "notes", "--profile", "markdown"]);
    let folder = stage.path("notes");
    std::fs::create_dir(&folder).unwrap();
    let entries: String = (0..60)
        .map(|n| format!("\n### fact | 0.60 | 2026-03-01 | 0\nNote number {n} of many\n"))
        .collect();
    std::fs::write(
        folder.join("MEMORY.md"),
        format!("# Agent Memory\n\n## Active Memories\n{entries}"),
    )
    .unwrap();
    let said = stage.run(&["sync", folder.to_str().unwrap(), "-n", "notes"]);
    assert!(
        said.code == 0 && said.err.contains("and 40 more warnings"),
        "{}",
        said.all()
    );
    assert_eq!(said.err.matches("the heading is not complete").count(), 20);
}
