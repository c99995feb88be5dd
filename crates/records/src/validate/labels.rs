use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::{KeyRange, Reads};
use annals_types::NamespaceId;

use super::{Difference, Validation};
use crate::keyspaces::{HEADS, LABELS, ROWS};
use crate::read::label_numbers;
use crate::{Head, LabelClass, LabelId, RecordError, key, record, value};

type Numbered = BTreeMap<(LabelClass, LabelId), String>;

pub(super) fn check(reads: &dyn Reads, ns: NamespaceId, report: &mut Validation) -> Result<(), RecordError> {
    let (mut by_text, mut by_number) = (Numbered::new(), Numbered::new());
    let read = read_labels(reads, ns, &mut by_text, &mut by_number, report);
    report.note(LABELS, read)?;
    for (at, text) in &by_text {
        if by_number.get(at) != Some(text) {
            let (class, number) = *at;
            report.add(Difference::Label { class, number: number.0, what: "its number does not lead back to it" });
        }
    }
    for (class, number) in by_number.keys().filter(|at| !by_text.contains_key(at)) {
        report.add(Difference::Label { class: *class, number: number.0, what: "it has a number but no entry" });
    }
    if let Ok(head) = Head::read(reads, ns) {
        let beyond =
            |(class, number): &&(LabelClass, LabelId)| head.labels.get(class.index()).is_none_or(|n| number.0 > *n);
        for (class, number) in by_text.keys().filter(beyond) {
            report.add(Difference::Label { class: *class, number: number.0, what: "its number was never given" });
        }
    } else {
        report.add(Difference::Unreadable { keyspace: HEADS, error: "the head cannot be read".to_owned() });
    }
    let used = used_labels(reads, ns);
    match used {
        Err(error) => report.note(ROWS, Err(error)),
        Ok(used) => {
            for (class, number) in used.into_iter().filter(|at| !by_text.contains_key(at)) {
                report.add(Difference::Label { class, number: number.0, what: "a row has it but it does not exist" });
            }
            Ok(())
        }
    }
}

fn read_labels(
    reads: &dyn Reads,
    ns: NamespaceId,
    by_text: &mut Numbered,
    by_number: &mut Numbered,
    report: &mut Validation,
) -> Result<(), RecordError> {
    value::scan(reads, &[KeyRange::prefix(LABELS, &ns.prefix())], &mut |_, key, version, body| {
        let Some((class, rest)) = key::tail(key).split_first() else { return Ok(ControlFlow::Continue(())) };
        let back = class & key::BY_NUMBER != 0;
        let class = LabelClass::from_byte(class & !key::BY_NUMBER);
        let number: Option<LabelId> = if back {
            rest.try_into().ok().map(|bytes| LabelId(u32::from_be_bytes(bytes)))
        } else {
            Some(value::decode(LABELS, key, version, body)?)
        };
        let text = std::str::from_utf8(if back { body } else { rest }).ok();
        let (Some(class), Some(number), Some(text)) = (class, number, text) else {
            report.add(Difference::Unreadable { keyspace: LABELS, error: "a key is no label".to_owned() });
            return Ok(ControlFlow::Continue(()));
        };
        let side = if back { &mut *by_number } else { &mut *by_text };
        if side.insert((class, number), text.to_owned()).is_some() {
            report.add(Difference::Label { class, number: number.0, what: "two labels have its number" });
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Every label that a row has.
pub(crate) fn used_labels(reads: &dyn Reads, ns: NamespaceId) -> Result<BTreeSet<(LabelClass, LabelId)>, RecordError> {
    let mut used = BTreeSet::new();
    value::scan(reads, &[KeyRange::prefix(ROWS, &ns.prefix())], &mut |_, key, version, body| {
        used.extend(label_numbers(&record::open(key, version, body)?));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(used)
}
