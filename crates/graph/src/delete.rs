//! Triples that a person deletes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::Transaction;
use annals_types::{NamespaceId, Row};

use crate::ledger::Ledger;
use crate::query::held::behind;
use crate::roster::Roster;
use crate::tables::EVIDENCE;
use crate::{Effects, GraphError, TripleId};

/// Deletes triples with all that memories say about them; the memories stay. Answers what went.
///
/// # Errors
/// [`GraphError::NoTriple`] for one that does not exist; nothing is deleted then.
pub fn delete_triples(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    triples: &[TripleId],
) -> Result<Effects, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    ledger.load_triples(triples.iter().copied())?;
    if let Some(id) = triples.iter().find(|id| {
        ledger
            .triples
            .get(id)
            .is_none_or(|slot| slot.after.is_none())
    }) {
        return Err(GraphError::NoTriple { triple: *id });
    }
    delete_all(&mut ledger, triples)?;
    let effects = Effects::of(&ledger);
    ledger.finish()?.write(txn)?;
    Ok(effects)
}

/// Takes away everything that memories say about some triples.
pub(crate) fn delete_all(ledger: &mut Ledger<'_>, triples: &[TripleId]) -> Result<(), GraphError> {
    let mut said: BTreeMap<Row, BTreeSet<TripleId>> = BTreeMap::new();
    let ids: Vec<TripleId> = triples
        .iter()
        .copied()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    ledger.load_triples(ids.iter().copied())?;
    let ranges: Vec<_> = ids.iter().map(|id| behind(ledger.ns, *id)).collect();
    EVIDENCE.scan_many(ledger.reads, &ranges, |_, (_, id, row), _| {
        said.entry(row).or_default().insert(id);
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    let rows: Vec<Row> = said.keys().copied().collect();
    let mut roster = Roster::load(ledger.reads, ledger.ns, &rows)?;
    for (row, gone) in said {
        let supports = roster.record(row).is_some_and(|record| record.supports());
        for id in &gone {
            ledger.withdraw(*id, row, supports)?;
        }
        roster.supports_mut(row).retain(|id| !gone.contains(id));
    }
    roster.finish(ledger)?;
    ledger.settle()
}
