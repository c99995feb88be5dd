//! Whether a question is to follow the graph, and how: by rules, or as a model planned it.

use std::collections::BTreeSet;

use annals_text::Analyzer;
use annals_types::profile::{ExpandSettings, GraphSettings, Profile, RecallMode, RelationClass};
use annals_types::{Filter, InvalidValue, Kind};
use serde::{Deserialize, Serialize};

use crate::{Query, RecallError};

/// How a question is to be searched for. Made by [`by_rules`](Self::by_rules), or by a model that
/// answers in this form.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QueryPlan {
    /// The words to search for.
    pub semantic_query: String,
    /// Kinds of memories; all when empty.
    pub memory_types: Vec<String>,
    /// Names of those whom the memories are about, which are looked for besides what the question
    /// says.
    pub subject_includes: Vec<String>,
    /// Steps over the graph; 0 when nothing is said of it.
    pub expand_depth: u32,
    /// Relations to be followed; all when `None`. Those of the same classes are followed too.
    pub relation_filters: Option<Vec<String>>,
    /// Whether the graph is followed.
    pub search_mode: RecallMode,
}

impl QueryPlan {
    /// The plan of a question by the words of the profile: one step by causes where it asks for
    /// one, one step by anything where it asks for what belongs together, and nothing special
    /// otherwise.
    #[must_use]
    pub fn by_rules(question: &str, profile: &Profile) -> Self {
        let expand = &profile.recall.expand;
        let (expand_depth, relation_filters) = match WordIntent::of(question, expand) {
            Some(WordIntent::Cause(_)) => (expand.depth, Some(cause_relations(profile))),
            Some(WordIntent::Relation(_)) => (expand.depth, None),
            None => (0, None),
        };
        Self {
            semantic_query: question.to_owned(),
            expand_depth,
            relation_filters,
            ..Self::default()
        }
    }

    /// The question that this plan asks.
    ///
    /// # Errors
    /// [`InvalidValue`] for a kind that cannot be one.
    pub fn query(&self, profile: &Profile) -> Result<Query, InvalidValue> {
        let kinds = self
            .memory_types
            .iter()
            .map(|kind| Kind::new(kind.as_str()))
            .collect::<Result<_, _>>()?;
        let missing = self
            .subject_includes
            .iter()
            .filter(|name| !self.semantic_query.contains(name.as_str()));
        let text = std::iter::once(&self.semantic_query)
            .chain(missing)
            .map(String::as_str)
            .collect::<Vec<_>>();
        Ok(Query {
            filter: Filter {
                kinds,
                ..Filter::default()
            },
            mode: Some(self.search_mode),
            expand_depth: (self.expand_depth > 0).then_some(self.expand_depth),
            relations: self
                .relation_filters
                .as_ref()
                .map(|names| alike(names, &profile.graph)),
            ..Query::new(text.join(" "))
        })
    }
}

/// Why the graph is followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
#[non_exhaustive]
pub enum Trigger {
    /// The query, or the profile, says so.
    Asked,
    /// The question asks for a cause.
    CauseWord {
        /// By this word.
        word: String,
    },
    /// The question asks for what belongs together.
    RelationWord {
        /// By this word.
        word: String,
    },
    /// Nothing answers well.
    LowSimilarity {
        /// The best likeness in meaning, 0 to 1.
        best: f32,
    },
}

/// The kind of answer that a word of the question asks for.
enum WordIntent<'a> {
    Cause(&'a str),
    Relation(&'a str),
}

impl<'a> WordIntent<'a> {
    fn of(question: &str, expand: &'a ExpandSettings) -> Option<Self> {
        let folded = question.to_lowercase();
        let words: BTreeSet<String> = Analyzer::new().words(question).into_iter().collect();
        let holds = |word: &&String| {
            let whole = word.is_ascii() && !word.contains(' ');
            if whole {
                words.contains(word.as_str())
            } else {
                folded.contains(word.as_str())
            }
        };
        let cause = expand
            .cause_words
            .iter()
            .find(holds)
            .map(|word| Self::Cause(word));
        cause.or_else(|| {
            expand
                .relation_words
                .iter()
                .find(holds)
                .map(|word| Self::Relation(word))
        })
    }
}

/// How one question follows the graph.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) mode: RecallMode,
    /// Steps; 0 for none beyond what the question names.
    pub(crate) depth: u32,
    pub(crate) trigger: Option<Trigger>,
    /// Whether the question asks for a cause, whatever it is followed for.
    pub(crate) causal: bool,
    /// The relations followed; all when `None`.
    pub(crate) relations: Option<Vec<String>>,
    pub(crate) notes: Vec<String>,
}

impl Decision {
    /// `best` is the greatest likeness in meaning among the first hits, `None` without vectors or
    /// hits.
    pub(crate) fn of(
        query: &Query,
        profile: &Profile,
        best: Option<f32>,
    ) -> Result<Self, RecallError> {
        let expand = &profile.recall.expand;
        let mode = query.mode.unwrap_or(expand.mode);
        let limit = profile.graph.expand.max_depth;
        let given = query
            .relations
            .as_ref()
            .map(|names| known(names, &profile.graph))
            .transpose()?;
        let asks = WordIntent::of(&query.text, expand);
        let causal = matches!(asks, Some(WordIntent::Cause(_)));
        let mut decision = Self {
            mode,
            depth: 0,
            trigger: None,
            causal,
            relations: given,
            notes: Vec::new(),
        };
        let trigger = match (mode, query.expand_depth) {
            (RecallMode::Fast, _) | (_, Some(0)) => None,
            (RecallMode::Deep, _) | (_, Some(_)) => Some(Trigger::Asked),
            _ => decision.infer(asks, profile, best),
        };
        if trigger.is_some() {
            let asked = query.expand_depth.unwrap_or(expand.depth);
            decision.depth = asked.min(limit);
            if query.expand_depth.is_some() && asked > limit {
                decision
                    .notes
                    .push(format!("expand_depth {asked} is treated as {limit}"));
            }
        }
        decision.trigger = trigger;
        Ok(decision)
    }

    fn infer(
        &mut self,
        asks: Option<WordIntent<'_>>,
        profile: &Profile,
        best: Option<f32>,
    ) -> Option<Trigger> {
        let expand = &profile.recall.expand;
        match asks {
            Some(WordIntent::Cause(word)) => {
                self.relations
                    .get_or_insert_with(|| alike(&cause_relations(profile), &profile.graph));
                Some(Trigger::CauseWord {
                    word: word.to_owned(),
                })
            }
            Some(WordIntent::Relation(word)) => Some(Trigger::RelationWord {
                word: word.to_owned(),
            }),
            None => best
                .filter(|best| expand.min_similarity - *best > f32::EPSILON)
                .map(|best| Trigger::LowSimilarity { best }),
        }
    }
}

/// Names that stand for causes.
fn cause_relations(profile: &Profile) -> Vec<String> {
    let named = &profile.recall.expand.cause_relations;
    if !named.is_empty() {
        return named.clone();
    }
    let rules = profile
        .graph
        .relations
        .iter()
        .filter(|rule| rule.class == RelationClass::Causality);
    rules.map(|rule| rule.name.clone()).collect()
}

/// All relations of the classes that some have: what was found to be a cause is one, whatever it is
/// called.
fn alike(names: &[String], settings: &GraphSettings) -> Vec<String> {
    let rules = || settings.relations.iter();
    let classes: BTreeSet<RelationClass> = rules()
        .filter(|rule| names.contains(&rule.name))
        .map(|rule| rule.class)
        .collect();
    let alike = rules()
        .filter(|rule| classes.contains(&rule.class))
        .map(|rule| rule.name.clone());
    alike.collect()
}

/// The names under which some relations are stored.
fn known(names: &[String], settings: &GraphSettings) -> Result<Vec<String>, RecallError> {
    names
        .iter()
        .map(|name| Ok(annals_graph::relation(settings, name)?.name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(query: &Query, best: Option<f32>) -> (u32, Option<Trigger>) {
        let mut profile = Profile::default();
        profile.recall.expand.min_similarity = 0.7;
        let decision = Decision::of(query, &profile, best).unwrap();
        (decision.depth, decision.trigger)
    }

    #[test]
    fn words_are_looked_for_as_words_and_characters_anywhere() {
        let word = |question: &str| decide(&question.into(), Some(1.0)).1;
        assert_eq!(
            word("Why did I move?"),
            Some(Trigger::CauseWord { word: "why".into() })
        );
        assert_eq!(
            word("What led to it?"),
            Some(Trigger::CauseWord {
                word: "led to".into()
            })
        );
        assert_eq!(
            word("我为什么今天不开心？"),
            Some(Trigger::CauseWord {
                word: "为什么".into()
            })
        );
        assert_eq!(
            word("和小明有关的记忆"),
            Some(Trigger::RelationWord {
                word: "有关".into()
            })
        );
        assert_eq!(word("the whyte house"), None);
    }

    #[test]
    fn a_plan_of_a_model_is_read_with_its_defaults() {
        let plan: QueryPlan =
            serde_json::from_str(r#"{"semantic_query":"散步","memory_types":["事件"]}"#).unwrap();
        assert_eq!(plan.expand_depth, 0);
        let query = plan.query(&Profile::default()).unwrap();
        assert_eq!(
            (
                query.expand_depth,
                query.relations,
                query.filter.kinds.len()
            ),
            (None, None, 1)
        );
    }
}
