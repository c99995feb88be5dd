use std::collections::{BTreeMap, VecDeque};
use std::io::BufRead;

use annals_graph::DumpLine;
use annals_storage::Transaction;
use annals_types::{NamespaceId, NewMemory};

use crate::Transfers;
use crate::import_log::Note;
use crate::import_runs::RunNote;
use crate::judged::JudgedLine;
use crate::lines::{self, ExportedMemory, Item, Refused};
use crate::position::{self, Mark};
use crate::turns_in::TurnsIn;
use crate::{BYTE_ORDER_MARK, BadLine, ImportFormat, ImportOptions, ImportReport, OnBad, rows};
use annals_engine::Error;
use annals_engine::Kept;

/// The longest line, in bytes: far above the largest memory with its history.
const MAX_LINE_BYTES: usize = 64 << 20;
/// The most bytes of lines that are refused and kept for whoever asked for them.
const MAX_REFUSED_BYTES: usize = 32 << 20;
/// Entities looked at in one transaction when an import has ended.
const SWEPT: usize = 10_000;

/// The most bytes of lines that are read before the first of them is stored. Lines of turns are
/// read as far as that where their session has had turns: whether a turn is known may depend on
/// all turns behind it.
const AHEAD_BYTES: usize = 32 << 20;

/// A line that was understood, and where it came from.
struct Entry {
    line: u64,
    bytes: Vec<u8>,
    item: Item,
    /// How a turn is known later.
    note: Option<Note>,
}

impl Entry {
    fn turn(&self) -> Option<&NewMemory> {
        if let Item::Turn(turn) = &self.item {
            Some(turn)
        } else {
            None
        }
    }
}

/// The lines of an import, as far as they were read.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    options: &'a ImportOptions,
    read: VecDeque<Result<Entry, BadLine>>,
    bytes: usize,
    number: u64,
    /// How many were left out since they do more than bring memories, by their kind.
    withheld: BTreeMap<String, u64>,
    /// There are no more, or no more can be read.
    ended: bool,
    failed: Option<Error>,
}

impl Lines<'_> {
    /// Reads so many lines, and for turns some more.
    fn fill(&mut self, most: usize, arrivals: &mut TurnsIn<'_>) -> Result<(), Error> {
        let turns = self.options.format == ImportFormat::Turns;
        let mut line = Vec::new();
        let fits = |read: usize, bytes: usize| read == 0 || (read < most && bytes < AHEAD_BYTES);
        while !self.ended
            && (fits(self.read.len(), self.bytes)
                || (arrivals.goes_on() && self.bytes < AHEAD_BYTES))
        {
            match read_line(self.input, &mut line) {
                Ok(there) => self.ended = !there,
                Err(error) => (self.ended, self.failed) = (true, Some(error)),
            }
            if self.ended {
                break;
            }
            self.number += 1;
            if self.number == 1 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            if self.number <= self.options.skip_lines {
                if turns {
                    arrivals.pass(&line)?;
                }
                continue;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let (number, bytes) = (self.number, line.clone());
            let read = lines::read(&line, self.options.format);
            if self.options.only_memories
                && let Some(kind) = read.as_ref().ok().and_then(Item::more_than_memories)
            {
                *self.withheld.entry(kind.to_owned()).or_default() += 1;
                continue;
            }
            self.bytes += line.len();
            let read = match read {
                Ok(item) => Ok(Entry {
                    line: number,
                    bytes,
                    item,
                    note: None,
                }),
                Err(Refused { reason, wording }) => Err(BadLine {
                    line: number,
                    reason,
                    wording,
                    bytes,
                }),
            };
            if let Ok(Entry {
                item: Item::Turn(turn),
                ..
            }) = &read
            {
                arrivals.hear(turn, false)?;
            }
            self.read.push_back(read);
        }
        Ok(())
    }

    /// The next lines up to one that was not understood, or that one.
    fn next(&mut self, most: usize) -> Result<Vec<Entry>, BadLine> {
        let mut batch = Vec::new();
        while batch.len() < most {
            match self.read.pop_front() {
                Some(Ok(entry)) => batch.push(entry),
                Some(Err(bad)) if batch.is_empty() => {
                    self.bytes = self.bytes.saturating_sub(bad.bytes.len());
                    return Err(bad);
                }
                Some(bad) => {
                    self.read.push_front(bad);
                    break;
                }
                None => break,
            }
        }
        self.bytes = self
            .bytes
            .saturating_sub(batch.iter().map(|entry| entry.bytes.len()).sum());
        Ok(batch)
    }
}

impl Transfers<'_> {
    /// Stores the lines of `input`, batch by batch; empty lines are passed over. `progress` is
    /// called after each batch and each refused line.
    ///
    /// An import that stopped goes on with [`ImportOptions::skip_lines`] at
    /// [`ImportReport::lines_done`]; one that was killed, at
    /// [`ImportPosition::lines_done`](crate::ImportPosition::lines_done), if its
    /// [`ImportOptions::source`] had a name. Lines of an export that are stored already are
    /// recognised, so that starting over is safe too.
    ///
    /// Turns are recognised by their ids, else by session, time, role and text. Turns with neither
    /// are recognised by the turns around them, so that a single one of these is new each time. A
    /// turn whose id is known and whose text is another is stored. Turns that were deleted since
    /// an import brought something into their session stay away, unless
    /// [`ImportOptions::bring_back`] is set.
    ///
    /// A namespace that does not exist begins with the profile that the export names. One that
    /// exists keeps its own, and memories whose class it does not know begin their life anew.
    /// Where it gives them no life, they keep the one that they bring. Entities, triples and
    /// merges keep their numbers: a namespace that has other ones under them refuses those lines.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](annals_engine::ErrorKind::Invalid) at a bad line with
    /// [`OnBad::Stop`]; [`Error::import_line`] tells which. All lines before it are stored. Also
    /// for a name of a source that is empty or has more than 16 KiB.
    pub fn import(
        &self,
        input: &mut dyn BufRead,
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        options.source.as_deref().map_or(Ok(()), position::check)?;
        self.import_here(input, options, progress)
    }

    fn import_here(
        &self,
        input: &mut dyn BufRead,
        options: &ImportOptions,
        progress: &mut dyn FnMut(&ImportReport),
    ) -> Result<ImportReport, Error> {
        let mut report = ImportReport {
            lines_done: options.skip_lines,
            ..ImportReport::default()
        };
        let mut arrivals = TurnsIn::new(self, options);
        let (read, most) = (VecDeque::new(), options.batch.max(1));
        let mut lines = Lines {
            input,
            options,
            read,
            bytes: 0,
            number: 0,
            withheld: BTreeMap::new(),
            ended: false,
            failed: None,
        };
        loop {
            lines.fill(most, &mut arrivals)?;
            match lines.next(most) {
                Ok(batch) if batch.is_empty() => break,
                Ok(batch) => self.store_batch(batch, (&mut arrivals, options), &mut report)?,
                Err(bad) => refuse(bad, options, &mut report)?,
            }
            progress(&report);
        }
        if let Some(error) = lines.failed {
            return Err(error);
        }
        report.lines_done = lines.number.max(options.skip_lines);
        report.withheld = lines.withheld;
        let ended = self.ended_imports(options.source.as_deref())?;
        let brought = report.graph_stored > 0 || (options.skip_lines > 0 && self.id()?.is_some());
        // Another import that has not ended may have brought entities before what speaks of them.
        if (brought || !ended.given_up.is_empty()) && !ended.others_go_on {
            self.sweep_graph()?;
        }
        let own = options.source.as_deref().filter(|_| ended.own);
        self.forget_imports(
            own.into_iter()
                .chain(ended.given_up.iter().map(String::as_str)),
        )?;
        progress(&report);
        Ok(report)
    }

    /// Stores a batch whole; when that is refused, line by line, so that the line at fault is
    /// found.
    fn store_batch(
        &self,
        mut entries: Vec<Entry>,
        (arrivals, options): (&mut TurnsIn<'_>, &ImportOptions),
        report: &mut ImportReport,
    ) -> Result<(), Error> {
        let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
            return Ok(());
        };
        let (before, end) = (first.line - 1, last.line);
        report.lines_done = report.lines_done.max(before);
        let lock = match options.format {
            ImportFormat::Turns => Some(
                self.engine()
                    .import_locks
                    .of(self.engine().made(self.entry()?)?),
            ),
            ImportFormat::Export => None,
        };
        let _locked = lock.as_ref().map(|lock| lock.lock());
        if options.format == ImportFormat::Turns {
            let fates = arrivals.sort(entries.len())?;
            report.sorted(&fates, options.bring_back);
            let kept = entries
                .into_iter()
                .zip(fates)
                .filter(|(_, fate)| fate.is_to_store(options.bring_back));
            entries = kept
                .map(|(entry, fate)| Entry {
                    note: fate.note,
                    ..entry
                })
                .collect();
        }
        match self.store_items(&entries, options, arrivals) {
            Ok(stored) => report.add(&stored),
            Err(error) if is_of_lines(&error) => {
                for entry in &entries {
                    match self.store_items(std::slice::from_ref(entry), options, arrivals) {
                        Ok(stored) => {
                            report.add(&stored);
                            report.lines_done = entry.line;
                        }
                        Err(error) if is_of_lines(&error) => {
                            let bytes = entry.bytes.clone();
                            let bad = BadLine {
                                line: entry.line,
                                reason: error.to_string(),
                                wording: error.wording(),
                                bytes,
                            };
                            refuse(bad, options, report)?;
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

    /// Stores some lines in one transaction.
    fn store_items(
        &self,
        entries: &[Entry],
        options: &ImportOptions,
        arrivals: &mut TurnsIn<'_>,
    ) -> Result<BatchCounts, Error> {
        let Some(lines_done) = entries.last().map(|entry| entry.line) else {
            return Ok(BatchCounts::default());
        };
        let engine = self.engine();
        let at = engine.now();
        let mark = options.source.as_deref().map(|source| Mark {
            source,
            lines_done,
            at,
        });
        let mark = |txn: &mut Transaction<'_>, ns: NamespaceId| -> Result<(), Error> {
            Ok(mark.as_ref().map_or(Ok(()), |mark| mark.put(txn, ns))?)
        };
        if options.format == ImportFormat::Turns {
            let turns = entries
                .iter()
                .filter_map(|entry| Some((entry.turn()?.clone(), entry.note)))
                .collect();
            return Ok(BatchCounts {
                memories: arrivals.store(turns, mark)?,
                ..BatchCounts::default()
            });
        }
        let mut exported: Vec<ExportedMemory> = Vec::new();
        let mut graph: Vec<DumpLine> = Vec::new();
        let mut judged: Vec<JudgedLine> = Vec::new();
        let mut heads = 0;
        for entry in entries {
            match &entry.item {
                Item::Head(head) => {
                    engine.begin_import(self.entry()?, head.profile.as_str(), head.last_pass)?;
                    heads += 1;
                }
                Item::Memory(one) => exported.push(ExportedMemory::clone(one)),
                Item::Graph(line) => graph.push(DumpLine::clone(line)),
                Item::Judged(line) => judged.push(JudgedLine::clone(line)),
                Item::Turn(_) => {}
            }
        }
        let (entry, run) = (self.entry()?, RunNote::of(options));
        if let Some(screen) = engine.screen(entry)? {
            for version in exported
                .iter_mut()
                .flat_map(|exported| &mut exported.chronicle.revisions)
            {
                screen.body(&mut version.memory)?;
            }
            graph.iter_mut().try_for_each(|line| screen.line(line))?;
            judged.iter_mut().try_for_each(|line| {
                screen.through(|rewrite| line.rewrite(&engine.extensions, rewrite))
            })?;
        }
        let exported: Vec<&ExportedMemory> = exported.iter().collect();
        let (already, (known, kept)) =
            engine.import_memories(entry, &exported, |cx, already| {
                for (exported, _) in exported
                    .iter()
                    .zip(already)
                    .filter(|(_, already)| !**already)
                {
                    run.put(cx.txn, cx.ns, exported.chronicle.id)?;
                }
                let rows = rows::find(cx.txn, cx.ns, &graph)?;
                rows::check(cx.txn, cx.ns, &graph, &rows)?;
                let known =
                    annals_graph::restore(cx.txn, cx.ns, &graph, &|name| rows.get(name).copied())?;
                let kept: Vec<Kept> = judged
                    .iter()
                    .map(|line| line.store(cx))
                    .collect::<Result<_, _>>()?;
                mark(cx.txn, cx.ns)?;
                Ok((known, kept))
            })?;
        let judged = |what: Kept| count(kept.iter().filter(|kept| **kept == what).count());
        let there = |already: &[bool]| count(already.iter().filter(|there| **there).count());
        Ok(BatchCounts {
            memories: count(already.len()) - there(&already),
            memories_already: there(&already),
            graph: count(known.len()) - there(&known),
            graph_already: there(&known) + heads + judged(Kept::There),
            judged: judged(Kept::New(())),
            left_out: judged(Kept::LeftOut),
        })
    }

    /// Takes away entities whose triples never came.
    fn sweep_graph(&self) -> Result<(), Error> {
        let mut after = None;
        loop {
            after = self.engine().change_graph(self.existing()?, |txn, scope| {
                Ok(annals_graph::sweep(txn, scope.ns, after, SWEPT)?)
            })?;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Whether a refusal is about lines; that the namespace has gone is not.
fn is_of_lines(error: &Error) -> bool {
    !error.is_gone() && (error.is_invalid() || error.is_conflict() || error.is_not_found())
}

/// The counts of one transaction of an import.
#[derive(Default)]
struct BatchCounts {
    memories: u64,
    memories_already: u64,
    graph: u64,
    graph_already: u64,
    judged: u64,
    left_out: u64,
}

impl ImportReport {
    /// Adds what another part of the same import brought.
    pub fn merge(&mut self, part: Self) {
        self.lines_done += part.lines_done;
        self.stored += part.stored;
        self.already_there += part.already_there;
        self.deleted += part.deleted;
        self.differing += part.differing;
        self.graph_stored += part.graph_stored;
        self.graph_already_there += part.graph_already_there;
        self.judged_stored += part.judged_stored;
        self.left_out += part.left_out;
        for (kind, count) in part.withheld {
            *self.withheld.entry(kind).or_default() += count;
        }
        self.bad.extend(part.bad);
    }

    fn add(&mut self, stored: &BatchCounts) {
        self.stored += stored.memories;
        self.already_there += stored.memories_already;
        self.graph_stored += stored.graph;
        self.graph_already_there += stored.graph_already;
        self.judged_stored += stored.judged;
        self.left_out += stored.left_out;
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Notes a bad line, or stops there.
fn refuse(bad: BadLine, options: &ImportOptions, report: &mut ImportReport) -> Result<(), Error> {
    match options.on_bad {
        OnBad::Stop => Err(Error::bad_line_worded(bad.line, bad.reason, bad.wording)),
        OnBad::Collect => {
            let refused = report.bad.iter().map(|bad| bad.bytes.len()).sum::<usize>();
            if refused.saturating_add(bad.bytes.len()) > MAX_REFUSED_BYTES {
                return Err(Error::bad_line(
                    bad.line,
                    format!(
                        "more than {} MiB of lines cannot be stored; is this the right file?",
                        MAX_REFUSED_BYTES >> 20
                    ),
                ));
            }
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
        let part = input
            .fill_buf()
            .map_err(|e| Error::io("reading the import", e))?;
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
