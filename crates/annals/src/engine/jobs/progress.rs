//! How far steps of jobs have come through the memories of a namespace.

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::profile::JobStep;
use annals_types::{NamespaceId, Row};

use crate::Error;

/// Namespace, word of a step -> the first row that the step has not looked at, u32 BE.
pub(crate) const PROGRESS: Keyspace = Keyspace::new("annals.progress").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;

/// The first row that a step has not looked at.
pub(super) fn reached(reads: &dyn Reads, ns: NamespaceId, step: JobStep) -> Result<Row, Error> {
    let Some(stored) = reads.get(PROGRESS, &key(ns, step))? else { return Ok(Row(0)) };
    let bytes = <[u8; 4]>::try_from(stored.body.as_slice());
    let bytes =
        bytes.map_err(|_| Error::damaged(PROGRESS, format_args!("how far {} has come is no number", step.as_str())))?;
    Ok(Row(u32::from_be_bytes(bytes)))
}

/// Notes that a step has looked at all rows up to one. Belongs into the transaction that did what followed.
pub(super) fn note(txn: &mut Transaction<'_>, ns: NamespaceId, step: JobStep, last: Row) -> Result<(), Error> {
    let next = Row(last.0.saturating_add(1)).max(reached(&*txn, ns, step)?);
    txn.put(PROGRESS, &key(ns, step), VERSION, &next.0.to_be_bytes())?;
    Ok(())
}

/// What of it cannot be read.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut problems = Vec::new();
    reads.scan(&[KeyRange::prefix(PROGRESS, &ns.prefix())], &mut |_, _, _, body| {
        problems.extend((body.len() != 4).then(|| format!("{PROGRESS}: how far a step has come is no number")));
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(problems)
}

/// Lets all steps begin from the first row again, as under another profile.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), Error> {
    let mut keys = Vec::new();
    txn.scan(&[KeyRange::prefix(PROGRESS, &ns.prefix())], &mut |_, key, _, _| {
        keys.push(key.to_vec());
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    for key in keys {
        txn.delete(PROGRESS, &key)?;
    }
    Ok(())
}

fn key(ns: NamespaceId, step: JobStep) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend_from_slice(step.as_str().as_bytes());
    key
}
