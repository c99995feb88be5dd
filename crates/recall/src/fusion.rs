//! From feature values to a score and its explanation.

use annals_types::profile::Weights;

use crate::{Feature, Part};

/// The values of one memory for one question, in the order of [`Feature::ALL`].
pub(crate) type Values = [f32; Feature::ALL.len()];

/// Weights as one question applies them.
#[derive(Debug, Clone)]
pub(crate) struct Fusion {
    /// Share of each feature: of relevance they sum to 1 over those that apply; of a prior what it can cost.
    shares: Values,
    applies: [bool; Feature::ALL.len()],
}

impl Fusion {
    /// `applies` says which features of relevance this question can use at all; the others share their weight.
    pub(crate) fn new(weights: &Weights, applies: impl Fn(Feature) -> bool) -> Self {
        let mut shares = Values::default();
        let mut used = [true; Feature::ALL.len()];
        let mut sum = 0.0;
        for (at, ((share, used), feature)) in shares.iter_mut().zip(&mut used).zip(Feature::ALL).enumerate() {
            *share = feature.weight(weights);
            if at < Feature::RELEVANCE {
                *used = applies(feature);
                *share = if *used { *share } else { 0.0 };
                sum += *share;
            }
        }
        if sum > 0.0 {
            shares.iter_mut().take(Feature::RELEVANCE).for_each(|share| *share /= sum);
        }
        Self { shares, applies: used }
    }

    /// `relevance x (1 - sum of prior shares x (1 - value))`: from 0 to 1, and comparable between questions and sizes.
    pub(crate) fn score(&self, values: &Values) -> f32 {
        let relevance = self.relevance(values);
        (relevance - self.costs(values).map(|cost| cost * relevance).sum::<f32>()).clamp(0.0, 1.0)
    }

    /// Whether the question can use a feature.
    pub(crate) fn applies(&self, feature: Feature) -> bool {
        Feature::ALL.into_iter().zip(self.applies).any(|(each, applies)| each == feature && applies)
    }

    fn relevance(&self, values: &Values) -> f32 {
        values.iter().zip(&self.shares).take(Feature::RELEVANCE).map(|(value, share)| value * share).sum()
    }

    /// The share of relevance that each prior costs.
    fn costs<'a>(&'a self, values: &'a Values) -> impl Iterator<Item = f32> + 'a {
        values.iter().zip(&self.shares).skip(Feature::RELEVANCE).map(|(value, share)| share * (1.0 - value))
    }

    /// What each feature did; the contributions sum to the score.
    pub(crate) fn parts(&self, values: &Values) -> Vec<Part> {
        let relevance = self.relevance(values);
        let gains = values.iter().zip(&self.shares).take(Feature::RELEVANCE).map(|(value, share)| value * share);
        let contributions = gains.chain(self.costs(values).map(|cost| -cost * relevance));
        let rows = Feature::ALL.into_iter().zip(self.applies).zip(values).zip(contributions);
        rows.map(|(((feature, applies), value), contribution)| Part {
            feature,
            value: applies.then_some(*value),
            contribution,
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn contributions_sum_to_a_score_between_0_and_1(
            values in proptest::array::uniform11(0.0_f32..=1.0),
            mask in proptest::array::uniform7(any::<bool>()),
        ) {
            let weights = Weights::default();
            let fusion = Fusion::new(&weights, |f| mask[Feature::ALL.iter().position(|g| *g == f).unwrap()]);
            let score = fusion.score(&values);
            prop_assert!((0.0..=1.0).contains(&score));
            let sum: f32 = fusion.parts(&values).iter().map(|p| p.contribution).sum();
            prop_assert!((sum - score).abs() < 1e-5, "{sum} {score}");
        }
    }

    #[test]
    fn what_does_not_apply_gives_its_weight_to_the_others() {
        let all = [1.0; 11];
        let only_words =
            Fusion::new(&Weights::default(), |f| matches!(f, Feature::Text | Feature::Window | Feature::Context));
        assert!((only_words.score(&all) - 1.0).abs() < 1e-6);
        assert_eq!(only_words.parts(&all)[0].value, None);
    }

    #[test]
    fn a_memory_that_is_no_longer_true_loses_its_share() {
        let weights = Weights { validity: 0.3, importance: 0.0, recency: 0.0, usage: 0.0, ..Weights::default() };
        let fusion = Fusion::new(&weights, |_| true);
        let mut values = [1.0; 11];
        values[10] = 0.0;
        assert!((fusion.score(&values) - 0.7).abs() < 1e-6);
    }
}
