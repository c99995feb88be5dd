//! What annals wrote into which file: whatever else stands there is somebody else's, and is set aside before the file is replaced or removed.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use annals_extraction::markdown::Rejected;
use annals_storage::wire::{Broken, Put, Take};
use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::profile::MirrorFormat;
use annals_types::{MemoryId, NamespaceId};

use super::others::Foreign;
use super::{noted, owners};
use crate::Error;

/// Namespace, real path of a file -> the lines that annals wrote into it, or was about to. No text, only hashes.
pub(crate) const FILES: Keyspace = Keyspace::new("annals.mirror_files");
const VERSION: u8 = 1;

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) hash: u64,
    /// The memory that it tells of, where a day is told.
    pub(super) of: Option<MemoryId>,
}

/// A file as annals wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The path that the profile has for it, and the format.
    pub(super) made_by: String,
    pub(super) format: MirrorFormat,
    /// The name of the namespace, where the path has it in it; otherwise nothing.
    pub(super) name: String,
    /// Its session or its date; nothing for other files, and for the path that all sessions or days have.
    pub(super) part: String,
    /// How many rows of the namespace had been deleted when it was written, or looked through for what was deleted.
    pub(super) deleted: u64,
    pub(super) lines: Vec<Line>,
    /// The profile that the namespace had.
    pub(super) profile: String,
    /// The time zone of its dates, in a file of entries; otherwise nothing.
    pub(super) zone: String,
    /// Whether edits in it came back.
    pub(super) both: bool,
}

/// The hash of a line, whatever spaces it ends with.
pub(super) fn hash(line: &str) -> u64 {
    noted::hash(line.trim_end())
}

/// The lines of a text that say something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| Line { hash: hash(line), of: None }).collect()
}

impl Written {
    /// What stands in the file that annals did not write.
    pub(super) fn foreign(&self, text: &str) -> Vec<Rejected> {
        let mut found = Foreign::new(self);
        text.lines().for_each(|line| found.read(line));
        found.blocks
    }

    /// Whether it stands for all files of sessions or days: the path that they have in common, which is no file.
    pub(super) fn is_pattern(&self) -> bool {
        self.part.is_empty() && matches!(self.format, MirrorFormat::Turns | MirrorFormat::Daily)
    }

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(64 + 9 * self.lines.len());
        put.byte(match self.format {
            MirrorFormat::Entries => 0,
            MirrorFormat::Lines => 1,
            MirrorFormat::Turns => 2,
            MirrorFormat::Daily => 3,
        });
        [&self.made_by, &self.name, &self.part].into_iter().for_each(|text| put.text(text));
        put.varint(self.deleted);
        put.length(self.lines.len());
        for line in &self.lines {
            put.raw(&line.hash.to_le_bytes());
            put.byte(u8::from(line.of.is_some()));
            line.of.iter().for_each(|id| put.raw(id.as_bytes()));
        }
        [&self.profile, &self.zone].into_iter().for_each(|text| put.text(text));
        put.byte(u8::from(self.both));
        put.finish()
    }

    fn decode(body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let format = match take.byte()? {
            0 => MirrorFormat::Entries,
            1 => MirrorFormat::Lines,
            2 => MirrorFormat::Turns,
            3 => MirrorFormat::Daily,
            _ => return Err(Broken("a mirrored file has an unknown format")),
        };
        let mut text = || take.text().map(str::to_owned);
        let (made_by, name, part) = (text()?, text()?, text()?);
        let deleted = take.varint()?;
        let mut lines = Vec::with_capacity(take.count(9)?);
        for _ in 0..lines.capacity() {
            let hash = u64::from_le_bytes(take.array()?);
            let of = match take.byte()? {
                0 => None,
                1 => Some(MemoryId::from_bytes(take.array()?)),
                _ => return Err(Broken("a line of a mirrored file has an unknown form")),
            };
            lines.push(Line { hash, of });
        }
        let (profile, zone) = (take.text()?.to_owned(), take.text()?.to_owned());
        let both = match take.byte()? {
            0 => false,
            1 => true,
            _ => return Err(Broken("a mirrored file has an unknown direction")),
        };
        take.end()?;
        Ok(Self { made_by, format, name, part, deleted, lines, profile, zone, both })
    }
}

/// A file as annals wrote it; `None` for one that it never wrote for the namespace.
pub(super) fn get(reads: &dyn Reads, ns: NamespaceId, path: &Path) -> Result<Option<Written>, Error> {
    let Some(stored) = reads.get(FILES, &noted::key(ns, path))?.filter(|stored| stored.version == VERSION) else {
        return Ok(None);
    };
    let read = Written::decode(&stored.body);
    read.map(Some).map_err(|broken| Error::internal(format!("{}: {}", FILES.name(), broken.0)))
}

/// Every file that annals wrote for a namespace.
pub(super) fn all(reads: &dyn Reads, ns: NamespaceId) -> Result<BTreeMap<PathBuf, Written>, Error> {
    let mut found = BTreeMap::new();
    reads.scan(&[KeyRange::prefix(FILES, &ns.prefix())], &mut |_, key, version, body| {
        let read = (version == VERSION).then(|| Written::decode(body));
        if let (Some(path), Some(Ok(written))) = (noted::path_of(ns, key), read) {
            found.insert(path, written);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Notes what stands in a file, or is about to, and that it is the namespace's.
pub(super) fn put(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path, written: &Written) -> Result<(), Error> {
    owners::claim(txn, ns, path)?;
    Ok(txn.put(FILES, &noted::key(ns, path), VERSION, &written.encode())?)
}

/// Forgets a file, and whose it was.
pub(super) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, path: &Path) -> Result<(), Error> {
    owners::disclaim(txn, ns, path)?;
    [path, &super::backup_of(path)].into_iter().try_for_each(|path| noted::forget(txn, ns, path))?;
    txn.delete(FILES, &noted::key(ns, path))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: Vec<Line>) -> Written {
        let [made_by, name, part, profile, zone] = ["{date}.md", "a", "d", "p", "z"].map(str::to_owned);
        Written { made_by, format: MirrorFormat::Daily, name, part, deleted: 300, lines, profile, zone, both: true }
    }

    #[test]
    fn the_bytes_are_these() {
        let line = Line { hash: hash("x"), of: None };
        let of = Line { of: Some(MemoryId::from_bytes([7; 16])), ..line };
        let written = written(vec![line, of]);
        let bytes: String = written.encode().iter().map(|byte| format!("{byte:02x}")).collect();
        let hash = "071702864cf563af";
        let id = "07".repeat(16);
        assert_eq!(bytes, format!("03097b646174657d2e6d6401610164ac0202{hash}00{hash}01{id}0170017a01"));
        assert_eq!(Written::decode(&written.encode()).unwrap(), written);
        for broken in [&[][..], &[4], &[3, 0, 0, 0, 0, 200], &[3, 0, 0, 0, 0, 0, 0, 0, 2]] {
            assert!(Written::decode(broken).is_err());
        }
    }

    #[test]
    fn what_annals_did_not_write_is_found() {
        let known = written(lines("# day\n\n- one\n- two\n"));
        assert_eq!(known.foreign("\u{FEFF}# day  \r\n- two\n\n"), []);
        let found = known.foreign("# day\nmine\n  more\n- one\n\n- three\n\nlast");
        let found: Vec<_> = found.iter().map(|block| (block.line, block.text.as_str())).collect();
        assert_eq!(found, [(2, "mine\n  more"), (6, "- three"), (8, "last")]);
    }
}
