//! The record of the tests that passed in the last run: one line each, the binary and the test's
//! path in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::shell::{self, Done};
use crate::workspace;

/// The tests that passed: `annals-graph::walks deep::a_test`.
pub type Passed = BTreeSet<String>;

/// Where the record lies.
pub fn file() -> PathBuf {
    shell::target().join("tests-passed.txt")
}

/// Where the record of the browser tests lies, which run apart from the others.
pub fn page_file() -> PathBuf {
    shell::target().join("page-passed.txt")
}

/// The record of the last run, if there is one.
pub fn read() -> Option<Passed> {
    read_from(&file())
}

/// The record of the last run of the browser tests, if there is one.
pub fn read_page() -> Option<Passed> {
    read_from(&page_file())
}

fn read_from(file: &Path) -> Option<Passed> {
    Some(
        fs::read_to_string(file)
            .ok()?
            .lines()
            .map(str::to_owned)
            .collect(),
    )
}

/// Whether a source was changed after a record was written, so that what ran may have been another
/// test.
pub fn before(record: &Path, source: &Path) -> bool {
    let changed = |file: &Path| file.metadata().and_then(|data| data.modified()).ok();
    changed(record) < changed(source)
}

fn write(passed: &Passed) -> Done {
    let lines: String = passed.iter().map(|test| format!("{test}\n")).collect();
    fs::write(file(), lines).map_err(|e| format!("cannot write {}: {e}", file().display()))
}

/// Runs nextest with `args` and records what passed, whether or not all did.
pub fn nextest(mut tests: Command, args: &[String]) -> Done {
    // Reports of an earlier run must not stand for one that did not come to its end.
    let report = shell::target().join("tests.xml");
    let _ = fs::remove_file(&report);
    let _ = fs::remove_file(file());
    // Given by its full path, the report lies with what was built and not with nextest's own files.
    let settings = shell::target().join("nextest.toml");
    let text = format!(
        "[profile.default.junit]\npath = '{}'\n",
        absolute(&report)?.display()
    );
    fs::write(&settings, text).map_err(|e| format!("cannot write {}: {e}", settings.display()))?;
    let settings = format!("xtask:{}", absolute(&settings)?.display());
    crate::witness::call(&mut tests)?;
    let done = shell::run(tests.arg("--tool-config-file").arg(settings).args(args));
    if let Ok(text) = fs::read_to_string(&report) {
        write(&junit(&text))?;
    }
    done
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|e| format!("cannot name {}: {e}", path.display()))
}

/// The cases of nextest's JUnit report without a failure.
fn junit(report: &str) -> Passed {
    let cases = report.split("<testcase ").skip(1);
    cases
        .filter_map(|case| {
            let (head, body) = case.split_once('>')?;
            let body = if head.ends_with('/') {
                ""
            } else {
                body.split("</testcase>").next()?
            };
            let failed = ["<failure", "<error", "<skipped"]
                .iter()
                .any(|mark| body.contains(mark));
            let value = |key: &str| Some(head.split_once(key)?.1.split('"').next()?.to_owned());
            let named = format!("{} {}", value("classname=\"")?, value("name=\"")?);
            (!failed).then_some(named)
        })
        .collect()
}

/// Runs cargo's own test runner with `args` and its output on the terminal, and records what
/// passed.
pub fn libtest(mut tests: Command, args: &[String]) -> Done {
    let _ = fs::remove_file(file());
    let binaries = built(tests.args(args))?;
    let failed = |e| format!("cannot run the tests: {e}");
    // Both streams in one pipe: cargo names a binary on the one, the binary its tests on the other.
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    tests
        .env("CARGO_TERM_COLOR", "never")
        .stdout(writer.try_clone().map_err(failed)?)
        .stderr(writer);
    let mut child = tests.spawn().map_err(failed)?;
    // The command keeps ends of the pipe open for as long as it lives.
    drop(tests);
    let (mut lines, mut printed) = (BufReader::new(reader), Vec::new());
    let mut run = Run {
        binaries,
        binary: None,
        passed: Passed::new(),
    };
    while lines.read_until(b'\n', &mut printed).map_err(failed)? > 0 {
        std::io::stdout().write_all(&printed).map_err(failed)?;
        run.line(String::from_utf8_lossy(&printed).trim());
        printed.clear();
    }
    write(&run.passed)?;
    let status = child.wait().map_err(failed)?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the tests failed ({status})"))
    }
}

/// The test binaries that a test command builds: what nextest calls each, by its file name.
fn built(tests: &Command) -> Result<BTreeMap<String, String>, String> {
    let args: Vec<_> = tests.get_args().collect();
    let before = args
        .iter()
        .position(|arg| *arg == "--")
        .unwrap_or(args.len());
    let mut build = shell::cargo([]);
    build
        .args(&args[..before])
        .args(["--no-run", "--message-format", "json-render-diagnostics"]);
    let printed = shell::capture(build.stderr(Stdio::inherit()))?;
    let packages = workspace::packages()?;
    let artifacts = printed
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let named = artifacts.filter_map(|artifact| {
        let executable = PathBuf::from(artifact["executable"].as_str()?);
        let root = PathBuf::from(artifact["target"]["src_path"].as_str()?);
        let package = packages
            .iter()
            .find(|package| root.starts_with(&package.folder))?;
        let binary = package.homes(&root).first()?.0.to_owned();
        Some((
            executable.file_name()?.to_string_lossy().into_owned(),
            binary,
        ))
    });
    Ok(named.collect())
}

/// What the lines of a run by cargo's own runner have said so far.
struct Run {
    binaries: BTreeMap<String, String>,
    binary: Option<String>,
    passed: Passed,
}

impl Run {
    fn line(&mut self, line: &str) {
        if let Some((_, path)) = line
            .strip_prefix("Running ")
            .and_then(|rest| rest.strip_suffix(')')?.rsplit_once('('))
        {
            let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
            self.binary = self.binaries.get(name).cloned();
        } else if let Some(test) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix(" ... ok"))
            && let Some(binary) = &self.binary
        {
            let test = test.strip_suffix(" - should panic").unwrap_or(test);
            self.passed.insert(format!("{binary} {test}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_junit_report_names_what_passed() {
        let report = r#"<testsuites name="nextest-run" tests="3">
    <testsuite name="annals-graph::walks" tests="3">
        <testcase name="a_walk" classname="annals-graph::walks" time="0.1">
        </testcase>
        <testcase name="short" classname="annals-graph::walks" time="0.1"/>
        <testcase name="deep::broken" classname="annals-graph::walks" time="0.1">
            <failure type="test failure">said no</failure>
        </testcase>
    </testsuite>
    <testsuite name="annals"><testcase name="unit" classname="annals" time="0.1"></testcase></testsuite>
</testsuites>"#;
        let passed: Vec<_> = junit(report).into_iter().collect();
        assert_eq!(
            passed,
            [
                "annals unit",
                "annals-graph::walks a_walk",
                "annals-graph::walks short"
            ]
        );
    }

    #[test]
    fn the_lines_of_a_run_name_what_passed() {
        let binaries = [
            ("walks-1f", "annals-graph::walks"),
            ("annals-2e.exe", "annals"),
        ];
        let binaries = binaries
            .map(|(file, binary)| (file.to_owned(), binary.to_owned()))
            .into();
        let mut run = Run {
            binaries,
            binary: None,
            passed: Passed::new(),
        };
        let printed = [
            "Running tests/walks.rs (target/debug/deps/walks-1f)",
            "running 3 tests",
            "test deep::a_walk ... ok",
            "test broken ... FAILED",
            "test later ... ignored",
            r"Running unittests src\lib.rs (target\debug\deps\annals-2e.exe)",
            "test refuses - should panic ... ok",
            "Running tests/other.rs (target/debug/deps/other-3d)",
            "test nobody ... ok",
        ];
        printed.iter().for_each(|line| run.line(line));
        let passed: Vec<_> = run.passed.into_iter().collect();
        assert_eq!(
            passed,
            ["annals refuses", "annals-graph::walks deep::a_walk"]
        );
    }
}
