//! A fixed rotation that spreads a vector evenly over its coordinates before it is quantised.
//!
//! Embeddings that went through a PCA have a few large coordinates, and one scale per vector then
//! wastes most of the 8 bits of the others. A rotation keeps every cosine. This one is a randomised
//! Hadamard transform (Ailon, Chazelle: The Fast Johnson-Lindenstrauss Transform, 2009): random
//! signs, then the Walsh-Hadamard transform of the first 2^n coordinates, then the same of the last
//! 2^n when the length is no power of two. Its signs are part of the format.

/// Rotates in place. Lengths are kept up to rounding; the result is the same on every machine.
pub(crate) fn rotate(vector: &mut [f32]) {
    let Some(log) = vector.len().checked_ilog2() else {
        return;
    };
    let size = 1_usize << log;
    let rest = vector.len() - size;
    flip(vector, 0x616E_6E61_6C73_0001);
    if let Some(head) = vector.get_mut(..size) {
        transform(head);
    }
    if rest > 0 {
        flip(vector, 0x616E_6E61_6C73_0002);
        if let Some(tail) = vector.get_mut(rest..) {
            transform(tail);
        }
    }
}

fn flip(vector: &mut [f32], seed: u64) {
    let mut state = seed;
    for group in vector.chunks_mut(64) {
        let bits = splitmix(&mut state);
        for (i, x) in group.iter_mut().enumerate() {
            if (bits >> i) & 1 == 1 {
                *x = -*x;
            }
        }
    }
}

/// The Walsh-Hadamard transform of a power of two numbers, scaled to keep the length.
fn transform(values: &mut [f32]) {
    let mut half = 1;
    while half < values.len() {
        for pair in values.chunks_exact_mut(2 * half) {
            let (low, high) = pair.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                (*a, *b) = (*a + *b, *a - *b);
            }
        }
        half *= 2;
    }
    let steps = values.len().ilog2();
    // 2^(-steps/2), one factor per step: the same rounding on every machine, unlike a square root
    // of a cast length.
    let scale = (0..steps).fold(1.0_f32, |scale, _| scale * std::f32::consts::FRAC_1_SQRT_2);
    for x in values {
        *x *= scale;
    }
}

/// One step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// 2014).
pub(crate) fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dot(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    proptest! {
        #[test]
        fn lengths_and_angles_stay(
            (a, b) in (1_usize..400).prop_flat_map(|n| (
                prop::collection::vec(-1.0_f32..1.0, n),
                prop::collection::vec(-1.0_f32..1.0, n),
            )),
        ) {
            let (mut ra, mut rb) = (a.clone(), b.clone());
            rotate(&mut ra);
            rotate(&mut rb);
            prop_assert!((dot(&a, &a) - dot(&ra, &ra)).abs() < 1e-3);
            prop_assert!((dot(&a, &b) - dot(&ra, &rb)).abs() < 1e-3);
        }
    }

    #[test]
    fn a_single_large_coordinate_is_spread() {
        for dims in [256, 300, 384, 768] {
            let mut v = vec![0.0; dims];
            v[5] = 1.0;
            rotate(&mut v);
            let largest = v.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
            assert!(largest < 0.2, "{dims}: {largest}");
        }
    }

    #[test]
    fn the_signs_are_part_of_the_format() {
        let mut v: Vec<f32> = (1..=5_u8).map(f32::from).collect();
        rotate(&mut v);
        let golden: Vec<i32> = v.iter().map(|x| (x * 1000.0).round() as i32).collect();
        assert_eq!(golden, GOLDEN);
    }

    const GOLDEN: [i32; 5] = [1000, 0, -7000, -1000, 2000];
}
