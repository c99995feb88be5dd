//! The order of turns within a session: a doubly linked list through the slots.

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
        Self { first: NO_ROW, last: NO_ROW, turns: 0 }
    }
}

const fn some(row: u32) -> Option<Row> {
    if row == NO_ROW { None } else { Some(Row(row)) }
}

impl Columns {
    /// The turns of a session that are current, in order.
    pub fn session_rows(&self, session: LabelId) -> impl Iterator<Item = Row> + '_ {
        let first = self.sessions.entry(session.0).and_then(|span| some(span.first));
        std::iter::successors(first, |row| self.slot(*row).and_then(|slot| some(slot.next)))
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

    /// The turns before and after a row in its session. For a replaced row those of what stands in its place now.
    #[must_use]
    pub fn neighbours(&self, row: Row) -> (Option<Row>, Option<Row>) {
        let Some(slot) = self.slot(row) else { return (None, None) };
        if slot.linked() {
            return (some(slot.prev), some(slot.next));
        }
        let current = self.current(row).filter(|current| *current != row);
        match current.and_then(|current| self.slot(current)) {
            Some(now) if now.linked() && (now.session, now.position) == (slot.session, slot.position) => {
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
    pub(super) fn link(&mut self, row: Row, instead_of: Option<Row>) {
        let Some(slot) = self.slot(row).copied().filter(Slot::linked) else { return };
        let old = instead_of.and_then(|old| self.slot(old).filter(|slot| slot.linked()).copied());
        let place = match old {
            Some(old) if (old.session, old.position) == (slot.session, slot.position) => {
                if let Some(gone) = instead_of {
                    self.unlink(gone);
                }
                old.prev
            }
            _ => self.before(&slot),
        };
        let next = match self.slot(Row(place)) {
            Some(prev) => prev.next,
            None => self.sessions.entry(slot.session).map_or(NO_ROW, |span| span.first),
        };
        self.join(slot.session, place, row.0);
        self.join(slot.session, row.0, next);
        if let Some(span) = self.sessions.entry_mut(slot.session) {
            span.turns += 1;
        }
    }

    /// Takes a row out of its session.
    pub(super) fn unlink(&mut self, row: Row) {
        let Some(slot) = self.slot(row).copied() else { return };
        let Some(span) = self.sessions.entry(slot.session).copied() else { return };
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

    /// The row after which a new slot of a session belongs; found from the end, where new turns
    /// come, unless it comes before all: a file may bring its turns in any order.
    fn before(&self, slot: &Slot) -> u32 {
        let span = self.sessions.entry(slot.session).copied().unwrap_or_default();
        if self.slot(Row(span.first)).is_some_and(|first| first.position > slot.position) {
            return NO_ROW;
        }
        let mut at = span.last;
        while let Some(other) = self.slot(Row(at)) {
            if other.position <= slot.position {
                return at;
            }
            at = other.prev;
        }
        NO_ROW
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

/// Links all rows of freshly loaded chunks. Rows nearly always come in the order of positions.
pub(super) fn link_all(chunks: &mut [RowChunk], spans: &mut [Span]) {
    let mut unsorted = vec![false; spans.len()];
    let total = chunks.iter().map(|chunk| chunk.slots.len()).sum::<usize>();
    let rows = u32::try_from(total).unwrap_or(NO_ROW);
    for row in 0..rows {
        let Some(slot) = slot_of(chunks, row).copied().filter(Slot::linked) else { continue };
        let session = slot.session as usize;
        let Some(span) = spans.get_mut(session) else { continue };
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
    for (span, _) in spans.iter_mut().zip(unsorted).filter(|(_, unsorted)| *unsorted) {
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
