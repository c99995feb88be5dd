//! The text of a person that becomes no memory is kept beside the file, and reported.

use std::path::{Path, PathBuf};

use crate::markdown::{Rejected, render_rejected};
use annals_language::Zone;
use annals_types::{NewTurn, Role, Row, Timestamp};

use crate::report::SyncedFile;
use crate::{Target, disk};
use annals_engine::Arrival;
use annals_engine::Error;
use annals_engine::compiled::CompiledProfile;

/// The suffix of the file with what could not be read.
const REJECTED: &str = ".rejected";
/// The suffix of a file that was no such file at all, and the session under which its text is
/// stored.
pub const LEGACY: &str = ".legacy";

/// Keeps texts beside files, but for what the profile keeps back.
pub(super) struct Aside<'a> {
    pub(super) profile: &'a CompiledProfile,
    pub(super) now: Timestamp,
    pub(super) zone: &'a Zone,
}

/// Where lines of a file are kept.
pub(super) fn lines_of(path: &Path) -> PathBuf {
    annals_storage::beside(path, REJECTED)
}

impl Aside<'_> {
    /// Keeps lines of a file: those that could not be read, were refused, or have no place in it.
    pub(super) fn keep_lines(&self, path: &Path, rejected: &[Rejected]) -> Result<(), Error> {
        if rejected.is_empty() {
            return Ok(());
        }
        let path = lines_of(path);
        let earlier = disk::read(&path)?.unwrap_or_default();
        let redacted = |block: &Rejected| Rejected {
            text: self.profile.redacted(block.text.clone()),
            ..block.clone()
        };
        let rejected: Vec<Rejected> = rejected.iter().map(redacted).collect();
        let text = render_rejected(&earlier, &rejected, self.now, self.zone);
        if text != earlier {
            disk::replace(&path, &text)?;
        }
        Ok(())
    }

    /// Keeps the text of a whole file; answers where, and whether it was kept there already.
    pub(super) fn keep_text(&self, path: &Path, text: &str) -> Result<(PathBuf, bool), Error> {
        keep_bytes(path, self.profile.redacted(text.to_owned()).as_bytes())
    }
}

/// Where a whole file is kept.
pub(super) fn place_of(path: &Path) -> Result<PathBuf, Error> {
    match disk::is_long(path) {
        true => Ok(disk::vacant(path, LEGACY)),
        false => Ok(disk::free(path, LEGACY, &disk::bytes(path)?.unwrap_or_default())?.0),
    }
}

/// Keeps a whole file that is about to be removed, however long it is; answers where.
pub(super) fn keep_file(path: &Path) -> Result<PathBuf, Error> {
    if !disk::is_long(path) {
        return Ok(keep_bytes(path, &disk::bytes(path)?.unwrap_or_default())?.0);
    }
    let to = disk::vacant(path, LEGACY);
    std::fs::rename(path, &to)
        .map_err(|error| Error::io(format!("moving {}", path.display()), error))?;
    Ok(to)
}

/// The files that were set aside as a whole where a file is to stand.
pub fn whole_files_beside(path: &Path) -> impl Iterator<Item = PathBuf> {
    let first = annals_storage::beside(path, LEGACY);
    let path = path.to_owned();
    let more =
        (2_u32..).map(move |number| annals_storage::beside(&path, &format!("{LEGACY}.{number}")));
    std::iter::once(first)
        .chain(more)
        .take_while(|path| path.exists())
}

/// Keeps a whole file as it is; answers where, and whether it was kept there already.
pub(super) fn keep_bytes(path: &Path, bytes: &[u8]) -> Result<(PathBuf, bool), Error> {
    let (to, known) = disk::free(path, LEGACY, bytes)?;
    if !known {
        disk::replace(&to, bytes)?;
    }
    Ok((to, known))
}

/// Tells that a file was of another kind.
pub(super) fn not_of_entries(kept: &Path) -> String {
    format!(
        "no entry is in its text; a copy of that is kept in {}",
        kept.display()
    )
}

impl Target<'_> {
    /// Keeps lines of the file beside it, and tells where.
    pub(super) fn keep_lines(
        &self,
        rejected: &[Rejected],
        report: &mut SyncedFile,
    ) -> Result<(), Error> {
        self.aside().keep_lines(&self.path, rejected)?;
        if !rejected.is_empty() {
            report.kept_in = Some(lines_of(&self.shown));
        }
        Ok(())
    }

    /// Keeps a file of another kind beside the new one, and stores its text as a turn once, for an
    /// extractor to find memories in.
    pub(super) fn set_legacy_aside(
        &self,
        text: &str,
        report: &mut SyncedFile,
    ) -> Result<(), Error> {
        let kept = self.profile.redacted(text.to_owned());
        let (path, known) = disk::free(&self.path, LEGACY, kept.as_bytes())?;
        report.warnings.push(not_of_entries(&path));
        if known {
            return Ok(());
        }
        // The copy comes last: where it is, the text was offered.
        match self.offer(text) {
            Err(error) if error.is_invalid() => {
                report
                    .warnings
                    .push(format!("its text cannot be kept as a turn: {error}"));
            }
            offered => offered?,
        }
        disk::replace(&path, kept)?;
        Ok(())
    }

    fn offer(&self, text: &str) -> Result<(), Error> {
        let session = format!("MEMORY.md{LEGACY}");
        let snapshot = self.snapshot()?;
        let turns = annals_records::session_turns(&snapshot, self.ns, &session, 0, usize::MAX)?;
        let rows: Vec<Row> = turns.into_iter().map(|(_, row)| row).collect();
        let known = annals_records::memories(&snapshot, self.ns, &rows, None)?;
        let turn = NewTurn::builder(session, text).role(Role::System).build()?;
        let arrival = Arrival::new(self.engine.ids.next(self.now), self.prepared(turn.into())?);
        if known
            .iter()
            .flatten()
            .any(|turn| turn.body.text == arrival.prepared.memory.text())
        {
            return Ok(());
        }
        self.write(|cx| {
            self.engine.append_in(cx, std::slice::from_ref(&arrival))?;
            Ok(())
        })
    }
}

/// Keeps a file beside the new one that is in another encoding: nothing of it is taken for an edit.
pub(super) fn set_foreign_aside(
    path: &Path,
    bytes: &[u8],
    report: &mut SyncedFile,
) -> Result<(), Error> {
    let (path, _) = keep_bytes(path, bytes)?;
    let told = format!(
        "it is not in UTF-8, and no edit in it counts; the file as it was is kept in {}",
        path.display()
    );
    report.warnings = vec![told];
    Ok(())
}
