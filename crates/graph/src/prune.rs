//! Labels that nothing uses any more.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Transaction};
use annals_types::NamespaceId;

use crate::key::Parts;
use crate::keyspaces::{LABELS, NODES, ROWS, TRIPLES};
use crate::label::{self, LabelClass};
use crate::ledger::Ledger;
use crate::record::{EntityRecord, TripleRecord};
use crate::roster::LinkEnd;
use crate::{GraphError, LabelId, value};

/// Removes predicates, conditions, kinds and relations that no triple, entity or link uses any more; answers how many. Walks the whole graph
/// of the namespace: for when a file is compacted. Their numbers are not given again.
///
/// # Errors
/// When the storage fails.
pub fn prune_labels(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<usize, GraphError> {
    let mut ledger = Ledger::open(txn, ns)?;
    let used = used(&ledger)?;
    let mut unused = Vec::new();
    value::scan(ledger.reads, &[KeyRange::prefix(LABELS, &ns.prefix())], &mut |_, key, version, body| {
        let mut parts = Parts::behind_namespace(key);
        let byte = parts.byte().unwrap_or(u8::MAX);
        let class = LabelClass::ALL.iter().find(|class| class.to_byte() == byte);
        if let Some(class) = class {
            let number: LabelId = value::decode(LABELS, key, version, body)?;
            if !used.contains(&(*class, number)) {
                unused.push((key.to_vec(), label::by_number(ns, *class, number)));
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let pruned = unused.len();
    for (text, number) in unused {
        ledger.delete(LABELS, text);
        ledger.delete(LABELS, number);
    }
    ledger.finish()?.write(txn)?;
    Ok(pruned)
}

fn used(ledger: &Ledger<'_>) -> Result<BTreeSet<(LabelClass, LabelId)>, GraphError> {
    let mut used = BTreeSet::new();
    let ranges = [NODES, TRIPLES, ROWS].map(|keyspace| KeyRange::prefix(keyspace, &ledger.ns.prefix()));
    value::scan(ledger.reads, &ranges, &mut |range, key, version, body| {
        match (range, key.len()) {
            (0, 8) => {
                let record: EntityRecord = value::decode(NODES, key, version, body)?;
                used.insert((LabelClass::Kind, LabelId(record.kind)));
            }
            (1, 8) => {
                let record: TripleRecord = value::decode(TRIPLES, key, version, body)?;
                used.insert((LabelClass::Predicate, record.predicate));
                used.extend(record.qualifier.condition().map(|label| (LabelClass::Condition, label)));
            }
            (2, _) => used.extend(LinkEnd::parse(key).map(|end| (LabelClass::Relation, end.relation))),
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(used)
}
