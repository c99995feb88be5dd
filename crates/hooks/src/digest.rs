//! The memories with which a session begins.

use annals::blocking::Namespace;
use annals::{ContextRequest, Digest, Filter, InjectedMemory, Layer, ListQuery, StoredMemory};

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
pub(crate) fn of(
    namespace: &Namespace,
    call: &Call,
) -> Result<Vec<(StoredMemory, InjectedMemory)>, HookError> {
    let Digest {
        instructions,
        last_session,
        ..
    } = namespace.digest(&call.session)?;
    let mut found: Vec<_> = in_part("instructions", instructions).collect();
    let request = ContextRequest::default()
        .session(call.session.as_str())
        .peek();
    for why in namespace.context(request)?.injected {
        found.extend(namespace.get(why.id)?.map(|memory| (memory, why)));
    }
    let lasting = Filter {
        layers: lasting_layers(),
        ..Filter::default()
    };
    let listed = listed(namespace, lasting)?;
    let much = |memory: &&StoredMemory| memory.body.importance.get() >= MUCH;
    let mut core: Vec<&StoredMemory> = listed.iter().filter(much).collect();
    core.sort_by(|a, b| b.body.importance.get().total_cmp(&a.body.importance.get()));
    found.extend(in_part("important", core.into_iter().take(CORE).cloned()));
    let latest = listed
        .iter()
        .filter(|memory| !much(memory))
        .take(LATEST)
        .cloned();
    found.extend(in_part("latest", latest));
    found.extend(in_part("last_session", last_session));
    Ok(found)
}

/// Memories of a part of the digest, each with that part as the reason.
fn in_part(
    part: &'static str,
    memories: impl IntoIterator<Item = StoredMemory>,
) -> impl Iterator<Item = (StoredMemory, InjectedMemory)> {
    memories.into_iter().map(move |memory| {
        let score = f64::from(memory.body.importance.get());
        let why = InjectedMemory {
            id: memory.id,
            part: part.to_owned(),
            score,
            reasons: Vec::new(),
        };
        (memory, why)
    })
}

/// The newest memories first.
fn listed(namespace: &Namespace, filter: Filter) -> Result<Vec<StoredMemory>, HookError> {
    Ok(namespace
        .list(&ListQuery {
            filter,
            limit: LOOKED_AT,
            ..ListQuery::default()
        })?
        .memories)
}

fn lasting_layers() -> Vec<Layer> {
    Layer::ALL
        .iter()
        .copied()
        .filter(|layer| *layer != Layer::Turn)
        .collect()
}
