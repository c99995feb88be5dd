//! Checks every structure of this layer against every other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::ControlFlow;

use annals_storage::table::{Key, Value};
use annals_storage::{Keyspace, Reads, Table};
use annals_types::{NamespaceId, Row, Timestamp};

use crate::tables::{DUE, READY, STATES, TASK_KEYS, TASKS};
use crate::task::{self, Ready, Task};
use crate::{Lane, LifecycleError, Regime, Worth, walk_states};

/// How many differences are reported; more are only counted.
const SHOWN: usize = 1000;

/// Two structures that do not agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where it was found.
    pub keyspace: Keyspace,
    /// The place of the damage: `row 7`, `task 3`, a key in hexadecimal.
    pub place: String,
    /// The damage.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.keyspace, self.place, self.what)
    }
}

/// The result of [`validate`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Validation {
    /// Rows that have a state.
    pub rows: u64,
    /// Tasks.
    pub tasks: u64,
    /// The differences, at most 1000 of them.
    pub differences: Vec<Difference>,
    /// How many differences there are.
    pub count: u64,
}

impl Validation {
    /// Whether everything agrees.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.count == 0
    }

    fn add<K: Key, V: Value>(&mut self, table: &Table<K, V>, place: String, what: &str) {
        self.count += 1;
        if self.differences.len() < SHOWN {
            self.differences.push(Difference {
                keyspace: table.keyspace(),
                place,
                what: what.to_owned(),
            });
        }
    }

    /// Turns damage into a difference; other errors end the check.
    fn note<K: Key, V: Value>(
        &mut self,
        table: &Table<K, V>,
        result: Result<(), LifecycleError>,
    ) -> Result<(), LifecycleError> {
        match result {
            Err(error) if error.is_corruption() => {
                self.add(table, "a value".to_owned(), &error.to_string());
                Ok(())
            }
            other => other,
        }
    }
}

/// Checks the states of a namespace, their places in the due index, and its tasks with theirs,
/// against each other; `worth` against the states when it is given. `now` is the moment up to
/// which due rows may wait.
///
/// The indexes that time leads are walked whole: about 100 bytes of memory for each entry of the
/// namespace.
///
/// # Errors
/// When the storage cannot be read for reasons other than damage; damage is a [`Difference`].
pub fn validate(
    reads: &dyn Reads,
    ns: NamespaceId,
    regime: &Regime<'_>,
    worth: Option<&Worth>,
    now: Timestamp,
) -> Result<Validation, LifecycleError> {
    let mut report = Validation::default();
    let states = check_states(reads, ns, regime, now, worth, &mut report);
    report.note(&STATES, states)?;
    let tasks = check_tasks(reads, ns, &mut report);
    report.note(&TASKS, tasks)?;
    Ok(report)
}

fn check_states(
    reads: &dyn Reads,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    worth: Option<&Worth>,
    report: &mut Validation,
) -> Result<(), LifecycleError> {
    let mut due = BTreeSet::new();
    DUE.scan(reads, DUE.all(), |(lane, at, owner, row), ()| {
        if owner == ns {
            due.insert((row, lane, at));
        }
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    let mut rows = BTreeSet::new();
    walk_states(reads, ns, Row(0), &mut |row, state| {
        let place = || format!("row {}", row.0);
        rows.insert(row);
        if let Some((lane, at)) = state.due
            && !due.remove(&(row, lane, at))
        {
            report.add(&DUE, place(), "its place in the due index is empty");
        }
        if state.due.is_some_and(|(lane, _)| lane != regime.lane) {
            report.add(&STATES, place(), "it waits in another lane");
        }
        // Before `from` nothing can be due: the job that runs then looks at it.
        let next = regime.policy.next_due(&state, regime.passes, now);
        let missed = next.is_some_and(|next| {
            state
                .due_at()
                .is_none_or(|at| at > next.max(now.plus_millis(1)))
        });
        if missed {
            report.add(
                &STATES,
                place(),
                "something is due before its place in the due index",
            );
        }
        if worth.is_some_and(|worth| !worth.agrees(row, &state)) {
            report.add(&STATES, place(), "the column in memory says something else");
        }
        report.rows += 1;
        Ok(ControlFlow::Continue(()))
    })?;
    for (row, ..) in due {
        report.add(
            &DUE,
            format!("row {}", row.0),
            "it has a place that its state does not know",
        );
    }
    for row in worth
        .into_iter()
        .flat_map(Worth::rows)
        .filter(|row| !rows.contains(row))
    {
        report.add(
            &STATES,
            format!("row {}", row.0),
            "the column in memory has a row that is gone",
        );
    }
    Ok(())
}

fn check_tasks(
    reads: &dyn Reads,
    ns: NamespaceId,
    report: &mut Validation,
) -> Result<(), LifecycleError> {
    let mut keys = BTreeMap::new();
    TASK_KEYS.scan(reads, TASK_KEYS.within(ns), |(_, lane, unique), number| {
        keys.insert((lane, unique.to_vec()), number);
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    let mut ready = BTreeSet::new();
    READY.scan(reads, READY.all(), |place, ()| {
        if place.2 == ns {
            ready.insert(place);
        }
        Ok::<_, LifecycleError>(ControlFlow::Continue(()))
    })?;
    let mut from = 1;
    loop {
        let page = task::tasks(reads, ns, from, 1000)?;
        let Some(last) = page.last() else { break };
        from = last.number.saturating_add(1);
        for task in &page {
            check_task(task, &mut keys, &mut ready, report);
        }
    }
    for number in keys.values() {
        report.add(
            &TASK_KEYS,
            format!("task {number}"),
            "a key leads to a task that is not there",
        );
    }
    for (.., number) in &ready {
        report.add(
            &READY,
            format!("task {number}"),
            "it has a place that it does not know",
        );
    }
    Ok(())
}

fn check_task(
    task: &Task,
    keys: &mut BTreeMap<(Lane, Vec<u8>), u64>,
    ready: &mut BTreeSet<Ready>,
    report: &mut Validation,
) {
    let place = format!("task {}", task.number);
    if keys.remove(&(task.lane, task.key.clone())) != Some(task.number) {
        report.add(&TASK_KEYS, place.clone(), "its key does not lead to it");
    }
    if let Some(key) = task::ready_key(task)
        && !ready.remove(&key)
    {
        report.add(&READY, place, "its place is empty");
    }
    report.tasks += 1;
}
