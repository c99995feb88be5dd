//! Memories as programs of the studio design know them.

use annals_types::profile::RelationClass;
use annals_types::{Memory, MemoryId, NamespaceId, Status, Timestamp, Value};

use crate::handles::StudioDesign;
use crate::{CardState, Error, MemoryCard, Standing, UserMemory};
use annals_engine::resolve::relation_of;

/// What the names of users' namespaces begin with.
const USER: &str = "user:";

impl StudioDesign {
    pub(crate) fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Option<UserMemory>>, Error> {
        let Some(namespace) = self.space.id()? else {
            return Ok(vec![None; ids.len()]);
        };
        let standings = self.space.lifecycle().standings(ids)?;
        let each = ids
            .iter()
            .zip(standings)
            .map(|(id, standing)| self.user_memory(namespace, *id, standing));
        each.collect()
    }

    fn user_memory(
        &self,
        namespace: NamespaceId,
        id: MemoryId,
        standing: Option<Standing>,
    ) -> Result<Option<UserMemory>, Error> {
        let snapshot = self.space.engine.snapshot()?;
        let Some((_, memory)) = annals_records::get(&snapshot, namespace, id, None)? else {
            return Ok(None);
        };
        let history = annals_records::history(&snapshot, namespace, id)?;
        let first = history
            .iter()
            .map(|revision| &revision.memory)
            .find(|memory| memory.id == id);
        let changed = annals_records::status_history(&snapshot, namespace, id)?
            .last()
            .map(|(time, _)| *time);
        // An edit of it took the place of no other memory: its first text did.
        let mut supersedes: Vec<MemoryId> = first
            .and_then(|first| first.supersedes)
            .into_iter()
            .collect();
        for older in self.succeeded(id)? {
            supersedes.extend((!supersedes.contains(&older)).then_some(older));
        }
        let used = standing.as_ref().map_or(0, |standing| standing.returned);
        let Memory {
            ref body,
            stored_at,
            ..
        } = memory;
        let created = first.map_or(stored_at, |first| first.stored_at);
        let source = |key: &str| match body.metadata.get(key) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        Ok(Some(UserMemory {
            id: id.number(),
            zep_memory_id: id.to_string(),
            user_id: self
                .space
                .name()
                .strip_prefix(USER)
                .and_then(|number| number.parse().ok()),
            kind: body.kind.as_str().to_owned(),
            importance: standing
                .as_ref()
                .map_or_else(|| body.importance.exact(), |standing| standing.importance),
            confidence: body.confidence.get().to_string().parse().unwrap_or(1.0),
            access_count: used,
            last_accessed_at: standing
                .filter(|_| used > 0)
                .map(|standing| standing.last_access),
            is_forgotten: memory.status == Status::Forgotten,
            valid_from: body.valid_from.or(body.event_time).unwrap_or(created),
            valid_until: body.valid_until,
            supersedes: supersedes.iter().map(MemoryId::number).collect(),
            source_conversation_id: source("source_conversation"),
            source_message_id: source("source_message"),
            created_at: created,
            updated_at: changed.map_or(stored_at, |changed| changed.max(stored_at)),
        }))
    }
}

impl StudioDesign {
    pub(crate) fn cards(&self, ids: &[MemoryId]) -> Result<Vec<MemoryCard>, Error> {
        let profile = self.space.compiled_profile()?;
        let now = self.space.engine.now();
        let mut cards = Vec::with_capacity(ids.len());
        for (id, known) in ids.iter().zip(self.memories(ids)?) {
            let (Some(known), Some(memory)) = (known, self.space.get(*id)?) else {
                continue;
            };
            let kind = profile
                .settings
                .taxonomy
                .kinds
                .iter()
                .find(|kind| kind.id == known.kind);
            let messages = self.space.messages([memory.body.text.as_str()])?;
            let label = kind
                .and_then(|kind| kind.label.as_ref())
                .map(|label| messages.wording(label, &[]));
            let (ago, count) = relative(now, known.created_at);
            cards.push(MemoryCard {
                id: *id,
                content: memory.body.text,
                icon: kind.and_then(|kind| kind.icon.clone()),
                label: label.unwrap_or_else(|| known.kind.clone()),
                kind: known.kind,
                created: messages.text(ago, &[("count", count.into())]),
                access_count: known.access_count,
                importance: format!("{:.0}%", known.importance.clamp(0.0, 1.0) * 100.0),
                source_conversation_id: known.source_conversation_id,
                source_message_id: known.source_message_id,
                state: if known.is_forgotten {
                    CardState::Forgotten
                } else {
                    CardState::Active
                },
            });
        }
        Ok(cards)
    }

    /// The memories that one took the place of, as links say.
    fn succeeded(&self, id: MemoryId) -> Result<Vec<MemoryId>, Error> {
        let profile = self.space.compiled_profile()?;
        let Some(relation) = relation_of(&profile, RelationClass::Succession) else {
            return Ok(Vec::new());
        };
        let links = self.space.graph().links(id)?.into_iter();
        Ok(links
            .filter(|link| link.from == id && link.relation == relation)
            .map(|link| link.to)
            .collect())
    }
}

/// How long ago something was: a message and its number.
fn relative(now: Timestamp, then: Timestamp) -> (&'static str, i64) {
    let minutes = now.millis_since(then).max(0) / 60_000;
    let (hours, days) = (minutes / 60, minutes / 1440);
    match (minutes, hours, days) {
        (0, ..) => ("ago-now", 0),
        (minutes, 0, _) => ("ago-minutes", minutes),
        (_, hours, 0) => ("ago-hours", hours),
        (_, _, days @ 1..7) => ("ago-days", days),
        (_, _, days @ 7..30) => ("ago-weeks", days / 7),
        (_, _, days @ 30..365) => ("ago-months", days / 30),
        (_, _, days) => ("ago-years", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use annals_messages::Catalogue;

    use super::*;

    #[test]
    fn how_long_ago_something_was() {
        let at = Timestamp::from_millis;
        let told = |language: &str, minutes: i64| {
            let (id, count) = relative(at(minutes * 60_000), at(0));
            Catalogue::shared()
                .messages("studio", language)
                .text(id, &[("count", count.into())])
        };
        let cases = [
            (-5, "刚刚"),
            (0, "刚刚"),
            (59, "59分钟前"),
            (60, "1小时前"),
            (1439, "23小时前"),
            (3 * 1440, "3天前"),
            (7 * 1440, "1周前"),
            (29 * 1440, "4周前"),
            (30 * 1440, "1个月前"),
            (800 * 1440, "2年前"),
        ];
        for (minutes, words) in cases {
            assert_eq!(told("zh", minutes), words);
        }
        for (minutes, words) in [
            (0, "just now"),
            (1, "a minute ago"),
            (59, "59 minutes ago"),
            (1440, "yesterday"),
        ] {
            assert_eq!(told("en", minutes), words);
        }
    }
}
