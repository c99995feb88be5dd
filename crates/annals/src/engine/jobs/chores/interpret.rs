//! What single memories say as triples is found beside the conversation.

use annals_graph::{Assertion, Supporter};
use annals_lifecycle::task::{self, Task};
use annals_storage::Transaction;
use annals_types::profile::TripleSource;
use annals_types::{Layer, Memory, MemoryId, NamespaceId, NamespaceName, Shown, Statement, Timestamp};

use super::super::Run;
use super::{Chore, ended};
use crate::Error;
use crate::engine::graph::known;
use crate::engine::revise::Place;
use crate::engine::rulebooks::Rulebook;
use crate::engine::{Change, Engine};

impl Engine {
    /// Lets it be found out later what a memory says, where the profile wants that and there is somebody who can.
    pub(crate) fn interpret_later(
        &self,
        txn: &mut Transaction<'_>,
        (ns, rulebook): (NamespaceId, &Rulebook),
        (id, layer): (MemoryId, Layer),
        now: Timestamp,
    ) -> Result<(), Error> {
        if self.interprets(rulebook, layer) {
            Chore::Interpret.queue(txn, (ns, rulebook), id, now)?;
        }
        Ok(())
    }

    /// Whether somebody is asked what memories of a layer say.
    pub(crate) fn interprets(&self, rulebook: &Rulebook, layer: Layer) -> bool {
        let profile = &rulebook.profile;
        let wanted = profile.extract.triples == TripleSource::Model && profile.surface.enabled;
        wanted && self.has_interpreter() && matches!(layer, Layer::Semantic | Layer::Core)
    }

    /// Finds out what a memory says; answers a word for what came of it. The triples and the end of the task are one transaction.
    pub(super) fn interpret(
        &self,
        run: &Run<'_>,
        name: &NamespaceName,
        id: MemoryId,
        task: &Task,
    ) -> Result<&'static str, Error> {
        let ns = task.namespace;
        let found = annals_records::get(&self.snapshot()?, ns, id, None)?;
        let Some((_, memory)) = found.filter(|(_, memory)| memory.superseded_by.is_none()) else {
            self.store.write(|txn| task::discard(txn, ns, task.number))?;
            return Ok("gone");
        };
        let enabled = run.rulebook.profile.surface.enabled;
        let Some(interpreter) = self.interpreter_of(run.rulebook, run.cancel).filter(|_| enabled) else {
            self.give_back(task, self.now())?;
            return Ok("waiting");
        };
        let said = interpreter.statements(&shown(&memory)).map_err(|error| Error::judge(&error))?;
        let said = assertions(&self.passed_saying(name, said)?);
        let now = self.now();
        self.write(name, false, |txn, ns| {
            let current = annals_records::get(&*txn, ns, id, None)?;
            let same = current.is_some_and(|(_, now)| now.superseded_by.is_none() && now.body.text == memory.body.text);
            if !same {
                // It says something else by now, or is gone: it is looked at again.
                task::release(txn, task, now)?;
                return Ok(("waiting", Change::default()));
            }
            let at = Place { ns, now, rulebook: run.rulebook };
            let supporters: Vec<Supporter> = known(txn, ns, now, &[id])?.into_iter().map(Into::into).collect();
            annals_graph::assert_evidence(txn, at.scope(), &supporters, &said)?;
            let (_, change) = ended(txn, task, Change::default())?;
            Ok(("interpreted", change))
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
