//! The records that files of memories leave when a test closes them: under which profiles it
//! worked, and with which embedder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::shell::{self, Done};

/// A profile that a test worked under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The name of one that comes with annals, or `own`.
    pub profile: String,
    /// Whether vectors came from the embedder that comes with annals.
    pub shipped: bool,
}

/// What each test worked under, by the name that the record of passed tests has for it.
pub type Witnesses = BTreeMap<String, BTreeSet<Seen>>;

/// Their folder.
pub fn folder() -> PathBuf {
    shell::target().join("witness")
}

/// Where the browser tests leave theirs. They run apart from the others: a run of those must not
/// take away what belongs to the record of passed browser tests, which it keeps.
pub fn page_file() -> PathBuf {
    shell::target().join("page-witness.txt")
}

/// Lets a run of tests leave records; those of an earlier run go.
pub fn call(tests: &mut Command) -> Done {
    let folder = folder();
    let failed = |e| format!("cannot empty {}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    let path = std::path::absolute(&folder).map_err(failed)?;
    tests.env("ANNALS_WITNESS", path);
    Ok(())
}

/// The records of the last run, and of the last one of the browser tests.
pub fn read() -> Result<Witnesses, String> {
    let (folder, mut witnesses) = (folder(), Witnesses::new());
    let mut paths: Vec<PathBuf> = Some(page_file())
        .filter(|file| file.is_file())
        .into_iter()
        .collect();
    if let Ok(files) = fs::read_dir(&folder) {
        for file in files {
            paths.push(
                file.map_err(|e| format!("cannot list {}: {e}", folder.display()))?
                    .path(),
            );
        }
    }
    for path in paths {
        let text = fs::read_to_string(&path)
            .map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        for line in text.lines() {
            let (test, seen) = line_of(line)
                .ok_or_else(|| format!("{}: `{line}` is no record", path.display()))?;
            witnesses.entry(test).or_default().insert(seen);
        }
    }
    Ok(witnesses)
}

fn line_of(line: &str) -> Option<(String, Seen)> {
    let [test, profile, embedder] = line.split('\t').collect::<Vec<_>>()[..] else {
        return None;
    };
    let shipped = match embedder {
        "shipped" => true,
        "other" => false,
        _ => return None,
    };
    Some((
        test.to_owned(),
        Seen {
            profile: profile.to_owned(),
            shipped,
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_three_parts() {
        let seen = Seen {
            profile: "graph".to_owned(),
            shipped: false,
        };
        assert_eq!(
            line_of("annals::graph recall::deep\tgraph\tother"),
            Some(("annals::graph recall::deep".to_owned(), seen))
        );
        assert!(
            line_of("annals::graph recall::deep\tgraph\tshipped")
                .expect("a record")
                .1
                .shipped
        );
        for broken in ["", "a\tb", "a\tb\tc", "a\tb\tshipped\td"] {
            assert_eq!(line_of(broken), None, "{broken}");
        }
    }
}
