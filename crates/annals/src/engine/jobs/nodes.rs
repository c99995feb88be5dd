//! Entities that are one: found by what their names mean, by their surroundings, or by the names themselves.

use std::collections::{BTreeMap, BTreeSet};

use annals_graph::{Embedding, Entity, EntityId, GraphError, Proposal, Proposals, Similarity, Tier};
use annals_storage::{Keyspace, Reads, Transaction};
use annals_types::profile::{GraphSettings, JobStep, Unify};
use annals_types::{NamespaceId, Purpose, Row};
use annals_vector::{Index, Shape};

use super::batch::Batch;
use super::{Counts, Made, Run, number, progress};
use crate::Error;
use crate::engine::graph::scope;
use crate::engine::{Change, Engine, lessons};

/// Namespace -> the fingerprint of the embedder that the embeddings of its entities are of (UTF-8).
pub(crate) const NODE_SPACES: Keyspace = Keyspace::new("annals.nodes");

/// Entities that are read at once.
const PAGE: usize = 1000;

impl Engine {
    /// Merges the entities that the memories of a batch speak of into older ones, by the profile's thresholds.
    pub(super) fn merge_nodes(&self, run: &Run<'_>) -> Result<Made, Error> {
        for (ns, _) in run.spaces {
            self.embed_late(*ns)?;
        }
        self.in_batches(run, JobStep::Dedup, |batch| self.merge_batch(run, batch))
    }

    fn merge_batch(&self, run: &Run<'_>, batch: &Batch<'_>) -> Result<Counts, Error> {
        let settings = &run.rulebook.profile.graph;
        let snapshot = self.snapshot()?;
        let spoken = spoken_of(&snapshot, batch.ns, batch.rows)?;
        let mut fresh = Vec::new();
        let mut found = Proposals::default();
        if !spoken.is_empty() {
            let (nodes, made) = self.embedded_nodes(&snapshot, batch.ns, settings)?;
            for (settings, ids) in lessons::tuned(&snapshot, batch.ns, settings, &spoken, run.at)? {
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

    /// All entities that may be merged by similarity, each with what its name means; and those of them that had no embedding until now.
    fn embedded_nodes(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
    ) -> Result<(Nodes, Vec<(EntityId, Embedding)>), Error> {
        let index = Index::new(self.shape, annals_types::profile::VectorSettings::default());
        let mut nodes = Nodes { index, forms: BTreeMap::new() };
        let mut without: Vec<Entity> = Vec::new();
        let mut after = None;
        let of = reads.get(NODE_SPACES, &ns.prefix())?;
        let comparable = of.is_none_or(|of| of.body == self.fingerprint.0.as_bytes());
        loop {
            let page = annals_graph::list_entities(reads, ns, after, PAGE)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            let wanted: Vec<Entity> = page.into_iter().filter(|entity| may_merge(settings, entity)).collect();
            for entity in wanted.iter().filter(|_| settings.merge.by_form) {
                nodes.forms.entry(annals_graph::form_of(&entity.name, &settings.merge)).or_default().push(entity.id);
            }
            let ids: Vec<EntityId> = wanted.iter().map(|entity| entity.id).collect();
            for (entity, embedding) in wanted.into_iter().zip(annals_graph::embeddings(reads, ns, &ids)?) {
                match embedding.filter(|known| comparable && known.dims() == self.shape.dims()) {
                    Some(known) => nodes.add(self.shape, entity.id, &known)?,
                    None => without.push(entity),
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
                nodes.add(self.shape, entity.id, &embedding)?;
                fresh.push((entity.id, embedding));
            }
        }
        Ok((nodes, fresh))
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

/// What the names of entities mean, as vectors in the order of their numbers, and how they are written.
struct Nodes {
    index: Index,
    forms: BTreeMap<String, Vec<EntityId>>,
}

impl Nodes {
    fn add(&mut self, shape: Shape, id: EntityId, embedding: &Embedding) -> Result<(), Error> {
        let code = match embedding {
            Embedding::I8(codes) => {
                let bytes: Vec<u8> = codes.iter().map(|code| code.cast_unsigned()).collect();
                shape.decode(&bytes)?
            }
            Embedding::F32(numbers) => shape.encode(numbers)?,
            _ => return Ok(()),
        };
        Ok(self.index.append(Row(id.0), &code)?)
    }
}

impl Similarity for Nodes {
    fn nearest(&self, entity: EntityId, k: usize) -> Result<Vec<(EntityId, f64)>, GraphError> {
        let own = Row(entity.0);
        let Some(query) = self.index.query_of(own) else { return Ok(Vec::new()) };
        let hits = self.index.search_exact(&query, k, |row| row != own);
        Ok(hits.into_iter().map(|hit| (EntityId(hit.row.0), f64::from(hit.cosine.max(0.0)))).collect())
    }

    fn between(&self, one: EntityId, other: EntityId) -> Result<Option<f64>, GraphError> {
        Ok(self.index.between(Row(one.0), Row(other.0)).map(|cosine| f64::from(cosine.max(0.0))))
    }

    fn of_form(&self, form: &str) -> Vec<EntityId> {
        self.forms.get(form).cloned().unwrap_or_default()
    }
}
