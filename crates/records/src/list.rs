use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use annals_types::Row;
use serde::{Deserialize, Serialize};

use crate::Matcher;

/// In which order memories are listed: by storing time, rows that share one by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The latest stored first.
    #[default]
    Newest,
    /// The earliest stored first.
    Oldest,
}

/// Where a page ended. Stays good while memories come and go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cursor {
    stored_at: i64,
    row: Row,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.stored_at, self.row.0)
    }
}

/// A text that is no [`Cursor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is no page cursor; take the one that came with the page before, or none for the first page"
)]
pub struct BadCursor;

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        let (stored_at, row) = text.split_once('.').ok_or(BadCursor)?;
        let stored_at = stored_at.parse().map_err(|_| BadCursor)?;
        row.parse()
            .map(|row| Self {
                stored_at,
                row: Row(row),
            })
            .map_err(|_| BadCursor)
    }
}

/// Some rows of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<Cursor>,
}

/// The next `limit` rows that a matcher means, after a cursor or from the beginning.
#[must_use]
pub fn list(matcher: &Matcher<'_>, order: Order, after: Option<Cursor>, limit: usize) -> Page {
    list_where(matcher, &|_| true, order, after, limit)
}

/// The same, of the rows that also pass a test of the caller's.
#[must_use]
pub fn list_where(
    matcher: &Matcher<'_>,
    also: &dyn Fn(Row) -> bool,
    order: Order,
    after: Option<Cursor>,
    limit: usize,
) -> Page {
    let wanted = Wanted { matcher, also };
    let mut found: Vec<Cursor> = if matcher.columns().ordered() {
        in_order(&wanted, order, after, limit)
    } else {
        selected(&wanted, order, after, limit)
    };
    let more = found.len() > limit;
    found.truncate(limit);
    Page {
        rows: found.iter().map(|at| at.row).collect(),
        next: found.last().copied().filter(|_| more),
    }
}

/// Which rows are listed.
struct Wanted<'a> {
    matcher: &'a Matcher<'a>,
    also: &'a dyn Fn(Row) -> bool,
}

impl Wanted<'_> {
    fn cursor(&self, row: Row) -> Option<Cursor> {
        self.matcher.columns().slot(row).map(|slot| Cursor {
            stored_at: slot.stored_at,
            row,
        })
    }
}

/// One more than `limit` rows, where the order of rows is that of storing times.
fn in_order(list: &Wanted<'_>, order: Order, after: Option<Cursor>, limit: usize) -> Vec<Cursor> {
    let len = list.matcher.columns().len();
    let wanted = |row: &u32| list.matcher.matches(Row(*row)) && (list.also)(Row(*row));
    let place = |row: u32| list.cursor(Row(row));
    let most = limit.saturating_add(1);
    match order {
        Order::Newest => {
            let end = after.map_or(len, |after| after.row.0.min(len));
            (0..end)
                .rev()
                .filter(wanted)
                .filter_map(place)
                .take(most)
                .collect()
        }
        Order::Oldest => {
            let start = after.map_or(0, |after| after.row.0.saturating_add(1));
            (start..len)
                .filter(wanted)
                .filter_map(place)
                .take(most)
                .collect()
        }
    }
}

/// One more than `limit` rows out of all, where storing times were given from outside.
fn selected(list: &Wanted<'_>, order: Order, after: Option<Cursor>, limit: usize) -> Vec<Cursor> {
    let rows = list
        .matcher
        .rows()
        .filter(|row| (list.also)(*row))
        .filter_map(|row| list.cursor(row));
    let most = limit.saturating_add(1);
    match order {
        Order::Oldest => smallest(
            rows.filter(|at| after.is_none_or(|after| *at > after)),
            most,
        ),
        Order::Newest => {
            let turned = rows
                .filter(|at| after.is_none_or(|after| *at < after))
                .map(std::cmp::Reverse);
            smallest(turned, most)
                .into_iter()
                .map(|turned| turned.0)
                .collect()
        }
    }
}

fn smallest<T: Ord>(items: impl Iterator<Item = T>, count: usize) -> Vec<T> {
    let mut heap = BinaryHeap::new();
    for item in items {
        if heap.len() < count {
            heap.push(item);
        } else if heap.peek().is_some_and(|worst| item < *worst) {
            heap.pop();
            heap.push(item);
        }
    }
    heap.into_sorted_vec()
}
