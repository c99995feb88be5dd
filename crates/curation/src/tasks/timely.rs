//! Conversations that are looked through when newer ones have been: what was told later is not put
//! right by them.

use std::collections::BTreeMap;

use annals_types::profile::ConflictStrategy;
use annals_types::{Extracted, Memory, MemoryId, NamespaceId, NewMemory, Row, Timestamp};

use crate::Curator;
use annals_engine::Error;
use annals_engine::compiled::CompiledProfile;
use annals_engine::resolve::{since, told_at};

impl Curator<'_> {
    /// The findings of turns, without those that would change or end a memory that was told later
    /// than the turns. Where the profile closes contradicted memories, a finding that contradicts
    /// such a later memory was true until then.
    pub(crate) fn timely(
        &self,
        ns: NamespaceId,
        profile: &CompiledProfile,
        turns: &[Memory],
        found: Vec<Extracted>,
    ) -> Result<Vec<Extracted>, Error> {
        let Some(said_at) = turns.iter().map(moment).max() else {
            return Ok(found);
        };
        let later = self.told_after(ns, said_at, found.iter().filter_map(changed))?;
        let closes = matches!(
            profile.settings.conflict.strategy,
            ConflictStrategy::CloseInterval | ConflictStrategy::Mark
        );
        let mut timely: Vec<Extracted> = Vec::with_capacity(found.len());
        let (mut told, mut ends): (Option<usize>, BTreeMap<usize, Timestamp>) =
            (None, BTreeMap::new());
        for one in found {
            let later = changed(&one).and_then(|id| later.get(&id).map(|since| (id, *since)));
            match &one {
                Extracted::Add(_) | Extracted::AddSaying(..) => told = Some(timely.len()),
                Extracted::Contradicted { .. } => {
                    if let Some(((_, since), place)) = later.zip(told) {
                        ends.entry(place)
                            .and_modify(|end| *end = since.min(*end))
                            .or_insert(since);
                    }
                }
                _ => told = None,
            }
            timely.push(match later {
                Some((id, _)) => Extracted::LeftOut(format!(
                    "memory {id} was told later than these turns: it stays"
                )),
                None => one,
            });
        }
        for (place, end) in ends.into_iter().filter(|_| closes) {
            timely
                .get_mut(place)
                .map_or(Ok(()), |found| close(found, end))?;
        }
        Ok(timely)
    }

    /// Those of some memories that were told after a moment, with the moment from which on they are
    /// true.
    fn told_after(
        &self,
        ns: NamespaceId,
        moment: Timestamp,
        ids: impl Iterator<Item = MemoryId>,
    ) -> Result<BTreeMap<MemoryId, Timestamp>, Error> {
        let (snapshot, ids) = (self.snapshot()?, ids.collect::<Vec<_>>());
        let rows: Vec<Row> = annals_records::find_rows(&snapshot, ns, &ids)?
            .into_iter()
            .flatten()
            .collect();
        let mut later = BTreeMap::new();
        for memory in annals_records::memories(&snapshot, ns, &rows, None)?
            .into_iter()
            .flatten()
        {
            let told = told_at(&snapshot, ns, &memory)?;
            // A planned event was told before it happens.
            if memory.body.event_time.map_or(told, |event| event.min(told)) > moment {
                later.insert(memory.id, since(&memory.body, told));
            }
        }
        Ok(later)
    }
}

/// When something was said or happened.
pub(crate) fn moment(memory: &Memory) -> Timestamp {
    memory.body.event_time.unwrap_or(memory.stored_at)
}

/// The memory that a finding would change or end.
const fn changed(found: &Extracted) -> Option<MemoryId> {
    match found {
        Extracted::Update(id, _)
        | Extracted::UpdateSaying(id, ..)
        | Extracted::Delete(id)
        | Extracted::Contradicted { id, .. } => Some(*id),
        _ => None,
    }
}

/// Ends the validity of a finding at a moment, unless it has an end of its own or begins later.
fn close(found: &mut Extracted, until: Timestamp) -> Result<(), Error> {
    let (Extracted::Add(memory) | Extracted::AddSaying(memory, _)) = found else {
        return Ok(());
    };
    let (status, said, mut body) = (memory.status(), memory.said(), memory.body().clone());
    let begins = body.valid_from.or(body.event_time);
    if body.valid_until.is_none() && begins.is_some_and(|begins| begins < until) {
        (body.valid_from, body.valid_until) = (begins, Some(until));
        *memory = NewMemory::from_body(body)?.with_status(status).saying(said);
    }
    Ok(())
}
