//! `link_memories`: an edge between two memories that are described.

use annals_extraction::tools::{LinkMemories, shown_word};
use annals_types::profile::RelationClass;
use serde_json::json;

use crate::graph::NewLink;
use crate::handles::tools::{Invocation, shown};
use crate::{Error, ToolReply};

/// The names of the arguments.
const ENDS: [&str; 2] = ["source_memory_description", "target_memory_description"];

/// The message of the kind of edge that a relation makes.
pub(super) const fn edge_type(class: RelationClass) -> &'static str {
    match class {
        RelationClass::Causality => "edge-causality",
        RelationClass::Reference => "edge-reference",
        RelationClass::Succession => "edge-succession",
        RelationClass::Conflict => "edge-conflict",
        _ => "edge-other",
    }
}

impl Invocation<'_> {
    pub(super) fn link(&self, call: &LinkMemories) -> Result<ToolReply, Error> {
        let [source, target] = ENDS;
        let from = match self.meant(source, &call.source)? {
            Ok(id) => id,
            Err(unclear) => return Ok(unclear),
        };
        let to = match self.meant(target, &call.target)? {
            Ok(id) => id,
            Err(unclear) => return Ok(unclear),
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "weights are single-precision numbers"
        )]
        let weight = call.importance as f32;
        self.space
            .graph()
            .add_links(&[NewLink::new(from, call.relation.as_str(), to).weight(weight)?])?;
        let relation = annals_graph::relation(&self.profile.settings.graph, &call.relation)?;
        let done = json!({
            "source_id": from,
            "target_id": to,
            "relation_type": shown_word(&relation.name, &self.messages),
            "edge_type": self.messages.text(edge_type(relation.class), &[]),
            "importance": shown(call.importance),
        });
        Ok(ToolReply::done(done, &self.notes))
    }
}
