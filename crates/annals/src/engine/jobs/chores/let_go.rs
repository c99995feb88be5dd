//! Memories that a verdict let go are deleted once nobody can want them back any more.

use annals_lifecycle::task::{self, Task};
use annals_types::{MemoryId, Status};

use super::super::Run;
use crate::Error;
use crate::engine::revise::Place;
use crate::engine::{Change, Engine};

impl Engine {
    /// Deletes a memory that is still forgotten; answers a word for what came of it.
    pub(super) fn let_go(&self, run: &Run<'_>, id: MemoryId, task: &Task) -> Result<&'static str, Error> {
        self.write_under((run.rulebook, self.now()), task.namespace, |txn, Place { ns, now, rulebook }| {
            let found = annals_records::get(&*txn, ns, id, None)?;
            task::finish(txn, task)?;
            match found {
                Some((_, memory)) if memory.status == Status::Forgotten => {
                    let (_, change) = self.erase_in(txn, ns, rulebook, now, &[id])?;
                    Ok(("deleted", change))
                }
                _ => Ok(("gone", Change::default())),
            }
        })
    }
}
