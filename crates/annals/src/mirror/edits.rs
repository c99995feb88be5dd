//! What a person did to a file, done to the memories.

use annals_extraction::markdown::Entry;
use annals_lifecycle::State;
use annals_types::{Kind, Label, Layer, MemoryId, NewMemory, Row, Said, Status, Timestamp, UnitScore, Value};

use super::noted::{self, Noted};
use super::{Target, entries};
use crate::Error;
use crate::engine::{Arrival, Change};

/// One edit of a person.
pub(super) enum Edit {
    /// A memory that is new.
    Add(Entry),
    /// A memory that is there has this name in the file.
    Name { id: MemoryId, entry: Entry },
    /// A memory that says something else (`text`), is of another category or expiry (`filed`) or is worth something else (`rescored`) now.
    Change { id: MemoryId, entry: Entry, text: Option<String>, filed: bool, rescored: bool },
    /// A memory that is wrong.
    Retract(MemoryId),
}

impl Target<'_> {
    /// Does what a person did. Answers the name of a memory that the file did not have before.
    pub(super) fn carry_out(&self, edit: Edit) -> Result<Option<Noted>, Error> {
        match edit {
            Edit::Add(entry) => {
                let id = self.add(&entry)?;
                self.set_worth(id, &entry, (true, false))?;
                Ok(Some(entries::note(&entry, id)))
            }
            Edit::Name { id, entry } => Ok(Some(entries::note(&entry, id))),
            Edit::Change { id, entry, text, filed, rescored } => {
                if filed || text.is_some() {
                    self.reword(id, &entry, text)?;
                }
                self.set_worth(id, &entry, (rescored, filed))?;
                Ok(None)
            }
            Edit::Retract(id) => {
                self.engine.set_status(self.name, &[id], Status::Forgotten)?;
                Ok(None)
            }
        }
    }

    /// What memories that come from this file say of where they come from.
    pub(super) fn source(&self) -> Result<Label, Error> {
        let name = self.path.file_name().map(|name| name.to_string_lossy().trim().to_owned()).unwrap_or_default();
        Ok(Label::new("source", name).or_else(|_| Label::new("source", "a file"))?)
    }

    fn add(&self, entry: &Entry) -> Result<MemoryId, Error> {
        let mut memory = NewMemory::builder(entry.content.as_str())
            .layer(Layer::Semantic)
            .verified(true)
            .source(self.source()?.as_str());
        let kinds = &self.rulebook.profile.taxonomy.kinds;
        if kinds.is_empty() || kinds.iter().any(|kind| kind.id == entry.category) {
            memory = memory.kind(entry.category.as_str());
        } else {
            memory = memory.metadata("category", entry.category.as_str());
        }
        if !entry.source_session.is_empty() {
            memory = memory.metadata("session", entry.source_session.as_str());
        }
        if let Some(expires) = entry.expires_at {
            memory = memory.expires_at(expires);
        }
        let created = entry.created_at.min(self.now);
        let id = self.engine.ids.next(created);
        let prepared = self.engine.prepare(vec![memory.build()?])?;
        let arrivals: Vec<Arrival> =
            prepared.into_iter().map(|it| Arrival { stored_at: Some(created), ..Arrival::new(id, it) }).collect();
        self.engine.append(self.name, &arrivals)?;
        Ok(id)
    }

    /// Gives a memory the text, category and expiry of the file; what it said before is in its history.
    fn reword(&self, id: MemoryId, entry: &Entry, text: Option<String>) -> Result<(), Error> {
        let Some((_, old)) = annals_records::get(&self.snapshot()?, self.ns, id, None)? else { return Ok(()) };
        let mut body = old.body;
        body.text = text.unwrap_or(body.text);
        (body.verified, body.source, body.expires_at) = (true, Some(self.source()?), entry.expires_at);
        body.confidence = UnitScore::ONE;
        if self.rulebook.profile.taxonomy.kinds.iter().any(|kind| kind.id == entry.category) {
            body.kind = Kind::new(entry.category.as_str())?;
            body.metadata.remove("category");
        } else {
            body.metadata.insert("category".to_owned(), Value::from(entry.category.as_str()));
        }
        let said = Said { importance: false, ..Said::ALL };
        let memory = NewMemory::from_body(body)?.with_status(old.status).saying(said);
        self.engine.update(self.name, id, None, (memory, annals_graph::Yield::Same))?;
        Ok(())
    }

    /// Gives a memory the score, the hits and the date of the file, where they differ.
    fn set_worth(&self, id: MemoryId, entry: &Entry, (rescored, filed): (bool, bool)) -> Result<(), Error> {
        let (now, rulebook) = (self.now, self.rulebook);
        self.engine.write(self.name, false, |txn, ns| {
            let rows: Vec<Row> = annals_records::find_rows(&*txn, ns, &[id])?.into_iter().flatten().collect();
            let terms = rulebook.terms(txn)?;
            let regime = terms.regime();
            let done = annals_lifecycle::change(txn, ns, &regime, now, &rows, |_, state| {
                if rescored {
                    rulebook.policy.set_score(state, regime.passes, entry.score, now);
                }
                if filed {
                    state.expires_at = entry.expires_at;
                }
                take_over(state, entry, now);
            })?;
            Ok(((), Change { life: vec![done.delta], ..Change::default() }))
        })
    }

    /// Keeps what the file says of each memory.
    pub(super) fn note(&self, all: &[Noted]) -> Result<(), Error> {
        let path = self.noted_as();
        self.engine.write(self.name, true, |txn, ns| {
            noted::put(txn, ns, &path, all)?;
            Ok(((), Change::default()))
        })
    }
}

/// Times of a file are not in the future; uses that were counted meanwhile are not lost.
fn take_over(state: &mut State, entry: &Entry, now: Timestamp) {
    state.accessed = state.accessed.max(entry.last_activated.min(now));
    state.created = state.created.min(entry.created_at);
    state.used = state.used.max(entry.activation_count);
}
