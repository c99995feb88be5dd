//! The drawing in docs/architecture.md is what cargo says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

type Graph = BTreeMap<String, BTreeSet<String>>;

fn drawn(text: &str) -> Graph {
    text.lines()
        .filter_map(|line| line.split_once("<-"))
        .map(|(name, uses)| {
            let uses = uses
                .split(',')
                .map(|u| u.trim().to_owned())
                .filter(|u| !u.is_empty())
                .collect();
            (name.trim().to_owned(), uses)
        })
        .collect()
}

fn built(root: &Path) -> Graph {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(root)
        .output()
        .expect("cargo metadata starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let published =
        |p: &&serde_json::Value| p["publish"].as_array().is_none_or(|to| !to.is_empty());
    packages
        .iter()
        .filter(published)
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let uses = dependencies
                .iter()
                .filter(|d| d["kind"].is_null())
                .filter_map(|d| d["name"].as_str());
            let uses = uses
                .filter(|name| *name == "annals" || name.starts_with("annals-"))
                .map(str::to_owned)
                .collect();
            (package["name"].as_str().expect("name").to_owned(), uses)
        })
        .collect()
}

#[test]
fn the_drawn_crate_graph_is_the_built_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace");
    let text =
        std::fs::read_to_string(root.join("docs/architecture.md")).expect("docs/architecture.md");
    assert_eq!(drawn(&text), built(root));
}

/// Libraries that open connections: clients and servers of HTTP, encryption of connections, raw
/// sockets.
const REACHING_OUT: [&str; 17] = [
    "attohttpc",
    "curl",
    "h2",
    "hf-hub",
    "hyper",
    "isahc",
    "mio",
    "minreq",
    "native-tls",
    "openssl",
    "quinn",
    "reqwest",
    "rustls",
    "socket2",
    "surf",
    "tungstenite",
    "ureq",
];

/// Those among them that a server brings that is reached and reaches nobody.
const LISTENING: [&str; 3] = ["hyper", "mio", "socket2"];

/// What the program is linked with, without what only the crates left out bring.
fn linked(root: &Path, left_out: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args([
        "tree",
        "-p",
        "annals-cli",
        "-e",
        "normal",
        "--all-features",
        "--offline",
        "--prefix",
        "none",
    ]);
    command.args(left_out.iter().flat_map(|name| ["--prune", name]));
    let output = command
        .current_dir(root)
        .output()
        .expect("cargo tree starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = String::from_utf8(output.stdout).expect("cargo tree prints text");
    printed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn only_annals_net_and_annals_postgres_can_reach_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace");
    let reaching = |linked: &BTreeSet<String>| -> Vec<&str> {
        REACHING_OUT
            .iter()
            .copied()
            .filter(|name| linked.contains(*name))
            .collect()
    };
    let all = linked(root, &[]);
    assert!(
        all.contains("annals-net") && reaching(&all).contains(&"ureq"),
        "{all:?}"
    );
    let without = linked(root, &["annals-net", "annals-postgres"]);
    assert!(
        without.contains("annals-extraction") && without.contains("annals-vector"),
        "{without:?}"
    );
    // The servers are reached and open no connection: they have no client and no encryption.
    let listening = reaching(&without);
    assert!(
        listening.iter().all(|name| LISTENING.contains(name)),
        "{listening:?}"
    );
    let neither = linked(
        root,
        &[
            "annals-net",
            "annals-postgres",
            "annals-connections",
            "annals-mcp",
            "annals-server",
        ],
    );
    assert!(
        neither.contains("annals-extraction") && neither.contains("annals-vector"),
        "{neither:?}"
    );
    assert_eq!(reaching(&neither), [""; 0]);
}
