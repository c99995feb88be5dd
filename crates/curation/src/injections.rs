//! What was put into prompts, and why: ids, parts, scores and features, and no text. The latest
//! prompts of each namespace are kept. A memory that is deleted leaves them with everything else.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use annals_engine::json::Json;
use annals_engine::{Error, WriteCx};
use annals_storage::table::scan_rows;
use annals_storage::{Reads, Table, Transaction};
use annals_types::{Injection, Label, MemoryId, NamespaceId};

/// Prompts in the order in which they were noted.
pub(crate) const INJECTIONS: Table<(NamespaceId, u64), Json<Injection>> = Table::new("annals.injections");
/// Prompts of a namespace that are kept.
pub const MOST: usize = 200;
/// Memories of a prompt that are kept: no prompt has room for more.
const MOST_MEMORIES: usize = 200;
/// The longest name of a program or a session, in bytes.
const LONGEST: usize = 200;

/// Notes a prompt. Memories that are not there (any more) are left out; nothing is noted where none
/// is left.
///
/// # Errors
/// When the tables cannot be read or written.
pub fn note(cx: &mut WriteCx<'_, '_>, mut injection: Injection) -> Result<(), Error> {
    injection.memories.truncate(MOST_MEMORIES);
    let ids: Vec<MemoryId> = injection.memories.iter().map(|memory| memory.id).collect();
    let mut rows = annals_records::find_rows(&*cx.txn, cx.ns, &ids)?.into_iter();
    injection.memories.retain(|_| rows.next().flatten().is_some());
    if injection.memories.is_empty() {
        return Ok(());
    }
    for name in [&mut injection.agent, &mut injection.session].into_iter().flatten() {
        name.truncate(name.floor_char_boundary(LONGEST));
    }
    let kept = all(&*cx.txn, cx.ns)?;
    let next = kept.last().map_or(0, |(number, _)| number.saturating_add(1));
    let too_many = kept.len().saturating_sub(MOST - 1);
    for (number, _) in kept.into_iter().take(too_many) {
        INJECTIONS.delete(cx.txn, (cx.ns, number))?;
    }
    Ok(INJECTIONS.put(cx.txn, (cx.ns, next), &injection)?)
}

/// Takes memories that are about to go out of the prompts in which they stood, and prompts of which
/// nothing is left with them.
pub(crate) fn forget(txn: &mut Transaction<'_>, ns: NamespaceId, ids: &[MemoryId]) -> Result<(), Error> {
    change(txn, ns, |injection| injection.memories.retain(|memory| !ids.contains(&memory.id)))
}

/// Takes the names of sessions that have no turn left out of the prompts.
pub(crate) fn forget_sessions(cx: &mut WriteCx<'_, '_>, sessions: &BTreeSet<Label>) -> Result<(), Error> {
    let mut gone = BTreeSet::new();
    for session in sessions {
        if annals_records::session_turns(&*cx.txn, cx.ns, session.as_str(), 0, 1)?.is_empty() {
            gone.insert(session.as_str());
        }
    }
    if gone.is_empty() {
        return Ok(());
    }
    change(cx.txn, cx.ns, |injection| {
        injection.session.take_if(|session| gone.contains(session.as_str()));
    })
}

/// Changes all that are kept; one that has no memory left goes.
fn change(txn: &mut Transaction<'_>, ns: NamespaceId, mut edit: impl FnMut(&mut Injection)) -> Result<(), Error> {
    let (mut gone, mut changed) = (Vec::new(), Vec::new());
    scan_rows(&*txn, &[INJECTIONS.within(ns).into()], |_, row| {
        let Some((_, number)) = INJECTIONS.parse(row.key) else {
            return Ok(ControlFlow::Continue(()));
        };
        match INJECTIONS.read(&row) {
            // A prompt that cannot be read must not keep memories from being deleted.
            Err(error) if error.is_corruption() => gone.push(number),
            read => {
                let Some((_, before)) = read? else { return Ok(ControlFlow::Continue(())) };
                let mut injection = before.clone();
                edit(&mut injection);
                if injection.memories.is_empty() {
                    gone.push(number);
                } else if injection != before {
                    changed.push((number, injection));
                }
            }
        }
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    for number in gone {
        INJECTIONS.delete(txn, (ns, number))?;
    }
    for (number, injection) in changed {
        INJECTIONS.put(txn, (ns, number), &injection)?;
    }
    Ok(())
}

/// All that are kept, the oldest first.
fn all(reads: &dyn Reads, ns: NamespaceId) -> Result<Vec<(u64, Injection)>, Error> {
    let mut found = Vec::new();
    INJECTIONS.scan(reads, INJECTIONS.within(ns), |(_, number), injection| {
        found.push((number, injection));
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// What was put into the latest prompts, the last one first, at most so many; those alone with a
/// memory, where one is named.
///
/// # Errors
/// When the tables cannot be read.
pub fn latest(
    reads: &dyn Reads,
    ns: NamespaceId,
    memory: Option<MemoryId>,
    limit: usize,
) -> Result<Vec<Injection>, Error> {
    let names = |injection: &Injection| match memory {
        Some(id) => injection.memories.iter().any(|one| one.id == id),
        None => true,
    };
    let newest = all(reads, ns)?.into_iter().rev().map(|(_, injection)| injection);
    Ok(newest.filter(names).take(limit).collect())
}
