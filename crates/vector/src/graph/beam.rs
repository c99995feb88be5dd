//! The candidates of a walk: the best `width` nodes seen, each expanded once.

use crate::top::key;

/// Keys in falling order. The lowest bit says that the node has been expanded: node numbers are
/// below 2^31, so the other 31 low bits name it.
#[derive(Debug, Default)]
pub(crate) struct Beam {
    width: usize,
    keys: Vec<u64>,
    /// All before are expanded.
    next: usize,
    floor: u64,
}

const EXPANDED: u64 = 1;

fn pack(score: f32, node: u32) -> u64 {
    let key = key(score, node << 1);
    // `key` stores the complement: its lowest bit is set as long as the doubled number is even.
    key & !EXPANDED
}

fn node(key: u64) -> u32 {
    crate::top::number(key) >> 1
}

impl Beam {
    pub(crate) fn begin(&mut self, width: usize) {
        self.width = width.max(1);
        self.keys.clear();
        self.next = 0;
        self.floor = 0;
    }

    /// Takes a node in if it is among the best.
    #[inline]
    pub(crate) fn push(&mut self, score: f32, node: u32) {
        let key = pack(score, node);
        if key <= self.floor {
            return;
        }
        let at = self.keys.partition_point(|k| *k > key);
        if self.keys.len() == self.width {
            self.keys.pop();
        }
        self.keys.insert(at, key);
        self.next = self.next.min(at);
        if self.keys.len() == self.width {
            self.floor = self.keys.last().copied().unwrap_or(0) | EXPANDED;
        }
    }

    /// The best node that is not expanded yet, which now counts as expanded.
    pub(crate) fn pop(&mut self) -> Option<(u32, f32)> {
        while let Some(key) = self.keys.get_mut(self.next) {
            self.next += 1;
            if *key & EXPANDED == 0 {
                *key |= EXPANDED;
                return Some((node(*key), crate::top::score(*key)));
            }
        }
        None
    }

    /// The node that [`pop`](Self::pop) would give if nothing better came.
    pub(crate) fn peek(&self) -> Option<u32> {
        self.keys
            .iter()
            .skip(self.next)
            .find(|k| **k & EXPANDED == 0)
            .map(|k| node(*k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_out_once_and_the_worst_are_dropped() {
        let mut beam = Beam::default();
        beam.begin(3);
        for (score, node) in [(0.1, 1), (0.5, 2), (0.3, 3), (0.2, 4), (0.5, 0)] {
            beam.push(score, node);
        }
        assert_eq!(beam.peek(), Some(0));
        assert_eq!(beam.pop(), Some((0, 0.5)));
        assert_eq!(beam.pop(), Some((2, 0.5)));
        beam.push(0.9, (1 << 31) - 1);
        assert_eq!(beam.pop(), Some(((1 << 31) - 1, 0.9)));
        assert_eq!(beam.pop(), None);
        assert_eq!(beam.peek(), None);
    }

    #[test]
    fn a_beam_starts_afresh() {
        let mut beam = Beam::default();
        beam.begin(1);
        beam.push(0.9, 5);
        beam.begin(2);
        beam.push(-0.5, 6);
        assert_eq!(beam.pop(), Some((6, -0.5)));
        assert_eq!(beam.pop(), None);
    }
}
