//! Which entities should be one.

use std::collections::BTreeMap;

use annals_graph as graph;
use annals_types::Purpose;

use super::{Reader, words};
use crate::Error;
use crate::engine::lessons;
use crate::graph::{Embedding, Entity, EntityId, Merge, MergeCandidate, MergeCandidates};

impl Reader<'_> {
    pub(super) fn merge_candidates(&self, after: Option<EntityId>, limit: usize) -> Result<MergeCandidates, Error> {
        let rulebook = self.engine.rulebooks.of(self.reads, self.ns)?;
        let settings = &rulebook.profile.graph;
        let page = self.list_entities(after, limit)?;
        let next = page.last().filter(|_| page.len() == limit).map(|last| last.id);
        let living: Vec<Entity> = page.into_iter().filter(|entity| entity.merged_into.is_none()).collect();
        let ids: Vec<EntityId> = living.iter().map(|entity| entity.id).collect();
        let similarity = self.similarity(&living, &ids)?;
        let by_name = graph::same_names(self.reads, self.ns, &ids)?;
        let mut similar = Vec::new();
        for (settings, ids) in lessons::tuned(self.reads, self.ns, settings, &ids, self.engine.now())? {
            similar.extend(graph::merge_candidates(self.reads, self.ns, &settings, &ids, &similarity)?.merges);
        }
        let mut proposals: BTreeMap<EntityId, graph::Proposal> = BTreeMap::new();
        for proposal in by_name.merges.into_iter().chain(similar) {
            proposals.entry(proposal.source).or_insert(proposal);
        }
        let ends = proposals.values().flat_map(|proposal| [proposal.source, proposal.target]);
        let known = words::entities(self.reads, self.ns, ends)?;
        let candidate = |proposal: &graph::Proposal| {
            let (source, target) = (known.get(&proposal.source)?.clone(), known.get(&proposal.target)?.clone());
            Some(MergeCandidate { source, target, similarity: proposal.similarity, tier: proposal.tier })
        };
        Ok(MergeCandidates { checked: ids.len(), candidates: proposals.values().filter_map(candidate).collect(), next })
    }

    pub(super) fn merge_thresholds(&self) -> Result<BTreeMap<String, f64>, Error> {
        let rulebook = self.engine.rulebooks.of(self.reads, self.ns)?;
        lessons::thresholds(self.reads, self.ns, &rulebook.profile.graph.merge, self.engine.now())
    }

    /// The embeddings of entities; those that none was stored for are made of their names.
    fn similarity(&self, living: &[Entity], ids: &[EntityId]) -> Result<graph::Embedded, Error> {
        let stored = graph::embeddings(self.reads, self.ns, ids)?;
        let without = living.iter().zip(&stored).filter(|(_, stored)| stored.is_none()).map(|(entity, _)| entity);
        let without: Vec<&Entity> = without.collect();
        let names: Vec<&str> = without.iter().map(|entity| entity.name.as_str()).collect();
        let made = if names.is_empty() { Vec::new() } else { self.engine.embedder.embed(&names, Purpose::Passage)? };
        let made = without.iter().zip(made).map(|(entity, vector)| (entity.id, Embedding::F32(vector)));
        let known = ids.iter().zip(stored).filter_map(|(id, stored)| Some((*id, stored?)));
        Ok(graph::Embedded::new(known.chain(made)))
    }

    pub(super) fn merges(&self) -> Result<Vec<Merge>, Error> {
        Ok(graph::merges(self.reads, self.ns)?)
    }

    pub(super) fn merge_history(&self, entity: EntityId) -> Result<Vec<Merge>, Error> {
        Ok(graph::merge_history(self.reads, self.ns, entity)?)
    }
}
