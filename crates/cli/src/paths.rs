//! Paths that mean the same in whatever folder a process works.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::world::World;

/// Variables that hold a path, which an owner reads.
const ONE: [&str; 12] = [
    "ANNALS_MIRRORS",
    "ANNALS_MODELS",
    "ANNALS_ONNXRUNTIME",
    "ANNALS_TOKENIZER",
    "ANNALS_LLM_RECORD",
    "ORT_DYLIB_PATH",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
];

/// Variables that hold several folders, in which programs and libraries are looked for.
const SEVERAL: [&str; 3] = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/// A path from the root; as it is, where the working directory is gone.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether a word is a path and no name: it begins at the root or with a dot.
pub(crate) fn is_path(word: &str) -> bool {
    use std::path::Component;
    let first = Path::new(word).components().next();
    matches!(
        first,
        Some(Component::RootDir | Component::Prefix(_) | Component::CurDir | Component::ParentDir)
    )
}

/// A folder as a setting names it: `~/` is the home folder, and stays.
pub(crate) fn absolute_setting(setting: &str) -> String {
    if setting.starts_with("~/") {
        return setting.to_owned();
    }
    absolute(Path::new(setting)).to_string_lossy().into_owned()
}

/// The variables that would mean something else in another folder, with what they mean here.
/// Folders of a list are left out where they are relative: what lies in the working directory is
/// nobody's to be run.
pub(crate) fn variables(world: &World<'_>) -> Vec<(&'static str, OsString)> {
    let mut variables = Vec::new();
    for name in ONE {
        let Some(value) = world.var_os(name) else {
            continue;
        };
        let path = Path::new(value);
        if path.is_relative() && !path.starts_with("~") {
            variables.push((name, absolute(path).into_os_string()));
        }
    }
    for name in SEVERAL {
        let Some(value) = world.var_os(name) else {
            continue;
        };
        let (kept, left): (Vec<PathBuf>, Vec<PathBuf>) =
            std::env::split_paths(value).partition(|path| path.is_absolute());
        if left.is_empty() {
            continue;
        }
        if let Ok(kept) = std::env::join_paths(kept) {
            variables.push((name, kept));
        }
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_mean_something_else_elsewhere_is_told_as_it_is_meant_here() {
        let (mut input, mut out, mut err) = (std::io::empty(), Vec::new(), Vec::new());
        let mut world = World::new(&mut input, &mut out, &mut err);
        let root = if cfg!(windows) { r"C:\a" } else { "/a" };
        let path = std::env::join_paths(["", "bin", root]).unwrap();
        world.env = [
            ("ANNALS_MIRRORS", OsString::from("mem/{name}")),
            ("ANNALS_ONNXRUNTIME", root.into()),
            ("ANNALS_TOKENIZER", "~/tokenizer.json".into()),
            ("PATH", path),
            ("LD_LIBRARY_PATH", root.into()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let told = variables(&world);
        let here = std::env::current_dir()
            .unwrap()
            .join("mem")
            .join("{name}")
            .into_os_string();
        assert_eq!(told, [("ANNALS_MIRRORS", here), ("PATH", root.into())]);
    }
}
