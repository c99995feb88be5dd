//! Durable background work: each task once under its key, tried until it is done or given up.

use std::ops::ControlFlow;

use annals_storage::{KeyRange, Keyspace, Reads, Transaction};
use annals_types::profile::QueueSettings;
use annals_types::{NamespaceId, Timestamp};

use crate::keyspaces::{READY, TASK_KEYS, TASKS};
use crate::policy::millis;
use crate::value::{self, Value};
use crate::wire::{Broken, Put, Take};
use crate::{Lane, LifecycleError, key};

/// Milliseconds of a minute.
const MINUTE: i64 = 60_000;
/// Where the next free number of a namespace is kept.
const COUNTER: u64 = 0;

/// A piece of background work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its namespace.
    pub namespace: NamespaceId,
    /// Its number within the namespace.
    pub number: u64,
    /// The queue that it is in.
    pub lane: Lane,
    /// What makes it the only one of its kind.
    pub key: Vec<u8>,
    /// What there is to do, in the words of whoever does it.
    pub payload: Vec<u8>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// How often it was begun.
    pub attempts: u32,
    /// Where it stands.
    pub state: TaskState,
    /// Why the last attempt failed.
    pub error: String,
}

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// It may be begun from a moment on.
    Waiting(Timestamp),
    /// It was begun, and is given to someone else after a moment.
    Claimed(Timestamp),
    /// It was tried too often.
    Dead,
}

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
struct Counter(u64);

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

/// What happened to a task that was to be queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queued {
    /// It is queued under this number.
    New(u64),
    /// One with its key was there already, under this number.
    Already(u64),
}

/// Queues a task to be begun from `at` on, unless one with its key is in the queue, dead ones included.
///
/// # Errors
/// When it cannot be read or written.
pub fn enqueue(
    txn: &mut Transaction<'_>,
    (ns, lane): (NamespaceId, Lane),
    unique: &[u8],
    payload: &[u8],
    (now, at): (Timestamp, Timestamp),
) -> Result<Queued, LifecycleError> {
    let by_key = key::task_key(ns, lane, unique);
    let counter = key::task(ns, COUNTER);
    let found = txn.multi_get(&[(TASK_KEYS, &by_key), (TASKS, &counter)])?;
    let [known, next] = found.as_slice() else {
        return Err(LifecycleError::damaged(TASKS, &counter, Broken("it is lost")));
    };
    if let Some(Counter(number)) = value::opened(TASK_KEYS, &by_key, known.as_ref())? {
        return Ok(Queued::Already(number));
    }
    let Counter(number) = value::opened(TASKS, &counter, next.as_ref())?.unwrap_or(Counter(1));
    let task = Task {
        namespace: ns,
        number,
        lane,
        key: unique.to_vec(),
        payload: payload.to_vec(),
        queued_at: now,
        attempts: 0,
        state: TaskState::Waiting(at),
        error: String::new(),
    };
    value::put(txn, TASK_KEYS, &by_key, &Counter(number))?;
    value::put(txn, TASKS, &counter, &Counter(number.saturating_add(1)))?;
    put(txn, None, &task)?;
    Ok(Queued::New(number))
}

/// Begins up to `limit` tasks of a queue that may be begun at `now`, those that wait longest first. Each is this caller's until
/// the lease ends. A task whose lease ended counts as failed; one that has failed too often is dead and not given out.
///
/// # Errors
/// When it cannot be read or written.
pub fn claim(
    txn: &mut Transaction<'_>,
    lane: Lane,
    settings: &QueueSettings,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Task>, LifecycleError> {
    claim_of(txn, lane, settings, now, limit, &|_| true)
}

/// The same of some namespaces only.
///
/// # Errors
/// As [`claim`].
pub fn claim_of(
    txn: &mut Transaction<'_>,
    lane: Lane,
    settings: &QueueSettings,
    now: Timestamp,
    limit: usize,
    wanted: &dyn Fn(NamespaceId) -> bool,
) -> Result<Vec<Task>, LifecycleError> {
    let mut claimed = Vec::new();
    let until = now.plus_millis(millis(settings.lease_minutes, MINUTE).max(1));
    for mut task in ready(&*txn, lane, now, limit, wanted)? {
        let before = task.clone();
        if settings.attempts > 0 && task.attempts >= settings.attempts {
            "the last attempt was never ended".clone_into(&mut task.error);
            task.state = TaskState::Dead;
        } else {
            task.attempts = task.attempts.saturating_add(1);
            task.state = TaskState::Claimed(until);
            claimed.push(task.clone());
        }
        put(txn, Some(&before), &task)?;
    }
    Ok(claimed)
}

/// Begins a task whatever the time until its next attempt, as when somebody asks for it; `None` when it is not there, dead, or someone else's.
///
/// # Errors
/// When it cannot be read or written.
pub fn claim_now(
    txn: &mut Transaction<'_>,
    (ns, number): (NamespaceId, u64),
    settings: &QueueSettings,
    now: Timestamp,
) -> Result<Option<Task>, LifecycleError> {
    let Some(before) = get(&*txn, ns, number)? else { return Ok(None) };
    match before.state {
        TaskState::Waiting(_) => {}
        TaskState::Claimed(until) if until <= now => {}
        _ => return Ok(None),
    }
    let until = now.plus_millis(millis(settings.lease_minutes, MINUTE).max(1));
    let attempts = before.attempts.saturating_add(1);
    let task = Task { attempts, state: TaskState::Claimed(until), ..before.clone() };
    put(txn, Some(&before), &task)?;
    Ok(Some(task))
}

/// The tasks of a queue that may be begun at `now`.
fn ready(
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

/// Ends a task that was claimed: it is gone. Belongs into the transaction that writes its results, so that they are written once.
///
/// # Errors
/// [`LifecycleError::ClaimLost`] when it was given to someone else meanwhile; drop the results then.
pub fn finish(txn: &mut Transaction<'_>, claimed: &Task) -> Result<(), LifecycleError> {
    let task = held(&*txn, claimed)?;
    drop_task(txn, &task)
}

/// Gives a claimed task back after a failure: to be tried again later, or as dead after the last attempt; answers where it stands.
///
/// # Errors
/// [`LifecycleError::ClaimLost`].
pub fn fail(
    txn: &mut Transaction<'_>,
    claimed: &Task,
    settings: &QueueSettings,
    now: Timestamp,
    error: &str,
) -> Result<TaskState, LifecycleError> {
    let before = held(&*txn, claimed)?;
    let mut task = before.clone();
    error.clone_into(&mut task.error);
    task.state = if settings.attempts > 0 && task.attempts >= settings.attempts {
        TaskState::Dead
    } else {
        TaskState::Waiting(now.plus_millis(backoff(settings, task.attempts)))
    };
    put(txn, Some(&before), &task)?;
    Ok(task.state)
}

/// Gives a claimed task back as if it had not been begun, as when the program stops.
///
/// # Errors
/// [`LifecycleError::ClaimLost`].
pub fn release(txn: &mut Transaction<'_>, claimed: &Task, now: Timestamp) -> Result<(), LifecycleError> {
    let before = held(&*txn, claimed)?;
    let mut task = before.clone();
    task.attempts = task.attempts.saturating_sub(1);
    task.state = TaskState::Waiting(now);
    put(txn, Some(&before), &task)
}

/// Lets a dead or waiting task be begun from `now` on, with its attempts counted anew.
///
/// # Errors
/// [`LifecycleError::NoTask`].
pub fn retry(txn: &mut Transaction<'_>, ns: NamespaceId, number: u64, now: Timestamp) -> Result<(), LifecycleError> {
    let before = get(&*txn, ns, number)?.ok_or(LifecycleError::NoTask { task: number })?;
    let mut task = before.clone();
    (task.attempts, task.state) = (0, TaskState::Waiting(now));
    put(txn, Some(&before), &task)
}

/// Takes a task out of its queue, whatever its state.
///
/// # Errors
/// [`LifecycleError::NoTask`].
pub fn discard(txn: &mut Transaction<'_>, ns: NamespaceId, number: u64) -> Result<(), LifecycleError> {
    let task = get(&*txn, ns, number)?.ok_or(LifecycleError::NoTask { task: number })?;
    drop_task(txn, &task)
}

/// Takes what another process had claimed and never ended back at once: for the start, when nothing else works on the file.
/// Answers how many tasks it was.
///
/// # Errors
/// When it cannot be read or written.
pub fn reclaim(txn: &mut Transaction<'_>, lane: Lane, now: Timestamp) -> Result<usize, LifecycleError> {
    let mut taken = 0;
    for before in ready(&*txn, lane, Timestamp::MAX, usize::MAX, &|_| true)? {
        if let TaskState::Claimed(_) = before.state {
            let task = Task { state: TaskState::Waiting(now), ..before.clone() };
            put(txn, Some(&before), &task)?;
            taken += 1;
        }
    }
    Ok(taken)
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

/// The wait after so many attempts, in milliseconds.
fn backoff(settings: &QueueSettings, attempts: u32) -> i64 {
    let at = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let minutes = settings.backoff_minutes.get(at).or(settings.backoff_minutes.last());
    minutes.map_or(0, |minutes| millis(*minutes, MINUTE))
}

/// The task as it is stored, if the claim still stands.
fn held(reads: &dyn Reads, claimed: &Task) -> Result<Task, LifecycleError> {
    let stored = get(reads, claimed.namespace, claimed.number)?;
    let stands = |task: &Task| matches!(task.state, TaskState::Claimed(_)) && task.attempts == claimed.attempts;
    stored.filter(stands).ok_or(LifecycleError::ClaimLost { task: claimed.number })
}

fn place(task: &Task) -> Option<[u8; 24]> {
    match task.state {
        TaskState::Waiting(at) => Some(key::ready(task.lane, at, task.namespace, task.number)),
        // A lease stands up to its last moment.
        TaskState::Claimed(until) => Some(key::ready(task.lane, until.plus_millis(1), task.namespace, task.number)),
        TaskState::Dead => None,
    }
}

pub(crate) fn ready_key(task: &Task) -> Option<[u8; 24]> {
    place(task)
}

pub(crate) fn put(txn: &mut Transaction<'_>, before: Option<&Task>, task: &Task) -> Result<(), LifecycleError> {
    let (old, new) = (before.and_then(place), place(task));
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

fn drop_task(txn: &mut Transaction<'_>, task: &Task) -> Result<(), LifecycleError> {
    if let Some(place) = place(task) {
        txn.delete(READY, &place)?;
    }
    txn.delete(TASKS, &key::task(task.namespace, task.number))?;
    txn.delete(TASK_KEYS, &key::task_key(task.namespace, task.lane, &task.key))?;
    Ok(())
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
