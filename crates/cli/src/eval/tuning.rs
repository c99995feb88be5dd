use annals::Feature;
use annals::profile::{Profile, Weights};

use crate::failure::Failure;
use crate::texts::text;

/// From which sizes on indexes are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thresholds {
    Default,
    /// At once.
    Zero,
    /// Never.
    Max,
}

impl Thresholds {
    pub(crate) fn apply(self, profile: &mut Profile) {
        let size = match self {
            Self::Default => return,
            Self::Zero => 0,
            Self::Max => u32::MAX,
        };
        profile.text.fold_above_rows = size;
        profile.vector.exact_up_to_rows = size;
        profile.vector.tail_up_to_rows = size;
    }
}

/// Makes a feature count nothing.
pub(crate) fn leave_out(feature: Feature, weights: &mut Weights) -> Result<(), Failure> {
    let weight = match feature {
        Feature::Own => &mut weights.own,
        Feature::Dense => &mut weights.dense,
        Feature::Text => &mut weights.text,
        Feature::Window => &mut weights.window,
        Feature::Context => &mut weights.context,
        Feature::Speaker => &mut weights.speaker,
        Feature::Time => &mut weights.time,
        Feature::AsksTime => &mut weights.asks_time,
        Feature::Importance => &mut weights.importance,
        Feature::Recency => &mut weights.recency,
        Feature::Usage => &mut weights.usage,
        Feature::Validity => &mut weights.validity,
        Feature::Graph => &mut weights.graph,
        Feature::Confidence => &mut weights.confidence,
        Feature::Role => &mut weights.role,
        Feature::Tells => &mut weights.tells,
        Feature::Answers => &mut weights.answers,
        other => {
            return Err(Failure::invalid(text!(
                "eval-not-left-out",
                feature = other.as_str()
            )));
        }
    };
    *weight = 0.0;
    // The weights of relevance sum to 1. Scaling them changes no ranking.
    let relevance = [
        &mut weights.own,
        &mut weights.dense,
        &mut weights.text,
        &mut weights.window,
        &mut weights.context,
        &mut weights.speaker,
        &mut weights.time,
        &mut weights.asks_time,
        &mut weights.answers,
        &mut weights.graph,
    ];
    let sum: f32 = relevance.iter().map(|weight| **weight).sum();
    if sum <= 0.0 {
        return Err(Failure::invalid(text!("eval-none-left")));
    }
    for weight in relevance {
        *weight /= sum;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_can_be_left_out() {
        for feature in Feature::ALL {
            let mut profile = Profile::default();
            let zeros = |weights: &Weights| {
                Feature::ALL
                    .into_iter()
                    .filter(|each| each.weight(weights) == 0.0)
                    .count()
            };
            let before = zeros(&profile.recall.weights);
            let had = feature.weight(&profile.recall.weights) > 0.0;
            leave_out(feature, &mut profile.recall.weights).unwrap();
            assert_eq!(feature.weight(&profile.recall.weights), 0.0);
            assert_eq!(zeros(&profile.recall.weights), before + usize::from(had));
            profile.check().unwrap();
        }
    }
}
