use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use ort::environment::Environment;
use ort::logging::LogLevel;

use super::places::{Place, Surroundings};

/// The first version of ONNX Runtime that has everything that is used here.
const OLDEST: &str = "1.17";

/// How one candidate fared.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It is the one in use.
    Loaded,
    /// It could not be loaded, for the reason given.
    Failed(String),
}

/// One candidate for the ONNX Runtime library.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempt {
    /// Why it was a candidate.
    pub place: Place,
    /// The path, or a bare file name for the system's loader.
    pub path: PathBuf,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The attempts to find ONNX Runtime, and their outcomes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuntimeReport {
    /// The candidates in the order tried; those after the loaded one were not looked at.
    pub attempts: Vec<Attempt>,
    /// The version of the loaded library, e.g. `1.31.1`, or what it says about itself.
    pub version: Option<String>,
}

impl RuntimeReport {
    /// The library in use.
    #[must_use]
    pub fn loaded(&self) -> Option<&Attempt> {
        self.attempts
            .iter()
            .find(|attempt| attempt.outcome == Outcome::Loaded)
    }
}

/// No usable ONNX Runtime library.
#[derive(Debug, Clone, thiserror::Error)]
#[error("ONNX Runtime is not available: {}; {}", self.reason(), self.advice())]
pub struct RuntimeError {
    attempts: Vec<Attempt>,
}

impl RuntimeError {
    /// Every candidate and why it failed.
    #[must_use]
    pub fn attempts(&self) -> &[Attempt] {
        &self.attempts
    }

    /// The attempts and why they failed, in one line.
    #[must_use]
    pub fn reason(&self) -> String {
        let mut text = String::new();
        for Attempt {
            place,
            path,
            outcome,
        } in &self.attempts
        {
            let separator = if text.is_empty() { "tried " } else { ", " };
            let _ = write!(
                text,
                "{separator}{} in {}",
                path.display(),
                place.describe()
            );
            if let (Outcome::Failed(reason), true) = (outcome, *place != Place::Loader) {
                let _ = write!(text, " ({reason})");
            }
        }
        if text.is_empty() {
            "nothing to try".to_owned()
        } else {
            text
        }
    }

    /// Advice for the user.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        if self
            .attempts
            .iter()
            .any(|attempt| attempt.place.is_explicit())
        {
            "correct the path, or leave it away to search the usual places"
        } else {
            "install it (`pip install onnxruntime` is enough), or set ORT_DYLIB_PATH to the library (1.17 or newer)"
        }
    }
}

struct Loaded {
    environment: Environment,
    place: Place,
    path: PathBuf,
}

/// A process has one ONNX Runtime; the first caller decides which.
static LOADED: OnceLock<Loaded> = OnceLock::new();
static LOADING: Mutex<()> = Mutex::new(());

/// Loads ONNX Runtime if this process has not, and tells what was tried.
///
/// `setting` names the library (or the folder it is in); without it the search goes through
/// `ORT_DYLIB_PATH`, the program's folder, the system's loader and Python's onnxruntime. A path
/// that was named explicitly is never replaced by another place. Once a library is loaded it stays,
/// whatever `setting` later says.
#[must_use]
pub fn find_runtime(setting: Option<&Path>) -> RuntimeReport {
    let (attempts, version) = match load(setting) {
        Ok((loaded, failed)) => {
            let mut attempts = failed;
            attempts.push(Attempt {
                place: loaded.place,
                path: loaded.path.clone(),
                outcome: Outcome::Loaded,
            });
            (attempts, Some(version(&loaded.path)))
        }
        Err(error) => (error.attempts, None),
    };
    RuntimeReport { attempts, version }
}

pub(super) fn environment(setting: Option<&Path>) -> Result<Environment, RuntimeError> {
    load(setting).map(|(loaded, _)| loaded.environment.clone())
}

fn load(setting: Option<&Path>) -> Result<(&'static Loaded, Vec<Attempt>), RuntimeError> {
    let _guard = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = LOADED.get() {
        return Ok((loaded, Vec::new()));
    }
    let mut attempts = Vec::new();
    for (place, path) in Surroundings::real().candidates(setting) {
        match try_library(place, &path) {
            Ok(environment) => {
                return Ok((
                    LOADED.get_or_init(|| Loaded {
                        environment,
                        place,
                        path,
                    }),
                    attempts,
                ));
            }
            Err(reason) => attempts.push(Attempt {
                place,
                path,
                outcome: Outcome::Failed(reason),
            }),
        }
    }
    Err(RuntimeError { attempts })
}

fn try_library(place: Place, path: &Path) -> Result<Environment, String> {
    if place != Place::Loader && !path.is_file() {
        return Err("no such file".to_owned());
    }
    // The loader would take a relative path from the program's folder.
    let absolute = if place == Place::Loader {
        None
    } else {
        std::path::absolute(path).ok()
    };
    let builder =
        ort::init_from(absolute.as_deref().unwrap_or(path)).map_err(|error| match error {
            ort::LoadDynamicError::BadVersion { version_str, .. } => {
                format!("it is version {version_str}, and {OLDEST} is the oldest that works")
            }
            ort::LoadDynamicError::MissingApi { .. } => "it is not ONNX Runtime".to_owned(),
            ort::LoadDynamicError::Dlopen { error, .. } => with_causes(&error),
            other => other.to_string(),
        })?;
    // Nothing is ever reported to anyone.
    let environment = builder
        .with_name("annals")
        .with_telemetry(false)
        .build()
        .map_err(|error| error.to_string())?;
    environment.set_log_level(LogLevel::Fatal);
    Ok(environment)
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let _ = write!(text, ": {cause}");
        next = cause.source();
    }
    text
}

/// The version that the library says it was built from, else that in its file name.
fn version(path: &Path) -> String {
    let info = ort::info();
    let from_info = info
        .split("git-branch=rel-")
        .nth(1)
        .and_then(|rest| rest.split([',', ' ']).next());
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let from_name = name.split(".so.").nth(1).map(str::to_owned);
    from_info
        .map(str::to_owned)
        .or(from_name)
        .unwrap_or_else(|| info.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use annals_types::EmbedError;

    use super::{Attempt, Outcome, Place, RuntimeError};
    use crate::embed::folder::ModelError;

    fn error(place: Place, path: &str, reason: &str) -> RuntimeError {
        let outcome = Outcome::Failed(reason.to_owned());
        RuntimeError {
            attempts: vec![Attempt {
                place,
                path: PathBuf::from(path),
                outcome,
            }],
        }
    }

    #[test]
    fn absence_is_told_with_what_was_tried_and_what_to_do() {
        let absent = error(Place::Loader, "libonnxruntime.so", "dlopen failed").to_string();
        assert!(
            absent.contains("libonnxruntime.so") && absent.contains("pip install onnxruntime"),
            "{absent}"
        );
        let wrong = error(Place::Variable, "/opt/ort.so", "it is not ONNX Runtime");
        let text = wrong.to_string();
        assert!(
            text.contains("/opt/ort.so in the variable ORT_DYLIB_PATH (it is not ONNX Runtime)"),
            "{text}"
        );
        assert!(text.contains("correct the path"), "{text}");
        let EmbedError::Unavailable { advice, .. } = EmbedError::from(ModelError::from(wrong))
        else {
            panic!("another kind")
        };
        assert!(advice.contains("correct the path"), "{advice}");
    }
}
