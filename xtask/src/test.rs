//! All tests: nextest where it is installed, cargo's own runner elsewhere, then the doctests.

use crate::passed;
use crate::shell::{self, Done, cargo};

/// Runs the tests of the workspace, or of the packages that `args` name, which go to the runner.
/// With the shared folder beside the checkout, what needs it must run. Which tests passed is kept
/// for `cargo xtask specs`.
pub fn run(args: &[String]) -> Done {
    let nextest = shell::has("cargo-nextest", "--version");
    let runner: &[&str] = if nextest {
        &["nextest", "run"]
    } else {
        &["test", "--tests"]
    };
    let packages = args.iter().any(|arg| arg == "-p" || arg == "--package");
    let scope: &[&str] = if packages {
        &["--all-features"]
    } else {
        &["--workspace", "--all-features"]
    };
    let mut tests = cargo([]);
    tests.args(runner).args(scope);
    if let Some(shared) = shell::shared() {
        tests
            .env("ANNALS_SHARED", shared)
            .env("ANNALS_REQUIRE_SHARED", "1");
    }
    if let Some(library) = crate::setup::installed() {
        tests.env("ORT_DYLIB_PATH", library);
    }
    if let Some(programs) = crate::setup::postgres::installed() {
        tests
            .env("ANNALS_POSTGRES", programs)
            .env("ANNALS_REQUIRE_POSTGRES", "1");
    }
    if nextest {
        passed::nextest(tests, args)
    } else {
        passed::libtest(tests, args)
    }?;
    shell::run(cargo(["test", "--doc", "--quiet"]).args(scope).args(args))
}
