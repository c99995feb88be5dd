use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_storage::table::scan_rows;
use annals_types::NamespaceId;

use super::{Difference, Validation};
use crate::read::label_numbers;
use crate::tables::{HEADS, LABEL_TEXTS, LABELS, ROWS};
use crate::{Head, LabelClass, LabelId, RecordError};

type Numbered = BTreeMap<(LabelClass, LabelId), String>;

pub(super) fn check(
    reads: &dyn Reads,
    ns: NamespaceId,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let (mut by_text, mut by_number) = (Numbered::new(), Numbered::new());
    let read = read_labels(reads, ns, &mut by_text, &mut by_number, report);
    report.note(&LABELS, read)?;
    for (at, text) in &by_text {
        if by_number.get(at) != Some(text) {
            let (class, number) = *at;
            report.add(Difference::Label {
                class,
                number: number.0,
                what: "its number does not lead back to it",
            });
        }
    }
    for (class, number) in by_number.keys().filter(|at| !by_text.contains_key(at)) {
        report.add(Difference::Label {
            class: *class,
            number: number.0,
            what: "it has a number but no entry",
        });
    }
    if let Ok(head) = Head::read(reads, ns) {
        let beyond = |(class, number): &&(LabelClass, LabelId)| {
            head.labels.get(class.index()).is_none_or(|n| number.0 > *n)
        };
        for (class, number) in by_text.keys().filter(beyond) {
            report.add(Difference::Label {
                class: *class,
                number: number.0,
                what: "its number was never given",
            });
        }
    } else {
        report.add(Difference::Unreadable {
            keyspace: HEADS.keyspace(),
            error: "the head cannot be read".to_owned(),
        });
    }
    let used = used_labels(reads, ns);
    match used {
        Err(error) => report.note(&ROWS, Err(error)),
        Ok(used) => {
            for (class, number) in used.into_iter().filter(|at| !by_text.contains_key(at)) {
                report.add(Difference::Label {
                    class,
                    number: number.0,
                    what: "a row has it but it does not exist",
                });
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
    scan_rows(reads, &[LABELS.within(ns).into()], |_, row| {
        let (side, class, number, text) =
            if let Some(((_, class, text), number)) = LABELS.read(&row)? {
                (&mut *by_text, class, number, text)
            } else if let Some(((_, class, number), text)) = LABEL_TEXTS.read(&row)? {
                (&mut *by_number, class, number, text)
            } else {
                report.add(Difference::Unreadable {
                    keyspace: row.keyspace,
                    error: "a key is no label".to_owned(),
                });
                return Ok(ControlFlow::Continue(()));
            };
        if side.insert((class, number), text.to_owned()).is_some() {
            report.add(Difference::Label {
                class,
                number: number.0,
                what: "two labels have its number",
            });
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Every label that a row has.
pub(crate) fn used_labels(
    reads: &dyn Reads,
    ns: NamespaceId,
) -> Result<BTreeSet<(LabelClass, LabelId)>, RecordError> {
    let mut used = BTreeSet::new();
    ROWS.scan(reads, ROWS.within(ns), |_, record| {
        used.extend(label_numbers(&record));
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    Ok(used)
}
