//! Lists of the queue.

use std::collections::HashMap;
use std::ops::ControlFlow;

use annals_storage::Reads;
use annals_storage::table::scan_rows;
use annals_types::{NamespaceId, Timestamp};

use super::Task;
use crate::tables::{READY, TASK_KEYS, TASKS};
use crate::{Lane, LifecycleError};

/// At most `limit` tasks of a queue that may be begun at `now`, of the namespaces that are wanted,
/// those that wait longest first. Reads what is ready of the others, too: ask once for all that is
/// to be begun.
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
    let range = READY.within((lane,)).until((lane, now.plus_millis(1)));
    READY.scan(reads, range, |(_, _, ns, number), ()| {
        if places.len() == limit {
            return Ok(ControlFlow::Break(()));
        }
        if wanted(ns) {
            places.push((ns, number));
        }
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    Ok(get_many(reads, &places)?.into_iter().flatten().collect())
}

/// When the next task of a queue may be begun, or its lease ends; `None` when none waits.
///
/// # Errors
/// When it cannot be read.
pub fn next_ready(reads: &dyn Reads, lane: Lane) -> Result<Option<Timestamp>, LifecycleError> {
    Ok(READY
        .first(reads, READY.within((lane,)))?
        .map(|(_, at, ..)| at))
}

/// At most `limit` tasks of a queue, of all namespaces, that wait or were begun: those that may be
/// begun first come first.
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
pub fn get(
    reads: &dyn Reads,
    ns: NamespaceId,
    number: u64,
) -> Result<Option<Task>, LifecycleError> {
    // Tasks are counted from 1; the counter itself stands at 0.
    if number == 0 {
        return Ok(None);
    }
    Ok(get_many(reads, &[(ns, number)])?.pop().flatten())
}

fn get_many(
    reads: &dyn Reads,
    places: &[(NamespaceId, u64)],
) -> Result<Vec<Option<Task>>, LifecycleError> {
    let found = TASKS.get_many(reads, places.iter().copied())?;
    let placed = |((namespace, number), task): (&(NamespaceId, u64), Option<Task>)| {
        task.map(|task| Task {
            namespace: *namespace,
            number: *number,
            ..task
        })
    };
    Ok(places.iter().zip(found).map(placed).collect())
}

/// The task of a key.
///
/// # Errors
/// When it cannot be read.
pub fn find(
    reads: &dyn Reads,
    ns: NamespaceId,
    lane: Lane,
    unique: &[u8],
) -> Result<Option<Task>, LifecycleError> {
    match TASK_KEYS.get(reads, (ns, lane, unique))? {
        Some(number) => get(reads, ns, number),
        None => Ok(None),
    }
}

/// The tasks of those of some keys that have one, in two rounds of reads.
pub(crate) fn find_many<K: AsRef<[u8]>>(
    reads: &dyn Reads,
    ns: NamespaceId,
    lane: Lane,
    unique: &[K],
) -> Result<Vec<Task>, LifecycleError> {
    let found = TASK_KEYS.get_many(
        reads,
        unique.iter().map(|unique| (ns, lane, unique.as_ref())),
    )?;
    let numbers: Vec<(NamespaceId, u64)> = found
        .into_iter()
        .flatten()
        .map(|number| (ns, number))
        .collect();
    Ok(get_many(reads, &numbers)?.into_iter().flatten().collect())
}

/// The tasks of a namespace from number `from` on, at most `limit`.
///
/// # Errors
/// When they cannot be read.
pub fn tasks(
    reads: &dyn Reads,
    ns: NamespaceId,
    from: u64,
    limit: usize,
) -> Result<Vec<Task>, LifecycleError> {
    let mut found = Vec::new();
    TASKS.scan(
        reads,
        TASKS.within(ns).from((ns, from.max(1))),
        |(namespace, number), task| {
            if found.len() == limit {
                return Ok(ControlFlow::Break(()));
            }
            found.push(Task {
                namespace,
                number,
                ..task
            });
            Ok::<_, LifecycleError>(ControlFlow::Continue(()))
        },
    )?;
    Ok(found)
}

/// How many tasks there are in each namespace that has any.
///
/// # Errors
/// When they cannot be read.
pub fn counts(reads: &dyn Reads) -> Result<HashMap<NamespaceId, u64>, LifecycleError> {
    let mut found = HashMap::new();
    scan_rows(reads, &[TASKS.all().into()], |_, row| {
        // Under number 0 stands the number of the next one.
        if let Some((ns, 1..)) = TASKS.parse(row.key) {
            *found.entry(ns).or_default() += 1;
        }
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// The numbers of the tasks of a lane whose keys come after `after`, in the order of keys.
pub(crate) fn by_key(
    reads: &dyn Reads,
    ns: NamespaceId,
    lane: Lane,
    after: Option<&[u8]>,
    limit: usize,
) -> Result<Vec<Task>, LifecycleError> {
    let mut numbers = Vec::new();
    let all = TASK_KEYS.within((ns, lane));
    let range = if let Some(after) = after {
        all.after((ns, lane, after))
    } else {
        all
    };
    TASK_KEYS.scan(reads, range, |_, number| {
        if numbers.len() == limit {
            return Ok(ControlFlow::Break(()));
        }
        numbers.push((ns, number));
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    Ok(get_many(reads, &numbers)?.into_iter().flatten().collect())
}
