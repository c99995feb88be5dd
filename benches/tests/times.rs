//! `report times` prints what it says: the same measurements on a small scale. Whether limits are
//! kept is told by a release build on a quiet machine, not by this test.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use annals_benches::report::Outcome;
use annals_benches::report::times::{Limits, Sizes, agent, graph, notebook, service};

const SMALL: Sizes = Sizes {
    memories: 40,
    turns: 60,
    entries: 1000,
    edges: 1000,
    calls: 15,
};

/// What a measurement prints.
fn printed(measure: impl FnOnce(&mut Limits<'_>) -> Outcome) -> String {
    let mut out = Vec::new();
    measure(&mut Limits::new(&mut out)).unwrap();
    String::from_utf8(out).unwrap()
}

/// The line `WHAT: p50 N ms, p95 N ms, limit LIMIT ms: VERDICT` is there, and says of its own
/// figures whether the limit is kept.
#[track_caller]
fn shows(printed: &str, what: &str, limit: f64) {
    let figures = printed
        .lines()
        .find_map(|line| line.strip_prefix(what)?.strip_prefix(": p50 "));
    let figures = figures.unwrap_or_else(|| panic!("{what} is not in\n{printed}"));
    let words: Vec<&str> = figures.split(' ').collect();
    let [
        p50,
        "ms,",
        "p95",
        p95,
        "ms,",
        "limit",
        told,
        "ms:",
        verdict @ ..,
    ] = &words[..]
    else {
        panic!("{figures}")
    };
    let [p50, p95, told] = [p50, p95, told].map(|number| number.parse::<f64>().unwrap());
    assert!(p50 > 0.0 && p95 >= p50, "{figures}");
    assert_eq!(told, limit, "{what}");
    assert_eq!(
        verdict.join(" "),
        if p95 < limit { "kept" } else { "NOT KEPT" },
        "{figures}"
    );
}

#[test]
fn four_times_of_an_agent_stand_beside_their_limits() {
    // part: A-98; a miss is accepted, and the sizes are small
    let folder = tempfile::tempdir().unwrap();
    let printed = printed(|table| agent(&folder.path().join("a.annals"), &SMALL, table));
    shows(
        &printed,
        "A-98 add a memory, durable (embedding included: some microseconds)",
        20.0,
    );
    shows(&printed, "A-98 search_memory, 40 memories", 200.0);
    for keyword in [
        "a word of some turns",
        "two words that stand in none together",
        "a word of none",
    ] {
        shows(
            &printed,
            &format!("A-98 search_conversation_traces, 60 turns, {keyword}"),
            300.0,
        );
    }
    shows(
        &printed,
        "A-98 prompt build, all 40 memories in its core and no file of it",
        20.0,
    );
    assert_eq!(printed.lines().count(), 6, "{printed}");
    assert_eq!((Sizes::FULL.memories, Sizes::FULL.turns), (10_000, 100_000));
}

#[test]
fn times_of_a_notebook_stand_beside_their_limits() {
    // part: M-110; a miss is accepted, and the sizes are small
    let folder = tempfile::tempdir().unwrap();
    let printed = printed(|table| notebook(folder.path(), &SMALL, table));
    shows(&printed, "M-110 load MEMORY.md, 1000 entries", 20.0);
    shows(&printed, "M-110 save it, durable", 20.0);
    shows(&printed, "M-110 prompt build", 5.0);
    assert_eq!(Sizes::FULL.entries, 1000);
}

#[test]
fn both_times_of_a_memory_that_a_tool_makes_stand_beside_their_limits() {
    // part: G-135; a miss is accepted, and the sizes are small
    let folder = tempfile::tempdir().unwrap();
    let printed = printed(|table| graph(&folder.path().join("g.annals"), &SMALL, table));
    shows(
        &printed,
        "G-135 create_memory, until the tool answers",
        100.0,
    );
    shows(&printed, "G-135 create_memory, embedded and indexed", 500.0);
    shows(&printed, "G-136 search, 40 memories, depth 1", 2000.0);
    shows(&printed, "G-136 search, 40 memories, depth 2", 5000.0);
}

#[test]
fn times_of_a_service_stand_beside_their_limits() {
    // spec: C-126
    let folder = tempfile::tempdir().unwrap();
    let printed = printed(|table| service(&folder.path().join("s.annals"), &SMALL, table));
    shows(
        &printed,
        "C-126 start of a service and first search, 40 memories",
        5000.0,
    );
    shows(
        &printed,
        "C-126 a client connects to a warm service and searches",
        50.0,
    );
}
