//! What the model of a conversation is told about its tools.

use annals_extraction::tools::Toolset;
use annals_extraction::{Zone, prompt};

use super::super::Namespace;
use crate::Error;

/// Milliseconds of 24 hours.
const DAY: i64 = 86_400_000;

impl Namespace {
    /// What the model of a conversation is told about its [`tools`](Self::tools), with examples whose dates count from today; `None` where the
    /// profile offers none, or its [`context`](Self::context) says it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn tool_instruction(&self) -> Result<Option<String>, Error> {
        if self.toolset()? != Some(Toolset::Graph) {
            return Ok(None);
        }
        let zone = Zone::named(&self.compiled_profile()?.settings.time.zone)?;
        let now = self.engine.now();
        let (today, yesterday) = (zone.date(now), zone.date(now.plus_millis(-DAY)));
        let values = [("today", today.as_str()), ("yesterday", yesterday.as_str())];
        let parts = [prompt::graph_tools().render(&values), prompt::graph_examples().render(&values)];
        Ok(Some(parts.join("\n\n")))
    }
}
