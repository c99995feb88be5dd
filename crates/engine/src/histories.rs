//! Histories of conversations that come more than once: which of their messages a session has
//! already.

use std::collections::BTreeMap;

use annals_storage::Reads;
use annals_types::{Body, Label, MemoryId, NamespaceId, NewMemory};

use crate::Error;
use crate::{Arrival, Engine, Entry};

impl Engine {
    /// Stores the messages of a session that it does not have yet; answers how many these were.
    /// The transaction that stores them decides which ones, so that a history that comes from
    /// several sides at once is stored once and no caller waits for another.
    pub fn append_new(
        &self,
        entry: Entry<'_>,
        session: &Label,
        messages: Vec<NewMemory>,
    ) -> Result<usize, Error> {
        // Messages are stored as the filter leaves them, and recognised by that.
        let messages = self.screened(entry, messages)?;
        let bodies: Vec<&Body> = messages.iter().map(NewMemory::body).collect();
        let mut known = match entry.id {
            Some(namespace) => already(&self.snapshot()?, namespace, session, &bodies)?,
            None => 0,
        };
        while let Some(rest) = messages.get(known..).filter(|rest| !rest.is_empty()) {
            let now = self.now();
            let prepared = self.prepare(rest.to_vec())?;
            let arrivals: Vec<Arrival> = prepared
                .into_iter()
                .map(|prepared| Arrival::new(self.ids.next(now), prepared))
                .collect();
            let stored = self.write_or_make(entry, |cx| {
                let there = already(&*cx.txn, cx.ns, session, &bodies)?;
                // With fewer than before, some were deleted meanwhile that nothing was prepared
                // for.
                let new = there
                    .checked_sub(known)
                    .and_then(|more| arrivals.get(more..));
                let Some(new) = new else { return Ok(None) };
                self.append_in(cx, new)?;
                Ok(Some(new.len()))
            })?;
            match stored {
                Some(stored) => return Ok(stored),
                None => known = 0,
            }
        }
        Ok(0)
    }
}

/// How many of some messages, from the first on, a session has already: the longest beginning of
/// them that stands at its end.
///
/// A turn is known by its role, its answer and any text that it has had. The place of a deleted
/// turn fits any message, so it counts only where more places fit by their words, or where the
/// messages begin with the session and the last of its places has the same words.
fn already(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &Label,
    bodies: &[&Body],
) -> Result<usize, Error> {
    let places = annals_records::session_places(reads, ns, session.as_str())?;
    let most = places.min(u32::try_from(bodies.len()).unwrap_or(u32::MAX));
    let turns = said_since(reads, ns, session, places - most)?;
    let known = (1..=most)
        .rev()
        .find(|count| stands_at(&turns, places - count..places, bodies));
    Ok(known
        .and_then(|count| usize::try_from(count).ok())
        .unwrap_or(0))
}

/// Whether the first of some messages stand at the last places of a session.
fn stands_at(
    turns: &BTreeMap<u32, (MemoryId, Vec<Body>)>,
    places: std::ops::Range<u32>,
    bodies: &[&Body],
) -> bool {
    let (mut same, mut empty, mut last) = (0, 0, false);
    for (place, body) in places.clone().zip(bodies) {
        last = match turns.get(&place) {
            Some((_, texts)) if !texts.iter().any(|text| says(text, body)) => return false,
            known => known.is_some(),
        };
        *if last { &mut same } else { &mut empty } += 1;
    }
    same > empty || (same > 0 && last && places.start == 0)
}

/// Whether a turn is what a message says. A message that brings no calls of tools says nothing
/// about them.
fn says(turn: &Body, message: &Body) -> bool {
    let (Some(known), Some(new)) = (&turn.turn, &message.turn) else {
        return false;
    };
    let called = new.tool_calls.is_empty() || new.tool_calls == known.tool_calls;
    turn.text == message.text && known.role == new.role && known.reply == new.reply && called
}

/// The current and earlier texts of the turns of a session from a place on, by place; none where a
/// turn was deleted.
pub fn said_since(
    reads: &dyn Reads,
    ns: NamespaceId,
    session: &Label,
    from: u32,
) -> Result<BTreeMap<u32, (MemoryId, Vec<Body>)>, Error> {
    let turns = annals_records::session_turns(reads, ns, session.as_str(), from, usize::MAX)?;
    let (places, rows): (Vec<u32>, Vec<_>) = turns.into_iter().unzip();
    let mut said = BTreeMap::new();
    for (place, turn) in places
        .into_iter()
        .zip(annals_records::memories(reads, ns, &rows, None)?)
    {
        let Some(turn) = turn else { continue };
        let changed = turn.revision > 1 || turn.supersedes.is_some();
        let id = turn.id;
        let texts = match changed {
            true => annals_records::history(reads, ns, turn.id)?
                .into_iter()
                .map(|one| one.memory.body)
                .collect(),
            false => vec![turn.body],
        };
        said.insert(place, (id, texts));
    }
    Ok(said)
}
