//! Jobs: when they are due, what their last run did, and where the one at hand stands. Threads are
//! the caller's.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::table::Value;
use annals_storage::{Reads, Transaction};
use annals_types::Timestamp;
use annals_types::profile::{JobSettings, JobStep};

use crate::tables::JOBS;
use crate::wire::{Broken, Put, Take};
use crate::{Lane, LifecycleError, Zone, schedule};

/// The record of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRecord {
    /// When the job was first known here.
    pub since: Timestamp,
    /// Whether a person stopped it.
    pub stopped: bool,
    /// Failures since the last run that succeeded.
    pub failures: u32,
    /// When it is tried again after a failure.
    pub retry_at: Option<Timestamp>,
    /// The run at hand, or one that was cut off and is to be gone on with.
    pub running: Option<JobRun>,
    /// The last run that ended.
    pub last: Option<JobRun>,
}

/// One run of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRun {
    /// The moment that the run works at, whenever its steps are made: a run that is gone on with
    /// after a crash gives the same.
    pub at: Timestamp,
    /// When it ended; when it began while it is at hand.
    pub ended_at: Timestamp,
    /// The steps that were made, with what they did.
    pub steps: Vec<StepReport>,
    /// Why it failed; empty when it did not.
    pub error: String,
}

/// The report of a step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepReport {
    /// The step.
    pub step: JobStep,
    /// Its counts, by name: `archived`, `deleted`, `examined` ...
    pub counts: BTreeMap<String, u64>,
    /// Why it failed, while the run went on; empty when it did not.
    pub error: String,
}

/// A job that is to be run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DueJob<'a> {
    /// Its settings.
    pub job: &'a JobSettings,
    /// Why it is due.
    pub why: schedule::Why,
}

impl JobRun {
    /// Whether a step was made already.
    #[must_use]
    pub fn is_done(&self, step: JobStep) -> bool {
        self.steps.iter().any(|done| done.step == step)
    }
}

impl JobRecord {
    pub(crate) fn new(since: Timestamp) -> Self {
        Self {
            since,
            stopped: false,
            failures: 0,
            retry_at: None,
            running: None,
            last: None,
        }
    }
}

impl Value for JobRecord {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        let parts = [
            view.stopped,
            view.retry_at.is_some(),
            view.running.is_some(),
            view.last.is_some(),
        ];
        put.byte(
            parts
                .iter()
                .rev()
                .fold(0, |bits, set| bits << 1 | u8::from(*set)),
        );
        put.zigzag(view.since.as_millis());
        put.varint(u64::from(view.failures));
        if let Some(at) = view.retry_at {
            put.zigzag(at.as_millis());
        }
        for run in view.running.iter().chain(&view.last) {
            put.zigzag(run.at.as_millis());
            put.zigzag(run.ended_at.as_millis());
            put.text(&run.error);
            put.length(run.steps.len());
            for step in &run.steps {
                put.byte(step.step.number());
                put.text(&step.error);
                put.length(step.counts.len());
                for (name, count) in &step.counts {
                    put.text(name);
                    put.varint(*count);
                }
            }
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let bits = take.byte()?;
        if bits > 15 {
            return Err(Broken("a flag is unknown"));
        }
        let mut record = Self::new(Timestamp::from_millis(take.zigzag()?));
        record.stopped = bits & 1 != 0;
        record.failures = take.varint32()?;
        if bits & 2 != 0 {
            record.retry_at = Some(Timestamp::from_millis(take.zigzag()?));
        }
        record.running = (bits & 4 != 0).then(|| run(&mut take)).transpose()?;
        record.last = (bits & 8 != 0).then(|| run(&mut take)).transpose()?;
        take.end()?;
        Ok(record)
    }
}

fn run(take: &mut Take<'_>) -> Result<JobRun, Broken> {
    let (at, ended_at) = (
        Timestamp::from_millis(take.zigzag()?),
        Timestamp::from_millis(take.zigzag()?),
    );
    let error = take.text()?.to_owned();
    let mut steps = Vec::new();
    for _ in 0..take.count(3)? {
        let step = JobStep::of_number(take.byte()?).ok_or(Broken("a step is unknown"))?;
        let error = take.text()?.to_owned();
        let mut counts = BTreeMap::new();
        for _ in 0..take.count(2)? {
            counts.insert(take.text()?.to_owned(), take.varint()?);
        }
        steps.push(StepReport {
            step,
            counts,
            error,
        });
    }
    Ok(JobRun {
        at,
        ended_at,
        steps,
        error,
    })
}

/// Brings the schedule of a lane up to date with the jobs of its profile: new ones count from
/// `now` on, ones that are gone are forgotten.
///
/// # Errors
/// When it cannot be read or written.
pub fn schedule_jobs(
    txn: &mut Transaction<'_>,
    lane: Lane,
    jobs: &[JobSettings],
    now: Timestamp,
) -> Result<(), LifecycleError> {
    let known = records(&*txn, lane)?;
    for job in jobs.iter().filter(|job| !known.contains_key(&job.name)) {
        JOBS.put(txn, (lane, &job.name), &JobRecord::new(now))?;
    }
    for name in known
        .keys()
        .filter(|name| !jobs.iter().any(|job| job.name == **name))
    {
        JOBS.delete(txn, (lane, name))?;
    }
    Ok(())
}

/// The records of the jobs of a lane, by name.
///
/// # Errors
/// When it cannot be read.
pub fn records(
    reads: &dyn Reads,
    lane: Lane,
) -> Result<BTreeMap<String, JobRecord>, LifecycleError> {
    let mut found = BTreeMap::new();
    JOBS.scan(reads, JOBS.within((lane,)), |(_, name), record| {
        found.insert(name.to_owned(), record);
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The jobs of a lane that are to be run at `now`, in the order of the profile, and when to ask
/// again. `start` says that the engine has just been started.
///
/// # Errors
/// When it cannot be read.
pub fn due_jobs<'a>(
    reads: &dyn Reads,
    lane: Lane,
    (jobs, zone): (&'a [JobSettings], &Zone),
    now: Timestamp,
    start: bool,
) -> Result<(Vec<DueJob<'a>>, Option<Timestamp>), LifecycleError> {
    let records = records(reads, lane)?;
    let mut next: Option<Timestamp> = None;
    let mut due = Vec::new();
    for job in jobs {
        let Some(record) = records.get(&job.name) else {
            continue;
        };
        match schedule::due(job, zone, record, now, start) {
            Some(why) => due.push(DueJob { job, why }),
            None => {
                next = next
                    .into_iter()
                    .chain(schedule::next(job, zone, record, now))
                    .min()
            }
        }
    }
    Ok((due, next))
}

fn changed<T>(
    txn: &mut Transaction<'_>,
    lane: Lane,
    name: &str,
    with: impl FnOnce(&mut JobRecord) -> Result<T, LifecycleError>,
) -> Result<T, LifecycleError> {
    let record: Option<JobRecord> = JOBS.get(txn, (lane, name))?;
    let mut record = record.ok_or_else(|| LifecycleError::NoJob {
        name: name.to_owned(),
    })?;
    let done = with(&mut record)?;
    JOBS.put(txn, (lane, name), &record)?;
    Ok(done)
}

/// Begins a run, or goes on with one that was cut off: its moment stays, and the steps that it made
/// are not made again.
///
/// # Errors
/// [`LifecycleError::NoJob`].
pub fn begin(
    txn: &mut Transaction<'_>,
    lane: Lane,
    name: &str,
    now: Timestamp,
) -> Result<JobRun, LifecycleError> {
    changed(txn, lane, name, |record| {
        let fresh = || JobRun {
            at: now,
            ended_at: now,
            steps: Vec::new(),
            error: String::new(),
        };
        let run = record.running.get_or_insert_with(fresh);
        // A step that failed is made again with the next attempt.
        run.steps.retain(|step| step.error.is_empty());
        run.error.clear();
        Ok(run.clone())
    })
}

/// Takes note that a step of the run at hand was made. Belongs into the transaction that made it,
/// or its last one.
///
/// # Errors
/// [`LifecycleError::NoJob`] also when no run is at hand.
pub fn step_done(
    txn: &mut Transaction<'_>,
    lane: Lane,
    name: &str,
    report: StepReport,
) -> Result<(), LifecycleError> {
    changed(txn, lane, name, |record| {
        let run = record
            .running
            .as_mut()
            .ok_or_else(|| LifecycleError::NoJob {
                name: name.to_owned(),
            })?;
        run.steps.retain(|step| step.step != report.step);
        run.steps.push(report);
        Ok(())
    })
}

/// Ends the run at hand; answers its report.
///
/// # Errors
/// [`LifecycleError::NoJob`] also when no run is at hand.
pub fn finish(
    txn: &mut Transaction<'_>,
    lane: Lane,
    name: &str,
    now: Timestamp,
) -> Result<JobRun, LifecycleError> {
    changed(txn, lane, name, |record| {
        let mut run = record.running.take().ok_or_else(|| LifecycleError::NoJob {
            name: name.to_owned(),
        })?;
        run.ended_at = now;
        (record.failures, record.retry_at) = (0, None);
        record.last = Some(run.clone());
        Ok(run)
    })
}

/// Takes note that the run at hand failed; answers when it is tried again, where the profile says
/// so. It is gone on with then.
///
/// # Errors
/// [`LifecycleError::NoJob`] also when no run is at hand.
pub fn fail(
    txn: &mut Transaction<'_>,
    lane: Lane,
    job: &JobSettings,
    now: Timestamp,
    error: &str,
) -> Result<Option<Timestamp>, LifecycleError> {
    changed(txn, lane, &job.name, |record| {
        let run = record
            .running
            .as_mut()
            .ok_or_else(|| LifecycleError::NoJob {
                name: job.name.clone(),
            })?;
        error.clone_into(&mut run.error);
        run.ended_at = now;
        record.failures = record.failures.saturating_add(1);
        record.retry_at = schedule::retry(job, record.failures, now);
        if record.retry_at.is_none() {
            // A run that is not tried again before its turn counts as its turn.
            record.last = record.running.take();
        }
        Ok(record.retry_at)
    })
}

/// Stops a job or lets it go on. A stopped job is never due.
///
/// # Errors
/// [`LifecycleError::NoJob`].
pub fn set_stopped(
    txn: &mut Transaction<'_>,
    lane: Lane,
    name: &str,
    stopped: bool,
) -> Result<(), LifecycleError> {
    changed(txn, lane, name, |record| {
        record.stopped = stopped;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let at = Timestamp::from_millis;
        let step = StepReport {
            step: JobStep::Rules,
            counts: [("x".to_owned(), 300)].into(),
            error: String::new(),
        };
        let run = JobRun {
            at: at(3),
            ended_at: at(4),
            steps: vec![step],
            error: "no".to_owned(),
        };
        let record = JobRecord {
            since: at(1),
            stopped: true,
            failures: 2,
            retry_at: Some(at(2)),
            running: None,
            last: Some(run),
        };
        let bytes = [
            0b1011, 2, 2, 4, 6, 8, 2, b'n', b'o', 1, 2, 0, 1, 1, b'x', 0xAC, 2,
        ];
        let mut put = Put::default();
        JobRecord::encode(&record, &mut put);
        assert_eq!(put.finish(), bytes);
        assert_eq!(JobRecord::decode(1, &bytes).ok(), Some(record));
        assert!(JobRecord::decode(1, &[16, 0, 0]).is_err());
        assert!(
            (0..15).all(
                |number| JobStep::of_number(number).is_some_and(|step| step.number() == number)
            )
        );
    }
}
