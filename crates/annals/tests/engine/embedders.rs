//! Changing the embedder of a file, and embedders that fail.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use annals::blocking::Memory;
use annals::graph::NewSubgraph;
use annals::{Calibration, EmbedError, Embedder, Fingerprint, MemoryId, NewMemory, Purpose};
use annals_storage::{Keyspace, Store};

/// Embeds by counting letters; can be told to fail.
#[derive(Default)]
struct Letters {
    broken: AtomicBool,
    /// A word of which it will have nothing.
    shunned: Mutex<Option<&'static str>>,
}

impl Embedder for Letters {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint("letters/1".to_owned())
    }

    fn dims(&self) -> usize {
        26
    }

    fn calibration(&self) -> Option<Calibration> {
        Some(Calibration::uniform(0.5, 1.0))
    }

    fn embed(&self, texts: &[&str], _: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let shunned = self
            .shunned
            .lock()
            .unwrap()
            .is_some_and(|word| texts.iter().any(|text| text.contains(word)));
        if shunned || self.broken.load(Ordering::Relaxed) {
            return Err(EmbedError::Unavailable {
                what: "letters".to_owned(),
                reason: "told to fail".to_owned(),
                advice: "try again".to_owned(),
            });
        }
        let count = |text: &&str| {
            let mut vector = [0.01_f32; 26];
            text.bytes()
                .filter(u8::is_ascii_lowercase)
                .for_each(|b| vector[usize::from(b - b'a')] += 1.0);
            let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            vector.iter().map(|x| x / norm).collect()
        };
        Ok(texts.iter().map(count).collect())
    }
}

#[test]
fn reembedding_switches_at_once_and_recall_never_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.annals");
    let memory = Memory::open(&path).unwrap();
    let user = memory.namespace("u").unwrap();
    for n in 0..600 {
        user.remember(format!("note {n} about lighthouses"))
            .unwrap();
    }
    drop((user, memory));
    let letters = Arc::new(Letters::default());
    let memory = Memory::options()
        .embedder(Arc::clone(&letters) as _)
        .open(&path)
        .unwrap();
    let user = memory.namespace("u").unwrap();
    user.remember("written in between").unwrap();
    assert!(
        !user.recall("lighthouses").unwrap().is_empty(),
        "the old vectors are searched meanwhile"
    );
    let mut seen = Vec::new();
    let report = user
        .transfer()
        .reembed(&mut |progress| seen.push((progress.done, progress.total)))
        .unwrap();
    assert_eq!(
        (report.embedded, report.already, report.cleared_spaces),
        (600, 1, 1)
    );
    assert_eq!(seen.last(), Some(&(601, 601)));
    let stats = user.admin().stats().unwrap().open.unwrap();
    assert_eq!(stats.vectors, 601);
    assert!(!user.recall("lighthouses").unwrap().is_empty());
    assert_eq!(user.transfer().reembed(&mut |_| {}).unwrap().embedded, 0);
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}

#[test]
fn an_embedder_that_fails_stops_writes_but_not_recall() {
    let letters = Arc::new(Letters::default());
    let memory = Memory::options()
        .embedder(Arc::clone(&letters) as _)
        .in_memory()
        .unwrap();
    let user = memory.namespace("u").unwrap();
    user.remember("the harbour is closed").unwrap();
    letters.broken.store(true, Ordering::Relaxed);
    assert!(user.remember("another").unwrap_err().is_embedder());
    let answer = user.answer("harbour").unwrap();
    assert_eq!(answer.hits.len(), 1);
    assert!(answer.without_vectors.unwrap().contains("told to fail"));
}

/// A memory about one subject: the next one ends the one before, which gets a revision.
fn framework(text: &str) -> NewMemory {
    let memory = NewMemory::builder(text)
        .kind("goal")
        .metadata("subject", "I")
        .metadata("predicate", "framework");
    memory.build().unwrap()
}

fn revisions(space: &annals::blocking::Namespace, id: MemoryId) -> u32 {
    space.get(id).unwrap().unwrap().revision
}

fn open(path: &Path, letters: &Arc<Letters>) -> Memory {
    Memory::options()
        .embedder(Arc::clone(letters) as _)
        .open(path)
        .unwrap()
}

#[track_caller]
fn all_have_vectors(memory: &Memory, rows: u64) {
    memory.namespace("u").unwrap().admin().stats().unwrap();
    memory.wait_idle().unwrap();
    let stats = memory.namespace("u").unwrap().admin().stats().unwrap();
    assert_eq!(stats.open.unwrap().vectors, rows);
    assert_eq!(memory.validate().unwrap().problems, [""; 0]);
}

#[test]
fn a_revision_of_what_waits_for_its_vector_waits_for_one_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.annals");
    let letters = Arc::new(Letters::default());
    *letters.shunned.lock().unwrap() = Some("vue");
    let memory = open(&path, &letters);
    let space = memory.create_namespace("u", "studio").unwrap();
    let said = NewSubgraph::new("I", "goal", "framework");
    let (first, _) = space
        .graph()
        .stage_subgraph(framework("vue"), &said)
        .unwrap();
    memory.wait_idle().unwrap();
    space.remember(framework("react")).unwrap();
    memory.wait_idle().unwrap();
    assert_eq!(revisions(&space, first), 2, "the second ended the first");
    assert_eq!(
        memory.validate().unwrap().problems,
        [""; 0],
        "both rows of it wait"
    );
    drop((space, memory));
    *letters.shunned.lock().unwrap() = None;
    all_have_vectors(&open(&path, &letters), 3);
}

#[test]
fn a_revision_while_everything_is_embedded_again_gets_a_vector_of_the_new_embedder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.annals");
    let memory = Memory::open(&path).unwrap();
    let space = memory.create_namespace("u", "studio").unwrap();
    // More than are embedded at a time; the last of them is revised before its turn.
    let note = |n: usize| {
        NewMemory::builder(format!("{n}"))
            .kind("fact")
            .build()
            .unwrap()
    };
    space
        .bulk()
        .remember((0..300).map(note).collect::<Vec<_>>())
        .unwrap();
    let first: MemoryId = space.remember(framework("vue")).unwrap();
    drop((space, memory));
    let memory = open(&path, &Arc::default());
    let space = memory.namespace("u").unwrap();
    let mut second = None;
    space
        .transfer()
        .reembed(&mut |_| {
            second.get_or_insert_with(|| space.remember(framework("react")).unwrap());
        })
        .unwrap();
    assert_eq!(revisions(&space, first), 2, "the second ended the first");
    all_have_vectors(&memory, 303);
}

#[test]
fn a_memory_without_a_vector_is_found_and_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.annals");
    let memory = Memory::open(&path).unwrap();
    let space = memory.namespace("u").unwrap();
    for text in ["the harbour", "the lighthouse"] {
        space.remember(text).unwrap();
    }
    drop((space, memory));
    // Namespace, space and row.
    let key = [1_u32, 0, 1].map(u32::to_be_bytes).concat();
    let store = Store::open(&path).unwrap();
    let gone = store
        .write(|txn| txn.delete(Keyspace::new("vector.codes"), &key))
        .unwrap()
        .0;
    assert!(gone);
    drop(store);
    let memory = Memory::open(&path).unwrap();
    let problems = memory.validate().unwrap().problems;
    assert_eq!(
        problems,
        ["namespace \"u\": row 1 has no vector and does not wait for one"]
    );
    all_have_vectors(&memory, 2);
}
