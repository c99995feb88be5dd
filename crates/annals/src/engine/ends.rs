//! Memories that come to their end, by expiry or because they are true no more: what they said counts in as-of questions only.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_graph::Support;
use annals_storage::{KeyRange, Keyspace, Reads, Transaction, prefix_end};
use annals_types::{Body, Memory, NamespaceId, Row, Timestamp};

use super::Engine;
use crate::Error;

/// Moment, namespace, row -> nothing: the row comes to its end then, unless something has changed.
pub(crate) const ENDS: Keyspace = Keyspace::new("annals.ends").up_to(VERSION);
/// The version of its values.
const VERSION: u8 = 1;
/// Rows that one transaction looks at.
const BATCH: usize = 1000;

/// When a memory stops to count: with its expiry, or when it is true no more.
pub(crate) fn of(body: &Body) -> Option<Timestamp> {
    body.expires_at.into_iter().chain(body.valid_until).min()
}

/// Milliseconds so that bytes sort as time does.
fn moment(at: Timestamp) -> [u8; 8] {
    (at.as_millis().cast_unsigned() ^ 1 << 63).to_be_bytes()
}

fn key(at: Timestamp, ns: NamespaceId, row: Row) -> Vec<u8> {
    let mut key = moment(at).to_vec();
    key.extend_from_slice(&ns.prefix());
    key.extend_from_slice(&row.0.to_be_bytes());
    key
}

fn parts(key: &[u8]) -> Option<(Timestamp, NamespaceId, Row)> {
    let (at, rest) = key.split_first_chunk::<8>()?;
    let (ns, rest) = rest.split_first_chunk::<4>()?;
    let row = <[u8; 4]>::try_from(rest).ok()?;
    let at = Timestamp::from_millis((u64::from_be_bytes(*at) ^ 1 << 63).cast_signed());
    Some((at, NamespaceId(u32::from_be_bytes(*ns)), Row(u32::from_be_bytes(row))))
}

/// Takes note of when a row that was just born ends.
pub(crate) fn put(txn: &mut Transaction<'_>, ns: NamespaceId, row: Row, body: &Body) -> Result<(), Error> {
    if let Some(at) = of(body) {
        txn.put(ENDS, &key(at, ns, row), VERSION, &[])?;
    }
    Ok(())
}

/// Lets rows that have come to their end say nothing aloud any more. Those that the graph does not know say nothing anyway.
pub(crate) fn settle(txn: &mut Transaction<'_>, ns: NamespaceId, now: Timestamp, rows: &[Row]) -> Result<u64, Error> {
    let states = annals_graph::states(&*txn, ns, rows)?;
    let mut since = BTreeMap::new();
    for (row, states) in rows.iter().zip(states) {
        let last = states.and_then(|states| states.last().copied());
        since.extend(last.filter(|last| last.state.supports()).map(|last| (*row, last.time)));
    }
    let speaking: Vec<Row> = since.keys().copied().collect();
    if speaking.is_empty() {
        return Ok(0);
    }
    let mut ended: BTreeMap<Timestamp, Vec<Row>> = BTreeMap::new();
    for (row, memory) in speaking.iter().zip(annals_records::memories(&*txn, ns, &speaking, None)?) {
        let end = memory.as_ref().and_then(|memory: &Memory| of(&memory.body)).filter(|end| *end <= now);
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
pub(crate) fn purge(txn: &mut Transaction<'_>, gone: NamespaceId, limit: usize) -> Result<bool, Error> {
    let mut keys = Vec::new();
    txn.scan(&[KeyRange::prefix(ENDS, b"")], &mut |_, key, _, _| {
        if parts(key).is_some_and(|(_, ns, _)| ns == gone) {
            keys.push(key.to_vec());
        }
        Ok(if keys.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    for key in &keys {
        txn.delete(ENDS, key)?;
    }
    Ok(keys.len() < limit)
}

/// When the next memory comes to its end; `None` when none does.
pub(crate) fn next(reads: &dyn Reads) -> Result<Option<Timestamp>, Error> {
    let mut next = None;
    reads.scan(&[KeyRange::prefix(ENDS, b"")], &mut |_, key, _, _| {
        next = parts(key).map(|(at, ..)| at);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(next)
}

impl Engine {
    /// Lets what came to its end by now count no more; answers how many memories had said something.
    pub(crate) fn end_what_is_due(&self, now: Timestamp) -> Result<u64, Error> {
        let mut ended = 0;
        loop {
            let step = |txn: &mut Transaction<'_>| -> Result<_, Error> {
                let due = due(&*txn, now)?;
                let mut by_space: BTreeMap<NamespaceId, Vec<Row>> = BTreeMap::new();
                for (at, ns, row) in &due {
                    by_space.entry(*ns).or_default().push(*row);
                    txn.delete(ENDS, &key(*at, *ns, *row))?;
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
    let mut due = Vec::new();
    let end = prefix_end(&moment(now));
    let range = KeyRange { keyspace: ENDS, start: Vec::new(), end, reverse: false };
    reads.scan(&[range], &mut |_, key, _, _| {
        due.extend(parts(key));
        Ok(if due.len() == BATCH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(due)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_by_time_and_come_back() {
        let at = Timestamp::from_millis;
        let keys = [
            key(at(-5), NamespaceId(2), Row(3)),
            key(at(0), NamespaceId(1), Row(0)),
            key(at(7), NamespaceId(0), Row(9)),
        ];
        assert!(keys.is_sorted());
        assert_eq!(keys[1], [0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(parts(&keys[0]), Some((at(-5), NamespaceId(2), Row(3))));
        assert_eq!(parts(&keys[0][..15]), None);
    }
}
