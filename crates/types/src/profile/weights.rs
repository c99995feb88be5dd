//! The weights of the features of recall.

use serde::{Deserialize, Serialize};

use super::check::share;
use super::{BadProfile, Fusion};

/// The weights of recall features. Those of relevance sum to 1; each prior says what share of
/// what is left it can cost. With the fusion [`Sum`](Fusion::Sum) all of them sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Relevance: cosine of the question and the memory by itself.
    #[serde(default)]
    pub own: f32,
    /// Relevance: cosine of the question and the window of the memory.
    pub dense: f32,
    /// Relevance: BM25 of the memory's own text and reply.
    pub text: f32,
    /// Relevance: BM25 of the memory with the turns beside it.
    pub window: f32,
    /// Relevance: BM25 of the surroundings of the memory in its session.
    pub context: f32,
    /// Relevance: the question names the speaker.
    pub speaker: f32,
    /// Relevance: the question names a time that fits.
    pub time: f32,
    /// Relevance: the question asks for a time and the memory speaks of one.
    pub asks_time: f32,
    /// Relevance: how well the question fits that the memory answers.
    #[serde(default)]
    pub answers: f32,
    /// Relevance: how near it is in the graph to what the question names, or to what answers it.
    pub graph: f32,
    /// Prior: importance.
    pub importance: f32,
    /// Prior: how recent it is.
    pub recency: f32,
    /// Prior: how often it was of use.
    pub usage: f32,
    /// Prior: whether it is still true.
    pub validity: f32,
    /// Prior: how sure it is.
    pub confidence: f32,
    /// Prior: whether a person said it, and not an assistant.
    #[serde(default)]
    pub role: f32,
    /// Prior: whether it says more than a question.
    #[serde(default)]
    pub tells: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            // Fitted with the loss of tools/fit_weights.py without a graph, scaled to leave the
            // graph its share (a question without a graph scales them back) and rounded. The fit of
            // `role` is 0.64, from one family alone; 0.5 finds as much there and more in prompts.
            // That of `time` is 0.086; the sets find as much with half as much again, and days are
            // found without words.
            own: 0.133,
            dense: 0.067,
            text: 0.154,
            window: 0.11,
            context: 0.118,
            speaker: 0.108,
            time: 0.131,
            asks_time: 0.045,
            answers: 0.084,
            graph: 0.05,
            importance: 0.02,
            recency: 0.01,
            usage: 0.01,
            validity: 0.3,
            confidence: 0.0,
            role: 0.5,
            tells: 0.5,
        }
    }
}

impl Weights {
    /// The weights of relevance, with their names.
    const fn relevance_mut(&mut self) -> [(&'static str, &mut f32); 10] {
        [
            ("own", &mut self.own),
            ("dense", &mut self.dense),
            ("text", &mut self.text),
            ("window", &mut self.window),
            ("context", &mut self.context),
            ("speaker", &mut self.speaker),
            ("time", &mut self.time),
            ("asks_time", &mut self.asks_time),
            ("answers", &mut self.answers),
            ("graph", &mut self.graph),
        ]
    }

    /// The weights of priors, with their names.
    const fn priors_mut(&mut self) -> [(&'static str, &mut f32); 7] {
        [
            ("importance", &mut self.importance),
            ("recency", &mut self.recency),
            ("usage", &mut self.usage),
            ("validity", &mut self.validity),
            ("confidence", &mut self.confidence),
            ("role", &mut self.role),
            ("tells", &mut self.tells),
        ]
    }

    /// The sum of the weights of relevance.
    #[must_use]
    pub fn relevance(mut self) -> f32 {
        sum(&self.relevance_mut())
    }

    /// The weights scaled so that they sum as a fusion wants it: those of relevance to 1, with
    /// [`Fusion::Sum`] all of them. Weights without any relevance stay as they are.
    #[must_use]
    pub fn scaled(mut self, fusion: Fusion) -> Self {
        let (relevance, with_priors) = (self.relevance(), fusion == Fusion::Sum);
        if relevance <= 0.0 {
            return self;
        }
        let whole = if with_priors {
            relevance + sum(&self.priors_mut())
        } else {
            relevance
        };
        for (_, weight) in self.relevance_mut() {
            *weight /= whole;
        }
        if with_priors {
            for (_, weight) in self.priors_mut() {
                *weight /= whole;
            }
        }
        self
    }

    /// How far the sum of the weights of relevance may be from 1.
    const TOLERANCE: f32 = 1e-6;

    pub(super) fn check(mut self, fusion: Fusion) -> Result<(), BadProfile> {
        let (relevance, priors) = (self.relevance(), sum(&self.priors_mut()));
        let each =
            |(name, weight): (&str, &mut f32)| share(&format!("recall.weights.{name}"), *weight);
        self.relevance_mut().into_iter().try_for_each(each)?;
        self.priors_mut().into_iter().try_for_each(each)?;
        let is_one = |sum: f32| (sum - 1.0).abs() <= Self::TOLERANCE;
        let bad = |reason| Err(BadProfile::new("recall.weights", reason));
        match fusion {
            Fusion::Sum if !is_one(relevance + priors) => bad(format!(
                "the weights sum to {:.6}; with the fusion \"sum\" they must sum to 1",
                relevance + priors
            )),
            Fusion::Sum => Ok(()),
            _ if !is_one(relevance) => bad(format!(
                "the weights of relevance (own to graph) sum to {relevance:.6}; they must sum to 1"
            )),
            _ => Ok(()),
        }
    }
}

fn sum(weights: &[(&str, &mut f32)]) -> f32 {
    weights.iter().map(|(_, weight)| **weight).sum()
}
