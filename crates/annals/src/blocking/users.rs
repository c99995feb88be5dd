//! Memories as programs of the studio design know them.

use annals_types::{Importance, Memory, MemoryId, NamespaceId, Status, Value};

use super::Namespace;
use crate::{Error, Standing, UserMemory};

/// What the names of users' namespaces begin with.
const USER: &str = "user:";

impl Namespace {
    /// Memories under the names of the studio design, in the order asked; `None` for one that does not exist.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn user_memories(&self, ids: &[MemoryId]) -> Result<Vec<Option<UserMemory>>, Error> {
        let Some(namespace) = self.id()? else { return Ok(vec![None; ids.len()]) };
        let standings = self.standings(ids)?;
        let each = ids.iter().zip(standings).map(|(id, standing)| self.user_memory(namespace, *id, standing));
        each.collect()
    }

    fn user_memory(
        &self,
        namespace: NamespaceId,
        id: MemoryId,
        standing: Option<Standing>,
    ) -> Result<Option<UserMemory>, Error> {
        let snapshot = self.engine.snapshot()?;
        let Some((_, memory)) = annals_records::get(&snapshot, namespace, id, None)? else { return Ok(None) };
        let number = |id: MemoryId| -> Result<Option<u64>, Error> {
            let rows = annals_records::rows_of(&snapshot, namespace, &[id])?.pop().unwrap_or_default();
            // From 1 on: 0 is no number in the tables of such programs.
            Ok(rows.first().map(|row| u64::from(row.0) + 1))
        };
        let history = annals_records::history(&snapshot, namespace, id)?;
        let created = history.iter().find(|revision| revision.memory.id == id).map(|first| first.memory.stored_at);
        let changed = annals_records::status_history(&snapshot, namespace, id)?.last().map(|(time, _)| *time);
        let supersedes = memory.supersedes.map(number).transpose()?.flatten();
        let used = standing.as_ref().map_or(0, |standing| standing.returned);
        let Memory { ref body, stored_at, .. } = memory;
        let source = |key: &str| match body.metadata.get(key) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        Ok(Some(UserMemory {
            id: number(id)?.unwrap_or_default(),
            zep_memory_id: id.to_string(),
            user_id: self.name().strip_prefix(USER).and_then(|number| number.parse().ok()),
            kind: body.kind.as_str().to_owned(),
            importance: standing.as_ref().map_or_else(|| exact(body.importance), |standing| standing.importance),
            confidence: body.confidence.get().to_string().parse().unwrap_or(1.0),
            access_count: used,
            last_accessed_at: standing.filter(|_| used > 0).map(|standing| standing.last_access),
            is_forgotten: memory.status == Status::Forgotten,
            valid_from: body.valid_from.or(body.event_time).unwrap_or(stored_at),
            valid_until: body.valid_until,
            supersedes: supersedes.into_iter().collect(),
            source_conversation_id: source("source_conversation"),
            source_message_id: source("source_message"),
            created_at: created.unwrap_or(stored_at),
            updated_at: changed.map_or(stored_at, |changed| changed.max(stored_at)),
        }))
    }
}

/// The number that was meant by one in single precision.
fn exact(importance: Importance) -> f64 {
    importance.get().to_string().parse().unwrap_or_default()
}
