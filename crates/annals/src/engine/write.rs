//! Writes: one transaction over all layers, then the same change in memory, in commit order.

use std::sync::Arc;

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_records::{Appended, Incoming, RecordError, StatusSet, Updated, Written, namespace};
use annals_storage::Transaction;
use annals_types::profile::Signal;
use annals_types::{Importance, MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Status, Timestamp};
use annals_vector::store::{Space, Spaces};

use super::effect::Worth;
use super::embed::Prepared;
use super::jobs::chores::Chore;
use super::revise::Place;
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
    /// Runs a job on a namespace, makes it durable and applies its change in memory. A missing namespace is created, or, without
    /// `create`, an error.
    pub(crate) fn write<T: Send>(
        &self,
        name: &NamespaceName,
        create: bool,
        mut job: impl FnMut(&mut Transaction<'_>, NamespaceId) -> Done<T> + Send,
    ) -> Result<T, Error> {
        self.worker.check()?;
        let known = self.find(name)?;
        let now = self.now();
        let run = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let id = match known {
                // It may have been deleted while this waited: nothing is put under its number any more.
                Some(id) if namespace::by_number(&*txn, id)?.is_some_and(|found| !found.doomed) => id,
                _ => resolve(txn, name, create, now)?,
            };
            let (value, mut change) = job(txn, id)?;
            // What goes with deleted memories is met by nobody any more: the others need not be read again because of it.
            let vectors = annals_graph::keyspaces::VECTORS;
            change.nodes = if change.gone.is_empty() { txn.changed(vectors) } else { txn.added(vectors) };
            change.queued = txn.changed(annals_lifecycle::keyspaces::TASK_KEYS);
            let change = Arc::new(change);
            let learnt = known.is_none().then(|| (Arc::clone(&self.names), name.clone()));
            let rulebook = if self.rulebooks.knows(id) && !change.reload {
                None
            } else {
                Some((Arc::clone(&self.rulebooks), self.rulebooks.read(&*txn, id)?))
            };
            let (spaces, applied) = (Arc::clone(&self.spaces), Arc::clone(&change));
            let then = move |commit| {
                if let Some((names, name)) = learnt {
                    names.learn(name, id);
                }
                if let Some((rulebooks, rulebook)) = rulebook {
                    rulebooks.learn(id, rulebook);
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

    /// The number of a namespace, which is made when there is none of that name.
    pub(crate) fn made(&self, name: &NamespaceName) -> Result<NamespaceId, Error> {
        match self.find(name)? {
            Some(known) => Ok(known),
            None => self.write(name, true, |_, ns| Ok((ns, Change::default()))),
        }
    }

    /// Stores memories.
    pub(crate) fn append_in(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        now: Timestamp,
        arrivals: &[Arrival],
    ) -> Done<Vec<Appended>> {
        let rulebook = self.rulebooks.of(&*txn, ns)?;
        let terms = rulebook.terms_to_live(txn)?;
        let mut placed = Vec::with_capacity(arrivals.len());
        for arrival in arrivals {
            let memory = &arrival.prepared.memory;
            let place = life::place(&rulebook, memory, arrival.stored_at.unwrap_or(now))?;
            let memory = place.as_ref().map(|place| life::placed(&rulebook, memory, place)).transpose()?;
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
                    talks::note(txn, (ns, &rulebook), (arrival.id, appended.row), body, now)?;
                }
                if !arrival.says {
                    self.interpret_later(txn, (ns, &rulebook), (arrival.id, body.layer), now)?;
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
        name: &NamespaceName,
        id: MemoryId,
        new_id: Option<MemoryId>,
        (memory, yields): (NewMemory, Yield<'_>),
    ) -> Result<Updated, Error> {
        let now = self.now();
        let memory = self.screened(name, vec![memory])?;
        let Some(prepared) = self.prepare(memory)?.pop() else { return Err(RecordError::NotFound { id }.into()) };
        // The job may run again, and must then give the same id.
        let mut own_id = new_id;
        self.write(name, false, |txn, ns| {
            let rulebook = self.rulebooks.of(&*txn, ns)?;
            if !rulebook.profile.records.update_keeps_id {
                own_id.get_or_insert_with(|| self.ids.next(now));
            }
            let at = Place { ns, now, rulebook: &rulebook };
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
        name: &NamespaceName,
        ids: &[MemoryId],
        status: Status,
    ) -> Result<Vec<StatusSet>, Error> {
        let now = self.now();
        self.write(name, false, |txn, ns| {
            let rulebook = self.rulebooks.of(&*txn, ns)?;
            let at = Place { ns, now, rulebook: &rulebook };
            let before = changed::worth(txn, at, ids)?;
            let (set, change) = set_status_in(txn, at, ids, status)?;
            self.interpret_restored(txn, at, &set)?;
            changed::note_status(txn, at, (&set, before))?;
            Ok((set, change))
        })
    }

    /// Takes note of a signal about each of some memories.
    pub(crate) fn touch(
        &self,
        name: &NamespaceName,
        ids: &[MemoryId],
        signal: Signal,
    ) -> Result<Vec<Reinforced>, Error> {
        let now = self.now();
        self.write(name, false, |txn, ns| {
            let rulebook = self.rulebooks.of(&*txn, ns)?;
            let terms = rulebook.terms(txn)?;
            let (counted, life) = life::used(txn, ns, (&rulebook, &terms.regime()), now, signal, ids)?;
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

fn resolve(
    txn: &mut Transaction<'_>,
    name: &NamespaceName,
    create: bool,
    now: Timestamp,
) -> Result<NamespaceId, Error> {
    match namespace::find(txn, name)? {
        Some(found) => Ok(found.id),
        None if create => Ok(namespace::create(txn, name, profiles::DEFAULT, now)?.id),
        None => Err(RecordError::NoNamespace { name: name.clone() }.into()),
    }
}
