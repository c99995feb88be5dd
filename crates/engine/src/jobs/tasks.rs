//! Background work that waits in a queue: each kind of it in a lane of its own for each profile.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals_lifecycle::task::{Task, TaskState};
use annals_lifecycle::{Lane, LifecycleError, task};
use annals_storage::Transaction;
use annals_types::profile::{JobSettings, JobStep};
use annals_types::{Cancel, NamespaceId, NamespaceName, Timestamp};

use crate::Engine;
use crate::Error;
use crate::compiled::CompiledProfile;
use crate::jobs::{Counts, LEFT, PutOff, Run, StepResult, WAITING};
use crate::maintain::JobReport;

mod kinds;
mod let_go;
mod open;

pub(crate) use kinds::held_status;
pub use kinds::{Carried, TaskKind, subject};
pub use open::Open;

impl Engine {
    /// Carries out the tasks of a profile's queue that may be begun now, beside its jobs: failed
    /// ones need not wait until the next job runs. `None` when there is none, or no judge or model
    /// for them.
    pub(crate) fn work_off_beside(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
    ) -> Result<Option<JobReport>, Error> {
        if !self.is_ready(profile)? {
            return Ok(None);
        }
        let job = JobSettings {
            name: "queue".to_owned(),
            steps: vec![JobStep::Queue],
            ..JobSettings::default()
        };
        let run = Run {
            profile,
            spaces,
            job: &job,
            at: self.now(),
            cancel: &self.closing,
        };
        let work = self.work_off_each(&run)?;
        // Tasks whose judge is not configured do not count as pending.
        if !work.ended || work.counts.keys().all(|word| word == WAITING) {
            return Ok(None);
        }
        let mut report = JobReport::begun(profile.name.as_ref(), &job.name, None, run.at);
        match work.put_off {
            Some(put_off) => {
                report.put_off(JobStep::Queue, work.counts, put_off.why, put_off.again)
            }
            None => report.made(JobStep::Queue, work.counts),
        }
        Ok(Some(report))
    }

    /// Whether any piece of work may be begun now that somebody here can do.
    fn is_ready(&self, profile: &CompiledProfile) -> Result<bool, Error> {
        let (snapshot, now) = (self.snapshot()?, self.now());
        for kind in TaskKind::ALL
            .iter()
            .filter(|kind| self.can(**kind, profile))
        {
            let Some(lane) = kind.lane(&snapshot, profile)? else {
                continue;
            };
            self.reclaim(lane)?;
            if task::next_ready(&self.snapshot()?, lane)?.is_some_and(|next| next <= now) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Works off what may be begun now, whatever the jobs say, until it is cancelled; answers what
    /// came of it.
    pub fn work_off_all(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
        cancel: &Cancel,
    ) -> Result<Counts, Error> {
        let job = JobSettings::default();
        let work = self.work_off_each(&Run {
            profile,
            spaces,
            job: &job,
            at: self.now(),
            cancel,
        })?;
        self.extensions.flush(self);
        Ok(work.counts)
    }

    /// Takes back, once for each handle, what a process that is gone had begun: nobody else works
    /// on the file.
    pub fn reclaim(&self, lane: Lane) -> Result<(), Error> {
        let mut reclaimed = self.reclaimed.lock();
        if !reclaimed.contains(&lane) {
            self.store
                .write(|txn| task::reclaim(txn, lane, self.now()))?;
            reclaimed.insert(lane);
        }
        Ok(())
    }

    /// Works off what may be begun now, each piece once, as far as there is somebody to do it.
    pub fn work_off(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        let work = self.work_off_each(run)?;
        Ok(if work.ended {
            StepResult::of(work.counts, work.put_off)
        } else {
            StepResult::Interrupted
        })
    }

    fn work_off_each(&self, run: &Run<'_>) -> Result<QueueResult, Error> {
        let mut work = QueueResult::default();
        for kind in TaskKind::ALL {
            let Some(lane) = kind.lane(&self.snapshot()?, run.profile)? else {
                continue;
            };
            self.reclaim(lane)?;
            if !self.can(*kind, run.profile) {
                let waiting = if kind.is_a_look() {
                    0
                } else {
                    self.waiting(run, lane)?
                };
                work.count(WAITING, waiting);
                continue;
            }
            let spaces: BTreeSet<NamespaceId> = run.spaces.iter().map(|(ns, _)| *ns).collect();
            let ready = task::ready(&self.snapshot()?, lane, self.now(), usize::MAX, &|ns| {
                spaces.contains(&ns)
            })?;
            let mut ready = ready.into_iter();
            while let Some(task) = ready.next() {
                if self.worker.is_stopping() || run.cancel.is_cancelled() {
                    return Ok(work);
                }
                let settings = &run.profile.settings.queue;
                let claim = |txn: &mut Transaction<'_>| {
                    task::claim_one(txn, task.namespace, task.number, settings, self.now())
                };
                // Another thread may have begun it.
                let Some(task) = self.store.write(claim)?.0 else {
                    continue;
                };
                let worked = self.work_on(run, *kind, &task)?;
                work.count(worked.word, 1);
                work.put_off = work.put_off.or(worked.put_off);
                if worked.away {
                    // No judge is available for the rest either: those tasks wait as they are, and
                    // are not counted as tried.
                    work.count(WAITING, super::number(ready.by_ref().count()));
                }
            }
        }
        work.ended = true;
        Ok(work)
    }

    /// How many pieces of work wait, of all kinds.
    pub(crate) fn work_waiting(&self, run: &Run<'_>) -> Result<u64, Error> {
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

    /// Whether there is somebody for a kind of work under a profile; nobody where memory is
    /// switched off.
    pub fn can(&self, kind: TaskKind, profile: &CompiledProfile) -> bool {
        profile.settings.surface.enabled && (kind == TaskKind::Delete || self.extensions.can(kind))
    }

    /// Does one piece of work; answers what came of it.
    fn work_on(&self, run: &Run<'_>, kind: TaskKind, task: &Task) -> Result<TaskResult, Error> {
        // A look at the clock is about a session, all other work about a memory.
        let about = subject(task);
        if about.is_none() && !kind.is_a_look() {
            tracing::warn!(
                number = task.number,
                kind = kind.as_str(),
                "a piece of work names no memory; it is dropped"
            );
            self.drop_work(task)?;
            return Ok(TaskResult::of("unreadable"));
        }
        let work = |profile: Arc<CompiledProfile>| {
            let run = run.spoken(&profile);
            match about {
                Some(id) if kind == TaskKind::Delete => self.let_go(&run, id, task),
                _ => self.extensions.work(self, &run, (kind, task)),
            }
        };
        // The snapshot is not kept for as long as a model is asked.
        let profile = self.spoken_in(&self.snapshot()?, task.namespace, run.profile);
        let worked = profile.and_then(work);
        match worked {
            Ok(word) => Ok(TaskResult::of(word)),
            // The work went with the namespace.
            Err(error) if error.is_gone() => Ok(TaskResult::of("gone")),
            // The task waits in the queue of the other profile.
            Err(error) if error.has_left() => {
                self.give_back(task, self.now())?;
                Ok(TaskResult::of(LEFT))
            }
            Err(error) if kind.is_a_look() => Err(error),
            Err(error)
                if run.cancel.is_cancelled() && (error.is_judge() || error.is_embedder()) =>
            {
                // A cancelled task has not failed: it waits as if it had not been begun.
                self.give_back(task, self.now())?;
                Ok(TaskResult::of("cancelled"))
            }
            Err(error) => {
                let away = error.is_away();
                let put_off = Some(self.put_off(run, task, error)?);
                Ok(TaskResult {
                    word: kind.failure(),
                    away,
                    put_off,
                })
            }
        }
    }

    /// Lets a piece of work that failed wait for its next attempt.
    pub fn put_off(&self, run: &Run<'_>, task: &Task, error: Error) -> Result<PutOff, Error> {
        // The result of an answer may be such that it cannot be stored. It must not hold up the
        // tasks behind it.
        let answered = error.is_invalid() || error.is_conflict() || error.is_not_found();
        if !error.is_judge() && !error.is_embedder() && !answered {
            return Err(error);
        }
        let why = run.profile.redacted(error.to_string());
        let logged = run.profile.redacted(error.logged());
        tracing::warn!(memory = ?subject(task), error = logged, "a piece of background work is put off");
        let mut settings = run.profile.settings.queue.clone();
        if error.is_lasting() && settings.answered_attempts > 0 {
            let most = if settings.attempts == 0 {
                u32::MAX
            } else {
                settings.attempts
            };
            settings.attempts = most.min(settings.answered_attempts);
        }
        let now = self.now();
        let not_before = now.plus_millis(error.wait_millis());
        let fail = |txn: &mut Transaction<'_>| match task::fail(
            txn, task, &settings, now, not_before, &why,
        ) {
            Ok(TaskState::Waiting(at)) => Ok(Some(at)),
            Ok(_) | Err(LifecycleError::ClaimLost { .. }) => Ok(None),
            Err(error) => Err(error),
        };
        let (again, _) = self.store.write(fail)?;
        Ok(PutOff { why, again })
    }

    /// Takes a piece of work back that has nothing to be done about; it may have gone with its
    /// namespace.
    pub fn drop_work(&self, task: &Task) -> Result<(), Error> {
        let discard =
            |txn: &mut Transaction<'_>| match task::discard(txn, task.namespace, task.number) {
                Err(LifecycleError::NoTask { .. }) => Ok(()),
                done => done,
            };
        self.store.write(discard)?;
        Ok(())
    }

    /// Gives a piece of work back that was not done, for whoever comes from a moment on.
    pub fn give_back(&self, task: &Task, until: Timestamp) -> Result<(), Error> {
        let release = |txn: &mut Transaction<'_>| match task::release(txn, task, until) {
            Err(LifecycleError::ClaimLost { .. }) => Ok(()),
            done => done,
        };
        self.store.write(release)?;
        Ok(())
    }
}

/// The result of carrying out the tasks of a queue.
#[derive(Default)]
pub struct QueueResult {
    counts: Counts,
    /// The failure of the first task that failed.
    put_off: Option<PutOff>,
    /// Whether it ran to the end of the queue.
    ended: bool,
}

impl QueueResult {
    fn count(&mut self, word: &str, more: u64) {
        if more > 0 {
            *self.counts.entry(word.to_owned()).or_insert(0) += more;
        }
    }
}

/// The result of a task.
struct TaskResult {
    /// The word for it.
    word: &'static str,
    /// It failed because no judge or model was available.
    away: bool,
    /// Why it failed, if it did.
    put_off: Option<PutOff>,
}

impl TaskResult {
    const fn of(word: &'static str) -> Self {
        Self {
            word,
            away: false,
            put_off: None,
        }
    }
}
