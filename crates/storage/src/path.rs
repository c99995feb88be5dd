//! Paths of files that belong to another one.

use std::path::{Path, PathBuf};

/// The path of a file beside another one: its name with `suffix` behind it.
#[must_use]
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}
