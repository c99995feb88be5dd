//! Memories that the graph brings up: those that speak of entities in the question, and those
//! linked to the best.

use std::collections::BTreeMap;

use annals_graph::{
    Budget, Contact, EntityId, LabelId, Recognise, Spread, Surroundings, Tie, recognise, spread,
};
use annals_records::Moment;
use annals_types::profile::{Profile, RecallMode, RelationClass};
use annals_types::{Filter, Row, Status};

use crate::candidates::Seeds;
use crate::explain::{GraphTrace, Nearness, Route};
use crate::intent::Decision;
use crate::rank::Sources;
use crate::speakers::NamedSpeakers;
use crate::{Query, RecallError};

/// The memories around what was asked about.
pub(crate) struct Nearby {
    contacts: BTreeMap<Row, Contact>,
    names: BTreeMap<EntityId, String>,
    relations: BTreeMap<LabelId, (String, RelationClass)>,
    /// The value of a hit of words or meaning by itself.
    direct: f32,
    /// The value of an entity that leads to memories, 0 to 1; 1 for those that are not here.
    rarity: BTreeMap<EntityId, f32>,
    pub(crate) trace: GraphTrace,
}

/// Statuses whose memories lead on to others.
const AWAKE: [Status; 3] = [Status::Active, Status::Staged, Status::Archived];

impl Nearby {
    /// The graph's memories for a question; the graph is not read where it is not to be followed.
    pub(crate) fn of(
        sources: &Sources<'_>,
        (query, speakers): (&Query, &NamedSpeakers),
        (profile, further): (&Profile, u32),
        seeds: &Seeds,
        moment: Moment,
    ) -> Result<Self, RecallError> {
        let mut decision = Decision::of(query, profile, seeds.best)?;
        decision.depth = decision.depth.saturating_add(further);
        if decision.mode == RecallMode::Fast {
            return Ok(Self::silent(profile, &decision, Vec::new()));
        }
        let expand = &profile.recall.expand;
        let wanted = if decision.causal {
            expand.seeds.max(expand.cause_seeds)
        } else {
            expand.seeds
        };
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let first = seeds
            .rows
            .get(..seeds.rows.len().min(wanted))
            .unwrap_or_default();
        Self::find(sources, (query, speakers), profile, decision, first, moment)
    }

    /// Looks up what the question names, and follows the graph as decided from there and from
    /// `seeds`.
    fn find(
        sources: &Sources<'_>,
        (query, speakers): (&Query, &NamedSpeakers),
        profile: &Profile,
        decision: Decision,
        seeds: &[Row],
        moment: Moment,
    ) -> Result<Self, RecallError> {
        let expand = &profile.recall.expand;
        let limit = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let rules = profile
            .graph
            .relations
            .iter()
            .filter(|rule| rule.alias_of.is_none() && rule.inverse_of.is_none());
        let classes: BTreeMap<&str, RelationClass> =
            rules.map(|rule| (rule.name.as_str(), rule.class)).collect();
        let relations: Vec<String> = classes.keys().map(|name| (*name).to_owned()).collect();
        let wanted = Recognise {
            text: &query.text,
            names: limit(expand.names),
            holders: limit(profile.graph.expand.max_degree),
            kinds: &profile.graph.common_kinds,
            relations: &relations,
        };
        let namespace = sources.columns.namespace();
        let mut known = recognise(sources.reads, namespace, wanted)?;
        // A name of a speaker stands for the speaker: what others say to them is seldom what is
        // asked.
        known
            .mentions
            .retain(|mention| !speakers.is_speaker(&mention.name));
        let entities: Vec<EntityId> = known
            .mentions
            .iter()
            .flat_map(|mention| mention.entities.clone())
            .collect();
        let names = known
            .mentions
            .into_iter()
            .map(|mention| mention.name)
            .collect();
        let mut nearby = Self::silent(profile, &decision, names);
        for (number, name) in known.relations {
            let class = classes
                .get(name.as_str())
                .copied()
                .unwrap_or(RelationClass::Reference);
            nearby.relations.insert(number, (name, class));
        }
        if entities.is_empty() && (decision.depth == 0 || seeds.is_empty()) {
            nearby.trace.depth = 0;
            return Ok(nearby);
        }
        let followed = decision
            .relations
            .as_ref()
            .map(|names| nearby.numbers(names));
        let common: Vec<LabelId> = known.kinds.into_iter().collect();
        let everything = Filter {
            statuses: AWAKE.to_vec(),
            ..Filter::default()
        };
        let awake = sources.columns.matcher(&everything, moment);
        let settings = Spread {
            rows: seeds,
            entities: &entities,
            depth: decision.depth,
            relations: followed.as_deref(),
            // Hits that are there for a cause alone lead on by their links.
            shared: expand.seeds > 0,
            common: &common,
            max_degree: profile.graph.expand.max_degree,
            as_of: moment.as_of,
            awake: &|row| awake.matches(row),
            rounds: expand.rounds,
            budget: Budget::new(
                limit(expand.candidates.min(profile.graph.expand.node_budget)),
                limit(expand.edges.min(profile.graph.expand.edge_budget)),
            ),
        };
        let Surroundings {
            rows,
            names,
            passed,
            cut,
            ..
        } = spread(sources.reads, namespace, settings)?;
        if names.is_empty() && seeds.is_empty() {
            nearby.trace.depth = 0;
        }
        (
            nearby.contacts,
            nearby.names,
            nearby.trace.passed,
            nearby.trace.cut,
        ) = (rows, names, passed, cut);
        if expand.rarity {
            nearby.rarity = rarity(&nearby.contacts, sources.columns.len());
        }
        Ok(nearby)
    }

    /// One that leads to nothing.
    fn silent(profile: &Profile, decision: &Decision, entities: Vec<String>) -> Self {
        Self {
            contacts: BTreeMap::new(),
            names: BTreeMap::new(),
            relations: BTreeMap::new(),
            direct: profile.recall.expand.direct,
            rarity: BTreeMap::new(),
            trace: GraphTrace::new(decision, entities),
        }
    }

    /// The numbers of those relations that are in use.
    fn numbers(&self, names: &[String]) -> Vec<LabelId> {
        self.relations
            .iter()
            .filter(|(_, (name, _))| names.contains(name))
            .map(|(number, _)| *number)
            .collect()
    }

    /// The memories that the graph leads to.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.contacts.keys().copied()
    }

    /// Whether the graph has anything to say to this question.
    pub(crate) fn speaks(&self) -> bool {
        !self.contacts.is_empty()
    }

    /// How near a memory is, from 0 to 1: 1 / (1 + steps), times the rarity of the entity that
    /// leads to it.
    pub(crate) fn value(&self, row: Row, direct: bool) -> f32 {
        let near = self.contacts.get(&row).map_or(0.0, |contact| {
            closeness(contact.distance) * self.rarity(contact.by)
        });
        if direct { near.max(self.direct) } else { near }
    }

    /// How a memory was reached.
    pub(crate) fn nearness(&self, row: Row, direct: bool) -> Option<Nearness> {
        let begins = direct && self.direct > 0.0;
        match self.contacts.get(&row) {
            Some(contact) if !begins || contact.distance == 0 => Some(Nearness {
                distance: contact.distance,
                by: self.route(contact.by),
            }),
            _ => begins.then_some(Nearness {
                distance: 0,
                by: None,
            }),
        }
    }

    fn rarity(&self, by: Tie) -> f32 {
        match by {
            Tie::Entity(entity) => self.rarity.get(&entity).copied().unwrap_or(1.0),
            _ => 1.0,
        }
    }

    fn route(&self, by: Tie) -> Option<Route> {
        match by {
            Tie::Entity(entity) => Some(Route::Entity {
                name: self.names.get(&entity)?.clone(),
            }),
            Tie::Link {
                relation, outgoing, ..
            } => {
                let (name, class) = self.relations.get(&relation)?;
                Some(Route::Link {
                    relation: name.clone(),
                    class: *class,
                    outgoing,
                })
            }
            _ => None,
        }
    }
}

/// The value of each entity that leads to some of n memories: ln(1 + n / df) / ln(1 + n), where it
/// leads to df.
fn rarity(contacts: &BTreeMap<Row, Contact>, memories: u32) -> BTreeMap<EntityId, f32> {
    let mut frequency: BTreeMap<EntityId, u32> = BTreeMap::new();
    for contact in contacts.values() {
        if let Tie::Entity(entity) = contact.by {
            *frequency.entry(entity).or_default() += 1;
        }
    }
    #[expect(
        clippy::cast_precision_loss,
        reason = "of the sixth digit nothing depends"
    )]
    let share = |df: u32| (memories as f32 / df as f32).ln_1p() / (memories as f32).ln_1p();
    frequency
        .into_iter()
        .map(|(entity, df)| (entity, share(df)))
        .collect()
}

/// The value of a distance in steps: 1, 1/2, 1/3.
fn closeness(distance: u32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "distances are small")]
    let steps = distance as f32;
    1.0 / (1.0 + steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_many_memories_speak_counts_less() {
        let contact = |id| Contact {
            distance: 0,
            by: Tie::Entity(EntityId(id)),
        };
        let contacts: BTreeMap<Row, Contact> = (0..10)
            .map(|n| (Row(n), contact(u32::from(n > 0))))
            .collect();
        let found = rarity(&contacts, 99);
        // One of 99; nine of 99: ln 12 / ln 100.
        assert!((found[&EntityId(0)] - 1.0).abs() < 1e-6, "{found:?}");
        assert!((found[&EntityId(1)] - 0.539_59).abs() < 1e-5, "{found:?}");
    }
}
