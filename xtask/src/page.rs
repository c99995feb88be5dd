//! The page of the server under a browser, by the tests in crates/server/page-tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::clients::{self, fetch};
use crate::shell::{self, Done, root, target};
use crate::{passed, witness};

/// What drives the browser, and what looks for faults of accessibility.
const PLAYWRIGHT: &str = "playwright==1.65.2";
const AXE: &str = "axe-core@4.14.1";
/// The names under which systems have a browser that Playwright drives.
const BROWSERS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Runs the tests of the page that contain one of `args`, or all, and records what passed. Without
/// a browser it fails: tests that nobody ran prove nothing.
pub fn run(args: &[String]) -> Done {
    let _ = fs::remove_file(passed::page_file());
    // The tests add to it: what an earlier run wrote would stand for tests that are gone or
    // changed.
    let _ = fs::remove_file(witness::page_file());
    let browser = browser()?;
    let place = target().join("page");
    fs::create_dir_all(&place).map_err(|e| format!("cannot make {}: {e}", place.display()))?;
    let python = fetch::python_with(&place.join("python"), PLAYWRIGHT)?;
    let axe = fetch::npm_packages(&place.join("npm"), AXE)?.join("axe-core/axe.min.js");
    let annals = clients::program()?;
    let mut tests = Command::new(python);
    tests
        .arg(root().join("crates/server/page-tests/run.py"))
        .args(args);
    tests
        .env("ANNALS", absolute(&annals)?)
        .env("CHROMIUM", browser)
        .env("AXE", absolute(&axe)?);
    tests.env("PASSED", absolute(&passed::page_file())?);
    tests
        .env("WITNESS", absolute(&witness::page_file())?)
        .env("PYTHONUTF8", "1");
    shell::run(&mut tests)
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    std::path::absolute(path).map_err(|e| format!("cannot name {}: {e}", path.display()))
}

/// The browser: that of the variable, or the first one of the system.
fn browser() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Ok(named.into());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let places =
        std::env::split_paths(&folders).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    places
        .into_iter()
        .find(|place| place.is_file())
        .ok_or_else(|| {
            "no Chromium: `apt-get install chromium`, or name one in CHROMIUM".to_owned()
        })
}
