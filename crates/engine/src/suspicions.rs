//! Pairs of memories that may contradict each other, until a judge or a person says whether they
//! do.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::table::{Mark, scan_rows};
use annals_storage::{Reads, Table, Transaction};
use annals_types::{MemoryId, NamespaceId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::Kept;
use crate::json::Json;
use crate::tables::Tag;

/// Suspicions, by the newer memory and the older one.
pub(crate) const SUSPICIONS: Table<(NamespaceId, Tag<0>, MemoryId, MemoryId), Json<Suspected>> =
    Table::new("annals.suspicions");
/// The same pairs by the older memory and the newer one, beside the suspicions.
pub(crate) const SUSPICIONS_BY_OLDER: Table<(NamespaceId, Tag<1>, MemoryId, MemoryId), Mark> =
    Table::new("annals.suspicions");

/// A newer memory and an older one.
pub type Pair = (MemoryId, MemoryId);

/// A suspicion as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suspected {
    pub similarity: f64,
    pub at: Timestamp,
    /// Whether a judge was asked and gave no answer that can be understood: it would give the same
    /// one again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unclear: bool,
}

/// Takes note of a pair.
pub fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    (newer, older): Pair,
    suspected: Suspected,
) -> Result<(), Error> {
    SUSPICIONS.put(txn, (ns, (), newer, older), &suspected)?;
    Ok(SUSPICIONS_BY_OLDER.put(txn, (ns, (), older, newer), &())?)
}

/// Takes note of a pair that another file knew.
pub fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    pair: Pair,
    suspected: Suspected,
) -> Result<Kept, Error> {
    if annals_records::find_rows(&*txn, ns, &[pair.0, pair.1])?.contains(&None) {
        return Ok(Kept::LeftOut);
    }
    if SUSPICIONS.contains(txn, (ns, (), pair.0, pair.1))? {
        return Ok(Kept::There);
    }
    put(txn, ns, pair, suspected)?;
    Ok(Kept::New(()))
}

/// A pair, where it waits.
pub fn get(reads: &dyn Reads, ns: NamespaceId, pair: Pair) -> Result<Option<Suspected>, Error> {
    Ok(SUSPICIONS.get(reads, (ns, (), pair.0, pair.1))?)
}

/// Takes a pair out; answers whether it was there.
pub fn settle(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    (newer, older): Pair,
) -> Result<bool, Error> {
    let there = SUSPICIONS.delete(txn, (ns, (), newer, older))?;
    SUSPICIONS_BY_OLDER.delete(txn, (ns, (), older, newer))?;
    Ok(there)
}

/// All pairs of a namespace.
pub fn list(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(Pair, Suspected)>, Error> {
    let found = SUSPICIONS.rows(reads, SUSPICIONS.within((ns, ())), usize::MAX)?;
    Ok(found
        .into_iter()
        .map(|((_, (), newer, older), suspected)| ((newer, older), suspected))
        .collect())
}

/// Memories are about to go, or to say something else, and every pair goes with them.
pub(crate) fn forget(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    gone: &[MemoryId],
) -> Result<(), Error> {
    let mut pairs = Vec::new();
    for id in gone {
        let ranges = [
            SUSPICIONS.within((ns, (), *id)).into(),
            SUSPICIONS_BY_OLDER.within((ns, (), *id)).into(),
        ];
        scan_rows(txn, &ranges, |_, row| {
            let newer = SUSPICIONS
                .parse(row.key)
                .map(|(_, (), newer, older)| (newer, older));
            let older = SUSPICIONS_BY_OLDER
                .parse(row.key)
                .map(|(_, (), older, newer)| (newer, older));
            pairs.extend(newer.or(older));
            Ok::<_, Error>(ControlFlow::Continue(()))
        })?;
    }
    for pair in pairs {
        settle(txn, ns, pair)?;
    }
    Ok(())
}

/// Names rows that contradict each other.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let pairs = list(reads, ns)?;
    let mut problems = Vec::new();
    let mut indexed = BTreeMap::new();
    SUSPICIONS_BY_OLDER.scan(
        reads,
        SUSPICIONS_BY_OLDER.within((ns, ())),
        |(_, (), older, newer), ()| {
            indexed.insert((newer, older), ());
            Ok::<_, Error>(ControlFlow::Continue(()))
        },
    )?;
    for ((newer, older), _) in &pairs {
        if indexed.remove(&(*newer, *older)).is_none() {
            problems.push(format!(
                "the suspicion about {newer} and {older} is not in its index"
            ));
        }
        for (id, row) in
            [newer, older]
                .into_iter()
                .zip(annals_records::find_rows(reads, ns, &[*newer, *older])?)
        {
            if row.is_none() {
                problems.push(format!(
                    "a suspicion is about memory {id}, which is not there"
                ));
            }
        }
    }
    problems.extend(
        indexed
            .keys()
            .map(|(newer, older)| format!("no suspicion is about {newer} and {older}")),
    );
    Ok(problems)
}
