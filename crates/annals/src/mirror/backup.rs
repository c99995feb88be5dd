//! Backups tell of nothing that was deleted.

use std::collections::{BTreeMap, BTreeSet};

use annals_extraction::markdown::{self, one_line, read_core};
use annals_types::profile::MirrorFormat;
use annals_types::{Memory, MemoryId};

use super::noted::{self, Noted};
use super::report::SyncedFile;
use super::{Target, aside, backup_of, disk};
use crate::Error;
use crate::engine::Change;

/// A memory in a text: the hash of what it says, and its lines, counted from 0.
struct Stood {
    hash: u64,
    lines: std::ops::Range<usize>,
}

impl Target<'_> {
    /// Keeps a file that stands where the backup is about to be, and that annals did not write.
    pub(super) fn clear_backup(&self, report: &mut SyncedFile) -> Result<(), Error> {
        let path = backup_of(&self.path);
        if noted::of(&self.snapshot()?, self.ns, &path)?.is_some() {
            return Ok(());
        }
        if let Some(bytes) = disk::bytes(&path)? {
            let (kept, _) = aside::keep_bytes(&path, &bytes)?;
            report.warnings.push(format!("{} is not its backup; it is kept in {}", path.display(), kept.display()));
        }
        Ok(())
    }

    /// Takes out of the backup what tells of memories that are gone, and what nobody can tell whose it is.
    pub(super) fn clean_backup(&self) -> Result<(), Error> {
        let path = backup_of(&self.path);
        // One that is not noted is no backup of annals.
        let Some(told) = noted::of(&self.snapshot()?, self.ns, &path)? else { return Ok(()) };
        let here = self.still_said(&told)?;
        if let Some(old) = disk::read(&path)? {
            let new = self.rulebook.veiled(self.without_gone(&old, &here));
            if new != old {
                disk::replace(&path, new)?;
            }
        }
        if told == here {
            return Ok(());
        }
        self.write(|txn| {
            noted::put(txn, self.ns, &path, &here)?;
            Ok(((), Change::default()))
        })
    }

    /// What of it memories still say, in one of their revisions.
    fn still_said(&self, told: &[Noted]) -> Result<Vec<Noted>, Error> {
        let ids: BTreeSet<MemoryId> = told.iter().map(|noted| noted.id).collect();
        let said = self.said(&ids, |memory| vec![noted::hash(&one_line(&memory.body.text))])?;
        let stays = |noted: &&Noted| said.get(&noted.id).is_some_and(|said| said.contains(&noted.hash));
        Ok(told.iter().filter(stays).cloned().collect())
    }

    fn without_gone(&self, backup: &str, here: &[Noted]) -> String {
        let stay: BTreeSet<u64> = here.iter().map(|noted| noted.hash).collect();
        let mut text = backup.to_owned();
        // An entry that stood there twice is found once it stands there once.
        loop {
            let gone: Vec<Stood> = self.stood(&text).into_iter().filter(|stood| !stay.contains(&stood.hash)).collect();
            if gone.is_empty() {
                return text;
            }
            let is_gone = |at: usize| gone.iter().any(|stood| stood.lines.contains(&at));
            let kept = text.split_inclusive('\n').enumerate().filter(|(at, _)| !is_gone(*at));
            text = kept.map(|(_, line)| line).collect();
        }
    }

    /// What memories said, in each of their revisions: nothing of those that are gone.
    pub(super) fn said(
        &self,
        ids: &BTreeSet<MemoryId>,
        hashes: impl Fn(&Memory) -> Vec<u64>,
    ) -> Result<BTreeMap<MemoryId, BTreeSet<u64>>, Error> {
        let snapshot = self.snapshot()?;
        let mut said = BTreeMap::new();
        for id in ids {
            let revisions = annals_records::history(&snapshot, self.ns, *id)?;
            said.insert(*id, revisions.iter().flat_map(|revision| hashes(&revision.memory)).collect());
        }
        Ok(said)
    }

    /// The memories that a text tells of.
    fn stood(&self, text: &str) -> Vec<Stood> {
        if self.file.format == MirrorFormat::Lines {
            let line = |line: markdown::CoreRead| {
                let at = line.line.saturating_sub(1);
                Stood { hash: noted::hash(&line.content), lines: at..at.saturating_add(1) }
            };
            return read_core(text, &self.core_format(), "").lines.into_iter().map(line).collect();
        }
        let mut number = 0_u128;
        let mut random = || {
            number = number.wrapping_add(1 << 64);
            number
        };
        let file = markdown::read(text, self.now, &self.format(), &mut random);
        let headings = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("## "));
        let mut ends: BTreeSet<usize> = headings.map(|(at, _)| at).collect();
        ends.extend(file.entries.iter().map(|read| read.line.saturating_sub(1)));
        ends.extend(file.rejected.iter().map(|block| block.line.saturating_sub(1)));
        let stood = |read: &markdown::Read| {
            let at = read.line.saturating_sub(1);
            let next = ends.range(at.saturating_add(1)..).next().copied();
            Stood { hash: noted::hash(&read.entry.content), lines: at..next.unwrap_or(usize::MAX) }
        };
        file.entries.iter().map(stood).collect()
    }
}
