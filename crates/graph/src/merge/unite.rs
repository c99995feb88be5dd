//! Pairs that are one, put together.

use std::collections::BTreeMap;

use super::Tier;
use super::called::{Called, Names};
use super::judge::Judge;
use super::search::Proposal;
use crate::EntityId;

/// Two entities that belong together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) ids: [EntityId; 2],
    /// The names that were compared.
    pub(super) names: [String; 2],
    pub(super) similarity: f64,
    pub(super) tier: Tier,
}

/// Joins pairs to groups, the most similar first, and of these the plain ones; each member but the
/// oldest becomes the oldest. Two groups of which members are apart stay two: tea is like black
/// tea and like green tea, and these are not one.
pub(super) fn unite(mut pairs: Vec<Pair>, called: Called, judge: &Judge<'_>) -> Vec<Proposal> {
    let order = |pair: &Pair| (!pair.tier.is_plain(), pair.ids);
    pairs.sort_by(|a, b| {
        b.similarity
            .total_cmp(&a.similarity)
            .then_with(|| order(a).cmp(&order(b)))
    });
    let mut union = Union::default();
    let mut groups = called.groups;
    for pair in pairs {
        let [a, b] = pair.ids.map(|id| union.oldest(id));
        let (stays, goes) = (a.min(b), a.max(b));
        if stays == goes {
            continue;
        }
        let (Some(there), Some(moved)) = (groups.get(&stays), groups.get(&goes)) else {
            continue;
        };
        if judge.groups_apart(there, moved, &pair.names) {
            continue;
        }
        let moved = groups.remove(&goes).unwrap_or_default();
        groups
            .entry(stays)
            .and_modify(|there: &mut Names| there.add(moved));
        union
            .parents
            .insert(goes, (stays, pair.similarity, pair.tier));
    }
    union.proposals()
}

/// The oldest of each group that joined another one, with its new group and the reason.
#[derive(Debug, Default)]
struct Union {
    parents: BTreeMap<EntityId, (EntityId, f64, Tier)>,
}

impl Union {
    fn oldest(&self, mut id: EntityId) -> EntityId {
        while let Some((parent, _, _)) = self.parents.get(&id) {
            id = *parent;
        }
        id
    }

    /// A chain of joins is as sure as its weakest step.
    fn proposals(&self) -> Vec<Proposal> {
        let proposal = |source: &EntityId| {
            let steps = std::iter::successors(self.parents.get(source), |(parent, _, _)| {
                self.parents.get(parent)
            });
            let (_, similarity, tier) =
                steps.min_by(|(_, one, _), (_, other, _)| one.total_cmp(other))?;
            Some(Proposal {
                source: *source,
                target: self.oldest(*source),
                similarity: *similarity,
                tier: *tier,
            })
        };
        self.parents.keys().filter_map(proposal).collect()
    }
}
