//! Claims of one memory become those of another, triple by triple.

use std::collections::BTreeSet;

use annals_storage::Transaction;
use annals_types::{NamespaceId, Row};

use crate::entity::Scope;
use crate::ledger::Ledger;
use crate::roster::Roster;
use crate::{Effects, GraphError, TripleId};

/// Lets one memory say, too, what another one says of some triples, with all that goes with it.
/// Its own claims on them stay, and triples that the other does not say are passed over. Answers
/// how many triples it says more.
///
/// # Errors
/// [`GraphError::SelfTie`] when both rows are the same; [`GraphError::NoRow`] when the graph does
/// not know the one that is to say them.
pub fn lend(
    txn: &mut Transaction<'_>,
    scope: Scope<'_>,
    (from, to): (Row, Row),
    triples: &[TripleId],
) -> Result<usize, GraphError> {
    if from == to {
        return Err(GraphError::SelfTie { row: from });
    }
    let mut roster = Roster::load(txn, scope.ns, &[from, to])?;
    if roster.record(to).is_none() {
        return Err(GraphError::NoRow { row: to });
    }
    let there: BTreeSet<TripleId> = roster.supported_by(to).iter().copied().collect();
    let wanted = |id: &TripleId| triples.contains(id) && !there.contains(id);
    let wanted: Vec<TripleId> = roster
        .supported_by(from)
        .iter()
        .copied()
        .filter(wanted)
        .collect();
    if wanted.is_empty() {
        return Ok(0);
    }
    let mut ledger = Ledger::open(txn, scope.ns)?;
    ledger.repeat(scope, &mut roster, (from, to), &wanted)?;
    roster.finish(&mut ledger)?;
    ledger.settle()?;
    ledger.finish()?.write(txn)?;
    Ok(wanted.len())
}

/// Takes away what one memory says of some triples; what others say of them stays. Triples that it
/// does not say are passed over.
///
/// # Errors
/// When the graph cannot be read.
pub fn withdraw(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    triples: &[TripleId],
) -> Result<Effects, GraphError> {
    let mut roster = Roster::load(txn, ns, &[row])?;
    let gone: BTreeSet<TripleId> = roster
        .supported_by(row)
        .iter()
        .copied()
        .filter(|id| triples.contains(id))
        .collect();
    if gone.is_empty() {
        return Ok(Effects::default());
    }
    let supports = roster.record(row).is_some_and(|record| record.supports());
    let mut ledger = Ledger::open(txn, ns)?;
    ledger.load_triples(gone.iter().copied())?;
    for id in &gone {
        ledger.withdraw(*id, row, supports)?;
    }
    roster.supports_mut(row).retain(|id| !gone.contains(id));
    roster.finish(&mut ledger)?;
    ledger.settle()?;
    let effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(effects)
}
