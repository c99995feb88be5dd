//! A graph made of lines, as many at a time as the caller likes.

use std::collections::BTreeSet;

use annals_storage::Transaction;
use annals_types::{NamespaceId, Row, UnitScore};

use super::{DumpLine, DumpedTriple};
use crate::id::Qualifier;
use crate::label::{LabelClass, Labels};
use crate::ledger::{self, Ledger, Place, Slot};
use crate::number::next_after;
use crate::record::{EntityRecord, LinkRecord, TripleRecord};
use crate::roster::{LinkEnd, Roster};
use crate::tables::{DERIVED, EVIDENCE, LINKS, NAMES, SOURCES, VECTORS};
use crate::{Assertion, EntityId, GraphError, Merge, NewEntity, TripleId, merge, metadata};

/// Adds what [`dump`](crate::dump) told to a graph, with the same numbers of entities, triples and
/// merges; lines may come in parts, in their order. Memories are those that `row` finds by what
/// they are called. Answers for each line whether it was there already. Entities whose triples
/// never come are left to [`sweep`](crate::sweep). Numbers may be any: gaps between them cost
/// nothing, and far ones take none from what is made here later.
///
/// # Errors
/// [`GraphError::Taken`] for a number that stands for something else here;
/// [`GraphError::NoMemory`], [`GraphError::NoEntity`] for what lines name and nothing holds;
/// [`GraphError::NoRow`] for a memory that no line told; [`GraphError::Invalid`]. Nothing of these
/// lines is stored then.
pub fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lines: &[DumpLine],
    row: &dyn Fn(&str) -> Option<Row>,
) -> Result<Vec<bool>, GraphError> {
    let mut already = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while !rest.is_empty() {
        let merges: Vec<(&Merge, u32)> = rest.iter().map_while(merge_of).collect();
        let length = match merges.len() {
            0 => rest
                .iter()
                .position(|line| merge_of(line).is_some())
                .unwrap_or(rest.len()),
            count => count,
        };
        let (part, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        already.extend(if merges.is_empty() {
            restore_part(txn, ns, part, row)?
        } else {
            merge::replay(txn, ns, &merges)?
        });
        rest = behind;
    }
    Ok(already)
}

fn merge_of(line: &DumpLine) -> Option<(&Merge, u32)> {
    if let DumpLine::Merge { merge, next_triple } = line {
        Some((merge, *next_triple))
    } else {
        None
    }
}

/// Lines without merges: one round of changes.
fn restore_part(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lines: &[DumpLine],
    row: &dyn Fn(&str) -> Option<Row>,
) -> Result<Vec<bool>, GraphError> {
    let find = |name: &str| row(name).ok_or_else(|| GraphError::no_memory(name));
    let rows: Vec<Row> = lines
        .iter()
        .flat_map(DumpLine::memories)
        .map(find)
        .collect::<Result<_, _>>()?;
    let roster = Roster::load(txn, ns, &rows)?;
    let mut ledger = Ledger::open(txn, ns)?;
    let labels = Labels::resolve(&mut ledger, lines.iter().flat_map(labels))?;
    ledger.load_entities(lines.iter().flat_map(entities))?;
    let told = lines.iter().flat_map(|line| {
        if let DumpLine::Memory { said, .. } = line {
            said.as_slice()
        } else {
            &[]
        }
    });
    ledger.load_triples(told.map(|said| said.id))?;
    let seen = BTreeSet::new();
    let mut restorer = Restorer {
        ledger: &mut ledger,
        labels,
        roster,
        seen,
        find: &find,
    };
    let already = lines
        .iter()
        .map(|line| restorer.line(line))
        .collect::<Result<_, _>>()?;
    let Restorer { roster, .. } = restorer;
    roster.finish(&mut ledger)?;
    // Triples of an entity may come with later lines.
    ledger.reckon()?;
    ledger.finish()?.write(txn)?;
    Ok(already)
}

/// The labels that a line uses.
fn labels(line: &DumpLine) -> Vec<(LabelClass, &str)> {
    match line {
        DumpLine::Entity { kind, .. } => kind
            .iter()
            .map(|kind| (LabelClass::Kind, kind.as_str()))
            .collect(),
        DumpLine::Memory { said, .. } => {
            let labels = said.iter().flat_map(|triple| {
                let condition = triple
                    .condition
                    .iter()
                    .map(|text| (LabelClass::Condition, text.as_str()));
                std::iter::once((LabelClass::Predicate, triple.predicate.as_str())).chain(condition)
            });
            labels.collect()
        }
        DumpLine::Link { relation, .. } => vec![(LabelClass::Relation, relation.as_str())],
        DumpLine::Merge { .. } | DumpLine::Derivation { .. } => Vec::new(),
    }
}

/// The entities that a line names.
fn entities(line: &DumpLine) -> Vec<EntityId> {
    match line {
        DumpLine::Entity { id, .. } => vec![*id],
        DumpLine::Memory { said, .. } => said
            .iter()
            .flat_map(|triple| [triple.subject, triple.object])
            .collect(),
        _ => Vec::new(),
    }
}

struct Restorer<'l, 'r, 'f> {
    ledger: &'l mut Ledger<'r>,
    labels: Labels,
    roster: Roster,
    /// Keys of rows and evidence that these lines wrote.
    seen: BTreeSet<Place>,
    find: &'f dyn Fn(&str) -> Result<Row, GraphError>,
}

impl Restorer<'_, '_, '_> {
    /// Whether the line was there already.
    fn line(&mut self, line: &DumpLine) -> Result<bool, GraphError> {
        match line {
            DumpLine::Entity { id, .. } => self.entity(*id, line),
            DumpLine::Memory {
                memory,
                states,
                said,
            } => {
                let row = (self.find)(memory)?;
                let mut already = !self.roster.introduce(row, states.clone());
                if self.roster.record(row).is_none() {
                    return Err(GraphError::NoRow { row });
                }
                for triple in said {
                    already &= self.triple(row, triple)?;
                }
                Ok(already)
            }
            DumpLine::Link {
                from,
                relation,
                to,
                weight,
                born,
                metadata: fields,
            } => {
                let (row, other) = (self.member(from)?, self.member(to)?);
                if row == other {
                    return Err(GraphError::SelfTie { row });
                }
                let relation = self.labels.number(LabelClass::Relation, relation);
                let end = LinkEnd {
                    row,
                    leaves: true,
                    relation,
                    other,
                };
                let weight = UnitScore::new("weight", *weight)?.get();
                let record = LinkRecord {
                    weight,
                    born: *born,
                    metadata: metadata::to_json(fields)?,
                };
                let place = end.key(self.ledger.ns);
                match LINKS.get(self.ledger.reads, place)? {
                    Some(there) if there == record => Ok(true),
                    Some(_) => Err(GraphError::Taken {
                        what: "link of memory",
                        number: row.0,
                    }),
                    None if !self.seen.insert(ledger::place(&LINKS, place)) => Ok(true),
                    None => self.ledger.link(end, record),
                }
            }
            DumpLine::Derivation { derived, source } => {
                let (derived, source) = (self.member(derived)?, self.member(source)?);
                if derived == source {
                    return Err(GraphError::SelfTie { row: derived });
                }
                let ns = self.ledger.ns;
                let place = (ns, derived, (), source);
                let already = SOURCES.contains(self.ledger.reads, place)?
                    || !self.seen.insert(ledger::place(&SOURCES, place));
                self.ledger.put(&SOURCES, place, &())?;
                self.ledger.put(&DERIVED, (ns, source, (), derived), &())?;
                Ok(already)
            }
            DumpLine::Merge { .. } => Ok(false),
        }
    }

    /// A memory that an earlier line made known.
    fn member(&self, name: &str) -> Result<Row, GraphError> {
        let row = (self.find)(name)?;
        self.roster
            .record(row)
            .map(|_| row)
            .ok_or(GraphError::NoRow { row })
    }

    fn entity(&mut self, id: EntityId, line: &DumpLine) -> Result<bool, GraphError> {
        let DumpLine::Entity {
            name,
            kind,
            aliases,
            metadata: fields,
            born,
            kept,
            hollow,
            embedding,
            ..
        } = line
        else {
            return Ok(false);
        };
        aliases
            .iter()
            .fold(NewEntity::new(name), |new, alias| new.alias(alias))
            .check()?;
        let record = EntityRecord {
            name: name.clone(),
            kind: kind
                .as_ref()
                .map_or(0, |kind| self.labels.number(LabelClass::Kind, kind).0),
            aliases: aliases.clone(),
            metadata: metadata::to_json(fields)?,
            born: *born,
            kept: *kept,
            hollow: *hollow,
            redirect: None,
            own: 0,
            edges: 0,
            visible: 0,
            absorbed: 0,
        };
        let said = |record: &EntityRecord| {
            (
                record.name.clone(),
                record.kind,
                record.aliases.clone(),
                record.metadata.clone(),
                record.born,
            )
        };
        match self
            .ledger
            .entities
            .get(&id)
            .and_then(|slot| slot.after.as_ref())
        {
            Some(there) if said(there) == said(&record) => return Ok(true),
            Some(_) => {
                return Err(GraphError::Taken {
                    what: "entity",
                    number: id.0,
                });
            }
            None => {}
        }
        if !hollow {
            for name in record.normal_names() {
                self.ledger.put(&NAMES, (self.ledger.ns, &name, id), &())?;
            }
        }
        if let Some(embedding) = embedding {
            embedding.check()?;
            self.ledger.put(&VECTORS, (self.ledger.ns, id), embedding)?;
        }
        self.ledger.head.next_entity = next_after(self.ledger.head.next_entity, id.0);
        self.ledger.head.entities += 1;
        self.ledger.entities.insert(
            id,
            Slot {
                before: None,
                after: Some(record),
            },
        );
        Ok(false)
    }

    /// Lets a memory say a triple, which is made when it is not there.
    fn triple(&mut self, row: Row, said: &DumpedTriple) -> Result<bool, GraphError> {
        for end in [said.subject, said.object] {
            self.ledger
                .entity(end)
                .map_err(|_| GraphError::NoEntity { entity: end })?;
        }
        let assertion =
            Assertion::new(said.subject, &said.predicate, said.object).claim(said.claim.clone());
        said.condition
            .iter()
            .fold(assertion, |assertion, condition| {
                assertion.condition(condition)
            })
            .check()?;
        let condition = said
            .condition
            .as_ref()
            .map(|text| self.labels.number(LabelClass::Condition, text));
        let fresh = TripleRecord {
            subject: said.subject,
            predicate: self.labels.number(LabelClass::Predicate, &said.predicate),
            object: said.object,
            qualifier: Qualifier::new(said.negated, condition)
                .ok_or_else(|| self.ledger.full("labels"))?,
            born: said.born,
            evidence: 0,
            supported: 0,
        };
        match self
            .ledger
            .triples
            .get(&said.id)
            .and_then(|slot| slot.after)
        {
            Some(there)
                if (TripleRecord {
                    evidence: 0,
                    supported: 0,
                    ..there
                }) == fresh => {}
            Some(_) => {
                return Err(GraphError::Taken {
                    what: "triple",
                    number: said.id.0,
                });
            }
            None => self.new_triple(said.id, fresh),
        }
        self.evidence(row, said)
    }

    fn new_triple(&mut self, id: TripleId, record: TripleRecord) {
        self.ledger.head.next_triple = next_after(self.ledger.head.next_triple, id.0);
        self.ledger.triples.insert(
            id,
            Slot {
                before: None,
                after: Some(record),
            },
        );
    }

    fn evidence(&mut self, row: Row, said: &DumpedTriple) -> Result<bool, GraphError> {
        let place = (self.ledger.ns, said.id, row);
        let record = said.claim.record(said.said)?;
        match EVIDENCE.get(self.ledger.reads, place)? {
            Some(there) if there == record => return Ok(true),
            Some(_) => {
                return Err(GraphError::Taken {
                    what: "evidence of triple",
                    number: said.id.0,
                });
            }
            None if !self.seen.insert(ledger::place(&EVIDENCE, place)) => return Ok(true),
            None => {}
        }
        let supports = self
            .roster
            .record(row)
            .is_some_and(|record| record.supports());
        let triple = self.ledger.triple(said.id)?;
        triple.evidence += 1;
        triple.supported += u32::from(supports);
        self.ledger.head.evidence += 1;
        self.ledger.put(&EVIDENCE, place, &record)?;
        self.roster.supports_mut(row).push(said.id);
        Ok(false)
    }
}
