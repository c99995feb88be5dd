//! Files that go: those of a namespace that is deleted, and those that no profile asks for any
//! more. Only text that is noted as written by annals goes; the text of others in the same file is
//! kept beside it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::markdown::Rejected;
use annals_language::Zone;
use annals_storage::Reads;
use annals_types::profile::{MirrorDirection, MirrorFile, MirrorFormat};
use annals_types::{NamespaceId, NamespaceName};

use crate::aside::Aside;
use crate::foreign_files::ForeignText;
use crate::ledger::WrittenFile;
use crate::record::{self, Record};
use crate::report::{SyncReport, SyncedFile};
use crate::section::{self, Kind, Marks, Part};
use crate::{Links, Mirrors};
use crate::{Target, backup_of, disk, redact};
use annals_engine::compiled::CompiledProfile;
use annals_engine::{Error, profiles};

/// A file that annals wrote.
struct OwnFile {
    path: PathBuf,
    written: WrittenFile,
    /// Its backup, where annals made one.
    backup: Option<PathBuf>,
}

impl OwnFile {
    /// `None` for a file that annals never wrote.
    fn new((path, record): (PathBuf, Record)) -> Option<Self> {
        let backup = record.backup.map(|_| backup_of(&path));
        Some(Self {
            path,
            written: record.written?,
            backup,
        })
    }

    /// Whether it is not there: somebody removed it, or it is on a disk that is away.
    fn is_missing(&self) -> bool {
        !self.written.is_pattern() && !disk::is_there(&self.path)
    }

    /// Removes it with its backup. The text of others in it is kept before; answers where.
    fn remove(
        &self,
        aside: &Aside<'_>,
        others: Option<&ForeignText>,
    ) -> Result<Option<PathBuf>, Error> {
        let kept = others
            .map(|others| others.keep(aside, &self.path))
            .transpose()?;
        if let Some(backup) = &self.backup {
            disk::remove(backup)?;
        }
        match self.written.section {
            Some(lead) => self.remove_section(lead)?,
            None => drop(disk::remove(&self.path)?),
        }
        Ok(kept)
    }

    /// Takes the section out of a file that a person began.
    fn remove_section(&self, lead: usize) -> Result<(), Error> {
        let Some(bytes) = disk::bytes(&self.path)? else {
            return Ok(());
        };
        match Marks::of(&bytes) {
            Marks::None => {}
            Marks::Pair { outer, inner } => {
                disk::replace(
                    &self.path,
                    Part::section(&bytes, &outer, &inner).without(lead),
                )?;
            }
            Marks::Damaged(told) => return Err(section::damaged(&self.path, &told)),
        }
        Ok(())
    }
}

/// The files of a namespace that is about to be deleted.
pub struct DoomedFiles {
    profile: Arc<CompiledProfile>,
    files: Vec<OwnFile>,
}

impl DoomedFiles {
    /// The files that go and are there, with their backups.
    pub fn files(&self) -> Vec<PathBuf> {
        // A file that a person began stays without its section.
        let own = |own: &'_ OwnFile| own.written.section.is_none();
        let with_backup = self
            .files
            .iter()
            .flat_map(|it| it.backup.iter().chain(Some(&it.path).filter(|_| own(it))));
        with_backup.filter(|path| path.exists()).cloned().collect()
    }

    /// Those that are not there: somebody removed them, or they are on a disk that is away.
    pub fn missing(&self) -> Vec<PathBuf> {
        self.files
            .iter()
            .filter(|own| own.is_missing())
            .map(|own| own.path.clone())
            .collect()
    }

    /// The files that keep the text of others in these files. A file that cannot be read is
    /// reported when it cannot be removed.
    pub fn aside(&self) -> Vec<PathBuf> {
        let place = |own: &OwnFile| {
            ForeignText::of(&own.path, &own.written)
                .ok()??
                .place(&own.path)
                .ok()
        };
        self.files.iter().filter_map(place).collect()
    }
}

impl Mirrors<'_> {
    /// The files that annals wrote for a namespace, wherever: what another program left is not
    /// among them.
    pub fn mirrors_of(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<DoomedFiles, Error> {
        let profile = self.profiles.of(reads, ns)?;
        let files = record::all(reads, ns)?
            .into_iter()
            .filter_map(OwnFile::new)
            .collect();
        Ok(DoomedFiles { profile, files })
    }

    /// Removes the files of a namespace that is deleted; one that cannot be removed does not keep
    /// the others from going, and is named.
    pub fn remove_mirrors(&self, going: &DoomedFiles) -> Result<(), Error> {
        // No other thread may write them meanwhile.
        let _locked = self.files.mirroring.lock();
        let zone = Zone::named(&going.profile.settings.time.zone)?;
        let aside = Aside {
            profile: &going.profile,
            now: self.now(),
            zone: &zone,
        };
        let remove =
            |own: &OwnFile| own.remove(&aside, ForeignText::of(&own.path, &own.written)?.as_ref());
        let tried = going.files.iter().map(|own| (own, remove(own)));
        let mut failed: Vec<(&OwnFile, Error)> = tried
            .filter_map(|(own, done)| Some((own, done.err()?)))
            .collect();
        let left: Vec<String> = failed
            .iter()
            .map(|(own, _)| own.path.display().to_string())
            .collect();
        match failed.pop() {
            None => Ok(()),
            Some((_, error)) if failed.is_empty() => Err(error),
            Some((_, error)) => Err(Error::io(
                format!("removing {}", left.join(", ")),
                std::io::Error::other(error),
            )),
        }
    }

    /// Removes the files that the name or the profile of a namespace no longer asks for. A file
    /// that cannot be removed now goes the next time that files are brought into step.
    pub fn tidy_mirrors(&self, name: &NamespaceName, ns: NamespaceId) -> SyncReport {
        let profile = self
            .snapshot()
            .and_then(|snapshot| self.profiles.of(&snapshot, ns));
        match profile.and_then(|profile| self.remove_left_over(name, ns, &profile)) {
            Ok(files) => SyncReport { files },
            Err(error) => {
                tracing::warn!(
                    namespace = ns.0,
                    error = error.logged(),
                    "mirrored files that nobody makes are left"
                );
                SyncReport::default()
            }
        }
    }

    /// Removes files that the profile of a namespace does not make any more, or made under a name
    /// that it had before.
    pub(super) fn remove_left_over(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        profile: &Arc<CompiledProfile>,
    ) -> Result<Vec<SyncedFile>, Error> {
        let _locked = self.files.mirroring.lock();
        let snapshot = self.snapshot()?;
        let (mut reports, nobodys) = (Vec::new(), MirrorFile::default());
        let files = record::all(&snapshot, ns)?
            .into_iter()
            .filter_map(OwnFile::new);
        for own in files.filter(|own| is_left(&own.written, name, profile)) {
            let taker = taker(&profile.settings.mirrors.files, &own.written);
            let target = Target {
                engine: *self,
                name,
                ns,
                profile,
                file: taker.unwrap_or(&nobodys),
                folder: own.path.parent().map(Path::to_owned).unwrap_or_default(),
                links: Links::Follow,
                shown: own.path.clone(),
                path: own.path.clone(),
                named: false,
                zone: Zone::named(&profile.settings.time.zone)?,
                now: self.now(),
                deleted: self.deleted_rows(ns)?,
            };
            let mut report = SyncedFile::at(own.path.clone());
            target
                .leave(&own, taker.is_some(), &mut report)
                .or_else(|error| report.fails(error))?;
            reports.extend(Some(report).filter(SyncedFile::tells));
        }
        reports
            .iter_mut()
            .for_each(|report| redact(profile, report));
        Ok(reports)
    }
}

/// Whether nobody makes a file any more.
pub(super) fn is_left(
    written: &WrittenFile,
    name: &NamespaceName,
    profile: &CompiledProfile,
) -> bool {
    if !written.name.is_empty() && written.name != name.as_str() {
        return true;
    }
    let mut files = profile.settings.mirrors.files.iter();
    let made = files.any(|file| file.path == written.made_by && file.format == written.format);
    // Everybody who opens the database has a default profile of their own: that of another makes
    // other files.
    let anyones = [profile.name.as_str(), written.profile.as_str()] == [profiles::DEFAULT; 2];
    !made && !anyones
}

/// The file of a profile that takes over what a person wrote into one that goes: the same, or the
/// only one of its kind.
fn taker<'a>(files: &'a [MirrorFile], written: &WrittenFile) -> Option<&'a MirrorFile> {
    let mut those = files
        .iter()
        .filter(|file| file.format == written.format && file.direction == MirrorDirection::Both);
    let same = those.clone().find(|file| file.path == written.made_by);
    let one = || those.next().filter(|_| those.next().is_none());
    written.both.then(|| same.or_else(one)).flatten()
}

impl Target<'_> {
    /// Removes a file that nobody makes any more, and forgets it.
    fn leave(&self, own: &OwnFile, takes: bool, report: &mut SyncedFile) -> Result<(), Error> {
        // It may be on a disk that is away, and goes when it is back.
        if own.is_missing() {
            return self.leave_backup(own);
        }
        let taken = takes && self.take_back(report)?;
        let others = ForeignText::of(&own.path, &own.written)?.and_then(|others| match others {
            ForeignText::Lines(lines) if taken => self.remarks(lines),
            others => Some(others),
        });
        let kept = own.remove(&self.aside(), others.as_ref())?;
        let section = own.written.section.is_some();
        (report.removed, report.written) = (!own.written.is_pattern() && !section, section);
        let what = if section { "annals' section" } else { "it" };
        let told = |kept: PathBuf| {
            format!(
                "{what} was removed; what somebody wrote into it is kept in {}",
                kept.display()
            )
        };
        report.warnings.extend(kept.map(told));
        self.note_files(vec![(own.path.clone(), None)])
    }

    /// Removes the backup of a file that is not there.
    fn leave_backup(&self, own: &OwnFile) -> Result<(), Error> {
        let Some(backup) = own.backup.as_ref().filter(|backup| disk::is_there(backup)) else {
            return Ok(());
        };
        disk::remove(backup)?;
        self.keep(&Record {
            backup: None,
            ..self.record()?
        })
    }

    /// Takes over what a person wrote into the file; answers whether it could be read.
    fn take_back(&self, report: &mut SyncedFile) -> Result<bool, Error> {
        let Some(bytes) = disk::bytes(&self.path)? else {
            return Ok(false);
        };
        let (inside, part) = section::kept(&bytes, self.record()?.is_section());
        if part.is_some_and(|part| part.kind == Kind::New) {
            return Ok(false);
        }
        let Some(text) = disk::text(inside) else {
            return Ok(false);
        };
        match self.file.format {
            MirrorFormat::Entries => {
                self.bring_entries(Some(text), &self.read_format()?, report)?
            }
            MirrorFormat::Lines => self.bring_lines(Some(text), &self.core_format()?, report)?,
            MirrorFormat::Turns | MirrorFormat::Daily => return Ok(false),
        };
        Ok(true)
    }

    /// The comments among entries: the only lines of a person that are neither memories nor kept
    /// already once a file was taken over.
    fn remarks(&self, lines: Vec<Rejected>) -> Option<ForeignText> {
        let remarks = lines
            .into_iter()
            .filter(|block| block.text.trim_start().starts_with("<!--"));
        let remarks: Vec<Rejected> = remarks
            .filter(|_| self.file.format == MirrorFormat::Entries)
            .collect();
        (!remarks.is_empty()).then_some(ForeignText::Lines(remarks))
    }
}
