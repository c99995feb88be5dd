//! Which requirement which test proves.

mod list;
mod report;
mod scan;
mod source;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::passed::{self, Passed};
use crate::shell::{self, Done};
use crate::workspace;
use list::List;
use report::Proof;

/// Prints the proven requirements with their tests and a summary; `--open` adds what is not proven, `--update`
/// writes docs/specs.toml anew. Fails when a citation breaks a rule, never for what is open.
pub fn run(args: &[String]) -> Done {
    let open = match args {
        [] => false,
        [flag] if flag == "--open" => true,
        [flag] if flag == "--update" => return update(),
        _ => return Err("usage: cargo xtask specs [--open | --update]".to_owned()),
    };
    let text = list::text()?;
    let mut list = List::parse(&text)?;
    let mut problems = Vec::new();
    if let Some(folder) = source::folder() {
        let read = source::read(&folder)?;
        if read.render() != text {
            problems.push("docs/specs.toml is not in step: run cargo xtask specs --update".to_owned());
        }
        list = read;
    }
    let passed = passed::read();
    if passed.is_none() {
        problems.push(format!("no record of passed tests in {}: run cargo xtask test", passed::file().display()));
    }
    let proofs = cited(&list, passed.as_ref(), &mut problems)?;
    report::print(&list, &proofs, open);
    if problems.is_empty() { Ok(()) } else { Err(format!("broken rules:\n{}", problems.join("\n"))) }
}

fn update() -> Done {
    let folder = source::folder().ok_or("no specifications beside this checkout")?;
    let text = source::read(&folder)?.render();
    fs::write(list::file(), text).map_err(|e| format!("cannot write {}: {e}", list::file().display()))
}

/// Every citation of the workspace by a test that passed, by id.
fn cited(
    list: &List,
    passed: Option<&Passed>,
    problems: &mut Vec<String>,
) -> Result<BTreeMap<String, Vec<Proof>>, String> {
    let known: BTreeSet<_> = list.requirements().map(|requirement| requirement.id.as_str()).collect();
    let mut proofs: BTreeMap<String, Vec<Proof>> = BTreeMap::new();
    for package in workspace::packages()? {
        for file in sources(&package.folder)? {
            let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
            let found = scan::scan(&text);
            let shown = shown(&file);
            problems.extend(found.problems.iter().map(|(line, reason)| format!("{shown}:{line}: {reason}")));
            for test in found.tests.iter().filter(|test| !test.cites.is_empty()) {
                let names = names(&package.homes(&file), &test.path);
                let ran = passed.and_then(|passed| names.iter().find(|name| passed.contains(*name)));
                if ran.is_none() && passed.is_some() {
                    problems.push(format!("{shown}:{}: {} did not run", test.cites[0].line, test.path));
                }
                for cite in &test.cites {
                    let place = format!("{shown}:{}", cite.line);
                    if !known.contains(cite.id.as_str()) {
                        problems.push(format!("{place}: there is no requirement {}", cite.id));
                    } else if let Some(name) = ran {
                        proofs.entry(cite.id.clone()).or_default().push(Proof { test: name.clone(), place });
                    }
                }
            }
        }
    }
    Ok(proofs)
}

/// What the record may call a test.
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

fn shown(file: &Path) -> String {
    file.strip_prefix(shell::root()).unwrap_or(file).to_string_lossy().replace('\\', "/")
}
