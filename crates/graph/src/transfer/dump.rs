//! A whole graph without loss, piece by piece.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_storage::table::scan_rows;
use annals_types::{Metadata, NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::label::{self, LabelClass};
use crate::number::entity_records;
use crate::record::EntityRecord;
use crate::roster::{Member, members};
use crate::tables::{ENTITIES, EVIDENCE, LINKS, MERGES, ROWS, TRIPLES};
use crate::{
    Claim, Embedding, EntityId, GraphError, LabelId, Merge, StateChange, TripleId, embeddings,
    metadata,
};

/// Entities or memories read at a time.
const STEP: usize = 256;

/// A triple as one memory says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DumpedTriple {
    /// Its number.
    pub id: TripleId,
    /// The subject that it was born with.
    pub subject: EntityId,
    /// Its predicate.
    pub predicate: String,
    /// The object that it was born with.
    pub object: EntityId,
    /// Whether it says that it is not so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// The condition under which it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// When it was first said by any memory.
    pub born: Timestamp,
    /// When this memory first said so.
    pub said: Timestamp,
    /// The memory's claim beyond the triple.
    pub claim: Claim,
}

/// A part of a graph. Each names only what parts before it brought: entities, merges, memories,
/// then links and derivations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum DumpLine {
    /// An entity.
    Entity {
        /// Its number.
        id: EntityId,
        /// Its name.
        name: String,
        /// Its kind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// Its other names.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        aliases: Vec<String>,
        /// Free fields.
        #[serde(default, skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
        /// When it was first spoken of.
        born: Timestamp,
        /// Whether it stays without any triple.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        kept: bool,
        /// Whether its own triples are gone, and it is there for those merged into it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        hollow: bool,
        /// Its embedding.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        embedding: Option<Embedding>,
    },
    /// A merge that stands.
    Merge {
        /// The record of the merge.
        merge: Merge,
        /// The first triple that did not exist yet.
        next_triple: u32,
    },
    /// A memory, and what it says.
    Memory {
        /// Its name.
        memory: String,
        /// Every state it had.
        states: Vec<StateChange>,
        /// The triples that it says, in their order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        said: Vec<DumpedTriple>,
    },
    /// A link between memories.
    Link {
        /// The memory that it leaves.
        from: String,
        /// Its relation.
        relation: String,
        /// The memory that it reaches.
        to: String,
        /// How much it matters.
        weight: f32,
        /// When it was made.
        born: Timestamp,
        /// Free fields.
        #[serde(default, skip_serializing_if = "Metadata::is_empty")]
        metadata: Metadata,
    },
    /// The sources of a memory.
    Derivation {
        /// The memory.
        derived: String,
        /// One of its sources.
        source: String,
    },
}

/// How memories are told of.
#[derive(Clone, Copy)]
pub struct Naming<'a> {
    /// The name of a memory.
    pub name: &'a dyn Fn(Row) -> String,
    /// By what memories are put in order: something that does not change when rows are numbered
    /// anew.
    pub order: &'a dyn Fn(Row) -> (u32, u32),
}

impl std::fmt::Debug for Naming<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Naming").finish_non_exhaustive()
    }
}

/// The receiver of the parts.
pub type Sink<'a> = dyn FnMut(DumpLine) -> Result<(), GraphError> + 'a;

/// Tells a whole graph part by part, so that the same graph is told alike whatever the numbers of
/// its memories. Nothing is lost but counts, which are counted again, and the numbers of labels.
/// Takes memory for the numbers of all memories and for the merges, not for what they say.
///
/// # Errors
/// When the graph cannot be read, or what `sink` answers.
pub fn dump(
    reads: &dyn Reads,
    ns: NamespaceId,
    naming: Naming<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), GraphError> {
    let mut last = None;
    loop {
        let page = entity_records(reads, ns, last, STEP)?;
        let Some((id, _)) = page.last() else { break };
        last = Some(*id);
        entities(reads, ns, page, sink)?;
    }
    for merge in crate::merges(reads, ns)? {
        let record = MERGES.get(reads, (ns, merge.id))?;
        let next_triple = record.map_or(0, |record| record.next_triple);
        sink(DumpLine::Merge { merge, next_triple })?;
    }
    let mut rows = rows(reads, ns)?;
    rows.sort_by_cached_key(|row| (naming.order)(*row));
    for page in rows.chunks(STEP) {
        let members = members(reads, ns, page)?;
        let mut said = said(reads, ns, page, &members)?;
        for (row, member) in page.iter().zip(members) {
            let states = member
                .record
                .map(|record| record.states)
                .unwrap_or_default();
            let said = said.remove(row).unwrap_or_default();
            sink(DumpLine::Memory {
                memory: (naming.name)(*row),
                states,
                said,
            })?;
        }
    }
    for page in rows.chunks(STEP) {
        ties(reads, ns, (page, members(reads, ns, page)?), naming, sink)?;
    }
    Ok(())
}

fn entities(
    reads: &dyn Reads,
    ns: NamespaceId,
    found: Vec<(EntityId, EntityRecord)>,
    sink: &mut Sink<'_>,
) -> Result<(), GraphError> {
    let kinds = found.iter().filter(|(_, record)| record.kind > 0);
    let kinds = label::texts(
        reads,
        ns,
        kinds.map(|(_, record)| (LabelClass::Kind, LabelId(record.kind))),
    )?;
    let there: Vec<EntityId> = found.iter().map(|(id, _)| *id).collect();
    for ((id, record), embedding) in found.into_iter().zip(embeddings(reads, ns, &there)?) {
        let wrong = |reason| ENTITIES.damaged((ns, id), reason);
        sink(DumpLine::Entity {
            id,
            name: record.name,
            kind: kinds
                .get(&(LabelClass::Kind, LabelId(record.kind)))
                .cloned(),
            aliases: record.aliases,
            metadata: metadata::from_json(record.metadata.as_deref()).map_err(wrong)?,
            born: record.born,
            kept: record.kept,
            hollow: record.hollow,
            embedding,
        })?;
    }
    Ok(())
}

/// Every memory that the graph knows, rising.
fn rows(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<Row>, GraphError> {
    let mut rows = Vec::new();
    scan_rows(reads, &[ROWS.within(ns).into()], |_, row| {
        rows.extend(ROWS.parse(row.key).map(|(_, row)| row));
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    Ok(rows)
}

/// The triples of some memories, each in its order.
fn said(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
    members: &[Member],
) -> Result<BTreeMap<Row, Vec<DumpedTriple>>, GraphError> {
    let pairs: Vec<(Row, TripleId)> = rows
        .iter()
        .zip(members)
        .flat_map(|(row, member)| member.supports.iter().map(move |id| (*row, *id)))
        .collect();
    let records = TRIPLES.get_many(reads, pairs.iter().map(|(_, id)| (ns, *id)))?;
    let evidence = EVIDENCE.get_many(reads, pairs.iter().map(|(row, id)| (ns, *id, *row)))?;
    let labels = records.iter().flatten().flat_map(|record| {
        let condition = record
            .qualifier
            .condition()
            .map(|label| (LabelClass::Condition, label));
        std::iter::once((LabelClass::Predicate, record.predicate)).chain(condition)
    });
    let texts = label::texts(reads, ns, labels)?;
    let text = |class, label| texts.get(&(class, label)).cloned().unwrap_or_default();
    let mut said: BTreeMap<Row, Vec<DumpedTriple>> = BTreeMap::new();
    for ((row, id), (record, evidence)) in pairs.iter().zip(records.into_iter().zip(evidence)) {
        let place = (ns, *id, *row);
        let missing = || EVIDENCE.damaged(place, "a triple or its evidence is missing");
        let (record, evidence) = (record.ok_or_else(missing)?, evidence.ok_or_else(missing)?);
        said.entry(*row).or_default().push(DumpedTriple {
            id: *id,
            subject: record.subject,
            predicate: text(LabelClass::Predicate, record.predicate),
            object: record.object,
            negated: record.qualifier.negated(),
            condition: record
                .qualifier
                .condition()
                .map(|label| text(LabelClass::Condition, label)),
            born: record.born,
            said: evidence.born,
            claim: Claim::from_record(evidence)
                .map_err(|reason| EVIDENCE.damaged(place, reason))?,
        });
    }
    Ok(said)
}

/// The links that leave some memories, and what the memories were derived from.
fn ties(
    reads: &dyn Reads,
    ns: NamespaceId,
    (rows, members): (&[Row], Vec<Member>),
    Naming { name, order }: Naming<'_>,
    sink: &mut Sink<'_>,
) -> Result<(), GraphError> {
    let leaving = members
        .iter()
        .flat_map(|member| &member.links)
        .filter(|(end, _)| end.leaves);
    let relations = label::texts(
        reads,
        ns,
        leaving.map(|(end, _)| (LabelClass::Relation, end.relation)),
    )?;
    for (row, mut member) in rows.iter().zip(members) {
        member.links.retain(|(end, _)| end.leaves);
        member.links.sort_by_cached_key(|(end, _)| {
            (
                relations
                    .get(&(LabelClass::Relation, end.relation))
                    .cloned(),
                order(end.other),
            )
        });
        member.sources.sort_by_cached_key(|source| order(*source));
        for (end, record) in member.links {
            let wrong = |reason| LINKS.damaged(end.key(ns), reason);
            sink(DumpLine::Link {
                from: name(end.row),
                relation: relations
                    .get(&(LabelClass::Relation, end.relation))
                    .cloned()
                    .unwrap_or_default(),
                to: name(end.other),
                weight: record.weight,
                born: record.born,
                metadata: metadata::from_json(record.metadata.as_deref()).map_err(wrong)?,
            })?;
        }
        for source in member.sources {
            sink(DumpLine::Derivation {
                derived: name(*row),
                source: name(source),
            })?;
        }
    }
    Ok(())
}

impl DumpLine {
    /// The names of the memories that it mentions.
    pub fn memories(&self) -> impl Iterator<Item = &str> {
        let (one, other) = match self {
            Self::Memory { memory, .. } => (Some(memory), None),
            Self::Link { from, to, .. } => (Some(from), Some(to)),
            Self::Derivation { derived, source } => (Some(derived), Some(source)),
            Self::Entity { .. } | Self::Merge { .. } => (None, None),
        };
        one.into_iter().chain(other).map(String::as_str)
    }
}
