//! Writing a file anew. Live values are copied into a fresh file, which then takes the name of the
//! old one. So no page holds a deleted value, and snapshots of the old file stay readable.

use std::fs::File;
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use redb::{ReadableTable as _, TableHandle as _};

use super::failure::Context;
use super::file::{self, Backing, OpenFile};
use super::lock::{self, LockedFile};
use super::pages::Gauge;
use super::survey::{Found, Survey};
use super::{open, table};
use crate::{StorageError, beside};

/// The ending of the name of an unfinished file, behind the name that it will take.
const DRAFT: &str = ".compacting";

/// Whether a file is, by its name, one that is not finished.
pub(super) fn is_draft(path: &Path) -> bool {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(DRAFT))
}

/// Where the fresh file stands until it takes the name of the old one.
pub(super) fn draft_of(path: &Path) -> io::Result<PathBuf> {
    // Where the name is a link, the file that it leads to is replaced, and not the link.
    Ok(beside(&path.canonicalize()?, DRAFT))
}

/// Copies what is alive in a file into a fresh one, locked, under the same name; answers it.
pub(super) fn rewrite(
    file: &OpenFile,
    old: &File,
    cache_bytes: usize,
    context: Context<'_>,
) -> Result<File, StorageError> {
    let io = |error| context.io(error);
    let path = context.path().canonicalize().map_err(io)?;
    // The file may have been moved, or the name be counted from another folder by now: then it is
    // not this one's to replace.
    let still_there = || match lock::leads_to(&path, old).map_err(io)? {
        true => Ok(()),
        false => Err(StorageError::misuse(format!(
            "{}: another file has this name now; open the file where it is",
            context.what()
        ))),
    };
    still_there()?;
    if let Some(names) = other_names(old).map_err(io)? {
        return Err(StorageError::misuse(format!(
            "{}: {names} other names lead to this file (hard links), and would keep what it was; remove them, or make \
             symbolic links of them, then try again",
            context.what()
        )));
    }
    let draft = draft_of(&path).map_err(io)?;
    let fresh = LockedFile::create(&draft).map_err(io)?;
    // The rights come before the texts, and the name is looked at once more when all is copied,
    // which takes seconds.
    let copied = keep_rights(old, &fresh)
        .map_err(io)
        .and_then(|()| copy(file, &fresh, cache_bytes, context))
        .and_then(|()| fresh.sync_all().map_err(io))
        .and_then(|()| still_there())
        .and_then(|()| std::fs::rename(&draft, &path).map_err(io));
    if let Err(error) = copied {
        if let Err(left) = lock::remove_if_there(&draft) {
            tracing::warn!(path = %draft.display(), error = %left, "could not remove the unfinished file");
        }
        return Err(error);
    }
    lock::sync_folder(&path);
    Ok(fresh)
}

/// How many names lead to a file beside the one that it was opened by, if any do. The fresh file
/// takes one name alone.
#[cfg(unix)]
pub(super) fn other_names(file: &File) -> io::Result<Option<u64>> {
    use std::os::unix::fs::MetadataExt as _;
    let names = file.metadata()?.nlink();
    Ok(Some(names.saturating_sub(1)).filter(|others| *others > 0))
}

#[cfg(not(unix))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "the names of a file are counted on Unix alone"
)]
pub(super) fn other_names(_: &File) -> io::Result<Option<u64>> {
    Ok(None)
}

/// Copies the last state of a file into a new one, which nobody sees before it is whole and was
/// read again. Commits go on meanwhile. Answers how many values it has.
pub(super) fn back_up(
    file: &OpenFile,
    (path, replace): (&Path, bool),
    cache_bytes: usize,
    context: Context<'_>,
) -> Result<u64, StorageError> {
    let io = |error| context.io(error);
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => StorageError::FileExists {
            path: path.to_owned(),
        },
        _ => context.io(error),
    };
    if !replace && path.try_exists().map_err(io)? {
        return Err(StorageError::FileExists {
            path: path.to_owned(),
        });
    }
    let draft = beside(path, DRAFT);
    let fresh = LockedFile::create(&draft).map_err(io)?;
    let copied = copy(file, &fresh, cache_bytes, context)
        .and_then(|()| fresh.sync_all().map_err(io))
        .and_then(|()| verify(&fresh, context))
        .and_then(|values| {
            publish(&draft, path, replace)
                .map(|()| values)
                .map_err(refused)
        });
    if copied.is_err()
        && let Err(left) = lock::remove_if_there(&draft)
    {
        tracing::warn!(path = %draft.display(), error = %left, "could not remove the unfinished file");
    }
    copied
}

/// Reads every page and value of a file that was just written; answers how many values there are.
fn verify(file: &File, context: Context<'_>) -> Result<u64, StorageError> {
    let disk = open::file_disk(file.try_clone().map_err(|e| context.io(e))?, context)?;
    let mut values = 0;
    let mut visit = |found: Found<'_>| match found {
        Found::Value { .. } => {
            values += 1;
            Ok(())
        }
        Found::Lost(lost) => Err(StorageError::corruption(context.what(), lost.to_string())),
        Found::Generation(_) | Found::Mended => Ok(()),
    };
    Survey::of(&*disk, &mut visit).walk(None)?;
    Ok(values)
}

/// Gives a finished file its name. Where nothing is to be replaced, nothing is, whoever made it
/// meanwhile.
pub(super) fn publish(draft: &Path, path: &Path, replace: bool) -> io::Result<()> {
    if replace {
        std::fs::rename(draft, path)?;
    } else {
        match std::fs::hard_link(draft, path) {
            Ok(()) => std::fs::remove_file(draft)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // A file system without links.
            Err(_) if !path.try_exists()? => std::fs::rename(draft, path)?,
            Err(error) => return Err(error),
        }
    }
    lock::sync_folder(path);
    Ok(())
}

fn copy(
    from: &OpenFile,
    into: &File,
    cache_bytes: usize,
    context: Context<'_>,
) -> Result<(), StorageError> {
    let disk = open::file_disk(into.try_clone().map_err(|e| context.io(e))?, context)?;
    let fresh = open::build(
        disk,
        Backing::Disk,
        (&Gauge::default(), cache_bytes),
        context,
    )?;
    let reading = from.begin_read(context)?;
    let writing = fresh.begin_write(context)?;
    for handle in reading
        .list_tables()
        .map_err(|e| context.any(e))?
        .filter(|handle| !file::is_own(handle.name()))
    {
        let source = reading
            .open_table(table(handle.name()))
            .map_err(|e| context.any(e))?;
        let mut target = writing
            .open_table(table(handle.name()))
            .map_err(|e| context.any(e))?;
        // Behind the last key, so that redb fills whole pages.
        let mut end = target
            .upper_bound_mut(Bound::<&[u8]>::Unbounded)
            .map_err(|e| context.any(e))?;
        for entry in source.iter().map_err(|e| context.any(e))? {
            let (key, value) = entry.map_err(|e| context.any(e))?;
            end.insert_before(key.value(), value.value())
                .map_err(|e| context.any(e))?;
        }
        end.close().map_err(|e| context.any(e))?;
    }
    fresh.settle(writing, context)?;
    drop(reading);
    fresh.tighten(context)?;
    fresh.close();
    Ok(())
}

/// Gives the fresh file the owner and the rights of the old one.
pub(super) fn keep_rights(old: &File, fresh: &File) -> io::Result<()> {
    let had = old.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};
        let has = fresh.metadata()?;
        if (had.uid(), had.gid()) != (has.uid(), has.gid()) {
            fchown(fresh, Some(had.uid()), Some(had.gid()))?;
        }
    }
    fresh.set_permissions(had.permissions())
}
