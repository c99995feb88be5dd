//! A file that memories come back from, brought into step: cut off anywhere, the next run goes on
//! from there.

use crate::markdown;
use annals_types::profile::MirrorFormat;

use crate::ledger::{self, WrittenFile};
use crate::noted::NotedMemory;
use crate::record::{self, Record};
use crate::report::SyncedFile;
use crate::section::{Kind, Part};
use crate::{Target, aside, backup_of, disk};
use annals_engine::Error;

/// How often a file is read again because someone wrote to it meanwhile.
const ATTEMPTS: usize = 5;

/// Takes over what somebody wrote into a file; answers whether the file is worth a backup.
pub(super) type Bring<'a> = dyn FnMut(Option<&str>, &mut SyncedFile) -> Result<bool, Error> + 'a;

/// Makes the text of a file, and what is to be noted of it.
pub(super) type Render<'a> =
    dyn FnMut(&mut SyncedFile) -> Result<(String, Vec<NotedMemory>), Error> + 'a;

impl Target<'_> {
    /// Brings edits back and writes the file, again and again until no other program writes to it
    /// in between. `bring` reads the text and takes edits over, all of them in one transaction; it
    /// answers whether the file is worth a backup. `render` makes the new text, and the note of
    /// it.
    ///
    /// A run that was cut off anywhere is continued by the next one: the new text is noted before
    /// it is written, beside the old one.
    pub(super) fn in_step(
        &self,
        report: &mut SyncedFile,
        bring: &mut Bring<'_>,
        render: &mut Render<'_>,
    ) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            report.seen = disk::look(&self.path);
            let before = disk::bytes(&self.path)?;
            let part = self.part(before.as_deref())?;
            // Nobody has edited what is as it was written.
            let whole = self.is_as_written(&part)? || self.bring_part(&part, bring, report)?;
            let (text, all) = render(report)?;
            // Another program wrote to it meanwhile: its edits come back first.
            if disk::bytes(&self.path)? != before {
                continue;
            }
            let section = self.lead(&part)?;
            if let Some(inside) = part
                .inside
                .and_then(disk::text)
                .filter(|inside| self.says(inside, &text))
            {
                return self.note(all, inside, section);
            }
            let backup = before.as_deref().filter(|_| self.file.backup && whole);
            let backup = match backup {
                Some(bytes) if self.needs_backup()? => Some(self.backup_bytes(bytes, part.kind)),
                _ => None,
            };
            if backup.is_some() {
                self.clear_backup(report)?;
            }
            self.begin(&all, &text, section, backup.is_some())?;
            if let Some(before) = backup {
                disk::replace(&backup_of(&self.path), before)?;
            }
            report.seen = disk::replace(&self.path, part.with(&text))?;
            report.written = true;
            return self.note(all, &text, section);
        }
        Err(Error::name_taken(format!(
            "{} changes faster than it can be read; try again",
            self.path.display()
        )))
    }

    /// Whether the part of a file that annals keeps says what annals wrote there, line by line.
    fn is_as_written(&self, part: &Part<'_>) -> Result<bool, Error> {
        let Some(inside) = part
            .inside
            .and_then(disk::text)
            .filter(|_| part.kind != Kind::New)
        else {
            return Ok(false);
        };
        let record = self.record()?;
        let written = record.written.filter(|_| record.pending.is_none());
        Ok(written.is_some_and(|written| written.lines == ledger::lines(inside)))
    }

    /// Takes over edits in the part of a file that annals keeps; answers whether the file is worth
    /// a backup.
    fn bring_part(
        &self,
        part: &Part<'_>,
        bring: &mut Bring<'_>,
        report: &mut SyncedFile,
    ) -> Result<bool, Error> {
        if part.kind == Kind::New {
            return self.welcome(part.before, report).map(|()| true);
        }
        let Some(inside) = part.inside else {
            return bring(None, report);
        };
        match disk::text(inside) {
            // The lines have the numbers that they have in the file.
            Some(text) => bring(Some(&("\n".repeat(part.lines_above()) + text)), report),
            None => {
                aside::set_foreign_aside(&self.path, inside, report)?;
                Ok(false)
            }
        }
    }

    /// How many bytes annals put above its section, where it keeps one of a file that a person
    /// began.
    fn lead(&self, part: &Part<'_>) -> Result<Option<usize>, Error> {
        Ok(match part.kind {
            Kind::Whole => None,
            Kind::New => Some(part.lead().len()),
            Kind::Section => Some(
                self.record()?
                    .written
                    .and_then(|written| written.section)
                    .unwrap_or(0),
            ),
        })
    }

    /// Whether the file says this already: when it was written says nothing of the memories.
    fn says(&self, before: &str, text: &str) -> bool {
        before == text
            || before.replace("\r\n", "\n") == text
            || (self.file.format == MirrorFormat::Entries && markdown::same(before, text))
    }

    /// Notes what the file is about to say, and of which memories its backup is about to tell.
    fn begin(
        &self,
        all: &[NotedMemory],
        text: &str,
        section: Option<usize>,
        backup: bool,
    ) -> Result<(), Error> {
        let mut record = self.record()?;
        let mut written = WrittenFile {
            section,
            ..self.written("", self.deleted, ledger::lines(text))
        };
        if let Some(before) = record.written.take() {
            written.deleted = before.deleted;
            written.lines.extend(before.lines);
        }
        if backup {
            (record.backup, record.backed_up) = (Some(record.all().cloned().collect()), self.now);
        }
        (record.written, record.pending) = (Some(written), Some(all.to_vec()));
        self.keep(&record)
    }

    /// Notes what the file says, once its backup tells of nothing that was deleted.
    fn note(&self, all: Vec<NotedMemory>, text: &str, section: Option<usize>) -> Result<(), Error> {
        let mut record = self.record()?;
        let written = WrittenFile {
            section,
            ..self.written("", self.deleted, ledger::lines(text))
        };
        let before = record.written.replace(written);
        if before == record.written && record.is(&all) {
            return Ok(());
        }
        if before.is_some_and(|before| before.deleted != self.deleted) {
            self.clean_backup(&self.path, &mut record)?;
        }
        record.note(all);
        self.keep(&record)
    }

    /// Notes what is known of the file.
    pub(super) fn keep(&self, record: &Record) -> Result<(), Error> {
        self.write(|cx| {
            record::put(cx.txn, self.ns, &self.path, record)?;
            Ok(())
        })
    }
}
