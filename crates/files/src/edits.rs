//! Edits of a person in a file are applied to the memories.

use std::collections::{BTreeMap, BTreeSet};

use crate::markdown::{Entry, File};
use annals_lifecycle::State;
use annals_types::{
    Body, Kind, Label, Layer, MemoryId, NewMemory, Row, Said, Status, Timestamp, UnitScore, Value,
};

use crate::noted::NotedMemory;
use crate::report::SyncedFile;
use crate::{Target, entries, record, retracted};
use annals_engine::Error;
use annals_engine::effect::Effect;
use annals_engine::privacy::{Screen, screened};
use annals_engine::{Arrival, Prepared, WriteCx, as_importance, changed, set_status_in};

/// The most memories that are prepared at a time.
const PREPARED: usize = 1_000;

/// One edit of a person.
pub(super) enum Edit {
    /// A memory that is new.
    Add(Entry),
    /// A memory that is there has this name in the file.
    Name { id: MemoryId, entry: Entry },
    /// The memory has another text (`text`), category or expiry (`filed`) or score (`rescored`)
    /// now. `confirmed` means that its text is unchanged and its score no lower; `conflict` that
    /// the memory changed by itself, too.
    Change {
        id: MemoryId,
        entry: Entry,
        text: Option<String>,
        filed: bool,
        rescored: bool,
        confirmed: bool,
        conflict: bool,
    },
    /// A memory that is wrong.
    Retract(MemoryId),
    /// A memory that says something else by now than what was taken out.
    Keep { id: MemoryId, text: String },
}

/// A change of a memory, with everything that is made outside of transactions.
pub(super) enum Step {
    /// Memories that are new, of which nothing else is known.
    Add(Vec<Arrival>),
    /// Memories that are new, each with the entry that says the rest of it.
    AddEntries(Vec<Arrival>, Vec<Entry>),
    /// It gets this text, under an id of its own where texts have that.
    Say {
        id: MemoryId,
        own_id: Option<MemoryId>,
        said: Box<Prepared>,
    },
    /// It gets the hits and the date of the file, and the score (`rescored`) or the expiry
    /// (`filed`) where a person changed that.
    Worth {
        id: MemoryId,
        entry: Entry,
        rescored: bool,
        filed: bool,
    },
    Retract(MemoryId),
}

impl Step {
    /// The memory that it changes, where that is there already.
    const fn known(&self) -> Option<MemoryId> {
        match self {
            Self::Add(_) | Self::AddEntries(..) => None,
            Self::Say { id, .. } | Self::Worth { id, .. } | Self::Retract(id) => Some(*id),
        }
    }
}

impl Edit {
    /// The memory that the file has an entry of.
    pub(super) const fn named(&self) -> Option<MemoryId> {
        match self {
            Self::Name { id, .. } | Self::Change { id, .. } => Some(*id),
            Self::Add(_) | Self::Retract(_) | Self::Keep { .. } => None,
        }
    }

    const fn entry(&self) -> Option<&Entry> {
        match self {
            Self::Add(entry) | Self::Name { entry, .. } | Self::Change { entry, .. } => Some(entry),
            Self::Retract(_) | Self::Keep { .. } => None,
        }
    }

    fn count(&self, report: &mut SyncedFile) {
        match self {
            Self::Add(_) | Self::Name { .. } => {}
            Self::Change {
                confirmed,
                conflict,
                ..
            } => {
                *(if *confirmed {
                    &mut report.confirmed
                } else {
                    &mut report.updated
                }) += 1;
                report.conflicts += usize::from(*conflict);
            }
            Self::Retract(_) => report.retracted += 1,
            Self::Keep { text, .. } => report.keep(text),
        }
    }
}

impl Target<'_> {
    /// Applies the edits of a person, in one transaction with the note of the text that the file
    /// has then: `before`, and the edits. Entries that the profile does not let be stored are
    /// reported and set aside.
    pub(super) fn carry_out(
        &self,
        edits: Vec<Edit>,
        before: Vec<NotedMemory>,
        file: &File,
        report: &mut SyncedFile,
    ) -> Result<(), Error> {
        let mut names: BTreeMap<String, NotedMemory> = before
            .into_iter()
            .map(|noted| (noted.short.clone(), noted))
            .collect();
        let stood: BTreeMap<&str, usize> = file
            .entries
            .iter()
            .map(|read| (read.entry.id.as_str(), read.line))
            .collect();
        let mut gone: BTreeSet<MemoryId> = BTreeSet::new();
        let mut steps = Vec::with_capacity(edits.len());
        let (mut new, mut refused) = (Vec::new(), Vec::new());
        let mut refuse = |entry: &Entry, error: Error, report: &mut SyncedFile| {
            let line = stood.get(entry.id.as_str()).copied().unwrap_or(1);
            refused.push(report.refuse(line, &entry.content, &error));
        };
        for edit in edits {
            if let Edit::Add(entry) = edit {
                match self.new_memory(&entry) {
                    Ok(memory) => new.push((entry, memory)),
                    Err(error) if error.is_invalid() => refuse(&entry, error, report),
                    Err(error) => return Err(error),
                }
                continue;
            }
            let (id, made) = match (self.steps(&edit), edit.entry()) {
                (Err(error), Some(entry)) if error.is_invalid() => {
                    refuse(entry, error, report);
                    continue;
                }
                (done, _) => done?,
            };
            edit.count(report);
            match (edit.entry(), id) {
                (Some(entry), Some(id)) => {
                    drop(names.insert(entry.id.clone(), entries::note(entry, id)))
                }
                (None, Some(id)) => drop(gone.insert(id)),
                (_, None) => {}
            }
            steps.extend(made);
        }
        let mut arrivals = Vec::with_capacity(new.len());
        let mut entries = Vec::with_capacity(new.len());
        let mut new = new.into_iter();
        loop {
            let some: Vec<(Entry, NewMemory)> = new.by_ref().take(PREPARED).collect();
            if some.is_empty() {
                break;
            }
            for (entry, prepared) in
                self.prepared_or_refused(some, &mut |entry, error| refuse(entry, error, report))?
            {
                let arrival = self.arrival(&entry, prepared);
                report.added += 1;
                names.insert(entry.id.clone(), entries::note(&entry, arrival.id));
                arrivals.push(arrival);
                entries.push(entry);
            }
        }
        if !arrivals.is_empty() {
            steps.push(Step::AddEntries(arrivals, entries));
        }
        names.retain(|_, noted| !gone.contains(&noted.id));
        self.keep_lines(&refused, report)?;
        self.take(&steps, names.into_values().collect())
    }

    /// Takes steps in one transaction with the note of what the file says then.
    pub(super) fn take(&self, steps: &[Step], all: Vec<NotedMemory>) -> Result<(), Error> {
        let mut record = self.record()?;
        if steps.is_empty() && record.is(&all) {
            return Ok(());
        }
        record.note(all);
        self.write(|cx| {
            let ids: Vec<MemoryId> = steps.iter().filter_map(Step::known).collect();
            let before = changed::worth(cx, &ids)?;
            let mut effects = Vec::new();
            for step in steps {
                self.take_in(cx, step, &mut effects)?;
            }
            changed::note_sync(cx, (before, effects))?;
            record::put(cx.txn, self.ns, &self.path, &record)?;
            Ok(())
        })
    }

    /// The memory that an edit leaves in the file or takes out of it, under the id that it has
    /// afterwards, and the steps of the edit.
    fn steps(&self, edit: &Edit) -> Result<(Option<MemoryId>, Vec<Step>), Error> {
        Ok(match edit {
            Edit::Add(_) => (None, Vec::new()),
            Edit::Name { id, .. } => (Some(*id), Vec::new()),
            Edit::Change {
                id,
                entry,
                text,
                filed,
                rescored,
                ..
            } => {
                let importance = rescored.then_some(entry.score);
                let say = self.say(*id, importance, |body| {
                    self.file_as(body, entry, text.as_deref())
                })?;
                let id = say.as_ref().map_or(*id, |(id, _)| *id);
                let worth = Step::Worth {
                    id,
                    entry: entry.clone(),
                    rescored: *rescored,
                    filed: *filed,
                };
                (
                    Some(id),
                    say.map(|(_, say)| say).into_iter().chain([worth]).collect(),
                )
            }
            Edit::Retract(id) => (Some(*id), vec![Step::Retract(*id)]),
            Edit::Keep { .. } => (None, Vec::new()),
        })
    }

    /// Takes a step; adds to `effects` what is needed to take it back.
    fn take_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        step: &Step,
        effects: &mut Vec<Effect>,
    ) -> Result<(), Error> {
        let is_gone = |cx: &WriteCx<'_, '_>, id| -> Result<bool, Error> {
            Ok(annals_records::find_rows(cx.txn, cx.ns, &[id])?
                .pop()
                .flatten()
                .is_none())
        };
        match step {
            Step::Add(arrivals) => drop(self.engine.append_in(cx, arrivals)?),
            Step::AddEntries(arrivals, entries) => {
                self.engine.append_in(cx, arrivals)?;
                let ids: Vec<MemoryId> = arrivals.iter().map(|arrival| arrival.id).collect();
                set_worth(cx, &ids, entries, (true, false))?;
            }
            Step::Say { id, .. } | Step::Retract(id) if is_gone(cx, *id)? => {}
            Step::Say { id, own_id, said } => {
                let before =
                    annals_records::get(&*cx.txn, cx.ns, *id, None)?.map(|(_, memory)| memory);
                let updated =
                    self.engine
                        .say_in(cx, (*id, *own_id), said, annals_graph::Yield::Same)?;
                if let Some(before) = before {
                    effects.extend(changed::edited(cx, (&before, None), (&updated, false))?);
                }
            }
            Step::Worth {
                id,
                entry,
                rescored,
                filed,
            } => {
                set_worth(cx, &[*id], std::slice::from_ref(entry), (*rescored, *filed))?;
            }
            Step::Retract(id) => {
                retracted::note(cx, &[*id], self.source()?.as_str())?;
                let set = set_status_in(cx, &[*id], Status::Forgotten)?;
                effects.extend(changed::status_effects(&set));
            }
        }
        Ok(())
    }

    /// Masks in a text of a person what the profile masks.
    pub(super) fn mask(&self, text: &mut String) {
        let screen = self.screen();
        if let Some(other) = screen.and_then(|screen| screen.masked(text)) {
            *text = other;
        }
    }

    /// The source that memories from this file name.
    pub(super) fn source(&self) -> Result<Label, Error> {
        let name = self
            .path
            .file_name()
            .map(|name| name.to_string_lossy().trim().to_owned())
            .unwrap_or_default();
        Ok(Label::new("source", name).or_else(|_| Label::new("source", "a file"))?)
    }

    /// A memory that a person wrote, as the profile lets it be stored.
    fn new_memory(&self, entry: &Entry) -> Result<NewMemory, Error> {
        let mut memory = NewMemory::builder(entry.content.as_str())
            .layer(Layer::Semantic)
            .verified(true)
            .source(self.source()?.as_str());
        let kinds = &self.profile.settings.taxonomy.kinds;
        if kinds.is_empty() || kinds.iter().any(|kind| kind.id == entry.category) {
            memory = memory.kind(entry.category.as_str());
        } else {
            memory = memory.metadata("category", entry.category.as_str());
        }
        if !entry.source_session.is_empty() {
            memory = memory.metadata("session", entry.source_session.as_str());
        }
        if !entry.group.is_empty() {
            memory = memory.group(&entry.group);
        }
        if let Some(expires) = entry.expires_at {
            memory = memory.expires_at(expires);
        }
        self.screened(memory.build()?.by_hand())
    }

    /// What is derived from the texts of new memories. Where that fails for one of them, it is made
    /// of each alone, and those of which it cannot be made are refused.
    fn prepared_or_refused(
        &self,
        new: Vec<(Entry, NewMemory)>,
        refuse: &mut dyn FnMut(&Entry, Error),
    ) -> Result<Vec<(Entry, Prepared)>, Error> {
        let (entries, memories): (Vec<Entry>, Vec<NewMemory>) = new.into_iter().unzip();
        match self.engine.prepare(memories.clone()) {
            Ok(prepared) if prepared.len() == entries.len() => {
                return Ok(entries.into_iter().zip(prepared).collect());
            }
            Err(error) if !error.is_invalid() => return Err(error),
            _ => {}
        }
        let mut made = Vec::with_capacity(entries.len());
        for (entry, memory) in entries.into_iter().zip(memories) {
            match self.prepared(memory) {
                Ok(prepared) => made.push((entry, prepared)),
                Err(error) if error.is_invalid() => refuse(&entry, error),
                Err(error) => return Err(error),
            }
        }
        Ok(made)
    }

    /// A memory of an entry, of the time that the file says.
    fn arrival(&self, entry: &Entry, prepared: Prepared) -> Arrival {
        let created = entry.created_at.min(self.now);
        Arrival {
            stored_at: Some(created),
            ..Arrival::new(self.engine.ids.next(created), prepared)
        }
    }

    /// The filter of the profile for texts that are to be stored.
    fn screen(&self) -> Option<Screen> {
        self.profile.screen().map(Screen::telling)
    }

    /// A memory as the profile lets it be stored, with what is derived from its text.
    pub(super) fn prepared(&self, memory: NewMemory) -> Result<Prepared, Error> {
        let made = self.engine.prepare(vec![self.screened(memory)?])?.pop();
        made.ok_or_else(|| Error::internal("nothing was made of a memory".to_owned()))
    }

    /// A memory as the profile lets it be stored.
    fn screened(&self, memory: NewMemory) -> Result<NewMemory, Error> {
        let made = screened(self.screen().as_ref(), vec![memory])?.pop();
        made.ok_or_else(|| Error::internal("nothing was left of a memory".to_owned()))
    }

    /// A memory as a person left it in the file, under the id that it gets where texts have ids of
    /// their own; its earlier text is in its history. Nothing where it is gone.
    pub(super) fn say(
        &self,
        id: MemoryId,
        importance: Option<f64>,
        edit: impl FnOnce(&mut Body) -> Result<(), Error>,
    ) -> Result<Option<(MemoryId, Step)>, Error> {
        let Some((_, old)) = annals_records::get(&self.snapshot()?, self.ns, id, None)? else {
            return Ok(None);
        };
        let mut body = old.body;
        (body.verified, body.source, body.confidence) =
            (true, Some(self.source()?), UnitScore::ONE);
        if let Some(score) = importance {
            body.importance = as_importance(score)?;
        }
        edit(&mut body)?;
        let said = Said {
            importance: importance.is_some(),
            ..Said::ALL
        };
        let memory = NewMemory::from_body(body)?
            .with_status(old.status)
            .saying(said);
        let keeps = self.profile.settings.records.update_keeps_id;
        let own_id = (!keeps).then(|| self.engine.ids.next(self.now));
        Ok(Some((
            own_id.unwrap_or(id),
            Step::Say {
                id,
                own_id,
                said: Box::new(self.prepared(memory)?),
            },
        )))
    }

    /// Gives a memory the text, category, group and expiry of an entry.
    fn file_as(&self, body: &mut Body, entry: &Entry, text: Option<&str>) -> Result<(), Error> {
        if let Some(text) = text {
            text.clone_into(&mut body.text);
        }
        body.expires_at = entry.expires_at;
        if self
            .profile
            .settings
            .taxonomy
            .kinds
            .iter()
            .any(|kind| kind.id == entry.category)
        {
            body.kind = Kind::new(entry.category.as_str())?;
            body.metadata.remove("category");
        } else {
            body.metadata
                .insert("category".to_owned(), Value::from(entry.category.as_str()));
        }
        body.set_group(&entry.group)?;
        Ok(())
    }
}

/// Gives memories the score, the hits and the date of their entries, where they differ.
fn set_worth(
    cx: &mut WriteCx<'_, '_>,
    ids: &[MemoryId],
    entries: &[Entry],
    (rescored, filed): (bool, bool),
) -> Result<(), Error> {
    let found = annals_records::find_rows(&*cx.txn, cx.ns, ids)?
        .into_iter()
        .zip(entries);
    let (rows, entries): (Vec<Row>, Vec<&Entry>) =
        found.filter_map(|(row, entry)| Some((row?, entry))).unzip();
    let terms = cx.terms()?;
    let (regime, now) = (terms.regime(), cx.now);
    let done = annals_lifecycle::change(cx.txn, cx.ns, &regime, now, &rows, |at, state| {
        let Some(entry) = entries.get(at) else { return };
        if rescored {
            regime
                .policy
                .set_score(state, regime.passes, entry.score, now);
        }
        if filed {
            state.expires_at = entry.expires_at;
        }
        take_over(state, entry, now);
    })?;
    cx.add_life([done.delta]);
    Ok(())
}

/// Times of a file are not in the future; uses that were counted meanwhile are not lost.
fn take_over(state: &mut State, entry: &Entry, now: Timestamp) {
    state.accessed = state.accessed.max(entry.last_activated.min(now));
    state.created = state.created.min(entry.created_at);
    state.used = state.used.max(entry.activation_count);
}
