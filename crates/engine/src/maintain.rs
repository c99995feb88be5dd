use std::borrow::Cow;
use std::collections::BTreeMap;

use annals_lifecycle::schedule::Why;
use annals_types::profile::JobStep;
use annals_types::{MemoryId, Timestamp};
use serde::{Deserialize, Serialize};

/// The report of a job of a profile that ran, or would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JobReport {
    /// The profile; empty for work under any.
    pub profile: String,
    /// The job; `queue` and `ends` for background work and for memories at their end where no job
    /// of the profile is about them.
    pub job: String,
    /// Why it ran: `resume`, `start`, `first`, `interval`, `hour`, `event` or `asked`.
    pub why: Cow<'static, str>,
    /// The moment that it worked at; for a run that was resumed, the moment of its first attempt.
    pub at: Timestamp,
    /// Its steps, in order.
    pub steps: Vec<StepOutcome>,
    /// The actions that rules would take (dry runs only).
    pub planned: Vec<PlannedAction>,
    /// The jobs that are due (dry runs only).
    pub due: Vec<String>,
}

/// The result of a step of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepOutcome {
    /// The step.
    pub step: JobStep,
    /// Its counts.
    pub counts: BTreeMap<String, u64>,
    /// Whether it was passed over: no service of this version makes it, or it writes files and
    /// `Options::mirrors` names no folder.
    pub passed_over: bool,
    /// Why it failed, if it did, or why a part of it was put off.
    pub error: Option<String>,
    /// When the failed or delayed part is tried again.
    pub retry_at: Option<Timestamp>,
}

/// An action that a rule would take on a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlannedAction {
    /// The namespace.
    pub namespace: String,
    /// The memory.
    pub id: MemoryId,
    /// The rule.
    pub rule: String,
    /// The action.
    pub action: String,
    /// The retention of the memory now.
    pub retention: f64,
}

impl JobReport {
    pub(crate) fn begun(profile: &str, job: &str, why: Option<Why>, at: Timestamp) -> Self {
        let why = match why {
            None => "asked",
            Some(Why::Resume) => "resume",
            Some(Why::Start) => "start",
            Some(Why::First) => "first",
            Some(Why::Interval) => "interval",
            Some(Why::Hour) => "hour",
        };
        Self {
            profile: profile.to_owned(),
            job: job.to_owned(),
            why: Cow::Borrowed(why),
            at,
            steps: Vec::new(),
            planned: Vec::new(),
            due: Vec::new(),
        }
    }

    pub(crate) fn made(&mut self, step: JobStep, counts: BTreeMap<String, u64>) {
        self.steps.push(StepOutcome {
            counts,
            ..StepOutcome::of(step)
        });
    }

    pub(crate) fn passed_over(&mut self, step: JobStep) {
        self.steps.push(StepOutcome {
            passed_over: true,
            ..StepOutcome::of(step)
        });
    }

    pub(crate) fn failed(&mut self, step: JobStep, error: String, retry_at: Option<Timestamp>) {
        self.steps.push(StepOutcome {
            error: Some(error),
            retry_at,
            ..StepOutcome::of(step)
        });
    }

    pub(crate) fn put_off(
        &mut self,
        step: JobStep,
        counts: BTreeMap<String, u64>,
        error: String,
        retry_at: Option<Timestamp>,
    ) {
        self.steps.push(StepOutcome {
            counts,
            error: Some(error),
            retry_at,
            ..StepOutcome::of(step)
        });
    }

    /// When the steps that failed are tried again, where the others were made all the same.
    pub(crate) fn retried_at(&mut self, retry_at: Option<Timestamp>) {
        for step in self
            .steps
            .iter_mut()
            .filter(|step| step.error.is_some() && step.retry_at.is_none())
        {
            step.retry_at = retry_at;
        }
    }

    /// Whether every step was made.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.steps.iter().all(|step| step.error.is_none())
    }
}

impl StepOutcome {
    fn of(step: JobStep) -> Self {
        Self {
            step,
            counts: BTreeMap::new(),
            passed_over: false,
            error: None,
            retry_at: None,
        }
    }
}

/// A job of a profile, as it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobInfo {
    /// The profile.
    pub profile: String,
    /// The job.
    pub job: String,
    /// Whether a person stopped it.
    pub stopped: bool,
    /// Whether it is due now.
    pub due: bool,
    /// When it is due next, where it is not; `None` when only an event makes it so.
    pub next: Option<Timestamp>,
    /// Failures since the last run that succeeded.
    pub failures: u32,
    /// The run at hand, or one that was cut off or failed and is gone on with.
    pub running: Option<LastRun>,
    /// The last run that ended.
    pub last: Option<LastRun>,
}

/// The record of a run of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastRun {
    /// The moment that it worked at.
    pub at: Timestamp,
    /// When it ended.
    pub ended_at: Timestamp,
    /// Its steps that were made.
    pub steps: Vec<StepOutcome>,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

impl LastRun {
    /// Milliseconds from its beginning to its end; for a run that was cut off and resumed, from
    /// its first beginning.
    #[must_use]
    pub fn took_millis(&self) -> i64 {
        self.ended_at.millis_since(self.at).max(0)
    }
}

/// A task that waits, is being done, or was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedTask {
    /// Its number in the namespace.
    pub number: u64,
    /// The kind of the task: `derive` makes a memory again that lost one of its sources, `extract`
    /// looks through a conversation, `compare` and `interpret` ask about a new memory, `let_go`
    /// deletes a memory that a verdict let go some days ago, `delete` deletes many memories.
    pub kind: String,
    /// The memory that it is about.
    pub memory: Option<MemoryId>,
    /// Its state.
    pub state: QueueState,
    /// When it is begun next, or, while it is being done, given to another thread; `None` for one
    /// that was given up.
    pub next: Option<Timestamp>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// How often it was begun.
    pub attempts: u32,
    /// Why the last attempt failed; empty before the first.
    pub last_error: String,
}

/// Where a piece of background work stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueState {
    /// It waits.
    Waiting,
    /// It is being done.
    Running,
    /// It failed too often.
    Dead,
}
