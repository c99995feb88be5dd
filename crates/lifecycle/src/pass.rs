use annals_storage::Transaction;
use annals_types::Timestamp;
use annals_types::profile::DecayUnit;

use crate::change::{place, states};
use crate::lane::passes;
use crate::tables::{DUE, PASSES};
use crate::zone::DAY;
use crate::{Lane, LifecycleError, Passes, Policy};

/// Memories that are moved in the due index in one transaction after the clock was far ahead.
const MOVED: usize = 10_000;

/// Whether a pass took place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// It did.
    Made,
    /// It is too early: within the least interval after the last.
    TooEarly,
    /// Not yet: the clock had been far ahead, and memories that were put off until then are being
    /// moved back. Call it again.
    Recovering,
}

/// Makes a pass of a lane's decaying job at `now`. Passes that are more than a day ahead are those
/// of a clock that was wrong; they are forgotten.
///
/// # Errors
/// When it cannot be read or written.
pub fn make_pass(
    txn: &mut Transaction<'_>,
    lane: Lane,
    policy: &Policy,
    now: Timestamp,
) -> Result<Pass, LifecycleError> {
    let mut passes = passes(&*txn, lane)?;
    let counted = policy.decay.unit == DecayUnit::Pass;
    if let Some(last) = passes
        .last()
        .filter(|last| last.millis_since(now) > policy.pass_gap().max(DAY))
    {
        if counted && !bring_back(txn, lane, last, now)? {
            return Ok(Pass::Recovering);
        }
        passes.forget_after(now);
    }
    if !policy.pass_allowed(passes.last(), now) {
        return Ok(Pass::TooEarly);
    }
    if !counted {
        // Nothing is counted in passes: only when decay was last charged matters.
        passes = Passes::default();
    }
    passes.record(now);
    PASSES.put(txn, lane, &passes)?;
    Ok(Pass::Made)
}

/// Makes what is due only after a wrong pass due now, because it was reckoned from that pass;
/// answers whether that is all.
fn bring_back(
    txn: &mut Transaction<'_>,
    lane: Lane,
    wrong: Timestamp,
    now: Timestamp,
) -> Result<bool, LifecycleError> {
    let range = DUE.within((lane,)).from((lane, wrong.plus_millis(1)));
    let late = DUE.rows(txn, range, MOVED)?;
    for (due, ()) in &late {
        let (_, _, ns, row) = *due;
        match states(&*txn, ns, &[row])?
            .pop()
            .flatten()
            .filter(|state| state.due_entry(ns, row) == Some(*due))
        {
            Some(before) => {
                let mut state = before.clone();
                place(txn, ns, row, Some(&before), &mut state, Some((lane, now)))?;
            }
            None => {
                DUE.delete(txn, *due)?;
            }
        }
    }
    Ok(late.len() < MOVED)
}
