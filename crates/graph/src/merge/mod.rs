//! Entities found to be one.

mod called;
mod judge;
mod search;
mod similarity;
mod tier;
mod unite;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::entity::Scope;
use crate::ledger::Ledger;
use crate::number::{FAR, next_after};
use crate::record::{Flags, MergeRecord, Redirect};
use crate::tables::{ABSORBED, EDGES, Edge, MERGES, Side};
use crate::{Effects, EntityId, GraphError, MergeId, TripleId};

pub use search::{MergeSearch, Proposal, Proposals};
pub use similarity::{Embedded, Similarity};
pub use tier::Tier;

/// A merge as it is recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Merge {
    /// Its number.
    pub id: MergeId,
    /// The entity that became another.
    pub source: EntityId,
    /// The entity that it became.
    pub target: EntityId,
    /// When.
    pub time: Timestamp,
    /// How similar they were, 0 to 1, where that was the reason.
    pub similarity: Option<f64>,
    /// Why, in the caller's words.
    pub reason: String,
}

/// The longest reason of a merge in bytes.
const MAX_REASON_BYTES: usize = 256;

/// Makes one entity another: from now on it is found, and its triples meet, where the other one
/// is. Nothing that was said is rewritten: evidence keeps its triples, and [`undo_merge`] takes
/// everything back. Entities that were merged before stand for what they became.
///
/// # Errors
/// [`GraphError::NoEntity`]; [`GraphError::SameEntity`]; [`GraphError::Invalid`] for a similarity
/// that is no number from 0 to 1 or a reason that is too long; [`GraphError::Full`].
pub fn merge(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    source: EntityId,
    target: EntityId,
    similarity: Option<f64>,
    reason: &str,
) -> Result<Merge, GraphError> {
    check(similarity, reason)?;
    let mut ledger = Ledger::open(txn, scope.ns)?;
    ledger.load_entities([source, target])?;
    for entity in [source, target] {
        ledger
            .entity(entity)
            .map_err(|_| GraphError::NoEntity { entity })?;
    }
    let (source, target) = (ledger.root(source, true)?, ledger.root(target, true)?);
    if source == target {
        return Err(GraphError::SameEntity { entity: source });
    }
    let id = ledger.give_merge()?;
    let (commit, next_triple) = (txn.commit(), ledger.head.next_triple);
    let reason = reason.to_owned();
    let record = MergeRecord {
        source,
        target,
        commit,
        time: scope.now,
        similarity,
        reason,
        next_triple,
    };
    let tree = ledger.trees([source])?;
    ledger.load_born_with(&tree)?;
    ledger.redirect(id, &record)?;
    ledger.settle()?;
    ledger.retire(BTreeSet::from([target]))?;
    ledger.finish()?.write(txn)?;
    Ok(record.merge(id))
}

fn check(similarity: Option<f64>, reason: &str) -> Result<(), GraphError> {
    use annals_types::InvalidValue::{OutOfRange, TooLong};
    if let Some(value) = similarity.filter(|value| !(0.0..=1.0).contains(value)) {
        return Err(OutOfRange {
            field: "similarity",
            value,
            min: 0.0,
            max: 1.0,
        }
        .into());
    }
    if reason.len() > MAX_REASON_BYTES {
        return Err(TooLong {
            field: "reason",
            bytes: reason.len(),
            limit: MAX_REASON_BYTES,
        }
        .into());
    }
    Ok(())
}

/// Makes merges of another file again, in their order and under their numbers; answers which were
/// there. Entities that they leave without triples stay, for triples may come later. Triples are
/// moved once, whatever the length of a chain of merges.
pub(crate) fn replay(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lines: &[(&Merge, u32)],
) -> Result<Vec<bool>, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let there = MERGES.get_many(ledger.reads, lines.iter().map(|(merge, _)| (ns, merge.id)))?;
    ledger.load_entities(
        lines
            .iter()
            .flat_map(|(merge, _)| [merge.source, merge.target]),
    )?;
    let mut known: BTreeMap<MergeId, MergeRecord> = BTreeMap::new();
    let mut already = Vec::with_capacity(lines.len());
    let mut moved = Vec::new();
    for ((merge, next_triple), there) in lines.iter().zip(there) {
        check(merge.similarity, &merge.reason)?;
        if let Some(there) = there.or_else(|| known.get(&merge.id).cloned()) {
            if there.next_triple != *next_triple || there.merge(merge.id) != **merge {
                return Err(GraphError::Taken {
                    what: "merge",
                    number: merge.id.0,
                });
            }
            already.push(true);
            continue;
        }
        let (source, target) = (merge.source, merge.target);
        for entity in [source, target] {
            let record = ledger
                .entity(entity)
                .map_err(|_| GraphError::NoEntity { entity })?;
            // Both stood for themselves when they were merged.
            if record.redirect.is_some() || source == target {
                return Err(GraphError::SameEntity { entity: source });
            }
        }
        let (time, similarity, reason) = (merge.time, merge.similarity, merge.reason.clone());
        let (commit, next_triple) = (txn.commit(), *next_triple);
        let record = MergeRecord {
            source,
            target,
            commit,
            time,
            similarity,
            reason,
            next_triple,
        };
        ledger.redirect(merge.id, &record)?;
        known.insert(merge.id, record);
        moved.push(source);
        already.push(false);
    }
    // Without any triple there is none to be looked for.
    if ledger.head.triples > 0 {
        let tree = ledger.trees(moved)?;
        ledger.load_born_with(&tree)?;
    }
    ledger.reckon()?;
    ledger.finish()?.write(txn)?;
    Ok(already)
}

/// Keeps a number from being given to a merge: a certain one, unless it is far from all that are
/// given, or the next. Answers it.
///
/// # Errors
/// [`GraphError::Full`]; when the graph cannot be read.
pub fn reserve_merge(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    wanted: Option<MergeId>,
) -> Result<MergeId, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let id = match wanted.filter(|id| id.0 < FAR) {
        Some(id) => id,
        None => ledger.give_merge()?,
    };
    ledger.head.next_merge = next_after(ledger.head.next_merge, id.0);
    ledger.finish()?.write(txn)?;
    Ok(id)
}

impl Ledger<'_> {
    /// Lets one entity at hand lead to another one. The triples that move with it are loaded apart.
    fn redirect(&mut self, id: MergeId, record: &MergeRecord) -> Result<(), GraphError> {
        self.head.next_merge = next_after(self.head.next_merge, id.0);
        self.head.merges += 1;
        let (source, target) = (record.source, record.target);
        self.entity(source)?.redirect = Some(Redirect {
            into: target,
            merge: id,
        });
        self.entity(target)?.absorbed += 1;
        self.put(&MERGES, (self.ns, id), record)?;
        self.put(&ABSORBED, (self.ns, target, (), source), &())
    }
}

impl MergeRecord {
    pub(crate) fn merge(self, id: MergeId) -> Merge {
        let Self {
            source,
            target,
            time,
            similarity,
            reason,
            ..
        } = self;
        Merge {
            id,
            source,
            target,
            time,
            similarity,
            reason,
        }
    }
}

/// The result of taking a merge back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Undone {
    /// The merge.
    pub merge: Merge,
    /// Triples that were first said after the merge: they stay with the entity that the other one
    /// had become.
    pub staying: Vec<TripleId>,
    /// Changes to triples and entities: the survivor goes when nothing of its own was left.
    pub effects: Effects,
}

/// Takes a merge back: the entity is itself again, with all triples that it had, with their
/// evidence of today. Later merges of either entity stand.
///
/// # Errors
/// [`GraphError::NoMerge`] for one that does not exist, was undone, or whose entity is gone.
pub fn undo_merge(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    id: MergeId,
) -> Result<Undone, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let record = MERGES.get(ledger.reads, (ns, id))?;
    let record = record.ok_or(GraphError::NoMerge { merge: id })?;
    let (source, target) = (record.source, record.target);
    ledger.load_entities([source])?;
    let tree = ledger.tree(source)?;
    ledger.load_born_with(&tree)?;
    let staying = ledger.said_since(target, record.next_triple, &tree)?;
    ledger.entity(source)?.redirect = None;
    let parent = ledger.entity(target)?;
    parent.absorbed = parent.absorbed.saturating_sub(1);
    ledger.delete(&MERGES, (ns, id));
    ledger.delete(&ABSORBED, (ns, target, (), source));
    ledger.head.merges = ledger.head.merges.saturating_sub(1);
    ledger.settle()?;
    ledger.retire(BTreeSet::from([source, target]))?;
    let effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(Undone {
        merge: record.merge(id),
        staying,
        effects,
    })
}

/// All merges that stand, the oldest first.
///
/// # Errors
/// When they cannot be read.
pub fn merges(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<Merge>, GraphError> {
    let found = MERGES.rows(reads, MERGES.within(ns), usize::MAX)?;
    Ok(found
        .into_iter()
        .map(|((_, id), record)| record.merge(id))
        .collect())
}

/// The merges by which an entity, or what it became, is what it is, the oldest first. A round of
/// reads for each step of merges.
///
/// # Errors
/// [`GraphError::NoEntity`].
pub fn merge_history(
    reads: &dyn Reads,
    ns: NamespaceId,
    entity: EntityId,
) -> Result<Vec<Merge>, GraphError> {
    let mut ledger = Ledger::reader(reads, ns);
    ledger.load_entities([entity])?;
    ledger
        .entity(entity)
        .map_err(|_| GraphError::NoEntity { entity })?;
    let root = ledger.root(entity, true)?;
    let tree = ledger.tree(root)?;
    let mut ids: Vec<MergeId> = Vec::new();
    for id in tree {
        ids.extend(
            ledger
                .entity(id)?
                .redirect
                .filter(|_| id != root)
                .map(|redirect| redirect.merge),
        );
    }
    ids.sort_unstable();
    let records = MERGES.get_many(reads, ids.iter().map(|id| (ns, *id)))?;
    ids.into_iter()
        .zip(records)
        .map(|(id, record)| {
            let missing = || MERGES.damaged((ns, id), "a merge is missing").into();
            record.ok_or_else(missing).map(|record| record.merge(id))
        })
        .collect()
}

impl Ledger<'_> {
    /// An entity with all that were merged into it, loaded; a round of reads for each step of
    /// merges.
    pub(crate) fn tree(&mut self, root: EntityId) -> Result<BTreeSet<EntityId>, GraphError> {
        self.trees([root])
    }

    /// Some entities with all that were merged into them before this write, as
    /// [`tree`](Self::tree).
    fn trees(
        &mut self,
        roots: impl IntoIterator<Item = EntityId>,
    ) -> Result<BTreeSet<EntityId>, GraphError> {
        let mut tree = BTreeSet::new();
        let mut level: Vec<EntityId> = roots.into_iter().collect();
        while !level.is_empty() {
            self.load_entities(level.iter().copied())?;
            let mut ranges = Vec::new();
            for id in level.drain(..) {
                if tree.insert(id) && self.entity(id)?.absorbed > 0 {
                    ranges.push(ABSORBED.within((self.ns, id, ())).into());
                }
            }
            ABSORBED.scan_many(self.reads, &ranges, |_, (.., child), ()| {
                level.push(child);
                Ok::<_, GraphError>(ControlFlow::Continue(()))
            })?;
        }
        Ok(tree)
    }

    /// Loads all triples that were born with one of these entities.
    fn load_born_with(&mut self, tree: &BTreeSet<EntityId>) -> Result<(), GraphError> {
        let mut triples = Vec::new();
        EDGES.scan_many(self.reads, &self.edge_ranges(tree), |_, key, flags| {
            if !flags.has(Flags::MERGED) {
                triples.push(Edge::of(key).triple);
            }
            Ok::<_, GraphError>(ControlFlow::Continue(()))
        })?;
        self.load_triples(triples)
    }

    fn edge_ranges(&self, of: &BTreeSet<EntityId>) -> Vec<KeyRange> {
        of.iter()
            .flat_map(|id| Side::BOTH.map(|side| EDGES.within((self.ns, *id, side)).into()))
            .collect()
    }

    /// The triples that meet where `target` is now and are not older than `next`, but for those
    /// born with one of `tree`.
    fn said_since(
        &mut self,
        target: EntityId,
        next: u32,
        tree: &BTreeSet<EntityId>,
    ) -> Result<Vec<TripleId>, GraphError> {
        self.load_entities([target])?;
        let root = self.root(target, true)?;
        let mut since = BTreeSet::new();
        EDGES.scan_many(
            self.reads,
            &self.edge_ranges(&BTreeSet::from([root])),
            |_, key, flags| {
                let edge = Edge::of(key);
                since.extend(
                    (edge.triple.0 >= next && !flags.has(Flags::SHADOW)).then_some(edge.triple),
                );
                Ok::<_, GraphError>(ControlFlow::Continue(()))
            },
        )?;
        let born_with = |id: &TripleId| {
            let record = self.triples.get(id).and_then(|slot| slot.before);
            record.is_some_and(|record| {
                tree.contains(&record.subject) || tree.contains(&record.object)
            })
        };
        Ok(since.into_iter().filter(|id| !born_with(id)).collect())
    }
}
