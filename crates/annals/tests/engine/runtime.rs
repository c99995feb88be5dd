//! The asynchronous calls, inside a runtime and without one.

use annals::llm::provider::{Provider, ProviderError, Reply, Request};
use annals::{Cancel, Memory, NewTurn, Query, QueueState};

async fn flow() -> Result<(), annals::Error> {
    let memory = Memory::from(annals::blocking::Memory::options().in_memory()?);
    let user = memory.namespace("user:42")?;
    let id = user
        .remember("I moved to Berlin in March 2023 for a job at a robotics startup.")
        .await?;
    let hits = user
        .recall(Query::new("where do I live now?").top_k(1))
        .await?;
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
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(flow())
        .unwrap();
}

#[test]
fn a_dropped_future_leaves_all_or_nothing() {
    let blocking = annals::blocking::Memory::options().in_memory().unwrap();
    let memory = Memory::from(blocking.clone());
    let user = memory.namespace("u").unwrap();
    drop(user.remember("never polled"));
    assert!(blocking.namespaces().unwrap().is_empty());
}

/// A model that gives no answer until it is cancelled, and tells when it was asked and when it was
/// given up.
struct Slow(std::sync::Mutex<std::sync::mpsc::Sender<&'static str>>);

impl Provider for Slow {
    fn name(&self) -> String {
        "a slow model".to_owned()
    }

    fn chat(&self, _request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        self.0.lock().unwrap().send("asked").unwrap();
        assert!(
            cancel.wait(std::time::Duration::from_secs(600)),
            "the test takes no ten minutes"
        );
        self.0.lock().unwrap().send("given up").unwrap();
        Err(ProviderError::Cancelled { what: self.name() })
    }
}

#[test]
fn a_dropped_future_gives_up_what_a_model_is_asked() {
    let (told, heard) = std::sync::mpsc::channel();
    let model = std::sync::Arc::new(Slow(std::sync::Mutex::new(told)));
    let blocking = annals::blocking::Memory::options()
        .model(model)
        .in_memory()
        .unwrap();
    let space = blocking.create_namespace("u", "companion").unwrap();
    space
        .sessions()
        .append(vec![
            NewTurn::builder("s", "I like tea.")
                .reply("Noted.")
                .build()
                .unwrap(),
        ])
        .unwrap();
    let queue = Memory::from(blocking.clone())
        .namespace("u")
        .unwrap()
        .queue();
    {
        let mut working = std::pin::pin!(queue.work_off());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(working.as_mut().poll(&mut context).is_pending());
        assert_eq!(heard.recv().unwrap(), "asked");
    }
    assert_eq!(heard.recv().unwrap(), "given up");
    // The thread that asked puts the work back in its own time.
    let task = loop {
        let task = space.queue().list(1).unwrap().remove(0);
        if task.state == QueueState::Waiting {
            break task;
        }
        std::thread::yield_now();
    };
    assert_eq!(
        (task.attempts, task.last_error.as_str()),
        (0, ""),
        "nobody failed"
    );
}

#[test]
fn who_cancels_is_told_what_was_not_done() {
    let (told, heard) = std::sync::mpsc::channel();
    let model = std::sync::Arc::new(Slow(std::sync::Mutex::new(told)));
    let memory = annals::blocking::Memory::options()
        .model(model)
        .in_memory()
        .unwrap();
    let space = memory.create_namespace("u", "companion").unwrap();
    for text in ["I like tea.", "I like rain."] {
        space
            .sessions()
            .append(vec![
                NewTurn::builder("s", text).reply("Noted.").build().unwrap(),
            ])
            .unwrap();
    }
    let cancel = Cancel::new();
    let counts = std::thread::scope(|scope| {
        let working = scope.spawn(|| space.queue().work_off_until(&cancel).unwrap());
        assert_eq!(heard.recv().unwrap(), "asked");
        cancel.cancel();
        working.join().unwrap()
    });
    assert_eq!(
        counts.into_iter().collect::<Vec<_>>(),
        [("cancelled".to_owned(), 1)]
    );
    assert!(
        space
            .queue()
            .list(9)
            .unwrap()
            .iter()
            .all(|task| task.state == QueueState::Waiting && task.attempts == 0)
    );
    assert_eq!(space.queue().list(9).unwrap().len(), 2);
}
