//! New revisions of memories: by a person, who says a text, and by jobs, which change what is known of a text that stays.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use annals_graph::{Scope, Yield};
use annals_lifecycle::State;
use annals_records::{NamedTimes, Updated};
use annals_storage::{Keyspace, Reads, Transaction};
use annals_types::{Body, MemoryId, NamespaceId, NewMemory, Row, Status, Timestamp};
use annals_vector::Shape;
use annals_vector::store::{Space, Spaces};

use super::embed::Prepared;
use super::rulebooks::{Rulebook, support};
use super::timed::named_times;
use super::write::{Done, index};
use super::{Change, Engine, claims, ends, late, life, stale, suspicions};
use crate::Error;

/// Namespace, row -> nothing: a revision that a job made. Any other one is a person's.
pub(crate) const MADE: Keyspace = Keyspace::new("annals.made").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;

/// Where, when and by which rules something is revised.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) ns: NamespaceId,
    pub(crate) now: Timestamp,
    pub(crate) rulebook: &'a Rulebook,
}

impl<'a> Place<'a> {
    pub(crate) fn scope(&self) -> Scope<'a> {
        Scope { ns: self.ns, now: self.now, settings: &self.rulebook.profile.graph }
    }
}

/// What is known of the revision from which a memory is given back what it was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told {
    /// Whether its text stays.
    pub(crate) same_text: bool,
    /// Whether it was noted which triples it brought.
    pub(crate) noted: bool,
}

fn made_key(ns: NamespaceId, row: Row) -> Vec<u8> {
    let mut key = ns.prefix().to_vec();
    key.extend_from_slice(&row.0.to_be_bytes());
    key
}

/// Those of some rows that are a job's revisions.
pub(crate) fn made(reads: &dyn Reads, ns: NamespaceId, rows: &[Row]) -> Result<Vec<Row>, Error> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<Vec<u8>> = rows.iter().map(|row| made_key(ns, *row)).collect();
    let asked: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (MADE, key.as_slice())).collect();
    let found = reads.multi_get(&asked)?;
    Ok(rows.iter().zip(found).filter(|(_, stored)| stored.is_some()).map(|(row, _)| *row).collect())
}

/// Of memories with all their rows, whether a person changed each: one of its later rows is not a job's.
pub(crate) fn edited(reads: &dyn Reads, ns: NamespaceId, memories: &[Vec<Row>]) -> Result<Vec<bool>, Error> {
    let later = |rows: &[Row]| {
        let first = rows.iter().min().copied();
        rows.iter().copied().filter(move |row| Some(*row) != first).collect::<Vec<Row>>()
    };
    let all: Vec<Row> = memories.iter().flat_map(|rows| later(rows)).collect();
    let made: BTreeSet<Row> = made(reads, ns, &all)?.into_iter().collect();
    Ok(memories.iter().map(|rows| later(rows).iter().any(|row| !made.contains(row))).collect())
}

/// Notes that a revision is a job's, or was derived, and no edit of a person.
pub(crate) fn note_made(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row) -> Result<(), Error> {
    Ok(txn.put(MADE, &made_key(ns, row), VERSION, &[])?)
}

/// Drops what is noted of rows that are about to go.
pub(crate) fn unmake(txn: &mut Transaction<'_>, ns: NamespaceId, rows: &[Row]) -> Result<(), Error> {
    for row in made(&*txn, ns, rows)? {
        txn.delete(MADE, &made_key(ns, row))?;
    }
    Ok(())
}

/// Rows noted as a job's that are not there.
pub(crate) fn validate(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<String>, Error> {
    let mut rows = Vec::new();
    reads.scan(&[annals_storage::KeyRange::prefix(MADE, &ns.prefix())], &mut |_, key, _, _| {
        rows.extend(key.last_chunk::<4>().map(|bytes| Row(u32::from_be_bytes(*bytes))));
        Ok(ControlFlow::Continue(()))
    })?;
    let found = annals_records::ids_of(reads, ns, &rows)?;
    let missing = rows.iter().zip(found).filter(|(_, id)| id.is_none());
    Ok(missing.map(|(row, _)| format!("a job made row {}, which is not there", row.0)).collect())
}

impl Engine {
    /// Stores a new text under the id of a memory, or under `new_id`. `with` changes how its life goes on.
    pub(crate) fn update_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        (id, new_id): (MemoryId, Option<MemoryId>),
        prepared: &Prepared,
        yields: Yield<'_>,
        with: impl FnOnce(&mut State),
    ) -> Done<Updated> {
        let named_times = named_times(&at.rulebook.profile)?;
        let (updated, mut change) = replace(txn, at, (id, new_id), (&prepared.memory, &named_times), yields, with)?;
        stale::clear(txn, at.ns, &[id])?;
        let space = self.own_space(txn, at.ns)?;
        index(txn, at.ns, space, updated.row, prepared, &mut change)?;
        if matches!(yields, Yield::These([])) {
            let layer = prepared.memory.body().layer;
            self.interpret_later(txn, (at.ns, at.rulebook), (updated.id, layer), at.now)?;
        }
        Ok((updated, change))
    }

    /// The same by a job, not by a person.
    pub(crate) fn remake_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        id: MemoryId,
        prepared: &Prepared,
        yields: Yield<'_>,
    ) -> Done<Updated> {
        let (updated, change) = self.update_in(txn, at, (id, None), prepared, yields, |_| {})?;
        note_made(txn, at.ns, updated.row)?;
        Ok((updated, change))
    }

    /// Changes what is known of a memory whose text stays, by its current row. A job does so, not a person.
    pub(crate) fn revise_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        row: Row,
        alter: impl FnOnce(&mut Body),
        with: impl FnOnce(&mut State),
    ) -> Done<Updated> {
        let found = annals_records::memories(&*txn, at.ns, &[row], None)?.pop().flatten();
        let missing = || Error::internal(format!("row {} is to be revised and is not there", row.0));
        let memory = found.ok_or_else(missing)?;
        let mut body = memory.body;
        alter(&mut body);
        let revised = NewMemory::from_body(body)?.with_status(memory.status);
        let named_times = named_times(&at.rulebook.profile)?;
        let (updated, mut change) = replace(txn, at, (memory.id, None), (&revised, &named_times), Yield::Same, with)?;
        note_made(txn, at.ns, updated.row)?;
        let own = self.own_space(txn, at.ns)?;
        copy_indexes(txn, (at.ns, own), (row, updated.row), &mut change)?;
        Ok((updated, change))
    }

    /// Lets a memory be in force again that another one superseded which is gone, with that one's status and life; one
    /// that was hidden before stays so.
    pub(crate) fn revive_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        id: MemoryId,
        (status, state): (Status, Option<State>),
    ) -> Result<Change, Error> {
        let Some((row, memory)) = annals_records::get(&*txn, at.ns, id, None)? else { return Ok(Change::default()) };
        let hidden = matches!(memory.status, Status::Forgotten | Status::Archived);
        let status = if hidden { memory.status } else { status };
        let mut body = memory.body;
        let here = annals_records::find_rows(&*txn, at.ns, &body.provenance)?;
        let mut here = here.iter().map(Option::is_some);
        body.provenance.retain(|_| here.next().unwrap_or(false));
        let revived = NewMemory::from_body(body)?.with_status(status);
        let before = memory.named_times;
        let named_times = |_: &str, _: Timestamp| before.clone();
        let (updated, mut change) = replace(txn, at, (id, None), (&revived, &named_times), Yield::Same, |_| {})?;
        note_made(txn, at.ns, updated.row)?;
        if let Some(mut state) = state {
            if state.status != status {
                (state.status, state.status_since) = (status, at.now);
            }
            let terms = at.rulebook.terms(txn)?;
            let lived = annals_lifecycle::register(txn, at.ns, &terms.regime(), at.now, vec![(updated.row, state)])?;
            change.life.push(lived);
        }
        life::derive(txn, at.ns, at.now, (updated.row, status), revived.body())?;
        let own = self.own_space(txn, at.ns)?;
        copy_indexes(txn, (at.ns, own), (row, updated.row), &mut change)?;
        Ok(change)
    }

    /// Gives a memory back what it was in an earlier row: that body, and what that row said. A job's revision, not a person's.
    pub(crate) fn return_in(
        &self,
        txn: &mut Transaction<'_>,
        at: Place<'_>,
        (id, told): (MemoryId, Told),
        (earlier, prepared): (Row, &Prepared),
    ) -> Done<Updated> {
        let remembered = at.rulebook.profile.graph.update_keeps_history;
        let layer = prepared.memory.body().layer;
        let keeps = match told {
            // What the revision brought went before: the rest was said before it, or since.
            Told { noted: true, same_text } => same_text || !self.interprets(at.rulebook, layer),
            Told { noted: false, same_text } => same_text && !remembered,
        };
        let yields = if keeps { Yield::Same } else { Yield::These(&[]) };
        let before = annals_records::memories(&*txn, at.ns, &[earlier], None)?.pop().flatten();
        let before = before.map(|before| before.named_times).unwrap_or_default();
        let named_times = |_: &str, _: Timestamp| before.clone();
        let (updated, mut change) = replace(txn, at, (id, None), (&prepared.memory, &named_times), yields, |_| {})?;
        let complete = told.same_text && keeps;
        if remembered && !complete {
            annals_graph::carry(txn, at.scope(), earlier, updated.row, Yield::Same)?;
        } else if !told.same_text {
            self.interpret_later(txn, (at.ns, at.rulebook), (id, layer), at.now)?;
        }
        note_made(txn, at.ns, updated.row)?;
        let space = self.own_space(txn, at.ns)?;
        index(txn, at.ns, space, updated.row, prepared, &mut change)?;
        Ok((updated, change))
    }
}

/// Replaces a row in records, life and graph. What is derived from its text is the caller's.
fn replace(
    txn: &mut Transaction<'_>,
    at: Place<'_>,
    (id, new_id): (MemoryId, Option<MemoryId>),
    (memory, named_times): (&NewMemory, &NamedTimes<'_>),
    yields: Yield<'_>,
    with: impl FnOnce(&mut State),
) -> Done<Updated> {
    let Place { ns, now, rulebook } = at;
    let states = annals_records::status_history(&*txn, ns, id)?;
    let before = annals_records::get(&*txn, ns, id, None)?;
    let written = annals_records::update(txn, ns, now, id, memory, new_id, named_times)?;
    let (old, new) = (written.outcome.replaced, written.outcome.row);
    if let Some((_, before)) = &before {
        claims::drop(txn, ns, old, &before.body)?;
        if before.body.text != memory.text() {
            suspicions::forget(txn, ns, &[id])?;
        }
    }
    claims::put(txn, ns, new, memory.body())?;
    let lived = life::replaced(txn, ns, &rulebook.terms(txn)?.regime(), now, (old, new), with)?;
    life::introduce(txn, ns, old, &states)?;
    annals_graph::carry(txn, at.scope(), old, new, yields)?;
    annals_graph::status_changed(txn, ns, now, &[new], support(memory.status()))?;
    ends::put(txn, ns, new, memory.body())?;
    ends::settle(txn, ns, now, &[new])?;
    let change = Change { records: Some(written.delta), life: lived.into_iter().collect(), ..Change::default() };
    Ok((written.outcome, change))
}

/// Gives a new row what follows from the text of an old one, which is also its own.
fn copy_indexes(
    txn: &mut Transaction<'_>,
    (ns, own): (NamespaceId, Space),
    (old, new): (Row, Row),
    change: &mut Change,
) -> Result<(), Error> {
    let forward = annals_text::store::forwards(&*txn, ns, &[old])?.pop().flatten();
    let forward = forward.ok_or_else(|| {
        Error::damaged(annals_text::store::FORWARD, format_args!("row {} has no forward list", old.0))
    })?;
    annals_text::store::put(txn, ns, new, &forward)?;
    change.forwards.push((new, Arc::new(forward)));
    let mut waits = true;
    for info in Spaces::read(&*txn, ns)?.all() {
        let space = info.space(ns);
        let shape = Shape::new(usize::try_from(info.dims).unwrap_or(0))?;
        if let Some(code) = space.get(&*txn, shape, old)? {
            space.put(txn, new, &code)?;
            change.more.push(Change { codes: vec![(new, code)], space: Some(space), ..Change::default() });
            waits &= space != own;
        }
    }
    // The old row waits for its vector, or has one of another embedder alone: this one would have none when the others are cleared.
    if waits {
        late::note(txn, ns, new)?;
        change.late = true;
    }
    Ok(())
}
