//! The tools of a namespace's own design, as the library has them.

use std::sync::Arc;

use annals::blocking::Namespace;
use annals::profile::Signal;
use annals::{Error, ErrorKind};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::reply::Refusal;
use crate::store::Store;

/// Tools of designs that only read; under a profile that counts what a search returned they write.
const SEARCHES: [&str; 4] = [
    "search_memory",
    "search_conversation_traces",
    "search_memories",
    "recall_memory",
];

/// Tools of designs that store what is said.
const STORES: [&str; 1] = ["create_memory"];

/// The tools of a design that a prompt can name.
#[derive(Debug, Default)]
pub(crate) struct OwnTools {
    /// The one that searches.
    pub(crate) search: Option<String>,
    /// The one that stores.
    pub(crate) store: Option<String>,
}

/// The tools of the first namespace that a prompt can name, where it has its own.
pub(crate) fn own_tools(store: &Store) -> Result<Option<OwnTools>, Refusal> {
    let tools = store.first()?.tools().list()?;
    if tools.is_empty() {
        return Ok(None);
    }
    let among = |names: &[&str]| {
        tools
            .iter()
            .map(|tool| &tool.name)
            .find(|name| names.contains(&name.as_str()))
            .cloned()
    };
    Ok(Some(OwnTools {
        search: among(&SEARCHES),
        store: among(&STORES),
    }))
}

/// Whether the first namespace has tools of its own.
pub(super) fn has_own(store: &Store) -> Result<bool, Refusal> {
    Ok(!store.first()?.tools().list()?.is_empty())
}

/// The tools of the first namespace, with their exact names, descriptions and schemas.
pub(super) fn list(space: &Namespace) -> Result<Vec<Tool>, Refusal> {
    let counts = space.admin().settings()?.reinforce.signal == Signal::Returned;
    let tools = space.tools().list()?.into_iter().map(|tool| {
        let schema: JsonObject = serde_json::from_str(&tool.parameters)
            .map_err(|error| Error::other(ErrorKind::Internal, error))?;
        let reads = SEARCHES.contains(&tool.name.as_str()) && !counts;
        let annotations = ToolAnnotations::new()
            .read_only(reads)
            .destructive(false)
            .open_world(false);
        let annotations = if reads {
            annotations.idempotent(true)
        } else {
            annotations
        };
        Ok(Tool::new(tool.name, tool.description, Arc::new(schema)).annotate(annotations))
    });
    tools.collect()
}

/// Calls a tool as the library does: its answer is the library's, letter for letter.
pub(super) fn call(
    store: &Store,
    name: &str,
    arguments: JsonObject,
) -> Result<CallToolResult, Refusal> {
    let reply = store
        .first()?
        .tools()
        .call(name, &Value::Object(arguments).to_string())?;
    let content = vec![ContentBlock::text(reply.as_json())];
    let mut result = if reply.is_success() {
        CallToolResult::success(content)
    } else {
        CallToolResult::error(content)
    };
    result.structured_content = serde_json::from_str(reply.as_json()).ok();
    Ok(result)
}

/// The instruction about the tools of the first namespace, where it has its own.
pub(crate) fn instruction(store: &Store) -> Result<Option<String>, Refusal> {
    let tools = store.first()?.tools();
    if tools.list()?.is_empty() {
        return Ok(None);
    }
    let own = store.messages(&[])?.text("mcp-instructions-own", &[]);
    Ok(Some(match tools.instruction()? {
        Some(instruction) => format!("{own}\n\n{instruction}"),
        None => own,
    }))
}
