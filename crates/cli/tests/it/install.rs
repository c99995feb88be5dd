//! annals in the configuration of coding agents, and out of it again.

use crate::stage;

use std::fs;

use serde_json::json;
use stage::Stage;

/// A stage whose user has a folder, the same on every system.
fn stage() -> Stage {
    let stage = Stage::new();
    let home = stage.path("home");
    fs::create_dir(&home).unwrap();
    for name in ["USERPROFILE", "APPDATA"] {
        stage.set(name, home.to_str().unwrap());
    }
    stage
}

fn file(stage: &Stage, name: &str, text: &str) {
    let path = stage.path("home").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(stage: &Stage, name: &str) -> String {
    fs::read_to_string(stage.path("home").join(name)).unwrap()
}

const SETTINGS: &str = "{\n  // mine\n  \"model\": \"opus\", // the best\n}\n";

#[test]
fn a_client_gets_server_and_hooks_and_is_told_what_to_do_next() {
    let stage = stage();
    file(&stage, ".claude/settings.json", SETTINGS);
    let said = stage.run(&["install", "claude-code", "--hooks"]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.out.contains("Claude Code: created ") && said.out.contains(".claude.json\n"),
        "{}",
        said.out
    );
    assert!(
        said.out
            .contains("settings.json (what it was: settings.json.annals-backup)"),
        "{}",
        said.out
    );
    assert!(
        said.err.contains("Claude Code: next, start a new session"),
        "{}",
        said.err
    );
    assert!(
        said.err.contains("$ANNALS_DB") && said.err.contains("`annals hook enable`"),
        "{}",
        said.err
    );
    let servers: serde_json::Value = serde_json::from_str(&read(&stage, ".claude.json")).unwrap();
    let entry = json!({ "type": "stdio", "command": "/usr/local/bin/annals", "args": ["mcp"] });
    assert_eq!(servers, json!({ "mcpServers": { "annals": entry } }));
    let settings = read(&stage, ".claude/settings.json");
    assert!(
        settings.starts_with("{\n  // mine\n  \"model\": \"opus\", // the best\n  \"hooks\": {\n"),
        "{settings}"
    );
    assert!(
        settings.contains("\"args\": [\"hook\", \"claude-code\", \"SessionStart\"]"),
        "{settings}"
    );

    let again = stage.run(&["install", "claude-code", "--hooks"]);
    assert_eq!(
        again.out.matches(": unchanged ").count(),
        2,
        "{}",
        again.all()
    );
    let out = stage.ok(&["uninstall", "claude-code"]);
    assert!(
        out.contains(": deleted ") && out.contains(": changed "),
        "{out}"
    );
    assert_eq!(read(&stage, ".claude/settings.json"), SETTINGS);
    assert!(!stage.path("home/.claude.json").exists());
    let nothing = stage.run(&["uninstall", "claude-code"]);
    assert_eq!(
        (nothing.out.as_str(), nothing.err.as_str()),
        ("", "nothing of annals stands there\n")
    );
    assert!(!stage.path("agent.annals").exists(), "no database is made");
}

#[test]
fn a_named_database_is_named_to_the_client_by_its_whole_path() {
    let stage = stage();
    let database = stage.path("my notes.annals");
    let out = stage.ok(&[
        "install",
        "codex",
        "--hooks",
        "--db",
        database.to_str().unwrap(),
        "--json",
    ]);
    assert!(
        out.contains("\"step\": \"start a new session and trust the hooks there"),
        "{out}"
    );
    assert!(!out.contains("ANNALS_DB"), "{out}");
    let config: toml::Table = read(&stage, ".codex/config.toml").parse().unwrap();
    let args = &config["mcp_servers"]["annals"]["args"];
    assert_eq!(args[0].as_str(), Some("mcp"));
    assert_eq!(args[2].as_str(), database.to_str());
    assert!(read(&stage, ".codex/hooks.json").contains("my notes.annals"));
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let stage = stage();
    file(&stage, ".cursor/mcp.json", "{\n\t\"mcpServers\": {}\n}\n");
    let said = stage.run(&["install", "cursor", "--dry-run"]);
    assert_eq!(said.code, 0, "{}", said.all());
    assert!(
        said.out.contains("\n+        \"annals\": {\n") && said.out.contains("\n@@ "),
        "{}",
        said.out
    );
    assert_eq!(
        said.err.lines().next(),
        Some("nothing was written"),
        "{}",
        said.err
    );
    assert_eq!(
        read(&stage, ".cursor/mcp.json"),
        "{\n\t\"mcpServers\": {}\n}\n"
    );
    let key = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    let other = json!({ "mcpServers": { "git": { "command": "git-mcp", "env": { "GITHUB_TOKEN": key } } } });
    file(
        &stage,
        ".gemini/settings.json",
        &serde_json::to_string_pretty(&other).unwrap(),
    );
    let out = stage.ok(&["install", "gemini-cli", "--dry-run"]);
    assert!(out.contains("GITHUB_TOKEN") && !out.contains(&key), "{out}");
    let answer = stage
        .run(&["install", "cursor", "--dry-run", "--json"])
        .json();
    assert_eq!(
        (&answer["dry_run"], &answer["files"][0]["action"]),
        (&json!(true), &json!("changed"))
    );
    assert!(
        answer["files"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("annals")
    );
    stage.ok(&["install", "cursor"]);
    let said = stage.run(&["uninstall", "--all", "--dry-run"]);
    assert!(
        said.out.contains("\n-\t\t\"annals\": {") || said.out.contains("\n-        \"annals\": {"),
        "{}",
        said.out
    );
    assert!(read(&stage, ".cursor/mcp.json").contains("annals"));
}

#[test]
fn with_all_a_broken_file_stops_nothing_but_itself() {
    let stage = stage();
    file(&stage, ".claude/settings.json", SETTINGS);
    file(&stage, ".cursor/mcp.json", "{\"mcpServers\": []}");
    file(&stage, ".codex/config.toml", "a = = 1\n");
    for (command, done) in [("install", "created"), ("uninstall", "deleted")] {
        let said = stage.run(&[command, "--all"]);
        assert_eq!(said.code, 4, "{}", said.all());
        assert!(
            said.out.contains("Claude Code: ") && said.out.contains(done),
            "{}",
            said.all()
        );
        assert!(
            said.err.contains("Cursor: skipped, ") && said.err.contains("mcp.json"),
            "{}",
            said.err
        );
        assert!(
            said.err.contains("error: ") && said.err.contains("config.toml:1:"),
            "{}",
            said.err
        );
        stage.run(&["install", "claude-code", "--hooks"]);
    }
    let named = stage.run(&["install", "--all", "--dry-run", "--json"]).out;
    assert!(
        named.contains("\"failed\"") && named.contains("\"cursor\""),
        "{named}"
    );
    assert_eq!(read(&stage, ".codex/config.toml"), "a = = 1\n");
}

#[cfg(unix)]
#[test]
fn a_link_at_the_place_of_a_copy_is_refused() {
    let stage = stage();
    file(&stage, ".claude/settings.json", SETTINGS);
    let elsewhere = stage.path("elsewhere");
    std::os::unix::fs::symlink(
        &elsewhere,
        stage.path("home/.claude/settings.json.annals-backup"),
    )
    .unwrap();
    let said = stage.run(&["install", "claude-code", "--hooks"]);
    assert!(
        said.code != 0 && said.err.contains("it is a link"),
        "{}",
        said.all()
    );
    assert!(!elsewhere.exists() && read(&stage, ".claude/settings.json") == SETTINGS);
}

#[test]
fn all_means_those_that_are_here() {
    let stage = stage();
    let none = stage.run(&["install", "--all"]);
    assert_eq!(none.code, 3, "{}", none.all());
    assert!(
        none.err.contains("none of the clients") && none.err.contains("`annals install`"),
        "{}",
        none.err
    );
    file(&stage, ".cursor/x", "");
    file(&stage, ".gemini/settings.json", "{}");
    let answer = stage.run(&["install", "--all", "--hooks", "--json"]).json();
    let of = |key: &str, name: &str| -> Vec<String> {
        answer[key]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[name].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(of("next", "client"), ["cursor", "gemini-cli"]);
    assert_eq!(of("files", "action"), ["created", "created", "changed"]);
    assert!(
        of("skipped", "client").contains(&"zed".to_owned()),
        "{answer}"
    );
    let said = stage.run(&["install", "--all"]);
    assert!(
        said.err.contains("Zed: skipped, it is not on this machine"),
        "{}",
        said.err
    );

    let list = stage.run(&["install", "--json"]).json();
    let rows = list["clients"].as_array().unwrap();
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(rows.len(), 9);
    let state = |name: &str| {
        (
            row(name)["found"].clone(),
            row(name)["server"].clone(),
            row(name)["hooks"].clone(),
        )
    };
    assert_eq!(
        state("gemini-cli"),
        (json!(true), json!("current"), json!("current"))
    );
    assert_eq!(state("zed"), (json!(false), json!("absent"), json!(null)));
    let table = stage.ok(&["install"]);
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("cursor") && line.contains("yes")),
        "{table}"
    );

    stage.ok(&["uninstall", "--all"]);
    assert_eq!(read(&stage, ".gemini/settings.json"), "{}");
    assert!(!stage.path("home/.cursor/mcp.json").exists() && stage.path("home/.cursor/x").exists());
}

#[test]
fn a_project_gets_files_of_its_own() {
    let stage = stage();
    let project = stage.path("project");
    fs::create_dir(&project).unwrap();
    let flag = format!("--project={}", project.display());
    let said = stage.run(&["install", "claude-code", "vscode", &flag]);
    assert_eq!(said.code, 0, "{}", said.all());
    for name in [
        ".mcp.json",
        ".claude/settings.local.json",
        ".vscode/mcp.json",
    ] {
        assert!(
            fs::read_to_string(project.join(name))
                .unwrap()
                .contains("annals"),
            "{name}"
        );
    }
    assert_eq!(
        fs::read_dir(stage.path("home")).unwrap().count(),
        0,
        "nothing of the user is touched"
    );
    assert!(
        said.err.contains("keep them out of what others get"),
        "{}",
        said.err
    );
    stage.ok(&["uninstall", "--all", &flag]);
    assert_eq!(fs::read_dir(&project).unwrap().count(), 0);
    let missing = stage.run(&["install", "cursor", "--project=/no/such/folder"]);
    assert_eq!(missing.code, 3, "{}", missing.all());
}

#[test]
fn hooks_that_the_client_leaves_out_are_said() {
    let stage = stage();
    file(
        &stage,
        ".claude/settings.json",
        "{\"disableAllHooks\": true}",
    );
    let said = stage.run(&["install", "claude-code", "--hooks"]);
    let told = "Claude Code runs no hooks: `disableAllHooks` in ";
    assert!(
        said.code == 0 && said.err.contains(told) && said.err.contains("settings.json"),
        "{}",
        said.all()
    );
    assert!(
        stage.run(&["install"]).err.contains(told),
        "the list says it, too"
    );
    let answer = stage
        .run(&["install", "claude-code", "--hooks", "--json"])
        .json();
    assert_eq!(
        (
            &answer["hooks_off"][0]["client"],
            &answer["hooks_off"][0]["key"]
        ),
        (&json!("claude-code"), &json!("disableAllHooks"))
    );
    stage.set("ANNALS_LANG", "zh");
    let said = stage.run(&["install", "claude-code", "--hooks"]);
    assert!(said.err.contains("不会运行任何钩子"), "{}", said.err);
    let said = stage.run(&["install", "codex", "--hooks"]);
    assert!(!said.err.contains("不会运行任何钩子"), "{}", said.err);
}

/// The help of the program names the command in the line of its opposite.
#[test]
fn uninstall_has_help() {
    let help = stage().ok(&["uninstall", "--help"]);
    assert!(
        help.contains("Usage: annals uninstall") && help.contains("\nExamples:\n"),
        "{help}"
    );
    assert!(include_str!("../../README.md").contains("`uninstall`"));
}

#[test]
fn what_cannot_be_done_is_one_error_and_leaves_every_file_alone() {
    let stage = stage();
    file(&stage, ".cursor/mcp.json", "{\n  \"mcpServers\": {\n}\n");
    let said = stage.run(&["install", "gemini-cli", "cursor"]);
    assert_eq!(said.code, 4, "{}", said.all());
    for word in ["mcp.json:", "error:", "try: correct the file"] {
        assert!(said.err.contains(word), "{word:?} in {}", said.err);
    }
    assert!(
        !stage.path("home/.gemini").exists(),
        "the other client was not touched either"
    );
    let error = stage.run(&["install", "cursor", "--json"]).error();
    assert_eq!(
        (&error["kind"], error["line"].is_number()),
        (&json!("invalid"), true),
        "{error}"
    );
    assert!(
        stage.run(&["install"]).err.contains("Cursor: "),
        "the list names the file that cannot be read"
    );

    for (args, words) in [
        (
            &["install", "emacs"][..],
            &["emacs", "claude-code", "zed"][..],
        ),
        (&["install", "zed", "--hooks"], &["Zed has no hooks"]),
        (
            &["install", "claude-desktop", "--project"],
            &["Claude Desktop", "project"],
        ),
        (&["install", "--hooks"], &["no client is named"]),
        (&["uninstall"], &["no client is named"]),
        (&["install", "zed", "--all"], &["--all"]),
    ] {
        let said = stage.run(args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.all());
        for word in words {
            assert!(said.err.contains(word), "{word:?} in {}", said.err);
        }
    }
}
