//! What crosses between processes crosses whole.

use std::path::{Path, PathBuf};

/// The source files of the crates whose types cross.
fn sources() -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for name in std::fs::read_dir(crates)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        // The program is no other process's library.
        if !name.ends_with("cli") && name.join("src").is_dir() {
            below(&name.join("src"), &mut found);
        }
    }
    found
}

/// The fields of a source that a value loses when it is written and read again: those of types that
/// are both, by themselves or where they have no value to begin with.
fn lost(source: &str) -> Vec<String> {
    let mut lost = Vec::new();
    let (mut crosses, mut defaults, mut open) = (false, false, false);
    let lines: Vec<&str> = source.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(derived) = trimmed.strip_prefix("#[derive(") {
            let has = |name: &str| derived.split([',', ')', ' ']).any(|word| word == name);
            (crosses, defaults, open) = (has("Serialize") && has("Deserialize"), false, false);
        } else if trimmed.starts_with("#[serde(") && !open {
            defaults |= trimmed.contains("default");
        } else if trimmed.ends_with('{')
            && (trimmed.contains("struct ") || trimmed.contains("enum "))
        {
            open = true;
        } else if line.starts_with('}') {
            (crosses, open) = (false, false);
        }
        if !crosses || !open || !trimmed.starts_with("#[serde(") {
            continue;
        }
        let says = |word: &str| trimmed.split(['(', ',', ')', ' ']).any(|part| part == word);
        let field = lines
            .iter()
            .skip(at + 1)
            .map(|line| line.trim())
            .find(|line| !line.starts_with(['#', '/']));
        let field = field.unwrap_or_default();
        let is_optional = field.contains(": Option<");
        let left_out = trimmed.contains("skip_serializing_if") && !trimmed.contains("default");
        if says("skip") || says("skip_serializing") || says("skip_deserializing") {
            lost.push(format!("{field} is skipped"));
        } else if left_out && !defaults && !is_optional {
            lost.push(format!("{field} is left out and has no default"));
        }
    }
    lost
}

#[test]
fn no_type_that_crosses_loses_a_field() {
    let files = sources();
    assert!(files.len() > 200, "{}", files.len());
    let mut found = Vec::new();
    for path in files {
        let source = std::fs::read_to_string(&path).unwrap();
        found.extend(
            lost(&source)
                .into_iter()
                .map(|field| format!("{}: {field}", path.display())),
        );
    }
    assert_eq!(
        found, [""; 0],
        "give the field a form of its own (`serde(with)`), or a default"
    );
}

#[test]
fn a_field_that_is_lost_is_seen() {
    let of = |fields: &str| {
        lost(&format!(
            "#[derive(Debug, Serialize, Deserialize)]\npub struct A {{\n{fields}\n}}\n"
        ))
    };
    assert_eq!(
        of("    #[serde(skip)]\n    pub a: u8,"),
        ["pub a: u8, is skipped"]
    );
    assert_eq!(
        of("    #[serde(skip_serializing, default)]\n    a: u8,").len(),
        1
    );
    assert_eq!(
        of("    #[serde(skip_serializing_if = \"Vec::is_empty\")]\n    a: Vec<u8>,").len(),
        1
    );
    assert!(
        of("    #[serde(default, skip_serializing_if = \"Vec::is_empty\")]\n    a: Vec<u8>,")
            .is_empty()
    );
    assert!(
        of("    #[serde(skip_serializing_if = \"Option::is_none\")]\n    a: Option<u8>,")
            .is_empty()
    );
    assert!(
        lost("#[derive(Serialize)]\nstruct A {\n    #[serde(skip)]\n    a: u8,\n}\n").is_empty()
    );
}
