//! Another writer behind the same engine: what is in memory is loaded again once it is noticed, and
//! nothing is lost.

use std::sync::Arc;

use annals::blocking::Memory;
use annals::{Options, Query};
use annals_storage::MemoryEngine;

fn found(memory: &Memory, words: &str) -> bool {
    let hits = memory
        .namespace("u")
        .unwrap()
        .recall(Query::new(words))
        .unwrap();
    hits.iter().any(|hit| hit.text.contains(words))
}

#[test]
fn what_another_writer_stored_is_found_once_it_was_noticed() {
    let engine = Arc::new(MemoryEngine::new());
    let open = || {
        Options::new()
            .open_on(Box::new(Arc::clone(&engine)))
            .unwrap()
    };
    let (one, two) = (open(), open());
    let (ours, theirs) = (one.namespace("u").unwrap(), two.namespace("u").unwrap());
    ours.remember("a violet accordion").unwrap();
    assert!(found(&one, "violet accordion"));
    let id = theirs.remember("a green kettle").unwrap();
    theirs.remember("a striped umbrella").unwrap();
    // The next write is refused, noticed and run again on top of what the other stored.
    let third = ours.remember("a wooden bridge").unwrap();
    for words in [
        "violet accordion",
        "green kettle",
        "striped umbrella",
        "wooden bridge",
    ] {
        assert!(found(&one, words), "{words}");
    }
    theirs.forget(id).unwrap();
    ours.forget(third).unwrap();
    assert!(!found(&one, "green kettle"));
    assert_eq!(one.validate().unwrap().problems, Vec::<String>::new());
    assert_eq!(one.stats().unwrap().memories, 4);
}
