//! Random operations on memories and tasks beside plain models of them, over several engines,
//! compared after every step.

mod memories;
mod queue;

use crate::world;

use annals_storage::conformance::Remote;
use annals_storage::{MemoryEngine, Store};
use proptest::prelude::*;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    }
}

/// An engine across a network that gives up one commit in five, half of those after it was kept.
fn remote() -> Store {
    Store::with_engine(Box::new(Remote::new(Box::new(MemoryEngine::new()), 5))).unwrap()
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn memories_live_as_in_the_model(profile in 0_usize..5, ops in prop::collection::vec(memories::op(), 1..40)) {
        memories::run(Store::in_memory(), profile, &ops);
    }

    #[test]
    fn tasks_are_done_as_in_the_model(ops in prop::collection::vec(queue::op(), 1..60)) {
        queue::run(Store::in_memory(), &ops);
    }
}

proptest! {
    #![proptest_config(config(24))]

    #[test]
    fn so_they_do_where_commits_are_given_up(
        profile in 0_usize..5,
        lives in prop::collection::vec(memories::op(), 1..30),
        tasks in prop::collection::vec(queue::op(), 1..40),
    ) {
        memories::run(remote(), profile, &lives);
        queue::run(remote(), &tasks);
    }
}

proptest! {
    #![proptest_config(config(6))]

    #[test]
    fn so_they_do_in_a_file(
        profile in 0_usize..5,
        lives in prop::collection::vec(memories::op(), 10..30),
        tasks in prop::collection::vec(queue::op(), 10..40),
    ) {
        let folder = tempfile::tempdir().unwrap();
        memories::run(Store::open(folder.path().join("lives.annals")).unwrap(), profile, &lives);
        queue::run(Store::open(folder.path().join("tasks.annals")).unwrap(), &tasks);
    }
}
