//! Files that annals wrote and no longer brings into step: those of past days, and of folders that
//! are no longer in use.

use std::collections::BTreeSet;
use std::path::Path;

use annals_types::profile::MirrorFormat;
use annals_types::{Memory, MemoryId};

use crate::ledger::{self, Line, WrittenFile};
use crate::record::{self, Record};
use crate::report::SyncedFile;
use crate::{Target, backup_of, days, disk, turns};
use annals_engine::Error;

impl Target<'_> {
    /// Removes the text of deleted memories from the files that were not written now, wherever
    /// they are. Nothing else changes in them.
    pub(super) fn clean_rest(&self, files: &mut Vec<SyncedFile>) -> Result<(), Error> {
        let behind = |record: &Record| {
            record
                .written
                .as_ref()
                .is_some_and(|written| self.is_behind(written))
        };
        let mut done = Vec::new();
        for (path, mut record) in record::all(&self.snapshot()?, self.ns)?
            .into_iter()
            .filter(|(_, it)| behind(it))
        {
            let mut file = SyncedFile::at(path.clone());
            match self.clean(&path, &mut record, &mut file) {
                Ok(true) => done.push((path, (!file.removed).then_some(record))),
                // It may be on a disk that is away: once it is back, it is looked through.
                Ok(false) => {}
                // It was told already that this one is out of reach.
                Err(_)
                    if files
                        .iter()
                        .any(|it| it.failed.is_some() && disk::is_at(&it.path, &path)) => {}
                Err(error) => file.fails(error)?,
            }
            files.extend(Some(file).filter(SyncedFile::tells));
        }
        self.note_files(done)
    }

    /// Whether memories went since a file of this kind was written, or looked through.
    fn is_behind(&self, written: &WrittenFile) -> bool {
        let own = written.made_by == self.file.path && written.format == self.file.format;
        own && !written.is_pattern() && written.deleted != self.deleted
    }

    /// Cleans one file; answers whether it was there, if there was anything to look for.
    fn clean(
        &self,
        path: &Path,
        record: &mut Record,
        file: &mut SyncedFile,
    ) -> Result<bool, Error> {
        let by_line = matches!(self.file.format, MirrorFormat::Turns | MirrorFormat::Daily);
        let cleaned = if by_line {
            self.clean_lines(path, record)?
        } else {
            self.clean_memories(path, record)?
        };
        let Some(changed) = cleaned else {
            return Ok(false);
        };
        file.written = changed;
        let Some(written) = &mut record.written else {
            return Ok(true);
        };
        written.deleted = self.deleted;
        file.entries = record.noted.len()
            + written
                .lines
                .iter()
                .filter(|line| line.of.is_some())
                .count();
        let empty = match self.file.format {
            MirrorFormat::Turns => written.lines.is_empty(),
            MirrorFormat::Daily => false,
            MirrorFormat::Entries | MirrorFormat::Lines => {
                record.noted.is_empty() && record.pending.is_none()
            }
        };
        // A frame around nothing helps nobody, and would be read as a file that lost its memories.
        if changed
            && empty
            && written.section.is_none()
            && disk::read(path)?.is_some_and(|text| written.foreign(&text).is_empty())
        {
            if record.backup.is_some() {
                disk::remove(&backup_of(path))?;
            }
            (file.removed, file.written) = (disk::remove(path)?, false);
        }
        Ok(true)
    }

    /// The lines by which a file tells of a memory.
    fn lines_of(&self, memory: &Memory) -> Vec<u64> {
        let lines = match self.file.format {
            MirrorFormat::Turns => vec![turns::turn_line(memory)],
            _ => vec![days::told(memory), days::learnt(memory)],
        };
        lines.iter().map(|line| ledger::hash(line)).collect()
    }

    /// Removes lines of memories whose text changed or went from a file; answers whether there
    /// were any, or `None` where there is no such file.
    fn clean_lines(&self, path: &Path, record: &mut Record) -> Result<Option<bool>, Error> {
        let Some(written) = &mut record.written else {
            return Ok(Some(false));
        };
        let gone = self.gone_lines(&written.lines)?;
        if gone.is_empty() {
            return Ok(Some(false));
        }
        let Some(bytes) = disk::bytes(path)? else {
            return Ok(None);
        };
        let says = |line: &&[u8]| !gone.contains(&ledger::hash(&String::from_utf8_lossy(line)));
        let kept: Vec<&[u8]> = bytes
            .split_inclusive(|byte| *byte == b'\n')
            .filter(says)
            .collect();
        let kept = kept.concat();
        if kept != bytes {
            disk::replace(path, &kept)?;
        }
        written.lines.retain(|line| !gone.contains(&line.hash));
        Ok(Some(kept != bytes))
    }

    /// The lines that no memory says any more.
    fn gone_lines(&self, lines: &[Line]) -> Result<BTreeSet<u64>, Error> {
        let ids: BTreeSet<MemoryId> = lines.iter().filter_map(|line| line.of).collect();
        let said = self.said(&ids, |memory| self.lines_of(memory))?;
        let says = |line: &&Line| {
            line.of
                .is_none_or(|id| said.get(&id).is_some_and(|said| said.contains(&line.hash)))
        };
        let (here, gone): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(says);
        let here: BTreeSet<u64> = here.into_iter().map(|line| line.hash).collect();
        Ok(gone
            .into_iter()
            .map(|line| line.hash)
            .filter(|hash| !here.contains(hash))
            .collect())
    }
}
