//! Which entities should be one.

use std::collections::BTreeMap;

use annals_graph as graph;

use crate::Error;
use crate::graph::{EntityId, Merge, MergeCandidate, MergeCandidates};
use crate::handles::graph::{Reader, words};
use annals_curation::Curator;
use annals_engine::lessons;

impl Reader<'_> {
    pub(super) fn merge_candidates(
        &self,
        after: Option<EntityId>,
        limit: usize,
    ) -> Result<MergeCandidates, Error> {
        let profile = self.engine.profiles.of(self.reads, self.ns)?;
        let settings = &profile.settings.graph;
        let page = self.list_entities(after, limit)?;
        let next = page
            .last()
            .filter(|_| page.len() == limit)
            .map(|last| last.id);
        let living = page.iter().filter(|entity| entity.merged_into.is_none());
        let ids: Vec<EntityId> = living.map(|entity| entity.id).collect();
        // Compared with all that are embedded; of those that are not, this page is.
        let mut nodes = Curator(self.engine).known_nodes(self.reads, self.ns, settings)?;
        Curator(self.engine).add_nodes(&mut nodes, self.reads, self.ns, settings, &ids)?;
        let mut search = graph::MergeSearch::new(self.reads, self.ns, settings, &nodes);
        search.same_names(&ids)?;
        for (settings, ids) in
            lessons::tuned(self.reads, self.ns, settings, &ids, self.engine.now())?
        {
            search.alike(&settings, &ids)?;
        }
        let proposals = search.finish()?.merges;
        let ends = proposals
            .iter()
            .flat_map(|proposal| [proposal.source, proposal.target]);
        let known = words::entities(self.reads, self.ns, ends)?;
        let candidate = |proposal: &graph::Proposal| {
            let (source, target) = (
                known.get(&proposal.source)?.clone(),
                known.get(&proposal.target)?.clone(),
            );
            Some(MergeCandidate {
                source,
                target,
                similarity: proposal.similarity,
                tier: proposal.tier,
            })
        };
        Ok(MergeCandidates {
            checked: ids.len(),
            candidates: proposals.iter().filter_map(candidate).collect(),
            next,
        })
    }

    pub(super) fn merge_thresholds(&self) -> Result<BTreeMap<String, f64>, Error> {
        let profile = self.engine.profiles.of(self.reads, self.ns)?;
        lessons::thresholds(
            self.reads,
            self.ns,
            &profile.settings.graph.merge,
            self.engine.now(),
        )
    }

    pub(super) fn merges(&self) -> Result<Vec<Merge>, Error> {
        Ok(graph::merges(self.reads, self.ns)?)
    }

    pub(super) fn merge_history(&self, entity: EntityId) -> Result<Vec<Merge>, Error> {
        Ok(graph::merge_history(self.reads, self.ns, entity)?)
    }
}
