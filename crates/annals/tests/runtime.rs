//! The asynchronous calls, inside a runtime and without one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test fails by panicking"
)]

use annals::{Memory, Query};

async fn flow() -> Result<(), annals::Error> {
    let memory = Memory::from(annals::blocking::Memory::options().in_memory()?);
    let user = memory.namespace("user:42")?;
    let id = user.remember("I moved to Berlin in March 2023 for a job at a robotics startup.").await?;
    let hits = user.recall(Query::new("where do I live now?").top_k(1)).await?;
    assert_eq!(hits[0].id, id);
    user.update(id, "I moved to Lisbon.").await?;
    user.forget(id).await?;
    assert!(user.recall("Lisbon").await?.is_empty());
    assert_eq!(memory.namespaces().await?.len(), 1);
    Ok(())
}

#[test]
fn without_a_runtime() {
    pollster::block_on(flow()).unwrap();
}

#[test]
fn inside_tokio() {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(flow()).unwrap();
}

#[test]
fn a_dropped_future_leaves_all_or_nothing() {
    let blocking = annals::blocking::Memory::options().in_memory().unwrap();
    let memory = Memory::from(blocking.clone());
    let user = memory.namespace("u").unwrap();
    drop(user.remember("never polled"));
    assert!(blocking.namespaces().unwrap().is_empty());
}
