//! In a repository the program works on the memory of the project and of its user, as agents do.

use std::path::PathBuf;

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
    assert!(said.err.contains("project:relay-") && said.err.contains("--global"), "{}", said.all());
    let project = annals_mcp::project_namespace(stage.working_folder.as_deref().unwrap());
    assert_eq!(stage.run(&["remember", "Tests run with nextest.", "--json"]).json()["namespace"], project.as_str());

    let found = stage.run(&["recall", "tabs or spaces?", "--json"]).json();
    assert_eq!(found["hits"][0]["namespace"], "user", "{found}");
    let found = stage.run(&["recall", "where does the parser live?", "--json"]).json();
    assert_eq!(found["hits"][0]["namespace"], project.as_str(), "{found}");
    let everywhere = stage.run(&["recall", "parser", "--global", "--json"]).json();
    assert!(everywhere["hits"].as_array().unwrap().iter().all(|hit| hit["namespace"] == "user"), "{everywhere}");

    stage.working_folder = None;
    assert!(!stage.ok(&["list"]).contains("parse.rs"), "outside of the repository it is not the project");
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
