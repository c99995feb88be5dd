//! The stored form of some consecutive slots: packed little-endian, so that a million rows load in
//! a blink.

use std::collections::HashMap;

use annals_storage::table::Value;
use annals_types::{Commit, Interval, Timestamp};

use super::slot::{Facts, INBORN, NAMES, NO_ROW, PRESENT, Slot, TIMED, Validity};
use crate::LabelId;
use crate::wire::{Broken, Put, Take};

/// Bytes of a slot in a block.
const SLOT: usize = 48;

/// The columns of some consecutive rows as they were born; `tag_set` counts within the block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    /// The commit it reflects.
    pub(crate) commit: Commit,
    pub(crate) slots: Vec<Slot>,
    pub(crate) validity: Vec<(u32, Validity)>,
    pub(crate) tag_sets: Vec<Vec<LabelId>>,
    /// In the order of rows.
    pub(crate) named_times: Vec<(u32, Interval)>,
}

impl Block {
    /// A block of `rows` rows, none of which exists.
    pub(crate) fn absent(commit: Commit, rows: usize) -> Self {
        let slots = vec![Slot::ABSENT; rows];
        Self {
            commit,
            slots,
            validity: Vec::new(),
            tag_sets: Vec::new(),
            named_times: Vec::new(),
        }
    }

    /// Puts rows in; places come in rising order.
    pub(crate) fn fill(&mut self, rows: impl Iterator<Item = (usize, Facts)>) {
        let mut numbers: HashMap<Vec<LabelId>, u32> = HashMap::new();
        for (at, facts) in rows {
            let Some(slot) = self.slots.get_mut(at) else {
                continue;
            };
            *slot = facts.slot;
            if !facts.tags.is_empty() {
                let free = u32::try_from(self.tag_sets.len() + 1).unwrap_or(u32::MAX);
                slot.tag_set = *numbers.entry(facts.tags).or_insert_with_key(|tags| {
                    self.tag_sets.push(tags.clone());
                    free
                });
            }
            let Ok(at) = u32::try_from(at) else { continue };
            self.validity
                .extend(facts.validity.map(|validity| (at, validity)));
            self.named_times
                .extend(facts.named_times.into_iter().map(|time| (at, time)));
        }
    }

    /// The facts about a row; `None` where the row does not exist.
    pub(crate) fn facts(&self, at: u32) -> Option<Facts> {
        let slot = self
            .slots
            .get(at as usize)
            .filter(|slot| slot.has(PRESENT))?;
        let tags = (slot.tag_set as usize)
            .checked_sub(1)
            .and_then(|set| self.tag_sets.get(set));
        Some(Facts {
            slot: Slot {
                tag_set: 0,
                ..*slot
            },
            tags: tags.cloned().unwrap_or_default(),
            validity: self
                .validity
                .iter()
                .find(|(row, _)| *row == at)
                .map(|(_, validity)| *validity),
            named_times: self
                .named_times
                .iter()
                .filter(|(row, _)| *row == at)
                .map(|(_, time)| *time)
                .collect(),
        })
    }

    /// Removes every trace of a row: its slot, its validity, the times that its text names and a
    /// tag set that only it had.
    pub(crate) fn erase(&mut self, at: u32) {
        let Some(slot) = self.slots.get_mut(at as usize) else {
            return;
        };
        let set = slot.tag_set;
        *slot = Slot::ABSENT;
        self.validity.retain(|(row, _)| *row != at);
        self.named_times.retain(|(row, _)| *row != at);
        if set != 0
            && !self.slots.iter().any(|slot| slot.tag_set == set)
            && let Some(tags) = self.tag_sets.get_mut(set as usize - 1)
        {
            tags.clear();
        }
    }
}

fn encode_slot(put: &mut Put, slot: &Slot) {
    put.raw(&slot.event_time.to_le_bytes());
    put.raw(&slot.stored_at.to_le_bytes());
    for number in [
        slot.session,
        slot.position,
        slot.speaker,
        slot.kind,
        slot.tag_set,
    ] {
        put.raw(&number.to_le_bytes());
    }
    put.raw(&slot.importance.to_le_bytes());
    put.raw(&slot.confidence.to_le_bytes());
    put.raw(&[
        slot.layer,
        slot.status,
        slot.role_and_script,
        slot.flags & INBORN,
    ]);
}

fn decode_slot(bytes: &[u8; SLOT]) -> Result<Slot, Broken> {
    let mut take = Take::new(bytes);
    let slot = Slot {
        event_time: i64::from_le_bytes(take.array()?),
        stored_at: i64::from_le_bytes(take.array()?),
        session: u32::from_le_bytes(take.array()?),
        position: u32::from_le_bytes(take.array()?),
        speaker: u32::from_le_bytes(take.array()?),
        kind: u32::from_le_bytes(take.array()?),
        tag_set: u32::from_le_bytes(take.array()?),
        importance: f32::from_le_bytes(take.array()?),
        confidence: f32::from_le_bytes(take.array()?),
        layer: take.byte()?,
        status: take.byte()?,
        role_and_script: take.byte()?,
        flags: take.byte()?,
        prev: NO_ROW,
        next: NO_ROW,
    };
    if slot.flags & !INBORN == 0 {
        Ok(slot)
    } else {
        Err(Broken("a column block has flags that are unknown"))
    }
}

fn decode_named_times(take: &mut Take<'_>, slots: &[Slot]) -> Result<Vec<(u32, Interval)>, Broken> {
    let mut times: Vec<(u32, Interval)> = Vec::new();
    for _ in 0..take.count(17)? {
        let at = take.varint32()?;
        let mut moment = || Ok(Timestamp::from_millis(i64::from_le_bytes(take.array()?)));
        let time = Interval {
            start: moment()?,
            end: moment()?,
        };
        let named = slots.get(at as usize).is_some_and(|slot| slot.has(NAMES));
        if !named || time.end <= time.start || times.last().is_some_and(|(before, _)| at < *before)
        {
            return Err(Broken("a column block has named times for no row"));
        }
        times.push((at, time));
    }
    Ok(times)
}

impl Value for Block {
    type View<'a> = Self;

    const VERSION: u8 = 2;

    fn encode(view: &Self, put: &mut Put) {
        put.reserve(32 + view.slots.len() * SLOT + view.validity.len() * (Validity::BYTES + 2));
        put.varint(view.commit.0);
        put.length(view.slots.len());
        for slot in &view.slots {
            encode_slot(put, slot);
        }
        put.length(view.validity.len());
        for (at, validity) in &view.validity {
            put.varint(u64::from(*at));
            for bound in [validity.from, validity.until, validity.expires] {
                put.raw(&bound.to_le_bytes());
            }
        }
        put.length(view.tag_sets.len());
        for tags in &view.tag_sets {
            put.length(tags.len());
            tags.iter().for_each(|tag| put.varint(u64::from(tag.0)));
        }
        // The flag of a slot says that the list is there.
        if view.slots.iter().any(|slot| slot.has(NAMES)) {
            put.length(view.named_times.len());
            for (at, time) in &view.named_times {
                put.varint(u64::from(*at));
                put.raw(&time.start.as_millis().to_le_bytes());
                put.raw(&time.end.as_millis().to_le_bytes());
            }
        }
    }

    fn decode(version: u8, body: &[u8]) -> Result<Self, Broken> {
        if version < Self::VERSION {
            // Read from the rows, which are the truth, and written anew.
            return Err(Broken(
                "a column block of an older version does not tell scripts",
            ));
        }
        let mut take = Take::new(body);
        let commit = Commit(take.varint()?);
        let count = take.count(SLOT)?;
        let (slots, _) = take.slice(count * SLOT)?.as_chunks::<SLOT>();
        let slots: Vec<Slot> = slots.iter().map(decode_slot).collect::<Result<_, _>>()?;
        let mut validity = Vec::new();
        for _ in 0..take.count(Validity::BYTES + 1)? {
            let at = take.varint32()?;
            let from = i64::from_le_bytes(take.array()?);
            let until = i64::from_le_bytes(take.array()?);
            let expires = i64::from_le_bytes(take.array()?);
            if !slots.get(at as usize).is_some_and(|slot| slot.has(TIMED)) {
                return Err(Broken("a column block has a validity for no row"));
            }
            validity.push((
                at,
                Validity {
                    from,
                    until,
                    expires,
                },
            ));
        }
        let mut tag_sets = Vec::new();
        for _ in 0..take.count(1)? {
            tag_sets.push(
                (0..take.count(1)?)
                    .map(|_| take.varint32().map(LabelId))
                    .collect::<Result<Vec<_>, _>>()?,
            );
        }
        let names = slots.iter().any(|slot| slot.has(NAMES));
        let named_times = if names {
            decode_named_times(&mut take, &slots)?
        } else {
            Vec::new()
        };
        take.end()?;
        if slots
            .iter()
            .any(|slot| slot.tag_set as usize > tag_sets.len())
        {
            return Err(Broken("a column block has a row with unknown tags"));
        }
        Ok(Self {
            commit,
            slots,
            validity,
            tag_sets,
            named_times,
        })
    }
}
