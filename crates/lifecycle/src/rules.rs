//! Which rules fire on a memory at a moment, and when the next one may.

use annals_types::profile::{Comparison, Metric, ReviewKind, RuleAction};
use annals_types::{Status, Timestamp};

use crate::curve::{above, below, reaches};
use crate::policy::{Rule, days, millis};
use crate::reinforce::distance;
use crate::state::{Mark, MarkKind};
use crate::zone::{DAY, HOUR};
use crate::{Anchor, Passes, Policy, State};

/// An action that a rule asks for. Changes of score, class and expiry are in the state already;
/// the others are for the caller.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Action {
    /// The memory gets a status.
    SetStatus(Status),
    /// Its score was lowered.
    Lower {
        /// The score before.
        from: f64,
        /// The score after.
        to: f64,
    },
    /// It got another class.
    SetClass {
        /// The class before.
        from: String,
        /// The class after.
        to: String,
        /// When it expires now.
        expires_at: Option<Timestamp>,
    },
    /// It is to be reviewed.
    Review(ReviewKind),
    /// It goes for good.
    Delete,
}

/// A rule that fired.
#[derive(Debug, Clone, PartialEq)]
pub struct Fired {
    /// The rule's name.
    pub rule: String,
    /// Its action.
    pub action: Action,
}

impl Policy {
    /// Fires the rules that hold at `now`, in their order, each seeing what those before it did; a
    /// deletion is the last. The changes are made to `state`, its place in the due index excepted.
    pub fn fire(&self, state: &mut State, passes: &Passes, now: Timestamp) -> Vec<Fired> {
        let mut fired = Vec::new();
        self.observe(state, passes, now, false);
        for rule in &self.rules {
            if rule.set.action == RuleAction::Mark || !self.concerns(rule, state) {
                continue;
            }
            if !self.may_fire(rule, state, passes, now) {
                continue;
            }
            let score = self.score(&state.anchor(self), passes, now);
            let Some(action) = self.carry_out(rule, state, passes, now) else {
                continue;
            };
            let last = action == Action::Delete;
            if rule.once() || rule.set.every_hours > 0.0 {
                let value = if rule.promotes() { score } else { state.value };
                state.set_mark(Mark {
                    rule: rule.id,
                    kind: MarkKind::Fired,
                    at: now,
                    value,
                });
            }
            fired.push(Fired {
                rule: rule.set.name.clone(),
                action,
            });
            if last {
                break;
            }
        }
        self.observe(state, passes, now, true);
        fired
    }

    /// The words that a memory is shown with now: those of the `mark` rules that hold.
    #[must_use]
    pub fn marks(&self, state: &State, passes: &Passes, now: Timestamp) -> Vec<&str> {
        let shown = |rule: &&Rule| {
            rule.set.action == RuleAction::Mark
                && rule.is_for(self.class_id(&state.class), state.status)
                && self.holds(rule, state, passes, now)
        };
        self.rules
            .iter()
            .filter(shown)
            .filter_map(|rule| rule.set.mark.as_deref())
            .collect()
    }

    /// Whether a rule may do anything to such a memory at all.
    fn concerns(&self, rule: &Rule, state: &State) -> bool {
        let anchor = state.anchor(self);
        let goes = matches!(rule.set.action, RuleAction::Delete | RuleAction::Forget);
        rule.is_for(anchor.class, state.status)
            && !self.is_protected(&anchor)
            && !(goes && self.class(anchor.class).undeletable)
            && rule
                .set
                .score_below
                .is_none_or(|limit| below(state.value, limit))
            && (!rule.set.changed_since || state.at.max(state.accessed) >= state.status_since)
            && !(rule.set.action == RuleAction::SetClass
                && rule.set.class.as_ref() == Some(&state.class))
            && !(rule.set.action == RuleAction::Lower
                && reaches(lowered(rule, state.value), state.value))
    }

    fn may_fire(&self, rule: &Rule, state: &State, passes: &Passes, now: Timestamp) -> bool {
        if !self.holds(rule, state, passes, now) {
            return false;
        }
        if rule.set.for_days > 0.0 {
            let since = self.held_since(rule, state, passes, now);
            if now.millis_since(since) < millis(rule.set.for_days, DAY) {
                return false;
            }
        }
        let Some(mark) = state.mark(rule.id, MarkKind::Fired) else {
            return true;
        };
        if rule.promotes() {
            let score = self.score(&state.anchor(self), passes, now);
            let risen = self
                .review
                .rearm_rise
                .is_some_and(|rise| reaches(score - mark.value, rise));
            let old = self
                .review
                .rearm_days
                .is_some_and(|days| distance(mark.at, now) >= millis(days, DAY));
            return risen || old;
        }
        !rule.once() && distance(mark.at, now) >= millis(rule.set.every_hours, HOUR)
    }

    /// Whether the measure of a rule compares as it says.
    fn holds(&self, rule: &Rule, state: &State, passes: &Passes, now: Timestamp) -> bool {
        let anchor = state.anchor(self);
        let since = |moment: Timestamp| days(now.millis_since(moment));
        let measure = match rule.set.metric {
            Metric::Retention => self.retention(&anchor, passes, now),
            Metric::Score => self.score(&anchor, passes, now),
            Metric::AgeDays => since(state.created),
            Metric::IdleDays => since(state.accessed),
            Metric::StatusDays => since(state.status_since),
            Metric::Expires => return state.is_expired(now),
        };
        match rule.set.op {
            Comparison::Below => below(measure, rule.set.value),
            Comparison::AtLeast => reaches(measure, rule.set.value),
            Comparison::Above => above(measure, rule.set.value),
        }
    }

    /// Since when a rule that holds has held. The moment noted when the memory last changed, or
    /// the moment at which time alone brought it there.
    fn held_since(&self, rule: &Rule, state: &State, passes: &Passes, now: Timestamp) -> Timestamp {
        if let Some(mark) = state.mark(rule.id, MarkKind::Since) {
            return mark.at;
        }
        let anchor = state.anchor(self);
        let crossed = match rule.set.metric {
            Metric::Retention => self.was_below(&anchor, passes, rule.set.value, true),
            Metric::Score => self.was_below(&anchor, passes, rule.set.value, false),
            Metric::AgeDays => Some(state.created.plus_millis(millis(rule.set.value, DAY))),
            Metric::IdleDays => Some(state.accessed.plus_millis(millis(rule.set.value, DAY))),
            Metric::StatusDays => Some(state.status_since.plus_millis(millis(rule.set.value, DAY))),
            Metric::Expires => state.expires_at,
        };
        crossed.unwrap_or(now).min(now)
    }

    fn crossing_of(
        &self,
        rule: &Rule,
        anchor: &Anchor,
        passes: &Passes,
        from: Timestamp,
    ) -> Option<Timestamp> {
        match rule.set.metric {
            Metric::Retention => self.retention_below(anchor, passes, rule.set.value, from),
            _ => self.score_below(anchor, passes, rule.set.value, from),
        }
    }

    fn carry_out(
        &self,
        rule: &Rule,
        state: &mut State,
        passes: &Passes,
        now: Timestamp,
    ) -> Option<Action> {
        let set = &rule.set;
        let status = |state: &mut State, to: Status| {
            (state.status, state.status_since) = (to, now);
            Some(Action::SetStatus(to))
        };
        match set.action {
            RuleAction::Archive if state.status != Status::Archived => {
                status(state, Status::Archived)
            }
            RuleAction::Activate if state.status != Status::Active => status(state, Status::Active),
            RuleAction::Forget if state.status != Status::Forgotten => {
                status(state, Status::Forgotten)
            }
            RuleAction::Lower => {
                self.settle(state, passes, now);
                let to = lowered(rule, state.value);
                let from = std::mem::replace(&mut state.value, self.bounded(to));
                if set.metric == Metric::Retention && !self.in_place() && from > 0.0 {
                    #[expect(
                        clippy::cast_possible_truncation,
                        reason = "a share needs no more digits"
                    )]
                    let left = (f64::from(state.lowered) * state.value / from) as f32;
                    state.lowered = left.clamp(f32::MIN_POSITIVE, 1.0);
                }
                (from != state.value).then_some(Action::Lower {
                    from,
                    to: state.value,
                })
            }
            RuleAction::SetClass => {
                let to = set.class.clone().unwrap_or_default();
                let from = state.class.clone();
                self.set_class(state, passes, &to, now);
                if let Some(days) = set.ttl_days {
                    Self::expire_within(state, days, now);
                }
                Some(Action::SetClass {
                    from,
                    to,
                    expires_at: state.expires_at,
                })
            }
            RuleAction::Review => Some(Action::Review(set.review)),
            RuleAction::Delete => Some(Action::Delete),
            _ => None,
        }
    }

    /// Changes a state, and keeps what is remembered of rules right: what has held until now, and
    /// what does only since the change.
    pub fn change<T>(
        &self,
        state: &mut State,
        passes: &Passes,
        now: Timestamp,
        with: impl FnOnce(&mut State) -> T,
    ) -> T {
        self.observe(state, passes, now, false);
        let done = with(state);
        self.observe(state, passes, now, true);
        done
    }

    /// Forgets that rules fired which do not hold any more, and notes since when those have held
    /// that must for some days: since now when a change has just made them hold, since time alone
    /// did otherwise.
    pub(crate) fn observe(
        &self,
        state: &mut State,
        passes: &Passes,
        now: Timestamp,
        changed: bool,
    ) {
        for rule in self
            .rules
            .iter()
            .filter(|rule| rule.once() || rule.set.for_days > 0.0)
        {
            let holds = self.holds(rule, state, passes, now);
            if !holds {
                state.clear_mark(rule.id, MarkKind::Since);
                // A promotion is asked for again by the terms of the review settings, whatever the
                // score did meanwhile.
                if !rule.promotes() {
                    state.clear_mark(rule.id, MarkKind::Fired);
                }
            } else if rule.set.for_days > 0.0 && state.mark(rule.id, MarkKind::Since).is_none() {
                let at = if changed {
                    now
                } else {
                    self.held_since(rule, state, passes, now)
                };
                state.set_mark(Mark {
                    rule: rule.id,
                    kind: MarkKind::Since,
                    at,
                    value: state.value,
                });
            }
        }
    }

    /// The earliest moment from `now` on at which a rule may fire on a memory that only time
    /// changes; `None` if none ever will.
    #[must_use]
    pub fn next_due(&self, state: &State, passes: &Passes, now: Timestamp) -> Option<Timestamp> {
        let rules = self
            .rules
            .iter()
            .filter(|rule| rule.set.action != RuleAction::Mark && self.concerns(rule, state));
        rules
            .filter_map(|rule| self.next_of(rule, state, passes, now))
            .min()
    }

    fn next_of(
        &self,
        rule: &Rule,
        state: &State,
        passes: &Passes,
        now: Timestamp,
    ) -> Option<Timestamp> {
        if self.holds(rule, state, passes, now) {
            let mut from = now;
            if rule.set.for_days > 0.0 {
                let since = self.held_since(rule, state, passes, now);
                from = since.plus_millis(millis(rule.set.for_days, DAY)).max(now);
            }
            let Some(mark) = state.mark(rule.id, MarkKind::Fired) else {
                return Some(from);
            };
            if rule.promotes() {
                let rearmed = self.may_fire(rule, state, passes, now).then_some(now);
                return rearmed.or(self
                    .review
                    .rearm_days
                    .map(|days| mark.at.plus_millis(millis(days, DAY))));
            }
            let again = mark.at.plus_millis(millis(rule.set.every_hours, HOUR));
            return (!rule.once()).then_some(again.max(from));
        }
        let set = &rule.set;
        let after = |moment: Timestamp| {
            let reached = moment.plus_millis(millis(set.value, DAY));
            match set.op {
                Comparison::Below => None,
                Comparison::AtLeast => Some(reached),
                Comparison::Above => Some(reached.plus_millis(1)),
            }
        };
        let moment = match set.metric {
            _ if rule.waits_for_change() => None,
            Metric::Retention | Metric::Score => {
                self.crossing_of(rule, &state.anchor(self), passes, now)
            }
            Metric::AgeDays => after(state.created),
            Metric::IdleDays => after(state.accessed),
            Metric::StatusDays => after(state.status_since),
            Metric::Expires => state.expires_at.map(|expires| expires.plus_millis(1)),
        };
        moment.map(|moment| moment.plus_millis(millis(set.for_days, DAY)).max(now))
    }
}

/// The score after a lowering rule.
fn lowered(rule: &Rule, score: f64) -> f64 {
    let set = &rule.set;
    (score * set.factor.unwrap_or(1.0))
        .max(set.floor)
        .min(set.cap.unwrap_or(f64::MAX))
        .min(score)
}
