//! Rules of a profile and redactors of one's own.

use std::sync::Arc;

use annals::blocking::Memory;
use annals::{BuiltInRedactor, Finding, Label, NewMemory, Redactor, Sensitive};

const PROFILE: &str = r#"
[[privacy.rules]]
name = "employee"
pattern = 'EMP-\d{4}'

[[privacy.rules]]
name = "project"
pattern = 'project (?P<v>[A-Z]\w+)'
action = "reject"
"#;

fn memory(text: &str) -> NewMemory {
    NewMemory::builder(text).build().unwrap()
}

#[test]
fn rules_of_a_profile_mask_and_refuse() {
    let engine = Memory::options().in_memory().unwrap();
    engine.profiles().store("own", PROFILE).unwrap();
    let space = engine.create_namespace("u", "own").unwrap();
    let (id, masked) = annals::masked_during(|| {
        space.remember(memory("Ann is EMP-1234, her password is hunter22"))
    });
    let id = id.unwrap();
    assert_eq!(
        space.get(id).unwrap().unwrap().body.text,
        "Ann is [employee], her password is [password]"
    );
    assert_eq!(
        masked.into_iter().collect::<Vec<_>>(),
        ["employee", "password"]
    );
    let refused = space
        .remember(memory("she works on project Falcon"))
        .unwrap_err();
    assert!(
        refused.to_string().contains("\"project\"") && !refused.to_string().contains("Falcon"),
        "{refused}"
    );
}

#[test]
fn a_pattern_that_cannot_be_read_is_named() {
    let engine = Memory::options().in_memory().unwrap();
    for pattern in ["EMP-(", "(a{1000}){1000}"] {
        let text = format!("[[privacy.rules]]\nname = \"employee\"\npattern = '{pattern}'\n");
        let error = engine.profiles().store("own", &text).unwrap_err();
        assert!(error.to_string().contains(pattern), "{error}");
    }
}

/// Finds names of a list beside what the built-in table finds.
struct Names;

impl Redactor for Names {
    fn find(&self, text: &str) -> Vec<Finding> {
        let kind = || Sensitive::Custom(Label::new("kind", "name").unwrap());
        let mut found = BuiltInRedactor.find(text);
        found.extend(text.match_indices("阿梅").map(|(at, name)| Finding {
            kind: kind(),
            range: at..at + name.len(),
        }));
        // A range that is no part of the text is ignored.
        found.push(Finding {
            kind: kind(),
            range: 1..text.len() + 9,
        });
        found
    }
}

#[test]
fn a_redactor_of_ones_own_takes_the_place_of_the_table() {
    let engine = Memory::options()
        .redactor(Arc::new(Names))
        .in_memory()
        .unwrap();
    let space = engine.create_namespace("u", "default").unwrap();
    let id = space.remember(memory("阿梅的密码是 hunter22")).unwrap();
    assert_eq!(
        space.get(id).unwrap().unwrap().body.text,
        "[name]的密码是 [password]"
    );
}
