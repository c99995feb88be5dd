//! Sessions that have been idle for long are looked through.

use annals_lifecycle::task::{self, Task};
use annals_types::Label;
use annals_types::profile::ExtractTrigger;

use crate::Curator;
use crate::cursors;
use annals_engine::Error;
use annals_engine::jobs::Run;

impl Curator<'_> {
    /// Queues the extraction of a session that is idle by now, or waits until it is; answers a
    /// word for the result.
    pub(crate) fn look_whether_idle(
        &self,
        run: &Run<'_>,
        task: &Task,
    ) -> Result<&'static str, Error> {
        let session = String::from_utf8(task.key.clone())
            .ok()
            .and_then(|name| Label::new("session", name).ok());
        self.write_under(task.namespace, run.profile, self.now(), |cx| {
            let Some(session) = &session else {
                task::finish(cx.txn, task)?;
                return Ok("gone");
            };
            if let Some(until) = cursors::busy_until(cx, session)? {
                task::release(cx.txn, task, until)?;
                return Ok("talking");
            }
            task::finish(cx.txn, task)?;
            let queued = cursors::queue_session(cx, session, Some(ExtractTrigger::Idle))?;
            Ok(if queued { "idle" } else { "nothing new" })
        })
    }
}
