//! Staged memories become active.

use annals_lifecycle::Delta;
use annals_types::profile::JobStep;
use annals_types::{MemoryId, Row, Status};

use crate::Error;
use crate::jobs::batch::Batch;
use crate::jobs::{Counts, Run, StepResult, number};
use crate::{Change, Engine};

impl Engine {
    /// Lets the staged memories that the steps before have looked at become active.
    pub(crate) fn consolidate(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        self.in_batches(run, JobStep::Consolidate, |run, batch| {
            self.consolidate_batch(run, batch)
        })
    }

    fn consolidate_batch(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<Counts, Error> {
        let done = self.write_under(batch.ns, run.profile, run.at, |cx| {
            let ns = cx.ns;
            let found = annals_records::memories(&*cx.txn, ns, batch.rows, None)?;
            let staged = found
                .into_iter()
                .flatten()
                .filter(|memory| memory.status == Status::Staged);
            let ids: Vec<MemoryId> = staged
                .filter(|memory| memory.superseded_by.is_none())
                .map(|m| m.id)
                .collect();
            // An update in between made another row of it, which is looked at by the next run.
            let current = annals_records::find_rows(&*cx.txn, ns, &ids)?;
            let current = ids
                .into_iter()
                .zip(current)
                .filter(|(_, row)| row.is_some_and(|r| batch.rows.contains(&r)));
            let ids: Vec<MemoryId> = current.map(|(id, _)| id).collect();
            let written = annals_records::set_status(cx.txn, ns, run.at, &ids, Status::Active)?;
            let rows: Vec<Row> = written.outcome.iter().map(|set| set.row).collect();
            cx.extensions.status_changed(cx, &written.outcome)?;
            let terms = cx.terms()?;
            let known = annals_lifecycle::states(&*cx.txn, ns, &rows)?;
            let alive = rows
                .iter()
                .zip(known)
                .filter(|(_, state)| state.is_some())
                .map(|(row, _)| *row);
            let alive: Vec<Row> = alive.collect();
            let lived: Delta = annals_lifecycle::set_status(
                cx.txn,
                ns,
                &terms.regime(),
                run.at,
                &alive,
                Status::Active,
            )?;
            cx.add(Change {
                records: Some(written.delta),
                life: vec![lived],
                ..Change::default()
            });
            Ok(rows.len())
        })?;
        Ok([("consolidated".to_owned(), number(done))].into())
    }
}
