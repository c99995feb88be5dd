//! Properties of the changes, over texts as people and programs write them.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::edit::{self, Wanted};
use crate::target::{Scope, Target, targets};
use crate::{Client, Command, Folders, Planner, Problem, System};

/// Every file of every client of a user on Linux.
fn every_target() -> Vec<(Client, Target)> {
    let folders = Folders::of_environment(System::Linux, |name| {
        (name == "HOME").then(|| "/home/ada".into())
    });
    let all = Client::ALL.into_iter();
    all.flat_map(|client| {
        targets(client, &folders, &Scope::User)
            .unwrap()
            .into_iter()
            .map(move |target| (client, target))
    })
    .collect()
}

fn command(program: &str) -> Command {
    Command::new(
        Path::new(program),
        Some(&PathBuf::from("/home/ada/my notes/agent.annals")),
    )
    .unwrap()
}

fn wanted(target: &Target, program: &str) -> Wanted {
    Wanted::new(target, &command(program), System::Linux, true).unwrap()
}

fn install(text: &str, target: &Target) -> Result<String, Problem> {
    edit::install(text, target, &wanted(target, "/opt/annals/bin/annals"))
}

/// Texts that stand in files of both formats.
fn samples(target: &Target) -> Vec<String> {
    let text = if target.path.extension().is_some_and(|end| end == "toml") {
        vec![
            "",
            "\n\n",
            "# only a comment\n",
            "model = \"gpt-5\" # the best\n\n[mcp_servers.docs]\ncommand = \"npx\"\nargs = [ \"-y\", \"docs\" ]\n",
            "[mcp_servers]\n",
            "[mcp_servers.docs]\ncommand = 'x'\n[mcp_servers.docs.env]\nKEY = \"1\"\n\n[tui]\ntheme = \"dark\"\n",
            "mcp_servers = { docs = { command = \"x\" } }\nmodel = \"m\"\n",
            "mcp_servers.docs.command = \"x\"\n\n[tui]\ntheme = \"dark\"\n# the end\n",
            "model = \"m\"",
        ]
    } else {
        vec![
            "",
            "  \n",
            "{}",
            "{}\n",
            "{ }",
            "// settings\n{\n}\n",
            "{\"mcpServers\":{}}",
            "{\"hooks\": {}}\n",
            "{\"version\": 1, \"hooks\": {}}\n",
            "{\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"npx\", \"args\": [\"-y\", \"docs\"] }\n  }\n}\n",
            r#"{
	// the servers
	"servers": {
		"docs": {"command": "npx"}, // trailing
	},
	"inputs": [],
}"#,
            r#"{
    "theme": "One Dark", /* dark */
    "context_servers": {
    },
    "vim_mode": true
}
"#,
            "{\"a\":1,\"b\":[1,2,{\"c\":null}]}",
            r#"{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] }
    ],
    "stop": [{ "command": "say done" }],
    "SessionStart": []
  }
}
"#,
        ]
    };
    let mut samples: Vec<String> = text.into_iter().map(str::to_owned).collect();
    let crlf: Vec<String> = samples
        .iter()
        .map(|text| text.replace('\n', "\r\n"))
        .collect();
    samples.extend(crlf);
    let marked: Vec<String> = samples
        .iter()
        .map(|text| format!("\u{feff}{text}"))
        .collect();
    samples.extend(marked);
    samples
}

#[test]
fn installed_and_removed_a_file_is_what_it_was() {
    for (client, target) in every_target() {
        for before in samples(&target) {
            let after =
                install(&before, &target).unwrap_or_else(|e| panic!("{client:?} {e}: {before}"));
            assert_ne!(before, after);
            let removed = edit::remove(&after, &target, Some(&before)).unwrap();
            assert_eq!(
                removed.as_deref(),
                Some(before.as_str()),
                "{client:?} {after}"
            );
        }
    }
}

#[test]
fn a_second_installation_changes_nothing() {
    for (client, target) in every_target() {
        for before in samples(&target) {
            let once = install(&before, &target).unwrap();
            assert_eq!(install(&once, &target).unwrap(), once, "{client:?}");
        }
    }
}

#[test]
fn a_file_that_was_made_for_annals_goes_with_it() {
    for (client, target) in every_target() {
        let made = install("", &target).unwrap();
        assert!(made.ends_with("}\n") || made.ends_with("]\n"), "{made:?}");
        assert_eq!(
            edit::remove(&made, &target, None).unwrap(),
            None,
            "{client:?} {made}"
        );
    }
}

#[test]
fn an_entry_that_is_out_of_date_is_replaced_where_it_stands() {
    for (client, target) in every_target() {
        for before in samples(&target) {
            let old =
                edit::install(&before, &target, &wanted(&target, "/old place/annals-0.1")).unwrap();
            let new = install(&old, &target).unwrap();
            assert!(
                old.contains("old place") && !new.contains("old place"),
                "{client:?} {new}"
            );
            assert_eq!(new, install(&before, &target).unwrap(), "{client:?}");
            assert_eq!(
                edit::remove(&new, &target, Some(&before))
                    .unwrap()
                    .as_deref(),
                Some(before.as_str())
            );
        }
    }
}

#[test]
fn what_was_added_meanwhile_stays() {
    let (_, target) = every_target()
        .into_iter()
        .find(|(client, _)| *client == Client::Cursor)
        .unwrap();
    let before = "{\n  \"mcpServers\": {\n    \"docs\": { \"command\": \"npx\" }\n  }\n}\n";
    let after = install(before, &target).unwrap();
    let more = after.replace(
        "\"mcpServers\": {\n",
        "\"mcpServers\": {\n    // mine\n    \"more\": {\"url\": \"x\"},\n",
    );
    let removed = edit::remove(&more, &target, Some(before)).unwrap().unwrap();
    let expected = before.replace(
        "\"mcpServers\": {\n",
        "\"mcpServers\": {\n    // mine\n    \"more\": {\"url\": \"x\"},\n",
    );
    assert_eq!(removed, expected);
}

#[test]
fn members_that_the_user_added_to_the_entry_stay() {
    let (_, target) = every_target()
        .into_iter()
        .find(|(client, _)| *client == Client::VsCode)
        .unwrap();
    let text = r#"{
  "servers": {
    "annals": {
      "command": "annals", // mine
      "env": { "A": "1" }
    }
  }
}
"#;
    let after = install(text, &target).unwrap();
    assert!(
        after.contains("\"env\": { \"A\": \"1\" }") && after.contains("// mine"),
        "{after}"
    );
    assert!(
        after.contains("\"command\": \"/opt/annals/bin/annals\""),
        "{after}"
    );
}

#[test]
fn a_project_does_not_say_with_what_annals_runs() {
    let project = tempfile::tempdir().unwrap();
    let folders = Folders::of_environment(System::Linux, |name| {
        (name == "HOME").then(|| "/home/ada".into())
    });
    let scope = Scope::Project(project.path().to_owned());
    let file = project.path().join(".mcp.json");
    let plan = |entry: &str| {
        let text = format!(
            r#"{{"mcpServers": {{"annals": {{"command": "annals", "args": ["mcp"]{entry}}}}}}}"#
        );
        std::fs::write(&file, text).unwrap();
        let mut planner = Planner::new(&folders);
        planner
            .install(Client::ClaudeCode, &scope, &command("/opt/annals"), false)
            .map(|()| planner.finish())
    };
    let error = plan(r#", "env": {"LD_PRELOAD": "./x.so"}, "cwd": "x""#).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("mcpServers.annals` also sets env, cwd"),
        "{error}"
    );
    assert_eq!(
        plan(r#", "type": "stdio", "disabled": true"#)
            .unwrap()
            .changes()
            .len(),
        1
    );
    let user = Planner::new(&folders).install(
        Client::ClaudeCode,
        &Scope::User,
        &command("/opt/annals"),
        false,
    );
    user.unwrap();
}

#[test]
fn another_program_under_the_name_of_annals_is_left_alone() {
    for (_, target) in every_target() {
        let Some(servers) = target.servers else {
            continue;
        };
        let text = if servers.key == "mcp_servers" {
            "[mcp_servers.annals]\ncommand = \"history\"\n".to_owned()
        } else {
            format!(
                "{{\"{}\": {{\"annals\": {{\"command\": \"history\"}}}}}}",
                servers.key
            )
        };
        assert!(
            matches!(install(&text, &target), Err(Problem::Taken { .. })),
            "{text}"
        );
        assert_eq!(
            edit::remove(&text, &target, None).unwrap().as_deref(),
            Some(text.as_str())
        );
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_place() {
    for (_, target) in every_target() {
        let (text, line) = if target.path.ends_with("config.toml") {
            ("a = 1\nb = = 2\n", 2)
        } else {
            ("{\n  \"a\": 1,\n  \"b\": tru\n}\n", 3)
        };
        let refused = install(text, &target).unwrap_err();
        assert!(
            matches!(refused, Problem::Syntax { line: at, .. } if at == line),
            "{refused:?}"
        );
        assert_eq!(edit::remove(text, &target, None).unwrap_err(), refused);
    }
    let (_, target) = every_target()
        .into_iter()
        .find(|(client, _)| *client == Client::GeminiCli)
        .unwrap();
    for (text, key) in [
        ("[]", ""),
        ("{\"mcpServers\": []}", "mcpServers"),
        ("{\"hooks\": 1}", "hooks"),
        ("{\"hooks\": {\"BeforeAgent\": {}}}", "hooks.BeforeAgent"),
    ] {
        let refused = install(text, &target).unwrap_err();
        assert!(
            matches!(&refused, Problem::Shape { key: named, .. } if named == key),
            "{refused:?}"
        );
    }
    assert_eq!(
        install("[]", &target).unwrap_err().to_string(),
        "the file is not an object"
    );
    let twice = "{\"mcpServers\": {}, \"mcpServers\": {}}";
    assert_eq!(
        install(twice, &target).unwrap_err(),
        Problem::Twice {
            key: "mcpServers".to_owned()
        }
    );
    let deep = "[".repeat(100_000);
    assert!(matches!(
        install(&deep, &target).unwrap_err(),
        Problem::Syntax { .. }
    ));
}

/// JSON with comments, odd blanks and trailing commas, in which keys of clients are common.
fn json() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        4 => prop::sample::select(&["mcpServers", "servers", "context_servers", "hooks", "Stop", "stop", "annals",
            "command", "version", "AfterAgent"][..]).prop_map(str::to_owned),
        1 => "[a-z\u{e9}]{1,4}",
    ];
    let blank =
        prop::sample::select(&["", " ", "\n", "\r\n", "\t", "\n  ", " // note\n", "/* a */"][..]);
    let leaf = prop_oneof![
        prop::sample::select(
            &[
                "null",
                "true",
                "1.50",
                "\"\"",
                "\"annals\"",
                "\"a\\u00e9\\n\"",
                "{}",
                "[]"
            ][..]
        )
        .prop_map(str::to_owned)
    ];
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        let object = (
            prop::collection::vec((key.clone(), inner.clone(), blank.clone()), 0..4),
            blank.clone(),
            any::<bool>(),
        )
            .prop_map(|(members, blank, comma)| {
                let members: Vec<String> = members
                    .iter()
                    .enumerate()
                    .map(|(at, (key, value, blank))| {
                        format!("{blank}\"{key}{at}\"{blank}: {value}").replace("0\"", "\"")
                    })
                    .collect();
                let last = if comma && !members.is_empty() {
                    ","
                } else {
                    ""
                };
                format!("{{{}{last}{blank}}}", members.join(","))
            });
        let list = (prop::collection::vec(inner, 0..3), blank.clone())
            .prop_map(|(elements, blank)| format!("[{blank}{}{blank}]", elements.join(", ")));
        prop_oneof![4 => object, 1 => list]
    });
    (
        prop::bool::ANY,
        value,
        prop::sample::select(&["", "\n", "\r\n", " // end"][..]),
    )
        .prop_map(|(mark, value, end)| {
            format!("{}{value}{end}", if mark { "\u{feff}" } else { "" })
        })
}

fn toml() -> impl Strategy<Value = String> {
    let line = prop::sample::select(
        &[
            "# note",
            "",
            "a = 1",
            "b = \"x\" # why",
            "[tui]",
            "[mcp_servers]",
            "[mcp_servers.docs]",
            "[x.y]",
            "command = 'npx'",
            "args = [\n  \"a\", # one\n]",
            "mcp_servers.dotted.command = \"x\"",
            "[[list]]",
            "mcp_servers = {}",
            "[mcp_servers.docs.env]",
            "text = '''\nlines\n'''",
        ][..],
    );
    (
        prop::collection::vec((line, any::<bool>()), 0..8),
        any::<bool>(),
    )
        .prop_map(|(lines, end)| {
            let lines: Vec<String> = lines
                .into_iter()
                .map(|(line, cr)| format!("{line}{}", if cr { "\r\n" } else { "\n" }))
                .collect();
            let text = lines.concat();
            if end {
                text.trim_end().to_owned()
            } else {
                text
            }
        })
}

/// A text that can be changed is the same again when the change is taken back; changed once it is
/// not changed again; without its former text everything else in it stays. Answers whether it could
/// be changed.
fn holds(text: &str, target: &Target) -> bool {
    let Ok(after) = install(text, target) else {
        return false;
    };
    assert_eq!(install(&after, target).unwrap(), after);
    for comment in ["// note", "/* a */", "// end", "# note", "# why", "# one"] {
        assert_eq!(
            after.matches(comment).count(),
            text.matches(comment).count(),
            "{comment} in {after}"
        );
    }
    let clean = edit::find(text, target).unwrap().is_nothing();
    if clean {
        assert_eq!(
            edit::remove(&after, target, Some(text)).unwrap().as_deref(),
            Some(text),
            "{after}"
        );
    }
    if let Some(removed) = edit::remove(&after, target, None).unwrap() {
        assert!(
            edit::find(&removed, target).unwrap().is_nothing(),
            "{removed}"
        );
    }
    true
}

/// Properties of texts that are all refused would say nothing.
#[test]
fn most_of_the_made_up_texts_can_be_changed() {
    let mut runner = TestRunner::deterministic();
    let all = every_target();
    let (mut json_changed, mut toml_changed) = (0, 0);
    for at in 0..200 {
        let text = json().new_tree(&mut runner).unwrap().current();
        json_changed += usize::from(holds(&text, &all[at % all.len()].1));
        let text = toml().new_tree(&mut runner).unwrap().current();
        let (_, target) = all
            .iter()
            .find(|(_, target)| target.path.ends_with("config.toml"))
            .unwrap();
        toml_changed += usize::from(holds(&text, target));
    }
    assert!(
        json_changed > 60 && toml_changed > 60,
        "{json_changed} and {toml_changed} of 200"
    );
}

proptest! {
    #[test]
    fn fuzz_json_is_what_it_was_after_a_removal(text in json(), at in 0_usize..64) {
        let all = every_target();
        holds(&text, &all[at % all.len()].1);
    }

    #[test]
    fn fuzz_toml_is_what_it_was_after_a_removal(text in toml()) {
        let (_, target) = every_target().into_iter().find(|(_, target)| target.path.ends_with("config.toml")).unwrap();
        holds(&text, &target);
    }

    #[test]
    fn fuzz_any_text_is_changed_or_refused(text in prop_oneof![
        any::<String>(),
        "[\\[\\]{}\":,a-z0-9 \n\r/*#='.\\\\]{0,60}",
    ], at in 0_usize..64) {
        let all = every_target();
        holds(&text, &all[at % all.len()].1);
    }
}
