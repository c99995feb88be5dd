use serde::{Deserialize, Serialize};

use crate::ledger::Ledger;
use crate::{EntityId, TripleId};

/// Changes that a write made, or a dry run would make, to triples and entities. Numbers only, each
/// list rising.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// Triples that are new.
    pub new_triples: Vec<TripleId>,
    /// Triples that were dormant and are visible now.
    pub woken: Vec<TripleId>,
    /// Triples that were visible and are dormant now: all their supporters are.
    pub slept: Vec<TripleId>,
    /// Triples that no memory says any more.
    pub gone: Vec<TripleId>,
    /// Entities that are new.
    pub new_entities: Vec<EntityId>,
    /// Entities that nothing speaks of any more.
    pub gone_entities: Vec<EntityId>,
}

impl Effects {
    pub(crate) fn of(ledger: &Ledger<'_>) -> Self {
        let mut effects = Self::default();
        for (id, slot) in &ledger.triples {
            match (&slot.before, &slot.after) {
                (None, Some(_)) => effects.new_triples.push(*id),
                (Some(_), None) => effects.gone.push(*id),
                (Some(before), Some(after)) if before.supported == 0 && after.supported > 0 => {
                    effects.woken.push(*id)
                }
                (Some(before), Some(after)) if before.supported > 0 && after.supported == 0 => {
                    effects.slept.push(*id)
                }
                _ => {}
            }
        }
        for (id, slot) in &ledger.entities {
            match (&slot.before, &slot.after) {
                (None, Some(_)) => effects.new_entities.push(*id),
                (Some(_), None) => effects.gone_entities.push(*id),
                _ => {}
            }
        }
        effects
    }

    /// Whether nothing became visible, invisible, new or gone.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
