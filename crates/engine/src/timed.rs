//! Times that questions and memories name, found in their words.

use std::borrow::Cow;

use annals_language::Zone;
use annals_language::time::{Said, asked, holds_until, named};
use annals_recall::{Meant, Query, Times};
use annals_types::profile::Profile;
use annals_types::{Interval, Memory, Timestamp};

use crate::Error;

/// The question with the times that it names, in the zone of the profile; as it is where they came
/// with it.
pub(crate) fn timed<'q>(
    query: &'q Query,
    zone: &str,
    now: Timestamp,
) -> Result<Cow<'q, Query>, Error> {
    if query.times.is_some() {
        return Ok(Cow::Borrowed(query));
    }
    let said = Said::at(query.asked_at.unwrap_or(now), Zone::named(zone)?);
    let found = asked(&query.text, &said);
    let named = found.times.iter();
    let named = named
        .map(|time| Meant {
            start: time.start,
            end: time.end,
            slack_millis: time.slack_millis,
        })
        .collect();
    let times = Times {
        named,
        asked: found.when,
        bare: found.bare,
        earlier: found.earlier,
        current: found.current,
        past: found.past,
        first_person: found.first_person,
    };
    Ok(Cow::Owned(Query {
        times: Some(times),
        ..query.clone()
    }))
}

/// Finds the times that a text names which is told at a moment, in the zone of a profile.
pub(crate) fn named_times(
    profile: &Profile,
) -> Result<impl Fn(&str, Timestamp) -> Vec<Interval> + use<>, Error> {
    let zone = Zone::named(&profile.time.zone)?;
    Ok(move |text: &str, told_at: Timestamp| named(text, &Said::at(told_at, zone.clone())))
}

/// Tells whether a memory holds at a moment, as far as its own words bound it in time, in the zone
/// of a profile.
pub(crate) fn holds_at(
    profile: &Profile,
    now: Timestamp,
) -> Result<impl Fn(&Memory) -> bool + use<>, Error> {
    let zone = Zone::named(&profile.time.zone)?;
    Ok(move |memory: &Memory| {
        let said = Said::at(
            memory.body.event_time.unwrap_or(memory.stored_at),
            zone.clone(),
        );
        holds_until(&memory.body.text, &said).is_none_or(|end| now < end)
    })
}
