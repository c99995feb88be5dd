//! A crash while a memory is written leaves all of it or nothing, in every layer.

#![cfg(unix)]

use std::path::Path;

use annals::blocking::Memory;
use annals::{ListQuery, NewTurn};

fn remember(memory: &Memory, text: &str) {
    let turn = NewTurn::builder("s", text)
        .speaker("Ada")
        .tag("t")
        .reply("Noted.")
        .build()
        .unwrap();
    memory
        .namespace("u")
        .unwrap()
        .sessions()
        .append(vec![turn])
        .unwrap();
}

/// Opens what a crash left and tells whether the second memory is there; it must be there in all
/// layers, or in none.
fn survives(path: &Path) -> bool {
    let memory = Memory::open(path).unwrap();
    assert_eq!(memory.validate().unwrap().problems, Vec::<String>::new());
    let user = memory.namespace("u").unwrap();
    let total = user.list(&ListQuery::default()).unwrap().total;
    let hits = user.recall("lighthouse").unwrap();
    let there = hits
        .first()
        .is_some_and(|hit| hit.text.contains("lighthouse"));
    assert_eq!(total, 1 + u64::from(there));
    assert_eq!(
        user.session("s").memories(0, 10).unwrap().len() as u64,
        total
    );
    assert_eq!(user.admin().events(0, 10).unwrap().len() as u64, total);
    assert_eq!(user.admin().stats().unwrap().open.unwrap().vectors, total);
    assert_eq!(
        user.recall("harbour").unwrap()[0].text,
        "The harbour is small.",
        "what was there before is there"
    );
    // And it can be written on.
    remember(&memory, "One more.");
    assert_eq!(user.list(&ListQuery::default()).unwrap().total, total + 1);
    there
}

#[test]
fn a_write_that_is_torn_anywhere_is_whole_or_absent() {
    // part: S-19
    let folder = tempfile::tempdir().unwrap();
    let (live, torn) = (
        folder.path().join("live.annals"),
        folder.path().join("torn.annals"),
    );
    let memory = Memory::open(&live).unwrap();
    remember(&memory, "The harbour is small.");
    let before = std::fs::read(&live).unwrap();
    remember(&memory, "The lighthouse is green.");
    let after = std::fs::read(&live).unwrap();
    assert_eq!(before.len(), after.len());
    let changed: Vec<usize> = (0..after.len())
        .filter(|at| before[*at] != after[*at])
        .collect();
    assert!(
        changed.len() > 500,
        "the write is in the file when the call returns"
    );
    // The disk wrote the first so many of the changed bytes, or only the last ones: they have no
    // order within one sync.
    let mut outcomes = Vec::new();
    for step in 0..=24 {
        let cut = changed.len() * step / 24;
        for (from, to) in [(0, cut), (changed.len() - cut, changed.len())] {
            let mut bytes = before.clone();
            changed[from..to]
                .iter()
                .for_each(|at| bytes[*at] = after[*at]);
            std::fs::write(&torn, bytes).unwrap();
            outcomes.push((to - from == changed.len(), survives(&torn)));
        }
    }
    assert!(
        outcomes.iter().all(|(whole, there)| whole == there),
        "{outcomes:?}"
    );
}
