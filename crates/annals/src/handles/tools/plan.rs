//! How a question is searched for: planned by a model where the profile wants one, else by rules.

use std::collections::{BTreeMap, BTreeSet};

use annals_language::Zone;
use annals_language::names::normalise;
use annals_recall::{Query, QueryPlan};
use annals_types::MemoryId;
use annals_types::profile::{Planner, Profile, RecallMode};
use tracing::instrument;

use crate::handles::GraphDesign;
use crate::{Answer, Error};

impl GraphDesign {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn plan_query(
        &self,
        question: &str,
        context: &BTreeMap<String, String>,
    ) -> Result<QueryPlan, Error> {
        let compiled = self.space.compiled_profile()?;
        let profile = &compiled.settings;
        let by_rules = || QueryPlan::by_rules(question, profile);
        let Some(model) = self
            .space
            .engine
            .models
            .model
            .as_ref()
            .filter(|_| profile.recall.planner == Planner::Model)
        else {
            return Ok(by_rules());
        };
        let date = Zone::named(&profile.time.zone)?.date(self.space.engine.now());
        let analyst = self
            .space
            .engine
            .models
            .analyst(std::sync::Arc::clone(model), &compiled);
        let answer = analyst.plan(question, context, (&date, profile.graph.expand.max_depth));
        // What the model answered speaks of what was asked: a log has no business with it.
        let plan = answer
            .map_err(|error| error.without_answer())
            .and_then(|text| {
                let what = |error: serde_json::Error| {
                    format!("no plan: {:?} in line {}", error.classify(), error.line())
                };
                serde_json::from_str::<QueryPlan>(&text).map_err(what)
            });
        Ok(match plan {
            Ok(plan) => known(plan, question, profile),
            Err(error) => {
                tracing::warn!(
                    error = compiled.redacted(error),
                    "the question is planned by rules"
                );
                by_rules()
            }
        })
    }

    pub(crate) fn retrieve(
        &self,
        question: &str,
        context: &BTreeMap<String, String>,
        mode: &str,
    ) -> Result<Answer, Error> {
        let mode: RecallMode = mode.parse()?;
        let plan = self.plan_query(question, context)?;
        let planned = plan.query(&self.space.compiled_profile()?.settings)?;
        let mode = if mode == RecallMode::Auto {
            planned.mode
        } else {
            Some(mode)
        };
        self.answer_about(&plan.subject_includes, Query { mode, ..planned })
    }

    /// The answer to a question, kept to memories about some subjects; about any where none is
    /// named. More hits are asked for until there are as many of these subjects as the question
    /// wants, or no more at all.
    pub(crate) fn answer_about(&self, subjects: &[String], query: Query) -> Result<Answer, Error> {
        let subjects: BTreeSet<String> = subjects.iter().map(|name| normalise(name)).collect();
        if subjects.is_empty() {
            return self.space.answer(query);
        }
        let wanted = query
            .top_k
            .unwrap_or(self.space.compiled_profile()?.settings.recall.top_k);
        let most = usize::try_from(wanted).unwrap_or(usize::MAX);
        let mut asked = wanted.max(1);
        loop {
            asked = asked.saturating_mul(MORE).min(MOST_HITS.max(wanted));
            let mut answer = self.space.answer(Query {
                top_k: Some(asked),
                ..query.clone()
            })?;
            let all = answer.hits.len();
            let mut about = Vec::with_capacity(all);
            for hit in std::mem::take(&mut answer.hits) {
                if self
                    .subject(hit.id)?
                    .is_some_and(|subject| subjects.contains(&subject))
                {
                    about.push(hit);
                }
            }
            let last = u32::try_from(all).is_ok_and(|all| all < asked) || asked >= MOST_HITS;
            if about.len() >= most || last {
                about.truncate(most);
                answer.hits = about;
                return Ok(answer);
            }
        }
    }

    /// The name of whom a memory is about.
    fn subject(&self, id: MemoryId) -> Result<Option<String>, Error> {
        let memory = self.record(id)?.memory;
        let node = memory
            .nodes
            .iter()
            .find(|node| Some(node.id) == memory.subject_id);
        Ok(node.map(|node| normalise(&node.content)))
    }
}

/// How many times as many hits are asked for as before, where too few are about the subjects of a
/// plan.
const MORE: u32 = 4;

/// The most hits that are looked through for their subjects.
const MOST_HITS: u32 = 400;

/// A plan without words that the profile does not know; a plan that asks nothing asks the question.
fn known(mut plan: QueryPlan, question: &str, profile: &Profile) -> QueryPlan {
    if plan.semantic_query.trim().is_empty() {
        question.clone_into(&mut plan.semantic_query);
    }
    let kinds = &profile.taxonomy.kinds;
    plan.memory_types
        .retain(|name| kinds.is_empty() || kinds.iter().any(|kind| kind.id == *name));
    if let Some(names) = &mut plan.relation_filters {
        names.retain(|name| {
            profile
                .graph
                .relations
                .iter()
                .any(|rule| rule.name == *name)
        });
    }
    plan.relation_filters = plan.relation_filters.filter(|names| !names.is_empty());
    plan.expand_depth = plan.expand_depth.min(profile.graph.expand.max_depth);
    plan
}
