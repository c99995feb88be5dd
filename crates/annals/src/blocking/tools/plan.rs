//! How a question is searched for: planned by a model where the profile wants one, else by rules.

use std::collections::BTreeMap;

use annals_extraction::{Analyst, Zone};
use annals_recall::{Query, QueryPlan};
use annals_types::profile::{Planner, Profile, RecallMode};
use tracing::instrument;

use super::super::Namespace;
use crate::{Answer, Error};

impl Namespace {
    /// How a question is to be searched for. Where the profile wants a model to plan and there is one, it is asked, with what is known of
    /// the conversation, by name; without it, or when it answers what is no plan, the words of the profile decide.
    ///
    /// # Errors
    /// When the file cannot be read.
    #[instrument(level = "debug", skip_all, fields(namespace = %self.name))]
    pub fn plan_query(&self, question: &str, context: &BTreeMap<String, String>) -> Result<QueryPlan, Error> {
        let compiled = self.compiled_profile()?;
        let profile = &compiled.settings;
        let by_rules = || QueryPlan::by_rules(question, profile);
        let Some(model) = self.engine.model.as_ref().filter(|_| profile.recall.planner == Planner::Model) else {
            return Ok(by_rules());
        };
        let date = Zone::named(&profile.time.zone)?.date(self.engine.now());
        let analyst = Analyst::new(std::sync::Arc::clone(model), profile).filtered_by(compiled.filter.clone());
        let answer = analyst.plan(question, context, (&date, profile.graph.expand.max_depth));
        // What the model answered speaks of what was asked: a log has no business with it.
        let plan = answer.map_err(|error| error.without_answer()).and_then(|text| {
            let what = |error: serde_json::Error| format!("no plan: {:?} in line {}", error.classify(), error.line());
            serde_json::from_str::<QueryPlan>(&text).map_err(what)
        });
        Ok(match plan {
            Ok(plan) => known(plan, question, profile),
            Err(error) => {
                tracing::warn!(error = compiled.redacted(error), "the question is planned by rules");
                by_rules()
            }
        })
    }

    /// Plans a question and answers it: `context` is what is known of the conversation, by name, `mode` is `auto`, `fast` or `deep` and
    /// says whether the graph is followed; with `auto` the plan decides.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) for another mode; or as [`answer`](Self::answer).
    pub fn retrieve(&self, question: &str, context: &BTreeMap<String, String>, mode: &str) -> Result<Answer, Error> {
        let mode: RecallMode = mode.parse()?;
        let planned = self.plan_query(question, context)?.query(&self.compiled_profile()?.settings)?;
        let mode = if mode == RecallMode::Auto { planned.mode } else { Some(mode) };
        self.answer(Query { mode, ..planned })
    }
}

/// A plan without words that the profile does not know; a plan that asks nothing asks the question.
fn known(mut plan: QueryPlan, question: &str, profile: &Profile) -> QueryPlan {
    if plan.semantic_query.trim().is_empty() {
        question.clone_into(&mut plan.semantic_query);
    }
    let kinds = &profile.taxonomy.kinds;
    plan.memory_types.retain(|name| kinds.is_empty() || kinds.iter().any(|kind| kind.id == *name));
    if let Some(names) = &mut plan.relation_filters {
        names.retain(|name| profile.graph.relations.iter().any(|rule| rule.name == *name));
    }
    plan.relation_filters = plan.relation_filters.filter(|names| !names.is_empty());
    plan.expand_depth = plan.expand_depth.min(profile.graph.expand.max_depth);
    plan
}
