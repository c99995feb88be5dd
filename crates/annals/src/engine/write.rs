//! Writes: one transaction over all layers, then the same change in memory, in commit order.

use std::sync::Arc;

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_records::{Appended, Incoming, Namespace, RecordError, StatusSet, Updated, Written, namespace};
use annals_storage::{Reads, Transaction};
use annals_types::profile::Signal;
use annals_types::{Importance, MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Status, Timestamp};
use annals_vector::store::{Space, Spaces};

use super::effect::Worth;
use super::embed::Prepared;
use super::jobs::chores::Chore;
use super::names::Entry;
use super::privacy::screened;
use super::revise::Place;
use super::rulebooks::Rulebook;
use super::timed::named_times;
use super::{Change, Engine, changed, claims, ends, late, life, talks};
use crate::{Error, profiles};

/// What a write inside a namespace answers, and what it changed.
pub(crate) type Done<T> = Result<(T, Change), Error>;

/// A memory to be stored under an id, and when it was stored first, for one that comes from an export.
#[derive(Clone)]
pub(crate) struct Arrival {
    pub(crate) id: MemoryId,
    pub(crate) stored_at: Option<Timestamp>,
    pub(crate) prepared: Prepared,
    /// Whether what it says comes with it.
    pub(crate) says: bool,
}

impl Engine {
    /// Runs a job on a namespace, makes it durable and applies its change in memory. The job is told the namespace, the moment, and the
    /// rulebook that stands in its transaction. One that was deleted is an error, whatever its name leads to by now.
    pub(crate) fn write<T: Send>(
        &self,
        ns: NamespaceId,
        job: impl FnMut(&mut Transaction<'_>, Place<'_>) -> Done<T> + Send,
    ) -> Result<T, Error> {
        self.write_found((self.now(), None), |txn| Ok(namespace::there(&*txn, ns)?), job)
    }

    /// The same at a moment by the rulebook of a piece of work: an error, too, where the namespace has another one by now.
    pub(crate) fn write_under<T: Send>(
        &self,
        (rulebook, now): (&Rulebook, Timestamp),
        ns: NamespaceId,
        mut job: impl FnMut(&mut Transaction<'_>, Place<'_>) -> Done<T> + Send,
    ) -> Result<T, Error> {
        self.write(ns, |txn, at| {
            if !rulebook.is(at.rulebook) {
                return Err(Error::left(ns));
            }
            job(txn, Place { now, ..at })
        })
    }

    /// The same for a call, which makes the namespace where there was none at its door.
    pub(crate) fn write_or_make<T: Send>(
        &self,
        entry: Entry<'_>,
        job: impl FnMut(&mut Transaction<'_>, Place<'_>) -> Done<T> + Send,
    ) -> Result<T, Error> {
        if let Some(ns) = entry.id {
            return self.write(ns, job);
        }
        let now = self.now();
        let make = |txn: &mut Transaction<'_>| -> Result<Namespace, Error> {
            match namespace::find(&*txn, entry.name)? {
                None => Ok(namespace::create(txn, entry.name, profiles::DEFAULT, now)?),
                Some(found) if found.profile == profiles::DEFAULT => Ok(found),
                // What is to be stored was looked at under the default profile, which may let more through.
                Some(_) => Err(Error::name_taken(format!(
                    "namespace {:?} was made with another profile meanwhile; do it again",
                    entry.name.as_str()
                ))),
            }
        };
        self.write_found((now, Some(entry.name)), make, job)
    }

    fn write_found<T: Send>(
        &self,
        (now, name): (Timestamp, Option<&NamespaceName>),
        find: impl Fn(&mut Transaction<'_>) -> Result<Namespace, Error> + Send,
        mut job: impl FnMut(&mut Transaction<'_>, Place<'_>) -> Done<T> + Send,
    ) -> Result<T, Error> {
        self.worker.check()?;
        let run = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let found = find(txn)?;
            let id = found.id;
            let rulebook = self.rulebooks.of_record(&*txn, &found)?;
            let (value, mut change) = job(txn, Place { ns: id, now, rulebook: &rulebook })?;
            // What goes with deleted memories is met by nobody any more: the others need not be read again because of it.
            let changed = if change.gone.is_empty() {
                annals_graph::embeddings_changed(txn)
            } else {
                annals_graph::embeddings_added(txn)
            };
            change.nodes = changed;
            change.queued = annals_lifecycle::task::changed(txn);
            let learnt = name.map(|name| (Arc::clone(&self.names), name.clone()));
            let rulebook = match change.profile.take() {
                Some(given) => Some(given),
                None => (!self.rulebooks.knows(&found)).then_some((found, rulebook)),
            };
            let rulebook = rulebook.map(|known| (Arc::clone(&self.rulebooks), known));
            let change = Arc::new(change);
            let (spaces, applied) = (Arc::clone(&self.spaces), Arc::clone(&change));
            let then = move |commit| {
                if let Some((names, name)) = learnt {
                    names.learn(name, id);
                }
                if let Some((rulebooks, (found, rulebook))) = rulebook {
                    rulebooks.learn(&found, rulebook);
                }
                spaces.apply(id, commit, applied);
            };
            Ok(((value, id, change), then))
        };
        let ((value, id, change), _) = self.store.write_then(run)?;
        if change.is_late() || self.is_due(self.spaces.current(id).as_deref(), &change) {
            self.worker.wake(id);
        }
        if change.queued {
            self.scheduler.ask();
        }
        Ok(value)
    }

    /// Whether a namespace, in a transaction of a piece of work, was not deleted and has the rulebook of the work.
    pub(crate) fn is_under(&self, reads: &dyn Reads, ns: NamespaceId, rulebook: &Rulebook) -> Result<bool, Error> {
        match namespace::by_number(reads, ns)?.filter(|found| !found.doomed) {
            Some(found) => Ok(rulebook.is(&*self.rulebooks.of_record(reads, &found)?)),
            None => Ok(false),
        }
    }

    /// The number of a namespace, which is made when there is none of that name.
    pub(crate) fn made(&self, entry: Entry<'_>) -> Result<NamespaceId, Error> {
        match entry.id {
            Some(known) => Ok(known),
            None => self.write_or_make(entry, |_, at| Ok((at.ns, Change::default()))),
        }
    }

    /// Stores memories.
    pub(crate) fn append_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        arrivals: &[Arrival],
    ) -> Done<Vec<Appended>> {
        let Place { ns, now, rulebook } = at;
        let terms = rulebook.terms_to_live(txn)?;
        let mut placed = Vec::with_capacity(arrivals.len());
        for arrival in arrivals {
            let memory = &arrival.prepared.memory;
            let place = life::place(rulebook, memory, arrival.stored_at.unwrap_or(now))?;
            let memory = place.as_ref().map(|place| life::placed(rulebook, memory, place)).transpose()?;
            placed.push((place, memory));
        }
        let memories =
            arrivals.iter().zip(&placed).map(|(arrival, (_, m))| m.as_ref().unwrap_or(&arrival.prepared.memory));
        let memories: Vec<&NewMemory> = memories.collect();
        let incoming: Vec<Incoming<'_>> =
            arrivals.iter().zip(&memories).map(|(arrival, memory)| arrival.incoming(memory)).collect();
        let Written { outcome, delta } =
            annals_records::append_many(txn, ns, now, &incoming, &named_times(&rulebook.profile)?)?;
        let places = placed.iter().map(|(place, _)| place.clone());
        for (appended, memory) in outcome.iter().zip(&memories).filter(|(appended, _)| !appended.already) {
            ends::put(txn, ns, appended.row, memory.body())?;
        }
        let births: Vec<_> = outcome.iter().zip(&memories).zip(places).map(|((a, m), place)| (a, *m, place)).collect();
        let lived = life::born(txn, ns, &terms.regime(), now, &births)?;
        let mut change = Change { records: Some(delta), life: lived.into_iter().collect(), ..Change::default() };
        let space = self.own_space(txn, ns)?;
        for (appended, arrival) in outcome.iter().zip(arrivals) {
            if !appended.already {
                let body = arrival.prepared.memory.body();
                claims::put(txn, ns, appended.row, body)?;
                if arrival.stored_at.is_none() {
                    talks::note(txn, (ns, rulebook), (arrival.id, appended.row), body, now)?;
                }
                if !arrival.says {
                    self.interpret_later(txn, (ns, rulebook), (arrival.id, body.layer), now)?;
                }
                index(txn, ns, space, appended.row, &arrival.prepared, &mut change)?;
            }
        }
        Ok((outcome, change))
    }

    /// Where the vectors of this memory's embedder are stored in a namespace; made when it is not there yet.
    pub(crate) fn own_space(&self, txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<Space, Error> {
        let mut spaces = Spaces::read(txn, ns)?;
        if let Some(known) = spaces.of(&self.fingerprint) {
            return Ok(known.space(ns));
        }
        let added = spaces.ensure(&self.fingerprint, self.shape);
        spaces.write(txn, ns)?;
        Ok(added.space(ns))
    }

    /// Replaces the text of a memory; under `new_id` when one is given.
    pub(crate) fn update(
        &self,
        ns: NamespaceId,
        id: MemoryId,
        new_id: Option<MemoryId>,
        (memory, yields): (NewMemory, Yield<'_>),
    ) -> Result<Updated, Error> {
        let now = self.now();
        let memory = screened(self.screen_in(&*self.rulebook_of(ns)?, ns)?.as_ref(), vec![memory])?;
        let Some(prepared) = self.prepare(memory)?.pop() else { return Err(RecordError::NotFound { id }.into()) };
        // The job may run again, and must then give the same id.
        let mut own_id = new_id;
        self.write(ns, |txn, at| {
            if !at.rulebook.profile.records.update_keeps_id {
                own_id.get_or_insert_with(|| self.ids.next(now));
            }
            let (row, before) = annals_records::get(&*txn, ns, id, None)?.ok_or(RecordError::NotFound { id })?;
            let worth = Worth::now(&*txn, ns, row)?;
            let (updated, change) = self.say_in(txn, at, (id, own_id), &prepared, yields)?;
            let said = !matches!(yields, Yield::Same);
            let effects = changed::edited(&*txn, at, (&before, worth), (&updated, said))?;
            changed::note(txn, at, changed::EDIT, (vec![updated.id], effects))?;
            Ok((updated, change))
        })
    }

    /// Gives a memory the text that a person says, under its id or another one.
    pub(crate) fn say_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        (id, own_id): (MemoryId, Option<MemoryId>),
        prepared: &Prepared,
        yields: Yield<'_>,
    ) -> Done<Updated> {
        let (_, before) = annals_records::get(&*txn, at.ns, id, None)?.ok_or(RecordError::NotFound { id })?;
        if prepared.memory.status() == Status::Staged && before.status != Status::Staged {
            return Err(Error::name_taken(format!(
                "memory {id} is {} and cannot be staged again; give its new text no status",
                before.status.as_str()
            )));
        }
        let (body, same) = (prepared.memory.body(), matches!(yields, Yield::Same));
        // Where a model says what memories say, it is asked about the new text; what the old one said is history.
        let anew = same && before.body.text != body.text && self.interprets(at.rulebook, body.layer);
        let yields = if anew { Yield::These(&[]) } else { yields };
        let said = prepared.memory.said_importance().map(Importance::exact);
        let edited = life::edited(at.rulebook, &prepared.memory, &before)?;
        let prepared = Prepared { memory: edited, ..prepared.clone() };
        let (updated, change) = self.update_in(txn, at, (id, own_id), &prepared, yields, |state| {
            state.accessed = state.accessed.max(at.now);
            // A score that is said with the text is its own.
            if let Some(score) = said {
                (state.value, state.at) = (at.rulebook.policy.bounded(score), at.now);
            }
        })?;
        if !same {
            // Whoever says the text says what it says as well, even if that is nothing.
            Chore::Interpret.withdraw(txn, (at.ns, at.rulebook), &[updated.id])?;
        }
        Ok((updated, change))
    }

    /// Gives memories another status.
    pub(crate) fn set_status(
        &self,
        ns: NamespaceId,
        ids: &[MemoryId],
        status: Status,
    ) -> Result<Vec<StatusSet>, Error> {
        self.write(ns, |txn, at| {
            let before = changed::worth(txn, at, ids)?;
            let (set, change) = set_status_in(txn, at, ids, status)?;
            self.interpret_restored(txn, at, &set)?;
            changed::note_status(txn, at, (&set, before))?;
            Ok((set, change))
        })
    }

    /// Takes note of a signal about each of some memories.
    pub(crate) fn touch(&self, ns: NamespaceId, ids: &[MemoryId], signal: Signal) -> Result<Vec<Reinforced>, Error> {
        self.write(ns, |txn, at| {
            let terms = at.rulebook.terms(txn)?;
            let (counted, life) = life::used(txn, ns, (at.rulebook, &terms.regime()), at.now, signal, ids)?;
            Ok((counted, Change { life, ..Change::default() }))
        })
    }
}

impl Arrival {
    /// A memory of this program's own.
    pub(crate) const fn new(id: MemoryId, prepared: Prepared) -> Self {
        Self { id, stored_at: None, prepared, says: false }
    }

    fn incoming<'a>(&self, memory: &'a NewMemory) -> Incoming<'a> {
        let imported = self.stored_at.is_some();
        Incoming {
            stored_at: self.stored_at,
            keep_position: imported,
            keep_provenance: imported,
            ..Incoming::new(self.id, memory)
        }
    }
}

/// Gives memories another status, and lets their lives go on so.
pub(crate) fn set_status_in(
    txn: &mut Transaction<'_>,
    at: Place<'_>,
    ids: &[MemoryId],
    status: Status,
) -> Done<Vec<StatusSet>> {
    let Written { outcome, delta } = annals_records::set_status(txn, at.ns, at.now, ids, status)?;
    if status != Status::Forgotten {
        Chore::Delete.withdraw(txn, (at.ns, at.rulebook), ids)?;
    }
    let terms = at.rulebook.terms(txn)?;
    let lived = life::status_set(txn, at.ns, (at.rulebook, &terms.regime()), at.now, &outcome)?;
    Ok((outcome, Change { records: Some(delta), life: lived.into_iter().collect(), ..Change::default() }))
}

/// Writes what is derived from the text of a row.
pub(crate) fn index(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    space: Space,
    row: Row,
    prepared: &Prepared,
    change: &mut Change,
) -> Result<(), Error> {
    annals_text::store::put(txn, ns, row, &prepared.forward)?;
    change.forwards.push((row, Arc::clone(&prepared.forward)));
    match &prepared.code {
        Some(code) => {
            space.put(txn, row, code)?;
            change.codes.push((row, code.clone()));
        }
        None => {
            late::note(txn, ns, row)?;
            change.late = true;
        }
    }
    change.space = Some(space);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::blocking::Memory;
    use crate::engine::Change;
    use crate::{Missing, Mode};

    #[test]
    fn a_number_never_leads_to_a_namespace_made_anew() {
        let memory = Memory::options().in_memory().unwrap();
        let space = memory.create_namespace("u", "studio").unwrap();
        let (engine, call) = (space.engine(), space.for_call());
        let ns = call.id().unwrap().unwrap();
        memory.delete_namespace("u", Mode::Commit).unwrap();
        memory.create_namespace("u", "studio").unwrap();
        let error = engine.write(ns, |_, _| Ok(((), Change::default()))).unwrap_err();
        assert_eq!((error.is_gone(), error.missing()), (true, Some(Missing::Namespace)), "{error}");
        let error = engine.write_or_make(call.entry().unwrap(), |_, _| Ok(((), Change::default()))).unwrap_err();
        assert!(error.is_gone(), "{error}");
        assert_ne!(space.id().unwrap().unwrap(), ns);
    }

    #[test]
    fn what_was_looked_at_under_the_default_profile_enters_no_other() {
        let memory = Memory::options().in_memory().unwrap();
        let space = memory.namespace("u").unwrap();
        let entry = space.entry().unwrap();
        memory.create_namespace("u", "studio").unwrap();
        let write = || space.engine().write_or_make(entry, |_, _| Ok(((), Change::default())));
        assert!(write().unwrap_err().is_conflict());
        memory.delete_namespace("u", Mode::Commit).unwrap();
        write().unwrap();
        write().unwrap();
        assert!(space.exists().unwrap());
    }
}
