//! When a memory expires, in sentences.

use annals::blocking::Namespace;
use annals::{MemoryId, Timestamp};

use crate::app::App;
use crate::failure::Failure;
use crate::visible;

/// When a memory expires, in a sentence and by itself; `None` for one that does not.
pub(crate) fn expiry(namespace: &Namespace, id: MemoryId) -> Result<Option<(String, Timestamp)>, Failure> {
    let Some(memory) = namespace.get(id)? else { return Ok(None) };
    let Some(at) = memory.body.expires_at else { return Ok(None) };
    let (profile, kind) = (namespace.admin().profile()?, visible::line(memory.body.kind.as_str()).into_owned());
    let keeps = namespace.admin().settings()?.taxonomy.durations.into_iter().find(|duration| duration.days.is_none());
    let keeps =
        keeps.map_or_else(String::new, |duration| format!("; `--for {}` keeps it", visible::line(&duration.id)));
    Ok(Some((format!("it expires at {at}, as profile {} has it for {kind}{keeps}", visible::line(&profile)), at)))
}

/// That what expires at a moment is over already, in a sentence; `None` for what is not.
pub(crate) fn over(at: Timestamp, app: &App<'_, '_>) -> Option<String> {
    let over = at <= app.world.clock.now();
    over.then(|| format!("it expired at {at} already: nothing recalls it, and only `annals list --all` shows it"))
}
