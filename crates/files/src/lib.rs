#![doc = include_str!("../README.md")]
#![allow(
    missing_docs,
    reason = "annals is the interface that programs depend on; this one serves the crates between"
)]
#![cfg_attr(
    test,
    allow(
        clippy::print_stderr,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_possible_wrap,
        reason = "a test fails by panicking"
    )
)]

mod agent_memory;
mod aside;
mod backup;
mod begun;
mod claims;
mod days;
pub mod disk;
mod earlier;
mod edits;
mod entries;
mod follow;
mod foreign_files;
mod gone;
mod held;
mod ledger;
mod line_edits;
mod lines;
pub mod markdown;
mod noted;
pub mod owners;
pub mod record;
mod report;
mod rest;
pub mod retracted;
mod section;
mod step;
mod turns;
mod watch;
mod written;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_language::Zone;
use annals_storage::Snapshot;
use annals_types::profile::{MirrorDirection, MirrorFile, MirrorFormat};
use annals_types::{NamespaceId, NamespaceName, Timestamp};

pub use agent_memory::AgentMemory;
use aside::Aside;
pub use aside::{LEGACY, whole_files_beside};
pub use follow::Files;
pub use report::{SyncReport, SyncedFile};
pub use turns::session_file;
pub use watch::Watch;

use annals_engine::Error;
use annals_engine::compiled::CompiledProfile;
use annals_engine::{Engine, WriteCx};
use record::Record;

/// The files of an engine.
#[derive(Clone, Copy)]
pub struct Mirrors<'a> {
    engine: &'a Engine,
    files: &'a Files,
}

impl Files {
    /// The files of an engine.
    pub const fn of<'a>(&'a self, engine: &'a Engine) -> Mirrors<'a> {
        Mirrors {
            engine,
            files: self,
        }
    }
}

impl std::ops::Deref for Mirrors<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.engine
    }
}

/// What becomes of links that lead out of the folder whose files are brought into step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// They are let alone, unless they lead to a file that was brought into step before: a folder
    /// may be somebody else's, such as a clone of a repository.
    Within,
    /// They are followed.
    Follow,
}

/// One file of a namespace, or one path of several, about to be brought into step.
struct Target<'a> {
    engine: Mirrors<'a>,
    name: &'a NamespaceName,
    ns: NamespaceId,
    profile: &'a Arc<CompiledProfile>,
    file: &'a MirrorFile,
    /// The folder below which it is.
    folder: PathBuf,
    links: Links,
    /// Where it is as it was named, for whoever is told of it.
    shown: PathBuf,
    /// Where it really is.
    path: PathBuf,
    /// Whether it would be elsewhere under another name of the namespace.
    named: bool,
    zone: Zone,
    now: Timestamp,
    /// How many rows of the namespace had been deleted for good before anything was read for it.
    deleted: u64,
}

impl<'a> Mirrors<'a> {
    /// Brings the files of a namespace's profile into step with its memories: edits first, then
    /// every file is written.
    pub fn sync(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        (folder, links): (&Path, Links),
    ) -> Result<SyncReport, Error> {
        // One at a time: who renders a file must know who has just written it.
        let _locked = self.files.mirroring.lock();
        let mut report = SyncReport::default();
        report
            .files
            .extend(self.take_over_of(name, ns, (folder, links))?);
        self.sync_files(name, ns, (folder, links), &|_| true, &mut report)?;
        Ok(report)
    }

    /// The result of work for a namespace; `None` when the namespace was deleted meanwhile.
    fn unless_gone<T>(&self, ns: NamespaceId, done: Result<T, Error>) -> Result<Option<T>, Error> {
        match done {
            Err(error) if error.is_not_found() && !self.is_there(ns)? => Ok(None),
            done => done.map(Some),
        }
    }

    fn sync_files(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        (folder, links): (&Path, Links),
        wanted: &dyn Fn(&MirrorFile) -> bool,
        report: &mut SyncReport,
    ) -> Result<(), Error> {
        let profile = self.profiles.of(&self.snapshot()?, ns)?;
        report
            .files
            .extend(self.remove_left_over(name, ns, &profile)?);
        for file in profile
            .settings
            .mirrors
            .files
            .iter()
            .filter(|file| wanted(file))
        {
            let shown = place(folder, file, name);
            let done = self
                .target(name, ns, &profile, (folder, links, file))
                .and_then(|target| target.files());
            let mut done = match done {
                Ok(files) => files,
                Err(error) => {
                    let mut file = SyncedFile::at(shown);
                    file.fails(error)?;
                    vec![file]
                }
            };
            done.iter_mut().for_each(|file| redact(&profile, file));
            report.files.extend(done);
        }
        Ok(())
    }

    /// A file of the profile as the namespace has it.
    fn target(
        &self,
        name: &'a NamespaceName,
        ns: NamespaceId,
        profile: &'a Arc<CompiledProfile>,
        (folder, links, file): (&Path, Links, &'a MirrorFile),
    ) -> Result<Target<'a>, Error> {
        let shown = place(folder, file, name);
        let path = self.own_path(ns, (folder, links), &shown)?;
        path.parent().into_iter().for_each(disk::sweep);
        let templates = [
            self.files.folder.as_deref(),
            profile.settings.mirrors.home.as_deref(),
        ];
        let of_name = |template: &&str| {
            template.contains(NAME)
                && disk::folder(template, name.as_str()).is_ok_and(|made| made == folder)
        };
        let named = file.path.contains(NAME) || templates.iter().flatten().any(of_name);
        let (zone, now, deleted) = (
            Zone::named(&profile.settings.time.zone)?,
            self.now(),
            self.deleted_rows(ns)?,
        );
        let folder = folder.to_owned();
        Ok(Target {
            engine: *self,
            name,
            ns,
            profile,
            file,
            folder,
            links,
            shown,
            path,
            named,
            zone,
            now,
            deleted,
        })
    }

    /// How many rows of a namespace were deleted for good so far.
    fn deleted_rows(&self, ns: NamespaceId) -> Result<u64, Error> {
        let head = annals_records::Head::read(&self.snapshot()?, ns)?;
        let there = u64::from(head.total()) + u64::from(head.replaced);
        Ok(u64::from(head.next_row).saturating_sub(there))
    }

    /// Where a file really is, which mirrors no other namespace: it is this one's as soon as
    /// something is noted of it.
    fn own_path(
        &self,
        ns: NamespaceId,
        below: (&Path, Links),
        path: &Path,
    ) -> Result<PathBuf, Error> {
        let real = self.real_path(ns, below, path)?;
        if self.is_own(&real)? {
            return Err(owners::holds_memories(path));
        }
        if self.is_others(&self.snapshot()?, ns, &real)? {
            Err(owners::refused(path))
        } else {
            Ok(real)
        }
    }

    /// Where a file below a folder really is, which is within the folder unless links may be
    /// followed.
    fn real_path(
        &self,
        ns: NamespaceId,
        (folder, links): (&Path, Links),
        path: &Path,
    ) -> Result<PathBuf, Error> {
        let real = disk::real(path)?;
        if links == Links::Within && self.leads_out(ns, folder, path, &real)? {
            return Err(Error::bad_input(format!(
                "{} is let alone: a link leads to {}, out of the folder. To mean that file, sync once with \
                 `--follow` (`Files::sync_following`)",
                path.display(),
                real.display()
            )));
        }
        Ok(real)
    }

    /// Whether a link leads out of a folder, to a file that was never brought into step.
    fn leads_out(
        &self,
        ns: NamespaceId,
        folder: &Path,
        path: &Path,
        real: &Path,
    ) -> Result<bool, Error> {
        Ok(!disk::is_within(folder, path, real)?
            && record::get(&self.snapshot()?, ns, real)?.is_none())
    }

    /// Takes over the memories that an earlier store left for a namespace; `None` where it left
    /// none.
    fn take_over_of(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        (folder, links): (&Path, Links),
    ) -> Result<Option<SyncedFile>, Error> {
        let profile = self.profiles.of(&self.snapshot()?, ns)?;
        let Some(path) = profile.settings.mirrors.earlier.as_deref() else {
            return Ok(None);
        };
        let path = folder.join(fill(path, name));
        if !path.try_exists().unwrap_or(true) {
            return Ok(None);
        }
        let mut report = SyncedFile::at(path);
        let real = self.own_path(ns, (folder, links), &report.path);
        let done = real.and_then(|real| self.take_over_from(ns, &real, &mut report));
        done.or_else(|error| report.fails(error))?;
        Ok(Some(report))
    }

    /// Takes over what an earlier store left for some namespaces, in the folder of the options.
    pub(crate) fn take_over_earlier(
        &self,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<BTreeMap<String, u64>, Error> {
        let mut report = SyncReport::default();
        for (ns, name) in spaces {
            let Some(folder) = self.mirror_folder(name)? else {
                continue;
            };
            let _locked = self.files.mirroring.lock();
            let taken =
                self.unless_gone(*ns, self.take_over_of(name, *ns, (&folder, Links::Within)))?;
            report.files.extend(taken.flatten());
        }
        report.whole()?;
        let count = (
            "taken over".to_owned(),
            u64::try_from(report.edits()).unwrap_or(u64::MAX),
        );
        Ok(Some(count).filter(|(_, n)| *n > 0).into_iter().collect())
    }

    /// The text of a file that mirrors a namespace, below the folder of the options; `None` where
    /// there is none, or where the file belongs to another namespace.
    pub fn mirrored(
        &self,
        ns: NamespaceId,
        name: &NamespaceName,
        path: &str,
    ) -> Result<Option<String>, Error> {
        let Some(folder) = self.mirror_folder(name)? else {
            return Ok(None);
        };
        let shown = folder.join(fill(path, name));
        // A link to a file that does not exist has no text.
        let Ok(path) = disk::real(&shown) else {
            return Ok(None);
        };
        if self.leads_out(ns, &folder, &shown, &path)? {
            return Ok(None);
        }
        if self.is_own(&path)? || self.is_others(&self.snapshot()?, ns, &path)? {
            return Ok(None);
        }
        let text =
            |bytes: Vec<u8>| String::from_utf8_lossy(section::kept(&bytes, false).0).into_owned();
        Ok(disk::bytes(&path)?.map(text))
    }

    /// A watch that tells when the files of a namespace's profile are out of step with its
    /// memories. It covers the files whose names do not change with their content.
    pub fn watch(&self, name: &NamespaceName, profile: &CompiledProfile, folder: &Path) -> Watch {
        let files = profile.settings.mirrors.files.iter();
        let fixed =
            files.filter(|file| matches!(file.format, MirrorFormat::Entries | MirrorFormat::Lines));
        Watch::new(
            fixed.map(|file| place(folder, file, name)).collect(),
            self.path.clone(),
        )
    }

    /// Brings the files of several namespaces into step, in the folder of the options. Failures of
    /// single ones are reported at the end.
    pub(crate) fn write_mirrors(
        &self,
        spaces: &[(NamespaceId, NamespaceName)],
        wanted: &dyn Fn(&MirrorFile) -> bool,
    ) -> Result<BTreeMap<String, u64>, Error> {
        let mut report = SyncReport::default();
        for (ns, name) in spaces {
            let Some(folder) = self.mirror_folder(name)? else {
                continue;
            };
            let _locked = self.files.mirroring.lock();
            self.unless_gone(
                *ns,
                self.sync_files(name, *ns, (&folder, Links::Within), wanted, &mut report),
            )?;
        }
        report.whole()?;
        let counts = [
            ("files", report.written()),
            ("removed files", report.removed()),
            ("edits", report.edits()),
        ]
        .map(|(word, n)| (word.to_owned(), u64::try_from(n).unwrap_or(u64::MAX)));
        Ok(counts.into_iter().filter(|(_, n)| *n > 0).collect())
    }

    /// The folder in which the files of a namespace are kept by jobs: that of the options.
    pub fn mirror_folder(&self, name: &NamespaceName) -> Result<Option<PathBuf>, Error> {
        self.files
            .folder
            .as_deref()
            .map(|template| disk::folder(template, name.as_str()))
            .transpose()
    }

    /// The folder that the profile of a namespace names.
    pub fn mirror_home(
        &self,
        name: &NamespaceName,
        profile: &CompiledProfile,
    ) -> Result<Option<PathBuf>, Error> {
        let home = profile.settings.mirrors.home.as_deref();
        home.map(|template| disk::folder(template, name.as_str()))
            .transpose()
    }
}

/// The placeholder for the name of the namespace in a path.
const NAME: &str = "{name}";

/// Where a file of a namespace is.
pub fn place(folder: &Path, file: &MirrorFile, name: &NamespaceName) -> PathBuf {
    folder.join(fill(&file.path, name))
}

/// A path of a profile with the namespace for `{name}`.
pub fn fill(path: &str, name: &NamespaceName) -> String {
    path.replace(NAME, &disk::part(name.as_str()))
}

/// Masks what is told of a file.
fn redact(profile: &CompiledProfile, file: &mut SyncedFile) {
    for told in file.warnings.iter_mut().chain(&mut file.failed) {
        *told = profile.redacted(std::mem::take(told));
    }
}

/// Where the backup of a file is.
fn backup_of(path: &Path) -> PathBuf {
    annals_storage::beside(path, ".bak")
}

impl Target<'_> {
    /// Brings the file, or the files of it, into step.
    fn files(&self) -> Result<Vec<SyncedFile>, Error> {
        let mut files = match self.file.format {
            MirrorFormat::Turns => self.keep_pattern().and_then(|()| self.turns())?,
            MirrorFormat::Daily => self.keep_pattern().and_then(|()| self.daily())?,
            MirrorFormat::Entries => vec![self.remarked(self.entries()?)],
            MirrorFormat::Lines => vec![self.remarked(self.lines()?)],
        };
        self.clean_rest(&mut files)?;
        Ok(files)
    }

    fn remarked(&self, mut file: SyncedFile) -> SyncedFile {
        if self.profile.policy.is_neutral() {
            file.warnings.push(
                "it stays empty: under this profile no memory has a score (it has neither decay nor rules)".to_owned(),
            );
        }
        file
    }

    /// Runs a job on the namespace, unless it is gone or has another profile by now.
    fn write<T: Send>(
        &self,
        job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.engine
            .write_under(self.ns, self.profile, self.now, job)
    }

    /// Where what is no memory is kept.
    fn aside(&self) -> Aside<'_> {
        Aside {
            profile: self.profile,
            now: self.now,
            zone: &self.zone,
        }
    }

    /// The text that annals wrote into a file of the target, or is about to, as it is noted.
    fn written(&self, part: &str, deleted: u64, lines: Vec<ledger::Line>) -> ledger::WrittenFile {
        let name = if self.named { self.name.as_str() } else { "" };
        let profile = &self.profile.settings;
        let zone = if self.file.format == MirrorFormat::Entries {
            profile.time.zone.as_str()
        } else {
            ""
        };
        let [made_by, name, part, profile, zone] = [
            self.file.path.as_str(),
            name,
            part,
            self.profile.name.as_str(),
            zone,
        ]
        .map(str::to_owned);
        let both = self.file.direction == MirrorDirection::Both;
        let (format, section) = (self.file.format, None);
        ledger::WrittenFile {
            made_by,
            format,
            name,
            part,
            deleted,
            lines,
            profile,
            zone,
            both,
            section,
        }
    }

    /// The record of the file.
    fn record(&self) -> Result<Record, Error> {
        Ok(record::get(&self.snapshot()?, self.ns, &self.path)?.unwrap_or_default())
    }

    fn snapshot(&self) -> Result<Snapshot, Error> {
        self.engine.snapshot()
    }
}
