//! The plan of a job: the memories for which something is due, looked at exactly.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use annals_storage::{Reads, Transaction};
use annals_types::{NamespaceId, Row, Status, Timestamp};

use crate::change::{place, remove};
use crate::delta::Delta;
use crate::state::Due;
use crate::tables::{DUE, STATES};
use crate::{Action, Fired, Lane, LifecycleError, Regime, State};

/// The actions for memories of one lane at one moment. Nothing has been done yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The moment.
    pub at: Timestamp,
    /// The lane.
    pub lane: Lane,
    /// The memories that were due.
    pub items: Vec<PlanItem>,
    /// Whether more are due: plan again after confirming this one.
    pub more: bool,
    /// Places of the due index that belong to nothing.
    orphans: Vec<Due>,
}

/// A memory that was due.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanItem {
    /// Its namespace.
    pub namespace: NamespaceId,
    /// Its row.
    pub row: Row,
    /// Its retention at the moment of the plan, before anything is done.
    pub retention: f64,
    /// The actions, in order; none when it was looked at too early.
    pub fired: Vec<Fired>,
    /// When to look at it again.
    pub next: Option<Timestamp>,
    /// Whether it would go for good, and is forgotten instead.
    pub held: bool,
    before: State,
    after: State,
    due: Due,
}

impl PlanItem {
    /// Whether it is to go for good.
    #[must_use]
    pub fn deletes(&self) -> bool {
        self.fired
            .iter()
            .any(|fired| fired.action == Action::Delete)
    }

    fn leave(&mut self, regime: &Regime<'_>, at: Timestamp) {
        self.after = self.before.clone();
        self.fired.clear();
        self.next = next(regime, &self.after, at);
    }

    /// The status before the plan.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.before.status
    }

    /// Its state when the plan is carried out.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.after
    }
}

impl Plan {
    /// Lets what would go for good be forgotten instead, and leaves everything else for the next
    /// job: the clock may be ahead.
    pub fn hold(&mut self, regime: &Regime<'_>) {
        let at = self.at;
        for item in &mut self.items {
            let deletion = item
                .fired
                .pop()
                .filter(|fired| fired.action == Action::Delete);
            item.leave(regime, at);
            let Some(Fired { rule, .. }) = deletion else {
                continue;
            };
            item.held = true;
            if item.before.status != Status::Forgotten {
                (item.after.status, item.after.status_since) = (Status::Forgotten, at);
                item.fired.push(Fired {
                    rule,
                    action: Action::SetStatus(Status::Forgotten),
                });
                item.next = next(regime, &item.after, at);
            }
        }
    }

    /// Leaves some memories for the next job.
    pub fn leave(&mut self, regime: &Regime<'_>, which: impl Fn(&PlanItem) -> bool) {
        for item in self.items.iter_mut().filter(|item| which(item)) {
            item.leave(regime, self.at);
        }
    }

    /// The memories to which something is done.
    pub fn acting(&self) -> impl Iterator<Item = &PlanItem> {
        self.items.iter().filter(|item| !item.fired.is_empty())
    }
}

/// Looks at up to `limit` memories of a lane for which something is due at `at`, earliest first.
/// Takes two rounds of reads, and costs as much as what is due.
///
/// Make the plan inside the transaction that carries it out, or from a snapshot to see what would
/// be done.
///
/// # Errors
/// When it cannot be read.
pub fn plan(
    reads: &dyn Reads,
    regime: &Regime<'_>,
    at: Timestamp,
    limit: usize,
) -> Result<Plan, LifecycleError> {
    let lane = regime.lane;
    let (mut due, mut more) = (Vec::new(), false);
    DUE.scan(
        reads,
        DUE.within((lane,)).until((lane, at.plus_millis(1))),
        |place, ()| {
            if due.len() == limit {
                more = true;
                return Ok(ControlFlow::Break(()));
            }
            due.push(place);
            Ok::<_, LifecycleError>(ControlFlow::Continue(()))
        },
    )?;
    let found = STATES.get_many(reads, due.iter().map(|(_, _, ns, row)| (*ns, *row)))?;
    let mut plan = Plan {
        at,
        lane,
        items: Vec::with_capacity(due.len()),
        more,
        orphans: Vec::new(),
    };
    for (due, state) in due.into_iter().zip(found) {
        let (_, _, ns, row) = due;
        match state.filter(|state| state.due_entry(ns, row) == Some(due)) {
            Some(before) => plan.items.push(item(regime, at, due, before)),
            None => plan.orphans.push(due),
        }
    }
    Ok(plan)
}

fn item(regime: &Regime<'_>, at: Timestamp, due: Due, before: State) -> PlanItem {
    let retention = regime
        .policy
        .retention(&before.anchor(regime.policy), regime.passes, at);
    let mut after = before.clone();
    let fired = regime.policy.fire(&mut after, regime.passes, at);
    let next = next(regime, &after, at);
    let (_, _, namespace, row) = due;
    PlanItem {
        namespace,
        row,
        retention,
        fired,
        next,
        held: false,
        before,
        after,
        due,
    }
}

/// When to look at a memory again. Whatever may happen now has happened; what holds on is for the
/// next job, which is later.
fn next(regime: &Regime<'_>, state: &State, at: Timestamp) -> Option<Timestamp> {
    regime
        .policy
        .next_due(state, regime.passes, at)
        .map(|next| next.max(at.plus_millis(1)))
}

/// When the next memory of a lane is due; `None` when none is.
///
/// # Errors
/// When it cannot be read.
pub fn next_due(reads: &dyn Reads, lane: Lane) -> Result<Option<Timestamp>, LifecycleError> {
    Ok(DUE.first(reads, DUE.within((lane,)))?.map(|(_, at, ..)| at))
}

/// Takes note that a plan is carried out: writes the states, takes what was deleted out, asks for
/// reviews, and moves everything to its next moment in the due index. Belongs into the transaction
/// that does the rest of it, before that.
///
/// # Errors
/// [`LifecycleError::Stale`] when a memory changed since the plan was made.
pub fn confirm(
    txn: &mut Transaction<'_>,
    regime: &Regime<'_>,
    plan: &Plan,
) -> Result<Vec<Delta>, LifecycleError> {
    let found = STATES.get_many(
        txn,
        plan.items.iter().map(|item| (item.namespace, item.row)),
    )?;
    let mut deltas: BTreeMap<NamespaceId, Delta> = BTreeMap::new();
    let mut gone: BTreeMap<NamespaceId, Vec<Row>> = BTreeMap::new();
    for (item, state) in plan.items.iter().zip(&found) {
        if state.as_ref() != Some(&item.before) {
            return Err(LifecycleError::Stale {
                namespace: item.namespace,
                row: item.row,
            });
        }
        let delta = deltas
            .entry(item.namespace)
            .or_insert_with(|| Delta::new(item.namespace));
        if item.deletes() {
            delta
                .changes
                .extend(remove(txn, item.namespace, item.row, &item.before)?.changes);
            gone.entry(item.namespace).or_default().push(item.row);
            continue;
        }
        let mut after = item.after.clone();
        let next = item.next.map(|next| (plan.lane, next));
        place(
            txn,
            item.namespace,
            item.row,
            Some(&item.before),
            &mut after,
            next,
        )?;
        delta.changes.push((item.row, Some(after)));
        for fired in &item.fired {
            if let Action::Review(kind) = fired.action {
                let score =
                    regime
                        .policy
                        .score(&item.after.anchor(regime.policy), regime.passes, plan.at);
                crate::review::request(
                    txn,
                    item.namespace,
                    regime,
                    (item.row, kind),
                    score,
                    plan.at,
                )?;
            }
        }
    }
    for (namespace, rows) in &gone {
        crate::review::withdraw(txn, *namespace, plan.lane, rows)?;
    }
    for orphan in &plan.orphans {
        DUE.delete(txn, *orphan)?;
    }
    Ok(deltas.into_values().collect())
}
