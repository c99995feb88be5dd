//! Jobs: what profiles want done as time passes, in transactions of many memories each.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_lifecycle::job::{self, StepReport};
use annals_lifecycle::schedule::Why;
use annals_lifecycle::{Action, Pass, Plan, PlanItem};
use annals_storage::{Reads, Transaction};
use annals_types::profile::{EpisodeTrigger, JobSettings, JobStep};
use annals_types::{Commit, MemoryId, NamespaceId, NamespaceName, Row, Status, Timestamp};

use super::rulebooks::Rulebook;
use super::{Change, Engine, life};
use crate::maintain::{JobReport, PlannedAction};
use crate::{Error, Mode};

/// Memories that one transaction of a job treats, where the profile does not say.
const BATCH: u32 = 1000;

/// The namespaces of a profile.
type Spaces = Vec<(NamespaceId, NamespaceName)>;

/// A batch of a job that was carried out.
struct Batch {
    counts: BTreeMap<String, u64>,
    more: bool,
}

impl Engine {
    /// The profiles that namespaces have, each with the namespaces that have it.
    pub(crate) fn rulebooks_in_use(&self, reads: &dyn Reads) -> Result<Vec<(Arc<Rulebook>, Spaces)>, Error> {
        let mut by_name: BTreeMap<String, Spaces> = BTreeMap::new();
        for (namespace, _) in annals_records::namespace::list(reads)? {
            by_name.entry(namespace.profile).or_default().push((namespace.id, namespace.name));
        }
        by_name.into_iter().map(|(name, spaces)| Ok((self.rulebooks.named(reads, &name)?, spaces))).collect()
    }

    /// Runs the jobs of a profile that are due, or all of them when `force` says so. A dry run tells what the rules would do now.
    pub(crate) fn run_jobs(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
        (force, start): (bool, bool),
        mode: Mode,
    ) -> Result<Vec<JobReport>, Error> {
        let now = self.now();
        let jobs = &rulebook.profile.jobs;
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        if mode == Mode::DryRun {
            return Ok(vec![self.plan_rules(rulebook, spaces, now)?]);
        }
        self.store.write(|txn| rulebook.schedule(txn, now))?;
        let snapshot = self.snapshot()?;
        let lane = rulebook.lane(&snapshot)?;
        let (due, _) = job::due_jobs(&snapshot, lane, (jobs, rulebook.policy.zone()), now, start)?;
        let mut reports = Vec::new();
        for job in jobs {
            let why = due.iter().find(|due| due.job == job).map(|due| due.why);
            if why.is_some() || force {
                reports.push(self.run_job(rulebook, spaces, job, why)?);
            }
        }
        Ok(reports)
    }

    pub(super) fn run_job(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
        job: &JobSettings,
        why: Option<Why>,
    ) -> Result<JobReport, Error> {
        let lane = rulebook.lane(&self.snapshot()?)?;
        let now = self.now();
        let (run, _) = self.store.write(|txn| job::begin(txn, lane, &job.name, now))?;
        let mut report = JobReport::begun(rulebook.name.as_ref(), &job.name, why, run.at);
        for step in job.steps.iter().filter(|step| !run.is_done(**step)) {
            match self.make_step(rulebook, spaces, job, *step, run.at) {
                Ok(Some(counts)) => {
                    let done = StepReport { step: *step, counts: counts.clone(), error: String::new() };
                    self.store.write(|txn| job::step_done(txn, lane, &job.name, done.clone()))?;
                    report.made(*step, counts);
                }
                Ok(None) => report.passed_over(*step),
                Err(error) => {
                    let text = error.to_string();
                    let (retry, _) = self.store.write(|txn| job::fail(txn, lane, job, self.now(), &text))?;
                    report.failed(*step, text, retry);
                    return Ok(report);
                }
            }
        }
        self.store.write(|txn| job::finish(txn, lane, &job.name, self.now()))?;
        Ok(report)
    }

    /// Makes a step; `None` for one that this version passes over.
    fn make_step(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
        job: &JobSettings,
        step: JobStep,
        at: Timestamp,
    ) -> Result<Option<BTreeMap<String, u64>>, Error> {
        match step {
            JobStep::Queue if rulebook.profile.episodes.trigger == EpisodeTrigger::SessionEnd => {
                Ok(Some(self.owed_episodes(spaces)?))
            }
            JobStep::Decay => Ok(Some(self.make_pass(rulebook, spaces, at)?)),
            JobStep::Rules | JobStep::Expire => Ok(Some(self.apply_rules(rulebook, job, at)?)),
            JobStep::Reviews => Ok(Some(self.hear_reviews(rulebook, spaces)?)),
            _ => Ok(None),
        }
    }

    fn make_pass(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
        at: Timestamp,
    ) -> Result<BTreeMap<String, u64>, Error> {
        let pass = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let lane = annals_lifecycle::open_lane(txn, &rulebook.name)?;
            let made = annals_lifecycle::make_pass(txn, lane, &rulebook.policy, at)?;
            let change = Change { passes: Some(Arc::new(annals_lifecycle::passes(&*txn, lane)?)), ..Change::default() };
            let (open, change) = (Arc::clone(&self.spaces), Arc::new(change));
            let ids: Vec<NamespaceId> = spaces.iter().map(|(id, _)| *id).collect();
            let then = move |commit| ids.into_iter().for_each(|id| open.apply(id, commit, Arc::clone(&change)));
            Ok((made, then))
        };
        loop {
            match self.store.write_then(pass)?.0 {
                // The clock had been far ahead: memories put off until then are moved back, a batch at a time.
                Pass::Recovering => {}
                made => return Ok([("passes".to_owned(), u64::from(made == Pass::Made))].into()),
            }
        }
    }

    fn apply_rules(
        &self,
        rulebook: &Arc<Rulebook>,
        job: &JobSettings,
        at: Timestamp,
    ) -> Result<BTreeMap<String, u64>, Error> {
        let limit = usize::try_from(if job.batch == 0 { BATCH } else { job.batch }).unwrap_or(usize::MAX);
        let mut counts = BTreeMap::new();
        let mut batches = 0;
        loop {
            let batch = self.apply_batch(rulebook, at, limit)?;
            batches += 1;
            for (name, count) in batch.counts {
                *counts.entry(name).or_insert(0) += count;
            }
            if !batch.more || batches == job.max_batches {
                return Ok(counts);
            }
        }
    }

    /// Plans and carries out one batch in one transaction.
    fn apply_batch(&self, rulebook: &Arc<Rulebook>, at: Timestamp, limit: usize) -> Result<Batch, Error> {
        let run = |txn: &mut Transaction<'_>| -> Result<_, Error> {
            let terms = rulebook.terms(txn)?;
            let plan = annals_lifecycle::plan(&*txn, &terms.regime(), at, limit)?;
            let lived = annals_lifecycle::confirm(txn, &terms.regime(), &plan)?;
            let mut changes: Vec<(NamespaceId, Arc<Change>)> = lived
                .into_iter()
                .map(|delta| (delta.namespace(), Change { life: vec![delta], ..Change::default() }))
                .map(|(ns, change)| (ns, Arc::new(change)))
                .collect();
            let mut by_space: BTreeMap<NamespaceId, Vec<&PlanItem>> = BTreeMap::new();
            for item in plan.acting() {
                by_space.entry(item.namespace).or_default().push(item);
            }
            for (ns, items) in by_space {
                let made = self.carry_out(txn, ns, rulebook, at, &items)?;
                changes.extend(made.into_iter().map(|change| (ns, Arc::new(change))));
            }
            let spaces = Arc::clone(&self.spaces);
            let then = move |commit: Commit| {
                for (ns, change) in changes {
                    spaces.apply(ns, commit, change);
                }
            };
            Ok((Batch { counts: counts(&plan), more: plan.more }, then))
        };
        Ok(self.store.write_then(run)?.0)
    }

    /// Does to the memories of one namespace what rules want.
    fn carry_out(
        &self,
        txn: &mut Transaction<'_>,
        ns: NamespaceId,
        rulebook: &Rulebook,
        now: Timestamp,
        items: &[&PlanItem],
    ) -> Result<Vec<Change>, Error> {
        let rows: Vec<Row> = items.iter().map(|item| item.row).collect();
        let ids = annals_records::ids_of(&*txn, ns, &rows)?;
        let mut deleted: Vec<MemoryId> = Vec::new();
        let mut statuses: BTreeMap<Status, Vec<MemoryId>> = BTreeMap::new();
        for (item, id) in items.iter().zip(ids) {
            let Some(id) = id else { continue };
            let status = item.fired.iter().rev().find_map(|fired| match fired.action {
                Action::SetStatus(status) => Some(status),
                _ => None,
            });
            match status {
                _ if item.deletes() => deleted.push(id),
                Some(status) => statuses.entry(status).or_default().push(id),
                None => {}
            }
        }
        let mut changes = Vec::new();
        for (status, ids) in statuses {
            let written = annals_records::set_status_by_rule(txn, ns, now, &ids, status)?;
            life::slept_or_woke(txn, ns, now, &written.outcome)?;
            changes.push(Change { records: Some(written.delta), ..Change::default() });
        }
        if !deleted.is_empty() {
            let (_, change) = self.erase_in(txn, ns, rulebook, now, &deleted)?;
            changes.push(change);
        }
        Ok(changes)
    }

    /// What the rules would do now.
    fn plan_rules(
        &self,
        rulebook: &Arc<Rulebook>,
        spaces: &[(NamespaceId, NamespaceName)],
        now: Timestamp,
    ) -> Result<JobReport, Error> {
        let snapshot = self.snapshot()?;
        let terms = rulebook.terms(&snapshot)?;
        let plan = annals_lifecycle::plan(&snapshot, &terms.regime(), now, usize::MAX)?;
        let mut report = JobReport::begun(rulebook.name.as_ref(), "rules", None, now);
        report.made(JobStep::Rules, counts(&plan));
        for item in plan.acting() {
            let id = annals_records::ids_of(&snapshot, item.namespace, &[item.row])?.pop().flatten();
            let name = spaces.iter().find(|(id, _)| *id == item.namespace).map(|(_, name)| name.as_str().to_owned());
            let (Some(id), Some(namespace)) = (id, name) else { continue };
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

fn counts(plan: &Plan) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    counts.insert("examined".to_owned(), u64::try_from(plan.items.len()).unwrap_or(u64::MAX));
    for fired in plan.acting().flat_map(|item| &item.fired) {
        *counts.entry(action_name(&fired.action).to_owned()).or_insert(0) += 1;
    }
    counts
}

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
