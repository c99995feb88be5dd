//! The clients, in folders of their own below target/clients.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{capture, has};

/// The Python client of the protocol.
const PYTHON_CLIENT: &str = "mcp==2.3.0";
/// The Python client of mem0.
const MEM0_CLIENT: &str = "mem0ai==2.2.1";
/// What sends requests by the description of the routes.
const SCHEMA_CLIENT: &str = "schemathesis==4.32.5";
/// The inspector, and the Node.js that it needs, where the system has an older one.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const NODE: &str = "node@24";
/// The compiler of TypeScript, and what it must know of Node.js.
const COMPILER: &str = "typescript@7.0.2 @types/node@24.19.4";
/// The oldest Node.js that runs the inspector.
const OLDEST_NODE: (u32, u32) = (22, 19);

/// What comes from npm.
pub struct Npm {
    /// Runs the scripts.
    pub node: PathBuf,
    /// The script of the inspector.
    pub inspector: PathBuf,
    /// The script of the compiler.
    pub compiler: PathBuf,
    /// The folder with the types of Node.js.
    pub types: PathBuf,
}

/// A Python that has the client of the protocol.
pub fn python(place: &Path) -> Result<PathBuf, String> {
    python_with(&place.join("python"), PYTHON_CLIENT)
}

/// A Python that has the client of mem0.
pub fn mem0(place: &Path) -> Result<PathBuf, String> {
    python_with(&place.join("mem0"), MEM0_CLIENT)
}

/// A Python that has what sends requests by a description.
pub fn schema(place: &Path) -> Result<PathBuf, String> {
    python_with(&place.join("schema"), SCHEMA_CLIENT)
}

/// A Python in a folder of its own that has a package of PyPI.
pub fn python_with(folder: &Path, package: &str) -> Result<PathBuf, String> {
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = programs.join(format!("python{}", std::env::consts::EXE_SUFFIX));
    if noted(folder) == package {
        return Ok(python);
    }
    let system = ["python3", "python", "py"]
        .into_iter()
        .find(|name| has(name, "--version"));
    let system = system.ok_or_else(|| format!("no python3: install it, {package} needs it"))?;
    println!("fetching {package}");
    capture(
        Command::new(system)
            .args(["-m", "venv", "--clear"])
            .arg(folder),
    )?;
    capture(Command::new(&python).args(["-m", "pip", "install", "--quiet", package]))?;
    note(folder, package)?;
    Ok(python)
}

/// The inspector and the compiler.
pub fn npm(place: &Path) -> Result<Npm, String> {
    let folder = place.join("npm");
    let own_node = !runs_it();
    let mut wanted = format!("{INSPECTOR} {COMPILER}");
    if own_node {
        wanted = format!("{wanted} {NODE}");
    }
    let modules = npm_packages(&folder, &wanted)?;
    let node = if own_node {
        modules.join(".bin").join("node")
    } else {
        PathBuf::from("node")
    };
    let inspector = modules.join("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let compiler = modules.join("typescript/bin/tsc");
    Ok(Npm {
        node,
        inspector,
        compiler,
        types: modules.join("@types"),
    })
}

/// Packages of npm in a folder of their own: where its modules are.
pub fn npm_packages(folder: &Path, wanted: &str) -> Result<PathBuf, String> {
    if noted(folder) != wanted {
        let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
        if !has(npm, "--version") {
            return Err(format!(
                "no npm: install Node.js, {wanted} comes from there"
            ));
        }
        fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
        fs::write(folder.join("package.json"), "{ \"private\": true }\n")
            .map_err(|e| format!("cannot write into {}: {e}", folder.display()))?;
        println!("fetching {wanted}");
        let mut install = Command::new(npm);
        install
            .current_dir(folder)
            .args(["install", "--silent", "--no-fund", "--no-audit"]);
        capture(install.args(wanted.split(' ')))?;
        note(folder, wanted)?;
    }
    Ok(folder.join("node_modules"))
}

/// Whether the Node.js of the system is new enough.
fn runs_it() -> bool {
    let Ok(version) = capture(Command::new("node").arg("--version")) else {
        return false;
    };
    let mut parts = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= OLDEST_NODE
}

/// The packages that were fetched into a folder, once all of them were.
fn noted(folder: &Path) -> String {
    fs::read_to_string(folder.join("fetched"))
        .unwrap_or_default()
        .trim()
        .to_owned()
}

fn note(folder: &Path, what: &str) -> Result<(), String> {
    fs::write(folder.join("fetched"), what)
        .map_err(|e| format!("cannot write into {}: {e}", folder.display()))
}
