//! Entities that a restore left without what should have come after them.

use std::collections::BTreeSet;

use annals_storage::Transaction;
use annals_types::NamespaceId;

use crate::EntityId;
use crate::GraphError;
use crate::ledger::Ledger;
use crate::number::entity_records;

/// Removes, among at most `limit` entities behind `after`, those of which no triple speaks, unless
/// they were made by themselves; answers the number to go on behind, where there may be more.
///
/// # Errors
/// When the storage fails.
pub fn sweep(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    after: Option<EntityId>,
    limit: usize,
) -> Result<Option<EntityId>, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let looked_at = entity_records(ledger.reads, ns, after, limit)?;
    let next = looked_at
        .last()
        .map(|(id, _)| *id)
        .filter(|_| looked_at.len() >= limit);
    let idle: BTreeSet<EntityId> = looked_at
        .into_iter()
        .filter(|(_, record)| !record.hollow)
        .map(|(id, _)| id)
        .collect();
    ledger.load_entities(idle.iter().copied())?;
    ledger.retire(idle)?;
    ledger.finish()?.write(txn)?;
    Ok(next)
}
