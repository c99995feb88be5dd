//! The actions of rules as time passes, and the passes of decay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use annals_lifecycle::task::{self, Task, TaskState};
use annals_lifecycle::{Action, Pass, Plan, PlanItem, job};
use annals_records::namespace;
use annals_storage::{Reads, Transaction};
use annals_types::profile::JobStep;
use annals_types::{Commit, MemoryId, NamespaceId, NamespaceName, Row, Status, Timestamp};

use crate::Error;
use crate::compiled::CompiledProfile;
use crate::jobs::tasks::{TaskKind, held_status, subject};
use crate::jobs::{Counts, Run, StepResult, number};
use crate::maintain::{JobReport, PlannedAction};
use crate::seen::{self, DAY};
use crate::write::set_status_in;
use crate::{Change, Changes, Engine, WriteCx, life};

/// The changes of one transaction, by namespace.
type ByNamespace = Vec<(NamespaceId, Arc<Changes>)>;

/// A batch of a job that was carried out.
struct Batch {
    counts: Counts,
    more: bool,
}

impl Engine {
    pub(crate) fn make_pass(&self, run: &Run<'_>) -> Result<Counts, Error> {
        let Run {
            profile,
            spaces,
            at,
            ..
        } = *run;
        let pass = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let lane = annals_lifecycle::open_lane(txn, &profile.name)?;
            let made = annals_lifecycle::make_pass(txn, lane, &profile.policy, at)?;
            let change = Change {
                passes: Some(Arc::new(annals_lifecycle::passes(&*txn, lane)?)),
                ..Change::default()
            };
            let (open, change) = (Arc::clone(&self.spaces), Arc::new(Changes::from(change)));
            let ids: Vec<NamespaceId> = spaces.iter().map(|(id, _)| *id).collect();
            let then = move |commit| {
                ids.into_iter()
                    .for_each(|id| open.apply(id, commit, Arc::clone(&change)))
            };
            Ok((made, then))
        };
        loop {
            match self.store.write_then(pass)?.0 {
                // The clock had been far ahead: memories put off until then are moved back, a batch
                // at a time.
                Pass::Recovering => {}
                made => return Ok([("passes".to_owned(), u64::from(made == Pass::Made))].into()),
            }
        }
    }

    pub(crate) fn apply_rules(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        if !run.profile.settings.maintenance.auto_forget {
            return self.would_apply(run);
        }
        let ahead = self.is_clock_ahead(run.profile, run.spaces, run.at)?;
        let mut counts = BTreeMap::new();
        if !ahead {
            super::add(&mut counts, self.bring_back_held(run)?);
        }
        let mut batches = 0;
        loop {
            let batch = self.apply_batch(run.profile, (run.at, ahead), run.batch())?;
            batches += 1;
            super::add(&mut counts, batch.counts);
            if !batch.more || batches == run.job.max_batches {
                return Ok(StepResult::Done(counts));
            }
            if self.worker.is_stopping() {
                return Ok(StepResult::Interrupted);
            }
        }
    }

    /// Counts what the rules would do, where they are not to do it.
    fn would_apply(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        let snapshot = self.snapshot()?;
        let terms = run.profile.terms(&snapshot)?;
        let plan = annals_lifecycle::plan(&snapshot, &terms.regime(), run.at, usize::MAX)?;
        let would = |(name, count): (String, u64)| match name.as_str() {
            "examined" => (name, count),
            _ => (format!("would be {name}"), count),
        };
        Ok(StepResult::Done(
            counts(&plan).into_iter().map(would).collect(),
        ))
    }

    /// Plans and carries out one batch in one transaction.
    fn apply_batch(
        &self,
        profile: &CompiledProfile,
        (at, ahead): (Timestamp, bool),
        limit: usize,
    ) -> Result<Batch, Error> {
        let run = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let (batch, changes) = self.apply_in(txn, profile, (at, ahead), limit)?;
            let spaces = Arc::clone(&self.spaces);
            let then = move |commit: Commit| {
                for (ns, change) in changes {
                    spaces.apply(ns, commit, change);
                }
            };
            Ok((batch, then))
        };
        Ok(self.store.write_then(run)?.0)
    }

    fn apply_in(
        &self,
        txn: &mut Transaction<'_>,
        profile: &CompiledProfile,
        (at, ahead): (Timestamp, bool),
        limit: usize,
    ) -> Result<(Batch, ByNamespace), Error> {
        if !self.profiles.is_current(&*txn, profile)? {
            // The profile has another text by now: the next run goes by that.
            return Ok((
                Batch {
                    counts: Counts::new(),
                    more: false,
                },
                Vec::new(),
            ));
        }
        let terms = profile.terms(txn)?;
        let mut plan = annals_lifecycle::plan(&*txn, &terms.regime(), at, limit)?;
        if ahead {
            plan.hold(&terms.regime());
        } else {
            let waiting = held_back(txn, profile, &plan)?;
            plan.leave(&terms.regime(), |item| {
                waiting.contains(&(item.namespace, item.row))
            });
        }
        let lived = annals_lifecycle::confirm(txn, &terms.regime(), &plan)?;
        let mut changes: ByNamespace = lived
            .into_iter()
            .map(|delta| {
                (
                    delta.namespace(),
                    Change {
                        life: vec![delta],
                        ..Change::default()
                    },
                )
            })
            .map(|(ns, change)| (ns, Arc::new(Changes::from(change))))
            .collect();
        let mut by_space: BTreeMap<NamespaceId, Vec<&PlanItem>> = BTreeMap::new();
        for item in plan.acting() {
            by_space.entry(item.namespace).or_default().push(item);
        }
        for (ns, items) in by_space {
            // Tasks and actions of a namespace that is being deleted go with it.
            if let Some(found) = namespace::by_number(&*txn, ns)?.filter(|found| !found.doomed) {
                let own = self.profiles.of_record(&*txn, &found)?;
                let mut cx = WriteCx::new(txn, ns, at, &own, &self.extensions);
                self.carry_out(&mut cx, &items)?;
                changes.push((ns, Arc::new(cx.finish()?.0)));
            }
        }
        Ok((
            Batch {
                counts: counts(&plan),
                more: plan.more,
            },
            changes,
        ))
    }

    /// Does to the memories of one namespace what rules want.
    fn carry_out(&self, cx: &mut WriteCx<'_, '_>, items: &[&PlanItem]) -> Result<(), Error> {
        let rows: Vec<Row> = items.iter().map(|item| item.row).collect();
        let ids = annals_records::ids_of(&*cx.txn, cx.ns, &rows)?;
        let mut deleted: Vec<MemoryId> = Vec::new();
        let mut statuses: BTreeMap<Status, Vec<MemoryId>> = BTreeMap::new();
        let mut held: Vec<(MemoryId, Status)> = Vec::new();
        for (item, id) in items.iter().zip(ids) {
            let Some(id) = id else { continue };
            let newly = item.held && item.status() != Status::Forgotten;
            held.extend(newly.then_some((id, item.status())));
            let status = item
                .fired
                .iter()
                .rev()
                .find_map(|fired| match fired.action {
                    Action::SetStatus(status) => Some(status),
                    _ => None,
                });
            match status {
                _ if item.deletes() => deleted.push(id),
                Some(status) => statuses.entry(status).or_default().push(id),
                None => {}
            }
        }
        for (status, ids) in statuses {
            let written = annals_records::set_status_by_rule(cx.txn, cx.ns, cx.now, &ids, status)?;
            life::slept_or_woke(cx, &written.outcome)?;
            cx.extensions.status_changed(cx, &written.outcome)?;
            cx.add_records(written.delta);
        }
        if !deleted.is_empty() {
            self.erase_in(cx, &deleted)?;
        }
        let until = held_until(cx.profile, cx.now);
        held.into_iter()
            .try_for_each(|(id, status)| TaskKind::Delete.queue_held(cx, (id, status), until))
    }

    /// Brings memories back that were forgotten while the clock was ahead of the moment that it
    /// shows now: nothing was said of them.
    fn bring_back_held(&self, run: &Run<'_>) -> Result<Counts, Error> {
        let snapshot = self.snapshot()?;
        let Some(lane) = TaskKind::Delete.lane(&snapshot, run.profile)? else {
            return Ok(Counts::new());
        };
        let mut back = 0;
        for (ns, _) in run.spaces {
            let tasks = task::tasks(&snapshot, *ns, 0, usize::MAX)?.into_iter();
            let early = tasks
                .filter(|task| task.lane == lane && task.queued_at.millis_since(run.at) > HOUR);
            let held: Vec<(MemoryId, Status)> = early
                .filter_map(|task| Some((subject(&task)?, held_status(&task)?)))
                .collect();
            if held.is_empty() {
                continue;
            }
            let written = self.write_under(*ns, run.profile, run.at, |cx| {
                for (id, status) in &held {
                    if annals_records::find_rows(&*cx.txn, cx.ns, &[*id])? != [None] {
                        set_status_in(cx, &[*id], *status)?;
                    }
                }
                Ok(())
            });
            match written {
                Err(error) if error.has_left() => {}
                written => {
                    written?;
                    back += number(held.len());
                }
            }
        }
        Ok(Some(("brought back".to_owned(), back))
            .filter(|(_, back)| *back > 0)
            .into_iter()
            .collect())
    }

    /// The actions that the rules would take now.
    pub(crate) fn plan_rules(
        &self,
        profile: &Arc<CompiledProfile>,
        spaces: &[(NamespaceId, NamespaceName)],
        now: Timestamp,
    ) -> Result<JobReport, Error> {
        let snapshot = self.snapshot()?;
        let mut terms = profile.terms(&snapshot)?;
        let mut report = JobReport::begun(profile.name.as_ref(), "rules", None, now);
        let jobs = (profile.settings.jobs.as_slice(), profile.policy.zone());
        let (due, _) = job::due_jobs(&snapshot, profile.lane(&snapshot)?, jobs, now, false)?;
        report.due = due.iter().map(|due| due.job.name.clone()).collect();
        // The rules are to be seen as they will be after the pass that the run makes first.
        let passes = due
            .iter()
            .any(|due| due.job.steps.contains(&JobStep::Decay));
        if passes && terms.add_pass(now) {
            report.made(JobStep::Decay, [("passes".to_owned(), 1)].into());
        }
        let mut plan = annals_lifecycle::plan(&snapshot, &terms.regime(), now, usize::MAX)?;
        for (ns, _) in spaces {
            if seen::is_ahead(&snapshot, *ns, profile, now)? {
                plan.hold(&terms.regime());
            }
        }
        report.made(JobStep::Rules, counts(&plan));
        for due in &due {
            let run = Run {
                profile,
                spaces,
                job: due.job,
                at: now,
                cancel: &self.closing,
            };
            for step in &due.job.steps {
                if let Some(counts) = self.foreseen(&run, *step)? {
                    report.made(*step, counts);
                }
            }
        }
        for item in plan.acting() {
            let id = annals_records::ids_of(&snapshot, item.namespace, &[item.row])?
                .pop()
                .flatten();
            let name = spaces
                .iter()
                .find(|(id, _)| *id == item.namespace)
                .map(|(_, name)| name.as_str().to_owned());
            let (Some(id), Some(namespace)) = (id, name) else {
                continue;
            };
            for fired in &item.fired {
                report.planned.push(PlannedAction {
                    namespace: namespace.clone(),
                    id,
                    rule: fired.rule.clone(),
                    action: action_name(&fired.action).to_owned(),
                    retention: item.retention,
                });
            }
        }
        Ok(report)
    }
}

impl Engine {
    /// The counts of rows that a step of a job would look at now, where rules do not decide that;
    /// `None` for steps that look at everything, or at files.
    fn foreseen(&self, run: &Run<'_>, step: JobStep) -> Result<Option<Counts>, Error> {
        let (word, count) = match step {
            JobStep::Dedup | JobStep::Relations | JobStep::Conflicts => {
                ("to look at", self.rows_to_treat(run, step)?)
            }
            JobStep::Consolidate => ("to consolidate", self.staged(run)?),
            JobStep::Queue => ("waiting", self.work_waiting(run)?),
            JobStep::Reviews => ("waiting", self.reviews_waiting(run)?),
            _ => return Ok(None),
        };
        Ok(Some([(word.to_owned(), count)].into()))
    }

    /// Memories that wait for their consolidation, as many as one run takes.
    fn staged(&self, run: &Run<'_>) -> Result<u64, Error> {
        let snapshot = self.snapshot()?;
        let mut staged = 0;
        for (ns, _) in run.spaces {
            let waiting = annals_records::Head::read(&snapshot, *ns)?.count(Status::Staged);
            staged += u64::from(waiting).min(number(run.limit()));
        }
        Ok(staged)
    }

    fn reviews_waiting(&self, run: &Run<'_>) -> Result<u64, Error> {
        let snapshot = self.snapshot()?;
        let lane = run.profile.terms(&snapshot)?.lane;
        let mut waiting = 0;
        for (ns, _) in run.spaces {
            waiting +=
                annals_lifecycle::review::reviews(&snapshot, *ns, lane, None, usize::MAX)?.len();
        }
        Ok(number(waiting))
    }
}

/// A clock that was ahead by less needs no care.
const HOUR: i64 = 3_600_000;

/// The memories of a plan that would go now, and were forgotten for that while the clock was ahead:
/// they go when their time to be brought back is over.
fn held_back(
    reads: &dyn Reads,
    profile: &CompiledProfile,
    plan: &Plan,
) -> Result<BTreeSet<(NamespaceId, Row)>, Error> {
    let mut found = BTreeSet::new();
    let Some(lane) = TaskKind::Delete.lane(reads, profile)? else {
        return Ok(found);
    };
    for item in plan
        .items
        .iter()
        .filter(|item| item.deletes() && item.status() == Status::Forgotten)
    {
        let Some(id) = annals_records::ids_of(reads, item.namespace, &[item.row])?
            .pop()
            .flatten()
        else {
            continue;
        };
        let task = task::find(reads, item.namespace, lane, id.as_bytes())?;
        let waits =
            |task: &Task| matches!(task.state, TaskState::Waiting(until) if until > plan.at);
        if task.is_some_and(|task| held_status(&task).is_some() && waits(&task)) {
            found.insert((item.namespace, item.row));
        }
    }
    Ok(found)
}

/// Until when what would be deleted is only forgotten.
fn held_until(profile: &CompiledProfile, now: Timestamp) -> Timestamp {
    now.plus_millis(i64::from(profile.settings.maintenance.clock_grace_days).saturating_mul(DAY))
}

pub(crate) fn counts(plan: &Plan) -> Counts {
    let mut counts = Counts::new();
    counts.insert(
        "examined".to_owned(),
        u64::try_from(plan.items.len()).unwrap_or(u64::MAX),
    );
    for fired in plan.acting().flat_map(|item| &item.fired) {
        *counts
            .entry(action_name(&fired.action).to_owned())
            .or_insert(0) += 1;
    }
    let held = number(plan.items.iter().filter(|item| item.held).count());
    counts.extend((held > 0).then(|| (HELD.to_owned(), held)));
    counts
}

/// The word for memories that would have been deleted.
pub(crate) const HELD: &str = "not deleted, as the clock is ahead";

fn action_name(action: &Action) -> &'static str {
    match action {
        Action::SetStatus(Status::Archived) => "archived",
        Action::SetStatus(Status::Forgotten) => "forgotten",
        Action::SetStatus(_) => "activated",
        Action::Lower { .. } => "lowered",
        Action::SetClass { .. } => "moved to another class",
        Action::Review(_) => "sent to review",
        Action::Delete => "deleted",
        _ => "changed",
    }
}
