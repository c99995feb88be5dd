//! Deletions of many memories that no caller waits for: a durable order, carried out in batches in
//! the background.

use std::collections::BTreeSet;

use annals_lifecycle::task::{self, Queued, Task};
use annals_lifecycle::{Lane, find_lane, open_lane};
use annals_records::Head;
use annals_storage::Reads;
use annals_types::{Filter, Label, MemoryId, NamespaceId, Row, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::{Engine, changed};

/// The word for this kind of work.
pub const WORD: &str = "delete";
/// Memories that go in one transaction.
const BATCH: usize = 500;

/// The memories that are to be deleted, as JSON in the payload of a task.
#[derive(Serialize, Deserialize)]
struct Order {
    filter: Filter,
    /// Rows from this one on came after the order: they stay.
    below: u32,
    /// When it was given: memories that got their status later stay.
    at: Timestamp,
}

fn lane_name() -> Result<Label, Error> {
    Ok(Label::new("lane", format!("⟨{WORD}⟩"))?)
}

/// The queue of all such work, whatever the profile; `None` before the first of it.
pub fn lane(reads: &dyn Reads) -> Result<Option<Lane>, Error> {
    Ok(find_lane(reads, &lane_name()?)?)
}

fn order(task: &Task) -> Result<Order, Error> {
    let read = serde_json::from_slice(&task.payload);
    read.map_err(|error| {
        task.damaged(format!("background work cannot be read: {error}"))
            .into()
    })
}

impl Engine {
    /// Orders the deletion of what passes a filter now; answers the number of the work.
    pub fn order_deletion(&self, ns: NamespaceId, filter: &Filter) -> Result<u64, Error> {
        let now = self.now();
        let own = self.ids.next(now);
        let unique = [WORD.as_bytes(), own.as_bytes()].concat();
        let number = self.write(ns, |cx| {
            let order = Order {
                filter: filter.clone(),
                below: Head::read(&*cx.txn, ns)?.next_row,
                at: now,
            };
            let payload =
                serde_json::to_vec(&order).map_err(|error| Error::internal(error.to_string()))?;
            let lane = open_lane(cx.txn, &lane_name()?)?;
            let queued = task::enqueue(cx.txn, ns, lane, &unique, &payload, now, now)?;
            let (Queued::New(number) | Queued::Already(number)) = queued;
            changed::note_deletion(cx)?;
            Ok(number)
        })?;
        self.worker.wake(ns);
        Ok(number)
    }

    /// Has the worker go on with what an earlier process left.
    pub(crate) fn resume_orders(&self) -> Result<(), Error> {
        let snapshot = self.store.snapshot()?;
        let Some(lane) = lane(&snapshot)? else {
            return Ok(());
        };
        let waiting: BTreeSet<NamespaceId> = task::queued(&snapshot, lane, usize::MAX)?
            .into_iter()
            .map(|task| task.namespace)
            .collect();
        waiting.into_iter().for_each(|ns| self.worker.wake(ns));
        Ok(())
    }

    /// Carries out the orders of one namespace or of all; answers how many memories went, and the
    /// first failure: it does not keep other orders from being carried out. Between batches it
    /// ends when the engine is closed, or when the order is withdrawn.
    pub(crate) fn carry_out_orders(
        &self,
        only: Option<NamespaceId>,
    ) -> Result<(u64, Option<Error>), Error> {
        let snapshot = self.snapshot()?;
        let Some(lane) = lane(&snapshot)? else {
            return Ok((0, None));
        };
        let (mut gone, mut failed) = (0, None);
        for task in task::queued(&snapshot, lane, usize::MAX)? {
            if only.is_some_and(|ns| ns != task.namespace) {
                continue;
            }
            let number = (task.namespace, task.number);
            self.deleting.lock().insert(number);
            let deleted = self.delete_ordered(&task);
            self.deleting.lock().remove(&number);
            match deleted {
                Ok(deleted) => gone += deleted,
                // Its memories go with the namespace, and so does the order.
                Err(error) if error.is_gone() => {}
                Err(error) => {
                    let (namespace, order) = (task.namespace.0, task.number);
                    tracing::error!(namespace, order, %error, "a deletion was not done");
                    failed.get_or_insert(error);
                }
            }
        }
        Ok((gone, failed))
    }

    fn delete_ordered(&self, task: &Task) -> Result<u64, Error> {
        let order = order(task)?;
        if !self.is_there(task.namespace)? {
            return Ok(0);
        }
        let filter = match order.filter.statuses.is_empty() {
            true => Filter {
                statuses: Status::ALL.to_vec(),
                ..order.filter
            },
            false => order.filter,
        };
        let mut gone = 0;
        for batch in self
            .meant(task.namespace, &filter, Some((order.at, Row(order.below))))?
            .chunks(BATCH)
        {
            if self.worker.is_stopping() {
                return Ok(gone);
            }
            match self.delete_batch(task.namespace, task.number, batch, &filter.statuses)? {
                Some(some) => gone += some,
                None => return Ok(gone),
            }
        }
        self.write(task.namespace, |cx| {
            let ns = cx.ns;
            if task::get(&*cx.txn, ns, task.number)?.is_some() {
                task::discard(cx.txn, ns, task.number)?;
            }
            Ok(())
        })?;
        Ok(gone)
    }

    /// Deletes some memories but for those that were changed or brought back meanwhile; answers
    /// how many went, `None` when the order was withdrawn.
    fn delete_batch(
        &self,
        ns: NamespaceId,
        order: u64,
        meant: &[(Row, MemoryId)],
        statuses: &[Status],
    ) -> Result<Option<u64>, Error> {
        let delete = || {
            self.write(ns, |cx| {
                if task::get(&*cx.txn, ns, order)?.is_none() {
                    return Ok(None);
                }
                let (rows, ids): (Vec<Row>, Vec<MemoryId>) = meant.iter().copied().unzip();
                let current = annals_records::find_rows(&*cx.txn, ns, &ids)?;
                let memories = annals_records::memories(&*cx.txn, ns, &rows, None)?;
                let found = meant.iter().zip(current.into_iter().zip(memories));
                let as_before = found.filter(|((row, _), (current, memory))| {
                    *current == Some(*row)
                        && memory
                            .as_ref()
                            .is_some_and(|memory| statuses.contains(&memory.status))
                });
                let ids: Vec<MemoryId> = as_before.map(|((_, id), _)| *id).collect();
                let removal = self.erase_in(cx, &ids)?;
                Ok(Some(removal))
            })
            .map(|removal| {
                let removal = removal?;
                if !removal.stale.is_empty() {
                    self.scheduler.ask();
                }
                Some(u64::try_from(removal.memories.len()).unwrap_or(u64::MAX))
            })
        };
        match delete() {
            Err(error) if error.is_derived_damage() => {
                self.heal(ns)?;
                delete()
            }
            deleted => deleted,
        }
    }
}
