//! Tasks as bytes, and the three places that each one stands in.

use annals_storage::Transaction;
use annals_storage::table::Value;
use annals_types::{NamespaceId, Timestamp};

use super::{Task, TaskState};
use crate::tables::{READY, TASK_KEYS, TASKS};
use crate::wire::{Broken, Put, Take};
use crate::{Lane, LifecycleError};

/// A place among the tasks that may be begun, in the order of when.
pub(crate) type Ready = (Lane, Timestamp, NamespaceId, u64);

impl Value for Task {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        let (tag, moment) = match view.state {
            TaskState::Waiting(at) => (0, at),
            TaskState::Claimed(until) => (1, until),
            TaskState::Dead => (2, Timestamp::default()),
        };
        put.byte(tag);
        put.zigzag(moment.as_millis());
        put.varint(u64::from(view.lane.0));
        put.zigzag(view.queued_at.as_millis());
        put.varint(u64::from(view.attempts));
        for bytes in [&view.key, &view.payload] {
            put.length(bytes.len());
            put.raw(bytes);
        }
        put.text(&view.error);
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let tag = take.byte()?;
        let moment = Timestamp::from_millis(take.zigzag()?);
        let state = match tag {
            0 => TaskState::Waiting(moment),
            1 => TaskState::Claimed(moment),
            2 => TaskState::Dead,
            _ => return Err(Broken("a task has an unknown state")),
        };
        let lane = Lane(take.varint32()?);
        let queued_at = Timestamp::from_millis(take.zigzag()?);
        let attempts = take.varint32()?;
        let mut bytes = || {
            let length = take.count(1)?;
            take.slice(length).map(<[u8]>::to_vec)
        };
        let (key, payload) = (bytes()?, bytes()?);
        let error = take.text()?.to_owned();
        take.end()?;
        let namespace = NamespaceId(0);
        Ok(Self {
            namespace,
            number: 0,
            lane,
            key,
            payload,
            queued_at,
            attempts,
            state,
            error,
        })
    }
}

/// Its place among those that may be begun; none for a dead one.
pub(crate) fn ready_key(task: &Task) -> Option<Ready> {
    match task.state {
        TaskState::Waiting(at) => Some((task.lane, at, task.namespace, task.number)),
        // A lease stands up to its last moment.
        TaskState::Claimed(until) => {
            Some((task.lane, until.plus_millis(1), task.namespace, task.number))
        }
        TaskState::Dead => None,
    }
}

pub(super) fn put(
    txn: &mut Transaction<'_>,
    before: Option<&Task>,
    task: &Task,
) -> Result<(), LifecycleError> {
    let (old, new) = (before.and_then(ready_key), ready_key(task));
    if old != new {
        if let Some(old) = old {
            READY.delete(txn, old)?;
        }
        if let Some(new) = new {
            READY.put(txn, new, &())?;
        }
    }
    Ok(TASKS.put(txn, (task.namespace, task.number), task)?)
}

/// Takes a task out of all of them.
pub(super) fn drop_task(txn: &mut Transaction<'_>, task: &Task) -> Result<(), LifecycleError> {
    if let Some(ready) = ready_key(task) {
        READY.delete(txn, ready)?;
    }
    TASKS.delete(txn, (task.namespace, task.number))?;
    TASK_KEYS.delete(txn, (task.namespace, task.lane, &task.key))?;
    Ok(())
}

/// Whether a transaction queued a task or took one out of a queue.
#[must_use]
pub fn changed(txn: &Transaction<'_>) -> bool {
    txn.changed(TASK_KEYS.keyspace())
}
