//! Jobs: what profiles want done as time passes, step by step, in transactions of many memories
//! each.

pub(crate) mod attachments;
pub mod batch;
pub(crate) mod consolidate;
pub mod progress;
pub(crate) mod rules;
pub mod tasks;

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_lifecycle::job::{self, StepReport};
use annals_lifecycle::schedule::Why;
use annals_lifecycle::{Lane, LifecycleError};
use annals_storage::Reads;
use annals_types::profile::{JobSettings, JobStep};
use annals_types::{Cancel, NamespaceId, NamespaceName, Timestamp};

use crate::Engine;
use crate::compiled::CompiledProfile;
use crate::maintain::JobReport;
use crate::{Error, Mode};

/// Memories that one transaction of a job treats, where the profile does not say.
const BATCH: u32 = 1000;

/// The namespaces of a profile.
pub type Spaces = Vec<(NamespaceId, NamespaceName)>;

/// The counts of a step, by name.
pub type Counts = BTreeMap<String, u64>;

/// One run of a job.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The profile whose job it is.
    pub profile: &'a Arc<CompiledProfile>,
    /// The namespaces of the profile.
    pub spaces: &'a [(NamespaceId, NamespaceName)],
    /// The job.
    pub job: &'a JobSettings,
    /// The moment that it works at.
    pub at: Timestamp,
    /// Ends calls of models.
    pub cancel: &'a Cancel,
}

impl<'a> Run<'a> {
    /// The run by its profile in the language of one of its namespaces.
    pub const fn spoken(self, profile: &'a Arc<CompiledProfile>) -> Self {
        Self { profile, ..self }
    }

    /// Memories that one transaction treats.
    pub(crate) fn batch(&self) -> usize {
        let batch = if self.job.batch == 0 {
            BATCH
        } else {
            self.job.batch
        };
        usize::try_from(batch).unwrap_or(usize::MAX)
    }

    /// Memories of a namespace that the run treats at most.
    pub fn limit(&self) -> usize {
        match self.job.max_batches {
            0 => usize::MAX,
            batches => self
                .batch()
                .saturating_mul(usize::try_from(batches).unwrap_or(usize::MAX)),
        }
    }
}

/// The result of a step.
pub enum StepResult {
    /// It was made.
    Done(Counts),
    /// It was made as far as judges and models were available.
    PutOff(Counts, PutOff),
    /// No service of this version makes it.
    PassedOver,
    /// The engine is being closed: the step goes on with the next start.
    Interrupted,
}

impl StepResult {
    /// The result of a step that was made in two parts.
    pub fn then(self, next: Self) -> Self {
        let (mut counts, put_off) = match self {
            Self::Done(counts) => (counts, None),
            Self::PutOff(counts, put_off) => (counts, Some(put_off)),
            other => return other,
        };
        let (more, later) = match next {
            Self::Done(more) => (more, None),
            Self::PutOff(more, later) => (more, Some(later)),
            other => return other,
        };
        add(&mut counts, more);
        Self::of(counts, put_off.or(later))
    }

    /// The result of a step that was made as far as judges and models were available.
    pub(crate) fn of(counts: Counts, put_off: Option<PutOff>) -> Self {
        match put_off {
            Some(put_off) => Self::PutOff(counts, put_off),
            None => Self::Done(counts),
        }
    }
}

/// The name of the count of tasks that were not begun.
pub(crate) const WAITING: &str = "waiting";

/// The name of the count of what waits for the jobs of another profile, which its namespace was
/// given meanwhile.
pub(crate) const LEFT: &str = "left";

/// Why a part of a step waits.
pub struct PutOff {
    pub why: String,
    /// When it is tried again.
    pub(crate) again: Option<Timestamp>,
}

impl PutOff {
    /// A namespace was given another profile while a job of the earlier one ran.
    fn by_profile(name: &NamespaceName) -> Self {
        let why = format!(
            "namespace {:?} has another profile by now, whose jobs go on there",
            name.as_str()
        );
        Self { why, again: None }
    }

    /// Both in words, as the record of the job keeps them.
    fn told(&self) -> String {
        // To the minute, as a person reads times of jobs and reviews.
        let minute = |at: Timestamp| {
            at.to_string()
                .get(..16)
                .unwrap_or_default()
                .replace('T', " ")
        };
        let again = self
            .again
            .map(|at| format!("; next attempt {}", minute(at)));
        self.why.clone() + &again.unwrap_or_default()
    }
}

/// Adds up what batches counted.
pub fn add(sum: &mut Counts, counts: Counts) {
    for (name, count) in counts {
        *sum.entry(name).or_insert(0) += count;
    }
}

/// A number as it is counted.
pub fn number(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

impl Engine {
    /// The profiles that namespaces have, each with the namespaces that have it.
    pub fn profiles_in_use(
        &self,
        reads: &dyn Reads,
    ) -> Result<Vec<(Arc<CompiledProfile>, Spaces)>, Error> {
        let mut by_name: BTreeMap<String, Spaces> = BTreeMap::new();
        for (namespace, _) in annals_records::namespace::list(reads)? {
            by_name
                .entry(namespace.profile)
                .or_default()
                .push((namespace.id, namespace.name));
        }
        let mut found = Vec::with_capacity(by_name.len());
        for (name, spaces) in by_name {
            match self.profiles.named(reads, &name) {
                // One that cannot be read any more keeps no other from its jobs.
                Err(error) if error.is_invalid() => {
                    tracing::warn!(profile = name, %error, "a profile cannot be read; its jobs do not run");
                }
                profile => found.push((profile?, spaces)),
            }
        }
        Ok(found)
    }

    /// Runs something while no other thread runs jobs of a profile.
    ///
    /// # Errors
    /// When this thread runs jobs itself: a judge or another adviser of a run asked for one.
    pub(crate) fn run_locked<T>(
        &self,
        profile: &CompiledProfile,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let own = self
            .job_locks
            .of_free_thread(profile.name.as_str().to_owned());
        let running = || {
            Error::name_taken(
                "jobs are running on this very thread; let that run come to its end first",
            )
        };
        let own = own.ok_or_else(running)?;
        let _locked = own.lock();
        work()
    }

    /// Runs the jobs of all profiles that are due, or all of them, and what has to be done under
    /// any profile.
    pub fn upkeep(
        &self,
        (force, start): (bool, bool),
        mode: Mode,
    ) -> Result<Vec<JobReport>, Error> {
        let mut reports = Vec::new();
        let in_use = self.profiles_in_use(&self.snapshot()?)?;
        for (profile, spaces) in &in_use {
            let run = || self.run_jobs(profile, spaces, (force, start), mode);
            reports.extend(if mode == Mode::DryRun {
                run()?
            } else {
                self.run_locked(profile, run)?
            });
        }
        if mode == Mode::DryRun {
            return Ok(reports);
        }
        let now = self.now();
        let ended = self.end_what_is_due(now)?;
        // Pieces of work are begun one by one: nobody who ends a session waits for a model or a
        // deletion here.
        for (profile, spaces) in &in_use {
            reports.extend(self.work_off_beside(profile, spaces)?);
        }
        let (deleted, failed) = self.carry_out_orders(None)?;
        if deleted > 0 || failed.is_some() {
            let mut report = JobReport::begun("", "queue", None, now);
            match failed {
                Some(error) => report.failed(JobStep::Queue, error.to_string(), None),
                None => report.made(JobStep::Queue, [("deleted".to_owned(), deleted)].into()),
            }
            reports.push(report);
        }
        if ended > 0 {
            let mut report = JobReport::begun("", "ends", None, now);
            report.made(JobStep::Expire, [("ended".to_owned(), ended)].into());
            reports.push(report);
        }
        self.extensions.flush(self);
        Ok(reports)
    }

    /// Runs the jobs of a profile that are due, or all of them if `force` is set. A dry run tells
    /// what the rules would do now.
    pub(crate) fn run_jobs(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
        (force, start): (bool, bool),
        mode: Mode,
    ) -> Result<Vec<JobReport>, Error> {
        let now = self.now();
        let jobs = &profile.settings.jobs;
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        if mode == Mode::DryRun {
            return Ok(vec![self.plan_rules(profile, spaces, now)?]);
        }
        self.store.write(|txn| profile.schedule(txn, now))?;
        let snapshot = self.snapshot()?;
        let lane = profile.lane(&snapshot)?;
        let (due, _) = job::due_jobs(&snapshot, lane, (jobs, profile.policy.zone()), now, start)?;
        let mut reports = Vec::new();
        for job in jobs {
            let why = due.iter().find(|due| due.job == job).map(|due| due.why);
            if why.is_some() || force {
                reports.push(self.run_job(profile, spaces, job, why)?);
            }
        }
        Ok(reports)
    }

    /// Stops a job of a profile, or lets it run again.
    pub fn set_job_stopped(
        &self,
        profile: &CompiledProfile,
        job: &str,
        stopped: bool,
    ) -> Result<(), Error> {
        let now = self.now();
        self.store.write(|txn| -> Result<(), Error> {
            profile.schedule(txn, now)?;
            let lane = profile.lane(&*txn)?;
            Ok(job::set_stopped(txn, lane, job, stopped)?)
        })?;
        self.scheduler.ask();
        Ok(())
    }

    /// Runs the jobs that the profile of a namespace wants after an event.
    pub fn run_event(&self, namespace: NamespaceId, event: &str) -> Result<Vec<JobReport>, Error> {
        let snapshot = self.snapshot()?;
        let profile = self.profiles.of(&snapshot, namespace)?;
        let jobs: Vec<_> = profile
            .settings
            .jobs
            .iter()
            .filter(|job| job.on_events.iter().any(|on| on == event))
            .collect();
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let found = annals_records::namespace::list(&snapshot)?
            .into_iter()
            .map(|(space, _)| space);
        let spaces: Vec<(NamespaceId, NamespaceName)> = found
            .filter(|space| space.profile == profile.name.as_str())
            .map(|space| (space.id, space.name))
            .collect();
        self.store.write(|txn| profile.schedule(txn, self.now()))?;
        let run = |job| {
            let mut report = self.run_job(&profile, &spaces, job, None)?;
            report.why = "event".into();
            Ok(report)
        };
        self.run_locked(&profile, || jobs.into_iter().map(run).collect())
    }

    pub(crate) fn run_job(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
        job: &JobSettings,
        why: Option<Why>,
    ) -> Result<JobReport, Error> {
        let lane = profile.lane(&self.snapshot()?)?;
        let now = self.now();
        let (begun, _) = self
            .store
            .write(|txn| job::begin(txn, lane, &job.name, now))?;
        let mut report = JobReport::begun(profile.name.as_ref(), &job.name, why, begun.at);
        let run = Run {
            profile,
            spaces,
            job,
            at: begun.at,
            cancel: &self.closing,
        };
        let mut failed = String::new();
        let mut ended = false;
        for step in job.steps.iter().filter(|step| !begun.is_done(**step)) {
            match self.make_step(&run, *step) {
                Ok(StepResult::Done(counts)) => {
                    let done = StepReport {
                        step: *step,
                        counts: counts.clone(),
                        error: String::new(),
                    };
                    ended = job.steps.last() == Some(step) && failed.is_empty();
                    self.note_step(lane, job, &done, ended)?;
                    report.made(*step, counts);
                }
                Ok(StepResult::PutOff(counts, put_off)) => {
                    let done = StepReport {
                        step: *step,
                        counts: counts.clone(),
                        error: put_off.told(),
                    };
                    ended = job.steps.last() == Some(step) && failed.is_empty();
                    self.note_step(lane, job, &done, ended)?;
                    report.put_off(*step, counts, put_off.why, put_off.again);
                }
                Ok(StepResult::PassedOver) => report.passed_over(*step),
                Ok(StepResult::Interrupted) => return Ok(report),
                Err(error) if job.go_on => {
                    let text = run.profile.redacted(error.to_string());
                    tracing::warn!(
                        job = job.name,
                        step = step.as_str(),
                        error = text,
                        "a step failed; the next one is made"
                    );
                    let done = StepReport {
                        step: *step,
                        counts: Counts::new(),
                        error: text.clone(),
                    };
                    self.store
                        .write(|txn| job::step_done(txn, lane, &job.name, done.clone()))?;
                    report.failed(*step, text.clone(), None);
                    failed = text;
                }
                Err(error) => {
                    let text = run.profile.redacted(error.to_string());
                    let (retry, _) = self
                        .store
                        .write(|txn| job::fail(txn, lane, job, self.now(), &text))?;
                    report.failed(*step, text, retry);
                    return Ok(report);
                }
            }
        }
        if !failed.is_empty() {
            let (retry, _) = self
                .store
                .write(|txn| job::fail(txn, lane, job, self.now(), &failed))?;
            report.retried_at(retry);
        } else if !ended {
            self.store
                .write(|txn| job::finish(txn, lane, &job.name, self.now()))?;
        }
        Ok(report)
    }

    /// Takes note of a step that was made; the last one ends the run in the same transaction.
    fn note_step(
        &self,
        lane: Lane,
        job: &JobSettings,
        done: &StepReport,
        ends: bool,
    ) -> Result<(), Error> {
        self.store.write(|txn| -> Result<(), LifecycleError> {
            job::step_done(txn, lane, &job.name, done.clone())?;
            if ends {
                drop(job::finish(txn, lane, &job.name, self.now())?);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn make_step(&self, run: &Run<'_>, step: JobStep) -> Result<StepResult, Error> {
        for service in self.extensions.services() {
            if let Some(made) = service.step(self, run, step)? {
                return Ok(made);
            }
        }
        match step {
            JobStep::Decay => Ok(StepResult::Done(self.make_pass(run)?)),
            JobStep::Rules | JobStep::Expire => self.apply_rules(run),
            JobStep::Reviews => self.hear_reviews(run.profile, run.spaces),
            JobStep::Queue => self.work_off(run),
            JobStep::Consolidate => self.consolidate(run),
            JobStep::Attachments => self.delete_attachments(run),
            _ => Ok(StepResult::PassedOver),
        }
    }
}
