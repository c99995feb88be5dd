//! Persistent arrays: cloning is cheap, and changing a clone copies only the chunk that is changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use annals_types::Interval;

use super::slot::{NAMES, Slot, Validity};
use crate::History;

/// Entries of a chunk.
pub(crate) const CHUNK: usize = 1024;

/// An array of entries in shared chunks.
#[derive(Debug)]
pub(crate) struct Chunks<C> {
    list: Arc<Vec<Arc<C>>>,
}

impl<C> Clone for Chunks<C> {
    fn clone(&self) -> Self {
        Self {
            list: Arc::clone(&self.list),
        }
    }
}

impl<C> Default for Chunks<C> {
    fn default() -> Self {
        Self {
            list: Arc::default(),
        }
    }
}

pub(crate) const fn split(index: u32) -> (usize, usize) {
    ((index as usize) / CHUNK, (index as usize) % CHUNK)
}

impl<C: Clone + Default> Chunks<C> {
    pub(crate) fn of(chunks: Vec<C>) -> Self {
        Self {
            list: Arc::new(chunks.into_iter().map(Arc::new).collect()),
        }
    }

    pub(crate) fn get(&self, chunk: usize) -> Option<&C> {
        self.list.get(chunk).map(AsRef::as_ref)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &C> {
        self.list.iter().map(AsRef::as_ref)
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The chunk to be changed; `None` when it does not exist.
    pub(crate) fn change(&mut self, chunk: usize) -> Option<&mut C> {
        Arc::make_mut(&mut self.list)
            .get_mut(chunk)
            .map(Arc::make_mut)
    }

    /// The chunk to be changed; created, with those before it, when it does not exist.
    pub(crate) fn reach(&mut self, chunk: usize) -> Option<&mut C> {
        let list = Arc::make_mut(&mut self.list);
        if list.len() <= chunk {
            list.resize_with(chunk + 1, Arc::default);
        }
        list.get_mut(chunk).map(Arc::make_mut)
    }
}

/// Copies with some room, because what is copied is usually about to grow.
fn roomy<T: Clone>(entries: &[T]) -> Vec<T> {
    let mut copy = Vec::with_capacity(
        (entries.len() + entries.len() / 4 + 8)
            .min(CHUNK)
            .max(entries.len()),
    );
    copy.extend_from_slice(entries);
    copy
}

/// A chunk of a plain array.
#[derive(Debug)]
pub(crate) struct Part<T>(pub(crate) Vec<T>);

impl<T> Default for Part<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self(roomy(&self.0))
    }
}

/// The slots of up to 1024 rows and what only some of them have.
#[derive(Debug, Default)]
pub(crate) struct RowChunk {
    pub(crate) slots: Vec<Slot>,
    /// The earliest and the latest time of any row that was ever in it: erasing rows does not
    /// narrow it.
    pub(crate) times: Option<(i64, i64)>,
    pub(crate) validity: Option<Arc<BTreeMap<u16, Validity>>>,
    /// The times that texts name, with the place of their row, in the order of rows.
    pub(crate) named_times: Option<Arc<Vec<(u16, Interval)>>>,
    pub(crate) lives: Option<Arc<BTreeMap<u16, Arc<History>>>>,
}

impl Clone for RowChunk {
    fn clone(&self) -> Self {
        Self {
            slots: roomy(&self.slots),
            times: self.times,
            validity: self.validity.clone(),
            named_times: self.named_times.clone(),
            lives: self.lives.clone(),
        }
    }
}

impl RowChunk {
    /// Widens the times so that they hold that of a row.
    pub(crate) fn note_time(&mut self, time: i64) {
        let (first, last) = self.times.unwrap_or((time, time));
        self.times = Some((first.min(time), last.max(time)));
    }

    pub(crate) fn validity(&self, at: usize) -> Option<Validity> {
        self.validity
            .as_ref()?
            .get(&u16::try_from(at).ok()?)
            .copied()
    }

    /// All times that texts name, with the places of their rows.
    pub(crate) fn all_named_times(&self) -> &[(u16, Interval)] {
        self.named_times.as_ref().map_or(&[], |times| times)
    }

    /// The times that the text of a row names, each with the place of the row.
    pub(crate) fn named_times(&self, at: usize) -> &[(u16, Interval)] {
        if !self.slots.get(at).is_some_and(|slot| slot.has(NAMES)) {
            return &[];
        }
        let all = self.all_named_times();
        let first = all.partition_point(|(row, _)| usize::from(*row) < at);
        let after = all.partition_point(|(row, _)| usize::from(*row) <= at);
        all.get(first..after).unwrap_or_default()
    }

    /// Takes the times that the text of a new row names.
    pub(crate) fn name_times(&mut self, at: u16, times: &[Interval]) {
        if !times.is_empty() {
            let all = Arc::make_mut(self.named_times.get_or_insert_default());
            let place = all.partition_point(|(row, _)| *row <= at);
            all.splice(place..place, times.iter().map(|time| (at, *time)));
        }
    }

    pub(crate) fn life(&self, at: usize) -> Option<&Arc<History>> {
        self.lives.as_ref()?.get(&u16::try_from(at).ok()?)
    }

    pub(crate) fn bytes(&self) -> usize {
        let lives = self.lives.as_ref().map_or(0, |lives| {
            lives
                .values()
                .map(|life| 120 + life.changes.capacity() * 24)
                .sum()
        });
        size_of::<Self>()
            + self.slots.capacity() * size_of::<Slot>()
            + self.validity.as_ref().map_or(0, |timed| timed.len() * 40)
            + self
                .named_times
                .as_ref()
                .map_or(0, |times| times.capacity() * size_of::<(u16, Interval)>())
            + lives
    }
}

impl<T: Clone + Default> Chunks<Part<T>> {
    pub(crate) fn entry(&self, index: u32) -> Option<&T> {
        let (chunk, at) = split(index);
        self.get(chunk)?.0.get(at)
    }

    /// The entry to be changed; created, with those before it, when it does not exist.
    pub(crate) fn entry_mut(&mut self, index: u32) -> Option<&mut T> {
        let (chunk, at) = split(index);
        for whole in self.count().saturating_sub(1)..chunk {
            self.reach(whole)?.0.resize_with(CHUNK, T::default);
        }
        let entries = &mut self.reach(chunk)?.0;
        if entries.len() <= at {
            entries.resize_with(at + 1, T::default);
        }
        entries.get_mut(at)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.iter()
            .map(|part| size_of::<Self>() + 32 + part.0.capacity() * size_of::<T>())
            .sum()
    }
}
