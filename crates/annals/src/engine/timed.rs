//! What questions and memories say of time, found in their words.

use std::borrow::Cow;

use annals_extraction::Zone;
use annals_extraction::time::{Meant, Said, asked, phrases, told};
use annals_recall::{Interval, Query, Times};
use annals_types::{Layer, Memory, NewMemory, Timestamp};

use super::claims;

use crate::Error;

/// The question with the times that it names, in the zone of the profile; as it is where they came with it.
pub(super) fn timed<'q>(query: &'q Query, zone: &str, now: Timestamp) -> Result<Cow<'q, Query>, Error> {
    if query.times.is_some() {
        return Ok(Cow::Borrowed(query));
    }
    let said = Said::at(query.asked_at.unwrap_or(now), Zone::named(zone)?);
    let found = asked(&query.text, &said);
    let named = |time: &Meant| Interval { start: time.start, end: time.end, slack_millis: time.slack_millis };
    let named = found.times.iter().map(named).collect();
    Ok(Cow::Owned(Query { times: Some(Times { named, asked: found.when, bare: found.bare }), ..query.clone() }))
}

/// A memory that somebody stores as a text, with the one time that it names as when it happened, where nobody says when. What speaks of a subject
/// that others contend for holds from when it was said on, and a turn is told when it is said.
pub(crate) fn dated(
    memory: NewMemory,
    now: Timestamp,
    zone: impl FnOnce() -> Result<Zone, Error>,
) -> Result<NewMemory, Error> {
    let body = memory.body();
    let open = body.layer == Layer::Semantic && body.event_time.is_none() && body.valid_from.is_none();
    if !open || claims::key_of(body).is_some() {
        return Ok(memory);
    }
    // Most texts name no time: then nobody need know the zone.
    if phrases(&body.text, &Said::at(now, Zone::utc())).is_empty() {
        return Ok(memory);
    }
    let Some(moment) = told(&body.text, &Said::at(now, zone()?)) else { return Ok(memory) };
    let (status, said) = (memory.status(), memory.said());
    let mut body = memory.into_body();
    body.event_time = Some(moment);
    Ok(NewMemory::from_body(body)?.with_status(status).saying(said))
}

/// The next text of a memory, without the time that the old one named.
pub(crate) fn redated(
    mut memory: NewMemory,
    old: &Memory,
    now: Timestamp,
    zone: impl Fn() -> Result<Zone, Error>,
) -> Result<NewMemory, Error> {
    let body = memory.body();
    if body.layer != Layer::Semantic || body.event_time.is_none() || body.text == old.body.text {
        return Ok(memory);
    }
    if body.event_time == told(&old.body.text, &Said::at(old.stored_at, zone()?)) {
        let (status, said) = (memory.status(), memory.said());
        let mut body = memory.into_body();
        body.event_time = None;
        memory = NewMemory::from_body(body)?.with_status(status).saying(said);
    }
    dated(memory, now, zone)
}
