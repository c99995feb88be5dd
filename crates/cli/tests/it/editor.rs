//! Editing a memory's text in an editor.

#![cfg(unix)]

use crate::stage;

use std::os::unix::fs::PermissionsExt;

use annals_cli::Terminal;
use stage::Stage;

/// A stage before a person, and a memory.
fn seated() -> (Stage, String) {
    let mut stage = Stage::new();
    let id = stage.ok(&["remember", "I moved to Berlin."]);
    stage.terminal = Terminal {
        input: true,
        output: true,
        errors: false,
        width: Some(100),
    };
    (stage, id)
}

fn script(stage: &Stage, name: &str, lines: &str) -> String {
    let path = stage.file(name, format!("#!/bin/sh\n{lines}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn texts(stage: &Stage, id: &str) -> Vec<String> {
    let history = stage.run(&["show", id, "--history", "--json"]).json()["history"].clone();
    history
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["memory"]["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_edited_text_becomes_a_revision() {
    let (stage, id) = seated();
    let editor = script(
        &stage,
        "editor",
        "cat \"$2\" > \"$1.seen\"; echo 'I moved to Hamburg.' > \"$2\"",
    );
    // Editors are given with arguments, and $VISUAL counts before $EDITOR.
    stage.set(
        "VISUAL",
        &format!("{editor} {}", stage.path("note").to_str().unwrap()),
    );
    stage.set("EDITOR", "false");
    stage.ok(&["edit", &id]);
    assert_eq!(
        std::fs::read_to_string(stage.path("note.seen")).unwrap(),
        "I moved to Berlin."
    );
    assert_eq!(
        texts(&stage, &id),
        ["I moved to Berlin.", "I moved to Hamburg."]
    );
}

#[test]
fn what_is_left_as_it_was_is_no_revision() {
    let (stage, id) = seated();
    for editor in ["true", "touch"] {
        stage.set("EDITOR", editor);
        let said = stage.run(&["edit", &id]);
        assert!(
            said.code == 0 && said.err.contains("nothing was changed"),
            "{}",
            said.all()
        );
    }
    assert_eq!(texts(&stage, &id), ["I moved to Berlin."]);
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let (mut stage, id) = seated();
    let binary = script(&stage, "binary", "printf '\\377\\376' > \"$1\"");
    let empty = script(&stage, "empty", "printf '\\n' > \"$1\"");
    let gone = script(&stage, "gone", "rm \"$1\"");
    for (editor, code, word) in [
        ("false", 1, "\"false\" ended with"),
        ("/no/such/editor", 1, "/no/such/editor"),
        (&binary, 4, "0xff"),
        (&empty, 4, "text is empty"),
        (&gone, 1, "cannot edit"),
    ] {
        stage.set("EDITOR", editor);
        let said = stage.run(&["edit", &id]);
        assert!(
            said.code == code && said.err.contains(word),
            "{editor}: {}",
            said.all()
        );
    }
    stage.env.borrow_mut().remove("EDITOR");
    let said = stage.run(&["edit", &id]);
    assert!(
        said.code == 2 && said.err.contains("$EDITOR"),
        "{}",
        said.all()
    );
    stage.set("EDITOR", "true");
    stage.terminal = Terminal::default();
    assert_eq!(
        stage.run(&["edit", &id]).code,
        2,
        "without a terminal there is no one to edit"
    );
    assert_eq!(texts(&stage, &id), ["I moved to Berlin."]);
}
