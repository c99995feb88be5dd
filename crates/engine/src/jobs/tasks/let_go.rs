//! Memories that a verdict let go are deleted once nobody can want them back any more.

use annals_lifecycle::task::{self, Task};
use annals_types::{MemoryId, Status};

use crate::Engine;
use crate::Error;
use crate::jobs::Run;
use crate::seen;

impl Engine {
    /// Deletes a memory that is still forgotten; answers a word for what came of it.
    pub(crate) fn let_go(
        &self,
        run: &Run<'_>,
        id: MemoryId,
        task: &Task,
    ) -> Result<&'static str, Error> {
        self.write_under(task.namespace, run.profile, self.now(), |cx| {
            let ns = cx.ns;
            if seen::is_ahead(&*cx.txn, ns, cx.profile, cx.now)? {
                task::release(cx.txn, task, cx.now.plus_millis(seen::DAY))?;
                return Ok("waiting");
            }
            let found = annals_records::get(&*cx.txn, ns, id, None)?;
            task::finish(cx.txn, task)?;
            match found {
                Some((_, memory)) if memory.status == Status::Forgotten => {
                    self.erase_in(cx, &[id])?;
                    Ok("deleted")
                }
                _ => Ok("gone"),
            }
        })
    }
}
