//! Which memories a step of a job has to treat.

use std::sync::Arc;

use annals_storage::Reads;
use annals_types::profile::JobStep;
use annals_types::{NamespaceId, Row, Status};

use crate::Error;
use crate::jobs::{Counts, LEFT, PutOff, Run, StepResult, add, progress};
use crate::{Engine, View, revise};

/// A part of what a step has to treat, in one namespace.
pub struct Batch<'a> {
    pub ns: NamespaceId,
    pub view: Arc<View>,
    /// Rising.
    pub rows: &'a [Row],
}

impl Batch<'_> {
    /// The last of its rows.
    pub fn last(&self) -> Row {
        self.rows.last().copied().unwrap_or_default()
    }
}

/// The steps that look at memories one by one, and that consolidation waits for.
const LOOKING: [JobStep; 3] = [JobStep::Dedup, JobStep::Relations, JobStep::Conflicts];

impl Run<'_> {
    /// Whether it consolidates staged memories: its other steps then treat these alone.
    fn consolidates(&self) -> bool {
        self.job.steps.contains(&JobStep::Consolidate)
    }
}

impl Engine {
    /// Makes a step batch by batch over all namespaces of a run, each by the profile in its
    /// language: memories that it has not treated yet, in the order of their storing.
    pub fn in_batches(
        &self,
        run: &Run<'_>,
        step: JobStep,
        mut treat: impl FnMut(&Run<'_>, &Batch<'_>) -> Result<Counts, Error>,
    ) -> Result<StepResult, Error> {
        let (mut counts, mut put_off) = (Counts::new(), None);
        for (ns, name) in run.spaces {
            match self.treat_each(run, step, *ns, &mut treat, &mut counts) {
                Ok(true) => {}
                Ok(false) => return Ok(StepResult::Interrupted),
                // What there was to do went with it.
                Err(error) if error.is_gone() => {}
                // The jobs of the other profile go on there.
                Err(error) if error.has_left() => {
                    *counts.entry(LEFT.to_owned()).or_insert(0) += 1;
                    put_off = put_off.or(Some(PutOff::by_profile(name)));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(StepResult::of(counts, put_off))
    }

    /// The same in one namespace; answers `false` when the engine is being closed.
    fn treat_each(
        &self,
        run: &Run<'_>,
        step: JobStep,
        ns: NamespaceId,
        treat: &mut dyn FnMut(&Run<'_>, &Batch<'_>) -> Result<Counts, Error>,
        counts: &mut Counts,
    ) -> Result<bool, Error> {
        let profile = self.spoken_in(&self.snapshot()?, ns, run.profile)?;
        let run = run.spoken(&profile);
        let rows = self.to_treat(&run, step, ns)?;
        for rows in rows.chunks(run.batch().max(1)) {
            if self.worker.is_stopping() {
                return Ok(false);
            }
            add(
                counts,
                treat(
                    &run,
                    &Batch {
                        ns,
                        view: self.view(ns)?,
                        rows,
                    },
                )?,
            );
        }
        Ok(true)
    }

    /// How many memories a step of a run would look at now.
    pub(crate) fn rows_to_treat(&self, run: &Run<'_>, step: JobStep) -> Result<u64, Error> {
        let mut rows = 0;
        for (ns, _) in run.spaces {
            rows += self.to_treat(run, step, *ns)?.len();
        }
        Ok(super::number(rows))
    }

    fn to_treat(&self, run: &Run<'_>, step: JobStep, ns: NamespaceId) -> Result<Vec<Row>, Error> {
        let snapshot = self.snapshot()?;
        let head = annals_records::Head::read(&snapshot, ns)?;
        let status = if run.consolidates() {
            Status::Staged
        } else {
            Status::Active
        };
        let from = if step == JobStep::Consolidate {
            Row(0)
        } else {
            progress::reached(&snapshot, ns, step)?
        };
        if head.count(status) == 0 || (from.0 >= head.next_row && step != JobStep::Consolidate) {
            return Ok(Vec::new());
        }
        let until = self.looked_at(&snapshot, run, step, ns)?;
        let view = self.view(ns)?;
        let wanted = |row: &Row| {
            let facts = view
                .columns
                .get(*row)
                .filter(|facts| !facts.replaced && facts.status == status);
            facts.is_some_and(|facts| run.profile.ages(facts.layer))
        };
        let rows: Vec<Row> = view
            .columns
            .rows()
            .skip_while(|row| *row < from)
            .filter(wanted)
            .collect();
        let (mut ready, rest): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| *row < until);
        // A revision that a step of the job made is a row of its own, and ready without a look of
        // that step.
        ready.extend(revise::made(&snapshot, ns, &rest)?);
        ready.truncate(run.limit());
        Ok(ready)
    }

    /// Up to which row consolidation may go: as far as every other step of its job has come.
    fn looked_at(
        &self,
        reads: &dyn Reads,
        run: &Run<'_>,
        step: JobStep,
        ns: NamespaceId,
    ) -> Result<Row, Error> {
        let mut until = Row(u32::MAX);
        if step == JobStep::Consolidate {
            for before in LOOKING
                .iter()
                .filter(|before| run.job.steps.contains(before))
            {
                until = until.min(progress::reached(reads, ns, *before)?);
            }
        }
        Ok(until)
    }
}
