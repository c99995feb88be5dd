//! A file of lines in sections, such as an agent's `MEMORY.md` and `USER.md`.

use std::collections::BTreeSet;

use annals_extraction::markdown::{CoreFormat, CoreLine, CoreRead, CoreSection, one_line, read_core, render_core};
use annals_types::profile::{MirrorDirection, MirrorSection};
use annals_types::{Layer, MemoryId, NewMemory, Status, Timestamp};

use super::held::Held;
use super::noted::{self, Noted};
use super::report::SyncedFile;
use super::{Target, record, retracted};
use crate::Error;
use crate::engine::{Arrival, Change, Place, set_status_in};

impl Target<'_> {
    /// Brings the file and the memories into step.
    pub(super) fn lines(&self) -> Result<SyncedFile, Error> {
        let mut report = SyncedFile::at(self.shown.clone());
        let format = self.core_format();
        let mut bring = |text: Option<&str>, report: &mut SyncedFile| self.bring_lines(text, &format, report);
        let mut render = |report: &mut SyncedFile| self.render_lines(&format, report);
        self.in_step(&mut report, &mut bring, &mut render).or_else(|error| report.fails(error))?;
        Ok(report)
    }

    pub(super) fn core_format(&self) -> CoreFormat {
        let section = |it: &MirrorSection| CoreSection { kind: it.kind.clone(), heading: it.heading.clone() };
        CoreFormat {
            title: self.file.title.clone(),
            sections: self.file.sections.iter().map(section).collect(),
            max_chars: usize::try_from(self.file.max_chars).unwrap_or(usize::MAX),
        }
    }

    /// Takes over lines that a person wrote or took out since the file was written. A changed line is both. What can be no memory is set aside,
    /// and so is what stands in a file that is written only.
    pub(super) fn bring_lines(
        &self,
        text: Option<&str>,
        format: &CoreFormat,
        report: &mut SyncedFile,
    ) -> Result<bool, Error> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(false) };
        let default = self.rulebook.profile.taxonomy.default_kind.clone().unwrap_or_else(|| "fact".to_owned());
        let mut file = read_core(text, format, &default);
        report.warnings = file.warnings.iter().map(ToString::to_string).collect();
        let mut rejected = file.rejected;
        let record = self.record()?;
        let new = file.lines.iter_mut().filter(|line| !record.says(&line.content, &line.kind));
        new.for_each(|line| self.mask(&mut line.content));
        let there: BTreeSet<(&str, u64)> =
            file.lines.iter().map(|line| (line.kind.as_str(), noted::hash(&line.content))).collect();
        let stands = |noted: &Noted| there.contains(&(noted.kind.as_str(), noted.hash)).then_some(true);
        let before = record.baseline(stands);
        let held = self.held()?;
        let mut known: BTreeSet<(&str, u64)> = before.iter().map(|noted| (noted.kind.as_str(), noted.hash)).collect();
        let mut added = Vec::new();
        let mut all: Vec<Noted> = before.iter().filter(|noted| stands(noted).is_some()).cloned().collect();
        for CoreRead { kind, content, line } in &file.lines {
            // The same line twice says it once.
            if !known.insert((kind.as_str(), noted::hash(content))) {
                continue;
            }
            // A memory that the file does not show is not what the person wrote: it may be about to end.
            let same = |held: &&Held| held.memory.body.kind.as_str() == kind && text_of(held) == *content;
            let stored = held.iter().find(|held| same(held) && self.shows(held));
            if let Some(held) = stored {
                all.push(line_note(kind, content, held.memory.id));
                continue;
            }
            if self.file.direction == MirrorDirection::Out {
                rejected.push(report.refuse(*line, content, "this file is written only"));
                continue;
            }
            match self.new_line(kind, content) {
                Ok(arrival) => {
                    all.push(line_note(kind, content, arrival.id));
                    added.push(arrival);
                }
                Err(error) if error.is_invalid() => rejected.push(report.refuse(*line, content, error)),
                Err(error) => return Err(error),
            }
        }
        rejected.sort_by_key(|block| block.line);
        self.aside().keep_lines(&self.path, &rejected)?;
        if self.file.direction == MirrorDirection::Out {
            return Ok(true);
        }
        // What says something else by now was not what the person took out.
        let same = |noted: &&Noted| {
            held.iter().any(|held| held.memory.id == noted.id && noted::hash(&text_of(held)) == noted.hash)
        };
        let gone = before.iter().filter(|noted| stands(noted).is_none()).filter(same);
        let gone: Vec<MemoryId> = gone.map(|noted| noted.id).collect();
        report.added += added.len();
        report.retracted += gone.len();
        self.take_lines(&added, &gone, all)?;
        Ok(true)
    }

    /// Stores new lines, forgets those that were taken out, and notes what the file says, in one transaction.
    fn take_lines(&self, added: &[Arrival], gone: &[MemoryId], all: Vec<Noted>) -> Result<(), Error> {
        let mut record = self.record()?;
        if added.is_empty() && gone.is_empty() && record.is(&all) {
            return Ok(());
        }
        record.note(all);
        let source = self.source()?;
        let ns = self.ns;
        self.write(|txn| {
            let at = Place { ns, now: self.now, rulebook: self.rulebook };
            let (_, appended) = self.engine.append_in(txn, ns, self.now, added)?;
            let rows = annals_records::find_rows(&*txn, ns, gone)?;
            let there: Vec<MemoryId> =
                gone.iter().zip(rows).filter(|(_, row)| row.is_some()).map(|(id, _)| *id).collect();
            let (_, forgotten) = set_status_in(txn, at, &there, Status::Forgotten)?;
            retracted::note(txn, (ns, self.now), &there, source.as_str())?;
            record::put(txn, ns, &self.path, &record)?;
            Ok(((), Change::all([appended, forgotten])))
        })
    }

    fn new_line(&self, kind: &str, line: &str) -> Result<Arrival, Error> {
        let mut memory =
            NewMemory::builder(line).layer(Layer::Semantic).kind(kind).verified(true).source(self.source()?.as_str());
        let section = self.file.sections.iter().find(|section| section.kind == kind);
        if let Some(class) = section.and_then(|section| section.classes.first()) {
            memory = memory.metadata("class", class.as_str());
        }
        Ok(Arrival::new(self.engine.ids.next(self.now), self.prepared(memory.build()?)?))
    }

    /// Whether the file has a section for a memory.
    fn shows(&self, held: &Held) -> bool {
        let of = |section: &MirrorSection| {
            section.kind == held.memory.body.kind.as_str()
                && (section.classes.is_empty() || section.classes.contains(&held.class))
        };
        held.memory.status == Status::Active
            && held.expires.is_none_or(|at| at >= self.now)
            && self.file.sections.iter().any(of)
    }

    fn render_lines(&self, format: &CoreFormat, report: &mut SyncedFile) -> Result<(String, Vec<Noted>), Error> {
        let mut held = self.held()?;
        held.retain(|held| self.shows(held));
        let line = |held: &Held| CoreLine {
            kind: held.memory.body.kind.as_str().to_owned(),
            content: text_of(held),
            importance: held.score,
        };
        let lines: Vec<CoreLine> = held.iter().map(line).collect();
        let text = render_core(&lines, format);
        // Only what found room is noted: what did not was not taken out by anyone.
        let lines = read_core(&text, format, "").lines;
        let shown: BTreeSet<(String, String)> = lines.into_iter().map(|line| (line.kind, line.content)).collect();
        let in_file = |held: &&Held| shown.contains(&(held.memory.body.kind.as_str().to_owned(), text_of(held)));
        let note = |held: &Held| line_note(held.memory.body.kind.as_str(), &text_of(held), held.memory.id);
        let all: Vec<Noted> = held.iter().filter(in_file).map(note).collect();
        report.entries = all.len();
        Ok((text, all))
    }
}

/// A line says what a memory says, and nothing of what it is worth.
fn line_note(kind: &str, line: &str, id: MemoryId) -> Noted {
    Noted {
        short: String::new(),
        id,
        hash: noted::hash(line),
        kind: kind.to_owned(),
        score: 0.0,
        hits: 0,
        activated: Timestamp::default(),
        expires: None,
    }
}

fn text_of(held: &Held) -> String {
    one_line(&held.memory.body.text)
}
