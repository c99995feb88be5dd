//! Writes: one transaction over all layers, then the same change in memory, in commit order.

use std::sync::Arc;

use annals_graph::Yield;
use annals_lifecycle::Reinforced;
use annals_records::{
    Appended, Incoming, Namespace, RecordError, StatusSet, Updated, Written, namespace,
};
use annals_storage::{Reads, Transaction};
use annals_types::profile::Signal;
use annals_types::{
    Importance, MemoryId, NamespaceId, NamespaceName, NewMemory, Row, Status, Timestamp,
};
use annals_vector::store::{Space, Spaces};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::compiled::CompiledProfile;
use crate::effect::Worth;
use crate::embed::Prepared;
use crate::extension::Stored;
use crate::jobs::tasks::TaskKind;
use crate::names::Entry;
use crate::privacy::screened;
use crate::timed::named_times;
use crate::{Change, Engine, WriteCx, changed, ends, late, life, noted};
use crate::{Error, profiles};

/// A memory to be stored under an id, and when it was stored first, for one that comes from an
/// export.
#[derive(Clone)]
pub struct Arrival {
    pub id: MemoryId,
    pub stored_at: Option<Timestamp>,
    pub prepared: Prepared,
    /// Whether what it says comes with it.
    pub says: bool,
}

impl Engine {
    /// Runs a write inside a namespace, makes it durable and applies its change in memory.
    ///
    /// # Errors
    /// When the namespace was deleted, whatever its name leads to by now.
    pub fn write<T: Send>(
        &self,
        ns: NamespaceId,
        job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.write_found(
            self.now(),
            None,
            |txn| Ok(namespace::there(&*txn, ns)?),
            job,
        )
    }

    /// The same for a write whose answer is kept with the mark of its request: a request that is
    /// repeated because the process that carried it out ended is answered as it was.
    pub fn write_kept<T: Send + Serialize + DeserializeOwned>(
        &self,
        ns: NamespaceId,
        mut job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.write(ns, |cx| kept(cx, &mut job))
    }

    /// The answer of the write that this thread makes next, where its request was carried out
    /// before. Whoever looks for what is to be written asks this first: after a deletion nothing of
    /// it is found.
    ///
    /// # Errors
    /// When the write was carried out and no such answer is kept.
    pub fn answered<T: DeserializeOwned>(&self) -> Result<Option<T>, Error> {
        let Some(answer) = self.store.answered()? else {
            return Ok(None);
        };
        serde_json::from_slice(&answer)
            .map(Some)
            .map_err(|_| annals_storage::StorageError::Repeated.into())
    }

    /// The same for a call, which makes the namespace where there was none at its door.
    pub fn write_kept_or_make<T: Send + Serialize + DeserializeOwned>(
        &self,
        entry: Entry<'_>,
        mut job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.write_or_make(entry, |cx| kept(cx, &mut job))
    }

    /// The same at a moment by the profile of a job.
    ///
    /// # Errors
    /// Also when the namespace has another profile by now.
    pub fn write_under<T: Send>(
        &self,
        ns: NamespaceId,
        profile: &CompiledProfile,
        now: Timestamp,
        mut job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.write(ns, |cx| {
            if !profile.is(cx.profile) {
                return Err(Error::left(ns));
            }
            cx.now = now;
            job(cx)
        })
    }

    /// The same for a call, which makes the namespace where there was none at its door.
    pub fn write_or_make<T: Send>(
        &self,
        entry: Entry<'_>,
        job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        if let Some(ns) = entry.id {
            return self.write(ns, job);
        }
        let now = self.now();
        let make = |txn: &mut Transaction<'_>| -> Result<Namespace, Error> {
            match namespace::find(&*txn, entry.name)? {
                None => Ok(namespace::create(txn, entry.name, profiles::DEFAULT, now)?),
                Some(found) if found.profile == profiles::DEFAULT => Ok(found),
                // The memories were filtered under the default profile, which may let more
                // through.
                Some(_) => Err(Error::name_taken(format!(
                    "namespace {:?} was made with another profile meanwhile; do it again",
                    entry.name.as_str()
                ))),
            }
        };
        self.write_found(now, Some(entry.name), make, job)
    }

    fn write_found<T: Send>(
        &self,
        now: Timestamp,
        name: Option<&NamespaceName>,
        find: impl Fn(&mut Transaction<'_>) -> Result<Namespace, Error> + Send,
        mut job: impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        self.worker.check()?;
        let run = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let found = find(txn)?;
            let id = found.id;
            let profile = self.profiles.of_record(&*txn, &found)?;
            let mut cx = WriteCx::new(txn, id, now, &profile, &self.extensions);
            let value = job(&mut cx)?;
            let (mut changes, given) = cx.finish()?;
            // The vectors that go with deleted memories are read by nobody else: only added ones
            // are news then.
            let deletes = changes.has_deletions();
            changes.nodes = if deletes {
                annals_graph::embeddings_added(txn)
            } else {
                annals_graph::embeddings_changed(txn)
            };
            changes.queued = annals_lifecycle::task::changed(txn);
            let learnt = name.map(|name| (Arc::clone(&self.names), name.clone()));
            let profile =
                given.or_else(|| (!self.profiles.knows(&found)).then_some((found, profile)));
            let profile = profile.map(|known| (Arc::clone(&self.profiles), known));
            let changes = Arc::new(changes);
            let (spaces, applied) = (Arc::clone(&self.spaces), Arc::clone(&changes));
            let then = move |commit| {
                if let Some((names, name)) = learnt {
                    names.learn(name, id);
                }
                if let Some((profiles, (found, profile))) = profile {
                    profiles.learn(&found, profile);
                }
                spaces.apply(id, commit, applied);
            };
            Ok(((value, id, changes), then))
        };
        let ((value, id, changes), _) = self.store.write_then(run)?;
        if changes.is_late() || self.is_due(self.spaces.current(id).as_deref(), &changes) {
            self.worker.wake(id);
        }
        if changes.queued {
            self.scheduler.ask();
        }
        Ok(value)
    }

    /// The profile of a piece of work as its namespace has it, in the language of that.
    ///
    /// # Errors
    /// Also when the namespace was deleted, or has another profile by now ([`Error::has_left`]).
    pub fn spoken_in(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        profile: &CompiledProfile,
    ) -> Result<Arc<CompiledProfile>, Error> {
        let own = self
            .profiles
            .of_record(reads, &namespace::there(reads, ns)?)?;
        if profile.is(&own) {
            Ok(own)
        } else {
            Err(Error::left(ns))
        }
    }

    /// The number of a namespace, which is made when there is none of that name.
    pub fn made(&self, entry: Entry<'_>) -> Result<NamespaceId, Error> {
        match entry.id {
            Some(known) => Ok(known),
            // A request may find it made, and makes nothing then: this write is none of its own.
            None => annals_storage::aside(|| self.write_or_make(entry, |cx| Ok(cx.ns))),
        }
    }

    /// Stores memories.
    pub fn append_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        arrivals: &[Arrival],
    ) -> Result<Vec<Appended>, Error> {
        let (ns, now, profile) = (cx.ns, cx.now, cx.profile);
        let terms = profile.terms_to_live(cx.txn)?;
        let mut placed = Vec::with_capacity(arrivals.len());
        for arrival in arrivals {
            let memory = &arrival.prepared.memory;
            let place = life::place(profile, memory, arrival.stored_at.unwrap_or(now))?;
            let memory = place
                .as_ref()
                .map(|place| life::placed(profile, memory, place))
                .transpose()?;
            placed.push((place, memory));
        }
        let memories = arrivals
            .iter()
            .zip(&placed)
            .map(|(arrival, (_, m))| m.as_ref().unwrap_or(&arrival.prepared.memory));
        let memories: Vec<&NewMemory> = memories.collect();
        let incoming: Vec<Incoming<'_>> = arrivals
            .iter()
            .zip(&memories)
            .map(|(arrival, memory)| arrival.incoming(memory))
            .collect();
        let Written { outcome, delta } = annals_records::append_many(
            cx.txn,
            ns,
            now,
            &incoming,
            &named_times(&profile.settings)?,
        )?;
        let places = placed.iter().map(|(place, _)| place.clone());
        for (appended, memory) in outcome
            .iter()
            .zip(&memories)
            .filter(|(appended, _)| !appended.already)
        {
            ends::put(cx.txn, ns, appended.row, memory.body())?;
        }
        let births: Vec<_> = outcome
            .iter()
            .zip(&memories)
            .zip(places)
            .map(|((a, m), place)| (a, *m, place))
            .collect();
        cx.add_records(delta);
        life::born(cx, &terms.regime(), &births)?;
        let (mut change, mut stored) = (Change::default(), Vec::with_capacity(arrivals.len()));
        let space = self.own_space(cx.txn, ns)?;
        for ((appended, arrival), memory) in outcome.iter().zip(arrivals).zip(&memories) {
            if !appended.already {
                let body = arrival.prepared.memory.body();
                noted::put(cx.txn, ns, appended.row, body)?;
                let imported = arrival.stored_at.is_some();
                let (id, row, status) = (arrival.id, appended.row, memory.status());
                stored.push(Stored {
                    id,
                    row,
                    body: memory.body(),
                    status,
                    imported,
                });
                if !arrival.says {
                    self.interpret_later(cx, arrival.id, body.layer)?;
                }
                index(cx, space, appended.row, &arrival.prepared, &mut change)?;
            }
        }
        cx.add(change);
        cx.extensions.appended(cx, &stored)?;
        Ok(outcome)
    }

    /// Where the vectors of this memory's embedder are stored in a namespace; made when it is not
    /// there yet.
    pub(crate) fn own_space(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
    ) -> Result<Space, Error> {
        let mut spaces = Spaces::read(txn, ns)?;
        if let Some(known) = spaces.of(&self.fingerprint) {
            return Ok(known.space(ns));
        }
        let added = spaces.ensure(&self.fingerprint, self.shape);
        spaces.write(txn, ns)?;
        Ok(added.space(ns))
    }

    /// Replaces the text of a memory; under `new_id` when one is given.
    pub fn update(
        &self,
        ns: NamespaceId,
        id: MemoryId,
        new_id: Option<MemoryId>,
        (memory, yields): (NewMemory, Yield<'_>),
    ) -> Result<Updated, Error> {
        let now = self.now();
        let memory = screened(
            self.screen_in(&*self.profile_of(ns)?, ns)?.as_ref(),
            vec![memory],
        )?;
        let Some(prepared) = self.prepare(memory)?.pop() else {
            return Err(RecordError::NotFound { id }.into());
        };
        // The job may run again, and must then give the same id.
        let mut own_id = new_id;
        self.write_kept(ns, |cx| {
            if !cx.profile.settings.records.update_keeps_id {
                own_id.get_or_insert_with(|| self.ids.next(now));
            }
            let (row, before) =
                annals_records::get(&*cx.txn, ns, id, None)?.ok_or(RecordError::NotFound { id })?;
            let worth = Worth::now(&*cx.txn, ns, row)?;
            let updated = self.say_in(cx, (id, own_id), &prepared, yields)?;
            let said = !matches!(yields, Yield::Same);
            let effects = changed::edited(cx, (&before, worth), (&updated, said))?;
            changed::note(cx, changed::EDIT, (vec![updated.id], effects))?;
            Ok(updated)
        })
    }

    /// Gives a memory the text that a person says, under its id or another one.
    pub fn say_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (id, own_id): (MemoryId, Option<MemoryId>),
        prepared: &Prepared,
        yields: Yield<'_>,
    ) -> Result<Updated, Error> {
        let (_, before) =
            annals_records::get(&*cx.txn, cx.ns, id, None)?.ok_or(RecordError::NotFound { id })?;
        if prepared.memory.status() == Status::Staged && before.status != Status::Staged {
            return Err(Error::name_taken(format!(
                "memory {id} is {} and cannot be staged again; give its new text no status",
                before.status.as_str()
            )));
        }
        let (body, same) = (prepared.memory.body(), matches!(yields, Yield::Same));
        // Where a model says what memories say, it is asked about the new text; what the old one
        // said is history.
        let anew = same && before.body.text != body.text && self.interprets(cx.profile, body.layer);
        let yields = if anew { Yield::These(&[]) } else { yields };
        let said = prepared.memory.said_importance().map(Importance::exact);
        let edited = life::edited(cx.profile, &prepared.memory, &before)?;
        let prepared = Prepared {
            memory: edited,
            ..prepared.clone()
        };
        let (now, policy) = (cx.now, &cx.profile.policy);
        let updated = self.update_in(cx, (id, own_id), &prepared, yields, |state| {
            state.accessed = state.accessed.max(now);
            // A score that is said with the text is its own.
            if let Some(score) = said {
                state.say_value(policy.bounded(score), now);
            }
        })?;
        if !same {
            // A caller who states the text states its triples as well, even if there are none.
            TaskKind::Interpret.withdraw(cx, &[updated.id])?;
        }
        Ok(updated)
    }

    /// Gives memories another status.
    pub fn set_status(
        &self,
        ns: NamespaceId,
        ids: &[MemoryId],
        status: Status,
    ) -> Result<Vec<StatusSet>, Error> {
        self.write_kept(ns, |cx| self.change_status_in(cx, ids, status))
    }

    /// Gives memories another status, with an answer of the caller's own that is kept with the mark
    /// of its request.
    pub fn set_status_of_selected<T: Clone + Send + Sync + Serialize + DeserializeOwned>(
        &self,
        ns: NamespaceId,
        ids: &[MemoryId],
        status: Status,
        answer: &T,
    ) -> Result<T, Error> {
        self.write_kept(ns, |cx| {
            self.change_status_in(cx, ids, status)?;
            Ok(answer.clone())
        })
    }

    fn change_status_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        ids: &[MemoryId],
        status: Status,
    ) -> Result<Vec<StatusSet>, Error> {
        let before = changed::worth(cx, ids)?;
        let set = set_status_in(cx, ids, status)?;
        self.interpret_restored(cx, &set)?;
        changed::note_status(cx, (&set, before))?;
        Ok(set)
    }

    /// Takes note of a signal about each of some memories.
    pub fn touch(
        &self,
        ns: NamespaceId,
        ids: &[MemoryId],
        signal: Signal,
    ) -> Result<Vec<Reinforced>, Error> {
        self.write_kept(ns, |cx| life::used(cx, signal, ids))
    }
}

/// Runs a job whose answer is kept, unless its request was carried out before.
fn kept<T: Serialize + DeserializeOwned>(
    cx: &mut WriteCx<'_, '_>,
    job: &mut impl FnMut(&mut WriteCx<'_, '_>) -> Result<T, Error>,
) -> Result<T, Error> {
    if let Some(answer) = cx.txn.answered() {
        return serde_json::from_slice(answer)
            .map_err(|_| annals_storage::StorageError::Repeated.into());
    }
    let value = job(cx)?;
    if annals_storage::is_request() {
        let answer =
            serde_json::to_vec(&value).map_err(|error| Error::internal(error.to_string()))?;
        cx.txn.answer(answer);
    }
    Ok(value)
}

impl Arrival {
    /// A memory of this program's own.
    pub const fn new(id: MemoryId, prepared: Prepared) -> Self {
        Self {
            id,
            stored_at: None,
            prepared,
            says: false,
        }
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
pub fn set_status_in(
    cx: &mut WriteCx<'_, '_>,
    ids: &[MemoryId],
    status: Status,
) -> Result<Vec<StatusSet>, Error> {
    let Written { outcome, delta } =
        annals_records::set_status(cx.txn, cx.ns, cx.now, ids, status)?;
    if status != Status::Forgotten {
        TaskKind::Delete.withdraw(cx, ids)?;
    }
    cx.add_records(delta);
    life::status_set(cx, &outcome)?;
    cx.extensions.status_changed(cx, &outcome)?;
    Ok(outcome)
}

/// Writes what is derived from the text of a row.
pub(crate) fn index(
    cx: &mut WriteCx<'_, '_>,
    space: Space,
    row: Row,
    prepared: &Prepared,
    change: &mut Change,
) -> Result<(), Error> {
    annals_text::store::put(cx.txn, cx.ns, row, &prepared.forward)?;
    change.forwards.push((row, Arc::clone(&prepared.forward)));
    match &prepared.code {
        Some(code) => {
            space.put(cx.txn, row, code)?;
            change.codes.push((row, code.clone()));
        }
        None => {
            late::note(cx.txn, cx.ns, row)?;
            change.late = true;
        }
    }
    change.space = Some(space);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Missing;
    use crate::config::Config;
    use crate::testing::Testbed;

    #[test]
    fn a_number_never_leads_to_a_namespace_made_anew() {
        let bed = Testbed::under("studio");
        let (engine, entry) = (&bed.engine, bed.entry());
        let ns = bed.ns();
        bed.delete();
        bed.create("studio");
        let error = engine.write(ns, |_| Ok(())).unwrap_err();
        assert_eq!(
            (error.is_gone(), error.missing()),
            (true, Some(Missing::Namespace)),
            "{error}"
        );
        let error = engine.write_or_make(entry, |_| Ok(())).unwrap_err();
        assert!(error.is_gone(), "{error}");
        assert_ne!(bed.ns(), ns);
    }

    #[test]
    fn what_was_looked_at_under_the_default_profile_enters_no_other() {
        let bed = Testbed::new(Config::default());
        let entry = bed.entry();
        bed.create("studio");
        let write = || bed.engine.write_or_make(entry, |_| Ok(()));
        assert!(write().unwrap_err().is_conflict());
        bed.delete();
        write().unwrap();
        write().unwrap();
        assert!(bed.entry().id.is_some());
    }
}
