//! Breadth-first expansion over memories: by their links, and by the entities that they share.

use std::collections::{BTreeMap, BTreeSet};

use annals_storage::{KeyRange, Reads};
use annals_types::{NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::label::{LabelClass, label_numbers};
use crate::ledger::Ledger;
use crate::query::fan;
use crate::query::held::evidence;
use crate::query::neighbours::edge_ranges;
use crate::query::{Budget, Cut, Direction, Meter};
use crate::record::RowRecord;
use crate::roster::{self, Member};
use crate::{EntityId, GraphError, LabelId, TripleId};

/// How a walk over memories goes.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct MemoryWalk<'a> {
    /// Greatest number of steps.
    pub depth: u32,
    /// Only links with these relations, and no shared entities. All links and shared entities when
    /// `None`.
    pub relations: Option<&'a [&'a str]>,
    /// Which way links are followed.
    pub direction: Direction,
    /// Whether memories that speak of the same entity are neighbours.
    pub shared: bool,
    /// Kinds whose entities are no bridges.
    pub common_kinds: &'a [String],
    /// Degree above which an entity is no bridge.
    pub max_degree: u32,
    /// The storing time at which it asks; now when `None`.
    pub as_of: Option<Timestamp>,
    /// How much may be looked at.
    pub budget: Budget<'a>,
}

impl<'a> MemoryWalk<'a> {
    /// Over links of all relations, both ways, and shared entities, by some settings.
    pub fn new(depth: u32, settings: &'a annals_types::profile::GraphSettings) -> Self {
        Self {
            depth,
            relations: None,
            direction: Direction::Both,
            shared: true,
            common_kinds: &settings.common_kinds,
            max_degree: settings.expand.max_degree,
            as_of: None,
            budget: Budget::default(),
        }
    }
}

/// The connection of two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Bridge {
    /// A link.
    Link {
        /// The number of its relation.
        relation: LabelId,
        /// Whether it leads to the memory reached.
        outgoing: bool,
    },
    /// An entity of which both speak.
    Entity(EntityId),
}

/// A memory that a walk reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryNode {
    /// Its row.
    pub row: Row,
    /// Steps from the nearest seed.
    pub distance: u32,
    /// The memory from which it was first reached.
    pub from: Row,
    /// By what it was.
    pub by: Bridge,
}

/// The result of a walk over memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryExpansion {
    /// Memories that are no seeds, the nearest first; those as near in the order of whom they were
    /// reached from, by links before shared entities.
    pub reached: Vec<MemoryNode>,
    /// The limit that ended it early.
    pub cut: Option<Cut>,
}

/// Walks from some memories over links and shared entities, breadth first. Memories that sleep are
/// neither reached nor left.
///
/// # Errors
/// When the storage fails. Seeds that the graph does not know have no neighbours.
pub fn expand_memories(
    reads: &dyn Reads,
    ns: NamespaceId,
    seeds: &[Row],
    walk: MemoryWalk<'_>,
) -> Result<MemoryExpansion, GraphError> {
    let relations = match walk.relations {
        Some(names) => {
            let numbers = label_numbers(reads, ns, LabelClass::Relation, names)?;
            Some(numbers.into_iter().flatten().collect::<BTreeSet<LabelId>>())
        }
        None => None,
    };
    let stroll = MemoryWalker {
        reads,
        ns,
        walk,
        relations,
        kinds: common(reads, ns, walk.common_kinds)?,
    };
    let mut meter = Meter::start(&walk.budget);
    let mut visited: BTreeSet<Row> = seeds.iter().copied().collect();
    let mut known = BTreeSet::new();
    let mut frontier: Vec<Row> = seeds
        .iter()
        .copied()
        .filter(|row| known.insert(*row))
        .collect();
    let mut expansion = MemoryExpansion::default();
    for distance in 1..=walk.depth {
        let mut next = Vec::new();
        for some in frontier.chunks(64) {
            if meter.late() {
                break;
            }
            for (from, row, by) in stroll.neighbours(some, &mut meter)? {
                if visited.contains(&row) {
                    continue;
                }
                if !meter.node() {
                    break;
                }
                visited.insert(row);
                next.push(row);
                expansion.reached.push(MemoryNode {
                    row,
                    distance,
                    from,
                    by,
                });
            }
        }
        if next.is_empty() || meter.cut.is_some() {
            break;
        }
        frontier = next;
    }
    expansion.cut = meter.cut;
    Ok(expansion)
}

fn common(
    reads: &dyn Reads,
    ns: NamespaceId,
    kinds: &[String],
) -> Result<BTreeSet<LabelId>, GraphError> {
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    Ok(label_numbers(reads, ns, LabelClass::Kind, &kinds)?
        .into_iter()
        .flatten()
        .collect())
}

struct MemoryWalker<'a> {
    reads: &'a dyn Reads,
    ns: NamespaceId,
    walk: MemoryWalk<'a>,
    relations: Option<BTreeSet<LabelId>>,
    kinds: BTreeSet<LabelId>,
}

/// A step between memories.
type Step = (Row, Row, Bridge);

impl MemoryWalker<'_> {
    fn awake(&self, record: Option<&RowRecord>) -> bool {
        record.is_some_and(|record| match self.walk.as_of {
            Some(moment) => record.supported_at(moment),
            None => record.supports(),
        })
    }

    fn neighbours(&self, rows: &[Row], meter: &mut Meter<'_>) -> Result<Vec<Step>, GraphError> {
        let members = roster::members(self.reads, self.ns, rows)?;
        let members: Vec<(Row, Member)> = rows
            .iter()
            .copied()
            .zip(members)
            .filter(|(_, member)| self.awake(member.record.as_ref()))
            .collect();
        let mut steps: BTreeMap<Row, Vec<Step>> = BTreeMap::new();
        for (row, member) in &members {
            let linked = steps.entry(*row).or_default();
            for (end, record) in &member.links {
                let wanted = match self.walk.direction {
                    Direction::Out => end.leaves,
                    Direction::In => !end.leaves,
                    Direction::Both => true,
                };
                let wanted = wanted
                    && self
                        .relations
                        .as_ref()
                        .is_none_or(|relations| relations.contains(&end.relation))
                    && self.walk.as_of.is_none_or(|moment| record.born <= moment);
                if wanted && meter.edge() {
                    linked.push((
                        *row,
                        end.other,
                        Bridge::Link {
                            relation: end.relation,
                            outgoing: end.leaves,
                        },
                    ));
                }
            }
        }
        if self.walk.shared && self.relations.is_none() {
            for (row, shared) in self.shared(&members, meter)? {
                steps.entry(row).or_default().extend(shared);
            }
        }
        let mut ordered: Vec<Step> = rows
            .iter()
            .filter_map(|row| steps.remove(row))
            .flatten()
            .collect();
        let others: BTreeSet<Row> = ordered.iter().map(|(_, other, _)| *other).collect();
        let others: Vec<Row> = others.into_iter().collect();
        let records = roster::records(self.reads, self.ns, &others)?;
        let awake: BTreeSet<Row> = others
            .into_iter()
            .zip(&records)
            .filter(|(_, r)| self.awake(r.as_ref()))
            .map(|(row, _)| row)
            .collect();
        ordered.retain(|(_, other, _)| awake.contains(other));
        Ok(ordered)
    }

    /// Memories that speak of the same entities.
    fn shared(
        &self,
        members: &[(Row, Member)],
        meter: &mut Meter<'_>,
    ) -> Result<BTreeMap<Row, Vec<Step>>, GraphError> {
        let mut spoken: BTreeMap<Row, BTreeSet<EntityId>> = BTreeMap::new();
        let mut ledger = Ledger::reader(self.reads, self.ns);
        ledger.load_triples(
            members
                .iter()
                .flat_map(|(_, member)| member.supports.iter().copied()),
        )?;
        let ends = |ledger: &Ledger<'_>, triple: &TripleId| {
            let slot = ledger.triples.get(triple);
            slot.and_then(|slot| slot.after)
                .map(|record| [record.subject, record.object])
        };
        let all: Vec<EntityId> = ledger
            .triples
            .keys()
            .filter_map(|id| ends(&ledger, id))
            .flatten()
            .collect();
        ledger.load_entities(all)?;
        for (row, member) in members {
            for end in member
                .supports
                .iter()
                .filter_map(|id| ends(&ledger, id))
                .flatten()
            {
                spoken
                    .entry(*row)
                    .or_default()
                    .insert(ledger.root(end, true)?);
            }
        }
        let bridges: BTreeSet<EntityId> = spoken.values().flatten().copied().collect();
        let mut open = Vec::new();
        for id in bridges {
            let record = ledger.entity(id)?;
            if record.edges <= self.walk.max_degree && !self.kinds.contains(&LabelId(record.kind)) {
                open.push(id);
            }
        }
        let speakers = self.speakers(&open, meter)?;
        let mut steps: BTreeMap<Row, Vec<Step>> = BTreeMap::new();
        for (row, entities) in spoken {
            let found = steps.entry(row).or_default();
            for entity in entities {
                let rows = speakers
                    .get(&entity)
                    .into_iter()
                    .flatten()
                    .filter(|other| **other != row);
                found.extend(rows.map(|other| (row, *other, Bridge::Entity(entity))));
            }
            found.sort_by_key(|(_, other, by)| (*other, *by));
        }
        Ok(steps)
    }

    /// The memories that speak of some entities.
    fn speakers(
        &self,
        entities: &[EntityId],
        meter: &mut Meter<'_>,
    ) -> Result<BTreeMap<EntityId, BTreeSet<Row>>, GraphError> {
        let ranges: Vec<KeyRange> = entities
            .iter()
            .flat_map(|entity| edge_ranges(self.ns, *entity, Direction::Both, None))
            .collect();
        let (groups, _) = fan::groups(
            self.reads,
            &ranges,
            usize::MAX,
            meter.edges.saturating_add(1),
        )?;
        let mut pairs: Vec<(EntityId, TripleId)> = Vec::new();
        for (_, group) in groups {
            if !meter.edge() {
                break;
            }
            pairs.extend(
                group
                    .triples
                    .iter()
                    .map(|(triple, _)| (group.edge.entity, *triple)),
            );
        }
        let triples: Vec<TripleId> = pairs.iter().map(|(_, triple)| *triple).collect();
        let mut speakers: BTreeMap<EntityId, BTreeSet<Row>> = BTreeMap::new();
        for ((entity, _), said) in pairs
            .into_iter()
            .zip(evidence(self.reads, self.ns, &triples)?)
        {
            let counted = said
                .iter()
                .filter(|(_, record)| self.walk.as_of.is_none_or(|moment| record.born <= moment));
            speakers
                .entry(entity)
                .or_default()
                .extend(counted.map(|(row, _)| *row));
        }
        Ok(speakers)
    }
}
