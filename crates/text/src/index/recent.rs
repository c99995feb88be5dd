//! Rows that are in no stored segment: the newest as forward lists, the others in segments that
//! merge geometrically.

use std::sync::Arc;

use super::{Statistics, within};
use crate::error::TextError;
use crate::forward::Forward;
use crate::segment::{Segment, from_forwards, merge};
use crate::settings::Settings;

/// Rows in memory, cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recent {
    /// In the order of their rows.
    segments: Vec<Arc<Segment>>,
    /// Above the rows of all segments, rising.
    tail: Arc<Vec<(u32, Arc<Forward>)>>,
    end: u32,
}

impl Recent {
    pub(crate) fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    pub(crate) fn tail(&self) -> &[(u32, Arc<Forward>)] {
        &self.tail
    }

    pub(crate) const fn end(&self) -> u32 {
        self.end
    }

    pub(crate) fn rows(&self) -> usize {
        self.segments
            .iter()
            .map(|s| s.header.documents as usize)
            .sum::<usize>()
            + self.tail.len()
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let mut sum = Statistics::default();
        for segment in &self.segments {
            sum.documents += u64::from(segment.header.documents);
            sum.total_length += segment.header.total_length;
        }
        for (_, forward) in self.tail.iter() {
            sum.documents += 1;
            sum.total_length += u64::from(forward.lengths().total());
        }
        sum
    }

    pub(crate) fn memory(&self) -> usize {
        let tail = self
            .tail
            .iter()
            .map(|(_, forward)| forward.memory())
            .sum::<usize>();
        tail + self.segments.iter().map(|s| s.memory()).sum::<usize>()
    }

    pub(crate) fn append(&mut self, row: u32, forward: Arc<Forward>, settings: &Settings) {
        let tail = Arc::make_mut(&mut self.tail);
        tail.push((row, forward));
        self.end = row.saturating_add(1);
        if tail.len() >= settings.tail_rows.max(1) {
            self.close_tail(settings);
        }
    }

    /// Makes a segment of the tail.
    fn close_tail(&mut self, settings: &Settings) {
        let tail = std::mem::take(&mut self.tail);
        let rows = tail.iter().map(|(row, forward)| (*row, forward.as_ref()));
        if let Some(built) = from_forwards(rows, settings.chunk_bytes) {
            self.segments.push(Arc::new(Segment::resident(built)));
            self.merge_equals(settings);
        }
    }

    /// Merges the newest segments while there are as many of one size class as the factor says.
    fn merge_equals(&mut self, settings: &Settings) {
        let factor = settings.merge_factor.max(2);
        let class = |segment: &Segment| {
            (segment.header.documents as usize / settings.tail_rows.max(1))
                .max(1)
                .ilog(factor)
        };
        while let Some(newest) = self.segments.last().map(|s| class(s)) {
            let equal: Vec<u32> = self
                .segments
                .iter()
                .rev()
                .take_while(|s| class(s) <= newest)
                .map(|s| s.header.rows)
                .collect();
            let rows: u64 = equal.iter().map(|rows| u64::from(*rows)).sum();
            let small = rows <= u64::from(settings.max_segment_rows);
            if equal.len() < factor
                || !small
                || !self.merge_newest(equal.len(), settings.chunk_bytes)
            {
                return;
            }
        }
    }

    fn merge_newest(&mut self, count: usize, chunk_bytes: usize) -> bool {
        let start = self.segments.len() - count.min(self.segments.len());
        let inputs = self
            .segments
            .get(start..)
            .unwrap_or_default()
            .iter()
            .filter_map(|s| s.as_input())
            .collect();
        // Encoded by this very process: what cannot be merged stays as it is and is searched as it
        // is.
        let Ok(Some(built)) = merge(inputs, chunk_bytes) else {
            return false;
        };
        self.segments.truncate(start);
        self.segments.push(Arc::new(Segment::resident(built)));
        true
    }

    pub(crate) fn remove(&mut self, rows: &[(u32, &Forward)]) -> Result<(), TextError> {
        for segment in &mut self.segments {
            let inside = within(rows, &segment.header);
            if !inside.is_empty() {
                *segment = Arc::new(segment.without(inside)?);
            }
        }
        let gone = |row: u32| rows.binary_search_by_key(&row, |(r, _)| *r).is_ok();
        if self.tail.iter().any(|(row, _)| gone(*row)) {
            Arc::make_mut(&mut self.tail).retain(|(row, _)| !gone(*row));
        }
        Ok(())
    }

    /// Forgets the rows below `end`, which a stored segment has now. `false`, and nothing, when a
    /// segment cannot be read.
    pub(crate) fn drop_before(&mut self, end: u32, chunk_bytes: usize) -> bool {
        let whole = self.segments.partition_point(|s| s.header.end() <= end);
        // Rows that came since the plan may have been merged with planned ones: such a segment
        // loses its lower rows.
        if let Some(crossing) = self
            .segments
            .get_mut(whole)
            .filter(|s| s.header.first < end)
        {
            let inputs = crossing
                .as_input()
                .map(|input| input.from(end))
                .into_iter()
                .collect();
            let Ok(Some(upper)) = merge(inputs, chunk_bytes) else {
                return false;
            };
            *crossing = Arc::new(Segment::resident(upper));
        }
        self.segments.drain(..whole);
        if self.tail.first().is_some_and(|(row, _)| *row < end) {
            Arc::make_mut(&mut self.tail).retain(|(row, _)| *row >= end);
        }
        true
    }
}
