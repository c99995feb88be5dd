//! Resources and prompts.

use crate::support;

use annals::blocking::Memory;
use annals::{Layer, NewMemory};
use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};
use support::{Client, memory, one, prompt};

async fn read(client: &Client, uri: &str) -> (String, String) {
    let read = client
        .read_resource(ReadResourceRequestParams::new(uri))
        .await
        .unwrap();
    let content = serde_json::to_value(&read.contents[0]).unwrap();
    (
        content["text"].as_str().unwrap().to_owned(),
        content["mimeType"].as_str().unwrap().to_owned(),
    )
}

fn filled() -> Memory {
    let memory = memory();
    let space = memory.namespace("user:42").unwrap();
    space.remember("The user's cat is called Momo.").unwrap();
    let core = NewMemory::builder("The user's name is Ada.")
        .layer(Layer::Core)
        .build()
        .unwrap();
    space.remember(core).unwrap();
    memory
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let client = one(&filled(), "user:42").await;
    let listed = client.list_all_resources().await.unwrap();
    let uris: Vec<&str> = listed
        .iter()
        .map(|resource| resource.uri.as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "annals://user%3A42/core",
            "annals://user%3A42/MEMORY.md",
            "annals://user%3A42/stats"
        ]
    );
    let (core, mime) = read(&client, uris[0]).await;
    assert!(
        core.contains("Ada") && !core.contains("Momo") && mime == "text/markdown",
        "{core}"
    );
    let (file, _) = read(&client, uris[1]).await;
    assert!(
        file.starts_with("# ") && file.contains("## fact") && file.contains("- The user's cat"),
        "{file}"
    );
    let (stats, mime) = read(&client, uris[2]).await;
    let stats: Value = serde_json::from_str(&stats).unwrap();
    assert_eq!(
        (stats["memories"].as_u64(), mime.as_str()),
        (Some(2), "application/json")
    );
}

#[tokio::test]
async fn the_mirrored_file_is_shown_where_there_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let memory = annals::Options::new()
        .mirrors(folder.path().to_str().unwrap())
        .in_memory()
        .unwrap();
    let notes = memory.create_namespace("notes", "markdown").unwrap();
    notes.remember("She likes tea.").unwrap();
    notes.files().sync(folder.path()).unwrap();
    let written = std::fs::read_to_string(folder.path().join("MEMORY.md")).unwrap();
    assert!(written.contains("She likes tea."));
    let client = one(&memory, "notes").await;
    assert_eq!(
        read(&client, "annals://notes/MEMORY.md").await.0.trim(),
        written.trim()
    );
}

#[tokio::test]
async fn prompts_are_listed_and_made() {
    let client = one(&filled(), "user:42").await;
    let listed = client.list_all_prompts().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|prompt| prompt.name.as_str()).collect();
    assert_eq!(names, ["recall-context", "review", "keep"]);
    assert!(listed.iter().all(|prompt| prompt.description.is_some()));
    let recall = prompt(
        &client,
        "recall-context",
        json!({ "question": "What is the cat called?" }),
    )
    .await;
    assert!(
        recall.contains("Momo") && recall.contains("What is the cat called?"),
        "{recall}"
    );
    let review = prompt(&client, "review", json!({})).await;
    assert!(
        review.contains("Momo") && review.contains("Ada"),
        "{review}"
    );
    let review = prompt(&client, "review", json!({ "topic": "cat" })).await;
    assert!(review.contains("Momo"), "{review}");
    assert!(
        prompt(&client, "keep", json!({}))
            .await
            .contains("remember")
    );
}
