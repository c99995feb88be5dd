//! How a question is searched for: planned by a model where the profile wants one, else by rules.

use std::collections::BTreeMap;

use annals_language::Zone;
use annals_recall::{Query, QueryPlan};
use annals_types::profile::{Planner, Profile, RecallMode};
use tracing::instrument;

use crate::handles::GraphDesign;
use crate::{Answer, Error};

impl GraphDesign {
    #[instrument(level = "debug", skip_all, fields(namespace = %self.space.name))]
    pub(crate) fn plan_query(&self, question: &str, context: &BTreeMap<String, String>) -> Result<QueryPlan, Error> {
        let compiled = self.space.compiled_profile()?;
        let profile = &compiled.settings;
        let by_rules = || QueryPlan::by_rules(question, profile);
        let Some(model) = self.space.engine.models.model.as_ref().filter(|_| profile.recall.planner == Planner::Model)
        else {
            return Ok(by_rules());
        };
        let date = Zone::named(&profile.time.zone)?.date(self.space.engine.now());
        let analyst = self.space.engine.models.analyst(std::sync::Arc::clone(model), &compiled);
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

    pub(crate) fn retrieve(
        &self,
        question: &str,
        context: &BTreeMap<String, String>,
        mode: &str,
    ) -> Result<Answer, Error> {
        let mode: RecallMode = mode.parse()?;
        let planned = self.plan_query(question, context)?.query(&self.space.compiled_profile()?.settings)?;
        let mode = if mode == RecallMode::Auto { planned.mode } else { Some(mode) };
        self.space.answer(Query { mode, ..planned })
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
