use crate::embed::folder::Pooling;

/// One vector of `dims` numbers per text from its token states.
///
/// `states` is row-major `[texts, longest, dims]`; `lengths` has each text's tokens without
/// padding, which is at the end. A text without tokens gives zeros.
pub(super) fn pool(
    states: &[f32],
    lengths: &[usize],
    longest: usize,
    dims: usize,
    how: Pooling,
) -> Vec<Vec<f32>> {
    let (row, step) = ((longest * dims).max(1), dims.max(1));
    states
        .chunks_exact(row)
        .zip(lengths)
        .map(|(text, &length)| {
            let mut tokens = text.chunks_exact(step).take(length);
            match how {
                Pooling::Cls => tokens
                    .next()
                    .map(<[f32]>::to_vec)
                    .unwrap_or_else(|| vec![0.0; dims]),
                Pooling::Last => tokens
                    .next_back()
                    .map(<[f32]>::to_vec)
                    .unwrap_or_else(|| vec![0.0; dims]),
                Pooling::Mean => mean(tokens, dims),
                Pooling::Max => max(tokens, dims),
            }
        })
        .collect()
}

fn mean<'a>(tokens: impl Iterator<Item = &'a [f32]>, dims: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f32; dims];
    let mut count = 0.0_f32;
    for token in tokens {
        for (total, x) in sum.iter_mut().zip(token) {
            *total += x;
        }
        count += 1.0;
    }
    for total in &mut sum {
        *total /= count.max(1.0);
    }
    sum
}

fn max<'a>(mut tokens: impl Iterator<Item = &'a [f32]>, dims: usize) -> Vec<f32> {
    let Some(first) = tokens.next() else {
        return vec![0.0; dims];
    };
    let mut most = first.to_vec();
    for token in tokens {
        for (top, &x) in most.iter_mut().zip(token) {
            // Unlike f32::max this keeps a NaN, which must be seen and refused.
            if x.is_nan() || x > *top {
                *top = x;
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::{Pooling, pool};

    // Two texts, of 3 and 1 tokens, 2 dimensions; 9 is padding.
    const STATES: [f32; 12] = [1.0, 2.0, 3.0, -4.0, 5.0, 8.0, 7.0, 7.0, 9.0, 9.0, 9.0, 9.0];

    #[test]
    fn padding_never_counts() {
        let of = |how| pool(&STATES, &[3, 1], 3, 2, how);
        assert_eq!(of(Pooling::Mean), [[3.0, 2.0], [7.0, 7.0]]);
        assert_eq!(of(Pooling::Cls), [[1.0, 2.0], [7.0, 7.0]]);
        assert_eq!(of(Pooling::Last), [[5.0, 8.0], [7.0, 7.0]]);
        assert_eq!(of(Pooling::Max), [[5.0, 8.0], [7.0, 7.0]]);
    }

    #[test]
    fn a_text_without_tokens_gives_zeros() {
        for how in [Pooling::Mean, Pooling::Cls, Pooling::Last, Pooling::Max] {
            assert_eq!(pool(&[1.0, 2.0], &[0], 1, 2, how), [[0.0, 0.0]]);
        }
    }

    #[test]
    fn a_nan_comes_through() {
        for how in [Pooling::Mean, Pooling::Max] {
            assert!(
                pool(&[1.0, f32::NAN, 2.0], &[3], 3, 1, how)[0][0].is_nan(),
                "{how:?}"
            );
        }
    }
}
