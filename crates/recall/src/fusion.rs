//! From feature values to a score and its explanation.

use annals_types::profile::{Fusion as Formula, RecallSettings, Weights};

use crate::{Feature, Part};

/// The values of one memory for one question, in the order of [`Feature::ALL`].
pub(crate) type Values = [f32; Feature::ALL.len()];

/// Weights as one question applies them.
#[derive(Debug, Clone)]
pub(crate) struct Fusion {
    formula: Formula,
    /// Share of each feature: of relevance they sum to 1 over those that apply; of a prior what it
    /// can cost. In a sum all of them sum to 1 over those that apply.
    shares: Values,
    applies: [bool; Feature::ALL.len()],
    /// The share of the weights of surroundings that a memory without any gets.
    alone_share: f32,
    /// The loss of a memory that is true no more in a sum, which has no priors of its own, 0 to 1.
    outdated: f32,
}

impl Fusion {
    /// One that counts nothing.
    pub(crate) const fn none() -> Self {
        let (shares, applies) = ([0.0; Feature::ALL.len()], [false; Feature::ALL.len()]);
        Self {
            formula: Formula::Relevance,
            shares,
            applies,
            alone_share: 0.0,
            outdated: 0.0,
        }
    }

    /// `applies` says which features of relevance this question can use at all; the others share
    /// their weight.
    pub(crate) fn new(
        settings: &RecallSettings,
        weights: &Weights,
        applies: impl Fn(Feature) -> bool,
    ) -> Self {
        let RecallSettings {
            fusion: formula,
            alone_share,
            ..
        } = *settings;
        let mut shares = Values::default();
        let mut used = [true; Feature::ALL.len()];
        for (at, ((share, used), feature)) in shares
            .iter_mut()
            .zip(&mut used)
            .zip(Feature::ALL)
            .enumerate()
        {
            *share = feature.weight(weights);
            if at < Feature::RELEVANCE {
                *used = applies(feature);
                *share = if *used { *share } else { 0.0 };
            }
        }
        let scaled = if formula == Formula::Sum {
            Feature::ALL.len()
        } else {
            Feature::RELEVANCE
        };
        let sum: f32 = shares.iter().take(scaled).sum();
        if sum > 0.0 {
            shares
                .iter_mut()
                .take(scaled)
                .for_each(|share| *share /= sum);
        }
        Self {
            formula,
            shares,
            applies: used,
            alone_share,
            outdated: 0.0,
        }
    }

    /// Lets a memory that is true no more lose a share of its score, where the formula is a sum.
    pub(crate) fn outdate(&mut self, share: f32) {
        self.outdated = if self.formula == Formula::Sum {
            share
        } else {
            0.0
        };
    }

    /// From 0 to 1. `relevance x product of (1 - prior share x (1 - value))`, which is comparable
    /// between questions and sizes; in a sum `sum of shares x values`.
    pub(crate) fn score(&self, values: &Values, alone: bool) -> f32 {
        let gains = self.gains(values, alone);
        let relevance: f32 = gains.iter().sum();
        let costs: f32 = self.costs(values, relevance).iter().sum();
        (relevance - costs).clamp(0.0, 1.0)
    }

    /// Whether it counts that a memory is true no more, whatever the weights.
    pub(crate) fn outdates(&self) -> bool {
        self.outdated > 0.0
    }

    /// Whether the question can use a feature.
    pub(crate) fn applies(&self, feature: Feature) -> bool {
        Feature::ALL
            .into_iter()
            .zip(self.applies)
            .any(|(each, applies)| each == feature && applies)
    }

    /// The gain of each feature. A memory that stands alone has no surroundings: what is known of
    /// it stands for them, as far as surroundings hold anything.
    fn gains(&self, values: &Values, alone: bool) -> Values {
        let mut gains = Values::default();
        let scaled = if self.formula == Formula::Sum {
            Feature::ALL.len()
        } else {
            Feature::RELEVANCE
        };
        for ((gain, value), share) in gains.iter_mut().zip(values).zip(&self.shares).take(scaled) {
            *gain = value * share;
        }
        if alone && self.formula == Formula::Relevance {
            spread_surroundings(&mut gains, &self.shares, self.alone_share);
        }
        if self.formula == Formula::Lift {
            let counted = self.lifting(values);
            let sum: f32 = self
                .shares
                .iter()
                .zip(counted)
                .filter(|(_, counts)| *counts)
                .map(|(share, _)| share)
                .sum();
            for (gain, counts) in gains.iter_mut().zip(counted) {
                *gain = if counts && sum > 0.0 {
                    *gain / sum
                } else {
                    0.0
                };
            }
        }
        gains
    }

    /// The features whose weighted mean is greatest, the heaviest among them.
    fn lifting(&self, values: &Values) -> [bool; Feature::ALL.len()] {
        let mut counted = [false; Feature::ALL.len()];
        let relevance = || {
            self.shares
                .iter()
                .zip(values)
                .enumerate()
                .take(Feature::RELEVANCE)
        };
        let heaviest = relevance().max_by(|(a, x), (b, y)| x.0.total_cmp(y.0).then(b.cmp(a)));
        let Some((first, (share, value))) = heaviest else {
            return counted;
        };
        let (mut sum, mut weight) = (share * value, *share);
        let mut others: Vec<(usize, (&f32, &f32))> = relevance()
            .filter(|(at, (share, _))| *at != first && **share > 0.0)
            .collect();
        others.sort_by(|(_, (_, a)), (_, (_, b))| b.total_cmp(a));
        let mut lifting = vec![first];
        for (at, (share, value)) in others {
            if value * weight > sum {
                (sum, weight) = (sum + share * value, weight + share);
                lifting.push(at);
            }
        }
        for (at, counts) in counted.iter_mut().enumerate() {
            *counts = lifting.contains(&at);
        }
        counted
    }

    /// What each prior takes away of a relevance, one after the other.
    fn costs(&self, values: &Values, relevance: f32) -> Values {
        let mut costs = Values::default();
        let mut left = relevance;
        for (((cost, value), share), feature) in costs
            .iter_mut()
            .zip(values)
            .zip(&self.shares)
            .zip(Feature::ALL)
        {
            let share = match self.formula {
                _ if feature == Feature::Validity && self.outdated > 0.0 => self.outdated,
                Formula::Sum => 0.0,
                _ if feature.is_prior() => *share,
                _ => 0.0,
            };
            *cost = left * share * (1.0 - value);
            left -= *cost;
        }
        costs
    }

    /// The part of each feature; the contributions sum to the score.
    pub(crate) fn parts(&self, values: &Values, alone: bool) -> Vec<Part> {
        let gains = self.gains(values, alone);
        let costs = self.costs(values, gains.iter().sum());
        let contributions = gains.into_iter().zip(costs).map(|(gain, cost)| gain - cost);
        let rows = Feature::ALL
            .into_iter()
            .zip(self.applies)
            .zip(values)
            .zip(contributions);
        rows.map(|(((feature, applies), value), contribution)| Part {
            feature,
            value: (applies && !(alone && feature.is_of_surroundings())).then_some(*value),
            contribution,
        })
        .collect()
    }
}

/// Gives a part of the shares of the surroundings to the other features of relevance.
fn spread_surroundings(gains: &mut Values, shares: &Values, part: f32) {
    let mut surroundings = 0.0;
    for ((gain, share), feature) in gains.iter_mut().zip(shares).zip(Feature::ALL) {
        if feature.is_of_surroundings() {
            surroundings += share;
            *gain = 0.0;
        }
    }
    if surroundings < 1.0 {
        let more = 1.0 + part * surroundings / (1.0 - surroundings);
        gains.iter_mut().for_each(|gain| *gain *= more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMULAS: [Formula; 3] = [Formula::Relevance, Formula::Sum, Formula::Lift];

    fn settings(fusion: Formula) -> RecallSettings {
        RecallSettings {
            fusion,
            ..RecallSettings::default()
        }
    }

    fn place(feature: Feature) -> usize {
        Feature::ALL
            .iter()
            .position(|each| *each == feature)
            .unwrap()
    }

    fn values(given: &[(Feature, f32)]) -> Values {
        let mut values = Values::default();
        given
            .iter()
            .for_each(|(feature, value)| values[place(*feature)] = *value);
        values
    }

    proptest! {
        #[test]
        fn contributions_sum_to_a_score_between_0_and_1(
            values in proptest::array::uniform17(0.0_f32..=1.0),
            mask in proptest::array::uniform10(any::<bool>()),
            formula in 0..3_usize,
            alone: bool,
        ) {
            let weights = Weights::default();
            let fusion = Fusion::new(&settings(FORMULAS[formula]), &weights, |f| mask[place(f)]);
            let score = fusion.score(&values, alone);
            prop_assert!((0.0..=1.0).contains(&score));
            let sum: f32 = fusion.parts(&values, alone).iter().map(|p| p.contribution).sum();
            prop_assert!((sum - score).abs() < 1e-5, "{sum} {score}");
        }

        #[test]
        fn more_of_anything_never_lowers_a_score(
            values in proptest::array::uniform17(0.0_f32..=1.0),
            at in 0..17_usize,
            more in 0.0_f32..=1.0,
            formula in 0..3_usize,
            alone: bool,
        ) {
            let fusion = Fusion::new(&settings(FORMULAS[formula]), &Weights::default(), |_| true);
            let mut better = values;
            better[at] = better[at].max(more);
            prop_assert!(fusion.score(&better, alone) >= fusion.score(&values, alone) - 1e-6);
        }
    }

    #[test]
    fn what_does_not_apply_gives_its_weight_to_the_others() {
        let all = [1.0; 17];
        let words = |f| matches!(f, Feature::Text | Feature::Window | Feature::Context);
        let only_words = Fusion::new(&settings(Formula::Relevance), &Weights::default(), words);
        assert!((only_words.score(&all, false) - 1.0).abs() < 1e-6);
        assert_eq!(only_words.parts(&all, false)[0].value, None);
    }

    #[test]
    fn what_stands_alone_gets_a_part_of_the_weight_of_its_surroundings() {
        let settings = RecallSettings {
            alone_share: 0.25,
            ..settings(Formula::Relevance)
        };
        let none = Weights {
            dense: 0.0,
            context: 0.0,
            speaker: 0.0,
            time: 0.0,
            asks_time: 0.0,
            ..Weights::default()
        };
        let weights = Weights {
            own: 0.3,
            text: 0.3,
            window: 0.4,
            answers: 0.0,
            graph: 0.0,
            ..none
        };
        let fusion = Fusion::new(&settings, &weights, |_| true);
        let relevance = |alone| fusion.gains(&[1.0; 17], alone).iter().sum::<f32>();
        assert!((relevance(false) - 1.0).abs() < 1e-6);
        // 0.6 of its own and a quarter of 0.4.
        assert!((relevance(true) - 0.7).abs() < 1e-6, "{}", relevance(true));
    }

    #[test]
    fn a_memory_that_is_no_longer_true_loses_its_share() {
        let weights = Weights {
            validity: 0.3,
            importance: 0.0,
            recency: 0.0,
            usage: 0.0,
            ..Weights::default()
        };
        let fusion = Fusion::new(&settings(Formula::Relevance), &weights, |_| true);
        let mut values = [1.0; 17];
        values[place(Feature::Validity)] = 0.0;
        assert!((fusion.score(&values, false) - 0.7).abs() < 1e-6);
    }

    #[test]
    fn a_channel_without_a_hit_costs_nothing_where_channels_lift() {
        let none = Weights {
            own: 0.0,
            answers: 0.0,
            role: 0.0,
            tells: 0.0,
            ..Weights::default()
        };
        let none = Weights {
            window: 0.0,
            context: 0.0,
            speaker: 0.0,
            time: 0.0,
            asks_time: 0.0,
            ..none
        };
        let weights = Weights {
            dense: 0.6,
            text: 0.25,
            graph: 0.15,
            validity: 0.0,
            importance: 0.0,
            ..none
        };
        let weights = Weights {
            recency: 0.0,
            usage: 0.0,
            ..weights
        };
        let fusion = Fusion::new(&settings(Formula::Lift), &weights, |_| true);
        let score = |given: &[(Feature, f32)]| fusion.score(&values(given), false);
        let near = |score: f32, expected: f32| {
            assert!((score - expected).abs() < 1e-6, "{score} {expected}")
        };
        near(score(&[(Feature::Dense, 0.92)]), 0.92);
        near(score(&[(Feature::Dense, 0.92), (Feature::Text, 0.1)]), 0.92);
        near(
            score(&[
                (Feature::Dense, 1.0),
                (Feature::Text, 1.0),
                (Feature::Graph, 1.0),
            ]),
            1.0,
        );
        near(
            score(&[(Feature::Dense, 0.5), (Feature::Text, 1.0)]),
            0.55 / 0.85,
        );
        near(score(&[(Feature::Text, 1.0)]), 0.25 / 0.85);
    }
}
