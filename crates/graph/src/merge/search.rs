//! Which entities should be one.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::names::{self, Forms};
use annals_storage::Reads;
use annals_types::NamespaceId;
use annals_types::profile::GraphSettings;
use serde::{Deserialize, Serialize};

use super::called::Called;
use super::judge::Judge;
use super::unite::{Pair, unite};
use super::{Similarity, Tier};
use crate::{Entity, EntityId, GraphError, entities, name, survivors};

/// Two entities that should be one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The entity that becomes the other.
    pub source: EntityId,
    /// The oldest entity of those that belong together.
    pub target: EntityId,
    /// The similarity, 0 to 1, that brought the source in; the least of all steps where it came by
    /// way of others.
    pub similarity: f64,
    /// Why.
    pub tier: Tier,
}

/// The result of a search for merges.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Proposals {
    /// Entities that were looked at for what they are like.
    pub checked: usize,
    /// The merges to be made, by the number of the source.
    pub merges: Vec<Proposal>,
}

/// A search for entities that are one, by one or several ways of looking; what all of them find is
/// put together at the end: what belongs together becomes one merge each into the oldest, and two
/// of which any names are apart, those of what became them before included, stay two.
#[must_use]
pub struct MergeSearch<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    settings: &'a GraphSettings,
    similarity: &'a dyn Similarity,
    forms: Forms,
    pairs: Vec<Pair>,
    checked: usize,
}

impl<'a> MergeSearch<'a> {
    /// A search that has not looked at anything.
    pub fn new(
        reads: &'a dyn Reads,
        ns: NamespaceId,
        settings: &'a GraphSettings,
        similarity: &'a dyn Similarity,
    ) -> Self {
        let (pairs, checked) = (Vec::new(), 0);
        Self {
            reads,
            ns,
            settings,
            similarity,
            forms: Forms::new(&settings.merge),
            pairs,
            checked,
        }
    }

    /// Looks at what some entities are like: each is compared with its most similar ones, the best
    /// first, and joins the first that passes. Above `direct_above` nothing more is asked but the
    /// kind; above `context_above` also the context. Names that hold different
    /// [figures](annals_language::Figures) pass neither, unless the settings ignore them. An
    /// entity is never compared with itself. `settings` are those of the search, with thresholds
    /// of their own.
    ///
    /// # Errors
    /// When the storage or the similarity fails.
    pub fn alike(&mut self, settings: &GraphSettings, ids: &[EntityId]) -> Result<(), GraphError> {
        let roots = roots(self.reads, self.ns, ids)?;
        let judge = Judge {
            settings,
            ..self.judge()
        };
        let (mut pairs, mut checked) = (Vec::new(), 0);
        for entity in entities(self.reads, self.ns, &roots)?.into_iter().flatten() {
            if judge.may_merge(&entity) {
                checked += 1;
                pairs.extend(judge.best(&entity)?);
            }
        }
        pairs.extend(judge.same_form(&roots)?);
        self.pairs.extend(pairs);
        self.checked += checked;
        Ok(())
    }

    /// Looks for entities that have a name and the kind in common, among some entities and all
    /// that share a name with them, but for those that were [parted](Similarity::parted).
    ///
    /// # Errors
    /// When the storage fails.
    pub fn same_names(&mut self, ids: &[EntityId]) -> Result<(), GraphError> {
        let (reads, ns) = (self.reads, self.ns);
        let found: Vec<Entity> = entities(reads, ns, &roots(reads, ns, ids)?)?
            .into_iter()
            .flatten()
            .collect();
        let names: Vec<(&Entity, String)> = found
            .iter()
            .flat_map(|entity| {
                std::iter::once(&entity.name)
                    .chain(&entity.aliases)
                    .map(move |text| (entity, names::normalise(text)))
            })
            .collect();
        let texts: Vec<String> = names.iter().map(|(_, text)| text.clone()).collect();
        let holders = name::holders(reads, ns, &texts)?;
        let all: Vec<EntityId> = holders.iter().flatten().copied().collect();
        let root_of: BTreeMap<EntityId, EntityId> = all
            .iter()
            .copied()
            .zip(survivors(reads, ns, &all)?)
            .filter_map(|(id, root)| Some((id, root?)))
            .collect();
        let others: Vec<EntityId> = root_of
            .values()
            .copied()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        let known: BTreeMap<EntityId, Entity> = entities(reads, ns, &others)?
            .into_iter()
            .flatten()
            .map(|entity| (entity.id, entity))
            .collect();
        for ((entity, text), holders) in names.into_iter().zip(holders) {
            let others: BTreeSet<EntityId> = holders
                .iter()
                .filter_map(|holder| root_of.get(holder).copied())
                .collect();
            // With the oldest it meets all others.
            let one_with = |other: &&Entity| {
                other.id != entity.id
                    && other.kind == entity.kind
                    && !self.similarity.parted(entity, other)
            };
            if let Some(other) = others.iter().filter_map(|id| known.get(id)).find(one_with) {
                let (ids, names) = ([entity.id, other.id], [text.clone(), text]);
                self.pairs.push(Pair {
                    ids,
                    names,
                    similarity: 1.0,
                    tier: Tier::Name,
                });
            }
        }
        Ok(())
    }

    /// The result of the whole search.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn finish(mut self) -> Result<Proposals, GraphError> {
        let pairs = std::mem::take(&mut self.pairs);
        let ids: BTreeSet<EntityId> = pairs.iter().flat_map(|pair| pair.ids).collect();
        let called = Called::load(self.reads, self.ns, &ids, &self.forms)?;
        Ok(Proposals {
            checked: self.checked,
            merges: unite(pairs, called, &self.judge()),
        })
    }

    fn judge(&self) -> Judge<'_> {
        let Self {
            reads,
            ns,
            settings,
            similarity,
            forms,
            ..
        } = self;
        Judge {
            reads: *reads,
            ns: *ns,
            settings,
            similarity: *similarity,
            forms,
        }
    }
}

/// The survivors of merges for some entities, each once.
fn roots(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[EntityId],
) -> Result<Vec<EntityId>, GraphError> {
    let roots: BTreeSet<EntityId> = survivors(reads, ns, ids)?.into_iter().flatten().collect();
    Ok(roots.into_iter().collect())
}
