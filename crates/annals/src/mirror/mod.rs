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
mod report;
mod watch;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use annals_extraction::Zone;
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
pub(crate) const KEYSPACES: [Keyspace; 3] = [noted::MIRRORS, noted::PENDING, noted::DELETED];
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
        report.files.extend(self.take_over_from(name, ns, folder)?);
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
            let mut done = match file.format {
                MirrorFormat::Entries => vec![target.entries()?],
                MirrorFormat::Lines => vec![target.lines()?],
                MirrorFormat::Turns => target.turns()?,
                MirrorFormat::Daily => target.daily()?,
            };
            for warning in done.iter_mut().flat_map(|file| &mut file.warnings) {
                *warning = rulebook.veiled(std::mem::take(warning));
            }
            report.files.extend(done);
        }
        Ok(())
    }

    /// Takes over what an earlier store left for some namespaces, in the folder of the options.
    pub(crate) fn take_over_earlier(
        &self,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<BTreeMap<String, u64>, Error> {
        let mut added = 0;
        for (ns, name) in spaces {
            let Some(folder) = self.mirror_folder(name)? else { continue };
            let _alone = self.mirroring.lock();
            let taken = self.unless_gone((*ns, name), self.take_over_from(name, *ns, &folder))?;
            added += taken.flatten().map_or(0, |file| file.added);
        }
        let count = ("taken over".to_owned(), u64::try_from(added).unwrap_or(u64::MAX));
        Ok(Some(count).filter(|(_, n)| *n > 0).into_iter().collect())
    }

    /// What a file that mirrors a namespace says, below the folder of the options; `None` where there is none.
    pub(crate) fn mirrored(&self, name: &NamespaceName, path: &str) -> Result<Option<String>, Error> {
        match self.mirror_folder(name)? {
            Some(folder) => disk::read(&folder.join(path)),
            None => Ok(None),
        }
    }

    /// What tells when the files of a namespace's profile are out of step with its memories: those whose names do not change with what they hold.
    pub(crate) fn watch(&self, name: &NamespaceName, rulebook: &Rulebook, folder: &Path) -> Watch {
        let files = rulebook.profile.mirrors.files.iter();
        let fixed = files.filter(|file| matches!(file.format, MirrorFormat::Entries | MirrorFormat::Lines));
        Watch::new(fixed.map(|file| place(folder, file, name)).collect(), self.path.clone())
    }

    /// Brings the files of several namespaces into step, in the folder of the options.
    pub(crate) fn write_mirrors(
        &self,
        spaces: &[(NamespaceId, NamespaceName)],
        wanted: &dyn Fn(&MirrorFile) -> bool,
    ) -> Result<BTreeMap<String, u64>, Error> {
        let (mut files, mut edits) = (0, 0);
        for (ns, name) in spaces {
            let Some(folder) = self.mirror_folder(name)? else { continue };
            let _alone = self.mirroring.lock();
            let mut report = SyncReport::default();
            self.unless_gone((*ns, name), self.sync_files(name, *ns, &folder, wanted, &mut report))?;
            files += report.written();
            edits += report.edits();
        }
        let counts = [("files", files), ("edits", edits)]
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
    folder.join(file.path.replace("{name}", &disk::part(name.as_str())))
}

/// Takes over what somebody wrote into a file; answers whether the file is worth a backup.
type Bring<'a> = dyn FnMut(Option<&str>, &mut SyncedFile) -> Result<bool, Error> + 'a;

/// Makes the text of a file, and what is to be noted of it.
type Render<'a> = dyn FnMut(&mut SyncedFile) -> Result<(String, Vec<Noted>), Error> + 'a;

/// How something is noted of a file.
type Keep = fn(&mut Transaction<'_>, NamespaceId, &str, &[Noted]) -> Result<(), Error>;

impl Target<'_> {
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
            let before = disk::read(&self.path)?;
            let whole = bring(before.as_deref(), report)?;
            self.set_foreign_aside(report)?;
            let (text, all) = render(report)?;
            // Somebody wrote to it meanwhile: those edits come back first.
            if disk::read(&self.path)? != before {
                continue;
            }
            if before.as_deref() != Some(text.as_str()) {
                self.note(&all, noted::begin)?;
                if let Some(before) = before.filter(|_| self.file.backup && whole) {
                    disk::replace(&disk::beside(&self.path, ".bak"), self.rulebook.veiled(before))?;
                }
                disk::replace(&self.path, &text)?;
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
