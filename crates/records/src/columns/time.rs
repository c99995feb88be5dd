//! Rows by what happened when.

use annals_types::{Row, Timestamp};

use super::Columns;
use super::slot::Feature;

impl Columns {
    /// The rows that happened (or, without an event time, were stored) from `start` up to and without `end`, the newest row first.
    pub fn rows_within(&self, start: Timestamp, end: Timestamp) -> impl Iterator<Item = Row> + '_ {
        let inside = move |row: &Row| self.get(*row).is_some_and(|facts| (start..end).contains(&facts.time()));
        (0..self.len()).rev().map(Row).filter(inside)
    }
}

impl Feature {
    /// Whether it is true at `moment`: `valid_from <= moment < valid_until`, open ends included.
    #[must_use]
    pub fn valid_at(&self, moment: Timestamp) -> bool {
        self.valid_from.is_none_or(|from| from <= moment) && self.valid_until.is_none_or(|until| moment < until)
    }
}
