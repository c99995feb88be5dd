//! Jobs: what profiles want done as time passes, step by step, in transactions of many memories each.

pub(crate) mod apart;
mod attachments;
mod batch;
mod conflicts;
mod consolidate;
pub(super) mod nodes;
pub(crate) mod progress;
mod relations;
mod report;
mod rules;
mod suspected;
pub(crate) mod tasks;
mod twins;

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_extraction::provider::Cancel;
use annals_lifecycle::job::{self, StepReport};
use annals_lifecycle::schedule::Why;
use annals_lifecycle::{Lane, LifecycleError};
use annals_storage::Reads;
use annals_types::profile::{EpisodeTrigger, JobSettings, JobStep, MirrorDirection, MirrorFile, MirrorFormat};
use annals_types::{JudgeError, NamespaceId, NamespaceName, Reasoned, Timestamp};

use super::Engine;
use super::compiled::CompiledProfile;
use crate::maintain::JobReport;
use crate::{Error, Mode};

/// Memories that one transaction of a job treats, where the profile does not say.
const BATCH: u32 = 1000;

/// The namespaces of a profile.
type Spaces = Vec<(NamespaceId, NamespaceName)>;

/// What a step counted, by name.
pub(in crate::engine) type Counts = BTreeMap<String, u64>;

/// One run of a job.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    profile: &'a Arc<CompiledProfile>,
    spaces: &'a [(NamespaceId, NamespaceName)],
    job: &'a JobSettings,
    /// The moment that it works at.
    at: Timestamp,
    /// Gives up what a model is asked.
    cancel: &'a Cancel,
}

impl Run<'_> {
    /// Memories that one transaction treats.
    fn batch(&self) -> usize {
        let batch = if self.job.batch == 0 { BATCH } else { self.job.batch };
        usize::try_from(batch).unwrap_or(usize::MAX)
    }

    /// Memories of a namespace that the run treats at most.
    fn limit(&self) -> usize {
        match self.job.max_batches {
            0 => usize::MAX,
            batches => self.batch().saturating_mul(usize::try_from(batches).unwrap_or(usize::MAX)),
        }
    }
}

/// What became of a step.
pub(in crate::engine) enum Made {
    /// It was made.
    Done(Counts),
    /// It was made, as far as somebody could be asked.
    PutOff(Counts, PutOff),
    /// Nothing in this version makes it.
    PassedOver,
    /// The engine is being closed: the step goes on with the next start.
    Interrupted,
}

impl Made {
    /// What became of a step that was made in two parts.
    fn then(self, next: Self) -> Self {
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

    /// What was made, as far as somebody could be asked.
    pub(in crate::engine) fn of(counts: Counts, put_off: Option<PutOff>) -> Self {
        match put_off {
            Some(put_off) => Self::PutOff(counts, put_off),
            None => Self::Done(counts),
        }
    }
}

/// What is counted of what was not begun.
pub(in crate::engine) const WAITING: &str = "waiting";

/// Why a part of a step waits.
pub(in crate::engine) struct PutOff {
    pub(in crate::engine) why: String,
    /// When it is tried again.
    pub(in crate::engine) again: Option<Timestamp>,
}

impl PutOff {
    /// Both in words, as the record of the job keeps them.
    fn told(&self) -> String {
        // To the minute, as a person reads times of jobs and reviews.
        let minute = |at: Timestamp| at.to_string().get(..16).unwrap_or_default().replace('T', " ");
        let again = self.again.map(|at| format!("; next attempt {}", minute(at)));
        self.why.clone() + &again.unwrap_or_default()
    }
}

/// What is counted of pairs about which a judge answered what nobody understands.
const NOT_UNDERSTOOD: &str = "not understood";

/// What a judge said about a pair. An answer that cannot be understood is none: it must not hold up the other pairs, and asked again at once it
/// would be the same. A judge who says nothing at all is waited for.
fn understood<T>(said: Result<Reasoned<T>, JudgeError>) -> Result<Option<Reasoned<T>>, Error> {
    match said {
        Ok(said) => Ok(Some(said)),
        Err(JudgeError::BadAnswer { what, .. }) => {
            tracing::warn!(what, "an answer is not understood; the pair of memories counts as not judged");
            Ok(None)
        }
        Err(error) => Err(Error::judge(&error)),
    }
}

/// Adds up what batches counted.
pub(super) fn add(sum: &mut Counts, counts: Counts) {
    for (name, count) in counts {
        *sum.entry(name).or_insert(0) += count;
    }
}

/// A number as it is counted.
pub(in crate::engine) fn number(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Whether a step of a job writes a mirror.
fn written_by(job: &JobSettings, step: JobStep, file: &MirrorFile) -> bool {
    let own = match (file.format, file.direction) {
        (MirrorFormat::Lines, MirrorDirection::Both) => JobStep::CoreFiles,
        (MirrorFormat::Lines, MirrorDirection::Out) => JobStep::UserFiles,
        _ => JobStep::Mirrors,
    };
    step == own || (step == JobStep::Mirrors && !job.steps.contains(&own))
}

impl Engine {
    /// The profiles that namespaces have, each with the namespaces that have it.
    pub(crate) fn profiles_in_use(&self, reads: &dyn Reads) -> Result<Vec<(Arc<CompiledProfile>, Spaces)>, Error> {
        let mut by_name: BTreeMap<String, Spaces> = BTreeMap::new();
        for (namespace, _) in annals_records::namespace::list(reads)? {
            by_name.entry(namespace.profile).or_default().push((namespace.id, namespace.name));
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
    pub(super) fn run_locked<T>(
        &self,
        profile: &CompiledProfile,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let own = self.job_locks.of_free_thread(profile.name.as_str().to_owned());
        let running = || Error::name_taken("jobs are running on this very thread; let that run come to its end first");
        let own = own.ok_or_else(running)?;
        let _locked = own.lock();
        work()
    }

    /// Runs the jobs of all profiles that are due, or all of them, and what has to be done under any profile.
    pub(crate) fn upkeep(&self, (force, start): (bool, bool), mode: Mode) -> Result<Vec<JobReport>, Error> {
        let mut reports = Vec::new();
        let in_use = self.profiles_in_use(&self.snapshot()?)?;
        for (profile, spaces) in &in_use {
            let run = || self.run_jobs(profile, spaces, (force, start), mode);
            reports.extend(if mode == Mode::DryRun { run()? } else { self.run_locked(profile, run)? });
        }
        if mode == Mode::DryRun {
            return Ok(reports);
        }
        let now = self.now();
        let ended = self.end_what_is_due(now)?;
        // Pieces of work are begun one by one: nobody who ends a session waits for a model or a deletion here.
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
        self.try_write_accounts();
        Ok(reports)
    }

    /// Runs the jobs of a profile that are due, or all of them when `force` says so. A dry run tells what the rules would do now.
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

    pub(super) fn run_job(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
        job: &JobSettings,
        why: Option<Why>,
    ) -> Result<JobReport, Error> {
        let lane = profile.lane(&self.snapshot()?)?;
        let now = self.now();
        let (begun, _) = self.store.write(|txn| job::begin(txn, lane, &job.name, now))?;
        let mut report = JobReport::begun(profile.name.as_ref(), &job.name, why, begun.at);
        let run = Run { profile, spaces, job, at: begun.at, cancel: &self.closing };
        let mut failed = String::new();
        let mut ended = false;
        for step in job.steps.iter().filter(|step| !begun.is_done(**step)) {
            match self.make_step(&run, *step) {
                Ok(Made::Done(counts)) => {
                    let done = StepReport { step: *step, counts: counts.clone(), error: String::new() };
                    ended = job.steps.last() == Some(step) && failed.is_empty();
                    self.note_step(lane, job, &done, ended)?;
                    report.made(*step, counts);
                }
                Ok(Made::PutOff(counts, put_off)) => {
                    let done = StepReport { step: *step, counts: counts.clone(), error: put_off.told() };
                    ended = job.steps.last() == Some(step) && failed.is_empty();
                    self.note_step(lane, job, &done, ended)?;
                    report.put_off(*step, counts, put_off.why, put_off.again);
                }
                Ok(Made::PassedOver) => report.passed_over(*step),
                Ok(Made::Interrupted) => return Ok(report),
                Err(error) if job.go_on => {
                    let text = run.profile.redacted(error.to_string());
                    tracing::warn!(
                        job = job.name,
                        step = step.as_str(),
                        error = text,
                        "a step failed; the next one is made"
                    );
                    let done = StepReport { step: *step, counts: Counts::new(), error: text.clone() };
                    self.store.write(|txn| job::step_done(txn, lane, &job.name, done.clone()))?;
                    report.failed(*step, text.clone(), None);
                    failed = text;
                }
                Err(error) => {
                    let text = run.profile.redacted(error.to_string());
                    let (retry, _) = self.store.write(|txn| job::fail(txn, lane, job, self.now(), &text))?;
                    report.failed(*step, text, retry);
                    return Ok(report);
                }
            }
        }
        if !failed.is_empty() {
            let (retry, _) = self.store.write(|txn| job::fail(txn, lane, job, self.now(), &failed))?;
            report.retried_at(retry);
        } else if !ended {
            self.store.write(|txn| job::finish(txn, lane, &job.name, self.now()))?;
        }
        Ok(report)
    }

    /// Takes note of a step that was made; the last one ends the run in the same transaction.
    fn note_step(&self, lane: Lane, job: &JobSettings, done: &StepReport, ends: bool) -> Result<(), Error> {
        self.store.write(|txn| -> Result<(), LifecycleError> {
            job::step_done(txn, lane, &job.name, done.clone())?;
            if ends {
                drop(job::finish(txn, lane, &job.name, self.now())?);
            }
            Ok(())
        })?;
        Ok(())
    }

    /// Makes what is owed, and works off what waits.
    fn catch_up(&self, run: &Run<'_>) -> Result<Made, Error> {
        let owed = match run.profile.settings.episodes.trigger {
            EpisodeTrigger::SessionEnd => self.owed_episodes(run.spaces)?,
            _ => Counts::new(),
        };
        Ok(Made::Done(owed).then(self.work_off(run)?))
    }

    fn make_step(&self, run: &Run<'_>, step: JobStep) -> Result<Made, Error> {
        match step {
            JobStep::Decay => Ok(Made::Done(self.make_pass(run)?)),
            JobStep::Rules | JobStep::Expire => self.apply_rules(run),
            JobStep::Reviews => self.hear_reviews(run.profile, run.spaces),
            JobStep::Queue if self.looks_back(run) => {
                // What conversations queued comes first, so that the night only finds what is left.
                let queued = self.work_off(run)?;
                if matches!(queued, Made::Interrupted) {
                    return Ok(queued);
                }
                self.queue_night(run)?;
                Ok(queued.then(self.catch_up(run)?))
            }
            JobStep::Queue => self.catch_up(run),
            JobStep::Dedup => self.remove_duplicates(run),
            JobStep::Relations => self.discover_relations(run),
            JobStep::Conflicts => self.settle_conflicts(run),
            JobStep::Consolidate => self.consolidate(run),
            JobStep::Report => self.report(run),
            JobStep::Attachments => self.delete_attachments(run),
            JobStep::Mirrors | JobStep::CoreFiles | JobStep::UserFiles if self.mirrors.is_some() => {
                Ok(Made::Done(self.write_mirrors(run.spaces, &|file| written_by(run.job, step, file))?))
            }
            JobStep::TakeOver if self.mirrors.is_some() => Ok(Made::Done(self.take_over_earlier(run.spaces)?)),
            _ => Ok(Made::PassedOver),
        }
    }
}
