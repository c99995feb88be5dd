//! A state to be carried to another file.

use annals_storage::Transaction;
use annals_types::{NamespaceId, Row, Status, Timestamp};
use serde::{Deserialize, Serialize};

use crate::change::{Regime, write};
use crate::state::{Mark, MarkKind};
use crate::{Delta, LifecycleError, Limits, Passes, Policy, State};

/// The life of a memory, in a form that another file understands. Numbers of lanes and sessions do
/// not belong to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedState {
    /// The name of its class.
    pub class: String,
    /// The score at `at`.
    pub score: f64,
    /// When the score was last changed by something else than time, or by the last pass.
    pub at: Timestamp,
    /// When the memory was stored.
    pub created: Timestamp,
    /// The last access that counted.
    pub accessed: Timestamp,
    /// Since when it has its status.
    pub status_since: Timestamp,
    /// What rules that look at retention have left of the score.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub lowered: f32,
    /// When it expires, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// How often it was said to be of use.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub used: u32,
    /// How often it was injected or returned.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub returned: u32,
    /// How often something contradicted it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contradicted: u32,
    /// Whether a person said that it is to stay as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// Whether it goes with its session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub session_bound: bool,
    /// When a use was last counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_at: Option<Timestamp>,
    /// The day of the last gain, as a number of the profile's zone, and what was gained on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gained: Option<(i64, f64)>,
    /// Marks of the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<SavedMark>,
}

/// The mark of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedMark {
    /// FNV-1a of the rule's name.
    pub rule: u32,
    /// Whether it fired, or else has held since.
    pub fired: bool,
    /// The moment.
    pub at: Timestamp,
    /// The score at that moment.
    pub score: f64,
}

const fn whole() -> f32 {
    1.0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
fn is_whole(share: &f32) -> bool {
    *share >= whole()
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl State {
    /// The saved state with which another file goes on with this life. Passes stay with their
    /// file: those that were made are part of the score.
    #[must_use]
    pub fn save(&self, policy: &Policy, passes: &Passes) -> SavedState {
        let mut state = self.clone();
        if let Some(last) = passes.last().filter(|last| *last > state.at) {
            policy.settle(&mut state, passes, last);
        }
        let mark = |mark: &Mark| SavedMark {
            rule: mark.rule,
            fired: mark.kind == MarkKind::Fired,
            at: mark.at,
            score: mark.value,
        };
        SavedState {
            class: state.class,
            score: state.value,
            at: state.at,
            created: state.created,
            accessed: state.accessed,
            status_since: state.status_since,
            lowered: state.lowered,
            expires_at: state.expires_at,
            used: state.used,
            returned: state.returned,
            contradicted: state.contradicted,
            pinned: state.pinned,
            session_bound: state.session_bound,
            counted_at: state.limits.counted_at,
            gained: state.limits.day,
            marks: state.marks.iter().map(mark).collect(),
        }
    }
}

impl SavedState {
    /// The state of a memory that has this status.
    #[must_use]
    pub fn state(self, status: Status) -> State {
        let mark = |mark: SavedMark| Mark {
            rule: mark.rule,
            kind: if mark.fired {
                MarkKind::Fired
            } else {
                MarkKind::Since
            },
            at: mark.at,
            value: mark.score,
        };
        State {
            status,
            status_since: self.status_since,
            at: self.at,
            accessed: self.accessed,
            // A file may say anything.
            lowered: if self.lowered > 0.0 {
                self.lowered.min(1.0)
            } else {
                1.0
            },
            expires_at: self.expires_at,
            used: self.used,
            returned: self.returned,
            contradicted: self.contradicted,
            pinned: self.pinned,
            session_bound: self.session_bound,
            limits: Limits {
                counted_at: self.counted_at,
                day: self.gained,
                session: None,
            },
            marks: self.marks.into_iter().map(mark).collect(),
            ..State::new(&self.class, self.score, self.created)
        }
    }
}

/// Lets new rows go on with lives that began in another file, as they are: what rules will make of
/// them, the next job tells.
///
/// # Errors
/// When it cannot be written.
pub fn take_over(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    regime: &Regime<'_>,
    now: Timestamp,
    lives: Vec<(Row, State)>,
) -> Result<Delta, LifecycleError> {
    let mut delta = Delta::new(ns);
    for (row, mut state) in lives {
        state.due = None;
        write(txn, ns, row, regime, now, None, &mut state)?;
        delta.changes.push((row, Some(state)));
    }
    Ok(delta)
}
