//! Compacting: beside whatever goes on, and without a trace of what was deleted.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use annals::blocking::{Memory, Namespace};
use annals::profile::Profile;
use annals::{MemoryId, Mode, NewTurn, Options};

/// Texts of which every word is its own.
fn text(n: usize) -> String {
    format!("alpha{n:05}x keeps beta{n:05}x beside gamma{n:05}x")
}

/// Whether the file holds any word of a text.
fn traces(bytes: &[u8], n: usize) -> bool {
    ["alpha", "beta", "gamma"].iter().any(|word| {
        let word = format!("{word}{n:05}x");
        memchr::memmem::find(bytes, word.as_bytes()).is_some()
    })
}

/// Indexes are folded and built of few rows already.
fn open(path: &Path) -> Memory {
    let mut small = Profile::default();
    small.text.fold_above_rows = 16;
    (small.vector.exact_up_to_rows, small.vector.tail_up_to_rows) = (32, 16);
    Options::new().profile(small).open(path).unwrap()
}

fn store(space: &Namespace, numbers: std::ops::Range<usize>) -> Vec<(usize, MemoryId)> {
    let turns = numbers
        .clone()
        .map(|n| NewTurn::builder("s", text(n)).build().unwrap())
        .collect();
    numbers
        .zip(space.sessions().append(turns).unwrap())
        .collect()
}

#[test]
fn no_word_of_what_was_deleted_is_left_after_any_of_three_compactions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.annals");
    let memory = open(&path);
    let space = memory.namespace("u").unwrap();
    let mut deleted = Vec::new();
    for round in 0..3 {
        let stored = store(&space, round * 143..(round + 1) * 143);
        for (n, id) in stored.iter().filter(|(n, _)| n % 3 > 0) {
            space.delete(*id, Mode::Commit).unwrap();
            deleted.push(*n);
        }
        let report = memory.compact().unwrap();
        assert_eq!(report.after_bytes, std::fs::metadata(&path).unwrap().len());
        let bytes = std::fs::read(&path).unwrap();
        let left: Vec<usize> = deleted
            .iter()
            .copied()
            .filter(|n| traces(&bytes, *n))
            .collect();
        assert_eq!(left, Vec::<usize>::new(), "round {round}");
        assert!((0..(round + 1) * 143).step_by(3).all(|n| traces(&bytes, n)));
    }
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
    drop((space, memory));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(open(&path).stats().unwrap().memories, 143);
}

/// The background work, recalls and writes of other threads neither hinder compacting nor are
/// hindered.
#[test]
fn compacting_goes_on_beside_recall_and_remembering() {
    let folder = tempfile::tempdir().unwrap();
    let memory = open(&folder.path().join("a.annals"));
    let space = memory.namespace("u").unwrap();
    store(&space, 0..300);
    let ended = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            let mut n = 300;
            while !ended.load(Ordering::SeqCst) && n < 1000 {
                space.remember(text(n)).unwrap();
                n += 1;
            }
            n
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !ended.load(Ordering::SeqCst) {
                    assert!(
                        !space
                            .recall("alpha00007x keeps beta00007x")
                            .unwrap()
                            .is_empty()
                    );
                }
            });
        }
        for _ in 0..5 {
            memory.compact().unwrap();
        }
        ended.store(true, Ordering::SeqCst);
        writing.join().unwrap()
    });
    assert_eq!(memory.stats().unwrap().memories, written as u64);
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
}
