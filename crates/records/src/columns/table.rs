//! Numbered texts and tag sets, looked up both ways; cheap to clone, cheap to extend.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::chunk::{CHUNK, Chunks, Part, split};

/// A shard is split in two when the average reaches this.
const SHARD: usize = 64;

type Shard<T> = HashMap<Arc<T>, u32>;

/// Values with numbers from 1 on.
#[derive(Debug)]
pub(crate) struct Table<T: ?Sized> {
    by_number: Chunks<Part<Option<Arc<T>>>>,
    shards: Arc<Vec<Arc<Shard<T>>>>,
    len: usize,
}

impl<T: ?Sized> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self {
            by_number: self.by_number.clone(),
            shards: Arc::clone(&self.shards),
            len: self.len,
        }
    }
}

impl<T: ?Sized> Default for Table<T> {
    fn default() -> Self {
        Self {
            by_number: Chunks::default(),
            shards: Arc::default(),
            len: 0,
        }
    }
}

fn place<T: Hash + ?Sized>(value: &T, shards: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    // The number of shards is a power of two.
    usize::try_from(hasher.finish() & 0xFFFF_FFFF).unwrap_or(0) & shards.saturating_sub(1)
}

impl<T: Hash + Eq + ?Sized> Table<T> {
    pub(crate) fn number(&self, value: &T) -> Option<u32> {
        self.shards
            .get(place(value, self.shards.len()))?
            .get(value)
            .copied()
    }

    pub(crate) fn value(&self, number: u32) -> Option<&Arc<T>> {
        self.by_number.entry(number)?.as_ref()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// All values with their numbers, in the order of numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Arc<T>)> {
        let values = self.by_number.iter().flat_map(|part| &part.0);
        (0_u32..)
            .zip(values)
            .filter_map(|(number, value)| value.as_ref().map(|value| (number, value)))
    }

    /// A table of values with their numbers, built at once.
    pub(crate) fn of(mut values: Vec<(u32, Arc<T>)>) -> Self {
        values.sort_unstable_by_key(|(number, _)| *number);
        let count = values.len().div_ceil(SHARD).next_power_of_two();
        let mut shards: Vec<Shard<T>> = Vec::new();
        shards.resize_with(if values.is_empty() { 0 } else { count }, || {
            HashMap::with_capacity(SHARD)
        });
        let mut parts: Vec<Part<Option<Arc<T>>>> = Vec::new();
        let mut len = 0;
        for (number, value) in values {
            let (chunk, at) = split(number);
            while parts.len() <= chunk {
                if let Some(part) = parts.last_mut() {
                    part.0.resize(CHUNK, None);
                }
                parts.push(Part::default());
            }
            if let Some(part) = parts.last_mut() {
                part.0.resize(at, None);
                part.0.push(Some(Arc::clone(&value)));
            }
            if let Some(shard) = shards.get_mut(place(&*value, count)) {
                len += usize::from(shard.insert(value, number).is_none());
            }
        }
        let shards = Arc::new(shards.into_iter().map(Arc::new).collect());
        Self {
            by_number: Chunks::of(parts),
            shards,
            len,
        }
    }

    pub(crate) fn insert(&mut self, number: u32, value: Arc<T>) {
        if self.len >= self.shards.len() * SHARD {
            self.grow();
        }
        let at = place(&*value, self.shards.len());
        if let Some(shard) = Arc::make_mut(&mut self.shards).get_mut(at)
            && Arc::make_mut(shard)
                .insert(Arc::clone(&value), number)
                .is_none()
        {
            self.len += 1;
        }
        if let Some(entry) = self.by_number.entry_mut(number) {
            *entry = Some(value);
        }
    }

    pub(crate) fn remove(&mut self, number: u32) {
        let Some(value) = self.value(number).map(Arc::clone) else {
            return;
        };
        if let Some(entry) = self.by_number.entry_mut(number) {
            *entry = None;
        }
        let at = place(&*value, self.shards.len());
        if let Some(shard) = Arc::make_mut(&mut self.shards).get_mut(at)
            && Arc::make_mut(shard).remove(&value).is_some()
        {
            self.len -= 1;
        }
    }

    fn grow(&mut self) {
        let count = (self.shards.len() * 2).max(1);
        let mut shards: Vec<Shard<T>> = Vec::new();
        shards.resize_with(count, HashMap::new);
        for (value, number) in self.shards.iter().flat_map(|shard| shard.iter()) {
            if let Some(shard) = shards.get_mut(place(&**value, count)) {
                shard.insert(Arc::clone(value), *number);
            }
        }
        self.shards = Arc::new(shards.into_iter().map(Arc::new).collect());
    }

    pub(crate) fn bytes(&self, each: impl Fn(&T) -> usize) -> usize {
        let values: usize = self.iter().map(|(_, value)| each(value) + 16).sum();
        // A map entry holds a fat pointer, a number and a control byte, at a load of about 3/4.
        values + self.by_number.bytes() + self.len * 36
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_both_ways_and_clones_do_not_change() {
        let mut table: Table<str> = Table::default();
        for number in 1..=5000_u32 {
            table.insert(number, Arc::from(format!("label {number}")));
        }
        let at_once: Table<str> = Table::of(
            table
                .iter()
                .map(|(number, text)| (number, Arc::clone(text)))
                .collect(),
        );
        assert!(at_once.iter().eq(table.iter()) && at_once.len() == table.len());
        assert_eq!(at_once.number("label 4711"), Some(4711));
        let before = table.clone();
        table.insert(5001, Arc::from("later"));
        assert_eq!(before.len(), 5000);
        assert_eq!(before.number("later"), None);
        assert_eq!(before.value(5001), None);
        assert_eq!(table.number("later"), Some(5001));
        table.remove(7);
        assert_eq!((table.number("label 7"), table.value(7)), (None, None));
        assert_eq!(table.len(), 5000);
        for number in 1..=5000 {
            let text = format!("label {number}");
            assert_eq!(before.number(&text), Some(number));
            assert_eq!(before.value(number).unwrap().as_ref(), text);
        }
        assert_eq!(before.iter().count(), 5000);
    }
}
