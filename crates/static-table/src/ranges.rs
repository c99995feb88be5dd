/// Sorted ranges of code points, both ends included, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Ranges {
    pairs: &'static [[u8; 8]],
}

impl Ranges {
    pub(crate) const fn new(pairs: &'static [[u8; 8]]) -> Self {
        Self { pairs }
    }

    /// Whether a character lies in one of the ranges. Binary search: about eight steps.
    #[must_use]
    pub fn contains(&self, character: char) -> bool {
        let code = u32::from(character);
        let after = self.pairs.partition_point(|pair| first(pair) <= code);
        after.checked_sub(1).and_then(|at| self.pairs.get(at)).is_some_and(|pair| code <= last(pair))
    }

    /// How many ranges there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }
}

fn first(pair: &[u8; 8]) -> u32 {
    let [a, b, c, d, ..] = *pair;
    u32::from_le_bytes([a, b, c, d])
}

fn last(pair: &[u8; 8]) -> u32 {
    let [.., a, b, c, d] = *pair;
    u32::from_le_bytes([a, b, c, d])
}
