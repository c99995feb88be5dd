//! The packages of the workspace and their targets, as cargo sees them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{capture, cargo};

/// A package with its folder and its targets.
pub struct Package {
    pub name: String,
    pub folder: PathBuf,
    targets: Vec<Target>,
}

/// A library, program or test: the name of its test binary, and the file its modules begin in.
struct Target {
    binary: String,
    root: PathBuf,
}

/// Every package of the workspace.
pub fn packages() -> Result<Vec<Package>, String> {
    let printed = capture(&mut cargo([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
    ]))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&printed).map_err(|e| format!("cargo metadata: {e}"))?;
    let listed = metadata["packages"].as_array().into_iter().flatten();
    Ok(listed.filter_map(package).collect())
}

fn package(package: &serde_json::Value) -> Option<Package> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let name = package["name"].as_str()?;
    let target = |target: &serde_json::Value| {
        let root = PathBuf::from(target["src_path"].as_str()?);
        Some(Target {
            binary: binary(name, target)?,
            root,
        })
    };
    let targets = package["targets"]
        .as_array()?
        .iter()
        .filter_map(target)
        .collect();
    Some(Package {
        name: name.to_owned(),
        folder: manifest.parent()?.to_owned(),
        targets,
    })
}

/// What nextest calls the test binary of a target: the package alone for its library.
fn binary(package: &str, target: &serde_json::Value) -> Option<String> {
    let name = target["name"].as_str()?;
    Some(match target["kind"][0].as_str()? {
        "test" => format!("{package}::{name}"),
        kind @ ("bin" | "example" | "bench" | "proc-macro") => format!("{package}::{kind}/{name}"),
        "custom-build" => return None,
        _ => package.to_owned(),
    })
}

impl Package {
    /// The binaries that may hold a file's tests, each with the path of the file's module in it.
    pub fn homes(&self, file: &Path) -> Vec<(&str, String)> {
        if let Some(root) = self.targets.iter().find(|target| target.root == file) {
            return vec![(&root.binary, String::new())];
        }
        let home = |target: &'_ Target| module(target.root.parent()?, file);
        self.targets
            .iter()
            .filter_map(|target| Some((target.binary.as_str(), home(target)?)))
            .collect()
    }
}

/// The path of the module that a file below a root's folder holds.
pub fn module(folder: &Path, file: &Path) -> Option<String> {
    let below = file.strip_prefix(folder).ok()?.with_extension("");
    let mut names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
    names.pop_if(|last| last == "mod");
    Some(names.join("::"))
}

/// The Rust sources of a package, without those of packages inside it.
pub fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let failed = |e| format!("cannot list {}: {e}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                let inner = path.join("Cargo.toml").exists()
                    || path.file_name().is_some_and(|name| name == "target");
                folders.extend((!inner).then_some(path));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        let target = |binary: &str, root: &str| Target {
            binary: binary.to_owned(),
            root: root.into(),
        };
        let targets = vec![
            target("text", "/w/text/src/lib.rs"),
            target("text::bin/text", "/w/text/src/main.rs"),
            target("text::walks", "/w/text/tests/walks.rs"),
            target("text::model", "/w/text/tests/model/main.rs"),
        ];
        Package {
            name: "text".to_owned(),
            folder: "/w/text".into(),
            targets,
        }
    }

    fn homes(file: &str) -> Vec<(String, String)> {
        package()
            .homes(Path::new(file))
            .into_iter()
            .map(|(binary, module)| (binary.to_owned(), module))
            .collect()
    }

    fn home(binary: &str, module: &str) -> (String, String) {
        (binary.to_owned(), module.to_owned())
    }

    #[test]
    fn a_root_belongs_to_its_own_target() {
        assert_eq!(homes("/w/text/src/lib.rs"), [home("text", "")]);
        assert_eq!(
            homes("/w/text/tests/model/main.rs"),
            [home("text::model", "")]
        );
    }

    #[test]
    fn a_module_may_belong_to_every_target_above_it() {
        let both = [
            home("text", "words::stem"),
            home("text::bin/text", "words::stem"),
        ];
        assert_eq!(homes("/w/text/src/words/stem.rs"), both);
        assert_eq!(
            homes("/w/text/tests/world/mod.rs"),
            [home("text::walks", "world")]
        );
        assert!(homes("/w/text/tests/model/real.rs").contains(&home("text::model", "real")));
    }
}
