//! Stances of memories: `[我]--观点--[讨厌]--是--[下雨]`, told as topic and object of one subject.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::names::{contraries, normalise};
use annals_storage::{KeyRange, Reads};
use annals_types::profile::GraphSettings;
use annals_types::{NamespaceId, Row};

use crate::assertion::EdgeRole;
use crate::id::Qualifier;
use crate::label::{LabelClass, label_numbers};
use crate::query::fan;
use crate::tables::{EDGES, Side};
use crate::{EntityId, GraphError, LabelId, Subgraph, TripleId, name, subgraph, survivors};

/// Attributes that say when.
pub const TIME_ATTRIBUTES: [&str; 3] = ["时间", "time", "when"];

/// The stance of a memory towards something.
#[derive(Debug, Clone, PartialEq)]
struct Stance {
    /// The triple that says it: from the topic to the object, or from the subject to the topic
    /// where there is no object.
    triple: TripleId,
    /// Where that triple begins, and where it leads.
    ends: (EntityId, EntityId),
    /// The name of the subject, as names are compared.
    subject: String,
    memory_type: String,
    /// The predicate of the triple.
    relation: String,
    /// The names of the topic and, where there is one, of the object.
    topic: String,
    object: Option<String>,
    /// Its circumstances, as names are compared.
    attributes: BTreeMap<String, String>,
}

/// A triple that says the contrary, and the memory's own.
pub(crate) struct Contrary {
    pub(crate) triple: TripleId,
    pub(crate) other: TripleId,
}

/// The stances of a memory.
pub(crate) struct Stances(Vec<Stance>);

impl Stances {
    pub(crate) fn of(reads: &dyn Reads, ns: NamespaceId, row: Row) -> Result<Self, GraphError> {
        Ok(Self::read(&subgraph(reads, ns, row)?))
    }

    fn read(graph: &Subgraph) -> Self {
        let name = |id: EntityId| {
            let node = graph.nodes.iter().find(|node| node.id == id);
            node.map_or_else(String::new, |node| normalise(&node.name))
        };
        let of_role = |role: EdgeRole| {
            graph
                .edges
                .iter()
                .filter(move |edge| edge.claim.role == role)
        };
        let mut stances = Vec::new();
        for typed in of_role(EdgeRole::MemoryType) {
            let core = of_role(EdgeRole::Core).find(|core| core.source == typed.target);
            let edge = core.unwrap_or(typed);
            let owned =
                of_role(EdgeRole::Attribute).filter(|attribute| attribute.source == edge.target);
            stances.push(Stance {
                triple: edge.triple,
                ends: (edge.source, edge.target),
                subject: name(typed.source),
                memory_type: typed.relation.clone(),
                relation: edge.relation.clone(),
                topic: name(typed.target),
                object: core.map(|core| name(core.target)),
                attributes: owned
                    .map(|edge| (normalise(&edge.relation), name(edge.target)))
                    .collect(),
            });
        }
        Self(stances)
    }

    /// Triples that would say the contrary, whichever memory says them.
    pub(crate) fn contraries(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
    ) -> Result<Vec<Contrary>, GraphError> {
        let mut found = Vec::new();
        for stance in &self.0 {
            let ranges = stance.places(reads, ns, settings)?;
            let (groups, _) = fan::groups(reads, &ranges, usize::MAX, usize::MAX)?;
            let visible = groups
                .iter()
                .flat_map(|(_, group)| &group.triples)
                .filter(|(_, visible)| *visible);
            let others: BTreeSet<TripleId> = visible.map(|(other, _)| *other).collect();
            let contrary = |other| Contrary {
                triple: stance.triple,
                other,
            };
            found.extend(
                others
                    .into_iter()
                    .filter(|other| *other != stance.triple)
                    .map(contrary),
            );
        }
        Ok(found)
    }

    /// Whether two memories that say these triples speak of one subject, under the same
    /// circumstances. A memory that says the other one without a subject counts for itself.
    pub(crate) fn meet(
        &self,
        (own, other): (TripleId, TripleId),
        others: &Self,
        settings: &GraphSettings,
    ) -> bool {
        if !others.holds(other) {
            return true;
        }
        let mut mine = self.0.iter().filter(|stance| stance.triple == own);
        mine.any(|mine| {
            let mut theirs = others.0.iter().filter(|stance| stance.triple == other);
            theirs.any(|theirs| mine.subject == theirs.subject && !mine.apart(theirs, settings))
        })
    }

    /// Whether a triple is one of them.
    pub(crate) fn holds(&self, triple: TripleId) -> bool {
        self.0.iter().any(|stance| stance.triple == triple)
    }
}

impl Stance {
    /// Where triples would be that say the contrary: topic or object said otherwise, in this order
    /// or the other one.
    fn places(
        &self,
        reads: &dyn Reads,
        ns: NamespaceId,
        settings: &GraphSettings,
    ) -> Result<Vec<KeyRange>, GraphError> {
        let Some(predicate) = label_numbers(reads, ns, LabelClass::Predicate, &[&self.relation])?
            .pop()
            .flatten()
        else {
            return Ok(Vec::new());
        };
        let place = |entity: EntityId, other: EntityId| edge(ns, entity, predicate, other);
        let of = |name: &str| contraries(name, &settings.opposites);
        let Some(object) = &self.object else {
            let others = entities_of(reads, ns, &of(&self.topic))?;
            return Ok(others
                .into_iter()
                .map(|other| place(self.ends.0, other))
                .collect());
        };
        let mut places = Vec::new();
        for (stays, turns) in [(&self.topic, object), (object, &self.topic)] {
            let stays = entities_of(reads, ns, std::slice::from_ref(stays))?;
            for other in entities_of(reads, ns, &of(turns))? {
                places.extend(
                    stays
                        .iter()
                        .flat_map(|stays| [place(*stays, other), place(other, *stays)]),
                );
            }
        }
        Ok(places)
    }

    /// Whether both may be so because they speak of different circumstances. Of different times
    /// only what lasts is one.
    fn apart(&self, other: &Self, settings: &GraphSettings) -> bool {
        let lasts = |stance: &Self| settings.lasting_types.contains(&stance.memory_type);
        let both_last = lasts(self) && lasts(other);
        self.attributes.iter().any(|(name, value)| {
            let differs = other
                .attributes
                .get(name)
                .is_some_and(|theirs| theirs != value);
            differs && !(both_last && TIME_ATTRIBUTES.contains(&name.as_str()))
        })
    }
}

fn edge(ns: NamespaceId, entity: EntityId, predicate: LabelId, other: EntityId) -> KeyRange {
    EDGES
        .within((
            ns,
            entity,
            Side::Out,
            predicate,
            other,
            Qualifier::default(),
        ))
        .into()
}

/// The entities of some names, as what they became.
fn entities_of(
    reads: &dyn Reads,
    ns: NamespaceId,
    names: &[String],
) -> Result<BTreeSet<EntityId>, GraphError> {
    let born: Vec<EntityId> = name::holders(reads, ns, names)?
        .into_iter()
        .flatten()
        .collect();
    Ok(survivors(reads, ns, &born)?.into_iter().flatten().collect())
}
