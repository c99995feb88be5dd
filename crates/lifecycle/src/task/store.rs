//! Tasks as bytes, and the three places that each one stands in.

use annals_storage::Transaction;
use annals_types::{NamespaceId, Timestamp};

use super::{Task, TaskState};
use crate::keyspaces::{READY, TASK_KEYS, TASKS};
use crate::value::{self, Value};
use crate::wire::{Broken, Put, Take};
use crate::{Lane, LifecycleError, key};

/// Where the next free number of a namespace is kept.
pub(super) const COUNTER: u64 = 0;

impl Value for Task {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(self.key.len() + self.payload.len() + self.error.len() + 32);
        let (tag, moment) = match self.state {
            TaskState::Waiting(at) => (0, at),
            TaskState::Claimed(until) => (1, until),
            TaskState::Dead => (2, Timestamp::default()),
        };
        put.byte(tag);
        put.zigzag(moment.as_millis());
        put.varint(u64::from(self.lane.0));
        put.zigzag(self.queued_at.as_millis());
        put.varint(u64::from(self.attempts));
        for bytes in [&self.key, &self.payload] {
            put.length(bytes.len());
            put.raw(bytes);
        }
        put.text(&self.error);
        put.finish()
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
        Ok(Self { namespace, number: 0, lane, key, payload, queued_at, attempts, state, error })
    }
}

/// The next free number of a namespace.
pub(super) struct Counter(pub(super) u64);

impl Value for Counter {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        let mut put = Put::with_capacity(4);
        put.varint(self.0);
        put.finish()
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let number = take.varint()?;
        take.end()?;
        Ok(Self(number))
    }
}

/// Its place among those that may be begun, in the order of when; none for a dead one.
pub(crate) fn ready_key(task: &Task) -> Option<[u8; 24]> {
    match task.state {
        TaskState::Waiting(at) => Some(key::ready(task.lane, at, task.namespace, task.number)),
        // A lease stands up to its last moment.
        TaskState::Claimed(until) => Some(key::ready(task.lane, until.plus_millis(1), task.namespace, task.number)),
        TaskState::Dead => None,
    }
}

pub(super) fn put(txn: &mut Transaction<'_>, before: Option<&Task>, task: &Task) -> Result<(), LifecycleError> {
    let (old, new) = (before.and_then(ready_key), ready_key(task));
    if old != new {
        if let Some(old) = old {
            txn.delete(READY, &old)?;
        }
        if let Some(new) = new {
            txn.put(READY, &new, 1, &[])?;
        }
    }
    value::put(txn, TASKS, &key::task(task.namespace, task.number), task)
}

/// The number that a value of the keyspace of unique keys holds.
pub(crate) fn number_of(key: &[u8], version: u8, body: &[u8]) -> Result<u64, LifecycleError> {
    value::decode(TASK_KEYS, key, version, body).map(|Counter(number)| number)
}

/// Removes the counter of a namespace that has no tasks and will have none.
pub(crate) fn forget_counter(txn: &mut Transaction<'_>, ns: NamespaceId) -> Result<(), LifecycleError> {
    txn.delete(TASKS, &key::task(ns, COUNTER))?;
    Ok(())
}

/// Takes a task out of all of them.
pub(super) fn drop_task(txn: &mut Transaction<'_>, task: &Task) -> Result<(), LifecycleError> {
    if let Some(ready) = ready_key(task) {
        txn.delete(READY, &ready)?;
    }
    txn.delete(TASKS, &key::task(task.namespace, task.number))?;
    txn.delete(TASK_KEYS, &key::task_key(task.namespace, task.lane, &task.key))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_frozen() {
        let task = Task {
            namespace: NamespaceId(0),
            number: 0,
            lane: Lane(3),
            key: b"k".to_vec(),
            payload: vec![0xFF],
            queued_at: Timestamp::from_millis(1),
            attempts: 2,
            state: TaskState::Claimed(Timestamp::from_millis(5)),
            error: "no".to_owned(),
        };
        let bytes = [1, 10, 3, 2, 2, 1, b'k', 1, 0xFF, 2, b'n', b'o'];
        assert_eq!(task.encode(), bytes);
        assert_eq!(Task::decode(1, &bytes).ok(), Some(task));
        assert!(Task::decode(1, &[3, 0, 0, 0, 0, 0, 0, 0]).is_err());
    }
}
