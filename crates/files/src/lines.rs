//! A file of lines in sections, such as an agent's `MEMORY.md` and `USER.md`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::markdown::{
    CoreFormat, CoreLine, CoreRead, CoreSection, Rejected, read_core, render_core,
};
use annals_language::one_line;
use annals_messages::Messages;
use annals_types::profile::{MirrorDirection, MirrorSection, Wording};
use annals_types::{Body, Layer, MemoryId, NewMemory, Status, Timestamp};

use crate::Target;
use crate::edits::Step;
use crate::held::FileMemory;
use crate::line_edits::LineEdits;
use crate::noted::{self, NotedMemory};
use crate::report::SyncedFile;
use annals_engine::Arrival;
use annals_engine::Error;

impl Target<'_> {
    /// Brings the file and the memories into step.
    pub(super) fn lines(&self) -> Result<SyncedFile, Error> {
        let mut report = SyncedFile::at(self.shown.clone());
        let format = self.core_format()?;
        let mut bring =
            |text: Option<&str>, report: &mut SyncedFile| self.bring_lines(text, &format, report);
        let mut render = |report: &mut SyncedFile| self.render_lines(&format, report);
        self.in_step(&mut report, &mut bring, &mut render)
            .or_else(|error| report.fails(error))?;
        Ok(report)
    }

    /// The form of the file in the language of the namespace; it is read in every language.
    pub(super) fn core_format(&self) -> Result<CoreFormat, Error> {
        let messages = self.messages()?;
        let all = self.profile.localizer.all();
        let others = |wording: &Wording| -> Vec<String> {
            all.iter()
                .map(|messages| messages.wording(wording, &[]))
                .collect()
        };
        let section = |it: &MirrorSection| CoreSection {
            kind: it.kind.clone(),
            heading: messages.wording(&it.heading, &[]),
            other_headings: others(&it.heading),
        };
        Ok(CoreFormat {
            title: messages.wording(&self.file.title, &[]),
            sections: self.file.sections.iter().map(section).collect(),
            max_chars: usize::try_from(self.file.max_chars).unwrap_or(usize::MAX),
            other_titles: others(&self.file.title),
        })
    }

    /// The messages in the language of the namespace.
    pub(super) fn messages(&self) -> Result<Arc<Messages>, Error> {
        self.engine.messages(self.profile, Some(self.ns), [])
    }

    /// Takes over lines that a person wrote, changed or took out since the file was written. Lines
    /// that can be no memory are set aside, and so are those of a file that is only written.
    pub(super) fn bring_lines(
        &self,
        text: Option<&str>,
        format: &CoreFormat,
        report: &mut SyncedFile,
    ) -> Result<bool, Error> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else {
            return Ok(false);
        };
        let default = self
            .profile
            .settings
            .taxonomy
            .default_kind
            .clone()
            .unwrap_or_else(|| "fact".to_owned());
        let mut file = read_core(text, format, &default);
        report.warnings = file.warnings.iter().map(ToString::to_string).collect();
        let record = self.record()?;
        let known = record.texts();
        let new = file
            .lines
            .iter_mut()
            .filter(|line| !known.has_in(&line.content, &line.kind));
        new.for_each(|line| self.mask(&mut line.content));
        let held = self.held()?;
        let found = LineEdits::new(&file.lines, record, &held, |held| self.shows(held));
        let mut rejected = file.rejected;
        let done = match self.file.direction {
            MirrorDirection::Both => Some(self.line_steps(found, &mut rejected, report)?),
            MirrorDirection::Out => {
                let theirs = found
                    .new
                    .iter()
                    .chain(found.edited.iter().map(|(_, line)| line));
                rejected
                    .extend(theirs.map(|it| {
                        report.refuse(it.line, &it.content, "this file is written only")
                    }));
                None
            }
        };
        rejected.sort_by_key(|block| block.line);
        self.keep_lines(&rejected, report)?;
        if let Some((steps, all)) = done {
            self.take(&steps, all)?;
        }
        Ok(true)
    }

    /// The steps for the lines of a file, and the lines that it has then.
    fn line_steps(
        &self,
        found: LineEdits<'_>,
        rejected: &mut Vec<Rejected>,
        report: &mut SyncedFile,
    ) -> Result<(Vec<Step>, Vec<NotedMemory>), Error> {
        let (mut steps, mut all) = (Vec::new(), found.stand);
        let new = found.new.into_iter().map(|line| (None, line));
        let edited = found
            .edited
            .into_iter()
            .map(|(old, line)| (Some(old), line));
        for (old, line) in new.chain(edited) {
            let made = match &old {
                None => self.new_line(line),
                Some(old) => self.edited_line(old.noted.id, line),
            };
            match made {
                Ok((id, step)) => {
                    *(if old.is_some() {
                        &mut report.updated
                    } else {
                        &mut report.added
                    }) += 1;
                    report.conflicts += usize::from(old.is_some_and(|old| old.says_other()));
                    all.push(line_note(&line.kind, &line.content, id));
                    steps.extend(step);
                }
                Err(error) if error.is_invalid() => {
                    rejected.push(report.refuse(line.line, &line.content, error));
                    all.extend(old.map(|old| old.noted));
                }
                Err(error) => return Err(error),
            }
        }
        for old in found.gone {
            if old.says_other() {
                report.keep(&old.text);
            } else {
                report.retracted += 1;
                steps.push(Step::Retract(old.noted.id));
            }
        }
        Ok((steps, all))
    }

    /// A memory that says what a line says now.
    fn edited_line(
        &self,
        id: MemoryId,
        line: &CoreRead,
    ) -> Result<(MemoryId, Option<Step>), Error> {
        let edit = |body: &mut Body| {
            line.content.clone_into(&mut body.text);
            Ok(())
        };
        Ok(self
            .say(id, None, edit)?
            .map_or((id, None), |(id, step)| (id, Some(step))))
    }

    fn new_line(
        &self,
        CoreRead { kind, content, .. }: &CoreRead,
    ) -> Result<(MemoryId, Option<Step>), Error> {
        let source = self.source()?;
        let mut memory = NewMemory::builder(content.as_str())
            .layer(Layer::Semantic)
            .kind(kind.as_str())
            .verified(true)
            .source(source.as_str());
        let section = self
            .file
            .sections
            .iter()
            .find(|section| section.kind == *kind);
        if let Some(class) = section.and_then(|section| section.classes.first()) {
            memory = memory.metadata("class", class.as_str());
        }
        let arrival = Arrival::new(
            self.engine.ids.next(self.now),
            self.prepared(memory.build()?.by_hand())?,
        );
        Ok((arrival.id, Some(Step::Add(vec![arrival]))))
    }

    /// Whether the file has a section for a memory.
    fn shows(&self, held: &FileMemory) -> bool {
        let of = |section: &MirrorSection| {
            section.kind == held.memory.body.kind.as_str()
                && (section.classes.is_empty() || section.classes.contains(&held.class))
        };
        held.memory.status == Status::Active
            && held.expires.is_none_or(|at| at >= self.now)
            && self.file.sections.iter().any(of)
    }

    fn render_lines(
        &self,
        format: &CoreFormat,
        report: &mut SyncedFile,
    ) -> Result<(String, Vec<NotedMemory>), Error> {
        let mut held = self.held()?;
        held.retain(|held| self.shows(held));
        let line = |held: &FileMemory| CoreLine {
            kind: held.memory.body.kind.as_str().to_owned(),
            content: text_of(held),
            importance: held.score,
        };
        let lines: Vec<CoreLine> = held.iter().map(line).collect();
        let text = render_core(&lines, format);
        // Only what found room is noted: what did not was not taken out by anyone.
        let lines = read_core(&text, format, "").lines;
        let place: BTreeMap<(&str, &str), usize> = lines
            .iter()
            .map(|it| ((it.kind.as_str(), it.content.as_str()), it.line))
            .collect();
        let placed = |held: &FileMemory| {
            let (kind, text) = (held.memory.body.kind.as_str(), text_of(held));
            Some((
                *place.get(&(kind, text.as_str()))?,
                line_note(kind, &text, held.memory.id),
            ))
        };
        let mut all: Vec<(usize, NotedMemory)> = held.iter().filter_map(placed).collect();
        // In the order of the file: where a line stood helps to tell what became of it.
        all.sort_by_key(|(line, _)| *line);
        let all: Vec<NotedMemory> = all.into_iter().map(|(_, noted)| noted).collect();
        report.entries = all.len();
        Ok((text, all))
    }
}

/// A line says what a memory says, and nothing of what it is worth.
pub(super) fn line_note(kind: &str, line: &str, id: MemoryId) -> NotedMemory {
    NotedMemory {
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

pub(super) fn text_of(held: &FileMemory) -> String {
    one_line(&held.memory.body.text)
}
