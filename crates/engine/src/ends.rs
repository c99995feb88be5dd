//! Memories that come to their end, by expiry or because they are no longer true: their statements
//! count in as-of questions only.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_graph::Support;
use annals_storage::table::Mark;
use annals_storage::{Reads, Table, Transaction};
use annals_types::{Body, Memory, NamespaceId, Row, Timestamp};

use crate::Engine;
use crate::Error;

/// When a row comes to its end, unless something has changed.
pub(crate) const ENDS: Table<(Timestamp, NamespaceId, Row), Mark> = Table::new("annals.ends");
/// Rows that one transaction looks at.
const BATCH: usize = 1000;

/// When a memory stops to count: with its expiry, or when it is true no more.
pub(crate) fn of(body: &Body) -> Option<Timestamp> {
    body.expires_at.into_iter().chain(body.valid_until).min()
}

/// Takes note of when a row that was just born ends.
pub(crate) fn put(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    body: &Body,
) -> Result<(), Error> {
    if let Some(at) = of(body) {
        ENDS.put(txn, (at, ns, row), &())?;
    }
    Ok(())
}

/// Ends the support of rows that have come to their end. Rows that the graph does not know support
/// nothing anyway.
pub(crate) fn settle(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    now: Timestamp,
    rows: &[Row],
) -> Result<u64, Error> {
    let states = annals_graph::states(&*txn, ns, rows)?;
    let mut since = BTreeMap::new();
    for (row, states) in rows.iter().zip(states) {
        let last = states.and_then(|states| states.last().copied());
        since.extend(
            last.filter(|last| last.state.supports())
                .map(|last| (*row, last.time)),
        );
    }
    let speaking: Vec<Row> = since.keys().copied().collect();
    if speaking.is_empty() {
        return Ok(0);
    }
    let mut ended: BTreeMap<Timestamp, Vec<Row>> = BTreeMap::new();
    for (row, memory) in speaking
        .iter()
        .zip(annals_records::memories(&*txn, ns, &speaking, None)?)
    {
        let end = memory
            .as_ref()
            .and_then(|memory: &Memory| of(&memory.body))
            .filter(|end| *end <= now);
        let Some(end) = end else { continue };
        let since = since.get(row).copied().unwrap_or(now);
        ended.entry(end.max(since)).or_default().push(*row);
    }
    let mut count = 0;
    for (at, rows) in ended {
        let changed = annals_graph::status_changed(txn, ns, at, &rows, Support::Expired)?;
        count += u64::try_from(changed.rows.len()).unwrap_or(u64::MAX);
    }
    Ok(count)
}

/// Drops what is noted of a namespace; answers when nothing is left.
pub(crate) fn purge(
    txn: &mut Transaction<'_>,
    gone: NamespaceId,
    limit: usize,
) -> Result<bool, Error> {
    let mut keys = Vec::new();
    ENDS.scan(txn, ENDS.all(), |key, ()| {
        if key.1 == gone {
            keys.push(key);
        }
        Ok::<_, Error>(if keys.len() == limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    for key in &keys {
        ENDS.delete(txn, *key)?;
    }
    Ok(keys.len() < limit)
}

/// When the next memory comes to its end; `None` when none does.
pub(crate) fn next(reads: &dyn Reads) -> Result<Option<Timestamp>, Error> {
    Ok(ENDS.first(reads, ENDS.all())?.map(|(at, ..)| at))
}

impl Engine {
    /// Lets what came to its end by now count no more; answers how many memories had said
    /// something.
    pub(crate) fn end_what_is_due(&self, now: Timestamp) -> Result<u64, Error> {
        let mut ended = 0;
        loop {
            let step = |txn: &mut Transaction<'_>| -> Result<_, Error> {
                let due = due(&*txn, now)?;
                let mut by_space: BTreeMap<NamespaceId, Vec<Row>> = BTreeMap::new();
                for (at, ns, row) in &due {
                    by_space.entry(*ns).or_default().push(*row);
                    ENDS.delete(txn, (*at, *ns, *row))?;
                }
                let mut ended = 0;
                for (ns, rows) in by_space {
                    ended += settle(txn, ns, now, &rows)?;
                }
                Ok((ended, due.len() == BATCH))
            };
            if next(&self.snapshot()?)?.is_none_or(|next| next > now) {
                return Ok(ended);
            }
            let ((some, more), _) = self.store.write(step)?;
            ended += some;
            if !more {
                return Ok(ended);
            }
        }
    }
}

fn due(reads: &dyn Reads, now: Timestamp) -> Result<Vec<(Timestamp, NamespaceId, Row)>, Error> {
    let due = ENDS.all().until((now.plus_millis(1),));
    Ok(ENDS
        .rows(reads, due, BATCH)?
        .into_iter()
        .map(|(key, ())| key)
        .collect())
}
