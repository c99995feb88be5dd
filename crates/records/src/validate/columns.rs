use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_types::{Layer, NamespaceId, Row, Status};

use super::{Difference, Validation};
use crate::columns::Facts;
use crate::columns::block::Block;
use crate::tables::{COLUMNS, ROWS};
use crate::{Columns, LabelClass, RecordError};

pub(super) fn check(
    reads: &dyn Reads,
    ns: NamespaceId,
    columns: Option<&Columns>,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let blocks = check_blocks(reads, ns, report);
    report.note(&COLUMNS, blocks)?;
    let Some(columns) = columns else {
        return Ok(());
    };
    match Columns::load(reads, ns) {
        Ok(fresh) => {
            compare(columns, &fresh, report);
            Ok(())
        }
        Err(error) => report.note(&COLUMNS, Err(error)),
    }
}

/// Builds every block afresh from the rows and compares.
fn check_blocks(
    reads: &dyn Reads,
    ns: NamespaceId,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let mut covered = 0;
    for ((_, Row(first)), block) in COLUMNS.rows(reads, COLUMNS.within(ns), usize::MAX)? {
        if first < covered {
            report.add(Difference::Block {
                row: Row(first),
                what: "two blocks overlap",
            });
        }
        covered = first.saturating_add(u32::try_from(block.slots.len()).unwrap_or(u32::MAX));
        check_block(reads, ns, first..covered, &block, report)?;
    }
    Ok(())
}

fn check_block(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: std::ops::Range<u32>,
    block: &Block,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let mut seen = vec![false; block.slots.len()];
    let range = ROWS
        .within(ns)
        .from((ns, Row(rows.start)))
        .until((ns, Row(rows.end)));
    ROWS.scan(reads, range, |(_, row), record| {
        let at = row.0.saturating_sub(rows.start);
        if let Some(seen) = seen.get_mut(at as usize) {
            *seen = true;
        }
        if block.facts(at) != Some(Facts::of(&record)) {
            report.add(Difference::Block {
                row,
                what: "its slot does not say what the row says",
            });
        }
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    for (at, _) in (0_u32..).zip(&seen).filter(|(_, seen)| !**seen) {
        if block.facts(at).is_some() {
            let row = Row(rows.start.saturating_add(at));
            report.add(Difference::Block {
                row,
                what: "its slot is filled but the row does not exist",
            });
        }
    }
    Ok(())
}

/// Compares columns that were brought up to date with freshly loaded ones.
fn compare(columns: &Columns, fresh: &Columns, report: &mut Validation) {
    let mut bad = |row, what| report.add(Difference::Column { row, what });
    if columns.len() != fresh.len() {
        bad(Row(fresh.len()), "the number of rows differs");
    }
    for row in (0..fresh.len().max(columns.len())).map(Row) {
        if columns.get(row) != fresh.get(row) {
            bad(row, "its features differ");
        }
        if !columns.named_times(row).eq(fresh.named_times(row)) {
            bad(row, "its named times differ");
        }
        if columns.history(row) != fresh.history(row) {
            bad(row, "its history differs");
        }
        if columns.neighbours(row) != fresh.neighbours(row) {
            bad(row, "its neighbours differ");
        }
        if columns.tags(row) != fresh.tags(row) {
            bad(row, "its tags differ");
        }
    }
    for class in LabelClass::ALL {
        if !columns.labels(*class).eq(fresh.labels(*class)) {
            bad(Row(0), "the labels differ");
        }
    }
    for session in fresh.labels(LabelClass::Session).map(|(number, _)| number) {
        let same_ends = columns.session_end(session) == fresh.session_end(session);
        let same_rows = columns
            .session_rows(session)
            .eq(fresh.session_rows(session));
        if !same_ends || !same_rows || columns.session_len(session) != fresh.session_len(session) {
            bad(
                fresh.session_end(session).unwrap_or_default(),
                "its session differs",
            );
        }
    }
    let counts = |columns: &Columns| -> Vec<u32> {
        let pairs = Status::ALL
            .iter()
            .flat_map(|status| Layer::ALL.iter().map(move |layer| (status, layer)));
        pairs
            .map(|(status, layer)| columns.count(Some(*status), Some(*layer)))
            .collect()
    };
    if counts(columns) != counts(fresh) || columns.count_replaced() != fresh.count_replaced() {
        bad(Row(0), "the counts differ");
    }
}
