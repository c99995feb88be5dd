//! A server and a client of rmcp, joined by a pipe in memory.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of it"
)]

use annals::blocking::Memory;
use annals_mcp::{Reach, Server};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, GetPromptRequestParams};
use rmcp::service::{RoleClient, RunningService};
use serde_json::Value;

pub type Client = RunningService<RoleClient, ()>;

pub fn memory() -> Memory {
    annals::Options::new().in_memory().unwrap()
}

/// A client of a server for one namespace.
pub async fn one(memory: &Memory, namespace: &str) -> Client {
    served(Server::new(memory.clone(), Reach::one(namespace).unwrap())).await
}

pub async fn served(server: Server) -> Client {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(far);
    tokio::spawn(annals_mcp::serve_io(server, input, output));
    ().serve(near).await.unwrap()
}

pub async fn call(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    client.call_tool(request).await.unwrap()
}

/// The text of an answer.
pub fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

pub fn data(result: &CallToolResult) -> &Value {
    assert_ne!(result.is_error, Some(true), "{}", text(result));
    result.structured_content.as_ref().unwrap()
}

/// The reason of an answer that refuses.
pub fn refusal(result: &CallToolResult) -> &str {
    assert_eq!(result.is_error, Some(true), "{}", text(result));
    text(result)
}

pub async fn remember(client: &Client, what: &str) -> String {
    let done = call(client, "remember", serde_json::json!({ "text": what })).await;
    data(&done)["id"].as_str().unwrap().to_owned()
}

pub fn ids(result: &CallToolResult) -> Vec<String> {
    let hits = data(result)
        .get("hits")
        .or_else(|| data(result).get("results"))
        .unwrap();
    hits.as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["id"].as_str().unwrap().to_owned())
        .collect()
}

/// The text of a prompt.
pub async fn prompt(client: &Client, name: &str, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    let asked = GetPromptRequestParams::new(name).with_arguments(arguments);
    let got = client.get_prompt(asked).await.unwrap();
    serde_json::to_value(&got.messages[0]).unwrap()["content"]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}
