//! Backups, and files that are brought into step no more, tell of nothing that was deleted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::markdown::{self, CoreFormat, read_core};
use annals_language::one_line;
use annals_types::profile::MirrorFormat;
use annals_types::{Memory, MemoryId};

use crate::noted::{self, NotedMemory};
use crate::record::Record;
use crate::report::SyncedFile;
use crate::section::{self, Kind};
use crate::{Target, aside, backup_of, disk, ledger};
use annals_engine::Error;

/// A memory in a text: the hash of what it says, and its lines, counted from 0.
struct MemoryLines {
    hash: u64,
    lines: std::ops::Range<usize>,
}

impl Target<'_> {
    /// Whether no backup was made yet on this day: the backup of a day is the file as it was
    /// before annals first wrote it then.
    pub(super) fn needs_backup(&self) -> Result<bool, Error> {
        let record = self.record()?;
        let today =
            record.backup.is_some() && self.zone.date(record.backed_up) == self.zone.date(self.now);
        Ok(!today || !disk::is_there(&backup_of(&self.path)))
    }

    /// A file as its backup has it: text that the profile redacts is masked in the lines that
    /// annals keeps.
    pub(super) fn backup_bytes(&self, bytes: &[u8], kind: Kind) -> Vec<u8> {
        section::inside(bytes, kind != Kind::Whole, |text| {
            self.profile.redacted(text.to_owned())
        })
    }

    /// Keeps a file that stands where the backup is about to be, and that annals did not write.
    pub(super) fn clear_backup(&self, report: &mut SyncedFile) -> Result<(), Error> {
        let path = backup_of(&self.path);
        if self.record()?.backup.is_some() {
            return Ok(());
        }
        if let Some(bytes) = disk::bytes(&path)? {
            let (kept, _) = aside::keep_bytes(&path, &bytes)?;
            report.warnings.push(format!(
                "{} is not its backup; it is kept in {}",
                path.display(),
                kept.display()
            ));
        }
        Ok(())
    }

    /// Takes out of the backup of a file what tells of memories that are gone, and what nobody can
    /// tell whose it is.
    pub(super) fn clean_backup(&self, path: &Path, record: &mut Record) -> Result<(), Error> {
        // One that is not noted is no backup of annals.
        let Some(told) = &mut record.backup else {
            return Ok(());
        };
        let gone = self.said_no_more(told.iter())?;
        told.retain(|noted| !gone.contains(&noted.hash));
        let here: BTreeSet<u64> = told.iter().map(|noted| noted.hash).collect();
        let path = backup_of(path);
        if let Some(old) = disk::bytes(&path)? {
            let format = self.core_format()?;
            let is_gone = |hash| !here.contains(&hash);
            let clean = |old: &str| {
                self.profile
                    .redacted(self.without(old, &format, &is_gone, &|_| false))
            };
            let new = section::inside(&old, record.is_section(), clean);
            if new != old {
                disk::replace(&path, new)?;
            }
        }
        Ok(())
    }

    /// Removes lines about memories that are gone from a file that is no longer written; answers
    /// whether there were any, or `None` where there is no such file.
    pub(super) fn clean_memories(
        &self,
        path: &Path,
        record: &mut Record,
    ) -> Result<Option<bool>, Error> {
        let gone = self.said_no_more(record.all())?;
        let Some(bytes) = disk::bytes(path)? else {
            let tells = !gone.is_empty() || record.backup.is_some();
            return Ok((!tells).then_some(false));
        };
        let mut changes = false;
        if !gone.is_empty() {
            let (inside, own) = section::kept(&bytes, record.is_section());
            let old = disk::text(inside).ok_or_else(|| {
                Error::bad_input(format!(
                    "{} is not in UTF-8; it may say what was deleted",
                    path.display()
                ))
            })?;
            // A comment that somebody wrote below an entry is no part of it.
            let lines = record.written.iter().flat_map(|written| &written.lines);
            let known: BTreeSet<u64> = lines.map(|line| line.hash).collect();
            let foreign = |line: &str| {
                line.trim_start().starts_with("<!--") && !known.contains(&ledger::hash(line))
            };
            let new = self.without(
                old,
                &self.core_format()?,
                &|hash| gone.contains(&hash),
                &foreign,
            );
            changes = new != old;
            if changes {
                disk::replace(
                    path,
                    own.map_or_else(|| new.clone().into_bytes(), |part| part.with(&new)),
                )?;
            }
        }
        self.clean_backup(path, record)?;
        [Some(&mut record.noted), record.pending.as_mut()]
            .into_iter()
            .flatten()
            .for_each(|all| all.retain(|noted| !gone.contains(&noted.hash)));
        Ok(Some(changes))
    }

    /// The hashes of texts in it that no revision of a memory has any more.
    fn said_no_more<'a>(
        &self,
        told: impl Iterator<Item = &'a NotedMemory> + Clone,
    ) -> Result<BTreeSet<u64>, Error> {
        let ids: BTreeSet<MemoryId> = told.clone().map(|noted| noted.id).collect();
        let said = self.said(&ids, |memory| {
            vec![noted::hash(&one_line(&memory.body.text))]
        })?;
        let (here, gone): (Vec<&NotedMemory>, Vec<&NotedMemory>) = told.partition(|noted| {
            said.get(&noted.id)
                .is_some_and(|said| said.contains(&noted.hash))
        });
        let here: BTreeSet<u64> = here.into_iter().map(|noted| noted.hash).collect();
        Ok(gone
            .into_iter()
            .map(|noted| noted.hash)
            .filter(|hash| !here.contains(hash))
            .collect())
    }

    /// A text without the memories that are gone, but for lines among them that stay.
    fn without(
        &self,
        text: &str,
        format: &CoreFormat,
        is_gone: &dyn Fn(u64) -> bool,
        stays: &dyn Fn(&str) -> bool,
    ) -> String {
        let mut text = text.to_owned();
        // An entry that stood there twice is found once it stands there once.
        loop {
            let gone: Vec<MemoryLines> = self
                .stood(&text, format)
                .into_iter()
                .filter(|stood| is_gone(stood.hash))
                .collect();
            if gone.is_empty() {
                return text;
            }
            // The last memory has all lines that are left.
            let count = text.split_inclusive('\n').count();
            let lines: BTreeSet<usize> = gone
                .into_iter()
                .flat_map(|stood| stood.lines.start..stood.lines.end.min(count))
                .collect();
            let kept = text
                .split_inclusive('\n')
                .enumerate()
                .filter(|(at, line)| !lines.contains(at) || stays(line));
            let kept: String = kept.map(|(_, line)| line).collect();
            if kept.len() == text.len() {
                return text;
            }
            text = kept;
        }
    }

    /// The hashes of memories' texts, in each of their revisions; none for memories that are gone.
    pub(super) fn said(
        &self,
        ids: &BTreeSet<MemoryId>,
        hashes: impl Fn(&Memory) -> Vec<u64>,
    ) -> Result<BTreeMap<MemoryId, BTreeSet<u64>>, Error> {
        let snapshot = self.snapshot()?;
        let mut said = BTreeMap::new();
        for id in ids {
            let revisions = annals_records::history(&snapshot, self.ns, *id)?;
            said.insert(
                *id,
                revisions
                    .iter()
                    .flat_map(|revision| hashes(&revision.memory))
                    .collect(),
            );
        }
        Ok(said)
    }

    /// The memories that a text tells of.
    fn stood(&self, text: &str, format: &CoreFormat) -> Vec<MemoryLines> {
        if self.file.format == MirrorFormat::Lines {
            let line = |line: markdown::CoreRead| {
                let at = line.line.saturating_sub(1);
                MemoryLines {
                    hash: noted::hash(&line.content),
                    lines: at..at.saturating_add(1),
                }
            };
            return read_core(text, format, "")
                .lines
                .into_iter()
                .map(line)
                .collect();
        }
        let mut number = 0_u128;
        let mut random = || {
            number = number.wrapping_add(1 << 64);
            number
        };
        let file = markdown::read(text, self.now, &self.format(), &mut random);
        let headings = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.trim_start().starts_with("## "));
        let mut ends: BTreeSet<usize> = headings.map(|(at, _)| at).collect();
        ends.extend(file.entries.iter().map(|read| read.line.saturating_sub(1)));
        ends.extend(
            file.rejected
                .iter()
                .map(|block| block.line.saturating_sub(1)),
        );
        let stood = |read: &markdown::Read| {
            let at = read.line.saturating_sub(1);
            let next = ends.range(at.saturating_add(1)..).next().copied();
            MemoryLines {
                hash: noted::hash(&read.entry.content),
                lines: at..next.unwrap_or(usize::MAX),
            }
        };
        file.entries.iter().map(stood).collect()
    }
}
