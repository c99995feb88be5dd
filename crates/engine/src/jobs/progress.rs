//! How far steps of jobs have come through the memories of a namespace.

use annals_storage::table::Text;
use annals_storage::{Reads, Table, Transaction};
use annals_types::profile::JobStep;
use annals_types::{NamespaceId, Row};

use crate::Error;

/// The first row that a step has not looked at, by the word of the step.
pub(crate) const PROGRESS: Table<(NamespaceId, Text), Row> = Table::new("annals.progress");

/// The first row that a step has not looked at.
pub(crate) fn reached(reads: &dyn Reads, ns: NamespaceId, step: JobStep) -> Result<Row, Error> {
    Ok(PROGRESS.get(reads, (ns, step.as_str()))?.unwrap_or(Row(0)))
}

/// Notes that a step has looked at all rows up to one. Belongs into the transaction that did what
/// followed.
pub fn note(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    step: JobStep,
    last: Row,
) -> Result<(), Error> {
    let next = Row(last.0.saturating_add(1)).max(reached(&*txn, ns, step)?);
    Ok(PROGRESS.put(txn, (ns, step.as_str()), &next)?)
}

/// Lets all steps begin from the first row again, as under another profile.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
    PROGRESS.clear(txn, PROGRESS.within(ns), usize::MAX)?;
    Ok(())
}
