//! Storing what memories say.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Transaction};
use annals_types::Row;

use crate::entity::{self, Scope};
use crate::id::Qualifier;
use crate::label::{LabelClass, Labels};
use crate::ledger::{Ledger, Slot};
use crate::record::{EvidenceRecord, Flags, StateChange, TripleRecord};
use crate::roster::Roster;
use crate::tables::{EDGES, EVIDENCE, Edge, Side};
use crate::{Assertion, Claim, Effects, EntityId, GraphError, LabelId, Supporter, TripleId};

/// The result of storing triples.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Asserted {
    /// The triple of each assertion, in their order.
    pub triples: Vec<TripleId>,
    /// The subject and the object of each assertion.
    pub ends: Vec<(EntityId, EntityId)>,
    /// Changes to triples and entities.
    pub effects: Effects,
}

/// Stores what some memories say: each assertion becomes the triple that says the same already, or
/// a new one, with one row of evidence for each memory. Evidence that is there says what the
/// assertion sets, and keeps the rest and its age.
///
/// # Errors
/// [`GraphError::NoSupporter`] without any memory; [`GraphError::NoEntity`] for an entity that
/// does not exist; [`GraphError::Invalid`] for a name, predicate or number that is not allowed;
/// [`GraphError::Full`]. Nothing is stored then.
pub fn assert_evidence(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    supporters: &[Supporter],
    assertions: &[Assertion],
) -> Result<Asserted, GraphError> {
    if supporters.is_empty() {
        return Err(GraphError::NoSupporter);
    }
    assertions.iter().try_for_each(Assertion::check)?;
    let rows: BTreeSet<Row> = supporters.iter().map(|supporter| supporter.row).collect();
    let rows: Vec<Row> = rows.into_iter().collect();
    let mut roster = Roster::load(txn, scope.ns, &rows)?;
    for supporter in supporters {
        roster.introduce(
            supporter.row,
            vec![StateChange {
                time: scope.now,
                state: supporter.state,
            }],
        );
    }
    let mut ledger = Ledger::open(txn, scope.ns)?;
    let mut asserted = store(&mut ledger, scope, &mut roster, &rows, assertions)?;
    roster.finish(&mut ledger)?;
    ledger.settle()?;
    asserted.effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(asserted)
}

/// The identity of a triple: both ends, the predicate, negation and condition.
type Identity = (EntityId, LabelId, EntityId, Qualifier);

/// The evidence of one row for some triples.
pub(crate) type EarlierClaims = BTreeMap<TripleId, EvidenceRecord>;

/// Stores assertions for rows that the roster knows. The ledger is not settled yet.
pub(crate) fn store(
    ledger: &mut Ledger<'_>,
    scope: Scope<'_>,
    roster: &mut Roster,
    rows: &[Row],
    assertions: &[Assertion],
) -> Result<Asserted, GraphError> {
    let labels = Labels::resolve(ledger, assertions.iter().flat_map(Assertion::labels))?;
    let terms = assertions
        .iter()
        .flat_map(|assertion| [&assertion.subject, &assertion.object]);
    let resolved = entity::resolve(ledger, scope, &labels, terms)?;
    let (pairs, _) = resolved.as_chunks::<2>();
    let mut identities: Vec<Identity> = Vec::with_capacity(assertions.len());
    for (assertion, [subject, object]) in assertions.iter().zip(pairs) {
        let predicate = labels.number(LabelClass::Predicate, &assertion.predicate);
        let condition = assertion
            .condition
            .as_deref()
            .map(|text| labels.number(LabelClass::Condition, text));
        let qualifier =
            Qualifier::new(assertion.negated, condition).ok_or_else(|| ledger.full("labels"))?;
        identities.push((*subject, predicate, *object, qualifier));
    }
    let chosen = ledger.identify(scope, &identities)?;
    let triples: Vec<TripleId> = identities
        .iter()
        .filter_map(|identity| chosen.get(identity).copied())
        .collect();
    for row in rows {
        let known = ledger.known(*row, &triples)?;
        let claims = ledger.claims(scope, *row, &known, triples.iter().copied().zip(assertions))?;
        ledger.support(roster, *row, &claims, &known)?;
    }
    let ends = identities
        .iter()
        .map(|(subject, _, object, _)| (*subject, *object))
        .collect();
    Ok(Asserted {
        triples,
        ends,
        effects: Effects::default(),
    })
}

impl Ledger<'_> {
    /// The triples of some identities, new ones where there are none.
    fn identify(
        &mut self,
        scope: Scope<'_>,
        identities: &[Identity],
    ) -> Result<BTreeMap<Identity, TripleId>, GraphError> {
        let mut chosen: BTreeMap<Identity, Option<TripleId>> =
            identities.iter().map(|i| (*i, None)).collect();
        let old = |ledger: &Self, id: EntityId| {
            ledger
                .entities
                .get(&id)
                .is_some_and(|slot| slot.before.is_some())
        };
        let asked: Vec<Identity> = chosen
            .keys()
            .filter(|(s, _, o, _)| old(self, *s) && old(self, *o))
            .copied()
            .collect();
        let ranges: Vec<KeyRange> = asked
            .iter()
            .map(|(subject, predicate, object, qualifier)| {
                let edge = Edge {
                    entity: *subject,
                    side: Side::Out,
                    predicate: *predicate,
                    other: *object,
                    qualifier: *qualifier,
                    triple: TripleId(0),
                };
                EDGES.within(edge.group(self.ns)).into()
            })
            .collect();
        EDGES.scan_many(self.reads, &ranges, |range, key, flags| {
            // An edge that was born with other ends keeps its own evidence, so that a merge can be
            // undone.
            if flags.has(Flags::MERGED | Flags::SHADOW) {
                return Ok(ControlFlow::Continue(()));
            }
            if let Some(place) = asked
                .get(range)
                .and_then(|identity| chosen.get_mut(identity))
            {
                *place = Some(Edge::of(key).triple);
            }
            Ok::<_, GraphError>(ControlFlow::Break(()))
        })?;
        self.load_triples(chosen.values().flatten().copied())?;
        let mut found = BTreeMap::new();
        // New triples are numbered in the order they are said.
        for identity in identities {
            let id = match chosen
                .get(identity)
                .copied()
                .flatten()
                .or_else(|| found.get(identity).copied())
            {
                Some(id) => id,
                None => self.new_triple(scope, *identity)?,
            };
            found.insert(*identity, id);
        }
        Ok(found)
    }

    fn new_triple(&mut self, scope: Scope<'_>, identity: Identity) -> Result<TripleId, GraphError> {
        let id = self.give_triple()?;
        let (subject, predicate, object, qualifier) = identity;
        let born = scope.now;
        let record = TripleRecord {
            subject,
            predicate,
            object,
            qualifier,
            born,
            evidence: 0,
            supported: 0,
        };
        self.triples.insert(
            id,
            Slot {
                before: None,
                after: Some(record),
            },
        );
        Ok(id)
    }

    /// The earlier claims of one row on some triples.
    pub(crate) fn known(
        &self,
        row: Row,
        triples: &[TripleId],
    ) -> Result<EarlierClaims, GraphError> {
        let is_old = |id: &TripleId| {
            self.triples
                .get(id)
                .is_some_and(|slot| slot.before.is_some())
        };
        let asked: BTreeSet<TripleId> = triples.iter().copied().filter(is_old).collect();
        let stored = EVIDENCE.get_many(self.reads, asked.iter().map(|id| (self.ns, *id, row)))?;
        Ok(asked
            .into_iter()
            .zip(stored)
            .filter_map(|(id, stored)| stored.map(|stored| (id, stored)))
            .collect())
    }

    /// The claims of one row on the triples of some assertions, over its earlier claims and over
    /// each other.
    fn claims<'a>(
        &self,
        scope: Scope<'_>,
        row: Row,
        known: &EarlierClaims,
        said: impl Iterator<Item = (TripleId, &'a Assertion)>,
    ) -> Result<Vec<(TripleId, EvidenceRecord)>, GraphError> {
        let mut told: BTreeMap<TripleId, Claim> = BTreeMap::new();
        let mut claims = Vec::new();
        for (id, assertion) in said {
            let stored = || {
                let wrong = |why| EVIDENCE.damaged((self.ns, id, row), why);
                known
                    .get(&id)
                    .cloned()
                    .map(|record| Claim::from_record(record).map_err(wrong))
                    .transpose()
            };
            let before = told
                .remove(&id)
                .map_or_else(stored, |claim| Ok(Some(claim)))?;
            let claim = assertion.told(before)?;
            claims.push((id, claim.record(scope.now)?));
            told.insert(id, claim);
        }
        Ok(claims)
    }

    /// Stores what one row says beside what it says already. Of several claims about one triple the
    /// last one counts.
    pub(crate) fn support(
        &mut self,
        roster: &mut Roster,
        row: Row,
        claims: &[(TripleId, EvidenceRecord)],
        known: &EarlierClaims,
    ) -> Result<(), GraphError> {
        let supports = roster.record(row).is_some_and(|record| record.supports());
        let last: BTreeMap<TripleId, &EvidenceRecord> =
            claims.iter().map(|(id, claim)| (*id, claim)).collect();
        for (id, claim) in &last {
            let born = known.get(id).map_or(claim.born, |known| known.born);
            self.put(
                &EVIDENCE,
                (self.ns, *id, row),
                &EvidenceRecord {
                    born,
                    ..(*claim).clone()
                },
            )?;
            if !known.contains_key(id) {
                let record = self.triple(*id)?;
                record.evidence += 1;
                record.supported += u32::from(supports);
                self.head.evidence += 1;
            }
        }
        let list = roster.supports_mut(row);
        let mut there: BTreeSet<TripleId> = list.iter().copied().collect();
        list.extend(
            claims
                .iter()
                .map(|(id, _)| *id)
                .filter(|id| there.insert(*id)),
        );
        Ok(())
    }
}
