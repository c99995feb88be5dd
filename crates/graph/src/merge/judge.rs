//! Whether two entities are one.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::Figures;
use annals_language::names::Forms;
use annals_storage::Reads;
use annals_types::NamespaceId;
use annals_types::profile::GraphSettings;

use super::called::Names;
use super::unite::Pair;
use super::{Similarity, Tier};
use crate::query::{Direction, View, neighbours};
use crate::{Entity, EntityId, GraphError, entities, survivors};

/// Numbers closer than this are equal.
const EPSILON: f64 = 1e-9;

pub(super) struct Judge<'a> {
    pub(super) reads: &'a dyn Reads,
    pub(super) ns: NamespaceId,
    pub(super) settings: &'a GraphSettings,
    pub(super) similarity: &'a dyn Similarity,
    pub(super) forms: &'a Forms,
}

/// An entity that another one is compared with.
#[derive(Debug, Clone)]
struct Other {
    /// As it was named, which is what is compared.
    named: Entity,
    /// The entity that it became.
    root: Entity,
}

impl Judge<'_> {
    /// Whether entities of this kind are merged by similarity at all.
    pub(super) fn may_merge(&self, entity: &Entity) -> bool {
        let kinds = &self.settings.merge.kinds;
        kinds.is_empty()
            || entity
                .kind
                .as_ref()
                .is_some_and(|kind| kinds.contains(kind))
    }

    /// Whether any names of two groups, but the two that were compared, are of two things, or a
    /// person took members of them apart. A name that both have says nothing new.
    pub(super) fn groups_apart(&self, one: &Names, other: &Names, compared: &[String; 2]) -> bool {
        let parted = |a: &Entity| other.members.iter().any(|b| self.similarity.parted(a, b));
        if one.members.iter().any(parted) {
            return true;
        }
        let apart = |a: &String, b: &String| {
            let were_compared = compared.contains(a) && compared.contains(b);
            !were_compared && self.names_apart(a, b)
        };
        one.by_form
            .iter()
            .any(|(form, ours)| match other.by_form.get(form) {
                Some(theirs) => ours.iter().any(|a| theirs.iter().any(|b| apart(a, b))),
                None => {
                    let news = other
                        .by_form
                        .iter()
                        .filter(|(form, _)| !one.by_form.contains_key(*form));
                    news.flat_map(|(_, names)| names)
                        .any(|b| ours.iter().any(|a| apart(a, b)))
                }
            })
    }

    /// Whether two names are of two things, if nothing but their likeness to a third one speaks for
    /// one.
    fn names_apart(&self, one: &str, other: &str) -> bool {
        let words = !self.settings.merge.one_word_apart && self.forms.words_apart(one, other);
        words || self.contrary(one, other)
    }

    /// Whether two names are of two things, however similar they are.
    fn contrary(&self, one: &str, other: &str) -> bool {
        self.forms.contrary(one, other)
            || !self.settings.merge.ignore_figures && Figures::of(one) != Figures::of(other)
    }

    /// Pairs of one kind whose names are of one form: those asked for, with each other and with
    /// what the caller knows besides. Each is paired with the oldest of those that it is one with.
    pub(super) fn same_form(&self, roots: &[EntityId]) -> Result<Vec<Pair>, GraphError> {
        if !self.settings.merge.by_form {
            return Ok(Vec::new());
        }
        let asked: Vec<Entity> = entities(self.reads, self.ns, roots)?
            .into_iter()
            .flatten()
            .collect();
        let mut forms: BTreeMap<String, BTreeSet<EntityId>> = BTreeMap::new();
        for entity in asked.iter().filter(|entity| self.may_merge(entity)) {
            let form = self.forms.of(&entity.name);
            let known = self.similarity.of_form(&form);
            forms
                .entry(form)
                .or_default()
                .extend(known.into_iter().chain([entity.id]));
        }
        let mut pairs = Vec::new();
        for ids in forms.into_values().filter(|ids| ids.len() > 1) {
            let ids: Vec<EntityId> = ids.into_iter().collect();
            let mut groups: Vec<Vec<Other>> = Vec::new();
            for one in self
                .others(&ids)?
                .into_iter()
                .flatten()
                .filter(|one| self.may_merge(&one.root))
            {
                match groups
                    .iter_mut()
                    .find(|group| group.iter().all(|other| self.is_one_of_form(other, &one)))
                {
                    Some(group) => group.push(one),
                    None => groups.push(vec![one]),
                }
            }
            for group in groups {
                let Some((first, others)) = group.split_first() else {
                    continue;
                };
                pairs.extend(others.iter().map(|other| self.pair_of_form(first, other)));
            }
        }
        Ok(pairs)
    }

    fn is_one_of_form(&self, one: &Other, other: &Other) -> bool {
        one.root.kind == other.root.kind
            && !self.contrary(&one.named.name, &other.named.name)
            && !self.similarity.parted(&one.root, &other.root)
    }

    fn pair_of_form(&self, one: &Other, other: &Other) -> Pair {
        let names = [other.named.name.clone(), one.named.name.clone()];
        let [a, b] = &names;
        let tier = if Forms::default().differ(a, b) {
            Tier::Synonym
        } else {
            Tier::Form
        };
        Pair {
            ids: [other.root.id, one.root.id],
            names,
            similarity: 1.0,
            tier,
        }
    }

    /// Entities as they were named, each with what it became; `None` for those that are not there.
    fn others(&self, ids: &[EntityId]) -> Result<Vec<Option<Other>>, GraphError> {
        let named = entities(self.reads, self.ns, ids)?;
        let roots: Vec<EntityId> = survivors(self.reads, self.ns, ids)?
            .into_iter()
            .zip(ids)
            .map(|(root, id)| root.unwrap_or(*id))
            .collect();
        let roots = entities(self.reads, self.ns, &roots)?;
        Ok(named
            .into_iter()
            .zip(roots)
            .map(|(named, root)| {
                Some(Other {
                    named: named?,
                    root: root?,
                })
            })
            .collect())
    }

    /// The best of the most similar entities that may be one with an entity.
    pub(super) fn best(&self, entity: &Entity) -> Result<Option<Pair>, GraphError> {
        for (other, similarity) in self.comparable(entity)? {
            if let Some(tier) = self.tier(entity, &other, similarity)? {
                let names = [entity.name.clone(), other.named.name];
                return Ok(Some(Pair {
                    ids: [entity.id, other.root.id],
                    names,
                    similarity,
                    tier,
                }));
            }
        }
        Ok(None)
    }

    /// The entities most similar to one, as many as the settings say, of those whose names do not
    /// rule it out. Where many do, more are asked for.
    fn comparable(&self, entity: &Entity) -> Result<Vec<(Other, f64)>, GraphError> {
        /// How many times as many as wanted are looked at.
        const MOST: usize = 16;
        let merge = &self.settings.merge;
        let wanted = usize::try_from(merge.candidates).unwrap_or(usize::MAX);
        let mut asked = wanted.saturating_add(1);
        loop {
            let near = self.similarity.nearest(entity.id, asked)?;
            let exhausted = near.len() < asked || asked > wanted.saturating_mul(MOST);
            let ids: Vec<EntityId> = near.iter().map(|(id, _)| *id).collect();
            let others = self.others(&ids)?.into_iter().zip(near);
            let mut found: Vec<(Other, f64)> = others
                .filter_map(|(other, (_, similarity))| Some((other?, similarity)))
                .filter(|(other, similarity)| {
                    other.root.id != entity.id && !self.ruled_out(entity, other, *similarity)
                })
                .collect();
            found.sort_by(|(a, one), (b, other)| {
                other.total_cmp(one).then(a.root.id.cmp(&b.root.id))
            });
            if found.len() >= wanted || exhausted {
                found.truncate(wanted);
                return Ok(found);
            }
            asked = asked.saturating_mul(4);
        }
    }

    /// Whether two names are not one, however similar they are.
    fn ruled_out(&self, one: &Entity, other: &Other, similarity: f64) -> bool {
        let blind = self
            .settings
            .merge
            .blind_above
            .is_some_and(|limit| similarity >= limit);
        let name = &other.named.name;
        blind && self.forms.differ(&one.name, name)
            || self.contrary(&one.name, name)
            || self.similarity.parted(one, &other.root)
            || !self.may_merge(&other.root)
    }

    fn tier(
        &self,
        one: &Entity,
        other: &Other,
        similarity: f64,
    ) -> Result<Option<Tier>, GraphError> {
        let merge = &self.settings.merge;
        let same_kind = one.kind == other.root.kind;
        if similarity > merge.direct_above + EPSILON && (same_kind || merge.across_kinds) {
            return Ok(Some(Tier::Direct));
        }
        if similarity <= merge.context_above + EPSILON || !same_kind {
            return Ok(None);
        }
        if !merge.one_word_apart && self.forms.words_apart(&one.name, &other.named.name) {
            return Ok(None);
        }
        let matches = !merge.context_required || self.context_matches(one.id, other.root.id)?;
        Ok(matches.then_some(Tier::Context))
    }

    /// Whether two entities share a neighbour, or their neighbours are similar on average. Without
    /// neighbours nothing matches.
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
                best = best.max(
                    self.similarity
                        .between(*neighbour, *candidate)?
                        .unwrap_or(0.0),
                );
            }
            sum += best;
        }
        // At most some dozen neighbours: exact as f64.
        let count = f64::from(u32::try_from(ours.len()).unwrap_or(u32::MAX));
        Ok(sum / count + EPSILON >= self.settings.merge.context_similarity)
    }

    /// The neighbours of an entity that tell something of it.
    fn context(
        &self,
        entity: EntityId,
        besides: EntityId,
    ) -> Result<BTreeSet<EntityId>, GraphError> {
        let limit = usize::try_from(self.settings.merge.context_neighbours).unwrap_or(usize::MAX);
        let found = neighbours(
            self.reads,
            self.ns,
            entity,
            Direction::Both,
            None,
            View::NOW,
            limit,
        )?;
        let ids: BTreeSet<EntityId> = found
            .into_iter()
            .map(|neighbour| neighbour.entity)
            .collect();
        let ids: Vec<EntityId> = ids
            .into_iter()
            .filter(|id| *id != besides && *id != entity)
            .collect();
        let common = |entity: &Entity| {
            entity
                .kind
                .as_ref()
                .is_some_and(|kind| self.settings.common_kinds.contains(kind))
        };
        let found = entities(self.reads, self.ns, &ids)?;
        Ok(found
            .into_iter()
            .flatten()
            .filter(|entity| !common(entity))
            .map(|entity| entity.id)
            .collect())
    }
}
