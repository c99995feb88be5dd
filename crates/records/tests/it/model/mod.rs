//! Random operations on a namespace beside a naive model of it, compared after every step.

mod naive;
mod real;
mod spec;

use annals_storage::Store;
use annals_types::{Filter, Label, Layer, Status, TimeRange, Timestamp};
use proptest::prelude::*;

use naive::Naive;
use real::Real;
use spec::{Op, op};

fn filters() -> Vec<Filter> {
    let label = |text: &str| Label::new("label", text).unwrap();
    let at = |millis| Some(Timestamp::from_millis(millis));
    vec![
        Filter::default(),
        Filter {
            statuses: Status::ALL.to_vec(),
            ..Filter::default()
        },
        Filter {
            layers: vec![Layer::Turn, Layer::Core],
            statuses: vec![Status::Forgotten],
            ..Filter::default()
        },
        Filter {
            sessions: vec![label("s0"), label("s2"), label("nowhere")],
            ..Filter::default()
        },
        Filter {
            speakers: vec![label("p1")],
            tags: vec![label("t0")],
            ..Filter::default()
        },
        Filter {
            tags: vec![label("t0"), label("t2")],
            ..Filter::default()
        },
        Filter {
            tags: vec![label("nothing has it")],
            ..Filter::default()
        },
        Filter {
            kinds: vec![annals_types::Kind::new("k1").unwrap()],
            ..Filter::default()
        },
        Filter {
            time: TimeRange {
                start: at(1_000_040),
                end: at(1_000_120),
            },
            ..Filter::default()
        },
        Filter {
            valid_at: at(1_000_060),
            ..Filter::default()
        },
    ]
}

fn run(store: Store, ops: &[Op]) {
    let mut real = Real::new(store);
    let mut naive = Naive::new(real.now());
    for op in ops {
        real.step(op, &mut naive);
        real.compare(&naive, &filters());
    }
    real.reload();
    real.compare(&naive, &filters());
    real.compare_export();
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 96,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_namespace_does_what_the_model_does(ops in proptest::collection::vec(op(), 1..40)) {
        run(Store::in_memory(), &ops);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 6,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]

    #[test]
    fn so_it_does_in_a_file(ops in proptest::collection::vec(op(), 20..40)) {
        let folder = tempfile::tempdir().unwrap();
        run(Store::open(folder.path().join("model.annals")).unwrap(), &ops);
    }
}
