use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The variable in which programs that use ONNX Runtime are told where it is.
pub(super) const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Where an ONNX Runtime library was looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The setting of the caller.
    Setting,
    /// The environment variable `ORT_DYLIB_PATH`.
    Variable,
    /// The folder of the running program, or `lib` beside it.
    Program,
    /// The places that the system's loader knows.
    Loader,
    /// The Python package onnxruntime.
    Python,
}

impl Place {
    /// A few words for a person.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Setting => "the setting",
            Self::Variable => "the variable ORT_DYLIB_PATH",
            Self::Program => "beside the program",
            Self::Loader => "where the system looks for libraries",
            Self::Python => "the Python package onnxruntime",
        }
    }

    /// Whether a person pointed at it, so that looking elsewhere would hide a mistake.
    pub(super) fn is_explicit(self) -> bool {
        matches!(self, Self::Setting | Self::Variable)
    }
}

/// The facts about the process and the machine that the search uses.
pub(super) struct Surroundings<'a> {
    pub(super) variable: &'a dyn Fn(&str) -> Option<OsString>,
    pub(super) program: Option<PathBuf>,
    /// Folders of Python installations that are there for everyone.
    pub(super) system: &'a [&'a str],
}

const SYSTEM: [&str; 4] = ["/usr/local", "/usr", "/opt/homebrew", "/opt/conda"];

impl Surroundings<'_> {
    pub(super) fn real() -> Surroundings<'static> {
        Surroundings {
            variable: &|name| std::env::var_os(name).filter(|value| !value.is_empty()),
            program: std::env::current_exe().ok(),
            system: &SYSTEM,
        }
    }

    /// The candidates in the order in which they are tried. A place that a person named is the only
    /// one.
    pub(super) fn candidates(&self, setting: Option<&Path>) -> Vec<(Place, PathBuf)> {
        if let Some(path) = setting {
            return vec![(Place::Setting, library_in(path))];
        }
        if let Some(path) = (self.variable)(VARIABLE) {
            return vec![(Place::Variable, library_in(Path::new(&path)))];
        }
        let mut candidates = Vec::new();
        if let Some(folder) = self.program.as_deref().and_then(Path::parent) {
            for folder in [folder.to_path_buf(), folder.join("lib")] {
                candidates.extend(libraries(&folder).map(|path| (Place::Program, path)));
            }
        }
        candidates.extend(loader_names().map(|name| (Place::Loader, PathBuf::from(name))));
        candidates.extend(self.python().into_iter().map(|path| (Place::Python, path)));
        candidates
    }

    fn python(&self) -> Vec<PathBuf> {
        let mut roots: Vec<PathBuf> = Vec::new();
        for name in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
            roots.extend(
                (self.variable)(name)
                    .map(PathBuf::from)
                    .filter(|root| root.is_absolute()),
            );
        }
        let path = (self.variable)("PATH").unwrap_or_default();
        // What lies in the working directory, which an empty or relative folder means, may be
        // anybody's.
        for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute()) {
            if ["python3", "python", "python.exe", "python3.exe"]
                .iter()
                .any(|name| folder.join(name).is_file())
            {
                // bin/python3 belongs to the folder above; on Windows python.exe lies in the folder
                // itself.
                roots.extend(folder.parent().map(Path::to_path_buf));
                roots.push(folder);
            }
        }
        if let Some(home) = (self.variable)("HOME")
            .or_else(|| (self.variable)("USERPROFILE"))
            .map(PathBuf::from)
            .filter(|home| home.is_absolute())
        {
            roots.push(home.join(".local"));
            roots.extend(newest_first(&home.join(".pyenv").join("versions")));
        }
        roots.extend(self.system.iter().map(PathBuf::from));
        let mut found: Vec<PathBuf> = Vec::new();
        for folder in roots.iter().flat_map(|root| package_folders(root)) {
            for library in libraries(&folder.join("onnxruntime").join("capi")) {
                if !found.contains(&library) {
                    found.push(library);
                }
            }
        }
        found
    }
}

/// The folders with Python packages below an installation.
fn package_folders(root: &Path) -> Vec<PathBuf> {
    let mut folders = vec![root.join("Lib").join("site-packages")];
    for lib in ["lib", "lib64"] {
        for version in newest_first(&root.join(lib)) {
            if version
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("python3"))
            {
                folders.push(version.join("site-packages"));
                folders.push(version.join("dist-packages"));
            }
        }
    }
    folders.retain(|folder| folder.is_dir());
    folders
}

/// The entries of a folder, `python3.12` before `python3.9`.
fn newest_first(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort_by_key(|path| std::cmp::Reverse(numbers(path)));
    entries
}

fn numbers(path: &Path) -> Vec<u32> {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|part| part.parse().ok())
        .collect()
}

fn loader_names() -> impl Iterator<Item = &'static str> {
    let names: &[&str] = if cfg!(windows) {
        &["onnxruntime.dll"]
    } else if cfg!(target_os = "macos") {
        &[
            "libonnxruntime.dylib",
            "/opt/homebrew/lib/libonnxruntime.dylib",
            "/usr/local/lib/libonnxruntime.dylib",
        ]
    } else {
        &["libonnxruntime.so", "libonnxruntime.so.1"]
    };
    names.iter().copied()
}

/// A folder that was given stands for the library in it.
fn library_in(path: &Path) -> PathBuf {
    libraries(path).next().unwrap_or_else(|| path.to_path_buf())
}

/// The ONNX Runtime libraries in a folder, the newest first.
fn libraries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    newest_first(folder)
        .into_iter()
        .filter(|path| is_library(path) && path.is_file())
}

/// `libonnxruntime.so`, `libonnxruntime.so.1.31.1`, `libonnxruntime.1.31.1.dylib`,
/// `onnxruntime.dll`, and not `libonnxruntime_providers_shared.so`.
fn is_library(path: &Path) -> bool {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let versioned = |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || c == '.');
    if cfg!(windows) {
        name.eq_ignore_ascii_case("onnxruntime.dll")
    } else if cfg!(target_os = "macos") {
        let rest = name
            .strip_prefix("libonnxruntime")
            .and_then(|rest| rest.strip_suffix(".dylib"));
        rest.is_some_and(versioned)
    } else {
        name.strip_prefix("libonnxruntime.so")
            .is_some_and(versioned)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{Place, Surroundings, is_library};

    fn library() -> &'static str {
        if cfg!(windows) {
            "onnxruntime.dll"
        } else if cfg!(target_os = "macos") {
            "libonnxruntime.1.31.1.dylib"
        } else {
            "libonnxruntime.so.1.31.1"
        }
    }

    fn put(folder: &Path) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        let path = folder.join(library());
        fs::write(&path, "").unwrap();
        path
    }

    fn search(
        variables: &[(&str, &Path)],
        program: Option<PathBuf>,
        setting: Option<&Path>,
    ) -> Vec<(Place, PathBuf)> {
        let map: BTreeMap<&str, OsString> = variables
            .iter()
            .map(|(k, v)| (*k, v.as_os_str().to_owned()))
            .collect();
        let variable = |name: &str| map.get(name).cloned();
        Surroundings {
            variable: &variable,
            program,
            system: &[],
        }
        .candidates(setting)
    }

    #[test]
    fn what_a_person_named_is_the_only_place() {
        let dir = tempfile::tempdir().unwrap();
        let named = Path::new("/some/library");
        assert_eq!(
            search(&[("ORT_DYLIB_PATH", dir.path())], None, Some(named)),
            [(Place::Setting, named.into())]
        );
        assert_eq!(
            search(&[("ORT_DYLIB_PATH", named)], None, None),
            [(Place::Variable, named.into())]
        );
        let inside = put(dir.path());
        assert_eq!(
            search(&[("ORT_DYLIB_PATH", dir.path())], None, None),
            [(Place::Variable, inside)]
        );
    }

    #[test]
    fn the_places_come_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("app/annals");
        let beside = put(program.parent().unwrap());
        let below = put(&dir.path().join("app/lib"));
        let venv = dir.path().join("venv");
        let home = dir.path().join("home");
        let packages = |root: &Path, version: &str| {
            let capi = "site-packages/onnxruntime/capi";
            put(&if cfg!(windows) {
                root.join("Lib").join(capi)
            } else {
                root.join("lib").join(version).join(capi)
            })
        };
        let in_venv = packages(&venv, "python3.12");
        let old = packages(&home.join(".pyenv/versions/3.9.1"), "python3.9");
        let new = packages(&home.join(".pyenv/versions/3.11.7"), "python3.11");
        let variables = [("VIRTUAL_ENV", venv.as_path()), ("HOME", home.as_path())];
        let found = search(&variables, Some(program), None);
        let paths = |place| -> Vec<PathBuf> {
            found
                .iter()
                .filter(|(p, _)| *p == place)
                .map(|(_, path)| path.clone())
                .collect()
        };
        assert_eq!(paths(Place::Program), [beside, below]);
        assert_eq!(paths(Place::Python), [in_venv, new, old]);
        assert!(!paths(Place::Loader).is_empty());
        assert!(found.is_sorted_by_key(|(place, _)| *place as u8));
    }

    #[test]
    fn nothing_is_looked_for_in_the_working_directory() {
        let dir = tempfile::tempdir_in(".").unwrap();
        let here = Path::new(dir.path().file_name().unwrap()).to_owned();
        let (bin, packages) = (
            here.join("bin"),
            here.join("lib/python3.12/site-packages/onnxruntime/capi"),
        );
        fs::create_dir_all(&bin).unwrap();
        fs::write(
            bin.join(if cfg!(windows) {
                "python.exe"
            } else {
                "python3"
            }),
            "",
        )
        .unwrap();
        put(&packages);
        let python = |variables: &[(&str, &Path)]| {
            search(variables, None, None)
                .iter()
                .filter(|(place, _)| *place == Place::Python)
                .count()
        };
        assert_eq!(python(&[("PATH", &bin)]), 0);
        assert_eq!(
            python(&[
                ("VIRTUAL_ENV", &here),
                ("CONDA_PREFIX", &here),
                ("HOME", &here)
            ]),
            0
        );
        let whole = dir.path().canonicalize().unwrap();
        assert_eq!(python(&[("VIRTUAL_ENV", &whole)]), usize::from(cfg!(unix)));
    }

    #[test]
    fn other_libraries_of_the_package_are_passed_over() {
        assert!(is_library(Path::new(library())));
        for other in [
            "libonnxruntime_providers_shared.so",
            "onnxruntime_providers_shared.dll",
            "libonnx.so",
        ] {
            assert!(!is_library(Path::new(other)), "{other}");
        }
    }
}
