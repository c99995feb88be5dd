//! When a memory expires, in sentences.

use annals::blocking::Namespace;
use annals::{MemoryId, Timestamp};

use crate::app::App;
use crate::failure::Failure;
use crate::texts::text;
use crate::visible;

/// When a memory expires, in a sentence and by itself; `None` for one that does not.
pub(crate) fn expiry(
    namespace: &Namespace,
    id: MemoryId,
) -> Result<Option<(String, Timestamp)>, Failure> {
    let Some(memory) = namespace.get(id)? else {
        return Ok(None);
    };
    let Some(at) = memory.body.expires_at else {
        return Ok(None);
    };
    let (profile, kind) = (
        namespace.admin().profile()?,
        visible::line(memory.body.kind.as_str()).into_owned(),
    );
    let keeps = namespace
        .admin()
        .settings()?
        .taxonomy
        .durations
        .into_iter()
        .find(|duration| duration.days.is_none());
    let keeps = keeps.map_or_else(String::new, |duration| {
        text!("common-expiry-keeps", id = visible::line(&duration.id))
    });
    Ok(Some((
        text!(
            "common-expiry",
            at,
            profile = visible::line(&profile),
            kind,
            keeps
        ),
        at,
    )))
}

/// That what expires at a moment is over already, in a sentence; `None` for what is not.
pub(crate) fn over(at: Timestamp, app: &App<'_, '_>) -> Option<String> {
    let over = at <= app.world.clock.now();
    over.then(|| text!("common-expired-already", at))
}
