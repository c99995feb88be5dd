//! Entities that are one: found by what their names mean, by their surroundings, or by the names
//! themselves.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{
    Embedding, Entity, EntityId, GraphError, MergeSearch, Proposal, Proposals, Similarity,
};
use annals_language::names::Forms;
use annals_recall::Nodes;
use annals_storage::{Reads, Transaction};
use annals_types::profile::{GraphSettings, JobStep, Unify};
use annals_types::{NamespaceId, Row};

use crate::Curator;
use annals_engine::Error;
use annals_engine::jobs::batch::Batch;
use annals_engine::jobs::{Counts, Run, StepResult, number, progress};
use annals_engine::lessons;
use annals_engine::nodes::{NODE_SPACES, comparable};
use annals_engine::parted::Apart;

/// Entities that are read at once.
const PAGE: usize = 1000;

impl Curator<'_> {
    /// Merges the entities that the memories of a batch speak of into older ones, by the profile's
    /// thresholds.
    pub(crate) fn merge_nodes(&self, run: &Run<'_>) -> Result<StepResult, Error> {
        for (ns, _) in run.spaces {
            self.embed_late(*ns)?;
        }
        // The known nodes of a namespace hold for the whole run: reading all entities and merges
        // for each batch would cost more than the batch.
        let mut known: Option<(NamespaceId, MergeBasis)> = None;
        self.in_batches(run, JobStep::Dedup, |run, batch| {
            if known.as_ref().is_none_or(|(ns, _)| *ns != batch.ns) {
                known = Some((batch.ns, self.known(run, batch)?));
            }
            match &mut known {
                Some((_, known)) => self.merge_batch(run, batch, known),
                None => Ok(Counts::new()),
            }
        })
    }

    /// The entities of a namespace to compare with, all of them embedded.
    fn known(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<MergeBasis, Error> {
        let settings = &run.profile.settings.graph;
        let snapshot = self.snapshot()?;
        let thresholds = lessons::thresholds(&snapshot, batch.ns, &settings.merge, run.at)?;
        let mut nodes = self.known_nodes(&snapshot, batch.ns, settings)?;
        let without = nodes.without.clone();
        let fresh = self.add_nodes(&mut nodes, &snapshot, batch.ns, settings, &without)?;
        self.store_embeddings(batch.ns, &fresh)?;
        Ok(MergeBasis { nodes, thresholds })
    }

    /// Keeps embeddings of entities, some at a time; those of another embedder go before.
    fn store_embeddings(
        &self,
        ns: NamespaceId,
        fresh: &[(EntityId, Embedding)],
    ) -> Result<(), Error> {
        for part in fresh.chunks(PAGE) {
            self.write(ns, |cx| {
                if !comparable(&*cx.txn, ns, &self.fingerprint)? {
                    // None of another embedder may be taken for one of this.
                    let mut old = Vec::new();
                    annals_graph::each_embedding(&*cx.txn, ns, &mut |id, _| {
                        old.push(id);
                        Ok(())
                    })?;
                    for id in old {
                        annals_graph::set_embedding(cx.txn, ns, id, None)?;
                    }
                }
                let ids: Vec<EntityId> = part.iter().map(|(id, _)| *id).collect();
                let there = annals_graph::entities(&*cx.txn, ns, &ids)?;
                for ((id, embedding), _) in
                    part.iter().zip(there).filter(|(_, there)| there.is_some())
                {
                    annals_graph::set_embedding(cx.txn, ns, *id, Some(embedding))?;
                }
                NODE_SPACES.put(cx.txn, ns, &self.fingerprint.0)?;
                Ok(())
            })?;
        }
        Ok(())
    }

    fn merge_batch(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        known: &mut MergeBasis,
    ) -> Result<Counts, Error> {
        let settings = &run.profile.settings.graph;
        let snapshot = self.snapshot()?;
        let spoken = spoken_of(&snapshot, batch.ns, batch.rows)?;
        let mut found = Proposals::default();
        if !spoken.is_empty() {
            let fresh = self.add_nodes(&mut known.nodes, &snapshot, batch.ns, settings, &spoken)?;
            self.store_embeddings(batch.ns, &fresh)?;
            let (nodes, thresholds) = (&known.nodes, &known.thresholds);
            let mut search = MergeSearch::new(&snapshot, batch.ns, settings, nodes);
            for (settings, ids) in
                lessons::tuned_by(&snapshot, batch.ns, settings, &spoken, thresholds)?
            {
                search.alike(&settings, &ids)?;
            }
            if settings.unify == Unify::Consolidation {
                search.same_names(&spoken)?;
            }
            found = search.finish()?;
        }
        let merged = self.write_under(batch.ns, run.profile, run.at, |cx| {
            let (ns, scope) = (cx.ns, cx.scope());
            let apart = Apart::read(&*cx.txn, ns)?;
            let mut merged = 0;
            for proposal in &found.merges {
                merged += u64::from(merge(cx.txn, scope, proposal, &apart)?);
            }
            progress::note(cx.txn, ns, JobStep::Dedup, batch.last())?;
            Ok(merged)
        })?;
        Ok([
            ("checked".to_owned(), number(found.checked)),
            ("merged".to_owned(), merged),
        ]
        .into())
    }

    /// All entities that may be merged by similarity, with the stored vectors of their names, and
    /// how they are written.
    pub fn known_nodes(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
    ) -> Result<NodeNames, Error> {
        let apart = Apart::read(reads, ns)?;
        let forms = settings.merge.by_form.then(|| Forms::new(&settings.merge));
        let (of_form, seen) = (BTreeMap::new(), BTreeSet::new());
        let mut written = NodeNames {
            nodes: Nodes::new(self.shape),
            forms,
            of_form,
            seen,
            without: Vec::new(),
            apart,
        };
        let mut after = None;
        let comparable = comparable(reads, ns, &self.fingerprint)?;
        loop {
            let page = annals_graph::list_entities(reads, ns, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            let page: Vec<Entity> = page
                .into_iter()
                .filter(|entity| may_merge(settings, entity))
                .collect();
            let ids: Vec<EntityId> = page.iter().map(|entity| entity.id).collect();
            for (entity, embedding) in page.iter().zip(annals_graph::embeddings(reads, ns, &ids)?) {
                written.note(entity);
                match embedding.filter(|known| comparable && known.dims() == self.shape.dims()) {
                    Some(known) => written.nodes.add(entity.id, &known)?,
                    None => written.without.push(entity.id),
                }
            }
        }
        Ok(written)
    }

    /// Embeds those of some entities that may be merged and are not among the embedded ones;
    /// answers them.
    pub fn add_nodes(
        &self,
        written: &mut NodeNames,
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
        ids: &[EntityId],
    ) -> Result<Vec<(EntityId, Embedding)>, Error> {
        let lacks =
            |id: &EntityId| !written.seen.contains(id) || written.without.binary_search(id).is_ok();
        let ids: Vec<EntityId> = ids.iter().copied().filter(lacks).collect();
        written.without.retain(|id| ids.binary_search(id).is_err());
        let found = annals_graph::entities(reads, ns, &ids)?
            .into_iter()
            .flatten();
        let found: Vec<Entity> = found.filter(|entity| may_merge(settings, entity)).collect();
        let mut fresh = Vec::with_capacity(found.len());
        let size = usize::try_from(settings.merge.embed_batch.max(1)).unwrap_or(usize::MAX);
        for part in found.chunks(size) {
            let names: Vec<&str> = part.iter().map(|entity| entity.name.as_str()).collect();
            let vectors = self.embed_passages(&names)?;
            for (entity, vector) in part.iter().zip(&vectors) {
                let bytes = self.shape.encode(vector)?.bytes();
                let embedding = Embedding::I8(bytes.into_iter().map(u8::cast_signed).collect());
                written.nodes.add(entity.id, &embedding)?;
                written.note(entity);
                fresh.push((entity.id, embedding));
            }
        }
        Ok(fresh)
    }
}

/// The entities of which some memories speak, each once.
fn spoken_of(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<EntityId>, Error> {
    let mut ids = BTreeSet::new();
    for row in rows {
        ids.extend(
            annals_graph::subgraph(reads, ns, *row)?
                .nodes
                .into_iter()
                .map(|node| node.id),
        );
    }
    Ok(ids.into_iter().collect())
}

/// Whether an entity is one of its own, of a kind that is merged by similarity.
fn may_merge(settings: &GraphSettings, entity: &Entity) -> bool {
    let kinds = &settings.merge.kinds;
    let kind = kinds.is_empty()
        || entity
            .kind
            .as_ref()
            .is_some_and(|kind| kinds.contains(kind));
    kind && entity.merged_into.is_none()
}

/// Makes a merge that was proposed, unless both are one by now, one is gone, or somebody took them
/// apart.
fn merge(
    txn: &mut Transaction<'_>,
    scope: annals_graph::Scope<'_>,
    proposal: &Proposal,
    apart: &Apart,
) -> Result<bool, Error> {
    let ends = annals_graph::survivors(&*txn, scope.ns, &[proposal.source, proposal.target])?;
    let [Some(source), Some(target)] = ends.as_slice() else {
        return Ok(false);
    };
    if source == target {
        return Ok(false);
    }
    let found = annals_graph::entities(&*txn, scope.ns, &[*source, *target])?;
    let [Some(one), Some(other)] = found.as_slice() else {
        return Ok(false);
    };
    if apart.are(one, other) {
        return Ok(false);
    }
    // The older one stays.
    let (source, target) = (*source.max(target), *source.min(target));
    annals_graph::merge(
        txn,
        scope,
        source,
        target,
        Some(proposal.similarity),
        proposal.tier.reason(),
    )?;
    Ok(true)
}

/// The entities of a namespace to compare with in one run.
struct MergeBasis {
    nodes: NodeNames,
    /// From which similarity on those of a kind are one, where the profile learns that.
    thresholds: BTreeMap<String, f64>,
}

/// The vectors of entities' names, how the names are written, and which entities somebody took
/// apart.
pub struct NodeNames {
    nodes: Nodes,
    /// How names are written, where that makes entities one.
    forms: Option<Forms>,
    of_form: BTreeMap<String, Vec<EntityId>>,
    /// The entities that were looked at.
    seen: BTreeSet<EntityId>,
    /// Those of them that have no embedding yet, rising.
    without: Vec<EntityId>,
    apart: Apart,
}

impl NodeNames {
    /// Takes note of an entity, once.
    fn note(&mut self, entity: &Entity) {
        if self.seen.insert(entity.id)
            && let Some(forms) = &self.forms
        {
            self.of_form
                .entry(forms.of(&entity.name))
                .or_default()
                .push(entity.id);
        }
    }
}

impl Similarity for NodeNames {
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        self.nodes.nearest(entity, k)
    }

    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError> {
        self.nodes.between(one, other)
    }

    fn of_form(&self, form: &str) -> Vec<EntityId> {
        self.of_form.get(form).cloned().unwrap_or_default()
    }

    fn parted(&self, one: &Entity, other: &Entity) -> bool {
        self.apart.are(one, other)
    }
}
