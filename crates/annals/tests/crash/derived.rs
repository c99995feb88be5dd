//! A process that is killed while memories are derived again, or deleted in the background: each
//! has its effect once.

#![cfg(unix)]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::killed::{Life, Steps, everything, step, valid};
use crate::support::few::Few;
use crate::support::life::day;
use annals::blocking::Memory;
use annals::{Filter, JudgeError, Layer, Mode, NewMemory, NewTurn, Options, Summarizer};

static ANSWERS: AtomicU64 = AtomicU64::new(0);

/// Never sums up in the same words.
struct Teller;

impl Summarizer for Teller {
    fn summarize(&self, turns: &[annals::StoredMemory]) -> Result<String, JudgeError> {
        step();
        let once = format!(
            "again {}.{}",
            std::process::id(),
            ANSWERS.fetch_add(1, Ordering::SeqCst)
        );
        step();
        Ok(format!("{once} of {}", turns.len()))
    }
}

fn open(folder: &Path, at: f64) -> Memory {
    let options = Options::new()
        .clock(Arc::new(Steps(day(at))))
        .embedder(Arc::new(Few))
        .summarizer(Arc::new(Teller));
    options.open(folder.join("u.annals")).unwrap()
}

/// A summary that lost one of its three turns.
fn fewer() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(folder.path(), 0.0);
    let space = memory.create_namespace("u", "agent").unwrap();
    let turn = |text: &str| NewTurn::builder("s", text).build().unwrap();
    let said = space
        .sessions()
        .append(
            ["to Berlin", "ate noodles", "saw a film"]
                .map(turn)
                .to_vec(),
        )
        .unwrap();
    let mut summary = NewMemory::builder("a day")
        .kind("FACT")
        .layer(Layer::Episodic);
    for turn in &said {
        summary = summary.derived_from(*turn);
    }
    space.remember(summary.build().unwrap()).unwrap();
    space.delete(said[1], Mode::Commit).unwrap();
    assert_eq!(space.queue().list(10).unwrap().len(), 1);
    folder
}

fn works_off(folder: &Path, at: f64) {
    let memory = open(folder, at);
    memory.namespace("u").unwrap().queue().work_off().unwrap();
    memory.wait_idle().unwrap();
}

fn derived_once(folder: &Path, at: f64) {
    let memory = open(folder, at);
    let space = memory.namespace("u").unwrap();
    assert_eq!(space.queue().list(10).unwrap(), []);
    let all = everything(&space);
    let made: Vec<_> = all
        .iter()
        .filter(|memory| memory.body.layer == Layer::Episodic)
        .collect();
    assert_eq!((all.len(), made.len()), (3, 1));
    assert!(
        made[0].body.text.starts_with("again ") && made[0].body.text.ends_with(" of 2"),
        "{}",
        made[0].body.text
    );
    assert_eq!(
        space.history(made[0].id).unwrap().len(),
        1,
        "what it said before is gone"
    );
    valid(&memory);
}

#[test]
fn what_lost_a_source_is_made_again_once() {
    let life = Life {
        begun: fewer,
        works: works_off,
        once: derived_once,
    };
    life.ends_at_any_step("derived::what_lost_a_source_is_made_again_once", 4);
}

/// More memories than three transactions of a deletion take.
const MANY: usize = 1200;

/// A file with them; made once.
fn full() -> tempfile::TempDir {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let memory = open(folder.path(), 0.0);
        let space = memory.namespace("u").unwrap();
        let one = |n| NewMemory::builder(format!("memory {n}")).build().unwrap();
        space.bulk().remember((0..MANY).map(one).collect()).unwrap();
        memory.wait_idle().unwrap();
        folder
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(made.path().join("u.annals"), folder.path().join("u.annals")).unwrap();
    folder
}

/// Orders the deletion in the first life; later ones go on with it. The order does not cover
/// memories that are stored after it.
fn deletes(folder: &Path, at: f64) {
    let memory = open(folder, at);
    let space = memory.namespace("u").unwrap();
    if !folder.join("ordered").exists() && everything(&space).len() >= 500 {
        if space.queue().list(10).unwrap().is_empty() {
            space.queue().delete(&Filter::default()).unwrap();
        }
        std::fs::write(folder.join("ordered"), "").unwrap();
    }
    // A life may end between a file and what is written into it.
    if std::fs::read_to_string(folder.join("later"))
        .unwrap_or_default()
        .is_empty()
    {
        let id = space.remember("later").unwrap();
        std::fs::write(folder.join("later"), id.to_string()).unwrap();
    }
    memory.wait_idle().unwrap();
}

fn deleted_once(folder: &Path, at: f64) {
    let memory = open(folder, at);
    memory.wait_idle().unwrap();
    let space = memory.namespace("u").unwrap();
    assert_eq!(space.queue().list(10).unwrap(), []);
    let left = everything(&space);
    assert!(
        left.iter().all(|memory| memory.body.text == "later"),
        "{left:?}"
    );
    let later = std::fs::read_to_string(folder.join("later")).unwrap();
    assert!(
        left.iter().any(|memory| memory.id.to_string() == later),
        "what came after the order stays"
    );
    valid(&memory);
}

#[test]
fn what_was_ordered_is_deleted_and_nothing_else() {
    let life = Life {
        begun: full,
        works: deletes,
        once: deleted_once,
    };
    life.ends_at_any_step("derived::what_was_ordered_is_deleted_and_nothing_else", 4);
}
