//! Puts a backup in the place of a file.

use std::path::{Path, PathBuf};

use super::failure::Context;
use super::lock::LockedFile;
use crate::{Options, StorageError, beside};

/// The ending of the name under which a replaced file is kept.
const KEPT: &str = ".before-restore";

/// What became of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restored {
    /// How many values were restored.
    pub values: u64,
    /// Where the file is kept that stood there before.
    pub kept: Option<PathBuf>,
}

/// Writes what the file `from` holds into the place `to`. A file that stands there is kept under
/// another name, where it may be replaced at all. `from` is read as a whole first, and stays.
///
/// # Errors
/// When `from` is damaged, no database or in use; when there is a file at `to` that is in use or
/// may not be replaced. Then nothing is changed.
pub fn restore(
    from: &Path,
    to: &Path,
    options: &Options,
    replace: bool,
) -> Result<Restored, StorageError> {
    let context = Context::new("restore", to);
    let io = |error| context.io(error);
    let there = to.try_exists().map_err(io)?;
    // To compare files they are opened, and a pipe would be waited for.
    let is_file = |path: &Path| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    if there && is_file(from) && is_file(to) && same_file::is_same_file(from, to).map_err(io)? {
        return Err(StorageError::misuse(format!(
            "{}: it is the backup itself; name another file",
            context.what()
        )));
    }
    if there && !replace {
        return Err(StorageError::FileExists {
            path: to.to_owned(),
        });
    }
    // Held until the new file has the name, so that nobody writes into the one that goes.
    let _held = if there {
        Some(LockedFile::open(to, &options.clone().read_only(false))?)
    } else {
        None
    };
    let store = options.clone().read_only(true).foreign(true).open(from)?;
    if let Some(damage) = store.validate()?.damaged.into_iter().next() {
        return Err(damage);
    }
    let kept = if there {
        Some(put_aside(to).map_err(io)?)
    } else {
        None
    };
    let values = match store.back_up(to, there) {
        Ok(values) => values,
        Err(error) => {
            // The other name alone is given up: the file never lost its own.
            kept.iter().try_for_each(std::fs::remove_file).map_err(io)?;
            return Err(error);
        }
    };
    Ok(Restored { values, kept })
}

/// Gives a file a second name, under which it stays when the first one leads to another.
fn put_aside(path: &Path) -> std::io::Result<PathBuf> {
    let mut number = 1;
    loop {
        let kept = match number {
            1 => beside(path, KEPT),
            _ => beside(path, &format!("{KEPT}-{number}")),
        };
        match std::fs::hard_link(path, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            // A file system without links: a copy keeps it as well.
            Err(_) if !kept.try_exists()? => return std::fs::copy(path, &kept).map(|_| kept),
            Err(error) => return Err(error),
        }
    }
}
