use std::ops::ControlFlow;

use annals_storage::Transaction;
use annals_types::NamespaceId;

use crate::change::remove;
use crate::tables::{NEXT_TASK, TASK_KEYS};
use crate::{LifecycleError, task, walk_states};

/// Removes up to `limit` states and as many tasks of a namespace, with their places in the indexes
/// that time leads; answers whether nothing is left. Call it until then, each time in a
/// transaction of its own.
///
/// # Errors
/// When it cannot be read or written.
pub fn purge(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    limit: usize,
) -> Result<bool, LifecycleError> {
    let mut found = Vec::new();
    walk_states(&*txn, ns, annals_types::Row(0), &mut |row, state| {
        found.push((row, state));
        Ok(if found.len() < limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    for (row, state) in &found {
        drop(remove(txn, ns, *row, state)?);
    }
    let tasks = task::tasks(&*txn, ns, 1, limit)?;
    for task in &tasks {
        task::discard(txn, ns, task.number)?;
    }
    if found.len() >= limit || tasks.len() >= limit {
        return Ok(false);
    }
    NEXT_TASK.delete(txn, (ns, ()))?;
    Ok(TASK_KEYS.clear(txn, TASK_KEYS.within(ns), limit)? < limit)
}
