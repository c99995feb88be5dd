//! A memory takes over fields of another telling of it.

use annals_types::{Body, MemoryId, Timestamp};

/// Free fields that say where a telling comes from or how a life begins, and nothing of what is
/// told.
const OF_THE_TELLING: [&str; 5] = ["session", "class", "level", "duration", "pinned"];
/// The fields of subject and relation: taken over both together or not at all.
const KEY: [&str; 2] = ["subject", "predicate"];

/// A memory that is true from a moment on, with the fields that another telling of it brings.
pub fn joined(id: MemoryId, since: Timestamp, known: &Body, told: &Body) -> Body {
    let keyed = KEY.iter().any(|name| known.metadata.contains_key(*name));
    let mut told = told.clone();
    told.metadata.retain(|name, _| {
        let name = name.as_str();
        !(OF_THE_TELLING.contains(&name) || keyed && KEY.contains(&name))
    });
    let mut body = known.clone();
    body.join(id, since, &told);
    // A person says since when; jobs and models date what they find by when it was said.
    if told.provenance.is_empty() && body.valid_from.is_none() {
        body.valid_from = told
            .valid_from
            .filter(|from| body.valid_until.is_none_or(|until| *from < until));
    }
    body
}
