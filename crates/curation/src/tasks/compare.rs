//! New memories about which a judge failed are compared with the others once it answers.

use annals_lifecycle::task::Task;
use annals_types::MemoryId;

use crate::Curator;
use crate::tasks::ended;
use annals_engine::Error;
use annals_engine::jobs::Run;
use annals_engine::jobs::batch::Batch;
pub(super) use annals_engine::jobs::tasks::Open;
use annals_engine::resolve::{Settling, in_use, since};

impl Curator<'_> {
    /// Compares a memory with those that were there before it, and does what its arrival would
    /// have done; answers a word for the result.
    pub(crate) fn compare(
        &self,
        run: &Run<'_>,
        id: MemoryId,
        task: &Task,
    ) -> Result<&'static str, Error> {
        // As on arrival: one at a time.
        let lock = self.admission_locks.of(task.namespace);
        let _locked = lock.lock();
        let snapshot = self.snapshot()?;
        let found = annals_records::get(&snapshot, task.namespace, id, None)?;
        let Some((row, memory)) = found.filter(|(_, memory)| in_use(memory)) else {
            self.drop_work(task)?;
            return Ok("gone");
        };
        let batch = Batch {
            ns: task.namespace,
            view: self.view(task.namespace)?,
            rows: &[row],
        };
        let twins = match task.payload == Open::SAME {
            true => self.twin_of(run, &batch, &snapshot, row)?,
            false => None,
        };
        let one = twins.as_ref().is_some_and(|twins| twins.same);
        let case = match !one && run.profile.settles_arrivals() {
            true => self.case(run, &batch, &snapshot, row)?,
            false => None,
        };
        self.write_under(task.namespace, run.profile, self.now(), |cx| {
            let mut settling = Settling::default();
            if let Some(twins) = &twins {
                self.unite(cx, twins.older, twins)?;
            }
            if let Some(case) = &case {
                self.settle_case(cx, &mut settling, case)?;
            }
            if settling.closed > 0 && memory.body.valid_from.is_none() {
                // A memory that takes the place of another is valid from where that one ends.
                let from = since(&memory.body, memory.stored_at);
                let own = settling.now(row);
                self.revise_in(cx, own, |body| body.valid_from = Some(from), |_| {})?;
            }
            ended(cx, task)?;
            Ok(if one { "merged" } else { "compared" })
        })
    }
}
