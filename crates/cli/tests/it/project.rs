//! In a repository the program works on the memory of the project and of its user, as agents do.

use std::path::PathBuf;

use serde_json::json;

use crate::stage::Stage;

/// A folder within a repository.
fn repository(stage: &Stage) -> PathBuf {
    let folder = stage.path("relay/src");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir_all(stage.path("relay/.git")).unwrap();
    folder
}

#[test]
fn what_is_noted_in_a_repository_is_kept_with_its_project_and_found_there() {
    let mut stage = Stage::new();
    stage.ok(&["remember", "I prefer tabs over spaces."]);
    stage.working_folder = Some(repository(&stage));
    let said = stage.run(&["remember", "The parser lives in parse.rs."]);
    let id = said.out.trim().to_owned();
    assert!(
        said.err.contains("project:relay-") && said.err.contains("--global"),
        "{}",
        said.all()
    );
    let project = annals_mcp::project_namespace(stage.working_folder.as_deref().unwrap());
    assert_eq!(
        stage
            .run(&["remember", "Tests run with nextest.", "--json"])
            .json()["namespace"],
        project.as_str()
    );

    let found = stage.run(&["recall", "tabs or spaces?", "--json"]).json();
    assert_eq!(found["hits"][0]["namespace"], "user", "{found}");
    let found = stage
        .run(&["recall", "where does the parser live?", "--json"])
        .json();
    assert_eq!(found["hits"][0]["namespace"], project.as_str(), "{found}");
    let everywhere = stage
        .run(&["recall", "parser", "--global", "--json"])
        .json();
    assert!(
        everywhere["hits"]
            .as_array()
            .unwrap()
            .iter()
            .all(|hit| hit["namespace"] == "user"),
        "{everywhere}"
    );

    stage.working_folder = None;
    assert!(
        !stage.ok(&["list"]).contains("parse.rs"),
        "outside of the repository it is not the project"
    );
    assert_eq!(stage.run(&["show", &id]).code, 3);
}

#[test]
fn an_id_is_found_with_the_project_or_with_its_user() {
    let mut stage = Stage::new();
    let tabs = stage.ok(&["remember", "I prefer tabs over spaces."]);
    stage.working_folder = Some(repository(&stage));
    let parser = stage.ok(&["remember", "The parser lives in parse.rs.", "--quiet"]);
    for id in [&tabs, &parser] {
        stage.ok(&["show", id]);
        stage.ok(&["forget", id]);
        stage.ok(&["restore", id]);
        stage.ok(&["edit", id, "--importance", "0.9"]);
        stage.ok(&["delete", id, "--yes"]);
        assert_eq!(stage.run(&["show", id]).code, 3);
    }
}

#[test]
fn a_named_namespace_and_a_global_one_exclude_each_other() {
    let stage = Stage::new();
    assert_eq!(stage.run(&["list", "--global", "-n", "team"]).code, 2);
}

/// A clone of a repository in which a memory was stored already, in the place of another folder.
fn apart() -> Stage {
    let mut stage = Stage::new();
    for name in ["engine", "copy"] {
        let folder = stage.path(name);
        std::fs::create_dir_all(folder.join(".git")).unwrap();
        let config = "[remote \"origin\"]\n\turl = git@host:ada/engine.git\n";
        std::fs::write(folder.join(".git/config"), config).unwrap();
    }
    stage.working_folder = Some(stage.path("engine"));
    stage.ok(&["remember", "The engine is written in Zig.", "--quiet"]);
    stage.working_folder = Some(stage.path("copy"));
    stage
}

#[test]
fn whoever_asks_in_a_project_first_is_its_folder_from_then_on() {
    let mut stage = apart();
    let list = stage.path("agent.annals.projects");
    for question in [
        &["recall", "engine"][..],
        &["list"],
        &["context", "what is the engine written in?"],
    ] {
        std::fs::remove_file(&list).unwrap();
        stage.working_folder = Some(stage.path("engine"));
        stage.ok(question);
        assert!(list.exists(), "{question:?}");
        stage.working_folder = Some(stage.path("copy"));
        assert!(!stage.run(question).out.contains("Zig"), "{question:?}");
    }
}

#[test]
fn a_backup_takes_along_which_folders_are_its_projects() {
    let mut stage = apart();
    let [backup, restored] = ["backup.annals", "restored.annals"].map(|name| stage.path(name));
    let [backup, restored] = [&backup, &restored].map(|path| path.to_str().unwrap());
    stage.working_folder = Some(stage.path("engine"));
    stage.ok(&["db", "backup", backup]);
    stage.ok(&["db", "restore", backup, "--db", restored]);
    stage.working_folder = Some(stage.path("copy"));
    for db in [backup, restored] {
        let said = stage.run(&["list", "--db", db]);
        assert!(!said.out.contains("Zig"), "{}", said.all());
    }
    stage.working_folder = Some(stage.path("engine"));
    assert!(stage.ok(&["list", "--db", restored]).contains("Zig"));
}

#[test]
fn a_folder_that_is_kept_apart_is_told_of_before_the_command_answers() {
    let stage = apart();
    let said = stage.run(&["remember", "It has four cylinders."]);
    let [apart, kept] = ["annals namespace adopt", "--global"].map(|word| said.err.find(word));
    assert!(
        apart.is_some() && kept.is_some() && apart < kept,
        "{}",
        said.all()
    );
    let failed = stage.run(&["show", "0197f5c2-7a10-7c3e-9f00-3f2a1b4c5d6e"]);
    let [apart, error] = ["annals namespace adopt", "error:"].map(|word| failed.err.find(word));
    assert!(
        apart.is_some() && error.is_some() && apart < error,
        "{}",
        failed.all()
    );
    let adopted = stage.run(&["namespace", "adopt"]);
    assert!(
        !adopted.err.contains("annals namespace adopt"),
        "{}",
        adopted.all()
    );
}

#[test]
fn a_damaged_list_of_projects_keeps_no_check_and_no_token_away() {
    let stage = apart();
    let list = stage.file("agent.annals.projects", "{");
    assert_eq!(stage.run(&["list"]).code, 6);

    let doctor = stage.run(&["doctor", "--json"]);
    assert_eq!(doctor.code, 6, "{}", doctor.all());
    let findings = doctor.json()["findings"].as_array().unwrap().clone();
    let found = |name: &str| {
        findings
            .iter()
            .find(|finding| finding["name"] == name)
            .unwrap()
    };
    assert_eq!(found("projects")["state"], "problem");
    assert_eq!(
        found("projects")["facts"]["path"],
        "<folder>/agent.annals.projects"
    );
    assert_eq!(
        found("database")["state"],
        "ok",
        "the others are looked for as well"
    );

    for args in [
        &["db", "verify"][..],
        &["token", "create", "bot"],
        &["token", "list"],
    ] {
        let said = stage.run(args);
        assert_eq!(said.code, 0, "{args:?}: {}", said.all());
        assert!(
            said.err.contains("agent.annals.projects"),
            "{args:?}: {}",
            said.all()
        );
        assert!(said.err.contains("remove it"), "{args:?}: {}", said.all());
    }
    let verified = stage.run(&["db", "verify", "--json"]);
    assert_eq!(verified.json()["problems"], json!([]));
    assert!(verified.err.starts_with("{\"note\":"), "{}", verified.all());
    assert_eq!(std::fs::read(list).unwrap(), b"{", "it is left as it is");
}
