//! Labels that nothing uses any more.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::table::scan_rows;
use annals_storage::{KeyRange, Transaction};
use annals_types::NamespaceId;

use crate::label::LabelClass;
use crate::ledger::Ledger;
use crate::tables::{ENTITIES, LABEL_TEXTS, LABELS, LINKS, ROWS, TRIPLES};
use crate::{GraphError, LabelId};

/// Removes predicates, conditions, kinds and relations that no triple, entity or link uses any
/// more; answers how many. Walks the whole graph of the namespace: for when a file is compacted.
/// Their numbers are not given again.
///
/// # Errors
/// When the storage fails.
pub fn prune_labels(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<usize, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let used = used(&ledger)?;
    let mut unused = Vec::new();
    let by_text: Vec<KeyRange> = LabelClass::ALL
        .iter()
        .map(|class| LABELS.within((ns, *class)).into())
        .collect();
    LABELS.scan_many(ledger.reads, &by_text, |_, (_, class, text), number| {
        if !used.contains(&(class, number)) {
            unused.push((class, text.to_owned(), number));
        }
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    let pruned = unused.len();
    for (class, text, number) in unused {
        ledger.delete(&LABELS, (ns, class, &text));
        ledger.delete(&LABEL_TEXTS, (ns, class, number));
    }
    ledger.finish()?.write(txn)?;
    Ok(pruned)
}

fn used(ledger: &Ledger<'_>) -> Result<BTreeSet<(LabelClass, LabelId)>, GraphError> {
    let mut used = BTreeSet::new();
    let ns = ledger.ns;
    let ranges = [
        ENTITIES.within(ns).into(),
        TRIPLES.within(ns).into(),
        ROWS.within(ns).into(),
    ];
    scan_rows(ledger.reads, &ranges, |_, row| {
        if let Some((_, record)) = ENTITIES.read(&row)? {
            used.insert((LabelClass::Kind, LabelId(record.kind)));
        } else if let Some((_, record)) = TRIPLES.read(&row)? {
            used.insert((LabelClass::Predicate, record.predicate));
            used.extend(
                record
                    .qualifier
                    .condition()
                    .map(|label| (LabelClass::Condition, label)),
            );
        } else if let Some(((_, _, _, relation, _), _)) = LINKS.read(&row)? {
            used.insert((LabelClass::Relation, relation));
        }
        Ok::<_, GraphError>(ControlFlow::Continue(()))
    })?;
    Ok(used)
}
