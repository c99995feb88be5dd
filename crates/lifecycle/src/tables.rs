//! The tables of this layer.

use annals_storage::table::{Bytes, Key, KeyBytes, KeyReader, Mark, Text};
use annals_storage::{AnyTable, Table};
use annals_types::{NamespaceId, Row, Timestamp};

use crate::job::JobRecord;
use crate::task::Task;
use crate::{Lane, Passes, State};

/// The states: inputs of a row's retention, and the marks of rules.
pub(crate) const STATES: Table<(NamespaceId, Row), State> = Table::new("lifecycle.states");
/// When something may have to happen to a row.
pub(crate) const DUE: Table<(Lane, Timestamp, NamespaceId, Row), Mark> =
    Table::new("lifecycle.due");
/// The lane of a name; the empty name holds the next free number.
pub(crate) const LANES: Table<Text, Lane> = Table::new("lifecycle.lanes");
/// When the decaying job of a lane made passes.
pub(crate) const PASSES: Table<Lane, Passes> = Table::new("lifecycle.passes");
/// The last run of a job, by its name, and the one at hand.
pub(crate) const JOBS: Table<(Lane, Text), JobRecord> = Table::new("lifecycle.jobs");
/// The tasks of a namespace.
pub(crate) const TASKS: Table<(NamespaceId, TaskNumber), Task> = Table::new("lifecycle.tasks");
/// The next free number of a task, beside the tasks.
pub(crate) const NEXT_TASK: Table<(NamespaceId, NoTask), u64> = Table::new("lifecycle.tasks");
/// The number of the task with a unique key.
pub(crate) const TASK_KEYS: Table<(NamespaceId, Lane, Bytes), u64> =
    Table::new("lifecycle.task_keys");
/// When a task may be tried.
pub(crate) const READY: Table<(Lane, Timestamp, NamespaceId, TaskNumber), Mark> =
    Table::new("lifecycle.ready");

/// All tables. [`purge`](crate::purge) empties those of a namespace, and takes what belongs to it
/// out of those that time leads.
pub const TABLES: &[&dyn AnyTable] = &[
    &STATES, &DUE, &LANES, &PASSES, &JOBS, &TASKS, &NEXT_TASK, &TASK_KEYS, &READY,
];

impl Key for Lane {
    type Of<'a> = Self;

    fn put(of: Self, key: &mut KeyBytes) {
        u32::put(of.0, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<Self> {
        u32::take(key).map(Self)
    }
}

/// The number of a task, above 0. Values are `u64`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TaskNumber {}

impl Key for TaskNumber {
    type Of<'a> = u64;

    fn put(of: u64, key: &mut KeyBytes) {
        u64::put(of, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<u64> {
        u64::take(key).filter(|number| *number > 0)
    }
}

/// The number 0, which no task has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NoTask {}

impl Key for NoTask {
    type Of<'a> = ();

    fn put((): (), key: &mut KeyBytes) {
        u64::put(0, key);
    }

    fn take(key: &mut KeyReader<'_>) -> Option<()> {
        u64::take(key).filter(|number| *number == 0).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use annals_storage::conformance::Samples;

    use super::*;
    use crate::task::TaskState;

    #[test]
    fn every_table_has_a_frozen_row() {
        let (ns, lane, at) = (NamespaceId(1), Lane(2), Timestamp::from_millis);
        let mut samples = Samples::of(TABLES);
        let bare = State::new("核", 1.0, at(1000));
        samples.row(
            &STATES,
            (ns, Row(3)),
            &bare,
            ("0000000100000003", "000103e6a0b8000000000000f03fd00f00"),
        );
        samples.row(
            &DUE,
            (lane, at(5), ns, Row(3)),
            &(),
            ("0000000280000000000000050000000100000003", ""),
        );
        samples.row(
            &DUE,
            (lane, at(-1), ns, Row(3)),
            &(),
            ("000000027fffffffffffffff0000000100000003", ""),
        );
        samples.row(&LANES, "j", &Lane(300), ("6a", "ac02"));
        samples.row(&PASSES, lane, &Passes::default(), ("00000002", "00"));
        samples.row(
            &JOBS,
            (lane, "j"),
            &JobRecord::new(at(1)),
            ("000000026a", "000200"),
        );
        let task = Task {
            namespace: NamespaceId(0),
            number: 0,
            lane,
            key: b"k".to_vec(),
            payload: vec![0xFF],
            queued_at: at(1),
            attempts: 2,
            state: TaskState::Claimed(at(5)),
            error: "no".to_owned(),
        };
        samples.row(
            &TASKS,
            (ns, 7),
            &task,
            ("000000010000000000000007", "010a020202016b01ff026e6f"),
        );
        samples.row(
            &NEXT_TASK,
            (ns, ()),
            &300,
            ("000000010000000000000000", "ac02"),
        );
        samples.row(
            &TASK_KEYS,
            (ns, lane, b"k"),
            &300,
            ("00000001000000026b", "ac02"),
        );
        samples.row(
            &READY,
            (lane, at(-1), ns, 7),
            &(),
            ("000000027fffffffffffffff000000010000000000000007", ""),
        );
        samples.end();
    }
}
