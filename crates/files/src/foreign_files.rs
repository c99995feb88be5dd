//! Text in a file that annals did not write belongs to somebody else, and is kept when the file
//! goes.

use std::collections::BTreeSet;
use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};

use crate::markdown::Rejected;

use crate::aside::{self, Aside};
use crate::disk;
use crate::ledger::{WrittenFile, hash};
use crate::section::Marks;
use annals_engine::Error;

/// The text of a file that annals did not write.
pub(super) enum ForeignText {
    Lines(Vec<Rejected>),
    /// All of it: it is in another encoding, or has more text of its own than is read.
    Whole,
}

impl ForeignText {
    /// Reads a file of any length for text that annals did not write; `None` where there is none,
    /// or no file.
    pub(super) fn of(path: &Path, written: &WrittenFile) -> Result<Option<Self>, Error> {
        if written.section.is_some() {
            return Self::of_section(path, written);
        }
        let Some(mut file) = disk::open(path)? else {
            return Ok(None);
        };
        let failed = |error| Error::io(format!("reading {}", path.display()), error);
        let mut found = Foreign::new(written);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = file
                .by_ref()
                .take(disk::MAX_BYTES)
                .read_until(b'\n', &mut line)
                .map_err(failed)?;
            let Some(text) = disk::text(&line).filter(|_| !is_much(read) && !is_much(found.bytes))
            else {
                return Ok(Some(Self::Whole));
            };
            if read == 0 {
                break;
            }
            text.lines().for_each(|line| found.read(line));
        }
        Ok((!found.blocks.is_empty()).then_some(Self::Lines(found.blocks)))
    }

    /// The same of the section that annals keeps: the rest of the file stays.
    fn of_section(path: &Path, written: &WrittenFile) -> Result<Option<Self>, Error> {
        let Some(bytes) = disk::bytes(path)? else {
            return Ok(None);
        };
        let Marks::Pair { inner, .. } = Marks::of(&bytes) else {
            return Ok(None);
        };
        let mut found = Foreign::new(written);
        String::from_utf8_lossy(bytes.get(inner).unwrap_or_default())
            .lines()
            .for_each(|line| found.read(line));
        Ok((!found.blocks.is_empty()).then_some(Self::Lines(found.blocks)))
    }

    /// Where it is kept.
    pub(super) fn place(&self, path: &Path) -> Result<PathBuf, Error> {
        match self {
            Self::Lines(_) => Ok(aside::lines_of(path)),
            Self::Whole => aside::place_of(path),
        }
    }

    /// Keeps it beside the file; answers where.
    pub(super) fn keep(&self, aside: &Aside<'_>, path: &Path) -> Result<PathBuf, Error> {
        match self {
            Self::Lines(lines) => aside
                .keep_lines(path, lines)
                .map(|()| aside::lines_of(path)),
            Self::Whole => aside::keep_file(path),
        }
    }
}

fn is_much(bytes: usize) -> bool {
    u64::try_from(bytes).map_or(true, |bytes| bytes >= disk::MAX_BYTES)
}

/// The lines of a file that annals did not write, found one by one: those that follow each other
/// are one text.
pub(super) struct Foreign {
    known: BTreeSet<u64>,
    pub(super) blocks: Vec<Rejected>,
    /// How many bytes that is.
    bytes: usize,
    at: usize,
    open: bool,
}

impl Foreign {
    pub(super) fn new(written: &WrittenFile) -> Self {
        let known = written.lines.iter().map(|line| line.hash).collect();
        Self {
            known,
            blocks: Vec::new(),
            bytes: 0,
            at: 0,
            open: false,
        }
    }

    /// Reads the next line.
    pub(super) fn read(&mut self, line: &str) {
        let line = if self.at == 0 {
            line.strip_prefix('\u{FEFF}').unwrap_or(line)
        } else {
            line
        };
        self.at = self.at.saturating_add(1);
        let foreign = !line.trim().is_empty() && !self.known.contains(&hash(line));
        if foreign {
            self.bytes = self.bytes.saturating_add(line.len());
            match self.blocks.last_mut().filter(|_| self.open) {
                Some(block) => block.text.extend(["\n", line]),
                None => self.blocks.push(Rejected {
                    line: self.at,
                    text: line.to_owned(),
                }),
            }
        }
        self.open = foreign;
    }
}
