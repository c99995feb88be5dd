//! New memories about which a judge failed are compared with the others once it answers.

use annals_lifecycle::task::Task;
use annals_types::MemoryId;

use super::super::Run;
use super::super::batch::Batch;
use super::{TaskKind, ended};
use crate::Error;
use crate::engine::Engine;
use crate::engine::WriteCx;
use crate::engine::resolve::{Settling, in_use, since};

/// What a judge left open about a new memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Open {
    /// Nothing.
    #[default]
    Nothing,
    /// Whether it says what another one says, and so also what it contradicts.
    Same,
    /// What it contradicts.
    Contradicts,
}

impl Open {
    /// The payload of the piece of work.
    const SAME: &'static [u8] = &[1];

    /// Lets the memory be compared later.
    pub(crate) fn queue(self, cx: &mut WriteCx<'_, '_>, id: MemoryId) -> Result<(), Error> {
        let payload = match self {
            Self::Nothing => return Ok(()),
            Self::Same => Self::SAME,
            Self::Contradicts => &[],
        };
        TaskKind::Compare.queue_with(cx, id, payload).map(drop)
    }
}

impl Engine {
    /// Compares a memory with those that were there before it, and does what would have been done on its arrival; answers a word for what came
    /// of it.
    pub(super) fn compare(&self, run: &Run<'_>, id: MemoryId, task: &Task) -> Result<&'static str, Error> {
        // As on arrival: one at a time.
        let lock = self.admission_locks.of(task.namespace);
        let _locked = lock.lock();
        let snapshot = self.snapshot()?;
        let found = annals_records::get(&snapshot, task.namespace, id, None)?;
        let Some((row, memory)) = found.filter(|(_, memory)| in_use(memory)) else {
            self.drop_work(task)?;
            return Ok("gone");
        };
        let batch = Batch { ns: task.namespace, view: self.view(task.namespace)?, rows: &[row] };
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
                // What took the place of something begins where that ends.
                let from = since(&memory.body, memory.stored_at);
                let own = settling.now(row);
                self.revise_in(cx, own, |body| body.valid_from = Some(from), |_| {})?;
            }
            ended(cx, task)?;
            Ok(if one { "merged" } else { "compared" })
        })
    }
}
