//! Files that are written only: a session's, a day's.

use std::path::PathBuf;

use annals_types::profile::MirrorFormat;

use crate::ledger::{Line, WrittenFile};
use crate::record::{self, Record};
use crate::report::SyncedFile;
use crate::{Target, aside, disk, owners};
use annals_engine::Error;

/// A file to be written or removed.
pub(super) struct Draft {
    /// Its session, or its date.
    pub(super) part: String,
    /// Its path, as it was named.
    pub(super) shown: PathBuf,
    /// Its text; nothing for a file that is to go.
    pub(super) text: String,
    /// The lines of the text.
    pub(super) lines: Vec<Line>,
    /// How many memories it tells of.
    pub(super) entries: usize,
}

/// A draft on its way into its file.
pub(super) struct FileWork {
    draft: Draft,
    path: PathBuf,
    before: Option<WrittenFile>,
    /// The bytes that stand there, where they are to be replaced or removed.
    bytes: Option<Vec<u8>>,
    changes: bool,
    report: SyncedFile,
}

impl Target<'_> {
    /// Writes some files, or removes them. Text in them that annals did not write is set aside
    /// before. Texts are noted before they are written, so that a run after one that was cut off
    /// knows them.
    pub(super) fn write_out(&self, drafts: Vec<Draft>) -> Result<Vec<SyncedFile>, Error> {
        let (mut reports, mut all) = (
            Vec::with_capacity(drafts.len()),
            Vec::with_capacity(drafts.len()),
        );
        for draft in drafts {
            let mut report = SyncedFile {
                entries: draft.entries,
                ..SyncedFile::at(draft.shown.clone())
            };
            match self.work(draft) {
                Ok(Some(work)) => all.push(FileWork { report, ..work }),
                Ok(None) => {}
                Err(error) => {
                    report.fails(error)?;
                    reports.push(report);
                }
            }
        }
        let about = |work: &FileWork| {
            let before = work.before.as_ref();
            let deleted = before.map_or(self.deleted, |before| before.deleted);
            (
                work.path.clone(),
                Some(
                    WrittenFile {
                        deleted,
                        ..self.known(&work.draft, before)
                    }
                    .into(),
                ),
            )
        };
        self.note_files(
            all.iter()
                .filter(|work| work.changes && !work.draft.text.is_empty())
                .map(about)
                .collect(),
        )?;
        let mut done = Vec::with_capacity(all.len());
        for mut work in all {
            if work.changes
                && let Err(error) = self.carry(&mut work)
            {
                work.report.fails(error)?;
            } else {
                let Draft {
                    part, text, lines, ..
                } = work.draft;
                let now = (!text.is_empty()).then(|| self.written(&part, self.deleted, lines));
                done.extend(
                    (work.changes || now != work.before)
                        .then_some((work.path, now.map(Record::from))),
                );
            }
            reports.push(work.report);
        }
        self.note_files(done)?;
        Ok(reports)
    }

    /// Notes the path that all of them have, so that it is the namespace's no longer than they are.
    pub(super) fn keep_pattern(&self) -> Result<(), Error> {
        let written = self.written("", 0, Vec::new());
        match self.record()?.written {
            Some(before) if before == written => Ok(()),
            _ => self.note_files(vec![(self.path.clone(), Some(written.into()))]),
        }
    }

    /// The work for a file; nothing for one that is neither to be written nor was.
    pub(super) fn work(&self, mut draft: Draft) -> Result<Option<FileWork>, Error> {
        let path = self
            .engine
            .real_path(self.ns, (&self.folder, self.links), &draft.shown)?;
        let snapshot = self.snapshot()?;
        let before = record::get(&snapshot, self.ns, &path)?.and_then(|record| record.written);
        if self.engine.is_own(&path)? {
            return Err(owners::holds_memories(&draft.shown));
        }
        let bytes = disk::bytes(&path)?;
        // A missing file may be on a disk that is away: it goes when it is back.
        if draft.text.is_empty() && (before.is_none() || bytes.is_none()) {
            return Ok(None);
        }
        if self.engine.is_others(&snapshot, self.ns, &path)? {
            return Err(owners::refused(&draft.shown));
        }
        let mut changes = bytes.as_deref().unwrap_or_default() != draft.text.as_bytes();
        // A day is also where a person keeps notes of it: they stay, behind what annals has to say.
        if self.file.format == MirrorFormat::Daily
            && let (Some(before), Some(text)) = (&before, bytes.as_deref().and_then(disk::text))
        {
            changes &= before.lines != draft.lines;
            for others in self.known(&draft, Some(before)).foreign(text) {
                draft.text.extend(["\n", others.text.as_str(), "\n"]);
            }
        }
        let report = SyncedFile::default();
        Ok(Some(FileWork {
            bytes: bytes.filter(|_| changes),
            draft,
            path,
            before,
            changes,
            report,
        }))
    }

    /// Replaces or removes a file.
    fn carry(&self, work: &mut FileWork) -> Result<(), Error> {
        if let Some(bytes) = &work.bytes {
            self.set_others_aside(work, bytes)
                .map(|told| work.report.warnings.extend(told))?;
        }
        if work.draft.text.is_empty() {
            work.report.removed = disk::remove(&work.path)?;
        } else {
            disk::replace(&work.path, &work.draft.text)?;
            work.report.written = true;
        }
        Ok(())
    }

    /// Keeps the text of others in a file: lines of a file that annals wrote before, or the file
    /// of another program as a whole.
    fn set_others_aside(&self, work: &FileWork, bytes: &[u8]) -> Result<Option<String>, Error> {
        let Some(text) = disk::text(bytes) else {
            let (kept, _) = aside::keep_bytes(&work.path, bytes)?;
            return Ok(Some(format!(
                "it is not in UTF-8; the file as it was is kept in {}",
                kept.display()
            )));
        };
        let others = self.known(&work.draft, work.before.as_ref()).foreign(text);
        let Some(first) = others.first() else {
            return Ok(None);
        };
        if work.before.is_none() {
            let (kept, _) = self.aside().keep_text(&work.path, text)?;
            return Ok(Some(format!(
                "another program wrote it; the file as it was is kept in {}",
                kept.display()
            )));
        }
        if self.file.format == MirrorFormat::Daily {
            return Ok(None);
        }
        self.aside().keep_lines(&work.path, &others)?;
        Ok(Some(format!(
            "line {}: this file is written only; the text is set aside",
            first.line
        )))
    }

    /// The text that annals writes into a file, or wrote.
    fn known(&self, draft: &Draft, before: Option<&WrittenFile>) -> WrittenFile {
        let lines = draft
            .lines
            .iter()
            .chain(before.map_or(&[][..], |before| &before.lines));
        self.written(&draft.part, 0, lines.copied().collect())
    }

    /// Stores the records of some files, and forgets those of files that are gone.
    pub(super) fn note_files(&self, files: Vec<(PathBuf, Option<Record>)>) -> Result<(), Error> {
        if files.is_empty() {
            return Ok(());
        }
        self.write(|cx| {
            for (path, record) in &files {
                match record {
                    Some(record) => record::put(cx.txn, self.ns, path, record)?,
                    None => record::forget(cx.txn, self.ns, path)?,
                }
            }
            Ok(())
        })
    }
}
