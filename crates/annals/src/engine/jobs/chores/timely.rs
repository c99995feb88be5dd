//! Conversations that are looked through when newer ones have been: what was told later is not put right by them.

use std::collections::BTreeMap;

use annals_types::profile::ConflictStrategy;
use annals_types::{Extracted, Memory, MemoryId, NamespaceId, NewMemory, Row, Timestamp};

use crate::Error;
use crate::engine::Engine;
use crate::engine::resolve::since;
use crate::engine::rulebooks::Rulebook;

impl Engine {
    /// What was found in turns, without what would change or end a memory that was told later than they were. Where the profile closes what is
    /// contradicted, what contradicts such a memory was so until then.
    pub(super) fn timely(
        &self,
        (ns, rulebook): (NamespaceId, &Rulebook),
        turns: &[Memory],
        found: Vec<Extracted>,
    ) -> Result<Vec<Extracted>, Error> {
        let Some(said_at) = turns.iter().map(moment).max() else { return Ok(found) };
        let later = self.told_after(ns, said_at, found.iter().filter_map(changed))?;
        let closes =
            matches!(rulebook.profile.conflict.strategy, ConflictStrategy::CloseInterval | ConflictStrategy::Mark);
        let mut timely: Vec<Extracted> = Vec::with_capacity(found.len());
        let mut told: Option<usize> = None;
        for one in found {
            let known = changed(&one).and_then(|id| later.get(&id));
            if let Some(known) = known {
                let until = since(&known.body, known.stored_at);
                if let Some(place) = told.filter(|_| closes && matches!(one, Extracted::Contradicted { .. }))
                    && let Some(told) = timely.get_mut(place)
                {
                    close(told, until)?;
                }
                timely
                    .push(Extracted::LeftOut(format!("memory {} was told later than these turns: it stays", known.id)));
                continue;
            }
            match one {
                Extracted::Add(_) | Extracted::AddSaying(..) => told = Some(timely.len()),
                Extracted::Contradicted { .. } => {}
                _ => told = None,
            }
            timely.push(one);
        }
        Ok(timely)
    }

    /// Those of some memories that were told after a moment.
    fn told_after(
        &self,
        ns: NamespaceId,
        moment: Timestamp,
        ids: impl Iterator<Item = MemoryId>,
    ) -> Result<BTreeMap<MemoryId, Memory>, Error> {
        let (snapshot, ids) = (self.snapshot()?, ids.collect::<Vec<_>>());
        let rows: Vec<Row> = annals_records::find_rows(&snapshot, ns, &ids)?.into_iter().flatten().collect();
        let memories = annals_records::memories(&snapshot, ns, &rows, None)?.into_iter().flatten();
        // What is to happen was told before it does.
        let told = |memory: &Memory| self::moment(memory).min(memory.stored_at);
        Ok(memories.filter(|memory| told(memory) > moment).map(|memory| (memory.id, memory)).collect())
    }
}

/// When something was said or happened.
pub(super) fn moment(memory: &Memory) -> Timestamp {
    memory.body.event_time.unwrap_or(memory.stored_at)
}

/// The memory that a finding would change or end.
const fn changed(found: &Extracted) -> Option<MemoryId> {
    match found {
        Extracted::Update(id, _) | Extracted::Delete(id) | Extracted::Contradicted { id, .. } => Some(*id),
        _ => None,
    }
}

/// What is found is true until a moment, unless it says itself until when, or begins after it.
fn close(found: &mut Extracted, until: Timestamp) -> Result<(), Error> {
    let (Extracted::Add(memory) | Extracted::AddSaying(memory, _)) = found else { return Ok(()) };
    let (status, said, mut body) = (memory.status(), memory.said(), memory.body().clone());
    let begins = body.valid_from.or(body.event_time);
    if body.valid_until.is_none() && begins.is_some_and(|begins| begins < until) {
        (body.valid_from, body.valid_until) = (begins, Some(until));
        *memory = NewMemory::from_body(body)?.with_status(status).saying(said);
    }
    Ok(())
}
