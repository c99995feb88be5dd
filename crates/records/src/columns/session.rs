//! The order of turns within a session: a doubly linked list through the slots.

use std::collections::BTreeSet;

use annals_types::Row;

use super::Columns;
use super::chunk::{RowChunk, split};
use super::slot::{NO_ROW, Slot};
use crate::LabelId;

/// The ends of a session and the number of its turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) turns: u32,
}

impl Default for Span {
    fn default() -> Self {
        Self {
            first: NO_ROW,
            last: NO_ROW,
            turns: 0,
        }
    }
}

/// Turns of one write that belong between others, by session, position and row. A file may bring
/// turns in any order: each of them alone would be looked for through the whole session.
#[derive(Debug, Default)]
pub(super) struct LateTurns(BTreeSet<(u32, u32, u32)>);

const fn some(row: u32) -> Option<Row> {
    if row == NO_ROW { None } else { Some(Row(row)) }
}

impl Columns {
    /// The turns of a session that are current, in order.
    pub fn session_rows(&self, session: LabelId) -> impl Iterator<Item = Row> + '_ {
        let first = self
            .sessions
            .entry(session.0)
            .and_then(|span| some(span.first));
        std::iter::successors(first, |row| {
            self.slot(*row).and_then(|slot| some(slot.next))
        })
    }

    /// The last turn of a session that is current.
    #[must_use]
    pub fn session_end(&self, session: LabelId) -> Option<Row> {
        some(self.sessions.entry(session.0)?.last)
    }

    /// How many current turns a session has.
    #[must_use]
    pub fn session_len(&self, session: LabelId) -> u32 {
        self.sessions.entry(session.0).map_or(0, |span| span.turns)
    }

    /// The turns before and after a row in its session. For a replaced row those of what stands in
    /// its place now.
    #[must_use]
    pub fn neighbours(&self, row: Row) -> (Option<Row>, Option<Row>) {
        let Some(slot) = self.slot(row) else {
            return (None, None);
        };
        if slot.linked() {
            return (some(slot.prev), some(slot.next));
        }
        let current = self.current(row).filter(|current| *current != row);
        match current.and_then(|current| self.slot(current)) {
            Some(now)
                if now.linked() && (now.session, now.position) == (slot.session, slot.position) =>
            {
                (some(now.prev), some(now.next))
            }
            _ => (None, None),
        }
    }

    /// The row that stands for a row now: itself, or the last of its successors.
    #[must_use]
    pub fn current(&self, row: Row) -> Option<Row> {
        let mut row = row;
        loop {
            self.slot(row)?;
            match self.history(row).and_then(|life| life.death) {
                None => return Some(row),
                // Rows rise along the chain, so that it ends.
                Some(death) => row = death.successor.filter(|next| *next > row)?,
            }
        }
    }

    /// Puts a row into its session: in the place of `instead_of`, or where its position belongs.
    /// What belongs between other turns waits for [`LateTurns::link`].
    pub(super) fn link(&mut self, row: Row, instead_of: Option<Row>, late: &mut LateTurns) {
        let Some(slot) = self.slot(row).copied().filter(Slot::linked) else {
            return;
        };
        let place = (slot.session, slot.position);
        let old = instead_of
            .and_then(|gone| Some((gone, *self.slot(gone).filter(|slot| slot.linked())?)));
        if let Some((gone, old)) = old.filter(|(_, old)| (old.session, old.position) == place) {
            if late.0.remove(&(old.session, old.position, gone.0)) {
                late.0.insert((slot.session, slot.position, row.0));
                return;
            }
            self.unlink(gone);
            self.link_behind(old.prev, row, slot.session);
            return;
        }
        let span = self
            .sessions
            .entry(slot.session)
            .copied()
            .unwrap_or_default();
        let position = |row| self.slot(Row(row)).map(|slot| slot.position);
        if position(span.first).is_some_and(|first| first > slot.position) {
            self.link_behind(NO_ROW, row, slot.session);
        } else if position(span.last).is_none_or(|last| last <= slot.position) {
            self.link_behind(span.last, row, slot.session);
        } else {
            late.0.insert((slot.session, slot.position, row.0));
        }
    }

    /// Puts a row behind another one of its session, or first.
    fn link_behind(&mut self, place: u32, row: Row, session: u32) {
        let next = match self.slot(Row(place)) {
            Some(prev) => prev.next,
            None => self
                .sessions
                .entry(session)
                .map_or(NO_ROW, |span| span.first),
        };
        self.join(session, place, row.0);
        self.join(session, row.0, next);
        if let Some(span) = self.sessions.entry_mut(session) {
            span.turns += 1;
        }
    }

    /// Takes a row out of its session.
    pub(super) fn unlink(&mut self, row: Row) {
        let Some(slot) = self.slot(row).copied() else {
            return;
        };
        let Some(span) = self.sessions.entry(slot.session).copied() else {
            return;
        };
        let alone = slot.prev == NO_ROW && slot.next == NO_ROW;
        if alone && span.first != row.0 {
            return;
        }
        self.join(slot.session, slot.prev, slot.next);
        if let Some(slot) = self.change_slot(row) {
            (slot.prev, slot.next) = (NO_ROW, NO_ROW);
        }
        if let Some(span) = self.sessions.entry_mut(slot.session) {
            span.turns = span.turns.saturating_sub(1);
        }
    }

    fn join(&mut self, session: u32, before: u32, after: u32) {
        match self.change_slot(Row(before)) {
            Some(slot) => slot.next = after,
            None => {
                if let Some(span) = self.sessions.entry_mut(session) {
                    span.first = after;
                }
            }
        }
        match self.change_slot(Row(after)) {
            Some(slot) => slot.prev = before,
            None => {
                if let Some(span) = self.sessions.entry_mut(session) {
                    span.last = before;
                }
            }
        }
    }
}

impl LateTurns {
    /// Puts the turns that waited in their places: once through each of their sessions, from its
    /// end.
    pub(super) fn link(self, columns: &mut Columns) {
        let mut behind = None;
        for (session, position, row) in self.0.into_iter().rev() {
            let end = || {
                columns
                    .sessions
                    .entry(session)
                    .map_or(NO_ROW, |span| span.last)
            };
            let mut at = behind
                .filter(|(of, _)| *of == session)
                .map_or_else(end, |(_, at)| at);
            while let Some(other) = columns
                .slot(Row(at))
                .filter(|other| other.position > position)
            {
                at = other.prev;
                #[cfg(test)]
                tests::STEPS.with(|steps| steps.set(steps.get() + 1));
            }
            behind = Some((session, at));
            // It may have been replaced since it came.
            if columns.slot(Row(row)).is_some_and(Slot::linked) {
                columns.link_behind(at, Row(row), session);
            }
        }
    }
}

/// Links all rows of freshly loaded chunks. Rows nearly always come in the order of positions.
pub(super) fn link_all(chunks: &mut [RowChunk], spans: &mut [Span]) {
    let mut unsorted = vec![false; spans.len()];
    let total = chunks.iter().map(|chunk| chunk.slots.len()).sum::<usize>();
    let rows = u32::try_from(total).unwrap_or(NO_ROW);
    for row in 0..rows {
        let Some(slot) = slot_of(chunks, row).copied().filter(Slot::linked) else {
            continue;
        };
        let session = slot.session as usize;
        let Some(span) = spans.get_mut(session) else {
            continue;
        };
        span.turns += 1;
        let last = span.last;
        if span.first == NO_ROW {
            span.first = row;
        }
        span.last = row;
        if let Some(end) = slot_mut(chunks, last) {
            end.next = row;
            if end.position > slot.position
                && let Some(mark) = unsorted.get_mut(session)
            {
                *mark = true;
            }
        }
        if let Some(slot) = slot_mut(chunks, row) {
            slot.prev = last;
        }
    }
    for (span, _) in spans
        .iter_mut()
        .zip(unsorted)
        .filter(|(_, unsorted)| *unsorted)
    {
        sort(chunks, span);
    }
}

fn sort(chunks: &mut [RowChunk], span: &mut Span) {
    let mut order: Vec<(u32, u32)> = Vec::new();
    let mut at = span.first;
    while let Some(slot) = slot_of(chunks, at) {
        order.push((slot.position, at));
        at = slot.next;
    }
    order.sort_unstable();
    let mut before = NO_ROW;
    for (_, row) in order {
        if let Some(slot) = slot_mut(chunks, row) {
            (slot.prev, slot.next) = (before, NO_ROW);
        }
        match slot_mut(chunks, before) {
            Some(slot) => slot.next = row,
            None => span.first = row,
        }
        before = row;
    }
    span.last = before;
}

fn slot_of(chunks: &[RowChunk], row: u32) -> Option<&Slot> {
    let (chunk, at) = split(row);
    chunks.get(chunk)?.slots.get(at)
}

fn slot_mut(chunks: &mut [RowChunk], row: u32) -> Option<&mut Slot> {
    let (chunk, at) = split(row);
    chunks.get_mut(chunk)?.slots.get_mut(at)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use annals_types::{Commit, NamespaceId};

    use super::*;
    use crate::columns::slot::{Facts, PRESENT};
    use crate::delta::{Change, Delta};

    thread_local! {
        /// Steps from turn to turn to the places of turns that arrive out of order.
        pub(super) static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    fn born(row: u32, position: u32, instead_of: Option<Row>) -> Change {
        let slot = Slot {
            session: 1,
            position,
            flags: PRESENT,
            ..Slot::ABSENT
        };
        let facts = Facts {
            slot,
            tags: Vec::new(),
            validity: None,
            named_times: Vec::new(),
        };
        Change::Born {
            row: Row(row),
            facts,
            instead_of,
        }
    }

    fn write(columns: &mut Columns, changes: Vec<Change>) {
        let mut delta = Delta::new(NamespaceId(1), Commit::ZERO);
        delta.changes = changes;
        columns.apply(&delta);
    }

    fn positions(columns: &Columns) -> Vec<u32> {
        columns
            .session_rows(LabelId(1))
            .map(|row| columns.slot(row).unwrap().position)
            .collect()
    }

    /// The positions below a number, mixed.
    fn mixed(count: u32) -> impl Iterator<Item = u32> {
        // An odd number that shares no factor with a power of two reaches all of them.
        (0..count).map(move |at| at.wrapping_mul(0x9e37_79b1) % count)
    }

    fn steps(count: u32) -> u64 {
        let mut columns = Columns::empty(NamespaceId(1));
        STEPS.with(|steps| steps.set(0));
        let changes = (0..)
            .zip(mixed(count))
            .map(|(row, position)| born(row, position, None));
        write(&mut columns, changes.collect());
        assert_eq!(positions(&columns), (0..count).collect::<Vec<_>>());
        assert_eq!(columns.session_len(LabelId(1)), count);
        STEPS.with(Cell::get)
    }

    #[test]
    fn turns_in_any_order_take_steps_in_proportion_to_their_number() {
        let (one, eight) = (steps(1 << 10), steps(8 << 10));
        assert!(
            one > 0 && eight <= 10 * one,
            "{one} steps for 1,024 turns, {eight} for 8,192"
        );
    }

    #[test]
    fn turns_that_are_replaced_or_erased_in_the_write_that_brings_them_keep_the_order() {
        let mut columns = Columns::empty(NamespaceId(1));
        let mut changes: Vec<Change> = [10, 50, 30]
            .iter()
            .zip(0..)
            .map(|(at, row)| born(row, *at, None))
            .collect();
        changes.push(born(3, 30, Some(Row(2))));
        changes.push(born(4, 40, None));
        changes.push(Change::Erased { row: Row(4) });
        changes.push(born(5, 30, None));
        write(&mut columns, changes);
        assert_eq!(
            columns.session_rows(LabelId(1)).collect::<Vec<_>>(),
            [0, 3, 5, 1].map(Row)
        );
        write(
            &mut columns,
            vec![born(6, 20, None), born(7, 50, Some(Row(1)))],
        );
        assert_eq!(
            columns.session_rows(LabelId(1)).collect::<Vec<_>>(),
            [0, 6, 3, 5, 7].map(Row)
        );
        assert_eq!(columns.session_end(LabelId(1)), Some(Row(7)));
        assert_eq!(columns.session_len(LabelId(1)), 5);
    }
}
