//! `annals mcp` under clients that others wrote: the Python client of the protocol and the command
//! line of its inspector, each over standard input and output and over HTTP. Then mem0's own client
//! against `annals serve --compat mem0`, schemathesis against the description of the routes, the
//! examples, the TypeScript client under its compiler, and the npm packages.

pub mod fetch;
mod inspector;
mod server;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{self, Done, cargo, root, target};

/// Fetches both clients unless they are there, builds the program, and runs every tool, resource
/// and prompt.
pub fn run(args: &[String]) -> Done {
    if !args.is_empty() {
        return Err("usage: cargo xtask clients".to_owned());
    }
    let place = target().join("clients");
    fs::create_dir_all(&place).map_err(|e| format!("cannot make {}: {e}", place.display()))?;
    let python = fetch::python(&place)?;
    let npm = fetch::npm(&place)?;
    let annals = program()?;
    let work = clean(&place.join("work"))?;
    let script = root().join("xtask/clients/everything.py");
    shell::run(
        Command::new(python)
            .arg(script)
            .arg(&annals)
            .arg(&work)
            .env("HOME", &work)
            .env("PYTHONUTF8", "1"),
    )?;
    for (python, script) in [
        (fetch::mem0(&place)?, "mem0_client.py"),
        (fetch::schema(&place)?, "schema_client.py"),
    ] {
        let script = root().join("xtask/clients").join(script);
        shell::run(
            Command::new(python)
                .arg(script)
                .arg(&annals)
                .arg(&work)
                .env("HOME", &work),
        )?;
    }
    inspector::run(&npm, &annals, &work)?;
    types(&npm)?;
    let python = ["python3", "python"]
        .into_iter()
        .find(|name| shell::has(name, "--version"))
        .unwrap_or("python3");
    let mut examples = Command::new(python);
    examples
        .arg(root().join("examples/test.py"))
        .env("ANNALS", &annals)
        .env("NODE", &npm.node);
    shell::run(&mut examples)?;
    let mut packages = Command::new(&npm.node);
    shell::run(
        packages
            .arg("--test")
            .arg(root().join("packaging/npm/test.mjs"))
            .env("ANNALS_BINARY", &annals),
    )
}

/// Compiles the TypeScript client: its types are those of the routes, and its test says what they
/// refuse.
fn types(npm: &fetch::Npm) -> Done {
    let mut compiler = Command::new(&npm.node);
    compiler
        .arg(&npm.compiler)
        .arg("--project")
        .arg(root().join("examples/typescript"));
    shell::run(compiler.arg("--typeRoots").arg(&npm.types))
}

/// The program that tests from outside run, and that is built with them. Built by itself, or
/// without the features of tests, half of the workspace would be compiled once more.
pub fn program() -> Result<PathBuf, String> {
    let mut build = cargo([
        "test",
        "--quiet",
        "--no-run",
        "--workspace",
        "--all-features",
        "--test",
        "it",
    ]);
    shell::run(&mut build)?;
    Ok(target()
        .join("debug")
        .join(format!("annals{}", std::env::consts::EXE_SUFFIX)))
}

/// An empty folder.
fn clean(folder: &Path) -> Result<PathBuf, String> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|e| format!("cannot empty {}: {e}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    Ok(folder.to_owned())
}
