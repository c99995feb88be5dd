//! The checks of `ci` that are one command each.

use crate::shell::{self, Done, cargo};

/// The layers: each must build with only what the architecture lets it use.
const LAYERS: &[&str] = &[
    "annals-types",
    "annals-language",
    "annals-net",
    "annals-private",
    "annals-connections",
    "annals-storage",
    "annals-postgres",
    "annals-records",
    "annals-text",
    "annals-static-table",
    "annals-small-model",
    "annals-vector",
    "annals-lifecycle",
    "annals-graph",
    "annals-recall",
    "annals-extraction",
    "annals-engine",
    "annals-curation",
    "annals-files",
    "annals-transfer",
    "annals-share",
    "annals",
    "annals-clients",
];

/// Property tests run this many cases in the fuzz step, against 256 in a normal run.
const FUZZ_CASES: &str = "16384";

/// What the names of tests say that feed outside text or bytes to a reader.
const FUZZ_NAMES: [&str; 6] = [
    "fuzz",
    "hostile",
    "never_panic",
    "any_text",
    "any_bytes",
    "every_text",
];

pub fn format() -> Done {
    shell::run(&mut cargo(["fmt", "--all", "--check"]))
}

pub fn clippy() -> Done {
    shell::run(&mut cargo([
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "-D",
        "warnings",
    ]))
}

/// Each crate by itself, with its default features and with none.
pub fn alone() -> Done {
    for layer in LAYERS {
        shell::run(&mut cargo(["check", "--quiet", "--package", layer]))?;
        shell::run(&mut cargo([
            "check",
            "--quiet",
            "--package",
            layer,
            "--no-default-features",
        ]))?;
    }
    Ok(())
}

pub fn rustdoc() -> Done {
    shell::run(
        cargo([
            "doc",
            "--workspace",
            "--no-deps",
            "--all-features",
            "--quiet",
        ])
        .env("RUSTDOCFLAGS", "-D warnings"),
    )
}

/// The property tests of everything that reads outside bytes or text, with many more cases than
/// usual.
pub fn fuzz() -> Done {
    shell::run(
        cargo([
            "test",
            "--workspace",
            "--all-features",
            "--quiet",
            "--lib",
            "--tests",
            "--",
        ])
        .args(FUZZ_NAMES)
        .env("PROPTEST_CASES", FUZZ_CASES),
    )
}

/// The README's first command.
pub fn demo() -> Done {
    let mut demo = cargo([
        "run",
        "--quiet",
        "--release",
        "--package",
        "annals-cli",
        "--",
        "demo",
    ]);
    let printed = shell::capture(&mut demo)?;
    let hits = printed.lines().filter(|line| line.contains("0.")).count();
    if hits == 0 {
        Err(format!("the demo printed no hit:\n{printed}"))
    } else {
        Ok(())
    }
}

/// Licences, bans and sources. Advisories need the network and run in the hosted workflow.
pub fn deny() -> Done {
    let tools = shell::target().join("tools");
    let program = tools
        .join("bin")
        .join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    let name = program.to_string_lossy().into_owned();
    if !shell::has(&name, "--version") && !shell::has("cargo-deny", "--version") {
        println!("installing cargo-deny into {}", tools.display());
        let mut install = cargo([
            "install",
            "cargo-deny",
            "--locked",
            "--debug",
            "--quiet",
            "--root",
        ]);
        install
            .arg(&tools)
            .env("CARGO_TARGET_DIR", tools.join("build"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0");
        shell::run(&mut install)?;
        // The build folder is some hundred megabytes that nothing needs again.
        std::fs::remove_dir_all(tools.join("build"))
            .map_err(|e| format!("cannot clean {}: {e}", tools.display()))?;
    }
    let program = if shell::has(&name, "--version") {
        name
    } else {
        "cargo-deny".to_owned()
    };
    let mut deny = std::process::Command::new(program);
    shell::run(
        deny.args(["--all-features", "check", "bans", "licenses", "sources"])
            .current_dir(shell::root()),
    )
}
