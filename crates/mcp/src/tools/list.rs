//! The list of tools: names, descriptions, schemas and annotations.

use std::sync::Arc;

use annals::messages::Messages;
use annals::profile::{Profile, Signal};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::{design, recall};
use crate::reply::Refusal;
use crate::store::Store;

/// The most kinds or relations that stand in a schema.
const MAX_KINDS: usize = 12;

/// The tools that are offered: those of the design of the first namespace, or the seven. Where
/// nothing may be written these are the ones that only read; nothing else is called then.
pub(crate) fn list(store: &Store) -> Result<Vec<Tool>, Refusal> {
    let mut tools = all(store)?;
    if !store.writes() {
        tools.retain(|tool| {
            tool.annotations
                .as_ref()
                .and_then(|told| told.read_only_hint)
                == Some(true)
        });
    }
    Ok(tools)
}

fn all(store: &Store) -> Result<Vec<Tool>, Refusal> {
    let space = store.first()?;
    let own = design::list(&space)?;
    if !own.is_empty() {
        return Ok(own);
    }
    let mut counts = (false, false);
    let counting = if store.writes() {
        store.spaces()?
    } else {
        Vec::new()
    };
    for space in counting {
        let signal = space.admin().settings()?.reinforce.signal;
        counts = (
            counts.0 || signal == Signal::Returned,
            counts.1 || signal == Signal::Injected,
        );
    }
    let (messages, settings) = (store.messages(&[])?, space.admin().settings()?);
    Ok(seven(
        &Sheet {
            messages: &messages,
        },
        &settings,
        &store.reach.scopes(),
        counts,
    ))
}

/// Builds schemas with the descriptions of a language.
struct Sheet<'a> {
    messages: &'a Messages,
}

impl Sheet<'_> {
    /// A tool; each property is its name, its schema without description, and whether it must be
    /// given.
    fn tool(
        &self,
        name: &'static str,
        properties: Vec<(&str, Value, bool)>,
        answer: Value,
    ) -> Tool {
        let id = format!("mcp-{name}");
        let mut described = Map::new();
        let mut required = Vec::new();
        for (property, mut schema, must) in properties {
            if let (Value::Object(schema), Some(text)) =
                (&mut schema, self.messages.part(&id, property, &[]))
            {
                schema.insert("description".to_owned(), text.into());
            }
            described.insert(property.to_owned(), schema);
            if must {
                required.push(property.to_owned());
            }
        }
        let mut schema = object(
            json!({ "type": "object", "properties": described, "additionalProperties": false }),
        );
        if !required.is_empty() {
            schema.insert("required".to_owned(), json!(required));
        }
        Tool::new(name, self.messages.text(&id, &[]), Arc::new(schema)).with_raw_output_schema(
            Arc::new(object(json!({ "type": "object", "properties": answer }))),
        )
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn ids() -> Value {
    json!({ "type": "array", "items": { "type": "string" } })
}

fn number((min, default, max): (u32, u32, u32)) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max, "default": default })
}

fn seven(
    sheet: &Sheet<'_>,
    settings: &Profile,
    scopes: &[&str],
    (recall, context): (bool, bool),
) -> Vec<Tool> {
    let text = || json!({ "type": "string" });
    let flag = || json!({ "type": "boolean" });
    let list = || json!({ "type": "array" });
    let mut stored = vec![
        ("text", text(), true),
        ("kind", kind(settings), false),
        ("tags", ids(), false),
        ("date", text(), false),
    ];
    if !scopes.is_empty() {
        stored.push(("scope", json!({ "type": "string", "enum": scopes }), false));
    }
    let mut asked = vec![
        ("query", text(), true),
        ("limit", number(recall::LIMIT), false),
        ("budget", number(recall::BUDGET), false),
        ("tags", ids(), false),
        ("kind", text(), false),
        ("since", text(), false),
        ("until", text(), false),
    ];
    if !scopes.is_empty() {
        asked.push(("scope", json!({ "type": "string", "enum": scopes }), false));
    }
    let from = json!({ "type": "integer", "minimum": 0 });
    let ends = vec![
        ("from", text(), true),
        (
            "relation",
            relation(settings, sheet.messages.language()),
            true,
        ),
        ("to", text(), true),
        ("remove", flag(), false),
    ];
    let changed = vec![
        ("id", text(), true),
        ("text", text(), true),
        ("tags", ids(), false),
    ];
    vec![
        reads(
            sheet.tool("recall", asked, json!({ "hits": list() })),
            recall,
        ),
        reads(
            sheet.tool(
                "get",
                vec![("ids", ids(), true), ("offset", from, false)],
                json!({ "memories": list() }),
            ),
            false,
        ),
        writes(
            sheet.tool("remember", stored, json!({ "id": text() })),
            true,
        ),
        writes(sheet.tool("update", changed, json!({ "id": text() })), true),
        writes(
            sheet.tool(
                "forget",
                vec![("ids", ids(), true), ("restore", flag(), false)],
                json!({}),
            ),
            true,
        ),
        writes(sheet.tool("link", ends, json!({})), true),
        reads(
            sheet.tool(
                "context",
                vec![("message", text(), false)],
                json!({ "text": text() }),
            ),
            context,
        ),
    ]
}

/// A kind out of those of the profile, where it lists them.
fn kind(settings: &Profile) -> Value {
    let kinds: Vec<&str> = settings
        .taxonomy
        .kinds
        .iter()
        .map(|kind| kind.id.as_str())
        .take(MAX_KINDS)
        .collect();
    if kinds.is_empty() || settings.taxonomy.kinds.len() > MAX_KINDS {
        return json!({ "type": "string" });
    }
    json!({ "type": "string", "enum": kinds })
}

/// A relation that links of the profile may have.
fn relation(settings: &Profile, language: &str) -> Value {
    let names = settings.graph.relation_names(language);
    match names.is_empty() || names.len() > MAX_KINDS {
        true => json!({ "type": "string" }),
        false => json!({ "type": "string", "enum": names }),
    }
}

/// A search; one that counts what it returns changes what memories are worth.
fn reads(tool: Tool, counts: bool) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(!counts)
        .destructive(false)
        .open_world(false);
    tool.annotate(if counts {
        annotations
    } else {
        annotations.idempotent(true)
    })
}

/// A change that can be taken back.
fn writes(tool: Tool, idempotent: bool) -> Tool {
    let annotations = ToolAnnotations::new().read_only(false).destructive(false);
    tool.annotate(annotations.idempotent(idempotent).open_world(false))
}
