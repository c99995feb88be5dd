use annals_storage::table::Value;
use annals_types::Timestamp;

use crate::wire::{Broken, Put, Take};

/// When the passes of a decaying job took place, as runs of equal distances: a job that is on time
/// for years is one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passes {
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    first: i64,
    step: i64,
    count: u32,
    /// Passes in the runs before.
    before: u32,
}

impl Run {
    fn last(&self) -> i64 {
        self.first + self.step * (i64::from(self.count) - 1)
    }

    /// How many of its passes are not after a moment.
    fn up_to(&self, millis: i64) -> u32 {
        if millis < self.first {
            return 0;
        }
        if self.step == 0 || millis >= self.last() {
            return self.count;
        }
        u32::try_from((millis - self.first) / self.step + 1).unwrap_or(self.count)
    }
}

impl Passes {
    /// Adds a pass. One that is not after the last is left out: a clock that goes back counts zero.
    pub fn record(&mut self, moment: Timestamp) -> bool {
        let millis = moment.as_millis();
        let Some(run) = self.runs.last_mut() else {
            self.runs.push(Run {
                first: millis,
                step: 0,
                count: 1,
                before: 0,
            });
            return true;
        };
        if millis <= run.last() {
            return false;
        }
        let gap = millis - run.last();
        if run.count == 1 || gap == run.step {
            run.step = gap;
            run.count = run.count.saturating_add(1);
        } else {
            let before = run.before.saturating_add(run.count);
            self.runs.push(Run {
                first: millis,
                step: 0,
                count: 1,
                before,
            });
        }
        true
    }

    /// Forgets the passes after a moment.
    pub fn forget_after(&mut self, moment: Timestamp) {
        let millis = moment.as_millis();
        self.runs.retain(|run| run.first <= millis);
        if let Some(run) = self.runs.last_mut() {
            run.count = run.up_to(millis);
            if run.count == 1 {
                run.step = 0;
            }
        }
    }

    /// How many passes there were up to a moment, that one included.
    #[must_use]
    pub fn up_to(&self, moment: Timestamp) -> u32 {
        let at = self
            .runs
            .partition_point(|run| run.first <= moment.as_millis());
        let run = at.checked_sub(1).and_then(|at| self.runs.get(at));
        run.map_or(0, |run| {
            run.before.saturating_add(run.up_to(moment.as_millis()))
        })
    }

    /// The last pass up to a moment, that one included.
    #[must_use]
    pub fn last_up_to(&self, moment: Timestamp) -> Option<Timestamp> {
        let at = self
            .runs
            .partition_point(|run| run.first <= moment.as_millis())
            .checked_sub(1)?;
        let run = self.runs.get(at)?;
        let count = i64::from(run.up_to(moment.as_millis()));
        Some(Timestamp::from_millis(run.first + run.step * (count - 1)))
    }

    /// The pass of a number, counted from 0.
    #[must_use]
    pub fn nth(&self, number: u32) -> Option<Timestamp> {
        let at = self
            .runs
            .partition_point(|run| run.before <= number)
            .checked_sub(1)?;
        let run = self.runs.get(at)?;
        let within = number
            .checked_sub(run.before)
            .filter(|within| *within < run.count)?;
        Some(Timestamp::from_millis(
            run.first + run.step * i64::from(within),
        ))
    }

    /// The last pass.
    #[must_use]
    pub fn last(&self) -> Option<Timestamp> {
        self.runs
            .last()
            .map(|run| Timestamp::from_millis(run.last()))
    }

    /// How many there were.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.runs
            .last()
            .map_or(0, |run| run.before.saturating_add(run.count))
    }

    /// Whether there was none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

impl Value for Passes {
    type View<'a> = Self;

    fn encode(view: &Self, put: &mut Put) {
        put.length(view.runs.len());
        let mut last = 0;
        for run in &view.runs {
            put.zigzag(run.first - last);
            put.varint(u64::from(run.count));
            put.zigzag(run.step);
            last = run.last();
        }
    }

    fn decode(_version: u8, body: &[u8]) -> Result<Self, Broken> {
        let mut take = Take::new(body);
        let count = take.count(3)?;
        let mut runs: Vec<Run> = Vec::with_capacity(count);
        let (mut last, mut before) = (0_i64, 0_u32);
        for at in 0..count {
            let first = last
                .checked_add(take.zigzag()?)
                .ok_or(Broken("a moment is out of range"))?;
            let (count, step) = (take.varint32()?, take.zigzag()?);
            let span = i64::from(count)
                .checked_sub(1)
                .and_then(|gaps| step.checked_mul(gaps));
            let end = span
                .and_then(|span| first.checked_add(span))
                .ok_or(Broken("a moment is out of range"))?;
            if count == 0 || step < 0 || at > 0 && first <= last {
                return Err(Broken("passes do not rise"));
            }
            runs.push(Run {
                first,
                step,
                count,
                before,
            });
            before = before
                .checked_add(count)
                .ok_or(Broken("there are too many passes"))?;
            last = end;
        }
        take.end()?;
        Ok(Self { runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn bytes_of(passes: &Passes) -> Vec<u8> {
        let mut put = Put::default();
        Passes::encode(passes, &mut put);
        put.finish()
    }

    #[test]
    fn regular_passes_are_one_run_with_frozen_bytes() {
        let mut passes = Passes::default();
        for day in 0..1000 {
            assert!(passes.record(at(1000 + day * 500)));
        }
        assert!(!passes.record(at(1000)));
        assert!(passes.record(at(600_000)));
        assert_eq!((passes.runs.len(), passes.len()), (2, 1001));
        assert_eq!(passes.up_to(at(999)), 0);
        assert_eq!(passes.up_to(at(1999)), 2);
        assert_eq!(passes.up_to(at(2000)), 3);
        assert_eq!(passes.last_up_to(at(2100)), Some(at(2000)));
        // Two runs: from 1000, 1000 times, every 500; then 99,500 after the last, once.
        assert_eq!(
            bytes_of(&passes),
            [2, 208, 15, 232, 7, 232, 7, 216, 146, 12, 1, 0]
        );
        assert_eq!(Passes::decode(1, &bytes_of(&passes)).ok(), Some(passes));
        assert!(Passes::decode(1, &[1, 2, 0, 2]).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: proptest::test_runner::RngSeed::Fixed(7),
            ..ProptestConfig::default()
        })]

        #[test]
        fn counts_are_those_of_a_plain_list(
            gaps in prop::collection::vec(-2_i64..4, 0..60),
            asked in prop::collection::vec(-5_i64..120, 8),
        ) {
            let (mut passes, mut list, mut now) = (Passes::default(), Vec::new(), 0);
            for gap in gaps {
                now += gap;
                let after = list.last().is_none_or(|last| now > *last);
                prop_assert_eq!(passes.record(at(now)), after);
                if after {
                    list.push(now);
                }
            }
            prop_assert_eq!(passes.len() as usize, list.len());
            for moment in asked.iter().copied() {
                let until: Vec<i64> = list.iter().copied().filter(|pass| *pass <= moment).collect();
                prop_assert_eq!(passes.up_to(at(moment)) as usize, until.len());
                prop_assert_eq!(passes.last_up_to(at(moment)), until.last().map(|last| at(*last)));
            }
            for at in 0..=list.len() {
                prop_assert_eq!(passes.nth(at as u32), list.get(at).map(|pass| super::tests::at(*pass)));
            }
            prop_assert_eq!(Passes::decode(1, &bytes_of(&passes)).ok(), Some(passes.clone()));
            if let Some(moment) = asked.first() {
                passes.forget_after(at(*moment));
                list.retain(|pass| pass <= moment);
                prop_assert_eq!(passes.len() as usize, list.len());
                prop_assert_eq!(passes.last(), list.last().map(|last| at(*last)));
                prop_assert!(passes.record(at(1_000)));
                prop_assert_eq!(Passes::decode(1, &bytes_of(&passes)).ok(), Some(passes));
            }
        }
    }
}
