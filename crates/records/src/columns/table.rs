//! Numbered texts and tag sets, looked up both ways; cheap to clone, cheap to extend.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::chunk::{Chunks, Part};

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
        Self { by_number: self.by_number.clone(), shards: Arc::clone(&self.shards), len: self.len }
    }
}

impl<T: ?Sized> Default for Table<T> {
    fn default() -> Self {
        Self { by_number: Chunks::default(), shards: Arc::default(), len: 0 }
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
        self.shards.get(place(value, self.shards.len()))?.get(value).copied()
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
        (0_u32..).zip(values).filter_map(|(number, value)| value.as_ref().map(|value| (number, value)))
    }

    pub(crate) fn insert(&mut self, number: u32, value: Arc<T>) {
        if self.len >= self.shards.len() * SHARD {
            self.split();
        }
        let at = place(&*value, self.shards.len());
        if let Some(shard) = Arc::make_mut(&mut self.shards).get_mut(at)
            && Arc::make_mut(shard).insert(Arc::clone(&value), number).is_none()
        {
            self.len += 1;
        }
        if let Some(entry) = self.by_number.entry_mut(number) {
            *entry = Some(value);
        }
    }

    pub(crate) fn remove(&mut self, number: u32) {
        let Some(value) = self.value(number).map(Arc::clone) else { return };
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

    fn split(&mut self) {
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
