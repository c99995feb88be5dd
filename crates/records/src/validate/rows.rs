use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_storage::table::scan_rows;
use annals_types::{MemoryId, NamespaceId, Row, Status};

use super::{Difference, Validation};
use crate::record::RowRecord;
use crate::tables::{EVENTS, HEADS, IDS, ROWS, STATES, TURNS};
use crate::{Head, RecordError};

/// The rows that the other structures are compared with.
struct RowFacts {
    id: MemoryId,
    revision: u32,
    born: Status,
    status: Status,
    place: Option<(u32, u32)>,
    replaces: Option<Row>,
    supersedes: Option<MemoryId>,
    dead: bool,
    successor: Option<Row>,
    found_by_id: bool,
    found_by_place: bool,
}

impl RowFacts {
    fn of(record: &RowRecord<'_>) -> Self {
        Self {
            id: record.id,
            revision: record.revision,
            born: record.status,
            status: record.status,
            place: record
                .turn
                .as_ref()
                .map(|turn| (turn.session.0, turn.position)),
            replaces: record.replaces,
            supersedes: record.supersedes,
            dead: false,
            successor: None,
            found_by_id: false,
            found_by_place: false,
        }
    }
}

type Rows = HashMap<Row, RowFacts>;

pub(super) fn check(
    reads: &dyn Reads,
    ns: NamespaceId,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let mut rows = Rows::new();
    let head = match Head::read(reads, ns) {
        Ok(head) => head,
        Err(error) => {
            report.note(&HEADS, Err(error))?;
            Head::default()
        }
    };
    let read = read_rows(reads, ns, &head, &mut rows, report);
    report.note(&ROWS, read)?;
    let lives = check_lives(reads, ns, &mut rows, report);
    report.note(&STATES, lives)?;
    let ids = check_ids(reads, ns, &mut rows, report);
    report.note(&IDS, ids)?;
    let turns = check_turns(reads, ns, &mut rows, report);
    report.note(&TURNS, turns)?;
    check_chains(&rows, report);
    check_counts(&head, &rows, report);
    let events = check_events(reads, ns, &head, report);
    report.note(&EVENTS, events)
}

fn read_rows(
    reads: &dyn Reads,
    ns: NamespaceId,
    head: &Head,
    rows: &mut Rows,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let mut text_bytes = 0_u64;
    scan_rows(reads, &[ROWS.within(ns).into()], |_, stored| {
        report.rows += 1;
        let ((_, row), record) = match ROWS.read(&stored) {
            Ok(Some(found)) => found,
            Ok(None) => {
                return report
                    .note(&ROWS, Err(stored.unknown().into()))
                    .map(ControlFlow::Continue);
            }
            Err(error) => {
                return report
                    .note(&ROWS, Err(error.into()))
                    .map(ControlFlow::Continue);
            }
        };
        text_bytes += record.text_bytes();
        rows.insert(row, RowFacts::of(&record));
        if row.0 >= head.next_row {
            report.add(Difference::Row {
                row,
                what: "it has a number that was never given",
            });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    report.counter("text bytes", head.text_bytes, text_bytes);
    Ok(())
}

fn check_lives(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &mut Rows,
    report: &mut Validation,
) -> Result<(), RecordError> {
    STATES.scan(reads, STATES.within(ns), |(_, row), life| {
        let Some(known) = rows.get_mut(&row) else {
            report.add(Difference::Row {
                row,
                what: "it has a history but does not exist",
            });
            return Ok(ControlFlow::Continue(()));
        };
        let birth = life.changes.first();
        if birth.is_some_and(|birth| birth.status != known.born) {
            report.add(Difference::Row {
                row,
                what: "its history begins with another status than its own",
            });
        }
        known.status = life.status();
        known.dead = life.death.is_some();
        known.successor = life.death.and_then(|death| death.successor);
        Ok(ControlFlow::Continue(()))
    })
}

fn check_ids(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &mut Rows,
    report: &mut Validation,
) -> Result<(), RecordError> {
    IDS.scan(reads, IDS.within(ns), |(_, id), entry| {
        let mut bad = |what| report.add(Difference::Id { id, what });
        if !rows
            .get(&entry.first)
            .is_some_and(|known| known.id == id && known.revision == 1)
        {
            bad("its first row is not the first of this id");
        }
        match rows.get_mut(&entry.current).filter(|known| known.id == id) {
            None => bad("its current row does not exist or has another id"),
            Some(known) => known.found_by_id = true,
        }
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    for (row, _) in rows
        .iter()
        .filter(|(_, known)| !known.dead && !known.found_by_id)
    {
        report.add(Difference::Row {
            row: *row,
            what: "it is current but its id does not lead to it",
        });
    }
    Ok(())
}

fn check_turns(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &mut Rows,
    report: &mut Validation,
) -> Result<(), RecordError> {
    TURNS.scan(reads, TURNS.within(ns), |(_, session, position), row| {
        let Some(row) = row else {
            return Ok(ControlFlow::Continue(()));
        };
        let place = Some((session.0, position));
        match rows
            .get_mut(&row)
            .filter(|known| known.place == place && !known.dead)
        {
            Some(known) => known.found_by_place = true,
            None => report.add(Difference::Turn {
                session: session.0,
                position,
                what: "its row does not exist, was replaced or belongs elsewhere",
            }),
        }
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    let lost = rows
        .iter()
        .filter(|(_, known)| known.place.is_some() && !known.dead && !known.found_by_place);
    for (row, _) in lost {
        report.add(Difference::Row {
            row: *row,
            what: "it is a turn but its place in the session does not lead to it",
        });
    }
    Ok(())
}

fn check_chains(rows: &Rows, report: &mut Validation) {
    for (row, known) in rows {
        let mut bad = |what| report.add(Difference::Row { row: *row, what });
        if let Some(before) = known.replaces {
            match rows.get(&before) {
                None => bad("it replaces a row that does not exist"),
                Some(old) if old.successor != Some(*row) => {
                    bad("it replaces a row that knows another successor")
                }
                Some(old) if old.id != known.id && known.supersedes != Some(old.id) => {
                    bad("it replaces a row of an id that it does not name");
                }
                Some(old) if old.id == known.id && old.revision + 1 != known.revision => {
                    bad("its revision does not follow that of the row it replaces");
                }
                Some(_) => {}
            }
        } else if known.revision != 1 {
            bad("it is a later revision but replaces nothing");
        }
        if let Some(after) = known.successor
            && rows
                .get(&after)
                .is_none_or(|next| next.replaces != Some(*row))
        {
            bad("its successor does not replace it");
        }
    }
}

fn check_counts(head: &Head, rows: &Rows, report: &mut Validation) {
    for (status, name) in Status::ALL.iter().zip([
        "staged memories",
        "active memories",
        "archived memories",
        "forgotten memories",
    ]) {
        let counted = rows
            .values()
            .filter(|known| !known.dead && known.status == *status)
            .count();
        report.counter(name, head.count(*status), counted as u64);
    }
    let replaced = rows.values().filter(|known| known.dead).count();
    report.counter("replaced rows", head.replaced, replaced as u64);
}

fn check_events(
    reads: &dyn Reads,
    ns: NamespaceId,
    head: &Head,
    report: &mut Validation,
) -> Result<(), RecordError> {
    let mut expected = 0;
    EVENTS.scan(reads, EVENTS.within(ns), |(_, found), _| {
        if found != expected {
            report.add(Difference::Event { expected, found });
        }
        expected = found.saturating_add(1);
        Ok::<_, RecordError>(ControlFlow::Continue(()))
    })?;
    report.counter("next event", head.next_event, expected);
    Ok(())
}
