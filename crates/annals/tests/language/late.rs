//! Tools answer before what they store is embedded.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use annals::blocking::Namespace;
use annals::profile::RecallMode;
use annals::{
    Calibration, EmbedError, Embedder, Fingerprint, ListQuery, MemoryId, Mode, Options, Purpose,
    Query, Status, Timestamp,
};
use serde_json::json;

use super::tools::{attributes, call, create, id_of, under};

/// An embedder that waits to be let go before it embeds stored memories, and notes the state in
/// which it was asked.
struct Held {
    space: Mutex<Option<Namespace>>,
    stored: Mutex<Vec<Stored>>,
    entered: Sender<()>,
    gate: Mutex<Receiver<()>>,
}

/// How many memories there were, and of the newest its time and its attributes.
type Stored = (u64, Option<Timestamp>, Vec<(String, String)>);

impl Held {
    /// The embedder, what tells that it is at work, and what lets it go.
    fn new() -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let (entered, on_entry) = channel();
        let (release, gate) = channel();
        let held = Self {
            space: Mutex::default(),
            stored: Mutex::default(),
            entered,
            gate: Mutex::new(gate),
        };
        (Arc::new(held), on_entry, release)
    }
}

impl Embedder for Held {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("held".to_owned())
    }

    fn dims(&self) -> usize {
        64
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.2, 0.9))
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if purpose == Purpose::Passage {
            let space = self.space.lock().unwrap().clone().unwrap();
            let page = space
                .list(&ListQuery {
                    limit: 1,
                    ..ListQuery::default()
                })
                .unwrap();
            let newest = &page.memories[0];
            let stored = (
                page.total,
                newest.body.event_time,
                attributes(&space, newest.id),
            );
            drop(space);
            self.stored.lock().unwrap().push(stored);
            let _ = self.entered.send(());
            let _ = self.gate.lock().unwrap().recv();
        }
        let vector = |text: &&str| {
            let mut vector = vec![0.0; 64];
            vector[text.len() % 64] = 1.0;
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[test]
fn a_call_answers_before_anything_is_embedded_or_merged() {
    // part: G-29
    let (held, on_entry, release) = Held::new();
    let (memory, space, _) = under(
        "graph",
        Options::new().embedder(Arc::clone(&held) as Arc<dyn Embedder>),
    );
    *held.space.lock().unwrap() = Some(space.clone());
    let meal = |n: usize| {
        let object = format!("第{n}碗饭");
        json!({"subject":"我","memory_type":"事件","topic":"吃饭","object":object,"attributes":{"时间":"昨天"}})
    };
    let first = create(&space, meal(0));
    on_entry.recv().unwrap();
    // When the embedder is asked it is stored, and its time is that of a day, not of a phrase.
    let absolute = vec![("时间".to_owned(), "2025-11-04".to_owned())];
    let yesterday = "2025-11-04T00:00:00Z".parse().unwrap();
    assert_eq!(
        held.stored.lock().unwrap().as_slice(),
        [(1, Some(yesterday), absolute)]
    );
    // The embedder is still at work on the first, and nobody waits for it.
    let others: Vec<MemoryId> = (1..20).map(|n| create(&space, meal(n))).collect();
    assert_eq!(held.stored.lock().unwrap().len(), 1);
    assert_eq!(space.graph().merges().list().unwrap(), []);
    let topics = space.graph().entities("吃饭").unwrap();
    assert_eq!(
        topics.len(),
        20,
        "nothing is merged while the conversation runs"
    );
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    let found = space
        .recall(Query::new("第3碗饭").mode(RecallMode::Fast).top_k(20))
        .unwrap();
    assert!(
        found.iter().any(|hit| hit.id == others[2]),
        "found by its words"
    );
    drop(release);
    memory.wait_idle().unwrap();
    assert_eq!(space.get(first).unwrap().unwrap().status, Status::Staged);
    assert_eq!(
        memory
            .namespace("u")
            .unwrap()
            .admin()
            .stats()
            .unwrap()
            .open
            .unwrap()
            .vectors,
        20
    );
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    *held.space.lock().unwrap() = None;
}

#[test]
fn vectors_that_are_owed_are_made_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("u.annals");
    let broken = crate::support::likeness::Scripted::default();
    let memory = Options::new()
        .embedder(Arc::new(broken))
        .open(&path)
        .unwrap();
    let space = memory.create_namespace("u", "graph").unwrap();
    create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"吃饭"}),
    );
    let gone = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"睡觉"}),
    );
    space.delete(gone, Mode::Commit).unwrap();
    drop((space, memory));
    let memory = Options::new()
        .embedder(Arc::new(crate::support::likeness::Scripted::default()))
        .open(&path)
        .unwrap();
    let space = memory.namespace("u").unwrap();
    space.admin().stats().unwrap();
    memory.wait_idle().unwrap();
    assert_eq!(space.admin().stats().unwrap().open.unwrap().vectors, 1);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn descriptions_name_memories_or_bring_up_those_that_may_be_meant() {
    // part: G-41
    let (held, _on_entry, release) = Held::new();
    let (memory, space, clock) = under(
        "graph",
        Options::new().embedder(Arc::clone(&held) as Arc<dyn Embedder>),
    );
    *held.space.lock().unwrap() = Some(space.clone());
    let mood = create(
        &space,
        json!({"subject":"我","memory_type":"事实","topic":"情绪","object":"不开心"}),
    );
    clock.advance_millis(1000);
    let smash = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"摔东西"}),
    );
    let link = |source: &str, target: &str| {
        call(
            &space,
            "link_memories",
            &json!({"source":source,"target":target,"relation_type":"导致"}),
        )
    };
    // No vector is there yet.
    let linked = link("我今天不开心", "我摔东西");
    assert_eq!(
        (id_of(&linked["source_id"]), id_of(&linked["target_id"])),
        (mood, smash)
    );
    let by_id = link(&mood.to_string(), "我摔东西");
    assert_eq!(by_id["source_id"], linked["source_id"]);
    drop(release);
    memory.wait_idle().unwrap();
    for topic in ["跑步", "游泳", "下棋"] {
        create(
            &space,
            json!({"subject":"我","memory_type":"事件","topic":topic}),
        );
    }
    memory.wait_idle().unwrap();
    let nonsense = link("量子纠缠的火星香蕉飞船", "我摔东西");
    assert_eq!(nonsense["success"], false);
    assert_eq!(nonsense["error"]["field"], "source_memory_description");
    let candidates = nonsense["candidates"].as_array().unwrap();
    assert!(candidates.len() <= 3, "{nonsense}");
    assert!(
        candidates
            .iter()
            .all(|candidate| candidate["score"].as_f64().unwrap() < 0.6)
    );
    let missing = link("00000000-0000-7000-8000-000000000000", "我摔东西");
    assert_eq!(missing["error"]["field"], "source_memory_description");
    // Of two that are equally like it the newest is meant.
    clock.advance_millis(1000);
    let newer = create(
        &space,
        json!({"subject":"我","memory_type":"事件","topic":"摔东西"}),
    );
    memory.wait_idle().unwrap();
    assert_eq!(id_of(&link("我今天不开心", "我摔东西")["target_id"]), newer);
    let itself = link("我摔东西", "我摔东西");
    assert_eq!(itself["success"], false, "{itself}");
    *held.space.lock().unwrap() = None;
}

#[test]
fn a_thousand_calls_wait_for_no_embedder() {
    // part: G-31
    // An embedder that never answers is slower than one that takes 500 ms; how many milliseconds a
    // call takes, `report times` prints (G-135).
    let (held, on_entry, release) = Held::new();
    let (memory, space, _) = under(
        "graph",
        Options::new().embedder(Arc::clone(&held) as Arc<dyn Embedder>),
    );
    *held.space.lock().unwrap() = Some(space.clone());
    let call = |n: usize| json!({"subject":"我","memory_type":"事件","topic":format!("散步{n}"),"object":format!("第{n}圈")});
    create(&space, call(0));
    on_entry.recv().unwrap();
    let ids: Vec<MemoryId> = (1..1000).map(|n| create(&space, call(n))).collect();
    // All are answered and stored, and the embedder is still at its first call.
    assert_eq!((ids.len(), held.stored.lock().unwrap().len()), (999, 1));
    let stats = space.admin().stats().unwrap();
    assert_eq!((stats.memories, stats.open.unwrap().vectors), (1000, 0));
    drop(release);
    memory.wait_idle().unwrap();
    assert_eq!(space.admin().stats().unwrap().open.unwrap().vectors, 1000);
    assert!(
        space
            .get(ids[998])
            .unwrap()
            .is_some_and(|memory| memory.status == Status::Staged)
    );
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
    *held.space.lock().unwrap() = None;
}
