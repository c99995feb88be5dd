//! The memories with which a session begins.

use annals::blocking::Namespace;
use annals::{ContextRequest, Digest, Filter, Layer, ListQuery, StoredMemory};

use crate::{Call, HookError};

/// The most memories of a namespace that are looked at.
const LOOKED_AT: usize = 200;
/// The most that matter much.
const CORE: usize = 20;
/// The most of the latest others.
const LATEST: usize = 15;
/// From this importance on a memory counts as core.
const MUCH: f32 = 0.8;

/// The memories of a namespace for the beginning of a session: standing instructions, those that
/// its profile puts before every message and those that matter much, then the latest facts, and
/// what was said in the last session.
pub(crate) fn of(namespace: &Namespace, call: &Call) -> Result<Vec<StoredMemory>, HookError> {
    let Digest { instructions, last_session, .. } = namespace.digest(&call.session)?;
    let mut found: Vec<StoredMemory> = instructions;
    let request = ContextRequest::default().session(call.session.as_str()).peek();
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
    found.extend(last_session);
    Ok(found)
}

/// The newest memories first.
fn listed(namespace: &Namespace, filter: Filter) -> Result<Vec<StoredMemory>, HookError> {
    Ok(namespace.list(&ListQuery { filter, limit: LOOKED_AT, ..ListQuery::default() })?.memories)
}

fn lasting_layers() -> Vec<Layer> {
    Layer::ALL.iter().copied().filter(|layer| *layer != Layer::Turn).collect()
}
