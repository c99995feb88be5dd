//! Files that go: those of a namespace that is deleted, and those that its profile does not make any more.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_extraction::Zone;
use annals_extraction::markdown::Rejected;
use annals_storage::Reads;
use annals_types::{NamespaceId, NamespaceName};

use super::aside::{self, Aside};
use super::ledger::{self, Written};
use super::report::SyncedFile;
use super::{backup_of, before, disk, noted};
use crate::Error;
use crate::engine::rulebooks::Rulebook;
use crate::engine::{Change, Engine};

/// The files of a namespace that is about to be deleted.
pub(crate) struct Going {
    rulebook: Arc<Rulebook>,
    files: Vec<(PathBuf, Written)>,
}

impl Going {
    /// The files that go and are there, with their backups.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let with_backup = self.files.iter().flat_map(|(path, _)| [backup_of(path), path.clone()]);
        with_backup.filter(|path| path.exists()).collect()
    }

    /// The files into which goes what somebody else wrote into those. What cannot be read is told when it cannot be removed.
    pub(crate) fn aside(&self) -> Vec<PathBuf> {
        let place = |(path, written): &(PathBuf, Written)| others(path, written).ok()??.place(path).ok();
        self.files.iter().filter_map(place).collect()
    }
}

/// What annals did not write of a file.
enum Others {
    Lines(Vec<Rejected>),
    Whole(Vec<u8>),
}

impl Others {
    /// Where it is kept.
    fn place(&self, path: &Path) -> Result<PathBuf, Error> {
        match self {
            Self::Lines(_) => Ok(aside::lines_of(path)),
            Self::Whole(bytes) => aside::place_of(path, bytes),
        }
    }
}

fn others(path: &Path, written: &Written) -> Result<Option<Others>, Error> {
    let Some(bytes) = disk::bytes(path)? else { return Ok(None) };
    Ok(match disk::text(&bytes).map(|text| written.foreign(text)) {
        None => Some(Others::Whole(bytes)),
        Some(lines) if lines.is_empty() => None,
        Some(lines) => Some(Others::Lines(lines)),
    })
}

/// Removes a file that annals wrote, and its backup. What somebody else wrote into it is set aside before; answers whether there was a file.
fn remove(aside: &Aside<'_>, path: &Path, written: &Written) -> Result<bool, Error> {
    match others(path, written)? {
        None => {}
        Some(Others::Lines(lines)) => aside.keep_lines(path, &lines)?,
        Some(Others::Whole(bytes)) => drop(aside::keep_bytes(path, &bytes)?),
    }
    disk::remove(&backup_of(path))?;
    disk::remove(path)
}

impl Engine {
    /// The files that annals wrote for a namespace, wherever: what another program left is not among them.
    pub(crate) fn mirrors_of(
        &self,
        reads: &dyn Reads,
        (name, ns): (&NamespaceName, NamespaceId),
    ) -> Result<Going, Error> {
        let rulebook = self.rulebooks.of(reads, ns)?;
        let mut files: Vec<(PathBuf, Written)> = ledger::all(reads, ns)?.into_iter().collect();
        files.extend(before::notes(reads, (name, ns), &rulebook)?.files);
        Ok(Going { rulebook, files })
    }

    /// Removes the files of a namespace that is deleted; one that cannot be removed keeps no other from going.
    pub(crate) fn remove_mirrors(&self, going: &Going) -> Result<(), Error> {
        // Nobody may be writing them meanwhile.
        let _alone = self.mirroring.lock();
        let zone = Zone::named(&going.rulebook.profile.time.zone)?;
        let aside = Aside { rulebook: &going.rulebook, now: self.now(), zone: &zone };
        let mut done = Ok(());
        for (path, written) in &going.files {
            done = done.and(remove(&aside, path, written).map(drop));
        }
        done
    }

    /// Removes files that the profile of a namespace does not make any more, or made under a name that it had before. What was noted in the way
    /// of an earlier version is noted anew.
    pub(crate) fn remove_left_over(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        rulebook: &Rulebook,
    ) -> Result<Vec<SyncedFile>, Error> {
        let _alone = self.mirroring.lock();
        let snapshot = self.snapshot()?;
        let mut old = before::notes(&snapshot, (name, ns), rulebook)?;
        self.know_days(ns, &mut old.files)?;
        if !old.notes.is_empty() || !old.files.is_empty() {
            self.write_mirrored(name, ns, |txn| {
                old.files.iter().try_for_each(|(path, written)| ledger::put(txn, ns, path, written))?;
                old.notes.iter().try_for_each(|path| noted::forget(txn, ns, path))?;
                Ok(((), Change::default()))
            })?;
        }
        let zone = Zone::named(&rulebook.profile.time.zone)?;
        let aside = Aside { rulebook, now: self.now(), zone: &zone };
        let made = |written: &Written| {
            let mut files = rulebook.profile.mirrors.files.iter();
            let by = files.any(|file| file.path == written.made_by && file.format == written.format);
            by && (written.name.is_empty() || written.name == name.as_str())
        };
        let mut reports = Vec::new();
        for (path, written) in ledger::all(&snapshot, ns)?.into_iter().filter(|(_, written)| !made(written)) {
            let mut report = SyncedFile::at(path.clone());
            match remove(&aside, &path, &written) {
                Ok(gone) => {
                    report.written = gone;
                    self.write_mirrored(name, ns, |txn| {
                        ledger::forget(txn, ns, &path)?;
                        Ok(((), Change::default()))
                    })?;
                }
                Err(error) => report.fails(error)?,
            }
            reports.extend(Some(report).filter(|report| report.written || report.failed.is_some()));
        }
        Ok(reports)
    }
}
