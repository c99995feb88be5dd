//! `search_memory`, the first level of the agent's search, and `recall_memory`.

use annals_extraction::tools::{RecallMemory, SearchMemory};
use annals_recall::Query;
use annals_types::{Filter, InvalidValue, Kind, MemoryId, Status, UnitScore};
use serde_json::{Value, json};

use crate::handles::tools::search::remembered;
use crate::handles::tools::{Invocation, shown};
use crate::{Answer, Error, Hit, ToolReply};

impl Invocation<'_> {
    pub(super) fn find(&self, call: &SearchMemory) -> Result<ToolReply, Error> {
        let profile = &self.profile.settings;
        let types: Result<Vec<Kind>, InvalidValue> = if call.types.is_empty() {
            let known = profile.taxonomy.kinds.iter().map(|kind| kind.id.as_str());
            known
                .chain([profile.episodes.kind.as_str()])
                .map(Kind::new)
                .collect()
        } else {
            call.types.iter().map(Kind::new).collect()
        };
        let kinds = types?;
        let query = Query {
            filter: Filter {
                kinds: kinds.clone(),
                ..Filter::default()
            },
            top_k: Some(call.limit),
            asked_at: Some(self.said.at),
            ..Query::new(call.query.as_str())
        };
        let answer = self.space.answer(query.clone());
        let (hits, fallback) = match answer {
            Ok(Answer {
                hits,
                without_vectors: None,
                ..
            }) if !hits.is_empty() => (hits, false),
            // By words alone, and episodes whatever they are about.
            Ok(_) => (self.by_words(query)?, true),
            Err(error) if error.kind() == crate::ErrorKind::Embedder => {
                (self.by_words(query)?, true)
            }
            Err(error) => return Err(error),
        };
        let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.id).collect();
        self.returned(&ids)?;
        let results: Vec<Value> = hits.iter().map(|hit| self.entry(hit)).collect();
        let done = json!({ "fallback": fallback, "count": results.len(), "results": results });
        Ok(ToolReply::done(done, &self.notes))
    }

    /// What holds words of the question.
    fn by_words(&self, query: Query) -> Result<Vec<Hit>, Error> {
        let filter = Filter {
            layers: remembered(),
            ..query.filter.clone()
        };
        let mut hits = self.space.recall(Query {
            filter,
            min_score: Some(UnitScore::new("min_score", 0.0)?),
            ..query
        })?;
        hits.retain(|hit| !hit.explanation.matched.is_empty());
        Ok(hits)
    }

    fn entry(&self, hit: &Hit) -> Value {
        let body = &hit.memory.body;
        let time = body.event_time.unwrap_or(hit.memory.stored_at);
        json!({
            "id": hit.id,
            "kind": body.kind,
            "content": hit.text,
            "score": shown(f64::from(hit.score)),
            "date": self.said.zone.date(time),
        })
    }

    pub(super) fn recall(&self, call: &RecallMemory) -> Result<ToolReply, Error> {
        let mut statuses = vec![Status::Archived];
        if call.include_active {
            statuses.extend([Status::Active, Status::Staged]);
        }
        let query = Query {
            filter: Filter {
                statuses,
                layers: remembered(),
                ..Filter::default()
            },
            top_k: Some(call.limit),
            asked_at: Some(self.said.at),
            ..Query::new(call.query.as_str())
        };
        let hits = self.space.recall(query)?;
        let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.id).collect();
        self.returned(&ids)?;
        let standings = self.space.lifecycle().standings(&ids)?;
        let line = |(hit, standing): (&Hit, Option<crate::Standing>)| {
            let body = &hit.memory.body;
            let time = body.event_time.unwrap_or(hit.memory.stored_at);
            json!({
                "id": hit.id,
                "category": body.kind,
                "score": shown(standing.map_or(f64::from(body.importance.get()), |standing| standing.score)),
                "date": self.said.zone.date(time),
                "content": hit.text,
                "status": hit.memory.status,
                "relevance": shown(f64::from(hit.score)),
            })
        };
        let results: Vec<Value> = hits.iter().zip(standings).map(line).collect();
        Ok(ToolReply::done(
            json!({ "count": results.len(), "results": results }),
            &self.notes,
        ))
    }
}
