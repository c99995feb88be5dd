//! `update_memory_importance`.

use annals_extraction::tools::SetImportance;
use serde_json::json;

use crate::handles::tools::{Invocation, shown};
use crate::{Adjustment, Error, ToolReply};

impl Invocation<'_> {
    pub(super) fn set_importance(&self, call: &SetImportance) -> Result<ToolReply, Error> {
        let id = match self.meant(call.field, &call.memory)? {
            Ok(id) => id,
            Err(unclear) => return Ok(unclear),
        };
        let (old, new) = self
            .space
            .lifecycle()
            .adjust(id, Adjustment::to(call.importance))?;
        let done = json!({ "memory_id": id, "old": shown(old), "new": shown(new) });
        Ok(ToolReply::done(done, &self.notes))
    }
}
