//! Tasks come, are begun, and end.

use annals_storage::table::MultiGet;
use annals_storage::{Reads, Transaction};
use annals_types::profile::QueueSettings;
use annals_types::{NamespaceId, Timestamp};

use super::list::{get, ready};
use super::store::{drop_task, put};
use super::{Queued, Task, TaskState};
use crate::policy::millis;
use crate::tables::{NEXT_TASK, TASK_KEYS};
use crate::{Lane, LifecycleError};

/// Milliseconds of a minute.
const MINUTE: i64 = 60_000;

/// Queues a task to be begun from `at` on, unless one with its key is in the queue, dead ones
/// included.
///
/// # Errors
/// When it cannot be read or written.
pub fn enqueue(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lane: Lane,
    unique: &[u8],
    payload: &[u8],
    now: Timestamp,
    at: Timestamp,
) -> Result<Queued, LifecycleError> {
    let mut asked = MultiGet::default();
    let (known, next) = (
        asked.add(&TASK_KEYS, (ns, lane, unique)),
        asked.add(&NEXT_TASK, (ns, ())),
    );
    let found = asked.read(txn)?;
    if let Some(number) = found.get(&known)? {
        return Ok(Queued::Already(number));
    }
    let number = found.get(&next)?.unwrap_or(1);
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
    TASK_KEYS.put(txn, (ns, lane, unique), &number)?;
    NEXT_TASK.put(txn, (ns, ()), &number.saturating_add(1))?;
    put(txn, None, &task)?;
    Ok(Queued::New(number))
}

/// Begins up to `limit` tasks of a queue that may be begun at `now`, those that wait longest
/// first. Each is this caller's until the lease ends. A task whose lease ended counts as failed;
/// one that has failed too often is dead and not given out.
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
    let mut claimed = Vec::new();
    for task in ready(&*txn, lane, now, limit, &|_| true)? {
        claimed.extend(begin(txn, task, settings, now)?);
    }
    Ok(claimed)
}

/// Begins a task that [`ready`] told of, as [`claim`] does; `None` when it may not be begun any
/// more.
///
/// # Errors
/// When it cannot be read or written.
pub fn claim_one(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    settings: &QueueSettings,
    now: Timestamp,
) -> Result<Option<Task>, LifecycleError> {
    match get(&*txn, ns, number)? {
        Some(task) if matches!(task.state, TaskState::Waiting(at) | TaskState::Claimed(at) if at <= now) => {
            begin(txn, task, settings, now)
        }
        _ => Ok(None),
    }
}

/// Begins a task, unless it has failed too often.
fn begin(
    txn: &mut Transaction<'_>,
    before: Task,
    settings: &QueueSettings,
    now: Timestamp,
) -> Result<Option<Task>, LifecycleError> {
    let mut task = before.clone();
    let dead = settings.attempts > 0 && task.attempts >= settings.attempts;
    if dead {
        "the last attempt was never ended".clone_into(&mut task.error);
        task.state = TaskState::Dead;
    } else {
        task.attempts = task.attempts.saturating_add(1);
        task.state =
            TaskState::Claimed(now.plus_millis(millis(settings.lease_minutes, MINUTE).max(1)));
    }
    put(txn, Some(&before), &task)?;
    Ok((!dead).then_some(task))
}

/// Begins a task whatever the time until its next attempt, as when a person asks for it; `None`
/// when it is not there, dead, or someone else's.
///
/// # Errors
/// When it cannot be read or written.
pub fn claim_now(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    settings: &QueueSettings,
    now: Timestamp,
) -> Result<Option<Task>, LifecycleError> {
    let Some(before) = get(&*txn, ns, number)? else {
        return Ok(None);
    };
    match before.state {
        TaskState::Waiting(_) => {}
        TaskState::Claimed(until) if until <= now => {}
        _ => return Ok(None),
    }
    let until = now.plus_millis(millis(settings.lease_minutes, MINUTE).max(1));
    let attempts = before.attempts.saturating_add(1);
    let task = Task {
        attempts,
        state: TaskState::Claimed(until),
        ..before.clone()
    };
    put(txn, Some(&before), &task)?;
    Ok(Some(task))
}

/// Ends a task that was claimed: it is gone. Belongs into the transaction that writes its results,
/// so that they are written once.
///
/// # Errors
/// [`LifecycleError::ClaimLost`] when it was given to someone else meanwhile; drop the results
/// then.
pub fn finish(txn: &mut Transaction<'_>, claimed: &Task) -> Result<(), LifecycleError> {
    let task = held(&*txn, claimed)?;
    drop_task(txn, &task)
}

/// Gives a claimed task back after a failure: to be tried again later, and not before
/// `not_before`, or as dead after the last attempt; answers where it stands.
///
/// # Errors
/// [`LifecycleError::ClaimLost`].
pub fn fail(
    txn: &mut Transaction<'_>,
    claimed: &Task,
    settings: &QueueSettings,
    now: Timestamp,
    not_before: Timestamp,
    error: &str,
) -> Result<TaskState, LifecycleError> {
    let before = held(&*txn, claimed)?;
    let mut task = before.clone();
    error.clone_into(&mut task.error);
    task.state = if settings.attempts > 0 && task.attempts >= settings.attempts {
        TaskState::Dead
    } else {
        TaskState::Waiting(
            now.plus_millis(backoff(settings, task.attempts))
                .max(not_before),
        )
    };
    put(txn, Some(&before), &task)?;
    Ok(task.state)
}

/// Gives a claimed task back as if it had not been begun, as when the program stops.
///
/// # Errors
/// [`LifecycleError::ClaimLost`].
pub fn release(
    txn: &mut Transaction<'_>,
    claimed: &Task,
    now: Timestamp,
) -> Result<(), LifecycleError> {
    let before = held(&*txn, claimed)?;
    let mut task = before.clone();
    task.attempts = task.attempts.saturating_sub(1);
    task.state = TaskState::Waiting(now);
    put(txn, Some(&before), &task)
}

/// Lets a dead or waiting task, or one whose lease has ended, be begun from `now` on, with its
/// attempts counted anew.
///
/// # Errors
/// [`LifecycleError::NoTask`]; [`LifecycleError::Claimed`] for one that is being worked on: its
/// result would be lost.
pub fn retry(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
    now: Timestamp,
) -> Result<(), LifecycleError> {
    let before = get(&*txn, ns, number)?.ok_or(LifecycleError::NoTask { task: number })?;
    if let TaskState::Claimed(until) = before.state
        && until > now
    {
        return Err(LifecycleError::Claimed {
            task: number,
            until,
        });
    }
    let mut task = before.clone();
    (task.attempts, task.state) = (0, TaskState::Waiting(now));
    put(txn, Some(&before), &task)
}

/// Takes a task out of its queue, whatever its state.
///
/// # Errors
/// [`LifecycleError::NoTask`].
pub fn discard(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    number: u64,
) -> Result<(), LifecycleError> {
    let task = get(&*txn, ns, number)?.ok_or(LifecycleError::NoTask { task: number })?;
    drop_task(txn, &task)
}

/// Takes what another process had claimed and never ended back at once: for the start, when
/// nothing else works on the file. Answers how many tasks it was.
///
/// # Errors
/// When it cannot be read or written.
pub fn reclaim(
    txn: &mut Transaction<'_>,
    lane: Lane,
    now: Timestamp,
) -> Result<usize, LifecycleError> {
    let mut taken = 0;
    for before in ready(&*txn, lane, Timestamp::MAX, usize::MAX, &|_| true)? {
        if let TaskState::Claimed(_) = before.state {
            let task = Task {
                state: TaskState::Waiting(now),
                ..before.clone()
            };
            put(txn, Some(&before), &task)?;
            taken += 1;
        }
    }
    Ok(taken)
}

/// The wait after so many attempts, in milliseconds.
fn backoff(settings: &QueueSettings, attempts: u32) -> i64 {
    let at = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let minutes = settings
        .backoff_minutes
        .get(at)
        .or(settings.backoff_minutes.last());
    minutes.map_or(0, |minutes| millis(*minutes, MINUTE))
}

/// The task as it is stored, if the claim still stands: one that was tried again may have been
/// begun as often.
fn held(reads: &dyn Reads, claimed: &Task) -> Result<Task, LifecycleError> {
    let stored = get(reads, claimed.namespace, claimed.number)?;
    let stands = |task: &Task| {
        matches!(task.state, TaskState::Claimed(_))
            && (task.state, task.attempts) == (claimed.state, claimed.attempts)
    };
    stored.filter(stands).ok_or(LifecycleError::ClaimLost {
        task: claimed.number,
    })
}
