//! Triples that cannot both hold.

use std::collections::BTreeSet;

use annals_storage::{KeyRange, Reads};
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row};
use serde::{Deserialize, Serialize};

use crate::id::Qualifier;
use crate::label::{LabelClass, label_numbers};
use crate::query::{View, Witnesses, fan};
use crate::stance::Stances;
use crate::tables::{EDGES, Edge, Side};
use crate::{GraphError, LabelId, Triple, TripleId, said, triples};

/// Why two triples cannot both hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClashReason {
    /// One says that it is so, the other that it is not.
    Negation,
    /// Their predicates are opposites, or what they say of one thing is: `[我]--观点--[讨厌]--是--[下雨]`
    /// and `[我]--观点--[喜欢]--是--[下雨]`.
    Opposite,
    /// The predicate leads to one object at a time, and they name different ones.
    SingleValued,
}

/// A triple that a memory says, and another one that cannot hold with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clash {
    /// The triple that the memory says.
    pub triple: TripleId,
    /// The other one.
    pub other: TripleId,
    /// Why.
    pub reason: ClashReason,
    /// The memories that support the other one now, rising.
    pub rows: Vec<Row>,
}

/// Where a clashing triple would be.
struct Place {
    triple: Triple,
    range: KeyRange,
    reason: ClashReason,
}

/// The claims of a memory that cannot hold with those of others now, by the settings' opposites
/// and predicates of a single value. Conditions must be the same. The memory never clashes with
/// itself. Claims on topics and objects must be of one subject, and under the same circumstances.
///
/// # Errors
/// When the storage fails.
pub fn clashes(
    reads: &dyn Reads,
    ns: NamespaceId,
    settings: &GraphSettings,
    row: Row,
) -> Result<Vec<Clash>, GraphError> {
    let ids: Vec<TripleId> = said(reads, ns, row)?
        .into_iter()
        .map(|said| said.triple)
        .collect();
    let rules = Rules::read(reads, ns, settings)?;
    let found = triples(reads, ns, &ids)?
        .into_iter()
        .flatten()
        .filter(|triple| triple.visible);
    let places: Vec<Place> = found.flat_map(|triple| rules.places(ns, &triple)).collect();
    let ranges: Vec<KeyRange> = places.iter().map(|place| place.range.clone()).collect();
    let (groups, _) = fan::groups(reads, &ranges, usize::MAX, usize::MAX)?;
    let mut pairs: BTreeSet<(TripleId, TripleId, ClashReason)> = BTreeSet::new();
    for (range, group) in groups {
        let Some(place) = places.get(range) else {
            continue;
        };
        let (triple, edge) = (&place.triple, group.edge);
        let single = place.reason == ClashReason::SingleValued;
        // A range of a single-valued predicate holds all its objects, the triple's own and negated
        // ones among them.
        if single
            && (edge.other == triple.object || edge.qualifier != qualifier(triple, triple.negated))
        {
            continue;
        }
        let visible = group.triples.into_iter().filter(|(_, visible)| *visible);
        pairs.extend(visible.map(|(other, _)| (triple.id, other, place.reason)));
    }
    let own = Stances::of(reads, ns, row)?;
    let contraries = own.contraries(reads, ns, settings)?;
    pairs.extend(
        contraries
            .iter()
            .map(|found| (found.triple, found.other, ClashReason::Opposite)),
    );
    let others: Vec<TripleId> = pairs.iter().map(|(_, other, _)| *other).collect();
    let witnesses = Witnesses::load(reads, ns, &others)?;
    let mut clashes = Vec::new();
    for ((triple, other, reason), said) in pairs.into_iter().zip(&witnesses.evidence) {
        let counts = said
            .iter()
            .filter(|(other, record)| witnesses.counts(&View::NOW, *other, record));
        let mut rows: Vec<Row> = counts
            .map(|(other, _)| *other)
            .filter(|other| *other != row)
            .collect();
        if own.holds(triple) {
            let mut met = Vec::with_capacity(rows.len());
            for other_row in rows {
                if own.meet(
                    (triple, other),
                    &Stances::of(reads, ns, other_row)?,
                    settings,
                ) {
                    met.push(other_row);
                }
            }
            rows = met;
        }
        if !rows.is_empty() {
            clashes.push(Clash {
                triple,
                other,
                reason,
                rows,
            });
        }
    }
    Ok(clashes)
}

fn qualifier(triple: &Triple, negated: bool) -> Qualifier {
    Qualifier::new(negated, triple.condition).unwrap_or_default()
}

/// The settings' rules, by the numbers of predicates that the namespace uses.
struct Rules {
    opposites: Vec<(LabelId, LabelId)>,
    single: BTreeSet<LabelId>,
}

impl Rules {
    fn read(
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
    ) -> Result<Self, GraphError> {
        let opposites = settings.opposites.iter().flatten();
        let names: Vec<&str> = opposites
            .chain(&settings.single_valued)
            .map(String::as_str)
            .collect();
        let numbers = label_numbers(reads, ns, LabelClass::Predicate, &names)?;
        let (pairs, single) = numbers
            .split_at_checked(2 * settings.opposites.len())
            .unwrap_or_default();
        let (pairs, _) = pairs.as_chunks::<2>();
        Ok(Self {
            opposites: pairs
                .iter()
                .filter_map(|[one, other]| Some(((*one)?, (*other)?)))
                .collect(),
            single: single.iter().flatten().copied().collect(),
        })
    }

    /// Where triples would be that clash with one.
    fn places(&self, ns: NamespaceId, triple: &Triple) -> Vec<Place> {
        let (entity, other) = (triple.subject, triple.object);
        let group = |predicate, negated| {
            let qualifier = qualifier(triple, negated);
            let edge = Edge {
                entity,
                side: Side::Out,
                predicate,
                other,
                qualifier,
                triple: triple.id,
            };
            EDGES.within(edge.group(ns)).into()
        };
        let mut ranges = vec![(
            group(triple.predicate, !triple.negated),
            ClashReason::Negation,
        )];
        if !triple.negated {
            let opposite = |(one, other): &(LabelId, LabelId)| match triple.predicate {
                predicate if predicate == *one => Some(*other),
                predicate if predicate == *other => Some(*one),
                _ => None,
            };
            let opposites = self.opposites.iter().filter_map(opposite);
            ranges.extend(
                opposites.map(|predicate| (group(predicate, false), ClashReason::Opposite)),
            );
            if self.single.contains(&triple.predicate) {
                let all = EDGES
                    .within((ns, entity, Side::Out, triple.predicate))
                    .into();
                ranges.push((all, ClashReason::SingleValued));
            }
        }
        ranges
            .into_iter()
            .map(|(range, reason)| Place {
                triple: triple.clone(),
                range,
                reason,
            })
            .collect()
    }
}
