//! Triples in words, with who says them.

use std::collections::BTreeMap;

use annals_storage::Reads;
use annals_types::{NamespaceId, Row, Timestamp};
use serde::{Deserialize, Serialize};

use crate::assertion::Claim;
use crate::label::{self, LabelClass};
use crate::ledger::Ledger;
use crate::query::{View, Witnesses, fan};
use crate::record::{EvidenceRecord, TripleRecord};
use crate::tables::{EDGES, EVIDENCE, Edge, Side, TRIPLES};
use crate::{EntityId, GraphError, Support, Triple, TripleId, Wording, entities, survivors};

/// One memory's claim on a triple, and whether it counts now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The triple that it was said of: the one asked for, or another one that merges made say the
    /// same.
    pub triple: TripleId,
    /// The memory.
    pub row: Row,
    /// Its state.
    pub state: Support,
    /// Whether it supports the triple now.
    pub supports: bool,
    /// When it first said so.
    pub born: Timestamp,
    /// Its claim beyond the triple.
    pub claim: Claim,
}

/// A triple in words, with all its evidence, that of triples included which merges made say the
/// same. Numbers are put together from the memories that support it now, or from all of them when
/// it sleeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// Its number.
    pub id: TripleId,
    /// The name of its subject, after all merges.
    pub subject: String,
    /// Its predicate.
    pub predicate: String,
    /// The name of its object, after all merges.
    pub object: String,
    /// The subject that it was born with.
    pub subject_id: EntityId,
    /// The object that it was born with.
    pub object_id: EntityId,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// The condition under which it holds.
    pub condition: Option<String>,
    /// When it was first said.
    pub born: Timestamp,
    /// Whether some memory supports it now.
    pub visible: bool,
    /// The greatest importance that a memory gives it.
    pub importance: f32,
    /// The greatest confidence of a memory.
    pub confidence: f32,
    /// The degree in the claim of the memory that spoke of one last.
    pub degree: Option<String>,
    /// The earliest beginning; `None` when a memory names none.
    pub valid_from: Option<Timestamp>,
    /// The latest end; `None` when a memory names none.
    pub valid_until: Option<Timestamp>,
    /// The memories that say so, in the order of their rows.
    pub evidence: Vec<Evidence>,
}

/// A triple in words, with who says so; `None` when there is none. Six rounds of reads at most,
/// and one more for each step of merges.
///
/// # Errors
/// When it cannot be read.
pub fn explain(
    reads: &dyn Reads,
    ns: NamespaceId,
    id: TripleId,
) -> Result<Option<Explained>, GraphError> {
    let Some(record) = TRIPLES.get(reads, (ns, id))? else {
        return Ok(None);
    };
    let ends = survivors(reads, ns, &[record.subject, record.object])?;
    let ends: Vec<EntityId> = ends.into_iter().flatten().collect();
    let mut names = entities(reads, ns, &ends)?
        .into_iter()
        .flatten()
        .map(|entity| entity.name);
    let missing = || TRIPLES.damaged((ns, id), "an end of the triple is missing");
    let (subject, object) = (
        names.next().ok_or_else(missing)?,
        names.next().ok_or_else(missing)?,
    );
    let predicate = (LabelClass::Predicate, record.predicate);
    let condition = record
        .qualifier
        .condition()
        .map(|label| (LabelClass::Condition, label));
    let mut texts = label::texts(reads, ns, std::iter::once(predicate).chain(condition))?;
    let group = same(reads, ns, &record, &ends, id)?;
    let mut evidence = Vec::new();
    let mut witnesses = Witnesses::load(reads, ns, &group)?;
    for (triple, list) in group.iter().zip(std::mem::take(&mut witnesses.evidence)) {
        for (row, said) in list {
            let supports = witnesses.counts(&View::NOW, row, &said);
            let state = witnesses
                .rows
                .get(&row)
                .map_or(Support::Forgotten, |record| record.state());
            let born = said.born;
            let wrong = |reason| EVIDENCE.damaged((ns, *triple, row), reason);
            let claim = Claim::from_record(said).map_err(wrong)?;
            evidence.push(Evidence {
                triple: *triple,
                row,
                state,
                supports,
                born,
                claim,
            });
        }
    }
    evidence.sort_by_key(|said| (said.row, said.triple));
    let visible = evidence.iter().any(|said| said.supports);
    let told: Vec<&Evidence> = evidence
        .iter()
        .filter(|said| said.supports || !visible)
        .collect();
    let sum = Sum::of(told.iter().map(|said| &said.claim));
    let degree = degree(
        told.iter()
            .map(|said| (said.born, said.claim.degree.as_ref())),
    );
    Ok(Some(Explained {
        id,
        subject,
        predicate: texts.remove(&predicate).unwrap_or_default(),
        object,
        subject_id: record.subject,
        object_id: record.object,
        negated: record.qualifier.negated(),
        condition: condition.and_then(|label| texts.remove(&label)),
        born: record.born,
        visible,
        importance: sum.importance,
        confidence: sum.confidence,
        degree,
        valid_from: sum.valid_from,
        valid_until: sum.valid_until,
        evidence,
    }))
}

/// The triples that say the same as one, itself among them.
fn same(
    reads: &dyn Reads,
    ns: NamespaceId,
    record: &TripleRecord,
    ends: &[EntityId],
    id: TripleId,
) -> Result<Vec<TripleId>, GraphError> {
    let [entity, other] = ends else {
        return Ok(vec![id]);
    };
    let edge = Edge {
        entity: *entity,
        side: Side::Out,
        predicate: record.predicate,
        other: *other,
        qualifier: record.qualifier,
        triple: id,
    };
    let (groups, _) = fan::groups(
        reads,
        &[EDGES.within(edge.group(ns)).into()],
        usize::MAX,
        usize::MAX,
    )?;
    let mut ids: Vec<TripleId> = groups
        .into_iter()
        .flat_map(|(_, group)| group.triples)
        .map(|(id, _)| id)
        .collect();
    // A triple that merges would turn into a loop is in no group.
    if !ids.contains(&id) {
        ids.push(id);
    }
    Ok(ids)
}

/// The degree in the last of some claims that have one, by their rows.
pub(crate) fn degree<'a>(
    told: impl Iterator<Item = (Timestamp, Option<&'a String>)>,
) -> Option<String> {
    let spoken = told.filter_map(|(born, degree)| Some((born, degree?)));
    spoken
        .max_by_key(|(born, _)| *born)
        .map(|(_, degree)| degree.clone())
}

/// The degree of each of some triples, as the memories tell it that count in a view, or all where
/// none does. Two rounds of reads.
///
/// # Errors
/// When they cannot be read.
pub fn degrees(
    reads: &dyn Reads,
    ns: NamespaceId,
    triples: &[Triple],
    view: &View,
) -> Result<Vec<Option<String>>, GraphError> {
    let ids: Vec<TripleId> = triples.iter().flat_map(Triple::ids).collect();
    let witnesses = Witnesses::load(reads, ns, &ids)?;
    let mut told: BTreeMap<TripleId, &Vec<(Row, EvidenceRecord)>> =
        ids.into_iter().zip(&witnesses.evidence).collect();
    let of = |triple: &Triple| {
        let mut said: Vec<&(Row, EvidenceRecord)> = triple
            .ids()
            .filter_map(|id| told.remove(&id))
            .flatten()
            .collect();
        if said
            .iter()
            .any(|(row, record)| witnesses.counts(view, *row, record))
        {
            said.retain(|(row, record)| witnesses.counts(view, *row, record));
        }
        said.sort_by_key(|(row, _)| *row);
        degree(
            said.iter()
                .map(|(_, record)| (record.born, record.degree.as_ref())),
        )
    };
    Ok(triples.iter().map(of).collect())
}

/// Numbers of several memories put together.
#[derive(Debug, Default)]
struct Sum {
    importance: f32,
    confidence: f32,
    valid_from: Option<Timestamp>,
    valid_until: Option<Timestamp>,
}

impl Sum {
    fn of<'a>(claims: impl Iterator<Item = &'a Claim>) -> Self {
        let mut sum = Self::default();
        let mut first = true;
        for claim in claims {
            sum.importance = sum.importance.max(claim.importance.get());
            sum.confidence = sum.confidence.max(claim.confidence.get());
            // An open end is open, whatever others say.
            sum.valid_from = if first {
                claim.valid_from
            } else {
                sum.valid_from.zip(claim.valid_from).map(|(a, b)| a.min(b))
            };
            sum.valid_until = if first {
                claim.valid_until
            } else {
                sum.valid_until
                    .zip(claim.valid_until)
                    .map(|(a, b)| a.max(b))
            };
            first = false;
        }
        sum
    }
}

/// A triple in words, for reports and prompts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The name of its subject.
    pub subject: String,
    /// Its predicate.
    pub predicate: String,
    /// The name of its object.
    pub object: String,
    /// Whether it says that it is not so.
    pub negated: bool,
    /// How much, or how often.
    pub degree: Option<String>,
    /// The condition under which it holds.
    pub condition: Option<String>,
}

impl Statement {
    /// The words between its ends.
    #[must_use]
    pub fn wording(&self) -> Wording<'_> {
        Wording {
            predicate: &self.predicate,
            negated: self.negated,
            degree: self.degree.as_deref(),
            condition: self.condition.as_deref(),
        }
    }
}

/// Some triples in words, each with its degree, as [`degrees`] answers it, in the order given.
/// Three rounds of reads.
///
/// # Errors
/// When they cannot be read, or an entity is not there any more.
pub fn statements(
    reads: &dyn Reads,
    ns: NamespaceId,
    triples: &[Triple],
    degrees: Vec<Option<String>>,
) -> Result<Vec<Statement>, GraphError> {
    let mut ids: Vec<EntityId> = triples
        .iter()
        .flat_map(|triple| [triple.subject, triple.object])
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let found = entities(reads, ns, &ids)?;
    let names: BTreeMap<EntityId, String> = found
        .into_iter()
        .flatten()
        .map(|entity| (entity.id, entity.name))
        .collect();
    let wanted = triples.iter().flat_map(|triple| {
        let condition = triple.condition.map(|label| (LabelClass::Condition, label));
        std::iter::once((LabelClass::Predicate, triple.predicate)).chain(condition)
    });
    let texts = label::texts(reads, ns, wanted)?;
    let text = |class, label| texts.get(&(class, label)).cloned().unwrap_or_default();
    let name = |id: EntityId| {
        names
            .get(&id)
            .cloned()
            .ok_or(GraphError::NoEntity { entity: id })
    };
    triples
        .iter()
        .zip(degrees)
        .map(|(triple, degree)| {
            Ok(Statement {
                subject: name(triple.subject)?,
                predicate: text(LabelClass::Predicate, triple.predicate),
                object: name(triple.object)?,
                negated: triple.negated,
                degree,
                condition: triple
                    .condition
                    .map(|label| text(LabelClass::Condition, label)),
            })
        })
        .collect()
}

/// Some triples by their numbers, in the order asked, each by itself; `None` for numbers not in
/// use. Two rounds of reads, and one more for each step of merges.
///
/// # Errors
/// When they cannot be read.
pub fn triples(
    reads: &dyn Reads,
    ns: NamespaceId,
    ids: &[TripleId],
) -> Result<Vec<Option<Triple>>, GraphError> {
    let mut ledger = Ledger::reader(reads, ns);
    ledger.load_triples(ids.iter().copied())?;
    let records: Vec<Option<TripleRecord>> = ids
        .iter()
        .map(|id| ledger.triples.get(id).and_then(|slot| slot.after))
        .collect();
    ledger.load_entities(
        records
            .iter()
            .flatten()
            .flat_map(|record| [record.subject, record.object]),
    )?;
    let triple = |(id, record): (&TripleId, Option<TripleRecord>)| {
        let Some(record) = record else {
            return Ok(None);
        };
        let ends = (
            ledger.root(record.subject, true)?,
            ledger.root(record.object, true)?,
        );
        Ok(Some(Triple::new(
            *id,
            ends,
            record.predicate,
            record.qualifier,
            record.supported > 0,
        )))
    };
    ids.iter().zip(records).map(triple).collect()
}
