//! A memory whose text was updated.

use std::collections::BTreeSet;

use annals_storage::Transaction;
use annals_types::Row;

use crate::assert::store;
use crate::entity::Scope;
use crate::ledger::Ledger;
use crate::roster::{self, LinkEnd, Member, Roster};
use crate::tables::{EVIDENCE, LINKS};
use crate::{Assertion, Effects, GraphError, StateChange, Support, TripleId};

/// The triples of the new text of a memory.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Yield<'a> {
    /// The triples of the old text.
    Same,
    /// These triples.
    These(&'a [Assertion]),
}

/// The result of an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Carried {
    /// The triples that the new text says.
    pub triples: Vec<TripleId>,
    /// Changes to triples and entities.
    pub effects: Effects,
    /// Memories derived from the old text: to be derived again.
    pub stale: Vec<Row>,
    /// Links that the new row took over.
    pub links: usize,
}

/// Lets a new row take the place of an old one: it has the old one's state and links, and says
/// what its text yields. The old row supports only as-of queries from now on, or nothing where the
/// settings keep no history of updates.
///
/// # Errors
/// [`GraphError::SelfTie`] when both rows are the same; otherwise as
/// [`assert_evidence`](crate::assert_evidence).
pub fn carry(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    old: Row,
    new: Row,
    yields: Yield<'_>,
) -> Result<Carried, GraphError> {
    if old == new {
        return Err(GraphError::SelfTie { row: old });
    }
    if let Yield::These(assertions) = yields {
        assertions.iter().try_for_each(Assertion::check)?;
    }
    let mut roster = Roster::load(txn, scope.ns, &[old, new])?;
    let state = roster
        .record(old)
        .map_or(Support::Active, |record| record.state());
    roster.introduce(
        old,
        vec![StateChange {
            time: scope.now,
            state,
        }],
    );
    roster.introduce(
        new,
        vec![StateChange {
            time: scope.now,
            state,
        }],
    );
    let mut ledger = Ledger::open(txn, scope.ns)?;
    let member = roster::members(ledger.reads, scope.ns, &[old])?
        .pop()
        .unwrap_or_default();
    let triples = match yields {
        Yield::Same => {
            let triples = roster.supported_by(old).to_vec();
            ledger.repeat(scope, &mut roster, (old, new), &triples)?;
            triples
        }
        Yield::These(assertions) => {
            store(&mut ledger, scope, &mut roster, &[new], assertions)?.triples
        }
    };
    let links = ledger.carry_links(scope, &member, old, new)?;
    ledger.leave(scope, &mut roster, old, &member)?;
    roster.finish(&mut ledger)?;
    ledger.settle()?;
    let effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(Carried {
        triples,
        effects,
        stale: member.derived,
        links,
    })
}

impl Ledger<'_> {
    /// Lets one row say what another says of some of its triples.
    pub(crate) fn repeat(
        &mut self,
        scope: Scope<'_>,
        roster: &mut Roster,
        (old, new): (Row, Row),
        triples: &[TripleId],
    ) -> Result<(), GraphError> {
        let found = EVIDENCE.get_many(self.reads, triples.iter().map(|id| (self.ns, *id, old)))?;
        let mut claims = Vec::with_capacity(triples.len());
        for (id, record) in triples.iter().zip(found) {
            let missing = || EVIDENCE.damaged((self.ns, *id, old), "the evidence is missing");
            claims.push((
                *id,
                crate::record::EvidenceRecord {
                    born: scope.now,
                    ..record.ok_or_else(missing)?
                },
            ));
        }
        self.load_triples(triples.iter().copied())?;
        let known = self.known(new, triples)?;
        self.support(roster, new, &claims, &known)
    }

    fn carry_links(
        &mut self,
        scope: Scope<'_>,
        member: &Member,
        old: Row,
        new: Row,
    ) -> Result<usize, GraphError> {
        let mut carried = 0;
        for (end, record) in &member.links {
            if end.other == new || end.other == old {
                continue;
            }
            let end = LinkEnd { row: new, ..*end };
            self.link(
                end,
                crate::record::LinkRecord {
                    born: scope.now,
                    ..record.clone()
                },
            )?;
            carried += 1;
        }
        Ok(carried)
    }

    /// Ends the support of an old row.
    fn leave(
        &mut self,
        scope: Scope<'_>,
        roster: &mut Roster,
        old: Row,
        member: &Member,
    ) -> Result<(), GraphError> {
        if !scope.settings.update_keeps_history {
            let supports = roster.record(old).is_some_and(|record| record.supports());
            let triples: BTreeSet<TripleId> = roster.supported_by(old).iter().copied().collect();
            self.load_triples(triples.iter().copied())?;
            for id in triples {
                self.withdraw(id, old, supports)?;
            }
            roster.supports_mut(old).clear();
            for (end, _) in &member.links {
                self.delete(&LINKS, end.key(self.ns));
                self.delete(&LINKS, end.turned().key(self.ns));
                self.head.links = self.head.links.saturating_sub(1);
            }
        }
        self.change_rows(
            roster,
            &[old],
            StateChange {
                time: scope.now,
                state: Support::Superseded,
            },
        )?;
        Ok(())
    }
}
