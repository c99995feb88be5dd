//! Every citation of the workspace, held against the list and the tests that passed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::allowed::{Allowed, Way};
use super::judged::judge;
use super::list::List;
use super::report::{Part, Proof};
use super::scan::{self, Cite, Found, Test};
use crate::passed::{self, Passed};
use crate::shell::{self, Done};
use crate::witness::{Seen, Witnesses};
use crate::workspace::{self, Package};

/// The folder of the browser tests.
const PAGE_TESTS: &str = "crates/server/page-tests";

/// What is known of the last run of tests.
pub struct Known<'a> {
    /// The requirements with the profiles of their designs.
    designs: BTreeMap<&'a str, &'a str>,
    allowed: &'a Allowed,
    /// `None` when nothing is known of any run; then nothing is proven, and no test is blamed for
    /// it.
    passed: Option<&'a Passed>,
    /// Empty when the runner was another one than nextest; the same holds then.
    witnesses: &'a Witnesses,
    /// Whether a browser ran the tests of the page.
    page_ran: bool,
}

impl<'a> Known<'a> {
    pub fn new(
        list: &'a List,
        allowed: &'a Allowed,
        passed: Option<&'a Passed>,
        witnesses: &'a Witnesses,
    ) -> Self {
        let of_section = |section: &'a super::list::Section| {
            section
                .requirements
                .iter()
                .map(|requirement| (requirement.id.as_str(), section.profile.as_str()))
        };
        let designs = list.sections.iter().flat_map(of_section).collect();
        let passed = if witnesses.is_empty() { None } else { passed };
        Self {
            designs,
            allowed,
            passed,
            witnesses,
            page_ran: false,
        }
    }

    /// The record of passed tests has those of the page in it, too.
    pub fn with_page(mut self, ran: bool) -> Self {
        self.page_ran = ran;
        self
    }
}

/// What was found.
pub struct Cited<'a> {
    known: Known<'a>,
    /// The proofs of each requirement, by its id.
    pub proofs: BTreeMap<String, Vec<Proof>>,
    /// The tests that show a part of one.
    pub parts: BTreeMap<String, Vec<Part>>,
    /// Broken rules, each with its place.
    pub problems: Vec<String>,
    used: BTreeSet<(String, Way)>,
}

impl<'a> Cited<'a> {
    /// Scans every Rust source of the workspace.
    pub fn collect(known: Known<'a>) -> Result<Self, String> {
        let mut cited = Self::new(known);
        for package in workspace::packages()? {
            for file in workspace::sources(&package.folder)? {
                cited.file(&package, &file)?;
            }
        }
        cited.page()?;
        cited.needless();
        Ok(cited)
    }

    fn new(known: Known<'a>) -> Self {
        let (proofs, parts) = (BTreeMap::new(), BTreeMap::new());
        Self {
            known,
            proofs,
            parts,
            problems: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    fn file(&mut self, package: &Package, file: &Path) -> Done {
        let found = self.scanned(file, scan::scan)?;
        if self.known.passed.is_some()
            && !found.tests.is_empty()
            && passed::before(&passed::file(), file)
        {
            println!("{} was changed after the tests ran", shown(file));
        }
        for test in &found.tests {
            self.test(test, &names(&package.homes(file), &test.path), &shown(file));
        }
        Ok(())
    }

    /// Takes in the browser tests of the page. Where no browser ran them, nothing is blamed for it:
    /// the step `page` fails by itself where it should have.
    fn page(&mut self) -> Done {
        let folder = shell::root().join(PAGE_TESTS);
        let failed = |e| format!("cannot list {}: {e}", folder.display());
        let mut files = Vec::new();
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let stem = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            if path.extension().is_some_and(|end| end == "py") && stem.starts_with("test_") {
                files.push((stem.to_owned(), path));
            }
        }
        files.sort();
        for (stem, file) in files {
            let found = self.scanned(&file, scan::scan_python)?;
            if !self.known.page_ran || found.tests.is_empty() {
                continue;
            }
            if passed::before(&passed::page_file(), &file) {
                println!("{} was changed after the browser tests ran", shown(&file));
            }
            for test in &found.tests {
                self.test(test, &[format!("page {stem}.{}", test.path)], &shown(&file));
            }
        }
        if !self.known.page_ran {
            println!("The browser tests did not run: what they prove counts as open.");
        }
        Ok(())
    }

    /// The tests of a file that cite something; what breaks a rule is noted.
    fn scanned(&mut self, file: &Path, scan: fn(&str) -> Found) -> Result<Found, String> {
        let text =
            fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
        let mut found = scan(&text);
        let shown = shown(file);
        self.problems.extend(
            found
                .problems
                .iter()
                .map(|(line, reason)| format!("{shown}:{line}: {reason}")),
        );
        found
            .tests
            .retain(|test| !test.cites.is_empty() || !test.parts.is_empty());
        Ok(found)
    }

    /// Takes in a test under the names that the record may have for it.
    fn test(&mut self, test: &Test, names: &[String], file: &str) {
        let ran = self
            .known
            .passed
            .and_then(|passed| names.iter().find(|name| passed.contains(*name)));
        for (cite, whole) in test
            .cites
            .iter()
            .map(|cite| (cite, true))
            .chain(test.parts.iter().map(|cite| (cite, false)))
        {
            let place = format!("{file}:{}", cite.line);
            let Some(design) = self.known.designs.get(cite.id.as_str()).copied() else {
                self.problems
                    .push(format!("{place}: there is no requirement {}", cite.id));
                continue;
            };
            let Some(name) = ran else {
                if self.known.passed.is_some() {
                    let ran = format!(
                        "{place}: {} cited by {}, which did not run, or failed",
                        cite.id, test.path
                    );
                    self.problems.push(ran);
                }
                continue;
            };
            let none = BTreeSet::new();
            let seen = self.known.witnesses.get(name).unwrap_or(&none);
            if whole {
                self.whole(cite, design, (name, seen), place)
            } else {
                self.part(cite, design, (name, seen), place)
            }
        }
    }

    fn whole(
        &mut self,
        cite: &Cite,
        design: &str,
        (name, seen): (&str, &BTreeSet<Seen>),
        place: String,
    ) {
        match judge(&cite.id, design, seen, self.known.allowed) {
            Ok(ways) => {
                self.used.extend(ways.iter().map(|way| (cite.id.clone(), *way)));
                self.proofs.entry(cite.id.clone()).or_default().push(Proof { test: name.to_owned(), place, ways });
            }
            Err(reason) => self.problems.push(format!(
                "{place}: {name} does not prove {}: it worked with {reason}; write `// part:` until it is proven",
                cite.id
            )),
        }
    }

    fn part(
        &mut self,
        cite: &Cite,
        design: &str,
        (name, seen): (&str, &BTreeSet<Seen>),
        place: String,
    ) {
        let reason = judge(&cite.id, design, seen, self.known.allowed).err();
        let why = if cite.missing.is_empty() {
            reason.map(str::to_owned)
        } else {
            Some(cite.missing.clone())
        };
        match why {
            Some(why) => {
                self.parts.entry(cite.id.clone()).or_default().push(Part {
                    test: name.to_owned(),
                    why,
                });
            }
            None => self.problems.push(format!(
                "{place}: say what {name} lacks of {}: `// part: {}; ...`",
                cite.id, cite.id
            )),
        }
    }

    /// Blames ways that are allowed and that no proof takes.
    fn needless(&mut self) {
        if self.known.passed.is_some() {
            let needless = self
                .known
                .allowed
                .keys()
                .filter(|key| !self.used.contains(*key));
            let told = needless.map(|(id, way)| {
                format!("docs/specs-allowed.toml: no test needs {way:?} for {id}")
            });
            self.problems.extend(told.collect::<Vec<_>>());
        }
    }
}

/// A file as people name it: from the folder of the workspace on.
fn shown(file: &Path) -> String {
    file.strip_prefix(shell::root())
        .unwrap_or(file)
        .to_string_lossy()
        .replace('\\', "/")
}

/// What the record calls a test, in each binary that it may be in.
fn names(homes: &[(&str, String)], path: &str) -> Vec<String> {
    let named = |(binary, module): &(&str, String)| {
        let colons = if module.is_empty() { "" } else { "::" };
        format!("{binary} {module}{colons}{path}")
    };
    homes.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str =
        "[[section]]\nprofile = \"graph\"\ntitle = \"a\"\nids = [\"G-01\", \"G-02\"]\n";
    const NAME: &str = "annals-graph walks::deep::one";

    fn seen(profile: &str) -> BTreeSet<Seen> {
        [Seen {
            profile: profile.to_owned(),
            shipped: true,
        }]
        .into()
    }

    /// What a source says whose test `deep::one` passed under a profile.
    fn cited(source: &str, profile: &str, check: impl FnOnce(&Cited<'_>)) {
        let list = List::parse(LIST).expect("a list");
        let (passed, allowed) = (
            [NAME.to_owned()].into(),
            [(("G-02".to_owned(), Way::Layer), "a".to_owned())].into(),
        );
        let witnesses = [(NAME.to_owned(), seen(profile))].into();
        let mut cited = Cited::new(Known::new(&list, &allowed, Some(&passed), &witnesses));
        for test in scan::scan(source).tests {
            cited.test(
                &test,
                &names(&[("annals-graph", "walks".to_owned())], &test.path),
                "walks.rs",
            );
        }
        cited.needless();
        check(&cited);
    }

    const NEEDLESS: &str = "docs/specs-allowed.toml: no test needs Layer for G-02";

    #[test]
    fn only_a_known_id_of_a_test_that_passed_is_proven() {
        let source = "mod deep {\n#[test] fn one() { // spec: G-01, G-03\n}\n#[test] fn two() { // spec: G-02\n} }";
        cited(source, "graph", |cited| {
            let [proof] = &cited.proofs["G-01"][..] else {
                panic!("one proof")
            };
            assert_eq!(
                (proof.test.as_str(), proof.place.as_str()),
                (NAME, "walks.rs:2")
            );
            assert_eq!(cited.proofs.len(), 1);
            let did_not = "walks.rs:4: G-02 cited by deep::two, which did not run, or failed";
            assert_eq!(
                cited.problems,
                [
                    "walks.rs:2: there is no requirement G-03",
                    did_not,
                    NEEDLESS
                ]
            );
        });
    }

    #[test]
    fn another_profile_proves_nothing() {
        cited(
            "mod deep { #[test] fn one() { // spec: G-01\n// part: G-02\n} }",
            "default",
            |cited| {
                let blamed = format!(
                    "walks.rs:1: {NAME} does not prove G-01: it worked with the default profile; write `// part:` until it is proven"
                );
                assert_eq!(
                    (cited.proofs.len(), &cited.problems[..]),
                    (0, &[blamed, NEEDLESS.to_owned()][..])
                );
                assert_eq!(cited.parts["G-02"][0].why, "the default profile");
            },
        );
    }

    #[test]
    fn a_part_that_could_be_the_whole_says_what_is_missing() {
        cited(
            "mod deep { #[test] fn one() { // part: G-01; half\n// part: G-02\n} }",
            "graph",
            |cited| {
                assert_eq!(cited.parts["G-01"][0].why, "half");
                let blamed =
                    format!("walks.rs:2: say what {NAME} lacks of G-02: `// part: G-02; ...`");
                assert_eq!(cited.problems, [blamed, NEEDLESS.to_owned()]);
            },
        );
    }
}
