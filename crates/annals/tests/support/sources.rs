//! The Rust sources of the workspace's crates, for tests that say something of all of them.

use std::path::{Path, PathBuf};

pub struct Source {
    /// Below the folder of the crates: `graph/src/triple.rs`.
    pub path: PathBuf,
    pub text: String,
}

/// Every file of the crates, in the order of their paths.
pub fn all() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut folders, mut found) = (vec![root.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push(Source {
                    path: path.strip_prefix(root).unwrap().to_owned(),
                    text,
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

impl Source {
    /// The bodies of its tests that run by default: neither ignored nor behind a switch.
    pub fn tests(&self) -> impl Iterator<Item = &str> {
        self.text
            .split("#[test]\n")
            .skip(1)
            .filter(|part| !part.trim_start().starts_with("#["))
    }

    /// Whether it is a test itself, and not a source with tests in it.
    pub fn is_test(&self) -> bool {
        self.path
            .components()
            .any(|part| part.as_os_str() == "tests")
    }
}
