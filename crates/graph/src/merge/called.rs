//! All names by which entities are called.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::names::Forms;
use annals_storage::Reads;
use annals_types::NamespaceId;

use crate::ledger::Ledger;
use crate::{Entity, EntityId, GraphError, entities};

/// Some entities that are one, with all that became them before, and their names.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) members: Vec<Entity>,
    /// Names and aliases by their form.
    pub(super) by_form: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    pub(super) fn add(&mut self, other: Self) {
        self.members.extend(other.members);
        for (form, names) in other.by_form {
            self.by_form.entry(form).or_default().extend(names);
        }
    }
}

/// Entities that stand for themselves, each with what it is called.
#[derive(Debug, Default)]
pub(super) struct Called {
    pub(super) groups: BTreeMap<EntityId, Names>,
}

impl Called {
    /// Reads what became some entities, a round for each step of merges, and all names.
    pub(super) fn load(
        reads: &dyn Reads,
        ns: NamespaceId,
        roots: &BTreeSet<EntityId>,
        forms: &Forms,
    ) -> Result<Self, GraphError> {
        let mut ledger = Ledger::reader(reads, ns);
        ledger.load_entities(roots.iter().copied())?;
        let mut root_of = BTreeMap::new();
        for root in roots {
            root_of.extend(ledger.tree(*root)?.into_iter().map(|id| (id, *root)));
        }
        let ids: Vec<EntityId> = root_of.keys().copied().collect();
        let mut groups: BTreeMap<EntityId, Names> = BTreeMap::new();
        for entity in entities(reads, ns, &ids)?.into_iter().flatten() {
            let Some(root) = root_of.get(&entity.id) else {
                continue;
            };
            let group = groups.entry(*root).or_default();
            for name in std::iter::once(&entity.name).chain(&entity.aliases) {
                group
                    .by_form
                    .entry(forms.of(name))
                    .or_default()
                    .insert(name.clone());
            }
            group.members.push(entity);
        }
        Ok(Self { groups })
    }
}
