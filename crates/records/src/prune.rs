use annals_storage::Transaction;
use annals_types::{NamespaceId, Timestamp};

use crate::tables::{LABEL_TEXTS, LABELS, TURNS};
use crate::validate::used_labels;
use crate::work::Work;
use crate::{Columns, LabelClass, LabelId, RecordError, Written};

/// Removes labels that no row has any more, so that no name outlives what was erased. Their numbers never come back.
///
/// Reads every row of the namespace (about a second for a million): call it while compacting, or
/// after a large deletion. `columns` tell which labels there are; those that came later stay.
///
/// # Errors
/// When the namespace cannot be read.
pub fn prune_labels(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    columns: &Columns,
) -> Result<Written<usize>, RecordError> {
    let (mut work, _) = Work::begin(txn, ns, now, std::iter::empty(), &[])?;
    let used = used_labels(&*work.txn, ns)?;
    let all = LabelClass::ALL.iter().flat_map(|class| columns.labels(*class).map(move |(at, text)| (*class, at, text)));
    let unused: Vec<(LabelClass, LabelId, &str)> =
        all.filter(|(class, at, _)| !used.contains(&(*class, *at))).collect();
    let mut removed = 0;
    for (class, number, text) in unused {
        LABEL_TEXTS.delete(work.txn, (ns, class, number))?;
        if LABELS.delete(work.txn, (ns, class, text))? {
            removed += 1;
            if class == LabelClass::Session {
                // Only marks of used up positions are left there.
                TURNS.clear(work.txn, TURNS.within((ns, number)), usize::MAX)?;
            }
            work.unlabel(class, number);
        }
    }
    work.finish(removed, None)
}
