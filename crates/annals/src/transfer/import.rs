use std::io::BufRead;

use annals_records::Chronicle;
use annals_storage::Transaction;
use annals_types::{NamespaceId, NewMemory};

use super::lines::{self, Item};
use super::position::{self, Mark};
use super::{BadLine, ImportFormat, ImportOptions, ImportReport, OnBad};
use crate::Error;
use crate::blocking::Namespace;
use crate::engine::Arrival;

/// The longest line, in bytes: far above the largest memory with its history.
const MAX_LINE_BYTES: usize = 64 << 20;

/// A line that was understood, and where it came from.
struct Entry {
    line: u64,
    bytes: Vec<u8>,
    item: Item,
}

impl Namespace {
    /// Stores the memories of `input`, a line each, batch by batch; empty lines are passed over. `progress` is called after each batch
    /// and each refused line.
    ///
    /// An import that stopped goes on with [`ImportOptions::skip_lines`] at [`ImportReport::lines_done`]; one that was killed at
    /// [`ImportPosition::lines_done`](crate::ImportPosition::lines_done), if its [`ImportOptions::source`] had a name. Exported memories that
    /// are there already are recognised, so that starting over is safe too.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) at a bad line with [`OnBad::Stop`]; [`Error::import_line`] tells which. All lines
    /// before it are stored. Also for a name of a source that is empty or has more than 16 KiB.
    pub fn import(
        &self,
        input: &mut dyn BufRead,
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        options.source.as_deref().map_or(Ok(()), position::check)?;
        let mut report = ImportReport { lines_done: options.skip_lines, ..ImportReport::default() };
        let mut batch: Vec<Entry> = Vec::new();
        let mut number = 0;
        let mut bytes = Vec::new();
        while read_line(input, &mut bytes)? {
            number += 1;
            if number <= options.skip_lines {
                continue;
            }
            if !bytes.trim_ascii().is_empty() {
                match lines::read(&bytes, options.format) {
                    Ok(item) => batch.push(Entry { line: number, bytes: bytes.clone(), item }),
                    Err(reason) => {
                        self.store_batch(&mut batch, options, &mut report)?;
                        refuse(BadLine { line: number, reason, bytes: bytes.clone() }, options, &mut report)?;
                        progress(&report);
                    }
                }
            }
            if batch.len() >= options.batch.max(1) {
                self.store_batch(&mut batch, options, &mut report)?;
                report.lines_done = number;
                progress(&report);
            }
        }
        self.store_batch(&mut batch, options, &mut report)?;
        report.lines_done = number.max(options.skip_lines);
        options.source.as_deref().map_or(Ok(()), |source| self.forget_import(source))?;
        progress(&report);
        Ok(report)
    }

    /// Stores a batch whole; when that is refused, line by line, so that the line at fault is found.
    fn store_batch(
        &self,
        batch: &mut Vec<Entry>,
        options: &ImportOptions,
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        let entries = std::mem::take(batch);
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else { return Ok(()) };
        let (before, end) = (first.line - 1, last.line);
        report.lines_done = report.lines_done.max(before);
        match self.store_items(&entries, options) {
            Ok((stored, already)) => {
                report.stored += stored;
                report.already_there += already;
            }
            Err(error) if error.is_invalid() || error.is_conflict() || error.is_not_found() => {
                for entry in &entries {
                    match self.store_items(std::slice::from_ref(entry), options) {
                        Ok((stored, already)) => {
                            report.stored += stored;
                            report.already_there += already;
                            report.lines_done = entry.line;
                        }
                        Err(error) if error.is_invalid() || error.is_conflict() || error.is_not_found() => {
                            let bytes = entry.bytes.clone();
                            refuse(BadLine { line: entry.line, reason: error.to_string(), bytes }, options, report)?;
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
            Err(error) => return Err(error),
        }
        report.lines_done = report.lines_done.max(end);
        Ok(())
    }

    /// Stores the memories of some lines in one transaction; answers how many were stored and how many were there.
    fn store_items(&self, entries: &[Entry], options: &ImportOptions) -> Result<(u64, u64), Error> {
        let engine = self.engine();
        let at = engine.now();
        let lines_done = entries.last().map_or(0, |entry| entry.line);
        let mark = options.source.as_deref().map(|source| Mark { source, lines_done, at });
        let mark = |txn: &mut Transaction<'_>, ns: NamespaceId| -> Result<(), Error> {
            Ok(mark.as_ref().map_or(Ok(()), |mark| mark.put(txn, ns))?)
        };
        let mut chronicles: Vec<Chronicle> = Vec::new();
        let mut turns: Vec<NewMemory> = Vec::new();
        for entry in entries {
            match &entry.item {
                Item::Chronicle(chronicle) => chronicles.push(Chronicle::clone(chronicle)),
                Item::Turn(turn) => turns.push(NewMemory::clone(turn)),
            }
        }
        let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        if options.format == ImportFormat::Turns {
            let turns = engine.screened(self.checked_name(), turns)?;
            let arrivals = engine.prepare(turns)?.into_iter();
            let arrivals: Vec<Arrival> = arrivals.map(|turn| Arrival::new(engine.ids.next(at), turn)).collect();
            engine.write(self.checked_name(), true, |txn, ns| {
                let done = engine.append_in(txn, ns, at, &arrivals)?;
                mark(txn, ns)?;
                Ok(done)
            })?;
            return Ok((number(arrivals.len()), 0));
        }
        let already = engine.import_chronicles(self.checked_name(), &chronicles, mark)?;
        let there = already.iter().filter(|there| **there).count();
        Ok((number(already.len() - there), number(there)))
    }
}

/// Notes a bad line, or stops there.
fn refuse(bad: BadLine, options: &ImportOptions, report: &mut ImportReport) -> Result<(), Error> {
    match options.on_bad {
        OnBad::Stop => Err(Error::bad_line(bad.line, bad.reason)),
        OnBad::Collect => {
            report.lines_done = report.lines_done.max(bad.line);
            report.bad.push(bad);
            Ok(())
        }
    }
}

/// Reads a line without its end into `line`; answers whether there was one.
fn read_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> Result<bool, Error> {
    line.clear();
    loop {
        let part = input.fill_buf().map_err(|e| Error::io("reading the import", e))?;
        if part.is_empty() {
            return Ok(!line.is_empty());
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        line.extend_from_slice(part.get(..end.unwrap_or(part.len())).unwrap_or_default());
        let used = end.map_or(part.len(), |at| at + 1);
        input.consume(used);
        if line.len() > MAX_LINE_BYTES {
            return Err(Error::bad_input(format!(
                "a line has more than {MAX_LINE_BYTES} bytes; is this a file of lines?"
            )));
        }
        if end.is_some() {
            return Ok(true);
        }
    }
}
