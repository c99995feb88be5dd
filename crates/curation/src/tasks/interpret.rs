//! The triples of single memories are found beside the conversation.

use annals_graph::Supporter;
use annals_lifecycle::task::{self, Task};
use annals_types::{Memory, MemoryId, Shown};

use crate::Curator;
use crate::remarks;
use crate::tasks::ended;
use crate::tasks::extract::passed_saying;
use annals_engine::Error;
use annals_engine::graph::known;
use annals_engine::interpretation::assertions;
use annals_engine::jobs::Run;
use annals_engine::resolve::in_use;

impl Curator<'_> {
    /// Finds the triples of a memory; answers a word for the result. The triples and the end of
    /// the task are one transaction.
    pub(crate) fn interpret(
        &self,
        run: &Run<'_>,
        id: MemoryId,
        task: &Task,
    ) -> Result<&'static str, Error> {
        let ns = task.namespace;
        let found = annals_records::get(&self.snapshot()?, ns, id, None)?;
        // Forgotten memories are sent to no model.
        let Some((_, memory)) = found.filter(|(_, memory)| in_use(memory)) else {
            self.drop_work(task)?;
            return Ok("gone");
        };
        let enabled = run.profile.settings.surface.enabled;
        let Some(interpreter) = self
            .advisers
            .interpreter(run.profile, run.cancel)
            .filter(|_| enabled)
        else {
            self.give_back(task, self.now())?;
            return Ok("waiting");
        };
        let told = interpreter
            .interpret(&shown(&memory))
            .map_err(|error| Error::judge(&error))?;
        let said = assertions(&passed_saying(
            self.screen_in(run.profile, ns)?.as_ref(),
            told.statements,
        ));
        self.write_under(ns, run.profile, self.now(), |cx| {
            let now = cx.now;
            let current = annals_records::get(&*cx.txn, ns, id, None)?;
            let same =
                current.is_some_and(|(_, now)| in_use(&now) && now.body.text == memory.body.text);
            if task::get(&*cx.txn, ns, task.number)?.is_none() {
                // It was deleted meanwhile, and what was to be done about it with it.
                return Ok("gone");
            }
            if !same {
                // It says something else by now, or is gone: it is looked at again.
                task::release(cx.txn, task, now)?;
                return Ok("waiting");
            }
            let supporters: Vec<Supporter> = known(cx.txn, ns, now, &[id])?
                .into_iter()
                .map(Into::into)
                .collect();
            annals_graph::assert_evidence(cx.txn, cx.scope(), &supporters, &said)?;
            remarks::note(cx, (id, &[]), &told.left_out)?;
            ended(cx, task)?;
            Ok("interpreted")
        })
    }
}

fn shown(memory: &Memory) -> Shown {
    Shown {
        id: memory.id,
        text: memory.body.text.clone(),
        time: memory.body.event_time.unwrap_or(memory.stored_at),
        retention: f64::from(memory.body.importance.get()),
    }
}
