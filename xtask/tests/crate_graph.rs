//! The drawing in docs/architecture.md is what cargo says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Graph = BTreeMap<String, BTreeSet<String>>;

fn drawn(text: &str) -> Graph {
    text.lines()
        .filter_map(|line| line.split_once("<-"))
        .map(|(name, uses)| {
            let uses = uses.split(',').map(|u| u.trim().to_owned()).filter(|u| !u.is_empty()).collect();
            (name.trim().to_owned(), uses)
        })
        .collect()
}

fn built(root: &Path) -> Graph {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .expect("cargo metadata starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let published = |p: &&serde_json::Value| p["publish"].as_array().is_none_or(|to| !to.is_empty());
    packages
        .iter()
        .filter(published)
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let uses = dependencies.iter().filter(|d| d["kind"].is_null()).filter_map(|d| d["name"].as_str());
            let uses =
                uses.filter(|name| *name == "annals" || name.starts_with("annals-")).map(str::to_owned).collect();
            (package["name"].as_str().expect("name").to_owned(), uses)
        })
        .collect()
}

#[test]
fn the_drawn_crate_graph_is_the_built_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let text = std::fs::read_to_string(root.join("docs/architecture.md")).expect("docs/architecture.md");
    assert_eq!(drawn(&text), built(root));
}
