use annals_types::Timestamp;
use annals_types::profile::{DayKind, DecayUnit, GraceMode};

use super::{Anchor, EPSILON, below};
use crate::policy::millis;
use crate::zone::DAY;
use crate::{Passes, Policy};

impl Policy {
    /// The earliest moment, not before `from`, at which retention may be below `limit`, if nothing
    /// but time changes the memory; `None` when it never will be. It may be a millisecond early;
    /// for passes it assumes that they come as often as allowed.
    #[must_use]
    pub fn retention_below(
        &self,
        anchor: &Anchor,
        passes: &Passes,
        limit: f64,
        from: Timestamp,
    ) -> Option<Timestamp> {
        self.crossing(anchor, passes, limit, self.bonus(anchor), from)
    }

    /// The same for the score, which has no access bonus.
    #[must_use]
    pub fn score_below(
        &self,
        anchor: &Anchor,
        passes: &Passes,
        limit: f64,
        from: Timestamp,
    ) -> Option<Timestamp> {
        self.crossing(anchor, passes, limit, 1.0, from)
    }

    fn crossing(
        &self,
        anchor: &Anchor,
        passes: &Passes,
        limit: f64,
        bonus: f64,
        from: Timestamp,
    ) -> Option<Timestamp> {
        if below(self.score(anchor, passes, from) * bonus, limit) {
            return Some(from);
        }
        let exact = self.steps_until(anchor, limit, bonus)?;
        let moment = match self.decay.unit {
            DecayUnit::Fraction | DecayUnit::Day => {
                self.after_days(anchor, exact + self.charged(anchor, passes))
            }
            DecayUnit::Pass => self.after_passes(anchor, passes, whole(exact), from),
        };
        Some(moment.max(from))
    }

    /// The steps after which the anchor's value is below a limit; `None` when it never is.
    fn steps_until(&self, anchor: &Anchor, limit: f64, bonus: f64) -> Option<f64> {
        let rate = self.class(anchor.class).ln_rate;
        let target = limit - EPSILON;
        if rate == 0.0 || self.is_protected(anchor) || target <= 0.0 {
            return None;
        }
        let exact = (target / (anchor.value * bonus)).ln() / rate;
        exact.is_finite().then_some(exact)
    }

    /// Since when a memory that is below a limit has been, as far as time alone brought it there.
    pub(crate) fn was_below(
        &self,
        anchor: &Anchor,
        passes: &Passes,
        limit: f64,
        lifted: bool,
    ) -> Option<Timestamp> {
        let bonus = if lifted { self.bonus(anchor) } else { 1.0 };
        let from = anchor.at.max(self.clock(anchor));
        if below(self.score(anchor, passes, from) * bonus, limit) {
            return Some(from);
        }
        if self.decay.unit != DecayUnit::Pass || self.decay.catch_up {
            return self.crossing(anchor, passes, limit, bonus, from);
        }
        let first = self
            .gate(anchor)
            .max(anchor.at.plus_millis(1))
            .plus_millis(-1);
        let steps = millis(whole(self.steps_until(anchor, limit, bonus)?), 1).max(1);
        passes.nth(
            passes
                .up_to(first)
                .saturating_add(u32::try_from(steps - 1).unwrap_or(u32::MAX)),
        )
    }

    /// Steps that the anchor's value has behind it.
    fn charged(&self, anchor: &Anchor, passes: &Passes) -> f64 {
        if self.in_place() {
            // The steps of a derived score begin at the clock; the difference is what was charged.
            let mut fresh = *anchor;
            fresh.at = self.clock(anchor);
            self.steps(&fresh, passes, anchor.at)
        } else {
            0.0
        }
    }

    /// The moment at which so many steps have gone by since the clock.
    fn after_days(&self, anchor: &Anchor, steps: f64) -> Timestamp {
        let grace = self.class(anchor.class).grace;
        let clock = self.clock(anchor);
        if self.decay.unit == DecayUnit::Fraction && self.decay.days == DayKind::Hours24 {
            // Rounding may have moved it either way; a millisecond early costs one look more.
            return clock.plus_millis(millis(steps + grace, DAY).saturating_sub(1));
        }
        let gated = self.decay.grace == GraceMode::Gate
            && grace > 0.0
            && self.decay.unit != DecayUnit::Fraction;
        let days = if gated {
            whole(steps) + grace.ceil() - 1.0
        } else {
            whole(steps + grace)
        };
        if self.decay.days == DayKind::Calendar {
            return self
                .zone
                .start(self.zone.day(clock).saturating_add(millis(days, 1)));
        }
        clock.plus_millis(millis(days, DAY))
    }

    /// The moment of the pass that is so many steps after the anchor, if they come as often as
    /// allowed.
    fn after_passes(
        &self,
        anchor: &Anchor,
        passes: &Passes,
        steps: f64,
        from: Timestamp,
    ) -> Timestamp {
        let gap = self.pass_gap();
        // Not `from`: were the clock put back, the next pass could come before it.
        let next = passes
            .last()
            .map_or(anchor.created, |last| last.plus_millis(gap.max(1)));
        let first = next.max(self.gate(anchor)).max(anchor.at.plus_millis(1));
        if self.decay.catch_up {
            let charged = self.charged(anchor, passes);
            return first.max(self.after_days(anchor, steps + charged));
        }
        // Passes can lie ahead of a clock that was put back.
        let seen = passes.last().map_or(from, |last| last.max(from));
        let missing = steps - self.steps(anchor, passes, seen);
        if missing < 1.0 {
            return from;
        }
        first.plus_millis(millis(missing - 1.0, gap))
    }
}

/// The least whole number of steps that is certainly not too many: rounding may have moved `exact`
/// across a whole number.
fn whole(exact: f64) -> f64 {
    let near = exact.round();
    if (exact - near).abs() < 1e-7 {
        near.max(0.0)
    } else {
        exact.ceil().max(0.0)
    }
}
