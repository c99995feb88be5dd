//! Entities that are one: found by what their names mean, by their surroundings, or by the names themselves.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{Embedding, Entity, EntityId, GraphError, Proposal, Proposals, Similarity, Tier};
use annals_recall::Nodes;
use annals_storage::{Reads, Transaction};
use annals_types::profile::{GraphSettings, JobStep, Unify};
use annals_types::{NamespaceId, Purpose, Row};

use super::batch::Batch;
use super::{Counts, Made, Run, number, progress};
use crate::Error;
use crate::engine::graph::scope;
use crate::engine::nodes::{NODE_SPACES, comparable};
use crate::engine::{Change, Engine, lessons};

/// Entities that are read at once.
const PAGE: usize = 1000;

impl Engine {
    /// Merges the entities that the memories of a batch speak of into older ones, by the profile's thresholds.
    pub(super) fn merge_nodes(&self, run: &Run<'_>) -> Result<Made, Error> {
        let snapshot = self.snapshot()?;
        let mut learned = BTreeMap::new();
        for (ns, _) in run.spaces {
            self.embed_late(*ns)?;
            // They hold for the whole run: reading all merges for each batch would cost more than the batch.
            let merge = &run.rulebook.profile.graph.merge;
            learned.insert(*ns, lessons::thresholds(&snapshot, *ns, merge, run.at)?);
        }
        self.in_batches(run, JobStep::Dedup, |batch| {
            self.merge_batch(run, batch, learned.get(&batch.ns).unwrap_or(&BTreeMap::new()))
        })
    }

    fn merge_batch(
        &self,
        run: &Run<'_>,
        batch: &Batch<'_>,
        thresholds: &BTreeMap<String, f64>,
    ) -> Result<Counts, Error> {
        let settings = &run.rulebook.profile.graph;
        let snapshot = self.snapshot()?;
        let spoken = spoken_of(&snapshot, batch.ns, batch.rows)?;
        let mut fresh = Vec::new();
        let mut found = Proposals::default();
        if !spoken.is_empty() {
            let (nodes, made) = self.embedded_nodes(&snapshot, batch.ns, settings, |_| true)?;
            for (settings, ids) in lessons::tuned_by(&snapshot, batch.ns, settings, &spoken, thresholds)? {
                let some = annals_graph::merge_candidates(&snapshot, batch.ns, &settings, &ids, &nodes)?;
                found.checked += some.checked;
                found.merges.extend(some.merges);
            }
            fresh = made;
            if settings.unify == Unify::Consolidation {
                let same = annals_graph::same_names(&snapshot, batch.ns, &spoken)?;
                found.merges.splice(0..0, same.merges);
            }
        }
        let merged = self.write(batch.name, false, |txn, ns| {
            let scope = scope(ns, run.at, run.rulebook);
            if !fresh.is_empty() && !comparable(&*txn, ns, &self.fingerprint)? {
                // None of another embedder may be taken for one of this.
                let mut old = Vec::new();
                annals_graph::each_embedding(&*txn, ns, &mut |id, _| {
                    old.push(id);
                    Ok(())
                })?;
                for id in old {
                    annals_graph::set_embedding(txn, ns, id, None)?;
                }
            }
            let there = annals_graph::entities(&*txn, ns, &fresh.iter().map(|(id, _)| *id).collect::<Vec<_>>())?;
            for ((id, embedding), _) in fresh.iter().zip(there).filter(|(_, there)| there.is_some()) {
                annals_graph::set_embedding(txn, ns, *id, Some(embedding))?;
            }
            if !fresh.is_empty() {
                txn.put(NODE_SPACES, &ns.prefix(), 1, self.fingerprint.0.as_bytes())?;
            }
            let mut merged = 0;
            for proposal in &found.merges {
                merged += u64::from(merge(txn, scope, proposal)?);
            }
            progress::note(txn, ns, JobStep::Dedup, batch.last())?;
            Ok((merged, Change::default()))
        })?;
        Ok([("checked".to_owned(), number(found.checked)), ("merged".to_owned(), merged)].into())
    }

    /// All entities that may be merged by similarity, each with what its name means; and those of them that had no embedding until now, as far
    /// as they are wanted.
    pub(crate) fn embedded_nodes(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
        wanted: impl Fn(EntityId) -> bool,
    ) -> Result<(Written, Vec<(EntityId, Embedding)>), Error> {
        let mut written = Written { nodes: Nodes::new(self.shape), forms: BTreeMap::new() };
        let nodes = &mut written.nodes;
        let mut without: Vec<Entity> = Vec::new();
        let mut after = None;
        let comparable = comparable(reads, ns, &self.fingerprint)?;
        loop {
            let page = annals_graph::list_entities(reads, ns, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            let page: Vec<Entity> = page.into_iter().filter(|entity| may_merge(settings, entity)).collect();
            for entity in page.iter().filter(|_| settings.merge.by_form) {
                written.forms.entry(annals_graph::form_of(&entity.name, &settings.merge)).or_default().push(entity.id);
            }
            let ids: Vec<EntityId> = page.iter().map(|entity| entity.id).collect();
            for (entity, embedding) in page.into_iter().zip(annals_graph::embeddings(reads, ns, &ids)?) {
                match embedding.filter(|known| comparable && known.dims() == self.shape.dims()) {
                    Some(known) => nodes.add(entity.id, &known)?,
                    None => without.extend(Some(entity).filter(|entity| wanted(entity.id))),
                }
            }
        }
        let mut fresh = Vec::with_capacity(without.len());
        let size = usize::try_from(settings.merge.embed_batch.max(1)).unwrap_or(usize::MAX);
        for part in without.chunks(size) {
            let names: Vec<&str> = part.iter().map(|entity| entity.name.as_str()).collect();
            let vectors = self.embedder.embed(&names, Purpose::Passage)?;
            for (entity, vector) in part.iter().zip(&vectors) {
                let bytes = self.shape.encode(vector)?.bytes();
                let embedding = Embedding::I8(bytes.into_iter().map(u8::cast_signed).collect());
                nodes.add(entity.id, &embedding)?;
                fresh.push((entity.id, embedding));
            }
        }
        Ok((written, fresh))
    }
}

/// The entities of which some memories speak, each once.
fn spoken_of(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<EntityId>, Error> {
    let mut ids = BTreeSet::new();
    for row in rows {
        ids.extend(annals_graph::subgraph(reads, ns, *row)?.nodes.into_iter().map(|node| node.id));
    }
    Ok(ids.into_iter().collect())
}

/// Whether an entity is one of its own, of a kind that is merged by similarity.
fn may_merge(settings: &GraphSettings, entity: &Entity) -> bool {
    let kinds = &settings.merge.kinds;
    let kind = kinds.is_empty() || entity.kind.as_ref().is_some_and(|kind| kinds.contains(kind));
    kind && entity.merged_into.is_none()
}

/// Makes a merge that was proposed, unless both are one by now or one is gone.
fn merge(txn: &mut Transaction<'_>, scope: annals_graph::Scope<'_>, proposal: &Proposal) -> Result<bool, Error> {
    let ends = annals_graph::survivors(&*txn, scope.ns, &[proposal.source, proposal.target])?;
    let [Some(source), Some(target)] = ends.as_slice() else { return Ok(false) };
    if source == target {
        return Ok(false);
    }
    let reason = match proposal.tier {
        Tier::Direct => "their names mean the same",
        Tier::Context => "their names and their surroundings are alike",
        Tier::Form => "their names differ only in how they are written",
        _ => "they have one name and kind",
    };
    // The older one stays.
    let (source, target) = (*source.max(target), *source.min(target));
    annals_graph::merge(txn, scope, source, target, Some(proposal.similarity), reason)?;
    Ok(true)
}

/// What the names of entities mean, and how they are written.
pub(crate) struct Written {
    nodes: Nodes,
    forms: BTreeMap<String, Vec<EntityId>>,
}

impl Similarity for Written {
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        self.nodes.nearest(entity, k)
    }

    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError> {
        self.nodes.between(one, other)
    }

    fn of_form(&self, form: &str) -> Vec<EntityId> {
        self.forms.get(form).cloned().unwrap_or_default()
    }
}
