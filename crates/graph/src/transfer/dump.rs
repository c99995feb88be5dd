//! A whole graph without loss.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads};
use annals_types::{Metadata, NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::key::Parts;
use crate::keyspaces::{MERGES, NODES, ROWS, TRIPLES, VECTORS};
use crate::label::{self, LabelClass};
use crate::record::{EntityRecord, EvidenceRecord, LinkRecord, MergeRecord, RowRecord, Supports, TripleRecord};
use crate::roster::LinkEnd;
use crate::value::{self, Value};
use crate::{Claim, Embedding, EntityId, GraphError, LabelId, Merge, MergeId, StateChange, TripleId, metadata};

/// What one memory says about a triple.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DumpedEvidence {
    /// The memory, as it was called.
    pub memory: String,
    /// When it first said so.
    pub born: Timestamp,
    /// What it says beyond the triple.
    pub claim: Claim,
}

/// A part of a graph. Parts come in the order of the variants, and are read in that order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DumpLine {
    /// An entity.
    Entity {
        /// Its number.
        id: EntityId,
        /// Its name.
        name: String,
        /// What it is.
        kind: Option<String>,
        /// Its other names.
        aliases: Vec<String>,
        /// Free fields.
        metadata: Metadata,
        /// When it was first spoken of.
        born: Timestamp,
        /// Whether it stays without any triple.
        kept: bool,
        /// Its embedding.
        embedding: Option<Embedding>,
    },
    /// A merge that stands.
    Merge {
        /// What is recorded of it.
        merge: Merge,
        /// The first triple that did not exist yet.
        next_triple: u32,
    },
    /// A memory.
    Memory {
        /// What it is called.
        memory: String,
        /// Every state it had.
        states: Vec<StateChange>,
        /// The triples that it says, in their order.
        said: Vec<TripleId>,
    },
    /// A triple.
    Triple {
        /// Its number.
        id: TripleId,
        /// The subject that it was born with.
        subject: EntityId,
        /// Its predicate.
        predicate: String,
        /// The object that it was born with.
        object: EntityId,
        /// Whether it says that it is not so.
        negated: bool,
        /// The condition under which it holds.
        condition: Option<String>,
        /// When it was first said.
        born: Timestamp,
        /// Who says so.
        evidence: Vec<DumpedEvidence>,
    },
    /// A link between memories.
    Link {
        /// The memory that it leaves.
        from: String,
        /// What it says.
        relation: String,
        /// The memory that it reaches.
        to: String,
        /// How much it matters.
        weight: f32,
        /// When it was made.
        born: Timestamp,
        /// Free fields.
        metadata: Metadata,
    },
    /// What a memory was derived from.
    Derivation {
        /// The memory.
        derived: String,
        /// One of its sources.
        source: String,
    },
}

/// Everything in a keyspace whose keys behind the namespace are one number.
fn numbered<V: Value>(reads: &dyn Reads, ns: NamespaceId, keyspace: Keyspace) -> Result<BTreeMap<u32, V>, GraphError> {
    let mut all = BTreeMap::new();
    value::scan(reads, &[KeyRange::prefix(keyspace, &ns.prefix())], &mut |_, key, version, body| {
        let mut parts = Parts::behind_namespace(key);
        if let (Some(number), true) = (parts.number(), parts.ended()) {
            all.insert(number, value::decode(keyspace, key, version, body)?);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(all)
}

/// A whole graph as lines, memories as `name` calls them. Nothing is lost but counts, which are counted again, and the numbers of labels.
/// Takes memory for the whole graph.
///
/// # Errors
/// When the graph cannot be read.
pub fn dump(reads: &dyn Reads, ns: NamespaceId, name: &dyn Fn(Row) -> String) -> Result<Vec<DumpLine>, GraphError> {
    let mut lines = Vec::new();
    entities(reads, ns, &mut lines)?;
    let merges: BTreeMap<u32, MergeRecord> = numbered(reads, ns, MERGES)?;
    lines.extend(merges.into_iter().map(|(id, record)| {
        let next_triple = record.next_triple;
        DumpLine::Merge { merge: record.merge(MergeId(id)), next_triple }
    }));
    let mut ties = Vec::new();
    memories(reads, ns, name, &mut lines, &mut ties)?;
    triples(reads, ns, name, &mut lines)?;
    lines.append(&mut ties);
    Ok(lines)
}

fn entities(reads: &dyn Reads, ns: NamespaceId, lines: &mut Vec<DumpLine>) -> Result<(), GraphError> {
    let records: BTreeMap<u32, EntityRecord> = numbered(reads, ns, NODES)?;
    let mut embeddings: BTreeMap<u32, Embedding> = numbered(reads, ns, VECTORS)?;
    let kinds =
        records.values().filter(|record| record.kind > 0).map(|record| (LabelClass::Kind, LabelId(record.kind)));
    let kinds = label::texts(reads, ns, kinds)?;
    for (id, record) in records {
        let wrong = |reason| GraphError::damaged(NODES, &crate::key::entity(ns, EntityId(id)).bytes(), reason);
        lines.push(DumpLine::Entity {
            id: EntityId(id),
            name: record.name,
            kind: kinds.get(&(LabelClass::Kind, LabelId(record.kind))).cloned(),
            aliases: record.aliases,
            metadata: metadata::from_json(record.metadata.as_deref()).map_err(wrong)?,
            born: record.born,
            kept: record.kept,
            embedding: embeddings.remove(&id),
        });
    }
    Ok(())
}

fn memories(
    reads: &dyn Reads,
    ns: NamespaceId,
    name: &dyn Fn(Row) -> String,
    lines: &mut Vec<DumpLine>,
    ties: &mut Vec<DumpLine>,
) -> Result<(), GraphError> {
    let mut rows: BTreeMap<Row, (Vec<StateChange>, Vec<TripleId>)> = BTreeMap::new();
    let (mut links, mut derivations) = (Vec::new(), Vec::new());
    value::scan(reads, &[KeyRange::prefix(ROWS, &ns.prefix())], &mut |_, key, version, body| {
        let mut parts = Parts::behind_namespace(key);
        let row = Row(parts.number().ok_or_else(|| GraphError::damaged(ROWS, key, "the key is short"))?);
        match (parts.byte(), parts.number()) {
            (None, _) => {
                rows.entry(row).or_default().0 = value::decode::<RowRecord>(ROWS, key, version, body)?.states;
            }
            (Some(crate::key::SUPPORTS), _) => {
                rows.entry(row).or_default().1 = value::decode::<Supports>(ROWS, key, version, body)?.0;
            }
            (Some(crate::key::LINK_OUT), _) => {
                let record: LinkRecord = value::decode(ROWS, key, version, body)?;
                links.extend(LinkEnd::parse(key).map(|end| (end, record)));
            }
            (Some(crate::key::SOURCE), Some(source)) => derivations.push((row, Row(source))),
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let memory = |(row, (states, said))| DumpLine::Memory { memory: name(row), states, said };
    lines.extend(rows.into_iter().map(memory));
    let relations = label::texts(reads, ns, links.iter().map(|(end, _)| (LabelClass::Relation, end.relation)))?;
    for (end, record) in links {
        let wrong = |reason| GraphError::damaged(ROWS, &end.key(ns), reason);
        ties.push(DumpLine::Link {
            from: name(end.row),
            relation: relations.get(&(LabelClass::Relation, end.relation)).cloned().unwrap_or_default(),
            to: name(end.other),
            weight: record.weight,
            born: record.born,
            metadata: metadata::from_json(record.metadata.as_deref()).map_err(wrong)?,
        });
    }
    let derived = |(derived, source)| DumpLine::Derivation { derived: name(derived), source: name(source) };
    ties.extend(derivations.into_iter().map(derived));
    Ok(())
}

fn triples(
    reads: &dyn Reads,
    ns: NamespaceId,
    name: &dyn Fn(Row) -> String,
    lines: &mut Vec<DumpLine>,
) -> Result<(), GraphError> {
    let records: BTreeMap<u32, TripleRecord> = numbered(reads, ns, TRIPLES)?;
    let ids: Vec<TripleId> = records.keys().copied().map(TripleId).collect();
    let labels = records.values().flat_map(|record| {
        let condition = record.qualifier.condition().map(|label| (LabelClass::Condition, label));
        std::iter::once((LabelClass::Predicate, record.predicate)).chain(condition)
    });
    let texts = label::texts(reads, ns, labels)?;
    for ((id, record), said) in records.into_iter().zip(crate::query::evidence(reads, ns, &ids)?) {
        let claimed = |(row, record): (Row, EvidenceRecord)| {
            let place = crate::key::evidence(ns, TripleId(id), row).bytes();
            let born = record.born;
            let claim = Claim::from_record(record).map_err(|reason| GraphError::damaged(TRIPLES, &place, reason))?;
            Ok(DumpedEvidence { memory: name(row), born, claim })
        };
        let text = |class, label| texts.get(&(class, label)).cloned().unwrap_or_default();
        lines.push(DumpLine::Triple {
            id: TripleId(id),
            subject: record.subject,
            predicate: text(LabelClass::Predicate, record.predicate),
            object: record.object,
            negated: record.qualifier.negated(),
            condition: record.qualifier.condition().map(|label| text(LabelClass::Condition, label)),
            born: record.born,
            evidence: said.into_iter().map(claimed).collect::<Result<_, GraphError>>()?,
        });
    }
    Ok(())
}
