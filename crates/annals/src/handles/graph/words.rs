//! Triples and entities in words.

use std::collections::BTreeMap;

use annals_graph as graph;
use annals_storage::Reads;
use annals_types::NamespaceId;

use crate::graph::{Entity, EntityId, EntityRef, Triple, View};
use crate::{Error, ReceiptWords};

/// Triples in words, as a view sees them, in the order given.
pub(in crate::handles) fn triples(
    reads: &dyn Reads,
    ns: NamespaceId,
    found: Vec<graph::Triple>,
    view: &View,
) -> Result<Vec<Triple>, Error> {
    let degrees = graph::degrees(reads, ns, &found, view)?;
    let words = graph::statements(reads, ns, &found, degrees)?;
    let triple = |(triple, words): (graph::Triple, graph::Statement)| Triple {
        id: triple.id,
        same: triple.same,
        subject: words.subject,
        predicate: words.predicate,
        object: words.object,
        subject_id: triple.subject,
        object_id: triple.object,
        negated: words.negated,
        condition: words.condition,
        degree: words.degree,
        visible: triple.visible,
    };
    Ok(found.into_iter().zip(words).map(triple).collect())
}

/// What goes and what falls asleep.
pub(in crate::handles) fn leaving(
    reads: &dyn Reads,
    ns: NamespaceId,
    effects: &graph::Effects,
) -> Result<ReceiptWords, Error> {
    let said = |ids: &[graph::TripleId]| {
        let found = graph::triples(reads, ns, ids)?
            .into_iter()
            .flatten()
            .collect();
        triples(reads, ns, found, &View::NOW)
    };
    let named = entities(reads, ns, effects.gone_entities.iter().copied())?;
    Ok(ReceiptWords {
        gone_triples: said(&effects.gone)?,
        asleep_triples: said(&effects.slept)?,
        gone_entities: named
            .into_values()
            .map(|entity| (entity.id, entity.name))
            .collect(),
    })
}

/// Some entities that are there, by their numbers.
pub(super) fn entities(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: impl IntoIterator<Item = EntityId>,
) -> Result<BTreeMap<EntityId, Entity>, Error> {
    let ids: Vec<EntityId> = ids.into_iter().collect();
    Ok(graph::entities(reads, ns, &ids)?
        .into_iter()
        .flatten()
        .map(|entity| (entity.id, entity))
        .collect())
}

/// The entities that are meant, after all merges, by their numbers; none for a name that nothing
/// has.
pub(super) fn meant(
    reads: &dyn Reads,
    ns: NamespaceId,
    which: &EntityRef,
) -> Result<Vec<EntityId>, Error> {
    match which {
        EntityRef::Id(id) => {
            let found = graph::survivors(reads, ns, &[*id])?.pop().flatten();
            Ok(vec![
                found.ok_or(graph::GraphError::NoEntity { entity: *id })?,
            ])
        }
        EntityRef::Name(name) => Ok(graph::find_entities(reads, ns, name)?
            .into_iter()
            .map(|e| e.id)
            .collect()),
    }
}
