//! The best k of many scores, in a fixed order: the higher score first, of equal ones the lower
//! number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Packs a score and a number so that integers compare like (score, then lower number).
#[inline]
pub(crate) fn key(score: f32, number: u32) -> u64 {
    let bits = score.to_bits();
    // IEEE 754 numbers compare like sign-magnitude integers: flip all bits of negative ones, the
    // sign of the others.
    let ordered = if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    };
    (u64::from(ordered) << 32) | u64::from(!number)
}

/// The number in a key.
#[inline]
pub(crate) fn number(key: u64) -> u32 {
    !low(key)
}

/// The score in a key.
#[inline]
pub(crate) fn score(key: u64) -> f32 {
    let ordered = low(key >> 32);
    f32::from_bits(if ordered >> 31 == 1 {
        ordered & !(1 << 31)
    } else {
        !ordered
    })
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is meant")]
const fn low(key: u64) -> u32 {
    key as u32
}

/// Keeps the best k.
#[derive(Debug)]
pub(crate) struct Top {
    k: usize,
    heap: BinaryHeap<Reverse<u64>>,
    floor: u64,
}

impl Top {
    pub(crate) fn new(k: usize) -> Self {
        Self {
            k,
            heap: BinaryHeap::with_capacity(k.min(1024) + 1),
            floor: if k == 0 { u64::MAX } else { 0 },
        }
    }

    /// Whether a score would be kept.
    #[inline]
    pub(crate) fn admits(&self, score: f32, number: u32) -> bool {
        key(score, number) > self.floor
    }

    #[inline]
    pub(crate) fn push(&mut self, score: f32, number: u32) {
        let key = key(score, number);
        if key <= self.floor {
            return;
        }
        self.heap.push(Reverse(key));
        if self.heap.len() > self.k {
            self.heap.pop();
        }
        if self.heap.len() == self.k {
            self.floor = self.heap.peek().map_or(0, |lowest| lowest.0);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.heap.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.heap.len() >= self.k
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.k);
    }

    /// The kept ones, best first.
    pub(crate) fn into_sorted(self) -> Vec<(u32, f32)> {
        self.heap
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse(key)| (number(key), score(key)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_order_like_scores_then_lower_numbers(
            a in -1.0_f32..1.0,
            b in prop_oneof![-1.0_f32..1.0, Just(0.0), Just(0.5)],
            x in any::<u32>(),
            y in any::<u32>(),
        ) {
            prop_assert_eq!(key(a, x) > key(b, y), a > b || (a == b && x < y));
            prop_assert_eq!((score(key(a, x)), number(key(a, x))), (a, x));
        }

        #[test]
        fn the_best_k_are_those_of_a_full_sort(scores in prop::collection::vec(-4_i8..4, 0..60), k in 0_usize..20) {
            let mut all: Vec<(u32, f32)> = scores.iter().zip(0..).map(|(s, i)| (i, f32::from(*s) / 4.0)).collect();
            let mut top = Top::new(k);
            for (i, s) in &all {
                prop_assert!(!top.admits(*s, *i) || top.len() <= k);
                top.push(*s, *i);
            }
            all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            all.truncate(k);
            prop_assert_eq!(top.into_sorted(), all);
        }
    }
}
