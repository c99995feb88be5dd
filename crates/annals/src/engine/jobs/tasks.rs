//! Background work that waits in a queue: each kind of it in a lane of its own for each profile.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals_extraction::provider::Cancel;
use annals_lifecycle::task::{Task, TaskState};
use annals_lifecycle::{Lane, LifecycleError, task};
use annals_storage::{Reads, Transaction};
use annals_types::profile::{ExtractTrigger, JobSettings, JobStep};
use annals_types::{Label, Memory, MemoryId, NamespaceId, NamespaceName, Timestamp};

use super::{Counts, Made, PutOff, Run, WAITING};
use crate::Error;
use crate::engine::WriteCx;
use crate::engine::compiled::CompiledProfile;
use crate::engine::{Engine, cursors};
use crate::maintain::JobReport;

mod compare;
mod derive;
mod extract;
mod findings;
mod idle;
mod interpret;
mod kinds;
mod let_go;
mod timely;

pub(crate) use compare::Open;
pub(crate) use extract::Looked;
pub(crate) use interpret::assertions;
pub(crate) use kinds::{Carried, TaskKind, subject};

impl Engine {
    /// Works off what may be begun now of the queue of a profile, beside its jobs: what failed is not left until the next of them runs.
    /// Nothing when there is nothing, or nobody to do it.
    pub(crate) fn work_off_beside(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<Option<JobReport>, Error> {
        if !self.is_ready(profile)? {
            return Ok(None);
        }
        let job = JobSettings { name: "queue".to_owned(), steps: vec![JobStep::Queue], ..JobSettings::default() };
        let run = Run { profile, spaces, job: &job, at: self.now(), cancel: &self.closing };
        let work = self.work_off_each(&run)?;
        // What waits for somebody who is not here is no work.
        if !work.ended || work.counts.keys().all(|word| word == WAITING) {
            return Ok(None);
        }
        let mut report = JobReport::begun(profile.name.as_ref(), &job.name, None, run.at);
        match work.put_off {
            Some(put_off) => report.put_off(JobStep::Queue, work.counts, put_off.why, put_off.again),
            None => report.made(JobStep::Queue, work.counts),
        }
        Ok(Some(report))
    }

    /// Whether any piece of work may be begun now that somebody here can do.
    fn is_ready(&self, profile: &CompiledProfile) -> Result<bool, Error> {
        let (snapshot, now) = (self.snapshot()?, self.now());
        for kind in TaskKind::ALL.iter().filter(|kind| self.can(**kind, profile)) {
            let Some(lane) = kind.lane(&snapshot, profile)? else { continue };
            self.reclaim(lane)?;
            if task::next_ready(&self.snapshot()?, lane)?.is_some_and(|next| next <= now) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the profile wants the night to look through what no conversation of the day began, and there is somebody to do it.
    pub(super) fn looks_back(&self, run: &Run<'_>) -> bool {
        run.profile.settings.extract.begins_at(ExtractTrigger::Night) && self.can(TaskKind::Extract, run.profile)
    }

    /// Queues what no conversation of the day began.
    pub(super) fn queue_night(&self, run: &Run<'_>) -> Result<(), Error> {
        for (ns, _) in run.spaces {
            let queued = self.write_under(*ns, run.profile, self.now(), cursors::queue_all);
            match queued {
                Err(error) if error.has_left() => {}
                queued => drop(queued?),
            }
        }
        Ok(())
    }

    /// Works off what may be begun now, whatever the jobs say, until it is cancelled; answers what came of it.
    pub(crate) fn work_off_all(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
        cancel: &Cancel,
    ) -> Result<Counts, Error> {
        let job = JobSettings::default();
        let work = self.work_off_each(&Run { profile, spaces, job: &job, at: self.now(), cancel })?;
        self.try_write_accounts();
        Ok(work.counts)
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
        let work = self.work_off_each(run)?;
        Ok(if work.ended { Made::of(work.counts, work.put_off) } else { Made::Interrupted })
    }

    fn work_off_each(&self, run: &Run<'_>) -> Result<Work, Error> {
        let mut work = Work::default();
        for kind in TaskKind::ALL {
            let Some(lane) = kind.lane(&self.snapshot()?, run.profile)? else { continue };
            self.reclaim(lane)?;
            if !self.can(*kind, run.profile) {
                let waiting = if kind.is_a_look() { 0 } else { self.waiting(run, lane)? };
                work.count(WAITING, waiting);
                continue;
            }
            let spaces: BTreeSet<NamespaceId> = run.spaces.iter().map(|(ns, _)| *ns).collect();
            let ready = task::ready(&self.snapshot()?, lane, self.now(), usize::MAX, &|ns| spaces.contains(&ns))?;
            let mut ready = ready.into_iter();
            while let Some(task) = ready.next() {
                if self.worker.is_stopping() || run.cancel.is_cancelled() {
                    return Ok(work);
                }
                let settings = &run.profile.settings.queue;
                let place = (task.namespace, task.number);
                let claim = |txn: &mut Transaction<'_>| task::claim_one(txn, place, settings, self.now());
                // Somebody else may have begun it.
                let Some(task) = self.store.write(claim)?.0 else { continue };
                let worked = self.work_on(run, *kind, &task)?;
                work.count(worked.word, 1);
                work.put_off = work.put_off.or(worked.put_off);
                if worked.away {
                    // Nobody is there for the rest either: it waits as it is, and is not counted as tried.
                    work.count(WAITING, super::number(ready.by_ref().count()));
                }
            }
        }
        work.ended = true;
        Ok(work)
    }

    /// How many pieces of work wait, of all kinds.
    pub(super) fn work_waiting(&self, run: &Run<'_>) -> Result<u64, Error> {
        let snapshot = self.snapshot()?;
        let mut waiting = 0;
        for kind in TaskKind::ALL.iter().filter(|kind| !kind.is_a_look()) {
            if let Some(lane) = kind.lane(&snapshot, run.profile)? {
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
    pub(crate) fn can(&self, kind: TaskKind, profile: &CompiledProfile) -> bool {
        profile.settings.surface.enabled
            && match kind {
                TaskKind::Derive => self.has_summarizer() || self.has_extractor(),
                TaskKind::Extract => self.has_extractor(),
                TaskKind::Compare => self.has_judge(),
                TaskKind::Interpret => self.has_interpreter(),
                TaskKind::Idle | TaskKind::Delete => true,
            }
    }

    /// Does one piece of work; answers what came of it.
    fn work_on(&self, run: &Run<'_>, kind: TaskKind, task: &Task) -> Result<Worked, Error> {
        let known = run.spaces.iter().any(|(id, _)| *id == task.namespace);
        if kind == TaskKind::Idle && known {
            return match self.look_whether_idle(run, task) {
                Err(error) if error.has_left() => Ok(Worked::of("gone")),
                looked => looked.map(Worked::of),
            };
        }
        let Some(id) = subject(task).filter(|_| known) else {
            self.drop_work(task)?;
            return Ok(Worked::of("gone"));
        };
        let worked = match kind {
            TaskKind::Derive => self.derive_again(run, id, task),
            TaskKind::Extract => self.extract_from(run, id, task).map(|looked| looked.word),
            TaskKind::Compare => self.compare(run, id, task),
            TaskKind::Interpret => self.interpret(run, id, task),
            TaskKind::Delete => self.let_go(run, id, task),
            // Such work is about a session, not a memory.
            TaskKind::Idle => self.look_whether_idle(run, task),
        };
        match worked {
            Ok(word) => Ok(Worked::of(word)),
            // The work went with the namespace, or is that of another profile by now.
            Err(error) if error.has_left() => Ok(Worked::of("gone")),
            Err(error) if run.cancel.is_cancelled() && (error.is_judge() || error.is_embedder()) => {
                // Nobody failed: it waits as if it had not been begun.
                self.give_back(task, self.now())?;
                Ok(Worked::of("cancelled"))
            }
            Err(error) => {
                let away = error.is_away();
                let put_off = Some(self.put_off(run, id, task, error)?);
                Ok(Worked { word: kind.failure(), away, put_off })
            }
        }
    }

    /// Looks through what a session has not been looked through for, now, whenever the next attempt would be, if the profile wants that at its
    /// end; answers what came of it, or why it is put off.
    pub(crate) fn look_through(
        &self,
        profile: &Arc<CompiledProfile>,
        ns: NamespaceId,
        session: &Label,
    ) -> Result<(Looked, Option<String>), Error> {
        let now = self.now();
        let able = self.can(TaskKind::Extract, profile);
        // What is begun here must not be taken for the work of a process that is gone.
        let first = match TaskKind::Extract.lane(&self.snapshot()?, profile)? {
            Some(lane) => {
                self.reclaim(lane)?;
                None
            }
            None => Some(self.reclaimed.lock()),
        };
        // Queued and begun in one: nobody else takes the work, and its result, away.
        let begun = self.write(ns, |cx| {
            let profile = cx.profile;
            let end = Some(ExtractTrigger::SessionEnd);
            let queued = cursors::queue_session(cx, session, end)?;
            let mut tasks = Vec::new();
            for (number, id) in Self::queued_of(&*cx.txn, profile, ns, session)?.into_iter().filter(|_| able) {
                let task = task::claim_now(cx.txn, (ns, number), &profile.settings.queue, now)?;
                tasks.extend(task.map(|task| (id, task)));
            }
            Ok((queued, tasks))
        })?;
        let (queued, tasks) = begun;
        if let Some(mut reclaimed) = first {
            reclaimed.extend(tasks.iter().map(|(_, task)| task.lane));
        }
        let (mut all, mut put_off) = (Looked::default(), None);
        if queued && !able {
            put_off = Some("there is no model; set one in the options".to_owned());
        }
        let job = JobSettings::default();
        let run = Run { profile, spaces: &[], job: &job, at: now, cancel: &self.closing };
        let mut away = false;
        for (id, task) in tasks {
            if away {
                self.give_back(&task, now)?;
                continue;
            }
            match self.extract_from(&run, id, &task) {
                Ok(looked) => {
                    (all.new, all.updated) = (all.new + looked.new, all.updated + looked.updated);
                    all.word = looked.word;
                }
                Err(error) => {
                    away = error.is_away();
                    put_off = Some(self.put_off(&run, id, &task, error)?.why);
                }
            }
        }
        Ok((all, put_off))
    }

    /// The extractions that are queued of a session: their numbers and turns.
    fn queued_of(
        reads: &dyn Reads,
        profile: &CompiledProfile,
        ns: NamespaceId,
        session: &Label,
    ) -> Result<Vec<(u64, MemoryId)>, Error> {
        let lane = TaskKind::Extract.lane(reads, profile)?;
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

    /// Lets a piece of work that failed wait for its next attempt.
    fn put_off(&self, run: &Run<'_>, id: MemoryId, task: &Task, error: Error) -> Result<PutOff, Error> {
        // What came of an answer may be such that it cannot be stored, and that must not hold up what waits behind it.
        let answered = error.is_invalid() || error.is_conflict() || error.is_not_found();
        if !error.is_judge() && !error.is_embedder() && !answered {
            return Err(error);
        }
        let why = run.profile.redacted(error.to_string());
        let logged = run.profile.redacted(error.logged());
        tracing::warn!(memory = %id, error = logged, "a piece of background work is put off");
        let mut settings = run.profile.settings.queue.clone();
        if error.is_lasting() && settings.answered_attempts > 0 {
            let most = if settings.attempts == 0 { u32::MAX } else { settings.attempts };
            settings.attempts = most.min(settings.answered_attempts);
        }
        let now = self.now();
        let moments = (now, now.plus_millis(error.wait_millis()));
        let fail = |txn: &mut Transaction<'_>| match task::fail(txn, task, &settings, moments, &why) {
            Ok(TaskState::Waiting(at)) => Ok(Some(at)),
            Ok(_) | Err(LifecycleError::ClaimLost { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        let (again, _) = self.store.write(fail)?;
        Ok(PutOff { why, again })
    }

    /// Takes a piece of work back that has nothing to be done about; it may have gone with its namespace.
    pub(crate) fn drop_work(&self, task: &Task) -> Result<(), Error> {
        let discard = |txn: &mut Transaction<'_>| match task::discard(txn, task.namespace, task.number) {
            Err(LifecycleError::NoTask { .. }) => Ok(()),
            done => done,
        };
        self.store.write(discard)?;
        Ok(())
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

/// What came of working off what waits.
#[derive(Default)]
struct Work {
    counts: Counts,
    /// Why the first piece that failed did.
    put_off: Option<PutOff>,
    /// Whether nobody stopped it.
    ended: bool,
}

impl Work {
    fn count(&mut self, word: &str, more: u64) {
        if more > 0 {
            *self.counts.entry(word.to_owned()).or_insert(0) += more;
        }
    }
}

/// What came of a piece of work.
struct Worked {
    /// The word for it.
    word: &'static str,
    /// It failed because nobody was there who could be asked.
    away: bool,
    /// Why it failed, if it did.
    put_off: Option<PutOff>,
}

impl Worked {
    const fn of(word: &'static str) -> Self {
        Self { word, away: false, put_off: None }
    }
}

/// What a piece of work is about.
struct Derivation {
    memory: Memory,
    sources: Vec<Memory>,
}

/// Ends a piece of work in the transaction that writes its result.
fn ended(cx: &mut WriteCx<'_, '_>, task: &Task) -> Result<bool, Error> {
    match task::finish(cx.txn, task) {
        Ok(()) => Ok(true),
        Err(error) => Err(error.into()),
    }
}
