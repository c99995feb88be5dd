//! Rows by what happened when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use annals_types::{Row, Timestamp};

use super::Columns;
use super::chunk::{CHUNK, RowChunk};
use super::slot::{Feature, PRESENT};

impl Columns {
    /// The latest of the wanted rows that happened (or, without an event time, were stored) from `start` up to and without `end`: at most
    /// `limit`, the latest first, of one time the newest row first.
    ///
    /// Each chunk of 1024 rows knows its first and last time: they are looked at from the latest on, and none that ends before what was found.
    pub fn latest_within(
        &self,
        (start, end): (Timestamp, Timestamp),
        limit: usize,
        wanted: impl Fn(Row) -> bool,
    ) -> Vec<Row> {
        let (start, end) = (start.as_millis(), end.as_millis());
        let step = u32::try_from(CHUNK).unwrap_or(u32::MAX);
        let firsts = (0..self.len).step_by(CHUNK);
        let met = firsts.filter_map(|first| {
            let chunk = self.rows.get((first / step) as usize).filter(|chunk| chunk.meets(start, end))?;
            Some((chunk.times?.1, first, chunk))
        });
        let mut chunks: Vec<_> = met.collect();
        chunks.sort_by_key(|(last, first, _)| Reverse((*last, *first)));
        let mut latest = BinaryHeap::new();
        for (last, first, chunk) in chunks {
            let earliest = latest.peek().map(|Reverse((time, _))| *time);
            if latest.len() >= limit && earliest.is_none_or(|earliest| last < earliest) {
                break;
            }
            for (row, slot) in (first..self.len).zip(&chunk.slots) {
                let inside = slot.has(PRESENT) && (start..end).contains(&slot.time());
                if inside && wanted(Row(row)) {
                    latest.push(Reverse((slot.time(), row)));
                    if latest.len() > limit {
                        latest.pop();
                    }
                }
            }
        }
        latest.into_sorted_vec().into_iter().map(|Reverse((_, row))| Row(row)).collect()
    }
}

impl RowChunk {
    fn meets(&self, start: i64, end: i64) -> bool {
        self.times.is_some_and(|(first, last)| first < end && start <= last)
    }
}

impl Feature {
    /// Whether it is true at `moment`: `valid_from <= moment < valid_until`, open ends included.
    #[must_use]
    pub fn valid_at(&self, moment: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= moment) && self.valid_until.is_none_or(|until| moment < until)
    }
}
