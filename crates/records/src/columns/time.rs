//! Rows by what happened when.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use annals_types::{Interval, Row, Timestamp};

use super::Columns;
use super::chunk::{CHUNK, RowChunk};
use super::slot::{Feature, PRESENT};

/// Moments from the first (included) to the second (excluded).
type Within = (i64, i64);

impl Columns {
    /// The latest of the wanted rows that happened (or, without an event time, were stored) from
    /// `start` up to and without `end`, or whose text names a time that meets it: at most `limit`,
    /// the latest first, of one time the newest row first. A named time counts from where it
    /// meets.
    ///
    /// Each chunk of 1024 rows knows its first and last time: they are looked at from the latest
    /// on, and none that ends before what was found.
    pub fn latest_within(
        &self,
        start: Timestamp,
        end: Timestamp,
        limit: usize,
        wanted: impl Fn(Row) -> bool,
    ) -> Vec<Row> {
        let within = (start.as_millis(), end.as_millis());
        let step = u32::try_from(CHUNK).unwrap_or(u32::MAX);
        let firsts = (0..self.len).step_by(CHUNK);
        let met = firsts.filter_map(|first| {
            let chunk = self.rows.get((first / step) as usize)?;
            Some((chunk.last_meeting(within)?, first, chunk))
        });
        let mut chunks: Vec<_> = met.collect();
        chunks.sort_by_key(|(last, first, _)| Reverse((*last, *first)));
        let mut latest = BinaryHeap::new();
        for (last, first, chunk) in chunks {
            let earliest = latest.peek().map(|Reverse((time, _))| *time);
            if latest.len() >= limit && earliest.is_none_or(|earliest| last < earliest) {
                break;
            }
            for (at, row) in (first..self.len).take(chunk.slots.len()).enumerate() {
                if let Some(time) = chunk.meeting(at, within).filter(|_| wanted(Row(row))) {
                    latest.push(Reverse((time, row)));
                    if latest.len() > limit {
                        latest.pop();
                    }
                }
            }
        }
        latest
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse((_, row))| Row(row))
            .collect()
    }
}

/// The first moment of a named time that lies within others.
fn meets((_, time): &(u16, Interval), (start, end): Within) -> Option<i64> {
    let first = time.start.as_millis().max(start);
    (first < end && first < time.end.as_millis()).then_some(first)
}

impl RowChunk {
    /// No row meets others at a later moment than this; `None` where none does.
    fn last_meeting(&self, within: Within) -> Option<i64> {
        let times = self
            .times
            .filter(|(first, last)| *first < within.1 && within.0 <= *last);
        let named = self
            .all_named_times()
            .iter()
            .filter_map(|time| meets(time, within))
            .max();
        times.map(|(_, last)| last).max(named)
    }

    /// The latest moment at which a row happened, or begins to be what its text names, within
    /// others.
    fn meeting(&self, at: usize, within: Within) -> Option<i64> {
        let slot = self.slots.get(at).filter(|slot| slot.has(PRESENT))?;
        let time = Some(slot.time()).filter(|time| (within.0..within.1).contains(time));
        time.max(
            self.named_times(at)
                .iter()
                .filter_map(|time| meets(time, within))
                .max(),
        )
    }
}

impl Feature {
    /// Whether it is true at `moment`: `valid_from <= moment < valid_until`, open ends included.
    #[must_use]
    pub fn valid_at(&self, moment: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= moment)
            && self.valid_until.is_none_or(|until| moment < until)
    }
}
