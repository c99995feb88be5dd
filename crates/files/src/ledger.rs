//! The lines that annals wrote into each file. Any other line belongs to somebody else, and is set
//! aside before the file is replaced or removed.

use std::collections::HashSet;

use crate::markdown::Rejected;
use annals_storage::wire::{Broken, Put, Take};
use annals_types::MemoryId;
use annals_types::profile::MirrorFormat;

use crate::foreign_files::Foreign;
use crate::noted;

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Line {
    pub(super) hash: u64,
    /// The memory that it tells of, in a file of a session or a day.
    pub(super) of: Option<MemoryId>,
}

/// A file as annals wrote it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WrittenFile {
    /// The path that the profile has for it, and the format.
    pub(super) made_by: String,
    pub(super) format: MirrorFormat,
    /// The name of the namespace, where the path has it in it; otherwise nothing.
    pub(super) name: String,
    /// Its session or its date; nothing for other files, and for the path that all sessions or days
    /// have.
    pub(super) part: String,
    /// How many rows of the namespace had been deleted when it was written, or looked through for
    /// what was deleted.
    pub(super) deleted: u64,
    pub(super) lines: Vec<Line>,
    /// The profile that the namespace had.
    pub(super) profile: String,
    /// The time zone of its dates, in a file of entries; otherwise nothing.
    pub(super) zone: String,
    /// Whether edits in it came back.
    pub(super) both: bool,
    /// Where a person began the file and annals keeps one section of it: how many bytes annals put
    /// between the section and the text above it.
    pub(super) section: Option<usize>,
}

/// The hash of a line, whatever spaces it ends with.
pub(super) fn hash(line: &str) -> u64 {
    noted::hash(line.trim_end())
}

/// The lines of a text that say something.
pub(super) fn lines(text: &str) -> Vec<Line> {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| Line {
            hash: hash(line),
            of: None,
        })
        .collect()
}

impl WrittenFile {
    /// The lines of the file that annals did not write.
    pub(super) fn foreign(&self, text: &str) -> Vec<Rejected> {
        let mut found = Foreign::new(self);
        text.lines().for_each(|line| found.read(line));
        found.blocks
    }

    /// Whether annals wrote some line of a text.
    pub(super) fn wrote_some_of(&self, bytes: &[u8]) -> bool {
        let own: HashSet<u64> = self.lines.iter().map(|line| line.hash).collect();
        let known = |line: &[u8]| {
            let line = String::from_utf8_lossy(line);
            !line.trim().is_empty() && own.contains(&hash(&line))
        };
        bytes.split(|byte| *byte == b'\n').any(known)
    }

    /// Whether it stands for all files of sessions or days: the path that they have in common,
    /// which is no file.
    pub(super) fn is_pattern(&self) -> bool {
        self.part.is_empty() && matches!(self.format, MirrorFormat::Turns | MirrorFormat::Daily)
    }

    pub(super) fn encode(&self, put: &mut Put) {
        put.byte(match self.format {
            MirrorFormat::Entries => 0,
            MirrorFormat::Lines => 1,
            MirrorFormat::Turns => 2,
            MirrorFormat::Daily => 3,
        });
        [&self.made_by, &self.name, &self.part]
            .into_iter()
            .for_each(|text| put.text(text));
        put.varint(self.deleted);
        put.length(self.lines.len());
        for line in &self.lines {
            put.raw(&line.hash.to_le_bytes());
            put.byte(u8::from(line.of.is_some()));
            line.of.iter().for_each(|id| put.raw(id.as_bytes()));
        }
        [&self.profile, &self.zone]
            .into_iter()
            .for_each(|text| put.text(text));
        put.byte(u8::from(self.both));
        put.byte(u8::from(self.section.is_some()));
        self.section.iter().for_each(|lead| put.length(*lead));
    }

    pub(super) fn decode(take: &mut Take<'_>) -> Result<Self, Broken> {
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
        let count = take.count(9)?;
        let mut lines = Vec::with_capacity(count);
        for _ in 0..count {
            let hash = u64::from_le_bytes(take.array()?);
            let of = noted::flag(take)?
                .then(|| take.array().map(MemoryId::from_bytes))
                .transpose()?;
            lines.push(Line { hash, of });
        }
        let (profile, zone) = (take.text()?.to_owned(), take.text()?.to_owned());
        let both = noted::flag(take)?;
        let lead = |take: &mut Take<'_>| {
            usize::try_from(take.varint()?).map_err(|_| Broken("a section is too far down"))
        };
        let section = noted::flag(take)?.then(|| lead(take)).transpose()?;
        Ok(Self {
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
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_annals_did_not_write_is_found() {
        let known = WrittenFile {
            lines: lines("# day\n\n- one\n- two\n"),
            ..WrittenFile::default()
        };
        assert_eq!(known.foreign("\u{FEFF}# day  \r\n- two\n\n"), []);
        let found = known.foreign("# day\nmine\n  more\n- one\n\n- three\n\nlast");
        let found: Vec<_> = found
            .iter()
            .map(|block| (block.line, block.text.as_str()))
            .collect();
        assert_eq!(found, [(2, "mine\n  more"), (6, "- three"), (8, "last")]);
    }
}
