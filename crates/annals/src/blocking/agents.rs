//! Memories as programs of the agent design know them.

use annals_types::{Memory, MemoryId, NamespaceId, Value};

use super::Namespace;
use crate::{AgentMemory, Error, Standing};

impl Namespace {
    /// Memories under the names of the agent design, in the order asked; `None` for one that does not exist.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn agent_memories(&self, ids: &[MemoryId]) -> Result<Vec<Option<AgentMemory>>, Error> {
        let Some(namespace) = self.id()? else { return Ok(vec![None; ids.len()]) };
        let standings = self.standings(ids)?;
        let each = ids.iter().zip(standings).map(|(id, standing)| self.agent_memory(namespace, *id, standing));
        each.collect()
    }

    fn agent_memory(
        &self,
        namespace: NamespaceId,
        id: MemoryId,
        standing: Option<Standing>,
    ) -> Result<Option<AgentMemory>, Error> {
        let snapshot = self.engine.snapshot()?;
        let Some((_, memory)) = annals_records::get(&snapshot, namespace, id, None)? else { return Ok(None) };
        let history = annals_records::history(&snapshot, namespace, id)?;
        let created = history.iter().map(|revision| revision.memory.stored_at).min();
        let Memory { ref body, stored_at, .. } = memory;
        let text = |key: &str| match body.metadata.get(key) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        // The number that was meant by one in single precision.
        let (score, class, expires) = match standing {
            Some(standing) => (standing.score, standing.class, standing.expires_at),
            None => (body.importance.exact(), text("class"), body.expires_at),
        };
        Ok(Some(AgentMemory {
            id: id.to_string(),
            kind: body.kind.as_str().to_owned(),
            priority: class,
            content: body.text.clone(),
            subject: text("subject"),
            predicate: text("predicate"),
            importance_score: score,
            confidence: body.confidence.exact(),
            expires_at: expires,
            created_at: created.unwrap_or(stored_at),
            updated_at: stored_at,
        }))
    }
}
