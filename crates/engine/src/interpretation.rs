//! Memories whose triples are to be found out wait for an interpreter.

use annals_graph::Assertion;
use annals_records::StatusSet;
use annals_types::profile::TripleSource;
use annals_types::{Layer, MemoryId, Statement, Status};

use crate::Error;
use crate::compiled::CompiledProfile;
use crate::jobs::tasks::TaskKind;
use crate::{Engine, WriteCx};

impl Engine {
    /// Lets it be found out later what a memory says, where the profile wants that; it waits for
    /// somebody who can.
    pub(crate) fn interpret_later(
        &self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        layer: Layer,
    ) -> Result<(), Error> {
        if self.interprets(cx.profile, layer) {
            TaskKind::Interpret.queue(cx, id)?;
        }
        Ok(())
    }

    /// Lets it be found out what memories say that were brought back before anybody had looked at
    /// them.
    pub(crate) fn interpret_restored(
        &self,
        cx: &mut WriteCx<'_, '_>,
        changed: &[StatusSet],
    ) -> Result<(), Error> {
        for set in changed
            .iter()
            .filter(|set| set.to == Status::Active && set.from != set.to)
        {
            let found = annals_records::get(&*cx.txn, cx.ns, set.id, None)?;
            let Some((row, memory)) =
                found.filter(|(_, memory)| self.interprets(cx.profile, memory.body.layer))
            else {
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
}

/// Statements as the graph takes them; what it cannot take is left out.
pub fn assertions(said: &[Statement]) -> Vec<Assertion> {
    let assertion = |said: &Statement| {
        let mut assertion = Assertion::new(
            said.subject.as_str(),
            said.predicate.as_str(),
            said.object.as_str(),
        );
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
    said.iter()
        .map(assertion)
        .filter(Assertion::is_allowed)
        .collect()
}
