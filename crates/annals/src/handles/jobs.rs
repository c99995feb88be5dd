//! The jobs of profiles: when they ran, when they will, and whether they may.

use annals_lifecycle::job::{self, JobRecord, JobRun};
use annals_lifecycle::schedule;
use annals_storage::Reads;
use annals_types::Timestamp;
use annals_types::profile::JobSettings;
use tracing::instrument;

use crate::handles::Memory;
use crate::{ClockJump, Error, JobInfo, LastRun, StepOutcome};
use annals_engine::Refusal;
use annals_engine::compiled::CompiledProfile;

handles! {
    /// The jobs of profiles: when they ran, when they will, and whether they may.
    pub struct Jobs;
    example {
        /// ```
        /// let memory = annals::Options::new().in_memory()?;
        /// memory.create_namespace("user:42", "agent")?;
        /// let job = memory.jobs().list()?.remove(0);
        /// memory.jobs().stop(&job.profile, &job.job)?;
        /// assert!(memory.jobs().list()?[0].stopped);
        /// # Ok::<(), annals::Error>(())
        /// ```
    }
    asynchronous {
        /// ```
        /// # fn main() -> Result<(), annals::Error> { pollster::block_on(async {
        /// let memory = annals::Memory::from(annals::Options::new().in_memory()?);
        /// memory.create_namespace("user:42", "agent").await?;
        /// assert!(!memory.jobs().list().await?.is_empty());
        /// # Ok(()) }) }
        /// ```
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Jobs {
    pub(super) memory: Memory,
}

calls! {
    for Jobs;

    calls {
        /// The jobs of the profiles that namespaces have, in the order of profiles and of their
        /// jobs.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn list() -> Vec<JobInfo>;

        /// Lets a job of a profile rest until [`resume`](Self::resume): it is not due any more,
        /// also after a start.
        ///
        /// # Errors
        /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when no namespace has such a
        /// profile, or the profile no such job.
        fn stop(profile: text, job: text) -> ();

        /// Lets a job that was stopped go on; one that is overdue is due now.
        ///
        /// # Errors
        /// As [`stop`](Self::stop).
        fn resume(profile: text, job: text) -> ();

        /// The namespaces that nothing used for longer than their profile expects
        /// (`maintenance.clock_jump_days`), as far as nobody said that the clock is right: what
        /// rules would delete there is forgotten instead, and nothing is deleted for its age.
        ///
        /// # Errors
        /// When the file cannot be read.
        fn clock_jumps() -> Vec<ClockJump>;

        /// Says that the clock is right: what is due is done from the next job on. Answers what
        /// [`clock_jumps`](Self::clock_jumps) did.
        ///
        /// # Errors
        /// When the file cannot be read or written.
        fn trust_clock() -> Vec<ClockJump>;
    }
}

impl Jobs {
    pub(crate) fn list(&self) -> Result<Vec<JobInfo>, Error> {
        let snapshot = self.memory.engine.snapshot()?;
        let mut found = Vec::new();
        for (profile, _) in self.memory.engine.profiles_in_use(&snapshot)? {
            found.extend(jobs_of(&snapshot, &profile, self.memory.engine.now())?);
        }
        Ok(found)
    }

    #[instrument(level = "debug", skip(self))]
    pub(crate) fn stop(&self, profile: &str, job: &str) -> Result<(), Error> {
        self.set_stopped(profile, job, true)
    }

    #[instrument(level = "debug", skip(self))]
    pub(crate) fn resume(&self, profile: &str, job: &str) -> Result<(), Error> {
        self.set_stopped(profile, job, false)
    }

    pub(crate) fn clock_jumps(&self) -> Result<Vec<ClockJump>, Error> {
        self.memory.engine.clock_jumps()
    }

    #[instrument(level = "debug", skip(self))]
    pub(crate) fn trust_clock(&self) -> Result<Vec<ClockJump>, Error> {
        self.memory.engine.trust_clock()
    }

    fn set_stopped(&self, profile: &str, job: &str, stopped: bool) -> Result<(), Error> {
        let engine = &self.memory.engine;
        let in_use = engine.profiles_in_use(&engine.snapshot()?)?;
        let known =
            |profile: &CompiledProfile| profile.settings.jobs.iter().any(|known| known.name == job);
        let found = in_use
            .iter()
            .find(|(used, _)| used.name.as_str() == profile && known(used));
        let missing = || Refusal::NoJob {
            profile: profile.to_owned(),
            job: job.to_owned(),
        };
        let (profile, _) = found.ok_or_else(missing)?;
        engine.set_job_stopped(profile, job, stopped)
    }
}

/// The jobs of one profile.
pub(super) fn jobs_of(
    reads: &dyn Reads,
    profile: &CompiledProfile,
    now: Timestamp,
) -> Result<Vec<JobInfo>, Error> {
    let records = job::records(reads, profile.lane(reads)?)?;
    let zone = profile.policy.zone();
    let of = |settings: &JobSettings| {
        let record = records.get(&settings.name);
        let due =
            record.is_none_or(|record| schedule::due(settings, zone, record, now, false).is_some());
        let next = record.and_then(|record| schedule::next(settings, zone, record, now));
        info(profile, settings, record, due, next)
    };
    Ok(profile.settings.jobs.iter().map(of).collect())
}

fn info(
    profile: &CompiledProfile,
    settings: &JobSettings,
    record: Option<&JobRecord>,
    due: bool,
    next: Option<Timestamp>,
) -> JobInfo {
    JobInfo {
        profile: profile.name.as_str().to_owned(),
        job: settings.name.clone(),
        stopped: record.is_some_and(|record| record.stopped),
        due,
        next,
        failures: record.map_or(0, |record| record.failures),
        running: record.and_then(|record| record.running.as_ref()).map(last),
        last: record.and_then(|record| record.last.as_ref()).map(last),
    }
}

fn last(run: &JobRun) -> LastRun {
    let step = |step: &job::StepReport| StepOutcome {
        step: step.step,
        counts: step.counts.clone(),
        passed_over: false,
        error: (!step.error.is_empty()).then(|| step.error.clone()),
        retry_at: None,
    };
    LastRun {
        at: run.at,
        ended_at: run.ended_at,
        steps: run.steps.iter().map(step).collect(),
        error: (!run.error.is_empty()).then(|| run.error.clone()),
    }
}
