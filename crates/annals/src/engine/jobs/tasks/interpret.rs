//! What single memories say as triples is found beside the conversation.

use annals_graph::{Assertion, Supporter};
use annals_lifecycle::task::{self, Task};
use annals_records::StatusSet;
use annals_types::profile::TripleSource;
use annals_types::{Layer, Memory, MemoryId, Shown, Statement, Status};

use super::super::Run;
use super::extract::passed_saying;
use super::{TaskKind, ended};
use crate::Error;
use crate::engine::WriteCx;
use crate::engine::compiled::CompiledProfile;
use crate::engine::graph::known;
use crate::engine::resolve::in_use;
use crate::engine::{Engine, remarks};

impl Engine {
    /// Lets it be found out later what a memory says, where the profile wants that; it waits for somebody who can.
    pub(crate) fn interpret_later(&self, cx: &mut WriteCx<'_, '_>, id: MemoryId, layer: Layer) -> Result<(), Error> {
        if self.interprets(cx.profile, layer) {
            TaskKind::Interpret.queue(cx, id)?;
        }
        Ok(())
    }

    /// Lets it be found out what memories say that were brought back before anybody had looked at them.
    pub(crate) fn interpret_restored(&self, cx: &mut WriteCx<'_, '_>, changed: &[StatusSet]) -> Result<(), Error> {
        for set in changed.iter().filter(|set| set.to == Status::Active && set.from != set.to) {
            let found = annals_records::get(&*cx.txn, cx.ns, set.id, None)?;
            let Some((row, memory)) = found.filter(|(_, memory)| self.interprets(cx.profile, memory.body.layer)) else {
                continue;
            };
            if annals_graph::said(&*cx.txn, cx.ns, row)?.is_empty() {
                self.interpret_later(cx, set.id, memory.body.layer)?;
            }
        }
        Ok(())
    }

    /// Whether somebody is to be asked what memories of a layer say.
    pub(crate) fn interprets(&self, profile: &CompiledProfile, layer: Layer) -> bool {
        let profile = &profile.settings;
        let wanted = profile.extract.triples == TripleSource::Model && profile.surface.enabled;
        wanted && matches!(layer, Layer::Semantic | Layer::Core)
    }

    /// Finds out what a memory says; answers a word for what came of it. The triples and the end of the task are one transaction.
    pub(super) fn interpret(&self, run: &Run<'_>, id: MemoryId, task: &Task) -> Result<&'static str, Error> {
        let ns = task.namespace;
        let found = annals_records::get(&self.snapshot()?, ns, id, None)?;
        // What nobody is to be told of is not sent anywhere either.
        let Some((_, memory)) = found.filter(|(_, memory)| in_use(memory)) else {
            self.drop_work(task)?;
            return Ok("gone");
        };
        let enabled = run.profile.settings.surface.enabled;
        let Some(interpreter) = self.interpreter_of(run.profile, run.cancel).filter(|_| enabled) else {
            self.give_back(task, self.now())?;
            return Ok("waiting");
        };
        let told = interpreter.interpret(&shown(&memory)).map_err(|error| Error::judge(&error))?;
        let said = assertions(&passed_saying(self.screen_in(run.profile, ns)?.as_ref(), told.statements));
        self.write_under(ns, run.profile, self.now(), |cx| {
            let now = cx.now;
            let current = annals_records::get(&*cx.txn, ns, id, None)?;
            let same = current.is_some_and(|(_, now)| in_use(&now) && now.body.text == memory.body.text);
            if task::get(&*cx.txn, ns, task.number)?.is_none() {
                // It was deleted meanwhile, and what was to be done about it with it.
                return Ok("gone");
            }
            if !same {
                // It says something else by now, or is gone: it is looked at again.
                task::release(cx.txn, task, now)?;
                return Ok("waiting");
            }
            let supporters: Vec<Supporter> = known(cx.txn, ns, now, &[id])?.into_iter().map(Into::into).collect();
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

/// Statements as the graph takes them; what it cannot take is left out.
pub(crate) fn assertions(said: &[Statement]) -> Vec<Assertion> {
    let assertion = |said: &Statement| {
        let mut assertion = Assertion::new(said.subject.as_str(), said.predicate.as_str(), said.object.as_str());
        if said.negated {
            assertion = assertion.negated();
        }
        if let Some(condition) = &said.condition {
            assertion = assertion.condition(condition.as_str());
        }
        if let Some(degree) = &said.degree {
            assertion = assertion.degree(degree.as_str());
        }
        assertion
    };
    said.iter().map(assertion).filter(Assertion::is_allowed).collect()
}
