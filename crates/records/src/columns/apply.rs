use std::sync::Arc;

use annals_types::Row;

use super::Columns;
use super::chunk::split;
use super::session::LateTurns;
use super::slot::{Facts, LIVED, NAMES, NO_ROW, PRESENT, REPLACED, Slot};
use crate::delta::Change;
use crate::{Delta, History, LabelClass, LabelId};

impl Columns {
    /// Makes the changes of a write that has been committed. Deltas must come in the order of their
    /// commits, each once.
    pub fn apply(&mut self, delta: &Delta) {
        if delta.namespace != self.namespace {
            return;
        }
        let mut late = LateTurns::default();
        for change in &delta.changes {
            match change {
                Change::Label {
                    class,
                    number,
                    text,
                } => self.set_label(*class, *number, Arc::clone(text)),
                Change::Unlabelled { class, number } => {
                    if let Some(table) = self.labels.get_mut(class.index()) {
                        table.remove(number.0);
                    }
                }
                Change::Born {
                    row,
                    facts,
                    instead_of,
                } => {
                    self.bear(*row, facts);
                    self.link(*row, *instead_of, &mut late);
                }
                Change::Lived { row, history } => self.live(*row, history),
                Change::Erased { row } => self.erase(*row),
            }
        }
        late.link(self);
        self.commit = self.commit.max(delta.commit);
    }

    pub(super) fn set_label(&mut self, class: LabelClass, number: LabelId, text: Arc<str>) {
        if let Some(table) = self.labels.get_mut(class.index()) {
            table.insert(number.0, text);
        }
    }

    pub(super) fn change_slot(&mut self, row: Row) -> Option<&mut Slot> {
        if row.0 == NO_ROW {
            return None;
        }
        let (chunk, at) = split(row.0);
        self.rows
            .change(chunk)?
            .slots
            .get_mut(at)
            .filter(|slot| slot.has(PRESENT))
    }

    /// The number of a tag set, given now if it has none.
    pub(super) fn tag_set_number(&mut self, tags: &[LabelId]) -> u32 {
        if tags.is_empty() {
            return 0;
        }
        if let Some(number) = self.tag_sets.number(tags) {
            return number;
        }
        let number = u32::try_from(self.tag_sets.len() + 1).unwrap_or(u32::MAX);
        self.tag_sets.insert(number, Arc::from(tags));
        number
    }

    fn bear(&mut self, row: Row, facts: &Facts) {
        let slot = Slot {
            tag_set: self.tag_set_number(&facts.tags),
            ..facts.slot
        };
        let (chunk, at) = split(row.0);
        // Rows come without gaps; should one be missing, it reads as erased.
        for whole in self.rows.count().saturating_sub(1)..chunk {
            if let Some(part) = self.rows.reach(whole) {
                part.slots.resize(super::chunk::CHUNK, Slot::ABSENT);
            }
        }
        let Some(part) = self.rows.reach(chunk) else {
            return;
        };
        if part.slots.len() <= at {
            part.slots.resize(at + 1, Slot::ABSENT);
        }
        if let Some(place) = part.slots.get_mut(at) {
            *place = slot;
        }
        part.note_time(slot.time());
        if let (Some(validity), Ok(at)) = (facts.validity, u16::try_from(at)) {
            Arc::make_mut(part.validity.get_or_insert_default()).insert(at, validity);
        }
        if let Ok(at) = u16::try_from(at) {
            part.name_times(at, &facts.named_times);
        }
        self.len = self.len.max(row.0 + 1);
        self.note_time(slot.stored_at);
        self.tally(&slot, true);
    }

    pub(super) fn note_time(&mut self, stored_at: i64) {
        self.ordered &= stored_at >= self.last_stored_at;
        self.last_stored_at = self.last_stored_at.max(stored_at);
    }

    /// Counts a row in or out.
    pub(super) fn tally(&mut self, slot: &Slot, add: bool) {
        let step = |count: &mut u32| {
            *count = if add {
                *count + 1
            } else {
                count.saturating_sub(1)
            }
        };
        if let Some(count) = self.counts.of(slot) {
            step(count);
        }
        if slot.has(REPLACED) {
            return;
        }
        if let Some(count) = self.kinds.entry_mut(slot.kind) {
            step(count);
        }
    }

    pub(super) fn live(&mut self, row: Row, history: &Arc<History>) {
        let Some(old) = self.slot(row).copied() else {
            return;
        };
        let replaced = if history.death.is_some() { REPLACED } else { 0 };
        if old.linked() && replaced != 0 {
            self.unlink(row);
        }
        let (chunk, at) = split(row.0);
        let Some(part) = self.rows.change(chunk) else {
            return;
        };
        if let Ok(at) = u16::try_from(at) {
            Arc::make_mut(part.lives.get_or_insert_default()).insert(at, Arc::clone(history));
        }
        let Some(slot) = part.slots.get_mut(at) else {
            return;
        };
        slot.status = history.status().to_byte();
        slot.flags = (slot.flags & !REPLACED) | LIVED | replaced;
        let new = *slot;
        self.tally(&old, false);
        self.tally(&new, true);
    }

    fn erase(&mut self, row: Row) {
        let Some(old) = self.slot(row).copied() else {
            return;
        };
        if old.linked() {
            self.unlink(row);
        }
        self.tally(&old, false);
        let (chunk, at) = split(row.0);
        let Some(part) = self.rows.change(chunk) else {
            return;
        };
        if let Some(slot) = part.slots.get_mut(at) {
            *slot = Slot::ABSENT;
        }
        let Ok(at) = u16::try_from(at) else { return };
        if let Some(validity) = &mut part.validity {
            Arc::make_mut(validity).remove(&at);
        }
        if old.has(NAMES)
            && let Some(times) = &mut part.named_times
        {
            Arc::make_mut(times).retain(|(row, _)| *row != at);
        }
        if let Some(lives) = &mut part.lives {
            Arc::make_mut(lives).remove(&at);
        }
    }
}
