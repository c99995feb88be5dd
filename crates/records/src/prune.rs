use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::Transaction;
use annals_types::{NamespaceId, Timestamp};

use crate::read::label_numbers;
use crate::tables::{LABEL_TEXTS, LABELS, ROWS, TURNS};
use crate::validate::used_labels;
use crate::work::Work;
use crate::{Columns, LabelClass, LabelId, RecordError, Written};

/// Removes labels that no row has any more, so that no name outlives what was erased. Their numbers
/// never come back.
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
    let all = LabelClass::ALL.iter().flat_map(|class| {
        columns
            .labels(*class)
            .map(move |(at, text)| (*class, at, text))
    });
    let unused: Vec<(LabelClass, LabelId, &str)> = all
        .filter(|(class, at, _)| !used.contains(&(*class, *at)))
        .collect();
    let mut removed = 0;
    for (class, number, text) in unused {
        removed += usize::from(remove(&mut work, (class, number), text)?);
    }
    work.finish(removed, None)
}

/// Removes those of some labels that no row has any more. The rows of the namespace are read until
/// each of the labels was met; a session that has turns is not looked for.
pub(crate) fn prune(
    work: &mut Work<'_, '_>,
    labels: BTreeSet<(LabelClass, LabelId)>,
) -> Result<(), RecordError> {
    let ns = work.ns;
    let mut asked = BTreeSet::new();
    for label in labels {
        // A session without turns may still have a row that was replaced.
        if label.0 != LabelClass::Session || !has_turns(work, label.1)? {
            asked.insert(label);
        }
    }
    if !asked.is_empty() {
        ROWS.scan(&*work.txn, ROWS.within(ns), |_, record| {
            for label in label_numbers(&record) {
                asked.remove(&label);
            }
            let met = asked.is_empty();
            Ok::<_, RecordError>(if met {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
    }
    for (class, number) in asked {
        if let Some(text) = LABEL_TEXTS.get_with(&*work.txn, (ns, class, number), str::to_owned)? {
            remove(work, (class, number), &text)?;
        }
    }
    Ok(())
}

/// Whether a session has a turn.
fn has_turns(work: &Work<'_, '_>, session: LabelId) -> Result<bool, RecordError> {
    let mut has = false;
    TURNS.scan(&*work.txn, TURNS.within((work.ns, session)), |_, place| {
        has = place.is_some();
        Ok::<_, RecordError>(if has {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    Ok(has)
}

/// Removes a label; answers whether it was there.
fn remove(
    work: &mut Work<'_, '_>,
    (class, number): (LabelClass, LabelId),
    text: &str,
) -> Result<bool, RecordError> {
    let ns = work.ns;
    LABEL_TEXTS.delete(work.txn, (ns, class, number))?;
    if !LABELS.delete(work.txn, (ns, class, text))? {
        return Ok(false);
    }
    if class == LabelClass::Session {
        // Only marks of used up positions are left there.
        TURNS.clear(work.txn, TURNS.within((ns, number)), usize::MAX)?;
    }
    work.unlabel(class, number);
    Ok(true)
}
