//! Background work that waits in a queue: each kind of it in a lane of its own for each profile.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals_extraction::provider::Cancel;
use annals_lifecycle::task::{Task, TaskState};
use annals_lifecycle::{Lane, LifecycleError, open_lane, task};
use annals_storage::{Reads, Transaction};
use annals_types::profile::{ExtractTrigger, JobSettings, JobStep};
use annals_types::{Label, Memory, MemoryId, NamespaceId, NamespaceName, Timestamp};
use serde::{Deserialize, Serialize};

use super::{Counts, Made, Run};
use crate::Error;
use crate::engine::Kept;
use crate::engine::revise::Place;
use crate::engine::rulebooks::Rulebook;
use crate::engine::{Change, Engine, talks};
use crate::maintain::JobReport;

mod compare;
mod derive;
mod extract;
mod findings;
mod idle;
mod interpret;
mod let_go;

pub(crate) use compare::Open;
pub(crate) use extract::Looked;
pub(crate) use interpret::assertions;

/// What is counted of work that nobody here does.
const WAITING: &str = "waiting";

/// Kinds of background work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chore {
    /// A session may have been idle for long: then it is to be looked through. Comes before what it begins.
    Idle,
    /// A memory lost one of its sources and is to be derived again.
    Derive,
    /// A conversation is to be looked through up to a turn.
    Extract,
    /// A judge failed when a memory arrived: it is to be compared with the others.
    Compare,
    /// It is to be found out what a memory says.
    Interpret,
    /// A memory that was let go by a verdict is to be deleted, unless it was brought back.
    Delete,
}

impl Chore {
    pub(crate) const ALL: &'static [Self] =
        &[Self::Idle, Self::Derive, Self::Extract, Self::Compare, Self::Interpret, Self::Delete];

    /// The word for it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Derive => "derive",
            Self::Extract => "extract",
            Self::Compare => "compare",
            Self::Interpret => "interpret",
            Self::Delete => "let_go",
        }
    }

    /// What is counted of it when it fails; the bare word is for conversations, which are most of it.
    const fn failure(self) -> &'static str {
        match self {
            Self::Extract => "failed",
            Self::Idle => "idle failed",
            Self::Derive => "derive failed",
            Self::Compare => "compare failed",
            Self::Interpret => "interpret failed",
            Self::Delete => "let_go failed",
        }
    }

    /// The name of its lane: one that no profile has by chance.
    fn lane_name(self, rulebook: &Rulebook) -> Result<Label, Error> {
        let profile: &str = rulebook.name.as_ref();
        let end = profile.floor_char_boundary(Label::MAX_BYTES - 32);
        let profile = profile.get(..end).unwrap_or(profile).trim_end();
        Ok(Label::new("lane", format!("⟨{}⟩ {profile}", self.as_str()))?)
    }

    /// The lane in which it waits for a profile; `None` before the first of it.
    pub(crate) fn lane(self, reads: &dyn Reads, rulebook: &Rulebook) -> Result<Option<Lane>, Error> {
        Ok(annals_lifecycle::find_lane(reads, &self.lane_name(rulebook)?)?)
    }

    /// Which kind of work waits in a lane.
    pub(crate) fn of(reads: &dyn Reads, rulebook: &Rulebook, lane: Lane) -> Result<Option<Self>, Error> {
        for chore in Self::ALL {
            if chore.lane(reads, rulebook)? == Some(lane) {
                return Ok(Some(*chore));
            }
        }
        Ok(None)
    }

    /// What waits in a namespace to be done about single memories, for another file to go on with.
    pub(crate) fn carried(reads: &dyn Reads, ns: NamespaceId, rulebook: &Rulebook) -> Result<Vec<Carried>, Error> {
        let mut found = Vec::new();
        for task in task::tasks(reads, ns, 0, usize::MAX)? {
            let Some(chore) = Self::of(reads, rulebook, task.lane)?.filter(|chore| chore.travels()) else { continue };
            let next = match task.state {
                TaskState::Waiting(until) => until,
                _ => task.queued_at,
            };
            let (kind, queued_at, payload) = (chore.as_str().to_owned(), task.queued_at, task.payload.clone());
            found.extend(subject(&task).map(|about| Carried { kind, about, payload, queued_at, next }));
        }
        Ok(found)
    }

    /// Lets what waited in another file wait here.
    pub(crate) fn restore(txn: &mut Transaction<'_>, at: Place<'_>, carried: &Carried) -> Result<Kept, Error> {
        let chore = Self::ALL.iter().find(|chore| chore.as_str() == carried.kind).filter(|chore| chore.travels());
        let here = annals_records::find_rows(&*txn, at.ns, &[carried.about])?.iter().all(Option::is_some);
        let Some(chore) = chore.filter(|_| here) else { return Ok(Kept::LeftOut) };
        let lane = open_lane(txn, &chore.lane_name(at.rulebook)?)?;
        let moments = (carried.queued_at, carried.next);
        Ok(match task::enqueue(txn, (at.ns, lane), carried.about.as_bytes(), &carried.payload, moments)? {
            task::Queued::New(_) => Kept::New(()),
            task::Queued::Already(_) => Kept::There,
        })
    }

    /// Whether it is about a memory that travels with all that the work needs: which turns were looked through does not.
    const fn travels(self) -> bool {
        matches!(self, Self::Derive | Self::Compare | Self::Interpret | Self::Delete)
    }

    /// Lets what waits in a namespace wait under another profile.
    pub(crate) fn move_all(
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        (old, new): (&Rulebook, &Rulebook),
        now: Timestamp,
    ) -> Result<(), Error> {
        for task in task::tasks(&*txn, ns, 0, usize::MAX)? {
            let Some(chore) = Self::of(&*txn, old, task.lane)? else { continue };
            task::discard(txn, ns, task.number)?;
            let lane = open_lane(txn, &chore.lane_name(new)?)?;
            // What waits for a moment goes on waiting for it.
            let next = match (chore, task.state) {
                (Self::Delete | Self::Idle, TaskState::Waiting(until)) => until,
                _ => now,
            };
            task::enqueue(txn, (ns, lane), &task.key, &task.payload, (task.queued_at, next))?;
        }
        Ok(())
    }

    /// Lets something be done about a memory, once.
    pub(crate) fn queue(
        self,
        txn: &mut Transaction<'_>,
        (ns, rulebook): (NamespaceId, &Rulebook),
        id: MemoryId,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.queue_with(txn, (ns, rulebook), id, &[], now).map(drop)
    }

    /// The same with more to say; answers whether it was not queued before.
    pub(crate) fn queue_with(
        self,
        txn: &mut Transaction<'_>,
        (ns, rulebook): (NamespaceId, &Rulebook),
        id: MemoryId,
        payload: &[u8],
        now: Timestamp,
    ) -> Result<bool, Error> {
        let lane = open_lane(txn, &self.lane_name(rulebook)?)?;
        let queued = task::enqueue(txn, (ns, lane), id.as_bytes(), payload, (now, now))?;
        Ok(matches!(queued, task::Queued::New(_)))
    }

    /// Lets something be done about a memory from a later moment on.
    pub(crate) fn queue_at(
        self,
        txn: &mut Transaction<'_>,
        (ns, rulebook): (NamespaceId, &Rulebook),
        id: MemoryId,
        (now, at): (Timestamp, Timestamp),
    ) -> Result<(), Error> {
        self.queue_key(txn, (ns, rulebook), id.as_bytes(), (now, at))
    }

    /// The same for what is no memory, by a key of its own.
    pub(crate) fn queue_key(
        self,
        txn: &mut Transaction<'_>,
        (ns, rulebook): (NamespaceId, &Rulebook),
        key: &[u8],
        (now, at): (Timestamp, Timestamp),
    ) -> Result<(), Error> {
        let lane = open_lane(txn, &self.lane_name(rulebook)?)?;
        Ok(task::enqueue(txn, (ns, lane), key, &[], (now, at)).map(drop)?)
    }

    /// Takes back what was to be done about some memories.
    pub(crate) fn withdraw(
        self,
        txn: &mut Transaction<'_>,
        (ns, rulebook): (NamespaceId, &Rulebook),
        ids: &[MemoryId],
    ) -> Result<(), Error> {
        let Some(lane) = self.lane(&*txn, rulebook)? else { return Ok(()) };
        for id in ids {
            if let Some(task) = task::find(&*txn, (ns, lane), id.as_bytes())? {
                task::discard(txn, ns, task.number)?;
            }
        }
        Ok(())
    }
}

/// A piece of work about a memory, as it travels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Carried {
    /// The word for it.
    kind: String,
    about: MemoryId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    payload: Vec<u8>,
    queued_at: Timestamp,
    /// When it may be begun.
    next: Timestamp,
}

/// The memory that a piece of work is about.
pub(crate) fn subject(task: &Task) -> Option<MemoryId> {
    <[u8; 16]>::try_from(task.key.as_slice()).ok().map(MemoryId::from_bytes)
}

impl Engine {
    /// Works off what may be begun now of the queue of a profile, beside its jobs: what failed is not left until the next of them runs.
    /// Nothing when there is nothing, or nobody to do it.
    pub(crate) fn work_off_beside(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<Option<JobReport>, Error> {
        if !self.is_ready(rulebook)? {
            return Ok(None);
        }
        let job = JobSettings { name: "queue".to_owned(), steps: vec![JobStep::Queue], ..JobSettings::default() };
        let run = Run { rulebook, spaces, job: &job, at: self.now(), cancel: &self.closing };
        let Made::Done(counts) = self.work_off(&run)? else { return Ok(None) };
        // What waits for somebody who is not here is no work.
        if counts.keys().all(|word| word == WAITING) {
            return Ok(None);
        }
        let mut report = JobReport::begun(rulebook.name.as_ref(), &job.name, None, run.at);
        report.made(JobStep::Queue, counts);
        Ok(Some(report))
    }

    /// Whether any piece of work may be begun now that somebody here can do.
    fn is_ready(&self, rulebook: &Rulebook) -> Result<bool, Error> {
        let (snapshot, now) = (self.snapshot()?, self.now());
        for chore in Chore::ALL.iter().filter(|chore| self.can(**chore, rulebook)) {
            let Some(lane) = chore.lane(&snapshot, rulebook)? else { continue };
            self.reclaim(lane)?;
            if task::next_ready(&self.snapshot()?, lane)?.is_some_and(|next| next <= now) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the profile wants the night to look through what no conversation of the day began, and there is somebody to do it.
    pub(super) fn looks_back(&self, run: &Run<'_>) -> bool {
        run.rulebook.profile.extract.begins_at(ExtractTrigger::Night) && self.can(Chore::Extract, run.rulebook)
    }

    /// Queues what no conversation of the day began.
    pub(super) fn queue_night(&self, run: &Run<'_>) -> Result<(), Error> {
        for (ns, _) in run.spaces {
            self.store.write(|txn| talks::queue_all(txn, (*ns, run.rulebook), self.now()))?;
        }
        Ok(())
    }

    /// Works off what may be begun now, whatever the jobs say, until it is cancelled; answers what came of it.
    pub(crate) fn work_off_all(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
        cancel: &Cancel,
    ) -> Result<Counts, Error> {
        let job = JobSettings::default();
        let mut counts = Counts::new();
        self.work_off_into(&Run { rulebook, spaces, job: &job, at: self.now(), cancel }, &mut counts)?;
        self.try_write_accounts();
        Ok(counts)
    }

    /// Takes back, once for each handle, what a process that is gone had begun: nobody else works on the file.
    pub(crate) fn reclaim(&self, lane: Lane) -> Result<(), Error> {
        let mut reclaimed = self.reclaimed.lock();
        if !reclaimed.contains(&lane) {
            self.store.write(|txn| task::reclaim(txn, lane, self.now()))?;
            reclaimed.insert(lane);
        }
        Ok(())
    }

    /// Works off what may be begun now, each piece once, as far as there is somebody to do it.
    pub(super) fn work_off(&self, run: &Run<'_>) -> Result<Made, Error> {
        let mut counts = Counts::new();
        match self.work_off_into(run, &mut counts)? {
            true => Ok(Made::Done(counts)),
            false => Ok(Made::Interrupted),
        }
    }

    /// The same into a count; answers whether it came to its end.
    fn work_off_into(&self, run: &Run<'_>, counts: &mut Counts) -> Result<bool, Error> {
        for chore in Chore::ALL {
            let Some(lane) = chore.lane(&self.snapshot()?, run.rulebook)? else { continue };
            self.reclaim(lane)?;
            if !self.can(*chore, run.rulebook) {
                let waiting = self.waiting(run, lane)?;
                if waiting > 0 {
                    *counts.entry(WAITING.to_owned()).or_insert(0) += waiting;
                }
                continue;
            }
            let spaces: BTreeSet<NamespaceId> = run.spaces.iter().map(|(ns, _)| *ns).collect();
            let ready = task::ready(&self.snapshot()?, lane, self.now(), usize::MAX, &|ns| spaces.contains(&ns))?;
            let mut ready = ready.into_iter();
            while let Some(task) = ready.next() {
                if self.worker.is_stopping() || run.cancel.is_cancelled() {
                    return Ok(false);
                }
                let settings = &run.rulebook.profile.queue;
                let place = (task.namespace, task.number);
                let claim = |txn: &mut Transaction<'_>| task::claim_one(txn, place, settings, self.now());
                // Somebody else may have begun it.
                let Some(task) = self.store.write(claim)?.0 else { continue };
                let worked = self.work_on(run, *chore, &task)?;
                *counts.entry(worked.word.to_owned()).or_insert(0) += 1;
                if worked.away {
                    // Nobody is there for the rest either: it waits as it is, and is not counted as tried.
                    let left = super::number(ready.by_ref().count());
                    if left > 0 {
                        *counts.entry(WAITING.to_owned()).or_insert(0) += left;
                    }
                }
            }
        }
        Ok(true)
    }

    /// How many pieces of work wait, of all kinds.
    pub(super) fn work_waiting(&self, run: &Run<'_>) -> Result<u64, Error> {
        let snapshot = self.snapshot()?;
        let mut waiting = 0;
        for chore in Chore::ALL {
            if let Some(lane) = chore.lane(&snapshot, run.rulebook)? {
                waiting += self.waiting(run, lane)?;
            }
        }
        Ok(waiting)
    }

    fn waiting(&self, run: &Run<'_>, lane: Lane) -> Result<u64, Error> {
        let snapshot = self.snapshot()?;
        let mut waiting = 0;
        for (ns, _) in run.spaces {
            let tasks = task::tasks(&snapshot, *ns, 0, usize::MAX)?;
            waiting += super::number(tasks.iter().filter(|task| task.lane == lane).count());
        }
        Ok(waiting)
    }

    /// Whether there is somebody for a kind of work under a profile; nobody where memory is switched off.
    pub(crate) fn can(&self, chore: Chore, rulebook: &Rulebook) -> bool {
        rulebook.profile.surface.enabled
            && match chore {
                Chore::Derive => self.has_summarizer() || self.has_reviser(),
                Chore::Extract => self.has_extractor(),
                Chore::Compare => self.has_judge(),
                Chore::Interpret => self.has_interpreter(),
                Chore::Idle | Chore::Delete => true,
            }
    }

    /// Does one piece of work; answers what came of it.
    fn work_on(&self, run: &Run<'_>, chore: Chore, task: &Task) -> Result<Worked, Error> {
        let name = run.spaces.iter().find(|(id, _)| *id == task.namespace).map(|(_, name)| name);
        if let (Chore::Idle, Some(name)) = (chore, name) {
            return self.look_whether_idle(run, name, task).map(Worked::of);
        }
        let Some((name, id)) = name.zip(subject(task)) else {
            self.store.write(|txn| task::discard(txn, task.namespace, task.number))?;
            return Ok(Worked::of("gone"));
        };
        let worked = match chore {
            Chore::Derive => self.derive_again(run, name, id, task),
            Chore::Extract => self.extract_from(run, name, id, task).map(|looked| looked.word),
            Chore::Compare => self.compare(run, name, id, task),
            Chore::Interpret => self.interpret(run, name, id, task),
            Chore::Delete => self.let_go(run, name, id, task),
            // Such work is about a session, not a memory.
            Chore::Idle => self.look_whether_idle(run, name, task),
        };
        match worked {
            Ok(word) => Ok(Worked::of(word)),
            Err(error) if run.cancel.is_cancelled() && (error.is_judge() || error.is_embedder()) => {
                // Nobody failed: it waits as if it had not been begun.
                self.give_back(task, self.now())?;
                Ok(Worked::of("cancelled"))
            }
            Err(error) => {
                let away = error.is_away();
                self.put_off(run, id, task, error).map(|_| Worked { word: chore.failure(), away })
            }
        }
    }

    /// Looks through what a session has not been looked through for, now, whenever the next attempt would be, if the profile wants that at its
    /// end; answers what came of it, or why it is put off.
    pub(crate) fn look_through(
        &self,
        rulebook: &Arc<Rulebook>,
        (ns, name): (NamespaceId, &NamespaceName),
        session: &Label,
    ) -> Result<(Looked, Option<String>), Error> {
        let now = self.now();
        let able = self.can(Chore::Extract, rulebook);
        // What is begun here must not be taken for the work of a process that is gone.
        let first = match Chore::Extract.lane(&self.snapshot()?, rulebook)? {
            Some(lane) => {
                self.reclaim(lane)?;
                None
            }
            None => Some(self.reclaimed.lock()),
        };
        // Queued and begun in one: nobody else takes the work, and its result, away.
        let begun = self.write(name, false, |txn, ns| {
            let end = Some(ExtractTrigger::SessionEnd);
            let queued = talks::queue_session(txn, (ns, rulebook), session, end, now)?;
            let mut tasks = Vec::new();
            for (number, id) in Self::queued_of(&*txn, rulebook, ns, session)?.into_iter().filter(|_| able) {
                let task = task::claim_now(txn, (ns, number), &rulebook.profile.queue, now)?;
                tasks.extend(task.map(|task| (id, task)));
            }
            Ok(((queued, tasks), Change::default()))
        })?;
        let (queued, tasks) = begun;
        if let Some(mut reclaimed) = first {
            reclaimed.extend(tasks.iter().map(|(_, task)| task.lane));
        }
        let (mut all, mut put_off) = (Looked::default(), None);
        if queued && !able {
            put_off = Some("there is no model; set one in the options".to_owned());
        }
        let (job, spaces) = (JobSettings::default(), [(ns, name.clone())]);
        let run = Run { rulebook, spaces: &spaces, job: &job, at: now, cancel: &self.closing };
        let mut away = false;
        for (id, task) in tasks {
            if away {
                self.give_back(&task, now)?;
                continue;
            }
            match self.extract_from(&run, name, id, &task) {
                Ok(looked) => {
                    (all.new, all.updated) = (all.new + looked.new, all.updated + looked.updated);
                    all.word = looked.word;
                }
                Err(error) => {
                    away = error.is_away();
                    put_off = Some(self.put_off(&run, id, &task, error)?);
                }
            }
        }
        Ok((all, put_off))
    }

    /// The extractions that are queued of a session: their numbers and turns.
    fn queued_of(
        reads: &dyn Reads,
        rulebook: &Rulebook,
        ns: NamespaceId,
        session: &Label,
    ) -> Result<Vec<(u64, MemoryId)>, Error> {
        let lane = Chore::Extract.lane(reads, rulebook)?;
        let mut found = Vec::new();
        for task in task::tasks(reads, ns, 0, usize::MAX)?.iter().filter(|task| Some(task.lane) == lane) {
            let Some(id) = subject(task) else { continue };
            let turn = annals_records::get(reads, ns, id, None)?.and_then(|(_, memory)| memory.body.turn);
            if turn.is_some_and(|turn| turn.session == *session) {
                found.push((task.number, id));
            }
        }
        Ok(found)
    }

    /// Lets a piece of work that failed wait for its next attempt; answers why it failed.
    fn put_off(&self, run: &Run<'_>, id: MemoryId, task: &Task, error: Error) -> Result<String, Error> {
        // What came of an answer may be such that it cannot be stored, and that must not hold up what waits behind it.
        let answered = error.is_invalid() || error.is_conflict() || error.is_not_found();
        if !error.is_judge() && !error.is_embedder() && !answered {
            return Err(error);
        }
        let why = run.rulebook.veiled(error.to_string());
        let logged = run.rulebook.veiled(error.logged());
        tracing::warn!(memory = %id, error = logged, "a piece of background work is put off");
        let mut settings = run.rulebook.profile.queue.clone();
        if error.is_lasting() && settings.answered_attempts > 0 {
            let most = if settings.attempts == 0 { u32::MAX } else { settings.attempts };
            settings.attempts = most.min(settings.answered_attempts);
        }
        let now = self.now();
        let moments = (now, now.plus_millis(error.wait_millis()));
        let fail = |txn: &mut Transaction<'_>| match task::fail(txn, task, &settings, moments, &why) {
            Err(LifecycleError::ClaimLost { .. }) => Ok(()),
            done => done.map(drop),
        };
        self.store.write(fail)?;
        Ok(why)
    }

    /// Gives a piece of work back that was not done, for whoever comes from a moment on.
    fn give_back(&self, task: &Task, until: Timestamp) -> Result<(), Error> {
        let release = |txn: &mut Transaction<'_>| match task::release(txn, task, until) {
            Err(LifecycleError::ClaimLost { .. }) => Ok(()),
            done => done,
        };
        self.store.write(release)?;
        Ok(())
    }
}

/// What came of a piece of work.
struct Worked {
    /// The word for it.
    word: &'static str,
    /// It failed because nobody was there who could be asked.
    away: bool,
}

impl Worked {
    const fn of(word: &'static str) -> Self {
        Self { word, away: false }
    }
}

/// What a piece of work is about, and where.
struct Errand<'a> {
    name: &'a NamespaceName,
    memory: Memory,
    sources: Vec<Memory>,
}

/// A change that ends a piece of work in the transaction that writes what came of it.
fn ended(txn: &mut Transaction<'_>, task: &Task, change: Change) -> Result<(bool, Change), Error> {
    match task::finish(txn, task) {
        Ok(()) => Ok((true, change)),
        Err(error) => Err(error.into()),
    }
}
