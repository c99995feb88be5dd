//! What was done with a file, and what it cost.

use std::sync::Arc;

use annals_extraction::provider::Provider;

use crate::handles::Memory;
use crate::{Error, Spent, Usage};

impl Memory {
    pub(crate) fn usage(&self) -> Result<Usage, Error> {
        let (contexts, contexts_with_memory, conflict_checks) = self.engine.counts.read();
        let (tool_calls, tool_calls_done) = self.engine.counts.tool_calls();
        let (mut namespaces, mut enabled) = (0, 0);
        for (profile, spaces) in self.engine.profiles_in_use(&self.engine.snapshot()?)? {
            let count = u64::try_from(spaces.len()).unwrap_or(u64::MAX);
            namespaces += count;
            enabled += if profile.settings.surface.enabled {
                count
            } else {
                0
            };
        }
        Ok(Usage {
            namespaces,
            enabled,
            contexts,
            contexts_with_memory,
            conflict_checks,
            tool_calls,
            tool_calls_done,
        })
    }

    pub(crate) fn spent(&self) -> Result<Vec<Spent>, Error> {
        self.engine.models.write_accounts(&self.engine)?;
        self.engine.curator().spent()
    }

    pub(crate) fn model(&self) -> Option<Arc<dyn Provider>> {
        self.engine.models.model.clone()
    }
}
