use annals_types::profile::{RecallMode, RecallSettings, Weights};
use annals_types::{Filter, InvalidValue, MemoryId, Timestamp, UnitScore};
use serde::{Deserialize, Serialize};

use crate::{Feature, Times};

/// The most hits that one query may ask for.
pub const MAX_TOP_K: u32 = 10_000;

/// A question to the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// The question, or the message that is to be answered.
    pub text: String,
    /// Recent messages before it, oldest first; they help where the question says only "it" or
    /// "there".
    pub context: Vec<String>,
    /// Which memories may answer.
    pub filter: Filter,
    /// The most hits wanted; the profile's number when `None`.
    pub top_k: Option<u32>,
    /// The least score of a hit; the profile's when `None`.
    pub min_score: Option<UnitScore>,
    /// How much likeness to better hits counts against a hit; the profile's when `None`.
    pub diversity: Option<UnitScore>,
    /// Answer from what was stored, with the status it had, at this moment.
    pub as_of: Option<Timestamp>,
    /// The moment of the question, from which "yesterday" counts; the clock's when `None`.
    pub asked_at: Option<Timestamp>,
    /// The times in the question; `annals` finds them in the words when `None`, this crate alone
    /// then knows of none.
    pub times: Option<Times>,
    /// Whether the graph is followed; as the profile says when `None`.
    pub mode: Option<RecallMode>,
    /// Steps over the graph, at most the profile's `graph.expand.max_depth`; 0 for none. As the
    /// mode says when `None`.
    pub expand_depth: Option<u32>,
    /// Relations of links that are followed, and nothing else; as the mode says when `None`.
    pub relations: Option<Vec<String>>,
    /// Whether the hits are put into a prompt: nothing where probably nothing answers, else only
    /// those near the best that say something, each thing once (`inject` of the profile).
    #[serde(default)]
    pub for_prompt: bool,
    /// A memory whose absence from the answer is to be explained.
    pub why_not: Option<MemoryId>,
    /// Weights to try in place of the profile's. Those of relevance are scaled to sum to 1; with
    /// the fusion `sum` all of them are.
    #[serde(default)]
    pub weights: Option<Weights>,
}

impl Query {
    /// A question with the profile's settings.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            context: Vec::new(),
            filter: Filter::default(),
            top_k: None,
            min_score: None,
            diversity: None,
            as_of: None,
            asked_at: None,
            times: None,
            mode: None,
            expand_depth: None,
            relations: None,
            for_prompt: false,
            why_not: None,
            weights: None,
        }
    }

    /// Adds a recent message, oldest first.
    #[must_use]
    pub fn context(mut self, message: impl Into<String>) -> Self {
        self.context.push(message.into());
        self
    }

    /// Restricts which memories may answer.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = filter;
        self
    }

    /// The most hits wanted, 1 to [`MAX_TOP_K`].
    #[must_use]
    pub const fn top_k(mut self, top_k: u32) -> Self {
        self.top_k = Some(top_k);
        self
    }

    /// The least score of a hit.
    #[must_use]
    pub const fn min_score(mut self, score: UnitScore) -> Self {
        self.min_score = Some(score);
        self
    }

    /// How much likeness to better hits counts against a hit.
    #[must_use]
    pub const fn diversity(mut self, weight: UnitScore) -> Self {
        self.diversity = Some(weight);
        self
    }

    /// Answer from what was stored at this moment.
    #[must_use]
    pub const fn as_of(mut self, moment: Timestamp) -> Self {
        self.as_of = Some(moment);
        self
    }

    /// The moment of the question.
    #[must_use]
    pub const fn asked_at(mut self, moment: Timestamp) -> Self {
        self.asked_at = Some(moment);
        self
    }

    /// Whether the graph is followed.
    #[must_use]
    pub const fn mode(mut self, mode: RecallMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Steps over the graph; 0 for none.
    #[must_use]
    pub const fn expand_depth(mut self, steps: u32) -> Self {
        self.expand_depth = Some(steps);
        self
    }

    /// Follows links of this relation, and of others named in the same way, and nothing else.
    #[must_use]
    pub fn relation(mut self, name: impl Into<String>) -> Self {
        self.relations.get_or_insert_default().push(name.into());
        self
    }

    /// The messages before the question that a profile looks at.
    pub(crate) fn recent(&self, settings: &RecallSettings) -> &[String] {
        let wanted = usize::try_from(settings.context_messages).unwrap_or(usize::MAX);
        self.context
            .get(self.context.len().saturating_sub(wanted)..)
            .unwrap_or_default()
    }

    /// Tries other weights than those of the profile.
    #[must_use]
    pub const fn weights(mut self, weights: Weights) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Asks why this memory is not among the hits.
    #[must_use]
    pub const fn why_not(mut self, id: MemoryId) -> Self {
        self.why_not = Some(id);
        self
    }

    /// Checks the question before any work is done.
    ///
    /// # Errors
    /// [`InvalidValue`] when the text is empty or longer than a memory may be, `top_k` is out of
    /// range, or weights are none.
    pub fn check(&self) -> Result<(), InvalidValue> {
        if self.text.trim().is_empty() {
            return Err(InvalidValue::Empty { field: "query" });
        }
        let bytes = self.text.len() + self.context.iter().map(String::len).sum::<usize>();
        if bytes > annals_types::MAX_TEXT_BYTES {
            return Err(InvalidValue::TooLong {
                field: "query",
                bytes,
                limit: annals_types::MAX_TEXT_BYTES,
            });
        }
        if let Some(weights) = &self.weights {
            for feature in Feature::ALL {
                let weight = feature.weight(weights);
                if !(0.0..=1.0).contains(&weight) {
                    let value = f64::from(weight);
                    return Err(InvalidValue::OutOfRange {
                        field: "weights",
                        value,
                        min: 0.0,
                        max: 1.0,
                    });
                }
            }
            if weights.relevance() <= 0.0 {
                return Err(InvalidValue::Empty { field: "weights" });
            }
        }
        if let Some(top_k) = self.top_k
            && !(1..=MAX_TOP_K).contains(&top_k)
        {
            return Err(InvalidValue::OutOfRange {
                field: "top_k",
                value: f64::from(top_k),
                min: 1.0,
                max: f64::from(MAX_TOP_K),
            });
        }
        Ok(())
    }
}

impl From<&str> for Query {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Query {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}
