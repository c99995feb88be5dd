//! New revisions of memories: by a person, who gives a text, and by jobs, which change the traits
//! of a text that stays.

use std::collections::BTreeSet;
use std::sync::Arc;

use annals_graph::Yield;
use annals_lifecycle::State;
use annals_records::{NamedTimes, Updated};
use annals_storage::table::Mark;
use annals_storage::{Reads, Table, Transaction};
use annals_text::Forward;
use annals_types::{Body, MemoryId, NamespaceId, NewMemory, Row, Status, Timestamp};
use annals_vector::Shape;
use annals_vector::store::{Space, Spaces};

use crate::Error;
use crate::compiled::support;
use crate::embed::Prepared;
use crate::extension::Revised;
use crate::timed::named_times;
use crate::write::index;
use crate::{Change, Engine, WriteCx, embed, ends, late, life, noted, stale, suspicions};

/// Revisions that a job made. Any other one is a person's.
pub(crate) const MADE: Table<(NamespaceId, Row), Mark> = Table::new("annals.made");

/// The revision from which a memory goes back to an earlier one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RevisionFacts {
    /// Whether its text stays.
    pub(crate) same_text: bool,
    /// Whether it was noted which triples it brought.
    pub(crate) noted: bool,
}

/// Those of some rows that are a job's revisions.
pub(crate) fn made(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Row>, Error> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let found = MADE.get_many(reads, rows.iter().map(|row| (ns, *row)))?;
    Ok(rows
        .iter()
        .zip(found)
        .filter(|(_, mark)| mark.is_some())
        .map(|(row, _)| *row)
        .collect())
}

/// Of memories with all their rows, whether a person changed each: one of its later rows is not a
/// job's.
pub(crate) fn edited(
    reads: &dyn Reads,
    ns: NamespaceId,
    memories: &[Vec<Row>],
) -> Result<Vec<bool>, Error> {
    let later = |rows: &[Row]| {
        let first = rows.iter().min().copied();
        rows.iter()
            .copied()
            .filter(move |row| Some(*row) != first)
            .collect::<Vec<Row>>()
    };
    let all: Vec<Row> = memories.iter().flat_map(|rows| later(rows)).collect();
    let made: BTreeSet<Row> = made(reads, ns, &all)?.into_iter().collect();
    Ok(memories
        .iter()
        .map(|rows| later(rows).iter().any(|row| !made.contains(row)))
        .collect())
}

/// Notes that a revision is a job's, or was derived, and no edit of a person.
pub(crate) fn note_made(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row) -> Result<(), Error> {
    Ok(MADE.put(txn, (ns, row), &())?)
}

/// Drops what is noted of rows that are about to go.
pub(crate) fn unmake(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<(), Error> {
    for row in made(&*txn, ns, rows)? {
        MADE.delete(txn, (ns, row))?;
    }
    Ok(())
}

/// Rows noted as a job's that are not there.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let found = MADE.rows(reads, MADE.within(ns), usize::MAX)?;
    let rows: Vec<Row> = found.into_iter().map(|((_, row), ())| row).collect();
    let found = annals_records::ids_of(reads, ns, &rows)?;
    let missing = rows.iter().zip(found).filter(|(_, id)| id.is_none());
    Ok(missing
        .map(|(row, _)| format!("a job made row {}, which is not there", row.0))
        .collect())
}

impl Engine {
    /// Stores a new text under the id of a memory, or under `new_id`. `with` changes how its life
    /// goes on.
    pub fn update_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (id, new_id): (MemoryId, Option<MemoryId>),
        prepared: &Prepared,
        yields: Yield<'_>,
        with: impl FnOnce(&mut State),
    ) -> Result<Updated, Error> {
        let named_times = named_times(&cx.profile.settings)?;
        let updated = replace(
            cx,
            (id, new_id),
            (&prepared.memory, &named_times),
            yields,
            with,
        )?;
        stale::clear(cx.txn, cx.ns, &[id])?;
        let space = self.own_space(cx.txn, cx.ns)?;
        index_one(cx, space, updated.row, prepared)?;
        if matches!(yields, Yield::These([])) {
            let layer = prepared.memory.body().layer;
            self.interpret_later(cx, updated.id, layer)?;
        }
        Ok(updated)
    }

    /// The same by a job, not by a person.
    pub fn remake_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        prepared: &Prepared,
        yields: Yield<'_>,
    ) -> Result<Updated, Error> {
        let updated = self.update_in(cx, (id, None), prepared, yields, |_| {})?;
        note_made(cx.txn, cx.ns, updated.row)?;
        Ok(updated)
    }

    /// Changes what is known of a memory whose text stays, by its current row. A job does so, not a
    /// person.
    pub fn revise_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        row: Row,
        alter: impl FnOnce(&mut Body),
        with: impl FnOnce(&mut State),
    ) -> Result<Updated, Error> {
        let found = annals_records::memories(&*cx.txn, cx.ns, &[row], None)?
            .pop()
            .flatten();
        let missing =
            || Error::internal(format!("row {} is to be revised and is not there", row.0));
        let memory = found.ok_or_else(missing)?;
        let mut body = memory.body;
        let tags = body.tags.clone();
        alter(&mut body);
        let forward = (body.tags != tags).then(|| embed::forward(&body));
        let revised = NewMemory::from_body(body)?.with_status(memory.status);
        let named_times = named_times(&cx.profile.settings)?;
        let updated = replace(
            cx,
            (memory.id, None),
            (&revised, &named_times),
            Yield::Same,
            with,
        )?;
        note_made(cx.txn, cx.ns, updated.row)?;
        let own = self.own_space(cx.txn, cx.ns)?;
        copy_indexes(cx, own, (row, updated.row), forward)?;
        Ok(updated)
    }

    /// Lets a memory be in force again that another one superseded which is gone, with that one's
    /// status and life; one that was hidden before stays so.
    pub(crate) fn revive_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        id: MemoryId,
        (status, state): (Status, Option<State>),
    ) -> Result<(), Error> {
        let Some((row, memory)) = annals_records::get(&*cx.txn, cx.ns, id, None)? else {
            return Ok(());
        };
        let hidden = matches!(memory.status, Status::Forgotten | Status::Archived);
        let status = if hidden { memory.status } else { status };
        let mut body = memory.body;
        let here = annals_records::find_rows(&*cx.txn, cx.ns, &body.provenance)?;
        let mut here = here.iter().map(Option::is_some);
        body.provenance.retain(|_| here.next().unwrap_or(false));
        let revived = NewMemory::from_body(body)?.with_status(status);
        let before = memory.named_times;
        let named_times = |_: &str, _: Timestamp| before.clone();
        let updated = replace(
            cx,
            (id, None),
            (&revived, &named_times),
            Yield::Same,
            |_| {},
        )?;
        note_made(cx.txn, cx.ns, updated.row)?;
        if let Some(mut state) = state {
            if state.status != status {
                (state.status, state.status_since) = (status, cx.now);
            }
            let terms = cx.terms()?;
            let lived = annals_lifecycle::register(
                cx.txn,
                cx.ns,
                &terms.regime(),
                cx.now,
                vec![(updated.row, state)],
            )?;
            cx.add_life([lived]);
        }
        life::derive(cx, (updated.row, status), revived.body())?;
        let own = self.own_space(cx.txn, cx.ns)?;
        copy_indexes(cx, own, (row, updated.row), None)
    }

    /// Gives a memory back an earlier row: its body and its triples. This is a job's revision, not
    /// a person's.
    pub(crate) fn return_in(
        &self,
        cx: &mut WriteCx<'_, '_>,
        (id, told): (MemoryId, RevisionFacts),
        (earlier, prepared): (Row, &Prepared),
    ) -> Result<Updated, Error> {
        let remembered = cx.profile.settings.graph.update_keeps_history;
        let layer = prepared.memory.body().layer;
        let keeps = match told {
            // The triples that the revision brought went before: the others are older, or came
            // since.
            RevisionFacts {
                noted: true,
                same_text,
            } => same_text || !self.interprets(cx.profile, layer),
            RevisionFacts {
                noted: false,
                same_text,
            } => same_text && !remembered,
        };
        let yields = if keeps {
            Yield::Same
        } else {
            Yield::These(&[])
        };
        let before = annals_records::memories(&*cx.txn, cx.ns, &[earlier], None)?
            .pop()
            .flatten();
        let before = before.map(|before| before.named_times).unwrap_or_default();
        let named_times = |_: &str, _: Timestamp| before.clone();
        let updated = replace(
            cx,
            (id, None),
            (&prepared.memory, &named_times),
            yields,
            |_| {},
        )?;
        let complete = told.same_text && keeps;
        if remembered && !complete {
            annals_graph::carry(cx.txn, cx.scope(), earlier, updated.row, Yield::Same)?;
        } else if !told.same_text {
            self.interpret_later(cx, id, layer)?;
        }
        note_made(cx.txn, cx.ns, updated.row)?;
        let space = self.own_space(cx.txn, cx.ns)?;
        index_one(cx, space, updated.row, prepared)?;
        Ok(updated)
    }
}

/// Replaces a row in records, life and graph. The caller replaces data derived from its text.
fn replace(
    cx: &mut WriteCx<'_, '_>,
    (id, new_id): (MemoryId, Option<MemoryId>),
    (memory, named_times): (&NewMemory, &NamedTimes<'_>),
    yields: Yield<'_>,
    with: impl FnOnce(&mut State),
) -> Result<Updated, Error> {
    let (ns, now) = (cx.ns, cx.now);
    let states = annals_records::status_history(&*cx.txn, ns, id)?;
    let before = annals_records::get(&*cx.txn, ns, id, None)?;
    let written = annals_records::update(cx.txn, ns, now, id, memory, new_id, named_times)?;
    let (old, new) = (written.outcome.replaced, written.outcome.row);
    if let Some((_, before)) = &before {
        noted::remove(cx.txn, ns, old, &before.body)?;
        if before.body.text != memory.text() {
            suspicions::forget(cx.txn, ns, &[id])?;
        }
    }
    noted::put(cx.txn, ns, new, memory.body())?;
    cx.add_records(written.delta);
    life::replaced(cx, (old, new), with)?;
    life::introduce(cx.txn, ns, old, &states)?;
    annals_graph::carry(cx.txn, cx.scope(), old, new, yields)?;
    annals_graph::status_changed(cx.txn, ns, now, &[new], support(memory.status()))?;
    ends::put(cx.txn, ns, new, memory.body())?;
    ends::settle(cx.txn, ns, now, &[new])?;
    if let Some((_, before)) = &before {
        let revised = Revised {
            before,
            from: old,
            id: written.outcome.id,
            to: new,
            body: memory.body(),
            status: memory.status(),
        };
        cx.extensions.revised(cx, &revised)?;
    }
    Ok(written.outcome)
}

/// Gives a new row what follows from the text of an old one, which is also its own; its words are
/// `forward` where its tags are others.
fn copy_indexes(
    cx: &mut WriteCx<'_, '_>,
    own: Space,
    (old, new): (Row, Row),
    forward: Option<Forward>,
) -> Result<(), Error> {
    let ns = cx.ns;
    let mut change = Change::default();
    let forward = match forward {
        Some(forward) => forward,
        None => annals_text::store::forwards(&*cx.txn, ns, &[old])?
            .pop()
            .flatten()
            .ok_or_else(|| {
                Error::damaged(
                    annals_text::store::FORWARD,
                    format_args!("row {} has no forward list", old.0),
                )
            })?,
    };
    annals_text::store::put(cx.txn, ns, new, &forward)?;
    change.forwards.push((new, Arc::new(forward)));
    let mut waits = true;
    for info in Spaces::read(&*cx.txn, ns)?.all() {
        let space = info.space(ns);
        let shape = Shape::new(usize::try_from(info.dims).unwrap_or(0))?;
        if let Some(code) = space.get(&*cx.txn, shape, old)? {
            space.put(cx.txn, new, &code)?;
            cx.add(Change {
                codes: vec![(new, code)],
                space: Some(space),
                ..Change::default()
            });
            waits &= space != own;
        }
    }
    // The old row waits for its vector, or has one of another embedder alone: this one would have
    // none when the others are cleared.
    if waits {
        late::note(cx.txn, ns, new)?;
        change.late = true;
    }
    cx.add(change);
    Ok(())
}

/// Writes what is derived from the text of one row.
fn index_one(
    cx: &mut WriteCx<'_, '_>,
    space: Space,
    row: Row,
    prepared: &Prepared,
) -> Result<(), Error> {
    let mut change = Change::default();
    index(cx, space, row, prepared, &mut change)?;
    cx.add(change);
    Ok(())
}
