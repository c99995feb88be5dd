//! The last change of a caller is taken back: an edit, a status, a weight, a link, or the storing
//! of memories, as if they had never been.

use std::collections::BTreeSet;

use annals_records::{Event, Operation, RecordError};
use annals_storage::Reads;
use annals_types::profile::RelationClass;
use annals_types::{Layer, Memory, MemoryId, NamespaceId, Row, Status, Timestamp};

use crate::compiled::CompiledProfile;
use crate::decisions::{self, Decided};
use crate::effect::Effect;
use crate::resolve::{relation_of, since};
use crate::undone::{Undone, UndoneChange, UndoneMemory};
use crate::{Engine, WriteCx, revise};
use crate::{Error, Refusal};

/// Milliseconds in a minute.
const MINUTE: f64 = 60_000.0;
/// Events read at a time.
const EVENTS: usize = 256;

/// The last change that a caller made.
enum Last {
    /// It is kept under a number.
    Kept(u64, Decided),
    /// Memories were stored at a moment.
    Stored(Vec<MemoryId>, Timestamp),
    /// Something was stored at a moment that is taken back by name alone.
    Refused(Refusal, Timestamp),
}

impl Last {
    const fn at(&self) -> Timestamp {
        match self {
            Self::Kept(_, decided) => decided.at,
            Self::Stored(_, at) | Self::Refused(_, at) => *at,
        }
    }
}

impl Engine {
    /// Takes back the last change that a caller made, of one memory or of the namespace.
    pub fn undo(&self, ns: NamespaceId, only: Option<MemoryId>) -> Result<Undone, Error> {
        // The last change is another one once this one was taken back.
        if let Some(undone) = self.answered()? {
            return Ok(undone);
        }
        let snapshot = self.snapshot()?;
        let last = match only {
            Some(id) => last_of(&snapshot, ns, id)?,
            None => match self.last(&snapshot, ns)? {
                Some(last) => last,
                None => return Err(self.nothing_left(&snapshot, ns)?.into()),
            },
        };
        match last {
            Last::Refused(refusal, _) => Err(refusal.into()),
            Last::Stored(ids, _) => self.unstore(ns, &ids),
            Last::Kept(number, decided) => {
                self.undo_kept(ns, number, decided.is_of_telling())?;
                self.told(ns, &decided)
            }
        }
    }

    /// The moment of the last change that a caller made of a namespace and that
    /// [`undo`](Self::undo) would meet.
    pub fn last_change(&self, ns: NamespaceId) -> Result<Option<Timestamp>, Error> {
        Ok(self.last(&self.snapshot()?, ns)?.map(|last| last.at()))
    }

    /// The last change of a namespace.
    fn last(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Option<Last>, Error> {
        let kept = decisions::newest(reads, ns, None, |one| {
            one.stands_for_callers() || one.is_of_telling()
        })?;
        let from = kept.as_ref().map_or(0, |(_, decided)| decided.before);
        let profile = self.profiles.of(reads, ns)?;
        let mut below = annals_records::next_event(reads, ns)?;
        while below > from {
            let start = below
                .saturating_sub(u64::try_from(EVENTS).unwrap_or(u64::MAX))
                .max(from);
            let count = usize::try_from(below.saturating_sub(start)).unwrap_or(EVENTS);
            for event in annals_records::events(reads, ns, start, count)?
                .into_iter()
                .rev()
            {
                if let Some(last) = stored_by(reads, ns, &event)? {
                    return Ok(Some(last));
                }
                // Memories that were stored earlier are not taken back, either.
                if is_over(&profile, event.time, self.now()) {
                    below = from;
                }
            }
            below = below.min(start);
        }
        Ok(kept.map(|(number, decided)| Last::Kept(number, decided)))
    }

    /// Why nothing is taken back in a namespace without such a change.
    fn nothing_left(&self, reads: &dyn Reads, ns: NamespaceId) -> Result<Refusal, Error> {
        let minutes = self.profiles.of(reads, ns)?.settings.surface.undo_minutes;
        Ok(Refusal::NothingToUndo { minutes })
    }

    /// The state after a kept change was taken back.
    fn told(&self, ns: NamespaceId, decided: &Decided) -> Result<Undone, Error> {
        let snapshot = self.snapshot()?;
        let mut ids: Vec<MemoryId> = Vec::new();
        for id in decided.effects.iter().flat_map(Effect::memories) {
            let mut now = annals_records::get(&snapshot, ns, id, None)?.map(|(_, memory)| memory);
            while let Some(next) = now.as_ref().and_then(|memory| memory.superseded_by) {
                now = annals_records::get(&snapshot, ns, next, None)?.map(|(_, memory)| memory);
            }
            ids.extend(now.map(|memory| memory.id).filter(|id| !ids.contains(id)));
        }
        let memories = annals_records::find_rows(&snapshot, ns, &ids)?
            .into_iter()
            .flatten()
            .collect::<Vec<Row>>();
        let memories = annals_records::memories(&snapshot, ns, &memories, None)?
            .into_iter()
            .flatten();
        let memories = memories
            .map(|memory| UndoneMemory::of(memory, true))
            .collect();
        let change = UndoneChange::of(&decided.answer, decided.is_change());
        Ok(Undone {
            change,
            at: decided.at,
            memories,
            opened: Vec::new(),
        })
    }

    /// Erases memories that were stored a short while ago, and opens again what they ended.
    fn unstore(&self, ns: NamespaceId, ids: &[MemoryId]) -> Result<Undone, Error> {
        self.write(ns, |cx| {
            let now = cx.now;
            let (change, mut undone) = (UndoneChange::Stored, Vec::new());
            let (mut opened, mut first) = (Vec::new(), now);
            for id in ids {
                let (row, memory) = annals_records::get(&*cx.txn, ns, *id, None)?
                    .ok_or(RecordError::NotFound { id: *id })?;
                let stored_at = stored_alone(cx, (row, &memory))?;
                let ended = since(&memory.body, stored_at);
                opened.extend(self.open_again(cx, row, ended)?);
                first = first.min(stored_at);
                undone.push(UndoneMemory::of(memory, false));
            }
            self.unmake_in(cx, ids)?;
            opened.retain(|id| !ids.contains(id));
            Ok(Undone {
                change,
                at: first,
                memories: undone,
                opened,
            })
        })
    }

    /// Gives the memories that a row has succeeded, and that ended when it began, the end that they
    /// had before, if any.
    fn open_again(
        &self,
        cx: &mut WriteCx<'_, '_>,
        row: Row,
        ended: Timestamp,
    ) -> Result<Vec<MemoryId>, Error> {
        let mut opened = Vec::new();
        let Some(relation) = relation_of(cx.profile, RelationClass::Succession) else {
            return Ok(opened);
        };
        let links = annals_graph::links(&*cx.txn, cx.ns, row)?;
        let older = links
            .iter()
            .filter(|view| view.relation == relation && view.link.from == row);
        for older in older.map(|view| view.link.to).collect::<Vec<_>>() {
            let Some(memory) = annals_records::memories(&*cx.txn, cx.ns, &[older], None)?
                .pop()
                .flatten()
            else {
                continue;
            };
            if memory.superseded_by.is_some() || memory.body.valid_until != Some(ended) {
                continue;
            }
            let before = annals_records::history(&*cx.txn, cx.ns, memory.id)?;
            let before = before
                .iter()
                .rev()
                .map(|revision| revision.memory.body.valid_until);
            let until = before
                .into_iter()
                .find(|until| *until != Some(ended))
                .flatten();
            self.revise_in(cx, older, |body| body.valid_until = until, |_| {})?;
            opened.push(memory.id);
        }
        Ok(opened)
    }
}

/// The last change of a memory: what callers did to it since it was stored, or else that.
fn last_of(reads: &dyn Reads, ns: NamespaceId, id: MemoryId) -> Result<Last, Error> {
    let (_, memory) =
        annals_records::get(reads, ns, id, None)?.ok_or(RecordError::NotFound { id })?;
    let history = annals_records::history(reads, ns, id)?;
    let ids: BTreeSet<MemoryId> = history.iter().map(|revision| revision.memory.id).collect();
    let mut kept: Option<(u64, Decided)> = None;
    for id in ids {
        let own = |one: &Decided| {
            one.stands_for_callers() || one.is_of_telling() || one.gave_revision(id)
        };
        let found = decisions::newest(reads, ns, Some(id), own)?;
        kept = kept
            .into_iter()
            .chain(found)
            .max_by_key(|(number, _)| *number);
    }
    let stored = || Last::Stored(vec![id], memory.stored_at);
    Ok(kept.map_or_else(stored, |(number, decided)| Last::Kept(number, decided)))
}

/// What a caller stored with an event, as far as it still exists.
fn stored_by(reads: &dyn Reads, ns: NamespaceId, event: &Event) -> Result<Option<Last>, Error> {
    let rows: Vec<Row> = (0..event.rows)
        .filter_map(|more| Some(Row(event.row.0.checked_add(more)?)))
        .collect();
    let memories = match event.operation {
        Operation::Remembered | Operation::Imported => {
            annals_records::memories(reads, ns, &rows, None)?
        }
        _ => return Ok(None),
    };
    let memories: Vec<Memory> = memories.into_iter().flatten().collect();
    if memories.is_empty() {
        return Ok(None);
    }
    if event.operation == Operation::Imported {
        return Ok(Some(Last::Refused(Refusal::LastWasImport {}, event.time)));
    }
    if memories
        .iter()
        .any(|memory| matches!(memory.body.layer, Layer::Turn | Layer::Working))
    {
        return Ok(Some(Last::Refused(Refusal::LastWasTurns {}, event.time)));
    }
    // Memories derived from others were made by a job.
    if memories
        .iter()
        .all(|memory| !memory.body.provenance.is_empty())
    {
        return Ok(None);
    }
    let ids: BTreeSet<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    Ok(Some(Last::Stored(ids.into_iter().collect(), event.time)))
}

/// Whether what was stored at a moment stays.
#[expect(clippy::cast_precision_loss, reason = "minutes of a human life fit")]
fn is_over(profile: &CompiledProfile, stored_at: Timestamp, now: Timestamp) -> bool {
    now.millis_since(stored_at) as f64 >= profile.settings.surface.undo_minutes * MINUTE
}

/// The moment at which a memory was stored that has no other change; an error for one that was
/// changed since, or stored too long ago.
fn stored_alone(cx: &WriteCx<'_, '_>, (row, memory): (Row, &Memory)) -> Result<Timestamp, Error> {
    let id = memory.id;
    let history = annals_records::history(cx.txn, cx.ns, id)?;
    let own = history
        .iter()
        .map(|revision| &revision.memory)
        .filter(|memory| memory.id == id);
    let stored_at = own
        .clone()
        .next()
        .map_or(memory.stored_at, |first| first.stored_at);
    if is_over(cx.profile, stored_at, cx.now) {
        let minutes = cx.profile.settings.surface.undo_minutes;
        return Err(Refusal::StoredTooLongAgo { id, minutes }.into());
    }
    if own.clone().any(|memory| memory.supersedes.is_some()) {
        return Err(Refusal::ReplacedOneGone { id }.into());
    }
    // Where nothing tells why, its first text is not erased with the one that it has now.
    let says_more = own
        .clone()
        .next()
        .is_some_and(|first| first.body.text != memory.body.text);
    let hidden = matches!(memory.status, Status::Forgotten | Status::Archived);
    let first = annals_records::status_history(cx.txn, cx.ns, id)?
        .first()
        .map(|(_, status)| *status);
    let by_hand = by_hand(cx.txn, cx.ns, id)?
        .into_iter()
        .any(|other| other <= row);
    if by_hand || says_more || (hidden && first != Some(memory.status)) {
        return Err(Refusal::ChangedAfterStoring { id }.into());
    }
    Ok(stored_at)
}

/// The later rows of a memory that neither a job made nor an edit that was taken back.
fn by_hand(reads: &dyn Reads, ns: NamespaceId, id: MemoryId) -> Result<Vec<Row>, Error> {
    let rows = annals_records::rows_of(reads, ns, &[id])?
        .pop()
        .unwrap_or_default();
    let later = rows.get(1..).unwrap_or_default();
    let made = revise::made(reads, ns, later)?;
    let mut undone = BTreeSet::new();
    for (_, decided) in decisions::list(reads, ns, Some(id), usize::MAX)? {
        let to = decided.effects.iter().filter_map(|effect| match effect {
            Effect::Edited { by, to, .. } if *by == id => Some(*to),
            _ => None,
        });
        undone.extend(to.filter(|_| decided.undone_at.is_some()));
    }
    let memories = annals_records::memories(reads, ns, later, None)?;
    let pairs = later.iter().zip(memories).filter(|(row, memory)| {
        !made.contains(row)
            && memory
                .as_ref()
                .is_some_and(|memory| !undone.contains(&memory.revision))
    });
    Ok(pairs.map(|(row, _)| *row).collect())
}
