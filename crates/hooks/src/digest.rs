//! The memories with which a session begins.

use annals::blocking::Namespace;
use annals::{ContextRequest, Filter, Layer, ListQuery, Role, StoredMemory};

use crate::{Call, HookError};

/// The most memories of a namespace that are looked at.
const LOOKED_AT: usize = 200;
/// The most that matter much.
const CORE: usize = 20;
/// The most of the latest others.
const LATEST: usize = 15;
/// The most words of the user, where there are no memories but turns.
const WORDS: usize = 8;
/// From this importance on a memory counts as core.
const MUCH: f32 = 0.8;

/// The memories of a namespace for the beginning of a session: those that its profile puts before
/// every message and those that matter much, then the latest facts; or else the latest words of the
/// user in other sessions.
pub(crate) fn of(namespace: &Namespace, call: &Call) -> Result<Vec<StoredMemory>, HookError> {
    let request = ContextRequest::default().session(call.session.as_str()).peek();
    let mut found: Vec<StoredMemory> = Vec::new();
    for id in namespace.context(request)?.ids {
        found.extend(namespace.get(id)?);
    }
    let lasting = Filter { layers: lasting_layers(), ..Filter::default() };
    let listed = listed(namespace, lasting)?;
    let much = |memory: &&StoredMemory| memory.body.importance.get() >= MUCH;
    let mut core: Vec<&StoredMemory> = listed.iter().filter(much).collect();
    core.sort_by(|a, b| b.body.importance.get().total_cmp(&a.body.importance.get()));
    found.extend(core.into_iter().take(CORE).cloned());
    found.extend(listed.iter().filter(|memory| !much(memory)).take(LATEST).cloned());
    if found.is_empty() {
        let turns = Filter { layers: vec![Layer::Turn], ..Filter::default() };
        let said = self::listed(namespace, turns)?.into_iter().filter(|memory| {
            let turn = memory.body.turn.as_ref();
            turn.is_some_and(|turn| turn.role == Role::User && turn.session.as_str() != call.session)
        });
        found.extend(said.take(WORDS));
    }
    Ok(found)
}

/// The newest memories first.
fn listed(namespace: &Namespace, filter: Filter) -> Result<Vec<StoredMemory>, HookError> {
    Ok(namespace.list(&ListQuery { filter, limit: LOOKED_AT, ..ListQuery::default() })?.memories)
}

fn lasting_layers() -> Vec<Layer> {
    Layer::ALL.iter().copied().filter(|layer| *layer != Layer::Turn).collect()
}
