//! Random operations on a graph beside plain sets, compared after every step.

mod naive;
mod real;
mod spec;

use annals_storage::conformance::Remote;
use annals_storage::{MemoryEngine, Store};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use naive::Naive;
use real::Real;
use spec::{Op, op};

fn run(ops: &[Op], unify: bool, keeps_history: bool, open: Box<dyn Fn() -> Option<Store>>) {
    let mut naive = Naive::new(unify, keeps_history);
    let mut real = Real::new(&naive, open);
    for op in ops {
        real.step(op, &mut naive);
        real.compare(&naive);
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn settings() -> impl Strategy<Value = (bool, bool)> {
    (prop::bool::weighted(0.8), prop::bool::weighted(0.7))
}

proptest! {
    #![proptest_config(config(128))]

    #[test]
    fn a_graph_does_what_plain_sets_do(ops in prop::collection::vec(op(), 1..40), (unify, history) in settings()) {
        // Everything happens within one store in memory; opening it again gives the same.
        let store = Store::in_memory();
        run(&ops, unify, history, Box::new(move || Some(store.clone())));
    }
}

proptest! {
    #![proptest_config(config(6))]

    #[test]
    fn so_it_does_in_a_file(ops in prop::collection::vec(op(), 20..40)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.annals");
        run(&ops, true, true, Box::new(move || Store::open(&path).ok()));
    }
}

proptest! {
    #![proptest_config(config(12))]

    #[test]
    fn so_it_does_where_commits_are_given_up(ops in prop::collection::vec(op(), 20..40)) {
        let remote = Remote::new(Box::new(MemoryEngine::new()), 5);
        let store = Store::with_engine(Box::new(remote)).unwrap();
        run(&ops, true, true, Box::new(move || Some(store.clone())));
    }
}
