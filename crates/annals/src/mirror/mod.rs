//! Files that mirror memories: written whole, and edits of a person brought back.

mod aside;
pub(crate) mod disk;
mod earlier;
mod edits;
mod entries;
mod gone;
mod lines;
mod logs;
mod noted;
pub(crate) mod owners;
mod report;
pub(crate) mod retracted;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_extraction::{Zone, markdown};
use annals_records::RecordError;
use annals_storage::{Keyspace, Snapshot, Transaction};
use annals_types::profile::{MirrorFile, MirrorFormat};
use annals_types::{Layer, Memory, NamespaceId, NamespaceName, Row, Status, Timestamp};

pub(crate) use logs::session_file;
pub use report::{SyncReport, SyncedFile};
pub use watch::Watch;

use crate::Error;
use crate::engine::rulebooks::Rulebook;
use crate::engine::{Change, Done, Engine, View};
use noted::{Noted, Record};

/// All keyspaces of mirrors; keys begin with the namespace number.
pub(crate) const KEYSPACES: [Keyspace; 4] = [noted::MIRRORS, noted::PENDING, noted::DELETED, retracted::RETRACTED];
/// How often a file is read again because someone wrote to it meanwhile.
const ATTEMPTS: usize = 5;

/// One file of a namespace, about to be brought into step.
struct Target<'a> {
    engine: &'a Engine,
    name: &'a NamespaceName,
    ns: NamespaceId,
    rulebook: &'a Arc<Rulebook>,
    file: &'a MirrorFile,
    path: PathBuf,
    zone: Zone,
    now: Timestamp,
}

/// A memory with what it is worth, as files show it.
struct Held {
    memory: Memory,
    score: f64,
    class: String,
    hits: u32,
    activated: Timestamp,
    created: Timestamp,
    expires: Option<Timestamp>,
}

impl Engine {
    /// Brings the files of a namespace's profile into step with its memories: edits first, then every file is written.
    pub(crate) fn sync(&self, name: &NamespaceName, ns: NamespaceId, folder: &Path) -> Result<SyncReport, Error> {
        // One at a time: who renders a file must know who has just written it.
        let _alone = self.mirroring.lock();
        let mut report = SyncReport::default();
        report.files.extend(self.take_over_of(name, ns, folder)?);
        self.sync_files(name, ns, folder, &|_| true, &mut report)?;
        Ok(report)
    }

    /// Runs a job on the namespace whose files are brought into step. One that was made under its name since it was deleted is another.
    fn write_mirrored<T: Send>(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        mut job: impl FnMut(&mut Transaction<'_>) -> Done<T> + Send,
    ) -> Result<T, Error> {
        self.write(name, false, |txn, found| match found == ns {
            true => job(txn),
            false => Err(RecordError::NoNamespace { name: name.clone() }.into()),
        })
    }

    /// What was done for a namespace; `None` when it was deleted meanwhile.
    fn unless_gone<T>(
        &self,
        (ns, name): (NamespaceId, &NamespaceName),
        done: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match done {
            Err(error) if error.is_not_found() && self.find(name)? != Some(ns) => Ok(None),
            done => done.map(Some),
        }
    }

    fn sync_files(
        &self,
        name: &NamespaceName,
        ns: NamespaceId,
        folder: &Path,
        wanted: &dyn Fn(&MirrorFile) -> bool,
        report: &mut SyncReport,
    ) -> Result<(), Error> {
        let rulebook = self.rulebooks.of(&self.snapshot()?, ns)?;
        for file in rulebook.profile.mirrors.files.iter().filter(|file| wanted(file)) {
            let zone = Zone::named(&rulebook.profile.time.zone)?;
            let path = place(folder, file, name);
            let (rulebook, now) = (&rulebook, self.now());
            let target = Target { engine: self, name, ns, rulebook, file, path, zone, now };
            let mut done = match self.claim(name, ns, &target.path).and_then(|()| target.files()) {
                Ok(files) => files,
                Err(error) => {
                    let mut file = SyncedFile::at(target.path);
                    file.fails(error)?;
                    vec![file]
                }
            };
            for told in done.iter_mut().flat_map(|file| file.warnings.iter_mut().chain(&mut file.failed)) {
                *told = rulebook.veiled(std::mem::take(told));
            }
            report.files.extend(done);
        }
        Ok(())
    }

    /// Sees to it that a file mirrors no namespace but this one.
    fn claim(&self, name: &NamespaceName, ns: NamespaceId, path: &Path) -> Result<(), Error> {
        if owners::is_own(&self.snapshot()?, ns, path)? {
            return Ok(());
        }
        self.write_mirrored(name, ns, |txn| {
            owners::claim(txn, ns, path)?;
            Ok(((), Change::default()))
        })
    }

    /// What an earlier store left for a namespace, taken over; `None` where it left nothing.
    fn take_over_of(&self, name: &NamespaceName, ns: NamespaceId, folder: &Path) -> Result<Option<SyncedFile>, Error> {
        let rulebook = self.rulebooks.of(&self.snapshot()?, ns)?;
        let Some(path) = rulebook.profile.mirrors.earlier.as_deref() else { return Ok(None) };
        let path = folder.join(fill(path, name));
        if !path.try_exists().unwrap_or(true) {
            return Ok(None);
        }
        let mut report = SyncedFile::at(path);
        let done = self.claim(name, ns, &report.path).and_then(|()| self.take_over_from(name, ns, &mut report));
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
            let Some(folder) = self.mirror_folder(name)? else { continue };
            let _alone = self.mirroring.lock();
            let taken = self.unless_gone((*ns, name), self.take_over_of(name, *ns, &folder))?;
            report.files.extend(taken.flatten());
        }
        report.whole()?;
        let count = ("taken over".to_owned(), u64::try_from(report.edits()).unwrap_or(u64::MAX));
        Ok(Some(count).filter(|(_, n)| *n > 0).into_iter().collect())
    }

    /// What a file that mirrors a namespace says, below the folder of the options; `None` where there is none, or where it is that of another
    /// namespace.
    pub(crate) fn mirrored(&self, name: &NamespaceName, path: &str) -> Result<Option<String>, Error> {
        let (Some(folder), Some(ns)) = (self.mirror_folder(name)?, self.find(name)?) else { return Ok(None) };
        let path = folder.join(fill(path, name));
        if owners::is_others(&self.snapshot()?, ns, &path)? { Ok(None) } else { disk::read(&path) }
    }

    /// What tells when the files of a namespace's profile are out of step with its memories: those whose names do not change with what they hold.
    pub(crate) fn watch(&self, name: &NamespaceName, rulebook: &Rulebook, folder: &Path) -> Watch {
        let files = rulebook.profile.mirrors.files.iter();
        let fixed = files.filter(|file| matches!(file.format, MirrorFormat::Entries | MirrorFormat::Lines));
        Watch::new(fixed.map(|file| place(folder, file, name)).collect(), self.path.clone())
    }

    /// Brings the files of several namespaces into step, in the folder of the options. What is wrong with one of them is told at the end.
    pub(crate) fn write_mirrors(
        &self,
        spaces: &[(NamespaceId, NamespaceName)],
        wanted: &dyn Fn(&MirrorFile) -> bool,
    ) -> Result<BTreeMap<String, u64>, Error> {
        let mut report = SyncReport::default();
        for (ns, name) in spaces {
            let Some(folder) = self.mirror_folder(name)? else { continue };
            let _alone = self.mirroring.lock();
            self.unless_gone((*ns, name), self.sync_files(name, *ns, &folder, wanted, &mut report))?;
        }
        report.whole()?;
        let counts = [("files", report.written()), ("edits", report.edits())]
            .map(|(word, n)| (word.to_owned(), u64::try_from(n).unwrap_or(u64::MAX)));
        Ok(counts.into_iter().filter(|(_, n)| *n > 0).collect())
    }

    /// The folder in which the files of a namespace are kept by jobs: that of the options.
    pub(crate) fn mirror_folder(&self, name: &NamespaceName) -> Result<Option<PathBuf>, Error> {
        self.mirrors.as_deref().map(|template| disk::folder(template, name.as_str())).transpose()
    }

    /// The folder that the profile of a namespace names.
    pub(crate) fn mirror_home(&self, name: &NamespaceName, rulebook: &Rulebook) -> Result<Option<PathBuf>, Error> {
        let home = rulebook.profile.mirrors.home.as_deref();
        home.map(|template| disk::folder(template, name.as_str())).transpose()
    }
}

/// Where a file of a namespace is.
pub(crate) fn place(folder: &Path, file: &MirrorFile, name: &NamespaceName) -> PathBuf {
    folder.join(fill(&file.path, name))
}

/// A path of a profile with the namespace for `{name}`.
pub(crate) fn fill(path: &str, name: &NamespaceName) -> String {
    path.replace("{name}", &disk::part(name.as_str()))
}

/// Takes over what somebody wrote into a file; answers whether the file is worth a backup.
type Bring<'a> = dyn FnMut(Option<&str>, &mut SyncedFile) -> Result<bool, Error> + 'a;

/// Makes the text of a file, and what is to be noted of it.
type Render<'a> = dyn FnMut(&mut SyncedFile) -> Result<(String, Vec<Noted>), Error> + 'a;

/// How something is noted of a file.
type Keep = fn(&mut Transaction<'_>, NamespaceId, &str, &[Noted]) -> Result<(), Error>;

impl Target<'_> {
    /// Brings the file, or the files of it, into step.
    fn files(&self) -> Result<Vec<SyncedFile>, Error> {
        let mut file = match self.file.format {
            MirrorFormat::Turns => return self.turns(),
            MirrorFormat::Daily => return self.daily(),
            MirrorFormat::Entries => self.entries()?,
            MirrorFormat::Lines => self.lines()?,
        };
        if self.rulebook.policy.is_neutral() {
            file.warnings.push(
                "it stays empty: under this profile no memory has a score (it has neither decay nor rules)".to_owned(),
            );
        }
        Ok(vec![file])
    }

    /// Under what the file is noted: the same relative path from elsewhere is another file.
    fn noted_as(&self) -> String {
        noted::name(&self.path)
    }

    /// Runs a job on the namespace, unless it is gone.
    fn write<T: Send>(&self, job: impl FnMut(&mut Transaction<'_>) -> Done<T> + Send) -> Result<T, Error> {
        self.engine.write_mirrored(self.name, self.ns, job)
    }

    /// Brings edits back and writes the file, as often as it takes until nobody writes to it in between. `bring` reads the text and takes
    /// edits over, all of them in one transaction; it answers whether the file is worth a backup. `render` makes the new text, and what is to be
    /// noted of it.
    ///
    /// Cut off anywhere, the next run goes on from there: what the file is about to say is noted before it says so, beside what it said.
    fn in_step(&self, report: &mut SyncedFile, bring: &mut Bring<'_>, render: &mut Render<'_>) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            report.seen = disk::look(&self.path);
            let before = disk::bytes(&self.path)?;
            let whole = match before.as_deref().map(|bytes| (bytes, disk::text(bytes))) {
                None => bring(None, report)?,
                Some((_, Some(text))) => bring(Some(text), report)?,
                Some((bytes, None)) => {
                    self.set_foreign_aside(bytes, report)?;
                    false
                }
            };
            let (text, all) = render(report)?;
            // Somebody wrote to it meanwhile: those edits come back first.
            if disk::bytes(&self.path)? != before {
                continue;
            }
            if !before.as_deref().is_some_and(|before| self.says(before, &text)) {
                self.note(&all, noted::begin)?;
                let before = before.as_deref().and_then(disk::text).filter(|_| self.file.backup && whole);
                if let Some(before) = before {
                    disk::replace(&disk::beside(&self.path, ".bak"), self.rulebook.veiled(before.to_owned()))?;
                }
                report.seen = disk::replace(&self.path, &text)?;
                report.written = true;
            }
            if !self.record()?.is(&all) {
                self.note(&all, noted::put)?;
            }
            return self.renew_backup(&text);
        }
        Err(Error::name_taken(format!("{} changes faster than it can be read; try again", self.path.display())))
    }

    /// Where memories were deleted since the last run, the backup may tell of them: it becomes what the file says now.
    fn renew_backup(&self, text: &str) -> Result<(), Error> {
        let (path, deleted) = (self.noted_as(), self.deleted()?);
        if !self.file.backup || noted::deleted(&self.snapshot()?, self.ns, &path)? == deleted {
            return Ok(());
        }
        let backup = disk::beside(&self.path, ".bak");
        let text = self.rulebook.veiled(text.to_owned());
        if disk::read(&backup)?.is_some_and(|old| old != text) {
            disk::replace(&backup, text)?;
        }
        self.write(|txn| {
            noted::put_deleted(txn, self.ns, &path, deleted)?;
            Ok(((), Change::default()))
        })
    }

    /// How many rows of the namespace were deleted for good so far.
    fn deleted(&self) -> Result<u64, Error> {
        let head = annals_records::Head::read(&self.snapshot()?, self.ns)?;
        let there = u64::from(head.total()) + u64::from(head.replaced);
        Ok(u64::from(head.next_row).saturating_sub(there))
    }

    /// Whether the file says this already: when it was written says nothing of the memories.
    fn says(&self, before: &[u8], text: &str) -> bool {
        let entries = self.file.format == MirrorFormat::Entries;
        before == text.as_bytes() || (entries && disk::text(before).is_some_and(|before| markdown::same(before, text)))
    }

    /// What is known of what the file says.
    fn record(&self) -> Result<Record, Error> {
        Record::get(&self.snapshot()?, self.ns, &self.noted_as())
    }

    /// Keeps what the file says, or is about to say, of each memory.
    fn note(&self, all: &[Noted], keep: Keep) -> Result<(), Error> {
        let path = self.noted_as();
        self.write(|txn| {
            keep(txn, self.ns, &path, all)?;
            Ok(((), Change::default()))
        })
    }

    /// The memories that can stand in a file, with what they are worth now.
    fn held(&self) -> Result<Vec<Held>, Error> {
        let view = self.engine.view(self.ns)?;
        let snapshot = self.engine.snapshot()?;
        let shown = |row: &Row| matches!(view.columns.current_status(*row), Some(Status::Active | Status::Archived));
        let rows: Vec<Row> = view.worth.rows().filter(shown).collect();
        let memories = annals_records::memories(&snapshot, self.ns, &rows, Some(&view.columns))?;
        let pairs = rows.into_iter().zip(memories).filter_map(|(row, memory)| Some((row, memory?)));
        let pairs = pairs.filter(|(_, memory)| self.rulebook.governs(memory.body.layer));
        Ok(pairs.filter_map(|(row, memory)| self.hold(&view, row, memory)).collect())
    }

    fn hold(&self, view: &View, row: Row, memory: Memory) -> Option<Held> {
        let anchor = view.worth.anchor(row)?;
        Some(Held {
            score: view.worth.score(row, self.now)?,
            class: view.worth.class(row)?.to_owned(),
            hits: view.worth.uses(row).0,
            activated: anchor.accessed,
            created: anchor.created,
            expires: view.worth.expires_at(row),
            memory,
        })
    }

    /// Turns of all sessions are asked for one session at a time.
    fn snapshot(&self) -> Result<Snapshot, Error> {
        self.engine.snapshot()
    }
}

/// Whether a memory is an episode or a turn, and so in no file of memories.
const fn is_said(layer: Layer) -> bool {
    matches!(layer, Layer::Turn | Layer::Working | Layer::Episodic)
}
