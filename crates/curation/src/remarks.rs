//! The parts of a model's answer that were left out, and why. They are kept with the last turn
//! that the answer was about, and go with any turn or memory that the model was shown, since they
//! may repeat its words.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::table::{Mark, scan_rows};
use annals_storage::{KeyRange, Reads, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Remark;
use annals_engine::Error;
use annals_engine::WriteCx;
use annals_engine::json::Json;

/// The parts left out of the answer about a turn.
pub(crate) const REMARKS: Table<(NamespaceId, MemoryId), Json<StoredRemark>> =
    Table::new("annals.remarks");
/// The turns about which the model answered, by each memory that it was shown, beside the remarks.
pub(crate) const SHOWN: Table<(NamespaceId, MemoryId, MemoryId), Mark> =
    Table::new("annals.remarks");
/// At most so many parts of one answer are kept.
const MOST: usize = 20;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredRemark {
    pub(crate) at: Timestamp,
    pub(crate) left_out: Vec<String>,
    /// The turns and memories that the model was shown.
    pub(crate) shown: Vec<MemoryId>,
}

/// Notes the parts left out of an answer, in the place of those of the answer before about the
/// same turn. `shown` are the other memories that the model was shown.
pub(crate) fn note(
    cx: &mut WriteCx<'_, '_>,
    (turn, shown): (MemoryId, &[MemoryId]),
    left_out: &[String],
) -> Result<(), Error> {
    let ns = cx.ns;
    drop_noted(cx.txn, ns, turn)?;
    if left_out.is_empty() {
        return Ok(());
    }
    let shown: BTreeSet<MemoryId> = shown.iter().copied().filter(|id| *id != turn).collect();
    for id in &shown {
        SHOWN.put(cx.txn, (ns, *id, turn), &())?;
    }
    let left_out = left_out.iter().take(MOST).cloned().collect();
    let noted = StoredRemark {
        at: cx.now,
        left_out,
        shown: shown.into_iter().collect(),
    };
    Ok(REMARKS.put(cx.txn, (ns, turn), &noted)?)
}

/// Drops what is noted of turns and memories that are about to go, and of answers to which they
/// were shown.
pub(crate) fn forget(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<(), Error> {
    let ranges: Vec<KeyRange> = ids
        .iter()
        .map(|id| REMARKS.within((ns, *id)).into())
        .collect();
    let mut turns = BTreeSet::new();
    scan_rows(txn, &ranges, |_, row| {
        turns.extend(REMARKS.parse(row.key).map(|(_, turn)| turn));
        turns.extend(SHOWN.parse(row.key).map(|(.., turn)| turn));
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    turns
        .into_iter()
        .try_for_each(|turn| drop_noted(txn, ns, turn))
}

/// Drops what is noted about one turn.
fn drop_noted(txn: &mut Transaction<'_>, ns: NamespaceId, turn: MemoryId) -> Result<(), Error> {
    let noted = match REMARKS.get(txn, (ns, turn)) {
        // A remark that cannot be read must not keep memories from being deleted.
        Err(error) if error.is_corruption() => None,
        read => read?,
    };
    for shown in noted.into_iter().flat_map(|noted| noted.shown) {
        SHOWN.delete(txn, (ns, shown, turn))?;
    }
    REMARKS.delete(txn, (ns, turn))?;
    Ok(())
}

/// The latest, at most so many.
pub fn latest(reads: &dyn Reads, ns: NamespaceId, limit: usize) -> Result<Vec<Remark>, Error> {
    let mut found = Vec::new();
    scan_rows(reads, &[REMARKS.within(ns).into()], |_, row| {
        if let Some(((_, turn), StoredRemark { at, left_out, .. })) = REMARKS.read(&row)? {
            found.push(Remark { turn, at, left_out });
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    found.sort_by_key(|remark| std::cmp::Reverse((remark.at, remark.turn)));
    found.truncate(limit);
    Ok(found)
}
