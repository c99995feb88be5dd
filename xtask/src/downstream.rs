//! Consumer projects outside the workspace that use single layers, built from packaged crates.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Done, capture, cargo};

/// Packages every crate, unpacks the packages, and builds and runs each project of `downstream/`
/// against them.
pub fn run() -> Done {
    let place = shell::target().join("downstream");
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|e| format!("cannot clean {}: {e}", place.display()))?;
    }
    let crates = place.join("crates");
    fs::create_dir_all(&crates).map_err(|e| format!("cannot make {}: {e}", crates.display()))?;
    let packages = package(&place, &crates)?;
    let patches: String = packages
        .iter()
        .map(|(name, dir)| format!("{name} = {{ path = {:?} }}\n", dir.to_string_lossy()))
        .collect();
    let mut consumers = entries(&shell::root().join("downstream"))?;
    consumers.retain(|dir| dir.join("Cargo.toml").is_file());
    consumers.sort();
    if consumers.is_empty() {
        return Err("downstream/ holds no consumer project".to_owned());
    }
    for consumer in &consumers {
        let name = consumer
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        println!("downstream {name}");
        build(consumer, &place.join(&name), &patches, &place.join("build"))?;
    }
    Ok(())
}

/// Packages the published crates; answers their names and unpacked folders.
fn package(place: &Path, crates: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let listed = capture(&mut cargo([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
    ]))?;
    let listed: serde_json::Value =
        serde_json::from_str(&listed).map_err(|e| format!("cargo metadata: {e}"))?;
    let mut names = Vec::new();
    for package in listed["packages"].as_array().into_iter().flatten() {
        let published = package["publish"]
            .as_array()
            .is_none_or(|to| !to.is_empty());
        if let (true, Some(name), Some(version)) = (
            published,
            package["name"].as_str(),
            package["version"].as_str(),
        ) {
            names.push((name.to_owned(), version.to_owned()));
        }
    }
    let packed = place.join("packed");
    let mut command = cargo([
        "package",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
        "--target-dir",
    ]);
    command.arg(&packed);
    for (name, _) in &names {
        command.args(["--package", name]);
    }
    shell::run(&mut command)?;
    names
        .into_iter()
        .map(|(name, version)| {
            let archive = packed
                .join("package")
                .join(format!("{name}-{version}.crate"));
            shell::run(
                Command::new("tar")
                    .arg("-xzf")
                    .arg(&archive)
                    .arg("-C")
                    .arg(crates),
            )?;
            Ok((name.clone(), crates.join(format!("{name}-{version}"))))
        })
        .collect()
}

fn build(consumer: &Path, copy: &Path, patches: &str, target: &Path) -> Done {
    fs::create_dir_all(copy.join("src"))
        .map_err(|e| format!("cannot make {}: {e}", copy.display()))?;
    let read = |file: &str| {
        fs::read_to_string(consumer.join(file)).map_err(|e| format!("cannot read {file}: {e}"))
    };
    let write = |file: &str, text: &str| {
        fs::write(copy.join(file), text).map_err(|e| format!("cannot write {file}: {e}"))
    };
    let manifest = read("Cargo.toml")?;
    write(
        "Cargo.toml",
        &format!("{manifest}\n[workspace]\n\n[patch.crates-io]\n{patches}"),
    )?;
    write("src/main.rs", &read("src/main.rs")?)?;
    // The workspace's lock file keeps the consumers on the versions that were tested.
    fs::copy(shell::root().join("Cargo.lock"), copy.join("Cargo.lock"))
        .map_err(|e| format!("cannot copy Cargo.lock: {e}"))?;
    let mut run = cargo(["run", "--quiet"]);
    run.current_dir(copy)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_DEV_DEBUG", "0");
    shell::run(&mut run)
}

fn entries(dir: &Path) -> Result<Vec<PathBuf>, String> {
    let read = fs::read_dir(dir).map_err(|e| format!("cannot list {}: {e}", dir.display()))?;
    read.map(|entry| {
        entry
            .map(|e| e.path())
            .map_err(|e| format!("cannot list {}: {e}", dir.display()))
    })
    .collect()
}
