use std::collections::BTreeMap;

use annals_lifecycle::{
    Action, Policy, Regime, State, carry, erase, purge, restore, set_status, states,
};
use annals_storage::table::Scope;
use annals_storage::{KeyRange, Reads, Store};
use annals_types::{Row, Status, Timestamp};
use proptest::prelude::*;

use crate::world::town::Town;
use crate::world::{PROFILES, day, profile};

#[derive(Debug, Clone)]
pub(crate) enum Op {
    Born {
        class: u8,
        value: f64,
        expires: Option<u16>,
    },
    Use {
        which: u8,
        session: u32,
    },
    Penalty {
        which: u8,
    },
    Set {
        which: u8,
        value: f64,
    },
    Pin {
        which: u8,
        pinned: bool,
    },
    Status {
        which: u8,
        status: u8,
    },
    Restore {
        which: u8,
    },
    Carry {
        which: u8,
    },
    Erase {
        which: u8,
    },
    Job,
    Tick(i32),
    Reopen,
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let which = || any::<u8>();
    prop_oneof![
        4 => (which(), 0.0..3.2_f64, prop::option::of(0_u16..2000))
            .prop_map(|(class, value, expires)| Op::Born { class, value, expires }),
        4 => (which(), 0_u32..3).prop_map(|(which, session)| Op::Use { which, session }),
        1 => which().prop_map(|which| Op::Penalty { which }),
        1 => (which(), 0.0..3.2_f64).prop_map(|(which, value)| Op::Set { which, value }),
        1 => (which(), any::<bool>()).prop_map(|(which, pinned)| Op::Pin { which, pinned }),
        1 => (which(), 0_u8..4).prop_map(|(which, status)| Op::Status { which, status }),
        1 => which().prop_map(|which| Op::Restore { which }),
        1 => which().prop_map(|which| Op::Carry { which }),
        1 => which().prop_map(|which| Op::Erase { which }),
        5 => Just(Op::Job),
        // Hours; the clock may go back, and may jump.
        8 => prop_oneof![8 => 0_i32..100, 2 => -50_i32..0, 1 => 1000_i32..20_000].prop_map(Op::Tick),
        1 => Just(Op::Reopen),
    ]
}

/// The states as a job that looks at every memory would leave them.
struct Model {
    rows: BTreeMap<Row, State>,
    /// When each was last written. While the clock stands before that, nothing is due for it.
    written: BTreeMap<Row, Timestamp>,
    now: Timestamp,
    /// When the job last ran.
    ran: Timestamp,
    /// The latest that the clock ever showed.
    latest: Timestamp,
}

impl Model {
    fn pick(&self, which: u8) -> Option<Row> {
        self.rows
            .keys()
            .nth(usize::from(which) % self.rows.len().max(1))
            .copied()
    }

    fn change(&mut self, town: &Town, row: Row, with: impl FnOnce(&Policy, &mut State)) {
        let state = self.rows.get_mut(&row).unwrap();
        town.policy.change(state, &town.passes, self.now, |state| {
            with(&town.policy, state)
        });
    }

    /// The actions that fire when every memory is looked at. One that was written while the clock
    /// was ahead may wait until it is there again.
    fn job(&mut self, town: &Town) -> Vec<(Row, String, Action)> {
        let mut all = Vec::new();
        for (row, state) in &mut self.rows {
            let due = town
                .state(*row)
                .unwrap()
                .due_at()
                .is_some_and(|due| due <= self.now);
            let ahead = self
                .written
                .get(row)
                .is_some_and(|written| *written > self.now);
            if ahead && !due {
                continue;
            }
            let before = state.clone();
            let fired = town.policy.fire(state, &town.passes, self.now);
            if fired.is_empty() {
                // Looking alone leaves no trace that would matter later.
                *state = before;
            } else {
                assert!(due, "row {} is due without the index knowing", row.0);
                // The rest is for the next job, which is later.
                self.written.insert(*row, self.now.plus_millis(1));
            }
            all.extend(
                fired
                    .into_iter()
                    .map(|fired| (*row, fired.rule, fired.action)),
            );
        }
        for (row, _, action) in &all {
            if *action == Action::Delete {
                self.rows.remove(row);
            }
        }
        all
    }
}

pub(crate) fn run(store: Store, profile_at: usize, ops: &[Op]) {
    let name = PROFILES[profile_at].0;
    let profile = profile(name);
    let mut town = Town::over(store, &profile);
    let mut model = Model {
        rows: BTreeMap::new(),
        written: BTreeMap::new(),
        now: day(0.0),
        ran: day(0.0),
        latest: day(0.0),
    };
    for op in ops {
        if matches!(op, Op::Reopen) {
            town = town.reopen(&profile);
        } else {
            step(&mut town, &mut model, op);
        }
        town.check(model.latest);
        compare(&town, &model);
    }
    while !town.store.write(|txn| purge(txn, town.ns, 3)).unwrap().0 {}
    for table in annals_lifecycle::TABLES
        .iter()
        .filter(|table| table.scope() != Scope::Global)
    {
        let keyspace = table.keyspace();
        let mut left = 0;
        let count = &mut |_: usize, _: &[u8], _: u8, _: &[u8]| {
            left += 1;
            Ok(std::ops::ControlFlow::Continue(()))
        };
        town.store
            .snapshot()
            .unwrap()
            .scan(&[KeyRange::prefix(keyspace, b"")], count)
            .unwrap();
        assert_eq!(left, 0, "{keyspace}");
    }
}

fn step(town: &mut Town, model: &mut Model, op: &Op) {
    let now = model.now;
    match op {
        Op::Born {
            class,
            value,
            expires,
        } => {
            let classes: Vec<String> = town.policy.classes().map(ToOwned::to_owned).collect();
            let class = &classes[usize::from(*class) % classes.len()];
            let expires_at = expires.map(|hours| now.plus_millis(i64::from(hours) * 3_600_000));
            let mut state = State::new(class, *value, now);
            state.expires_at = expires_at;
            let row = town.put(state.clone(), now);
            town.policy.change(&mut state, &town.passes, now, |_| {});
            model.rows.insert(row, state);
            model.written.insert(row, now);
        }
        // A clock that was put back makes no job due before it is where the last one ran.
        Op::Job if now < model.ran => {}
        Op::Job => {
            model.ran = now;
            town.pass(now);
            let mut expected = model.job(town);
            let mut fired = town.job(now);
            fired.sort_by_key(|(row, ..)| *row);
            expected.sort_by_key(|(row, ..)| *row);
            assert_eq!(fired, expected, "{now}");
        }
        Op::Tick(hours) => {
            model.now = now.plus_millis(i64::from(*hours) * 3_600_000 + 1);
            model.latest = model.latest.max(model.now);
        }
        Op::Reopen => {}
        Op::Use { which, .. }
        | Op::Penalty { which }
        | Op::Set { which, .. }
        | Op::Pin { which, .. }
        | Op::Status { which, .. }
        | Op::Restore { which }
        | Op::Carry { which }
        | Op::Erase { which } => {
            if let Some(row) = model.pick(*which) {
                on_row(town, model, op, row);
                let before = model.written.get(&row).copied().unwrap_or(now);
                model.written.insert(row, before.max(now));
            }
        }
    }
}

fn on_row(town: &mut Town, model: &mut Model, op: &Op, row: Row) {
    let now = model.now;
    let passes = town.passes.clone();
    match op {
        Op::Use { session, .. } => {
            let done = town.used(row, Some(*session), now);
            let mut expected = None;
            let signal = town.policy.signal();
            model.change(town, row, |policy, state| {
                expected = Some(policy.reinforce(state, &passes, signal, Some(*session), now));
            });
            assert_eq!(Some(done), expected);
        }
        Op::Penalty { .. } => {
            town.change(row, now, move |regime, state| {
                regime.policy.penalize(state, regime.passes, 0.5, now)
            });
            model.change(town, row, |policy, state| {
                policy.penalize(state, &passes, 0.5, now)
            });
        }
        Op::Set { value, .. } => {
            let value = *value;
            town.change(row, now, move |regime, state| {
                regime.policy.set_score(state, regime.passes, value, now);
            });
            model.change(town, row, |policy, state| {
                policy.set_score(state, &passes, value, now);
            });
        }
        Op::Pin { pinned, .. } => {
            let pinned = *pinned;
            town.change(row, now, move |regime, state| {
                regime.policy.set_pinned(state, regime.passes, pinned, now)
            });
            model.change(town, row, |policy, state| {
                policy.set_pinned(state, &passes, pinned, now)
            });
        }
        _ => moves(town, model, op, row),
    }
}

fn moves(town: &mut Town, model: &mut Model, op: &Op, row: Row) {
    let now = model.now;
    let (policy, passes, lane, ns) = (town.policy.clone(), town.passes.clone(), town.lane, town.ns);
    let regime = Regime {
        policy: &policy,
        passes: &passes,
        lane,
    };
    let worth = &mut town.worth;
    match op {
        Op::Status { status, .. } => {
            let status = Status::from_byte(*status).unwrap();
            let write = |txn: &mut annals_storage::Transaction<'_>| {
                set_status(txn, ns, &regime, now, &[row], status)
            };
            town.store
                .write(write)
                .inspect(|(delta, _)| worth.apply(delta))
                .unwrap();
            model.change(town, row, |_, state| {
                if state.status != status {
                    (state.status, state.status_since) = (status, now);
                }
            });
        }
        Op::Restore { .. } => {
            let write = |txn: &mut annals_storage::Transaction<'_>| {
                restore(txn, ns, &regime, now, &[(row, 0.4)])
            };
            town.store
                .write(write)
                .inspect(|(delta, _)| worth.apply(delta))
                .unwrap();
            let stored = states(&town.store.snapshot().unwrap(), ns, &[row])
                .unwrap()
                .pop()
                .unwrap()
                .unwrap();
            assert_eq!((stored.status, stored.status_since), (Status::Active, now));
            assert!(stored.value >= 0.4 && stored.accessed >= now);
            model.rows.insert(row, stored);
        }
        Op::Carry { .. } => {
            let to = town.next_row();
            let worth = &mut town.worth;
            let write = |txn: &mut annals_storage::Transaction<'_>| {
                carry(txn, ns, &regime, now, (row, to), |state| {
                    state.accessed = now
                })
            };
            town.store
                .write(write)
                .inspect(|(delta, _)| worth.apply(delta))
                .unwrap();
            assert_eq!(town.state(row), None);
            model.rows.remove(&row);
            model.rows.insert(to, town.state(to).unwrap());
            model.written.insert(to, now);
        }
        Op::Erase { .. } => {
            let write = |txn: &mut annals_storage::Transaction<'_>| erase(txn, ns, lane, &[row]);
            town.store
                .write(write)
                .inspect(|(delta, _)| worth.apply(delta))
                .unwrap();
            model.rows.remove(&row);
        }
        _ => {}
    }
}

/// Whether both hold the same memories, worth the same. Marks of rules may differ in the moment
/// they were noted.
fn compare(town: &Town, model: &Model) {
    let rows: Vec<Row> = town.worth.rows().collect();
    assert_eq!(rows, model.rows.keys().copied().collect::<Vec<_>>());
    for (row, state) in &model.rows {
        let stored = town.state(*row).unwrap();
        assert_eq!(
            (&stored.class, stored.status, stored.expires_at),
            (&state.class, state.status, state.expires_at)
        );
        assert_eq!(
            (stored.used, stored.returned, stored.limits),
            (state.used, state.returned, state.limits)
        );
        let anchor = state.anchor(&town.policy);
        for ahead in [0.0, 0.5, 40.0] {
            let moment = model.now.plus_millis((ahead * 86_400_000.0) as i64);
            let expected = town.policy.retention(&anchor, &town.passes, moment);
            let worth = town.retention(*row, moment);
            assert!(
                (worth - expected).abs() <= 1e-9,
                "row {}: {worth} is not {expected}",
                row.0
            );
        }
    }
}
