//! Which entities should be one.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::Reads;
use annals_types::profile::{GraphSettings, MergeSettings};
use annals_types::{Figures, NamespaceId};
use serde::{Deserialize, Serialize};

use super::{Similarity, form};
use crate::query::{Direction, View, neighbours};
use crate::{Entity, EntityId, GraphError, entities, name, survivors};

/// Numbers closer than this are equal.
const EPSILON: f64 = 1e-9;

/// Why two entities should be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Tier {
    /// They are so similar that nothing else is asked.
    Direct,
    /// They are similar, and so is what they are spoken of with.
    Context,
    /// They have the same name and kind.
    Name,
    /// They have the same kind, and their names differ only in how they are written.
    Form,
    /// The same, where words that mean the same count as one.
    Synonym,
}

impl Tier {
    /// Why entities are merged, in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Direct => "their names mean the same",
            Self::Context => "their names and their surroundings are alike",
            Self::Name => "they have one name and kind",
            Self::Form => "their names differ only in how they are written",
            Self::Synonym => "their names are synonyms of the profile",
        }
    }
}

/// Two entities that should be one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Proposal {
    /// The entity that becomes the other.
    pub source: EntityId,
    /// The oldest entity of those that belong together.
    pub target: EntityId,
    /// The similarity, 0 to 1, that brought the source in; the least of all steps where it came by way of others.
    pub similarity: f64,
    /// Why.
    pub tier: Tier,
}

/// What a search for merges found.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Proposals {
    /// Entities that were looked at.
    pub checked: usize,
    /// The merges to be made, by the number of the source.
    pub merges: Vec<Proposal>,
}

/// Finds merges for some entities: each is compared with its most similar ones, the best first, and joins the first that passes. Above
/// `direct_above` nothing more is asked but the kind; above `context_above` also the context. Names that hold different
/// [figures](Figures) pass neither, unless the settings ignore them. An entity is never compared with itself, and what belongs together becomes
/// one merge each into the oldest.
///
/// # Errors
/// When the storage or `similarity` fails.
pub fn merge_candidates(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &GraphSettings,
    ids: &[EntityId],
    similarity: &dyn Similarity,
) -> Result<Proposals, GraphError> {
    let judge = Judge { reads, ns, settings, similarity };
    let roots: BTreeSet<EntityId> = survivors(reads, ns, ids)?.into_iter().flatten().collect();
    let roots: Vec<EntityId> = roots.into_iter().collect();
    let mut proposals = Proposals::default();
    let mut pairs = Vec::new();
    let mut known = BTreeMap::new();
    for entity in entities(reads, ns, &roots)?.into_iter().flatten() {
        if !judge.may_merge(&entity) {
            continue;
        }
        proposals.checked += 1;
        if let Some((other, similarity, tier)) = judge.best(&entity)? {
            pairs.push((entity.id, other.id, similarity, tier));
            known.extend([(entity.id, entity), (other.id, other)]);
        }
    }
    for (one, other) in judge.same_form(&roots)? {
        pairs.push((one.id, other.id, 1.0, judge.tier_of_form(&one, &other)));
        known.extend([(one.id, one), (other.id, other)]);
    }
    let apart = |one: EntityId, other: EntityId| {
        known.get(&one).zip(known.get(&other)).is_some_and(|(one, other)| judge.apart(one, other))
    };
    proposals.merges = unite(pairs, apart);
    Ok(proposals)
}

/// Finds merges of entities that have a name and the kind in common, among some entities and all that share a name with them, but for those that
/// were [parted](Similarity::parted).
///
/// # Errors
/// When the storage fails.
pub fn same_names(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[EntityId],
    similarity: &dyn Similarity,
) -> Result<Proposals, GraphError> {
    let roots: BTreeSet<EntityId> = survivors(reads, ns, ids)?.into_iter().flatten().collect();
    let roots: Vec<EntityId> = roots.into_iter().collect();
    let found: Vec<Entity> = entities(reads, ns, &roots)?.into_iter().flatten().collect();
    let names: Vec<(usize, String)> = found
        .iter()
        .enumerate()
        .flat_map(|(n, entity)| {
            std::iter::once(&entity.name).chain(&entity.aliases).map(move |text| (n, name::normalise(text)))
        })
        .collect();
    let texts: Vec<String> = names.iter().map(|(_, text)| text.clone()).collect();
    let holders = name::holders(reads, ns, &texts)?;
    let all: Vec<EntityId> = holders.iter().flatten().copied().collect();
    let others: BTreeSet<EntityId> = survivors(reads, ns, &all)?.into_iter().flatten().collect();
    let others: Vec<EntityId> = others.into_iter().collect();
    let known: BTreeMap<EntityId, Entity> =
        entities(reads, ns, &others)?.into_iter().flatten().map(|entity| (entity.id, entity)).collect();
    let parted = |one: EntityId, other: EntityId| {
        known.get(&one).zip(known.get(&other)).is_some_and(|(one, other)| similarity.parted(one, other))
    };
    let root_of: BTreeMap<EntityId, EntityId> =
        all.iter().copied().zip(survivors(reads, ns, &all)?).filter_map(|(id, root)| Some((id, root?))).collect();
    let mut pairs = Vec::new();
    for ((n, _), holders) in names.iter().zip(holders) {
        let Some(entity) = found.get(*n) else { continue };
        for other in holders.iter().filter_map(|holder| root_of.get(holder)) {
            let same_kind = known.get(other).is_some_and(|other| other.kind == entity.kind);
            if *other != entity.id && same_kind && !parted(entity.id, *other) {
                pairs.push((entity.id, *other, 1.0, Tier::Name));
            }
        }
    }
    Ok(Proposals { checked: found.len(), merges: unite(pairs, parted) })
}

/// Two entities that belong together, how similar they are and why.
type Pair = (EntityId, EntityId, f64, Tier);

/// Joins pairs to groups, the most similar first; each member but the oldest becomes the oldest. Two groups of which members are apart stay two:
/// tea is like black tea and like green tea, and these are not one.
fn unite(mut pairs: Vec<Pair>, apart: impl Fn(EntityId, EntityId) -> bool) -> Vec<Proposal> {
    fn oldest(parents: &BTreeMap<EntityId, EntityId>, mut id: EntityId) -> EntityId {
        while let Some(parent) = parents.get(&id).filter(|parent| **parent != id) {
            id = *parent;
        }
        id
    }
    pairs.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
    let mut parents: BTreeMap<EntityId, EntityId> = BTreeMap::new();
    let mut reasons: BTreeMap<EntityId, (f64, Tier)> = BTreeMap::new();
    let mut groups: BTreeMap<EntityId, Vec<EntityId>> = BTreeMap::new();
    for (one, other, similarity, tier) in pairs {
        for id in [one, other] {
            parents.entry(id).or_insert(id);
            groups.entry(id).or_insert_with(|| vec![id]);
        }
        let (a, b) = (oldest(&parents, one), oldest(&parents, other));
        if a == b {
            continue;
        }
        let (stays, goes) = (a.min(b), a.max(b));
        let moved = groups.remove(&goes).unwrap_or_default();
        let there = groups.entry(stays).or_default();
        let split = |x: EntityId, y: EntityId| ![(one, other), (other, one)].contains(&(x, y)) && apart(x, y);
        if there.iter().any(|x| moved.iter().any(|y| split(*x, *y))) {
            groups.insert(goes, moved);
            continue;
        }
        there.extend(moved);
        reasons.insert(goes, (similarity, tier));
        parents.insert(goes, stays);
    }
    // What joined by way of others is as surely one as the weakest step.
    let weakest = |source: EntityId| {
        let steps = std::iter::successors(Some(source), |id| parents.get(id).copied().filter(|parent| parent != id));
        steps.filter_map(|id| reasons.get(&id).copied()).min_by(|(one, _), (other, _)| one.total_cmp(other))
    };
    let proposal = |source: EntityId| {
        let (target, (similarity, tier)) = (oldest(&parents, source), weakest(source)?);
        (target != source).then_some(Proposal { source, target, similarity, tier })
    };
    parents.keys().copied().filter_map(proposal).collect()
}

struct Judge<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    settings: &'a GraphSettings,
    similarity: &'a dyn Similarity,
}

impl Judge<'_> {
    /// Whether entities of this kind are merged by similarity at all.
    fn may_merge(&self, entity: &Entity) -> bool {
        let kinds = &self.settings.merge.kinds;
        kinds.is_empty() || entity.kind.as_ref().is_some_and(|kind| kinds.contains(kind))
    }

    /// Whether nothing but a shared likeness to a third one speaks for two entities, or somebody took them apart.
    fn apart(&self, one: &Entity, other: &Entity) -> bool {
        if self.similarity.parted(one, other) {
            return true;
        }
        let (merge, one, other) = (&self.settings.merge, &one.name, &other.name);
        let words = !merge.one_word_apart && form::one_word_apart(one, other) && form::differ(one, other, merge);
        words || form::contrary(one, other) || self.figures_apart(one, other)
    }

    fn figures_apart(&self, one: &str, other: &str) -> bool {
        !self.settings.merge.ignore_figures && Figures::of(one) != Figures::of(other)
    }

    /// Pairs of one kind whose names are of one form: those asked for, with each other and with what the caller knows besides. Each is paired with
    /// the oldest of those that it is one with.
    fn same_form(&self, roots: &[EntityId]) -> Result<Vec<(Entity, Entity)>, GraphError> {
        let merge = &self.settings.merge;
        if !merge.by_form {
            return Ok(Vec::new());
        }
        let asked: Vec<Entity> = entities(self.reads, self.ns, roots)?.into_iter().flatten().collect();
        let mut forms: BTreeMap<String, BTreeSet<EntityId>> = BTreeMap::new();
        for entity in asked.iter().filter(|entity| self.may_merge(entity)) {
            let form = form::of(&entity.name, merge);
            let known = self.similarity.of_form(&form);
            forms.entry(form).or_default().extend(known.into_iter().chain([entity.id]));
        }
        let mut pairs = Vec::new();
        for ids in forms.into_values().filter(|ids| ids.len() > 1) {
            let ids: Vec<EntityId> = ids.into_iter().collect();
            let alive: BTreeSet<EntityId> = survivors(self.reads, self.ns, &ids)?.into_iter().flatten().collect();
            let alive: Vec<EntityId> = alive.into_iter().collect();
            let mut groups: Vec<Vec<Entity>> = Vec::new();
            let found = entities(self.reads, self.ns, &alive)?.into_iter().flatten();
            for entity in found.filter(|entity| self.may_merge(entity)) {
                let one_with = |other: &Entity| {
                    other.kind == entity.kind
                        && !self.figures_apart(&other.name, &entity.name)
                        && !form::by_plural(&other.name, &entity.name, merge)
                        && !self.similarity.parted(other, &entity)
                };
                match groups.iter_mut().find(|group| group.iter().all(one_with)) {
                    Some(group) => group.push(entity),
                    None => groups.push(vec![entity]),
                }
            }
            for group in groups {
                let Some((first, others)) = group.split_first() else { continue };
                pairs.extend(others.iter().map(|other| (other.clone(), first.clone())));
            }
        }
        Ok(pairs)
    }

    /// Whether two names of one form are so without the settings' synonyms.
    fn tier_of_form(&self, one: &Entity, other: &Entity) -> Tier {
        let plain = MergeSettings { synonyms: Vec::new(), ..self.settings.merge.clone() };
        if form::differ(&one.name, &other.name, &plain) { Tier::Synonym } else { Tier::Form }
    }

    /// The best of the most similar entities that may be one with an entity.
    fn best(&self, entity: &Entity) -> Result<Option<(Entity, f64, Tier)>, GraphError> {
        for (other, similarity) in self.comparable(entity)? {
            if let Some(tier) = self.tier(entity, &other, similarity)? {
                return Ok(Some((other, similarity, tier)));
            }
        }
        Ok(None)
    }

    /// The entities most similar to one, as many as the settings say, of those whose names do not rule it out. Where many do, more are asked for.
    fn comparable(&self, entity: &Entity) -> Result<Vec<(Entity, f64)>, GraphError> {
        /// How many times as many as wanted are looked at.
        const MOST: usize = 16;
        let merge = &self.settings.merge;
        let wanted = usize::try_from(merge.candidates).unwrap_or(usize::MAX);
        let mut asked = wanted.saturating_add(1);
        loop {
            let near = self.similarity.nearest(entity.id, asked)?;
            let exhausted = near.len() < asked || asked > wanted.saturating_mul(MOST);
            let ids: Vec<EntityId> = near.iter().map(|(id, _)| *id).collect();
            let roots = survivors(self.reads, self.ns, &ids)?;
            let others = near.into_iter().zip(roots).filter_map(|((_, similarity), root)| Some((root?, similarity)));
            let mut others: Vec<(EntityId, f64)> = others.filter(|(root, _)| *root != entity.id).collect();
            others.sort_by(|(a, one), (b, other)| other.total_cmp(one).then(a.cmp(b)));
            let ids: Vec<EntityId> = others.iter().map(|(id, _)| *id).collect();
            let found = entities(self.reads, self.ns, &ids)?.into_iter().zip(others);
            let mut found: Vec<(Entity, f64)> = found
                .filter_map(|(other, (_, similarity))| Some((other?, similarity)))
                .filter(|(other, similarity)| !self.ruled_out(entity, other, *similarity))
                .collect();
            if found.len() >= wanted || exhausted {
                found.truncate(wanted);
                return Ok(found);
            }
            asked = asked.saturating_mul(4);
        }
    }

    /// Whether two names are not one, however similar they are.
    fn ruled_out(&self, one: &Entity, other: &Entity, similarity: f64) -> bool {
        let merge = &self.settings.merge;
        let blind = merge.blind_above.is_some_and(|limit| similarity >= limit);
        blind && form::differ(&one.name, &other.name, merge)
            || form::contrary(&one.name, &other.name)
            || self.figures_apart(&one.name, &other.name)
            || self.similarity.parted(one, other)
            || !self.may_merge(other)
    }

    fn tier(&self, one: &Entity, other: &Entity, similarity: f64) -> Result<Option<Tier>, GraphError> {
        let merge = &self.settings.merge;
        let same_kind = one.kind == other.kind;
        if similarity > merge.direct_above + EPSILON && (same_kind || merge.across_kinds) {
            return Ok(Some(Tier::Direct));
        }
        if similarity <= merge.context_above + EPSILON || !same_kind {
            return Ok(None);
        }
        if !merge.one_word_apart && form::one_word_apart(&one.name, &other.name) {
            return Ok(None);
        }
        let matches = !merge.context_required || self.context_matches(one.id, other.id)?;
        Ok(matches.then_some(Tier::Context))
    }

    /// Whether two entities share a neighbour, or their neighbours are similar on average. Without neighbours nothing matches.
    fn context_matches(&self, one: EntityId, other: EntityId) -> Result<bool, GraphError> {
        let (ours, theirs) = (self.context(one, other)?, self.context(other, one)?);
        if ours.is_empty() || theirs.is_empty() {
            return Ok(false);
        }
        if ours.intersection(&theirs).next().is_some() {
            return Ok(true);
        }
        let mut sum = 0.0;
        for neighbour in &ours {
            let mut best = 0.0_f64;
            for candidate in &theirs {
                best = best.max(self.similarity.between(*neighbour, *candidate)?.unwrap_or(0.0));
            }
            sum += best;
        }
        // At most some dozen neighbours: exact as f64.
        let count = f64::from(u32::try_from(ours.len()).unwrap_or(u32::MAX));
        Ok(sum / count + EPSILON >= self.settings.merge.context_similarity)
    }

    /// The neighbours of an entity that tell something of it.
    fn context(&self, entity: EntityId, besides: EntityId) -> Result<BTreeSet<EntityId>, GraphError> {
        let limit = usize::try_from(self.settings.merge.context_neighbours).unwrap_or(usize::MAX);
        let found = neighbours(self.reads, self.ns, entity, Direction::Both, None, View::NOW, limit)?;
        let ids: BTreeSet<EntityId> = found.into_iter().map(|neighbour| neighbour.entity).collect();
        let ids: Vec<EntityId> = ids.into_iter().filter(|id| *id != besides && *id != entity).collect();
        let common =
            |entity: &Entity| entity.kind.as_ref().is_some_and(|kind| self.settings.common_kinds.contains(kind));
        let found = entities(self.reads, self.ns, &ids)?;
        Ok(found.into_iter().flatten().filter(|entity| !common(entity)).map(|entity| entity.id).collect())
    }
}
