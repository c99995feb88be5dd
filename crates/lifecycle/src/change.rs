//! Reading, changing and writing states, with their places in the due index.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{Reads, Transaction};
use annals_types::profile::Signal;
use annals_types::{NamespaceId, Row, Status, Timestamp};

use crate::delta::{Delta, Written};
use crate::tables::{DUE, STATES};
use crate::{Lane, LifecycleError, Passes, Placed, Policy, Reinforced, State};

/// The rules for a namespace: the policy of its profile, the passes of the profile's decaying job,
/// and the lane in which its memories wait for that job.
#[derive(Debug, Clone, Copy)]
pub struct Regime<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The passes.
    pub passes: &'a Passes,
    /// The lane.
    pub lane: Lane,
}

impl Placed {
    /// The state of a memory that is stored as placed.
    #[must_use]
    pub fn state(&self, created: Timestamp, status: Status) -> State {
        State {
            status,
            expires_at: self.expires_at,
            pinned: self.pinned,
            session_bound: self.session_bound,
            ..State::new(&self.class, self.score, created)
        }
    }
}

/// The states of some rows, in the order asked; `None` for rows that have none.
///
/// # Errors
/// When they cannot be read.
pub fn states(
    reads: &dyn Reads,
    ns: NamespaceId,
    rows: &[Row],
) -> Result<Vec<Option<State>>, LifecycleError> {
    Ok(STATES.get_many(reads, rows.iter().map(|row| (ns, *row)))?)
}

/// Walks the states of a namespace from `from` on, in the order of rows, until `visit` says that it
/// is enough.
///
/// # Errors
/// When they cannot be read, or `visit` fails.
pub fn walk_states(
    reads: &dyn Reads,
    ns: NamespaceId,
    from: Row,
    visit: &mut dyn FnMut(Row, State) -> Result<ControlFlow<()>, LifecycleError>,
) -> Result<(), LifecycleError> {
    STATES.scan(
        reads,
        STATES.within(ns).from((ns, from)),
        |(_, row), state| visit(row, state),
    )
}

/// Begins the life of memories. Their rows must be new: one that had a state already would keep
/// its old place in the due index.
///
/// # Errors
/// When it cannot be written.
pub fn register(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    births: Vec<(Row, State)>,
) -> Result<Delta, LifecycleError> {
    let mut delta = Delta::new(ns);
    for (row, mut state) in births {
        regime.policy.observe(&mut state, regime.passes, now, true);
        write(txn, ns, row, regime, now, None, &mut state)?;
        delta.changes.push((row, Some(state)));
    }
    Ok(delta)
}

/// Changes the states of some rows with a function of your own; a row that is named twice is
/// changed twice. Rules look at them when the next job runs.
///
/// # Errors
/// [`LifecycleError::NotRegistered`] naming the first row without state; nothing is changed then.
pub fn change<T>(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    rows: &[Row],
    mut with: impl FnMut(usize, &mut State) -> T,
) -> Result<Written<Vec<T>>, LifecycleError> {
    let mut unique: Vec<Row> = rows.to_vec();
    unique.sort_unstable();
    unique.dedup();
    let mut found = BTreeMap::new();
    for (row, state) in unique.iter().zip(states(&*txn, ns, &unique)?) {
        let before = state.ok_or(LifecycleError::NotRegistered {
            namespace: ns,
            row: *row,
        })?;
        let mut state = before.clone();
        // Conditions that have held until now are noted before the change hides since when.
        regime.policy.observe(&mut state, regime.passes, now, false);
        found.insert(*row, (before, state));
    }
    let mut outcome = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        if let Some((_, state)) = found.get_mut(row) {
            outcome.push(with(at, state));
        }
    }
    let mut delta = Delta::new(ns);
    for (row, (before, mut state)) in found {
        regime.policy.observe(&mut state, regime.passes, now, true);
        if state != before {
            write(txn, ns, row, regime, now, Some(&before), &mut state)?;
            delta.changes.push((row, Some(state)));
        }
    }
    Ok(Written { outcome, delta })
}

/// Reports that memories were used, each with the number of its session if uses are limited by
/// session.
///
/// # Errors
/// As [`change`].
pub fn reinforce(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    signal: Signal,
    uses: &[(Row, Option<u32>)],
) -> Result<Written<Vec<Reinforced>>, LifecycleError> {
    let rows: Vec<Row> = uses.iter().map(|(row, _)| *row).collect();
    change(txn, ns, regime, now, &rows, |at, state| {
        let session = uses.get(at).and_then(|(_, session)| *session);
        regime
            .policy
            .reinforce(state, regime.passes, signal, session, now)
    })
}

/// Takes note that memories got a status otherwise than by a rule.
///
/// # Errors
/// As [`change`].
pub fn set_status(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    rows: &[Row],
    status: Status,
) -> Result<Delta, LifecycleError> {
    let done = change(txn, ns, regime, now, rows, |_, state| {
        if state.status != status {
            (state.status, state.status_since) = (status, now);
        }
    })?;
    Ok(done.delta)
}

/// Makes forgotten or archived memories active again, with a score of at least `at_least` and the
/// clock of decay started anew, so that the next job does not send them back.
///
/// # Errors
/// As [`change`].
pub fn restore(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    rows: &[(Row, f64)],
) -> Result<Delta, LifecycleError> {
    let only: Vec<Row> = rows.iter().map(|(row, _)| *row).collect();
    let done = change(txn, ns, regime, now, &only, |at, state| {
        let at_least = rows.get(at).map_or(0.0, |(_, at_least)| *at_least);
        let policy = regime.policy;
        policy.settle(state, regime.passes, now);
        state.set_value(policy.bounded(state.value.max(at_least)));
        state.accessed = state.accessed.max(now);
        (state.status, state.status_since) = (Status::Active, now);
    })?;
    Ok(done.delta)
}

/// Lets the row that takes another one's place go on with its life; `with` can change what an edit
/// changes.
///
/// # Errors
/// As [`change`].
pub fn carry(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    (from, to): (Row, Row),
    with: impl FnOnce(&mut State),
) -> Result<Delta, LifecycleError> {
    let found = states(&*txn, ns, &[from])?.pop().flatten();
    let mut state = found.ok_or(LifecycleError::NotRegistered {
        namespace: ns,
        row: from,
    })?;
    let mut delta = remove(txn, ns, from, &state)?;
    state.due = None;
    regime
        .policy
        .change(&mut state, regime.passes, now, |state| {
            regime.policy.settle(state, regime.passes, now);
            with(state);
        });
    write(txn, ns, to, regime, now, None, &mut state)?;
    delta.changes.push((to, Some(state)));
    Ok(delta)
}

/// Ends the life of rows; those without state are passed over. Reviews of them are gone as well.
///
/// # Errors
/// When it cannot be read or written.
pub fn erase(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    lane: Lane,
    rows: &[Row],
) -> Result<Delta, LifecycleError> {
    let mut delta = Delta::new(ns);
    for (row, state) in rows.iter().zip(states(&*txn, ns, rows)?) {
        let Some(state) = state else { continue };
        delta.changes.extend(remove(txn, ns, *row, &state)?.changes);
    }
    let gone: Vec<Row> = delta.rows().collect();
    crate::review::withdraw(txn, ns, lane, &gone)?;
    Ok(delta)
}

/// Moves a namespace to another policy: from row `from` on at most `limit` states are settled
/// under the old and go on under the new one. `class` names the class of each; answers the row to
/// go on with.
///
/// # Errors
/// When it cannot be read or written.
pub fn adopt(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    old: &Regime<'_>,
    new: &Regime<'_>,
    now: Timestamp,
    (from, limit): (Row, usize),
    class: &mut dyn FnMut(Row, &State) -> String,
) -> Result<Written<Option<Row>>, LifecycleError> {
    let (mut found, mut next) = (Vec::new(), None);
    walk_states(&*txn, ns, from, &mut |row, state| {
        if found.len() == limit {
            next = Some(row);
            return Ok(ControlFlow::Break(()));
        }
        found.push((row, state));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut delta = Delta::new(ns);
    for (row, before) in found {
        let mut state = before.clone();
        old.policy.settle(&mut state, old.passes, now);
        state.class = class(row, &state);
        state.value = new.policy.bounded(state.value);
        if new.policy.in_place() {
            state.lowered = 1.0;
        }
        state.at = state.at.max(now);
        state.marks.clear();
        new.policy.observe(&mut state, new.passes, now, true);
        write(txn, ns, row, new, now, Some(&before), &mut state)?;
        delta.changes.push((row, Some(state)));
    }
    Ok(Written {
        outcome: next,
        delta,
    })
}

pub(crate) fn remove(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    state: &State,
) -> Result<Delta, LifecycleError> {
    if let Some(due) = state.due_entry(ns, row) {
        DUE.delete(txn, due)?;
    }
    STATES.delete(txn, (ns, row))?;
    Ok(Delta {
        namespace: ns,
        changes: vec![(row, None)],
    })
}

/// Writes a state. Its place in the due index moves only to an earlier moment: one that turns out
/// to be too early costs a look when it comes, moving it at every use would cost two writes each
/// time.
pub(crate) fn write(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    regime: &Regime<'_>,
    now: Timestamp,
    before: Option<&State>,
    state: &mut State,
) -> Result<(), LifecycleError> {
    let next = regime.policy.next_due(state, regime.passes, now);
    let standing = before
        .and_then(|before| before.due)
        .filter(|(lane, _)| *lane == regime.lane)
        .map(|(_, at)| at);
    let due = match (standing, next) {
        (Some(standing), Some(next)) => Some(standing.min(next)),
        (Some(standing), None) => Some(standing),
        (None, next) => next,
    };
    place(txn, ns, row, before, state, due.map(|at| (regime.lane, at)))
}

/// Writes a state with exactly this place in the due index.
pub(crate) fn place(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    row: Row,
    before: Option<&State>,
    state: &mut State,
    due: Option<(Lane, Timestamp)>,
) -> Result<(), LifecycleError> {
    state.due = due;
    let old = before.and_then(|before| before.due_entry(ns, row));
    let new = state.due_entry(ns, row);
    if old != new {
        if let Some(old) = old {
            DUE.delete(txn, old)?;
        }
        if let Some(new) = new {
            DUE.put(txn, new, &())?;
        }
    }
    Ok(STATES.put(txn, (ns, row), state)?)
}
