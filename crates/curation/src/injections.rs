//! What was put into prompts, and why: ids, parts, scores and features, and no text. The latest
//! prompts of each namespace are kept. A memory that is deleted leaves them with everything else.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use annals_engine::json::Json;
use annals_engine::{Error, WriteCx};
use annals_storage::table::scan_rows;
use annals_storage::{Reads, Table, Transaction};
use annals_types::{Injection, Label, MemoryId, NamespaceId};

/// Prompts in the order in which they were noted.
pub(crate) const INJECTIONS: Table<(NamespaceId, u64), Json<Injection>> =
    Table::new("annals.injections");
/// Prompts of a namespace that are kept.
pub const MOST: usize = 200;
/// Memories of a prompt that are kept: no prompt has room for more.
const MOST_MEMORIES: usize = 200;
/// The longest name of a program or a session, in bytes.
const LONGEST: usize = Label::MAX_BYTES;

/// Notes a prompt. Memories that are not there (any more) are left out; nothing is noted where none
/// is left.
///
/// # Errors
/// When the tables cannot be read or written.
pub fn note(cx: &mut WriteCx<'_, '_>, mut injection: Injection) -> Result<(), Error> {
    injection.memories.truncate(MOST_MEMORIES);
    let ids: Vec<MemoryId> = injection.memories.iter().map(|memory| memory.id).collect();
    let mut rows = annals_records::find_rows(&*cx.txn, cx.ns, &ids)?.into_iter();
    injection
        .memories
        .retain(|_| rows.next().flatten().is_some());
    // A number that is none has no JSON, and the prompt could not be read again.
    for memory in &mut injection.memories {
        memory.score = if memory.score.is_finite() {
            memory.score
        } else {
            0.0
        };
        memory
            .reasons
            .retain(|reason| reason.contribution.is_finite());
    }
    if injection.memories.is_empty() {
        return Ok(());
    }
    for name in [&mut injection.agent, &mut injection.session]
        .into_iter()
        .flatten()
    {
        name.truncate(name.floor_char_boundary(LONGEST));
    }
    let (kept, next) = numbers(&*cx.txn, cx.ns)?;
    if kept >= MOST {
        INJECTIONS.clear(cx.txn, INJECTIONS.within(cx.ns), kept + 1 - MOST)?;
    }
    Ok(INJECTIONS.put(cx.txn, (cx.ns, next), &injection)?)
}

/// Takes memories that are about to go out of the prompts in which they stood, and prompts of which
/// nothing is left with them.
pub(crate) fn forget(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    ids: &[MemoryId],
) -> Result<(), Error> {
    let ids: HashSet<MemoryId> = ids.iter().copied().collect();
    change(txn, ns, |injection| {
        injection
            .memories
            .retain(|memory| !ids.contains(&memory.id))
    })
}

/// Takes the names of sessions that have no turn left out of the prompts.
pub(crate) fn forget_sessions(
    cx: &mut WriteCx<'_, '_>,
    sessions: &BTreeSet<Label>,
) -> Result<(), Error> {
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
        injection
            .session
            .take_if(|session| gone.contains(session.as_str()));
    })
}

/// Changes all that are kept; one that has no memory left goes.
fn change(
    txn: &mut Transaction<'_>,
    ns: NamespaceId,
    mut edit: impl FnMut(&mut Injection),
) -> Result<(), Error> {
    let (mut gone, mut changed) = (Vec::new(), Vec::new());
    scan_rows(&*txn, &[INJECTIONS.within(ns).into()], |_, row| {
        let Some((_, number)) = INJECTIONS.parse(row.key) else {
            return Ok(ControlFlow::Continue(()));
        };
        match INJECTIONS.read(&row) {
            // A prompt that cannot be read must not keep memories from being deleted.
            Err(error) if error.is_corruption() => gone.push(number),
            read => {
                let Some((_, before)) = read? else {
                    return Ok(ControlFlow::Continue(()));
                };
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

/// How many are kept, and the number of the next one. Nothing of them is read.
fn numbers(reads: &dyn Reads, ns: NamespaceId) -> Result<(usize, u64), Error> {
    let (mut kept, mut next) = (0, 0);
    scan_rows(reads, &[INJECTIONS.within(ns).into()], |_, row| {
        kept += 1;
        next = INJECTIONS
            .parse(row.key)
            .map_or(next, |(_, number)| number.saturating_add(1));
        Ok::<_, Error>(ControlFlow::Continue(()))
    })?;
    Ok((kept, next))
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
    let mut found = Vec::new();
    if limit == 0 {
        return Ok(found);
    }
    INJECTIONS.scan(reads, INJECTIONS.within(ns).reversed(), |_, injection| {
        if names(&injection) {
            found.push(injection);
        }
        Ok::<_, Error>(if found.len() < limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    Ok(found)
}
