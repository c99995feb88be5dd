//! The nodes that a walk has seen: a small hash set that stays in the first cache, whatever the
//! graph's size.

/// Open addressing over node numbers plus one; 0 is a free place.
#[derive(Debug)]
pub(crate) struct Visited {
    places: Vec<u32>,
    len: usize,
    shift: u32,
}

const FIRST_BITS: u32 = 12;

impl Default for Visited {
    fn default() -> Self {
        Self::with_bits(FIRST_BITS)
    }
}

impl Visited {
    fn with_bits(bits: u32) -> Self {
        Self {
            places: vec![0; 1 << bits],
            len: 0,
            shift: 32 - bits,
        }
    }

    /// Forgets everything. A set that a rare wide walk made large becomes small again.
    pub(crate) fn begin(&mut self) {
        if self.places.len() > 1 << 16 {
            *self = Self::default();
        } else {
            self.places.fill(0);
            self.len = 0;
        }
    }

    /// Adds a node; answers whether it is new.
    #[inline]
    pub(crate) fn insert(&mut self, node: u32) -> bool {
        if self.len * 2 >= self.places.len() {
            self.grow();
        }
        let new = self.place(node.wrapping_add(1));
        self.len += usize::from(new);
        new
    }

    #[inline]
    fn place(&mut self, value: u32) -> bool {
        let mask = self.places.len() - 1;
        // Fibonacci hashing: neighbouring numbers land far apart.
        let mut at = (value.wrapping_mul(0x9E37_79B9) >> self.shift) as usize;
        loop {
            match self.places.get_mut(at) {
                Some(place) if *place == 0 => {
                    *place = value;
                    return true;
                }
                Some(place) if *place == value => return false,
                _ => at = (at + 1) & mask,
            }
        }
    }

    #[cold]
    fn grow(&mut self) {
        let bits = 32 - self.shift + 1;
        let old = std::mem::replace(self, Self::with_bits(bits));
        self.len = old.len;
        for value in old.places.into_iter().filter(|v| *v != 0) {
            self.place(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_set_that_grows_and_forgets() {
        let mut set = Visited::default();
        for round in 0..2 {
            for node in (0..100_000_u32).map(|i| i.wrapping_mul(7919)) {
                assert!(set.insert(node), "{round} {node}");
                assert!(!set.insert(node));
            }
            set.begin();
        }
        assert_eq!(set.places.len(), 1 << FIRST_BITS);
    }
}
