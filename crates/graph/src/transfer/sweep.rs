//! Entities that a restore left without what should have come after them.

use std::collections::BTreeSet;

use annals_storage::Transaction;
use annals_types::NamespaceId;

use crate::EntityId;
use crate::GraphError;
use crate::ledger::Ledger;

/// Removes, among at most `limit` numbers above `after`, the entities of which no triple speaks,
/// unless they were made by themselves; answers the number to go on behind.
///
/// # Errors
/// When the storage fails.
pub fn sweep(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    after: Option<EntityId>,
    limit: u32,
) -> Result<Option<EntityId>, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let first = after.map_or(0, |id| id.0.saturating_add(1));
    let end = ledger.head.next_entity.min(first.saturating_add(limit));
    ledger.load_entities((first..end).map(EntityId))?;
    let idle = ledger.entities.iter().filter(|(_, slot)| slot.after.as_ref().is_some_and(|record| !record.hollow));
    let idle: BTreeSet<EntityId> = idle.map(|(id, _)| *id).collect();
    let next = (end < ledger.head.next_entity).then(|| EntityId(end.saturating_sub(1)));
    ledger.retire(idle)?;
    ledger.finish()?.write(txn)?;
    Ok(next)
}
