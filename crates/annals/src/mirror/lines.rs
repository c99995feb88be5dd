//! A file of lines in sections, such as an agent's `MEMORY.md` and `USER.md`: both ways.

use std::collections::BTreeSet;

use annals_extraction::markdown::{CoreFormat, CoreLine, CoreSection, one_line, read_core, render_core};
use annals_types::profile::MirrorSection;
use annals_types::{Layer, NewMemory, Status};

use super::noted::{self, Noted};
use super::report::SyncedFile;
use super::{Held, Target};
use crate::Error;
use crate::engine::Arrival;

impl Target<'_> {
    /// Brings the file and the memories into step.
    pub(super) fn lines(&self) -> Result<SyncedFile, Error> {
        let mut report = SyncedFile { path: self.path.clone(), ..SyncedFile::default() };
        let sections = self.file.sections.iter();
        let format = CoreFormat {
            title: self.file.title.clone(),
            sections: sections.map(|it| CoreSection { kind: it.kind.clone(), heading: it.heading.clone() }).collect(),
            max_chars: usize::try_from(self.file.max_chars).unwrap_or(usize::MAX),
        };
        let mut bring = |text: Option<&str>, report: &mut SyncedFile| self.bring_lines(text, &format, report);
        let mut render = |report: &mut SyncedFile| self.render_lines(&format, report);
        self.in_step(&mut report, &mut bring, &mut render)?;
        Ok(report)
    }

    /// Takes over lines that a person wrote or took out since the file was written. A changed line is both.
    fn bring_lines(&self, text: Option<&str>, format: &CoreFormat, report: &mut SyncedFile) -> Result<bool, Error> {
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(false) };
        let default = self.rulebook.profile.taxonomy.default_kind.clone().unwrap_or_else(|| "fact".to_owned());
        let lines = read_core(text, format, &default);
        let before = noted::get(&self.snapshot()?, self.ns, &self.noted_as())?;
        let held = self.held()?;
        let there: BTreeSet<(&str, u64)> =
            lines.iter().map(|(kind, line)| (kind.as_str(), noted::hash(line))).collect();
        let known: BTreeSet<(&str, u64)> = before.iter().map(|noted| (noted.kind.as_str(), noted.hash)).collect();
        for (kind, line) in &lines {
            let stored = || held.iter().any(|held| held.memory.body.kind.as_str() == kind && text_of(held) == *line);
            if !known.contains(&(kind.as_str(), noted::hash(line))) && !stored() {
                self.add_line(kind, line)?;
                report.added += 1;
            }
        }
        for noted in before.iter().filter(|noted| !there.contains(&(noted.kind.as_str(), noted.hash))) {
            // What says something else by now was not what the person took out.
            let same = |held: &&Held| held.memory.id == noted.id && noted::hash(&text_of(held)) == noted.hash;
            if held.iter().any(|held| same(&held)) {
                self.engine.set_status(self.name, &[noted.id], Status::Forgotten)?;
                report.retracted += 1;
            }
        }
        Ok(true)
    }

    fn add_line(&self, kind: &str, line: &str) -> Result<(), Error> {
        let mut memory =
            NewMemory::builder(line).layer(Layer::Semantic).kind(kind).verified(true).source(self.source()?.as_str());
        let section = self.file.sections.iter().find(|section| section.kind == kind);
        if let Some(class) = section.and_then(|section| section.classes.first()) {
            memory = memory.metadata("class", class.as_str());
        }
        let prepared = self.engine.prepare(vec![memory.build()?])?;
        let arrivals = prepared.into_iter().map(|it| Arrival::new(self.engine.ids.next(self.now), it));
        self.engine.append(self.name, &arrivals.collect::<Vec<_>>())?;
        Ok(())
    }

    fn render_lines(&self, format: &CoreFormat, report: &mut SyncedFile) -> Result<String, Error> {
        let in_section = |held: &Held, section: &MirrorSection| {
            section.kind == held.memory.body.kind.as_str()
                && (section.classes.is_empty() || section.classes.contains(&held.class))
        };
        let mut held = self.held()?;
        held.retain(|held| held.memory.status == Status::Active && held.expires.is_none_or(|at| at >= self.now));
        held.retain(|held| self.file.sections.iter().any(|section| in_section(held, section)));
        let line = |held: &Held| CoreLine {
            kind: held.memory.body.kind.as_str().to_owned(),
            content: text_of(held),
            importance: held.score,
        };
        let lines: Vec<CoreLine> = held.iter().map(line).collect();
        let text = render_core(&lines, format);
        // Only what found room is noted: what did not was not taken out by anyone.
        let shown: BTreeSet<(String, String)> = read_core(&text, format, "").into_iter().collect();
        let in_file = |held: &&Held| shown.contains(&(held.memory.body.kind.as_str().to_owned(), text_of(held)));
        let all: Vec<Noted> = held.iter().filter(in_file).map(noted_line).collect();
        report.entries = all.len();
        self.note(&all)?;
        Ok(text)
    }
}

fn text_of(held: &Held) -> String {
    one_line(&held.memory.body.text)
}

fn noted_line(held: &Held) -> Noted {
    Noted {
        short: String::new(),
        id: held.memory.id,
        hash: noted::hash(&text_of(held)),
        kind: held.memory.body.kind.as_str().to_owned(),
        score: held.score,
        hits: held.hits,
        activated: held.activated,
        expires: held.expires,
    }
}
