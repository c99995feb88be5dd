//! Milliseconds for a text of 12, 40 and 100 pieces, with each set of instructions that this CPU
//! has.
#![allow(missing_docs, reason = "what the macros of criterion define")]

use std::hint::black_box;

use annals_small_model::{PIECES, SmallModel};
use criterion::{Criterion, criterion_group, criterion_main};

/// Pieces all over the vocabulary, by a linear congruence.
fn pieces(count: usize) -> Vec<u16> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from((state >> 8) % u32::from(PIECES)).unwrap_or_default()
    };
    (0..count).map(|_| next()).collect()
}

fn embed(criterion: &mut Criterion) {
    for model in SmallModel::variants() {
        for count in [12, 40, 100] {
            let pieces = pieces(count);
            criterion.bench_function(
                &format!("embed/{}/{count}", model.instructions()),
                |bencher| {
                    bencher.iter(|| model.embed(black_box(&pieces)));
                },
            );
        }
    }
}

criterion_group!(benches, embed);
criterion_main!(benches);
