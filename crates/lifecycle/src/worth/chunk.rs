use std::sync::Arc;

use annals_types::{Status, Timestamp};

use crate::{Anchor, ClassId, Policy, State};

/// Rows of a chunk.
const CHUNK: usize = 1024;
/// The row has a state. A slot without it is all zero.
pub(super) const PRESENT: u8 = 1;
const PINNED: u8 = 1 << 1;
pub(super) const SESSION_BOUND: u8 = 1 << 2;
/// Marks "never expires".
pub(super) const NEVER: i64 = i64::MAX;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slot {
    pub(super) value: f64,
    pub(super) at: i64,
    pub(super) created: i64,
    pub(super) accessed: i64,
    pub(super) expires: i64,
    pub(super) used: u32,
    pub(super) returned: u32,
    pub(super) lowered: f32,
    pub(super) class: u8,
    pub(super) status: u8,
    pub(super) flags: u8,
}

impl Slot {
    pub(super) const ABSENT: Self = Self {
        value: 0.0,
        lowered: 0.0,
        at: 0,
        created: 0,
        accessed: 0,
        expires: NEVER,
        used: 0,
        returned: 0,
        class: 0,
        status: 0,
        flags: 0,
    };

    pub(super) fn of(state: &State, policy: &Policy) -> Self {
        let class = policy.class_id(&state.class);
        let put_away = state.status == Status::Archived && policy.archives_expired(class);
        let expires = state.expires_at.filter(|_| !put_away);
        Self {
            value: state.value,
            lowered: state.lowered,
            at: state.at.as_millis(),
            created: state.created.as_millis(),
            accessed: state.accessed.as_millis(),
            expires: expires.map_or(NEVER, Timestamp::as_millis),
            used: state.used,
            returned: state.returned,
            class: class.0,
            status: state.status.to_byte(),
            flags: PRESENT
                | if state.pinned { PINNED } else { 0 }
                | if state.session_bound {
                    SESSION_BOUND
                } else {
                    0
                },
        }
    }

    pub(super) fn anchor(&self, policy: &Policy) -> Anchor {
        Anchor {
            value: self.value,
            lowered: f64::from(self.lowered),
            at: Timestamp::from_millis(self.at),
            created: Timestamp::from_millis(self.created),
            accessed: Timestamp::from_millis(self.accessed),
            accesses: policy.accesses(self.used, self.returned),
            class: ClassId(self.class),
            pinned: self.flags & PINNED != 0,
        }
    }
}

/// An array of slots in shared chunks: cloning is cheap, and changing a clone copies only the chunk
/// that is changed.
#[derive(Debug, Clone, Default)]
pub(super) struct Chunks {
    list: Arc<Vec<Arc<Vec<Slot>>>>,
}

const fn split(index: u32) -> (usize, usize) {
    ((index as usize) / CHUNK, (index as usize) % CHUNK)
}

impl Chunks {
    pub(super) fn get(&self, index: u32) -> Option<&Slot> {
        let (chunk, at) = split(index);
        self.list.get(chunk)?.get(at)
    }

    pub(super) fn set(&mut self, index: u32, slot: Slot) {
        let (chunk, at) = split(index);
        if slot == Slot::ABSENT && self.get(index).is_none() {
            return;
        }
        let list = Arc::make_mut(&mut self.list);
        if list.len() <= chunk {
            list.resize_with(chunk + 1, Arc::default);
        }
        let Some(slots) = list.get_mut(chunk).map(Arc::make_mut) else {
            return;
        };
        if slots.len() <= at {
            slots.resize(at + 1, Slot::ABSENT);
        }
        if let Some(place) = slots.get_mut(at) {
            *place = slot;
        }
    }

    /// One more than the last row that ever had a slot.
    pub(super) fn len(&self) -> u32 {
        let whole = self.list.len().saturating_sub(1) * CHUNK;
        let len = self.list.last().map_or(0, |last| whole + last.len());
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    pub(super) fn bytes(&self) -> usize {
        self.list
            .iter()
            .map(|chunk| 40 + chunk.capacity() * size_of::<Slot>())
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_56_bytes_and_clones_do_not_change() {
        assert_eq!(size_of::<Slot>(), 56);
        let mut rows = Chunks::default();
        rows.set(
            3000,
            Slot {
                value: 1.0,
                flags: PRESENT,
                ..Slot::ABSENT
            },
        );
        let before = rows.clone();
        rows.set(3000, Slot::ABSENT);
        rows.set(5000, Slot::ABSENT);
        assert_eq!(
            (rows.len(), before.get(3000).map(|slot| slot.value)),
            (3001, Some(1.0))
        );
        assert_eq!(rows.get(3000), Some(&Slot::ABSENT));
        assert_eq!(rows.get(0), None);
    }
}
