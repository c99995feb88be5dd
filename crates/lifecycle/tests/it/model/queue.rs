use std::collections::BTreeMap;

use annals_lifecycle::task::{
    Queued, Task, TaskState, claim, discard, enqueue, fail, finish, get, next_ready, reclaim,
    release, retry, tasks,
};
use annals_lifecycle::{Lane, LifecycleError, open_lane, validate};
use annals_storage::Store;
use annals_types::profile::{Profile, QueueSettings};
use annals_types::{Label, NamespaceId, Timestamp};
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Enqueue { ns: u8, key: u8, after: u16 },
    Claim { limit: usize },
    Finish { which: u8 },
    Fail { which: u8 },
    Release { which: u8 },
    Retry { which: u8 },
    Discard { which: u8 },
    Reclaim,
    Tick(i32),
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let which = || any::<u8>();
    prop_oneof![
        6 => (0_u8..3, 0_u8..6, 0_u16..90).prop_map(|(ns, key, after)| Op::Enqueue { ns, key, after }),
        6 => (0_usize..4).prop_map(|limit| Op::Claim { limit }),
        3 => which().prop_map(|which| Op::Finish { which }),
        3 => which().prop_map(|which| Op::Fail { which }),
        1 => which().prop_map(|which| Op::Release { which }),
        1 => which().prop_map(|which| Op::Retry { which }),
        1 => which().prop_map(|which| Op::Discard { which }),
        1 => Just(Op::Reclaim),
        5 => prop_oneof![6 => 0_i32..40, 1 => -20_i32..0].prop_map(Op::Tick),
    ]
}

const MINUTE: i64 = 60_000;

fn settings() -> QueueSettings {
    QueueSettings {
        attempts: 3,
        backoff_minutes: vec![1.0, 5.0],
        lease_minutes: 30.0,
        ..QueueSettings::default()
    }
}

/// The tasks as a plain map, and the claims that were handed out and not yet used.
struct Model {
    tasks: BTreeMap<(u32, u64), Task>,
    numbers: BTreeMap<u32, u64>,
    held: Vec<Task>,
    now: Timestamp,
}

impl Model {
    fn ready_at(task: &Task) -> Option<Timestamp> {
        match task.state {
            TaskState::Waiting(at) => Some(at),
            TaskState::Claimed(until) => Some(until.plus_millis(1)),
            TaskState::Dead => None,
        }
    }

    fn take(&mut self, which: u8) -> Option<Task> {
        let at = usize::from(which) % self.held.len().max(1);
        (at < self.held.len()).then(|| self.held.remove(at))
    }

    /// The task of a claim, if it is still this claim's.
    fn owned(&mut self, claimed: &Task) -> Option<&mut Task> {
        let task = self.tasks.get_mut(&(claimed.namespace.0, claimed.number))?;
        ((task.state, task.attempts) == (claimed.state, claimed.attempts)).then_some(task)
    }

    fn claim(&mut self, limit: usize) -> Vec<Task> {
        let now = self.now;
        let mut ready: Vec<(Timestamp, (u32, u64))> = Vec::new();
        for (place, task) in &self.tasks {
            ready.extend(
                Self::ready_at(task)
                    .filter(|at| *at <= now)
                    .map(|at| (at, *place)),
            );
        }
        ready.sort_unstable();
        let mut claimed = Vec::new();
        for (_, place) in ready.into_iter().take(limit) {
            let task = self.tasks.get_mut(&place).unwrap();
            if task.attempts >= 3 {
                task.state = TaskState::Dead;
                task.error = "the last attempt was never ended".into();
            } else {
                task.attempts += 1;
                task.state = TaskState::Claimed(now.plus_millis(30 * MINUTE));
                claimed.push(task.clone());
            }
        }
        claimed
    }
}

struct Real {
    store: Store,
    lane: Lane,
}

impl Real {
    fn write<T: Send>(
        &self,
        job: impl FnMut(&mut annals_storage::Transaction<'_>) -> Result<T, LifecycleError> + Send,
    ) -> Result<T, LifecycleError> {
        self.store.write(job).map(|(value, _)| value)
    }
}

pub(crate) fn run(store: Store, ops: &[Op]) {
    let name = Label::new("lane", "extraction").unwrap();
    let (lane, _) = store.write(|txn| open_lane(txn, &name)).unwrap();
    let real = Real { store, lane };
    let now = Timestamp::from_millis(1_000_000_000);
    let mut model = Model {
        tasks: BTreeMap::new(),
        numbers: BTreeMap::new(),
        held: Vec::new(),
        now,
    };
    for op in ops {
        step(&real, &mut model, op);
        compare(&real, &model);
    }
}

fn step(real: &Real, model: &mut Model, op: &Op) {
    let (now, lane) = (model.now, real.lane);
    match op {
        Op::Enqueue { ns, key, after } => add(
            real,
            model,
            u32::from(*ns),
            *key,
            i64::from(*after) * MINUTE,
        ),
        Op::Claim { limit } => {
            let claimed = real
                .write(|txn| claim(txn, lane, &settings(), now, *limit))
                .unwrap();
            assert_eq!(claimed, model.claim(*limit));
            model.held.extend(claimed);
        }
        Op::Finish { which } => {
            let Some(claimed) = model.take(*which) else {
                return;
            };
            let done = real.write(|txn| finish(txn, &claimed));
            assert_eq!(done.is_ok(), model.owned(&claimed).is_some());
            if done.is_ok() {
                model.tasks.remove(&(claimed.namespace.0, claimed.number));
            }
        }
        Op::Fail { which } => {
            let Some(claimed) = model.take(*which) else {
                return;
            };
            let done = real.write(|txn| fail(txn, &claimed, &settings(), now, now, "no answer"));
            let Some(task) = model.owned(&claimed) else {
                assert!(matches!(done, Err(LifecycleError::ClaimLost { .. })));
                return;
            };
            let wait = if task.attempts == 1 {
                MINUTE
            } else {
                5 * MINUTE
            };
            task.state = if task.attempts >= 3 {
                TaskState::Dead
            } else {
                TaskState::Waiting(now.plus_millis(wait))
            };
            task.error = "no answer".into();
            assert_eq!(done.unwrap(), task.state);
        }
        Op::Release { which } => {
            let Some(claimed) = model.take(*which) else {
                return;
            };
            let done = real.write(|txn| release(txn, &claimed, now));
            let owned = model.owned(&claimed);
            assert_eq!(done.is_ok(), owned.is_some());
            if let Some(task) = owned {
                (task.attempts, task.state) = (task.attempts - 1, TaskState::Waiting(now));
            }
        }
        Op::Reclaim => {
            let taken = real.write(|txn| reclaim(txn, lane, now)).unwrap();
            let claimed = |task: &&mut Task| matches!(task.state, TaskState::Claimed(_));
            let back = model
                .tasks
                .values_mut()
                .filter(claimed)
                .map(|task| task.state = TaskState::Waiting(now))
                .count();
            assert_eq!(taken, back);
        }
        Op::Retry { which } | Op::Discard { which } => by_hand(real, model, op, *which),
        Op::Tick(minutes) => model.now = now.plus_millis(i64::from(*minutes) * MINUTE),
    }
}

fn add(real: &Real, model: &mut Model, ns: u32, key: u8, after: i64) {
    let (now, lane) = (model.now, real.lane);
    let at = now.plus_millis(after);
    let queued = real
        .write(|txn| enqueue(txn, NamespaceId(ns), lane, &[key], b"work", now, at))
        .unwrap();
    let known = model
        .tasks
        .values()
        .find(|task| task.namespace.0 == ns && task.key == [key]);
    if let Some(known) = known {
        assert_eq!(queued, Queued::Already(known.number));
        return;
    }
    let number = model.numbers.entry(ns).or_default();
    *number += 1;
    assert_eq!(queued, Queued::New(*number));
    let task = Task {
        namespace: NamespaceId(ns),
        number: *number,
        lane,
        key: vec![key],
        payload: b"work".to_vec(),
        queued_at: now,
        attempts: 0,
        state: TaskState::Waiting(at),
        error: String::new(),
    };
    model.tasks.insert((ns, *number), task);
}

fn by_hand(real: &Real, model: &mut Model, op: &Op, which: u8) {
    let now = model.now;
    let place = model
        .tasks
        .keys()
        .nth(usize::from(which) % model.tasks.len().max(1))
        .copied();
    let Some((ns, number)) = place else {
        assert!(real.write(|txn| discard(txn, NamespaceId(0), 77)).is_err());
        return;
    };
    if let Op::Retry { .. } = op {
        let done = real.write(|txn| retry(txn, NamespaceId(ns), number, now));
        let task = model.tasks.get_mut(&(ns, number)).unwrap();
        if matches!(task.state, TaskState::Claimed(until) if until > now) {
            assert!(matches!(done, Err(LifecycleError::Claimed { task, .. }) if task == number));
            return;
        }
        done.unwrap();
        (task.attempts, task.state) = (0, TaskState::Waiting(now));
    } else {
        real.write(|txn| discard(txn, NamespaceId(ns), number))
            .unwrap();
        model.tasks.remove(&(ns, number));
    }
}

fn compare(real: &Real, model: &Model) {
    let snapshot = real.store.snapshot().unwrap();
    let (policy, passes) = (
        annals_lifecycle::Policy::new(&Profile::default()).unwrap(),
        Default::default(),
    );
    let regime = annals_lifecycle::Regime {
        policy: &policy,
        passes: &passes,
        lane: real.lane,
    };
    for ns in 0..3 {
        let found = tasks(&snapshot, NamespaceId(ns), 0, 100).unwrap();
        let expected: Vec<Task> = model
            .tasks
            .iter()
            .filter(|((of, _), _)| *of == ns)
            .map(|(_, task)| task.clone())
            .collect();
        assert_eq!(found, expected);
        let report = validate(&snapshot, NamespaceId(ns), &regime, None, model.now).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
        assert_eq!(report.tasks, expected.len() as u64);
    }
    let next = model.tasks.values().filter_map(Model::ready_at).min();
    assert_eq!(next_ready(&snapshot, real.lane).unwrap(), next);
    assert_eq!(get(&snapshot, NamespaceId(9), 1).unwrap(), None);
}
