//! Memories by a filter, page by page.

use std::collections::BTreeSet;

use annals_records::{Moment, Order};
use annals_storage::{Reads, Snapshot};
use annals_types::{Filter, Memory, NamespaceId, Row};
use serde::{Deserialize, Serialize};

use super::{Engine, View, stale};
use crate::{Error, Refusal};

/// Which memories are listed, and in what order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListQuery {
    /// Which memories.
    pub filter: Filter,
    /// Of one of these classes of the profile, such as `core`; any class when empty.
    pub classes: Vec<String>,
    /// Only memories that lost one of their sources and have not been derived again.
    pub stale: bool,
    /// Also what has expired, and memories that another one took the place of; not in a list by
    /// default.
    pub past: bool,
    /// At most so many; 50 by default.
    pub limit: usize,
    /// Go on after the page that ended here: [`Page::next`](crate::Page::next).
    pub after: Option<String>,
    /// The newest first (the default), or the oldest.
    pub newest_first: bool,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            classes: Vec::new(),
            stale: false,
            past: false,
            limit: 50,
            after: None,
            newest_first: true,
        }
    }
}

/// Memories in the order of their storing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The memories of this page.
    pub memories: Vec<Memory>,
    /// Where the next page begins; `None` on the last one. Goes into
    /// [`ListQuery::after`](crate::ListQuery::after).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// How many memories pass the filter.
    pub total: u64,
}

impl Engine {
    pub fn list(&self, view: &View, snapshot: &Snapshot, query: &ListQuery) -> Result<Page, Error> {
        let after = query.after.as_deref().map(str::parse).transpose();
        let after = after.map_err(|_| Refusal::NoPage {})?;
        let order = if query.newest_first {
            Order::Newest
        } else {
            Order::Oldest
        };
        let matcher = view.columns.matcher(&query.filter, Moment::now(self.now()));
        let matcher = if query.past {
            matcher.with_past()
        } else {
            matcher
        };
        let stale = query
            .stale
            .then(|| stale_rows(snapshot, view.namespace))
            .transpose()?;
        let wanted = |row: Row| {
            let of_class = query.classes.is_empty()
                || view
                    .worth
                    .class(row)
                    .is_some_and(|class| query.classes.iter().any(|wanted| wanted == class));
            of_class && stale.as_ref().is_none_or(|stale| stale.contains(&row))
        };
        let total =
            u64::try_from(matcher.rows().filter(|row| wanted(*row)).count()).unwrap_or(u64::MAX);
        let page = annals_records::list_where(&matcher, &wanted, order, after, query.limit);
        let memories =
            annals_records::memories(snapshot, view.namespace, &page.rows, Some(&view.columns))?;
        Ok(Page {
            memories: memories.into_iter().flatten().collect(),
            next: page.next.map(|cursor| cursor.to_string()),
            total,
        })
    }
}

/// The current rows of memories that lost a source.
fn stale_rows(reads: &dyn Reads, ns: NamespaceId) -> Result<BTreeSet<Row>, Error> {
    let rows = annals_records::find_rows(reads, ns, &stale::list(reads, ns)?)?;
    Ok(rows.into_iter().flatten().collect())
}
