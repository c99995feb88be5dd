//! Which memory a description means.

use annals_engine::calibration;
use annals_language::coverage;
use annals_language::time::{Phrase, phrases};
use annals_recall::{Feature, Query};
use annals_types::profile::RecallMode;
use annals_types::{Filter, Layer, MemoryId, Script, Timestamp, UnitScore};
use serde_json::{Value, json};

use crate::handles::tools::{Invocation, shown};
use crate::{Error, Hit, ToolReply};

/// Memories that are compared with a description.
const COMPARED: u32 = 50;
/// Two memories whose likeness differs by less are equally like a description.
const EQUAL: f64 = 1e-6;
/// What it counts that a memory is of the time that a description names, or not.
const TIMELY: f64 = 0.1;

/// The message of an id that no memory has.
const UNKNOWN_ID: &str = "call-unknown-id";

/// A memory that may be meant.
struct Candidate {
    id: MemoryId,
    text: String,
    /// How like the description it is by words or by meaning, whichever is more.
    score: f64,
    /// The mean of both, by which candidates are told apart.
    order: f64,
}

/// The memory that is meant, or an answer that names those that may be.
pub(super) type Meant = Result<MemoryId, ToolReply>;

impl Invocation<'_> {
    /// The memory of a description or of an id.
    pub(super) fn meant(&self, field: &str, description: &str) -> Result<Meant, Error> {
        if let Ok(id) = description.parse::<MemoryId>() {
            let known = self.space.get(id)?.is_some();
            return Ok(if known {
                Ok(id)
            } else {
                Err(self.bad(field, UNKNOWN_ID))
            });
        }
        let candidates = self.candidates(description)?;
        let settings = &self.profile.settings.graph.resolve;
        if let Some(best) = candidates
            .first()
            .filter(|best| best.score >= settings.min_score)
        {
            let next = candidates
                .iter()
                .skip(1)
                .map(|other| best.order - other.order);
            let clear = |ahead: f64| ahead < EQUAL || ahead >= settings.margin;
            if next.min_by(f64::total_cmp).is_none_or(clear) {
                return Ok(Ok(best.id));
            }
        }
        let most = usize::try_from(settings.candidates).unwrap_or(usize::MAX);
        let listed: Vec<Value> = candidates.iter().take(most).map(Candidate::json).collect();
        let message = if field == "memory_id" {
            UNKNOWN_ID
        } else if listed.is_empty() {
            "call-nothing-fits"
        } else {
            "call-unclear"
        };
        let message = self.messages.text(message, &[]);
        Ok(Err(ToolReply::unclear(
            field,
            &message,
            Value::Array(listed),
        )))
    }

    /// What may be meant, the most like first, of equal ones the newest.
    fn candidates(&self, description: &str) -> Result<Vec<Candidate>, Error> {
        let found = phrases(description, &self.said);
        let timeless = without(description, &found);
        let described = if timeless.trim().is_empty() {
            description
        } else {
            timeless.as_str()
        };
        let query = Query {
            filter: Filter {
                layers: vec![Layer::Semantic],
                ..Filter::default()
            },
            top_k: Some(COMPARED),
            min_score: Some(UnitScore::new("min_score", 0.0)?),
            mode: Some(RecallMode::Fast),
            asked_at: Some(self.said.at),
            ..Query::new(described)
        };
        let calibration = calibration(&*self.space.engine.embedder);
        let asked = Script::of_text(described);
        let candidate = |hit: Hit| {
            let words = coverage(described, &hit.text);
            let part = hit
                .explanation
                .parts
                .iter()
                .find(|part| part.feature == Feature::Dense);
            let meaning = part.and_then(|part| part.value).filter(|_| words < 1.0);
            let range = calibration.range(asked, Script::of_text(&hit.text));
            let sameness = |cosine| f64::from(range.sameness(cosine));
            let meaning = meaning.map_or(words, sameness);
            let timely = timeliness(&hit, &found, self.said.at);
            let score = (words.max(meaning) + timely).clamp(0.0, 1.0);
            Candidate {
                id: hit.id,
                score,
                order: f64::midpoint(words, meaning) + timely,
                text: hit.text,
            }
        };
        let mut candidates: Vec<Candidate> = self
            .space
            .recall(query)?
            .into_iter()
            .map(candidate)
            .collect();
        let step = |candidate: &Candidate| (candidate.order / EQUAL).round();
        candidates.sort_by(|a, b| step(b).total_cmp(&step(a)).then_with(|| b.id.cmp(&a.id)));
        Ok(candidates)
    }
}

impl Candidate {
    fn json(&self) -> Value {
        json!({ "memory_id": self.id, "text": self.text, "score": shown(self.score) })
    }
}

/// A description without the times that it names.
fn without(description: &str, phrases: &[Phrase]) -> String {
    let mut text = String::with_capacity(description.len());
    let mut at = 0;
    for phrase in phrases {
        text.push_str(description.get(at..phrase.range.start).unwrap_or_default());
        at = phrase.range.end;
    }
    text.push_str(description.get(at..).unwrap_or_default());
    text
}

/// What the time of a memory does for it, where both it and the description name one.
fn timeliness(hit: &Hit, phrases: &[Phrase], now: Timestamp) -> f64 {
    match hit.memory.body.event_time {
        Some(time) if !phrases.is_empty() => {
            if phrases
                .iter()
                .any(|phrase| phrase.reach(now).contains(time))
            {
                TIMELY
            } else {
                -TIMELY
            }
        }
        _ => 0.0,
    }
}
