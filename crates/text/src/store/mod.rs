//! The full-text layer in storage: forward lists, manifest and segments.

pub(crate) mod layout;
pub(crate) mod manifest;
mod open;
mod plan;
mod remove;
mod validate;

use annals_storage::{KeyRange, Reads, Transaction};
use annals_types::{NamespaceId, Row};

pub use layout::{FORWARD, KEYSPACES, MANIFEST, SEGMENT, TABLES};
pub use open::{Opened, open};
pub use plan::{Plan, Published, plan, publish};
pub use remove::{Removed, remove};
pub use validate::{Difference, Report, validate};

use crate::error::{Damage, TextError};
use crate::forward::Forward;
use layout::{BODY_VERSION, forward_key};

/// Stores the forward list of a row. This is all that remembering a memory writes here.
///
/// # Errors
/// When storage refuses the write.
pub fn put(
    tx: &mut Transaction<'_>,
    namespace: NamespaceId,
    row: Row,
    forward: &Forward,
) -> Result<(), TextError> {
    tx.put(
        FORWARD,
        &forward_key(namespace, row),
        BODY_VERSION,
        &forward.encode(),
    )?;
    Ok(())
}

/// The forward lists of some rows, in the order asked; `None` for a row that has none or one of
/// another analyser version.
///
/// # Errors
/// [`TextError::DamagedForward`], or what storage says.
pub fn forwards(
    reads: &impl Reads,
    namespace: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Option<Forward>>, TextError> {
    let keys: Vec<_> = rows
        .iter()
        .map(|row| forward_key(namespace, *row))
        .collect();
    let keys: Vec<_> = keys.iter().map(|key| (FORWARD, &key[..])).collect();
    let values = reads.multi_get(&keys)?;
    rows.iter()
        .zip(values)
        .map(|(row, value)| match value {
            Some(value) => read_forward(*row, value.version, &value.body),
            None => Ok(None),
        })
        .collect()
}

/// A stored forward list; `None` when another analyser version wrote it.
fn read_forward(row: Row, version: u8, body: &[u8]) -> Result<Option<Forward>, TextError> {
    let damaged = |damage| TextError::DamagedForward { row: row.0, damage };
    if version != BODY_VERSION {
        return Err(damaged(Damage::Version));
    }
    match Forward::decode(body) {
        Ok(forward) => Ok(Some(forward)),
        Err(Damage::Version) => Ok(None),
        Err(damage) => Err(damaged(damage)),
    }
}

/// Deletes everything that is derived: the next [`open`] reads all forward lists, and folds begin
/// anew.
///
/// # Errors
/// When storage refuses.
pub fn drop_derived(tx: &mut Transaction<'_>, namespace: NamespaceId) -> Result<(), TextError> {
    tx.delete(MANIFEST, &namespace.prefix())?;
    tx.delete_range(&KeyRange::prefix(SEGMENT, &namespace.prefix()), usize::MAX)?;
    Ok(())
}

/// Deletes at most `limit` values of a namespace, derived ones first; answers how many. Less than
/// `limit` means that none is left.
///
/// # Errors
/// When storage refuses.
pub fn delete_namespace(
    tx: &mut Transaction<'_>,
    namespace: NamespaceId,
    limit: usize,
) -> Result<usize, TextError> {
    let mut gone = 0;
    for keyspace in [MANIFEST, SEGMENT, FORWARD] {
        gone += tx.delete_range(
            &KeyRange::prefix(keyspace, &namespace.prefix()),
            limit.saturating_sub(gone),
        )?;
    }
    Ok(gone)
}
