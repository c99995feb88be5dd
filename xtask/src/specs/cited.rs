//! Every citation of the workspace, held against the list and the tests that passed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::list::List;
use super::report::Proof;
use super::scan::{self, Test};
use crate::passed::{self, Passed};
use crate::shell::{self, Done};
use crate::workspace::{self, Package};

/// What was found.
pub struct Cited<'a> {
    known: BTreeSet<&'a str>,
    /// `None` when nothing is known of any run; then nothing is proven, and no test is blamed for it.
    passed: Option<&'a Passed>,
    /// The proofs of each requirement, by its id.
    pub proofs: BTreeMap<String, Vec<Proof>>,
    /// Broken rules, each with its place.
    pub problems: Vec<String>,
}

impl<'a> Cited<'a> {
    /// Scans every Rust source of the workspace.
    pub fn collect(list: &'a List, passed: Option<&'a Passed>) -> Result<Self, String> {
        let known = list.requirements().map(|requirement| requirement.id.as_str()).collect();
        let mut cited = Self { known, passed, proofs: BTreeMap::new(), problems: Vec::new() };
        for package in workspace::packages()? {
            for file in sources(&package.folder)? {
                cited.file(&package, &file)?;
            }
        }
        Ok(cited)
    }

    fn file(&mut self, package: &Package, file: &Path) -> Done {
        let text = fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let shown = file.strip_prefix(shell::root()).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let mut found = scan::scan(&text);
        self.problems.extend(found.problems.iter().map(|(line, reason)| format!("{shown}:{line}: {reason}")));
        found.tests.retain(|test| !test.cites.is_empty());
        if self.passed.is_some() && !found.tests.is_empty() && passed::before(file) {
            println!("{shown} was changed after the tests ran");
        }
        for test in &found.tests {
            self.test(test, &names(&package.homes(file), &test.path), &shown);
        }
        Ok(())
    }

    /// Takes in a test under the names that the record may have for it.
    fn test(&mut self, test: &Test, names: &[String], file: &str) {
        let ran = self.passed.and_then(|passed| names.iter().find(|name| passed.contains(*name)));
        for cite in &test.cites {
            let place = format!("{file}:{}", cite.line);
            if !self.known.contains(cite.id.as_str()) {
                self.problems.push(format!("{place}: there is no requirement {}", cite.id));
            } else if let Some(name) = ran {
                self.proofs.entry(cite.id.clone()).or_default().push(Proof { test: name.clone(), place });
            } else if self.passed.is_some() {
                self.problems
                    .push(format!("{place}: {} cited by {}, which did not run, or failed", cite.id, test.path));
            }
        }
    }
}

/// What the record calls a test, in each binary that it may be in.
fn names(homes: &[(&str, String)], path: &str) -> Vec<String> {
    let named = |(binary, module): &(&str, String)| {
        let colons = if module.is_empty() { "" } else { "::" };
        format!("{binary} {module}{colons}{path}")
    };
    homes.iter().map(named).collect()
}

/// The Rust sources of a package, without those of packages inside it.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let failed = |e| format!("cannot list {}: {e}", folder.display());
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                let inner = path.join("Cargo.toml").exists() || path.file_name().is_some_and(|name| name == "target");
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

    #[test]
    fn only_a_known_id_of_a_test_that_passed_is_proven() {
        let text = "[[section]]\nprofile = \"graph\"\ntitle = \"a\"\nids = [\"G-01\", \"G-02\"]\n";
        let list = List::parse(text).expect("a list");
        let passed = ["annals-graph walks::deep::one".to_owned()].into();
        let known = list.requirements().map(|requirement| requirement.id.as_str()).collect();
        let mut cited = Cited { known, passed: Some(&passed), proofs: BTreeMap::new(), problems: Vec::new() };
        let source = "mod deep {\n#[test] fn one() { // spec: G-01, G-03\n}\n#[test] fn two() { // spec: G-02\n} }";
        for test in scan::scan(source).tests {
            cited.test(&test, &names(&[("annals-graph", "walks".to_owned())], &test.path), "walks.rs");
        }
        let [proof] = &cited.proofs["G-01"][..] else { panic!("one proof") };
        assert_eq!((proof.test.as_str(), proof.place.as_str()), ("annals-graph walks::deep::one", "walks.rs:2"));
        assert_eq!(cited.proofs.len(), 1);
        let did_not = "walks.rs:4: G-02 cited by deep::two, which did not run, or failed";
        assert_eq!(cited.problems, ["walks.rs:2: there is no requirement G-03", did_not]);
    }
}
