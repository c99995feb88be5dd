//! Namespaces whose profile has tools of its own.

use crate::support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use annals::blocking::{Memory, Namespace};
use annals::{MemoryId, NewMemory, NewTurn, Role};
use annals_mcp::{Http, Reach, Server};
use rmcp::ServiceExt;
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use support::{call, data, ids, memory, one, prompt, text};

/// An agent that remembers things and a conversation.
fn agent() -> (Memory, Namespace) {
    let memory = memory();
    let space = memory.create_namespace("agent", "agent").unwrap();
    for (kind, what) in [
        ("FACT", "The deployment of the shop runs on Fridays."),
        ("PREFERENCE", "The user prefers small pull requests."),
        ("FACT", "The database of the shop is PostgreSQL 17."),
    ] {
        space
            .remember(NewMemory::builder(what).kind(kind).build().unwrap())
            .unwrap();
    }
    for (session, what) in [
        ("s1", "The deployment failed with error 502."),
        ("s2", "We raised the limit of nginx."),
    ] {
        let turn = NewTurn::builder(session, what)
            .role(Role::User)
            .build()
            .unwrap();
        space.designs().agent().on_turn_end(turn).unwrap();
    }
    (memory, space)
}

/// The ids of memories, or the places of turns, which have none.
fn found(reply: &Value) -> Vec<String> {
    let list = |name: &str| reply[name].as_array().cloned().unwrap_or_default();
    let ids = list("results").into_iter().map(|hit| hit["id"].to_string());
    ids.chain(
        list("traces")
            .into_iter()
            .map(|turn| format!("{}/{}", turn["session_id"], turn["turn_index"])),
    )
    .collect()
}

/// Calls a tool by one request over HTTP, as `curl` would, without a session before it.
async fn post(address: String, tool: &str, arguments: &Value) -> Value {
    let version = "2026-07-28";
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {} });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n",
        body.len()
    );
    request += "Connection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    request += &format!(
        "MCP-Protocol-Version: {version}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n\r\n{body}"
    );
    let asked = tokio::task::spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let answer = asked.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    let data = answer
        .lines()
        .find_map(|line| line.strip_prefix("data: "))
        .unwrap_or_else(|| panic!("{answer}"));
    let answer: Value = serde_json::from_str(data).unwrap();
    answer["result"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tools_of_the_agent_answer_alike_by_library_pipe_and_http() {
    // spec: A-91
    let (memory, space) = agent();
    let piped = one(&memory, "agent").await;
    let listener = Http::at(([127, 0, 0, 1], 0).into())
        .without_token()
        .listen()
        .unwrap();
    let url = listener.url();
    let server = Server::new(memory.clone(), Reach::one("agent").unwrap());
    tokio::spawn(listener.serve_until(server, std::future::pending()));
    let address = url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp")
        .to_owned();
    let over_http = ().serve(StreamableHttpClientTransport::from_uri(url)).await.unwrap();

    for (tool, arguments) in [
        (
            "search_memory",
            json!({ "query": "When does the shop deploy?", "limit": 3 }),
        ),
        ("search_memory", json!({ "query": "小的 pull request" })),
        (
            "search_conversation_traces",
            json!({ "keyword": "deployment" }),
        ),
        ("search_conversation_traces", json!({ "keyword": "nginx" })),
    ] {
        let library = space.tools().call(tool, &arguments.to_string()).unwrap();
        assert!(library.is_success(), "{library}");
        let by_pipe = call(&piped, tool, arguments.clone()).await;
        let by_http = call(&over_http, tool, arguments.clone()).await;
        let by_post = post(address.clone(), tool, &arguments).await;
        let by_library = found(&serde_json::from_str(library.as_json()).unwrap());
        assert!(!by_library.is_empty(), "{library}");
        for answer in [&by_pipe, &by_http] {
            assert_eq!(found(data(answer)), by_library, "{tool}");
        }
        assert_eq!(text(&by_pipe), text(&by_http));
        assert_eq!(by_post["content"][0]["text"], text(&by_http));
    }
}

#[tokio::test]
async fn the_tools_of_a_design_come_with_its_schemas() {
    let memory = memory();
    for (profile, names) in [
        (
            "agent",
            &["search_memory", "search_conversation_traces"][..],
        ),
        (
            "graph",
            &[
                "create_memory",
                "link_memories",
                "search_memories",
                "update_memory_importance",
            ],
        ),
        ("markdown", &["recall_memory"]),
    ] {
        let space = memory.create_namespace(profile, profile).unwrap();
        let client = one(&memory, profile).await;
        let listed = client.list_all_tools().await.unwrap();
        let offered = space.tools().list().unwrap();
        assert_eq!(
            offered
                .iter()
                .map(|tool| tool.name.as_str())
                .collect::<Vec<_>>(),
            names
        );
        for (listed, offered) in listed.iter().zip(&offered) {
            assert_eq!(listed.name, offered.name);
            assert_eq!(
                listed.description.as_deref(),
                Some(offered.description.as_str())
            );
            let schema: Value = serde_json::from_str(&offered.parameters).unwrap();
            assert_eq!(listed.schema_as_json_value(), schema, "{profile}");
        }
        assert_eq!(listed.len(), offered.len());
        assert!(client.peer_info().unwrap().instructions.is_some());
    }
}

/// The words of a text that may be names of tools.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_alphabetic() && c != '_')
        .filter(|word| !word.is_empty())
        .collect()
}

#[tokio::test]
async fn prompts_and_instructions_name_only_tools_that_are_there() {
    let memory = memory();
    // Of the general tools those whose names are no words of everyday.
    let mut known: Vec<String> = ["recall", "remember", "forget"].map(str::to_owned).into();
    let profiles = [
        "agent",
        "graph",
        "markdown",
        "companion",
        "studio",
        "default",
    ];
    for profile in profiles {
        let space = memory.create_namespace(profile, profile).unwrap();
        known.extend(
            space
                .tools()
                .list()
                .unwrap()
                .into_iter()
                .map(|tool| tool.name),
        );
    }
    for profile in profiles {
        for language in ["en", "zh"] {
            memory
                .namespace(profile)
                .unwrap()
                .admin()
                .set_language(Some(language.to_owned()))
                .unwrap();
            let client = one(&memory, profile).await;
            let offered = client.list_all_tools().await.unwrap();
            let mut told = vec![
                client
                    .peer_info()
                    .unwrap()
                    .instructions
                    .clone()
                    .unwrap_or_default(),
            ];
            told.extend(
                offered
                    .iter()
                    .filter_map(|tool| Some(tool.description.as_ref()?.to_string())),
            );
            for listed in client.list_all_prompts().await.unwrap() {
                let arguments = if listed.name == "recall-context" {
                    json!({ "question": "Where?" })
                } else {
                    json!({})
                };
                told.push(prompt(&client, &listed.name, arguments).await);
            }
            for text in &told {
                let named = words(text)
                    .into_iter()
                    .filter(|word| known.iter().any(|name| name == word));
                let missing: Vec<&str> = named
                    .filter(|word| offered.iter().all(|tool| tool.name != *word))
                    .collect();
                assert_eq!(missing, Vec::<&str>::new(), "{profile} {language}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_search_that_counts_uses_is_not_read_only() {
    let (memory, space) = agent();
    let client = one(&memory, "agent").await;
    let listed = client.list_all_tools().await.unwrap();
    let search = listed
        .iter()
        .find(|tool| tool.name == "search_memory")
        .unwrap();
    assert_eq!(
        search.annotations.as_ref().unwrap().read_only_hint,
        Some(false)
    );
    let found = call(
        &client,
        "search_memory",
        json!({ "query": "PostgreSQL", "limit": 1 }),
    )
    .await;
    let id: MemoryId = ids(&found)[0].parse().unwrap();
    assert_eq!(
        space.lifecycle().standings(&[id]).unwrap()[0]
            .as_ref()
            .unwrap()
            .returned,
        1
    );
}

#[tokio::test]
async fn a_wrong_call_is_answered_with_what_is_wrong() {
    let (memory, _space) = agent();
    let client = one(&memory, "agent").await;
    let wrong = call(&client, "search_memory", json!({ "limit": 3 })).await;
    assert_eq!(wrong.is_error, Some(true));
    assert!(
        text(&wrong).contains(r#""success":false"#) && text(&wrong).contains("query"),
        "{}",
        text(&wrong)
    );
}
