//! Results of tools are condensed beside the conversation: one turn at a time, and no longer than
//! it is wanted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use annals::blocking::WorkingMemory;
use annals::llm::provider::{Provider, ProviderError, Reply, Request};
use annals::{Cancel, ManualClock, NewTurn, Options, Role};

use crate::support::gate::Gate;
use crate::support::life::day;

/// A model that answers the third question; before that it waits until it is cancelled, or cannot
/// be interrupted at all.
struct Stubborn {
    asked: Mutex<Sender<String>>,
    calls: AtomicUsize,
    at_work: AtomicUsize,
    most: AtomicUsize,
    deaf: Option<Gate>,
}

impl Stubborn {
    fn new(deaf: bool) -> (Arc<Self>, std::sync::mpsc::Receiver<String>) {
        let (asked, entered) = channel();
        let (calls, at_work, most) = Default::default();
        (
            Arc::new(Self {
                asked: Mutex::new(asked),
                calls,
                at_work,
                most,
                deaf: deaf.then(Gate::default),
            }),
            entered,
        )
    }
}

impl Provider for Stubborn {
    fn name(&self) -> String {
        "a stubborn model".to_owned()
    }

    fn chat(&self, request: &Request, cancel: &Cancel) -> Result<Reply, ProviderError> {
        let (call, at_work) = (
            self.calls.fetch_add(1, Ordering::SeqCst),
            self.at_work.fetch_add(1, Ordering::SeqCst) + 1,
        );
        self.most.fetch_max(at_work, Ordering::SeqCst);
        self.asked
            .lock()
            .unwrap()
            .send(request.messages[1].text.clone())
            .unwrap();
        match &self.deaf {
            Some(gate) => gate.pass(),
            None if call < 2 => while !cancel.wait(Duration::from_secs(60)) {},
            None => {}
        }
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        if cancel.is_cancelled() {
            Err(ProviderError::Cancelled { what: self.name() })
        } else {
            Ok(Reply::text("有用。"))
        }
    }
}

fn talk(model: &Arc<Stubborn>) -> WorkingMemory {
    let options = Options::new().clock(Arc::new(ManualClock::new(day(0.0))));
    let memory = options
        .model(Arc::<Stubborn>::clone(model))
        .in_memory()
        .unwrap();
    memory
        .create_namespace("u", "companion")
        .unwrap()
        .session("s")
        .working()
        .unwrap()
}

fn turn(talk: &WorkingMemory, text: &str) {
    let said = |role, text: &str| NewTurn::builder("s", text).role(role).build().unwrap();
    for (role, text) in [
        (Role::User, text),
        (Role::Tool, "结果"),
        (Role::Assistant, "好"),
    ] {
        talk.say(said(role, text)).unwrap();
    }
    talk.end_turn().unwrap();
}

#[test]
fn the_turn_before_is_given_up() {
    let (model, entered) = Stubborn::new(false);
    let talk = talk(&model);
    for text in ["第一轮", "第二轮", "第三轮"] {
        turn(&talk, text);
        assert!(entered.recv().unwrap().contains(text));
    }
    assert_eq!(talk.prepared_context().as_deref(), Some("有用。"));
    assert_eq!(
        (
            model.calls.load(Ordering::SeqCst),
            model.most.load(Ordering::SeqCst)
        ),
        (3, 1),
        "one at a time"
    );
}

#[test]
fn a_model_that_hangs_holds_one_thread_and_only_the_latest_turn_waits_for_it() {
    let (model, entered) = Stubborn::new(true);
    let talk = talk(&model);
    turn(&talk, "第一轮");
    assert!(entered.recv().unwrap().contains("第一轮"));
    for text in ["第二轮", "第三轮", "第四轮"] {
        turn(&talk, text);
    }
    model.deaf.as_ref().unwrap().open();
    assert!(
        entered.recv().unwrap().contains("第四轮"),
        "what came between is nobody's business any more"
    );
    assert_eq!(talk.prepared_context().as_deref(), Some("有用。"));
    assert_eq!(
        (
            model.calls.load(Ordering::SeqCst),
            model.most.load(Ordering::SeqCst)
        ),
        (2, 1)
    );
}
