//! What is in the queue.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads};
use annals_types::{NamespaceId, Timestamp};

use super::Task;
use super::store::Counter;
use crate::keyspaces::{READY, TASK_KEYS, TASKS};
use crate::wire::Broken;
use crate::{Lane, LifecycleError, key, value};

/// At most `limit` tasks of a queue that may be begun at `now`, of the namespaces that are wanted, those that wait longest first. Reads what is
/// ready of the others, too: ask once for all that is to be begun.
///
/// # Errors
/// When they cannot be read.
pub fn ready(
    reads: &dyn Reads,
    lane: Lane,
    now: Timestamp,
    limit: usize,
    wanted: &dyn Fn(NamespaceId) -> bool,
) -> Result<Vec<Task>, LifecycleError> {
    let mut places = Vec::new();
    let range = KeyRange::between(READY, &key::lane(lane), &key::due_end(lane, now));
    value::scan(reads, &[range], &mut |_, key, _, _| {
        if places.len() == limit {
            return Ok(ControlFlow::Break(()));
        }
        let parts = key::ready_parts(key);
        let (_, ns, number) = parts.ok_or_else(|| LifecycleError::damaged(READY, key, Broken("the key is short")))?;
        if wanted(ns) {
            places.push((ns, number));
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(get_many(reads, &places)?.into_iter().flatten().collect())
}

/// When the next task of a queue may be begun, or its lease ends; `None` when none waits.
///
/// # Errors
/// When it cannot be read.
pub fn next_ready(reads: &dyn Reads, lane: Lane) -> Result<Option<Timestamp>, LifecycleError> {
    let mut next = None;
    value::scan(reads, &[KeyRange::prefix(READY, &key::lane(lane))], &mut |_, key, _, _| {
        next = key::ready_parts(key).map(|(at, ..)| at);
        Ok(ControlFlow::Break(()))
    })?;
    Ok(next)
}

/// At most `limit` tasks of a queue, of all namespaces, that wait or were begun: those that may be begun first come first.
///
/// # Errors
/// When they cannot be read.
pub fn queued(reads: &dyn Reads, lane: Lane, limit: usize) -> Result<Vec<Task>, LifecycleError> {
    ready(reads, lane, Timestamp::MAX, limit, &|_| true)
}

/// A task.
///
/// # Errors
/// When it cannot be read.
pub fn get(reads: &dyn Reads, ns: NamespaceId, number: u64) -> Result<Option<Task>, LifecycleError> {
    Ok(get_many(reads, &[(ns, number)])?.pop().flatten())
}

fn get_many(reads: &dyn Reads, places: &[(NamespaceId, u64)]) -> Result<Vec<Option<Task>>, LifecycleError> {
    let keys: Vec<[u8; 12]> = places.iter().map(|(ns, number)| key::task(*ns, *number)).collect();
    let asked: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (TASKS, key.as_slice())).collect();
    let found = reads.multi_get(&asked)?;
    let mut tasks = Vec::with_capacity(places.len());
    for (((ns, number), key), stored) in places.iter().zip(&keys).zip(&found) {
        let task: Option<Task> = value::opened(TASKS, key, stored.as_ref())?;
        tasks.push(task.map(|task| Task { namespace: *ns, number: *number, ..task }));
    }
    Ok(tasks)
}

/// The task of a key.
///
/// # Errors
/// When it cannot be read.
pub fn find(reads: &dyn Reads, (ns, lane): (NamespaceId, Lane), unique: &[u8]) -> Result<Option<Task>, LifecycleError> {
    let by_key = key::task_key(ns, lane, unique);
    match value::get(reads, TASK_KEYS, &by_key)? {
        Some(Counter(number)) => get(reads, ns, number),
        None => Ok(None),
    }
}

/// The tasks of those of some keys that have one, in two rounds of reads.
pub(crate) fn find_many<K: AsRef<[u8]>>(
    reads: &dyn Reads,
    (ns, lane): (NamespaceId, Lane),
    unique: &[K],
) -> Result<Vec<Task>, LifecycleError> {
    let keys: Vec<Vec<u8>> = unique.iter().map(|unique| key::task_key(ns, lane, unique.as_ref())).collect();
    let asked: Vec<(Keyspace, &[u8])> = keys.iter().map(|key| (TASK_KEYS, key.as_slice())).collect();
    let mut numbers = Vec::new();
    for (key, stored) in keys.iter().zip(&reads.multi_get(&asked)?) {
        numbers.extend(value::opened(TASK_KEYS, key, stored.as_ref())?.map(|Counter(number)| (ns, number)));
    }
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    Ok(get_many(reads, &numbers)?.into_iter().flatten().collect())
}

/// The tasks of a namespace from number `from` on, at most `limit`.
///
/// # Errors
/// When they cannot be read.
pub fn tasks(reads: &dyn Reads, ns: NamespaceId, from: u64, limit: usize) -> Result<Vec<Task>, LifecycleError> {
    let mut found = Vec::new();
    let mut range = KeyRange::prefix(TASKS, &ns.prefix());
    range.start = key::task(ns, from.max(1)).to_vec();
    value::scan(reads, &[range], &mut |_, key, version, body| {
        if found.len() == limit {
            return Ok(ControlFlow::Break(()));
        }
        let number =
            key::tail_u64(key).ok_or_else(|| LifecycleError::damaged(TASKS, key, Broken("the key is short")))?;
        found.push(Task { namespace: ns, number, ..value::decode(TASKS, key, version, body)? });
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The numbers of the tasks of a lane whose keys come after `after`, in the order of keys.
pub(crate) fn by_key(
    reads: &dyn Reads,
    (ns, lane): (NamespaceId, Lane),
    after: Option<&[u8]>,
    limit: usize,
) -> Result<Vec<Task>, LifecycleError> {
    let mut numbers = Vec::new();
    let mut range = KeyRange::prefix(TASK_KEYS, &key::task_key(ns, lane, b""));
    if let Some(after) = after {
        range.start = [&key::task_key(ns, lane, after)[..], b"\0"].concat();
    }
    value::scan(reads, &[range], &mut |_, key, version, body| {
        if numbers.len() == limit {
            return Ok(ControlFlow::Break(()));
        }
        let Counter(number) = value::decode(TASK_KEYS, key, version, body)?;
        numbers.push((ns, number));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(get_many(reads, &numbers)?.into_iter().flatten().collect())
}
