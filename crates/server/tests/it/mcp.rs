//! The Model Context Protocol on the listener of the routes, with the client of its Rust library.

use annals_server::{Limits, Right};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};

use crate::client::Served;

type Client = RunningService<RoleClient, ()>;

async fn connect(server: &Served, path: &str, token: &str) -> Result<Client, String> {
    let address = format!("http://{}{path}", server.address);
    let config = StreamableHttpClientTransportConfig::with_uri(address).auth_header(token);
    ().serve(StreamableHttpClientTransport::from_config(config))
        .await
        .map_err(|error| error.to_string())
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> Result<Value, String> {
    let arguments = arguments.as_object().unwrap().clone();
    let params = CallToolRequestParams::new(tool).with_arguments(arguments);
    let result = client
        .call_tool(params)
        .await
        .map_err(|error| error.to_string())?;
    assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
    Ok(result.structured_content.unwrap())
}

async fn tools(client: &Client) -> Vec<String> {
    let mut names: Vec<String> = client
        .list_all_tools()
        .await
        .unwrap()
        .into_iter()
        .map(|tool| tool.name.into_owned())
        .collect();
    names.sort();
    names
}

fn count(server: &Served, namespace: &str) -> Value {
    server
        .call("GET", &format!("/v1/namespaces/{namespace}/memories"), None)
        .json()["total"]
        .clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_remembers_and_recalls_what_its_token_reaches() {
    let server = Served::start();
    let client = connect(&server, "/mcp", &server.mine).await.unwrap();
    assert_eq!(
        client
            .peer_info()
            .unwrap()
            .server_info
            .as_ref()
            .unwrap()
            .name,
        "annals"
    );
    assert_eq!(
        tools(&client).await,
        [
            "context", "forget", "get", "link", "recall", "remember", "update"
        ]
    );
    let kept = call(
        &client,
        "remember",
        json!({ "text": "My sister Ada lives in Lyon." }),
    )
    .await
    .unwrap();
    let found = call(
        &client,
        "recall",
        json!({ "query": "Where does my sister live?" }),
    )
    .await
    .unwrap();
    assert_eq!(found["hits"][0]["id"], kept["id"], "{found}");
    // The same memory by the routes, and what they store by the tools.
    let path = format!(
        "/v1/namespaces/mine/memories/{}",
        kept["id"].as_str().unwrap()
    );
    assert_eq!(
        server.call("GET", &path, None).json()["text"],
        "My sister Ada lives in Lyon."
    );
    let second = server.add("mine", "The cat is called Momo.");
    let both = call(&client, "get", json!({ "ids": [second] }))
        .await
        .unwrap();
    assert_eq!(both["memories"][0]["text"], "The cat is called Momo.");
    client.cancel().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_token_reaches_the_namespace_of_another() {
    let server = Served::start();
    let secret = server.add("theirs", "The safe opens with 4711.");
    assert!(connect(&server, "/mcp", "annals_nonsense").await.is_err());
    for path in [
        "/mcp?namespace=theirs",
        "/mcp?namespace=mine&user=theirs",
        "/mcp?user=theirs",
    ] {
        assert!(
            connect(&server, path, &server.mine).await.is_err(),
            "{path}"
        );
    }
    let client = connect(&server, "/mcp", &server.mine).await.unwrap();
    let found = call(
        &client,
        "recall",
        json!({ "query": "What opens the safe?" }),
    )
    .await
    .unwrap();
    assert_eq!(found["hits"], json!([]), "{found}");
    let params = |tool| CallToolRequestParams::new(tool);
    let arguments = json!({ "ids": [secret] }).as_object().unwrap().clone();
    for tool in ["get", "forget"] {
        let done = client
            .call_tool(params(tool).with_arguments(arguments.clone()))
            .await
            .unwrap();
        assert_eq!(done.is_error, Some(true), "{tool}: {done:?}");
        assert!(!format!("{done:?}").contains("4711"), "{done:?}");
    }
    assert!(
        client
            .read_resource(ReadResourceRequestParams::new("annals://theirs/core"))
            .await
            .is_err()
    );
    assert_eq!(count(&server, "theirs"), 1);
    // A token of several namespaces says which one.
    assert!(
        connect(&server, "/mcp", &server.token)
            .await
            .unwrap_err()
            .contains("400")
    );
    let whole = connect(&server, "/mcp?namespace=theirs", &server.token)
        .await
        .unwrap();
    let found = call(&whole, "recall", json!({ "query": "What opens the safe?" }))
        .await
        .unwrap();
    assert_eq!(found["hits"][0]["id"], json!(secret), "{found}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_reads_is_offered_what_reads() {
    let server = Served::start();
    server.add("mine", "The cat is called Momo.");
    let reader = server.token_for(&["mine"], &[Right::Read]);
    let client = connect(&server, "/mcp", &reader).await.unwrap();
    assert_eq!(tools(&client).await, ["context", "get", "recall"]);
    let found = call(
        &client,
        "recall",
        json!({ "query": "What is the cat called?" }),
    )
    .await
    .unwrap();
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    // Whoever only reads leaves no trace of it.
    let path = "/v1/namespaces/mine/injections";
    assert_eq!(server.call("GET", path, None).json()["total"], 0);
    let refused = call(
        &client,
        "remember",
        json!({ "text": "The cat is called Mimi." }),
    )
    .await
    .unwrap_err();
    assert!(refused.contains("remember"), "{refused}");
    assert_eq!(count(&server, "mine"), 1);
    let whole = connect(&server, "/mcp", &server.mine).await.unwrap();
    call(
        &whole,
        "recall",
        json!({ "query": "What is the cat called?" }),
    )
    .await
    .unwrap();
    assert_eq!(server.call("GET", path, None).json()["total"], 1);
    let writer = server.token_for(&["mine"], &[Right::Write]);
    assert!(
        connect(&server, "/mcp", &writer)
            .await
            .unwrap_err()
            .contains("403")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_project_and_its_user_are_recalled_together() {
    let server = Served::start();
    let token = server.token_for(&["project:a", "user"], &[Right::Read, Right::Write]);
    let client = connect(&server, "/mcp?namespace=project:a&user=user", &token)
        .await
        .unwrap();
    call(
        &client,
        "remember",
        json!({ "text": "The tests run with nextest." }),
    )
    .await
    .unwrap();
    call(
        &client,
        "remember",
        json!({ "text": "Ada likes tea.", "scope": "user" }),
    )
    .await
    .unwrap();
    assert_eq!(
        (count(&server, "project:a"), count(&server, "user")),
        (json!(1), json!(1))
    );
    let found = call(&client, "recall", json!({ "query": "What does Ada like?" }))
        .await
        .unwrap();
    assert_eq!(found["hits"][0]["scope"], "user", "{found}");
}

#[test]
fn requests_meet_what_every_route_meets() {
    let mut limits = Limits::default();
    limits.body_bytes = 2000;
    let server = Served::limited(limits);
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "x", "version": "0" } } });
    let bearer = format!("Bearer {}", server.mine);
    let accept = ("Accept", "application/json, text/event-stream");
    let ask = |headers: &[(&str, &str)], body: &Value| {
        server.call_with(&[headers, &[accept]].concat(), "POST", "/mcp", Some(body))
    };
    let reply = ask(&[("Authorization", &bearer)], &initialize);
    assert_eq!(reply.status, 200, "{} {}", reply.head, reply.body);
    assert_eq!(reply.json()["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(
        reply.header("mcp-session-id"),
        None,
        "nothing that another caller could take over"
    );
    assert_eq!(ask(&[], &initialize).problem(), "no-token");
    assert_eq!(
        ask(&[("Authorization", "Bearer annals_x")], &initialize).problem(),
        "bad-token"
    );
    let foreign = [("Authorization", bearer.as_str()), ("Host", "evil.example")];
    assert_eq!(ask(&foreign, &initialize).problem(), "other-host");
    let foreign = [
        ("Authorization", bearer.as_str()),
        ("Origin", "https://evil.example"),
    ];
    assert_eq!(ask(&foreign, &initialize).problem(), "other-origin");
    let long = json!({ "jsonrpc": "2.0", "id": 1, "method": "x".repeat(3000) });
    assert_eq!(
        ask(&[("Authorization", &bearer)], &long).problem(),
        "too-large"
    );
    let get = server.call_as(&server.mine, "GET", "/mcp", None);
    assert_eq!(get.problem(), "bad-method");
    let odd = server.call_as(
        &server.mine,
        "POST",
        "/mcp?namespaces=mine",
        Some(&initialize),
    );
    assert_eq!(odd.problem(), "bad-query");
}
