use annals_types::Timestamp;
use annals_types::profile::{DayKind, DecayClock, DecayUnit, GraceMode};

use super::Anchor;
use crate::policy::{days, millis};
use crate::zone::DAY;
use crate::{Passes, Policy};

impl Policy {
    /// From when on time is counted.
    pub(crate) fn clock(&self, anchor: &Anchor) -> Timestamp {
        match self.decay.clock {
            DecayClock::Created => anchor.created,
            DecayClock::LastAccess => anchor.accessed.max(anchor.created),
        }
    }

    /// k: the steps of decay between the anchor and a moment. Steps before the anchor are charged
    /// already when the score decays in place.
    pub(super) fn steps(&self, anchor: &Anchor, passes: &Passes, moment: Timestamp) -> f64 {
        if self.decay.unit == DecayUnit::Pass && !self.decay.catch_up {
            return f64::from(self.counted_passes(anchor, passes, moment));
        }
        let charged = if self.in_place() {
            self.elapsed(anchor, passes, anchor.at)
        } else {
            0.0
        };
        (self.elapsed(anchor, passes, moment) - charged).max(0.0)
    }

    /// Passes after the anchor and not before the gate.
    fn counted_passes(&self, anchor: &Anchor, passes: &Passes, moment: Timestamp) -> u32 {
        let first = self.gate(anchor).max(anchor.at.plus_millis(1));
        passes
            .up_to(moment)
            .saturating_sub(passes.up_to(first.plus_millis(-1)))
    }

    /// The end of grace.
    pub(super) fn gate(&self, anchor: &Anchor) -> Timestamp {
        let grace = self.class(anchor.class).grace;
        let clock = self.clock(anchor);
        if self.decay.days == DayKind::Calendar && grace > 0.0 {
            return self
                .zone
                .start(self.zone.day(clock) + millis(grace.ceil(), 1));
        }
        clock.plus_millis(millis(grace, DAY))
    }

    /// Steps between the clock and a moment, whatever was charged.
    fn elapsed(&self, anchor: &Anchor, passes: &Passes, moment: Timestamp) -> f64 {
        let grace = self.class(anchor.class).grace;
        if self.decay.unit == DecayUnit::Pass {
            // A pass that makes up for others charges the days up to it.
            let Some(pass) = passes.last_up_to(moment) else {
                return 0.0;
            };
            let past = self.days_between(self.clock(anchor), pass).floor() - grace.ceil() + 1.0;
            return if pass < self.gate(anchor) {
                0.0
            } else {
                past.max(0.0)
            };
        }
        let past = self.days_between(self.clock(anchor), moment);
        match (self.decay.unit, self.decay.grace) {
            (DecayUnit::Fraction, _) => (past - grace).max(0.0),
            (_, GraceMode::Gate) if grace > 0.0 => (past.floor() - grace.ceil() + 1.0).max(0.0),
            _ => (past.floor() - grace).max(0.0),
        }
    }

    /// Days from one moment to a later one; parts of a day only where days have 24 hours.
    pub(super) fn days_between(&self, from: Timestamp, to: Timestamp) -> f64 {
        match self.decay.days {
            DayKind::Hours24 => days(to.millis_since(from)),
            DayKind::Calendar if to <= from => 0.0,
            DayKind::Calendar => {
                let whole = self.zone.day(to) - self.zone.day(from);
                // No more days than milliseconds have a range that a float holds exactly.
                days(whole.saturating_mul(DAY))
            }
        }
    }
}
