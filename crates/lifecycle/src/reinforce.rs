//! The effect of use, contradiction and edits by hand on a memory.

use annals_types::Timestamp;
use annals_types::profile::{ReinforceForm, Signal};
use serde::{Deserialize, Serialize};

use crate::policy::millis;
use crate::{Anchor, Passes, Policy, State};

/// The effect of a reported use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reinforced {
    /// The score before.
    pub before: f64,
    /// The score after.
    pub after: f64,
    /// Whether it counted, or why not.
    pub counted: Counted,
}

/// Whether a reported use counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counted {
    /// It did.
    Yes,
    /// It is not the signal that this profile reinforces by.
    OtherSignal,
    /// Too soon after one that counted.
    Cooldown,
    /// The day's gain is used up.
    DailyCap,
    /// It counted in this session already.
    SessionCap,
}

impl Policy {
    /// Accesses that lift retention: uses where the profile reinforces by use, returns where it
    /// does by return or injection.
    pub(crate) fn accesses(&self, used: u32, returned: u32) -> u32 {
        if self.reinforce.signal == Signal::Used {
            used
        } else {
            returned
        }
    }

    /// Counts a use reported at `now`; `session` is the number of the session that it belongs to,
    /// where uses are limited by session.
    pub fn reinforce(
        &self,
        state: &mut State,
        passes: &Passes,
        signal: Signal,
        session: Option<u32>,
        now: Timestamp,
    ) -> Reinforced {
        let before = self.score(&state.anchor(self), passes, now);
        let unchanged = |counted| Reinforced {
            before,
            after: before,
            counted,
        };
        if signal != self.reinforce.signal {
            if signal == Signal::Used {
                state.used = state.used.saturating_add(1);
            }
            return unchanged(Counted::OtherSignal);
        }
        let base = self.base(state, passes, before, now);
        let Limited { gain, counted } = self.limited(state, self.gain(state, base), session, now);
        if counted != Counted::Yes {
            return unchanged(counted);
        }
        let count = if signal == Signal::Used {
            &mut state.used
        } else {
            &mut state.returned
        };
        *count = count.saturating_add(1);
        self.note_limits(state, gain, session, now);
        if self.reinforce.touch_clock || self.reinforce.form != ReinforceForm::CountOnly {
            if self.in_place() || self.reinforce.form != ReinforceForm::CountOnly {
                state.set_value(self.bounded(base + gain));
                state.at = now;
            }
            if self.reinforce.touch_clock {
                state.accessed = state.accessed.max(now);
            }
        }
        Reinforced {
            before,
            after: self.score(&state.anchor(self), passes, now),
            counted: Counted::Yes,
        }
    }

    /// The score that a use is added to.
    fn base(&self, state: &State, passes: &Passes, now_worth: f64, now: Timestamp) -> f64 {
        if !self.in_place() {
            return state.value;
        }
        if !self.reinforce.before_decay {
            return now_worth;
        }
        // Decay since the last job is not charged yet, and the clock that starts anew calls it off.
        let charged = passes
            .last_up_to(now)
            .map_or(state.at, |last| last.max(state.at));
        self.score(&state.anchor(self), passes, charged)
    }

    fn gain(&self, state: &State, base: f64) -> f64 {
        let set = &self.reinforce;
        match set.form {
            ReinforceForm::CountOnly => 0.0,
            ReinforceForm::Add => set.amount,
            ReinforceForm::TowardOne => (self.score.max - base).max(0.0) * set.amount,
            ReinforceForm::Diminishing => {
                let accesses = f64::from(self.accesses(state.used, state.returned));
                set.amount / (1.0 + accesses / set.half_count)
            }
        }
    }

    /// The part of a gain that the limits allow.
    fn limited(&self, state: &State, gain: f64, session: Option<u32>, now: Timestamp) -> Limited {
        let set = &self.reinforce;
        let none = |counted| Limited { gain: 0.0, counted };
        let cooldown = i64::try_from(set.cooldown_seconds)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000);
        if cooldown > 0
            && state
                .limits
                .counted_at
                .is_some_and(|last| distance(last, now) < cooldown)
        {
            return none(Counted::Cooldown);
        }
        if let (Some(cap), Some(session), Some((last, count))) =
            (set.cap_per_session, session, state.limits.session)
            && last == session
            && count >= cap
        {
            return none(Counted::SessionCap);
        }
        let Some(cap) = set.cap_per_day else {
            return Limited {
                gain,
                counted: Counted::Yes,
            };
        };
        let today = self.zone.day(now);
        let gained = state
            .limits
            .day
            .filter(|(day, _)| *day == today)
            .map_or(0.0, |(_, gained)| gained);
        let left = cap - gained;
        if gain > 0.0 && left <= crate::curve::EPSILON {
            return none(Counted::DailyCap);
        }
        Limited {
            gain: gain.min(left),
            counted: Counted::Yes,
        }
    }

    fn note_limits(&self, state: &mut State, gain: f64, session: Option<u32>, now: Timestamp) {
        let set = &self.reinforce;
        if set.cooldown_seconds > 0 {
            state.limits.counted_at = Some(now);
        }
        if set.cap_per_day.is_some() {
            let today = self.zone.day(now);
            let gained = state
                .limits
                .day
                .filter(|(day, _)| *day == today)
                .map_or(0.0, |(_, gained)| gained);
            state.limits.day = Some((today, gained + gain));
        }
        if set.cap_per_session.is_some()
            && let Some(session) = session
        {
            let count = state
                .limits
                .session
                .filter(|(last, _)| *last == session)
                .map_or(0, |(_, count)| count);
            state.limits.session = Some((session, count.saturating_add(1)));
        }
    }

    /// How much a memory matters: the score that is stored, decayed where scores decay in place.
    #[must_use]
    pub fn importance(&self, anchor: &Anchor, passes: &Passes, now: Timestamp) -> f64 {
        if self.in_place() {
            self.score(anchor, passes, now)
        } else {
            anchor.value
        }
    }

    /// Sets the score by hand, without limits; time is not counted anew. Answers the score before
    /// and after.
    pub fn set_score(
        &self,
        state: &mut State,
        passes: &Passes,
        score: f64,
        now: Timestamp,
    ) -> (f64, f64) {
        let before = self.score(&state.anchor(self), passes, now);
        if self.in_place() {
            state.at = now;
        }
        state.value = self.bounded(score);
        state.lowered = 1.0;
        (before, self.score(&state.anchor(self), passes, now))
    }

    /// Multiplies the score, as for a contradiction: `penalty` of 0.5 halves it. Time is not
    /// counted anew.
    pub fn penalize(&self, state: &mut State, passes: &Passes, penalty: f64, now: Timestamp) {
        if self.is_protected(&state.anchor(self)) {
            // A protected memory did not decay until now. It must not be charged for that time
            // once its lower score is not protected any more.
            self.settle(state, passes, now);
        }
        state.value = self.bounded(state.value * penalty.clamp(0.0, 1.0));
        state.contradicted = state.contradicted.saturating_add(1);
    }

    /// Gives the memory another class from `now` on. Decay by the old class stays where scores
    /// decay in place.
    pub fn set_class(&self, state: &mut State, passes: &Passes, class: &str, now: Timestamp) {
        self.settle(state, passes, now);
        class.clone_into(&mut state.class);
    }

    /// Pins a memory, so that it stays as it is, or lets it go on from `now`; what did not decay
    /// meanwhile is not charged where scores decay in place.
    pub fn set_pinned(&self, state: &mut State, passes: &Passes, pinned: bool, now: Timestamp) {
        self.settle(state, passes, now);
        state.pinned = pinned;
    }

    /// Makes the decay up to `now` part of the score, where it decays in place.
    pub(crate) fn settle(&self, state: &mut State, passes: &Passes, now: Timestamp) {
        if self.in_place() {
            state.value = self.bounded(self.score(&state.anchor(self), passes, now));
            state.at = state.at.max(now);
        }
    }

    /// The expiry `days` from now, unless the memory expires earlier.
    pub(crate) fn expire_within(state: &mut State, days: f64, now: Timestamp) {
        let limit = now.plus_millis(millis(days, crate::zone::DAY));
        state.expires_at = Some(state.expires_at.map_or(limit, |earlier| earlier.min(limit)));
    }
}

/// The time between two moments, whichever is the later: a use that is counted far ahead of a
/// clock that was wrong blocks no others.
pub(crate) fn distance(one: Timestamp, other: Timestamp) -> i64 {
    one.millis_since(other).max(other.millis_since(one))
}

/// A gain after the limits.
struct Limited {
    gain: f64,
    counted: Counted,
}
