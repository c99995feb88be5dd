//! A graph made of lines.

use std::collections::BTreeSet;

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row, UnitScore};

use super::{DumpLine, DumpedEvidence};
use crate::id::Qualifier;
use crate::key::{self, ABSORBED};
use crate::keyspaces::{MERGES, NAMES, NODES, ROWS, TRIPLES, VECTORS};
use crate::label::{LabelClass, Labels};
use crate::ledger::{Ledger, Slot};
use crate::record::{EntityRecord, LinkRecord, MergeRecord, Redirect, TripleRecord};
use crate::roster::{LinkEnd, Roster};
use crate::value::Mark;
use crate::{EntityId, GraphError, GraphStats, NewEntity, TripleId, metadata, stats};

/// Makes a graph of lines that [`dump`](crate::dump) wrote, with the same numbers of entities, triples and merges. Memories are those that
/// `row` finds by what they are called.
///
/// # Errors
/// [`GraphError::NotEmpty`] when there is a graph already; [`GraphError::NoMemory`], [`GraphError::NoEntity`], [`GraphError::NoTriple`] for what
/// lines name and do not hold; [`GraphError::NoSupporter`] for a triple that no memory says; [`GraphError::Invalid`]. Nothing is stored then.
pub fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lines: &[DumpLine],
    row: &dyn Fn(&str) -> Option<Row>,
) -> Result<(), GraphError> {
    if stats(txn, ns)? != GraphStats::default() {
        return Err(GraphError::NotEmpty { namespace: ns });
    }
    let commit = txn.commit();
    let mut ledger = Ledger::open(txn, ns)?;
    let labels = Labels::resolve(&mut ledger, lines.iter().flat_map(labels))?;
    let find = |name: &str| row(name).ok_or_else(|| GraphError::no_memory(name));
    let mut restorer =
        Restorer { ledger: &mut ledger, labels, roster: Roster::default(), said: BTreeSet::new(), find: &find };
    for line in lines {
        restorer.line(line, commit)?;
    }
    let Restorer { roster, said, .. } = restorer;
    if let Some((triple, _)) = said.first() {
        return Err(GraphError::NoTriple { triple: *triple });
    }
    roster.finish(&mut ledger)?;
    ledger.settle()?;
    let idle: BTreeSet<EntityId> = ledger.entities.keys().copied().collect();
    ledger.retire(idle)?;
    ledger.finish()?.write(txn)
}

/// The labels that a line uses.
fn labels(line: &DumpLine) -> Vec<(LabelClass, &str)> {
    match line {
        DumpLine::Entity { kind, .. } => kind.iter().map(|kind| (LabelClass::Kind, kind.as_str())).collect(),
        DumpLine::Triple { predicate, condition, .. } => {
            let condition = condition.iter().map(|condition| (LabelClass::Condition, condition.as_str()));
            std::iter::once((LabelClass::Predicate, predicate.as_str())).chain(condition).collect()
        }
        DumpLine::Link { relation, .. } => vec![(LabelClass::Relation, relation.as_str())],
        DumpLine::Merge { .. } | DumpLine::Memory { .. } | DumpLine::Derivation { .. } => Vec::new(),
    }
}

struct Restorer<'l, 'r, 'f> {
    ledger: &'l mut Ledger<'r>,
    labels: Labels,
    roster: Roster,
    /// What memories say, as far as no triple has told it.
    said: BTreeSet<(TripleId, Row)>,
    find: &'f dyn Fn(&str) -> Result<Row, GraphError>,
}

impl Restorer<'_, '_, '_> {
    fn line(&mut self, line: &DumpLine, commit: annals_types::Commit) -> Result<(), GraphError> {
        let ns = self.ledger.ns;
        match line {
            DumpLine::Entity { id, .. } => self.entity(*id, line),
            DumpLine::Merge { merge, next_triple } => {
                let (source, target, time) = (merge.source, merge.target, merge.time);
                let redirect = Redirect { into: target, merge: merge.id };
                if self.known(source)?.redirect.replace(redirect).is_some() {
                    return Err(GraphError::SameEntity { entity: source });
                }
                self.known(target)?.absorbed += 1;
                // A circle would never end.
                self.ledger.root(source, true)?;
                let (similarity, reason, next_triple) = (merge.similarity, merge.reason.clone(), *next_triple);
                let record = MergeRecord { source, target, commit, time, similarity, reason, next_triple };
                self.ledger.put(MERGES, key::merge(ns, merge.id).bytes(), &record)?;
                self.ledger.put(NODES, key::entity(ns, target).byte(ABSORBED).number(source.0).bytes(), &Mark)?;
                let next = merge.id.0.checked_add(1).ok_or_else(|| self.ledger.full("merges"))?;
                self.ledger.head.next_merge = self.ledger.head.next_merge.max(next);
                self.ledger.head.merges += 1;
                Ok(())
            }
            DumpLine::Memory { memory, states, said } => {
                let row = (self.find)(memory)?;
                self.roster.introduce(row, states.clone());
                self.roster.supports_mut(row).extend(said);
                self.said.extend(said.iter().map(|triple| (*triple, row)));
                Ok(())
            }
            DumpLine::Triple { id, evidence, .. } => self.triple(*id, line, evidence),
            DumpLine::Link { from, relation, to, weight, born, metadata: fields } => {
                let (row, other) = (self.member(from)?, self.member(to)?);
                if row == other {
                    return Err(GraphError::SelfTie { row });
                }
                let relation = self.labels.number(LabelClass::Relation, relation);
                let end = LinkEnd { row, leaves: true, relation, other };
                let weight = UnitScore::new("weight", *weight)?.get();
                let record = LinkRecord { weight, born: *born, metadata: metadata::to_json(fields)? };
                self.ledger.link(end, record).map(drop)
            }
            DumpLine::Derivation { derived, source } => {
                let (derived, source) = (self.member(derived)?, self.member(source)?);
                self.ledger.put(ROWS, key::row(ns, derived).byte(key::SOURCE).number(source.0).bytes(), &Mark)?;
                self.ledger.put(ROWS, key::row(ns, source).byte(key::DERIVED).number(derived.0).bytes(), &Mark)
            }
        }
    }

    /// A memory that an earlier line made known.
    fn member(&self, name: &str) -> Result<Row, GraphError> {
        let row = (self.find)(name)?;
        self.roster.record(row).map(|_| row).ok_or(GraphError::NoRow { row })
    }

    /// An entity that an earlier line made.
    fn known(&mut self, id: EntityId) -> Result<&mut EntityRecord, GraphError> {
        self.ledger.entity(id).map_err(|_| GraphError::NoEntity { entity: id })
    }

    fn entity(&mut self, id: EntityId, line: &DumpLine) -> Result<(), GraphError> {
        let DumpLine::Entity { name, kind, aliases, metadata: fields, born, kept, embedding, .. } = line else {
            return Ok(());
        };
        aliases.iter().fold(NewEntity::new(name), |new, alias| new.alias(alias)).check()?;
        let record = EntityRecord {
            name: name.clone(),
            kind: kind.as_ref().map_or(0, |kind| self.labels.number(LabelClass::Kind, kind).0),
            aliases: aliases.clone(),
            metadata: metadata::to_json(fields)?,
            born: *born,
            kept: *kept,
            hollow: false,
            redirect: None,
            own: 0,
            edges: 0,
            visible: 0,
            absorbed: 0,
        };
        for key in record.name_keys(self.ledger.ns, id) {
            self.ledger.put(NAMES, key, &Mark)?;
        }
        if let Some(embedding) = embedding {
            embedding.check()?;
            self.ledger.put(VECTORS, key::entity(self.ledger.ns, id).bytes(), embedding)?;
        }
        let next = id.0.checked_add(1).ok_or_else(|| self.ledger.full("entities"))?;
        self.ledger.head.next_entity = self.ledger.head.next_entity.max(next);
        self.ledger.head.entities += 1;
        match self.ledger.entities.insert(id, Slot { before: None, after: Some(record) }) {
            None => Ok(()),
            Some(_) => Err(GraphError::SameEntity { entity: id }),
        }
    }

    fn triple(&mut self, id: TripleId, line: &DumpLine, evidence: &[DumpedEvidence]) -> Result<(), GraphError> {
        let DumpLine::Triple { subject, predicate, object, negated, condition, born, .. } = line else {
            return Ok(());
        };
        self.known(*subject)?;
        self.known(*object)?;
        let condition = condition.as_ref().map(|text| self.labels.number(LabelClass::Condition, text));
        let mut record = TripleRecord {
            subject: *subject,
            predicate: self.labels.number(LabelClass::Predicate, predicate),
            object: *object,
            qualifier: Qualifier::new(*negated, condition).ok_or_else(|| self.ledger.full("labels"))?,
            born: *born,
            evidence: 0,
            supported: 0,
        };
        for said in evidence {
            let row = self.member(&said.memory)?;
            if !self.said.remove(&(id, row)) {
                return Err(GraphError::NoTriple { triple: id });
            }
            record.evidence += 1;
            record.supported += u32::from(self.roster.record(row).is_some_and(|row| row.state().supports()));
            self.ledger.head.evidence += 1;
            self.ledger.put(TRIPLES, key::evidence(self.ledger.ns, id, row).bytes(), &said.claim.record(said.born)?)?;
        }
        if record.evidence == 0 {
            return Err(GraphError::NoSupporter);
        }
        let next = id.0.checked_add(1).ok_or_else(|| self.ledger.full("triples"))?;
        self.ledger.head.next_triple = self.ledger.head.next_triple.max(next);
        self.ledger.triples.insert(id, Slot { before: None, after: Some(record) });
        Ok(())
    }
}
