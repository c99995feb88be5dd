use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

use annals_extraction::tools::BadCall;
use annals_types::{Rewrite, Timestamp};
use serde_json::{Map, Value, json};

/// The conversation in which a tool is called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolSetting {
    /// Its moment, from which phrases such as "yesterday" count; the clock's when `None`.
    pub at: Option<Timestamp>,
    /// What is known of it, by name, such as its last messages; a model that plans a search is
    /// shown it.
    pub context: BTreeMap<String, String>,
    /// Its name; stands as `conversation_id` in the metadata of memories that are made in it.
    pub conversation: Option<String>,
}

/// What a tool answers to the model that called it: a JSON object whose `success` says whether the
/// call was done. The text of memories in it is data, as JSON strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolReply {
    success: bool,
    json: String,
}

impl ToolReply {
    /// Whether the call was done.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        self.success
    }

    /// The object as text.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.json
    }

    /// The same answer with other words: `rewrite` is given every text in it but ids.
    pub(crate) fn rewritten(self, rewrite: Rewrite<'_>) -> Self {
        let Ok(mut object) = serde_json::from_str(&self.json) else {
            return self;
        };
        reword(&mut object, rewrite);
        Self {
            json: object.to_string(),
            ..self
        }
    }

    /// A call that was done, and what was taken otherwise than it was written.
    pub(crate) fn done(fields: Value, warnings: &[String]) -> Self {
        let mut object = Map::from_iter([("success".to_owned(), Value::Bool(true))]);
        if let Value::Object(fields) = fields {
            object.extend(fields);
        }
        if !warnings.is_empty() {
            object.insert("warnings".to_owned(), json!(warnings));
        }
        Self {
            success: true,
            json: Value::Object(object).to_string(),
        }
    }

    /// A call that cannot be done; the model can call again.
    pub(crate) fn bad(call: &BadCall) -> Self {
        Self {
            success: false,
            json: call.to_json(),
        }
    }

    /// The same with memories that may be meant.
    pub(crate) fn unclear(field: &str, message: &str, candidates: Value) -> Self {
        let error = json!({ "field": field, "message": message });
        Self {
            success: false,
            json: json!({ "success": false, "error": error, "candidates": candidates }).to_string(),
        }
    }
}

fn reword(value: &mut Value, rewrite: Rewrite<'_>) {
    match value {
        Value::String(text) => annals_types::rewrite_text(text, rewrite),
        Value::Array(items) => items.iter_mut().for_each(|item| reword(item, rewrite)),
        Value::Object(fields) => {
            let named = fields
                .iter_mut()
                .filter(|(name, _)| !name.ends_with("_id") && *name != "id");
            named.for_each(|(_, value)| reword(value, rewrite));
        }
        _ => {}
    }
}

impl fmt::Display for ToolReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.json)
    }
}
