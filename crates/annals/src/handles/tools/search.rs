//! `search_memories`: planned, then searched by meaning and over the graph.

use annals_extraction::tools::{SearchMemories, shown_word};
use annals_recall::{Nearness, Query, Route};
use annals_types::{Filter, InvalidValue, Kind, Layer, MemoryId, TimeRange, Timestamp};
use serde_json::{Value, json};

use crate::handles::tools::link::edge_type;
use crate::handles::tools::{Invocation, shown};
use crate::{Error, Hit, ToolReply};

impl Invocation<'_> {
    pub(super) fn search(&self, call: &SearchMemories) -> Result<ToolReply, Error> {
        let bound = |field: &str, words: &Option<String>, end: bool| match words {
            None => Ok(None),
            Some(words) => self
                .moment(words, end)
                .map(Some)
                .ok_or_else(|| self.bad(field, "call-no-time")),
        };
        let (start, end) = match (
            bound("time_range.start", &call.start, false),
            bound("time_range.end", &call.end, true),
        ) {
            (Ok(start), Ok(end)) => (start, end),
            (Err(bad), _) | (_, Err(bad)) => return Ok(bad),
        };
        let Ok(time) = TimeRange::new(start, end) else {
            return Ok(self.bad("time_range", "call-range-ends-early"));
        };
        let (planned, subjects) = self.planned(&call.query)?;
        let said: Result<Vec<Kind>, InvalidValue> =
            call.memory_types.iter().map(Kind::new).collect();
        let kinds = if call.memory_types.is_empty() {
            planned.filter.kinds.clone()
        } else {
            said?
        };
        let query = Query {
            filter: Filter {
                kinds,
                time,
                layers: remembered(),
                ..Filter::default()
            },
            top_k: Some(call.max_results),
            expand_depth: call.expand_depth.or(planned.expand_depth),
            asked_at: Some(self.said.at),
            ..planned
        };
        let answer = self
            .space
            .designs()
            .graph()
            .answer_about(&subjects, query)?;
        let ids: Vec<MemoryId> = answer.hits.iter().map(|hit| hit.id).collect();
        self.returned(&ids)?;
        let results: Vec<Value> = answer.hits.iter().map(|hit| self.found(hit)).collect();
        let mut notes = self.notes.clone();
        notes.extend(answer.graph.map(|graph| graph.notes).unwrap_or_default());
        Ok(ToolReply::done(
            json!({ "count": results.len(), "results": results }),
            &notes,
        ))
    }

    /// The question as it is planned, and the subjects that its answers are about.
    fn planned(&self, question: &str) -> Result<(Query, Vec<String>), Error> {
        let plan = self
            .space
            .designs()
            .graph()
            .plan_query(question, self.context)?;
        // A plan that cannot be carried out is none.
        let Ok(query) = plan.query(&self.profile.settings) else {
            return Ok((Query::new(question), Vec::new()));
        };
        Ok((query, plan.subject_includes))
    }

    /// The beginning or end of a time in words, or a moment.
    fn moment(&self, words: &str, end: bool) -> Option<Timestamp> {
        annals_language::time::moment(words, &self.said, end)
    }
}

/// Everything but what was said word by word.
pub(super) fn remembered() -> Vec<Layer> {
    Layer::ALL
        .iter()
        .copied()
        .filter(|layer| *layer != Layer::Turn)
        .collect()
}

impl Invocation<'_> {
    fn found(&self, hit: &Hit) -> Value {
        let now = self.said.at;
        let body = &hit.memory.body;
        let near = hit.explanation.graph.as_ref();
        let (relation, relation_type) = match near.and_then(|near: &Nearness| near.by.as_ref()) {
            Some(Route::Link {
                relation, class, ..
            }) => (
                Some(shown_word(relation, &self.messages)),
                Some(self.messages.text(edge_type(*class), &[])),
            ),
            Some(Route::Entity { name }) => (
                Some(name.clone()),
                Some(self.messages.text("edge-shared", &[])),
            ),
            _ => (None, None),
        };
        json!({
            "memory_id": hit.id,
            "text": hit.text,
            "memory_type": shown_word(body.kind.as_str(), &self.messages),
            "relevance": shown(f64::from(hit.score)),
            "distance": near.map_or(0, |near| near.distance),
            "relation": relation,
            "relation_type": relation_type,
            "importance": shown(f64::from(body.importance.get())),
            "time": body.event_time.unwrap_or(hit.memory.stored_at),
            "outdated": body.valid_until.is_some_and(|until| until <= now),
        })
    }
}
