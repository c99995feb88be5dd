//! What was done with a file, and what it cost.

use std::sync::Arc;

use annals_extraction::provider::Provider;

use super::Memory;
use crate::{Error, Spent, Usage};

impl Memory {
    /// What was done since this file was opened, and how many of its namespaces have their memory switched on. Counted in this process only.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn usage(&self) -> Result<Usage, Error> {
        let (contexts, contexts_with_memory, conflict_checks) = self.engine.counts.read();
        let (tool_calls, tool_calls_done) = self.engine.counts.tool_calls();
        let (mut namespaces, mut enabled) = (0, 0);
        for (profile, spaces) in self.engine.profiles_in_use(&self.engine.snapshot()?)? {
            let count = u64::try_from(spaces.len()).unwrap_or(u64::MAX);
            namespaces += count;
            enabled += if profile.settings.surface.enabled { count } else { 0 };
        }
        Ok(Usage { namespaces, enabled, contexts, contexts_with_memory, conflict_checks, tool_calls, tool_calls_done })
    }
    /// What the language models of this file were asked and what it cost, the oldest day first: kept with the file, whoever opened it. Every call
    /// counts that is made through [`Options::model`](crate::Options::model) and [`Options::extraction_model`](crate::Options::extraction_model);
    /// those of a process that was killed may be missing.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn spent(&self) -> Result<Vec<Spent>, Error> {
        self.engine.write_accounts()?;
        self.engine.spent()
    }

    /// The language model of [`Options::model`](crate::Options::model), for what an application asks it itself: its calls count in
    /// [`spent`](Self::spent).
    #[must_use]
    pub fn model(&self) -> Option<Arc<dyn Provider>> {
        self.engine.model.clone()
    }
}
