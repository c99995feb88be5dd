//! Rows by what happened when.

use annals_types::{Row, Timestamp};

use super::Columns;
use super::chunk::{CHUNK, RowChunk};
use super::slot::{Feature, PRESENT};

impl Columns {
    /// The rows that happened (or, without an event time, were stored) from `start` up to and without `end`, the newest row first.
    ///
    /// Each chunk of 1024 rows knows its first and last time; only chunks that may hold such rows are looked at.
    pub fn rows_within(&self, start: Timestamp, end: Timestamp) -> impl Iterator<Item = Row> + '_ {
        let (start, end) = (start.as_millis(), end.as_millis());
        let step = u32::try_from(CHUNK).unwrap_or(u32::MAX);
        let firsts = (0..self.len).step_by(CHUNK).rev();
        let chunks = firsts.filter_map(move |first| Some((first, self.rows.get((first / step) as usize)?)));
        chunks.filter(move |(_, chunk)| chunk.meets(start, end)).flat_map(move |(first, chunk)| {
            let slots = (first..self.len).zip(&chunk.slots).rev();
            slots
                .filter(move |(_, slot)| slot.has(PRESENT) && (start..end).contains(&slot.time()))
                .map(|(row, _)| Row(row))
        })
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
