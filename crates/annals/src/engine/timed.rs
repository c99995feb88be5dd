//! What a question says of time, found in its words.

use std::borrow::Cow;

use annals_extraction::Zone;
use annals_extraction::time::{Meant, Said, asked};
use annals_recall::{Interval, Query, Times};
use annals_types::Timestamp;

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
