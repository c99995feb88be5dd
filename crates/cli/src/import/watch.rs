//! Folders that are watched: what comes into them, and what grows in them, is imported.
//!
//! The folders are looked at again and again, for which every system and every network share is
//! good enough. A file is read when it has not changed since the last look, and again when it has:
//! what is there already is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use annals::blocking::Namespace;
use annals::{
    FileFormat, FileKind, ImportFile, ImportOptions, ImportReport, OnBad, ReadOptions, ReadSummary,
    Timestamp,
};
use serde_json::json;

use super::records::{self, Known};
use super::{Args, Imported};
use crate::app::{Access, App};
use crate::ending;
use crate::failure::{Exit, Failure};
use crate::texts::text;
use crate::visible;

/// How long nothing is looked at after a look.
const PAUSE: Duration = Duration::from_secs(1);
/// At most this part of the time goes into looking.
const SHARE: u32 = 20;
/// Folders in each other.
const MOST_FOLDERS: usize = 64;
/// Records that are named of those of a file that cannot be read.
const NAMED: usize = 5;

/// The endings of what SQLite keeps beside a database; the first is that of its log.
const LOGS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// By what a file is known to have changed.
type Look = (Option<SystemTime>, u64);

/// The folders, and how far their files were taken.
struct Watch<'a> {
    args: &'a Args,
    options: ReadOptions,
    /// The files as they were at the last look, and as they were when they were read.
    seen: BTreeMap<PathBuf, Look>,
    taken: BTreeMap<PathBuf, Look>,
    /// The formats of files that were told, by which others beside them are passed over.
    formats: BTreeMap<PathBuf, FileFormat>,
    told_to_end: Arc<AtomicBool>,
    /// All that comes while one watches is one import, which can be taken back.
    run: Timestamp,
    stored: u64,
    files: BTreeSet<PathBuf>,
}

/// Imports what is in the folders, and what comes into them, until the process is told to end.
pub(crate) fn watched(args: &Args, app: &mut App<'_, '_>) -> Result<Imported, Failure> {
    if args.is_empty() {
        return Err(Failure::usage(text!("transfer-watch-no-folder")));
    }
    if args.resume
        || args.from_line.is_some()
        || args.conversation.is_some()
        || args.all
        || args.skip_bad.is_some()
    {
        return Err(Failure::usage(text!("transfer-watch-flags")));
    }
    for path in &args.files {
        if !path.is_dir() {
            return Err(Failure::usage(text!(
                "transfer-watch-folder",
                path = path.display()
            )));
        }
    }
    let told_to_end = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&told_to_end);
    ending::end_when_told(move || told.store(true, Ordering::Relaxed))
        .map_err(|cause| Failure::new(Exit::Failed, text!("transfer-watch-signals", cause)))?;
    let name = app.namespace_name()?.to_owned();
    // What cannot be opened is said at once, and not with the first file.
    drop(app.namespace(Access::Create)?);
    // Nobody is there to decide about a record: it is named, and the others are taken.
    let options = ReadOptions {
        skip_bad: true,
        ..args.read_options(&app.settings.zone)
    };
    let mut watch = Watch {
        args,
        options,
        seen: BTreeMap::new(),
        taken: BTreeMap::new(),
        formats: BTreeMap::new(),
        told_to_end,
        run: app.world.clock.now(),
        stored: 0,
        files: BTreeSet::new(),
    };
    let names: Vec<String> = args
        .files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    app.note(&text!("transfer-watching", names = names.join(", ")))?;
    while !watch.ends() {
        let began = Instant::now();
        let changed = watch.look();
        let looked = began.elapsed();
        if !changed.is_empty() {
            watch.take(&changed, &name, app)?;
        }
        watch.rest(PAUSE.max(looked * SHARE));
    }
    let Watch { stored, files, .. } = watch;
    let text = text!(
        "transfer-watched",
        memories = text!("common-memories", count = stored),
        files = text!("common-files", count = files.len())
    );
    Ok(Imported {
        stored,
        text,
        json: json!({ "stored": stored, "files": files.len() }),
    })
}

impl Watch<'_> {
    fn ends(&self) -> bool {
        self.told_to_end.load(Ordering::Relaxed)
    }

    /// Waits, but no longer than until the process is told to end.
    fn rest(&self, pause: Duration) {
        /// How soon the end is heard.
        const STEP: Duration = Duration::from_millis(50);
        let until = Instant::now() + pause;
        while !self.ends() && Instant::now() < until {
            std::thread::sleep(STEP);
        }
    }

    /// The files that are new or have changed, and rest since the last look.
    fn look(&mut self) -> BTreeSet<PathBuf> {
        let mut found = BTreeMap::new();
        for folder in &self.args.files {
            walk(folder, 0, &mut found);
        }
        let rests = |(path, look): &(&PathBuf, &Look)| {
            self.seen.get(*path) == Some(look) && self.taken.get(*path) != Some(look)
        };
        let changed: BTreeSet<PathBuf> = found
            .iter()
            .filter(rests)
            .map(|(path, _)| path.clone())
            .collect();
        self.taken.retain(|path, _| found.contains_key(path));
        self.formats
            .retain(|path, _| path.ancestors().any(|path| found.contains_key(path)));
        self.seen = found;
        changed
    }

    /// Imports files that have changed into a namespace. The database is held for as long as that
    /// takes: in between it is free for others.
    fn take(
        &mut self,
        changed: &BTreeSet<PathBuf>,
        name: &str,
        app: &mut App<'_, '_>,
    ) -> Result<(), Failure> {
        let namespace = match app.open(Access::Existing) {
            Ok(memory) => memory.namespace(name)?,
            // Another process holds the database: its turn. The files are taken later.
            Err(busy) if busy.exit == Exit::Locked => return Ok(()),
            Err(failure) => return Err(failure),
        };
        // A file in an archive has changed where that has.
        let has_changed =
            |file: &ImportFile| file.path().ancestors().any(|path| changed.contains(path));
        let mut known: Vec<Known> = Vec::new();
        let mut listed: Vec<&PathBuf> = Vec::new();
        for folder in &self.args.files {
            let files = match ImportFile::all_of(folder) {
                Ok(files) => {
                    listed.push(folder);
                    files
                }
                Err(error) => {
                    self.tell_failure(folder, &Failure::from(error).at(folder, None), app)?;
                    continue;
                }
            };
            for file in files {
                let format = if has_changed(&file) {
                    records::format_of(self.args, &file, &self.options)?
                } else {
                    let Some(format) = self.formats.get(file.path()) else {
                        continue;
                    };
                    Ok(*format)
                };
                match format {
                    Ok(format) => {
                        self.formats.insert(file.path().to_owned(), format);
                        known.push((file, format));
                    }
                    Err(error) => {
                        let failure = records::failed(self.args, &file, error);
                        self.tell_failure(file.path(), &failure, app)?;
                    }
                }
            }
        }
        // Words beside an export of a program belong to that.
        let known = if self.args.format.is_none() {
            let (known, left) = annals::without_attachments(known);
            let left = left
                .into_iter()
                .filter(|(file, _)| has_changed(file))
                .map(|(file, _)| file.path().to_owned());
            records::note_others(&left.collect::<Vec<_>>(), app)?;
            known
        } else {
            known
        };
        let options = ImportOptions {
            bring_back: self.args.bring_back,
            on_bad: OnBad::Collect,
            run: Some(self.run),
            ..ImportOptions::default()
        };
        for one in known.iter().filter(|(file, _)| has_changed(file)) {
            if self.ends() {
                return Ok(());
            }
            self.import(one, &namespace, &options, app)?;
        }
        // What could not be listed is looked at again.
        for path in changed
            .iter()
            .filter(|path| listed.iter().any(|folder| path.starts_with(folder)))
        {
            if let Some(look) = self.seen.get(path) {
                self.taken.insert(path.clone(), *look);
            }
        }
        Ok(())
    }

    /// Imports a file and tells what it brought; what is wrong with it stops nothing.
    fn import(
        &mut self,
        (file, format): &Known,
        namespace: &Namespace,
        options: &ImportOptions,
        app: &mut App<'_, '_>,
    ) -> Result<(), Failure> {
        let transfer = namespace.transfer();
        let (mut report, mut database_fails) = (ImportReport::default(), false);
        let read = if format.kind() == FileKind::Export {
            transfer.import_file((file, *format), &self.options, options, &mut |part| {
                report.merge(part)
            })
        } else {
            format.read(file, &self.options, &mut |record| {
                // What was not read yet is known as such when the folder is watched again.
                if self.told_to_end.load(Ordering::Relaxed) {
                    return Err(annals::Error::io(
                        String::new(),
                        std::io::ErrorKind::Interrupted.into(),
                    ));
                }
                let part = transfer.import_record(&record, options);
                database_fails = part.as_ref().is_err_and(|error| !error.is_invalid());
                report.merge(part?);
                Ok(())
            })
        };
        self.stored += report.stored;
        let name = visible::line(&file.path().display().to_string()).into_owned();
        let mut summary = match read {
            Ok(summary) => summary,
            Err(_) if self.ends() => ReadSummary::default(),
            // A database that cannot be written ends it; a file that cannot be read does not.
            Err(error) if database_fails => return Err(error.into()),
            Err(error) => {
                let failure = records::failed(self.args, file, error);
                self.tell_failure(file.path(), &failure, app)?;
                ReadSummary::default()
            }
        };
        summary.bad.append(&mut report.bad);
        for bad in summary.bad.iter().take(NAMED) {
            app.note(&text!(
                "transfer-watch-bad",
                name = &*name,
                line = bad.line,
                reason = records::reason(bad)
            ))?;
        }
        if report.stored + report.differing + report.graph_stored == 0 {
            return Ok(());
        }
        self.files.insert(file.path().to_owned());
        if app.json {
            app.answer_json(&json!({
                "file": file.path(), "format": format.name(), "stored": report.stored,
                "already_there": report.already_there, "bad": summary.bad.len(),
            }))?;
        } else {
            let memories = text!("common-memories", count = report.stored);
            app.say(&text!(
                "transfer-watch-took",
                name,
                memories,
                format = format.name()
            ))?;
        }
        Ok(app.world.output.flush()?)
    }

    /// Tells what is wrong with a file or a folder.
    fn tell_failure(
        &self,
        path: &Path,
        failure: &Failure,
        app: &mut App<'_, '_>,
    ) -> Result<(), Failure> {
        if !app.json {
            return app.note(&failure.message);
        }
        app.answer_json(&json!({ "file": path, "error": failure.message }))?;
        Ok(app.world.output.flush()?)
    }
}

/// The files of a folder, as they are now. What cannot be looked at is not there. A database
/// changes with its log, which is no file of its own.
fn walk(folder: &Path, depth: usize, found: &mut BTreeMap<PathBuf, Look>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, hidden) = (
            entry.path(),
            entry.file_name().to_string_lossy().starts_with('.'),
        );
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let Ok(data) = std::fs::metadata(&path) else {
            continue;
        };
        if hidden
            || LOGS
                .iter()
                .any(|ending| path.to_string_lossy().ends_with(ending))
        {
            continue;
        }
        if data.is_dir() && !is_link && depth < MOST_FOLDERS {
            walk(&path, depth + 1, found);
        } else if data.is_file() {
            let mut log = path.clone().into_os_string();
            log.push(LOGS[0]);
            let look = match std::fs::metadata(log) {
                Ok(log) => (
                    data.modified().ok().max(log.modified().ok()),
                    data.len() + log.len(),
                ),
                Err(_) => (data.modified().ok(), data.len()),
            };
            found.insert(path, look);
        }
    }
}
