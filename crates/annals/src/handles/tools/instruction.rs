//! What the model of a conversation is told about its tools.

use annals_extraction::tools::Toolset;
use annals_language::Zone;

use crate::Error;
use crate::handles::Tools;

/// Milliseconds of 24 hours.
const DAY: i64 = 86_400_000;

impl Tools {
    pub(crate) fn instruction(&self) -> Result<Option<String>, Error> {
        if self.toolset()? != Some(Toolset::Graph) {
            return Ok(None);
        }
        let zone = Zone::named(&self.space.compiled_profile()?.settings.time.zone)?;
        let now = self.space.engine.now();
        let (today, yesterday) = (zone.date(now), zone.date(now.plus_millis(-DAY)));
        let values = [
            ("today", (&today).into()),
            ("yesterday", (&yesterday).into()),
        ];
        let messages = self.space.messages([])?;
        let parts = ["graph-tools", "graph-examples"].map(|id| messages.text(id, &values));
        Ok(Some(parts.join("\n\n")))
    }
}
