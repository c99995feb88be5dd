//! The keyspaces of this layer.

use annals_storage::Keyspace;

/// Namespace, row -> what the row's retention is computed from, and what rules did to it.
pub const STATES: Keyspace = Keyspace::new("lifecycle.states");
/// Lane, moment, namespace, row -> nothing: when something may have to happen to the row.
pub const DUE: Keyspace = Keyspace::new("lifecycle.due").up_to(1);
/// Label -> the number of its lane; the empty key holds the next free number.
pub const LANES: Keyspace = Keyspace::new("lifecycle.lanes");
/// Lane -> when its decaying job made passes.
pub const PASSES: Keyspace = Keyspace::new("lifecycle.passes");
/// Lane, name of the job -> its last run and the one at hand.
pub const JOBS: Keyspace = Keyspace::new("lifecycle.jobs");
/// Namespace, number of the task -> the task; number 0 holds the next free number.
pub const TASKS: Keyspace = Keyspace::new("lifecycle.tasks");
/// Namespace, lane, unique key -> number of the task.
pub const TASK_KEYS: Keyspace = Keyspace::new("lifecycle.task_keys");
/// Lane, moment, namespace, number -> nothing: when a task may be tried.
pub const READY: Keyspace = Keyspace::new("lifecycle.ready").up_to(1);

/// All keyspaces whose keys begin with the namespace number and hold its data. [`purge`](crate::purge) empties them, and takes
/// what belongs to them out of [`DUE`] and [`READY`].
pub const NAMESPACE_KEYSPACES: &[Keyspace] = &[STATES, TASKS, TASK_KEYS];
