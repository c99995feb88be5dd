//! What was done with a file since it was opened.

use super::Memory;
use crate::{Error, Usage};

impl Memory {
    /// What was done since this file was opened, and how many of its namespaces have their memory switched on. Counted in this process only.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn usage(&self) -> Result<Usage, Error> {
        let (contexts, contexts_with_memory, conflict_checks) = self.engine.counts.read();
        let (tool_calls, tool_calls_done) = self.engine.counts.tool_calls();
        let (mut namespaces, mut enabled) = (0, 0);
        for (rulebook, spaces) in self.engine.rulebooks_in_use(&self.engine.snapshot()?)? {
            let count = u64::try_from(spaces.len()).unwrap_or(u64::MAX);
            namespaces += count;
            enabled += if rulebook.profile.surface.enabled { count } else { 0 };
        }
        Ok(Usage { namespaces, enabled, contexts, contexts_with_memory, conflict_checks, tool_calls, tool_calls_done })
    }
}
